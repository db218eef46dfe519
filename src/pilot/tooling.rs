//! The tools' part of the pilot: arming, McCtrl at its rate, safe stops, echoes (rules 18–25).

use std::time::Duration;

use serde_json::Value;

use super::echo::{Echoes, Whose};
use super::event::Event;
use super::intent::Found;
use super::snapshot::Confirm;
use super::{Output, Path, Pilot, wire};
use crate::drive::motor;
use crate::drive::state::DriveState;
use crate::msgs::sweeper::McCtrl;
use crate::reason::Reason;
use crate::rosbridge::frame;
use crate::rosbridge::session::Subscription;
use crate::tools::field::ToolField;
use crate::tools::intent::{Holds, Wanted};
use crate::tools::policy::{Context, Policy, Ranges, SafeStop};
use crate::tools::program::{ProgramView, Run};
use crate::tools::settings::ToolsSettings;
use crate::tools::squeegee::Squeegee;
use crate::tools::state::{FieldNote, ToolsState};
use crate::units::Moment;

/// A page that has not renewed its lease for this long cannot stop the tools any more: they stop.
/// It is longer than the drive's deadman so that a slow redraw does not stop a brush; held
/// buttons end with the deadman.
const LEASE_PATIENCE: Duration = Duration::from_secs(2);
/// Warning before the tools stop because nobody touches the screen.
const PRESENCE_WARNING_S: f64 = 10.0;
/// A McCtrl heard within this time is "live" (rule 16).
const LIVE_FOR: Duration = Duration::from_secs(10);

/// The tools' state inside the pilot.
#[derive(Debug)]
pub(super) struct Tooling {
    pub state: ToolsState,
    pub reason: Option<Reason>,
    pub wanted: Wanted,
    pub policy: Policy,
    pub ranges: Ranges,
    pub last_sent: Option<(u64, McCtrl)>,
    pub published: Option<McCtrl>,
    pub last_heard: Option<(McCtrl, Moment)>,
    pub is_confirmed: bool,
    pub was_ever_armed: bool,
    pub safe_stop: Option<SafeStop>,
    /// The stop leaves the brake alone because the stick still drives by `cmd_vel`.
    leaves_brake: u32,
    run: Run,
    squeegee: Squeegee,
    /// Reverse was refused because of it, and nothing has gone forward since.
    offers_squeegee: bool,
    echoes: Echoes<McCtrl>,
    last_active: u64,
    next_message: Moment,
    touched_at: Moment,
}

impl Tooling {
    pub(super) fn new(settings: &ToolsSettings) -> Self {
        Self {
            state: ToolsState::Disarmed,
            reason: None,
            wanted: Wanted {
                angle_speed: settings.angle_speed,
                ..Wanted::default()
            },
            policy: Policy::default(),
            ranges: Ranges::new(settings, |_| None),
            last_sent: None,
            published: None,
            last_heard: None,
            is_confirmed: false,
            was_ever_armed: false,
            safe_stop: None,
            leaves_brake: 0,
            run: Run::default(),
            squeegee: Squeegee::default(),
            offers_squeegee: false,
            echoes: Echoes::default(),
            last_active: 0,
            next_message: Moment::START,
            touched_at: Moment::START,
        }
    }

    pub(super) fn is_active(&self) -> bool {
        self.state == ToolsState::Armed || self.safe_stop.is_some() || self.leaves_brake > 0
    }

    pub(super) fn touched(&mut self, now: Moment) {
        self.touched_at = now;
    }

    /// The next message is due now: something changed under a finger.
    pub(super) fn hurry(&mut self, now: Moment) {
        self.next_message = self.next_message.min(now);
    }

    /// A message went out beside the regular ones.
    pub(super) fn sent_now(&mut self, rate_hz: f64, now: Moment) {
        self.next_message = now + Duration::from_secs_f64(1.0 / rate_hz);
    }

    /// A new connection begins.
    pub(super) fn connection_opened(&mut self) {
        self.echoes.connection_opened();
    }

    pub(super) fn forget_confirmation(&mut self) {
        self.is_confirmed = false;
    }

    /// The newest message on the topic, whoever sent it.
    fn newest(&self) -> Option<McCtrl> {
        let sent = self.last_sent.map(|(_, message)| message);
        self.last_heard.map(|(message, _)| message).or(sent)
    }
}

impl Pilot {
    pub(super) fn arm_tools(&mut self, now: Moment) {
        self.arm_tools_with(false, now);
    }

    pub(super) fn arm_tools_with(&mut self, need_not_stand: bool, now: Moment) {
        if self.tooling.state == ToolsState::Armed {
            return;
        }
        if let Err(reason) = self.may_arm_tools(need_not_stand, now) {
            match reason {
                Reason::TypesUnknown if self.definitions.mc_ctrl != Found::Unasked => {
                    self.offer(Confirm::ToolsTypesUnverified, now);
                }
                Reason::NotStanding => self.offer(Confirm::ToolsNotStanding, now),
                _ => {}
            }
            self.refuse(Event::ToolsRefused(reason), now);
            return;
        }
        self.refused = None;
        // Rule 18: the first brake is the last one heard on the topic, else engaged.
        let brake = self
            .tooling
            .newest()
            .is_none_or(|message| message.brake == 1);
        self.tooling.wanted = self.at_rest(brake);
        self.tooling.policy = Policy::default();
        self.tooling.run = Run::default();
        self.tooling.state = ToolsState::Armed;
        self.tooling.reason = None;
        self.tooling.was_ever_armed = true;
        self.tooling.safe_stop = None;
        self.tooling.leaves_brake = 0;
        self.commissioning.begin();
        self.tooling.touched(now);
        self.tooling.hurry(now);
        self.prepare_mc_ctrl_topic();
        self.event(Event::ToolsArmed);
    }

    fn may_arm_tools(&self, need_not_stand: bool, now: Moment) -> Result<(), Reason> {
        if self.stop.is_some() {
            return Err(Reason::StopLatched);
        }
        self.no_stop_elsewhere(now)?;
        self.link_carries(now)?;
        if self.foreign.is_working(now) {
            return Err(Reason::ForeignDriver {
                name: self.foreign.name(),
            });
        }
        self.mc_ctrl_type()?;
        if !need_not_stand && !self.is_standing(now) {
            return Err(Reason::NotStanding);
        }
        Ok(())
    }

    pub(super) fn mc_ctrl_type(&self) -> Result<String, Reason> {
        let bridge = &self.start.profile.bridge;
        wire::mc_ctrl_type(
            &self.definitions.mc_ctrl,
            &bridge.mc_ctrl_topic(),
            &bridge.mc_ctrl_type,
            self.tooling.is_confirmed || self.drives_by_mc_ctrl() && self.driving.is_confirmed,
        )
    }

    /// Advertises and listens to the McCtrl topic, where its type is known, and takes the fields'
    /// ranges from it.
    pub(super) fn prepare_mc_ctrl_topic(&mut self) {
        if let Ok(kind) = self.mc_ctrl_type() {
            let topic = self.start.profile.bridge.mc_ctrl_topic();
            self.session.advertise(&topic, &kind);
            self.session.subscribe(Subscription::every(&topic, &kind));
        }
        let found = &self.definitions.mc_ctrl;
        self.tooling.ranges = Ranges::new(&self.start.profile.tools, |field| {
            let kind = found.field(field.wire_name())?;
            Some((kind, kind.ros_name().to_owned()))
        });
        let drive = &self.start.profile.drive;
        self.tooling
            .ranges
            .tell_speed(|rpm| motor::speed_of(rpm, drive));
        if let Found::Type { fields, .. } = found
            && !fields.is_empty()
            && self.mc_ctrl_type().is_ok()
        {
            for field in ToolField::ALL {
                if !fields.iter().any(|(name, _)| name == field.wire_name()) {
                    self.tooling.ranges.take_away(field);
                }
            }
        }
    }

    /// Reversing would drag the squeegee backwards.
    pub(super) fn may_not_reverse(&self) -> bool {
        self.start.profile.tools.squeegee_interlock && self.tooling.squeegee.is_out()
    }

    /// Is reverse refused for it? What goes forward means to keep it out.
    pub(super) fn judge_squeegee(&mut self, linear: f64) -> bool {
        let is_refused = linear < 0.0 && self.may_not_reverse();
        if is_refused {
            self.tooling.offers_squeegee = true;
        } else if linear > 0.0 {
            self.tooling.offers_squeegee = false;
        }
        is_refused
    }

    /// Retracting it is offered where reverse was refused, as long as it is out.
    pub(super) fn offers_squeegee(&self) -> bool {
        self.tooling.offers_squeegee
            && self.tooling.state == ToolsState::Armed
            && self.may_not_reverse()
    }

    /// Other programs: what is held of the old ones does not run the new.
    pub(super) fn take_programs(&mut self, text: &str) {
        if self.start.profile.take_programs(text) {
            self.tooling.run = Run::default();
            self.lease.holds = Holds::default();
        }
    }

    pub(super) fn program_view(&self) -> Option<ProgramView> {
        self.tooling.run.view(&self.start.profile.tools.programs)
    }

    pub(super) fn want(&mut self, wanted: Wanted, now: Moment) {
        if self.tooling.state != ToolsState::Armed {
            self.say_tools_are_off(now);
            return;
        }
        if wanted.angle_deg.to_bits() != self.tooling.wanted.angle_deg.to_bits() {
            self.commissioning.let_wheels_go();
        }
        // Engaging the brake under a driving stick ends the drive: `judge_drive` sees to it.
        self.tooling.wanted = wanted;
        self.tooling.touched(now);
        self.tooling.hurry(now);
    }

    /// A key that does nothing because the tools are off: that is said, not logged.
    pub(super) fn say_tools_are_off(&mut self, now: Moment) {
        if self.tooling.state == ToolsState::Disarmed {
            self.refused = Some((Event::ToolsRefused(Reason::SwitchedOff), now));
            self.is_dirty = true;
        }
    }

    /// Ends the tools, whatever the cause: three safe messages at least, then silence.
    pub(super) fn stop_tools(&mut self, reason: Reason, now: Moment) {
        if self.tooling.state != ToolsState::Armed {
            return;
        }
        // Only for the operator's own switch, or another publisher, may the drive go on: then the
        // brake is not applied under way.
        let drives_on = self.driving.machine.state() == DriveState::Driving
            && matches!(reason, Reason::SwitchedOff | Reason::ForeignDriver { .. });
        self.begin_safe_stop(now);
        if drives_on {
            self.tooling.safe_stop = None;
            // By McCtrl the drive's own messages go on.
            self.tooling.leaves_brake = if self.drives_by_mc_ctrl() { 0 } else { 3 };
        }
        self.tooling.state = match reason {
            Reason::LinkStalled | Reason::ForeignDriver { .. } => ToolsState::Blocked,
            _ => ToolsState::Disarmed,
        };
        self.tooling.reason = Some(reason.clone());
        self.event(Event::ToolsDisarmed(reason));
        self.is_dirty = true;
    }

    pub(super) fn begin_safe_stop(&mut self, now: Moment) {
        let base = self.tooling.last_sent.map(|(_, message)| message);
        let base = base.or(self.tooling.newest()).unwrap_or(McCtrl {
            brake: 0,
            ..McCtrl::SAFE
        });
        self.tooling.safe_stop = Some(SafeStop::new(base, now));
        self.tooling.run = Run::default();
        self.tooling.wanted = self.at_rest(true);
        self.tooling.hurry(now);
    }

    /// Tools ran or may run: STOP covers them (rule 16).
    pub(super) fn tools_concern_stop(&self, now: Moment) -> bool {
        self.tooling.was_ever_armed
            || self.drives_by_mc_ctrl()
            || self
                .tooling
                .last_heard
                .is_some_and(|(_, at)| now.since(at) <= LIVE_FOR)
    }

    /// All off; what is a quantity or a speed stays as the operator set it.
    pub(super) fn at_rest(&self, brake: bool) -> Wanted {
        let before = &self.tooling.wanted;
        Wanted {
            brake,
            water_amount: before.water_amount,
            angle_speed: before.angle_speed,
            rpm: before.rpm,
            ..Wanted::default()
        }
    }

    /// The brake forbids driving. By McCtrl the drive has the brake itself.
    pub(super) fn brake_is_on(&self) -> bool {
        if self.drives_by_mc_ctrl() {
            return false;
        }
        if self.tooling.state == ToolsState::Armed {
            return self.tooling.wanted.brake;
        }
        // An echo is newer than what was sent, or the same.
        self.tooling
            .newest()
            .is_some_and(|message| message.brake == 1)
    }

    pub(super) fn judge_tools(&mut self, now: Moment) {
        if self.tooling.state == ToolsState::Blocked {
            let is_gone = match self.tooling.reason {
                Some(Reason::ForeignDriver { .. }) => !self.foreign.is_working(now),
                _ => !self.link.is_stalled(),
            };
            if is_gone {
                self.tooling.state = ToolsState::Disarmed;
                self.is_dirty = true;
            }
        }
        if self.tooling.state != ToolsState::Armed {
            return;
        }
        let lease_age = self.leased_at.map(|at| now.since(at));
        if lease_age.is_none_or(|age| age > LEASE_PATIENCE) {
            self.stop_tools(Reason::LeaseEnded, now);
        } else if self.presence_left_s(now) <= 0.0 {
            self.stop_tools(Reason::NobodyThere, now);
        } else if self.driving.is_driving() {
            self.tooling.touched(now);
        }
    }

    fn presence_left_s(&self, now: Moment) -> f64 {
        let away = now.since(self.tooling.touched_at).as_secs_f64();
        self.start.profile.tools.presence_s - away
    }

    /// Seconds until the tools stop because nobody touches the screen, in the last ten.
    pub(super) fn presence_stop_in(&self, now: Moment) -> Option<f64> {
        let left = self.presence_left_s(now);
        (self.tooling.state == ToolsState::Armed && left <= PRESENCE_WARNING_S)
            .then_some(left.max(0.0))
    }

    /// The holds that count now: none without a lease.
    fn live_holds(&self, now: Moment) -> Holds {
        if self.lease_is_alive(now) {
            self.lease.holds
        } else {
            Holds::default()
        }
    }

    pub(super) fn tools_tick(&mut self, now: Moment) {
        if self.stop_check_is_silent() && self.drives_by_mc_ctrl() {
            return;
        }
        // A few milliseconds early is on time: ticks and messages must not drift apart.
        if now + Duration::from_millis(5) < self.tooling.next_message {
            return;
        }
        let message = if self.tooling.state == ToolsState::Armed {
            self.compose(now)
        } else if self.tooling.leaves_brake > 0 {
            self.tooling.leaves_brake -= 1;
            let brake = self.tooling.newest().map_or(0, |message| message.brake);
            McCtrl {
                brake,
                ..McCtrl::SAFE
            }
        } else if self.tooling.safe_stop.is_some() {
            self.next_safe_message(now)
        } else {
            return;
        };
        self.tooling.sent_now(self.start.profile.tools.rate_hz, now);
        self.publish_mc_ctrl(message, now);
        if self.stop.as_ref().is_some_and(|stop| !stop.is_published()) {
            self.publish_mc_ctrl_via_telemetry(message, now);
        }
    }

    pub(super) fn compose(&mut self, now: Moment) -> McCtrl {
        let is_driving = self.driving.is_driving();
        let context = Context {
            // By McCtrl nobody else sets gear, rpm and angle.
            is_driving: is_driving || self.drives_by_mc_ctrl(),
            is_driving_forward: is_driving && self.driving.velocity.linear > 0.0,
            may_move: self.is_fresh(now)
                && self.link.too_slow(self.link_timeout(), now).is_none()
                && !self.foreign.is_driving(now),
            is_standing: self.is_standing(now),
            may_not_reverse: self.may_not_reverse(),
        };
        let holds = self.live_holds(now);
        if let Some(message) = self.check_message(holds.check, now) {
            return message;
        }
        let tooling = &mut self.tooling;
        let settings = &self.start.profile.tools;
        let holds = tooling
            .run
            .advance(&settings.programs, holds, &mut tooling.wanted, now);
        let mut message = tooling.policy.compose(
            &tooling.wanted,
            &holds,
            context,
            settings,
            &tooling.ranges,
            now,
        );
        let refused = FieldNote::Refused(Reason::SqueegeeOut);
        if tooling.policy.note(ToolField::Rpm) == Some(&refused) {
            tooling.offers_squeegee = true;
        }
        if self.drives_by_mc_ctrl() {
            if !is_driving {
                self.rest_motor(&mut message, now);
            }
        } else if is_driving {
            self.commissioning.let_wheels_go();
        } else if let Some(angle) = self.commissioning.left_at() {
            message.angle = angle;
        }
        message
    }

    pub(super) fn next_safe_message(&mut self, now: Moment) -> McCtrl {
        let is_standing = self.is_standing(now);
        let stop_is_pending = self.stop.as_ref().is_some_and(super::Stop::is_pending);
        let Some(safe_stop) = &mut self.tooling.safe_stop else {
            return McCtrl::SAFE;
        };
        let message = safe_stop.next(is_standing, now);
        if safe_stop.is_done() && !stop_is_pending && self.make_up.is_none() {
            self.tooling.safe_stop = None;
        }
        self.note_motor(&message);
        message
    }

    pub(super) fn publish_mc_ctrl(&mut self, message: McCtrl, now: Moment) -> bool {
        let topic = self.start.profile.bridge.mc_ctrl_topic();
        let turned = self.commissioning.turned(message);
        let wire = wire::mc_ctrl_message(&turned, &self.definitions.mc_ctrl);
        if !self.session.publish(&topic, &wire) {
            return false;
        }
        let number = self.tooling.echoes.sent(as_heard(turned, &wire), now);
        self.tooling.last_sent = Some((number, message));
        if message.is_active() {
            self.tooling.last_active = number;
            self.unsettled.tools = true;
        }
        true
    }

    fn publish_mc_ctrl_via_telemetry(&mut self, message: McCtrl, now: Moment) {
        let topic = self.start.profile.bridge.mc_ctrl_topic();
        let turned = self.commissioning.turned(message);
        let wire = wire::mc_ctrl_message(&turned, &self.definitions.mc_ctrl);
        self.tooling.echoes.sent(as_heard(turned, &wire), now);
        let text = frame::publish(&topic, &wire);
        self.outputs.push_back(Output::SendViaTelemetry { text });
    }

    /// Three safe messages at once.
    pub(super) fn say_safe_mc_ctrl(&mut self, over: Path, now: Moment) {
        let base = self.tooling.newest().unwrap_or(McCtrl {
            brake: 0,
            ..McCtrl::SAFE
        });
        let mut stop = SafeStop::new(base, now);
        for _ in 0..3 {
            let message = stop.next(false, now);
            match over {
                Path::Control => {
                    self.publish_mc_ctrl(message, now);
                }
                Path::Telemetry => self.publish_mc_ctrl_via_telemetry(message, now),
            }
        }
    }

    pub(super) fn heard_mc_ctrl(&mut self, msg: &Value, now: Moment) {
        let Some(heard) = wire::read_mc_ctrl(msg) else {
            let topic = self.start.profile.bridge.mc_ctrl_topic();
            self.bad_frame(format!("{topic} does not fit McCtrl"));
            return;
        };
        let message = self.commissioning.turned(heard);
        self.tooling.last_heard = Some((message, now));
        let stroke_s = self.start.profile.tools.stroke_s;
        self.tooling
            .squeegee
            .heard(message.suction_squeeqee_pusher, stroke_s, now);
        match self.tooling.echoes.heard(&heard) {
            Whose::Ours(number) => {
                self.tooling.published = Some(message);
                if self.drives_by_mc_ctrl() {
                    self.driving.published_at = Some(now);
                }
                if !message.is_active() && number > self.tooling.last_active {
                    self.unsettled.tools = false;
                }
            }
            Whose::Foreign if self.may_be_own_last(&self.tooling.echoes, now) => {}
            Whose::Foreign => {
                if message.rpm != 0 {
                    self.foreign.drove(now);
                }
                if message.is_active() {
                    self.foreign.worked(now);
                }
            }
        }
    }
}

/// The message as it comes back from a vehicle that may lack fields.
fn as_heard(message: McCtrl, wire: &Value) -> McCtrl {
    wire::read_mc_ctrl(wire).unwrap_or(message)
}
