//! Frames inside pictures (`compression: "png"`): the text of a frame as the pixels of an RGB
//! image, padded with newlines.
//!
//! Humble's server delivers nothing this way; others do.
//!
//! ```
//! use broomstick::rosbridge::png::decode;
//!
//! let error = decode("aGVsbG8=").unwrap_err();
//! assert_eq!(error.to_string(), "not a PNG picture");
//! ```

use thiserror::Error;

use super::base64;
use super::frame::LARGEST_FRAME;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Why a picture holds no frame.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PngError {
    /// Not base64.
    #[error("not base64")]
    NotBase64,
    /// Not a picture of this format.
    #[error("not a PNG picture")]
    NotPng,
    /// A picture of a form that no server makes: palettes, interlacing, other depths than 8.
    #[error("a PNG picture of an unknown form (depth {depth}, colours {colours})")]
    Form {
        /// Bits of a channel.
        depth: u8,
        /// The format's number for the kind of colours.
        colours: u8,
    },
    /// More than a frame may have.
    #[error("a picture of {0} bytes refused: too large")]
    TooLarge(u64),
    /// The compressed bytes are damaged.
    #[error("the picture's bytes are damaged")]
    Damaged,
    /// The pixels are no text.
    #[error("the picture's bytes are not UTF-8")]
    NotText,
}

/// The frame inside a picture that came as base64.
///
/// # Errors
/// See [`PngError`].
pub fn decode(data: &str) -> Result<String, PngError> {
    let bytes = base64::decode(data).ok_or(PngError::NotBase64)?;
    let mut pixels = pixels(&bytes)?;
    // The padding; zeros too, for servers that fill up with black.
    while matches!(pixels.last(), Some(b'\n' | 0)) {
        pixels.pop();
    }
    String::from_utf8(pixels).map_err(|_| PngError::NotText)
}

/// The bytes of all channels of all pixels, row by row.
fn pixels(bytes: &[u8]) -> Result<Vec<u8>, PngError> {
    let mut rest = bytes.strip_prefix(SIGNATURE).ok_or(PngError::NotPng)?;
    let mut form = None;
    let mut packed = Vec::new();
    while let Some((name, data, after)) = chunk(rest) {
        match name {
            b"IHDR" => form = Some(Form::read(data)?),
            b"IDAT" => packed.extend_from_slice(data),
            b"IEND" => break,
            _ => {}
        }
        rest = after;
    }
    let form = form.ok_or(PngError::NotPng)?;
    let size = form.packed_size();
    let limit = usize::try_from(size)
        .ok()
        .filter(|size| *size <= LARGEST_FRAME)
        .ok_or(PngError::TooLarge(size))?;
    let rows = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(&packed, limit)
        .map_err(|_| PngError::Damaged)?;
    if rows.len() != limit {
        return Err(PngError::Damaged);
    }
    unfiltered(&rows, form)
}

/// Name, data and what follows.
fn chunk(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (head, rest) = bytes.split_at_checked(8)?;
    let (length, name) = head.split_at(4);
    let length = u32::from_be_bytes(length.try_into().ok()?);
    let (data, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    // The check sum; the compressed bytes have one of their own.
    Some((name, data, rest.get(4..)?))
}

#[derive(Debug, Clone, Copy)]
struct Form {
    width: u32,
    height: u32,
    channels: usize,
}

impl Form {
    fn read(header: &[u8]) -> Result<Self, PngError> {
        let [
            w0,
            w1,
            w2,
            w3,
            h0,
            h1,
            h2,
            h3,
            depth,
            colours,
            _,
            _,
            interlacing,
        ] = *header
        else {
            return Err(PngError::NotPng);
        };
        let channels = match colours {
            0 => 1,
            2 => 3,
            4 => 2,
            6 => 4,
            _ => 0,
        };
        if depth != 8 || channels == 0 || interlacing != 0 {
            return Err(PngError::Form { depth, colours });
        }
        Ok(Self {
            width: u32::from_be_bytes([w0, w1, w2, w3]),
            height: u32::from_be_bytes([h0, h1, h2, h3]),
            channels,
        })
    }

    /// Every row has one byte more, its filter.
    fn packed_size(self) -> u64 {
        let row = u64::from(self.width) * self.channels as u64 + 1;
        row.saturating_mul(self.height.into())
    }
}

/// Undoes the filters, each of which predicts a byte from those left of it and above it.
fn unfiltered(rows: &[u8], form: Form) -> Result<Vec<u8>, PngError> {
    let length = form.width as usize * form.channels;
    let mut out: Vec<u8> = Vec::with_capacity(rows.len());
    for (number, row) in rows.chunks_exact(length + 1).enumerate() {
        let start = number * length;
        let (filter, row) = row.split_first().ok_or(PngError::Damaged)?;
        for (column, byte) in row.iter().enumerate() {
            let at = |out: &[u8], back: Option<usize>| {
                let place = back.and_then(|back| (start + column).checked_sub(back));
                place.and_then(|place| out.get(place)).copied().unwrap_or(0)
            };
            let is_inside = column >= form.channels;
            let has_above = number > 0;
            let left = at(&out, is_inside.then_some(form.channels));
            let above = at(&out, has_above.then_some(length));
            let corner = at(
                &out,
                (is_inside && has_above).then_some(length + form.channels),
            );
            let predicted = match filter {
                0 => 0,
                1 => left,
                2 => above,
                3 => u16::midpoint(left.into(), above.into()) as u8,
                4 => paeth(left, above, corner),
                _ => return Err(PngError::Damaged),
            };
            out.push(byte.wrapping_add(predicted));
        }
    }
    Ok(out)
}

fn paeth(left: u8, above: u8, corner: u8) -> u8 {
    let [a, b, c] = [left, above, corner].map(i16::from);
    let estimate = a + b - c;
    let [to_left, to_above, to_corner] = [a, b, c].map(|byte| (estimate - byte).abs());
    if to_left <= to_above && to_left <= to_corner {
        left
    } else if to_above <= to_corner {
        above
    } else {
        corner
    }
}

/// A text as a picture, with one of the filters in every row: what a server would send.
#[cfg(test)]
pub(super) fn picture(text: &str, width: usize, filter: u8) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let length = width * 3;
    bytes.resize(bytes.len().next_multiple_of(length), b'\n');
    let mut rows = Vec::new();
    for (number, row) in bytes.chunks(length).enumerate() {
        rows.push(filter);
        for (column, byte) in row.iter().enumerate() {
            let at = number * length + column;
            let left = if column >= 3 { bytes[at - 3] } else { 0 };
            let above = if number > 0 { bytes[at - length] } else { 0 };
            let corner = if column >= 3 && number > 0 {
                bytes[at - length - 3]
            } else {
                0
            };
            let predicted = match filter {
                0 => 0,
                1 => left,
                2 => above,
                3 => u16::midpoint(left.into(), above.into()) as u8,
                _ => paeth(left, above, corner),
            };
            rows.push(byte.wrapping_sub(predicted));
        }
    }
    let mut png = SIGNATURE.to_vec();
    let mut add = |name: &[u8], data: &[u8]| {
        png.extend((data.len() as u32).to_be_bytes());
        png.extend(name);
        png.extend(data);
        png.extend([0; 4]);
    };
    let mut header = Vec::new();
    header.extend((width as u32).to_be_bytes());
    header.extend(((bytes.len() / length) as u32).to_be_bytes());
    header.extend([8, 2, 0, 0, 0]);
    add(b"IHDR", &header);
    add(
        b"IDAT",
        &miniz_oxide::deflate::compress_to_vec_zlib(&rows, 6),
    );
    add(b"IEND", &[]);
    base64::encode(&png)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The picture of a Rtk message that a real Humble server made (and then could not send).
    const RECORDED: &str = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAJCAIAAACAMfp5AAAA4UlEQVR4nGOsVsr/ynB6A4NZqMOfL4J/du7cweDh7/f1C9NyiY2beC1CPN//YGbnevff+RvPv3X/mP/tZ7RSqH7h8yxo2801gt/5/jMxMbFxMvz7wfyH6afEbqED+9d5mfq95/z0/z/jr9///v9nZ2JhYvjD9IdHSPDAxi1u2o7GHzg/sf77zcT4g5GJjfUnAwMbK5e4wJHdB/n9tF213/K8+P6XgdHAwICBgYGRkZPxPwMD5+d3L13s/VmZfn9hcfH8dGy50CeGlzb2/rxMv79Yc+48tpz/lxCDSW0tFzYAAApOWAL+qa/PAAAAAElFTkSuQmCC";

    #[test]
    fn the_recorded_picture_holds_its_message() {
        let text = decode(RECORDED).unwrap();
        assert!(
            text.starts_with(r#"{"op": "publish", "topic": "/rtk_message", "msg": {"lat": 31."#),
            "{text}"
        );
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
    }

    #[test]
    fn what_is_no_picture_says_why() {
        assert_eq!(decode("?"), Err(PngError::NotBase64));
        let mut bytes = base64::decode(RECORDED).unwrap();
        bytes[24] = 16;
        let form = PngError::Form {
            depth: 16,
            colours: 2,
        };
        assert_eq!(decode(&base64::encode(&bytes)), Err(form));
        bytes[24] = 8;
        bytes[16..24].fill(0xff);
        assert!(matches!(
            decode(&base64::encode(&bytes)),
            Err(PngError::TooLarge(_))
        ));
        let mut bytes = base64::decode(RECORDED).unwrap();
        bytes.truncate(100);
        assert_eq!(decode(&base64::encode(&bytes)), Err(PngError::Damaged));
    }

    proptest! {
        #[test]
        fn every_filter_is_undone(text in "[ -~]{1,200}[a-z]", width in 1_usize..9, filter in 0_u8..5) {
            prop_assert_eq!(decode(&picture(&text, width, filter)), Ok(text));
        }

        #[test]
        fn no_picture_is_too_odd(changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 0..8)) {
            let mut bytes = base64::decode(RECORDED).unwrap();
            for (place, value) in changes {
                let place = place % bytes.len();
                bytes[place] = value;
            }
            let _ignored = decode(&base64::encode(&bytes));
            let _ignored = decode(std::str::from_utf8(&bytes).unwrap_or_default());
        }
    }
}
