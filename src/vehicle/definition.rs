//! Message definitions, read from their `.msg` text.
//!
//! Everything that depends on a type (validation, defaults, what rosapi tells of it) is driven by
//! these, so a vehicle with a wider `rpm` differs from the documented one by one line of text.

use std::collections::BTreeMap;

use thiserror::Error;

use super::json::Json;

/// What a single value of a field is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// `bool`.
    Bool,
    /// `byte`, which rosbridge calls `octet`.
    Octet,
    /// `int8` … `int64`.
    Signed(u32),
    /// `uint8` … `uint64`, and `char`.
    Unsigned(u32),
    /// `float32`.
    Float32,
    /// `float64`.
    Float64,
    /// `string` or `wstring`.
    Text,
    /// Another message, by its short name, `package/Name`.
    Message(String),
}

/// How many values a field has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    /// One.
    One,
    /// Any number.
    Sequence,
    /// Exactly so many.
    Fixed(usize),
}

/// A field of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The name on the wire.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
    /// How many there are.
    pub arity: Arity,
}

/// The definition of one message type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The short name, `package/Name`, which the server's complaints use.
    pub name: String,
    /// The `.msg` text.
    pub text: String,
    /// The fields, in order.
    pub fields: Vec<Field>,
    /// Constants: name and value as written.
    pub constants: Vec<(String, String)>,
}

/// Why a `.msg` text cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DefinitionError {
    /// A line that is neither a field nor a constant.
    #[error("{name}: line {line} is neither a field nor a constant: {text:?}")]
    Line {
        /// The type.
        name: String,
        /// Counted from 1.
        line: usize,
        /// What stands there.
        text: String,
    },
    /// A field of a type that nobody defined.
    #[error("{name}: the type {missing} is not defined")]
    Missing {
        /// The type that has the field.
        name: String,
        /// The type of the field.
        missing: String,
    },
}

impl Definition {
    /// Reads a `.msg` text. `name` is the short name; its package completes the names of message
    /// types that are given without one.
    ///
    /// # Errors
    /// When a line is neither a field nor a constant.
    pub fn parse(name: &str, text: &str) -> Result<Self, DefinitionError> {
        let package = name.split('/').next().unwrap_or_default();
        let mut fields = Vec::new();
        let mut constants = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let code = line.split('#').next().unwrap_or_default().trim();
            if code.is_empty() {
                continue;
            }
            let bad = || DefinitionError::Line {
                name: name.to_owned(),
                line: index + 1,
                text: line.to_owned(),
            };
            let (type_name, rest) = code.split_once(char::is_whitespace).ok_or_else(bad)?;
            let rest = rest.trim();
            if let Some((constant, value)) = rest.split_once('=') {
                constants.push((constant.trim().to_owned(), value.trim().to_owned()));
                continue;
            }
            let field_name = rest.split_whitespace().next().ok_or_else(bad)?;
            let (element, arity) = match type_name.split_once('[') {
                None => (type_name, Arity::One),
                Some((element, bounds)) => {
                    let bounds = bounds.strip_suffix(']').ok_or_else(bad)?;
                    let arity = if bounds.is_empty() || bounds.starts_with("<=") {
                        Arity::Sequence
                    } else {
                        Arity::Fixed(bounds.parse().map_err(|_| bad())?)
                    };
                    (element, arity)
                }
            };
            let kind = kind_of(element, package);
            fields.push(Field {
                name: field_name.to_owned(),
                kind,
                arity,
            });
        }
        Ok(Self {
            name: name.to_owned(),
            text: text.to_owned(),
            fields,
            constants,
        })
    }

    /// The name with `/msg/` in it.
    #[must_use]
    pub fn full_name(&self) -> String {
        crate::msgs::normalized_type(&self.name)
    }

    /// The field of that name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl Kind {
    /// The name that rosbridge and rosapi use for it.
    #[must_use]
    pub fn rosbridge_name(&self) -> String {
        match self {
            Self::Bool => "boolean".to_owned(),
            Self::Octet => "octet".to_owned(),
            Self::Signed(bits) => format!("int{bits}"),
            Self::Unsigned(bits) => format!("uint{bits}"),
            Self::Float32 => "float".to_owned(),
            Self::Float64 => "double".to_owned(),
            Self::Text => "string".to_owned(),
            Self::Message(name) => name.clone(),
        }
    }
}

/// The definitions that a vehicle has on board.
#[derive(Debug, Clone, Default)]
pub struct Definitions {
    by_short_name: BTreeMap<String, Definition>,
}

impl Definitions {
    /// Adds a definition.
    pub fn insert(&mut self, definition: Definition) {
        self.by_short_name
            .insert(definition.name.clone(), definition);
    }

    /// The definition under its short name.
    #[must_use]
    pub fn get(&self, short_name: &str) -> Option<&Definition> {
        self.by_short_name.get(short_name)
    }

    /// Whether any type of that package is there.
    #[must_use]
    pub fn has_package(&self, package: &str) -> bool {
        self.by_short_name
            .keys()
            .any(|name| name.split('/').next() == Some(package))
    }

    /// The type and, each once, all the types inside it, in the order in which one meets them.
    #[must_use]
    pub fn with_nested(&self, short_name: &str) -> Vec<&Definition> {
        let mut found: Vec<&Definition> = Vec::new();
        self.collect_nested(short_name, &mut found);
        found
    }

    /// The `.msg` text followed by the texts of all the types inside it, the way a bag holds it.
    #[must_use]
    pub fn full_text(&self, short_name: &str) -> String {
        let rule = "=".repeat(80);
        let mut text = String::new();
        for (index, definition) in self.with_nested(short_name).into_iter().enumerate() {
            if index > 0 {
                text.push_str(&format!("\n{rule}\nMSG: {}\n", definition.name));
            }
            text.push_str(&definition.text);
        }
        text
    }

    /// Checks that every type inside another one is there.
    ///
    /// # Errors
    /// Names the first that is missing.
    pub fn check(&self) -> Result<(), DefinitionError> {
        for definition in self.by_short_name.values() {
            for field in &definition.fields {
                if let Kind::Message(missing) = &field.kind
                    && !self.by_short_name.contains_key(missing)
                {
                    return Err(DefinitionError::Missing {
                        name: definition.name.clone(),
                        missing: missing.clone(),
                    });
                }
            }
        }
        Ok(())
    }

    /// The message with every field at its default: zero, false, empty.
    #[must_use]
    pub fn default_message(&self, short_name: &str) -> Json {
        let fields = self
            .get(short_name)
            .map(|d| d.fields.as_slice())
            .unwrap_or_default();
        Json::Object(
            fields
                .iter()
                .map(|field| (field.name.clone(), self.default_value(field)))
                .collect(),
        )
    }

    /// The default of one field.
    #[must_use]
    pub fn default_value(&self, field: &Field) -> Json {
        let one = match &field.kind {
            Kind::Bool => Json::Bool(false),
            Kind::Octet | Kind::Signed(_) | Kind::Unsigned(_) => Json::Int(0),
            Kind::Float32 | Kind::Float64 => Json::Float(0.0),
            Kind::Text => Json::Text(String::new()),
            Kind::Message(name) => self.default_message(name),
        };
        match field.arity {
            Arity::One => one,
            Arity::Sequence => Json::List(Vec::new()),
            Arity::Fixed(count) => Json::List(vec![one; count]),
        }
    }

    fn collect_nested<'a>(&'a self, short_name: &str, found: &mut Vec<&'a Definition>) {
        let Some(definition) = self.get(short_name) else {
            return;
        };
        if found.iter().any(|known| known.name == definition.name) {
            return;
        }
        found.push(definition);
        for field in &definition.fields {
            if let Kind::Message(name) = &field.kind {
                self.collect_nested(name, found);
            }
        }
    }
}

/// The names of the types that a command or a fix can have on the simulated vehicle.
pub(super) mod names {
    pub(crate) const TWIST: &str = "geometry_msgs/Twist";
    pub(crate) const TWIST_STAMPED: &str = "geometry_msgs/TwistStamped";
    pub(crate) const MC_CTRL: &str = "sweeper_msgs/McCtrl";
    pub(crate) const RTK: &str = "sweeper_msgs/Rtk";
    pub(crate) const LOG: &str = "rcl_interfaces/Log";
    pub(crate) const INT32: &str = "std_msgs/Int32";
    pub(crate) const TIME: &str = "builtin_interfaces/Time";
    pub(crate) const HEADER: &str = "std_msgs/Header";
}

/// All types of the simulated vehicle, with `rpm` of the given type name.
///
/// # Errors
/// When `rpm_type` is not the name of a type.
pub fn on_board(rpm_type: &str) -> Result<Definitions, DefinitionError> {
    let mc_ctrl = MC_CTRL_TEXT.replace("uint8 rpm", &format!("{rpm_type} rpm"));
    let texts: [(&str, &str); 13] = [
        (names::TIME, TIME_TEXT),
        (names::HEADER, HEADER_TEXT),
        ("std_msgs/String", "# A text.\nstring data\n"),
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
    ];
    let mut definitions = Definitions::default();
    for (name, text) in texts {
        definitions.insert(Definition::parse(name, text)?);
    }
    definitions.check()?;
    Ok(definitions)
}

fn kind_of(element: &str, package: &str) -> Kind {
    // A bounded string, `string<=10`, is a string.
    match element.split("<=").next().unwrap_or(element) {
        "bool" => Kind::Bool,
        "byte" => Kind::Octet,
        "char" | "uint8" => Kind::Unsigned(8),
        "uint16" => Kind::Unsigned(16),
        "uint32" => Kind::Unsigned(32),
        "uint64" => Kind::Unsigned(64),
        "int8" => Kind::Signed(8),
        "int16" => Kind::Signed(16),
        "int32" => Kind::Signed(32),
        "int64" => Kind::Signed(64),
        "float32" => Kind::Float32,
        "float64" => Kind::Float64,
        "string" | "wstring" => Kind::Text,
        name => Kind::Message(match name.split('/').collect::<Vec<_>>().as_slice() {
            [message] => format!("{package}/{message}"),
            [package, .., message] => format!("{package}/{message}"),
            [] => name.to_owned(),
        }),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_fields_constants_comments_and_odd_spaces() {
        let text = "# words\nbyte  A=1 # one\nVector3   v  # tail\nfloat64[9] m\nuint8[] d\n";
        let definition = Definition::parse("p/T", text).unwrap();
        assert_eq!(definition.constants, [("A".to_owned(), "1".to_owned())]);
        let kinds: Vec<_> = definition
            .fields
            .iter()
            .map(|f| (f.name.as_str(), f.kind.clone(), f.arity))
            .collect();
        assert_eq!(
            kinds,
            [
                ("v", Kind::Message("p/Vector3".to_owned()), Arity::One),
                ("m", Kind::Float64, Arity::Fixed(9)),
                ("d", Kind::Unsigned(8), Arity::Sequence),
            ]
        );
    }

    #[test]
    fn names_the_line_that_it_cannot_read() {
        let error = Definition::parse("p/T", "int32 a\nnonsense\n").unwrap_err();
        assert!(
            matches!(error, DefinitionError::Line { line: 2, .. }),
            "{error}"
        );
    }

    #[test]
    fn the_vehicle_has_every_type_that_its_types_need() {
        for rpm in ["uint8", "uint16", "float32"] {
            on_board(rpm).unwrap();
        }
        assert!(on_board("uint13").is_err());
    }

    #[test]
    fn the_rpm_of_a_wider_vehicle_is_wider() {
        let definitions = on_board("uint16").unwrap();
        let rpm = definitions
            .get(names::MC_CTRL)
            .unwrap()
            .field("rpm")
            .unwrap()
            .clone();
        assert_eq!(rpm.kind, Kind::Unsigned(16));
    }
}
