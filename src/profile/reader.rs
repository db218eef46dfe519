//! Reads a JSON object item by item and collects every problem with its path.

use std::fmt;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use crate::ros::names::{is_topic_name, is_type_name, shown_name};

/// What is wrong with one item of the profile.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileProblem {
    /// Where: `drive.max_linear`, `map.sources[1].url`; empty for the whole file.
    pub path: String,
    /// What.
    pub problem: Problem,
}

/// What can be wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum Problem {
    /// The text is not JSON.
    NotJson(String),
    /// No such item; perhaps a similar one was meant.
    UnknownKey(Option<String>),
    /// Another kind of value is expected there.
    WrongKind {
        /// `a number`, `text`, …
        expected: &'static str,
    },
    /// A number outside its range.
    OutsideRange {
        /// The number.
        value: String,
        /// The range in words.
        range: String,
    },
    /// Text that is none of the choices.
    NotAChoice {
        /// What stands there.
        value: String,
        /// What could.
        choices: Vec<String>,
    },
    /// Not a `ws://` or `wss://` address.
    NotAWebSocketUrl(String),
    /// A required item is missing.
    Missing,
    /// It is given more than once: which one counts?
    Repeated,
}

impl ProfileProblem {
    /// A problem at a path.
    #[must_use]
    pub fn new(path: impl Into<String>, problem: Problem) -> Self {
        Self {
            path: path.into(),
            problem,
        }
    }
}

impl fmt::Display for ProfileProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        match &self.problem {
            Problem::NotJson(error) => write!(f, "not JSON: {error}"),
            Problem::UnknownKey(None) => write!(f, "unknown key"),
            Problem::UnknownKey(Some(similar)) => {
                write!(f, "unknown key (did you mean {similar}?)")
            }
            Problem::WrongKind { expected } => write!(f, "expected {expected}"),
            Problem::OutsideRange { value, range } => write!(f, "{value} is outside {range}"),
            Problem::NotAChoice { value, choices } => {
                write!(f, "{value:?} is none of {}", choices.join(", "))
            }
            Problem::NotAWebSocketUrl(url) => {
                write!(f, "{url:?} is not a ws:// or wss:// address")
            }
            Problem::Missing => write!(f, "missing"),
            Problem::Repeated => write!(f, "given more than once"),
        }
    }
}

/// True for `ws://host…` and `wss://host…`.
#[must_use]
pub(crate) fn is_websocket_url(url: &str) -> bool {
    url.strip_prefix("ws://")
        .or_else(|| url.strip_prefix("wss://"))
        .is_some_and(|rest| {
            let host = rest.split('/').next().unwrap_or_default();
            !host.is_empty() && !host.contains(char::is_whitespace)
        })
}

/// One object of the profile being read.
pub(super) struct Reader<'a> {
    path: String,
    items: Option<&'a Map<String, Value>>,
    known: Vec<&'static str>,
    problems: Vec<ProfileProblem>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(value: &'a Value) -> Self {
        Self::at(String::new(), value)
    }

    /// All problems, unknown keys last.
    pub(super) fn finish(mut self) -> Vec<ProfileProblem> {
        for key in self.items.into_iter().flat_map(Map::keys) {
            // A key that begins with `$` or `//` is a comment: `$schema`, `//`.
            if self.known.contains(&key.as_str()) || key.starts_with(['$', '/']) {
                continue;
            }
            let path = self.path_of(key);
            let similar = self.known.iter().find(|known| is_similar(known, key));
            self.problems.push(ProfileProblem::new(
                path,
                Problem::UnknownKey(similar.map(|known| (*known).to_owned())),
            ));
        }
        self.problems
    }

    pub(super) fn section<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Reader<'_>) -> T,
    ) -> T {
        let empty = Value::Object(Map::new());
        let value = self.take(key).unwrap_or(&empty);
        self.nested(self.path_of(key), value, read)
    }

    pub(super) fn optional_section<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Reader<'_>) -> T,
    ) -> Option<T> {
        let value = self.take(key)?;
        Some(self.nested(self.path_of(key), value, read))
    }

    pub(super) fn list<T>(
        &mut self,
        key: &'static str,
        mut read: impl FnMut(&mut Reader<'_>) -> T,
    ) -> Vec<T> {
        let Some(value) = self.take(key) else {
            return Vec::new();
        };
        let Some(items) = value.as_array() else {
            self.wrong_kind(key, "a list");
            return Vec::new();
        };
        items
            .iter()
            .enumerate()
            .map(|(i, item)| self.nested(format!("{}[{i}]", self.path_of(key)), item, &mut read))
            .collect()
    }

    /// A list of at most so many.
    pub(super) fn short_list<T>(
        &mut self,
        key: &'static str,
        most: usize,
        read: impl FnMut(&mut Reader<'_>) -> T,
    ) -> Vec<T> {
        let list = self.list(key, read);
        if list.len() > most {
            let range = ["0 to ", &written(most as f64)].concat();
            self.outside(key, list.len() as f64, range);
        }
        list
    }

    /// A list with something in it.
    pub(super) fn required_list<T>(
        &mut self,
        key: &'static str,
        read: impl FnMut(&mut Reader<'_>) -> T,
    ) -> Vec<T> {
        let known = self.problems.len();
        let list = self.list(key, read);
        if list.is_empty() && self.problems.len() == known {
            self.problem(key, Problem::Missing);
        }
        list
    }

    /// Is there such an item?
    pub(super) fn has(&self, key: &'static str) -> bool {
        self.items.is_some_and(|items| items.contains_key(key))
    }

    pub(super) fn text(&mut self, key: &'static str) -> Option<String> {
        let text = self.take(key)?.as_str().map(str::to_owned);
        if text.is_none() {
            self.wrong_kind(key, "text");
        }
        text
    }

    pub(super) fn required_text(&mut self, key: &'static str) -> String {
        if self.items.is_some() && !self.has(key) {
            self.problem(key, Problem::Missing);
        }
        self.text(key).unwrap_or_default()
    }

    /// A name that is shown.
    pub(super) fn name(&mut self, key: &'static str) -> Option<String> {
        self.text_that(key, "1 to 40 visible characters", |name| {
            !name.trim().is_empty() && shown_name(name) == name
        })
    }

    /// The name of a topic, with or without a slash before it.
    pub(super) fn topic(&mut self, key: &'static str) -> Option<String> {
        self.text_that(key, "a name as ROS has it", |name| {
            is_topic_name(&["/", name.strip_prefix('/').unwrap_or(name)].concat())
        })
    }

    /// A namespace: slashes around it are ignored, and it may be empty.
    pub(super) fn namespace(&mut self, key: &'static str) -> Option<String> {
        self.text_that(key, "a name as ROS has it", |name| {
            let name = name.trim_matches('/');
            name.is_empty() || is_topic_name(&["/", name].concat())
        })
    }

    /// The name of a message type.
    pub(super) fn type_name(&mut self, key: &'static str) -> Option<String> {
        self.text_that(key, "a type like geometry_msgs/msg/Twist", is_type_name)
    }

    fn text_that(
        &mut self,
        key: &'static str,
        expected: &'static str,
        is_so: fn(&str) -> bool,
    ) -> Option<String> {
        let text = self.text(key)?;
        if !is_so(&text) {
            self.wrong_kind(key, expected);
        }
        Some(text)
    }

    pub(super) fn websocket_url(&mut self, key: &'static str) -> Option<String> {
        let url = self.text(key)?;
        if !is_websocket_url(&url) {
            self.problem(key, Problem::NotAWebSocketUrl(url.clone()));
        }
        Some(url)
    }

    pub(super) fn flag(&mut self, key: &'static str, default: bool) -> bool {
        let Some(value) = self.take(key) else {
            return default;
        };
        value.as_bool().unwrap_or_else(|| {
            self.wrong_kind(key, "true or false");
            default
        })
    }

    pub(super) fn number(
        &mut self,
        key: &'static str,
        default: f64,
        range: RangeInclusive<f64>,
    ) -> f64 {
        let Some(value) = self.any_number(key) else {
            return default;
        };
        if range.contains(&value) {
            return value;
        }
        self.outside(
            key,
            value,
            [&written(*range.start()), " to ", &written(*range.end())].concat(),
        );
        default
    }

    /// A number above zero: a limit of 0 would read as "no limit" to some and "nothing moves" to
    /// others, so it is neither.
    pub(super) fn limit(&mut self, key: &'static str, default: f64, ceiling: f64) -> f64 {
        let Some(value) = self.any_number(key) else {
            return default;
        };
        if value > 0.0 && value <= ceiling {
            return value;
        }
        self.outside(key, value, ["above 0 to ", &written(ceiling)].concat());
        default
    }

    pub(super) fn whole(
        &mut self,
        key: &'static str,
        default: u64,
        range: RangeInclusive<u64>,
    ) -> u64 {
        let Some(value) = self.any_number(key) else {
            return default;
        };
        let whole = self
            .items
            .and_then(|items| items.get(key))
            .and_then(Value::as_u64);
        match whole {
            Some(whole) if range.contains(&whole) => whole,
            _ => {
                let words = format!("the whole numbers {} to {}", range.start(), range.end());
                self.outside(key, value, words);
                default
            }
        }
    }

    /// A whole number that need not be there.
    pub(super) fn optional_whole(
        &mut self,
        key: &'static str,
        range: RangeInclusive<u64>,
    ) -> Option<u64> {
        let least = *range.start();
        self.has(key).then(|| self.whole(key, least, range))
    }

    pub(super) fn choice<T: Clone>(
        &mut self,
        key: &'static str,
        choices: &[(&'static str, T)],
        default: T,
    ) -> T {
        let Some(value) = self.take(key) else {
            return default;
        };
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if let Some((_, choice)) = choices.iter().find(|(name, _)| *name == text) {
            return choice.clone();
        }
        let choices = choices.iter().map(|(name, _)| (*name).to_owned()).collect();
        self.problem(
            key,
            Problem::NotAChoice {
                value: text,
                choices,
            },
        );
        default
    }

    pub(super) fn points(
        &mut self,
        key: &'static str,
        default: Vec<(f64, f64)>,
    ) -> Vec<(f64, f64)> {
        let Some(value) = self.take(key) else {
            return default;
        };
        let points: Option<Vec<_>> = value.as_array().and_then(|points| {
            points
                .iter()
                .map(|point| match point.as_array().map(Vec::as_slice) {
                    Some([x, y]) => Some((x.as_f64()?, y.as_f64()?)),
                    _ => None,
                })
                .collect()
        });
        match points {
            Some(points) if points.len() >= 3 => points,
            _ => {
                self.wrong_kind(key, "at least three [forward, left] pairs in metres");
                default
            }
        }
    }

    fn at(path: String, value: &'a Value) -> Self {
        let items = value.as_object();
        let mut reader = Self {
            path,
            items,
            known: Vec::new(),
            problems: Vec::new(),
        };
        if items.is_none() {
            let path = reader.path.clone();
            let problem = Problem::WrongKind {
                expected: "an object",
            };
            reader.problems.push(ProfileProblem::new(path, problem));
        }
        reader
    }

    fn nested<T>(
        &mut self,
        path: String,
        value: &Value,
        read: impl FnOnce(&mut Reader<'_>) -> T,
    ) -> T {
        let mut inner = Reader::at(path, value);
        let read = read(&mut inner);
        self.problems.extend(inner.finish());
        read
    }

    fn take(&mut self, key: &'static str) -> Option<&'a Value> {
        self.known.push(key);
        self.items?.get(key)
    }

    fn any_number(&mut self, key: &'static str) -> Option<f64> {
        let number = self.take(key)?.as_f64();
        if number.is_none() {
            self.wrong_kind(key, "a number");
        }
        number
    }

    pub(super) fn wrong_kind(&mut self, key: &str, expected: &'static str) {
        self.problem(key, Problem::WrongKind { expected });
    }

    fn outside(&mut self, key: &str, value: f64, range: String) {
        let value = written(value);
        self.problem(key, Problem::OutsideRange { value, range });
    }

    fn problem(&mut self, key: &str, problem: Problem) {
        self.problems
            .push(ProfileProblem::new(self.path_of(key), problem));
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }
}

/// The paths of keys that stand more than once in the same object of a text that is JSON: a reader of
/// JSON silently takes the last. Comments may repeat.
pub(super) fn repeated_keys(text: &str) -> Vec<String> {
    // What each level is in: the keys of an object so far, or the place in a list.
    let mut levels: Vec<(Vec<&str>, usize)> = Vec::new();
    let mut repeated = Vec::new();
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => levels.push((Vec::new(), 0)),
            b'}' | b']' => {
                levels.pop();
            }
            b',' => {
                if let Some((_, place)) = levels.last_mut() {
                    *place += 1;
                }
            }
            b'"' => {
                let rest = text.get(at..).unwrap_or_default();
                let mut is_escaped = false;
                let end = rest.find(|c| {
                    let is_end = c == '"' && !is_escaped;
                    is_escaped = c == '\\' && !is_escaped;
                    is_end
                });
                let (key, after) = rest.split_at(end.unwrap_or(rest.len()));
                at += key.len() + 1;
                let is_key = after
                    .get(1..)
                    .unwrap_or_default()
                    .trim_start()
                    .starts_with(':');
                if !is_key || key.starts_with(['$', '/']) {
                    continue;
                }
                let Some((keys, _)) = levels.last_mut() else {
                    continue;
                };
                let is_known = keys.contains(&key);
                keys.push(key);
                if is_known {
                    repeated.push(path_to(&levels));
                }
            }
            _ => {}
        }
    }
    repeated
}

fn path_to(levels: &[(Vec<&str>, usize)]) -> String {
    let mut path = String::new();
    for (keys, place) in levels {
        match keys.last() {
            Some(key) if path.is_empty() => path.push_str(key),
            Some(key) => path.extend([".", key]),
            None => path.push_str(&format!("[{place}]")),
        }
    }
    path
}

/// One slip of the fingers apart: a letter missing, added or changed.
fn is_similar(known: &str, typed: &str) -> bool {
    let (a, b): (Vec<_>, Vec<_>) = (known.chars().collect(), typed.chars().collect());
    let prefix = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let suffix = a[prefix..]
        .iter()
        .rev()
        .zip(b[prefix..].iter().rev())
        .take_while(|(x, y)| x == y)
        .count();
    let (rest_a, rest_b) = (a.len() - prefix - suffix, b.len() - prefix - suffix);
    rest_a <= 1 && rest_b <= 1
}

/// As a profile has it: `0.3`, `9`.
fn written(value: f64) -> String {
    let number = serde_json::Number::from_f64(value).map(|number| number.to_string());
    let text = number.unwrap_or_default();
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}
