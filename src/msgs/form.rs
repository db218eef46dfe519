//! A message written by hand: the fields of its definition to fill in, and what was typed, checked
//! against them.
//!
//! ```
//! use broomstick::msgs::definition::Definitions;
//! use broomstick::msgs::form::{Why, fields, message};
//!
//! let mut definitions = Definitions::default();
//! definitions.add_full_text("p/Level", "uint8 level\nfloat32[2] range\nstring name")?;
//! let names: Vec<_> = fields(&definitions, "p/Level").unwrap_or_default();
//! assert_eq!(names.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), ["/level", "/range", "/name"]);
//!
//! let typed = |level: &str| [("/level".to_owned(), level.to_owned()), ("/range".to_owned(), "[0, 2]".to_owned())];
//! let made = message(&definitions, "p/Level", &typed("200"));
//! assert_eq!(made.unwrap_or_default().to_string(), r#"{"level":200,"name":"","range":[0.0,2.0]}"#);
//! let mistakes = message(&definitions, "p/Level", &typed("256")).unwrap_err();
//! assert_eq!(mistakes[0].why, Why::Outside { from: 0, to: 255 });
//! # Ok::<(), broomstick::msgs::definition::DefinitionError>(())
//! ```
//!
//! # Errors
//!
//! Every mistake with the path of its field; a message with a mistake is not made.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::definition::{Arity, Definition, Definitions, Field, Kind, short_name};

/// More fields are not filled in one by one.
const MOST_FIELDS: usize = 200;
const DEEPEST: usize = 12;

/// A field to fill in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormField {
    /// How far it is indented.
    pub depth: u8,
    /// Its name.
    pub name: String,
    /// Where in the message: `/twist/linear/x`; empty for a message as a whole.
    pub path: String,
    /// Its type as in a `.msg` text; empty for one whose fields follow.
    pub kind: String,
    /// What stands there to begin with.
    pub default: String,
    /// In the symbols of the SI; empty when it is not known.
    pub unit: String,
}

/// What is wrong with what was typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mistake {
    /// Of the field; with the element's number for one of a list.
    pub path: String,
    /// What.
    pub why: Why,
}

/// What can be wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Why {
    /// A number is expected.
    NotANumber,
    /// A whole one is.
    NotWhole,
    /// The type holds only these.
    Outside {
        /// The least.
        from: i64,
        /// The most.
        to: u64,
    },
    /// The type holds no number so large, or it is not finite.
    NotFinite,
    /// `true` or `false`.
    NotBool,
    /// Text is.
    NotText,
    /// A list in JSON is: `[1, 2]`.
    NotAList,
    /// Another number of elements.
    Count {
        /// So many, or at most so many.
        wanted: usize,
    },
    /// An object in JSON is.
    NotAnObject,
    /// The type has no such field.
    NoSuchField,
    /// Nobody knows how that is checked.
    TooDeep,
}

/// The fields of a type, with those of the messages inside it; none where the definition is not
/// known whole, or is too large: then the message is written as a whole.
#[must_use]
pub fn fields(definitions: &Definitions, kind: &str) -> Option<Vec<FormField>> {
    let mut found = Vec::new();
    collect(definitions, &short_name(kind), "", 0, &mut found)?;
    Some(found)
}

/// The message that was typed, by path; what was left empty is the default.
///
/// # Errors
/// Every mistake.
pub fn message(
    definitions: &Definitions,
    kind: &str,
    typed: &[(String, String)],
) -> Result<Value, Vec<Mistake>> {
    let mut check = Check {
        definitions,
        mistakes: Vec::new(),
    };
    let kind = short_name(kind);
    let made = match (definitions.get(&kind), fields(definitions, &kind)) {
        (Some(definition), Some(_)) => check.filled(definition, typed, ""),
        (definition, _) => {
            let text = typed.iter().find(|(path, _)| path.is_empty());
            let text = text.map_or("{}", |(_, text)| text.trim());
            match serde_json::from_str(text) {
                Ok(value @ Value::Object(_)) if definition.is_none() => value,
                Ok(value) => check.value(&Kind::Message(kind), &value, "", 0),
                Err(_) => check.mistake("", Why::NotAnObject),
            }
        }
    };
    if check.mistakes.is_empty() {
        Ok(made)
    } else {
        Err(check.mistakes)
    }
}

fn collect(
    definitions: &Definitions,
    kind: &str,
    path: &str,
    depth: usize,
    found: &mut Vec<FormField>,
) -> Option<()> {
    if depth > DEEPEST {
        return None;
    }
    for field in &definitions.get(kind)?.fields {
        if found.len() >= MOST_FIELDS {
            return None;
        }
        let nested = match (&field.kind, field.arity) {
            (Kind::Message(name), Arity::One) => Some(name),
            _ => None,
        };
        let path = [path, "/", &field.name].concat();
        found.push(FormField {
            depth: depth as u8,
            name: field.name.clone(),
            path: path.clone(),
            kind: nested.map_or_else(|| spelt(field), |_| String::new()),
            default: nested.map_or_else(|| default(field), |_| String::new()),
            unit: field.unit.unwrap_or_default().to_owned(),
        });
        if let Some(name) = nested {
            collect(definitions, name, &path, depth + 1, found)?;
        }
    }
    Some(())
}

/// As a `.msg` text has it.
fn spelt(field: &Field) -> String {
    let name = match &field.kind {
        Kind::Bool => "bool".to_owned(),
        Kind::Octet => "byte".to_owned(),
        Kind::Signed(bits) => ["int", &bits.to_string()].concat(),
        Kind::Unsigned(bits) => ["uint", &bits.to_string()].concat(),
        Kind::Float32 => "float32".to_owned(),
        Kind::Float64 => "float64".to_owned(),
        Kind::Text => "string".to_owned(),
        Kind::WideText => "wstring".to_owned(),
        Kind::Message(name) => name.clone(),
    };
    match field.arity {
        Arity::One => name,
        Arity::Sequence => name + "[]",
        Arity::Bounded(most) => [&name, "[<=", &most.to_string(), "]"].concat(),
        Arity::Fixed(count) => [&name, "[", &count.to_string(), "]"].concat(),
    }
}

fn default(field: &Field) -> String {
    if let Some(default) = &field.default {
        return default.clone();
    }
    let zero = match &field.kind {
        Kind::Bool => "false",
        Kind::Text | Kind::WideText => "",
        Kind::Message(_) => "{}",
        _ => "0",
    };
    match field.arity {
        Arity::One => zero.to_owned(),
        Arity::Sequence | Arity::Bounded(_) => "[]".to_owned(),
        Arity::Fixed(count) => {
            let zero = if zero.is_empty() { "\"\"" } else { zero };
            ["[", &vec![zero; count.min(64)].join(", "), "]"].concat()
        }
    }
}

struct Check<'a> {
    definitions: &'a Definitions,
    mistakes: Vec<Mistake>,
}

impl Check<'_> {
    fn mistake(&mut self, path: &str, why: Why) -> Value {
        let path = path.to_owned();
        self.mistakes.push(Mistake { path, why });
        Value::Null
    }

    /// What was typed field by field.
    fn filled(&mut self, definition: &Definition, typed: &[(String, String)], at: &str) -> Value {
        let mut made = Map::new();
        for field in &definition.fields {
            let path = [at, "/", &field.name].concat();
            let value = match (&field.kind, field.arity) {
                (Kind::Message(name), Arity::One) => match self.definitions.get(name) {
                    Some(definition) => self.filled(definition, typed, &path),
                    None => Value::Object(Map::new()),
                },
                _ => {
                    let text = typed.iter().find(|(of, _)| *of == path);
                    let text = text.map_or("", |(_, text)| text.as_str());
                    let is_text = matches!(field.kind, Kind::Text | Kind::WideText);
                    let is_empty = text.is_empty() || !is_text && text.trim().is_empty();
                    let default = default(field);
                    self.field(field, if is_empty { &default } else { text }, &path)
                }
            };
            made.insert(field.name.clone(), value);
        }
        Value::Object(made)
    }

    /// One field as it was typed.
    fn field(&mut self, field: &Field, text: &str, path: &str) -> Value {
        if field.arity != Arity::One {
            return match serde_json::from_str(text.trim()) {
                Ok(value) => self.list(field, &value, path, 0),
                Err(_) => self.mistake(path, Why::NotAList),
            };
        }
        let value = match &field.kind {
            Kind::Text | Kind::WideText => Value::String(text.to_owned()),
            Kind::Bool => match text.trim() {
                "true" | "True" | "1" => Value::Bool(true),
                "false" | "False" | "0" => Value::Bool(false),
                _ => return self.mistake(path, Why::NotBool),
            },
            _ => match serde_json::from_str(text.trim()) {
                Ok(value @ Value::Number(_)) => value,
                // Written as people and ROS write them: `+1`, `.5`, `nan`.
                _ => match text.trim().parse::<f64>().map(Number::from_f64) {
                    Ok(Some(number)) => Value::Number(number),
                    Ok(None) => return self.mistake(path, Why::NotFinite),
                    Err(_) => return self.mistake(path, Why::NotANumber),
                },
            },
        };
        self.value(&field.kind, &value, path, 0)
    }

    fn list(&mut self, field: &Field, value: &Value, path: &str, depth: usize) -> Value {
        let Some(items) = value.as_array() else {
            return self.mistake(path, Why::NotAList);
        };
        let wanted = match field.arity {
            Arity::Fixed(count) if items.len() != count => Some(count),
            Arity::Bounded(most) if items.len() > most => Some(most),
            _ => None,
        };
        if let Some(wanted) = wanted {
            return self.mistake(path, Why::Count { wanted });
        }
        let items = items.iter().enumerate().map(|(place, item)| {
            let path = [path, "/", &place.to_string()].concat();
            self.value(&field.kind, item, &path, depth + 1)
        });
        Value::Array(items.collect())
    }

    /// One value, as the wire wants it.
    fn value(&mut self, kind: &Kind, value: &Value, path: &str, depth: usize) -> Value {
        match kind {
            Kind::Bool if value.is_boolean() => value.clone(),
            Kind::Bool => self.mistake(path, Why::NotBool),
            Kind::Text | Kind::WideText if value.is_string() => value.clone(),
            Kind::Text | Kind::WideText => self.mistake(path, Why::NotText),
            Kind::Octet => self.whole(value, (0, 255), path),
            Kind::Unsigned(bits) => {
                let most = u64::MAX >> (64 - bits.clamp(&1, &64));
                self.whole(value, (0, most), path)
            }
            Kind::Signed(bits) => {
                let most = i64::MAX >> (64 - bits.clamp(&1, &64));
                self.whole(value, (-most - 1, most as u64), path)
            }
            Kind::Float32 => self.float(value, f64::from(f32::MAX), path),
            Kind::Float64 => self.float(value, f64::MAX, path),
            Kind::Message(name) => {
                let (Some(items), true) = (value.as_object(), depth <= DEEPEST) else {
                    let is_object = value.is_object();
                    let why = if is_object {
                        Why::TooDeep
                    } else {
                        Why::NotAnObject
                    };
                    return self.mistake(path, why);
                };
                let Some(definition) = self.definitions.get(name) else {
                    return value.clone();
                };
                let mut made = Map::new();
                for (key, item) in items {
                    let path = [path, "/", key].concat();
                    let made_of = match definition.field(key) {
                        None => self.mistake(&path, Why::NoSuchField),
                        Some(field) if field.arity != Arity::One => {
                            self.list(field, item, &path, depth + 1)
                        }
                        Some(field) => self.value(&field.kind, item, &path, depth + 1),
                    };
                    made.insert(key.clone(), made_of);
                }
                Value::Object(made)
            }
        }
    }

    /// Integers stay integers: the real rosbridge drops a whole message for a `5.0` in a `uint8`.
    fn whole(&mut self, value: &Value, (from, to): (i64, u64), path: &str) -> Value {
        let Some(number) = value.as_number() else {
            return self.mistake(path, Why::NotANumber);
        };
        let whole = match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(whole), ..) => Some(i128::from(whole)),
            (_, Some(whole), _) => Some(i128::from(whole)),
            (.., Some(float)) if float.fract() == 0.0 && float.abs() < 9e15 => Some(float as i128),
            (.., Some(float)) if float.fract() == 0.0 => None,
            _ => return self.mistake(path, Why::NotWhole),
        };
        match whole {
            Some(whole) if i128::from(from) <= whole && whole <= i128::from(to) => {
                match i64::try_from(whole) {
                    Ok(whole) => whole.into(),
                    Err(_) => (whole as u64).into(),
                }
            }
            _ => self.mistake(path, Why::Outside { from, to }),
        }
    }

    fn float(&mut self, value: &Value, most: f64, path: &str) -> Value {
        match value.as_f64() {
            None => self.mistake(path, Why::NotANumber),
            Some(float) if float.is_finite() && float.abs() <= most => float.into(),
            Some(_) => self.mistake(path, Why::NotFinite),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn definitions() -> Definitions {
        let mut definitions = Definitions::default();
        let text = "q/Header header\nint8 small -3\nuint64 big\nfloat32 level # in V\nbool on\n\
            string name \"abc\"\nuint8[] raw\nint16[3] three\nq/Point[<=2] points\n\
            ====\nMSG: q/Header\nuint32 sec\nstring frame\n====\nMSG: q/Point\nfloat64 x\nint32 n";
        definitions.add_full_text("p/All", text).unwrap();
        definitions
    }

    fn typed(fields: &[(&str, &str)]) -> Vec<(String, String)> {
        let own = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
        fields.iter().map(own).collect()
    }

    fn made(fields: &[(&str, &str)]) -> Result<Value, Vec<Mistake>> {
        message(&definitions(), "p/msg/All", &typed(fields))
    }

    #[test]
    fn the_form_has_every_field_in_order_with_its_type_default_and_unit() {
        let form = fields(&definitions(), "p/msg/All").unwrap();
        let lines: Vec<String> = form
            .iter()
            .map(|it| {
                format!(
                    "{} {} {} {} {}",
                    it.depth, it.path, it.kind, it.default, it.unit
                )
            })
            .collect();
        assert_eq!(
            lines,
            [
                "0 /header   ",
                "1 /header/sec uint32 0 ",
                "1 /header/frame string  ",
                "0 /small int8 -3 ",
                "0 /big uint64 0 ",
                "0 /level float32 0 V",
                "0 /on bool false ",
                "0 /name string abc ",
                "0 /raw uint8[] [] ",
                "0 /three int16[3] [0, 0, 0] ",
                "0 /points q/Point[<=2] [] ",
            ]
        );
        assert_eq!(fields(&definitions(), "p/Unknown"), None);
    }

    #[test]
    fn what_is_left_empty_is_the_default_and_integers_stay_integers() {
        assert_eq!(
            made(&[
                ("/on", "true"),
                ("/level", "5"),
                ("/big", "18446744073709551615")
            ]),
            Ok(json!({
                "header": {"sec": 0, "frame": ""}, "small": -3, "big": u64::MAX, "level": 5.0,
                "on": true, "name": "abc", "raw": [], "three": [0, 0, 0], "points": [],
            }))
        );
        let lists = made(&[
            ("/three", "[1, -2, 3]"),
            ("/points", r#"[{"x": 1, "n": 2}, {}]"#),
            ("/header/frame", " map"),
        ]);
        let lists = lists.unwrap();
        assert_eq!(lists["points"].to_string(), r#"[{"n":2,"x":1.0},{}]"#);
        assert_eq!(lists["header"]["frame"], " map");
    }

    #[test]
    fn every_mistake_is_named_by_its_field() {
        for (path, text, at, why) in [
            (
                "/small",
                "-129",
                "",
                Why::Outside {
                    from: -128,
                    to: 127,
                },
            ),
            ("/small", "1.5", "", Why::NotWhole),
            ("/small", "one", "", Why::NotANumber),
            (
                "/big",
                "-1",
                "",
                Why::Outside {
                    from: 0,
                    to: u64::MAX,
                },
            ),
            (
                "/big",
                "18446744073709551616",
                "",
                Why::Outside {
                    from: 0,
                    to: u64::MAX,
                },
            ),
            ("/level", "nan", "", Why::NotFinite),
            ("/level", "1e39", "", Why::NotFinite),
            ("/on", "yes", "", Why::NotBool),
            ("/raw", "1, 2", "", Why::NotAList),
            ("/raw", "[1, 256]", "/1", Why::Outside { from: 0, to: 255 }),
            ("/three", "[1]", "", Why::Count { wanted: 3 }),
            ("/points", "[{}, {}, {}]", "", Why::Count { wanted: 2 }),
            ("/points", r#"[{"y": 1}]"#, "/0/y", Why::NoSuchField),
            ("/points", "[1]", "/0", Why::NotAnObject),
        ] {
            let expected = Mistake {
                path: [path, at].concat(),
                why,
            };
            assert_eq!(made(&[(path, text)]), Err(vec![expected]), "{path} {text}");
        }
    }

    #[test]
    fn without_a_definition_the_message_is_written_as_a_whole() {
        let none = Definitions::default();
        let whole = |text: &str| message(&none, "p/T", &typed(&[("", text)]));
        assert_eq!(whole(r#"{"a": 1}"#), Ok(json!({"a": 1})));
        assert_eq!(whole("").unwrap_err()[0].why, Why::NotAnObject);
        assert_eq!(whole("[1]").unwrap_err()[0].why, Why::NotAnObject);
        assert_eq!(message(&none, "p/T", &[]), Ok(json!({})));
    }

    proptest! {
        #[test]
        fn whatever_is_typed_nothing_outside_its_type_is_made(
            small in "\\PC{0,12}", number in any::<f64>(), list in proptest::collection::vec(any::<i64>(), 0..4),
        ) {
            let list = format!("{list:?}");
            for text in [small, number.to_string()] {
                let fields = typed(&[("/small", &text), ("/level", &text), ("/three", &list)]);
                if let Ok(made) = message(&definitions(), "p/All", &fields) {
                    let whole = made["small"].as_i64().unwrap();
                    prop_assert!((-128..=127).contains(&whole));
                    prop_assert!(made["level"].as_f64().unwrap().abs() <= f64::from(f32::MAX));
                    prop_assert_eq!(made["three"].as_array().unwrap().len(), 3);
                }
            }
        }
    }
}
