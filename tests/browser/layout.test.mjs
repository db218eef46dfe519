// What a gloved finger must find on every screen, in both languages and both themes.

import assert from "node:assert/strict";
import { LANGUAGES, SCREENS, SIDEWAYS, THEMES } from "./lib/screens.mjs";
import { armFlight } from "./lib/multirotor.mjs";
import { scenario } from "./lib/stage.mjs";
import { advertise, lookAt, openTopics, plotWhatChanges } from "./lib/topics.mjs";

/** The least that a finger hits, and the room around STOP, CSS pixels. */
const TOUCH = 48;
const ROOM = 32;
const TOOLS_PAGES = ["programs", "pushers", "water", "more", "brushes"];
/** Browsers lay out in fractions of a pixel. */
const HAIR = 0.6;

/** Runs in the page: everything that can be pressed, and what is really at the points of it. */
function measure() {
  const boxOf = (element) => {
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
    return { left, top, right, bottom, width, height };
  };
  const isOnScreen = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0;
  };
  /** Points of an element (of its inscribed circle, for the pad) at which something else is hit. */
  const coveredPoints = (element, isRound) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const covered = [];
    // Not at the very corners, which are round.
    for (let i = 0.12; i < 0.9; i += 0.095) {
      for (let j = 0.12; j < 0.9; j += 0.095) {
        if (isRound && Math.hypot(i - 0.5, j - 0.5) > 0.48) continue;
        const [x, y] = [left + width * i, top + height * j];
        const hit = document.elementFromPoint(x, y);
        if (hit && element.contains(hit)) continue;
        const nameOf = (it) => it?.dataset?.testid || it?.className || it?.parentElement?.outerHTML.slice(0, 160);
        covered.push(`${x.toFixed(0)},${y.toFixed(0)}: ${nameOf(hit)}`);
      }
    }
    return covered.slice(0, 4);
  };
  /** Pairs of what is told or pressed that lie on each other, while no sheet lies over all of it. */
  const overlaps = () => {
    if ([...document.querySelectorAll(".sheet, .failure")].some(isOnScreen)) return [];
    const told = ".banner, .message-keys > *, .machine, .velocity, .drive, .limit, .events";
    // Of what is flown, what lies on the map, too: it has no tools that could be folded away.
    const more = document.querySelector('[data-flies="true"]')
      ? ".map-scale, .command p, .pad, .map-button, .stop, .menu"
      : ".chips > *, .command, .tools";
    const plates = [...document.querySelectorAll(`${told}, ${more}`)].filter(isOnScreen);
    const nameOf = (element) => element.dataset.testid ?? element.className;
    return plates.flatMap((one, place) =>
      plates.slice(place + 1).flatMap((other) => {
        if (one.contains(other)) return [];
        const [a, b] = [boxOf(one), boxOf(other)];
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        return across > 1 && down > 1 ? [`${nameOf(one)} and ${nameOf(other)}: ${across.toFixed(0)} × ${down.toFixed(0)}`] : [];
      }),
    );
  };
  const id = (testid) => document.querySelector(`[data-testid="${testid}"]`);
  const controls = [...document.querySelectorAll("button, input, select, a[href], [role=switch], .pad")];
  /** What scrolls under a finger may be out of sight until it is scrolled to. */
  const scrolls = (element) => {
    const sheet = element.closest(".sheet, .failure");
    return sheet !== null && sheet.scrollHeight > sheet.clientHeight + 1;
  };
  const root = document.scrollingElement;
  const isSheetOpen = [...document.querySelectorAll('.sheet[data-settings="true"]')].some(isOnScreen);
  const isMapTalkedOver = [...document.querySelectorAll(".sheet, .banner, .failure")].some(
    (element) => isOnScreen(element) && element.textContent !== "",
  );
  return {
    window: { width: innerWidth, height: innerHeight },
    page: { width: root.scrollWidth, height: root.scrollHeight, isScrollable: getComputedStyle(document.body).overflow },
    stop: { ...boxOf(id("stop")), covered: coveredPoints(id("stop"), false), isOnScreen: isOnScreen(id("stop")) },
    pads: [...document.querySelectorAll(".pad")].map((pad) => ({
      name: pad.dataset.testid,
      ...boxOf(pad),
      covered: coveredPoints(pad, true),
    })),
    sentence: isOnScreen(document.querySelector(".stop-sentence")),
    controls: controls.filter(isOnScreen).map((element) => ({
      name: element.dataset.testid ?? element.className,
      scrolls: scrolls(element),
      ...boxOf(element),
      // A control that lies under another one cannot be pressed there. Only the map's own may,
      // while something more urgent is said, and what an open sheet is meant to cover: never pads or STOP.
      covered:
        element.matches(".pad") ||
        scrolls(element) ||
        (isMapTalkedOver && element.closest(".map-room")) ||
        (isSheetOpen && !element.closest(".sheet"))
          ? []
          : coveredPoints(element, false),
    })),
    small: [...document.querySelectorAll("body *")]
      .filter((element) => isOnScreen(element) && [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
      .map((element) => [Number.parseFloat(getComputedStyle(element).fontSize), element.textContent.trim().slice(0, 30)])
      .filter(([size]) => size > 0 && size < 16),
    overlaps: overlaps(),
    // A long name or address may end in dots: the Drive switch and the sheet have all of it.
    cutOff: [...document.querySelectorAll("button, .switch-words, .chip:not(.chip-vehicle) :is(b, small), .banner")]
      .filter((element) => isOnScreen(element) && element.scrollWidth > element.clientWidth + 1)
      .map((element) => `${element.dataset.testid ?? element.className}: ${element.textContent.trim()}`),
  };
}

function distance(a, b) {
  const across = Math.max(a.left - b.right, b.left - a.right, 0);
  const down = Math.max(a.top - b.bottom, b.top - a.bottom, 0);
  return Math.hypot(across, down);
}

function assertInside(box, window, name) {
  const words = `${name} is at ${JSON.stringify(box)}`;
  assert.ok(box.left >= -HAIR && box.top >= -HAIR, words);
  assert.ok(box.right <= window.width + HAIR && box.bottom <= window.height + HAIR, words);
}

function assertGood(found) {
  const { stop, pads, window } = found;
  assert.ok(stop.isOnScreen, "STOP is not visible");
  assert.ok(stop.width >= TOUCH && stop.height >= TOUCH, `STOP is ${stop.width} × ${stop.height}`);
  assertInside(stop, window, "STOP");
  assert.deepEqual(stop.covered, [], "something lies over STOP");
  assert.ok(found.sentence, "the sentence at STOP is not visible");
  for (const pad of pads) {
    assertInside(pad, window, pad.name);
    assert.deepEqual(pad.covered, [], `something lies over ${pad.name}`);
  }
  assert.ok(found.page.width <= window.width && found.page.height <= window.height, "the page scrolls");
  for (const control of found.controls) {
    const size = `${control.name} is ${control.width.toFixed(1)} × ${control.height.toFixed(1)}`;
    assert.ok(control.width >= TOUCH - HAIR && control.height >= TOUCH - HAIR, size);
    if (control.scrolls) continue;
    assertInside(control, window, control.name);
    assert.deepEqual(control.covered, [], `something lies over ${control.name}`);
    if (control.name === "stop") continue;
    const room = distance(stop, control);
    assert.ok(room >= ROOM - HAIR, `${control.name} is ${room.toFixed(1)} px from STOP`);
    for (const pad of pads) {
      if (pad.name === control.name) continue;
      const roomOfPad = distance(pad, control);
      assert.ok(roomOfPad >= ROOM - HAIR, `${control.name} is ${roomOfPad.toFixed(1)} px from ${pad.name}`);
    }
  }
  assert.deepEqual(found.small, [], "text under 16 px");
  assert.deepEqual(found.cutOff, [], "words that do not fit");
  // On a phone with the tools unfolded a sentence may lie over the line of what happened last.
  const isMeant = (pair) => window.width < 560 && /^(banner|confirm|retract-squeegee).* and events/.test(pair);
  assert.deepEqual(found.overlaps.filter((pair) => !isMeant(pair)), [], "one lies over another");
}

async function check(page, name) {
  // A font that is still loading, or a theme that is being put on, would be measured half done.
  await page.page.evaluate(() => document.fonts.ready.then(() => new Promise(requestAnimationFrame)));
  const found = await page.page.evaluate(measure);
  try {
    assertGood(found);
  } catch (error) {
    error.message = `${name}: ${error.message}`;
    throw error;
  }
}

for (const { width, height } of [...SCREENS, SIDEWAYS]) {
  scenario(`on ${width} × ${height} nothing lies over what a multirotor is flown by`, async (stage) => {
    const page = await stage.open({ query: { demo: "1", kind: "multirotor" }, viewport: { width, height } });
    await page.online();
    await page.until("rtk", { state: "live" });
    await page.id("attitude").waitFor();
    for (const lang of LANGUAGES) {
      if ((await page.data("lang", "value")) !== lang) await page.tapSetting("lang");
      await check(page, `${lang}, off`);
      await armFlight(page);
      await page.id("confirm").waitFor();
      await page.until("drive", { reason: "motors-off" });
      const pads = await Promise.all(["stick", "stick-2"].map((pad) => page.box(pad)));
      await check(page, `${lang}, motors to be started`);
      await page.tap("stop");
      await page.until("stop", { latched: "true", delivery: "published" });
      await check(page, `${lang}, stopped`);
      // A pad that moves under a thumb would end its press.
      assert.deepEqual(await Promise.all(["stick", "stick-2"].map((pad) => page.box(pad))), pads);
      await page.tap("stop-reset");
      await page.until("stop", { latched: "false" });
    }
  });
}

for (const screen of SCREENS) {
  const { width, height } = screen;
  scenario(`on ${width} × ${height} everything can be found and pressed, in both languages and themes`, async (stage) => {
    const page = await stage.open({ query: { demo: "1" }, viewport: { width, height } });
    await page.online();
    await page.until("rtk", { state: "live" });
    for (const lang of LANGUAGES) {
      for (const theme of THEMES) {
        if ((await page.data("lang", "value")) !== lang) await page.tapSetting("lang");
        if ((await page.data("theme", "value")) !== theme) await page.tapSetting("theme");
        await page.until("lang", { value: lang });
        await page.until("theme", { value: theme });
        await check(page, `${lang} ${theme}, off`);
      }
      await page.tap("stop");
      await page.until("stop", { latched: "true", delivery: "published" });
      await check(page, `${lang}, stopped`);
      await page.tap("stop-reset");
      await page.until("stop", { latched: "false" });
      await page.arm();
      await page.page.evaluate(() => window.dispatchEvent(new Event("blur")));
      await check(page, `${lang}, armed`);
      await page.tap("drive-arm");
      await page.until("drive", { state: "disarmed" });
      for (const tools of TOOLS_PAGES) {
        await page.tap(`tools-page-${tools}`);
        await page.page.locator(`[data-testid="tools-page-${tools}"][aria-selected="true"]`).waitFor();
        await check(page, `${lang}, tools, ${tools}`);
        assert.ok(await page.id("tool-brake").locator(".tool-name").isVisible(), "the brake has no name");
      }
      // On a phone a second tap folds them away again.
      if (screen.name === "phone") await page.tap("tools-page-brushes");
    }
  });

  scenario(`on ${width} × ${height} everything can be found and pressed with two pads`, async (stage) => {
    const page = await stage.open({ query: { demo: "1" }, viewport: { width, height } });
    await page.online();
    await page.until("rtk", { state: "live" });
    await page.tapSetting("pads-two");
    for (const lang of LANGUAGES) {
      if ((await page.data("lang", "value")) !== lang) await page.tapSetting("lang");
      for (const hand of ["left", "right"]) {
        await page.tapSetting(`hand-${hand}`);
        await check(page, `${lang}, ${hand}, off`);
        for (const tools of TOOLS_PAGES) {
          await page.tap(`tools-page-${tools}`);
          await page.page.locator(`[data-testid="tools-page-${tools}"][aria-selected="true"]`).waitFor();
          await check(page, `${lang}, ${hand}, ${tools}`);
        }
        if (screen.name === "phone") await page.tap("tools-page-brushes");
        await page.tap("stop");
        await page.until("stop", { latched: "true", delivery: "published" });
        await check(page, `${lang}, ${hand}, stopped`);
        await page.tap("stop-reset");
        await page.until("stop", { latched: "false" });
      }
    }
  });

  scenario(`on ${width} × ${height} everything can be found and pressed with the topics and the camera`, async (stage) => {
    const sweeper = await stage.vehicle({ args: ["--camera", "--sensors"] });
    const other = await advertise(sweeper, [["/robot2/cmd_vel", "geometry_msgs/msg/Twist"]]);
    const server = await stage.serve();
    const profile = { camera: { topic: "/camera/image/compressed" }, bridge: { topics: { mc_ctrl: "/rtk_message" } } };
    server.overrides["camera.json"] = { body: JSON.stringify(profile) };
    const query = { profile: "camera.json" };
    const page = await stage.open({ vehicle: sweeper, at: server.url, query, viewport: { width, height } });
    await page.online();
    await page.until("camera", { old: "false" });
    for (const lang of LANGUAGES) {
      if ((await page.data("lang", "value")) !== lang) await page.tapSetting("lang");
      await check(page, `${lang}, camera`);
      await page.tap("camera");
      await check(page, `${lang}, large camera`);
      await page.tap("camera");
      await openTopics(page);
      await page.id("vehicles").waitFor();
      await check(page, `${lang}, topics`);
      await lookAt(page, "/odom");
      await plotWhatChanges(page, "/odom");
      await page.id("topics").evaluate((sheet) => sheet.scrollTo(0, sheet.scrollHeight / 2));
      await check(page, `${lang}, a topic`);
      await page.tap("topics-close");
    }
    other.close();
  });

  scenario(`on ${width} × ${height} sentences and their keys lie over nothing that is told or pressed`, async (stage) => {
    const sweeper = await stage.vehicle();
    const server = await stage.serve();
    // Nothing is to stop by itself because the machine is busy.
    const profile = { drive: { deadman_ms: 1000, link_timeout_ms: 1000 } };
    server.overrides["patient.json"] = { body: JSON.stringify(profile) };
    const query = { profile: "patient.json" };
    const page = await stage.open({ vehicle: sweeper, at: server.url, query, viewport: { width, height } });
    await page.armTools();
    // What is loaded later stands there, too.
    await page.id("machine").locator("svg").waitFor({ state: "attached" });
    await page.until("level-battery", { grade: "good" });
    await page.tap("tools-page-pushers");
    const extending = await page.press("tool-suction_squeeqee_pusher-plus");
    await page.until("tool-suction_squeeqee_pusher", { value: "100" });
    await sweeper.until("it to go out", () => sweeper.truth.sweeper.squeegee > 0.03);
    await page.touch.up(extending);
    await page.until("tool-suction_squeeqee_pusher", { value: "0", status: "published" });
    await page.tap("tool-brake-0");
    await page.tap("tools-page-more");
    await page.tap("tool-gear-2");
    await page.until("tool-gear", { value: "2", status: "published" });
    const backing = await page.press("tool-rpm-plus");
    await page.id("retract-squeegee").waitFor();
    await page.touch.up(backing);
    for (const lang of LANGUAGES) {
      if ((await page.data("lang", "value")) !== lang) await page.tapSetting("lang");
      for (const tools of ["pushers", "more"]) {
        await page.tap(`tools-page-${tools}`);
        await check(page, `${lang}, the squeegee's key, ${tools}`);
      }
    }
    await page.tap("tools-arm");
    await page.until("tools", { state: "disarmed" });
    await page.tap("stop");
    await page.until("stop", { latched: "true", delivery: "published" });
    for (const lang of LANGUAGES) {
      if ((await page.data("lang", "value")) !== lang) await page.tapSetting("lang");
      await check(page, `${lang}, the key of STOP`);
    }
    await page.tap("stop-reset");
    await page.until("stop", { latched: "false" });

    sweeper.say("rtk silent");
    await page.until("seen-speed", { grade: "absent" });
    for (const lang of LANGUAGES) {
      if ((await page.data("lang", "value")) !== lang) await page.tapSetting("lang");
      for (const tools of ["brushes", "more"]) {
        await page.tap(`tools-page-${tools}`);
        await page.tap(tools === "more" ? "tool-angle_speed-more" : "tool-side_brush-more");
        await page.untilText("banner", /(Tools are off|作业装置未启用)/);
        await check(page, `${lang}, the tools are off, ${tools}`);
        await page.tap("tools-arm");
        await page.id("confirm").waitFor();
        await check(page, `${lang}, a key to confirm, ${tools}`);
      }
    }
  });

  scenario(`on ${width} × ${height} long names and the whole list push nothing off the screen`, async (stage) => {
    const sweeper = await stage.vehicle();
    const server = await stage.serve();
    const profile = { vehicle: { name: "清扫车".repeat(13) } };
    server.overrides["long.json"] = { body: JSON.stringify(profile) };
    const query = { profile: "long.json" };
    const page = await stage.open({ vehicle: sweeper, at: server.url, query, viewport: { width, height } });
    await page.online();
    const assertAllThere = async (name) => {
      const { stop, pads, window, controls } = await page.page.evaluate(measure);
      assertInside(stop, window, `${name}: STOP`);
      assert.deepEqual(stop.covered, [], `${name}: something lies over STOP`);
      for (const pad of pads) {
        assertInside(pad, window, `${name}: ${pad.name}`);
        assert.deepEqual(pad.covered, [], `${name}: something lies over ${pad.name}`);
      }
      for (const control of controls.filter((one) => /^speed-limit|^drive-arm/.test(one.name))) {
        assertInside(control, window, `${name}: ${control.name}`);
        assert.deepEqual(control.covered, [], `${name}: something lies over ${control.name}`);
      }
    };
    await assertAllThere("a long name");
    // Another console with a name that has no end.
    const beat = { console: "x", name: "W".repeat(2000), seq: 1, driving: false, stop: { by: "x", seq: 7 } };
    const msg = { data: JSON.stringify(beat) };
    sweeper.say(`raw ${JSON.stringify({ op: "publish", topic: "/console/heartbeat", msg })}`);
    await page.untilText("banner", /STOP by W{40}:/);
    await assertAllThere("STOP by a long name");
    for (let i = 0; i < 30; i += 1) {
      const said = { op: "status", level: "error", msg: `trouble ${i} ${"with many words ".repeat(6)}` };
      sweeper.say(`raw ${JSON.stringify(said)}`);
    }
    await page.tap("events-more");
    await page.until("events", { long: "true" });
    await assertAllThere("the whole list");
  });

  scenario(`on ${width} × ${height} everything can be found and pressed while there is no connection`, async (stage) => {
    const page = await stage.open({ query: { url: "ws://127.0.0.1:1234", lang: "zh" }, viewport: { width, height } });
    page.expected.push(/WebSocket connection to/);
    await page.until("link", { state: "offline" });
    await page.untilText("banner", /无法建立连接/);
    await check(page, "offline");
  });
}
