// A multirotor: two pads, motors by a held act, and ends of every motion that leave it hanging in
// place with its motors on.

import assert from "node:assert/strict";
import { armFlight, flight, PROFILE, takeOff, thumb } from "./lib/multirotor.mjs";
import { scenario } from "./lib/stage.mjs";
import { until } from "./lib/wait.mjs";

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
  // Its program is not started under a press.
  await page.id("altitude").waitFor();
  await armFlight(page);
  return { kite, page };
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

scenario("who arms at once has the horizon all the same, and says what is true of the ground", async (stage) => {
  const kite = await stage.vehicle({ args: ["--kind", "multirotor"] });
  const server = await stage.serve();
  server.overrides["config.json"] = { body: JSON.stringify(PROFILE) };
  const page = await stage.open({ vehicle: kite, at: server.url });
  await page.online();
  await armFlight(page);
  await page.id("attitude").waitFor();
  await page.until("drive", { state: "ready" });
  await page.untilText("climb", /^on the ground$/);
  await takeOff(page, kite);
  await page.untilText("climb", /^holds altitude$/);
});

scenario("keys climb and turn with the left hand and fly there by the arrows", async (stage) => {
  const { kite, page } = await fly(stage);
  await takeOff(page, kite);
  const keys = page.page.keyboard;
  await keys.down("KeyW");
  await page.until("velocity", { linear: "0.000", up: "0.300" });
  await keys.up("KeyW");
  await page.until("drive", { state: "ready" });
  await keys.down("ArrowUp");
  await keys.down("KeyA");
  await page.until("velocity", { linear: "0.300", up: "0.000" });
  await until("a turn", async () => (await page.number("velocity", "angular")) > 0.4);
  const lost = kite.now;
  await page.page.evaluate(() => window.dispatchEvent(new Event("blur")));
  await page.until("drive", { state: "blocked" });
  await holds(kite);
  const after = published(kite, "/cmd_vel", lost);
  assert.ok(after.slice(after.findIndex(isZero)).every(isZero));
  for (const key of ["ArrowUp", "KeyA"]) await keys.up(key);
});

scenario("a refused call of the motors is said in the vehicle's own words over its key", async (stage) => {
  const { kite, page } = await fly(stage);
  await page.id("confirm").waitFor();
  const answer = { success: false, message: "the battery is too low to take off" };
  kite.say(`raw ${JSON.stringify({ op: "service_response", id: "/motors", values: answer, result: true })}`);
  await page.untilText("banner", /^The vehicle refuses: the battery is too low to take off\.$/);
  await page.id("confirm").waitFor();
  const [banner, key] = [await page.box("banner"), await page.box("confirm")];
  assert.ok(key.y - (banner.y + banner.height) < 24, "right under it");
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
