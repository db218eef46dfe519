// Messages and service calls by hand: for engineers whose profile says so, by the vehicle's log.

import assert from "node:assert/strict";
import { scenario } from "./lib/stage.mjs";
import { openTopics, tapOn } from "./lib/topics.mjs";
import { until } from "./lib/wait.mjs";

const frames = (sweeper, op) => sweeper.lines.filter((line) => line.kind === "frame" && line.op === op);

async function open(stage, sweeper) {
  const server = await stage.serve();
  server.overrides["engineer.json"] = { body: JSON.stringify({ screen: { engineer_tools: true } }) };
  const page = await stage.open({ vehicle: sweeper, at: server.url, query: { profile: "engineer.json" } });
  await page.online();
  await openTopics(page);
  await tapOn(page, page.id("tryout").locator("summary"));
  return page;
}

async function fillIn(page, name, kind = "") {
  await page.id("tryout-name").fill(name);
  await page.id("tryout-kind").fill(kind);
  await tapOn(page, page.id("tryout-open"));
}

scenario("without the profile's word there is no tool to publish by hand", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await openTopics(page);
  await until("the list", async () => (await page.id("topic-row").count()) > 2);
  assert.equal(await page.id("tryout").count(), 0);
});

scenario("a message is filled in, checked and published once; commands are refused", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await open(stage, sweeper);
  for (const [name, kind] of [
    ["/cmd_vel", ""],
    ["robot2/auto_mc_ctrl", "std_msgs/msg/String"],
    ["/other", "geometry_msgs/msg/Twist"],
  ]) {
    await fillIn(page, name, kind);
    await page.until("tryout-state", { state: "refused" });
    await page.untilText("tryout-state", /commands and heartbeats/);
  }
  await fillIn(page, "/lamp/level", "std_msgs/msg/Int32");
  await page.until("tryout-state", { state: "ready" });
  await page.id("tryout/data").fill("2147483648");
  await tapOn(page, page.id("tryout-send"));
  await page.untilText("tryout-mistakes", /\/data: outside -2147483648 to 2147483647/);
  const published = () => frames(sweeper, "publish").filter(({ topic }) => topic === "/lamp/level");
  assert.deepEqual(published(), []);
  await page.id("tryout/data").fill("12");
  await tapOn(page, page.id("tryout-send"));
  await page.until("tryout-state", { state: "sent" });
  await sweeper.pass(1500);
  assert.deepEqual(
    published().map(({ msg, outcome }) => [msg, outcome]),
    [[{ data: 12 }, "published"]],
  );
  const commands = frames(sweeper, "publish").filter(({ topic }) => /cmd_vel|mc_ctrl|other/.test(topic));
  assert.deepEqual(commands, []);
});

scenario("a service is chosen, called, and answers as a tree", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await open(stage, sweeper);
  await tapOn(page, page.id("tryout-service"));
  const select = page.id("tryout-name");
  await until("the services", async () => (await select.locator("option").count()) > 1);
  assert.deepEqual(await select.locator("option").allInnerTexts(), ["—", "/sim/pause"]);
  await select.selectOption("/sim/pause");
  await tapOn(page, page.id("tryout-open"));
  await page.until("tryout-state", { state: "ready" });
  await page.id("tryout/data").selectOption("false");
  await tapOn(page, page.id("tryout-send"));
  await page.until("tryout-state", { state: "answered" });
  await page.untilText("tryout-answer", /success\s*true/);
});
