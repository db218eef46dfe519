// One hand drives, the other looks around on the map.

import assert from "node:assert/strict";
import { openWork, tapInSheet } from "./lib/charting.mjs";
import { SCREENS } from "./lib/screens.mjs";
import { scenario } from "./lib/stage.mjs";
import { between, events, isMotion, metersBetween, rate, velocities } from "./lib/log.mjs";
import { until } from "./lib/wait.mjs";

/** Metres per CSS pixel of a web map at that place. */
function metersPerPixel(lat, zoom) {
  return (156_543.03392 * Math.cos((lat * Math.PI) / 180)) / 2 ** zoom;
}

async function view(page) {
  const [lat, lon, zoom] = await Promise.all(
    ["center-lat", "center-lon", "zoom"].map((name) => page.number("map", name)),
  );
  return { lat, lon, zoom };
}

async function isFollowing(page) {
  return (await page.id("follow").getAttribute("aria-checked")) === "true";
}

scenario("a finger pans the map while another drives, and neither disturbs the other", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.arm();
  assert.ok(await isFollowing(page));
  const thumb = await page.drive();
  await sweeper.until("full speed", () => sweeper.truth.v > 0.28);

  const before = await view(page);
  const start = sweeper.now;
  const map = await page.box("map");
  const grip = { x: map.x + map.width * 0.6, y: map.y + map.height * 0.45 };
  const way = { x: -130, y: -70 };
  const finger = await page.touch.down(grip.x, grip.y);
  await page.touch.move(finger, grip.x + way.x, grip.y + way.y, 25);
  // The finger rests before it is lifted, so that the map does not slide on.
  await sweeper.pass(500);
  await page.until("drive", { state: "driving" });
  await page.touch.up(finger);
  await sweeper.pass(500);

  const after = await view(page);
  assert.equal(after.zoom, before.zoom, "a pan must not zoom");
  assert.equal(await isFollowing(page), false);
  const moved = metersBetween(before, after);
  const scale = metersPerPixel(before.lat, before.zoom);
  const pixels = { x: moved.east / scale, y: -moved.north / scale };
  stage.say(`finger ${-way.x}, ${-way.y} px; map ${pixels.x.toFixed(0)}, ${pixels.y.toFixed(0)} px`);
  // The map may begin to move only after the first few pixels, which tell a pan from a tap.
  assert.ok(Math.abs(pixels.x + way.x) <= 20, `the map moved by ${pixels.x} px for ${-way.x}`);
  assert.ok(Math.abs(pixels.y + way.y) <= 20, `the map moved by ${pixels.y} px for ${-way.y}`);

  await page.until("drive", { state: "driving" });
  const commands = between(velocities(sweeper.lines), start);
  assert.ok(commands.every(isMotion), "the drive was interrupted");
  assert.ok(Math.abs(rate(commands) - 20) <= 2, `${rate(commands)} Hz`);
  assert.equal(events(sweeper.lines, "command_timeout").length, 0);

  await page.touch.up(thumb);
  await page.until("drive", { state: "ready" });
  await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
});

scenario("a pan goes on when the driving thumb is lifted", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.arm();
  const thumb = await page.drive();
  const map = await page.box("map");
  const grip = { x: map.x + map.width * 0.6, y: map.y + map.height * 0.4 };
  const before = await view(page);
  const finger = await page.touch.down(grip.x, grip.y);
  await page.touch.move(finger, grip.x + 60, grip.y, 10);
  await page.touch.up(thumb);
  await page.until("drive", { state: "ready" });
  await page.touch.move(finger, grip.x + 160, grip.y, 10);
  await sweeper.pass(300);
  await page.touch.up(finger);
  const pixels = await until("the map to have moved", async () => {
    const { lat, lon, zoom } = await view(page);
    assert.equal(zoom, before.zoom);
    const moved = metersBetween(before, { lat, lon });
    return Math.round(-moved.east / metersPerPixel(lat, zoom));
  });
  assert.ok(Math.abs(pixels - 160) <= 25, `the map moved by ${pixels} px for 160`);
});

scenario("two fingers on the map zoom it while a third drives", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.arm();
  const thumb = await page.drive();
  const start = sweeper.now;
  const before = await view(page);
  const map = await page.box("map");
  const middle = { x: map.x + map.width * 0.55, y: map.y + map.height * 0.4 };
  const left = await page.touch.down(middle.x - 30, middle.y);
  const right = await page.touch.down(middle.x + 30, middle.y);
  for (let spread = 40; spread <= 130; spread += 10) {
    await page.touch.move(left, middle.x - spread, middle.y);
    await page.touch.move(right, middle.x + spread, middle.y);
  }
  await page.touch.up(right);
  await page.touch.up(left);
  await until("the map to be zoomed in", async () => (await view(page)).zoom > before.zoom);
  await page.until("drive", { state: "driving" });
  assert.ok(between(velocities(sweeper.lines), start).every(isMotion), "the drive was interrupted");
  await page.touch.up(thumb);
});

scenario("the vehicle's marker stays on the screen while the map follows", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.arm();
  const from = await page.place("vehicle-marker");
  const thumb = await page.drive();
  await sweeper.until("a metre of way", () => {
    const moved = metersBetween(from, sweeper.truth);
    return Math.hypot(moved.north, moved.east) > 1;
  });
  await page.touch.up(thumb);
  const marker = await page.place("vehicle-marker");
  const middle = await view(page);
  const away = metersBetween(middle, marker);
  const map = await page.box("map");
  const reach = (metersPerPixel(middle.lat, middle.zoom) * Math.min(map.width, map.height)) / 2;
  assert.ok(Math.hypot(away.north, away.east) < reach, JSON.stringify(away));
});

/** What the vehicle's receiver reports at this moment, in place of its own. */
function report(vehicle, place, more = {}) {
  const msg = { head: 0, speed: 0, p_quality: 4, h_quality: 4, ...place, ...more };
  vehicle.say(`raw ${JSON.stringify({ op: "publish", topic: "/rtk_message", msg })}`);
}

scenario("one wild position moves nothing on the map, and a vehicle that is elsewhere is soon shown there", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await page.until("rtk", { state: "live" });
  sweeper.say("rtk silent");
  const { lat, lon } = await page.place("vehicle-marker");
  report(sweeper, { lat, lon });
  await page.until("vehicle-marker", { live: "true" });
  const here = await page.place("vehicle-marker");

  report(sweeper, { lat: lat + 0.01, lon });
  await page.until("rtk", { state: "invalid" });
  await page.untilText("rtk", /lat and lon are 11\d\d m off/);
  await page.until("vehicle-marker", { live: "false" });
  const held = await page.place("vehicle-marker");
  assert.deepEqual([held.lat, held.lon], [here.lat, here.lon], "the marker jumped");
  report(sweeper, { lat: lat + 1e-6, lon });
  await page.until("vehicle-marker", { live: "true" });

  for (let message = 0; message < 5; message += 1) {
    report(sweeper, { lat: lat + 0.01 + message * 1e-6, lon });
    await sweeper.pass(60);
  }
  await page.until("rtk", { state: "live" });
  const there = await page.place("vehicle-marker");
  assert.ok(Math.abs(there.lat - lat - 0.01) < 1e-5, "it is shown where it is");
});

scenario("the vehicle turns by the shortest arc, however often it passes north", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await page.until("rtk", { state: "live" });
  sweeper.say("rtk silent");
  const place = await page.place("rtk");
  const turned = () =>
    page.page.locator(".vehicle-body").evaluate((body) => Number(/rotate\((-?[\d.]+)deg\)/.exec(body.style.transform)[1]));
  const headings = [0, 90, 180, 270, 359, 0, 1, 359.5, 0.5, 350, 10, 350, 10, 90, 0, 270, 180, 90, 0, 355, 5, 355, 5];
  let last;
  for (const [step, head] of headings.entries()) {
    report(sweeper, { lat: place.lat + step * 1e-8, lon: place.lon }, { head });
    await page.until("vehicle-marker", { heading: head.toFixed(8) });
    const now = await turned();
    assert.ok(Math.abs((((now - head) % 360) + 360) % 360) < 0.01, `${now}° for ${head}°`);
    if (last !== undefined) assert.ok(Math.abs(now - last) <= 90.01, `from ${last}° to ${now}°`);
    last = now;
  }
});

for (const { name, width, height } of SCREENS) {
  scenario(`${name}: the vehicle is beside a sheet of the map and beside the drawing bar`, async (stage) => {
    const sweeper = await stage.vehicle();
    const page = await stage.open({ vehicle: sweeper, viewport: { width, height } });
    await page.online();
    await page.until("rtk", { state: "live" });
    await page.id("work-key").waitFor();
    const isSeen = () =>
      page.page.evaluate(() => {
        const { x, y } = document.querySelector("[data-testid=vehicle-marker]").getBoundingClientRect();
        // Its body, too, is longer than a point.
        return [-14, 0, 14].every((off) => document.elementFromPoint(x, y + off)?.closest("[data-testid=map]"));
      });
    await until("the vehicle to be seen", isSeen);
    for (const [key, sheet] of [["survey-key", "survey"], ["ground-key", "ground"], ["work-key", "work"]]) {
      await page.tap(key);
      await page.id(sheet).waitFor({ state: "visible" });
      await until(`the vehicle beside the sheet ${sheet}`, isSeen);
      await page.tap(`${sheet}-close`);
      await page.id(sheet).waitFor({ state: "hidden" });
      await until("the vehicle to be seen again", isSeen);
    }
    await openWork(page);
    await tapInSheet(page, "work-draw-zone");
    await page.id("work-bar").waitFor({ state: "visible" });
    await until("the vehicle beside the drawing bar", isSeen);
  });
}
