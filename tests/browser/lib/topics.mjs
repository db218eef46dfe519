// The topics page in an engineer's verbs.

import { once } from "node:events";
import WebSocket from "ws";
import { until } from "./wait.mjs";

/** Another client advertises topics as `[name, type]`, as another vehicle's driver does. Close it. */
export async function advertise(vehicle, topics) {
  const socket = new WebSocket(vehicle.url);
  await once(socket, "open");
  for (const [topic, type] of topics) socket.send(JSON.stringify({ op: "advertise", topic, type }));
  const last = topics.at(-1)[0];
  await vehicle.until("the other topics", (lines) => lines.some((line) => line.topic === last));
  return socket;
}

/** Opens the topics by the settings. */
export async function openTopics(page) {
  await page.tap("settings");
  await page.id("topics-open").scrollIntoViewIfNeeded();
  await page.tap("topics-open");
  await page.id("topics").waitFor({ state: "visible" });
}

/** A topic in the list. */
export function row(page, topic) {
  return page.page.locator(`[data-testid="topic-row"][data-topic="${topic}"]`);
}

/** Taps an element of the sheet, which scrolls. */
export async function tapOn(page, locator) {
  // Its head stays at the top and would lie over what is just in sight.
  await locator.evaluate((element) => element.scrollIntoView({ block: "center" }));
  const { x, y, width, height } = await locator.boundingBox();
  await page.touch.tap(x + width / 2, y + height / 2);
}

/** Taps a topic and waits for its message, by default for a number in it. */
export async function lookAt(page, topic, until = "button.line") {
  await row(page, topic).waitFor();
  await tapOn(page, row(page, topic).locator(".topic-key"));
  await row(page, topic).locator(until).first().waitFor();
}

/** The message of a topic that is looked at, as it stands there. */
export function message(page, topic) {
  return row(page, topic).getByTestId("topic-tree").innerText();
}

/** Plots a number of a topic that is looked at. */
export async function plotNumber(page, topic, path) {
  await tapOn(page, row(page, topic).locator(`button.line[data-path="${path}"]`));
  await page.id("topic-plot").waitFor();
}

/** Plots the first number that changes; answers its path. */
export async function plotWhatChanges(page, topic) {
  const values = () =>
    row(page, topic)
      .locator("button.line")
      .evaluateAll((lines) => lines.map((line) => [line.dataset.path, line.textContent]));
  const before = new Map(await values());
  const path = await until("a number that changes", async () =>
    (await values()).find(([path, text]) => before.get(path) !== text)?.[0],
  );
  await plotNumber(page, topic, path);
  return path;
}
