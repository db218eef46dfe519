// A multirotor in the console, in an operator's verbs: two thumbs, motors by a held act.

import { once } from "node:events";
import WebSocket from "ws";
import { until } from "./wait.mjs";

export const PROFILE = { vehicle: { kind: "multirotor", name: "Kite" } };

/** Where it is and how it moves, by the newest truth. */
export const flight = (kite) => kite.lines.findLast((line) => line.kind === "flight");

/** A thumb comes down in the hub of a pad. */
export async function thumb(page, pad) {
  const { x, y } = await page.middle(pad);
  const finger = await page.touch.down(x, y);
  const { width } = await page.box(pad);
  const to = ({ up = 0, left = 0 }) => page.touch.move(finger, x - (left * width) / 2, y - (up * width) / 2, 4);
  return { to, lift: () => page.touch.up(finger) };
}

/** A thumb flies; a busy machine may stop its press, which is then made anew. */
export async function flown(page, pad, push) {
  return until(`${pad} to fly`, async () => {
    await page.until("drive", { state: "ready", reason: null });
    const held = await thumb(page, pad);
    await held.to(push);
    const isFlown = async () => (await page.data("drive", "state")) === "driving";
    if (await until("it to fly", isFlown, { timeout: 2000 }).catch(() => false)) return held;
    await held.lift();
    return false;
  });
}

/** Switches the drive on. */
export async function armFlight(page) {
  await until("the console to be armed", async () => {
    if ((await page.data("drive", "state")) === "disarmed") await page.tap("drive-arm");
    return (await page.data("drive", "state")) === "ready";
  });
}

/** Holds the key that starts the motors until they run. */
export async function startMotors(page, kite) {
  await page.id("confirm").waitFor();
  // A busy machine may begin the second that it must be held anew.
  const finger = await page.press("confirm");
  await kite.until("the motors to run", () => flight(kite)?.motors);
  await page.touch.up(finger);
  await page.until("motors", { state: "on", landed: "true" });
}

/** Climbs with the left pad; a busy machine may stop a press, which is then made anew. */
export async function takeOff(page, kite) {
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

/** Motors on, up, and hovering: by another client, before a console looks at it. */
export async function hover(vehicle, name = "") {
  const of = name && `/${name}`;
  const truth = () => vehicle.lines.findLast((line) => line.kind === "flight" && line.vehicle === (name || "/"));
  const socket = new WebSocket(vehicle.url);
  await once(socket, "open");
  const publish = (msg) => socket.send(JSON.stringify({ op: "publish", topic: `${of}/cmd_vel`, msg }));
  socket.send(JSON.stringify({ op: "call_service", service: `${of}/motors`, args: { data: true } }));
  const climb = setInterval(() => publish({ linear: { z: 1 } }), 50);
  await vehicle.until("the climb", () => truth()?.z > 2);
  clearInterval(climb);
  publish({});
  await vehicle.until("it to hover", () => Math.abs(truth().vz) < 0.02);
  socket.close();
}
