//! The checks on the vehicle itself: one movement at a time, at standstill, while its button is
//! held; and what was found out, from then on.

use serde::{Deserialize, Serialize};

use super::Pilot;
use super::snapshot::Confirm;
use crate::msgs::sweeper::McCtrl;
use crate::reason::Reason;
use crate::tools::commissioning::{Commissioned, Item, Movement, Seen};
use crate::tools::field::ToolField;
use crate::tools::policy::wire_angle;
use crate::tools::state::ToolsState;
use crate::units::Moment;

/// What is shown of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CommissioningView {
    /// What was found out about this vehicle on this device.
    pub found: Commissioned,
    /// The same, and what the profile states of the rest: what is sent goes by it.
    pub in_force: Commissioned,
    /// The sign that angles are sent with.
    pub steering_sign: f64,
    /// The movement that is held, and moves ([`Movement::number`]).
    pub moves: i8,
    /// The items that were moved since the tools were switched on, as bits: only these are answered.
    pub moved: u8,
    /// Why the movement that is held does not move.
    pub refused: Option<Reason>,
}

/// The checks inside the pilot.
#[derive(Debug, Default)]
pub(super) struct Commissioning {
    found: Commissioned,
    in_force: Commissioned,
    /// The profile's.
    usual_sign: f64,
    held: i8,
    since: Moment,
    has_begun: bool,
    is_over: bool,
    moved: u8,
    refused: Option<Reason>,
    /// Where the wheels were left: they stay there without a held button.
    left_at: Option<f32>,
}

impl Commissioning {
    /// From what the console means to what the wire wants, and back.
    pub(super) fn turned(&self, message: McCtrl) -> McCtrl {
        self.in_force.turned(message)
    }

    /// The wheels are steered by somebody.
    pub(super) fn let_wheels_go(&mut self) {
        self.left_at = None;
    }

    /// The tools are switched on.
    pub(super) fn begin(&mut self) {
        self.moved = 0;
        self.left_at = None;
    }

    pub(super) fn left_at(&self) -> Option<f32> {
        self.left_at
    }
}

impl Pilot {
    /// What was found out about this vehicle on this device.
    pub(super) fn take_commissioned(&mut self) {
        self.commissioning.usual_sign = self.start.profile.tools.steering_sign;
        self.commissioning.found = self.start.commissioned;
        self.use_commissioned();
    }

    fn use_commissioned(&mut self) {
        let commissioning = &mut self.commissioning;
        let tools = &mut self.start.profile.tools;
        commissioning.in_force = commissioning.found.over(&tools.polarity);
        tools.steering_sign = commissioning
            .in_force
            .steering_sign()
            .unwrap_or(commissioning.usual_sign);
        tools.steering_trim_deg = commissioning.in_force.trim_deg();
    }

    /// The message while a movement is held, `None` while none is.
    pub(super) fn check_message(&mut self, held: i8, now: Moment) -> Option<McCtrl> {
        let movement = Movement::of_number(held);
        if self.commissioning.held != held {
            self.commissioning.held = held;
            self.commissioning.since = now;
            self.commissioning.has_begun = false;
            self.commissioning.is_over = false;
            self.commissioning.refused = None;
            self.is_dirty = true;
        }
        let movement = movement?;
        // What ended it lasts until the button is released.
        if self.commissioning.refused.is_none() {
            self.commissioning.refused = self.may_check(now).err();
        }
        if self.commissioning.refused.is_none() {
            self.commissioning.has_begun = true;
        } else if !self.commissioning.has_begun || self.driving.is_driving() {
            // A button that may not move anything changes nothing, least of all the brake under way.
            return None;
        }
        let stroke_s = self.start.profile.tools.stroke_s;
        let held_s = now.since(self.commissioning.since).as_secs_f64();
        self.commissioning.is_over |= movement.is_stroke() && held_s >= stroke_s;
        // Everything else is off, and the brake on, as far as is known.
        self.tooling.wanted = self.at_rest(true);
        let tools = &self.start.profile.tools;
        let angle = self.tooling.last_sent.map_or(0.0, |(_, sent)| sent.angle);
        let rest = McCtrl {
            angle,
            angle_speed: tools.angle_speed,
            ..McCtrl::SAFE
        };
        self.commissioning.left_at = Some(angle);
        if self.commissioning.refused.is_some() || self.commissioning.is_over {
            return Some(rest);
        }
        if let Movement::Item(item, _) = movement {
            self.commissioning.moved |= 1 << item as u8;
        }
        let middle = wire_angle(0.0, tools, self.tooling.ranges.of(ToolField::Angle));
        let water = self.tooling.wanted.water_amount;
        let turned = |message| self.commissioning.turned(message);
        let message = turned(movement.on_wire(turned(rest), tools.pusher_duty, water, middle));
        self.commissioning.left_at = Some(message.angle);
        self.note_motor(&message);
        Some(message)
    }

    fn may_check(&self, now: Moment) -> Result<(), Reason> {
        if self.tooling.state != ToolsState::Armed {
            return Err(Reason::SwitchedOff);
        }
        self.link_carries(now)?;
        if self.foreign.is_working(now) || self.foreign.is_driving(now) {
            return Err(Reason::ForeignDriver {
                name: self.foreign.name(),
            });
        }
        if self.driving.is_driving() {
            return Err(Reason::LiftFirst);
        }
        if !self.is_standing(now) {
            return Err(Reason::NotStanding);
        }
        Ok(())
    }

    /// The operator says what was seen.
    pub(super) fn found_out(&mut self, seen: Seen, now: Moment) {
        if self.driving.is_driving() || self.commissioning.held != 0 {
            return;
        }
        // What is known of the wheels does not move them.
        let angle = self.tooling.last_sent.map_or(0.0, |(_, sent)| sent.angle);
        self.commissioning.left_at.get_or_insert(angle);
        match seen.what() {
            Some((Movement::Middle, steps)) => {
                self.commissioning.found.trim(steps);
                self.use_commissioned();
            }
            Some((Movement::Item(item, _), seen)) => {
                let was_moved = self.commissioning.moved & 1 << item as u8 != 0;
                let is_other = self.brake_holds_at_1() != (seen != 0);
                if !was_moved {
                } else if item == Item::Brake && is_other {
                    // STOP rests on it: a tap is not enough.
                    self.offer(Confirm::BrakeTurned, now);
                } else {
                    let mut found = self.commissioning.found;
                    found.found(item, seen != 0);
                    self.keep_found(found, now);
                }
            }
            None => self.keep_found(Commissioned::default(), now),
        }
        self.is_dirty = true;
    }

    /// As far as anybody knows.
    fn brake_holds_at_1(&self) -> bool {
        self.commissioning.in_force.of(Item::Brake) != Some(false)
    }

    /// The held confirmation that the brake goes the other way round than is taken.
    pub(super) fn turn_brake(&mut self, now: Moment) {
        let mut found = self.commissioning.found;
        found.found(Item::Brake, !self.brake_holds_at_1());
        self.keep_found(found, now);
    }

    fn keep_found(&mut self, found: Commissioned, now: Moment) {
        let held_at_1 = self.brake_holds_at_1();
        let before = self.commissioning.in_force;
        self.commissioning.found = found;
        self.use_commissioned();
        let after = self.commissioning.in_force;
        // What was sent and heard meant something else than was thought.
        let again = |message: &mut McCtrl| *message = after.turned(before.turned(*message));
        let tooling = &mut self.tooling;
        tooling.last_sent.iter_mut().for_each(|(_, it)| again(it));
        tooling.last_heard.iter_mut().for_each(|(it, _)| again(it));
        tooling.published.iter_mut().for_each(again);
        if held_at_1 != self.brake_holds_at_1() {
            // Said at once with the brake as it is now known to be.
            self.disarm_drive(Reason::SettingsChanged, now);
            self.stop_tools(Reason::SettingsChanged, now);
        }
    }

    pub(super) fn commissioning_view(&self) -> CommissioningView {
        let commissioning = &self.commissioning;
        let is_held_in_vain =
            self.lease.holds.check != 0 && self.tooling.state != ToolsState::Armed;
        let moves = commissioning.refused.is_none() && !commissioning.is_over;
        CommissioningView {
            found: commissioning.found,
            in_force: commissioning.in_force,
            steering_sign: self.start.profile.tools.steering_sign,
            moves: if moves { commissioning.held } else { 0 },
            moved: commissioning.moved,
            refused: if is_held_in_vain {
                Some(Reason::SwitchedOff)
            } else {
                commissioning.refused.clone()
            },
        }
    }
}
