//! What the vehicle is seen to be told: the published commands as they come back from its
//! rosbridge, whoever sent them. What a console hopes to have sent counts for nothing here, and
//! what was told too long ago is not known any more.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::drive::kinematics::Velocity;
use crate::drive::motor::speed_of;
use crate::drive::settings::{DriveSettings, SteeredAxle, Via};
use crate::tools::commissioning::Commissioned;
use crate::tools::settings::ToolsSettings;
use crate::units::Moment;

/// McCtrl comes ten times a second while the tools are on; silence says nothing of the brush.
const BRUSH_KNOWN_FOR: Duration = Duration::from_millis(1000);
/// Velocities come twenty times a second while somebody drives.
const VELOCITY_KNOWN_FOR: Duration = Duration::from_millis(500);

/// What is known of the brush.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Brush {
    /// Nothing was published lately.
    #[default]
    Unknown,
    /// Published off.
    Off,
    /// Published on: it turns, if the vehicle obeys; whether the deck is down nobody reports.
    On,
}

/// What wheel angles on McCtrl mean on this vehicle.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Wheels {
    /// The sign of an angle that turns the body to the left going forward.
    pub left: f64,
    /// The angle at which they are straight, degrees.
    pub middle_deg: f64,
}

impl Wheels {
    /// As it was found out on the vehicle, and for the rest as its profile has it.
    #[must_use]
    pub fn of(found: &Commissioned, profile: &ToolsSettings) -> Self {
        let found = found.over(&profile.polarity);
        Self {
            left: found.steering_sign().unwrap_or(profile.steering_sign),
            middle_deg: found.trim_deg(),
        }
    }
}

impl Default for Wheels {
    fn default() -> Self {
        Self {
            left: 1.0,
            middle_deg: 0.0,
        }
    }
}

/// The newest of what was published.
#[derive(Debug, Clone, Default)]
pub struct Told {
    velocity: Option<(Moment, Velocity)>,
    brush: Option<(Moment, bool)>,
}

impl Told {
    /// A message on the velocity topic, of either type; one of another shape tells nothing.
    pub fn velocity(&mut self, msg: &Value, now: Moment) {
        let twist = msg.get("twist").unwrap_or(msg);
        let linear = twist.pointer("/linear/x").and_then(Value::as_f64);
        let angular = twist.pointer("/angular/z").and_then(Value::as_f64);
        if let (Some(linear), Some(angular)) = (linear, angular) {
            let velocity = Velocity {
                linear,
                angular,
                ..Velocity::ZERO
            };
            self.velocity = Some((now, velocity));
        }
    }

    /// A message on McCtrl; one of another shape tells nothing.
    pub fn mc_ctrl(&mut self, msg: &Value, drive: &DriveSettings, wheels: Wheels, now: Moment) {
        let number = |name: &str| msg.get(name).and_then(Value::as_f64);
        if let (Some(direction), Some(duty)) = (
            number("roll_brush_suction_direction"),
            number("roll_brush_suction"),
        ) {
            self.brush = Some((now, direction > 0.0 && duty > 0.0));
        }
        if drive.via == Via::McCtrl
            && let (Some(gear), Some(rpm), Some(angle)) =
                (number("gear"), number("rpm"), number("angle"))
        {
            let sign = [0.0, 1.0, -1.0].get(gear as usize).copied();
            let linear = sign.unwrap_or_default() * speed_of(rpm, drive);
            let axle = match drive.steered_axle {
                SteeredAxle::Front => wheels.left,
                SteeredAxle::Rear => -wheels.left,
            };
            let turned = (axle * (angle - wheels.middle_deg)).to_radians();
            let angular = linear * turned.tan() / drive.wheelbase.0;
            let velocity = Velocity {
                linear,
                angular,
                ..Velocity::ZERO
            };
            self.velocity = Some((now, velocity));
        }
    }

    /// The brush.
    #[must_use]
    pub fn brush(&self, now: Moment) -> Brush {
        match self.brush {
            Some((at, is_on)) if now.since(at) <= BRUSH_KNOWN_FOR => {
                if is_on {
                    Brush::On
                } else {
                    Brush::Off
                }
            }
            _ => Brush::Unknown,
        }
    }

    /// The velocity that is commanded now; nothing told lately is a stop.
    #[must_use]
    pub fn commanded(&self, now: Moment) -> Velocity {
        self.velocity
            .filter(|(at, _)| now.since(*at) <= VELOCITY_KNOWN_FOR)
            .map_or(Velocity::ZERO, |(_, velocity)| velocity)
    }

    /// The connection is gone: nothing is known any more.
    pub fn forget(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::commissioning::Item;
    use crate::units::millis;
    use serde_json::json;

    #[test]
    fn the_brush_is_on_only_by_a_recent_message_that_says_so() {
        let drive = DriveSettings::default();
        let mut told = Told::default();
        let now = Moment::START;
        assert_eq!(told.brush(now), Brush::Unknown);
        let message = |direction: u8, duty: u8| json!({"roll_brush_suction_direction": direction, "roll_brush_suction": duty});
        for (direction, duty, brush) in [
            (1, 60, Brush::On),
            (2, 60, Brush::On),
            (0, 60, Brush::Off),
            (1, 0, Brush::Off),
        ] {
            told.mc_ctrl(&message(direction, duty), &drive, Wheels::default(), now);
            assert_eq!(told.brush(now), brush);
        }
        told.mc_ctrl(&message(1, 60), &drive, Wheels::default(), now);
        told.mc_ctrl(
            &json!({"brake": 1}),
            &drive,
            Wheels::default(),
            now + millis(900),
        );
        assert_eq!(told.brush(now + millis(1000)), Brush::On);
        assert_eq!(told.brush(now + millis(1001)), Brush::Unknown);
        told.mc_ctrl(&message(1, 60), &drive, Wheels::default(), now);
        told.forget();
        assert_eq!(told.brush(now), Brush::Unknown);
    }

    #[test]
    fn a_velocity_holds_for_half_a_second_whoever_sent_it_and_in_both_types() {
        let mut told = Told::default();
        let now = Moment::START;
        told.velocity(&json!({"linear": {"x": 0.4}, "angular": {"z": -0.2}}), now);
        let asked = told.commanded(now + millis(500));
        assert!((asked.linear - 0.4).abs() < 1e-9 && (asked.angular + 0.2).abs() < 1e-9);
        assert!(told.commanded(now + millis(501)).is_zero());
        let stamped = json!({"header": {}, "twist": {"linear": {"x": 0.1}, "angular": {"z": 0.0}}});
        told.velocity(&stamped, now);
        told.velocity(&json!({"linear": null}), now);
        assert!((told.commanded(now).linear - 0.1).abs() < 1e-9);
    }

    #[test]
    fn what_was_found_out_about_the_wheels_wins_over_the_profile() {
        let profile = ToolsSettings {
            steering_sign: -1.0,
            steering_trim_deg: 1.4,
            polarity: Commissioned::stated([0; 5], 1.4),
            ..ToolsSettings::default()
        };
        let mut found = Commissioned::default();
        let of_profile = Wheels::of(&found, &profile);
        assert_eq!((of_profile.left, of_profile.middle_deg), (-1.0, 1.4));
        found.found(Item::Steering, true);
        found.trim(-10);
        let wheels = Wheels::of(&found, &profile);
        assert!((wheels.left - 1.0).abs() < 1e-9 && (wheels.middle_deg + 2.0).abs() < 1e-9);
    }

    #[test]
    fn by_mc_ctrl_the_velocity_is_that_of_motor_gear_and_wheels() {
        let drive = DriveSettings {
            via: Via::McCtrl,
            ..DriveSettings::default()
        };
        let mut told = Told::default();
        let now = Moment::START;
        let message = |gear: u8, angle: f64| json!({"gear": gear, "rpm": 955, "angle": angle});
        told.mc_ctrl(&message(1, 20.0), &drive, Wheels::default(), now);
        let forward = told.commanded(now);
        assert!((forward.linear - 0.5).abs() < 1e-3 && forward.angular > 0.0);
        told.mc_ctrl(&message(2, 20.0), &drive, Wheels::default(), now);
        assert!((told.commanded(now).linear + 0.5).abs() < 1e-3);
        assert!(
            told.commanded(now).angular < 0.0,
            "backwards it turns the other way"
        );
        let other = Wheels {
            left: -1.0,
            middle_deg: 4.0,
        };
        told.mc_ctrl(&message(1, 20.0), &drive, other, now);
        assert!(told.commanded(now).angular < 0.0, "the other sign");
        told.mc_ctrl(&message(1, 4.0), &drive, other, now);
        assert!(
            told.commanded(now).angular.abs() < 1e-9,
            "straight is where the wheels were found to be"
        );
        told.mc_ctrl(&message(0, 20.0), &drive, Wheels::default(), now);
        assert!(told.commanded(now).is_zero());
        let by_velocity = DriveSettings::default();
        told.mc_ctrl(&message(1, 20.0), &by_velocity, Wheels::default(), now);
        assert!(
            told.commanded(now).is_zero(),
            "McCtrl's rpm is nothing there"
        );
    }
}
