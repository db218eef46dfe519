//! The pad: dead zone and expo, and where a press may begin.

use serde::{Deserialize, Serialize};

/// A press starts a drive only when it begins within this share of the radius: a thumb that lands
/// on the rim would otherwise begin at full speed.
pub const HUB_RADIUS: f64 = 0.4;

/// One contact on a pad, in pad units: the radius is 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct StickInput {
    /// Counts presses; a new contact has a new number.
    pub press: u32,
    /// Distance from the centre at which the contact began; of several the greatest.
    pub start_radius: f64,
    /// Forward is positive, −1…1.
    pub forward: f64,
    /// Left is positive, −1…1.
    pub left: f64,
    /// Of a multirotor's other pad: up is positive, −1…1.
    pub up: f64,
    /// Of a multirotor's other pad: a turn to the left is positive, −1…1.
    pub turn: f64,
}

impl StickInput {
    /// The pad that drives, and a multirotor's other pad: its forward is up, its left a turn.
    #[must_use]
    pub fn deflections(&self) -> [Deflection; 2] {
        [
            Deflection::sanitized(self.forward, self.left),
            Deflection::sanitized(self.up, self.turn),
        ]
    }
}

/// A deflection in pad units, each −1…1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Deflection {
    /// Forward positive.
    pub forward: f64,
    /// Left positive.
    pub left: f64,
}

impl Deflection {
    /// What the page reported, made harmless: non-finite is neutral, beyond the rim is the rim.
    #[must_use]
    pub fn sanitized(forward: f64, left: f64) -> Self {
        if !forward.is_finite() || !left.is_finite() {
            return Self::default();
        }
        let length = forward.hypot(left).max(1.0);
        Self {
            forward: forward / length,
            left: left / length,
        }
    }

    /// True when both axes are inside the dead zone.
    #[must_use]
    pub fn is_neutral(self, deadzone: f64) -> bool {
        self.forward.abs() <= deadzone && self.left.abs() <= deadzone
    }

    /// Dead zone and expo, each axis by itself: straight ahead stays straight although the thumb
    /// is not quite straight, and full deflection stays full.
    #[must_use]
    pub fn shaped(self, deadzone: f64, expo: f64) -> Self {
        Self {
            forward: shape(self.forward, deadzone, expo),
            left: shape(self.left, deadzone, expo),
        }
    }
}

fn shape(value: f64, deadzone: f64, expo: f64) -> f64 {
    let beyond = ((value.abs() - deadzone) / (1.0 - deadzone)).clamp(0.0, 1.0);
    ((1.0 - expo) * beyond + expo * beyond.powi(3)).copysign(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_dead_zone_is_zero_and_its_edge_is_continuous() {
        assert!(shape(0.08, 0.08, 0.3).abs() < 1e-12);
        assert!(shape(0.0801, 0.08, 0.3) < 1e-3);
        assert!((shape(-1.0, 0.08, 0.3) + 1.0).abs() < 1e-12);
    }

    #[test]
    fn expo_makes_small_deflections_smaller() {
        assert!(shape(0.5, 0.08, 0.3) < shape(0.5, 0.08, 0.0));
    }

    #[test]
    fn nonsense_is_neutral() {
        assert_eq!(Deflection::sanitized(f64::NAN, 1.0), Deflection::default());
        assert_eq!(
            Deflection::sanitized(1.0, f64::INFINITY),
            Deflection::default()
        );
    }

    proptest! {
        #[test]
        fn shaping_keeps_sign_range_and_order(
            a in -1.0..=1.0_f64, b in -1.0..=1.0_f64, deadzone in 0.0..=0.4_f64, expo in 0.0..=1.0_f64
        ) {
            let (sa, sb) = (shape(a, deadzone, expo), shape(b, deadzone, expo));
            prop_assert!(sa.abs() <= 1.0 && sa * a >= 0.0);
            prop_assert!((a < b) <= (sa <= sb));
        }

        #[test]
        fn a_sanitized_deflection_is_inside_the_circle(f in any::<f64>(), l in any::<f64>()) {
            let d = Deflection::sanitized(f, l);
            prop_assert!(d.forward.hypot(d.left) <= 1.0 + 1e-12);
        }
    }
}
