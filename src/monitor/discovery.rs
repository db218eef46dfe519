//! Asks the vehicle for the types of the topics that matter, and for its time.
//!
//! `topics_and_raw_types` tells names, types and fields in one answer. Where it is absent or
//! fails, `topics` tells names and types, and where that fails too, `topic_type` those of our
//! three topics; the fields then come from `message_details`, which is asked only for types that
//! were just told: with any other argument it breaks rosapi for every client.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::{Value, json};

use super::conflict::{self, Conflict, Role};
use super::namespace::{Namespace, namespaces};
use crate::msgs::schema::{details_of, fields_of};
use crate::pilot::intent::{Definitions, Fact, Found};
use crate::profile::BridgeProfile;
use crate::rosbridge::session::{CallError, CallId, Session};
use crate::units::Moment;

const CALL_TIMEOUT: Duration = Duration::from_secs(3);
/// A vehicle that is still starting tells more later.
const ASK_AGAIN_AFTER: Duration = Duration::from_secs(5);
/// Clocks drift: two devices by some milliseconds a minute.
const CLOCK_AGAIN_AFTER: Duration = Duration::from_secs(60);

/// What is known of the vehicle's types.
#[derive(Debug)]
pub(super) struct Discovery {
    rosapi: String,
    roles: &'static [Role],
    topics: [String; 4],
    found: [Found; 4],
    namespaces: Vec<Namespace>,
    conflicts: Vec<Conflict>,
    clock_ahead_ms: Option<f64>,
    /// What is asked next, and the type that was just told for it.
    questions: VecDeque<(Question, String)>,
    pending: Option<(CallId, Question)>,
    clock_call: Option<(CallId, Moment)>,
    next_ask: Option<Moment>,
    next_clock: Option<Moment>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    RawTypes,
    Topics,
    TopicType(Role),
    Details(Role),
    Publishers,
}

/// What an answer changes.
pub(super) enum News {
    /// The pilot should know.
    Tell(Fact),
    /// Somebody publishes the position, although nothing comes: ask for it again.
    SubscribeAgain,
}

impl Discovery {
    pub(super) fn new(bridge: &BridgeProfile, flies: bool) -> Self {
        Self {
            rosapi: bridge.rosapi.trim_end_matches('/').to_owned(),
            topics: [
                bridge.cmd_vel_topic(),
                bridge.mc_ctrl_topic(),
                bridge.rtk_topic(),
                bridge.attitude_topic(),
            ],
            roles: if flies {
                Role::IN_THE_AIR
            } else {
                Role::ON_WHEELS
            },
            found: [
                Found::Unasked,
                if flies { Found::Absent } else { Found::Unasked },
                Found::Unasked,
                Found::Unasked,
            ],
            namespaces: Vec::new(),
            conflicts: Vec::new(),
            clock_ahead_ms: None,
            questions: VecDeque::new(),
            pending: None,
            clock_call: None,
            next_ask: None,
            next_clock: None,
        }
    }

    /// What the vehicle told of one topic.
    pub(super) fn found(&self, role: Role) -> &Found {
        &self.found[role as usize]
    }

    /// Vehicles that the topics show.
    pub(super) fn namespaces(&self) -> &[Namespace] {
        &self.namespaces
    }

    /// Topics whose definition cannot be used.
    pub(super) fn conflicts(&self) -> &[Conflict] {
        &self.conflicts
    }

    /// A connection opened, or something is missing: ask.
    pub(super) fn begin(&mut self, session: &mut Session, now: Moment) {
        self.pending = None;
        self.ask_types(session, now);
        self.ask_clock(session, now);
    }

    /// Nothing comes on the position's topic: does anybody publish it? True when nobody can say.
    pub(super) fn ask_for_publishers(&mut self, session: &mut Session, now: Moment) -> bool {
        match self.found(Role::Rtk) {
            Found::Type { .. } => {}
            Found::Absent => return false,
            Found::Unasked | Found::NoAnswer => return true,
        }
        self.questions
            .push_back((Question::Publishers, String::new()));
        self.ask_next(session, now);
        false
    }

    pub(super) fn tick(&mut self, session: &mut Session, now: Moment) {
        if !session.is_open() {
            return;
        }
        if self.next_ask.is_some_and(|at| now >= at) {
            self.ask_types(session, now);
        }
        if self.next_clock.is_some_and(|at| now >= at) {
            self.ask_clock(session, now);
        }
    }

    /// An answer, or none in time. `unix_ms` is this device's time.
    pub(super) fn answered(
        &mut self,
        call: CallId,
        result: Result<Value, CallError>,
        session: &mut Session,
        unix_ms: f64,
        now: Moment,
    ) -> Vec<News> {
        if let Some((_, asked_at)) = self.clock_call.filter(|(asked, _)| *asked == call) {
            self.clock_call = None;
            let ahead = result
                .ok()
                .and_then(|values| clock_ahead(&values, asked_at, unix_ms, now));
            self.clock_ahead_ms = ahead.or(self.clock_ahead_ms);
            return self.clock_fact().map(News::Tell).into_iter().collect();
        }
        let Some((_, question)) = self.pending.filter(|(asked, _)| *asked == call) else {
            return Vec::new();
        };
        self.pending = None;
        if result == Err(CallError::Lost) {
            self.questions.clear();
            return Vec::new();
        }
        let is_hung = result == Err(CallError::TimedOut);
        let values = result.unwrap_or_default();
        let is_told = self.take(question, &values, is_hung);
        self.ask_next(session, now);
        match question {
            // A service that does not answer cannot hold the position back.
            Question::Publishers if values.get("publishers") != Some(&json!([])) => {
                vec![News::SubscribeAgain]
            }
            Question::Publishers => Vec::new(),
            _ if is_told && self.pending.is_none() => vec![News::Tell(self.tell(now))],
            _ => Vec::new(),
        }
    }

    /// All that is known, for a pilot that knows nothing yet.
    pub(super) fn known(&self) -> Vec<Fact> {
        let definitions = self.definitions();
        let definitions =
            (definitions != Definitions::default()).then_some(Fact::Definitions(definitions));
        definitions.into_iter().chain(self.clock_fact()).collect()
    }

    /// Works an answer in, and plans what must be asked because of it. False when the answer
    /// says nothing that is worth telling yet.
    fn take(&mut self, question: Question, values: &Value, is_hung: bool) -> bool {
        match question {
            Question::RawTypes | Question::Topics => {
                let Some(topics) = values.get("topics").and_then(Value::as_array) else {
                    if question == Question::RawTypes {
                        self.plan(Question::Topics, "");
                        return false;
                    }
                    for role in self.roles.iter().copied() {
                        if is_hung {
                            // Whatever is asked now waits behind it.
                            self.take_silence(role);
                        } else {
                            self.plan(Question::TopicType(role), "");
                        }
                    }
                    return is_hung;
                };
                self.namespaces = namespaces(topics, values.get("types"));
                for role in self.roles.iter().copied() {
                    let place = topics.iter().position(|name| *name == *self.topic(role));
                    let found = place.and_then(|place| found_at(values, place));
                    self.take_type(role, found.unwrap_or(Found::Absent));
                }
            }
            Question::TopicType(role) => match values.get("type").and_then(Value::as_str) {
                None => self.take_silence(role),
                Some("") => self.take_type(role, Found::Absent),
                Some(name) => {
                    let name = name.to_owned();
                    let fields = Vec::new();
                    self.take_type(role, Found::Type { name, fields });
                }
            },
            Question::Details(role) => {
                if let Found::Type { name, fields } = &mut self.found[role as usize] {
                    *fields = details_of(values, name);
                }
            }
            Question::Publishers => return false,
        }
        true
    }

    fn take_type(&mut self, role: Role, found: Found) {
        if let Found::Type { name, fields } = &found
            && fields.is_empty()
            && is_type_name(name)
        {
            let name = name.clone();
            self.plan(Question::Details(role), &name);
        }
        self.found[role as usize] = found;
    }

    /// What was told once stays told.
    fn take_silence(&mut self, role: Role) {
        if *self.found(role) == Found::Unasked {
            self.found[role as usize] = Found::NoAnswer;
        }
    }

    fn tell(&mut self, now: Moment) -> Fact {
        let is_told = |found: &Found| matches!(found, Found::Type { .. });
        self.next_ask = (!self.roles.iter().all(|role| is_told(self.found(*role))))
            .then(|| now + ASK_AGAIN_AFTER);
        let conflicts = self
            .roles
            .iter()
            .filter_map(|role| conflict::of(*role, self.topic(*role), self.found(*role)));
        self.conflicts = conflicts.collect();
        Fact::Definitions(self.definitions())
    }

    fn definitions(&self) -> Definitions {
        Definitions {
            cmd_vel: self.found(Role::CmdVel).clone(),
            mc_ctrl: self.found(Role::McCtrl).clone(),
            cmd_attitude: self.found(Role::Attitude).clone(),
        }
    }

    fn clock_fact(&self) -> Option<Fact> {
        self.clock_ahead_ms
            .map(|ahead_ms| Fact::VehicleClock { ahead_ms })
    }

    fn topic(&self, role: Role) -> &str {
        &self.topics[role as usize]
    }

    fn plan(&mut self, question: Question, kind: &str) {
        self.questions.push_back((question, kind.to_owned()));
    }

    fn ask_types(&mut self, session: &mut Session, now: Moment) {
        self.next_ask = None;
        self.questions.clear();
        self.plan(Question::RawTypes, "");
        self.ask_next(session, now);
    }

    fn ask_clock(&mut self, session: &mut Session, now: Moment) {
        self.next_clock = Some(now + CLOCK_AGAIN_AFTER);
        let call = self.call("get_time", json!({}), session, now);
        self.clock_call = call.map(|call| (call, now));
    }

    /// One question at a time: a hung service holds back what follows it.
    fn ask_next(&mut self, session: &mut Session, now: Moment) {
        if self.pending.is_some() {
            return;
        }
        let Some((question, kind)) = self.questions.pop_front() else {
            return;
        };
        let (name, args) = match question {
            Question::RawTypes => ("topics_and_raw_types", json!({})),
            Question::Topics => ("topics", json!({})),
            Question::TopicType(role) => ("topic_type", json!({"topic": self.topic(role)})),
            Question::Details(_) => ("message_details", json!({"type": kind})),
            Question::Publishers => ("publishers", json!({"topic": self.topic(Role::Rtk)})),
        };
        let call = self.call(name, args, session, now);
        self.pending = call.map(|call| (call, question));
    }

    fn call(&self, name: &str, args: Value, session: &mut Session, now: Moment) -> Option<CallId> {
        let service = [self.rosapi.as_str(), "/", name].concat();
        session.call(&service, args, CALL_TIMEOUT, now)
    }
}

/// A topic in the parallel lists of a rosapi answer.
fn found_at(values: &Value, place: usize) -> Option<Found> {
    let name = values.get("types")?.get(place)?.as_str()?.to_owned();
    let text = values.get("typedefs_full_text");
    let text = text.and_then(|texts| texts.get(place)?.as_str());
    let fields = fields_of(text.unwrap_or_default());
    let fields = fields
        .map(|(name, kind)| (name.to_owned(), kind.to_owned()))
        .collect();
    Some(Found::Type { name, fields })
}

/// `package/Name` or `package/msg/Name` of plain words: nothing else may be asked about.
fn is_type_name(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    matches!(name.matches('/').count(), 1 | 2) && name.split('/').all(is_word)
}

/// How far the vehicle's clock is ahead, taking half the round trip for the way back.
fn clock_ahead(values: &Value, asked_at: Moment, unix_ms: f64, now: Moment) -> Option<f64> {
    let time = values.get("time")?;
    let seconds = time.get("sec")?.as_f64()? + time.get("nanosec")?.as_f64()? * 1e-9;
    let half_way_ms = now.since(asked_at).as_secs_f64() * 500.0;
    Some(seconds * 1000.0 - (unix_ms - half_way_ms))
}
