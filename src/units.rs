//! Quantities that must not be mixed up, and the one clock type of the crate.
//!
//! Everything here is SI inside; raw numbers live only in [`crate::msgs`], where the wire wants
//! them. No function of the crate reads a clock: the moment is always a parameter.

mod decimal;
pub mod maths;

use std::ops::{Add, Sub};
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use decimal::decimal;

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $unit:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(
            #[doc = concat!("The value in ", $unit, ".")]
            pub f64,
        );

        impl $name {
            /// No speed, no turn, no distance.
            pub const ZERO: Self = Self(0.0);

            /// The magnitude, without the sign.
            #[must_use]
            pub fn abs(self) -> Self {
                Self(self.0.abs())
            }
        }
    };
}

quantity!(
    /// A linear speed along body x: forward is positive (REP-103).
    MetersPerSecond,
    "m/s"
);
quantity!(
    /// A rate of turn about body z: left (counter-clockwise from above) is positive (REP-103).
    RadiansPerSecond,
    "rad/s"
);
quantity!(
    /// A length.
    Meters,
    "m"
);
quantity!(
    /// An angle in degrees; what zero and the sign mean is said where it is used.
    Degrees,
    "degrees"
);

impl Degrees {
    /// The same angle in radians.
    #[must_use]
    pub fn to_radians(self) -> f64 {
        self.0.to_radians()
    }
}

/// A point on the caller's monotonic clock: the time since some fixed beginning.
///
/// A Worker counts from its own start, a test from zero. Moments of two clocks must not be
/// compared; nothing in the crate does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Moment(Duration);

impl Moment {
    /// The clock's beginning.
    pub const START: Self = Self(Duration::ZERO);

    /// The moment that many milliseconds after the clock's beginning; negative and non-finite
    /// readings count as the beginning.
    #[must_use]
    pub fn from_millis(millis: f64) -> Self {
        Self(Duration::try_from_secs_f64(millis / 1000.0).unwrap_or(Duration::ZERO))
    }

    /// Milliseconds since the clock's beginning.
    #[must_use]
    pub fn as_millis(self) -> f64 {
        self.0.as_secs_f64() * 1000.0
    }

    /// How long ago `earlier` was; zero when it is not earlier.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span))
    }
}

impl Sub<Duration> for Moment {
    type Output = Self;

    fn sub(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(span))
    }
}

/// What an earlier [`Moment`] would make of a span in milliseconds.
#[must_use]
pub fn millis(span: u64) -> Duration {
    Duration::from_millis(span)
}
