//! The running link behind the console: it starts when both the Workers' program and the profile
//! are there, in whichever order they come.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;

use super::context::{Console, Destination, Outlet};
use crate::pilot::intent::{self, Intent, StickInput, Unsettled};
use crate::pilot::snapshot::{PressEnd, StopCheckView};
use crate::pilot::stop_check::StopCheck;
use crate::profile::Profile;
use crate::screen::preferences::Preferences;
use crate::shell::page::{Config, Link, News, Program};
use crate::shell::protocol::DEMO_URL;
use crate::shell::storage::{self, Keep, StorageTrouble};
use crate::tools::commissioning::Commissioned;
use crate::tools::intent::Holds;
use crate::words::page::PageNote;

/// Names of what is stored.
pub(super) const PREFERENCES: &str = "settings";
const FORMER_IDS: &str = "former";
const HAS_LEFT: &str = "left";
const COMMISSIONED: &str = "commissioned";
const PROGRAMS: &str = "programs";

/// Former ids that are kept: reloads in a row within a heartbeat's life are few.
const KEPT_IDS: usize = 4;

/// The link, before and after it runs.
pub struct Session {
    me: Weak<Self>,
    console: Cell<Option<Console>>,
    program: RefCell<Option<Program>>,
    plan: RefCell<Option<Plan>>,
    link: RefCell<Option<Link>>,
    is_stop_pressed: Cell<bool>,
    has_pilot: Cell<bool>,
    unsettled: RefCell<(String, Unsettled)>,
    stop_check: RefCell<Option<StopCheck>>,
    commissioned: Cell<Commissioned>,
}

/// What to connect to.
#[derive(Clone)]
pub struct Plan {
    /// The checked profile.
    pub profile: Arc<Profile>,
    /// The addresses to try.
    pub candidates: Vec<String>,
    /// The simulated vehicle instead.
    pub demo: bool,
    /// Who this console is.
    pub identity: intent::Console,
}

impl Plan {
    /// What is kept for this vehicle, by its address, name and topic.
    fn key(&self, what: &str, address: &str) -> String {
        let topic = self.profile.bridge.mc_ctrl_topic();
        [what, address, &self.profile.vehicle.name, &topic].join(" ")
    }
}

impl Session {
    /// Nothing runs yet.
    #[must_use]
    pub fn new() -> Rc<Self> {
        Rc::new_cyclic(|me| Self {
            me: me.clone(),
            console: Cell::new(None),
            program: RefCell::new(None),
            plan: RefCell::new(None),
            link: RefCell::new(None),
            is_stop_pressed: Cell::new(false),
            has_pilot: Cell::new(false),
            unsettled: RefCell::default(),
            stop_check: RefCell::default(),
            commissioned: Cell::default(),
        })
    }

    /// The console that shows what arrives.
    pub fn show_on(&self, console: Console) {
        self.console.set(Some(console));
    }

    /// The Workers' program is there.
    pub fn take_program(&self, program: Program) {
        self.program.replace(Some(program));
        self.start_when_ready();
    }

    /// It is known what to connect to.
    pub fn take_plan(&self, plan: Plan) {
        self.plan.replace(Some(plan));
        self.start_when_ready();
    }

    /// The Worker is about to end or to sleep: it gets the time to send its zeros.
    pub fn let_worker_send(&self) {
        if let Some(link) = self.link() {
            link.spin_for_worker();
        }
    }

    /// The page is being left.
    pub fn leave(&self) {
        self.let_worker_send();
        // Only a tab that was left may later take these ids for its own: a duplicated tab has the
        // same storage, but the other one still lives.
        self.keep_value(Keep::InThisTab, HAS_LEFT, &true);
    }

    /// The page came back without having been loaded anew.
    pub fn come_back(&self) {
        drop(storage::remove(Keep::InThisTab, HAS_LEFT));
    }

    /// A new identity; the ids that this tab had before reloads are told, so that their late
    /// echoes are not taken for another console.
    #[must_use]
    pub fn identity(&self, name: Option<String>) -> intent::Console {
        let random = || (js_sys::Math::random() * f64::from(u32::MAX)) as u32;
        let id = format!("{:08x}{:08x}", random(), random());
        let has_left = storage::get_packed(Keep::InThisTab, HAS_LEFT).unwrap_or(false);
        let former: Vec<String> = storage::get_packed(Keep::InThisTab, FORMER_IDS)
            .filter(|_| has_left)
            .unwrap_or_default();
        let mut next = vec![id.clone()];
        next.extend(former.iter().take(KEPT_IDS - 1).cloned());
        self.keep_value(Keep::InThisTab, FORMER_IDS, &next);
        self.come_back();
        intent::Console {
            name: name.unwrap_or_else(|| format!("Console {}", &id[..4])),
            id,
            former_ids: former,
        }
    }

    fn start_when_ready(&self) {
        let Some(config) = self.config() else {
            return;
        };
        if let Some(link) = self.link() {
            link.restart(config);
            return;
        }
        let Some(program) = self.program.borrow().clone() else {
            return;
        };
        let me = self.me.clone();
        let link = Link::start(program, config, move |news| {
            if let Some(me) = me.upgrade() {
                me.heard(news);
            }
        });
        if self.is_stop_pressed.get() {
            link.stop();
        }
        self.link.replace(Some(link));
    }

    fn config(&self) -> Option<Config> {
        let plan = self.plan.borrow().clone()?;
        let kept =
            |address: &String| storage::get_packed(Keep::OnThisDevice, &stop_check_key(address));
        let stop_checks = plan.candidates.iter().filter_map(kept).collect();
        let demo = [DEMO_URL.to_owned()];
        let addresses = if plan.demo {
            &demo
        } else {
            &plan.candidates[..]
        };
        let found = |address: &String| {
            let found = storage::get_packed(Keep::OnThisDevice, &plan.key(COMMISSIONED, address))?;
            Some((address.clone(), found))
        };
        let commissioned = addresses.iter().filter_map(found).collect();
        let mut unsettled = Unsettled::default();
        for address in &plan.candidates {
            let kept: Unsettled = storage::get_packed(Keep::OnThisDevice, &unsettled_key(address))
                .unwrap_or_default();
            unsettled.drive |= kept.drive;
            unsettled.tools |= kept.tools;
        }
        if plan.demo {
            // The simulated vehicle ended with the page.
            unsettled = Unsettled::default();
        }
        Some(Config {
            profile: Profile::clone(&plan.profile),
            candidates: plan.candidates,
            demo: plan.demo,
            console: plan.identity,
            unsettled,
            stop_checks,
            commissioned,
        })
    }

    fn heard(&self, news: News) {
        let Some(console) = self.console.get() else {
            return;
        };
        match news {
            News::Address(address) => {
                let is_demo = address == DEMO_URL;
                self.unsettled
                    .replace((address.clone(), Unsettled::default()));
                self.stop_check.replace(None);
                self.commissioned.take();
                let key = self.key(PROGRAMS);
                console.show_address(address, is_demo);
                let kept: Option<String> = storage::get_packed(Keep::OnThisDevice, &key);
                self.use_programs(&kept.unwrap_or_default());
            }
            News::Pilot(snapshot) => {
                self.has_pilot.set(true);
                self.remember(&snapshot.unsettled);
                self.remember_stop_check(&snapshot.stop_check);
                self.remember_commissioned(snapshot.tools.commissioning.found);
                console.show_pilot(*snapshot);
            }
            News::Monitor(snapshot) => console.show_monitor(*snapshot),
            News::Happened(event) => console.happened(event),
            News::Trouble(trouble) => console.note(PageNote::Trouble(trouble)),
            News::Asked(asked) => console.asked(asked),
        }
    }

    /// Rule 13: a loss that interrupted motion is made up for even after a reload.
    fn remember(&self, unsettled: &Unsettled) {
        let mut known = self.unsettled.borrow_mut();
        if known.1 == *unsettled || known.0 == DEMO_URL {
            return;
        }
        known.1 = unsettled.clone();
        let key = unsettled_key(&known.0);
        if unsettled.is_settled() {
            drop(storage::remove(Keep::OnThisDevice, &key));
        } else {
            self.keep_value(Keep::OnThisDevice, &key, unsettled);
        }
    }

    /// Rule 28: kept for this address, until another one takes its place.
    fn remember_stop_check(&self, now: &StopCheckView) {
        let mut known = self.stop_check.borrow_mut();
        if *known == now.passed {
            return;
        }
        let address = self.unsettled.borrow().0.clone();
        known.clone_from(&now.passed);
        let key = stop_check_key(&address);
        match &now.passed {
            Some(passed) => self.keep_value(Keep::OnThisDevice, &key, passed),
            None => drop(storage::remove(Keep::OnThisDevice, &key)),
        }
    }

    /// What was found out about this vehicle is kept for it.
    fn remember_commissioned(&self, now: Commissioned) {
        if self.commissioned.replace(now) != now {
            self.keep_value(Keep::OnThisDevice, &self.key(COMMISSIONED), &now);
        }
    }

    /// Of what is kept for the vehicle in use.
    fn key(&self, what: &str) -> String {
        let plan = self.plan.borrow();
        let address = &self.unsettled.borrow().0;
        plan.as_ref()
            .map(|plan| plan.key(what, address))
            .unwrap_or_default()
    }

    /// True when they can be used.
    fn use_programs(&self, text: &str) -> bool {
        let plan = self.plan.borrow();
        let profile = plan.as_ref().map(|plan| Profile::clone(&plan.profile));
        let (Some(mut profile), Some(console)) = (profile, self.console.get()) else {
            return false;
        };
        let is_taken = profile.take_programs(text);
        self.with_link(|link| link.intent(Intent::Programs(profile.programs_taken().to_owned())));
        console.show_programs(profile);
        is_taken
    }

    fn link(&self) -> Option<Link> {
        self.link.borrow().clone()
    }

    fn with_link(&self, act: impl FnOnce(Link)) {
        if let Some(link) = self.link() {
            act(link);
        }
    }

    fn keep_value<T: serde::Serialize>(&self, keep: Keep, key: &str, value: &T) {
        self.note_kept(storage::set_packed(keep, key, value));
    }

    fn note_kept(&self, result: Result<(), StorageTrouble>) {
        if let Err(trouble) = result
            && let Some(console) = self.console.get()
        {
            console.note(PageNote::NotKept {
                cause: trouble.to_string(),
            });
        }
    }
}

impl Outlet for Session {
    fn intent(&self, intent: Intent) {
        if intent == Intent::ResetStop {
            self.is_stop_pressed.set(false);
        }
        self.with_link(|link| link.intent(intent));
    }

    fn stop(&self) -> bool {
        self.is_stop_pressed.set(true);
        self.with_link(|link| link.stop());
        self.has_pilot.get()
    }

    fn stick(&self, stick: Option<StickInput>) {
        self.with_link(|link| link.stick(stick));
    }

    fn rest(&self) {
        self.with_link(|link| link.rest());
    }

    fn holds(&self, holds: Holds) {
        self.with_link(|link| link.holds(holds));
    }

    fn confirm(&self, is_held: bool) {
        self.with_link(|link| link.confirm(is_held));
    }

    fn touched(&self) {
        self.with_link(|link| link.touched());
    }

    fn release(&self, end: PressEnd) {
        self.with_link(|link| link.release(end));
    }

    fn connect(&self, to: Destination) {
        if let Some(plan) = self.plan.borrow_mut().as_mut() {
            match to {
                Destination::Address(address) => {
                    plan.candidates = vec![address];
                    plan.demo = false;
                }
                Destination::Demo => plan.demo = true,
            }
        }
        self.start_when_ready();
    }

    fn programs(&self, text: &str) {
        if self.use_programs(text) {
            self.keep_value(Keep::OnThisDevice, &self.key(PROGRAMS), &text);
        }
    }

    fn tell_viewer(&self, host: &[u8]) {
        self.with_link(|link| link.tell_viewer(host));
    }

    fn keep(&self, preferences: &Preferences) {
        self.note_kept(storage::set(
            Keep::OnThisDevice,
            PREFERENCES,
            &preferences.kept(),
        ));
    }
}

fn stop_check_key(address: &str) -> String {
    format!("stop-check {address}")
}

fn unsettled_key(address: &str) -> String {
    format!("unsettled {address}")
}
