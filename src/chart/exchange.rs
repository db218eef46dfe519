//! The track to files and back: GeoJSON, GPX 1.1 and CSV.
//!
//! A file that is partly bad is partly imported: every problem names the line or the feature and
//! the reason, and the rest comes in. What a format cannot say is not invented.

pub mod csv;
pub mod drawing;
pub mod geojson;
pub mod gpx;
mod iso_time;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::store::StoredFix;

/// What came of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    /// The fixes, in the order of the file.
    pub fixes: Vec<StoredFix>,
    /// What could not be read.
    pub problems: Vec<TrackProblem>,
}

impl Imported {
    fn problem(&mut self, at: Place, why: Flaw) {
        self.problems.push(TrackProblem { at, why });
    }
}

/// What of a file could not be read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Error)]
#[error("{at}{why}")]
pub struct TrackProblem {
    /// Where.
    pub at: Place,
    /// Why.
    pub why: Flaw,
}

/// Where in a file something is; counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Error)]
pub enum Place {
    /// All of it.
    #[error("")]
    File,
    /// A line.
    #[error("line {0}: ")]
    Line(usize),
    /// A feature.
    #[error("feature {0}: ")]
    Feature(usize),
    /// A point of a feature.
    #[error("feature {0}, point {1}: ")]
    Point(usize, usize),
}

/// Why something of a file could not be read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Error)]
pub enum Flaw {
    /// The text is not JSON: what the reader said, with line and column.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// There is no list of features.
    #[error("not a FeatureCollection: features is missing")]
    NoFeatures,
    /// A geometry that is no track, or empty: none.
    #[error("{} is not a track", if .0.is_empty() { "no geometry" } else { .0 })]
    NoTrack(String),
    /// A point that is no two numbers.
    #[error("no two numbers")]
    NoNumbers,
    /// There is no `gpx` element.
    #[error("there is no gpx element")]
    NoGpx,
    /// A tag that does not end.
    #[error("a tag is not closed")]
    NotClosed,
    /// The end of the file is missing.
    #[error("the file ends too early")]
    EndsEarly,
    /// A column, or an attribute, that must be there.
    #[error("{0} is missing")]
    Missing(String),
    /// Fields of a line that are not those of the first line: so many, in place of so many.
    #[error("{0} fields, not {1}")]
    Fields(usize, usize),
    /// Something, and what it is, that cannot be understood.
    #[error("{0} is “{1}”, which cannot be read")]
    Unreadable(String, String),
    /// Something, and what it is, that is outside these.
    #[error("{0} is {1}, outside {2} to {3}")]
    Outside(String, f64, i16, i16),
}

/// The unbroken pieces of a track.
fn pieces(fixes: &[StoredFix]) -> impl Iterator<Item = &[StoredFix]> {
    fixes.chunk_by(|_, next| !next.is_broken_before)
}

/// A place on Earth, or why it is none.
fn place(lat: f64, lon: f64) -> Result<(f64, f64), Flaw> {
    for (name, value, end) in [("lat", lat, 90), ("lon", lon, 180)] {
        if !(f64::from(-end)..=f64::from(end)).contains(&value) {
            return Err(Flaw::Outside(name.to_owned(), value, -end, end));
        }
    }
    Ok((lat, lon))
}

fn unreadable(name: &str, text: &str) -> Flaw {
    Flaw::Unreadable(name.to_owned(), text.to_owned())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// As it is said.
    pub(in crate::chart::exchange) fn said(imported: &Imported) -> Vec<String> {
        imported.problems.iter().map(ToString::to_string).collect()
    }

    fn close(read: &[StoredFix], written: &[StoredFix]) {
        assert_eq!(read.len(), written.len());
        for (a, b) in read.iter().zip(written) {
            assert_eq!(
                (a.time_ms, a.quality, a.is_broken_before),
                (b.time_ms, b.quality, b.is_broken_before)
            );
            assert!((a.position.0 - b.position.0).abs() < 2e-9, "{a:?} {b:?}");
            assert!((a.position.1 - b.position.1).abs() < 2e-9);
            for (x, y) in [(a.heading, b.heading), (a.speed, b.speed)] {
                assert!((x.unwrap_or(-99.0) - y.unwrap_or(-99.0)).abs() < 0.006);
            }
        }
    }

    fn any_fix() -> impl Strategy<Value = StoredFix> {
        (
            (
                0..4_000_000_000_000_u64,
                -90.0..=90.0_f64,
                -180.0..=180.0_f64,
            ),
            proptest::option::of(0.0..359.9_f64),
            proptest::option::of(-9.0..9.0_f64),
            proptest::option::of(0..=9_u8),
            any::<bool>(),
        )
            .prop_map(
                |((time_ms, lat, lon), heading, speed, quality, broken)| StoredFix {
                    time_ms,
                    position: (lat, lon),
                    heading,
                    speed,
                    quality,
                    is_broken_before: broken,
                },
            )
    }

    proptest! {
        #[test]
        fn a_track_comes_back_from_every_format(
            mut fixes in proptest::collection::vec(any_fix(), 1..30),
        ) {
            fixes[0].is_broken_before = true;
            for imported in [
                csv::read(&csv::write(&fixes)),
                geojson::read(&geojson::write(&fixes)),
                gpx::read(&gpx::write(&fixes)),
            ] {
                prop_assert_eq!(&imported.problems, &Vec::new());
                close(&imported.fixes, &fixes);
            }
        }

        #[test]
        fn noise_never_panics(text in ".{0,200}", at in 0..400_usize) {
            let whole = gpx::write(&[]) + &text;
            let cut = whole.get(..at).unwrap_or(&whole);
            for read in [csv::read(&text), geojson::read(&text), gpx::read(&text), gpx::read(cut)] {
                prop_assert!(read.fixes.iter().all(|fix| fix.position.0.abs() <= 90.0));
            }
        }
    }
}
