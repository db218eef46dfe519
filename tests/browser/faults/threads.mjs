// What the page's own threads do while a finger drives: they hang, or end.

import { HEARTBEAT, between, isMotion, isZero, published, velocities } from "../lib/log.mjs";
import { driveAtSpeed, driveThroughWire } from "./driving.mjs";
import { stopOf } from "./measures.mjs";

/** Runs in the page or a Worker: does nothing else for so long; answers when it began. */
function hangFor(ms) {
  const from = performance.now();
  while (performance.now() - from < ms);
  return performance.timeOrigin + from;
}

/** The page's main thread hangs; the finger is held, also afterwards. */
export async function hang(stage, { seconds, console }) {
  const { vehicle, page, finger } = await driveThroughWire(stage, { console });
  const from = vehicle.clockAt(await page.page.evaluate(hangFor, seconds * 1000));
  const over = from + seconds * 1000;
  await vehicle.pass(1500);
  const stop = stopOf(vehicle, from);
  const state = await page.driveState();
  await page.touch.up(finger);
  const afterwards = between(velocities(vehicle.lines), over).filter(isMotion).length;
  return { ...stop, whileHung: stop.firstZero !== undefined && stop.firstZero < seconds * 1000, afterwards, state };
}

export const WORKER_FAULTS = {
  ended: () => self.close(),
  hung: hangFor,
};

/** The control Worker ends, or hangs for 3 s; the finger is held. */
export async function workerFault(stage, { how }) {
  const vehicle = await stage.vehicle();
  const page = await stage.open({ vehicle });
  const finger = await driveAtSpeed(page, vehicle);
  const oldClient = published(vehicle.lines, HEARTBEAT).at(-1).client;
  const worker = await page.worker("control");
  const from = vehicle.now;
  // It never answers: it ends from within, or is ended by the page.
  worker.evaluate(WORKER_FAULTS[how], 3000).catch(() => undefined);
  await page.until("drive", { state: "disarmed", reason: "worker-replaced" });
  const isOfNew = ({ client }) => client > oldClient;
  await vehicle.until("the zeros of the new one", (lines) => velocities(lines).filter(isOfNew).length >= 3, {
    since: from,
  });
  await page.untilHappened(/control program was restarted/);
  await page.untilHappened(/zero speed sent on the new one/);
  await page.online();
  await page.moveStick(finger, { forward: 0.6 });
  await vehicle.pass(500);
  const commands = between(velocities(vehicle.lines), from);
  const { motionsAfterZero } = stopOf(vehicle, from);
  await page.touch.up(finger);
  // Nothing but the switch and a new press drives again.
  await page.arm();
  await page.touch.up(await page.drive());
  return {
    firstZero: commands.find(isZero).t - (commands.findLast(isMotion)?.t ?? from),
    motionsAfterZero,
    motionsOfNew: commands.filter(isOfNew).filter(isMotion).length,
    zerosOfNew: commands.filter(isOfNew).filter(isZero).length,
  };
}
