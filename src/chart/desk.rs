//! The desk at which somebody draws, measures and teaches: drawing, pencil and route together, and
//! what each button means now. Sans-IO; the screen shows it and hands it taps.

use serde_json::{Value, json};

use super::drawn::{Drawing, Kind, Refusal, Shape};
use super::exchange::drawing::{self, Imported};
use super::measure::{Measured, measured};
use super::pencil::{Change, Mode, Outcome, Pencil, Tap, Target, Things};
use super::route::{Route, RoutePoint};

/// Steps of the route that can be taken back.
const MOST_STEPS: usize = 20;

/// Everything on it.
#[derive(Debug, Clone, Default)]
pub struct Desk {
    drawing: Drawing,
    pencil: Pencil,
    chosen: Option<u32>,
    route: Route,
    places: Vec<(f64, f64)>,
    route_past: Vec<Vec<RoutePoint>>,
    refusal: Option<Refusal>,
    route_changes: u64,
}

impl Desk {
    /// What is drawn.
    #[must_use]
    pub fn drawing(&self) -> &Drawing {
        &self.drawing
    }

    /// The pencil.
    #[must_use]
    pub fn pencil(&self) -> &Pencil {
        &self.pencil
    }

    /// The shape that is chosen.
    #[must_use]
    pub fn chosen(&self) -> Option<&Shape> {
        self.chosen.and_then(|id| self.drawing.shape(id))
    }

    /// The taught route.
    #[must_use]
    pub fn route(&self) -> &Route {
        &self.route
    }

    /// Why the last tap or button did nothing.
    #[must_use]
    pub fn refusal(&self) -> Option<Refusal> {
        self.refusal
    }

    /// Counts changes of what is kept.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.drawing.changes() + self.route_changes
    }

    /// What is measured now.
    #[must_use]
    pub fn measured(&self) -> Measured {
        measured(self.pencil.line())
    }

    /// A finger tapped the map. `name` names what becomes whole by it: its kind, and the how many
    /// of its kind it is.
    pub fn tap(&mut self, tap: &Tap, name: &dyn Fn(Kind, usize) -> String) {
        let outcome = self.pencil.tap(tap, &things(&self.drawing, &self.places));
        self.take(outcome, name);
    }

    /// Taps mean something else from now on.
    pub fn take_up(&mut self, mode: Mode) {
        self.refusal = None;
        self.pencil.take_up(mode);
        if let Mode::Edit(Target::Shape(id)) = mode {
            self.chosen = Some(id);
        }
    }

    /// What is being drawn is whole.
    pub fn finish(&mut self, name: &dyn Fn(Kind, usize) -> String) {
        let outcome = self.pencil.finish();
        self.take(outcome, name);
    }

    /// The chosen corner goes.
    pub fn remove_corner(&mut self) {
        let outcome = self
            .pencil
            .remove_corner(&things(&self.drawing, &self.places));
        self.take(outcome, &|_, _| String::new());
    }

    /// There is something to take back.
    #[must_use]
    pub fn can_undo(&self) -> bool {
        !self.pencil.line().is_empty()
            || if self.is_at_route() {
                !self.route_past.is_empty()
            } else {
                self.drawing.can_undo()
            }
    }

    /// Takes back what was done last: the newest corner of what is being drawn, a step at the
    /// route, or a step at the drawing.
    pub fn undo(&mut self) {
        self.refusal = None;
        if self.pencil.back() {
            return;
        }
        if self.is_at_route() {
            if let Some(points) = self.route_past.pop() {
                self.put_route(points);
            }
        } else {
            self.drawing.undo();
        }
        self.pencil.take_up(self.pencil.mode());
    }

    /// Does again what was taken back at the drawing.
    pub fn redo(&mut self) {
        self.drawing.redo();
        self.pencil.take_up(self.pencil.mode());
    }

    /// A shape is chosen, or none.
    pub fn choose(&mut self, id: Option<u32>) {
        self.chosen = id;
    }

    /// Another name.
    pub fn rename(&mut self, id: u32, name: &str) {
        self.drawing.rename(id, name);
    }

    /// A shape goes.
    pub fn remove(&mut self, id: u32) {
        self.drawing.remove(id);
        if self.pencil.mode() == Mode::Edit(Target::Shape(id)) {
            self.pencil.take_up(Mode::Choose);
        }
    }

    /// What could be read of a file is added, as one step.
    pub fn import(&mut self, imported: &Imported) {
        let added = self.drawing.add_all(imported.drawn.iter().cloned());
        self.refusal = added.err();
    }

    /// A recorded place.
    pub fn record(&mut self, position: (f64, f64), is_brush_on: bool) {
        self.route.record(position, is_brush_on);
        if self.route.points.len() != self.places.len() {
            self.places.push(position);
            self.route_changes += 1;
        }
    }

    /// A new route is begun; the one before can be taken back.
    pub fn begin_route(&mut self) {
        self.change_route(Vec::new());
    }

    /// The route with fewer points, none of the left-out ones farther beside than that many metres.
    pub fn simplify(&mut self, tolerance: f64) {
        let simple = self.route.simplified(tolerance).points;
        if simple.len() < self.route.points.len() {
            self.change_route(simple);
        }
    }

    /// The correction service that the route was recorded with, as the operator names it.
    pub fn set_service(&mut self, service: &str) {
        let service = service.trim();
        self.route.correction_service = (!service.is_empty()).then(|| service.to_owned());
        self.route_changes += 1;
    }

    /// As it is kept in the browser.
    #[must_use]
    pub fn kept(&self) -> Value {
        json!({
            "drawing": drawing::write(self.drawing.shapes()),
            "route": self.route.to_geojson(),
        })
    }

    /// From what was kept; what cannot be read of it is told.
    #[must_use]
    pub fn from_kept(kept: &Value) -> (Self, Imported) {
        let text = kept["drawing"].as_str();
        let imported = text.map(drawing::read).unwrap_or_default();
        let route = Route::from_geojson(&kept["route"]).unwrap_or_default();
        let desk = Self {
            drawing: Drawing::with(imported.drawn.iter().cloned()),
            places: route.points.iter().map(|point| point.position).collect(),
            route,
            ..Self::default()
        };
        (desk, imported)
    }
}

impl Desk {
    fn take(&mut self, outcome: Outcome, name: &dyn Fn(Kind, usize) -> String) {
        self.refusal = None;
        match outcome {
            Outcome::Nothing | Outcome::Changed => {}
            Outcome::Chosen(id) => self.chosen = id,
            Outcome::Refused(refusal) => self.refusal = Some(refusal),
            Outcome::Drawn(kind, points) => {
                let number = self.drawing.shapes().iter().filter(|it| it.kind == kind);
                let name = name(kind, number.count() + 1);
                match self.drawing.add(kind, &name, points) {
                    Ok(id) => self.chosen = Some(id),
                    Err(refusal) => self.refusal = Some(refusal),
                }
                self.pencil.take_up(Mode::Choose);
            }
            Outcome::Reshaped {
                target: Target::Shape(id),
                points,
                ..
            } => {
                if let Err(refusal) = self.drawing.reshape(id, points) {
                    self.refusal = Some(refusal);
                    // A corner that did not come to be is not chosen.
                    self.pencil.take_up(self.pencil.mode());
                }
            }
            Outcome::Reshaped {
                target: Target::Route,
                points,
                change,
            } => self.edit_route(change, &points),
        }
    }

    fn edit_route(&mut self, change: Change, places: &[(f64, f64)]) {
        let before = self.route.points.clone();
        self.route.edit(change, places);
        let after = std::mem::replace(&mut self.route.points, before);
        self.change_route(after);
    }

    fn change_route(&mut self, points: Vec<RoutePoint>) {
        let before = std::mem::take(&mut self.route.points);
        if !before.is_empty() {
            if self.route_past.len() >= MOST_STEPS {
                self.route_past.remove(0);
            }
            self.route_past.push(before);
        }
        self.put_route(points);
    }

    fn put_route(&mut self, points: Vec<RoutePoint>) {
        self.places = points.iter().map(|point| point.position).collect();
        self.route.points = points;
        self.route_changes += 1;
    }

    fn is_at_route(&self) -> bool {
        self.pencil.mode() == Mode::Edit(Target::Route)
    }
}

fn things<'a>(drawing: &'a Drawing, route: &'a [(f64, f64)]) -> Things<'a> {
    Things {
        shapes: drawing.shapes(),
        route,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::drawn::tests::{at, square};

    fn tap(place: (f64, f64)) -> Tap {
        Tap {
            place,
            zoom: 20.0,
            is_exact: false,
        }
    }

    fn name(kind: Kind, number: usize) -> String {
        format!("{} {number}", kind.code())
    }

    fn draw(desk: &mut Desk, kind: Kind, corners: &[(f64, f64)]) {
        desk.take_up(Mode::Draw(kind));
        for &corner in corners {
            desk.tap(&tap(corner), &name);
        }
        desk.tap(&tap(corners[0]), &name);
    }

    #[test]
    fn a_zone_is_drawn_named_edited_and_taken_back_by_taps_and_buttons() {
        let mut desk = Desk::default();
        draw(&mut desk, Kind::Zone, &square(0.0, 0.0, 20.0));
        let zone = desk.chosen().unwrap();
        assert_eq!((zone.name.as_str(), zone.points.len()), ("zone 1", 4));
        assert_eq!(desk.pencil().mode(), Mode::Choose);
        let id = zone.id;
        desk.take_up(Mode::Edit(Target::Shape(id)));
        desk.tap(&tap(at(20.0, 20.0)), &name);
        desk.tap(&tap(at(30.0, 30.0)), &name);
        assert_eq!(desk.chosen().unwrap().points[2], at(30.0, 30.0));
        desk.remove_corner();
        assert_eq!(desk.chosen().unwrap().points.len(), 3);
        desk.tap(&tap(at(0.0, 0.0)), &name);
        desk.remove_corner();
        assert_eq!(desk.refusal(), Some(Refusal::TooFewCorners));
        assert_eq!(desk.chosen().unwrap().points.len(), 3);
        desk.undo();
        desk.undo();
        assert_eq!(desk.chosen().unwrap().points, square(0.0, 0.0, 20.0));
        desk.remove(id);
        assert!(desk.chosen().is_none() && desk.pencil().mode() == Mode::Choose);
    }

    #[test]
    fn undo_takes_back_the_newest_corner_before_anything_that_is_whole() {
        let mut desk = Desk::default();
        draw(&mut desk, Kind::KeepOut, &square(0.0, 0.0, 20.0));
        desk.take_up(Mode::Draw(Kind::Zone));
        desk.tap(&tap(at(50.0, 0.0)), &name);
        desk.tap(&tap(at(70.0, 0.0)), &name);
        desk.undo();
        assert_eq!(desk.pencil().line(), [at(50.0, 0.0)]);
        desk.undo();
        assert_eq!(desk.drawing().shapes().len(), 1);
        desk.undo();
        assert_eq!(desk.drawing().shapes().len(), 0);
        assert!(!desk.can_undo());
        desk.redo();
        assert_eq!(desk.drawing().shapes().len(), 1);
    }

    #[test]
    fn a_route_is_recorded_simplified_edited_and_taken_back() {
        let mut desk = Desk::default();
        for step in 0..=100 {
            desk.record(at(f64::from(step) * 0.2, 0.0), step >= 50);
        }
        desk.set_service(" Qianxun ");
        desk.simplify(0.05);
        assert_eq!(desk.route().points.len(), 3, "{:?}", desk.route().points);
        desk.take_up(Mode::Edit(Target::Route));
        desk.tap(&tap(at(5.0, 0.0)), &name);
        desk.tap(&tap(at(5.0, 6.0)), &name);
        assert_eq!(desk.route().points[1].position, at(5.0, 6.0));
        desk.remove_corner();
        assert_eq!(desk.route().points.len(), 3);
        desk.undo();
        assert_eq!(desk.route().points.len(), 4);
        desk.undo();
        desk.undo();
        assert_eq!(desk.route().points.len(), 3);
        desk.undo();
        assert_eq!(desk.route().points.len(), 101);
        desk.begin_route();
        assert!(desk.route().points.is_empty());
        assert_eq!(desk.route().correction_service.as_deref(), Some("Qianxun"));
        desk.undo();
        assert_eq!(desk.route().points.len(), 101);
    }

    #[test]
    fn what_is_kept_comes_back_and_what_is_damaged_of_it_is_told() {
        let mut desk = Desk::default();
        draw(&mut desk, Kind::Fence, &square(0.0, 0.0, 20.0));
        desk.record(at(0.0, 0.0), true);
        desk.record(at(5.0, 0.0), false);
        desk.set_service("RTK2go");
        let (again, imported) = Desk::from_kept(&desk.kept());
        assert_eq!(imported.problems, []);
        assert_eq!(again.drawing().shapes()[0].name, "fence 1");
        assert_eq!(
            again.route().correction_service,
            desk.route().correction_service
        );
        let brush: Vec<_> = again.route().points.iter().map(|p| p.is_brush_on).collect();
        assert_eq!(brush, [true, false]);
        assert!(!again.can_undo());
        let (empty, told) = Desk::from_kept(&json!({"drawing": "{", "route": 7}));
        assert!(empty.drawing().shapes().is_empty() && empty.route().points.is_empty());
        assert_eq!(told.problems.len(), 1);
    }

    #[test]
    fn measuring_sets_places_and_leaves_the_drawing_alone() {
        let mut desk = Desk::default();
        desk.take_up(Mode::Measure);
        desk.tap(&tap(at(0.0, 0.0)), &name);
        desk.tap(&tap(at(30.0, 0.0)), &name);
        assert!((desk.measured().length - 30.0).abs() < 1e-3);
        assert_eq!(desk.changes(), 0);
        desk.take_up(Mode::Choose);
        assert_eq!(desk.measured().leg, None);
    }
}
