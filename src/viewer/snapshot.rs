//! What the topics page shows.

use serde::{Deserialize, Serialize};

pub use super::commands::{CommandView, Component, Standing};
pub use super::flight::FlightView;
pub use super::levels::{Fault, FaultLevel, FaultsView, Gauge, GaugeView, LevelsView};
pub use super::series::Point;
pub use super::summary::{Status, Summary};
pub use super::tree::{Line, Shown};
pub use super::tryout::TryoutView;
pub use crate::pilot::snapshot::LinkState;

/// Everything at one moment, except for pictures: they come apart from it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ViewerSnapshot {
    /// Counts up; silence means a dead Worker.
    pub seq: u64,
    /// The viewer's own socket.
    pub link: LinkState,
    /// The topics that match the filter, by name.
    pub topics: Vec<TopicRow>,
    /// How many match, and how many there are.
    pub counts: (usize, usize),
    /// Those that are looked at.
    pub watched: Vec<Watched>,
    /// Nothing moves until the operator wants it to; messages are counted on.
    pub is_paused: bool,
    /// The link is slow: large topics are left to it.
    pub yields: bool,
    /// Frames that could not be used since the start.
    pub bad_frames: u64,
    /// The newest trouble: topic and reason; empty when there was none.
    pub trouble: String,
    /// Battery, tanks, motor currents and faults of the vehicle.
    pub levels: LevelsView,
    /// How a multirotor lies in the air; none: not told.
    pub flight: Option<FlightView>,
    /// How the vehicle's components stand with its commands, those that say so.
    pub commands: Vec<CommandView>,
    /// What is published and called by hand.
    pub tryout: Option<Box<TryoutView>>,
}

/// One topic in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TopicRow {
    /// Absolute name.
    pub name: String,
    /// `package/msg/Name`.
    pub kind: String,
    /// Nodes that publish it; none: not told yet.
    pub publishers: Option<u32>,
    /// Whether it can be looked at, and is.
    pub access: Access,
    /// Of those that are looked at.
    pub traffic: Option<Traffic>,
}

/// Whether a topic can be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Access {
    /// It can.
    Free,
    /// It is.
    Watched,
    /// A command topic, which the control socket listens to: a second subscription can starve
    /// the first.
    Reserved,
}

/// What comes on a topic, as far as it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Traffic {
    /// Messages a second; none: not known yet.
    pub rate_hz: Option<f64>,
    /// The server was asked to leave out what comes more often, and the rate is one that such a
    /// limit can leave: the topic itself may be faster.
    pub is_at_limit: bool,
    /// Bytes a second on the socket.
    pub bytes_per_s: Option<f64>,
    /// Since the newest message was received; none: none was.
    pub age_ms: Option<f64>,
    /// Messages since it is looked at.
    pub received: u64,
    /// Of these, those that a newer one replaced before they were read.
    pub dropped: u64,
}

/// A topic that is looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Watched {
    /// Absolute name.
    pub topic: String,
    /// `package/msg/Name`.
    pub kind: String,
    /// It was tapped in the list; else it is the camera only.
    pub is_open: bool,
    /// Not asked for at the moment: the link is slow.
    pub is_yielding: bool,
    /// Since the message below was received; none: there is none.
    pub age_ms: Option<f64>,
    /// The newest message, or the one at the time of the pause.
    pub lines: Vec<Line>,
    /// Its short form.
    pub summary: Option<Summary>,
    /// Its plots.
    pub plots: Vec<Plot>,
}

/// One number over the last minute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plot {
    /// Where in the message, as [`Line::path`] has it.
    pub path: String,
    /// The newest value; none: it was no number.
    pub last: Option<f64>,
    /// Oldest first.
    pub points: Vec<Point>,
}
