// What a test or a measurement stands on: vehicles, relays, servers and pages, all ended with it.

import assert from "node:assert/strict";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serve } from "../server.mjs";
import { ConsolePage } from "./page.mjs";
import { launchWithTabs } from "./tabs.mjs";
import { Vehicle } from "./vehicle.mjs";
import { Wire } from "./wire.mjs";

const EVIDENCE = fileURLToPath(new URL("../../../target/e2e", import.meta.url));

export class Stage {
  #pages = [];
  #vehicles = [];
  #cleaning = [];

  /** `browser` and static `server` are shared with others; `say` takes a line for the report. */
  constructor({ browser, server, say }) {
    this.browser = browser;
    this.server = server;
    this.say = say;
  }

  /** Starts a vehicle, see [`Vehicle.start`]. */
  async vehicle(options) {
    const vehicle = await Vehicle.start(options);
    this.#vehicles.push(vehicle);
    return vehicle;
  }

  /** Puts a relay before a vehicle. */
  async wire(vehicle, options) {
    const wire = await Wire.to(vehicle.url, options);
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
  async open({ vehicle, query, at, ...options } = {}) {
    const page = await ConsolePage.open(this.browser, this.#address({ vehicle, query, at }), options);
    this.#pages.push(page);
    return page;
  }

  /**
   * The same in a browser whose tabs and window are really hidden and frozen; it is this stage's
   * own.
   */
  async openTab({ vehicle, query, at } = {}) {
    const { context, close } = await launchWithTabs();
    this.atEnd(close);
    const page = await ConsolePage.openTab(context, this.#address({ vehicle, query: { lang: "en", ...query }, at }));
    this.#pages.push(page);
    return page;
  }

  /** Done when the test is over, however it ends; the last first. */
  atEnd(act) {
    this.#cleaning.unshift(act);
  }

  /** A page of another kind, to be closed with the others. */
  keep(page) {
    this.#pages.push(page);
    return page;
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

  #address({ vehicle, query = {}, at = this.server.url }) {
    const address = new URL(at);
    if (vehicle) address.searchParams.set("url", vehicle.url);
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    return address.href;
  }
}
