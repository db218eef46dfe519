//! Which tiles are kept on this device: bounded, the oldest go first.
//!
//! Sans-IO: a shell keeps the bytes under [`key`], tells the ledger, and deletes what it is told to.

use std::collections::{BTreeMap, BTreeSet};

/// Tiles that are kept at most.
pub const MOST_TILES: usize = 12_000;
/// Bytes that are kept at most.
pub const MOST_BYTES: u64 = 150_000_000;
/// A kept tile that is older is asked for again, after it is drawn.
pub const FRESH_MS: u64 = 3_600_000;

/// Under what a tile of a source is kept; the source is its address as the profile has it.
#[must_use]
pub fn key(source: &str, (z, x, y): (u8, u32, u32)) -> String {
    [
        &z.to_string(),
        "/",
        &x.to_string(),
        "/",
        &y.to_string(),
        " ",
        source,
    ]
    .concat()
}

/// What is kept, without its bytes.
#[derive(Debug, Clone)]
pub struct Ledger {
    most_tiles: usize,
    most_bytes: u64,
    kept: BTreeMap<String, Kept>,
    /// When each was fetched, the oldest first.
    order: BTreeSet<(u64, String)>,
    bytes: u64,
}

#[derive(Debug, Clone, Copy)]
struct Kept {
    at_ms: u64,
    bytes: u64,
}

impl Default for Ledger {
    fn default() -> Self {
        Self::new(MOST_TILES, MOST_BYTES)
    }
}

impl Ledger {
    /// An empty one with its limits.
    #[must_use]
    pub fn new(most_tiles: usize, most_bytes: u64) -> Self {
        Self {
            most_tiles,
            most_bytes,
            kept: BTreeMap::new(),
            order: BTreeSet::new(),
            bytes: 0,
        }
    }

    /// A tile was fetched at that time (Unix ms) and is to be kept. `None`: it is too large to be;
    /// else the keys that must go for it.
    pub fn take(&mut self, key: &str, bytes: u64, at_ms: u64) -> Option<Vec<String>> {
        if bytes > self.most_bytes / 8 {
            return None;
        }
        self.forget(key);
        self.kept.insert(key.to_owned(), Kept { at_ms, bytes });
        self.order.insert((at_ms, key.to_owned()));
        self.bytes += bytes;
        Some(self.drop_down_to(self.most_tiles, self.most_bytes))
    }

    /// When the tile was fetched, if it is kept.
    #[must_use]
    pub fn fetched_at(&self, key: &str) -> Option<u64> {
        self.kept.get(key).map(|kept| kept.at_ms)
    }

    /// Is it kept, and young enough not to be asked for again? A clock that was set back makes
    /// nothing fresh for ever.
    #[must_use]
    pub fn is_fresh(&self, key: &str, now_ms: u64) -> bool {
        self.fetched_at(key)
            .is_some_and(|at| now_ms.checked_sub(at).is_some_and(|age| age < FRESH_MS))
    }

    /// It is not kept any more.
    pub fn forget(&mut self, key: &str) {
        if let Some(kept) = self.kept.remove(key) {
            self.order.remove(&(kept.at_ms, key.to_owned()));
            self.bytes -= kept.bytes;
        }
    }

    /// The device has no more room: a quarter must go, the oldest first.
    pub fn shrink(&mut self) -> Vec<String> {
        self.drop_down_to(self.kept.len() * 3 / 4, self.bytes)
    }

    /// Tiles and bytes that are kept.
    #[must_use]
    pub fn size(&self) -> (usize, u64) {
        (self.kept.len(), self.bytes)
    }

    fn drop_down_to(&mut self, tiles: usize, bytes: u64) -> Vec<String> {
        let mut dropped = Vec::new();
        while self.kept.len() > tiles || self.bytes > bytes {
            let Some((_, key)) = self.order.first().cloned() else {
                break;
            };
            self.forget(&key);
            dropped.push(key);
        }
        dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_is_kept_by_source_and_place() {
        assert_eq!(
            key("t/{z}/{x}/{y}.png", (3, 5, 2)),
            "3/5/2 t/{z}/{x}/{y}.png"
        );
        assert_ne!(key("a", (1, 11, 1)), key("a", (1, 1, 11)));
        assert_ne!(key("a", (1, 1, 1)), key("b", (1, 1, 1)));
    }

    #[test]
    fn the_oldest_go_first_by_number_and_by_bytes() {
        let mut ledger = Ledger::new(3, 800);
        for (name, at) in [("b", 2), ("a", 1), ("c", 3)] {
            assert_eq!(ledger.take(name, 10, at), Some(Vec::new()));
        }
        assert_eq!(ledger.take("d", 10, 4), Some(vec!["a".to_owned()]));
        assert_eq!(ledger.size(), (3, 30));
        // Fetched again, it is the youngest.
        assert_eq!(ledger.take("b", 20, 5), Some(Vec::new()));
        assert_eq!(ledger.take("e", 100, 6), Some(vec!["c".to_owned()]));
        assert_eq!(ledger.fetched_at("b"), Some(5));
        assert_eq!(ledger.size(), (3, 130));
        let mut narrow = Ledger::new(99, 800);
        for at in 0..10 {
            narrow.take(&at.to_string(), 100, at);
        }
        assert_eq!(narrow.size(), (8, 800));
        assert_eq!(narrow.fetched_at("1"), None);
        assert_eq!(narrow.fetched_at("2"), Some(2));
    }

    #[test]
    fn one_tile_never_drives_all_others_out() {
        let mut ledger = Ledger::new(99, 800);
        ledger.take("small", 10, 1);
        assert_eq!(ledger.take("huge", 101, 2), None);
        assert_eq!(ledger.size(), (1, 10));
    }

    #[test]
    fn a_full_device_costs_the_oldest_quarter() {
        let mut ledger = Ledger::default();
        for at in 0..8 {
            ledger.take(&at.to_string(), 5, at);
        }
        assert_eq!(ledger.shrink(), ["0", "1"]);
        assert_eq!(ledger.size(), (6, 30));
        let mut one = Ledger::default();
        one.take("only", 5, 1);
        assert_eq!(one.shrink(), ["only"]);
        assert_eq!(one.shrink(), [""; 0]);
    }

    #[test]
    fn what_is_old_or_of_the_future_is_asked_for_again() {
        let mut ledger = Ledger::default();
        ledger.take("tile", 5, 10_000);
        assert!(ledger.is_fresh("tile", 10_000 + FRESH_MS - 1));
        assert!(!ledger.is_fresh("tile", 10_000 + FRESH_MS));
        assert!(!ledger.is_fresh("tile", 9_999));
        assert!(!ledger.is_fresh("other", 10_000));
    }

    #[cfg(not(target_arch = "wasm32"))]
    proptest::proptest! {
        #[test]
        fn it_never_keeps_more_than_its_limits_and_counts_right(
            acts in proptest::collection::vec((0..40_u8, 0..200_u64, 0..50_u64), 0..300),
        ) {
            let mut ledger = Ledger::new(20, 1000);
            let mut kept = std::collections::BTreeMap::new();
            for (name, bytes, at) in acts {
                let name = name.to_string();
                if let Some(dropped) = ledger.take(&name, bytes, at) {
                    kept.insert(name, bytes);
                    for gone in dropped {
                        kept.remove(&gone);
                    }
                }
                let sum: u64 = kept.values().sum();
                proptest::prop_assert_eq!(ledger.size(), (kept.len(), sum));
                proptest::prop_assert!(kept.len() <= 20 && sum <= 1000);
            }
        }
    }
}
