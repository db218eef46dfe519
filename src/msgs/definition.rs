//! Message definitions, whole: fields with their units and defaults, constants, nested types.
//!
//! Everything that depends on a type (validation, defaults, decoding of CDR, what a message tree
//! says beside a number) is driven by these, so a vehicle with a wider `rpm` differs from the
//! documented one by one line of text. The lines are read by [`super::schema`].
//!
//! ```
//! use broomstick::msgs::definition::{Arity, Definitions, Kind};
//!
//! // As `topics_and_raw_types` gives it: the text, then those of the nested types.
//! let text = "Vector3 linear # m/s\nfloat64[36] covariance\n\
//!     ================\nMSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z\n";
//! let mut definitions = Definitions::default();
//! definitions.add_full_text("geometry_msgs/msg/Twist", text)?;
//! let twist = definitions.get("geometry_msgs/Twist").expect("just added");
//! assert_eq!(twist.fields[0].unit, Some("m/s"));
//! assert_eq!(twist.fields[1].arity, Arity::Fixed(36));
//! let vector = definitions.get("geometry_msgs/Vector3").expect("came along");
//! assert_eq!(vector.fields[0].kind, Kind::Float64);
//!
//! // What cannot be read is named with its line.
//! let error = definitions.add_full_text("p/Odd", "int32 a\nnonsense").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "p/Odd: line 2 is neither a field nor a constant: \"nonsense\""
//! );
//! # Ok::<(), broomstick::msgs::definition::DefinitionError>(())
//! ```

use std::collections::BTreeMap;

use serde_json::Value;
use thiserror::Error;

use super::schema::{self, FieldLine, Line, msg_spelling};
use super::unit::unit_in;

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
    /// `string`, bounded or not.
    Text,
    /// `wstring`, bounded or not.
    WideText,
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
    /// At most so many.
    Bounded(usize),
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
    /// The default as the text has it, without quotes.
    pub default: Option<String>,
    /// The unit that its comment states, in the symbols of the SI.
    pub unit: Option<&'static str>,
}

/// The definition of one message type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The short name, `package/Name`, which the server's complaints use.
    pub name: String,
    /// The `.msg` text; empty when it was told by `message_details`.
    pub text: String,
    /// The fields, in order.
    pub fields: Vec<Field>,
    /// Constants: name and value as written.
    pub constants: Vec<(String, String)>,
}

/// Why a definition cannot be used.
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

impl Field {
    /// One value without a default or a unit.
    #[must_use]
    pub fn new(name: &str, kind: Kind, arity: Arity) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            arity,
            default: None,
            unit: None,
        }
    }
}

impl Definition {
    /// Reads one definition's `.msg` text. `name` is the short name; its package completes the
    /// names of message types that are given without one.
    ///
    /// A unit is taken from the comment behind a field, else from the comment lines directly
    /// above it.
    ///
    /// # Errors
    /// When a line is neither a field nor a constant.
    pub fn parse(name: &str, text: &str) -> Result<Self, DefinitionError> {
        let mut definition = Self {
            name: name.to_owned(),
            text: text.to_owned(),
            fields: Vec::new(),
            constants: Vec::new(),
        };
        let mut above = String::new();
        for (index, line) in text.lines().enumerate() {
            let bad = || DefinitionError::Line {
                name: name.to_owned(),
                line: index + 1,
                text: line.to_owned(),
            };
            match schema::line(line) {
                Line::Comment(comment) => {
                    above.push(' ');
                    above.push_str(comment);
                    continue;
                }
                Line::Field(field) => {
                    let mut field = Field::from_line(&field, name).ok_or_else(bad)?;
                    field.unit = field.unit.or_else(|| unit_in(&above));
                    definition.fields.push(field);
                }
                Line::Constant { name, value, .. } => {
                    let constant = (name.to_owned(), value.to_owned());
                    definition.constants.push(constant);
                }
                Line::Blank => {}
                Line::Rule | Line::Section(_) | Line::Unreadable => return Err(bad()),
            }
            above.clear();
        }
        Ok(definition)
    }

    /// The name with `/msg/` in it.
    #[must_use]
    pub fn full_name(&self) -> String {
        super::normalized_type(&self.name)
    }

    /// The field of that name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl Kind {
    /// The type of that name without brackets, by any of its spellings; a message type without a
    /// package belongs to the given one.
    #[must_use]
    pub fn named(element: &str, package: &str) -> Self {
        // A bounded string, `string<=10`, is a string.
        match msg_spelling(element.split("<=").next().unwrap_or(element)) {
            "bool" => Self::Bool,
            "byte" => Self::Octet,
            "char" | "uint8" => Self::Unsigned(8),
            "uint16" => Self::Unsigned(16),
            "uint32" => Self::Unsigned(32),
            "uint64" => Self::Unsigned(64),
            "int8" => Self::Signed(8),
            "int16" => Self::Signed(16),
            "int32" => Self::Signed(32),
            "int64" => Self::Signed(64),
            "float32" => Self::Float32,
            "float64" => Self::Float64,
            "string" => Self::Text,
            "wstring" => Self::WideText,
            name => Self::Message(match name.split_once('/') {
                None => format!("{package}/{name}"),
                Some(_) => short_name(name),
            }),
        }
    }

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
            Self::WideText => "wstring".to_owned(),
            Self::Message(name) => name.clone(),
        }
    }

    /// Arrays of it travel as base64 text in JSON.
    #[must_use]
    pub fn is_byte(&self) -> bool {
        matches!(self, Self::Octet | Self::Unsigned(8))
    }
}

impl Field {
    fn from_line(line: &FieldLine<'_>, owner: &str) -> Option<Self> {
        let package = owner.split('/').next().unwrap_or_default();
        let (element, arity) = match line.kind.split_once('[') {
            None => (line.kind, Arity::One),
            Some((element, bounds)) => {
                let bounds = bounds.strip_suffix(']')?;
                let arity = match bounds.strip_prefix("<=") {
                    _ if bounds.is_empty() => Arity::Sequence,
                    Some(most) => Arity::Bounded(most.parse().ok()?),
                    None => Arity::Fixed(bounds.parse().ok()?),
                };
                (element, arity)
            }
        };
        Some(Self {
            default: line.default.map(str::to_owned),
            unit: unit_in(line.comment),
            ..Self::new(line.name, Kind::named(element, package), arity)
        })
    }
}

/// `geometry_msgs/msg/Twist` as `geometry_msgs/Twist`; what is neither stays as it is.
#[must_use]
pub fn short_name(name: &str) -> String {
    match name.split('/').collect::<Vec<_>>().as_slice() {
        [package, _, message] => format!("{package}/{message}"),
        _ => name.to_owned(),
    }
}

/// A set of definitions, by their short names.
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

    /// Adds a type and those inside it from the text by which rosapi tells them: nested types
    /// follow behind rows of `=`, each named by a line `MSG: package/Name`.
    ///
    /// # Errors
    /// When a line of any of them cannot be read; those before it have been added.
    pub fn add_full_text(&mut self, name: &str, text: &str) -> Result<(), DefinitionError> {
        let mut name = short_name(name);
        let mut own = String::new();
        for line in text.lines() {
            match schema::line(line) {
                Line::Rule => {
                    self.insert(Definition::parse(&name, &own)?);
                    own.clear();
                }
                Line::Section(next) => name = short_name(next),
                _ => {
                    own.push_str(line);
                    own.push('\n');
                }
            }
        }
        self.insert(Definition::parse(&name, &own)?);
        Ok(())
    }

    /// Adds what an answer of `message_details` tells.
    pub fn add_details(&mut self, values: &Value) {
        let typedefs = values.get("typedefs").and_then(Value::as_array);
        for typedef in typedefs.into_iter().flatten() {
            let Some(name) = typedef.get("type").and_then(Value::as_str) else {
                continue;
            };
            let name = short_name(name);
            let fields = schema::typedef_fields(typedef);
            let fields = fields.iter().filter_map(|(field, kind)| {
                let line = FieldLine {
                    kind,
                    name: field,
                    default: None,
                    comment: "",
                };
                Field::from_line(&line, &name)
            });
            let fields = fields.collect();
            self.insert(Definition {
                name,
                text: String::new(),
                fields,
                constants: Vec::new(),
            });
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_fields_constants_comments_and_odd_spaces() {
        let text = "# words\nbyte  A=1 # one\nVector3   v  # tail\nfloat64[9] m\nuint8[] d\n\
                    string<=8[<=3] names\nchar c\nwstring w\n";
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
                ("names", Kind::Text, Arity::Bounded(3)),
                ("c", Kind::Unsigned(8), Arity::One),
                ("w", Kind::WideText, Arity::One),
            ]
        );
    }

    #[test]
    fn names_the_line_that_it_cannot_read() {
        for text in [
            "int32 a\nnonsense\n",
            "int32 a\nint8[x] b\n",
            "int32 a\nint8[2 b\n",
        ] {
            let error = Definition::parse("p/T", text).unwrap_err();
            assert!(
                matches!(error, DefinitionError::Line { line: 2, .. }),
                "{error}"
            );
        }
    }

    #[test]
    fn a_unit_is_taken_from_behind_or_directly_above() {
        let text = "# Latitude [degrees]. North\n# is positive.\nfloat64 lat\n\
                    # Speed in m/s.\n\nfloat64 other\nfloat64 v 0.0 # km/h\n";
        let units: Vec<_> = Definition::parse("p/T", text)
            .unwrap()
            .fields
            .iter()
            .map(|f| f.unit)
            .collect();
        assert_eq!(units, [Some("°"), None, Some("km/h")]);
    }

    #[test]
    fn message_details_give_the_same_fields_as_the_text() {
        let mut by_text = Definitions::default();
        by_text
            .add_full_text(
                "p/msg/T",
                "q/U u\nfloat64[9] c\nuint8[] d\n====\nMSG: q/U\nbyte b",
            )
            .unwrap();
        let mut by_details = Definitions::default();
        by_details.add_details(&json!({"typedefs": [
            {"type": "p/T", "fieldnames": ["_u", "_c", "_d"],
             "fieldtypes": ["q/U", "double", "uint8"], "fieldarraylen": [-1, 9, 0]},
            {"type": "q/U", "fieldnames": ["_b"], "fieldtypes": ["octet"],
             "fieldarraylen": [-1]},
        ]}));
        for name in ["p/T", "q/U"] {
            let fields = |d: &Definitions| d.get(name).unwrap().fields.clone();
            assert_eq!(fields(&by_text), fields(&by_details));
        }
        by_text.check().unwrap();
    }
}
