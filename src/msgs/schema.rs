//! The one reader of message definitions: `.msg` texts and the answers of `message_details`.
//!
//! [`line()`] tells what one line of a `.msg` text is, without allocating; [`fields_of`] and
//! [`super::definition`] are made of it. What it reads is ROS 2's `.msg` grammar as far as fields
//! go: constants, defaults, bounded and fixed arrays, comments, and the sections by which rosapi
//! appends nested types (`====`, `MSG: package/Name`).
//!
//! ```
//! use broomstick::msgs::schema::{Line, fields_of, line};
//!
//! let text = "uint8 OFF=0\nuint8 brake # 0 released\nfloat32 angle 0.0\n====\nMSG: x/Y\nint8 z";
//! let fields: Vec<_> = fields_of(text).collect();
//! assert_eq!(fields, [("brake", "uint8"), ("angle", "float32")]);
//!
//! // A line that is neither a field nor a constant is said to be one, never guessed at.
//! assert_eq!(line("nonsense"), Line::Unreadable);
//! ```

use serde_json::Value;

/// What one line of a `.msg` text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'a> {
    /// Nothing stands there.
    Blank,
    /// Only a comment.
    Comment(&'a str),
    /// `TYPE name`, perhaps with a default and a comment.
    Field(FieldLine<'a>),
    /// `TYPE NAME=value`.
    Constant {
        /// The primitive.
        kind: &'a str,
        /// The name.
        name: &'a str,
        /// As written, without quotes.
        value: &'a str,
    },
    /// A row of `=` before the definition of a nested type.
    Rule,
    /// The name of the nested type that follows.
    Section(&'a str),
    /// None of these.
    Unreadable,
}

/// A field as its line has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldLine<'a> {
    /// The type with its array brackets, `float64[9]`.
    pub kind: &'a str,
    /// The name on the wire.
    pub name: &'a str,
    /// The default as written, without quotes.
    pub default: Option<&'a str>,
    /// What follows `#`; empty without one.
    pub comment: &'a str,
}

/// Reads one line.
#[must_use]
pub fn line(text: &str) -> Line<'_> {
    let text = text.trim();
    if text.is_empty() {
        return Line::Blank;
    }
    if text.starts_with("====") {
        return Line::Rule;
    }
    if let Some(name) = text.strip_prefix("MSG:") {
        return Line::Section(name.trim());
    }
    let (code, comment) = split_comment(text);
    if code.is_empty() {
        return Line::Comment(comment);
    }
    let Some((kind, rest)) = code.split_once(char::is_whitespace) else {
        return Line::Unreadable;
    };
    let rest = rest.trim_start();
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let length = rest.bytes().take_while(|b| is_word(*b)).count();
    let (name, after) = rest.split_at(length);
    let rest = after.trim_start();
    if name.is_empty() {
        return Line::Unreadable;
    }
    if let Some(value) = rest.strip_prefix('=') {
        return Line::Constant {
            kind,
            name,
            value: unquoted(value.trim()),
        };
    }
    if !after.is_empty() && rest.len() == after.len() {
        // Something sticks to the name: `a-b`.
        return Line::Unreadable;
    }
    Line::Field(FieldLine {
        kind,
        name,
        default: (!rest.is_empty()).then(|| unquoted(rest)),
        comment,
    })
}

/// Field names and types of the first definition of a `.msg` text, in order: what stands before
/// the first line of `=`, without constants and comments.
pub fn fields_of(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines()
        .map(line)
        .take_while(|line| *line != Line::Rule)
        .filter_map(|line| match line {
            Line::Field(field) => Some((field.name, field.kind)),
            _ => None,
        })
}

/// Field names and types of one type in the answer of `message_details`, spelt as a `.msg` text
/// spells them: Humble's `_lat`, `double` and an array length beside it are `lat` and `float64`.
///
/// ```
/// use broomstick::msgs::schema::details_of;
///
/// let values = serde_json::json!({"typedefs": [{
///     "type": "x/Fix", "fieldnames": ["_lat", "_cov", "_raw"],
///     "fieldtypes": ["double", "float", "octet"], "fieldarraylen": [-1, 9, 0],
/// }]});
/// let field = |name: &str, kind: &str| (name.to_owned(), kind.to_owned());
/// assert_eq!(
///     details_of(&values, "x/msg/Fix"),
///     [field("lat", "float64"), field("cov", "float32[9]"), field("raw", "byte[]")]
/// );
/// ```
#[must_use]
pub fn details_of(values: &Value, kind: &str) -> Vec<(String, String)> {
    let wanted = super::normalized_type(kind);
    let typedefs = values.get("typedefs").and_then(Value::as_array);
    let found = typedefs.into_iter().flatten().find(|typedef| {
        typedef
            .get("type")
            .and_then(Value::as_str)
            .is_some_and(|name| super::normalized_type(name) == wanted)
    });
    found.map(typedef_fields).unwrap_or_default()
}

/// The fields of one entry of `typedefs`. Entries whose lists do not match give what they have.
#[must_use]
pub fn typedef_fields(typedef: &Value) -> Vec<(String, String)> {
    let list = |name: &str| {
        let list = typedef.get(name).and_then(Value::as_array);
        list.map(Vec::as_slice).unwrap_or_default()
    };
    let (names, lengths) = (list("fieldnames"), list("fieldarraylen"));
    // Humble gives the names of Python's slots, all with an underscore before them.
    let has_slots = names
        .iter()
        .all(|name| name.as_str().is_some_and(|name| name.starts_with('_')));
    let mut fields = Vec::new();
    for (place, (name, kind)) in names.iter().zip(list("fieldtypes")).enumerate() {
        let (Some(name), Some(kind)) = (name.as_str(), kind.as_str()) else {
            continue;
        };
        let name = if has_slots { &name[1..] } else { name };
        let mut kind = msg_spelling(kind).to_owned();
        match lengths.get(place).and_then(Value::as_i64) {
            Some(0) if !kind.ends_with(']') => kind.push_str("[]"),
            Some(count) if count > 0 && !kind.ends_with(']') => {
                kind.push('[');
                kind.push_str(&count.to_string());
                kind.push(']');
            }
            _ => {}
        }
        fields.push((name.to_owned(), kind));
    }
    fields
}

/// A primitive's name in a `.msg` text, whichever way it is spelt; other names stay.
#[must_use]
pub fn msg_spelling(name: &str) -> &str {
    match name {
        "boolean" => "bool",
        "octet" => "byte",
        "float" => "float32",
        "double" => "float64",
        other => other,
    }
}

/// Code and comment; a `#` inside quotes begins no comment.
fn split_comment(text: &str) -> (&str, &str) {
    let mut quote = None;
    for (place, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'#') => return (text[..place].trim_end(), text[place + 1..].trim()),
            // An apostrophe that nothing closes is no quote.
            (None, b'"' | b'\'') if text.as_bytes()[place + 1..].contains(&byte) => {
                quote = Some(byte);
            }
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    (text, "")
}

fn unquoted(text: &str) -> &str {
    for quote in ['"', '\''] {
        let inside = text.strip_prefix(quote).and_then(|t| t.strip_suffix(quote));
        if let Some(inside) = inside {
            return inside;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_field_has_a_type_a_name_a_default_and_a_comment() {
        let field = |kind, name, default, comment| {
            Line::Field(FieldLine {
                kind,
                name,
                default,
                comment,
            })
        };
        for (text, expected) in [
            ("float64 x", field("float64", "x", None, "")),
            (
                "  Vector3   linear  # m/s",
                field("Vector3", "linear", None, "m/s"),
            ),
            (
                "float32 angle 0.5 # rad",
                field("float32", "angle", Some("0.5"), "rad"),
            ),
            (
                "string<=10 s \"a # b\" # c",
                field("string<=10", "s", Some("a # b"), "c"),
            ),
            (
                "int32[<=3] a [1, 2]",
                field("int32[<=3]", "a", Some("[1, 2]"), ""),
            ),
        ] {
            assert_eq!(line(text), expected, "{text}");
        }
    }

    #[test]
    fn constants_are_not_fields_however_they_are_spaced() {
        for text in ["byte A=1", "byte A = 1", "byte A =1 # one", "byte  A= 1"] {
            let expected = Line::Constant {
                kind: "byte",
                name: "A",
                value: "1",
            };
            assert_eq!(line(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_field_is_not_guessed_at() {
        for text in ["nonsense", "int32 a-b", "int32 =", "int32 [3]"] {
            assert_eq!(line(text), Line::Unreadable, "{text}");
        }
        assert_eq!(line("# don't"), Line::Comment("don't"));
        assert_eq!(
            line("====\u{3d}"),
            Line::Rule,
            "a rule is a rule whatever its length"
        );
        assert_eq!(
            line("MSG: std_msgs/Header"),
            Line::Section("std_msgs/Header")
        );
    }

    #[test]
    fn later_spellings_of_message_details_read_the_same() {
        let humble = json!({"typedefs": [{"type": "p/T", "fieldnames": ["_a", "_b"],
            "fieldtypes": ["double", "boolean"], "fieldarraylen": [-1, -1]}]});
        let later = json!({"typedefs": [{"type": "p/msg/T", "fieldnames": ["a", "b"],
            "fieldtypes": ["float64", "bool"], "fieldarraylen": [-1, -1]}]});
        assert_eq!(details_of(&humble, "p/T"), details_of(&later, "p/T"));
        assert_eq!(details_of(&humble, "p/Other"), []);
        assert_eq!(details_of(&json!({"typedefs": 3}), "p/T"), []);
    }

    #[test]
    fn one_name_with_an_underscore_is_its_own_name() {
        let values = json!({"typedefs": [{"type": "p/T", "fieldnames": ["_a", "b"],
            "fieldtypes": ["double", "double"], "fieldarraylen": [-1, -1]}]});
        assert_eq!(details_of(&values, "p/T")[0].0, "_a");
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in any::<String>(), odd in "[a-z0-9_#='\"<\\[\\] \n]{0,60}") {
            for text in [text, odd] {
                let _count = fields_of(&text).count();
            }
        }
    }
}
