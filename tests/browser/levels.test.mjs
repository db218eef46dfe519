// Battery, tanks and faults where the vehicle offers them, and the drawing of the machine: what is
// wanted, what is published, and what nobody knows.

import assert from "node:assert/strict";
import { scenario } from "./lib/stage.mjs";

const BATTERY = "level-battery";
const CLEAN = "level-clean_water";

scenario("levels: battery, tanks and the worst fault are told in words, and are said to be old or unknown", async (stage) => {
  const sweeper = await stage.vehicle({ args: ["--tank", "clean=5", "--tank", "battery=64"] });
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await page.until(BATTERY, { grade: "good", old: "false" });
  await page.untilText(BATTERY, /Battery 64 %/);
  await page.until(CLEAN, { grade: "fair" });
  await page.until("faults", { grade: "fair" });
  await page.untilText("faults", /^Clean water tank: low$/);

  sweeper.say("fault brush_overload");
  await page.until("faults", { grade: "poor" });
  await page.untilText("faults", /Roll brush motor: overload \+1/);
  sweeper.say("fault none");
  await page.until("faults", { grade: "good" });
  await page.untilText("faults", /No fault told/);

  // Currents are for engineers.
  assert.equal(await page.id("level-drive").count(), 0);
  await page.tap("tools-page-more");
  await page.untilText("level-drive", /Drive 0\.0 A/);
  await page.tap("tools-page-brushes");

  sweeper.say("levels nan");
  await page.until(BATTERY, { value: null, grade: "absent" });
  await page.untilText(BATTERY, /Battery unknown/);
  sweeper.say("levels silent");
  await page.until(BATTERY, { old: "true", grade: "absent" });
  await page.untilText(BATTERY, /unknown · \d+ s/);
  await page.untilText("faults", /No fault told · \d+ s/);
  sweeper.say("levels ok");
  await page.untilText(BATTERY, /Battery 85 %/);
  await page.tapSetting("lang");
  await page.untilText(BATTERY, /电池 85 %/);
  await page.untilText("faults", /未报告故障/);
});

scenario("levels: a vehicle that offers none shows none", async (stage) => {
  const sweeper = await stage.vehicle({ args: ["--no-levels"] });
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  await page.seenStanding();
  await sweeper.pass(2000);
  assert.equal(await page.id(BATTERY).count(), 0);
  assert.equal(await page.id("faults").count(), 0);
  // The drawing needs nothing from the vehicle.
  assert.ok(await page.id("machine").isVisible());
});

scenario("drawing: what turns is drawn as wanted, then as published; where the deck is never", async (stage) => {
  const sweeper = await stage.vehicle();
  const page = await stage.open({ vehicle: sweeper });
  await page.online();
  // With the tools off nobody knows what turns.
  for (const part of ["roll_brush", "side_brush", "deck", "squeegee", "water"]) {
    await page.until(`machine-${part}`, { drawn: "unknown", value: null });
  }
  await page.armTools();
  await page.until("machine-roll_brush", { drawn: "published", value: "0" });
  await page.tap("tool-roll_brush_suction_direction-2");
  await page.tap("tool-roll_brush_suction-more");
  await page.tap("tool-side_brush-more");
  await page.until("machine-roll_brush", { drawn: "published", value: "-10" });
  await page.until("machine-side_brush", { drawn: "published", value: "10" });
  await sweeper.until("the brush to turn back", () => sweeper.truth.sweeper.roll_brush < -5);

  const place = (part) => page.id(`machine-${part}`).locator(".place").evaluate((shape) => shape.outerHTML);
  const before = await place("deck");
  await page.tap("tools-page-pushers");
  const finger = await page.press("tool-brush_deck_pusher-plus");
  await page.until("machine-deck", { drawn: "published", value: "100", pushed: "1" });
  await page.touch.up(finger);
  await page.until("machine-deck", { value: "0", pushed: "1" });
  assert.equal(await place("deck"), before, "the deck is drawn where it was");
  await page.until("machine-squeegee", { pushed: "0" });

  // Off again: what was published says nothing any more.
  await page.tap("tools-arm");
  await page.until("tools", { state: "disarmed" });
  await page.until("machine-roll_brush", { drawn: "unknown" });
  await page.until("machine-deck", { drawn: "unknown", pushed: "0" });
});
