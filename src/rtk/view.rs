//! What is shown of the position.

use serde::{Deserialize, Serialize};

/// `data-state` of the position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RtkState {
    /// Nothing came yet.
    #[default]
    None,
    /// It comes, it is valid, it changes.
    Live,
    /// The newest is too old.
    Stale,
    /// Bit-identical although the speed or the command says moving.
    Frozen,
    /// Null, NaN, out of range, null island, quality 0, 3, 7, 8 or absent.
    Invalid,
}

/// The position as far as it is known.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RtkView {
    /// The state.
    pub state: RtkState,
    /// The last good position, WGS84 degrees, corrected for the lever arm: `(lat, lon)`.
    pub position: Option<(f64, f64)>,
    /// The newest heading in degrees, 0 north clockwise, corrected; `None` when invalid.
    pub heading: Option<f64>,
    /// Speed in m/s as reported (unit of the profile applied); `None` when not reported.
    pub speed: Option<f64>,
    /// Position solution as received, any number.
    pub p_quality: Option<i64>,
    /// Heading solution as received, any number.
    pub h_quality: Option<i64>,
    /// The heading may be used to turn the vehicle on the map.
    pub heading_is_good: bool,
    /// Milliseconds since the newest message was received.
    pub age_ms: Option<f64>,
    /// Messages a second over the last 5 s.
    pub rate_hz: f64,
    /// What is wrong with the newest message, in its own terms: field and value. With
    /// [`RtkState::Live`] it is about the heading alone.
    pub problem: Option<String>,
    /// Counts accepted positions: tells a new one from one that is shown again.
    pub count: u64,
}
