//! The simulated vehicle: a sweeper behind a rosbridge, without sockets and clocks.
//!
//! Frames of clients go in through [`Vehicle::receive`], time through [`Vehicle::advance`], and
//! everything that happens comes out of [`Vehicle::poll`]. The same vehicle runs inside the page
//! (demo mode), behind a real WebSocket (`src/bin/vehicle.rs`) and in tests on virtual time.
//!
//! The physics goes in steps of 10 ms counted from the start, whenever it is asked to catch up:
//! how often [`Vehicle::advance`] is called changes nothing. A pause of more than
//! [`LONGEST_PAUSE`] (a page that slept) is skipped: the vehicle stands still through it, but a
//! command in force does time out.
//!
//! What [`Vehicle`] promises:
//!
//! - brake 1 overrides everything: it comes to a stand and holds;
//! - `cmd_vel` needs no gear and, while it is in force, wins over McCtrl;
//! - 0.5 s after the last valid `cmd_vel` it stops by itself;
//! - McCtrl with a gear and rpm drives too; whether it times out is an option;
//! - a lost client is just silent: nothing is published for it.

pub mod attitude;
pub mod bridge;
pub mod chassis;
pub mod convert;
pub mod definition;
pub mod equipment;
pub mod graph;
pub mod json;
pub mod levels;
pub mod log;
pub mod multirotor;
pub mod pack;
pub mod receiver;
pub mod rosapi;
pub mod rtk_source;
pub mod subscription;
pub mod sweeper;

use std::collections::VecDeque;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::msgs::sweeper::McCtrl;
use crate::ros::{conventions, names};
use crate::tools::field::ToolField;
use crate::units::{Moment, millis};
use bridge::{Bridge, BridgeOutput, Outcome, Packer};
use chassis::{Chassis, ChassisParameters, MotorRequest};
use definition::{Definition, Definitions, names as types};
use graph::{Endpoint, Role};
use json::Json;
use levels::{Fault, Levels, LevelsMode};
use log::{FrameOutcome, LogEntry, LogLine};
use receiver::{CommandState, ReceiverEvent, ReceiverOptions, VelocityReceiver};
use rtk_source::{Geographic, RtkSource, geographic_from_local};
use sweeper::{Sweeper, SweeperState};

pub use chassis::Steering;
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

const VEHICLE_NODE: &str = "/vehicle";

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

/// What vehicle it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Of the noise and of the names of clients.
    pub seed: u64,
    /// Before every topic of the vehicle; empty or only slashes: the root.
    pub namespace: String,
    /// Where it starts.
    pub start: StartPose,
    /// Without a McCtrl for so long, rpm, brushes, pushers and water go off; the brake stays as it
    /// is. None: never.
    pub mc_timeout: Option<Duration>,
    /// Without a valid `cmd_vel` for so long it stops; zero: never.
    pub cmd_timeout: Duration,
    /// The receiver's limit of linear speed, m/s; 0: none.
    pub max_linear: f64,
    /// The receiver's limit of angular speed, rad/s; 0: none.
    pub max_angular: f64,
    /// The wire type of `rpm`.
    pub rpm_type: RpmType,
    /// The fields that its McCtrl does not have.
    pub lacking: Vec<ToolField>,
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
    /// Whether [`Output::Log`] comes out.
    pub is_logging: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
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
            lacking: Vec::new(),
            velocity_type: VelocityType::Twist,
            chassis: ChassisParameters::default(),
            initial_brake: 0,
            epoch_seconds: 1_767_225_600.0,
            has_command_state: true,
            has_levels: false,
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

/// The vehicle.
#[derive(Debug)]
pub struct Vehicle {
    options: Options,
    bridge: Bridge,
    receiver: VelocityReceiver,
    chassis: Chassis,
    sweeper: Sweeper,
    levels: Levels,
    rtk: RtkSource,
    origin: Geographic,
    topics: Topics,
    start: Moment,
    next_step: Moment,
    next_rtk: Moment,
    /// None: it has no such topics.
    next_levels: Option<Moment>,
    next_state: Moment,
    last_mc: Option<(McCtrl, Moment)>,
    is_mc_live: bool,
    is_moving: bool,
    /// Since when the simulation stands still, and when that was last looked at.
    paused: Option<(Moment, Moment)>,
    told: Option<CommandState>,
    equipment: Option<Box<dyn Equip>>,
    outputs: VecDeque<Output>,
}

#[derive(Debug)]
struct Topics {
    velocity_state: String,
    mc_ctrl: String,
    rtk: String,
}

impl Vehicle {
    /// A vehicle that stands at its start; its log counts from `now`.
    #[must_use]
    pub fn new(options: Options, now: Moment) -> Self {
        let receiver = VelocityReceiver::new(ReceiverOptions {
            namespace: options.namespace.clone(),
            velocity_type: options.velocity_type,
            max_linear: options.max_linear,
            max_angular: options.max_angular,
            timeout: options.cmd_timeout,
            ..ReceiverOptions::default()
        });
        let topics = Topics {
            velocity_state: names::topic_name(&options.namespace, "velocity_command/state", ""),
            mc_ctrl: names::topic_name(&options.namespace, "auto_mc_ctrl", ""),
            rtk: names::topic_name(&options.namespace, "rtk_message", ""),
        };
        let end = |topic: &str, short_type: &str, role: Role| Endpoint {
            topic: topic.to_owned(),
            short_type: short_type.to_owned(),
            role,
            node: VEHICLE_NODE.to_owned(),
            keeps: 0,
            lifespan: None,
        };
        let velocity = match options.velocity_type {
            VelocityType::Twist => types::TWIST,
            VelocityType::TwistStamped => types::TWIST_STAMPED,
        };
        let levels = Levels::new(&options.namespace);
        let mut endpoints = vec![
            end(
                &receiver.resolved_command_topic(),
                velocity,
                Role::Subscriber,
            ),
            end(&topics.mc_ctrl, types::MC_CTRL, Role::Subscriber),
            end(&topics.rtk, types::RTK, Role::Publisher),
        ];
        if options.has_command_state {
            endpoints.push(Endpoint {
                // Who comes later hears how it stands as well.
                keeps: 1,
                ..end(&topics.velocity_state, types::STRING, Role::Publisher)
            });
        }
        if options.has_levels {
            let more = levels.topics();
            endpoints.extend(more.iter().map(|(t, kind)| end(t, kind, Role::Publisher)));
        }
        let bridge = Bridge::new(
            definitions(&options),
            VEHICLE_NODE,
            endpoints,
            options.epoch_seconds,
            options.seed,
        );
        let origin = Geographic {
            lat: options.start.lat,
            lon: options.start.lon,
        };
        Self {
            bridge,
            receiver,
            chassis: Chassis::new(
                options.chassis,
                conventions::yaw_from_heading(options.start.heading_deg),
                options.initial_brake != 0,
            ),
            sweeper: Sweeper::default(),
            levels,
            rtk: RtkSource::new(origin, options.seed.wrapping_add(1)),
            origin,
            topics,
            start: now,
            next_step: now + STEP,
            next_rtk: now + RTK_INTERVAL,
            next_levels: options.has_levels.then(|| now + STEP),
            next_state: now,
            last_mc: None,
            is_mc_live: false,
            is_moving: false,
            paused: None,
            told: None,
            equipment: None,
            outputs: VecDeque::new(),
            options,
        }
    }

    /// Gives it more topics, and what packs binary frames. The vehicle inside the page has none of
    /// that: its program stays small.
    pub fn equip(&mut self, equipment: Box<dyn Equip>) {
        let node = |(topic, short_type): (String, String)| Endpoint {
            topic,
            short_type,
            role: Role::Publisher,
            node: VEHICLE_NODE.to_owned(),
            keeps: 0,
            lifespan: None,
        };
        let endpoints = equipment.topics().into_iter().map(node).collect();
        self.bridge
            .equip(endpoints, equipment.definitions(), equipment.packer());
        self.equipment = Some(equipment);
    }

    /// A client's socket opened.
    pub fn connect(&mut self, client: ClientId, now: Moment) {
        self.advance(now);
        self.log(now, LogEntry::Connect { client: client.0 });
        self.bridge.connect(client, now);
        self.drain_bridge(now);
    }

    /// A client's socket closed, however. No stop is published for it.
    pub fn disconnect(&mut self, client: ClientId, now: Moment) {
        self.advance(now);
        self.log(now, LogEntry::Disconnect { client: client.0 });
        self.bridge.disconnect(client, now);
        self.drain_bridge(now);
    }

    /// A text frame of a client.
    pub fn receive(&mut self, client: ClientId, text: &str, now: Moment) {
        self.advance(now);
        self.bridge.receive(client, text, now);
        self.drain_bridge(now);
    }

    /// Lets time pass up to `now`.
    pub fn advance(&mut self, now: Moment) {
        if let Some((since, _)) = self.paused {
            self.paused = Some((since, now));
            self.bridge.advance(now);
            self.drain_bridge(now);
            return;
        }
        if now.since(self.next_step) > LONGEST_PAUSE {
            self.skip_to(now);
        }
        while self.next_step <= now {
            let at = self.next_step;
            self.step(at);
            self.next_step = at + STEP;
        }
        self.tell_state(now);
        self.publish_equipment(now);
        self.bridge.advance(now);
        self.drain_bridge(now);
    }

    /// When [`Self::advance`] has something to say next.
    #[must_use]
    pub fn next_wakeup(&self) -> Moment {
        if let Some((_, seen)) = self.paused {
            let bridge = self.bridge.next_wakeup();
            return bridge.into_iter().fold(seen + PAUSED_LOOK, Moment::min);
        }
        let state = self.options.is_logging.then_some(self.next_state);
        let (levels, deadline) = (self.next_levels, self.mc_deadline());
        let inside = [self.receiver.next_wakeup(), deadline, state, levels]
            .into_iter()
            .flatten()
            .fold(self.next_rtk, Moment::min);
        // What happens inside the vehicle happens at its steps.
        let steps = inside
            .since(self.next_step)
            .as_nanos()
            .div_ceil(STEP.as_nanos());
        let inside = self.next_step + STEP * u32::try_from(steps).unwrap_or(u32::MAX);
        let equipment = self.equipment.as_ref().and_then(|e| e.next_wakeup());
        self.bridge
            .next_wakeup()
            .into_iter()
            .chain(equipment)
            .fold(inside, Moment::min)
    }

    /// The next output.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// The truth, as of the last step.
    #[must_use]
    pub fn state(&self) -> VehicleState {
        let motion = self.chassis.motion();
        let place = geographic_from_local(self.origin, motion.x, motion.y);
        let last = self.receiver.last_command();
        VehicleState {
            x: motion.x,
            y: motion.y,
            lat: place.lat,
            lon: place.lon,
            heading_deg: conventions::heading_from_yaw(motion.yaw),
            speed: motion.speed,
            yaw_rate: motion.yaw_rate,
            steering_deg: motion.steer.to_degrees(),
            brake: u8::from(self.chassis.is_braked()),
            is_command_active: self.receiver.is_command_active(),
            last_velocity: (
                conventions::linear_to_ros(last.linear).x,
                conventions::angular_to_ros(last.angular).z,
            ),
            last_mc_ctrl: self.last_mc.map(|(command, _)| command),
            sweeper: self.sweeper.state(),
        }
    }

    /// The velocity component.
    #[must_use]
    pub fn receiver(&self) -> &VelocityReceiver {
        &self.receiver
    }

    /// Makes the RTK receiver good or faulty.
    pub fn set_rtk_mode(&mut self, mode: RtkMode) {
        self.rtk.set_mode(mode);
    }

    /// Sets the qualities of position and heading (4 is fixed).
    pub fn set_rtk_quality(&mut self, position: i32, heading: i32) {
        self.rtk.set_quality(position, heading);
    }

    /// Makes the levels' topics good or faulty.
    pub fn set_levels_mode(&mut self, mode: LevelsMode) {
        self.levels.set_mode(mode);
    }

    /// Fills tanks and battery to so much, 0 … 1; what is none stays as it is.
    pub fn fill(&mut self, clean: Option<f64>, dirty: Option<f64>, battery: Option<f64>) {
        self.sweeper.fill(clean, dirty, battery);
    }

    /// Provokes a fault; none: the brush is free again, tanks and battery are as at the start.
    pub fn provoke(&mut self, fault: Option<Fault>) {
        match fault {
            None => {
                let fresh = SweeperState::default();
                self.levels.set_brush_blocked(false);
                self.fill(
                    Some(fresh.clean_tank),
                    Some(fresh.dirty_tank),
                    Some(fresh.battery),
                );
            }
            Some(Fault::CleanEmpty) => self.fill(Some(0.0), None, None),
            Some(Fault::DirtyFull) => self.fill(None, Some(1.0), None),
            Some(Fault::BatteryLow) => self.fill(None, None, Some(0.05)),
            Some(Fault::BrushOverload) => self.levels.set_brush_blocked(true),
        }
    }

    /// Sends a text as it is to every client: what a broken or hostile server might send.
    pub fn send_raw(&mut self, text: &str) {
        let clients: Vec<ClientId> = self.bridge.clients().collect();
        for client in clients {
            self.outputs.push_back(Output::Frame {
                client,
                text: text.to_owned(),
            });
        }
    }
}

/// Time.
impl Vehicle {
    fn step(&mut self, now: Moment) {
        self.receiver.advance(now, Some(&mut self.chassis));
        self.drain_receiver(now);
        if self.mc_deadline().is_some_and(|deadline| now >= deadline) {
            self.is_mc_live = false;
            self.chassis.set_motor(None);
            self.sweeper.switch_off();
            self.event(now, "mc_timeout", None);
        }
        let seconds = STEP.as_secs_f64();
        self.chassis.step(seconds);
        let motion = self.chassis.motion();
        self.sweeper.step(seconds, motion.speed);
        let sweeper = self.sweeper.state();
        self.levels.step(seconds, &sweeper, motion.speed);
        let is_moving = motion.speed != 0.0 || motion.yaw_rate != 0.0;
        if is_moving != self.is_moving {
            self.is_moving = is_moving;
            self.event(now, if is_moving { "moving" } else { "standing" }, None);
        }
        if now >= self.next_rtk {
            self.next_rtk = self.next_rtk + RTK_INTERVAL;
            self.publish_rtk(now);
        }
        if let Some(at) = self.next_levels.filter(|at| now >= *at) {
            self.next_levels = Some(at + LEVELS_INTERVAL);
            self.publish_levels(now);
        }
        if now >= self.next_state {
            self.next_state = self.next_state + STATE_INTERVAL;
            self.log_state(now);
        }
    }

    /// The vehicle was not simulated for a while: whatever was in force is long out of force.
    fn skip_to(&mut self, now: Moment) {
        let pause = now.since(self.next_step);
        self.next_step = self.next_step + pause;
        self.next_rtk = self.next_rtk.max(now);
        self.next_levels = self.next_levels.map(|at| at.max(now));
        self.next_state = self.next_state.max(now);
    }

    /// The simulation stands still, or goes on where it was: no clock of the vehicle has run.
    fn pause(&mut self, is_paused: bool, now: Moment) {
        match (self.paused, is_paused) {
            (None, true) => self.paused = Some((now, now)),
            (Some((since, _)), false) => {
                let pause = now.since(since);
                self.paused = None;
                self.next_step = self.next_step + pause;
                self.next_rtk = self.next_rtk + pause;
                self.next_state = self.next_state + pause;
                self.receiver.skip(pause);
                self.last_mc = self.last_mc.map(|(command, at)| (command, at + pause));
            }
            _ => return,
        }
        let event = if is_paused { "paused" } else { "resumed" };
        self.event(now, event, None);
    }

    /// Says how it stands with the velocity commands when that has changed.
    fn tell_state(&mut self, now: Moment) {
        let state = self.receiver.state();
        if !self.options.has_command_state || self.told.as_ref() == Some(state) {
            return;
        }
        let words = Json::object([
            ("state", state.word().into()),
            ("reason", state.reason().into()),
        ]);
        self.told = Some(state.clone());
        let message = Json::object([("data", Json::Text(words.to_text()))]);
        self.bridge
            .publish(&self.topics.velocity_state, &message, now);
    }

    fn mc_deadline(&self) -> Option<Moment> {
        let (_, at) = self.last_mc?;
        let timeout = self.options.mc_timeout?;
        self.is_mc_live.then(|| at + timeout)
    }

    fn publish_equipment(&mut self, now: Moment) {
        let Some(mut equipment) = self.equipment.take() else {
            return;
        };
        let (state, time) = (self.state(), self.bridge.ros_time(now));
        for (topic, message) in equipment.due(&state, time, now) {
            self.bridge.publish(&topic, &message, now);
        }
        self.equipment = Some(equipment);
    }

    fn publish_levels(&mut self, now: Moment) {
        let time = self.bridge.ros_time(now);
        for (topic, message) in self.levels.messages(&self.state(), time) {
            self.bridge.publish(&topic, &message, now);
        }
        self.drain_bridge(now);
    }

    fn publish_rtk(&mut self, now: Moment) {
        let Some(message) = self.rtk.next_message(self.chassis.motion()) else {
            return;
        };
        if self.rtk.mode() == RtkMode::Nan {
            self.bridge
                .publish_with_bare_tokens(&self.topics.rtk, &message, now);
        } else {
            self.bridge.publish(&self.topics.rtk, &message, now);
        }
        self.drain_bridge(now);
    }
}

/// Commands.
impl Vehicle {
    fn drain_bridge(&mut self, now: Moment) {
        while let Some(output) = self.bridge.poll() {
            match output {
                BridgeOutput::Frame { client, text } => {
                    self.outputs.push_back(Output::Frame { client, text });
                }
                BridgeOutput::Binary { client, bytes } => {
                    self.outputs.push_back(Output::Binary { client, bytes });
                }
                BridgeOutput::Pause(is_paused) => self.pause(is_paused, now),
                BridgeOutput::Message { topic, message } => self.obey(&topic, &message, now),
                BridgeOutput::Handled(handled) => {
                    let (outcome, reason) = match handled.outcome {
                        Outcome::Published => (FrameOutcome::Published, None),
                        Outcome::Done => (FrameOutcome::Done, None),
                        Outcome::Dropped(reason) => (FrameOutcome::Dropped, Some(reason)),
                    };
                    let msg = handled.message.as_ref().map(Json::to_serde);
                    let (client, op, topic) = (handled.client.0, handled.op, handled.name);
                    self.log(
                        now,
                        LogEntry::Frame {
                            client,
                            op,
                            topic,
                            msg,
                            outcome,
                            reason,
                        },
                    );
                }
            }
        }
    }

    fn obey(&mut self, topic: &str, message: &Json, now: Moment) {
        // While the simulation stands still, so does its clock.
        let now = self.paused.map_or(now, |(since, _)| since);
        if topic == self.receiver.resolved_command_topic() {
            self.receiver.receive(message, now, Some(&mut self.chassis));
            self.tell_state(now);
            self.drain_receiver(now);
        } else if topic == self.topics.mc_ctrl {
            match mc_ctrl(message) {
                Ok(command) => self.obey_mc_ctrl(command, now),
                Err(field) => {
                    self.event(now, "mc_error", Some(format!("{field} is not usable")));
                }
            }
        }
    }

    fn obey_mc_ctrl(&mut self, command: McCtrl, now: Moment) {
        let is_braked = command.brake != 0;
        if is_braked != self.chassis.is_braked() {
            let detail = if is_braked { "engaged" } else { "released" };
            self.event(now, "brake", Some(detail.to_owned()));
        }
        self.chassis.set_brake(is_braked);
        self.chassis.set_motor(Some(MotorRequest {
            gear: command.gear,
            rpm: f64::from(command.rpm),
            angle_deg: f64::from(command.angle),
            angle_speed: f64::from(command.angle_speed),
        }));
        self.sweeper.set_command(command);
        self.last_mc = Some((command, now));
        self.is_mc_live = true;
    }

    fn drain_receiver(&mut self, now: Moment) {
        while let Some(event) = self.receiver.poll() {
            match event {
                // The frame's own line says it all.
                ReceiverEvent::VelocityCommand(_) => {}
                ReceiverEvent::CommandTimeout => self.event(now, "command_timeout", None),
                ReceiverEvent::CommandError(error) => {
                    self.event(now, "command_error", Some(error.to_string()));
                }
            }
        }
    }
}

/// The log.
impl Vehicle {
    fn event(&mut self, now: Moment, event: &str, detail: Option<String>) {
        self.log(
            now,
            LogEntry::Event {
                event: event.to_owned(),
                detail,
            },
        );
    }

    fn log_state(&mut self, now: Moment) {
        if !self.options.is_logging {
            return;
        }
        let state = self.state();
        self.log(
            now,
            LogEntry::State {
                x: state.x,
                y: state.y,
                heading: state.heading_deg,
                v: state.speed,
                yaw_rate: state.yaw_rate,
                steering: state.steering_deg,
                brake: state.brake,
                lat: state.lat,
                lon: state.lon,
                sweeper: state.sweeper,
            },
        );
    }

    fn log(&mut self, now: Moment, entry: LogEntry) {
        if self.options.is_logging {
            let t = now.since(self.start).as_secs_f64() * 1000.0;
            self.outputs.push_back(Output::Log(LogLine { t, entry }));
        }
    }
}

fn definitions(options: &Options) -> Definitions {
    let name = match options.rpm_type {
        RpmType::Uint8 => "uint8",
        RpmType::Uint16 => "uint16",
        RpmType::Float32 => "float32",
    };
    definition::on_board(name, &options.lacking).unwrap_or_default()
}

/// Reads a McCtrl whatever the width of its numbers; one that its definition does not have is 0. An
/// error names the field.
fn mc_ctrl(message: &Json) -> Result<McCtrl, &'static str> {
    fn whole<T: TryFrom<i128>>(message: &Json, field: &'static str) -> Result<T, &'static str> {
        let value = message.get(field).map_or(Some(0), Json::as_int);
        T::try_from(value.ok_or(field)?).map_err(|_| field)
    }
    let finite = |field: &'static str| {
        message
            .get(field)
            .map_or(Some(0.0), Json::as_f64)
            .filter(|value| value.is_finite())
            .ok_or(field)
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to the range before; the angle was a float32 on the wire"
    )]
    Ok(McCtrl {
        brake: whole(message, "brake")?,
        gear: whole(message, "gear")?,
        rpm: finite("rpm")?.clamp(0.0, f64::from(u16::MAX)).round() as u16,
        angle: finite("angle")? as f32,
        angle_speed: whole(message, "angle_speed")?,
        roll_brush_suction_direction: whole(message, "roll_brush_suction_direction")?,
        roll_brush_suction: whole(message, "roll_brush_suction")?,
        side_brush: whole(message, "side_brush")?,
        dust_shake: whole(message, "dust_shake")?,
        brush_deck_pusher: whole(message, "brush_deck_pusher")?,
        suction_squeeqee_pusher: whole(message, "suction_squeeqee_pusher")?,
        water_spray: whole(message, "water_spray")?,
    })
}
