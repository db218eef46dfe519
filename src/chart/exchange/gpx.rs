//! GPX 1.1: a `trkseg` for each unbroken piece, quality, heading and speed as extensions in a
//! namespace of our own.

use super::{Flaw, Imported, Place, iso_time, pieces, place, unreadable};
use crate::chart::store::StoredFix;

/// The namespace of the extensions: a name, no address.
pub const NAMESPACE: &str = "urn:broomstick:gpx:1";

/// The file.
#[must_use]
pub fn write(fixes: &[StoredFix]) -> String {
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gpx version=\"1.1\" creator=\"broomstick\" \
         xmlns=\"http://www.topografix.com/GPX/1/1\" xmlns:b=\"{NAMESPACE}\">\n<trk>\n"
    );
    for piece in pieces(fixes) {
        text.push_str("<trkseg>\n");
        for fix in piece {
            let element = |name: &str, value: Option<String>| {
                value.map_or_else(String::new, |value| format!("<b:{name}>{value}</b:{name}>"))
            };
            let extensions = [
                element("p_quality", fix.quality.map(|value| value.to_string())),
                element("heading", fix.heading.map(|value| format!("{value:.2}"))),
                element("speed", fix.speed.map(|value| format!("{value:.3}"))),
            ]
            .concat();
            text.push_str(&format!(
                "<trkpt lat=\"{:.9}\" lon=\"{:.9}\"><time>{}</time>",
                fix.position.0,
                fix.position.1,
                iso_time::write(fix.time_ms)
            ));
            if !extensions.is_empty() {
                text.push_str(&format!("<extensions>{extensions}</extensions>"));
            }
            text.push_str("</trkpt>\n");
        }
        text.push_str("</trkseg>\n");
    }
    text.push_str("</trk>\n</gpx>\n");
    text
}

/// The track points of a file. It reads tags, not all of XML: comments and CDATA are skipped.
#[must_use]
pub fn read(text: &str) -> Imported {
    let mut imported = Imported::default();
    if !text.contains("<gpx") {
        imported.problem(Place::Line(1), Flaw::NoGpx);
        return imported;
    }
    let mut is_broken_before = true;
    let mut point: Option<Result<StoredFix, Flaw>> = None;
    let mut begun = 1;
    let (mut rest, mut line) = (text, 1);
    while let Some(start) = rest.find('<') {
        line += newlines(&rest[..start]);
        rest = &rest[start..];
        let end = if rest.starts_with("<!--") { "-->" } else { ">" };
        let Some(length) = rest.find(end).map(|at| at + end.len()) else {
            imported.problem(Place::Line(line), Flaw::NotClosed);
            return imported;
        };
        let (tag, after) = rest.split_at(length);
        let content = after.split('<').next().unwrap_or_default().trim();
        let inner = tag.trim_start_matches('<').trim_end_matches('>');
        let name = inner
            .split([' ', '\n', '\t', '\r'])
            .next()
            .unwrap_or_default();
        let is_end = name.starts_with('/');
        let local = name
            .trim_matches('/')
            .rsplit(':')
            .next()
            .unwrap_or_default();
        match local {
            "trkseg" => is_broken_before = true,
            "trkpt" if !is_end => {
                begun = line;
                point = Some(begin(inner));
            }
            field @ ("time" | "p_quality" | "heading" | "speed") if !is_end => {
                if let Some(Ok(fix)) = &mut point
                    && let Err(why) = set(fix, field, content)
                {
                    imported.problem(Place::Line(line), why);
                }
            }
            _ => {}
        }
        if local == "trkpt" && (is_end || inner.ends_with('/')) {
            match point.take() {
                Some(Ok(fix)) => {
                    imported.fixes.push(StoredFix {
                        is_broken_before,
                        ..fix
                    });
                    is_broken_before = false;
                }
                Some(Err(why)) => {
                    is_broken_before = true;
                    imported.problem(Place::Line(begun), why);
                }
                None => {}
            }
        }
        line += newlines(tag);
        rest = after;
    }
    if !text.contains("</gpx") {
        imported.problem(Place::Line(line), Flaw::EndsEarly);
    }
    imported
}

fn begin(tag: &str) -> Result<StoredFix, Flaw> {
    let attribute = |name: &str| {
        let (_, after) = tag
            .split_once(&format!(" {name}=\""))
            .or_else(|| tag.split_once(&format!(" {name}='")))
            .ok_or_else(|| Flaw::Missing(name.to_owned()))?;
        let value = after.split(['"', '\'']).next().unwrap_or_default();
        value.parse::<f64>().map_err(|_| unreadable(name, value))
    };
    Ok(StoredFix {
        time_ms: 0,
        position: place(attribute("lat")?, attribute("lon")?)?,
        heading: None,
        speed: None,
        quality: None,
        is_broken_before: false,
    })
}

fn set(fix: &mut StoredFix, field: &str, text: &str) -> Result<(), Flaw> {
    let wrong = || unreadable(field, text);
    let number = || text.parse::<f64>().ok().filter(|value| value.is_finite());
    match field {
        "time" => fix.time_ms = iso_time::read(text).ok_or_else(wrong)?,
        "heading" => fix.heading = Some(number().ok_or_else(wrong)?),
        "speed" => fix.speed = Some(number().ok_or_else(wrong)?),
        _ => {
            let quality = text.parse::<u8>().ok().filter(|value| *value <= 9);
            fix.quality = Some(quality.ok_or_else(wrong)?);
        }
    }
    Ok(())
}

fn newlines(text: &str) -> usize {
    text.matches('\n').count()
}

#[cfg(test)]
mod tests {
    use super::super::tests::said;
    use super::*;

    #[test]
    fn a_bad_point_is_named_by_its_line_and_the_rest_comes_in() {
        let imported = read(
            "<gpx>\n<trk><trkseg>\n<trkpt lat=\"31.2\" lon=\"121.5\"/>\n\
             <trkpt lat=\"x\" lon=\"121.5\"></trkpt>\n<trkpt lon=\"121.5\"></trkpt>\n\
             <!-- <trkpt -->\n<trkpt lat='31.3' lon='121.5'><time>noon</time></trkpt>\n\
             </trkseg></trk></gpx>",
        );
        assert_eq!(
            said(&imported),
            [
                "line 4: lat is “x”, which cannot be read",
                "line 5: lat is missing",
                "line 7: time is “noon”, which cannot be read",
            ]
        );
        assert_eq!(imported.fixes.len(), 2);
        assert!(said(&read("<gpx><trk><trkseg>"))[0].contains("ends too early"));
    }
}
