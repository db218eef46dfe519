//! Keyboard and gamepads hold the stick as a finger does.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;

use super::context::{Console, Source};
use crate::drive::stick::{Deflection, StickInput};
use crate::pilot::snapshot::PressEnd;
use crate::screen::gamepad::{self, Gamepads};
use crate::screen::keys::{self, Asked, HeldWays};
use crate::shell::gamepad::GamepadWatch;
use crate::shell::input::{Key, Reading, Stroke};
use crate::shell::keyboard::Keyboard;

/// What is held beside the pads.
pub(super) struct Inputs {
    console: Console,
    ways: RefCell<HeldWays>,
    gamepads: RefCell<Gamepads>,
    keys_press: RefCell<Option<Pressed>>,
    gamepad_press: RefCell<Option<Pressed>>,
}

/// The stick, and a multirotor's other one.
type Pushed = [Deflection; 2];

/// A press under way.
#[derive(Clone, Copy)]
struct Pressed {
    number: u32,
    start_radius: f64,
}

/// Listens for as long as the page is there.
pub(super) fn listen(console: Console) -> Rc<Inputs> {
    let inputs = Rc::new(Inputs {
        console,
        ways: RefCell::default(),
        gamepads: RefCell::default(),
        keys_press: RefCell::default(),
        gamepad_press: RefCell::default(),
    });
    let typing = Rc::clone(&inputs);
    let keyboard = Keyboard::listen(move |key, now_ms| typing.heard(key, now_ms));
    let looking = Rc::clone(&inputs);
    let watch = GamepadWatch::start(move |readings| looking.look(readings));
    StoredValue::new_local((keyboard, watch));
    inputs
}

impl Inputs {
    /// Every press ends. With the focus go the ends of keys: all count as let go, and the next
    /// press waits for the focus.
    pub(super) fn ended(&self, end: PressEnd) {
        self.console.release(end);
        if matches!(end, PressEnd::Blur | PressEnd::Hidden) && self.ways.borrow_mut().lose() {
            self.keys_press.take();
            self.console.leave(Source::Keys);
        }
        if end == PressEnd::Hidden {
            self.console.neutral();
        }
    }

    /// True when the key is ours alone.
    fn heard(&self, key: Key, now_ms: f64) -> bool {
        match key {
            Key::Focus => {
                self.ways.borrow_mut().focus(now_ms);
                self.console.neutral();
                false
            }
            Key::Up(stroke) => {
                let up = |keys: &_| self.ways.borrow_mut().up(stroke.code, keys);
                self.keys_turned(self.console.with_keys(up));
                // Some browsers press a focused button only now.
                self.console.with_keys(|keys| stroke.asks(keys)) == Asked::Stop
            }
            Key::Down(stroke) => self.typed(stroke, now_ms),
        }
    }

    fn typed(&self, stroke: Stroke, now_ms: f64) -> bool {
        let console = self.console;
        if stroke.code == "Escape" && console.settings_open.get_untracked() {
            console.settings_open.set(false);
            return true;
        }
        if stroke.has_modifier && self.ways.borrow_mut().lose() {
            self.keys_turned(keys::Turn::Ended);
        }
        let asked = console.with_keys(|keys| stroke.asks(keys));
        if asked == Asked::Stop {
            if !stroke.is_repeat {
                console.stop();
            }
            return true;
        }
        let Asked::Way(key) = asked else {
            return false;
        };
        if !console.drive.with_untracked(|drive| drive.state.is_armed()) {
            return false;
        }
        let turn = self.ways.borrow_mut().down(key, stroke.is_repeat, now_ms);
        self.keys_turned(turn);
        true
    }

    fn keys_turned(&self, turn: keys::Turn) {
        let flies = untrack(|| self.console.flies());
        let at = self.ways.borrow().deflections(flies);
        match turn {
            keys::Turn::Same => {}
            keys::Turn::Began => self.begin(Source::Keys, [Deflection::default(); 2], at),
            keys::Turn::Changed => self.push(Source::Keys, at),
            keys::Turn::Ended => self.end(Source::Keys),
        }
    }

    fn look(&self, readings: Option<Vec<Reading>>) {
        let console = self.console;
        let Some(readings) = readings else {
            return;
        };
        if console.is_calibrating() {
            if self.gamepads.borrow_mut().let_go() {
                self.end(Source::Gamepad);
            }
            return;
        }
        let setup_of = |reading: &Reading| console.gamepad_setup(&reading.id);
        match self.gamepads.borrow_mut().look(&readings, setup_of) {
            gamepad::Turn::Nothing => {}
            gamepad::Turn::Began(at) => self.begin(Source::Gamepad, at, at),
            gamepad::Turn::Held(at) => self.push(Source::Gamepad, at),
            gamepad::Turn::Ended => self.end(Source::Gamepad),
            gamepad::Turn::Lost => {
                self.gamepad_press.take();
                console.lose(Source::Gamepad, PressEnd::DeviceLost);
            }
            gamepad::Turn::Back => console.neutral(),
        }
    }

    fn press_of(&self, source: Source) -> &RefCell<Option<Pressed>> {
        if source == Source::Keys {
            &self.keys_press
        } else {
            &self.gamepad_press
        }
    }

    fn begin(&self, source: Source, start: Pushed, at: Pushed) {
        let [there, other] = start.map(|at| at.forward.hypot(at.left));
        let pressed = self.console.begin_press(source).map(|number| Pressed {
            number,
            start_radius: there.max(other),
        });
        self.press_of(source).replace(pressed);
        self.push(source, at);
    }

    fn push(&self, source: Source, at: Pushed) {
        let Some(pressed) = *self.press_of(source).borrow() else {
            return;
        };
        let [there, other] = at.map(|at| Deflection::sanitized(at.forward, at.left));
        self.console.push(StickInput {
            press: pressed.number,
            start_radius: pressed.start_radius,
            forward: there.forward,
            left: there.left,
            up: other.forward,
            turn: other.left,
        });
    }

    fn end(&self, source: Source) {
        self.press_of(source).take();
        self.console.let_go(source);
    }
}
