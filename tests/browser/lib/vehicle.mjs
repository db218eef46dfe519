// The native simulated vehicle, started for a test, and its log as the truth.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { fileURLToPath } from "node:url";
import WebSocket from "ws";
import { truths } from "./log.mjs";
import { until, wallClock } from "./wait.mjs";

const PROGRAM =
  process.env.BROOMSTICK_VEHICLE ?? fileURLToPath(new URL("../../../target/debug/vehicle", import.meta.url));

export class Vehicle {
  /** Port 0 takes a free one; `args` are further arguments, see `vehicle --help`. */
  static async start({ port = 0, args = [] } = {}) {
    const folder = await mkdtemp(join(tmpdir(), "broomstick-vehicle-"));
    const logFile = join(folder, "log.jsonl");
    const program = spawn(PROGRAM, ["--port", String(port), "--log", logFile, ...args], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    const vehicle = new Vehicle(program, folder, logFile);
    await vehicle.#listening();
    return vehicle;
  }

  #program;
  #folder;
  #file;
  #decoder = new StringDecoder("utf8");
  #unread = "";
  #lines = [];
  #offset;
  #said = "";

  constructor(program, folder, logFile) {
    this.#program = program;
    this.#folder = folder;
    this.logFile = logFile;
    program.stdout.on("data", (bytes) => (this.#said += bytes));
    program.stderr.on("data", (bytes) => (this.#said += bytes));
    program.on("error", (error) => (this.#said += error));
  }

  /** Everything logged so far. */
  get lines() {
    this.#read();
    return this.#lines;
  }

  /** The vehicle's clock at its newest line, in milliseconds. */
  get now() {
    return this.lines.at(-1)?.t ?? 0;
  }

  /** The newest truth. */
  get truth() {
    return truths(this.lines).at(-1);
  }

  /** Lines from this moment of the vehicle's clock on. */
  since(t) {
    return this.lines.filter((line) => line.t >= t);
  }

  /** Waits until the vehicle's clock has passed this moment; everything before it is then logged. */
  async clockPast(t) {
    await until(`the vehicle's clock to pass ${t.toFixed(0)} ms`, () => this.now > t, {
      tell: () => `${this.now.toFixed(0)} ms`,
    });
  }

  /** Waits until `ms` more have passed on the vehicle's clock; returns that clock at the start. */
  async pass(ms) {
    const from = this.now;
    await this.clockPast(from + ms);
    return from;
  }

  /** Waits until `look(lines)` finds something in the lines logged from `t` on. */
  async until(what, look, { since = 0, ...options } = {}) {
    return until(what, () => look(this.since(since)), {
      tell: () => this.lines.slice(-3).map((line) => JSON.stringify(line)).join("\n"),
      ...options,
    });
  }

  /** A command on standard input, see `vehicle --help`. */
  say(command) {
    this.#program.stdin.write(`${command}\n`);
  }

  /**
   * A wall-clock moment on the vehicle's clock. Known after `measureClock`, to within the time
   * that a frame needs from one process to another.
   */
  clockAt(wall) {
    return wall + this.#offset;
  }

  /** Compares the clocks by frames of its own. */
  async measureClock() {
    const socket = new WebSocket(this.url);
    await once(socket, "open");
    const offsets = [];
    for (let i = 0; i < 7; i += 1) {
      const topic = `/clock_probe_${i}`;
      const sent = wallClock();
      socket.send(JSON.stringify({ op: "unadvertise", topic }));
      const line = await this.until("the clock probe", (lines) => lines.find((l) => l.topic === topic));
      offsets.push(line.t - sent);
    }
    socket.terminate();
    // A frame can only come late, so the least offset is the nearest to the truth.
    this.#offset = Math.min(...offsets);
  }

  /** Ends it as a power cut would: no close frame, no last word. */
  async kill() {
    if (this.#program.exitCode !== null || this.#program.signalCode !== null) return;
    const gone = once(this.#program, "exit");
    this.#program.kill("SIGKILL");
    await gone;
    this.#read();
  }

  /** Ends it and forgets its log. */
  async clear() {
    await this.kill();
    if (this.#file !== undefined) closeSync(this.#file);
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #listening() {
    const address = await until(
      "the vehicle to listen",
      () => {
        if (this.#program.exitCode !== null) throw new Error(`the vehicle did not start: ${this.#said}`);
        return /listening on (ws:\/\/[^\s]+:(\d+))/.exec(this.#said);
      },
      { tell: () => this.#said || `nothing was said by ${PROGRAM}` },
    );
    this.url = address[1];
    this.port = Number(address[2]);
    this.#file = openSync(this.logFile, "r");
  }

  #read() {
    if (this.#file === undefined) return;
    const bytes = Buffer.alloc(1 << 16);
    for (;;) {
      const count = readSync(this.#file, bytes, 0, bytes.length, null);
      if (count === 0) return;
      const texts = (this.#unread + this.#decoder.write(bytes.subarray(0, count))).split("\n");
      this.#unread = texts.pop();
      for (const text of texts) this.#lines.push(JSON.parse(text));
    }
  }
}
