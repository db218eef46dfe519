// Losses in motion (motion rules 9 to 13): the server, the network, the page's thread, a Worker.

import assert from "node:assert/strict";
import { scenario } from "./lib/stage.mjs";
import { until } from "./lib/wait.mjs";
import { HEARTBEAT, between, events, isMotion, isZero, published, velocities } from "./lib/log.mjs";

/** The profile's default deadman and link timeout, ms. */
const DEADMAN = 300;
const LINK_TIMEOUT = 300;
const PERIOD = 50;

async function driveAtSpeed(page, sweeper) {
  await page.arm();
  const finger = await page.drive();
  await sweeper.until("full speed", () => sweeper.truth.v > 0.25);
  return finger;
}

scenario("the server killed and restarted in motion: the page recovers, and only zeros come", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  page.expected.push(/WebSocket connection to/);
  const finger = await driveAtSpeed(page, sweeper);
  await sweeper.kill();
  await page.until("link", { state: ["lost", "offline", "connecting"] });
  await page.until("drive", { state: "disarmed" });

  const again = await stage.vehicle({ port: sweeper.port });
  await page.online();
  await page.untilHappened(/zero speed sent on the new one/);
  const zeros = await again.until("the zeros made up for", (lines) => {
    const found = velocities(lines);
    return found.length >= 3 && found;
  });
  assert.ok(zeros.every(isZero));
  // The finger never left the pad, and moves on it.
  await page.moveStick(finger, { forward: 0.6, left: 0.3 });
  await again.pass(1500);
  assert.ok(velocities(again.lines).every(isZero), "motion came before arming and pressing");
  assert.equal(again.truth.v, 0);
  await page.until("drive", { state: "disarmed" });
  await page.touch.up(finger);

  await page.arm();
  await again.pass(300);
  assert.ok(velocities(again.lines).every(isZero), "motion came before pressing");
  const second = await page.drive();
  await again.until("motion", () => again.truth.v > 0.1);
  await page.touch.up(second);
  await again.until("the vehicle to stand", () => again.truth.v === 0);
});

scenario("a link that stalls in motion stops the drive and delivers no burst of old motion", async (stage) => {
  const sweeper = await stage.vehicle();
  const wire = await stage.wire(sweeper);
  const page = await stage.open({ vehicle: wire });
  const finger = await driveAtSpeed(page, sweeper);
  wire.hold();
  await page.until("link", { state: ["stalled", "lost", "connecting", "offline"] });
  await page.until("drive", { state: ["blocked", "disarmed"] });
  await page.untilText("banner", /link/);
  const before = sweeper.lines.length;
  wire.letGo();
  await page.online();
  await sweeper.pass(500);
  const burst = sweeper.lines.slice(before);
  const motions = velocities(burst).filter(isMotion);
  stage.say(`${motions.length} motions were in the stalled link`);
  assert.ok(motions.length <= LINK_TIMEOUT / PERIOD + 1, `${motions.length} motions`);
  assert.ok(isZero(velocities(burst).at(-1)));
  await page.moveStick(finger, { forward: 0.5 });
  const later = sweeper.now;
  await sweeper.pass(500);
  assert.deepEqual(between(velocities(sweeper.lines), later).filter(isMotion), []);
  await page.touch.up(finger);
  await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
});

scenario("a page that hangs stops the vehicle from its Worker", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await sweeper.measureClock();
  const finger = await driveAtSpeed(page, sweeper);
  const hung = await page.page.evaluate(() => {
    const from = performance.now();
    const began = performance.timeOrigin + from;
    while (performance.now() - from < 2000);
    return began;
  });
  const from = sweeper.clockAt(hung);
  const commands = between(velocities(sweeper.lines), from);
  const firstZero = commands.find(isZero);
  assert.ok(firstZero, "no zero came while the page hung");
  const delay = firstZero.t - from;
  stage.say(`hang to zero: ${delay.toFixed(0)} ms`);
  assert.ok(delay <= DEADMAN + PERIOD + 25, `${delay} ms`);
  assert.ok(firstZero.t < from + 1900, "the zeros came only when the page went on");
  assert.ok(commands.slice(commands.indexOf(firstZero)).every(isZero));
  await page.until("drive", { state: ["blocked", "disarmed", "ready"] });
  await sweeper.pass(400);
  const after = between(velocities(sweeper.lines), firstZero.t);
  assert.ok(after.every(isZero), "the same press went on after the hang");
  assert.ok(after.length >= 3);
  await page.touch.up(finger);
});

for (const [how, act] of [
  ["ended", () => self.close()],
  [
    "hung",
    () => {
      const from = performance.now();
      while (performance.now() - from < 3000);
    },
  ],
]) {
  scenario(`a control Worker that is ${how} in motion is replaced, and the new one sends zeros`, async (stage) => {
    const sweeper = await stage.vehicle();
    const page = await stage.open({ vehicle: sweeper });
    const finger = await driveAtSpeed(page, sweeper);
    const oldClient = published(sweeper.lines, HEARTBEAT).at(-1).client;
    const worker = await workerOf(page, "control");
    const at = sweeper.now;
    // It answers never: it is ended from within, or by the page.
    worker.evaluate(act).catch(() => undefined);
    await page.until("drive", { state: "disarmed", reason: "worker-replaced" });
    await page.untilHappened(/control program was restarted/);
    await page.untilHappened(/zero speed sent on the new one/);
    await page.online();
    const commands = await sweeper.until(
      "the zeros of the new one",
      (lines) => {
        const ofNew = velocities(lines).filter(({ client }) => client !== oldClient);
        return ofNew.length >= 3 && ofNew;
      },
      { since: at },
    );
    assert.ok(commands.every(isZero));
    await page.moveStick(finger, { forward: 0.6 });
    await sweeper.pass(500);
    const after = between(velocities(sweeper.lines), commands[0].t);
    assert.ok(after.every(isZero), "motion came from the new Worker");
    await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
    await page.touch.up(finger);
    await page.arm();
    await page.touch.up(await page.drive());
  });
}

scenario("a telemetry Worker that ends is replaced, and the drive goes on", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  const finger = await driveAtSpeed(page, sweeper);
  const at = sweeper.now;
  const telemetry = await workerOf(page, "telemetry");
  telemetry.evaluate(() => self.close()).catch(() => undefined);
  // What is seen is told to be old while it is.
  await until("old telemetry", async () => (await page.number("link", "telemetry-age-ms")) > 1000);
  await page.untilHappened(/telemetry program was restarted/);
  await page.until("rtk", { state: "live" });
  await page.until("drive", { state: "driving" });
  assert.ok(between(velocities(sweeper.lines), at).every(isMotion));
  assert.equal(events(sweeper.lines, "command_timeout").length, 0);
  await page.touch.up(finger);
});

/** The Worker of that name. */
async function workerOf(page, name) {
  for (const worker of page.page.workers()) {
    if ((await worker.evaluate(() => self.name)) === name) return worker;
  }
  throw new Error(`no ${name} Worker among ${page.page.workers().length}`);
}
