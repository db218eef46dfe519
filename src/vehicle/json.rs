//! JSON as the rosbridge server reads and writes it, which is not quite JSON.
//!
//! The server is a Python program: it tells `5` from `5.0`, takes the bare tokens `NaN`,
//! `Infinity` and `-Infinity`, makes infinity of `1e400`, keeps integers of any size, and lets
//! the last of two equal keys win. A message that it drops or publishes depends on all of these,
//! so the simulated vehicle needs a reader with the same eyes.

use std::fmt::Write as _;

use thiserror::Error;

/// Deeper nesting than this is refused: Python's reader gives up at about its recursion limit,
/// and a page's stack is small.
const MAX_DEPTH: usize = 128;

/// One JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number written without fraction and exponent. What does not fit is saturated: it is far
    /// outside every ROS integer either way.
    Int(i128),
    /// A number written with a fraction or an exponent; may be NaN or infinite.
    Float(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object, in the order in which it was written; keys are unique.
    Object(Vec<(String, Json)>),
}

/// Why a text is not a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum JsonError {
    /// The text is over before the value is.
    #[error("ends in the middle of a value")]
    Incomplete,
    /// A character that cannot stand there.
    #[error("unexpected character at byte {0}")]
    Unexpected(usize),
    /// Lists and objects inside each other, too many.
    #[error("nested deeper than {MAX_DEPTH}")]
    TooDeep,
    /// A whole value, and something after it.
    #[error("something follows the value at byte {0}")]
    Trailing(usize),
}

impl Json {
    /// Reads a text that is one value and nothing else but white space.
    ///
    /// # Errors
    /// When the text is not one value.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        let (value, end) = Self::parse_prefix(text)?;
        let rest = skip_space(text.as_bytes(), end);
        if rest == text.len() {
            Ok(value)
        } else {
            Err(JsonError::Trailing(rest))
        }
    }

    /// Reads the one value that the text begins with, and tells where it ends.
    ///
    /// # Errors
    /// When the text does not begin with a value.
    pub fn parse_prefix(text: &str) -> Result<(Self, usize), JsonError> {
        let mut reader = Reader {
            text,
            bytes: text.as_bytes(),
            at: 0,
        };
        let value = reader.value(0)?;
        Ok((value, reader.at))
    }

    /// The value under a key of an object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The text, if it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, whole or not, if it is one.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a float is what is asked for")]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// The integer, if it is one.
    #[must_use]
    pub fn as_int(&self) -> Option<i128> {
        match self {
            Self::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// An object of these entries.
    #[must_use]
    pub fn object<const N: usize>(entries: [(&str, Self); N]) -> Self {
        Self::Object(
            entries
                .into_iter()
                .map(|(k, v)| (k.to_owned(), v))
                .collect(),
        )
    }

    /// A list of texts.
    #[must_use]
    pub fn texts<S: Into<String>>(items: impl IntoIterator<Item = S>) -> Self {
        Self::List(
            items
                .into_iter()
                .map(|item| Self::Text(item.into()))
                .collect(),
        )
    }

    /// The name of the Python type that the server's complaints mention.
    #[must_use]
    pub fn python_type(&self) -> &'static str {
        match self {
            Self::Null => "NoneType",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Text(_) => "str",
            Self::List(_) => "list",
            Self::Object(_) => "dict",
        }
    }

    /// The value as Python's `str` prints it, for the server's complaints.
    #[must_use]
    pub fn python_str(&self) -> String {
        match self {
            Self::Null => "None".to_owned(),
            Self::Bool(true) => "True".to_owned(),
            Self::Bool(false) => "False".to_owned(),
            Self::Text(text) => text.clone(),
            Self::Float(value) if value.is_nan() => "nan".to_owned(),
            other => other.to_text(),
        }
    }

    /// The value as a frame carries it. Numbers that are not finite become `null`, as the server
    /// does it for scalars.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, NonFinite::Null);
        text
    }

    /// The same with the bare tokens `NaN` and `Infinity`, which is not JSON: the server writes
    /// them inside fixed-size arrays.
    #[must_use]
    pub fn to_text_with_bare_tokens(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, NonFinite::BareToken);
        text
    }

    /// The value for the log; numbers that are not finite become `null` there, integers too large
    /// for any ROS type become floats.
    #[must_use]
    pub fn to_serde(&self) -> serde_json::Value {
        use serde_json::Value;
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => match i64::try_from(*value) {
                Ok(value) => value.into(),
                Err(_) => self.as_f64().into(),
            },
            Self::Float(value) => (*value).into(),
            Self::Text(text) => Value::String(text.clone()),
            Self::List(items) => items.iter().map(Self::to_serde).collect(),
            Self::Object(entries) => entries
                .iter()
                .map(|(k, v)| (k.clone(), v.to_serde()))
                .collect(),
        }
    }

    fn write(&self, out: &mut String, non_finite: NonFinite) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Int(value) => push(out, format_args!("{value}")),
            Self::Float(value) if value.is_finite() => push(out, format_args!("{value:?}")),
            Self::Float(value) => out.push_str(match non_finite {
                NonFinite::Null => "null",
                NonFinite::BareToken if value.is_nan() => "NaN",
                NonFinite::BareToken if *value > 0.0 => "Infinity",
                NonFinite::BareToken => "-Infinity",
            }),
            Self::Text(text) => write_text(out, text),
            Self::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    item.write(out, non_finite);
                }
                out.push(']');
            }
            Self::Object(entries) => {
                out.push('{');
                for (index, (key, value)) in entries.iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    write_text(out, key);
                    out.push_str(": ");
                    value.write(out, non_finite);
                }
                out.push('}');
            }
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Json {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<f32> for Json {
    /// A float32 shows on the wire as the float64 of the same value: 0.8 as 0.800000011920929.
    fn from(value: f32) -> Self {
        Self::Float(f64::from(value))
    }
}

impl From<i32> for Json {
    fn from(value: i32) -> Self {
        Self::Int(value.into())
    }
}

#[derive(Clone, Copy)]
enum NonFinite {
    Null,
    BareToken,
}

fn push(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing into a String cannot fail.
    out.write_fmt(arguments).unwrap_or_default();
}

fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            ' '..='~' => out.push(c),
            other => {
                // Python writes plain ASCII, everything else as UTF-16 escapes.
                let mut units = [0_u16; 2];
                for unit in other.encode_utf16(&mut units) {
                    push(out, format_args!("\\u{unit:04x}"));
                }
            }
        }
    }
    out.push('"');
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Json, JsonError> {
        if depth > MAX_DEPTH {
            return Err(JsonError::TooDeep);
        }
        self.at = skip_space(self.bytes, self.at);
        match self.peek()? {
            b'{' => self.object(depth),
            b'[' => self.list(depth),
            b'"' => Ok(Json::Text(self.string()?)),
            b'n' => self.word("null", Json::Null),
            b't' => self.word("true", Json::Bool(true)),
            b'f' => self.word("false", Json::Bool(false)),
            b'N' => self.word("NaN", Json::Float(f64::NAN)),
            b'I' => self.word("Infinity", Json::Float(f64::INFINITY)),
            b'-' if self.bytes.get(self.at + 1) == Some(&b'I') => {
                self.word("-Infinity", Json::Float(f64::NEG_INFINITY))
            }
            b'-' | b'0'..=b'9' => self.number(),
            _ => Err(JsonError::Unexpected(self.at)),
        }
    }

    fn peek(&self) -> Result<u8, JsonError> {
        self.bytes
            .get(self.at)
            .copied()
            .ok_or(JsonError::Incomplete)
    }

    fn expect(&mut self, wanted: u8) -> Result<(), JsonError> {
        self.at = skip_space(self.bytes, self.at);
        if self.peek()? == wanted {
            self.at += 1;
            Ok(())
        } else {
            Err(JsonError::Unexpected(self.at))
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, JsonError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(value)
        } else if word.as_bytes().starts_with(rest) {
            Err(JsonError::Incomplete)
        } else {
            Err(JsonError::Unexpected(self.at))
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.bytes.get(self.at), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn number(&mut self) -> Result<Json, JsonError> {
        let start = self.at;
        if self.peek()? == b'-' {
            self.at += 1;
        }
        if self.peek()? == b'0' {
            self.at += 1;
        } else if self.digits() == 0 {
            return Err(JsonError::Unexpected(self.at));
        }
        let mut is_whole = true;
        let before_fraction = self.at;
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            if self.digits() == 0 {
                self.at = before_fraction;
            } else {
                is_whole = false;
            }
        }
        let before_exponent = self.at;
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                self.at = before_exponent;
            } else {
                is_whole = false;
            }
        }
        let digits = self
            .text
            .get(start..self.at)
            .ok_or(JsonError::Unexpected(start))?;
        if is_whole {
            let too_large = if digits.starts_with('-') {
                i128::MIN
            } else {
                i128::MAX
            };
            Ok(Json::Int(digits.parse().unwrap_or(too_large)))
        } else {
            digits
                .parse()
                .map(Json::Float)
                .map_err(|_| JsonError::Unexpected(start))
        }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        self.expect(b'"')?;
        let mut out = String::new();
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let c = rest.chars().next().ok_or(JsonError::Incomplete)?;
            match c {
                '"' => {
                    self.at += 1;
                    return Ok(out);
                }
                '\\' => {
                    self.at += 1;
                    out.push(self.escape()?);
                }
                '\u{0}'..='\u{1f}' => return Err(JsonError::Unexpected(self.at)),
                other => {
                    out.push(other);
                    self.at += other.len_utf8();
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let kind = self.peek()?;
        self.at += 1;
        Ok(match kind {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.hex4()?;
                let is_pair = (0xd800..0xdc00).contains(&high)
                    && self.bytes.get(self.at..self.at + 2) == Some(b"\\u");
                if is_pair {
                    let before = self.at;
                    self.at += 2;
                    let low = self.hex4()?;
                    if (0xdc00..0xe000).contains(&low) {
                        let scalar = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                        return Ok(char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                    self.at = before;
                }
                // Python keeps a lone surrogate, a Rust string cannot.
                char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return Err(JsonError::Unexpected(self.at - 1)),
        })
    }

    fn hex4(&mut self) -> Result<u32, JsonError> {
        let digits = self
            .text
            .get(self.at..self.at + 4)
            .ok_or(JsonError::Incomplete)?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(JsonError::Unexpected(self.at));
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).map_err(|_| JsonError::Unexpected(self.at))
    }

    fn list(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.expect(b'[')?;
        let mut items = Vec::new();
        self.at = skip_space(self.bytes, self.at);
        if self.peek()? == b']' {
            self.at += 1;
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.at = skip_space(self.bytes, self.at);
            match self.peek()? {
                b',' => self.at += 1,
                b']' => {
                    self.at += 1;
                    return Ok(Json::List(items));
                }
                _ => return Err(JsonError::Unexpected(self.at)),
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.expect(b'{')?;
        let mut entries: Vec<(String, Json)> = Vec::new();
        self.at = skip_space(self.bytes, self.at);
        if self.peek()? == b'}' {
            self.at += 1;
            return Ok(Json::Object(entries));
        }
        loop {
            self.at = skip_space(self.bytes, self.at);
            let key = self.string()?;
            self.expect(b':')?;
            let value = self.value(depth + 1)?;
            match entries.iter_mut().find(|(k, _)| *k == key) {
                Some(entry) => entry.1 = value,
                None => entries.push((key, value)),
            }
            self.at = skip_space(self.bytes, self.at);
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Ok(Json::Object(entries));
                }
                _ => return Err(JsonError::Unexpected(self.at)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_whole_numbers_from_floats() {
        assert_eq!(Json::parse("5"), Ok(Json::Int(5)));
        assert_eq!(Json::parse("5.0"), Ok(Json::Float(5.0)));
        assert_eq!(Json::parse("1e2"), Ok(Json::Float(100.0)));
        assert_eq!(Json::parse("-0"), Ok(Json::Int(0)));
    }

    #[test]
    fn takes_the_bare_tokens_that_python_takes() {
        assert!(matches!(Json::parse("NaN"), Ok(Json::Float(v)) if v.is_nan()));
        assert_eq!(Json::parse("-Infinity"), Ok(Json::Float(f64::NEG_INFINITY)));
        assert_eq!(Json::parse("1e400"), Ok(Json::Float(f64::INFINITY)));
        assert!(Json::parse("nan").is_err());
    }

    #[test]
    fn refuses_what_python_refuses() {
        for text in [
            "",
            "hello",
            "{'op':1}",
            "[1,]",
            "{\"a\":1,}",
            "01",
            "1.",
            "\"\n\"",
            "+1",
        ] {
            assert!(Json::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn the_last_of_two_equal_keys_wins() {
        assert_eq!(
            Json::parse(r#"{"a":1,"a":2}"#),
            Ok(Json::object([("a", Json::Int(2))]))
        );
    }

    #[test]
    fn writes_what_is_not_finite_as_null_or_as_the_bare_token() {
        let value = Json::List(vec![f64::NAN.into(), f64::INFINITY.into(), 0.5.into()]);
        assert_eq!(value.to_text(), "[null, null, 0.5]");
        assert_eq!(value.to_text_with_bare_tokens(), "[NaN, Infinity, 0.5]");
    }

    #[test]
    fn texts_survive_the_way_out_and_in() {
        let text = Json::from("快\u{1F600}\"\\\n\u{7f}");
        assert_eq!(Json::parse(&text.to_text()), Ok(text));
    }
}
