// What every test stands on: one browser and one static server per file, a fresh context per
// page, and everything of a test ended with it. A test that fails leaves its evidence in
// target/e2e/<name>/.

import assert from "node:assert/strict";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { after, before, test } from "node:test";
import { serve } from "../server.mjs";
import { launch } from "./browser.mjs";
import { ConsolePage } from "./page.mjs";
import { Vehicle } from "./vehicle.mjs";
import { Wire } from "./wire.mjs";

const EVIDENCE = fileURLToPath(new URL("../../../target/e2e", import.meta.url));

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

/** A test whose body gets a [`Stage`]. */
export function scenario(name, body, options = {}) {
  test(name, { timeout: 180_000, ...options }, async (t) => {
    for (let time = 1; ; time += 1) {
      const lateness = monitorEventLoopDelay({ resolution: 10 });
      lateness.enable();
      const stage = new Stage(t);
      try {
        await body(stage);
        await stage.inspect();
        return;
      } catch (error) {
        await stage.keepEvidence(name, error);
        const late = lateness.max / 1e6;
        stage.say(`the machine was at most ${late.toFixed(0)} ms late`);
        if (time === MOST_TIMES || late < MACHINE_LATE) throw error;
        stage.say(`so it is done again: ${error.message.slice(0, 200)}`);
      } finally {
        lateness.disable();
        await stage.clear();
      }
    }
  });
}

class Stage {
  #t;
  #pages = [];
  #vehicles = [];
  #cleaning = [];

  constructor(t) {
    this.#t = t;
  }

  /** The static server that all tests of the file share. */
  get server() {
    return server;
  }

  get browser() {
    return browser;
  }

  /** A line in the report of the test run. */
  say(text) {
    this.#t.diagnostic(text);
  }

  /** Starts a vehicle, see [`Vehicle.start`]. */
  async vehicle(options) {
    const vehicle = await Vehicle.start(options);
    this.#vehicles.push(vehicle);
    return vehicle;
  }

  /** Puts a relay before a vehicle. */
  async wire(vehicle) {
    const wire = await Wire.to(vehicle.url);
    this.atEnd(() => wire.clear());
    return wire;
  }

  /** A server of the test's own, see [`serve`]. */
  async serve(options) {
    const own = await serve({ dist: process.env.BROOMSTICK_DIST, ...options });
    this.atEnd(() => own.close());
    return own;
  }

  /**
   * Opens the console for a vehicle (or anything else with a `url`), or with just the `query`
   * that is given.
   */
  async open({ vehicle, query = {}, at = server.url, ...options } = {}) {
    const address = new URL(at);
    if (vehicle) address.searchParams.set("url", vehicle.url);
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    const page = await ConsolePage.open(browser, address.href, options);
    this.#pages.push(page);
    return page;
  }

  /** Done when the test is over, however it ends; the last first. */
  atEnd(act) {
    this.#cleaning.unshift(act);
  }

  /** Nothing went wrong on any page that no test looked at. */
  async inspect() {
    for (const page of this.#pages) assert.deepEqual(await page.problems(), []);
  }

  async keepEvidence(name, error) {
    const folder = join(EVIDENCE, name.replaceAll(/[^\p{L}\p{N}]+/gu, "-").slice(0, 80));
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const words = [String(error.stack ?? error)];
    for (const [i, page] of this.#pages.entries()) {
      words.push(`page ${i}: ${JSON.stringify(await page.problems().catch(String), null, 1)}`);
      const picture = await page.page.screenshot().catch(() => undefined);
      const html = await page.page.content().catch(() => "");
      if (picture) await writeFile(join(folder, `page-${i}.png`), picture);
      await writeFile(join(folder, `page-${i}.html`), html);
    }
    for (const [i, vehicle] of this.#vehicles.entries()) {
      await copyFile(vehicle.logFile, join(folder, `vehicle-${i}.jsonl`)).catch(() => undefined);
    }
    await writeFile(join(folder, "what-failed.txt"), words.join("\n\n"));
  }

  async clear() {
    for (const page of this.#pages) await page.close().catch(() => undefined);
    for (const act of this.#cleaning) await act();
    for (const vehicle of this.#vehicles) await vehicle.clear();
  }
}
