// Work on the map: zones and keep-outs drawn by taps, what is swept, what is ahead, the taught route.
// What a vehicle is told is read from its own log; files are read by readers of the test's own.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { check } from "@placemarkio/check-geojson";
import {
  ahead,
  brushOn,
  closeBar,
  draw,
  driveUntil,
  holdMap,
  openWork,
  placeAt,
  tapInSheet,
  tapPlace,
} from "./lib/charting.mjs";
import { scenario } from "./lib/stage.mjs";
import { between, isMotion, metersBetween, velocities } from "./lib/log.mjs";
import { until } from "./lib/wait.mjs";

/** What a button gives to the operator as a file. */
async function fileOf(page, testid) {
  const [download] = await Promise.all([page.page.waitForEvent("download"), tapInSheet(page, testid)]);
  return JSON.parse(await readFile(await download.path(), "utf8"));
}

/** Square metres of a ring of [lon, lat], on the plane around its first corner. */
function areaOf(ring) {
  const origin = { lat: ring[0][1], lon: ring[0][0] };
  const metres = ring.map(([lon, lat]) => metersBetween(origin, { lat, lon }));
  let twice = 0;
  for (let i = 0; i + 1 < metres.length; i += 1) {
    twice += metres[i].east * metres[i + 1].north - metres[i + 1].east * metres[i].north;
  }
  return twice / 2;
}

async function openWithProfile(stage, profile, vehicle) {
  const server = await stage.serve({ overrides: { "yard.json": { body: JSON.stringify(profile) } } });
  return stage.open({ at: server.url, vehicle, query: { profile: "yard.json" } });
}

scenario("work: a zone drawn by taps, brush on and driving in it gives square metres and percent", async (stage) => {
  const sweeper = await stage.vehicle({ args: ["--heading", "0"] });
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await page.until("rtk", { state: "live" });
  await holdMap(page);
  const start = await page.place("vehicle-marker");
  const corners = [[-0.5, -1], [-0.5, 3], [5.5, 3], [5.5, -1]].map(([forward, left]) => ahead(start, forward, left));
  await draw(page, "zone", corners);
  await page.untilText("work-hint", /Zone 1 · 2\d\.\d m² · 0\.0 %/);
  await closeBar(page);

  // Driving without the brush sweeps nothing.
  await page.arm();
  const thumb = await driveUntil(page, "half a metre", () => metersBetween(start, sweeper.truth).north > 0.5);
  await page.touch.up(thumb);
  await page.until("drive", { state: "ready" });
  await openWork(page);
  assert.equal(await page.number("work-swept", "area"), 0);
  await page.untilText("work-swept", /nothing published|published off/);
  await tapInSheet(page, "work-close");

  await brushOn(page);
  const from = { ...sweeper.truth };
  const again = await driveUntil(page, "two metres with the brush", () => {
    return metersBetween(from, sweeper.truth).north > 2;
  });
  await page.touch.up(again);
  await page.until("drive", { state: "ready" });
  await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
  const way = metersBetween(from, sweeper.truth).north;
  await openWork(page);
  const area = await until("the swept area", async () => {
    const area = await page.number("work-swept", "area");
    return Math.abs(area - way * 1.2) < way * 1.2 * 0.12 && area;
  });
  await page.until("work-swept", { brush: "on" });
  const percent = await page.number("work-row", "percent");
  stage.say(`${way.toFixed(2)} m with 1.2 m: ${area.toFixed(2)} m², ${percent.toFixed(1)} % of 24 m²`);
  assert.ok(Math.abs(percent - (area / 24) * 100) < 3, `${percent} %`);

  // It is kept for this vehicle, and a bad file is imported as far as it goes.
  // It throws at whatever RFC 7946 does not allow.
  const drawn = check(JSON.stringify(await fileOf(page, "work-export")));
  assert.equal(drawn.type, "FeatureCollection");
  const [zone] = drawn.features;
  assert.deepEqual(zone.properties, { kind: "zone", name: "Zone 1" });
  const ring = zone.geometry.coordinates[0];
  assert.deepEqual(ring[0], ring.at(-1));
  assert.ok(Math.abs(areaOf(ring) - 24) < 1, `${areaOf(ring)} m², counterclockwise`);
  drawn.features.push(
    { type: "Feature", geometry: { type: "LineString", coordinates: [[1, 2]] }, properties: { name: "way" } },
    { type: "Feature", geometry: { type: "Point", coordinates: ring[0] }, properties: { name: "Dock" } },
  );
  await page.id("work-import").setInputFiles({
    name: "yard.geojson",
    mimeType: "application/geo+json",
    buffer: Buffer.from(JSON.stringify(drawn)),
  });
  await page.until("work-drawn", { count: "3" });
  await page.untilText("work-problems", /Feature 2 \(“way”\): LineString is neither an area nor a point/);
  const swept = await page.number("work-swept", "area");
  await page.page.reload();
  await page.online();
  await openWork(page);
  await page.until("work-drawn", { count: "3" });
  await page.until("work-swept", { area: String(swept) });
});

scenario("work: a keep-out ahead warns and, by profile, the vehicle is told a lower speed", async (stage) => {
  const sweeper = await stage.vehicle({ args: ["--heading", "0"] });
  const page = await openWithProfile(stage, { map: { fence_limits_speed: true } }, sweeper);
  await page.online();
  await page.until("rtk", { state: "live" });
  await holdMap(page);
  const start = await page.place("vehicle-marker");
  const wall = [[4, -1], [4, 3], [6, 3], [6, -1]].map(([forward, left]) => ahead(start, forward, left));
  await draw(page, "keep_out", wall);
  await page.untilText("work-hint", /Keep-out 1/);
  // It goes on being drawn while it drives: a thumb on the pad, the other hand on the map.
  await openWork(page);
  await tapInSheet(page, "work-draw-zone");
  await page.arm();
  let thumb = await driveUntil(page, "full speed", () => sweeper.truth.v > 0.28);
  const full = sweeper.now;
  const zone = [[-0.5, 3], [-0.5, 6], [3, 6]].map(([forward, left]) => ahead(start, forward, left));
  for (const corner of zone) await tapPlace(page, corner);
  await page.until("drive", { state: "driving" });
  assert.ok(between(velocities(sweeper.lines), full).every(isMotion), "taps on the map interrupted the drive");

  await page.touch.up(thumb);
  let said = "";
  const warnings = async () => {
    if (!(await page.id("work-warning").isVisible())) return false;
    said = await page.text("work-warning");
    return /Keep-out “Keep-out 1”.*(m ahead|too near).*aid/s.test(said);
  };
  await page.until("drive", { state: ["ready", "disarmed"] });
  thumb = await driveUntil(page, "a warning", warnings);
  const warnedAt = metersBetween(start, sweeper.truth).north;
  await page.touch.up(thumb);
  await page.until("drive", { state: ["ready", "disarmed"] });
  let low;
  // Longer under way than the ramp takes to full speed.
  const isLow = () => {
    const newest = velocities(sweeper.since(sweeper.now - 1500));
    low = newest.at(-1)?.linear;
    return newest.length > 20 && newest.every(isMotion) && low < 0.2;
  };
  thumb = await driveUntil(page, "a lower speed", async () => isLow() && (await warnings()) && /limit 0\.\d\d m\/s/.test(said));
  stage.say(`warned ${(4 - warnedAt).toFixed(2)} m before it; told ${low} m/s`);
  assert.ok(low >= 0.1 - 1e-6, `${low} m/s: a creep is left`);

  // STOP while drawing: at once, whatever is drawn.
  const stopped = sweeper.now;
  await page.press("stop");
  await page.until("drive", { state: "stopped" });
  await sweeper.until("a zero", (lines) => velocities(lines).some((command) => !isMotion(command)), { since: stopped });
  await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
  const after = between(velocities(sweeper.lines), stopped);
  // How soon is held by the tests of STOP: here, that from the first zero on there is nothing else.
  const first = after.findIndex((command) => !isMotion(command));
  const told = after.map(({ t, linear }) => `${(t - stopped).toFixed(0)} ms ${linear}`).join(", ");
  assert.ok(first >= 0 && !after.slice(first).some(isMotion), `after STOP: ${told}`);
  await page.touch.up(thumb);
  await page.id("work-warning").waitFor({ state: "hidden" });
});

scenario("work: without the profile's word a keep-out warns and leaves the speed alone", async (stage) => {
  const sweeper = await stage.vehicle({ args: ["--heading", "0"] });
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await page.until("rtk", { state: "live" });
  await holdMap(page);
  const start = await page.place("vehicle-marker");
  await draw(page, "keep_out", [[3, -1], [3, 3], [5, 3], [5, -1]].map(([f, l]) => ahead(start, f, l)));
  await closeBar(page);
  await page.arm();
  let since;
  const thumb = await driveUntil(page, "full speed under a warning", async () => {
    if (!(await page.id("work-warning").isVisible())) since = undefined;
    else since ??= sweeper.now;
    const newest = velocities(sweeper.since(sweeper.now - 500)).at(-1);
    return since !== undefined && sweeper.now - since > 800 && Math.abs((newest?.linear ?? 0) - 0.3) < 1e-6;
  });
  await page.touch.up(thumb);
});

scenario("work: taps measure legs, bearings, the way around and the area", async (stage) => {
  const sweeper = await stage.vehicle({ args: ["--heading", "0"] });
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await page.until("rtk", { state: "live" });
  await holdMap(page, 1);
  const start = await page.place("vehicle-marker");
  await openWork(page);
  await tapInSheet(page, "work-measure");
  await page.until("work-bar", { mode: "measure" });
  // 2 m to the north, then 1.5 m to the west: a finger is off by a pixel of 3 cm.
  await tapPlace(page, ahead(start, 0.5, 0));
  await tapPlace(page, ahead(start, 2.5, 0));
  const near = (text, pattern, expected) => {
    const found = pattern.exec(text).slice(1).map(Number);
    for (const [at, value] of found.entries()) {
      const off = Math.abs(value - expected[at].value);
      assert.ok(off <= expected[at].within, `${text}: ${value}, not ${expected[at].value}`);
    }
  };
  const leg = await page.untilText("work-hint", /^[12]\.\d+ m at /);
  assert.match(leg, /at (359|0|1)\.\d°$/);
  await tapPlace(page, ahead(start, 2.5, 1.5));
  const all = await page.untilText("work-hint", /closed/);
  stage.say(all);
  near(all, /^([\d.]+) m at ([\d.]+)°; together ([\d.]+) m; closed ([\d.]+) m², around ([\d.]+) m$/, [
    { value: 1.5, within: 0.12 },
    { value: 270, within: 3 },
    { value: 3.5, within: 0.2 },
    { value: 1.5, within: 0.2 },
    { value: 6, within: 0.3 },
  ]);
});

scenario("work: a route is recorded, edited, exported, and read by an independent reader", async (stage) => {
  const sweeper = await stage.vehicle({ args: ["--heading", "0"] });
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await page.until("rtk", { state: "live" });
  // A metre is wider than a thumb then.
  await holdMap(page, 1);
  // What lies beside driving comes after it.
  await page.id("work-key").waitFor();
  await page.arm();
  await openWork(page);
  await tapInSheet(page, "work-record");
  await page.until("work-route", { recording: "true" });
  await tapInSheet(page, "work-close");
  const from = { ...sweeper.truth };
  let thumb = await driveUntil(page, "two metres", () => metersBetween(from, sweeper.truth).north > 2);
  await page.touch.up(thumb);
  await page.until("drive", { state: ["ready", "disarmed"] });
  const turning = () => {
    const { east, north } = metersBetween(from, sweeper.truth);
    return Math.hypot(east, north) > 3.5;
  };
  thumb = await driveUntil(page, "a turn", turning, { forward: 0.9, left: 0.6 });
  await page.touch.up(thumb);
  await page.until("drive", { state: "ready" });
  await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
  const end = { ...sweeper.truth };
  await openWork(page);
  await tapInSheet(page, "work-record");
  await page.until("work-route", { recording: "false" });
  const recorded = await page.number("work-route", "points");
  assert.ok(recorded > 40, `${recorded} points`);
  await tapInSheet(page, "work-simplify");
  const simple = await until("fewer points", async () => {
    const points = await page.number("work-route", "points");
    return points < recorded / 3 && points;
  });
  await page.id("work-service").fill("Qianxun, CGCS2000");
  await page.id("work-service").blur();

  // A point more, by a tap on the line, moved by another tap.
  await tapInSheet(page, "work-edit-route");
  await page.until("work-bar", { mode: "edit" });
  const middle = placeAt(from, 0, 1);
  await tapPlace(page, middle);
  const moved = placeAt(from, -4, 1);
  await tapPlace(page, moved);
  await closeBar(page);
  await openWork(page);
  await page.until("work-route", { points: String(simple + 1) });

  const line = check(JSON.stringify(await fileOf(page, "work-export-route")));
  const [feature] = line.features;
  assert.equal(feature.geometry.type, "LineString");
  assert.equal(feature.properties.correction_service, "Qianxun, CGCS2000");
  const places = feature.geometry.coordinates.map(([lon, lat]) => ({ lat, lon }));
  assert.equal(places.length, simple + 1);
  assert.equal(feature.properties.coordinateProperties.brush_on.length, places.length);
  const off = (a, b) => {
    const { east, north } = metersBetween(a, b);
    return Math.hypot(east, north);
  };
  assert.ok(off(places[0], from) < 0.3, `${off(places[0], from)} m at its start`);
  assert.ok(off(places.at(-1), end) < 0.3, `${off(places.at(-1), end)} m at its end`);
  const added = places.findIndex((place) => off(place, moved) < 0.4);
  assert.ok(added > 0, "the point that was added is where it was tapped");

  const file = await fileOf(page, "work-export-path");
  assert.deepEqual(Object.keys(file.path).sort(), ["header", "poses"]);
  assert.deepEqual(file.path.header, { frame_id: "map", stamp: { nanosec: 0, sec: 0 } });
  assert.equal(file.correction_service, "Qianxun, CGCS2000");
  const origin = { lat: file.origin.latitude, lon: file.origin.longitude };
  assert.ok(off(origin, places[0]) < 0.001);
  for (const [index, { header, pose }] of file.path.poses.entries()) {
    assert.deepEqual(header, file.path.header);
    const { east, north } = metersBetween(origin, places[index]);
    assert.ok(Math.hypot(pose.position.x - east, pose.position.y - north) < 0.05, `pose ${index}`);
    const { x, y, z, w } = pose.orientation;
    assert.ok(Math.abs(Math.hypot(x, y, z, w) - 1) < 1e-9);
  }
  stage.say(`${recorded} points recorded, ${simple} left within 5 cm`);

  // Everything can be taken back, and survives a reload.
  await page.page.reload();
  await page.online();
  await openWork(page);
  await page.until("work-route", { points: String(simple + 1) });
});
