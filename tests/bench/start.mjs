// How long it takes from opening the page to a stick that is armed, in demo mode, with the page's
// thread slowed 4 times.
//
//   node tests/bench/start.mjs [--repeats 10]

import { parseArgs } from "node:util";
import { timeToArmed } from "../browser/lib/start.mjs";
import { Bench } from "./lib/bench.mjs";
import { describeMachine } from "./lib/machine.mjs";
import { medianAndWorst } from "./lib/report.mjs";

const { values: options } = parseArgs({ options: { repeats: { type: "string", default: "10" } } });
const bench = await Bench.open();
const times = await bench.repeat("start", Number(options.repeats), (stage) => timeToArmed(stage));
console.log(`Machine: ${describeMachine(bench.browser)}`);
console.log(`From navigation to an armed stick, demo mode, page thread slowed 4 times, ${times.length} runs:`);
console.log(`${medianAndWorst(times.map((ms) => ms / 1000), { digits: 2, unit: " s" })} (median / worst)`);
await bench.close();
process.exitCode = bench.failures.length > 0 ? 1 : 0;
