//! What the heartbeat says: who is there, who drives, who pressed STOP (rule 17).

use serde::{Deserialize, Serialize};

/// The JSON inside the heartbeat's `std_msgs/String`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heartbeat {
    /// Unique to a page load.
    pub console: String,
    /// For people.
    pub name: String,
    /// Counts up.
    pub seq: u64,
    /// A finger drives there.
    pub driving: bool,
    /// The STOP that is latched there.
    pub stop: Option<StopMark>,
}

/// One press of STOP: who and which. It keeps its identity while others pass it on, so that a
/// console that has reset it does not latch it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopMark {
    /// The console on which it was pressed.
    pub by: String,
    /// Differs between presses, also across reloads.
    pub seq: u64,
}

impl Heartbeat {
    /// Reads the text of another console's heartbeat; `None` for anything else.
    #[must_use]
    pub fn parse(data: &str) -> Option<Self> {
        serde_json::from_str(data).ok()
    }

    /// The text.
    #[must_use]
    pub fn encode(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
