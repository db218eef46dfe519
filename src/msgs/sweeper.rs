//! The sweeper's two messages, after "Sweeper ROS 2 control and positioning interface" V1.0.
//!
//! The document names no package; [`McCtrl::TYPE`] and [`Rtk::TYPE`] are the fall-back when the
//! vehicle does not tell.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Message;

/// `McCtrl` on `/auto_mc_ctrl`: the whole body of the vehicle in one message.
///
/// An all-zero message is never sent: it would release the brake, and `angle_speed` 0 is outside
/// the documented range.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct McCtrl {
    /// Electromagnetic brake: 0 released, 1 engaged.
    pub brake: u8,
    /// 0 neutral, 1 forward, 2 reverse; 3 is reserved and never sent.
    pub gear: u8,
    /// Motor speed in rpm, documented 0–6000. The documented wire type is `uint8`, which stops at
    /// 255; a vehicle with a wider definition takes all of it, so it is an `u16` here and the
    /// limit comes from the definition (`tools::limits`).
    pub rpm: u16,
    /// Wheel steering angle in degrees, −66.0…66.0 in steps of 0.2. The sign is undocumented;
    /// the profile's `steering_sign` says which way is left.
    pub angle: f32,
    /// Steering speed in rpm, 120–1500.
    pub angle_speed: u16,
    /// Roll brush and suction: 0 stop, 1 forward, 2 reverse.
    pub roll_brush_suction_direction: u8,
    /// Roll brush and suction: duty in percent, 0–100.
    pub roll_brush_suction: u8,
    /// Side brush: duty in percent, 0–100.
    pub side_brush: i8,
    /// Dust shaker: duty in percent, 0–100.
    pub dust_shake: i8,
    /// Brush deck pusher: + extends, − retracts, 0 stops; percent.
    pub brush_deck_pusher: i8,
    /// Squeegee pusher: + extends, − retracts, 0 stops; percent. The misspelt wire name is right.
    pub suction_squeeqee_pusher: i8,
    /// Water: + sprays, − reverses (drains, hardware permitting), 0 stops; percent.
    pub water_spray: i8,
}

impl McCtrl {
    /// The documented fields and their types, in order.
    pub const FIELDS: [(&str, &str); 12] = [
        ("brake", "uint8"),
        ("gear", "uint8"),
        ("rpm", "uint8"),
        ("angle", "float32"),
        ("angle_speed", "uint16"),
        ("roll_brush_suction_direction", "uint8"),
        ("roll_brush_suction", "uint8"),
        ("side_brush", "int8"),
        ("dust_shake", "int8"),
        ("brush_deck_pusher", "int8"),
        ("suction_squeeqee_pusher", "int8"),
        ("water_spray", "int8"),
    ];

    /// Everything off, brake engaged: what a console that knows nothing may safely say.
    pub const SAFE: Self = Self {
        brake: 1,
        gear: 0,
        rpm: 0,
        angle: 0.0,
        angle_speed: 120,
        roll_brush_suction_direction: 0,
        roll_brush_suction: 0,
        side_brush: 0,
        dust_shake: 0,
        brush_deck_pusher: 0,
        suction_squeeqee_pusher: 0,
        water_spray: 0,
    };
}

impl Message for McCtrl {
    const TYPE: &'static str = "sweeper_msgs/msg/McCtrl";
}

/// `Rtk` on `/rtk_message`, from the vehicle. There is no stamp.
///
/// Any value may be absent or `null` (rosbridge turns NaN into `null`), so every field is
/// optional; an absent one is never read as 0.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Rtk {
    /// Latitude in degrees, WGS84, north positive.
    pub lat: Option<f64>,
    /// Longitude in degrees, WGS84, east positive.
    pub lon: Option<f64>,
    /// Heading in degrees, 0–360, 0 north, clockwise.
    pub head: Option<f64>,
    /// Speed; the unit is undocumented and a profile item.
    pub speed: Option<f64>,
    /// Position solution, 0–9 (4 fixed is best).
    pub p_quality: Option<i64>,
    /// Heading solution, 0–9 (4 fixed is best).
    pub h_quality: Option<i64>,
    /// `p_quality` was told, and is no whole number.
    pub has_odd_quality: bool,
}

impl Rtk {
    /// The documented fields and their types, in order.
    pub const FIELDS: [(&str, &str); 6] = [
        ("lat", "float64"),
        ("lon", "float64"),
        ("head", "float32"),
        ("speed", "float32"),
        ("p_quality", "int32"),
        ("h_quality", "int32"),
    ];

    /// Field by field, so that one of the wrong kind costs only itself. What is there and is no
    /// number is NaN, which is not the same as absent.
    #[must_use]
    pub fn from_value(msg: &Value) -> Self {
        let told = |name: &str| msg.get(name).filter(|value| !value.is_null());
        let number = |name: &str| told(name).map(|value| value.as_f64().unwrap_or(f64::NAN));
        let whole = |name: &str| {
            let value = msg.get(name)?;
            value.as_i64().or_else(|| {
                value
                    .as_f64()
                    .filter(|v| v.fract().abs() <= 0.0)
                    .map(|v| v as i64)
            })
        };
        let p_quality = whole("p_quality");
        Self {
            lat: number("lat"),
            lon: number("lon"),
            head: number("head"),
            speed: number("speed"),
            p_quality,
            h_quality: whole("h_quality"),
            has_odd_quality: p_quality.is_none() && told("p_quality").is_some(),
        }
    }
}

impl Message for Rtk {
    const TYPE: &'static str = "sweeper_msgs/msg/Rtk";
}
