//! One rosbridge connection and its successors, without I/O.
//!
//! Sockets are opened, written and closed by the owner, as [`Session::poll`] says; what they say
//! goes into [`Session::handle`], and time into [`Session::tick`].
//!
//! ```
//! use std::time::Duration;
//!
//! use broomstick::rosbridge::session::{CallError, Session, SessionEvent, SocketEvent, SocketOutput};
//! use broomstick::units::Moment;
//!
//! let now = Moment::START;
//! let mut session = Session::new("ws://robot:9090", 7);
//! session.connect(now);
//! let Some(SocketOutput::Open { socket, .. }) = session.poll() else { panic!() };
//! session.handle(socket, SocketEvent::Opened, now);
//!
//! // A call has an answer in any case: values, the server's words, or the reason for none.
//! let timeout = Duration::from_secs(3);
//! let call = session.call("/rosapi/topics", serde_json::json!({}), timeout, now);
//! let late = session.tick(now + timeout);
//! assert_eq!(
//!     late,
//!     [SessionEvent::Answer { call: call.expect("it is open"), result: Err(CallError::TimedOut) }]
//! );
//! ```
//!
//! # Errors
//!
//! A frame that cannot be used is one [`SessionEvent::BadFrame`], which names the reason and the
//! topic where it is known, and costs nothing else. A call ends with [`CallError`]. A socket that
//! fails is [`SessionEvent::Failed`] or [`SessionEvent::Closed`], and another is opened after a
//! while, for ever; the address is kept with its token, and no event contains it in full.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::Value;

use super::address::masked;
use super::backoff::Backoff;
use super::fragments::Fragments;
use super::frame::{self, Compression, FrameError, Request, Response};
use crate::units::Moment;

/// How long a socket may take to open.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);

/// How the id of a session's own call begins.
const CALL: &str = "call:";

/// Names one socket for its whole life; a new connection has a new one, so that what a dead one
/// still says cannot be taken for news.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SocketId(pub u32);

/// What a socket tells its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SocketEvent {
    /// It is open: frames may be sent.
    Opened,
    /// It is closed, whatever the reason: browsers do not say.
    Closed,
    /// A text frame came.
    Text(String),
    /// A binary frame came.
    Binary(Vec<u8>),
    /// The browser would not even try (`ws://` from an `https` page, a malformed address).
    Refused(String),
}

/// What the session wants of a socket, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SocketOutput {
    /// Open it.
    Open {
        /// Its name from now on.
        socket: SocketId,
        /// Where to.
        url: String,
    },
    /// Send this on it.
    Send {
        /// Which.
        socket: SocketId,
        /// A whole text frame.
        text: String,
    },
    /// Close it, after all that was sent on it.
    Close {
        /// Which.
        socket: SocketId,
    },
}

/// What happened to the session.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionEvent {
    /// Open; everything advertised and subscribed has been asked for again.
    Opened,
    /// A socket that never opened failed, or took too long.
    Failed {
        /// The browser's words when it refused to try.
        refused: Option<String>,
    },
    /// An open socket closed.
    Closed,
    /// A message of a topic.
    Message {
        /// The topic.
        topic: String,
        /// The message.
        msg: Value,
    },
    /// The answer to a call, or the reason why there is none.
    Answer {
        /// The call.
        call: CallId,
        /// The values, or words.
        result: Result<Value, CallError>,
    },
    /// The answer to a call that was sent as a ready frame ([`frame::call`]).
    OtherAnswer {
        /// The call's id, its service.
        id: String,
        /// The values, or the server's words.
        result: Result<Value, String>,
    },
    /// A frame that could not be used.
    BadFrame(String),
    /// A remark of the server.
    Remark {
        /// `error`, `warning` …
        level: String,
        /// The remark.
        message: String,
    },
}

/// Names a service call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallId(u64);

/// Why a call has no values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The service is absent or failed; the server's words.
    #[error("{0}")]
    Refused(String),
    /// No answer in time.
    #[error("no answer")]
    TimedOut,
    /// The connection was lost first.
    #[error("connection lost")]
    Lost,
}

/// A topic to be asked for on every connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// Absolute name.
    pub topic: String,
    /// `package/msg/Name`.
    pub kind: Option<String>,
    /// Milliseconds between messages, 0 for all.
    pub throttle_ms: u32,
    /// Messages the server keeps for us while we are behind; 0: no queue of its own.
    pub queue_length: u32,
    /// How the messages come; other than JSON needs [`Session::with_decoders`].
    pub compression: Compression,
}

/// What a session needs to read more than JSON text. They are functions so that a program that
/// asks for JSON only does not carry them along; [`super::decoders::ALL`] has them.
#[derive(Debug, Clone, Copy)]
pub struct Decoders {
    /// Reads a binary frame; an error is in words.
    pub binary: fn(&[u8]) -> Result<Value, String>,
    /// Reads a frame out of a picture in base64; an error is in words.
    pub png: fn(&str) -> Result<String, String>,
}

impl Subscription {
    /// Every message, of which only the newest counts.
    #[must_use]
    pub fn newest(topic: &str, kind: &str) -> Self {
        let kind = (!kind.is_empty()).then(|| kind.to_owned());
        Self {
            topic: topic.to_owned(),
            kind,
            throttle_ms: 0,
            queue_length: 1,
            compression: Compression::None,
        }
    }

    /// Every message, none left out by the server: for echoes that are counted.
    #[must_use]
    pub fn every(topic: &str, kind: &str) -> Self {
        Self {
            queue_length: 0,
            ..Self::newest(topic, kind)
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum State {
    Idle,
    Waiting { until: Moment },
    Connecting { socket: SocketId, since: Moment },
    Open { socket: SocketId },
}

/// The client side of one rosbridge.
#[derive(Debug)]
pub struct Session {
    url: String,
    state: State,
    sockets: u32,
    advertised: Vec<(String, String)>,
    subscriptions: Vec<Subscription>,
    calls: Vec<(CallId, Moment)>,
    next_call: u64,
    backoff: Backoff,
    fragments: Fragments,
    decoders: Option<Decoders>,
    outputs: VecDeque<SocketOutput>,
}

impl Session {
    /// Not connected. The seed jitters the waits between attempts.
    #[must_use]
    pub fn new(url: &str, seed: u64) -> Self {
        Self {
            url: url.to_owned(),
            state: State::Idle,
            sockets: 0,
            advertised: Vec::new(),
            subscriptions: Vec::new(),
            calls: Vec::new(),
            next_call: 0,
            backoff: Backoff::new(seed),
            fragments: Fragments::default(),
            decoders: None,
            outputs: VecDeque::new(),
        }
    }

    /// The same, able to read binary frames and pictures.
    #[must_use]
    pub fn with_decoders(self, decoders: Decoders) -> Self {
        Self {
            decoders: Some(decoders),
            ..self
        }
    }

    /// Where it connects to.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// True when frames can be sent.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Open { .. })
    }

    /// True while a socket is being opened.
    #[must_use]
    pub fn is_connecting(&self) -> bool {
        matches!(self.state, State::Connecting { .. })
    }

    /// True when no attempt is under way or planned.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.state == State::Idle
    }

    /// When the next attempt begins, while waiting.
    #[must_use]
    pub fn retry_at(&self) -> Option<Moment> {
        match self.state {
            State::Waiting { until } => Some(until),
            _ => None,
        }
    }

    /// Failures since the last time that [`Self::confirm_working`] was told.
    #[must_use]
    pub fn failures(&self) -> u32 {
        self.backoff.failures()
    }

    /// Connects now, unless a socket is open or being opened.
    pub fn connect(&mut self, now: Moment) {
        if matches!(self.state, State::Idle | State::Waiting { .. }) {
            self.open(now);
        }
    }

    /// Closes and stays closed.
    pub fn disconnect(&mut self) -> Vec<SessionEvent> {
        self.close_socket();
        self.state = State::Idle;
        self.backoff.reset();
        self.lose_calls()
    }

    /// Gives up the present socket, as dead, and opens another at once. What must still be said
    /// on the dead one has to be sent before: it queues behind its old frames.
    pub fn replace_socket(&mut self, now: Moment) -> Vec<SessionEvent> {
        self.close_socket();
        self.open(now);
        self.lose_calls()
    }

    /// Gives up the present socket and waits before the next attempt.
    pub fn retry_later(&mut self, now: Moment) -> Vec<SessionEvent> {
        self.close_socket();
        self.wait(now);
        self.lose_calls()
    }

    /// The connection has proved that it works (an echo came): the next wait is short again.
    pub fn confirm_working(&mut self) {
        self.backoff.reset();
    }

    /// Advertises a command topic now and after every reconnect: queue of one, never latched.
    /// Another type for the same topic replaces the first.
    pub fn advertise(&mut self, topic: &str, kind: &str) {
        let entry = (topic.to_owned(), kind.to_owned());
        if self.advertised.contains(&entry) {
            return;
        }
        if self.advertised.iter().any(|(known, _)| known == topic) {
            self.unadvertise(topic);
        }
        self.request(&advertise_request(&entry));
        self.advertised.push(entry);
    }

    /// Withdraws it.
    pub fn unadvertise(&mut self, topic: &str) {
        self.advertised.retain(|(known, _)| known != topic);
        self.request(&Request::Unadvertise {
            topic: topic.to_owned(),
        });
    }

    /// Subscribes now and after every reconnect.
    pub fn subscribe(&mut self, subscription: Subscription) {
        if self.subscriptions.contains(&subscription) {
            return;
        }
        self.unsubscribe(&subscription.topic.clone());
        self.request(&subscribe_request(&subscription));
        self.subscriptions.push(subscription);
    }

    /// No more of it.
    pub fn unsubscribe(&mut self, topic: &str) {
        let before = self.subscriptions.len();
        self.subscriptions.retain(|known| known.topic != topic);
        if self.subscriptions.len() < before {
            self.request(&Request::Unsubscribe {
                topic: topic.to_owned(),
            });
        }
    }

    /// Whether the topic is asked for on every connection.
    #[must_use]
    pub fn is_subscribed(&self, topic: &str) -> bool {
        self.subscriptions.iter().any(|known| known.topic == topic)
    }

    /// Publishes at once and says whether it could. There is no queue.
    pub fn publish(&mut self, topic: &str, message: &Value) -> bool {
        self.send_text(frame::publish(topic, message))
    }

    /// Sends a ready frame at once and says whether it could.
    pub fn send_text(&mut self, text: String) -> bool {
        let State::Open { socket } = self.state else {
            return false;
        };
        self.outputs.push_back(SocketOutput::Send { socket, text });
        true
    }

    /// Calls a service; [`SessionEvent::Answer`] comes in any case, unless the session is not
    /// open: then `None`.
    pub fn call(
        &mut self,
        service: &str,
        args: Value,
        timeout: Duration,
        now: Moment,
    ) -> Option<CallId> {
        if !self.is_open() {
            return None;
        }
        self.next_call += 1;
        let call = CallId(self.next_call);
        let id = call.wire_name();
        self.request(&Request::CallService {
            service: service.to_owned(),
            args,
            id,
        });
        self.calls.push((call, now + timeout));
        Some(call)
    }

    /// What a socket told. Events of sockets that were given up are ignored.
    pub fn handle(
        &mut self,
        socket: SocketId,
        event: SocketEvent,
        now: Moment,
    ) -> Vec<SessionEvent> {
        let (current, was_open) = match self.state {
            State::Connecting { socket, .. } => (socket, false),
            State::Open { socket } => (socket, true),
            State::Idle | State::Waiting { .. } => return Vec::new(),
        };
        if socket != current {
            return Vec::new();
        }
        match event {
            SocketEvent::Opened => {
                self.state = State::Open { socket };
                for entry in self.advertised.clone() {
                    self.request(&advertise_request(&entry));
                }
                for subscription in self.subscriptions.clone() {
                    self.request(&subscribe_request(&subscription));
                }
                vec![SessionEvent::Opened]
            }
            SocketEvent::Closed => {
                self.wait(now);
                let mut events = self.lose_calls();
                events.push(if was_open {
                    SessionEvent::Closed
                } else {
                    SessionEvent::Failed { refused: None }
                });
                events
            }
            SocketEvent::Refused(message) => {
                self.wait(now);
                // Browsers quote the address, token and all.
                let words = message.replace(&self.url, &masked(&self.url));
                vec![SessionEvent::Failed {
                    refused: Some(words),
                }]
            }
            SocketEvent::Text(text) => self.receive(&text, now),
            SocketEvent::Binary(bytes) => match self.decoders {
                Some(decoders) => match (decoders.binary)(&bytes) {
                    Ok(value) => self.take(Response::from_value(value), now, 0),
                    Err(words) => vec![SessionEvent::BadFrame(words)],
                },
                None => vec![SessionEvent::BadFrame(format!(
                    "binary frame of {} bytes",
                    bytes.len()
                ))],
            },
        }
    }

    /// Time has passed: attempts begin, sockets and calls time out.
    pub fn tick(&mut self, now: Moment) -> Vec<SessionEvent> {
        let mut events = Vec::new();
        match self.state {
            State::Waiting { until } if now >= until => self.open(now),
            State::Connecting { since, .. } if now.since(since) >= CONNECT_TIMEOUT => {
                self.close_socket();
                self.wait(now);
                events.push(SessionEvent::Failed { refused: None });
            }
            _ => {}
        }
        let (late, pending) = self
            .calls
            .drain(..)
            .partition::<Vec<_>, _>(|(_, deadline)| now >= *deadline);
        self.calls = pending;
        let timed_out = |(call, _)| SessionEvent::Answer {
            call,
            result: Err(CallError::TimedOut),
        };
        events.extend(late.into_iter().map(timed_out));
        let lost = self.fragments.expire(now).into_iter();
        events.extend(lost.map(|error| SessionEvent::BadFrame(error.to_string())));
        events
    }

    /// When [`Self::tick`] has something to do.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<Moment> {
        let own = match self.state {
            State::Waiting { until } => Some(until),
            State::Connecting { since, .. } => Some(since + CONNECT_TIMEOUT),
            State::Idle | State::Open { .. } => None,
        };
        self.calls
            .iter()
            .map(|(_, deadline)| *deadline)
            .chain(own)
            .chain(self.fragments.next_wakeup())
            .min()
    }

    /// The next thing to do with a socket.
    pub fn poll(&mut self) -> Option<SocketOutput> {
        self.outputs.pop_front()
    }

    fn receive(&mut self, text: &str, now: Moment) -> Vec<SessionEvent> {
        self.take(Response::decode(text), now, 0)
    }

    /// `depth` counts the frames that this one was wrapped in: a whole frame comes out of pieces
    /// or a picture, nothing else does.
    fn take(
        &mut self,
        response: Result<Response, FrameError>,
        now: Moment,
        depth: u8,
    ) -> Vec<SessionEvent> {
        let event = match response {
            Ok(Response::Publish { topic, msg }) => SessionEvent::Message { topic, msg },
            Ok(Response::Service { id, result }) => {
                let mut calls = self.calls.iter();
                let Some(place) = calls.position(|(call, _)| call.wire_name() == id) else {
                    if id.starts_with(CALL) {
                        return Vec::new();
                    }
                    return vec![SessionEvent::OtherAnswer { id, result }];
                };
                let (call, _) = self.calls.swap_remove(place);
                let result = result.map_err(CallError::Refused);
                SessionEvent::Answer { call, result }
            }
            Ok(Response::Status { level, message }) => SessionEvent::Remark { level, message },
            Ok(Response::Fragment(piece)) if depth < 2 => match self.fragments.push(piece, now) {
                Ok(None) => return Vec::new(),
                Ok(Some(text)) => return self.take(Response::decode(&text), now, depth + 1),
                Err(error) => SessionEvent::BadFrame(error.to_string()),
            },
            Ok(Response::Png { data }) if depth < 2 => {
                let none = || Err("png frame".to_owned());
                match self.decoders.map_or_else(none, |all| (all.png)(&data)) {
                    Ok(text) => return self.take(Response::decode(&text), now, depth + 1),
                    Err(words) => SessionEvent::BadFrame(words),
                }
            }
            Ok(Response::Fragment(_) | Response::Png { .. }) => {
                SessionEvent::BadFrame("a frame wrapped too often".to_owned())
            }
            Ok(Response::Other { op }) => SessionEvent::BadFrame(format!("unknown op {op:?}")),
            Err(error) => SessionEvent::BadFrame(error.to_string()),
        };
        vec![event]
    }

    fn open(&mut self, now: Moment) {
        self.fragments.clear();
        self.sockets += 1;
        let socket = SocketId(self.sockets);
        self.state = State::Connecting { socket, since: now };
        self.outputs.push_back(SocketOutput::Open {
            socket,
            url: self.url.clone(),
        });
    }

    fn close_socket(&mut self) {
        if let State::Connecting { socket, .. } | State::Open { socket } = self.state {
            self.outputs.push_back(SocketOutput::Close { socket });
        }
    }

    fn wait(&mut self, now: Moment) {
        self.state = State::Waiting {
            until: now + self.backoff.next_wait(),
        };
    }

    fn lose_calls(&mut self) -> Vec<SessionEvent> {
        let lost = |(call, _)| SessionEvent::Answer {
            call,
            result: Err(CallError::Lost),
        };
        self.calls.drain(..).map(lost).collect()
    }

    fn request(&mut self, request: &Request) {
        // Not open: the list is asked for on opening.
        self.send_text(request.encode());
    }
}

impl CallId {
    fn wire_name(self) -> String {
        format!("{CALL}{}", self.0)
    }
}

fn advertise_request((topic, kind): &(String, String)) -> Request {
    Request::Advertise {
        topic: topic.clone(),
        kind: kind.clone(),
        latch: false,
        queue_size: 1,
    }
}

fn subscribe_request(subscription: &Subscription) -> Request {
    Request::Subscribe {
        topic: subscription.topic.clone(),
        kind: subscription.kind.clone(),
        throttle_rate: subscription.throttle_ms,
        queue_length: subscription.queue_length,
        compression: subscription.compression,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::millis;

    const NOW: Moment = Moment::START;

    fn outputs(session: &mut Session) -> Vec<SocketOutput> {
        std::iter::from_fn(|| session.poll()).collect()
    }

    fn opened_socket(session: &mut Session) -> SocketId {
        outputs(session)
            .into_iter()
            .find_map(|output| match output {
                SocketOutput::Open { socket, .. } => Some(socket),
                _ => None,
            })
            .expect("a socket to be opened")
    }

    fn open_session() -> (Session, SocketId) {
        let mut session = Session::new("ws://robot:9090", 1);
        session.connect(NOW);
        let socket = opened_socket(&mut session);
        assert_eq!(
            session.handle(socket, SocketEvent::Opened, NOW),
            [SessionEvent::Opened]
        );
        (session, socket)
    }

    #[test]
    fn advertises_and_subscribes_once_after_every_reconnect() {
        let (mut session, first) = open_session();
        session.advertise("/cmd_vel", "geometry_msgs/msg/Twist");
        session.subscribe(Subscription::newest("/rtk_message", ""));
        session.subscribe(Subscription::newest("/rtk_message", ""));
        assert_eq!(outputs(&mut session).len(), 2);
        session.handle(first, SocketEvent::Closed, NOW);
        session.tick(NOW + millis(300));
        let second = opened_socket(&mut session);
        session.handle(second, SocketEvent::Opened, NOW + millis(310));
        let again: Vec<_> = outputs(&mut session)
            .into_iter()
            .map(|output| match output {
                SocketOutput::Send { socket, text } if socket == second => text,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(again.len(), 2, "{again:?}");
        assert!(again[0].contains(r#""op":"advertise""#) && again[0].contains(r#""queue_size":1"#));
        assert!(again[1].contains(r#""op":"subscribe""#));
    }

    #[test]
    fn replays_nothing_that_was_published_while_the_socket_was_down() {
        let (mut session, first) = open_session();
        session.handle(first, SocketEvent::Closed, NOW);
        assert!(!session.publish("/cmd_vel", &serde_json::json!({"linear": {"x": 0.5}})));
        session.tick(NOW + millis(300));
        let second = opened_socket(&mut session);
        session.handle(second, SocketEvent::Opened, NOW + millis(310));
        assert_eq!(outputs(&mut session), []);
    }

    #[test]
    fn gives_up_a_socket_that_does_not_open_in_time() {
        let mut session = Session::new("ws://robot:9090", 1);
        session.connect(NOW);
        let socket = opened_socket(&mut session);
        assert_eq!(session.tick(NOW + millis(3999)), []);
        let events = session.tick(NOW + CONNECT_TIMEOUT);
        assert_eq!(events, [SessionEvent::Failed { refused: None }]);
        assert_eq!(outputs(&mut session), [SocketOutput::Close { socket }]);
        assert!(session.retry_at().is_some());
    }

    #[test]
    fn what_a_dead_socket_still_says_is_not_news() {
        let (mut session, first) = open_session();
        session.replace_socket(NOW);
        let text = SocketEvent::Text(r#"{"op":"publish","topic":"/t","msg":{}}"#.into());
        assert_eq!(session.handle(first, text, NOW), []);
        assert_eq!(session.handle(first, SocketEvent::Closed, NOW), []);
        assert!(session.is_connecting());
    }

    #[test]
    fn a_hung_service_times_out_and_its_late_answer_is_ignored() {
        let (mut session, socket) = open_session();
        let call = session
            .call("/rosapi/topics", Value::Null, millis(500), NOW)
            .unwrap();
        assert_eq!(session.tick(NOW + millis(499)), []);
        let timed_out = SessionEvent::Answer {
            call,
            result: Err(CallError::TimedOut),
        };
        assert_eq!(session.tick(NOW + millis(500)), [timed_out]);
        let late = r#"{"op":"service_response","id":"call:1","result":true,"values":{}}"#;
        assert_eq!(
            session.handle(socket, SocketEvent::Text(late.into()), NOW),
            []
        );
    }

    #[test]
    fn a_bad_frame_is_an_event_and_the_session_goes_on() {
        let (mut session, socket) = open_session();
        let events = session.handle(socket, SocketEvent::Text("{nonsense".into()), NOW);
        assert!(
            matches!(events.as_slice(), [SessionEvent::BadFrame(_)]),
            "{events:?}"
        );
        let text = SocketEvent::Text(r#"{"op":"publish","topic":"/t","msg":{"data":1}}"#.into());
        assert!(matches!(
            session.handle(socket, text, NOW).as_slice(),
            [SessionEvent::Message { .. }]
        ));
    }

    #[test]
    fn a_refusal_of_the_browser_keeps_its_words() {
        let mut session = Session::new("ws://robot:9090", 1);
        session.connect(NOW);
        let socket = opened_socket(&mut session);
        let events = session.handle(socket, SocketEvent::Refused("mixed content".into()), NOW);
        assert_eq!(
            events,
            [SessionEvent::Failed {
                refused: Some("mixed content".into())
            }]
        );
    }

    #[test]
    fn a_token_is_kept_on_reconnect_and_never_said() {
        const URL: &str = "wss://gate/robot/ws?token=0123456789abcdef";
        let mut session = Session::new(URL, 1);
        session.connect(NOW);
        let socket = opened_socket(&mut session);
        let words = format!("The URL '{URL}' is invalid");
        let events = session.handle(socket, SocketEvent::Refused(words), NOW);
        assert_eq!(
            events,
            [SessionEvent::Failed {
                refused: Some("The URL 'wss://gate/robot/ws?token=…' is invalid".into())
            }]
        );
        session.tick(NOW + millis(300));
        let again = outputs(&mut session);
        assert!(
            matches!(again.as_slice(), [SocketOutput::Open { url, .. }] if url == URL),
            "{again:?}"
        );
    }

    #[test]
    fn what_came_in_pieces_is_one_message_and_a_lost_piece_one_event() {
        let (mut session, socket) = open_session();
        let whole = r#"{"op": "publish", "topic": "/t", "msg": {"a": 1}}"#;
        let piece = |num: usize, total: f64, data: &str| {
            let data = Value::from(data);
            SocketEvent::Text(format!(
                r#"{{"op":"fragment","id":0,"data":{data},"num":{num},"total":{total}}}"#
            ))
        };
        let (start, end) = whole.split_at(36);
        assert_eq!(session.handle(socket, piece(1, 2.63, end), NOW), []);
        let events = session.handle(socket, piece(0, 2.63, start), NOW);
        assert!(
            matches!(events.as_slice(), [SessionEvent::Message { topic, .. }] if topic == "/t"),
            "{events:?}"
        );
        session.handle(socket, piece(0, 2.63, start), NOW);
        let at = session.next_wakeup().unwrap();
        assert_eq!(
            session.tick(at),
            [SessionEvent::BadFrame(
                "fragments of /t given up: 1 of 2 came".into()
            )]
        );
        let inside = piece(0, 1.0, whole);
        let SocketEvent::Text(mut frame) = inside else {
            panic!()
        };
        for _ in 0..5 {
            let SocketEvent::Text(wrapped) = piece(0, 1.0, &frame) else {
                panic!()
            };
            frame = wrapped;
        }
        let events = session.handle(socket, SocketEvent::Text(frame), NOW);
        assert!(
            matches!(events.as_slice(), [SessionEvent::BadFrame(_)]),
            "{events:?}"
        );
    }

    #[test]
    fn every_bad_thing_is_one_event_and_the_session_lives() {
        let (session, socket) = open_session();
        let mut session = session.with_decoders(crate::rosbridge::decoders::ALL);
        let text = |text: &str| SocketEvent::Text(text.into());
        let bad = [
            text(""),
            text("null"),
            text("[]"),
            text("\u{0}"),
            text(r#"{"op":3}"#),
            text(r#"{"op":"teleport"}"#),
            text(r#"{"op":"publish"}"#),
            text(r#"{"op":"publish","topic":"/t"}"#),
            text(r#"{"op":"service_response","values":1}"#),
            text(r#"{"op":"fragment","data":"x","num":0,"total":-1}"#),
            text(r#"{"op":"fragment","data":"x","num":1e300,"total":1e308}"#),
            text(r#"{"op":"png","data":"?"}"#),
            SocketEvent::Binary(Vec::new()),
            SocketEvent::Binary(vec![0xff; 100]),
            SocketEvent::Binary(vec![0xa0]),
        ];
        for event in bad {
            let events = session.handle(socket, event.clone(), NOW);
            assert!(
                matches!(events.as_slice(), [SessionEvent::BadFrame(_)]),
                "{event:?}: {events:?}"
            );
        }
        let good = text(r#"{"op":"publish","topic":"/t","msg":{}}"#);
        assert_eq!(session.handle(socket, good, NOW).len(), 1);
    }

    #[test]
    fn binary_frames_and_pictures_are_messages_for_whoever_can_read_them() {
        let frame = r#"{"op":"publish","topic":"/t","msg":{"a":1}}"#;
        let picture = crate::rosbridge::png::picture(frame, 4, 1);
        let mut cbor = vec![0xa3, 0x62];
        cbor.extend(b"op");
        cbor.push(0x67);
        cbor.extend(b"publish");
        cbor.push(0x65);
        cbor.extend(b"topic");
        cbor.push(0x62);
        cbor.extend(b"/t");
        cbor.push(0x63);
        cbor.extend(b"msg");
        cbor.extend([0xa1, 0x61, b'a', 1]);
        let png = SocketEvent::Text(format!(r#"{{"op":"png","data":"{picture}"}}"#));
        let message = SessionEvent::Message {
            topic: "/t".into(),
            msg: serde_json::json!({"a": 1}),
        };
        let (plain, socket) = open_session();
        let mut able = plain.with_decoders(crate::rosbridge::decoders::ALL);
        let broken = SocketEvent::Binary(cbor[..cbor.len() - 1].to_vec());
        for event in [png, SocketEvent::Binary(cbor)] {
            let read = able.handle(socket, event.clone(), NOW);
            assert_eq!(read.as_slice(), std::slice::from_ref(&message));
            let (mut plain, socket) = open_session();
            let events = plain.handle(socket, event, NOW);
            assert!(matches!(events.as_slice(), [SessionEvent::BadFrame(_)]));
        }
        assert_eq!(
            able.handle(socket, broken, NOW),
            [SessionEvent::BadFrame(
                "binary frame of 28 bytes on /t: ends in the middle of a value".into()
            )]
        );
    }

    #[test]
    fn another_type_for_a_topic_replaces_the_first() {
        let (mut session, _) = open_session();
        session.advertise("/cmd_vel", "geometry_msgs/msg/Twist");
        session.advertise("/cmd_vel", "geometry_msgs/msg/TwistStamped");
        let texts: Vec<_> = outputs(&mut session)
            .into_iter()
            .map(|output| match output {
                SocketOutput::Send { text, .. } => text,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(texts.len(), 3);
        assert!(texts[1].contains("unadvertise") && texts[2].contains("TwistStamped"));
    }
}
