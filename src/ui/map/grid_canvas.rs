//! Draws the metric grid on a canvas that lies under everything else of the map.

use std::cell::RefCell;

use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlElement};

use crate::rtk::grid::{Grid, Line};

/// The canvas.
pub(super) struct GridCanvas {
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    /// Of the ordinary and of the strong lines.
    colors: RefCell<[String; 2]>,
}

impl GridCanvas {
    /// Puts a canvas under the panes of a map. `None` when the browser has none to give.
    pub(super) fn under(container: &HtmlElement) -> Option<Self> {
        let document = web_sys::window()?.document()?;
        let canvas: HtmlCanvasElement = document.create_element("canvas").ok()?.dyn_into().ok()?;
        canvas.set_class_name("map-grid");
        canvas.set_attribute("aria-hidden", "true").ok()?;
        container
            .insert_before(&canvas, container.first_child().as_ref())
            .ok()?;
        let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        Some(Self {
            canvas,
            context,
            colors: RefCell::default(),
        })
    }

    /// The colours of the lines, from the theme; they take effect with the next [`Self::draw`].
    pub(super) fn set_colors(&self, ordinary: String, strong: String) {
        *self.colors.borrow_mut() = [ordinary, strong];
    }

    /// Draws the grid for a map of that size in pixels.
    pub(super) fn draw(&self, grid: &Grid, (width, height): (f64, f64)) {
        let ratio = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio());
        let (device_width, device_height) = ((width * ratio) as u32, (height * ratio) as u32);
        if self.canvas.width() != device_width || self.canvas.height() != device_height {
            self.canvas.set_width(device_width);
            self.canvas.set_height(device_height);
        }
        let context = &self.context;
        // A transform of finite numbers cannot be refused.
        context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0).ok();
        context.clear_rect(0.0, 0.0, width, height);
        context.set_line_width(1.0);
        for (color, is_major) in self.colors.borrow().iter().zip([false, true]) {
            context.set_stroke_style_str(color);
            context.begin_path();
            let those = |line: &&Line| line.is_major == is_major;
            for line in grid.verticals.iter().filter(those) {
                let x = line.at.round() + 0.5;
                context.move_to(x, 0.0);
                context.line_to(x, height);
            }
            for line in grid.horizontals.iter().filter(those) {
                let y = line.at.round() + 0.5;
                context.move_to(0.0, y);
                context.line_to(width, y);
            }
            context.stroke();
        }
    }
}
