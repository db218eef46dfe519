//! The tools' numbers. Ranges are checked where the profile is read ([`crate::profile`]).

use super::commissioning::Commissioned;
use super::program::{Program, usual_programs};

/// When water flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SprayWhile {
    /// Only while its button is held.
    #[default]
    Held,
    /// While its button is held, and while driving forward.
    DrivingForward,
}

/// What shapes McCtrl.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolsSettings {
    /// Messages a second while armed, 5–20.
    pub rate_hz: f64,
    /// +1: a positive `angle` turns left; −1: right. To be checked on the vehicle.
    pub steering_sign: f64,
    /// The angle on the wire at which the wheels are straight, degrees.
    pub steering_trim_deg: f64,
    /// What the profile states of the vehicle's polarities; what is found out on it wins.
    pub polarity: Commissioned,
    /// Largest |angle| in degrees, a margin inside the documented ±66.
    pub max_angle_deg: f64,
    /// `angle_speed` in rpm, 120–1500.
    pub angle_speed: u16,
    /// Duty of a pusher while its button is held, percent.
    pub pusher_duty: u8,
    /// Seconds after which a held pusher stops by itself.
    pub stroke_s: f64,
    /// Seconds at 0 before the roll brush turns the other way.
    pub reverse_dwell_s: f64,
    /// When water flows.
    pub spray_while: SprayWhile,
    /// Seconds without any touch after which the tools stop.
    pub presence_s: f64,
    /// True shows the engineers' page: gear, motor speed and steering by hand.
    pub engineer: bool,
    /// Seconds that roll brush and suction run on after they were switched off, when water flowed
    /// within that time; 0: not at all.
    pub suction_run_on_s: f64,
    /// True refuses to reverse while the squeegee is out.
    pub squeegee_interlock: bool,
    /// True beeps while reverse motion is commanded.
    pub reverse_sound: bool,
    /// What is run while its button is held.
    pub programs: Vec<Program>,
}

impl Default for ToolsSettings {
    fn default() -> Self {
        Self {
            rate_hz: 10.0,
            steering_sign: 1.0,
            steering_trim_deg: 0.0,
            polarity: Commissioned::default(),
            max_angle_deg: 60.0,
            angle_speed: 120,
            pusher_duty: 100,
            stroke_s: 10.0,
            reverse_dwell_s: 2.0,
            spray_while: SprayWhile::Held,
            presence_s: 60.0,
            engineer: true,
            suction_run_on_s: 0.0,
            squeegee_interlock: true,
            reverse_sound: true,
            programs: usual_programs(),
        }
    }
}
