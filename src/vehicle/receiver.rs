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
        self.subscribed = Some(self.topic_of_next_start());
        true
    }

    /// Unsubscribes; a command in force still times out.
    pub fn stop(&mut self) {
        self.subscribed = None;
    }

    /// A message on the subscribed topic. Without a subscription it is not heard.
    pub fn receive(
        &mut self,
        message: &Json,
        now: Moment,
        target: Option<&mut dyn VelocityTarget>,
    ) {
        if self.subscribed.is_none() {
            return;
        }
        match self.decode(message, now) {
            Err(error) => self.raise(error),
            Ok(command) => {
                self.last_command = command.clone();
                self.last_valid = Some(now);
                self.is_command_active = true;
                let refusal = target.and_then(|target| target.command(&command).err());
                self.events
                    .push_back(ReceiverEvent::VelocityCommand(command));
                if let Some(reason) = refusal {
                    self.raise(CommandError::Refused { reason });
                }
            }
        }
    }

    /// Lets time pass: the timeout.
    pub fn advance(&mut self, now: Moment, target: Option<&mut dyn VelocityTarget>) {
        if self.next_wakeup().is_some_and(|deadline| now >= deadline) {
            self.is_command_active = false;
            if let Some(target) = target {
                target.stop_motion();
            }
            self.events.push_back(ReceiverEvent::CommandTimeout);
        }
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

    fn decode(&self, message: &Json, now: Moment) -> Result<VelocityCommand, CommandError> {
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
        Ok(VelocityCommand {
            linear: linear.limited(self.options.max_linear),
            angular: angular.limited(self.options.max_angular),
            timestamp_seconds: now.as_millis() / 1000.0,
            source: "ROS".to_owned(),
        })
    }

    fn raise(&mut self, error: CommandError) {
        self.command_error = error.to_string();
        self.events.push_back(ReceiverEvent::CommandError(error));
    }
}
