//! Page coordinates to stick units; which contact counts.

use crate::pilot::intent::StickInput;

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

/// The one contact that counts, from its press to its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Press {
    pointer: i32,
    place: PadPlace,
    input: StickInput,
}

impl Press {
    /// A contact begins. `None` when the pad is not drawn.
    #[must_use]
    pub fn begin(pointer: i32, number: u32, place: PadPlace, x: f64, y: f64) -> Option<Self> {
        if !place.is_drawn() {
            return None;
        }
        let (forward, left) = place.pad_from_page(x, y);
        let mut press = Self {
            pointer,
            place,
            input: StickInput {
                press: number,
                start_radius: forward.hypot(left),
                forward: 0.0,
                left: 0.0,
            },
        };
        press.move_to(x, y);
        Some(press)
    }

    /// True for events of this contact; those of any other finger are not meant.
    #[must_use]
    pub fn is_of(&self, pointer: i32) -> bool {
        self.pointer == pointer
    }

    /// The contact moved. Outside the circle it counts as on its edge, in the same direction.
    pub fn move_to(&mut self, x: f64, y: f64) {
        let (forward, left) = self.place.pad_from_page(x, y);
        let length = forward.hypot(left).max(1.0);
        self.input.forward = forward / length;
        self.input.left = left / length;
    }

    /// What the pilot is told.
    #[must_use]
    pub fn input(&self) -> StickInput {
        self.input
    }

    /// Where the pad lay when the press began.
    #[must_use]
    pub fn place(&self) -> PadPlace {
        self.place
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
        points += &format!("{x:.1},{y:.1} ");
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

    fn input_at(x: f64, y: f64) -> StickInput {
        Press::begin(1, 1, pad(), x, y).unwrap().input()
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
        let mut press = Press::begin(7, 3, pad(), 220.0, 290.0).unwrap();
        press.move_to(220.0, 210.0);
        assert!(is_near(press.input().start_radius, 0.1));
        assert!(is_near(press.input().forward, 0.9));
        assert_eq!(press.input().press, 3);
    }

    #[test]
    fn a_press_outside_the_hub_says_so_by_its_start() {
        assert!(input_at(220.0, 240.0).start_radius > HUB);
    }

    #[test]
    fn another_finger_is_not_this_contact() {
        let press = Press::begin(7, 1, pad(), 220.0, 300.0).unwrap();
        assert!(press.is_of(7) && !press.is_of(8));
    }

    #[test]
    fn a_pad_that_is_not_drawn_cannot_be_pressed() {
        let hidden = PadPlace::of_rectangle(0.0, 0.0, 0.0, 0.0);
        assert_eq!(Press::begin(1, 1, hidden, 0.0, 0.0), None);
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
    fn the_outline_points_up_and_fills_its_circle() {
        let points = outline_points(&[(2.0, 0.0), (-1.0, 1.0), (-1.0, -1.0)], 24.0);
        assert_eq!(points, "-0.0,-24.0 -12.0,12.0 12.0,12.0 ");
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
