//! Binary frames: CBOR, and CDR inside CBOR, as the Humble server packs them.
//!
//! The server cannot pack fixed-size arrays of numbers into CBOR: a NavSatFix never arrives that
//! way.

use super::definition::{Arity, Definitions, Field, Kind};
use super::json::Json;
use super::subscription::Packing;
use crate::msgs::std_msgs::Time;
use crate::rosbridge::base64;

/// The binary frame of a sample; the parameters are those of [`super::bridge::Packer`].
///
/// # Errors
/// The exception that the server's log line mentions.
pub fn pack(
    definitions: &Definitions,
    packing: Packing,
    kind: &str,
    topic: &str,
    message: &Json,
    time: Time,
) -> Result<Vec<u8>, &'static str> {
    let mut out = Vec::new();
    head(&mut out, 5, 3);
    for (key, value) in [("op", "publish"), ("topic", topic)] {
        text(&mut out, key);
        text(&mut out, value);
    }
    text(&mut out, "msg");
    if packing == Packing::CborRaw {
        head(&mut out, 5, 3);
        text(&mut out, "secs");
        integer(&mut out, time.sec.into());
        text(&mut out, "nsecs");
        integer(&mut out, time.nanosec.into());
        text(&mut out, "bytes");
        let raw = cdr(definitions, kind, message);
        head(&mut out, 2, raw.len() as u64);
        out.extend(raw);
    } else {
        cbor_message(&mut out, definitions, kind, message)?;
    }
    Ok(out)
}

fn cbor_message(
    out: &mut Vec<u8>,
    definitions: &Definitions,
    kind: &str,
    message: &Json,
) -> Result<(), &'static str> {
    let fields = definitions.get(kind).map(|d| d.fields.as_slice());
    let fields = fields.unwrap_or_default();
    head(out, 5, fields.len() as u64);
    for field in fields {
        text(out, &field.name);
        let value = message.get(&field.name).unwrap_or(&Json::Null);
        cbor_field(out, definitions, field, value)?;
    }
    Ok(())
}

fn cbor_field(
    out: &mut Vec<u8>,
    definitions: &Definitions,
    field: &Field,
    value: &Json,
) -> Result<(), &'static str> {
    match (field.arity, value) {
        (Arity::One, _) => cbor_single(out, definitions, &field.kind, value),
        (_, Json::Text(bytes)) => {
            let bytes = base64::decode(bytes).unwrap_or_default();
            head(out, 2, bytes.len() as u64);
            out.extend(bytes);
            Ok(())
        }
        (Arity::Fixed(_), _) if !matches!(field.kind, Kind::Message(_) | Kind::Text) => {
            Err("'numpy.ndarray' object has no attribute 'get_fields_and_field_types'")
        }
        (_, Json::List(items)) => {
            if let Some((tag, width)) = typed_array(&field.kind) {
                head(out, 6, tag);
                head(out, 2, (items.len() * width) as u64);
                for item in items {
                    put_number(out, &field.kind, item);
                }
                return Ok(());
            }
            head(out, 4, items.len() as u64);
            for item in items {
                cbor_single(out, definitions, &field.kind, item)?;
            }
            Ok(())
        }
        _ => Err("not a list"),
    }
}

fn cbor_single(
    out: &mut Vec<u8>,
    definitions: &Definitions,
    kind: &Kind,
    value: &Json,
) -> Result<(), &'static str> {
    match (kind, value) {
        (Kind::Message(name), _) => return cbor_message(out, definitions, name, value),
        (_, Json::Bool(value)) => out.push(if *value { 0xf5 } else { 0xf4 }),
        (_, Json::Int(value)) => integer(out, *value),
        (_, Json::Float(value)) => {
            out.push(0xfb);
            out.extend(value.to_be_bytes());
        }
        (_, Json::Text(value)) => text(out, value),
        _ => out.push(0xf6),
    }
    Ok(())
}

/// Tag and width of the little-endian array of a kind of numbers.
fn typed_array(kind: &Kind) -> Option<(u64, usize)> {
    Some(match kind {
        Kind::Unsigned(16) => (69, 2),
        Kind::Unsigned(32) => (70, 4),
        Kind::Unsigned(64) => (71, 8),
        Kind::Signed(8) => (72, 1),
        Kind::Signed(16) => (77, 2),
        Kind::Signed(32) => (78, 4),
        Kind::Signed(64) => (79, 8),
        Kind::Float32 => (85, 4),
        Kind::Float64 => (86, 8),
        _ => return None,
    })
}

fn head(out: &mut Vec<u8>, major: u8, number: u64) {
    let major = major << 5;
    let bytes = number.to_be_bytes();
    match number {
        0..=23 => out.push(major | bytes[7]),
        24..=0xff => out.extend([major | 24, bytes[7]]),
        0x100..=0xffff => {
            out.push(major | 25);
            out.extend(&bytes[6..]);
        }
        0x1_0000..=0xffff_ffff => {
            out.push(major | 26);
            out.extend(&bytes[4..]);
        }
        _ => {
            out.push(major | 27);
            out.extend(bytes);
        }
    }
}

fn text(out: &mut Vec<u8>, text: &str) {
    head(out, 3, text.len() as u64);
    out.extend(text.as_bytes());
}

fn integer(out: &mut Vec<u8>, value: i128) {
    let (major, number) = if value < 0 {
        (1, -1 - value)
    } else {
        (0, value)
    };
    head(out, major, u64::try_from(number).unwrap_or(u64::MAX));
}

/// A number as memory has it, little-endian.
fn put_number(out: &mut Vec<u8>, kind: &Kind, value: &Json) {
    #[expect(clippy::cast_possible_truncation, reason = "the field is a float32")]
    match kind {
        Kind::Float32 => out.extend((value.as_f64().unwrap_or(0.0) as f32).to_le_bytes()),
        Kind::Float64 => out.extend(value.as_f64().unwrap_or(0.0).to_le_bytes()),
        Kind::Bool => out.push(u8::from(value == &Json::Bool(true))),
        Kind::Signed(bits) | Kind::Unsigned(bits) => {
            let bytes = value.as_int().unwrap_or(0).to_le_bytes();
            out.extend(bytes.iter().take((*bits / 8) as usize));
        }
        _ => out.extend(value.as_int().unwrap_or(0).to_le_bytes().iter().take(1)),
    }
}

/// The message as DDS has it: CDR, little-endian, padded to four bytes where it ends.
fn cdr(definitions: &Definitions, kind: &str, message: &Json) -> Vec<u8> {
    let mut body = Vec::new();
    cdr_message(&mut body, definitions, kind, message);
    let mut raw = vec![0, 1, 0, 0];
    raw.extend(body);
    raw
}

fn cdr_message(out: &mut Vec<u8>, definitions: &Definitions, kind: &str, message: &Json) {
    let fields = definitions.get(kind).map(|d| d.fields.as_slice());
    for field in fields.unwrap_or_default() {
        let value = message.get(&field.name).unwrap_or(&Json::Null);
        let items = match (field.arity, value) {
            (Arity::One, one) => {
                cdr_single(out, definitions, &field.kind, one);
                continue;
            }
            (arity, Json::Text(bytes)) => {
                let bytes = base64::decode(bytes).unwrap_or_default();
                if !matches!(arity, Arity::Fixed(_)) {
                    cdr_length(out, bytes.len());
                }
                out.extend(bytes);
                continue;
            }
            (_, Json::List(items)) => items.as_slice(),
            _ => &[],
        };
        if !matches!(field.arity, Arity::Fixed(_)) {
            cdr_length(out, items.len());
        }
        for item in items {
            cdr_single(out, definitions, &field.kind, item);
        }
    }
    if fields.is_none_or(<[Field]>::is_empty) {
        out.push(0);
    }
}

fn cdr_single(out: &mut Vec<u8>, definitions: &Definitions, kind: &Kind, value: &Json) {
    match kind {
        Kind::Message(name) => cdr_message(out, definitions, name, value),
        Kind::Text | Kind::WideText => {
            let text = value.as_text().unwrap_or_default();
            cdr_length(out, text.len() + 1);
            out.extend(text.as_bytes());
            out.push(0);
        }
        _ => {
            let width = match kind {
                Kind::Signed(bits) | Kind::Unsigned(bits) => (*bits / 8) as usize,
                Kind::Float32 => 4,
                Kind::Float64 => 8,
                _ => 1,
            };
            align(out, width);
            put_number(out, kind, value);
        }
    }
}

fn cdr_length(out: &mut Vec<u8>, length: usize) {
    align(out, 4);
    out.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
}

fn align(out: &mut Vec<u8>, width: usize) {
    out.resize(out.len().next_multiple_of(width), 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rosbridge::{cbor, cdr as read_cdr};

    const TEXT: &str = "q/U u\nint16[2] pair\nuint8[] raw\nfloat32[] ranges\nint64 low\nuint64 high\n\
        bool yes\nstring words\nq/U[] many\n====\nMSG: q/U\nint8[<=2] few\nfloat64 x";

    fn message() -> (Definitions, Json) {
        let mut definitions = Definitions::default();
        definitions.add_full_text("p/T", TEXT).unwrap();
        let text = r#"{"u": {"few": [-2], "x": 0.5}, "pair": [-1, 2], "raw": "AQID", "ranges": [1.5, NaN],
            "low": -9223372036854775808, "high": 18446744073709551615, "yes": true, "words": "héllo",
            "many": [{"few": [], "x": 1.0}, {"few": [1, 2], "x": -1.0}]}"#;
        (definitions, Json::parse(text).unwrap())
    }

    fn read(text: &str) -> serde_json::Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn what_is_packed_is_read_as_it_was() {
        let (definitions, message) = message();
        let time = Time { sec: 7, nanosec: 8 };
        let raw = pack(&definitions, Packing::CborRaw, "p/T", "/t", &message, time).unwrap();
        let frame = cbor::decode(&raw).unwrap();
        assert_eq!(
            (&frame["msg"]["secs"], &frame["msg"]["nsecs"]),
            (&7.into(), &8.into())
        );
        let bytes = base64::decode(frame["msg"]["bytes"].as_str().unwrap()).unwrap();
        let raw = read_cdr::decode(&definitions, "p/T", &bytes).unwrap();
        assert_eq!(raw, read(&message.to_text()));
    }

    #[test]
    fn cbor_is_read_as_it_was_but_for_fixed_arrays_which_never_arrive() {
        let (mut definitions, message) = message();
        let packed = |definitions: &Definitions| {
            pack(
                definitions,
                Packing::Cbor,
                "p/T",
                "/t",
                &message,
                Time::default(),
            )
        };
        assert!(packed(&definitions).unwrap_err().contains("numpy.ndarray"));
        definitions
            .add_full_text("p/T", &TEXT.replace("int16[2] pair\n", ""))
            .unwrap();
        let frame = cbor::decode(&packed(&definitions).unwrap()).unwrap();
        let mut expected = read(&message.to_text());
        expected.as_object_mut().unwrap().remove("pair");
        assert_eq!(frame["msg"], expected);
        assert_eq!(
            (&frame["op"], &frame["topic"]),
            (&"publish".into(), &"/t".into())
        );
    }
}
