//! Sine, cosine, tangent, exponential and logarithm by their series.
//!
//! The standard library's are right to the last bit for any argument, and pay for it with eight
//! kilobytes of tables that hardly compress. Angles of vehicles and degrees of maps are small.
//! Right to 1e-15 of the result, or of 1 where that is larger, for angles up to some thousand turns.

use std::f64::consts::{FRAC_2_PI, LN_2, LOG2_E};

/// A quarter turn: its first 33 bits, a multiple of which is exact, and the rest of it.
const QUARTER: [f64; 2] = [1.570_796_326_734_125_6, 6.077_100_506_506_192e-11];

/// Terms after which nothing changes any more, for arguments up to an eighth of a turn, or 0.7.
const TERMS: u32 = 20;

/// Of an angle in radians.
#[must_use]
pub fn sin(angle: f64) -> f64 {
    sin_cos(angle).0
}

/// Of an angle in radians.
#[must_use]
pub fn cos(angle: f64) -> f64 {
    sin_cos(angle).1
}

/// Of an angle in radians.
#[must_use]
pub fn tan(angle: f64) -> f64 {
    let (sine, cosine) = sin_cos(angle);
    sine / cosine
}

/// Sine and cosine of an angle in radians.
#[must_use]
pub fn sin_cos(angle: f64) -> (f64, f64) {
    let quarters = (angle * FRAC_2_PI).round();
    let rest = angle - quarters * QUARTER[0] - quarters * QUARTER[1];
    let (mut sine, mut cosine) = (0.0, 0.0);
    let mut term = 1.0;
    for n in 0..TERMS {
        match n % 4 {
            0 => cosine += term,
            1 => sine += term,
            2 => cosine -= term,
            _ => sine -= term,
        }
        term *= rest / f64::from(n + 1);
    }
    match quarters as i64 & 3 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// e to that power, of −700 to 700.
#[must_use]
pub fn exp(power: f64) -> f64 {
    let twos = (power * LOG2_E).round().clamp(-1022.0, 1023.0);
    let rest = power - twos * LN_2;
    let (mut sum, mut term) = (0.0, 1.0);
    for n in 0..TERMS {
        sum += term;
        term *= rest / f64::from(n + 1);
    }
    sum * f64::from_bits(((twos as i64 + 1023) as u64) << 52)
}

/// The natural logarithm of a positive number; NaN of others.
#[must_use]
pub fn ln(value: f64) -> f64 {
    if !(f64::MIN_POSITIVE..f64::INFINITY).contains(&value) {
        return f64::NAN;
    }
    let bits = value.to_bits();
    let mut twos = (bits >> 52) as i32 - 1023;
    let mut rest = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    if rest > 1.5 {
        rest /= 2.0;
        twos += 1;
    }
    // ln r = 2 artanh((r − 1) / (r + 1))
    let ratio = (rest - 1.0) / (rest + 1.0);
    let (mut sum, mut power) = (0.0, ratio);
    for n in 0..TERMS {
        sum += power / f64::from(2 * n + 1);
        power *= ratio * ratio;
    }
    2.0 * sum + f64::from(twos) * LN_2
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;
    use proptest::prelude::*;

    fn is_near(value: f64, exact: f64) -> bool {
        (value - exact).abs() <= 4e-15 * exact.abs().max(1.0)
    }

    #[test]
    fn whole_quarters_are_what_they_are() {
        assert_eq!(sin_cos(0.0), (0.0, 1.0));
        assert_eq!((exp(0.0), ln(1.0)), (1.0, 0.0));
        for quarter in -8..8 {
            let angle = f64::from(quarter) * FRAC_PI_2;
            assert!(is_near(sin(angle), angle.sin()) && is_near(cos(angle), angle.cos()));
        }
        assert!(sin(f64::NAN).is_nan() && cos(f64::INFINITY).is_nan());
        assert!(exp(f64::NAN).is_nan() && ln(f64::NAN).is_nan() && ln(0.0).is_nan());
    }

    proptest! {
        #[test]
        fn turns_are_as_the_standard_library_has_them(angle in -1e4..1e4_f64) {
            prop_assert!(is_near(sin(angle), angle.sin()), "{} {}", sin(angle), angle.sin());
            prop_assert!(is_near(cos(angle), angle.cos()));
        }

        #[test]
        fn so_are_tangents_of_wheels_and_latitudes(angle in -1.55..1.55_f64) {
            prop_assert!((tan(angle) / angle.tan() - 1.0).abs() < 1e-13 || angle == 0.0);
        }

        #[test]
        fn so_are_powers(power in -300.0..300.0_f64) {
            prop_assert!((exp(power) / power.exp() - 1.0).abs() < 1e-13);
            prop_assert!(is_near(ln(power.exp()), power));
        }

        #[test]
        fn so_are_logarithms_near_one(value in 0.1..10.0_f64) {
            prop_assert!(is_near(ln(value), value.ln()), "{} {}", ln(value), value.ln());
        }
    }
}
