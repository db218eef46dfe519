//! The ops of the rosbridge protocol, one enum per direction.
//!
//! Only ops that the ROS 2 server knows are ever sent. Of what may come, `status` is accepted
//! although the ROS 2 server has none (other servers do), and an unknown op is said, not fatal.

use serde_json::{Value, json};
use thiserror::Error;

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
    #[error("not JSON: {0}")]
    NotJson(String),
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
        let mut value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            // The real server writes bare NaN for fixed-size arrays: invalid JSON, valid news.
            Err(first) => serde_json::from_str(&without_non_finite_tokens(text))
                .map_err(|_| FrameError::NotJson(first.to_string()))?,
        };
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
            _ => Ok(Self::Other { op }),
        }
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
                queue_length: queue,
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
