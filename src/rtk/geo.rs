//! The little geodesy that drawing and judging a fix needs, made by hand because it is tiny:
//! metres around a point, pixels of a Web-Mercator map, turns of a compass heading.
//!
//! Lengths and areas that somebody may rely on (measuring, coverage) want the geodesic on the
//! ellipsoid instead.

use std::f64::consts::{LN_2, PI};

use crate::units::maths::{cos, exp, ln, sin, tan};

/// Semi-major axis of WGS84 in metres.
const SEMI_MAJOR_AXIS: f64 = 6_378_137.0;
/// First eccentricity squared of WGS84.
const ECCENTRICITY_SQUARED: f64 = 6.694_379_990_141_317e-3;
/// Side of a map tile in pixels.
const TILE_SIZE: f64 = 256.0;
/// The latitude at which a Web-Mercator map ends.
const MERCATOR_END: f64 = 85.051_128_779_806_59;

/// East and north in metres around an origin, on the plane that touches the WGS84 ellipsoid there.
///
/// With the radii of curvature at the origin's latitude φ, `M = a(1−e²)/(1−e²sin²φ)^1.5` along
/// the meridian and `N = a/√(1−e²sin²φ)` across it: `north = M·Δφ`, `east = N·cosφ·Δλ`. Within 1 km
/// of the origin that is off by less than 10 cm below 60° of latitude, within 100 m by less than
/// 1 mm; [`Self::lat_lon_from_east_north`] is its exact inverse.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalFrame {
    origin: (f64, f64),
    meters_per_degree_north: f64,
    meters_per_degree_east: f64,
}

impl LocalFrame {
    /// A frame around `(lat, lon)`, WGS84 degrees.
    #[must_use]
    pub fn around(origin: (f64, f64)) -> Self {
        let (meridian, transverse) = radii_of_curvature(origin.0);
        Self {
            origin,
            meters_per_degree_north: meridian.to_radians(),
            meters_per_degree_east: (transverse * cos(origin.0.to_radians())).to_radians(),
        }
    }

    /// Metres east and north of the origin of `(lat, lon)` in degrees.
    #[must_use]
    pub fn east_north_from_lat_lon(&self, (lat, lon): (f64, f64)) -> (f64, f64) {
        (
            // The short way round, so that the date line is no wall.
            heading_difference(self.origin.1, lon) * self.meters_per_degree_east,
            (lat - self.origin.0) * self.meters_per_degree_north,
        )
    }

    /// `(lat, lon)` in degrees of a point that many metres east and north of the origin.
    #[must_use]
    pub fn lat_lon_from_east_north(&self, (east, north): (f64, f64)) -> (f64, f64) {
        let lon = self.origin.1 + east / self.meters_per_degree_east;
        (
            self.origin.0 + north / self.meters_per_degree_north,
            if (-180.0..=180.0).contains(&lon) {
                lon
            } else {
                (lon + 180.0).rem_euclid(360.0) - 180.0
            },
        )
    }
}

/// Metres between two near points `(lat, lon)` in degrees.
#[must_use]
pub fn distance_between_near(a: (f64, f64), b: (f64, f64)) -> f64 {
    let (east, north) = LocalFrame::around(a).east_north_from_lat_lon(b);
    east.hypot(north)
}

/// Metres on the ground under one pixel of a Web-Mercator map, measured east-west on the
/// ellipsoid, at a latitude in degrees and a zoom (whole or not). North-south it is up to 0.7 %
/// less (at the equator), which no eye sees.
#[must_use]
pub fn meters_per_pixel(lat: f64, zoom: f64) -> f64 {
    let lat = lat.clamp(-MERCATOR_END, MERCATOR_END);
    let (_, transverse) = radii_of_curvature(lat);
    2.0 * PI * transverse * cos(lat.to_radians()) / world_size(zoom)
}

/// Pixel of a whole Web-Mercator world `(x right, y down)` for `(lat, lon)` in degrees.
#[must_use]
pub fn world_pixel_from_lat_lon((lat, lon): (f64, f64), zoom: f64) -> (f64, f64) {
    let lat = lat.clamp(-MERCATOR_END, MERCATOR_END).to_radians();
    let size = world_size(zoom);
    let mercator = ln(tan(PI / 4.0 + lat / 2.0));
    (
        size * (lon / 360.0 + 0.5),
        size * (0.5 - mercator / (2.0 * PI)),
    )
}

/// `(lat, lon)` in degrees for a pixel of a whole Web-Mercator world.
#[must_use]
pub fn lat_lon_from_world_pixel((x, y): (f64, f64), zoom: f64) -> (f64, f64) {
    let size = world_size(zoom);
    let mercator = (0.5 - y / size) * 2.0 * PI;
    (
        (2.0 * exp(mercator).atan() - PI / 2.0).to_degrees(),
        (x / size - 0.5) * 360.0,
    )
}

/// A compass heading brought into 0 up to, not including, 360.
#[must_use]
pub fn wrap_heading(heading: f64) -> f64 {
    let wrapped = heading.rem_euclid(360.0);
    // The remainder of a tiny negative number rounds to 360 itself.
    if wrapped >= 360.0 { 0.0 } else { wrapped }
}

/// Degrees from one heading to another along the shortest arc, clockwise positive: above −180 up
/// to 180.
#[must_use]
pub fn heading_difference(from: f64, to: f64) -> f64 {
    let turn = wrap_heading(to - from);
    if turn > 180.0 { turn - 360.0 } else { turn }
}

fn world_size(zoom: f64) -> f64 {
    TILE_SIZE * exp(zoom * LN_2)
}

fn radii_of_curvature(lat: f64) -> (f64, f64) {
    let sine = sin(lat.to_radians());
    let w = 1.0 - ECCENTRICITY_SQUARED * sine * sine;
    let transverse = SEMI_MAJOR_AXIS / w.sqrt();
    (transverse * (1.0 - ECCENTRICITY_SQUARED) / w, transverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(value: f64, expected: f64, tolerance: f64) {
        assert!(
            (value - expected).abs() <= tolerance,
            "{value} is not {expected} ± {tolerance}"
        );
    }

    /// Lengths of a degree on WGS84 as published in the table "Length of a degree" of Wikipedia's
    /// article Latitude / Longitude (from the NGA's figures), to the metre.
    #[test]
    fn a_degree_is_as_long_as_the_published_tables_say() {
        for (lat, north, east) in [
            (0.0, 110_574.0, 111_320.0),
            (15.0, 110_649.0, 107_550.0),
            (30.0, 110_852.0, 96_486.0),
            (45.0, 111_132.0, 78_847.0),
            (60.0, 111_412.0, 55_800.0),
        ] {
            let frame = LocalFrame::around((lat, 10.0));
            assert_near(frame.meters_per_degree_north, north, 1.0);
            assert_near(frame.meters_per_degree_east, east, 1.0);
        }
    }

    #[test]
    fn metres_and_degrees_are_each_others_inverse() {
        let frame = LocalFrame::around((31.2, 121.5));
        let (lat, lon) = frame.lat_lon_from_east_north((123.4, -56.7));
        assert!(lon > 121.5 && lat < 31.2, "east is + and north is +");
        let (east, north) = frame.east_north_from_lat_lon((lat, lon));
        assert_near(east, 123.4, 1e-6);
        assert_near(north, -56.7, 1e-6);
    }

    #[test]
    fn the_date_line_is_no_wall() {
        let frame = LocalFrame::around((-16.5, 179.999_99));
        let (east, _) = frame.east_north_from_lat_lon((-16.5, -179.999_99));
        assert_near(east, 2.135, 0.01);
        let (_, lon) = frame.lat_lon_from_east_north((east, 0.0));
        assert_near(lon, -179.999_99, 1e-9);
    }

    #[test]
    fn distance_is_the_same_both_ways() {
        let (a, b) = ((31.2, 121.5), (31.2003, 121.5004));
        assert_near(
            distance_between_near(a, b),
            distance_between_near(b, a),
            1e-3,
        );
    }

    /// The resolution table of the OpenStreetMap wiki, "Zoom levels": 0.298 m at zoom 19 at the
    /// equator (0.2986 on the sphere).
    #[test]
    fn a_pixel_covers_what_the_published_table_says() {
        assert_near(meters_per_pixel(0.0, 19.0), 0.2986, 1e-4);
        assert_near(meters_per_pixel(0.0, 0.0), 156_543.03, 0.01);
        assert_near(
            meters_per_pixel(40.0, 20.5) * 2.0_f64.sqrt(),
            meters_per_pixel(40.0, 20.0),
            1e-9,
        );
    }

    #[test]
    fn pixels_and_degrees_are_each_others_inverse() {
        let point = (31.2, 121.5);
        let pixel = world_pixel_from_lat_lon(point, 20.0);
        let back = lat_lon_from_world_pixel(pixel, 20.0);
        assert_near(back.0, point.0, 1e-10);
        assert_near(back.1, point.1, 1e-10);
    }

    #[test]
    fn a_turn_takes_the_shortest_arc() {
        for (from, to, turn) in [
            (359.0, 1.0, 2.0),
            (1.0, 359.0, -2.0),
            (0.0, 180.0, 180.0),
            (90.0, 270.0, 180.0),
            (270.0, 0.0, 90.0),
            (10.0, 10.0, 0.0),
            (725.0, 0.0, -5.0),
        ] {
            assert_near(heading_difference(from, to), turn, 1e-9);
        }
    }

    #[test]
    fn many_turns_across_north_never_go_the_long_way() {
        let mut shown = 0.0;
        for step in 0..10_000 {
            let heading = wrap_heading(f64::from(step) * 7.0);
            shown += heading_difference(shown, heading);
        }
        assert_near(shown, 9_999.0 * 7.0, 1e-6);
    }

    #[test]
    fn a_heading_wraps_into_one_turn() {
        assert_near(wrap_heading(360.0), 0.0, 0.0);
        assert_near(wrap_heading(-1.0), 359.0, 0.0);
        assert_near(wrap_heading(-1e-20), 0.0, 0.0);
    }
}
