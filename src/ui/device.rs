//! What the device does beside drawing: it keeps the screen on while the drive is armed (https
//! only), and shakes when something was stopped, where it can.

use std::cell::RefCell;

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::wasm_bindgen::{JsCast, JsValue};

/// How long it shakes, ms: to be felt through a glove.
const SHAKE_MS: f64 = 250.0;

thread_local! {
    /// Whether the screen is to be kept on, and what the browser gave for it.
    static AWAKE: RefCell<(bool, Option<JsValue>)> = const { RefCell::new((false, None)) };
}

/// Keeps the screen on, or lets it go.
pub(super) fn keep_awake(is_wanted: bool) {
    let lock = AWAKE.replace((is_wanted, None)).1;
    let_go(lock);
    if is_wanted {
        keep_awake_again();
    }
}

/// The browser lets the screen go by itself when the page is hidden: it is asked again when the
/// page comes back. A refusal (low battery) changes nothing else.
pub(super) fn keep_awake_again() {
    let asked = AWAKE
        .with_borrow(|awake| awake.0)
        .then(wake_lock)
        .flatten()
        .and_then(|lock| call(&lock, "request", "screen".into()))
        .and_then(|promise| promise.dyn_into::<Promise>().ok());
    if let Some(promise) = asked {
        spawn_local(async move {
            if let Ok(lock) = JsFuture::from(promise).await {
                let unused = AWAKE.with_borrow_mut(|awake| {
                    if awake.0 {
                        awake.1.replace(lock)
                    } else {
                        Some(lock)
                    }
                });
                let_go(unused);
            }
        });
    }
}

/// Shakes, where there is anything that can.
pub(super) fn shake() {
    let Some(navigator) = navigator() else {
        return;
    };
    // Before the first touch browsers refuse it, and say so in the console.
    let activation = Reflect::get(&navigator, &"userActivation".into());
    let was_touched = activation
        .and_then(|activation| Reflect::get(&activation, &"hasBeenActive".into()))
        .is_ok_and(|been| been.is_truthy());
    if was_touched {
        drop(call(&navigator, "vibrate", SHAKE_MS.into()));
    }
}

/// Sounds once a second until it is told not to; the page's loader has it.
pub(super) fn beep(is_on: bool) {
    let program = Reflect::get(&js_sys::global(), &"broomstickProgram".into());
    if let Ok(program) = program {
        drop(call(&program, "beep", is_on.into()));
    }
}

fn let_go(lock: Option<JsValue>) {
    if let Some(lock) = lock {
        drop(call(&lock, "release", JsValue::UNDEFINED));
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
fn call(of: &JsValue, method: &str, argument: JsValue) -> Option<JsValue> {
    let function: Function = Reflect::get(of, &method.into()).ok()?.dyn_into().ok()?;
    function.call1(of, &argument).ok()
}
