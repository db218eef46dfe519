//! The keys of the whole window.

use web_sys::wasm_bindgen::JsCast;
use web_sys::wasm_bindgen::prelude::Closure;
use web_sys::{Element, KeyboardEvent};

use super::input::{Focus, Key, Stroke};
use super::js::{self, Listener};

/// Listens as long as it lives.
pub struct Keyboard {
    _listeners: [Listener; 3],
}

impl Keyboard {
    /// Calls `heard` with every key and with the time, ms; a key that it takes (true) does nothing
    /// else in the page.
    #[must_use]
    pub fn listen(heard: impl Fn(Key, f64) -> bool + Clone + 'static) -> Option<Self> {
        let window = web_sys::window()?;
        let on = |kind: &'static str| {
            let heard = heard.clone();
            Listener::new(&window, kind, move |event| {
                let Some(key) = event.dyn_ref::<KeyboardEvent>() else {
                    heard(Key::Focus, js::now_ms());
                    return;
                };
                let code = key.code();
                let stroke = Stroke {
                    code: &code,
                    is_repeat: key.repeat(),
                    has_modifier: key.ctrl_key() || key.alt_key() || key.meta_key(),
                    focus: focus(key),
                };
                let told = if kind == "keydown" {
                    Key::Down(stroke)
                } else {
                    Key::Up(stroke)
                };
                if heard(told, js::now_ms()) {
                    key.prevent_default();
                }
            })
        };
        Some(Self {
            _listeners: [on("keydown"), on("keyup"), on("focus")],
        })
    }
}

/// Hears every key that goes down before the rest of the page does, for as long as the page is there.
pub struct FirstKeys {
    _callback: Closure<dyn Fn(KeyboardEvent)>,
}

impl FirstKeys {
    /// Calls `heard` with the place of every key; one that it takes (true) nobody else hears.
    #[must_use]
    pub fn listen(heard: impl Fn(&str) -> bool + 'static) -> Self {
        let callback = Closure::<dyn Fn(KeyboardEvent)>::new(move |key: KeyboardEvent| {
            if heard(&key.code()) {
                key.prevent_default();
                key.stop_immediate_propagation();
            }
        });
        let heard = callback.as_ref().unchecked_ref();
        let listens = web_sys::window()
            .map(|window| window.add_event_listener_with_callback_and_bool("keydown", heard, true));
        if let Some(Err(error)) = listens {
            js::warn(&js::said(&error));
        }
        Self {
            _callback: callback,
        }
    }
}

fn focus(key: &KeyboardEvent) -> Focus {
    let target = key.target().and_then(|it| it.dyn_into::<Element>().ok());
    let is = |selector| {
        let element = target.as_ref();
        element.is_some_and(|element| element.matches(selector).unwrap_or(false))
    };
    if is("[type=range]") {
        Focus::Slider
    } else if is("input,textarea,select,[contenteditable]") {
        Focus::Text
    } else {
        Focus::Elsewhere
    }
}
