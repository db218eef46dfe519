//! One number over the last minute, in bounded memory.

use std::collections::VecDeque;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::units::Moment;

/// How far back a series reaches.
pub const SPAN: Duration = Duration::from_secs(60);
/// One point each; a screen has hardly more columns.
const BUCKET_MS: u64 = 100;

/// The values of one stretch of time: a spike between two drawn points still shows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Milliseconds before the moment of the snapshot, to the end of the stretch.
    pub age_ms: f64,
    /// The least value.
    pub min: f64,
    /// The greatest value.
    pub max: f64,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    number: u64,
    min: f64,
    max: f64,
}

/// The number.
#[derive(Debug, Clone, Default)]
pub struct Series {
    buckets: VecDeque<Bucket>,
    last: Option<f64>,
}

impl Series {
    /// Takes a value. What is no finite number leaves a gap.
    pub fn push(&mut self, value: Option<f64>, now: Moment) {
        let value = value.filter(|value| value.is_finite());
        self.last = value;
        let Some(value) = value else {
            return;
        };
        let number = bucket(now);
        match self.buckets.back_mut() {
            Some(newest) if newest.number >= number => {
                newest.min = newest.min.min(value);
                newest.max = newest.max.max(value);
            }
            _ => self.buckets.push_back(Bucket {
                number,
                min: value,
                max: value,
            }),
        }
        let span = SPAN.as_millis() as u64 / BUCKET_MS;
        let is_old = |bucket: &Bucket| bucket.number + span <= number;
        while self.buckets.front().is_some_and(is_old) {
            self.buckets.pop_front();
        }
    }

    /// The newest value; none after a gap.
    #[must_use]
    pub fn last(&self) -> Option<f64> {
        self.last
    }

    /// The points of the last minute, oldest first.
    #[must_use]
    pub fn points(&self, now: Moment) -> Vec<Point> {
        let point = |bucket: &Bucket| Point {
            age_ms: (now.as_millis() - ((bucket.number + 1) * BUCKET_MS) as f64).max(0.0),
            min: bucket.min,
            max: bucket.max,
        };
        let points = self.buckets.iter().map(point);
        points
            .filter(|point| point.age_ms <= SPAN.as_secs_f64() * 1000.0)
            .collect()
    }
}

fn bucket(now: Moment) -> u64 {
    now.since(Moment::START).as_millis() as u64 / BUCKET_MS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::millis;

    #[test]
    fn a_minute_at_1_khz_is_600_points_and_no_spike_is_lost() {
        let mut series = Series::default();
        let mut now = Moment::START;
        for turn in 0..100_000_u32 {
            now = Moment::START + millis(turn.into());
            let value = if turn == 99_777 {
                50.0
            } else {
                f64::from(turn % 7)
            };
            series.push(Some(value), now);
            assert!(series.buckets.len() <= 600);
        }
        let points = series.points(now);
        assert_eq!(points.len(), 600);
        assert!(points.iter().any(|point| point.max >= 50.0));
        assert!(points[0].age_ms > 59_000.0 && points[599].age_ms < 100.0);
        assert!(
            points
                .windows(2)
                .all(|pair| pair[0].age_ms > pair[1].age_ms)
        );
    }

    #[test]
    fn what_is_no_number_is_a_gap_and_old_points_go() {
        let mut series = Series::default();
        series.push(Some(1.0), Moment::START);
        series.push(Some(f64::NAN), Moment::START + millis(200));
        assert_eq!(series.last(), None);
        assert_eq!(series.points(Moment::START + millis(300)).len(), 1);
        assert_eq!(series.points(Moment::START + SPAN + millis(300)), []);
    }
}
