//! The whole day as few enough points to draw.
//!
//! A point is drawn when it is a spacing away from the last one drawn, when the line breaks, or
//! when the colour changes. When there are more than allowed, the spacing doubles and the points
//! are thinned by it once; that happens so seldom that a fix costs little on average.

use serde::{Deserialize, Serialize};

use crate::rtk::geo::distance_between_near;

use super::store::StoredFix;

/// What the colour of the line tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ColourBy {
    /// The position quality.
    #[default]
    Quality,
    /// The speed, in steps of 0.25 m/s.
    Speed,
}

/// A point that is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DrawnPoint {
    /// `(lat, lon)`, WGS84 degrees.
    pub position: (f64, f64),
    /// No line leads here.
    pub is_broken_before: bool,
    /// Quality 0–9 or speed step; `None` is unknown.
    pub class: Option<u8>,
}

/// The drawn line.
#[derive(Debug, Clone)]
pub struct Thinned {
    colour_by: ColourBy,
    spacing: f64,
    max_points: usize,
    points: Vec<DrawnPoint>,
    generation: u64,
}

impl Thinned {
    /// An empty line with this spacing in metres to begin with.
    #[must_use]
    pub fn new(colour_by: ColourBy, spacing: f64, max_points: usize) -> Self {
        Self {
            colour_by,
            spacing: spacing.max(0.01),
            max_points: max_points.max(4),
            points: Vec::new(),
            generation: 0,
        }
    }

    /// A fix came; true when a point is drawn for it.
    pub fn push(&mut self, fix: &StoredFix) -> bool {
        let point = DrawnPoint {
            position: fix.position,
            is_broken_before: fix.is_broken_before,
            class: class_of(fix, self.colour_by),
        };
        if !self
            .points
            .last()
            .is_none_or(|last| is_drawn(last, &point, self.spacing))
        {
            return false;
        }
        self.points.push(point);
        if self.points.len() > self.max_points {
            self.thin();
        }
        true
    }

    /// The points, oldest first.
    #[must_use]
    pub fn points(&self) -> &[DrawnPoint] {
        &self.points
    }

    /// Changes when earlier points went: draw everything anew. Otherwise points are only appended.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    fn thin(&mut self) {
        self.generation += 1;
        let target = self.max_points / 2;
        // Breaks and colours are kept as long as they leave room; a line that is nothing but
        // breaks loses its oldest points.
        for _ in 0..16 {
            self.spacing *= 2.0;
            let mut kept: Vec<DrawnPoint> = Vec::with_capacity(self.points.len());
            for point in &self.points {
                if kept
                    .last()
                    .is_none_or(|last| is_drawn(last, point, self.spacing))
                {
                    kept.push(*point);
                }
            }
            self.points = kept;
            if self.points.len() <= target {
                return;
            }
        }
        let surplus = self.points.len().saturating_sub(target);
        self.points.drain(..surplus);
    }
}

fn is_drawn(last: &DrawnPoint, point: &DrawnPoint, spacing: f64) -> bool {
    point.is_broken_before
        || point.class != last.class
        || distance_between_near(last.position, point.position) >= spacing
}

fn class_of(fix: &StoredFix, colour_by: ColourBy) -> Option<u8> {
    match colour_by {
        ColourBy::Quality => fix.quality,
        ColourBy::Speed => fix.speed.map(|speed| (speed.abs() * 4.0) as u8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtk::geo::LocalFrame;

    fn fix(meters: f64, quality: u8, is_broken_before: bool) -> StoredFix {
        StoredFix {
            time_ms: 0,
            position: LocalFrame::around((31.2, 121.5)).lat_lon_from_east_north((meters, 0.0)),
            heading: None,
            speed: Some(0.6),
            quality: Some(quality),
            is_broken_before,
        }
    }

    #[test]
    fn a_whole_day_stays_drawn_in_few_points() {
        let mut line = Thinned::new(ColourBy::Quality, 0.15, 2000);
        for step in 0..100_000 {
            line.push(&fix(f64::from(step) * 0.05, 4, step == 0));
            assert!(line.points().len() <= 2000);
        }
        let frame = LocalFrame::around((31.2, 121.5));
        let east = |point: &DrawnPoint| frame.east_north_from_lat_lon(point.position).0;
        assert!(
            east(&line.points()[0]).abs() < 1e-6,
            "its beginning is there"
        );
        assert!(line.points().last().map(east).unwrap() > 4980.0);
        assert!(line.generation() < 10, "it is thinned seldom");
    }

    #[test]
    fn breaks_and_changes_of_quality_are_drawn_however_near() {
        let mut line = Thinned::new(ColourBy::Quality, 1.0, 100);
        assert!(line.push(&fix(0.0, 4, true)));
        assert!(!line.push(&fix(0.1, 4, false)));
        assert!(line.push(&fix(0.2, 5, false)));
        assert!(line.push(&fix(0.3, 5, true)));
        assert_eq!(line.points()[2].class, Some(5));
    }

    #[test]
    fn nothing_but_breaks_cannot_outgrow_the_limit() {
        let mut line = Thinned::new(ColourBy::Speed, 1.0, 100);
        for step in 0..5000 {
            line.push(&fix(f64::from(step), 4, true));
            assert!(line.points().len() <= 100);
        }
    }
}
