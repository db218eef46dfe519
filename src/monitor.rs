//! The telemetry side, sans-IO: it subscribes to what the vehicle says, asks it for its types,
//! and tells the pilot what it saw. A 10 MB image being parsed here never delays a command,
//! because the pilot lives in another Worker with a socket of its own.

pub mod snapshot;

use serde::{Deserialize, Serialize};

use crate::pilot::event::Event;
use crate::pilot::intent::{Console, Fact};
use crate::profile::Profile;
use crate::rosbridge::session::{SocketEvent, SocketId};
use crate::units::Moment;
use snapshot::MonitorSnapshot;

/// Everything that a telemetry Worker needs to begin.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MonitorStart {
    /// The checked profile.
    pub profile: Profile,
    /// The rosbridge to connect to.
    pub url: String,
    /// This console.
    pub console: Console,
    /// Wall-clock milliseconds (Unix) at the moment zero.
    pub unix_ms_at_start: f64,
}

/// What the monitor is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// By one of its sockets.
    Socket(SocketId, SocketEvent),
    /// The pilot wants this frame sent here as well.
    Forward(String),
    /// Connect (again, now).
    Connect,
    /// Close and stay closed.
    Disconnect,
    /// Time has passed.
    Tick,
}

/// What the monitor wants done.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Open a socket.
    Open {
        /// Its name.
        socket: SocketId,
        /// Where to.
        url: String,
    },
    /// Close a socket.
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
    /// Tell the pilot.
    Fact(Fact),
    /// Show this.
    Snapshot(Box<MonitorSnapshot>),
    /// This happened.
    Event(Event),
}

/// The state machine.
#[derive(Debug)]
pub struct Monitor {}

impl Monitor {
    /// A monitor at the beginning of its clock.
    #[must_use]
    pub fn new(_start: MonitorStart, _now: Moment) -> Self {
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
