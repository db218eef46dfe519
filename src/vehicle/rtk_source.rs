//! `/rtk_message`: where the vehicle is, as an RTK receiver with two antennas would say it.
//!
//! Positions are local metres east and north of the start, turned into WGS84 degrees by the radii
//! of curvature of the ellipsoid at the start,
//! `lat = lat₀ + n / M`, `lon = lon₀ + e / (N · cos lat₀)` with
//! `M = a(1 − e²) / (1 − e² sin² lat₀)^{3/2}` and `N = a / (1 − e² sin² lat₀)^{1/2}`,
//! which is good to a millimetre within a kilometre of the start.
//!
//! The noise is that of a fixed solution: 4 mm that wander over 20 s and 1 mm from fix to fix,
//! 0.1° of heading, a few mm/s of speed. A standing vehicle's fix is therefore never twice the
//! same; one that is shows a frozen receiver.

use serde::{Deserialize, Serialize};

use super::chassis::Motion;
use super::json::Json;
use crate::ros::conventions;

/// WGS84: semi-major axis, m, and first eccentricity squared.
const SEMI_MAJOR: f64 = 6_378_137.0;
const ECCENTRICITY_SQUARED: f64 = 6.694_379_990_14e-3;

/// Seconds between two fixes.
const INTERVAL: f64 = 0.1;
/// The wandering error of the position, m, and how long it takes to wander.
const DRIFT: f64 = 0.004;
const DRIFT_SECONDS: f64 = 20.0;
/// The error from fix to fix, m.
const JITTER: f64 = 0.001;
/// Degrees.
const HEADING_DRIFT: f64 = 0.08;
const HEADING_DRIFT_SECONDS: f64 = 5.0;
const HEADING_JITTER: f64 = 0.05;
/// m/s; the noise is cut at three times this, under 0.02 m/s.
const SPEED_JITTER: f64 = 0.005;

/// A place on the ellipsoid, degrees.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Geographic {
    /// North positive.
    pub lat: f64,
    /// East positive.
    pub lon: f64,
}

/// The place so many metres east and north of an origin.
#[must_use]
pub fn geographic_from_local(origin: Geographic, east: f64, north: f64) -> Geographic {
    let latitude = origin.lat.to_radians();
    let flat = 1.0 - ECCENTRICITY_SQUARED * latitude.sin().powi(2);
    let meridian = SEMI_MAJOR * (1.0 - ECCENTRICITY_SQUARED) / flat.powf(1.5);
    let parallel = SEMI_MAJOR / flat.sqrt() * latitude.cos();
    Geographic {
        lat: origin.lat + (north / meridian).to_degrees(),
        lon: origin.lon + (east / parallel).to_degrees(),
    }
}

/// What the receiver does; other than [`RtkMode::Ok`] are the faults that a console must stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RtkMode {
    /// Good fixes.
    #[default]
    Ok,
    /// Position, heading and speed are NaN, which reach the client as `null`.
    Null,
    /// The same as bare `NaN` tokens: frames that are not JSON.
    Nan,
    /// The last fix again and again, bit for bit.
    Frozen,
    /// No messages.
    Silent,
}

/// The receiver.
#[derive(Debug, Clone)]
pub struct RtkSource {
    origin: Geographic,
    random: fastrand::Rng,
    drift: [f64; 2],
    heading_drift: f64,
    mode: RtkMode,
    quality: (i32, i32),
    last: Option<Json>,
}

impl RtkSource {
    /// A receiver on a vehicle whose local origin is there.
    #[must_use]
    pub fn new(origin: Geographic, seed: u64) -> Self {
        Self {
            origin,
            random: fastrand::Rng::with_seed(seed),
            drift: [0.0; 2],
            heading_drift: 0.0,
            mode: RtkMode::Ok,
            quality: (4, 4),
            last: None,
        }
    }

    /// Sets what the receiver does.
    pub fn set_mode(&mut self, mode: RtkMode) {
        self.mode = mode;
    }

    /// What the receiver does.
    #[must_use]
    pub fn mode(&self) -> RtkMode {
        self.mode
    }

    /// Sets the qualities of position and heading (4 is fixed).
    pub fn set_quality(&mut self, position: i32, heading: i32) {
        self.quality = (position, heading);
    }

    /// The next message; to be asked for every 0.1 s. None when the receiver is silent.
    #[must_use]
    pub fn next_message(&mut self, truth: Motion) -> Option<Json> {
        match self.mode {
            RtkMode::Silent => return None,
            RtkMode::Frozen if self.last.is_some() => return self.last.clone(),
            RtkMode::Ok | RtkMode::Null | RtkMode::Nan | RtkMode::Frozen => {}
        }
        for axis in 0..2 {
            let noise = self.gaussian();
            if let Some(drift) = self.drift.get_mut(axis) {
                *drift = wander(*drift, DRIFT, DRIFT_SECONDS, noise);
            }
        }
        let noise = self.gaussian();
        self.heading_drift = wander(
            self.heading_drift,
            HEADING_DRIFT,
            HEADING_DRIFT_SECONDS,
            noise,
        );
        let east = truth.x + self.drift[0] + self.gaussian() * JITTER;
        let north = truth.y + self.drift[1] + self.gaussian() * JITTER;
        let place = geographic_from_local(self.origin, east, north);
        let heading = (conventions::heading_from_yaw(truth.yaw)
            + self.heading_drift
            + self.gaussian() * HEADING_JITTER)
            .rem_euclid(360.0);
        // A receiver measures how fast it goes, not whether forward.
        let speed = (truth.speed + self.gaussian() * SPEED_JITTER).abs();
        let is_broken = matches!(self.mode, RtkMode::Null | RtkMode::Nan);
        let number = |value: f64| if is_broken { f64::NAN } else { value };
        let message = Json::object([
            ("lat", number(place.lat).into()),
            ("lon", number(place.lon).into()),
            ("head", narrow(number(heading))),
            ("speed", narrow(number(speed))),
            ("p_quality", self.quality.0.into()),
            ("h_quality", self.quality.1.into()),
        ]);
        self.last = Some(message.clone());
        Some(message)
    }

    /// Roughly normal, never beyond 3: the sum of twelve even numbers, cut.
    fn gaussian(&mut self) -> f64 {
        let sum: f64 = (0..12).map(|_| self.random.f64()).sum();
        (sum - 6.0).clamp(-3.0, 3.0)
    }
}

/// One step of a first-order Gauss–Markov process.
fn wander(value: f64, deviation: f64, seconds: f64, noise: f64) -> f64 {
    let keep = (-INTERVAL / seconds).exp();
    value * keep + noise * deviation * (1.0 - keep * keep).sqrt()
}

#[expect(clippy::cast_possible_truncation, reason = "the field is a float32")]
fn narrow(value: f64) -> Json {
    let narrow = value as f32;
    // A heading just under 360 may round up to it.
    if narrow >= 360.0 {
        Json::from(0.0_f32)
    } else {
        Json::from(narrow)
    }
}
