// Pictures of the console on every screen, language and theme, and of its states, for looking at:
//
//   node tests/browser/screenshots.mjs DIRECTORY [PATTERN]
//
// With a pattern only those whose name matches.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import WebSocket from "ws";
import { launch } from "./lib/browser.mjs";
import { MC_CTRL, MC_CTRL_FIELDS, metersBetween } from "./lib/log.mjs";
import { GRID_PROFILE, GRID_STATES, GROUND_PROFILE, GROUND_STATES, MAP_START, mapFiles } from "./lib/map_states.mjs";
import { armFlight, flown, hover, PROFILE, startMotors } from "./lib/multirotor.mjs";
import { ConsolePage } from "./lib/page.mjs";
import { LANGUAGES, SCREENS, SIDEWAYS, THEMES } from "./lib/screens.mjs";
import { freePort } from "./lib/servers.mjs";
import { advertise, lookAt, openTopics, plotWhatChanges } from "./lib/topics.mjs";
import { Vehicle } from "./lib/vehicle.mjs";
import { until } from "./lib/wait.mjs";
import { serve } from "./server.mjs";

const folder = process.argv[2];
if (!folder) {
  console.error("usage: node tests/browser/screenshots.mjs DIRECTORY [PATTERN]");
  process.exit(2);
}
const pattern = new RegExp(process.argv[3] ?? "");
await mkdir(folder, { recursive: true });
const [browser, server] = await Promise.all([
  launch(),
  serve({ dist: process.env.BROOMSTICK_DIST, more: mapFiles }),
]);

/** A machine that makes pictures is busy: nothing is to stop by itself for that. */
const PATIENT = { deadman_ms: 1000, link_timeout_ms: 1000 };
const profileOf = (profile) => ({ body: JSON.stringify({ ...profile, drive: { ...PATIENT, ...profile.drive } }) });
server.overrides["config.json"] = profileOf({});

/** What did not come about even so is tried again. */
const TRIES = 4;

/** Opens the console, lets `act` bring it into a state, and takes a picture. */
async function picture(name, screen, query, act) {
  if (!pattern.test(name)) return;
  for (let tries = 1; ; tries += 1) {
    try {
      await take(name, screen, query, act);
      console.log(`${name}.png`);
      return;
    } catch (error) {
      if (tries < TRIES) continue;
      console.error(`${name}: ${error.message}`);
      process.exitCode = 1;
      return;
    }
  }
}

async function take(name, screen, query, act) {
  const address = new URL(server.url);
  for (const [key, value] of Object.entries(query)) address.searchParams.set(key, value);
  const { width, height } = screen;
  const page = await ConsolePage.open(browser, address.href, { viewport: { width, height } });
  try {
    await act(page);
    await page.page.screenshot({ path: join(folder, `${name}.png`) });
  } finally {
    await page.close();
  }
}

async function live(page) {
  await page.online();
  await page.until("rtk", { state: "live" });
  await page.seenStanding();
}

async function driving(page) {
  await page.arm();
  await page.drive({ forward: 0.8, left: 0.35 });
  const from = await page.place("vehicle-marker");
  await until("a trail", async () => {
    const way = metersBetween(from, await page.place("vehicle-marker"));
    return Math.hypot(way.north, way.east) > 1.5;
  });
}

const states = {
  driving,
  reverse: async (page) => {
    await page.arm();
    await page.drive({ forward: -0.8 });
    await until("reverse", async () => (await page.number("velocity", "linear")) < -0.2);
  },
  stopped: async (page) => {
    await page.arm();
    await page.drive();
    await page.press("stop");
    await page.untilText("banner", /(standing|静止)/);
  },
  blocked: async (page) => {
    await page.arm();
    await page.drive();
    await page.page.evaluate(() => window.dispatchEvent(new Event("blur")));
    await page.until("drive", { state: "blocked" });
  },
  tools: async (page) => {
    await page.armTools();
    await page.tap("tool-brake-0");
    for (let step = 0; step < 6; step += 1) await page.tap("tool-side_brush-more");
    await page.until("tool-side_brush", { value: "60", status: "published" });
  },
  pushers: async (page) => {
    await page.armTools();
    await page.tap("tools-page-pushers");
    await page.press("tool-brush_deck_pusher-plus");
    await page.until("tool-brush_deck_pusher-plus", { held: "true" });
  },
  programs: async (page) => {
    await page.armTools();
    await page.tap("tools-page-programs");
    await page.press("program-2");
    await page.untilText("program-2", /2/);
    await until("some way", async () => (await page.number("program-2-state", "progress")) > 0.3);
  },
  machine: async (page) => {
    // It does not begin to be shown under a press.
    await page.id("machine-water").waitFor({ state: "attached" });
    await page.armTools();
    await page.tap("tool-roll_brush_suction_direction-1");
    for (let step = 0; step < 7; step += 1) await page.tap("tool-roll_brush_suction-more");
    for (let step = 0; step < 4; step += 1) await page.tap("tool-side_brush-more");
    await page.tap("tools-page-water");
    await page.press("tool-water_spray-plus");
    await page.until("machine-water", { drawn: "published", value: "30" });
    await page.until("machine-roll_brush", { drawn: "published", value: "70" });
  },
  settings: async (page) => {
    await live(page);
    await page.tap("settings");
  },
  keys: async (page) => {
    await live(page);
    await page.tap("settings");
    await page.id("key-left-change").scrollIntoViewIfNeeded();
    await page.tap("key-left-change");
    await page.id("gamepad-change").scrollIntoViewIfNeeded();
  },
  "two-pads": async (page) => {
    await page.online();
    await page.tapSetting("pads-two");
    await page.arm();
    const [left, right] = [await page.middle("stick"), await page.middle("stick-2")];
    const speed = await page.touch.down(left.x, left.y);
    const steering = await page.touch.down(right.x, right.y);
    await page.touch.move(speed, left.x, left.y - 50);
    await page.touch.move(steering, right.x - 40, right.y);
    await until("motion", async () => (await page.number("velocity", "linear")) > 0.1);
  },
  "two-pads-stopped": async (page) => {
    await page.online();
    await page.tapSetting("pads-two");
    await page.tap("stop");
    await page.untilText("banner", /(standing|静止)/);
  },
  "tools-stopped": async (page) => {
    await live(page);
    await page.tap("tools-page-brushes");
    await page.tap("stop");
    await page.untilText("banner", /(standing|静止)/);
  },
  "tools-off": async (page) => {
    await page.armTools();
    await page.tap("tool-side_brush-more");
    await page.until("tool-side_brush", { value: "10", status: "published" });
    await page.tap("tools-arm");
    await page.until("tools", { state: "disarmed" });
    await page.untilText("tool-brake", /✓|published|已发布/);
  },
  more: async (page) => {
    await live(page);
    await page.tap("tools-page-more");
  },
  "tools-off-tapped": async (page) => {
    await live(page);
    await page.tap("tools-page-brushes");
    await page.tap("tool-side_brush-more");
    await page.untilText("banner", /(Tools are off|作业装置未启用)/);
  },
  motor: async (page) => {
    await page.armTools();
    await page.tap("tool-brake-0");
    await page.tap("tools-page-more");
    await page.tap("tool-gear-1");
    await page.tap("tool-angle-more");
    await page.until("tool-angle", { value: "5.0", status: "published" });
    await page.press("tool-rpm-plus");
    await page.until("tool-rpm-plus", { held: "true" });
  },
  water: async (page) => {
    await live(page);
    await page.tap("tools-page-water");
  },
  "tools-folded": async (page) => {
    await page.armTools();
    // A second tap on a tab folds it away, where it can be folded.
    for (let tap = 0; tap < 2; tap += 1) await page.tap("tools-page-pushers");
  },
  "program-waits": async (page) => {
    await page.armTools();
    await page.tap("tools-page-programs");
    const finger = await page.press("program-2");
    await until("some way", async () => (await page.number("program-2-state", "progress")) > 0.2);
    await page.touch.up(finger);
    await page.until("program-2-state", { held: "false" });
  },
  "squeegee-out": async (page) => {
    await page.armTools();
    await page.tap("tool-brake-0");
    await page.until("tool-brake", { value: "0", status: "published" });
    await page.tap("tools-page-pushers");
    const finger = await page.press("tool-suction_squeeqee_pusher-plus");
    await page.until("tool-suction_squeeqee_pusher", { value: "100" });
    await page.page.waitForTimeout(800);
    await page.touch.up(finger);
    await page.arm();
    await page.pressStick({ forward: -0.9 });
    await page.id("retract-squeegee").waitFor();
  },
  "brake-on": async (page) => {
    await page.armTools();
    await page.tap("drive-arm");
    await page.pressStick({ forward: 0.9 });
    await page.until("drive", { reason: "brake-on" });
  },
  losses: (page) => unfold(page, "losses"),
  commissioning: (page) => unfold(page, "commissioning"),
  "commissioning-moves": async (page) => {
    await page.armTools();
    await unfold(page, "commissioning");
    await into(page, "check-deck-plus");
    await page.press("check-deck-plus");
    await page.until("check-deck-plus", { held: "true" });
  },
  "commissioning-brake": async (page) => {
    await page.armTools();
    await unfold(page, "commissioning");
    await into(page, "check-brake-minus");
    const finger = await page.press("check-brake-minus");
    await page.until("check-brake-minus", { held: "true" });
    await page.touch.up(finger);
    await into(page, "check-brake-negative");
    await page.tap("check-brake-negative");
    await page.id("confirm").waitFor();
  },
  "commissioning-end": async (page) => {
    await unfold(page, "commissioning");
    await into(page, "check-forget");
  },
  "programs-edit": async (page) => {
    await unfold(page, "programs-edit");
    await page.id("program-name").scrollIntoViewIfNeeded();
  },
  "programs-bad": async (page) => {
    await unfold(page, "programs-edit");
    await page.id("step-1-side_brush").fill("140");
    await into(page, "programs-problems");
  },
  "programs-differ": async (page) => {
    await unfold(page, "programs-edit");
    await page.id("step-1-side_brush").fill("40");
    await into(page, "programs-use");
    await page.tap("programs-use");
    await page.until("programs-state", { state: "differs" });
    await page.tap("settings-close");
    await page.tap("tools-page-programs");
  },
};

/** Brings an element of a sheet into its middle. */
const into = (page, testid) => page.id(testid).evaluate((element) => element.scrollIntoView({ block: "center" }));

/** Opens a part of the settings. */
async function unfold(page, testid) {
  await live(page);
  await page.tap("settings");
  const summary = page.id(testid).locator("summary");
  await summary.waitFor();
  await summary.evaluate((element) => element.scrollIntoView({ block: "start" }));
  await page.page.waitForTimeout(100);
  await summary.tap();
  await summary.evaluate((element) => element.scrollIntoView({ block: "start" }));
  // Its head stays at the top.
  await page.page.locator(".sheet[data-settings=true]").evaluate((sheet) => sheet.scrollBy(0, -64));
}

/** What the operator does on vehicles that differ, by a profile of their own. */
const others = {
  "foreign-tools": {
    act: async (page, vehicle) => {
      await page.armTools();
      await page.tap("tool-side_brush-more");
      await page.until("tool-side_brush", { value: "10", status: "published" });
      await publishMcCtrl(vehicle, { side_brush: 30 });
      await page.until("tools", { state: "blocked" });
    },
  },
  "stop-elsewhere": {
    act: async (page, vehicle) => {
      await live(page);
      stopFromElsewhere(vehicle);
      await page.until("stop", { latched: "true" });
      await page.untilText("banner", /Hof/);
    },
  },
  "stop-held-elsewhere": {
    act: async (page, vehicle) => {
      await live(page);
      stopFromElsewhere(vehicle);
      await page.until("stop", { latched: "true" });
      await page.tap("stop-reset");
      await page.until("stop", { latched: "false" });
      const beats = setInterval(() => stopFromElsewhere(vehicle), 200);
      try {
        await page.tap("drive-arm");
        await page.untilText("banner", /Hof/);
      } finally {
        clearInterval(beats);
      }
    },
  },
  "wide-rpm": {
    args: ["--rpm-type", "uint16"],
    act: async (page) => {
      await page.armTools();
      await page.tap("tools-page-more");
      await page.until("tool-rpm", { max: "6000" });
      for (let step = 0; step < 12; step += 1) await page.tap("tool-rpm-more");
    },
  },
  "no-engineer": {
    profile: { tools: { engineer: false } },
    act: async (page) => {
      await live(page);
      await page.tap("tools-page-more");
    },
  },
  "no-mc-ctrl": {
    profile: { bridge: { topics: { mc_ctrl: "/nowhere" } } },
    act: async (page) => {
      await live(page);
      await showTools(page);
    },
  },
  "by-mc-ctrl": {
    args: ["--rpm-type", "uint16"],
    profile: { drive: { via: "mc_ctrl" } },
    act: async (page) => {
      await live(page);
      await page.arm();
      await page.tap("tools-page-more");
      await page.drive({ forward: 0.8, left: 0.3 });
      await page.until("tool-gear", { value: "1", status: "published" });
    },
  },
  "by-mc-ctrl-byte": {
    profile: { drive: { via: "mc_ctrl" } },
    act: async (page) => {
      await live(page);
      await page.tap("tools-page-more");
    },
  },
  presence: {
    profile: { tools: { presence_s: 15 } },
    act: async (page) => {
      await page.armTools();
      await page.tap("tool-side_brush-more");
      await page.untilText("banner", /(touch|触)/);
    },
  },
  "not-seen-standing": {
    act: async (page, vehicle) => {
      await live(page);
      vehicle.say("rtk silent");
      await page.until("rtk", { state: "stale" });
      await showTools(page);
      await page.tap("tools-arm");
      await page.id("confirm").waitFor();
    },
  },
  lost: {
    act: async (page, vehicle) => {
      await page.armTools();
      await page.tap("tool-side_brush-more");
      await page.until("tool-side_brush", { value: "10", status: "published" });
      await vehicle.kill();
      await page.until("link", { state: ["lost", "offline", "connecting"] });
    },
  },
};

/** On a phone the tools are folded away until one of their pages is asked for. */
async function showTools(page) {
  if (!(await page.id("tools-arm").isVisible())) await page.tap("tools-page-brushes");
}

/** Another client publishes McCtrl. */
async function publishMcCtrl(vehicle, fields) {
  const socket = await advertise(vehicle, [[MC_CTRL, "sweeper_msgs/msg/McCtrl"]]);
  const none = Object.fromEntries(MC_CTRL_FIELDS.map((field) => [field, 0]));
  const msg = { ...none, angle_speed: 120, ...fields };
  socket.send(JSON.stringify({ op: "publish", topic: MC_CTRL, msg }));
  await vehicle.until("it", (lines) => lines.some((line) => line.msg?.side_brush === fields.side_brush));
  socket.close();
}

/** Another console holds a STOP. */
function stopFromElsewhere(vehicle) {
  const beat = { console: "x", name: "Hof", seq: 1, driving: false, stop: { by: "x", seq: 7 } };
  const msg = { data: JSON.stringify(beat) };
  vehicle.say(`raw ${JSON.stringify({ op: "publish", topic: "/console/heartbeat", msg })}`);
}

const viewed = {
  camera: (page) => page.until("camera", { old: "false" }),
  topics: async (page) => {
    await openTopics(page);
    await page.id("vehicles").waitFor();
  },
  topic: async (page) => {
    await openTopics(page);
    await lookAt(page, "/odom");
    await plotWhatChanges(page, "/odom");
    await page.id("topic-plot").scrollIntoViewIfNeeded();
    await until("a curve", async () => (await page.number("topic-plot", "points")) > 20);
  },
};

for (const screen of SCREENS) {
  for (const lang of LANGUAGES) {
    for (const theme of THEMES) {
      await picture(`${screen.width}x${screen.height}-${lang}-${theme}`, screen, { demo: "1", lang, theme }, live);
    }
  }
}
const looks = SCREENS.flatMap((screen, i) =>
  LANGUAGES.map((lang, j) => ({ screen, look: { lang, theme: THEMES[(i + j) % 2] } })),
);
for (const { screen, look } of looks) {
  const size = `${screen.width}x${screen.height}-${look.lang}`;
  for (const [name, act] of Object.entries(states)) {
    await picture(`${size}-${name}`, screen, { demo: "1", ...look }, act);
  }
  const url = `ws://127.0.0.1:${await freePort()}`;
  await picture(`${size}-offline`, screen, { url, ...look }, (page) => page.until("link", { state: "offline" }));
  server.overrides["yard.json"] = { body: '{"drive": {"max_liner": 0.4, "max_linear": 9}, "map": {"sources": 1}}' };
  await picture(`${size}-profile-error`, screen, { profile: "yard.json", ...look }, (page) =>
    page.id("profile-problems").waitFor(),
  );
  server.overrides["demo.js"] = { status: 404, body: "" };
  await picture(`${size}-load-failure`, screen, { demo: "1", ...look }, (page) => page.id("load-failure").waitFor());
  delete server.overrides["demo.js"];
}

/** Faults and old levels need a vehicle that can be told to have them. */
for (const { screen, look } of looks) {
  const faulty = await Vehicle.start({ args: ["--fault", "brush_overload", "--tank", "clean=5"] });
  const size = `${screen.width}x${screen.height}-${look.lang}`;
  await picture(`${size}-faults`, screen, { url: faulty.url, ...look }, async (page) => {
    await live(page);
    await page.armTools();
    await page.tap("tools-page-pushers");
    await page.press("tool-brush_deck_pusher-plus");
    await page.until("machine-deck", { value: "100" });
    await page.until("faults", { grade: "poor" });
  });
  await faulty.clear();
}

for (const { screen, look } of looks) {
  const size = `${screen.width}x${screen.height}-${look.lang}`;
  for (const [name, { args = [], profile = {}, act }] of Object.entries(others)) {
    if (!pattern.test(`${size}-${name}`)) continue;
    const vehicle = await Vehicle.start({ args });
    server.overrides["other.json"] = profileOf(profile);
    const query = { url: vehicle.url, profile: "other.json", ...look };
    await picture(`${size}-${name}`, screen, query, (page) => act(page, vehicle));
    await vehicle.clear();
  }
}

/** A vehicle that lacks fields. */
for (const { screen, look } of looks) {
  const lacking = ["side_brush", "suction_squeeqee_pusher", "water_spray", "angle_speed"];
  const simple = await Vehicle.start({ args: lacking.flatMap((field) => ["--lacking", field]) });
  const size = `${screen.width}x${screen.height}-${look.lang}`;
  for (const tab of ["brushes", "pushers", "water", "more"]) {
    await picture(`${size}-lacking-${tab}`, screen, { url: simple.url, ...look }, async (page) => {
      await live(page);
      await page.tap(`tools-page-${tab}`);
    });
  }
  await simple.clear();
}

/** The map, each state with a vehicle of its own: what one has driven is not in the next one's way. */
server.overrides["grid.json"] = profileOf(GRID_PROFILE);
server.overrides["ground.json"] = profileOf(GROUND_PROFILE);
/** A receiver that tells its accuracy, and no quality. */
async function accuracy(page) {
  await page.online();
  await page.until("rtk", { state: "live" });
  for (let step = 0; step < 3; step += 1) await page.tap("zoom-in");
  await until("the circle", async () => Number(await page.id("survey-accuracy").getAttribute("r")) > 10);
}
const charted = [
  ...Object.entries(GRID_STATES).map(([state, act]) => ({ state, act, profile: "grid.json" })),
  ...Object.entries(GROUND_STATES).map(([state, act]) => ({ state, act, profile: "ground.json" })),
  { state: "map-accuracy", act: accuracy, profile: "grid.json", args: ["--sensors", "--no-rtk"] },
];
for (const { screen, look } of looks) {
  for (const { state, act, profile, args = [] } of charted) {
    const name = `${screen.width}x${screen.height}-${look.lang}-${state}`;
    if (!pattern.test(name)) continue;
    const vehicle = await Vehicle.start({ args: [...MAP_START, ...args] });
    await picture(name, screen, { url: vehicle.url, profile, ...look }, (page) => act(page, vehicle));
    await vehicle.clear();
  }
}

server.overrides["engineer.json"] = profileOf({ screen: { engineer_tools: true } });
for (const { screen, look } of looks) {
  const size = `${screen.width}x${screen.height}-${look.lang}`;
  await picture(`${size}-by-hand`, screen, { demo: "1", profile: "engineer.json", ...look }, async (page) => {
    await live(page);
    await openTopics(page);
    const summary = page.id("tryout").locator("summary");
    await summary.waitFor();
    await summary.tap();
    await page.id("tryout-name").fill("/somewhere");
    await page.id("tryout-kind").fill("std_msgs/msg/Header");
    await into(page, "tryout-open");
    await page.tap("tryout-open");
    await page.id("tryout-form").waitFor();
    await into(page, "tryout-form");
  });
}

/** A multirotor: on the ground, and in the air. */
server.overrides["kite.json"] = profileOf(PROFILE);
server.overrides["attitude.json"] = profileOf({ ...PROFILE, drive: { ...PROFILE.drive, via: "cmd_attitude" } });
const onTheGround = {
  standing: async () => {},
  "motors-held": async (page) => {
    await page.id("confirm").waitFor();
    await page.press("confirm");
    await page.until("confirm", { held: "true" });
    await page.page.waitForTimeout(500);
  },
  "motors-on": startMotors,
  "motors-refused": async (page, kite) => {
    const answer = { success: false, message: "the battery is too low to take off" };
    kite.say(`raw ${JSON.stringify({ op: "service_response", id: "/motors", values: answer, result: true })}`);
    await page.untilText("banner", /battery/);
  },
};
const hovering = {
  hovering: async () => {},
  climbing: async (page) => {
    await flown(page, "stick", { up: 1 });
    await page.until("velocity", { up: "0.300" });
  },
  "refused-command": async (page, kite) => {
    const twist = '{"linear":{"x":NaN,"y":0.0,"z":0.0},"angular":{"x":0.0,"y":0.0,"z":0.0}}';
    const other = new WebSocket(kite.url);
    other.onopen = () => other.send(`{"op":"publish","topic":"/cmd_vel","msg":${twist}}`);
    await page.until("command-state", { state: "refused" });
    other.close();
  },
  "timed-out": async (page) => {
    // Taking off, somebody else commanded it.
    await page.until("command-state", { state: "timed_out" });
  },
  limited: async (page) => {
    await flown(page, "stick-2", { up: 1 });
    await page.until("command-state", { state: "limited" });
  },
  stopped: async (page) => {
    await flown(page, "stick-2", { up: 1 });
    await page.tap("stop");
    await page.untilText("banner", /(published|已发布)/);
  },
  attitude: async (page) => {
    await flown(page, "stick-2", { up: 0.8, left: 0.5 });
    await until("its nose to go down", async () => (await page.number("attitude", "pitch")) > 3);
  },
  "link-lost": async (page, kite) => {
    await flown(page, "stick-2", { up: 1 });
    await kite.kill();
    await page.until("link", { state: ["lost", "offline", "connecting"] });
  },
};
for (const { screen, look } of [...looks, ...LANGUAGES.map((lang, i) => ({ screen: SIDEWAYS, look: { lang, theme: THEMES[i] } }))]) {
  const size = `${screen.width}x${screen.height}-${look.lang}`;
  for (const [name, act] of Object.entries({ ...onTheGround, ...hovering })) {
    if (!pattern.test(`${size}-flight-${name}`)) continue;
    const kite = await Vehicle.start({ args: ["--kind", "multirotor", ...(name === "limited" ? ["--max-linear", "0.1"] : [])] });
    if (name in hovering) await hover(kite);
    const profile = name === "attitude" ? "attitude.json" : "kite.json";
    await picture(`${size}-flight-${name}`, screen, { url: kite.url, profile, ...look }, async (page) => {
      await page.online();
      await page.until("rtk", { state: "live" });
      await page.id("altitude").waitFor();
      await armFlight(page);
      await act(page, kite);
    });
    await kite.clear();
  }
  if (!pattern.test(`${size}-fleet`)) continue;
  const fleet = await Vehicle.start({ args: ["--vehicle", "yard/s1:sweeper", "--vehicle", "uav1:multirotor"] });
  await picture(`${size}-fleet`, screen, { url: fleet.url, ns: "uav1", kind: "multirotor", ...look }, async (page) => {
    await page.online();
    await openTopics(page);
    await page.id("vehicle-choice").first().waitFor();
    await page.id("vehicle-choice").first().scrollIntoViewIfNeeded();
  });
  await fleet.clear();
}

const sweeper = await Vehicle.start({ args: ["--camera", "--sensors"] });
const other = await advertise(sweeper, [["/robot2/cmd_vel", "geometry_msgs/msg/Twist"]]);
const odd = { camera: { topic: "/camera/image/compressed" }, bridge: { topics: { mc_ctrl: "/rtk_message" } } };
server.overrides["odd.json"] = profileOf(odd);
for (const { screen, look } of looks) {
  for (const [name, act] of Object.entries(viewed)) {
    const query = { url: sweeper.url, profile: "odd.json", ...look };
    await picture(`${screen.width}x${screen.height}-${look.lang}-${name}`, screen, query, async (page) => {
      await live(page);
      await act(page);
    });
  }
}
other.close();
await picture("real-bridge-driving", SCREENS[0], { url: sweeper.url }, driving);
await sweeper.clear();
await browser.close();
await server.close();
