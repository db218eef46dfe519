// Checks that every dependency, of crates and of npm, has a licence that the page may be
// distributed under, and writes the notices that those licences ask for.
//
//   node scripts/licences.mjs                  check; names each package that is not allowed
//   node scripts/licences.mjs --notices FILE   write the notices of what the page contains

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const NPM_FOLDERS = [".", "tests/browser"];

// Permissive licences only: none of them puts a condition on the rest of the page.
const ALLOWED = new Set([
  "0BSD",
  "Apache-2.0",
  "Apache-2.0 WITH LLVM-exception",
  "BSD-1-Clause",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BSL-1.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "Unicode-3.0",
  "Unlicense",
  "Zlib",
]);

if (process.argv[2] === "--notices") {
  writeNotices(process.argv[3]);
} else {
  check();
}

function check() {
  const packages = [...cratesOfEveryPlatform(), ...npmPackages()];
  const refused = packages.filter(({ licence }) => !isAllowed(licence));
  for (const { kind, name, version, licence } of refused) {
    console.error(`${kind} ${name} ${version}: licence ${licence ?? "not named"} is not on the list of scripts/licences.mjs`);
  }
  console.log(`licences of ${packages.length} dependencies checked, ${refused.length} refused`);
  process.exitCode = refused.length > 0 ? 1 : 0;
}

function cratesOfEveryPlatform() {
  const { packages } = cargoMetadata("--all-features");
  return packages
    .filter(({ source }) => source !== null)
    .map(({ name, version, license }) => ({ kind: "crate", name, version, licence: license }));
}

function npmPackages() {
  return NPM_FOLDERS.flatMap((folder) => {
    const lock = JSON.parse(readFileSync(join(ROOT, folder, "package-lock.json"), "utf8"));
    return Object.entries(lock.packages)
      .filter(([path]) => path.startsWith("node_modules/"))
      .map(([path, { version, license }]) => ({
        kind: "npm",
        name: path.replace(/^.*node_modules\//, ""),
        version,
        licence: license,
        folder: join(ROOT, folder, path),
      }));
  });
}

/// An SPDX expression is allowed when the choices that it leaves can be made among allowed ones.
function isAllowed(expression) {
  if (!expression) return false;
  // Before SPDX expressions, crates wrote "MIT/Apache-2.0".
  const tokens = expression.replaceAll("/", " OR ").match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;

  const either = () => {
    let allowed = both();
    while (tokens[at] === "OR") {
      at += 1;
      allowed = both() || allowed;
    }
    return allowed;
  };
  const both = () => {
    let allowed = one();
    while (tokens[at] === "AND") {
      at += 1;
      allowed = one() && allowed;
    }
    return allowed;
  };
  const one = () => {
    if (tokens[at] === "(") {
      at += 1;
      const allowed = either();
      at += 1;
      return allowed;
    }
    let licence = tokens[at];
    at += 1;
    if (tokens[at] === "WITH") {
      licence += ` WITH ${tokens[at + 1]}`;
      at += 2;
    }
    return ALLOWED.has(licence);
  };

  return either() && at === tokens.length;
}

function writeNotices(file) {
  const linked = [...cratesInThePage(), ...npmPackages().filter(({ name }) => name === "leaflet")];
  const texts = new Map();
  for (const one of linked) {
    for (const text of licenceTexts(one.folder)) {
      if (!texts.has(text)) texts.set(text, []);
      texts.get(text).push(`${one.name} ${one.version}`);
    }
  }
  const list = linked.map(({ name, version, licence }) => `${name} ${version}: ${licence}`).sort();
  const body = [...texts].map(([text, users]) => `${"=".repeat(80)}\n${users.join(", ")}\n\n${text}\n`);
  writeFileSync(file, `This page contains the following works of others.\n\n${list.join("\n")}\n\n${body.join("\n")}`);
  console.log(`notices of ${linked.length} works written to ${file}`);
}

/// What is compiled into the two programs: not the macros, nor what only the tests use.
function cratesInThePage() {
  const metadata = cargoMetadata("--filter-platform", "wasm32-unknown-unknown", "--features", "ui,worker");
  const packages = new Map(metadata.packages.map((one) => [one.id, one]));
  const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]));
  const seen = new Set();
  const visit = (id) => {
    if (seen.has(id) || packages.get(id).targets.some(({ kind }) => kind.includes("proc-macro"))) return;
    seen.add(id);
    for (const { pkg, dep_kinds } of nodes.get(id).deps) {
      if (dep_kinds.some(({ kind }) => kind === null)) visit(pkg);
    }
  };
  visit(metadata.resolve.root);
  return [...seen]
    .map((id) => packages.get(id))
    .filter(({ source }) => source !== null)
    .map(({ name, version, license, manifest_path }) => ({
      name,
      version,
      licence: license,
      folder: dirname(manifest_path),
    }));
}

function licenceTexts(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /^(licen[cs]e|copying|notice|copyright|unlicense)/i.test(entry.name))
    .map((entry) => readFileSync(join(folder, entry.name), "utf8").replaceAll("\r\n", "\n").trim());
}

function cargoMetadata(...options) {
  const command = ["metadata", "--locked", "--format-version", "1", ...options];
  return JSON.parse(execFileSync("cargo", command, { cwd: ROOT, encoding: "utf8", maxBuffer: 256 << 20 }));
}
