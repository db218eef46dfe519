// Waiting for a state, never for a time.

/** How long a state may take to come, in milliseconds; ample, because a busy machine is slow. */
export const PATIENCE = Number(process.env.BROOMSTICK_PATIENCE ?? 20_000);

/**
 * Looks again and again until `look` answers something true, and returns that. `what` names the
 * state in the error; `tell` may add what was there instead.
 */
export async function until(what, look, { timeout = PATIENCE, every = 15, tell } = {}) {
  const deadline = performance.now() + timeout;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > deadline) {
      const instead = tell ? `; instead: ${await tell()}` : "";
      throw new Error(`waited ${timeout} ms in vain for ${what}${instead}`);
    }
    await new Promise((again) => setTimeout(again, every));
  }
}

/** Wall-clock milliseconds with a fraction, on the same scale as the page's. */
export function wallClock() {
  return performance.timeOrigin + performance.now();
}
