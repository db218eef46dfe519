// The console in a browser, in an operator's verbs. Everything is found by the test ids and read
// from the attributes that the console promises to integrators.

import assert from "node:assert/strict";
import { Touch } from "./touch.mjs";
import { PATIENCE, until } from "./wait.mjs";

/** Runs in the page before anything of it: notes what cannot be asked for afterwards. */
function takeNotes() {
  const notes = { violations: [], ends: [] };
  Object.defineProperty(window, "__notes", { value: notes });
  document.addEventListener("securitypolicyviolation", (event) => {
    notes.violations.push(`${event.violatedDirective} refused ${event.blockedURI || "inline"}`);
  });
  // A page that is left cannot be asked any more; its successor can, by this key.
  const key = "notes of the page before";
  const store = location.protocol.startsWith("http") ? sessionStorage : undefined;
  notes.before = JSON.parse(store?.getItem(key) ?? "[]");
  const note = (event) => {
    if (event.type === "visibilitychange" && !document.hidden) return;
    const on = event.target.closest?.("[data-testid]")?.dataset.testid;
    // The end of a capture comes with the finger's next move and bears the time of that, which the
    // browser keeps for its next frame: the page is told when it is handed over.
    const toldAt = event.type === "lostpointercapture" ? performance.now() : event.timeStamp;
    notes.ends.push({ kind: event.type, on, at: performance.timeOrigin + toldAt });
    if (event.type === "pagehide") store?.setItem(key, JSON.stringify(notes.ends));
  };
  const ends = ["pointerup", "pointercancel", "lostpointercapture", "blur", "resize", "pagehide"];
  for (const kind of [...ends, "visibilitychange", "freeze", "click"]) window.addEventListener(kind, note, true);
}

/**
 * Runs in the page: the middle of an element, once it has stood still for two frames. A layout that
 * just moves would let a finger come down beside it.
 */
async function findMiddle(testid) {
  const look = () => {
    const candidates = [...document.querySelectorAll(`[data-testid="${testid}"]`)];
    const element = candidates.find((one) => one.getBoundingClientRect().width > 0);
    if (!element) return { missing: `${testid} is not on the screen` };
    const { x, y, width, height } = element.getBoundingClientRect();
    const middle = { x: x + width / 2, y: y + height / 2 };
    const hit = document.elementFromPoint(middle.x, middle.y);
    if (hit && element.contains(hit)) return middle;
    return { ...middle, missing: `${testid} lies under ${hit?.outerHTML.slice(0, 120)}` };
  };
  const frame = () => new Promise((next) => requestAnimationFrame(next));
  let last = look();
  for (let frames = 0; frames < 120; frames += 1) {
    await frame();
    const now = look();
    if (!now.missing && now.x === last.x && now.y === last.y) return now;
    last = now;
  }
  return { ...last, missing: last.missing ?? `${testid} does not stand still` };
}

export class ConsolePage {
  /** Opens the console in a browser context of its own. */
  static async open(browser, url, { viewport = { width: 1280, height: 800 }, before, ...options } = {}) {
    const context = await browser.newContext({
      viewport,
      hasTouch: true,
      locale: "en-US",
      serviceWorkers: "block",
      ...options,
    });
    return ConsolePage.openTab(context, url, { before });
  }

  /** Opens the console in a tab of that browser context. */
  static async openTab(context, url, { before } = {}) {
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    const console = new ConsolePage(context, page, new URL(url).origin);
    await page.addInitScript(takeNotes);
    console.session = await context.newCDPSession(page);
    console.touch = new Touch(console.session);
    await before?.(console);
    await page.goto(url);
    return console;
  }

  /** Console messages that are expected here; every other error fails the test. */
  expected = [];
  #problems = [];
  #other;
  #across;

  constructor(context, page, origin) {
    this.context = context;
    this.page = page;
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "assert") this.#problem(message.text());
    });
    page.on("pageerror", (error) => this.#problem(`uncaught: ${error.stack ?? error}`));
    page.on("crash", () => this.#problem("the page crashed"));
    context.on("request", (request) => {
      const asked = new URL(request.url());
      const isOwn = asked.origin === origin || asked.protocol === "blob:" || asked.protocol === "data:";
      if (!isOwn) this.#problem(`another host was asked: ${request.method()} ${asked}`);
    });
  }

  // ---- what is seen

  id(testid) {
    return this.page.locator(`[data-testid="${testid}"]`);
  }

  async text(testid) {
    return (await this.id(testid).innerText()).trim();
  }

  /** The attribute `data-<name>`, or null. */
  async data(testid, name) {
    return this.id(testid).getAttribute(`data-${name}`);
  }

  /** `{ state, reason }` of the drive. */
  async driveState() {
    const [state, reason] = await Promise.all([this.data("drive", "state"), this.data("drive", "reason")]);
    return { state, reason };
  }

  async number(testid, name) {
    const text = await this.data(testid, name);
    assert.ok(text !== null && text !== "", `${testid} has no data-${name}`);
    return Number(text);
  }

  /** The place and heading that an element of the map carries. */
  async place(testid) {
    const [lat, lon, heading] = await Promise.all(
      ["lat", "lon", "heading"].map((name) => this.number(testid, name)),
    );
    return { lat, lon, heading };
  }

  /**
   * Waits until the element has these `data-` attributes; null means that there is none or
   * an empty one, a list that it is one of these.
   */
  async until(testid, wanted, options) {
    const isSo = ([name, value]) => {
      if (value === null) return `:is(:not([data-${name}]), [data-${name}=""])`;
      const values = Array.isArray(value) ? value : [value];
      return `:is(${values.map((one) => `[data-${name}="${one}"]`).join(", ")})`;
    };
    const selector = `[data-testid="${testid}"]${Object.entries(wanted).map(isSo).join("")}`;
    try {
      await this.page.locator(selector).first().waitFor({ state: "attached", ...options });
    } catch (error) {
      throw new Error(
        `${testid} did not become ${JSON.stringify(wanted)}; instead: ${await this.#describe(testid)}`,
        { cause: error },
      );
    }
  }

  async untilText(testid, pattern, options) {
    let seen = "";
    await until(
      `${testid} to say ${pattern}`,
      async () => {
        seen = (await this.id(testid).textContent()) ?? "";
        return pattern.test(seen);
      },
      { tell: () => JSON.stringify(seen), ...options },
    );
    return seen;
  }

  /** Waits until the list of what happened says it; the list is unfolded for that. */
  async untilHappened(pattern, options) {
    await this.#unfoldEvents(true);
    const said = await this.untilText("events", pattern, options);
    await this.#unfoldEvents(false);
    return said;
  }

  /** The box on the screen: `{ x, y, width, height }`. */
  async box(testid) {
    const box = await this.id(testid).boundingBox();
    assert.ok(box, `${testid} is not on the screen`);
    return box;
  }

  /** The middle of an element that can be pressed there. */
  async middle(testid) {
    const { missing, ...middle } = await this.page.evaluate(findMiddle, testid);
    assert.equal(missing, undefined);
    return middle;
  }

  /** When fingers were lifted from an element, in wall-clock milliseconds. */
  async lifts(testid) {
    const ends = await this.ends("pointerup");
    return ends.filter(({ on }) => on === testid).map(({ at }) => at);
  }

  /** Events of one kind that may end a press, oldest first: `{ kind, on, at }`, wall-clock ms. */
  async ends(kind) {
    const ends = await this.page.evaluate(() => [...window.__notes.before, ...window.__notes.ends]);
    return ends.filter((end) => end.kind === kind);
  }

  /** The Worker of that name. */
  async worker(name) {
    for (const worker of this.page.workers()) {
      if ((await worker.evaluate(() => self.name)) === name) return worker;
    }
    throw new Error(`no ${name} Worker among ${this.page.workers().length}`);
  }

  // ---- what is done

  async tap(testid) {
    const { x, y } = await this.middle(testid);
    await this.touch.tap(x, y);
  }

  /** A finger comes down in the middle of an element and stays there. */
  async press(testid) {
    const { x, y } = await this.middle(testid);
    return this.touch.down(x, y);
  }

  /** Taps a switch of the settings; opens the sheet for it and closes it again. */
  async tapSetting(testid) {
    const isOpen = await this.id(testid).isVisible();
    if (!isOpen) await this.tap("settings");
    // Where there is little room the sheet scrolls, under a head that stays.
    await this.id(testid).evaluate((key) => key.scrollIntoView({ block: "center" }));
    await this.tap(testid);
    if (!isOpen) await this.tap("settings-close");
  }

  /** Waits for the link. */
  async online() {
    await this.until("link", { state: "online" });
  }

  /** Waits for a link that echoes, be it slow: after a stall it counts as slow for 5 s. */
  async linked() {
    await this.until("link", { state: ["online", "slow"] });
  }

  /** Waits for the link and the position, then switches the drive on. */
  async arm() {
    await this.online();
    await this.until("rtk", { state: "live" });
    // Switched on before the vehicle has told its types, it would be refused.
    await until("the drive to be switched on", async () => {
      if ((await this.data("drive", "state")) === "disarmed") await this.tap("drive-arm");
      return this.page
        .locator('[data-testid="drive"]:not([data-state="disarmed"])')
        .waitFor({ state: "attached", timeout: 1000 })
        .then(
          () => true,
          () => false,
        );
    });
    // A machine that was just busy has a slow link for 5 s, and no drive may start on it.
    await this.until("drive", { state: "ready", reason: null });
    await this.until("link", { state: "online" });
  }

  /** Waits until the console has seen that the vehicle stands. */
  async seenStanding() {
    await this.until("seen-speed", { grade: "good" });
  }

  /** Switches the tools on; the vehicle has to be seen standing for it. */
  async armTools() {
    await this.online();
    await this.seenStanding();
    // On a phone the tools are folded away until one of their pages is asked for.
    if (!(await this.id("tools-arm").isVisible())) await this.tap("tools-page-brushes");
    await this.tap("tools-arm");
    await this.until("tools", { state: "armed" });
  }

  /** The pad's point for a deflection, each -1 to 1, forward and left positive. */
  async padPoint({ forward = 0, left = 0 }) {
    const { x, y, width, height } = await this.box("stick");
    const radius = Math.min(width, height) / 2;
    return { x: x + width / 2 - left * radius, y: y + height / 2 - forward * radius };
  }

  /** A finger comes down in the pad's hub and moves to that deflection; it stays there. */
  async pressStick(deflection) {
    const hub = await this.padPoint({});
    const finger = await this.touch.down(hub.x, hub.y);
    await this.moveStick(finger, deflection);
    return finger;
  }

  async moveStick(finger, deflection) {
    const there = await this.padPoint(deflection);
    await this.touch.move(finger, there.x, there.y, 4);
  }

  /** Presses and waits until it drives. */
  async drive(deflection = { forward: 1.02 }) {
    const finger = await this.pressStick(deflection);
    await this.until("drive", { state: "driving" });
    return finger;
  }

  /** Another window comes to the front, or this one again. */
  async setInFront(isInFront) {
    // Playwright makes every page believe that it has the focus, until it is told not to.
    await this.session.send("Emulation.setFocusEmulationEnabled", { enabled: false });
    if (isInFront) return this.page.bringToFront();
    this.#other ??= await this.context.newPage();
    await this.#other.bringToFront();
  }

  /** The tablet is turned upright, or back. */
  async setRotated(isUpright) {
    const { width, height } = this.#across ?? this.page.viewportSize();
    this.#across ??= { width, height };
    const orientation = isUpright ? { type: "portraitPrimary", angle: 90 } : { type: "landscapePrimary", angle: 0 };
    await this.session.send("Emulation.setDeviceMetricsOverride", {
      width: isUpright ? height : width,
      height: isUpright ? width : height,
      deviceScaleFactor: 1,
      mobile: false,
      screenOrientation: orientation,
    });
  }

  // ---- in a browser with tabs, see launchWithTabs

  /** Another tab comes to the front. */
  async openAnother() {
    this.#other = await this.context.newPage();
    await this.#other.bringToFront();
  }

  /** The other tab is closed, and this one seen again. */
  async closeOthers() {
    await this.#other?.close();
    this.#other = undefined;
    await this.page.bringToFront();
  }

  /** The window is minimised, or comes back. */
  async setMinimised(isMinimised) {
    const { windowId } = await this.session.send("Browser.getWindowForTarget");
    const windowState = isMinimised ? "minimized" : "normal";
    await this.session.send("Browser.setWindowBounds", { windowId, bounds: { windowState } });
  }

  /** The browser hides and freezes the page, as a tablet's does to save power; or shows it again. */
  async setFrozen(isFrozen) {
    await this.session.send("Page.setWebLifecycleState", { state: isFrozen ? "frozen" : "active" });
    if (!isFrozen) {
      // Seen again only after another one was.
      await this.openAnother();
      await this.closeOthers();
    }
  }

  // ---- the end

  /** Whatever must not happen on any page: errors, refusals of the policy, other hosts. */
  async problems() {
    const violations = this.page.isClosed()
      ? []
      : await this.page.evaluate(() => window.__notes?.violations ?? []).catch(() => []);
    return [...this.#problems, ...violations].filter(
      (problem) => !this.expected.some((pattern) => pattern.test(problem)),
    );
  }

  async close() {
    await this.context.close();
  }

  #problem(text) {
    this.#problems.push(text);
  }

  async #unfoldEvents(isLong) {
    // A line that comes just now moves the list's head away from the finger.
    await until("the list of what happened to unfold or fold", async () => {
      if ((await this.data("events", "long")) === String(isLong)) return true;
      await this.tap("events-more");
      return false;
    });
  }

  async #describe(testid) {
    const found = await this.page.evaluate((testid) => {
      const attributes = (id) => {
        const element = document.querySelector(`[data-testid="${id}"]`);
        return element && { id, ...element.dataset };
      };
      const text = (id) => document.querySelector(`[data-testid="${id}"]`)?.textContent;
      return {
        element: attributes(testid),
        link: attributes("link"),
        drive: attributes("drive"),
        banner: text("banner"),
        events: text("events"),
      };
    }, testid);
    return JSON.stringify(found);
  }
}
