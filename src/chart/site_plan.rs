//! A site plan placed by control points: the similarity (scale, turn, shift) that fits them best.

use crate::rtk::geo::LocalFrame;

/// A place on the image that is known on the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ControlPoint {
    /// `(x right, y down)` in pixels.
    pub pixel: (f64, f64),
    /// `(lat, lon)`, WGS84 degrees.
    pub ground: (f64, f64),
}

/// How the image lies on the ground.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    frame: LocalFrame,
    /// East and north of pixel 0, 0.
    shift: (f64, f64),
    /// Metres per pixel times cosine and sine of the turn.
    turn: (f64, f64),
    /// Metres between each control point and where the image puts it, in their order.
    pub residuals: Vec<f64>,
}

impl Placement {
    /// The least-squares fit.
    ///
    /// # Errors
    /// When there are fewer than two points, or they do not say how large the image is.
    pub fn fit(points: &[ControlPoint]) -> Result<Self, String> {
        let [first, _, ..] = points else {
            return Err("two control points are needed".to_owned());
        };
        let frame = LocalFrame::around(first.ground);
        // The image's y goes down; turned over, both are right-handed and no mirror is fitted.
        let pairs: Vec<[f64; 4]> = points
            .iter()
            .map(|point| {
                let (east, north) = frame.east_north_from_lat_lon(point.ground);
                [point.pixel.0, -point.pixel.1, east, north]
            })
            .collect();
        if pairs.iter().flatten().any(|number| !number.is_finite()) {
            return Err("a control point is not a number".to_owned());
        }
        let mean = [0, 1, 2, 3]
            .map(|part| pairs.iter().map(|pair| pair[part]).sum::<f64>() / pairs.len() as f64);
        let (mut real, mut imaginary, mut spread) = (0.0, 0.0, 0.0);
        for pair in &pairs {
            let [x, y, e, n] = [0, 1, 2, 3].map(|part| pair[part] - mean[part]);
            real += x * e + y * n;
            imaginary += x * n - y * e;
            spread += x * x + y * y;
        }
        let turn = (real / spread, imaginary / spread);
        if spread < 1.0 || turn.0.hypot(turn.1) < 1e-6 {
            return Err("the control points are in one place".to_owned());
        }
        let mut placement = Self {
            frame,
            shift: (
                mean[2] - turn.0 * mean[0] + turn.1 * mean[1],
                mean[3] - turn.1 * mean[0] - turn.0 * mean[1],
            ),
            turn,
            residuals: Vec::new(),
        };
        placement.residuals = points
            .iter()
            .zip(&pairs)
            .map(|(point, pair)| {
                let (east, north) = placement.east_north(point.pixel);
                (east - pair[2]).hypot(north - pair[3])
            })
            .collect();
        Ok(placement)
    }

    /// `(lat, lon)` of a pixel.
    #[must_use]
    pub fn ground(&self, pixel: (f64, f64)) -> (f64, f64) {
        self.frame.lat_lon_from_east_north(self.east_north(pixel))
    }

    /// The pixel of `(lat, lon)`.
    #[must_use]
    pub fn pixel(&self, ground: (f64, f64)) -> (f64, f64) {
        let (east, north) = self.frame.east_north_from_lat_lon(ground);
        let (e, n) = (east - self.shift.0, north - self.shift.1);
        let (a, b) = self.turn;
        let square = a * a + b * b;
        ((a * e + b * n) / square, -(a * n - b * e) / square)
    }

    /// Metres that a pixel covers.
    #[must_use]
    pub fn meters_per_pixel(&self) -> f64 {
        self.turn.0.hypot(self.turn.1)
    }

    fn east_north(&self, (x, down): (f64, f64)) -> (f64, f64) {
        let (a, b) = self.turn;
        (
            self.shift.0 + a * x + b * down,
            self.shift.1 + b * x - a * down,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtk::geo::distance_between_near;

    /// A plan of 5 cm a pixel, turned by that many degrees against the clock.
    fn known(degrees: f64, pixel: (f64, f64)) -> (f64, f64) {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let (x, y) = (pixel.0 * 0.05, -pixel.1 * 0.05);
        LocalFrame::around((31.2, 121.5))
            .lat_lon_from_east_north((x * cosine - y * sine, x * sine + y * cosine))
    }

    #[test]
    fn two_points_place_the_plan_at_every_turn() {
        for degrees in [0.0, 90.0, 180.0, 270.0, 33.0, -0.5] {
            let points = [(100.0, 50.0), (900.0, 700.0)].map(|pixel| ControlPoint {
                pixel,
                ground: known(degrees, pixel),
            });
            let plan = Placement::fit(&points).unwrap();
            assert!((plan.meters_per_pixel() - 0.05).abs() < 1e-6);
            assert!(plan.residuals.iter().all(|off| *off < 1e-6));
            for pixel in [(0.0, 0.0), (1000.0, 0.0), (300.0, 800.0)] {
                let ground = plan.ground(pixel);
                assert!(distance_between_near(ground, known(degrees, pixel)) < 1e-3);
                let back = plan.pixel(ground);
                assert!((back.0 - pixel.0).hypot(back.1 - pixel.1) < 1e-4);
            }
        }
    }

    #[test]
    fn a_wrong_third_point_shows_in_the_residuals() {
        let mut points: Vec<ControlPoint> =
            [(0.0, 0.0), (1000.0, 0.0), (0.0, 800.0), (900.0, 900.0)]
                .map(|pixel| ControlPoint {
                    pixel,
                    ground: known(20.0, pixel),
                })
                .to_vec();
        points[2].ground = known(20.0, (40.0, 800.0));
        let plan = Placement::fit(&points).unwrap();
        let worst = plan.residuals.iter().copied().fold(0.0, f64::max);
        assert!(
            (plan.residuals[2] - worst).abs() < 1e-12 && worst > 0.5,
            "{plan:?}"
        );
    }

    #[test]
    fn points_in_one_place_are_refused() {
        let point = ControlPoint {
            pixel: (5.0, 5.0),
            ground: (31.2, 121.5),
        };
        assert!(Placement::fit(&[point]).is_err());
        assert!(Placement::fit(&[point, point]).is_err());
        let far = ControlPoint {
            pixel: (500.0, 5.0),
            ..point
        };
        assert!(Placement::fit(&[point, far]).is_err());
    }
}
