//! The drive's part of the pilot: gate, command tick, zeros, echoes (rules 1–11).

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::Value;

use super::echo::{Echoes, Whose};
use super::event::Event;
use super::intent::{Definitions, Found};
use super::snapshot::{Confirm, LinkState, Motion};
use super::stop_check::Command;
use super::wire::{self, VelocityType};
use super::{Output, Pilot};
use crate::drive::kinematics::{self, Limits, Velocity};
use crate::drive::limiter::{Asked, Limiter};
use crate::drive::machine::{Change, Machine};
use crate::drive::settings::Via;
use crate::drive::state::{DriveState, PressEnd};
use crate::drive::stick::Deflection;
use crate::drive::vigilance::{Alertness, Vigilance};
use crate::msgs::geometry::Twist;
use crate::reason::Reason;
use crate::rosbridge::frame;
use crate::rosbridge::session::Subscription;
use crate::units::{Moment, millis};

/// Zeros that follow the end of a press: one at once, the others with the next ticks.
const ZEROS_AFTER_A_PRESS: u32 = 3;
/// A command tick that comes later than this is a stop (rule 3).
const MAX_GAP: Duration = Duration::from_millis(200);
/// How long a command outlives its sender in ROS, for a late subscriber, with a margin.
const FORMER_SELF_FOR: Duration = Duration::from_millis(1500);
/// m/s below which nothing drawn lowers the limit: a wrong fix must not pin the vehicle down.
const CREEP: f64 = 0.1;
/// Limits of the speed slider, percent.
const LIMIT_PERCENT: (f64, f64) = (10.0, 100.0);

/// The drive's state inside the pilot.
#[derive(Debug)]
pub(super) struct Driving {
    pub machine: Machine,
    pub limit_percent: f64,
    /// Last sent.
    pub velocity: Velocity,
    pub sent_at: Option<Moment>,
    pub published_at: Option<Moment>,
    /// The stick asks for the other direction and has to rest first.
    pub waits_for_reversal: bool,
    /// The stick asks for reverse, which the tools forbid now.
    pub may_not_reverse: bool,
    pub is_confirmed: bool,
    pub echoes: Echoes<Twist>,
    limiter: Limiter,
    vigilance: Vigilance,
    zeros_left: u32,
    /// Number of the newest non-zero sent.
    pub last_non_zero: u64,
    /// Non-zeros sent in all, and how many there were when each heartbeat went out.
    non_zeros: u64,
    non_zeros_at_beat: VecDeque<(u64, u64)>,
    replaced: bool,
}

impl Driving {
    pub(super) fn new() -> Self {
        Self {
            machine: Machine::default(),
            limit_percent: LIMIT_PERCENT.1,
            velocity: Velocity::ZERO,
            sent_at: None,
            published_at: None,
            waits_for_reversal: false,
            may_not_reverse: false,
            is_confirmed: false,
            echoes: Echoes::default(),
            limiter: Limiter::default(),
            vigilance: Vigilance::default(),
            zeros_left: 0,
            last_non_zero: 0,
            non_zeros: 0,
            non_zeros_at_beat: VecDeque::new(),
            replaced: false,
        }
    }

    pub(super) fn is_driving(&self) -> bool {
        self.machine.is_driving()
    }

    pub(super) fn is_active(&self) -> bool {
        self.machine.is_armed() || self.zeros_left > 0
    }

    pub(super) fn set_limit(&mut self, percent: f64) {
        if percent.is_finite() {
            self.limit_percent = percent.clamp(LIMIT_PERCENT.0, LIMIT_PERCENT.1);
        }
    }

    pub(super) fn note_replaced(&mut self) {
        self.replaced = true;
    }

    pub(super) fn forget_confirmation(&mut self) {
        self.is_confirmed = false;
    }

    /// Why the switch is off by itself.
    pub(super) fn reason(&self) -> Option<Reason> {
        let replaced = self.replaced.then_some(Reason::WorkerReplaced);
        self.machine.reason().cloned().or(replaced)
    }

    pub(super) fn note_sent(&mut self, velocity: Velocity, is_motion: bool, now: Moment) {
        self.velocity = velocity;
        self.sent_at = Some(now);
        self.non_zeros += u64::from(is_motion);
    }

    pub(super) fn note_beat(&mut self, seq: u64) {
        if self.non_zeros_at_beat.len() >= 600 {
            self.non_zeros_at_beat.pop_front();
        }
        self.non_zeros_at_beat.push_back((seq, self.non_zeros));
    }

    /// Non-zeros that went out after the newest echoed heartbeat.
    fn unechoed_non_zeros(&mut self, newest_echoed: Option<u64>) -> u64 {
        while let (Some(echoed), Some((seq, _))) = (newest_echoed, self.non_zeros_at_beat.front())
            && *seq < echoed
        {
            self.non_zeros_at_beat.pop_front();
        }
        self.non_zeros_at_beat
            .front()
            .map_or(0, |(_, at_beat)| self.non_zeros - at_beat)
    }

    pub(super) fn alertness(&self, vigilance_s: f64, now: Moment) -> Alertness {
        if self.is_driving() {
            self.vigilance.judge(vigilance_s, now)
        } else {
            Alertness::Alert
        }
    }
}

impl Pilot {
    pub(super) fn arm_drive(&mut self, now: Moment) {
        if let Err(reason) = self.may_arm_drive(now) {
            let found = if self.drives_by_mc_ctrl() {
                &self.definitions.mc_ctrl
            } else {
                &self.definitions.cmd_vel
            };
            if reason == Reason::TypesUnknown && *found != Found::Unasked {
                self.offer(Confirm::DriveTypesUnverified, now);
            } else if reason == Reason::NotStanding {
                self.offer(Confirm::DriveNotStanding, now);
            }
            self.refuse(Event::DriveRefused(reason), now);
            return;
        }
        self.refused = None;
        if self.driving.machine.state() != DriveState::Disarmed {
            return;
        }
        let is_touched = self.lease.pad_touched || self.lease.stick.is_some();
        self.foreign.forget_old_claim(now);
        self.driving.replaced = false;
        self.driving.machine.arm(is_touched);
        self.prepare_velocity_topic();
        self.event(Event::DriveArmed);
    }

    fn may_arm_drive(&self, now: Moment) -> Result<(), Reason> {
        if self.stop.is_some() {
            return Err(Reason::StopLatched);
        }
        self.no_stop_elsewhere(now)?;
        self.link_carries(now)?;
        self.drive_type()?;
        // Gears change only standing (rule 19).
        if self.drives_by_mc_ctrl() && !self.motor.is_confirmed && !self.is_standing(now) {
            return Err(Reason::NotStanding);
        }
        Ok(())
    }

    /// May the drive or the tools be switched on over this link?
    pub(super) fn link_carries(&self, now: Moment) -> Result<(), Reason> {
        // First, because such a link also counts as stalled or lost, as if that would pass.
        let period = Duration::from_secs_f64(1.0 / self.start.profile.drive.rate_hz);
        if let Some(worst) = self.link.never_fresh(self.link_timeout(), period, now) {
            return Err(slow(worst));
        }
        match self.link_state(now) {
            LinkState::Online | LinkState::Slow => Ok(()),
            LinkState::Stalled => Err(Reason::LinkStalled),
            LinkState::Lost => Err(Reason::LinkLost),
            LinkState::Offline | LinkState::Connecting => Err(Reason::Offline),
        }
    }

    /// The type of what drives is known, or taken for granted by a held confirmation.
    fn drive_type(&self) -> Result<(), Reason> {
        if self.drives_by_mc_ctrl() {
            return self.mc_ctrl_type().map(|_| ());
        }
        self.velocity_type()?;
        match self.start.profile.drive.via {
            Via::Attitude => wire::attitude_type(
                &self.definitions.cmd_attitude,
                &self.start.profile.bridge.attitude_topic(),
                self.driving.is_confirmed,
            ),
            _ => Ok(()),
        }
    }

    pub(super) fn velocity_type(&self) -> Result<VelocityType, Reason> {
        let bridge = &self.start.profile.bridge;
        wire::velocity_type(
            &self.definitions.cmd_vel,
            &bridge.cmd_vel_topic(),
            &bridge.cmd_vel_type,
            self.driving.is_confirmed,
        )
    }

    /// The type to send a stop with, whatever is known.
    pub(super) fn velocity_type_or_assumed(&self) -> VelocityType {
        self.velocity_type()
            .ok()
            .or_else(|| VelocityType::from_name(&self.start.profile.bridge.cmd_vel_type))
            .unwrap_or(VelocityType::Twist)
    }

    /// Advertises and listens to the velocity topic, where its type is known.
    pub(super) fn prepare_velocity_topic(&mut self) {
        if let Ok(kind) = self.velocity_type() {
            let topic = self.start.profile.bridge.cmd_vel_topic();
            self.session.advertise(&topic, kind.name());
            self.session
                .subscribe(Subscription::every(&topic, kind.name()));
        }
    }

    pub(super) fn definitions_changed(&mut self, old: &Definitions, now: Moment) {
        let was_known = |found: &Found| matches!(found, Found::Type { .. });
        let is_other = |old: &Found, new: &Found| was_known(old) && old != new;
        if is_other(&old.cmd_vel, &self.definitions.cmd_vel)
            || is_other(&old.cmd_attitude, &self.definitions.cmd_attitude)
        {
            self.disarm_drive(Reason::DefinitionChanged, now);
        }
        if was_known(&old.mc_ctrl) && old.mc_ctrl != self.definitions.mc_ctrl {
            self.stop_tools(Reason::DefinitionChanged, now);
        }
        self.prepare_velocity_topic();
        self.prepare_attitude_topic();
        self.prepare_mc_ctrl_topic();
    }

    /// The pad as the newest lease has it.
    pub(super) fn contact(&mut self, now: Moment) {
        let gate = self.gate(now);
        let stick = self.lease.stick;
        if let Some(stick) = &stick {
            self.driving.vigilance.observe(stick.deflections(), now);
        }
        let fresh = self.is_fresh(now);
        let claimed = self.foreign.has_claim();
        let is_touched = self.lease.pad_touched || stick.is_some();
        let was_driving = self.driving.is_driving();
        let is_gone = |reason: &Reason| match reason {
            Reason::LinkStalled => fresh,
            Reason::ForeignDriver { .. } => !claimed,
            _ => true,
        };
        let change = self
            .driving
            .machine
            .contact(stick.as_ref(), is_touched, gate, is_gone);
        self.after_change(was_driving, change, now);
    }

    /// May a drive start now (rule 2)?
    pub(super) fn gate(&self, now: Moment) -> Result<(), Reason> {
        if !self.is_fresh(now) {
            return Err(Reason::LinkStalled);
        }
        if let Some(worst) = self.link.too_slow(self.link_timeout(), now) {
            return Err(slow(worst));
        }
        if self.foreign.has_claim() {
            return Err(Reason::ForeignDriver {
                name: self.foreign.name(),
            });
        }
        self.no_stop_elsewhere(now)?;
        if self.brake_is_on() {
            return Err(Reason::BrakeOn);
        }
        if self.flight.motors(now) == Some(false) {
            return Err(Reason::MotorsOff);
        }
        self.drive_type()
    }

    pub(super) fn end_press(&mut self, why: PressEnd, now: Moment) {
        let was_driving = self.driving.is_driving();
        let change = self.driving.machine.end_press(why);
        self.after_change(was_driving, change, now);
    }

    pub(super) fn block_drive(&mut self, reason: Reason, now: Moment) {
        let was_driving = self.driving.is_driving();
        let change = self.driving.machine.block(reason);
        self.after_change(was_driving, change, now);
    }

    pub(super) fn disarm_drive(&mut self, reason: Reason, now: Moment) {
        let was_driving = self.driving.is_driving();
        let change = self.driving.machine.disarm(reason);
        self.after_change(was_driving, change, now);
    }

    fn after_change(&mut self, was_driving: bool, change: Option<Change>, now: Moment) {
        if was_driving && !self.driving.is_driving() {
            self.send_zeros(now);
        }
        let Some(change) = change else { return };
        if change == Change::Started {
            if was_driving {
                // The press before it ended in the same lease: its zero first (rule 9).
                self.send_zeros(now);
                self.driving.zeros_left = 0;
            }
            self.driving.vigilance.reset();
            self.take_up_motor();
            // The first command goes out now, not up to a period later.
            self.last_tick = now;
            self.next_tick = now;
        }
        if matches!(change, Change::Disarmed(_)) {
            self.motor.is_confirmed = false;
        }
        self.is_dirty = true;
        self.event(match change {
            Change::Started => Event::DriveStarted,
            Change::Ended => Event::DriveEnded,
            Change::Blocked(reason) => Event::DriveBlocked(reason),
            Change::Refused(reason) => Event::DriveRefused(reason),
            Change::Disarmed(reason) => Event::DriveDisarmed(reason),
        });
    }

    /// Rule 9: a zero at once, without ramp, and two more with the next ticks.
    pub(super) fn send_zeros(&mut self, now: Moment) {
        self.driving.limiter.stop(now);
        self.driving.vigilance.reset();
        self.driving.waits_for_reversal = false;
        self.driving.may_not_reverse = false;
        self.driving.zeros_left = ZEROS_AFTER_A_PRESS;
        if self.drives_by_mc_ctrl() {
            self.roll_out_motor(now);
        }
        if self.publish_velocity(Velocity::ZERO, now) {
            self.driving.zeros_left -= 1;
        }
    }

    /// What ends a drive without any news: time.
    pub(super) fn judge_drive(&mut self, now: Moment) {
        if !self.lease_is_alive(now) {
            self.lease.drawn_cap = None;
        }
        if !self.driving.is_driving() {
            // A cause may be gone although no lease has come since.
            if self.driving.machine.state() == DriveState::Blocked && self.lease_is_alive(now) {
                self.contact(now);
            }
            return;
        }
        if !self.lease_is_alive(now) {
            self.lease.stick = None;
            self.block_drive(Reason::LeaseEnded, now);
        } else if !self.is_fresh(now) && !self.is_cut_on_purpose() {
            self.block_drive(Reason::LinkStalled, now);
        } else if self.flight.motors(now) == Some(false) {
            self.block_drive(Reason::MotorsOff, now);
        } else if self.brake_is_on() {
            self.block_drive(Reason::BrakeOn, now);
        } else if self
            .driving
            .alertness(self.start.profile.drive.vigilance_s, now)
            == Alertness::Asleep
        {
            self.block_drive(Reason::Vigilance, now);
        }
    }

    pub(super) fn note_late_timer(&mut self, late_by: Duration, now: Moment) {
        if self.driving.is_driving() && late_by > MAX_GAP {
            self.block_drive(Reason::LateTimer, now);
        }
    }

    pub(super) fn drive_tick(&mut self, now: Moment) {
        if self.driving.is_driving() {
            self.drive_command(now);
        } else if self.driving.zeros_left > 0 {
            self.driving.zeros_left -= 1;
            self.publish_velocity(Velocity::ZERO, now);
        }
    }

    fn drive_command(&mut self, now: Moment) {
        let Some(stick) = self.lease.stick else {
            self.end_press(PressEnd::Lifted, now);
            return;
        };
        let settings = &self.start.profile.drive;
        let [pad, other] = stick.deflections();
        let shape = |pad: Deflection| pad.shaped(settings.deadzone, settings.expo);
        let shaped = [shape(pad), shape(other)];
        let limits = self.limits();
        let asked = match self.stop_check_command(shaped[0].forward > 0.0, now) {
            Command::Stick => kinematics::velocity(shaped, &self.start.profile.drive, &limits),
            Command::Straight(velocity) => velocity,
            Command::Silent => return,
        };
        self.driving.may_not_reverse = self.judge_squeegee(asked.linear);
        let asked = if self.driving.may_not_reverse {
            Velocity::ZERO
        } else {
            asked
        };
        let settings = &self.start.profile.drive;
        let is_seen_moving = matches!(self.seen_motion(now), Motion::Moving { .. });
        let asked = Asked {
            velocity: asked,
            stick_is_neutral: pad.is_neutral(settings.deadzone),
            is_seen_moving,
            dt: self.period(),
        };
        let limited = self.driving.limiter.next(asked, settings, &limits, now);
        self.driving.waits_for_reversal = limited.waits_for_reversal;
        let newest_echoed = self.link.control.newest_echoed();
        if !limited.velocity.is_zero()
            && self.driving.unechoed_non_zeros(newest_echoed) >= self.non_zero_budget()
        {
            // Rule 11: what is under way already is all that may arrive late.
            self.block_drive(Reason::LinkStalled, now);
            return;
        }
        self.publish_velocity(limited.velocity, now);
    }

    /// How many non-zeros may be under way beyond the newest echoed heartbeat.
    fn non_zero_budget(&self) -> u64 {
        let drive = &self.start.profile.drive;
        ((drive.link_timeout_ms as f64 / 1000.0 * drive.rate_hz) as u64).max(1)
    }

    /// The limits in force.
    pub(super) fn limits(&self) -> Limits {
        let caps = self.unverified_cap().into_iter().chain(self.drawn_cap());
        self.within_motor_range(Limits::new(
            &self.start.profile.drive,
            self.driving.limit_percent,
            caps.reduce(f64::min),
        ))
    }

    /// What is drawn ahead lowers the limit, by profile. An aid: it never holds the vehicle.
    fn drawn_cap(&self) -> Option<f64> {
        let wanted = self.lease.drawn_cap;
        wanted
            .filter(|_| self.start.profile.map.fence_limits_speed)
            .map(|cap| (f64::from(cap) / 1000.0).max(CREEP))
    }

    /// Rule 8: until the stop check of this vehicle has passed.
    pub(super) fn unverified_cap(&self) -> Option<f64> {
        let is_checked = self.start.demo || self.passed_stop_check().is_some();
        (!is_checked).then_some(self.start.profile.drive.unverified_max.0)
    }

    /// Sends one velocity at once; false when there is no open socket.
    pub(super) fn publish_velocity(&mut self, velocity: Velocity, now: Moment) -> bool {
        let velocity = velocity.quantized();
        match self.start.profile.drive.via {
            Via::McCtrl => self.publish_motor(velocity, now),
            Via::Attitude => self.publish_attitude(velocity, now),
            Via::CmdVel => self.publish_twist(velocity, now),
        }
    }

    /// The same on the velocity topic, whatever drives: STOP goes there in any case.
    pub(super) fn publish_twist(&mut self, velocity: Velocity, now: Moment) -> bool {
        let Some((topic, message)) = self.velocity_message(velocity, now) else {
            return false;
        };
        if !self.session.publish(&topic, &message) {
            return false;
        }
        let number = self.driving.echoes.sent(wire::twist_of(velocity), now);
        self.driving.note_sent(velocity, !velocity.is_zero(), now);
        if !velocity.is_zero() {
            self.driving.last_non_zero = number;
            self.unsettled.drive = true;
        }
        true
    }

    /// A zero on the telemetry socket, too: STOP goes both ways.
    pub(super) fn publish_zero_via_telemetry(&mut self, now: Moment) {
        if let Some((topic, message)) = self.velocity_message(Velocity::ZERO, now) {
            self.driving.echoes.sent(Twist::default(), now);
            let text = frame::publish(&topic, &message);
            self.outputs.push_back(Output::SendViaTelemetry { text });
        }
    }

    fn velocity_message(&self, velocity: Velocity, now: Moment) -> Option<(String, Value)> {
        let Velocity {
            linear,
            angular,
            left,
            up,
        } = velocity;
        let is_finite = [linear, angular, left, up].iter().all(|v| v.is_finite());
        let kind = self.velocity_type_or_assumed();
        let message = kind.message(velocity, self.vehicle_unix_ms(now));
        is_finite.then(|| (self.start.profile.bridge.cmd_vel_topic(), message))
    }

    /// A message on the velocity topic: ours, or somebody else's.
    pub(super) fn heard_velocity(&mut self, msg: &Value, now: Moment) {
        let kind = self.velocity_type_or_assumed();
        let Some(twist) = kind.read(msg) else {
            let topic = self.start.profile.bridge.cmd_vel_topic();
            self.bad_frame(format!("{topic} is no velocity"));
            return;
        };
        match self.driving.echoes.heard(&twist) {
            Whose::Ours(number) => {
                self.driving.published_at = Some(now);
                if twist.is_zero() && number > self.driving.last_non_zero {
                    self.unsettled.drive = false;
                }
                if twist.is_zero() {
                    self.note_zero_published(number);
                }
            }
            Whose::Foreign if twist.is_zero() => {}
            Whose::Foreign if self.may_be_own_last(&self.driving.echoes, now) => {}
            Whose::Foreign => self.foreign.drove(now),
        }
    }

    /// Rule 27: on a new connection a console may hear its own last command, or that of its former
    /// self: ROS hands it to a late subscriber for a second. What this console says now is heard
    /// after it.
    pub(super) fn may_be_own_last<M: PartialEq>(&self, echoes: &Echoes<M>, now: Moment) -> bool {
        let start = &self.start;
        let had_former_self = start.replaces_another
            || !start.unsettled.is_settled()
            || !start.console.former_ids.is_empty();
        (had_former_self || echoes.count() > 0)
            && !echoes.has_heard_ours()
            && self
                .link
                .opened_at()
                .is_none_or(|at| now.since(at) < FORMER_SELF_FOR)
    }

    /// How long ago something was, in milliseconds for the screen.
    pub(super) fn age_ms(at: Option<Moment>, now: Moment) -> Option<f64> {
        at.map(|at| now.since(at).as_secs_f64() * 1000.0)
    }

    /// The time a vigilance stop is away, when it has been warned of.
    pub(super) fn vigilance_stop_in(&self, now: Moment) -> Option<f64> {
        match self
            .driving
            .alertness(self.start.profile.drive.vigilance_s, now)
        {
            Alertness::Warn(left) => Some(left.max(millis(0)).as_secs_f64()),
            Alertness::Alert | Alertness::Asleep => None,
        }
    }
}

pub(super) fn slow(worst: Duration) -> Reason {
    let worst_ms = u32::try_from(worst.as_millis()).unwrap_or(u32::MAX);
    Reason::LinkSlow { worst_ms }
}
