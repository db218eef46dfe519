//! The pilot: everything that decides whether the vehicle may move, as one sans-IO state machine.
//!
//! It reads no clock, opens no socket, touches no page. It is told things ([`Pilot::handle`]) and
//! says what it wants done ([`Pilot::poll`]); time is a parameter. It runs in a Worker of its own
//! with the control socket, so that neither a hung page nor a large message delays a stop.
//!
//! | file | what |
//! |---|---|
//! | [`intent`], [`snapshot`], [`event`] | what goes in, what is shown, what happened |
//! | [`beats`], [`link`] | liveness by echo |
//! | [`echo`], [`foreign`] | what came back, and what others send |
//! | [`motion`] | standing, moving, unknown |
//! | [`wire`] | commands as the vehicle's definitions want them |
//! | [`commissioning`] | which way do its brake, pushers, water and wheels go? |
//! | [`stop_check`] | does the vehicle stop by itself? |
//! | `driving`, `motor`, [`flying`], `tooling`, `stopping`, `view` | the parts of [`Pilot`] |
//!
//! Timers, all answered by [`Input::Tick`]:
//!
//! | timer | period | what |
//! |---|---|---|
//! | command tick | `rate_hz` while anything is armed or being stopped, else 200 ms | heartbeat, then velocity, then McCtrl |
//! | snapshot | 100 ms, and at once on a change | the screen; its absence tells the page that this pilot is dead |
//! | link, lease | judged on every input | stalls, losses, the end of a lease |

pub mod beats;
pub mod commissioning;
mod driving;
pub mod echo;
pub mod event;
pub mod flying;
pub mod foreign;
pub mod heartbeat;
pub mod intent;
pub mod link;
pub mod motion;
mod motor;
pub mod snapshot;
pub mod stop_check;
mod stopping;
mod tooling;
mod view;
pub mod wire;

use std::collections::VecDeque;
use std::time::Duration;

use crate::msgs::Message;
use crate::msgs::std_msgs::StringMsg;
use crate::reason::Reason;
use crate::rosbridge::session::{
    Session, SessionEvent, SocketEvent, SocketId, SocketOutput, Subscription,
};
use crate::units::{Moment, millis};
use commissioning::Commissioning;
use driving::Driving;
use event::Event;
use flying::Flight;
use foreign::Foreign;
use heartbeat::Heartbeat;
use intent::{Definitions, Fact, Intent, Lease, Start, Unsettled};
use link::{Link, Verdict};
use motion::MotionWatch;
use motor::Motor;
use snapshot::{LinkState, Motion, Snapshot, Trouble};
use stop_check::StopChecking;
use stopping::{MakeUp, Stop};
use tooling::Tooling;

/// Heartbeat period while nothing is armed.
const IDLE_PERIOD: Duration = Duration::from_millis(200);
/// Snapshot period while nothing but ages changes.
const SNAPSHOT_PERIOD: Duration = Duration::from_millis(100);

/// What the pilot is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// By the page.
    Intent(Intent),
    /// By the telemetry Worker.
    Fact(Fact),
    /// By one of its sockets.
    Socket(SocketId, SocketEvent),
    /// Time has passed: [`Pilot::next_wakeup`] was reached.
    Tick,
}

/// One of the two sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Path {
    Control,
    Telemetry,
}

/// What the pilot wants done. Drained in order after every [`Pilot::handle`].
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Of one of its sockets.
    Socket(SocketOutput),
    /// Send a text frame on the telemetry socket, too (STOP goes both ways).
    SendViaTelemetry {
        /// The frame.
        text: String,
    },
    /// Tell the monitor how fast the vehicle is told to go, m/s, while it is and once when it is not
    /// any more: a position that stays where it is then is frozen.
    Commanded(f64),
    /// Show this.
    Snapshot(Box<Snapshot>),
    /// This happened.
    Event(Event),
}

/// The state machine.
#[derive(Debug)]
pub struct Pilot {
    start: Start,
    session: Session,
    link: Link,
    definitions: Definitions,
    lease: Lease,
    leased_at: Option<Moment>,
    driving: Driving,
    tooling: Tooling,
    motor: Motor,
    flight: Flight,
    stop: Option<Stop>,
    settled_stops: Vec<heartbeat::StopMark>,
    stop_elsewhere: Option<stopping::StopElsewhere>,
    /// The monitor was told that the vehicle is told to go.
    was_commanded: bool,
    make_up: Option<MakeUp>,
    unsettled: Unsettled,
    foreign: Foreign,
    foreign_was_driving: bool,
    motion: MotionWatch,
    confirm: Option<view::Offer>,
    stop_check: StopChecking,
    commissioning: Commissioning,
    vehicle_clock_ahead_ms: f64,
    last_trouble: Option<Trouble>,
    refused: Option<(Event, Moment)>,
    last_bad_frame: String,
    next_tick: Moment,
    last_tick: Moment,
    next_snapshot: Moment,
    /// The last one that was told, without its ages.
    shown: Snapshot,
    snapshots: u64,
    is_dirty: bool,
    outputs: VecDeque<Output>,
}

impl Pilot {
    /// A pilot that begins to connect at once.
    #[must_use]
    pub fn new(start: Start, now: Moment) -> Self {
        // Numbers made from the wall clock do not repeat after a reload or a restart.
        let first_seq = start.unix_ms_at_start.max(0.0) as u64;
        let mut session = Session::new(&start.url, first_seq);
        let heartbeat_topic = start.profile.bridge.heartbeat_topic();
        session.advertise(&heartbeat_topic, StringMsg::TYPE);
        session.subscribe(Subscription::every(&heartbeat_topic, StringMsg::TYPE));
        session.connect(now);
        let mut pilot = Self {
            session,
            link: Link::new(first_seq),
            definitions: Definitions::default(),
            lease: Lease::default(),
            leased_at: None,
            driving: Driving::new(),
            tooling: Tooling::new(&start.profile.tools),
            motor: Motor::default(),
            flight: Flight::default(),
            stop: None,
            settled_stops: Vec::new(),
            stop_elsewhere: None,
            was_commanded: false,
            make_up: None,
            unsettled: start.unsettled.clone(),
            foreign: Foreign::default(),
            foreign_was_driving: false,
            motion: MotionWatch::default(),
            confirm: None,
            stop_check: StopChecking::default(),
            commissioning: Commissioning::default(),
            vehicle_clock_ahead_ms: 0.0,
            last_trouble: None,
            refused: None,
            last_bad_frame: String::new(),
            next_tick: now,
            last_tick: now,
            next_snapshot: now,
            shown: Snapshot::default(),
            snapshots: 0,
            is_dirty: true,
            outputs: VecDeque::new(),
            start,
        };
        pilot.take_commissioned();
        if pilot.start.stopped {
            pilot.latch_stop_here(now);
        } else if pilot.start.replaces_another {
            pilot.driving.note_replaced();
        }
        pilot.finish(now);
        pilot
    }

    /// Tells it something. Drain [`Self::poll`] afterwards.
    pub fn handle(&mut self, input: Input, now: Moment) {
        match input {
            Input::Intent(intent) => self.on_intent(intent, now),
            Input::Fact(fact) => self.on_fact(fact, now),
            Input::Socket(socket, event) => {
                for event in self.session.handle(socket, event, now) {
                    self.on_session(event, now);
                }
            }
            Input::Tick => {}
        }
        for event in self.session.tick(now) {
            self.on_session(event, now);
        }
        self.judge(now);
        if now >= self.next_tick {
            self.command_tick(now);
        }
        self.finish(now);
    }

    /// The next thing to do.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When it wants [`Input::Tick`] at the latest.
    #[must_use]
    pub fn next_wakeup(&self) -> Moment {
        let own = self.next_tick.min(self.next_snapshot);
        self.session
            .next_wakeup()
            .map_or(own, |theirs| theirs.min(own))
    }

    fn on_intent(&mut self, intent: Intent, now: Moment) {
        match intent {
            // A Worker is given one start in its life; a second one would be a mistake of the
            // page's, and a pilot that forgot a latched STOP because of it would be worse.
            Intent::Start(_) => {
                self.event(Event::BadIntent {
                    detail: "start was sent twice".into(),
                });
            }
            Intent::Lease(lease) => {
                self.on_lease(lease, now);
                return;
            }
            Intent::Release(why) => self.on_release(why, now),
            Intent::ArmDrive(true) => self.arm_drive(now),
            Intent::ArmDrive(false) => self.disarm_drive(Reason::SwitchedOff, now),
            Intent::ArmTools(true) => self.arm_tools(now),
            Intent::ArmTools(false) => self.stop_tools(Reason::SwitchedOff, now),
            Intent::Want(wanted) => self.want(wanted, now),
            Intent::Stop => self.latch_stop_here(now),
            Intent::ResetStop => self.reset_stop(now),
            Intent::StopCheck(speed) => self.ask_for_stop_check(speed, now),
            Intent::Seen(seen) => self.found_out(seen, now),
            Intent::SpeedLimit(percent) => self.driving.set_limit(percent),
            Intent::Connect => self.session.connect(now),
            Intent::Disconnect => self.disconnect(now),
            Intent::Programs(text) => self.take_programs(&text),
        }
        self.is_dirty = true;
    }

    fn on_lease(&mut self, lease: Lease, now: Moment) {
        let in_transit = millis(lease.transit_ms.clamp(0.0, 1e9) as u64);
        if in_transit >= self.deadman() {
            return;
        }
        if lease.touches != self.lease.touches || lease.stick.is_some() || !lease.holds.is_empty() {
            self.tooling.touched(now);
        }
        if lease.holds != self.lease.holds {
            self.tooling.hurry(now);
            // A check says so beside its own button.
            if !lease.holds.is_empty() && lease.holds.check == 0 {
                self.say_tools_are_off(now);
            }
        }
        self.lease = lease;
        self.leased_at = Some(now - in_transit);
        self.contact(now);
        self.hold_confirm(now);
    }

    fn on_release(&mut self, why: snapshot::PressEnd, now: Moment) {
        use snapshot::PressEnd;
        self.lease.stick = None;
        if !matches!(why, PressEnd::Lifted | PressEnd::Cancelled) {
            // A finger that is lifted from the pad leaves the other hand's buttons alone.
            self.lease.holds = Default::default();
            self.lease.confirm = false;
            self.tooling.hurry(now);
            // What ends with the page must be said in this turn: there may be no other.
            self.next_tick = now;
        }
        self.end_press(why, now);
        if why == PressEnd::Hidden {
            self.stop_tools(Reason::Hidden, now);
        }
    }

    fn on_fact(&mut self, fact: Fact, now: Moment) {
        match fact {
            Fact::HeartbeatSeen { seq } => {
                self.link.telemetry.echoed(seq, now);
            }
            Fact::Fix(fix) => {
                self.motion.receive(fix, now);
                self.stop_check_fix(&fix, now);
            }
            Fact::Definitions(definitions) => self.on_definitions(definitions, now),
            Fact::VehicleClock { ahead_ms } if ahead_ms.is_finite() => {
                self.vehicle_clock_ahead_ms = ahead_ms;
            }
            Fact::VehicleClock { .. } => {}
            Fact::Flight { motors, landed } => {
                self.flight.heard(motors, landed, now);
                self.is_dirty = true;
            }
            Fact::MotorsRefused(why) => self.refuse(Event::MotorsRefused(why), now),
            Fact::Online(is_online) => {
                if !is_online {
                    self.flight.forget();
                    self.link.telemetry.reset();
                }
            }
        }
    }

    fn on_definitions(&mut self, definitions: Definitions, now: Moment) {
        if definitions == self.definitions {
            return;
        }
        let old = std::mem::replace(&mut self.definitions, definitions);
        let bridge = &self.start.profile.bridge;
        let news = [
            (
                &old.cmd_vel,
                &self.definitions.cmd_vel,
                bridge.cmd_vel_topic(),
                &bridge.cmd_vel_type,
            ),
            (
                &old.mc_ctrl,
                &self.definitions.mc_ctrl,
                bridge.mc_ctrl_topic(),
                &bridge.mc_ctrl_type,
            ),
        ]
        .into_iter()
        .filter(|(old, new, _, _)| old != new)
        .map(|(_, new, topic, assumed)| match new {
            intent::Found::Type { name, .. } => Event::TypeFound {
                topic,
                name: name.clone(),
            },
            _ => Event::TypeNotTold {
                topic,
                assumed: assumed.clone(),
            },
        })
        .collect::<Vec<_>>();
        news.into_iter().for_each(|event| self.event(event));
        self.definitions_changed(&old, now);
        self.is_dirty = true;
    }

    fn on_session(&mut self, event: SessionEvent, now: Moment) {
        match event {
            SessionEvent::Opened => {
                self.link.opened(now);
                self.driving.echoes.connection_opened();
                self.flight.echoes.connection_opened();
                self.tooling.connection_opened();
                self.begin_make_up(now);
                self.next_tick = now;
            }
            SessionEvent::Failed { refused } => {
                let trouble = match refused {
                    Some(message) => Trouble::Refused { message },
                    None => Trouble::NeverOpened,
                };
                self.link_failed(trouble);
            }
            SessionEvent::Closed => {
                let worked = self.link.control.newest_echoed().is_some();
                let trouble = if worked {
                    Trouble::Closed
                } else {
                    Trouble::ClosedAtOnce
                };
                self.link_gone(now);
                if worked {
                    self.link.closed(Some(trouble));
                    self.event(Event::LinkLost);
                } else {
                    self.link_failed(trouble);
                }
            }
            SessionEvent::Message { topic, msg } => self.on_message(&topic, &msg, now),
            SessionEvent::BadFrame(detail) => self.bad_frame(detail),
            SessionEvent::Remark { level, message } => {
                self.event(Event::BadFrame {
                    detail: format!("{level}: {message}"),
                });
            }
            // The control socket calls no services: a hung one would hold back every command.
            SessionEvent::Answer { .. } | SessionEvent::OtherAnswer { .. } => {}
        }
        self.is_dirty = true;
    }

    fn on_message(&mut self, topic: &str, msg: &serde_json::Value, now: Moment) {
        let bridge = &self.start.profile.bridge;
        if topic == bridge.heartbeat_topic() {
            let data = msg
                .get("data")
                .and_then(serde_json::Value::as_str)
                .unwrap_or_default();
            match Heartbeat::parse(data) {
                Some(heartbeat) => self.on_heartbeat(heartbeat, now),
                None => self.event(Event::BadFrame {
                    detail: format!("{topic}: {data:.60}"),
                }),
            }
        } else if topic == bridge.cmd_vel_topic() {
            self.heard_velocity(msg, now);
        } else if topic == bridge.mc_ctrl_topic() {
            self.heard_mc_ctrl(msg, now);
        } else if self.flies() && topic == bridge.attitude_topic() {
            self.heard_attitude(msg, now);
        }
    }

    fn on_heartbeat(&mut self, heartbeat: Heartbeat, now: Moment) {
        let console = &self.start.console;
        if heartbeat.console == console.id {
            if self.link.echoed(heartbeat.seq, now) {
                self.session.confirm_working();
                self.last_trouble = None;
                self.event(Event::LinkUp {
                    url: self.start.url.clone(),
                });
            }
            return;
        }
        // Rule 27: this tab's former self may still be heard after a reload.
        if console.former_ids.contains(&heartbeat.console) {
            return;
        }
        self.heard_stop_mark(&heartbeat, now);
        self.foreign.heartbeat(heartbeat, now);
    }

    /// What time alone, or news of the link, brings about.
    fn judge(&mut self, now: Moment) {
        self.link.control.tick(now);
        match self.link.judge(self.is_active(), self.link_timeout(), now) {
            Verdict::Fine => {}
            Verdict::JustStalled => {
                self.event(Event::LinkStalled);
                self.stop_tools(Reason::LinkStalled, now);
                self.block_drive(Reason::LinkStalled, now);
            }
            Verdict::JustRecovered(after) => {
                let after_ms = u32::try_from(after.as_millis()).unwrap_or(u32::MAX);
                self.event(Event::LinkRecovered { after_ms });
                self.is_dirty = true;
            }
            Verdict::JustTooLate(worst) => self.disarm_drive(driving::slow(worst), now),
            Verdict::Dead => {
                // The old socket may yet deliver: it gets the stop first, and only then is
                // given up (rule 12).
                self.say_stop(Path::Control, now);
                self.link_gone(now);
                self.link.closed(Some(Trouble::Closed));
                self.event(Event::LinkLost);
                self.session.replace_socket(now);
            }
            Verdict::NoEcho => {
                let topic = self.start.profile.bridge.heartbeat_topic();
                self.session.retry_later(now);
                self.link_failed(Trouble::NoEcho { topic });
            }
        }
        self.judge_drive(now);
        self.judge_stop_check(now);
        self.judge_tools(now);
        self.judge_foreign(now);
        self.judge_confirm(now);
    }

    fn judge_foreign(&mut self, now: Moment) {
        let is_driving = self.foreign.is_driving(now);
        if is_driving != self.foreign_was_driving {
            self.foreign_was_driving = is_driving;
            let name = self.foreign.name();
            self.event(if is_driving {
                Event::ForeignDriving { name }
            } else {
                Event::ForeignGone
            });
            self.is_dirty = true;
        }
        if is_driving {
            self.oppose(now);
            self.block_drive(
                Reason::ForeignDriver {
                    name: self.foreign.name(),
                },
                now,
            );
        }
        if self.foreign.is_working(now) {
            self.stop_tools(
                Reason::ForeignDriver {
                    name: self.foreign.name(),
                },
                now,
            );
        }
    }

    fn command_tick(&mut self, now: Moment) {
        let late_by = now.since(self.last_tick);
        self.last_tick = now;
        self.note_late_timer(late_by, now);
        if self.session.is_open() {
            self.send_heartbeat(now);
        }
        self.drive_tick(now);
        self.tools_tick(now);
        self.tell_commanded();
        self.stop_tick(now);
        let period = self.period();
        // A late tick is not made up for: what it missed is old.
        let mut next = self.next_tick + period;
        if next < now + period / 2 {
            next = now + period;
        }
        self.next_tick = next;
        self.is_dirty |= self.is_active();
    }

    fn tell_commanded(&mut self) {
        let by_stick = if self.driving.is_driving() {
            let velocity = self.driving.velocity;
            velocity.linear.hypot(velocity.left)
        } else {
            0.0
        };
        let speed = by_stick.max(self.motor_speed());
        if speed > 0.0 || self.was_commanded {
            self.outputs.push_back(Output::Commanded(speed));
        }
        self.was_commanded = speed > 0.0;
    }

    fn send_heartbeat(&mut self, now: Moment) {
        let heartbeat = Heartbeat {
            console: self.start.console.id.clone(),
            name: self.start.console.name.clone(),
            seq: self.link.beat(now),
            driving: self.driving.is_driving(),
            stop: self.stop.as_ref().map(|stop| stop.mark.clone()),
        };
        self.driving.note_beat(heartbeat.seq);
        let topic = self.start.profile.bridge.heartbeat_topic();
        let message = serde_json::json!({ "data": heartbeat.encode() });
        self.session.publish(&topic, &message);
    }

    /// The connection is gone: what it leaves behind.
    fn link_gone(&mut self, now: Moment) {
        self.disarm_drive(Reason::LinkLost, now);
        self.stop_tools(Reason::LinkLost, now);
        self.make_up = None;
        self.confirm = None;
        self.driving.forget_confirmation();
        self.tooling.forget_confirmation();
        if let Some(stop) = &mut self.stop {
            stop.link_lost();
        }
    }

    /// Something did not come about: said for a while, and kept in the list.
    fn refuse(&mut self, event: Event, now: Moment) {
        self.refused = Some((event.clone(), now));
        self.event(event);
    }

    fn link_failed(&mut self, trouble: Trouble) {
        self.link.closed(Some(trouble.clone()));
        if self.last_trouble.as_ref() != Some(&trouble) {
            self.last_trouble = Some(trouble.clone());
            self.event(Event::LinkFailed {
                url: self.start.url.clone(),
                trouble,
            });
        }
    }

    fn disconnect(&mut self, now: Moment) {
        if self.is_cut_on_purpose() {
            self.say_stop(Path::Telemetry, now);
        }
        self.stop_check = StopChecking::default();
        self.disarm_drive(Reason::SwitchedOff, now);
        self.stop_tools(Reason::SwitchedOff, now);
        self.say_stop(Path::Control, now);
        self.link_gone(now);
        self.session.disconnect();
        self.link.forget();
        self.event(Event::Disconnected);
    }

    fn finish(&mut self, now: Moment) {
        if self.is_active() {
            // From seldom to often at once.
            self.next_tick = self.next_tick.min(now + self.period());
        }
        while let Some(output) = self.session.poll() {
            self.outputs.push_back(Output::Socket(output));
        }
        let is_due = now >= self.next_snapshot;
        if self.is_dirty || is_due {
            self.is_dirty = false;
            let snapshot = Box::new(self.snapshot(now));
            // A page that is told 40 times a second how old everything is has less time to drive.
            let news = snapshot.without_ages();
            if is_due || news != self.shown {
                self.next_snapshot = now + SNAPSHOT_PERIOD;
                self.shown = news;
                self.outputs.push_back(Output::Snapshot(snapshot));
            }
        }
    }

    /// Anything is armed, moving or being stopped: heartbeats and commands at `rate_hz`.
    fn is_active(&self) -> bool {
        self.driving.is_active()
            || self.tooling.is_active()
            || self.stop.as_ref().is_some_and(Stop::is_pending)
            || self.make_up.is_some()
    }

    fn period(&self) -> Duration {
        if self.is_active() {
            Duration::from_secs_f64(1.0 / self.start.profile.drive.rate_hz)
        } else {
            IDLE_PERIOD
        }
    }

    fn deadman(&self) -> Duration {
        millis(self.start.profile.drive.deadman_ms)
    }

    fn link_timeout(&self) -> Duration {
        millis(self.start.profile.drive.link_timeout_ms)
    }

    fn lease_is_alive(&self, now: Moment) -> bool {
        self.leased_at
            .is_some_and(|at| now.since(at) <= self.deadman())
    }

    fn is_fresh(&self, now: Moment) -> bool {
        self.link.is_fresh(self.link_timeout(), now)
    }

    fn seen_motion(&self, now: Moment) -> Motion {
        // While nothing is armed heartbeats are seldom; an unanswered one tells as much.
        let timeout = self.link_timeout();
        let is_fresh = self.link.telemetry.is_fresh(timeout, now)
            || self.link.telemetry.is_answering(timeout, now);
        self.motion.judge(is_fresh, now)
    }

    fn is_standing(&self, now: Moment) -> bool {
        self.seen_motion(now) == Motion::Standing
    }

    fn link_state(&self, now: Moment) -> LinkState {
        self.link.state(&self.session, self.link_timeout(), now)
    }

    /// Now in the vehicle's clock, Unix milliseconds.
    fn vehicle_unix_ms(&self, now: Moment) -> f64 {
        self.start.unix_ms_at_start + now.as_millis() + self.vehicle_clock_ahead_ms
    }

    /// Said once per kind in a row.
    fn bad_frame(&mut self, detail: String) {
        if detail != self.last_bad_frame {
            self.last_bad_frame.clone_from(&detail);
            self.event(Event::BadFrame { detail });
        }
    }

    fn event(&mut self, event: Event) {
        self.outputs.push_back(Output::Event(event));
    }
}
