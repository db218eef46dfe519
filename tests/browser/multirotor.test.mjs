// A multirotor: two pads, motors by a held act, and ends of every motion that leave it hanging in
// place with its motors on.

import assert from "node:assert/strict";
import { scenario } from "./lib/stage.mjs";
import { until } from "./lib/wait.mjs";

const PROFILE = { vehicle: { kind: "multirotor", name: "Kite" } };

/** Where it is and how it moves, by the newest truth. */
const flight = (kite) => kite.lines.findLast((line) => line.kind === "flight");

/** Commands on a topic, by the log. */
const published = (kite, topic, since = 0) =>
  kite.since(since).filter((line) => line.op === "publish" && line.topic === topic && line.outcome === "published");

const motion = ({ msg }) => [msg.linear.x, msg.linear.y, msg.linear.z, msg.angular.z];
const isZero = (line) => motion(line).every((value) => value === 0);
const motorsCalls = (kite) => kite.lines.filter((line) => line.op === "call_service" && JSON.stringify(line).includes("motors"));

async function fly(stage, profile = PROFILE) {
  const kite = await stage.vehicle({ args: ["--kind", "multirotor"] });
  const server = await stage.serve();
  server.overrides["config.json"] = { body: JSON.stringify(profile) };
  const page = await stage.open({ vehicle: kite, at: server.url });
  await page.online();
  await page.until("rtk", { state: "live" });
  // Its program is not loaded while anything is armed.
  await page.id("altitude").waitFor();
  await until("the console to be armed", async () => {
    if ((await page.data("drive", "state")) === "disarmed") await page.tap("drive-arm");
    return (await page.data("drive", "state")) === "ready";
  });
  return { kite, page };
}

/** A thumb comes down in the hub of a pad. */
async function thumb(page, pad) {
  const { x, y } = await page.middle(pad);
  const finger = await page.touch.down(x, y);
  const { width } = await page.box(pad);
  const to = ({ up = 0, left = 0 }) => page.touch.move(finger, x - (left * width) / 2, y - (up * width) / 2, 4);
  return { to, lift: () => page.touch.up(finger) };
}

async function startMotors(page, kite) {
  await page.untilText("confirm", /Hold to start motors/);
  // A busy machine may begin the second that it must be held anew.
  const finger = await page.press("confirm");
  await kite.until("the motors to run", () => flight(kite)?.motors);
  await page.touch.up(finger);
  await page.until("motors", { state: "on", landed: "true" });
}

/** Climbs with the left pad; a busy machine may stop a press, which is then made anew. */
async function takeOff(page, kite) {
  await startMotors(page, kite);
  await until("it to climb", async () => {
    if (flight(kite).z > 1) return true;
    await page.until("drive", { state: "ready", reason: null });
    const left = await thumb(page, "stick");
    await left.to({ up: 1 });
    await until("its height or an end", async () => flight(kite).z > 1 || (await page.data("drive", "state")) !== "driving");
    await left.lift();
    return flight(kite).z > 1;
  });
  await page.until("drive", { state: "ready", reason: null });
}

const holds = async (kite) => {
  await kite.until("it to hang in place", () => {
    const { vx, vy, vz } = flight(kite);
    return Math.hypot(vx, vy, vz) < 0.03;
  });
  const { z } = flight(kite);
  await kite.pass(2000);
  assert.ok(Math.abs(flight(kite).z - z) < 0.1, `from ${z} to ${flight(kite).z} m`);
  assert.ok(flight(kite).motors, "the motors run");
  assert.ok(!flight(kite).landed);
};

scenario("a multirotor is armed, its motors start by a held act, and each pad flies its own axes", async (stage) => {
  const { kite, page } = await fly(stage);
  await kite.pass(1000);
  assert.equal(motorsCalls(kite).length, 0, "arming is not starting the motors");
  await page.until("motors", { state: "off", landed: "true" });
  await page.until("drive", { reason: "motors-off" });
  await takeOff(page, kite);
  assert.equal(motorsCalls(kite).length, 1);
  await page.until("motors", { landed: "false" });
  await until("the altitude", async () => (await page.number("altitude", "value")) > 0.5);
  assert.ok(await page.id("attitude").isVisible());

  const left = await thumb(page, "stick");
  await left.to({ up: 1 });
  await page.until("velocity", { linear: "0.000", up: "0.300" });
  const right = await thumb(page, "stick-2");
  await left.to({});
  await right.to({ up: 1 });
  await page.until("velocity", { linear: "0.300", up: "0.000" });
  await kite.until("it to fly there", () => Math.hypot(flight(kite).vx, flight(kite).vy) > 0.2);
  await right.to({ left: 1 });
  await page.until("velocity", { linear: "0.000", left: "0.300" });
  await left.to({ left: 1 });
  await until("a turn", async () => (await page.number("velocity", "angular")) > 0.4);
  await kite.until("it to turn", () => flight(kite).yaw_rate > 0.3);

  // The first lift ends everything; the other thumb must be lifted too.
  const lifted = kite.now;
  await left.lift();
  await page.until("drive", { state: "ready" });
  await right.to({ up: 1 });
  await kite.pass(700);
  const after = published(kite, "/cmd_vel", lifted);
  const zeros = after.slice(after.findIndex(isZero));
  assert.ok(zeros.length >= 3 && zeros.every(isZero), JSON.stringify(zeros.map(motion)));
  await holds(kite);
  await right.lift();
  assert.equal(motorsCalls(kite).length, 1, "nothing else concerned the motors");
});

scenario("STOP in the air holds the altitude and leaves the motors on", async (stage) => {
  const { kite, page } = await fly(stage);
  await takeOff(page, kite);
  const right = await thumb(page, "stick-2");
  await right.to({ up: 1 });
  await kite.until("it to fly", () => Math.hypot(flight(kite).vx, flight(kite).vy) > 0.2);
  const at = kite.now;
  await page.tap("stop");
  await page.until("drive", { state: "stopped" });
  await holds(kite);
  const after = published(kite, "/cmd_vel", at + 200);
  assert.ok(after.length >= 3 && after.every(isZero));
  assert.equal(motorsCalls(kite).length, 1);
  assert.equal(await page.id("confirm").count(), 0, "no motors to stop in the air");
  await right.lift();
});

scenario("a page that hangs leaves a multirotor hanging in place", async (stage) => {
  const { kite, page } = await fly(stage);
  await takeOff(page, kite);
  const left = await thumb(page, "stick");
  await left.to({ up: 1 });
  await kite.until("it to climb", () => flight(kite).vz > 0.2);
  const at = kite.now;
  await page.page.evaluate(() => {
    const end = performance.now() + 2500;
    while (performance.now() < end);
  });
  const after = published(kite, "/cmd_vel", at);
  const first = after.findIndex(isZero);
  assert.ok(first >= 0 && after[first].t - at < 800, "zeros while it hung");
  await page.until("drive", { state: "blocked", reason: "lease-ended" });
  await holds(kite);
  await left.lift();
});

scenario("by attitude the right pad tilts, and letting go levels and holds the altitude", async (stage) => {
  const { kite, page } = await fly(stage, { ...PROFILE, drive: { via: "cmd_attitude", max_tilt_deg: 12 } });
  await takeOff(page, kite);
  const right = await thumb(page, "stick-2");
  await right.to({ up: 1 });
  await kite.until("its nose to go down", () => flight(kite).pitch > 5);
  assert.ok(flight(kite).pitch < 7.5, "0.3 of 0.5 m/s until the stop check has passed");
  await page.untilText("velocity", /7\.2° forward/);
  const lifted = kite.now;
  await right.lift();
  await page.until("drive", { state: "ready" });
  await kite.pass(600);
  const isLevel = ({ msg }) => msg.orientation.w === 1 && msg.body_rate.z === 0;
  const after = published(kite, "/cmd_attitude", lifted);
  const level = after.slice(after.findIndex(isLevel));
  assert.ok(level.length >= 3 && level.every(isLevel));
  await holds(kite);
  assert.ok(Math.abs(flight(kite).pitch) < 1);
});
