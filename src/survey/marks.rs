//! Around the vehicle: the circle that holds 95 % of the positions, where it is known, and what its
//! front (going back, its rear) will have passed over in two seconds by the command of this moment. The
//! way of the reference point alone would end under the body.

use std::cell::RefCell;
use std::rc::Rc;

use web_sys::{Element, SvgElement};

use super::leaflet::{LeafletMap, Moves, on_map};
use crate::rtk::geo::{meters_per_pixel, world_pixel_from_lat_lon};
use crate::rtk::view::{RtkState, RtkView};
use crate::shell::svg::{self, set, translation};
use crate::units::{decimal, maths};

/// How far the commanded way leads, seconds.
const AHEAD_S: f64 = 2.0;
const STEPS: u32 = 16;
/// Pixels around the vehicle within which all of it lies at most zooms.
const EXTENT: f64 = 200.0;
/// Below this nothing moves.
const LEAST: f64 = 0.005;

/// What lies around the vehicle.
pub(super) struct Marks {
    inner: Rc<RefCell<Inner>>,
    _moves: Moves,
}

struct Inner {
    map: LeafletMap,
    root: SvgElement,
    circle: SvgElement,
    way: SvgElement,
    shown: Option<Shown>,
    body: Body,
}

/// The vehicle's outline as a box: metres before and behind the reference point, and to its sides.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Body {
    front: f64,
    rear: f64,
    left: f64,
    right: f64,
}

impl Body {
    /// Of corners, x forward and y left.
    pub(super) fn of(outline: &[(f64, f64)]) -> Self {
        let range = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((0.0_f64, 0.0_f64), |(low, high), value| {
                (low.min(value), high.max(value))
            })
        };
        let (rear, front) = range(&mut outline.iter().map(|corner| corner.0));
        let (right, left) = range(&mut outline.iter().map(|corner| corner.1));
        Self {
            front,
            rear,
            left,
            right,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Shown {
    position: (f64, f64),
    heading: Option<f64>,
    accuracy: Option<f64>,
    /// m/s and rad/s as they are sent.
    command: (f64, f64),
}

impl Marks {
    /// Nothing yet, over that map; `None` when the browser refuses to make an element.
    pub(super) fn on(map: &LeafletMap, body: Body) -> Option<Self> {
        let root = svg::child(&map.pane("survey"), "svg", "survey survey-marks")?;
        svg::extent(&root, (-EXTENT, -EXTENT), (2.0 * EXTENT, 2.0 * EXTENT));
        let circle = svg::child(&root, "circle", "survey-accuracy")?;
        let way = svg::child(&root, "path", "survey-way")?;
        set(&circle, "data-testid", "survey-accuracy");
        set(&way, "data-testid", "survey-way");
        let inner = Rc::new(RefCell::new(Inner {
            map: map.clone(),
            root,
            circle,
            way,
            shown: None,
            body,
        }));
        let moved = Rc::downgrade(&inner);
        let moves = Moves::of(map, move || {
            if let Some(inner) = moved.upgrade()
                && let Ok(inner) = inner.try_borrow()
            {
                inner.draw();
            }
        });
        Some(Self {
            inner,
            _moves: moves,
        })
    }

    /// A fix came.
    pub(super) fn show(&mut self, view: &RtkView, accuracy_95: Option<f64>) {
        let is_live = view.state == RtkState::Live;
        let shown = view.position.map(|position| Shown {
            position,
            heading: view.heading.filter(|_| view.heading_is_good && is_live),
            accuracy: accuracy_95.filter(|_| is_live),
            command: command(),
        });
        if let Ok(mut inner) = self.inner.try_borrow_mut()
            && inner.shown != shown
        {
            inner.shown = shown;
            inner.draw();
        }
    }
}

impl Drop for Marks {
    fn drop(&mut self) {
        self.inner.borrow().root.remove();
    }
}

impl Inner {
    fn draw(&self) {
        let Some(shown) = self.shown else {
            set(&self.circle, "r", "0");
            return set(&self.way, "d", "");
        };
        let zoom = self.map.get_zoom();
        let at = on_map(shown.position, self.map.datum());
        let (pixel, origin) = (world_pixel_from_lat_lon(at, zoom), self.map.origin());
        let place = (pixel.0 - origin.0, pixel.1 - origin.1);
        svg::style(&self.root.style(), "transform", &translation(place));
        let scale = meters_per_pixel(at.0, zoom);
        let radius = shown.accuracy.map_or(0.0, |meters| meters / scale);
        set(&self.circle, "r", &decimal(radius, 1));
        let way = shown
            .heading
            .map(|heading| way(shown.command, self.body, heading, scale))
            .unwrap_or_default();
        set(&self.way, "d", &way);
    }
}

/// What the leading edge passes over, as a path in pixels, north up.
fn way((linear, angular): (f64, f64), body: Body, heading: f64, meters_per_pixel: f64) -> String {
    if linear.abs() < LEAST {
        return String::new();
    }
    let (head_sine, head_cosine) = maths::sin_cos(heading.to_radians());
    let edge = if linear > 0.0 { body.front } else { body.rear };
    // Where a corner of the edge is then: in the vehicle's frame of now, x forward and y left.
    let corner = |step: u32, side: f64| {
        let time = AHEAD_S * f64::from(step) / f64::from(STEPS);
        let turn = angular * time;
        let (sine, cosine) = maths::sin_cos(turn);
        let (x, y) = if turn.abs() < 1e-6 {
            (linear * time, 0.0)
        } else {
            let radius = linear / angular;
            (radius * sine, radius * (1.0 - cosine))
        };
        let (x, y) = (
            x + edge * cosine - side * sine,
            y + edge * sine + side * cosine,
        );
        (
            (x * head_sine - y * head_cosine) / meters_per_pixel,
            -(x * head_cosine + y * head_sine) / meters_per_pixel,
        )
    };
    let left = (0..=STEPS).map(|step| corner(step, body.left));
    let right = (0..=STEPS).rev().map(|step| corner(step, body.right));
    let mut path = String::new();
    for (x, y) in left.chain(right) {
        path += if path.is_empty() { "M" } else { "L" };
        path += &decimal(x, 1);
        path += " ";
        path += &decimal(y, 1);
    }
    path + "Z"
}

thread_local! {
    /// Where the page says what it sends.
    static SENT: RefCell<Option<Element>> = const { RefCell::new(None) };
}

/// What the page says it sends.
pub(super) fn command() -> (f64, f64) {
    SENT.with_borrow_mut(|sent| {
        if !sent.as_ref().is_some_and(|it| it.is_connected()) {
            *sent = web_sys::window()
                .and_then(|window| window.document())
                .and_then(|page| page.query_selector("[data-testid=velocity]").ok().flatten());
        }
        let number = |name: &str| {
            let text = sent.as_ref()?.get_attribute(name)?;
            text.parse::<f64>().ok().filter(|value| value.is_finite())
        };
        (
            number("data-linear").unwrap_or_default(),
            number("data-angular").unwrap_or_default(),
        )
    })
}
