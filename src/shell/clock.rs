//! The Workers' clock, and how long a lease was on its way. Pure: the readings are parameters.

use crate::units::Moment;

/// More than this between the two clocks' progress is sleep, or a wall clock set forward.
const SLEEP_MS: f64 = 200.0;

/// A monotonic clock that goes on while the machine sleeps.
///
/// `performance.now()` stands still during a suspend in some browsers, so a lease renewed before
/// it would look fresh after it. The wall clock does not stand still: when it gains more than
/// 200 ms between two readings, the gain counts as elapsed time. A wall clock that is set forward
/// looks the same and costs a stop, which is harmless; one that is set back is not followed, and
/// the small steps of a time service never add up, because only neighbouring readings are
/// compared.
#[derive(Debug, Clone)]
pub struct Clock {
    start_ms: f64,
    slept_ms: f64,
    last_monotonic_ms: f64,
    last_wall_ms: f64,
}

impl Clock {
    /// Starts at these readings of `performance.now()` and `Date.now()`.
    #[must_use]
    pub fn new(monotonic_ms: f64, wall_ms: f64) -> Self {
        Self {
            start_ms: monotonic_ms,
            slept_ms: 0.0,
            last_monotonic_ms: monotonic_ms,
            last_wall_ms: wall_ms,
        }
    }

    /// The moment at these readings.
    pub fn read(&mut self, monotonic_ms: f64, wall_ms: f64) -> Moment {
        let gain = (wall_ms - self.last_wall_ms) - (monotonic_ms - self.last_monotonic_ms);
        if gain > SLEEP_MS {
            self.slept_ms += gain;
        }
        self.last_monotonic_ms = monotonic_ms;
        self.last_wall_ms = wall_ms;
        Moment::from_millis(monotonic_ms - self.start_ms + self.slept_ms)
    }
}

/// Beyond this, even the quickest lease ever seen tells that the two clocks differ.
const SAME_CLOCK_MS: f64 = 1_000.0;

/// Measures how long leases were on their way from the page.
///
/// Page and Worker stamp with `performance.timeOrigin + performance.now()`, which by the standard
/// is one clock. Where a browser takes each origin from the wall clock and that was set in
/// between, all leases seem to come from another time: then the quickest one seen is taken as the
/// offset, so that a lease still counts as old when it took longer than the others.
#[derive(Debug, Clone, Default)]
pub struct Transit {
    least_ms: Option<f64>,
}

impl Transit {
    /// The transit time of a lease, milliseconds, never negative.
    pub fn measure(&mut self, posted_ms: f64, arrived_ms: f64) -> f64 {
        let seen = arrived_ms - posted_ms;
        if !seen.is_finite() {
            // A lease that cannot say when it was posted is worth nothing.
            return f64::MAX;
        }
        let least = self.least_ms.map_or(seen, |least| least.min(seen));
        self.least_ms = Some(least);
        let offset = if least.abs() > SAME_CLOCK_MS || least < 0.0 {
            least
        } else {
            0.0
        };
        seen - offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(moment: Moment, millis: f64) -> bool {
        (moment.as_millis() - millis).abs() < 1e-6
    }

    #[test]
    fn the_clock_starts_at_zero_and_follows_the_monotonic_reading() {
        let mut clock = Clock::new(5_000.0, 1e12);
        assert!(is(clock.read(5_000.0, 1e12), 0.0));
        assert!(is(clock.read(5_050.0, 1e12 + 50.0), 50.0));
    }

    #[test]
    fn sleep_that_the_monotonic_clock_did_not_see_counts_as_elapsed() {
        let mut clock = Clock::new(0.0, 0.0);
        clock.read(1_000.0, 1_000.0);
        assert!(is(clock.read(1_050.0, 61_050.0), 61_050.0));
        assert!(is(clock.read(1_100.0, 61_100.0), 61_100.0));
    }

    #[test]
    fn a_wall_clock_set_back_changes_nothing() {
        let mut clock = Clock::new(0.0, 1e12);
        clock.read(100.0, 1e12 - 3_600_000.0);
        assert!(is(clock.read(200.0, 1e12 - 3_599_900.0), 200.0));
    }

    #[test]
    fn small_corrections_of_the_wall_clock_never_add_up() {
        let mut clock = Clock::new(0.0, 0.0);
        for n in 1..1_000 {
            clock.read(f64::from(n) * 50.0, f64::from(n) * 60.0);
        }
        assert!(is(clock.read(50_000.0, 60_000.0), 50_000.0));
    }

    #[test]
    fn the_moment_never_goes_back() {
        let mut clock = Clock::new(0.0, 0.0);
        let mut last = Moment::START;
        for (monotonic, wall) in [(10.0, 9_000.0), (20.0, 0.0), (30.0, 9_000.0), (40.0, 1.0)] {
            let now = clock.read(monotonic, wall);
            assert!(now >= last);
            last = now;
        }
    }

    #[test]
    fn a_lease_that_waited_in_a_queue_shows_its_age() {
        let mut transit = Transit::default();
        transit.measure(1_000.0, 1_001.0);
        assert!((transit.measure(2_000.0, 2_400.0) - 400.0).abs() < 1e-9);
    }

    #[test]
    fn the_first_lease_shows_its_age_too() {
        let mut transit = Transit::default();
        assert!((transit.measure(2_000.0, 2_400.0) - 400.0).abs() < 1e-9);
    }

    #[test]
    fn a_clock_offset_of_an_hour_does_not_hide_a_late_lease() {
        for offset in [3_600_000.0, -3_600_000.0] {
            let mut transit = Transit::default();
            transit.measure(0.0, offset + 1.0);
            let late = transit.measure(1_000.0, offset + 1_401.0);
            assert!((late - 400.0).abs() < 1e-9, "{offset}: {late}");
        }
    }

    #[test]
    fn a_lease_without_a_time_is_worth_nothing() {
        assert!(Transit::default().measure(f64::NAN, 1.0) > 1e9);
    }
}
