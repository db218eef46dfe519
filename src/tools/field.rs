//! The twelve fields of McCtrl as data: names, documented ranges, wire types.

use serde::{Deserialize, Serialize};

/// One field of `McCtrl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolField {
    /// Electromagnetic brake.
    Brake,
    /// Gear.
    Gear,
    /// Motor speed.
    Rpm,
    /// Wheel steering angle.
    Angle,
    /// Steering speed.
    AngleSpeed,
    /// Direction of roll brush and suction.
    RollBrushSuctionDirection,
    /// Duty of roll brush and suction.
    RollBrushSuction,
    /// Duty of the side brush.
    SideBrush,
    /// Duty of the dust shaker.
    DustShake,
    /// Brush deck pusher.
    BrushDeckPusher,
    /// Squeegee pusher.
    SuctionSqueeqeePusher,
    /// Water.
    WaterSpray,
}

impl ToolField {
    /// All fields in the order of the message definition.
    pub const ALL: [Self; 12] = [
        Self::Brake,
        Self::Gear,
        Self::Rpm,
        Self::Angle,
        Self::AngleSpeed,
        Self::RollBrushSuctionDirection,
        Self::RollBrushSuction,
        Self::SideBrush,
        Self::DustShake,
        Self::BrushDeckPusher,
        Self::SuctionSqueeqeePusher,
        Self::WaterSpray,
    ];

    /// The name on the wire.
    #[must_use]
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::Brake => "brake",
            Self::Gear => "gear",
            Self::Rpm => "rpm",
            Self::Angle => "angle",
            Self::AngleSpeed => "angle_speed",
            Self::RollBrushSuctionDirection => "roll_brush_suction_direction",
            Self::RollBrushSuction => "roll_brush_suction",
            Self::SideBrush => "side_brush",
            Self::DustShake => "dust_shake",
            Self::BrushDeckPusher => "brush_deck_pusher",
            Self::SuctionSqueeqeePusher => "suction_squeeqee_pusher",
            Self::WaterSpray => "water_spray",
        }
    }

    /// The documented range, inclusive, in the field's own unit.
    #[must_use]
    pub fn documented_range(self) -> (f64, f64) {
        match self {
            Self::Brake => (0.0, 1.0),
            Self::Gear | Self::RollBrushSuctionDirection => (0.0, 2.0),
            Self::Rpm => (0.0, 6000.0),
            Self::Angle => (-66.0, 66.0),
            Self::AngleSpeed => (120.0, 1500.0),
            Self::RollBrushSuction | Self::SideBrush | Self::DustShake => (0.0, 100.0),
            Self::BrushDeckPusher | Self::SuctionSqueeqeePusher | Self::WaterSpray => {
                (-100.0, 100.0)
            }
        }
    }

    /// The documented wire type.
    #[must_use]
    pub fn documented_type(self) -> WireType {
        match self {
            Self::Brake
            | Self::Gear
            | Self::Rpm
            | Self::RollBrushSuctionDirection
            | Self::RollBrushSuction => WireType::Uint8,
            Self::Angle => WireType::Float32,
            Self::AngleSpeed => WireType::Uint16,
            Self::SideBrush
            | Self::DustShake
            | Self::BrushDeckPusher
            | Self::SuctionSqueeqeePusher
            | Self::WaterSpray => WireType::Int8,
        }
    }
}

/// A primitive type of a ROS definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each is the ROS primitive of the same name")]
pub enum WireType {
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Int64,
    Uint64,
    Float32,
    Float64,
}

impl WireType {
    /// The primitive that a `.msg` text or rosapi calls so (`uint8`, `byte`, `octet`, `float`,
    /// `double` …); `None` for anything that is not a number.
    #[must_use]
    pub fn from_ros(name: &str) -> Option<Self> {
        Some(match name {
            "int8" => Self::Int8,
            "uint8" | "byte" | "octet" | "char" => Self::Uint8,
            "int16" => Self::Int16,
            "uint16" => Self::Uint16,
            "int32" => Self::Int32,
            "uint32" => Self::Uint32,
            "int64" => Self::Int64,
            "uint64" => Self::Uint64,
            "float32" | "float" => Self::Float32,
            "float64" | "double" => Self::Float64,
            _ => return None,
        })
    }

    /// The primitive's name in a `.msg` text.
    #[must_use]
    pub fn ros_name(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::Uint8 => "uint8",
            Self::Int16 => "int16",
            Self::Uint16 => "uint16",
            Self::Int32 => "int32",
            Self::Uint32 => "uint32",
            Self::Int64 => "int64",
            Self::Uint64 => "uint64",
            Self::Float32 => "float32",
            Self::Float64 => "float64",
        }
    }

    /// What it can hold, inclusive, as far as this crate's fields need (64-bit ends are rounded).
    #[must_use]
    pub fn range(self) -> (f64, f64) {
        match self {
            Self::Int8 => (-128.0, 127.0),
            Self::Uint8 => (0.0, 255.0),
            Self::Int16 => (-32_768.0, 32_767.0),
            Self::Uint16 => (0.0, 65_535.0),
            Self::Int32 => (-2_147_483_648.0, 2_147_483_647.0),
            Self::Uint32 => (0.0, 4_294_967_295.0),
            Self::Int64 => (-9.2e18, 9.2e18),
            Self::Uint64 => (0.0, 1.8e19),
            Self::Float32 => (f64::from(f32::MIN), f64::from(f32::MAX)),
            Self::Float64 => (f64::MIN, f64::MAX),
        }
    }

    /// True for the floating-point types.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Self::Float32 | Self::Float64)
    }
}
