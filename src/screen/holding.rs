//! Which hold buttons are down, and what that asks of the tools.

use crate::tools::intent::Holds;
use crate::tools::program::MOST_PROGRAMS;

/// One hold button of the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoldKey {
    /// Brush deck out.
    DeckExtend,
    /// Brush deck in.
    DeckRetract,
    /// Squeegee out.
    SqueegeeExtend,
    /// Squeegee in.
    SqueegeeRetract,
    /// Water out.
    Spray,
    /// Water back.
    Drain,
    /// Motor.
    Run,
    /// The profile's first program; the others follow.
    Program1,
    /// The second.
    Program2,
    /// The third.
    Program3,
    /// The fourth.
    Program4,
    /// The fifth.
    Program5,
    /// The sixth.
    Program6,
}

impl HoldKey {
    /// The buttons of programs, in their order.
    pub const PROGRAMS: [Self; MOST_PROGRAMS] = [
        Self::Program1,
        Self::Program2,
        Self::Program3,
        Self::Program4,
        Self::Program5,
        Self::Program6,
    ];
}

/// The buttons that are down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HeldKeys(u16);

impl HeldKeys {
    /// A button went down or up.
    pub fn set(&mut self, key: HoldKey, is_down: bool) {
        let bit = 1 << key as u8;
        if is_down {
            self.0 |= bit;
        } else {
            self.0 &= !bit;
        }
    }

    /// What the pilot is told. Two opposite buttons cancel each other: neither was meant alone.
    #[must_use]
    pub fn holds(self) -> Holds {
        let pair = |plus, minus| i8::from(self.has(plus)) - i8::from(self.has(minus));
        Holds {
            brush_deck_pusher: pair(HoldKey::DeckExtend, HoldKey::DeckRetract),
            suction_squeeqee_pusher: pair(HoldKey::SqueegeeExtend, HoldKey::SqueegeeRetract),
            water_spray: pair(HoldKey::Spray, HoldKey::Drain),
            rpm: self.has(HoldKey::Run),
            program: self.program(),
            check: 0,
        }
    }

    /// Counted from 1; none when two are held: neither was meant alone.
    fn program(self) -> u8 {
        let mut held = (1..)
            .zip(HoldKey::PROGRAMS)
            .filter(|(_, key)| self.has(*key));
        match (held.next(), held.next()) {
            (Some((number, _)), None) => number,
            _ => 0,
        }
    }

    fn has(self, key: HoldKey) -> bool {
        self.0 & (1 << key as u8) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_buttons_are_held_at_once() {
        let mut held = HeldKeys::default();
        held.set(HoldKey::DeckExtend, true);
        held.set(HoldKey::Drain, true);
        held.set(HoldKey::Run, true);
        let holds = held.holds();
        assert_eq!(holds.brush_deck_pusher, 1);
        assert_eq!(holds.water_spray, -1);
        assert!(holds.rpm);
        held.set(HoldKey::DeckExtend, false);
        assert_eq!(held.holds().brush_deck_pusher, 0);
        assert_eq!(held.holds().water_spray, -1);
    }

    #[test]
    fn one_program_is_held_or_none() {
        let mut held = HeldKeys::default();
        held.set(HoldKey::Program3, true);
        assert_eq!(held.holds().program, 3);
        held.set(HoldKey::Program6, true);
        assert_eq!(held.holds().program, 0);
        held.set(HoldKey::Program3, false);
        assert_eq!(held.holds().program, 6);
    }

    #[test]
    fn two_opposite_buttons_move_nothing() {
        let mut held = HeldKeys::default();
        held.set(HoldKey::SqueegeeExtend, true);
        held.set(HoldKey::SqueegeeRetract, true);
        assert!(held.holds().is_empty());
        held.set(HoldKey::SqueegeeExtend, false);
        assert_eq!(held.holds().suction_squeeqee_pusher, -1);
    }

    #[test]
    fn a_button_that_goes_up_twice_is_up() {
        let mut held = HeldKeys::default();
        held.set(HoldKey::Spray, true);
        held.set(HoldKey::Spray, false);
        held.set(HoldKey::Spray, false);
        assert!(held.holds().is_empty());
    }
}
