//! Which tile is asked for when: a source that does not answer costs a few requests, never the
//! connections that everything else of the page needs.
//!
//! - At most [`AT_ONCE`] requests run; a browser has six connections to a server.
//! - One that has run for [`PATIENCE_MS`] is given up.
//! - After [`FAILURES_TO_REST`] failures in a row the source rests: nothing is asked for
//!   [`REST_MS`], then one tile. When that one comes, all that failed are asked for again.
//! - A single tile that failed is asked for again after the same time.
//! - What was wanted last comes first: it is what is looked at.
//!
//! Time is a parameter, in milliseconds of any clock that does not go back.

/// Requests at the same time.
pub const AT_ONCE: usize = 3;
/// How long a request may take.
pub const PATIENCE_MS: f64 = 6_000.0;
/// So many failures in a row make the source rest.
pub const FAILURES_TO_REST: u32 = 3;
/// How long it rests.
pub const REST_MS: f64 = 20_000.0;

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The server answered, be it that there is no such tile.
    Answered,
    /// It did not, or said that it is broken.
    Failed,
}

/// The tiles of one source that somebody waits for.
#[derive(Debug, Clone)]
pub struct Queue<K> {
    waiting: Vec<K>,
    running: Vec<(K, f64)>,
    /// The longest ago first, and when.
    failed: Vec<(K, f64)>,
    /// Of the waiting ones.
    refused: Vec<K>,
    failures: u32,
    rests_until: Option<f64>,
}

impl<K> Default for Queue<K> {
    fn default() -> Self {
        Self {
            waiting: Vec::new(),
            running: Vec::new(),
            failed: Vec::new(),
            refused: Vec::new(),
            failures: 0,
            rests_until: None,
        }
    }
}

impl<K: Clone + PartialEq> Queue<K> {
    /// Somebody waits for a tile.
    pub fn want(&mut self, tile: K) {
        if !self.knows(&tile) {
            self.waiting.push(tile);
        }
    }

    /// It would be good to have it, when nobody waits for another one.
    pub fn want_at_last(&mut self, tile: K) {
        if !self.knows(&tile) {
            self.waiting.insert(0, tile);
        }
    }

    /// Nobody waits for it any more. True: it runs, and should be given up.
    pub fn drop_tile(&mut self, tile: &K) -> bool {
        self.waiting.retain(|it| it != tile);
        self.refused.retain(|it| it != tile);
        self.failed.retain(|(it, _)| it != tile);
        let before = self.running.len();
        self.running.retain(|(it, _)| it != tile);
        before != self.running.len()
    }

    /// The next tile to ask for now.
    pub fn start_next(&mut self, now: f64) -> Option<K> {
        let at_once = match self.rests_until {
            Some(until) if now < until => 0,
            // One that tries.
            Some(_) => 1,
            None => AT_ONCE,
        };
        if self.running.len() >= at_once {
            return None;
        }
        let next = self.waiting.pop().or_else(|| {
            let (_, at) = self.failed.first()?;
            let is_due = self.rests_until.is_some() || now - at >= REST_MS;
            is_due.then(|| self.failed.remove(0).0)
        })?;
        self.refused.retain(|it| *it != next);
        self.running.push((next.clone(), now));
        Some(next)
    }

    /// A request ended.
    pub fn ended(&mut self, tile: &K, outcome: Outcome, now: f64) {
        let before = self.running.len();
        self.running.retain(|(it, _)| it != tile);
        // What nobody waits for any more was given up by us and tells nothing of the server.
        if before == self.running.len() {
            return;
        }
        match outcome {
            Outcome::Answered => {
                self.failures = 0;
                if self.rests_until.take().is_some() {
                    let failed = self.failed.drain(..).map(|(tile, _)| tile);
                    self.waiting.splice(0..0, failed);
                }
            }
            Outcome::Failed => {
                self.failed.push((tile.clone(), now));
                self.failures = self.failures.saturating_add(1);
                if self.failures >= FAILURES_TO_REST {
                    self.rests_until = Some(now + REST_MS);
                }
            }
        }
    }

    /// A tile that waits and cannot be asked for now; true the first time since it was wanted, so
    /// that it is said once. It goes on waiting.
    pub fn note_refused(&mut self, tile: &K) -> bool {
        let is_new = self.waiting.contains(tile) && !self.refused.contains(tile);
        if is_new {
            self.refused.push(tile.clone());
        }
        is_new
    }

    /// Those that have run too long; they are to be given up, and reported as failed.
    #[must_use]
    pub fn overdue(&self, now: f64) -> Vec<K> {
        self.running
            .iter()
            .filter(|(_, since)| now - since >= PATIENCE_MS)
            .map(|(tile, _)| tile.clone())
            .collect()
    }

    /// Does the source rest because it does not answer?
    #[must_use]
    pub fn is_resting(&self) -> bool {
        self.rests_until.is_some()
    }

    /// Tiles that wait, run or failed.
    #[must_use]
    pub fn count(&self) -> usize {
        self.waiting.len() + self.running.len() + self.failed.len()
    }

    fn knows(&self, tile: &K) -> bool {
        self.waiting.contains(tile)
            || self.failed.iter().any(|(it, _)| it == tile)
            || self.running.iter().any(|(it, _)| it == tile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanting(tiles: std::ops::Range<u32>) -> Queue<u32> {
        let mut queue = Queue::default();
        for tile in tiles {
            queue.want(tile);
        }
        queue
    }

    fn start_all(queue: &mut Queue<u32>, now: f64) -> Vec<u32> {
        std::iter::from_fn(|| queue.start_next(now)).collect()
    }

    #[test]
    fn only_so_many_run_at_once_and_the_newest_first() {
        let mut queue = wanting(0..10);
        assert_eq!(start_all(&mut queue, 0.0), [9, 8, 7]);
        queue.ended(&8, Outcome::Answered, 5.0);
        queue.want_at_last(50);
        assert_eq!(start_all(&mut queue, 6.0), [6]);
        queue.want(11);
        for tile in [9, 7, 6] {
            queue.ended(&tile, Outcome::Answered, 7.0);
        }
        assert_eq!(start_all(&mut queue, 8.0), [11, 5, 4]);
    }

    #[test]
    fn a_tile_is_asked_for_once_however_often_it_is_wanted() {
        let mut queue = wanting(0..1);
        queue.want(0);
        assert_eq!(start_all(&mut queue, 0.0), [0]);
        queue.want(0);
        queue.want_at_last(0);
        assert_eq!(start_all(&mut queue, 0.0), [0; 0]);
    }

    #[test]
    fn a_server_that_hangs_gets_three_requests_and_then_one_each_rest() {
        let mut queue = wanting(0..40);
        let mut now = 0.0;
        let mut asked = Vec::new();
        while now < 120_000.0 {
            for tile in start_all(&mut queue, now) {
                asked.push((now, tile));
            }
            for tile in queue.overdue(now) {
                queue.ended(&tile, Outcome::Failed, now);
            }
            now += 100.0;
        }
        let times: Vec<f64> = asked.iter().map(|(at, _)| *at).collect();
        assert_eq!(times[..3], [0.0; 3]);
        // Each try takes 6 s, each rest 20 s.
        assert!(times.len() <= 3 + 5, "{times:?}");
        assert!(
            times[3..]
                .windows(2)
                .all(|pair| pair[1] - pair[0] >= REST_MS),
            "{times:?}"
        );
        assert!(queue.is_resting());
        assert_eq!(queue.count(), 40, "nothing is forgotten");
    }

    #[test]
    fn when_the_server_is_back_everything_that_failed_is_asked_for_again() {
        let mut queue = wanting(0..5);
        for tile in start_all(&mut queue, 0.0) {
            queue.ended(&tile, Outcome::Failed, 10.0);
        }
        assert!(queue.is_resting());
        assert_eq!(start_all(&mut queue, 10.0 + REST_MS - 1.0), [0; 0]);
        let tried = start_all(&mut queue, 10.0 + REST_MS);
        assert_eq!(tried.len(), 1);
        queue.ended(&tried[0], Outcome::Answered, 31_000.0);
        assert!(!queue.is_resting());
        let mut came = tried;
        while came.len() < 5 {
            let next = start_all(&mut queue, 31_000.0);
            assert!(!next.is_empty() && next.len() <= AT_ONCE);
            for tile in &next {
                queue.ended(tile, Outcome::Answered, 31_000.0);
            }
            came.extend(next);
        }
        came.sort_unstable();
        assert_eq!(came, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn one_tile_that_fails_among_others_makes_no_source_rest() {
        let mut queue = wanting(0..9);
        for _ in 0..3 {
            let running = start_all(&mut queue, 0.0);
            queue.ended(&running[0], Outcome::Failed, 1.0);
            queue.ended(&running[1], Outcome::Answered, 1.0);
            queue.ended(&running[2], Outcome::Failed, 1.0);
        }
        assert!(!queue.is_resting());
        assert_eq!(start_all(&mut queue, REST_MS), [0; 0]);
        assert_eq!(start_all(&mut queue, REST_MS + 1.0), [8, 6, 5]);
    }

    #[test]
    fn what_cannot_be_asked_for_is_said_once_and_goes_on_waiting() {
        let mut queue = wanting(0..2);
        assert!(queue.note_refused(&1) && !queue.note_refused(&1));
        assert!(!queue.note_refused(&7), "nobody wants it");
        assert_eq!(start_all(&mut queue, 0.0), [1, 0]);
        queue.drop_tile(&1);
        queue.want(1);
        assert!(queue.note_refused(&1));
    }

    #[test]
    fn what_left_the_screen_is_not_asked_for() {
        let mut queue = wanting(0..3);
        assert_eq!(queue.start_next(0.0), Some(2));
        assert!(!queue.drop_tile(&1));
        assert!(queue.drop_tile(&2), "it runs");
        queue.ended(&2, Outcome::Failed, 1.0);
        assert_eq!(start_all(&mut queue, 1.0), [0]);
        assert_eq!(queue.count(), 1);
    }
}
