//! Looks at the gamepads, about 60 times a second while there is one and the page is in front,
//! else not at all.

use std::cell::RefCell;
use std::rc::Rc;

use web_sys::wasm_bindgen::JsCast;
use web_sys::{EventTarget, Gamepad, GamepadButton};

use super::input::Reading;
use super::js::{Interval, Listener};

const LOOK_EVERY_MS: i32 = 16;

/// Looks as long as it lives.
pub struct GamepadWatch {
    _listeners: Vec<Listener>,
}

impl GamepadWatch {
    /// Calls `look` with what there is: `None` when this browser offers no gamepads here.
    #[must_use]
    pub fn start(look: impl Fn(Option<Vec<Reading>>) + Clone + 'static) -> Self {
        let timer = Rc::new(RefCell::new(None));
        let changed = move || {
            let readings = read();
            let is_looked_at = readings.as_ref().is_some_and(|all| !all.is_empty()) && is_visible();
            look(readings);
            let look = look.clone();
            let every = || Interval::new(LOOK_EVERY_MS, move || look(read()));
            timer.replace(is_looked_at.then(every));
        };
        changed();
        let mut listeners = Vec::new();
        if let Some(window) = web_sys::window() {
            let mut on = |target: &EventTarget, kind| {
                let changed = changed.clone();
                listeners.push(Listener::new(target, kind, move |_| changed()));
            };
            on(&window, "gamepadconnected");
            on(&window, "gamepaddisconnected");
            if let Some(document) = window.document() {
                on(&document, "visibilitychange");
            }
        }
        Self {
            _listeners: listeners,
        }
    }
}

fn is_visible() -> bool {
    web_sys::window()
        .and_then(|window| window.document())
        .is_some_and(|document| !document.hidden())
}

fn read() -> Option<Vec<Reading>> {
    let all = web_sys::window()?.navigator().get_gamepads().ok()?;
    let there = all.iter().filter(|one| one.is_object());
    let readings = there.map(|one| {
        let one: Gamepad = one.unchecked_into();
        let is_pressed = |button: web_sys::wasm_bindgen::JsValue| {
            button.unchecked_ref::<GamepadButton>().pressed()
        };
        let down = one.buttons().into_iter().take(32).enumerate();
        Reading {
            index: one.index(),
            id: one.id(),
            axes: one
                .axes()
                .iter()
                .map(|at| at.as_f64().unwrap_or(f64::NAN))
                .collect(),
            buttons: down.fold(0, |bits, (i, button)| {
                bits | u32::from(is_pressed(button)) << i
            }),
        }
    });
    Some(readings.collect())
}
