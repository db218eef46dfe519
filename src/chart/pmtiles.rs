//! Reads a raster archive of tiles in one file (PMTiles, version 3) piece by piece.
//!
//! Sans-IO: the shell fetches the byte ranges that are asked for. First [`FIRST_BYTES`] of the
//! file, which hold header and root directory; then, for a tile, at most a few leaf directories
//! and the tile itself. What was fetched wrong or is damaged says so and costs that tile only.
//!
//! What is read: tiles of PNG, JPEG, WebP or AVIF; directories that are plain or gzip.

mod directory;
mod gzip;
mod hilbert;

use std::collections::VecDeque;
use std::ops::Range;

use thiserror::Error;

use self::directory::{Directory, Found};
use self::gzip::gunzip;
pub use self::hilbert::tile_id;

/// What must be fetched first; by the format header and root directory end before it.
pub const FIRST_BYTES: u64 = 16_384;

const MAGIC: &[u8] = b"PMTiles";
const HEADER_BYTES: usize = 127;
/// Larger ones are refused: a vehicle's site has some hundred thousand tiles at most.
const LARGEST_DIRECTORY: usize = 8 << 20;
/// Larger tiles are refused.
const LARGEST_TILE: usize = 8 << 20;
/// Directories within directories; writers make two levels.
const DEEPEST: usize = 4;
/// Leaf directories that are remembered.
const MOST_LEAVES: usize = 32;

/// Why an archive, or a tile of it, cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PmtilesError {
    /// Fewer bytes came than were asked for.
    #[error("{found} bytes came in place of {wanted}: the file is cut off")]
    CutOff {
        /// Bytes that came.
        found: u64,
        /// Bytes that were asked for.
        wanted: u64,
    },
    /// It begins otherwise.
    #[error("not a PMTiles file")]
    NotPmtiles,
    /// Another version of the format.
    #[error("PMTiles version {0} is not read, version 3 is")]
    Version(u8),
    /// The bytes of directories or tiles are packed in a way that is not read.
    #[error("packed with {0}, which is not read: none and gzip are")]
    Packing(&'static str),
    /// The tiles are no pictures.
    #[error("its tiles are {0}, not pictures")]
    NotPictures(&'static str),
    /// Header or directory point somewhere impossible.
    #[error("damaged: {0}")]
    Damaged(&'static str),
    /// An entry of a directory is impossible.
    #[error("damaged: entry {entry} of a directory: {reason}")]
    Entry {
        /// Counted from 1.
        entry: u64,
        /// Why.
        reason: &'static str,
    },
    /// More than anybody should load.
    #[error("{what} of more than {limit} bytes refused")]
    TooLarge {
        /// `a directory`, `a tile`.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
}

/// What a tile's pictures are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// The header does not tell; the browser looks.
    Unknown,
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    Webp,
    /// AVIF.
    Avif,
}

impl Picture {
    /// Its media type; empty when nobody told.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Unknown => "",
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
            Self::Avif => "image/avif",
        }
    }
}

/// Where a tile is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The archive has no such tile.
    Nowhere,
    /// These bytes of the file are needed first; they go to [`Archive::take_leaf`].
    Leaf(Range<u64>),
    /// These bytes of the file, which go to [`Archive::unpacked`].
    Tile(Range<u64>),
}

/// An open archive.
#[derive(Debug, Clone)]
pub struct Archive {
    header: Header,
    root: Directory,
    /// The newest last.
    leaves: VecDeque<(Range<u64>, Directory)>,
}

impl Archive {
    /// Opens it by its first [`FIRST_BYTES`], or by all of a smaller file.
    ///
    /// # Errors
    /// When it is no such archive, or one that cannot be read.
    pub fn open(first: &[u8]) -> Result<Self, PmtilesError> {
        let header = Header::read(first)?;
        let packed = part(first, &header.root)?;
        let root = read_directory(packed, header.directories)?;
        Ok(Self {
            header,
            root,
            leaves: VecDeque::new(),
        })
    }

    /// The lowest and the highest zoom it has.
    #[must_use]
    pub fn zooms(&self) -> (u8, u8) {
        self.header.zooms
    }

    /// `(lat, lon)` of its south-west and north-east corner, as it says itself.
    #[must_use]
    pub fn bounds(&self) -> [(f64, f64); 2] {
        self.header.bounds
    }

    /// What its tiles are.
    #[must_use]
    pub fn picture(&self) -> Picture {
        self.header.picture
    }

    /// Where the tile is, as far as the directories that are here tell.
    ///
    /// # Errors
    /// When directories lie within directories without end, or outside their part of the file.
    pub fn find(&mut self, z: u8, x: u32, y: u32) -> Result<Place, PmtilesError> {
        let Some(id) = tile_id(z, x, y) else {
            return Ok(Place::Nowhere);
        };
        let mut found = self.root.find(id);
        for _ in 0..DEEPEST {
            match found {
                Found::Nothing => return Ok(Place::Nowhere),
                Found::Tile { offset, length } => {
                    if length as usize > LARGEST_TILE {
                        return Err(PmtilesError::TooLarge {
                            what: "a tile",
                            limit: LARGEST_TILE,
                        });
                    }
                    let range = within(&self.header.tiles, offset, length)
                        .ok_or(PmtilesError::Damaged("a tile lies outside the tiles' part"))?;
                    return Ok(Place::Tile(range));
                }
                Found::Leaf { offset, length } => {
                    let range = within(&self.header.leaves, offset, length).ok_or(
                        PmtilesError::Damaged("a directory lies outside the directories' part"),
                    )?;
                    let Some(at) = self.leaves.iter().position(|(of, _)| *of == range) else {
                        return Ok(Place::Leaf(range));
                    };
                    found = self.leaves[at].1.find(id);
                    // The one that was used last is forgotten last.
                    if let Some(used) = self.leaves.remove(at) {
                        self.leaves.push_back(used);
                    }
                }
            }
        }
        Err(PmtilesError::Damaged("directories lie too deep"))
    }

    /// Takes the bytes of [`Place::Leaf`].
    ///
    /// # Errors
    /// When they are cut off or damaged; nothing is remembered of them.
    pub fn take_leaf(&mut self, range: Range<u64>, bytes: &[u8]) -> Result<(), PmtilesError> {
        complete(&range, bytes)?;
        let leaf = read_directory(bytes, self.header.directories)?;
        if self.leaves.len() >= MOST_LEAVES {
            self.leaves.pop_front();
        }
        self.leaves.push_back((range, leaf));
        Ok(())
    }

    /// The picture out of the bytes of [`Place::Tile`].
    ///
    /// # Errors
    /// When they are cut off or damaged.
    pub fn unpacked(&self, range: &Range<u64>, bytes: Vec<u8>) -> Result<Vec<u8>, PmtilesError> {
        complete(range, &bytes)?;
        match self.header.tile_packing {
            Packing::None => Ok(bytes),
            Packing::Gzip => gunzip(&bytes, "a tile", LARGEST_TILE),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    None,
    Gzip,
}

impl Packing {
    fn read(number: u8) -> Result<Self, PmtilesError> {
        match number {
            1 => Ok(Self::None),
            2 => Ok(Self::Gzip),
            3 => Err(PmtilesError::Packing("Brotli")),
            4 => Err(PmtilesError::Packing("Zstandard")),
            _ => Err(PmtilesError::Packing("something unknown")),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Header {
    root: Range<u64>,
    leaves: Range<u64>,
    tiles: Range<u64>,
    directories: Packing,
    tile_packing: Packing,
    picture: Picture,
    zooms: (u8, u8),
    bounds: [(f64, f64); 2],
}

impl Header {
    fn read(first: &[u8]) -> Result<Self, PmtilesError> {
        let Some(rest) = first.strip_prefix(MAGIC) else {
            return Err(PmtilesError::NotPmtiles);
        };
        match rest.first() {
            Some(3) => {}
            Some(version) => return Err(PmtilesError::Version(*version)),
            None => return Err(PmtilesError::NotPmtiles),
        }
        let bytes: &[u8; HEADER_BYTES] = first.first_chunk().ok_or(PmtilesError::CutOff {
            found: first.len() as u64,
            wanted: HEADER_BYTES as u64,
        })?;
        let range = |at: usize| {
            let (offset, length) = (u64_at(bytes, at), u64_at(bytes, at + 8));
            let end = offset.checked_add(length);
            end.map(|end| offset..end)
                .ok_or(PmtilesError::Damaged("a part lies beyond every file"))
        };
        let degrees = |at: usize| f64::from(u32_at(bytes, at).cast_signed()) / 1e7;
        Ok(Self {
            root: range(8)?,
            leaves: range(40)?,
            tiles: range(56)?,
            directories: Packing::read(bytes[97])?,
            // What is unknown is most often not packed at all: pictures are already.
            tile_packing: match bytes[98] {
                0 => Packing::None,
                number => Packing::read(number)?,
            },
            picture: match bytes[99] {
                1 => return Err(PmtilesError::NotPictures("vectors (MVT)")),
                2 => Picture::Png,
                3 => Picture::Jpeg,
                4 => Picture::Webp,
                5 => Picture::Avif,
                6 => return Err(PmtilesError::NotPictures("vectors (MLT)")),
                _ => Picture::Unknown,
            },
            zooms: (bytes[100], bytes[101]),
            bounds: [(degrees(106), degrees(102)), (degrees(114), degrees(110))],
        })
    }
}

fn u64_at(bytes: &[u8; HEADER_BYTES], at: usize) -> u64 {
    let (low, high) = (u32_at(bytes, at), u32_at(bytes, at + 4));
    u64::from(high) << 32 | u64::from(low)
}

fn u32_at(bytes: &[u8; HEADER_BYTES], at: usize) -> u32 {
    (0..4).fold(0, |number, byte| {
        number | u32::from(bytes[at + byte]) << (8 * byte)
    })
}

/// A part of the file's first bytes.
fn part<'a>(first: &'a [u8], range: &Range<u64>) -> Result<&'a [u8], PmtilesError> {
    if range.end > FIRST_BYTES {
        return Err(PmtilesError::Damaged(
            "the root directory ends after the first 16,384 bytes",
        ));
    }
    first
        .get(range.start as usize..range.end as usize)
        .ok_or(PmtilesError::CutOff {
            found: first.len() as u64,
            wanted: range.end,
        })
}

fn read_directory(packed: &[u8], packing: Packing) -> Result<Directory, PmtilesError> {
    match packing {
        Packing::None => Directory::read(packed),
        Packing::Gzip => Directory::read(&gunzip(packed, "a directory", LARGEST_DIRECTORY)?),
    }
}

/// The bytes of the file that an offset within a part means.
fn within(part: &Range<u64>, offset: u64, length: u32) -> Option<Range<u64>> {
    let start = part.start.checked_add(offset)?;
    let end = start.checked_add(u64::from(length))?;
    (end <= part.end).then_some(start..end)
}

fn complete(range: &Range<u64>, bytes: &[u8]) -> Result<(), PmtilesError> {
    let (found, wanted) = (bytes.len() as u64, range.end - range.start);
    if found == wanted {
        Ok(())
    } else {
        Err(PmtilesError::CutOff { found, wanted })
    }
}

#[cfg(test)]
mod tests;
