// What the logs say of a fault. Pure, but for the reading of the logs.

import { CMD_VEL, HEARTBEAT, isMotion, isZero, velocities } from "../lib/log.mjs";

/** What may arrive so long after it was sent and still count as in time, ms. */
export const LATE = 300;
/** The profile's defaults, ms and Hz. */
export const DEADMAN = 300;
export const LINK_TIMEOUT = 300;
export const RATE = 20;
export const PERIOD = 1000 / RATE;
/** Rule 11: so many non-zeros may be under way when a link stalls. */
export const BUDGET = (LINK_TIMEOUT / 1000) * RATE;

/**
 * Every velocity command that arrived through a relay, in the order of arrival:
 * `{ socket, sent, arrived, linear, angular }`, both times on the vehicle's clock, ms.
 */
export function journeys(wire, vehicle) {
  const sent = sentBySocket(wire);
  const found = [];
  for (const arrived of arrivedByClient(vehicle)) {
    const match = sent.findIndex((entries) => entries && arrived.every(({ key }, i) => entries[i]?.key === key));
    // The client of the clock probe, or one that the test itself plays.
    if (match < 0) continue;
    const entries = sent[match];
    sent[match] = undefined;
    arrived.forEach(({ t, velocity }, i) => {
      if (!velocity) return;
      const { socket, at } = entries[i];
      found.push({ socket, sent: vehicle.clockAt(at), arrived: t, t, ...velocity });
    });
  }
  return found.sort((a, b) => a.arrived - b.arrived);
}

/** What tells one message from another, of the two topics that everybody logs alike. */
function keyed(topic, msg) {
  if (topic === HEARTBEAT) return { key: msg.data };
  const twist = msg.twist ?? msg;
  const velocity = { linear: twist.linear?.x ?? 0, angular: twist.angular?.z ?? 0 };
  return { key: `${velocity.linear} ${velocity.angular}`, velocity };
}

function sentBySocket(wire) {
  const sockets = new Map();
  for (const { socket, at, text } of wire.sent) {
    const { op, topic, msg } = JSON.parse(text);
    if (op !== "publish" || (topic !== HEARTBEAT && topic !== CMD_VEL)) continue;
    if (!sockets.has(socket)) sockets.set(socket, []);
    sockets.get(socket).push({ socket, at, ...keyed(topic, msg) });
  }
  return [...sockets.values()];
}

function arrivedByClient(vehicle) {
  const clients = new Map();
  const lines = vehicle.lines.filter(
    ({ kind, op, topic }) => kind === "frame" && op === "publish" && (topic === HEARTBEAT || topic === CMD_VEL),
  );
  for (const { client, t, topic, msg } of lines) {
    if (!clients.has(client)) clients.set(client, []);
    clients.get(client).push({ t, ...keyed(topic, msg) });
  }
  return [...clients.values()];
}

/**
 * What came of a stop, in commands from `from` on (`{ t, linear, angular }`, by arrival): when the
 * first and the third zero came, how many zeros, how many non-zeros after the first of them, and
 * when the last of all came.
 */
export function stopIn(commands, from) {
  const after = commands.filter(({ t }) => t >= from);
  const first = after.findIndex(isZero);
  const zeros = after.filter(isZero);
  const since = first < 0 ? after : after.slice(first);
  return {
    firstZero: zeros[0] && zeros[0].t - from,
    thirdZero: zeros[2] && zeros[2].t - from,
    zeros: zeros.length,
    motionsAfterZero: first < 0 ? 0 : since.filter(isMotion).length,
    motions: after.filter(isMotion).length,
    last: after.at(-1)?.t,
  };
}

/** The same of the vehicle's own log. */
export function stopOf(vehicle, from) {
  return stopIn(velocities(vehicle.lines), from);
}

/** Those that moved and arrived more than 300 ms after they were sent. */
export function lateMotions(commands) {
  return commands.filter((command) => isMotion(command) && command.arrived - command.sent > LATE);
}

/** For each socket that delivered late motions: how many zeros came after the last of them on it. */
export function zerosAfterLate(commands) {
  const late = lateMotions(commands);
  return [...new Set(late.map(({ socket }) => socket))].map((socket) => {
    const ofSocket = commands.filter((command) => command.socket === socket);
    return ofSocket.slice(ofSocket.indexOf(late.findLast((command) => command.socket === socket)) + 1).filter(isZero)
      .length;
  });
}

/** How often a drive began anew: runs of non-zeros, parted by zeros. */
export function runsOfMotion(commands) {
  return commands.filter((command, i) => isMotion(command) && (i === 0 || isZero(commands[i - 1]))).length;
}

/** The pauses between commands that follow each other, ms, sorted. */
export function gaps(commands) {
  return commands
    .slice(1)
    .map(({ t }, i) => t - commands[i].t)
    .sort((a, b) => a - b);
}

/** The value below which this share of the sorted numbers lies. */
export function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** Metres that the vehicle went in this time of its own clock. */
export function wayBetween(vehicle, from, to = Infinity) {
  const places = vehicle.lines.filter(({ kind, t }) => kind === "state" && t >= from && t <= to);
  return places.slice(1).reduce((sum, { x, y }, i) => sum + Math.hypot(x - places[i].x, y - places[i].y), 0);
}

