//! What is called of the page's Leaflet map and its layers.

use js_sys::{Array, Function, Object, Reflect};
use leaflet::{LatLng, Map, TileLayer};
use wasm_bindgen::prelude::*;
use web_sys::Element;

use crate::profile::Datum;
use crate::rtk::datum::{gcj02_from_wgs84, wgs84_from_gcj02};

#[wasm_bindgen]
extern "C" {
    /// A tile layer, with what the binding leaves out or names otherwise.
    #[wasm_bindgen(extends = TileLayer)]
    pub(super) type OwnLayer;

    #[wasm_bindgen(method, js_name = getTileUrl, catch)]
    pub(super) fn url_of(this: &OwnLayer, coords: &JsValue) -> Result<String, JsValue>;

    #[wasm_bindgen(method, setter, js_name = createTile)]
    pub(super) fn set_create_tile(this: &OwnLayer, create: &JsValue);

    #[wasm_bindgen(method, getter, js_name = options)]
    pub(super) fn layer_options(this: &OwnLayer) -> Object;

    /// Made by this program.
    #[wasm_bindgen(method, getter, js_name = broomstickOwn)]
    fn own_mark(this: &OwnLayer) -> Option<bool>;

    #[wasm_bindgen(method, setter, js_name = broomstickOwn)]
    pub(super) fn set_own_mark(this: &OwnLayer, is_own: bool);

    /// A tap on the map.
    pub(super) type MapClick;

    #[wasm_bindgen(method, getter)]
    fn latlng(this: &MapClick) -> LatLng;
}

impl OwnLayer {
    pub(super) fn is_own(&self) -> bool {
        self.own_mark() == Some(true)
    }
}

/// The page's map, while there is one.
pub(super) fn page_map() -> Option<Map> {
    let map = Reflect::get(&js_sys::global(), &"broomstickMap".into()).ok()?;
    map.is_object().then(|| map.unchecked_into())
}

/// Are they one map?
pub(super) fn is_same(a: &Map, b: &Map) -> bool {
    let (a, b): (&JsValue, &JsValue) = (a.as_ref(), b.as_ref());
    a == b
}

/// The chosen source by its place among those that have tiles.
pub(super) fn chosen_source(map: &Map) -> usize {
    attribute(map, "data-source")
        .and_then(|index| index.parse::<f64>().ok())
        .unwrap_or_default() as usize
}

/// In which things are placed on the map.
pub(super) fn datum(map: &Map) -> Datum {
    match attribute(map, "data-datum").as_deref() {
        Some("gcj02") => Datum::Gcj02,
        _ => Datum::Wgs84,
    }
}

/// Where a tap was, WGS84.
pub(super) fn wgs84_of_click(map: &Map, click: &MapClick) -> (f64, f64) {
    let place = click.latlng();
    wgs84_from_map(datum(map))((place.lat(), place.lng()))
}

/// From places on a map of that datum.
pub(super) fn wgs84_from_map(datum: Datum) -> fn((f64, f64)) -> (f64, f64) {
    match datum {
        Datum::Wgs84 => |place| place,
        Datum::Gcj02 => wgs84_from_gcj02,
    }
}

/// As a map of that datum wants it.
pub(super) fn on_map(place: (f64, f64), datum: Datum) -> LatLng {
    let (lat, lon) = match datum {
        Datum::Wgs84 => place,
        Datum::Gcj02 => gcj02_from_wgs84(place),
    };
    LatLng::new(lat, lon)
}

/// Where the vehicle is, WGS84, while it is live.
pub(super) fn live_vehicle(map: &Map) -> Option<(f64, f64)> {
    let container: Element = map.get_container().into();
    let marker = container
        .query_selector("[data-testid=\"vehicle-marker\"][data-live=\"true\"]")
        .ok()??;
    let number = |name: &str| marker.get_attribute(name)?.parse().ok();
    Some((number("data-lat")?, number("data-lon")?))
}

/// The tile that Leaflet asks for.
pub(super) fn coord_of(coords: &JsValue) -> (u8, u32, u32) {
    let number = |name: &str| {
        Reflect::get(coords, &name.into())
            .ok()
            .and_then(|number| number.as_f64())
            .unwrap_or_default()
    };
    (number("z") as u8, number("x") as u32, number("y") as u32)
}

/// Leaflet counts a function's parameters: with two it waits to be called back.
pub(super) fn has_two_parameters(function: &JsValue) {
    let descriptor = Object::new();
    // A plain object takes every property.
    Reflect::set(&descriptor, &"value".into(), &2.into()).ok();
    Object::define_property(
        function.unchecked_ref::<Object>(),
        &"length".into(),
        &descriptor,
    );
}

/// A tile is there, or is not.
pub(super) fn report(done: &Function, error: Option<&str>, tile: &JsValue) {
    let error = error.map_or(JsValue::NULL, JsValue::from_str);
    // What Leaflet throws here concerns a layer that is gone.
    done.apply(&JsValue::NULL, &Array::of2(&error, tile)).ok();
}

fn attribute(map: &Map, name: &str) -> Option<String> {
    map.get_container().get_attribute(name)
}
