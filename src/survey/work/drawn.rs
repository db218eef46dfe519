//! Draws what somebody drew, what is being drawn or measured, and the taught route. Kinds differ by
//! line and pattern, not by colour alone.

use wasm_bindgen::prelude::*;

use super::plate::Plate;
use crate::chart::desk::Desk;
use crate::chart::drawn::{Kind, Shape};
use crate::chart::pencil::{Mode, Target};
use crate::chart::route::RoutePoint;
use crate::survey::leaflet::LeafletMap;

/// Pixels.
const CORNER: f64 = 9.0;
const CHOSEN_CORNER: f64 = 14.0;
const HATCH: f64 = 14.0;
const FULL_TURN: f64 = std::f64::consts::TAU;

/// The drawn things on the map.
pub(super) struct DrawnPlate {
    pub(super) plate: Plate,
    colours: Colours,
    /// Of which the colours are.
    theme: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct Colours {
    warn: String,
    bad: String,
    accent: String,
    ink: String,
    paper: String,
}

impl DrawnPlate {
    /// Nothing yet.
    pub(super) fn on(map: &LeafletMap) -> Option<Self> {
        Some(Self {
            plate: Plate::on(map, "work-drawn-plate")?,
            colours: Colours::default(),
            theme: None,
        })
    }

    /// Draws all of it, when the map or the theme has changed.
    pub(super) fn follow(&mut self, desk: &Desk, warned: Option<u32>) {
        // The colours are asked for only when they may have changed: that has the browser work out
        // styles.
        let theme = theme();
        if theme != self.theme {
            self.colours = self.colours();
            self.theme = theme;
            self.show(desk, warned);
        } else if !self.plate.is_current() {
            self.show(desk, warned);
        }
    }

    /// Draws all of it.
    pub(super) fn show(&mut self, desk: &Desk, warned: Option<u32>) {
        let (drawing, route) = (desk.drawing().shapes(), &desk.route().points);
        let is_empty = drawing.is_empty() && route.is_empty() && desk.pencil().line().is_empty();
        self.plate.begin(is_empty);
        let context = &self.plate.context;
        context.set_line_cap("round");
        context.set_line_join("round");
        let chosen = desk.chosen().map(|shape| shape.id);
        for shape in drawing {
            let is_marked = chosen == Some(shape.id) || warned == Some(shape.id);
            self.shape(shape, is_marked);
        }
        self.route(route);
        self.pencil(desk);
        // For whoever looks by a program.
        let count = drawing.len().to_string();
        self.plate.canvas.set_attribute("data-shapes", &count).ok();
    }

    fn shape(&self, shape: &Shape, is_marked: bool) {
        let (colour, pattern, fill): (&str, &[f64], f64) = match shape.kind {
            Kind::Zone => (&self.colours.accent, &[], 0.08),
            Kind::KeepOut => (&self.colours.bad, &[], 0.12),
            Kind::Fence => (&self.colours.warn, &[14.0, 8.0], 0.0),
            Kind::Point => (&self.colours.accent, &[], 1.0),
        };
        let context = &self.plate.context;
        let width = if is_marked { 6.0 } else { 3.0 };
        if shape.kind == Kind::Point {
            if let Some(&place) = shape.points.first() {
                let at = self.plate.pixel(place);
                self.dot(at, if is_marked { 12.0 } else { 9.0 }, colour);
                self.words(&shape.name, (at.0, at.1 - 16.0));
            }
            return;
        }
        self.path(&shape.points, true);
        context.set_fill_style_str(colour);
        context.set_global_alpha(fill);
        context.fill();
        context.set_global_alpha(1.0);
        if shape.kind == Kind::KeepOut {
            self.hatch(&shape.points, colour);
            self.path(&shape.points, true);
        }
        self.stroke(&self.colours.paper, width + 3.0, &[]);
        self.stroke(colour, width, pattern);
        if let Some(middle) = self.middle(&shape.points) {
            self.words(&shape.name, middle);
        }
    }

    fn hatch(&self, points: &[(f64, f64)], colour: &str) {
        let pixels: Vec<_> = points.iter().map(|&it| self.plate.pixel(it)).collect();
        let range = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::MAX, f64::MIN), |(low, high), value| {
                (low.min(value), high.max(value))
            })
        };
        let canvas = (
            f64::from(self.plate.canvas.width()),
            f64::from(self.plate.canvas.height()),
        );
        let (left, right) = range(&mut pixels.iter().map(|it| it.0.clamp(0.0, canvas.0)));
        let (top, bottom) = range(&mut pixels.iter().map(|it| it.1.clamp(0.0, canvas.1)));
        let context = &self.plate.context;
        context.save();
        self.path(points, true);
        context.clip();
        context.begin_path();
        let height = bottom - top;
        let mut x = left - height;
        while x < right {
            context.move_to(x, bottom);
            context.line_to(x + height, top);
            x += HATCH;
        }
        context.set_global_alpha(0.5);
        self.stroke(colour, 1.5, &[]);
        context.restore();
    }

    fn route(&self, points: &[RoutePoint]) {
        if points.len() < 2 {
            return;
        }
        let context = &self.plate.context;
        // Thick where the brush was on.
        for (is_on, width) in [(true, 9.0), (false, 4.0)] {
            context.begin_path();
            for pair in points
                .windows(2)
                .filter(|pair| pair[0].is_brush_on == is_on)
            {
                let (from, to) = (
                    self.plate.pixel(pair[0].position),
                    self.plate.pixel(pair[1].position),
                );
                context.move_to(from.0, from.1);
                context.line_to(to.0, to.1);
            }
            context.set_global_alpha(if is_on { 0.45 } else { 0.8 });
            self.stroke(&self.colours.ink, width, &[]);
        }
        context.set_global_alpha(1.0);
    }

    fn pencil(&self, desk: &Desk) {
        let pencil = desk.pencil();
        let colour = &self.colours.accent;
        match pencil.mode() {
            Mode::Choose => {}
            Mode::Draw(_) | Mode::Measure => {
                self.path(pencil.line(), false);
                self.stroke(&self.colours.paper, 7.0, &[]);
                self.stroke(colour, 4.0, &[10.0, 6.0]);
                for &place in pencil.line() {
                    self.dot(self.plate.pixel(place), CORNER, colour);
                }
            }
            Mode::Edit(target) => {
                let corners: Vec<(f64, f64)> = match target {
                    Target::Route => desk.route().points.iter().map(|it| it.position).collect(),
                    Target::Shape(id) => desk
                        .drawing()
                        .shape(id)
                        .map(|shape| shape.points.clone())
                        .unwrap_or_default(),
                };
                for (index, &place) in corners.iter().enumerate() {
                    let is_chosen = pencil.corner() == Some(index);
                    let radius = if is_chosen { CHOSEN_CORNER } else { CORNER };
                    let colour = if is_chosen {
                        &self.colours.warn
                    } else {
                        colour
                    };
                    self.dot(self.plate.pixel(place), radius, colour);
                }
            }
        }
    }

    fn path(&self, points: &[(f64, f64)], is_closed: bool) {
        let context = &self.plate.context;
        context.begin_path();
        for (index, &place) in points.iter().enumerate() {
            let (x, y) = self.plate.pixel(place);
            if index == 0 {
                context.move_to(x, y);
            } else {
                context.line_to(x, y);
            }
        }
        if is_closed {
            context.close_path();
        }
    }

    fn stroke(&self, colour: &str, width: f64, pattern: &[f64]) {
        let context = &self.plate.context;
        let pattern: js_sys::Array = pattern.iter().map(|px| JsValue::from_f64(*px)).collect();
        // Numbers that are not negative cannot be refused.
        context.set_line_dash(&pattern).ok();
        context.set_line_width(width);
        context.set_stroke_style_str(colour);
        context.stroke();
    }

    fn dot(&self, (x, y): (f64, f64), radius: f64, colour: &str) {
        let context = &self.plate.context;
        context.begin_path();
        // A radius that is not negative cannot be refused.
        context.arc(x, y, radius, 0.0, FULL_TURN).ok();
        context.set_fill_style_str(colour);
        context.fill();
        self.stroke(&self.colours.paper, 3.0, &[]);
    }

    fn words(&self, words: &str, (x, y): (f64, f64)) {
        let context = &self.plate.context;
        context.set_font("650 16px system-ui, sans-serif");
        context.set_text_align("center");
        context.set_line_width(5.0);
        context.set_stroke_style_str(&self.colours.paper);
        context.set_fill_style_str(&self.colours.ink);
        // Text is drawn or not; there is nobody to tell.
        context.stroke_text(words, x, y).ok();
        context.fill_text(words, x, y).ok();
    }

    fn middle(&self, points: &[(f64, f64)]) -> Option<(f64, f64)> {
        let count = points.len() as f64;
        let pixels = points.iter().map(|&it| self.plate.pixel(it));
        let sum = pixels.fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
        (count > 0.0).then(|| (sum.0 / count, sum.1 / count))
    }

    fn colours(&self) -> Colours {
        let colour = |name| self.plate.colour(name);
        Colours {
            warn: colour("--warn"),
            bad: colour("--bad"),
            accent: colour("--accent"),
            ink: colour("--ink"),
            paper: colour("--paper"),
        }
    }
}

fn theme() -> Option<String> {
    let root = web_sys::window()?.document()?.document_element()?;
    Some(root.get_attribute("data-theme").unwrap_or_default())
}
