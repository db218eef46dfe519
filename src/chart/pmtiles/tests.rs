//! Archives of an own small writer, of an independent one, and damaged ones.

use super::gzip::check_sum;
use super::*;

/// Made with the format's own Python package (`pmtiles` 3.8.1): all tiles of the zooms 0 to 8 but
/// the westernmost of zoom 8, in three colours, with leaf directories.
const INDEPENDENT: &[u8] = include_bytes!("../../../tests/pmtiles/three_colours.pmtiles");

#[derive(Debug, Clone, Copy)]
struct Written {
    id: u64,
    offset: u64,
    length: u64,
    run: u64,
}

fn number(mut value: u64, into: &mut Vec<u8>) {
    while value > 0x7f {
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}

fn directory(entries: &[Written]) -> Vec<u8> {
    let mut bytes = Vec::new();
    number(entries.len() as u64, &mut bytes);
    let mut last = 0;
    for entry in entries {
        number(entry.id - last, &mut bytes);
        last = entry.id;
    }
    for entry in entries {
        number(entry.run, &mut bytes);
    }
    for entry in entries {
        number(entry.length, &mut bytes);
    }
    let mut end = None;
    for entry in entries {
        let follows = end == Some(entry.offset);
        number(if follows { 0 } else { entry.offset + 1 }, &mut bytes);
        end = Some(entry.offset + entry.length);
    }
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    // With a name, as the command line program writes it.
    let mut packed = vec![0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3, b'd', 0];
    packed.extend(miniz_oxide::deflate::compress_to_vec(bytes, 6));
    packed.extend(check_sum(bytes).to_le_bytes());
    packed.extend((bytes.len() as u32).to_le_bytes());
    packed
}

/// Header, root, leaves and tiles, one behind the other.
fn archive(packing: [u8; 2], root: &[u8], leaves: &[u8], tiles: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; HEADER_BYTES];
    bytes[..8].copy_from_slice(b"PMTiles\x03");
    let mut at = HEADER_BYTES as u64;
    for (field, part) in [(8, root), (24, &[]), (40, leaves), (56, tiles)] {
        bytes[field..field + 8].copy_from_slice(&at.to_le_bytes());
        bytes[field + 8..field + 16].copy_from_slice(&(part.len() as u64).to_le_bytes());
        at += part.len() as u64;
    }
    [bytes[97], bytes[98]] = packing;
    bytes[99] = 2;
    [bytes[100], bytes[101]] = [3, 21];
    for (at, degrees) in [(102, 121.25), (106, 31.0), (110, 121.75), (114, 31.5)] {
        let number = (degrees * 1e7) as i32;
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }
    for part in [root, leaves, tiles] {
        bytes.extend(part);
    }
    bytes
}

fn first(file: &[u8]) -> &[u8] {
    &file[..file.len().min(FIRST_BYTES as usize)]
}

/// As a shell does it.
fn look(
    file: &[u8],
    archive: &mut Archive,
    (z, x, y): (u8, u32, u32),
) -> Result<Option<Vec<u8>>, PmtilesError> {
    let bytes = |range: &Range<u64>| file[range.start as usize..range.end as usize].to_vec();
    loop {
        match archive.find(z, x, y)? {
            Place::Nowhere => return Ok(None),
            Place::Leaf(range) => archive.take_leaf(range.clone(), &bytes(&range))?,
            Place::Tile(range) => return archive.unpacked(&range, bytes(&range)).map(Some),
        }
    }
}

/// Two tiles in the root, a run of five behind a leaf.
fn small(is_packed: bool) -> Vec<u8> {
    let pack = |bytes: Vec<u8>| if is_packed { gzip(&bytes) } else { bytes };
    let tiles = [pack(b"one".to_vec()), pack(b"seven".to_vec())];
    let lengths = [tiles[0].len() as u64, tiles[1].len() as u64];
    let leaf = pack(directory(&[Written {
        id: 100,
        offset: lengths[0],
        length: lengths[1],
        run: 5,
    }]));
    let root = pack(directory(&[
        Written {
            id: 0,
            offset: 0,
            length: lengths[0],
            run: 1,
        },
        Written {
            id: 3,
            offset: lengths[0],
            length: lengths[1],
            run: 1,
        },
        Written {
            id: 90,
            offset: 0,
            length: leaf.len() as u64,
            run: 0,
        },
    ]));
    let number = if is_packed { 2 } else { 1 };
    archive([number; 2], &root, &leaf, &tiles.concat())
}

fn place_of(id: u64) -> (u8, u32, u32) {
    (0..=5)
        .flat_map(|z| (0..1 << z).flat_map(move |x| (0..1 << z).map(move |y| (z, x, y))))
        .find(|(z, x, y)| tile_id(*z, *x, *y) == Some(id))
        .unwrap()
}

#[test]
fn tiles_are_found_in_the_root_and_behind_leaves_plain_and_packed() {
    for is_packed in [false, true] {
        let file = small(is_packed);
        let mut archive = Archive::open(first(&file)).unwrap();
        assert_eq!(archive.zooms(), (3, 21));
        assert_eq!(archive.bounds(), [(31.0, 121.25), (31.5, 121.75)]);
        assert_eq!(archive.picture().media_type(), "image/png");
        for (id, expected) in [
            (0, Some("one")),
            (1, None),
            (3, Some("seven")),
            (4, None),
            (89, None),
            (95, None),
            (100, Some("seven")),
            (104, Some("seven")),
            (105, None),
        ] {
            let found = look(&file, &mut archive, place_of(id)).unwrap();
            assert_eq!(found.as_deref(), expected.map(str::as_bytes), "{id}");
        }
    }
}

#[test]
fn an_archive_of_another_writer_is_read_tile_by_tile() {
    let mut archive = Archive::open(first(INDEPENDENT)).unwrap();
    assert_eq!(archive.zooms(), (0, 8));
    assert_eq!(archive.picture(), Picture::Png);
    let mut seen = [0; 3];
    for z in 0..=8_u8 {
        for x in 0..1_u32 << z {
            for y in 0..1_u32 << z {
                let tile = look(INDEPENDENT, &mut archive, (z, x, y)).unwrap();
                if z == 8 && x == 0 {
                    assert_eq!(tile, None);
                    continue;
                }
                let tile = tile.unwrap();
                // The palette's first colour.
                let colors = [[230, 80, 60], [60, 160, 90], [70, 90, 220]];
                let at = tile.windows(4).position(|name| name == b"PLTE").unwrap();
                let color = colors
                    .iter()
                    .position(|color| tile[at + 4..].starts_with(color));
                assert_eq!(color, Some(color_of(z, x, y)), "{z}/{x}/{y}");
                seen[color_of(z, x, y)] += 1;
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 20_000), "{seen:?}");
    assert!(!archive.leaves.is_empty(), "it has leaf directories");
}

/// As the script had it that made the archive.
fn color_of(z: u8, x: u32, y: u32) -> usize {
    let mixed = x.wrapping_mul(73_856_093)
        ^ y.wrapping_mul(19_349_663)
        ^ u32::from(z).wrapping_mul(83_492_791);
    let mixed = (mixed ^ (mixed >> 13)).wrapping_mul(0x5bd1_e995);
    ((mixed ^ (mixed >> 15)) % 3) as usize
}

#[test]
fn only_so_many_leaves_are_remembered() {
    let leaf = directory(&[Written {
        id: 0,
        offset: 0,
        length: 1,
        run: 1,
    }]);
    let mut archive = Archive::open(&small(false)).unwrap();
    for at in 0..3 * MOST_LEAVES as u64 {
        archive
            .take_leaf(at..at + leaf.len() as u64, &leaf)
            .unwrap();
    }
    assert_eq!(archive.leaves.len(), MOST_LEAVES);
}

#[test]
fn what_cannot_be_read_says_why() {
    let whole = small(false);
    let changed = |at: usize, value: u8| {
        let mut file = whole.clone();
        file[at] = value;
        Archive::open(&file).unwrap_err().to_string()
    };
    let said = |file: &[u8]| Archive::open(file).unwrap_err().to_string();
    assert_eq!(said(b"<!doctype html>"), "not a PMTiles file");
    assert_eq!(said(b""), "not a PMTiles file");
    assert_eq!(changed(7, 2), "PMTiles version 2 is not read, version 3 is");
    assert_eq!(
        changed(97, 4),
        "packed with Zstandard, which is not read: none and gzip are"
    );
    assert_eq!(changed(99, 1), "its tiles are vectors (MVT), not pictures");
    assert_eq!(
        said(&whole[..100]),
        "100 bytes came in place of 127: the file is cut off"
    );
    assert!(said(&whole[..130]).contains("cut off"));
    assert_eq!(
        changed(15, 0xff),
        "damaged: the root directory ends after the first 16,384 bytes"
    );
    // The root's number of entries.
    assert_eq!(changed(127, 0), "damaged: a directory's number of entries");
    assert_eq!(
        changed(127, 0x7f),
        "damaged: a directory's number of entries"
    );
    // The second entry's tile, as a difference.
    assert_eq!(
        changed(129, 0),
        "damaged: entry 2 of a directory: its tile comes twice"
    );
    let mut packed = small(true);
    packed[150] ^= 0x55;
    assert_eq!(said(&packed), "damaged: its gzip bytes");
}

#[test]
fn a_tile_that_lies_outside_costs_itself_and_no_other() {
    let root = directory(&[
        Written {
            id: 0,
            offset: 0,
            length: 3,
            run: 1,
        },
        Written {
            id: 1,
            offset: 2,
            length: 9,
            run: 1,
        },
    ]);
    let file = archive([1; 2], &root, &[], b"one");
    let mut archive = Archive::open(&file).unwrap();
    assert_eq!(
        look(&file, &mut archive, (0, 0, 0)).unwrap().as_deref(),
        Some(&b"one"[..])
    );
    assert_eq!(
        archive.find(1, 0, 0).unwrap_err().to_string(),
        "damaged: a tile lies outside the tiles' part"
    );
    assert_eq!(
        archive.unpacked(&(200..209), b"short".to_vec()),
        Err(PmtilesError::CutOff {
            found: 5,
            wanted: 9
        })
    );
}

#[test]
fn a_directory_that_contains_itself_ends() {
    let leaf_of = |length: usize| {
        directory(&[Written {
            id: 0,
            offset: 0,
            length: length as u64,
            run: 0,
        }])
    };
    let leaf = leaf_of(leaf_of(0).len());
    let file = archive([1; 2], &leaf, &leaf, b"x");
    let mut archive = Archive::open(&file).unwrap();
    assert_eq!(
        look(&file, &mut archive, (0, 0, 0))
            .unwrap_err()
            .to_string(),
        "damaged: directories lie too deep"
    );
}

#[cfg(not(target_arch = "wasm32"))]
mod properties {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn damage_never_panics_and_never_runs_for_ever(
            at in 0..INDEPENDENT.len().min(20_000), value: u8, is_packed: bool, cut in 0_usize..400,
        ) {
            let mut files = [small(is_packed), INDEPENDENT.to_vec()];
            for file in &mut files {
                let at = at % file.len();
                file[at] = value;
                if let Ok(mut archive) = Archive::open(first(file)) {
                    for tile in [(0, 0, 0), (1, 1, 0), (3, 5, 2), (4, 3, 3), (8, 9, 100)] {
                        for _ in 0..8 {
                            let Ok(Place::Leaf(range)) = archive.find(tile.0, tile.1, tile.2) else {
                                break;
                            };
                            let bytes = file.get(range.start as usize..range.end as usize);
                            if archive.take_leaf(range, bytes.unwrap_or_default()).is_err() {
                                break;
                            }
                        }
                    }
                }
                file.truncate(cut);
                drop(Archive::open(file));
            }
        }

        #[test]
        fn every_directory_comes_back(
            steps in prop::collection::vec((1_u64..5000, 0_u64..9, 1_u64..70_000), 1..300),
        ) {
            let (mut id, mut offset) = (0, 0);
            let entries: Vec<Written> = steps
                .iter()
                .map(|(step, gap, length)| {
                    id += step;
                    let entry = Written { id, offset: offset + gap, length: *length, run: 1 };
                    offset = entry.offset + length;
                    entry
                })
                .collect();
            let read = Directory::read(&directory(&entries)).unwrap();
            for entry in &entries {
                let length = entry.length as u32;
                prop_assert_eq!(read.find(entry.id), Found::Tile { offset: entry.offset, length });
                let beside = read.find(entry.id - 1);
                prop_assert!(beside == Found::Nothing || entries.iter().any(|it| it.id == entry.id - 1));
            }
        }
    }
}
