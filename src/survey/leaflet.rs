//! What is called of the page's Leaflet map. Only what the map itself has: the page's bundle holds
//! the parts of the library that the page uses (`scripts/leaflet.mjs`).

use js_sys::{Array, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::HtmlElement;

use crate::profile::Datum;
use crate::rtk::datum::gcj02_from_wgs84;

#[wasm_bindgen]
extern "C" {
    /// An `L.Map`.
    #[derive(Clone)]
    pub(super) type LeafletMap;

    /// An `L.Point`.
    pub(super) type LeafletPoint;

    #[wasm_bindgen(method, getter)]
    pub(super) fn x(this: &LeafletPoint) -> f64;

    #[wasm_bindgen(method, getter)]
    pub(super) fn y(this: &LeafletPoint) -> f64;

    #[wasm_bindgen(method, js_name = getContainer)]
    pub(super) fn get_container(this: &LeafletMap) -> HtmlElement;

    #[wasm_bindgen(method, js_name = getZoom)]
    pub(super) fn get_zoom(this: &LeafletMap) -> f64;

    #[wasm_bindgen(method, js_name = getSize)]
    pub(super) fn get_size(this: &LeafletMap) -> LeafletPoint;

    #[wasm_bindgen(method, js_name = getPixelOrigin)]
    pub(super) fn get_pixel_origin(this: &LeafletMap) -> LeafletPoint;

    #[wasm_bindgen(method, js_name = containerPointToLayerPoint)]
    fn layer_point(this: &LeafletMap, point: &Array) -> LeafletPoint;

    #[wasm_bindgen(method, js_name = getPane)]
    fn get_pane(this: &LeafletMap, name: &str) -> Option<HtmlElement>;

    #[wasm_bindgen(method, js_name = createPane)]
    fn create_pane(this: &LeafletMap, name: &str) -> HtmlElement;

    #[wasm_bindgen(method)]
    fn on(this: &LeafletMap, kinds: &str, act: &JsValue);

    #[wasm_bindgen(method)]
    fn off(this: &LeafletMap, kinds: &str, act: &JsValue);
}

/// The page's map, while there is one.
pub(super) fn page_map() -> Option<LeafletMap> {
    let map = Reflect::get(&js_sys::global(), &"broomstickMap".into()).ok()?;
    map.is_object().then(|| map.unchecked_into())
}

impl LeafletMap {
    /// A pane of that name, in which everything moves with the map.
    pub(super) fn pane(&self, name: &str) -> HtmlElement {
        self.get_pane(name)
            .unwrap_or_else(|| self.create_pane(name))
    }

    /// Where a point of the container lies in the panes.
    pub(super) fn layer_from_container(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let point = self.layer_point(&Array::of2(&x.into(), &y.into()));
        (point.x(), point.y())
    }

    /// The pixel of the whole world at which the panes begin.
    pub(super) fn origin(&self) -> (f64, f64) {
        let origin = self.get_pixel_origin();
        (origin.x(), origin.y())
    }

    /// In pixels.
    pub(super) fn size(&self) -> (f64, f64) {
        let size = self.get_size();
        (size.x(), size.y())
    }

    /// In which things are placed on it.
    pub(super) fn datum(&self) -> Datum {
        match self.get_container().get_attribute("data-datum").as_deref() {
            Some("gcj02") => Datum::Gcj02,
            _ => Datum::Wgs84,
        }
    }
}

/// WGS84 as a map of that datum wants it.
pub(super) fn on_map(position: (f64, f64), datum: Datum) -> (f64, f64) {
    match datum {
        Datum::Wgs84 => position,
        Datum::Gcj02 => gcj02_from_wgs84(position),
    }
}

/// Calls something when the map moves in any way; until it is dropped.
pub(super) struct Moves {
    map: LeafletMap,
    act: Closure<dyn Fn()>,
}

const MOVES: &str = "move zoom viewreset moveend zoomend resize";

impl Moves {
    pub(super) fn of(map: &LeafletMap, act: impl Fn() + 'static) -> Self {
        let act = Closure::<dyn Fn()>::new(act);
        map.on(MOVES, act.as_ref());
        Self {
            map: map.clone(),
            act,
        }
    }
}

impl Drop for Moves {
    fn drop(&mut self) {
        self.map.off(MOVES, self.act.as_ref());
    }
}
