//! The few signals that everything is drawn from, and the way out for what fingers do.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;

use crate::monitor::snapshot::{MonitorSnapshot, RtkView};
use crate::pilot::event::{Event, Level};
use crate::pilot::intent::{Intent, StickInput};
use crate::pilot::snapshot::{
    ConfirmView, DriveView, FieldView, LinkState, LinkView, Motion, PressEnd, Snapshot, StopView,
    ToolsView,
};
use crate::profile::{Profile, ProfileProblem};
use crate::screen::holding::{HeldKeys, HoldKey};
use crate::screen::log::Log;
use crate::screen::preferences::{Hand, Look, Preferences};
use crate::screen::wish::Wish;
use crate::shell::location::Theme;
use crate::shell::trouble::PageTrouble;
use crate::tools::field::ToolField;
use crate::tools::intent::{Holds, Wanted};
use crate::words::banner::{Banner, banner, stop_without_pilot};
use crate::words::page::PageNote;
use crate::words::{InWords, Label, Lang};

/// Where to connect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A rosbridge that somebody named.
    Address(String),
    /// The vehicle simulated inside the page.
    Demo,
}

/// Where it goes what the operator does: the running link, or a note-taker in a test.
pub trait Outlet {
    /// Something is asked of the pilot.
    fn intent(&self, intent: Intent);
    /// STOP. False when there is nobody who could deliver it.
    fn stop(&self) -> bool;
    /// The finger on the pad.
    fn stick(&self, stick: Option<StickInput>);
    /// The tools' held buttons.
    fn holds(&self, holds: Holds);
    /// The held confirmation.
    fn confirm(&self, is_held: bool);
    /// Somebody touched the screen.
    fn touched(&self);
    /// Every press ends.
    fn release(&self, end: PressEnd);
    /// Another vehicle or address.
    fn connect(&self, to: Destination);
    /// The settings are to be kept.
    fn keep(&self, preferences: &Preferences);
}

/// What stands in the list of what happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// Told by pilot, monitor or link.
    Event(Event),
    /// Told by the page.
    Page(PageNote),
}

impl Entry {
    /// How much it matters.
    #[must_use]
    pub fn level(&self) -> Level {
        match self {
            Self::Event(event) => event.level(),
            Self::Page(note) => note.level(),
        }
    }
}

impl InWords for Entry {
    fn in_words(&self, lang: Lang) -> std::borrow::Cow<'static, str> {
        match self {
            Self::Event(event) => event.in_words(lang),
            Self::Page(note) => note.in_words(lang),
        }
    }
}

/// What fills the room.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// The profile is on its way.
    Loading,
    /// The console.
    Running(Arc<Profile>),
    /// The profile could not be fetched; nothing is connected.
    NoProfile(PageNote),
    /// The profile cannot be used; nothing is connected.
    BadProfile {
        /// The file's name.
        file: String,
        /// Everything that is wrong with it.
        problems: Arc<Vec<ProfileProblem>>,
    },
}

/// The page of the tools panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolsPage {
    /// Roll brush, side brush, dust shaker.
    Brushes,
    /// Brush deck, squeegee.
    Pushers,
    /// Spray and drain.
    Water,
    /// Gear, motor, steering.
    More,
}

/// The console's context.
#[derive(Clone, Copy)]
pub struct Console {
    /// What fills the room.
    pub phase: Signal<Phase>,
    /// Link.
    pub link: Memo<LinkView>,
    /// Drive.
    pub drive: Memo<DriveView>,
    /// Tools.
    pub tools: Memo<ToolsView>,
    /// STOP, when latched; also when it was pressed while no pilot ran.
    pub stop: Memo<Option<StopView>>,
    /// What the vehicle is seen to do.
    pub motion: Memo<Motion>,
    /// A confirmation on offer.
    pub confirm: Memo<Option<ConfirmView>>,
    /// The one sentence over the map.
    pub banner: Memo<Option<Banner>>,
    /// The position.
    pub rtk: Memo<RtkView>,
    /// The telemetry socket.
    pub telemetry: Memo<LinkState>,
    /// What the operator wants of the tools, taps not yet shown back by the pilot included.
    pub wanted: Memo<Wanted>,
    /// Speed limit in percent, likewise.
    pub limit_percent: Memo<f64>,
    /// What happened.
    pub log: Signal<Log<Entry>>,
    /// A program file that did not load: nothing can be driven.
    pub load_trouble: Signal<Option<PageTrouble>>,
    /// The address in use; empty before there is one.
    pub address: Signal<String>,
    /// The vehicle is simulated inside the page.
    pub is_demo: Signal<bool>,
    /// Language.
    pub lang: Signal<Lang>,
    /// Theme.
    pub theme: Signal<Theme>,
    /// Driving hand.
    pub hand: Signal<Hand>,
    /// The settings are open.
    pub settings_open: RwSignal<bool>,
    /// The page of the tools panel.
    pub tools_page: RwSignal<ToolsPage>,
    /// On a phone the tools are folded away until asked for.
    pub tools_unfolded: RwSignal<bool>,
    /// Counts the ends of all presses: what was held before the last one is not held any more.
    releases: RwSignal<u32>,
    /// Counts the ends of the tools' holds alone.
    tool_releases: RwSignal<u32>,
    writes: Writes,
    hands: StoredValue<Rc<Hands>, LocalStorage>,
}

/// The signals behind the context; written by what arrives, never by effects.
#[derive(Clone, Copy)]
struct Writes {
    phase: RwSignal<Phase>,
    pilot: RwSignal<Snapshot>,
    monitor: RwSignal<MonitorSnapshot>,
    wanted: RwSignal<Wish<Wanted>>,
    limit: RwSignal<Wish<f64>>,
    stopped_alone: RwSignal<bool>,
    log: RwSignal<Log<Entry>>,
    load_trouble: RwSignal<Option<PageTrouble>>,
    address: RwSignal<String>,
    is_demo: RwSignal<bool>,
    look: RwSignal<Look>,
}

struct Hands {
    outlet: Rc<dyn Outlet>,
    keys: Cell<HeldKeys>,
    presses: Cell<u32>,
    preferences: RefCell<Preferences>,
}

impl Console {
    /// A console that sends what fingers do to `outlet`.
    #[must_use]
    pub fn new(outlet: Rc<dyn Outlet>, look: Look, preferences: Preferences) -> Self {
        let writes = Writes {
            phase: RwSignal::new(Phase::Loading),
            pilot: RwSignal::new(Snapshot::default()),
            monitor: RwSignal::new(MonitorSnapshot::default()),
            wanted: RwSignal::new(Wish::new(Wanted::default())),
            limit: RwSignal::new(Wish::new(100.0)),
            stopped_alone: RwSignal::new(false),
            log: RwSignal::new(Log::default()),
            load_trouble: RwSignal::new(None),
            address: RwSignal::new(String::new()),
            is_demo: RwSignal::new(false),
            look: RwSignal::new(look),
        };
        let Writes { pilot, monitor, .. } = writes;
        let lang = Memo::new(move |_| writes.look.with(|look| look.lang));
        Self {
            phase: writes.phase.into(),
            link: Memo::new(move |_| pilot.with(|now| now.link.clone())),
            drive: Memo::new(move |_| pilot.with(|now| now.drive.clone())),
            tools: Memo::new(move |_| pilot.with(|now| now.tools.clone())),
            stop: Memo::new(move |_| {
                let alone = writes.stopped_alone.get().then(StopView::default);
                pilot.with(|now| now.stop.clone()).or(alone)
            }),
            motion: Memo::new(move |_| pilot.with(|now| now.motion)),
            confirm: Memo::new(move |_| pilot.with(|now| now.confirm)),
            banner: Memo::new(move |_| {
                let lang = lang.get();
                if writes.stopped_alone.get() {
                    return Some(stop_without_pilot(lang));
                }
                pilot.with(|now| banner(now, lang))
            }),
            rtk: Memo::new(move |_| monitor.with(|now| now.rtk.clone())),
            telemetry: Memo::new(move |_| monitor.with(|now| now.link)),
            wanted: Memo::new(move |_| writes.wanted.with(Wish::value)),
            limit_percent: Memo::new(move |_| writes.limit.with(Wish::value)),
            log: writes.log.into(),
            load_trouble: writes.load_trouble.into(),
            address: writes.address.into(),
            is_demo: writes.is_demo.into(),
            lang: lang.into(),
            theme: Memo::new(move |_| writes.look.with(|look| look.theme)).into(),
            hand: Memo::new(move |_| writes.look.with(|look| look.hand)).into(),
            settings_open: RwSignal::new(false),
            tools_page: RwSignal::new(ToolsPage::Brushes),
            tools_unfolded: RwSignal::new(false),
            releases: RwSignal::new(0),
            tool_releases: RwSignal::new(0),
            writes,
            hands: StoredValue::new_local(Rc::new(Hands {
                outlet,
                keys: Cell::default(),
                presses: Cell::new(0),
                preferences: RefCell::new(preferences),
            })),
        }
    }

    // ---- words

    /// A fixed word in the language of the screen.
    pub fn label(self, label: Label) -> impl Fn() -> &'static str + Copy + Send + Sync + 'static {
        move || label.text(self.lang.get())
    }

    // ---- what is asked

    /// Asks something of the pilot.
    pub fn intent(self, intent: Intent) {
        self.outlet().intent(intent);
    }

    /// STOP. Never refused, whatever the state.
    pub fn stop(self) {
        self.hands
            .with_value(|hands| hands.keys.set(HeldKeys::default()));
        self.releases.update(|count| *count += 1);
        self.writes.wanted.update(Wish::forget);
        if !self.outlet().stop() {
            self.writes.stopped_alone.set(true);
            self.note(PageNote::StopUndelivered);
        }
    }

    /// The operator resets STOP.
    pub fn reset_stop(self) {
        self.writes.stopped_alone.set(false);
        self.intent(Intent::ResetStop);
    }

    /// Wants something else of the tools.
    pub fn want(self, change: impl FnOnce(&mut Wanted)) {
        let mut wanted = self.wanted.get_untracked();
        change(&mut wanted);
        self.writes.wanted.update(|wish| wish.tap(wanted, now_ms()));
        self.intent(Intent::Want(wanted));
    }

    /// Another speed limit, percent.
    pub fn limit_speed(self, percent: f64) {
        self.writes.limit.update(|wish| wish.tap(percent, now_ms()));
        self.intent(Intent::SpeedLimit(percent));
    }

    /// A number for a new contact on the pad.
    #[must_use]
    pub fn next_press(self) -> u32 {
        self.hands.with_value(|hands| {
            hands.presses.set(hands.presses.get().wrapping_add(1));
            hands.presses.get()
        })
    }

    /// The finger on the pad.
    pub fn stick(self, stick: Option<StickInput>) {
        self.outlet().stick(stick);
    }

    /// A hold button of the tools goes down or up.
    pub fn hold(self, key: HoldKey, is_down: bool) {
        let held = self.hands.with_value(|hands| {
            let mut keys = hands.keys.get();
            keys.set(key, is_down);
            hands.keys.set(keys);
            keys
        });
        self.outlet().holds(held.holds());
    }

    /// The confirmation is held.
    pub fn hold_confirm(self, is_held: bool) {
        self.outlet().confirm(is_held);
    }

    /// Somebody touched the screen.
    pub fn touched(self) {
        self.outlet().touched();
    }

    /// Every press ends, on the pad and on the tools.
    pub fn release(self, end: PressEnd) {
        self.outlet().release(end);
        self.hands
            .with_value(|hands| hands.keys.set(HeldKeys::default()));
        self.releases.update(|count| *count += 1);
    }

    /// How many times all presses were ended; a press remembers the number at its beginning.
    #[must_use]
    pub fn releases(self) -> u32 {
        self.releases.get()
    }

    /// The same for hold buttons, which also end when their page of the tools is turned.
    #[must_use]
    pub fn hold_releases(self) -> u32 {
        self.releases.get().wrapping_add(self.tool_releases.get())
    }

    /// Another vehicle or address.
    pub fn connect(self, to: Destination) {
        self.release(PressEnd::SettingsChanged);
        if let Destination::Address(address) = &to {
            let address = address.clone();
            self.prefer(|kept| kept.url = Some(address));
        }
        self.outlet().connect(to);
    }

    // ---- settings

    /// Another language.
    pub fn set_lang(self, lang: Lang) {
        self.release(PressEnd::SettingsChanged);
        self.writes.look.update(|look| look.lang = lang);
        self.prefer(|kept| kept.lang = Some(lang));
    }

    /// Another theme.
    pub fn set_theme(self, theme: Theme) {
        self.release(PressEnd::SettingsChanged);
        self.writes.look.update(|look| look.theme = theme);
        self.prefer(|kept| kept.theme = Some(theme));
    }

    /// The other hand.
    pub fn set_hand(self, hand: Hand) {
        self.release(PressEnd::SettingsChanged);
        self.writes.look.update(|look| look.hand = hand);
        self.prefer(|kept| kept.hand = Some(hand));
    }

    /// A look that the profile asked for; nothing that the operator chose here.
    pub fn show_look(self, look: Look) {
        self.writes.look.set(look);
    }

    /// Opens a page of the tools, or folds them away where there is little room. A hold on the
    /// page that goes away would be out of sight.
    pub fn turn_tools_to(self, page: ToolsPage) {
        let is_open = self.tools_page.get_untracked() == page;
        let unfold = !(is_open && self.tools_unfolded.get_untracked());
        self.let_go_of_tools();
        self.tools_page.set(page);
        self.tools_unfolded.set(unfold);
    }

    // ---- what arrives

    /// Of the pilot.
    pub fn show_pilot(self, now: Snapshot) {
        let at = now_ms();
        let wanted = now.tools.wanted;
        let percent = now.drive.limit_percent;
        self.writes.wanted.update(|wish| {
            if now.stop.is_some() {
                wish.forget();
            }
            wish.show(wanted, at);
        });
        self.writes.limit.update(|wish| wish.show(percent, at));
        // Written only when it changes something: a snapshot comes twenty times a second.
        if self.writes.stopped_alone.get_untracked() {
            self.writes.stopped_alone.set(false);
        }
        if self.writes.load_trouble.with_untracked(Option::is_some) {
            self.writes.load_trouble.set(None);
        }
        self.writes.pilot.set(now);
    }

    /// Of the telemetry side.
    pub fn show_monitor(self, now: MonitorSnapshot) {
        self.writes.monitor.set(now);
    }

    /// Something happened.
    pub fn happened(self, event: Event) {
        self.add(Entry::Event(event));
    }

    /// The page has something to say.
    pub fn note(self, note: PageNote) {
        if let PageNote::Trouble(
            trouble @ (PageTrouble::WorkerFailedToLoad { .. } | PageTrouble::BuildMismatch { .. }),
        ) = &note
        {
            self.writes.load_trouble.set(Some(trouble.clone()));
        }
        self.add(Entry::Page(note));
    }

    /// The address in use.
    pub fn show_address(self, address: String, is_demo: bool) {
        self.writes.address.set(address);
        self.writes.is_demo.set(is_demo);
        // What the old vehicle was seen to do says nothing about the new one.
        self.writes.monitor.set(MonitorSnapshot::default());
    }

    /// Another thing fills the room.
    pub fn show_phase(self, phase: Phase) {
        self.writes.phase.set(phase);
    }

    /// One field of McCtrl; `None` before the pilot has told.
    #[must_use]
    pub fn field(self, field: ToolField) -> Memo<Option<FieldView>> {
        Memo::new(move |_| {
            self.tools.with(|tools| {
                let mut fields = tools.fields.iter();
                fields.find(|view| view.field == field).cloned()
            })
        })
    }

    fn let_go_of_tools(self) {
        let held = self
            .hands
            .with_value(|hands| hands.keys.replace(HeldKeys::default()));
        if held != HeldKeys::default() {
            self.outlet().holds(Holds::default());
            self.tool_releases.update(|count| *count += 1);
        }
    }

    fn add(self, entry: Entry) {
        self.writes
            .log
            .update(|log| log.add(entry, millis_of_day()));
    }

    fn prefer(self, change: impl FnOnce(&mut Preferences)) {
        let hands = self.hands.get_value();
        change(&mut hands.preferences.borrow_mut());
        hands.outlet.keep(&hands.preferences.borrow());
    }

    fn outlet(self) -> Rc<dyn Outlet> {
        self.hands.with_value(|hands| Rc::clone(&hands.outlet))
    }
}

/// The context of the component that calls it.
#[must_use]
pub fn console() -> Console {
    expect_context::<Console>()
}

/// The profile of the running console; the default one before there is any.
#[must_use]
pub fn profile() -> Arc<Profile> {
    match console().phase.get_untracked() {
        Phase::Running(profile) => profile,
        _ => Arc::default(),
    }
}

fn now_ms() -> f64 {
    js_sys::Date::now()
}

fn millis_of_day() -> f64 {
    let now = js_sys::Date::new_0();
    let seconds = now.get_hours() * 3600 + now.get_minutes() * 60 + now.get_seconds();
    f64::from(seconds) * 1000.0
}
