//! Draws the swept squares: a path for each tile, which is laid where it belongs when the map places
//! it anew and moves with the map otherwise.

use std::collections::BTreeMap;

use web_sys::SvgElement;

use crate::chart::coverage::{SIDE, Tile};
use crate::chart::work::CELL;
use crate::rtk::geo::LocalFrame;
use crate::survey::leaflet::{LeafletMap, Window};
use crate::survey::svg;
use crate::units::decimal;

/// The swept area on the map.
pub(super) struct SweptArea {
    map: LeafletMap,
    root: SvgElement,
    /// Where the tiles are laid so.
    window: Window,
    tiles: BTreeMap<(i32, i32), SvgElement>,
}

impl SweptArea {
    /// Nothing yet; `None` when the browser refuses to make an element.
    pub(super) fn on(map: &LeafletMap) -> Option<Self> {
        let root = svg::child(&map.pane("work"), "svg", "work-swept")?;
        svg::set(&root, "aria-hidden", "true");
        Some(Self {
            map: map.clone(),
            root,
            window: Window::around(map),
            tiles: BTreeMap::new(),
        })
    }

    /// Lays all of it anew, when the map places it elsewhere.
    pub(super) fn follow(&mut self, origin: (f64, f64)) {
        if !self.window.is_placed_as(&self.map) {
            self.window = Window::around(&self.map);
            for (&at, path) in &self.tiles {
                self.lay(origin, at, path);
            }
        }
    }

    /// Draws these in place of what was drawn.
    pub(super) fn show<'a>(
        &mut self,
        origin: (f64, f64),
        tiles: impl IntoIterator<Item = &'a Tile>,
    ) {
        self.root.set_text_content(None);
        self.tiles.clear();
        self.add(origin, tiles);
    }

    /// Draws these tiles in place of what was drawn of them.
    pub(super) fn add<'a>(
        &mut self,
        origin: (f64, f64),
        tiles: impl IntoIterator<Item = &'a Tile>,
    ) {
        for tile in tiles {
            if !self.tiles.contains_key(&tile.at)
                && let Some(path) = svg::child(&self.root, "path", "")
            {
                self.lay(origin, tile.at, &path);
                self.tiles.insert(tile.at, path);
            }
            if let Some(path) = self.tiles.get(&tile.at) {
                svg::set(path, "d", &tile.path());
            }
        }
    }

    fn lay(&self, origin: (f64, f64), at: (i32, i32), path: &SvgElement) {
        let frame = LocalFrame::around(origin);
        let side = CELL * f64::from(SIDE);
        // On whole pixels, so that no line shows between two tiles.
        let corner = |column: i32, row: i32| {
            let place = (f64::from(column) * side, f64::from(row) * side);
            let (x, y) = self.window.pixel(frame.lat_lon_from_east_north(place));
            (x.round(), y.round())
        };
        let (left, top) = corner(at.0, at.1 + 1);
        let (right, bottom) = corner(at.0 + 1, at.1);
        let scale = |pixels: f64| decimal(pixels / f64::from(SIDE), 6);
        let transform = [
            "translate(",
            &decimal(left, 0),
            " ",
            &decimal(top, 0),
            ") scale(",
            &scale(right - left),
            " ",
            &scale(bottom - top),
            ")",
        ];
        svg::set(path, "transform", &transform.concat());
    }
}

impl Drop for SweptArea {
    fn drop(&mut self) {
        self.root.remove();
    }
}
