//! The settings, the topics page and the camera beside the map: a program of its own, which the page
//! loads when somebody asks for it. It draws into the page's own layout and uses its style sheet; its Worker
//! and socket are its own ([`crate::shell::viewer_link`]), and nothing that fails in it reaches the
//! drive.
//!
//! - `found`: vehicles to choose from, and definitions that do not fit. `list`: the sheet and its rows. `detail`: the newest message of a topic. `plot`: a number over
//!   a minute. `camera`: the picture beside the map. `command`: what the vehicle says of its commands. `commissioning`: which way things move on this vehicle. `programs`: what runs while a button is held, edited. `copy`: a text for elsewhere. `settings`: what is set, in the page's own sheet; `losses`: what becomes of the tools when something ends. `tryout`: messages and calls by hand, for engineers. `machine`: the machine at a glance. `words`: what is said.

#![expect(
    clippy::redundant_closure,
    reason = "`view!` gives closures that are written out in it one type, as in the console"
)]

mod camera;
mod command;
mod commissioning;
mod copy;
mod detail;
mod found;
mod list;
mod losses;
mod machine;
mod patch;
mod plot;
mod programs;
mod settings;
mod tryout;
mod words;

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::HtmlElement;

use crate::ground::Ground;
use crate::lang::Lang;
use crate::monitor::snapshot::{Conflict, Namespace};
use crate::pilot::snapshot::LinkState;
use crate::shell::viewer_link::{News, Picture, ViewerLink, keep, kept};
use crate::shell::viewing::{FromViewer, Parts, Settings, ViewerHost};
use crate::survey::Survey;
use crate::survey::work::Work;
use crate::viewer::Wish;
use crate::viewer::snapshot::{ViewerSnapshot, Watched};

/// Why there may be nothing to see.
#[derive(Debug, Clone, PartialEq)]
enum Trouble {
    /// The Worker died, for this reason.
    Died(String),
    /// Page and viewer are of two releases.
    OtherBuild,
}

/// How long it stands there at least that the Worker died, for somebody to read it.
const TOLD_MS: f64 = 5_000.0;

/// What everything is drawn from.
#[derive(Clone, Copy)]
struct View {
    lang: RwSignal<Lang>,
    is_open: RwSignal<bool>,
    is_covered: RwSignal<bool>,
    snapshot: RwSignal<ViewerSnapshot>,
    /// Milliseconds of the page's clock at the snapshot, and now.
    seen_at: RwSignal<f64>,
    now: RwSignal<f64>,
    trouble: RwSignal<Option<Trouble>>,
    died_at: RwSignal<f64>,
    pictures: RwSignal<BTreeMap<String, Picture>, LocalStorage>,
    camera: RwSignal<Option<String>>,
    conflicts: RwSignal<Vec<Conflict>>,
    namespaces: RwSignal<Vec<Namespace>>,
    /// The namespace in use, without slashes at its ends.
    namespace: RwSignal<String>,
    settings: RwSignal<Settings>,
    parts: RwSignal<Parts>,
    commands_link: RwSignal<LinkState>,
    /// The page has told what there is to know.
    is_known: RwSignal<bool>,
    inputs: settings::Inputs,
    survey: Survey,
    ground: Ground,
    work: Work,
    link: StoredValue<Option<ViewerLink>, LocalStorage>,
    host: StoredValue<ViewerHost>,
}

thread_local! {
    static MOUNTED: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// Draws and starts everything.
pub fn start() {
    let Some(stack) = document().query_selector(".stack").ok().flatten() else {
        return;
    };
    add_style_sheet();
    let stack: HtmlElement = stack.unchecked_into();
    let sheet = document()
        .query_selector(".sheet > .settings")
        .ok()
        .flatten();
    let mounted = leptos::mount::mount_to(stack, || {
        let view = View::new();
        machine::machine(view);
        if let Some(sheet) = sheet {
            keep_mounted(leptos::mount::mount_to(sheet.unchecked_into(), move || {
                settings::settings(view)
            }));
        }
        match ViewerLink::start(move |news| view.heard(news)) {
            Ok(link) => {
                view.survey.speak(link.clone());
                view.ground.speak(link.clone());
                view.work.speak(link.clone());
                view.link.set_value(Some(link));
            }
            Err(cause) => view.trouble.set(Some(Trouble::Died(cause))),
        }
        // One sheet at a time: the one that was opened last.
        Effect::new(move |_| {
            if view.ground.is_open() {
                view.survey.close();
            }
        });
        Effect::new(move |_| {
            if view.survey.is_open() {
                view.ground.close();
            }
        });
        view.work.beside(view.survey);
        view! {
            {list::sheet(view)}
            {camera::camera(view)}
            {command::command(view)}
            {view.survey.sheet()}
            {view.ground.sheet()}
            {view.work.view()}
        }
    });
    keep_mounted(mounted);
}

fn keep_mounted(mounted: impl Any) {
    MOUNTED.with_borrow_mut(|kept| kept.push(Box::new(mounted)));
}

/// The viewer's own rules; the page's are there already.
fn add_style_sheet() {
    let build = kept("build").and_then(|build| build.as_string());
    if let (Some(head), Ok(link)) = (document().head(), document().create_element("link")) {
        let link: web_sys::HtmlLinkElement = link.unchecked_into();
        link.set_rel("stylesheet");
        link.set_href(&["viewer.css", &build.unwrap_or_default()].concat());
        if let Err(error) = head.append_child(&link) {
            leptos::logging::warn!("no style sheet: {error:?}");
        }
    }
}

impl View {
    fn new() -> Self {
        Self {
            lang: RwSignal::default(),
            is_open: RwSignal::new(false),
            is_covered: RwSignal::new(false),
            snapshot: RwSignal::default(),
            seen_at: RwSignal::new(0.0),
            now: RwSignal::new(0.0),
            trouble: RwSignal::new(None),
            died_at: RwSignal::new(0.0),
            pictures: RwSignal::new_local(BTreeMap::new()),
            camera: RwSignal::new(None),
            conflicts: RwSignal::default(),
            namespaces: RwSignal::default(),
            namespace: RwSignal::default(),
            settings: RwSignal::default(),
            parts: RwSignal::default(),
            commands_link: RwSignal::default(),
            is_known: RwSignal::new(false),
            inputs: settings::Inputs::new(),
            survey: Survey::new(),
            ground: Ground::new(),
            work: Work::new(),
            link: StoredValue::new_local(None),
            host: StoredValue::new(ViewerHost {
                opened: kept("opened")
                    .and_then(|opened| opened.as_f64())
                    .unwrap_or_default() as u32,
                ..ViewerHost::default()
            }),
        }
    }

    fn heard(self, news: News) {
        match news {
            News::Host(host) => self.take_host(*host),
            News::Snapshot(snapshot) => {
                self.seen_at.set(now_ms());
                self.now.set(now_ms());
                if now_ms() - self.died_at.get_untracked() > TOLD_MS {
                    show(self.trouble, None);
                }
                self.snapshot.set(*snapshot);
            }
            News::Picture(topic, picture) => self.pictures.update(|pictures| {
                pictures.insert(topic, picture);
            }),
            News::Died(cause) => {
                self.trouble.set(Some(Trouble::Died(cause)));
                self.died_at.set(now_ms());
                self.work.died();
                // What nobody reports any more is not shown as if it were so.
                self.snapshot.update(|snapshot| {
                    snapshot.watched.clear();
                    snapshot.levels = Default::default();
                    snapshot.flight = None;
                    snapshot.commands.clear();
                    for row in &mut snapshot.topics {
                        row.traffic = None;
                    }
                });
            }
            News::OtherBuild => self.trouble.set(Some(Trouble::OtherBuild)),
            News::Survey(news) => {
                self.work.see(&news.view);
                self.survey.heard(*news);
            }
            News::Work(news) => self.work.heard(*news),
            News::File(ending, file) => self.survey.offer(&ending, &file),
            News::Tick => {
                self.now.set(now_ms());
                self.survey.tick();
                self.ground.tick();
                self.work.tick();
            }
            News::Parts(parts) => show(self.parts, *parts),
        }
    }

    fn take_host(self, host: ViewerHost) {
        let before = self.host.get_value();
        if before.url != host.url {
            self.snapshot.set(ViewerSnapshot::default());
            self.pictures.update(BTreeMap::clear);
        }
        show(self.lang, host.lang);
        show(self.is_covered, host.is_covered);
        show(self.camera, host.camera());
        show(self.settings, host.settings.clone());
        show(self.commands_link, host.link);
        show(self.conflicts, host.conflicts.clone());
        show(self.namespaces, host.namespaces.clone());
        let namespace = host.profile.bridge.namespace.trim_matches('/');
        show(self.namespace, namespace.to_owned());
        self.work.take_host(&host);
        self.survey.take_host(&host, before.url != host.url);
        self.ground.take_host(&host);
        let is_asked_for = host.opened != before.opened;
        keep("opened", &host.opened.into());
        self.host.set_value(host);
        show(self.is_known, true);
        if is_asked_for {
            // The link is told after it has told this.
            self.survey.close();
            self.ground.close();
            self.work.close();
            self.is_open.set(true);
        }
    }

    /// Closes the sheet that is open here; false when none is.
    fn close(self) -> bool {
        let was_open = self.is_open.get_untracked() || self.survey.is_open();
        show(self.is_open, false);
        self.survey.close();
        was_open
    }

    fn wish(self, wish: Wish) {
        self.link.with_value(|link| {
            if let Some(link) = link {
                link.wish(wish);
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

    /// Milliseconds since the snapshot.
    fn since_seen(self) -> f64 {
        (self.now.get() - self.seen_at.get()).max(0.0)
    }

    fn with_watched<R>(self, topic: &str, look: impl FnOnce(Option<&Watched>) -> R) -> R {
        self.snapshot
            .with(|seen| look(seen.watched.iter().find(|watched| watched.topic == topic)))
    }
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
