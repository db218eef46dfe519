//! Distances, bearings and areas that somebody relies on: geodesics on the WGS84 ellipsoid, by
//! the algorithms of `GeographicLib` (Karney 2013).

use geographiclib_rs::{DirectGeodesic, Geodesic, InverseGeodesic, PolygonArea, Winding};

use crate::rtk::geo::wrap_heading;

/// The way from one point to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Way {
    /// Metres along the geodesic.
    pub distance: f64,
    /// Degrees clockwise from north at the start; `None` between equal points, where there is none.
    pub bearing: Option<f64>,
}

/// The shortest way between two points `(lat, lon)`.
#[must_use]
pub fn way_between(from: (f64, f64), to: (f64, f64)) -> Way {
    let (distance, bearing, _, _): (f64, f64, f64, f64) =
        Geodesic::wgs84().inverse(from.0, from.1, to.0, to.1);
    Way {
        distance,
        bearing: (distance > 0.0).then(|| wrap_heading(bearing)),
    }
}

/// The point `(lat, lon)` that lies `distance` metres away in the direction of `bearing`.
#[must_use]
pub fn point_along(from: (f64, f64), bearing: f64, distance: f64) -> (f64, f64) {
    Geodesic::wgs84().direct(from.0, from.1, bearing, distance)
}

/// Metres along a line.
#[must_use]
pub fn length_of(line: &[(f64, f64)]) -> f64 {
    line.windows(2)
        .map(|pair| way_between(pair[0], pair[1]).distance)
        .sum()
}

/// Square metres inside a ring, whichever way round it goes; the last point need not repeat the
/// first. A ring that crosses itself has no area that means anything.
#[must_use]
pub fn area_of(ring: &[(f64, f64)]) -> f64 {
    let geodesic = Geodesic::wgs84();
    let mut polygon = PolygonArea::new(&geodesic, Winding::CounterClockwise);
    for &(lat, lon) in ring {
        polygon.add_point(lat, lon);
    }
    let (_, area, _) = polygon.compute(true);
    area.abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtk::geo::{LocalFrame, heading_difference};

    fn assert_near(value: f64, expected: f64, tolerance: f64) {
        assert!(
            (value - expected).abs() <= tolerance,
            "{value} is not {expected} ± {tolerance}"
        );
    }

    /// Flinders Peak to Buninyong, the example of the Geocentric Datum of Australia technical
    /// manual for Vincenty's formula (GRS80; WGS84's flattening differs by less than 0.1 mm
    /// there): 54 972.271 m, bearing 306° 52′ 05.37″.
    #[test]
    fn the_published_vincenty_example_is_met_to_a_millimetre() {
        let dms = |d: f64, m: f64, s: f64| d + m / 60.0 + s / 3600.0;
        let flinders = (-dms(37.0, 57.0, 3.720_30), dms(144.0, 25.0, 29.524_40));
        let buninyong = (-dms(37.0, 39.0, 10.156_10), dms(143.0, 55.0, 35.383_90));
        let way = way_between(flinders, buninyong);
        assert_near(way.distance, 54_972.271, 0.001);
        assert_near(way.bearing.unwrap(), dms(306.0, 52.0, 5.37), 0.01 / 3600.0);
        let there = point_along(flinders, way.bearing.unwrap(), way.distance);
        assert_near(way_between(there, buninyong).distance, 0.0, 1e-6);
    }

    /// The examples of `GeographicLib`'s Python documentation: Wellington to Salamanca
    /// (19 959 679.267 m), and the area of Antarctica's outline (13 662 703 680 020.1 m²).
    #[test]
    fn the_published_geographiclib_examples_are_met() {
        let way = way_between((-41.32, 174.81), (40.96, -5.50));
        assert_near(way.distance, 19_959_679.267, 0.001);
        let antarctica = [
            (-63.1, -58.0),
            (-72.9, -74.0),
            (-71.9, -102.0),
            (-74.9, -102.0),
            (-74.3, -131.0),
            (-77.5, -163.0),
            (-77.4, 163.0),
            (-71.7, 172.0),
            (-65.9, 140.0),
            (-65.7, 113.0),
            (-66.6, 88.0),
            (-66.9, 59.0),
            (-69.8, 25.0),
            (-70.0, -4.0),
            (-71.0, -14.0),
            (-77.3, -33.0),
            (-77.9, -46.0),
            (-74.7, -61.0),
        ];
        assert_near(area_of(&antarctica), 13_662_703_680_020.1, 0.1);
    }

    #[test]
    fn a_yard_has_the_same_area_either_way_round() {
        let frame = LocalFrame::around((31.2, 121.5));
        let mut yard = [(0.0, 0.0), (40.0, 0.0), (40.0, 25.0), (0.0, 25.0)]
            .map(|corner| frame.lat_lon_from_east_north(corner));
        assert_near(area_of(&yard), 1000.0, 0.05);
        yard.reverse();
        assert_near(area_of(&yard), 1000.0, 0.05);
    }

    #[test]
    fn bearings_are_compass_bearings_all_round() {
        let here = (31.2, 121.5);
        for bearing in [0.0, 90.0, 180.0, 270.0, 359.9, 0.1] {
            let there = point_along(here, bearing, 30.0);
            let read = way_between(here, there).bearing.unwrap();
            assert_near(heading_difference(read, bearing), 0.0, 1e-6);
        }
        assert_eq!(way_between(here, here).bearing, None);
    }
}
