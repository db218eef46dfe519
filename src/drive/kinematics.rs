//! Stick to velocity (rule 5).
//!
//! Frame: the vehicle's body, REP-103; of a multirotor, which tilts, its heading. v is along x,
//! forward positive; ω about z, left positive.

use super::settings::{DriveSettings, Steering};
use super::stick::Deflection;
use crate::units::maths;

/// A velocity of a vehicle that goes along x and turns about z, and of one that flies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Velocity {
    /// m/s, forward positive.
    pub linear: f64,
    /// rad/s, left positive.
    pub angular: f64,
    /// m/s, left positive; of what flies only.
    pub left: f64,
    /// m/s, up positive; of what flies only.
    pub up: f64,
}

impl Velocity {
    /// A stop.
    pub const ZERO: Self = Self {
        linear: 0.0,
        angular: 0.0,
        left: 0.0,
        up: 0.0,
    };

    /// True for a stop; minus zero counts.
    #[must_use]
    pub fn is_zero(self) -> bool {
        let Self {
            linear,
            angular,
            left,
            up,
        } = self;
        [linear, angular, left, up].iter().all(|v| v.abs() <= 0.0)
    }

    /// Cut to a tenth of a millimetre per second, towards zero: short on the wire, and the same
    /// number when it comes back, whoever parsed it on the way.
    #[must_use]
    pub fn quantized(self) -> Self {
        self.each(|value| (value * 1e4).trunc() / 1e4)
    }

    /// All components scaled, so that the arc stays.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        self.each(|value| value * factor)
    }

    fn each(self, change: impl Fn(f64) -> f64) -> Self {
        Self {
            linear: change(self.linear),
            angular: change(self.angular),
            left: change(self.left),
            up: change(self.up),
        }
    }
}

/// The limits in force: the profile's, times the speed slider, under the cap of an unverified
/// vehicle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Forward, m/s.
    pub forward: f64,
    /// Reverse, m/s (a magnitude).
    pub reverse: f64,
    /// Turn, rad/s.
    pub angular: f64,
    /// To either side, m/s.
    pub sideways: f64,
    /// Up, m/s.
    pub climb: f64,
    /// Down, m/s (a magnitude).
    pub sink: f64,
}

impl Limits {
    /// From the profile, the slider (percent) and the cap, if any.
    #[must_use]
    pub fn new(settings: &DriveSettings, percent: f64, cap: Option<f64>) -> Self {
        let share = if percent.is_finite() {
            (percent / 100.0).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let cap = cap.unwrap_or(f64::INFINITY);
        Self {
            forward: (settings.max_linear.0 * share).min(cap),
            reverse: (settings.max_reverse.0 * share).min(cap),
            angular: settings.max_angular.0 * share,
            sideways: (settings.max_sideways.0 * share).min(cap),
            climb: (settings.max_climb.0 * share).min(cap),
            sink: (settings.max_sink.0 * share).min(cap),
        }
    }

    /// The limit in the direction of `linear`.
    #[must_use]
    pub fn linear(&self, linear: f64) -> f64 {
        if linear < 0.0 {
            self.reverse
        } else {
            self.forward
        }
    }
}

/// The velocity that shaped deflections ask for, within the limits and on the right arc. The second
/// pad is that of what flies.
#[must_use]
pub fn velocity(
    [stick, other]: [Deflection; 2],
    settings: &DriveSettings,
    limits: &Limits,
) -> Velocity {
    let linear = stick.forward * limits.linear(stick.forward);
    match settings.steering {
        Steering::Differential => Velocity {
            linear,
            angular: stick.left * limits.angular,
            ..Velocity::ZERO
        },
        Steering::Flight => Velocity {
            linear,
            angular: other.left * limits.angular,
            left: stick.left * limits.sideways,
            up: other.forward
                * if other.forward < 0.0 {
                    limits.sink
                } else {
                    limits.climb
                },
        },
        Steering::Ackermann => {
            let wheel = stick.left * settings.max_steer_deg.to_radians();
            // Front or rear axle steered: a stick to the left always turns the body to the left
            // going forward; which way the wheel itself turns is the vehicle's affair.
            let asked = Velocity {
                linear,
                angular: linear * maths::tan(wheel) / settings.wheelbase.0,
                ..Velocity::ZERO
            };
            let lateral = (asked.linear * asked.angular).abs();
            let turn = asked.angular.abs();
            let mut factor = 1.0_f64;
            if turn > limits.angular {
                factor = factor.min(limits.angular / turn);
            }
            if lateral > settings.lateral_acceleration {
                factor = factor.min((settings.lateral_acceleration / lateral).sqrt());
            }
            asked.scaled(factor)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ackermann() -> (DriveSettings, Limits) {
        let settings = DriveSettings::default();
        let limits = Limits::new(&settings, 100.0, None);
        (settings, limits)
    }

    fn stick(forward: f64, left: f64) -> [Deflection; 2] {
        [Deflection { forward, left }, Deflection::default()]
    }

    #[test]
    fn rule_5_an_ackermann_vehicle_does_not_turn_at_rest() {
        let (settings, limits) = ackermann();
        assert!(velocity(stick(0.0, 1.0), &settings, &limits).is_zero());
    }

    #[test]
    fn rule_5_omega_changes_sign_in_reverse() {
        let (settings, limits) = ackermann();
        assert!(velocity(stick(0.5, 0.5), &settings, &limits).angular > 0.0);
        assert!(velocity(stick(-0.5, 0.5), &settings, &limits).angular < 0.0);
    }

    #[test]
    fn rule_5_the_arc_is_that_of_the_wheel_angle() {
        let (settings, limits) = ackermann();
        let v = velocity(stick(1.0, 0.4), &settings, &limits);
        let radius = settings.wheelbase.0 / (0.4 * settings.max_steer_deg.to_radians()).tan();
        assert!((v.linear / v.angular - radius).abs() < 1e-9);
    }

    #[test]
    fn rule_5_a_differential_vehicle_turns_on_the_spot() {
        let (mut settings, limits) = ackermann();
        settings.steering = Steering::Differential;
        let v = velocity(stick(0.0, 1.0), &settings, &limits);
        assert!(v.linear.abs() < 1e-12 && (v.angular - 0.8).abs() < 1e-12);
    }

    #[test]
    fn rule_8_the_cap_of_an_unverified_vehicle_holds_at_full_stick() {
        let settings = DriveSettings::default();
        let limits = Limits::new(&settings, 100.0, Some(0.3));
        assert!((velocity(stick(1.0, 0.0), &settings, &limits).linear - 0.3).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn rule_4_no_stick_asks_for_more_than_the_limits(
            forward in -1.0..=1.0_f64, left in -1.0..=1.0_f64,
            max in 0.05..=3.0_f64, reverse in 0.05..=3.0_f64, turn in 0.05..=3.0_f64,
            percent in 10.0..=100.0_f64, steer in 1.0..=80.0_f64, base in 0.2..=10.0_f64,
            differential in any::<bool>()
        ) {
            let mut settings = DriveSettings::default();
            settings.max_linear.0 = max;
            settings.max_reverse.0 = reverse;
            settings.max_angular.0 = turn;
            settings.max_steer_deg.0 = steer;
            settings.wheelbase.0 = base;
            if differential { settings.steering = Steering::Differential; }
            let limits = Limits::new(&settings, percent, None);
            let v = velocity(stick(forward, left), &settings, &limits);
            let slack = 1.0 + 1e-9;
            prop_assert!(v.linear <= limits.forward * slack && v.linear >= -limits.reverse * slack);
            prop_assert!(v.angular.abs() <= limits.angular * slack);
            if settings.steering == Steering::Ackermann {
                prop_assert!((v.linear * v.angular).abs() <= settings.lateral_acceleration * slack);
            }
        }

        #[test]
        fn rule_4_no_pads_ask_a_multirotor_for_more_than_the_limits_of_each_axis(
            forward in -1.0..=1.0_f64, left in -1.0..=1.0_f64,
            up in -1.0..=1.0_f64, turn in -1.0..=1.0_f64,
            percent in 10.0..=100.0_f64, cap in proptest::option::of(0.05..=0.3_f64)
        ) {
            let settings = DriveSettings {
                steering: Steering::Flight,
                ..DriveSettings::default()
            };
            let limits = Limits::new(&settings, percent, cap);
            let pads = [Deflection { forward, left }, Deflection { forward: up, left: turn }];
            let v = velocity(pads, &settings, &limits);
            prop_assert!(v.linear <= limits.forward && v.linear >= -limits.reverse);
            prop_assert!(v.left.abs() <= limits.sideways && v.angular.abs() <= limits.angular);
            prop_assert!(v.up <= limits.climb && v.up >= -limits.sink);
            prop_assert!(v.linear.abs().max(v.left.abs()).max(v.up.abs()) <= cap.unwrap_or(0.5));
            prop_assert!(v.linear * forward >= 0.0 && v.left * left >= 0.0);
            prop_assert!(v.up * up >= 0.0 && v.angular * turn >= 0.0);
        }
    }
}
