//! What somebody drew on the map: zones, keep-outs, fences and points, each with a name.
//!
//! Every change is one step that can be taken back. What cannot be meant (a ring of two corners,
//! one that crosses itself, a place off the Earth) is refused with the reason and changes nothing.

use serde::{Deserialize, Serialize};

use super::fence::{Area, AreaKind};
use crate::rtk::geo::LocalFrame;

/// Steps that can be taken back.
const MOST_STEPS: usize = 100;
/// Shapes that are kept; a yard has some dozen.
pub const MOST_SHAPES: usize = 500;
/// Corners of one shape.
pub const MOST_CORNERS: usize = 2000;
/// Letters of a name.
pub const MOST_LETTERS: usize = 60;
/// Metres from the vehicle beyond which a keep-out or a fence belongs to another site.
const ANOTHER_SITE: f64 = 2000.0;

/// What a shape is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// To be swept.
    Zone,
    /// The vehicle must not get into it.
    KeepOut,
    /// The vehicle must not get out of it.
    Fence,
    /// A place.
    Point,
}

impl Kind {
    /// All, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Zone, Self::KeepOut, Self::Fence, Self::Point];

    /// As it stands in files.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Zone => "zone",
            Self::KeepOut => "keep_out",
            Self::Fence => "fence",
            Self::Point => "point",
        }
    }

    /// From a file.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// It has an inside.
    #[must_use]
    pub fn is_ring(self) -> bool {
        self != Self::Point
    }
}

/// One thing that was drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// Counts up; never used again in this drawing.
    pub id: u32,
    /// What it is for.
    pub kind: Kind,
    /// What it is called.
    pub name: String,
    /// `(lat, lon)`, WGS84 degrees; of a ring the last does not repeat the first.
    pub points: Vec<(f64, f64)>,
}

/// Why something cannot be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// A ring needs three corners.
    TooFewCorners,
    /// Its line crosses itself: it has no inside that anybody can mean.
    CrossesItself,
    /// Its corners lie on one line, or on one another.
    NoInside,
    /// A latitude or longitude that is none.
    OffTheEarth,
    /// More corners than are kept.
    TooManyCorners,
    /// More shapes than are kept.
    TooManyShapes,
    /// It was removed meanwhile.
    Gone,
}

/// Everything that was drawn.
#[derive(Debug, Clone, Default)]
pub struct Drawing {
    shapes: Vec<Shape>,
    last_id: u32,
    past: Vec<Vec<Shape>>,
    future: Vec<Vec<Shape>>,
    changes: u64,
}

impl Drawing {
    /// As it was kept; nothing of it can be taken back.
    #[must_use]
    pub fn with(shapes: impl IntoIterator<Item = (Kind, String, Vec<(f64, f64)>)>) -> Self {
        let mut drawing = Self::default();
        for (kind, name, points) in shapes.into_iter().take(MOST_SHAPES) {
            drawing.last_id += 1;
            drawing.shapes.push(Shape {
                id: drawing.last_id,
                kind,
                name: clean(&name),
                points,
            });
        }
        drawing
    }

    /// The shapes, oldest first.
    #[must_use]
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// One of them.
    #[must_use]
    pub fn shape(&self, id: u32) -> Option<&Shape> {
        self.shapes.iter().find(|shape| shape.id == id)
    }

    /// Counts changes, so that a drawing of it knows when it is old.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Something new, with its id.
    ///
    /// # Errors
    /// When it cannot be meant.
    pub fn add(&mut self, kind: Kind, name: &str, points: Vec<(f64, f64)>) -> Result<u32, Refusal> {
        self.add_all([(kind, name.to_owned(), points)])?;
        Ok(self.last_id)
    }

    /// Several as one step; all or none.
    ///
    /// # Errors
    /// When one of them cannot be meant.
    pub fn add_all(
        &mut self,
        new: impl IntoIterator<Item = (Kind, String, Vec<(f64, f64)>)>,
    ) -> Result<(), Refusal> {
        let new: Vec<_> = new.into_iter().collect();
        for (kind, _, points) in &new {
            check(*kind, points)?;
        }
        if self.shapes.len() + new.len() > MOST_SHAPES {
            return Err(Refusal::TooManyShapes);
        }
        if new.is_empty() {
            return Ok(());
        }
        self.step();
        for (kind, name, points) in new {
            self.last_id += 1;
            self.shapes.push(Shape {
                id: self.last_id,
                kind,
                name: clean(&name),
                points,
            });
        }
        Ok(())
    }

    /// Another name; an empty one changes nothing.
    pub fn rename(&mut self, id: u32, name: &str) {
        let name = clean(name);
        let is_new = self.shape(id).is_some_and(|shape| shape.name != name);
        if is_new && !name.is_empty() {
            self.step();
            self.change(id, |shape| shape.name = name);
        }
    }

    /// Another outline.
    ///
    /// # Errors
    /// When it cannot be meant.
    pub fn reshape(&mut self, id: u32, points: Vec<(f64, f64)>) -> Result<(), Refusal> {
        let shape = self.shape(id).ok_or(Refusal::Gone)?;
        if shape.points != points {
            check(shape.kind, &points)?;
            self.step();
            self.change(id, |shape| shape.points = points);
        }
        Ok(())
    }

    /// It goes.
    pub fn remove(&mut self, id: u32) {
        if self.shape(id).is_some() {
            self.step();
            self.shapes.retain(|shape| shape.id != id);
        }
    }

    /// Takes the last step back; false when there is none.
    pub fn undo(&mut self) -> bool {
        let Some(before) = self.past.pop() else {
            return false;
        };
        let after = std::mem::replace(&mut self.shapes, before);
        self.future.push(after);
        self.changes += 1;
        true
    }

    /// Takes the last step that was taken back again; false when there is none.
    pub fn redo(&mut self) -> bool {
        let Some(after) = self.future.pop() else {
            return false;
        };
        let before = std::mem::replace(&mut self.shapes, after);
        self.past.push(before);
        self.changes += 1;
        true
    }

    /// There is a step to take back.
    #[must_use]
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// There is a step that was taken back.
    #[must_use]
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    fn step(&mut self) {
        if self.past.len() >= MOST_STEPS {
            self.past.remove(0);
        }
        self.past.push(self.shapes.clone());
        self.future.clear();
        self.changes += 1;
    }

    fn change(&mut self, id: u32, change: impl FnOnce(&mut Shape)) {
        if let Some(shape) = self.shapes.iter_mut().find(|shape| shape.id == id) {
            change(shape);
        }
    }
}

/// What forbids something to a vehicle here, in metres around it, with the shapes' ids. What lies
/// far away belongs to another site.
#[must_use]
pub fn areas_around(shapes: &[Shape], vehicle: (f64, f64)) -> (Vec<u32>, Vec<Area>) {
    let frame = LocalFrame::around(vehicle);
    shapes
        .iter()
        .filter_map(|shape| {
            let kind = match shape.kind {
                Kind::KeepOut => AreaKind::KeepOut,
                Kind::Fence => AreaKind::Fence,
                Kind::Zone | Kind::Point => return None,
            };
            let ring: Vec<(f64, f64)> = shape
                .points
                .iter()
                .map(|&point| frame.east_north_from_lat_lon(point))
                .collect();
            let is_here = ring.iter().any(|p| p.0.hypot(p.1) < ANOTHER_SITE);
            is_here.then_some((shape.id, Area { ring, kind }))
        })
        .unzip()
}

/// May a shape look like this?
///
/// # Errors
/// The reason why not.
pub fn check(kind: Kind, points: &[(f64, f64)]) -> Result<(), Refusal> {
    let is_on_earth = |&(lat, lon): &(f64, f64)| lat.abs() <= 90.0 && lon.abs() <= 180.0;
    if !points.iter().all(is_on_earth) {
        return Err(Refusal::OffTheEarth);
    }
    if points.len() > MOST_CORNERS {
        return Err(Refusal::TooManyCorners);
    }
    if !kind.is_ring() {
        let is_one = points.len() == 1;
        return is_one.then_some(()).ok_or(Refusal::TooFewCorners);
    }
    if points.len() < 3 {
        return Err(Refusal::TooFewCorners);
    }
    let frame = LocalFrame::around(points[0]);
    let ring: Vec<(f64, f64)> = points
        .iter()
        .map(|&point| frame.east_north_from_lat_lon(point))
        .collect();
    if crosses_itself(&ring) {
        return Err(Refusal::CrossesItself);
    }
    // Square metres; what is smaller was a slip of the finger.
    if area(&ring) < 0.01 {
        return Err(Refusal::NoInside);
    }
    Ok(())
}

/// Would this line, which is not closed yet, cross itself with one more corner?
#[must_use]
pub fn would_cross(points: &[(f64, f64)], next: (f64, f64)) -> bool {
    let Some(&last) = points.last() else {
        return false;
    };
    let frame = LocalFrame::around(last);
    let metres = |point: (f64, f64)| frame.east_north_from_lat_lon(point);
    points
        .windows(2)
        .rev()
        .skip(1)
        .any(|edge| do_cross(metres(edge[0]), metres(edge[1]), (0.0, 0.0), metres(next)))
}

fn clean(name: &str) -> String {
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    name.trim().chars().take(MOST_LETTERS).collect()
}

fn crosses_itself(ring: &[(f64, f64)]) -> bool {
    let count = ring.len();
    let edge = |index: usize| (ring[index], ring[(index + 1) % count]);
    (0..count).any(|one| {
        (one + 2..count)
            // The last edge and the first share a corner.
            .filter(|&other| one != 0 || other + 1 != count)
            .any(|other| {
                let ((a, b), (c, d)) = (edge(one), edge(other));
                do_cross(a, b, c, d)
            })
    })
}

/// Do two pieces of line have a point in common?
fn do_cross(a: (f64, f64), b: (f64, f64), c: (f64, f64), d: (f64, f64)) -> bool {
    let side = |p: (f64, f64), q: (f64, f64), r: (f64, f64)| {
        (q.0 - p.0) * (r.1 - p.1) - (q.1 - p.1) * (r.0 - p.0)
    };
    let (c_side, d_side) = (side(a, b, c), side(a, b, d));
    let (a_side, b_side) = (side(c, d, a), side(c, d, b));
    if c_side * d_side < 0.0 && a_side * b_side < 0.0 {
        return true;
    }
    // One that ends on the other; on one line the boxes decide.
    let within = |p: (f64, f64), q: (f64, f64), r: (f64, f64)| {
        r.0 >= p.0.min(q.0) && r.0 <= p.0.max(q.0) && r.1 >= p.1.min(q.1) && r.1 <= p.1.max(q.1)
    };
    let is_on = |side: f64| side.abs() < 1e-9;
    (is_on(c_side) && within(a, b, c))
        || (is_on(d_side) && within(a, b, d))
        || (is_on(a_side) && within(c, d, a))
        || (is_on(b_side) && within(c, d, b))
}

fn area(ring: &[(f64, f64)]) -> f64 {
    let twice: f64 = (0..ring.len())
        .map(|index| {
            let (a, b) = (ring[index], ring[(index + 1) % ring.len()]);
            a.0 * b.1 - b.0 * a.1
        })
        .sum();
    twice.abs() / 2.0
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const HERE: (f64, f64) = (31.2, 121.5);

    pub(crate) fn at(east: f64, north: f64) -> (f64, f64) {
        LocalFrame::around(HERE).lat_lon_from_east_north((east, north))
    }

    pub(crate) fn square(east: f64, north: f64, side: f64) -> Vec<(f64, f64)> {
        [(0.0, 0.0), (side, 0.0), (side, side), (0.0, side)]
            .map(|(x, y)| at(east + x, north + y))
            .to_vec()
    }

    #[test]
    fn what_was_drawn_can_be_taken_back_step_by_step_and_done_again() {
        let mut drawing = Drawing::default();
        let zone = drawing
            .add(Kind::Zone, " Yard ", square(0.0, 0.0, 10.0))
            .unwrap();
        drawing.rename(zone, "Back yard");
        drawing.reshape(zone, square(0.0, 0.0, 20.0)).unwrap();
        drawing.remove(zone);
        assert_eq!(drawing.shapes(), []);
        assert!(drawing.undo() && drawing.undo());
        assert_eq!(drawing.shape(zone).unwrap().points, square(0.0, 0.0, 10.0));
        assert_eq!(drawing.shape(zone).unwrap().name, "Back yard");
        assert!(drawing.redo());
        assert_eq!(drawing.shape(zone).unwrap().points, square(0.0, 0.0, 20.0));
        assert!(drawing.undo() && drawing.undo() && drawing.undo());
        assert!(!drawing.undo() && !drawing.can_undo());
        assert_eq!(drawing.shapes(), []);
        let other = drawing.add(Kind::Point, "Dock", vec![HERE]).unwrap();
        assert_ne!(other, zone, "a name that was used names nothing else");
        assert!(
            !drawing.can_redo(),
            "a new step forgets what was taken back"
        );
    }

    #[test]
    fn what_nobody_can_mean_is_refused_and_changes_nothing() {
        let mut drawing = Drawing::default();
        let mut bow_tie = square(0.0, 0.0, 10.0);
        bow_tie.swap(1, 2);
        for (points, reason) in [
            (vec![HERE, at(1.0, 0.0)], Refusal::TooFewCorners),
            (bow_tie, Refusal::CrossesItself),
            (vec![HERE, at(1.0, 0.0), at(2.0, 0.0)], Refusal::NoInside),
            (vec![HERE, HERE, HERE], Refusal::NoInside),
            (square(0.0, 0.0, 0.05), Refusal::NoInside),
            (vec![HERE, at(1.0, 0.0), (91.0, 0.0)], Refusal::OffTheEarth),
            (
                vec![HERE, at(1.0, 0.0), (f64::NAN, 0.0)],
                Refusal::OffTheEarth,
            ),
        ] {
            let refused = drawing.add(Kind::KeepOut, "x", points.clone());
            assert_eq!(refused, Err(reason), "{points:?}");
        }
        assert_eq!(drawing.changes(), 0);
        let ok = drawing
            .add(Kind::KeepOut, "x", square(0.0, 0.0, 1.0))
            .unwrap();
        assert_eq!(drawing.reshape(ok, vec![HERE]), Err(Refusal::TooFewCorners));
        assert_eq!(drawing.shape(ok).unwrap().points.len(), 4);
    }

    #[test]
    fn a_line_that_would_cross_itself_is_seen_before_it_does() {
        let line = [at(0.0, 0.0), at(10.0, 0.0), at(10.0, 10.0)];
        assert!(!would_cross(&line, at(0.0, 10.0)));
        assert!(would_cross(&line, at(5.0, -5.0)));
        assert!(!would_cross(&line[..1], at(5.0, -5.0)));
    }

    #[test]
    fn areas_are_metres_around_the_vehicle_and_another_sites_are_left_out() {
        let mut drawing = Drawing::default();
        drawing.add(Kind::Zone, "z", square(0.0, 0.0, 9.0)).unwrap();
        let near = drawing
            .add(Kind::KeepOut, "k", square(2.0, 3.0, 1.0))
            .unwrap();
        drawing
            .add(Kind::Fence, "f", square(9000.0, 0.0, 10.0))
            .unwrap();
        let (ids, areas) = areas_around(drawing.shapes(), HERE);
        assert_eq!(ids, [near]);
        assert!((areas[0].ring[2].0 - 3.0).abs() < 1e-6);
        assert!((areas[0].ring[2].1 - 4.0).abs() < 1e-6);
    }

    mod properties {
        use super::*;
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn undoing_everything_leaves_nothing_and_redoing_everything_leaves_the_same(
                steps in proptest::collection::vec((0..4_u8, 0..6_u32, 0.5..30.0_f64), 0..40),
            ) {
                let mut drawing = Drawing::default();
                for (what, id, size) in steps {
                    match what {
                        0 => { drawing.add(Kind::Zone, "a", square(size, 0.0, size)).unwrap(); }
                        1 => drawing.remove(id),
                        2 => drawing.rename(id, &size.to_string()),
                        _ => { drawing.reshape(id, square(0.0, size, size)).ok(); }
                    }
                }
                let whole = drawing.shapes().to_vec();
                while drawing.undo() {}
                prop_assert_eq!(drawing.shapes(), &[]);
                while drawing.redo() {}
                prop_assert_eq!(drawing.shapes(), &whole[..]);
            }

            #[test]
            fn whatever_is_kept_has_an_inside(
                corners in proptest::collection::vec((-20.0..20.0_f64, -20.0..20.0_f64), 0..8),
            ) {
                let points: Vec<_> = corners.iter().map(|&(x, y)| at(x, y)).collect();
                if check(Kind::Zone, &points).is_ok() {
                    prop_assert!(crate::chart::geodesy::area_of(&points) > 0.005);
                }
            }
        }
    }
}
