// A WebSocket relay between page and vehicle that keeps the raw frames, and can hold them back.

import { once } from "node:events";
import WebSocket, { WebSocketServer } from "ws";
import { wallClock } from "./wait.mjs";

export class Wire {
  /** A relay to that rosbridge on a free port. */
  static async to(url) {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
    await once(server, "listening");
    return new Wire(server, url);
  }

  /** What the page sent, oldest first: `{ at, socket, text }`, `at` in wall-clock milliseconds. */
  sent = [];
  #server;
  #pairs = new Set();
  #isHolding = false;
  #held = [];

  constructor(server, target) {
    this.#server = server;
    this.url = `ws://127.0.0.1:${server.address().port}`;
    let sockets = 0;
    server.on("connection", (page) => {
      const socket = (sockets += 1);
      const vehicle = new WebSocket(target, { perMessageDeflate: false });
      const early = [];
      this.#pairs.add(page);
      page.on("message", (data) => {
        const text = data.toString();
        this.sent.push({ at: wallClock(), socket, text });
        this.#pass(() => (vehicle.readyState === WebSocket.OPEN ? vehicle.send(text) : early.push(text)));
      });
      vehicle.on("open", () => early.splice(0).forEach((text) => vehicle.send(text)));
      vehicle.on("message", (data) => this.#pass(() => page.send(data.toString())));
      page.on("close", () => {
        this.#pairs.delete(page);
        this.#pass(() => vehicle.close());
      });
      vehicle.on("close", () => page.terminate());
      vehicle.on("error", () => page.terminate());
      page.on("error", () => vehicle.terminate());
    });
  }

  /** The parsed messages published on a topic, in the order of sending. */
  published(topic) {
    return this.sent
      .map(({ at, socket, text }) => ({ at, socket, frame: JSON.parse(text) }))
      .filter(({ frame }) => frame.op === "publish" && frame.topic === topic);
  }

  /** From now on nothing passes, in neither direction; the sockets stay open. */
  hold() {
    this.#isHolding = true;
  }

  /** What was held back passes, in its order, and so does everything after. */
  letGo() {
    this.#isHolding = false;
    this.#held.splice(0).forEach((pass) => pass());
  }

  async clear() {
    for (const socket of this.#pairs) socket.terminate();
    const closed = once(this.#server, "close");
    this.#server.close();
    await closed;
  }

  #pass(deliver) {
    if (this.#isHolding) this.#held.push(deliver);
    else deliver();
  }
}
