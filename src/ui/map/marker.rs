//! The vehicle on the map: its outline to scale, an unmistakable front, and nothing that claims
//! to know more than the fix does.

use std::cell::Cell;

use js_sys::Reflect;
use leaflet::{DivIconOptions, LatLng, Marker, MarkerOptions, Point};
use wasm_bindgen::prelude::*;
use web_sys::{Document, Element, HtmlElement, SvgElement};

use super::text::{self, Word};
use crate::rtk::geo::heading_difference;
use crate::rtk::outline::Drawing;
use crate::rtk::view::{RtkState, RtkView};
use crate::shell::svg;
use crate::units::decimal;
use crate::words::Lang;

/// Degrees from which on the vehicle is seen to turn from one fix to the next.
const LARGE_TURN: f64 = 6.0;

#[wasm_bindgen]
extern "C" {
    /// `getElement` of `L.Marker`, which the binding leaves out.
    #[wasm_bindgen(extends = Marker)]
    type WithElement;

    #[wasm_bindgen(method, js_name = getElement)]
    fn get_element(this: &WithElement) -> Option<Element>;

    /// `L.DivIcon`; the binding's own makes an `L.Icon`, which wants a picture's address.
    #[wasm_bindgen(js_namespace = L, js_name = DivIcon)]
    type ElementIcon;

    #[wasm_bindgen(constructor, js_namespace = L, js_class = "DivIcon")]
    fn new(options: &DivIconOptions) -> ElementIcon;
}

/// The vehicle's marker, on a map for as long as the map lives.
pub(super) struct VehicleMarker {
    marker: Marker,
    root: Element,
    body: HtmlElement,
    picture: SvgElement,
    note: HtmlElement,
    drawing: Drawing,
    /// Unwrapped, so that the transition takes the shortest arc; `None` before the first good one.
    shown_heading: Cell<Option<f64>>,
}

impl VehicleMarker {
    /// Puts the vehicle on the map. `None` when the browser refuses to make an element.
    pub(super) fn add_to(map: &leaflet::Map, at: &LatLng, drawing: Drawing) -> Option<Self> {
        let document = web_sys::window()?.document()?;
        let picture = picture_of(&drawing)?;
        let body = html(&document, "div", "vehicle-body")?;
        let note = html(&document, "span", "vehicle-note")?;
        let content = html(&document, "div", "vehicle")?;
        body.append_child(&picture).ok()?;
        content.append_child(&body).ok()?;
        content.append_child(&note).ok()?;

        let icon = DivIconOptions::new();
        icon.set_class_name("vehicle-marker".into());
        icon.set_icon_size(Point::new(0.0, 0.0));
        // The binding knows text only; an element needs no HTML parser and passes every policy.
        Reflect::set(&icon, &"html".into(), &content).ok()?;
        let options = MarkerOptions::new();
        options.set_icon(ElementIcon::new(&icon).unchecked_into());
        options.set_interactive(false);
        options.set_keyboard(false);
        let marker = Marker::new_with_options(at, &options);
        marker.add_to(map);
        let root = marker.unchecked_ref::<WithElement>().get_element()?;
        root.set_attribute("data-testid", "vehicle-marker").ok()?;
        Some(Self {
            marker,
            root,
            body,
            picture,
            note,
            drawing,
            shown_heading: Cell::new(None),
        })
    }

    /// Moves and turns the vehicle, and says what is not known of it.
    pub(super) fn show(&self, at: &LatLng, view: &RtkView, lang: Lang) {
        self.marker.set_lat_lng(at);
        let good_heading = view.heading.filter(|_| view.heading_is_good);
        if let Some(heading) = good_heading {
            self.turn_to(heading);
        }
        let is_live = view.state == RtkState::Live;
        self.set_flag("data-live", is_live);
        self.set_flag("data-heading-good", good_heading.is_some());
        let note = match (is_live, good_heading) {
            (true, Some(_)) => "",
            (true, None) => Word::HeadingUnknown.text(lang),
            (false, _) => text::not_live(view.state, lang),
        };
        if self.note.text_content().as_deref() != Some(note) {
            self.note.set_text_content(Some(note));
        }
    }

    /// Moves the vehicle, to the same place in another datum.
    pub(super) fn move_to(&self, at: &LatLng) {
        self.marker.set_lat_lng(at);
    }

    /// Draws to scale on a map where a pixel covers that many metres.
    pub(super) fn scale_to(&self, meters_per_pixel: f64) {
        let side = self.drawing.side_px(meters_per_pixel);
        svg::style(&self.picture.style(), "width", &(decimal(side, 1) + "px"));
        svg::style(&self.picture.style(), "height", &(decimal(side, 1) + "px"));
        // The note keeps clear of the body whichever way it faces, and above it: below, on a tablet, is
        // the speed limit.
        let clear = side / 2.0 * (self.drawing.body_radius / self.drawing.reach);
        svg::style(
            &self.note.style(),
            "bottom",
            &(decimal(clear + 6.0, 1) + "px"),
        );
    }

    /// The marker's element, which carries the attributes that tests read.
    pub(super) fn element(&self) -> &Element {
        &self.root
    }

    fn turn_to(&self, heading: f64) {
        let before = self.shown_heading.get();
        let by = before.map_or(0.0, |shown| heading_difference(shown, heading));
        let shown = before.map_or(heading, |shown| shown + by);
        self.shown_heading.set(Some(shown));
        // A few degrees are no jump to the eye, and an animation begun with each fix costs the page
        // more than all else of it.
        self.set_flag("data-swings", by.abs() > LARGE_TURN);
        svg::style(
            &self.body.style(),
            "transform",
            &["rotate(", &decimal(shown, 2), "deg)"].concat(),
        );
    }

    fn set_flag(&self, name: &str, value: bool) {
        svg::set(&self.root, name, if value { "true" } else { "false" });
    }
}

fn picture_of(drawing: &Drawing) -> Option<SvgElement> {
    let picture = svg::element("svg", "vehicle-picture")?;
    let [least, size] = [-1.0, 2.0].map(|times| decimal(times * drawing.reach, 3));
    let view = [&*least, &least, &size, &size].join(" ");
    svg::set(&picture, "viewBox", &view);
    let radius = |share: f64| decimal(share * drawing.body_radius, 3);
    for (tag, class, shape, value) in [
        (
            "polygon",
            "vehicle-outline",
            "points",
            points(&drawing.body),
        ),
        ("polygon", "vehicle-arrow", "points", points(&drawing.arrow)),
        // Shown instead of the two when nobody knows which way the vehicle faces.
        ("circle", "vehicle-anywhere", "r", radius(1.0)),
        ("circle", "vehicle-reference", "r", radius(0.09)),
    ] {
        let part = svg::child(&picture, tag, class)?;
        svg::set(&part, shape, &value);
    }
    Some(picture)
}

fn points(corners: &[(f64, f64)]) -> String {
    let corners: Vec<String> = corners
        .iter()
        .map(|(x, y)| [decimal(*x, 3), decimal(*y, 3)].join(","))
        .collect();
    corners.join(" ")
}

fn html(document: &Document, tag: &str, class: &str) -> Option<HtmlElement> {
    let element = document.create_element(tag).ok()?;
    element.set_class_name(class);
    element.dyn_into().ok()
}
