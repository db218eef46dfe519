//! What matters of well-known messages. A number that did not come, or is not finite, is none:
//! it is never shown as zero.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::commands::{self, Standing};
use super::picture::Picture;
use super::tree::bytes_in;
use crate::rosbridge::base64;

/// Lines of a diagnostic array that are shown.
const MOST_STATUSES: usize = 20;

/// The short form of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Summary {
    /// `sensor_msgs/NavSatFix`.
    NavSatFix {
        /// Degrees, WGS84, north positive.
        lat: Option<f64>,
        /// Degrees, WGS84, east positive.
        lon: Option<f64>,
        /// Metres above the ellipsoid.
        altitude: Option<f64>,
        /// −1 no fix, 0 fix, 1 satellite-based and 2 ground-based augmentation.
        status: Option<i64>,
        /// Standard deviation of the worse horizontal axis, metres; none when not told.
        sigma: Option<f64>,
    },
    /// `geometry_msgs/Twist` and `TwistStamped`.
    Twist {
        /// m/s, forward positive.
        forward: Option<f64>,
        /// m/s, left positive.
        left: Option<f64>,
        /// rad/s, left positive.
        turn: Option<f64>,
    },
    /// `nav_msgs/Odometry`.
    Odometry {
        /// The frame of the place.
        frame: String,
        /// Metres.
        x: Option<f64>,
        /// Metres.
        y: Option<f64>,
        /// Degrees, counter-clockwise from the frame's x; none when the quaternion is none.
        yaw_deg: Option<f64>,
        /// m/s, forward positive.
        speed: Option<f64>,
        /// rad/s, left positive.
        turn: Option<f64>,
    },
    /// `sensor_msgs/BatteryState`.
    Battery {
        /// V.
        voltage: Option<f64>,
        /// A, negative while discharging.
        current: Option<f64>,
        /// 0…1.
        level: Option<f64>,
        /// 0 unknown, 1 charging, 2 discharging, 3 not charging, 4 full.
        status: Option<i64>,
    },
    /// `diagnostic_msgs/DiagnosticArray`.
    Diagnostics {
        /// How many are 0 fine, 1 warning, 2 error, 3 stale or anything else.
        counts: [usize; 4],
        /// The worst first.
        statuses: Vec<Status>,
        /// How many do not stand there.
        left_out: usize,
    },
    /// `sensor_msgs/CompressedImage`; the picture itself comes apart from it.
    Image {
        /// What the message says that it is.
        format: String,
        /// The file's size.
        bytes: usize,
        /// A browser can show it.
        can_be_shown: bool,
    },
    /// How a component stands with its commands: a `std_msgs/String` of the documented form.
    Command(Standing),
}

/// One line of a diagnostic array.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// 0 fine, 1 warning, 2 error, 3 stale.
    pub level: u8,
    /// The component.
    pub name: String,
    /// What it says.
    pub message: String,
}

/// The short form of a message of that type, if there is one.
#[must_use]
pub fn of(kind: &str, message: &Value) -> Option<Summary> {
    let number = |path: &str| message.pointer(path).and_then(Value::as_f64);
    let whole = |path: &str| message.pointer(path).and_then(Value::as_i64);
    let text = |path: &str| {
        let text = message.pointer(path).and_then(Value::as_str);
        text.unwrap_or_default().chars().take(80).collect()
    };
    Some(match crate::msgs::definition::short_name(kind).as_str() {
        "sensor_msgs/NavSatFix" => {
            let variance = |path| number(path).filter(|v| *v >= 0.0);
            let is_told = whole("/position_covariance_type").is_some_and(|kind| kind > 0);
            let east = variance("/position_covariance/0");
            let north = variance("/position_covariance/4");
            let worse = east.zip(north).map(|(east, north)| east.max(north).sqrt());
            Summary::NavSatFix {
                lat: number("/latitude"),
                lon: number("/longitude"),
                altitude: number("/altitude"),
                status: whole("/status/status"),
                sigma: worse.filter(|_| is_told),
            }
        }
        "geometry_msgs/Twist" => Summary::Twist {
            forward: number("/linear/x"),
            left: number("/linear/y"),
            turn: number("/angular/z"),
        },
        "geometry_msgs/TwistStamped" => Summary::Twist {
            forward: number("/twist/linear/x"),
            left: number("/twist/linear/y"),
            turn: number("/twist/angular/z"),
        },
        "nav_msgs/Odometry" => {
            let part = |axis: &str| number(&["/pose/pose/orientation/", axis].concat());
            Summary::Odometry {
                frame: text("/header/frame_id"),
                x: number("/pose/pose/position/x"),
                y: number("/pose/pose/position/y"),
                yaw_deg: yaw(part("x"), part("y"), part("z"), part("w")),
                speed: number("/twist/twist/linear/x"),
                turn: number("/twist/twist/angular/z"),
            }
        }
        "sensor_msgs/BatteryState" => Summary::Battery {
            voltage: number("/voltage"),
            current: number("/current"),
            level: number("/percentage").filter(|level| (0.0..=1.0).contains(level)),
            status: whole("/power_supply_status"),
        },
        "diagnostic_msgs/DiagnosticArray" => diagnostics(message),
        "std_msgs/String" => {
            let data = message.get("data").and_then(Value::as_str)?;
            Summary::Command(commands::read(data)?)
        }
        "sensor_msgs/CompressedImage" => image(message, super::picture::of(message).as_ref()),
        _ => return None,
    })
}

/// The short form of a compressed image whose picture has been taken out already.
#[must_use]
pub fn image(message: &Value, picture: Option<&Picture>) -> Summary {
    let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
    Summary::Image {
        format: text("format").chars().take(80).collect(),
        bytes: picture.map_or_else(|| bytes_in(text("data")), |picture| picture.bytes.len()),
        can_be_shown: picture.is_some(),
    }
}

/// Degrees; none for anything but a rotation.
fn yaw(x: Option<f64>, y: Option<f64>, z: Option<f64>, w: Option<f64>) -> Option<f64> {
    let (x, y, z, w) = (x?, y?, z?, w?);
    let length = (x * x + y * y + z * z + w * w).sqrt();
    let is_rotation = (0.9..1.1).contains(&length);
    let yaw = (2.0 * (w * z + x * y)).atan2(1.0 - 2.0 * (y * y + z * z));
    is_rotation.then(|| yaw.to_degrees())
}

fn diagnostics(message: &Value) -> Summary {
    let list = message.get("status").and_then(Value::as_array);
    let mut counts = [0; 4];
    let mut statuses = Vec::new();
    for status in list.into_iter().flatten() {
        let level = status.get("level").map_or(3, level_of).min(3);
        if let Some(count) = counts.get_mut(usize::from(level)) {
            *count += 1;
        }
        let text = |key: &str| {
            let text = status.get(key).and_then(Value::as_str).unwrap_or_default();
            text.chars().take(120).collect()
        };
        statuses.push(Status {
            level,
            name: text("name"),
            message: text("message"),
        });
    }
    // Stale is a warning that nobody renews: less than an error.
    let badness = |status: &Status| [0, 2, 3, 1].get(usize::from(status.level)).copied();
    statuses.sort_by_key(|status| std::cmp::Reverse(badness(status)));
    let left_out = statuses.len().saturating_sub(MOST_STATUSES);
    statuses.truncate(MOST_STATUSES);
    Summary::Diagnostics {
        counts,
        statuses,
        left_out,
    }
}

/// A `byte` is a number, or the base64 text of one byte, depending on the server's release.
fn level_of(value: &Value) -> u8 {
    let number = value.as_u64().and_then(|n| u8::try_from(n).ok());
    let bytes = || value.as_str().and_then(base64::decode);
    number
        .or_else(|| bytes().and_then(|bytes| bytes.first().copied()))
        .unwrap_or(3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_not_told_is_not_zero() {
        let fix = json!({"latitude": 31.2, "longitude": null, "status": {"status": 0},
            "position_covariance": [4.0, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 1.0],
            "position_covariance_type": 0});
        let Some(Summary::NavSatFix {
            lat, lon, sigma, ..
        }) = of("sensor_msgs/msg/NavSatFix", &fix)
        else {
            panic!()
        };
        assert_eq!((lat, lon, sigma), (Some(31.2), None, None));
        let mut told = fix;
        told["position_covariance_type"] = json!(2);
        let Some(Summary::NavSatFix { sigma, .. }) = of("sensor_msgs/NavSatFix", &told) else {
            panic!()
        };
        assert_eq!(sigma, Some(3.0));
        let battery = json!({"voltage": 24.1, "current": null, "percentage": null});
        let Some(Summary::Battery { level, .. }) = of("sensor_msgs/BatteryState", &battery) else {
            panic!()
        };
        assert_eq!(level, None);
    }

    #[test]
    fn a_text_has_a_short_form_only_if_it_says_how_a_component_stands() {
        let text = |data: &str| of("std_msgs/msg/String", &json!({"data": data}));
        let Some(Summary::Command(standing)) = text(r#"{"state": "limited", "reason": ""}"#) else {
            panic!()
        };
        assert_eq!(standing.state, "limited");
        assert_eq!(text("hello"), None);
    }

    #[test]
    fn yaw_is_that_of_a_rotation_and_of_nothing_else() {
        let odometry = |z: f64, w: f64| {
            let message =
                json!({"pose": {"pose": {"orientation": {"x": 0.0, "y": 0.0, "z": z, "w": w}}}});
            let Some(Summary::Odometry { yaw_deg, .. }) = of("nav_msgs/msg/Odometry", &message)
            else {
                panic!()
            };
            yaw_deg
        };
        let half = std::f64::consts::FRAC_1_SQRT_2;
        assert!((odometry(half, half).unwrap() - 90.0).abs() < 1e-9);
        assert_eq!(odometry(0.0, 0.0), None);
    }

    #[test]
    fn diagnostics_begin_with_the_worst_whatever_a_byte_looks_like() {
        let message = json!({"status": [
            {"level": 0, "name": "a", "message": "fine"},
            {"level": "Ag==", "name": "b", "message": "broken"},
            {"level": 1, "name": "c", "message": "warm"},
            {"level": {}, "name": "d", "message": ""},
        ]});
        let Some(Summary::Diagnostics {
            counts, statuses, ..
        }) = of("diagnostic_msgs/msg/DiagnosticArray", &message)
        else {
            panic!()
        };
        assert_eq!(counts, [1, 1, 1, 1]);
        let names: Vec<_> = statuses.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["b", "c", "d", "a"]);
    }

    #[test]
    fn velocities_have_one_short_form_stamped_or_not() {
        let twist = json!({"linear": {"x": 0.4, "y": null, "z": 0.0},
            "angular": {"x": 0.0, "y": 0.0, "z": -0.2}});
        let expected = Some(Summary::Twist {
            forward: Some(0.4),
            left: None,
            turn: Some(-0.2),
        });
        assert_eq!(of("geometry_msgs/msg/Twist", &twist), expected);
        let stamped = json!({"header": {}, "twist": twist});
        assert_eq!(of("geometry_msgs/TwistStamped", &stamped), expected);
    }

    #[test]
    fn a_battery_says_what_it_does_and_no_level_that_is_none() {
        let battery = |level: f64| {
            let message = json!({"voltage": 24.1, "current": -3.5, "percentage": level,
                "power_supply_status": 2});
            of("sensor_msgs/msg/BatteryState", &message)
        };
        let expected = |level| {
            Some(Summary::Battery {
                voltage: Some(24.1),
                current: Some(-3.5),
                level,
                status: Some(2),
            })
        };
        assert_eq!(battery(0.5), expected(Some(0.5)));
        // Some drivers write percent where a share is meant: 50 is not shown as 5000 %.
        assert_eq!(battery(50.0), expected(None));
    }

    #[test]
    fn an_image_says_its_size_and_whether_it_can_be_shown() {
        let image = |data: &str| {
            let message = json!({"format": "jpeg", "data": data});
            of("sensor_msgs/msg/CompressedImage", &message)
        };
        let shown = |data: &str, bytes, can_be_shown| {
            let expected = Summary::Image {
                format: "jpeg".into(),
                bytes,
                can_be_shown,
            };
            assert_eq!(image(data), Some(expected), "{data}");
        };
        shown(&base64::encode(&[0xff, 0xd8, 0xff, 0xe0, 0, 0]), 6, true);
        shown(&base64::encode(b"no picture"), 10, false);
    }

    #[test]
    fn other_types_have_no_short_form() {
        assert_eq!(of("std_msgs/msg/String", &json!({"data": "x"})), None);
    }
}
