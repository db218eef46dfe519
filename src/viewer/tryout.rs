//! Messages and service calls by hand, for engineers: one at a time, each by an act of its own,
//! nothing repeated and nothing replayed. What moves the vehicle is refused: the pad sends that.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::tree::{Line, lines};
use crate::msgs::definition::{Definitions, short_name};
use crate::msgs::form::{self, FormField, Mistake};
use crate::msgs::normalized_type;
use crate::rosbridge::session::{CallError, CallId, Session};
use crate::units::Moment;

/// Of rosapi.
const ASK_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest that a call may be waited for.
const LONGEST_CALL: Duration = Duration::from_secs(120);
/// Services that are listed.
const MOST_SERVICES: usize = 500;

/// What is tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// A message is published there.
    Topic {
        /// Its name.
        name: String,
        /// Its type, for one that is not listed; empty: as listed.
        kind: String,
    },
    /// It is called.
    Service(String),
}

/// Why it is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// The profile has not switched it on.
    Off,
    /// No name, or no type, that ROS could have.
    BadName,
    /// Commands and heartbeats are the console's, whichever vehicle's they are.
    Command,
    /// The topic has that type.
    OtherType(String),
    /// The server did not list it.
    NotListed,
    /// The console asks rosapi itself: a wrong argument can end it for everybody.
    Rosapi,
    /// There is no connection.
    Offline,
}

/// How far it has got.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum Step {
    /// Nothing is tried.
    #[default]
    None,
    /// It must not be.
    Refused(Refusal),
    /// The vehicle is asked how the form looks.
    Asking,
    /// The form can be filled in.
    Ready,
    /// So many messages were sent.
    Sent(u32),
    /// The service was called.
    Waiting,
    /// It answered.
    Answered(Vec<Line>),
    /// It did not, or refused: the server's words.
    Failed(String),
}

/// What is shown.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TryoutView {
    /// The services that the server lists.
    pub services: Vec<String>,
    /// What is tried.
    pub target: Option<Target>,
    /// Its type.
    pub kind: String,
    /// What can be filled in; a field without a path: all of it as JSON.
    pub form: Vec<FormField>,
    /// How far it has got.
    pub step: Step,
    /// Of what was last typed: nothing of it was sent.
    pub mistakes: Vec<Mistake>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    Services,
    Type,
    Details,
    Call,
}

/// What the console keeps for itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    pub(super) is_on: bool,
    pub(super) topics: Vec<String>,
    pub(super) types: Vec<String>,
    pub(super) rosapi: String,
}

/// The tool.
#[derive(Debug, Default)]
pub(super) struct Tryout {
    kept: Kept,
    services: Vec<String>,
    target: Option<Target>,
    kind: String,
    /// Of the service's request.
    request: Definitions,
    request_kind: String,
    step: Step,
    mistakes: Vec<Mistake>,
    pending: Option<(CallId, Question)>,
    sent: u32,
}

impl Tryout {
    pub(super) fn new(kept: Kept) -> Self {
        Self {
            kept,
            ..Self::default()
        }
    }

    /// The topic that is tried, whose type is to be asked about.
    pub(super) fn topic(&self) -> Option<&str> {
        match &self.target {
            Some(Target::Topic { name, .. }) => Some(name),
            _ => None,
        }
    }

    /// Asks which services there are.
    pub(super) fn list(&mut self, session: &mut Session, now: Moment) {
        if self.kept.is_on {
            self.ask(Question::Services, "services", json!({}), session, now);
        }
    }

    /// Something else is tried, or nothing any more. `listed` is the topic's type where the server
    /// lists the topic.
    pub(super) fn choose(
        &mut self,
        target: Option<Target>,
        listed: Option<&str>,
        session: &mut Session,
        now: Moment,
    ) {
        if let Some(before) = self.topic()
            && self.step_is_open()
        {
            let before = before.to_owned();
            session.unadvertise(&before);
        }
        self.pending = None;
        self.mistakes.clear();
        self.sent = 0;
        self.kind.clear();
        self.step = Step::None;
        self.target = target.map(absolute);
        let Some(target) = self.target.clone() else {
            return;
        };
        match self.judge(&target, listed) {
            Err(refusal) => self.step = Step::Refused(refusal),
            Ok(_) if !session.is_open() => self.step = Step::Refused(Refusal::Offline),
            Ok(kind) => match target {
                Target::Topic { name, .. } => {
                    // Now, so that who listens has found it by the time that something is sent.
                    session.advertise(&name, &kind);
                    self.kind = kind;
                    self.step = Step::Ready;
                }
                Target::Service(name) => {
                    self.step = Step::Asking;
                    let args = json!({"service": name});
                    self.ask(Question::Type, "service_type", args, session, now);
                }
            },
        }
    }

    /// Publishes what was typed, or calls the service with it.
    pub(super) fn send(
        &mut self,
        typed: &[(String, String)],
        timeout: Duration,
        definitions: &Definitions,
        session: &mut Session,
        now: Moment,
    ) {
        if !self.step_is_open() || self.step == Step::Waiting {
            return;
        }
        if !session.is_open() {
            self.step = Step::Failed(CallError::Lost.to_string());
            return;
        }
        let made = match &self.target {
            Some(Target::Topic { .. }) => form::message(definitions, &self.kind, typed),
            _ => form::message(&self.request, &self.request_kind, typed),
        };
        self.mistakes.clear();
        let (target, message) = match (&self.target, made) {
            (Some(target), Ok(message)) => (target, message),
            (_, Err(mistakes)) => {
                self.mistakes = mistakes;
                return;
            }
            (None, _) => return,
        };
        match target {
            Target::Topic { name, .. } => {
                if session.publish(name, &message) {
                    self.sent += 1;
                    self.step = Step::Sent(self.sent);
                }
            }
            Target::Service(name) => {
                let timeout = timeout.clamp(Duration::from_millis(100), LONGEST_CALL);
                if let Some(call) = session.call(name, message, timeout, now) {
                    self.pending = Some((call, Question::Call));
                    self.step = Step::Waiting;
                }
            }
        }
    }

    /// Whether this answer is for it.
    pub(super) fn is_asked(&self, call: CallId) -> bool {
        self.pending.is_some_and(|(asked, _)| asked == call)
    }

    pub(super) fn answered(
        &mut self,
        result: Result<Value, CallError>,
        session: &mut Session,
        now: Moment,
    ) {
        let Some((_, question)) = self.pending.take() else {
            return;
        };
        match (question, result) {
            (Question::Services, Ok(values)) => {
                let list = values.get("services").and_then(Value::as_array);
                let names = list.into_iter().flatten().filter_map(Value::as_str);
                let names = names.filter(|name| !self.is_of_rosapi(name));
                let mut names: Vec<String> = names.take(MOST_SERVICES).map(str::to_owned).collect();
                names.sort();
                self.services = names;
            }
            (Question::Services, Err(_)) => {}
            (Question::Type, Ok(values)) => {
                let kind = values.get("type").and_then(Value::as_str);
                kind.unwrap_or_default().clone_into(&mut self.kind);
                if is_type_name(&self.kind) {
                    let args = json!({"type": self.kind});
                    let name = "service_request_details";
                    self.ask(Question::Details, name, args, session, now);
                } else {
                    self.step = Step::Ready;
                }
            }
            (Question::Details, Ok(values)) => {
                let typedefs = values.get("typedefs").and_then(Value::as_array);
                let first = typedefs.and_then(|all| all.first()?.get("type")?.as_str());
                self.request_kind = short_name(first.unwrap_or_default());
                self.request = Definitions::default();
                self.request.add_details(&values);
                self.step = Step::Ready;
            }
            // Written as a whole, then.
            (Question::Type | Question::Details, Err(_)) => self.step = Step::Ready,
            (Question::Call, Ok(values)) => {
                self.step = Step::Answered(lines(&values, "", &Definitions::default()));
            }
            (Question::Call, Err(error)) => self.step = Step::Failed(error.to_string()),
        }
    }

    /// The connection is another one: nothing of what was asked is answered any more.
    pub(super) fn lost(&mut self) {
        if let Some((_, question)) = self.pending.take() {
            self.step = match question {
                Question::Call => Step::Failed(CallError::Lost.to_string()),
                Question::Services => std::mem::take(&mut self.step),
                Question::Type | Question::Details => Step::Refused(Refusal::Offline),
            };
        }
    }

    /// None while nothing is tried and nothing is listed.
    pub(super) fn view(&self, definitions: &Definitions) -> Option<Box<TryoutView>> {
        if self.target.is_none() && self.services.is_empty() {
            return None;
        }
        let form = match &self.target {
            _ if !self.step_is_open() => Vec::new(),
            Some(Target::Topic { .. }) => {
                form::fields(definitions, &self.kind).unwrap_or_else(whole)
            }
            _ => form::fields(&self.request, &self.request_kind).unwrap_or_else(whole),
        };
        Some(Box::new(TryoutView {
            services: self.services.clone(),
            target: self.target.clone(),
            kind: self.kind.clone(),
            form,
            step: self.step.clone(),
            mistakes: self.mistakes.clone(),
        }))
    }

    fn step_is_open(&self) -> bool {
        !matches!(self.step, Step::None | Step::Refused(_) | Step::Asking)
    }

    /// The type to send it with, or why not.
    fn judge(&self, target: &Target, listed: Option<&str>) -> Result<String, Refusal> {
        if !self.kept.is_on {
            return Err(Refusal::Off);
        }
        match target {
            Target::Topic { name, .. } | Target::Service(name) if !is_name(name) => {
                Err(Refusal::BadName)
            }
            Target::Topic { name, kind } => {
                // Of any vehicle on this server: it may be somebody's.
                let last = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
                let is_kept = |kept: &String| last(kept) == last(name);
                if self.kept.topics.iter().any(is_kept) {
                    return Err(Refusal::Command);
                }
                let kind = normalized_type(kind);
                let kind = match listed.map(normalized_type) {
                    Some(listed) if kind.is_empty() || kind == listed => listed,
                    Some(listed) => return Err(Refusal::OtherType(listed)),
                    None => kind,
                };
                if !is_type_name(&kind) {
                    return Err(Refusal::BadName);
                }
                let is_command = |kept: &String| normalized_type(kept) == kind;
                if self.kept.types.iter().any(is_command) {
                    return Err(Refusal::Command);
                }
                Ok(kind)
            }
            Target::Service(name) if self.is_of_rosapi(name) => Err(Refusal::Rosapi),
            Target::Service(name) if !self.services.contains(name) => Err(Refusal::NotListed),
            Target::Service(_) => Ok(String::new()),
        }
    }

    fn is_of_rosapi(&self, name: &str) -> bool {
        let prefix = self.kept.rosapi.trim_end_matches('/');
        name.strip_prefix(prefix)
            .is_some_and(|rest| rest.starts_with('/'))
    }

    fn ask(
        &mut self,
        question: Question,
        name: &str,
        args: Value,
        session: &mut Session,
        now: Moment,
    ) {
        let service = [self.kept.rosapi.trim_end_matches('/'), "/", name].concat();
        let call = session.call(&service, args, ASK_TIMEOUT, now);
        self.pending = call.map(|call| (call, question));
    }
}

/// With the slash in front that ROS means in any case.
fn absolute(target: Target) -> Target {
    let absolute = |name: String| ["/", name.trim().trim_start_matches('/')].concat();
    match target {
        Target::Topic { name, kind } => Target::Topic {
            name: absolute(name),
            kind: kind.trim().to_owned(),
        },
        Target::Service(name) => Target::Service(absolute(name)),
    }
}

/// Everything in one field, as JSON.
fn whole() -> Vec<FormField> {
    vec![FormField {
        depth: 0,
        name: "JSON".to_owned(),
        path: String::new(),
        kind: "{ }".to_owned(),
        default: "{}".to_owned(),
        unit: String::new(),
    }]
}

fn is_word(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn is_name(name: &str) -> bool {
    name.strip_prefix('/')
        .is_some_and(|name| name.split('/').all(is_word))
}

fn is_type_name(name: &str) -> bool {
    name.matches('/').count() == 2 && name.split('/').all(is_word)
}
