//! The sweeper as a vehicle on a bridge: chassis, working parts and what it says of itself.

use std::time::Duration;

use super::chassis::{Chassis, MotorRequest};
use super::craft::{Craft, Outbox, Rhythm, endpoint, keeping, state_message};
use super::definition::names as types;
use super::graph::{Endpoint, Role};
use super::json::Json;
use super::levels::{Fault, Levels, LevelsMode};
use super::log::LogEntry;
use super::receiver::{
    CommandState, ReceiverEvent, ReceiverOptions, VelocityReceiver, VelocityType,
};
use super::rtk_source::{Geographic, RtkMode, RtkSource, geographic_from_local};
use super::sweeper::{Sweeper, SweeperState};
use super::{LEVELS_INTERVAL, Options, RTK_INTERVAL, STATE_INTERVAL, STEP, VehicleState};
use crate::msgs::sweeper::McCtrl;
use crate::ros::{conventions, names};
use crate::units::Moment;

/// The sweeper.
#[derive(Debug)]
pub(super) struct Driving {
    options: Options,
    receiver: VelocityReceiver,
    chassis: Chassis,
    sweeper: Sweeper,
    levels: Levels,
    rtk: RtkSource,
    origin: Geographic,
    topics: Topics,
    rtk_rhythm: Rhythm,
    /// None: it has no such topics.
    levels_rhythm: Option<Rhythm>,
    state_rhythm: Rhythm,
    last_mc: Option<(McCtrl, Moment)>,
    is_mc_live: bool,
    is_moving: bool,
    told: Option<CommandState>,
    is_logging: bool,
}

#[derive(Debug)]
struct Topics {
    velocity_state: String,
    mc_ctrl: String,
    rtk: String,
}

impl Driving {
    /// A sweeper that stands at its start.
    pub(super) fn new(options: Options, now: Moment) -> Self {
        let topic = |name| names::topic_name(&options.namespace, name, "");
        let origin = Geographic {
            lat: options.start.lat,
            lon: options.start.lon,
        };
        Self {
            receiver: VelocityReceiver::new(receiver_options(&options)),
            chassis: Chassis::new(
                options.chassis,
                conventions::yaw_from_heading(options.start.heading_deg),
                options.initial_brake != 0,
            ),
            sweeper: Sweeper::default(),
            levels: Levels::new(&options.namespace),
            rtk: RtkSource::new(origin, options.seed.wrapping_add(1)),
            origin,
            topics: Topics {
                velocity_state: topic("velocity_command/state"),
                mc_ctrl: topic("auto_mc_ctrl"),
                rtk: topic("rtk_message"),
            },
            rtk_rhythm: Rhythm::new(now + RTK_INTERVAL, RTK_INTERVAL),
            levels_rhythm: options
                .has_levels
                .then(|| Rhythm::new(now + STEP, LEVELS_INTERVAL)),
            state_rhythm: Rhythm::new(now, STATE_INTERVAL),
            last_mc: None,
            is_mc_live: false,
            is_moving: false,
            told: None,
            is_logging: options.is_logging,
            options,
        }
    }

    /// The RTK receiver.
    pub(super) fn rtk(&mut self) -> &mut RtkSource {
        &mut self.rtk
    }

    /// Makes the levels' topics good or faulty.
    pub(super) fn set_levels_mode(&mut self, mode: LevelsMode) {
        self.levels.set_mode(mode);
    }

    /// Fills tanks and battery to so much, 0 … 1; what is none stays as it is.
    pub(super) fn fill(&mut self, clean: Option<f64>, dirty: Option<f64>, battery: Option<f64>) {
        self.sweeper.fill(clean, dirty, battery);
    }

    /// Provokes a fault; none: the brush is free again, tanks and battery are as at the start.
    pub(super) fn provoke(&mut self, fault: Option<Fault>) {
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

    fn mc_deadline(&self) -> Option<Moment> {
        let (_, at) = self.last_mc?;
        let timeout = self.options.mc_timeout?;
        self.is_mc_live.then(|| at + timeout)
    }

    fn obey_mc_ctrl(&mut self, command: McCtrl, out: &mut Outbox) {
        let is_braked = command.brake != 0;
        if is_braked != self.chassis.is_braked() {
            let detail = if is_braked { "engaged" } else { "released" };
            out.event("brake", Some(detail.to_owned()));
        }
        self.chassis.set_brake(is_braked);
        self.chassis.set_motor(Some(MotorRequest {
            gear: command.gear,
            rpm: f64::from(command.rpm),
            angle_deg: f64::from(command.angle),
            angle_speed: f64::from(command.angle_speed),
        }));
        self.sweeper.set_command(command);
        self.last_mc = Some((command, out.now));
        self.is_mc_live = true;
    }

    fn publish_rtk(&mut self, out: &mut Outbox) {
        let Some(message) = self.rtk.next_message(self.chassis.motion()) else {
            return;
        };
        if !self.options.has_rtk {
            return;
        }
        if self.rtk.mode() == RtkMode::Nan {
            out.publish_with_bare_tokens(&self.topics.rtk, message);
        } else {
            out.publish(&self.topics.rtk, message);
        }
    }

    fn log_state(&self, out: &mut Outbox) {
        let state = self.state();
        out.log(LogEntry::State {
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
        });
    }
}

impl Craft for Driving {
    fn endpoints(&self, node: &str) -> Vec<Endpoint> {
        let end = |topic: &str, short_type: &str, role| endpoint(node, topic, short_type, role);
        let mut endpoints = vec![
            end(
                &self.receiver.resolved_command_topic(),
                velocity_type(self.options.velocity_type),
                Role::Subscriber,
            ),
            end(&self.topics.mc_ctrl, types::MC_CTRL, Role::Subscriber),
        ];
        if self.options.has_rtk {
            endpoints.push(end(&self.topics.rtk, types::RTK, Role::Publisher));
        }
        if self.options.has_command_state {
            let state = end(&self.topics.velocity_state, types::STRING, Role::Publisher);
            endpoints.push(keeping(state));
        }
        if self.options.has_levels {
            let more = self.levels.topics();
            endpoints.extend(more.iter().map(|(t, kind)| end(t, kind, Role::Publisher)));
        }
        endpoints
    }

    fn step(&mut self, out: &mut Outbox) {
        let now = out.now;
        self.receiver.advance(now, Some(&mut self.chassis));
        tell_events(&mut self.receiver, out);
        if self.mc_deadline().is_some_and(|deadline| now >= deadline) {
            self.is_mc_live = false;
            self.chassis.set_motor(None);
            self.sweeper.switch_off();
            out.event("mc_timeout", None);
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
            out.event(if is_moving { "moving" } else { "standing" }, None);
        }
        if self.rtk_rhythm.is_due(now) {
            self.publish_rtk(out);
        }
        if self.levels_rhythm.as_mut().is_some_and(|r| r.is_due(now)) {
            for (topic, message) in self.levels.messages(&self.state(), out.time) {
                out.publish(&topic, message);
            }
        }
        if self.state_rhythm.is_due(now) && self.is_logging {
            self.log_state(out);
        }
    }

    fn settle(&mut self, out: &mut Outbox) {
        let state = self.receiver.state();
        if self.options.has_command_state && self.told.as_ref() != Some(state) {
            out.publish(&self.topics.velocity_state, state_message(state));
            self.told = Some(state.clone());
        }
    }

    fn obey(&mut self, topic: &str, message: &Json, out: &mut Outbox) {
        if topic == self.receiver.resolved_command_topic() {
            self.receiver
                .receive(message, out.now, Some(&mut self.chassis));
            self.settle(out);
            tell_events(&mut self.receiver, out);
        } else if topic == self.topics.mc_ctrl {
            match mc_ctrl(message) {
                Ok(command) => self.obey_mc_ctrl(command, out),
                Err(field) => out.event("mc_error", Some(format!("{field} is not usable"))),
            }
        }
    }

    /// Whatever was in force is long out of force.
    fn skip_to(&mut self, now: Moment) {
        self.rtk_rhythm.skip_to(now);
        self.state_rhythm.skip_to(now);
        if let Some(levels) = &mut self.levels_rhythm {
            levels.skip_to(now);
        }
    }

    fn resume(&mut self, pause: Duration) {
        self.rtk_rhythm.resume(pause);
        self.state_rhythm.resume(pause);
        if let Some(levels) = &mut self.levels_rhythm {
            levels.resume(pause);
        }
        self.receiver.skip(pause);
        self.last_mc = self.last_mc.map(|(command, at)| (command, at + pause));
    }

    fn next_wakeup(&self) -> Moment {
        let state = self.is_logging.then(|| self.state_rhythm.next());
        let levels = self.levels_rhythm.as_ref().map(Rhythm::next);
        let (receiver, deadline) = (self.receiver.next_wakeup(), self.mc_deadline());
        [receiver, deadline, state, levels]
            .into_iter()
            .flatten()
            .fold(self.rtk_rhythm.next(), Moment::min)
    }

    fn state(&self) -> VehicleState {
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

    fn receiver(&self) -> &VelocityReceiver {
        &self.receiver
    }
}

/// The velocity component's settings on a vehicle.
pub(super) fn receiver_options(options: &Options) -> ReceiverOptions {
    ReceiverOptions {
        namespace: options.namespace.clone(),
        velocity_type: options.velocity_type,
        max_linear: options.max_linear,
        max_angular: options.max_angular,
        timeout: options.cmd_timeout,
        ..ReceiverOptions::default()
    }
}

/// The short name of the velocity topic's type.
pub(super) fn velocity_type(of: VelocityType) -> &'static str {
    match of {
        VelocityType::Twist => types::TWIST,
        VelocityType::TwistStamped => types::TWIST_STAMPED,
    }
}

/// Puts what the velocity component tells into the log.
pub(super) fn tell_events(receiver: &mut VelocityReceiver, out: &mut Outbox) {
    while let Some(event) = receiver.poll() {
        match event {
            // The frame's own line says it all.
            ReceiverEvent::VelocityCommand(_) => {}
            ReceiverEvent::CommandTimeout => out.event("command_timeout", None),
            ReceiverEvent::CommandError(error) => {
                out.event("command_error", Some(error.to_string()));
            }
        }
    }
}

/// Reads a McCtrl whatever the width of its numbers. An error names the field.
fn mc_ctrl(message: &Json) -> Result<McCtrl, &'static str> {
    fn whole<T: TryFrom<i128>>(message: &Json, field: &'static str) -> Result<T, &'static str> {
        let value = message.get(field).and_then(Json::as_int).ok_or(field)?;
        T::try_from(value).map_err(|_| field)
    }
    let finite = |field: &'static str| {
        message
            .get(field)
            .and_then(Json::as_f64)
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
