//! Wakes a state machine in time.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::prelude::*;

use super::super::clock::Clock;
use super::super::js::{self, Interval};
use crate::units::Moment;

/// A timer that got lost delays a machine by this at most.
const FALLBACK_MS: i32 = 100;

/// A Worker's clock with one timer, set anew whenever the machine changes its mind, and a coarse
/// interval beside it, so that one lost timer cannot silence a machine for ever.
pub(super) struct Alarm {
    clock: RefCell<Clock>,
    wake: Closure<dyn Fn()>,
    armed: Cell<Option<(Moment, i32)>>,
    _fallback: Interval,
}

impl Alarm {
    /// `wake` is called when the set moment has come, and every now and then besides: it looks
    /// itself whether anything is due.
    pub(super) fn new(wake: impl Fn() + 'static) -> Self {
        let wake: Rc<dyn Fn()> = Rc::new(wake);
        let wake_anyway = Rc::clone(&wake);
        Self {
            clock: RefCell::new(Clock::new(js::now_ms(), js_sys::Date::now())),
            wake: Closure::<dyn Fn()>::new(move || wake()),
            armed: Cell::new(None),
            _fallback: Interval::new(FALLBACK_MS, move || wake_anyway()),
        }
    }

    /// Reads the clock.
    pub(super) fn now(&self) -> Moment {
        self.clock
            .borrow_mut()
            .read(js::now_ms(), js_sys::Date::now())
    }

    /// Wakes at this moment and at no other one set before.
    pub(super) fn set(&self, at: Moment) {
        let now = self.now();
        let armed = self.armed.get();
        if armed.is_some_and(|(armed, _)| armed == at && armed > now) {
            return;
        }
        self.disarm();
        let Some(scope) = super::scope() else {
            return;
        };
        // Rounded up, so that it is never early, and never zero: a machine that always wants to
        // be woken must not keep messages out. The cast saturates, far beyond any wait.
        let after_ms = at.since(now).as_secs_f64() * 1000.0;
        let after_ms = after_ms.ceil().max(1.0) as i32;
        match scope.set_timeout_with_callback_and_timeout_and_arguments_0(
            self.wake.as_ref().unchecked_ref(),
            after_ms,
        ) {
            Ok(id) => self.armed.set(Some((at, id))),
            Err(error) => js::warn(&format!("no timer: {}", js::said(&error))),
        }
    }

    fn disarm(&self) {
        if let (Some((_, id)), Some(scope)) = (self.armed.take(), super::scope()) {
            scope.clear_timeout_with_handle(id);
        }
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.disarm();
    }
}
