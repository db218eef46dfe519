//! How a multirotor lies in the air, by its odometry.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::rosbridge::handle::{Handle, Handles};
use crate::rosbridge::session::{Session, Subscription};
use crate::units::Moment;

/// Milliseconds between two messages that the server is asked for.
const THROTTLE_MS: u32 = 100;

/// What was last told.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct FlightView {
    /// Right side down positive, degrees.
    pub roll_deg: f64,
    /// Nose down positive, degrees.
    pub pitch_deg: f64,
    /// Metres above the start.
    pub altitude: f64,
    /// m/s, up positive.
    pub climb: f64,
    /// Since it was received.
    pub age_ms: f64,
}

/// Listens to the odometry.
#[derive(Debug, Default)]
pub(super) struct Flight {
    topic: String,
    handle: Option<Handle>,
    told: Option<(FlightView, Moment)>,
}

impl Flight {
    /// Of that topic; empty: of none.
    pub(super) fn of(topic: &str) -> Self {
        Self {
            topic: topic.to_owned(),
            ..Self::default()
        }
    }

    /// Subscribes, once there is a connection to do it on.
    pub(super) fn follow(&mut self, handles: &mut Handles, session: &mut Session) {
        if !self.topic.is_empty() && self.handle.is_none() {
            let wanted = Subscription {
                throttle_ms: THROTTLE_MS,
                ..Subscription::newest(&self.topic, "nav_msgs/msg/Odometry")
            };
            self.handle = Some(handles.subscribe(wanted, session));
        }
    }

    pub(super) fn wants(&self, topic: &str) -> bool {
        self.topic == topic
    }

    /// Takes a message, if it is of its topic; one that makes no sense says nothing.
    pub(super) fn take(&mut self, topic: &str, msg: &Value, now: Moment) {
        if self.wants(topic)
            && let Some(view) = flight_of(msg)
        {
            self.told = Some((view, now));
        }
    }

    pub(super) fn view(&self, now: Moment) -> Option<FlightView> {
        self.told.map(|(view, at)| FlightView {
            age_ms: now.since(at).as_secs_f64() * 1000.0,
            ..view
        })
    }
}

fn flight_of(msg: &Value) -> Option<FlightView> {
    let pose = msg.get("pose")?.get("pose")?;
    let number = |of: &Value, key: &str| of.get(key)?.as_f64();
    let turned = pose.get("orientation")?;
    let q = ["x", "y", "z", "w"].map(|key| number(turned, key));
    let [Some(x), Some(y), Some(z), Some(w)] = q else {
        return None;
    };
    let length = x.hypot(y).hypot(z).hypot(w);
    if !(length.is_finite() && length > 1e-6) {
        return None;
    }
    let [x, y, z, w] = [x, y, z, w].map(|part| part / length);
    let upright = 1.0 - 2.0 * (x * x + y * y);
    let roll = (2.0 * (w * x + y * z)).atan2(upright);
    let pitch = (2.0 * (w * y - z * x)).clamp(-1.0, 1.0).asin();
    // The speed is told in the tilted body.
    let speed = msg.get("twist")?.get("twist")?.get("linear")?;
    let climb = 2.0 * (x * z - w * y) * number(speed, "x")?
        + 2.0 * (y * z + w * x) * number(speed, "y")?
        + upright * number(speed, "z")?;
    Some(FlightView {
        roll_deg: roll.to_degrees(),
        pitch_deg: pitch.to_degrees(),
        altitude: number(pose.get("position")?, "z")?,
        climb,
        age_ms: 0.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn odometry(orientation: [f64; 4], speed: [f64; 3]) -> Value {
        let [x, y, z, w] = orientation;
        let [forward, left, up] = speed;
        json!({
            "pose": {"pose": {
                "position": {"x": 1.0, "y": 2.0, "z": 3.5},
                "orientation": {"x": x, "y": y, "z": z, "w": w},
            }},
            "twist": {"twist": {"linear": {"x": forward, "y": left, "z": up}}},
        })
    }

    #[test]
    fn nose_down_and_right_side_down_are_positive_whatever_the_heading() {
        let half = 10.0_f64.to_radians() / 2.0;
        let pitched = flight_of(&odometry([0.0, half.sin(), 0.0, half.cos()], [0.0; 3])).unwrap();
        assert!((pitched.pitch_deg - 10.0).abs() < 1e-9 && pitched.roll_deg.abs() < 1e-9);
        assert!((pitched.altitude - 3.5).abs() < 1e-9);
        let rolled = flight_of(&odometry([half.sin(), 0.0, 0.0, half.cos()], [0.0; 3])).unwrap();
        assert!((rolled.roll_deg - 10.0).abs() < 1e-9);
        // Turned by 90 degrees first: z of the heading times the roll.
        let quarter = std::f64::consts::FRAC_1_SQRT_2;
        let turned = [
            half.sin() * quarter,
            half.sin() * quarter,
            half.cos() * quarter,
            half.cos() * quarter,
        ];
        let turned = flight_of(&odometry(turned, [0.0; 3])).unwrap();
        assert!((turned.roll_deg - 10.0).abs() < 1e-9 && turned.pitch_deg.abs() < 1e-9);
    }

    #[test]
    fn the_climb_of_a_tilted_body_is_along_the_vertical() {
        let half = 30.0_f64.to_radians() / 2.0;
        let down = [0.0, half.sin(), 0.0, half.cos()];
        // Level flight at 2 m/s with the nose down.
        let (sin, cos) = 30.0_f64.to_radians().sin_cos();
        let view = flight_of(&odometry(down, [2.0 * cos, 0.0, 2.0 * sin])).unwrap();
        assert!(view.climb.abs() < 1e-9, "{view:?}");
    }

    #[test]
    fn what_makes_no_sense_is_not_shown() {
        assert_eq!(flight_of(&odometry([0.0; 4], [0.0; 3])), None);
        assert_eq!(flight_of(&json!({"pose": {"pose": {}}})), None);
    }
}
