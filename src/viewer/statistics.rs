//! How often a topic comes, and how large it is.

use std::time::Duration;

use crate::units::Moment;

/// Rates are those of the last so many stretches.
const STRETCHES: usize = 10;
const STRETCH: Duration = Duration::from_millis(500);

/// Of one subscribed topic, counted here: what the server leaves out is not seen.
#[derive(Debug, Clone)]
pub struct Statistics {
    since: Moment,
    stretches: [(u64, u32, u64); STRETCHES],
    /// Messages since the subscription.
    pub received: u64,
    /// Of these, those that were replaced by a newer one before anybody looked.
    pub dropped: u64,
    /// When the newest came.
    pub heard_at: Option<Moment>,
}

impl Statistics {
    /// Nothing has come.
    #[must_use]
    pub fn new(now: Moment) -> Self {
        Self {
            since: now,
            stretches: [(0, 0, 0); STRETCHES],
            received: 0,
            dropped: 0,
            heard_at: None,
        }
    }

    /// A message of that size came.
    pub fn count(&mut self, bytes: usize, now: Moment) {
        self.received += 1;
        self.heard_at = Some(now);
        let number = stretch(now);
        let place = (number % STRETCHES as u64) as usize;
        if let Some(entry) = self.stretches.get_mut(place) {
            if entry.0 != number {
                *entry = (number, 0, 0);
            }
            entry.1 += 1;
            entry.2 += bytes as u64;
        }
    }

    /// Messages and bytes a second over the last five seconds; none before half a second has
    /// been seen.
    #[must_use]
    pub fn rates(&self, now: Moment) -> Option<(f64, f64)> {
        let present = stretch(now);
        let oldest = present.saturating_sub(STRETCHES as u64 - 1);
        let begin = Moment::START + STRETCH * u32::try_from(oldest).unwrap_or(u32::MAX);
        let span = now.since(begin.max(self.since)).as_secs_f64();
        if span < 0.5 {
            return None;
        }
        let recent = self.stretches.iter().filter(|entry| entry.0 >= oldest);
        let (mut count, mut bytes) = (0.0, 0.0);
        for entry in recent {
            count += f64::from(entry.1);
            bytes += entry.2 as f64;
        }
        Some((count / span, bytes / span))
    }
}

fn stretch(now: Moment) -> u64 {
    (now.since(Moment::START).as_millis() / STRETCH.as_millis()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::millis;

    #[test]
    fn rates_are_those_of_the_last_seconds() {
        let start = Moment::START + millis(10_250);
        let mut statistics = Statistics::new(start);
        assert_eq!(statistics.rates(start + millis(100)), None);
        let mut now = start;
        for turn in 0..2000 {
            now = start + millis(turn * 10);
            statistics.count(500, now);
        }
        let (rate, bytes) = statistics.rates(now).unwrap();
        assert!((95.0..105.0).contains(&rate), "{rate}");
        assert!((47_000.0..53_000.0).contains(&bytes), "{bytes}");
        let (rate, _) = statistics.rates(now + millis(10_000)).unwrap();
        assert!(rate < 0.01, "a topic that fell silent has no rate: {rate}");
        assert_eq!(statistics.received, 2000);
    }
}
