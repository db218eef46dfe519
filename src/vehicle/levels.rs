//! Levels: tanks, battery, motor currents and faults, as topics of the vehicle's own.
//!
//! The documented interface has none of this, so the names are the simulated vehicle's, and the
//! types are the common ones, so that any vehicle can offer the same with a few lines. All come
//! once a second, under the vehicle's namespace:
//!
//! | topic | type | what |
//! |---|---|---|
//! | `battery_state` | `sensor_msgs/msg/BatteryState` | `percentage` 0…1, `voltage`, `current` (negative: discharging) |
//! | `tanks/clean_water` | `std_msgs/msg/Float32` | 0 empty … 1 full; falls while it sprays |
//! | `tanks/dirty_water` | `std_msgs/msg/Float32` | 0 empty … 1 full; rises while the suction runs on what is sprayed, falls while it drains |
//! | `motor_current/drive`, `…/roll_brush`, `…/side_brush`, `…/suction` | `std_msgs/msg/Float32` | amperes |
//! | `diagnostics` | `diagnostic_msgs/msg/DiagnosticArray` | five entries, see below |
//!
//! | entry | WARN | ERROR |
//! |---|---|---|
//! | `Clean water tank` | low: below 10 % | empty |
//! | `Dirty water tank` | nearly full: above 90 % | full: above 98 % |
//! | `Battery` | low: below 20 % | very low: below 10 % |
//! | `Roll brush motor` | | overload: more than 14 A for 1 s, which the brush reaches at full duty with the deck pressed down all the way |
//! | `Brake` | | never: its message says whether it is engaged |

use super::json::Json;
use super::sweeper::SweeperState;
use super::{VehicleState, convert};
use crate::msgs::std_msgs::Time;
use crate::ros::names;

/// Volts of the battery, for the currents.
const VOLTS: f64 = 24.0;
/// Amperes of the drive at 1 m/s.
const DRIVE_AMPERES: f64 = 25.0;
/// Amperes of the roll brush at 100 %, free and what the pressed deck adds.
const ROLL_BRUSH_AMPERES: (f64, f64) = (7.2, 7.2);
/// Amperes of the side brush at 100 %.
const SIDE_BRUSH_AMPERES: f64 = 3.0;
/// Amperes of the suction at 100 %.
const SUCTION_AMPERES: f64 = 9.0;
/// More than this is too much for the roll brush.
const OVERLOAD_AMPERES: f64 = 14.0;
/// For so long, in seconds.
const OVERLOAD_SECONDS: f64 = 1.0;

/// Faults that can be provoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The clean tank is empty.
    CleanEmpty,
    /// The dirty tank is full.
    DirtyFull,
    /// The battery is at 5 %.
    BatteryLow,
    /// The roll brush is blocked: its motor takes twice the current, and never less than 20 A.
    BrushOverload,
}

/// What the topics say; other than [`LevelsMode::Ok`] are the faults that a console must stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LevelsMode {
    /// The truth.
    #[default]
    Ok,
    /// Every number is NaN, which reaches the client as `null`.
    Nan,
    /// No messages.
    Silent,
}

/// Motor currents, amperes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Currents {
    /// The drive.
    pub drive: f64,
    /// The roll brush.
    pub roll_brush: f64,
    /// The side brush.
    pub side_brush: f64,
    /// The suction.
    pub suction: f64,
}

/// What makes the messages.
#[derive(Debug, Clone)]
pub struct Levels {
    prefix: String,
    mode: LevelsMode,
    is_brush_blocked: bool,
    currents: Currents,
    overloaded_for: f64,
}

impl Levels {
    /// Nothing runs yet.
    #[must_use]
    pub fn new(namespace: &str) -> Self {
        Self {
            prefix: names::namespace_prefix(namespace),
            mode: LevelsMode::Ok,
            is_brush_blocked: false,
            currents: Currents::default(),
            overloaded_for: 0.0,
        }
    }

    /// The topics and their short types.
    #[must_use]
    pub fn topics(&self) -> Vec<(String, &'static str)> {
        TOPICS
            .iter()
            .map(|(name, kind)| (self.name(name), *kind))
            .collect()
    }

    /// Sets what the topics say.
    pub fn set_mode(&mut self, mode: LevelsMode) {
        self.mode = mode;
    }

    /// Blocks the roll brush, or frees it.
    pub fn set_brush_blocked(&mut self, is_blocked: bool) {
        self.is_brush_blocked = is_blocked;
    }

    /// Motor currents, as of the last step.
    #[must_use]
    pub fn currents(&self) -> Currents {
        self.currents
    }

    /// Lets so many seconds pass while the vehicle moves at `speed` m/s.
    pub fn step(&mut self, seconds: f64, sweeper: &SweeperState, speed: f64) {
        let (free, pressed) = ROLL_BRUSH_AMPERES;
        let brush = sweeper.roll_brush.abs() / 100.0 * (free + pressed * sweeper.brush_deck);
        self.currents = Currents {
            drive: DRIVE_AMPERES * speed.abs(),
            roll_brush: if self.is_brush_blocked {
                (brush * 2.0).max(20.0)
            } else {
                brush
            },
            side_brush: SIDE_BRUSH_AMPERES * sweeper.side_brush / 100.0,
            suction: SUCTION_AMPERES * sweeper.suction / 100.0,
        };
        if self.currents.roll_brush > OVERLOAD_AMPERES {
            self.overloaded_for += seconds;
        } else {
            self.overloaded_for = 0.0;
        }
    }

    /// One round of messages.
    #[must_use]
    pub fn messages(&self, state: &VehicleState, time: Time) -> Vec<(String, Json)> {
        if self.mode == LevelsMode::Silent {
            return Vec::new();
        }
        let data = |value: f64| Json::object([("data", self.number(value))]);
        let sweeper = &state.sweeper;
        let messages = [
            self.battery(sweeper, time),
            data(sweeper.clean_tank),
            data(sweeper.dirty_tank),
            data(self.currents.drive),
            data(self.currents.roll_brush),
            data(self.currents.side_brush),
            data(self.currents.suction),
            self.diagnostics(state, time),
        ];
        let named = TOPICS.iter().map(|(name, _)| self.name(name));
        named.zip(messages).collect()
    }

    fn name(&self, topic: &str) -> String {
        format!("{}/{topic}", self.prefix)
    }

    fn number(&self, value: f64) -> Json {
        number(self.mode, value)
    }

    fn battery(&self, sweeper: &SweeperState, time: Time) -> Json {
        let Currents {
            drive,
            roll_brush,
            side_brush,
            suction,
        } = self.currents;
        let battery = Battery {
            level: sweeper.battery,
            amperes: 2.0 + drive + roll_brush + side_brush + suction,
            ampere_hours: 2000.0 / VOLTS,
            volts: (22.0, 26.0),
        };
        battery.message(self.mode, time)
    }

    fn diagnostics(&self, state: &VehicleState, time: Time) -> Json {
        let sweeper = &state.sweeper;
        let clean = match sweeper.clean_tank {
            level if level <= 0.0 => (ERROR, "empty"),
            level if level < 0.1 => (WARN, "low"),
            _ => (OK, "ok"),
        };
        let dirty = match sweeper.dirty_tank {
            level if level > 0.98 => (ERROR, "full"),
            level if level > 0.9 => (WARN, "nearly full"),
            _ => (OK, "ok"),
        };
        let battery = match sweeper.battery {
            level if level < 0.1 => (ERROR, "very low"),
            level if level < 0.2 => (WARN, "low"),
            _ => (OK, "ok"),
        };
        let brush = if self.overloaded_for >= OVERLOAD_SECONDS {
            (ERROR, "overload")
        } else {
            (OK, "ok")
        };
        let brake = if state.brake == 0 {
            "released"
        } else {
            "engaged"
        };
        let share = |level: f64| format!("{:.0} %", level * 100.0);
        let list = vec![
            status(
                "Clean water tank",
                clean,
                "level",
                share(sweeper.clean_tank),
            ),
            status(
                "Dirty water tank",
                dirty,
                "level",
                share(sweeper.dirty_tank),
            ),
            status("Battery", battery, "level", share(sweeper.battery)),
            status(
                "Roll brush motor",
                brush,
                "current",
                format!("{:.1} A", self.currents.roll_brush),
            ),
            status(
                "Brake",
                (OK, brake),
                "speed",
                format!("{:.2} m/s", state.speed),
            ),
        ];
        Json::object([("header", header(time)), ("status", Json::List(list))])
    }
}

/// A battery that is being discharged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Battery {
    /// 0 empty … 1 full.
    pub(super) level: f64,
    /// What is taken from it.
    pub(super) amperes: f64,
    /// What it holds.
    pub(super) ampere_hours: f64,
    /// Empty and full.
    pub(super) volts: (f64, f64),
}

impl Battery {
    /// The topic under the namespace, and its short type.
    pub(super) const TOPIC: (&'static str, &'static str) =
        ("battery_state", "sensor_msgs/BatteryState");

    /// What its topic says.
    pub(super) fn message(&self, mode: LevelsMode, time: Time) -> Json {
        let number = |value: f64| number(mode, value);
        let (empty, full) = self.volts;
        Json::object([
            ("header", header(time)),
            ("voltage", number(empty + (full - empty) * self.level)),
            ("temperature", f64::NAN.into()),
            ("current", number(-self.amperes)),
            ("charge", number(self.ampere_hours * self.level)),
            ("capacity", number(self.ampere_hours)),
            ("design_capacity", number(self.ampere_hours)),
            ("percentage", number(self.level)),
            ("power_supply_status", Json::Int(2)),
            ("power_supply_health", Json::Int(1)),
            ("power_supply_technology", Json::Int(3)),
            ("present", Json::Bool(true)),
            ("cell_voltage", Json::List(Vec::new())),
            ("cell_temperature", Json::List(Vec::new())),
            ("location", "".into()),
            ("serial_number", "simulated".into()),
        ])
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the fields are float32 on the wire"
)]
fn number(mode: LevelsMode, value: f64) -> Json {
    match mode {
        LevelsMode::Nan => f64::NAN.into(),
        _ => (value as f32).into(),
    }
}

const FLOAT: &str = "std_msgs/Float32";

const TOPICS: [(&str, &str); 8] = [
    Battery::TOPIC,
    ("tanks/clean_water", FLOAT),
    ("tanks/dirty_water", FLOAT),
    ("motor_current/drive", FLOAT),
    ("motor_current/roll_brush", FLOAT),
    ("motor_current/side_brush", FLOAT),
    ("motor_current/suction", FLOAT),
    ("diagnostics", "diagnostic_msgs/DiagnosticArray"),
];

/// The levels of `diagnostic_msgs/DiagnosticStatus`.
const OK: i128 = 0;
const WARN: i128 = 1;
const ERROR: i128 = 2;

fn header(time: Time) -> Json {
    Json::object([("stamp", convert::time_json(time)), ("frame_id", "".into())])
}

fn status(name: &str, (level, message): (i128, &str), key: &str, value: String) -> Json {
    let pair = Json::object([("key", key.into()), ("value", value.into())]);
    Json::object([
        ("level", Json::Int(level)),
        ("name", name.into()),
        ("message", message.into()),
        ("hardware_id", "simulated".into()),
        ("values", Json::List(vec![pair])),
    ])
}
