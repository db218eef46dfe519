//! The position's numbers. Ranges are checked where the profile is read ([`crate::profile`]).

use serde::{Deserialize, Serialize};

use crate::units::{Degrees, Meters};

/// What `Rtk.speed` counts; the interface document does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum SpeedUnit {
    /// m/s.
    #[default]
    MetersPerSecond,
    /// km/h.
    KilometersPerHour,
    /// Knots.
    Knots,
}

impl SpeedUnit {
    /// m/s per unit.
    #[must_use]
    pub fn in_meters_per_second(self) -> f64 {
        match self {
            Self::MetersPerSecond => 1.0,
            Self::KilometersPerHour => 1.0 / 3.6,
            Self::Knots => 1852.0 / 3600.0,
        }
    }
}

/// How a fix is read.
#[derive(Debug, Clone, PartialEq)]
pub struct RtkSettings {
    /// Unit of the reported speed.
    pub speed_unit: SpeedUnit,
    /// Added to the reported heading, clockwise.
    pub heading_offset_deg: Degrees,
    /// How far ahead of the vehicle's reference point the antenna sits.
    pub lever_arm_forward: Meters,
    /// How far left of the vehicle's reference point the antenna sits.
    pub lever_arm_left: Meters,
    /// Seconds without a message after which the position is stale.
    pub stale_after_s: f64,
}

impl Default for RtkSettings {
    fn default() -> Self {
        Self {
            speed_unit: SpeedUnit::MetersPerSecond,
            heading_offset_deg: Degrees::default(),
            lever_arm_forward: Meters::default(),
            lever_arm_left: Meters::default(),
            stale_after_s: 1.0,
        }
    }
}
