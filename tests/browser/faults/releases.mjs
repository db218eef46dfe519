// Everything that ends a press although the link is well: what is done, by which event the page is
// told, and the states that rule 10 leaves it in.

import { until, wallClock } from "../lib/wait.mjs";
import { stopOf } from "./measures.mjs";

/** Runs in the page: its layout gives the pad another size, or none. */
function layOut([name, value]) {
  document.querySelector('[data-testid="stick"]').style[name] = value;
  return performance.timeOrigin + performance.now();
}

/** Runs in the page: the browser takes the finger away from the pad. */
function loseCapture() {
  const pad = document.querySelector('[data-testid="stick"]');
  for (let pointer = 0; pointer < 1000; pointer += 1) {
    if (pad.hasPointerCapture(pointer)) pad.releasePointerCapture(pointer);
  }
}

/**
 * `act(page, finger)` is done; the first event of `told` says when the page learned it, or else what
 * `act` answers (wall clock). `undo(page, finger)` makes the page fit for the next press; without one
 * the finger is lifted. `endsWorker`: the Worker ends or sleeps with its page, so that only its first
 * zeros are sure. `leaves`: the state of the drive that must follow; a frozen page shows it later.
 */
export const RELEASES = {
  "finger lifted": {
    act: (page, finger) => page.touch.up(finger),
    undo: () => undefined,
    told: ["pointerup"],
    leaves: ["ready"],
  },
  "pointer cancelled by the system": {
    act: (page) => page.touch.cancel(),
    undo: () => undefined,
    told: ["pointercancel"],
    leaves: ["ready"],
  },
  "capture lost": {
    act: async (page, finger) => {
      await page.page.evaluate(loseCapture);
      // The browser tells it with the pointer's next event.
      await page.moveStick(finger, { forward: 0.9 });
    },
    told: ["lostpointercapture"],
    leaves: ["ready"],
  },
  "pad laid out anew": {
    act: (page) => page.page.evaluate(layOut, ["width", "60%"]),
    undo: async (page, finger) => {
      await page.touch.up(finger);
      await page.page.evaluate(layOut, ["width", ""]);
    },
    leaves: ["blocked", "ready"],
  },
  "pad removed": {
    act: (page) => page.page.evaluate(layOut, ["display", "none"]),
    undo: async (page, finger) => {
      await page.touch.up(finger);
      await page.page.evaluate(layOut, ["display", ""]);
    },
    leaves: ["blocked", "ready"],
  },
  "focus lost": {
    act: (page) => page.setInFront(false),
    undo: async (page, finger) => {
      await page.setInFront(true);
      await page.touch.up(finger);
    },
    told: ["blur"],
    leaves: ["blocked"],
  },
  "another tab opened": {
    inTabs: true,
    act: (page) => page.openAnother(),
    undo: async (page, finger) => {
      await page.closeOthers();
      await page.touch.up(finger);
    },
    told: ["blur", "visibilitychange"],
    leaves: ["disarmed"],
  },
  "window minimised": {
    inTabs: true,
    act: (page) => page.setMinimised(true),
    undo: async (page, finger) => {
      await page.setMinimised(false);
      await page.touch.up(finger);
    },
    told: ["blur", "visibilitychange"],
    leaves: ["disarmed"],
  },
  "page frozen": {
    inTabs: true,
    act: (page) => page.setFrozen(true),
    undo: async (page, finger) => {
      await page.setFrozen(false);
      await page.touch.up(finger);
    },
    told: ["blur", "visibilitychange", "freeze"],
    leaves: ["disarmed"],
    endsWorker: true,
    isFrozen: true,
  },
  "tablet rotated": {
    act: (page) => page.setRotated(true),
    undo: async (page, finger) => {
      await page.touch.up(finger);
      await page.setRotated(false);
    },
    told: ["resize", "orientationchange"],
    leaves: ["blocked"],
  },
  "settings changed": {
    before: async (page) => {
      await page.online();
      if (!(await page.id("theme").isVisible())) await page.tap("settings");
      await page.id("theme").waitFor();
    },
    act: (page) => page.tap("theme"),
    told: ["click"],
    leaves: ["blocked"],
  },
  "page reloaded": {
    act: (page) => page.page.reload(),
    undo: (page) => page.touch.cancel(),
    told: ["pagehide"],
    leaves: ["disarmed"],
    endsWorker: true,
  },
  "page left": {
    act: (page) => {
      // The browser looks for an icon there.
      page.expected.push(/404/);
      return page.page.goto(new URL("config.json", page.page.url()).href);
    },
    undo: async (page) => {
      await page.touch.cancel();
      await page.page.goBack();
    },
    told: ["pagehide"],
    endsWorker: true,
  },
};

/**
 * Presses that end by these causes, one after the other on one page, each so often; `inTabs` in a
 * browser whose tabs are really hidden. For each: `delay` is from when the page was told to the first
 * zero at the vehicle, ms.
 */
export async function releases(stage, causes, { times = 1, inTabs = RELEASES[causes[0]].inTabs } = {}) {
  const vehicle = await stage.vehicle();
  const page = await (inTabs ? stage.openTab({ vehicle }) : stage.open({ vehicle }));
  await vehicle.measureClock();
  const outcomes = [];
  for (const cause of causes) {
    for (let time = 0; time < times; time += 1) outcomes.push(await release({ vehicle, page, cause }));
  }
  return outcomes;
}

async function release({ vehicle, page, cause }) {
  const { before, act, undo, told, isFrozen, leaves } = RELEASES[cause];
  await before?.(page);
  await page.arm();
  const finger = await page.drive();
  const pressed = vehicle.now;
  await vehicle.until("motion", () => vehicle.truth.v > 0.1, { since: pressed });
  const from = wallClock();
  const answer = await act(page, finger);
  // Zeros that do not come are an outcome, too.
  await vehicle.pass(700);
  if (leaves && !isFrozen) await page.until("drive", { state: leaves });
  const at = vehicle.clockAt(told ? await toldAt(page, told, from) : answer);
  const inTime = vehicle.now;
  await (undo ?? ((page, finger) => page.touch.up(finger)))(page, finger);
  if (leaves && isFrozen) await page.until("drive", { state: leaves });
  await vehicle.until("the vehicle to stand", () => vehicle.truth.v === 0);
  const stop = stopOf(vehicle, at);
  // One that comes when the page is shown again is none.
  return { cause, ...stop, delay: at + stop.firstZero <= inTime ? stop.firstZero : undefined };
}

/** When the first event of these kinds came after `from`, wall clock. */
async function toldAt(page, kinds, from) {
  return until(`the page to have been told by ${kinds}`, async () => {
    const ends = (await Promise.all(kinds.map((kind) => page.ends(kind)))).flat();
    const times = ends.map(({ at }) => at).filter((at) => at >= from - 1);
    return times.length > 0 && Math.min(...times);
  });
}
