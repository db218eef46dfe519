// Several vehicles of different kinds on one bridge: chosen in the console, each driven alone, judged
// by the vehicles' own log; and what a vehicle says of its commands.

import assert from "node:assert/strict";
import { once } from "node:events";
import WebSocket from "ws";
import { hover } from "./lib/multirotor.mjs";
import { lookAt, openTopics, row, tapOn } from "./lib/topics.mjs";
import { scenario } from "./lib/stage.mjs";

const FLEET = ["--vehicle", "yard/s1:sweeper", "--vehicle", "uav1:multirotor"];

/** Another client of the bridge. */
async function client(vehicle) {
  const socket = new WebSocket(vehicle.url);
  await once(socket, "open");
  return socket;
}

function publish(socket, topic, msg) {
  socket.send(`{"op":"publish","topic":"${topic}","msg":${msg}}`);
}

/** The newest truth about a vehicle of the fleet. */
function truth(vehicle, name) {
  return vehicle.lines.findLast((line) => line.vehicle === name && (line.kind === "state" || line.kind === "flight"));
}

/** Whether a vehicle moved after that moment of the log. */
function moved(vehicle, name, since) {
  const places = vehicle.since(since).filter((line) => line.vehicle === name && line.x !== undefined);
  const [first] = places;
  return places.some(({ x, y }) => Math.hypot(x - first.x, y - first.y) > 0.05);
}

scenario("vehicles of two kinds on one bridge are chosen in the console, and only the chosen one moves", async (stage) => {
  const fleet = await stage.vehicle({ args: FLEET });
  const page = await stage.open({ vehicle: fleet, query: { ns: "yard/s1" } });
  await page.arm();
  await hover(fleet, "uav1");
  let since = fleet.now;
  let finger = await page.drive({ forward: 1.02 });
  await fleet.until("the sweeper to move", () => moved(fleet, "yard/s1", since));
  await page.touch.up(finger);
  await page.until("drive", { state: "ready" });
  assert.equal(moved(fleet, "uav1", since), false);

  await openTopics(page);
  const choice = (name) => page.page.locator(`[data-testid="vehicle-choice"][data-namespace="${name}"]`);
  await choice("uav1").waitFor();
  assert.match(await choice("uav1").innerText(), /uav1\s*flies · drive · position/);
  assert.match(await choice("yard/s1").innerText(), /yard\/s1 \(this one\)\s*drive · tools · position/);
  await tapOn(page, choice("uav1"));
  await page.until("vehicle", { namespace: "uav1", kind: "multirotor" });
  await page.untilText("vehicle", /Multirotor/);

  await page.arm();
  await fleet.until("the sweeper to stand", () => truth(fleet, "yard/s1").v === 0);
  since = fleet.now;
  const pad = await page.middle("stick-2");
  const { width } = await page.box("stick-2");
  finger = await page.touch.down(pad.x, pad.y);
  await page.touch.move(finger, pad.x, pad.y - width / 2, 4);
  await fleet.until("the multirotor to move", () => moved(fleet, "uav1", since));
  await page.touch.up(finger);
  assert.equal(moved(fleet, "yard/s1", since), false);
  await fleet.until("it to stop in place", () => {
    const { vx, vy, landed } = truth(fleet, "uav1");
    return Math.hypot(vx, vy) < 0.05 && !landed;
  });
});

scenario("what the vehicle says of the commands is live beside the map and on the topics page", async (stage) => {
  const sweeper = await stage.vehicle({ args: ["--max-linear", "0.1"] });
  const page = await stage.open({ vehicle: sweeper });
  // What shows it is loaded after what is needed to drive.
  await page.online();
  await page.id("machine").waitFor();
  assert.equal(await page.id("command-state").count(), 0, "nothing was commanded yet");
  const other = await client(sweeper);
  const driving = setInterval(() => publish(other, "/cmd_vel", '{"linear":{"x":0.5}}'), 50);
  await page.until("command-state", { component: "velocity", state: "limited" });
  await page.untilText("command-state", /Velocity command: limited by the vehicle/);
  clearInterval(driving);
  await page.until("command-state", { state: "timed_out" });

  publish(other, "/cmd_vel", '{"linear":{"x":NaN}}');
  await page.until("command-state", { state: "refused" });
  await page.untilText("command-state", /refused: velocity command with a number that is not finite: linear\.x/);
  await page.tapSetting("lang");
  await page.untilText("command-state", /速度指令：被拒绝：/);
  await page.tapSetting("lang");

  await openTopics(page);
  await lookAt(page, "/velocity_command/state", ".topic-summary p");
  assert.match(await row(page, "/velocity_command/state").innerText(), /refused: /);
  other.close();
});

scenario("a vehicle that stops talking is not said to follow", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  // What says it is not started under a press.
  await page.online();
  await page.id("machine").waitFor();
  await page.arm();
  const finger = await page.drive({ forward: 1.02 });
  await page.until("command-state", { state: "active" });
  await page.touch.up(finger);
  page.expected.push(/WebSocket connection to/);
  await sweeper.kill();
  await page.id("command-state").waitFor({ state: "hidden" });
});

scenario("the demo vehicle is a multirotor when the address says so", async (stage) => {
  const page = await stage.open({ query: { demo: "1", kind: "multirotor" } });
  await page.until("vehicle", { kind: "multirotor" });
  await page.until("rtk", { state: "live" });
  await openTopics(page);
  await row(page, "/cmd_attitude").waitFor();
  await row(page, "/motors/state").waitFor();
  assert.equal(await row(page, "/auto_mc_ctrl").count(), 0);
});

scenario("an address with another kind is refused in words, and nothing else is driven", async (stage) => {
  const page = await stage.open({ query: { demo: "1", kind: "boat" } });
  await page.untilText(
    "profile-problems",
    /kind=boat in the page's address is not understood; write kind=sweeper or kind=multirotor/,
  );
  assert.equal(await page.id("drive-arm").count(), 0);
});
