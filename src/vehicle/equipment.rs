//! Topics for whoever looks at more than the position: odometry, a satellite fix, a camera, and
//! one at a kilohertz. The native vehicle has them on request.

use std::time::Duration;

use super::bridge::Packer;
use super::definition::Definition;
use super::json::Json;
use super::{Equip, VehicleState, pack, sensors};
use crate::msgs::std_msgs::Time;
use crate::ros::conventions::{self, Vector};
use crate::ros::rotation::Rotation;
use crate::rosbridge::base64;
use crate::units::Moment;

/// What is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EquipmentOptions {
    /// `/odom`, `/gps/fix`.
    pub has_sensors: bool,
    /// `/gps/heading`.
    pub has_heading: bool,
    /// `/camera/image/compressed`.
    pub camera: Option<Camera>,
    /// `/fast`: messages a second.
    pub fast_hz: Option<f64>,
}

/// The camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Pictures a second.
    pub hz: f64,
    /// Bytes of a picture, at least.
    pub bytes: usize,
}

/// The topics, each with its clock.
#[derive(Debug)]
pub struct Equipment {
    sources: Vec<Source>,
}

#[derive(Debug)]
struct Source {
    topic: &'static str,
    kind: &'static str,
    period: Duration,
    next: Moment,
    number: u64,
    /// Of a camera's picture.
    bytes: usize,
}

/// After a longer pause what was missed is not made up for.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// A camera's picture, in pixels.
const WIDTH: usize = 96;
const HEIGHT: usize = 64;

impl Equipment {
    /// All that is wanted, beginning at `now`.
    #[must_use]
    pub fn new(options: &EquipmentOptions, now: Moment) -> Self {
        let mut sources = Vec::new();
        let mut add = |topic, kind, hz: f64, bytes| {
            let period = Duration::try_from_secs_f64(1.0 / hz).unwrap_or(Duration::MAX);
            sources.push(Source {
                topic,
                kind,
                period: period.max(Duration::from_micros(100)),
                next: now,
                number: 0,
                bytes,
            });
        };
        if options.has_sensors {
            add("/odom", "nav_msgs/Odometry", 20.0, 0);
            add("/gps/fix", "sensor_msgs/NavSatFix", 5.0, 0);
        }
        if options.has_heading {
            add("/gps/heading", "geometry_msgs/QuaternionStamped", 10.0, 0);
        }
        if let Some(camera) = options.camera {
            let topic = "/camera/image/compressed";
            add(
                topic,
                "sensor_msgs/CompressedImage",
                camera.hz,
                camera.bytes,
            );
        }
        if let Some(hz) = options.fast_hz {
            add("/fast", "std_msgs/Float64", hz, 0);
        }
        Self { sources }
    }
}

impl Equip for Equipment {
    fn topics(&self) -> Vec<(String, String)> {
        let name = |source: &Source| (source.topic.to_owned(), source.kind.to_owned());
        self.sources.iter().map(name).collect()
    }

    fn definitions(&self) -> Vec<Definition> {
        let picture = Definition::parse("sensor_msgs/CompressedImage", COMPRESSED_IMAGE_TEXT);
        sensors::definitions().chain(picture).collect()
    }

    fn packer(&self) -> Packer {
        pack::pack
    }

    fn due(&mut self, state: &VehicleState, time: Time, now: Moment) -> Vec<(String, Json)> {
        let mut messages = Vec::new();
        for source in &mut self.sources {
            if now.since(source.next) > LONGEST_PAUSE {
                source.next = now;
            }
            while source.next <= now {
                source.next = source.next + source.period;
                source.number += 1;
                let message = source.message(state, time);
                messages.push((source.topic.to_owned(), message));
            }
        }
        messages
    }

    fn next_wakeup(&self) -> Option<Moment> {
        self.sources.iter().map(|source| source.next).min()
    }
}

impl Source {
    fn message(&self, state: &VehicleState, time: Time) -> Json {
        match self.kind {
            "nav_msgs/Odometry" => odometry(state, time),
            // Nothing is known of the height.
            "sensor_msgs/NavSatFix" => sensors::fix(state.lat, state.lon, f64::NAN, time),
            "geometry_msgs/QuaternionStamped" => {
                let yaw = conventions::yaw_from_heading(state.heading_deg);
                sensors::orientation(&Rotation::from_euler(0.0, 0.0, yaw), time)
            }
            "sensor_msgs/CompressedImage" => Json::object([
                ("header", sensors::header(time, "camera_optical")),
                ("format", "png".into()),
                (
                    "data",
                    base64::encode(&picture(self.number, self.bytes)).into(),
                ),
            ]),
            _ => {
                let phase = self.number as f64 * self.period.as_secs_f64();
                Json::object([("data", (phase * std::f64::consts::TAU).sin().into())])
            }
        }
    }
}

/// A vehicle on the ground, as its odometry has it.
fn odometry(state: &VehicleState, time: Time) -> Json {
    let yaw = conventions::yaw_from_heading(state.heading_deg);
    let pose = sensors::Pose {
        position: Vector::new(state.x, state.y, 0.0),
        orientation: Rotation::from_euler(0.0, 0.0, yaw),
    };
    let motion = sensors::Motion {
        linear: Vector::new(state.speed, 0.0, 0.0),
        angular: Vector::new(0.0, 0.0, state.yaw_rate),
    };
    sensors::odometry(&pose, &motion, time)
}

/// A PNG file of a grey slope with a bar that wanders, filled up to the wanted size with a chunk
/// that viewers skip.
fn picture(number: u64, bytes: usize) -> Vec<u8> {
    let bar = (number as usize * 3) % WIDTH;
    let mut rows = Vec::with_capacity((WIDTH * 3 + 1) * HEIGHT);
    for y in 0..HEIGHT {
        rows.push(0);
        for x in 0..WIDTH {
            let grey = (40 + x + y) as u8;
            let is_bar = x.abs_diff(bar) < 3;
            rows.extend(if is_bar {
                [250, 200, 0]
            } else {
                [grey, grey, grey]
            });
        }
    }
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::new();
    header.extend((WIDTH as u32).to_be_bytes());
    header.extend((HEIGHT as u32).to_be_bytes());
    header.extend([8, 2, 0, 0, 0]);
    chunk(&mut file, b"IHDR", &header);
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(&rows, 1);
    // Two chunks of 12 bytes besides their data are still to come.
    let padding = bytes.saturating_sub(file.len() + packed.len() + 36);
    chunk(&mut file, b"fiLl", &vec![0; padding]);
    chunk(&mut file, b"IDAT", &packed);
    chunk(&mut file, b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend(name);
    file.extend(data);
    let sum = check_sum(file.get(start..).unwrap_or_default());
    file.extend(sum.to_be_bytes());
}

/// CRC-32 as PNG has it.
fn check_sum(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 {
                sum >> 1 ^ 0xedb8_8320
            } else {
                sum >> 1
            };
        }
    }
    !sum
}

const COMPRESSED_IMAGE_TEXT: &str =
    "std_msgs/Header header\n# jpeg, png ...\nstring format\nuint8[] data\n";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vehicle::definition::on_board;

    #[test]
    fn every_type_is_complete() {
        let mut definitions = on_board("uint8").unwrap();
        let equipment = Equipment::new(&EquipmentOptions::default(), Moment::START);
        for definition in equipment.definitions() {
            definitions.insert(definition);
        }
        definitions.check().unwrap();
    }

    #[test]
    fn a_picture_has_the_wanted_size_and_right_check_sums() {
        assert_eq!(check_sum(b"IEND"), 0xae42_6082);
        let file = picture(3, 50_000);
        assert_eq!(file.len(), 50_000);
        assert!(picture(0, 0).len() < 12_000);
    }
}
