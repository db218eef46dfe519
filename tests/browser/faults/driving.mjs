// How every fault begins: a finger that drives a vehicle at speed.

/** What the fault cases need to know of a console: how one is opened for a rosbridge. */
export const broomstick = {
  name: "broomstick",
  open: (stage, { url, query }) => stage.open({ vehicle: { url }, query }),
};

/** Without a stop check the console drives 0.3 m/s, in the end. */
const AT_SPEED = 0.25;

/** Switches on and presses; answers the finger once the vehicle moves at speed. */
export async function driveAtSpeed(page, vehicle, speed = AT_SPEED) {
  await page.arm();
  const finger = await page.drive();
  await vehicle.until("the vehicle at speed", () => vehicle.truth.v > speed);
  return finger;
}

/** A vehicle at speed, driven through a relay: `{ vehicle, wire, page, finger }`. */
export async function driveThroughWire(stage, { console = broomstick, query } = {}) {
  const vehicle = await stage.vehicle();
  const wire = await stage.wire(vehicle);
  const page = await console.open(stage, { url: wire.url, query });
  await vehicle.measureClock();
  const finger = await driveAtSpeed(page, vehicle);
  return { vehicle, wire, page, finger };
}

/** Lets time pass; only where the time itself is what is tried. */
export function sleep(ms) {
  return new Promise((over) => setTimeout(over, ms));
}
