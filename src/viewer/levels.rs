//! Battery, tanks, motor currents and faults, of vehicles that offer them.
//!
//! The documented interface has none of them, so they are found by what other vehicles use: the
//! battery and the faults by their types, tanks and currents by names under the vehicle's
//! namespace ([`Gauge::topic`]). Of two topics of the same type the one with the shorter name is
//! taken; what lies under another vehicle's namespace is that vehicle's.
//!
//! A value that is absent, not finite or out of its range is unknown, never 0.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::catalogue::Topic;
use crate::monitor::namespace::Namespace;
use crate::rosbridge::handle::{Handle, Handles};
use crate::rosbridge::session::{Session, Subscription};
use crate::units::Moment;

/// They are published about once a second.
const THROTTLE_MS: u32 = 500;
/// Diagnostics come from many nodes on one topic, so none may be left out for another: at most ten
/// a second, and so many that wait.
const FAULTS_THROTTLE_MS: u32 = 100;
const FAULTS_QUEUE: u32 = 16;
/// Entries that are remembered, and letters of each.
const MOST_ENTRIES: usize = 64;
const MOST_LETTERS: usize = 80;
/// A current beyond this is none.
const MOST_AMPERES: f64 = 1000.0;
/// What was heard longer ago is said to be old.
pub const OLD_AFTER_S: u32 = 5;

/// Something that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Gauge {
    /// 0 empty … 1 full.
    #[default]
    Battery,
    /// 0 empty … 1 full.
    CleanWater,
    /// 0 empty … 1 full.
    DirtyWater,
    /// Amperes.
    DriveCurrent,
    /// Amperes.
    RollBrushCurrent,
    /// Amperes.
    SideBrushCurrent,
    /// Amperes.
    SuctionCurrent,
}

impl Gauge {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Battery,
        Self::CleanWater,
        Self::DirtyWater,
        Self::DriveCurrent,
        Self::RollBrushCurrent,
        Self::SideBrushCurrent,
        Self::SuctionCurrent,
    ];

    /// The topic under the namespace; the battery's is found by its type.
    #[must_use]
    pub fn topic(self) -> &'static str {
        match self {
            Self::Battery => "battery_state",
            Self::CleanWater => "tanks/clean_water",
            Self::DirtyWater => "tanks/dirty_water",
            Self::DriveCurrent => "motor_current/drive",
            Self::RollBrushCurrent => "motor_current/roll_brush",
            Self::SideBrushCurrent => "motor_current/side_brush",
            Self::SuctionCurrent => "motor_current/suction",
        }
    }

    /// For the page's attributes.
    #[must_use]
    pub fn slug(self) -> &'static str {
        let topic = self.topic();
        topic.rsplit_once('/').map_or("battery", |(_, last)| last)
    }

    /// Amperes, not a share of 1.
    #[must_use]
    pub fn is_current(self) -> bool {
        self as usize > Self::DirtyWater as usize
    }
}

/// What is known of a gauge that the vehicle offers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GaugeView {
    /// Which.
    pub gauge: Gauge,
    /// As last heard; none: nothing heard, or nothing that makes sense.
    pub value: Option<f64>,
    /// Whole seconds since it was heard; none: never.
    pub age_s: Option<u32>,
}

/// How bad an entry is, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum FaultLevel {
    /// A level that `diagnostic_msgs` does not have.
    #[default]
    Unknown,
    /// WARN.
    Warn,
    /// STALE: the node that watches hears nothing.
    Silent,
    /// ERROR.
    Error,
}

/// An entry that is not OK, in the vehicle's own words.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Fault {
    /// How bad.
    pub level: FaultLevel,
    /// What it concerns.
    pub name: String,
    /// What is the matter.
    pub message: String,
    /// Whole seconds since it was heard.
    pub age_s: u32,
}

/// What is known of the faults of a vehicle that offers them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FaultsView {
    /// Whole seconds since anything was heard; none: never.
    pub age_s: Option<u32>,
    /// The worst entry, one that was just heard before one that was not.
    pub worst: Option<Fault>,
    /// How many more are not OK.
    pub more: u32,
}

/// What the vehicle offers of all that, and what is known of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LevelsView {
    /// In the order of [`Gauge::ALL`], those on offer only.
    pub gauges: Vec<GaugeView>,
    /// None: not on offer.
    pub faults: Option<FaultsView>,
}

/// The topics on offer: the gauges in their order, then the faults.
pub(super) type Offers = [Option<String>; 8];

const FAULTS: usize = Gauge::ALL.len();

/// What the topics offer under the namespace of `prefix` (empty, or with a slash before it).
pub(super) fn offers(prefix: &str, vehicles: &[Namespace], topics: &[Topic]) -> Offers {
    let mut offers = Offers::default();
    for Topic { name, kind, .. } in topics {
        let topic = name.as_str();
        let Some(rest) = topic.strip_prefix(prefix).and_then(|t| t.strip_prefix('/')) else {
            continue;
        };
        let is_anothers = vehicles.iter().any(|vehicle| {
            vehicle.name.len() >= prefix.len()
                && topic
                    .strip_prefix('/')
                    .and_then(|t| t.strip_prefix(vehicle.name.as_str()))
                    .is_some_and(|t| !vehicle.name.is_empty() && t.starts_with('/'))
        });
        let source = match kind.rsplit('/').next() {
            _ if is_anothers => continue,
            Some("BatteryState") => 0,
            Some("DiagnosticArray") => FAULTS,
            Some("Float32") => {
                let of_name = |gauge: &Gauge| gauge.topic() == rest;
                match Gauge::ALL.iter().position(of_name) {
                    Some(source) => source,
                    None => continue,
                }
            }
            _ => continue,
        };
        if let Some(offer) = offers.get_mut(source)
            && offer.as_ref().is_none_or(|known| topic.len() < known.len())
        {
            *offer = Some(topic.to_owned());
        }
    }
    offers
}

/// Listens to what is on offer.
#[derive(Debug, Default)]
pub(super) struct Levels {
    offers: Offers,
    held: [Option<Handle>; FAULTS + 1],
    gauges: [(Option<f64>, Option<Moment>); FAULTS],
    entries: Vec<(FaultEntry, Moment)>,
    faults_at: Option<Moment>,
}

/// None of a level: OK.
#[derive(Debug)]
struct FaultEntry {
    level: Option<FaultLevel>,
    name: String,
    message: String,
}

impl Levels {
    /// Subscribes what is on offer now, and no longer what is not.
    pub(super) fn follow(&mut self, offers: Offers, handles: &mut Handles, session: &mut Session) {
        if self.offers == offers {
            return;
        }
        for (source, (before, now)) in self.offers.iter().zip(&offers).enumerate() {
            if before == now {
                continue;
            }
            if let Some(gauge) = self.gauges.get_mut(source) {
                *gauge = (None, None);
            } else {
                self.entries.clear();
                self.faults_at = None;
            }
            let held = now.as_ref().map(|topic| {
                let (kind, throttle_ms, queue_length) = match source {
                    0 => ("sensor_msgs/msg/BatteryState", THROTTLE_MS, 1),
                    FAULTS => (
                        "diagnostic_msgs/msg/DiagnosticArray",
                        FAULTS_THROTTLE_MS,
                        FAULTS_QUEUE,
                    ),
                    _ => ("std_msgs/msg/Float32", THROTTLE_MS, 1),
                };
                let wanted = Subscription {
                    throttle_ms,
                    queue_length,
                    ..Subscription::newest(topic, kind)
                };
                handles.subscribe(wanted, session)
            });
            if let Some(place) = self.held.get_mut(source) {
                *place = held;
            }
        }
        handles.sweep(session);
        self.offers = offers;
    }

    /// Whether it listens to that topic.
    pub(super) fn wants(&self, topic: &str) -> bool {
        self.offers.iter().flatten().any(|offer| offer == topic)
    }

    /// Takes a message, if it is one of these.
    pub(super) fn take(&mut self, topic: &str, msg: &Value, now: Moment) {
        let is_of = |offer: &Option<String>| offer.as_deref() == Some(topic);
        let Some(source) = self.offers.iter().position(is_of) else {
            return;
        };
        if let Some(gauge) = self.gauges.get_mut(source) {
            *gauge = (value_of(source, msg), Some(now));
        } else {
            self.faults_at = Some(now);
            let list = msg.get("status").and_then(Value::as_array);
            for status in list.into_iter().flatten() {
                self.take_entry(status, now);
            }
        }
    }

    /// What is known.
    pub(super) fn view(&self, now: Moment) -> LevelsView {
        let age = |at: Moment| now.since(at).as_secs() as u32;
        let gauges = Gauge::ALL.iter().zip(&self.gauges).zip(&self.offers);
        let gauges = gauges.filter(|(_, offer)| offer.is_some());
        let gauges = gauges.map(|((gauge, (value, at)), _)| GaugeView {
            gauge: *gauge,
            value: *value,
            age_s: at.map(age),
        });
        let is_offered = self.offers.last().is_some_and(Option::is_some);
        LevelsView {
            gauges: gauges.collect(),
            faults: is_offered.then(|| {
                let bad = self
                    .entries
                    .iter()
                    .filter(|(entry, _)| entry.level.is_some());
                let more = bad.clone().count().saturating_sub(1) as u32;
                let worst = bad.max_by_key(|(entry, at)| (age(*at) <= OLD_AFTER_S, entry.level));
                FaultsView {
                    age_s: self.faults_at.map(age),
                    worst: worst.map(|(entry, at)| Fault {
                        level: entry.level.unwrap_or_default(),
                        name: entry.name.clone(),
                        message: entry.message.clone(),
                        age_s: age(*at),
                    }),
                    more,
                }
            }),
        }
    }

    fn take_entry(&mut self, status: &Value, now: Moment) {
        let text = |key: &str| -> String {
            let text = status.get(key).and_then(Value::as_str).unwrap_or_default();
            text.chars().take(MOST_LETTERS).collect()
        };
        let entry = FaultEntry {
            level: level_of(status.get("level")),
            name: text("name"),
            message: text("message"),
        };
        self.entries.retain(|(known, _)| known.name != entry.name);
        if self.entries.len() >= MOST_ENTRIES {
            self.entries.remove(0);
        }
        self.entries.push((entry, now));
    }
}

fn value_of(source: usize, msg: &Value) -> Option<f64> {
    let is_battery = source == Gauge::Battery as usize;
    if is_battery && msg.get("present") == Some(&Value::Bool(false)) {
        return None;
    }
    let name = if is_battery { "percentage" } else { "data" };
    let value = msg.get(name)?.as_f64()?;
    let range = if source > Gauge::DirtyWater as usize {
        -MOST_AMPERES..=MOST_AMPERES
    } else {
        0.0..=1.0
    };
    range.contains(&value).then_some(value)
}

/// None is OK. The level is a `byte`, which servers send as a number or, because Python calls it
/// bytes, as a text: the byte itself or its base64.
fn level_of(level: Option<&Value>) -> Option<FaultLevel> {
    let number = match level {
        Some(Value::String(text)) => match text.as_bytes() {
            [byte] => Some(u64::from(*byte)),
            b"AA==" => Some(0),
            b"AQ==" => Some(1),
            b"Ag==" => Some(2),
            b"Aw==" => Some(3),
            _ => None,
        },
        Some(value) => value.as_u64(),
        None => None,
    };
    Some(match number {
        Some(0) => return None,
        Some(1) => FaultLevel::Warn,
        Some(2) => FaultLevel::Error,
        Some(3) => FaultLevel::Silent,
        _ => FaultLevel::Unknown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::millis;
    use serde_json::json;

    fn offered(prefix: &str, vehicles: &[&str], topics: &[(&str, &str)]) -> Vec<Option<String>> {
        let vehicles: Vec<Namespace> = vehicles
            .iter()
            .map(|name| Namespace {
                name: (*name).to_owned(),
                ..Namespace::default()
            })
            .collect();
        let topics: Vec<Topic> = topics
            .iter()
            .map(|(name, kind)| Topic::new(name, kind))
            .collect();
        offers(prefix, &vehicles, &topics).to_vec()
    }

    #[test]
    fn battery_and_faults_are_found_by_type_and_tanks_by_name() {
        let found = offered(
            "",
            &[""],
            &[
                ("/power/main", "sensor_msgs/msg/BatteryState"),
                ("/tanks/clean_water", "std_msgs/msg/Float32"),
                ("/tanks/clean_water_raw", "std_msgs/msg/Float32"),
                ("/tanks/dirty_water", "std_msgs/msg/String"),
                ("/diagnostics_agg", "diagnostic_msgs/msg/DiagnosticArray"),
                ("/diagnostics", "diagnostic_msgs/msg/DiagnosticArray"),
            ],
        );
        let mut wanted = vec![None; 8];
        wanted[0] = Some("/power/main".to_owned());
        wanted[1] = Some("/tanks/clean_water".to_owned());
        wanted[7] = Some("/diagnostics".to_owned());
        assert_eq!(found, wanted);
    }

    #[test]
    fn the_battery_of_another_vehicle_is_not_this_ones() {
        let topics = [
            ("/robot2/battery_state", "sensor_msgs/msg/BatteryState"),
            ("/robot1/power", "sensor_msgs/msg/BatteryState"),
        ];
        let vehicles = ["", "robot1", "robot2"];
        assert_eq!(offered("", &vehicles, &topics)[0], None);
        let own = offered("/robot2", &vehicles, &topics);
        assert_eq!(own[0].as_deref(), Some("/robot2/battery_state"));
        assert_eq!(offered("/robot", &vehicles, &topics)[0], None);
    }

    #[test]
    fn what_makes_no_sense_is_unknown_and_never_zero() {
        for (msg, value) in [
            (json!({"percentage": 0.5, "present": true}), Some(0.5)),
            (json!({"percentage": 0.0}), Some(0.0)),
            (json!({"percentage": null}), None),
            (json!({"percentage": 57.0}), None),
            (json!({"percentage": -0.1}), None),
            (json!({"percentage": 0.5, "present": false}), None),
            (json!({}), None),
        ] {
            assert_eq!(value_of(0, &msg), value, "{msg}");
        }
        assert_eq!(value_of(3, &json!({"data": 1e300})), None);
        assert_eq!(value_of(3, &json!({"data": -3.5})), Some(-3.5));
    }

    #[test]
    fn a_level_is_read_however_the_server_writes_a_byte() {
        for error in [json!(2), json!("\u{2}"), json!("Ag==")] {
            assert_eq!(level_of(Some(&error)), Some(FaultLevel::Error));
        }
        assert_eq!(level_of(Some(&json!("AA=="))), None);
        assert_eq!(level_of(Some(&json!(9))), Some(FaultLevel::Unknown));
        assert_eq!(level_of(None), Some(FaultLevel::Unknown));
    }

    fn listening() -> Levels {
        let mut levels = Levels::default();
        levels.offers[FAULTS] = Some("/diagnostics".into());
        levels
    }

    fn said(entries: &[(u8, &str)]) -> Value {
        let list: Vec<_> = entries
            .iter()
            .map(|(level, name)| json!({"level": level, "name": name, "message": "m"}))
            .collect();
        json!({ "status": list })
    }

    #[test]
    fn the_worst_of_all_nodes_is_shown_until_its_own_node_says_that_it_is_over() {
        let mut levels = listening();
        let at = |seconds: u64| Moment::START + millis(seconds * 1000);
        levels.take("/diagnostics", &said(&[(2, "brush"), (0, "lamp")]), at(1));
        levels.take("/diagnostics", &said(&[(1, "tank")]), at(2));
        let view = levels.view(at(2)).faults.unwrap();
        assert_eq!(view.worst.unwrap().name, "brush");
        assert_eq!((view.more, view.age_s), (1, Some(0)));
        levels.take("/diagnostics", &said(&[(0, "brush")]), at(3));
        let view = levels.view(at(3)).faults.unwrap();
        assert_eq!((view.worst.unwrap().name.as_str(), view.more), ("tank", 0));
    }

    #[test]
    fn a_fault_that_nobody_repeats_gives_way_to_one_that_is_just_told() {
        let mut levels = listening();
        let at = |seconds: u64| Moment::START + millis(seconds * 1000);
        levels.take("/diagnostics", &said(&[(2, "brush")]), at(0));
        levels.take("/diagnostics", &said(&[(1, "tank")]), at(20));
        let worst = levels.view(at(20)).faults.unwrap().worst.unwrap();
        assert_eq!((worst.name.as_str(), worst.age_s), ("tank", 0));
        // Both are old then, and the worse one counts again.
        let worst = levels.view(at(40)).faults.unwrap().worst.unwrap();
        assert_eq!((worst.name.as_str(), worst.age_s), ("brush", 40));
    }

    #[test]
    fn a_flood_of_names_is_bounded() {
        let mut levels = listening();
        for number in 0..1000 {
            let name = format!("{number}{}", "x".repeat(500));
            levels.take("/diagnostics", &said(&[(1, &name)]), Moment::START);
        }
        assert_eq!(levels.entries.len(), MOST_ENTRIES);
        assert!(
            levels
                .entries
                .iter()
                .all(|(e, _)| e.name.len() <= MOST_LETTERS)
        );
    }
}
