//! CDR, the bytes of a message as DDS has them (`compression: "cbor-raw"`), read by the type's
//! definition into the shape that the same message has in JSON.
//!
//! Plain CDR of versions 1 and 2 in both byte orders; parameter lists and delimited encodings,
//! which ROS 2 does not use, are refused.
//!
//! ```
//! use broomstick::msgs::definition::Definitions;
//! use broomstick::rosbridge::cdr::decode;
//!
//! let mut definitions = Definitions::default();
//! definitions.add_full_text("p/T", "uint8 a\nfloat32 b\nstring c")?;
//! let bytes = [0, 1, 0, 0, 7, 0, 0, 0, 0, 0, 0xc0, 0x3f, 3, 0, 0, 0, b'h', b'i', 0];
//! let message = decode(&definitions, "p/T", &bytes)?;
//! assert_eq!(message, serde_json::json!({"a": 7, "b": 1.5, "c": "hi"}));
//!
//! // What does not fit the definition names the field.
//! let error = decode(&definitions, "p/T", &bytes[..10]).unwrap_err();
//! assert_eq!(error.to_string(), "the bytes end in field b");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use serde_json::{Map, Number, Value};
use thiserror::Error;

use super::base64;
use crate::msgs::definition::{Arity, Definitions, Field, Kind};

const DEEPEST: usize = 32;
const MOST_VALUES: usize = 1_000_000;

/// Why bytes are not the message.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CdrError {
    /// Another encoding than plain CDR.
    #[error("encoding {0:#06x} is not plain CDR")]
    Encoding(u16),
    /// The bytes are over before the message is.
    #[error("the bytes end in field {field}")]
    Incomplete {
        /// Its path.
        field: String,
    },
    /// A length that the definition or the bytes do not allow.
    #[error("field {field} cannot have {count} values")]
    Length {
        /// Its path.
        field: String,
        /// The length.
        count: u64,
    },
    /// A type that nobody defined.
    #[error("the type {0} is not defined")]
    Unknown(String),
    /// A type that contains itself.
    #[error("field {field} is inside itself too often")]
    TooDeep {
        /// Its path.
        field: String,
    },
    /// Middlewares differ in the width of a `wstring`'s letters, and the bytes do not say which.
    #[error(
        "field {field} is a wstring: the width of its letters is not told; ask for cbor or JSON"
    )]
    WideText {
        /// Its path.
        field: String,
    },
    /// More bytes than the message has.
    #[error("{0} bytes are left over")]
    Trailing(usize),
}

/// Reads a message of the type with that short name.
///
/// # Errors
/// See [`CdrError`].
pub fn decode(
    definitions: &Definitions,
    short_name: &str,
    bytes: &[u8],
) -> Result<Value, CdrError> {
    let (header, body) = bytes.split_at_checked(4).unwrap_or((&[], bytes));
    let encoding = match header {
        [high, low, ..] => u16::from_be_bytes([*high, *low]),
        _ => return Err(CdrError::Incomplete { field: "0".into() }),
    };
    let (is_little, widest) = match encoding {
        0 | 1 => (encoding == 1, 8),
        // The second version of CDR aligns to four bytes at most.
        6 | 7 => (encoding == 7, 4),
        other => return Err(CdrError::Encoding(other)),
    };
    let mut reader = Reader {
        definitions,
        body,
        at: 0,
        is_little,
        widest,
        values: 0,
    };
    let message = reader.message(short_name, &Path::Root)?;
    // Writers pad the end to four bytes.
    match body.len().saturating_sub(reader.at) {
        0..=3 => Ok(message),
        left => Err(CdrError::Trailing(left)),
    }
}

/// Where in the message: linked, so that a path costs nothing until it is needed.
enum Path<'a> {
    Root,
    Field(&'a Path<'a>, &'a str),
}

impl Path<'_> {
    fn text(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Field(Path::Root, name) => (*name).to_owned(),
            Self::Field(outer, name) => [&outer.text(), ".", *name].concat(),
        }
    }

    fn depth(&self) -> usize {
        match self {
            Self::Root => 0,
            Self::Field(outer, _) => 1 + outer.depth(),
        }
    }
}

struct Reader<'a> {
    definitions: &'a Definitions,
    body: &'a [u8],
    at: usize,
    is_little: bool,
    widest: usize,
    values: usize,
}

impl<'a> Reader<'a> {
    fn message(&mut self, short_name: &str, path: &Path<'_>) -> Result<Value, CdrError> {
        if path.depth() > DEEPEST {
            return Err(CdrError::TooDeep { field: path.text() });
        }
        let definitions = self.definitions;
        let definition = definitions
            .get(short_name)
            .ok_or_else(|| CdrError::Unknown(short_name.to_owned()))?;
        let mut message = Map::new();
        for field in &definition.fields {
            let path = Path::Field(path, &field.name);
            message.insert(field.name.clone(), self.field(field, &path)?);
        }
        if definition.fields.is_empty() {
            // rosidl gives an empty message one byte, because DDS has no empty structures.
            self.take(1, path)?;
        }
        Ok(Value::Object(message))
    }

    fn field(&mut self, field: &Field, path: &Path<'_>) -> Result<Value, CdrError> {
        let count = match field.arity {
            Arity::One => return self.single(&field.kind, path),
            Arity::Fixed(count) => count,
            Arity::Sequence | Arity::Bounded(_) => self.length(path)?,
        };
        let is_allowed = match field.arity {
            Arity::Bounded(most) => count <= most,
            _ => true,
        };
        let too_long = || CdrError::Length {
            field: path.text(),
            count: count as u64,
        };
        if field.kind.is_byte() && is_allowed {
            return Ok(Value::String(base64::encode(self.take(count, path)?)));
        }
        self.values = self.values.saturating_add(count);
        // Every value takes a byte at least: a length that promises more is a lie.
        if !is_allowed || count > self.body.len() || self.values > MOST_VALUES {
            return Err(too_long());
        }
        let mut list = Vec::new();
        for _ in 0..count {
            list.push(self.single(&field.kind, path)?);
        }
        Ok(Value::Array(list))
    }

    fn single(&mut self, kind: &Kind, path: &Path<'_>) -> Result<Value, CdrError> {
        Ok(match kind {
            Kind::Bool => (self.bits(1, path)? != 0).into(),
            Kind::Octet => self.bits(1, path)?.into(),
            Kind::Unsigned(bits) => self.bits((*bits / 8) as usize, path)?.into(),
            Kind::Signed(bits) => {
                let unused = 64 - *bits;
                let value = self.bits((*bits / 8) as usize, path)?;
                (((value << unused) as i64) >> unused).into()
            }
            Kind::Float32 => float(f32::from_bits(self.bits(4, path)? as u32).into()),
            Kind::Float64 => float(f64::from_bits(self.bits(8, path)?)),
            Kind::Text => {
                let length = self.length(path)?;
                let bytes = self.take(length, path)?;
                let bytes = bytes.strip_suffix(&[0]).unwrap_or(bytes);
                String::from_utf8_lossy(bytes).into_owned().into()
            }
            Kind::WideText => return Err(CdrError::WideText { field: path.text() }),
            Kind::Message(name) => self.message(name, path)?,
        })
    }

    fn length(&mut self, path: &Path<'_>) -> Result<usize, CdrError> {
        let length = self.bits(4, path)?;
        usize::try_from(length).map_err(|_| CdrError::Length {
            field: path.text(),
            count: length,
        })
    }

    /// An aligned number of that many bytes, as it is.
    fn bits(&mut self, width: usize, path: &Path<'_>) -> Result<u64, CdrError> {
        let alignment = width.min(self.widest).max(1);
        self.at = self.at.next_multiple_of(alignment);
        let is_little = self.is_little;
        let bytes = self.take(width, path)?;
        let add = |bits: u64, byte: &u8| bits << 8 | u64::from(*byte);
        Ok(if is_little {
            bytes.iter().rev().fold(0, add)
        } else {
            bytes.iter().fold(0, add)
        })
    }

    fn take(&mut self, length: usize, path: &Path<'_>) -> Result<&'a [u8], CdrError> {
        let rest = self.body.get(self.at..).unwrap_or_default();
        let taken = rest
            .get(..length)
            .ok_or_else(|| CdrError::Incomplete { field: path.text() })?;
        self.at += length;
        Ok(taken)
    }
}

fn float(value: f64) -> Value {
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn definitions(text: &str) -> Definitions {
        let mut definitions = Definitions::default();
        definitions.add_full_text("p/T", text).unwrap();
        definitions
    }

    #[test]
    fn alignment_follows_the_version_of_the_encoding() {
        let definitions = definitions("uint8 a\nfloat64 b");
        let one = 1.0_f64.to_le_bytes();
        let version_1 = [&[0, 1, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0][..], &one].concat();
        let version_2 = [&[0, 7, 0, 0, 9, 0, 0, 0][..], &one].concat();
        for bytes in [version_1, version_2] {
            let message = decode(&definitions, "p/T", &bytes).unwrap();
            assert_eq!(message, json!({"a": 9, "b": 1.0}));
        }
        let big = [
            &[0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0][..],
            &1.0_f64.to_be_bytes(),
        ]
        .concat();
        assert_eq!(decode(&definitions, "p/T", &big).unwrap()["b"], 1.0);
    }

    #[test]
    fn arrays_nested_types_and_64_bits_are_read() {
        let mut definitions = Definitions::default();
        definitions
            .add_full_text(
                "p/T",
                "q/U u\nint16[2] pair\nuint8[] raw\nint64 low\nuint64 high\nq/E nothing\nbool yes\n\
                 ====\nMSG: q/U\nint8[<=2] few\n====\nMSG: q/E\n",
            )
            .unwrap();
        let mut bytes = vec![0, 1, 0, 0];
        bytes.extend([1, 0, 0, 0, 0xfe, 0]); // few = [-2], padding
        bytes.extend([0xff, 0xff, 2, 0]); // pair
        bytes.extend([0, 0]); // padding to 4
        bytes.extend([3, 0, 0, 0, 1, 2, 3]); // raw
        bytes.extend([0; 5]); // padding to 8
        assert_eq!((bytes.len() - 4) % 8, 0);
        bytes.extend(i64::MIN.to_le_bytes());
        bytes.extend(u64::MAX.to_le_bytes());
        bytes.extend([0, 1]);
        let message = decode(&definitions, "p/T", &bytes).unwrap();
        assert_eq!(
            message,
            json!({"u": {"few": [-2]}, "pair": [-1, 2], "raw": "AQID", "low": i64::MIN,
                   "high": u64::MAX, "nothing": {}, "yes": true})
        );
    }

    #[test]
    fn lies_about_lengths_are_refused_and_named() {
        let definitions = definitions("int32[<=2] few\nfloat64[] many\nT again");
        let lie = [0, 1, 0, 0, 3, 0, 0, 0];
        let words = decode(&definitions, "p/T", &lie).unwrap_err().to_string();
        assert_eq!(words, "field few cannot have 3 values");
        let lie = [0, 1, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255];
        let words = decode(&definitions, "p/T", &lie).unwrap_err().to_string();
        assert_eq!(words, "field many cannot have 4294967295 values");
        let endless = [&[0, 1, 0, 0][..], &[0; 4000]].concat();
        assert!(matches!(
            decode(&definitions, "p/T", &endless),
            Err(CdrError::TooDeep { .. })
        ));
        assert_eq!(
            decode(&definitions, "p/T", &[0, 3, 0, 0]),
            Err(CdrError::Encoding(3))
        );
    }

    #[test]
    fn wide_text_is_refused_by_name_and_with_the_reason() {
        let definitions = definitions("uint8 a\nwstring label");
        let bytes = [0, 1, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, b'h', 0, 0, 0];
        let words = decode(&definitions, "p/T", &bytes).unwrap_err().to_string();
        assert!(words.starts_with("field label is a wstring"), "{words}");
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_odd(mut bytes in any::<Vec<u8>>(), encoding in 0_u8..9) {
            let definitions = definitions(
                "string s\nfloat32[] f\nuint8[3] r\nbool b\nint64[<=4] i\nwstring w\nT t",
            );
            let _ignored = decode(&definitions, "p/T", &bytes);
            bytes.splice(0..0, [0, encoding, 0, 0]);
            let _ignored = decode(&definitions, "p/T", &bytes);
        }
    }
}
