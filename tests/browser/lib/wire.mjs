// A TCP relay between page and vehicle: what a bad network does, on purpose, and a record of what the
// page sent and when it passed. What is held waits in the relay as it would in the sender's kernel.

import { once } from "node:events";
import { connect, createServer } from "node:net";
import { FrameReader } from "./frames.mjs";
import { Road } from "./road.mjs";
import { wallClock } from "./wait.mjs";

export class Wire {
  /** A relay to that rosbridge on a free port; the `seed` makes its weather. */
  static async to(url, { seed = 1 } = {}) {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Wire(server, new URL(url), seed);
  }

  /**
   * What the page sent, oldest first: `{ socket, text, at, passedAt }`. `at` is when it reached the
   * relay, `passedAt` when it went on (undefined until then), both in wall-clock milliseconds.
   */
  sent = [];
  #server;
  #target;
  #roads;
  #connections = new Set();
  #count = 0;

  constructor(server, target, seed) {
    this.#server = server;
    this.#target = target;
    this.#roads = { up: new Road(seed), down: new Road(seed + 1) };
    this.url = `ws://127.0.0.1:${server.address().port}`;
    server.on("connection", (page) => this.#accept(page));
  }

  /** The parsed messages published on a topic, in the order of sending. */
  published(topic) {
    return this.sent
      .map(({ text, ...stamps }) => ({ ...stamps, frame: JSON.parse(text) }))
      .filter(({ frame }) => frame.op === "publish" && frame.topic === topic);
  }

  /** How many connections the page has made. */
  get connections() {
    return this.#count;
  }

  /** From now on nothing passes `up` (from the page), `down`, or in `both` directions. */
  hold(direction = "both") {
    this.#each(direction, (road) => road.hold());
  }

  /** What was held back passes, in its order, and so does everything after. */
  letGo(direction = "both") {
    this.#each(direction, (road) => road.letGo());
  }

  /** Delay, jitter and pauses, see [`Road.weather`]. */
  weather(weather, direction = "both") {
    this.#each(direction, (road) => road.weather(weather));
  }

  /** Every connection is reset at both ends at once; what was under way is lost. */
  cut() {
    for (const connection of this.#connections) connection.reset();
  }

  /**
   * Every connection is forgotten by the network, and neither end is told: both look open for ever,
   * and nothing passes any more. New ones work.
   */
  forget() {
    for (const connection of this.#connections) connection.forget();
  }

  async clear() {
    this.cut();
    const closed = once(this.#server, "close");
    this.#server.close();
    await closed;
  }

  #each(direction, act) {
    for (const name of direction === "both" ? ["up", "down"] : [direction]) act(this.#roads[name]);
  }

  #accept(page) {
    const socket = (this.#count += 1);
    const note = (text) => {
      const entry = { socket, text, at: wallClock(), passedAt: undefined };
      this.sent.push(entry);
      return entry;
    };
    const connection = new Connection(page, this.#target, this.#roads, note);
    this.#connections.add(connection);
    connection.gone.then(() => this.#connections.delete(connection));
  }
}

/** One connection of the page's, and the one to the vehicle that belongs to it. */
class Connection {
  #page;
  #vehicle;
  #up;
  #down;
  #target;
  #tellGone;
  #isGivenUp = false;

  constructor(page, target, { up, down }, note) {
    this.gone = new Promise((tell) => (this.#tellGone = tell));
    this.#page = page;
    this.#target = target;
    this.#up = up.lane((item) => this.#passUp(item));
    this.#down = down.lane((item) => this.#passDown(item));
    const reader = new FrameReader();
    page.on("data", (bytes) => this.#up.push({ bytes, entries: reader.read(bytes).map(note) }));
    const givenUp = () => {
      this.#isGivenUp = true;
      this.#up.push({ end: true });
    };
    page.on("end", givenUp);
    // Whatever was still to be read, nobody reads it; what was sent is on its way.
    page.on("error", givenUp);
    page.on("close", () => this.#closed());
  }

  reset() {
    this.#quit();
    this.#page.resetAndDestroy();
    this.#vehicle?.resetAndDestroy();
  }

  forget() {
    this.#quit();
    this.#page.removeAllListeners("data").resume();
    this.#vehicle?.removeAllListeners("data").resume();
  }

  #quit() {
    this.#up.close();
    this.#down.close();
  }

  #passUp({ bytes, entries, end }) {
    if (!this.#vehicle && this.#isGivenUp) {
      // Given up before anything got through: it never reached the vehicle.
      this.#quit();
      this.#page.destroy();
      return;
    }
    if (end) {
      this.#vehicle.end();
      return;
    }
    this.#vehicle ??= this.#reach();
    this.#vehicle.write(bytes);
    const passedAt = wallClock();
    for (const entry of entries) entry.passedAt = passedAt;
  }

  #passDown({ bytes, end, reset }) {
    if (reset) this.#page.resetAndDestroy();
    else if (end) this.#page.end();
    else if (!this.#page.destroyed) this.#page.write(bytes);
  }

  #reach() {
    const { hostname: host, port } = this.#target;
    const vehicle = connect({ host, port: Number(port), noDelay: true, allowHalfOpen: true });
    vehicle.on("data", (bytes) => this.#down.push({ bytes }));
    vehicle.on("end", () => this.#down.push({ end: true }));
    vehicle.on("error", () => this.#down.push({ reset: true }));
    vehicle.on("close", () => this.#closed());
    return vehicle;
  }

  #closed() {
    if (this.#page.destroyed && (this.#vehicle?.destroyed ?? true)) this.#tellGone();
  }
}
