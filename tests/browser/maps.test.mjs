// What lies under the vehicle on a site without internet: tiles, an archive, a site plan, in the
// right place in both datums, and never in anybody's way.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PMTiles } from "pmtiles";
import { archive } from "./lib/archive.mjs";
import { between, events, isMotion, longestGap, metersBetween, rate, velocities } from "./lib/log.mjs";
import { GROUND, LINE, crossTile, crossing, pixels, png, worldPixel } from "./lib/pictures.mjs";
import { scenario } from "./lib/stage.mjs";
import { until } from "./lib/wait.mjs";

/** A published pair: one place in both datums (a test point of the eviltransform library). */
const WGS84 = { lat: 31.1774276, lon: 121.5272106 };
const GCJ02 = { lat: 31.17530398364597, lon: 121.531541859215 };
/** What a metre is on the screen: the formula may be off by as much, and the fix is by millimetres. */
const TOLERANCE_M = 1.1;
const HIGHEST = 21;

const TILES = [
  { name: "Site", url: "tiles/{z}/{x}/{y}.png", max_zoom: HIGHEST, attribution: "made for this test" },
  { name: "Amap", url: "shifted/{z}/{x}/{y}.png", max_zoom: HIGHEST, datum: "gcj02" },
];

/** Answers `tiles/z/x/y.png` and `shifted/z/x/y.png` with two lines that cross where the vehicle is. */
async function crosses(name) {
  const asked = /^(tiles|shifted)\/(\d+)\/(\d+)\/(\d+)\.png$/.exec(name);
  if (!asked) return undefined;
  const [z, x, y] = asked.slice(2).map(Number);
  return { body: crossTile(asked[1] === "tiles" ? WGS84 : GCJ02, { z, x, y }) };
}

async function site(stage, { sources = TILES, more = crosses, overrides = {}, ...options } = {}) {
  const vehicle = await stage.vehicle({ args: ["--lat", String(WGS84.lat), "--lon", String(WGS84.lon)] });
  const profile = { map: { sources } };
  const server = await stage.serve({
    more,
    overrides: { "config.json": { body: JSON.stringify(profile) }, ...overrides },
    ...options,
  });
  return { vehicle, server };
}

/** The vehicle's reference point on the screen. */
async function marker(page) {
  const { x, y } = await page.id("vehicle-marker").evaluate((it) => it.getBoundingClientRect().toJSON());
  return { x, y };
}

async function metersPerPixel(page) {
  const [lat, zoom] = await Promise.all([page.number("map", "center-lat"), page.number("map", "zoom")]);
  return (156_543.03392 * Math.cos((lat * Math.PI) / 180)) / 2 ** zoom;
}

/** Waits until the lines cross near the vehicle; metres between them and it. */
async function offOfCross(page, off = 90) {
  return until("lines that cross near the vehicle", async () => {
    const [picture, at] = [pixels(await page.page.screenshot()), await marker(page)];
    const found = crossing(picture, at, off);
    return found && { meters: Math.hypot(found.x - at.x, found.y - at.y) * (await metersPerPixel(page)) };
  });
}

async function untilTakenOver(page) {
  await page.id("ground-key").waitFor({ state: "visible" });
}

async function openMaps(page) {
  await untilTakenOver(page);
  if (!(await page.id("ground").isVisible())) await page.tap("ground-key");
  await page.id("ground").waitFor({ state: "visible" });
}

async function closeMaps(page) {
  await page.tap("ground-close");
  await page.id("ground").waitFor({ state: "hidden" });
}

scenario("tiles of the vehicle lie where they belong in both datums, and a tap is turned back", async (stage) => {
  const { vehicle, server } = await site(stage);
  const page = await stage.open({ vehicle, at: server.url });
  await page.online();
  await page.until("rtk", { state: "live" });
  await untilTakenOver(page);
  const plain = await offOfCross(page);
  assert.ok(plain.meters < TOLERANCE_M, `${plain.meters} m in WGS84`);

  // The map's own key goes on choosing.
  await page.tap("map-source");
  await page.untilText("map-source", /Amap/);
  const shifted = await offOfCross(page);
  assert.ok(shifted.meters < TOLERANCE_M, `${shifted.meters} m in GCJ-02`);
  stage.say(`off by ${plain.meters.toFixed(2)} m in WGS84, ${shifted.meters.toFixed(2)} m in GCJ-02`);

  // And so does the sheet.
  await openMaps(page);
  await page.tap("ground-source-2");
  await page.untilText("map-source", /Grid/);
  await closeMaps(page);
  await until("the tiles to be gone", async () => crossing(pixels(await page.page.screenshot()), await marker(page), 90) === undefined);
  await openMaps(page);
  await page.tap("ground-source-1");
  await page.untilText("map-source", /Amap/);
  await page.untilText("ground-told", /Tiles drawn/);

  // A tap on the shifted map means the place on the ground.
  const plan = png(400, 300, () => GROUND);
  await page.id("plan-file").setInputFiles({ name: "yard.png", mimeType: "image/png", buffer: plan });
  await page.id("plan-paper").waitFor({ state: "visible" });
  await tapPaper(page, { x: 0.5, y: 0.5 });
  const at = await marker(page);
  await page.untilText("plan-step", /on the map/);
  await page.touch.tap(at.x - 60, at.y);
  await page.id("plan-point-1").waitFor({ state: "visible" });
  const [point] = await keptPoints(page, "file yard.png");
  const moved = metersBetween(WGS84, point);
  const scale = await metersPerPixel(page);
  assert.ok(Math.hypot(moved.east + 60 * scale, moved.north) < 0.3, JSON.stringify(moved));
});

/** A tap on the plan, in shares of its width and height. */
async function tapPaper(page, { x, y }) {
  const box = await page.box("plan-paper");
  await page.touch.tap(box.x + x * box.width, box.y + y * box.height);
}

async function keptPoints(page, id) {
  const text = await until("the points to be kept", () =>
    page.page.evaluate((key) => localStorage.getItem(key), `broomstick.plan.${id}`),
  );
  return JSON.parse(JSON.parse(text)).control_points;
}

/** An archive of the tiles around the vehicle at these zooms. */
function archiveAround(place, zooms, options) {
  const tiles = zooms.flatMap((z) => {
    const pixel = worldPixel(place, z);
    const [x, y] = [Math.floor(pixel.x / 256), Math.floor(pixel.y / 256)];
    return [-1, 0, 1].flatMap((right) => [-1, 0, 1].map((down) => ({ z, x: x + right, y: y + down })));
  });
  return archive(tiles.map((tile) => ({ ...tile, data: crossTile(place, tile) })), options);
}

scenario("an archive of tiles in one file is drawn, stretched beyond its last zoom, in its datum", async (stage) => {
  const sources = [{ name: "Archive", kind: "pmtiles", url: "site.pmtiles", datum: "gcj02" }];
  const overrides = { "site.pmtiles": { body: archiveAround(GCJ02, [18, 19, 20]) } };
  const { vehicle, server } = await site(stage, { sources, overrides });
  const page = await stage.open({ vehicle, at: server.url });
  await page.online();
  const { meters } = await offOfCross(page);
  assert.ok(meters < TOLERANCE_M, `${meters} m`);
  await openMaps(page);
  await page.untilText("ground-told", /Tiles drawn: [1-9]/);
  const asked = server.requests.filter((path) => path.endsWith("site.pmtiles")).length;
  stage.say(`${asked} requests for the archive`);
  assert.ok(asked < 60, `${asked} requests`);
});

test("an archive of ours is read by the format's own library, and one of another writer too", async () => {
  const source = (bytes) => ({
    getKey: () => "",
    getBytes: async (offset, length) => ({
      data: new Uint8Array(bytes).slice(offset, offset + length).buffer,
    }),
  });
  const ours = new PMTiles(source(archiveAround(WGS84, [16, 17, 18])));
  const pixel = worldPixel(WGS84, 17);
  const tile = { z: 17, x: Math.floor(pixel.x / 256), y: Math.floor(pixel.y / 256) };
  const read = await ours.getZxy(tile.z, tile.x, tile.y);
  assert.deepEqual(Buffer.from(read.data), crossTile(WGS84, tile));
  assert.equal(await ours.getZxy(17, 0, 0), undefined);

  const path = fileURLToPath(new URL("../pmtiles/three_colours.pmtiles", import.meta.url));
  const theirs = new PMTiles(source(await readFile(path)));
  assert.ok((await theirs.getZxy(8, 200, 100)).data.byteLength > 0);
  assert.equal(await theirs.getZxy(8, 0, 100), undefined);
});

scenario("what was seen is drawn again without its server", async (stage) => {
  let isUp = true;
  const more = async (name) => {
    const answer = await crosses(name);
    return answer && !isUp ? { status: 503 } : answer;
  };
  const { vehicle, server } = await site(stage, { more });
  const page = await stage.open({ vehicle, at: server.url });
  await page.online();
  await offOfCross(page);
  await openMaps(page);
  await page.untilText("ground-kept", /Kept on this device: [1-9]\d* tiles/);
  const asked = server.requests.filter((path) => path.startsWith("/tiles/")).length;
  await closeMaps(page);

  isUp = false;
  page.expected.push(/503/);
  await page.page.reload();
  await page.online();
  const { meters } = await offOfCross(page);
  assert.ok(meters < TOLERANCE_M, `${meters} m`);
  await openMaps(page);
  await page.untilText("ground-told", /[1-9]\d* kept here/);
  stage.say(`${asked} tiles were asked for, ${await page.text("ground-kept")}`);

  await page.tap("ground-forget");
  await page.untilText("ground-kept", /: 0 tiles/);
});

scenario("a tile server that hangs delays neither the page nor the drive, and is said", async (stage) => {
  let hanging = 0;
  const more = async (name) => {
    if (!(await crosses(name))) return undefined;
    hanging += 1;
    return new Promise(() => {});
  };
  const { vehicle, server } = await site(stage, { more });
  const page = await stage.open({ vehicle, at: server.url });
  page.expected.push(/ERR_/);
  const from = Date.now();
  await page.arm();
  stage.say(`armed after ${Date.now() - from} ms`);
  const start = vehicle.now;
  const thumb = await page.drive();
  await vehicle.until("full speed", () => vehicle.truth.v > 0.28);
  await vehicle.pass(3000);
  const commands = between(velocities(vehicle.lines), start).filter(isMotion);
  assert.ok(Math.abs(rate(commands) - 20) <= 2, `${rate(commands)} Hz`);
  assert.ok(longestGap(commands) < 250, `${longestGap(commands)} ms`);
  assert.equal(events(vehicle.lines, "command_timeout").length, 0);
  await page.touch.up(thumb);
  await page.until("drive", { state: "ready" });
  await page.untilText("map-note", /no tiles from Site/);

  // The rest of the program comes as soon as nothing is armed, over the same server.
  await page.tap("drive-arm");
  await openMaps(page);
  await page.untilText("ground-told", /does not answer/, { timeout: 40_000 });
  const before = hanging;
  await vehicle.pass(10_000);
  stage.say(`${before} requests hung, ${hanging - before} more in 10 s`);
  assert.ok(hanging - before <= 2, `${hanging - before} requests in 10 s`);
});

scenario("a site plan is placed by two taps on it and two on the map, and a third proves it", async (stage) => {
  // Lines cross at a quarter and at three quarters; drawn at 0.4, they keep their colour.
  const size = { width: 800, height: 600 };
  const isLine = (at, of) => Math.abs(at - of / 4) < 5 || Math.abs(at - (3 * of) / 4) < 5;
  const plan = png(size.width, size.height, (x, y) => (isLine(x, size.width) || isLine(y, size.height) ? LINE : GROUND));
  const sources = [{ name: "Yard", kind: "plan", url: "yard.png" }];
  const { vehicle, server } = await site(stage, { sources, overrides: { "yard.png": { body: plan } } });
  const page = await stage.open({ vehicle, at: server.url });
  await page.online();
  await page.until("rtk", { state: "live" });
  // Nothing lies beside the picture that would place it.
  page.expected.push(/404/);
  await openMaps(page);
  await page.tap("plan-Yard");
  await page.id("plan-paper").waitFor({ state: "visible" });
  const at = await marker(page);

  // The upper left crossing is where the vehicle stands, the others 160 px right and 120 px below.
  await tapPaper(page, { x: 0.25, y: 0.25 });
  await page.untilText("plan-step", /on the map/);
  await page.tap("plan-vehicle");
  await page.id("plan-point-1").waitFor({ state: "visible" });
  await page.untilText("plan-judged", /Two points/);
  await tapPaper(page, { x: 0.75, y: 0.75 });
  await page.untilText("plan-step", /on the map/);
  await page.touch.tap(at.x + 160, at.y + 120);
  await page.untilText("plan-judged", /cm a pixel.*third/);
  const scale = await metersPerPixel(page);
  const said = Number(/([\d.]+) cm/.exec(await page.text("plan-judged"))[1]) / 100;
  const expected = (200 * scale) / Math.hypot(size.width / 2, size.height / 2);
  assert.ok(Math.abs(said - expected) < 0.05 * expected, `${said} m a pixel, not ${expected}`);

  // The vehicle stands on the first crossing.
  await page.tap("ground-close");
  await closeMaps(page);
  const { meters } = await offOfCross(page, 40);
  assert.ok(meters < 0.3, `${meters} m`);

  // A third point that is 40 px off shows as residuals.
  await openMaps(page);
  // Where there is little room the sheet scrolls, under a head that stays.
  await page.id("plan-place").evaluate((key) => key.scrollIntoView({ block: "center" }));
  await page.tap("plan-place");
  await page.id("plan-paper").waitFor({ state: "visible" });
  await tapPaper(page, { x: 0.75, y: 0.25 });
  await page.untilText("plan-step", /on the map/);
  await page.touch.tap(at.x + 160, at.y + 40);
  await page.untilText("plan-judged", /Worst residual: [\d.]+ m/);
  const worst = Number(/residual: ([\d.]+) m/.exec(await page.text("plan-judged"))[1]);
  assert.ok(worst > 10 * scale && worst < 40 * scale, `${worst} m`);
  await page.tap("ground-close");

  // It is there again after a reload.
  await page.page.reload();
  await page.online();
  await page.until("rtk", { state: "live" });
  await untilTakenOver(page);
  await offOfCross(page, 40);
});

scenario("bad files say what is wrong and cost nothing else", async (stage) => {
  const sources = [
    { name: "Vectors", kind: "pmtiles", url: "vectors.pmtiles" },
    { name: "Old", kind: "pmtiles", url: "old.pmtiles" },
    { name: "Text", kind: "pmtiles", url: "text.pmtiles" },
    { name: "Missing", kind: "pmtiles", url: "missing.pmtiles" },
    { name: "Words", url: "words/{z}/{x}/{y}.png" },
    { name: "Broken plan", kind: "plan", url: "text.pmtiles" },
    { name: "No plan", kind: "plan", url: "nowhere.png" },
    { name: "Plan", kind: "plan", url: "plan.png" },
  ];
  const overrides = {
    "vectors.pmtiles": { body: archiveAround(WGS84, [18], { kind: 1 }) },
    "old.pmtiles": { body: archiveAround(WGS84, [18], { version: 2 }) },
    "text.pmtiles": { body: "only words" },
    "plan.png": { body: png(40, 30, () => GROUND) },
    "plan.png.json": { body: '{"control_points": [{"pixel": [1, 2], "lat": 91, "lon": 8}]}' },
  };
  const more = async (name) => (name.startsWith("words/") ? { type: "text/html", body: "<p>log in" } : undefined);
  const { vehicle, server } = await site(stage, { sources, overrides, more });
  const page = await stage.open({ vehicle, at: server.url });
  page.expected.push(/404/);
  await page.online();
  await page.until("rtk", { state: "live" });
  await openMaps(page);
  const told = ["its tiles are vectors", "version 2 is not read", "not a PMTiles file", "404", "no picture"];
  for (const [index, words] of told.entries()) {
    if (index > 0) await page.tap(`ground-source-${index}`);
    await page.untilText("ground-told", new RegExp(words));
    await page.untilText("map-note", /no tiles from/);
  }
  await page.tap("plan-Broken plan");
  await page.untilText("plan-trouble", /Broken plan: No picture/);
  await page.tap("plan-No plan");
  await page.untilText("plan-trouble", /No plan: Nothing at this address/);
  await page.tap("plan-Plan");
  await page.id("plan-paper").waitFor({ state: "visible" });
  await page.tap("ground-close");
  await page.untilText("plan-problems", /control_points\[0\]: lat is 91, beyond 90/);
  // A server that sends whole files only.
  const plain = await site(stage, {
    sources: [{ name: "Archive", kind: "pmtiles", url: "site.pmtiles" }],
    overrides: { "site.pmtiles": { body: archiveAround(WGS84, [18]) } },
    hasRanges: false,
  });
  const other = await stage.open({ vehicle: plain.vehicle, at: plain.server.url });
  await other.online();
  await other.until("rtk", { state: "live" });
  await openMaps(other);
  await other.untilText("ground-told", /whole files only/);
});
