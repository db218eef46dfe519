//! `sensor_msgs/NavSatFix` and a heading topic as a source beside `Rtk`.
//!
//! The status says little (−1 no fix, 0 fix, 1 satellite-based, 2 ground-based augmentation): it
//! is never read as the fixed or float of an RTK receiver. What may be said of the accuracy is in
//! the covariance, and only where its type says that it is known.

use serde_json::Value;

use crate::rtk::geo::wrap_heading;

/// Standard deviations of the 95 % circle of a two-dimensional normal distribution, √(−2·ln 0.05).
const CIRCLE_95: f64 = 2.447_746_830_680_816;

/// A fix as far as it can be believed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NavSat {
    /// `(lat, lon)`, WGS84 degrees.
    pub position: (f64, f64),
    /// 0, 1 or 2.
    pub status: i64,
    /// Metres of the circle that holds 95 % of the positions, by the longer axis of the error
    /// ellipse; `None` is unknown, not zero.
    pub accuracy_95: Option<f64>,
}

/// Reads a message; the error names field and reason.
///
/// # Errors
/// When there is no fix or a number cannot be one.
pub fn read_nav_sat_fix(message: &Value) -> Result<NavSat, String> {
    let status = message["status"]["status"]
        .as_i64()
        .ok_or("status.status is missing")?;
    if status < 0 {
        return Err(format!("status.status is {status} (no fix)"));
    }
    let number = |field: &str, limit: f64| {
        let value = message[field]
            .as_f64()
            .ok_or_else(|| format!("{field} is null"))?;
        if value.abs() <= limit {
            Ok(value)
        } else {
            Err(format!("{field} is {value}, outside -{limit} to {limit}"))
        }
    };
    let position = (number("latitude", 90.0)?, number("longitude", 180.0)?);
    if position.0.abs() < 1e-6 && position.1.abs() < 1e-6 {
        return Err("latitude and longitude are 0".to_owned());
    }
    Ok(NavSat {
        position,
        status,
        accuracy_95: accuracy(message),
    })
}

/// The heading, degrees clockwise from north, of a message of one of the types that tell one;
/// `None` for other types and for numbers that are none.
///
/// Orientations are in ENU (REP-103, x forward): heading = 90° − yaw. Plain numbers
/// (`std_msgs/Float32`, `Float64`) are compass degrees.
#[must_use]
pub fn read_heading(type_name: &str, message: &Value) -> Option<f64> {
    let kind = type_name.rsplit('/').next()?;
    let orientation = match kind {
        "Float32" | "Float64" => {
            let degrees = message["data"].as_f64()?;
            return (0.0..=360.0)
                .contains(&degrees)
                .then(|| wrap_heading(degrees));
        }
        "Imu" => {
            // −1 in the first element: this IMU has no orientation.
            if message["orientation_covariance"][0].as_f64() == Some(-1.0) {
                return None;
            }
            &message["orientation"]
        }
        "QuaternionStamped" => &message["quaternion"],
        "PoseStamped" => &message["pose"]["orientation"],
        "PoseWithCovarianceStamped" | "Odometry" => &message["pose"]["pose"]["orientation"],
        _ => return None,
    };
    let part = |name: &str| orientation[name].as_f64();
    let (x, y, z, w) = (part("x")?, part("y")?, part("z")?, part("w")?);
    let norm = x * x + y * y + z * z + w * w;
    // Not one that was forgotten (all zeros), nor one that was never normalised.
    if !(0.9..1.1).contains(&norm) {
        return None;
    }
    let yaw = (2.0 * (w * z + x * y)).atan2(norm - 2.0 * (y * y + z * z));
    Some(wrap_heading(90.0 - yaw.to_degrees()))
}

fn accuracy(message: &Value) -> Option<f64> {
    if message["position_covariance_type"].as_i64()? < 1 {
        return None;
    }
    let entry = |index: usize| {
        let value = message["position_covariance"][index].as_f64()?;
        value.is_finite().then_some(value)
    };
    let (east, cross, north) = (entry(0)?, entry(1)?, entry(4)?);
    if east < 0.0 || north < 0.0 || (east == 0.0 && north == 0.0) {
        return None;
    }
    let half = (east - north) / 2.0;
    let longest = (east + north) / 2.0 + half.hypot(cross);
    Some(CIRCLE_95 * longest.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fix(kind: i64, covariance: [f64; 9]) -> Value {
        json!({"status": {"status": 2, "service": 1}, "latitude": 31.2, "longitude": 121.5,
            "altitude": 4.0, "position_covariance": covariance, "position_covariance_type": kind})
    }

    #[test]
    fn the_accuracy_circle_is_the_longer_axis_and_unknown_is_unknown() {
        let known = [1e-4, 0.0, 0.0, 0.0, 4e-4, 0.0, 0.0, 0.0, 9.0];
        let read = read_nav_sat_fix(&fix(2, known)).unwrap();
        assert!((read.accuracy_95.unwrap() - 0.02 * 2.4477).abs() < 1e-5);
        let turned = [2.5e-4, 1.5e-4, 0.0, 1.5e-4, 2.5e-4, 0.0, 0.0, 0.0, 9.0];
        let read = read_nav_sat_fix(&fix(3, turned)).unwrap();
        assert!((read.accuracy_95.unwrap() - 0.02 * 2.4477).abs() < 1e-5);
        for unknown in [fix(0, known), fix(2, [0.0; 9]), fix(2, [-1.0; 9])] {
            assert_eq!(read_nav_sat_fix(&unknown).unwrap().accuracy_95, None);
        }
    }

    #[test]
    fn what_is_no_fix_says_why() {
        let mut message = fix(0, [0.0; 9]);
        message["latitude"] = json!(91.0);
        let problem = read_nav_sat_fix(&message).unwrap_err();
        assert_eq!(problem, "latitude is 91, outside -90 to 90");
        message["status"]["status"] = json!(-1);
        assert!(read_nav_sat_fix(&message).unwrap_err().contains("no fix"));
    }

    #[test]
    fn headings_are_right_at_0_90_180_270_and_across_north() {
        for heading in [0.0, 90.0, 180.0, 270.0, 359.5, 0.5_f64] {
            let half = (90.0 - heading).to_radians() / 2.0;
            let turn = json!({"x": 0.0, "y": 0.0, "z": half.sin(), "w": half.cos()});
            for (kind, message) in [
                ("sensor_msgs/msg/Imu", json!({"orientation": turn})),
                (
                    "geometry_msgs/msg/QuaternionStamped",
                    json!({"quaternion": turn}),
                ),
                ("std_msgs/msg/Float64", json!({"data": heading})),
            ] {
                let read = read_heading(kind, &message).unwrap();
                let off = crate::rtk::geo::heading_difference(read, heading);
                assert!(off.abs() < 1e-9, "{kind} {heading}: {read}");
            }
        }
        let none = json!({"orientation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 0.0}});
        assert_eq!(read_heading("sensor_msgs/msg/Imu", &none), None);
    }
}
