//! Commands as the vehicle's own definitions want them.
//!
//! rosbridge drops a message with an unknown field, and a `TwistStamped` where a `Twist` is meant.
//! So the type of each command topic is asked from the vehicle, and what is sent follows it.

use serde_json::{Value, json};

use super::intent::Found;
use crate::drive::kinematics::Velocity;
use crate::msgs::difference::{differences, is_number};
use crate::msgs::geometry::{Twist, TwistStamped, Vector3};
use crate::msgs::mavros::AttitudeTarget;
use crate::msgs::std_msgs::Time;
use crate::msgs::sweeper::McCtrl;
use crate::msgs::{Message, normalized_type};
use crate::reason::Reason;
use crate::tools::field::ToolField;
use crate::units::maths;

/// How velocity goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VelocityType {
    /// `geometry_msgs/msg/Twist`.
    Twist,
    /// `geometry_msgs/msg/TwistStamped`.
    Stamped,
}

impl VelocityType {
    /// The type of that ROS name, in either spelling.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match normalized_type(name).as_str() {
            Twist::TYPE => Some(Self::Twist),
            TwistStamped::TYPE => Some(Self::Stamped),
            _ => None,
        }
    }

    /// The ROS name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Twist => Twist::TYPE,
            Self::Stamped => TwistStamped::TYPE,
        }
    }

    fn fields(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Twist => &Twist::FIELDS,
            Self::Stamped => &TwistStamped::FIELDS,
        }
    }

    /// The message; `unix_ms` is the time in the vehicle's clock as far as it is known.
    #[must_use]
    pub fn message(self, velocity: Velocity, unix_ms: f64) -> Value {
        let twist = json!({
            "linear": {"x": velocity.linear, "y": velocity.left, "z": velocity.up},
            "angular": {"x": 0.0, "y": 0.0, "z": velocity.angular},
        });
        match self {
            Self::Twist => twist,
            Self::Stamped => {
                let Time { sec, nanosec } = time(unix_ms);
                let stamp = json!({"sec": sec, "nanosec": nanosec});
                json!({"header": {"stamp": stamp, "frame_id": "base_link"}, "twist": twist})
            }
        }
    }

    /// The velocity of a message on the topic; `None` when it has another shape.
    #[must_use]
    pub fn read(self, msg: &Value) -> Option<Twist> {
        let twist = match self {
            Self::Twist => msg,
            Self::Stamped => msg.get("twist")?,
        };
        let vector = |name: &str| {
            let vector = twist.get(name)?;
            let along = |axis: &str| vector.get(axis)?.as_f64();
            Some(Vector3 {
                x: along("x")?,
                y: along("y")?,
                z: along("z")?,
            })
        };
        Some(Twist {
            linear: vector("linear")?,
            angular: vector("angular")?,
        })
    }
}

/// The message of that velocity, as it is echoed.
#[must_use]
pub fn twist_of(velocity: Velocity) -> Twist {
    let mut twist = Twist::planar(velocity.linear, velocity.angular);
    (twist.linear.y, twist.linear.z) = (velocity.left, velocity.up);
    twist
}

/// An attitude with a rate of turn, as it is sent and echoed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attitude {
    /// Body to heading: x, y, z, w.
    orientation: [f64; 4],
    /// rad/s, left positive.
    turn: f64,
    mask: u64,
}

impl Attitude {
    /// Roll and pitch in radians relative to the heading, and a rate of turn.
    #[must_use]
    pub fn level_turned(roll: f64, pitch: f64, turn: f64) -> Self {
        let half = |angle: f64| (maths::sin(angle / 2.0), maths::cos(angle / 2.0));
        let ((sr, cr), (sp, cp)) = (half(roll), half(pitch));
        // Cut as velocities are, so that it comes back as it was.
        let cut = |value: f64| (value * 1e6).trunc() / 1e6;
        Self {
            orientation: [sr * cp, cr * sp, -sr * sp, cr * cp].map(cut),
            turn,
            mask: AttitudeTarget::CONSOLE_MASK,
        }
    }

    /// Level, the heading held and no thrust of its own: it ends every motion.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        let [x, y, z, _] = self.orientation;
        [x, y, z, self.turn].iter().all(|v| v.abs() <= 0.0)
            && self.mask & AttitudeTarget::IGNORE_THRUST != 0
    }

    /// The message; `unix_ms` is the time in the vehicle's clock as far as it is known.
    #[must_use]
    pub fn message(&self, unix_ms: f64) -> Value {
        let Time { sec, nanosec } = time(unix_ms);
        let [x, y, z, w] = self.orientation;
        json!({
            "header": {"stamp": {"sec": sec, "nanosec": nanosec}, "frame_id": "base_link"},
            "type_mask": self.mask,
            "orientation": {"x": x, "y": y, "z": z, "w": w},
            "body_rate": {"x": 0.0, "y": 0.0, "z": self.turn},
            "thrust": 0.0,
        })
    }
}

/// A message on the attitude topic; `None` when it has another shape.
#[must_use]
pub fn read_attitude(msg: &Value) -> Option<Attitude> {
    let orientation = msg.get("orientation")?;
    let along = |axis: &str| orientation.get(axis)?.as_f64();
    Some(Attitude {
        orientation: [along("x")?, along("y")?, along("z")?, along("w")?],
        turn: msg.get("body_rate")?.get("z")?.as_f64()?,
        mask: msg.get("type_mask")?.as_u64()?,
    })
}

/// The velocity type to use, or why there is none.
///
/// # Errors
/// [`Reason::TypesUnknown`] when the vehicle has not told and `accept_assumed` is false;
/// [`Reason::TypeConflict`] when it told a type that is no velocity, or one of that name with other
/// fields, which the reason names.
pub fn velocity_type(
    found: &Found,
    topic: &str,
    assumed: &str,
    accept_assumed: bool,
) -> Result<VelocityType, Reason> {
    let conflict = |name: &str| Reason::TypeConflict {
        topic: topic.into(),
        found: name.into(),
    };
    match found {
        Found::Type { name, fields } => {
            let kind = VelocityType::from_name(name).ok_or_else(|| conflict(name))?;
            if fields.is_empty() {
                return Ok(kind);
            }
            let bad: Vec<String> = differences(kind.fields(), fields)
                .into_iter()
                .map(|difference| difference.name)
                .collect();
            if bad.is_empty() {
                return Ok(kind);
            }
            Err(conflict(&format!("{name} ({})", bad.join(", "))))
        }
        Found::Unasked | Found::NoAnswer | Found::Absent if accept_assumed => {
            VelocityType::from_name(assumed).ok_or_else(|| conflict(assumed))
        }
        Found::Unasked | Found::NoAnswer | Found::Absent => Err(Reason::TypesUnknown),
    }
}

/// Whether the attitude topic is what it should be.
///
/// # Errors
/// As for [`velocity_type`].
pub fn attitude_type(found: &Found, topic: &str, accept_assumed: bool) -> Result<(), Reason> {
    match found {
        Found::Type { name, fields } => {
            let fits = fields.is_empty() || differences(&AttitudeTarget::FIELDS, fields).is_empty();
            if fits && normalized_type(name) == AttitudeTarget::TYPE {
                return Ok(());
            }
            Err(Reason::TypeConflict {
                topic: topic.into(),
                found: name.clone(),
            })
        }
        _ if accept_assumed => Ok(()),
        _ => Err(Reason::TypesUnknown),
    }
}

/// The McCtrl type to use, or why there is none.
///
/// # Errors
/// As for [`velocity_type`]; a definition without a brake, with a field that this console does not
/// know, or with one that is not a number, is a conflict.
pub fn mc_ctrl_type(
    found: &Found,
    topic: &str,
    assumed: &str,
    accept_assumed: bool,
) -> Result<String, Reason> {
    match found {
        Found::Type { name, fields } => {
            let is_known = |field: &str| ToolField::ALL.iter().any(|f| f.wire_name() == field);
            let mut bad: Vec<&str> = fields
                .iter()
                .filter(|(field, kind)| !is_known(field) || !is_number(kind))
                .map(|(field, _)| field.as_str())
                .collect();
            let brake = ToolField::Brake.wire_name();
            if !fields.is_empty() && !fields.iter().any(|(field, _)| field == brake) {
                bad.push("no brake");
            }
            if bad.is_empty() {
                return Ok(normalized_type(name));
            }
            Err(Reason::TypeConflict {
                topic: topic.into(),
                found: format!("{name} ({})", bad.join(", ")),
            })
        }
        _ if accept_assumed => Ok(normalized_type(assumed)),
        _ => Err(Reason::TypesUnknown),
    }
}

/// The message with just the fields of the definition, where it is known.
#[must_use]
pub fn mc_ctrl_message(message: &McCtrl, found: &Found) -> Value {
    let is_there = |name: &str| match found {
        Found::Type { fields, .. } if !fields.is_empty() => {
            fields.iter().any(|(field, _)| field == name)
        }
        _ => true,
    };
    let number = |field: ToolField| match field {
        // The shortest text of the step that is meant: 12.4, not 12.399999618530273.
        ToolField::Angle => json!((f64::from(message.angle) * 1000.0).round() / 1000.0),
        whole => json!(message.value(whole) as i64),
    };
    let fields = ToolField::ALL
        .into_iter()
        .filter(|field| is_there(field.wire_name()));
    Value::Object(
        fields
            .map(|field| (field.wire_name().to_owned(), number(field)))
            .collect(),
    )
}

/// A message on the McCtrl topic as far as its fields are ours: what is missing is zero, as
/// rosbridge fills it; `None` when a field has a value that this console cannot hold.
#[must_use]
pub fn read_mc_ctrl(msg: &Value) -> Option<McCtrl> {
    let values = msg.as_object()?;
    let mut message = McCtrl {
        brake: 0,
        angle_speed: 0,
        ..McCtrl::SAFE
    };
    for field in ToolField::ALL {
        if let Some(value) = values.get(field.wire_name()) {
            message.set(field, value.as_f64()?)?;
        }
    }
    Some(message)
}

fn time(unix_ms: f64) -> Time {
    let seconds = (unix_ms / 1000.0).floor();
    let nanosec = ((unix_ms / 1000.0 - seconds) * 1e9).clamp(0.0, 999_999_999.0);
    Time {
        sec: seconds as i32,
        nanosec: nanosec as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mc_ctrl_definition(rpm: &str) -> Found {
        let fields = ToolField::ALL.iter().map(|field| {
            let kind = if *field == ToolField::Rpm {
                rpm
            } else {
                field.documented_type().ros_name()
            };
            (field.wire_name().to_owned(), kind.to_owned())
        });
        Found::Type {
            name: "sweeper_msgs/msg/McCtrl".into(),
            fields: fields.collect(),
        }
    }

    #[test]
    fn velocity_follows_the_type_that_the_vehicle_has() {
        let stamped = Found::Type {
            name: "geometry_msgs/TwistStamped".into(),
            fields: Vec::new(),
        };
        let kind = velocity_type(&stamped, "/cmd_vel", Twist::TYPE, false).unwrap();
        let message = kind.message(
            Velocity {
                linear: 0.5,
                angular: 0.1,
                ..Velocity::ZERO
            },
            1_700_000_000_250.0,
        );
        assert_eq!(message["header"]["stamp"]["sec"], 1_700_000_000);
        assert_eq!(message["header"]["stamp"]["nanosec"], 250_000_000);
        assert_eq!(message["twist"]["linear"]["x"], 0.5);
        assert_eq!(kind.read(&message), Some(Twist::planar(0.5, 0.1)));
    }

    #[test]
    fn a_type_that_is_not_told_is_not_assumed_without_a_confirmation() {
        let told = velocity_type(&Found::NoAnswer, "/cmd_vel", Twist::TYPE, false);
        assert_eq!(told, Err(Reason::TypesUnknown));
        let confirmed = velocity_type(&Found::NoAnswer, "/cmd_vel", Twist::TYPE, true);
        assert_eq!(confirmed, Ok(VelocityType::Twist));
    }

    #[test]
    fn a_foreign_type_on_the_velocity_topic_is_a_conflict_that_names_it() {
        let joy = Found::Type {
            name: "sensor_msgs/msg/Joy".into(),
            fields: Vec::new(),
        };
        assert_eq!(
            velocity_type(&joy, "/cmd_vel", Twist::TYPE, true),
            Err(Reason::TypeConflict {
                topic: "/cmd_vel".into(),
                found: "sensor_msgs/msg/Joy".into()
            })
        );
    }

    #[test]
    fn a_velocity_with_other_fields_is_a_conflict_that_names_them() {
        let told = |fields: &[(&str, &str)]| {
            let own = |(name, kind): &(&str, &str)| ((*name).to_owned(), (*kind).to_owned());
            let found = Found::Type {
                name: "geometry_msgs/msg/Twist".into(),
                fields: fields.iter().map(own).collect(),
            };
            velocity_type(&found, "/cmd_vel", Twist::TYPE, true)
        };
        assert_eq!(told(&[]), Ok(VelocityType::Twist));
        assert_eq!(told(&Twist::FIELDS), Ok(VelocityType::Twist));
        // Without its package, as `.msg` texts write it.
        let short = [("linear", "Vector3"), ("angular", "Vector3")];
        assert_eq!(told(&short), Ok(VelocityType::Twist));
        let other = told(&[
            ("linear", "Vector3"),
            ("angular", "float64"),
            ("gear", "uint8"),
        ]);
        assert!(
            matches!(&other, Err(Reason::TypeConflict { found, .. })
                if found == "geometry_msgs/msg/Twist (angular, gear)"),
            "{other:?}"
        );
    }

    #[test]
    fn a_field_that_the_vehicle_does_not_have_is_not_sent() {
        let Found::Type { name, mut fields } = mc_ctrl_definition("uint8") else {
            panic!()
        };
        fields.retain(|(field, _)| field != "dust_shake");
        let found = Found::Type { name, fields };
        let message = mc_ctrl_message(&McCtrl::SAFE, &found);
        assert_eq!(message.as_object().map(serde_json::Map::len), Some(11));
        assert_eq!(message["brake"], 1);
    }

    #[test]
    fn a_definition_with_an_unknown_field_is_a_conflict_that_names_it() {
        let Found::Type { name, mut fields } = mc_ctrl_definition("uint8") else {
            panic!()
        };
        fields.push(("laser".into(), "uint8".into()));
        let found = Found::Type { name, fields };
        let Err(Reason::TypeConflict { found, .. }) = mc_ctrl_type(&found, "/t", "", false) else {
            panic!()
        };
        assert!(found.contains("laser"), "{found}");
    }

    #[test]
    fn a_field_that_is_no_number_is_a_conflict_that_names_it() {
        for kind in ["string", "uint8[]", "bool", "x/Pusher"] {
            let Found::Type { name, mut fields } = mc_ctrl_definition("uint8") else {
                panic!()
            };
            fields.retain(|(field, _)| field != "side_brush");
            fields.push(("side_brush".into(), kind.into()));
            let found = Found::Type { name, fields };
            let told = mc_ctrl_type(&found, "/t", "", true);
            assert!(
                matches!(&told, Err(Reason::TypeConflict { found, .. }) if found.contains("side_brush")),
                "{kind}: {told:?}"
            );
        }
    }

    #[test]
    fn integers_are_written_as_integers_and_every_field_is_there() {
        let message = McCtrl {
            angle: 12.4,
            ..McCtrl::SAFE
        };
        assert_eq!(
            mc_ctrl_message(&message, &Found::NoAnswer).to_string(),
            concat!(
                r#"{"angle":12.4,"angle_speed":120,"brake":1,"brush_deck_pusher":0,"#,
                r#""dust_shake":0,"gear":0,"roll_brush_suction":0,"#,
                r#""roll_brush_suction_direction":0,"rpm":0,"side_brush":0,"#,
                r#""suction_squeeqee_pusher":0,"water_spray":0}"#
            )
        );
    }

    #[test]
    fn the_echo_of_a_message_reads_as_the_message() {
        let message = McCtrl {
            angle: 12.4,
            water_spray: -40,
            rpm: 200,
            ..McCtrl::SAFE
        };
        let mut echo = mc_ctrl_message(&message, &mc_ctrl_definition("float32"));
        echo["rpm"] = json!(200.0);
        echo["angle"] = json!(f64::from(12.4_f32));
        assert_eq!(read_mc_ctrl(&echo), Some(message));
        assert_eq!(read_mc_ctrl(&json!({"rpm": 1e9})), None);
    }
}
