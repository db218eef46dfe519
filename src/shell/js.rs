//! Handles to what the browser keeps for us: timers and listeners that end when they are dropped,
//! and the clocks. Works in the page and in a Worker.

use wasm_bindgen::prelude::*;
use web_sys::{Event, EventTarget, MessageEvent, Performance, Window, WorkerGlobalScope};

/// Milliseconds of the context's monotonic clock.
pub(super) fn now_ms() -> f64 {
    PERFORMANCE.with(|performance| {
        performance
            .as_ref()
            .map_or_else(js_sys::Date::now, Performance::now)
    })
}

/// Unix milliseconds by the monotonic clock: one clock for the page and its Workers.
pub(super) fn epoch_ms() -> f64 {
    PERFORMANCE.with(|performance| {
        performance
            .as_ref()
            .map_or_else(js_sys::Date::now, |performance| {
                performance.time_origin() + performance.now()
            })
    })
}

thread_local! {
    static PERFORMANCE: Option<Performance> = match Context::here() {
        Some(Context::Page(window)) => window.performance(),
        Some(Context::Worker(worker)) => worker.performance(),
        None => None,
    };
}

/// The two places in which the program runs.
enum Context {
    Page(Window),
    Worker(WorkerGlobalScope),
}

impl Context {
    fn here() -> Option<Self> {
        match js_sys::global().dyn_into::<Window>() {
            Ok(window) => Some(Self::Page(window)),
            Err(global) => global.dyn_into().ok().map(Self::Worker),
        }
    }
}

/// What the browser said, in its own words.
pub(super) fn said(error: &JsValue) -> String {
    if let Some(error) = error.dyn_ref::<js_sys::Error>() {
        return format!("{}: {}", error.name(), error.message());
    }
    error.as_string().unwrap_or_else(|| format!("{error:?}"))
}

/// For failures that nobody can mend but somebody may look for.
pub(super) fn warn(text: &str) {
    web_sys::console::warn_1(&JsValue::from_str(text));
}

/// The bytes of a message; `None` when it is something else.
pub(super) fn bytes_of(event: &MessageEvent) -> Option<Vec<u8>> {
    let array: js_sys::Uint8Array = event.data().dyn_into().ok()?;
    Some(array.to_vec())
}

/// Bytes as `postMessage` takes them.
pub(super) fn message_of(bytes: &[u8]) -> JsValue {
    js_sys::Uint8Array::from(bytes).into()
}

/// An event listener; dropping it removes it.
pub(super) struct Listener {
    target: EventTarget,
    kind: &'static str,
    callback: Closure<dyn Fn(Event)>,
}

impl Listener {
    /// Listens. Should the browser refuse, nothing is ever heard, which the watchdog notices.
    pub(super) fn new(
        target: &EventTarget,
        kind: &'static str,
        heard: impl Fn(Event) + 'static,
    ) -> Self {
        let callback = Closure::<dyn Fn(Event)>::new(heard);
        if let Err(error) =
            target.add_event_listener_with_callback(kind, callback.as_ref().unchecked_ref())
        {
            warn(&format!("cannot listen to {kind}: {}", said(&error)));
        }
        Self {
            target: target.clone(),
            kind,
            callback,
        }
    }

    /// Listens to `message` events.
    pub(super) fn messages(target: &EventTarget, heard: impl Fn(&MessageEvent) + 'static) -> Self {
        Self::new(target, "message", move |event| {
            heard(event.unchecked_ref::<MessageEvent>());
        })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Err(error) = self
            .target
            .remove_event_listener_with_callback(self.kind, self.callback.as_ref().unchecked_ref())
        {
            warn(&format!(
                "cannot stop listening to {}: {}",
                self.kind,
                said(&error)
            ));
        }
    }
}

/// A timer that fires again and again until dropped.
pub(super) struct Interval {
    id: Option<i32>,
    _callback: Closure<dyn Fn()>,
}

impl Interval {
    /// Fires every so many milliseconds.
    pub(super) fn new(every_ms: i32, fire: impl Fn() + 'static) -> Self {
        let callback = Closure::<dyn Fn()>::new(fire);
        let function = callback.as_ref().unchecked_ref();
        let id =
            match Context::here() {
                Some(Context::Page(window)) => window
                    .set_interval_with_callback_and_timeout_and_arguments_0(function, every_ms),
                Some(Context::Worker(worker)) => worker
                    .set_interval_with_callback_and_timeout_and_arguments_0(function, every_ms),
                None => Err(JsValue::from_str("neither in a page nor in a Worker")),
            };
        if let Err(error) = &id {
            warn(&format!("no timer: {}", said(error)));
        }
        Self {
            id: id.ok(),
            _callback: callback,
        }
    }
}

impl Drop for Interval {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            match Context::here() {
                Some(Context::Page(window)) => window.clear_interval_with_handle(id),
                Some(Context::Worker(worker)) => worker.clear_interval_with_handle(id),
                None => {}
            }
        }
    }
}
