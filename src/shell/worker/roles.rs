//! Pilot and monitor as the driver sees them.

use super::super::js;
use super::super::protocol::{FromWorker, PeerMessage, encode};
use super::driver::{Effect, Machine};
use crate::monitor::{self, Monitor};
use crate::pilot::{self, Pilot};
use crate::rosbridge::session::{SocketEvent, SocketId};
use crate::units::Moment;

fn tell(message: &FromWorker) -> Effect {
    Effect::TellPage(js::message_of(&encode(message)))
}

impl Machine for Pilot {
    type Input = pilot::Input;

    fn handle(&mut self, input: Self::Input, now: Moment) {
        Self::handle(self, input, now);
    }

    fn poll(&mut self) -> Option<Effect> {
        Some(match Self::poll(self)? {
            pilot::Output::Socket(output) => Effect::Socket(output),
            pilot::Output::SendViaTelemetry { text } => {
                Effect::TellPeer(PeerMessage::Forward(text))
            }
            pilot::Output::Snapshot(snapshot) => tell(&FromWorker::Pilot(snapshot)),
            pilot::Output::Event(event) => tell(&FromWorker::Event(event)),
        })
    }

    fn next_wakeup(&self) -> Moment {
        Self::next_wakeup(self)
    }

    fn tick() -> Self::Input {
        pilot::Input::Tick
    }

    fn socket(socket: SocketId, event: SocketEvent) -> Self::Input {
        pilot::Input::Socket(socket, event)
    }

    fn peer(message: PeerMessage) -> Option<Self::Input> {
        match message {
            PeerMessage::Fact(fact) => Some(pilot::Input::Fact(fact)),
            PeerMessage::Forward(_) => None,
        }
    }

    fn new_peer() -> Option<Self::Input> {
        // A stop that the old telemetry Worker did not send went out on the control socket; one
        // repeated later would stop somebody else's drive.
        None
    }
}

impl Machine for Monitor {
    type Input = monitor::Input;

    fn handle(&mut self, input: Self::Input, now: Moment) {
        Self::handle(self, input, now);
    }

    fn poll(&mut self) -> Option<Effect> {
        Some(match Self::poll(self)? {
            monitor::Output::Socket(output) => Effect::Socket(output),
            monitor::Output::Fact(fact) => Effect::TellPeer(PeerMessage::Fact(fact)),
            monitor::Output::Snapshot(snapshot) => tell(&FromWorker::Monitor(snapshot)),
            monitor::Output::Event(event) => tell(&FromWorker::Event(event)),
        })
    }

    fn next_wakeup(&self) -> Moment {
        Self::next_wakeup(self)
    }

    fn tick() -> Self::Input {
        monitor::Input::Tick
    }

    fn socket(socket: SocketId, event: SocketEvent) -> Self::Input {
        monitor::Input::Socket(socket, event)
    }

    fn peer(message: PeerMessage) -> Option<Self::Input> {
        match message {
            PeerMessage::Forward(text) => Some(monitor::Input::Forward(text)),
            PeerMessage::Fact(_) => None,
        }
    }

    fn new_peer() -> Option<Self::Input> {
        Some(monitor::Input::NewPilot)
    }
}
