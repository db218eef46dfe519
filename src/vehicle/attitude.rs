//! The attitude command component: a multirotor's way in for `cmd_attitude`.
//!
//! It reads `mavros_msgs/msg/AttitudeTarget` (ENU and FLU of REP-103), converts to UE axes and
//! dispatches; timeout and errors are those of the velocity component. What its mask means here:
//!
//! - `IGNORE_ATTITUDE` clear: roll and pitch follow the orientation, whatever the rates say;
//! - `IGNORE_ATTITUDE` set: level, and the rates of roll and pitch must be ignored too, since an
//!   attitude command has no place for them;
//! - `IGNORE_YAW_RATE` clear: the heading turns at `body_rate.z`; set: it follows the orientation;
//! - `IGNORE_THRUST` set: the altitude is held, and `thrust` means nothing. The climb then is that
//!   of a `cmd_vel` beside it, which is the business of whoever flies both.

use std::collections::VecDeque;
use std::time::Duration;

use thiserror::Error;

use super::json::Json;
use super::receiver::CommandState;
use crate::ros::conventions::{self, Ros, Ue, Yaw};
use crate::ros::names;
use crate::ros::rotation::{self, Rotation};
use crate::units::Moment;

/// `body_rate.x` means nothing.
pub const IGNORE_ROLL_RATE: u8 = 1;
/// `body_rate.y` means nothing.
pub const IGNORE_PITCH_RATE: u8 = 2;
/// `body_rate.z` means nothing.
pub const IGNORE_YAW_RATE: u8 = 4;
/// `thrust` means nothing.
pub const IGNORE_THRUST: u8 = 64;
/// `orientation` means nothing.
pub const IGNORE_ATTITUDE: u8 = 128;

/// A request for an attitude with a thrust or a climb.
#[derive(Debug, Clone, PartialEq)]
pub struct AttitudeCommand {
    /// Body to world, UE axes.
    pub orientation: Rotation<Ue>,
    /// The heading turns at `yaw_rate` instead of following the orientation's yaw.
    pub use_yaw_rate: bool,
    /// rad/s, right positive.
    pub yaw_rate: Yaw<Ue>,
    /// `normalized_thrust` counts; otherwise the receiver flies `vertical_velocity`.
    pub use_thrust: bool,
    /// Share of the greatest total thrust, 0…1.
    pub normalized_thrust: f64,
    /// m/s, up positive; 0 holds the altitude.
    pub vertical_velocity: f64,
    /// When the command was issued, in seconds of simulation time.
    pub timestamp_seconds: f64,
    /// Where it comes from: `ROS`.
    pub source: String,
}

impl Default for AttitudeCommand {
    fn default() -> Self {
        Self {
            orientation: Rotation::IDENTITY,
            use_yaw_rate: false,
            yaw_rate: Yaw::new(0.0),
            use_thrust: false,
            normalized_thrust: 0.0,
            vertical_velocity: 0.0,
            timestamp_seconds: 0.0,
            source: "None".to_owned(),
        }
    }
}

impl AttitudeCommand {
    /// Level, no turn, no climb and no thrust of its own: what a console sends to stop.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        let (roll, pitch, _) = rotation::rotation_to_ros(self.orientation).to_euler();
        let is_still = self.use_yaw_rate && self.yaw_rate.radians == 0.0;
        is_still
            && !self.use_thrust
            && self.vertical_velocity == 0.0
            && roll.abs().max(pitch.abs()) < 1e-6
    }

    /// The same with roll and pitch within these radians either way; true when they were not.
    fn limited(self, max_tilt: f64) -> (Self, bool) {
        let (roll, pitch, yaw) = rotation::rotation_to_ros(self.orientation).to_euler();
        if max_tilt <= 0.0 || roll.abs().max(pitch.abs()) <= max_tilt {
            return (self, false);
        }
        let within = |angle: f64| angle.clamp(-max_tilt, max_tilt);
        let orientation = Rotation::from_euler(within(roll), within(pitch), yaw);
        let limited = Self {
            orientation: rotation::rotation_to_ue(orientation),
            ..self
        };
        (limited, true)
    }
}

/// What takes attitude commands.
pub trait AttitudeTarget {
    /// Takes a command.
    ///
    /// # Errors
    /// The reason, in words, when the target refuses it.
    fn command_attitude(&mut self, command: &AttitudeCommand) -> Result<(), String>;

    /// Comes to a stand.
    fn stop_motion(&mut self);
}

/// Why an attitude is not flown.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AttitudeError {
    /// A number is missing.
    #[error("malformed attitude command: {0} is missing or not a number")]
    Malformed(String),
    /// A number is NaN or infinite.
    #[error("attitude command with a number that is not finite: {0}")]
    NonFinite(String),
    /// The orientation has no length.
    #[error("attitude command with an orientation that is no rotation")]
    NoRotation,
    /// The thrust is no share.
    #[error("attitude command with a thrust outside 0 to 1")]
    Thrust,
    /// Rates of roll and pitch without an attitude.
    #[error("attitude command by rates of roll and pitch, which this vehicle does not fly")]
    Rates,
    /// The target does not take it.
    #[error("the target refused the command: {0}")]
    Refused(String),
}

/// What the receiver tells.
#[derive(Debug, Clone, PartialEq)]
pub enum AttitudeEvent {
    /// A valid command, with or without a target.
    Command(AttitudeCommand),
    /// The command in force timed out; the target has been stopped.
    Timeout,
    /// Something is wrong.
    Error(AttitudeError),
}

/// Reads an `AttitudeTarget` at so many seconds of simulation time.
///
/// # Errors
/// What makes it unusable. A field that the mask ignores never does.
pub fn decode(message: &Json, seconds: f64) -> Result<AttitudeCommand, AttitudeError> {
    let number = |path: &str| -> Result<f64, AttitudeError> {
        let value = path
            .split('.')
            .try_fold(message, |at, key| at.get(key))
            .and_then(Json::as_f64)
            .ok_or_else(|| AttitudeError::Malformed(path.to_owned()))?;
        if value.is_finite() {
            Ok(value)
        } else {
            Err(AttitudeError::NonFinite(path.to_owned()))
        }
    };
    let mask = message
        .get("type_mask")
        .and_then(Json::as_int)
        .and_then(|mask| u8::try_from(mask).ok())
        .ok_or_else(|| AttitudeError::Malformed("type_mask".to_owned()))?;
    let is_set = |bit: u8| mask & bit != 0;
    let mut command = AttitudeCommand {
        timestamp_seconds: seconds,
        source: "ROS".to_owned(),
        ..AttitudeCommand::default()
    };
    if is_set(IGNORE_ATTITUDE) {
        if !(is_set(IGNORE_ROLL_RATE) && is_set(IGNORE_PITCH_RATE)) {
            return Err(AttitudeError::Rates);
        }
        // Without an orientation there is no heading to follow: it is kept.
        command.use_yaw_rate = true;
    } else {
        let orientation = Rotation::<Ros>::new(
            number("orientation.x")?,
            number("orientation.y")?,
            number("orientation.z")?,
            number("orientation.w")?,
        );
        let orientation = orientation.normalized().ok_or(AttitudeError::NoRotation)?;
        command.orientation = rotation::rotation_to_ue(orientation);
    }
    if !is_set(IGNORE_YAW_RATE) {
        command.use_yaw_rate = true;
        command.yaw_rate = conventions::yaw_to_ue(Yaw::new(number("body_rate.z")?));
    }
    if !is_set(IGNORE_THRUST) {
        let thrust = number("thrust")?;
        if !(0.0..=1.0).contains(&thrust) {
            return Err(AttitudeError::Thrust);
        }
        command.use_thrust = true;
        command.normalized_thrust = thrust;
    }
    Ok(command)
}

/// The component.
#[derive(Debug, Clone)]
pub struct AttitudeReceiver {
    topic: String,
    timeout: Duration,
    max_tilt: f64,
    last_command: AttitudeCommand,
    last_valid: Option<Moment>,
    is_command_active: bool,
    command_error: String,
    state: CommandState,
    paused: Duration,
    events: VecDeque<AttitudeEvent>,
}

impl AttitudeReceiver {
    /// A receiver on `/<namespace>/cmd_attitude`; a timeout of zero is none.
    #[must_use]
    pub fn new(namespace: &str, timeout: Duration) -> Self {
        Self {
            topic: names::topic_name(namespace, "cmd_attitude", ""),
            timeout,
            max_tilt: 0.0,
            last_command: AttitudeCommand::default(),
            last_valid: None,
            is_command_active: false,
            command_error: String::new(),
            state: CommandState::Idle,
            paused: Duration::ZERO,
            events: VecDeque::new(),
        }
    }

    /// Limits roll and pitch, radians either way; 0: no limit.
    #[must_use]
    pub fn with_max_tilt(self, max_tilt: f64) -> Self {
        Self { max_tilt, ..self }
    }

    /// Its topic.
    #[must_use]
    pub fn topic(&self) -> &str {
        &self.topic
    }

    /// A message on the topic.
    pub fn receive(
        &mut self,
        message: &Json,
        now: Moment,
        target: Option<&mut dyn AttitudeTarget>,
    ) {
        match decode(message, (now - self.paused).as_millis() / 1000.0) {
            Err(error) => self.raise(error),
            Ok(command) => {
                let (command, is_limited) = command.limited(self.max_tilt);
                self.state = if is_limited {
                    CommandState::Limited
                } else {
                    CommandState::Active
                };
                self.last_command = command.clone();
                self.last_valid = Some(now);
                self.is_command_active = true;
                let refusal = target.and_then(|target| target.command_attitude(&command).err());
                self.events.push_back(AttitudeEvent::Command(command));
                if let Some(reason) = refusal {
                    self.raise(AttitudeError::Refused(reason));
                }
            }
        }
    }

    /// Lets time pass: the timeout.
    pub fn advance(&mut self, now: Moment, target: Option<&mut dyn AttitudeTarget>) {
        if self.next_wakeup().is_some_and(|deadline| now >= deadline) {
            self.is_command_active = false;
            self.state = CommandState::TimedOut;
            if let Some(target) = target {
                target.stop_motion();
            }
            self.events.push_back(AttitudeEvent::Timeout);
        }
    }

    /// The simulation stood still for so long: the timeout did too.
    pub fn skip(&mut self, pause: Duration) {
        self.paused += pause;
        self.last_valid = self.last_valid.map(|at| at + pause);
    }

    /// When the command in force times out.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<Moment> {
        let last_valid = self.last_valid?;
        (self.is_command_active && !self.timeout.is_zero()).then(|| last_valid + self.timeout)
    }

    /// The next event.
    pub fn poll(&mut self) -> Option<AttitudeEvent> {
        self.events.pop_front()
    }

    /// The newest valid command after limits, whatever the target did with it.
    #[must_use]
    pub fn last_command(&self) -> &AttitudeCommand {
        &self.last_command
    }

    /// From a valid command until its timeout.
    #[must_use]
    pub fn is_command_active(&self) -> bool {
        self.is_command_active
    }

    /// How it stands with the commands.
    #[must_use]
    pub fn state(&self) -> &CommandState {
        &self.state
    }

    /// The newest error's words; empty if there was none.
    #[must_use]
    pub fn command_error(&self) -> &str {
        &self.command_error
    }

    fn raise(&mut self, error: AttitudeError) {
        self.command_error = error.to_string();
        self.state = CommandState::Refused(self.command_error.clone());
        self.events.push_back(AttitudeEvent::Error(error));
    }
}
