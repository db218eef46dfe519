//! What the operator holds at this moment: the content of the lease. Pure.
//!
//! After [`Held::release_all`] everything counts as lifted until it is pressed anew, whatever the
//! page still reports of fingers that lie on the glass: a window that got its focus back must not
//! find the old press going on.

use crate::pilot::intent::{Lease, StickInput};
use crate::pilot::snapshot::PressEnd;
use crate::tools::intent::Holds;

/// How far the stick may move before it is worth a message of its own, in pad radii.
const FAR: f64 = 0.1;

/// Leases that a drawn limit outlives its last renewal: some 2 s, while a finger moves less.
const CAP_RENEWALS: u8 = 40;

/// When a change should be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// At once.
    Now,
    /// With the next renewal.
    Renewal,
}

/// Everything that is held.
#[derive(Debug, Clone, Default)]
pub struct Held {
    stick: Option<StickInput>,
    told_stick: Option<StickInput>,
    ended_press: Option<u32>,
    is_pad_touched: bool,
    holds: Holds,
    holds_must_lift: bool,
    confirm: bool,
    confirm_must_lift: bool,
    touches: u32,
    drawn_cap: Option<u16>,
    drawn_cap_for: u8,
}

impl Held {
    /// The lease of this moment; what it holds counts as told.
    pub fn lease(&mut self) -> Lease {
        self.told_stick = self.stick;
        self.drawn_cap_for = self.drawn_cap_for.saturating_sub(1);
        Lease {
            transit_ms: 0.0,
            stick: self.stick,
            pad_touched: self.is_pad_touched,
            holds: self.holds,
            confirm: self.confirm,
            touches: self.touches,
            drawn_cap: self.drawn_cap.filter(|_| self.drawn_cap_for > 0),
        }
    }

    /// mm/s that something drawn ahead asks the speed to stay below; goes by itself when whoever
    /// asks falls silent.
    pub fn drawn_cap(&mut self, cap: Option<u16>) {
        self.drawn_cap = cap;
        self.drawn_cap_for = CAP_RENEWALS;
    }

    /// True while a finger on a pad counts.
    #[must_use]
    pub fn has_stick(&self) -> bool {
        self.stick.is_some()
    }

    /// The finger on the pad, or none.
    pub fn stick(&mut self, stick: Option<StickInput>) -> Urgency {
        let was_touched = std::mem::replace(&mut self.is_pad_touched, stick.is_some());
        let stick = stick.filter(|stick| self.ended_press != Some(stick.press));
        if self.stick.is_some() && stick.is_none() {
            // Lifted: nothing that comes late from this contact may count again.
            self.ended_press = self.stick.map(|stick| stick.press);
        }
        self.stick = stick;
        match (self.told_stick, self.stick) {
            (None, None) => urgency(was_touched != self.is_pad_touched),
            (Some(told), Some(new))
                if told.press == new.press
                    && (told.forward - new.forward).abs() < FAR
                    && (told.left - new.left).abs() < FAR
                    && (told.up - new.up).abs() < FAR
                    && (told.turn - new.turn).abs() < FAR =>
            {
                Urgency::Renewal
            }
            _ => Urgency::Now,
        }
    }

    /// A finger rests on a pad without pushing the stick.
    pub fn rest(&mut self) -> Urgency {
        let urgency = self.stick(None);
        self.is_pad_touched = true;
        urgency
    }

    /// The tools' held buttons.
    pub fn holds(&mut self, holds: Holds) -> Urgency {
        if holds.is_empty() {
            self.holds_must_lift = false;
        }
        let holds = if self.holds_must_lift {
            Holds::default()
        } else {
            holds
        };
        let is_changed = holds != self.holds;
        self.holds = holds;
        urgency(is_changed)
    }

    /// The held confirmation.
    pub fn confirm(&mut self, is_held: bool) -> Urgency {
        if !is_held {
            self.confirm_must_lift = false;
        }
        let is_held = is_held && !self.confirm_must_lift;
        let is_changed = is_held != self.confirm;
        self.confirm = is_held;
        urgency(is_changed)
    }

    /// Somebody touched the screen.
    pub fn touched(&mut self) {
        self.touches = self.touches.wrapping_add(1);
    }

    /// Everything counts as lifted for this reason. A finger that may still lie on the pad goes
    /// on touching it, until [`Self::stick`] is told `None`.
    pub fn release(&mut self, why: PressEnd) {
        self.release_all();
        if matches!(
            why,
            PressEnd::Lifted | PressEnd::Cancelled | PressEnd::PadChanged
        ) {
            self.is_pad_touched = false;
        }
    }

    /// Everything counts as lifted.
    pub fn release_all(&mut self) {
        if let Some(stick) = self.stick.take() {
            self.ended_press = Some(stick.press);
        }
        if !self.holds.is_empty() {
            self.holds = Holds::default();
            self.holds_must_lift = true;
        }
        if self.confirm {
            self.confirm = false;
            self.confirm_must_lift = true;
        }
    }
}

fn urgency(is_changed: bool) -> Urgency {
    if is_changed {
        Urgency::Now
    } else {
        Urgency::Renewal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(press: u32, forward: f64) -> Option<StickInput> {
        Some(StickInput {
            press,
            start_radius: 0.1,
            forward,
            ..StickInput::default()
        })
    }

    fn spray() -> Holds {
        Holds {
            water_spray: 1,
            ..Holds::default()
        }
    }

    #[test]
    fn a_contact_is_told_at_once_when_it_begins_moves_far_or_ends() {
        let mut held = Held::default();
        assert_eq!(held.stick(at(1, 0.0)), Urgency::Now);
        held.lease();
        assert_eq!(held.stick(at(1, 0.05)), Urgency::Renewal);
        assert_eq!(held.stick(at(1, 0.3)), Urgency::Now);
        held.lease();
        assert_eq!(held.stick(at(2, 0.3)), Urgency::Now, "another finger");
        held.lease();
        assert_eq!(held.stick(None), Urgency::Now);
        held.lease();
        assert_eq!(held.stick(None), Urgency::Renewal);
    }

    #[test]
    fn a_finger_that_rests_touches_the_pad_and_ends_a_press_at_once() {
        let mut held = Held::default();
        held.rest();
        assert!(held.lease().pad_touched);
        assert_eq!(held.stick(at(1, 0.5)), Urgency::Now);
        held.lease();
        assert_eq!(held.rest(), Urgency::Now);
        let lease = held.lease();
        assert!(lease.pad_touched && lease.stick.is_none());
        held.stick(at(1, 0.5));
        assert_eq!(held.lease().stick, None, "the press is over");
    }

    #[test]
    fn many_small_moves_are_told_when_they_add_up() {
        let mut held = Held::default();
        held.stick(at(1, 0.0));
        held.lease();
        assert_eq!(held.stick(at(1, 0.06)), Urgency::Renewal);
        assert_eq!(held.stick(at(1, 0.12)), Urgency::Now);
    }

    #[test]
    fn a_released_press_does_not_go_on_under_the_same_finger() {
        let mut held = Held::default();
        held.stick(at(1, 0.5));
        held.release_all();
        assert_eq!(held.lease().stick, None);
        held.stick(at(1, 0.6));
        assert_eq!(held.lease().stick, None);
        held.stick(at(2, 0.1));
        assert_eq!(held.lease().stick, at(2, 0.1));
    }

    #[test]
    fn a_move_that_comes_after_the_lift_does_not_count() {
        let mut held = Held::default();
        held.stick(at(1, 0.5));
        held.stick(None);
        held.stick(at(1, 0.5));
        assert_eq!(held.lease().stick, None);
    }

    #[test]
    fn a_finger_left_on_the_pad_after_a_release_is_told_until_it_is_lifted() {
        let mut held = Held::default();
        held.stick(at(1, 0.5));
        held.release(PressEnd::Blur);
        assert!(held.lease().pad_touched);
        held.stick(at(1, 0.5));
        assert!(held.lease().pad_touched);
        assert_eq!(held.stick(None), Urgency::Now);
        assert!(!held.lease().pad_touched);
    }

    #[test]
    fn a_contact_that_is_over_leaves_the_pad_untouched() {
        for over in [PressEnd::Lifted, PressEnd::Cancelled, PressEnd::PadChanged] {
            let mut held = Held::default();
            held.stick(at(1, 0.5));
            held.release(over);
            assert!(!held.lease().pad_touched);
        }
    }

    #[test]
    fn a_released_tool_button_must_be_lifted_before_it_counts_again() {
        let mut held = Held::default();
        held.holds(spray());
        held.release_all();
        held.holds(spray());
        assert!(held.lease().holds.is_empty());
        held.holds(Holds::default());
        assert_eq!(held.holds(spray()), Urgency::Now);
        assert_eq!(held.lease().holds, spray());
    }

    #[test]
    fn a_released_confirmation_must_be_lifted_before_it_counts_again() {
        let mut held = Held::default();
        held.confirm(true);
        held.release_all();
        held.confirm(true);
        assert!(!held.lease().confirm);
        held.confirm(false);
        assert_eq!(held.confirm(true), Urgency::Now);
        assert!(held.lease().confirm);
    }

    #[test]
    fn a_release_of_nothing_asks_for_no_lift() {
        let mut held = Held::default();
        held.release_all();
        held.holds(spray());
        held.confirm(true);
        let lease = held.lease();
        assert_eq!(lease.holds, spray());
        assert!(lease.confirm);
    }

    #[test]
    fn a_drawn_limit_goes_when_nobody_renews_it_or_at_once_when_it_is_lifted() {
        let mut held = Held::default();
        assert_eq!(held.lease().drawn_cap, None);
        held.drawn_cap(Some(300));
        assert_eq!(held.lease().drawn_cap, Some(300));
        held.drawn_cap(None);
        assert_eq!(held.lease().drawn_cap, None);
        held.drawn_cap(Some(300));
        let leases = (0..100).filter(|_| held.lease().drawn_cap.is_some());
        assert_eq!(leases.count(), 39);
    }

    #[test]
    fn touches_are_counted_and_survive_a_release() {
        let mut held = Held::default();
        held.touched();
        held.touched();
        held.release_all();
        assert_eq!(held.lease().touches, 2);
    }
}
