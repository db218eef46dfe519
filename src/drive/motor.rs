//! From a velocity to what a motor and a steered axle are told, for a vehicle that is driven by
//! its motor speed (rule 19).

use super::kinematics::Velocity;
use super::settings::{DriveSettings, SteeredAxle};

/// The motor speed for a speed of the vehicle, rpm, never negative: the gear has the direction.
#[must_use]
pub fn rpm_of(meters_per_second: f64, settings: &DriveSettings) -> f64 {
    meters_per_second.abs() / meters_per_second_per_rpm(settings)
}

/// The speed of the vehicle, m/s, for a motor speed in rpm.
#[must_use]
pub fn speed_of(rpm: f64, settings: &DriveSettings) -> f64 {
    rpm * meters_per_second_per_rpm(settings)
}

/// The wheel angle in degrees that drives on this arc, positive for a body that turns left going
/// forward as seen at the wheel: a rear axle turns the other way. `None` at rest, where any angle
/// does.
#[must_use]
pub fn wheel_angle_deg(velocity: Velocity, settings: &DriveSettings) -> Option<f64> {
    if velocity.linear.abs() < 1e-3 {
        return None;
    }
    let angle = (velocity.angular * settings.wheelbase.0 / velocity.linear).atan();
    Some(match settings.steered_axle {
        SteeredAxle::Front => angle.to_degrees(),
        SteeredAxle::Rear => -angle.to_degrees(),
    })
}

fn meters_per_second_per_rpm(settings: &DriveSettings) -> f64 {
    std::f64::consts::TAU * settings.wheel_radius.0 / (60.0 * settings.gear_ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::kinematics::{Limits, velocity};
    use crate::drive::stick::Deflection;
    use proptest::prelude::*;

    #[test]
    fn a_wheel_of_20_cm_behind_a_gear_of_40_turns_once_for_1_26_m() {
        let settings = DriveSettings::default();
        assert!((speed_of(6000.0, &settings) - std::f64::consts::PI).abs() < 1e-9);
        assert!((rpm_of(-0.5, &settings) - 954.93).abs() < 0.01);
    }

    #[test]
    fn at_rest_the_wheels_are_left_alone() {
        assert_eq!(
            wheel_angle_deg(Velocity::ZERO, &DriveSettings::default()),
            None
        );
    }

    proptest! {
        #[test]
        fn the_wheel_angle_is_the_one_that_the_stick_asked_for(
            forward in prop_oneof![-1.0..-0.1_f64, 0.1..1.0_f64], left in -1.0..1.0_f64, rear: bool
        ) {
            let mut settings = DriveSettings {
                lateral_acceleration: 100.0,
                ..DriveSettings::default()
            };
            if rear {
                settings.steered_axle = SteeredAxle::Rear;
            }
            let limits = Limits { angular: 100.0, ..Limits::new(&settings, 100.0, None) };
            let asked = velocity([Deflection { forward, left }, Deflection::default()], &settings, &limits);
            let wheel = wheel_angle_deg(asked, &settings).unwrap_or_default();
            let sign = if rear { -1.0 } else { 1.0 };
            prop_assert!((wheel * sign - left * settings.max_steer_deg.0).abs() < 1e-6);
        }
    }
}
