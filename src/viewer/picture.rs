//! Pictures out of `sensor_msgs/CompressedImage`.

use serde_json::Value;

use crate::rosbridge::base64;

/// A picture that a browser can show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// `image/jpeg` …, by its first bytes: what `format` says is not always true.
    pub mime: &'static str,
    /// The file.
    pub bytes: Vec<u8>,
}

/// The picture of a message; none when there is none that a browser can show.
#[must_use]
pub fn of(message: &Value) -> Option<Picture> {
    let bytes = base64::decode(message.get("data")?.as_str()?)?;
    let mime = mime_of(&bytes)?;
    Some(Picture { mime, bytes })
}

fn mime_of(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
        Some("image/jpeg")
    } else if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_picture_is_known_by_its_first_bytes() {
        let message = |bytes: &[u8]| json!({"format": "png", "data": base64::encode(bytes)});
        let jpeg = of(&message(&[0xff, 0xd8, 0xff, 0xe0])).unwrap();
        assert_eq!((jpeg.mime, jpeg.bytes.len()), ("image/jpeg", 4));
        let depth = [&[0; 12][..], b"\x89PNG\r\n\x1a\n"].concat();
        assert_eq!(of(&message(&depth)), None);
        assert_eq!(of(&json!({"data": "?"})), None);
        assert_eq!(of(&json!({})), None);
    }
}
