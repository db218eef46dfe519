//! What reaches the pilot: from the page, from the telemetry Worker, from its socket.

use serde::{Deserialize, Serialize};

use super::snapshot::PressEnd;
use super::stop_check::StopCheck;
pub use crate::drive::stick::StickInput;
use crate::profile::Profile;
use crate::tools::commissioning::{Commissioned, Seen};
use crate::tools::field::WireType;
use crate::tools::intent::{Holds, Wanted};

/// Who this console is, in the heartbeat and to other consoles.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Console {
    /// Unique to this page load.
    pub id: String,
    /// A name that people recognise, e.g. "Tablet 3".
    pub name: String,
    /// The ids that this same tab had before reloads: their late echoes are our own.
    pub former_ids: Vec<String>,
}

/// A loss that interrupted motion: kept by the page (in storage that survives a reload) until
/// the pilot says that it is settled (rule 13).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Unsettled {
    /// Something non-zero was sent on the velocity topic and no later zero has been echoed.
    pub drive: bool,
    /// Tools ran (or McCtrl drove) and no later safe message has been echoed.
    pub tools: bool,
}

impl Unsettled {
    /// True when there is nothing to make up for.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        !self.drive && !self.tools
    }
}

/// Everything that a new control Worker needs to take over.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Start {
    /// The checked profile.
    pub profile: Profile,
    /// The rosbridge to connect to, in words for the screen; the shell knows how to open it.
    pub url: String,
    /// This console.
    pub console: Console,
    /// What an earlier pilot left behind.
    pub unsettled: Unsettled,
    /// STOP was latched when the earlier pilot died.
    pub stopped: bool,
    /// The stop checks that were passed on this device, of whatever vehicle.
    pub stop_checks: Vec<StopCheck>,
    /// What was found out on this device about the fields of this vehicle.
    pub commissioned: Commissioned,
    /// True for the vehicle simulated inside the page: its stop check counts as passed.
    pub demo: bool,
    /// This pilot replaces one that died or went silent.
    pub replaces_another: bool,
    /// Wall-clock milliseconds (Unix) at the pilot's moment zero: makes sequence numbers that do
    /// not repeat after a reload.
    pub unix_ms_at_start: f64,
}

/// What must be renewed for anything to keep moving.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Lease {
    /// Milliseconds that the lease spent on its way, measured by the shell; an old one is worth
    /// nothing.
    pub transit_ms: f64,
    /// The finger on the pad, if any.
    pub stick: Option<StickInput>,
    /// A pointer still rests on the pad, although it may not count as a press any more (after a
    /// blur, say): the drive stays blocked until it is lifted.
    pub pad_touched: bool,
    /// The tools' held buttons.
    pub holds: Holds,
    /// The held confirmation button ([`super::snapshot::Confirm`]) is down.
    pub confirm: bool,
    /// Counts touches of any kind, for the presence check.
    pub touches: u32,
    /// mm/s that something drawn ahead asks the speed to stay below, where the profile wants that
    /// (`map.fence_limits_speed`). It can only lower the limit, and never below a creep.
    pub drawn_cap: Option<u16>,
}

/// What the page asks of the pilot. Sent as JSON; a message that does not parse is an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// The first message.
    Start(Box<Start>),
    /// Every 50 ms, and at once when a contact begins, moves far or ends.
    Lease(Lease),
    /// A contact ended, or must count as ended.
    Release(PressEnd),
    /// The Drive switch.
    ArmDrive(bool),
    /// The Tools switch.
    ArmTools(bool),
    /// All the settings that stay.
    Want(Wanted),
    /// STOP was pressed.
    Stop,
    /// The operator resets STOP.
    ResetStop,
    /// Begin the stop check at this speed, m/s (the first one is at 0.2 whatever is asked for), or
    /// give it up.
    StopCheck(f64),
    /// What the operator saw an item of McCtrl do.
    Seen(Seen),
    /// Percent of the profile's limits, 10–100.
    SpeedLimit(f64),
    /// Connect (again, now).
    Connect,
    /// Send zeros if anything moved, then close and stay closed.
    Disconnect,
    /// Other programs ([`Profile::take_programs`]).
    Programs(String),
}

/// What the telemetry Worker saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// A heartbeat of this console came back over the telemetry socket.
    HeartbeatSeen {
        /// Its sequence number.
        seq: u64,
    },
    /// A position came.
    Fix(SeenFix),
    /// What the vehicle says its command topics are.
    Definitions(Definitions),
    /// The vehicle's clock is this many milliseconds ahead of this device's.
    VehicleClock {
        /// Negative when it is behind.
        ahead_ms: f64,
    },
    /// The telemetry socket opened or closed.
    Online(bool),
    /// A multirotor told one or the other.
    Flight {
        /// Its motors run.
        motors: Option<bool>,
        /// It stands on the ground.
        landed: Option<bool>,
    },
    /// A multirotor refused to start or to stop its motors, in its own words.
    MotorsRefused(String),
}

/// A fix as far as "is it standing?" needs it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SeenFix {
    /// m/s, as reported, in SI; `None` when not reported. Of what flies, the climb counts too.
    pub speed: Option<f64>,
    /// East and north of an arbitrary fixed origin, metres; `None` when the position is invalid.
    pub position: Option<(f64, f64)>,
    /// The position quality is 4 or 5.
    pub is_good: bool,
}

/// The type of one topic as the vehicle tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// Nobody asked yet, or no answer yet.
    Unasked,
    /// rosapi did not answer (absent, hung, refused): the profile's type is a guess.
    NoAnswer,
    /// rosapi answered and the topic does not exist on the vehicle.
    Absent,
    /// `package/msg/Name`, with the fields and their types where they are known.
    Type {
        /// The type's name.
        name: String,
        /// Field name and primitive, in order; empty when the definition was not told.
        fields: Vec<(String, String)>,
    },
}

/// The types of the command topics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definitions {
    /// The velocity topic.
    pub cmd_vel: Found,
    /// The McCtrl topic.
    pub mc_ctrl: Found,
    /// A multirotor's attitude topic.
    pub cmd_attitude: Found,
}

impl Default for Definitions {
    fn default() -> Self {
        Self {
            cmd_vel: Found::Unasked,
            mc_ctrl: Found::Unasked,
            cmd_attitude: Found::Unasked,
        }
    }
}

impl Found {
    /// The wire type of a number field, when the definition names it.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<WireType> {
        match self {
            Self::Type { fields, .. } => fields
                .iter()
                .find(|(field, _)| field == name)
                .and_then(|(_, kind)| WireType::from_ros(kind)),
            _ => None,
        }
    }
}
