// STOP (motion rules 15 to 17).

import assert from "node:assert/strict";
import { scenario } from "./lib/stage.mjs";
import { CMD_VEL, MC_CTRL, between, isMotion, isZero, published, velocities } from "./lib/log.mjs";

scenario("STOP under a second finger stops the drive while the first still presses", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.arm();
  await sweeper.measureClock();
  const finger = await page.drive();
  await sweeper.until("full speed", () => sweeper.truth.v > 0.25);
  const before = sweeper.now;
  const second = await page.press("stop");
  await page.until("drive", { state: "stopped" });
  await page.until("stop", { latched: "true", delivery: "published" });
  await page.until("tools", { state: "stopped" });
  await page.untilText("banner", /^STOP/);
  await page.touch.up(second);
  // The first finger is still there, and moves: it must not count any more.
  await page.moveStick(finger, { forward: 0.5, left: 0.5 });
  await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
  await page.untilText("banner", /published; vehicle standing/);
  const commands = between(velocities(sweeper.lines), before);
  const firstZero = commands.findIndex(isZero);
  assert.ok(firstZero >= 0);
  assert.ok(commands.slice(firstZero).every(isZero), "a motion was sent after STOP");
  assert.ok(commands.length - firstZero >= 3);

  // Resetting moves nothing and leaves the drive off, although the first finger never left.
  const reset = sweeper.now;
  await page.tap("stop-reset");
  await page.until("drive", { state: "disarmed" });
  await page.until("stop", { latched: "false" });
  await sweeper.pass(300);
  await page.touch.up(finger);
  const third = await page.pressStick({ forward: 1.02 });
  await sweeper.pass(300);
  assert.deepEqual(between(velocities(sweeper.lines), reset).filter(isMotion), []);
  await page.touch.up(third);

  // Only the switch and a new press drive again.
  await page.arm();
  const fourth = await page.drive();
  await sweeper.until("motion again", () => sweeper.truth.v > 0.1);
  await page.touch.up(fourth);
});

scenario("STOP as the fifth finger, with drive, pusher and map held, stops all of it", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.armTools();
  await page.tap("tool-brake-0");
  await page.until("tool-brake", { value: "0", status: "published" });
  await page.tap("tools-page-pushers");
  await page.arm();
  const thumb = await page.drive();
  const pusher = await page.press("tool-brush_deck_pusher-plus");
  const map = await page.box("map");
  const onMap = (x, y) => page.touch.down(map.x + map.width * x, map.y + map.height * y);
  const others = [await onMap(0.3, 0.4), await onMap(0.5, 0.4)];
  await sweeper.until("drive and pusher", (lines) => {
    const newest = published(lines, MC_CTRL).at(-1);
    return sweeper.truth.v > 0.2 && newest?.msg.brush_deck_pusher > 0;
  });
  const before = sweeper.now;
  const fifth = await page.press("stop");
  await page.until("stop", { latched: "true", delivery: "published" });
  await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
  const commands = between(velocities(sweeper.lines), before);
  const zeros = commands.slice(commands.findIndex(isZero));
  assert.ok(zeros.length >= 3 && zeros.every(isZero), "a motion was sent after STOP");
  const pushes = between(published(sweeper.lines, MC_CTRL), before).map(({ msg }) => msg.brush_deck_pusher);
  const safe = pushes.slice(pushes.indexOf(0));
  assert.ok(safe.length >= 3 && safe.every((duty) => duty === 0), `the pusher went on: ${pushes}`);
  for (const finger of [fifth, ...others, pusher, thumb]) await page.touch.up(finger);
  await page.until("drive", { state: "stopped" });
});

scenario("STOP reaches the vehicle within a tick", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.arm();
  await sweeper.measureClock();
  await page.page.evaluate(() => {
    document.querySelector('[data-testid="stop"]').addEventListener(
      "pointerdown",
      (event) => (window.__stoppedAt = performance.timeOrigin + event.timeStamp),
      true,
    );
  });
  const finger = await page.drive();
  await sweeper.until("full speed", () => sweeper.truth.v > 0.25);
  await page.press("stop");
  await page.until("drive", { state: "stopped" });
  const pressed = sweeper.clockAt(await page.page.evaluate(() => window.__stoppedAt));
  const zero = await sweeper.until("a zero", (lines) => velocities(lines).find(isZero), { since: pressed });
  stage.say(`STOP to zero: ${(zero.t - pressed).toFixed(1)} ms`);
  assert.ok(zero.t - pressed <= 100, `${zero.t - pressed} ms`);
  await page.touch.up(finger);
});

scenario("STOP sends zeros even if nothing was ever armed", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  assert.deepEqual(published(sweeper.lines, CMD_VEL), []);
  await page.tap("stop");
  await page.until("stop", { latched: "true", delivery: "published" });
  const commands = await sweeper.until("the zeros", (lines) => {
    const found = velocities(lines);
    return found.length >= 3 && found;
  });
  assert.ok(commands.every(isZero));
  // Arming is refused for as long as it is latched.
  await page.tap("drive-arm");
  await page.untilHappened(/Drive refused: STOP was pressed/);
  await page.until("drive", { state: "stopped" });
});

scenario("STOP stops brushes and water, and leaves the vehicle braked", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.armTools();
  await page.tap("tool-brake-0");
  await page.tap("tool-side_brush-more");
  await page.until("tool-side_brush", { value: "10", status: "published" });
  await sweeper.until("the side brush to run", () => sweeper.truth.sweeper.side_brush > 0);
  const pressed = sweeper.now;
  await page.tap("stop");
  const isSafe = ({ msg }) => msg.brake === 1 && msg.side_brush === 0 && msg.gear === 0 && msg.rpm === 0;
  const isOff = ({ msg }) => msg.side_brush === 0;
  await sweeper.until(
    "three messages that stop, and the brake",
    (lines) => {
      const messages = published(lines, MC_CTRL);
      return messages.filter(isOff).length >= 3 && messages.some(isSafe);
    },
    { since: pressed },
  );
  await page.until("tools", { state: "stopped" });
  const messages = between(published(sweeper.lines, MC_CTRL), pressed);
  const off = messages.findIndex(isOff);
  assert.ok(messages.slice(off).every((message) => isOff(message) && message.msg.water_spray === 0));
  assert.ok(messages[off + 2].t - messages[off].t <= 300);
});

scenario("STOP without a link says that it is undelivered, and is delivered on reconnect", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  page.expected.push(/WebSocket connection to/);
  await page.online();
  await sweeper.kill();
  await page.until("link", { state: ["lost", "offline", "connecting"] });
  await page.tap("stop");
  await page.until("stop", { latched: "true", delivery: "not-delivered" });
  await page.untilText("banner", /could not be delivered; will be sent when the link is back/i);

  const again = await stage.vehicle({ port: sweeper.port });
  await page.until("stop", { latched: "true", delivery: "published" });
  const commands = await again.until("the zeros", (lines) => {
    const found = velocities(lines);
    return found.length >= 3 && found;
  });
  assert.ok(commands.every(isZero));
  await page.until("drive", { state: "stopped" });
});

scenario("STOP travels: another console latches too, and each resets its own", async (stage) => {
  const sweeper = await stage.vehicle();
  const [one, other] = await Promise.all([stage.open({ vehicle: sweeper }), stage.open({ vehicle: sweeper })]);
  await Promise.all([one.online(), other.online()]);
  await one.tap("stop");
  await other.until("drive", { state: "stopped" });
  await other.untilText("banner", /^STOP by Console/);
  await one.until("stop", { delivery: "published" });
  await other.tap("stop-reset");
  await other.until("drive", { state: "disarmed" });
  await one.until("drive", { state: "stopped" });
});
