//! Why something may not be done, in one list for drive and tools.

use serde::{Deserialize, Serialize};

/// Why something is refused, blocked or was stopped. `data-reason` is the name in kebab case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// There is no connection.
    Offline,
    /// The worst round trip of the last 5 s is too long to start.
    LinkSlow {
        /// That round trip.
        worst_ms: u32,
    },
    /// The newest echoed heartbeat is too old.
    LinkStalled,
    /// No echo for 2 s, or the socket closed.
    LinkLost,
    /// The vehicle has not told its types (yet).
    TypesUnknown,
    /// The topic has a type that the console cannot send.
    TypeConflict {
        /// The topic.
        topic: String,
        /// The type the vehicle has.
        found: String,
    },
    /// Somebody else publishes non-zero commands.
    ForeignDriver {
        /// Their name, when their heartbeat tells it.
        name: Option<String>,
    },
    /// A finger was down when the drive was armed or after an automatic stop: lift it first.
    LiftFirst,
    /// The press began outside the pad's hub.
    OutsideHub,
    /// The brake is engaged.
    BrakeOn,
    /// The squeegee is out: it is not dragged backwards.
    SqueegeeOut,
    /// Between forward and reverse the stick must rest at neutral.
    ReversePause,
    /// The window lost the focus.
    Blur,
    /// The page was hidden.
    Hidden,
    /// The screen was rotated or resized.
    Rotated,
    /// The pad was removed or laid out anew.
    PadChanged,
    /// A setting changed.
    SettingsChanged,
    /// The contact did not change for too long.
    Vigilance,
    /// The page stopped renewing its lease.
    LeaseEnded,
    /// A timer came more than 200 ms late.
    LateTimer,
    /// The control Worker was replaced.
    WorkerReplaced,
    /// The vehicle's definition of a command topic changed.
    DefinitionChanged,
    /// STOP is latched.
    StopLatched,
    /// Another console still holds a STOP that was reset here.
    StopElsewhere {
        /// Its name.
        name: String,
    },
    /// The vehicle is not known to be standing.
    NotStanding,
    /// A run of the stop check is over.
    StopCheck,
    /// Nobody touched the screen for too long.
    NobodyThere,
    /// The operator switched it off.
    SwitchedOff,
    /// The gamepad that was held went away.
    DeviceLost,
    /// A multirotor's motors are off.
    MotorsOff,
}

impl Reason {
    /// The `data-reason` value.
    #[must_use]
    pub fn slug(&self) -> &'static str {
        match self {
            Self::Offline => "offline",
            Self::LinkSlow { .. } => "link-slow",
            Self::LinkStalled => "link-stalled",
            Self::LinkLost => "link-lost",
            Self::TypesUnknown => "types-unknown",
            Self::TypeConflict { .. } => "type-conflict",
            Self::ForeignDriver { .. } => "foreign-driver",
            Self::LiftFirst => "lift-first",
            Self::OutsideHub => "outside-hub",
            Self::BrakeOn => "brake-on",
            Self::SqueegeeOut => "squeegee-out",
            Self::ReversePause => "reverse-pause",
            Self::Blur => "blur",
            Self::Hidden => "hidden",
            Self::Rotated => "rotated",
            Self::PadChanged => "pad-changed",
            Self::SettingsChanged => "settings-changed",
            Self::Vigilance => "vigilance",
            Self::LeaseEnded => "lease-ended",
            Self::LateTimer => "late-timer",
            Self::WorkerReplaced => "worker-replaced",
            Self::DefinitionChanged => "definition-changed",
            Self::StopLatched => "stop-latched",
            Self::StopElsewhere { .. } => "stop-elsewhere",
            Self::NotStanding => "not-standing",
            Self::StopCheck => "stop-check",
            Self::NobodyThere => "nobody-there",
            Self::SwitchedOff => "switched-off",
            Self::DeviceLost => "device-lost",
            Self::MotorsOff => "motors-off",
        }
    }
}
