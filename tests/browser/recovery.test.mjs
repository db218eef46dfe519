// Losses in motion (motion rules 9 to 13): the server, the telemetry Worker. The others: faults.test.mjs.

import assert from "node:assert/strict";
import { scenario } from "./lib/stage.mjs";
import { until } from "./lib/wait.mjs";
import { between, events, isMotion, isZero, velocities } from "./lib/log.mjs";
import { driveAtSpeed } from "./faults/driving.mjs";

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

scenario("a telemetry Worker that ends is replaced, and the drive goes on", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  const finger = await driveAtSpeed(page, sweeper);
  const at = sweeper.now;
  const telemetry = await page.worker("telemetry");
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
