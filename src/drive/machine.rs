//! The drive's states: what starts a drive, what ends it, and what must happen before the next.
//!
//! It decides; it publishes nothing. Whoever owns it sends a zero whenever [`Machine::is_driving`]
//! turns false (rule 9).

use super::state::{DriveState, PressEnd};
use super::stick::{HUB_RADIUS, StickInput};
use crate::reason::Reason;

/// Something that the operator should read.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A press began to drive.
    Started,
    /// The finger was lifted.
    Ended,
    /// Something else ended the press, or blocks the next one.
    Blocked(Reason),
    /// A press was refused.
    Refused(Reason),
    /// Off.
    Disarmed(Reason),
}

/// The state machine of rules 2 and 10.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    state: DriveState,
    reason: Option<Reason>,
    /// The press that drives.
    press: Option<u32>,
    /// The newest press that was looked at: it gets no second chance.
    spent: Option<u32>,
    /// A contact was there when the drive was armed: it must be lifted first.
    needs_lift: bool,
}

impl Machine {
    /// The state.
    #[must_use]
    pub fn state(&self) -> DriveState {
        self.state
    }

    /// Why blocked or disarmed by itself.
    #[must_use]
    pub fn reason(&self) -> Option<&Reason> {
        self.reason.as_ref()
    }

    /// A finger drives.
    #[must_use]
    pub fn is_driving(&self) -> bool {
        self.state == DriveState::Driving
    }

    /// The switch is on.
    #[must_use]
    pub fn is_armed(&self) -> bool {
        self.state.is_armed()
    }

    /// Switches on. The checks are the caller's; a finger that is already down must be lifted.
    pub fn arm(&mut self, is_touched: bool) {
        if self.state == DriveState::Disarmed {
            self.needs_lift = is_touched;
            self.enter(DriveState::Ready, None);
        }
    }

    /// Switches off.
    pub fn disarm(&mut self, reason: Reason) -> Option<Change> {
        if !self.is_armed() {
            return None;
        }
        self.enter(DriveState::Disarmed, Some(reason.clone()));
        Some(Change::Disarmed(reason))
    }

    /// STOP latches over everything.
    pub fn latch_stop(&mut self) {
        self.enter(DriveState::Stopped, Some(Reason::StopLatched));
    }

    /// The latch is reset: off, and nothing moves.
    pub fn reset_stop(&mut self) {
        if self.state == DriveState::Stopped {
            self.enter(DriveState::Disarmed, None);
        }
    }

    /// A cause that stops a drive and forbids the next until it is gone and the finger lifted.
    pub fn block(&mut self, reason: Reason) -> Option<Change> {
        if !matches!(self.state, DriveState::Ready | DriveState::Driving) {
            return None;
        }
        self.enter(DriveState::Blocked, Some(reason.clone()));
        Some(Change::Blocked(reason))
    }

    /// A press ended for a reason that the page knows. Without a press only hiding has a
    /// consequence: it disarms.
    pub fn end_press(&mut self, why: PressEnd) -> Option<Change> {
        let blocked_by = match why {
            PressEnd::Lifted | PressEnd::Cancelled => None,
            PressEnd::Hidden => return self.disarm(Reason::Hidden),
            PressEnd::Blur => Some(Reason::Blur),
            PressEnd::Rotated => Some(Reason::Rotated),
            PressEnd::PadChanged => Some(Reason::PadChanged),
            PressEnd::SettingsChanged => Some(Reason::SettingsChanged),
            PressEnd::DeviceLost => Some(Reason::DeviceLost),
        };
        if !self.is_driving() {
            return None;
        }
        match blocked_by {
            Some(reason) => self.block(reason),
            None => {
                self.enter(DriveState::Ready, None);
                Some(Change::Ended)
            }
        }
    }

    /// The pad as the newest lease has it.
    ///
    /// `gate` says whether a drive may start now, `is_gone` whether a cause of blocking is gone.
    pub fn contact(
        &mut self,
        stick: Option<&StickInput>,
        is_touched: bool,
        gate: Result<(), Reason>,
        is_gone: impl Fn(&Reason) -> bool,
    ) -> Option<Change> {
        let mut change = None;
        if self.is_driving() && stick.map(|stick| stick.press) != self.press {
            change = self.end_press(PressEnd::Lifted);
        }
        // A second thumb joins from its hub only, as the first one began.
        if self.is_driving() && !stick.is_some_and(|stick| is_in_hub(stick.start_radius)) {
            change = self.block(Reason::OutsideHub);
        }
        if !is_touched && stick.is_none() {
            self.needs_lift = false;
            if self.state == DriveState::Blocked && self.reason.as_ref().is_none_or(is_gone) {
                self.enter(DriveState::Ready, None);
            }
        }
        match stick {
            Some(stick) if self.is_armed() && self.spent != Some(stick.press) => {
                self.spent = Some(stick.press);
                Some(self.try_start(stick, gate))
            }
            Some(stick) => {
                self.spent = Some(stick.press);
                change
            }
            None => change,
        }
    }

    fn try_start(&mut self, stick: &StickInput, gate: Result<(), Reason>) -> Change {
        let refusal = match (&self.reason, gate) {
            (Some(reason), _) if self.state == DriveState::Blocked => reason.clone(),
            _ if self.needs_lift => Reason::LiftFirst,
            (_, Err(reason)) => reason,
            _ if !is_in_hub(stick.start_radius) => Reason::OutsideHub,
            _ => {
                self.enter(DriveState::Driving, None);
                self.press = Some(stick.press);
                return Change::Started;
            }
        };
        self.enter(DriveState::Blocked, Some(refusal.clone()));
        Change::Refused(refusal)
    }

    fn enter(&mut self, state: DriveState, reason: Option<Reason>) {
        self.state = state;
        self.reason = reason;
        self.press = None;
    }
}

/// A radius that is not a number is not inside the hub.
fn is_in_hub(start_radius: f64) -> bool {
    matches!(start_radius, 0.0..=HUB_RADIUS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(press: u32) -> StickInput {
        StickInput {
            press,
            start_radius: 0.1,
            forward: 0.5,
            ..StickInput::default()
        }
    }

    fn always(_: &Reason) -> bool {
        true
    }

    fn lift(machine: &mut Machine) {
        machine.contact(None, false, Ok(()), always);
    }

    fn driving() -> Machine {
        let mut machine = Machine::default();
        machine.arm(false);
        assert_eq!(
            machine.contact(Some(&press(1)), true, Ok(()), always),
            Some(Change::Started)
        );
        machine
    }

    #[test]
    fn rule_2_nothing_starts_while_disarmed() {
        let mut machine = Machine::default();
        machine.contact(Some(&press(1)), true, Ok(()), always);
        assert_eq!(machine.state(), DriveState::Disarmed);
    }

    #[test]
    fn rule_2_a_finger_that_was_down_when_arming_must_be_lifted_first() {
        let mut machine = Machine::default();
        machine.contact(Some(&press(1)), true, Ok(()), always);
        machine.arm(true);
        machine.contact(Some(&press(1)), true, Ok(()), always);
        assert!(!machine.is_driving());
        lift(&mut machine);
        machine.contact(Some(&press(2)), true, Ok(()), always);
        assert!(machine.is_driving());
    }

    #[test]
    fn rule_2_a_press_outside_the_hub_is_refused_until_lifted() {
        let mut machine = Machine::default();
        machine.arm(false);
        let rim = StickInput {
            start_radius: 0.41,
            ..press(1)
        };
        let refused = Some(Change::Refused(Reason::OutsideHub));
        assert_eq!(machine.contact(Some(&rim), true, Ok(()), always), refused);
        machine.contact(
            Some(&StickInput {
                start_radius: 0.0,
                ..rim
            }),
            true,
            Ok(()),
            always,
        );
        assert!(
            !machine.is_driving(),
            "the same press gets no second chance"
        );
        lift(&mut machine);
        assert_eq!(machine.state(), DriveState::Ready);
    }

    #[test]
    fn rule_2_a_second_thumb_that_comes_down_outside_its_hub_ends_the_press() {
        let mut machine = driving();
        let joined = StickInput {
            start_radius: 0.3,
            ..press(1)
        };
        assert_eq!(machine.contact(Some(&joined), true, Ok(()), always), None);
        assert!(machine.is_driving());
        let rim = StickInput {
            start_radius: 0.9,
            ..press(1)
        };
        let blocked = Some(Change::Blocked(Reason::OutsideHub));
        assert_eq!(machine.contact(Some(&rim), true, Ok(()), always), blocked);
        machine.contact(Some(&joined), true, Ok(()), always);
        assert!(!machine.is_driving(), "both must be lifted");
    }

    #[test]
    fn rule_2_a_start_radius_that_is_not_a_number_is_refused() {
        let mut machine = Machine::default();
        machine.arm(false);
        let odd = StickInput {
            start_radius: f64::NAN,
            ..press(1)
        };
        machine.contact(Some(&odd), true, Ok(()), always);
        assert!(!machine.is_driving());
    }

    #[test]
    fn rule_2_a_closed_gate_names_its_reason() {
        let mut machine = Machine::default();
        machine.arm(false);
        machine.contact(Some(&press(1)), true, Err(Reason::BrakeOn), always);
        assert_eq!(machine.reason(), Some(&Reason::BrakeOn));
    }

    #[test]
    fn rule_10_a_lifted_finger_leaves_it_ready() {
        let mut machine = driving();
        assert_eq!(machine.end_press(PressEnd::Lifted), Some(Change::Ended));
        assert_eq!(machine.state(), DriveState::Ready);
    }

    #[test]
    fn rule_10_after_a_blur_it_is_blocked_until_the_finger_is_lifted() {
        let mut machine = driving();
        machine.end_press(PressEnd::Blur);
        machine.contact(None, true, Ok(()), always);
        assert_eq!(machine.state(), DriveState::Blocked);
        lift(&mut machine);
        assert_eq!(machine.state(), DriveState::Ready);
    }

    #[test]
    fn rule_10_a_lost_gamepad_blocks_until_neutral_is_seen() {
        let mut machine = driving();
        let blocked = Some(Change::Blocked(Reason::DeviceLost));
        assert_eq!(machine.end_press(PressEnd::DeviceLost), blocked);
        machine.contact(None, true, Ok(()), always);
        assert_eq!(machine.state(), DriveState::Blocked);
        let refused = Some(Change::Refused(Reason::DeviceLost));
        assert_eq!(
            machine.contact(Some(&press(2)), true, Ok(()), always),
            refused
        );
        lift(&mut machine);
        assert_eq!(machine.state(), DriveState::Ready);
    }

    #[test]
    fn rule_10_after_a_stall_it_is_blocked_until_the_cause_is_gone_too() {
        let mut machine = driving();
        machine.block(Reason::LinkStalled);
        machine.contact(None, false, Ok(()), |_| false);
        assert_eq!(machine.state(), DriveState::Blocked);
        lift(&mut machine);
        assert_eq!(machine.state(), DriveState::Ready);
    }

    #[test]
    fn rule_10_a_hidden_page_disarms() {
        let mut machine = driving();
        machine.end_press(PressEnd::Hidden);
        assert_eq!(machine.state(), DriveState::Disarmed);
    }

    #[test]
    fn rule_10_the_press_that_was_stopped_never_drives_again() {
        let mut machine = driving();
        machine.block(Reason::Vigilance);
        for _ in 0..3 {
            machine.contact(Some(&press(1)), true, Ok(()), always);
            assert!(!machine.is_driving());
        }
        lift(&mut machine);
        machine.contact(Some(&press(1)), true, Ok(()), always);
        assert!(
            !machine.is_driving(),
            "not even after a lift, under the same number"
        );
    }

    #[test]
    fn a_new_press_without_a_lease_between_ends_the_old_one_and_starts_anew() {
        let mut machine = driving();
        assert_eq!(
            machine.contact(Some(&press(2)), true, Ok(()), always),
            Some(Change::Started)
        );
    }

    #[test]
    fn rule_15_stop_latches_and_its_reset_disarms() {
        let mut machine = driving();
        machine.latch_stop();
        machine.contact(Some(&press(2)), true, Ok(()), always);
        assert_eq!(machine.state(), DriveState::Stopped);
        machine.reset_stop();
        assert_eq!(machine.state(), DriveState::Disarmed);
    }
}
