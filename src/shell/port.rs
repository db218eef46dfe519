//! Channels between Workers.

use wasm_bindgen::prelude::*;
use web_sys::MessagePort;

use super::js::{self, Listener};

/// One end of a `MessageChannel`; dropping it closes the channel.
pub(super) struct Port {
    port: MessagePort,
    _listener: Listener,
}

impl Port {
    /// Takes the port over and hears what waited in it.
    pub(super) fn new(port: MessagePort, heard: impl Fn(Option<String>) + 'static) -> Self {
        let listener = Listener::messages(&port, move |event| heard(js::text_of(event)));
        port.start();
        Self {
            port,
            _listener: listener,
        }
    }

    /// Sends text.
    pub(super) fn post(&self, text: &str) {
        if let Err(error) = self.port.post_message(&JsValue::from_str(text)) {
            js::warn(&format!(
                "a message to another Worker was not taken: {}",
                js::said(&error)
            ));
        }
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        self.port.close();
    }
}
