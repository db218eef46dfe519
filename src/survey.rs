//! What an engineer of the position wants to see: every fix as a line over the page's map, and a
//! sheet that says how good the position is, was, and what may be wrong with it.
//!
//! It is a part of the viewer's program: the page has a map without it. It draws in panes
//! of its own of the page's Leaflet map, which the page hands over as `window.broomstickMap` (its
//! container's `data-datum` says in which datum things are placed).
//!
//! | file | what |
//! |---|---|
//! | `leaflet.rs` | what is called of the map |
//! | `window.rs` | the part of the map that something is drawn for |
//! | `track.rs` | the line: drawn once, appended to, drawn anew when the map has moved on |
//! | `marks.rs` | the accuracy circle and the commanded way around the vehicle |
//! | `sheet.rs` | the sheet with fix, strip, track, files and events |
//! | `words.rs` | what is said |
//! | [`work`] | what is drawn, swept, measured and taught on the map |

#![expect(
    clippy::redundant_closure,
    reason = "`view!` gives closures that are written out in it one type, as in the console"
)]

mod leaflet;
mod marks;
mod sheet;
mod track;
mod window;
mod words;
pub mod work;

use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::HtmlElement;

use crate::chart::exchange::TrackProblem;
use crate::chart::surveyor::{Glance, Happening, Line, Source, SurveyEvent, SurveyNews};
use crate::chart::thinned::{ColourBy, DrawnPoint};
use crate::lang::Lang;
use crate::rtk::fix::MOVING_FROM;
use crate::rtk::settings::SpeedUnit;
use crate::rtk::view::{RtkState, RtkView};
use crate::shell::storage::{self, Keep};
use crate::shell::viewer_link::{Picture, ViewerLink};
use crate::shell::viewing::{FromViewer, ViewerHost};
use crate::viewer::{SurveyWish, Wish};
use leaflet::{LeafletMap, page_map};
use marks::{Body, Marks};
use track::TrackLine;

/// The Worker tells every second; after so long nothing is known.
const SILENT_MS: f64 = 2_500.0;
/// The unit that speeds are shown in is kept under this name.
const UNIT: &str = "speed_unit";
/// Events that are listed.
const MOST_EVENTS: usize = 300;

/// What is told of the newest fix.
#[derive(Debug, Clone, PartialEq, Default)]
struct Newest {
    view: RtkView,
    source: Source,
    accuracy_95: Option<f64>,
    is_held: bool,
}

/// What came of the last file, without its points.
#[derive(Debug, Clone, PartialEq, Default)]
struct ImportedFile {
    name: String,
    fixes: usize,
    problems: Vec<TrackProblem>,
    more_problems: usize,
}

/// Everything that is drawn from.
#[derive(Clone, Copy)]
pub struct Survey {
    lang: RwSignal<Lang>,
    is_open: RwSignal<bool>,
    is_covered: RwSignal<bool>,
    newest: RwSignal<Newest>,
    /// Milliseconds of the page's clock at the newest news, and now.
    told_at: RwSignal<f64>,
    now: RwSignal<f64>,
    glance: RwSignal<Glance>,
    events: RwSignal<VecDeque<SurveyEvent>>,
    imported: RwSignal<Option<ImportedFile>>,
    colour_by: RwSignal<ColourBy>,
    /// The unit that speeds are shown in, and the one that the profile says they come in.
    unit: RwSignal<SpeedUnit>,
    reported_unit: RwSignal<SpeedUnit>,
    link: StoredValue<Option<ViewerLink>, LocalStorage>,
    drawing: StoredValue<Rc<RefCell<Drawing>>, LocalStorage>,
    /// The command of this moment says moving, as it was told last.
    is_commanded: StoredValue<bool>,
    body: StoredValue<Body>,
}

/// What lies on the map, and what it is drawn from when there is another map.
#[derive(Default)]
struct Drawing {
    on_map: Option<OnMap>,
    points: Vec<DrawnPoint>,
    imported: Vec<DrawnPoint>,
    colour_by: ColourBy,
}

struct OnMap {
    track: TrackLine,
    marks: Option<Marks>,
    _key: Box<dyn Any>,
}

impl Survey {
    /// Nothing is known yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            lang: RwSignal::default(),
            is_open: RwSignal::new(false),
            is_covered: RwSignal::new(false),
            newest: RwSignal::default(),
            told_at: RwSignal::new(0.0),
            now: RwSignal::new(0.0),
            glance: RwSignal::default(),
            events: RwSignal::default(),
            imported: RwSignal::new(None),
            colour_by: RwSignal::default(),
            unit: RwSignal::new(storage::get_packed(Keep::OnThisDevice, UNIT).unwrap_or_default()),
            reported_unit: RwSignal::default(),
            link: StoredValue::new_local(None),
            drawing: StoredValue::new_local(Rc::default()),
            is_commanded: StoredValue::new(false),
            body: StoredValue::new(Body::default()),
        }
    }

    /// From now on it can ask for something.
    pub fn speak(self, link: ViewerLink) {
        self.link.set_value(Some(link));
    }

    /// The Worker tells.
    pub fn heard(self, news: SurveyNews) {
        let drawing = self.drawing.get_value();
        if let Ok(mut drawing) = drawing.try_borrow_mut() {
            drawing.take(news.line, &news.view, news.accuracy_95);
            if let Some(file) = news.imported {
                drawing.take_imported(file.points);
                self.imported.set(Some(ImportedFile {
                    name: file.name,
                    fixes: file.fixes,
                    problems: file.problems,
                    more_problems: file.more_problems,
                }));
            }
        }
        if news.source == Source::NavSatFix && news.view.state != RtkState::None {
            // The page hears no such topic, and shows this one in its place.
            self.ask(&FromViewer::Position(Box::new(news.view.clone())));
        }
        if !news.events.is_empty() {
            self.events.update(|events| {
                events.extend(news.events);
                let surplus = events.len().saturating_sub(MOST_EVENTS);
                events.drain(..surplus);
            });
        }
        if let Some(glance) = news.glance {
            self.glance.set(glance);
        }
        self.told_at.set(now_ms());
        self.newest.set(Newest {
            view: news.view,
            source: news.source,
            accuracy_95: news.accuracy_95,
            is_held: news.is_held,
        });
    }

    /// The page tells. Of another vehicle nothing is known yet.
    pub fn take_host(self, host: &ViewerHost, is_other: bool) {
        show(self.lang, host.lang);
        show(self.is_covered, host.is_covered);
        let unit = host.profile.rtk.speed_unit;
        show(self.reported_unit, unit);
        self.body.set_value(Body::of(&host.profile.vehicle.outline));
        if is_other {
            self.newest.set(Newest::default());
            self.glance.set(Glance::default());
            self.events.update(VecDeque::clear);
            let drawing = self.drawing.get_value();
            if let Ok(mut drawing) = drawing.try_borrow_mut() {
                drawing.take(Line::Anew(Vec::new()), &RtkView::default(), None);
            }
        }
    }

    /// Time has passed.
    pub fn tick(self) {
        if self.is_open.get_untracked() {
            self.now.set(now_ms());
        }
        self.follow_silence();
        let drawing = self.drawing.get_value();
        if let Ok(mut drawing) = drawing.try_borrow_mut() {
            drawing.follow_map(self);
        }
        let is_commanded = marks::command().0.abs() >= MOVING_FROM;
        if self.is_commanded.get_value() != is_commanded {
            self.is_commanded.set_value(is_commanded);
            self.wish(SurveyWish::Commanded(is_commanded));
        }
    }

    /// What nobody reports any more is not shown as if it were so.
    fn follow_silence(self) {
        let is_silent = now_ms() - self.told_at.get_untracked() > SILENT_MS;
        let is_live = self
            .newest
            .with_untracked(|it| !matches!(it.view.state, RtkState::None | RtkState::Stale));
        if is_silent && is_live {
            self.newest.update(|it| it.view.state = RtkState::Stale);
            let view = self.newest.with_untracked(|it| it.view.clone());
            let drawing = self.drawing.get_value();
            if let Ok(mut drawing) = drawing.try_borrow_mut() {
                drawing.take(Line::default(), &view, None);
            }
        }
    }

    /// Is the sheet open?
    #[must_use]
    pub fn is_open(self) -> bool {
        self.is_open.get()
    }

    /// The sheet is closed.
    pub fn close(self) {
        show(self.is_open, false);
    }

    /// A file is given to the operator.
    pub fn offer(self, ending: &str, file: &Picture) {
        save("track", ending, file);
    }

    /// The sheet.
    pub fn sheet(self) -> impl IntoView {
        sheet::sheet(self)
    }

    fn wish(self, wish: SurveyWish) {
        self.link.with_value(|link| {
            if let Some(link) = link {
                link.wish(Wish::Survey(wish));
            }
        });
    }

    fn ask(self, asked: &FromViewer) {
        self.link.with_value(|link| {
            if let Some(link) = link {
                link.ask(asked);
            }
        });
    }

    fn pick(self, en: &'static str, zh: &'static str) -> impl Fn() -> &'static str + Copy + Send {
        move || self.lang.get().pick(en, zh)
    }

    fn choose_colour(self, colour_by: ColourBy) {
        show(self.colour_by, colour_by);
        let drawing = self.drawing.get_value();
        if let Ok(mut drawing) = drawing.try_borrow_mut() {
            drawing.colour_by = colour_by;
        }
        self.wish(SurveyWish::ColourBy(colour_by));
    }

    /// Kept on this tablet, as every other choice of how things are shown.
    fn choose_unit(self, unit: SpeedUnit) {
        show(self.unit, unit);
        if let Err(error) = storage::set_packed(Keep::OnThisDevice, UNIT, &unit) {
            leptos::logging::warn!("{error}");
        }
    }

    fn forget_imported(self) {
        self.imported.set(None);
        let drawing = self.drawing.get_value();
        if let Ok(mut drawing) = drawing.try_borrow_mut() {
            drawing.take_imported(Vec::new());
        }
    }
}

impl Default for Survey {
    fn default() -> Self {
        Self::new()
    }
}

impl Drawing {
    fn take(&mut self, line: Line, view: &RtkView, accuracy_95: Option<f64>) {
        let on_map = self.on_map.as_mut().filter(|it| it.track.is_connected());
        match line {
            Line::More(points) => {
                if let Some(on_map) = on_map {
                    on_map.track.append(&points);
                }
                self.points.extend(points);
            }
            Line::Anew(points) => {
                if let Some(on_map) = on_map {
                    on_map.track.show(&points, self.colour_by);
                }
                self.points = points;
            }
        }
        if let Some(on_map) = &mut self.on_map
            && let Some(marks) = &mut on_map.marks
        {
            marks.show(view, accuracy_95);
        }
    }

    fn take_imported(&mut self, points: Vec<DrawnPoint>) {
        if let Some(on_map) = &mut self.on_map {
            on_map.track.show_imported(&points);
        }
        self.imported = points;
    }

    /// Comes and goes with the page's map, and follows its datum.
    fn follow_map(&mut self, survey: Survey) {
        let Some(map) = page_map() else {
            self.on_map = None;
            return;
        };
        if self
            .on_map
            .as_ref()
            .is_none_or(|it| !it.track.is_connected())
        {
            self.on_map = None;
            self.on_map = OnMap::begin(map, survey);
            if let Some(on_map) = &mut self.on_map {
                on_map.track.show(&self.points, self.colour_by);
                on_map.track.show_imported(&self.imported);
            }
        }
        if let Some(on_map) = &mut self.on_map {
            on_map.track.follow_datum();
        }
    }
}

impl OnMap {
    fn begin(map: LeafletMap, survey: Survey) -> Option<Self> {
        let track = TrackLine::on(&map)?;
        let marks = Marks::on(&map, survey.body.get_value());
        let controls = map.get_container().parent_element()?;
        let controls = controls.query_selector(".map-controls").ok()??;
        Some(Self {
            _key: Box::new(leptos::mount::mount_to(
                controls.unchecked_into::<HtmlElement>(),
                move || key(survey),
            )),
            track,
            marks,
        })
    }
}

/// Opens the sheet, beside the map's own keys.
fn key(survey: Survey) -> impl IntoView {
    let is_warned = Memo::new(move |_| {
        use crate::chart::speed_check::SpeedVerdict::{LooksLike, NoUnitFits};
        let is_kept = survey
            .glance
            .with(|it| it.is_kept || it.is_kept_elsewhere || it.strip.is_empty());
        let verdict = survey.glance.with(|it| it.verdict);
        !is_kept || matches!(verdict, LooksLike { .. } | NoUnitFits { .. })
    });
    view! {
        <button
            type="button"
            class="map-button survey"
            data-testid="survey-key"
            data-warns=move || is_warned.get().to_string()
            aria-label=survey.pick("Fix and track", "定位与轨迹")
            aria-expanded=move || survey.is_open.get().to_string()
            on:click=move |_| survey.is_open.update(|is_open| *is_open = !*is_open)
        >
            {move || if is_warned.get() { "RTK ⚠" } else { "RTK" }}
        </button>
    }
}

/// A text is given to the operator as a file.
fn download(name: &str, ending: &str, text: &str) {
    if let Some(file) = Picture::of_text(text) {
        save(name, ending, &file);
    }
}

/// A file is given to the operator, under a name with the time.
fn save(name: &str, ending: &str, file: &Picture) {
    let date = String::from(js_sys::Date::new_0().to_iso_string());
    let date = date.get(..19).unwrap_or_default().replace(':', "-");
    let Some(anchor) = document()
        .create_element("a")
        .ok()
        .and_then(|element| element.dyn_into::<web_sys::HtmlAnchorElement>().ok())
    else {
        return;
    };
    anchor.set_href(file.address());
    anchor.set_download(&[name, "-", &date, ".", ending].concat());
    anchor.click();
    // The browser reads it after this; it is given back when that must have begun.
    let kept = file.clone();
    set_timeout(move || drop(kept), std::time::Duration::from_secs(60));
}

/// Told only when it has changed.
fn show<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.with_untracked(|now| *now != value) {
        signal.set(value);
    }
}

fn now_ms() -> f64 {
    js_sys::Date::now()
}

/// How severe something is, for its colour; its word says it as well.
fn is_bad(what: &Happening) -> bool {
    match what {
        Happening::Solution(_, _, to) => !matches!(to, Some(4 | 5)),
        Happening::State(state) => *state != RtkState::Live,
        Happening::Source(_) | Happening::KeptElsewhere => false,
        Happening::Speed(verdict) => {
            !matches!(verdict, crate::chart::speed_check::SpeedVerdict::Fits)
        }
        _ => true,
    }
}
