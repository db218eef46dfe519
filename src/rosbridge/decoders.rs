//! Everything that reads more than JSON text, for sessions that ask for it.
//!
//! ```
//! use broomstick::rosbridge::decoders;
//! use broomstick::rosbridge::session::Session;
//!
//! let session = Session::new("ws://robot:9090", 7).with_decoders(decoders::ALL);
//! # let _ = session;
//! ```

use serde_json::Value;

use super::frame::LARGEST_FRAME;
use super::session::Decoders;
use super::{cbor, png};

/// CBOR and pictures.
pub const ALL: Decoders = Decoders {
    binary: read_binary,
    png: read_png,
};

fn read_binary(bytes: &[u8]) -> Result<Value, String> {
    let words = |reason: &str| {
        let about = topic_in(bytes).map(|topic| format!(" on {topic}"));
        let about = about.unwrap_or_default();
        format!("binary frame of {} bytes{about}: {reason}", bytes.len())
    };
    if bytes.len() > LARGEST_FRAME {
        return Err(words("too large"));
    }
    cbor::decode(bytes).map_err(|error| words(&error.to_string()))
}

fn read_png(data: &str) -> Result<String, String> {
    png::decode(data).map_err(|error| format!("png frame of {} bytes: {error}", data.len()))
}

/// The topic of a frame that cannot be read, as its first bytes have it.
fn topic_in(bytes: &[u8]) -> Option<String> {
    const KEY: &[u8] = b"\x65topic";
    let head = bytes.get(..bytes.len().min(400))?;
    let place = head.windows(KEY.len()).position(|window| window == KEY)?;
    let rest = head.get(place + KEY.len()..)?;
    let (length, rest) = match rest {
        [first @ 0x60..=0x77, rest @ ..] => (usize::from(first & 31), rest),
        [0x78, length, rest @ ..] => (usize::from(*length), rest),
        _ => return None,
    };
    let topic = std::str::from_utf8(rest.get(..length)?).ok()?;
    Some(topic.to_owned())
}
