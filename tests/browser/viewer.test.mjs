// The topics page and the camera: a program, a Worker and a socket of their own, which may fail
// without anybody else noticing.

import assert from "node:assert/strict";
import { scenario } from "./lib/stage.mjs";
import { between, events, isMotion, longestGap, velocities } from "./lib/log.mjs";
import { driveAtSpeed } from "./faults/driving.mjs";
import { advertise, lookAt, message, openTopics, plotWhatChanges, row, tapOn } from "./lib/topics.mjs";
import { CONTENT_SECURITY_POLICY } from "./server.mjs";
import { PATIENCE, until } from "./lib/wait.mjs";

const RTK = "/rtk_message";
const CAMERA = "/camera/image/compressed";

scenario("the viewer is loaded by itself, armed or not, and does not start under a press", async (stage) => {
  const sweeper = await stage.vehicle();
  const server = await stage.serve();
  const asked = () => server.requests.filter((path) => path.startsWith("/viewer")).sort();
  let [isAsked, arrives] = [false];
  const arrived = new Promise((arrive) => (arrives = arrive));
  const before = ({ page }) =>
    page.route("**/viewer_bg.wasm*", async (route) => {
      isAsked = true;
      await arrived;
      await route.continue();
    });
  const page = await stage.open({ vehicle: sweeper, at: server.url, before });
  await page.arm();
  await until("the viewer to be asked for", () => isAsked);
  const thumb = await page.drive({ forward: 1.02 });
  const start = sweeper.now;
  arrives();
  await until("it to arrive", () => page.page.evaluate(() => window.broomstickViewer !== undefined));
  await sweeper.pass(1500);
  assert.equal(await page.page.locator(".machine > *").count(), 0, "not yet");
  const gap = longestGap(between(velocities(sweeper.lines), start).filter(isMotion));
  assert.ok(gap < 250, `${gap} ms without a command`);
  await page.touch.up(thumb);
  await page.page.locator(".machine > *").first().waitFor();
  await page.until("drive", { state: "ready" });
  assert.deepEqual(asked(), [
    "/viewer.css",
    // Once for the page and once, out of the cache where there is one, for the Worker.
    ...asked().filter((path) => path === "/viewer.js"),
    "/viewer_bg.wasm",
  ]);
});

scenario("topics: listed, filtered, looked at, plotted, paused, copied", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await openTopics(page);
  await row(page, RTK).waitFor();
  assert.match(await row(page, RTK).innerText(), /sweeper_msgs\/(msg\/)?Rtk/);
  await until("the publishers", async () => (await row(page, RTK).getAttribute("data-publishers")) === "1");

  const before = await page.id("topic-row").count();
  await page.id("topics-filter").fill("rtk");
  await until("fewer rows", async () => (await page.id("topic-row").count()) < before);
  assert.ok(await row(page, RTK).isVisible());

  await lookAt(page, RTK);
  await until("the rate", async () => Number(await row(page, RTK).getAttribute("data-rate")) > 3);
  assert.ok(Number(await row(page, RTK).getAttribute("data-age-ms")) < 1500);
  assert.match(await row(page, RTK).innerText(), /Hz · .*kB\/s · .* ago · 1 publisher/);
  const first = await message(page, RTK);
  await until("another message", async () => (await message(page, RTK)) !== first);

  await plotWhatChanges(page, RTK);
  const points = () => page.number("topic-plot", "points");
  await until("a plot that grows", async () => (await points()) > 5);
  const few = await points();
  await until("a plot that goes on", async () => (await points()) > few + 3);
  assert.ok((await page.id("topic-plot").locator("path").getAttribute("d")).includes("L"));

  await page.tap("topics-pause");
  await page.until("topics", { paused: "true" });
  const held = [await message(page, RTK), await page.data("topic-plot", "last"), await points()];
  await sweeper.pass(1200);
  assert.deepEqual([await message(page, RTK), await page.data("topic-plot", "last"), await points()], held);
  await page.tap("topics-pause");
  await until("it to go on", async () => (await message(page, RTK)) !== held[0]);

  await page.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await tapOn(page, page.id("topics-copy"));
  await page.untilText("topics-copy", /Copied/);
  const copied = await page.page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^\/rtk_message sweeper_msgs\/.*Rtk\n {2}\w+: /);

  // In the other language at once.
  await page.tap("topics-close");
  await page.id("topics").waitFor({ state: "hidden" });
  await page.tap("settings");
  // The settings are scrolled as they were left.
  await page.id("lang").evaluate((key) => key.scrollIntoView({ block: "center" }));
  await page.tap("lang");
  await page.tap("settings-close");
  await openTopics(page);
  await page.untilText("topics-pause", /暂停/);
});

scenario("a command topic is refused, and says why; the vehicle hears of no subscription", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await openTopics(page);
  // The control socket listens to it, and the swept area counts by it.
  const subscribed = () => sweeper.lines.filter((line) => line.op === "subscribe" && line.topic === "/cmd_vel").length;
  await until("who listens to the velocity", () => subscribed() === 2);
  for (const topic of ["/cmd_vel", "/auto_mc_ctrl", "/console/heartbeat"]) {
    await until(`${topic} to be reserved`, async () => (await row(page, topic).getAttribute("data-access")) === "reserved");
    assert.match(await row(page, topic).innerText(), /the command link listens to it/);
    await tapOn(page, row(page, topic).locator(".topic-key"));
  }
  await page.untilText("topics-state", /the control socket listens to it/);
  await sweeper.pass(1000);
  assert.equal(await page.id("topic-tree").count(), 0);
  assert.equal(subscribed(), 2);
});

scenario("a viewer Worker that ends costs nothing but the viewer, while driving", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await openTopics(page);
  await lookAt(page, RTK);
  await page.tap("topics-close");
  const finger = await driveAtSpeed(page, sweeper);
  const at = sweeper.now;
  await openTopics(page);
  await lookAt(page, RTK);
  const viewer = await page.worker("viewer");
  viewer.evaluate(() => self.close()).catch(() => undefined);
  await page.untilText("topics-trouble", /topics program stopped.*Driving is not affected/);
  await page.id("topics-trouble").waitFor({ state: "hidden" });
  await row(page, RTK).getByTestId("topic-tree").locator("button.line").first().waitFor();
  await page.until("drive", { state: "driving" });
  const sent = between(velocities(sweeper.lines), at);
  assert.ok(sent.length > 20 && sent.every(isMotion));
  assert.ok(longestGap(sent) < 300, `${longestGap(sent)} ms without a command`);
  assert.equal(events(sweeper.lines, "command_timeout").length, 0);
  await page.touch.up(finger);
});

scenario("a viewer that cannot be loaded says so, and comes when it can", async (stage) => {
  const sweeper = await stage.vehicle();
  const server = await stage.serve();
  server.overrides["viewer_bg.wasm"] = { status: 503, body: "" };
  const page = await stage.open({ vehicle: sweeper, at: server.url });
  page.expected.push(/viewer_bg\.wasm|503/);
  await page.online();
  await page.tap("settings");
  await page.id("topics-open").scrollIntoViewIfNeeded();
  await page.tap("topics-open");
  await page.untilText("topics-failed", /viewer_bg\.wasm could not be loaded.*无法加载 viewer_bg\.wasm/);
  delete server.overrides["viewer_bg.wasm"];
  await openTopics(page);
  await row(page, RTK).waitFor();
  await page.arm();
});

scenario("a topics program that breaks leaves no sheet and no Worker behind, and can be opened again", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  page.expected.push(/out of bounds|unreachable/);
  await page.online();
  await openTopics(page);
  await lookAt(page, RTK);
  await page.tap("topics-close");
  const finger = await driveAtSpeed(page, sweeper);
  const at = sweeper.now;
  await openTopics(page);
  await lookAt(page, RTK);
  const before = page.page.workers().length;
  await page.page.evaluate(breakViewer);
  await page.untilText("topics-failed", /topics program broke. Driving is not affected.*话题程序出错/);
  assert.equal(await page.id("topics").count(), 0);
  await until("its Worker to end", () => page.page.workers().length === before - 1);
  await sweeper.pass(1000);
  await page.until("drive", { state: "driving" });
  const sent = between(velocities(sweeper.lines), at);
  assert.ok(sent.length > 20 && sent.every(isMotion));
  assert.ok(longestGap(sent) < 300, `${longestGap(sent)} ms without a command`);
  await page.touch.up(finger);
  assert.equal(await page.id("topics").count(), 0, "it opens by itself");
  await openTopics(page);
  await lookAt(page, RTK);
  assert.equal(await page.id("topics-failed").count(), 0);
});

scenario("vehicles on the same server are offered by their namespaces, and one is chosen with a tap", async (stage) => {
  const sweeper = await stage.vehicle();
  const others = await advertise(sweeper, [
    ["/robot2/cmd_vel", "geometry_msgs/msg/Twist"],
    ["/robot2/auto_mc_ctrl", "sweeper_msgs/msg/McCtrl"],
    ["/yard/robot3/rtk_message", "sweeper_msgs/msg/Rtk"],
  ]);
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await openTopics(page);
  const choice = (name) => page.page.locator(`[data-testid="vehicle-choice"][data-namespace="${name}"]`);
  await choice("robot2").waitFor();
  assert.match(await choice("robot2").innerText(), /robot2\s*drive · tools/);
  assert.match(await choice("yard/robot3").innerText(), /yard\/robot3\s*position/);
  assert.ok(await choice("").isDisabled());
  await tapOn(page, choice("robot2"));
  await page.until("vehicle", { namespace: "robot2" });
  assert.equal(new URL(page.page.url()).searchParams.get("url"), sweeper.url);
  await page.online();
  await page.until("drive", { state: "disarmed" });
  others.close();
});

scenario("a definition that does not fit is shown field by field, and everything else goes on", async (stage) => {
  const sweeper = await stage.vehicle();
  const server = await stage.serve();
  // The vehicle has a position where the profile looks for McCtrl.
  const topics = { mc_ctrl: "/rtk_message" };
  server.overrides["odd.json"] = { body: JSON.stringify({ bridge: { topics } }) };
  const page = await stage.open({ vehicle: sweeper, at: server.url, query: { profile: "odd.json" } });
  await page.online();
  await page.until("rtk", { state: "live" });
  await page.tap("tools-arm");
  await page.untilText("banner", /\/rtk_message has the type sweeper_msgs\/(msg\/)?Rtk .*Topics shows its fields/);
  await openTopics(page);
  const conflict = page.id("conflict");
  await conflict.waitFor();
  assert.match(await conflict.innerText(), /\/rtk_message does not fit.*The tools cannot be switched on/);
  const cells = (field) => conflict.locator(`tr[data-field="${field}"] td`).allInnerTexts();
  assert.deepEqual(await cells("brake"), ["uint8", "no such field"]);
  assert.deepEqual(await cells("lat"), ["no such field", "float64"]);
  await page.tap("topics-close");
  await page.arm();
  const finger = await driveAtSpeed(page, sweeper);
  await page.touch.up(finger);
});

scenario("the demo vehicle's topics are looked at without any WebSocket", async (stage) => {
  const policy = CONTENT_SECURITY_POLICY.replace(/connect-src [^;]*/, "connect-src {origin}");
  const server = await stage.serve({ policy });
  const page = await stage.open({ at: server.url, query: { demo: "1" } });
  await page.online();
  await openTopics(page);
  await lookAt(page, RTK);
  const first = await message(page, RTK);
  await until("another message", async () => (await message(page, RTK)) !== first);
  // A viewer Worker that is replaced finds the vehicle again.
  const viewer = await page.worker("viewer");
  viewer.evaluate(() => self.close()).catch(() => undefined);
  await page.untilText("topics-trouble", /topics program stopped/);
  await page.id("topics-trouble").waitFor({ state: "hidden" });
  await row(page, RTK).locator("button.line").first().waitFor();
});

scenario("a camera picture beside the map while driving, with its age; it yields to a slow link", async (stage) => {
  const sweeper = await stage.vehicle({ args: ["--camera"] });
  const wire = await stage.wire(sweeper);
  const server = await stage.serve();
  server.overrides["camera.json"] = { body: JSON.stringify({ camera: { topic: CAMERA } }) };
  const page = await stage.open({ vehicle: wire, at: server.url, query: { profile: "camera.json" } });
  const finger = await driveAtSpeed(page, sweeper);
  await page.until("camera", { topic: CAMERA, old: "false", yielding: "false" });
  const image = page.id("camera").locator("img");
  await image.waitFor();
  assert.ok((await image.evaluate((img) => img.decode().then(() => img.naturalWidth))) > 0);
  const first = await image.getAttribute("src");
  await until("the next picture", async () => (await image.getAttribute("src")) !== first);
  assert.ok((await page.number("camera", "age-ms")) < 2000);
  assert.match(await page.text("camera"), /^\d+\.\d s ago$/);
  await page.touch.up(finger);
  await page.until("drive", { state: "ready" });

  const small = await page.box("camera");
  await page.tap("camera");
  await page.until("camera", { large: "true" });
  assert.ok((await page.box("camera")).width > small.width * 1.5);
  await page.tap("camera");

  wire.weather({ delay: 110 });
  await page.until("link", { state: "slow" });
  await page.until("camera", { yielding: "true", old: "true" });
  await page.untilText("camera", /waits for the slow link · old: \d+\.\d s ago/);
  wire.weather();
  await page.until("camera", { yielding: "false", old: "false" }, { timeout: 2 * PATIENCE });
});

/** Runs in the page: what the topics program does next is a trap, as a panic is one. */
async function breakViewer() {
  const exports = await (await import(window.broomstickViewer.glue)).default();
  const memory = Object.values(exports).find((item) => item instanceof WebAssembly.Memory);
  new Uint8Array(memory.buffer).fill(0xff);
}
