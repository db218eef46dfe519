// Driving by the stick (motion rules 1 to 4, 8 and 9), judged by the vehicle's own log.

import assert from "node:assert/strict";
import { scenario } from "./lib/stage.mjs";
import {
  CMD_VEL,
  MC_CTRL,
  between,
  isMotion,
  isZero,
  longestGap,
  median,
  metersBetween,
  published,
  rate,
  truths,
  turnBetween,
  velocities,
} from "./lib/log.mjs";

/** Without a stop check the console drives no faster, m/s (rule 8). */
const UNVERIFIED_MAX = 0.3;
/** The profile's default limits: rad/s, m/s². */
const MAX_ANGULAR = 0.8;
const ACCELERATION = 0.5;

/** How much the last digits of a sum of small steps may differ. */
const ROUNDING = 1e-6;

scenario("loading and arming publish no command", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.arm();
  await sweeper.pass(600);
  assert.deepEqual(published(sweeper.lines, CMD_VEL), []);
  assert.deepEqual(published(sweeper.lines, MC_CTRL), []);
});

scenario("a still finger drives at 20 Hz, within the limits, along the heading", async (stage) => {
  const sweeper = await stage.vehicle({ args: ["--heading", "60"] });
  const page = await stage.open({ vehicle: sweeper });
  await page.arm();
  const from = await page.place("vehicle-marker");
  const pressed = sweeper.now;
  const finger = await page.drive({ forward: 1.02 });
  const isFast = (lines) => velocities(lines).find(({ linear }) => linear > UNVERIFIED_MAX - 0.01);
  const fast = await sweeper.until("the ramp's end", isFast, { since: pressed });
  // Nothing touches the screen from here on: what moves the vehicle is the finger that rests.
  await sweeper.clockPast(fast.t + 3000);
  const during = await page.place("vehicle-marker");
  const end = sweeper.now;
  await page.touch.up(finger);

  const commands = between(velocities(sweeper.lines), pressed, end);
  assert.ok(commands.every(({ outcome }) => outcome === "published"));
  const steady = between(commands, fast.t);
  stage.say(`rate ${rate(steady).toFixed(2)} Hz, longest gap ${longestGap(commands).toFixed(0)} ms`);
  assert.ok(Math.abs(rate(steady) - 20) <= 2, `${rate(steady)} Hz`);
  for (const { linear, angular } of commands) {
    assert.ok(linear >= 0 && linear <= UNVERIFIED_MAX + ROUNDING, `${linear} m/s`);
    assert.ok(Math.abs(angular) <= MAX_ANGULAR + ROUNDING, `${angular} rad/s`);
  }
  for (const { linear } of steady) assert.ok(linear > UNVERIFIED_MAX - 0.02, `${linear} m/s`);
  for (let i = 1; i < commands.length; i += 1) {
    const step = commands[i].linear - commands[i - 1].linear;
    // A command that was sent late may make up for the time that really passed, and no more.
    const passed = Math.max(commands[i].t - commands[i - 1].t, 50) / 1000 + 0.05;
    assert.ok(step <= ACCELERATION * passed, `${step} m/s in one step`);
  }

  const moved = metersBetween(from, during);
  const distance = Math.hypot(moved.north, moved.east);
  const bearing = (Math.atan2(moved.east, moved.north) * 180) / Math.PI;
  assert.ok(distance > 0.6 && distance < 1.6, `the marker moved ${distance} m`);
  assert.ok(Math.abs(turnBetween(bearing, from.heading)) < 10, `it moved towards ${bearing}°`);
  assert.ok(Math.abs(turnBetween(60, from.heading)) < 3, `the marker's heading is ${from.heading}°`);
});

scenario("a lifted finger sends zeros at once, then nothing, and the vehicle stands", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.arm();
  await sweeper.measureClock();
  const pressedAt = [];
  for (let press = 0; press < 6; press += 1) {
    const start = sweeper.now;
    pressedAt.push(start);
    const finger = await page.drive({ forward: 1.02 });
    await sweeper.until("motion", (lines) => velocities(lines).some(isMotion), { since: start });
    await page.touch.up(finger);
    await page.until("drive", { state: "ready" });
    await sweeper.until("the zeros", (lines) => velocities(lines).filter(isZero).length >= 3, { since: start });
    await sweeper.pass(500);
  }
  const lifts = (await page.lifts("stick")).map((wall) => sweeper.clockAt(wall));
  assert.equal(lifts.length, pressedAt.length);
  const delays = lifts.map((lift, i) => {
    const until = pressedAt[i + 1] ?? Infinity;
    const commands = between(velocities(sweeper.lines), pressedAt[i], until);
    const lastMotion = commands.findLast(isMotion);
    const zeros = commands.filter((command) => isZero(command) && command.t > lastMotion.t);
    assert.ok(zeros.length >= 3, `${zeros.length} zeros`);
    assert.ok(zeros[2].t - lift <= 300, `the third zero came after ${zeros[2].t - lift} ms`);
    const silentFrom = zeros.at(-1).t;
    assert.ok(silentFrom - lift <= 500, `zeros were sent for ${silentFrom - lift} ms`);
    return zeros[0].t - lift;
  });
  const worst = Math.max(...delays);
  stage.say(`lift to zero: median ${median(delays).toFixed(1)} ms, worst ${worst.toFixed(1)} ms`);
  assert.ok(median(delays) <= 50, `median ${median(delays)} ms`);

  await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
});

scenario("the stick to the left turns the vehicle to the left, and back it goes backwards", async (stage) => {
  const sweeper = await stage.vehicle({ args: ["--heading", "90"] });
  const page = await stage.open({ vehicle: sweeper });
  await page.arm();
  const start = sweeper.now;
  const finger = await page.drive({ forward: 0.7, left: 0.6 });
  const turned = () => turnBetween(90, sweeper.truth.heading) < -5;
  await sweeper.until("a turn to the left", turned);
  const forward = between(velocities(sweeper.lines), start).filter(isMotion);
  assert.ok(forward.every(({ linear, angular }) => linear > 0 && angular >= 0));
  assert.ok(await page.number("velocity", "angular") > 0);
  await page.touch.up(finger);
  await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
  await page.seenStanding();

  const backwards = sweeper.now;
  const second = await page.drive({ forward: -0.9 });
  await sweeper.until("reverse", () => sweeper.truth.v < -0.1);
  const commands = between(velocities(sweeper.lines), backwards).filter(isMotion);
  assert.ok(commands.every(({ linear }) => linear < 0 && linear >= -0.3 - ROUNDING));
  assert.ok((await page.number("velocity", "linear")) < 0);
  await page.touch.up(second);
  await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
});

scenario("a press that begins outside the hub drives nothing", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.arm();
  const edge = await page.padPoint({ forward: 0.8 });
  const finger = await page.touch.down(edge.x, edge.y);
  await page.until("drive", { reason: "outside-hub" });
  await page.untilText("banner", /inner circle/);
  await sweeper.pass(300);
  await page.touch.up(finger);
  assert.deepEqual(velocities(sweeper.lines).filter(isMotion), []);
});

scenario("a finger that the browser takes away stops the vehicle", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.arm();
  const start = sweeper.now;
  await page.drive();
  await sweeper.until("motion", (lines) => velocities(lines).some(isMotion), { since: start });
  await page.touch.cancel();
  await page.until("drive", { state: "ready" });
  const zeros = await sweeper.until(
    "three zeros after the motion",
    (lines) => {
      const commands = velocities(lines);
      const after = commands.slice(commands.findLastIndex(isMotion) + 1);
      return after.length >= 3 && after;
    },
    { since: start },
  );
  assert.ok(zeros[2].t - zeros[0].t <= 300);
  await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
});

scenario("the speed limit holds under a finger that is already down", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.arm();
  const limit = page.id("speed-limit");
  assert.equal(await limit.inputValue(), "100");
  const finger = await page.drive({ forward: 1.02 });
  const isFast = () => sweeper.truth.v > 0.25;
  await sweeper.until("full speed", isFast);
  for (let step = 0; step < 8; step += 1) await page.tap("speed-limit-less");
  const lowered = sweeper.now;
  // 20 % of max_linear 0.5 m/s.
  const isSlow = (lines) => velocities(lines).some(({ linear }) => linear <= 0.1 + ROUNDING);
  await sweeper.until("the lower limit", isSlow, { since: lowered });
  await sweeper.pass(500);
  await page.until("drive", { state: "driving" });
  await page.touch.up(finger);
  assert.equal(await limit.inputValue(), "20");
  assert.ok(truths(sweeper.since(lowered)).at(-1).v < 0.15);
});

scenario("a vehicle that takes stamped velocities is given stamps", async (stage) => {
  const sweeper = await stage.vehicle({ args: ["--stamped"] });
  const page = await stage.open({ vehicle: sweeper });
  await page.arm();
  const finger = await page.drive();
  await sweeper.until("motion", () => sweeper.truth.v > 0.1);
  await page.touch.up(finger);
  await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
  const stamps = published(sweeper.lines, CMD_VEL).map(({ msg }) => msg.header.stamp.sec);
  assert.ok(stamps.every((sec) => Math.abs(sec - Date.now() / 1000) < 60), String(stamps[0]));
});
