//! A canvas over the map, a half larger than it, that moves with it and is drawn anew only when the
//! map has moved out of it.

use wasm_bindgen::prelude::*;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use crate::shell::svg::translation;
use crate::survey::leaflet::LeafletMap;
use crate::survey::window::Window;
use crate::units::decimal;

/// More device pixels a pixel would only cost time.
const MOST_RATIO: f64 = 2.0;

/// The canvas.
pub(super) struct Plate {
    pub(super) map: LeafletMap,
    pub(super) canvas: HtmlCanvasElement,
    pub(super) context: CanvasRenderingContext2d,
    window: Option<Window>,
}

impl Plate {
    /// An empty one; `None` when the browser has no canvas to give.
    pub(super) fn on(map: &LeafletMap, name: &str) -> Option<Self> {
        let document = web_sys::window()?.document()?;
        let canvas: HtmlCanvasElement = document.create_element("canvas").ok()?.dyn_into().ok()?;
        canvas.set_class_name("work-plate");
        canvas.set_attribute("aria-hidden", "true").ok()?;
        canvas.set_attribute("data-testid", name).ok()?;
        let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        map.pane("work").append_child(&canvas).ok()?;
        Some(Self {
            map: map.clone(),
            canvas,
            context,
            window: None,
        })
    }

    /// False when the page has taken its map away.
    pub(super) fn is_connected(&self) -> bool {
        self.canvas.is_connected()
    }

    /// What the map shows is still drawn.
    pub(super) fn is_current(&self) -> bool {
        self.window.is_some_and(|it| it.is_current(&self.map))
    }

    /// Empty, and where the map is now. One that stays empty is better hidden: without a graphics
    /// card it is copied with each frame of the page.
    pub(super) fn begin(&mut self, is_hidden: bool) {
        let window = Window::around(&self.map);
        self.window = Some(window);
        self.canvas.set_hidden(is_hidden);
        let ratio = web_sys::window()
            .map_or(1.0, |window| window.device_pixel_ratio())
            .min(MOST_RATIO);
        let (width, height) = window.size;
        // Setting its size empties it, too.
        self.canvas.set_width((width * ratio) as u32);
        self.canvas.set_height((height * ratio) as u32);
        let style = self.canvas.style();
        for (name, value) in [
            ("width", decimal(width, 0) + "px"),
            ("height", decimal(height, 0) + "px"),
            ("transform", translation(window.at)),
        ] {
            // A value that the browser does not understand is ignored by it, not refused.
            style.set_property(name, &value).ok();
        }
        // A transform of finite numbers cannot be refused.
        self.context
            .set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0)
            .ok();
    }

    /// Where a place is on it.
    pub(super) fn pixel(&self, place: (f64, f64)) -> (f64, f64) {
        self.window.map_or((0.0, 0.0), |window| {
            let (x, y) = window.pixel(place);
            (x - window.at.0, y - window.at.1)
        })
    }

    /// A colour of the theme.
    pub(super) fn colour(&self, variable: &str) -> String {
        web_sys::window()
            .and_then(|window| window.get_computed_style(&self.canvas).ok().flatten())
            .and_then(|style| style.get_property_value(variable).ok())
            .map(|value| value.trim().to_owned())
            .filter(|value| !value.is_empty())
            .unwrap_or_else(|| "gray".to_owned())
    }
}

impl Drop for Plate {
    fn drop(&mut self) {
        self.canvas.remove();
    }
}
