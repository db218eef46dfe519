//! The part of the map that something is drawn for, and where places are in it.

use super::leaflet::{LeafletMap, on_map};
use crate::profile::Datum;
use crate::rtk::datum::wgs84_from_gcj02;
use crate::rtk::geo::{lat_lon_from_world_pixel, world_pixel_from_lat_lon};

/// Of the map's size, drawn beyond each of its sides.
const PADDING: f64 = 0.25;

/// It is a half larger than the map, and what lies in a pane moves with the map, so it is drawn anew
/// only when the map has moved out of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Window {
    zoom: f64,
    /// The pixel of the whole world at which the panes begin.
    origin: (f64, f64),
    /// Pixels of the whole world for each of 256.
    scale: f64,
    /// In which datum the map places things.
    pub(super) datum: Datum,
    /// Its first corner in the panes, and its size, pixels.
    pub(super) at: (f64, f64),
    pub(super) size: (f64, f64),
}

impl Window {
    /// Around what the map shows now.
    pub(super) fn around(map: &LeafletMap) -> Self {
        let (size, zoom) = (map.size(), map.get_zoom());
        Self {
            zoom,
            scale: (zoom * std::f64::consts::LN_2).exp(),
            origin: map.origin(),
            datum: map.datum(),
            at: map.layer_from_container((-size.0 * PADDING, -size.1 * PADDING)),
            size: (
                (size.0 * (1.0 + 2.0 * PADDING)).ceil(),
                (size.1 * (1.0 + 2.0 * PADDING)).ceil(),
            ),
        }
    }

    /// What the map shows now lies within it.
    pub(super) fn is_current(&self, map: &LeafletMap) -> bool {
        let (at, size) = (map.layer_from_container((0.0, 0.0)), map.size());
        (self.zoom - map.get_zoom()).abs() < 1e-9
            && self.origin == map.origin()
            && self.datum == map.datum()
            && at.0 >= self.at.0
            && at.1 >= self.at.1
            && at.0 + size.0 <= self.at.0 + self.size.0
            && at.1 + size.1 <= self.at.1 + self.size.1
    }

    /// The place in its middle; WGS84.
    pub(super) fn middle(&self) -> (f64, f64) {
        let pixel = (
            self.origin.0 + self.at.0 + self.size.0 / 2.0,
            self.origin.1 + self.at.1 + self.size.1 / 2.0,
        );
        let place = lat_lon_from_world_pixel(pixel, self.zoom);
        match self.datum {
            Datum::Wgs84 => place,
            Datum::Gcj02 => wgs84_from_gcj02(place),
        }
    }

    /// Where a place is in the panes; WGS84.
    pub(super) fn pixel(&self, place: (f64, f64)) -> (f64, f64) {
        self.in_panes(world_pixel_from_lat_lon(on_map(place, self.datum), 0.0))
    }

    /// The same for a place on a world of 256 pixels, in the map's datum.
    pub(super) fn in_panes(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (
            x * self.scale - self.origin.0,
            y * self.scale - self.origin.1,
        )
    }

    /// A point of the panes lies in it, or that near to it.
    pub(super) fn holds(&self, (x, y): (f64, f64), margin: f64) -> bool {
        x >= self.at.0 - margin
            && y >= self.at.1 - margin
            && x <= self.at.0 + self.size.0 + margin
            && y <= self.at.1 + self.size.1 + margin
    }
}
