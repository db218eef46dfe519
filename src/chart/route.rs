//! Teaching a route: the driven line with what the brush did, made simple, edited, exported.

use serde_json::{Value, json};

use super::pencil::Change;
use crate::rtk::geo::LocalFrame;

/// A point of a route.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoutePoint {
    /// `(lat, lon)`, WGS84 degrees.
    pub position: (f64, f64),
    /// The brush was published on from here to the next point.
    pub is_brush_on: bool,
}

/// A route.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Route {
    /// Its points in driving order; public because editing is moving, adding and removing them.
    pub points: Vec<RoutePoint>,
    /// The correction service that the positions were taken with, as the operator names it: by
    /// another one the same place can have other coordinates.
    pub correction_service: Option<String>,
}

impl Route {
    /// The vehicle is here, on a fix that is good enough to be taught; a position equal to the
    /// last with the same brush adds nothing.
    pub fn record(&mut self, position: (f64, f64), is_brush_on: bool) {
        let point = RoutePoint {
            position,
            is_brush_on,
        };
        if self.points.last() != Some(&point) {
            self.points.push(point);
        }
    }

    /// Takes what the pencil made of one of its points; a new one has the brush of the one before
    /// it. A route without points has nothing to edit, and one that loses its last is empty.
    pub fn edit(&mut self, change: Change, places: &[(f64, f64)]) {
        match change {
            Change::Moved(index) => {
                if let (Some(point), Some(&place)) = (self.points.get_mut(index), places.get(index))
                {
                    point.position = place;
                }
            }
            Change::Added(index) => {
                let before = index.checked_sub(1).and_then(|it| self.points.get(it));
                if let (Some(before), Some(&place)) = (before, places.get(index)) {
                    let point = RoutePoint {
                        position: place,
                        is_brush_on: before.is_brush_on,
                    };
                    self.points.insert(index, point);
                }
            }
            Change::Removed(index) => {
                if index < self.points.len() {
                    self.points.remove(index);
                }
            }
        }
    }

    /// The route with as few points as leave no recorded one more than `tolerance` metres beside
    /// the line (Douglas and Peucker). The ends and every change of the brush stay.
    #[must_use]
    pub fn simplified(&self, tolerance: f64) -> Self {
        let Some(first) = self.points.first() else {
            return self.clone();
        };
        let line = self.around(first.position);
        let mut keep = vec![false; line.len()];
        let mut from = 0;
        for to in 1..line.len() {
            let changes = self.points[to].is_brush_on != self.points[to - 1].is_brush_on;
            if changes || to + 1 == line.len() {
                keep_between(&line, from, to, tolerance, &mut keep);
                from = to;
            }
        }
        keep[0] = true;
        Self {
            points: self
                .points
                .iter()
                .zip(keep)
                .filter_map(|(point, keep)| keep.then_some(*point))
                .collect(),
            correction_service: self.correction_service.clone(),
        }
    }

    /// GeoJSON: a `LineString`, with `brush_on` for each point.
    #[must_use]
    pub fn to_geojson(&self) -> Value {
        let coordinates: Value = self
            .points
            .iter()
            .map(|point| json!([point.position.1, point.position.0]))
            .collect();
        let brush: Value = self.points.iter().map(|p| json!(p.is_brush_on)).collect();
        json!({"type": "FeatureCollection", "features": [{
            "type": "Feature",
            "geometry": {"type": "LineString", "coordinates": coordinates},
            "properties": {
                "correction_service": self.correction_service,
                "coordinateProperties": {"brush_on": brush},
            },
        }]})
    }

    /// A route from its own GeoJSON; what another program wrote without a brush has it off. `None`
    /// without a line.
    #[must_use]
    pub fn from_geojson(file: &Value) -> Option<Self> {
        let features = file["features"].as_array()?.iter();
        let line = features
            .filter(|feature| feature["geometry"]["type"] == "LineString")
            .find_map(|feature| Some((feature, feature["geometry"]["coordinates"].as_array()?)));
        let (feature, places) = line?;
        let properties = &feature["properties"];
        let brush = &properties["coordinateProperties"]["brush_on"];
        let points = places.iter().enumerate().filter_map(|(index, place)| {
            let position = (place[1].as_f64()?, place[0].as_f64()?);
            let is_on_earth = position.0.abs() <= 90.0 && position.1.abs() <= 180.0;
            is_on_earth.then(|| RoutePoint {
                position,
                is_brush_on: brush[index].as_bool().unwrap_or_default(),
            })
        });
        Some(Self {
            points: points.collect(),
            correction_service: properties["correction_service"].as_str().map(str::to_owned),
        })
    }

    /// JSON in the shape of `nav_msgs/Path`: metres east and north of the first point, each pose
    /// turned towards the next. The frame's origin, the service and the brush stand beside
    /// `path`, because the message has no place for them. `None` without two points.
    #[must_use]
    pub fn to_path(&self, frame_id: &str) -> Option<Value> {
        let [first, _, ..] = self.points.as_slice() else {
            return None;
        };
        let line = self.around(first.position);
        let header = json!({"stamp": {"sec": 0, "nanosec": 0}, "frame_id": frame_id});
        let mut yaw = 0.0_f64;
        let poses: Value = line
            .iter()
            .enumerate()
            .map(|(index, &(east, north))| {
                // The last pose keeps the direction in which it was reached.
                if let Some(next) = line.get(index + 1).filter(|next| **next != (east, north)) {
                    yaw = (next.1 - north).atan2(next.0 - east);
                }
                let (z, w) = (yaw / 2.0).sin_cos();
                json!({"header": header, "pose": {
                    "position": {"x": east, "y": north, "z": 0.0},
                    "orientation": {"x": 0.0, "y": 0.0, "z": z, "w": w},
                }})
            })
            .collect();
        let brush: Value = self.points.iter().map(|p| json!(p.is_brush_on)).collect();
        Some(json!({
            "path": {"header": header, "poses": poses},
            "origin": {"latitude": first.position.0, "longitude": first.position.1,
                "datum": "WGS84", "axes": "ENU"},
            "correction_service": self.correction_service,
            "brush_on": brush,
        }))
    }

    /// The points east and north of a place, m.
    fn around(&self, place: (f64, f64)) -> Vec<(f64, f64)> {
        let frame = LocalFrame::around(place);
        let points = self.points.iter();
        points
            .map(|point| frame.east_north_from_lat_lon(point.position))
            .collect()
    }
}

/// Marks what must stay of `line[from..=to]`, without recursion: a day's line is long.
fn keep_between(line: &[(f64, f64)], from: usize, to: usize, tolerance: f64, keep: &mut [bool]) {
    keep[from] = true;
    keep[to] = true;
    let mut spans = vec![(from, to)];
    while let Some((from, to)) = spans.pop() {
        let farthest = (from + 1..to)
            .map(|index| (index, beside(line[index], line[from], line[to])))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((index, distance)) = farthest
            && distance > tolerance
        {
            keep[index] = true;
            spans.extend([(from, index), (index, to)]);
        }
    }
}

/// Metres between a point and a piece of line.
fn beside(p: (f64, f64), a: (f64, f64), b: (f64, f64)) -> f64 {
    let (x, y) = (b.0 - a.0, b.1 - a.1);
    let length = x * x + y * y;
    let along = if length > 0.0 {
        (((p.0 - a.0) * x + (p.1 - a.1) * y) / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (p.0 - a.0 - along * x).hypot(p.1 - a.1 - along * y)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner() -> Route {
        let frame = LocalFrame::around((31.2, 121.5));
        let mut route = Route {
            correction_service: Some("Qianxun, CGCS2000".to_owned()),
            ..Route::default()
        };
        for step in 0..=200_u32 {
            let along = f64::from(step) * 0.1;
            let wobble = if step % 2 == 0 { 0.01 } else { -0.01 };
            let place = if along <= 10.0 {
                (along, wobble)
            } else {
                (10.0 + wobble, along - 10.0)
            };
            route.record(
                frame.lat_lon_from_east_north(place),
                (50..150).contains(&step),
            );
        }
        route
    }

    #[test]
    fn a_corner_keeps_its_ends_its_corner_and_where_the_brush_changed() {
        let simple = corner().simplified(0.05);
        assert_eq!(simple.points.len(), 5, "{simple:?}");
        let brush: Vec<bool> = simple.points.iter().map(|p| p.is_brush_on).collect();
        assert_eq!(brush, [false, true, true, false, false]);
        assert_eq!(Route::default().simplified(0.1), Route::default());
    }

    #[test]
    fn points_are_moved_added_and_removed_and_the_brush_stays_with_them() {
        let mut route = corner().simplified(0.05);
        let mut places: Vec<_> = route.points.iter().map(|p| p.position).collect();
        places.insert(2, (31.3, 121.6));
        route.edit(Change::Added(2), &places);
        let brush: Vec<bool> = route.points.iter().map(|p| p.is_brush_on).collect();
        assert_eq!(brush, [false, true, true, true, false, false]);
        places[0] = (31.4, 121.7);
        route.edit(Change::Moved(0), &places);
        route.edit(Change::Removed(5), &places);
        route.edit(Change::Removed(99), &places);
        route.edit(Change::Added(99), &places);
        assert_eq!(route.points.len(), 5);
        assert_eq!(route.points[0].position, (31.4, 121.7));
        assert_eq!(route.points[2].position, (31.3, 121.6));
    }

    #[test]
    fn no_recorded_point_is_farther_beside_than_the_tolerance() {
        let (route, simple) = (corner(), corner().simplified(0.05));
        let frame = LocalFrame::around((31.2, 121.5));
        let metres = |point: &RoutePoint| frame.east_north_from_lat_lon(point.position);
        for point in &route.points {
            let off = simple
                .points
                .windows(2)
                .map(|pair| beside(metres(point), metres(&pair[0]), metres(&pair[1])))
                .fold(f64::MAX, f64::min);
            assert!(off <= 0.05 + 1e-6, "{off}");
        }
    }

    #[test]
    fn the_path_is_in_enu_with_its_origin_and_service() {
        let path = corner().simplified(0.05).to_path("map").unwrap();
        let poses = path["path"]["poses"].as_array().unwrap();
        let east = poses[2]["pose"]["position"]["x"].as_f64().unwrap();
        assert!((east - 10.0).abs() < 0.05, "{east}");
        let north = &poses[3]["pose"]["orientation"];
        assert!((north["z"].as_f64().unwrap() - 0.5_f64.sqrt()).abs() < 0.01);
        assert_eq!(path["correction_service"], "Qianxun, CGCS2000");
        assert!((path["origin"]["latitude"].as_f64().unwrap() - 31.2).abs() < 1e-6);
        assert_eq!(Route::default().to_path("map"), None);
        assert_eq!(Route::from_geojson(&corner().to_geojson()), Some(corner()));
        assert_eq!(Route::from_geojson(&json!({"features": 3})), None);
        let line = corner().to_geojson();
        let first = &line["features"][0]["geometry"]["coordinates"][0];
        assert!(first[0].as_f64().unwrap() > 121.0, "longitude first");
    }
}
