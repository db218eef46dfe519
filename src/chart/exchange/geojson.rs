//! GeoJSON (RFC 7946): each unbroken piece of the track is a `LineString` (a single fix a
//! `Point`), longitude first; what belongs to each fix is in `properties.coordinateProperties`,
//! arrays as long as the coordinates: `times` (ISO 8601), `headings` (degrees), `speeds` (m/s),
//! `p_qualities`. Null is unknown.

use serde_json::{Value, json};

use super::{Flaw, Imported, Place, iso_time, pieces, place, unreadable};
use crate::chart::store::StoredFix;

/// The file.
#[must_use]
pub fn write(fixes: &[StoredFix]) -> String {
    let features: Vec<Value> = pieces(fixes)
        .map(|piece| {
            let column = |cell: fn(&StoredFix) -> Value| piece.iter().map(cell).collect::<Value>();
            let coordinates =
                column(|fix| json!([rounded(fix.position.1), rounded(fix.position.0)]));
            let geometry = if piece.len() == 1 {
                json!({"type": "Point", "coordinates": coordinates[0]})
            } else {
                json!({"type": "LineString", "coordinates": coordinates})
            };
            json!({
                "type": "Feature",
                "geometry": geometry,
                "properties": {"coordinateProperties": {
                    "times": column(|fix| json!(iso_time::write(fix.time_ms))),
                    "headings": column(|fix| json!(fix.heading)),
                    "speeds": column(|fix| json!(fix.speed)),
                    "p_qualities": column(|fix| json!(fix.quality)),
                }},
            })
        })
        .collect();
    json!({"type": "FeatureCollection", "features": features}).to_string()
}

/// The fixes of a file's lines and points; other geometries are told as problems.
#[must_use]
pub fn read(text: &str) -> Imported {
    let mut imported = Imported::default();
    let root: Value = match serde_json::from_str(text) {
        Ok(root) => root,
        // serde_json's own words name line and column.
        Err(error) => {
            imported.problem(Place::File, Flaw::NotJson(error.to_string()));
            return imported;
        }
    };
    let Some(features) = root["features"].as_array() else {
        imported.problem(Place::File, Flaw::NoFeatures);
        return imported;
    };
    for (number, feature) in (1..).zip(features) {
        let geometry = &feature["geometry"];
        let lines: Vec<Vec<&Value>> = match geometry["type"].as_str() {
            Some("Point") => vec![vec![&geometry["coordinates"]]],
            Some("LineString") => vec![items_of(&geometry["coordinates"])],
            // As others write a track with gaps.
            Some("MultiLineString") => items_of(&geometry["coordinates"])
                .into_iter()
                .map(items_of)
                .collect(),
            other => {
                let other = other.unwrap_or_default().to_owned();
                imported.problem(Place::Feature(number), Flaw::NoTrack(other));
                continue;
            }
        };
        let mut is_broken_before = true;
        let starts = lines
            .iter()
            .flat_map(|line| (0..line.len()).map(|at| at == 0));
        let points = lines.iter().flatten().zip(starts);
        for (index, (point, is_start)) in points.enumerate() {
            is_broken_before |= is_start;
            match read_point(point, &feature["properties"]["coordinateProperties"], index) {
                Ok(fix) => {
                    imported.fixes.push(StoredFix {
                        is_broken_before,
                        ..fix
                    });
                    is_broken_before = false;
                }
                Err(why) => {
                    is_broken_before = true;
                    imported.problem(Place::Point(number, index + 1), why);
                }
            }
        }
    }
    imported
}

fn items_of(list: &Value) -> Vec<&Value> {
    list.as_array().into_iter().flatten().collect()
}

fn read_point(point: &Value, columns: &Value, index: usize) -> Result<StoredFix, Flaw> {
    let (Some(lon), Some(lat)) = (point[0].as_f64(), point[1].as_f64()) else {
        return Err(Flaw::NoNumbers);
    };
    let position = place(lat, lon)?;
    let cell = |name: &str| &columns[name][index];
    let time_ms = match cell("times") {
        Value::Null => 0,
        other => other
            .as_str()
            .and_then(iso_time::read)
            .ok_or_else(|| unreadable("time", &other.to_string()))?,
    };
    Ok(StoredFix {
        time_ms,
        position,
        heading: cell("headings").as_f64(),
        speed: cell("speeds").as_f64(),
        quality: cell("p_qualities")
            .as_u64()
            .filter(|quality| *quality <= 9)
            .map(|quality| quality as u8),
        is_broken_before: false,
    })
}

fn rounded(degrees: f64) -> f64 {
    (degrees * 1e9).round() / 1e9
}

#[cfg(test)]
mod tests {
    use super::super::tests::said;
    use super::*;

    #[test]
    fn a_track_in_several_lines_is_broken_between_them() {
        let text = r#"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":
            {"type":"MultiLineString","coordinates":
             [[[121.5,31.2],[121.5,31.3]],[],[[121.5,31.4],["x",31.5]]]}}]}"#;
        let imported = read(text);
        let broken: Vec<bool> = imported
            .fixes
            .iter()
            .map(|fix| fix.is_broken_before)
            .collect();
        assert_eq!(broken, [true, false, true]);
        assert_eq!(said(&imported), ["feature 1, point 4: no two numbers"]);
    }

    #[test]
    fn a_bad_feature_is_named_and_the_rest_comes_in() {
        let text = r#"{"type":"FeatureCollection","features":[
            {"type":"Feature","geometry":{"type":"Polygon","coordinates":[]}},
            {"type":"Feature","geometry":{"type":"LineString",
             "coordinates":[[121.5,31.2],[121.5],[121.5,131.2],[121.6,31.2]]}},
            {"type":"Feature","geometry":null}]}"#;
        let imported = read(text);
        assert_eq!(
            said(&imported),
            [
                "feature 1: Polygon is not a track",
                "feature 2, point 2: no two numbers",
                "feature 2, point 3: lat is 131.2, outside -90 to 90",
                "feature 3: no geometry is not a track",
            ]
        );
        assert_eq!(imported.fixes.len(), 2);
        assert!(
            imported.fixes[1].is_broken_before,
            "no line over what is missing"
        );
        assert!(said(&read("{\n]"))[0].contains("line 2"));
    }
}
