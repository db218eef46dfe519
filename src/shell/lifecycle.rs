//! What ends every press without a finger being lifted: the window's and the page's changes
//! (motion rule 9).

use web_sys::EventTarget;

use super::js::Listener;
use crate::pilot::snapshot::PressEnd;

/// Listens as long as it lives.
pub struct Lifecycle {
    _listeners: Vec<Listener>,
}

impl Lifecycle {
    /// Calls `ended` whenever the page loses the operator: blur, hidden, pagehide, freeze, resize,
    /// rotation. One cause may be told more than once, since browsers differ in what they send.
    /// `hidden` is called after that when the page was hidden: a browser may freeze it next, and
    /// its Workers with it, before they have read what they were told.
    #[must_use]
    pub fn listen(ended: impl Fn(PressEnd) + Clone + 'static, hidden: impl Fn() + 'static) -> Self {
        let mut listeners = Vec::new();
        let Some(window) = web_sys::window() else {
            return Self {
                _listeners: listeners,
            };
        };
        let mut on = |target: &EventTarget, kind: &'static str, end: PressEnd| {
            let ended = ended.clone();
            listeners.push(Listener::new(target, kind, move |_| ended(end)));
        };
        on(&window, "blur", PressEnd::Blur);
        on(&window, "pagehide", PressEnd::Hidden);
        on(&window, "resize", PressEnd::Rotated);
        on(&window, "orientationchange", PressEnd::Rotated);
        if let Some(document) = window.document() {
            on(&document, "freeze", PressEnd::Hidden);
            let ended = ended.clone();
            let watched = document.clone();
            listeners.push(Listener::new(&document, "visibilitychange", move |_| {
                if watched.hidden() {
                    ended(PressEnd::Hidden);
                    hidden();
                }
            }));
        }
        Self {
            _listeners: listeners,
        }
    }
}
