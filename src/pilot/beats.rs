//! Liveness by echo: heartbeats that go out, and what their return says about a path.
//!
//! `bufferedAmount` does not see a stalled Wi-Fi, and a half-open socket looks open for minutes.
//! Only a measured echo says that a path is alive.

use std::collections::VecDeque;
use std::time::Duration;

use crate::units::Moment;

/// How far back round trips are remembered.
const WINDOW: Duration = Duration::from_secs(5);
/// How many unechoed heartbeats are remembered; at 20 Hz this is half a minute.
const MAX_OUTSTANDING: usize = 600;

/// The heartbeats of one path (out on the control socket, back on either).
#[derive(Debug, Clone, Default)]
pub struct Beats {
    outstanding: VecDeque<Beat>,
    newest_echoed: Option<Beat>,
    echoed_at: Option<Moment>,
    round_trips: VecDeque<(Moment, Duration)>,
}

#[derive(Debug, Clone, Copy)]
struct Beat {
    seq: u64,
    sent_at: Moment,
}

impl Beats {
    /// A heartbeat went out.
    pub fn sent(&mut self, seq: u64, now: Moment) {
        if self.outstanding.len() == MAX_OUTSTANDING {
            self.outstanding.pop_front();
        }
        self.outstanding.push_back(Beat { seq, sent_at: now });
    }

    /// One of ours came back. Older ones that have not are taken for lost; one that was lost
    /// already, or is not ours, changes nothing.
    pub fn echoed(&mut self, seq: u64, now: Moment) -> bool {
        let Some(place) = self.outstanding.iter().position(|beat| beat.seq == seq) else {
            return false;
        };
        let Some(beat) = self.outstanding.drain(..=place).next_back() else {
            return false;
        };
        self.round_trips.push_back((now, now.since(beat.sent_at)));
        self.newest_echoed = Some(beat);
        self.echoed_at = Some(now);
        true
    }

    /// The sequence number of the newest echoed heartbeat on this path.
    #[must_use]
    pub fn newest_echoed(&self) -> Option<u64> {
        self.newest_echoed.map(|beat| beat.seq)
    }

    /// How long ago the newest echoed heartbeat was sent: the age of what is known.
    #[must_use]
    pub fn age(&self, now: Moment) -> Option<Duration> {
        self.newest_echoed.map(|beat| now.since(beat.sent_at))
    }

    /// The strict test, for driving: the newest echoed heartbeat was sent at most `timeout` ago.
    #[must_use]
    pub fn is_fresh(&self, timeout: Duration, now: Moment) -> bool {
        self.age(now).is_some_and(|age| age <= timeout)
    }

    /// An echo, however old, came in that time.
    #[must_use]
    pub fn was_echoed_within(&self, time: Duration, now: Moment) -> bool {
        self.echoed_at.is_some_and(|at| now.since(at) <= time)
    }

    /// The test while nothing moves and heartbeats go out seldom: an echo has come, and no
    /// heartbeat has been waiting for its echo longer than `timeout`, the one that came last included:
    /// on a late link the next in line has not waited long yet when it comes.
    #[must_use]
    pub fn is_answering(&self, timeout: Duration, now: Moment) -> bool {
        let newest = self.newest_echoed.zip(self.echoed_at);
        newest.is_some_and(|(beat, at)| at.since(beat.sent_at) <= timeout)
            && self
                .outstanding
                .front()
                .is_none_or(|beat| now.since(beat.sent_at) <= timeout)
    }

    /// Median and worst round trip of the last 5 s; one still under way counts for the worst as
    /// soon as it is the longest.
    #[must_use]
    pub fn round_trip(&self, now: Moment) -> Option<(Duration, Duration)> {
        let mut recent: Vec<Duration> = self
            .round_trips
            .iter()
            .filter(|(at, _)| now.since(*at) <= WINDOW)
            .map(|(_, round_trip)| *round_trip)
            .collect();
        recent.sort_unstable();
        let median = *recent.get(recent.len() / 2)?;
        let under_way = self
            .outstanding
            .front()
            .map_or(Duration::ZERO, |b| now.since(b.sent_at));
        Some((
            median,
            recent.last().copied().unwrap_or_default().max(under_way),
        ))
    }

    /// Forgets all round trips, not what was echoed.
    pub fn forget_round_trips(&mut self) {
        self.round_trips.clear();
    }

    /// Forgets old round trips.
    pub fn tick(&mut self, now: Moment) {
        while self
            .round_trips
            .front()
            .is_some_and(|(at, _)| now.since(*at) > WINDOW)
        {
            self.round_trips.pop_front();
        }
    }

    /// A new socket: nothing is known of it.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::millis;

    const START: Moment = Moment::START;

    #[test]
    fn fresh_is_measured_from_when_the_echoed_heartbeat_was_sent() {
        let mut beats = Beats::default();
        beats.sent(1, START);
        assert!(
            !beats.is_fresh(millis(300), START),
            "an echo has to come first"
        );
        beats.echoed(1, START + millis(200));
        assert!(beats.is_fresh(millis(300), START + millis(300)));
        assert!(!beats.is_fresh(millis(300), START + millis(301)));
    }

    #[test]
    fn seldom_heartbeats_do_not_look_like_a_stall() {
        let mut beats = Beats::default();
        beats.sent(1, START);
        beats.echoed(1, START + millis(150));
        beats.sent(2, START + millis(200));
        assert!(beats.is_answering(millis(300), START + millis(349)));
        assert!(beats.is_answering(millis(300), START + millis(500)));
        assert!(!beats.is_answering(millis(300), START + millis(501)));
    }

    #[test]
    fn an_echo_that_is_not_ours_says_nothing() {
        let mut beats = Beats::default();
        beats.sent(5, START);
        assert!(!beats.echoed(4, START));
        assert_eq!(beats.newest_echoed(), None);
    }

    #[test]
    fn an_older_echo_after_a_newer_one_does_not_make_it_look_older() {
        let mut beats = Beats::default();
        beats.sent(1, START);
        beats.sent(2, START + millis(50));
        beats.echoed(2, START + millis(60));
        assert!(!beats.echoed(1, START + millis(70)));
        assert_eq!(beats.newest_echoed(), Some(2));
    }

    #[test]
    fn median_and_worst_are_of_the_last_five_seconds_and_count_what_is_under_way() {
        let mut beats = Beats::default();
        for (seq, round_trip) in [(1, 400), (2, 10), (3, 20), (4, 30)] {
            let sent_at = START + millis(seq * 1_000);
            beats.sent(seq, sent_at);
            beats.echoed(seq, sent_at + millis(round_trip));
        }
        assert_eq!(
            beats.round_trip(START + millis(4_100)),
            Some((millis(30), millis(400)))
        );
        assert_eq!(
            beats.round_trip(START + millis(6_500)),
            Some((millis(20), millis(30)))
        );
        beats.sent(5, START + millis(6_500));
        assert_eq!(
            beats.round_trip(START + millis(6_600)),
            Some((millis(20), millis(100)))
        );
    }
}
