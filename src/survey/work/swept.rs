//! Draws the swept squares: a path for each tile. They are laid on the map all at once, by what a
//! metre is in the middle of what is looked at: a place of its own for each tile would have the
//! browser work out thousands with each step of the map.

use std::collections::BTreeMap;

use web_sys::SvgElement;

use crate::chart::coverage::Tile;
use crate::chart::work::CELL;
use crate::rtk::geo::LocalFrame;
use crate::shell::svg;
use crate::survey::leaflet::LeafletMap;
use crate::survey::window::Window;
use crate::units::decimal;

/// The swept area on the map.
pub(super) struct SweptArea {
    map: LeafletMap,
    root: SvgElement,
    all: SvgElement,
    /// For which, and around which origin, they are laid so.
    laid: Option<(Window, (f64, f64))>,
    tiles: BTreeMap<(i32, i32), SvgElement>,
}

impl SweptArea {
    /// Nothing yet; `None` when the browser refuses to make an element.
    pub(super) fn on(map: &LeafletMap) -> Option<Self> {
        let root = svg::child(&map.pane("work"), "svg", "work-swept")?;
        svg::set(&root, "aria-hidden", "true");
        Some(Self {
            map: map.clone(),
            all: svg::child(&root, "g", "")?,
            root,
            laid: None,
            tiles: BTreeMap::new(),
        })
    }

    /// Lays all of it anew, when the map has moved out of what it was laid for.
    pub(super) fn follow(&mut self, origin: (f64, f64)) {
        let is_laid =
            |(window, around): (Window, _)| around == origin && window.is_current(&self.map);
        if !self.laid.is_some_and(is_laid) {
            let window = Window::around(&self.map);
            self.laid = Some((window, origin));
            svg::set(&self.all, "transform", &transform(&window, origin));
        }
    }

    /// Draws these in place of what was drawn.
    pub(super) fn show<'a>(
        &mut self,
        origin: (f64, f64),
        tiles: impl IntoIterator<Item = &'a Tile>,
    ) {
        self.all.set_text_content(None);
        self.tiles.clear();
        self.add(origin, tiles);
    }

    /// Draws these tiles in place of what was drawn of them.
    pub(super) fn add<'a>(
        &mut self,
        origin: (f64, f64),
        tiles: impl IntoIterator<Item = &'a Tile>,
    ) {
        self.follow(origin);
        for tile in tiles {
            if !self.tiles.contains_key(&tile.at)
                && let Some(path) = svg::child(&self.all, "path", "")
            {
                self.tiles.insert(tile.at, path);
            }
            if let Some(path) = self.tiles.get(&tile.at) {
                svg::set(path, "d", &tile.path());
            }
        }
    }
}

/// From squares east and south of the origin to pixels of the panes.
fn transform(window: &Window, origin: (f64, f64)) -> String {
    let frame = LocalFrame::around(origin);
    let (east, north) = frame.east_north_from_lat_lon(window.middle());
    let pixel = |place| window.pixel(frame.lat_lon_from_east_north(place));
    let here = pixel((east, north));
    // Metres that are long enough to be exact and short enough to be straight.
    let scale = (
        (pixel((east + 10.0, north)).0 - here.0) / 10.0,
        (here.1 - pixel((east, north + 10.0)).1) / 10.0,
    );
    let numbers = [
        scale.0 * CELL,
        0.0,
        0.0,
        scale.1 * CELL,
        here.0 - scale.0 * east,
        here.1 + scale.1 * north,
    ];
    let numbers = numbers.map(|number| decimal(number, 8)).join(" ");
    ["matrix(", &numbers, ")"].concat()
}

impl Drop for SweptArea {
    fn drop(&mut self) {
        self.root.remove();
    }
}
