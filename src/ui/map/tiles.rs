//! The tile layer, when the profile names a source: an ornament that may fail.

use leaflet::{Event, Evented, EventedHandle, Layer, Map, TileLayer, TileLayerOptions};

use crate::profile::TileSource;

/// The map can be zoomed in this far; tiles beyond their source's own last zoom are stretched.
pub(super) const MAX_ZOOM: f64 = 24.0;
/// What Leaflet fills in.
const PLACEHOLDERS: [&str; 6] = ["s", "z", "x", "y", "-y", "r"];

/// A tile layer on a map; dropping it takes it off.
pub(super) struct Tiles {
    layer: TileLayer,
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
        let layer = TileLayer::new_options(&source.url, &options);
        let as_layer: &Layer = &layer;
        let failed = {
            let news = news.clone();
            Evented::on_leaflet_event(&as_layer, "tileerror", move |_: Event| {
                news(TileNews::Failed);
            })
        };
        let loaded = Evented::on_leaflet_event(&as_layer, "tileload", move |_: Event| {
            news(TileNews::Loaded);
        });
        layer.add_to(map);
        Self {
            layer,
            _failed: failed,
            _loaded: loaded,
        }
    }
}

impl Drop for Tiles {
    fn drop(&mut self) {
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
