//! Draws the swept squares: each tile once on a small canvas of its own, which is then laid where it
//! belongs however the map moves.

use std::collections::BTreeMap;

use wasm_bindgen::prelude::*;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use super::plate::Plate;
use crate::chart::coverage::{SIDE, Tile};
use crate::chart::work::CELL;
use crate::rtk::geo::LocalFrame;
use crate::survey::leaflet::LeafletMap;

/// The swept area on the map.
pub(super) struct SweptPlate {
    plate: Plate,
    colour: String,
    pictures: BTreeMap<(i32, i32), HtmlCanvasElement>,
}

impl SweptPlate {
    /// Nothing yet.
    pub(super) fn on(map: &LeafletMap) -> Option<Self> {
        Some(Self {
            plate: Plate::on(map, "work-swept-plate")?,
            colour: String::new(),
            pictures: BTreeMap::new(),
        })
    }

    /// Draws all of it, when the map or the theme has changed.
    pub(super) fn follow<'a>(&mut self, origin: (f64, f64), tiles: impl Iterator<Item = &'a Tile>) {
        let colour = self.plate.colour("--go");
        if colour != self.colour {
            self.colour = colour;
            self.show(origin, tiles);
        } else if !self.plate.is_current() {
            self.lay_all(origin);
        }
    }

    /// Draws these in place of what was drawn.
    pub(super) fn show<'a>(&mut self, origin: (f64, f64), tiles: impl Iterator<Item = &'a Tile>) {
        self.pictures.clear();
        for tile in tiles {
            self.take(tile);
        }
        self.lay_all(origin);
    }

    /// Draws these tiles over what was drawn.
    pub(super) fn add(&mut self, origin: (f64, f64), tiles: &[Tile]) {
        for tile in tiles {
            self.take(tile);
            self.lay(origin, tile.at);
        }
    }

    fn take(&mut self, tile: &Tile) {
        let made = || -> Option<(HtmlCanvasElement, CanvasRenderingContext2d)> {
            let document = web_sys::window()?.document()?;
            let picture: HtmlCanvasElement =
                document.create_element("canvas").ok()?.dyn_into().ok()?;
            picture.set_width(SIDE as u32);
            picture.set_height(SIDE as u32);
            let context = picture.get_context("2d").ok()??.dyn_into().ok()?;
            Some((picture, context))
        };
        let Some((picture, context)) = made() else {
            return;
        };
        context.set_fill_style_str(&self.colour);
        for (row, &bits) in tile.rows.iter().enumerate() {
            let mut rest = bits;
            // The first row is the southernmost.
            let y = f64::from(SIDE) - 1.0 - row as f64;
            while rest != 0 {
                let from = rest.trailing_zeros();
                let length = (!(rest >> from)).trailing_zeros();
                context.fill_rect(f64::from(from), y, f64::from(length), 1.0);
                let above = from + length;
                rest = if above >= 64 {
                    0
                } else {
                    rest >> above << above
                };
            }
        }
        self.pictures.insert(tile.at, picture);
    }

    fn lay_all(&mut self, origin: (f64, f64)) {
        self.plate.begin();
        self.plate.context.set_image_smoothing_enabled(false);
        for &at in self.pictures.keys() {
            self.lay(origin, at);
        }
    }

    fn lay(&self, origin: (f64, f64), at: (i32, i32)) {
        let Some(picture) = self.pictures.get(&at) else {
            return;
        };
        let frame = LocalFrame::around(origin);
        let side = CELL * f64::from(SIDE);
        let corner = |column: i32, row: i32| {
            let place = (f64::from(column) * side, f64::from(row) * side);
            let (x, y) = self.plate.pixel(frame.lat_lon_from_east_north(place));
            (x.round(), y.round())
        };
        let (left, top) = corner(at.0, at.1 + 1);
        let (right, bottom) = corner(at.0 + 1, at.1);
        let (width, height) = (right - left, bottom - top);
        self.plate.context.clear_rect(left, top, width, height);
        // A canvas that has a size cannot be refused.
        self.plate
            .context
            .draw_image_with_html_canvas_element_and_dw_and_dh(picture, left, top, width, height)
            .ok();
    }
}
