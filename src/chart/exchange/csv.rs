//! CSV: one fix a line, under the heading `time,lat,lon,heading_deg,speed_m_s,p_quality,segment`.
//! An empty field is unknown; a new number in `segment` is a broken line.

use super::{Flaw, Imported, Place, iso_time, place, unreadable};
use crate::chart::store::StoredFix;

const HEADING: &str = "time,lat,lon,heading_deg,speed_m_s,p_quality,segment";

/// The file.
#[must_use]
pub fn write(fixes: &[StoredFix]) -> String {
    let mut text = format!("{HEADING}\n");
    let mut segment = 0_u32;
    for (index, fix) in fixes.iter().enumerate() {
        segment += u32::from(index > 0 && fix.is_broken_before);
        let number = |value: Option<f64>, digits: usize| {
            value.map_or_else(String::new, |value| format!("{value:.digits$}"))
        };
        text.push_str(&format!(
            "{},{:.9},{:.9},{},{},{},{segment}\n",
            iso_time::write(fix.time_ms),
            fix.position.0,
            fix.position.1,
            number(fix.heading, 2),
            number(fix.speed, 3),
            fix.quality.map_or_else(String::new, |q| q.to_string()),
        ));
    }
    text
}

/// The fixes of a file; columns may stand in any order, `time`, `lat` and `lon` must be there.
#[must_use]
pub fn read(text: &str) -> Imported {
    let mut imported = Imported::default();
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    let names: Vec<&str> = lines
        .next()
        .unwrap_or_default()
        .split(',')
        .map(str::trim)
        .collect();
    for needed in ["time", "lat", "lon"] {
        if !names.contains(&needed) {
            imported.problem(Place::Line(1), Flaw::Missing(needed.to_owned()));
        }
    }
    if !imported.problems.is_empty() {
        return imported;
    }
    let mut segment = None;
    for (index, line) in lines
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        match read_line(&names, line) {
            Ok((mut fix, in_segment)) => {
                fix.is_broken_before = segment.as_ref() != Some(&in_segment);
                segment = Some(in_segment);
                imported.fixes.push(fix);
            }
            Err(why) => imported.problem(Place::Line(index + 2), why),
        }
    }
    imported
}

fn read_line(names: &[&str], line: &str) -> Result<(StoredFix, String), Flaw> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    if fields.len() != names.len() {
        return Err(Flaw::Fields(fields.len(), names.len()));
    }
    let field = |name: &str| {
        let index = names.iter().position(|known| *known == name)?;
        fields.get(index).copied().filter(|field| !field.is_empty())
    };
    let number = |name: &str| match field(name) {
        None => Ok(None),
        Some(text) => match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Some(value)),
            _ => Err(unreadable(name, text)),
        },
    };
    let needed = |name: &str| number(name)?.ok_or_else(|| Flaw::Missing(name.to_owned()));
    let time = field("time").unwrap_or_default();
    let fix = StoredFix {
        time_ms: iso_time::read(time).ok_or_else(|| unreadable("time", time))?,
        position: place(needed("lat")?, needed("lon")?)?,
        heading: number("heading_deg")?,
        speed: number("speed_m_s")?,
        quality: match number("p_quality")? {
            Some(value) if !(0.0..=9.0).contains(&value) => {
                return Err(Flaw::Outside("p_quality".to_owned(), value, 0, 9));
            }
            value => value.map(|value| value as u8),
        },
        is_broken_before: false,
    };
    Ok((fix, field("segment").unwrap_or_default().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::said;
    use super::*;

    #[test]
    fn a_bad_line_is_named_and_the_rest_comes_in() {
        let imported = read(
            "time,lat,lon,p_quality\n\
             2026-01-31T12:00:00Z,31.2,121.5,4\n\
             2026-01-31T12:00:01Z,north,121.5,4\n\
             2026-01-31T12:00:02Z,95,121.5,4\n\
             2026-01-31T12:00:03Z,31.2,121.5\n\
             2026-01-31T12:00:04Z,31.3,121.5,5\n",
        );
        assert_eq!(imported.fixes.len(), 2);
        assert_eq!(
            said(&imported),
            [
                "line 3: lat is “north”, which cannot be read",
                "line 4: lat is 95, outside -90 to 90",
                "line 5: 3 fields, not 4"
            ]
        );
        assert_eq!(read("a,b").problems.len(), 3);
    }
}
