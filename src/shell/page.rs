//! The page's side: starts the Workers, renews the lease, notices when a Worker dies, and brings
//! what they say to the screen.
//!
//! The page opens no socket and judges no motion. What it must not lose when a Worker dies (that
//! STOP is latched, that motion was interrupted, the speed limit) it keeps and hands to the next.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{MessageChannel, MessagePort, RequestCache, RequestInit, Response, WorkerType};

use super::candidates::Candidates;
use super::held::{Held, Urgency};
use super::js::{self, Interval};
use super::location::PageOrigin;
use super::port::Port;
use super::protocol::{DEMO_URL, FromWorker, PortUse, Role, ToWorker, VehicleStart, build, decode};
pub use super::seat::Program;
use super::seat::{Heard, ObjectUrl, Seat, Which};
pub use super::trouble::PageTrouble;
use super::viewing::{FromViewer, VEHICLE};
use crate::monitor::MonitorStart;
use crate::monitor::snapshot::MonitorSnapshot;
use crate::pilot::event::Event;
use crate::pilot::intent::{Console, Intent, Start, StickInput, Unsettled};
use crate::pilot::snapshot::{DriveState, PressEnd, Snapshot, ToolsState};
use crate::pilot::stop_check::StopCheck;
use crate::profile::Profile;
use crate::tools::commissioning::Commissioned;
use crate::tools::intent::Holds;

/// How often the lease is renewed (motion rules, "Lease").
const RENEWAL_MS: i32 = 50;
/// How long a restart waits for the old pilot's zeros to be handed to the socket.
const LEAVING_MS: f64 = 400.0;
/// How long the browser gets to send what a Worker handed over before the Worker is ended.
const SENDING_MS: f64 = 100.0;
/// Rule 14.
const SPIN_MS: f64 = 30.0;

/// The simulated vehicle's program, loaded in demo mode only.
const VEHICLE_GLUE: &str = "demo.js";
const VEHICLE_WASM: &str = "demo_bg.wasm";

/// Where the page's loader leaves its compiled module, the address of its glue and the name of the
/// glue's starting function; the console's Workers run the page's own program.
const OWN_PROGRAM: &str = "broomstickProgram";

/// Appended to the glue: waits for the compiled module, then runs the program. Messages that come
/// before the program listens are kept and given to it afterwards.
fn bootstrap(init: &str) -> String {
    format!(
        r#"
self.onmessage = (first) => {{
  self.onmessage = null;
  const early = [];
  const keep = (event) => early.push(event);
  self.addEventListener("message", keep);
  {init}({{ module_or_path: first.data }}).then(() => {{
    self.removeEventListener("message", keep);
    for (const event of early) {{
      self.dispatchEvent(new MessageEvent("message", {{ data: event.data, ports: [...event.ports] }}));
    }}
  }}, (error) => self.postMessage(String(error)));
}};
"#
    )
}

/// What a link is made for.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The checked profile.
    pub profile: Profile,
    /// The rosbridge addresses to try, in order: one when somebody named it, else
    /// [`super::location::default_candidates`]. Not used with `demo`.
    pub candidates: Vec<String>,
    /// True for the vehicle simulated inside the page.
    pub demo: bool,
    /// This console.
    pub console: Console,
    /// What an earlier page load left unsettled with this vehicle.
    pub unsettled: Unsettled,
    /// The stop checks that were passed with these addresses.
    pub stop_checks: Vec<StopCheck>,
    /// What was found out on vehicles at these addresses.
    pub commissioned: Vec<(String, Commissioned)>,
}

/// What the page learns.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// The address in use from now on; [`DEMO_URL`] for the simulated vehicle.
    Address(String),
    /// Of the pilot.
    Pilot(Box<Snapshot>),
    /// Of the telemetry side.
    Monitor(Box<MonitorSnapshot>),
    /// Something happened.
    Happened(Event),
    /// Something keeps the page from working.
    Trouble(PageTrouble),
    /// Asked in the settings.
    Asked(FromViewer),
}

/// The page's connection to its Workers. Clones are the same link; the Workers end with the last.
#[derive(Clone)]
pub struct Link(Rc<Inner>);

struct Inner {
    on_news: Box<dyn Fn(News)>,
    state: RefCell<State>,
    renewal: RefCell<Option<Interval>>,
}

impl Link {
    /// Readies the page's own program for Workers, once per page load.
    ///
    /// # Errors
    /// When the page's loader left nothing, or its glue cannot be had again.
    pub async fn load() -> Result<Program, PageTrouble> {
        program_of(OWN_PROGRAM).await
    }

    /// Starts the Workers. `on_news` is never called before this returns; it may use the link.
    pub fn start(program: Program, config: Config, on_news: impl Fn(News) + 'static) -> Self {
        let inner = Rc::new_cyclic(|me| Inner {
            on_news: Box::new(on_news),
            state: RefCell::new(State::new(program, config, me.clone())),
            renewal: RefCell::new(None),
        });
        let weak = Rc::downgrade(&inner);
        // An interval and not animation frames: those stop in an occluded or busy window.
        *inner.renewal.borrow_mut() = Some(Interval::new(RENEWAL_MS, move || {
            if let Some(inner) = weak.upgrade() {
                inner.act(State::tick);
            }
        }));
        let link = Self(inner);
        let starting = Rc::downgrade(&link.0);
        spawn_local(async move {
            if let Some(inner) = starting.upgrade() {
                inner.act(State::start_all);
            }
        });
        link
    }

    /// Asks something of the pilot, at once. What is asked while no pilot runs is not kept:
    /// nothing may arm later by itself. STOP, the speed limit and a wish to stay disconnected
    /// are the exceptions.
    pub fn intent(&self, intent: Intent) {
        self.0.act(|state, _| state.intent(intent));
    }

    /// The finger on the pad; `None` when it was lifted. A contact's begin and end and far moves
    /// are posted at once, the rest rides on the next renewal.
    pub fn stick(&self, stick: Option<StickInput>) {
        self.0.act(|state, _| {
            let urgency = state.held.stick(stick);
            state.post_lease_if(urgency);
        });
    }

    /// A finger rests on a pad without pushing the stick.
    pub fn rest(&self) {
        self.0.act(|state, _| {
            let urgency = state.held.rest();
            state.post_lease_if(urgency);
        });
    }

    /// The tools' held buttons.
    pub fn holds(&self, holds: Holds) {
        self.0.act(|state, _| {
            let urgency = state.held.holds(holds);
            state.post_lease_if(urgency);
        });
    }

    /// The held confirmation button.
    pub fn confirm(&self, held: bool) {
        self.0.act(|state, _| {
            let urgency = state.held.confirm(held);
            state.post_lease_if(urgency);
        });
    }

    /// Somebody touched the screen.
    pub fn touched(&self) {
        self.0.act(|state, _| state.held.touched());
    }

    /// Ends every press at once; each counts as lifted until it is pressed anew. A finger that
    /// stays on the pad through it (a blur, a rotation) keeps the drive blocked until
    /// [`Self::stick`] is told that it was lifted.
    pub fn release(&self, why: PressEnd) {
        self.0.act(|state, _| state.release(why));
    }

    /// STOP, at once. While the pilot is being replaced it is remembered and the new pilot begins
    /// stopped.
    pub fn stop(&self) {
        self.0.act(|state, _| state.intent(Intent::Stop));
    }

    /// Rule 14: keeps the page's thread busy for up to 30 ms while driving or with the tools on, so
    /// that the Worker can send its zeros before the browser ends or freezes both. Call it after
    /// [`Self::release`].
    pub fn spin_for_worker(&self) {
        let may_move = {
            let state = self.0.state.borrow();
            state.held.has_stick() || state.was_driving() || state.had_tools()
        };
        let start = js::now_ms();
        while may_move && js::now_ms() - start < SPIN_MS {
            std::hint::spin_loop();
        }
    }

    /// What the viewer must know, an encoded [`super::viewing::ToViewer`]; the first time it is loaded for it.
    pub fn tell_viewer(&self, host: &[u8]) {
        self.0.act(|state, _| state.tell_viewer(host));
    }

    /// Another address, profile or vehicle: the old pilot sends its zeros and disconnects, then
    /// new Workers start. STOP stays latched, the speed limit stays.
    pub fn restart(&self, config: Config) {
        self.0.act(|state, news| state.leave_for(config, news));
    }

    /// The address in use.
    #[must_use]
    pub fn address(&self) -> String {
        self.0.state.borrow().candidates.current().to_owned()
    }
}

/// Where this page came from, for the parameters and default addresses.
#[must_use]
pub fn page_origin() -> PageOrigin {
    let Some(location) = web_sys::window().map(|window| window.location()) else {
        return PageOrigin::default();
    };
    PageOrigin {
        is_secure: location
            .protocol()
            .is_ok_and(|protocol| protocol == "https:"),
        host: location.host().unwrap_or_default(),
        hostname: location.hostname().unwrap_or_default(),
    }
}

impl Inner {
    /// Changes the state, then tells the news: whoever hears them may use the link again.
    fn act(&self, change: impl FnOnce(&mut State, &mut Vec<News>)) {
        let mut news = Vec::new();
        change(&mut self.state.borrow_mut(), &mut news);
        for item in news {
            (self.on_news)(item);
        }
    }
}

struct State {
    me: Weak<Inner>,
    program: Program,
    vehicle_program: Option<Program>,
    is_loading_vehicle: bool,
    config: Config,
    candidates: Candidates,
    held: Held,
    control: Seat,
    telemetry: Seat,
    vehicle: Seat,
    viewer: Option<Port>,
    last_seen: Option<Box<Snapshot>>,
    unsettled: Unsettled,
    is_stop_pressed: bool,
    speed_limit: Option<f64>,
    stays_closed: bool,
    replaces_another: bool,
    leaving: Option<Leaving>,
    told_trouble: Option<PageTrouble>,
}

/// The old pilot is sending its zeros.
struct Leaving {
    until_ms: f64,
    next: Config,
}

impl State {
    fn new(program: Program, config: Config, me: Weak<Inner>) -> Self {
        Self {
            me,
            program,
            vehicle_program: None,
            is_loading_vehicle: false,
            candidates: candidates_of(&config),
            held: Held::default(),
            control: Seat::new(Which::Control),
            telemetry: Seat::new(Which::Telemetry),
            vehicle: Seat::new(Which::Vehicle),
            viewer: None,
            last_seen: None,
            unsettled: config.unsettled.clone(),
            is_stop_pressed: false,
            speed_limit: None,
            stays_closed: false,
            replaces_another: false,
            leaving: None,
            told_trouble: None,
            config,
        }
    }

    fn seat(&mut self, which: Which) -> &mut Seat {
        match which {
            Which::Control => &mut self.control,
            Which::Telemetry => &mut self.telemetry,
            Which::Vehicle => &mut self.vehicle,
        }
    }

    fn start_all(&mut self, news: &mut Vec<News>) {
        news.push(News::Address(self.candidates.current().to_owned()));
        self.last_seen = None;
        self.replaces_another = false;
        self.control.clear();
        self.telemetry.clear();
        self.vehicle.clear();
        self.start_worker(Which::Control, news);
        self.start_worker(Which::Telemetry, news);
        if self.config.demo {
            self.start_worker(Which::Vehicle, news);
        }
    }

    fn start_worker(&mut self, which: Which, news: &mut Vec<News>) {
        let me = self.me.clone();
        let heard = move |heard| {
            if let Some(inner) = me.upgrade() {
                inner.act(|state, news| state.heard(which, heard, news));
            }
        };
        let program = match which {
            Which::Control | Which::Telemetry => self.program.clone(),
            Which::Vehicle => match &self.vehicle_program {
                Some(program) => program.clone(),
                None => return self.load_vehicle(),
            },
        };
        if let Err(cause) = self.seat(which).start(&program, heard) {
            self.died(which, cause, news);
            return;
        }
        // A new Worker gets new channels to all that run; a channel cannot be inherited.
        let joins = [
            (
                Which::Control,
                PortUse::Peer,
                Which::Telemetry,
                PortUse::Peer,
            ),
            (
                Which::Control,
                PortUse::Vehicle,
                Which::Vehicle,
                PortUse::FromControl,
            ),
            (
                Which::Telemetry,
                PortUse::Vehicle,
                Which::Vehicle,
                PortUse::FromTelemetry,
            ),
        ];
        for (one, use_of_one, other, use_of_other) in joins {
            let concerns_it = one == which || other == which;
            if concerns_it && self.seat(one).is_occupied() && self.seat(other).is_occupied() {
                match MessageChannel::new() {
                    Ok(channel) => {
                        self.seat(one).hand_over(use_of_one, channel.port1());
                        self.seat(other).hand_over(use_of_other, channel.port2());
                    }
                    Err(error) => js::warn(&format!("no channel: {}", js::said(&error))),
                }
            }
        }
        if which == Which::Vehicle {
            self.join_viewer();
        }
    }

    fn tell_viewer(&mut self, host: &[u8]) {
        if let Some(port) = post_to_viewer(host, &JsValue::UNDEFINED) {
            let me = self.me.clone();
            self.viewer = Some(Port::new(port, move |bytes| {
                if let (Some(inner), Ok(asked)) = (me.upgrade(), decode(bytes.as_deref())) {
                    inner.act(|state, news| match asked {
                        FromViewer::DrawnCap(cap) => state.held.drawn_cap(cap),
                        asked => news.push(News::Asked(asked)),
                    });
                }
            }));
            self.join_viewer();
        }
    }

    fn join_viewer(&mut self) {
        if self.viewer.is_some()
            && self.vehicle.is_occupied()
            && let Ok(channel) = MessageChannel::new()
        {
            post_to_viewer(VEHICLE, &channel.port1());
            self.vehicle.hand_over(PortUse::FromViewer, channel.port2());
        }
    }

    /// Fetches the simulated vehicle's program, then starts it, if the demo is still wanted.
    fn load_vehicle(&mut self) {
        if std::mem::replace(&mut self.is_loading_vehicle, true) {
            return;
        }
        let me = self.me.clone();
        spawn_local(async move {
            let loaded = load_vehicle().await;
            let Some(inner) = me.upgrade() else { return };
            inner.act(|state, news| {
                state.is_loading_vehicle = false;
                match loaded {
                    Ok(program) => {
                        state.vehicle_program = Some(program);
                        if state.config.demo {
                            state.start_worker(Which::Vehicle, news);
                        }
                    }
                    Err(trouble) => state.trouble(trouble, news),
                }
            });
        });
    }

    fn heard(&mut self, which: Which, heard: Heard, news: &mut Vec<News>) {
        let bytes = match heard {
            Heard::Message(bytes) => Some(bytes),
            Heard::Other(_) => None,
            Heard::Broke(cause) => return self.died(which, cause, news),
        };
        match decode::<FromWorker>(bytes.as_deref()) {
            Ok(FromWorker::Hello { build: theirs }) => self.greet(which, theirs, news),
            Ok(FromWorker::Failed { detail }) => self.died(which, detail, news),
            Ok(FromWorker::Alive) => self.seat(which).lives(),
            Ok(FromWorker::Event(event)) => self.happened(which, event, news),
            Ok(FromWorker::Monitor(snapshot)) => {
                self.telemetry.lives();
                news.push(News::Monitor(snapshot));
            }
            Ok(FromWorker::Pilot(snapshot)) => self.seen(snapshot, news),
            Err(error) => self.trouble(
                PageTrouble::Unreadable {
                    which: which.name().into(),
                    detail: error.to_string(),
                },
                news,
            ),
        }
    }

    fn greet(&mut self, which: Which, theirs: String, news: &mut Vec<News>) {
        if theirs != build() {
            // Two releases may mean different things by the same word: this one is not used.
            self.seat(which).clear();
            let trouble = PageTrouble::BuildMismatch {
                page: build().into(),
                worker: theirs,
            };
            return self.trouble(trouble, news);
        }
        let url = self.candidates.current().to_owned();
        let profile = self.config.profile.clone();
        let console = self.config.console.clone();
        let role = match which {
            Which::Control => Role::Control(Box::new(Start {
                profile,
                url,
                console,
                unsettled: self.unsettled.clone(),
                stop_checks: self.config.stop_checks.clone(),
                commissioned: self.commissioned(),
                stopped: self.is_stopped(),
                demo: self.config.demo,
                replaces_another: self.replaces_another,
                // The Worker knows best when its clock began.
                unix_ms_at_start: 0.0,
            })),
            Which::Telemetry => Role::Telemetry(Box::new(MonitorStart {
                profile,
                url,
                console,
                unix_ms_at_start: 0.0,
            })),
            Which::Vehicle => Role::Vehicle(Box::new(VehicleStart { profile })),
        };
        self.seat(which).begin(&ToWorker::Begin(role));
        match which {
            Which::Control => {
                if let Some(percent) = self.speed_limit {
                    let limit = Intent::SpeedLimit(percent);
                    self.control.post(&ToWorker::Intent(limit));
                }
                if self.stays_closed {
                    self.control.post(&ToWorker::Intent(Intent::Disconnect));
                }
            }
            Which::Telemetry if self.stays_closed => self.telemetry.post(&ToWorker::Disconnect),
            Which::Telemetry | Which::Vehicle => {}
        }
    }

    fn seen(&mut self, mut snapshot: Box<Snapshot>, news: &mut Vec<News>) {
        self.control.lives();
        self.told_trouble = None;
        self.unsettled = snapshot.unsettled.clone();
        self.remember_checks(&snapshot);
        let should_switch = self.leaving.is_none()
            && !self.stays_closed
            && self.candidates.should_switch(&mut snapshot);
        self.last_seen = Some(snapshot.clone());
        news.push(News::Pilot(snapshot));
        if should_switch {
            self.start_all(news);
        }
    }

    /// For the Worker's successor.
    fn remember_checks(&mut self, snapshot: &Snapshot) {
        let url = self.candidates.current();
        let passed = &snapshot.stop_check.passed;
        let known = &mut self.config.stop_checks;
        if known.iter().find(|it| it.subject.url == url) != passed.as_ref() {
            known.retain(|it| it.subject.url != url);
            known.extend(passed.clone());
        }
        let found = snapshot.tools.commissioning.found;
        if self.commissioned() != found {
            // The newest one counts.
            let found = (self.candidates.current().to_owned(), found);
            self.config.commissioned.insert(0, found);
        }
    }

    fn commissioned(&self) -> Commissioned {
        let url = self.candidates.current();
        let mut known = self.config.commissioned.iter();
        known
            .find(|(at, _)| at == url)
            .map_or_else(Default::default, |(_, found)| *found)
    }

    fn happened(&mut self, which: Which, event: Event, news: &mut Vec<News>) {
        if which == Which::Control
            && event == Event::Disconnected
            && let Some(leaving) = &mut self.leaving
        {
            // Ending the Worker in the same breath could take its last frames along.
            leaving.until_ms = leaving.until_ms.min(js::now_ms() + SENDING_MS);
        }
        news.push(News::Happened(event));
    }

    fn died(&mut self, which: Which, cause: String, news: &mut Vec<News>) {
        let had_begun = self.seat(which).has_begun();
        self.seat(which).bury();
        match which {
            Which::Control => {
                self.assume_the_worst();
                self.replaces_another = true;
            }
            Which::Vehicle => {
                self.control.post(&ToWorker::VehicleGone);
                self.telemetry.post(&ToWorker::VehicleGone);
            }
            Which::Telemetry => {}
        }
        if had_begun {
            news.push(News::Happened(Event::WorkerReplaced {
                which: which.name().into(),
                detail: cause,
            }));
        } else {
            self.trouble(failed_to_load(which.name(), &cause), news);
        }
        if self.leaving.is_some() && which == Which::Control {
            self.arrive(news);
        } else if self.seat(which).is_restart_due() {
            self.start_worker(which, news);
        }
    }

    /// The last snapshot may be older than the last command: what could have moved is taken to
    /// have moved.
    fn assume_the_worst(&mut self) {
        let Some(seen) = &self.last_seen else {
            return;
        };
        let may_drive = matches!(seen.drive.state, DriveState::Ready | DriveState::Driving);
        self.unsettled.drive |= self.was_driving() || (may_drive && self.held.has_stick());
        self.unsettled.tools |= self.had_tools();
        // Whoever still presses must lift: the new pilot is disarmed anyway.
        self.held.release_all();
    }

    fn trouble(&mut self, trouble: PageTrouble, news: &mut Vec<News>) {
        if self.told_trouble.as_ref() != Some(&trouble) {
            self.told_trouble = Some(trouble.clone());
            news.push(News::Trouble(trouble));
        }
    }

    fn tick(&mut self, news: &mut Vec<News>) {
        let is_visible = web_sys::window()
            .and_then(|window| window.document())
            .is_some_and(|document| !document.hidden());
        if is_visible {
            self.post_lease();
        }
        for which in [Which::Control, Which::Telemetry, Which::Vehicle] {
            if let Some(cause) = self.seat(which).judge() {
                self.died(which, cause, news);
            }
            if self.seat(which).is_restart_due() {
                self.start_worker(which, news);
            }
        }
        if self
            .leaving
            .as_ref()
            .is_some_and(|leaving| js::now_ms() >= leaving.until_ms)
        {
            self.arrive(news);
        }
    }

    fn intent(&mut self, intent: Intent) {
        match &intent {
            Intent::Stop => {
                self.is_stop_pressed = true;
                self.held.release_all();
            }
            Intent::ResetStop if self.control.has_begun() => self.is_stop_pressed = false,
            Intent::SpeedLimit(percent) => self.speed_limit = Some(*percent),
            Intent::Programs(text) => {
                self.config.profile.take_programs(text);
            }
            Intent::Connect => {
                self.stays_closed = false;
                self.telemetry.post(&ToWorker::Connect);
            }
            Intent::Disconnect => {
                self.stays_closed = true;
                self.telemetry.post(&ToWorker::Disconnect);
            }
            _ => {}
        }
        if self.leaving.is_some() && intent != Intent::Stop {
            // The old pilot is on its way out; nothing may be begun with it.
            return;
        }
        self.control.post(&ToWorker::Intent(intent));
    }

    fn release(&mut self, why: PressEnd) {
        self.held.release(why);
        self.control.post(&ToWorker::Intent(Intent::Release(why)));
        self.post_lease();
    }

    fn leave_for(&mut self, next: Config, news: &mut Vec<News>) {
        self.release(PressEnd::SettingsChanged);
        self.control.post(&ToWorker::Intent(Intent::Disconnect));
        self.telemetry.post(&ToWorker::Disconnect);
        let runs = self.control.has_begun();
        self.leaving = Some(Leaving {
            until_ms: js::now_ms() + LEAVING_MS,
            next,
        });
        if !runs {
            self.arrive(news);
        }
    }

    /// The old pilot has said its last: begins with the next configuration, if one waits.
    fn arrive(&mut self, news: &mut Vec<News>) {
        let Some(leaving) = self.leaving.take() else {
            return;
        };
        let next = candidates_of(&leaving.next);
        let is_same_vehicle = next.current() == self.candidates.current();
        let carried = std::mem::take(&mut self.unsettled);
        self.unsettled = leaving.next.unsettled.clone();
        if is_same_vehicle {
            self.unsettled.drive |= carried.drive;
            self.unsettled.tools |= carried.tools;
        }
        self.is_stop_pressed = self.is_stopped();
        self.stays_closed = false;
        self.candidates = next;
        self.config = leaving.next;
        self.told_trouble = None;
        self.start_all(news);
    }

    fn post_lease_if(&mut self, urgency: Urgency) {
        if urgency == Urgency::Now {
            self.post_lease();
        }
    }

    fn post_lease(&mut self) {
        if !self.control.has_begun() {
            return;
        }
        let lease = self.held.lease();
        self.control.post(&ToWorker::Lease {
            posted_ms: js::epoch_ms(),
            lease,
        });
    }

    fn was_driving(&self) -> bool {
        self.last_seen
            .as_ref()
            .is_some_and(|seen| seen.drive.state == DriveState::Driving)
    }

    fn had_tools(&self) -> bool {
        self.last_seen
            .as_ref()
            .is_some_and(|seen| seen.tools.state == ToolsState::Armed)
    }

    fn is_stopped(&self) -> bool {
        self.is_stop_pressed
            || self
                .last_seen
                .as_ref()
                .is_some_and(|seen| seen.stop.is_some())
    }
}

fn candidates_of(config: &Config) -> Candidates {
    Candidates::new(if config.demo {
        vec![DEMO_URL.to_owned()]
    } else {
        config.candidates.clone()
    })
}

fn failed_to_load(file: &str, cause: &str) -> PageTrouble {
    PageTrouble::WorkerFailedToLoad {
        file: file.to_owned(),
        cause: cause.to_owned(),
    }
}

/// A program that the page's loader has loaded and told of under that name, for Workers.
pub(super) async fn program_of(name: &str) -> Result<Program, PageTrouble> {
    let window = web_sys::window().ok_or_else(|| failed_to_load("", "not in a page"))?;
    let missing = |_| failed_to_load("loader.js", "it did not say what it loaded");
    let own = js_sys::Reflect::get(&window, &name.into()).map_err(missing)?;
    let item = |name: &str| js_sys::Reflect::get(&own, &name.into()).map_err(missing);
    let module = item("module")?.dyn_into().map_err(missing)?;
    let glue = item("glue")?.as_string().unwrap_or_default();
    let init = item("init")?.as_string().unwrap_or_default();
    // The page has it already, and its name changes with its content.
    let script = script(&glue, fetch(&glue, RequestCache::ForceCache)?, &init).await?;
    Ok(Program {
        module,
        script,
        kind: WorkerType::Module,
    })
}

/// Tells the viewer something, by the page's loader, which loads it the first time, and when it broke.
/// With the first that it is told comes the port by which it answers.
fn post_to_viewer(bytes: &[u8], port: &JsValue) -> Option<MessagePort> {
    let told = js_sys::Reflect::get(&js_sys::global(), &OWN_PROGRAM.into())
        .and_then(|own| js_sys::Reflect::get(&own, &"viewer".into()))
        .and_then(|tell| {
            let tell: js_sys::Function = tell.unchecked_into();
            tell.call2(&JsValue::UNDEFINED, &js::message_of(bytes), port)
        });
    told.unwrap_or_else(|error| {
        js::warn(&js::said(&error));
        JsValue::UNDEFINED
    })
    .dyn_into()
    .ok()
}

/// Fetches and compiles the simulated vehicle's program.
async fn load_vehicle() -> Result<Program, PageTrouble> {
    // Both at once: on a slow link each costs a round trip. The names do not change with
    // releases: the server is asked whether the files did.
    let glue = fetch(VEHICLE_GLUE, RequestCache::NoCache)?;
    let wasm = fetch(VEHICLE_WASM, RequestCache::NoCache)?;
    let script = script(VEHICLE_GLUE, glue, "wasm_bindgen").await?;
    let bytes = body(VEHICLE_WASM, wasm, Response::array_buffer).await?;
    // Not compileStreaming: it depends on the server knowing the media type.
    let module = JsFuture::from(js_sys::WebAssembly::compile(&bytes))
        .await
        .map_err(|error| failed_to_load(VEHICLE_WASM, &js::said(&error)))?;
    Ok(Program {
        module: module.unchecked_into(),
        script,
        kind: WorkerType::Classic,
    })
}

/// The script of a Worker: a program's glue, and what starts it by its function `init`.
async fn script(name: &str, glue: JsFuture, init: &str) -> Result<Rc<ObjectUrl>, PageTrouble> {
    let glue = body(name, glue, Response::text)
        .await?
        .as_string()
        .unwrap_or_default();
    if !glue.contains(init) {
        // A server that answers every address with its start page.
        return Err(failed_to_load(name, "the server sent something else"));
    }
    let script = ObjectUrl::of_script(&format!("{glue}\n{}", bootstrap(init)))
        .map_err(|error| failed_to_load(name, &js::said(&error)))?;
    Ok(Rc::new(script))
}

/// Begins to fetch a file.
fn fetch(file: &str, cache: RequestCache) -> Result<JsFuture, PageTrouble> {
    let window = web_sys::window().ok_or_else(|| failed_to_load(file, "not in a page"))?;
    let options = RequestInit::new();
    options.set_cache(cache);
    Ok(JsFuture::from(
        window.fetch_with_str_and_init(file, &options),
    ))
}

/// Waits for a file and for its content.
async fn body<P: Into<js_sys::Promise>>(
    file: &str,
    fetching: JsFuture,
    content: impl FnOnce(&Response) -> Result<P, JsValue>,
) -> Result<JsValue, PageTrouble> {
    let failed = |error: JsValue| failed_to_load(file, &js::said(&error));
    let response: Response = fetching.await.map_err(failed)?.unchecked_into();
    if !response.ok() {
        let cause = format!("the server answered {}", response.status());
        return Err(failed_to_load(file, &cause));
    }
    JsFuture::from(content(&response).map_err(failed)?.into())
        .await
        .map_err(failed)
}
