//! What the operator wants of the tools.

use serde::{Deserialize, Serialize};

/// Settings that stay until changed: they mean something only while the tools are armed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wanted {
    /// True engages the electromagnetic brake.
    pub brake: bool,
    /// 0 stop, 1 forward, 2 reverse.
    pub roll_brush_suction_direction: u8,
    /// Percent.
    pub roll_brush_suction: u8,
    /// Percent.
    pub side_brush: u8,
    /// Percent.
    pub dust_shake: u8,
    /// How much water flows when it flows, percent.
    pub water_amount: u8,
    /// Steering speed, rpm.
    pub angle_speed: u16,
    /// Engineers' page: 0 neutral, 1 forward, 2 reverse.
    pub gear: u8,
    /// Engineers' page: steering angle in degrees, left positive (REP-103; the wire's sign is
    /// applied later).
    pub angle_deg: f64,
    /// Engineers' page: motor speed in rpm that the held button asks for.
    pub rpm: u16,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            brake: true,
            roll_brush_suction_direction: 0,
            roll_brush_suction: 0,
            side_brush: 0,
            dust_shake: 0,
            water_amount: 30,
            angle_speed: 120,
            gear: 0,
            angle_deg: 0.0,
            rpm: 100,
        }
    }
}

/// Controls that act only while a finger is on them; renewed with every lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Holds {
    /// +1 extend, −1 retract, 0 not held.
    pub brush_deck_pusher: i8,
    /// +1 extend, −1 retract, 0 not held.
    pub suction_squeeqee_pusher: i8,
    /// +1 spray, −1 drain, 0 not held.
    pub water_spray: i8,
    /// Engineers' page: the motor-speed button is held.
    pub rpm: bool,
    /// The program whose button is held, counted from 1; 0: none.
    pub program: u8,
    /// The movement of a check on the vehicle, by
    /// [`super::commissioning::Movement::number`]; 0: none.
    pub check: i8,
}

impl Holds {
    /// True when nothing is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
