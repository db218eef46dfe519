//! The words for the tools' states.

use serde::{Deserialize, Serialize};

use crate::reason::Reason;

/// `data-state` of the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolsState {
    /// The switch is off.
    #[default]
    Disarmed,
    /// McCtrl is being published.
    Armed,
    /// Stopped by a cause that is still there.
    Blocked,
    /// STOP is latched.
    Stopped,
}

/// A word beside a control.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldNote {
    /// The wire type cannot hold the documented range.
    WireTypeStopsAt {
        /// The type's ROS name.
        wire_type: String,
        /// Its end.
        end: f64,
        /// Of the motor: the speed that this reaches, m/s.
        speed: Option<f64>,
    },
    /// Waiting before the brush may turn the other way.
    ReverseDwell {
        /// Seconds left.
        seconds: f64,
    },
    /// It was switched off and runs on, because water flowed.
    RunsOn {
        /// Seconds left.
        seconds: f64,
    },
    /// The vehicle's definition has no such field: it cannot be set.
    Lacking,
    /// The stroke's time limit was reached; release and press again.
    StrokeLimit,
    /// A motor in neutral turns nothing.
    InNeutral,
    /// Refused, with the reason.
    Refused(Reason),
    /// Nobody has told the value yet.
    Unknown,
}
