//! CBOR frames, read into the shape that the same message has in JSON.
//!
//! So that whatever shows a message need not know how it came: byte strings become base64 text,
//! as rosbridge writes `uint8[]` into JSON, typed arrays (RFC 8746, tags 64–86) become lists,
//! and numbers that are not finite become `null`.
//!
//! ```
//! use broomstick::rosbridge::cbor::decode;
//!
//! // {"op": "publish", "msg": {"ranges": float32 little-endian [1.5, -2.0]}}
//! let bytes = [
//!     0xa2, 0x62, b'o', b'p', 0x67, b'p', b'u', b'b', b'l', b'i', b's', b'h',
//!     0x63, b'm', b's', b'g', 0xa1, 0x66, b'r', b'a', b'n', b'g', b'e', b's',
//!     0xd8, 85, 0x48, 0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0,
//! ];
//! assert_eq!(decode(&bytes)?["msg"]["ranges"], serde_json::json!([1.5, -2.0]));
//!
//! // A frame that breaks off is an error, not a guess.
//! assert!(decode(&bytes[..30]).is_err());
//! # Ok::<(), broomstick::rosbridge::cbor::CborError>(())
//! ```

use serde_json::{Map, Number, Value};
use thiserror::Error;

use super::base64;

/// Lists and maps inside each other.
const DEEPEST: usize = 64;
/// Values in one frame: each takes some thirty bytes, whatever it took on the wire.
const MOST_VALUES: usize = 1_000_000;

/// Why bytes are no CBOR that a message can come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum CborError {
    /// The bytes are over before the value is.
    #[error("ends in the middle of a value")]
    Incomplete,
    /// Something follows the value.
    #[error("something follows the value at byte {0}")]
    Trailing(usize),
    /// A byte that means nothing there.
    #[error("cannot be read at byte {0}")]
    Malformed(usize),
    /// Nested too deeply.
    #[error("nested deeper than {DEEPEST}")]
    TooDeep,
    /// More values than are taken.
    #[error("more than {MOST_VALUES} values")]
    TooMany,
}

/// Reads one value and nothing else.
///
/// # Errors
/// See [`CborError`].
pub fn decode(bytes: &[u8]) -> Result<Value, CborError> {
    let mut reader = Reader {
        bytes,
        at: 0,
        values: 0,
    };
    let value = reader.value(0)?;
    if reader.at == bytes.len() {
        Ok(value)
    } else {
        Err(CborError::Trailing(reader.at))
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    values: usize,
}

/// The first byte of an item, taken apart, and its number; none: of indefinite length.
struct Head {
    major: u8,
    info: u8,
    argument: Option<u64>,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Result<Value, CborError> {
        if depth > DEEPEST {
            return Err(CborError::TooDeep);
        }
        self.count(1)?;
        let start = self.at;
        let head = self.head()?;
        match (head.major, head.argument) {
            (0, Some(number)) => Ok(number.into()),
            // −1 − n reaches one beyond i64; JSON has no such integer either.
            (1, Some(number)) => Ok(match i64::try_from(number) {
                Ok(number) => (-1 - number).into(),
                Err(_) => float(-1.0 - number as f64),
            }),
            (2, _) => Ok(Value::String(base64::encode(&self.string(&head)?))),
            (3, _) => self.text(&head).map(Value::String),
            (4, _) => self.list(&head, depth).map(Value::Array),
            (5, _) => self.map(&head, depth).map(Value::Object),
            (6, Some(tag)) => self.tagged(tag, depth),
            (7, argument) => self.simple(&head, argument, start),
            _ => Err(CborError::Malformed(start)),
        }
    }

    fn head(&mut self) -> Result<Head, CborError> {
        let start = self.at;
        let [first] = self.take_array()?;
        let (major, info) = (first >> 5, first & 31);
        let argument = match info {
            0..=23 => Some(u64::from(info)),
            24 => Some(u64::from(u8::from_be_bytes(self.take_array()?))),
            25 => Some(u64::from(u16::from_be_bytes(self.take_array()?))),
            26 => Some(u64::from(u32::from_be_bytes(self.take_array()?))),
            27 => Some(u64::from_be_bytes(self.take_array()?)),
            31 if matches!(major, 2..=5 | 7) => None,
            _ => return Err(CborError::Malformed(start)),
        };
        Ok(Head {
            major,
            info,
            argument,
        })
    }

    /// A byte or text string, its pieces joined when its length is not said first.
    fn string(&mut self, head: &Head) -> Result<Vec<u8>, CborError> {
        if let Some(length) = head.argument {
            return self.take(length).map(<[u8]>::to_vec);
        }
        let mut joined = Vec::new();
        while !self.is_break()? {
            let start = self.at;
            let piece = self.head()?;
            match piece.argument {
                Some(length) if piece.major == head.major => {
                    joined.extend_from_slice(self.take(length)?);
                }
                _ => return Err(CborError::Malformed(start)),
            }
        }
        Ok(joined)
    }

    fn text(&mut self, head: &Head) -> Result<String, CborError> {
        let bytes = self.string(head)?;
        Ok(match String::from_utf8(bytes) {
            Ok(text) => text,
            // A name in another encoding costs its own letters only.
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        })
    }

    fn list(&mut self, head: &Head, depth: usize) -> Result<Vec<Value>, CborError> {
        let mut list = Vec::new();
        let mut left = head.argument;
        while self.is_more(&mut left)? {
            list.push(self.value(depth + 1)?);
        }
        Ok(list)
    }

    fn map(&mut self, head: &Head, depth: usize) -> Result<Map<String, Value>, CborError> {
        let mut map = Map::new();
        let mut left = head.argument;
        while self.is_more(&mut left)? {
            let key = match self.value(depth + 1)? {
                Value::String(key) => key,
                other => other.to_string(),
            };
            map.insert(key, self.value(depth + 1)?);
        }
        Ok(map)
    }

    fn tagged(&mut self, tag: u64, depth: usize) -> Result<Value, CborError> {
        let start = self.at;
        let Some(element) = u8::try_from(tag).ok().and_then(Element::of_tag) else {
            // Other tags only add meaning to the value.
            return self.value(depth + 1);
        };
        let head = self.head()?;
        if head.major != 2 {
            return Err(CborError::Malformed(start));
        }
        let bytes = self.string(&head)?;
        if element.kind == ElementKind::Unsigned && element.width == 1 {
            return Ok(Value::String(base64::encode(&bytes)));
        }
        if bytes.len() % element.width != 0 {
            return Err(CborError::Malformed(start));
        }
        self.count(bytes.len() / element.width)?;
        let numbers = bytes.chunks_exact(element.width);
        Ok(numbers.map(|number| element.read(number)).collect())
    }

    fn simple(
        &mut self,
        head: &Head,
        argument: Option<u64>,
        start: usize,
    ) -> Result<Value, CborError> {
        let bits = argument.ok_or(CborError::Malformed(start))?;
        match head.info {
            20 => Ok(false.into()),
            21 => Ok(true.into()),
            22 | 23 => Ok(Value::Null),
            25 => Ok(float(half(bits as u16))),
            26 => Ok(float(f32::from_bits(bits as u32).into())),
            27 => Ok(float(f64::from_bits(bits))),
            _ => Err(CborError::Malformed(start)),
        }
    }

    /// Whether a list or map goes on; `left` counts down when its length was said first.
    fn is_more(&mut self, left: &mut Option<u64>) -> Result<bool, CborError> {
        match left {
            Some(0) => Ok(false),
            Some(left) => {
                *left -= 1;
                Ok(true)
            }
            None => Ok(!self.is_break()?),
        }
    }

    fn is_break(&mut self) -> Result<bool, CborError> {
        let next = self.bytes.get(self.at).ok_or(CborError::Incomplete)?;
        let is_break = *next == 0xff;
        self.at += usize::from(is_break);
        Ok(is_break)
    }

    fn count(&mut self, values: usize) -> Result<(), CborError> {
        self.values = self.values.saturating_add(values);
        if self.values > MOST_VALUES {
            return Err(CborError::TooMany);
        }
        Ok(())
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8], CborError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = usize::try_from(length).map_err(|_| CborError::Incomplete)?;
        let taken = rest.get(..length).ok_or(CborError::Incomplete)?;
        self.at += length;
        Ok(taken)
    }

    fn take_array<const N: usize>(&mut self) -> Result<[u8; N], CborError> {
        let taken = self.take(N as u64)?;
        taken.try_into().map_err(|_| CborError::Incomplete)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ElementKind {
    Unsigned,
    Signed,
    Float,
}

/// What a typed array is made of.
#[derive(Debug, Clone, Copy)]
struct Element {
    kind: ElementKind,
    width: usize,
    is_little: bool,
}

impl Element {
    /// RFC 8746: 0b010_f_s_e_ll. Floats of 128 bits (83, 87) have no number here.
    fn of_tag(tag: u8) -> Option<Self> {
        let (is_float, is_signed) = (tag & 16 != 0, tag & 8 != 0);
        let exponent = usize::from(tag & 3) + usize::from(is_float);
        let is_known = (64..=87).contains(&tag) && tag != 76 && exponent < 4;
        is_known.then(|| Self {
            kind: match (is_float, is_signed) {
                (true, _) => ElementKind::Float,
                (false, true) => ElementKind::Signed,
                (false, false) => ElementKind::Unsigned,
            },
            width: 1 << exponent,
            is_little: tag & 4 != 0,
        })
    }

    fn read(self, number: &[u8]) -> Value {
        let mut bits = 0_u64;
        for place in 0..self.width {
            let at = if self.is_little {
                self.width - 1 - place
            } else {
                place
            };
            bits = bits << 8 | u64::from(number.get(at).copied().unwrap_or(0));
        }
        match self.kind {
            ElementKind::Unsigned => bits.into(),
            ElementKind::Signed => {
                let unused = 64 - 8 * self.width;
                (((bits << unused) as i64) >> unused).into()
            }
            ElementKind::Float => float(match self.width {
                2 => half(bits as u16),
                4 => f32::from_bits(bits as u32).into(),
                _ => f64::from_bits(bits),
            }),
        }
    }
}

fn float(value: f64) -> Value {
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// IEEE 754 binary16.
fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match bits >> 10 & 31 {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction > 0.0 => f64::NAN,
        31 => f64::INFINITY,
        exponent => (1024.0 + fraction) * 2_f64.powi(i32::from(exponent) - 25),
    };
    if bits >> 15 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn hex(text: &str) -> Vec<u8> {
        (0..text.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
            .collect()
    }

    /// Examples of RFC 8949, appendix A.
    #[test]
    fn the_examples_of_the_standard_are_read() {
        for (bytes, value) in [
            ("00", json!(0)),
            ("1818", json!(24)),
            ("1903e8", json!(1000)),
            ("1bffffffffffffffff", json!(u64::MAX)),
            ("20", json!(-1)),
            ("3b7fffffffffffffff", json!(i64::MIN)),
            ("f93c00", json!(1.0)),
            ("f97bff", json!(65504.0)),
            ("f90001", json!(5.960464477539063e-8)),
            ("f9c400", json!(-4.0)),
            ("f97c00", json!(null)),
            ("fa47c35000", json!(100000.0)),
            ("fb3ff199999999999a", json!(1.1)),
            ("f4", json!(false)),
            ("f5", json!(true)),
            ("f7", json!(null)),
            ("4401020304", json!("AQIDBA==")),
            ("62c3bc", json!("ü")),
            ("8301820203820405", json!([1, [2, 3], [4, 5]])),
            ("9f018202039f0405ffff", json!([1, [2, 3], [4, 5]])),
            ("bf6346756ef563416d7421ff", json!({"Fun": true, "Amt": -2})),
            ("7f657374726561646d696e67ff", json!("streaming")),
            ("5f42010243030405ff", json!("AQIDBAU=")),
            ("c11a514b67b0", json!(1363896240)),
            ("a201020304", json!({"1": 2, "3": 4})),
        ] {
            assert_eq!(decode(&hex(bytes)), Ok(value), "{bytes}");
        }
    }

    #[test]
    fn typed_arrays_of_every_tag_are_read() {
        for (tag, bytes, value) in [
            (64, "0102", json!("AQI=")),
            (68, "ff", json!("/w==")),
            (65, "00010002", json!([1, 2])),
            (69, "01000200", json!([1, 2])),
            (66, "00000001", json!([1])),
            (70, "01000000", json!([1])),
            (67, "ffffffffffffffff", json!([u64::MAX])),
            (71, "feffffffffffffff", json!([u64::MAX - 1])),
            (72, "ff7f", json!([-1, 127])),
            (73, "fffe", json!([-2])),
            (77, "feff", json!([-2])),
            (74, "fffffffe", json!([-2])),
            (78, "feffffff", json!([-2])),
            (75, "8000000000000000", json!([i64::MIN])),
            (79, "0000000000000080", json!([i64::MIN])),
            (80, "3c00", json!([1.0])),
            (84, "003c", json!([1.0])),
            (81, "3fc00000", json!([1.5])),
            (85, "0000c03f", json!([1.5])),
            (82, "3ff8000000000000", json!([1.5])),
            (86, "000000000000f83f000000000000f87f", json!([1.5, null])),
        ] {
            let data = hex(bytes);
            let mut frame = vec![0xd8, tag, 0x40 | data.len() as u8];
            frame.extend(data);
            assert_eq!(decode(&frame), Ok(value), "tag {tag}");
        }
    }

    #[test]
    fn what_is_broken_is_an_error() {
        for (bytes, error) in [
            ("", CborError::Incomplete),
            ("19", CborError::Incomplete),
            ("5bffffffffffffffff", CborError::Incomplete),
            ("9bffffffffffffffff", CborError::Incomplete),
            ("0000", CborError::Trailing(1)),
            ("1c", CborError::Malformed(0)),
            ("ff", CborError::Malformed(0)),
            ("d84601", CborError::Malformed(2)),
            ("d84643000000", CborError::Malformed(2)),
        ] {
            assert_eq!(decode(&hex(bytes)), Err(error), "{bytes}");
        }
        assert_eq!(decode(&[0x81; 1000]), Err(CborError::TooDeep));
        let mut many = vec![0x9a, 0, 0x20, 0, 0];
        many.resize(many.len() + 0x20_0000, 0);
        assert_eq!(decode(&many), Err(CborError::TooMany));
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_odd(bytes in any::<Vec<u8>>()) {
            let _ignored = decode(&bytes);
        }
    }
}
