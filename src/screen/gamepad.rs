//! A gamepad as a stick: it counts only while the enable button is held.
//!
//! The button is by default the right shoulder (5 of the standard mapping) beside the left stick:
//! thumb and forefinger of two hands, so that a gamepad that is dropped or grabbed by one hand lets
//! go. Who drives with the right thumb has right stick and left shoulder (4). A multirotor is flown there
//! by the right stick whatever the thumb, and the other one climbs and turns.

use super::preferences::Hand;
use crate::drive::stick::Deflection;
use crate::shell::input::Reading;
pub use crate::words::gamepad::{GamepadView, Step};

/// What is kept of an axis are ten-thousandths: whole numbers need no reader of decimals, which is
/// large.
const KEPT_PARTS: f64 = 10_000.0;

/// How far a stick must have been moved each way, of an axis' whole −1…1, to be calibrated.
const LEAST_TRAVEL: f64 = 0.3;

/// One axis: where it rests and where it ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// Let go.
    pub center: f64,
    /// Left or up.
    pub least: f64,
    /// Right or down.
    pub most: f64,
}

impl Default for Axis {
    fn default() -> Self {
        Self::resting(0.0).reaching(-1.0).reaching(1.0)
    }
}

impl Axis {
    fn resting(center: f64) -> Self {
        Self {
            center,
            least: center,
            most: center,
        }
    }

    fn reaching(self, value: f64) -> Self {
        Self {
            least: self.least.min(value),
            most: self.most.max(value),
            ..self
        }
    }

    fn travel(&self) -> f64 {
        self.most - self.least
    }

    fn is_usable(&self) -> bool {
        // Written so that what is not a number is not usable.
        self.most - self.center >= LEAST_TRAVEL && self.center - self.least >= LEAST_TRAVEL
    }

    /// −1…1 between the ends; what is not a number is the centre.
    #[must_use]
    pub fn value(&self, raw: f64) -> f64 {
        let off = raw - self.center;
        let end = if off < 0.0 {
            self.center - self.least
        } else {
            self.most - self.center
        };
        let value = off / end;
        if value.is_finite() {
            value.clamp(-1.0, 1.0)
        } else {
            0.0
        }
    }
}

/// How a gamepad is used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setup {
    /// The number of the enable button.
    pub button: u32,
    /// The number of the stick: its axes are twice that, and the next.
    pub stick: usize,
    /// To the side and up and down.
    pub axes: [Axis; 2],
    /// The other stick counts as well.
    pub flies: bool,
}

impl Setup {
    /// Before anything was chosen.
    #[must_use]
    pub fn of_hand(hand: Hand, flies: bool) -> Self {
        let (stick, button) = match hand {
            Hand::Left => (usize::from(flies), 5),
            Hand::Right => (1, 4),
        };
        Self {
            button,
            stick,
            axes: [Axis::default(); 2],
            flies,
        }
    }

    /// As kept: the gamepad's id comes after it.
    #[must_use]
    pub fn kept(&self, id: &str) -> String {
        let mut kept = self.button.to_string() + " " + &self.stick.to_string();
        for axis in self.axes {
            for value in [axis.center, axis.least, axis.most] {
                kept += " ";
                kept += &((value * KEPT_PARTS).round() as i32).to_string();
            }
        }
        kept + " " + id
    }

    /// The one kept for this gamepad, if it can be used.
    #[must_use]
    pub fn from_kept(kept: &str, id: &str) -> Option<Self> {
        let own = |line: &str| {
            let mut parts = line.splitn(9, ' ');
            let button = parts.next()?.parse().ok()?;
            let stick = parts.next()?.parse().ok()?;
            let mut axis = || {
                let mut value = || {
                    let whole: i32 = parts.next()?.parse().ok()?;
                    Some(f64::from(whole) / KEPT_PARTS)
                };
                let axis = Axis {
                    center: value()?,
                    least: value()?,
                    most: value()?,
                };
                axis.is_usable().then_some(axis)
            };
            let axes = [axis()?, axis()?];
            let setup = Self {
                button,
                stick,
                axes,
                flies: false,
            };
            (parts.next() == Some(id) && button < u32::BITS).then_some(setup)
        };
        kept.lines().find_map(own)
    }

    fn is_enabled(&self, reading: &Reading) -> bool {
        reading.buttons & (1 << self.button) != 0
    }

    /// The stick, and the other one as it comes, where it counts.
    fn deflections(&self, reading: &Reading) -> [Deflection; 2] {
        let pushed = |stick: usize, axes: [Axis; 2]| {
            let value = |i: usize| {
                let raw = reading.axes.get(stick * 2 + i);
                raw.map_or(0.0, |raw| axes[i].value(*raw))
            };
            Deflection {
                forward: -value(1),
                left: -value(0),
            }
        };
        let other = self
            .flies
            .then(|| pushed(self.stick ^ 1, [Axis::default(); 2]));
        [pushed(self.stick, self.axes), other.unwrap_or_default()]
    }
}

/// What a look at the gamepads says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Turn {
    /// Nothing is held.
    Nothing,
    /// The enable button went down with the stick there, and the other one.
    Began([Deflection; 2]),
    /// It is held, with the sticks there.
    Held([Deflection; 2]),
    /// It was let go.
    Ended,
    /// The gamepad went away while it was held.
    Lost,
    /// A gamepad that was lost is back, and nothing is held on it.
    Back,
}

/// The gamepads from one look to the next.
#[derive(Debug, Clone, Default)]
pub struct Gamepads {
    /// Index and id of the one whose enable button is down.
    held: Option<(u32, String)>,
    /// Those whose enable button was seen up, as bits by index.
    seen_up: u32,
    was_lost: bool,
}

impl Gamepads {
    /// Looks. A button that was down when its gamepad came does not count before it was let go.
    pub fn look(&mut self, readings: &[Reading], setup_of: impl Fn(&Reading) -> Setup) -> Turn {
        let there = readings.iter().fold(0, |there, one| there | bit(one));
        self.seen_up &= there;
        if let Some((index, id)) = &self.held {
            let same = |one: &&Reading| one.index == *index && one.id == *id;
            let Some(reading) = readings.iter().find(same) else {
                self.held = None;
                self.was_lost = true;
                return Turn::Lost;
            };
            let setup = setup_of(reading);
            if setup.is_enabled(reading) {
                return Turn::Held(setup.deflections(reading));
            }
            self.held = None;
            self.seen_up |= bit(reading);
            return Turn::Ended;
        }
        for reading in readings {
            let setup = setup_of(reading);
            if !setup.is_enabled(reading) {
                self.seen_up |= bit(reading);
                if std::mem::take(&mut self.was_lost) {
                    return Turn::Back;
                }
            } else if self.seen_up & bit(reading) != 0 {
                self.seen_up &= !bit(reading);
                self.held = Some((reading.index, reading.id.clone()));
                return Turn::Began(setup.deflections(reading));
            }
        }
        Turn::Nothing
    }

    /// Lets go of everything, for a calibration: true when something was held.
    pub fn let_go(&mut self) -> bool {
        self.seen_up = 0;
        self.held.take().is_some()
    }
}

fn bit(reading: &Reading) -> u32 {
    1_u32.checked_shl(reading.index).unwrap_or(0)
}

/// A calibration under way.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Calibration {
    /// Buttons that were down at the last look, by index of the gamepad.
    before: Vec<(u32, u32)>,
    chosen: Option<Chosen>,
    is_short: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct Chosen {
    id: String,
    button: u32,
    axes: Vec<Axis>,
}

impl Calibration {
    /// What is asked for now.
    #[must_use]
    pub fn step(&self) -> Step {
        match (&self.chosen, self.is_short) {
            (None, _) => Step::Center,
            (_, false) => Step::Ends,
            (_, true) => Step::EndsAgain,
        }
    }

    /// Looks; the setup and whose it is when it is done.
    pub fn look(&mut self, readings: &[Reading]) -> Option<(String, Setup)> {
        let mut done = None;
        for reading in readings {
            let before = self
                .before
                .iter()
                .find(|(index, _)| *index == reading.index);
            // At the first look all count as down: only a button seen going down is chosen.
            let went_down = reading.buttons & !before.map_or(u32::MAX, |(_, down)| *down);
            match &mut self.chosen {
                None if went_down != 0 => {
                    self.chosen = Some(Chosen {
                        id: reading.id.clone(),
                        button: went_down.trailing_zeros(),
                        axes: reading.axes.iter().map(|at| Axis::resting(*at)).collect(),
                    });
                }
                Some(chosen) if chosen.id == reading.id => {
                    for (axis, at) in chosen.axes.iter_mut().zip(&reading.axes) {
                        *axis = axis.reaching(*at);
                    }
                    if went_down & (1 << chosen.button) != 0 {
                        done = chosen.setup();
                        self.is_short = done.is_none();
                    }
                }
                _ => {}
            }
        }
        self.before = readings
            .iter()
            .map(|one| (one.index, one.buttons))
            .collect();
        done
    }
}

impl Chosen {
    /// The stick is the pair of axes that was moved most.
    fn setup(&self) -> Option<(String, Setup)> {
        let travel = |pair: &[Axis]| pair.iter().map(Axis::travel).sum::<f64>();
        let (stick, pair) = self
            .axes
            .chunks_exact(2)
            .enumerate()
            .max_by(|(_, one), (_, other)| travel(one).total_cmp(&travel(other)))?;
        let axes = [*pair.first()?, *pair.get(1)?];
        let setup = Setup {
            button: self.button,
            stick,
            axes,
            flies: false,
        };
        axes.iter()
            .all(Axis::is_usable)
            .then(|| (self.id.clone(), setup))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SHOULDER: u32 = 1 << 5;

    fn pad(buttons: u32, axes: &[f64]) -> Reading {
        Reading {
            index: 0,
            id: "Pad (Vendor: 045e)".into(),
            axes: axes.to_vec(),
            buttons,
        }
    }

    fn standard(_: &Reading) -> Setup {
        Setup::of_hand(Hand::Left, false)
    }

    fn way(forward: f64, left: f64) -> Deflection {
        Deflection { forward, left }
    }

    /// What does not fly has one stick.
    fn at(forward: f64, left: f64) -> [Deflection; 2] {
        [way(forward, left), Deflection::default()]
    }

    fn ready() -> Gamepads {
        let mut gamepads = Gamepads::default();
        assert_eq!(gamepads.look(&[pad(0, &[0.0; 4])], standard), Turn::Nothing);
        gamepads
    }

    fn held() -> Gamepads {
        let mut gamepads = ready();
        let began = gamepads.look(&[pad(SHOULDER, &[0.0; 4])], standard);
        assert_eq!(began, Turn::Began(at(0.0, 0.0)));
        gamepads
    }

    #[test]
    fn the_stick_counts_only_while_the_button_is_held() {
        let mut gamepads = ready();
        let pushed = [0.5, -0.8, 0.0, 0.0];
        assert_eq!(gamepads.look(&[pad(0, &pushed)], standard), Turn::Nothing);
        assert_eq!(gamepads.look(&[pad(1, &pushed)], standard), Turn::Nothing);
        let began = gamepads.look(&[pad(SHOULDER, &pushed)], standard);
        assert_eq!(began, Turn::Began(at(0.8, -0.5)), "where it began is told");
        let still = gamepads.look(&[pad(SHOULDER, &pushed)], standard);
        assert_eq!(still, Turn::Held(at(0.8, -0.5)));
        assert_eq!(gamepads.look(&[pad(0, &pushed)], standard), Turn::Ended);
        assert_eq!(gamepads.look(&[pad(0, &pushed)], standard), Turn::Nothing);
    }

    #[test]
    fn a_button_that_was_down_when_the_gamepad_came_must_be_let_go_first() {
        let mut gamepads = Gamepads::default();
        let down = [pad(SHOULDER, &[0.0; 4])];
        assert_eq!(gamepads.look(&down, standard), Turn::Nothing);
        assert_eq!(gamepads.look(&down, standard), Turn::Nothing);
        assert_eq!(gamepads.look(&[pad(0, &[0.0; 4])], standard), Turn::Nothing);
        assert!(matches!(gamepads.look(&down, standard), Turn::Began(_)));
    }

    #[test]
    fn a_gamepad_that_goes_away_while_held_is_lost_and_comes_back_neutral() {
        let mut gamepads = held();
        assert_eq!(gamepads.look(&[], standard), Turn::Lost);
        assert_eq!(gamepads.look(&[], standard), Turn::Nothing);
        let down = [pad(SHOULDER, &[0.0; 4])];
        assert_eq!(gamepads.look(&down, standard), Turn::Nothing, "still held");
        assert_eq!(gamepads.look(&[pad(0, &[0.0; 4])], standard), Turn::Back);
        assert!(matches!(gamepads.look(&down, standard), Turn::Began(_)));
    }

    #[test]
    fn another_gamepad_in_the_place_of_the_held_one_is_not_it() {
        let mut gamepads = held();
        let other = Reading {
            id: "Other".into(),
            ..pad(SHOULDER, &[0.0, -1.0])
        };
        assert_eq!(gamepads.look(&[other], standard), Turn::Lost);
    }

    #[test]
    fn a_second_gamepad_does_not_take_part_in_the_press_of_the_first() {
        let mut gamepads = held();
        let second = Reading {
            index: 1,
            ..pad(SHOULDER, &[0.0, -1.0])
        };
        let both = [pad(SHOULDER, &[0.0, -0.2]), second];
        assert_eq!(gamepads.look(&both, standard), Turn::Held(at(0.2, 0.0)));
    }

    #[test]
    fn the_other_hand_has_the_other_stick_and_shoulder() {
        let setup = |_: &Reading| Setup::of_hand(Hand::Right, false);
        let mut gamepads = Gamepads::default();
        gamepads.look(&[pad(0, &[0.0; 4])], setup);
        let began = gamepads.look(&[pad(1 << 4, &[1.0, 1.0, 0.0, -0.3])], setup);
        assert_eq!(began, Turn::Began(at(0.3, 0.0)));
    }

    #[test]
    fn of_a_multirotor_the_right_stick_flies_there_and_the_left_one_climbs_and_turns() {
        for (hand, button) in [(Hand::Left, 5), (Hand::Right, 4)] {
            let setup = |_: &Reading| Setup::of_hand(hand, true);
            let mut gamepads = Gamepads::default();
            let sticks = [0.5, -1.0, -0.25, 0.75];
            gamepads.look(&[pad(0, &sticks)], setup);
            assert_eq!(gamepads.look(&[pad(0, &sticks)], setup), Turn::Nothing);
            let pushed = [way(-0.75, 0.25), way(1.0, -0.5)];
            let began = gamepads.look(&[pad(1 << button, &sticks)], setup);
            assert_eq!(began, Turn::Began(pushed), "where both began is told");
            // A calibrated stick keeps its meaning.
            let own = |reading: &Reading| Setup {
                stick: 0,
                ..setup(reading)
            };
            let held = gamepads.look(&[pad(1 << button, &sticks)], own);
            assert_eq!(held, Turn::Held([way(1.0, -0.5), way(-0.75, 0.25)]));
            assert_eq!(gamepads.look(&[pad(0, &sticks)], setup), Turn::Ended);
        }
    }

    #[test]
    fn axes_that_are_not_there_or_no_numbers_are_neutral() {
        let mut gamepads = held();
        for axes in [&[][..], &[f64::NAN, f64::INFINITY]] {
            let turn = gamepads.look(&[pad(SHOULDER, axes)], standard);
            assert_eq!(turn, Turn::Held(at(0.0, 0.0)));
        }
    }

    /// Centre at (0.1, −0.1), ends at 0.8 of the way.
    fn calibrated() -> (String, Setup) {
        let mut calibration = Calibration::default();
        let centre = [0.0, 0.0, 0.1, -0.1];
        assert_eq!(calibration.step(), Step::Center);
        // Down already when it began: not chosen.
        assert_eq!(calibration.look(&[pad(1, &centre)]), None);
        assert_eq!(calibration.step(), Step::Center);
        assert_eq!(calibration.look(&[pad(0, &centre)]), None);
        assert_eq!(calibration.look(&[pad(1 << 7, &centre)]), None);
        assert_eq!(calibration.step(), Step::Ends);
        for (x, y) in [(0.8, 0.0), (-0.6, 0.0), (0.0, 0.7)] {
            calibration.look(&[pad(0, &[0.02, 0.0, x, y])]);
        }
        assert_eq!(calibration.look(&[pad(1 << 7, &centre)]), None);
        assert_eq!(calibration.step(), Step::EndsAgain, "never pushed up");
        calibration.look(&[pad(0, &[0.0, 0.0, 0.0, -0.9])]);
        calibration.look(&[pad(1 << 7, &centre)]).unwrap()
    }

    #[test]
    fn a_calibration_finds_button_stick_centre_and_ends() {
        let (id, setup) = calibrated();
        assert_eq!(id, "Pad (Vendor: 045e)");
        assert_eq!((setup.button, setup.stick), (7, 1));
        let mut gamepads = Gamepads::default();
        gamepads.look(&[pad(0, &[0.0; 4])], |_| setup);
        let began = gamepads.look(&[pad(1 << 7, &[0.0, 0.0, 0.1, -0.1])], |_| setup);
        assert_eq!(began, Turn::Began(at(0.0, 0.0)));
        let end = gamepads.look(&[pad(1 << 7, &[0.0, 0.0, -0.6, -0.9])], |_| setup);
        assert_eq!(end, Turn::Held(at(1.0, 1.0)));
    }

    #[test]
    fn a_calibration_is_kept_for_its_gamepad_alone() {
        let (id, setup) = calibrated();
        let kept = setup.kept(&id);
        assert_eq!(Setup::from_kept(&kept, &id), Some(setup));
        assert_eq!(Setup::from_kept(&kept, "Other"), None);
        let good = "5 0 0 -9000 9000 0 -9000 9000 X";
        assert!(Setup::from_kept(good, "X").is_some());
        let broken = [
            "5 0 0 0 0 0 -9000 9000 X",
            "40 0 0 -9000 9000 0 -9000 9000 X",
            "5 0 NaN -9000 9000 0 -9000 9000 X",
            "X",
        ];
        assert_eq!(Setup::from_kept(&broken.join("\n"), "X"), None);
    }

    proptest! {
        #[test]
        fn an_axis_is_neutral_at_its_centre_full_at_its_ends_and_never_beyond(
            center in -0.5..0.5f64, low in 0.3..1.0f64, high in 0.3..1.0f64, raw in any::<f64>()
        ) {
            let axis = Axis { center, least: center - low, most: center + high };
            prop_assert!(axis.value(center).abs() < 1e-9);
            prop_assert!((axis.value(axis.most) - 1.0).abs() < 1e-9);
            prop_assert!((axis.value(axis.least) + 1.0).abs() < 1e-9);
            let value = axis.value(raw);
            prop_assert!((-1.0..=1.0).contains(&value));
        }

        #[test]
        fn a_press_has_a_beginning_and_an_end(
            looks in proptest::collection::vec((any::<bool>(), any::<bool>(), -1.0..1.0f64), 0..60)
        ) {
            let (mut gamepads, mut is_held) = (Gamepads::default(), false);
            let mut was_up = false;
            for (is_there, is_down, y) in looks {
                let buttons = if is_down { SHOULDER } else { 0 };
                let readings: Vec<_> = is_there.then(|| pad(buttons, &[0.0, y])).into_iter().collect();
                match gamepads.look(&readings, standard) {
                    Turn::Began(_) => {
                        prop_assert!(!is_held && was_up && is_down);
                        is_held = true;
                    }
                    Turn::Held(_) => prop_assert!(is_held && is_down),
                    Turn::Ended => { prop_assert!(is_held && !is_down); is_held = false; }
                    Turn::Lost => { prop_assert!(is_held && !is_there); is_held = false; }
                    Turn::Nothing | Turn::Back => prop_assert!(!is_held),
                }
                was_up = if is_there { !is_down } else { false };
            }
        }
    }
}
