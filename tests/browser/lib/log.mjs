// Reading the vehicle's log. Pure; the log's lines are described in src/vehicle/log.rs.

export const CMD_VEL = "/cmd_vel";
export const MC_CTRL = "/auto_mc_ctrl";
export const HEARTBEAT = "/console/heartbeat";

/** What McCtrl has, in the order of its definition. */
export const MC_CTRL_FIELDS = [
  "brake",
  "gear",
  "rpm",
  "angle",
  "angle_speed",
  "roll_brush_suction_direction",
  "roll_brush_suction",
  "side_brush",
  "brush_deck_pusher",
  "suction_squeeqee_pusher",
  "water_spray",
  "dust_shake",
];

/** The messages that a client published on a topic, dropped ones included. */
export function published(lines, topic) {
  return lines.filter((line) => line.kind === "frame" && line.op === "publish" && line.topic === topic);
}

/** The velocity commands: `{ t, client, outcome, linear, angular }` in m/s and rad/s. */
export function velocities(lines, topic = CMD_VEL) {
  return published(lines, topic).map(({ t, client, outcome, msg }) => {
    const twist = msg.twist ?? msg;
    return { t, client, outcome, linear: twist.linear.x, angular: twist.angular.z };
  });
}

/** True for a command that stops. */
export function isZero({ linear, angular }) {
  return linear === 0 && angular === 0;
}

/** True for a command that moves. */
export function isMotion(command) {
  return !isZero(command);
}

/** The truth, ten times a second. */
export function truths(lines) {
  return lines.filter((line) => line.kind === "state");
}

/** Events of one kind on the vehicle. */
export function events(lines, event) {
  return lines.filter((line) => line.kind === "event" && line.event === event);
}

/** Messages a second, from the first to the last. */
export function rate(commands) {
  const first = commands.at(0);
  const last = commands.at(-1);
  return ((commands.length - 1) * 1000) / (last.t - first.t);
}

/** The longest pause between two that follow each other, in milliseconds. */
export function longestGap(commands) {
  let longest = 0;
  for (let i = 1; i < commands.length; i += 1) {
    longest = Math.max(longest, commands[i].t - commands[i - 1].t);
  }
  return longest;
}

/** Those between two moments of the vehicle's clock. */
export function between(entries, from, to = Infinity) {
  return entries.filter(({ t }) => t >= from && t <= to);
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** Metres north and east from one place to another, both in degrees; good for a few kilometres. */
export function metersBetween(from, to) {
  const metersPerDegree = 111_320;
  return {
    north: (to.lat - from.lat) * metersPerDegree,
    east: (to.lon - from.lon) * metersPerDegree * Math.cos((from.lat * Math.PI) / 180),
  };
}

/** Degrees from one heading to another, -180 to 180, clockwise positive. */
export function turnBetween(from, to) {
  return ((((to - from + 180) % 360) + 360) % 360) - 180;
}
