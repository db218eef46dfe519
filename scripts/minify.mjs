// Makes the page in dist/ smaller: scripts and style sheets minified, the page's style sheets joined to
// one, comments dropped from the page, the long names by which wasm-bindgen's script and its wasm find each other shortened in both, and
// the wasm's functions put into an order that compresses well.
//
//   node scripts/minify.mjs [DIST]

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { afterDescription, afterText, leb, number, ordered, text } from "./wasm-order.mjs";

const IMPORTS = 2;
const EXPORTS = 7;

const dist = process.argv[2] ?? "dist";
for (const name of readdirSync(dist)) {
  const path = join(dist, name);
  const wasm = path.replace(/\.js$/, "_bg.wasm");
  if (name.startsWith("leaflet") && name.endsWith(".js")) continue; // comes minified
  if (name.endsWith(".js") && existsSync(wasm)) {
    const { code, mangleCache } = minified(path, "js", { mangleProps: /^__wb/, mangleCache: {} });
    writeFileSync(path, code);
    writeFileSync(wasm, ordered(renamed(readFileSync(wasm), mangleCache)));
  } else if (name.endsWith(".js")) {
    writeFileSync(path, minified(path, "js").code);
  } else if (name.endsWith(".html")) {
    const page = readFileSync(path, "utf8").replace(/<!--[\s\S]*?-->/g, "");
    writeFileSync(path, page.replace(/\s*\n\s*/g, "\n"));
  } else if (name.endsWith(".webmanifest")) {
    writeFileSync(path, JSON.stringify(JSON.parse(readFileSync(path, "utf8"))));
  } else if (name.endsWith(".svg")) {
    const picture = readFileSync(path, "utf8").replace(/<!--[\s\S]*?-->/g, "");
    writeFileSync(path, picture.replace(/\s+/g, " ").replace(/> </g, "><").trim());
  } else if (name.endsWith(".css")) {
    const { code } = minified(path, "css");
    writeFileSync(path, name.startsWith("leaflet") ? withoutUnused(code) : code);
  }
}

joinStyleSheets(join(dist, "index.html"));

/** What stands in all of them is packed once, and one request is less to wait for on a bad link. */
function joinStyleSheets(path) {
  const page = readFileSync(path, "utf8");
  const links = [...page.matchAll(/<link rel="stylesheet" href="\.\/([^"]+)"[^>]*>\n?/g)];
  const css = links.map(([, name]) => readFileSync(join(dist, name), "utf8")).join("");
  for (const [, name] of links) rmSync(join(dist, name));
  const name = `style-${createHash("sha256").update(css).digest("hex").slice(0, 16)}.css`;
  writeFileSync(join(dist, name), css);
  const [[first]] = links;
  const joined = page.replace(first, `<link rel="stylesheet" href="./${name}">\n`);
  writeFileSync(path, links.slice(1).reduce((rest, [link]) => rest.replace(link, ""), joined));
}

function minified(path, loader, more = {}) {
  return transformSync(readFileSync(path, "utf8"), {
    loader,
    minify: true,
    target: "es2022",
    legalComments: "inline",
    ...more,
  });
}

/** Leaflet's style sheet without the rules of what this page never shows. */
function withoutUnused(css) {
  const unused = /popup|tooltip|control|attribution|leaflet-(bar|top|right|bottom|left)|zoom-box|default-icon|vml|oldie/;
  const screen = css.replace(/@media print\{(?:[^{}]*\{[^{}]*\})*\}/g, "").trim();
  const rules = screen.match(/[^{}]+\{[^{}]*\}/g) ?? [];
  if (rules.join("").length < screen.length) return css; // rules in rules: leave it alone
  return rules
    .map((rule) => {
      const at = rule.indexOf("{");
      const selectors = rule.slice(0, at).split(",").filter((selector) => !unused.test(selector));
      // Nor what only browsers without WebAssembly need.
      const body = rule.slice(at).replace(/([{;])(?:-(?:ms|moz)-[^;}]*;?)+/g, "$1");
      return selectors.length > 0 ? selectors.join(",") + body : "";
    })
    .join("");
}

/** A module with the names of its imports and exports exchanged, everything else as it was. */
function renamed(bytes, names) {
  const out = [bytes.subarray(0, 8)];
  let at = 8;
  while (at < bytes.length) {
    const id = bytes[at];
    const [size, start] = number(bytes, at + 1);
    let body = bytes.subarray(start, start + size);
    if (id === IMPORTS) body = imports(body, names);
    if (id === EXPORTS) body = exports(body, names);
    out.push(Buffer.from([id]), leb(body.length), body);
    at = start + size;
  }
  return Buffer.concat(out);
}

function imports(body, names) {
  const out = [];
  let [count, at] = number(body, 0);
  out.push(leb(count));
  while (count-- > 0) {
    const afterModule = afterText(body, at);
    const name = text(body, afterModule);
    const afterName = afterText(body, afterModule);
    const end = afterDescription(body, afterName);
    out.push(body.subarray(at, afterModule), named(names[name] ?? name), body.subarray(afterName, end));
    at = end;
  }
  return Buffer.concat(out);
}

function exports(body, names) {
  const out = [];
  let [count, at] = number(body, 0);
  out.push(leb(count));
  while (count-- > 0) {
    const name = text(body, at);
    const afterName = afterText(body, at);
    const [, end] = number(body, afterName + 1);
    out.push(named(names[name] ?? name), body.subarray(afterName, end));
    at = end;
  }
  return Buffer.concat(out);
}

function named(name) {
  const bytes = Buffer.from(name);
  return Buffer.concat([leb(bytes.length), bytes]);
}
