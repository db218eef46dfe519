//! The telemetry side, sans-IO: it subscribes to what the vehicle says, asks it for its types,
//! and tells the pilot what it saw. A 10 MB image being parsed here never delays a command,
//! because the pilot lives in another Worker with a socket of its own.
//!
//! Services are called on this socket only: rosbridge runs a call inside the connection's own
//! thread, so a hung one holds back everything else that arrives on the same socket.

mod conflict;
mod discovery;
pub mod namespace;
mod once;
pub mod snapshot;

use std::collections::VecDeque;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::drive::settings::Steering;
use crate::msgs::Message;
use crate::msgs::geometry::Twist;
use crate::msgs::std_msgs::StringMsg;
use crate::msgs::sweeper::Rtk;
use crate::pilot::event::Event;
use crate::pilot::heartbeat::Heartbeat;
use crate::pilot::intent::{Console, Fact, Found, SeenFix};
use crate::pilot::snapshot::LinkState;
use crate::pilot::wire::VelocityType;
use crate::profile::Profile;
use crate::rosbridge::session::{
    Session, SessionEvent, SocketEvent, SocketId, SocketOutput, Subscription,
};
use crate::rtk::fix::FixTracker;
use crate::units::Moment;
use discovery::{Discovery, News};
use once::Once;
use snapshot::{MonitorSnapshot, Role};

/// Snapshot period while nothing comes: longer than from one position to the next.
const SNAPSHOT_PERIOD: Duration = Duration::from_millis(150);
/// The least time between two snapshots, and between two positions that the pilot is told: a
/// topic at 1 kHz must not keep page and pilot busy.
const LEAST_PERIOD: Duration = Duration::from_millis(20);
/// Positions are asked for at most so often.
const RTK_THROTTLE_MS: u32 = 40;
const ODOMETRY_THROTTLE_MS: u32 = 100;
/// Without a position for this long the topic is asked for again, if anybody publishes it: a
/// subscription made before a best-effort publisher appeared stays silent for ever.
const RESUBSCRIBE_AFTER: Duration = Duration::from_secs(5);
/// A socket on which nothing at all came for this long is taken for dead: own heartbeats alone
/// come five times a second while the control socket works.
const SILENCE: Duration = Duration::from_secs(3);
/// The ROS topic on which rosbridge says why it rejected a publish.
const ROSOUT: &str = "/rosout";
/// Whether a multirotor's motors run, and whether it stands on the ground.
const TOLD_OF_FLIGHT: [&str; 2] = ["motors/state", "landed"];
/// A multirotor's odometry, and how old it may be.
const ODOMETRY: &str = "odom";
const ODOMETRY_MAX_AGE: Duration = Duration::from_millis(500);
/// `rcl_interfaces/Log.ERROR`.
const ROSOUT_ERROR: i64 = 40;

/// Everything that a telemetry Worker needs to begin.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MonitorStart {
    /// The checked profile.
    pub profile: Profile,
    /// The rosbridge to connect to.
    pub url: String,
    /// This console.
    pub console: Console,
    /// Wall-clock milliseconds (Unix) at the moment zero.
    pub unix_ms_at_start: f64,
}

/// What the monitor is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// By one of its sockets.
    Socket(SocketId, SocketEvent),
    /// The pilot wants this frame sent here as well.
    Forward(String),
    /// The pilot tells the vehicle to go this fast, m/s.
    Commanded(f64),
    /// The pilot was replaced: the new one knows nothing yet.
    NewPilot,
    /// Connect (again, now).
    Connect,
    /// Close and stay closed.
    Disconnect,
    /// Time has passed.
    Tick,
}

/// What the monitor wants done.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Of one of its sockets.
    Socket(SocketOutput),
    /// Tell the pilot.
    Fact(Fact),
    /// Show this.
    Snapshot(Box<MonitorSnapshot>),
    /// This happened.
    Event(Event),
}

/// The state machine.
#[derive(Debug)]
pub struct Monitor {
    start: MonitorStart,
    session: Session,
    discovery: Discovery,
    fix: FixTracker,
    commanded: Option<f64>,
    heard_at: Moment,
    heard_rtk_at: Option<Moment>,
    /// m/s in all three directions.
    odometry: Option<(f64, Moment)>,
    asked_rtk_at: Moment,
    bad_frames: u64,
    said: Once,
    skipped: u64,
    fix_told_at: Option<Moment>,
    snapshots: u64,
    last_snapshot: Option<Moment>,
    next_snapshot: Moment,
    is_dirty: bool,
    outputs: VecDeque<Output>,
}

impl Monitor {
    /// A monitor that begins to connect at once.
    #[must_use]
    pub fn new(start: MonitorStart, now: Moment) -> Self {
        let mut session = Session::new(&start.url, start.unix_ms_at_start.max(0.0) as u64 ^ 1);
        let heartbeat_topic = start.profile.bridge.heartbeat_topic();
        session.subscribe(Subscription::every(&heartbeat_topic, StringMsg::TYPE));
        session.subscribe(Subscription::every(ROSOUT, "rcl_interfaces/msg/Log"));
        let flies = start.profile.drive.steering == Steering::Flight;
        if flies {
            for name in TOLD_OF_FLIGHT {
                let topic = start.profile.bridge.topic(name);
                session.subscribe(Subscription::every(&topic, "std_msgs/msg/Bool"));
            }
            let topic = start.profile.bridge.topic(ODOMETRY);
            session.subscribe(Subscription {
                throttle_ms: ODOMETRY_THROTTLE_MS,
                ..Subscription::newest(&topic, "nav_msgs/msg/Odometry")
            });
        }
        session.connect(now);
        let mut monitor = Self {
            session,
            discovery: Discovery::new(&start.profile.bridge, flies),
            fix: FixTracker::new(start.profile.rtk.clone()),
            commanded: None,
            heard_at: now,
            heard_rtk_at: None,
            odometry: None,
            asked_rtk_at: now,
            bad_frames: 0,
            said: Once::default(),
            skipped: 0,
            fix_told_at: None,
            snapshots: 0,
            last_snapshot: None,
            next_snapshot: now,
            is_dirty: true,
            outputs: VecDeque::new(),
            start,
        };
        monitor.finish(now);
        monitor
    }

    /// Tells it something. Drain [`Self::poll`] afterwards.
    pub fn handle(&mut self, input: Input, now: Moment) {
        match input {
            Input::Socket(socket, event) => {
                for event in self.session.handle(socket, event, now) {
                    self.on_session(event, now);
                }
            }
            Input::Forward(text) => {
                self.session.send_text(text);
            }
            Input::Commanded(speed) => self.commanded = Some(speed),
            Input::NewPilot => {
                self.commanded = None;
                self.outputs
                    .push_back(Output::Fact(Fact::Online(self.session.is_open())));
                let known = self.discovery.known().into_iter().map(Output::Fact);
                self.outputs.extend(known);
            }
            Input::Connect => self.session.connect(now),
            Input::Disconnect => {
                self.session.disconnect();
                self.outputs.push_back(Output::Fact(Fact::Online(false)));
                self.is_dirty = true;
            }
            Input::Tick => {}
        }
        for event in self.session.tick(now) {
            self.on_session(event, now);
        }
        if self.session.is_open() && now.since(self.heard_at) >= SILENCE {
            // Half-open sockets look open for minutes.
            self.session.retry_later(now);
            self.outputs.push_back(Output::Fact(Fact::Online(false)));
            self.is_dirty = true;
        }
        self.discovery.tick(&mut self.session, now);
        self.ask_for_rtk_again(now);
        self.finish(now);
    }

    /// The next thing to do.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When it wants [`Input::Tick`] at the latest.
    #[must_use]
    pub fn next_wakeup(&self) -> Moment {
        let own = match self.last_snapshot {
            Some(last) if self.is_dirty => last + LEAST_PERIOD,
            _ => self.next_snapshot,
        };
        self.session
            .next_wakeup()
            .map_or(own, |theirs| theirs.min(own))
    }

    fn on_session(&mut self, event: SessionEvent, now: Moment) {
        match event {
            SessionEvent::Opened => {
                self.heard_at = now;
                self.outputs.push_back(Output::Fact(Fact::Online(true)));
                self.discovery.begin(&mut self.session, now);
                self.asked_rtk_at = now;
                self.is_dirty = true;
            }
            SessionEvent::Closed | SessionEvent::Failed { .. } => {
                // The control socket's fate tells the operator; one voice is enough.
                self.outputs.push_back(Output::Fact(Fact::Online(false)));
                self.is_dirty = true;
            }
            SessionEvent::Message { topic, msg } => self.on_message(&topic, &msg, now),
            SessionEvent::Answer { call, result } => {
                let unix_ms = self.start.unix_ms_at_start + now.as_millis();
                let news = self
                    .discovery
                    .answered(call, result, &mut self.session, unix_ms, now);
                for news in news {
                    self.on_news(news, now);
                }
            }
            SessionEvent::OtherAnswer { id, result } => self.on_motors(&id, result),
            SessionEvent::BadFrame(detail) => self.bad_frame(detail, now),
            // What other servers remark in passing is no trouble.
            SessionEvent::Remark { level, .. } if level == "info" || level == "none" => {}
            SessionEvent::Remark { level, message } => {
                self.bad_frame([level.as_str(), ": ", &message].concat(), now);
            }
        }
    }

    fn on_news(&mut self, news: News, now: Moment) {
        match news {
            News::Tell(fact) => {
                if let Fact::Definitions(_) = fact {
                    self.subscribe_rtk(now);
                    self.is_dirty = true;
                }
                self.outputs.push_back(Output::Fact(fact));
            }
            News::SubscribeAgain => {
                let topic = self.start.profile.bridge.rtk_topic();
                self.session.unsubscribe(&topic);
                self.subscribe_rtk(now);
            }
        }
    }

    fn on_message(&mut self, topic: &str, msg: &Value, now: Moment) {
        self.heard_at = now;
        self.session.confirm_working();
        let bridge = &self.start.profile.bridge;
        if topic == bridge.rtk_topic() {
            self.on_rtk(msg, now);
        } else if topic == bridge.heartbeat_topic() {
            let data = msg.get("data").and_then(Value::as_str).unwrap_or_default();
            if let Some(beat) = Heartbeat::parse(data)
                && beat.console == self.start.console.id
            {
                self.outputs
                    .push_back(Output::Fact(Fact::HeartbeatSeen { seq: beat.seq }));
            }
        } else if topic == ROSOUT {
            self.on_rosout(msg, now);
        } else if self.flies() && topic == bridge.topic(ODOMETRY) {
            // It lies in there as in a stamped one; its length is the same in the tilted body.
            let twist = msg
                .get("twist")
                .and_then(|it| VelocityType::Stamped.read(it));
            self.odometry = twist.map(|Twist { linear, .. }| {
                let over_ground = linear.x.hypot(linear.y);
                (over_ground.hypot(linear.z), now)
            });
        } else if let Some(told) = msg.get("data").and_then(Value::as_bool) {
            let is_of = |name: &str| (topic == bridge.topic(name)).then_some(told);
            let [motors, landed] = TOLD_OF_FLIGHT.map(is_of);
            self.outputs
                .push_back(Output::Fact(Fact::Flight { motors, landed }));
        }
    }

    /// What became of a call of the motors, which the pilot had sent here.
    fn on_motors(&mut self, service: &str, result: Result<Value, String>) {
        if service != self.start.profile.bridge.topic("motors") {
            return;
        }
        let why = match result {
            Ok(answer) if answer.get("success") == Some(&Value::Bool(false)) => {
                let words = answer.get("message").and_then(Value::as_str);
                words.unwrap_or_default().to_owned()
            }
            Ok(_) => return,
            Err(words) => words,
        };
        // It stands in one sentence on the screen.
        let why = format!("{why:.120}");
        self.outputs
            .push_back(Output::Fact(Fact::MotorsRefused(why)));
    }

    /// How fast it goes, as far as it is known: a position tells it over ground only, so of what flies
    /// it is known where its odometry tells it as well.
    fn speed_of(&self, over_ground: Option<f64>, now: Moment) -> Option<f64> {
        if !self.flies() {
            return over_ground;
        }
        let is_fresh = |(_, at): &(f64, Moment)| now.since(*at) <= ODOMETRY_MAX_AGE;
        let (whole, _) = self.odometry.filter(is_fresh)?;
        over_ground.map(|speed| speed.abs().max(whole))
    }

    fn flies(&self) -> bool {
        self.start.profile.drive.steering == Steering::Flight
    }

    fn on_rtk(&mut self, msg: &Value, now: Moment) {
        let rtk = Rtk::from_value(msg);
        self.heard_rtk_at = Some(now);
        self.fix.receive(&rtk, self.commanded, now);
        self.is_dirty = true;
        if self
            .fix_told_at
            .is_some_and(|at| now.since(at) < LEAST_PERIOD)
        {
            self.skipped += 1;
            return;
        }
        self.fix_told_at = Some(now);
        if let Some(seen) = self.fix.seen_fix() {
            let fix = SeenFix {
                speed: self.speed_of(seen.speed, now),
                position: seen.position,
                is_good: seen.is_good,
            };
            self.outputs.push_back(Output::Fact(Fact::Fix(fix)));
        }
    }

    /// rosbridge's own words for a publish that it rejected, when they concern our topics.
    fn on_rosout(&mut self, msg: &Value, now: Moment) {
        let level = msg.get("level").and_then(Value::as_i64).unwrap_or(0);
        let node = msg.get("name").and_then(Value::as_str).unwrap_or_default();
        let text = msg.get("msg").and_then(Value::as_str).unwrap_or_default();
        let concerns_publishing = text.contains("publish") || text.contains("advertise");
        if level < ROSOUT_ERROR
            || !node.contains("rosbridge")
            || !concerns_publishing
            || self.names_another_topic(text)
        {
            return;
        }
        // Its lines begin with the client's id, which nobody here knows.
        let words = text.rsplit("] ").next().unwrap_or(text).to_owned();
        if self.said.is_new(&words, now) {
            self.outputs
                .push_back(Output::Event(Event::Rejected { detail: words }));
        }
    }

    /// The server's other clients have their troubles on `/rosout`, too. What names no topic at all,
    /// as a field that does not fit, may be about ours.
    fn names_another_topic(&self, text: &str) -> bool {
        let bridge = &self.start.profile.bridge;
        let own = [
            bridge.cmd_vel_topic(),
            bridge.mc_ctrl_topic(),
            bridge.heartbeat_topic(),
        ];
        let mut topics = text
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '/'))
            .filter(|word| word.len() > 1 && word.starts_with('/'))
            .peekable();
        topics.peek().is_some() && !topics.any(|word| own.iter().any(|topic| topic == word))
    }

    fn bad_frame(&mut self, detail: String, now: Moment) {
        self.bad_frames += 1;
        self.is_dirty = true;
        // Said once per kind; counted always.
        if self.said.is_new(&detail, now) {
            self.outputs
                .push_back(Output::Event(Event::BadFrame { detail }));
        }
    }

    fn subscribe_rtk(&mut self, now: Moment) {
        let bridge = &self.start.profile.bridge;
        self.asked_rtk_at = now;
        let conflicts = self.discovery.conflicts();
        if conflicts.iter().any(|c| c.role == Role::Rtk) {
            self.session.unsubscribe(&bridge.rtk_topic());
            return;
        }
        let kind = match self.discovery.found(Role::Rtk) {
            Found::Type { name, .. } => name.clone(),
            _ => bridge.rtk_type.clone(),
        };
        self.session.subscribe(Subscription {
            throttle_ms: RTK_THROTTLE_MS,
            ..Subscription::newest(&bridge.rtk_topic(), &kind)
        });
    }

    fn ask_for_rtk_again(&mut self, now: Moment) {
        let heard = self.heard_rtk_at.unwrap_or_default().max(self.asked_rtk_at);
        if self.session.is_open() && now.since(heard) >= RESUBSCRIBE_AFTER {
            self.asked_rtk_at = now;
            if self.discovery.ask_for_publishers(&mut self.session, now) {
                self.on_news(News::SubscribeAgain, now);
            }
        }
    }

    fn finish(&mut self, now: Moment) {
        while let Some(output) = self.session.poll() {
            self.outputs.push_back(Output::Socket(output));
        }
        let is_soon = |last: Moment| now.since(last) < LEAST_PERIOD;
        let may_show = !self.last_snapshot.is_some_and(is_soon);
        if now >= self.next_snapshot || (self.is_dirty && may_show) {
            self.is_dirty = false;
            self.last_snapshot = Some(now);
            self.next_snapshot = now + SNAPSHOT_PERIOD;
            self.snapshots += 1;
            let link = if self.session.is_open() {
                LinkState::Online
            } else if self.session.is_connecting() {
                LinkState::Connecting
            } else {
                LinkState::Offline
            };
            let snapshot = MonitorSnapshot {
                seq: self.snapshots,
                link,
                rtk: self.fix.view(now),
                bad_frames: self.bad_frames,
                skipped: self.skipped,
                namespaces: self.discovery.namespaces().to_vec(),
                conflicts: self.discovery.conflicts().to_vec(),
            };
            self.outputs.push_back(Output::Snapshot(Box::new(snapshot)));
        }
    }
}
