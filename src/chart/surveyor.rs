//! Follows every fix of a vehicle: what may be believed of it, what changed, and the track.
//!
//! It is fed every message of the position's topic and tells in small pieces what there is to
//! draw and to say. Where the chunks of the track are kept is the shell's business: it is asked
//! once for what was kept before ([`Surveyor::loaded`]), and told what to save and to delete.

use std::collections::VecDeque;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::exchange::{Imported, TrackProblem, csv, geojson, gpx};
use super::navsat::{read_heading, read_nav_sat_fix};
use super::quality::{QualityWatch, Solution};
use super::speed_check::{SpeedCheck, SpeedVerdict};
use super::store::{MAX_FIXES, Store, StoredFix};
use super::thinned::{ColourBy, DrawnPoint, Thinned};
use crate::msgs::sweeper::Rtk;
use crate::rtk::fix::{FixTracker, MOVING_FROM, is_good};
use crate::rtk::gate::Passage;
use crate::rtk::settings::RtkSettings;
use crate::rtk::view::{RtkState, RtkView};
use crate::units::Moment;

/// Metres between two drawn points to begin with.
const SPACING: f64 = 0.15;
/// Points of the line that are drawn; the spacing grows when there are more.
const MOST_DRAWN: usize = 24_000;
/// The least time between two pieces of news: a topic at 1 kHz must not keep the page busy.
const LEAST_PERIOD: Duration = Duration::from_millis(50);
/// The strip and the counts are told so often, and the state while nothing comes.
const GLANCE_PERIOD: Duration = Duration::from_secs(1);
/// The open chunk is saved so often: as much of the track is lost by a crash.
const SAVE_PERIOD: Duration = Duration::from_secs(2);
/// A heading of its own topic counts for so long.
const HEADING_HOLDS: Duration = Duration::from_secs(1);
/// Fixes that wait for what was kept before, at most.
const MOST_WAITING: usize = 20_000;
/// Problems of a file that are told one by one.
const MOST_PROBLEMS: usize = 200;

/// In the strip: a cell in which a message without a quality came.
pub const STRIP_NO_QUALITY: u8 = 14;
/// In the strip: a cell in which no message came.
pub const STRIP_NOTHING: u8 = 15;

/// Where the positions come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Source {
    /// `Rtk`, with qualities.
    #[default]
    Rtk,
    /// `sensor_msgs/NavSatFix`, perhaps with a heading topic beside it.
    NavSatFix,
}

/// Something to remember.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Happening {
    /// Another solution: from, to. `None`: absent, or the fix was lost.
    Solution(Solution, Option<i64>, Option<i64>),
    /// Another state.
    State(RtkState),
    /// A position that the vehicle cannot have driven to, so many metres away, is not believed.
    Held(f64),
    /// The vehicle is believed to be elsewhere, so many metres away: the line is broken there.
    Relocated(f64),
    /// The reported speed was compared with the change of position.
    Speed(SpeedVerdict),
    /// The oldest fixes had to go; so many in all.
    Dropped(u64),
    /// A chunk of the kept track could not be read.
    Damaged(String),
    /// The browser does not keep the track, for this reason.
    NotKept(String),
    /// Another window of this browser keeps the track.
    KeptElsewhere,
    /// Positions come from there now.
    Source(Source),
}

/// A happening with its time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SurveyEvent {
    /// Unix milliseconds.
    pub unix_ms: u64,
    /// What.
    pub what: Happening,
}

/// What is drawn anew or appended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Line {
    /// Append these to what is drawn.
    More(Vec<DrawnPoint>),
    /// Draw these in place of what was drawn.
    Anew(Vec<DrawnPoint>),
}

impl Default for Line {
    fn default() -> Self {
        Self::More(Vec::new())
    }
}

/// What is told once a second.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Glance {
    /// The worst position quality of each five seconds of the last ten minutes, oldest first;
    /// [`STRIP_NO_QUALITY`], [`STRIP_NOTHING`].
    pub strip: Vec<u8>,
    /// Fixes kept.
    pub stored: usize,
    /// Bytes of them.
    pub bytes: usize,
    /// Fixes that had to go since the page was loaded.
    pub dropped: u64,
    /// Unix milliseconds of the oldest fix kept.
    pub since_unix_ms: Option<u64>,
    /// What the comparison of speeds says.
    pub verdict: SpeedVerdict,
    /// The track survives a reload.
    pub is_kept: bool,
    /// It does, and another window of this browser keeps it.
    pub is_kept_elsewhere: bool,
}

/// What the screen learns.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SurveyNews {
    /// What may be believed.
    pub view: RtkView,
    /// Where from.
    pub source: Source,
    /// Metres of the circle that holds 95 % of the positions; `None` is unknown.
    pub accuracy_95: Option<f64>,
    /// The newest position is held back by the jump gate.
    pub is_held: bool,
    /// The line.
    pub line: Line,
    /// What happened, oldest first.
    pub events: Vec<SurveyEvent>,
    /// Once a second.
    pub glance: Option<Glance>,
    /// A file was read.
    pub imported: Option<ImportNews>,
}

/// What came of a file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ImportNews {
    /// Its name.
    pub name: String,
    /// Fixes in it.
    pub fixes: usize,
    /// What is drawn of it.
    pub points: Vec<DrawnPoint>,
    /// What could not be read: where, and why.
    pub problems: Vec<TrackProblem>,
    /// Further problems that are not told.
    pub more_problems: usize,
}

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileKind {
    /// GeoJSON (RFC 7946).
    GeoJson,
    /// GPX 1.1.
    Gpx,
    /// Comma-separated values.
    Csv,
}

impl FileKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::GeoJson, Self::Gpx, Self::Csv];

    /// How names end.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::GeoJson => "geojson",
            Self::Gpx => "gpx",
            Self::Csv => "csv",
        }
    }

    /// The media type.
    #[must_use]
    pub fn mime(self) -> &'static str {
        match self {
            Self::GeoJson => "application/geo+json",
            Self::Gpx => "application/gpx+xml",
            Self::Csv => "text/csv",
        }
    }

    /// By a file's content, whatever its name is.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        match text
            .trim_start_matches('\u{feff}')
            .trim_start()
            .bytes()
            .next()
        {
            Some(b'<') => Self::Gpx,
            Some(b'{' | b'[') => Self::GeoJson,
            _ => Self::Csv,
        }
    }
}

/// What the shell does for the track.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keeping {
    /// Save these bytes under this id, in place of what is there.
    Save(u64, Vec<u8>),
    /// Delete what is under this id.
    Delete(u64),
}

/// A message of one of the topics.
#[derive(Debug, Clone, Copy)]
pub enum Message<'a> {
    /// Of the `Rtk` topic.
    Rtk(&'a Value),
    /// Of a `NavSatFix` topic.
    NavSatFix(&'a Value),
    /// Of a heading topic, with its type.
    Heading(&'a str, &'a Value),
}

/// Follows a vehicle's fixes.
#[derive(Debug)]
pub struct Surveyor {
    settings: RtkSettings,
    unix_ms_at_start: u64,
    tracker: FixTracker,
    quality: QualityWatch,
    speed: SpeedCheck,
    verdict: SpeedVerdict,
    store: Store,
    /// Fixes that wait for what was kept before; `None`: it is there.
    waiting: Option<VecDeque<StoredFix>>,
    is_kept: bool,
    is_kept_elsewhere: bool,
    since_unix_ms: Option<u64>,
    thinned: Thinned,
    colour_by: ColourBy,
    /// How many points, of which generation, were told.
    told: Option<(u64, usize)>,
    source: Source,
    accuracy_95: Option<f64>,
    /// Why the newest `NavSatFix` cannot be used.
    problem: Option<String>,
    heading: Option<(f64, Moment)>,
    /// The command says moving.
    is_commanded: bool,
    state: RtkState,
    is_broken: bool,
    is_held: bool,
    events: Vec<SurveyEvent>,
    imported: Option<ImportNews>,
    keepings: VecDeque<Keeping>,
    is_unsaved: bool,
    next_save: Moment,
    is_dirty: bool,
    next_news: Moment,
    next_glance: Moment,
}

impl Surveyor {
    /// A surveyor that has seen nothing. `unix_ms_at_start` is the time at [`Moment::START`].
    #[must_use]
    pub fn new(settings: RtkSettings, unix_ms_at_start: u64) -> Self {
        Self {
            tracker: FixTracker::new(settings.clone()),
            settings,
            unix_ms_at_start,
            quality: QualityWatch::default(),
            speed: SpeedCheck::default(),
            verdict: SpeedVerdict::Unknown,
            store: Store::new(MAX_FIXES),
            waiting: Some(VecDeque::new()),
            is_kept: false,
            is_kept_elsewhere: false,
            since_unix_ms: None,
            thinned: Thinned::new(ColourBy::Quality, SPACING, MOST_DRAWN),
            colour_by: ColourBy::Quality,
            told: None,
            source: Source::Rtk,
            accuracy_95: None,
            problem: None,
            heading: None,
            is_commanded: false,
            state: RtkState::None,
            is_broken: true,
            is_held: false,
            events: Vec::new(),
            imported: None,
            keepings: VecDeque::new(),
            is_unsaved: false,
            next_save: Moment::START,
            is_dirty: true,
            next_news: Moment::START,
            next_glance: Moment::START,
        }
    }

    /// What was kept before, in any order; or why there is none. Until then fixes wait. Told again
    /// when this window keeps the track in another one's place: then it goes on from what that kept.
    pub fn loaded(&mut self, kept: Result<Vec<(u64, Vec<u8>)>, String>, now: Moment) {
        let is_heir = self.is_kept_elsewhere;
        let mut waiting = match self.waiting.take() {
            Some(waiting) => waiting,
            None if is_heir => self.store.fixes().collect(),
            None => return,
        };
        self.is_kept_elsewhere = false;
        match kept {
            Ok(saved) => {
                self.is_kept = true;
                let (store, problems) = Store::reload(MAX_FIXES, saved);
                self.store = store;
                for problem in problems {
                    self.note(Happening::Damaged(problem), now);
                }
                if let Some(newest) = self.store.fixes().last().filter(|_| is_heir) {
                    // Both windows heard the same fixes.
                    waiting.retain(|fix| fix.time_ms > newest.time_ms);
                }
            }
            Err(cause) => self.not_kept(cause, now),
        }
        self.store.begin_at(self.unix_ms_at_start);
        self.draw_anew();
        // What is drawn from now on is not joined to what was driven before the reload.
        for (place, fix) in waiting.into_iter().enumerate() {
            let is_broken_before = fix.is_broken_before || place == 0;
            self.keep(
                StoredFix {
                    is_broken_before,
                    ..fix
                },
                now,
            );
        }
        self.is_broken |= self.store.is_empty();
        self.next_glance = now;
        self.is_dirty = true;
    }

    /// Another window of this browser keeps the track; this one shows it.
    pub fn kept_elsewhere(&mut self, now: Moment) {
        if !self.is_kept_elsewhere {
            self.is_kept = false;
            self.is_kept_elsewhere = true;
            self.next_glance = now;
            self.note(Happening::KeptElsewhere, now);
        }
    }

    /// The browser refused to keep something.
    pub fn not_kept(&mut self, cause: String, now: Moment) {
        self.is_kept = false;
        self.note(Happening::NotKept(cause), now);
    }

    /// A message came.
    pub fn receive(&mut self, message: Message<'_>, now: Moment) {
        match message {
            Message::Rtk(msg) => {
                self.take_source(Source::Rtk, now);
                self.accuracy_95 = None;
                self.problem = None;
                self.take(&Rtk::from_value(msg), now);
            }
            Message::Heading(kind, msg) => {
                if let Some(heading) = read_heading(kind, msg) {
                    self.heading = Some((heading, now));
                }
            }
            Message::NavSatFix(msg) => {
                self.take_source(Source::NavSatFix, now);
                let read = read_nav_sat_fix(msg);
                let heading = self.fresh_heading(now);
                // A quality that the tracker takes; what is shown has none.
                let rtk = Rtk {
                    lat: read.as_ref().ok().map(|fix| fix.position.0),
                    lon: read.as_ref().ok().map(|fix| fix.position.1),
                    head: heading,
                    speed: None,
                    p_quality: Some(1),
                    h_quality: heading.map(|_| 4),
                    has_odd_quality: false,
                };
                self.accuracy_95 = read.as_ref().ok().and_then(|fix| fix.accuracy_95);
                self.problem = read.err();
                self.take(&rtk, now);
            }
        }
    }

    /// Time has passed.
    pub fn tick(&mut self, now: Moment) {
        self.follow_state(now);
        if self.is_unsaved && now >= self.next_save {
            self.save_open(now);
        }
    }

    /// The command of this moment says that the vehicle moves, or not: positions that stay the same to
    /// the last bit meanwhile are frozen.
    pub fn commanded(&mut self, is_moving: bool) {
        self.is_commanded = is_moving;
    }

    /// The line gets its colours by this.
    pub fn colour_by(&mut self, colour_by: ColourBy) {
        if self.colour_by != colour_by {
            self.colour_by = colour_by;
            self.draw_anew();
        }
    }

    /// The whole track as a file.
    #[must_use]
    pub fn export(&self, kind: FileKind) -> String {
        let fixes: Vec<StoredFix> = self.store.fixes().collect();
        match kind {
            FileKind::GeoJson => geojson::write(&fixes),
            FileKind::Gpx => gpx::write(&fixes),
            FileKind::Csv => csv::write(&fixes),
        }
    }

    /// Reads a file, to be drawn beside the track; it is told with the next news.
    pub fn import(&mut self, name: &str, text: &str) {
        let Imported { fixes, problems } = match FileKind::of_text(text) {
            FileKind::GeoJson => geojson::read(text),
            FileKind::Gpx => gpx::read(text),
            FileKind::Csv => csv::read(text),
        };
        let mut thinned = Thinned::new(ColourBy::Quality, SPACING, MOST_DRAWN / 2);
        for fix in &fixes {
            thinned.push(fix);
        }
        self.imported = Some(ImportNews {
            name: name.to_owned(),
            fixes: fixes.len(),
            points: thinned.points().to_vec(),
            more_problems: problems.len().saturating_sub(MOST_PROBLEMS),
            problems: problems.into_iter().take(MOST_PROBLEMS).collect(),
        });
        self.is_dirty = true;
    }

    /// Forgets the whole track, also what is kept.
    pub fn clear(&mut self) {
        let ids: Vec<u64> = self.store.chunks().map(|chunk| chunk.id).collect();
        let next = ids.last().map_or(0, |id| id + 1);
        self.keepings.extend(ids.into_iter().map(Keeping::Delete));
        self.store = Store::new(MAX_FIXES);
        self.store.begin_at(next.max(self.unix_ms_at_start));
        self.is_broken = true;
        self.is_unsaved = false;
        self.since_unix_ms = None;
        self.next_glance = Moment::START;
        self.draw_anew();
    }

    /// Whoever hears the news is a new one, and knows nothing.
    pub fn tell_all(&mut self) {
        self.told = None;
        self.is_dirty = true;
        self.next_glance = Moment::START;
    }

    /// What to save or delete next.
    pub fn keeping(&mut self) -> Option<Keeping> {
        self.keepings.pop_front()
    }

    /// When it wants [`Self::tick`] and has [`Self::news`] at the latest.
    #[must_use]
    pub fn next_wakeup(&self) -> Moment {
        let soon = if self.is_dirty {
            self.next_news
        } else {
            self.next_glance
        };
        let save = self.is_unsaved.then_some(self.next_save);
        save.map_or(soon, |save| save.min(soon))
    }

    /// What is new, if anything is to be told now.
    pub fn news(&mut self, now: Moment) -> Option<SurveyNews> {
        let is_glance_due = now >= self.next_glance;
        if !(is_glance_due || self.is_dirty && now >= self.next_news) {
            return None;
        }
        self.is_dirty = false;
        self.next_news = now + LEAST_PERIOD;
        if is_glance_due {
            self.next_glance = now + GLANCE_PERIOD;
        }
        Some(SurveyNews {
            view: self.view(now),
            source: self.source,
            accuracy_95: self.accuracy_95,
            is_held: self.is_held,
            line: self.line(),
            events: std::mem::take(&mut self.events),
            glance: is_glance_due.then(|| self.glance(now)),
            imported: self.imported.take(),
        })
    }

    /// The position that may be believed now: live, and not held back by the jump gate.
    #[must_use]
    pub fn believed(&self, now: Moment) -> Option<RtkView> {
        let view = self.view(now);
        (view.state == RtkState::Live && !self.is_held).then_some(view)
    }

    /// What may be believed now.
    #[must_use]
    pub fn view(&self, now: Moment) -> RtkView {
        let view = self.tracker.view(now);
        match self.source {
            Source::Rtk => view,
            // Nobody told a quality, of the position or of the heading.
            Source::NavSatFix => RtkView {
                p_quality: None,
                h_quality: None,
                heading_is_good: view.heading_is_good && self.fresh_heading(now).is_some(),
                problem: self
                    .problem
                    .clone()
                    .or_else(|| view.problem.clone().filter(|_| self.is_held)),
                ..view
            },
        }
    }

    /// The track.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }
}

impl Surveyor {
    fn take(&mut self, rtk: &Rtk, now: Moment) {
        let count = self.tracker.view(now).count;
        let commanded = self.is_commanded.then_some(MOVING_FROM);
        let passage = self.tracker.receive(rtk, commanded, now);
        let was_held = std::mem::replace(
            &mut self.is_held,
            matches!(passage, Some(Passage::Held { .. })),
        );
        self.is_dirty = true;
        let view = self.view(now);
        for event in self.quality.see(view.p_quality, view.h_quality, now) {
            let what = Happening::Solution(event.solution, event.from, event.to);
            self.note(what, now);
        }
        self.follow_state(now);
        match passage {
            Some(Passage::Held { distance }) => {
                if !was_held {
                    self.note(Happening::Held(distance), now);
                }
                self.speed.break_off();
            }
            Some(Passage::Relocated { distance }) => {
                self.note(Happening::Relocated(distance), now);
                self.is_broken = true;
                self.speed.break_off();
            }
            Some(Passage::Through) | None => {}
        }
        let position = view.position.filter(|_| view.count != count);
        let Some(position) = position.filter(|_| view.state == RtkState::Live) else {
            return;
        };
        if is_good(view.p_quality)
            && let Some(reported) = rtk.speed
        {
            self.speed.see(position, reported, now);
            self.follow_verdict(now);
        }
        let fix = StoredFix {
            time_ms: self.unix_ms(now),
            position,
            heading: view.heading.filter(|_| view.heading_is_good),
            speed: view.speed,
            quality: view.p_quality.and_then(|q| u8::try_from(q).ok()),
            is_broken_before: std::mem::take(&mut self.is_broken),
        };
        match &mut self.waiting {
            Some(waiting) => {
                waiting.push_back(fix);
                if waiting.len() > MOST_WAITING {
                    waiting.pop_front();
                }
            }
            None => self.keep(fix, now),
        }
    }

    fn keep(&mut self, fix: StoredFix, now: Moment) {
        let before = self.store.dropped();
        let kept = self.store.push(&fix);
        self.since_unix_ms.get_or_insert(fix.time_ms);
        self.thinned.push(&fix);
        if !self.is_unsaved {
            self.is_unsaved = true;
            self.next_save = now + SAVE_PERIOD;
        }
        if kept.closed.is_some() {
            self.save_open(now);
        }
        if !kept.dropped.is_empty() {
            if before == 0 {
                self.note(Happening::Dropped(self.store.dropped()), now);
            }
            self.since_unix_ms = self.store.fixes().next().map(|fix| fix.time_ms);
            let gone = kept.dropped.into_iter().map(Keeping::Delete);
            self.keepings.extend(gone);
        }
    }

    fn save_open(&mut self, now: Moment) {
        self.is_unsaved = false;
        self.next_save = now + SAVE_PERIOD;
        let newest = self.store.chunks().last();
        if let Some(chunk) = newest.filter(|_| self.is_kept) {
            let save = Keeping::Save(chunk.id, chunk.bytes.clone());
            self.keepings.push_back(save);
        }
    }

    fn draw_anew(&mut self) {
        let mut thinned = Thinned::new(self.colour_by, SPACING, MOST_DRAWN);
        let mut first = None;
        for fix in self.store.fixes() {
            first.get_or_insert(fix.time_ms);
            thinned.push(&fix);
        }
        self.since_unix_ms = first;
        self.thinned = thinned;
        self.told = None;
        self.is_dirty = true;
    }

    fn line(&mut self) -> Line {
        let points = self.thinned.points();
        let told = self.told.replace((self.thinned.generation(), points.len()));
        match told {
            Some((generation, count)) if generation == self.thinned.generation() => {
                Line::More(points.get(count..).unwrap_or_default().to_vec())
            }
            _ => Line::Anew(points.to_vec()),
        }
    }

    fn glance(&self, now: Moment) -> Glance {
        let strip = self.quality.strip(now).into_iter().map(|cell| match cell {
            None => STRIP_NOTHING,
            Some(quality) => quality
                .and_then(|quality| u8::try_from(quality).ok())
                .filter(|quality| *quality <= 9)
                .unwrap_or(STRIP_NO_QUALITY),
        });
        Glance {
            strip: strip.collect(),
            stored: self.store.len(),
            bytes: self.store.bytes(),
            dropped: self.store.dropped(),
            since_unix_ms: self.since_unix_ms,
            verdict: self.verdict,
            is_kept: self.is_kept,
            is_kept_elsewhere: self.is_kept_elsewhere,
        }
    }

    fn take_source(&mut self, source: Source, now: Moment) {
        if self.source != source {
            // Another receiver has another antenna.
            self.source = source;
            self.tracker = FixTracker::new(self.settings.clone());
            self.is_broken = true;
            self.note(Happening::Source(source), now);
        }
    }

    fn follow_state(&mut self, now: Moment) {
        let state = self.tracker.view(now).state;
        // One wild position between good ones is an event of its own, and does not break the line.
        let is_held = self.is_held && state == RtkState::Invalid;
        if state == self.state || is_held {
            return;
        }
        self.state = state;
        self.is_dirty = true;
        if state != RtkState::Live {
            self.is_broken = true;
            self.speed.break_off();
        }
        if state == RtkState::Stale {
            for event in self.quality.see(None, None, now) {
                let what = Happening::Solution(event.solution, event.from, event.to);
                self.note(what, now);
            }
        }
        self.note(Happening::State(state), now);
    }

    fn follow_verdict(&mut self, now: Moment) {
        let verdict = self.speed.verdict(self.settings.speed_unit);
        let is_other = std::mem::discriminant(&verdict) != std::mem::discriminant(&self.verdict);
        self.verdict = verdict;
        if is_other {
            self.note(Happening::Speed(verdict), now);
        }
    }

    fn fresh_heading(&self, now: Moment) -> Option<f64> {
        let (heading, at) = self.heading?;
        (now.since(at) <= HEADING_HOLDS).then_some(heading)
    }

    fn note(&mut self, what: Happening, now: Moment) {
        self.is_dirty = true;
        self.events.push(SurveyEvent {
            unix_ms: self.unix_ms(now),
            what,
        });
    }

    fn unix_ms(&self, now: Moment) -> u64 {
        self.unix_ms_at_start + now.as_millis().max(0.0) as u64
    }
}
