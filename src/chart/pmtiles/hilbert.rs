//! The number of a tile: its place along the Hilbert curves of all zooms.

/// The highest zoom whose numbers the format's readers agree on.
const HIGHEST_ZOOM: u8 = 26;

/// The number of tile `z/x/y`; `None` when there is no such tile.
#[must_use]
pub fn tile_id(z: u8, x: u32, y: u32) -> Option<u64> {
    if z > HIGHEST_ZOOM {
        return None;
    }
    let side = 1_u64 << z;
    let (mut x, mut y) = (u64::from(x), u64::from(y));
    if x >= side || y >= side {
        return None;
    }
    // All tiles of the zooms below: 1 + 4 + 16 …
    let mut id = (side * side - 1) / 3;
    let mut half = side / 2;
    while half > 0 {
        let (right, down) = (u64::from(x & half != 0), u64::from(y & half != 0));
        id += half * half * ((3 * right) ^ down);
        // The curve in the two upper quarters is turned.
        if down == 0 {
            if right == 1 {
                (x, y) = (side - 1 - x, side - 1 - y);
            }
            (x, y) = (y, x);
        }
        half /= 2;
    }
    Some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first as the format's description draws them; the last from the tests of its readers.
    #[test]
    fn tiles_are_numbered_as_the_format_has_it() {
        for ((z, x, y), id) in [
            ((0, 0, 0), 0),
            ((1, 0, 0), 1),
            ((1, 0, 1), 2),
            ((1, 1, 1), 3),
            ((1, 1, 0), 4),
            ((2, 0, 0), 5),
            ((12, 3423, 1763), 19_078_479),
        ] {
            assert_eq!(tile_id(z, x, y), Some(id), "{z}/{x}/{y}");
        }
    }

    #[test]
    fn every_tile_of_a_zoom_has_a_number_of_its_own_and_neighbours_touch() {
        for z in 0..=6 {
            let side = 1_u32 << z;
            let mut tiles: Vec<(u64, u32, u32)> = (0..side)
                .flat_map(|x| (0..side).map(move |y| (tile_id(z, x, y).unwrap(), x, y)))
                .collect();
            tiles.sort_unstable();
            let first = (u64::from(side) * u64::from(side) - 1) / 3;
            assert_eq!(tiles[0].0, first);
            for pair in tiles.windows(2) {
                assert_eq!(pair[1].0, pair[0].0 + 1);
                let way = pair[0].1.abs_diff(pair[1].1) + pair[0].2.abs_diff(pair[1].2);
                assert_eq!(way, 1, "{pair:?}");
            }
        }
    }

    #[test]
    fn there_is_no_tile_outside_the_world() {
        assert_eq!(tile_id(1, 2, 0), None);
        assert_eq!(tile_id(0, 0, 1), None);
        assert_eq!(tile_id(27, 0, 0), None);
        assert!(tile_id(26, u32::MAX >> 6, 0).is_some());
    }
}
