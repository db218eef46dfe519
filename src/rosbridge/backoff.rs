//! How long to wait before the next attempt to connect.

use std::time::Duration;

/// Doubles from 250 ms to 4 s, each wait shortened at random by up to half, so that several
/// consoles do not knock at a restarted vehicle in step.
#[derive(Debug, Clone)]
pub struct Backoff {
    failures: u32,
    random: fastrand::Rng,
}

const FIRST: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(4);

impl Backoff {
    /// With a seed that differs between consoles.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            failures: 0,
            random: fastrand::Rng::with_seed(seed),
        }
    }

    /// The wait after one more failure.
    pub fn next_wait(&mut self) -> Duration {
        let full = FIRST.saturating_mul(1 << self.failures.min(8)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        full.mul_f64(1.0 - 0.5 * self.random.f64())
    }

    /// After a success.
    pub fn reset(&mut self) {
        self.failures = 0;
    }

    /// Failures since the last success.
    #[must_use]
    pub fn failures(&self) -> u32 {
        self.failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_ceiling_and_never_fall_under_half() {
        let mut backoff = Backoff::new(3);
        for expected in [250, 500, 1000, 2000, 4000, 4000, 4000] {
            let wait = backoff.next_wait().as_millis();
            assert!(
                wait <= expected && wait >= expected / 2,
                "{wait} of {expected}"
            );
        }
        backoff.reset();
        assert!(backoff.next_wait() <= FIRST);
    }

    #[test]
    fn two_consoles_do_not_knock_in_step() {
        assert_ne!(Backoff::new(1).next_wait(), Backoff::new(2).next_wait());
    }
}
