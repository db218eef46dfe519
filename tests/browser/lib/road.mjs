// One direction of a network, and what may be wrong with it. All connections share a road; each
// has a lane of its own on it, in which nothing overtakes.

import { seeded } from "./random.mjs";

const NO_WEATHER = { delay: 0, jitter: 0, pauses: undefined };

export class Road {
  #random;
  #lanes = new Set();
  #isHeld = false;
  #weather = NO_WEATHER;
  #pause = { from: -Infinity, to: -Infinity };

  constructor(seed) {
    this.#random = seeded(seed);
  }

  /** From now on nothing passes; it queues. */
  hold() {
    this.#isHeld = true;
  }

  /** What has queued passes, in its order, and so does everything after. */
  letGo() {
    this.#isHeld = false;
    for (const lane of this.#lanes) lane.drive();
  }

  /**
   * The weather from now on, all in ms: a constant `delay`; a `jitter`, by chance between 0 and
   * this, added for each chunk; `pauses: { every, least, most }`, in which nothing passes for between
   * `least` and `most`, by chance `every` so long on average. What is left out is fine.
   */
  weather(weather = {}) {
    this.#weather = { ...NO_WEATHER, ...weather };
    this.#pause = { from: -Infinity, to: -Infinity };
  }

  /** A lane that ends in `pass(item)`. */
  lane(pass) {
    const lane = new Lane(this, pass);
    this.#lanes.add(lane);
    return lane;
  }

  get isHeld() {
    return this.#isHeld;
  }

  /** When something may pass that comes now. */
  due(now) {
    const { delay, jitter, pauses } = this.#weather;
    const due = now + delay + jitter * this.#random();
    if (!pauses) return due;
    // The pauses are made up as far ahead as they are needed.
    while (this.#pause.to <= due) {
      const awake = pauses.every * (0.5 + this.#random());
      const from = Math.max(this.#pause.to, now) + awake;
      this.#pause = { from, to: from + pauses.least + (pauses.most - pauses.least) * this.#random() };
    }
    return due >= this.#pause.from ? this.#pause.to : due;
  }

  leave(lane) {
    this.#lanes.delete(lane);
  }
}

class Lane {
  #road;
  #pass;
  #queue = [];
  #lastDue = 0;
  #timer;

  constructor(road, pass) {
    this.#road = road;
    this.#pass = pass;
  }

  /** Something comes; it passes when the road lets it. */
  push(item) {
    // Nothing overtakes what came before.
    this.#lastDue = Math.max(this.#lastDue, this.#road.due(performance.now()));
    this.#queue.push({ item, due: this.#lastDue });
    this.drive();
  }

  /** Passes what is due. */
  drive() {
    clearTimeout(this.#timer);
    while (this.#queue.length > 0 && !this.#road.isHeld) {
      const wait = this.#queue[0].due - performance.now();
      if (wait > 0) {
        this.#timer = setTimeout(() => this.drive(), wait);
        return;
      }
      this.#pass(this.#queue.shift().item);
    }
  }

  /** Nothing of it passes any more. */
  close() {
    clearTimeout(this.#timer);
    this.#queue = [];
    this.#pass = () => undefined;
    this.#road.leave(this);
  }
}
