//! Units as the comments of definitions state them.

/// Words that name one unit wherever they stand. Lower case.
const WORDS: &[(&str, &str)] = &[
    ("m/s", "m/s"),
    ("meters/second", "m/s"),
    ("m/s^2", "m/s²"),
    ("m/s2", "m/s²"),
    ("rad/s", "rad/s"),
    ("radians/second", "rad/s"),
    ("rad/s^2", "rad/s²"),
    ("deg/s", "°/s"),
    ("km/h", "km/h"),
    ("rad", "rad"),
    ("radians", "rad"),
    ("deg", "°"),
    ("degs", "°"),
    ("degree", "°"),
    ("degrees", "°"),
    ("meters", "m"),
    ("metres", "m"),
    ("m^2", "m²"),
    ("mm", "mm"),
    ("cm", "cm"),
    ("km", "km"),
    ("rpm", "rpm"),
    ("hz", "Hz"),
    ("volts", "V"),
    ("amperes", "A"),
    ("amps", "A"),
    ("ah", "Ah"),
    ("celsius", "°C"),
    ("seconds", "s"),
    ("nanoseconds", "ns"),
    ("milliseconds", "ms"),
    ("percent", "%"),
    ("tesla", "T"),
    ("pascals", "Pa"),
    ("newtons", "N"),
];

/// Letters that name a unit only in brackets or after "in": elsewhere they are words.
const LETTERS: &[(&str, &str)] = &[
    ("m", "m"),
    ("s", "s"),
    ("V", "V"),
    ("A", "A"),
    ("N", "N"),
    ("T", "T"),
    ("Pa", "Pa"),
    ("%", "%"),
    ("ms", "ms"),
    ("ns", "ns"),
    ("Nm", "Nm"),
    ("kg", "kg"),
    ("W", "W"),
    ("K", "K"),
    ("°C", "°C"),
    ("°", "°"),
];

/// The unit that a comment states; none when it states none, or two different ones.
///
/// ```
/// use broomstick::msgs::unit::unit_in;
///
/// assert_eq!(unit_in("Latitude [degrees]. Positive is north."), Some("°"));
/// assert_eq!(unit_in("speed along x, m/s"), Some("m/s"));
/// assert_eq!(unit_in("m/s or rad/s"), None);
/// assert_eq!(unit_in("a speed"), None);
/// ```
#[must_use]
pub fn unit_in(comment: &str) -> Option<&'static str> {
    let mut found = None;
    let mut previous = "";
    for token in comment.split_whitespace() {
        let bare = token.trim_matches(|c: char| matches!(c, ',' | '.' | ';' | ':'));
        let inside = bare.trim_matches(|c: char| matches!(c, '[' | ']' | '(' | ')'));
        let is_bracketed = inside.len() + 2 == bare.len();
        let is_stated = is_bracketed || previous.eq_ignore_ascii_case("in");
        previous = bare;
        let lower = inside.to_ascii_lowercase();
        let word = WORDS.iter().find(|(word, _)| *word == lower);
        let letter = LETTERS
            .iter()
            .find(|(letter, _)| is_stated && *letter == inside);
        let Some((_, unit)) = word.or(letter) else {
            continue;
        };
        match found {
            Some(known) if known != *unit => return None,
            _ => found = Some(*unit),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_where_they_are_stated() {
        for (comment, unit) in [
            ("Altitude [m]. Positive is above the ellipsoid", Some("m")),
            ("Voltage in Volts (Mandatory)", Some("V")),
            ("in A", Some("A")),
            ("A point", None),
            ("the m of it", None),
            ("Charge percentage on 0 to 1 range", None),
            ("angle (rad)", Some("rad")),
            ("", None),
        ] {
            assert_eq!(unit_in(comment), unit, "{comment}");
        }
    }
}
