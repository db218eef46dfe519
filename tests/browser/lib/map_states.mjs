// The map's states, for pictures: each brings page and vehicle there.

import { ahead, brushOn, closeBar, draw, driveUntil, holdMap, openWork, tapInSheet, tapPlace } from "./charting.mjs";
import { metersBetween } from "./log.mjs";
import { GROUND, LINE, crossTile, png } from "./pictures.mjs";
import { until } from "./wait.mjs";

/** A published pair: one place in both datums (a test point of the eviltransform library). */
const WGS84 = { lat: 31.1774276, lon: 121.5272106 };
const GCJ02 = { lat: 31.17530398364597, lon: 121.531541859215 };

/** The profiles that these pictures are taken with: the grid alone, and something under it. */
export const GRID_PROFILE = {
  map: { fence_limits_speed: true, sources: [{ name: "Hall", kind: "plan", url: "hall.png" }] },
};
export const GROUND_PROFILE = {
  map: {
    sources: [
      { name: "Site", url: "tiles/{z}/{x}/{y}.png", max_zoom: 21, attribution: "© Site survey 2026" },
      { name: "Amap", url: "shifted/{z}/{x}/{y}.png", max_zoom: 21, datum: "gcj02", attribution: "© Amap" },
      { name: "Roof", url: "missing/{z}/{x}/{y}.png", max_zoom: 21 },
    ],
  },
};

/** Where the vehicle of these pictures begins. */
export const MAP_START = ["--lat", String(WGS84.lat), "--lon", String(WGS84.lon), "--heading", "0"];

/** Tiles with lines that cross where the vehicle begins. */
export async function mapFiles(name) {
  if (name === "hall.png") {
    const isLine = (at, of) => Math.abs(at - of / 4) < 5 || Math.abs(at - (3 * of) / 4) < 5;
    return { body: png(800, 600, (x, y) => (isLine(x, 800) || isLine(y, 600) ? LINE : GROUND)) };
  }
  const asked = /^(tiles|shifted)\/(\d+)\/(\d+)\/(\d+)\.png$/.exec(name);
  if (!asked) return undefined;
  const [z, x, y] = asked.slice(2).map(Number);
  return { body: crossTile(asked[1] === "tiles" ? WGS84 : GCJ02, { z, x, y }) };
}

async function live(page) {
  await page.linked();
  await page.until("rtk", { state: "live" });
  await page.id("survey-key").waitFor();
}

async function openSheet(page, key, sheet) {
  await page.tap(key);
  await page.id(sheet).waitFor({ state: "visible" });
}

const into = (page, testid) => page.id(testid).evaluate((it) => it.scrollIntoView({ block: "center" }));

/** The receiver reports a way of so many steps of 0.4 m; `each` says what else it reports. */
async function walk(page, vehicle, steps, each = () => ({})) {
  const { lat, lon } = await page.place("rtk");
  vehicle.say("rtk silent");
  for (let step = 1; step <= steps; step += 1) {
    const place = { lat: lat + step * 3.6e-6, lon: lon + 3e-5 * Math.sin(step / 5) };
    const msg = { ...place, head: 0, speed: 1, p_quality: 4, h_quality: 4, ...each(step) };
    vehicle.say(`raw ${JSON.stringify({ op: "publish", topic: "/rtk_message", msg })}`);
    await vehicle.pass(100);
  }
}

const mixed = (step) => ({ p_quality: step < 12 ? 4 : step < 22 ? 5 : step < 30 ? 1 : 4, speed: 0.2 + step / 20 });

async function around(page, kind, corners) {
  const start = await page.place("vehicle-marker");
  await draw(page, kind, corners.map(([forward, left]) => ahead(start, forward, left)));
}

/** Name of the picture to what is done for it, on the grid alone. */
export const GRID_STATES = {
  "map-live": live,
  "map-float": async (page, vehicle) => {
    await live(page);
    vehicle.say("rtk quality 5 4");
    await page.until("rtk", { "p-quality": "5" });
  },
  "map-stale": async (page, vehicle) => {
    await live(page);
    vehicle.say("rtk silent");
    await page.until("rtk", { state: "stale" });
  },
  "map-invalid": async (page, vehicle) => {
    await live(page);
    vehicle.say("rtk null");
    await page.until("rtk", { state: "invalid" });
  },
  "map-frozen": async (page, vehicle) => {
    await live(page);
    await driveUntil(page, "some speed", () => vehicle.truth.v > 0.2);
    vehicle.say("rtk freeze");
    await page.until("rtk", { state: "frozen" });
  },
  "map-no-heading": async (page, vehicle) => {
    await live(page);
    vehicle.say("rtk quality 4 1");
    await page.until("rtk", { "h-quality": "1" });
    await page.until("vehicle-marker", { "heading-good": "false" });
  },
  "map-commanded": async (page, vehicle) => {
    await live(page);
    const isDrawn = async () => (await page.id("survey-way").getAttribute("d"))?.length > 10;
    await driveUntil(page, "the commanded way", async () => vehicle.truth.v > 0.2 && isDrawn(), { forward: 0.9, left: 0.5 });
  },
  "map-rtk-sheet": async (page, vehicle) => {
    await live(page);
    await walk(page, vehicle, 40, mixed);
    vehicle.say("rtk ok");
    await openSheet(page, "survey-key", "survey");
    await page.until("survey-fix", { state: "live" });
  },
  "map-rtk-events": async (page, vehicle) => {
    await live(page);
    await walk(page, vehicle, 40, mixed);
    vehicle.say("rtk null");
    await openSheet(page, "survey-key", "survey");
    await page.until("survey-fix", { state: "invalid" });
    await into(page, "survey-events");
  },
  "map-import": async (page) => {
    await live(page);
    await openSheet(page, "survey-key", "survey");
    const lines = ["time,lat,lon,heading_deg,speed_m_s,p_quality,segment"];
    for (let i = 0; i < 40; i += 1) {
      const time = `2026-01-02T03:04:${String(i).padStart(2, "0")}.000Z`;
      lines.push(`${time},${WGS84.lat + i * 2e-6},${WGS84.lon + 2e-5},0.00,0.100,4,0`);
    }
    lines[5] = lines[5].replace("31.", "931.");
    lines[9] = "yesterday,,,";
    await page.id("survey-import").setInputFiles({
      name: "yesterday.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(lines.join("\n")),
    });
    await page.until("survey-imported", { problems: "2" });
    await into(page, "survey-imported");
  },
  "map-track-quality": async (page, vehicle) => {
    await live(page);
    await walk(page, vehicle, 40, mixed);
  },
  "map-track-speed": async (page, vehicle) => {
    await live(page);
    await walk(page, vehicle, 40, mixed);
    await openSheet(page, "survey-key", "survey");
    await tapInSheet(page, "colour-speed");
    await page.tap("survey-close");
  },
  "map-plan": async (page) => {
    await live(page);
    await openSheet(page, "ground-key", "ground");
    await tapInSheet(page, "plan-Hall");
    await page.id("plan-paper").waitFor({ state: "visible" });
    const box = await page.box("plan-paper");
    await page.touch.tap(box.x + box.width / 4, box.y + box.height / 4);
    await tapInSheet(page, "plan-vehicle");
    await page.id("plan-point-1").waitFor({ state: "visible" });
  },
  "map-zones": async (page) => {
    await live(page);
    await holdMap(page);
    await around(page, "zone", [[-0.5, -1], [-0.5, 2.4], [2.6, 2.4], [2.6, -1]]);
    await closeBar(page);
    await around(page, "keep_out", [[1, -0.4], [1, 1.2], [2, 1.2], [2, -0.4]]);
  },
  "map-drawing": async (page) => {
    await live(page);
    await holdMap(page);
    const start = await page.place("vehicle-marker");
    await openWork(page);
    await tapInSheet(page, "work-draw-fence");
    for (const [forward, left] of [[-0.5, -1], [-0.5, 2], [2.5, 2]]) await tapPlace(page, ahead(start, forward, left));
  },
  "map-measure": async (page) => {
    await live(page);
    await holdMap(page);
    const start = await page.place("vehicle-marker");
    await openWork(page);
    await tapInSheet(page, "work-measure");
    for (const [forward, left] of [[0, -1], [0, 2], [3, 1]]) await tapPlace(page, ahead(start, forward, left));
  },
  "map-fence-ahead": async (page) => {
    await live(page);
    await holdMap(page);
    await around(page, "keep_out", [[2.6, -1], [2.6, 2], [3.5, 2], [3.5, -1]]);
    await closeBar(page);
    await driveUntil(page, "a warning", () => page.id("work-warning").isVisible());
  },
  "map-swept": async (page, vehicle) => {
    await live(page);
    await holdMap(page);
    await around(page, "zone", [[-0.5, -1], [-0.5, 2.4], [2.6, 2.4], [2.6, -1]]);
    await closeBar(page);
    await brushOn(page);
    const from = { ...vehicle.truth };
    const thumb = await driveUntil(page, "two metres", () => metersBetween(from, vehicle.truth).north > 2);
    await page.touch.up(thumb);
    await page.until("drive", { state: ["ready", "disarmed"] });
    await openWork(page);
  },
  "map-route": async (page, vehicle) => {
    await live(page);
    await openWork(page);
    await tapInSheet(page, "work-record");
    await page.until("work-route", { recording: "true" });
    await tapInSheet(page, "work-close");
    const from = { ...vehicle.truth };
    const thumb = await driveUntil(page, "a way", () => metersBetween(from, vehicle.truth).north > 1.5);
    await page.touch.up(thumb);
    await page.until("drive", { state: ["ready", "disarmed"] });
    await openWork(page);
    await into(page, "work-route");
  },
};

/** The same, with tiles under everything. */
export const GROUND_STATES = {
  "map-sources": async (page) => {
    await live(page);
    await openSheet(page, "ground-key", "ground");
    await page.untilText("ground-told", /[1-9]/);
  },
  "map-tiles": async (page) => {
    await live(page);
    await page.untilText("map-source", /Site/);
    await page.page.waitForTimeout(1500);
  },
  "map-gcj02": async (page) => {
    await live(page);
    await page.tap("map-source");
    await page.untilText("map-source", /Amap/);
    await page.page.waitForTimeout(1500);
  },
  "map-tiles-missing": async (page) => {
    await live(page);
    await page.tap("map-source");
    await page.tap("map-source");
    await page.untilText("map-note", /Roof/);
  },
};
