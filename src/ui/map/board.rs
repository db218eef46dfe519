//! The Leaflet map and what lies on it, behind a few verbs in the console's own terms.
//!
//! Leaflet calls back while it is being called (a pan fires `move`), so nothing here keeps a
//! borrow across a call that can fire.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Object, Reflect};
use leaflet::{Event, Evented, EventedHandle, LatLng, Map, MapOptions};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlElement, ResizeObserver};

use super::gestures::TouchGuard;
use super::grid_lines::GridLines;
use super::marker::VehicleMarker;
use super::tiles::{MAX_ZOOM, TileNews, Tiles};
use crate::profile::{Datum, StartView, TileSource, VehicleProfile};
use crate::rtk::datum::{gcj02_from_wgs84, wgs84_from_gcj02};
use crate::rtk::geo::meters_per_pixel;
use crate::rtk::grid::{MapWindow, grid};
use crate::rtk::outline::Drawing;
use crate::rtk::view::RtkView;
use crate::units::decimal;
use crate::words::Lang;

/// Where the map looks while nobody knows better: a neutral grid.
const NOWHERE: (f64, f64) = (0.0, 0.0);
/// The zoom at which a vehicle and its next ten metres fill a part of a tablet.
const FIRST_ZOOM: f64 = 21.0;
/// Farther out than this there is nothing to see that a vehicle could reach.
const MIN_ZOOM: f64 = 3.0;
/// Following moves the map only when the vehicle is off the middle by more, so that the noise of
/// a standing vehicle's fix does not shake it.
const FOLLOW_SLACK_PX: f64 = 2.0;

/// What the board tells the page.
#[derive(Clone, Copy)]
pub(super) struct BoardSignals {
    /// The map keeps the vehicle in its middle.
    pub(super) follow: RwSignal<bool>,
    /// Metres and pixels of the scale bar.
    pub(super) scale: RwSignal<(f64, f64)>,
    /// The source from which no tile came.
    pub(super) dead_source: RwSignal<Option<String>>,
}

/// The map.
pub(super) struct Board {
    core: Rc<Core>,
    callbacks: RefCell<Option<Callbacks>>,
}

/// Whatever calls the board; dropped as one.
struct Callbacks {
    _listeners: Vec<EventedHandle<Event>>,
    _resize: Option<ResizeWatch>,
    _guard: TouchGuard,
}

struct ResizeWatch {
    observer: ResizeObserver,
    _callback: Closure<dyn FnMut()>,
}

struct Core {
    map: Map,
    container: HtmlElement,
    signals: BoardSignals,
    vehicle: Drawing,
    start: Option<StartView>,
    datum: Cell<Datum>,
    position: Cell<Option<(f64, f64)>>,
    /// Where the grid is tied to the ground, WGS84.
    anchor: Cell<Option<(f64, f64)>>,
    is_zooming: Cell<bool>,
    grid: Option<GridLines>,
    marker: RefCell<Option<VehicleMarker>>,
    tiles: RefCell<Option<Tiles>>,
    /// A chosen source that waits for the map to know where it is.
    waiting: RefCell<Option<TileSource>>,
}

impl Board {
    /// A map in that container; `None` when Leaflet is not there or refuses.
    pub(super) fn new(
        container: &HtmlElement,
        vehicle: &VehicleProfile,
        start: Option<StartView>,
        signals: BoardSignals,
    ) -> Option<Self> {
        let library = library()?;
        let guard = TouchGuard::new(container, is_touch_native(&library));
        let map = Map::new_with_element(container, &map_options()).ok()?;
        let (center, zoom) = start.map_or((NOWHERE, FIRST_ZOOM), |start| {
            ((start.lat, start.lon), start.zoom)
        });
        map.set_view(&LatLng::new(center.0, center.1), zoom);
        let core = Rc::new(Core {
            grid: GridLines::under(container),
            container: container.clone(),
            signals,
            vehicle: Drawing::from_outline(&vehicle.outline),
            start,
            datum: Cell::new(Datum::Wgs84),
            position: Cell::new(None),
            anchor: Cell::new(start.map(|start| (start.lat, start.lon))),
            is_zooming: Cell::new(false),
            marker: RefCell::new(None),
            tiles: RefCell::new(None),
            waiting: RefCell::new(None),
            map,
        });
        let board = Self {
            callbacks: RefCell::new(Some(Callbacks {
                _listeners: listeners(&core),
                _resize: ResizeWatch::new(&core),
                _guard: guard,
            })),
            core,
        };
        board.core.show_to_viewer(&board.core.map);
        board.core.say_window();
        board.core.draw_grid();
        Some(board)
    }

    /// Shows a position. A snapshot that repeats the last one costs next to nothing.
    pub(super) fn show(&self, view: &RtkView, lang: Lang) {
        self.core.show(view, lang);
    }

    /// Takes up or drops the following of the vehicle.
    pub(super) fn set_following(&self, is_following: bool) {
        self.core.zoom_around_middle(is_following);
        if is_following {
            self.core.follow(0.0);
        }
    }

    /// Zooms in (+) or out (−) by levels.
    pub(super) fn zoom_by(&self, levels: f64) {
        let map = &self.core.map;
        map.set_zoom((map.get_zoom() + levels).clamp(MIN_ZOOM, MAX_ZOOM));
    }

    /// Lays another source's tiles under everything; `None`: the grid alone.
    /// `index` is for the viewer.
    pub(super) fn set_source(&self, source: Option<&TileSource>, index: usize) {
        say(&self.core.container, "data-source", Some(index as f64));
        self.core.set_source(source);
    }

    /// Takes everything down that was put up. Nothing may be asked of the board afterwards.
    pub(super) fn take_down(&self) {
        // First the callbacks: none of them may find a map that is gone.
        drop(self.callbacks.take());
        drop(self.core.tiles.take());
        self.core.show_to_viewer(&JsValue::UNDEFINED);
        self.core.map.remove();
    }
}

impl Core {
    fn show(&self, view: &RtkView, lang: Lang) {
        let Some(position) = view.position else {
            return;
        };
        let is_first = self.position.replace(Some(position)).is_none();
        let at = self.on_map(position);
        if is_first {
            self.anchor.set(Some(position));
            // Whoever has panned somewhere else by now is left there.
            if self.signals.follow.get_untracked() {
                let zoom = self.start.map_or(FIRST_ZOOM, |start| start.zoom);
                self.map.set_view(&at, zoom);
            }
            let waiting = self.waiting.take();
            if let Some(source) = waiting {
                self.set_source(Some(&source));
            }
            self.draw_grid();
        }
        self.show_marker(&at, position, view, lang);
        if self.signals.follow.get_untracked() && !self.is_zooming.get() {
            self.follow(FOLLOW_SLACK_PX);
        }
    }

    fn show_marker(&self, at: &LatLng, position: (f64, f64), view: &RtkView, lang: Lang) {
        let mut slot = self.marker.borrow_mut();
        if slot.is_none() {
            *slot = VehicleMarker::add_to(&self.map, at, self.vehicle.clone());
            if let Some(marker) = slot.as_ref() {
                marker.scale_to(self.meters_per_pixel());
            }
        }
        if let Some(marker) = slot.as_ref() {
            marker.show(at, view, lang);
            for element in [marker.element(), &self.container] {
                say(element, "data-lat", Some(position.0));
                say(element, "data-lon", Some(position.1));
                say(element, "data-heading", view.heading);
            }
        }
    }

    /// Brings the vehicle to the middle when it is off it by more than that many pixels.
    fn follow(&self, slack_px: f64) {
        let Some(position) = self.position.get() else {
            return;
        };
        let at = self.on_map(position);
        let point = self.map.lat_lng_to_container_point(&at);
        let size = self.map.get_size();
        let off = (point.x() - size.x() / 2.0).hypot(point.y() - size.y() / 2.0);
        if off > slack_px {
            self.map.pan_to_with_options(&at, &without_animation());
        }
    }

    fn set_source(&self, source: Option<&TileSource>) {
        drop(self.tiles.take());
        self.signals.dead_source.set(None);
        self.waiting.replace(None);
        self.change_datum(source.map_or(Datum::Wgs84, |source| source.datum));
        let Some(source) = source else {
            return;
        };
        // Tiles of the sea off Africa would only keep the tile server busy.
        if self.anchor.get().is_none() {
            self.waiting.replace(Some(source.clone()));
            return;
        }
        let dead = self.signals.dead_source;
        let name = source.name.clone();
        let has_loaded = Cell::new(false);
        let state = Rc::new((has_loaded, name));
        let tiles = Tiles::add_to(&self.map, source, move |news| match news {
            TileNews::Loaded => {
                state.0.set(true);
                if dead.with_untracked(Option::is_some) {
                    dead.set(None);
                }
            }
            // Said once, and only while nothing at all came: a source may end at the fence.
            TileNews::Failed if !state.0.get() && dead.with_untracked(Option::is_none) => {
                dead.set(Some(state.1.clone()));
            }
            TileNews::Failed => {}
        });
        self.tiles.replace(Some(tiles));
    }

    /// The ground stays where it is on the screen; what is drawn on it moves to the new datum.
    fn change_datum(&self, datum: Datum) {
        if self.datum.get() == datum {
            return;
        }
        let center = self.map.get_center();
        let center = self.wgs84_from_map((center.lat(), center.lng()));
        self.datum.set(datum);
        self.say_datum();
        self.map.set_view_with_options(
            &self.on_map(center),
            self.map.get_zoom(),
            &without_animation(),
        );
        if let (Some(position), Some(marker)) = (self.position.get(), &*self.marker.borrow()) {
            marker.move_to(&self.on_map(position));
        }
        self.draw_grid();
    }

    fn on_map(&self, position: (f64, f64)) -> LatLng {
        let (lat, lon) = self.map_from_wgs84(position);
        LatLng::new(lat, lon)
    }

    fn map_from_wgs84(&self, position: (f64, f64)) -> (f64, f64) {
        match self.datum.get() {
            Datum::Wgs84 => position,
            Datum::Gcj02 => gcj02_from_wgs84(position),
        }
    }

    fn wgs84_from_map(&self, point: (f64, f64)) -> (f64, f64) {
        match self.datum.get() {
            Datum::Wgs84 => point,
            Datum::Gcj02 => wgs84_from_gcj02(point),
        }
    }

    fn draw_grid(&self) {
        let (center, size) = (self.map.get_center(), self.map.get_size());
        let window = MapWindow {
            center: (center.lat(), center.lng()),
            zoom: self.map.get_zoom(),
            size: (size.x(), size.y()),
        };
        let anchor = self.map_from_wgs84(self.anchor.get().unwrap_or(NOWHERE));
        let grid = grid(&window, anchor);
        if let Some(lines) = &self.grid {
            lines.draw(&grid);
        }
        let scale = (grid.spacing, grid.spacing_px.round());
        if self.signals.scale.get_untracked() != scale {
            self.signals.scale.set(scale);
        }
    }

    fn scale_marker(&self) {
        if let Some(marker) = &*self.marker.borrow() {
            marker.scale_to(self.meters_per_pixel());
        }
    }

    fn meters_per_pixel(&self) -> f64 {
        meters_per_pixel(self.map.get_center().lat(), self.map.get_zoom())
    }

    /// A pinch, a wheel or a double tap must not take a followed vehicle out of the middle.
    fn zoom_around_middle(&self, is_following: bool) {
        let how = if is_following {
            JsValue::from_str("center")
        } else {
            JsValue::TRUE
        };
        let Ok(options) = Reflect::get(&self.map, &"options".into()) else {
            return;
        };
        for gesture in ["touchZoom", "scrollWheelZoom", "doubleClickZoom"] {
            // The map's options are a plain object.
            Reflect::set(&options, &gesture.into(), &how).ok();
        }
    }

    /// The viewer, a program of its own, draws on the map as well.
    fn show_to_viewer(&self, map: &JsValue) {
        // A window takes every property.
        Reflect::set(&js_sys::global(), &"broomstickMap".into(), map).ok();
    }

    /// In which datum what is drawn on the map is placed.
    fn say_datum(&self) {
        let datum = match self.datum.get() {
            Datum::Wgs84 => "wgs84",
            Datum::Gcj02 => "gcj02",
        };
        // An attribute's name that is a literal here cannot be refused.
        self.container.set_attribute("data-datum", datum).ok();
    }

    fn say_window(&self) {
        let center = self.map.get_center();
        let (lat, lon) = self.wgs84_from_map((center.lat(), center.lng()));
        say(&self.container, "data-center-lat", Some(lat));
        say(&self.container, "data-center-lon", Some(lon));
        say(&self.container, "data-zoom", Some(self.map.get_zoom()));
    }
}

impl ResizeWatch {
    fn new(core: &Rc<Core>) -> Option<Self> {
        let callback = {
            let core = Rc::downgrade(core);
            Closure::<dyn FnMut()>::new(move || {
                if let Some(core) = core.upgrade() {
                    core.map.invalidate_size(false);
                    core.draw_grid();
                    if core.signals.follow.get_untracked() {
                        core.follow(0.0);
                    }
                }
            })
        };
        let observer = ResizeObserver::new(callback.as_ref().unchecked_ref()).ok()?;
        observer.observe(&core.container);
        Some(Self {
            observer,
            _callback: callback,
        })
    }
}

impl Drop for ResizeWatch {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

fn listeners(core: &Rc<Core>) -> Vec<EventedHandle<Event>> {
    let on = |kind: &'static str, act: fn(&Core)| {
        let weak = Rc::downgrade(core);
        Evented::on_leaflet_event(&&core.map, kind, move |_: Event| {
            if let Some(core) = weak.upgrade() {
                act(&core);
            }
        })
    };
    vec![
        on("move", Core::draw_grid),
        on("zoom", Core::scale_marker),
        on("moveend", Core::say_window),
        on("zoomstart", |core| core.is_zooming.set(true)),
        on("zoomend", |core| core.is_zooming.set(false)),
        on("dragstart", |core| core.signals.follow.set(false)),
    ]
}

/// Leaflet itself, `L` on the window.
fn library() -> Option<Object> {
    let library = Reflect::get(&js_sys::global(), &"L".into()).ok()?;
    let map = Reflect::get(&library, &"Map".into()).ok()?;
    map.is_function().then(|| library.unchecked_into())
}

fn is_touch_native(library: &Object) -> bool {
    Reflect::get(library, &"Browser".into())
        .and_then(|browser| Reflect::get(&browser, &"touchNative".into()))
        .is_ok_and(|value| value.is_truthy())
}

fn map_options() -> MapOptions {
    let options = MapOptions::new();
    options.set_attribution_control(false);
    options.set_zoom_control(false);
    options.set_keyboard(false);
    options.set_box_zoom(false);
    options.set_tap_hold(false);
    // A map that slides on, or swells for a quarter of a second, is a map that cannot be read.
    options.set_inertia(false);
    options.set_zoom_animation(false);
    options.set_fade_animation(false);
    options.set_zoom_snap(0.25);
    options.set_zoom_delta(1.0);
    options.set_wheel_px_per_zoom_level(120.0);
    options.set_bounce_at_zoom_limits(false);
    options.set_min_zoom(MIN_ZOOM);
    options.set_max_zoom(MAX_ZOOM);
    // The container is watched instead: it also changes when the window does not.
    options.set_track_resize(false);
    options
}

fn without_animation() -> JsValue {
    let options = Object::new();
    // A plain object takes every property.
    Reflect::set(&options, &"animate".into(), &JsValue::FALSE).ok();
    options.into()
}

fn say(element: &Element, name: &str, value: Option<f64>) {
    // An attribute's name that is a literal here cannot be refused.
    match value {
        Some(value) => element.set_attribute(name, &decimal(value, 8)).ok(),
        None => element.remove_attribute(name).ok(),
    };
}
