// Who may drive, and how fast: taking over from another client (motion rule 26), and the stop
// check that lifts the cap on speed (rules 8 and 28).

import assert from "node:assert/strict";
import { once } from "node:events";
import WebSocket from "ws";
import { scenario } from "./lib/stage.mjs";
import { CMD_VEL, between, isMotion, isZero, longestGap, velocities } from "./lib/log.mjs";

/** Until the stop check, m/s. */
const CAP = 0.3;

/** Holds a button until `isDone`, then lifts the finger. */
async function hold(page, testid, isDone) {
  const finger = await page.press(testid);
  await isDone();
  await page.touch.up(finger);
}

async function beginStopCheck(page) {
  await page.arm();
  await page.seenStanding();
  // The sheet closes by itself: what follows is done on the pad.
  await page.tap("settings");
  await page.id("stop-check-begin").scrollIntoViewIfNeeded();
  await page.tap("stop-check-begin");
  await hold(page, "stop-check", () => page.untilText("banner", /Stop check 1 of 2/));
}

/** One run with a held finger; the vehicle's clock when the commands had ceased. */
async function run(page, sweeper) {
  const finger = await page.drive({ forward: 0.9, left: 0.1 });
  await page.untilText("banner", /no commands are sent now/);
  const ceased = velocities(sweeper.lines).filter(isMotion).at(-1).t;
  return { finger, ceased };
}

scenario("a stop check that cannot begin says so over the map, and one on offer can be cancelled", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await page.seenStanding();
  await page.untilText("velocity", /no velocity sent/);
  const ask = async () => {
    await page.tap("settings");
    await page.id("stop-check-begin").scrollIntoViewIfNeeded();
    await page.tap("stop-check-begin");
  };
  await ask();
  await page.untilText("banner", /Stop check refused: Drive is off\. Switch Drive on first\./);
  await page.arm();
  await ask();
  await page.untilText("stop-check", /Stop check: hold when 5 m ahead are clear/);
  await page.tap("stop-check-cancel");
  await page.id("stop-check").waitFor({ state: "detached" });
  assert.equal(await page.id("stop-check-cancel").isVisible(), false);
  await page.until("drive", { state: "ready" });
  // What was sent last bears its age.
  await page.touch.up(await page.drive());
  await page.untilText("velocity", /sent 0\.00 m\/s [1-9]\.\d s ago/);
});

scenario("another client drives: nothing until it has let go and a held button takes over", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  const finger = await page.arm().then(() => page.drive());
  const other = new WebSocket(sweeper.url);
  stage.atEnd(() => other.terminate());
  await once(other, "open");
  const say = (message) => other.send(JSON.stringify({ topic: CMD_VEL, ...message }));
  say({ op: "advertise", type: "geometry_msgs/msg/Twist" });
  const zero = { x: 0, y: 0, z: 0 };
  const publish = (x) => say({ op: "publish", msg: { linear: { ...zero, x }, angular: zero } });
  publish(0.2);
  await page.until("drive", { state: "blocked", reason: "foreign-driver" });
  await page.touch.up(finger);
  publish(0);
  other.close();

  await page.id("take-over").waitFor();
  const letGo = sweeper.now;
  await page.touch.up(await page.pressStick({ forward: 0.8 }));
  await sweeper.pass(300);
  assert.deepEqual(between(velocities(sweeper.lines), letGo).filter(isMotion), [], "not before it is taken over");
  await hold(page, "take-over", () => page.until("drive", { state: "ready", reason: null }));
  const second = await page.drive();
  await sweeper.until("motion", () => sweeper.truth.v > 0.05);
  await page.touch.up(second);
});

scenario("a stop check that passes lifts the cap, and is kept through a reload", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await beginStopCheck(page);

  const first = await run(page, sweeper);
  await page.until("drive", { state: "blocked", reason: "stop-check" });
  const afterFirst = between(velocities(sweeper.lines), first.ceased).slice(1);
  assert.ok(longestGap([{ t: first.ceased }, ...afterFirst]) > 500, "the console was silent, the finger held");
  assert.ok(afterFirst.every(isZero), "and then said zero");
  await page.touch.up(first.finger);
  await page.untilText("banner", /Stop check 2 of 2/);

  const second = await run(page, sweeper);
  await page.untilHappened(/Stop check passed/);
  await page.touch.up(second.finger);
  await sweeper.until("zeros on the new connection", () => {
    const after = velocities(sweeper.lines).filter(({ t }) => t > second.ceased);
    return after.length >= 3 && after.every(isZero);
  });
  stage.say(await page.text("events"));

  const faster = async () => {
    const finger = await page.arm().then(() => page.drive());
    await sweeper.until("more speed than the cap", () => velocities(sweeper.lines).at(-1).linear > CAP + 0.05);
    await page.touch.up(finger);
    await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
  };
  await faster();
  await page.page.reload();
  await faster();
});

scenario("a vehicle that does not stop by itself fails the check and is told to stop", async (stage) => {
  const sweeper = await stage.vehicle({ args: ["--cmd-timeout", "off"] });
  const page = await stage.open({ vehicle: sweeper });
  await beginStopCheck(page);
  const { finger, ceased } = await run(page, sweeper);
  await page.untilHappened(/does not stop by itself/);
  const zero = velocities(sweeper.lines).find(({ t }) => t > ceased);
  assert.ok(isZero(zero));
  stage.say(`zero ${(zero.t - ceased).toFixed(0)} ms after the last command`);
  assert.ok(zero.t - ceased < 2500, "1.5 s, and what a busy machine adds");
  await page.touch.up(finger);
  await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
  await page.arm();
  assert.equal(await page.id("drive").getAttribute("data-state"), "ready");
});
