//! What happened, as data; the page puts it into words.

use serde::{Deserialize, Serialize};

use super::snapshot::{Reason, Trouble};
use super::stop_check::{RollOut, StopCheckFailure};

/// How much an event matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// As wanted.
    Info,
    /// The operator should know.
    Warn,
    /// Something is wrong.
    Bad,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The control socket echoed its first heartbeat.
    LinkUp {
        /// The address.
        url: String,
    },
    /// An attempt failed. Repeats of the same trouble are not reported again.
    LinkFailed {
        /// The address.
        url: String,
        /// What is known.
        trouble: Trouble,
    },
    /// A working link stalled.
    LinkStalled,
    /// A stalled link recovered.
    LinkRecovered {
        /// How long it was not fresh.
        after_ms: u32,
    },
    /// A working link was lost.
    LinkLost,
    /// The connection was closed by the operator.
    Disconnected,
    /// The vehicle told the type of a command topic.
    TypeFound {
        /// The topic.
        topic: String,
        /// Its type.
        name: String,
    },
    /// The vehicle did not tell the type of a command topic.
    TypeNotTold {
        /// The topic.
        topic: String,
        /// The type that would be used.
        assumed: String,
    },
    /// The drive was armed.
    DriveArmed,
    /// The drive was disarmed.
    DriveDisarmed(Reason),
    /// A press started a drive.
    DriveStarted,
    /// A drive ended because the finger was lifted.
    DriveEnded,
    /// A drive was stopped by something else.
    DriveBlocked(Reason),
    /// A press or the switch was refused.
    DriveRefused(Reason),
    /// The tools were armed.
    ToolsArmed,
    /// The tools were disarmed.
    ToolsDisarmed(Reason),
    /// Arming the tools was refused.
    ToolsRefused(Reason),
    /// STOP was pressed here.
    StopPressed,
    /// Another console pressed STOP.
    StopByOther {
        /// Its name.
        name: String,
    },
    /// STOP was echoed by rosbridge.
    StopPublished,
    /// The vehicle was seen standing after STOP.
    StopStanding,
    /// STOP was reset here.
    StopReset,
    /// Another client began to send non-zero commands.
    ForeignDriving {
        /// Its name where known.
        name: Option<String>,
    },
    /// It no longer does.
    ForeignGone,
    /// The operator took over from whoever drove last.
    TookOver {
        /// The name where known.
        name: Option<String>,
    },
    /// The stop check cannot begin.
    StopCheckRefused(Reason),
    /// The run with the socket open has passed.
    StopCheckHalf(RollOut),
    /// The stop check has passed.
    StopCheckPassed {
        /// With the socket open.
        open: RollOut,
        /// With the socket closed.
        cut: RollOut,
    },
    /// The stop check has not passed.
    StopCheckFailed(StopCheckFailure),
    /// Zeros were sent on a new connection because the last one was lost in motion.
    MadeUpStop,
    /// A frame could not be used; counted, the rest goes on.
    BadFrame {
        /// What was wrong.
        detail: String,
    },
    /// rosbridge said (on /rosout) that it rejected a message of ours.
    Rejected {
        /// Its words.
        detail: String,
    },
    /// An intent from the page did not parse.
    BadIntent {
        /// What was wrong.
        detail: String,
    },
    /// The control Worker died or went silent and was replaced (made by the page).
    WorkerReplaced {
        /// `control` or `telemetry`.
        which: String,
        /// What the browser said, or that it was silent.
        detail: String,
    },
    /// The motors were asked to start, or to stop on the ground.
    MotorsAsked(bool),
    /// The vehicle did not do it, in its own words.
    MotorsRefused(String),
}

impl Event {
    /// How much it matters.
    #[must_use]
    pub fn level(&self) -> Level {
        match self {
            Self::LinkFailed { .. }
            | Self::LinkLost
            | Self::StopPressed
            | Self::StopByOther { .. }
            | Self::ForeignDriving { .. }
            | Self::Rejected { .. }
            | Self::BadIntent { .. }
            | Self::WorkerReplaced { .. } => Level::Bad,
            Self::LinkStalled
            | Self::TypeNotTold { .. }
            | Self::DriveBlocked(_)
            | Self::DriveRefused(_)
            | Self::StopCheckRefused(_)
            | Self::StopCheckFailed(_)
            | Self::ToolsRefused(_)
            | Self::MotorsRefused(_)
            | Self::MadeUpStop
            | Self::BadFrame { .. } => Level::Warn,
            Self::DriveDisarmed(reason) | Self::ToolsDisarmed(reason) => {
                if *reason == Reason::SwitchedOff {
                    Level::Info
                } else {
                    Level::Warn
                }
            }
            _ => Level::Info,
        }
    }
}
