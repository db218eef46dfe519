//! What topics there are, who publishes them, and what their types look like.
//!
//! One question at a time, and with pauses: rosapi has one thread for everybody. Types and topics
//! are only asked about after they were listed; anything else can break rosapi.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::monitor::namespace::{Namespace, namespaces};
use crate::msgs::definition::{Definitions, short_name};
use crate::rosbridge::session::{CallError, CallId, Session};
use crate::units::Moment;

const CALL_TIMEOUT: Duration = Duration::from_secs(5);
const LIST_AGAIN_AFTER: Duration = Duration::from_secs(5);
/// While nobody sees the list: tanks, battery and faults may come from nodes that start late.
const LOOK_AGAIN_AFTER: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(250);
/// Who publishes changes seldom; of a topic that is looked at it is asked more often.
const PUBLISHERS_AGAIN_AFTER: Duration = Duration::from_secs(30);
const WATCHED_AGAIN_AFTER: Duration = Duration::from_secs(4);
/// Topics that are kept.
const MOST_TOPICS: usize = 5000;

/// One topic.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Topic {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) publishers: Option<u32>,
    asked_at: Option<Moment>,
}

impl Topic {
    pub(super) fn new(name: &str, kind: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: kind.to_owned(),
            publishers: None,
            asked_at: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Question {
    RawTypes,
    Topics,
    Details(String),
    Publishers(String),
}

/// What an answer brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    Nothing,
    Topics,
    Definitions,
}

/// The catalogue.
#[derive(Debug)]
pub(super) struct Catalogue {
    rosapi: String,
    topics: Vec<Topic>,
    namespaces: Vec<Namespace>,
    definitions: Definitions,
    /// Types that have been asked about; those without an answer are not asked about for ever.
    asked_kinds: BTreeSet<String>,
    has_raw_types: bool,
    pending: Option<(CallId, Question)>,
    next_list: Moment,
    next_question: Moment,
}

impl Catalogue {
    pub(super) fn new(rosapi: &str) -> Self {
        Self {
            rosapi: rosapi.trim_end_matches('/').to_owned(),
            topics: Vec::new(),
            namespaces: Vec::new(),
            definitions: Definitions::default(),
            asked_kinds: BTreeSet::new(),
            has_raw_types: false,
            pending: None,
            next_list: Moment::START,
            next_question: Moment::START,
        }
    }

    /// By name.
    pub(super) fn topics(&self) -> &[Topic] {
        &self.topics
    }

    /// Vehicles that the topics show.
    pub(super) fn namespaces(&self) -> &[Namespace] {
        &self.namespaces
    }

    pub(super) fn topic(&self, name: &str) -> Option<&Topic> {
        self.topics.iter().find(|topic| topic.name == name)
    }

    pub(super) fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// A connection opened: everything may be different.
    pub(super) fn begin(&mut self, now: Moment) {
        self.pending = None;
        self.asked_kinds.clear();
        self.has_raw_types = false;
        self.next_list = now;
        self.next_question = now;
    }

    /// Asks what is most wanted. `watched` are the topics that are looked at, `is_listed` says
    /// which others the operator sees, `is_seen` whether anything is looked at in any way: if not,
    /// rosapi is left alone except for the list itself.
    pub(super) fn tick(
        &mut self,
        session: &mut Session,
        watched: &[&str],
        is_listed: impl Fn(&Topic) -> bool,
        is_seen: bool,
        now: Moment,
    ) {
        if !session.is_open() || self.pending.is_some() || now < self.next_question {
            return;
        }
        let Some(question) = self.next(watched, is_listed, is_seen, now) else {
            self.next_question = now + PAUSE;
            return;
        };
        let (name, args) = match &question {
            Question::RawTypes => ("topics_and_raw_types", json!({})),
            Question::Topics => ("topics", json!({})),
            Question::Details(kind) => ("message_details", json!({"type": kind})),
            Question::Publishers(topic) => ("publishers", json!({"topic": topic})),
        };
        let service = [self.rosapi.as_str(), "/", name].concat();
        let call = session.call(&service, args, CALL_TIMEOUT, now);
        self.pending = call.map(|call| (call, question));
    }

    /// When [`Self::tick`] has something to do.
    pub(super) fn next_wakeup(&self) -> Option<Moment> {
        self.pending.is_none().then_some(self.next_question)
    }

    pub(super) fn answered(
        &mut self,
        call: CallId,
        result: Result<Value, CallError>,
        now: Moment,
    ) -> News {
        let Some((_, question)) = self.pending.take_if(|(asked, _)| *asked == call) else {
            return News::Nothing;
        };
        self.next_question = now + PAUSE;
        let values = result.ok();
        match question {
            Question::RawTypes => {
                self.has_raw_types = true;
                // Where it is absent the plain list does.
                if let Some(values) = values {
                    self.next_list = now + LIST_AGAIN_AFTER;
                    self.take_list(&values);
                    self.take_texts(&values);
                    return News::Definitions;
                }
                self.next_question = now;
            }
            Question::Topics => {
                self.next_list = now + LIST_AGAIN_AFTER;
                if let Some(values) = values {
                    self.take_list(&values);
                    return News::Topics;
                }
            }
            Question::Details(_) => {
                if let Some(values) = values {
                    self.definitions.add_details(&values);
                    return News::Definitions;
                }
            }
            Question::Publishers(name) => {
                let list = values.as_ref().and_then(|v| v.get("publishers"));
                let count = list.and_then(Value::as_array).map(Vec::len);
                if let Some(topic) = self.topics.iter_mut().find(|topic| topic.name == name) {
                    topic.publishers = count.and_then(|count| u32::try_from(count).ok());
                    return News::Topics;
                }
            }
        }
        News::Nothing
    }

    fn next(
        &mut self,
        watched: &[&str],
        is_listed: impl Fn(&Topic) -> bool,
        is_seen: bool,
        now: Moment,
    ) -> Option<Question> {
        if is_seen && !self.has_raw_types {
            return Some(Question::RawTypes);
        }
        let is_due = if is_seen {
            now >= self.next_list
        } else {
            let pause = LOOK_AGAIN_AFTER - LIST_AGAIN_AFTER;
            now >= self.next_list && (self.topics.is_empty() || now >= self.next_list + pause)
        };
        if is_due {
            return Some(Question::Topics);
        }
        let kinds = self.topics.iter().filter(|t| watched.contains(&&*t.name));
        for kind in kinds.map(|topic| topic.kind.clone()) {
            let is_known = self.definitions.get(&short_name(&kind)).is_some();
            if !is_known && is_type_name(&kind) && self.asked_kinds.insert(kind.clone()) {
                return Some(Question::Details(kind));
            }
        }
        let wait = |topic: &Topic| {
            if watched.contains(&&*topic.name) {
                WATCHED_AGAIN_AFTER
            } else {
                PUBLISHERS_AGAIN_AFTER
            }
        };
        // Topics that are looked at come first, then those that were not asked about for longest.
        let due = self.topics.iter_mut().filter(|topic| {
            let is_due = topic.asked_at.is_none_or(|at| now.since(at) >= wait(topic));
            is_due && (watched.contains(&&*topic.name) || is_listed(topic))
        });
        let topic = due.min_by_key(|topic| (!watched.contains(&&*topic.name), topic.asked_at))?;
        topic.asked_at = Some(now);
        Some(Question::Publishers(topic.name.clone()))
    }

    fn take_list(&mut self, values: &Value) {
        let list = |name: &str| values.get(name).and_then(Value::as_array);
        let (Some(names), Some(kinds)) = (list("topics"), list("types")) else {
            return;
        };
        self.namespaces = namespaces(names, values.get("types"));
        let mut topics: Vec<Topic> = Vec::new();
        for (name, kind) in names.iter().zip(kinds).take(MOST_TOPICS) {
            let (Some(name), Some(kind)) = (name.as_str(), kind.as_str()) else {
                continue;
            };
            let known = self.topic(name).filter(|topic| topic.kind == kind);
            topics.push(known.cloned().unwrap_or_else(|| Topic::new(name, kind)));
        }
        topics.sort_by(|a, b| a.name.cmp(&b.name));
        self.topics = topics;
    }

    fn take_texts(&mut self, values: &Value) {
        let list = |name: &str| values.get(name).and_then(Value::as_array);
        let (Some(kinds), Some(texts)) = (list("types"), list("typedefs_full_text")) else {
            return;
        };
        for (kind, text) in kinds.iter().zip(texts) {
            if let (Some(kind), Some(text)) = (kind.as_str(), text.as_str())
                && !text.trim().is_empty()
            {
                // One that cannot be read costs its own units only.
                self.definitions
                    .add_full_text(kind, text)
                    .unwrap_or_default();
            }
        }
    }
}

/// Of plain words: nothing else may be asked about.
fn is_type_name(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    matches!(name.matches('/').count(), 1 | 2) && name.split('/').all(is_word)
}

/// How long after a question nobody has an answer any more.
pub(super) const SILENCE: Duration = Duration::from_secs(15);
