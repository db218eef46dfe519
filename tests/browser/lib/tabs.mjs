// A Chromium whose tabs can be hidden and frozen, as a tablet does it. The pages that Playwright
// opens in contexts of its own believe for ever that they are seen and have the focus; those in the
// browser's own first context can be left as they are.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { EXECUTABLE, FLAGS } from "./browser.mjs";
import { until } from "./wait.mjs";

/** `{ context, close }`. */
export async function launchWithTabs() {
  const folder = await mkdtemp(join(tmpdir(), "broomstick-chromium-"));
  const own = ["--headless", "--remote-debugging-port=0", `--user-data-dir=${folder}`, "--window-size=1280,900"];
  const program = spawn(EXECUTABLE, [...FLAGS, ...own, "about:blank"], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  program.stderr.on("data", (bytes) => (said += bytes));
  program.on("error", (error) => (said += error));
  const [, address] = await until("the browser's address", () => /listening on (ws:\S+)/.exec(said), {
    tell: () => said,
  });
  const browser = await chromium.connectOverCDP(address, { noDefaults: true });
  const close = async () => {
    await browser.close().catch(() => undefined);
    if (program.exitCode === null && program.signalCode === null) {
      const gone = once(program, "exit");
      program.kill();
      await gone;
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  return { context: browser.contexts()[0], close };
}
