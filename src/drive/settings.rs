//! The drive's numbers. Ranges are checked where the profile is read ([`crate::profile`]).

use crate::units::{Degrees, Meters, MetersPerSecond, RadiansPerSecond};

/// Which message makes the vehicle drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Via {
    /// `geometry_msgs` Twist or TwistStamped.
    #[default]
    CmdVel,
    /// `McCtrl`: the stick makes rpm, gear and angle.
    McCtrl,
    /// `AttitudeTarget`: the pad tilts a multirotor; its climb goes as a Twist beside it.
    Attitude,
}

/// How stick x becomes a rate of turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Steering {
    /// Stick x is ω: the vehicle turns on the spot.
    Differential,
    /// Stick x is the wheel angle: no turn at rest, ω changes sign in reverse.
    #[default]
    Ackermann,
    /// A multirotor: forward and sideways in the heading frame by one pad, climb and turn by the
    /// other. It comes with the vehicle's kind, not with a setting.
    Flight,
}

/// Which axle an Ackermann vehicle steers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SteeredAxle {
    /// The front wheels turn.
    #[default]
    Front,
    /// The rear wheels turn, as on many sweepers; the body's ω for a stick to the left is the
    /// same, the reference point is the fixed front axle.
    Rear,
}

/// Everything that shapes a drive command. The defaults are safe for a vehicle that nobody has
/// measured yet.
#[derive(Debug, Clone, PartialEq)]
pub struct DriveSettings {
    /// Which message drives.
    pub via: Via,
    /// How the stick steers.
    pub steering: Steering,
    /// Commands a second while driving, 10–50.
    pub rate_hz: f64,
    /// How long a lease lives after its last renewal, 150–1000 ms.
    pub deadman_ms: u64,
    /// How old the newest echoed heartbeat may be, 150–1000 ms.
    pub link_timeout_ms: u64,
    /// Forward limit, up to 3.0 m/s.
    pub max_linear: MetersPerSecond,
    /// Reverse limit (a magnitude), up to 3.0 m/s.
    pub max_reverse: MetersPerSecond,
    /// Turn limit, up to 3.0 rad/s.
    pub max_angular: RadiansPerSecond,
    /// Limit to either side, up to 3.0 m/s (multirotor).
    pub max_sideways: MetersPerSecond,
    /// Limit upwards, up to 3.0 m/s (multirotor).
    pub max_climb: MetersPerSecond,
    /// Limit downwards (a magnitude), up to 3.0 m/s (multirotor).
    pub max_sink: MetersPerSecond,
    /// Tilt for `max_linear` of the pad, up to 35° (multirotor by attitude).
    pub max_tilt_deg: Degrees,
    /// Growth of |v| per second, m/s².
    pub acceleration: f64,
    /// Growth of |ω| per second, rad/s².
    pub angular_acceleration: f64,
    /// Share of the radius that counts as neutral, 0–0.4.
    pub deadzone: f64,
    /// 0 linear … 1 cubic.
    pub expo: f64,
    /// Seconds at neutral (and standing, where known) between forward and reverse.
    pub reverse_pause_s: f64,
    /// Distance between the axles (Ackermann).
    pub wheelbase: Meters,
    /// Radius of the driven wheels (by McCtrl).
    pub wheel_radius: Meters,
    /// Turns of the motor for one of the driven wheels (by McCtrl).
    pub gear_ratio: f64,
    /// Largest wheel angle (Ackermann).
    pub max_steer_deg: Degrees,
    /// The steered axle (Ackermann).
    pub steered_axle: SteeredAxle,
    /// Largest v·ω, m/s² (Ackermann).
    pub lateral_acceleration: f64,
    /// Seconds after which a bit-identical contact warns, 5–60; 5 s later it stops.
    pub vigilance_s: f64,
    /// Speed cap until the stop check of this vehicle has passed.
    pub unverified_max: MetersPerSecond,
}

impl Default for DriveSettings {
    fn default() -> Self {
        Self {
            via: Via::CmdVel,
            steering: Steering::Ackermann,
            rate_hz: 20.0,
            deadman_ms: 300,
            link_timeout_ms: 300,
            max_linear: MetersPerSecond(0.5),
            max_reverse: MetersPerSecond(0.3),
            max_angular: RadiansPerSecond(0.8),
            max_sideways: MetersPerSecond(0.3),
            max_climb: MetersPerSecond(0.5),
            max_sink: MetersPerSecond(0.3),
            max_tilt_deg: Degrees(10.0),
            acceleration: 0.5,
            angular_acceleration: 1.5,
            deadzone: 0.08,
            expo: 0.3,
            reverse_pause_s: 0.5,
            wheelbase: Meters(1.1),
            wheel_radius: Meters(0.2),
            gear_ratio: 40.0,
            max_steer_deg: Degrees(45.0),
            steered_axle: SteeredAxle::Front,
            lateral_acceleration: 1.0,
            vigilance_s: 15.0,
            unverified_max: MetersPerSecond(0.3),
        }
    }
}
