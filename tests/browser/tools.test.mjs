// The tools (motion rules 18 to 25), by the raw frames that the page sent and by the vehicle.

import assert from "node:assert/strict";
import { scenario } from "./lib/stage.mjs";
import { until } from "./lib/wait.mjs";
import { MC_CTRL, MC_CTRL_FIELDS, between, isMotion, published, rate, truths, velocities } from "./lib/log.mjs";

/** A message that has all twelve fields, and nothing else, each a number; integers where they are. */
function assertComplete(message) {
  const { header, ...fields } = message;
  assert.deepEqual(Object.keys(fields).sort(), [...MC_CTRL_FIELDS].sort());
  for (const [name, value] of Object.entries(fields)) {
    assert.equal(typeof value, "number", `${name} is ${value}`);
    assert.ok(Number.isFinite(value));
    if (name !== "angle") assert.ok(Number.isInteger(value), `${name} is ${value}`);
  }
  assert.ok(header === undefined || header.stamp !== undefined);
}

scenario("side brush to 60: every McCtrl from then on is complete and carries 60", async (stage) => {
  const sweeper = await stage.vehicle();
  const wire = await stage.wire(sweeper);
  const page = await stage.open({ vehicle: wire });
  await page.armTools();
  const messages = () => wire.published(MC_CTRL).map(({ at, frame }) => ({ t: at, text: frame.msg }));
  await page.tap("tool-brake-0");
  await page.until("tool-brake", { value: "0", status: "published" });
  for (let step = 0; step < 7; step += 1) await page.tap("tool-side_brush-more");
  await page.tap("tool-side_brush-less");
  await page.until("tool-side_brush", { value: "60", status: "published" });
  const carries60 = ({ text }) => text.side_brush === 60;
  const first = messages().findLastIndex((message) => !carries60(message)) + 1;
  await sweeper.pass(2500);
  const after = messages().slice(first);

  assert.ok(after.length >= 20, `${after.length} messages`);
  assert.ok(after.every(carries60));
  for (const { text } of messages()) assertComplete(text);
  assert.ok(Math.abs(rate(after) - 10) <= 1, `${rate(after)} Hz`);
  // Nothing of a drive is in them: that is the stick's alone.
  for (const { text } of messages()) assert.deepEqual([text.gear, text.rpm, text.angle], [0, 0, 0]);
  // The brake: engaged until it was released, and never anything else.
  const brakes = messages().map(({ text }) => text.brake);
  assert.equal(brakes[0], 1);
  assert.deepEqual([...new Set(brakes)], [1, 0]);
  // The raw frames' integers are written as integers, which the real rosbridge insists on.
  const raw = wire.sent.filter(({ text }) => text.includes(MC_CTRL) && text.includes('"publish"'));
  for (const { text } of raw) assert.doesNotMatch(text, /"(?!angle")[a-z_]+":-?\d+\.\d/);
  // And the vehicle took every one of them.
  const taken = published(sweeper.lines, MC_CTRL);
  assert.ok(taken.every(({ outcome }) => outcome === "published"));
  await sweeper.until("the side brush at 60", () => Math.abs(sweeper.truth.sweeper.side_brush - 60) < 1);
});

scenario("switching the tools off sends at least three safe messages, then silence", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.armTools();
  await page.tap("tool-brake-0");
  await page.tap("tool-side_brush-more");
  await page.until("tool-side_brush", { value: "10", status: "published" });
  const off = sweeper.now;
  await page.tap("tools-arm");
  await page.until("tools", { state: "disarmed" });
  const isSafe = ({ msg }) => msg.side_brush === 0 && msg.rpm === 0 && msg.brake === 1 && msg.gear === 0;
  await sweeper.until("the safe messages", (lines) => published(lines, MC_CTRL).filter(isSafe).length > 0, {
    since: off,
  });
  await sweeper.pass(3000);
  const after = between(published(sweeper.lines, MC_CTRL), off);
  const safe = after.slice(after.findIndex(({ msg }) => msg.side_brush === 0));
  assert.ok(safe.length >= 3, `${safe.length} safe messages`);
  assert.ok(safe.every(({ msg }) => msg.side_brush === 0));
  assert.ok(sweeper.now - safe.at(-1).t > 700, "they do not end");
});

scenario("a pusher runs while a finger holds it, and no longer", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.armTools();
  await page.tap("tools-page-pushers");
  const from = sweeper.now;
  const finger = await page.press("tool-brush_deck_pusher-plus");
  await page.until("tool-brush_deck_pusher-plus", { held: "true" });
  await sweeper.until("the brush deck to go out", () => sweeper.truth.sweeper.brush_deck > 0.15);
  await page.touch.up(finger);
  const lifted = sweeper.now;
  await page.until("tool-brush_deck_pusher", { value: "0" });
  await sweeper.pass(600);
  const commands = between(published(sweeper.lines, MC_CTRL), from);
  const duties = commands.map(({ msg }) => msg.brush_deck_pusher);
  const lastDuty = duties.findLastIndex((duty) => duty !== 0);
  assert.ok(duties[lastDuty] > 0);
  assert.ok(commands[lastDuty].t - lifted < 150, `it ran on for ${commands[lastDuty].t - lifted} ms`);
  assert.ok(duties.length - lastDuty > 3);
});

scenario("one finger drives while another holds a pusher; neither ends the other", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.armTools();
  await page.tap("tool-brake-0");
  await page.until("tool-brake", { value: "0", status: "published" });
  await page.tap("tools-page-pushers");
  await page.arm();

  const thumb = await page.drive();
  await sweeper.until("full speed", () => sweeper.truth.v > 0.25);
  const from = sweeper.now;
  const finger = await page.press("tool-suction_squeeqee_pusher-plus");
  await sweeper.until("the squeegee to go out", () => sweeper.truth.sweeper.squeegee > 0.1);
  // The pusher ends, the drive goes on.
  await page.touch.up(finger);
  const lifted = await sweeper.pass(600);
  const whilePushing = between(velocities(sweeper.lines), from, sweeper.now);
  assert.ok(whilePushing.every(isMotion), "the drive was interrupted");
  assert.ok(Math.abs(rate(whilePushing) - 20) <= 2, `${rate(whilePushing)} Hz`);
  const after = between(published(sweeper.lines, MC_CTRL), lifted + 200);
  assert.ok(after.length > 0);
  assert.ok(after.every(({ msg }) => msg.suction_squeeqee_pusher === 0));

  // The drive ends, the pusher goes on.
  const second = await page.press("tool-suction_squeeqee_pusher-minus");
  await sweeper.until("the squeegee to come in", (lines) => {
    return published(lines, MC_CTRL).some(({ msg }) => msg.suction_squeeqee_pusher < 0);
  }, { since: sweeper.now });
  await page.touch.up(thumb);
  await page.until("drive", { state: "ready" });
  const ended = sweeper.now;
  await sweeper.pass(500);
  await page.until("tool-suction_squeeqee_pusher-minus", { held: "true" });
  const pushing = between(published(sweeper.lines, MC_CTRL), ended);
  assert.ok(pushing.length >= 3);
  assert.ok(pushing.every(({ msg }) => msg.suction_squeeqee_pusher < 0), "the pusher was interrupted");
  assert.equal(truths(sweeper.lines).at(-1).v < 0.1, true);
  await page.touch.up(second);
  await page.until("tool-suction_squeeqee_pusher", { value: "0" });
  // Lifting the stick leaves the tools on (rule 23).
  await page.until("tools", { state: "armed" });
});

scenario("with the brake on the drive refuses and says why", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.armTools();
  await page.until("tool-brake", { value: "1", status: "published" });
  await page.tap("drive-arm");
  await page.until("drive", { state: "ready" });
  const from = sweeper.now;
  const finger = await page.pressStick({ forward: 1.02 });
  await page.until("drive", { reason: "brake-on" });
  await page.untilText("banner", /brake is on/);
  await sweeper.pass(300);
  await page.touch.up(finger);
  assert.deepEqual(between(velocities(sweeper.lines), from).filter(isMotion), []);
});

scenario("all twelve fields stand on the screen with their ends", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await page.until("tool-rpm", { max: "255" });
  for (const field of MC_CTRL_FIELDS) {
    const low = await page.number(`tool-${field}`, "min");
    const high = await page.number(`tool-${field}`, "max");
    assert.ok(low < high, `${field}: ${low} to ${high}`);
  }
  // This vehicle's rpm is a uint8, so most of the documented range cannot be sent: that is said.
  await page.tap("tools-page-more");
  await page.untilText("tool-rpm", /uint8: up to 255 = 0\.13 m\/s/);
  assert.ok(await page.id("tool-rpm").locator(".tool-note").isVisible());
  for (let step = 0; step < 20; step += 1) await page.tap("tool-rpm-more");
  await page.untilText("tool-rpm", /255 rpm/);
});

scenario("a field that the vehicle lacks is struck out with the reason, and has no keys", async (stage) => {
  const lacking = ["side_brush", "water_spray", "suction_squeeqee_pusher", "angle_speed"];
  const sweeper = await stage.vehicle({ args: lacking.flatMap((field) => ["--lacking", field]) });
  const page = await stage.open({ vehicle: sweeper });
  await page.armTools();
  const keys = {
    brushes: { gone: ["side_brush-less", "side_brush-more", "side_brush-off"], there: ["dust_shake-more"] },
    pushers: {
      gone: ["suction_squeeqee_pusher-plus", "suction_squeeqee_pusher-minus"],
      there: ["brush_deck_pusher-plus"],
    },
    water: { gone: ["water_spray-more", "water_spray-plus", "water_spray-minus"], there: [] },
    more: { gone: ["angle_speed-more"], there: ["angle-more"] },
  };
  for (const [tab, { gone, there }] of Object.entries(keys)) {
    await page.tap(`tools-page-${tab}`);
    for (const testid of gone) assert.ok(!(await page.id(`tool-${testid}`).isVisible()), `${testid} can be pressed`);
    for (const testid of there) assert.ok(await page.id(`tool-${testid}`).isVisible(), `${testid} is gone`);
    for (const field of lacking) {
      const row = page.id(`tool-${field}`);
      if (!(await row.isVisible())) continue;
      assert.match(await row.innerText(), /not on this vehicle/);
      const line = await row.locator(".tool-name").evaluate((name) => getComputedStyle(name).textDecorationLine);
      assert.equal(line, "line-through");
    }
  }
  // What is left goes out whole, as this vehicle has it.
  await page.tap("tools-page-brushes");
  await page.tap("tool-dust_shake-more");
  await page.until("tool-dust_shake", { value: "10", status: "published" });
  const { msg } = published(sweeper.lines, MC_CTRL).at(-1);
  assert.deepEqual(Object.keys(msg).sort(), MC_CTRL_FIELDS.filter((field) => !lacking.includes(field)).sort());
});

/** Two short steps. */
const SHORT = {
  tools: {
    programs: [
      {
        name: "Short",
        name_zh: "短",
        steps: [
          { for_s: 0.6, side_brush: 40 },
          { for_s: 1.5, brush_deck_pusher: "extend" },
        ],
      },
    ],
  },
};

scenario("a program runs while its button is held and another finger drives; STOP ends it", async (stage) => {
  const sweeper = await stage.vehicle();
  const server = await stage.serve();
  server.overrides["short.json"] = { body: JSON.stringify(SHORT) };
  const page = await stage.open({ vehicle: sweeper, at: server.url, query: { profile: "short.json" } });
  await page.armTools();
  await page.tap("tool-brake-0");
  await page.until("tool-brake", { value: "0", status: "published" });
  await page.tap("tools-page-programs");
  assert.match(await page.text("program-1"), /Short\s*3 s/);
  await page.arm();
  const thumb = await page.drive();
  await sweeper.until("speed", () => sweeper.truth.v > 0.2);

  const from = sweeper.now;
  const finger = await page.press("program-1");
  await page.until("program-1-state", { held: "true" });
  await sweeper.until("the deck to go out", () => sweeper.truth.sweeper.brush_deck > 0.02);
  await page.touch.up(finger);
  await page.untilText("program-1", /waits: step 2 of 2/);
  const waiting = await sweeper.pass(700);
  const messages = between(published(sweeper.lines, MC_CTRL), from).map(({ t, msg }) => ({ t, ...msg }));
  const brushed = messages.findIndex(({ side_brush }) => side_brush === 40);
  const pushed = messages.findIndex(({ brush_deck_pusher }) => brush_deck_pusher > 0);
  assert.ok(brushed >= 0 && pushed > brushed, "the steps are out of order");
  assert.ok(messages[pushed].t - messages[brushed].t > 450, "the first step was cut short");
  const after = messages.filter(({ t }) => t > waiting + 200);
  assert.ok(after.length > 2);
  assert.ok(after.every((msg) => msg.brush_deck_pusher === 0 && msg.side_brush === 40), "what it reached stays");
  assert.ok(between(velocities(sweeper.lines), from).every(isMotion), "the drive was interrupted");
  await page.until("drive", { state: "driving" });

  const again = await page.press("program-1");
  await page.untilText("program-1", /done/);
  assert.equal(await page.data("program-1-state", "progress"), "1.00");
  await page.touch.up(thumb);
  const stopped = sweeper.now;
  await page.tap("stop");
  await page.until("tools", { state: "stopped" });
  await page.until("program-1-state", { progress: "0.00", held: "false" });
  await sweeper.pass(800);
  const stop = between(published(sweeper.lines, MC_CTRL), stopped).slice(2);
  assert.ok(stop.length > 0 && stop.every(({ msg }) => msg.side_brush === 0 && msg.brush_deck_pusher === 0));
  await page.touch.up(again);
});

scenario("reversing sounds, and is refused with the squeegee out", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper, before: ({ page }) => page.addInitScript(countTones) });
  const tones = () => page.page.evaluate(() => window.__tones);
  await page.armTools();
  await page.tap("tool-brake-0");
  await page.until("tool-brake", { value: "0", status: "published" });
  await page.arm();
  const forward = await page.drive({ forward: 0.9 });
  await sweeper.until("speed", () => sweeper.truth.v > 0.1);
  await page.touch.up(forward);
  await page.until("drive", { state: "ready" });
  assert.equal(await tones(), 0);
  await page.seenStanding();
  await sweeper.pass(600);
  const back = await page.drive({ forward: -0.9 });
  await sweeper.until("reverse", () => sweeper.truth.v < -0.05);
  await until("two tones", async () => (await tones()) >= 2);
  await page.touch.up(back);
  await page.until("drive", { state: "ready" });
  const heard = await tones();
  await sweeper.pass(1500);
  assert.equal(await tones(), heard, "it goes on sounding");

  await page.tap("tools-page-pushers");
  const finger = await page.press("tool-suction_squeeqee_pusher-plus");
  await sweeper.until("the squeegee to go out", () => sweeper.truth.sweeper.squeegee > 0.05);
  await page.touch.up(finger);
  const from = sweeper.now;
  const refused = await page.drive({ forward: -0.9 });
  await page.untilText("banner", /no reverse with the squeegee out\. Retract it first/);
  await sweeper.pass(500);
  assert.deepEqual(between(velocities(sweeper.lines), from).filter(isMotion), []);
  // Retracting it is offered right there, to the same hand too.
  await page.touch.up(refused);
  await page.until("drive", { state: "ready" });
  const { width, height } = await page.box("retract-squeegee");
  assert.ok(width >= 56 && height >= 56, `${width} by ${height}`);
  const retracting = await page.press("retract-squeegee");
  await page.until("retract-squeegee", { held: "true" });
  await sweeper.until("the squeegee to come in", () => sweeper.truth.sweeper.squeegee < 0.01);
  assert.ok(await page.id("retract-squeegee").isVisible(), "it goes away under the finger");
  await page.touch.up(retracting);
  await sweeper.until("it to rest", () => published(sweeper.lines, MC_CTRL).at(-1).msg.suction_squeeqee_pusher === 0);
  await until("the offer to end", async () => !(await page.id("retract-squeegee").isVisible()));
  const now = await page.drive({ forward: -0.9 });
  await sweeper.until("reverse", () => sweeper.truth.v < -0.05);
  await page.touch.up(now);
});

/** Runs in the page: instead of sounding, tones are counted. */
function countTones() {
  window.__tones = 0;
  const node = () => ({ frequency: {}, gain: {}, connect: (to) => to, start: () => (window.__tones += 1), stop() {} });
  window.AudioContext = class {
    currentTime = 0;
    resume() {}
    createOscillator = node;
    createGain = node;
  };
}

scenario("one finger drives while another holds a program; neither ends the other", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.armTools();
  await page.tap("tool-brake-0");
  await page.until("tool-brake", { value: "0", status: "published" });
  await page.tap("tools-page-programs");
  await page.arm();

  const thumb = await page.drive();
  await sweeper.until("full speed", () => sweeper.truth.v > 0.25);
  const from = sweeper.now;
  // Sweep: the brushes turn, then the deck goes out.
  const finger = await page.press("program-1");
  await page.until("program-1-state", { held: "true" });
  await sweeper.until("the deck to go out", () => sweeper.truth.sweeper.brush_deck > 0.1);
  // The program is let go: what moves ends, what it reached stays, the drive goes on.
  await page.touch.up(finger);
  const released = sweeper.now;
  await page.until("program-1-state", { held: "false" });
  await sweeper.pass(600);
  const driven = between(velocities(sweeper.lines), from, sweeper.now);
  assert.ok(driven.every(isMotion), "the drive was interrupted");
  assert.ok(Math.abs(rate(driven) - 20) <= 2, `${rate(driven)} Hz`);
  const waiting = between(published(sweeper.lines, MC_CTRL), released + 200);
  assert.ok(waiting.length >= 3);
  for (const { msg } of waiting) {
    assert.deepEqual([msg.brush_deck_pusher, msg.roll_brush_suction, msg.side_brush], [0, 60, 60]);
  }
  const reached = await page.number("program-1-state", "progress");
  assert.ok(reached > 0.2 && reached < 1, `${reached} of the program`);

  // It goes on from there; the drive is let go, the program is not.
  const second = await page.press("program-1");
  await sweeper.until("the deck to go on", (lines) => {
    return published(lines, MC_CTRL).some(({ msg }) => msg.brush_deck_pusher > 0);
  }, { since: sweeper.now });
  await page.touch.up(thumb);
  await page.until("drive", { state: "ready" });
  const ended = sweeper.now;
  await sweeper.pass(500);
  await page.until("program-1-state", { held: "true" });
  const moving = between(published(sweeper.lines, MC_CTRL), ended);
  assert.ok(moving.length >= 3);
  assert.ok(moving.every(({ msg }) => msg.brush_deck_pusher > 0), "the program was interrupted");

  // STOP ends it under the finger, and what it had reached.
  const stopped = sweeper.now;
  await page.tap("stop");
  await sweeper.until("everything at rest", (lines) => {
    return published(lines, MC_CTRL).some(({ msg }) => msg.brush_deck_pusher === 0 && msg.side_brush === 0);
  }, { since: stopped });
  await sweeper.pass(600);
  const rest = between(published(sweeper.lines, MC_CTRL), stopped + 300);
  for (const { msg } of rest) {
    assert.deepEqual([msg.brush_deck_pusher, msg.roll_brush_suction, msg.side_brush], [0, 0, 0]);
  }
  await page.touch.up(second);
});

scenario("holds and steps of the tools are large enough for a glove", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  const keys = {
    programs: ["program-1", "program-2", "program-3", "program-4"],
    brushes: ["tool-side_brush-less", "tool-side_brush-more"],
    pushers: ["tool-brush_deck_pusher-plus", "tool-suction_squeeqee_pusher-minus"],
    water: ["tool-water_spray-plus", "tool-water_spray-minus"],
  };
  for (const [tab, testids] of Object.entries(keys)) {
    await page.tap(`tools-page-${tab}`);
    for (const testid of testids) {
      const { width, height } = await page.box(testid);
      assert.ok(width >= 56 && height >= 56, `${testid} is ${width} by ${height}`);
    }
  }
});
