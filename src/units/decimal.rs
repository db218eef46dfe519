/// A number as text with a fixed number of decimals: never an exponent, never a minus before a zero.
/// Rounded half away from zero; exact to 15 digits, which is more than anything that is shown has.
/// What is not finite is `NaN` or `inf`.
///
/// The formatter of floats would do it, too, and costs the page two kilobytes.
///
/// ```
/// use broomstick::units::decimal;
///
/// assert_eq!(decimal(-0.4249, 2), "-0.42");
/// assert_eq!(decimal(31.230_416_7, 7), "31.2304167");
/// assert_eq!(decimal(-0.001, 2), "0.00");
/// ```
#[must_use]
pub fn decimal(value: f64, decimals: usize) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return "inf".to_owned();
    }
    let mut scale = 1_u64;
    for _ in 0..decimals {
        scale *= 10;
    }
    let scaled = (value.abs() * scale as f64).round() as u64;
    let mut text = (scaled / scale).to_string();
    if value < 0.0 && scaled > 0 {
        text.insert(0, '-');
    }
    if decimals > 0 {
        let part = (scaled % scale).to_string();
        text.push('.');
        for _ in part.len()..decimals {
            text.push('0');
        }
        text.push_str(&part);
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn zeros_stand_where_they_belong() {
        assert_eq!(decimal(0.0, 0), "0");
        assert_eq!(decimal(-0.0, 3), "0.000");
        assert_eq!(decimal(2.05, 3), "2.050");
        assert_eq!(decimal(-12.0, 1), "-12.0");
        assert_eq!(decimal(0.996, 2), "1.00");
        assert_eq!(decimal(f64::NAN, 2), "NaN");
        assert_eq!(decimal(f64::NEG_INFINITY, 2), "inf");
    }

    proptest! {
        #[test]
        fn no_number_is_written_further_off_than_half_of_its_last_digit(
            value in -1e7..1e7_f64,
            decimals in 0_usize..8,
        ) {
            let text = decimal(value, decimals);
            let half = 0.5 * 10_f64.powi(-(decimals as i32));
            let read: f64 = text.parse().unwrap();
            // What the number itself cannot tell apart is no mistake.
            let grain = 2.0 * value.abs() * f64::EPSILON;
            prop_assert!((read - value).abs() <= half * 1.0001 + grain, "{text}");
            prop_assert_eq!(text.split('.').nth(1).map_or(0, str::len), decimals);
        }
    }
}
