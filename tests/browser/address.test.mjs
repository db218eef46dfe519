// What the page's address decides, and where the page may stand.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { connect } from "node:net";
import { once } from "node:events";
import { scenario } from "./lib/stage.mjs";
import { CMD_VEL, published } from "./lib/log.mjs";

scenario("a password in the address is nowhere on the screen, and is used all the same", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ query: { url: sweeper.url.replace("ws://", "ws://user:s3cret@") } });
  await page.online();
  await page.untilText("vehicle", /ws:\/\/…@127/);
  await page.untilHappened(/Connected: ws:\/\/…@127/);
  await page.tap("settings");
  const shown = await page.id("bridge-url").inputValue();
  assert.match(shown, /^ws:\/\/…@127/);
  await page.tap("disconnect");
  await page.until("link", { state: "offline" });
  await page.tap("connect");
  await page.online();
  assert.doesNotMatch(await page.page.locator("body").innerHTML(), /s3cret/);
});

scenario("the page works under a sub-path, with the vehicle named in the address", async (stage) => {
  const sweeper = await stage.vehicle();
  const server = await stage.serve({ base: "/robot/console/" });
  const page = await stage.open({ at: server.url, vehicle: sweeper });
  await page.arm();
  const finger = await page.drive();
  await sweeper.until("motion", () => sweeper.truth.v > 0.1);
  await page.touch.up(finger);
  await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
  assert.ok(server.requests.every((path) => path.startsWith("/robot/console/")), String(server.requests));
  await page.untilText("vehicle", new RegExp(sweeper.url));
});

scenario("without an address the page finds the rosbridge behind its own server", async (stage) => {
  const sweeper = await stage.vehicle();
  // A web server that hands /rosbridge on to the vehicle, as a proxy on the vehicle would.
  const front = createServer((request, response) => {
    fetch(new URL(request.url, stage.server.url)).then(async (answer) => {
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  const asked = [];
  front.on("upgrade", (request, socket) => {
    asked.push(request.url);
    const inner = connect(sweeper.port, "127.0.0.1", () => {
      const lines = [`GET ${request.url} HTTP/1.1`];
      for (let i = 0; i < request.rawHeaders.length; i += 2) {
        lines.push(`${request.rawHeaders[i]}: ${request.rawHeaders[i + 1]}`);
      }
      inner.write(`${lines.join("\r\n")}\r\n\r\n`);
      inner.pipe(socket).pipe(inner);
    });
    inner.on("error", () => socket.destroy());
    socket.on("error", () => inner.destroy());
  });
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  stage.atEnd(() => {
    front.close();
    front.closeAllConnections();
  });
  const page = await stage.open({ at: `http://127.0.0.1:${front.address().port}/` });
  await page.online();
  assert.deepEqual([...new Set(asked)], ["/rosbridge"]);
  await page.untilText("vehicle", /\/rosbridge/);
});

scenario("a namespace in the address prefixes the topics", async (stage) => {
  const sweeper = await stage.vehicle({ args: ["--namespace", "robot1"] });
  const page = await stage.open({ vehicle: sweeper, query: { ns: "robot1" } });
  await page.arm();
  await page.until("vehicle", { namespace: "robot1" });
  const finger = await page.drive();
  await sweeper.until("motion", () => sweeper.truth.v > 0.1);
  await page.touch.up(finger);
  assert.deepEqual(published(sweeper.lines, CMD_VEL), []);
  assert.ok(published(sweeper.lines, `/robot1${CMD_VEL}`).length > 3);
});

scenario("language and theme in the address, and their switches, change the words and the colours", async (stage) => {
  const page = await stage.open({ query: { demo: "1", lang: "zh", theme: "dark" } });
  await page.online();
  const root = page.page.locator("html");
  assert.equal(await root.getAttribute("data-theme"), "dark");
  assert.match(await root.getAttribute("lang"), /^zh/);
  assert.equal(await page.text("stop"), "停车");
  await page.untilText("link", /在线/);
  const paper = () => page.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const dark = await paper();
  await page.tapSetting("lang");
  await page.tapSetting("theme");
  await page.untilText("link", /Online/);
  assert.equal(await page.text("stop"), "STOP");
  assert.equal(await root.getAttribute("data-theme"), "sun");
  assert.notEqual(await paper(), dark);
});

scenario("what was chosen on this device is kept, and the address wins over it", async (stage) => {
  const page = await stage.open({ query: { demo: "1" } });
  await page.online();
  await page.tapSetting("lang");
  await page.untilText("link", /在线/);
  await page.page.reload();
  await page.untilText("link", /在线/);
  await page.page.goto(`${stage.server.url}?demo=1&lang=en`);
  await page.untilText("link", /Online/);
});

scenario("nothing in the address arms anything", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({
    vehicle: sweeper,
    query: { arm: "1", drive: "1", "drive-arm": "true" },
  });
  await page.online();
  await page.until("rtk", { state: "live" });
  await page.until("drive", { state: "disarmed" });
  await page.until("tools", { state: "disarmed" });
  await page.untilHappened(/unknown parameter “drive-arm”/);
});
