// What tests and pictures do on the map: places to pixels and back, taps on places, drawing by taps,
// a drive that lasts until something is so.

import assert from "node:assert/strict";
import { tapOn } from "./topics.mjs";
import { until } from "./wait.mjs";

const TO_DEGREES = 180 / Math.PI;

/** The pixel on the screen at which a place on Earth is drawn: Web Mercator, WGS84. */
export async function pixelOf(page, { lat, lon }) {
  const [box, centreLat, centreLon, zoom] = await Promise.all([
    page.box("map"),
    ...["center-lat", "center-lon", "zoom"].map((name) => page.number("map", name)),
  ]);
  const world = 256 * 2 ** zoom;
  const y = (degrees) => world * (0.5 - Math.log(Math.tan(Math.PI / 4 + degrees / TO_DEGREES / 2)) / (2 * Math.PI));
  return {
    x: box.x + box.width / 2 + ((lon - centreLon) / 360) * world,
    y: box.y + box.height / 2 + y(lat) - y(centreLat),
  };
}

/** The place that many metres east and north of another. */
export function placeAt({ lat, lon }, east, north) {
  const metersPerDegree = 111_320;
  return {
    lat: lat + north / 111_000,
    lon: lon + east / (metersPerDegree * Math.cos(lat / TO_DEGREES)),
  };
}

/** Metres ahead and left of a heading. */
export function ahead({ heading, ...place }, forward, left) {
  const [sine, cosine] = [Math.sin(heading / TO_DEGREES), Math.cos(heading / TO_DEGREES)];
  return placeAt(place, forward * sine - left * cosine, forward * cosine + left * sine);
}

export async function tapPlace(page, place) {
  const { x, y } = await pixelOf(page, place);
  const over = await page.page.evaluate(([x, y]) => {
    const there = document.elementFromPoint(x, y);
    return there?.closest('[data-testid="map"]') ? "" : (there?.outerHTML.slice(0, 80) ?? "nothing");
  }, [x, y]);
  assert.equal(over, "", `at ${x.toFixed(0)}, ${y.toFixed(0)} the map lies under it`);
  await page.touch.tap(x, y);
}

/** The map stands still under the fingers, so many steps nearer. */
export async function holdMap(page, steps = 0) {
  if ((await page.id("follow").getAttribute("aria-checked")) === "true") await page.tap("follow");
  await until("the map not to follow", async () => (await page.id("follow").getAttribute("aria-checked")) === "false");
  for (let step = 0; step < steps; step += 1) {
    const before = await page.number("map", "zoom");
    await page.tap("zoom-in");
    await until("the map to be zoomed in", async () => (await page.number("map", "zoom")) >= before + 1);
    await page.page.waitForTimeout(300);
  }
}

export async function openWork(page) {
  await page.id("work-key").waitFor();
  await page.tap("work-key");
  await page.id("work").waitFor({ state: "visible" });
}

export async function tapInSheet(page, testid) {
  await tapOn(page, page.id(testid));
}

/** Draws something with these corners, closed by a tap on the first. */
export async function draw(page, kind, corners) {
  await openWork(page);
  await tapInSheet(page, `work-draw-${kind}`);
  await page.until("work-bar", { mode: kind });
  for (const corner of corners) await tapPlace(page, corner);
  await tapPlace(page, corners[0]);
  await page.until("work-bar", { mode: "choose" });
}

export async function closeBar(page) {
  await page.tap("work-done");
  await page.id("work-bar").waitFor({ state: "hidden" });
}

/**
 * A thumb drives until that is so; where the machine is too busy for a drive it is pressed again, as
 * an operator would.
 */
export async function driveUntil(page, what, isSo, deflection = { forward: 1.02 }) {
  let thumb;
  const look = async () => {
    if (await isSo()) return true;
    const { state } = await page.driveState();
    if (state === "driving") return false;
    if (thumb !== undefined) await page.touch.up(thumb);
    thumb = undefined;
    if (state === "disarmed") await page.arm();
    thumb = await page.pressStick(deflection);
    await page.page.waitForTimeout(400);
    return false;
  };
  await until(what, look, { timeout: 90_000 });
  return thumb;
}

export async function brushOn(page) {
  await page.armTools();
  await page.tap("tool-brake-0");
  await page.until("tool-brake", { value: "0", status: "published" });
  await page.tap("tool-roll_brush_suction_direction-1");
  for (let step = 0; step < 4; step += 1) await page.tap("tool-roll_brush_suction-more");
  await page.until("tool-roll_brush_suction", { status: "published" });
}
