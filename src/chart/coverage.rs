//! The swept area: which squares of the ground the deck has passed over.
//!
//! It counts only what is known to be swept: the brush is published on, the fix is live with
//! quality 4 and the heading good. The deck is a line across the vehicle; between two fixes it
//! sweeps the quadrilateral of its ends. A square counts when its middle is inside one. The
//! squares are bits in tiles of [`SIDE`]² that exist only where something was swept; metres are
//! those of a [`LocalFrame`], so a yard of a kilometre around its origin is right to a decimetre.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::rtk::geo::LocalFrame;

/// Squares along the side of a tile.
pub const SIDE: i32 = 64;
/// Seconds between two fixes beyond which nothing is taken as swept between them.
pub const MAX_GAP_MS: u64 = 1000;
/// Metres between two fixes beyond which nothing is taken as swept between them.
pub const MAX_STEP: f64 = 3.0;

/// Where the deck is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deck {
    /// Metres across.
    pub width: f64,
    /// Metres ahead of the vehicle's reference point.
    pub forward: f64,
    /// Metres left of the vehicle's reference point (a side brush).
    pub left: f64,
}

/// A fix with what the brush does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sweep {
    /// When it was received.
    pub time_ms: u64,
    /// `(lat, lon)` of the vehicle's reference point.
    pub position: (f64, f64),
    /// Degrees clockwise from north; `None` unless good.
    pub heading: Option<f64>,
    /// Position quality of a live fix; `None` when it is not live.
    pub quality: Option<u8>,
    /// The brush is published on.
    pub is_brush_on: bool,
}

/// Squares for drawing, and for keeping.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tile {
    /// Column and row of the tile, east and north of the origin.
    pub at: (i32, i32),
    /// [`SIDE`] rows of bits, lowest bit west, first row south. Kept as runs of equal rows: most of
    /// a yard is swept wholly, and a day of it must be soon kept.
    #[serde(with = "runs")]
    pub rows: Vec<u64>,
}

mod runs {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::SIDE;

    pub(super) fn serialize<S: Serializer>(rows: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
        let runs: Vec<(usize, u64)> = rows
            .chunk_by(PartialEq::eq)
            .map(|run| (run.len(), run[0]))
            .collect();
        runs.serialize(serializer)
    }

    /// Rows that are too many are none, and lacking ones are empty.
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u64>, D::Error> {
        let runs = Vec::<(usize, u64)>::deserialize(from)?;
        let rows = runs
            .into_iter()
            .flat_map(|(length, bits)| std::iter::repeat_n(bits, length.min(SIDE as usize)))
            .chain(std::iter::repeat(0));
        Ok(rows.take(SIDE as usize).collect())
    }
}

impl Tile {
    /// Its squares as the `d` of an SVG path: a square is 1 wide, x is east and y is south of the
    /// origin.
    #[must_use]
    pub fn path(&self) -> String {
        use std::fmt::Write;

        let mut path = String::new();
        let left = self.at.0 * SIDE;
        let mut top = -(self.at.1 + 1) * SIDE;
        // Rows that look the same are one; the last one is the northernmost.
        for rows in self.rows.chunk_by(PartialEq::eq).rev() {
            let height = rows.len();
            let mut rest = rows[0];
            let mut x = left;
            while rest != 0 {
                let gap = rest.trailing_zeros();
                x += gap as i32;
                rest >>= gap;
                let length = rest.trailing_ones();
                // A text takes everything.
                write!(path, "M{x} {top}h{length}v{height}h-{length}z").ok();
                x += length as i32;
                rest = rest.checked_shr(length).unwrap_or(0);
            }
            top += height as i32;
        }
        path
    }
}

/// The swept squares.
#[derive(Debug, Clone)]
pub struct Coverage {
    origin: (f64, f64),
    changed: BTreeSet<(i32, i32)>,
    frame: LocalFrame,
    cell: f64,
    deck: Deck,
    tiles: HashMap<(i32, i32), Box<[u64; SIDE as usize]>>,
    swept: u64,
    last: Option<(u64, [(f64, f64); 2])>,
}

impl Coverage {
    /// Nothing swept yet, in squares of `cell` metres (kept within 2 cm to 1 m).
    #[must_use]
    pub fn new(origin: (f64, f64), cell: f64, deck: Deck) -> Self {
        Self {
            origin,
            changed: BTreeSet::new(),
            frame: LocalFrame::around(origin),
            cell: cell.clamp(0.02, 1.0),
            deck,
            tiles: HashMap::new(),
            swept: 0,
            last: None,
        }
    }

    /// A fix came; the number of squares that are newly swept.
    pub fn see(&mut self, sweep: &Sweep) -> u64 {
        let (true, Some(4), Some(heading)) = (sweep.is_brush_on, sweep.quality, sweep.heading)
        else {
            self.last = None;
            return 0;
        };
        let ends = self.deck_ends(sweep.position, heading);
        let before = self.swept;
        if let Some((time_ms, old)) = self.last {
            let is_near = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).hypot(a.1 - b.1) <= MAX_STEP;
            let gap = sweep.time_ms.saturating_sub(time_ms);
            if gap <= MAX_GAP_MS && is_near(old[0], ends[0]) && is_near(old[1], ends[1]) {
                // Two triangles: right also where the deck turns around one of its ends.
                self.fill(&[old[0], old[1], ends[1]]);
                self.fill(&[old[0], ends[1], ends[0]]);
            }
        }
        self.last = Some((sweep.time_ms, ends));
        self.swept - before
    }

    /// `(lat, lon)` around which the squares are counted.
    #[must_use]
    pub fn origin(&self) -> (f64, f64) {
        self.origin
    }

    /// Metres along the side of a square.
    #[must_use]
    pub fn cell(&self) -> f64 {
        self.cell
    }

    /// The tiles that changed since this was asked last.
    pub fn take_changed(&mut self) -> Vec<Tile> {
        let changed = std::mem::take(&mut self.changed);
        let tile = |at| {
            let rows = self.tiles.get(&at)?;
            Some(Tile {
                at,
                rows: rows.to_vec(),
            })
        };
        changed.into_iter().filter_map(tile).collect()
    }

    /// Squares that were swept before, of the same origin and cell; they are not told as changed.
    pub fn put(&mut self, tile: &Tile) {
        let kept = self
            .tiles
            .entry(tile.at)
            .or_insert_with(|| Box::new([0; SIDE as usize]));
        for (row, bits) in kept.iter_mut().zip(&tile.rows) {
            self.swept += u64::from((bits & !*row).count_ones());
            *row |= bits;
        }
    }

    /// Square metres swept, each counted once.
    #[must_use]
    pub fn area(&self) -> f64 {
        self.swept as f64 * self.cell * self.cell
    }

    /// Percent of a zone (a ring of `(lat, lon)`) that is swept: swept squares of all squares
    /// whose middle is inside. `None` for a zone without a square, or one so large (over 10⁸
    /// squares) that nobody can have meant it.
    #[must_use]
    pub fn percent_of(&self, zone: &[(f64, f64)]) -> Option<f64> {
        let ring: Vec<(f64, f64)> = zone
            .iter()
            .map(|&corner| self.frame.east_north_from_lat_lon(corner))
            .collect();
        let (mut all, mut swept) = (0_u64, 0_u64);
        let (low, high) = self.rows_of(&ring)?;
        let width = ring.iter().map(|p| p.0).fold(f64::MIN, f64::max)
            - ring.iter().map(|p| p.0).fold(f64::MAX, f64::min);
        if f64::from(high - low) * width / self.cell > 1e8 {
            return None;
        }
        for row in low..=high {
            for (from, to) in self.spans(&ring, row) {
                all += u64::from((to - from).unsigned_abs());
                swept += self.swept_between(from, to, row);
            }
        }
        (all > 0).then(|| swept as f64 / all as f64 * 100.0)
    }

    /// Is the square at `(lat, lon)` swept?
    #[must_use]
    pub fn is_swept_at(&self, point: (f64, f64)) -> bool {
        let (east, north) = self.frame.east_north_from_lat_lon(point);
        self.is_swept(
            (east / self.cell).floor() as i32,
            (north / self.cell).floor() as i32,
        )
    }

    /// Swept squares of the columns `from..to` of a row, a tile's row at a time.
    fn swept_between(&self, from: i32, to: i32, row: i32) -> u64 {
        let (tile_row, inner) = (row.div_euclid(SIDE), row.rem_euclid(SIDE) as usize);
        (from.div_euclid(SIDE)..=(to - 1).div_euclid(SIDE))
            .filter(|_| to > from)
            .filter_map(|tile| {
                let bits = *self.tiles.get(&(tile, tile_row))?.get(inner)?;
                let low = (from - tile * SIDE).clamp(0, SIDE) as u32;
                let high = (to - tile * SIDE).clamp(0, SIDE) as u32;
                let below = |count: u32| 1_u64.checked_shl(count).map_or(u64::MAX, |bit| bit - 1);
                Some(u64::from((bits & below(high) & !below(low)).count_ones()))
            })
            .sum()
    }

    fn deck_ends(&self, position: (f64, f64), heading: f64) -> [(f64, f64); 2] {
        let (east, north) = self.frame.east_north_from_lat_lon(position);
        let (sine, cosine) = heading.to_radians().sin_cos();
        [0.5, -0.5].map(|side| {
            let left = self.deck.left + side * self.deck.width;
            (
                east + self.deck.forward * sine - left * cosine,
                north + self.deck.forward * cosine + left * sine,
            )
        })
    }

    fn fill(&mut self, ring: &[(f64, f64)]) {
        let Some((low, high)) = self.rows_of(ring) else {
            return;
        };
        for row in low..=high {
            for (from, to) in self.spans(ring, row) {
                for column in from..to {
                    self.set(column, row);
                }
            }
        }
    }

    fn rows_of(&self, ring: &[(f64, f64)]) -> Option<(i32, i32)> {
        if ring.len() < 3 || ring.iter().any(|p| !(p.0.is_finite() && p.1.is_finite())) {
            return None;
        }
        let low = ring.iter().map(|p| p.1).fold(f64::MAX, f64::min);
        let high = ring.iter().map(|p| p.1).fold(f64::MIN, f64::max);
        Some((
            (low / self.cell).floor() as i32,
            (high / self.cell).floor() as i32,
        ))
    }

    /// Columns `from..to` whose middles are inside the ring on the middle line of a row.
    fn spans(&self, ring: &[(f64, f64)], row: i32) -> Vec<(i32, i32)> {
        let y = (f64::from(row) + 0.5) * self.cell;
        let mut crossings: Vec<f64> = (0..ring.len())
            .filter_map(|index| {
                let (a, b) = (ring[index], ring[(index + 1) % ring.len()]);
                ((a.1 <= y) != (b.1 <= y)).then(|| a.0 + (y - a.1) / (b.1 - a.1) * (b.0 - a.0))
            })
            .collect();
        crossings.sort_by(f64::total_cmp);
        let column = |east: f64| (east / self.cell - 0.5).ceil() as i32;
        crossings
            .chunks_exact(2)
            .map(|pair| (column(pair[0]), column(pair[1])))
            .collect()
    }

    fn set(&mut self, column: i32, row: i32) {
        let at = (column.div_euclid(SIDE), row.div_euclid(SIDE));
        let tile = self
            .tiles
            .entry(at)
            .or_insert_with(|| Box::new([0; SIDE as usize]));
        let bit = 1_u64 << column.rem_euclid(SIDE);
        if let Some(bits) = tile.get_mut(row.rem_euclid(SIDE) as usize)
            && *bits & bit == 0
        {
            self.swept += 1;
            *bits |= bit;
            self.changed.insert(at);
        }
    }

    fn is_swept(&self, column: i32, row: i32) -> bool {
        self.tiles
            .get(&(column.div_euclid(SIDE), row.div_euclid(SIDE)))
            .and_then(|tile| tile.get(row.rem_euclid(SIDE) as usize))
            .is_some_and(|bits| bits >> column.rem_euclid(SIDE) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGIN: (f64, f64) = (31.2, 121.5);
    const DECK: Deck = Deck {
        width: 0.8,
        forward: 0.3,
        left: 0.0,
    };

    fn lane(coverage: &mut Coverage, east: f64, edit: impl Fn(&mut Sweep)) {
        let frame = LocalFrame::around(ORIGIN);
        for step in 0..=200_u32 {
            let mut sweep = Sweep {
                time_ms: u64::from(step) * 100,
                position: frame.lat_lon_from_east_north((east, f64::from(step) * 0.05)),
                heading: Some(0.0),
                quality: Some(4),
                is_brush_on: true,
            };
            edit(&mut sweep);
            coverage.see(&sweep);
        }
        coverage.last = None;
    }

    #[test]
    fn a_lane_is_its_length_times_the_deck_and_counts_once() {
        let mut coverage = Coverage::new(ORIGIN, 0.05, DECK);
        lane(&mut coverage, 0.0, |_| ());
        assert!((coverage.area() - 8.0).abs() < 0.15, "{}", coverage.area());
        let once = coverage.area();
        lane(&mut coverage, 0.0, |_| ());
        assert!((coverage.area() - once).abs() < 1e-9);
        lane(&mut coverage, 0.4, |_| ());
        assert!(
            (coverage.area() - 12.0).abs() < 0.25,
            "the overlap counts once"
        );
    }

    fn tile(rows: &[(usize, u64)]) -> Tile {
        let rows: Vec<u64> = rows
            .iter()
            .flat_map(|&(count, bits)| std::iter::repeat_n(bits, count))
            .collect();
        assert_eq!(rows.len(), SIDE as usize);
        Tile { at: (-3, 7), rows }
    }

    #[test]
    fn a_tile_is_kept_as_it_is_and_a_whole_one_in_few_bytes() {
        for (rows, most) in [
            (vec![(64, u64::MAX)], 15),
            (vec![(10, 0), (53, 0b1011), (1, u64::MAX)], 20),
        ] {
            let tile = tile(&rows);
            let kept = postcard::to_allocvec(&tile).unwrap();
            assert!(kept.len() <= most, "{} bytes", kept.len());
            assert_eq!(postcard::from_bytes::<Tile>(&kept).unwrap(), tile);
        }
    }

    #[test]
    fn a_kept_tile_of_another_size_gets_this_one() {
        for runs in [vec![(3_usize, 5_u64)], vec![(usize::MAX, 5), (9, 9)]] {
            let kept = postcard::to_allocvec(&((0, 0), runs)).unwrap();
            let tile: Tile = postcard::from_bytes(&kept).unwrap();
            assert_eq!(tile.rows.len(), SIDE as usize);
            assert_eq!(tile.rows[..3], [5, 5, 5]);
        }
    }

    #[test]
    fn a_tile_is_drawn_as_its_squares_north_up() {
        assert_eq!(tile(&[(64, 0)]).path(), "");
        assert_eq!(tile(&[(64, u64::MAX)]).path(), "M-192 -512h64v64h-64z");
        // Two rows in the south, and the westernmost square of the northernmost one.
        assert_eq!(
            tile(&[(2, 0b1101), (61, 0), (1, 1)]).path(),
            "M-192 -512h1v1h-1zM-192 -450h1v2h-1zM-190 -450h2v2h-2z"
        );
        assert_eq!(tile(&[(63, 0), (1, 1 << 63)]).path(), "M-129 -512h1v1h-1z");
    }

    #[test]
    fn only_what_is_known_to_be_swept_counts() {
        for edit in [
            (|s| s.is_brush_on = false) as fn(&mut Sweep),
            |s| s.quality = Some(5),
            |s| s.quality = None,
            |s| s.heading = None,
            |s| s.time_ms *= 20,
        ] {
            let mut coverage = Coverage::new(ORIGIN, 0.05, DECK);
            lane(&mut coverage, 0.0, edit);
            assert!(coverage.area() < 1e-9);
        }
    }

    #[test]
    fn a_zone_half_swept_is_fifty_percent() {
        let frame = LocalFrame::around(ORIGIN);
        let mut coverage = Coverage::new(ORIGIN, 0.05, DECK);
        lane(&mut coverage, 0.0, |_| ());
        let zone = [(-0.4, 2.0), (1.2, 2.0), (1.2, 8.0), (-0.4, 8.0)]
            .map(|corner| frame.lat_lon_from_east_north(corner));
        let percent = coverage.percent_of(&zone).unwrap();
        assert!((percent - 50.0).abs() < 2.0, "{percent}");
        assert!(coverage.is_swept_at(frame.lat_lon_from_east_north((0.0, 5.0))));
        assert!(!coverage.is_swept_at(frame.lat_lon_from_east_north((0.6, 5.0))));
        assert_eq!(coverage.percent_of(&zone[..2]), None);
    }

    #[test]
    fn what_changed_is_told_once_and_a_successor_goes_on_from_it() {
        let mut coverage = Coverage::new(ORIGIN, 0.05, DECK);
        lane(&mut coverage, 0.0, |_| ());
        let tiles = coverage.take_changed();
        assert!(!tiles.is_empty() && coverage.take_changed().is_empty());
        let mut next = Coverage::new(coverage.origin(), coverage.cell(), DECK);
        for tile in tiles.iter().chain(&tiles) {
            next.put(tile);
        }
        assert!((next.area() - coverage.area()).abs() < 1e-9, "each once");
        lane(&mut next, 0.0, |_| ());
        assert!(next.take_changed().is_empty(), "nothing new is swept");
    }

    mod properties {
        use super::*;
        use proptest::prelude::*;

        proptest! {
            /// Against counting square by square.
            #[test]
            fn a_zones_percent_is_that_of_its_squares(
                corners in proptest::collection::vec((-6.0..6.0_f64, -2.0..12.0_f64), 3..7),
            ) {
                let frame = LocalFrame::around(ORIGIN);
                let mut coverage = Coverage::new(ORIGIN, 0.1, DECK);
                lane(&mut coverage, -2.0, |_| ());
                lane(&mut coverage, 1.0, |_| ());
                let ring: Vec<_> = corners.iter().map(|&c| frame.lat_lon_from_east_north(c)).collect();
                let metres: Vec<_> = ring.iter().map(|&p| frame.east_north_from_lat_lon(p)).collect();
                let (mut all, mut swept) = (0_u32, 0_u32);
                for row in -40..140 {
                    for (from, to) in coverage.spans(&metres, row) {
                        for column in from..to {
                            all += 1;
                            swept += u32::from(coverage.is_swept(column, row));
                        }
                    }
                }
                let expected = (all > 0).then(|| f64::from(swept) / f64::from(all) * 100.0);
                let percent = coverage.percent_of(&ring);
                prop_assert_eq!(percent.is_some(), expected.is_some());
                prop_assert!((percent.unwrap_or(0.0) - expected.unwrap_or(0.0)).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn turning_around_itself_sweeps_a_disc() {
        let mut coverage = Coverage::new(
            ORIGIN,
            0.02,
            Deck {
                forward: 0.0,
                width: 2.0,
                ..DECK
            },
        );
        for step in 0..=360_u32 {
            coverage.see(&Sweep {
                time_ms: u64::from(step) * 100,
                position: ORIGIN,
                heading: Some(f64::from(step)),
                quality: Some(4),
                is_brush_on: true,
            });
        }
        assert!(
            (coverage.area() - std::f64::consts::PI).abs() < 0.05,
            "{}",
            coverage.area()
        );
    }
}
