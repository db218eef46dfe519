//! Definitions that a vehicle tells and this console cannot use, field by field.

use serde::{Deserialize, Serialize};

use crate::msgs::Message;
use crate::msgs::difference::{FieldDifference, differences};
use crate::msgs::geometry::{Twist, TwistStamped};
use crate::msgs::mavros::AttitudeTarget;
use crate::msgs::normalized_type;
use crate::msgs::sweeper::{McCtrl, Rtk};
use crate::pilot::intent::Found;

/// What a topic is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// The velocity command.
    CmdVel,
    /// McCtrl.
    McCtrl,
    /// The position.
    Rtk,
    /// A multirotor's attitude command.
    Attitude,
}

impl Role {
    /// Those of a vehicle on wheels.
    pub const ON_WHEELS: &[Self] = &[Self::CmdVel, Self::McCtrl, Self::Rtk];
    /// Those of a multirotor.
    pub const IN_THE_AIR: &[Self] = &[Self::CmdVel, Self::Attitude, Self::Rtk];
}

/// A topic that is not used because its definition does not fit. The others are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// What it is for.
    pub role: Role,
    /// Its name.
    pub topic: String,
    /// The type that was expected.
    pub expected: String,
    /// The type that the vehicle told.
    pub found: String,
    /// Where the definitions differ; empty when the vehicle told no fields.
    pub fields: Vec<FieldDifference>,
}

/// The conflict of one topic, if there is one.
///
/// A velocity must be a Twist or a TwistStamped; a McCtrl must have a brake, no field that is
/// unknown here and no known one that is not a number; a position must have the two numbers of a
/// place. A narrower or wider number is no conflict, and a McCtrl with fewer fields is none.
pub(super) fn of(role: Role, topic: &str, found: &Found) -> Option<Conflict> {
    let Found::Type { name, fields } = found else {
        return None;
    };
    let kind = normalized_type(name);
    let expected: (&str, &[(&str, &str)]) = match role {
        Role::CmdVel if kind == TwistStamped::TYPE => (TwistStamped::TYPE, &TwistStamped::FIELDS),
        Role::CmdVel => (Twist::TYPE, &Twist::FIELDS),
        Role::McCtrl => (McCtrl::TYPE, &McCtrl::FIELDS),
        Role::Rtk => (Rtk::TYPE, &Rtk::FIELDS),
        Role::Attitude => (AttitudeTarget::TYPE, &AttitudeTarget::FIELDS),
    };
    let list = if fields.is_empty() {
        Vec::new()
    } else {
        differences(expected.1, fields)
    };
    let is_bad = match role {
        Role::CmdVel | Role::Attitude => kind != expected.0 || !list.is_empty(),
        // Fields that are not there are not sent; only the brake must be.
        Role::McCtrl => list.iter().any(|d| d.found.is_some() || d.name == "brake"),
        Role::Rtk => list
            .iter()
            .any(|d| matches!(d.name.as_str(), "lat" | "lon")),
    };
    is_bad.then(|| Conflict {
        role,
        topic: topic.to_owned(),
        expected: expected.0.to_owned(),
        found: name.clone(),
        fields: list,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(name: &str, fields: &[(&str, &str)]) -> Found {
        let own = |(name, kind): &(&str, &str)| ((*name).to_owned(), (*kind).to_owned());
        Found::Type {
            name: name.into(),
            fields: fields.iter().map(own).collect(),
        }
    }

    #[test]
    fn what_fits_is_no_conflict() {
        for (role, found) in [
            (Role::CmdVel, told("geometry_msgs/Twist", &Twist::FIELDS)),
            (
                Role::CmdVel,
                told("geometry_msgs/msg/TwistStamped", &TwistStamped::FIELDS),
            ),
            (Role::CmdVel, told("geometry_msgs/msg/Twist", &[])),
            (
                Role::McCtrl,
                told("other/McCtrl", &[("brake", "uint8"), ("rpm", "float")]),
            ),
            (
                Role::Rtk,
                told(
                    "x/Rtk",
                    &[("lat", "double"), ("lon", "float64"), ("more", "string")],
                ),
            ),
            (Role::Rtk, Found::Absent),
        ] {
            assert_eq!(of(role, "/t", &found), None, "{role:?}");
        }
    }

    #[test]
    fn a_conflict_says_field_by_field_what_was_expected_and_what_was_found() {
        let found = told(
            "x/McCtrl",
            &[("brake", "string"), ("laser", "uint8"), ("gear", "uint8")],
        );
        let conflict = of(Role::McCtrl, "/auto_mc_ctrl", &found).unwrap();
        let words: Vec<_> = conflict
            .fields
            .iter()
            .filter(|d| d.found.is_some())
            .map(|d| (d.name.as_str(), d.expected.as_deref(), d.found.as_deref()))
            .collect();
        assert_eq!(
            words,
            [
                ("brake", Some("uint8"), Some("string")),
                ("laser", None, Some("uint8"))
            ]
        );
        let joy = of(Role::CmdVel, "/cmd_vel", &told("sensor_msgs/msg/Joy", &[])).unwrap();
        assert_eq!(joy.expected, Twist::TYPE);
        let fix = told("sensor_msgs/msg/NavSatFix", &[("latitude", "float64")]);
        assert!(of(Role::Rtk, "/fix", &fix).is_some());
    }
}
