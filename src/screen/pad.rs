//! Page coordinates to stick units; which contacts count.

use crate::drive::stick::{Deflection, StickInput};
use crate::units::decimal;

/// Share of the radius in which a press must begin (rule 2); drawn as the pad's inner circle.
pub const HUB: f64 = 0.4;

/// Where the pad lies on the page, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PadPlace {
    /// Of the inscribed circle.
    pub center_x: f64,
    /// Of the inscribed circle.
    pub center_y: f64,
    /// Of the inscribed circle.
    pub radius: f64,
}

impl PadPlace {
    /// The inscribed circle of a rectangle.
    #[must_use]
    pub fn of_rectangle(left: f64, top: f64, width: f64, height: f64) -> Self {
        Self {
            center_x: left + width / 2.0,
            center_y: top + height / 2.0,
            radius: width.min(height) / 2.0,
        }
    }

    /// True when the pad is drawn at all; one that is not cannot be pressed.
    #[must_use]
    pub fn is_drawn(&self) -> bool {
        self.radius > 1.0 && self.center_x.is_finite() && self.center_y.is_finite()
    }

    /// True when the pad would turn the same finger into another deflection than `earlier`. Half
    /// a pixel is the rounding of browsers, not a new layout.
    #[must_use]
    pub fn has_moved_from(&self, earlier: &Self) -> bool {
        (self.center_x - earlier.center_x).abs() > 0.5
            || (self.center_y - earlier.center_y).abs() > 0.5
            || (self.radius - earlier.radius).abs() > 0.5
    }

    /// A point of the page in pad units: (forward, left), not clamped.
    #[must_use]
    fn pad_from_page(&self, x: f64, y: f64) -> (f64, f64) {
        (
            (self.center_y - y) / self.radius,
            (self.center_x - x) / self.radius,
        )
    }
}

/// One finger on a pad, from its press to its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    pointer: i32,
    place: PadPlace,
    /// None while something else held the stick when it began.
    number: Option<u32>,
    start_radius: f64,
    /// In pad units, not clamped.
    at: (f64, f64),
}

impl Contact {
    /// A contact begins. `None` when the pad is not drawn.
    #[must_use]
    pub fn begin(pointer: i32, place: PadPlace, x: f64, y: f64) -> Option<Self> {
        let at = place.pad_from_page(x, y);
        place.is_drawn().then_some(Self {
            pointer,
            place,
            number: None,
            start_radius: at.0.hypot(at.1),
            at,
        })
    }

    /// The browser's number of the finger.
    #[must_use]
    pub fn pointer(&self) -> i32 {
        self.pointer
    }

    /// Where the pad lay when the contact began.
    #[must_use]
    pub fn place(&self) -> PadPlace {
        self.place
    }

    /// On the pad that does both. Outside the circle it counts as on its edge, in the same
    /// direction.
    fn deflection(&self) -> Deflection {
        Deflection::sanitized(self.at.0, self.at.1)
    }

    /// The farthest of where it began and where it is.
    fn radius(&self) -> f64 {
        self.start_radius.max(self.at.0.hypot(self.at.1))
    }
}

/// What the fingers on the pads come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Said {
    /// Nothing new.
    Nothing,
    /// A finger rests on a pad and nothing is asked for.
    Rests,
    /// They push the stick.
    Pushes(StickInput),
    /// The last finger was lifted.
    Lifted,
}

/// What the pads are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pads {
    /// One pad does both.
    #[default]
    One,
    /// One for the speed, one for the steering.
    Two,
    /// A multirotor's: one for climb and turn, one for forward and sideways.
    Flight,
}

/// The fingers on one pad that does both, or on two.
///
/// With one for the speed and one for the steering a press lasts from the second thumb to the first lift; then both must be lifted.
/// Each thumb must have begun in the hub of its pad and still be there when the other comes, and
/// nothing may have ended all presses in between.
///
/// Each pad of a multirotor drives by itself: a press begins with the first thumb, a second one joins
/// it from the hub of its own pad, and the first lift ends it; then both must be lifted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Thumbs {
    pads: Pads,
    contacts: [Option<Contact>; 2],
    press: Option<(u32, f64)>,
    must_lift: bool,
}

impl Thumbs {
    /// On these pads.
    #[must_use]
    pub fn on(pads: Pads) -> Self {
        Self {
            pads,
            ..Self::default()
        }
    }

    /// The contact on a pad.
    #[must_use]
    pub fn contact(&self, pad: usize) -> Option<Contact> {
        self.contacts.get(pad).copied().flatten()
    }

    /// The number of the press, while there is one.
    #[must_use]
    pub fn press(&self) -> Option<u32> {
        self.press.map(|(number, _)| number)
    }

    /// A finger comes down on a pad that has none. It has a number of its own, or none while
    /// something else holds the stick.
    pub fn down(
        &mut self,
        pad: usize,
        contact: Contact,
        number: Option<u32>,
        is_spent: impl Fn(u32) -> bool,
    ) -> Said {
        self.must_lift |= self
            .contacts
            .iter()
            .flatten()
            .any(|earlier| earlier.number.is_none_or(&is_spent));
        if let Some(place) = self.contacts.get_mut(pad) {
            *place = Some(Contact { number, ..contact });
        }
        let down = self.contacts.iter().flatten();
        if self.must_lift || down.clone().count() <= usize::from(self.pads == Pads::Two) {
            return Said::Rests;
        }
        if self.pads == Pads::Flight
            && let Some((_, start_radius)) = &mut self.press
        {
            *start_radius = start_radius.max(contact.start_radius);
            return self.pushes();
        }
        let start_radius = down.map(Contact::radius).fold(0.0, f64::max);
        self.press = number.map(|number| (number, start_radius));
        self.pushes()
    }

    /// A finger moves.
    pub fn moved(&mut self, pointer: i32, x: f64, y: f64) -> Said {
        let mut contacts = self.contacts.iter_mut().flatten();
        let Some(contact) = contacts.find(|contact| contact.pointer == pointer) else {
            return Said::Nothing;
        };
        contact.at = contact.place.pad_from_page(x, y);
        self.pushes()
    }

    /// A finger is lifted, or taken away.
    pub fn up(&mut self, pointer: i32) -> Said {
        let is_it = |contact: &Option<Contact>| contact.is_some_and(|it| it.pointer == pointer);
        let Some(place) = self.contacts.iter_mut().find(|contact| is_it(contact)) else {
            return Said::Nothing;
        };
        *place = None;
        let had_press = self.press.take().is_some();
        if self.contacts.iter().all(Option::is_none) {
            self.must_lift = false;
            return Said::Lifted;
        }
        self.must_lift |= had_press;
        Said::Rests
    }

    fn pushes(&self) -> Said {
        let Some((press, start_radius)) = self.press else {
            return Said::Nothing;
        };
        let mut input = StickInput {
            press,
            start_radius,
            ..StickInput::default()
        };
        if self.pads == Pads::Flight {
            let [climb, way] = self
                .contacts
                .map(|contact| contact.map(|it| it.deflection()).unwrap_or_default());
            (input.forward, input.left) = (way.forward, way.left);
            (input.up, input.turn) = (climb.forward, climb.left);
            return Said::Pushes(input);
        }
        let Deflection { forward, left } = match self.contacts {
            [Some(speed), Some(steering)] => Deflection {
                forward: speed.at.0.clamp(-1.0, 1.0),
                left: steering.at.1.clamp(-1.0, 1.0),
            },
            [Some(both), None] => both.deflection(),
            _ => return Said::Nothing,
        };
        (input.forward, input.left) = (forward, left);
        Said::Pushes(input)
    }
}

/// The vehicle's outline as the `points` of an SVG polygon, nose up, as large as a circle of
/// that radius allows. `outline` is in metres, x forward and y left.
#[must_use]
pub fn outline_points(outline: &[(f64, f64)], radius: f64) -> String {
    let farthest = outline
        .iter()
        .map(|(x, y)| x.hypot(*y))
        .fold(f64::MIN_POSITIVE, f64::max);
    let scale = radius / farthest;
    let mut points = String::new();
    for (forward, left) in outline {
        let (x, y) = (-left * scale, -forward * scale);
        points += &[&decimal(x, 1), ",", &decimal(y, 1), " "].concat();
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pad() -> PadPlace {
        PadPlace::of_rectangle(100.0, 200.0, 240.0, 200.0)
    }

    fn finger(pointer: i32, x: f64, y: f64) -> Contact {
        Contact::begin(pointer, pad(), x, y).unwrap()
    }

    fn never(_: u32) -> bool {
        false
    }

    fn pushed(said: Said) -> StickInput {
        match said {
            Said::Pushes(input) => input,
            other => panic!("{other:?}"),
        }
    }

    fn input_at(x: f64, y: f64) -> StickInput {
        pushed(Thumbs::on(Pads::One).down(0, finger(1, x, y), Some(1), never))
    }

    fn is_near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn the_centre_is_neutral() {
        let input = input_at(220.0, 300.0);
        assert!(is_near(input.forward, 0.0) && is_near(input.left, 0.0));
        assert!(is_near(input.start_radius, 0.0));
    }

    #[test]
    fn full_deflection_is_at_the_edge_of_the_inscribed_circle() {
        let up = input_at(220.0, 200.0);
        assert!(is_near(up.forward, 1.0) && is_near(up.left, 0.0));
        // The rectangle is wider than high: the circle is as large as the height allows.
        let left = input_at(120.0, 300.0);
        assert!(is_near(left.left, 1.0) && is_near(left.forward, 0.0));
    }

    #[test]
    fn up_is_forward_and_left_is_left() {
        let input = input_at(200.0, 280.0);
        assert!(input.forward > 0.0 && input.left > 0.0);
        let input = input_at(240.0, 320.0);
        assert!(input.forward < 0.0 && input.left < 0.0);
    }

    #[test]
    fn the_start_is_remembered_while_the_finger_moves_on() {
        let mut thumbs = Thumbs::on(Pads::One);
        thumbs.down(0, finger(7, 220.0, 290.0), Some(3), never);
        let input = pushed(thumbs.moved(7, 220.0, 210.0));
        assert!(is_near(input.start_radius, 0.1));
        assert!(is_near(input.forward, 0.9));
        assert_eq!(input.press, 3);
    }

    #[test]
    fn a_press_outside_the_hub_says_so_by_its_start() {
        assert!(input_at(220.0, 240.0).start_radius > HUB);
    }

    #[test]
    fn another_finger_is_not_this_contact() {
        let mut thumbs = Thumbs::on(Pads::One);
        thumbs.down(0, finger(7, 220.0, 300.0), Some(1), never);
        assert_eq!(thumbs.moved(8, 220.0, 210.0), Said::Nothing);
        assert_eq!(thumbs.up(8), Said::Nothing);
        assert_eq!(thumbs.up(7), Said::Lifted);
    }

    #[test]
    fn a_pad_that_is_not_drawn_cannot_be_pressed() {
        let hidden = PadPlace::of_rectangle(0.0, 0.0, 0.0, 0.0);
        assert_eq!(Contact::begin(1, hidden, 0.0, 0.0), None);
    }

    #[test]
    fn rounding_is_no_new_layout_but_a_shift_is() {
        let shifted = PadPlace {
            center_x: pad().center_x + 0.3,
            ..pad()
        };
        assert!(!shifted.has_moved_from(&pad()));
        let resized = PadPlace {
            radius: pad().radius - 4.0,
            ..pad()
        };
        assert!(resized.has_moved_from(&pad()));
    }

    #[test]
    fn a_finger_that_comes_while_something_else_holds_the_stick_pushes_nothing() {
        let mut thumbs = Thumbs::on(Pads::One);
        assert_eq!(
            thumbs.down(0, finger(1, 220.0, 300.0), None, never),
            Said::Nothing
        );
        assert_eq!(thumbs.moved(1, 220.0, 210.0), Said::Nothing);
    }

    #[test]
    fn two_pads_push_once_both_thumbs_are_down_each_on_its_axis() {
        let mut thumbs = Thumbs::on(Pads::Two);
        assert_eq!(
            thumbs.down(0, finger(1, 220.0, 290.0), Some(1), never),
            Said::Rests
        );
        let began = pushed(thumbs.down(1, finger(2, 190.0, 300.0), Some(2), never));
        assert!(is_near(began.start_radius, 0.3), "the farther one of both");
        let pushed_up = pushed(thumbs.moved(1, 260.0, 150.0));
        assert!(is_near(pushed_up.forward, 1.0) && is_near(pushed_up.left, 0.3));
        let steered = pushed(thumbs.moved(2, 270.0, 220.0));
        assert!(is_near(steered.forward, 1.0) && is_near(steered.left, -0.5));
    }

    #[test]
    fn lifting_either_thumb_ends_the_press_until_both_were_lifted() {
        for (first, second) in [(1, 2), (2, 1)] {
            let mut thumbs = Thumbs::on(Pads::Two);
            thumbs.down(0, finger(1, 220.0, 300.0), Some(1), never);
            thumbs.down(1, finger(2, 220.0, 300.0), Some(1), never);
            assert_eq!(thumbs.up(first), Said::Rests);
            assert_eq!(thumbs.moved(second, 220.0, 250.0), Said::Nothing);
            let again = finger(first, 220.0, 300.0);
            let pad = first as usize - 1;
            assert_eq!(thumbs.down(pad, again, Some(2), never), Said::Rests);
            assert_eq!(thumbs.up(first), Said::Rests);
            assert_eq!(thumbs.up(second), Said::Lifted);
            thumbs.down(0, finger(1, 220.0, 300.0), Some(3), never);
            let anew = pushed(thumbs.down(1, finger(2, 220.0, 300.0), Some(3), never));
            assert_eq!(anew.press, 3);
        }
    }

    #[test]
    fn a_thumb_that_rested_while_all_presses_were_ended_must_be_lifted() {
        let mut thumbs = Thumbs::on(Pads::Two);
        thumbs.down(0, finger(1, 220.0, 300.0), Some(1), never);
        let second = finger(2, 220.0, 300.0);
        assert_eq!(
            thumbs.down(1, second, Some(2), |press| press <= 1),
            Said::Rests
        );
        assert_eq!(thumbs.up(1), Said::Rests);
        let again = finger(1, 220.0, 300.0);
        assert_eq!(thumbs.down(0, again, Some(3), never), Said::Rests);
        assert_eq!(thumbs.up(1), Said::Rests);
        assert_eq!(thumbs.up(2), Said::Lifted);
    }

    #[test]
    fn a_thumb_that_left_the_hub_before_the_other_came_does_not_start_at_speed() {
        let mut thumbs = Thumbs::on(Pads::Two);
        thumbs.down(0, finger(1, 220.0, 300.0), Some(1), never);
        thumbs.moved(1, 220.0, 220.0);
        let began = pushed(thumbs.down(1, finger(2, 220.0, 300.0), Some(1), never));
        assert!(began.start_radius > HUB);
    }

    #[test]
    fn each_pad_of_a_multirotor_drives_its_own_axes_by_itself() {
        let mut thumbs = Thumbs::on(Pads::Flight);
        thumbs.down(0, finger(1, 220.0, 300.0), Some(1), never);
        let climb = pushed(thumbs.moved(1, 220.0, 200.0));
        assert!(is_near(climb.up, 1.0) && is_near(climb.forward, 0.0));
        assert_eq!(thumbs.up(1), Said::Lifted);
        thumbs.down(1, finger(2, 220.0, 300.0), Some(2), never);
        let way = pushed(thumbs.moved(2, 270.0, 300.0));
        assert!(is_near(way.left, -0.5) && is_near(way.turn, 0.0) && is_near(way.up, 0.0));
    }

    #[test]
    fn a_second_thumb_joins_a_multirotors_press_and_the_first_lift_ends_it_for_both() {
        let mut thumbs = Thumbs::on(Pads::Flight);
        thumbs.down(0, finger(1, 220.0, 300.0), Some(1), never);
        thumbs.moved(1, 220.0, 200.0);
        let joined = pushed(thumbs.down(1, finger(2, 190.0, 300.0), Some(2), never));
        assert_eq!(joined.press, 1, "the same press goes on");
        assert!(is_near(joined.up, 1.0) && is_near(joined.left, 0.3));
        assert!(is_near(joined.start_radius, 0.3), "where the thumbs began");
        assert_eq!(thumbs.up(1), Said::Rests, "everything ends");
        assert_eq!(thumbs.moved(2, 220.0, 200.0), Said::Nothing);
        assert_eq!(thumbs.up(2), Said::Lifted);
    }

    #[test]
    fn a_second_thumb_outside_its_hub_is_told_as_such() {
        let mut thumbs = Thumbs::on(Pads::Flight);
        thumbs.down(0, finger(1, 220.0, 300.0), Some(1), never);
        let joined = pushed(thumbs.down(1, finger(2, 220.0, 210.0), Some(2), never));
        assert!(joined.start_radius > HUB);
    }

    #[test]
    fn the_outline_points_up_and_fills_its_circle() {
        let points = outline_points(&[(2.0, 0.0), (-1.0, 1.0), (-1.0, -1.0)], 24.0);
        assert_eq!(points, "0.0,-24.0 -12.0,12.0 12.0,12.0 ");
    }

    proptest! {
        #[test]
        fn the_deflection_never_leaves_the_circle(x in -5000.0..5000.0f64, y in -5000.0..5000.0f64) {
            let input = input_at(x, y);
            prop_assert!(input.forward.hypot(input.left) <= 1.0 + 1e-9);
        }

        #[test]
        fn clamping_keeps_the_direction(x in 0.0..600.0f64, y in 0.0..600.0f64) {
            let (forward, left) = pad().pad_from_page(x, y);
            let input = input_at(x, y);
            prop_assert!((forward * input.left - left * input.forward).abs() < 1e-9);
        }
    }
}
