//! The vehicle's log: one JSON object a line, for tests to read.
//!
//! Every line has `t`, milliseconds since the vehicle's start, and `kind`; lines of `event`, `state`
//! and `flight` also have `vehicle`, its namespace without slashes at the ends, `/` for the root:
//!
//! | kind | further keys |
//! |---|---|
//! | `connect`, `disconnect` | `client` |
//! | `frame` | `client`, `op`, `topic` (or the service), `msg`, `outcome` (`published`, `done`, `dropped`), `reason` when dropped. `t` is when the frame arrived. `msg` is the complete message when it was published, else what was sent (`args` of a service call, the text of what is not JSON). `op`, `topic`, `msg` are `null` when there are none |
//! | `event` | `event`, `detail`. Events: `command_timeout` (the receiver stopped the chassis 0.5 s after the last valid `cmd_vel`), `command_error` (why), `mc_timeout` (rpm, brushes, pushers and water off), `mc_error` (why a McCtrl was not obeyed), `brake` (`engaged`, `released`), `standing` and `moving` (the vehicle came to a stand, began to move); of a multirotor `attitude_timeout`, `attitude_error`, `motors` (`started`, `stopped`), `motors_refused` (why); `paused` and `resumed` of all |
//! | `state` | ten times a second, the truth: `x`, `y` (m east and north of the start), `heading` (degrees, 0 north, clockwise), `v` (m/s, forward positive), `yaw_rate` (rad/s, left positive), `steering` (degrees, left positive), `brake` (0, 1), `lat`, `lon`, and under `sweeper` the working parts |
//! | `flight` | the same of a multirotor: `x`, `y`, `z` (m east, north, up of the start), `heading`, `vx`, `vy`, `vz` (m/s), `roll`, `pitch` (degrees), `yaw_rate`, `thrust` (0 to 1), `motors`, `landed`, `lat`, `lon` |
//!
//! Numbers that are not finite are `null`.

use serde::{Deserialize, Serialize};

use super::sweeper::SweeperState;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogLine {
    /// Milliseconds since the vehicle's start.
    pub t: f64,
    /// Whose it is, where it is one vehicle's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vehicle: Option<String>,
    /// What happened.
    #[serde(flatten)]
    pub entry: LogEntry,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LogEntry {
    /// A client connected.
    Connect {
        /// Which.
        client: u32,
    },
    /// A client is gone.
    Disconnect {
        /// Which.
        client: u32,
    },
    /// A client sent something.
    Frame {
        /// Which.
        client: u32,
        /// The operation.
        op: Option<String>,
        /// Topic or service, as the client wrote it.
        topic: Option<String>,
        /// As published, else as sent.
        msg: Option<serde_json::Value>,
        /// What became of it.
        outcome: FrameOutcome,
        /// Why it was dropped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Something happened on the vehicle.
    Event {
        /// What; the module's table lists them.
        event: String,
        /// More about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// The truth.
    State {
        /// East of the start, m.
        x: f64,
        /// North of the start, m.
        y: f64,
        /// Degrees, 0 north, clockwise.
        heading: f64,
        /// m/s, forward positive.
        v: f64,
        /// rad/s, left positive.
        yaw_rate: f64,
        /// Wheel angle, degrees, left positive.
        steering: f64,
        /// 0 released, 1 engaged.
        brake: u8,
        /// Degrees, WGS84.
        lat: f64,
        /// Degrees, WGS84.
        lon: f64,
        /// The working parts.
        sweeper: SweeperState,
    },
    /// The truth about what flies.
    Flight {
        /// East of the start, m.
        x: f64,
        /// North of the start, m.
        y: f64,
        /// Above the start, m.
        z: f64,
        /// Degrees, 0 north, clockwise.
        heading: f64,
        /// m/s to the east.
        vx: f64,
        /// m/s to the north.
        vy: f64,
        /// m/s up.
        vz: f64,
        /// Degrees, right side down positive.
        roll: f64,
        /// Degrees, nose down positive.
        pitch: f64,
        /// rad/s, left positive.
        yaw_rate: f64,
        /// Share of the greatest thrust.
        thrust: f64,
        /// The motors run.
        motors: bool,
        /// It stands on the ground.
        landed: bool,
        /// Degrees, WGS84.
        lat: f64,
        /// Degrees, WGS84.
        lon: f64,
    },
}

/// What became of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameOutcome {
    /// The message went out to the vehicle and to all who subscribe the topic.
    Published,
    /// The operation was done.
    Done,
    /// Nothing happened.
    Dropped,
}

impl LogLine {
    /// The line as it stands in the file, without the line's end.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|error| {
            format!(
                "{{\"t\":{},\"kind\":\"event\",\"event\":\"log_error\",\"detail\":\"{error}\"}}",
                self.t
            )
        })
    }
}
