//! A simulated multirotor: attitude and thrust to motion.
//!
//! A rigid body of which only the direction of the thrust matters. Roll and pitch follow what is
//! wanted with a lag of 0.15 s and go no further than 35°; full thrust is twice the weight; the air
//! takes 0.4 m/s² for each m/s. Below altitude 0 is the ground: it stops a fall, holds what stands
//! on it, and levels it. It flies by attitude ([`AttitudeTarget`]) or by velocity in the heading
//! frame ([`VelocityTarget`]); with neither it holds altitude and comes to a stand in place. While
//! an attitude is in force, a velocity may add a climb to it and nothing else.
//!
//! Its motors are a matter of their own: no command starts them, and nothing stops them in the air.

use super::attitude::{AttitudeCommand, AttitudeTarget};
use super::receiver::{VelocityCommand, VelocityTarget};
use crate::ros::conventions::{self, Ros, Vector};
use crate::ros::rotation::{self, Rotation};

/// m/s².
const GRAVITY: f64 = 9.81;
/// Acceleration by full thrust, m/s².
const FULL_THRUST: f64 = 2.0 * GRAVITY;
/// Of roll and pitch, seconds.
const TILT_LAG: f64 = 0.15;
/// Greatest roll and pitch wanted, radians.
pub const MAX_TILT: f64 = 35.0 * std::f64::consts::PI / 180.0;
/// Loss of speed by the air, 1/s.
const DRAG: f64 = 0.4;
/// Greatest rate of turn, rad/s.
const MAX_YAW_RATE: f64 = 2.0;
/// How strongly the heading follows the wanted one, 1/s.
const YAW_GAIN: f64 = 2.0;
/// Greatest climb and sink that it flies by itself, m/s.
const MAX_CLIMB: f64 = 3.0;
/// How strongly a wrong altitude makes it climb, 1/s.
const ALTITUDE_GAIN: f64 = 1.0;
/// How strongly a wrong speed tilts it or changes its thrust, 1/s.
const SPEED_GAIN: f64 = 2.0;

/// Where it is and how it moves; the truth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flight {
    /// East, north and up of the start, m.
    pub position: Vector<Ros>,
    /// m/s, east, north and up.
    pub velocity: Vector<Ros>,
    /// Right side down positive, radians.
    pub roll: f64,
    /// Nose down positive, radians.
    pub pitch: f64,
    /// 0 east, counter-clockwise, radians.
    pub yaw: f64,
    /// rad/s, left positive.
    pub yaw_rate: f64,
    /// Share of the greatest thrust.
    pub thrust: f64,
}

impl Flight {
    /// Body to world.
    #[must_use]
    pub fn orientation(&self) -> Rotation<Ros> {
        Rotation::from_euler(self.roll, self.pitch, self.yaw)
    }
}

#[derive(Debug, Clone)]
enum Mode {
    /// Stand in place, at the altitude that is held.
    Hold,
    /// With the climb of a velocity beside it, m/s.
    Attitude(AttitudeCommand, f64),
    Velocity(Vector<Ros>, f64),
}

/// The multirotor.
#[derive(Debug, Clone)]
pub struct Multirotor {
    flight: Flight,
    mode: Mode,
    has_motors_on: bool,
    /// The altitude to hold; none while it climbs or sinks.
    held_altitude: Option<f64>,
}

/// Why the motors cannot be stopped.
pub const IN_THE_AIR: &str = "the motors cannot be stopped in the air";
/// Why a command is refused.
pub const MOTORS_OFF: &str = "the motors are off";
/// Why a velocity is refused.
pub const ATTITUDE_IN_FORCE: &str = "an attitude command is in force";

impl Multirotor {
    /// One that stands on the ground with its motors off.
    #[must_use]
    pub fn new(yaw: f64) -> Self {
        Self {
            flight: Flight {
                position: Vector::ZERO,
                velocity: Vector::ZERO,
                roll: 0.0,
                pitch: 0.0,
                yaw,
                yaw_rate: 0.0,
                thrust: 0.0,
            },
            mode: Mode::Hold,
            has_motors_on: false,
            held_altitude: None,
        }
    }

    /// Where it is and how it moves.
    #[must_use]
    pub fn flight(&self) -> &Flight {
        &self.flight
    }

    /// On the ground.
    #[must_use]
    pub fn is_landed(&self) -> bool {
        self.flight.position.z <= 0.0
    }

    /// Whether the motors run.
    #[must_use]
    pub fn has_motors_on(&self) -> bool {
        self.has_motors_on
    }

    /// Starts or stops the motors.
    ///
    /// # Errors
    /// [`IN_THE_AIR`]: they are only stopped on the ground.
    pub fn set_motors(&mut self, is_on: bool) -> Result<(), &'static str> {
        if !is_on && !self.is_landed() {
            return Err(IN_THE_AIR);
        }
        if is_on != self.has_motors_on {
            // What was wanted before the motors changed does not count any more.
            self.mode = Mode::Hold;
            self.held_altitude = None;
        }
        self.has_motors_on = is_on;
        Ok(())
    }

    /// Lets so many seconds pass, a few hundredths at most.
    pub fn step(&mut self, seconds: f64) {
        let (roll, pitch, yaw_rate) = self.wanted_attitude();
        let lag = (seconds / TILT_LAG).min(1.0);
        let thrust = if self.has_motors_on {
            self.wanted_thrust()
        } else {
            0.0
        };
        let flight = &mut self.flight;
        flight.roll += (roll.clamp(-MAX_TILT, MAX_TILT) - flight.roll) * lag;
        flight.pitch += (pitch.clamp(-MAX_TILT, MAX_TILT) - flight.pitch) * lag;
        flight.yaw_rate = if self.has_motors_on && flight.position.z > 0.0 {
            yaw_rate.clamp(-MAX_YAW_RATE, MAX_YAW_RATE)
        } else {
            0.0
        };
        flight.yaw = wrapped(flight.yaw + flight.yaw_rate * seconds);
        flight.thrust = thrust;

        let push = Vector::new(0.0, 0.0, thrust * FULL_THRUST);
        let push = flight.orientation().rotated(&push);
        let v = flight.velocity;
        let v = Vector::new(
            v.x + (push.x - DRAG * v.x) * seconds,
            v.y + (push.y - DRAG * v.y) * seconds,
            v.z + (push.z - GRAVITY - DRAG * v.z) * seconds,
        );
        let at = flight.position;
        let at = Vector::new(
            at.x + v.x * seconds,
            at.y + v.y * seconds,
            at.z + v.z * seconds,
        );
        (flight.position, flight.velocity) = (at, v);
        if at.z <= 0.0 {
            // The ground: no slide, no tilt, no bounce.
            let before = Vector::new(at.x - v.x * seconds, at.y - v.y * seconds, 0.0);
            flight.position = before;
            flight.velocity = Vector::ZERO;
            (flight.roll, flight.pitch) = (0.0, 0.0);
        }
    }

    /// Roll, pitch and rate of turn.
    fn wanted_attitude(&self) -> (f64, f64, f64) {
        let flight = &self.flight;
        match &self.mode {
            Mode::Attitude(command, _) => {
                let (roll, pitch, yaw) = rotation::rotation_to_ros(command.orientation).to_euler();
                let rate = if command.use_yaw_rate {
                    conventions::yaw_to_ros(command.yaw_rate).radians
                } else {
                    wrapped(yaw - flight.yaw) * YAW_GAIN
                };
                (roll, pitch, rate)
            }
            Mode::Velocity(wanted, yaw_rate) => {
                let (roll, pitch) = self.tilt_for(wanted.x, wanted.y);
                (roll, pitch, *yaw_rate)
            }
            Mode::Hold => {
                let (roll, pitch) = self.tilt_for(0.0, 0.0);
                (roll, pitch, 0.0)
            }
        }
    }

    /// Roll and pitch that bring the speed along the heading and to its left to these, m/s.
    fn tilt_for(&self, forward: f64, left: f64) -> (f64, f64) {
        let v = self.flight.velocity;
        let (sin, cos) = self.flight.yaw.sin_cos();
        let (ahead, aside) = (v.x * cos + v.y * sin, v.y * cos - v.x * sin);
        let push_ahead = (forward - ahead) * SPEED_GAIN + DRAG * forward;
        let push_aside = (left - aside) * SPEED_GAIN + DRAG * left;
        (
            -(push_aside / GRAVITY).atan(),
            (push_ahead / GRAVITY).atan(),
        )
    }

    fn wanted_thrust(&mut self) -> f64 {
        let climb = match &self.mode {
            Mode::Attitude(command, _) if command.use_thrust => {
                self.held_altitude = None;
                return command.normalized_thrust.clamp(0.0, 1.0);
            }
            Mode::Attitude(command, beside) => command.vertical_velocity + beside,
            Mode::Velocity(wanted, _) => wanted.z,
            Mode::Hold => 0.0,
        };
        let flight = &self.flight;
        let climb = if climb.abs() > 0.0 {
            self.held_altitude = None;
            climb
        } else {
            // Held is where a stop from the present climb ends, so that it need not come back.
            let ahead = flight.position.z + flight.velocity.z / SPEED_GAIN;
            let held = *self.held_altitude.get_or_insert(ahead.max(0.0));
            (held - flight.position.z) * ALTITUDE_GAIN
        };
        let climb = climb.clamp(-MAX_CLIMB, MAX_CLIMB);
        let push = GRAVITY + (climb - flight.velocity.z) * SPEED_GAIN + DRAG * climb;
        // Tilted, only a part of the thrust carries.
        let upright = (flight.roll.cos() * flight.pitch.cos()).max(0.5);
        (push / upright / FULL_THRUST).clamp(0.0, 1.0)
    }

    /// Nobody is refused a stop.
    fn takes(&self, is_zero: bool) -> Result<(), String> {
        if self.has_motors_on || is_zero {
            Ok(())
        } else {
            Err(MOTORS_OFF.to_owned())
        }
    }
}

impl AttitudeTarget for Multirotor {
    fn command_attitude(&mut self, command: &AttitudeCommand) -> Result<(), String> {
        self.takes(command.is_zero())?;
        let beside = match self.mode {
            Mode::Attitude(_, beside) if !command.use_thrust => beside,
            _ => 0.0,
        };
        self.mode = Mode::Attitude(command.clone(), beside);
        Ok(())
    }

    fn stop_motion(&mut self) {
        self.mode = Mode::Hold;
    }
}

impl VelocityTarget for Multirotor {
    /// In the heading frame: forward and left along the heading, up along the vertical.
    fn command(&mut self, command: &VelocityCommand) -> Result<(), String> {
        self.takes(command.is_zero())?;
        let linear = conventions::linear_to_ros(command.linear);
        let turn = conventions::angular_to_ros(command.angular).z;
        let Mode::Attitude(attitude, beside) = &mut self.mode else {
            self.mode = Mode::Velocity(linear, turn);
            return Ok(());
        };
        let is_climb = linear.x == 0.0 && linear.y == 0.0 && turn == 0.0;
        let is_possible = command.is_zero() || (is_climb && !attitude.use_thrust);
        *beside = if is_possible { linear.z } else { 0.0 };
        if is_possible {
            Ok(())
        } else {
            Err(ATTITUDE_IN_FORCE.to_owned())
        }
    }

    /// Beside an attitude only the climb ends.
    fn stop_motion(&mut self) {
        match &mut self.mode {
            Mode::Attitude(_, beside) => *beside = 0.0,
            mode => *mode = Mode::Hold,
        }
    }
}

/// The same angle within ±π.
fn wrapped(angle: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    let turned = angle.rem_euclid(TAU);
    if turned > PI { turned - TAU } else { turned }
}
