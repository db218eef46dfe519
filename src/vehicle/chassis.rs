//! How the vehicle moves: a kinematic model with limits on acceleration and steering rate.
//!
//! The reference point is the middle of the rear axle. Numbers of [`ChassisParameters::default`]:
//! wheelbase 1.1 m, wheels turn up to 45° at 60°/s, 3.0 m/s forward, 1.5 m/s back, 1.0 m/s² to
//! gain and 1.5 m/s² to lose speed, 2.5 m/s² by the brake; a drive wheel of 0.2 m radius behind a
//! 40 : 1 gear, so 6000 rpm are 3.1 m/s and the 255 rpm of a `uint8` 0.13 m/s.

use super::receiver::{VelocityCommand, VelocityTarget};
use crate::ros::conventions;

/// How the vehicle steers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Steering {
    /// Steered front wheels: ω = v · tan δ / L. It cannot turn on the spot.
    #[default]
    Ackermann,
    /// Two driven wheels: v and ω are free of each other.
    Differential,
}

/// The vehicle's dimensions and limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChassisParameters {
    /// How it steers.
    pub steering: Steering,
    /// Front axle to rear axle, m.
    pub wheelbase: f64,
    /// Greatest wheel angle either way, degrees.
    pub max_steer_deg: f64,
    /// How fast the wheels turn for `cmd_vel`, degrees per second.
    pub steer_rate_deg: f64,
    /// Greatest speed forward, m/s.
    pub max_forward: f64,
    /// Greatest speed back, m/s.
    pub max_reverse: f64,
    /// Gain of speed, m/s².
    pub acceleration: f64,
    /// Loss of speed, m/s².
    pub deceleration: f64,
    /// Loss of speed by the brake, m/s².
    pub brake_deceleration: f64,
    /// Change of the rate of turn of a differential vehicle, rad/s².
    pub angular_acceleration: f64,
    /// Drive wheel's radius, m.
    pub wheel_radius: f64,
    /// Turns of the motor for one turn of the wheel.
    pub gear_ratio: f64,
    /// Wheel angle rate in degrees per second for each rpm of `angle_speed`: 120 rpm are 7.2°/s,
    /// 1500 rpm 90°/s.
    pub steer_rate_per_rpm: f64,
}

impl Default for ChassisParameters {
    fn default() -> Self {
        Self {
            steering: Steering::Ackermann,
            wheelbase: 1.1,
            max_steer_deg: 45.0,
            steer_rate_deg: 60.0,
            max_forward: 3.0,
            max_reverse: 1.5,
            acceleration: 1.0,
            deceleration: 1.5,
            brake_deceleration: 2.5,
            angular_acceleration: 3.0,
            wheel_radius: 0.2,
            gear_ratio: 40.0,
            steer_rate_per_rpm: 0.06,
        }
    }
}

/// Where the vehicle is and how it moves; the truth, without noise.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Motion {
    /// East of the start, m.
    pub x: f64,
    /// North of the start, m.
    pub y: f64,
    /// ENU yaw, radians: 0 east, counter-clockwise.
    pub yaw: f64,
    /// m/s, forward positive.
    pub speed: f64,
    /// rad/s, left positive.
    pub yaw_rate: f64,
    /// Wheel angle, radians, left positive.
    pub steer: f64,
}

/// What McCtrl asks of the drive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MotorRequest {
    /// 0 neutral, 1 forward, 2 reverse.
    pub gear: u8,
    /// Motor speed.
    pub rpm: f64,
    /// Wheel angle, degrees, left positive.
    pub angle_deg: f64,
    /// Steering speed, rpm.
    pub angle_speed: f64,
}

/// The chassis.
#[derive(Debug, Clone)]
pub struct Chassis {
    parameters: ChassisParameters,
    motion: Motion,
    velocity: Option<VelocityRequest>,
    motor: Option<MotorRequest>,
    is_braked: bool,
}

#[derive(Debug, Clone, Copy)]
struct VelocityRequest {
    linear: f64,
    angular: f64,
}

impl Chassis {
    /// A chassis that stands at the origin with this yaw.
    #[must_use]
    pub fn new(parameters: ChassisParameters, yaw: f64, is_braked: bool) -> Self {
        let motion = Motion {
            yaw,
            ..Motion::default()
        };
        Self {
            parameters,
            motion,
            velocity: None,
            motor: None,
            is_braked,
        }
    }

    /// Engages or releases the brake. Engaged it overrides everything.
    pub fn set_brake(&mut self, is_braked: bool) {
        self.is_braked = is_braked;
    }

    /// Whether the brake is engaged.
    #[must_use]
    pub fn is_braked(&self) -> bool {
        self.is_braked
    }

    /// What McCtrl asks; it counts while no velocity command is in force.
    pub fn set_motor(&mut self, request: Option<MotorRequest>) {
        self.motor = request;
    }

    /// Where the vehicle is and how it moves.
    #[must_use]
    pub fn motion(&self) -> Motion {
        self.motion
    }

    /// The speed that a motor speed makes, m/s.
    #[must_use]
    pub fn speed_of_rpm(&self, rpm: f64) -> f64 {
        rpm / self.parameters.gear_ratio * std::f64::consts::TAU / 60.0
            * self.parameters.wheel_radius
    }

    /// Lets so many seconds pass.
    pub fn step(&mut self, seconds: f64) {
        let p = self.parameters;
        let wanted = self.wanted();
        let goal = if self.is_braked {
            0.0
        } else {
            wanted.speed.clamp(-p.max_reverse, p.max_forward)
        };
        let rate = if self.is_braked {
            p.brake_deceleration
        } else if goal.abs() > self.motion.speed.abs() && goal * self.motion.speed >= 0.0 {
            p.acceleration
        } else {
            p.deceleration
        };
        let speed = self.motion.speed;
        // A change of direction goes through a stand, with the rate that belongs to slowing down.
        let goal = if goal * speed < 0.0 { 0.0 } else { goal };
        self.motion.speed = approach(speed, goal, rate * seconds);

        let max_steer = p.max_steer_deg.to_radians();
        if let Some(steer) = wanted.steer {
            let step = wanted.steer_rate_deg.to_radians() * seconds;
            self.motion.steer =
                approach(self.motion.steer, steer.clamp(-max_steer, max_steer), step);
        }
        self.motion.yaw_rate = match p.steering {
            Steering::Ackermann => self.motion.speed * self.motion.steer.tan() / p.wheelbase,
            Steering::Differential => {
                let goal = if self.is_braked { 0.0 } else { wanted.yaw_rate };
                approach(self.motion.yaw_rate, goal, p.angular_acceleration * seconds)
            }
        };
        let middle = self.motion.yaw + self.motion.yaw_rate * seconds / 2.0;
        let mean_speed = (speed + self.motion.speed) / 2.0;
        self.motion.x += mean_speed * middle.cos() * seconds;
        self.motion.y += mean_speed * middle.sin() * seconds;
        self.motion.yaw += self.motion.yaw_rate * seconds;
    }

    fn wanted(&self) -> Wanted {
        let p = &self.parameters;
        if let Some(VelocityRequest { linear, angular }) = self.velocity {
            // A wheel angle for next to no speed means nothing: only its direction does.
            let steer = if linear.abs() >= 0.01 {
                Some((p.wheelbase * angular / linear).atan())
            } else if angular.abs() >= 0.01 {
                Some(p.max_steer_deg.to_radians().copysign(angular))
            } else {
                None
            };
            return Wanted {
                speed: linear,
                yaw_rate: angular,
                steer,
                steer_rate_deg: p.steer_rate_deg,
            };
        }
        let Some(motor) = self.motor else {
            return Wanted {
                speed: 0.0,
                yaw_rate: 0.0,
                steer: None,
                steer_rate_deg: 0.0,
            };
        };
        let speed = match motor.gear {
            1 => self.speed_of_rpm(motor.rpm),
            2 => -self.speed_of_rpm(motor.rpm),
            _ => 0.0,
        };
        let steer = motor.angle_deg.to_radians();
        Wanted {
            speed,
            yaw_rate: speed * steer.tan() / p.wheelbase,
            steer: Some(steer),
            steer_rate_deg: motor.angle_speed * p.steer_rate_per_rpm,
        }
    }
}

impl VelocityTarget for Chassis {
    /// `cmd_vel` needs no gear. What is not forward or a turn is not possible and not done.
    fn command(&mut self, command: &VelocityCommand) -> Result<(), String> {
        let linear = conventions::linear_to_ros(command.linear);
        let angular = conventions::angular_to_ros(command.angular);
        self.velocity = Some(VelocityRequest {
            linear: linear.x,
            angular: angular.z,
        });
        Ok(())
    }

    fn stop_motion(&mut self) {
        self.velocity = None;
    }
}

struct Wanted {
    speed: f64,
    yaw_rate: f64,
    steer: Option<f64>,
    steer_rate_deg: f64,
}

/// `value`, moved towards `goal` by no more than `step`; reaches it exactly.
fn approach(value: f64, goal: f64, step: f64) -> f64 {
    if (goal - value).abs() <= step {
        goal
    } else {
        value + step.copysign(goal - value)
    }
}
