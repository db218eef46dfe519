// The page of this folder in a browser, with the verbs that the fault cases use of a console.

import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { copyFile, mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Touch } from "../../browser/lib/touch.mjs";
import { PATIENCE } from "../../browser/lib/wait.mjs";
import { serve } from "../../browser/server.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const BUILT = fileURLToPath(new URL("../../../target/bench/compare", import.meta.url));

/** Bundles the page and serves it; its packages must be installed. */
export async function serveTutorial() {
  await mkdir(BUILT, { recursive: true });
  const esbuild = join(HERE, "node_modules/.bin/esbuild");
  const options = ["--bundle", "--format=iife", "--log-level=warning", `--outfile=${join(BUILT, "page.js")}`];
  const { status, stderr, error } = spawnSync(esbuild, [join(HERE, "page.mjs"), ...options]);
  if (status !== 0) throw new Error(`the comparison page could not be bundled: ${error ?? stderr}`);
  for (const name of ["index.html", "page.css"]) await copyFile(join(HERE, name), join(BUILT, name));
  return serve({ dist: BUILT });
}

/** The comparison page, as the fault cases open it. */
export function tutorial(server) {
  return {
    name: "roslib 2.1 + nipplejs 1.0.4",
    open: (stage, { url }) => TutorialPage.open(stage, server, url),
  };
}

class TutorialPage {
  static async open(stage, server, url) {
    const context = await stage.browser.newContext({ viewport: { width: 1280, height: 800 }, hasTouch: true });
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    const address = new URL(server.url);
    address.searchParams.set("url", url);
    const session = await context.newCDPSession(page);
    const tutorial = new TutorialPage(context, page, new Touch(session));
    await page.goto(address.href);
    return stage.keep(tutorial);
  }

  /** It may say on the browser's console what it likes. */
  expected = [];

  constructor(context, page, touch) {
    this.context = context;
    this.page = page;
    this.touch = touch;
  }

  async online() {
    await this.page.locator("#link", { hasText: /^connected$/ }).waitFor();
  }

  async linked() {
    await this.online();
  }

  /** There is nothing to switch on. */
  async arm() {
    await this.online();
  }

  async drive() {
    const { x, y, width, height } = await this.page.locator("#stick").boundingBox();
    const middle = { x: x + width / 2, y: y + height / 2 };
    const finger = await this.touch.down(middle.x, middle.y);
    await this.touch.move(finger, middle.x, middle.y - height * 0.45, 4);
    return finger;
  }

  /** It has no states. */
  async driveState() {
    return { state: "" };
  }

  async problems() {
    return [];
  }

  async close() {
    await this.context.close();
  }
}
