// A finger that rests: as a real one does, and as a dropped tablet would.

import { between, isMotion, isZero, velocities } from "../lib/log.mjs";
import { seeded } from "../lib/random.mjs";
import { until } from "../lib/wait.mjs";
import { driveAtSpeed, sleep } from "./driving.mjs";
import { gaps, percentile, stopOf } from "./measures.mjs";

/** A finger drives for so long and trembles by a pixel, 25 times a second. */
export async function trembling(stage, { seconds, seed = 1 }) {
  const random = seeded(seed);
  const vehicle = await stage.vehicle();
  const page = await stage.open({ vehicle });
  const finger = await driveAtSpeed(page, vehicle);
  const { x, y } = await page.padPoint({ forward: 1.02 });
  const from = vehicle.now;
  const pixel = () => Math.round(random() * 2 - 1);
  while (vehicle.now < from + seconds * 1000) {
    await page.touch.move(finger, x + pixel(), y + pixel());
    await sleep(40);
  }
  const end = vehicle.now;
  const state = await page.driveState();
  await page.touch.up(finger);
  const commands = between(velocities(vehicle.lines), from, end);
  const pauses = gaps(commands);
  return { p99: percentile(pauses, 0.99), longest: pauses.at(-1), zeros: commands.filter(isZero).length, state };
}

/** A contact that stays the same bit for bit: when is it warned of, when stopped? Seconds. */
export async function unchanging(stage, { at, query } = {}) {
  const vehicle = await stage.vehicle();
  const page = await stage.open({ vehicle, at, query });
  await page.arm();
  const pressed = vehicle.now;
  const finger = await page.drive();
  const moved = vehicle.now;
  await until("the warning", async () => /move the finger/i.test(await page.text("banner")), { timeout: 30_000 });
  const warned = vehicle.now;
  await page.until("drive", { state: "blocked", reason: "vigilance" }, { timeout: 30_000 });
  await vehicle.pass(1000);
  const { firstZero, ...stop } = stopOf(vehicle, moved);
  const drove = between(velocities(vehicle.lines), pressed).filter(isMotion).length;
  await page.touch.up(finger);
  return {
    warnedAfter: (warned - moved) / 1000,
    stoppedAfter: firstZero / 1000,
    drove,
    ...stop,
  };
}
