//! `builtin_interfaces/Time` and seconds.

use crate::msgs::std_msgs::Time;

/// Seconds of a ROS time: `sec + nanosec · 1e−9`.
#[must_use]
pub fn to_seconds(time: Time) -> f64 {
    f64::from(time.sec) + f64::from(time.nanosec) * 1e-9
}

/// Seconds of a `sec` and a `nanosec` that were read as signed numbers: a negative `nanosec` counts
/// as 0.
#[must_use]
pub fn seconds_of(sec: i32, nanosec: i32) -> f64 {
    f64::from(sec) + f64::from(nanosec.max(0)) * 1e-9
}

/// The ROS time of so many seconds. Negative or non-finite seconds give (0, 0), seconds beyond
/// what `sec` can hold its last whole second; `nanosec` is always 0…999 999 999.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is checked to be inside the range before each cast"
)]
pub fn from_seconds(seconds: f64) -> Time {
    if !seconds.is_finite() || seconds < 0.0 {
        return Time::default();
    }
    if seconds >= f64::from(i32::MAX) {
        return Time {
            sec: i32::MAX,
            nanosec: 0,
        };
    }
    let whole = seconds.trunc();
    let nanosec = ((seconds - whole) * 1e9).round() as u32;
    if nanosec > 999_999_999 {
        // Rounding up to a whole second must not leave a thousand million nanoseconds behind.
        Time {
            sec: whole as i32 + 1,
            nanosec: 0,
        }
    } else {
        Time {
            sec: whole as i32,
            nanosec,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_and_non_finite_seconds_are_time_zero() {
        for seconds in [-1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(from_seconds(seconds), Time::default());
        }
    }

    #[test]
    fn nanoseconds_never_reach_a_whole_second() {
        let time = from_seconds(1.999_999_999_9);
        assert_eq!(time, Time { sec: 2, nanosec: 0 });
    }

    #[test]
    fn there_and_back() {
        let time = Time {
            sec: 7,
            nanosec: 250_000_000,
        };
        assert_eq!(from_seconds(to_seconds(time)), time);
    }
}
