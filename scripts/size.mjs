// What the first load of the page costs: every file of dist/, raw and gzipped, and their sum.
// Fails when the sum is above the limit, because a field Wi-Fi pays for it at every update.
//
//   node scripts/size.mjs [DIST]

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";

const LIMIT = 350_000;
// Never asked for by the page while it loads: the licences, what the home screen takes, and the
// simulated vehicle, which only demo mode loads, and the topics page (their sizes are in the table).
const LATER = /^(THIRD-PARTY\.txt|LICENSE-.*|icon-\d+\.png|demo\.js|demo_bg\.wasm|viewer\.(js|css)|viewer_bg\.wasm)$/;

// The program and not Node's zlib, whose output is 1.4 % larger.
const gzipped = (path) => execFileSync("gzip", ["-9", "-c", path], { maxBuffer: 1e9 }).length;

const dist = process.argv[2] ?? "dist";
const files = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  .map((path) => {
    const bytes = readFileSync(path);
    const name = path.slice(dist.replace(/\/$/, "").length + 1);
    return { name, raw: bytes.length, gzipped: gzipped(path), later: LATER.test(name) };
  })
  .sort((a, b) => b.gzipped - a.gzipped);

const row = (raw, gzipped, name) => console.log(`${raw.padStart(10)} ${gzipped.padStart(10)}  ${name}`);
row("bytes", "gzipped", "");
for (const { name, raw, gzipped, later } of files) {
  row(String(raw), String(gzipped), later ? `${name} (not in the first load)` : name);
}
const first = files.filter((file) => !file.later);
const sum = (key) => first.reduce((total, file) => total + file[key], 0);
row(String(sum("raw")), String(sum("gzipped")), "first load");

const total = sum("gzipped");
const verdict = `first load: ${(total / 1000).toFixed(1)} kB gzipped of at most ${LIMIT / 1000} kB`;
if (total > LIMIT) {
  console.error(`${verdict}: too large`);
  process.exit(1);
}
console.log(verdict);
