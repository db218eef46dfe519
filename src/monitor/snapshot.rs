//! What the telemetry side shows.

use serde::{Deserialize, Serialize};

use crate::pilot::snapshot::LinkState;
pub use crate::rtk::view::{RtkState, RtkView};

/// Everything the telemetry side shows at one moment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MonitorSnapshot {
    /// Counts up; silence means a dead Worker.
    pub seq: u64,
    /// The telemetry socket: offline, connecting or online.
    pub link: LinkState,
    /// The position.
    pub rtk: RtkView,
    /// Frames that could not be used since the start.
    pub bad_frames: u64,
}
