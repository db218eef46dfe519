//! The tile layer, when the profile names a source: an ornament that may fail.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use leaflet::{Event, Evented, EventedHandle, Layer, Map, TileLayer, TileLayerOptions};
use leptos::prelude::set_timeout;

use crate::profile::{SourceKind, TileSource};

/// The map can be zoomed in this far; tiles beyond their source's own last zoom are stretched.
pub(super) const MAX_ZOOM: f64 = 24.0;
/// A server that hangs keeps the browser's connections to it, which the page may need: nothing is
/// waited for any longer.
const PATIENCE: Duration = Duration::from_secs(8);
/// An archive is read by the viewer, when that is there; until then nothing comes.
const NOTHING: &str = "data:,";
/// What Leaflet fills in.
const PLACEHOLDERS: [&str; 6] = ["s", "z", "x", "y", "-y", "r"];

/// A tile layer on a map; dropping it takes it off.
pub(super) struct Tiles {
    layer: TileLayer,
    /// Something was heard of it, or it is gone.
    is_settled: Rc<Cell<bool>>,
    _failed: EventedHandle<Event>,
    _loaded: EventedHandle<Event>,
}

/// How a source is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TileNews {
    /// A tile came.
    Loaded,
    /// A tile did not come.
    Failed,
}

impl Tiles {
    pub(super) fn add_to(
        map: &Map,
        source: &TileSource,
        news: impl Fn(TileNews) + Clone + 'static,
    ) -> Self {
        let options = TileLayerOptions::new();
        options.set_min_zoom(f64::from(source.min_zoom));
        options.set_max_native_zoom(f64::from(source.max_zoom));
        options.set_max_zoom(MAX_ZOOM);
        let is_tiles = source.kind == SourceKind::Xyz;
        let url = if is_tiles { &source.url } else { NOTHING };
        let layer = TileLayer::new_options(url, &options);
        let as_layer: &Layer = &layer;
        let is_settled = Rc::new(Cell::new(false));
        let news = {
            let is_settled = Rc::clone(&is_settled);
            move |what| {
                is_settled.set(true);
                news(what);
            }
        };
        let on = |kind: &'static str, what| {
            let news = news.clone();
            Evented::on_leaflet_event(&as_layer, kind, move |_: Event| news(what))
        };
        let (failed, loaded) = (
            on("tileerror", TileNews::Failed),
            on("tileload", TileNews::Loaded),
        );
        layer.add_to(map);
        {
            let (layer, is_settled) = (layer.clone(), Rc::clone(&is_settled));
            set_timeout(
                move || {
                    if !is_settled.get() {
                        news(TileNews::Failed);
                        layer.remove();
                    }
                },
                PATIENCE,
            );
        }
        Self {
            layer,
            is_settled,
            _failed: failed,
            _loaded: loaded,
        }
    }
}

impl Drop for Tiles {
    fn drop(&mut self) {
        self.is_settled.set(true);
        self.layer.remove();
    }
}

/// The first placeholder of a tile address that nobody fills; Leaflet would throw at it.
pub(super) fn unknown_placeholder(url: &str) -> Option<&str> {
    url.split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name.trim())
        .find(|name| !PLACEHOLDERS.contains(name))
}
