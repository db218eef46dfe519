//! Pose, odometry and satellite fixes as messages, and the definitions of their types.

use super::convert;
use super::definition::Definition;
use super::json::Json;
use crate::msgs::std_msgs::Time;
use crate::ros::conventions::{Ros, Vector};
use crate::ros::rotation::Rotation;

/// Where a body is: world ENU, body FLU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pose {
    /// East, north and up of the start, m.
    pub(super) position: Vector<Ros>,
    /// Body to world.
    pub(super) orientation: Rotation<Ros>,
}

/// How a body moves, along its own axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Motion {
    /// m/s.
    pub(super) linear: Vector<Ros>,
    /// rad/s.
    pub(super) angular: Vector<Ros>,
}

/// `nav_msgs/Odometry`, from `odom` to `base_link`.
pub(super) fn odometry(pose: &Pose, motion: &Motion, time: Time) -> Json {
    let diagonal = |place: usize| if place.is_multiple_of(7) { 1e-4 } else { 0.0 };
    let twist = Json::object([
        ("linear", vector(&motion.linear)),
        ("angular", vector(&motion.angular)),
    ]);
    Json::object([
        ("header", header(time, "odom")),
        ("child_frame_id", "base_link".into()),
        (
            "pose",
            Json::object([
                ("pose", pose_message(pose)),
                ("covariance", numbers(36, diagonal)),
            ]),
        ),
        (
            "twist",
            Json::object([("twist", twist), ("covariance", numbers(36, diagonal))]),
        ),
    ])
}

/// `geometry_msgs/PoseStamped` in `odom`.
pub(super) fn pose_stamped(pose: &Pose, time: Time) -> Json {
    Json::object([
        ("header", header(time, "odom")),
        ("pose", pose_message(pose)),
    ])
}

/// `sensor_msgs/NavSatFix`. An altitude of which nothing is known is NaN, which leaves the server
/// as null in a scalar and as a bare token in the array.
pub(super) fn fix(lat: f64, lon: f64, altitude: f64, time: Time) -> Json {
    let covariance = |place: usize| match place {
        0 | 4 => 0.0004,
        8 if altitude.is_nan() => f64::NAN,
        8 => 0.0009,
        _ => 0.0,
    };
    Json::object([
        ("header", header(time, "gps")),
        (
            "status",
            Json::object([("status", Json::Int(2)), ("service", Json::Int(1))]),
        ),
        ("latitude", lat.into()),
        ("longitude", lon.into()),
        ("altitude", altitude.into()),
        ("position_covariance", numbers(9, covariance)),
        ("position_covariance_type", Json::Int(2)),
    ])
}

/// `geometry_msgs/QuaternionStamped`: how the body stands in the world.
pub(super) fn orientation(orientation: &Rotation<Ros>, time: Time) -> Json {
    Json::object([
        ("header", header(time, "map")),
        ("quaternion", quaternion(orientation)),
    ])
}

/// `std_msgs/Header`.
pub(super) fn header(time: Time, frame: &str) -> Json {
    Json::object([
        ("stamp", convert::time_json(time)),
        ("frame_id", frame.into()),
    ])
}

/// The types of these messages that are not on board of every vehicle.
pub(super) fn definitions() -> impl Iterator<Item = Definition> {
    let read = |(name, text): &(&str, &str)| Definition::parse(name, text).ok();
    TEXTS.iter().filter_map(read)
}

fn pose_message(pose: &Pose) -> Json {
    Json::object([
        ("position", vector(&pose.position)),
        ("orientation", quaternion(&pose.orientation)),
    ])
}

fn quaternion(q: &Rotation<Ros>) -> Json {
    Json::object([
        ("x", q.x.into()),
        ("y", q.y.into()),
        ("z", q.z.into()),
        ("w", q.w.into()),
    ])
}

fn vector(v: &Vector<Ros>) -> Json {
    Json::object([("x", v.x.into()), ("y", v.y.into()), ("z", v.z.into())])
}

fn numbers(count: usize, number: impl Fn(usize) -> f64) -> Json {
    Json::List((0..count).map(|place| Json::Float(number(place))).collect())
}

const TEXTS: &[(&str, &str)] = &[
    (
        "geometry_msgs/Point",
        "# A place.\nfloat64 x\nfloat64 y\nfloat64 z\n",
    ),
    (
        "geometry_msgs/Quaternion",
        "# A rotation.\nfloat64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1\n",
    ),
    (
        "geometry_msgs/QuaternionStamped",
        "# A rotation, when it was and in which frame.\nstd_msgs/Header header\nQuaternion quaternion\n",
    ),
    (
        "geometry_msgs/Pose",
        "# A place and a rotation.\nPoint position\nQuaternion orientation\n",
    ),
    (
        "geometry_msgs/PoseStamped",
        "# A pose, when it was and in which frame.\nstd_msgs/Header header\nPose pose\n",
    ),
    (
        "geometry_msgs/PoseWithCovariance",
        "# A pose and how uncertain it is, row by row.\nPose pose\nfloat64[36] covariance\n",
    ),
    (
        "geometry_msgs/TwistWithCovariance",
        "# A velocity and how uncertain it is, row by row.\nTwist twist\nfloat64[36] covariance\n",
    ),
    (
        "nav_msgs/Odometry",
        "# An estimate of place and velocity.\nstd_msgs/Header header\nstring child_frame_id\n\
         geometry_msgs/PoseWithCovariance pose\ngeometry_msgs/TwistWithCovariance twist\n",
    ),
    (
        "sensor_msgs/NavSatStatus",
        "int8 STATUS_NO_FIX = -1\nint8 STATUS_FIX = 0\nint8 STATUS_SBAS_FIX = 1\n\
         int8 STATUS_GBAS_FIX = 2\n\nint8 status\n\nuint16 SERVICE_GPS = 1\n\nuint16 service\n",
    ),
    (
        "sensor_msgs/NavSatFix",
        "# A satellite fix, WGS 84.\nstd_msgs/Header header\nNavSatStatus status\n\n\
         # Latitude [degrees].\nfloat64 latitude\n\n# Longitude [degrees].\nfloat64 longitude\n\n\
         # Altitude [m].\nfloat64 altitude\n\n# Covariance [m^2], east, north, up.\n\
         float64[9] position_covariance\n\nuint8 COVARIANCE_TYPE_UNKNOWN = 0\n\
         uint8 COVARIANCE_TYPE_DIAGONAL_KNOWN = 2\n\nuint8 position_covariance_type\n",
    ),
    (
        "mavros_msgs/AttitudeTarget",
        "# A wanted attitude, or rates, with a thrust.\nstd_msgs/Header header\n\n\
         # What means nothing.\nuint8 type_mask\nuint8 IGNORE_ROLL_RATE = 1\n\
         uint8 IGNORE_PITCH_RATE = 2\nuint8 IGNORE_YAW_RATE = 4\nuint8 IGNORE_THRUST = 64\n\
         uint8 IGNORE_ATTITUDE = 128\n\ngeometry_msgs/Quaternion orientation\n\
         geometry_msgs/Vector3 body_rate\nfloat32 thrust\n",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vehicle::definition::on_board;

    #[test]
    fn every_type_is_read_and_complete() {
        let mut definitions = on_board("uint8").unwrap();
        assert_eq!(super::definitions().count(), TEXTS.len());
        for definition in super::definitions() {
            definitions.insert(definition);
        }
        definitions.check().unwrap();
    }
}
