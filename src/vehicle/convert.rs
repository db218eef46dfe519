//! Turns the `msg` of a publish into a ROS message, or says why the server drops it.
//!
//! Every complaint has the words of the real server: an operator who reads `/rosout` sees the
//! same line from the simulated vehicle.

use thiserror::Error;

use super::definition::{
    Arity, Definition, Definitions, Field, Kind, default_message, default_value, names,
};
use super::json::Json;
use crate::msgs::std_msgs::Time;
use crate::rosbridge::base64;

/// Why a message is dropped, whole.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConversionError {
    /// The message itself is not an object.
    #[error("Expected a JSON object for type {message} but received a <class '{got}'>")]
    NotAnObject {
        /// The type of the message.
        message: String,
        /// What was sent, as a Python type.
        got: &'static str,
    },
    /// A value of another kind than the field's.
    #[error("{message} message requires a {wanted} for field {field}, but got a <class '{got}'>")]
    WrongKind {
        /// The type of the message.
        message: String,
        /// The kind of the field.
        wanted: String,
        /// The path of the field, with dots.
        field: String,
        /// What was sent, as a Python type.
        got: &'static str,
    },
    /// A field that the type does not have.
    #[error("Message type {message} does not have a field {field}")]
    NoSuchField {
        /// The type of the message.
        message: String,
        /// The path of the field, with dots.
        field: String,
    },
    /// An integer outside what the field can hold.
    #[error("The '{field}' field must be {kind} in [{min}, {max}]")]
    OutOfRange {
        /// The field, without its path.
        field: String,
        /// "an integer" or "an unsigned integer".
        kind: &'static str,
        /// The least value.
        min: i128,
        /// The greatest value.
        max: i128,
    },
    /// A finite number beyond float32.
    #[error("The '{field}' field must be a float in [-3.402823466e+38, 3.402823466e+38]")]
    Float32Range {
        /// The field, without its path.
        field: String,
    },
    /// `sec` or `nanosec` of a time that is not an integer.
    #[error("The '{field}' field must be of type 'int'")]
    NotAnInteger {
        /// `sec` or `nanosec`.
        field: &'static str,
    },
    /// A stamp that is neither an object nor a text nor a list.
    #[error("argument of type '{got}' is not iterable")]
    NotIterable {
        /// What was sent, as a Python type.
        got: &'static str,
    },
    /// A list of another length than a fixed-size array's.
    #[error("The '{field}' field must be a list with {count} elements")]
    WrongLength {
        /// The field, without its path.
        field: String,
        /// The length of the array.
        count: usize,
    },
}

/// The complete message of type `short_name` that the server makes of what a client sent: missing
/// fields at their defaults, whole numbers in float fields as floats, `float32` rounded to its
/// precision, headers that were sent without a stamp stamped with `now`.
///
/// # Errors
/// When any one field cannot be converted: the server drops the whole message then.
pub fn message(
    definitions: &Definitions,
    short_name: &str,
    sent: &Json,
    now: Time,
) -> Result<Json, ConversionError> {
    if !matches!(sent, Json::Object(_)) {
        return Err(ConversionError::NotAnObject {
            message: short_name.to_owned(),
            got: sent.python_type(),
        });
    }
    let converter = Converter {
        definitions,
        root: short_name,
        now,
    };
    let field = Field::new("", Kind::Message(short_name.to_owned()), Arity::One);
    converter.object(short_name, &field, sent, &[])
}

struct Converter<'a> {
    definitions: &'a Definitions,
    root: &'a str,
    now: Time,
}

impl Converter<'_> {
    fn object(
        &self,
        type_name: &str,
        field: &Field,
        sent: &Json,
        path: &[&str],
    ) -> Result<Json, ConversionError> {
        let Json::Object(entries) = sent else {
            return Err(self.wrong_kind(field, sent, path));
        };
        let Some(definition) = self.definitions.get(type_name) else {
            return Err(self.wrong_kind(field, sent, path));
        };
        let mut message = self.defaults(definition);
        for (name, value) in entries {
            let path: Vec<&str> = path.iter().copied().chain([name.as_str()]).collect();
            let Some(field) = definition.field(name) else {
                return Err(ConversionError::NoSuchField {
                    message: self.root.to_owned(),
                    field: path.join("."),
                });
            };
            let Some(entry) = message.iter_mut().find(|(key, _)| key == name) else {
                continue;
            };
            entry.1 = match &field.kind {
                Kind::Message(time) if time == names::TIME && field.arity == Arity::One => {
                    Self::time(&entry.1, value)?
                }
                _ => self.field(field, value, &path)?,
            };
        }
        Ok(Json::Object(message))
    }

    /// A header that the client sends at all is stamped first; what it says overrides that.
    fn defaults(&self, definition: &Definition) -> Vec<(String, Json)> {
        definition
            .fields
            .iter()
            .map(|field| {
                let value = if definition.name == names::HEADER && field.name == "stamp" {
                    time_json(self.now)
                } else {
                    default_value(self.definitions, field)
                };
                (field.name.clone(), value)
            })
            .collect()
    }

    fn field(&self, field: &Field, sent: &Json, path: &[&str]) -> Result<Json, ConversionError> {
        match field.arity {
            Arity::One => self.single(field, sent, path),
            // Bytes come as base64 or as a list, and leave as base64.
            Arity::Sequence | Arity::Bounded(_) | Arity::Fixed(_)
                if field.kind == Kind::Unsigned(8) =>
            {
                self.bytes(field, sent, path)
            }
            Arity::Sequence | Arity::Bounded(_) | Arity::Fixed(_) => {
                let Json::List(items) = sent else {
                    return Err(self.wrong_kind(field, sent, path));
                };
                if let Arity::Fixed(count) = field.arity
                    && items.len() != count
                {
                    return Err(ConversionError::WrongLength {
                        field: field.name.clone(),
                        count,
                    });
                }
                let items: Result<_, _> = items
                    .iter()
                    .map(|item| self.single(field, item, path))
                    .collect();
                Ok(Json::List(items?))
            }
        }
    }

    fn bytes(&self, field: &Field, sent: &Json, path: &[&str]) -> Result<Json, ConversionError> {
        let bytes = match sent {
            Json::Text(text) => {
                base64::decode(text).ok_or_else(|| self.wrong_kind(field, sent, path))?
            }
            Json::List(items) => {
                let byte = |item: &Json| match self.single(field, item, path)? {
                    Json::Int(value) => Ok(u8::try_from(value).unwrap_or_default()),
                    other => Err(self.wrong_kind(field, &other, path)),
                };
                items.iter().map(byte).collect::<Result<Vec<u8>, _>>()?
            }
            _ => return Err(self.wrong_kind(field, sent, path)),
        };
        match field.arity {
            Arity::Fixed(count) if bytes.len() != count => Err(ConversionError::WrongLength {
                field: field.name.clone(),
                count,
            }),
            _ => Ok(base64::encode(&bytes).into()),
        }
    }

    fn single(&self, field: &Field, sent: &Json, path: &[&str]) -> Result<Json, ConversionError> {
        match (&field.kind, sent) {
            (Kind::Message(name), _) if name == names::TIME => {
                Self::time(&default_message(self.definitions, name), sent)
            }
            (Kind::Message(name), _) => self.object(name, field, sent, path),
            (Kind::Bool, Json::Bool(_)) | (Kind::Text | Kind::WideText, Json::Text(_)) => {
                Ok(sent.clone())
            }
            (Kind::Signed(bits), Json::Int(value)) => {
                let half = 1_i128 << (bits - 1);
                integer(&field.name, "an integer", *value, -half, half - 1)
            }
            (Kind::Unsigned(bits), Json::Int(value)) => integer(
                &field.name,
                "an unsigned integer",
                *value,
                0,
                (1_i128 << bits) - 1,
            ),
            (Kind::Octet, Json::Int(value)) => {
                integer(&field.name, "an unsigned integer", *value, 0, 255)
            }
            // True is an integer to Python, and integers become floats.
            (Kind::Float32, Json::Bool(value)) | (Kind::Float64, Json::Bool(value)) => {
                Ok(Json::Float(f64::from(u8::from(*value))))
            }
            (Kind::Float64, Json::Int(_) | Json::Float(_)) => {
                Ok(Json::Float(sent.as_f64().unwrap_or_default()))
            }
            (Kind::Float32, Json::Int(_) | Json::Float(_)) => {
                let value = sent.as_f64().unwrap_or_default();
                if value.is_finite() && value.abs() > 3.402_823_466e+38 {
                    return Err(ConversionError::Float32Range {
                        field: field.name.clone(),
                    });
                }
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "this is what the wire does"
                )]
                let narrow = value as f32;
                Ok(Json::from(narrow))
            }
            _ => Err(self.wrong_kind(field, sent, path)),
        }
    }

    /// Times are lenient: ROS 1 names are taken, and what is not said stays as it was.
    fn time(before: &Json, sent: &Json) -> Result<Json, ConversionError> {
        let mut sec = before.get("sec").cloned().unwrap_or(Json::Int(0));
        let mut nanosec = before.get("nanosec").cloned().unwrap_or(Json::Int(0));
        match sent {
            Json::Object(_) => {
                for key in ["secs", "sec"] {
                    if let Some(value) = sent.get(key) {
                        sec = time_part(
                            "sec",
                            "an integer",
                            value,
                            i32::MIN.into(),
                            i32::MAX.into(),
                        )?;
                    }
                }
                for key in ["nsecs", "nanosec"] {
                    if let Some(value) = sent.get(key) {
                        nanosec =
                            time_part("nanosec", "an unsigned integer", value, 0, u32::MAX.into())?;
                    }
                }
            }
            // A text or a list has no such keys, which is no complaint to the server.
            Json::Text(_) | Json::List(_) => {}
            other => {
                return Err(ConversionError::NotIterable {
                    got: other.python_type(),
                });
            }
        }
        Ok(Json::object([("sec", sec), ("nanosec", nanosec)]))
    }

    fn wrong_kind(&self, field: &Field, sent: &Json, path: &[&str]) -> ConversionError {
        ConversionError::WrongKind {
            message: self.root.to_owned(),
            wanted: field.kind.rosbridge_name(),
            field: path.join("."),
            got: sent.python_type(),
        }
    }
}

/// A time as a message.
#[must_use]
pub fn time_json(time: Time) -> Json {
    Json::object([
        ("sec", Json::Int(time.sec.into())),
        ("nanosec", Json::Int(time.nanosec.into())),
    ])
}

fn time_part(
    field: &'static str,
    kind: &'static str,
    value: &Json,
    min: i128,
    max: i128,
) -> Result<Json, ConversionError> {
    match value {
        Json::Int(value) => integer(field, kind, *value, min, max),
        Json::Bool(value) => Ok(Json::Int(i128::from(*value))),
        _ => Err(ConversionError::NotAnInteger { field }),
    }
}

fn integer(
    field: &str,
    kind: &'static str,
    value: i128,
    min: i128,
    max: i128,
) -> Result<Json, ConversionError> {
    if (min..=max).contains(&value) {
        Ok(Json::Int(value))
    } else {
        Err(ConversionError::OutOfRange {
            field: field.to_owned(),
            kind,
            min,
            max,
        })
    }
}
