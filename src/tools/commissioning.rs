//! What a vehicle's fields do, found out on the vehicle: the documents leave polarities open.
//!
//! The console means by +1 of a pusher that it lowers, of the water that it sprays, by brake 1 that
//! it holds. What was found out about a vehicle turns these into what its wire wants ([`turned`]),
//! in one place, so that everything else (stops, programs, interlocks) means the same on every
//! vehicle. The sign of the steering and where its middle is are applied where angles are made.
//!
//! [`turned`]: Commissioned::turned

use serde::{Deserialize, Serialize};

use super::field::ToolField;
use crate::msgs::sweeper::McCtrl;

/// Degrees that the wheels are turned to find out which way.
const TURN_DEG: f32 = 10.0;
/// The middle cannot be further off than this, in steps of 0.2°.
const MOST_TRIM_STEPS: i8 = 50;
/// The same in degrees.
pub const MOST_TRIM_DEG: f64 = 10.0;
/// A middle that was found to be at 0, where 0 itself is: not found.
const FOUND_AT_ZERO: i8 = i8::MAX;

/// What is checked one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Item {
    /// Positive: 1 holds.
    Brake,
    /// Positive: + lowers.
    BrushDeck,
    /// Positive: + lowers.
    Squeegee,
    /// Positive: + turns the wheels to the left.
    Steering,
    /// Positive: + sprays.
    Water,
}

impl Item {
    /// All, in the order in which they are checked.
    pub const ALL: [Self; 5] = [
        Self::Brake,
        Self::BrushDeck,
        Self::Squeegee,
        Self::Steering,
        Self::Water,
    ];

    /// Its field.
    #[must_use]
    pub fn field(self) -> ToolField {
        match self {
            Self::Brake => ToolField::Brake,
            Self::BrushDeck => ToolField::BrushDeckPusher,
            Self::Squeegee => ToolField::SuctionSqueeqeePusher,
            Self::Steering => ToolField::Angle,
            Self::Water => ToolField::WaterSpray,
        }
    }
}

/// One movement of a check, as its button is held: an item and a sign as on the wire, or the
/// wheels to where the middle is taken to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Movement {
    /// The item is told a positive or a negative value; the brake 1 or 0.
    Item(Item, bool),
    /// The wheels go to the middle.
    Middle,
}

/// The number of [`Movement::Middle`].
const MIDDLE: i8 = 6;

impl Movement {
    /// As it stands in the lease ([`super::intent::Holds::check`]).
    #[must_use]
    pub fn number(self) -> i8 {
        match self {
            Self::Item(item, true) => item as i8 + 1,
            Self::Item(item, false) => -(item as i8 + 1),
            Self::Middle => MIDDLE,
        }
    }

    /// The movement of that number; none for 0 and for what is none.
    #[must_use]
    pub fn of_number(number: i8) -> Option<Self> {
        if number == MIDDLE {
            return Some(Self::Middle);
        }
        let index = usize::from(number.unsigned_abs()).checked_sub(1)?;
        Some(Self::Item(*Item::ALL.get(index)?, number > 0))
    }

    /// Goes on by itself to an end: ended by the time of a stroke.
    #[must_use]
    pub fn is_stroke(self) -> bool {
        matches!(
            self,
            Self::Item(Item::BrushDeck | Item::Squeegee | Item::Water, _)
        )
    }

    /// What the wire is told while it is held: this one alone, with everything else as `rest`.
    #[must_use]
    pub fn on_wire(self, rest: McCtrl, pusher_duty: u8, water: u8, middle: f32) -> McCtrl {
        let mut message = rest;
        let signed = |value: u8, is_positive: bool| {
            let value = value.min(100) as i8;
            if is_positive { value } else { -value }
        };
        match self {
            Self::Item(Item::Brake, is_one) => message.brake = u8::from(is_one),
            Self::Item(Item::BrushDeck, plus) => {
                message.brush_deck_pusher = signed(pusher_duty, plus);
            }
            Self::Item(Item::Squeegee, plus) => {
                message.suction_squeeqee_pusher = signed(pusher_duty, plus);
            }
            Self::Item(Item::Steering, plus) => {
                message.angle = if plus { TURN_DEG } else { -TURN_DEG };
            }
            Self::Item(Item::Water, plus) => message.water_spray = signed(water, plus),
            Self::Middle => message.angle = middle,
        }
        message
    }
}

/// What the operator saw, as it goes to the pilot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen([i8; 2]);

impl Seen {
    /// Nothing holds any more: as documented, and as the profile has it.
    pub const FORGET: Self = Self([0, 0]);

    /// An item is positive, or the other way round.
    #[must_use]
    pub fn item(item: Item, is_positive: bool) -> Self {
        Self([item as i8 + 1, i8::from(is_positive)])
    }

    /// The wheels are straight at this angle on the wire, in steps of 0.2°.
    #[must_use]
    pub fn middle(steps: i8) -> Self {
        Self([MIDDLE, steps])
    }

    /// The movement that it is about, and what was seen; `None` for [`Self::FORGET`].
    #[must_use]
    pub fn what(self) -> Option<(Movement, i8)> {
        Some((Movement::of_number(self.0[0])?, self.0[1]))
    }
}

/// What was found out about one vehicle, or what its profile states: for each item 1, −1 or, where
/// it was not, 0; then the middle in steps. Numbers, because page, Workers and storage hand it on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Commissioned([i8; 6]);

impl Commissioned {
    /// As a profile states it: by item 1, −1 or, where it does not, 0, in the order of
    /// [`Item::ALL`]; then the middle, degrees.
    #[must_use]
    pub fn stated([brake, deck, squeegee, steering, water]: [i8; 5], trim_deg: f64) -> Self {
        let steps = (trim_deg * 5.0).round() as i8;
        Self([brake, deck, squeegee, steering, water, steps])
    }

    /// What was found out on the vehicle, and for the rest what the profile states.
    #[must_use]
    pub fn over(mut self, stated: &Self) -> Self {
        for (own, stated) in self.0.iter_mut().zip(stated.0) {
            if *own == 0 {
                *own = stated;
            }
        }
        self
    }

    /// Whether it is positive; `None` when it was not found out.
    #[must_use]
    pub fn of(&self, item: Item) -> Option<bool> {
        match self.0[item as usize] {
            0 => None,
            sign => Some(sign > 0),
        }
    }

    /// It is positive, or not.
    pub fn found(&mut self, item: Item, is_positive: bool) {
        self.0[item as usize] = if is_positive { 1 } else { -1 };
    }

    /// The angle on the wire at which the wheels are straight, degrees.
    #[must_use]
    pub fn trim_deg(&self) -> f64 {
        f64::from(self.trim_steps()) * 2.0 / 10.0
    }

    /// The same in steps of 0.2°.
    #[must_use]
    pub fn trim_steps(&self) -> i8 {
        match self.0[5] {
            FOUND_AT_ZERO => 0,
            steps => steps,
        }
    }

    /// Another middle.
    pub fn trim(&mut self, steps: i8) {
        self.0[5] = match steps.clamp(-MOST_TRIM_STEPS, MOST_TRIM_STEPS) {
            0 => FOUND_AT_ZERO,
            steps => steps,
        };
    }

    /// The steering's sign, when it was found out: it wins over the profile's.
    #[must_use]
    pub fn steering_sign(&self) -> Option<f64> {
        self.of(Item::Steering)
            .map(|is_left| if is_left { 1.0 } else { -1.0 })
    }

    /// From what the console means to what the wire wants, and back: it is its own inverse.
    #[must_use]
    pub fn turned(&self, mut message: McCtrl) -> McCtrl {
        let is_turned = |item| self.of(item) == Some(false);
        if is_turned(Item::Brake) && message.brake <= 1 {
            message.brake = 1 - message.brake;
        }
        for (item, value) in [
            (Item::BrushDeck, &mut message.brush_deck_pusher),
            (Item::Squeegee, &mut message.suction_squeeqee_pusher),
            (Item::Water, &mut message.water_spray),
        ] {
            if is_turned(item) {
                *value = value.saturating_neg();
            }
        }
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(is_positive: bool) -> Commissioned {
        let mut all = Commissioned::default();
        for item in Item::ALL {
            all.found(item, is_positive);
        }
        all
    }

    #[test]
    fn every_movement_comes_back_by_its_number_and_moves_one_field_alone() {
        let mut all = vec![Movement::Middle];
        for item in Item::ALL {
            all.extend([Movement::Item(item, true), Movement::Item(item, false)]);
        }
        for movement in all {
            assert_eq!(Movement::of_number(movement.number()), Some(movement));
            let rest = McCtrl::SAFE;
            let message = movement.on_wire(rest, 80, 30, 1.4);
            let changed = ToolField::ALL
                .into_iter()
                .filter(|field| (message.value(*field) - rest.value(*field)).abs() > 1e-9)
                .collect::<Vec<_>>();
            let expected = match movement {
                Movement::Item(Item::Brake, true) => vec![],
                Movement::Item(item, _) => vec![item.field()],
                Movement::Middle => vec![ToolField::Angle],
            };
            assert_eq!(changed, expected, "{movement:?}");
        }
        for number in [0, 7, -6, -7, i8::MIN, i8::MAX] {
            assert_eq!(Movement::of_number(number), None, "{number}");
        }
    }

    #[test]
    fn what_was_found_out_on_the_vehicle_wins_over_what_the_profile_states() {
        let stated = Commissioned::stated([-1, 0, 1, -1, 0], 1.4);
        let mut found = Commissioned::default();
        assert_eq!(found.over(&stated), stated);
        assert!((stated.trim_deg() - 1.4).abs() < 1e-9);
        found.found(Item::Brake, true);
        found.found(Item::BrushDeck, false);
        found.trim(0);
        let both = found.over(&stated);
        let of_all = Item::ALL.map(|item| both.of(item));
        let expected = [Some(true), Some(false), Some(true), Some(false), None];
        assert_eq!(of_all, expected);
        assert_eq!(both.trim_steps(), 0, "found to be straight at 0");
    }

    #[test]
    fn what_was_not_found_out_is_taken_as_documented() {
        let message = McCtrl {
            brush_deck_pusher: 100,
            water_spray: -30,
            ..McCtrl::SAFE
        };
        assert_eq!(Commissioned::default().turned(message), message);
        assert_eq!(Commissioned::default().steering_sign(), None);
        let positive = all(true);
        assert_eq!(positive.turned(message), message);
        assert_eq!(positive.steering_sign(), Some(1.0));
        assert_eq!(all(false).steering_sign(), Some(-1.0));
        assert_eq!(
            all(false).turned(message),
            McCtrl {
                brake: 0,
                brush_deck_pusher: -100,
                water_spray: 30,
                ..McCtrl::SAFE
            }
        );
    }

    proptest! {
        #[test]
        fn turning_back_gives_what_was_meant(brake in 0..2_u8, deck in -100..=100_i8, water in -100..=100_i8) {
            let message = McCtrl {
                brake,
                brush_deck_pusher: deck,
                suction_squeeqee_pusher: -deck,
                water_spray: water,
                ..McCtrl::SAFE
            };
            let there = all(false);
            prop_assert_eq!(there.turned(there.turned(message)), message);
        }
    }
}
