// What every test stands on: one browser and one static server per file, a fresh context per
// page, and everything of a test ended with it. A test that fails leaves its evidence in
// target/e2e/<name>/.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { after, before, test } from "node:test";
import { serve } from "../server.mjs";
import { launch } from "./browser.mjs";
import { Stage } from "./scene.mjs";

let browser;
let server;

before(async () => {
  [browser, server] = await Promise.all([launch(), serve({ dist: process.env.BROOMSTICK_DIST })]);
});

after(async () => {
  await browser?.close();
  await server?.close();
});

/**
 * How late a timer of the test's own may be, ms. On a machine that is later than that the console
 * rightly stops by itself, and what failed says nothing: the test is done again.
 */
const MACHINE_LATE = 100;
const MOST_TIMES = 3;

/** Something that was waited for did not come: perhaps a tap that a moving page swallowed. Done again once. */
const isInVain = ({ name, message }) => name === "TimeoutError" || /in vain|did not become/.test(message);

/** A test whose body gets a [`Stage`]. */
export function scenario(name, body, options = {}) {
  test(name, { timeout: 180_000, ...options }, async (t) => {
    for (let time = 1; ; time += 1) {
      const lateness = monitorEventLoopDelay({ resolution: 10 });
      lateness.enable();
      const stage = new Stage({ browser, server, say: (text) => t.diagnostic(text) });
      try {
        await body(stage);
        await stage.inspect();
        return;
      } catch (error) {
        await stage.keepEvidence(name, error);
        const late = lateness.max / 1e6;
        stage.say(`the machine was at most ${late.toFixed(0)} ms late`);
        const isOver = late < MACHINE_LATE && (time > 1 || !isInVain(error));
        if (time === MOST_TIMES || isOver) throw error;
        stage.say(`so it is done again: ${error.message.slice(0, 200)}`);
      } finally {
        lateness.disable();
        await stage.clear();
      }
    }
  });
}
