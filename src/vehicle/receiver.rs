//! The velocity command component: the vehicle's only way in for `cmd_vel`.
//!
//! It decodes, converts to UE axes, limits, dispatches and times out; it holds no control logic.
//! The timeout runs on the receiver's clock, which is the `now` that it is given: when no valid
//! command came for that long, the target is stopped first and the event is raised once after
//! that. A receiver without a target is no error: only the events fire.

use std::collections::VecDeque;
use std::time::Duration;

use thiserror::Error;

use super::json::Json;
use crate::ros::conventions::{self, Ros, Ue, Vector};
use crate::ros::names;
use crate::units::Moment;

/// A request for a velocity in the body frame.
#[derive(Debug, Clone, PartialEq)]
pub struct VelocityCommand {
    /// m/s along UE axes: x forward, y **right**, z up.
    pub linear: Vector<Ue>,
    /// rad/s about UE axes: +z is a turn to the **right**.
    pub angular: Vector<Ue>,
    /// When the command was issued, in seconds of simulation time.
    pub timestamp_seconds: f64,
    /// Where it comes from: `ROS`.
    pub source: String,
}

impl VelocityCommand {
    /// No motion; what [`VelocityReceiver::last_command`] is before the first command.
    #[must_use]
    pub fn none() -> Self {
        Self {
            linear: Vector::ZERO,
            angular: Vector::ZERO,
            timestamp_seconds: 0.0,
            source: String::new(),
        }
    }

    /// It asks for no motion at all.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.linear == Vector::ZERO && self.angular == Vector::ZERO
    }
}

/// What takes velocity commands.
pub trait VelocityTarget {
    /// Takes a command.
    ///
    /// # Errors
    /// The reason, in words, when the target refuses it.
    fn command(&mut self, command: &VelocityCommand) -> Result<(), String>;

    /// Comes to a stand.
    fn stop_motion(&mut self);
}

/// What a receiver sits on: it finds the component that takes the commands.
pub trait Owner {
    /// The component of that name; without a name the owner itself, or its first component that
    /// takes velocities. None when there is no such component.
    fn velocity_target(&mut self, component: Option<&str>) -> Option<&mut dyn VelocityTarget>;

    /// The name of what [`Self::velocity_target`] finds.
    fn velocity_target_name(&self, component: Option<&str>) -> Option<String>;
}

/// How it stands with the commands, for whoever watches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CommandState {
    /// Nothing came yet.
    #[default]
    Idle,
    /// A command is in force as it came.
    Active,
    /// A command is in force, shortened by a limit.
    Limited,
    /// The last command timed out; the target has been stopped.
    TimedOut,
    /// The newest command was not carried out, for this reason.
    Refused(String),
}

impl CommandState {
    /// The word on the wire: `idle`, `active`, `limited`, `timed_out`, `refused`.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Active => "active",
            Self::Limited => "limited",
            Self::TimedOut => "timed_out",
            Self::Refused(_) => "refused",
        }
    }

    /// Why the newest command was refused; empty otherwise.
    #[must_use]
    pub fn reason(&self) -> &str {
        match self {
            Self::Refused(reason) => reason,
            _ => "",
        }
    }
}

/// The type of the command topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VelocityType {
    /// `geometry_msgs/msg/Twist`.
    #[default]
    Twist,
    /// `geometry_msgs/msg/TwistStamped`, of newer vehicles.
    TwistStamped,
}

/// The receiver's settings.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceiverOptions {
    /// The topic is `/<namespace>/cmd_vel`; only slashes mean the root.
    pub namespace: String,
    /// Replaces the whole name of the topic when it is not empty.
    pub topic_override: String,
    /// The type of the topic.
    pub velocity_type: VelocityType,
    /// m/s, by the vector's magnitude; 0: no limit.
    pub max_linear: f64,
    /// rad/s, by the vector's magnitude; 0: no limit.
    pub max_angular: f64,
    /// Without a valid command for so long the target is stopped; zero: never.
    pub timeout: Duration,
    /// Subscribe from the beginning.
    pub is_auto_start: bool,
    /// The component that takes the commands; none: looked up on the owner.
    pub target: Option<String>,
}

impl Default for ReceiverOptions {
    fn default() -> Self {
        Self {
            namespace: String::new(),
            topic_override: String::new(),
            velocity_type: VelocityType::Twist,
            max_linear: 0.0,
            max_angular: 0.0,
            timeout: Duration::from_millis(500),
            is_auto_start: true,
            target: None,
        }
    }
}

/// What the receiver tells.
#[derive(Debug, Clone, PartialEq)]
pub enum ReceiverEvent {
    /// A valid command, converted and limited; with or without a target.
    VelocityCommand(VelocityCommand),
    /// The command in force timed out; the target has been stopped.
    CommandTimeout,
    /// Something is wrong; the words are the reason.
    CommandError(CommandError),
}

/// Why a command is not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CommandError {
    /// The message lacks a number where one must be.
    #[error("malformed velocity command: {field} is missing or not a number")]
    Malformed {
        /// The path of the field.
        field: String,
    },
    /// A number is NaN or infinite.
    #[error("velocity command with a number that is not finite: {field}")]
    NonFinite {
        /// The path of the field.
        field: String,
    },
    /// The topic cannot be subscribed.
    #[error("cannot subscribe to {topic}: not a name of a topic")]
    Subscribe {
        /// Its name.
        topic: String,
    },
    /// The chosen target is not there, or takes no velocities.
    #[error("the target {name} is not available")]
    Unavailable {
        /// Its name.
        name: String,
    },
    /// The target does not take it.
    #[error("the target refused the command: {reason}")]
    Refused {
        /// The target's words.
        reason: String,
    },
}

/// The component.
#[derive(Debug, Clone)]
pub struct VelocityReceiver {
    options: ReceiverOptions,
    subscribed: Option<String>,
    last_command: VelocityCommand,
    last_valid: Option<Moment>,
    is_command_active: bool,
    command_error: String,
    state: CommandState,
    paused: Duration,
    events: VecDeque<ReceiverEvent>,
}

impl VelocityReceiver {
    /// A receiver, subscribed unless `is_auto_start` is off.
    #[must_use]
    pub fn new(options: ReceiverOptions) -> Self {
        let mut receiver = Self {
            options,
            subscribed: None,
            last_command: VelocityCommand::none(),
            last_valid: None,
            is_command_active: false,
            command_error: String::new(),
            state: CommandState::Idle,
            paused: Duration::ZERO,
            events: VecDeque::new(),
        };
        if receiver.options.is_auto_start {
            receiver.restart();
        }
        receiver
    }

    /// Subscribes anew with the present settings; the timeout's clock goes on. True on success.
    pub fn restart(&mut self) -> bool {
        self.command_error.clear();
        let topic = self.topic_of_next_start();
        if names::is_topic_name(&topic) {
            self.subscribed = Some(topic);
            true
        } else {
            self.subscribed = None;
            self.raise(CommandError::Subscribe { topic });
            false
        }
    }

    /// The settings; those of the topic count from the next [`Self::restart`].
    pub fn options_mut(&mut self) -> &mut ReceiverOptions {
        &mut self.options
    }

    /// Chooses the component that takes the commands; none: back to looking it up on the owner.
    pub fn set_target(&mut self, component: Option<String>) {
        self.options.target = component;
    }

    /// What the commands go to; none when only the events fire.
    #[must_use]
    pub fn command_target(&self, owner: &dyn Owner) -> Option<String> {
        owner.velocity_target_name(self.options.target.as_deref())
    }

    /// [`Self::receive`] for the target on this owner. A chosen one that is not there is an error,
    /// an owner without any is not.
    pub fn receive_for(&mut self, message: &Json, now: Moment, owner: &mut dyn Owner) {
        let target = owner.velocity_target(self.options.target.as_deref());
        let is_missing = target.is_none();
        let was_valid = self.receive(message, now, target);
        if let (true, true, Some(name)) = (was_valid, is_missing, self.options.target.clone()) {
            self.raise(CommandError::Unavailable { name });
        }
    }

    /// [`Self::advance`] for the target on this owner.
    pub fn advance_for(&mut self, now: Moment, owner: &mut dyn Owner) {
        let target = owner.velocity_target(self.options.target.as_deref());
        self.advance(now, target);
    }

    /// Unsubscribes; a command in force still times out.
    pub fn stop(&mut self) {
        self.subscribed = None;
    }

    /// A message on the subscribed topic. Without a subscription it is not heard. True for a
    /// valid command, whatever the target does with it.
    pub fn receive(
        &mut self,
        message: &Json,
        now: Moment,
        target: Option<&mut dyn VelocityTarget>,
    ) -> bool {
        if self.subscribed.is_none() {
            return false;
        }
        match self.decode(message, now) {
            Err(error) => {
                self.raise(error);
                false
            }
            Ok((command, is_limited)) => {
                self.state = if is_limited {
                    CommandState::Limited
                } else {
                    CommandState::Active
                };
                self.last_command = command.clone();
                self.last_valid = Some(now);
                self.is_command_active = true;
                let refusal = target.and_then(|target| target.command(&command).err());
                self.events
                    .push_back(ReceiverEvent::VelocityCommand(command));
                if let Some(reason) = refusal {
                    self.raise(CommandError::Refused { reason });
                }
                true
            }
        }
    }

    /// Lets time pass: the timeout.
    pub fn advance(&mut self, now: Moment, target: Option<&mut dyn VelocityTarget>) {
        if self.next_wakeup().is_some_and(|deadline| now >= deadline) {
            self.is_command_active = false;
            self.state = CommandState::TimedOut;
            if let Some(target) = target {
                target.stop_motion();
            }
            self.events.push_back(ReceiverEvent::CommandTimeout);
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
        let can_time_out = self.is_command_active && !self.options.timeout.is_zero();
        can_time_out.then(|| last_valid + self.options.timeout)
    }

    /// The next event.
    pub fn poll(&mut self) -> Option<ReceiverEvent> {
        self.events.pop_front()
    }

    /// The newest valid command after limits, whatever the target did with it; zeros before the
    /// first.
    #[must_use]
    pub fn last_command(&self) -> &VelocityCommand {
        &self.last_command
    }

    /// From a valid command until its timeout; with the timeout off, for ever after the first.
    #[must_use]
    pub fn is_command_active(&self) -> bool {
        self.is_command_active
    }

    /// Subscribed, whether or not anything is connected.
    #[must_use]
    pub fn is_receiver_ready(&self) -> bool {
        self.subscribed.is_some()
    }

    /// How it stands with the commands.
    #[must_use]
    pub fn state(&self) -> &CommandState {
        &self.state
    }

    /// The newest error's words since the last start; empty if there was none.
    #[must_use]
    pub fn command_error(&self) -> &str {
        &self.command_error
    }

    /// The topic that is subscribed; unsubscribed, the one that the next start would use.
    #[must_use]
    pub fn resolved_command_topic(&self) -> String {
        self.subscribed
            .clone()
            .unwrap_or_else(|| self.topic_of_next_start())
    }

    /// The type of the topic.
    #[must_use]
    pub fn velocity_type(&self) -> VelocityType {
        self.options.velocity_type
    }

    fn topic_of_next_start(&self) -> String {
        names::topic_name(
            &self.options.namespace,
            "cmd_vel",
            &self.options.topic_override,
        )
    }

    /// The command, and whether a limit shortened it.
    fn decode(&self, message: &Json, now: Moment) -> Result<(VelocityCommand, bool), CommandError> {
        let (twist, path) = match self.options.velocity_type {
            VelocityType::Twist => (Some(message), ""),
            VelocityType::TwistStamped => (message.get("twist"), "twist."),
        };
        let part = |name: &str| -> Result<Vector<Ros>, CommandError> {
            let vector = twist.and_then(|twist| twist.get(name));
            let component = |axis: &str| -> Result<f64, CommandError> {
                let field = format!("{path}{name}.{axis}");
                let value = vector.and_then(|v| v.get(axis)).and_then(Json::as_f64);
                match value {
                    None => Err(CommandError::Malformed { field }),
                    Some(value) if !value.is_finite() => Err(CommandError::NonFinite { field }),
                    Some(value) => Ok(value),
                }
            };
            Ok(Vector::new(
                component("x")?,
                component("y")?,
                component("z")?,
            ))
        };
        let linear = conventions::linear_to_ue(part("linear")?);
        let angular = conventions::angular_to_ue(part("angular")?);
        let command = VelocityCommand {
            linear: linear.limited(self.options.max_linear),
            angular: angular.limited(self.options.max_angular),
            timestamp_seconds: (now - self.paused).as_millis() / 1000.0,
            source: "ROS".to_owned(),
        };
        let is_limited = command.linear != linear || command.angular != angular;
        Ok((command, is_limited))
    }

    fn raise(&mut self, error: CommandError) {
        self.command_error = error.to_string();
        self.state = CommandState::Refused(self.command_error.clone());
        self.events.push_back(ReceiverEvent::CommandError(error));
    }
}
