//! The pilot: everything that decides whether the vehicle may move, as one sans-IO state machine.

pub mod event;
pub mod intent;
pub mod snapshot;

use crate::rosbridge::session::{SocketEvent, SocketId};
use crate::units::Moment;
use event::Event;
use intent::{Fact, Intent, Start};
use snapshot::Snapshot;

/// What the pilot is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// By the page.
    Intent(Intent),
    /// By the telemetry Worker.
    Fact(Fact),
    /// By one of its sockets.
    Socket(SocketId, SocketEvent),
    /// Time has passed: [`Pilot::next_wakeup`] was reached.
    Tick,
}

/// What the pilot wants done. Drained in order after every [`Pilot::handle`].
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Open a socket.
    Open {
        /// Its name.
        socket: SocketId,
        /// Where to.
        url: String,
    },
    /// Close a socket after what was sent on it.
    Close {
        /// Which.
        socket: SocketId,
    },
    /// Send a text frame.
    Send {
        /// On which socket.
        socket: SocketId,
        /// The frame.
        text: String,
    },
    /// Send a text frame on the telemetry socket, too (STOP goes both ways).
    SendViaTelemetry {
        /// The frame.
        text: String,
    },
    /// Show this.
    Snapshot(Box<Snapshot>),
    /// This happened.
    Event(Event),
}

/// The state machine.
#[derive(Debug)]
pub struct Pilot {}

impl Pilot {
    /// A pilot at the beginning of its clock.
    #[must_use]
    pub fn new(_start: Start, _now: Moment) -> Self {
        Self {}
    }

    /// Tells it something. Drain [`Self::poll`] afterwards.
    pub fn handle(&mut self, _input: Input, _now: Moment) {}

    /// The next thing to do.
    pub fn poll(&mut self) -> Option<Output> {
        None
    }

    /// When it wants [`Input::Tick`] at the latest.
    #[must_use]
    pub fn next_wakeup(&self) -> Moment {
        Moment::START
    }
}
