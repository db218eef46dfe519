//! The types on board the simulated vehicle, and the defaults of their fields.
//!
//! The definitions themselves are read by [`crate::msgs::definition`].

use super::json::Json;
pub use crate::msgs::definition::{Arity, Definition, DefinitionError, Definitions, Field, Kind};
use crate::tools::field::ToolField;

/// The message with every field at its default: the one of its definition, else zero, false,
/// empty.
#[must_use]
pub fn default_message(definitions: &Definitions, short_name: &str) -> Json {
    let fields = definitions
        .get(short_name)
        .map(|d| d.fields.as_slice())
        .unwrap_or_default();
    Json::Object(
        fields
            .iter()
            .map(|field| (field.name.clone(), default_value(definitions, field)))
            .collect(),
    )
}

/// The default of one field.
#[must_use]
pub fn default_value(definitions: &Definitions, field: &Field) -> Json {
    let written = field.default.as_deref();
    if let (Some(text), Arity::Sequence | Arity::Bounded(_) | Arity::Fixed(_)) =
        (written, field.arity)
    {
        return Json::parse(text).unwrap_or_else(|_| Json::List(Vec::new()));
    }
    let is_bytes = field.kind == Kind::Unsigned(8) && field.arity != Arity::One;
    if is_bytes {
        let count = match field.arity {
            Arity::Fixed(count) => count,
            _ => 0,
        };
        return crate::rosbridge::base64::encode(&vec![0; count]).into();
    }
    let number = written.and_then(|text| Json::parse(text).ok());
    let one = match &field.kind {
        Kind::Bool => Json::Bool(matches!(written, Some("true" | "True" | "1"))),
        Kind::Octet | Kind::Signed(_) | Kind::Unsigned(_) => {
            Json::Int(number.and_then(|n| n.as_int()).unwrap_or(0))
        }
        Kind::Float32 | Kind::Float64 => {
            Json::Float(number.and_then(|n| n.as_f64()).unwrap_or(0.0))
        }
        Kind::Text | Kind::WideText => Json::from(written.unwrap_or_default()),
        Kind::Message(name) => default_message(definitions, name),
    };
    match field.arity {
        Arity::One => one,
        Arity::Sequence | Arity::Bounded(_) => Json::List(Vec::new()),
        Arity::Fixed(count) => Json::List(vec![one; count]),
    }
}

/// The names of the types that a command or a fix can have on the simulated vehicle.
pub(super) mod names {
    pub(crate) const TWIST: &str = "geometry_msgs/Twist";
    pub(crate) const TWIST_STAMPED: &str = "geometry_msgs/TwistStamped";
    pub(crate) const MC_CTRL: &str = "sweeper_msgs/McCtrl";
    pub(crate) const RTK: &str = "sweeper_msgs/Rtk";
    pub(crate) const LOG: &str = "rcl_interfaces/Log";
    pub(crate) const STRING: &str = "std_msgs/String";
    pub(crate) const INT32: &str = "std_msgs/Int32";
    pub(crate) const TIME: &str = "builtin_interfaces/Time";
    pub(crate) const HEADER: &str = "std_msgs/Header";
}

/// All types of the simulated vehicle, with `rpm` of the given type name, and without some fields of
/// McCtrl.
///
/// # Errors
/// When `rpm_type` is not the name of a type.
pub fn on_board(rpm_type: &str, lacking: &[ToolField]) -> Result<Definitions, DefinitionError> {
    let is_there = |line: &&str| {
        let mut lacking = lacking.iter();
        !lacking.any(|field| line.split(' ').nth(1) == Some(field.wire_name()))
    };
    let lines: Vec<&str> = MC_CTRL_TEXT.lines().filter(is_there).collect();
    let mc_ctrl = lines
        .join("\n")
        .replace("uint8 rpm", &format!("{rpm_type} rpm"));
    let texts: [(&str, &str); 17] = [
        (names::TIME, TIME_TEXT),
        (names::HEADER, HEADER_TEXT),
        (names::STRING, "# A text.\nstring data\n"),
        (names::INT32, "# A whole number.\nint32 data\n"),
        ("std_msgs/Bool", "# Yes or no.\nbool data\n"),
        ("std_msgs/Float32", "# A number.\nfloat32 data\n"),
        ("std_msgs/Float64", "# A number.\nfloat64 data\n"),
        ("geometry_msgs/Vector3", VECTOR3_TEXT),
        (names::TWIST, TWIST_TEXT),
        (names::TWIST_STAMPED, TWIST_STAMPED_TEXT),
        (names::MC_CTRL, &mc_ctrl),
        (names::RTK, RTK_TEXT),
        (names::LOG, LOG_TEXT),
        ("sensor_msgs/BatteryState", BATTERY_TEXT),
        ("diagnostic_msgs/KeyValue", "string key\nstring value\n"),
        ("diagnostic_msgs/DiagnosticStatus", DIAGNOSTIC_STATUS_TEXT),
        (
            "diagnostic_msgs/DiagnosticArray",
            "std_msgs/Header header\nDiagnosticStatus[] status\n",
        ),
    ];
    let mut definitions = Definitions::default();
    for (name, text) in texts {
        definitions.insert(Definition::parse(name, text)?);
    }
    definitions.check()?;
    Ok(definitions)
}

const TIME_TEXT: &str = "\
# A point in time: seconds since the epoch of the clock, and the rest.

int32 sec

# Less than a whole second.
uint32 nanosec
";

const HEADER_TEXT: &str = "\
# When the data was made, and in which frame it is.

builtin_interfaces/Time stamp

string frame_id
";

const VECTOR3_TEXT: &str = "\
# Three numbers along the axes of a frame.

float64 x
float64 y
float64 z
";

// The odd spaces are those of the original: whoever reads definitions has to stand them.
const TWIST_TEXT: &str = "\
# A velocity: its linear part in m/s, its angular part in rad/s.

Vector3  linear
Vector3  angular
";

const TWIST_STAMPED_TEXT: &str = "\
# A velocity, when it was wanted and in which frame.

std_msgs/Header header
Twist twist
";

const MC_CTRL_TEXT: &str = "\
uint8 brake
uint8 gear
uint8 rpm
float32 angle
uint16 angle_speed
uint8 roll_brush_suction_direction
uint8 roll_brush_suction
int8 side_brush
int8 dust_shake
int8 brush_deck_pusher
int8 suction_squeeqee_pusher
int8 water_spray
";

const RTK_TEXT: &str = "\
float64 lat
float64 lon
float32 head
float32 speed
int32 p_quality
int32 h_quality
";

const LOG_TEXT: &str = "\
# A line of a node's log. The levels:
byte DEBUG=10
byte INFO=20
byte WARN=30
byte ERROR=40
byte FATAL=50

# When it was written.
builtin_interfaces/Time stamp

# One of the levels above.
uint8 level

# The logger's name, usually the node's.
string name

string msg

# Where in the program.
string file
string function
uint32 line
";

const BATTERY_TEXT: &str = "\
std_msgs/Header header
float32 voltage # Voltage in Volts
float32 temperature # Temperature in Degrees Celsius
float32 current # in A
float32 charge # in Ah
float32 capacity # in Ah
float32 design_capacity # in Ah
float32 percentage # 0 to 1
uint8 power_supply_status
uint8 power_supply_health
uint8 power_supply_technology
bool present
float32[] cell_voltage
float32[] cell_temperature
string location
string serial_number
";

const DIAGNOSTIC_STATUS_TEXT: &str = "\
byte OK=0
byte WARN=1
byte ERROR=2
byte STALE=3

byte level
string name
string message
string hardware_id
KeyValue[] values
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vehicle_has_every_type_that_its_types_need() {
        for rpm in ["uint8", "uint16", "float32"] {
            on_board(rpm, &[]).unwrap();
        }
        assert!(on_board("uint13", &[]).is_err());
    }

    #[test]
    fn the_rpm_of_a_wider_vehicle_is_wider() {
        let definitions = on_board("uint16", &[]).unwrap();
        let rpm = definitions
            .get(names::MC_CTRL)
            .unwrap()
            .field("rpm")
            .unwrap()
            .clone();
        assert_eq!(rpm.kind, Kind::Unsigned(16));
    }

    #[test]
    fn a_default_of_the_definition_is_the_default() {
        let mut definitions = Definitions::default();
        definitions
            .add_full_text(
                "p/T",
                "int8 a -3\nfloat32 b 0.5\nstring c \"x\"\nint8[] d [1, 2]\nbool e true",
            )
            .unwrap();
        let message = default_message(&definitions, "p/T").to_text();
        assert_eq!(
            message,
            r#"{"a": -3, "b": 0.5, "c": "x", "d": [1, 2], "e": true}"#
        );
    }
}
