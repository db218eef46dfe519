//! GCJ-02, the shifted datum in which Amap and Tencent draw their tiles.
//!
//! The console keeps WGS84 everywhere; a position is shifted when it is drawn on such a map, and
//! what is tapped there is shifted back. The shift is the published polynomial-and-sine formula
//! around 105° E 35° N on the Krasovsky ellipsoid, 300–700 m inside China and nothing outside.

use std::f64::consts::PI;

use crate::units::maths::{cos, sin};

/// Semi-major axis of the Krasovsky 1940 ellipsoid in metres.
const KRASOVSKY_AXIS: f64 = 6_378_245.0;
/// First eccentricity squared of the Krasovsky 1940 ellipsoid.
const KRASOVSKY_ECCENTRICITY_SQUARED: f64 = 0.006_693_421_622_965_943;
/// The inverse stops when a step is shorter than this (0.1 mm).
const INVERSE_TOLERANCE_DEG: f64 = 1e-9;
/// Each step of the inverse gains about three digits; ten is a bound, not a tuning.
const INVERSE_STEPS: usize = 10;

/// GCJ-02 `(lat, lon)` for WGS84 `(lat, lon)`, degrees. Outside China the two are the same.
#[must_use]
pub fn gcj02_from_wgs84(wgs84: (f64, f64)) -> (f64, f64) {
    if !is_in_china(wgs84) {
        return wgs84;
    }
    let (lat, lon) = shift(wgs84);
    (wgs84.0 + lat, wgs84.1 + lon)
}

/// WGS84 `(lat, lon)` for GCJ-02 `(lat, lon)`, degrees.
///
/// There is no closed inverse; the shift changes so slowly that repeating
/// `wgs84 = gcj02 − shift(wgs84)` settles to a tenth of a millimetre within a few steps.
#[must_use]
pub fn wgs84_from_gcj02(gcj02: (f64, f64)) -> (f64, f64) {
    if !is_in_china(gcj02) {
        return gcj02;
    }
    let mut wgs84 = gcj02;
    for _ in 0..INVERSE_STEPS {
        let (lat, lon) = shift(wgs84);
        let next = (gcj02.0 - lat, gcj02.1 - lon);
        let step = (next.0 - wgs84.0).abs().max((next.1 - wgs84.1).abs());
        wgs84 = next;
        if step < INVERSE_TOLERANCE_DEG {
            break;
        }
    }
    wgs84
}

/// The rectangle in which the published formula applies. It is coarse: it holds some neighbours
/// too, as the maps that use the formula do.
fn is_in_china((lat, lon): (f64, f64)) -> bool {
    (0.8293..=55.8271).contains(&lat) && (72.004..=137.8347).contains(&lon)
}

/// Degrees that GCJ-02 adds at a WGS84 point.
fn shift((lat, lon): (f64, f64)) -> (f64, f64) {
    let (x, y) = (lon - 105.0, lat - 35.0);
    let wave = |amplitude: f64, argument: f64| amplitude * sin(argument * PI);
    let ripple = wave(20.0, 6.0 * x) + wave(20.0, 2.0 * x);
    let north = -100.0
        + 2.0 * x
        + 3.0 * y
        + 0.2 * y * y
        + 0.1 * x * y
        + 0.2 * x.abs().sqrt()
        + (ripple
            + wave(20.0, y)
            + wave(40.0, y / 3.0)
            + wave(160.0, y / 12.0)
            + wave(320.0, y / 30.0))
            * 2.0
            / 3.0;
    let east = 300.0
        + x
        + 2.0 * y
        + 0.1 * x * x
        + 0.1 * x * y
        + 0.1 * x.abs().sqrt()
        + (ripple
            + wave(20.0, x)
            + wave(40.0, x / 3.0)
            + wave(150.0, x / 12.0)
            + wave(300.0, x / 30.0))
            * 2.0
            / 3.0;
    let sine = sin(lat.to_radians());
    let w = 1.0 - KRASOVSKY_ECCENTRICITY_SQUARED * sine * sine;
    let transverse = KRASOVSKY_AXIS / w.sqrt();
    let meridian = transverse * (1.0 - KRASOVSKY_ECCENTRICITY_SQUARED) / w;
    (
        (north / meridian).to_degrees(),
        (east / (transverse * cos(lat.to_radians()))).to_degrees(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtk::geo::distance_between_near;

    /// Published pairs (WGS84, GCJ-02): the first three are the test points of the eviltransform
    /// library (Shanghai, Shenzhen, Beijing; it scales by another ellipsoid than the formula's
    /// own), the fourth is the example in coordtransform's README. The tolerance of a metre is
    /// the one that a map needs; one wrong coefficient costs several.
    const PUBLISHED: [((f64, f64), (f64, f64)); 4] = [
        (
            (31.177_427_6, 121.527_210_6),
            (31.175_303_983_645_97, 121.531_541_859_215),
        ),
        (
            (22.543_847, 113.912_316),
            (22.540_796_131_694_766, 113.917_176_480_836_3),
        ),
        (
            (39.911_954, 116.377_817),
            (39.913_345_455_360_69, 116.384_047_224_556_57),
        ),
        (
            (39.915, 116.404),
            (39.916_404_281_501_64, 116.410_244_499_169_38),
        ),
    ];

    #[test]
    fn agrees_with_the_published_points_within_a_metre() {
        for (wgs84, gcj02) in PUBLISHED {
            let off = distance_between_near(gcj02_from_wgs84(wgs84), gcj02);
            assert!(off < 1.0, "{wgs84:?}: {off} m");
        }
    }

    #[test]
    fn the_inverse_agrees_with_the_published_points_within_a_metre() {
        for (wgs84, gcj02) in PUBLISHED {
            let off = distance_between_near(wgs84_from_gcj02(gcj02), wgs84);
            assert!(off < 1.0, "{gcj02:?}: {off} m");
        }
    }

    /// The sizes that operators see when a map is in the wrong datum.
    #[test]
    fn the_offset_is_hundreds_of_metres_in_the_cities() {
        for (city, expected) in [
            ((39.9042, 116.4074), 556.0),
            ((31.2304, 121.4737), 482.0),
            ((22.5431, 114.0579), 606.0),
        ] {
            let offset = distance_between_near(city, gcj02_from_wgs84(city));
            assert!((offset - expected).abs() < 15.0, "{city:?}: {offset} m");
        }
    }

    #[test]
    fn nothing_is_shifted_outside_china() {
        for place in [
            (48.137, 11.575),
            (35.68, 139.69),
            (-33.87, 151.21),
            (37.77, -122.42),
        ] {
            assert_eq!(gcj02_from_wgs84(place), place);
            assert_eq!(wgs84_from_gcj02(place), place);
        }
    }

    // Its source of randomness does not compile for wasm.
    #[cfg(not(target_arch = "wasm32"))]
    proptest::proptest! {
        #[test]
        fn there_and_back_is_the_same_place(lat in 4.0..53.0_f64, lon in 74.0..135.0_f64) {
            let back = wgs84_from_gcj02(gcj02_from_wgs84((lat, lon)));
            proptest::prop_assert!(distance_between_near((lat, lon), back) < 0.001);
        }
    }
}
