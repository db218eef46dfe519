//! Fingers on the page's map, while somebody draws: which of them tap, and where on Earth.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Function, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{EventTarget, PointerEvent};

use crate::chart::pencil::Tap;
use crate::chart::tap::Taps;
use crate::profile::Datum;
use crate::rtk::datum::wgs84_from_gcj02;
use crate::rtk::geo::lat_lon_from_world_pixel;
use crate::survey::leaflet::LeafletMap;

/// Hears the map's fingers until it is dropped.
pub(super) struct Fingers {
    map: LeafletMap,
    listeners: Vec<Listener>,
}

/// On what, of which event, and what it calls.
type Listener = (EventTarget, &'static str, Closure<dyn FnMut(PointerEvent)>);

impl Fingers {
    /// `tapped` hears every tap on the map.
    pub(super) fn on(map: &LeafletMap, tapped: impl Fn(Tap) + 'static) -> Self {
        let taps = Rc::new(RefCell::new(Taps::default()));
        let tapped = Rc::new(tapped);
        let target: EventTarget = map.get_container().into();
        let mut fingers = Self {
            map: map.clone(),
            listeners: Vec::new(),
        };
        for kind in ["pointerdown", "pointermove", "pointerup", "pointercancel"] {
            let (taps, tapped, map) = (Rc::clone(&taps), Rc::clone(&tapped), map.clone());
            let callback = Closure::<dyn FnMut(PointerEvent)>::new(move |event: PointerEvent| {
                if event.pointer_type() == "mouse" && kind == "pointerdown" && event.button() != 0 {
                    return;
                }
                let area = map.get_container().get_bounding_client_rect();
                let at = (
                    f64::from(event.client_x()) - area.left(),
                    f64::from(event.client_y()) - area.top(),
                );
                let Ok(mut taps) = taps.try_borrow_mut() else {
                    return;
                };
                let (pointer, now) = (event.pointer_id(), event.time_stamp());
                let tap = match kind {
                    "pointerdown" => {
                        taps.down(pointer, at, now);
                        None
                    }
                    "pointermove" => {
                        taps.moved(pointer, at);
                        None
                    }
                    "pointerup" => taps.up(pointer, at, now),
                    _ => {
                        taps.cancelled(pointer);
                        None
                    }
                };
                drop(taps);
                if let Some(at) = tap {
                    tapped(Tap {
                        place: place_at(&map, at),
                        zoom: map.get_zoom(),
                        is_exact: false,
                    });
                }
            });
            let function: &Function = callback.as_ref().unchecked_ref();
            if target
                .add_event_listener_with_callback(kind, function)
                .is_ok()
            {
                fingers.listeners.push((target.clone(), kind, callback));
            }
        }
        fingers
    }

    /// Two quick taps are two corners while somebody draws, not a zoom.
    pub(super) fn set_drawing(&self, is_drawing: bool) {
        let name = if is_drawing { "disable" } else { "enable" };
        let done = Reflect::get(&self.map, &"doubleClickZoom".into()).and_then(|gesture| {
            let act: Function = Reflect::get(&gesture, &name.into())?.dyn_into()?;
            act.call0(&gesture)
        });
        if done.is_err() {
            leptos::logging::warn!("the map keeps its double tap");
        }
    }
}

impl Drop for Fingers {
    fn drop(&mut self) {
        for (target, kind, callback) in &self.listeners {
            let function: &Function = callback.as_ref().unchecked_ref();
            // It fails only where there is nothing to remove.
            target
                .remove_event_listener_with_callback(kind, function)
                .ok();
        }
    }
}

/// Where on Earth a point of the map's container is.
fn place_at(map: &LeafletMap, at: (f64, f64)) -> (f64, f64) {
    let ((x, y), origin) = (map.layer_from_container(at), map.origin());
    let shown = lat_lon_from_world_pixel((x + origin.0, y + origin.1), map.get_zoom());
    match map.datum() {
        Datum::Wgs84 => shown,
        Datum::Gcj02 => wgs84_from_gcj02(shown),
    }
}
