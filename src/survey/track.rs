//! Draws the line: what it was when the map was placed, and after that small pieces, so that a fix
//! costs only the last of them. All is drawn anew when the map has moved out of what was drawn.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, SvgElement};

use super::leaflet::{LeafletMap, Moves, on_map};
use super::window::Window;
use crate::chart::strokes::{Placed, strokes};
use crate::chart::thinned::{ColourBy, DrawnPoint};
use crate::profile::Datum;
use crate::rtk::geo::world_pixel_from_lat_lon;
use crate::shell::svg;
use crate::units::decimal;

/// The width of a line, pixels.
const WEIGHT_PX: f64 = 4.0;
/// Points of a piece. With each that is begun the browser looks at the style of the whole page.
const PIECE: usize = 200;
/// The last step of speeds that has a colour of its own: 3 m/s.
const FASTEST: u8 = 12;

/// The line on the map.
pub(super) struct TrackLine {
    inner: Rc<RefCell<Inner>>,
    _moves: Moves,
}

struct Inner {
    map: LeafletMap,
    root: SvgElement,
    /// For which it is drawn; the points are placed in its datum.
    window: Window,
    colour_by: ColourBy,
    points: Vec<DrawnPoint>,
    imported: Vec<DrawnPoint>,
    /// The points on a world of 256 pixels.
    placed: Vec<Placed>,
    imported_placed: Vec<Placed>,
    /// The last piece, and the first of its points.
    piece: Option<(SvgElement, usize)>,
}

impl TrackLine {
    /// An empty one over that map; `None` when the browser refuses to make an element.
    pub(super) fn on(map: &LeafletMap) -> Option<Self> {
        let root = svg::child(&map.pane("survey"), "svg", "survey survey-track")?;
        svg::set(&root, "aria-hidden", "true");
        svg::set(&root, "data-testid", "survey-track");
        let inner = Rc::new(RefCell::new(Inner {
            map: map.clone(),
            root,
            window: Window::around(map),
            colour_by: ColourBy::default(),
            points: Vec::new(),
            imported: Vec::new(),
            placed: Vec::new(),
            imported_placed: Vec::new(),
            piece: None,
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
        self.inner.borrow().root.is_connected()
    }

    /// Draws these in place of what was drawn.
    pub(super) fn show(&self, points: &[DrawnPoint], by: ColourBy) {
        self.change(|inner| {
            inner.points = points.to_vec();
            inner.placed = placed(points, inner.window.datum);
            inner.colour_by = by;
            inner.draw();
        });
    }

    /// Draws these after what was drawn.
    pub(super) fn append(&self, points: &[DrawnPoint]) {
        if points.is_empty() {
            return;
        }
        self.change(|inner| {
            inner.points.extend(points);
            inner.placed.extend(placed(points, inner.window.datum));
            inner.draw_last_piece();
            inner.say_count();
        });
    }

    /// Draws the line of a file.
    pub(super) fn show_imported(&self, points: &[DrawnPoint]) {
        self.change(|inner| {
            inner.imported = points.to_vec();
            inner.imported_placed = placed(points, inner.window.datum);
            inner.draw();
        });
    }

    /// Takes the map's datum, when it has changed.
    pub(super) fn follow_datum(&self) {
        self.change(Inner::look);
    }

    fn change(&self, act: impl FnOnce(&mut Inner)) {
        // Nothing here calls back; a program that broke in the middle of it must not break again.
        if let Ok(mut inner) = self.inner.try_borrow_mut() {
            act(&mut inner);
        }
    }
}

impl Drop for TrackLine {
    fn drop(&mut self) {
        self.inner.borrow().root.remove();
    }
}

impl Inner {
    /// The map has moved: is what it shows still drawn?
    fn look(&mut self) {
        if !self.window.is_current(&self.map) {
            self.draw();
        }
    }

    fn draw(&mut self) {
        let window = Window::around(&self.map);
        if window.datum != self.window.datum {
            self.placed = placed(&self.points, window.datum);
            self.imported_placed = placed(&self.imported, window.datum);
        }
        self.window = window;
        self.root.set_text_content(None);
        svg::extent(&self.root, window.at, window.size);
        let imported = svg::child(&self.root, "g", "survey-imported");
        let line = svg::child(&self.root, "g", "");
        if let Some(imported) = imported {
            fill(&imported, &self.imported_placed, &window, ColourBy::Quality);
        }
        if let Some(line) = line {
            fill(&line, &self.placed, &window, self.colour_by);
        }
        self.begin_piece();
        self.say_count();
    }

    /// What comes from now on is drawn on its own, from the last point on.
    fn begin_piece(&mut self) {
        let from = self.placed.len().saturating_sub(1);
        self.piece = svg::child(&self.root, "g", "").map(|group| (group, from));
    }

    fn draw_last_piece(&mut self) {
        let Some((group, from)) = &self.piece else {
            return self.draw();
        };
        let fresh = self.placed.get(*from..).unwrap_or_default();
        fill(group, fresh, &self.window, self.colour_by);
        if fresh.len() > PIECE {
            self.begin_piece();
        }
    }

    fn say_count(&self) {
        svg::set(&self.root, "data-points", &self.placed.len().to_string());
    }
}

/// Draws a line into a group, in place of what is there. Paths that are there are used again: for
/// each new element the browser looks at the style of the whole page.
fn fill(group: &Element, points: &[Placed], window: &Window, colour_by: ColourBy) {
    let in_panes = points.iter().map(|point| Placed {
        at: window.in_panes(point.at),
        ..*point
    });
    let mut there = group.first_element_child();
    for (class, way) in strokes(in_panes, |at| window.holds(at, WEIGHT_PX)) {
        let old = there.take();
        there = old.as_ref().and_then(Element::next_element_sibling);
        let Some(path) = old
            .and_then(|path| path.dyn_into::<SvgElement>().ok())
            .or_else(|| svg::child(group, "path", ""))
        else {
            continue;
        };
        svg::set(&path, "d", &way);
        match (colour_by, class) {
            (ColourBy::Quality, Some(quality)) => {
                svg::set(&path, "data-quality", &quality.to_string());
            }
            (ColourBy::Quality, None) => {
                path.remove_attribute("data-quality").ok();
            }
            (ColourBy::Speed, class) => {
                let colour = class.map(speed_colour).unwrap_or_default();
                svg::style(&path.style(), "stroke", &colour);
            }
        }
    }
    while let Some(left) = there {
        there = left.next_element_sibling();
        left.remove();
    }
}

/// Slow is blue, 3 m/s and more is red.
fn speed_colour(step: u8) -> String {
    let hue = 220.0 * (1.0 - f64::from(step.min(FASTEST)) / f64::from(FASTEST));
    ["hsl(", &decimal(hue, 0), " 85% 45%)"].concat()
}

/// On a world of 256 pixels.
fn placed(points: &[DrawnPoint], datum: Datum) -> Vec<Placed> {
    let place = |point: &DrawnPoint| Placed {
        at: world_pixel_from_lat_lon(on_map(point.position, datum), 0.0),
        class: point.class,
        is_broken_before: point.is_broken_before,
    };
    points.iter().map(place).collect()
}
