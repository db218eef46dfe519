// A vehicle that is driven by McCtrl (motion rule 19), by the profile alone.

import assert from "node:assert/strict";
import { scenario } from "./lib/stage.mjs";
import { CMD_VEL, MC_CTRL, MC_CTRL_FIELDS, between, longestGap, published, rate } from "./lib/log.mjs";

/** A vehicle that can turn its motor fast enough, and a console whose profile drives by McCtrl. */
async function open(stage) {
  const sweeper = await stage.vehicle({ args: ["--rpm-type", "uint16"] });
  const body = JSON.stringify({ drive: { via: "mc_ctrl" } });
  const server = await stage.serve({ overrides: { "yard.json": { body } } });
  const page = await stage.open({ at: server.url, vehicle: sweeper, query: { profile: "yard.json" } });
  await page.online();
  // Gears change only standing.
  await page.seenStanding();
  await page.arm();
  return { sweeper, page };
}

scenario("by McCtrl the stick drives, and lifting it stops, brakes and opens the gear", async (stage) => {
  const { sweeper, page } = await open(stage);
  const messages = () => published(sweeper.lines, MC_CTRL);
  assert.equal(messages().length, 0, "an armed drive alone sends nothing");

  const finger = await page.drive({ forward: 0.8, left: 0.3 });
  await sweeper.until("motion", () => sweeper.truth.v > 0.15);
  const from = await sweeper.pass(2000);
  const driving = between(messages(), from, sweeper.now);
  stage.say(`rate ${rate(driving).toFixed(2)} Hz, longest gap ${longestGap(driving).toFixed(0)} ms`);
  assert.ok(Math.abs(rate(driving) - 20) <= 3, `${rate(driving)} Hz`);
  for (const { msg, outcome } of driving) {
    assert.equal(outcome, "published");
    assert.deepEqual(Object.keys(msg).sort(), [...MC_CTRL_FIELDS].sort());
    assert.ok(msg.brake === 0 && msg.gear === 1 && msg.rpm > 0 && msg.angle > 0, JSON.stringify(msg));
  }
  await page.until("tool-gear", { value: "1", status: "published" });
  assert.equal(await page.id("tool-gear-1").count(), 0, "the gear is read, not set");

  await page.touch.up(finger);
  const lifted = sweeper.now;
  await sweeper.until("the brake, then neutral", () => {
    const newest = messages().at(-1).msg;
    return newest.brake === 1 && newest.gear === 0;
  });
  await sweeper.pass(1000);
  const rest = messages().filter(({ t, msg }) => t > lifted && msg.rpm === 0);
  const afterZero = messages().filter(({ t }) => t >= rest[0].t);
  assert.ok(afterZero.every(({ msg }) => msg.rpm === 0), "motion after the first zero");
  const braked = afterZero.findIndex(({ msg }) => msg.brake === 1);
  assert.ok(braked > 0, "it rolls out before the brake takes hold");
  assert.equal(afterZero[braked].msg.gear, 1, "the gear opens after the brake has taken hold");
  const silentFrom = await sweeper.pass(500);
  assert.deepEqual(between(messages(), silentFrom), [], "silence when idle");
  assert.deepEqual(published(sweeper.lines, CMD_VEL), [], "nothing on the velocity topic");
});

scenario("by McCtrl a page that hangs stops the vehicle from its Worker", async (stage) => {
  const { sweeper, page } = await open(stage);
  const finger = await page.drive();
  await sweeper.until("motion", () => sweeper.truth.v > 0.15);
  await page.page.evaluate(() => {
    const end = performance.now() + 3000;
    while (performance.now() < end);
  });
  const messages = published(sweeper.lines, MC_CTRL);
  const last = messages.findLast(({ msg }) => msg.rpm > 0);
  const zero = messages.find(({ t, msg }) => t > last.t && msg.rpm === 0);
  assert.ok(zero, "no zero came");
  stage.say(`zero ${(zero.t - last.t).toFixed(0)} ms after the last motion`);
  assert.ok(sweeper.now - last.t > 2000, "the motion ended long before the page went on");
  await sweeper.until("the vehicle to stand", () => sweeper.truth.v === 0);
  await page.touch.up(finger);
});
