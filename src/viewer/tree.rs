//! A message as lines of a tree, cut where a person would stop reading.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::units;
use crate::msgs::definition::{Arity, Definitions, Field, Kind};

/// Elements of an array that are shown.
const MOST_ELEMENTS: usize = 16;
/// Characters of a text that are shown.
const MOST_CHARACTERS: usize = 200;
/// Lines of a tree.
const MOST_LINES: usize = 400;
const DEEPEST: usize = 24;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// How far it is indented.
    pub depth: u8,
    /// The field's name, or the element's number.
    pub name: String,
    /// What to ask for a plot of it: a JSON pointer such as `/twist/linear/x`.
    pub path: String,
    /// What stands there.
    pub shown: Shown,
    /// In the symbols of the SI; empty when it is not known.
    pub unit: String,
}

/// What stands in a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Shown {
    /// A number as the wire has it: 64 bits lose nothing. It can be plotted.
    Number(String),
    /// True or false.
    Bool(bool),
    /// A text, perhaps cut.
    Text {
        /// Its beginning.
        text: String,
        /// Characters that are not shown.
        left_out: usize,
    },
    /// `null`: for a number, that it is not finite.
    Nothing,
    /// Bytes.
    Bytes(usize),
    /// The fields follow, indented.
    Message,
    /// The elements follow, indented.
    Array {
        /// How many there are.
        count: usize,
        /// How many do not follow.
        left_out: usize,
    },
}

/// The lines of a message of that type; without a definition units are not known.
#[must_use]
pub fn lines(message: &Value, kind: &str, definitions: &Definitions) -> Vec<Line> {
    let mut tree = Tree {
        definitions,
        lines: Vec::new(),
    };
    let kind = crate::msgs::definition::short_name(kind);
    tree.fields(message, &kind, &Place::default());
    tree.lines
}

/// The number at a path of a message.
#[must_use]
pub fn number_at(message: &Value, path: &str) -> Option<f64> {
    let value = message.pointer(path)?;
    value
        .as_f64()
        .or_else(|| value.as_bool().map(|b| f64::from(u8::from(b))))
}

#[derive(Debug, Clone, Default)]
struct Place {
    depth: usize,
    path: String,
    unit: String,
}

struct Tree<'a> {
    definitions: &'a Definitions,
    lines: Vec<Line>,
}

impl Tree<'_> {
    /// In the definition's order where there is one: JSON objects have none.
    fn fields(&mut self, message: &Value, kind: &str, place: &Place) {
        let Some(values) = message.as_object() else {
            return;
        };
        let definition = self.definitions.get(kind);
        let known = definition.map(|d| d.fields.as_slice()).unwrap_or_default();
        for field in known {
            if let Some(value) = values.get(&field.name) {
                self.line(&field.name, value, Some(field), kind, place);
            }
        }
        for (name, value) in values {
            if !known.iter().any(|field| field.name == *name) {
                self.line(name, value, None, kind, place);
            }
        }
    }

    fn line(&mut self, name: &str, value: &Value, field: Option<&Field>, owner: &str, at: &Place) {
        if self.lines.len() >= MOST_LINES || at.depth > DEEPEST {
            return;
        }
        let stated = field.and_then(|field| field.unit);
        let unit = units::of(owner, name).or(stated);
        let place = Place {
            depth: at.depth + 1,
            path: [&at.path, "/", &name.replace('~', "~0").replace('/', "~1")].concat(),
            unit: unit.map_or_else(|| at.unit.clone(), str::to_owned),
        };
        let is_bytes = field.is_some_and(|f| f.kind.is_byte() && f.arity != Arity::One);
        let is_number = value.is_number() || value.is_array();
        let shown = match value {
            Value::Null => Shown::Nothing,
            Value::Bool(value) => Shown::Bool(*value),
            Value::Number(number) => Shown::Number(number.to_string()),
            Value::String(text) if is_bytes => Shown::Bytes(bytes_in(text)),
            Value::String(text) => cut(text),
            Value::Array(items) => Shown::Array {
                count: items.len(),
                left_out: items.len().saturating_sub(MOST_ELEMENTS),
            },
            Value::Object(_) => Shown::Message,
        };
        self.lines.push(Line {
            depth: at.depth.min(255) as u8,
            name: name.to_owned(),
            path: place.path.clone(),
            shown,
            unit: if is_number {
                place.unit.clone()
            } else {
                String::new()
            },
        });
        let kind = match field.map(|field| &field.kind) {
            Some(Kind::Message(name)) => name.as_str(),
            _ => "",
        };
        match value {
            Value::Object(_) => self.fields(value, kind, &place),
            Value::Array(items) => {
                let element = field.map(|field| Field {
                    arity: Arity::One,
                    ..field.clone()
                });
                for (number, item) in items.iter().take(MOST_ELEMENTS).enumerate() {
                    self.line(&number.to_string(), item, element.as_ref(), "", &place);
                }
            }
            _ => {}
        }
    }
}

fn cut(text: &str) -> Shown {
    let shown: String = text.chars().take(MOST_CHARACTERS).collect();
    let left_out = match shown.len() == text.len() {
        true => 0,
        false => text.chars().count() - MOST_CHARACTERS,
    };
    Shown::Text {
        text: shown,
        left_out,
    }
}

/// How many bytes a base64 text stands for.
pub(super) fn bytes_in(text: &str) -> usize {
    let padding = text.bytes().rev().take_while(|b| *b == b'=').count();
    (text.len() / 4 * 3).saturating_sub(padding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(lines: &[Line]) -> Vec<String> {
        let one = |line: &Line| {
            let value = match &line.shown {
                Shown::Number(number) => number.clone(),
                Shown::Bool(value) => value.to_string(),
                Shown::Text { text, left_out: 0 } => format!("{text:?}"),
                Shown::Text { left_out, .. } => format!("… {left_out} more"),
                Shown::Nothing => "nothing".into(),
                Shown::Bytes(count) => format!("{count} bytes"),
                Shown::Message => String::new(),
                Shown::Array { count, left_out } => format!("[{count}, {left_out} left out]"),
            };
            let indent = "  ".repeat(line.depth.into());
            format!("{indent}{} {value} {}", line.name, line.unit)
                .trim_end()
                .to_owned()
        };
        lines.iter().map(one).collect()
    }

    #[test]
    fn fields_stand_in_the_order_of_the_definition_with_their_units() {
        let mut definitions = Definitions::default();
        definitions
            .add_full_text(
                "p/T",
                "geometry_msgs/Twist twist\nfloat32 level # in V\nuint8[] raw\nuint64 big\n====\n\
                 MSG: geometry_msgs/Twist\nVector3 linear\n====\nMSG: geometry_msgs/Vector3\n\
                 float64 z\nfloat64 x",
            )
            .unwrap();
        let message = json!({
            "big": u64::MAX, "extra": true, "level": null, "raw": "AQIDBA==",
            "twist": {"linear": {"x": 0.5, "z": -1.0}},
        });
        assert_eq!(
            shown(&lines(&message, "p/msg/T", &definitions)),
            [
                "twist",
                "  linear",
                "    z -1.0 m/s",
                "    x 0.5 m/s",
                "level nothing",
                "raw 4 bytes",
                "big 18446744073709551615",
                "extra true",
            ]
        );
    }

    #[test]
    fn long_arrays_and_texts_are_cut_and_say_so() {
        let message = json!({"ranges": vec![1.5; 1000], "text": "ä".repeat(1000)});
        let definitions = Definitions::default();
        let lines = lines(&message, "sensor_msgs/msg/LaserScan", &definitions);
        assert_eq!(lines.len(), 2 + MOST_ELEMENTS);
        assert_eq!(
            lines[0].shown,
            Shown::Array {
                count: 1000,
                left_out: 984
            }
        );
        assert_eq!(lines[1].unit, "m");
        assert!(matches!(lines[17].shown, Shown::Text { left_out: 800, .. }));
    }

    #[test]
    fn no_message_makes_more_lines_than_a_person_reads() {
        let mut message = json!({"a": 1});
        for _ in 0..100 {
            message = json!({"deeper": message, "b": [message, message]});
            if message.to_string().len() > 100_000 {
                break;
            }
        }
        let definitions = Definitions::default();
        assert!(lines(&message, "p/T", &definitions).len() <= MOST_LINES);
    }

    #[test]
    fn a_path_finds_its_number_again() {
        let message = json!({"a/b": {"c": [1, {"d": 2.5}]}, "on": true});
        let definitions = Definitions::default();
        let lines = lines(&message, "p/T", &definitions);
        let path = &lines.iter().find(|line| line.name == "d").unwrap().path;
        assert_eq!(number_at(&message, path), Some(2.5));
        assert_eq!(number_at(&message, "/on"), Some(1.0));
        assert_eq!(number_at(&message, "/nothing"), None);
    }
}
