//! Draws the swept squares: a path for each tile. They are laid on the map all at once, by what a
//! metre is in the middle of what is looked at: a place of its own for each tile would have the
//! browser work out thousands with each step of the map.
//!
//! Where the vehicle sweeps now, tiles lie on a sheet of their own: with each change of one the
//! browser goes through all that is on its sheet. Paths are put in many at a time, empty, for with
//! each element that is put in it looks at the style of the whole page.

use std::collections::BTreeMap;

use web_sys::SvgElement;

use crate::chart::coverage::Tile;
use crate::chart::work::CELL;
use crate::rtk::geo::LocalFrame;
use crate::shell::svg;
use crate::survey::leaflet::LeafletMap;
use crate::survey::window::Window;
use crate::units::decimal;

/// Tiles on the sheet of those that change.
const FRESH: usize = 64;

/// The swept area on the map.
pub(super) struct SweptArea {
    map: LeafletMap,
    /// For which, and around which origin, they are laid so.
    laid: Option<(Window, (f64, f64))>,
    settled: Sheet,
    fresh: Sheet,
    spare: Vec<SvgElement>,
}

struct Sheet {
    root: SvgElement,
    all: SvgElement,
    tiles: BTreeMap<(i32, i32), SvgElement>,
}

impl Sheet {
    fn on(map: &LeafletMap) -> Option<Self> {
        let root = svg::child(&map.pane("work"), "svg", "work-swept")?;
        svg::set(&root, "aria-hidden", "true");
        svg::extent(&root, (0.0, 0.0), (0.0, 0.0));
        Some(Self {
            all: svg::child(&root, "g", "")?,
            root,
            tiles: BTreeMap::new(),
        })
    }

    /// Draws a tile, in place of what was drawn of it.
    fn draw(&mut self, at: (i32, i32), way: &str, spare: impl FnOnce(&Self) -> Option<SvgElement>) {
        if !self.tiles.contains_key(&at)
            && let Some(path) = spare(self)
        {
            self.tiles.insert(at, path);
        }
        if let Some(path) = self.tiles.get(&at) {
            svg::set(path, "d", way);
        }
    }

    fn path(&self) -> Option<SvgElement> {
        svg::child(&self.all, "path", "")
    }

    fn clear(&mut self) {
        self.all.set_text_content(None);
        self.tiles.clear();
    }
}

impl Drop for Sheet {
    fn drop(&mut self) {
        self.root.remove();
    }
}

impl SweptArea {
    /// Nothing yet; `None` when the browser refuses to make an element.
    pub(super) fn on(map: &LeafletMap) -> Option<Self> {
        Some(Self {
            map: map.clone(),
            laid: None,
            settled: Sheet::on(map)?,
            fresh: Sheet::on(map)?,
            spare: Vec::new(),
        })
    }

    /// Lays all of it anew, when the map has moved out of what it was laid for.
    pub(super) fn follow(&mut self, origin: (f64, f64)) {
        let is_laid =
            |(window, around): (Window, _)| around == origin && window.is_current(&self.map);
        if self.laid.is_some_and(is_laid) {
            return;
        }
        let window = Window::around(&self.map);
        self.laid = Some((window, origin));
        for sheet in [&self.settled, &self.fresh] {
            svg::extent(&sheet.root, window.at, window.size);
            svg::set(&sheet.all, "transform", &transform(&window, origin));
        }
    }

    /// Draws these in place of what was drawn.
    pub(super) fn show<'a>(
        &mut self,
        origin: (f64, f64),
        tiles: impl IntoIterator<Item = &'a Tile>,
    ) {
        self.settled.clear();
        self.fresh.clear();
        self.spare.clear();
        self.follow(origin);
        for tile in tiles {
            self.settled.draw(tile.at, &tile.path(), Sheet::path);
        }
    }

    /// Draws these tiles in place of what was drawn of them.
    pub(super) fn add<'a>(
        &mut self,
        origin: (f64, f64),
        tiles: impl IntoIterator<Item = &'a Tile>,
    ) {
        self.follow(origin);
        for tile in tiles {
            if let Some(path) = self.settled.tiles.get(&tile.at) {
                svg::set(path, "d", "");
            }
            let spare = &mut self.spare;
            self.fresh.draw(tile.at, &tile.path(), |sheet| {
                if spare.is_empty() {
                    spare.extend((0..=FRESH).filter_map(|_| sheet.path()));
                }
                spare.pop()
            });
        }
        if self.fresh.tiles.len() > FRESH {
            self.settle();
        }
    }

    fn settle(&mut self) {
        for (at, path) in std::mem::take(&mut self.fresh.tiles) {
            let way = path.get_attribute("d").unwrap_or_default();
            self.settled.draw(at, &way, Sheet::path);
            svg::set(&path, "d", "");
            self.spare.push(path);
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
