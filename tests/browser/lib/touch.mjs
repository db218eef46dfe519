// Fingers on the screen, through the DevTools protocol, so that the browser makes real touch and
// pointer events of them, several at a time.

/** A screen that is touched. Points are in CSS pixels of the viewport. */
export class Touch {
  #session;
  #fingers = new Map();
  #next = 0;

  constructor(session) {
    this.#session = session;
  }

  /** A finger comes down. */
  async down(x, y) {
    const id = (this.#next += 1);
    this.#fingers.set(id, { x, y, id });
    await this.#dispatch("touchStart", id);
    return id;
  }

  /** A finger moves there, in so many steps. */
  async move(finger, x, y, steps = 1) {
    const from = this.#fingers.get(finger);
    for (let step = 1; step <= steps; step += 1) {
      const share = step / steps;
      this.#fingers.set(finger, {
        x: from.x + (x - from.x) * share,
        y: from.y + (y - from.y) * share,
        id: finger,
      });
      await this.#dispatch("touchMove", finger);
    }
  }

  /** A finger is lifted; the others stay. */
  async up(finger) {
    await this.#dispatch("touchEnd", finger);
    this.#fingers.delete(finger);
  }

  /** The browser takes all fingers away, as for a gesture of the system. */
  async cancel() {
    this.#fingers.clear();
    await this.#session.send("Input.dispatchTouchEvent", { type: "touchCancel", touchPoints: [] });
  }

  /** A short touch. */
  async tap(x, y) {
    await this.up(await this.down(x, y));
  }

  // Each event names the one finger that it is about; the browser remembers the others.
  async #dispatch(type, finger) {
    await this.#session.send("Input.dispatchTouchEvent", { type, touchPoints: [this.#fingers.get(finger)] });
  }
}
