//! A multirotor: its motors, which are no part of driving, and its attitude.
//!
//! No command of the drive starts the motors and nothing here stops them in the air: each is an act of
//! its own, held by the operator, and stopping is offered only while the vehicle tells that it stands on
//! the ground. What it has not told lately counts as in the air.
//!
//! By attitude ([`Via::Attitude`]) the pads mean the same and everything that holds of a velocity holds:
//! limits, ramp, deadman, zeros. Only what goes out differs: where the pad asks for `max_linear`, the
//! vehicle is told to tilt by `max_tilt_deg`. Zero is level, the heading held, and a zero climb beside it.

use std::time::Duration;

use serde_json::{Value, json};

use super::event::Event;
use super::snapshot::Confirm;
use super::wire::{self, Attitude};
use super::{Output, Pilot};
use crate::drive::kinematics::Velocity;
use crate::drive::settings::{DriveSettings, Steering, Via};
use crate::drive::state::DriveState;
use crate::msgs::mavros::AttitudeTarget;
use crate::pilot::echo::{Echoes, Whose};
use crate::rosbridge::frame;
use crate::rosbridge::session::Subscription;
use crate::units::Moment;

/// Told once a second; older news counts as none.
const KNOWN_FOR: Duration = Duration::from_millis(2500);

/// What a multirotor told of itself.
#[derive(Debug, Default)]
pub(super) struct Flight {
    motors: Option<(bool, Moment)>,
    landed: Option<(bool, Moment)>,
    pub(super) echoes: Echoes<Attitude>,
}

impl Flight {
    /// Whether the motors run, where it is known.
    pub(super) fn motors(&self, now: Moment) -> Option<bool> {
        known(self.motors, now)
    }

    /// Whether it stands on the ground, where it is known.
    pub(super) fn landed(&self, now: Moment) -> Option<bool> {
        known(self.landed, now)
    }

    /// It told.
    pub(super) fn heard(&mut self, motors: Option<bool>, landed: Option<bool>, now: Moment) {
        let at = |told: Option<bool>| told.map(|told| (told, now));
        self.motors = at(motors).or(self.motors);
        self.landed = at(landed).or(self.landed);
    }

    /// Nothing is known any more.
    pub(super) fn forget(&mut self) {
        (self.motors, self.landed) = (None, None);
    }
}

fn known(told: Option<(bool, Moment)>, now: Moment) -> Option<bool> {
    told.filter(|(_, at)| now.since(*at) <= KNOWN_FOR)
        .map(|(told, _)| told)
}

/// Pitch and roll that a velocity stands for, radians: nose down and right side down are positive.
#[must_use]
pub fn tilt_of(velocity: Velocity, settings: &DriveSettings) -> (f64, f64) {
    let full = settings.max_tilt_deg.to_radians();
    let share = |speed: f64| (speed / settings.max_linear.0).clamp(-1.0, 1.0) * full;
    (share(velocity.linear), -share(velocity.left))
}

impl Pilot {
    pub(super) fn flies(&self) -> bool {
        self.start.profile.drive.steering == Steering::Flight
    }

    /// What may be done with the motors now: start them, or stop them on the ground; nothing while a
    /// finger drives, somebody else has the vehicle, or it is not known.
    fn motors_on_offer(&self, now: Moment) -> Option<Confirm> {
        let is_at_rest = self.driving.machine.state() == DriveState::Ready
            && self.is_fresh(now)
            && !self.foreign.has_claim();
        match self.flight.motors(now).filter(|_| is_at_rest)? {
            false => Some(Confirm::StartMotors),
            true if self.flight.landed(now) == Some(true) => Some(Confirm::StopMotors),
            true => None,
        }
    }

    /// Keeps on offer what may be done, where nothing else is.
    pub(super) fn judge_motors(&mut self, now: Moment) {
        if !self.flies() {
            return;
        }
        let offered = self.confirm.as_ref().map(|offer| offer.what);
        let may = self.motors_on_offer(now);
        let is_of_motors = matches!(offered, Some(Confirm::StartMotors | Confirm::StopMotors));
        if offered != may && (offered.is_none() || is_of_motors) {
            self.confirm = None;
            if let Some(what) = may {
                self.offer(what, now);
            }
            self.is_dirty = true;
        }
    }

    /// The held act, if it may still be done.
    pub(super) fn set_motors(&mut self, what: Confirm, now: Moment) {
        if self.motors_on_offer(now) != Some(what) {
            return;
        }
        let is_on = what == Confirm::StartMotors;
        let service = self.start.profile.bridge.topic("motors");
        let text = frame::call(&service, &json!({ "data": is_on }));
        self.outputs.push_back(Output::SendViaTelemetry { text });
        self.refused = None;
        self.event(Event::MotorsAsked(is_on));
    }

    /// Listens to the attitude topic, for others who fly by it; by attitude it is ours as well.
    pub(super) fn prepare_attitude_topic(&mut self) {
        if self.flies() {
            let topic = self.start.profile.bridge.attitude_topic();
            self.session
                .subscribe(Subscription::every(&topic, AttitudeTarget::TYPE));
            if self.start.profile.drive.via == Via::Attitude {
                self.session.advertise(&topic, AttitudeTarget::TYPE);
            }
        }
    }

    /// Level, for somebody who flies by attitude against a STOP.
    pub(super) fn oppose_attitude(&mut self, now: Moment) {
        if self.flies() {
            let topic = self.start.profile.bridge.attitude_topic();
            self.session.advertise(&topic, AttitudeTarget::TYPE);
            self.say_attitude(Attitude::level_turned(0.0, 0.0, 0.0), now);
        }
    }

    fn say_attitude(&mut self, attitude: Attitude, now: Moment) -> bool {
        let message = attitude.message(self.vehicle_unix_ms(now));
        let topic = self.start.profile.bridge.attitude_topic();
        let is_sent = self.session.publish(&topic, &message);
        if is_sent {
            self.flight.echoes.sent(attitude, now);
        }
        is_sent
    }

    /// Level, over the other socket.
    pub(super) fn level_via_telemetry(&mut self, now: Moment) {
        if self.start.profile.drive.via == Via::Attitude {
            let attitude = Attitude::level_turned(0.0, 0.0, 0.0);
            let message = attitude.message(self.vehicle_unix_ms(now));
            self.flight.echoes.sent(attitude, now);
            let topic = self.start.profile.bridge.attitude_topic();
            let text = frame::publish(&topic, &message);
            self.outputs.push_back(Output::SendViaTelemetry { text });
        }
    }

    /// Sends one velocity as an attitude and the climb beside it; false when there is no open socket.
    pub(super) fn publish_attitude(&mut self, velocity: Velocity, now: Moment) -> bool {
        let (pitch, roll) = tilt_of(velocity, &self.start.profile.drive);
        let attitude = Attitude::level_turned(roll, pitch, velocity.angular);
        if !self.say_attitude(attitude, now) {
            return false;
        }
        let climb = Velocity {
            up: velocity.up,
            ..Velocity::ZERO
        };
        if !self.publish_twist(climb, now) {
            return false;
        }
        if !velocity.is_zero() {
            self.driving.note_sent(velocity, climb.is_zero(), now);
            self.driving.last_non_zero = self.driving.echoes.count();
            self.unsettled.drive = true;
        }
        true
    }

    /// A message on the attitude topic: ours, or somebody else's.
    pub(super) fn heard_attitude(&mut self, msg: &Value, now: Moment) {
        let Some(attitude) = wire::read_attitude(msg) else {
            return;
        };
        let is_ours = matches!(self.flight.echoes.heard(&attitude), Whose::Ours(_));
        if !is_ours && !attitude.is_zero() && !self.may_be_own_last(&self.flight.echoes, now) {
            self.foreign.drove(now);
        }
    }
}
