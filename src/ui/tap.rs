//! Taps under a second finger.
//!
//! Browsers make a click of a tap only while no other finger is on the screen: with a thumb on
//! the pad, no button would answer the other hand. Such a tap is told here by its pointer events,
//! and the click is made up.

use std::cell::RefCell;

use leptos::ev::{MouseEvent, PointerEvent};
use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, EventTarget, MouseEventInit};

/// A browser that does make a click makes it within this time, ms.
const CLICK_WITHIN_MS: f64 = 700.0;

/// Follows the fingers of the whole page.
#[derive(Default)]
pub(super) struct Taps {
    fingers: RefCell<Vec<Finger>>,
    made_up: RefCell<Option<(Element, f64)>>,
}

struct Finger {
    pointer: i32,
    /// What it came down on.
    button: Option<Element>,
    /// No other finger was down at any time while it was.
    was_alone: bool,
}

impl Taps {
    /// A finger comes down anywhere.
    pub(super) fn down(&self, event: &PointerEvent) {
        if !is_finger(event) {
            return;
        }
        // A browser's own click of an earlier tap comes before the next finger does: from now on a click
        // is that finger's.
        self.made_up.take();
        let mut fingers = self.fingers.borrow_mut();
        if event.is_primary() {
            // The first finger of all: the end of an earlier one was never told.
            fingers.clear();
        }
        fingers
            .iter_mut()
            .for_each(|finger| finger.was_alone = false);
        let was_alone = fingers.is_empty();
        fingers.push(Finger {
            pointer: event.pointer_id(),
            button: event.target().and_then(button_at),
            was_alone,
        });
    }

    /// A finger is lifted: a click, when it is one that the browser will not make.
    pub(super) fn up(&self, event: &PointerEvent) {
        let Some(finger) = self.take(event) else {
            return;
        };
        let Some(button) = finger.button.filter(|_| !finger.was_alone) else {
            return;
        };
        let (x, y) = (event.client_x() as f32, event.client_y() as f32);
        let is_still_on_it = web_sys::window()
            .and_then(|window| window.document())
            .and_then(|document| document.element_from_point(x, y))
            .is_some_and(|under| button.contains(Some(&under)));
        if !is_still_on_it {
            return;
        }
        let init = MouseEventInit::new();
        init.set_bubbles(true);
        init.set_cancelable(true);
        // As a tap has it; 0 would be a keyboard's click, which also presses STOP.
        init.set_detail(1);
        init.set_client_x(event.client_x());
        init.set_client_y(event.client_y());
        if let Ok(click) = MouseEvent::new_with_mouse_event_init_dict("click", &init) {
            *self.made_up.borrow_mut() = Some((button.clone(), event.time_stamp()));
            // It fails only for an event that is already on its way.
            button.dispatch_event(&click).ok();
        }
    }

    /// A finger was taken away.
    pub(super) fn cancelled(&self, event: &PointerEvent) {
        drop(self.take(event));
    }

    /// A click comes: a browser's own, right after the one that was made up, must not count twice.
    pub(super) fn clicked(&self, event: &MouseEvent) {
        if !event.is_trusted() {
            return;
        }
        let made_up = self.made_up.take();
        let is_second = made_up.is_some_and(|(button, at)| {
            event.time_stamp() - at < CLICK_WITHIN_MS
                && event.target().and_then(button_at).as_ref() == Some(&button)
        });
        if is_second {
            event.prevent_default();
            event.stop_immediate_propagation();
        }
    }

    fn take(&self, event: &PointerEvent) -> Option<Finger> {
        let mut fingers = self.fingers.borrow_mut();
        let index = fingers
            .iter()
            .position(|finger| finger.pointer == event.pointer_id())?;
        Some(fingers.remove(index))
    }
}

fn is_finger(event: &PointerEvent) -> bool {
    event.pointer_type() == "touch"
}

fn button_at(target: EventTarget) -> Option<Element> {
    let element = target.dyn_into::<Element>().ok()?;
    element.closest("button:enabled").ok().flatten()
}
