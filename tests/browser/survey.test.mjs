// The survey: every fix as a line over the map, kept through a reload, given out as files that
// others can read; and what it says of a position.

import assert from "node:assert/strict";
import { readFile, writeFile, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check } from "@placemarkio/check-geojson";
import { gpx } from "@tmcw/togeojson";
import { DOMParser } from "@xmldom/xmldom";
import { parse } from "csv-parse/sync";
import { driveUntil } from "./lib/charting.mjs";
import { ConsolePage } from "./lib/page.mjs";
import { scenario } from "./lib/stage.mjs";
import { metersBetween } from "./lib/log.mjs";
import { tapOn } from "./lib/topics.mjs";
import { until } from "./lib/wait.mjs";

/** Nothing but the survey's own sheet is waited for: the page loads it by itself. */
async function surveyed(page) {
  await page.online();
  await page.id("survey-key").waitFor();
}

async function openSheet(page) {
  await page.tap("survey-key");
  await page.id("survey").waitFor({ state: "visible" });
}

async function tapIn(page, testid) {
  await tapOn(page, page.id(testid));
}

const points = (page) => page.number("survey-track", "points");
const stored = (page) => page.number("survey-stored", "stored");

/**
 * The vehicle's receiver reports a way to the north, half a metre a step: no finger has to drive for
 * that, which a busy machine would rightly refuse.
 */
async function walk(page, sweeper, steps) {
  const before = await points(page);
  const { lat, lon } = await page.place("rtk");
  sweeper.say("rtk silent");
  for (let step = 1; step <= steps; step += 1) {
    const msg = { lat: lat + step * 4.5e-6, lon, head: 0, speed: 1, p_quality: 4, h_quality: 4 };
    sweeper.say(`raw ${JSON.stringify({ op: "publish", topic: "/rtk_message", msg })}`);
    await sweeper.pass(150);
  }
  await until("the line to grow", async () => (await points(page)) >= before + steps - 1);
}

/** Does the drawn line pass within so many pixels of the vehicle's marker? */
async function isDrawnAtMarker(page) {
  return page.page.evaluate(() => {
    const marker = document.querySelector("[data-testid=vehicle-marker]").getBoundingClientRect();
    return [...document.querySelectorAll("[data-testid=survey-track] path")].some((path) => {
      const frame = path.getScreenCTM();
      for (let along = 0; along <= path.getTotalLength(); along += 5) {
        const at = path.getPointAtLength(along).matrixTransform(frame);
        if (Math.hypot(at.x - marker.x, at.y - marker.y) < 60) return true;
      }
      return false;
    });
  });
}

async function exported(page, kind) {
  const download = page.page.waitForEvent("download");
  await tapIn(page, `export-${kind}`);
  const file = await download;
  assert.match(file.suggestedFilename(), new RegExp(`^track-.*\\.${kind}$`));
  return readFile(await file.path(), "utf8");
}

scenario("the driven line is drawn over the map, and survives a reload", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await surveyed(page);
  await page.id("survey-track").waitFor({ state: "attached" });
  await page.until("rtk", { state: "live" });
  await openSheet(page);
  await tapIn(page, "unit-kmh");
  await page.page.locator(`[data-testid="unit-kmh"][aria-pressed="true"]`).waitFor();
  await page.tap("survey-close");
  await walk(page, sweeper, 20);
  await until("the line on the map", () => isDrawnAtMarker(page));
  await openSheet(page);
  await page.until("survey-stored", { kept: "true" });
  const before = { points: await points(page), stored: await stored(page) };
  assert.ok(before.stored >= 20, `${before.stored} fixes`);
  // What is not saved yet is saved every two seconds.
  await sweeper.pass(3000);
  // Where the way began; without a position the map would not look there.
  sweeper.say("rtk ok");
  await page.page.reload();
  await surveyed(page);
  await until("the line of before", async () => (await points(page)) >= before.points);
  await openSheet(page);
  await until("the fixes of before", async () => (await stored(page)) >= before.stored);
  assert.equal(await page.id("unit-kmh").getAttribute("aria-pressed"), "true", "the chosen unit is kept");
  await page.id("vehicle-marker").waitFor({ state: "attached" });
  await until("the line of before on the map", () => isDrawnAtMarker(page));
});

scenario("the track goes out as GeoJSON, GPX and CSV, and others read the same in each", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper, acceptDownloads: true });
  await surveyed(page);
  await page.until("rtk", { state: "live" });
  // It reports no more afterwards: so the three files hold the same.
  await walk(page, sweeper, 30);
  await openSheet(page);
  await page.until("survey-fix", { state: "stale" });
  await sweeper.pass(1500);
  const count = await stored(page);

  // It throws at whatever RFC 7946 does not allow.
  const geojson = check(await exported(page, "geojson"));
  const xml = new DOMParser().parseFromString(await exported(page, "gpx"), "text/xml");
  const rows = parse(await exported(page, "csv"), { columns: true, comment: "#" });

  assert.equal(geojson.type, "FeatureCollection");
  const corners = geojson.features.flatMap(({ geometry }) =>
    geometry.type === "Point" ? [geometry.coordinates] : geometry.coordinates,
  );
  assert.equal(corners.length, count);
  assert.equal(rows.length, count);
  const tracks = gpx(xml);
  const fromGpx = tracks.features.flatMap(({ geometry }) =>
    geometry.type === "MultiLineString" ? geometry.coordinates.flat() : geometry.coordinates,
  );
  assert.equal(fromGpx.length, count);
  assert.equal(xml.documentElement.getAttribute("version"), "1.1");
  const qualities = xml.getElementsByTagNameNS("urn:broomstick:gpx:1", "p_quality");
  assert.equal(qualities.length, count);
  for (let i = 0; i < count; i += 1) {
    const [lon, lat] = corners[i];
    assert.ok(Math.abs(fromGpx[i][0] - lon) < 2e-9 && Math.abs(fromGpx[i][1] - lat) < 2e-9);
    assert.ok(Math.abs(Number(rows[i].lon) - lon) < 2e-9 && Math.abs(Number(rows[i].lat) - lat) < 2e-9);
    assert.equal(rows[i].p_quality, "4");
  }
  // Where the receiver said that it is at last.
  const [lon, lat] = corners.at(-1);
  const { north, east } = metersBetween(await page.place("rtk"), { lat, lon });
  assert.ok(Math.hypot(north, east) < 0.01, `${north} ${east}`);
});

scenario("a file is laid over the map; what is bad in it is said with line and reason", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await surveyed(page);
  await openSheet(page);
  const folder = await mkdtemp(join(tmpdir(), "broomstick-track-"));
  const file = join(folder, "yesterday.csv");
  const lines = ["time,lat,lon,heading_deg,speed_m_s,p_quality,segment"];
  for (let i = 0; i < 20; i += 1) {
    lines.push(`2026-01-02T03:04:${String(i).padStart(2, "0")}.000Z,${31.2304 + i * 1e-6},121.4737,0.00,0.100,4,0`);
  }
  lines[5] = lines[5].replace("31.", "931.");
  await writeFile(file, lines.join("\n"));
  await page.id("survey-import").setInputFiles(file);
  await page.until("survey-imported", { fixes: "19", problems: "1" });
  await page.untilText("survey-imported", /line 6: lat is 931/);
  await tapIn(page, "survey-unimport");
  await page.id("survey-imported").waitFor({ state: "detached" });
});

scenario("a change of solution is an event, in the strip, in words, colour and shape", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await surveyed(page);
  await openSheet(page);
  await page.until("survey-fix", { state: "live", source: "rtk" });
  sweeper.say("rtk quality 5 1");
  await page.untilText("survey-events", /Position: Fixed → Float/);
  await page.untilText("survey-events", /Heading: Fixed → Single/);
  const grades = await page
    .id("survey-fix")
    .locator("[data-grade]")
    .evaluateAll((parts) => parts.map((part) => [part.dataset.grade, part.textContent]));
  assert.deepEqual(grades.map(([grade]) => grade), ["fair", "poor"]);
  assert.match(grades[0][1], /Float/);
  assert.match(grades[1][1], /Single/);
  await page.untilText("survey-strip", /float [1-9]\d*%/);
  sweeper.say("rtk null");
  await page.until("survey-fix", { state: "invalid" });
  await page.untilText("survey", /The position cannot be used: lat is null/);
  sweeper.say("rtk silent");
  await page.until("survey-fix", { state: "stale" });
  await page.untilText("survey-events", /Position: .* → No data/);
  sweeper.say("rtk quality 4 4");
  sweeper.say("rtk ok");
  await page.until("survey-fix", { state: "live" });
  const rate = await page.number("survey-fix", "rate");
  assert.ok(rate > 0 && rate < 15);
});

scenario("a vehicle that has NavSatFix alone is shown by it, with its accuracy, never as fixed", async (stage) => {
  const sweeper = await stage.vehicle({ args: ["--sensors", "--no-rtk"] });
  const page = await stage.open({ vehicle: sweeper });
  await surveyed(page);
  await page.until("rtk", { state: "live", "p-quality": null, "h-quality": null });
  await page.id("vehicle-marker").waitFor({ state: "attached" });
  await until("a heading", async () => (await page.data("vehicle-marker", "heading")) !== null);
  const { north, east } = metersBetween(sweeper.truth, await page.place("vehicle-marker"));
  assert.ok(Math.hypot(north, east) < 0.2, `${north} ${east}`);
  const turn = (await page.number("vehicle-marker", "heading")) - sweeper.truth.heading;
  assert.ok(Math.abs(((turn + 540) % 360) - 180) < 1, `${turn}`);
  await openSheet(page);
  await page.until("survey-fix", { state: "live", source: "nav_sat_fix" });
  // 2.448 times the 2 cm of the vehicle's covariance.
  assert.ok(Math.abs((await page.number("survey-fix", "accuracy")) - 0.049) < 0.002);
  assert.doesNotMatch(await page.text("survey"), /^Fixed$/m);
  await page.untilText("survey", /Quality unknown/);
  // What told it is gone: the page does not go on showing it as if it were so.
  const viewer = await page.worker("viewer");
  await page.tap("survey-close");
  viewer.evaluate(() => self.close()).catch(() => undefined);
  await page.until("rtk", { state: "stale" });
});

scenario("the survey is deleted only when that is asked for twice", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await surveyed(page);
  await openSheet(page);
  await until("some fixes", async () => (await stored(page)) > 20);
  await tapIn(page, "survey-forget");
  await page.until("survey-forget", { sure: "true" });
  const before = await stored(page);
  assert.ok(before > 20);
  await tapIn(page, "survey-forget");
  await until("fewer fixes", async () => (await stored(page)) < before);
});

scenario("what the command leads over in two seconds is drawn ahead of the body, and gone when it ends", async (stage) => {
  const sweeper = await stage.vehicle({ args: ["--heading", "0"] });
  const page = await stage.open({ vehicle: sweeper });
  await surveyed(page);
  await page.until("rtk", { state: "live" });
  const way = () =>
    page.page.evaluate(() => {
      const boxOf = (selector) => document.querySelector(selector).getBoundingClientRect();
      const [way, body] = [boxOf("[data-testid=survey-way]"), boxOf(".vehicle-outline")];
      return { top: way.top, bottom: way.bottom, width: way.width, body: { top: body.top, width: body.width } };
    });
  const [lat, zoom] = [await page.number("map", "center-lat"), await page.number("map", "zoom")];
  const metersPerPixel = (156_543.03392 * Math.cos((lat * Math.PI) / 180)) / 2 ** zoom;
  let drawn;
  let ahead;
  // It is drawn with each fix, and so a little later than the command has come to its full speed.
  const isAhead = async () => {
    const linear = await page.number("velocity", "linear").catch(() => 0);
    drawn = await way();
    ahead = (drawn.body.top - drawn.top) * metersPerPixel;
    return linear > 0.28 && ahead > 0.4;
  };
  const thumb = await driveUntil(page, "the way ahead", isAhead);
  stage.say(`${ahead.toFixed(2)} m ahead of the body at 0.3 m/s`);
  assert.ok(Math.abs(ahead - 0.6) < 0.2, `${ahead} m`);
  assert.ok(Math.abs(drawn.width - drawn.body.width) < 8, `${drawn.width} px for a body of ${drawn.body.width} px`);
  await page.touch.up(thumb);
  await until("nothing to be drawn", async () => (await page.id("survey-way").getAttribute("d")) === "");
});

scenario("of two windows of a vehicle one keeps the track, and the other goes on with it", async (stage) => {
  const sweeper = await stage.vehicle();
  const first = await stage.open({ vehicle: sweeper });
  await surveyed(first);
  await openSheet(first);
  await first.until("survey-stored", { kept: "true" });
  const second = await ConsolePage.openTab(first.context, first.page.url());
  // A finger of this browser reaches the tab that was opened first only.
  const openByScript = () =>
    second.page.evaluate(() => document.querySelector("[data-testid=survey-key]").click());
  await surveyed(second);
  await openByScript();
  await second.until("survey-stored", { kept: "elsewhere" });
  await second.untilText("survey-events", /Another window of this browser keeps the track/);
  await first.until("survey-stored", { kept: "true" });

  await first.page.close();
  await second.until("survey-stored", { kept: "true" });
  const rows = parse(await exported(second, "csv"), { columns: true, comment: "#" });
  const times = rows.map(({ time }) => Date.parse(time));
  assert.ok(times.length > 20 && times.every((time, at) => at === 0 || time > times[at - 1]), "a fix is there twice");
  // Neither a reload nor its own former self makes it somebody else's.
  await sweeper.pass(3000);
  await second.page.reload();
  await surveyed(second);
  await openByScript();
  await until("the fixes of before", async () => (await stored(second)) >= times.length);
  await sweeper.pass(9000);
  assert.equal(await second.data("survey-stored", "kept"), "true");
  assert.deepEqual(await second.problems(), []);
});
