//! Work on the map: what is drawn by taps, what is swept, what is ahead, what is measured and taught.
//!
//! What may be meant and said is decided in `chart` (`desk`, `pencil`, `work`); here it is drawn and
//! handed fingers. The swept area and the look ahead are worked out in the viewer's Worker, which
//! hears every fix and every published command; a speed that what is ahead allows goes on to the
//! page, whose pilot may lower its limit by it and nothing else.
//!
//! | file | what |
//! |---|---|
//! | `bar.rs` | over the map: what is ahead, what a tap means now, the keys for it |
//! | `sheet.rs` | the sheet: swept area, drawing, files, route |
//! | `plate.rs` `drawn.rs` | the canvas of what is drawn |
//! | `swept.rs` | the swept squares |
//! | `fingers.rs` | taps on the page's map |
//! | `sound.rs` | the sound of a warning |

mod bar;
mod drawn;
mod fingers;
mod plate;
mod sheet;
mod sound;
mod swept;

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::prelude::*;
use web_sys::HtmlElement;

use super::leaflet::{LeafletMap, Moves, page_map};
use super::{Survey, now_ms, show};
use crate::chart::coverage::Tile;
use crate::chart::desk::Desk;
use crate::chart::drawn::Kind;
use crate::chart::exchange::drawing::{self, Problem};
use crate::chart::pencil::{Mode, Tap};
use crate::chart::told::{Brush, Wheels};
use crate::chart::work::{Counting, Swept, Warning, Watching, WorkNews, WorkWish};
use crate::lang::Lang;
use crate::rtk::view::{RtkState, RtkView};
use crate::shell::storage::{self, Keep};
use crate::shell::viewer_link::ViewerLink;
use crate::shell::viewing::{FromViewer, ViewerHost};
use crate::viewer::Wish;
use crate::words::InWords;
use drawn::DrawnPlate;
use fingers::Fingers;
use sound::Sound;
use swept::SweptArea;

/// While a route is recorded it is saved so often.
const SAVE_MS: f64 = 5_000.0;
/// And what is swept: a whole day of it takes the page's thread as long as several fixes.
const SAVE_SWEPT_MS: f64 = 30_000.0;
/// A long route is drawn anew so often while it grows.
const LONG_ROUTE: usize = 3_000;
const DRAW_LONG_MS: f64 = 1_000.0;
/// Nothing told for so long is not known any more.
const TOLD_MS: f64 = 2_000.0;

/// What the Worker tells, without what is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Told {
    brush: Brush,
    counting: Counting,
    watching: Watching,
    warning: Option<Warning>,
    cap: Option<u16>,
}

/// Everything that is drawn from.
#[derive(Clone, Copy)]
pub struct Work {
    lang: RwSignal<Lang>,
    is_open: RwSignal<bool>,
    is_covered: RwSignal<bool>,
    /// Taps on the map mean something.
    is_tapping: RwSignal<bool>,
    /// Counts whatever changes on the desk.
    turn: RwSignal<u64>,
    told: RwSignal<Told>,
    area: RwSignal<f64>,
    zones: RwSignal<BTreeMap<u32, Option<f64>>>,
    is_recording: RwSignal<bool>,
    problems: RwSignal<Vec<Problem>>,
    is_kept: RwSignal<bool>,
    /// The vehicle's own place, when it is exact.
    exact: RwSignal<Option<(f64, f64)>>,
    /// By profile, what is ahead lowers the speed.
    limits_speed: RwSignal<bool>,
    /// What wheel angles mean on this vehicle, as the Worker was told.
    wheels: StoredValue<Wheels>,
    inner: StoredValue<Rc<RefCell<Inner>>, LocalStorage>,
    link: StoredValue<Option<ViewerLink>, LocalStorage>,
}

#[derive(Default)]
struct Inner {
    desk: Desk,
    key: String,
    saved: u64,
    saved_at: f64,
    swept_saved_at: f64,
    origin: (f64, f64),
    tiles: BTreeMap<(i32, i32), Tile>,
    is_swept_unsaved: bool,
    /// The browser refused to keep what is drawn, what is swept.
    is_lost: [bool; 2],
    on_map: Option<OnMap>,
    is_undrawn: bool,
    drawn_at: f64,
    told_at: f64,
    sound: Sound,
}

struct OnMap {
    drawn: DrawnPlate,
    swept: SweptArea,
    fingers: Fingers,
    _moves: Moves,
    _key: Box<dyn Any>,
}

impl Work {
    /// Nothing is known yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            lang: RwSignal::default(),
            is_open: RwSignal::new(false),
            is_covered: RwSignal::new(false),
            is_tapping: RwSignal::new(false),
            turn: RwSignal::new(0),
            told: RwSignal::default(),
            area: RwSignal::new(0.0),
            zones: RwSignal::default(),
            is_recording: RwSignal::new(false),
            problems: RwSignal::default(),
            is_kept: RwSignal::new(true),
            exact: RwSignal::new(None),
            limits_speed: RwSignal::new(false),
            wheels: StoredValue::new(Wheels::default()),
            inner: StoredValue::new_local(Rc::default()),
            link: StoredValue::new_local(None),
        }
    }

    /// From now on it can ask for something.
    pub fn speak(self, link: ViewerLink) {
        self.link.set_value(Some(link));
        // A page that goes, or is put aside and may not come back.
        for event in ["pagehide", "visibilitychange"] {
            window_event_listener_untyped(event, move |_| {
                self.save();
                self.save_swept();
            });
        }
    }

    /// One sheet at a time.
    pub fn beside(self, survey: Survey) {
        Effect::new(move |_| {
            if self.is_open.get() {
                survey.close();
            }
        });
        Effect::new(move |_| {
            if survey.is_open.get() {
                self.close();
            }
        });
    }

    /// The page tells. What was drawn for this vehicle is taken up.
    pub fn take_host(self, host: &ViewerHost) {
        show(self.lang, host.lang);
        show(self.is_covered, host.is_covered);
        show(self.limits_speed, host.profile.map.fence_limits_speed);
        let namespace = host.profile.bridge.namespace.trim_matches('/');
        let key = ["drawn ", &host.url, " ", namespace].concat();
        let is_other = self.inner(|inner| inner.key != key).unwrap_or_default();
        let found = host.settings.commissioning.in_force;
        self.take_wheels(Wheels::of(&found, &host.profile.tools));
        if !is_other || host.url.is_empty() {
            return;
        }
        self.save();
        self.save_swept();
        let kept = storage::get(Keep::OnThisDevice, &key).unwrap_or(Value::Null);
        let (desk, imported) = Desk::from_kept(&kept);
        let swept: Swept =
            storage::get_packed(Keep::OnThisDevice, &swept_key(&key)).unwrap_or_default();
        let shapes = desk.drawing().shapes().to_vec();
        self.inner(|inner| {
            inner.saved = desk.changes();
            inner.desk = desk;
            inner.key = key;
            inner.origin = swept.origin;
            inner.tiles = swept.tiles.iter().map(|it| (it.at, it.clone())).collect();
            inner.is_swept_unsaved = false;
            inner.is_undrawn = true;
            if let Some(on_map) = &mut inner.on_map {
                on_map.swept.show(inner.origin, inner.tiles.values());
            }
        });
        self.problems.set(imported.problems);
        self.area.set(swept.area);
        self.zones.update(BTreeMap::clear);
        self.stop_tapping();
        show(self.is_recording, false);
        self.wish(WorkWish::Record(false));
        self.wish(WorkWish::ForgetSwept);
        if !swept.tiles.is_empty() {
            self.wish(WorkWish::Swept(swept));
        }
        self.wish(WorkWish::Drawn(shapes));
        self.turn.update(|turn| *turn += 1);
    }

    fn take_wheels(self, wheels: Wheels) {
        if self.wheels.get_value() != wheels {
            self.wheels.set_value(wheels);
            self.wish(WorkWish::Wheels(wheels));
        }
    }

    /// A fix came.
    pub fn see(self, view: &RtkView) {
        let is_exact = view.state == RtkState::Live && view.p_quality == Some(4);
        show(self.exact, view.position.filter(|_| is_exact));
    }

    /// The Worker tells.
    pub fn heard(self, news: WorkNews) {
        if let Some(swept) = news.swept {
            self.take_swept(swept);
        }
        if let Some(zones) = news.zones {
            show(self.zones, zones.into_iter().collect());
        }
        let told = Told {
            brush: news.brush,
            counting: news.counting,
            watching: news.watching,
            warning: news.warning,
            cap: news.cap,
        };
        let before = self.told.get_untracked();
        let is_recorded = !news.recorded.is_empty();
        self.inner(|inner| {
            inner.told_at = now_ms();
            for (place, is_brush_on) in news.recorded {
                inner.desk.record(place, is_brush_on);
            }
            inner.is_undrawn |= is_recorded || before.warning.is_some() != told.warning.is_some();
        });
        if is_recorded {
            self.turn.update(|turn| *turn += 1);
        }
        self.take_told(told);
    }

    /// The Worker died: nothing is known, and its successor must know what was swept.
    pub fn died(self) {
        self.take_told(Told::default());
        self.wish(WorkWish::Wheels(self.wheels.get_value()));
        let swept = self.inner(|inner| Swept {
            origin: inner.origin,
            area: 0.0,
            tiles: inner.tiles.values().cloned().collect(),
        });
        if let Some(swept) = swept.filter(|swept| !swept.tiles.is_empty()) {
            self.wish(WorkWish::Swept(swept));
        }
    }

    /// Time has passed.
    pub fn tick(self) {
        let now = now_ms();
        let is_warned = self.told.with_untracked(|told| told.warning.is_some());
        let mut is_old = false;
        self.inner(|inner| {
            inner.follow_map(self, is_warned, now);
            inner.sound.follow(is_warned, now);
            is_old = now - inner.told_at > TOLD_MS;
        });
        if is_old && is_warned {
            self.take_told(Told::default());
        }
        let is_due = self.inner(|inner| {
            (
                now - inner.saved_at > SAVE_MS,
                now - inner.swept_saved_at > SAVE_SWEPT_MS,
            )
        });
        let (is_due, is_swept_due) = is_due.unwrap_or_default();
        if is_due {
            self.save();
        }
        if is_swept_due {
            self.save_swept();
        }
    }

    /// The sheet is closed.
    pub fn close(self) {
        show(self.is_open, false);
    }

    /// The sheet, and what lies over the map.
    pub fn view(self) -> impl IntoView {
        view! {
            {bar::bar(self)}
            {sheet::sheet(self)}
        }
    }
}

impl Default for Work {
    fn default() -> Self {
        Self::new()
    }
}

impl Work {
    fn inner<R>(self, act: impl FnOnce(&mut Inner) -> R) -> Option<R> {
        let inner = self.inner.get_value();
        // Nothing here calls back; a program that broke in the middle of it must not break again.
        let mut inner = inner.try_borrow_mut().ok()?;
        Some(act(&mut inner))
    }

    /// Looks at the desk, and again when it changes.
    fn desk<R: Default>(self, look: impl FnOnce(&Desk) -> R) -> R {
        self.turn.track();
        self.inner(|inner| look(&inner.desk)).unwrap_or_default()
    }

    /// Changes the desk, and whatever follows from it.
    fn change(self, act: impl FnOnce(&mut Desk)) {
        let shapes = self.inner(|inner| {
            let before = inner.desk.drawing().changes();
            act(&mut inner.desk);
            inner.is_undrawn = true;
            let drawing = inner.desk.drawing();
            (drawing.changes() != before).then(|| drawing.shapes().to_vec())
        });
        if let Some(shapes) = shapes.flatten() {
            self.wish(WorkWish::Drawn(shapes));
        }
        self.save();
        self.turn.update(|turn| *turn += 1);
        let is_warned = self.told.with_untracked(|told| told.warning.is_some());
        self.inner(|inner| inner.draw(self, is_warned, now_ms()));
    }

    fn tapped(self, tap: Tap) {
        if self.is_tapping.get_untracked() {
            let lang = self.lang.get_untracked();
            self.change(|desk| desk.tap(&tap, &|kind, number| name(kind, number, lang)));
        }
    }

    /// Taps mean something from now on.
    fn take_up(self, mode: Mode) {
        self.change(|desk| desk.take_up(mode));
        self.is_open.set(false);
        self.set_tapping(true);
    }

    fn stop_tapping(self) {
        self.inner(|inner| {
            inner.desk.take_up(Mode::Choose);
            inner.desk.choose(None);
            inner.is_undrawn = true;
        });
        self.turn.update(|turn| *turn += 1);
        self.set_tapping(false);
    }

    fn set_tapping(self, is_tapping: bool) {
        show(self.is_tapping, is_tapping);
        self.inner(|inner| {
            if let Some(on_map) = &inner.on_map {
                on_map.fingers.set_drawing(is_tapping);
            }
        });
    }

    fn record(self, is_recording: bool) {
        if is_recording {
            self.change(Desk::begin_route);
        }
        show(self.is_recording, is_recording);
        self.wish(WorkWish::Record(is_recording));
        self.save();
    }

    fn forget_swept(self) {
        self.wish(WorkWish::ForgetSwept);
        self.area.set(0.0);
        self.inner(|inner| {
            inner.tiles.clear();
            inner.is_swept_unsaved = true;
            if let Some(on_map) = &mut inner.on_map {
                on_map.swept.show((0.0, 0.0), []);
            }
        });
    }

    fn import(self, text: &str) {
        let imported = drawing::read(text);
        self.change(|desk| desk.import(&imported));
        self.problems.set(imported.problems);
    }

    fn save(self) {
        let is_kept = self.inner(|inner| {
            inner.saved_at = now_ms();
            let is_new = inner.desk.changes() != inner.saved && !inner.key.is_empty();
            is_new.then(|| {
                inner.saved = inner.desk.changes();
                storage::set(Keep::OnThisDevice, &inner.key, &inner.desk.kept()).is_ok()
            })
        });
        self.say_kept(0, is_kept.flatten());
    }

    fn save_swept(self) {
        let is_kept = self.inner(|inner| {
            inner.swept_saved_at = now_ms();
            let is_new = std::mem::take(&mut inner.is_swept_unsaved) && !inner.key.is_empty();
            is_new.then(|| {
                let swept = Swept {
                    origin: inner.origin,
                    area: self.area.get_untracked(),
                    tiles: inner.tiles.values().cloned().collect(),
                };
                let key = swept_key(&inner.key);
                storage::set_packed(Keep::OnThisDevice, &key, &swept).is_ok()
            })
        });
        self.say_kept(1, is_kept.flatten());
    }

    /// What is drawn and what is swept are kept apart.
    fn say_kept(self, which: usize, is_kept: Option<bool>) {
        let is_lost = self.inner(|inner| {
            if let (Some(is_lost), Some(is_kept)) = (inner.is_lost.get_mut(which), is_kept) {
                *is_lost = !is_kept;
            }
            inner.is_lost.contains(&true)
        });
        show(self.is_kept, is_lost != Some(true));
    }

    fn take_swept(self, swept: Swept) {
        self.inner(|inner| {
            if inner.origin != swept.origin {
                inner.origin = swept.origin;
                inner.tiles.clear();
                if let Some(on_map) = &mut inner.on_map {
                    on_map.swept.show((0.0, 0.0), []);
                }
            }
            if let Some(on_map) = &mut inner.on_map {
                on_map.swept.add(swept.origin, &swept.tiles);
            }
            for tile in swept.tiles {
                inner.tiles.insert(tile.at, tile);
            }
            inner.is_swept_unsaved = true;
        });
        show(self.area, swept.area);
    }

    fn take_told(self, told: Told) {
        let before = self.told.get_untracked();
        if self.limits_speed.get_untracked() && (told.cap.is_some() || before.cap.is_some()) {
            self.link.with_value(|link| {
                if let Some(link) = link {
                    link.ask(&FromViewer::DrawnCap(told.cap));
                }
            });
        }
        show(self.told, told);
    }

    fn wish(self, wish: WorkWish) {
        self.link.with_value(|link| {
            if let Some(link) = link {
                link.wish(Wish::Work(wish));
            }
        });
    }
}

impl Inner {
    /// Comes and goes with the page's map, and follows its theme, its datum and the desk.
    fn follow_map(&mut self, work: Work, is_warned: bool, now: f64) {
        let Some(map) = page_map() else {
            self.on_map = None;
            return;
        };
        let is_there = |it: &OnMap| it.drawn.plate.is_connected();
        if !self.on_map.as_ref().is_some_and(is_there) {
            self.on_map = None;
            self.on_map = OnMap::begin(map, work);
            self.is_undrawn = true;
            if let Some(on_map) = &mut self.on_map {
                on_map.swept.show(self.origin, self.tiles.values());
            }
        }
        let is_long = self.desk.route().points.len() > LONG_ROUTE;
        if self.is_undrawn && (!is_long || now - self.drawn_at > DRAW_LONG_MS) {
            self.draw(work, is_warned, now);
        }
        self.follow_moves(work);
    }

    fn follow_moves(&mut self, work: Work) {
        if let Some(on_map) = &mut self.on_map {
            let warned = work.told.with_untracked(|told| told.warning);
            on_map.drawn.follow(&self.desk, warned.map(|it| it.id));
            on_map.swept.follow(self.origin);
        }
    }

    fn draw(&mut self, work: Work, is_warned: bool, now: f64) {
        self.is_undrawn = false;
        self.drawn_at = now;
        if let Some(on_map) = &mut self.on_map {
            let warned = work.told.with_untracked(|told| told.warning);
            let warned = warned.filter(|_| is_warned).map(|it| it.id);
            on_map.drawn.show(&self.desk, warned);
        }
    }
}

impl OnMap {
    fn begin(map: LeafletMap, work: Work) -> Option<Self> {
        let swept = SweptArea::on(&map)?;
        let drawn = DrawnPlate::on(&map)?;
        let controls = map.get_container().parent_element()?;
        let controls = controls.query_selector(".map-controls").ok()??;
        let moves = Moves::of(&map, move || {
            work.inner(|inner| inner.follow_moves(work));
        });
        Some(Self {
            fingers: Fingers::on(&map, move |tap| work.tapped(tap)),
            _moves: moves,
            _key: Box::new(leptos::mount::mount_to(
                controls.unchecked_into::<HtmlElement>(),
                move || key(work),
            )),
            drawn,
            swept,
        })
    }
}

/// Opens the sheet, beside the map's own keys.
fn key(work: Work) -> impl IntoView {
    view! {
        <button
            type="button"
            class="map-button survey"
            data-testid="work-key"
            aria-expanded=move || work.is_open.get().to_string()
            on:click=move |_| {
                work.stop_tapping();
                work.is_open.update(|is_open| *is_open = !*is_open);
            }
        >
            {move || work.lang.get().pick("Work", "作业")}
        </button>
    }
}

/// Where the swept area of a vehicle is kept.
fn swept_key(drawn: &str) -> String {
    ["swept in runs of ", drawn].concat()
}

/// What something new is called until somebody names it.
fn name(kind: Kind, number: usize, lang: Lang) -> String {
    [&kind.in_words(lang), " ", number.to_string().as_str()].concat()
}
