// What happens to the page while a finger drives (motion rules 9, 10, 13, 14 and 27).

import assert from "node:assert/strict";
import { driveAtSpeed } from "./faults/driving.mjs";
import { scenario } from "./lib/stage.mjs";
import { MC_CTRL, between, isMotion, isZero, published, velocities } from "./lib/log.mjs";

/**
 * At least three zeros after the last motion, the first and the third of them within these times
 * of it (ms), and a vehicle that stands.
 */
async function assertStopped(sweeper, from, { first = 150, third = 400 } = {}) {
  await sweeper.until("three zeros", (lines) => velocities(lines).slice(-3).filter(isZero).length === 3, {
    since: from,
  });
  await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
  const commands = between(velocities(sweeper.lines), from);
  const last = commands.findLastIndex(isMotion);
  const zeros = commands.slice(last + 1);
  assert.ok(zeros.length >= 3, `${zeros.length} zeros`);
  const lastMotion = commands[last]?.t ?? from;
  const after = zeros.map(({ t }) => t - lastMotion);
  assert.ok(after[0] <= first, `the first zero came ${after[0]} ms after the last motion`);
  assert.ok(after[2] <= third, `the third zero came ${after[2]} ms after the last motion`);
  return after;
}

scenario("a window that loses the focus blocks the drive until the finger is lifted", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  const finger = await driveAtSpeed(page, sweeper);
  const at = sweeper.now;
  await page.setInFront(false);
  await page.until("drive", { state: "blocked", reason: "blur" });
  await page.untilText("banner", /lost the focus.*Lift your finger and press again/);
  await assertStopped(sweeper, at);
  const stopped = sweeper.now;
  await page.moveStick(finger, { forward: 0.4, left: 0.4 });
  await sweeper.pass(300);
  assert.deepEqual(between(velocities(sweeper.lines), stopped).filter(isMotion), []);
  await page.until("drive", { state: "blocked" });
  await page.setInFront(true);
  await page.touch.up(finger);
  await page.until("drive", { state: "ready" });
  await page.touch.up(await page.drive());
});

scenario("a hidden page switches drive and tools off", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.openTab({ vehicle: sweeper });
  await page.armTools();
  await page.tap("tool-brake-0");
  await page.until("tool-brake", { value: "0", status: "published" });
  const finger = await driveAtSpeed(page, sweeper);
  const at = sweeper.now;
  await page.openAnother();
  await page.until("drive", { state: "disarmed", reason: "hidden" });
  await page.until("tools", { state: "disarmed" });
  await assertStopped(sweeper, at);
  await page.closeOthers();
  await page.untilText("banner", /page was hidden/);
  await page.moveStick(finger, { forward: 0.6 });
  await sweeper.pass(300);
  await page.until("drive", { state: "disarmed" });
  assert.ok(isZero(velocities(sweeper.lines).at(-1)));
  await page.touch.up(finger);
});

scenario("a screen that is rotated blocks the drive until the finger is lifted", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  const finger = await driveAtSpeed(page, sweeper);
  const at = sweeper.now;
  await page.page.setViewportSize({ width: 800, height: 1280 });
  await page.until("drive", { state: "blocked" });
  await assertStopped(sweeper, at);
  await page.touch.up(finger);
  await page.until("drive", { state: "ready" });
});

scenario("a change of the settings under a driving finger ends the press", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await page.tap("settings");
  await page.id("theme").waitFor();
  const finger = await driveAtSpeed(page, sweeper);
  const at = sweeper.now;
  await page.tap("theme");
  await page.until("drive", { state: "blocked" });
  await assertStopped(sweeper, at);
  await page.touch.up(finger);
});

scenario("a reload in motion stops the vehicle, and the new page is off and alone", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await driveAtSpeed(page, sweeper);
  const at = sweeper.now;
  await page.page.reload();
  await page.online();
  // The Worker ends with its page, so only the first zeros are its own; the others come from the
  // new page.
  const after = await assertStopped(sweeper, at, { third: Infinity });
  stage.say(`reload: zeros ${after.slice(0, 4).map((ms) => ms.toFixed(0)).join(", ")} ms after the last motion`);
  await page.until("drive", { state: "disarmed" });
  const commands = between(velocities(sweeper.lines), at);
  const firstZero = commands.findIndex(isZero);
  assert.ok(commands.slice(firstZero).every(isZero));
  await page.touch.cancel();
  // Rule 27: it does not take its former self for another driver.
  await page.arm();
  assert.doesNotMatch(await page.id("events").textContent(), /is driving/);
  await page.touch.up(await page.drive());
});

scenario("a page that is closed in motion leaves zeros behind", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await driveAtSpeed(page, sweeper);
  const at = sweeper.now;
  await page.page.goto("about:blank");
  await sweeper.until("both sockets to close", (lines) => lines.filter(({ kind }) => kind === "disconnect").length >= 2, {
    since: at,
  });
  await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
  const last = velocities(sweeper.lines).at(-1);
  assert.ok(isZero(last), "the last command was a motion");
});

for (const [how, leave] of [
  ["left for another page", (page) => page.page.goto("about:blank")],
  ["closed", async (page) => (await page.context.newCDPSession(page.page)).send("Page.close").catch(() => {})],
]) {
  scenario(`a page that is ${how} with the brushes on leaves the safe message behind`, async (stage) => {
    const sweeper = await stage.vehicle();
    const page = await stage.open({ vehicle: sweeper });
    await page.armTools();
    await page.tap("tool-brake-0");
    await page.tap("tool-side_brush-more");
    await page.until("tool-side_brush", { value: "10", status: "published" });
    const at = sweeper.now;
    await leave(page);
    await sweeper.until("both sockets to close", (lines) => lines.filter(({ kind }) => kind === "disconnect").length >= 2, {
      since: at,
    });
    const { msg } = published(sweeper.lines, MC_CTRL).at(-1);
    assert.equal(msg.side_brush, 0, "the last message keeps the brush running");
  });
}
