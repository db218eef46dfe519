//! The multirotor as a vehicle on a bridge: what it hears and says, `docs/ubot.md` has the table.

use std::time::Duration;

use super::attitude::{AttitudeEvent, AttitudeReceiver};
use super::chassis::Motion;
use super::craft::{Craft, Outbox, Rhythm, endpoint, keeping, state_message};
use super::definition::names as types;
use super::driving::{receiver_options, tell_events, velocity_type};
use super::graph::{Endpoint, Role};
use super::json::Json;
use super::levels::{Battery, Fault, LevelsMode};
use super::log::LogEntry;
use super::multirotor::{MAX_TILT, Multirotor};
use super::receiver::{CommandState, VelocityReceiver};
use super::rtk_source::{Geographic, RtkMode, RtkSource, geographic_from_local};
use super::sweeper::SweeperState;
use super::{LEVELS_INTERVAL, Options, RTK_INTERVAL, STATE_INTERVAL, STEP, VehicleState, sensors};
use crate::ros::conventions::{self, Vector};
use crate::ros::names;
use crate::ros::rotation::Rotation;
use crate::units::Moment;

/// Why the motors are not started.
pub const COMMAND_IN_FORCE: &str = "a command is in force";

/// Pose and odometry.
const POSE_INTERVAL: Duration = Duration::from_millis(50);
/// The satellite fix.
const FIX_INTERVAL: Duration = Duration::from_millis(200);
/// Motors and ground, when nothing changes.
const STATUS_INTERVAL: Duration = Duration::from_secs(1);
/// Faster than this it moves, slower than half of it it stands: m/s, and rad/s.
const MOVING: f64 = 0.1;
/// Share of the battery that hovering takes in a second: 20 minutes.
const HOVER_SHARE: f64 = 1.0 / 1200.0;
/// Share of the battery that everything else takes in a second.
const IDLE_SHARE: f64 = 1.0 / 36_000.0;
/// What the battery holds.
const AMPERE_HOURS: f64 = 10.0;

/// The multirotor.
#[derive(Debug)]
pub(super) struct Flying {
    velocity: VelocityReceiver,
    attitude: AttitudeReceiver,
    body: Multirotor,
    rtk: RtkSource,
    origin: Geographic,
    topics: Topics,
    options: Options,
    battery: f64,
    levels_mode: LevelsMode,
    rtk_rhythm: Rhythm,
    pose_rhythm: Rhythm,
    fix_rhythm: Rhythm,
    status_rhythm: Rhythm,
    levels_rhythm: Rhythm,
    state_rhythm: Rhythm,
    is_moving: bool,
    told: Told,
}

/// What was last told: how it stands with both commands, and whether motors run and it is landed.
#[derive(Debug, Default)]
struct Told {
    velocity: Option<CommandState>,
    attitude: Option<CommandState>,
    motors: Option<bool>,
    landed: Option<bool>,
}

#[derive(Debug)]
struct Topics {
    velocity_state: String,
    attitude_state: String,
    motors: String,
    motors_state: String,
    landed: String,
    odom: String,
    pose: String,
    fix: String,
    rtk: String,
    battery: String,
}

impl Flying {
    /// A multirotor that stands on the ground at its start with its motors off.
    pub(super) fn new(options: Options, now: Moment) -> Self {
        let topic = |name| names::topic_name(&options.namespace, name, "");
        let origin = Geographic {
            lat: options.start.lat,
            lon: options.start.lon,
        };
        let yaw = conventions::yaw_from_heading(options.start.heading_deg);
        let attitude = AttitudeReceiver::new(&options.namespace, options.cmd_timeout);
        Self {
            velocity: VelocityReceiver::new(receiver_options(&options)),
            attitude: attitude.with_max_tilt(MAX_TILT),
            body: Multirotor::new(yaw),
            rtk: RtkSource::new(origin, options.seed.wrapping_add(1)),
            origin,
            topics: Topics {
                velocity_state: topic("velocity_command/state"),
                attitude_state: topic("attitude_command/state"),
                motors: topic("motors"),
                motors_state: topic("motors/state"),
                landed: topic("landed"),
                odom: topic("odom"),
                pose: topic("pose"),
                fix: topic("gps/fix"),
                rtk: topic("rtk_message"),
                battery: topic(Battery::TOPIC.0),
            },
            battery: 0.9,
            levels_mode: LevelsMode::Ok,
            rtk_rhythm: Rhythm::new(now + RTK_INTERVAL, RTK_INTERVAL),
            pose_rhythm: Rhythm::new(now + POSE_INTERVAL, POSE_INTERVAL),
            fix_rhythm: Rhythm::new(now + FIX_INTERVAL, FIX_INTERVAL),
            status_rhythm: Rhythm::new(now + STEP, STATUS_INTERVAL),
            levels_rhythm: Rhythm::new(now + STEP, LEVELS_INTERVAL),
            state_rhythm: Rhythm::new(now, STATE_INTERVAL),
            is_moving: false,
            told: Told::default(),
            options,
        }
    }

    /// The body; the truth.
    pub(super) fn body(&self) -> &Multirotor {
        &self.body
    }

    /// The RTK receiver.
    pub(super) fn rtk(&mut self) -> &mut RtkSource {
        &mut self.rtk
    }

    /// Makes the battery's topic good or faulty.
    pub(super) fn set_levels_mode(&mut self, mode: LevelsMode) {
        self.levels_mode = mode;
    }

    /// Fills the battery to so much, 0 … 1.
    pub(super) fn fill(&mut self, battery: Option<f64>) {
        self.battery = battery.unwrap_or(self.battery);
    }

    /// Of the faults that can be provoked it has one: an empty battery.
    pub(super) fn provoke(&mut self, fault: Option<Fault>) {
        match fault {
            None => self.battery = 0.9,
            Some(Fault::BatteryLow) => self.battery = 0.05,
            Some(Fault::CleanEmpty | Fault::DirtyFull | Fault::BrushOverload) => {}
        }
    }

    fn rhythms(&mut self) -> [&mut Rhythm; 6] {
        [
            &mut self.rtk_rhythm,
            &mut self.pose_rhythm,
            &mut self.fix_rhythm,
            &mut self.status_rhythm,
            &mut self.levels_rhythm,
            &mut self.state_rhythm,
        ]
    }

    fn set_motors(&mut self, is_on: bool) -> Result<(), &'static str> {
        let is_wanted = |is_active, is_zero: bool| is_active && !is_zero;
        let velocity = self.velocity.last_command().is_zero();
        let attitude = self.attitude.last_command().is_zero();
        let is_start = is_on && !self.body.has_motors_on();
        if is_start
            && (is_wanted(self.velocity.is_command_active(), velocity)
                || is_wanted(self.attitude.is_command_active(), attitude))
        {
            return Err(COMMAND_IN_FORCE);
        }
        self.body.set_motors(is_on)
    }

    fn tell_attitude_events(&mut self, out: &mut Outbox) {
        while let Some(event) = self.attitude.poll() {
            match event {
                AttitudeEvent::Command(_) => {}
                AttitudeEvent::Timeout => out.event("attitude_timeout", None),
                AttitudeEvent::Error(error) => {
                    out.event("attitude_error", Some(error.to_string()));
                }
            }
        }
    }

    fn tell_moving(&mut self, out: &mut Outbox) {
        let flight = self.body.flight();
        let fastest = flight.velocity.magnitude().max(flight.yaw_rate.abs());
        let limit = if self.is_moving { MOVING / 2.0 } else { MOVING };
        let is_moving = fastest > limit;
        if is_moving != self.is_moving {
            self.is_moving = is_moving;
            out.event(if is_moving { "moving" } else { "standing" }, None);
        }
    }

    fn publish_pose(&self, out: &mut Outbox) {
        let flight = self.body.flight();
        let orientation = flight.orientation();
        let Rotation { x, y, z, w, .. } = orientation;
        let to_body = Rotation::new(-x, -y, -z, w);
        let pose = sensors::Pose {
            position: flight.position,
            orientation,
        };
        let motion = sensors::Motion {
            linear: to_body.rotated(&flight.velocity),
            angular: to_body.rotated(&Vector::new(0.0, 0.0, flight.yaw_rate)),
        };
        let time = out.time;
        out.publish(&self.topics.odom, sensors::odometry(&pose, &motion, time));
        out.publish(&self.topics.pose, sensors::pose_stamped(&pose, time));
    }

    fn publish_rtk(&mut self, out: &mut Outbox) {
        let flight = self.body.flight();
        let truth = Motion {
            x: flight.position.x,
            y: flight.position.y,
            yaw: flight.yaw,
            speed: flight.velocity.x.hypot(flight.velocity.y),
            yaw_rate: flight.yaw_rate,
            steer: 0.0,
        };
        let Some(message) = self.rtk.next_message(truth) else {
            return;
        };
        if self.rtk.mode() == RtkMode::Nan {
            out.publish_with_bare_tokens(&self.topics.rtk, message);
        } else {
            out.publish(&self.topics.rtk, message);
        }
    }

    fn publish_fix(&self, out: &mut Outbox) {
        let state = self.state();
        let altitude = self.body.flight().position.z;
        let fix = sensors::fix(state.lat, state.lon, altitude, out.time);
        out.publish(&self.topics.fix, fix);
    }

    fn publish_battery(&self, out: &mut Outbox) {
        let thrust = self.body.flight().thrust;
        let battery = Battery {
            level: self.battery,
            amperes: (2.0 * thrust * HOVER_SHARE + IDLE_SHARE) * 3600.0 * AMPERE_HOURS,
            ampere_hours: AMPERE_HOURS,
            volts: (13.2, 16.8),
        };
        if self.levels_mode != LevelsMode::Silent {
            let message = battery.message(self.levels_mode, out.time);
            out.publish(&self.topics.battery, message);
        }
    }

    fn log_flight(&self, out: &mut Outbox) {
        let flight = self.body.flight();
        let state = self.state();
        out.log(LogEntry::Flight {
            x: flight.position.x,
            y: flight.position.y,
            z: flight.position.z,
            heading: state.heading_deg,
            vx: flight.velocity.x,
            vy: flight.velocity.y,
            vz: flight.velocity.z,
            roll: flight.roll.to_degrees(),
            pitch: flight.pitch.to_degrees(),
            yaw_rate: flight.yaw_rate,
            thrust: flight.thrust,
            motors: self.body.has_motors_on(),
            landed: self.body.is_landed(),
            lat: state.lat,
            lon: state.lon,
        });
    }
}

impl Craft for Flying {
    fn endpoints(&self, node: &str) -> Vec<Endpoint> {
        let topics = &self.topics;
        let end = |topic: &str, short_type: &str, role| endpoint(node, topic, short_type, role);
        let says = |topic: &str, short_type: &str| end(topic, short_type, Role::Publisher);
        let mut endpoints = vec![
            end(
                &self.velocity.resolved_command_topic(),
                velocity_type(self.options.velocity_type),
                Role::Subscriber,
            ),
            end(
                self.attitude.topic(),
                "mavros_msgs/AttitudeTarget",
                Role::Subscriber,
            ),
            says(&topics.rtk, types::RTK),
            says(&topics.odom, "nav_msgs/Odometry"),
            says(&topics.pose, "geometry_msgs/PoseStamped"),
            says(&topics.fix, "sensor_msgs/NavSatFix"),
            keeping(says(&topics.motors_state, "std_msgs/Bool")),
            keeping(says(&topics.landed, "std_msgs/Bool")),
        ];
        if self.options.has_command_state {
            endpoints.push(keeping(says(&topics.velocity_state, types::STRING)));
            endpoints.push(keeping(says(&topics.attitude_state, types::STRING)));
        }
        if self.options.has_levels {
            endpoints.push(says(&topics.battery, Battery::TOPIC.1));
        }
        endpoints
    }

    fn switches(&self) -> Vec<String> {
        vec![self.topics.motors.clone()]
    }

    fn step(&mut self, out: &mut Outbox) {
        let now = out.now;
        self.velocity.advance(now, Some(&mut self.body));
        tell_events(&mut self.velocity, out);
        self.attitude.advance(now, Some(&mut self.body));
        self.tell_attitude_events(out);
        let seconds = STEP.as_secs_f64();
        self.body.step(seconds);
        let used = 2.0 * self.body.flight().thrust * HOVER_SHARE + IDLE_SHARE;
        self.battery = (self.battery - used * seconds).max(0.0);
        self.tell_moving(out);
        if self.rtk_rhythm.is_due(now) {
            self.publish_rtk(out);
        }
        if self.pose_rhythm.is_due(now) {
            self.publish_pose(out);
        }
        if self.fix_rhythm.is_due(now) {
            self.publish_fix(out);
        }
        if self.status_rhythm.is_due(now) {
            (self.told.motors, self.told.landed) = (None, None);
        }
        if self.levels_rhythm.is_due(now) && self.options.has_levels {
            self.publish_battery(out);
        }
        if self.state_rhythm.is_due(now) && self.options.is_logging {
            self.log_flight(out);
        }
    }

    fn settle(&mut self, out: &mut Outbox) {
        let (topics, told) = (&self.topics, &mut self.told);
        if self.options.has_command_state {
            let both = [
                (
                    &topics.velocity_state,
                    &mut told.velocity,
                    self.velocity.state(),
                ),
                (
                    &topics.attitude_state,
                    &mut told.attitude,
                    self.attitude.state(),
                ),
            ];
            for (topic, told, state) in both {
                if told.as_ref() != Some(state) {
                    out.publish(topic, state_message(state));
                    *told = Some(state.clone());
                }
            }
        }
        let (motors, landed) = (self.body.has_motors_on(), self.body.is_landed());
        if told.motors.replace(motors) != Some(motors) {
            let message = Json::object([("data", Json::Bool(motors))]);
            out.publish(&topics.motors_state, message);
        }
        if told.landed.replace(landed) != Some(landed) {
            let message = Json::object([("data", Json::Bool(landed))]);
            out.publish(&topics.landed, message);
        }
    }

    fn obey(&mut self, topic: &str, message: &Json, out: &mut Outbox) {
        if topic == self.velocity.resolved_command_topic() {
            self.velocity
                .receive(message, out.now, Some(&mut self.body));
            tell_events(&mut self.velocity, out);
            self.settle(out);
        } else if topic == self.attitude.topic() {
            self.attitude
                .receive(message, out.now, Some(&mut self.body));
            self.tell_attitude_events(out);
            self.settle(out);
        }
    }

    fn switch(
        &mut self,
        service: &str,
        is_on: bool,
        out: &mut Outbox,
    ) -> Option<Result<(), &'static str>> {
        if service != self.topics.motors {
            return None;
        }
        let had_motors_on = self.body.has_motors_on();
        let done = self.set_motors(is_on);
        match done {
            Err(reason) => out.event("motors_refused", Some(reason.to_owned())),
            Ok(()) if had_motors_on != is_on => {
                let detail = if is_on { "started" } else { "stopped" };
                out.event("motors", Some(detail.to_owned()));
            }
            Ok(()) => {}
        }
        self.settle(out);
        Some(done)
    }

    fn skip_to(&mut self, now: Moment) {
        for rhythm in self.rhythms() {
            rhythm.skip_to(now);
        }
    }

    fn resume(&mut self, pause: Duration) {
        for rhythm in self.rhythms() {
            rhythm.resume(pause);
        }
        self.velocity.skip(pause);
        self.attitude.skip(pause);
    }

    fn next_wakeup(&self) -> Moment {
        let receivers = [self.velocity.next_wakeup(), self.attitude.next_wakeup()];
        // Flying, it moves at every step; what it says comes often enough to let time pass.
        receivers
            .into_iter()
            .flatten()
            .fold(self.pose_rhythm.next(), Moment::min)
    }

    fn state(&self) -> VehicleState {
        let flight = self.body.flight();
        let place = geographic_from_local(self.origin, flight.position.x, flight.position.y);
        let last = self.velocity.last_command();
        VehicleState {
            x: flight.position.x,
            y: flight.position.y,
            lat: place.lat,
            lon: place.lon,
            heading_deg: conventions::heading_from_yaw(flight.yaw),
            speed: flight.velocity.x.hypot(flight.velocity.y),
            yaw_rate: flight.yaw_rate,
            steering_deg: 0.0,
            brake: 0,
            is_command_active: self.velocity.is_command_active(),
            last_velocity: (
                conventions::linear_to_ros(last.linear).x,
                conventions::angular_to_ros(last.angular).z,
            ),
            last_mc_ctrl: None,
            sweeper: SweeperState::default(),
        }
    }

    fn receiver(&self) -> &VelocityReceiver {
        &self.velocity
    }
}
