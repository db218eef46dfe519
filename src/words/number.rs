//! Numbers with their units, as short as a chip wants them.

use super::Lang;
use crate::units::decimal;

/// `0.42 m/s`.
#[must_use]
pub fn speed(meters_per_second: f64) -> String {
    format!("{} m/s", fixed(meters_per_second, 2))
}

/// `14 ms` / `14 毫秒`.
#[must_use]
pub fn millis(ms: f64, lang: Lang) -> String {
    format!("{} {}", fixed(ms, 0), lang.pick("ms", "毫秒"))
}

/// `0.4 s` / `0.4 秒`, from milliseconds.
#[must_use]
pub fn seconds(ms: f64, lang: Lang) -> String {
    format!("{} {}", fixed(ms / 1000.0, 1), lang.pick("s", "秒"))
}

/// Whole seconds, never less than are left: `5 s` / `5 秒`.
#[must_use]
pub fn countdown(seconds: f64, lang: Lang) -> String {
    format!("{} {}", fixed(seconds.ceil(), 0), lang.pick("s", "秒"))
}

/// `22.4°`.
#[must_use]
pub fn degrees(value: f64) -> String {
    // 359.97° is north.
    format!("{}°", fixed(if value >= 359.95 { 0.0 } else { value }, 1))
}

/// A number with that many decimals, without a minus before a zero: "−0.00 m/s" reads as moving.
#[must_use]
pub fn fixed(value: f64, decimals: usize) -> String {
    decimal(value, decimals).replace('-', "−")
}

/// `11:42:07` of a day, from the milliseconds since its midnight.
#[must_use]
pub fn clock(millis_of_day: f64) -> String {
    let seconds = (millis_of_day / 1000.0) as u32 % 86_400;
    format!(
        "{:02}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rounded_zero_has_no_sign() {
        assert_eq!(fixed(-0.001, 2), "0.00");
        assert_eq!(fixed(-0.42, 2), "−0.42");
        assert_eq!(speed(0.5), "0.50 m/s");
    }

    #[test]
    fn a_countdown_never_says_less_than_is_left() {
        assert_eq!(countdown(4.01, Lang::En), "5 s");
        assert_eq!(countdown(5.0, Lang::Zh), "5 秒");
    }

    #[test]
    fn the_clock_shows_the_time_of_day() {
        assert_eq!(clock(0.0), "00:00:00");
        assert_eq!(clock(42_127_900.0), "11:42:07");
    }
}
