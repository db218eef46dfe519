//! The keyboard as a stick: which key means which way, which keys are believed to be down.
//!
//! Keys are told apart by their place (`KeyboardEvent.code`), so that they lie under the same
//! fingers whatever the layout of the language. Of a multirotor the arrows are the right pad, which flies
//! there, and the other keys the left one, which climbs and turns.

use crate::drive::stick::Deflection;
use crate::shell::input::{Focus, Stroke};

/// The key that is STOP.
pub const STOP_KEY: &str = "Space";

/// A window that got its focus back is told first of the repeats of a key that is still held down
/// from before, within this time, ms; some systems do not mark them as repeats.
const REPEATS_WITHIN_MS: f64 = 250.0;

/// A way to push the stick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Up on the pad.
    Forward,
    /// Down.
    Back,
    /// Left.
    Left,
    /// Right.
    Right,
}

impl Way {
    /// All, in the order of the settings.
    pub const ALL: [Self; 4] = [Self::Forward, Self::Back, Self::Left, Self::Right];

    /// `forward`, `back`, `left` or `right`.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Back => "back",
            Self::Left => "left",
            Self::Right => "right",
        }
    }

    /// Its arrow, which always means it, too.
    #[must_use]
    pub fn arrow(self) -> (&'static str, &'static str) {
        match self {
            Self::Forward => ("ArrowUp", "↑"),
            Self::Back => ("ArrowDown", "↓"),
            Self::Left => ("ArrowLeft", "←"),
            Self::Right => ("ArrowRight", "→"),
        }
    }
}

/// Which key means which way, beside the arrows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyMap([String; 4]);

impl Default for KeyMap {
    fn default() -> Self {
        Self(["KeyW", "KeyS", "KeyA", "KeyD"].map(str::to_owned))
    }
}

impl KeyMap {
    /// What was kept; the default when it is none of ours.
    #[must_use]
    pub fn from_kept(kept: &str) -> Self {
        let mut map = Self::default();
        for (way, code) in Way::ALL.into_iter().zip(kept.split(' ')) {
            map.change(way, code);
        }
        map
    }

    /// For keeping.
    #[must_use]
    pub fn kept(&self) -> String {
        self.0.join(" ")
    }

    /// The number of a key that means a way: 0–3 as in [`Way::ALL`], the arrows after them.
    fn index_of(&self, code: &str) -> Option<usize> {
        let own = self.0.iter().position(|own| own == code);
        own.or_else(|| {
            let arrow = |way: &Way| way.arrow().0 == code;
            Some(4 + Way::ALL.iter().position(arrow)?)
        })
    }

    /// Another key for a way; false when this key cannot be one. A key that meant another way
    /// changes places with the old one.
    pub fn change(&mut self, way: Way, code: &str) -> bool {
        let can_be = code.len() > 1
            && code != STOP_KEY
            && ["Key", "Digit", "Numpad", "Page", "Home", "End"]
                .iter()
                .any(|kind| code.starts_with(kind));
        if !can_be {
            return false;
        }
        let old = std::mem::replace(&mut self.0[way as usize], code.to_owned());
        for other in Way::ALL {
            if other != way && self.0[other as usize] == code {
                self.0[other as usize].clone_from(&old);
            }
        }
        true
    }

    /// The key of a way beside its arrow, as it is written on it: `W`.
    #[must_use]
    pub fn shown(&self, way: Way) -> &str {
        let code = self.0[way as usize].as_str();
        let code = code.strip_prefix("Key").unwrap_or(code);
        code.strip_prefix("Digit").unwrap_or(code)
    }
}

/// What a key going down asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Nothing of ours.
    Nothing,
    /// STOP.
    Stop,
    /// A direction key, by its number; only while the drive is armed.
    Way(usize),
}

impl Stroke<'_> {
    /// What it asks for. STOP listens wherever the key is not a blank in a text, and whatever
    /// else is held.
    #[must_use]
    pub fn asks(&self, keys: &KeyMap) -> Asked {
        if self.focus == Focus::Text {
            return Asked::Nothing;
        }
        if self.code == STOP_KEY {
            return Asked::Stop;
        }
        if self.has_modifier || self.focus == Focus::Slider {
            return Asked::Nothing;
        }
        keys.index_of(self.code).map_or(Asked::Nothing, Asked::Way)
    }
}

/// What became of the press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Nothing.
    Same,
    /// The first key went down.
    Began,
    /// It goes on with another deflection.
    Changed,
    /// The last key was let go.
    Ended,
}

/// The direction keys that are believed to be down, as bits by number.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HeldWays {
    down: u8,
    /// Were down when the focus went, and may be still.
    doubtful: u8,
    focused_at_ms: f64,
}

impl HeldWays {
    /// A key goes down. A repeat is no beginning: only a key that was seen going down counts.
    pub fn down(&mut self, key: usize, is_repeat: bool, now_ms: f64) -> Turn {
        let bit = 1 << key;
        let may_repeat =
            self.doubtful & bit != 0 && now_ms - self.focused_at_ms < REPEATS_WITHIN_MS;
        if is_repeat || may_repeat || self.down & bit != 0 {
            return Turn::Same;
        }
        self.doubtful &= !bit;
        self.turned(self.down | bit)
    }

    /// A key goes up.
    pub fn up(&mut self, code: &str, keys: &KeyMap) -> Turn {
        let bit = keys.index_of(code).map_or(0, |key| 1 << key);
        self.doubtful &= !bit;
        self.turned(self.down & !bit)
    }

    /// The ends of keys may not be told any more (the focus is gone, or a command key is down,
    /// which takes them away on some systems): all count as let go. True when any was down.
    pub fn lose(&mut self) -> bool {
        self.doubtful |= self.down;
        std::mem::take(&mut self.down) != 0
    }

    /// The focus is back.
    pub fn focus(&mut self, now_ms: f64) {
        self.focused_at_ms = now_ms;
    }

    /// Where the keys push, as [`StickInput::deflections`](crate::drive::stick::StickInput::deflections);
    /// opposite ones cancel.
    #[must_use]
    pub fn deflections(&self, flies: bool) -> [Deflection; 2] {
        let (letters, arrows) = (self.down & 15, self.down >> 4);
        if flies {
            [pushed_by(arrows), pushed_by(letters)]
        } else {
            [pushed_by(letters | arrows), Deflection::default()]
        }
    }

    fn turned(&mut self, down: u8) -> Turn {
        let was = std::mem::replace(&mut self.down, down);
        match (was, down) {
            _ if was == down => Turn::Same,
            (0, _) => Turn::Began,
            (_, 0) => Turn::Ended,
            _ => Turn::Changed,
        }
    }
}

/// Of keys by their ways, as bits.
fn pushed_by(ways: u8) -> Deflection {
    let pushes = |way: Way| f64::from((ways >> way as u8) & 1);
    Deflection {
        forward: pushes(Way::Forward) - pushes(Way::Back),
        left: pushes(Way::Left) - pushes(Way::Right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stroke(code: &str) -> Stroke<'_> {
        Stroke {
            code,
            ..Stroke::default()
        }
    }

    fn pushed(held: &HeldWays) -> (i8, i8) {
        let [Deflection { forward, left }, other] = held.deflections(false);
        assert_eq!(other, Deflection::default());
        (forward as i8, left as i8)
    }

    #[test]
    fn of_a_multirotor_the_arrows_fly_there_and_the_letters_climb_and_turn() {
        let mut held = HeldWays::default();
        assert_eq!(held.down(0, false, 0.0), Turn::Began);
        held.down(7, false, 0.0);
        let way = |forward, left| Deflection { forward, left };
        assert_eq!(held.deflections(true), [way(0.0, -1.0), way(1.0, 0.0)]);
        assert_eq!(held.up("ArrowRight", &KeyMap::default()), Turn::Changed);
        held.down(2, false, 0.0);
        assert_eq!(held.deflections(true), [way(0.0, 0.0), way(1.0, 1.0)]);
        assert!(held.lose());
        assert_eq!(held.deflections(true), [Deflection::default(); 2]);
    }

    #[test]
    fn letters_and_arrows_mean_the_same_ways() {
        let keys = KeyMap::default();
        for (letter, arrow, way) in [
            ("KeyW", "ArrowUp", (1, 0)),
            ("KeyS", "ArrowDown", (-1, 0)),
            ("KeyA", "ArrowLeft", (0, 1)),
            ("KeyD", "ArrowRight", (0, -1)),
        ] {
            for code in [letter, arrow] {
                let Asked::Way(key) = stroke(code).asks(&keys) else {
                    panic!("{code} means nothing");
                };
                let mut held = HeldWays::default();
                assert_eq!(held.down(key, false, 0.0), Turn::Began);
                assert_eq!(pushed(&held), way, "{code}");
                assert_eq!(held.up(code, &keys), Turn::Ended);
                assert_eq!(pushed(&held), (0, 0));
            }
        }
    }

    #[test]
    fn stop_is_a_blank_in_a_text_field_alone() {
        let keys = KeyMap::default();
        let blank = stroke("Space");
        for focus in [Focus::Elsewhere, Focus::Slider] {
            for has_modifier in [false, true] {
                let held = Stroke {
                    focus,
                    has_modifier,
                    ..blank
                };
                assert_eq!(held.asks(&keys), Asked::Stop, "{held:?}");
            }
        }
        let typed = Stroke {
            focus: Focus::Text,
            ..blank
        };
        assert_eq!(typed.asks(&keys), Asked::Nothing);
    }

    #[test]
    fn commands_for_the_browser_and_keys_of_a_field_do_not_drive() {
        let keys = KeyMap::default();
        let command = Stroke {
            has_modifier: true,
            ..stroke("KeyW")
        };
        assert_eq!(command.asks(&keys), Asked::Nothing);
        for focus in [Focus::Text, Focus::Slider] {
            let typed = Stroke {
                focus,
                ..stroke("ArrowUp")
            };
            assert_eq!(typed.asks(&keys), Asked::Nothing);
        }
        assert_eq!(stroke("Enter").asks(&keys), Asked::Nothing);
    }

    #[test]
    fn a_press_lasts_from_the_first_key_to_the_last() {
        let keys = KeyMap::default();
        let mut held = HeldWays::default();
        assert_eq!(held.down(0, false, 0.0), Turn::Began);
        assert_eq!(held.down(2, false, 0.0), Turn::Changed);
        assert_eq!(pushed(&held), (1, 1));
        assert_eq!(held.up("KeyW", &keys), Turn::Changed);
        assert_eq!(held.up("KeyA", &keys), Turn::Ended);
        assert_eq!(held.up("KeyA", &keys), Turn::Same);
    }

    #[test]
    fn opposite_keys_cancel_and_the_press_goes_on() {
        let mut held = HeldWays::default();
        held.down(0, false, 0.0);
        assert_eq!(held.down(1, false, 0.0), Turn::Changed);
        assert_eq!(pushed(&held), (0, 0));
    }

    #[test]
    fn two_keys_of_one_way_push_no_farther_and_each_keeps_it() {
        let keys = KeyMap::default();
        let mut held = HeldWays::default();
        held.down(0, false, 0.0);
        held.down(4, false, 0.0);
        assert_eq!(pushed(&held), (1, 0));
        assert_eq!(held.up("KeyW", &keys), Turn::Changed);
        assert_eq!(pushed(&held), (1, 0));
    }

    #[test]
    fn a_repeat_never_begins_a_press() {
        let mut held = HeldWays::default();
        assert_eq!(held.down(0, true, 0.0), Turn::Same);
        assert_eq!(pushed(&held), (0, 0));
    }

    #[test]
    fn a_key_up_that_was_lost_with_the_focus_does_not_matter() {
        let mut held = HeldWays::default();
        held.down(0, false, 0.0);
        assert!(held.lose());
        assert_eq!(pushed(&held), (0, 0));
        held.focus(5000.0);
        assert_eq!(held.down(0, true, 5040.0), Turn::Same, "still held");
        assert_eq!(held.down(0, false, 9000.0), Turn::Began, "pressed anew");
    }

    #[test]
    fn a_repeat_that_is_not_marked_as_one_is_known_by_coming_right_after_the_focus() {
        let keys = KeyMap::default();
        let mut held = HeldWays::default();
        held.down(0, false, 0.0);
        held.lose();
        held.focus(5000.0);
        assert_eq!(held.down(0, false, 5040.0), Turn::Same);
        // Another key was not held: it is pressed now.
        assert_eq!(held.down(2, false, 5060.0), Turn::Began);
        held.up("KeyW", &keys);
        assert_eq!(held.down(0, false, 5080.0), Turn::Changed, "seen going up");
    }

    #[test]
    fn a_changed_key_changes_places_and_stop_stays_stop() {
        let mut keys = KeyMap::default();
        assert!(keys.change(Way::Forward, "KeyI"));
        assert_eq!(stroke("KeyI").asks(&keys), Asked::Way(0));
        assert_eq!(stroke("KeyW").asks(&keys), Asked::Nothing);
        assert!(keys.change(Way::Back, "KeyA"));
        assert_eq!(keys.kept(), "KeyI KeyA KeyS KeyD");
        for no in [
            "Space",
            "Tab",
            "Escape",
            "Enter",
            "ArrowUp",
            "ShiftLeft",
            "F5",
            "",
        ] {
            assert!(!keys.change(Way::Left, no), "{no}");
        }
        assert_eq!(KeyMap::from_kept(&keys.kept()), keys);
        assert_eq!(keys.shown(Way::Forward), "I");
        assert_eq!(KeyMap::default().shown(Way::Left), "A");
    }

    #[test]
    fn what_was_kept_and_is_no_key_is_not_taken() {
        let keys = KeyMap::from_kept("Space KeyK");
        assert_eq!(keys.kept(), "KeyW KeyK KeyA KeyD");
        assert_eq!(KeyMap::from_kept(""), KeyMap::default());
    }

    #[derive(Debug, Clone)]
    enum Done {
        Down(usize, bool),
        Up(usize),
        Lose,
        Focus,
    }

    fn done() -> impl Strategy<Value = Done> {
        prop_oneof![
            (0..8usize, any::<bool>()).prop_map(|(key, repeat)| Done::Down(key, repeat)),
            (0..8usize).prop_map(Done::Up),
            Just(Done::Lose),
            Just(Done::Focus),
        ]
    }

    proptest! {
        #[test]
        fn nothing_is_pushed_without_a_key_that_was_seen_going_down(
            history in proptest::collection::vec((done(), 0.0..400.0f64), 0..40)
        ) {
            let keys = KeyMap::default();
            let codes = ["KeyW", "KeyS", "KeyA", "KeyD", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
            let (mut held, mut seen, mut now, mut is_pressed) = (HeldWays::default(), [false; 8], 0.0, false);
            for (done, after) in history {
                now += after;
                let turn = match done {
                    Done::Down(key, repeat) => {
                        seen[key] |= !repeat;
                        held.down(key, repeat, now)
                    }
                    Done::Up(key) => {
                        seen[key] = false;
                        held.up(codes[key], &keys)
                    }
                    Done::Lose => {
                        seen = [false; 8];
                        if held.lose() { Turn::Ended } else { Turn::Same }
                    }
                    Done::Focus => {
                        held.focus(now);
                        Turn::Same
                    }
                };
                match turn {
                    Turn::Began => { prop_assert!(!is_pressed); is_pressed = true; }
                    Turn::Ended => { prop_assert!(is_pressed); is_pressed = false; }
                    Turn::Changed => prop_assert!(is_pressed),
                    Turn::Same => {}
                }
                let (forward, left) = pushed(&held);
                prop_assert!(forward < 1 || seen[0] || seen[4]);
                prop_assert!(forward > -1 || seen[1] || seen[5]);
                prop_assert!(left < 1 || seen[2] || seen[6]);
                prop_assert!(left > -1 || seen[3] || seen[7]);
                prop_assert!(is_pressed || (forward, left) == (0, 0));
            }
        }
    }
}
