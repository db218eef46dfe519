//! The few signals that everything is drawn from, and the way out for what fingers do.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;

use super::device;
use crate::drive::settings::Steering;
use crate::monitor::snapshot::{Conflict, MonitorSnapshot, Namespace, RtkState, RtkView};
use crate::pilot::event::{Event, Level};
use crate::pilot::intent::{Intent, StickInput};
use crate::pilot::snapshot::{
    Confirm, DriveState, DriveView, FieldView, LinkState, LinkView, Motion, PressEnd, Snapshot,
    StopView, ToolsView,
};
use crate::profile::{Profile, ProfileProblem};
use crate::screen::gamepad::Setup;
use crate::screen::holding::{HeldKeys, HoldKey};
use crate::screen::keys::KeyMap;
use crate::screen::log::Log;
use crate::screen::preferences::{Hand, Look, Preferences};
use crate::screen::wish::Wish;
use crate::shell::location::{Theme, UrlProblem};
use crate::shell::trouble::PageTrouble;
use crate::shell::viewing::{FromViewer, Settings};
use crate::tools::commissioning::{self, Item};
use crate::tools::field::ToolField;
use crate::tools::intent::{Holds, Wanted};
use crate::tools::state::ToolsState;
use crate::words::banner::{Banner, banner, stop_without_pilot};
use crate::words::page::PageNote;
use crate::words::{InWords, Label, Lang};

/// A position that nobody told again for so long is stale.
const OTHER_POSITION_MS: f64 = 2_500.0;

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
    /// What pushes the stick, or that nothing does any more.
    fn stick(&self, stick: Option<StickInput>);
    /// A finger rests on a pad without pushing the stick.
    fn rest(&self);
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
    /// Other programs are to be used and kept; empty: the profile's own.
    fn programs(&self, _text: &str) {}
    /// What the viewer must know, an encoded [`crate::shell::viewing::ToViewer`]; loads it the first
    /// time.
    fn tell_viewer(&self, _host: &[u8]) {}
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
    /// The profile could not be fetched, or the page's address is not understood; nothing is
    /// connected.
    NoProfile(PageNote),
    /// The profile cannot be used; nothing is connected.
    BadProfile {
        /// The file's name.
        file: String,
        /// Everything that is wrong with it.
        problems: Arc<Vec<ProfileProblem>>,
    },
}

/// What can hold the stick. The first one has it until it lets go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Fingers on the pads.
    Pads,
    /// The keyboard.
    Keys,
    /// A gamepad.
    Gamepad,
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
    /// Programs.
    Programs,
}

/// Something to draw from. It is told only when it has changed, so that a snapshot, which comes
/// twenty times a second, redraws nothing else. One kind of signal for everything, because each
/// kind is compiled for each type.
pub struct Seen<T: 'static>(RwSignal<T>);

impl<T> Clone for Seen<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Seen<T> {}

impl<T: Send + Sync + 'static> Seen<T> {
    fn new(value: T) -> Self {
        Self(RwSignal::new(value))
    }

    /// Looks at it.
    pub fn with<R>(self, look: impl FnOnce(&T) -> R) -> R {
        self.0.with(look)
    }

    /// Looks at it without being drawn again when it changes.
    pub fn with_untracked<R>(self, look: impl FnOnce(&T) -> R) -> R {
        self.0.with_untracked(look)
    }

    /// A copy of it.
    #[must_use]
    pub fn get(self) -> T
    where
        T: Clone,
    {
        self.0.with(T::clone)
    }

    /// A copy of it, without being drawn again when it changes.
    #[must_use]
    pub fn get_untracked(self) -> T
    where
        T: Clone,
    {
        self.0.with_untracked(T::clone)
    }

    /// As the signal that a component asks for.
    #[must_use]
    pub fn signal(self) -> Signal<T> {
        self.0.into()
    }

    fn show(self, value: T)
    where
        T: PartialEq,
    {
        if self.0.with_untracked(|now| *now != value) {
            self.0.set(value);
        }
    }
}

/// The console's context.
#[derive(Clone, Copy)]
pub struct Console {
    /// What fills the room.
    pub phase: Seen<Phase>,
    /// Link.
    pub link: Seen<LinkView>,
    /// Drive.
    pub drive: Seen<DriveView>,
    /// Tools.
    pub tools: Seen<ToolsView>,
    /// STOP, when latched; also when it was pressed while no pilot ran.
    pub stop: Seen<Option<StopView>>,
    /// What the vehicle is seen to do.
    pub motion: Seen<Motion>,
    /// A confirmation on offer.
    pub confirm: Seen<Option<Confirm>>,
    /// How far its button has been held, 0…1.
    pub confirm_progress: Seen<f64>,
    /// The one sentence over the map.
    pub banner: Seen<Option<Banner>>,
    /// The position.
    pub rtk: Seen<RtkView>,
    /// What the operator wants of the tools, taps not yet shown back by the pilot included.
    pub wanted: Seen<Wanted>,
    /// Speed limit in percent, likewise.
    pub limit_percent: Seen<f64>,
    /// What happened.
    pub log: Seen<Log<Entry>>,
    /// A program file that did not load: nothing can be driven.
    pub load_trouble: Seen<Option<PageTrouble>>,
    /// The address in use; empty before there is one.
    pub address: Seen<String>,
    /// The vehicle is simulated inside the page.
    pub is_demo: Seen<bool>,
    /// Language.
    pub lang: Seen<Lang>,
    /// Theme.
    pub theme: Seen<Theme>,
    /// Driving hand.
    pub hand: Seen<Hand>,
    /// Two pads: one for the speed, one for the steering.
    pub two_pads: Seen<bool>,
    /// Something pushes the stick.
    pub is_pushed: Seen<bool>,
    /// Where to: forward and left, and of a multirotor up and turn.
    pub pushed: Seen<[f64; 4]>,
    /// The settings are open.
    pub settings_open: RwSignal<bool>,
    /// How many times the topics were asked for.
    pub topics_opened: RwSignal<u32>,
    /// Why the address that was asked for, or typed, is none.
    pub url_problem: RwSignal<Option<UrlProblem>>,
    /// The viewer's program runs, or is to, and is told whatever changes.
    pub has_viewer: RwSignal<bool>,
    /// The map's source.
    pub map_source: RwSignal<usize>,
    /// How many times the viewer's program has begun.
    pub viewer_hellos: RwSignal<u32>,
    /// The page of the tools panel.
    pub tools_page: RwSignal<ToolsPage>,
    /// On a phone the tools are folded away until asked for.
    pub tools_unfolded: RwSignal<bool>,
    /// Counts the ends of all presses: what was held before the last one is not held any more.
    releases: RwSignal<u32>,
    /// Counts the ends of the tools' holds alone.
    tool_releases: RwSignal<u32>,
    /// Counts the changes of keys and gamepads.
    inputs_set: RwSignal<u32>,
    /// Counts the changes of the stop check, and of what was found out about the server.
    checks_seen: RwSignal<u32>,
    hands: StoredValue<Rc<Hands>, LocalStorage>,
}

/// Definitions that do not fit, and the vehicles that show by their topics.
pub type Found = (Vec<Conflict>, Vec<Namespace>);

struct Hands {
    outlet: Rc<dyn Outlet>,
    keys: Cell<HeldKeys>,
    presses: Cell<u32>,
    /// The newest press that was ended by a release.
    spent: Cell<u32>,
    holder: Cell<Option<Source>>,
    key_map: RefCell<KeyMap>,
    is_calibrating: Cell<bool>,
    /// When the viewer last told where the vehicle is, while the page hears no position itself.
    other_position_at: Cell<Option<f64>>,
    /// A finger is on the page.
    is_touched: Cell<bool>,
    /// The movement of a check that is held.
    check: Cell<i8>,
    preferences: RefCell<Preferences>,
    /// With the programs in force; none: as it came.
    profile: RefCell<Option<Profile>>,
    /// The newest snapshot: the banner is said again when the language changes.
    now: RefCell<Snapshot>,
    found: RefCell<Found>,
    wanted: Cell<Wish<Wanted>>,
    limit: Cell<Wish<f64>>,
    /// STOP was pressed while nobody could deliver it.
    is_stopped_alone: Cell<bool>,
}

impl Console {
    /// A console that sends what fingers do to `outlet`.
    #[must_use]
    pub fn new(outlet: Rc<dyn Outlet>, look: Look, preferences: Preferences) -> Self {
        Self {
            phase: Seen::new(Phase::Loading),
            link: Seen::new(LinkView::default()),
            drive: Seen::new(DriveView::default()),
            tools: Seen::new(ToolsView::default()),
            stop: Seen::new(None),
            motion: Seen::new(Motion::default()),
            confirm: Seen::new(None),
            confirm_progress: Seen::new(0.0),
            banner: Seen::new(None),
            rtk: Seen::new(RtkView::default()),
            wanted: Seen::new(Wanted::default()),
            limit_percent: Seen::new(100.0),
            log: Seen::new(Log::default()),
            load_trouble: Seen::new(None),
            address: Seen::new(String::new()),
            is_demo: Seen::new(false),
            lang: Seen::new(look.lang),
            theme: Seen::new(look.theme),
            hand: Seen::new(look.hand),
            two_pads: Seen::new(preferences.two_pads),
            is_pushed: Seen::new(false),
            pushed: Seen::new([0.0; 4]),
            settings_open: RwSignal::new(false),
            topics_opened: RwSignal::new(0),
            url_problem: RwSignal::new(None),
            has_viewer: RwSignal::new(false),
            map_source: RwSignal::new(0),
            viewer_hellos: RwSignal::new(0),
            tools_page: RwSignal::new(ToolsPage::Brushes),
            tools_unfolded: RwSignal::new(false),
            releases: RwSignal::new(0),
            tool_releases: RwSignal::new(0),
            inputs_set: RwSignal::new(0),
            checks_seen: RwSignal::new(0),
            hands: StoredValue::new_local(Rc::new(Hands {
                outlet,
                keys: Cell::default(),
                presses: Cell::new(0),
                spent: Cell::new(0),
                holder: Cell::new(None),
                key_map: RefCell::new(KeyMap::from_kept(
                    preferences.keys.as_deref().unwrap_or_default(),
                )),
                is_calibrating: Cell::default(),
                other_position_at: Cell::default(),
                is_touched: Cell::default(),
                check: Cell::default(),
                preferences: RefCell::new(preferences),
                profile: RefCell::default(),
                now: RefCell::default(),
                found: RefCell::default(),
                wanted: Cell::new(Wish::new(Wanted::default())),
                limit: Cell::new(Wish::new(100.0)),
                is_stopped_alone: Cell::new(false),
            })),
        }
    }

    /// The vehicle is a multirotor.
    #[must_use]
    pub fn flies(self) -> bool {
        self.phase.with(|phase| match phase {
            Phase::Running(profile) => profile.drive.steering == Steering::Flight,
            _ => false,
        })
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
        let hands = self.hands.get_value();
        self.spend();
        self.change_wanted(Wish::forget);
        if !hands.outlet.stop() {
            hands.is_stopped_alone.set(true);
            self.show_stop();
            self.note(PageNote::StopUndelivered);
        }
    }

    /// The operator resets STOP.
    pub fn reset_stop(self) {
        self.hands
            .with_value(|hands| hands.is_stopped_alone.set(false));
        self.show_stop();
        self.intent(Intent::ResetStop);
    }

    /// Wants something else of the tools.
    pub fn want(self, change: impl FnOnce(&mut Wanted)) {
        let mut wanted = self.wanted.get_untracked();
        change(&mut wanted);
        self.change_wanted(|wish| wish.tap(wanted, now_ms()));
        self.intent(Intent::Want(wanted));
    }

    /// Another speed limit, percent.
    pub fn limit_speed(self, percent: f64) {
        self.change_limit(|wish| wish.tap(percent, now_ms()));
        self.intent(Intent::SpeedLimit(percent));
    }

    /// A number for a new press; none while something else holds the stick.
    #[must_use]
    pub fn begin_press(self, source: Source) -> Option<u32> {
        let number = |hands: &Rc<Hands>| {
            hands.presses.set(hands.presses.get().wrapping_add(1));
            hands.presses.get()
        };
        self.take(source).then(|| self.hands.with_value(number))
    }

    /// The press of this number does not drive any more, whatever is still held.
    #[must_use]
    pub fn is_spent(self, press: u32) -> bool {
        self.hands.with_value(|hands| press <= hands.spent.get())
    }

    /// The stick is pushed there, by the press that has its number.
    pub fn push(self, input: StickInput) {
        if !self.is_spent(input.press) {
            self.show_push(true, [input.forward, input.left, input.up, input.turn]);
        }
        self.outlet().stick(Some(input));
    }

    /// A finger is there and pushes nothing.
    pub fn rest(self, source: Source) {
        if self.take(source) {
            self.show_push(false, [0.0; 4]);
            self.outlet().rest();
        }
    }

    /// The stick is let go.
    pub fn let_go(self, source: Source) {
        if self.leave(source) {
            self.show_push(false, [0.0; 4]);
            self.outlet().stick(None);
        }
    }

    /// The stick is taken away from whoever held it: blocked until neutral is seen.
    pub fn lose(self, source: Source, end: PressEnd) {
        if self.leave(source) {
            self.release(end);
        }
    }

    /// Neutral is seen again after such a loss.
    pub fn neutral(self) {
        if self.hands.with_value(|hands| hands.holder.get().is_none()) {
            self.outlet().stick(None);
        }
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

    /// A movement of a check is held, by a button of another program; 0: none. What it says late,
    /// when no finger is there any more, does not count.
    pub fn hold_check(self, movement: i8) {
        let hands = self.hands.get_value();
        let check = if hands.is_touched.get() { movement } else { 0 };
        if hands.check.replace(check) != check {
            self.outlet().holds(Holds {
                check,
                ..hands.keys.get().holds()
            });
        }
    }

    /// A finger came, or one was lifted: that ends a check, whatever its program says.
    pub fn touch(self, is_down: bool) {
        self.hands.with_value(|hands| hands.is_touched.set(is_down));
        if !is_down {
            self.hold_check(0);
        }
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
        self.spend();
    }

    /// How many times all holds were ended, or those of the tools alone, as when their page is
    /// turned; a hold remembers the number at its beginning.
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

    /// Shows the topics, which are another program's.
    pub fn open_topics(self) {
        self.settings_open.set(false);
        self.topics_opened.update(|count| *count += 1);
    }

    /// Tells that program what it must know.
    pub fn tell_viewer(self, host: &[u8]) {
        self.outlet().tell_viewer(host);
    }

    // ---- settings

    /// Another language.
    pub fn set_lang(self, lang: Lang) {
        self.release(PressEnd::SettingsChanged);
        self.lang.show(lang);
        self.show_stop();
        self.prefer(|kept| kept.lang = Some(lang));
    }

    /// Another theme.
    pub fn set_theme(self, theme: Theme) {
        self.release(PressEnd::SettingsChanged);
        self.theme.show(theme);
        self.prefer(|kept| kept.theme = Some(theme));
    }

    /// The other hand.
    pub fn set_hand(self, hand: Hand) {
        self.release(PressEnd::SettingsChanged);
        self.hand.show(hand);
        self.prefer(|kept| kept.hand = Some(hand));
    }

    /// One pad or two.
    pub fn set_two_pads(self, is_two: bool) {
        self.release(PressEnd::SettingsChanged);
        self.two_pads.show(is_two);
        self.prefer(|kept| kept.two_pads = is_two);
    }

    /// Other keys for the ways, as they are kept.
    pub fn set_keys(self, kept: &str) {
        let map = KeyMap::from_kept(kept);
        self.release(PressEnd::SettingsChanged);
        self.prefer(|preferences| preferences.keys = Some(map.kept()));
        self.hands.with_value(|hands| hands.key_map.replace(map));
        self.inputs_set.update(|count| *count += 1);
    }

    /// A gamepad was calibrated; as it is kept.
    pub fn set_gamepad(self, line: &str) {
        self.release(PressEnd::SettingsChanged);
        self.prefer(|preferences| {
            // The first line of a gamepad counts.
            let others = preferences.gamepads.take().unwrap_or_default();
            preferences.gamepads = Some([line, "\n", &others].concat());
        });
        self.inputs_set.update(|count| *count += 1);
    }

    /// Something that was asked in the settings, which are another program's.
    pub fn asked(self, asked: FromViewer) {
        match asked {
            FromViewer::Hello => {
                self.has_viewer.set(true);
                self.viewer_hellos.update(|count| *count += 1);
            }
            // The link has it in the lease.
            FromViewer::DrawnCap(_) => {}
            FromViewer::Hand { is_right: true } => self.set_hand(Hand::Right),
            FromViewer::Hand { is_right: false } => self.set_hand(Hand::Left),
            FromViewer::TwoPads(is_two) => self.set_two_pads(is_two),
            FromViewer::Keys(kept) => self.set_keys(&kept),
            FromViewer::Gamepad(line) => self.set_gamepad(&line),
            FromViewer::Calibrates(is_so) => self.calibrate(is_so),
            FromViewer::Programs(text) => {
                let is_free = self.hands.with_value(|hands| {
                    hands.holder.get().is_none() && hands.keys.get() == HeldKeys::default()
                });
                if is_free {
                    self.release(PressEnd::SettingsChanged);
                    self.outlet().programs(&text);
                }
            }
            FromViewer::Check(movement) => self.hold_check(movement),
            FromViewer::Seen(seen) => {
                let in_force = self
                    .tools
                    .with_untracked(|tools| tools.commissioning.in_force);
                let is_turned = in_force.of(Item::Brake) == Some(false);
                if seen == commissioning::Seen::item(Item::Brake, is_turned) {
                    // A confirmation is asked for, and lies under the settings.
                    self.settings_open.set(false);
                }
                self.intent(Intent::Seen(seen));
            }
            FromViewer::StopCheck => {
                self.settings_open.set(false);
                // The first one is slow whatever is asked for; later ones are at the speed in force.
                let speed = self.drive.with_untracked(|drive| drive.limit_linear);
                self.intent(Intent::StopCheck(speed));
            }
            FromViewer::Position(view) => self.show_other_position(*view),
            FromViewer::MapSource(index) => self.map_source.set(index.into()),
        }
    }

    /// The profile with the programs that are in force.
    pub fn show_programs(self, profile: Profile) {
        self.hands
            .with_value(|hands| hands.profile.replace(Some(profile)));
        self.inputs_set.update(|count| *count += 1);
    }

    /// Looks at the profile with the programs that are in force.
    pub fn with_programs<R>(self, look: impl FnOnce(&Profile) -> R) -> R {
        self.inputs_set.track();
        let hands = self.hands.get_value();
        match &*hands.profile.borrow() {
            Some(profile) => look(profile),
            None => look(&profile_of(self)),
        }
    }

    /// Gamepads are being calibrated, or not any more.
    pub fn calibrate(self, is_so: bool) {
        self.hands
            .with_value(|hands| hands.is_calibrating.set(is_so));
    }

    /// Gamepads drive nothing now.
    #[must_use]
    pub fn is_calibrating(self) -> bool {
        self.settings_open.get_untracked()
            && self.hands.with_value(|hands| hands.is_calibrating.get())
    }

    /// What the settings show.
    #[must_use]
    pub fn settings(self) -> Settings {
        self.inputs_set.track();
        let (keys, gamepads) = self.hands.with_value(|hands| {
            let gamepads = hands.preferences.borrow().gamepads.clone();
            (hands.key_map.borrow().kept(), gamepads.unwrap_or_default())
        });
        let (commissioning, has_tools) = self.tools.with(|tools| {
            let is_on = tools.state == ToolsState::Armed;
            (tools.commissioning.clone(), is_on)
        });
        Settings {
            is_right_hand: self.hand.get() == Hand::Right,
            has_two_pads: self.two_pads.get(),
            keys,
            gamepads,
            stop_check: self.with_checks(|now, _| now.stop_check.clone()),
            commissioning,
            has_tools,
            programs: self.with_programs(|profile| profile.programs_taken().to_owned()),
            counts_as_checked: self.is_demo.get(),
        }
    }

    /// How a gamepad is used: as calibrated, or as its kind usually is.
    #[must_use]
    pub fn gamepad_setup(self, id: &str) -> Setup {
        let kept = self.hands.with_value(|hands| {
            let preferences = hands.preferences.borrow();
            Setup::from_kept(preferences.gamepads.as_deref()?, id)
        });
        let flies = untrack(|| self.flies());
        Setup {
            flies,
            ..kept.unwrap_or_else(|| Setup::of_hand(self.hand.get_untracked(), flies))
        }
    }

    /// Looks at which keys drive.
    pub fn with_keys<R>(self, look: impl FnOnce(&KeyMap) -> R) -> R {
        self.hands.with_value(|hands| look(&hands.key_map.borrow()))
    }

    /// A look that the profile asked for; nothing that the operator chose here.
    pub fn show_look(self, look: Look) {
        self.lang.show(look.lang);
        self.theme.show(look.theme);
        self.hand.show(look.hand);
        self.show_stop();
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
        self.change_wanted(|wish| {
            if now.stop.is_some() {
                wish.forget();
            }
            wish.show(now.tools.wanted, at);
        });
        self.change_limit(|wish| wish.show(now.drive.limit_percent, at));
        // A pilot says nothing about the simulated vehicle's program: that one runs when it answers.
        if !self.is_demo.get_untracked() || now.link.state == LinkState::Online {
            self.load_trouble.show(None);
        }
        let before = self.drive.with_untracked(|drive| drive.state);
        if before.is_armed() != now.drive.state.is_armed() {
            device::keep_awake(now.drive.state.is_armed());
        }
        let was_back = self.drive.with_untracked(|drive| drive.linear < 0.0);
        if was_back != (now.drive.linear < 0.0) {
            self.beep(!was_back);
        }
        if before != now.drive.state && now.drive.state == DriveState::Blocked {
            device::shake();
        }
        self.link.show(now.link.clone());
        self.drive.show(now.drive.clone());
        self.tools.show(now.tools.clone());
        self.motion.show(now.motion);
        self.confirm.show(now.confirm.map(|confirm| confirm.what));
        self.confirm_progress
            .show(now.confirm.map_or(0.0, |confirm| confirm.progress));
        let is_checked = self.hands.with_value(|hands| {
            hands.is_stopped_alone.set(false);
            let before = hands.now.replace(now);
            let now = hands.now.borrow();
            before.stop_check != now.stop_check
        });
        if is_checked {
            self.checks_seen.update(|count| *count += 1);
        }
        self.show_stop();
    }

    /// Of the telemetry side.
    pub fn show_monitor(self, now: MonitorSnapshot) {
        self.show_position(now.rtk);
        self.show_found((now.conflicts, now.namespaces));
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
            self.load_trouble.show(Some(trouble.clone()));
        }
        self.add(Entry::Page(note));
    }

    /// The address in use.
    pub fn show_address(self, address: String, is_demo: bool) {
        self.address.show(address);
        self.is_demo.show(is_demo);
        // What the old vehicle was seen to do says nothing about the new one.
        self.hands
            .with_value(|hands| hands.other_position_at.set(None));
        self.rtk.show(RtkView::default());
        self.show_found(Found::default());
    }

    /// Another thing fills the room.
    pub fn show_phase(self, phase: Phase) {
        self.phase.show(phase);
    }

    /// Looks at the newest stop check, and at what was found out about the server.
    pub fn with_checks<R>(self, look: impl FnOnce(&Snapshot, &Found) -> R) -> R {
        self.checks_seen.track();
        self.hands
            .with_value(|hands| look(&hands.now.borrow(), &hands.found.borrow()))
    }

    /// Of the vehicle's own topic; a position that the viewer heard elsewhere stands while there is
    /// none, and is stale when the viewer tells no more.
    fn show_position(self, view: RtkView) {
        let other = self.hands.with_value(|hands| hands.other_position_at.get());
        match other.filter(|_| view.state == RtkState::None) {
            None => {
                self.hands
                    .with_value(|hands| hands.other_position_at.set(None));
                self.rtk.show(view);
            }
            Some(at) if now_ms() - at > OTHER_POSITION_MS => {
                let last = self.rtk.with_untracked(Clone::clone);
                self.rtk.show(RtkView {
                    state: RtkState::Stale,
                    age_ms: Some(now_ms() - at),
                    ..last
                });
            }
            Some(_) => {}
        }
    }

    fn show_other_position(self, view: RtkView) {
        let is_own = self.rtk.with_untracked(|rtk| rtk.state != RtkState::None)
            && self
                .hands
                .with_value(|hands| hands.other_position_at.get().is_none());
        if !is_own && view.state != RtkState::None {
            self.hands
                .with_value(|hands| hands.other_position_at.set(Some(now_ms())));
            self.rtk.show(view);
        }
    }

    fn show_found(self, found: Found) {
        let is_changed = self
            .hands
            .with_value(|hands| hands.found.replace(found) != *hands.found.borrow());
        if is_changed {
            self.checks_seen.update(|count| *count += 1);
        }
    }

    /// Looks at one field of McCtrl; `None` before the pilot has told.
    pub fn with_field<R>(self, field: ToolField, look: impl FnOnce(Option<&FieldView>) -> R) -> R {
        self.tools
            .with(|tools| look(tools.fields.iter().find(|view| view.field == field)))
    }

    /// Sounds while the vehicle is told to go backwards.
    fn beep(self, is_on: bool) {
        let may_sound = self.phase.with_untracked(|phase| match phase {
            Phase::Running(profile) => profile.tools.reverse_sound,
            _ => false,
        });
        device::beep(is_on && may_sound);
    }

    /// STOP and the sentence, which depend on more than a snapshot.
    fn show_stop(self) {
        let lang = self.lang.get_untracked();
        let (stop, said) = self.hands.with_value(|hands| {
            let now = hands.now.borrow();
            if hands.is_stopped_alone.get() {
                (Some(StopView::default()), Some(stop_without_pilot(lang)))
            } else {
                (now.stop.clone(), banner(&now, lang))
            }
        });
        if stop.is_some() && self.stop.with_untracked(Option::is_none) {
            device::shake();
        }
        self.stop.show(stop);
        self.banner.show(said);
    }

    fn change_wanted(self, change: impl FnOnce(&mut Wish<Wanted>)) {
        let wanted = self.hands.with_value(|hands| {
            let mut wish = hands.wanted.get();
            change(&mut wish);
            hands.wanted.set(wish);
            wish.value()
        });
        self.wanted.show(wanted);
    }

    fn change_limit(self, change: impl FnOnce(&mut Wish<f64>)) {
        let percent = self.hands.with_value(|hands| {
            let mut wish = hands.limit.get();
            change(&mut wish);
            hands.limit.set(wish);
            wish.value()
        });
        self.limit_percent.show(percent);
    }

    /// Whatever is held does not count any more.
    fn spend(self) {
        self.hands.with_value(|hands| {
            hands.keys.set(HeldKeys::default());
            hands.check.set(0);
            hands.spent.set(hands.presses.get());
        });
        self.show_push(false, [0.0; 4]);
        self.releases.update(|count| *count += 1);
    }

    fn show_push(self, is_pushed: bool, pushed: [f64; 4]) {
        self.is_pushed.show(is_pushed);
        self.pushed.show(pushed);
    }

    fn take(self, source: Source) -> bool {
        self.hands.with_value(|hands| {
            let is_free = hands.holder.get().is_none_or(|holder| holder == source);
            if is_free {
                hands.holder.set(Some(source));
            }
            is_free
        })
    }

    pub(super) fn leave(self, source: Source) -> bool {
        self.hands.with_value(|hands| {
            let had_it = hands.holder.get() == Some(source);
            if had_it {
                hands.holder.set(None);
            }
            had_it
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
        self.log.0.update(|log| log.add(entry, millis_of_day()));
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
    profile_of(console())
}

fn profile_of(console: Console) -> Arc<Profile> {
    match console.phase.get_untracked() {
        Phase::Running(profile) => profile,
        _ => Arc::default(),
    }
}

pub(super) fn now_ms() -> f64 {
    js_sys::Date::now()
}

fn millis_of_day() -> f64 {
    let now = js_sys::Date::new_0();
    let seconds = now.get_hours() * 3600 + now.get_minutes() * 60 + now.get_seconds();
    f64::from(seconds) * 1000.0
}
