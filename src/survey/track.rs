//! Draws the line on a canvas that is a half larger than the map and moves with it: a fix costs the
//! few strokes that it adds, and all is drawn anew only when the map has moved out of the canvas.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlElement, Path2d};

use super::leaflet::{LeafletMap, Moves, on_map};
use crate::chart::thinned::{ColourBy, DrawnPoint};
use crate::profile::Datum;
use crate::rtk::geo::world_pixel_from_lat_lon;
use crate::units::decimal;

/// Of the map's size, drawn beyond each of its sides.
const PADDING: f64 = 0.25;
/// Points nearer than this to the last one are left out.
const LEAST_PX: f64 = 1.5;
const WEIGHT_PX: f64 = 4.0;
const IMPORTED_PX: f64 = 3.0;
/// More device pixels a pixel would only cost time.
const MOST_RATIO: f64 = 2.0;
/// The class of a point of which nothing is known.
const NO_CLASS: u8 = 255;

/// The line on the map.
pub(super) struct TrackCanvas {
    inner: Rc<RefCell<Inner>>,
    _moves: Moves,
}

struct Inner {
    map: LeafletMap,
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    datum: Datum,
    window: Option<Window>,
    colours: Colours,
    /// Of which the colours are.
    theme: Option<String>,
    points: Vec<DrawnPoint>,
    placed: Vec<Placed>,
    imported: Vec<DrawnPoint>,
    imported_placed: Vec<Placed>,
}

/// What the canvas shows.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Window {
    zoom: f64,
    scale: f64,
    /// The map's pixel origin.
    origin: (f64, f64),
    /// Its first corner in the panes, and its size.
    at: (f64, f64),
    size: (f64, f64),
}

/// A point on a world of 256 pixels.
#[derive(Debug, Clone, Copy)]
struct Placed {
    x: f64,
    y: f64,
    class: u8,
    is_broken_before: bool,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct Colours {
    by: ColourBy,
    good: String,
    fair: String,
    poor: String,
    idle: String,
    accent: String,
}

impl TrackCanvas {
    /// An empty one over that map; `None` when the browser has no canvas to give.
    pub(super) fn on(map: &LeafletMap) -> Option<Self> {
        let document = web_sys::window()?.document()?;
        let canvas: HtmlCanvasElement = document.create_element("canvas").ok()?.dyn_into().ok()?;
        canvas.set_class_name("survey survey-track");
        canvas.set_attribute("aria-hidden", "true").ok()?;
        canvas.set_attribute("data-testid", "survey-track").ok()?;
        let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        map.pane("survey").append_child(&canvas).ok()?;
        let inner = Rc::new(RefCell::new(Inner {
            map: map.clone(),
            canvas,
            context,
            datum: map.datum(),
            window: None,
            colours: Colours::default(),
            theme: None,
            points: Vec::new(),
            placed: Vec::new(),
            imported: Vec::new(),
            imported_placed: Vec::new(),
        }));
        let moved = Rc::downgrade(&inner);
        let moves = Moves::of(map, move || {
            if let Some(inner) = moved.upgrade()
                && let Ok(mut inner) = inner.try_borrow_mut()
            {
                inner.look();
            }
        });
        Some(Self {
            inner,
            _moves: moves,
        })
    }

    /// False when the page has taken its map away.
    pub(super) fn is_connected(&self) -> bool {
        self.inner.borrow().canvas.is_connected()
    }

    /// Draws these in place of what was drawn.
    pub(super) fn show(&self, points: &[DrawnPoint], by: ColourBy) {
        self.change(|inner| {
            inner.points = points.to_vec();
            inner.placed = placed(points, inner.datum);
            inner.colours.by = by;
            inner.draw();
        });
    }

    /// Draws these after what was drawn.
    pub(super) fn append(&self, points: &[DrawnPoint]) {
        self.change(|inner| {
            let from = inner.placed.len();
            inner.points.extend(points);
            inner.placed.extend(placed(points, inner.datum));
            if !points.is_empty() {
                inner.draw_from(from);
                inner.say_count();
            }
        });
    }

    /// Draws the line of a file.
    pub(super) fn show_imported(&self, points: &[DrawnPoint]) {
        self.change(|inner| {
            inner.imported = points.to_vec();
            inner.imported_placed = placed(points, inner.datum);
            inner.draw();
        });
    }

    /// Takes the theme's colours and the map's datum, when they have changed.
    pub(super) fn follow_style(&self) {
        self.change(|inner| {
            // The colours are asked for only when they may have changed: that has the browser work out
            // styles.
            let theme = theme();
            let mut colours = inner.colours.clone();
            if theme != inner.theme {
                colours = Colours::of(&inner.map.get_container(), inner.colours.by);
                inner.theme = theme;
            }
            let datum = inner.map.datum();
            let is_other_datum = datum != inner.datum;
            if is_other_datum {
                inner.datum = datum;
                inner.placed = placed(&inner.points, datum);
                inner.imported_placed = placed(&inner.imported, datum);
            }
            if colours != inner.colours || is_other_datum {
                inner.colours = colours;
                inner.draw();
            }
        });
    }

    fn change(&self, act: impl FnOnce(&mut Inner)) {
        // Nothing here calls back; a program that broke in the middle of it must not break again.
        if let Ok(mut inner) = self.inner.try_borrow_mut() {
            act(&mut inner);
        }
    }
}

impl Drop for TrackCanvas {
    fn drop(&mut self) {
        self.inner.borrow().canvas.remove();
    }
}

impl Inner {
    /// The map has moved: is what it shows still drawn?
    fn look(&mut self) {
        let is_drawn = self.window.is_some_and(|window| {
            let (at, size) = (self.map.layer_from_container((0.0, 0.0)), self.map.size());
            (window.zoom - self.map.get_zoom()).abs() < 1e-9
                && window.origin == self.map.origin()
                && at.0 >= window.at.0
                && at.1 >= window.at.1
                && at.0 + size.0 <= window.at.0 + window.size.0
                && at.1 + size.1 <= window.at.1 + window.size.1
                && self.map.datum() == self.datum
        });
        if !is_drawn {
            self.draw();
        }
    }

    fn draw(&mut self) {
        let size = self.map.size();
        let zoom = self.map.get_zoom();
        let corner = (-size.0 * PADDING, -size.1 * PADDING);
        let window = Window {
            zoom,
            scale: (zoom * std::f64::consts::LN_2).exp(),
            origin: self.map.origin(),
            at: self.map.layer_from_container(corner),
            size: (
                (size.0 * (1.0 + 2.0 * PADDING)).ceil(),
                (size.1 * (1.0 + 2.0 * PADDING)).ceil(),
            ),
        };
        let datum = self.map.datum();
        if datum != self.datum {
            self.datum = datum;
            self.placed = placed(&self.points, datum);
            self.imported_placed = placed(&self.imported, datum);
        }
        self.window = Some(window);
        self.lay_out(&window);
        if !self.imported_placed.is_empty() {
            self.context.set_line_width(IMPORTED_PX);
            for (_, path) in paths(&self.imported_placed, &window, |_| 0) {
                dash(&self.context, &[2.0, 7.0]);
                self.context.set_stroke_style_str(&self.colours.accent);
                self.context.stroke_with_path(&path);
            }
        }
        self.context.set_line_width(WEIGHT_PX);
        for (class, path) in paths(&self.placed, &window, |class| class) {
            self.stroke(class, &path);
        }
        self.say_count();
    }

    /// Those that were appended.
    fn draw_from(&mut self, from: usize) {
        let Some(window) = self.window else {
            return self.draw();
        };
        let fresh = self
            .placed
            .get(from.saturating_sub(1)..)
            .unwrap_or_default();
        for (class, path) in paths(fresh, &window, |class| class) {
            self.stroke(class, &path);
        }
    }

    fn stroke(&self, class: u8, path: &Path2d) {
        let (colour, pattern) = self.colours.of_class(class);
        dash(&self.context, pattern);
        self.context.set_stroke_style_str(&colour);
        self.context.stroke_with_path(path);
    }

    fn lay_out(&self, window: &Window) {
        let ratio = web_sys::window()
            .map_or(1.0, |window| window.device_pixel_ratio())
            .min(MOST_RATIO);
        let (width, height) = window.size;
        let (device_width, device_height) = ((width * ratio) as u32, (height * ratio) as u32);
        if self.canvas.width() != device_width || self.canvas.height() != device_height {
            self.canvas.set_width(device_width);
            self.canvas.set_height(device_height);
        }
        let style = self.canvas.style();
        for (name, value) in [
            ("width", decimal(width, 0) + "px"),
            ("height", decimal(height, 0) + "px"),
            ("transform", translation(window.at)),
        ] {
            // A value that the browser does not understand is ignored by it, not refused.
            style.set_property(name, &value).ok();
        }
        let context = &self.context;
        // A transform of finite numbers cannot be refused.
        context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0).ok();
        context.clear_rect(0.0, 0.0, width, height);
        context.set_line_cap("round");
        context.set_line_join("round");
    }

    fn say_count(&self) {
        // An attribute's name that is a literal here cannot be refused.
        let count = self.placed.len().to_string();
        self.canvas.set_attribute("data-points", &count).ok();
    }
}

/// A place in a pane, as a style has it.
pub(super) fn translation((x, y): (f64, f64)) -> String {
    [
        "translate3d(",
        &decimal(x, 1),
        "px,",
        &decimal(y, 1),
        "px,0)",
    ]
    .concat()
}

fn placed(points: &[DrawnPoint], datum: Datum) -> Vec<Placed> {
    let place = |point: &DrawnPoint| {
        let (x, y) = world_pixel_from_lat_lon(on_map(point.position, datum), 0.0);
        Placed {
            x,
            y,
            class: point.class.unwrap_or(NO_CLASS),
            is_broken_before: point.is_broken_before,
        }
    };
    points.iter().map(place).collect()
}

/// A path for each class, of what is near the window. A piece has the class of its end.
fn paths(placed: &[Placed], window: &Window, class_of: impl Fn(u8) -> u8) -> BTreeMap<u8, Path2d> {
    let mut paths: BTreeMap<u8, Path2d> = BTreeMap::new();
    let mut last: Option<((f64, f64), bool)> = None;
    // The class whose path ends at the last point.
    let mut at_end = None;
    for point in placed {
        let at = (
            point.x * window.scale - window.origin.0 - window.at.0,
            point.y * window.scale - window.origin.1 - window.at.1,
        );
        let is_inside = at.0 >= -WEIGHT_PX
            && at.1 >= -WEIGHT_PX
            && at.0 <= window.size.0 + WEIGHT_PX
            && at.1 <= window.size.1 + WEIGHT_PX;
        let class = class_of(point.class);
        let Some((from, was_inside)) = last.filter(|_| !point.is_broken_before) else {
            last = Some((at, is_inside));
            at_end = None;
            continue;
        };
        let is_same = at_end == Some(class);
        if is_same && (at.0 - from.0).hypot(at.1 - from.1) < LEAST_PX {
            continue;
        }
        if is_inside || was_inside {
            if !paths.contains_key(&class)
                && let Ok(path) = Path2d::new()
            {
                paths.insert(class, path);
            }
            if let Some(path) = paths.get(&class) {
                if !is_same {
                    path.move_to(from.0, from.1);
                }
                path.line_to(at.0, at.1);
                at_end = Some(class);
            }
        } else {
            at_end = None;
        }
        last = Some((at, is_inside));
    }
    paths
}

fn theme() -> Option<String> {
    let root = web_sys::window()?.document()?.document_element()?;
    Some(root.get_attribute("data-theme").unwrap_or_default())
}

fn dash(context: &CanvasRenderingContext2d, pattern: &[f64]) {
    let pattern: js_sys::Array = pattern.iter().map(|px| JsValue::from_f64(*px)).collect();
    // Numbers that are not negative cannot be refused.
    context.set_line_dash(&pattern).ok();
}

impl Colours {
    fn of(container: &HtmlElement, by: ColourBy) -> Self {
        let style = web_sys::window()
            .and_then(|window| window.get_computed_style(container).ok().flatten());
        let colour = |variable: &str| {
            style
                .as_ref()
                .and_then(|style| style.get_property_value(variable).ok())
                .map(|value| value.trim().to_owned())
                .filter(|value| !value.is_empty())
                .unwrap_or_else(|| "gray".to_owned())
        };
        Self {
            by,
            good: colour("--go"),
            fair: colour("--warn"),
            poor: colour("--bad"),
            idle: colour("--idle"),
            accent: colour("--accent"),
        }
    }

    /// Colour and pattern, so that it does not tell by colour alone.
    fn of_class(&self, class: u8) -> (String, &'static [f64]) {
        match (self.by, class) {
            (_, NO_CLASS) => (self.idle.clone(), &[]),
            (ColourBy::Quality, 4) => (self.good.clone(), &[]),
            (ColourBy::Quality, 5) => (self.fair.clone(), &[9.0, 7.0]),
            (ColourBy::Quality, _) => (self.poor.clone(), &[1.0, 8.0]),
            // Slow is blue, 3 m/s and more is red.
            (ColourBy::Speed, step) => {
                let hue = 220.0 - f64::from(step.min(12)) * (220.0 / 12.0);
                (["hsl(", &decimal(hue, 0), " 85% 45%)"].concat(), &[])
            }
        }
    }
}
