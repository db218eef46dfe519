// Runs measurements, each on a stage of its own, and says how far it is.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { launch } from "../../browser/lib/browser.mjs";
import { Stage } from "../../browser/lib/scene.mjs";
import { serve } from "../../browser/server.mjs";

/** How often runs that never came to measuring begin again. */
const MOST_AGAIN = 3;

/** A busy machine kept a run from beginning; that says nothing about what is measured. */
export class BeforeMeasuring extends Error {}

export class Bench {
  static async open() {
    const [browser, server] = await Promise.all([launch(), serve({ dist: process.env.BROOMSTICK_DIST })]);
    return new Bench(browser, server);
  }

  /** Runs that could not be brought to their end; they are told with the results. */
  failures = [];
  /** How late a timer of the bench's own was at most, ms: what the machine added by itself. */
  lateness = monitorEventLoopDelay({ resolution: 10 });

  constructor(browser, server) {
    this.browser = browser;
    this.server = server;
    this.lateness.enable();
  }

  /**
   * What `measure(stage, i)` answers, `times` times; a run that fails is noted and left out. One that
   * ends with a `BeforeMeasuring` has told nothing yet and begins again, a few times.
   */
  async repeat(name, times, measure) {
    const results = [];
    for (let [time, again] = [0, 0]; time < times; time += 1) {
      const from = performance.now();
      const stage = new Stage({ browser: this.browser, server: this.server, say: say });
      try {
        results.push(await measure(stage, time));
        say(`${name}, ${time + 1} of ${times}: ${seconds(from)}`);
      } catch (error) {
        if (error instanceof BeforeMeasuring && again < MOST_AGAIN) {
          again += 1;
          time -= 1;
          say(`${name}: begins again after ${seconds(from)}: ${error.message.slice(0, 200)}`);
          continue;
        }
        await stage.keepEvidence(`bench ${name}`, error);
        this.failures.push(`${name}: ${error.message.split("\n")[0].slice(0, 300)}`);
        say(`${name}, ${time + 1} of ${times}: FAILED after ${seconds(from)}: ${error.message.slice(0, 600)}`);
      } finally {
        await stage.clear();
      }
    }
    return results;
  }

  async close() {
    await this.browser.close();
    await this.server.close();
  }
}

function say(text) {
  console.error(text);
}

function seconds(from) {
  return `${((performance.now() - from) / 1000).toFixed(1)} s`;
}
