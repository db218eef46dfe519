//! Connections of a console Worker to the vehicle simulated inside the page: the same events as
//! those of a WebSocket, over one `MessagePort` that all connections share.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use web_sys::MessagePort;

use super::few::Few;
use super::js;
use super::port::Port;
use super::protocol::{LoopMessage, decode, encode};
use crate::rosbridge::session::SocketEvent;

type Tell = Rc<dyn Fn(SocketEvent)>;

/// The way to the vehicle Worker.
#[derive(Clone, Default)]
pub(super) struct Loopback(Rc<RefCell<Lines>>);

#[derive(Default)]
struct Lines {
    port: Option<Port>,
    is_gone: bool,
    /// Numbers are never used again, so that a late frame cannot reach another connection.
    last_number: u32,
    lines: Few<u32, Tell>,
}

impl Loopback {
    /// The page handed a port over. Connections through an earlier one are closed, those that
    /// were waiting for the first one begin.
    pub(super) fn connect(&self, port: MessagePort) {
        let had_port = self.0.borrow().port.is_some();
        if had_port {
            self.close_all();
        }
        let weak = Rc::downgrade(&self.0);
        let port = Port::new(port, move |bytes| {
            if let Some(lines) = weak.upgrade() {
                Self(lines).heard(bytes.as_deref());
            }
        });
        let mut lines = self.0.borrow_mut();
        for number in lines.lines.keys() {
            port.post(&encode(&LoopMessage::Open(*number)));
        }
        lines.port = Some(port);
        lines.is_gone = false;
    }

    /// The vehicle Worker died: all connections close, new ones fail until it is back.
    pub(super) fn vehicle_is_gone(&self) {
        {
            let mut lines = self.0.borrow_mut();
            lines.port = None;
            lines.is_gone = true;
        }
        self.close_all();
    }

    /// Begins a connection; `None` while there is no vehicle to connect to.
    pub(super) fn open(&self, tell: impl Fn(SocketEvent) + 'static) -> Option<Line> {
        let mut lines = self.0.borrow_mut();
        if lines.is_gone {
            return None;
        }
        lines.last_number += 1;
        let number = lines.last_number;
        lines.lines.insert(number, Rc::new(tell));
        // Without a port yet, the connection begins when it comes.
        if let Some(port) = &lines.port {
            port.post(&encode(&LoopMessage::Open(number)));
        }
        Some(Line {
            number,
            lines: Rc::downgrade(&self.0),
        })
    }

    fn heard(&self, bytes: Option<&[u8]>) {
        let (number, event) = match decode::<LoopMessage>(bytes) {
            Ok(LoopMessage::Opened(number)) => (number, SocketEvent::Opened),
            Ok(LoopMessage::Text(number, text)) => (number, SocketEvent::Text(text)),
            Ok(LoopMessage::Closed(number)) => (number, SocketEvent::Closed),
            Ok(LoopMessage::Open(_) | LoopMessage::Close(_)) => return,
            Err(error) => return js::warn(&format!("from the simulated vehicle: {error}")),
        };
        // Not borrowed while telling: who hears it may send or close.
        let tell = if event == SocketEvent::Closed {
            self.0.borrow_mut().lines.remove(&number)
        } else {
            self.0.borrow().lines.get(&number).cloned()
        };
        if let Some(tell) = tell {
            tell(event);
        }
    }

    fn close_all(&self) {
        let lines = std::mem::take(&mut self.0.borrow_mut().lines);
        for tell in lines.into_values() {
            tell(SocketEvent::Closed);
        }
    }
}

/// One connection; dropping it closes it, and nothing more is told.
pub(super) struct Line {
    number: u32,
    lines: Weak<RefCell<Lines>>,
}

impl Line {
    /// Sends a frame.
    pub(super) fn send(&self, text: String) {
        self.post(&LoopMessage::Text(self.number, text));
    }

    fn post(&self, message: &LoopMessage) {
        if let Some(lines) = self.lines.upgrade()
            && let Some(port) = &lines.borrow().port
        {
            port.post(&encode(message));
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let Some(lines) = self.lines.upgrade() else {
            return;
        };
        let was_there = lines.borrow_mut().lines.remove(&self.number).is_some();
        if was_there {
            self.post(&LoopMessage::Close(self.number));
        }
    }
}
