//! Every fix of a day, in compact chunks that a shell can keep in the browser's storage.
//!
//! A chunk is [`CHUNK_FIXES`] fixes at most, and stands alone: any of them can be lost or damaged
//! without harm to the rest. The newest one is open and grows by a few bytes a fix; a shell saves
//! it under its id now and then, and once more when it is closed. When there are more than
//! `max_fixes`, the oldest chunk goes, and the shell is told so that it can say so.
//!
//! # Format of a chunk
//! The bytes `BMT1`, then for each fix, all numbers as LEB128 varints, signed ones zigzag:
//!
//! | what | unit |
//! |---|---|
//! | time since the fix before (the first: since the epoch that the shell uses) | ms |
//! | flags: 1 broken before this fix, 2 heading known, 4 speed known; position quality ·8 (0–9, 15 none) | |
//! | latitude, longitude, each as difference to the fix before | 1e-9 degree (0.1 mm) |
//! | heading, if known | 0.01 degree |
//! | speed, if known, signed | mm/s |

/// Fixes of a full chunk: 100 s at 10 Hz, some 10 kB.
pub const CHUNK_FIXES: usize = 1000;
/// 24 h at 4 Hz and more: what is kept unless told otherwise.
pub const MAX_FIXES: usize = 360_000;

const MAGIC: &[u8; 4] = b"BMT1";
const UNITS_PER_DEGREE: f64 = 1e9;
const NO_QUALITY: u64 = 15;

/// A stored fix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoredFix {
    /// When it was received, ms since the epoch of the shell's choice (Unix, for exports).
    pub time_ms: u64,
    /// `(lat, lon)`, WGS84 degrees; kept to 0.1 mm.
    pub position: (f64, f64),
    /// Degrees clockwise from north; kept to 0.01°.
    pub heading: Option<f64>,
    /// m/s; kept to 1 mm/s.
    pub speed: Option<f64>,
    /// `p_quality`, 0–9.
    pub quality: Option<u8>,
    /// The fix was lost, or jumped, before this one: no line leads here.
    pub is_broken_before: bool,
}

/// A chunk as the shell keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Counts up and is never used again.
    pub id: u64,
    /// The format above.
    pub bytes: Vec<u8>,
    /// Fixes in it.
    pub count: usize,
}

/// What a new fix did to the chunks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    /// This chunk is full: save it for good.
    pub closed: Option<u64>,
    /// These were the oldest and are gone: delete them, and say so.
    pub dropped: Vec<u64>,
}

/// The chunks of a day.
#[derive(Debug, Clone)]
pub struct Store {
    max_fixes: usize,
    chunks: std::collections::VecDeque<Chunk>,
    next_id: u64,
    count: usize,
    dropped: u64,
    /// Of the open chunk; `None`: the next fix begins a new one.
    base: Option<Base>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Base {
    time_ms: u64,
    lat: i64,
    lon: i64,
}

impl Store {
    /// An empty store; at least one chunk is always kept.
    #[must_use]
    pub fn new(max_fixes: usize) -> Self {
        Self {
            max_fixes,
            chunks: std::collections::VecDeque::new(),
            next_id: 0,
            count: 0,
            dropped: 0,
            base: None,
        }
    }

    /// What the shell had saved before a reload, in any order. A damaged chunk is told with its
    /// reason; what could be read of it is kept. The line is broken at the seam.
    #[must_use]
    pub fn reload(max_fixes: usize, saved: Vec<(u64, Vec<u8>)>) -> (Self, Vec<String>) {
        let mut store = Self::new(max_fixes);
        let mut problems = Vec::new();
        let mut saved = saved;
        saved.sort_by_key(|(id, _)| *id);
        for (id, bytes) in saved {
            let (fixes, problem) = decode(&bytes);
            if let Some(problem) = problem {
                problems.push(format!("chunk {id}: {problem}"));
            }
            store.next_id = store.next_id.max(id.saturating_add(1));
            if fixes.is_empty() {
                continue;
            }
            store.count += fixes.len();
            store.chunks.push_back(Chunk {
                id,
                count: fixes.len(),
                // Only what could be read, so that nothing damaged is handed on.
                bytes: encode(&fixes),
            });
        }
        store.make_room();
        (store, problems)
    }

    /// No chunk gets an id below this one: two pages that keep the same vehicle's track into one
    /// place begin at different times, and do not write over each other.
    pub fn begin_at(&mut self, id: u64) {
        self.next_id = self.next_id.max(id);
    }

    /// Keeps a fix.
    pub fn push(&mut self, fix: &StoredFix) -> Kept {
        let mut kept = Kept::default();
        if self.base.is_none() {
            self.chunks.push_back(Chunk {
                id: self.next_id,
                bytes: MAGIC.to_vec(),
                count: 0,
            });
            self.next_id += 1;
        }
        let mut base = self.base.unwrap_or_default();
        if let Some(open) = self.chunks.back_mut() {
            write_fix(&mut open.bytes, &mut base, fix);
            open.count += 1;
            self.count += 1;
            self.base = Some(base);
            if open.count >= CHUNK_FIXES {
                kept.closed = Some(open.id);
                self.base = None;
            }
        }
        kept.dropped = self.make_room();
        kept
    }

    /// The chunks, oldest first; the last may still be open.
    pub fn chunks(&self) -> impl Iterator<Item = &Chunk> {
        self.chunks.iter()
    }

    /// Every fix, oldest first; decodes chunk by chunk.
    pub fn fixes(&self) -> impl Iterator<Item = StoredFix> {
        self.chunks.iter().flat_map(|chunk| decode(&chunk.bytes).0)
    }

    /// Fixes kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Nothing kept?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Fixes that had to go since this store was made: more than zero is to be said.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Bytes of all chunks.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.bytes.len()).sum()
    }

    fn make_room(&mut self) -> Vec<u64> {
        let mut gone = Vec::new();
        while self.count > self.max_fixes && self.chunks.len() > 1 {
            if let Some(oldest) = self.chunks.pop_front() {
                self.count -= oldest.count;
                self.dropped += oldest.count as u64;
                gone.push(oldest.id);
            }
        }
        gone
    }
}

/// A chunk of these fixes.
#[must_use]
pub fn encode(fixes: &[StoredFix]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    let mut base = Base::default();
    for fix in fixes {
        write_fix(&mut bytes, &mut base, fix);
    }
    bytes
}

/// The fixes of a chunk, as far as they can be read, and what ended the reading too early.
#[must_use]
pub fn decode(bytes: &[u8]) -> (Vec<StoredFix>, Option<String>) {
    let Some(mut rest) = bytes.strip_prefix(MAGIC.as_slice()) else {
        return (Vec::new(), Some("not a track chunk".to_owned()));
    };
    let mut fixes = Vec::new();
    let mut base = Base::default();
    while !rest.is_empty() {
        match read_fix(&mut rest, &mut base) {
            Some(fix) => fixes.push(fix),
            None => {
                let problem = format!("damaged after {} fixes", fixes.len());
                return (fixes, Some(problem));
            }
        }
    }
    (fixes, None)
}

fn write_fix(bytes: &mut Vec<u8>, base: &mut Base, fix: &StoredFix) {
    let lat = (fix.position.0 * UNITS_PER_DEGREE).round() as i64;
    let lon = (fix.position.1 * UNITS_PER_DEGREE).round() as i64;
    let quality = fix
        .quality
        .filter(|q| *q <= 9)
        .map_or(NO_QUALITY, u64::from);
    let heading = fix.heading.filter(|heading| heading.is_finite());
    let speed = fix.speed.filter(|speed| speed.is_finite());
    let flags = u64::from(fix.is_broken_before)
        | u64::from(heading.is_some()) << 1
        | u64::from(speed.is_some()) << 2
        | quality << 3;
    // A clock that was set back makes no negative time.
    write_varint(bytes, fix.time_ms.saturating_sub(base.time_ms));
    write_varint(bytes, flags);
    write_varint(bytes, zigzag(lat.wrapping_sub(base.lat)));
    write_varint(bytes, zigzag(lon.wrapping_sub(base.lon)));
    if let Some(heading) = heading {
        write_varint(bytes, (heading.rem_euclid(360.0) * 100.0).round() as u64);
    }
    if let Some(speed) = speed {
        write_varint(bytes, zigzag((speed * 1000.0).round() as i64));
    }
    *base = Base {
        time_ms: base.time_ms.max(fix.time_ms),
        lat,
        lon,
    };
}

fn read_fix(rest: &mut &[u8], base: &mut Base) -> Option<StoredFix> {
    let time_ms = base.time_ms.checked_add(read_varint(rest)?)?;
    let flags = read_varint(rest)?;
    let lat = base.lat.checked_add(unzigzag(read_varint(rest)?))?;
    let lon = base.lon.checked_add(unzigzag(read_varint(rest)?))?;
    let position = (lat as f64 / UNITS_PER_DEGREE, lon as f64 / UNITS_PER_DEGREE);
    if position.0.abs() > 90.0 || position.1.abs() > 180.0 {
        return None;
    }
    let heading = match flags & 2 {
        0 => None,
        _ => Some(read_varint(rest)? as f64 / 100.0),
    };
    let speed = match flags & 4 {
        0 => None,
        _ => Some(unzigzag(read_varint(rest)?) as f64 / 1000.0),
    };
    *base = Base { time_ms, lat, lon };
    Some(StoredFix {
        time_ms,
        position,
        heading,
        speed,
        quality: u8::try_from(flags >> 3).ok().filter(|q| *q <= 9),
        is_broken_before: flags & 1 == 1,
    })
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

fn write_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn read_varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fix(step: u32) -> StoredFix {
        StoredFix {
            time_ms: 1_700_000_000_000 + u64::from(step) * 100,
            position: (31.2 + f64::from(step) * 1e-6, 121.5),
            heading: Some(90.25),
            speed: Some(0.5),
            quality: Some(4),
            is_broken_before: step == 0,
        }
    }

    fn assert_same(read: &StoredFix, written: &StoredFix) {
        assert_eq!(read.time_ms, written.time_ms);
        assert!((read.position.0 - written.position.0).abs() < 1e-9);
        assert!((read.position.1 - written.position.1).abs() < 1e-9);
        assert_eq!(read.quality, written.quality);
        assert_eq!(read.is_broken_before, written.is_broken_before);
        let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= 0.006,
            (a, b) => a == b,
        };
        assert!(near(read.heading, written.heading) && near(read.speed, written.speed));
    }

    #[test]
    fn a_day_survives_a_reload_whole() {
        let mut store = Store::new(MAX_FIXES);
        for step in 0..2500 {
            store.push(&fix(step));
        }
        let saved = store.chunks().map(|c| (c.id, c.bytes.clone())).rev_order();
        let (again, problems) = Store::reload(MAX_FIXES, saved);
        assert!(problems.is_empty());
        assert_eq!(again.len(), 2500);
        for (step, read) in again.fixes().enumerate() {
            assert_same(&read, &fix(step as u32));
        }
    }

    trait RevOrder {
        fn rev_order(self) -> Vec<(u64, Vec<u8>)>;
    }

    impl<I: Iterator<Item = (u64, Vec<u8>)>> RevOrder for I {
        fn rev_order(self) -> Vec<(u64, Vec<u8>)> {
            let mut all: Vec<_> = self.collect();
            all.reverse();
            all
        }
    }

    #[test]
    fn the_oldest_go_first_and_it_is_told() {
        let mut store = Store::new(3000);
        let mut dropped = Vec::new();
        for step in 0..6500 {
            dropped.extend(store.push(&fix(step)).dropped);
            assert!(store.len() <= 3000);
        }
        assert_eq!(dropped, [0, 1, 2, 3]);
        assert_eq!(store.dropped(), 4000);
        assert_eq!(
            store.fixes().next().map(|f| f.time_ms),
            Some(fix(4000).time_ms)
        );
    }

    #[test]
    fn a_damaged_chunk_is_told_and_costs_no_other() {
        let mut store = Store::new(MAX_FIXES);
        for step in 0..3000 {
            store.push(&fix(step));
        }
        let mut saved: Vec<_> = store.chunks().map(|c| (c.id, c.bytes.clone())).collect();
        saved[1].1.truncate(500);
        saved[2].1[0] = b'X';
        let (again, problems) = Store::reload(MAX_FIXES, saved);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[1].contains("chunk 2: not a track chunk"));
        assert!(again.len() > 1000 && again.len() < 1100);
    }

    #[test]
    fn a_fix_costs_about_ten_bytes() {
        let mut store = Store::new(MAX_FIXES);
        for step in 0..10_000 {
            store.push(&fix(step));
        }
        assert!(store.bytes() < 12 * 10_000, "{} bytes", store.bytes());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            lat in -90.0..=90.0_f64, lon in -180.0..=180.0_f64,
            heading in proptest::option::of(0.0..359.99_f64),
            speed in proptest::option::of(-20.0..20.0_f64),
            quality in proptest::option::of(0..=9_u8), broken: bool, wait in 0..100_000_u64,
        ) {
            let one = StoredFix { time_ms: wait, position: (lat, lon), heading, speed, quality,
                is_broken_before: broken };
            let two = StoredFix { time_ms: wait * 2, position: (-lat, -lon), ..one };
            let (read, problem) = decode(&encode(&[one, two]));
            prop_assert_eq!(problem, None);
            assert_same(&read[0], &one);
            assert_same(&read[1], &two);
        }

        #[test]
        fn noise_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut chunk = MAGIC.to_vec();
            chunk.extend(bytes);
            let (fixes, _) = decode(&chunk);
            prop_assert!(fixes.iter().all(|f| f.position.0.abs() <= 90.0));
        }
    }
}
