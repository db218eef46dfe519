//! The profile: `config.json` beside the page, in the operator's terms, every item optional.
//!
//! A profile that is only half understood is not used at all: every problem is reported with the
//! item's path, and the console does not connect until they are mended.

mod reader;
pub mod written;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::drive::settings::{DriveSettings, SteeredAxle, Steering, Via};
use crate::rtk::settings::{RtkSettings, SpeedUnit};
use crate::tools::commissioning::{Commissioned, MOST_TRIM_DEG};
use crate::tools::program::{MOST_PROGRAMS, Program, Step};
use crate::tools::settings::{SprayWhile, ToolsSettings};
use crate::units::{Degrees, Meters, MetersPerSecond, RadiansPerSecond};
use reader::Reader;
pub use reader::{Problem, ProfileProblem};

/// The kinds of vehicles: the words of the profile and of the page's address.
pub const KINDS: [&str; 2] = ["sweeper", "multirotor"];

/// A checked profile. It goes to a Worker as the text that it was read from, with the namespace and
/// the kind of the page's address: nothing else of it changes after it was read, and the page carries no
/// code to take each item along.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    text: String,
    programs: String,
    /// The vehicle.
    pub vehicle: VehicleProfile,
    /// The link.
    pub bridge: BridgeProfile,
    /// The drive.
    pub drive: DriveSettings,
    /// The tools.
    pub tools: ToolsSettings,
    /// The position.
    pub rtk: RtkSettings,
    /// The map.
    pub map: MapProfile,
    /// The screen.
    pub screen: ScreenProfile,
    /// The camera.
    pub camera: CameraProfile,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            text: "{}".into(),
            programs: String::new(),
            vehicle: VehicleProfile::default(),
            bridge: BridgeProfile::default(),
            drive: DriveSettings::default(),
            tools: ToolsSettings::default(),
            rtk: RtkSettings::default(),
            map: MapProfile::default(),
            screen: ScreenProfile::default(),
            camera: CameraProfile::default(),
        }
    }
}

impl Serialize for Profile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let parts = (
            &self.text,
            &self.bridge.namespace,
            &self.vehicle.kind,
            &self.programs,
        );
        parts.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Profile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (text, namespace, kind, programs) =
            <(String, String, String, String)>::deserialize(deserializer)?;
        let mut profile = Self::from_json(&text)
            .map_err(|_| D::Error::custom("a profile that was not checked"))?;
        profile.bridge.namespace = namespace;
        profile.take_kind(&kind);
        profile.take_programs(&programs);
        Ok(profile)
    }
}

/// The kind of a vehicle that flies.
pub const MULTIROTOR: &str = "multirotor";

/// The vehicle as it looks.
#[derive(Debug, Clone, PartialEq)]
pub struct VehicleProfile {
    /// Shown, and named by the Drive switch.
    pub name: String,
    /// One of [`KINDS`].
    pub kind: String,
    /// Corners of the body seen from above, metres, x forward and y left of the reference point.
    pub outline: Vec<(f64, f64)>,
    /// Metres that it sweeps across; 0: as wide as the outline.
    pub deck_width: Meters,
    /// How far ahead of the reference point it sweeps.
    pub deck_forward: Meters,
}

impl Default for VehicleProfile {
    fn default() -> Self {
        Self {
            name: "Sweeper".into(),
            kind: "sweeper".into(),
            outline: vec![
                (1.2, 0.35),
                (1.0, 0.6),
                (-0.8, 0.6),
                (-0.8, -0.6),
                (1.0, -0.6),
                (1.2, -0.35),
            ],
            deck_width: Meters::default(),
            deck_forward: Meters::default(),
        }
    }
}

impl VehicleProfile {
    /// It is of this kind: if of another one so far, its name and looks were not this vehicle's.
    fn be(&mut self, kind: &str) {
        if self.kind != kind {
            *self = Self::of(kind);
        }
    }

    fn of(kind: &str) -> Self {
        if kind != MULTIROTOR {
            return Self::default();
        }
        Self {
            name: "Multirotor".into(),
            kind: kind.to_owned(),
            outline: vec![
                (0.5, 0.0),
                (0.0, 0.5),
                (-0.4, 0.3),
                (-0.4, -0.3),
                (0.0, -0.5),
            ],
            ..Self::default()
        }
    }
}

/// The link and the names on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BridgeProfile {
    /// Address of the rosbridge; `None`: the page's own host.
    pub url: Option<String>,
    /// Prefixes the default names; absolute names below stay.
    pub namespace: String,
    /// Velocity topic.
    pub cmd_vel: Option<String>,
    /// McCtrl topic.
    pub mc_ctrl: Option<String>,
    /// Rtk topic; may be one of `sensor_msgs/NavSatFix`.
    pub rtk: Option<String>,
    /// Heading topic beside a `NavSatFix`.
    pub heading: Option<String>,
    /// Type of the velocity topic when the vehicle does not tell.
    pub cmd_vel_type: String,
    /// Type of the McCtrl topic when the vehicle does not tell.
    pub mc_ctrl_type: String,
    /// Type of the Rtk topic when the vehicle does not tell.
    pub rtk_type: String,
    /// Prefix of rosapi's services.
    pub rosapi: String,
}

impl Default for BridgeProfile {
    fn default() -> Self {
        Self {
            url: None,
            namespace: String::new(),
            cmd_vel: None,
            mc_ctrl: None,
            rtk: None,
            heading: None,
            cmd_vel_type: "geometry_msgs/msg/Twist".into(),
            mc_ctrl_type: "sweeper_msgs/msg/McCtrl".into(),
            rtk_type: "sweeper_msgs/msg/Rtk".into(),
            rosapi: "/rosapi".into(),
        }
    }
}

impl BridgeProfile {
    /// The velocity topic's full name.
    #[must_use]
    pub fn cmd_vel_topic(&self) -> String {
        self.resolve(self.cmd_vel.as_deref(), "cmd_vel")
    }

    /// The McCtrl topic's full name.
    #[must_use]
    pub fn mc_ctrl_topic(&self) -> String {
        self.resolve(self.mc_ctrl.as_deref(), "auto_mc_ctrl")
    }

    /// A multirotor's attitude topic's full name.
    #[must_use]
    pub fn attitude_topic(&self) -> String {
        self.resolve(None, "cmd_attitude")
    }

    /// The Rtk topic's full name.
    #[must_use]
    pub fn rtk_topic(&self) -> String {
        self.resolve(self.rtk.as_deref(), "rtk_message")
    }

    /// The heartbeat topic's full name.
    #[must_use]
    pub fn heartbeat_topic(&self) -> String {
        self.resolve(None, "console/heartbeat")
    }

    /// The full name of a topic as the profile has it.
    #[must_use]
    pub fn topic(&self, name: &str) -> String {
        self.resolve(Some(name), "")
    }

    fn resolve(&self, configured: Option<&str>, default: &str) -> String {
        let name = configured.unwrap_or(default);
        // rosbridge's inference and rosapi fail on names without a leading slash.
        if let Some(absolute) = name.strip_prefix('/') {
            return format!("/{absolute}");
        }
        match self.namespace.trim_matches('/') {
            "" => format!("/{name}"),
            namespace => format!("/{namespace}/{name}"),
        }
    }
}

/// The map.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MapProfile {
    /// Tile sources; none: the metric grid alone.
    pub sources: Vec<TileSource>,
    /// Where the map opens before the first position.
    pub start: Option<StartView>,
    /// A drawn keep-out or fence ahead lowers the speed limit: an aid, no protection.
    pub fence_limits_speed: bool,
}

/// One source of the map's ground.
#[derive(Debug, Clone, PartialEq)]
pub struct TileSource {
    /// Shown in the list of sources.
    pub name: String,
    /// What is at its address.
    pub kind: SourceKind,
    /// Of tiles with `{z}`, `{x}`, `{y}` and perhaps `{s}`, else of the file.
    pub url: String,
    /// What its tiles are drawn in.
    pub datum: Datum,
    /// Shown in the corner.
    pub attribution: String,
    /// Lowest zoom it has.
    pub min_zoom: u8,
    /// Highest zoom it has.
    pub max_zoom: u8,
}

/// What is at a source's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SourceKind {
    /// A picture for every tile.
    #[default]
    Xyz,
    /// All tiles in one file.
    Pmtiles,
    /// A site plan: one picture, placed by the operator.
    Plan,
}

/// What a map is drawn in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Datum {
    /// WGS84, also CGCS2000 for display.
    #[default]
    Wgs84,
    /// Amap, Tencent.
    Gcj02,
}

/// A first view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StartView {
    /// Degrees, WGS84.
    pub lat: f64,
    /// Degrees, WGS84.
    pub lon: f64,
    /// Leaflet zoom.
    pub zoom: f64,
}

/// The screen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScreenProfile {
    /// `en` or `zh`; `None`: the browser's.
    pub lang: Option<String>,
    /// `sun` or `dark`; `None`: the device's.
    pub theme: Option<String>,
    /// Name of this console for others; `None`: made up.
    pub console_name: Option<String>,
    /// Messages and service calls by hand, on the topics page.
    pub engineer_tools: bool,
}

/// The camera picture beside the map.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CameraProfile {
    /// Its topic, of `sensor_msgs/CompressedImage`; `None`: no picture.
    pub topic: Option<String>,
    /// How images are asked for: `none` (JSON, as without it), `cbor` or `png`.
    pub compression: Option<String>,
}

impl Profile {
    /// Another kind of vehicle than the file names: it drives by its velocity.
    pub fn take_kind(&mut self, kind: &str) {
        if self.vehicle.kind != kind {
            self.vehicle.be(kind);
            self.drive.via = Via::CmdVel;
            self.drive.steering = if kind == MULTIROTOR {
                Steering::Flight
            } else {
                Steering::default()
            };
        }
    }

    /// Reads `config.json`.
    ///
    /// # Errors
    /// All problems at once, each with the item's path (`drive.max_linear`) and the reason:
    /// text that is not JSON, unknown keys, wrong kinds, numbers outside their range.
    pub fn from_json(text: &str) -> Result<Self, Vec<ProfileProblem>> {
        let value = serde_json::from_str(text)
            .map_err(|error| vec![ProfileProblem::new("", Problem::NotJson(error.to_string()))])?;
        let mut root = Reader::new(&value);
        let vehicle = root.section("vehicle", read_vehicle);
        let flies = vehicle.kind == MULTIROTOR;
        let profile = Self {
            text: text.to_owned(),
            programs: String::new(),
            vehicle,
            bridge: root.section("bridge", read_bridge),
            drive: root.section("drive", |r| read_drive(r, flies)),
            tools: root.section("tools", read_tools),
            rtk: root.section("rtk", read_rtk),
            map: root.section("map", read_map),
            screen: root.section("screen", read_screen),
            camera: root.section("camera", read_camera),
        };
        let mut problems = root.finish();
        let repeated = reader::repeated_keys(text).into_iter();
        problems.extend(repeated.map(|path| ProfileProblem::new(path, Problem::Repeated)));
        if problems.is_empty() {
            Ok(profile)
        } else {
            Err(problems)
        }
    }

    /// Takes the programs of another profile in place of its own: those that were set on this
    /// device. Empty: its own again. False, and nothing is changed, when that cannot be used.
    pub fn take_programs(&mut self, text: &str) -> bool {
        let source = if text.is_empty() { &self.text } else { text };
        let Ok(other) = Self::from_json(source) else {
            return false;
        };
        self.tools.programs = other.tools.programs;
        text.clone_into(&mut self.programs);
        true
    }

    /// The profile that its programs are taken from; empty: itself.
    #[must_use]
    pub fn programs_taken(&self) -> &str {
        &self.programs
    }
}

fn read_vehicle(r: &mut Reader<'_>) -> VehicleProfile {
    let kinds = KINDS.map(|kind| (kind, kind));
    let d = VehicleProfile::of(r.choice("kind", &kinds, "sweeper"));
    VehicleProfile {
        name: r.name("name").unwrap_or(d.name),
        outline: r.points("outline", d.outline),
        kind: d.kind,
        deck_width: Meters(r.number("deck_width", 0.0, 0.0..=10.0)),
        deck_forward: Meters(r.number("deck_forward", 0.0, -20.0..=20.0)),
    }
}

fn read_bridge(r: &mut Reader<'_>) -> BridgeProfile {
    let d = BridgeProfile::default();
    let topics = r.section("topics", |r| {
        let [cmd_vel, mc_ctrl, rtk] = ["cmd_vel", "mc_ctrl", "rtk"].map(|name| r.topic(name));
        (cmd_vel, mc_ctrl, rtk, r.topic("heading"))
    });
    let types = r.section("types", |r| {
        ["cmd_vel", "mc_ctrl", "rtk"].map(|name| r.type_name(name))
    });
    let [cmd_vel_type, mc_ctrl_type, rtk_type] = types;
    let bridge = BridgeProfile {
        url: r.websocket_url("url"),
        namespace: r.namespace("namespace").unwrap_or(d.namespace),
        cmd_vel: topics.0,
        mc_ctrl: topics.1,
        rtk: topics.2,
        heading: topics.3,
        cmd_vel_type: cmd_vel_type.unwrap_or(d.cmd_vel_type),
        mc_ctrl_type: mc_ctrl_type.unwrap_or(d.mc_ctrl_type),
        rtk_type: rtk_type.unwrap_or(d.rtk_type),
        rosapi: r.topic("rosapi").unwrap_or(d.rosapi),
    };
    // What drives and what moves the tools are told apart by their topics.
    if bridge.cmd_vel_topic() == bridge.mc_ctrl_topic() {
        r.wrong_kind("topics.mc_ctrl", "another topic than that of cmd_vel");
    }
    bridge
}

fn read_drive(r: &mut Reader<'_>, flies: bool) -> DriveSettings {
    let d = DriveSettings::default();
    DriveSettings {
        via: r.choice(
            "via",
            &[
                ("cmd_vel", Via::CmdVel),
                if flies {
                    ("cmd_attitude", Via::Attitude)
                } else {
                    ("mc_ctrl", Via::McCtrl)
                },
            ],
            d.via,
        ),
        steering: if flies {
            Steering::Flight
        } else {
            r.choice(
                "steering",
                &[
                    ("differential", Steering::Differential),
                    ("ackermann", Steering::Ackermann),
                ],
                d.steering,
            )
        },
        rate_hz: r.number("rate_hz", d.rate_hz, 10.0..=50.0),
        deadman_ms: r.whole("deadman_ms", d.deadman_ms, 150..=1000),
        link_timeout_ms: r.whole("link_timeout_ms", d.link_timeout_ms, 150..=1000),
        max_linear: MetersPerSecond(r.limit("max_linear", d.max_linear.0, 3.0)),
        max_reverse: MetersPerSecond(r.limit("max_reverse", d.max_reverse.0, 3.0)),
        max_angular: RadiansPerSecond(r.limit("max_angular", d.max_angular.0, 3.0)),
        max_sideways: MetersPerSecond(r.limit("max_sideways", d.max_sideways.0, 3.0)),
        max_climb: MetersPerSecond(r.limit("max_climb", d.max_climb.0, 3.0)),
        max_sink: MetersPerSecond(r.limit("max_sink", d.max_sink.0, 3.0)),
        max_tilt_deg: Degrees(r.limit("max_tilt_deg", d.max_tilt_deg.0, 35.0)),
        acceleration: r.limit("acceleration", d.acceleration, 3.0),
        angular_acceleration: r.limit("angular_acceleration", d.angular_acceleration, 10.0),
        deadzone: r.number("deadzone", d.deadzone, 0.0..=0.4),
        expo: r.number("expo", d.expo, 0.0..=1.0),
        reverse_pause_s: r.number("reverse_pause_s", d.reverse_pause_s, 0.5..=5.0),
        wheelbase: Meters(r.number("wheelbase", d.wheelbase.0, 0.2..=10.0)),
        wheel_radius: Meters(r.number("wheel_radius", d.wheel_radius.0, 0.02..=2.0)),
        gear_ratio: r.number("gear_ratio", d.gear_ratio, 0.1..=500.0),
        max_steer_deg: Degrees(r.number("max_steer_deg", d.max_steer_deg.0, 1.0..=80.0)),
        steered_axle: r.choice(
            "steered_axle",
            &[("front", SteeredAxle::Front), ("rear", SteeredAxle::Rear)],
            d.steered_axle,
        ),
        lateral_acceleration: r.limit("lateral_acceleration", d.lateral_acceleration, 5.0),
        vigilance_s: r.number("vigilance_s", d.vigilance_s, 5.0..=60.0),
        unverified_max: MetersPerSecond(r.limit("unverified_max", d.unverified_max.0, 0.3)),
    }
}

fn read_tools(r: &mut Reader<'_>) -> ToolsSettings {
    let d = ToolsSettings::default();
    let trim = r.number("steering_trim_deg", 0.0, -MOST_TRIM_DEG..=MOST_TRIM_DEG);
    ToolsSettings {
        rate_hz: r.number("rate_hz", d.rate_hz, 5.0..=20.0),
        steering_sign: f64::from(r.choice("steering_sign", &[("1", 1_i8), ("-1", -1)], 1)),
        steering_trim_deg: trim,
        polarity: r.section("polarity", |r| {
            let mut sign = |key| r.choice(key, &[("1", 1), ("-1", -1)], 0);
            let [brake, deck] = [sign("brake"), sign("brush_deck")];
            let [squeegee, water] = [sign("squeegee"), sign("water")];
            // The steering's has its own item.
            Commissioned::stated([brake, deck, squeegee, 0, water], trim)
        }),
        max_angle_deg: r.limit("max_angle_deg", d.max_angle_deg, 66.0),
        angle_speed: r.whole("angle_speed", u64::from(d.angle_speed), 120..=1500) as u16,
        pusher_duty: r.whole("pusher_duty", u64::from(d.pusher_duty), 1..=100) as u8,
        stroke_s: r.number("stroke_s", d.stroke_s, 0.5..=60.0),
        reverse_dwell_s: r.number("reverse_dwell_s", d.reverse_dwell_s, 0.5..=30.0),
        spray_while: r.choice(
            "spray_while",
            &[
                ("held", SprayWhile::Held),
                ("driving_forward", SprayWhile::DrivingForward),
            ],
            d.spray_while,
        ),
        presence_s: r.number("presence_s", d.presence_s, 15.0..=600.0),
        engineer: r.flag("engineer", d.engineer),
        suction_run_on_s: r.number("suction_run_on_s", d.suction_run_on_s, 0.0..=60.0),
        squeegee_interlock: r.flag("squeegee_interlock", d.squeegee_interlock),
        reverse_sound: r.flag("reverse_sound", d.reverse_sound),
        programs: if r.has("programs") {
            r.short_list("programs", MOST_PROGRAMS, read_program)
        } else {
            d.programs
        },
    }
}

fn read_program(r: &mut Reader<'_>) -> Program {
    Program {
        name: r.required_text("name"),
        name_zh: r.text("name_zh").unwrap_or_default(),
        steps: r.required_list("steps", read_step),
    }
}

fn read_step(r: &mut Reader<'_>) -> Step {
    let strokes = [("extend", 1), ("retract", -1)];
    let percent =
        |r: &mut Reader<'_>, key| r.optional_whole(key, 0..=100).map(|percent| percent as u8);
    Step {
        for_s: r.number("for_s", 1.0, 0.1..=60.0),
        brush_deck_pusher: r.choice("brush_deck_pusher", &strokes, 0),
        suction_squeeqee_pusher: r.choice("suction_squeeqee_pusher", &strokes, 0),
        sprays: r.flag("spray", false),
        roll_brush_suction_direction: r
            .optional_whole("roll_brush_suction_direction", 0..=2)
            .map(|direction| direction as u8),
        roll_brush_suction: percent(r, "roll_brush_suction"),
        side_brush: percent(r, "side_brush"),
        dust_shake: percent(r, "dust_shake"),
        water_amount: percent(r, "water_amount"),
    }
}

fn read_rtk(r: &mut Reader<'_>) -> RtkSettings {
    let d = RtkSettings::default();
    RtkSettings {
        speed_unit: r.choice(
            "speed_unit",
            &[
                ("m/s", SpeedUnit::MetersPerSecond),
                ("km/h", SpeedUnit::KilometersPerHour),
                ("knots", SpeedUnit::Knots),
            ],
            d.speed_unit,
        ),
        heading_offset_deg: Degrees(r.number(
            "heading_offset_deg",
            d.heading_offset_deg.0,
            -360.0..=360.0,
        )),
        lever_arm_forward: Meters(r.number("lever_arm_forward", 0.0, -20.0..=20.0)),
        lever_arm_left: Meters(r.number("lever_arm_left", 0.0, -20.0..=20.0)),
        stale_after_s: r.number("stale_after_s", d.stale_after_s, 0.2..=10.0),
    }
}

fn read_map(r: &mut Reader<'_>) -> MapProfile {
    let sources = r.list("sources", |r| TileSource {
        name: r.text("name").unwrap_or_default(),
        kind: r.choice(
            "kind",
            &[
                ("xyz", SourceKind::Xyz),
                ("pmtiles", SourceKind::Pmtiles),
                ("plan", SourceKind::Plan),
            ],
            SourceKind::Xyz,
        ),
        url: r.required_text("url"),
        datum: r.choice(
            "datum",
            &[("wgs84", Datum::Wgs84), ("gcj02", Datum::Gcj02)],
            Datum::Wgs84,
        ),
        attribution: r.text("attribution").unwrap_or_default(),
        min_zoom: r.whole("min_zoom", 0, 0..=24) as u8,
        max_zoom: r.whole("max_zoom", 19, 1..=24) as u8,
    });
    for (place, source) in sources.iter().enumerate() {
        let is_tiled = ["{z}", "{x}", "{y}"]
            .iter()
            .all(|it| source.url.contains(it));
        if source.kind == SourceKind::Xyz && !source.url.is_empty() && !is_tiled {
            let key = format!("sources[{place}].url");
            r.wrong_kind(&key, "an address with {z}, {x} and {y}");
        }
    }
    let start = r.optional_section("start", |r| StartView {
        lat: r.number("lat", 0.0, -90.0..=90.0),
        lon: r.number("lon", 0.0, -180.0..=180.0),
        zoom: r.number("zoom", 18.0, 1.0..=24.0),
    });
    MapProfile {
        sources,
        start,
        fence_limits_speed: r.flag("fence_limits_speed", false),
    }
}

fn read_screen(r: &mut Reader<'_>) -> ScreenProfile {
    let named = |name: &'static str| (name, Some(name.to_owned()));
    ScreenProfile {
        lang: r.choice("lang", &[named("en"), named("zh")], None),
        theme: r.choice("theme", &[named("sun"), named("dark")], None),
        console_name: r.name("console_name"),
        engineer_tools: r.flag("engineer_tools", false),
    }
}

fn read_camera(r: &mut Reader<'_>) -> CameraProfile {
    let named = |name: &'static str| (name, Some(name.to_owned()));
    CameraProfile {
        topic: r.topic("topic"),
        compression: r.choice(
            "compression",
            &[named("none"), named("cbor"), named("png")],
            None,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::commissioning::Item;

    fn problems(text: &str) -> Vec<String> {
        Profile::from_json(text)
            .unwrap_err()
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn an_empty_profile_is_the_safe_default() {
        assert_eq!(Profile::from_json("{}"), Ok(Profile::default()));
    }

    #[test]
    fn a_profile_arrives_at_a_worker_as_it_was_read_with_the_namespace_of_the_address() {
        let text = r#"{"vehicle": {"name": "Sweeper 7"}, "drive": {"max_linear": 0.4},
            "rtk": {"speed_unit": "km/h"}, "map": {"start": {"lat": 31.2, "lon": 121.4}}}"#;
        let mut profile = Profile::from_json(text).unwrap();
        profile.bridge.namespace = "robot1".into();
        let bytes = postcard::to_allocvec(&profile).unwrap();
        assert_eq!(postcard::from_bytes(&bytes), Ok(profile));
    }

    #[test]
    fn programs_of_this_device_are_read_like_those_of_the_profile_and_go_along() {
        let own = r#"{"tools": {"programs": [{"name": "Own", "steps": [{}]}], "stroke_s": 7}}"#;
        let mut profile = Profile::from_json(own).unwrap();
        let other = r#"{"tools": {"programs": [{"name": "Other", "steps": [{"for_s": 2}]}]}}"#;
        assert!(profile.take_programs(other));
        assert_eq!(profile.tools.programs[0].name, "Other");
        assert!((profile.tools.stroke_s - 7.0).abs() < 1e-9);
        let bytes = postcard::to_allocvec(&profile).unwrap();
        let arrived: Profile = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(arrived, profile);
        let bad = r#"{"tools": {"programs": [{"name": "Bad", "steps": [{"for_s": 0}]}]}}"#;
        assert!(!profile.take_programs(bad));
        assert_eq!(profile, arrived);
        assert!(profile.take_programs(""));
        assert_eq!(profile, Profile::from_json(own).unwrap());
    }

    #[test]
    fn a_vehicle_of_another_kind_than_the_profiles_has_not_its_name() {
        let text = r#"{"vehicle": {"name": "Sweeper 7"}}"#;
        let mut profile = Profile::from_json(text).unwrap();
        profile.take_kind("sweeper");
        assert_eq!(profile.vehicle.name, "Sweeper 7");
        profile.take_kind("multirotor");
        assert_eq!(profile.vehicle.name, "Multirotor");
        let bytes = postcard::to_allocvec(&profile).unwrap();
        assert_eq!(postcard::from_bytes(&bytes), Ok(profile));
        let named = Profile::from_json(r#"{"vehicle": {"kind": "multirotor"}}"#).unwrap();
        assert_eq!(named.vehicle.name, "Multirotor");
    }

    #[test]
    fn an_unknown_key_is_named_with_its_path() {
        assert_eq!(
            problems(r#"{"drive": {"max_liner": 0.4}}"#),
            ["drive.max_liner: unknown key (did you mean max_linear?)"]
        );
    }

    #[test]
    fn drawn_fences_leave_the_speed_alone_unless_the_profile_wants_it() {
        assert!(!Profile::default().map.fence_limits_speed);
        let read = Profile::from_json(
            r#"{"map": {"fence_limits_speed": true}, "vehicle": {"deck_width": 0.9}}"#,
        )
        .unwrap();
        assert!(read.map.fence_limits_speed);
        assert!((read.vehicle.deck_width.0 - 0.9).abs() < 1e-9);
        assert_eq!(
            problems(r#"{"map": {"fence_limits_speed": 1}, "vehicle": {"deck_width": -1}}"#).len(),
            2
        );
    }

    #[test]
    fn a_limit_of_zero_or_above_its_ceiling_is_refused() {
        assert_eq!(
            problems(r#"{"drive": {"max_linear": 0, "max_angular": 99}}"#),
            [
                "drive.max_linear: 0 is outside above 0 to 3",
                "drive.max_angular: 99 is outside above 0 to 3"
            ]
        );
    }

    #[test]
    fn every_problem_is_reported_at_once() {
        let found = problems(
            r#"{"tools": {"rate_hz": "fast"}, "map": {"sources": [{"name": "x"}]}, "x": 1}"#,
        );
        assert_eq!(found.len(), 3, "{found:?}");
    }

    #[test]
    fn an_address_that_is_not_a_websocket_is_refused() {
        assert_eq!(
            problems(r#"{"bridge": {"url": "http://robot:9090"}}"#),
            [r#"bridge.url: "http://robot:9090" is not a ws:// or wss:// address"#]
        );
    }

    #[test]
    fn programs_are_read_step_by_step_and_every_mistake_is_named_by_its_path() {
        let read = Profile::from_json(
            r#"{"tools": {"programs": [{"name": "Rinse", "name_zh": "冲洗", "steps": [
                {"for_s": 2, "brush_deck_pusher": "extend"},
                {"for_s": 3, "spray": true, "side_brush": 40}]}]}}"#,
        )
        .unwrap();
        let [rinse] = &read.tools.programs[..] else {
            panic!("{:?}", read.tools.programs)
        };
        assert_eq!(
            (rinse.name.as_str(), rinse.name_zh.as_str()),
            ("Rinse", "冲洗")
        );
        assert_eq!(rinse.steps[0].brush_deck_pusher, 1);
        assert_eq!(rinse.steps[0].side_brush, None);
        assert!(rinse.steps[1].sprays && rinse.steps[1].side_brush == Some(40));
        let none = Profile::from_json(r#"{"tools": {"programs": []}}"#).unwrap();
        assert_eq!(none.tools.programs, []);
        assert_eq!(Profile::default().tools.programs.len(), 4);
        let words: Vec<String> = Profile::from_json(
            r#"{"tools": {"programs": [
                {"steps": [{"for_s": 0, "side_brush": 140, "brush_deck_pusher": "up", "spin": 1}]},
                {"name": "Nothing"}]}}"#,
        )
        .unwrap_err()
        .iter()
        .map(ToString::to_string)
        .collect();
        for named in [
            "tools.programs[0].name",
            "tools.programs[0].steps[0].for_s",
            "tools.programs[0].steps[0].side_brush",
            "tools.programs[0].steps[0].brush_deck_pusher",
            "tools.programs[0].steps[0].spin",
            "tools.programs[1].steps",
        ] {
            assert!(
                words.iter().any(|it| it.starts_with(named)),
                "{named}: {words:?}"
            );
        }
        let many = format!(
            r#"{{"tools": {{"programs": [{}]}}}}"#,
            [r#"{"name": "a", "steps": [{}]}"#; 7].join(",")
        );
        assert!(Profile::from_json(&many).is_err());
    }

    #[test]
    fn what_a_site_knows_of_its_vehicles_polarities_is_stated_item_by_item() {
        let profile = Profile::from_json(
            r#"{"tools": {"polarity": {"brake": -1, "squeegee": 1}, "steering_trim_deg": -1.4}}"#,
        )
        .unwrap();
        let stated = profile.tools.polarity;
        assert_eq!(stated.of(Item::Brake), Some(false));
        assert_eq!(stated.of(Item::BrushDeck), None);
        assert_eq!(stated.of(Item::Squeegee), Some(true));
        assert_eq!(stated.trim_steps(), -7);
        for (bad, named) in [
            (r#"{"polarity": {"brake": 0}}"#, "tools.polarity.brake"),
            (r#"{"polarity": {"deck": 1}}"#, "tools.polarity.deck"),
            (r#"{"steering_trim_deg": 10.2}"#, "tools.steering_trim_deg"),
        ] {
            let words = problems(&format!(r#"{{"tools": {bad}}}"#));
            assert!(words[0].starts_with(named), "{words:?}");
        }
    }

    #[test]
    fn a_source_of_the_map_is_tiles_an_archive_or_a_plan() {
        let read = Profile::from_json(
            r#"{"map": {"sources": [{"url": "t/{z}/{x}/{y}.png"},
                {"kind": "pmtiles", "url": "site.pmtiles", "datum": "gcj02"},
                {"kind": "plan", "url": "yard.png"}]}}"#,
        )
        .unwrap();
        let kinds: Vec<SourceKind> = read.map.sources.iter().map(|it| it.kind).collect();
        use SourceKind::{Plan, Pmtiles, Xyz};
        assert_eq!(kinds, [Xyz, Pmtiles, Plan]);
        assert_eq!(read.map.sources[1].datum, Datum::Gcj02);
        assert_eq!(
            problems(r#"{"map": {"sources": [{"kind": "mbtiles", "url": "{z}/{x}/{y}"}]}}"#),
            [r#"map.sources[0].kind: "mbtiles" is none of xyz, pmtiles, plan"#]
        );
    }

    #[test]
    fn a_namespace_prefixes_default_names_and_leaves_absolute_ones() {
        let profile = Profile::from_json(
            r#"{"bridge": {"namespace": "/robot1/", "topics": {"rtk": "/gps/rtk"}}}"#,
        )
        .unwrap();
        assert_eq!(profile.bridge.cmd_vel_topic(), "/robot1/cmd_vel");
        assert_eq!(
            profile.bridge.heartbeat_topic(),
            "/robot1/console/heartbeat"
        );
        assert_eq!(profile.bridge.rtk_topic(), "/gps/rtk");
    }

    #[test]
    fn a_camera_is_named_with_its_namespace_and_asked_for_in_a_known_way() {
        let profile = Profile::from_json(
            r#"{"bridge": {"namespace": "robot1"}, "camera": {"topic": "camera/compressed", "compression": "cbor"}}"#,
        )
        .unwrap();
        let topic = profile.camera.topic.as_deref().unwrap();
        assert_eq!(profile.bridge.topic(topic), "/robot1/camera/compressed");
        assert_eq!(profile.camera.compression.as_deref(), Some("cbor"));
        assert!(
            problems(r#"{"camera": {"compression": "jpeg"}}"#)[0].contains("camera.compression")
        );
    }

    #[test]
    fn a_name_that_cannot_be_shown_is_refused() {
        for name in ["", "  ", "a\\nb", "a\\u0007", "\\u202egnp", &"x".repeat(41)] {
            for (text, path) in [
                (
                    format!(r#"{{"vehicle": {{"name": "{name}"}}}}"#),
                    "vehicle.name",
                ),
                (
                    format!(r#"{{"screen": {{"console_name": "{name}"}}}}"#),
                    "screen.console_name",
                ),
            ] {
                assert_eq!(
                    problems(&text),
                    [format!("{path}: expected 1 to 40 visible characters")]
                );
            }
        }
        let named = Profile::from_json(r#"{"vehicle": {"name": "清扫车 7"}}"#).unwrap();
        assert_eq!(named.vehicle.name, "清扫车 7");
    }

    #[test]
    fn names_that_ros_does_not_know_are_refused() {
        for (text, path) in [
            (r#"{"bridge": {"namespace": "a b"}}"#, "bridge.namespace"),
            (r#"{"bridge": {"namespace": "a//b"}}"#, "bridge.namespace"),
            (
                r#"{"bridge": {"topics": {"cmd_vel": "cmd vel!"}}}"#,
                "bridge.topics.cmd_vel",
            ),
            (
                r#"{"bridge": {"topics": {"rtk": ""}}}"#,
                "bridge.topics.rtk",
            ),
            (r#"{"bridge": {"rosapi": "7/rosapi"}}"#, "bridge.rosapi"),
            (r#"{"camera": {"topic": "a b"}}"#, "camera.topic"),
            (
                r#"{"bridge": {"types": {"cmd_vel": "Twist"}}}"#,
                "bridge.types.cmd_vel",
            ),
            (
                r#"{"bridge": {"topics": {"mc_ctrl": "/cmd_vel"}}}"#,
                "bridge.topics.mc_ctrl",
            ),
            (
                r#"{"bridge": {"namespace": "r", "topics": {"cmd_vel": "/r/auto_mc_ctrl"}}}"#,
                "bridge.topics.mc_ctrl",
            ),
            (
                r#"{"map": {"sources": [{"url": "t/{z}/{x}.png"}]}}"#,
                "map.sources[0].url",
            ),
        ] {
            let found = problems(text);
            assert!(
                found.len() == 1 && found[0].starts_with(&[path, ": expected "].concat()),
                "{found:?}"
            );
        }
        let fine = r#"{"bridge": {"namespace": "/site/robot_1/", "rosapi": "/r/rosapi",
            "topics": {"cmd_vel": "drive", "rtk": "/gps/rtk"}, "types": {"rtk": "a/msg/B2"}}}"#;
        assert!(Profile::from_json(fine).is_ok());
    }

    #[test]
    fn a_key_that_is_given_twice_is_named_and_comments_may_repeat() {
        let text = r#"{"//": "a", "//": "\"drive\": {", "drive": {"expo": 0.1, "expo" : 0.2},
            "map": {"sources": [{"url": "{z}{x}{y}"}, {"url": "{z}{x}{y}", "name": "a,\\", "url": "{z}{x}{y}"}]},
            "drive": {"expo": 0.3}}"#;
        let repeated = ["drive.expo", "map.sources[1].url", "drive"]
            .map(|path| [path, ": given more than once"].concat());
        assert_eq!(problems(text), repeated);
        let once = r#"{"rtk": {"stale_after_s": 1}, "drive": {"expo": 0}, "map": {"start": {"lat": 1, "lon": 1}}}"#;
        assert!(Profile::from_json(once).is_ok());
    }

    #[test]
    fn text_that_is_not_json_says_where() {
        assert!(problems("{\"drive\": }")[0].contains("line 1"));
    }
}
