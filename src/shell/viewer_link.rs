//! The viewer's side of the page: hears what the page tells, keeps a Worker running while there is
//! something to look at, and replaces one that died. Nothing of it can reach the control or the
//! telemetry Worker.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{MessageChannel, MessageEvent, MessagePort};

use super::js::{self, Interval, Listener};
use super::page::program_of;
use super::port::Port;
use super::protocol::{LoopMessage, build, decode, encode};
use super::seat::{Heard, ObjectUrl, Program, Seat};
use super::viewing::{
    FromViewer, FromViewerWorker, Parts, ToViewer, ToViewerWorker, ViewerHost, Wishes,
};
use super::watchdog::Patience;
use crate::chart::surveyor::SurveyNews;
use crate::pilot::snapshot::LinkState;
use crate::viewer::Wish;
use crate::viewer::snapshot::ViewerSnapshot;

/// Where the page's loader leaves the viewer's program and its port.
const OWN_PROGRAM: &str = "broomstickViewer";

/// How often it looks whether the Worker lives.
const TICK_MS: i32 = 100;

/// What the topics page learns.
pub enum News {
    /// Of the page.
    Host(Box<ViewerHost>),
    /// Of the Worker.
    Snapshot(Box<ViewerSnapshot>),
    /// A topic's newest picture.
    Picture(String, Picture),
    /// Of the survey.
    Survey(Box<SurveyNews>),
    /// A file for the operator: how its name ends, and itself.
    File(String, Picture),
    /// The Worker died, for this reason; it is replaced.
    Died(String),
    /// The page is of another build: nothing is shown.
    OtherBuild,
    /// Time has passed.
    Tick,
    /// What the machine's moving parts are told.
    Parts(Box<Parts>),
}

/// A picture, or another file, that the browser keeps; it is given back with the last clone.
#[derive(Clone)]
pub struct Picture(Rc<ObjectUrl>);

impl Picture {
    /// Its `blob:` address.
    #[must_use]
    pub fn address(&self) -> &str {
        self.0.address()
    }
}

/// What the page's loader keeps for the viewer under that name.
#[must_use]
pub fn kept(name: &str) -> Option<JsValue> {
    let own = js_sys::Reflect::get(&js_sys::global(), &OWN_PROGRAM.into()).ok()?;
    js_sys::Reflect::get(&own, &name.into()).ok()
}

/// Leaves something with the page's loader, for when this program breaks: the `worker` to be ended,
/// and how many times the topics were `opened`, so that its successor does not open by itself.
pub fn keep(name: &str, value: &JsValue) {
    let kept = js_sys::Reflect::get(&js_sys::global(), &OWN_PROGRAM.into())
        .and_then(|own| js_sys::Reflect::set(&own, &name.into(), value));
    if let Err(error) = kept {
        js::warn(&js::said(&error));
    }
}

/// The viewer's connection to page and Worker.
#[derive(Clone)]
pub struct ViewerLink(Rc<Inner>);

struct Inner {
    on_news: Box<dyn Fn(News)>,
    state: RefCell<State>,
    keeps: RefCell<Option<(Interval, Listener, MessagePort)>>,
}

struct State {
    me: Weak<Inner>,
    program: Option<Program>,
    host: ViewerHost,
    is_open: bool,
    seat: Seat,
    wishes: Wishes,
    way: Way,
}

/// The way from the Worker to the simulated vehicle: by the port that the page gave, once, however
/// many Workers there are.
#[derive(Default)]
struct Way {
    vehicle: Option<Port>,
    worker: Option<Port>,
    /// The Worker's connections, and whether the vehicle has taken them.
    lines: BTreeMap<u32, bool>,
}

impl ViewerLink {
    /// Listens to the page. `on_news` is never called before this returns.
    ///
    /// # Errors
    /// When the page's loader left no port.
    pub fn start(on_news: impl Fn(News) + 'static) -> Result<Self, String> {
        let port: MessagePort = kept("port")
            .and_then(|port| port.dyn_into().ok())
            .ok_or("the page's loader left no port")?;
        let inner = Rc::new_cyclic(|me| Inner {
            on_news: Box::new(on_news),
            state: RefCell::new(State {
                me: me.clone(),
                program: None,
                host: ViewerHost::default(),
                is_open: false,
                seat: Seat::named("viewer", Patience::OTHERS),
                wishes: Wishes::default(),
                way: Way::default(),
            }),
            keeps: RefCell::new(None),
        });
        let told = Rc::downgrade(&inner);
        let listener = Listener::messages(&port, move |event| {
            if let Some(inner) = told.upgrade() {
                inner.act(|state, news| state.told(event, news));
            }
        });
        let ticked = Rc::downgrade(&inner);
        let interval = Interval::new(TICK_MS, move || {
            if let Some(inner) = ticked.upgrade() {
                inner.act(State::tick);
            }
        });
        port.start();
        *inner.keeps.borrow_mut() = Some((interval, listener, port));
        Self(Rc::clone(&inner)).ask(&FromViewer::Hello);
        let loading = Rc::downgrade(&inner);
        spawn_local(async move {
            let loaded = program_of(OWN_PROGRAM).await;
            if let Some(inner) = loading.upgrade() {
                inner.act(|state, news| match loaded {
                    Ok(program) => {
                        state.program = Some(program);
                        state.keep_running(news);
                    }
                    Err(trouble) => news.push(News::Died(trouble.to_string())),
                });
            }
        });
        Ok(Self(inner))
    }

    /// What the operator wants to see; a Worker that takes another one's place is told as well.
    pub fn wish(&self, wish: Wish) {
        self.0.act(|state, _| state.wish(wish));
    }

    /// Asks something of the page.
    pub fn ask(&self, asked: &FromViewer) {
        if let Some((_, _, port)) = &*self.0.keeps.borrow()
            && let Err(error) = port.post_message(&js::message_of(&encode(asked)))
        {
            js::warn(&js::said(&error));
        }
    }

    /// The topics are shown, or not any more.
    pub fn open(&self, is_open: bool) {
        self.0.act(|state, news| {
            state.is_open = is_open;
            if is_open {
                state.wish(Wish::List(true));
            } else {
                for wish in state.wishes.close() {
                    state.seat.post(&ToViewerWorker::Wish(wish));
                }
            }
            state.keep_running(news);
        });
    }
}

impl Inner {
    fn act(&self, change: impl FnOnce(&mut State, &mut Vec<News>)) {
        let mut news = Vec::new();
        // A program that broke in the middle of this is called by its timers for ever.
        let Ok(mut state) = self.state.try_borrow_mut() else {
            return;
        };
        change(&mut state, &mut news);
        drop(state);
        for item in news {
            (self.on_news)(item);
        }
    }
}

impl State {
    fn told(&mut self, event: &MessageEvent, news: &mut Vec<News>) {
        match decode::<ToViewer>(js::bytes_of(event).as_deref()) {
            Ok(ToViewer::Host(host)) if host.build == build() => self.take_host(host, news),
            Ok(ToViewer::Vehicle) => {
                if let Ok(port) = event.ports().get(0).dyn_into::<MessagePort>() {
                    let me = self.me.clone();
                    let port = Port::new(port, move |bytes| {
                        if let Some(inner) = me.upgrade() {
                            inner.act(|state, _| state.way.vehicle_said(bytes.as_deref()));
                        }
                    });
                    self.way.lines.clear();
                    self.way.vehicle = Some(port);
                    self.join_vehicle();
                }
            }
            Ok(ToViewer::Parts(parts)) if self.host.build == build() => {
                news.push(News::Parts(parts));
            }
            // Told before the host, or by another build, which is said already.
            Ok(ToViewer::Parts(_)) => {}
            // Two releases may mean different things by the same bytes.
            Ok(ToViewer::Host(_)) | Err(_) => news.push(News::OtherBuild),
        }
    }

    fn take_host(&mut self, host: Box<ViewerHost>, news: &mut Vec<News>) {
        let before = std::mem::replace(&mut self.host, (*host).clone());
        if before.url != host.url || before.profile != host.profile {
            // Another vehicle: what was looked at there says nothing here.
            self.seat.clear();
            self.wishes.close();
        }
        if before.camera() != host.camera() {
            self.wish(Wish::Camera(host.camera()));
        }
        if before.is_slow() != host.is_slow() {
            self.wish(Wish::SlowLink(host.is_slow()));
        }
        // By the operator's wish, or because nothing can be.
        let is_offline = host.link == LinkState::Offline;
        let was_offline = !before.build.is_empty() && before.link == LinkState::Offline;
        if was_offline != is_offline {
            self.wish(if is_offline {
                Wish::Disconnect
            } else {
                Wish::Connect
            });
        }
        news.push(News::Host(host));
        self.keep_running(news);
    }

    fn wish(&mut self, wish: Wish) {
        self.wishes.take(&wish);
        self.seat.post(&ToViewerWorker::Wish(wish));
    }

    /// A Worker while there is a vehicle: the survey sees every fix.
    fn keep_running(&mut self, news: &mut Vec<News>) {
        if self.host.url.is_empty() {
            self.seat.clear();
        } else if !self.seat.is_occupied() {
            self.start_worker(news);
        }
    }

    fn start_worker(&mut self, news: &mut Vec<News>) {
        let Some(program) = self.program.clone() else {
            return;
        };
        let me = self.me.clone();
        let heard = move |heard| {
            if let Some(inner) = me.upgrade() {
                inner.act(|state, news| state.heard(heard, news));
            }
        };
        match self.seat.start(&program, heard) {
            Ok(worker) => keep("worker", &worker),
            Err(cause) => self.died(cause, news),
        }
    }

    fn heard(&mut self, heard: Heard, news: &mut Vec<News>) {
        match heard {
            Heard::Broke(cause) => self.died(cause, news),
            Heard::Other(picture) => {
                let picture: js_sys::Array = picture.unchecked_into();
                let mime = picture.get(1).as_string().unwrap_or_default();
                if let Some(topic) = picture.get(0).as_string()
                    && let Ok(url) = ObjectUrl::of_file(&picture.get(2), &mime)
                {
                    let url = Picture(Rc::new(url));
                    news.push(if picture.get(3).is_truthy() {
                        News::File(topic, url)
                    } else {
                        News::Picture(topic, url)
                    });
                }
            }
            Heard::Message(bytes) => match decode::<FromViewerWorker>(Some(&bytes)) {
                Ok(FromViewerWorker::Hello) => self.greet(),
                Ok(FromViewerWorker::Snapshot(snapshot)) => {
                    self.seat.lives();
                    news.push(News::Snapshot(snapshot));
                }
                Ok(FromViewerWorker::Survey(survey)) => {
                    self.seat.lives();
                    news.push(News::Survey(survey));
                }
                Err(error) => self.died(error.to_string(), news),
            },
        }
    }

    fn greet(&mut self) {
        let start = Box::new(self.host.start());
        self.seat.begin(&ToViewerWorker::Begin(start));
        for wish in self.wishes.all() {
            self.seat.post(&ToViewerWorker::Wish(wish.clone()));
        }
        self.join_vehicle();
    }

    /// Gives the Worker its end of the way to the simulated vehicle, if there is one.
    fn join_vehicle(&mut self) {
        if self.way.vehicle.is_none() || !self.seat.has_begun() {
            return;
        }
        let Ok(channel) = MessageChannel::new() else {
            return;
        };
        let me = self.me.clone();
        let worker = Port::new(channel.port1(), move |bytes| {
            if let Some(inner) = me.upgrade() {
                inner.act(|state, _| state.way.worker_said(bytes.as_deref()));
            }
        });
        self.way.hang_up();
        self.way.worker = Some(worker);
        self.seat
            .post_with(&ToViewerWorker::Vehicle, &channel.port2());
    }

    fn died(&mut self, cause: String, news: &mut Vec<News>) {
        self.seat.bury();
        news.push(News::Died(cause));
    }

    fn tick(&mut self, news: &mut Vec<News>) {
        if let Some(cause) = self.seat.judge() {
            self.died(cause, news);
        }
        if self.seat.is_restart_due() {
            self.start_worker(news);
        }
        news.push(News::Tick);
    }
}

impl Way {
    /// The connections of a Worker that is gone.
    fn hang_up(&mut self) {
        if let Some(vehicle) = &self.vehicle {
            for line in std::mem::take(&mut self.lines).into_keys() {
                vehicle.post(&encode(&LoopMessage::Close(line)));
            }
        }
    }

    fn worker_said(&mut self, bytes: Option<&[u8]>) {
        match decode::<LoopMessage>(bytes) {
            Ok(LoopMessage::Open(line)) => {
                self.lines.insert(line, false);
            }
            Ok(LoopMessage::Close(line)) => {
                self.lines.remove(&line);
            }
            _ => {}
        }
        if let (Some(vehicle), Some(bytes)) = (&self.vehicle, bytes) {
            vehicle.post(bytes);
        }
    }

    fn vehicle_said(&mut self, bytes: Option<&[u8]>) {
        let is_meant = match decode::<LoopMessage>(bytes) {
            Ok(LoopMessage::Opened(line)) => match self.lines.get_mut(&line) {
                Some(is_taken) => {
                    *is_taken = true;
                    true
                }
                None => false,
            },
            // What was on its way to the predecessor's connection of the same number is not.
            Ok(LoopMessage::Text(line, _)) => self.lines.get(&line) == Some(&true),
            Ok(LoopMessage::Closed(line)) => self.lines.remove(&line) == Some(true),
            _ => false,
        };
        if let (Some(worker), Some(bytes), true) = (&self.worker, bytes, is_meant) {
            worker.post(bytes);
        }
    }
}
