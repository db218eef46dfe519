//! One client's subscription of one topic: how often, and through how long a queue.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use super::json::Json;
use crate::units::Moment;

/// What a client asked for under one id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// At least so long between two frames.
    pub throttle: Duration,
    /// How many samples wait when throttled; 0 drops instead.
    pub queue_length: usize,
}

/// How the samples of a subscription are packed. Of several ids' wishes the last one here wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Packing {
    /// JSON; also for words that the server does not know.
    #[default]
    Plain,
    /// JSON in a picture.
    Png,
    /// CBOR.
    Cbor,
    /// CDR in CBOR.
    CborRaw,
}

impl Packing {
    /// By the word in the request.
    #[must_use]
    pub fn named(word: &str) -> Self {
        match word {
            "png" => Self::Png,
            "cbor" => Self::Cbor,
            "cbor-raw" => Self::CborRaw,
            _ => Self::Plain,
        }
    }
}

/// A subscription. Several ids of one client share it and get the least of each number.
#[derive(Debug, Clone, Default)]
pub struct Subscription {
    ids: BTreeMap<Option<String>, (Pace, Packing)>,
    last_sent: Option<Moment>,
    waiting: VecDeque<Json>,
    is_next_doubled: bool,
}

impl Subscription {
    /// Adds an id, or changes what it asked for.
    pub fn add(&mut self, id: Option<String>, pace: Pace, packing: Packing) {
        self.ids.insert(id, (pace, packing));
        self.trim();
    }

    /// Removes an id, or all of them when none is given; an unknown one changes nothing.
    pub fn remove(&mut self, id: Option<&String>) {
        match id {
            None => self.ids.clear(),
            Some(id) => {
                self.ids.remove(&Some(id.clone()));
            }
        }
    }

    /// True when no id is left.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.ids.is_empty()
    }

    /// How its samples are packed.
    #[must_use]
    pub fn packing(&self) -> Packing {
        let packings = self.ids.values().map(|(_, packing)| *packing);
        packings.max().unwrap_or_default()
    }

    /// A second id of the same client makes the server deliver the next sample twice.
    pub fn double_next(&mut self) {
        self.is_next_doubled = true;
    }

    /// Takes a sample and gives those that go out now.
    pub fn offer(&mut self, sample: &Json, now: Moment) -> Vec<Json> {
        let copies = if std::mem::take(&mut self.is_next_doubled) {
            2
        } else {
            1
        };
        let mut out = Vec::new();
        for _ in 0..copies {
            self.offer_once(sample, now, &mut out);
        }
        out
    }

    /// The samples whose time has come.
    pub fn due(&mut self, now: Moment) -> Vec<Json> {
        let mut out = Vec::new();
        while !self.waiting.is_empty() && self.is_free(now) {
            if let Some(sample) = self.waiting.pop_front() {
                self.last_sent = Some(now);
                out.push(sample);
            }
        }
        out
    }

    /// When [`Self::due`] has something next.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<Moment> {
        let last_sent = self.last_sent?;
        (!self.waiting.is_empty()).then(|| last_sent + self.pace().throttle)
    }

    fn offer_once(&mut self, sample: &Json, now: Moment, out: &mut Vec<Json>) {
        if self.pace().queue_length == 0 {
            self.waiting.clear();
            if self.is_free(now) {
                self.last_sent = Some(now);
                out.push(sample.clone());
            }
        } else {
            self.waiting.push_back(sample.clone());
            self.trim();
            out.append(&mut self.due(now));
        }
    }

    fn is_free(&self, now: Moment) -> bool {
        self.last_sent
            .is_none_or(|last| now >= last + self.pace().throttle)
    }

    fn pace(&self) -> Pace {
        Pace {
            throttle: self
                .ids
                .values()
                .map(|(p, _)| p.throttle)
                .min()
                .unwrap_or_default(),
            queue_length: self
                .ids
                .values()
                .map(|(p, _)| p.queue_length)
                .min()
                .unwrap_or_default(),
        }
    }

    /// A full queue loses its oldest.
    fn trim(&mut self) {
        let length = self.pace().queue_length.max(1);
        while self.waiting.len() > length {
            self.waiting.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::millis;

    /// Ten samples a second, numbered; gives (when in ms, number) of what went out in 2 s.
    fn deliveries(pace: Pace) -> Vec<(u64, i128)> {
        let mut subscription = Subscription::default();
        subscription.add(None, pace, Packing::Plain);
        let mut out = Vec::new();
        for tick in 0..200_u64 {
            let now = Moment::START + millis(tick * 10);
            let mut samples = subscription.due(now);
            if tick % 10 == 0 {
                samples.append(&mut subscription.offer(&Json::Int((tick / 10).into()), now));
            }
            out.extend(
                samples
                    .iter()
                    .filter_map(Json::as_int)
                    .map(|n| (tick * 10, n)),
            );
        }
        out
    }

    fn pace(throttle: u64, queue_length: usize) -> Pace {
        Pace {
            throttle: millis(throttle),
            queue_length,
        }
    }

    #[test]
    fn without_throttle_every_sample_goes_out_at_once() {
        for queue_length in [0, 1, 10] {
            let out = deliveries(pace(0, queue_length));
            assert_eq!(out.len(), 20);
            assert!(
                out.iter()
                    .all(|(at, number)| i128::from(*at / 100) == *number)
            );
        }
    }

    #[test]
    fn a_throttle_without_a_queue_drops_what_comes_too_early() {
        assert_eq!(
            deliveries(pace(450, 0)),
            [(0, 0), (500, 5), (1000, 10), (1500, 15)]
        );
    }

    #[test]
    fn a_queue_of_one_gives_the_newest_when_the_throttle_allows() {
        assert_eq!(
            deliveries(pace(450, 1)),
            [(0, 0), (450, 4), (900, 8), (1350, 13), (1800, 17)]
        );
    }

    #[test]
    fn a_longer_queue_gives_its_oldest_and_so_what_is_shown_is_late() {
        let numbers: Vec<_> = deliveries(pace(450, 3)).iter().map(|(_, n)| *n).collect();
        assert_eq!(numbers, [0, 2, 6, 11, 15]);
    }

    #[test]
    fn several_ids_share_the_least_throttle() {
        let mut subscription = Subscription::default();
        subscription.add(Some("slow".into()), pace(1000, 0), Packing::Plain);
        subscription.add(Some("fast".into()), pace(200, 0), Packing::Plain);
        assert_eq!(subscription.offer(&Json::Int(1), Moment::START).len(), 1);
        let later = Moment::START + millis(200);
        assert_eq!(subscription.offer(&Json::Int(2), later).len(), 1);
        subscription.remove(Some(&"fast".into()));
        assert_eq!(
            subscription.offer(&Json::Int(3), later + millis(200)).len(),
            0
        );
    }
}
