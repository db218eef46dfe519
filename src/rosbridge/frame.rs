//! The ops of the rosbridge protocol, one enum per direction.
//!
//! Only ops that the ROS 2 server knows are ever sent. Of what may come, `status` is accepted
//! although the ROS 2 server has none (other servers do), and an unknown op is said, not fatal.
//!
//! ```
//! use broomstick::rosbridge::frame::{Request, Response};
//!
//! let request = Request::Unsubscribe { topic: "/rtk_message".into() };
//! assert_eq!(request.encode(), r#"{"op":"unsubscribe","topic":"/rtk_message"}"#);
//!
//! // The real server writes bare NaN in fixed-size arrays: one number is lost, not the frame.
//! let frame = r#"{"op": "publish", "topic": "/fix", "msg": {"covariance": [NaN, 1.5]}}"#;
//! let Ok(Response::Publish { topic, msg }) = Response::decode(frame) else { panic!() };
//! assert_eq!(topic, "/fix");
//! assert_eq!(msg["covariance"], serde_json::json!([null, 1.5]));
//!
//! // What cannot be used says why, and which topic it was on.
//! let error = Response::decode(r#"{"op": "publish", "topic": "/fix", "msg": {"#).unwrap_err();
//! assert!(error.to_string().starts_with("not JSON on /fix: "));
//! ```

use serde_json::{Value, json};
use thiserror::Error;

use super::fragments::Fragment;

/// A larger frame is refused: the server itself cuts what is over 10 MB into fragments.
pub const LARGEST_FRAME: usize = 16 << 20;

/// A frame with more commas is refused: each may be a value that takes thirty times its text.
const MOST_VALUES: usize = 1_000_000;

/// How a server is asked to pack the messages of a topic. Only [`Self::None`] is safe with every
/// release; the others are for large messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compression {
    /// JSON.
    #[default]
    None,
    /// Binary frames; arrays of numbers and bytes as they are. Humble delivers no message with a
    /// fixed-size array of numbers this way.
    Cbor,
    /// Binary frames with the message as DDS has it.
    CborRaw,
    /// JSON inside a picture. Humble delivers nothing this way.
    Png,
}

impl Compression {
    /// The name on the wire; none for JSON.
    #[must_use]
    pub fn wire_name(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Cbor => Some("cbor"),
            Self::CborRaw => Some("cbor-raw"),
            Self::Png => Some("png"),
        }
    }
}

/// Client to server.
///
/// Publishes are not here: [`publish`] writes them.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Announce a publisher. Silent on success and on failure.
    Advertise {
        /// Absolute name.
        topic: String,
        /// `package/msg/Name`.
        kind: String,
        /// A stopped vehicle must not get yesterday's command: never latched.
        latch: bool,
        /// Depth of the ROS publisher; 1 for commands.
        queue_size: u32,
    },
    /// Withdraw a publisher.
    Unadvertise {
        /// Absolute name.
        topic: String,
    },
    /// Ask for a topic's messages. The numbers must be JSON integers, or the server refuses.
    Subscribe {
        /// Absolute name.
        topic: String,
        /// `package/msg/Name`; without it the server must know the topic already.
        kind: Option<String>,
        /// Milliseconds between messages, 0 for all.
        throttle_rate: u32,
        /// Messages the server keeps while throttling or behind.
        queue_length: u32,
        /// How the messages come.
        compression: Compression,
    },
    /// No more of them.
    Unsubscribe {
        /// Absolute name.
        topic: String,
    },
    /// Call a service.
    CallService {
        /// Absolute name.
        service: String,
        /// The request.
        args: Value,
        /// Comes back in the response.
        id: String,
    },
}

impl Request {
    /// The JSON text.
    #[must_use]
    pub fn encode(&self) -> String {
        match self {
            Self::Advertise {
                topic,
                kind,
                latch,
                queue_size,
            } => json!({
                "op": "advertise",
                "topic": topic,
                "type": kind,
                "latch": latch,
                "queue_size": queue_size,
            }),
            Self::Unadvertise { topic } => json!({"op": "unadvertise", "topic": topic}),
            Self::Subscribe {
                topic,
                kind,
                throttle_rate,
                queue_length,
                compression,
            } => {
                let mut request = json!({
                    "op": "subscribe",
                    "topic": topic,
                    "throttle_rate": throttle_rate,
                    "queue_length": queue_length,
                });
                if let Some(kind) = kind {
                    request["type"] = json!(kind);
                }
                if let Some(name) = compression.wire_name() {
                    request["compression"] = json!(name);
                }
                request
            }
            Self::Unsubscribe { topic } => json!({"op": "unsubscribe", "topic": topic}),
            Self::CallService { service, args, id } => json!({
                "op": "call_service",
                "service": service,
                "args": args,
                "id": id,
            }),
        }
        .to_string()
    }
}

/// The JSON text of a publish.
#[must_use]
pub fn publish(topic: &str, message: &Value) -> String {
    json!({"op": "publish", "topic": topic, "msg": message}).to_string()
}

/// A call of a service whose answer comes under the service's own name.
#[must_use]
pub fn call(service: &str, args: &Value) -> String {
    // An answer without an id could not be told from a broken one.
    json!({"op": "call_service", "id": service, "service": service, "args": args}).to_string()
}

/// Server to client.
#[derive(Debug, Clone, PartialEq)]
pub enum Response {
    /// A message of a subscribed topic.
    Publish {
        /// Absolute name.
        topic: String,
        /// The message; non-finite numbers are `null`.
        msg: Value,
    },
    /// The answer to a call.
    Service {
        /// The call's id.
        id: String,
        /// `values`, or the error's text when the result was false.
        result: Result<Value, String>,
    },
    /// A remark of a server that makes them.
    Status {
        /// `error`, `warning`, `info`, `none`.
        level: String,
        /// The remark.
        message: String,
    },
    /// A piece of a frame.
    Fragment(Fragment),
    /// A frame inside a picture.
    Png {
        /// Base64.
        data: String,
    },
    /// An op that this client has no use for.
    Other {
        /// Its name.
        op: String,
    },
}

/// Why a frame could not be used. The frame is lost, the session goes on.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FrameError {
    /// Not JSON, even with NaN and Infinity tokens read as null.
    #[error("not JSON{}: {detail}", on(topic))]
    NotJson {
        /// The topic, if the frame told it before it broke; else empty.
        topic: String,
        /// What the reader says.
        detail: String,
    },
    /// More than this client takes.
    #[error("frame of {bytes} bytes{} refused: too large", on(topic))]
    TooLarge {
        /// The topic, if the frame begins with it; else empty.
        topic: String,
        /// Its size.
        bytes: usize,
    },
    /// JSON, but not an object with an `op`.
    #[error("no \"op\" in the frame")]
    NoOp,
    /// A known op lacks something.
    #[error("{op} without {missing:?}")]
    Incomplete {
        /// The op.
        op: String,
        /// The missing item.
        missing: &'static str,
    },
}

impl Response {
    /// Reads a frame.
    ///
    /// # Errors
    /// See [`FrameError`].
    pub fn decode(text: &str) -> Result<Self, FrameError> {
        let topic = || topic_hint(text).unwrap_or_default().to_owned();
        let is_full = |text: &str| text.bytes().filter(|b| *b == b',').count() > MOST_VALUES;
        if text.len() > LARGEST_FRAME || (text.len() > MOST_VALUES && is_full(text)) {
            return Err(FrameError::TooLarge {
                topic: topic(),
                bytes: text.len(),
            });
        }
        let value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            // The real server writes bare NaN for fixed-size arrays: invalid JSON, valid news.
            Err(first) => serde_json::from_str(&without_non_finite_tokens(text)).map_err(|_| {
                FrameError::NotJson {
                    topic: topic(),
                    detail: first.to_string(),
                }
            })?,
        };
        Self::from_value(value)
    }

    /// Reads what was a frame's JSON, or came as CBOR.
    ///
    /// # Errors
    /// See [`FrameError`].
    pub fn from_value(mut value: Value) -> Result<Self, FrameError> {
        let op = value
            .get("op")
            .and_then(Value::as_str)
            .ok_or(FrameError::NoOp)?
            .to_owned();
        let incomplete = |missing| FrameError::Incomplete {
            op: op.clone(),
            missing,
        };
        let text_of =
            |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        match op.as_str() {
            "publish" => Ok(Self::Publish {
                topic: text_of(&value, "topic").ok_or_else(|| incomplete("topic"))?,
                msg: value
                    .get_mut("msg")
                    .map(Value::take)
                    .ok_or_else(|| incomplete("msg"))?,
            }),
            "service_response" => {
                let values = value.get_mut("values").map(Value::take).unwrap_or_default();
                let went_well = value
                    .get("result")
                    .and_then(Value::as_bool)
                    .unwrap_or(false);
                let result = match values {
                    values if went_well => Ok(values),
                    Value::String(error) => Err(error),
                    other => Err(other.to_string()),
                };
                Ok(Self::Service {
                    id: text_of(&value, "id").ok_or_else(|| incomplete("id"))?,
                    result,
                })
            }
            "status" => Ok(Self::Status {
                level: text_of(&value, "level").unwrap_or_default(),
                message: text_of(&value, "msg").unwrap_or_default(),
            }),
            "fragment" => {
                let id = value.get("id").map(|id| match id {
                    Value::String(id) => id.clone(),
                    other => other.to_string(),
                });
                // `total` is a float in this release: 4.175 means 4.
                let whole = |key: &'static str| {
                    let number = value.get(key).and_then(Value::as_f64);
                    let number = number.filter(|n| (0.0..1e9).contains(n));
                    number.map(|n| n as usize).ok_or_else(|| incomplete(key))
                };
                Ok(Self::Fragment(Fragment {
                    id: id.unwrap_or_default(),
                    num: whole("num")?,
                    total: whole("total")?,
                    data: text_of(&value, "data").ok_or_else(|| incomplete("data"))?,
                }))
            }
            "png" => Ok(Self::Png {
                data: text_of(&value, "data").ok_or_else(|| incomplete("data"))?,
            }),
            _ => Ok(Self::Other { op }),
        }
    }
}

/// The topic that a frame's beginning names, whether or not the rest can be read.
#[must_use]
pub fn topic_hint(text: &str) -> Option<&str> {
    const HEAD: usize = 400;
    let cut = (0..=HEAD.min(text.len())).rev();
    let head = cut.into_iter().find_map(|end| text.get(..end))?;
    let (_, rest) = head.split_once("\"topic\"")?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    rest.strip_prefix('"')?
        .split_once('"')
        .map(|(topic, _)| topic)
}

/// " on /topic", or nothing.
fn on(topic: &str) -> String {
    if topic.is_empty() {
        String::new()
    } else {
        [" on ", topic].concat()
    }
}

/// Replaces the tokens NaN, Infinity and -Infinity outside strings by null.
fn without_non_finite_tokens(text: &str) -> String {
    const TOKENS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut in_string = false;
    while let Some(c) = rest.chars().next() {
        if !in_string && let Some(token) = TOKENS.iter().find(|token| rest.starts_with(**token)) {
            out.push_str("null");
            rest = &rest[token.len()..];
            continue;
        }
        let mut taken = c.len_utf8();
        match c {
            '"' => in_string = !in_string,
            '\\' if in_string => {
                taken += rest[taken..].chars().next().map_or(0, char::len_utf8);
            }
            _ => {}
        }
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_bare_nan_costs_one_number_not_the_frame() {
        let text =
            r#"{"op":"publish","topic":"/t","msg":{"a":[NaN,-Infinity,1],"s":"NaN \" NaN"}}"#;
        let Ok(Response::Publish { msg, .. }) = Response::decode(text) else {
            panic!()
        };
        assert_eq!(msg["a"], serde_json::json!([null, null, 1]));
        assert_eq!(msg["s"], "NaN \" NaN");
    }

    #[test]
    fn a_failed_service_gives_the_servers_words() {
        let text =
            r#"{"op":"service_response","id":"7","result":false,"values":"no such service"}"#;
        assert_eq!(
            Response::decode(text),
            Ok(Response::Service {
                id: "7".into(),
                result: Err("no such service".into())
            })
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = Response::decode(r#"{"op":"publish","topic":"/t"}"#).unwrap_err();
        assert_eq!(error.to_string(), r#"publish without "msg""#);
        assert_eq!(Response::decode("[1]"), Err(FrameError::NoOp));
    }

    #[test]
    fn a_broken_frame_names_its_topic() {
        let broken = r#"{"op": "publish", "topic": "/über", "msg": {"a": [1, 2"#;
        let words = Response::decode(broken).unwrap_err().to_string();
        assert!(words.starts_with("not JSON on /über: "), "{words}");
        assert_eq!(topic_hint(&"é".repeat(400)), None);
    }

    #[test]
    fn an_over_large_frame_is_refused_by_its_size_before_it_is_read() {
        let start = r#"{"op": "publish", "topic": "/big", "msg": {"data": ""#;
        let large = format!("{start}{}\"}}}}", "x".repeat(LARGEST_FRAME));
        let words = Response::decode(&large).unwrap_err().to_string();
        let bytes = large.len();
        assert_eq!(
            words,
            format!("frame of {bytes} bytes on /big refused: too large")
        );
        let crowded = format!(
            r#"{{"op": "publish", "topic": "/big", "msg": [{}0]}}"#,
            "0,".repeat(MOST_VALUES + 1)
        );
        assert!(matches!(
            Response::decode(&crowded),
            Err(FrameError::TooLarge { .. })
        ));
    }

    #[test]
    fn a_message_of_ten_megabytes_is_read() {
        let text = publish("/big", &json!({"data": "x".repeat(10_000_000)}));
        let Ok(Response::Publish { msg, .. }) = Response::decode(&text) else {
            panic!()
        };
        assert_eq!(msg["data"].as_str().map(str::len), Some(10_000_000));
    }

    #[test]
    fn integers_of_64_bits_lose_nothing() {
        let text = r#"{"op":"publish","topic":"/t","msg":{"u":18446744073709551615,"i":-9223372036854775808}}"#;
        let Ok(Response::Publish { msg, .. }) = Response::decode(text) else {
            panic!()
        };
        assert_eq!(msg["u"].as_u64(), Some(u64::MAX));
        assert_eq!(msg["i"].as_i64(), Some(i64::MIN));
    }

    #[test]
    fn deep_nesting_is_an_error_not_a_crash() {
        let text = "[".repeat(100_000);
        assert!(matches!(
            Response::decode(&text),
            Err(FrameError::NotJson { .. })
        ));
    }

    proptest! {
        #[test]
        fn decoding_anything_never_panics(text in any::<String>()) {
            let _ignored = Response::decode(&text);
        }

        #[test]
        fn decoding_near_json_never_panics(
            text in r#"[{}\[\]",:\\a-zNInfity0-9.\-]{0,60}"#
        ) {
            let _ignored = Response::decode(&text);
        }

        #[test]
        fn a_subscription_has_integers_and_every_item(
            topic in ".{1,12}", kind in ".{1,12}", throttle in any::<u32>(), queue in any::<u32>()
        ) {
            let request = Request::Subscribe {
                topic: topic.clone(), kind: Some(kind.clone()), throttle_rate: throttle,
                queue_length: queue, compression: Compression::None,
            };
            let read: Value = serde_json::from_str(&request.encode()).unwrap();
            prop_assert_eq!(read, json!({
                "op": "subscribe", "topic": topic, "type": kind, "throttle_rate": throttle,
                "queue_length": queue,
            }));
        }

        #[test]
        fn a_publish_is_read_as_it_was_written(topic in ".{1,12}", x in any::<i32>(), s in ".*") {
            let msg = json!({"x": x, "s": s});
            let read = Response::decode(&publish(&topic, &msg));
            prop_assert_eq!(read, Ok(Response::Publish { topic, msg }));
        }
    }
}
