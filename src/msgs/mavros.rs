//! `mavros_msgs`: a multirotor's attitude.

/// `mavros_msgs/msg/AttitudeTarget`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttitudeTarget;

impl AttitudeTarget {
    /// `type_mask` of a console: the rates of roll and pitch and the thrust mean nothing, so that the
    /// orientation tilts, `body_rate.z` turns, and the climb comes by a Twist.
    pub const CONSOLE_MASK: u64 = 1 + 2 + Self::IGNORE_THRUST;
    /// Its ROS name.
    pub const TYPE: &'static str = "mavros_msgs/msg/AttitudeTarget";
    /// The fields and their types, in order.
    pub const FIELDS: [(&str, &str); 5] = [
        ("header", "std_msgs/Header"),
        ("type_mask", "uint8"),
        ("orientation", "geometry_msgs/Quaternion"),
        ("body_rate", "geometry_msgs/Vector3"),
        ("thrust", "float32"),
    ];
    /// The thrust means nothing.
    pub const IGNORE_THRUST: u64 = 64;
}
