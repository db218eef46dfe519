//! Drawing by taps: what a finger on the map means, sans-IO.
//!
//! Everything is done by taps, not by dragging: a tap is the same with a glove on a shaking
//! tablet, and two fingers still move the map. Distances are pixels of the screen, as wide as a
//! thumb; what is hit is decided here and nowhere else.

use super::drawn::{Kind, Refusal, Shape, check, would_cross};
use crate::rtk::geo::{lat_lon_from_world_pixel, world_pixel_from_lat_lon};

/// Half the side of a target for a thumb, in pixels.
pub const FINGER_PX: f64 = 24.0;
/// Nearer than this a new corner lands on one that is there.
pub const SNAP_PX: f64 = 16.0;

/// A tap on the map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tap {
    /// `(lat, lon)`, WGS84 degrees.
    pub place: (f64, f64),
    /// Of the map, whole or not: how many pixels a metre is.
    pub zoom: f64,
    /// The place is known exactly (the vehicle's own): it lands where it is and not on a neighbour.
    pub is_exact: bool,
}

/// What is edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A drawn shape.
    Shape(u32),
    /// The taught route, an open line.
    Route,
}

/// What taps mean now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// They choose a shape.
    #[default]
    Choose,
    /// They set the corners of something new.
    Draw(Kind),
    /// They move, add and choose corners.
    Edit(Target),
    /// They set the places to measure between.
    Measure,
}

/// What is on the map.
#[derive(Debug, Clone, Copy)]
pub struct Things<'a> {
    /// The shapes.
    pub shapes: &'a [Shape],
    /// The route's places.
    pub route: &'a [(f64, f64)],
}

/// What a tap has brought about.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Nothing.
    Nothing,
    /// The pencil's own line, corner or choice is another one.
    Changed,
    /// Something new is whole.
    Drawn(Kind, Vec<(f64, f64)>),
    /// A shape lies under the finger, or none.
    Chosen(Option<u32>),
    /// What is edited should look like this. With the place at which a corner is new.
    Reshaped {
        /// What.
        target: Target,
        /// All its corners.
        points: Vec<(f64, f64)>,
        /// How it came to be.
        change: Change,
    },
    /// It cannot be.
    Refused(Refusal),
}

/// How an outline changed, so that what belongs to each corner can follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The corner of this number is elsewhere.
    Moved(usize),
    /// There is a new one of this number.
    Added(usize),
    /// The one of this number is gone.
    Removed(usize),
}

/// The pencil.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pencil {
    mode: Mode,
    line: Vec<(f64, f64)>,
    corner: Option<usize>,
}

impl Pencil {
    /// What taps mean now.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The places set so far, of something that is being drawn or measured.
    #[must_use]
    pub fn line(&self) -> &[(f64, f64)] {
        &self.line
    }

    /// The chosen corner of what is edited.
    #[must_use]
    pub fn corner(&self) -> Option<usize> {
        self.corner
    }

    /// Taps mean something else from now on; what was begun is given up.
    pub fn take_up(&mut self, mode: Mode) {
        *self = Self {
            mode,
            ..Self::default()
        };
    }

    /// The ring that is being drawn can be finished.
    #[must_use]
    pub fn can_finish(&self) -> bool {
        matches!(self.mode, Mode::Draw(kind) if check(kind, &self.line).is_ok())
    }

    /// A finger tapped the map.
    pub fn tap(&mut self, tap: &Tap, things: &Things<'_>) -> Outcome {
        match self.mode {
            Mode::Choose => Outcome::Chosen(under(tap, things.shapes)),
            Mode::Draw(Kind::Point) => {
                let place = snapped(tap, things, None);
                Outcome::Drawn(Kind::Point, vec![place])
            }
            Mode::Draw(_) => self.set_corner(tap, things),
            Mode::Measure => {
                self.line.push(snapped(tap, things, None));
                Outcome::Changed
            }
            Mode::Edit(target) => self.edit(target, tap, things),
        }
    }

    /// The ring is whole.
    pub fn finish(&mut self) -> Outcome {
        let Mode::Draw(kind) = self.mode else {
            return Outcome::Nothing;
        };
        match check(kind, &self.line) {
            Ok(()) => Outcome::Drawn(kind, std::mem::take(&mut self.line)),
            Err(refusal) => Outcome::Refused(refusal),
        }
    }

    /// Takes the newest place back; false when there is none.
    pub fn back(&mut self) -> bool {
        self.line.pop().is_some()
    }

    /// The chosen corner is to go.
    pub fn remove_corner(&mut self, things: &Things<'_>) -> Outcome {
        let (Mode::Edit(target), Some(corner)) = (self.mode, self.corner) else {
            return Outcome::Nothing;
        };
        let mut points = outline(target, things).0.to_vec();
        if corner >= points.len() {
            return Outcome::Nothing;
        }
        points.remove(corner);
        self.corner = None;
        Outcome::Reshaped {
            target,
            points,
            change: Change::Removed(corner),
        }
    }

    fn set_corner(&mut self, tap: &Tap, things: &Things<'_>) -> Outcome {
        let is_under = |place: Option<&(f64, f64)>| {
            place.is_some_and(|&place| pixels(tap, place) <= FINGER_PX)
        };
        // On the first corner, or once more on the last one: whole.
        if !tap.is_exact
            && self.line.len() >= 3
            && (is_under(self.line.first()) || is_under(self.line.last()))
        {
            return self.finish();
        }
        let place = snapped(tap, things, None);
        if self.line.last() == Some(&place) || (!tap.is_exact && is_under(self.line.last())) {
            return Outcome::Nothing;
        }
        if would_cross(&self.line, place) {
            return Outcome::Refused(Refusal::CrossesItself);
        }
        self.line.push(place);
        Outcome::Changed
    }

    fn edit(&mut self, target: Target, tap: &Tap, things: &Things<'_>) -> Outcome {
        let (points, is_ring) = outline(target, things);
        if points.is_empty() {
            return Outcome::Refused(Refusal::Gone);
        }
        let hit = nearest(points.iter().map(|&point| pixels(tap, point)));
        if let Some(hit) = hit.filter(|_| !tap.is_exact && points.len() > 1) {
            self.corner = (self.corner != Some(hit)).then_some(hit);
            return Outcome::Changed;
        }
        let place = snapped(tap, things, Some(target));
        let mut points = points.to_vec();
        // A single place is the one that is moved.
        let chosen = self.corner.or((points.len() == 1).then_some(0));
        if let Some(corner) = chosen.filter(|&corner| corner < points.len()) {
            points[corner] = place;
            return Outcome::Reshaped {
                target,
                points,
                change: Change::Moved(corner),
            };
        }
        let edges = edges(&points, is_ring).map(|(a, b)| pixels_to_edge(tap, a, b));
        let Some(edge) = nearest(edges) else {
            return Outcome::Nothing;
        };
        points.insert(edge + 1, place);
        self.corner = Some(edge + 1);
        Outcome::Reshaped {
            target,
            points,
            change: Change::Added(edge + 1),
        }
    }
}

/// The corners of what is edited, and whether its last is joined to its first.
fn outline<'a>(target: Target, things: &Things<'a>) -> (&'a [(f64, f64)], bool) {
    match target {
        Target::Route => (things.route, false),
        Target::Shape(id) => things
            .shapes
            .iter()
            .find(|shape| shape.id == id)
            .map_or((&[], false), |shape| (&shape.points, shape.kind.is_ring())),
    }
}

/// The shape under a finger: a corner or a place before a line, a line before an inside, a small
/// inside before a large one.
#[must_use]
pub fn under(tap: &Tap, shapes: &[Shape]) -> Option<u32> {
    let best = |distance: &dyn Fn(&Shape) -> f64| {
        let distances = shapes.iter().map(distance);
        nearest(distances).map(|index| shapes[index].id)
    };
    let corner = |shape: &Shape| {
        let distances = shape.points.iter().map(|&point| pixels(tap, point));
        distances.fold(f64::INFINITY, f64::min)
    };
    let line = |shape: &Shape| {
        edges(&shape.points, shape.kind.is_ring())
            .map(|(a, b)| pixels_to_edge(tap, a, b))
            .fold(f64::INFINITY, f64::min)
    };
    best(&corner).or_else(|| best(&line)).or_else(|| {
        shapes
            .iter()
            .filter(|shape| shape.kind.is_ring() && is_inside(tap.place, &shape.points))
            .min_by(|a, b| extent(&a.points).total_cmp(&extent(&b.points)))
            .map(|shape| shape.id)
    })
}

/// The number of the nearest within a finger's reach.
fn nearest(distances: impl Iterator<Item = f64>) -> Option<usize> {
    distances
        .enumerate()
        .filter(|(_, distance)| *distance <= FINGER_PX)
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(index, _)| index)
}

/// Where a new place lands: on a corner that is there already, if one is near.
fn snapped(tap: &Tap, things: &Things<'_>, but: Option<Target>) -> (f64, f64) {
    if tap.is_exact {
        return tap.place;
    }
    let route = (but != Some(Target::Route)).then_some(things.route);
    things
        .shapes
        .iter()
        .filter(|shape| but != Some(Target::Shape(shape.id)))
        .map(|shape| &shape.points[..])
        .chain(route)
        .flatten()
        .map(|&point| (pixels(tap, point), point))
        .filter(|(distance, _)| *distance <= SNAP_PX)
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(tap.place, |(_, point)| point)
}

fn edges(
    points: &[(f64, f64)],
    is_ring: bool,
) -> impl Iterator<Item = ((f64, f64), (f64, f64))> + '_ {
    let count = if is_ring {
        points.len()
    } else {
        points.len().saturating_sub(1)
    };
    (0..count).map(|index| (points[index], points[(index + 1) % points.len()]))
}

fn pixels(tap: &Tap, place: (f64, f64)) -> f64 {
    let (a, b) = (pixel(tap.place, tap.zoom), pixel(place, tap.zoom));
    (a.0 - b.0).hypot(a.1 - b.1)
}

fn pixels_to_edge(tap: &Tap, a: (f64, f64), b: (f64, f64)) -> f64 {
    let [p, a, b] = [tap.place, a, b].map(|place| pixel(place, tap.zoom));
    let (x, y) = (b.0 - a.0, b.1 - a.1);
    let length = x * x + y * y;
    let along = if length > 0.0 {
        (((p.0 - a.0) * x + (p.1 - a.1) * y) / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (p.0 - a.0 - along * x).hypot(p.1 - a.1 - along * y)
}

fn pixel(place: (f64, f64), zoom: f64) -> (f64, f64) {
    world_pixel_from_lat_lon(place, zoom)
}

/// The place that many pixels right of and below another one.
#[must_use]
pub fn beside(place: (f64, f64), zoom: f64, (right, down): (f64, f64)) -> (f64, f64) {
    let (x, y) = pixel(place, zoom);
    lat_lon_from_world_pixel((x + right, y + down), zoom)
}

/// Is a place inside a ring?
#[must_use]
pub fn is_inside(place: (f64, f64), ring: &[(f64, f64)]) -> bool {
    let mut is_inside = false;
    for (a, b) in edges(ring, true) {
        if (a.0 <= place.0) != (b.0 <= place.0)
            && place.1 < a.1 + (place.0 - a.0) / (b.0 - a.0) * (b.1 - a.1)
        {
            is_inside = !is_inside;
        }
    }
    is_inside
}

/// How large a ring is, compared with others at the same place.
fn extent(ring: &[(f64, f64)]) -> f64 {
    let twice: f64 = edges(ring, true)
        .map(|(a, b)| (a.1 - ring[0].1) * (b.0 - ring[0].0) - (b.1 - ring[0].1) * (a.0 - ring[0].0))
        .sum();
    twice.abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::drawn::Drawing;
    use crate::chart::drawn::tests::{HERE, at, square};

    const ZOOM: f64 = 20.0;
    const EMPTY: Things<'_> = Things {
        shapes: &[],
        route: &[],
    };

    fn tap(place: (f64, f64)) -> Tap {
        Tap {
            place,
            zoom: ZOOM,
            is_exact: false,
        }
    }

    fn near(place: (f64, f64), right_px: f64) -> Tap {
        tap(beside(place, ZOOM, (right_px, 0.0)))
    }

    fn drawing(pencil: &mut Pencil, kind: Kind, corners: &[(f64, f64)]) {
        pencil.take_up(Mode::Draw(kind));
        for &corner in corners {
            assert_eq!(pencil.tap(&tap(corner), &EMPTY), Outcome::Changed);
        }
    }

    #[test]
    fn a_ring_is_finished_by_a_thumb_on_its_first_corner_or_again_on_its_last() {
        let ring = square(0.0, 0.0, 20.0);
        for (corner, px) in [(0, 0.0), (0, 23.0), (3, 20.0)] {
            let mut pencil = Pencil::default();
            drawing(&mut pencil, Kind::Zone, &ring);
            assert!(pencil.can_finish());
            let done = pencil.tap(&near(ring[corner], px), &EMPTY);
            assert_eq!(done, Outcome::Drawn(Kind::Zone, ring.clone()));
            assert!(pencil.line().is_empty());
        }
        let mut pencil = Pencil::default();
        drawing(&mut pencil, Kind::Zone, &ring);
        assert_eq!(pencil.finish(), Outcome::Drawn(Kind::Zone, ring));
    }

    #[test]
    fn a_second_tap_on_the_same_place_adds_no_corner_and_two_corners_are_no_ring() {
        let mut pencil = Pencil::default();
        drawing(&mut pencil, Kind::KeepOut, &[at(0.0, 0.0), at(20.0, 0.0)]);
        assert_eq!(
            pencil.tap(&near(at(20.0, 0.0), 10.0), &EMPTY),
            Outcome::Nothing
        );
        assert!(!pencil.can_finish());
        assert_eq!(pencil.finish(), Outcome::Refused(Refusal::TooFewCorners));
        assert!(pencil.back() && pencil.back() && !pencil.back());
    }

    #[test]
    fn a_corner_that_would_make_the_line_cross_itself_is_refused_and_the_line_stays() {
        let mut pencil = Pencil::default();
        let line = [at(0.0, 0.0), at(20.0, 0.0), at(20.0, 20.0)];
        drawing(&mut pencil, Kind::Zone, &line);
        let refused = pencil.tap(&tap(at(10.0, -10.0)), &EMPTY);
        assert_eq!(refused, Outcome::Refused(Refusal::CrossesItself));
        assert_eq!(pencil.line(), line);
    }

    #[test]
    fn a_corner_beside_another_shapes_corner_lands_on_it_and_the_vehicles_place_does_not() {
        let mut drawn = Drawing::default();
        drawn.add(Kind::Zone, "a", square(0.0, 0.0, 20.0)).unwrap();
        let things = Things {
            shapes: drawn.shapes(),
            route: &[],
        };
        let mut pencil = Pencil::default();
        pencil.take_up(Mode::Draw(Kind::Zone));
        pencil.tap(&near(at(20.0, 0.0), 15.0), &things);
        pencil.tap(&near(at(20.0, 20.0), 17.0), &things);
        let exact = Tap {
            is_exact: true,
            ..near(at(20.0, 0.0), 10.0)
        };
        pencil.tap(&exact, &things);
        assert_eq!(pencil.line()[0], square(0.0, 0.0, 20.0)[1]);
        assert_ne!(pencil.line()[1], square(0.0, 0.0, 20.0)[2]);
        assert_eq!(pencil.line()[2], exact.place);
    }

    #[test]
    fn a_finger_finds_the_corner_then_the_line_then_the_smallest_inside() {
        let mut drawn = Drawing::default();
        let yard = drawn
            .add(Kind::Fence, "yard", square(-50.0, -50.0, 100.0))
            .unwrap();
        let bed = drawn
            .add(Kind::KeepOut, "bed", square(0.0, 0.0, 20.0))
            .unwrap();
        let dock = drawn
            .add(Kind::Point, "dock", vec![at(10.0, 10.0)])
            .unwrap();
        let find = |tap: Tap| under(&tap, drawn.shapes());
        assert_eq!(find(near(at(10.0, 10.0), 20.0)), Some(dock));
        assert_eq!(find(near(at(10.0, 10.0), 40.0)), Some(bed));
        assert_eq!(find(near(at(20.0, 10.0), 20.0)), Some(bed), "its line");
        assert_eq!(find(tap(at(-30.0, -30.0))), Some(yard));
        assert_eq!(find(tap(at(-80.0, 0.0))), None);
    }

    #[test]
    fn corners_are_chosen_moved_added_and_removed_by_taps() {
        let mut drawn = Drawing::default();
        let id = drawn.add(Kind::Zone, "a", square(0.0, 0.0, 20.0)).unwrap();
        let mut pencil = Pencil::default();
        pencil.take_up(Mode::Edit(Target::Shape(id)));
        let mut act = |drawn: &mut Drawing, tap: Tap| {
            let things = Things {
                shapes: drawn.shapes(),
                route: &[],
            };
            let outcome = pencil.tap(&tap, &things);
            if let Outcome::Reshaped { points, .. } = &outcome {
                drawn.reshape(id, points.clone()).unwrap();
            }
            (outcome, pencil.corner())
        };
        assert_eq!(
            act(&mut drawn, tap(at(10.0, 10.0))),
            (Outcome::Nothing, None)
        );
        assert_eq!(
            act(&mut drawn, near(at(20.0, 20.0), 22.0)),
            (Outcome::Changed, Some(2))
        );
        let (moved, corner) = act(&mut drawn, tap(at(30.0, 30.0)));
        assert!(matches!(
            moved,
            Outcome::Reshaped {
                change: Change::Moved(2),
                ..
            }
        ));
        assert_eq!(corner, Some(2), "it may be moved on");
        assert_eq!(act(&mut drawn, near(at(30.0, 30.0), 5.0)).1, None);
        let (added, corner) = act(&mut drawn, near(at(0.0, 10.0), 10.0));
        assert!(
            matches!(
                added,
                Outcome::Reshaped {
                    change: Change::Added(4),
                    ..
                }
            ),
            "{added:?}"
        );
        assert_eq!(corner, Some(4));
        assert_eq!(drawn.shape(id).unwrap().points.len(), 5);
        let things = Things {
            shapes: drawn.shapes(),
            route: &[],
        };
        let removed = pencil.remove_corner(&things);
        assert!(matches!(
            removed,
            Outcome::Reshaped {
                change: Change::Removed(4),
                ..
            }
        ));
        assert_eq!(pencil.corner(), None);
    }

    #[test]
    fn a_point_moves_where_it_is_tapped_and_a_route_is_an_open_line() {
        let mut drawn = Drawing::default();
        let id = drawn.add(Kind::Point, "dock", vec![HERE]).unwrap();
        let route = [at(0.0, 0.0), at(20.0, 0.0), at(20.0, 20.0)];
        let things = Things {
            shapes: drawn.shapes(),
            route: &route,
        };
        let mut pencil = Pencil::default();
        pencil.take_up(Mode::Edit(Target::Shape(id)));
        let moved = pencil.tap(&tap(at(5.0, 5.0)), &things);
        assert!(matches!(&moved, Outcome::Reshaped { points, .. } if points == &[at(5.0, 5.0)]));
        pencil.take_up(Mode::Edit(Target::Route));
        let closing = pencil.tap(&tap(at(10.0, 10.0)), &things);
        assert_eq!(
            closing,
            Outcome::Nothing,
            "between its ends there is no line"
        );
        let added = pencil.tap(&tap(at(10.0, 0.0)), &things);
        assert!(matches!(
            added,
            Outcome::Reshaped {
                change: Change::Added(1),
                ..
            }
        ));
        pencil.take_up(Mode::Edit(Target::Shape(99)));
        assert_eq!(
            pencil.tap(&tap(HERE), &things),
            Outcome::Refused(Refusal::Gone)
        );
    }

    mod properties {
        use super::*;
        use proptest::prelude::*;

        proptest! {
            /// Whatever is tapped in whatever mode, nothing panics, and what comes out can be drawn.
            #[test]
            fn any_taps_leave_only_what_can_be_drawn(
                taps in proptest::collection::vec(
                    (0..8_u8, -40.0..40.0_f64, -40.0..40.0_f64, 12.0..23.0_f64), 0..60),
            ) {
                let mut drawn = Drawing::default();
                let mut pencil = Pencil::default();
                let route = [at(0.0, 0.0), at(20.0, 0.0)];
                for (what, east, north, zoom) in taps {
                    let id = drawn.shapes().last().map_or(7, |shape| shape.id);
                    match what {
                        0 => pencil.take_up(Mode::Draw(Kind::ALL[(zoom as usize) % 4])),
                        1 => pencil.take_up(Mode::Edit(Target::Shape(id))),
                        _ => {}
                    }
                    let things = Things { shapes: drawn.shapes(), route: &route };
                    let tap = Tap { place: at(east, north), zoom, is_exact: what == 2 };
                    let outcome = match what {
                        3 => pencil.finish(),
                        4 => pencil.remove_corner(&things),
                        _ => pencil.tap(&tap, &things),
                    };
                    match outcome {
                        Outcome::Drawn(kind, points) => {
                            prop_assert!(drawn.add(kind, "x", points).is_ok());
                        }
                        Outcome::Reshaped { target: Target::Shape(id), points, .. } => {
                            drawn.reshape(id, points).ok();
                        }
                        _ => {}
                    }
                    for shape in drawn.shapes() {
                        prop_assert!(check(shape.kind, &shape.points).is_ok());
                    }
                }
            }
        }
    }
}
