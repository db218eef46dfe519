//! What the vehicle has done, and what is ahead of it: the swept area, keep-outs and fences, the
//! route that is taught.
//!
//! It is fed every fix and everything that is published on the command topics, and knows what was
//! drawn. It claims only what follows from these: swept is where the deck went while the brush was
//! published on; a keep-out is ahead of what is commanded, as far as somebody drew it.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::coverage::{Coverage, Deck, Sweep, Tile};
use super::drawn::{Kind, Shape, areas_around};
use super::fence::{Motion, Stopping, ahead, speed_ahead};
use super::told::{Brush, Told, Wheels};
use crate::drive::settings::DriveSettings;
use crate::rtk::geo::distance_between_near;
use crate::rtk::outline::Drawing;
use crate::units::Moment;

/// Metres along the side of a square of the swept area.
pub const CELL: f64 = 0.05;
/// Seconds from a warning until the vehicle begins to slow: the operator, the link, the vehicle.
const REACTION_S: f64 = 1.0;
/// Metres that are left between the body and what is forbidden.
const ROOM: f64 = 0.2;
/// As much more while the position is a float solution.
const ROOM_WHEN_FLOAT: f64 = 0.5;
/// Metres from where sweeping began beyond which it begins anew.
const ANOTHER_SITE: f64 = 5000.0;
/// An older fix says nothing of what is ahead.
const FIX_HOLDS: Duration = Duration::from_millis(1000);
/// Metres between two points of the recorded line.
const ROUTE_STEP: f64 = 0.04;
/// Points of a recorded route: 50 km.
const MOST_RECORDED: usize = 1_000_000;
/// The least time between two pieces of news that fixes bring.
const LEAST_PERIOD: Duration = Duration::from_millis(80);
/// And between two others: what a fix brings is drawn with the fix, in one frame.
const PERIOD: Duration = Duration::from_millis(150);
/// Percents of zones are worked out so often, when something was swept.
const ZONES_PERIOD: Duration = Duration::from_millis(500);

/// The vehicle, as far as this needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkSettings {
    /// How it drives.
    pub drive: DriveSettings,
    /// What wheel angles on McCtrl mean, until somebody has found it out ([`WorkWish::Wheels`]).
    pub wheels: Wheels,
    /// Where it sweeps.
    pub deck: Deck,
    /// Metres that the body reaches around the reference point.
    pub radius: f64,
    /// It moves along its axis and turns: what is ahead can be looked at.
    pub is_on_wheels: bool,
}

impl WorkSettings {
    /// From the profile's outline (metres, x forward and y left), and how wide (0: as the outline)
    /// and how far ahead it sweeps.
    #[must_use]
    pub fn new(
        drive: DriveSettings,
        wheels: Wheels,
        outline: &[(f64, f64)],
        (width, forward): (f64, f64),
    ) -> Self {
        let sides = outline.iter().map(|corner| corner.1);
        let across = sides.clone().fold(f64::MIN, f64::max) - sides.fold(f64::MAX, f64::min);
        Self {
            drive,
            wheels,
            deck: Deck {
                width: if width > 0.0 { width } else { across },
                forward,
                left: 0.0,
            },
            radius: Drawing::from_outline(outline).body_radius,
            is_on_wheels: true,
        }
    }
}

/// A position that may be believed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorkFix {
    /// `(lat, lon)` of the reference point.
    pub position: (f64, f64),
    /// Degrees clockwise from north; `None` unless good.
    pub heading: Option<f64>,
    /// Position quality.
    pub quality: u8,
}

/// Why the swept area grows, or does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Counting {
    /// There is no live position.
    #[default]
    NoFix,
    /// It is not a fixed solution.
    NotFixed,
    /// The heading is not good.
    NoHeading,
    /// Nothing was published on McCtrl lately.
    BrushUnknown,
    /// The brush is published off.
    BrushOff,
    /// It grows where the vehicle drives.
    Counts,
}

/// Whether keep-outs and fences are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Watching {
    /// There is none here.
    #[default]
    NothingDrawn,
    /// Position or heading are not good enough.
    NoGoodFix,
    /// They are.
    Watches,
    /// What flies moves in ways that are not looked along.
    NotThisKind,
}

/// Something drawn is ahead within the way that stopping takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// The shape.
    pub id: u32,
    /// Metres that are left; 0 when it is too near already.
    pub distance: f64,
}

/// New squares.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Swept {
    /// `(lat, lon)` around which they are counted.
    pub origin: (f64, f64),
    /// Square metres, of all.
    pub area: f64,
    /// The tiles that changed.
    pub tiles: Vec<Tile>,
}

/// What the screen learns.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WorkNews {
    /// The brush as it is published.
    pub brush: Brush,
    /// m/s and rad/s that are commanded now, as published.
    pub commanded: (f64, f64),
    /// Whether the swept area grows.
    pub counting: Counting,
    /// Whether keep-outs are looked at.
    pub watching: Watching,
    /// What is ahead.
    pub warning: Option<Warning>,
    /// mm/s that what is ahead allows.
    pub cap: Option<u16>,
    /// New squares.
    pub swept: Option<Swept>,
    /// Percent of each zone, when they were worked out; `None` where there is no square in it.
    pub zones: Option<Vec<(u32, Option<f64>)>>,
    /// Places that were added to the recorded route, with the brush.
    pub recorded: Vec<((f64, f64), bool)>,
}

/// What the operator wants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum WorkWish {
    /// This is drawn, all of it.
    Drawn(Vec<Shape>),
    /// Record the driven line, or no more.
    Record(bool),
    /// These were swept before.
    Swept(Swept),
    /// Forget what was swept.
    ForgetSwept,
    /// What wheel angles mean, as it was found out on the vehicle.
    Wheels(Wheels),
}

/// The state machine.
#[derive(Debug)]
pub struct Work {
    settings: WorkSettings,
    told: Told,
    fix: Option<(WorkFix, Moment)>,
    shapes: Vec<Shape>,
    coverage: Option<Coverage>,
    is_recording: bool,
    last_recorded: Option<((f64, f64), bool)>,
    count_recorded: usize,
    shown: WorkNews,
    are_zones_old: bool,
    next_zones: Moment,
    is_dirty: bool,
    last_news: Moment,
    next_news: Moment,
}

impl Work {
    /// Nothing drawn, nothing swept.
    #[must_use]
    pub fn new(settings: WorkSettings) -> Self {
        Self {
            settings,
            told: Told::default(),
            fix: None,
            shapes: Vec::new(),
            coverage: None,
            is_recording: false,
            last_recorded: None,
            count_recorded: 0,
            shown: WorkNews::default(),
            are_zones_old: false,
            next_zones: Moment::START,
            is_dirty: true,
            last_news: Moment::START,
            next_news: Moment::START,
        }
    }

    /// The operator wants something.
    pub fn wish(&mut self, wish: WorkWish) {
        self.is_dirty = true;
        match wish {
            WorkWish::Drawn(shapes) => {
                self.shapes = shapes;
                self.are_zones_old = true;
            }
            WorkWish::Record(is_recording) => {
                self.is_recording = is_recording;
                self.last_recorded = None;
                self.count_recorded = 0;
            }
            WorkWish::Swept(swept) => {
                let mut coverage = Coverage::new(swept.origin, CELL, self.settings.deck);
                for tile in &swept.tiles {
                    coverage.put(tile);
                }
                self.coverage = Some(coverage);
                self.are_zones_old = true;
            }
            WorkWish::ForgetSwept => {
                self.coverage = None;
                self.are_zones_old = true;
            }
            WorkWish::Wheels(wheels) => self.settings.wheels = wheels,
        }
    }

    /// A message on the velocity topic.
    pub fn velocity(&mut self, msg: &Value, now: Moment) {
        self.told.velocity(msg, now);
        self.judge(now);
    }

    /// A message on McCtrl.
    pub fn mc_ctrl(&mut self, msg: &Value, now: Moment) {
        let WorkSettings { drive, wheels, .. } = &self.settings;
        self.told.mc_ctrl(msg, drive, *wheels, now);
        self.judge(now);
    }

    /// A live fix that passed the jump gate; `None`: there is none any more.
    pub fn fix(&mut self, fix: Option<WorkFix>, now: Moment) {
        self.fix = fix.map(|fix| (fix, now));
        self.next_news = self.next_news.min(self.last_news + LEAST_PERIOD).max(now);
        let is_brush_on = self.told.brush(now) == Brush::On;
        if let Some(fix) = fix {
            let is_elsewhere = self.coverage.as_ref().is_none_or(|coverage| {
                distance_between_near(coverage.origin(), fix.position) > ANOTHER_SITE
            });
            if is_brush_on && fix.quality == 4 && is_elsewhere {
                self.coverage = Some(Coverage::new(fix.position, CELL, self.settings.deck));
            }
            self.record(&fix, is_brush_on);
        }
        if let Some(coverage) = &mut self.coverage {
            let swept = coverage.see(&Sweep {
                time_ms: now.as_millis() as u64,
                position: fix.map_or((0.0, 0.0), |fix| fix.position),
                heading: fix.and_then(|fix| fix.heading),
                quality: fix.map(|fix| fix.quality),
                is_brush_on,
            });
            self.are_zones_old |= swept > 0;
            self.is_dirty |= swept > 0;
        }
        self.judge(now);
    }

    /// The connection is gone: nothing is known of what the vehicle is told.
    pub fn disconnected(&mut self, now: Moment) {
        self.told.forget();
        self.fix = None;
        self.judge(now);
    }

    /// When it wants [`Self::news`] to be asked for at the latest.
    #[must_use]
    pub fn next_wakeup(&self) -> Moment {
        // What is known grows old by itself.
        self.next_news
    }

    /// What is new, if anything is to be told now. While something is ahead it is told again and
    /// again: whoever lowers the speed by it must know that it is not old.
    pub fn news(&mut self, now: Moment) -> Option<WorkNews> {
        if now < self.next_news {
            return None;
        }
        self.last_news = now;
        self.next_news = now + PERIOD;
        self.judge(now);
        if !(self.is_dirty || self.shown.cap.is_some()) {
            return None;
        }
        self.is_dirty = false;
        if self.are_zones_old && now >= self.next_zones {
            self.are_zones_old = false;
            self.next_zones = now + ZONES_PERIOD;
            self.shown.zones = Some(self.zones());
        }
        // What waits for its time comes then.
        self.is_dirty = self.are_zones_old;
        if let Some(coverage) = &mut self.coverage {
            let tiles = coverage.take_changed();
            self.shown.swept = (!tiles.is_empty()).then(|| Swept {
                origin: coverage.origin(),
                area: coverage.area(),
                tiles,
            });
        }
        let news = self.shown.clone();
        self.shown.swept = None;
        self.shown.zones = None;
        self.shown.recorded.clear();
        Some(news)
    }
}

impl Work {
    fn record(&mut self, fix: &WorkFix, is_brush_on: bool) {
        if !self.is_recording || fix.quality != 4 || self.count_recorded >= MOST_RECORDED {
            return;
        }
        let is_new = self.last_recorded.is_none_or(|(place, was_on)| {
            was_on != is_brush_on || distance_between_near(place, fix.position) >= ROUTE_STEP
        });
        if is_new {
            self.last_recorded = Some((fix.position, is_brush_on));
            self.count_recorded += 1;
            self.shown.recorded.push((fix.position, is_brush_on));
            self.is_dirty = true;
        }
    }

    fn zones(&self) -> Vec<(u32, Option<f64>)> {
        let empty;
        let coverage = match &self.coverage {
            Some(coverage) => coverage,
            None => {
                let origin = self.shapes.first().and_then(|shape| shape.points.first());
                let origin = origin.copied().unwrap_or_default();
                empty = Coverage::new(origin, CELL, self.settings.deck);
                &empty
            }
        };
        self.shapes
            .iter()
            .filter(|shape| shape.kind == Kind::Zone)
            .map(|shape| (shape.id, coverage.percent_of(&shape.points)))
            .collect()
    }

    /// Works out what is to be said of this moment.
    fn judge(&mut self, now: Moment) {
        let fix = self.fix.filter(|(_, at)| now.since(*at) <= FIX_HOLDS);
        let fix = fix.map(|(fix, _)| fix);
        let brush = self.told.brush(now);
        let commanded = self.told.commanded(now);
        let counting = match (fix, brush) {
            (None, _) => Counting::NoFix,
            (Some(fix), _) if fix.quality != 4 => Counting::NotFixed,
            (Some(fix), _) if fix.heading.is_none() => Counting::NoHeading,
            (_, Brush::Unknown) => Counting::BrushUnknown,
            (_, Brush::Off) => Counting::BrushOff,
            (_, Brush::On) => Counting::Counts,
        };
        let (watching, warning, allowed) = self.look_ahead(fix, now);
        let cap = allowed.map(|speed| (speed * 1000.0).clamp(0.0, 65_535.0) as u16);
        let told = &mut self.shown;
        let commanded = (commanded.linear, commanded.angular);
        let is_other = told.brush != brush
            || told.commanded != commanded
            || told.counting != counting
            || told.watching != watching
            || told.warning != warning
            || told.cap != cap;
        // What must not wait is told at once.
        let is_urgent = told.warning.is_some() != warning.is_some()
            || cap.unwrap_or(u16::MAX) < told.cap.unwrap_or(u16::MAX);
        (told.brush, told.commanded) = (brush, commanded);
        (told.counting, told.watching) = (counting, watching);
        (told.warning, told.cap) = (warning, cap);
        self.is_dirty |= is_other;
        if is_urgent {
            self.next_news = self.next_news.min(now);
        }
    }

    fn look_ahead(
        &self,
        fix: Option<WorkFix>,
        now: Moment,
    ) -> (Watching, Option<Warning>, Option<f64>) {
        let is_drawn = |shape: &Shape| matches!(shape.kind, Kind::KeepOut | Kind::Fence);
        if !self.shapes.iter().any(is_drawn) {
            return (Watching::NothingDrawn, None, None);
        }
        if !self.settings.is_on_wheels {
            return (Watching::NotThisKind, None, None);
        }
        let Some((fix, heading)) = fix
            .filter(|fix| matches!(fix.quality, 4 | 5))
            .and_then(|fix| Some((fix, fix.heading?)))
        else {
            return (Watching::NoGoodFix, None, None);
        };
        let (ids, areas) = areas_around(&self.shapes, fix.position);
        if areas.is_empty() {
            return (Watching::NothingDrawn, None, None);
        }
        let commanded = self.told.commanded(now);
        let motion = Motion {
            position: (0.0, 0.0),
            heading,
            linear: commanded.linear,
            angular: commanded.angular,
        };
        let margin = if fix.quality == 4 {
            ROOM
        } else {
            ROOM_WHEN_FLOAT
        };
        let drive = &self.settings.drive;
        let stopping = Stopping {
            reaction: REACTION_S,
            deceleration: drive.acceleration,
            clearance: self.settings.radius + margin,
        };
        let fastest = if commanded.linear < 0.0 {
            drive.max_reverse.0
        } else {
            drive.max_linear.0
        };
        let warning = ahead(&motion, &stopping, &areas).and_then(|ahead| {
            Some(Warning {
                id: *ids.get(ahead.area)?,
                // Whole centimetres: a position that trembles is no news.
                distance: (ahead.distance * 100.0).round() / 100.0,
            })
        });
        let allowed = speed_ahead(&motion, &stopping, &areas, fastest);
        (Watching::Watches, warning, allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::drawn::tests::{at, square};
    use crate::drive::settings::Via;
    use crate::units::millis;
    use serde_json::json;

    struct Yard {
        work: Work,
        now: Moment,
        north: f64,
        speed: f64,
        brush: Option<bool>,
        quality: u8,
        heading: Option<f64>,
        news: Vec<WorkNews>,
    }

    const OUTLINE: [(f64, f64); 4] = [(0.4, 0.4), (-0.4, 0.4), (-0.4, -0.4), (0.4, -0.4)];

    impl Yard {
        fn new(shapes: Vec<Shape>) -> Self {
            let settings = WorkSettings::new(
                DriveSettings::default(),
                Wheels::default(),
                &OUTLINE,
                (0.8, 0.0),
            );
            let mut work = Work::new(settings);
            work.wish(WorkWish::Drawn(shapes));
            Self {
                work,
                now: Moment::START,
                north: 0.0,
                speed: 0.5,
                brush: Some(true),
                quality: 4,
                heading: Some(0.0),
                news: Vec::new(),
            }
        }

        /// Drives north for so many tenths of a second.
        fn drive(&mut self, ticks: u32) -> WorkNews {
            for _ in 0..ticks {
                self.now = self.now + millis(100);
                self.north += self.speed * 0.1;
                let twist = json!({"linear": {"x": self.speed}, "angular": {"z": 0.0}});
                self.work.velocity(&twist, self.now);
                if let Some(is_on) = self.brush {
                    let duty = if is_on { 50 } else { 0 };
                    let message =
                        json!({"roll_brush_suction_direction": 1, "roll_brush_suction": duty});
                    self.work.mc_ctrl(&message, self.now);
                }
                let fix = WorkFix {
                    position: at(0.0, self.north),
                    heading: self.heading,
                    quality: self.quality,
                };
                self.work.fix(Some(fix), self.now);
                self.news.extend(self.work.news(self.now));
            }
            self.work.shown.clone()
        }

        fn area(&self) -> f64 {
            let swept = self.news.iter().rev().find_map(|news| news.swept.as_ref());
            swept.map_or(0.0, |swept| swept.area)
        }
    }

    fn shape(id: u32, kind: Kind, points: Vec<(f64, f64)>) -> Shape {
        Shape {
            id,
            kind,
            name: String::new(),
            points,
        }
    }

    #[test]
    fn driving_in_a_zone_with_the_brush_on_gives_square_metres_and_percent() {
        let zone = shape(7, Kind::Zone, square(-0.4, 0.0, 4.0));
        let mut yard = Yard::new(vec![zone]);
        yard.speed = 0.5;
        assert_eq!(yard.drive(100).counting, Counting::Counts);
        yard.drive(10);
        assert!((yard.area() - 0.8 * 5.4).abs() < 0.25, "{}", yard.area());
        let percent = yard
            .news
            .iter()
            .rev()
            .find_map(|news| news.zones.clone())
            .unwrap();
        assert_eq!(percent[0].0, 7);
        assert!((percent[0].1.unwrap() - 20.0).abs() < 1.0, "{percent:?}");
    }

    #[test]
    fn what_is_not_known_is_not_counted_and_the_reason_is_told() {
        for (edit, reason) in [
            (
                (|yard| yard.brush = None) as fn(&mut Yard),
                Counting::BrushUnknown,
            ),
            (|yard| yard.brush = Some(false), Counting::BrushOff),
            (|yard| yard.quality = 5, Counting::NotFixed),
            (|yard| yard.heading = None, Counting::NoHeading),
        ] {
            let mut yard = Yard::new(vec![]);
            edit(&mut yard);
            assert_eq!(yard.drive(30).counting, reason);
            assert!(yard.area() < 1e-9);
        }
        let mut yard = Yard::new(vec![]);
        yard.drive(10);
        yard.now = yard.now + millis(1200);
        let news = yard.work.news(yard.now).unwrap();
        assert_eq!(
            (news.counting, news.brush),
            (Counting::NoFix, Brush::Unknown)
        );
        assert_eq!(news.commanded, (0.0, 0.0));
    }

    #[test]
    fn a_keep_out_ahead_warns_with_its_distance_and_lowers_the_speed_steadily() {
        let wall = shape(3, Kind::KeepOut, square(-5.0, 6.0, 5.0));
        let mut yard = Yard::new(vec![wall]);
        let mut last_cap = u16::MAX;
        let mut warned_at = None;
        while yard.north < 5.2 {
            let shown = yard.drive(1);
            assert_eq!(shown.watching, Watching::Watches);
            let cap = shown.cap.unwrap_or(u16::MAX);
            assert!(cap <= last_cap, "{cap} after {last_cap}");
            last_cap = cap;
            if let Some(warning) = shown.warning {
                assert_eq!(warning.id, 3);
                warned_at.get_or_insert(yard.north);
            }
        }
        // It stops within 0.5·1 + 0.25/(2·0.5) = 0.75 m, and reaches 0.57 + 0.2 m.
        let warned_at = warned_at.unwrap();
        assert!(
            (warned_at - (6.0 - 0.77 - 0.75)).abs() < 0.11,
            "{warned_at}"
        );
        assert_eq!(last_cap, 100, "a creep is left");
        yard.speed = -0.3;
        let shown = yard.drive(1);
        assert_eq!(
            (shown.warning, shown.cap),
            (None, None),
            "the way out is free"
        );
    }

    #[test]
    fn what_is_ahead_is_told_again_while_it_holds_and_no_more_afterwards() {
        let wall = shape(3, Kind::KeepOut, square(-5.0, 1.5, 5.0));
        let mut yard = Yard::new(vec![wall]);
        yard.brush = None;
        yard.speed = 0.3;
        yard.drive(3);
        yard.news.clear();
        // The same place, the same command: no news but this.
        for _ in 0..10 {
            yard.north -= 0.03;
            yard.drive(1);
        }
        assert_eq!(yard.news.len(), 10);
        assert!(yard.news.iter().all(|news| news.cap.is_some()));
        yard.now = yard.now + millis(600);
        let news = yard.work.news(yard.now).unwrap();
        assert_eq!(
            (news.cap, news.warning),
            (None, None),
            "nothing is commanded any more"
        );
        yard.now = yard.now + millis(2000);
        yard.work.news(yard.now);
        assert_eq!(yard.work.news(yard.now + millis(200)), None);
    }

    #[test]
    fn without_a_good_fix_nothing_is_warned_of_and_that_is_told() {
        let wall = shape(3, Kind::KeepOut, square(-5.0, 1.5, 5.0));
        let mut yard = Yard::new(vec![wall.clone()]);
        yard.quality = 1;
        let shown = yard.drive(5);
        assert_eq!(
            (shown.watching, shown.warning, shown.cap),
            (Watching::NoGoodFix, None, None)
        );
        let mut yard = Yard::new(vec![wall.clone()]);
        yard.heading = None;
        assert_eq!(yard.drive(5).watching, Watching::NoGoodFix);
        let mut flying = Yard::new(vec![wall]);
        flying.work.settings.is_on_wheels = false;
        let shown = flying.drive(5);
        assert_eq!((shown.watching, shown.cap), (Watching::NotThisKind, None));
        let mut yard = Yard::new(vec![shape(1, Kind::Zone, square(0.0, 0.0, 5.0))]);
        assert_eq!(yard.drive(5).watching, Watching::NothingDrawn);
    }

    #[test]
    fn a_route_is_recorded_only_while_asked_for_on_fixed_positions_and_with_the_brush() {
        let mut yard = Yard::new(vec![]);
        yard.drive(10);
        yard.work.wish(WorkWish::Record(true));
        yard.drive(10);
        yard.brush = Some(false);
        yard.drive(10);
        yard.quality = 5;
        yard.drive(10);
        yard.speed = 0.0;
        yard.quality = 4;
        yard.drive(10);
        yard.work.wish(WorkWish::Record(false));
        yard.speed = 0.5;
        yard.drive(10);
        let recorded: Vec<_> = yard.news.iter().flat_map(|news| &news.recorded).collect();
        assert_eq!(recorded.len(), 21, "{recorded:?}");
        assert!(recorded[..10].iter().all(|point| point.1));
        assert!(recorded[10..].iter().all(|point| !point.1));
    }

    #[test]
    fn by_mc_ctrl_what_is_ahead_is_on_the_side_to_which_the_wheels_were_found_to_turn() {
        let drive = DriveSettings {
            via: Via::McCtrl,
            ..DriveSettings::default()
        };
        let settings = WorkSettings::new(drive, Wheels::default(), &OUTLINE, (0.8, 0.0));
        let mut work = Work::new(settings);
        let left = square(-1.7, 0.6, 0.8);
        work.wish(WorkWish::Drawn(vec![shape(1, Kind::KeepOut, left)]));
        let now = Moment::START;
        let fix = WorkFix {
            position: at(0.0, 0.0),
            heading: Some(0.0),
            quality: 4,
        };
        let turning = json!({"gear": 1, "rpm": 955, "angle": 40.0});
        let mut warning = |left| {
            let middle_deg = 0.0;
            work.wish(WorkWish::Wheels(Wheels { left, middle_deg }));
            work.fix(Some(fix), now);
            work.mc_ctrl(&turning, now);
            work.shown.warning
        };
        assert!(warning(1.0).is_some(), "turns into it");
        assert_eq!(warning(-1.0), None, "turns away from it");
    }

    #[test]
    fn a_successor_goes_on_from_what_was_swept() {
        let mut yard = Yard::new(vec![]);
        yard.drive(40);
        let before = yard.area();
        let mut swept = Swept::default();
        for news in yard.news.iter().filter_map(|news| news.swept.as_ref()) {
            swept.origin = news.origin;
            swept.tiles.extend(news.tiles.clone());
        }
        let mut next = Yard::new(vec![]);
        next.work.wish(WorkWish::Swept(swept));
        next.north = yard.north;
        next.drive(20);
        assert!(
            (next.area() - before - 0.8 * 0.95).abs() < 0.1,
            "{} {before}",
            next.area()
        );
        next.work.wish(WorkWish::ForgetSwept);
        next.news.clear();
        next.drive(10);
        assert!(next.area() < 0.5);
    }
}
