//! What the page and its Workers say to each other: bytes through `postMessage`.
//!
//! A Worker speaks first ([`FromWorker::Hello`]), because what is posted to it before its program
//! runs could be lost. The page answers with [`ToWorker::Begin`], which says what the Worker is
//! to be; everything else comes after that. Bytes rather than structured objects keep both sides to
//! one decoder, which is tested on the host; postcard's, because both programs carry both sides and
//! JSON's field names would double their size. The two are always of one build ([`build`]).

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::monitor::MonitorStart;
use crate::monitor::snapshot::MonitorSnapshot;
use crate::pilot::event::Event;
use crate::pilot::intent::{Fact, Intent, Lease, Start};
use crate::pilot::snapshot::Snapshot;
use crate::profile::Profile;

/// The address that stands for the vehicle simulated inside the page.
pub const DEMO_URL: &str = "demo:";

/// What the running program was built from. Page and Worker are two files that a cache can bring
/// together from two releases; they work together only when this is the same.
#[must_use]
pub fn build() -> &'static str {
    option_env!("BROOMSTICK_BUILD").unwrap_or(env!("CARGO_PKG_VERSION"))
}

/// Page → Worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToWorker {
    /// The first message: what the Worker is to be.
    Begin(Role),
    /// For the control Worker; leases go as [`Self::Lease`].
    Intent(Intent),
    /// For the control Worker: a lease and when it was posted.
    Lease {
        /// Unix milliseconds by the page's `performance.timeOrigin + performance.now()`.
        posted_ms: f64,
        /// The lease; its `transit_ms` is filled in on arrival.
        lease: Lease,
    },
    /// For the telemetry Worker: connect now.
    Connect,
    /// For the telemetry Worker: close and stay closed.
    Disconnect,
    /// A `MessagePort` is transferred with this message; it replaces an earlier one of this use.
    Port(PortUse),
    /// The vehicle Worker died: connections to it are closed; a new port may follow.
    VehicleGone,
}

/// What a Worker is to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It runs the pilot on the control socket.
    Control(Box<Start>),
    /// It runs the monitor on the telemetry socket.
    Telemetry(Box<MonitorStart>),
    /// It is the simulated vehicle of the demo.
    Vehicle(Box<VehicleStart>),
}

/// What the simulated vehicle of the demo must agree with the console about.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct VehicleStart {
    /// The checked profile: names, start position, outline.
    pub profile: Profile,
}

/// What a transferred port is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PortUse {
    /// Control and telemetry Worker talk through it ([`PeerMessage`]).
    Peer,
    /// A console Worker reaches the simulated vehicle through it ([`LoopMessage`]).
    Vehicle,
    /// The simulated vehicle is reached through it by the control Worker.
    FromControl,
    /// The simulated vehicle is reached through it by the telemetry Worker.
    FromTelemetry,
    /// The simulated vehicle is reached through it by the viewer's Worker.
    FromViewer,
}

/// Worker → page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FromWorker {
    /// The program runs and listens. It stays the first of these, so that a page of another
    /// build can read whom it has before it.
    Hello {
        /// [`build`] of the Worker.
        build: String,
    },
    /// Of the control Worker.
    Pilot(Box<Snapshot>),
    /// Of the telemetry Worker.
    Monitor(Box<MonitorSnapshot>),
    /// The simulated vehicle runs.
    Alive,
    /// Of control or telemetry.
    Event(Event),
    /// The program cannot go on; said with its last breath.
    Failed {
        /// Its panic message, or why it did not start.
        detail: String,
    },
}

/// Between the control and the telemetry Worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PeerMessage {
    /// Telemetry → control.
    Fact(Fact),
    /// Control → telemetry: a frame that goes out on the telemetry socket as well.
    Forward(String),
    /// Control → telemetry: how fast the vehicle is told to go, m/s.
    Commanded(f64),
}

/// Between a console Worker and the simulated vehicle; several connections share one port, each
/// with a number of its own that is never used again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopMessage {
    /// Console → vehicle: a new connection.
    Open(u32),
    /// Vehicle → console: it is there.
    Opened(u32),
    /// A text frame, either way.
    Text(u32, String),
    /// Console → vehicle: nothing more follows.
    Close(u32),
    /// Vehicle → console: the vehicle's server closed it.
    Closed(u32),
}

/// A message that is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// `postMessage` carried something else than bytes.
    #[error("a message that is no bytes arrived")]
    NotBytes,
    /// The bytes are not one of the messages above.
    #[error("a message of {length} bytes could not be read: {cause}")]
    Unreadable {
        /// What the decoder said.
        cause: String,
        /// How long it was.
        length: usize,
    },
}

/// The message as bytes. None of the types here can fail to serialise; should one ever do, the
/// other side reports an empty message.
#[must_use]
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    postcard::to_allocvec(message).unwrap_or_default()
}

/// The message of some bytes; `None` stands for a message that was no bytes at all.
///
/// # Errors
/// When it is not one of `T`.
pub fn decode<T: DeserializeOwned>(bytes: Option<&[u8]>) -> Result<T, ProtocolError> {
    let bytes = bytes.ok_or(ProtocolError::NotBytes)?;
    match postcard::take_from_bytes(bytes) {
        Ok((message, [])) => Ok(message),
        Ok((_, rest)) => Err(ProtocolError::Unreadable {
            cause: format!("{} bytes too many", rest.len()),
            length: bytes.len(),
        }),
        Err(error) => Err(ProtocolError::Unreadable {
            cause: error.to_string(),
            length: bytes.len(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pilot::intent::{Definitions, Found, StickInput};
    use crate::pilot::snapshot::{PressEnd, Reason, StopView};
    use crate::tools::intent::Holds;

    fn comes_back<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(message: &T) {
        let bytes = encode(message);
        assert_eq!(&decode::<T>(Some(&bytes)).unwrap(), message, "{bytes:?}");
    }

    #[test]
    fn every_message_to_a_worker_comes_back_as_it_was() {
        comes_back(&ToWorker::Begin(Role::Control(Box::default())));
        comes_back(&ToWorker::Begin(Role::Telemetry(Box::default())));
        comes_back(&ToWorker::Begin(Role::Vehicle(Box::default())));
        comes_back(&ToWorker::Intent(Intent::Stop));
        comes_back(&ToWorker::Intent(Intent::Release(PressEnd::Blur)));
        comes_back(&ToWorker::Intent(Intent::SpeedLimit(35.5)));
        comes_back(&ToWorker::Lease {
            posted_ms: 1_790_000_000_123.456,
            lease: Lease {
                transit_ms: 0.0,
                stick: Some(StickInput {
                    press: 7,
                    start_radius: 0.25,
                    forward: 0.1,
                    left: -0.3,
                    ..StickInput::default()
                }),
                pad_touched: true,
                holds: Holds {
                    water_spray: -1,
                    ..Holds::default()
                },
                confirm: true,
                touches: 12,
                drawn_cap: Some(300),
            },
        });
        comes_back(&ToWorker::Connect);
        comes_back(&ToWorker::Port(PortUse::Peer));
        comes_back(&ToWorker::VehicleGone);
    }

    #[test]
    fn every_message_from_a_worker_comes_back_as_it_was() {
        comes_back(&FromWorker::Hello {
            build: build().into(),
        });
        comes_back(&FromWorker::Pilot(Box::new(Snapshot {
            seq: u64::MAX,
            stop: Some(StopView::default()),
            foreign: Some(Some("Tablet 2".into())),
            ..Snapshot::default()
        })));
        comes_back(&FromWorker::Monitor(Box::default()));
        comes_back(&FromWorker::Event(Event::DriveBlocked(Reason::LinkSlow {
            worst_ms: 250,
        })));
        comes_back(&FromWorker::Failed {
            detail: "\"quoted\" \u{8a00}".into(),
        });
    }

    #[test]
    fn a_foreign_driver_without_a_name_is_still_there_after_the_journey() {
        let sent = FromWorker::Pilot(Box::new(Snapshot {
            foreign: Some(None),
            ..Snapshot::default()
        }));
        comes_back(&sent);
    }

    #[test]
    fn a_page_reads_the_hello_of_any_build() {
        let hello = encode(&FromWorker::Hello { build: "x".into() });
        assert_eq!(
            hello,
            [0, 1, b'x'],
            "the first message keeps its form for ever"
        );
    }

    #[test]
    fn facts_and_loops_come_back_as_they_were() {
        comes_back(&PeerMessage::Fact(Fact::Definitions(Definitions {
            cmd_vel: Found::Type {
                name: "geometry_msgs/msg/Twist".into(),
                fields: vec![("linear".into(), "geometry_msgs/Vector3".into())],
            },
            mc_ctrl: Found::Absent,
            cmd_attitude: Found::Unasked,
        })));
        comes_back(&PeerMessage::Forward("{\"op\":\"publish\"}".into()));
        comes_back(&LoopMessage::Text(3, "{}".into()));
        comes_back(&LoopMessage::Closed(u32::MAX));
    }

    #[test]
    fn what_is_no_message_is_told_with_its_length() {
        let error = decode::<ToWorker>(Some(&[99, 1, 2])).unwrap_err();
        assert!(error.to_string().contains("of 3 bytes"), "{error}");
        let too_long = [encode(&ToWorker::Connect), vec![0]].concat();
        assert!(decode::<ToWorker>(Some(&too_long)).is_err());
        assert_eq!(decode::<ToWorker>(None), Err(ProtocolError::NotBytes));
    }
}
