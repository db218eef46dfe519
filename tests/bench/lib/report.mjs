// Numbers as Markdown. Pure.

import { median } from "../../browser/lib/log.mjs";

/** A table; `columns` is `[[heading, cell(row)], ...]`. */
export function table(columns, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map(([heading]) => heading)),
    line(columns.map(() => "---")),
    ...rows.map((row) => line(columns.map(([, cell]) => cell(row)))),
  ].join("\n");
}

/** "median / worst" of the numbers; runs without one are counted apart. */
export function medianAndWorst(numbers, { digits = 0, unit = "" } = {}) {
  const known = numbers.filter((number) => Number.isFinite(number));
  const none = numbers.length - known.length;
  if (known.length === 0) return "none";
  const show = (number) => `${number.toFixed(digits)}${unit}`;
  const text = `${show(median(known))} / ${show(Math.max(...known))}`;
  return none > 0 ? `${text} (${none} of ${numbers.length}: none)` : text;
}

/** What was seen, each with how often. */
export function tally(words) {
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  if (counts.size === 1) return [...counts.keys()][0];
  return [...counts].map(([word, count]) => `${word} (${count})`).join(", ");
}

/** "all", or how many of them. */
export function share(results, isSo) {
  const count = results.filter(isSo).length;
  return count === results.length ? "all" : `${count} of ${results.length}`;
}

/** Puts a text between the two marks `<!-- name -->` and `<!-- /name -->`. */
export function between(document, name, text) {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = document.indexOf(open);
  const to = document.indexOf(close);
  if (from < 0 || to < from) throw new Error(`the marks ${open} and ${close} are missing`);
  return `${document.slice(0, from + open.length)}\n${text}\n${document.slice(to)}`;
}
