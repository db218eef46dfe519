//! Measuring along places that were tapped: every number by geodesics on the ellipsoid.

use super::drawn::{Kind, check};
use super::geodesy::{area_of, way_between};

/// What a line of places measures.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Measured {
    /// Metres of the newest leg.
    pub leg: Option<f64>,
    /// Its bearing at its start, degrees clockwise from north.
    pub bearing: Option<f64>,
    /// Metres of all legs.
    pub length: f64,
    /// Square metres inside, when the line is closed; `None` with less than three places and where
    /// the line crosses itself, since it has no inside then.
    pub area: Option<f64>,
    /// Metres around it, when it is closed.
    pub around: Option<f64>,
}

/// Measures.
#[must_use]
pub fn measured(line: &[(f64, f64)]) -> Measured {
    let legs = line.windows(2).map(|pair| way_between(pair[0], pair[1]));
    let (mut newest, mut length) = (None, 0.0);
    for leg in legs {
        length += leg.distance;
        newest = Some(leg);
    }
    let has_inside = check(Kind::Zone, line).is_ok();
    let closing = match line {
        [first, .., last] if has_inside => Some(way_between(*last, *first).distance),
        _ => None,
    };
    Measured {
        leg: newest.map(|way| way.distance),
        bearing: newest.and_then(|way| way.bearing),
        length,
        area: has_inside.then(|| area_of(line)),
        around: closing.map(|closing| length + closing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::drawn::tests::{at, square};

    #[test]
    fn a_leg_has_a_length_and_a_bearing_and_a_ring_an_area() {
        let east = measured(&[at(0.0, 0.0), at(30.0, 0.0)]);
        assert!((east.leg.unwrap() - 30.0).abs() < 1e-3);
        assert!((east.bearing.unwrap() - 90.0).abs() < 0.01);
        assert_eq!((east.area, east.around), (None, None));
        let yard = measured(&square(5.0, 5.0, 20.0));
        assert!((yard.area.unwrap() - 400.0).abs() < 0.01);
        assert!((yard.length - 60.0).abs() < 1e-3);
        assert!((yard.around.unwrap() - 80.0).abs() < 1e-3);
        assert!((yard.bearing.unwrap() - 270.0).abs() < 0.01);
    }

    #[test]
    fn what_has_no_inside_has_no_area() {
        let mut tie = square(0.0, 0.0, 10.0);
        tie.swap(1, 2);
        assert_eq!(measured(&tie).area, None);
        assert_eq!(measured(&[]), Measured::default());
        assert_eq!(measured(&[at(0.0, 0.0)]).leg, None);
    }
}
