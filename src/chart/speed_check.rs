//! Is the reported speed in the unit that the profile says?
//!
//! The reported number (as it came, no unit applied) is held against the change of position in
//! m/s: a ratio near 1 means m/s, near 1.94 knots, near 3.6 km/h. Stretches of at least a second
//! and half a metre are compared while the quality is 4 or 5; the median of the last
//! [`STRETCHES`] decides, and nothing is said before there are as many.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::rtk::geo::distance_between_near;
use crate::rtk::settings::SpeedUnit;
use crate::units::Moment;

/// Stretches that are compared.
pub const STRETCHES: usize = 10;
/// How far from a unit's ratio still is near. The units are at least 46 % apart.
pub const TOLERANCE: f64 = 0.12;
/// Metres and seconds that make a stretch.
const STRETCH: (f64, f64) = (0.5, 1.0);
/// Seconds without a usable fix that end a stretch.
const GAP_S: f64 = 1.5;

/// What the comparison says.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub enum SpeedVerdict {
    /// Not driven far enough yet.
    #[default]
    Unknown,
    /// The unit of the profile fits.
    Fits,
    /// Another unit fits.
    LooksLike {
        /// The unit that fits.
        unit: SpeedUnit,
        /// Reported number over m/s by position.
        ratio: f64,
    },
    /// No unit fits.
    NoUnitFits {
        /// Reported number over m/s by position.
        ratio: f64,
    },
}

/// Compares.
#[derive(Debug, Clone, Default)]
pub struct SpeedCheck {
    stretch: Option<Stretch>,
    ratios: VecDeque<f64>,
}

#[derive(Debug, Clone, Copy)]
struct Stretch {
    from: (Moment, (f64, f64)),
    newest: (Moment, f64),
    /// Reported number times seconds.
    reported: f64,
}

impl SpeedCheck {
    /// A live fix of quality 4 or 5 came with this reported number.
    pub fn see(&mut self, position: (f64, f64), reported: f64, now: Moment) {
        let fresh = Stretch {
            from: (now, position),
            newest: (now, reported),
            reported: 0.0,
        };
        let Some(mut stretch) = self.stretch else {
            self.stretch = Some(fresh);
            return;
        };
        let step = now.since(stretch.newest.0).as_secs_f64();
        if step > GAP_S || !reported.is_finite() {
            self.stretch = reported.is_finite().then_some(fresh);
            return;
        }
        stretch.reported += (stretch.newest.1.abs() + reported.abs()) / 2.0 * step;
        stretch.newest = (now, reported);
        self.stretch = Some(stretch);
        if now.since(stretch.from.0).as_secs_f64() < STRETCH.1 {
            return;
        }
        let driven = distance_between_near(stretch.from.1, position);
        if driven >= STRETCH.0 {
            self.ratios.push_back(stretch.reported / driven);
            if self.ratios.len() > STRETCHES {
                self.ratios.pop_front();
            }
        }
        self.stretch = Some(fresh);
    }

    /// The fix was lost: no stretch spans that.
    pub fn break_off(&mut self) {
        self.stretch = None;
    }

    /// What the last stretches say of the profile's unit.
    #[must_use]
    pub fn verdict(&self, profile: SpeedUnit) -> SpeedVerdict {
        if self.ratios.len() < STRETCHES {
            return SpeedVerdict::Unknown;
        }
        let mut sorted: Vec<f64> = self.ratios.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let ratio = sorted[sorted.len() / 2];
        let units = [
            SpeedUnit::MetersPerSecond,
            SpeedUnit::KilometersPerHour,
            SpeedUnit::Knots,
        ];
        let fitting = units
            .into_iter()
            .find(|unit| (ratio * unit.in_meters_per_second() - 1.0).abs() <= TOLERANCE);
        match fitting {
            Some(unit) if unit == profile => SpeedVerdict::Fits,
            Some(unit) => SpeedVerdict::LooksLike { unit, ratio },
            None => SpeedVerdict::NoUnitFits { ratio },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtk::geo::LocalFrame;
    use crate::units::millis;

    fn drive(factor: f64, speed: f64) -> SpeedCheck {
        let frame = LocalFrame::around((31.2, 121.5));
        let mut check = SpeedCheck::default();
        for step in 0..200_u32 {
            let meters = f64::from(step) * 0.1 * speed;
            let now = Moment::START + millis(u64::from(step) * 100);
            check.see(
                frame.lat_lon_from_east_north((0.0, meters)),
                speed * factor,
                now,
            );
        }
        check
    }

    #[test]
    fn a_ratio_near_3_6_or_1_94_is_said() {
        for (factor, unit) in [
            (1.0, SpeedUnit::MetersPerSecond),
            (3.6, SpeedUnit::KilometersPerHour),
            (1.9438, SpeedUnit::Knots),
        ] {
            let check = drive(factor * 1.05, 1.0);
            assert_eq!(check.verdict(unit), SpeedVerdict::Fits);
            for other in [
                SpeedUnit::MetersPerSecond,
                SpeedUnit::KilometersPerHour,
                SpeedUnit::Knots,
            ] {
                if other != unit {
                    let verdict = check.verdict(other);
                    assert!(
                        matches!(verdict, SpeedVerdict::LooksLike { unit: said, .. } if said == unit),
                        "{factor}: {verdict:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_standing_vehicle_proves_nothing() {
        let check = drive(3.6, 0.0);
        assert_eq!(
            check.verdict(SpeedUnit::MetersPerSecond),
            SpeedVerdict::Unknown
        );
    }

    #[test]
    fn nonsense_is_called_no_unit() {
        let verdict = drive(0.1, 1.0).verdict(SpeedUnit::MetersPerSecond);
        assert!(matches!(verdict, SpeedVerdict::NoUnitFits { .. }));
    }
}
