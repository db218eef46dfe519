//! The stop check (rule 28): does the vehicle stop by itself when the commands cease?
//!
//! A finger drives straight on at low speed in a clear area; then the console goes silent while the
//! finger is still held, and watches by RTK how long and how far the vehicle goes on. Once with
//! the socket open, once with the socket closed. Only what has passed both lifts the cap on speed
//! (rule 8). It is the one exception to the rule that every end of motion is told to the vehicle
//! at once: zeros follow after 1.5 s, after 1 m, and whenever the finger is lifted.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::event::Event;
use super::intent::SeenFix;
use super::motion::STANDING_SPEED;
use super::snapshot::{Confirm, Motion, StopCheckStep, StopCheckView};
use super::{Path, Pilot};
use crate::drive::kinematics::Velocity;
use crate::drive::state::DriveState;
use crate::reason::Reason;
use crate::units::Moment;

/// Speed of the first check, m/s.
const FIRST_SPEED: f64 = 0.2;
/// The speed is held this long before the commands cease.
const STEADY_FOR: Duration = Duration::from_secs(1);
/// A vehicle that is not seen moving by then cannot be checked.
const GET_MOVING_IN: Duration = Duration::from_secs(6);
/// Zeros are sent after this time without commands.
const WATCH_FOR: Duration = Duration::from_millis(1500);
/// Zeros are sent after this distance, metres.
const WATCH_WITHIN: f64 = 1.0;
/// So long must the fixes say that it stands.
const STOPPED_FOR: Duration = Duration::from_millis(300);
/// Without a fix for this long the vehicle is not watched any more.
const FIX_MAX_AGE: Duration = Duration::from_millis(500);

/// How long and how far the vehicle went on after the last command.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RollOut {
    /// Seconds until it was seen standing, the way of the fixes included.
    pub seconds: f64,
    /// Metres, straight.
    pub meters: f64,
}

/// A stop check that was passed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StopCheck {
    /// What it holds for.
    pub subject: StopCheckSubject,
    /// When, Unix milliseconds of this device.
    pub unix_ms: f64,
    /// At which speed, m/s.
    pub speed: f64,
    /// With the socket open.
    pub open: RollOut,
    /// With the socket closed.
    pub cut: RollOut,
}

/// What a stop check holds for: another vehicle, topic or console has to be checked anew.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StopCheckSubject {
    /// The vehicle's name in the profile.
    pub vehicle: String,
    /// The address of its rosbridge.
    pub url: String,
    /// The velocity topic.
    pub topic: String,
    /// The console's version.
    pub version: String,
}

/// Why a stop check was not passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopCheckFailure {
    /// It still moved after 1.5 s, or had gone 1 m: it does not stop by itself in time.
    StillMoving,
    /// It was not seen moving although it was told to.
    NotSeenMoving,
    /// The position was lost while it was watched.
    PositionLost,
    /// The finger was lifted, or something else ended the run.
    Interrupted,
}

/// The check inside the pilot.
#[derive(Debug, Default)]
pub(super) struct StopChecking {
    step: Step,
    speed: f64,
    /// The run with the socket open, once it has passed; the next one is cut.
    open: Option<RollOut>,
    refused: Option<Reason>,
    failed: Option<StopCheckFailure>,
}

#[derive(Debug, Default)]
enum Step {
    #[default]
    Off,
    /// Waits for a press.
    Press,
    /// Up to speed.
    Drive {
        since: Moment,
        steady_since: Option<Moment>,
    },
    /// No commands.
    Watch(Watch),
}

#[derive(Debug)]
struct Watch {
    silent_since: Moment,
    /// Where it was then, metres east and north.
    origin: (f64, f64),
    fix_at: Moment,
    meters: f64,
    /// Since when every fix says that it stands.
    slow_since: Option<Moment>,
}

impl Watch {
    /// A fix came; an error when it says nothing.
    fn receive(&mut self, fix: &SeenFix, now: Moment) -> Result<(), StopCheckFailure> {
        let (Some(speed), Some((east, north)), true) = (fix.speed, fix.position, fix.is_good)
        else {
            return Err(StopCheckFailure::PositionLost);
        };
        self.fix_at = now;
        self.meters = (east - self.origin.0).hypot(north - self.origin.1);
        self.slow_since = (speed.abs() < STANDING_SPEED).then(|| self.slow_since.unwrap_or(now));
        Ok(())
    }

    /// The outcome, as soon as there is one.
    fn judge(&self, now: Moment) -> Option<Result<RollOut, StopCheckFailure>> {
        let is_over = now.since(self.silent_since) >= WATCH_FOR;
        match self.slow_since {
            _ if now.since(self.fix_at) > FIX_MAX_AGE => Some(Err(StopCheckFailure::PositionLost)),
            _ if self.meters > WATCH_WITHIN => Some(Err(StopCheckFailure::StillMoving)),
            Some(since) if is_over || now.since(since) >= STOPPED_FOR => Some(Ok(RollOut {
                seconds: since.since(self.silent_since).as_secs_f64(),
                meters: self.meters,
            })),
            None if is_over => Some(Err(StopCheckFailure::StillMoving)),
            _ => None,
        }
    }
}

/// What the stop check makes of a command tick.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Command {
    /// The stick decides.
    Stick,
    /// Straight on.
    Straight(Velocity),
    /// Nothing is sent.
    Silent,
}

impl Pilot {
    /// The operator wants to check; a held confirmation that the area is clear comes first.
    pub(super) fn ask_for_stop_check(&mut self, speed: f64, now: Moment) {
        match self.stop_check.step {
            // Asked again while it is on offer: not wanted any more.
            Step::Off if self.confirm.is_some_and(|o| o.what == Confirm::StopCheck) => {
                self.confirm = None;
                return;
            }
            Step::Off => {}
            Step::Press => {
                self.stop_check = StopChecking::default();
                return;
            }
            Step::Drive { .. } | Step::Watch(_) => {
                self.end_run(Err(StopCheckFailure::Interrupted), now);
                return;
            }
        }
        self.stop_check = StopChecking::default();
        if let Err(reason) = self.may_check_stop(now) {
            self.refuse_stop_check(reason, now);
            return;
        }
        let wanted = if speed.is_finite() && self.passed_stop_check().is_some() {
            speed.max(FIRST_SPEED)
        } else {
            FIRST_SPEED
        };
        self.stop_check.speed = wanted.min(self.limits().forward);
        self.offer(Confirm::StopCheck, now);
    }

    fn may_check_stop(&self, now: Moment) -> Result<(), Reason> {
        if !self.driving.machine.is_armed() {
            return Err(self.driving.reason().unwrap_or(Reason::SwitchedOff));
        }
        self.gate(now)?;
        if !self.is_standing(now) {
            return Err(Reason::NotStanding);
        }
        Ok(())
    }

    pub(super) fn begin_stop_check(&mut self, now: Moment) {
        match self.may_check_stop(now) {
            Ok(()) => {
                self.stop_check.open = None;
                self.stop_check.step = Step::Press;
            }
            Err(reason) => self.refuse_stop_check(reason, now),
        }
    }

    fn refuse_stop_check(&mut self, reason: Reason, now: Moment) {
        self.stop_check.refused = Some(reason.clone());
        self.refuse(Event::StopCheckRefused(reason), now);
    }

    /// The passed check that holds for what is driven now.
    pub(super) fn passed_stop_check(&self) -> Option<&StopCheck> {
        let subject = self.stop_check_subject();
        self.start
            .stop_checks
            .iter()
            .find(|passed| passed.subject == subject)
    }

    fn stop_check_subject(&self) -> StopCheckSubject {
        StopCheckSubject {
            vehicle: self.start.profile.vehicle.name.clone(),
            url: self.start.url.clone(),
            topic: self.drive_topic(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// The commands have ceased on purpose, and the socket is closed on purpose.
    pub(super) fn is_cut_on_purpose(&self) -> bool {
        matches!(self.stop_check.step, Step::Watch(_)) && self.stop_check.open.is_some()
    }

    /// Nothing is sent on purpose.
    pub(super) fn stop_check_is_silent(&self) -> bool {
        matches!(self.stop_check.step, Step::Watch(_))
    }

    /// What this tick sends.
    pub(super) fn stop_check_command(&mut self, pushes_forward: bool, now: Moment) -> Command {
        match self.stop_check.step {
            Step::Off => return Command::Stick,
            Step::Watch(_) => return Command::Silent,
            Step::Press | Step::Drive { .. } => {}
        }
        let target = Velocity {
            linear: if pushes_forward {
                self.stop_check.speed
            } else {
                0.0
            },
            angular: 0.0,
        }
        .quantized();
        let at_speed = pushes_forward && self.driving.velocity == target;
        let moves = match self.seen_motion(now) {
            Motion::Moving { speed } => speed >= target.linear / 2.0,
            _ => false,
        };
        let (since, steady_since) = match self.stop_check.step {
            Step::Drive {
                since,
                steady_since,
            } => (since, at_speed.then(|| steady_since.unwrap_or(now))),
            _ => (now, None),
        };
        self.stop_check.step = Step::Drive {
            since,
            steady_since,
        };
        let is_steady = steady_since.is_some_and(|at| now.since(at) >= STEADY_FOR);
        if is_steady && moves && self.fall_silent() {
            return Command::Silent;
        }
        if is_steady && now.since(since) >= GET_MOVING_IN {
            self.end_run(Err(StopCheckFailure::NotSeenMoving), now);
            return Command::Silent;
        }
        Command::Straight(target)
    }

    fn fall_silent(&mut self) -> bool {
        let (Some((fix_at, origin)), Some(silent_since)) =
            (self.motion.newest_position(), self.driving.sent_at)
        else {
            return false;
        };
        self.stop_check.step = Step::Watch(Watch {
            silent_since,
            origin,
            fix_at,
            meters: 0.0,
            slow_since: None,
        });
        if self.is_cut_on_purpose() {
            self.session.disconnect();
            self.link.closed(None);
        }
        self.is_dirty = true;
        true
    }

    pub(super) fn stop_check_fix(&mut self, fix: &SeenFix, now: Moment) {
        if let Step::Watch(watch) = &mut self.stop_check.step
            && let Err(failure) = watch.receive(fix, now)
        {
            self.end_run(Err(failure), now);
        }
    }

    pub(super) fn judge_stop_check(&mut self, now: Moment) {
        let is_driving = self.driving.is_driving();
        match &self.stop_check.step {
            Step::Drive { .. } | Step::Watch(_) if !is_driving => {
                self.end_run(Err(StopCheckFailure::Interrupted), now);
            }
            Step::Watch(watch) => {
                if let Some(outcome) = watch.judge(now) {
                    self.end_run(outcome, now);
                }
            }
            Step::Press if !self.driving.machine.is_armed() => {
                self.stop_check = StopChecking::default();
            }
            _ => {}
        }
    }

    /// A run is over, whatever came of it: the vehicle is told to stand.
    fn end_run(&mut self, outcome: Result<RollOut, StopCheckFailure>, now: Moment) {
        let was_cut = self.is_cut_on_purpose();
        self.stop_check.step = Step::Off;
        if !was_cut && self.driving.is_driving() {
            self.block_drive(Reason::StopCheck, now);
        }
        if was_cut {
            self.disarm_drive(Reason::StopCheck, now);
            // The control socket is closed: the other one tells it now, a new one as soon as it
            // is open, because the loss is remembered (rule 13).
            self.say_stop(Path::Telemetry, now);
            self.session.connect(now);
        }
        match (outcome, self.stop_check.open.take()) {
            (Ok(open), None) => {
                self.stop_check.open = Some(open);
                self.stop_check.step = Step::Press;
                self.event(Event::StopCheckHalf(open));
            }
            (Ok(cut), Some(open)) => {
                let passed = StopCheck {
                    subject: self.stop_check_subject(),
                    unix_ms: self.start.unix_ms_at_start + now.as_millis(),
                    speed: self.stop_check.speed,
                    open,
                    cut,
                };
                self.forget_stop_check();
                self.start.stop_checks.push(passed);
                self.event(Event::StopCheckPassed { open, cut });
            }
            (Err(StopCheckFailure::Interrupted), open)
                if self.driving.machine.state() == DriveState::Ready =>
            {
                // The finger was lifted: the run is done again.
                self.stop_check.open = open;
                self.stop_check.step = Step::Press;
            }
            (Err(failure), _) => {
                let speed = self.stop_check.speed;
                if failure == StopCheckFailure::StillMoving
                    && self.passed_stop_check().is_some_and(|it| speed <= it.speed)
                {
                    self.forget_stop_check();
                }
                self.stop_check.failed = Some(failure);
                self.refuse(Event::StopCheckFailed(failure), now);
            }
        }
        self.is_dirty = true;
    }

    fn forget_stop_check(&mut self) {
        let subject = self.stop_check_subject();
        self.start
            .stop_checks
            .retain(|passed| passed.subject != subject);
    }

    pub(super) fn stop_check_view(&self) -> StopCheckView {
        StopCheckView {
            step: match self.stop_check.step {
                Step::Off => StopCheckStep::Off,
                Step::Press => StopCheckStep::Press,
                Step::Drive { .. } => StopCheckStep::Drive,
                Step::Watch(_) => StopCheckStep::Watch,
            },
            is_cut: self.stop_check.open.is_some(),
            passed: self.passed_stop_check().cloned(),
            refused: self.stop_check.refused.clone(),
            failed: self.stop_check.failed,
        }
    }
}
