//! A site plan while it is being placed: tap a spot on the plan, then the same spot on the map.
//!
//! What was placed is written as JSON, so that it can lie beside the picture on the vehicle and
//! every tablet has the plan in its place.

use serde_json::{Value, json};

use super::site_plan::{ControlPoint, Placement, PlanTrouble};
use crate::rtk::geo::distance_between_near;

/// Control points that are nearer to each other than this share of the plan's longer side turn
/// the whole plan by what a finger is off.
const LEVER: f64 = 0.3;

/// The control points so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    points: Vec<ControlPoint>,
    spot: Option<(f64, f64)>,
}

/// How good a placement is, as far as the points tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Metres that a pixel of the plan covers.
    pub meters_per_pixel: f64,
    /// Metres between each control point and where the plan puts it. Of two points they are zero
    /// and prove nothing.
    pub residuals: Vec<f64>,
    /// The points prove something: there are three or more.
    pub is_checked: bool,
    /// They lie far apart, for the size of the plan.
    pub is_wide: bool,
}

impl Draft {
    /// With the points of an earlier placement.
    #[must_use]
    pub fn of(points: Vec<ControlPoint>) -> Self {
        Self { points, spot: None }
    }

    /// A spot on the plan was tapped; it waits for its place on the map.
    pub fn tap_plan(&mut self, pixel: (f64, f64)) {
        self.spot = Some(pixel);
    }

    /// The place of that spot, `(lat, lon)` WGS84. False: no spot waits for one.
    pub fn tap_ground(&mut self, ground: (f64, f64)) -> bool {
        let Some(pixel) = self.spot.take() else {
            return false;
        };
        self.points.push(ControlPoint { pixel, ground });
        true
    }

    /// The spot that waits for its place.
    #[must_use]
    pub fn spot(&self) -> Option<(f64, f64)> {
        self.spot
    }

    /// The points.
    #[must_use]
    pub fn points(&self) -> &[ControlPoint] {
        &self.points
    }

    /// Takes back the waiting spot.
    pub fn forget_spot(&mut self) {
        self.spot = None;
    }

    /// Takes a point away.
    pub fn remove(&mut self, index: usize) {
        if index < self.points.len() {
            self.points.remove(index);
        }
    }

    /// Where the plan lies.
    ///
    /// # Errors
    /// While the points do not say it.
    pub fn placement(&self) -> Result<Placement, PlanTrouble> {
        Placement::fit(&self.points)
    }

    /// How good that is, for a plan of that size in pixels.
    ///
    /// # Errors
    /// As for [`Self::placement`].
    pub fn judgement(&self, size: (f64, f64)) -> Result<Judgement, PlanTrouble> {
        let placement = self.placement()?;
        let widest = self
            .points
            .iter()
            .flat_map(|a| self.points.iter().map(|b| (a.pixel, b.pixel)))
            .map(|(a, b)| (a.0 - b.0).hypot(a.1 - b.1))
            .fold(0.0, f64::max);
        Ok(Judgement {
            meters_per_pixel: placement.meters_per_pixel(),
            is_checked: self.points.len() > 2,
            is_wide: widest >= LEVER * size.0.max(size.1),
            residuals: placement.residuals,
        })
    }

    /// The points as JSON, to lie beside the picture as `<its name>.json`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let points: Vec<Value> = self
            .points
            .iter()
            .map(|point| {
                json!({
                    "pixel": [point.pixel.0, point.pixel.1],
                    "lat": point.ground.0,
                    "lon": point.ground.1,
                })
            })
            .collect();
        json!({"datum": "wgs84", "control_points": points}).to_string()
    }

    /// Reads what [`Self::to_json`] wrote: the points that can be read, and what is wrong with the
    /// others.
    #[must_use]
    pub fn from_json(text: &str) -> (Self, Vec<String>) {
        let value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(error) => return (Self::default(), vec![error.to_string()]),
        };
        let Some(items) = value.get("control_points").and_then(Value::as_array) else {
            let problem = "control_points: no list of points".to_owned();
            return (Self::default(), vec![problem]);
        };
        let mut problems = Vec::new();
        if value.get("datum").is_some_and(|datum| datum != "wgs84") {
            problems.push("datum: only wgs84 is read".to_owned());
            return (Self::default(), problems);
        }
        let mut points: Vec<ControlPoint> = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match read_point(item) {
                Ok(point) => points.push(point),
                Err(reason) => problems.push(format!("control_points[{index}]: {reason}")),
            }
        }
        (Self::of(points), problems)
    }

    /// The largest of the distances between the points on the ground, metres.
    #[must_use]
    pub fn extent(&self) -> f64 {
        self.points
            .iter()
            .flat_map(|a| self.points.iter().map(|b| (a.ground, b.ground)))
            .map(|(a, b)| distance_between_near(a, b))
            .fold(0.0, f64::max)
    }
}

fn read_point(item: &Value) -> Result<ControlPoint, String> {
    let number = |value: Option<&Value>, name: &str, most: f64| {
        let number = value.and_then(Value::as_f64);
        number
            .filter(|number| number.abs() <= most)
            .ok_or_else(|| match number {
                Some(number) => format!("{name} is {number}, beyond {most}"),
                None => format!("{name} is not a number"),
            })
    };
    let pixel = item.get("pixel");
    let part = |index: usize| pixel.and_then(|pixel| pixel.get(index));
    Ok(ControlPoint {
        pixel: (
            number(part(0), "pixel[0]", 1e6)?,
            number(part(1), "pixel[1]", 1e6)?,
        ),
        ground: (
            number(item.get("lat"), "lat", 90.0)?,
            number(item.get("lon"), "lon", 180.0)?,
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtk::geo::LocalFrame;

    /// 5 cm a pixel, north up.
    fn ground(pixel: (f64, f64)) -> (f64, f64) {
        LocalFrame::around((31.2, 121.5)).lat_lon_from_east_north((pixel.0 * 0.05, -pixel.1 * 0.05))
    }

    fn tapped(pixels: &[(f64, f64)]) -> Draft {
        let mut draft = Draft::default();
        for pixel in pixels {
            draft.tap_plan(*pixel);
            assert!(draft.tap_ground(ground(*pixel)));
        }
        draft
    }

    #[test]
    fn two_taps_on_the_plan_and_two_on_the_map_place_it() {
        let mut draft = Draft::default();
        assert!(
            !draft.tap_ground((31.2, 121.5)),
            "no spot was tapped before"
        );
        draft.tap_plan((10.0, 20.0));
        // A better aim.
        draft.tap_plan((100.0, 50.0));
        assert_eq!(draft.spot(), Some((100.0, 50.0)));
        assert!(draft.tap_ground(ground((100.0, 50.0))));
        assert_eq!(draft.placement(), Err(PlanTrouble::TooFew));
        draft.tap_plan((900.0, 700.0));
        assert!(draft.tap_ground(ground((900.0, 700.0))));
        let judged = draft.judgement((1000.0, 800.0)).unwrap();
        assert!((judged.meters_per_pixel - 0.05).abs() < 1e-6);
        assert!(judged.is_wide && !judged.is_checked);
        assert!((draft.extent() - 51.5).abs() < 0.1, "{}", draft.extent());
    }

    #[test]
    fn points_that_lie_close_together_are_said_to_be() {
        let draft = tapped(&[(100.0, 50.0), (200.0, 50.0)]);
        assert!(!draft.judgement((1000.0, 800.0)).unwrap().is_wide);
    }

    #[test]
    fn a_third_point_checks_the_others_and_can_be_taken_away() {
        let mut draft = tapped(&[(0.0, 0.0), (1000.0, 0.0)]);
        draft.tap_plan((0.0, 800.0));
        draft.tap_ground(ground((0.0, 840.0)));
        let judged = draft.judgement((1000.0, 800.0)).unwrap();
        assert!(judged.is_checked);
        assert!(judged.residuals.iter().all(|off| *off > 0.3), "{judged:?}");
        draft.remove(2);
        draft.remove(7);
        assert_eq!(draft.points().len(), 2);
    }

    #[test]
    fn a_placement_comes_back_from_its_file() {
        let draft = tapped(&[(0.0, 0.0), (1000.5, 0.0), (3.0, 800.0)]);
        assert_eq!(Draft::from_json(&draft.to_json()), (draft, Vec::new()));
    }

    #[test]
    fn a_bad_point_is_named_and_the_others_are_read() {
        let (draft, problems) = Draft::from_json(
            r#"{"control_points": [{"pixel": [1, 2], "lat": 31, "lon": 121},
                {"pixel": [1], "lat": 31, "lon": 121}, {"pixel": [5, 6], "lat": 131, "lon": 121},
                {"pixel": [5, 6], "lat": "x", "lon": 121}]}"#,
        );
        assert_eq!(draft.points().len(), 1);
        assert_eq!(
            problems,
            [
                "control_points[1]: pixel[1] is not a number",
                "control_points[2]: lat is 131, beyond 90",
                "control_points[3]: lat is not a number",
            ]
        );
        assert!(Draft::from_json("{").1[0].contains("line 1"));
        assert_eq!(
            Draft::from_json("[]").1,
            ["control_points: no list of points"]
        );
        assert_eq!(
            Draft::from_json(r#"{"datum": "gcj02", "control_points": []}"#).1,
            ["datum: only wgs84 is read"]
        );
    }
}
