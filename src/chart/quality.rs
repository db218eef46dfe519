//! What became of the solution: an event for every change, and the last ten minutes as a strip.

use std::collections::VecDeque;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::units::Moment;

/// How far back the strip goes.
pub const STRIP_SPAN: Duration = Duration::from_secs(600);
/// The time that one cell of the strip stands for.
pub const STRIP_CELL: Duration = Duration::from_secs(5);

/// Which solution changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Solution {
    /// `p_quality`.
    Position,
    /// `h_quality`.
    Heading,
}

/// A change of solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QualityEvent {
    /// When the first message of the new quality was received.
    pub at: Moment,
    /// Position or heading.
    pub solution: Solution,
    /// `None`: absent, or the fix was lost.
    pub from: Option<i64>,
    /// `None`: absent, or the fix was lost.
    pub to: Option<i64>,
}

/// Follows the qualities.
#[derive(Debug, Clone, Default)]
pub struct QualityWatch {
    now: Option<(Option<i64>, Option<i64>)>,
    cells: VecDeque<(u128, Option<i64>)>,
}

impl QualityWatch {
    /// A message came, or the position became stale (both `None`). The very first message is a
    /// change from nothing only where it has a quality.
    pub fn see(
        &mut self,
        position: Option<i64>,
        heading: Option<i64>,
        at: Moment,
    ) -> Vec<QualityEvent> {
        let (old_position, old_heading) = self.now.unwrap_or_default();
        self.now = Some((position, heading));
        self.note(position, at);
        [
            (Solution::Position, old_position, position),
            (Solution::Heading, old_heading, heading),
        ]
        .into_iter()
        .filter(|(_, from, to)| from != to)
        .map(|(solution, from, to)| QualityEvent {
            at,
            solution,
            from,
            to,
        })
        .collect()
    }

    /// The last ten minutes, oldest first: the worst position quality of each five seconds.
    /// The outer `None` is a cell in which no message came; the inner one a message without a
    /// quality.
    #[must_use]
    pub fn strip(&self, now: Moment) -> Vec<Option<Option<i64>>> {
        let newest = cell_of(now);
        let count = STRIP_SPAN.as_millis() / STRIP_CELL.as_millis();
        (0..count)
            .rev()
            .map(|back| {
                let cell = newest.checked_sub(back)?;
                let found = self.cells.iter().find(|(at, _)| *at == cell);
                found.map(|(_, quality)| *quality)
            })
            .collect()
    }

    fn note(&mut self, quality: Option<i64>, at: Moment) {
        let cell = cell_of(at);
        match self.cells.back_mut() {
            Some((newest, worst)) if *newest == cell => {
                if rank(quality) < rank(*worst) {
                    *worst = quality;
                }
            }
            _ => self.cells.push_back((cell, quality)),
        }
        let count = STRIP_SPAN.as_millis() / STRIP_CELL.as_millis();
        while self
            .cells
            .front()
            .is_some_and(|(oldest, _)| oldest + count <= cell)
        {
            self.cells.pop_front();
        }
    }
}

/// Higher is better: fixed, float, differential and satellite-based, single, estimated; what
/// cannot be used is worst.
#[must_use]
pub fn rank(quality: Option<i64>) -> u8 {
    match quality {
        Some(4) => 5,
        Some(5) => 4,
        Some(2 | 9) => 3,
        Some(1) => 2,
        Some(6) => 1,
        _ => 0,
    }
}

fn cell_of(at: Moment) -> u128 {
    at.since(Moment::START).as_millis() / STRIP_CELL.as_millis()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::millis;

    fn at(ms: u64) -> Moment {
        Moment::START + millis(ms)
    }

    #[test]
    fn every_change_of_solution_is_an_event_and_only_a_change() {
        let mut watch = QualityWatch::default();
        assert_eq!(watch.see(Some(4), Some(4), at(0)).len(), 2);
        assert!(watch.see(Some(4), Some(4), at(100)).is_empty());
        let events = watch.see(Some(5), Some(4), at(200));
        assert_eq!(
            events,
            [QualityEvent {
                at: at(200),
                solution: Solution::Position,
                from: Some(4),
                to: Some(5)
            }]
        );
        assert_eq!(
            watch.see(None, None, at(1500)).len(),
            2,
            "a loss is one too"
        );
    }

    #[test]
    fn the_strip_shows_the_worst_of_each_cell_and_gaps_as_gaps() {
        let mut watch = QualityWatch::default();
        for (ms, quality) in [(0, 4), (1000, 5), (2000, 4), (11_000, 4)] {
            watch.see(Some(quality), None, at(ms));
        }
        let strip = watch.strip(at(12_000));
        assert_eq!(strip.len(), 120);
        assert_eq!(
            strip[117..],
            [Some(Some(5)), None, Some(Some(4))],
            "a short float is not hidden by the fixes around it"
        );
        assert!(watch.strip(at(700_000)).iter().all(Option::is_none));
    }
}
