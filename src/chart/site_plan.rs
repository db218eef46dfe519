//! A site plan placed by control points: the similarity (scale, turn, shift) that fits them best.

use thiserror::Error;

use crate::rtk::geo::{LocalFrame, lat_lon_from_world_pixel};

/// Side of a map tile in pixels.
const TILE: f64 = 256.0;

/// Why a plan has no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PlanTrouble {
    /// Fewer than two control points.
    #[error("two control points are needed")]
    TooFew,
    /// A pixel or a place is not a number.
    #[error("a control point is not a number")]
    NotANumber,
    /// They do not say how large the plan is.
    #[error("the control points are in one place")]
    OnePlace,
}

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
    pub fn fit(points: &[ControlPoint]) -> Result<Self, PlanTrouble> {
        let [first, _, ..] = points else {
            return Err(PlanTrouble::TooFew);
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
            return Err(PlanTrouble::NotANumber);
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
            return Err(PlanTrouble::OnePlace);
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

    /// How the plan lies on the tile `z/x/y` of a web map, in the order in which a canvas takes it
    /// (`setTransform`): from pixels of the plan to those of a tile of 256. `wgs84_of` turns a
    /// place of the map, in its datum, into WGS84. Exact at three corners of the tile.
    #[must_use]
    pub fn on_tile(
        &self,
        (z, x, y): (u8, u32, u32),
        wgs84_of: impl Fn((f64, f64)) -> (f64, f64),
    ) -> Option<[f64; 6]> {
        let corner = |right: f64, down: f64| {
            let at = (f64::from(x) + right, f64::from(y) + down);
            let place = lat_lon_from_world_pixel((at.0 * TILE, at.1 * TILE), f64::from(z));
            self.pixel(wgs84_of(place))
        };
        let (origin, right, below) = (corner(0.0, 0.0), corner(1.0, 0.0), corner(0.0, 1.0));
        // Pixels of the plan for one of the tile.
        let across = ((right.0 - origin.0) / TILE, (right.1 - origin.1) / TILE);
        let along = ((below.0 - origin.0) / TILE, (below.1 - origin.1) / TILE);
        let area = across.0 * along.1 - across.1 * along.0;
        let [a, b, c, d] = [
            along.1 / area,
            -across.1 / area,
            -along.0 / area,
            across.0 / area,
        ];
        let shift = (
            -(a * origin.0 + c * origin.1),
            -(b * origin.0 + d * origin.1),
        );
        let transform = [a, b, c, d, shift.0, shift.1];
        transform
            .iter()
            .all(|number| number.is_finite())
            .then_some(transform)
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
    fn a_pixel_of_the_plan_is_drawn_where_its_place_is_on_the_tile_in_both_datums() {
        use crate::rtk::datum::{gcj02_from_wgs84, wgs84_from_gcj02};
        use crate::rtk::geo::world_pixel_from_lat_lon;
        type Datum = fn((f64, f64)) -> (f64, f64);
        let datums: [(Datum, Datum); 2] = [
            (|place| place, |place| place),
            (gcj02_from_wgs84, wgs84_from_gcj02),
        ];
        let points = [(0.0, 0.0), (2000.0, 1500.0)].map(|pixel| ControlPoint {
            pixel,
            ground: known(33.0, pixel),
        });
        let plan = Placement::fit(&points).unwrap();
        for (map_of, wgs84_of) in datums {
            for zoom in 15..=24_u8 {
                for pixel in [(0.0, 0.0), (1000.0, 700.0), (2000.0, 1500.0)] {
                    let map = map_of(plan.ground(pixel));
                    let world = world_pixel_from_lat_lon(map, f64::from(zoom));
                    let tile = ((world.0 / TILE) as u32, (world.1 / TILE) as u32);
                    let [a, b, c, d, e, f] =
                        plan.on_tile((zoom, tile.0, tile.1), wgs84_of).unwrap();
                    let drawn = (a * pixel.0 + c * pixel.1 + e, b * pixel.0 + d * pixel.1 + f);
                    let off = (drawn.0 + f64::from(tile.0) * TILE - world.0)
                        .hypot(drawn.1 + f64::from(tile.1) * TILE - world.1);
                    assert!(off < 0.3, "{zoom} {pixel:?}: {off} px");
                }
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
