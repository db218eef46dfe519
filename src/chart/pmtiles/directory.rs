//! A directory: which tiles, or which further directories, are where.

use super::PmtilesError;

/// A sorted list of entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Directory(Vec<Entry>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    id: u64,
    offset: u64,
    length: u32,
    /// How many tiles from `id` on are this one; 0: it is a directory.
    run: u32,
}

/// What a directory knows of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// There is no such tile.
    Nothing,
    /// It is there, counted from the tiles' part.
    Tile { offset: u64, length: u32 },
    /// That directory knows, counted from the directories' part.
    Leaf { offset: u64, length: u32 },
}

impl Directory {
    /// Reads it, unpacked: the number of entries, then all numbers of tiles as differences, all
    /// runs, all lengths, all offsets (0: right behind the entry before; else one too many).
    pub(super) fn read(bytes: &[u8]) -> Result<Self, PmtilesError> {
        let mut numbers = Numbers {
            rest: bytes,
            entry: 0,
        };
        let count = numbers.next()?;
        // Every entry has at least four bytes.
        if count == 0 || count > bytes.len() as u64 / 4 {
            return Err(PmtilesError::Damaged("a directory's number of entries"));
        }
        let mut entries = Vec::with_capacity(count as usize);
        let mut id = 0_u64;
        for entry in 1..=count {
            numbers.entry = entry;
            let step = numbers.next()?;
            if step == 0 && entry > 1 {
                return Err(numbers.wrong("its tile comes twice"));
            }
            id = id
                .checked_add(step)
                .ok_or_else(|| numbers.wrong("its tile's number"))?;
            entries.push(Entry {
                id,
                offset: 0,
                length: 0,
                run: 0,
            });
        }
        for (index, entry) in (1..).zip(&mut entries) {
            numbers.entry = index;
            entry.run = numbers.small()?;
        }
        for (index, entry) in (1..).zip(&mut entries) {
            numbers.entry = index;
            entry.length = numbers.small()?;
            if entry.length == 0 {
                return Err(numbers.wrong("it is empty"));
            }
        }
        let mut end = None;
        for (index, entry) in (1..).zip(&mut entries) {
            numbers.entry = index;
            entry.offset = match (numbers.next()?, end) {
                (0, Some(end)) => end,
                (0, None) => return Err(numbers.wrong("it follows nothing")),
                (offset, _) => offset - 1,
            };
            end = entry.offset.checked_add(u64::from(entry.length));
        }
        Ok(Self(entries))
    }

    /// The last entry that does not begin behind the tile decides.
    pub(super) fn find(&self, id: u64) -> Found {
        let after = self.0.partition_point(|entry| entry.id <= id);
        let Some(entry) = after.checked_sub(1).and_then(|at| self.0.get(at)) else {
            return Found::Nothing;
        };
        let (offset, length) = (entry.offset, entry.length);
        match entry.run {
            0 => Found::Leaf { offset, length },
            run if id - entry.id < u64::from(run) => Found::Tile { offset, length },
            _ => Found::Nothing,
        }
    }
}

/// LEB128 numbers, and of which entry.
struct Numbers<'a> {
    rest: &'a [u8],
    entry: u64,
}

impl Numbers<'_> {
    fn next(&mut self) -> Result<u64, PmtilesError> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let Some((byte, rest)) = self.rest.split_first() else {
                return Err(self.wrong("it is cut off"));
            };
            self.rest = rest;
            let part = u64::from(byte & 0x7f);
            if shift == 63 && part > 1 {
                break;
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(self.wrong("a number is too long"))
    }

    fn small(&mut self) -> Result<u32, PmtilesError> {
        u32::try_from(self.next()?).map_err(|_| self.wrong("a number is too large"))
    }

    fn wrong(&self, reason: &'static str) -> PmtilesError {
        PmtilesError::Entry {
            entry: self.entry,
            reason,
        }
    }
}
