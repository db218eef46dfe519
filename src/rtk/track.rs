//! The line that the vehicle leaves on the map, kept so that drawing it only ever appends.
//!
//! Points nearer than the spacing are left out, the oldest go when there are too many, and the
//! line is broken where the fix was lost. It is kept in chunks: a new point changes one short
//! chunk, and forgetting removes a whole one, so nobody redraws the rest.

use std::collections::VecDeque;

use crate::rtk::geo::distance_between_near;

/// How much of the way is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackSettings {
    /// Metres between kept points.
    pub spacing: f64,
    /// Points of a full chunk.
    pub chunk_points: usize,
    /// Points of all chunks together; the oldest chunk goes first.
    pub max_points: usize,
    /// Metres between two neighbours beyond which the line is broken: no vehicle of this kind
    /// drives that far between two fixes.
    pub max_step: f64,
}

impl Default for TrackSettings {
    fn default() -> Self {
        Self {
            spacing: 0.15,
            chunk_points: 100,
            max_points: 2000,
            max_step: 10.0,
        }
    }
}

/// A piece of the line. Consecutive chunks of an unbroken line share a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// Counts up; never used again.
    pub id: u64,
    /// `(lat, lon)`, WGS84 degrees, oldest first; never empty.
    pub points: Vec<(f64, f64)>,
}

/// What a new point changed, so that a drawing follows without looking at the rest.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// The point was too near to the last one to be kept.
    Nothing,
    /// The newest chunk got this point at its end.
    Appended((f64, f64)),
    /// A new newest chunk with these points; the chunks named were forgotten.
    Began {
        /// A copy of the new chunk.
        chunk: Chunk,
        /// The ids of the chunks that had to go.
        forgotten: Vec<u64>,
    },
}

/// The line.
#[derive(Debug, Clone, PartialEq)]
pub struct Track {
    settings: TrackSettings,
    chunks: VecDeque<Chunk>,
    next_id: u64,
    is_broken: bool,
}

impl Track {
    /// An empty line.
    #[must_use]
    pub fn new(settings: TrackSettings) -> Self {
        Self {
            settings,
            chunks: VecDeque::new(),
            next_id: 0,
            is_broken: true,
        }
    }

    /// The chunks, oldest first: for drawing everything anew, e.g. in another datum.
    pub fn chunks(&self) -> impl Iterator<Item = &Chunk> {
        self.chunks.iter()
    }

    /// Points kept, shared ones counted twice.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.points.len()).sum()
    }

    /// True before the first point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// The fix was lost: whatever comes next is not joined to what was.
    pub fn break_line(&mut self) {
        self.is_broken = true;
    }

    /// The vehicle is at `(lat, lon)`, WGS84 degrees.
    pub fn push(&mut self, point: (f64, f64)) -> Change {
        let last = self.chunks.back().and_then(|chunk| chunk.points.last());
        let joint = match last {
            Some(&last) if !self.is_broken => {
                let step = distance_between_near(last, point);
                if step < self.settings.spacing {
                    return Change::Nothing;
                }
                (step <= self.settings.max_step).then_some(last)
            }
            _ => None,
        };
        self.is_broken = false;
        match (joint, self.chunks.back_mut()) {
            (Some(_), Some(newest)) if newest.points.len() < self.settings.chunk_points => {
                newest.points.push(point);
                Change::Appended(point)
            }
            _ => self.begin(joint, point),
        }
    }

    fn begin(&mut self, joint: Option<(f64, f64)>, point: (f64, f64)) -> Change {
        let chunk = Chunk {
            id: self.next_id,
            points: joint.into_iter().chain([point]).collect(),
        };
        self.next_id += 1;
        self.chunks.push_back(chunk.clone());
        let mut forgotten = Vec::new();
        // The newest chunk may grow to its full size before anybody looks again.
        let room = self
            .settings
            .max_points
            .saturating_sub(self.settings.chunk_points);
        while self.chunks.len() > 1 && self.len() > room {
            forgotten.extend(self.chunks.pop_front().map(|chunk| chunk.id));
        }
        Change::Began { chunk, forgotten }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtk::geo::LocalFrame;

    fn at(east: f64) -> (f64, f64) {
        LocalFrame::around((31.2, 121.5)).lat_lon_from_east_north((east, 0.0))
    }

    fn small() -> Track {
        Track::new(TrackSettings {
            chunk_points: 4,
            max_points: 12,
            ..TrackSettings::default()
        })
    }

    #[test]
    fn a_standing_vehicle_adds_nothing() {
        let mut track = small();
        track.push(at(0.0));
        for jitter in [0.02, -0.01, 0.14, 0.0] {
            assert_eq!(track.push(at(jitter)), Change::Nothing);
        }
        assert_eq!(track.len(), 1);
    }

    #[test]
    fn a_point_beyond_the_spacing_is_appended() {
        let mut track = small();
        track.push(at(0.0));
        assert_eq!(track.push(at(0.16)), Change::Appended(at(0.16)));
    }

    #[test]
    fn a_full_chunk_is_followed_by_one_that_touches_it() {
        let mut track = small();
        for step in 0..4 {
            track.push(at(f64::from(step)));
        }
        let Change::Began { chunk, forgotten } = track.push(at(4.0)) else {
            panic!("a new chunk begins");
        };
        assert_eq!(chunk.points, [at(3.0), at(4.0)]);
        assert!(forgotten.is_empty());
    }

    #[test]
    fn the_line_is_broken_where_the_fix_was_lost() {
        let mut track = small();
        track.push(at(0.0));
        track.break_line();
        let Change::Began { chunk, .. } = track.push(at(1.0)) else {
            panic!("a new chunk begins");
        };
        assert_eq!(chunk.points, [at(1.0)]);
    }

    #[test]
    fn the_line_is_broken_where_the_vehicle_cannot_have_driven() {
        let mut track = small();
        track.push(at(0.0));
        let Change::Began { chunk, .. } = track.push(at(500.0)) else {
            panic!("a new chunk begins");
        };
        assert_eq!(chunk.points, [at(500.0)]);
    }

    #[test]
    fn the_oldest_chunks_go_and_the_cap_holds() {
        let mut track = small();
        let mut drawn: Vec<u64> = Vec::new();
        for step in 0..200 {
            if let Change::Began { chunk, forgotten } = track.push(at(f64::from(step))) {
                drawn.push(chunk.id);
                drawn.retain(|id| !forgotten.contains(id));
            }
            assert!(track.len() <= 12, "{} points", track.len());
        }
        let kept: Vec<u64> = track.chunks().map(|chunk| chunk.id).collect();
        assert_eq!(
            drawn, kept,
            "a drawing that follows the changes is complete"
        );
        let newest = track
            .chunks()
            .last()
            .and_then(|chunk| chunk.points.last().copied());
        assert_eq!(newest, Some(at(199.0)));
    }

    #[test]
    fn breaking_again_and_again_cannot_outgrow_the_cap() {
        let mut track = small();
        for step in 0..200 {
            track.break_line();
            track.push(at(f64::from(step)));
        }
        assert!(track.len() <= 12);
    }
}
