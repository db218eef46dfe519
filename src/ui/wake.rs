//! Keeps the screen on while the page is in front, where the browser can (https only).

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::wasm_bindgen::{JsCast, JsValue};

/// True when this browser can keep the screen on here.
pub(super) fn can_keep_awake() -> bool {
    wake_lock().is_some()
}

/// Asks the browser to keep the screen on. It lets go by itself when the page is hidden, so this
/// is asked again whenever the page comes back; a refusal (low battery) changes nothing else.
pub(super) fn keep_awake() {
    let asked = wake_lock().and_then(|lock| {
        let request = Reflect::get(&lock, &"request".into()).ok()?;
        let request: Function = request.dyn_into().ok()?;
        let promise = request.call1(&lock, &"screen".into()).ok()?;
        promise.dyn_into::<Promise>().ok()
    });
    if let Some(promise) = asked {
        spawn_local(async move {
            // Awaited only so that a refusal is not reported as an unhandled one.
            drop(JsFuture::from(promise).await);
        });
    }
}

/// Not through web-sys, which has it only behind an unstable build flag.
fn wake_lock() -> Option<JsValue> {
    let navigator = web_sys::window()?.navigator();
    Reflect::get(&navigator, &"wakeLock".into())
        .ok()
        .filter(JsValue::is_object)
}
