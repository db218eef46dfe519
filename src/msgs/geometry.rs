//! `geometry_msgs`: velocity commands.

use serde::{Deserialize, Serialize};

use super::Message;
use super::std_msgs::Header;

/// Three numbers along the axes of a frame. In a Twist: m/s or rad/s in the body frame of
/// REP-103 (x forward, y left, z up; counter-clockwise positive).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Vector3 {
    /// Along or about x.
    pub x: f64,
    /// Along or about y.
    pub y: f64,
    /// Along or about z.
    pub z: f64,
}

/// `geometry_msgs/msg/Twist`: a velocity in the body frame.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Twist {
    /// m/s.
    pub linear: Vector3,
    /// rad/s.
    pub angular: Vector3,
}

impl Twist {
    /// A command of a vehicle that only goes along x and turns about z.
    #[must_use]
    pub fn planar(linear_x: f64, angular_z: f64) -> Self {
        Self {
            linear: Vector3 {
                x: linear_x,
                ..Vector3::default()
            },
            angular: Vector3 {
                z: angular_z,
                ..Vector3::default()
            },
        }
    }

    /// True when every component is exactly zero: a stop. Minus zero counts as zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        [self.linear, self.angular]
            .iter()
            .all(|v| [v.x, v.y, v.z].iter().all(|c| c.abs() <= 0.0))
    }
}

impl Twist {
    /// The fields and their types, in order.
    pub const FIELDS: [(&str, &str); 2] = [
        ("linear", "geometry_msgs/Vector3"),
        ("angular", "geometry_msgs/Vector3"),
    ];
}

impl TwistStamped {
    /// The fields and their types, in order.
    pub const FIELDS: [(&str, &str); 2] = [
        ("header", "std_msgs/Header"),
        ("twist", "geometry_msgs/Twist"),
    ];
}

impl Message for Twist {
    const TYPE: &'static str = "geometry_msgs/msg/Twist";
}

/// `geometry_msgs/msg/TwistStamped`: a Twist with the time at which it was made.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TwistStamped {
    /// Time in the vehicle's clock, and the body's frame name. Never sent empty: rosbridge would
    /// stamp `header: {}` with the moment it *processes* it, so that an old command looks new.
    pub header: Header,
    /// The command.
    pub twist: Twist,
}

impl Message for TwistStamped {
    const TYPE: &'static str = "geometry_msgs/msg/TwistStamped";
}
