// Another client on the vehicle's rosbridge, which publishes velocities while a finger drives.

import { once } from "node:events";
import WebSocket from "ws";
import { CMD_VEL, between, isMotion, isZero, published, HEARTBEAT, velocities } from "../lib/log.mjs";
import { driveAtSpeed } from "./driving.mjs";

/** Ten a second, as many programs do it. */
const PERIOD = 100;

export const OTHERS = {
  "other values": { linear: 0.12, angular: 0.05 },
  zeros: { linear: 0, angular: 0 },
  /** What the console itself sends by then: the cap of an unchecked vehicle, straight on. */
  "our own values": { linear: 0.3, angular: 0 },
};

/** Another client publishes this velocity, ten times a second for `seconds`; the finger is held. */
export async function otherDriver(stage, { velocity, seconds = 2 }) {
  const vehicle = await stage.vehicle();
  const page = await stage.open({ vehicle });
  const finger = await driveAtSpeed(page, vehicle, 0.29);
  const console = published(vehicle.lines, HEARTBEAT).at(-1).client;
  const isOurs = ({ client }) => client === console;
  const other = await Other.at(vehicle.url);
  const from = vehicle.now;
  other.publish(velocity);
  await vehicle.pass(seconds * 1000);
  const state = await page.driveState();
  other.stop();
  const commands = between(velocities(vehicle.lines), from);
  const began = commands.find((command) => !isOurs(command)).t;
  const ours = commands.filter((command) => isOurs(command) && command.t >= began);
  const firstZero = ours.find(isZero);
  await page.touch.up(finger);
  other.close();
  return {
    state,
    began,
    stoppedAfter: firstZero && firstZero.t - began,
    motionsAfterZero: firstZero ? ours.filter((command) => isMotion(command) && command.t > firstZero.t).length : 0,
    motions: ours.filter(isMotion).length,
    happened: await page.id("events").textContent(),
  };
}

class Other {
  static async at(url) {
    const socket = new WebSocket(url);
    await once(socket, "open");
    return new Other(socket);
  }

  #socket;
  #timer;

  constructor(socket) {
    this.#socket = socket;
    this.#send({ op: "advertise", topic: CMD_VEL, type: "geometry_msgs/msg/Twist" });
  }

  publish({ linear, angular }) {
    const msg = { linear: { x: linear, y: 0, z: 0 }, angular: { x: 0, y: 0, z: angular } };
    const send = () => this.#send({ op: "publish", topic: CMD_VEL, msg });
    send();
    this.#timer = setInterval(send, PERIOD);
  }

  stop() {
    clearInterval(this.#timer);
  }

  close() {
    this.stop();
    this.#socket.terminate();
  }

  #send(frame) {
    this.#socket.send(JSON.stringify(frame));
  }
}
