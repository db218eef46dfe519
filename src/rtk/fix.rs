//! What may be believed of the vehicle's position, by rules that can be read here.
//!
//! # States
//! In this order, the first that holds:
//!
//! | state | when |
//! |---|---|
//! | `none` | no message came yet |
//! | `stale` | the newest message is older than `stale_after_s` |
//! | `invalid` | the newest message's position cannot be used, or not yet: see [`Refusal`] |
//! | `frozen` | latitude, longitude and heading stayed bit-identical for [`FROZEN_AFTER`] while the reported speed or the command said moving; only a different position or heading ends it |
//! | `live` | otherwise |
//!
//! # Qualities
//! 4 (fixed) and 5 (float) are good; 1, 2, 6, 9 and numbers outside 0–9 are shown, and moving by
//! them is nobody's proof of standing. 0 (initialising) and 3 (invalid PPS) are refused, and so
//! are 7 (manually entered) and 8 (simulation), which say nothing about a real vehicle; an absent
//! quality is refused as well, because it may be any of these. The simulated vehicle reports what
//! a real one would, so it needs no exception.
//!
//! # Heading
//! It stands apart from the position: a message without a usable heading still tells where the
//! vehicle is. It is good only with a heading quality of 4 or 5; a heading of 0 with a poor
//! quality is not north.

use std::collections::VecDeque;
use std::time::Duration;

use thiserror::Error;

use super::gate::{JumpGate, Passage};
use super::geo::{LocalFrame, wrap_heading};
use super::settings::RtkSettings;
use super::view::{RtkState, RtkView};
use crate::msgs::sweeper::Rtk;
use crate::units::{Moment, maths};

/// How long a position may stay bit-identical while something says moving. A receiver with a
/// resolution of 1 cm, at the slowest speed that counts as moving, changes five times in it.
pub const FROZEN_AFTER: Duration = Duration::from_secs(1);
/// At and above this a speed, in m/s, says moving.
pub const MOVING_FROM: f64 = 0.05;
/// The span over which messages are counted.
const RATE_WINDOW: Duration = Duration::from_secs(5);
/// Degrees around latitude 0, longitude 0 within which a position is a receiver's way of saying
/// nothing (10 cm).
const NULL_ISLAND: f64 = 1e-6;

/// Why a message's position, or its heading, cannot be used: field and value, in the message's
/// own terms.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Refusal {
    /// Absent, or NaN or infinite before rosbridge made it null.
    #[error("{field} is null")]
    Null {
        /// The message's field.
        field: &'static str,
    },
    /// Text, a list, NaN: nothing to reckon with.
    #[error("{field} is not a number")]
    NotANumber {
        /// The message's field.
        field: &'static str,
    },
    /// A solution that is none of those that are counted.
    #[error("{field} is not a whole number")]
    NotWhole {
        /// The message's field.
        field: &'static str,
    },
    /// Not a number that can be, in degrees.
    #[error("{field} is {}outside {low} to {high}", readable(*value))]
    OutsideRange {
        /// The message's field.
        field: &'static str,
        /// What it held.
        value: f64,
        /// The lowest that can be.
        low: f64,
        /// The highest that can be.
        high: f64,
    },
    /// The place off Africa where receivers without a position say they are.
    #[error("lat and lon are 0")]
    NullIsland,
    /// A solution that is none, or not a real vehicle's.
    #[error("p_quality is {value} ({})", quality_in_words(*value))]
    Quality {
        /// 0, 3, 7 or 8.
        value: i64,
    },
    /// Farther from the last one than the vehicle can have driven: the gate holds it back.
    #[error("lat and lon are {meters} m off, not believed yet")]
    Jump {
        /// From the last position that was believed.
        meters: u32,
    },
}

/// A fix as far as "is it standing?" needs it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// m/s, as reported; `None` when not reported.
    pub speed: Option<f64>,
    /// Metres east and north of the first valid position, without the lever arm's correction (it
    /// would jump with the heading's quality); `None` when the position cannot be used.
    pub position: Option<(f64, f64)>,
    /// The position is usable, not frozen, and its quality is 4 or 5.
    pub is_good: bool,
}

/// Follows the messages and says what may be believed.
#[derive(Debug, Clone)]
pub struct FixTracker {
    settings: RtkSettings,
    newest: Option<Newest>,
    arrivals: VecDeque<Moment>,
    first_arrival: Option<Moment>,
    run: Option<Run>,
    gate: JumpGate,
    frame: Option<LocalFrame>,
    position: Option<(f64, f64)>,
    count: u64,
}

/// What the newest message said.
#[derive(Debug, Clone)]
struct Newest {
    received: Moment,
    antenna: Result<(f64, f64), Refusal>,
    heading: Result<f64, Refusal>,
    speed: Option<f64>,
    p_quality: Option<i64>,
    h_quality: Option<i64>,
}

/// Consecutive messages with the same bits.
#[derive(Debug, Clone, Copy)]
struct Run {
    bits: [Option<u64>; 3],
    /// Since when something has said moving, with these bits and without a pause.
    moving_since: Option<Moment>,
    is_frozen: bool,
}

impl FixTracker {
    /// A tracker that has heard nothing.
    #[must_use]
    pub fn new(settings: RtkSettings) -> Self {
        Self {
            settings,
            newest: None,
            arrivals: VecDeque::new(),
            first_arrival: None,
            run: None,
            gate: JumpGate::default(),
            frame: None,
            position: None,
            count: 0,
        }
    }

    /// A message came. `commanded_speed` is the linear speed that is being sent to the vehicle in
    /// m/s, any sign; `None` when it is not known. Answers what the gate says of a position that can
    /// be used.
    pub fn receive(
        &mut self,
        message: &Rtk,
        commanded_speed: Option<f64>,
        now: Moment,
    ) -> Option<Passage> {
        self.note_arrival(now);
        let mut newest = Newest {
            received: now,
            antenna: position_of(message),
            heading: heading_of(message, self.settings.heading_offset_deg.0),
            speed: message
                .speed
                .filter(|speed| speed.is_finite())
                .map(|speed| speed * self.settings.speed_unit.in_meters_per_second()),
            p_quality: message.p_quality,
            h_quality: message.h_quality,
        };
        let mut passage = None;
        if let Ok(antenna) = newest.antenna {
            let says_moving = [newest.speed, commanded_speed]
                .into_iter()
                .flatten()
                .any(|speed| speed.abs() >= MOVING_FROM);
            self.follow_run(message, says_moving, now);
            if !self.is_frozen() {
                let passed = self.gate.pass(antenna, now);
                passage = Some(passed);
                if let Passage::Held { distance } = passed {
                    let meters = distance as u32;
                    newest.antenna = Err(Refusal::Jump { meters });
                } else {
                    self.accept(antenna, newest.good_heading());
                }
            }
        }
        self.newest = Some(newest);
        passage
    }

    /// What may be believed now.
    #[must_use]
    pub fn view(&self, now: Moment) -> RtkView {
        let Some(newest) = &self.newest else {
            return RtkView::default();
        };
        let age = now.since(newest.received);
        let state = if age.as_secs_f64() > self.settings.stale_after_s {
            RtkState::Stale
        } else if newest.antenna.is_err() {
            RtkState::Invalid
        } else if self.is_frozen() {
            RtkState::Frozen
        } else {
            RtkState::Live
        };
        RtkView {
            state,
            position: self.position,
            heading: newest.heading.clone().ok(),
            speed: newest.speed,
            p_quality: newest.p_quality,
            h_quality: newest.h_quality,
            heading_is_good: newest.good_heading().is_some(),
            age_ms: Some(age.as_secs_f64() * 1000.0),
            rate_hz: self.rate_hz(now),
            problem: newest
                .antenna
                .as_ref()
                .err()
                .or(newest.heading.as_ref().err())
                .map(ToString::to_string),
            count: self.count,
        }
    }

    /// The newest message as far as "is it standing?" needs it; ask right after
    /// [`Self::receive`]. `None` before the first.
    #[must_use]
    pub fn seen_fix(&self) -> Option<Seen> {
        let newest = self.newest.as_ref()?;
        let antenna = newest.antenna.as_ref().ok().copied();
        Some(Seen {
            speed: newest.speed,
            position: antenna
                .zip(self.frame)
                .map(|(antenna, frame)| frame.east_north_from_lat_lon(antenna)),
            is_good: antenna.is_some() && !self.is_frozen() && is_good(newest.p_quality),
        })
    }

    fn is_frozen(&self) -> bool {
        self.run.is_some_and(|run| run.is_frozen)
    }

    /// Takes a position that passed every check.
    fn accept(&mut self, antenna: (f64, f64), heading: Option<f64>) {
        self.frame
            .get_or_insert_with(|| LocalFrame::around(antenna));
        self.position = Some(self.reference_from_antenna(antenna, heading));
        self.count += 1;
    }

    /// The vehicle's reference point. Without a good heading nobody knows on which side of the
    /// antenna it is, so the antenna itself stands for it.
    fn reference_from_antenna(&self, antenna: (f64, f64), heading: Option<f64>) -> (f64, f64) {
        let forward = self.settings.lever_arm_forward.0;
        let left = self.settings.lever_arm_left.0;
        match heading {
            Some(heading) if forward.hypot(left) > 0.0 => {
                let (sine, cosine) = maths::sin_cos(heading.to_radians());
                let east = forward * sine - left * cosine;
                let north = forward * cosine + left * sine;
                LocalFrame::around(antenna).lat_lon_from_east_north((-east, -north))
            }
            _ => antenna,
        }
    }

    fn follow_run(&mut self, message: &Rtk, says_moving: bool, now: Moment) {
        let bits = [message.lat, message.lon, message.head].map(|value| value.map(f64::to_bits));
        match &mut self.run {
            Some(run) if run.bits == bits => {
                if says_moving {
                    let since = *run.moving_since.get_or_insert(now);
                    run.is_frozen |= now.since(since) >= FROZEN_AFTER;
                } else {
                    run.moving_since = None;
                }
            }
            _ => {
                self.run = Some(Run {
                    bits,
                    moving_since: says_moving.then_some(now),
                    is_frozen: false,
                });
            }
        }
    }

    fn note_arrival(&mut self, now: Moment) {
        self.first_arrival.get_or_insert(now);
        self.arrivals.push_back(now);
        while self
            .arrivals
            .front()
            .is_some_and(|&arrival| now.since(arrival) >= RATE_WINDOW)
        {
            self.arrivals.pop_front();
        }
    }

    fn rate_hz(&self, now: Moment) -> f64 {
        let Some(first) = self.first_arrival else {
            return 0.0;
        };
        // Until the window has filled, the messages are counted over the time there was; under a
        // second of it would make the very first message a wild rate.
        let window = now.since(first).clamp(Duration::from_secs(1), RATE_WINDOW);
        let counted = self
            .arrivals
            .iter()
            .filter(|&&arrival| now.since(arrival) < window)
            .count();
        counted as f64 / window.as_secs_f64()
    }
}

impl Newest {
    fn good_heading(&self) -> Option<f64> {
        let heading = self.heading.as_ref().ok().copied();
        heading.filter(|_| is_good(self.h_quality))
    }
}

/// Fixed or float: a quality, of position or heading, that may be relied on.
#[must_use]
pub fn is_good(quality: Option<i64>) -> bool {
    matches!(quality, Some(4 | 5))
}

fn position_of(message: &Rtk) -> Result<(f64, f64), Refusal> {
    let lat = degrees("lat", message.lat, -90.0, 90.0)?;
    let lon = degrees("lon", message.lon, -180.0, 180.0)?;
    if lat.abs() < NULL_ISLAND && lon.abs() < NULL_ISLAND {
        return Err(Refusal::NullIsland);
    }
    match message.p_quality {
        None if message.has_odd_quality => Err(Refusal::NotWhole { field: "p_quality" }),
        None => Err(Refusal::Null { field: "p_quality" }),
        Some(value @ (0 | 3 | 7 | 8)) => Err(Refusal::Quality { value }),
        Some(_) => Ok((lat, lon)),
    }
}

fn heading_of(message: &Rtk, offset: f64) -> Result<f64, Refusal> {
    degrees("head", message.head, 0.0, 360.0).map(|head| wrap_heading(head + offset))
}

fn degrees(field: &'static str, value: Option<f64>, low: f64, high: f64) -> Result<f64, Refusal> {
    let value = value.ok_or(Refusal::Null { field })?;
    if !value.is_finite() {
        return Err(Refusal::NotANumber { field });
    }
    if (low..=high).contains(&value) {
        Ok(value)
    } else {
        Err(Refusal::OutsideRange {
            field,
            value,
            low,
            high,
        })
    }
}

/// A number that somebody reads: hundreds of digits say nothing.
fn readable(value: f64) -> String {
    if value.abs() < 10_000.0 {
        format!("{value}, ")
    } else {
        String::new()
    }
}

fn quality_in_words(quality: i64) -> &'static str {
    match quality {
        0 => "initialising",
        3 => "invalid PPS",
        7 => "manual",
        _ => "simulation",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtk::geo::distance_between_near;
    use crate::rtk::settings::SpeedUnit;
    use crate::units::{Degrees, Meters, millis};

    const HERE: (f64, f64) = (31.2, 121.5);

    fn fix() -> Rtk {
        Rtk {
            lat: Some(HERE.0),
            lon: Some(HERE.1),
            head: Some(90.0),
            speed: Some(0.0),
            p_quality: Some(4),
            h_quality: Some(4),
            ..Rtk::default()
        }
    }

    fn told(message: &str) -> Rtk {
        Rtk::from_value(&serde_json::from_str(message).unwrap())
    }

    fn at(ms: u64) -> Moment {
        Moment::START + millis(ms)
    }

    fn after(message: Rtk) -> RtkView {
        after_with(RtkSettings::default(), message)
    }

    fn after_with(settings: RtkSettings, message: Rtk) -> RtkView {
        let mut tracker = FixTracker::new(settings);
        tracker.receive(&message, None, at(0));
        tracker.view(at(0))
    }

    fn assert_near(value: f64, expected: f64, tolerance: f64) {
        assert!(
            (value - expected).abs() <= tolerance,
            "{value} is not {expected}"
        );
    }

    #[test]
    fn nothing_is_claimed_before_the_first_message() {
        let tracker = FixTracker::new(RtkSettings::default());
        assert_eq!(tracker.view(at(10_000)), RtkView::default());
        assert_eq!(tracker.seen_fix(), None);
    }

    #[test]
    fn a_good_message_is_live() {
        let view = after(fix());
        assert_eq!(view.state, RtkState::Live);
        assert_eq!(view.position, Some(HERE));
        assert_eq!(view.heading, Some(90.0));
        assert!(view.heading_is_good);
        assert_eq!((view.count, view.problem), (1, None));
    }

    #[test]
    fn it_is_stale_when_no_message_came_for_long_and_live_again_with_the_next() {
        let mut tracker = FixTracker::new(RtkSettings::default());
        tracker.receive(&fix(), None, at(0));
        assert_eq!(tracker.view(at(1000)).state, RtkState::Live);
        let stale = tracker.view(at(1001));
        assert_eq!(stale.state, RtkState::Stale);
        assert_eq!(stale.position, Some(HERE), "the last good position stays");
        assert_near(stale.age_ms.unwrap(), 1001.0, 1e-6);
        tracker.receive(&fix(), None, at(5000));
        assert_eq!(tracker.view(at(5000)).state, RtkState::Live);
    }

    #[test]
    fn an_invalid_position_names_field_and_value() {
        for (message, problem) in [
            (Rtk { lat: None, ..fix() }, "lat is null"),
            (Rtk { lon: None, ..fix() }, "lon is null"),
            (
                Rtk {
                    lat: Some(f64::NAN),
                    ..fix()
                },
                "lat is not a number",
            ),
            (
                Rtk {
                    lon: Some(f64::INFINITY),
                    ..fix()
                },
                "lon is not a number",
            ),
            (
                Rtk {
                    lat: Some(1e308),
                    ..fix()
                },
                "lat is outside -90 to 90",
            ),
            (
                told(r#"{"lat": "31.23", "lon": 121.5, "p_quality": 4}"#),
                "lat is not a number",
            ),
            (
                told(r#"{"lat": 31.2, "lon": 121.5, "p_quality": "4"}"#),
                "p_quality is not a whole number",
            ),
            (
                told(r#"{"lat": 31.2, "lon": 121.5, "p_quality": 4.5}"#),
                "p_quality is not a whole number",
            ),
            (
                told(r#"{"lat": 31.2, "lon": 121.5, "p_quality": null}"#),
                "p_quality is null",
            ),
            (told(r#"{"lon": 121.5, "p_quality": 4}"#), "lat is null"),
            (
                Rtk {
                    lat: Some(91.5),
                    ..fix()
                },
                "lat is 91.5, outside -90 to 90",
            ),
            (
                Rtk {
                    lon: Some(-181.0),
                    ..fix()
                },
                "lon is -181, outside -180 to 180",
            ),
            (
                Rtk {
                    lat: Some(0.0),
                    lon: Some(0.0),
                    ..fix()
                },
                "lat and lon are 0",
            ),
            (
                Rtk {
                    p_quality: None,
                    ..fix()
                },
                "p_quality is null",
            ),
            (
                Rtk {
                    p_quality: Some(0),
                    ..fix()
                },
                "p_quality is 0 (initialising)",
            ),
            (
                Rtk {
                    p_quality: Some(3),
                    ..fix()
                },
                "p_quality is 3 (invalid PPS)",
            ),
            (
                Rtk {
                    p_quality: Some(7),
                    ..fix()
                },
                "p_quality is 7 (manual)",
            ),
            (
                Rtk {
                    p_quality: Some(8),
                    ..fix()
                },
                "p_quality is 8 (simulation)",
            ),
            (Rtk::default(), "lat is null"),
        ] {
            let view = after(message);
            assert_eq!(view.state, RtkState::Invalid, "{message:?}");
            assert_eq!(view.problem.as_deref(), Some(problem));
            assert_eq!((view.position, view.count), (None, 0));
        }
    }

    #[test]
    fn the_equator_and_the_prime_meridian_are_places() {
        for (lat, lon) in [(0.0, 32.58), (51.48, 0.0)] {
            let view = after(Rtk {
                lat: Some(lat),
                lon: Some(lon),
                ..fix()
            });
            assert_eq!(view.state, RtkState::Live);
        }
    }

    #[test]
    fn an_invalid_message_leaves_the_last_good_position() {
        let mut tracker = FixTracker::new(RtkSettings::default());
        tracker.receive(&fix(), None, at(0));
        tracker.receive(&Rtk { lat: None, ..fix() }, None, at(100));
        let view = tracker.view(at(100));
        assert_eq!(view.state, RtkState::Invalid);
        assert_eq!((view.position, view.count), (Some(HERE), 1));
        tracker.receive(&fix(), None, at(200));
        assert_eq!(
            tracker.view(at(200)).state,
            RtkState::Live,
            "it cannot lock out"
        );
    }

    #[test]
    fn other_qualities_are_shown_as_they_are_and_prove_nothing() {
        for quality in [1, 2, 6, 9, 10, -1, 1602] {
            let mut tracker = FixTracker::new(RtkSettings::default());
            let message = Rtk {
                p_quality: Some(quality),
                ..fix()
            };
            tracker.receive(&message, None, at(0));
            let view = tracker.view(at(0));
            assert_eq!(
                (view.state, view.p_quality),
                (RtkState::Live, Some(quality))
            );
            assert!(!tracker.seen_fix().unwrap().is_good);
        }
    }

    #[test]
    fn a_heading_is_good_only_when_fixed_or_float() {
        for quality in -1..=10 {
            let view = after(Rtk {
                head: Some(0.0),
                h_quality: Some(quality),
                ..fix()
            });
            assert_eq!(
                view.heading_is_good,
                quality == 4 || quality == 5,
                "{quality}"
            );
        }
        assert!(
            !after(Rtk {
                h_quality: None,
                ..fix()
            })
            .heading_is_good
        );
    }

    #[test]
    fn a_bad_heading_is_named_and_costs_the_heading_only() {
        for (head, problem) in [
            (None, "head is null"),
            (Some(f64::NAN), "head is not a number"),
            (Some(1e308), "head is outside 0 to 360"),
            (Some(-725.0), "head is -725, outside 0 to 360"),
            (Some(-0.1), "head is -0.1, outside 0 to 360"),
            (Some(360.5), "head is 360.5, outside 0 to 360"),
        ] {
            let view = after(Rtk { head, ..fix() });
            assert_eq!(view.state, RtkState::Live);
            assert_eq!((view.heading, view.heading_is_good), (None, false));
            assert_eq!(view.problem.as_deref(), Some(problem));
        }
    }

    #[test]
    fn a_heading_wraps_at_north() {
        assert_eq!(
            after(Rtk {
                head: Some(360.0),
                ..fix()
            })
            .heading,
            Some(0.0)
        );
        let turned = RtkSettings {
            heading_offset_deg: Degrees(-90.0),
            ..RtkSettings::default()
        };
        let view = after_with(
            turned,
            Rtk {
                head: Some(45.0),
                ..fix()
            },
        );
        assert_eq!(view.heading, Some(315.0));
    }

    #[test]
    fn the_speed_is_shown_in_metres_a_second() {
        for (unit, expected) in [
            (SpeedUnit::MetersPerSecond, 3.6),
            (SpeedUnit::KilometersPerHour, 1.0),
            (SpeedUnit::Knots, 1.852),
        ] {
            let settings = RtkSettings {
                speed_unit: unit,
                ..RtkSettings::default()
            };
            let view = after_with(
                settings,
                Rtk {
                    speed: Some(3.6),
                    ..fix()
                },
            );
            assert_near(view.speed.unwrap(), expected, 1e-9);
        }
        assert_eq!(
            after(Rtk {
                speed: None,
                ..fix()
            })
            .speed,
            None
        );
    }

    #[test]
    fn the_lever_arm_turns_with_the_vehicle() {
        let settings = RtkSettings {
            lever_arm_forward: Meters(2.0),
            lever_arm_left: Meters(1.0),
            ..RtkSettings::default()
        };
        // The antenna is 2 m ahead and 1 m left; so, seen from the antenna, the vehicle's
        // reference point is 2 m behind and 1 m right.
        for (head, expected) in [
            (0.0, (1.0, -2.0)),
            (90.0, (-2.0, -1.0)),
            (180.0, (-1.0, 2.0)),
            (270.0, (2.0, 1.0)),
        ] {
            let view = after_with(
                settings.clone(),
                Rtk {
                    head: Some(head),
                    ..fix()
                },
            );
            let (east, north) =
                LocalFrame::around(HERE).east_north_from_lat_lon(view.position.unwrap());
            assert_near(east, expected.0, 1e-6);
            assert_near(north, expected.1, 1e-6);
        }
    }

    #[test]
    fn the_lever_arm_waits_for_a_good_heading() {
        let settings = RtkSettings {
            lever_arm_forward: Meters(2.0),
            ..RtkSettings::default()
        };
        let view = after_with(
            settings,
            Rtk {
                h_quality: Some(1),
                ..fix()
            },
        );
        assert_eq!(view.position, Some(HERE));
    }

    /// Repeats one message every 100 ms and says when it is first shown as frozen.
    fn frozen_at(message: Rtk, commanded_speed: Option<f64>) -> Option<u64> {
        let mut tracker = FixTracker::new(RtkSettings::default());
        (0..30).map(|step| step * 100).find(|&ms| {
            tracker.receive(&message, commanded_speed, at(ms));
            tracker.view(at(ms)).state == RtkState::Frozen
        })
    }

    #[test]
    fn the_same_bits_for_a_second_while_moving_are_a_fault() {
        let moving = Rtk {
            speed: Some(0.4),
            ..fix()
        };
        assert_eq!(frozen_at(moving, None), Some(1000));
        let reversing = Rtk {
            speed: Some(-0.4),
            ..fix()
        };
        assert_eq!(frozen_at(reversing, None), Some(1000));
        assert_eq!(
            frozen_at(fix(), Some(-0.3)),
            Some(1000),
            "the command says moving"
        );
        let silent = Rtk {
            speed: None,
            ..fix()
        };
        assert_eq!(frozen_at(silent, Some(0.3)), Some(1000));
    }

    #[test]
    fn a_standing_vehicle_may_repeat_itself() {
        assert_eq!(frozen_at(fix(), None), None);
        assert_eq!(frozen_at(fix(), Some(0.0)), None);
        assert_eq!(
            frozen_at(
                Rtk {
                    speed: Some(0.02),
                    ..fix()
                },
                None
            ),
            None
        );
    }

    #[test]
    fn one_wild_position_moves_nothing_and_says_so() {
        let mut tracker = FixTracker::new(RtkSettings::default());
        tracker.receive(&fix(), None, at(0));
        let wild = Rtk {
            lat: Some(HERE.0 + 0.01),
            ..fix()
        };
        tracker.receive(&wild, None, at(100));
        let view = tracker.view(at(100));
        assert_eq!(view.position, Some(HERE), "the last good position stays");
        assert_eq!((view.state, view.count), (RtkState::Invalid, 1));
        let problem = "lat and lon are 1108 m off, not believed yet";
        assert_eq!(view.problem.as_deref(), Some(problem));
        let seen = tracker.seen_fix().unwrap();
        assert_eq!((seen.position, seen.is_good), (None, false));
        tracker.receive(&fix(), None, at(200));
        let view = tracker.view(at(200));
        assert_eq!((view.state, view.count), (RtkState::Live, 2));
    }

    #[test]
    fn a_vehicle_that_is_elsewhere_is_shown_there_by_the_fifth_message() {
        let mut tracker = FixTracker::new(RtkSettings::default());
        let wrong = Rtk {
            lat: Some(HERE.0 + 0.01),
            ..fix()
        };
        tracker.receive(&wrong, None, at(0));
        let states: Vec<RtkState> = (1..=5)
            .map(|step| {
                tracker.receive(&fix(), None, at(step * 100));
                tracker.view(at(step * 100)).state
            })
            .collect();
        assert_eq!(states[..4], [RtkState::Invalid; 4]);
        assert_eq!(states[4], RtkState::Live);
        assert_eq!(tracker.view(at(500)).position, Some(HERE));
    }

    #[test]
    fn without_a_good_heading_the_lever_arm_is_no_jump() {
        let mut tracker = FixTracker::new(RtkSettings {
            lever_arm_forward: Meters(3.0),
            ..RtkSettings::default()
        });
        for step in 0..10 {
            let h_quality = Some(if step % 2 == 0 { 4 } else { 1 });
            tracker.receive(&Rtk { h_quality, ..fix() }, None, at(step * 100));
            assert_eq!(tracker.view(at(step * 100)).state, RtkState::Live);
        }
    }

    #[test]
    fn a_pause_in_moving_begins_the_second_anew() {
        let mut tracker = FixTracker::new(RtkSettings::default());
        for step in 0..40 {
            let commanded = if step % 8 == 0 { 0.0 } else { 0.3 };
            tracker.receive(&fix(), Some(commanded), at(step * 100));
            assert_eq!(tracker.view(at(step * 100)).state, RtkState::Live);
        }
    }

    #[test]
    fn only_another_position_or_heading_ends_frozen() {
        let mut tracker = FixTracker::new(RtkSettings::default());
        for step in 0..=10 {
            tracker.receive(&fix(), Some(0.3), at(step * 100));
        }
        assert!(!tracker.seen_fix().unwrap().is_good);
        let count = tracker.view(at(1000)).count;
        tracker.receive(&fix(), Some(0.0), at(1100));
        assert_eq!(tracker.view(at(1100)).state, RtkState::Frozen);
        assert_eq!(
            tracker.view(at(1100)).count,
            count,
            "a frozen one is not accepted"
        );
        let moved = Rtk {
            lat: Some(HERE.0 + 1e-7),
            ..fix()
        };
        tracker.receive(&moved, Some(0.3), at(1200));
        assert_eq!(tracker.view(at(1200)).state, RtkState::Live);
        assert!(tracker.seen_fix().unwrap().is_good);
    }

    #[test]
    fn a_frozen_position_that_ends_is_stale_not_frozen() {
        let mut tracker = FixTracker::new(RtkSettings::default());
        for step in 0..=10 {
            tracker.receive(&fix(), Some(0.3), at(step * 100));
        }
        assert_eq!(tracker.view(at(2500)).state, RtkState::Stale);
    }

    #[test]
    fn the_rate_is_counted_over_five_seconds() {
        let mut tracker = FixTracker::new(RtkSettings::default());
        for step in 0..=100 {
            tracker.receive(&fix(), None, at(step * 100));
        }
        assert_near(tracker.view(at(10_000)).rate_hz, 10.0, 1e-9);
        assert_near(tracker.view(at(12_500)).rate_hz, 5.0, 1e-9);
        assert_near(tracker.view(at(15_000)).rate_hz, 0.0, 1e-9);
    }

    #[test]
    fn the_rate_is_right_before_the_window_has_filled() {
        let mut tracker = FixTracker::new(RtkSettings::default());
        for step in 0..=20 {
            tracker.receive(&fix(), None, at(step * 100));
        }
        assert_near(tracker.view(at(2000)).rate_hz, 10.0, 1e-9);
    }

    #[test]
    fn invalid_messages_count_in_the_rate_and_the_age() {
        let mut tracker = FixTracker::new(RtkSettings::default());
        for step in 0..=20 {
            tracker.receive(&Rtk::default(), None, at(step * 100));
        }
        let view = tracker.view(at(2050));
        assert_near(view.rate_hz, 10.0, 0.5);
        assert_near(view.age_ms.unwrap(), 50.0, 1e-6);
    }

    #[test]
    fn a_seen_fix_is_in_metres_from_the_first() {
        let mut tracker = FixTracker::new(RtkSettings::default());
        tracker.receive(&fix(), None, at(0));
        assert_eq!(tracker.seen_fix().unwrap().position, Some((0.0, 0.0)));
        let north = LocalFrame::around(HERE).lat_lon_from_east_north((0.0, 2.0));
        let moved = Rtk {
            lat: Some(north.0),
            speed: Some(0.5),
            p_quality: Some(5),
            ..fix()
        };
        tracker.receive(&moved, None, at(100));
        let seen = tracker.seen_fix().unwrap();
        assert_near(seen.position.unwrap().1, 2.0, 1e-6);
        assert_eq!((seen.speed, seen.is_good), (Some(0.5), true));
        assert_near(distance_between_near(HERE, north), 2.0, 1e-6);
    }

    #[test]
    fn an_invalid_one_is_seen_as_nothing() {
        let mut tracker = FixTracker::new(RtkSettings::default());
        tracker.receive(&fix(), None, at(0));
        tracker.receive(
            &Rtk {
                p_quality: Some(0),
                ..fix()
            },
            None,
            at(100),
        );
        let seen = tracker.seen_fix().unwrap();
        assert_eq!((seen.position, seen.is_good), (None, false));
    }

    #[test]
    fn hostile_numbers_never_panic() {
        let values = [
            None,
            Some(f64::NAN),
            Some(f64::NEG_INFINITY),
            Some(f64::MAX),
            Some(f64::MIN_POSITIVE),
            Some(-0.0),
            Some(90.0),
            Some(-180.0),
        ];
        let mut tracker = FixTracker::new(RtkSettings {
            lever_arm_forward: Meters(1.0),
            ..RtkSettings::default()
        });
        for lat in values {
            for lon in values {
                for quality in [None, Some(i64::MIN), Some(i64::MAX), Some(4)] {
                    let message = Rtk {
                        lat,
                        lon,
                        head: lat,
                        speed: lon,
                        p_quality: quality,
                        h_quality: quality,
                        ..Rtk::default()
                    };
                    tracker.receive(&message, lat, at(0));
                    let view = tracker.view(at(0));
                    let (lat, lon) = view.position.unwrap_or_default();
                    assert!(lat.is_finite() && lon.is_finite());
                }
            }
        }
    }
}
