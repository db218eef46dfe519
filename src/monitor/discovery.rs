//! Asks the vehicle for the types of the topics that matter, and for its time.
//!
//! `topics_and_raw_types` tells names, types and fields in one answer; where it is absent or
//! fails, `topics` tells names and types. Nothing else is asked: some calls with a bad argument
//! break rosapi for every client.

use std::time::Duration;

use serde_json::{Value, json};

use crate::msgs::schema::fields_of;
use crate::pilot::intent::{Definitions, Fact, Found};
use crate::profile::BridgeProfile;
use crate::rosbridge::session::{CallError, CallId, Session};
use crate::units::Moment;

const CALL_TIMEOUT: Duration = Duration::from_secs(3);
/// A vehicle that is still starting tells more later.
const ASK_AGAIN_AFTER: Duration = Duration::from_secs(5);

/// What is known of the vehicle's types.
#[derive(Debug)]
pub(super) struct Discovery {
    cmd_vel_topic: String,
    mc_ctrl_topic: String,
    rtk_topic: String,
    rosapi: String,
    definitions: Definitions,
    clock_ahead_ms: Option<f64>,
    rtk: Found,
    pending: Option<(CallId, Question)>,
    clock_call: Option<(CallId, Moment)>,
    next_ask: Option<Moment>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    RawTypes,
    Topics,
}

impl Discovery {
    pub(super) fn new(bridge: &BridgeProfile) -> Self {
        Self {
            cmd_vel_topic: bridge.cmd_vel_topic(),
            mc_ctrl_topic: bridge.mc_ctrl_topic(),
            rtk_topic: bridge.rtk_topic(),
            rosapi: bridge.rosapi.trim_end_matches('/').to_owned(),
            definitions: Definitions::default(),
            clock_ahead_ms: None,
            rtk: Found::Unasked,
            pending: None,
            clock_call: None,
            next_ask: None,
        }
    }

    /// The position topic's type.
    pub(super) fn rtk(&self) -> &Found {
        &self.rtk
    }

    /// A connection opened, or something is missing: ask.
    pub(super) fn begin(&mut self, session: &mut Session, now: Moment) {
        self.next_ask = None;
        self.ask(Question::RawTypes, session, now);
        let clock = format!("{}/get_time", self.rosapi);
        self.clock_call = session
            .call(&clock, json!({}), CALL_TIMEOUT, now)
            .map(|call| (call, now));
    }

    pub(super) fn tick(&mut self, session: &mut Session, now: Moment) {
        if self.next_ask.is_some_and(|at| now >= at) && session.is_open() {
            self.next_ask = None;
            self.ask(Question::RawTypes, session, now);
        }
    }

    /// An answer, or none in time: what the pilot should know. `unix_ms` is this device's time.
    pub(super) fn answered(
        &mut self,
        call: CallId,
        result: Result<Value, CallError>,
        session: &mut Session,
        unix_ms: f64,
        now: Moment,
    ) -> Vec<Fact> {
        if let Some((_, asked_at)) = self.clock_call.filter(|(asked, _)| *asked == call) {
            self.clock_call = None;
            let ahead = result
                .ok()
                .and_then(|values| clock_ahead(&values, asked_at, unix_ms, now));
            self.clock_ahead_ms = ahead.or(self.clock_ahead_ms);
            return self.clock_fact().into_iter().collect();
        }
        let Some((_, question)) = self.pending.filter(|(asked, _)| *asked == call) else {
            return Vec::new();
        };
        self.pending = None;
        match (result, question) {
            (Err(CallError::Lost), _) => Vec::new(),
            (Ok(values), _) => {
                self.read(&values);
                self.tell(now)
            }
            (Err(_), Question::RawTypes) => {
                self.ask(Question::Topics, session, now);
                Vec::new()
            }
            (Err(_), Question::Topics) => {
                for found in [
                    &mut self.definitions.cmd_vel,
                    &mut self.definitions.mc_ctrl,
                    &mut self.rtk,
                ] {
                    if *found == Found::Unasked {
                        *found = Found::NoAnswer;
                    }
                }
                self.tell(now)
            }
        }
    }

    /// All that is known, for a pilot that knows nothing yet.
    pub(super) fn known(&self) -> Vec<Fact> {
        let definitions = (self.definitions != Definitions::default())
            .then(|| Fact::Definitions(self.definitions.clone()));
        definitions.into_iter().chain(self.clock_fact()).collect()
    }

    fn clock_fact(&self) -> Option<Fact> {
        self.clock_ahead_ms
            .map(|ahead_ms| Fact::VehicleClock { ahead_ms })
    }

    fn tell(&mut self, now: Moment) -> Vec<Fact> {
        let is_told = |found: &Found| matches!(found, Found::Type { .. });
        let all_told = is_told(&self.definitions.cmd_vel)
            && is_told(&self.definitions.mc_ctrl)
            && is_told(&self.rtk);
        self.next_ask = (!all_told).then(|| now + ASK_AGAIN_AFTER);
        vec![Fact::Definitions(self.definitions.clone())]
    }

    fn ask(&mut self, question: Question, session: &mut Session, now: Moment) {
        let name = match question {
            Question::RawTypes => "topics_and_raw_types",
            Question::Topics => "topics",
        };
        let service = format!("{}/{name}", self.rosapi);
        self.pending = session
            .call(&service, json!({}), CALL_TIMEOUT, now)
            .map(|call| (call, question));
    }

    fn read(&mut self, values: &Value) {
        let find = |topic: &str| found_in(values, topic).unwrap_or(Found::Absent);
        self.definitions = Definitions {
            cmd_vel: find(&self.cmd_vel_topic),
            mc_ctrl: find(&self.mc_ctrl_topic),
        };
        self.rtk = find(&self.rtk_topic);
    }
}

/// The topic in the parallel lists of a rosapi answer.
fn found_in(values: &Value, topic: &str) -> Option<Found> {
    let list = |name: &str| values.get(name).and_then(Value::as_array);
    let place = list("topics")?
        .iter()
        .position(|name| name.as_str() == Some(topic))?;
    let name = list("types")?.get(place)?.as_str()?.to_owned();
    let text = list("typedefs_full_text").and_then(|texts| texts.get(place)?.as_str());
    let fields = text.map(fields_of).into_iter().flatten();
    let fields = fields
        .map(|(name, kind)| (name.to_owned(), kind.to_owned()))
        .collect();
    Some(Found::Type { name, fields })
}

/// How far the vehicle's clock is ahead, taking half the round trip for the way back.
fn clock_ahead(values: &Value, asked_at: Moment, unix_ms: f64, now: Moment) -> Option<f64> {
    let time = values.get("time")?;
    let seconds = time.get("sec")?.as_f64()? + time.get("nanosec")?.as_f64()? * 1e-9;
    let half_way_ms = now.since(asked_at).as_secs_f64() * 500.0;
    Some(seconds * 1000.0 - (unix_ms - half_way_ms))
}
