//! What the device does beside drawing: it keeps the screen on while the drive is armed (https
//! only), and shakes when something was stopped, where it can.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Function, Promise, Reflect};
use leptos::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::wasm_bindgen::{JsCast, JsValue};

use super::context::Console;
use crate::pilot::snapshot::DriveState;

/// How long it shakes, ms: to be felt through a glove.
const SHAKE_MS: f64 = 250.0;

/// True when this browser can keep the screen on here.
pub(super) fn can_keep_awake() -> bool {
    wake_lock().is_some()
}

/// Follows the console. The browser lets the screen go by itself when the page is hidden, so it is
/// asked again whenever the page comes back.
pub(super) fn follow(console: Console) {
    let lock = Rc::new(RefCell::new(None));
    let armed = move || console.drive.with(|drive| drive.state.is_armed());
    let is_armed = Memo::new(move |_| armed());
    let keep = {
        let lock = Rc::clone(&lock);
        move || {
            if armed() {
                keep_awake(Rc::clone(&lock), move || untrack(armed));
            } else if let Some(lock) = lock.take() {
                drop(call(&lock, "release", None));
            }
        }
    };
    let again = keep.clone();
    window_event_listener_untyped("focus", move |_| untrack(&again));
    let again = keep.clone();
    window_event_listener_untyped("visibilitychange", move |_| untrack(&again));
    Effect::new(move |_| {
        is_armed.track();
        untrack(&keep);
    });

    let is_stopped = Memo::new(move |_| {
        console.stop.with(Option::is_some)
            || console
                .drive
                .with(|drive| drive.state == DriveState::Blocked)
    });
    Effect::new(move |_| {
        if is_stopped.get() {
            shake();
        }
    });
}

/// A refusal (low battery) changes nothing else.
fn keep_awake(kept: Rc<RefCell<Option<JsValue>>>, is_wanted: impl Fn() -> bool + 'static) {
    let asked = wake_lock()
        .and_then(|lock| call(&lock, "request", Some("screen".into())))
        .and_then(|promise| promise.dyn_into::<Promise>().ok());
    if let Some(promise) = asked {
        spawn_local(async move {
            let Ok(lock) = JsFuture::from(promise).await else {
                return;
            };
            if is_wanted() {
                kept.replace(Some(lock));
            } else {
                drop(call(&lock, "release", None));
            }
        });
    }
}

fn shake() {
    let Some(navigator) = navigator() else {
        return;
    };
    // Before the first touch browsers refuse it, and say so in the console.
    let activation = Reflect::get(&navigator, &"userActivation".into());
    let was_touched = activation
        .and_then(|activation| Reflect::get(&activation, &"hasBeenActive".into()))
        .is_ok_and(|been| been.is_truthy());
    if was_touched {
        drop(call(&navigator, "vibrate", Some(SHAKE_MS.into())));
    }
}

/// Not through web-sys, which has it only behind an unstable build flag.
fn wake_lock() -> Option<JsValue> {
    Reflect::get(&navigator()?, &"wakeLock".into())
        .ok()
        .filter(JsValue::is_object)
}

fn navigator() -> Option<JsValue> {
    Some(web_sys::window()?.navigator().into())
}

/// Calls a method that not every browser has.
fn call(of: &JsValue, method: &str, argument: Option<JsValue>) -> Option<JsValue> {
    let function: Function = Reflect::get(of, &method.into()).ok()?.dyn_into().ok()?;
    function.call1(of, &argument.unwrap_or_default()).ok()
}
