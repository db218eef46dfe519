//! Simulated vehicles, a sweeper, a multirotor or several, behind a rosbridge, without sockets and
//! clocks.
//!
//! Frames of clients go in through [`Fleet::receive`], time through [`Fleet::advance`], and
//! everything that happens comes out of [`Fleet::poll`]. The same vehicles run inside the page
//! (demo mode), behind a real WebSocket (`src/bin/vehicle.rs`) and in tests on virtual time.
//!
//! The physics goes in steps of 10 ms counted from the start, whenever it is asked to catch up:
//! how often [`Fleet::advance`] is called changes nothing. A pause of more than
//! [`LONGEST_PAUSE`] (a page that slept) is skipped: the vehicles stand still through it, but a
//! command in force does time out.
//!
//! What a sweeper promises:
//!
//! - brake 1 overrides everything: it comes to a stand and holds;
//! - `cmd_vel` needs no gear and, while it is in force, wins over McCtrl;
//! - 0.5 s after the last valid `cmd_vel` it stops by itself;
//! - McCtrl with a gear and rpm drives too; whether it times out is an option;
//! - a lost client is just silent: nothing is published for it.
//!
//! What a multirotor does on the wire is in `docs/ubot.md`.

pub mod attitude;
pub mod bridge;
pub mod chassis;
pub mod convert;
mod craft;
pub mod definition;
mod driving;
pub mod equipment;
mod fleet;
mod flying;
pub mod graph;
pub mod json;
pub mod levels;
pub mod log;
pub mod multirotor;
pub mod pack;
pub mod receiver;
pub mod rosapi;
pub mod rtk_source;
mod sensors;
pub mod subscription;
pub mod sweeper;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::msgs::sweeper::McCtrl;
use crate::units::{Moment, millis};
use bridge::Packer;
use chassis::ChassisParameters;
use definition::Definition;
use json::Json;
use log::LogLine;
use sweeper::SweeperState;

pub use chassis::Steering;
pub use fleet::Fleet;
pub use flying::COMMAND_IN_FORCE;
pub use receiver::VelocityType;
pub use rtk_source::RtkMode;

/// One step of the physics.
pub const STEP: Duration = Duration::from_millis(10);

/// A longer pause between two calls is skipped.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// One fix each.
const RTK_INTERVAL: Duration = Duration::from_millis(100);

/// One round of battery, tanks, currents and faults each.
const LEVELS_INTERVAL: Duration = Duration::from_secs(1);

/// One `state` line of the log each.
const STATE_INTERVAL: Duration = Duration::from_millis(100);

/// How often a paused simulation is looked at.
const PAUSED_LOOK: Duration = Duration::from_secs(1);

/// A connection, numbered by whoever owns the sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(pub u32);

/// Where the vehicle starts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StartPose {
    /// Degrees, WGS84.
    pub lat: f64,
    /// Degrees, WGS84.
    pub lon: f64,
    /// Degrees, 0 north, clockwise.
    pub heading_deg: f64,
}

/// The wire type of McCtrl's `rpm`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RpmType {
    /// As documented; 0–255.
    #[default]
    Uint8,
    /// 0–65535.
    Uint16,
    /// Any.
    Float32,
}

/// The kinds of vehicles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VehicleKind {
    /// It drives and cleans.
    #[default]
    Sweeper,
    /// It flies.
    Multirotor,
}

/// What vehicle it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Of which kind. Of a multirotor only what it has counts: McCtrl and chassis do not.
    pub kind: VehicleKind,
    /// Of the noise and of the names of clients.
    pub seed: u64,
    /// Before every topic of the vehicle; empty or only slashes: the root.
    pub namespace: String,
    /// Where it starts.
    pub start: StartPose,
    /// Without a McCtrl for so long, rpm, brushes, pushers and water go off; the brake stays as it
    /// is. None: never.
    pub mc_timeout: Option<Duration>,
    /// Without a valid `cmd_vel`, or `cmd_attitude`, for so long it stops; zero: never.
    pub cmd_timeout: Duration,
    /// The receiver's limit of linear speed, m/s; 0: none.
    pub max_linear: f64,
    /// The receiver's limit of angular speed, rad/s; 0: none.
    pub max_angular: f64,
    /// The wire type of `rpm`.
    pub rpm_type: RpmType,
    /// The type of `cmd_vel`.
    pub velocity_type: VelocityType,
    /// Dimensions, limits, and how it steers.
    pub chassis: ChassisParameters,
    /// The brake before the first McCtrl: 0 released, 1 engaged.
    pub initial_brake: u8,
    /// ROS time at [`Moment::START`], seconds since 1970.
    pub epoch_seconds: f64,
    /// Whether it publishes how it stands with the velocity commands.
    pub has_command_state: bool,
    /// Whether it has the topics of [`levels`].
    pub has_levels: bool,
    /// Whether it has an Rtk topic.
    pub has_rtk: bool,
    /// Whether [`Output::Log`] comes out.
    pub is_logging: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            kind: VehicleKind::Sweeper,
            seed: 1,
            namespace: String::new(),
            start: StartPose {
                lat: 31.230_416,
                lon: 121.473_701,
                heading_deg: 60.0,
            },
            mc_timeout: None,
            cmd_timeout: millis(500),
            max_linear: 0.0,
            max_angular: 0.0,
            rpm_type: RpmType::Uint8,
            velocity_type: VelocityType::Twist,
            chassis: ChassisParameters::default(),
            initial_brake: 0,
            epoch_seconds: 1_767_225_600.0,
            has_command_state: true,
            has_levels: false,
            has_rtk: true,
            is_logging: true,
        }
    }
}

/// What the vehicle wants done, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// A text frame for a client.
    Frame {
        /// Whose.
        client: ClientId,
        /// The frame.
        text: String,
    },
    /// A binary frame for a client: only of a vehicle with [`equipment`].
    Binary {
        /// Whose.
        client: ClientId,
        /// The frame.
        bytes: Vec<u8>,
    },
    /// A line of the log.
    Log(LogLine),
}

/// The truth about the vehicle, which no client sees.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct VehicleState {
    /// East of the start, m.
    pub x: f64,
    /// North of the start, m.
    pub y: f64,
    /// Degrees, WGS84.
    pub lat: f64,
    /// Degrees, WGS84.
    pub lon: f64,
    /// Degrees, 0 north, clockwise.
    pub heading_deg: f64,
    /// m/s, forward positive.
    pub speed: f64,
    /// rad/s, left positive.
    pub yaw_rate: f64,
    /// Wheel angle, degrees, left positive.
    pub steering_deg: f64,
    /// 0 released, 1 engaged.
    pub brake: u8,
    /// From a valid `cmd_vel` until its timeout.
    pub is_command_active: bool,
    /// The newest valid `cmd_vel` after limits: m/s forward and rad/s left (ROS signs).
    pub last_velocity: (f64, f64),
    /// The newest McCtrl that was obeyed.
    pub last_mc_ctrl: Option<McCtrl>,
    /// The working parts.
    pub sweeper: SweeperState,
}

/// More topics of a vehicle than those that it needs.
pub trait Equip: std::fmt::Debug {
    /// Their names and short types.
    fn topics(&self) -> Vec<(String, String)>;
    /// The types that they need and a vehicle does not have anyway.
    fn definitions(&self) -> Vec<Definition>;
    /// What packs binary frames.
    fn packer(&self) -> Packer;
    /// The messages whose time has come, of a vehicle in this state.
    fn due(
        &mut self,
        state: &VehicleState,
        time: crate::msgs::std_msgs::Time,
        now: Moment,
    ) -> Vec<(String, Json)>;
    /// When [`Self::due`] has something next.
    fn next_wakeup(&self) -> Option<Moment>;
}
