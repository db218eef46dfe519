// Whatever is wrong around the page is named, with its likely cause, and everything else goes on.

import assert from "node:assert/strict";
import { selfSigned } from "./lib/certificate.mjs";
import { between, isMotion, metersBetween, rate, velocities } from "./lib/log.mjs";
import { freePort, webSocketServer } from "./lib/servers.mjs";
import { scenario } from "./lib/stage.mjs";
import { until } from "./lib/wait.mjs";

/** What a browser says of its own about a connection that fails. */
const SOCKET_FAILED = /WebSocket connection to/;
const FILE_FAILED = /Failed to load resource/;

/** The console is there, works as far as it can, and STOP is on it. */
async function assertUsable(page) {
  assert.ok(await page.id("stop").isVisible());
  await page.tapSetting("lang");
  await page.untilText("stop", /停车/);
  await page.tapSetting("lang");
  await page.untilText("stop", /STOP/);
}

// ---- the server

scenario("a server that is not there", async (stage) => {
  const port = await freePort();
  const page = await stage.open({ query: { url: `ws://127.0.0.1:${port}` } });
  page.expected.push(SOCKET_FAILED);
  await page.untilText("banner", /No connection could be opened\. Likely: .*wrong address.*rosbridge not running/);
  await page.untilHappened(new RegExp(`ws://127\\.0\\.0\\.1:${port}: No connection could be opened`));
  assert.equal(await page.id("bridge-url").inputValue(), `ws://127.0.0.1:${port}`);
  await assertUsable(page);
  // It goes on trying, and finds the server when it is there at last.
  await stage.vehicle({ port });
  await page.online();
});

scenario("a web server that is not a rosbridge", async (stage) => {
  const page = await stage.open({ query: { url: stage.server.url.replace("http", "ws") } });
  page.expected.push(SOCKET_FAILED);
  await page.untilText("banner", /No connection could be opened\. Likely: /);
  await assertUsable(page);
});

scenario("a WebSocket server that is not a rosbridge and says nothing", async (stage) => {
  const silent = await webSocketServer(() => undefined);
  stage.atEnd(() => silent.close());
  const page = await stage.open({ vehicle: silent });
  await page.untilHappened(/no heartbeat came back\. Likely: not a rosbridge/);
  await page.untilText("banner", /no heartbeat came back.*\/console\/heartbeat.*topics_glob/);
  assert.equal(await page.data("drive", "state"), "disarmed");
  await assertUsable(page);
});

scenario("a WebSocket server that is not a rosbridge and closes at once", async (stage) => {
  const rude = await webSocketServer((socket) => socket.close(1008));
  stage.atEnd(() => rude.close());
  const page = await stage.open({ vehicle: rude });
  page.expected.push(SOCKET_FAILED);
  await page.untilText("banner", /opened and was closed at once\. Likely: the server is not a rosbridge/);
  await assertUsable(page);
});

scenario("a WebSocket server that is not a rosbridge and talks something else", async (stage) => {
  const chatty = await webSocketServer((socket) => {
    socket.send("HELLO 220 not json");
    socket.send("[1, 2, 3]");
    socket.send(Buffer.from([0xff, 0x00, 0x80]));
  });
  stage.atEnd(() => chatty.close());
  const page = await stage.open({ vehicle: chatty });
  await page.untilHappened(/A message could not be used/);
  await page.untilHappened(/no heartbeat came back\. Likely: not a rosbridge/);
  await assertUsable(page);
});

scenario("ws:// from a page that came over https", async (stage) => {
  const server = await stage.serve({ tls: selfSigned() });
  const page = await stage.open({
    at: server.url,
    query: { url: "ws://192.168.1.10:9090" },
    ignoreHTTPSErrors: true,
  });
  page.expected.push(SOCKET_FAILED);
  await page.untilHappened(/came over https, so the browser refuses ws:\/\/192\.168\.1\.10:9090.*use wss:\/\//s);
  await page.until("link", { state: ["offline", "connecting"] });

  // The same when it is typed.
  await page.id("bridge-url").fill("ws://192.168.1.11:9090");
  await page.id("connect").scrollIntoViewIfNeeded();
  await page.tap("connect");
  const problem = page.page.locator(".problem");
  await problem.waitFor();
  assert.match(await problem.innerText(), /refuses ws:\/\/192\.168\.1\.11:9090/);
  await page.id("demo").scrollIntoViewIfNeeded();
  await page.tap("demo");
  await page.online();
});

// ---- what the server sends

scenario("malformed frames cost themselves alone, while driving too", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.arm();
  const finger = await page.drive();
  await sweeper.until("full speed", () => sweeper.truth.v > 0.28);
  const from = sweeper.now;
  for (const frame of [
    '{"op":"publish","topic":"/rtk_message","msg":{"rtk_latitude":',
    "not json at all",
    "true",
    "[]",
    '{"op":"publish"}',
    '{"op":"publish","topic":"/rtk_message","msg":7}',
    '{"op":"publish","topic":"/console/heartbeat","msg":{"data":"{"}}',
    '{"op":"publish","topic":"/cmd_vel","msg":{"linear":null}}',
    '{"op":"service_response","service":"/rosapi/topics","id":5,"result":"maybe"}',
    '{"op":"fragment","id":"x","num":9,"total":-1,"data":"{}"}',
    '{"op":"png","data":"!"}',
    '{"op":"no_such_op"}',
    '{"op":"status","level":"error","msg":"something"}',
  ]) {
    sweeper.say(`raw ${frame}`);
  }
  await page.untilHappened(/A message could not be used/);
  await sweeper.pass(1500);
  await page.until("drive", { state: "driving" });
  await page.until("link", { state: ["online", "slow"] });
  await page.until("rtk", { state: "live" });
  const commands = between(velocities(sweeper.lines), from);
  assert.ok(commands.every(isMotion));
  assert.ok(Math.abs(rate(commands) - 20) <= 2, `${rate(commands)} Hz`);
  await page.touch.up(finger);
});

for (const [mode, words] of [
  ["null", "null"],
  ["nan", "bare NaN tokens, which are not JSON,"],
]) {
  scenario(`${words} in the position are named, and the drive goes on`, async (stage) => {
    const sweeper = await stage.vehicle();
    const page = await stage.open({ vehicle: sweeper });
    await page.arm();
    const good = { lat: await page.number("vehicle-marker", "lat"), lon: await page.number("vehicle-marker", "lon") };
    const finger = await page.drive();
    await sweeper.until("full speed", () => sweeper.truth.v > 0.28);
    const from = sweeper.now;
    sweeper.say(`rtk ${mode}`);
    await page.until("rtk", { state: "invalid" });
    await page.untilText("rtk", /Invalid.*Position: .*(lat|lon)/s);
    await page.until("vehicle-marker", { live: "false" });
    await page.until("seen-speed", { grade: "absent" });
    // The vehicle is not drawn where nobody knows it to be.
    const shown = { lat: await page.number("vehicle-marker", "lat"), lon: await page.number("vehicle-marker", "lon") };
    const away = metersBetween(good, shown);
    assert.ok(Math.hypot(away.north, away.east) < 3, JSON.stringify(away));
    await sweeper.pass(1000);
    await page.until("drive", { state: "driving" });
    const commands = between(velocities(sweeper.lines), from);
    assert.ok(commands.every(isMotion));
    assert.ok(Math.abs(rate(commands) - 20) <= 2, `${rate(commands)} Hz`);
    sweeper.say("rtk ok");
    await page.until("rtk", { state: "live" });
    await page.touch.up(finger);
  });
}

scenario("a position that freezes in motion, one that stops coming, and a poor one are told apart", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.arm();
  const finger = await page.drive();
  await sweeper.until("full speed", () => sweeper.truth.v > 0.28);
  sweeper.say("rtk freeze");
  await page.until("rtk", { state: "frozen" });
  sweeper.say("rtk ok");
  await page.until("rtk", { state: "live" });
  sweeper.say("rtk silent");
  await page.until("rtk", { state: "stale" });
  await page.touch.up(finger);
  sweeper.say("rtk ok");
  sweeper.say("rtk quality 1 5");
  await page.until("rtk", { state: "live", "p-quality": "1", "h-quality": "5" });
  await page.untilText("rtk", /Single.*Float/s);
  // A poor fix is no proof of standing, so the tools are not switched on by a tap alone.
  await page.until("seen-speed", { grade: "absent" });
  await page.tap("tools-arm");
  await page.id("confirm").waitFor();
  await page.until("tools", { state: "disarmed" });
});

scenario("a heading that cannot be is invalid, whatever its quality, and says why", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await page.until("rtk", { state: "live" });
  sweeper.say("rtk silent");
  const { lat, lon } = sweeper.truth;
  const fix = { lat, lon, head: 90, speed: 0, p_quality: 4, h_quality: 4 };
  const say = (changed) => {
    const msg = { ...fix, ...changed };
    sweeper.say(`raw ${JSON.stringify({ op: "publish", topic: "/rtk_message", msg })}`);
  };
  const heading = page.page.locator('[data-testid="rtk"] > .chip').nth(1);
  say({ head: -725 });
  await page.untilText("rtk", /Fixed.*Invalid\s*Heading: head is -725, outside 0 to 360/s);
  assert.equal(await heading.getAttribute("data-grade"), "poor");
  say({ head: 1e308 });
  await page.untilText("rtk", /Invalid\s*Heading: head is outside 0 to 360/s);
  say({ lat: 1e308 });
  await page.untilText("rtk", /Invalid\s*Position: lat is outside -90 to 90/s);
  say({ lat: "31.23" });
  await page.untilText("rtk", /Position: lat is not a number/);
  say({ p_quality: "4" });
  await page.untilText("rtk", /Position: p_quality is not a whole number/);
  say({});
  await page.untilText("rtk", /Fixed.*Fixed\s*Heading 90/s);
});

// ---- the profile

async function openWithProfile(stage, text) {
  const sweeper = await stage.vehicle();
  const server = await stage.serve({ overrides: { "yard.json": { body: text } } });
  const page = await stage.open({ at: server.url, vehicle: sweeper, query: { profile: "yard.json" } });
  return { sweeper, page };
}

for (const [name, profile, pattern] of [
  [
    "a profile with an unknown key",
    { drive: { max_liner: 0.4 } },
    /drive\.max_liner\s*unknown key \(did you mean max_linear\?\)/,
  ],
  ["a profile with a limit of 0", { drive: { max_linear: 0 } }, /drive\.max_linear\s*0 is outside above 0 to 3/],
  ["a profile with a limit above its ceiling", { drive: { max_linear: 3.5 } }, /drive\.max_linear\s*3\.5 is outside/],
  ["a profile with a name of nothing", { vehicle: { name: " " } }, /vehicle\.name\s*expected 1 to 40 visible characters/],
  [
    "a profile with a topic that ROS does not know",
    { bridge: { topics: { cmd_vel: "cmd vel!" } } },
    /bridge\.topics\.cmd_vel\s*expected a name as ROS has it/,
  ],
  ["a profile of the wrong kind", { drive: { rate_hz: "fast" } }, /drive\.rate_hz\s*expected a number/],
]) {
  scenario(`${name} is shown with path and reason, and nothing is connected`, async (stage) => {
    const { sweeper, page } = await openWithProfile(stage, JSON.stringify(profile));
    await page.untilText("profile-problems", pattern);
    await page.untilText("profile-problems", /yard\.json/);
    await sweeper.pass(600);
    assert.equal(sweeper.lines.filter(({ kind }) => kind === "connect").length, 0);
    await page.tap("stop");
    await page.untilText("banner", /could not be delivered.*red button/);
    await assertUsable(page);
  });
}

scenario("a profile that is not JSON is shown with the place of the fault", async (stage) => {
  const { page } = await openWithProfile(stage, '{"drive": {"max_linear": 0.4,}}');
  await page.untilText("profile-problems", /not JSON: .*line 1 column/);
});

scenario("a profile that was asked for and is not there", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper, query: { profile: "nowhere.json" } });
  page.expected.push(FILE_FAILED);
  await page.untilText("profile-problems", /nowhere\.json could not be fetched: 404/);
  await sweeper.pass(600);
  assert.equal(sweeper.lines.filter(({ kind }) => kind === "connect").length, 0);
});

scenario("a profile that is fine decides the limits and the name", async (stage) => {
  const profile = { vehicle: { name: "Yard 7" }, drive: { max_linear: 0.2 } };
  const { sweeper, page } = await openWithProfile(stage, JSON.stringify(profile));
  await page.arm();
  await page.until("vehicle", { name: "Yard 7" });
  await page.untilText("drive-arm", /Yard 7/);
  const finger = await page.drive();
  await sweeper.until("full speed", () => sweeper.truth.v > 0.18);
  await sweeper.pass(300);
  await page.touch.up(finger);
  assert.ok(velocities(sweeper.lines).every(({ linear }) => linear <= 0.2 + 1e-6));
});

scenario("no profile at all: the defaults, and a word about it", async (stage) => {
  const sweeper = await stage.vehicle();
  const server = await stage.serve({ overrides: { "config.json": { status: 404, body: "" } } });
  const page = await stage.open({ at: server.url, vehicle: sweeper });
  page.expected.push(FILE_FAILED);
  await page.online();
  await page.untilHappened(/No config\.json beside the page: the default profile is used/);
});

// ---- the address

scenario("wrong parameters of the address are named with what they take; the others count", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({
    vehicle: sweeper,
    query: { lang: "purple", banana: "1", theme: "dark" },
  });
  await page.untilHappened(/lang=purple in the page's address is not understood; write lang=zh or lang=en/);
  await page.untilHappened(/unknown parameter “banana”; known are demo, url, profile, ns, kind, lang, theme/);
  await page.online();
  assert.equal(await page.page.locator("html").getAttribute("data-theme"), "dark");
});

scenario("an address that is no WebSocket address", async (stage) => {
  // At the address that would be tried without one there is a vehicle: not the one that was asked for.
  const page = await stage.open({ query: { url: "http://192.168.1.10:9090" } });
  await page.untilHappened(/“http:\/\/192\.168\.1\.10:9090” is not a WebSocket address.*ws:\/\//);
  const problem = page.page.locator(".problem");
  await problem.waitFor();
  assert.match(await problem.innerText(), /“http:\/\/192\.168\.1\.10:9090” is not a WebSocket address/);
  assert.equal(await page.id("bridge-url").inputValue(), "http://192.168.1.10:9090");
  await page.id("bridge-url").fill("192.168.1.10");
  await page.id("bridge-url").press("Enter");
  await until("the typed address to be refused", async () => /“192\.168/.test(await problem.innerText()));
  assert.match(await problem.innerText(), /“192\.168\.1\.10” is not a WebSocket address/);
  await assertUsable(page);
});

for (const [item, pattern] of [
  [{ ns: "../b" }, /ns=\.\.\/b in the page's address is not understood/],
  [{ profile: "http://10.0.0.1/x.json" }, /profile=http:.*is not understood/],
]) {
  const [name] = Object.keys(item);
  scenario(`an address whose ${name} is not understood connects to nothing else`, async (stage) => {
    const sweeper = await stage.vehicle();
    const page = await stage.open({ query: { url: sweeper.url, ...item } });
    await page.untilText("profile-problems", pattern);
    assert.ok(await page.id("stop").isVisible());
    assert.equal(sweeper.lines.filter(({ kind }) => kind === "connect").length, 0);
  });
}

// ---- the page's own files

for (const [name, overrides, pattern] of [
  [
    "a simulated vehicle's program that is not there",
    { "demo_bg.wasm": { status: 404 } },
    /demo_bg\.wasm could not be loaded \(the server answered 404\)\. Likely: the page was not copied whole/,
  ],
  [
    "a simulated vehicle's script that is not there",
    { "demo.js": { status: 404 } },
    /demo\.js could not be loaded \(the server answered 404\)/,
  ],
  [
    "a start page in the place of a Worker's script",
    { "demo.js": { body: "<!doctype html><title>x</title>" } },
    /demo\.js could not be loaded \(the server sent something else\)/,
  ],
  [
    "a program that is cut short",
    { "demo_bg.wasm": { body: Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0]) } },
    /demo_bg\.wasm could not be loaded/,
  ],
]) {
  scenario(`${name} is named, and a real vehicle can still be driven`, async (stage) => {
    const sweeper = await stage.vehicle();
    const server = await stage.serve({ overrides });
    const page = await stage.open({ at: server.url, query: { demo: "1" } });
    page.expected.push(FILE_FAILED);
    await page.untilText("load-failure", pattern);
    await page.untilHappened(pattern);
    await assertUsable(page);
    await page.page.goto(`${server.url}?url=${sweeper.url}`);
    await page.arm();
    await page.touch.up(await page.drive());
  });
}

scenario("a control program that cannot be started is named, and the page stays usable", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({
    vehicle: sweeper,
    // The page has loaded its program; what its Workers need of it once more does not come.
    before: ({ page }) =>
      page.route(/\/ui-[^/]*\.js$/, (route) =>
        route.request().resourceType() === "fetch" ? route.abort() : route.continue(),
      ),
  });
  page.expected.push(FILE_FAILED);
  await page.untilText("load-failure", /ui-.*\.js could not be loaded .*Likely: /);
  await page.tap("stop");
  await page.untilText("banner", /could not be delivered/);
  await assertUsable(page);
  assert.equal(sweeper.lines.filter(({ kind }) => kind === "connect").length, 0);
});

scenario("the page's own program not loading is said in both languages by the page itself", async (stage) => {
  const page = await stage.open({
    before: ({ page }) => page.route(/\/ui[^/]*_bg\.wasm$/, (route) => route.abort()),
  });
  page.expected.push(FILE_FAILED, /could not be loaded/);
  const boot = page.page.locator("#boot");
  await boot.getByText("Nothing is sent to the vehicle").waitFor();
  assert.match(await boot.innerText(), /_bg\.wasm could not be loaded.*Reload.*无法加载/s);
});

scenario("a browser that keeps no settings", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({
    vehicle: sweeper,
    before: ({ page }) =>
      page.addInitScript(() => {
        Storage.prototype.setItem = () => {
          throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
        };
      }),
  });
  await page.arm();
  await page.untilHappened(/This browser keeps no settings/);
  await page.touch.up(await page.drive());
});
