//! One Worker as the page sees it: started from the kept module, greeted, fed, watched.

use crate::units::decimal;
use std::rc::Rc;

use serde::Serialize;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, Event, MessagePort, Worker, WorkerOptions, WorkerType};

use super::js::{self, Listener};
use super::protocol::{PortUse, ToWorker, encode};
use super::watchdog::{Patience, Restarts, Verdict, Watchdog};

/// A program of Workers, compiled and kept, so that a restart needs no network.
#[derive(Clone)]
pub struct Program {
    pub(super) module: js_sys::WebAssembly::Module,
    pub(super) script: Rc<ObjectUrl>,
    pub(super) kind: WorkerType,
}

/// A `blob:` address; revoked when dropped.
pub(super) struct ObjectUrl(String);

impl ObjectUrl {
    pub(super) fn of_script(text: &str) -> Result<Self, JsValue> {
        let options = web_sys::BlobPropertyBag::new();
        options.set_type("text/javascript");
        let parts = js_sys::Array::of1(&JsValue::from_str(text));
        let blob = web_sys::Blob::new_with_str_sequence_and_options(&parts, &options)?;
        web_sys::Url::create_object_url_with_blob(&blob).map(Self)
    }

    /// Of a file.
    pub(super) fn of_file(bytes: &JsValue, mime: &str) -> Result<Self, JsValue> {
        let options = web_sys::BlobPropertyBag::new();
        options.set_type(mime);
        let parts = js_sys::Array::of1(bytes);
        let blob = web_sys::Blob::new_with_u8_array_sequence_and_options(&parts, &options)?;
        web_sys::Url::create_object_url_with_blob(&blob).map(Self)
    }

    pub(super) fn address(&self) -> &str {
        &self.0
    }
}

impl Drop for ObjectUrl {
    fn drop(&mut self) {
        if let Err(error) = web_sys::Url::revoke_object_url(&self.0) {
            js::warn(&format!("a blob was not given back: {}", js::said(&error)));
        }
    }
}

/// Which Worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    Control,
    Telemetry,
    Vehicle,
}

impl Which {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Control => "control",
            Self::Telemetry => "telemetry",
            Self::Vehicle => "vehicle",
        }
    }

    fn patience(self) -> Patience {
        match self {
            Self::Control => Patience::CONTROL,
            Self::Telemetry | Self::Vehicle => Patience::OTHERS,
        }
    }
}

/// What a Worker tells its seat.
pub(super) enum Heard {
    /// A message.
    Message(Vec<u8>),
    /// Something else than bytes and text.
    Other(JsValue),
    /// `error` or `messageerror`.
    Broke(String),
}

/// The place of one Worker; the Workers in it change.
pub(super) struct Seat {
    name: &'static str,
    patience: Patience,
    worker: Option<RunningWorker>,
    has_begun: bool,
    watchdog: Watchdog,
    restarts: Restarts,
    restart_at_ms: Option<f64>,
    ports: Vec<(PortUse, MessagePort)>,
}

impl Seat {
    /// An empty seat.
    pub(super) fn new(which: Which) -> Self {
        Self::named(which.name(), which.patience())
    }

    /// An empty seat for a Worker of that name.
    pub(super) fn named(name: &'static str, patience: Patience) -> Self {
        Self {
            name,
            patience,
            worker: None,
            has_begun: false,
            watchdog: Watchdog::new(patience, js::now_ms()),
            restarts: Restarts::default(),
            restart_at_ms: None,
            ports: Vec::new(),
        }
    }

    /// Starts a Worker in it, in place of any other; it ends when the seat is cleared.
    pub(super) fn start(
        &mut self,
        program: &Program,
        heard: impl Fn(Heard) + Clone + 'static,
    ) -> Result<Worker, String> {
        let now = js::now_ms();
        self.clear();
        self.watchdog = Watchdog::new(self.patience, now);
        self.restarts.started(now);
        let worker =
            RunningWorker::start(program, self.name, heard).map_err(|error| js::said(&error))?;
        Ok(self.worker.insert(worker).worker.clone())
    }

    /// Ends the Worker and any plan to start another.
    pub(super) fn clear(&mut self) {
        self.worker = None;
        self.has_begun = false;
        self.restart_at_ms = None;
        self.ports.clear();
    }

    /// Ends the Worker because it is dead, and plans the next.
    pub(super) fn bury(&mut self) {
        let now = js::now_ms();
        self.clear();
        self.restart_at_ms = Some(now + self.restarts.wait_after_death(now));
    }

    /// True once, when the next Worker is due.
    pub(super) fn is_restart_due(&mut self) -> bool {
        self.restart_at_ms
            .take_if(|at| *at <= js::now_ms())
            .is_some()
    }

    /// True when a Worker is in it, begun or not.
    pub(super) fn is_occupied(&self) -> bool {
        self.worker.is_some()
    }

    /// True when it runs and knows what it is.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// The Worker said hello: tells it what to be and hands it the ports that waited.
    pub(super) fn begin<T: Serialize>(&mut self, first: &T) {
        self.has_begun = true;
        self.post(first);
        for (port_use, port) in std::mem::take(&mut self.ports) {
            self.post_port(port_use, &port);
        }
    }

    /// Posts a message; a Worker that has not begun does not get it.
    pub(super) fn post<T: Serialize>(&self, message: &T) {
        if !self.has_begun {
            return;
        }
        if let Some(worker) = &self.worker {
            worker.post(&js::message_of(&encode(message)));
        }
    }

    /// Hands a port over, now or when the Worker has begun.
    pub(super) fn hand_over(&mut self, port_use: PortUse, port: MessagePort) {
        if self.has_begun {
            self.post_port(port_use, &port);
        } else {
            self.ports.retain(|(other, _)| *other != port_use);
            self.ports.push((port_use, port));
        }
    }

    /// A sign of life.
    pub(super) fn lives(&mut self) {
        self.watchdog.heard(js::now_ms());
    }

    /// Why the Worker counts as dead, if it does.
    pub(super) fn judge(&mut self) -> Option<String> {
        let verdict = self.watchdog.tick(js::now_ms());
        self.worker.as_ref()?;
        match verdict {
            Verdict::Fine => None,
            Verdict::NeverStarted { after_ms } => Some(format!(
                "it did not start within {} s",
                decimal(after_ms / 1000.0, 0)
            )),
            Verdict::Silent { for_ms } => {
                Some(format!("it was silent for {} ms", decimal(for_ms, 0)))
            }
        }
    }

    fn post_port(&self, port_use: PortUse, port: &MessagePort) {
        self.post_with(&ToWorker::Port(port_use), port);
    }

    /// Posts a message and a port with it.
    pub(super) fn post_with<T: Serialize>(&self, message: &T, port: &MessagePort) {
        if let Some(worker) = &self.worker {
            let message = js::message_of(&encode(message));
            let transfer = js_sys::Array::of1(port);
            if let Err(error) = worker
                .worker
                .post_message_with_transfer(&message, &transfer)
            {
                js::warn(&format!("a port was not handed over: {}", js::said(&error)));
            }
        }
    }
}

/// A running Worker; dropping it ends it.
struct RunningWorker {
    worker: Worker,
    _listeners: [Listener; 3],
}

impl RunningWorker {
    fn start(
        program: &Program,
        name: &str,
        heard: impl Fn(Heard) + Clone + 'static,
    ) -> Result<Self, JsValue> {
        let options = WorkerOptions::new();
        options.set_type(program.kind);
        // Told apart by it in the browser's own tools, and by tests.
        options.set_name(name);
        let worker = Worker::new_with_options(&program.script.0, &options)?;
        let on_message = heard.clone();
        let on_broken_message = heard.clone();
        let listeners = [
            Listener::messages(&worker, move |event| {
                // Text comes only from the bootstrap, when the program did not start.
                on_message(match (event.data().as_string(), js::bytes_of(event)) {
                    (Some(cause), _) => Heard::Broke(cause),
                    (None, Some(bytes)) => Heard::Message(bytes),
                    (None, None) => Heard::Other(event.data()),
                });
            }),
            Listener::new(&worker, "error", move |event| {
                heard(Heard::Broke(words_of_error(&event)));
            }),
            Listener::new(&worker, "messageerror", move |_| {
                on_broken_message(Heard::Broke("a message could not be decoded".into()));
            }),
        ];
        let running = Self {
            worker,
            _listeners: listeners,
        };
        running.post(&program.module);
        Ok(running)
    }

    fn post(&self, message: &JsValue) {
        if let Err(error) = self.worker.post_message(message) {
            js::warn(&format!("a message was not posted: {}", js::said(&error)));
        }
    }
}

impl Drop for RunningWorker {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

fn words_of_error(event: &Event) -> String {
    // A script that cannot be fetched or is refused fires a plain event without words.
    let message = event
        .dyn_ref::<ErrorEvent>()
        .map(ErrorEvent::message)
        .unwrap_or_default();
    if message.is_empty() {
        "the browser did not start it and gives no reason".into()
    } else {
        message
    }
}
