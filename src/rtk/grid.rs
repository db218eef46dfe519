//! The metric grid: a map that needs nothing but a position, or not even that.
//!
//! Its lines lie on round metres east and north of an anchor, so it stays put on the ground while
//! the view moves over it.

use super::geo::{
    LocalFrame, lat_lon_from_world_pixel, meters_per_pixel, world_pixel_from_lat_lon,
};

/// The narrowest a grid cell may become, in pixels.
const MIN_CELL_PX: f64 = 72.0;
/// Metres from which on a flat grid says more than is true.
const MAX_SPACING: f64 = 20_000.0;
/// A view that needs more lines than this is not one that a screen has.
const MAX_LINES: i64 = 400;
/// Every fifth line is a stronger one.
const MAJOR_EVERY: i64 = 5;

/// What a screen shows of a Web-Mercator map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapWindow {
    /// `(lat, lon)` in the map's datum at the middle of the screen.
    pub center: (f64, f64),
    /// Whole or not.
    pub zoom: f64,
    /// Width and height in pixels.
    pub size: (f64, f64),
}

/// The grid as it is drawn on a screen.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grid {
    /// Metres between lines: 1, 2 or 5 times a power of ten.
    pub spacing: f64,
    /// As many pixels in the middle of the screen: the length of a scale bar.
    pub spacing_px: f64,
    /// North-south lines: pixels from the left edge.
    pub verticals: Vec<Line>,
    /// East-west lines: pixels from the upper edge.
    pub horizontals: Vec<Line>,
}

/// One line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Pixels from the edge.
    pub at: f64,
    /// A stronger one; the anchor lies on two of them.
    pub is_major: bool,
}

/// The grid around an anchor, `(lat, lon)` in the map's datum. So far out that a flat grid would
/// lie, there are no lines, only the scale.
#[must_use]
pub fn grid(window: &MapWindow, anchor: (f64, f64)) -> Grid {
    let meters_per_pixel = meters_per_pixel(window.center.0, window.zoom);
    let spacing = round_spacing(MIN_CELL_PX * meters_per_pixel);
    let mut grid = Grid {
        spacing,
        spacing_px: spacing / meters_per_pixel,
        ..Grid::default()
    };
    if spacing > MAX_SPACING {
        return grid;
    }
    let frame = LocalFrame::around(anchor);
    let middle = world_pixel_from_lat_lon(window.center, window.zoom);
    let corner = (
        middle.0 - window.size.0 / 2.0,
        middle.1 - window.size.1 / 2.0,
    );
    let opposite = (corner.0 + window.size.0, corner.1 + window.size.1);
    let north_west = lat_lon_from_world_pixel(corner, window.zoom);
    let south_east = lat_lon_from_world_pixel(opposite, window.zoom);
    let (west, north) = frame.east_north_from_lat_lon(north_west);
    let (east, south) = frame.east_north_from_lat_lon(south_east);
    grid.verticals = lines(west, east, spacing, |east| {
        let point = frame.lat_lon_from_east_north((east, 0.0));
        world_pixel_from_lat_lon(point, window.zoom).0 - corner.0
    });
    grid.horizontals = lines(south, north, spacing, |north| {
        let point = frame.lat_lon_from_east_north((0.0, north));
        world_pixel_from_lat_lon(point, window.zoom).1 - corner.1
    });
    grid
}

fn lines(from: f64, to: f64, spacing: f64, pixel: impl Fn(f64) -> f64) -> Vec<Line> {
    let first = (from / spacing).ceil() as i64;
    let last = (to / spacing).floor() as i64;
    if last.saturating_sub(first) > MAX_LINES {
        return Vec::new();
    }
    (first..=last)
        .map(|index| Line {
            at: pixel(index as f64 * spacing),
            is_major: index % MAJOR_EVERY == 0,
        })
        .collect()
}

/// The smallest of 1, 2, 5 × 10ⁿ that is not below the length.
fn round_spacing(at_least: f64) -> f64 {
    let mut decade = 1e-6;
    while decade < 1e9 && decade * 10.0 <= at_least {
        decade *= 10.0;
    }
    [1.0, 2.0, 5.0]
        .into_iter()
        .map(|digit| digit * decade)
        .find(|&spacing| spacing >= at_least)
        .unwrap_or(10.0 * decade)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: (f64, f64) = (31.2, 121.5);

    fn window(zoom: f64) -> MapWindow {
        MapWindow {
            center: HERE,
            zoom,
            size: (1280.0, 800.0),
        }
    }

    #[test]
    fn spacings_are_round_at_every_zoom() {
        for quarter in 0..=96 {
            let grid = grid(&window(f64::from(quarter) / 4.0), HERE);
            let digits = grid.spacing / 10.0_f64.powf(grid.spacing.log10().floor());
            assert!(
                [1.0, 2.0, 5.0, 10.0]
                    .iter()
                    .any(|d| (digits - d).abs() < 1e-9),
                "{}",
                grid.spacing
            );
            assert!(
                (72.0..=181.0).contains(&grid.spacing_px),
                "{}",
                grid.spacing_px
            );
        }
    }

    #[test]
    fn lines_lie_a_spacing_apart_and_fill_the_screen() {
        let grid = grid(&window(20.0), HERE);
        assert!((grid.spacing - 10.0).abs() < 1e-9, "{}", grid.spacing);
        for (lines, length) in [(&grid.verticals, 1280.0), (&grid.horizontals, 800.0)] {
            assert!(lines.len() as f64 >= length / grid.spacing_px - 1.0);
            assert!(lines.iter().all(|line| (0.0..=length).contains(&line.at)));
            for pair in lines.windows(2) {
                let step = (pair[1].at - pair[0].at).abs();
                assert!((step / grid.spacing_px - 1.0).abs() < 0.008, "{step}");
            }
        }
    }

    #[test]
    fn the_anchor_lies_on_two_strong_lines() {
        let grid = grid(&window(20.0), HERE);
        let through = |lines: &[Line], middle: f64| {
            lines
                .iter()
                .any(|line| line.is_major && (line.at - middle).abs() < 1e-6)
        };
        assert!(through(&grid.verticals, 640.0) && through(&grid.horizontals, 400.0));
    }

    #[test]
    fn the_grid_stays_on_the_ground_when_the_view_moves() {
        let frame = LocalFrame::around(HERE);
        let moved = MapWindow {
            center: frame.lat_lon_from_east_north((3.0, 0.0)),
            ..window(20.0)
        };
        let before = grid(&window(20.0), HERE);
        let after = grid(&moved, HERE);
        let shift = 3.0 / before.spacing * before.spacing_px;
        let middle = before.verticals.iter().find(|line| line.is_major).unwrap();
        assert!(
            after
                .verticals
                .iter()
                .any(|line| line.is_major && (line.at - (middle.at - shift)).abs() < 1e-3)
        );
    }

    #[test]
    fn far_out_there_is_a_scale_and_no_flat_lie() {
        let grid = grid(&window(4.0), HERE);
        assert!(grid.verticals.is_empty() && grid.horizontals.is_empty());
        assert!(grid.spacing_px >= 72.0);
    }

    #[test]
    fn it_is_there_before_any_position_and_at_the_edges_of_the_world() {
        for center in [(0.0, 0.0), (85.0, 179.9999), (-85.0, -179.9999)] {
            let window = MapWindow {
                center,
                ..window(20.0)
            };
            let grid = grid(&window, center);
            assert!(
                grid.verticals.len() > 3 && grid.horizontals.len() > 3,
                "{center:?}"
            );
        }
    }
}
