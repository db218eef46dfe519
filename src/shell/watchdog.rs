//! When a Worker counts as dead, and how soon the next one is started.
//!
//! Pure: every moment is a parameter, in milliseconds of the page's `performance.now()`.

/// How long silence may last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patience {
    /// Until the first sign of life: the program must be instantiated, on a slow tablet too.
    pub start_ms: f64,
    /// Between two signs of life.
    pub silence_ms: f64,
}

impl Patience {
    /// For the control Worker: no motion may go on under a dead pilot.
    pub const CONTROL: Self = Self {
        start_ms: 10_000.0,
        silence_ms: 300.0,
    };

    /// For the Workers that cannot move the vehicle. Telemetry is apart from control exactly so
    /// that it may be busy with a 10 MB frame for a while; the pilot judges the age of what it
    /// reports anyway.
    pub const OTHERS: Self = Self {
        start_ms: 10_000.0,
        silence_ms: 2_000.0,
    };
}

/// What is known of a Worker's life.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// It lives, or has still time.
    Fine,
    /// It never gave a sign of life.
    NeverStarted {
        /// How long was waited.
        after_ms: f64,
    },
    /// It lived and fell silent.
    Silent {
        /// For how long.
        for_ms: f64,
    },
}

/// A page timer that comes later than this after the one before was held up itself.
const LATE_TICK_MS: f64 = 150.0;

/// Watches one Worker.
#[derive(Debug, Clone)]
pub struct Watchdog {
    patience: Patience,
    /// Start of the wait for the next sign of life.
    since_ms: f64,
    last_tick_ms: f64,
    has_lived: bool,
}

impl Watchdog {
    /// Begins with the Worker's start.
    #[must_use]
    pub fn new(patience: Patience, now_ms: f64) -> Self {
        Self {
            patience,
            since_ms: now_ms,
            last_tick_ms: now_ms,
            has_lived: false,
        }
    }

    /// The Worker gave a sign of life (a snapshot).
    pub fn heard(&mut self, now_ms: f64) {
        self.has_lived = true;
        self.since_ms = now_ms;
    }

    /// Judges; called every 50 ms or so.
    ///
    /// When the call itself comes late, the page was held up, and what the Worker said meanwhile
    /// may still wait in the page's own queue: the wait begins anew.
    pub fn tick(&mut self, now_ms: f64) -> Verdict {
        let since_tick = now_ms - self.last_tick_ms;
        self.last_tick_ms = now_ms;
        if since_tick > LATE_TICK_MS {
            self.since_ms = if self.has_lived {
                now_ms
            } else {
                self.since_ms + since_tick
            };
            return Verdict::Fine;
        }
        let silent_ms = now_ms - self.since_ms;
        if self.has_lived && silent_ms > self.patience.silence_ms {
            Verdict::Silent { for_ms: silent_ms }
        } else if !self.has_lived && silent_ms > self.patience.start_ms {
            Verdict::NeverStarted {
                after_ms: silent_ms,
            }
        } else {
            Verdict::Fine
        }
    }
}

/// How soon a Worker that died is started again: at once the first time, then ever later, so
/// that a program which cannot run does not eat the tablet.
#[derive(Debug, Clone, Default)]
pub struct Restarts {
    failures: u32,
    started_ms: f64,
}

/// A Worker that lived this long had no part in the next one's trouble.
const HEALTHY_MS: f64 = 10_000.0;
const LONGEST_WAIT_MS: f64 = 10_000.0;

impl Restarts {
    /// A Worker was started.
    pub fn started(&mut self, now_ms: f64) {
        self.started_ms = now_ms;
    }

    /// It died: how long to wait before the next, in milliseconds.
    pub fn wait_after_death(&mut self, now_ms: f64) -> f64 {
        if now_ms - self.started_ms > HEALTHY_MS {
            self.failures = 0;
        }
        self.failures += 1;
        match self.failures {
            1 => 0.0,
            n => (250.0 * 2.0_f64.powi((n - 2).min(16) as i32)).min(LONGEST_WAIT_MS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ticks every 50 ms from `from` to `to`; the first verdict that is not fine, with its time.
    fn run(dog: &mut Watchdog, from: u32, to: u32) -> Option<(u32, Verdict)> {
        (from..=to)
            .step_by(50)
            .map(|now| (now, dog.tick(f64::from(now))))
            .find(|(_, verdict)| *verdict != Verdict::Fine)
    }

    #[test]
    fn a_control_worker_silent_for_300_ms_is_dead() {
        let mut dog = Watchdog::new(Patience::CONTROL, 0.0);
        assert_eq!(run(&mut dog, 50, 1000), None);
        dog.heard(1000.0);
        assert_eq!(run(&mut dog, 1050, 1300), None);
        assert!(matches!(dog.tick(1350.0), Verdict::Silent { .. }));
    }

    #[test]
    fn a_worker_that_goes_on_speaking_is_never_dead() {
        let mut dog = Watchdog::new(Patience::CONTROL, 0.0);
        for now in (50..60_000).step_by(50) {
            if now % 250 == 0 {
                dog.heard(f64::from(now));
            }
            assert_eq!(dog.tick(f64::from(now)), Verdict::Fine, "at {now} ms");
        }
    }

    #[test]
    fn a_new_worker_has_ten_seconds_to_start() {
        let mut dog = Watchdog::new(Patience::CONTROL, 0.0);
        assert_eq!(run(&mut dog, 50, 10_000), None);
        assert!(matches!(dog.tick(10_050.0), Verdict::NeverStarted { .. }));
    }

    #[test]
    fn the_pages_own_hang_is_not_the_workers_silence() {
        let mut dog = Watchdog::new(Patience::CONTROL, 0.0);
        dog.heard(50.0);
        assert_eq!(run(&mut dog, 50, 200), None);
        // The page hangs for 2 s; its timer comes before the messages that waited.
        assert_eq!(dog.tick(2200.0), Verdict::Fine);
        assert_eq!(run(&mut dog, 2250, 2500), None);
        // Really silent for 300 ms after the page resumed.
        assert!(matches!(dog.tick(2550.0), Verdict::Silent { .. }));
    }

    #[test]
    fn the_pages_own_hang_does_not_use_up_the_time_to_start() {
        let mut dog = Watchdog::new(Patience::CONTROL, 0.0);
        assert_eq!(dog.tick(30_000.0), Verdict::Fine);
        assert_eq!(run(&mut dog, 30_050, 40_000), None);
        assert!(matches!(dog.tick(40_050.0), Verdict::NeverStarted { .. }));
    }

    #[test]
    fn a_hidden_page_whose_timers_are_slowed_to_a_second_judges_nobody() {
        let mut dog = Watchdog::new(Patience::CONTROL, 0.0);
        dog.heard(10.0);
        for second in 1..100 {
            assert_eq!(dog.tick(f64::from(second) * 1000.0), Verdict::Fine);
        }
    }

    #[test]
    fn a_telemetry_worker_may_be_busy_for_a_second() {
        let mut dog = Watchdog::new(Patience::OTHERS, 0.0);
        dog.heard(0.0);
        assert_eq!(run(&mut dog, 50, 2000), None);
        assert!(matches!(dog.tick(2050.0), Verdict::Silent { .. }));
    }

    #[test]
    fn the_first_replacement_comes_at_once_and_further_ones_ever_later() {
        let mut restarts = Restarts::default();
        let waits: Vec<f64> = (0..9)
            .map(|n| restarts.wait_after_death(f64::from(n) * 10.0))
            .collect();
        assert_eq!(
            waits,
            [
                0.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0, 10_000.0, 10_000.0
            ]
        );
    }

    #[test]
    fn a_worker_that_lived_long_is_replaced_at_once_again() {
        let mut restarts = Restarts::default();
        restarts.started(0.0);
        restarts.wait_after_death(100.0);
        restarts.wait_after_death(200.0);
        restarts.started(1_000.0);
        assert!(restarts.wait_after_death(60_000.0).abs() < f64::EPSILON);
    }
}
