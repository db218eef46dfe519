//! Channels between Workers.

use web_sys::MessagePort;

use super::js::{self, Listener};

/// One end of a `MessageChannel`; dropping it closes the channel.
pub(super) struct Port {
    port: MessagePort,
    _listener: Listener,
}

impl Port {
    /// Takes the port over and hears what waited in it.
    pub(super) fn new(port: MessagePort, heard: impl Fn(Option<Vec<u8>>) + 'static) -> Self {
        let listener = Listener::messages(&port, move |event| heard(js::bytes_of(event)));
        port.start();
        Self {
            port,
            _listener: listener,
        }
    }

    /// Sends bytes.
    pub(super) fn post(&self, bytes: &[u8]) {
        if let Err(error) = self.port.post_message(&js::message_of(bytes)) {
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
