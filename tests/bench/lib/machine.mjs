// What the measurements were made on, as the system itself tells it.

import { execFileSync } from "node:child_process";
import { cpus, release, totalmem, type } from "node:os";

/** One line. */
export function describeMachine(browser) {
  const cores = cpus();
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  return [
    `${cores.length} cores of ${cores[0]?.model.trim()}, ${memory} GiB, ${type()} ${release()}`,
    `Chromium ${browser.version()} (headless), Node.js ${process.versions.node}`,
    `broomstick ${build()}, ${new Date().toISOString().slice(0, 10)}`,
  ].join("; ");
}

function build() {
  try {
    const options = { cwd: import.meta.dirname, encoding: "utf8" };
    return execFileSync("git", ["describe", "--always", "--dirty", "--abbrev=12"], options).trim();
  } catch {
    return "of no known commit";
  }
}
