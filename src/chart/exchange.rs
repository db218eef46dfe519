//! The track to files and back: GeoJSON, GPX 1.1 and CSV.
//!
//! A file that is partly bad is partly imported: every problem names the line or the feature and
//! the reason, and the rest comes in. What a format cannot say is not invented.

pub mod csv;
pub mod drawing;
pub mod geojson;
pub mod gpx;
mod iso_time;

use super::store::StoredFix;

/// What came of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    /// The fixes, in the order of the file.
    pub fixes: Vec<StoredFix>,
    /// What could not be read: where, and why.
    pub problems: Vec<String>,
}

/// The unbroken pieces of a track.
fn pieces(fixes: &[StoredFix]) -> impl Iterator<Item = &[StoredFix]> {
    fixes.chunk_by(|_, next| !next.is_broken_before)
}

/// A place on Earth, or why it is none.
fn place(lat: f64, lon: f64) -> Result<(f64, f64), String> {
    if !(-90.0..=90.0).contains(&lat) {
        return Err(format!("latitude is {lat}, outside -90 to 90"));
    }
    if !(-180.0..=180.0).contains(&lon) {
        return Err(format!("longitude is {lon}, outside -180 to 180"));
    }
    Ok((lat, lon))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
                prop_assert_eq!(&imported.problems, &Vec::<String>::new());
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
