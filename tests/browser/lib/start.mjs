// From opening the page to a stick that is armed.

import { until } from "./wait.mjs";

/** Runs in the page: switches the drive on as soon as that is possible, and notes when it is. */
function armAtOnce() {
  const timer = setInterval(() => {
    const state = document.querySelector('[data-testid="drive"]')?.dataset.state;
    if (state === "disarmed") document.querySelector('[data-testid="drive-arm"]').click();
    if (state !== "ready") return;
    window.__armedAfter = performance.now();
    clearInterval(timer);
  }, 50);
}

/** In demo mode, with the page's thread slowed `slowed` times: milliseconds since navigation. */
export async function timeToArmed(stage, { slowed = 4 } = {}) {
  const page = await stage.open({
    query: { demo: "1" },
    before: async ({ page, session }) => {
      await page.addInitScript(armAtOnce);
      await session.send("Emulation.setCPUThrottlingRate", { rate: slowed });
    },
  });
  const time = await until("the stick to be armed", () => page.page.evaluate(() => window.__armedAfter), { every: 200 });
  await page.close();
  return time;
}
