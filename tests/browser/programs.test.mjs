// Programs that are edited on the tablet: checked as in the profile, kept for the vehicle, and what then
// runs, by the vehicle's log.

import assert from "node:assert/strict";
import { scenario } from "./lib/stage.mjs";
import { MC_CTRL, between, published } from "./lib/log.mjs";
import { until } from "./lib/wait.mjs";

async function open(page) {
  await page.tap("settings");
  const summary = page.id("programs-edit").locator("summary");
  await summary.scrollIntoViewIfNeeded();
  await summary.tap();
}

async function tap(page, testid) {
  await page.id(testid).evaluate((key) => key.scrollIntoView({ block: "center" }));
  await page.tap(testid);
}

scenario("a program is edited, checked, used, kept for this vehicle, copied and taken back", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.online();
  await open(page);
  await page.until("programs-state", { state: "own" });
  assert.ok(await page.id("programs-use").isDisabled());

  // A mistake is named and nothing of it is used.
  await page.id("step-1-side_brush").fill("140");
  await page.until("programs-state", { state: "bad" });
  await page.untilText("programs-problems", /Program 1, step 1, Side brush.*140 is outside/);
  assert.ok(await page.id("programs-use").isDisabled());

  // The deck first, then the brushes, harder; another name.
  await page.id("step-1-side_brush").fill("70");
  await page.id("step-1-for_s").fill("0.5");
  await page.id("step-2-for_s").fill("0.7");
  await tap(page, "step-2-up");
  assert.equal(await page.id("step-1-brush_deck_pusher").inputValue(), "extend");
  await page.id("program-name").fill("Yard");
  await page.untilText("edit-program-1", /Yard/);
  await page.until("programs-state", { state: "changed" });
  await tap(page, "programs-use");
  await page.until("programs-state", { state: "differs" });
  await tap(page, "programs-copy");
  await page.untilText("programs-copy", /Copied/);
  const copied = JSON.parse(await page.page.evaluate(() => navigator.clipboard.readText()));
  assert.equal(copied.tools.programs.length, 4);
  assert.deepEqual(copied.tools.programs[0].steps, [
    { brush_deck_pusher: "extend", for_s: 0.7 },
    { for_s: 0.5, roll_brush_suction: 60, roll_brush_suction_direction: 1, side_brush: 70 },
  ]);
  await page.tap("settings-close");

  // It runs so, through a reload.
  await page.page.reload();
  await page.armTools();
  await page.tap("tools-page-programs");
  await page.untilText("program-1", /Yard/);
  assert.match(await page.page.locator(".tools-page:not([hidden])").innerText(), /Changed on this device/);
  const since = sweeper.now;
  const finger = await page.press("program-1");
  await page.untilText("program-1", /done/);
  await page.touch.up(finger);
  const messages = between(published(sweeper.lines, MC_CTRL), since).map(({ msg }) => msg);
  const pushed = messages.findIndex((it) => it.brush_deck_pusher > 0);
  const brushed = messages.findIndex((it) => it.side_brush === 70);
  assert.ok(pushed >= 0 && brushed > pushed, `${pushed} ${brushed}`);

  // Another vehicle has its own.
  const other = await stage.vehicle();
  const there = await stage.open({ vehicle: other });
  await there.online();
  await there.tap("tools-page-programs");
  await there.untilText("program-1", /Sweep/);

  await open(page);
  await page.until("programs-state", { state: "differs" });
  await tap(page, "programs-reset");
  await page.until("programs-state", { state: "own" });
  await page.tap("settings-close");
  await page.untilText("program-1", /Sweep/);
});

scenario("programs are not changed under a finger that holds something", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.armTools();
  await page.tap("tools-page-pushers");
  await open(page);
  await tap(page, "edit-program-4");
  await tap(page, "step-1-down");
  await page.until("programs-state", { state: "changed" });
  const key = page.id("tool-brush_deck_pusher-plus");
  const { x, y, width, height } = await key.boundingBox();
  const finger = await page.touch.down(x + width / 2, y + height / 2);
  await page.until("tool-brush_deck_pusher-plus", { held: "true" });
  await page.id("programs-use").evaluate((key) => key.scrollIntoView({ block: "center" }));
  await page.tap("programs-use");
  await page.until("programs-state", { state: "not-taken" });
  await page.until("tool-brush_deck_pusher-plus", { held: "true" });
  await page.touch.up(finger);
  await page.until("tool-brush_deck_pusher-plus", { held: "false" });
  await page.tap("programs-use");
  await page.until("programs-state", { state: "differs" });
});

scenario("programs are added and removed, up to as many as there are buttons", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await open(page);
  await tap(page, "program-add");
  await page.untilText("programs-problems", /Program 5, name/);
  await page.id("program-name").fill("Rinse");
  await tap(page, "step-add");
  await page.id("step-2-spray").selectOption("true");
  await tap(page, "program-add");
  assert.ok(await page.id("program-add").isDisabled());
  await tap(page, "program-remove");
  await tap(page, "programs-use");
  await page.until("programs-state", { state: "differs" });
  await page.tap("settings-close");
  await page.tap("tools-page-programs");
  await page.untilText("program-5", /Rinse\s*2 s/);
  await until("six programs never", async () => (await page.id("program-6").count()) === 0);
});
