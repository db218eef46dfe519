// Every other way to hold the stick: keyboard, gamepad, two pads (motion rules 7, 9, 10 and 15).

import assert from "node:assert/strict";
import { scenario } from "./lib/stage.mjs";
import { between, isMotion, isZero, velocities } from "./lib/log.mjs";
import { until } from "./lib/wait.mjs";

/** Motion in the vehicle's log from then on. */
async function untilMotion(sweeper, since, isIt = isMotion) {
  return sweeper.until("motion", (lines) => velocities(lines).find(isIt), { since });
}

/** The end has come to the vehicle within this time, ms; the browser is told over a protocol. */
const TOLD_WITHIN = 400;

/**
 * At least three zeros after the last motion, the first of them soon after `told`, and no motion
 * after it.
 */
async function assertStopped(sweeper, since, told = since) {
  const isOver = (lines) => velocities(lines).slice(-3).filter(isZero).length === 3;
  await sweeper.until("three zeros", isOver, { since });
  await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
  const commands = between(velocities(sweeper.lines), since);
  const firstZero = commands.findIndex(isZero);
  // What went out before the end was told may come first.
  const from = commands.findLastIndex(isMotion) + 1;
  assert.equal(firstZero, from, "a motion after the first zero");
  assert.ok(commands.length - from >= 3);
  const after = commands[from].t - told;
  assert.ok(after <= TOLD_WITHIN, `the first zero came after ${after.toFixed(0)} ms`);
  return commands[from].t;
}

/** Nothing but zeros, if anything, for so long. */
async function assertStill(sweeper, ms = 400) {
  const since = sweeper.now;
  await sweeper.pass(ms);
  assert.deepEqual(between(velocities(sweeper.lines), since).filter(isMotion), []);
}

/** The system repeats a key that is held. */
function repeat(page, code, key) {
  return page.session.send("Input.dispatchKeyEvent", { type: "rawKeyDown", code, key, autoRepeat: true });
}

// ---- keyboard

scenario("Esc closes the settings, and neither ends nor starts a drive", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.arm();
  await page.tap("settings");
  await page.id("disconnect").waitFor();
  await page.page.keyboard.press("Escape");
  await page.id("disconnect").waitFor({ state: "hidden" });
  assert.equal(await page.data("drive", "state"), "ready");
  const finger = await page.drive();
  await page.tap("settings");
  await page.id("disconnect").waitFor();
  await page.page.keyboard.press("Escape");
  await page.id("disconnect").waitFor({ state: "hidden" });
  // With nothing to close it does nothing.
  await page.page.keyboard.press("Escape");
  await sweeper.pass(300);
  assert.equal(await page.data("drive", "state"), "driving");
  await page.touch.up(finger);
  await page.until("drive", { state: "ready" });
  await page.tap("settings");
  await page.id("topics-open").waitFor();
  await page.tap("topics-open");
  await page.id("topics").waitFor();
  await page.page.keyboard.press("Escape");
  await page.id("topics").waitFor({ state: "hidden" });
  assert.equal(await page.data("drive", "state"), "ready");
});

scenario("a tap counts right after one beside a held finger, on the same key", async (stage) => {
  const page = await stage.open({ query: { demo: "1" } });
  await page.online();
  const isFollowed = () => page.id("follow").getAttribute("aria-checked");
  assert.equal(await isFollowed(), "true");
  const { x, y } = await page.middle("follow");
  const thumb = await page.press("stick");
  // Beside a held finger the page makes the click, from then on the browser does.
  await page.touch.tap(x, y);
  await page.touch.up(thumb);
  await page.touch.tap(x, y);
  await page.touch.tap(x, y);
  assert.equal(await isFollowed(), "false");
});

scenario("held keys drive, letters and arrows alike, and the last key let go stops", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  const { keyboard } = page.page;
  await page.online();
  await keyboard.down("w");
  await assertStill(sweeper);
  await page.arm();
  // Down since before the drive was switched on: it is not believed.
  await repeat(page, "KeyW", "w");
  await assertStill(sweeper);
  await keyboard.up("w");

  for (const [forwardKey, leftKey] of [["w", "a"], ["ArrowUp", "ArrowLeft"]]) {
    await page.seenStanding();
    let since = sweeper.now;
    await keyboard.down(forwardKey);
    await page.until("drive", { state: "driving" });
    await untilMotion(sweeper, since, ({ linear, angular }) => linear > 0.1 && angular === 0);
    await keyboard.down(leftKey);
    await untilMotion(sweeper, since, ({ angular }) => angular > 0.02);
    await keyboard.up(leftKey);
    await page.until("drive", { state: "driving" });
    since = sweeper.now;
    await keyboard.up(forwardKey);
    const [first] = [await assertStopped(sweeper, since)];
    stage.say(`${forwardKey}: first zero ${(first - since).toFixed(0)} ms after the key was let go`);
    await page.until("drive", { state: "ready" });
  }
  // Opposite keys cancel: a press, but no motion.
  await page.seenStanding();
  await keyboard.down("a");
  await page.until("drive", { state: "driving" });
  await keyboard.down("d");
  await assertStill(sweeper);
  await keyboard.up("a");
  await keyboard.up("d");
  // A command for the browser is none for the vehicle.
  await keyboard.down("Alt");
  await keyboard.down("w");
  await assertStill(sweeper);
  await keyboard.up("w");
  await keyboard.up("Alt");
});

scenario("a key-up that is lost with the focus does not matter", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  const { keyboard } = page.page;
  await page.arm();
  let since = sweeper.now;
  await keyboard.down("w");
  await untilMotion(sweeper, since);
  since = sweeper.now;
  await page.setInFront(false);
  await page.until("drive", { state: "blocked", reason: "blur" });
  await assertStopped(sweeper, since, sweeper.now);
  await page.setInFront(true);
  await page.until("drive", { state: "ready" });
  // It is still held, or its end was told to the other window: nothing moves.
  for (let times = 0; times < 10; times += 1) await repeat(page, "KeyW", "w");
  await assertStill(sweeper);
  await keyboard.up("w");
  since = sweeper.now;
  await keyboard.down("w");
  await untilMotion(sweeper, since);
  since = sweeper.now;
  await keyboard.up("w");
  await assertStopped(sweeper, since);
});

scenario("the space bar is STOP in every state, and a blank in a text field", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  const { keyboard } = page.page;
  await page.arm();
  const since = sweeper.now;
  await keyboard.down("w");
  await untilMotion(sweeper, since);
  // A button has the focus: the key is STOP all the same, and does not press it.
  await page.id("drive-arm").focus();
  const at = sweeper.now;
  await keyboard.down(" ");
  await page.until("stop", { latched: "true", delivery: "published" });
  await assertStopped(sweeper, at);
  await keyboard.up(" ");
  await page.until("drive", { state: "stopped" });
  await assertStill(sweeper);
  await keyboard.up("w");
  await page.tap("stop-reset");
  await page.until("stop", { latched: "false" });
  await page.until("drive", { state: "disarmed" });

  await page.tap("settings");
  await page.id("bridge-url").focus();
  await keyboard.press(" ");
  await keyboard.type("wasd");
  assert.match(await page.id("bridge-url").inputValue(), / wasd$/);
  assert.equal(await page.data("stop", "latched"), "false");
});

scenario("a key that was changed in the settings drives, also after a reload", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  const { keyboard } = page.page;
  await page.online();
  await page.tap("settings");
  assert.match(await page.text("key-forward"), /W ↑/);
  await page.id("key-forward-change").scrollIntoViewIfNeeded();
  await page.tap("key-forward-change");
  await keyboard.press("i");
  await page.untilText("key-forward", /I ↑/);
  await page.page.reload();
  await page.arm();
  await keyboard.down("w");
  await assertStill(sweeper);
  await keyboard.up("w");
  let since = sweeper.now;
  await keyboard.down("i");
  await untilMotion(sweeper, since);
  since = sweeper.now;
  await keyboard.up("i");
  await assertStopped(sweeper, since);
});

scenario("a setting that is changed under a held key ends the press", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  const { keyboard } = page.page;
  await page.arm();
  await page.tap("settings");
  await page.id("pads-two").scrollIntoViewIfNeeded();
  let since = sweeper.now;
  await keyboard.down("w");
  await untilMotion(sweeper, since);
  since = sweeper.now;
  await page.tap("pads-two");
  await page.until("drive", { state: "blocked", reason: "settings-changed" });
  await assertStopped(sweeper, since);
  await repeat(page, "KeyW", "w");
  await assertStill(sweeper);
  await keyboard.up("w");
  await page.until("drive", { state: "ready" });
});

scenario("what holds the stick has it until it lets go, and nothing else takes over", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  const { keyboard } = page.page;
  await page.arm();
  let since = sweeper.now;
  const finger = await page.drive({ forward: 0.5 });
  await untilMotion(sweeper, since);
  since = sweeper.now;
  await keyboard.down("s");
  await keyboard.down("a");
  await sweeper.pass(300);
  const commands = between(velocities(sweeper.lines), since);
  assert.ok(commands.length > 3);
  assert.ok(commands.every(({ linear, angular }) => linear > 0 && angular === 0));
  since = sweeper.now;
  await page.touch.up(finger);
  await assertStopped(sweeper, since);
  // The keys that are still down began while the finger had the stick.
  await keyboard.up("a");
  await assertStill(sweeper);
  await keyboard.up("s");

  since = sweeper.now;
  await keyboard.down("w");
  await untilMotion(sweeper, since);
  const late = await page.pressStick({ forward: -0.8 });
  since = sweeper.now;
  await keyboard.up("w");
  await assertStopped(sweeper, since);
  await assertStill(sweeper);
  await page.touch.up(late);
});

// ---- gamepad

/**
 * Runs in the page before anything of it: gamepads that a test can hold. A headless browser has
 * none that could be plugged in.
 */
function giveGamepads() {
  const pads = [null, null, null, null];
  Object.defineProperty(navigator, "getGamepads", { value: () => [...pads] });
  window.__gamepad = {
    plug(axes, down) {
      const buttons = Array.from({ length: 17 }, (_, i) => ({ pressed: down.includes(i), touched: false, value: 0 }));
      const isNew = !pads[0];
      pads[0] = { id: "Test Pad (Vendor: 0001)", index: 0, connected: true, mapping: "standard", axes, buttons };
      if (isNew) window.dispatchEvent(new Event("gamepadconnected"));
    },
    unplug() {
      pads[0] = null;
      window.dispatchEvent(new Event("gamepaddisconnected"));
    },
  };
}

async function withGamepad(stage, sweeper) {
  const page = await stage.open({ vehicle: sweeper, before: ({ page }) => page.addInitScript(giveGamepads) });
  const hold = (axes, ...down) => page.page.evaluate(([axes, down]) => window.__gamepad.plug(axes, down), [axes, down]);
  const unplug = () => page.page.evaluate(() => window.__gamepad.unplug());
  return { page, hold, unplug };
}

const REST = [0, 0, 0, 0];
const RIGHT_SHOULDER = 5;

scenario("a gamepad drives only while its enable button is held", async (stage) => {
  const sweeper = await stage.vehicle();
  const { page, hold } = await withGamepad(stage, sweeper);
  await page.arm();
  await hold([0, -1, 0, 0]);
  await assertStill(sweeper);
  // The button goes down while the stick is pushed: refused until neutral.
  await hold([0, -1, 0, 0], RIGHT_SHOULDER);
  await page.until("drive", { state: "blocked", reason: "outside-hub" });
  await assertStill(sweeper);
  await hold(REST);
  await page.until("drive", { state: "ready" });

  let since = sweeper.now;
  await hold(REST, RIGHT_SHOULDER);
  await page.until("drive", { state: "driving" });
  await hold([-0.5, -0.8, 0, 0], RIGHT_SHOULDER);
  await untilMotion(sweeper, since, ({ linear, angular }) => linear > 0.1 && angular > 0);
  since = sweeper.now;
  await hold([-0.5, -0.8, 0, 0]);
  const first = await assertStopped(sweeper, since);
  stage.say(`first zero ${(first - since).toFixed(0)} ms after the button was let go`);
  await page.until("drive", { state: "ready" });
});

scenario("a gamepad that goes away while held stops the vehicle until neutral is seen", async (stage) => {
  const sweeper = await stage.vehicle();
  const { page, hold, unplug } = await withGamepad(stage, sweeper);
  await page.arm();
  await hold(REST);
  let since = sweeper.now;
  await hold(REST, RIGHT_SHOULDER);
  await page.until("drive", { state: "driving" });
  await hold([0, -0.8, 0, 0], RIGHT_SHOULDER);
  await untilMotion(sweeper, since);
  since = sweeper.now;
  await unplug();
  await page.until("drive", { state: "blocked", reason: "device-lost" });
  await page.untilText("banner", /gamepad was lost/);
  await assertStopped(sweeper, since);
  // It comes back with everything still held.
  await hold([0, -0.8, 0, 0], RIGHT_SHOULDER);
  await assertStill(sweeper);
  await page.until("drive", { state: "blocked" });
  await hold(REST);
  await page.until("drive", { state: "ready" });
  since = sweeper.now;
  await hold(REST, RIGHT_SHOULDER);
  await page.until("drive", { state: "driving" });
  await hold([0, -0.8, 0, 0], RIGHT_SHOULDER);
  await untilMotion(sweeper, since);
  since = sweeper.now;
  await hold(REST);
  await assertStopped(sweeper, since);
});

scenario("a calibrated gamepad has its own button, stick, centre and ends", async (stage) => {
  const sweeper = await stage.vehicle();
  const { page, hold } = await withGamepad(stage, sweeper);
  await page.online();
  await page.tap("settings");
  await page.untilText("gamepad", /None seen/);
  const centre = [0, 0, 0.1, -0.1];
  await hold(centre);
  await page.untilText("gamepad", /Test Pad .*right shoulder/);
  await page.id("gamepad-change").scrollIntoViewIfNeeded();
  await page.tap("gamepad-change");
  await page.untilText("gamepad", /press the button/);
  await hold(centre, 7);
  await page.untilText("gamepad", /all its ends/);
  await hold(centre);
  await page.page.waitForTimeout(50);
  for (const [x, y] of [[0.1, -0.9], [0.1, 0.6], [-0.7, -0.1], [0.8, -0.1]]) {
    await hold([0, 0, x, y]);
    // Longer than the console takes to look again.
    await page.page.waitForTimeout(50);
  }
  await hold(centre, 7);
  await page.untilText("gamepad", /Test Pad .*button 7/);
  await hold(centre);
  await page.tap("settings-close");

  await page.arm();
  const since = sweeper.now;
  await hold(centre, 7);
  await page.until("drive", { state: "driving" });
  await assertStill(sweeper);
  await hold([0, 0, 0.1, -0.9], 7);
  await untilMotion(sweeper, since, ({ linear, angular }) => linear > 0.29 && angular === 0);
  const at = sweeper.now;
  await hold(centre);
  await assertStopped(sweeper, at);
});

// ---- two pads

scenario("two pads drive with both thumbs down, and lifting either stops", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await page.tapSetting("pads-two");
  await page.arm();
  for (const first of ["stick", "stick-2"]) {
    await page.seenStanding();
    let since = sweeper.now;
    const [left, right] = [await page.middle("stick"), await page.middle("stick-2")];
    const speed = await page.touch.down(left.x, left.y);
    await assertStill(sweeper, 200);
    const steering = await page.touch.down(right.x, right.y);
    await page.until("drive", { state: "driving" });
    // Sideways on the one and up on the other say nothing.
    await page.touch.move(speed, left.x + 40, left.y - 95);
    await page.touch.move(steering, right.x - 60, right.y - 60);
    await untilMotion(sweeper, since, ({ linear, angular }) => linear > 0.1 && angular > 0.02);
    since = sweeper.now;
    const [lifted, other] = first === "stick" ? [speed, steering] : [steering, speed];
    await page.touch.up(lifted);
    const zero = await assertStopped(sweeper, since);
    stage.say(`${first} lifted: first zero after ${(zero - since).toFixed(0)} ms`);
    // The other thumb is still there: putting the first one back drives nothing.
    const back = first === "stick" ? left : right;
    const again = await page.touch.down(back.x, back.y);
    await page.touch.move(other, left.x, left.y - 60);
    await assertStill(sweeper);
    await page.touch.up(again);
    await page.touch.up(other);
    await page.until("drive", { state: "ready" });
  }
});

scenario("a change of the layout under two thumbs ends the press", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await page.tapSetting("pads-two");
  await page.arm();
  await page.tap("settings");
  await page.id("pads-one").scrollIntoViewIfNeeded();
  let since = sweeper.now;
  const [left, right] = [await page.middle("stick"), await page.middle("stick-2")];
  const speed = await page.touch.down(left.x, left.y);
  const steering = await page.touch.down(right.x, right.y);
  await page.until("drive", { state: "driving" });
  await page.touch.move(speed, left.x, left.y - 80);
  await untilMotion(sweeper, since);
  since = sweeper.now;
  await page.tap("pads-one");
  await page.until("drive", { state: ["blocked", "ready"] });
  await assertStopped(sweeper, since);
  await until("one pad", async () => (await page.id("stick-2").count()) === 0);
  await page.touch.move(speed, left.x, left.y - 60);
  await assertStill(sweeper);
  await page.touch.up(speed);
  await page.touch.up(steering);
  await page.until("drive", { state: "ready" });
});
