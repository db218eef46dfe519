//! What the telemetry side shows.

use serde::{Deserialize, Serialize};

pub use super::conflict::{Conflict, Role};
pub use super::namespace::Namespace;
pub use crate::msgs::difference::FieldDifference;
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
    /// Positions that came faster than they are shown or told to the pilot, since the start.
    pub skipped: u64,
    /// Vehicles that show by their topics.
    pub namespaces: Vec<Namespace>,
    /// Topics that are not used because their definition does not fit, field by field.
    pub conflicts: Vec<Conflict>,
}
