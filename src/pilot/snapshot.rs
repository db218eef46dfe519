//! What the pilot shows: everything the screen may claim about link, drive, tools and STOP.
//!
//! The screen draws this and nothing else; it holds no logic of its own.

use serde::{Deserialize, Serialize};

use super::commissioning::CommissioningView;
use super::event::Event;
use super::intent::Unsettled;
use super::stop_check::{StopCheck, StopCheckFailure};
pub use crate::drive::state::{DriveState, PressEnd};
pub use crate::reason::Reason;
use crate::tools::field::ToolField;
use crate::tools::intent::Wanted;
pub use crate::tools::program::ProgramView;
pub use crate::tools::state::{FieldNote, ToolsState};

/// `data-state` of the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkState {
    /// No connection, none wanted or waiting to try again.
    #[default]
    Offline,
    /// A socket is being opened, or is open and has not echoed a heartbeat yet.
    Connecting,
    /// Fresh.
    Online,
    /// Fresh, but too slow to start a drive.
    Slow,
    /// The newest echoed heartbeat is too old.
    Stalled,
    /// Not fresh for 2 s.
    Lost,
}

/// What is known of the link.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LinkView {
    /// The state.
    pub state: LinkState,
    /// Median round trip of the heartbeat over the last 5 s.
    pub rtt_ms: Option<f64>,
    /// Worst round trip of the last 5 s.
    pub worst_ms: Option<f64>,
    /// How old is what the telemetry socket shows: age of the newest own heartbeat seen there.
    pub telemetry_age_ms: Option<f64>,
    /// While waiting: seconds until the next attempt.
    pub retry_in_s: Option<f64>,
    /// Failed attempts since the last success.
    pub failed_attempts: u32,
    /// What went wrong last, while not online.
    pub trouble: Option<Trouble>,
}

/// Why there is no link, as far as a browser can tell: it reports every failed connection alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trouble {
    /// The socket never opened: wrong address, server down, network or firewall.
    NeverOpened,
    /// The socket opened and closed again at once.
    ClosedAtOnce,
    /// The socket opened, but no heartbeat came back: not a rosbridge, or the topic is not
    /// allowed there.
    NoEcho {
        /// The heartbeat topic, to be allowed by the server.
        topic: String,
    },
    /// The browser refused the address.
    Refused {
        /// What the browser said.
        message: String,
    },
    /// The server closed a working connection.
    Closed,
}

/// What is known of the drive.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DriveView {
    /// The state.
    pub state: DriveState,
    /// Why blocked, stopped or disarmed by itself; or why a press would be refused now.
    pub reason: Option<Reason>,
    /// Last sent, m/s, forward positive.
    pub linear: f64,
    /// Last sent, rad/s, left positive.
    pub angular: f64,
    /// Milliseconds since the last velocity command was sent; `None` before the first.
    pub sent_age_ms: Option<f64>,
    /// Milliseconds since one of our velocity commands was echoed.
    pub published_age_ms: Option<f64>,
    /// The forward limit in force now, m/s: profile × slider, capped until the stop check.
    pub limit_linear: f64,
    /// The turn limit in force now, rad/s.
    pub limit_angular: f64,
    /// Speed limit in percent of the profile's.
    pub limit_percent: f64,
    /// The cap that holds until the stop check has passed, m/s; `None` when it does not apply.
    pub unverified_cap: Option<f64>,
    /// The contact has not changed for so long that it will be stopped in this many seconds.
    pub vigilance_stop_in_s: Option<f64>,
    /// The topic commands go to.
    pub topic: String,
    /// The type in use.
    pub message_type: String,
    /// Last sent, m/s, left and up positive; of a multirotor.
    pub left_up: [f64; 2],
    /// A multirotor's motors run; none: not known.
    pub motors: Option<bool>,
    /// It stands on the ground; none: not known.
    pub landed: Option<bool>,
}

/// How far a tool's value has got. Published means that rosbridge echoed it, not that the
/// vehicle obeyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    /// Set on the screen, not sent.
    #[default]
    Wanted,
    /// Handed to the socket.
    Sent,
    /// Echoed.
    Published,
}

/// One McCtrl field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldView {
    /// Which.
    pub field: ToolField,
    /// Last sent while armed, else what would be sent.
    pub value: f64,
    /// Lowest value the console would send.
    pub min: f64,
    /// Highest value the console would send.
    pub max: f64,
    /// How far it has got.
    pub status: ToolStatus,
    /// Why the range is narrower than documented, or why a wish is not followed.
    pub note: Option<FieldNote>,
}

/// What is known of the tools.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ToolsView {
    /// The state.
    pub state: ToolsState,
    /// Why blocked, stopped or disarmed by itself; or why arming would be refused now.
    pub reason: Option<Reason>,
    /// Seconds until the tools stop because nobody touches the screen (last 10 s only).
    pub presence_stop_in_s: Option<f64>,
    /// All twelve fields in the order of the definition.
    pub fields: Vec<FieldView>,
    /// What the pilot takes the operator to want (after arming, stops, resets).
    pub wanted: Wanted,
    /// The vehicle has no McCtrl topic, so far as it told.
    pub is_absent: bool,
    /// What is found out about the vehicle's fields.
    pub commissioning: CommissioningView,
    /// The program that was begun.
    pub program: Option<ProgramView>,
    /// Reverse was refused with the squeegee out: retracting it is offered.
    pub offers_squeegee: bool,
}

/// What a held confirmation would do; its button is shown while this is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confirm {
    /// Arm the drive although the vehicle did not tell its types.
    DriveTypesUnverified,
    /// Arm the drive by McCtrl although the vehicle is not known to be standing: gears change.
    DriveNotStanding,
    /// Arm the tools although the vehicle did not tell its types.
    ToolsTypesUnverified,
    /// Arm the tools although the vehicle is not known to be standing.
    ToolsNotStanding,
    /// Drive although somebody else drove last, who has let go; the vehicle stands.
    TakeOver,
    /// Begin the stop check: the area ahead is clear.
    StopCheck,
    /// Take brake 1 for released from now on.
    BrakeTurned,
    /// Start a multirotor's motors.
    StartMotors,
    /// Stop them, on the ground.
    StopMotors,
}

/// A confirmation on offer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ConfirmView {
    /// What it does.
    pub what: Confirm,
    /// 0…1 while it is held.
    pub progress: f64,
}

/// How far a STOP has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// There is no link; it will be sent when the link is back.
    #[default]
    NotDelivered,
    /// Sent, no echo yet.
    Sent,
    /// rosbridge echoed it.
    Published,
}

/// A latched STOP.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StopView {
    /// The other console that pressed it; `None` when it was this one.
    pub by: Option<String>,
    /// How far it has got.
    pub delivery: Delivery,
    /// Somebody else still sends non-zero commands against it.
    pub is_opposed: bool,
}

/// What the vehicle is seen to do.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Motion {
    /// Not known, which is not standing.
    #[default]
    Unknown,
    /// Seen standing.
    Standing,
    /// Seen moving.
    Moving {
        /// m/s, magnitude.
        speed: f64,
    },
}

/// Where a stop check is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopCheckStep {
    /// None is under way.
    #[default]
    Off,
    /// The operator should press the pad and push forward.
    Press,
    /// The vehicle is brought up to speed.
    Drive,
    /// No commands are sent; the vehicle should stop by itself.
    Watch,
}

/// What is known of the stop check.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StopCheckView {
    /// Where it is.
    pub step: StopCheckStep,
    /// The run is the second one, with the socket closed.
    pub is_cut: bool,
    /// The one that was passed and holds for this vehicle, topic and console.
    pub passed: Option<StopCheck>,
    /// Why the last one did not begin.
    pub refused: Option<Reason>,
    /// Why the last one was not passed.
    pub failed: Option<StopCheckFailure>,
}

/// Everything at one moment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Snapshot {
    /// Counts up; the page takes a pilot without new snapshots for 300 ms for dead.
    pub seq: u64,
    /// Link.
    pub link: LinkView,
    /// Drive.
    pub drive: DriveView,
    /// Tools.
    pub tools: ToolsView,
    /// STOP, when latched.
    pub stop: Option<StopView>,
    /// What the vehicle is seen to do.
    pub motion: Motion,
    /// Somebody else drives: their name where known.
    #[serde(with = "as_list")]
    pub foreign: Option<Option<String>>,
    /// The stop check.
    pub stop_check: StopCheckView,
    /// A confirmation on offer.
    pub confirm: Option<ConfirmView>,
    /// What was just refused or has failed: [`Event::DriveRefused`], [`Event::ToolsRefused`],
    /// [`Event::StopCheckRefused`], [`Event::StopCheckFailed`] or [`Event::MotorsRefused`].
    pub refused: Option<Event>,
    /// What the page must remember in case this pilot dies.
    pub unsettled: Unsettled,
}

impl Snapshot {
    /// What else there is to tell: that there is an age is, and how old by now is not.
    #[must_use]
    pub fn without_ages(&self) -> Self {
        let mut it = self.clone();
        it.seq = 0;
        let LinkView {
            rtt_ms,
            worst_ms,
            telemetry_age_ms,
            ..
        } = &mut it.link;
        let DriveView {
            sent_age_ms,
            published_age_ms,
            ..
        } = &mut it.drive;
        for age in [
            rtt_ms,
            worst_ms,
            telemetry_age_ms,
            sent_age_ms,
            published_age_ms,
        ] {
            *age = age.map(|_| 0.0);
        }
        it
    }
}

/// An option of an option as a list of none or one: in JSON both would be `null`, and a driver
/// without a name would be nobody.
mod as_list {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        value: &Option<Option<String>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_slice().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Option<String>>, D::Error> {
        Vec::deserialize(deserializer).map(|list| list.into_iter().next())
    }
}
