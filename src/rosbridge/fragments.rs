//! Frames that a server cuts into pieces, joined again.
//!
//! The ROS 2 server gives all messages without an id the fragment id 0 and a `total` that is a
//! float; both are stood. Pieces may come in any order. What stays incomplete is given up, what
//! is too large is refused, and in neither case is more kept than [`LARGEST_JOINED`] bytes.
//!
//! ```
//! use broomstick::rosbridge::fragments::{Fragment, Fragments};
//! use broomstick::units::Moment;
//!
//! let piece = |num, data: &str| Fragment { id: "0".into(), num, total: 2, data: data.into() };
//! let mut fragments = Fragments::default();
//! let now = Moment::START;
//! assert_eq!(fragments.push(piece(1, "lo"), now), Ok(None));
//! assert_eq!(fragments.push(piece(0, "hel"), now), Ok(Some("hello".into())));
//! ```

use std::time::Duration;

use thiserror::Error;

use super::frame::topic_hint;
use crate::units::Moment;

/// More bytes than this are not joined, nor kept while waiting.
pub const LARGEST_JOINED: usize = super::frame::LARGEST_FRAME;

/// A frame of which nothing came for this long is given up.
pub const GIVE_UP_AFTER: Duration = Duration::from_secs(10);

/// More frames at once than a sane server cuts: the oldest is given up.
const MOST_AT_ONCE: usize = 8;
/// 10 MB in pieces of 50 bytes.
const MOST_PIECES: usize = 200_000;

/// One piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// Names the frame; 0 for all messages without an id.
    pub id: String,
    /// The piece's place, from 0.
    pub num: usize,
    /// How many there are.
    pub total: usize,
    /// A part of the frame's text.
    pub data: String,
}

/// Why a frame in pieces is lost.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FragmentError {
    /// Some did not come, or a new frame began under the same id.
    #[error("fragments of {about} given up: {got} of {total} came")]
    Missing {
        /// The topic if its beginning came, else the id.
        about: String,
        /// Pieces that came.
        got: usize,
        /// Pieces that were announced.
        total: usize,
    },
    /// Together they are too large.
    #[error("fragments of {about} refused: {bytes} bytes and more in {total} pieces")]
    TooLarge {
        /// The topic if its beginning came, else the id.
        about: String,
        /// What had come.
        bytes: usize,
        /// Pieces that were announced.
        total: usize,
    },
    /// A piece that has no place.
    #[error("fragment {num} of {total}")]
    NoPlace {
        /// Its number.
        num: usize,
        /// How many there should be.
        total: usize,
    },
}

/// The frames that are not complete.
#[derive(Debug, Clone, Default)]
pub struct Fragments {
    /// The oldest first.
    open: Vec<Partial>,
    /// A loss that came together with a whole frame; [`Self::expire`] says it.
    unsaid: Option<FragmentError>,
}

#[derive(Debug, Clone)]
struct Partial {
    id: String,
    total: usize,
    /// In the order of their numbers.
    pieces: Vec<(usize, String)>,
    bytes: usize,
    /// What follows is only waited for, so that it is not taken for something new.
    is_refused: bool,
    heard_at: Moment,
}

impl Fragments {
    /// Takes a piece; gives the frame that it completes.
    ///
    /// # Errors
    /// The loss of this frame, or of the one that it pushes out: said once.
    pub fn push(&mut self, piece: Fragment, now: Moment) -> Result<Option<String>, FragmentError> {
        let Fragment {
            id,
            num,
            total,
            data,
        } = piece;
        if num >= total || total > MOST_PIECES {
            return Err(FragmentError::NoPlace { num, total });
        }
        let known = self.open.iter().position(|partial| partial.id == id);
        let mut lost = None;
        let mut partial = match known.map(|place| self.open.remove(place)) {
            Some(partial) if partial.total == total && partial.place_of(num).is_err() => partial,
            other => {
                // The same piece again: another frame under the same id.
                lost = other.and_then(Partial::lost);
                Partial::new(id, total)
            }
        };
        partial.heard_at = now;
        partial.bytes += data.len();
        let waiting: usize = self.open.iter().map(|other| other.bytes).sum();
        if !partial.is_refused && partial.bytes + waiting > LARGEST_JOINED {
            lost = lost.or(Some(FragmentError::TooLarge {
                about: partial.about(),
                bytes: partial.bytes,
                total,
            }));
            partial.is_refused = true;
            for (_, data) in &mut partial.pieces {
                *data = String::new();
            }
        }
        let data = if partial.is_refused {
            partial.bytes = 0;
            String::new()
        } else {
            data
        };
        if let Err(place) = partial.place_of(num) {
            partial.pieces.insert(place, (num, data));
        }
        let joined = if partial.pieces.len() < total {
            self.open.push(partial);
            if self.open.len() > MOST_AT_ONCE {
                lost = lost.or(self.open.remove(0).lost());
            }
            None
        } else if partial.is_refused {
            None
        } else {
            Some(partial.pieces.into_iter().map(|(_, data)| data).collect())
        };
        match (lost, joined) {
            (Some(lost), None) => Err(lost),
            (lost, joined) => {
                self.unsaid = self.unsaid.take().or(lost);
                Ok(joined)
            }
        }
    }

    /// Gives up what has been waited for long enough.
    pub fn expire(&mut self, now: Moment) -> Vec<FragmentError> {
        let is_over = |partial: &Partial| now >= partial.heard_at + GIVE_UP_AFTER;
        let (over, waiting) = self.open.drain(..).partition(is_over);
        self.open = waiting;
        let over: Vec<Partial> = over;
        let unsaid = self.unsaid.take();
        let over = over.into_iter().filter_map(Partial::lost);
        unsaid.into_iter().chain(over).collect()
    }

    /// When [`Self::expire`] has something to do.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<Moment> {
        let waiting = self.open.iter().map(|partial| partial.heard_at);
        waiting.min().map(|heard_at| heard_at + GIVE_UP_AFTER)
    }

    /// Forgets everything: the connection is gone.
    pub fn clear(&mut self) {
        self.open.clear();
        self.unsaid = None;
    }

    /// Bytes that wait for more.
    #[must_use]
    pub fn waiting_bytes(&self) -> usize {
        self.open.iter().map(|partial| partial.bytes).sum()
    }
}

impl Partial {
    fn new(id: String, total: usize) -> Self {
        Self {
            id,
            total,
            pieces: Vec::new(),
            bytes: 0,
            is_refused: false,
            heard_at: Moment::START,
        }
    }

    /// Where that piece is, or where it belongs.
    fn place_of(&self, num: usize) -> Result<usize, usize> {
        self.pieces.binary_search_by_key(&num, |(known, _)| *known)
    }

    fn about(&self) -> String {
        let start = self.pieces.first().filter(|(num, _)| *num == 0);
        let topic = start.and_then(|(_, start)| topic_hint(start));
        topic.map_or_else(|| ["id ", &self.id].concat(), str::to_owned)
    }

    /// What to say of it; nothing when its refusal was said.
    fn lost(self) -> Option<FragmentError> {
        (!self.is_refused).then(|| FragmentError::Missing {
            about: self.about(),
            got: self.pieces.len(),
            total: self.total,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::millis;
    use proptest::prelude::*;

    const NOW: Moment = Moment::START;

    fn piece(id: &str, num: usize, total: usize, data: &str) -> Fragment {
        Fragment {
            id: id.into(),
            num,
            total,
            data: data.into(),
        }
    }

    #[test]
    fn what_does_not_come_is_given_up_and_named_by_its_topic() {
        let mut fragments = Fragments::default();
        let start = r#"{"op": "publish", "topic": "/scan", "msg""#;
        assert_eq!(fragments.push(piece("0", 0, 3, start), NOW), Ok(None));
        assert_eq!(fragments.next_wakeup(), Some(NOW + GIVE_UP_AFTER));
        assert_eq!(fragments.expire(NOW + GIVE_UP_AFTER - millis(1)), []);
        let lost = fragments.expire(NOW + GIVE_UP_AFTER);
        let words: Vec<_> = lost.iter().map(ToString::to_string).collect();
        assert_eq!(words, ["fragments of /scan given up: 1 of 3 came"]);
        assert_eq!(fragments.next_wakeup(), None);
    }

    #[test]
    fn the_next_frame_under_the_same_id_is_not_mixed_with_a_lost_one() {
        let mut fragments = Fragments::default();
        fragments.push(piece("0", 0, 2, "old"), NOW).unwrap();
        let lost = fragments.push(piece("0", 0, 2, "ne"), NOW);
        assert!(matches!(lost, Err(FragmentError::Missing { got: 1, .. })));
        assert_eq!(
            fragments.push(piece("0", 1, 2, "w"), NOW),
            Ok(Some("new".into()))
        );
    }

    #[test]
    fn a_whole_frame_that_pushes_out_a_lost_one_hides_no_loss() {
        let mut fragments = Fragments::default();
        fragments.push(piece("0", 0, 2, "old"), NOW).unwrap();
        let joined = fragments.push(piece("0", 0, 1, "new"), NOW);
        assert_eq!(joined, Ok(Some("new".into())));
        assert_eq!(fragments.expire(NOW).len(), 1);
    }

    #[test]
    fn an_over_large_frame_is_refused_once_and_not_kept() {
        let mut fragments = Fragments::default();
        let half = "x".repeat(LARGEST_JOINED / 2 + 1);
        assert_eq!(fragments.push(piece("7", 0, 4, &half), NOW), Ok(None));
        let refused = fragments.push(piece("7", 1, 4, &half), NOW).unwrap_err();
        assert!(refused.to_string().contains("16777218 bytes"), "{refused}");
        assert_eq!(fragments.waiting_bytes(), 0);
        for num in 2..4 {
            assert_eq!(fragments.push(piece("7", num, 4, &half), NOW), Ok(None));
        }
        // The refused one is over; its id is free again.
        assert_eq!(
            fragments.push(piece("7", 0, 1, "ok"), NOW),
            Ok(Some("ok".into()))
        );
    }

    #[test]
    fn a_server_that_begins_ever_new_frames_fills_no_memory() {
        let mut fragments = Fragments::default();
        let data = "x".repeat(1 << 20);
        let mut lost = 0;
        for number in 0..200 {
            let id = number.to_string();
            lost += usize::from(fragments.push(piece(&id, 0, 2, &data), NOW).is_err());
            assert!(fragments.waiting_bytes() <= LARGEST_JOINED);
        }
        assert_eq!(lost, 200 - MOST_AT_ONCE);
    }

    #[test]
    fn a_piece_without_a_place_is_refused() {
        let mut fragments = Fragments::default();
        for (num, total) in [(0, 0), (3, 3), (1, usize::MAX)] {
            let pushed = fragments.push(piece("0", num, total, ""), NOW);
            assert_eq!(pushed, Err(FragmentError::NoPlace { num, total }));
        }
    }

    proptest! {
        #[test]
        fn any_order_gives_the_frame(text in ".{1,80}", size in 1_usize..20, seed in any::<u64>()) {
            let chars: Vec<char> = text.chars().collect();
            let parts: Vec<String> = chars.chunks(size).map(|c| c.iter().collect()).collect();
            let mut order: Vec<usize> = (0..parts.len()).collect();
            fastrand::Rng::with_seed(seed).shuffle(&mut order);
            let mut fragments = Fragments::default();
            let mut joined = None;
            for num in order {
                prop_assert_eq!(joined, None);
                joined = fragments.push(piece("0", num, parts.len(), &parts[num]), NOW).unwrap();
            }
            prop_assert_eq!(joined, Some(text));
        }

        #[test]
        fn no_pieces_are_too_odd(
            pieces in proptest::collection::vec((0_u8..3, 0_usize..5, 0_usize..5, 0_usize..400), 0..60)
        ) {
            let mut fragments = Fragments::default();
            for (id, num, total, wait) in pieces {
                let now = NOW + millis(wait as u64 * 100);
                let id = id.to_string();
                let _ignored = fragments.push(piece(&id, num, total, "ä"), now);
                let _ignored = fragments.expire(now);
            }
        }
    }
}
