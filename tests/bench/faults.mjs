// The whole fault table with repeats: what the vehicle's log shows when finger, page, network or
// server fail while driving. The cases are those of tests/browser/faults.
//
//   node tests/bench/faults.mjs [--repeats 3] [--only PATTERN] [--write FILE] [--excerpt FILE]

import { readFile, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { median } from "../browser/lib/log.mjs";
import { trembling, unchanging } from "../browser/faults/contacts.mjs";
import { cut, forget, stall, weather } from "../browser/faults/links.mjs";
import { OTHERS, otherDriver } from "../browser/faults/others.mjs";
import { RELEASES, releases } from "../browser/faults/releases.mjs";
import { WORKER_FAULTS, hang, workerFault } from "../browser/faults/threads.mjs";
import { broomstick } from "../browser/faults/driving.mjs";
import { serveTutorial, tutorial } from "./compare/tutorial.mjs";
import { Bench } from "./lib/bench.mjs";
import { describeMachine } from "./lib/machine.mjs";
import { between, medianAndWorst, share, table, tally } from "./lib/report.mjs";

const { values: options } = parseArgs({
  options: {
    repeats: { type: "string", default: "3" },
    only: { type: "string", default: "" },
    write: { type: "string" },
    excerpt: { type: "string" },
  },
});
const REPEATS = Number(options.repeats);
/** A release is quick, and its times are what is asked for. */
const RELEASE_REPEATS = Math.max(20, REPEATS);
const ONLY = new RegExp(options.only, "i");

/** What others did on the machine before. */
const [load] = loadavg();
const bench = await Bench.open();
const tutorialServer = await serveTutorial();
const CONSOLES = [broomstick, tutorial(tutorialServer)];
const measured = {};

/** Runs each of `cases` (`{ name, repeats, measure }`) and keeps those that brought something. */
async function run(section, cases) {
  const rows = [];
  for (const { name, repeats = REPEATS, measure, ...rest } of cases) {
    if (!ONLY.test(`${section}: ${name}`)) continue;
    const results = (await bench.repeat(name, repeats, measure)).flat();
    if (results.length > 0) rows.push({ name, results, ...rest });
  }
  measured[section] = rows;
}

const all =
  (of, form) =>
  ({ results }) =>
    medianAndWorst(results.map(of), form);
const worst =
  (of) =>
  ({ results }) =>
    String(Math.max(...results.map(of)));
const name = ["", ({ name }) => name];
const runs = ["runs", ({ results }) => String(results.length)];

await run(
  "releases",
  Object.keys(RELEASES).map((cause) => ({
    name: cause,
    repeats: 1,
    measure: (stage) => releases(stage, [cause], { times: RELEASE_REPEATS }),
  })),
);
await run("threads", [
  { name: "page hangs 5 s", measure: (stage) => hang(stage, { seconds: 5 }) },
  ...Object.keys(WORKER_FAULTS).map((how) => ({
    name: `control Worker ${how}`,
    measure: (stage) => workerFault(stage, { how }),
  })),
]);

const stalls = [1, 3, 10].flatMap((seconds) =>
  ["both", "up", "down"].flatMap((direction) =>
    ["held", "lifted"].map((finger) => ({
      name: `${seconds} s, ${direction}, ${finger}`,
      measure: (stage) => stall(stage, { seconds, direction, finger }),
    })),
  ),
);
await run("stalls", stalls);
await run("losses", [
  { name: "every connection reset", measure: (stage) => cut(stage) },
  { name: "every connection forgotten by the network (half open)", measure: (stage) => forget(stage) },
]);

const pauses = { every: 2500, least: 200, most: 400 };
const skies = [
  ["60 ms each way", { delay: 60 }],
  ["150 ms each way", { delay: 150 }],
  ["400 ms each way", { delay: 400 }],
  ["jitter of 0 to 150 ms each way", { jitter: 150 }],
  ["60 ms each way, jitter of 0 to 30 ms", { delay: 60, jitter: 30 }],
  ["pauses of 200 to 400 ms, every 2.5 s on average", { pauses }],
];
await run(
  "weather",
  skies.map(([name, sky]) => ({
    name,
    measure: (stage, time) => weather(stage, { weather: sky, seconds: 10, seed: 100 + time * 2 }),
  })),
);
await run(
  "others",
  Object.entries(OTHERS).map(([what, velocity]) => ({ name: what, measure: (stage) => otherDriver(stage, { velocity }) })),
);
await run("trembling", [
  { name: "60 s of a finger that trembles by a pixel", repeats: 1, measure: (stage) => trembling(stage, { seconds: 60 }) },
]);
await run("unchanging", [{ name: "a contact that never changes", repeats: 1, measure: (stage) => unchanging(stage) }]);

const compared = (what, measure) =>
  CONSOLES.map((console) => ({ name: `${what}: ${console.name}`, what, console, measure: (stage) => measure(stage, console) }));
await run("comparison", [
  ...compared("stall of 3 s, finger lifted after 1 s", (stage, console) =>
    stall(stage, { seconds: 3, finger: "lifted", console }),
  ),
  ...compared("stall of 3 s, finger held", (stage, console) => stall(stage, { seconds: 3, finger: "held", console })),
  ...compared("page hangs 5 s, finger held", (stage, console) => hang(stage, { seconds: 5, console })),
  ...compared("connection reset, finger held", (stage, console) => cut(stage, { console })),
]);

const machine = describeMachine(bench.browser);
const late = (bench.lateness.max / 1e6).toFixed(0);
await bench.close();
await tutorialServer.close();

const document = `# What the vehicle's log shows

Written by \`scripts/bench.sh faults\`, never by hand. A finger drives the simulated vehicle in a real
browser; then something fails. What counts is what arrived at the vehicle and when, by its own log. Pairs
are median / worst. The cases are in \`tests/browser/faults/\`.

Machine: ${machine}.
Before, the machine's load was ${load.toFixed(1)}; meanwhile a timer of the measuring program's own was at
most ${late} ms late.

${sections().join("\n\n")}
`;
console.log(document);
if (options.write) await writeFile(options.write, document);
if (options.excerpt) {
  const page = await readFile(options.excerpt, "utf8");
  await writeFile(options.excerpt, between(page, "faults", excerpt()));
}
process.exitCode = bench.failures.length > 0 ? 1 : 0;

function sections() {
  const found = [];
  const add = (section, title, words, columns, rows = measured[section]) => {
    if (rows.length > 0) found.push([`## ${title}`, words, table(columns, rows)].filter(Boolean).join("\n\n"));
  };
  add("releases", "A press ends", "First zero: from when the page is told to when the vehicle has it.", [
    ["what ends the press", name[1]],
    runs,
    ["first zero, ms", all(({ delay }) => delay, { digits: 1 })],
    ["non-zeros after the page is told", worst(({ motions }) => motions)],
    ["non-zeros after the first zero", worst(({ motionsAfterZero }) => motionsAfterZero)],
    ["zeros (least)", ({ results }) => String(Math.min(...results.map(({ zeros }) => zeros)))],
    ["drive afterwards", ({ name }) => (RELEASES[name].leaves ?? ["gone"]).join(" or ")],
  ]);
  add("threads", "The page or a Worker fails", "For a Worker the time counts from its last non-zero.", [
    ["what", name[1]],
    runs,
    ["first zero, ms", all(({ firstZero }) => firstZero)],
    ["non-zeros after it", worst(({ motionsAfterZero }) => motionsAfterZero)],
  ]);
  add("stalls", "The link stalls with the socket open", "Late: arrived more than 300 ms after it was sent.", [
    ["held for, direction, finger", name[1]],
    runs,
    ["late non-zeros", all(({ late }) => late)],
    ["the latest, ms", worst(({ latest }) => Math.round(latest))],
    ["zeros follow on the same socket", ({ results }) => share(results, zerosFollow)],
    ["non-zeros after the first zero", worst(({ motionsAfterZero }) => motionsAfterZero)],
    ["non-zeros sent after recovery", worst(({ motionsSentAfter }) => motionsSentAfter)],
    ["then silence", ({ results }) => share(results, ({ isSilent }) => isSilent)],
    ["drive afterwards", ({ results }) => tally(results.map(({ state }) => state.state))],
    ["new socket", ({ results }) => share(results, ({ isNewSocket }) => isNewSocket)],
  ]);
  add("losses", "The connection is lost", "Finger held; the network itself works again at once.", [
    ["what", name[1]],
    runs,
    ["zero on the new connection after, ms", all(({ zeroAfter }) => zeroAfter)],
    ["non-zeros after the first zero", worst(({ motionsAfterZero }) => motionsAfterZero)],
    ["late non-zeros", worst(({ late }) => late)],
    ["then silence", ({ results }) => share(results, ({ isSilent }) => isSilent)],
    ["drive afterwards", ({ results }) => tally(results.map(({ state }) => state.state))],
  ]);
  add("weather", "The link is slow", "One press of at most 10 s. Drives begun anew under it would be a stutter.", [
    ["link", name[1]],
    runs,
    ["outcome", ({ results }) => tally(results.map(outcomeOf))],
    ["drove, s (median / longest)", all(({ drove }) => drove, { digits: 1 })],
    ["drives under the press", ({ results }) => String(Math.max(...results.map(({ runs }) => runs ?? 0)))],
    ["longest gap, ms", all(({ longestGap }) => longestGap)],
    ["late non-zeros", ({ results }) => String(Math.max(...results.map(({ late }) => late ?? 0)))],
  ]);
  add("others", "Another client publishes on the same topic", "Ten a second, for 2 s.", [
    ["what it publishes", name[1]],
    runs,
    ["our first zero after its first, ms", all(({ stoppedAfter }) => stoppedAfter)],
    ["our non-zeros after it", worst(({ motionsAfterZero }) => motionsAfterZero)],
    ["drive afterwards", ({ results }) => tally(results.map(({ state }) => state.state))],
  ]);
  add("trembling", "A finger that rests", "", [
    ["what", name[1]],
    ["gap at p99, ms", ({ results }) => results[0].p99.toFixed(0)],
    ["longest gap, ms", ({ results }) => results[0].longest.toFixed(0)],
    ["zeros", ({ results }) => String(results[0].zeros)],
    ["drive afterwards", ({ results }) => Object.values(results[0].state).filter(Boolean).join(": ")],
  ]);
  add("unchanging", "A dropped tablet", "", [
    ["what", name[1]],
    ["warned after, s", ({ results }) => results[0].warnedAfter.toFixed(1)],
    ["stopped after, s", ({ results }) => results[0].stoppedAfter.toFixed(1)],
    ["non-zeros after the first zero", ({ results }) => String(results[0].motionsAfterZero)],
  ]);
  const rows = comparison();
  if (rows.length > 0) {
    const words = `The other page (\`tests/bench/compare/\`) is what a careful tutorial makes of the two libraries: it sends
while the stick is held, a zero when it is let go, nothing without a connection, and connects again. Same
touches, same relay, same vehicle.`;
    found.push(`## Against a minimal page of roslib 2.1 and nipplejs 1.0.4\n\n${words}\n\n${comparisonTable(rows)}`);
  }
  if (bench.failures.length > 0) {
    found.push(`## Runs that did not come to their end\n\n${bench.failures.map((line) => `- ${line}`).join("\n")}`);
  }
  return found;
}

function zerosFollow({ zerosAfterLate }) {
  return zerosAfterLate.every((zeros) => zeros > 0);
}

function outcomeOf({ refused, stopped }) {
  // The number is of one run only.
  if (refused !== undefined) return `refused: ${refused.replace("Drive refused: ", "").replace(/: \d+ ms/, "")}`;
  return stopped === undefined ? "drove to the end" : `stopped once: ${stopped}`;
}

/** Rows of what was measured on both pages: `{ what, number, ours, theirs }`. */
function comparison() {
  const numbers = {
    stall: [
      ["late non-zeros", ({ late }) => late],
      ["non-zeros sent after recovery", ({ motionsSentAfter }) => motionsSentAfter],
      ["metres gone after recovery", ({ wentOn }) => wentOn, { digits: 2 }],
    ],
    page: [
      ["first zero, ms", ({ firstZero, whileHung }) => (whileHung ? firstZero : undefined)],
      ["non-zeros when the page goes on", ({ afterwards }) => afterwards],
    ],
    connection: [
      ["non-zeros on the new connection", ({ motionsSentAfter }) => motionsSentAfter],
      ["metres gone after the loss", ({ wentOn }) => wentOn, { digits: 2 }],
    ],
  };
  const whats = [...new Set(measured.comparison.map(({ what }) => what))];
  return whats.flatMap((what) => {
    const of = (console) => measured.comparison.find((row) => row.what === what && row.console === console)?.results;
    const [ours, theirs] = CONSOLES.map(of);
    if (!ours || !theirs) return [];
    return numbers[what.split(" ")[0]].map(([number, take, form]) => ({
      what,
      number,
      ours: medianAndWorst(ours.map(take), form),
      theirs: medianAndWorst(theirs.map(take), form),
    }));
  });
}

function comparisonTable(rows) {
  return table(
    [
      ["while driving", ({ what }) => what],
      ["the vehicle's log shows", ({ number }) => number],
      ["broomstick", ({ ours }) => ours],
      ["roslib + nipplejs", ({ theirs }) => theirs],
    ],
    rows,
  );
}

/** The short form for the README. */
function excerpt() {
  const all = measured.releases.flatMap(({ results }) => results.map(({ delay }) => delay));
  const delays = all.filter((delay) => delay !== undefined);
  const none = all.length - delays.length;
  const words = [];
  if (delays.length > 0) {
    words.push(
      `A press ended ${all.length} times, by ${measured.releases.length} causes. The first zero was at the vehicle ` +
        `${median(delays).toFixed(0)} ms after the page was told (median; worst ${Math.max(...delays).toFixed(0)} ms` +
        `${none > 0 ? `; none came ${none} times` : ""}).`,
    );
  }
  words.push(comparisonTable(comparison()), `Median / worst. Measured on ${machine}.`);
  const failed = bench.failures.length;
  if (failed > 0) words.push(`${failed} of the runs did not come to their end; docs/faults.md names them.`);
  return words.join("\n\n");
}
