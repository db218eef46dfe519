// What the network does while a finger drives: it stalls, is cut, forgets, is slow.

import { between, isMotion, isZero, longestGap, velocities } from "../lib/log.mjs";
import { until, wallClock } from "../lib/wait.mjs";
import { driveThroughWire, sleep } from "./driving.mjs";
import { journeys, lateMotions, runsOfMotion, stopIn, wayBetween, zerosAfterLate } from "./measures.mjs";

/** How long is looked on afterwards, and how much of its end must be silent, ms. */
const AFTERWARDS = 2500;
const SILENCE = 1000;

/**
 * The link is held with the sockets open, in one direction or `both`, and let go; the finger is
 * `held` all the time or `lifted` after a third of it.
 */
export async function stall(stage, { seconds, direction = "both", finger: how = "held", console }) {
  const { vehicle, wire, page, finger } = await driveThroughWire(stage, { console });
  const connections = wire.connections;
  const from = vehicle.clockAt(wallClock());
  wire.hold(direction);
  const over = wallClock() + seconds * 1000;
  if (how === "lifted") {
    await sleep((seconds * 1000) / 3);
    await page.touch.up(finger);
  }
  await sleep(over - wallClock());
  const letGo = vehicle.clockAt(wallClock());
  wire.letGo(direction);
  const outcome = await watchRecovery({ vehicle, wire, page, from, letGo });
  if (how === "held") await page.touch.up(finger);
  return { ...outcome, isNewSocket: wire.connections > connections };
}

/** Every connection is reset; new ones work at once. The finger is held. */
export async function cut(stage, { console } = {}) {
  const { vehicle, wire, page, finger } = await driveThroughWire(stage, { console });
  page.expected.push(/WebSocket connection to/);
  const from = vehicle.clockAt(wallClock());
  wire.cut();
  const outcome = await watchRecovery({ vehicle, wire, page, from, letGo: from });
  await page.touch.up(finger);
  return outcome;
}

/** The network forgets every connection and tells nobody; new ones work. The finger is held. */
export async function forget(stage, { console } = {}) {
  const { vehicle, wire, page, finger } = await driveThroughWire(stage, { console });
  page.expected.push(/WebSocket connection to/);
  const connections = wire.connections;
  const from = vehicle.clockAt(wallClock());
  wire.forget();
  await until("a new connection", () => wire.connections > connections);
  const outcome = await watchRecovery({ vehicle, wire, page, from, letGo: from });
  await page.touch.up(finger);
  return outcome;
}

/** What comes once the link may work again at `letGo`, all on the vehicle's clock. */
async function watchRecovery({ vehicle, wire, page, from, letGo }) {
  await page.linked();
  await vehicle.pass(AFTERWARDS);
  const end = vehicle.now;
  const commands = journeys(wire, vehicle).filter(({ arrived }) => arrived >= from);
  const late = lateMotions(commands);
  const sentAfter = commands.filter((command) => isMotion(command) && command.sent > letGo);
  return {
    late: late.length,
    latest: Math.max(0, ...late.map(({ sent, arrived }) => arrived - sent)),
    zerosAfterLate: zerosAfterLate(commands),
    motionsAfterZero: stopIn(commands, from).motionsAfterZero,
    motionsSentAfter: sentAfter.length,
    zeroAfter: stopIn(commands, letGo).firstZero,
    isSilent: between(velocities(vehicle.lines), end - SILENCE).length === 0,
    wentOn: wayBetween(vehicle, letGo),
    state: await page.driveState(),
  };
}

/**
 * A press over a link with this weather (see [`Road.weather`]): is the drive refused, or does it
 * drive, and how steadily? The press waits up to `patience` ms for a link that is shown as well.
 */
export async function weather(stage, { weather, seconds, seed = 1, patience = 2500 }) {
  const vehicle = await stage.vehicle();
  const wire = await stage.wire(vehicle, { seed });
  wire.weather(weather);
  const page = await stage.open({ vehicle: wire });
  await vehicle.measureClock();
  const outcome = { linkStates: await watchLink(page, patience) };
  const armed = await tryToArm(page);
  if (armed !== true) return { ...outcome, refused: armed };
  const from = vehicle.now;
  const finger = await page.pressStick({ forward: 1.02 });
  const started = await until("the press to be taken or refused", async () => {
    const { state, reason } = await page.driveState();
    return ["driving", "blocked", "disarmed"].includes(state) && { state, reason };
  });
  if (started.state !== "driving") {
    await page.touch.up(finger);
    await vehicle.pass(500);
    const motions = between(velocities(vehicle.lines), from).filter(isMotion).length;
    return { ...outcome, refused: started.reason, motions };
  }
  await Promise.race([
    sleep(seconds * 1000),
    until("the drive to stop by itself", async () => (await page.driveState()).state !== "driving", {
      timeout: seconds * 1000 + 5000,
    }).catch(() => undefined),
  ]);
  const state = await page.driveState();
  const end = vehicle.now;
  if (state.state !== "driving") await vehicle.pass(2000);
  const commands = between(velocities(vehicle.lines), from, state.state === "driving" ? end : Infinity);
  const firstMotion = commands.findIndex(isMotion);
  const pressed = commands.slice(firstMotion);
  await page.touch.up(finger);
  await vehicle.pass(500);
  return {
    ...outcome,
    stopped: state.state === "driving" ? undefined : (state.reason ?? state.state),
    drove: ((pressed.findLast(isMotion)?.t ?? 0) - (pressed.find(isMotion)?.t ?? 0)) / 1000,
    runs: runsOfMotion(pressed),
    longestGap: longestGap(pressed.filter(isMotion)),
    latest: Math.max(...journeys(wire, vehicle).filter(isMotion).map(({ sent, arrived }) => arrived - sent)),
    late: lateMotions(journeys(wire, vehicle)).length,
    endsInZero: isZero(velocities(vehicle.lines).at(-1)),
  };
}

/** The states that the link shows, in their order: for so long, or until it was well for a second. */
async function watchLink(page, ms) {
  await page.until("link", { state: ["online", "slow", "stalled", "lost"] });
  const states = [];
  const over = performance.now() + ms;
  let wellSince = Infinity;
  while (performance.now() < over && performance.now() < wellSince + 1000) {
    const state = await page.data("link", "state");
    if (state !== states.at(-1)) states.push(state);
    if (state !== "online") wellSince = Infinity;
    else wellSince = Math.min(wellSince, performance.now());
    await sleep(20);
  }
  return states;
}

/** True, or what is said instead. */
async function tryToArm(page) {
  const over = performance.now() + 4000;
  while (performance.now() < over) {
    const { state } = await page.driveState();
    if (state === "ready") return true;
    if (state === "disarmed") await page.tap("drive-arm");
    await sleep(300);
  }
  // Newest first.
  return /Drive refused: [^\n×]*/.exec(await page.id("events").innerText())?.[0].trim() ?? (await page.text("banner"));
}
