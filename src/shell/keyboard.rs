//! The keys of the whole window.

use web_sys::wasm_bindgen::JsCast;
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
