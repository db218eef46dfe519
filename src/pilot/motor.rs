//! Driving by McCtrl (rule 19): the stick makes rpm, gear and angle; the brake is released only
//! while it is held.

use super::Pilot;
use crate::drive::kinematics::{Limits, Velocity};
use crate::drive::motor;
use crate::drive::settings::Via;
use crate::msgs::sweeper::McCtrl;
use crate::tools::field::ToolField;
use crate::tools::policy::{SafeStop, wire_angle};
use crate::tools::state::ToolsState;
use crate::units::Moment;

/// The drive's share of McCtrl.
#[derive(Debug, Default)]
pub(super) struct Motor {
    gear: u8,
    /// As on the wire, degrees.
    angle: f32,
    /// After a press, while the tools go on: rpm 0, then the brake, then neutral.
    roll_out: Option<SafeStop>,
    /// The operator confirmed that gears may be changed although standing is not seen.
    pub is_confirmed: bool,
    /// The gear that is asked for has to wait until the vehicle is seen standing.
    pub waits_to_shift: bool,
}

impl Pilot {
    pub(super) fn drives_by_mc_ctrl(&self) -> bool {
        self.start.profile.drive.via == Via::McCtrl
    }

    /// The speed that the motor's range allows, m/s.
    pub(super) fn within_motor_range(&self, limits: Limits) -> Limits {
        if !self.drives_by_mc_ctrl() {
            return limits;
        }
        let (_, most) = self.tooling.ranges.of(ToolField::Rpm);
        let speed = motor::speed_of(most, &self.start.profile.drive);
        Limits {
            forward: limits.forward.min(speed),
            reverse: limits.reverse.min(speed),
            ..limits
        }
    }

    /// A press begins: what still rolled out is under the finger again.
    pub(super) fn take_up_motor(&mut self) {
        self.motor.roll_out = None;
        if self.drives_by_mc_ctrl() {
            self.tooling.safe_stop = None;
        }
    }

    /// A press ended: rpm 0 now, then the brake, then neutral; the tools go on if they are on.
    pub(super) fn roll_out_motor(&mut self, now: Moment) {
        if self.tooling.state == ToolsState::Armed {
            self.motor.roll_out = Some(SafeStop::new(self.motor_at_rest(0), now));
        } else if self.tooling.safe_stop.is_none() {
            self.begin_safe_stop(now);
        }
    }

    /// Sends one velocity as McCtrl; false when there is no open socket.
    pub(super) fn publish_motor(&mut self, velocity: Velocity, now: Moment) -> bool {
        let message = if self.driving.is_driving() {
            self.motor_message(velocity, now)
        } else if self.tooling.state == ToolsState::Armed {
            self.compose(now)
        } else if self.tooling.safe_stop.is_some() {
            self.next_safe_message(now)
        } else {
            self.motor_at_rest(1)
        };
        if !self.publish_mc_ctrl(message, now) {
            return false;
        }
        self.tooling.sent_now(self.start.profile.tools.rate_hz, now);
        self.driving.note_sent(velocity, message.rpm != 0, now);
        true
    }

    fn motor_message(&mut self, velocity: Velocity, now: Moment) -> McCtrl {
        let mut message = if self.tooling.state == ToolsState::Armed {
            self.compose(now)
        } else {
            self.motor_at_rest(0)
        };
        let wanted = match velocity.linear {
            v if v > 0.0 => 1,
            v if v < 0.0 => 2,
            _ => self.motor.gear,
        };
        let settings = &self.start.profile.drive;
        let tools = &self.start.profile.tools;
        let mut rpm = motor::rpm_of(velocity.linear, settings);
        if wanted != self.motor.gear {
            // Gears change at rpm 0, and standing.
            rpm = 0.0;
            let may_shift = self.motor.is_confirmed || self.is_standing(now);
            self.motor.waits_to_shift = !may_shift;
            if may_shift {
                self.motor.gear = wanted;
            }
        } else {
            self.motor.waits_to_shift = false;
        }
        if let Some(angle) = motor::wheel_angle_deg(velocity, settings) {
            let range = self.tooling.ranges.of(ToolField::Angle);
            self.motor.angle = wire_angle(angle, tools, range);
        }
        let (_, most) = self.tooling.ranges.of(ToolField::Rpm);
        message.brake = 0;
        message.gear = self.motor.gear;
        message.angle = self.motor.angle;
        message.rpm = rpm.min(most) as u16;
        message
    }

    /// The drive's share while no finger drives, put into a message of the tools.
    pub(super) fn rest_motor(&mut self, message: &mut McCtrl, now: Moment) {
        let is_standing = self.is_standing(now);
        let rest = match &mut self.motor.roll_out {
            Some(roll_out) => roll_out.next(is_standing, now),
            None => self.motor_at_rest(1),
        };
        if self
            .motor
            .roll_out
            .is_some_and(|roll_out| roll_out.is_done())
        {
            self.motor.roll_out = None;
        }
        self.motor.gear = rest.gear;
        message.brake = rest.brake;
        message.gear = rest.gear;
        message.rpm = 0;
        // No steering without a held press: the wheels stay as they are.
        message.angle = rest.angle;
    }

    /// All tools off, the wheels as they are; with the brake in neutral, else in gear.
    fn motor_at_rest(&self, brake: u8) -> McCtrl {
        McCtrl {
            brake,
            gear: if brake == 1 { 0 } else { self.motor.gear },
            angle: self.motor.angle,
            angle_speed: self.tooling.wanted.angle_speed,
            ..McCtrl::SAFE
        }
    }

    /// A safe stop says where gear and wheels are from now on.
    /// How fast the held motor turns the wheels, m/s.
    pub(super) fn motor_speed(&self) -> f64 {
        match self.tooling.last_sent {
            Some((_, sent)) if self.tooling.is_active() && sent.gear != 0 && sent.brake == 0 => {
                motor::speed_of(f64::from(sent.rpm), &self.start.profile.drive)
            }
            _ => 0.0,
        }
    }

    pub(super) fn note_motor(&mut self, message: &McCtrl) {
        self.motor.gear = message.gear;
        self.motor.angle = message.angle;
    }
}
