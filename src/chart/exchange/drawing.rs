//! Drawn things to GeoJSON (RFC 7946) and back; the same text is kept in the browser.
//!
//! A zone, keep-out or fence is a `Polygon`, a point a `Point`; `properties.kind` is `zone`,
//! `keep_out`, `fence` or `point`, `properties.name` its name. A polygon of another program, without
//! a kind, is a zone. What cannot be read is named, and the rest comes in.

use serde_json::{Value, json};

use crate::chart::drawn::{Kind, MOST_SHAPES, Refusal, Shape, check};

/// Something read: kind, name, places.
pub type Drawn = (Kind, String, Vec<(f64, f64)>);

/// What came of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    /// What could be read, in the order of the file.
    pub drawn: Vec<Drawn>,
    /// What could not.
    pub problems: Vec<Problem>,
}

/// What could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The feature, counted from 1; 0: the whole file.
    pub feature: usize,
    /// Its name, where it has one.
    pub name: String,
    /// Why.
    pub why: Why,
}

/// Why something could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// The text is not JSON: what the reader said, with line and column.
    NotJson(String),
    /// There is no list of features.
    NoFeatures,
    /// A geometry that is nothing drawn.
    Geometry(String),
    /// A kind that is none.
    Kind(String),
    /// A place that is no two numbers; counted from 1.
    Place(usize),
    /// It cannot be drawn.
    Refused(Refusal),
    /// Its holes are left out; it came in without them.
    Holes,
}

/// The file.
#[must_use]
pub fn write(shapes: &[Shape]) -> String {
    let features: Value = shapes
        .iter()
        .map(|shape| {
            let mut places: Vec<Value> = shape.points.iter().map(|&point| place(point)).collect();
            let geometry = if shape.kind.is_ring() {
                // The standard wants the outside counterclockwise, and the first corner again.
                if turns_right(&shape.points) {
                    places.reverse();
                }
                places.extend(places.first().cloned());
                json!({"type": "Polygon", "coordinates": [places]})
            } else {
                json!({"type": "Point", "coordinates": places.first()})
            };
            json!({
                "type": "Feature",
                "geometry": geometry,
                "properties": {"kind": shape.kind.code(), "name": shape.name},
            })
        })
        .collect();
    json!({"type": "FeatureCollection", "features": features}).to_string()
}

/// What a file has.
#[must_use]
pub fn read(text: &str) -> Imported {
    let mut imported = Imported::default();
    let mut whole = |why| {
        imported.problems.push(Problem {
            feature: 0,
            name: String::new(),
            why,
        });
    };
    let root: Value = match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(root) => root,
        Err(error) => {
            whole(Why::NotJson(error.to_string()));
            return imported;
        }
    };
    let single = [root.clone()];
    let features = match root["type"].as_str() {
        Some("Feature") => &single[..],
        _ => match root["features"].as_array() {
            Some(features) => features,
            None => {
                whole(Why::NoFeatures);
                return imported;
            }
        },
    };
    for (number, feature) in (1..).zip(features) {
        let name = feature["properties"]["name"].as_str().unwrap_or_default();
        let (drawn, troubles) = read_feature(feature, name);
        for drawn in drawn {
            if imported.drawn.len() < MOST_SHAPES {
                imported.drawn.push(drawn);
            } else {
                imported.problems.push(Problem {
                    feature: number,
                    name: name.to_owned(),
                    why: Why::Refused(Refusal::TooManyShapes),
                });
            }
        }
        imported
            .problems
            .extend(troubles.into_iter().map(|why| Problem {
                feature: number,
                name: name.to_owned(),
                why,
            }));
    }
    imported
}

fn read_feature(feature: &Value, name: &str) -> (Vec<Drawn>, Vec<Why>) {
    let (mut drawn, mut troubles) = (Vec::new(), Vec::new());
    let geometry = &feature["geometry"];
    let coordinates = &geometry["coordinates"];
    let told = &feature["properties"]["kind"];
    let (polygons, usual): (&[Value], Kind) = match geometry["type"].as_str() {
        Some("Polygon") => (std::slice::from_ref(coordinates), Kind::Zone),
        Some("MultiPolygon") => (
            coordinates
                .as_array()
                .map(Vec::as_slice)
                .unwrap_or_default(),
            Kind::Zone,
        ),
        Some("Point") => (&[], Kind::Point),
        other => {
            let other = other.unwrap_or_default().to_owned();
            return (drawn, vec![Why::Geometry(other)]);
        }
    };
    let kind = match told {
        Value::Null => usual,
        told => match told.as_str().and_then(Kind::from_code) {
            Some(kind) if kind.is_ring() == usual.is_ring() => kind,
            _ => {
                let told = told
                    .as_str()
                    .map_or_else(|| told.to_string(), str::to_owned);
                return (drawn, vec![Why::Kind(told)]);
            }
        },
    };
    let mut take = |places: &[Value], troubles: &mut Vec<Why>| match read_places(places) {
        Err(why) => troubles.push(why),
        Ok(mut points) => {
            if kind.is_ring() && points.len() > 1 && points.first() == points.last() {
                points.pop();
            }
            match check(kind, &points) {
                Err(refusal) => troubles.push(Why::Refused(refusal)),
                Ok(()) => drawn.push((kind, name.to_owned(), points)),
            }
        }
    };
    if !usual.is_ring() {
        take(std::slice::from_ref(coordinates), &mut troubles);
    }
    for polygon in polygons {
        let rings = polygon.as_array().map(Vec::as_slice).unwrap_or_default();
        let outside = rings.first().and_then(Value::as_array);
        take(
            outside.map(Vec::as_slice).unwrap_or_default(),
            &mut troubles,
        );
        if rings.len() > 1 {
            troubles.push(Why::Holes);
        }
    }
    (drawn, troubles)
}

fn read_places(places: &[Value]) -> Result<Vec<(f64, f64)>, Why> {
    (1..)
        .zip(places)
        .map(
            |(number, place)| match (place[0].as_f64(), place[1].as_f64()) {
                (Some(lon), Some(lat)) => Ok((lat, lon)),
                _ => Err(Why::Place(number)),
            },
        )
        .collect()
}

/// Longitude first; a tenth of a millimetre is enough.
fn place((lat, lon): (f64, f64)) -> Value {
    let rounded = |degrees: f64| (degrees * 1e9).round() / 1e9;
    json!([rounded(lon), rounded(lat)])
}

fn turns_right(ring: &[(f64, f64)]) -> bool {
    let twice: f64 = (0..ring.len())
        .map(|index| {
            let (a, b) = (ring[index], ring[(index + 1) % ring.len()]);
            (a.1 - ring[0].1) * (b.0 - ring[0].0) - (b.1 - ring[0].1) * (a.0 - ring[0].0)
        })
        .sum();
    twice < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::drawn::Drawing;
    use crate::chart::drawn::tests::{HERE, square};

    #[test]
    fn what_was_drawn_comes_back_with_its_kind_and_name() {
        let mut drawing = Drawing::default();
        for kind in [Kind::Zone, Kind::KeepOut, Kind::Fence] {
            drawing.add(kind, "院子 1", square(1.0, 2.0, 8.0)).unwrap();
        }
        drawing.add(Kind::Point, "Dock", vec![HERE]).unwrap();
        let text = write(drawing.shapes());
        let imported = read(&text);
        assert_eq!(imported.problems, []);
        let again = Drawing::with(imported.drawn);
        for (a, b) in drawing.shapes().iter().zip(again.shapes()) {
            assert_eq!(
                (a.kind, &a.name, a.points.len()),
                (b.kind, &b.name, b.points.len())
            );
            for (p, q) in a.points.iter().zip(&b.points) {
                assert!((p.0 - q.0).abs() < 1e-9 && (p.1 - q.1).abs() < 1e-9);
            }
        }
        let json: Value = serde_json::from_str(&text).unwrap();
        let ring = json["features"][0]["geometry"]["coordinates"][0]
            .as_array()
            .unwrap();
        assert_eq!(ring.first(), ring.last(), "the ring is closed");
        assert!(ring[0][0].as_f64().unwrap() > 120.0, "longitude first");
    }

    #[test]
    fn a_ring_is_written_counterclockwise_whichever_way_it_was_drawn() {
        let mut drawing = Drawing::default();
        let mut clockwise = square(0.0, 0.0, 8.0);
        clockwise.reverse();
        drawing.add(Kind::Zone, "a", square(0.0, 0.0, 8.0)).unwrap();
        drawing.add(Kind::Zone, "b", clockwise).unwrap();
        let imported = read(&write(drawing.shapes()));
        for (_, _, ring) in imported.drawn {
            assert!(!turns_right(&ring));
        }
    }

    #[test]
    fn a_bad_feature_is_named_and_the_rest_comes_in() {
        let text = r#"{"type":"FeatureCollection","features":[
            {"geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]},"properties":{"name":"way"}},
            {"geometry":{"type":"Polygon","coordinates":[[[121.5,31.2],[121.6,31.2],[121.6,31.3]]]}},
            {"geometry":{"type":"Polygon","coordinates":[[[121.5,31.2],[121.6],[121.6,31.3]]]},"properties":{"kind":"keep_out"}},
            {"geometry":{"type":"Polygon","coordinates":[[[121.5,31.2],[121.6,131.2],[121.6,31.3]]]}},
            {"geometry":{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]},"properties":{"name":"tie"}},
            {"geometry":{"type":"Point","coordinates":[121.5,31.2]},"properties":{"kind":"zone"}},
            {"geometry":null},
            {"geometry":{"type":"Point","coordinates":[121.5,31.2,4.0]},"properties":{"name":"Dock"}},
            {"geometry":{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]],[[0.2,0.1],[0.3,0.1],[0.3,0.2]]]]}}
        ]}"#;
        let imported = read(text);
        let problems: Vec<_> = imported
            .problems
            .iter()
            .map(|problem| (problem.feature, problem.name.as_str(), problem.why.clone()))
            .collect();
        assert_eq!(
            problems,
            [
                (1, "way", Why::Geometry("LineString".into())),
                (3, "", Why::Place(2)),
                (4, "", Why::Refused(Refusal::OffTheEarth)),
                (5, "tie", Why::Refused(Refusal::CrossesItself)),
                (6, "", Why::Kind("zone".into())),
                (7, "", Why::Geometry(String::new())),
                (9, "", Why::Holes),
            ]
        );
        let kinds: Vec<_> = imported.drawn.iter().map(|drawn| drawn.0).collect();
        assert_eq!(kinds, [Kind::Zone, Kind::Point, Kind::Zone]);
    }

    #[test]
    fn what_is_no_file_of_this_kind_says_so_and_never_panics() {
        assert!(
            matches!(&read("{\n]").problems[0].why, Why::NotJson(words) if words.contains("line 2"))
        );
        assert_eq!(read("[]").problems[0].why, Why::NoFeatures);
        assert_eq!(read("\u{feff}{\"features\":[]}").problems, []);
        let single = r#"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]}}"#;
        assert_eq!(
            read(single).drawn,
            [(Kind::Point, String::new(), vec![(2.0, 1.0)])]
        );
    }

    mod properties {
        use super::super::read;
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn noise_never_panics(text in r#"[\[\]{}",:0-9a-zA-Z. -]{0,120}"#, cut in 0..300_usize) {
                let noise = read(&text);
                prop_assert!(noise.drawn.is_empty() || noise.problems.len() < 200);
                let file = r#"{"features":[{"geometry":{"type":"Polygon","coordinates":[[[1,2],[3,4],[5,1e9]]]}}]}"#;
                let cut = read(file.get(..cut).unwrap_or(file));
                prop_assert!(cut.drawn.is_empty() && !cut.problems.is_empty());
            }
        }
    }
}
