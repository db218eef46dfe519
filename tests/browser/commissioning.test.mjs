// Commissioning: movements that are held at standstill, and what is sent differently from then on,
// by the vehicle's log.

import assert from "node:assert/strict";
import { scenario } from "./lib/stage.mjs";
import { MC_CTRL, between, published } from "./lib/log.mjs";

const messages = (sweeper, since) => between(published(sweeper.lines, MC_CTRL), since).map(({ msg }) => msg);

async function open(page) {
  await page.tap("settings");
  await page.id("commissioning").locator("summary").scrollIntoViewIfNeeded();
  await page.id("commissioning").locator("summary").tap();
}

async function tap(page, testid) {
  await page.id(testid).evaluate((key) => key.scrollIntoView({ block: "center" }));
  await page.tap(testid);
}

/** A finger on a movement until the vehicle is told that; what was told after it was lifted. */
async function hold(page, sweeper, testid, isTold) {
  await page.id(testid).evaluate((key) => key.scrollIntoView({ block: "center" }));
  const since = sweeper.now;
  const finger = await page.press(testid);
  await sweeper.until(`${testid} to be told`, () => messages(sweeper, since).some(isTold));
  await page.until(testid, { held: "true" });
  const lifted = sweeper.now;
  await page.touch.up(finger);
  await page.until(testid, { held: "false" });
  await sweeper.pass(400);
  return messages(sweeper, lifted);
}

scenario("a pusher that goes the other way and a brake that holds at 0 are found out, used and kept", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await open(page);
  await page.untilText("commissioning-state", /Switch Tools on first/);
  // Nothing moves while they are off, and nothing can be answered.
  const before = sweeper.now;
  await page.id("check-deck-plus").evaluate((key) => key.scrollIntoView({ block: "center" }));
  const finger = await page.press("check-deck-plus");
  await sweeper.pass(500);
  await page.touch.up(finger);
  assert.deepEqual(messages(sweeper, before), []);
  assert.ok(await page.id("check-deck-negative").isDisabled());
  await page.tap("settings-close");

  await page.armTools();
  await page.tap("settings");
  const after = await hold(page, sweeper, "check-deck-plus", (it) => it.brush_deck_pusher === 100);
  assert.equal(after.at(-1).brush_deck_pusher, 0, "lifted, it stops");
  assert.equal(after.at(-1).brake, 1);
  await tap(page, "check-deck-negative");
  await page.until("check-deck", { value: "negative" });

  await hold(page, sweeper, "check-brake-minus", (it) => it.brake === 0);
  await tap(page, "check-brake-negative");
  // It is asked again, where it can be seen.
  await page.id("confirm").waitFor();
  await page.untilText("confirm", /brake goes the other way round/);
  const confirming = await page.press("confirm");
  await page.until("tools", { state: "disarmed" });
  await page.touch.up(confirming);
  await sweeper.until("the brake to hold", () => messages(sweeper, 0).at(-1).brake === 0);

  // Used: the button that lowers it sends minus now, and says so. Through a reload, too.
  await sweeper.pass(1000);
  await page.page.reload();
  await page.armTools();
  await page.until("tool-brake", { value: "1", status: "published" });
  assert.equal(messages(sweeper, 0).at(-1).brake, 0);
  await page.tap("tools-page-pushers");
  await page.untilText("tool-brush_deck_pusher-plus", /Lower/);
  await page.untilText("tool-suction_squeeqee_pusher-plus", /Extend/);
  const since = sweeper.now;
  const lowering = await page.press("tool-brush_deck_pusher-plus");
  await sweeper.until("minus on the wire", () => messages(sweeper, since).some((it) => it.brush_deck_pusher === -100));
  await page.touch.up(lowering);

  // STOP ends a movement that is still held.
  await page.tap("settings");
  await page.id("commissioning").locator("summary").scrollIntoViewIfNeeded();
  await page.id("commissioning").locator("summary").tap();
  await page.until("check-deck", { value: "negative" });
  await page.id("check-squeegee-plus").evaluate((key) => key.scrollIntoView({ block: "center" }));
  const pressed = sweeper.now;
  await page.press("check-squeegee-plus");
  await sweeper.until("it to move", () => messages(sweeper, pressed).some((it) => it.suction_squeeqee_pusher === 100));
  const stopped = sweeper.now;
  await page.tap("stop");
  await page.until("stop", { latched: "true", delivery: "published" });
  await sweeper.pass(1000);
  const last = messages(sweeper, stopped).slice(2);
  assert.ok(last.length > 0 && last.every((it) => it.suction_squeeqee_pusher === 0));
  assert.equal(last.at(-1).brake, 0, "0 holds");
});

scenario("what the profile states of the vehicle is in force on every tablet, and results are copied for it", async (stage) => {
  const sweeper = await stage.vehicle();
  const server = await stage.serve();
  const stated = { tools: { polarity: { brake: -1, squeegee: -1 } } };
  server.overrides["yard.json"] = { body: JSON.stringify(stated) };
  const page = await stage.open({ vehicle: sweeper, at: server.url, query: { profile: "yard.json" } });
  await page.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.armTools();
  await page.until("tool-brake", { value: "1", status: "published" });
  assert.equal(messages(sweeper, 0).at(-1).brake, 0, "0 holds");
  await page.tap("tools-page-pushers");
  await page.untilText("tool-suction_squeeqee_pusher-plus", /Lower/);
  await open(page);
  await page.until("check-brake", { value: "negative" });
  await page.untilText("check-brake", /As the profile states: 1 releases/);
  await hold(page, sweeper, "check-deck-plus", (it) => it.brush_deck_pusher === 100);
  await tap(page, "check-deck-positive");
  await page.untilText("check-deck", /Seen on this vehicle: \+ lowers/);
  await tap(page, "check-middle-more");
  await tap(page, "check-copy");
  await page.untilText("check-copy", /Copied/);
  const copied = JSON.parse(await page.page.evaluate(() => navigator.clipboard.readText()));
  assert.deepEqual(copied, {
    tools: { polarity: { brake: -1, brush_deck: 1, squeegee: -1 }, steering_trim_deg: 0.2 },
  });
});
