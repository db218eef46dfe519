//! The viewer in its Worker.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, MessagePort};

use super::super::js::{self, Listener};
use super::super::protocol::{PeerMessage, decode, encode};
use super::super::viewing::{FromViewerWorker, ToViewerWorker};
use super::driver::{Driver, Effect, Machine};
use super::track_keeper::TrackKeeper;
use crate::rosbridge::session::{SocketEvent, SocketId};
use crate::units::Moment;
use crate::viewer::{Input, Output, Viewer};

thread_local! {
    static PROGRAM: RefCell<Option<Program>> = const { RefCell::new(None) };
}

struct Program {
    driver: Option<Rc<Driver<Viewer>>>,
    keeper: Option<TrackKeeper>,
    _listener: Listener,
}

/// The viewer's program: listens for its page and says hello.
pub fn run_viewer() {
    let Some(scope) = super::scope() else {
        return;
    };
    let listener = Listener::messages(&scope, heard);
    PROGRAM.with(|program| {
        *program.borrow_mut() = Some(Program {
            driver: None,
            keeper: None,
            _listener: listener,
        });
    });
    super::post(&message(&FromViewerWorker::Hello));
}

fn message(what: &FromViewerWorker) -> JsValue {
    js::message_of(&encode(what))
}

fn heard(event: &MessageEvent) {
    let message = match decode::<ToViewerWorker>(js::bytes_of(event).as_deref()) {
        Ok(ToViewerWorker::Begin(mut start)) => {
            start.seed = js_sys::Date::now() as u64;
            start.unix_ms = start.seed;
            let namespace = start.profile.bridge.namespace.trim_matches('/');
            let vehicle = [&start.url, " ", namespace].concat();
            let driver = Driver::start(|now| Viewer::new(*start, now));
            let keeper = TrackKeeper::open(&vehicle, {
                let driver = Rc::downgrade(&driver);
                move |input| {
                    if let Some(driver) = driver.upgrade() {
                        driver.feed(input);
                    }
                }
            });
            PROGRAM.with(|program| {
                if let Some(program) = program.borrow_mut().as_mut() {
                    program.driver = Some(driver);
                    program.keeper = Some(keeper);
                }
            });
            return;
        }
        Ok(message) => message,
        Err(error) => return js::warn(&error.to_string()),
    };
    // Not borrowed while it works: what it does may come back here.
    let driver = PROGRAM.with(|program| program.borrow().as_ref()?.driver.clone());
    let Some(driver) = driver else {
        return;
    };
    match message {
        ToViewerWorker::Wish(wish) => driver.feed(Input::Wish(wish)),
        ToViewerWorker::Vehicle => {
            if let Ok(port) = event.ports().get(0).dyn_into::<MessagePort>() {
                driver.loopback().connect(port);
            }
        }
        ToViewerWorker::Begin(_) => {}
    }
}

impl Machine for Viewer {
    type Input = Input;

    fn handle(&mut self, input: Self::Input, now: Moment) {
        Self::handle(self, input, now);
    }

    fn poll(&mut self) -> Option<Effect> {
        loop {
            if let Some(effect) = effect_of(Self::poll(self)?) {
                return Some(effect);
            }
        }
    }

    fn next_wakeup(&self) -> Moment {
        Self::next_wakeup(self)
    }

    fn tick() -> Self::Input {
        Input::Tick
    }

    fn socket(socket: SocketId, event: SocketEvent) -> Self::Input {
        Input::Socket(socket, event)
    }

    fn peer(_: PeerMessage) -> Option<Self::Input> {
        None
    }

    fn new_peer() -> Option<Self::Input> {
        None
    }
}

/// What the driver does; nothing, when it was done here.
fn effect_of(output: Output) -> Option<Effect> {
    Some(match output {
        Output::Socket(output) => Effect::Socket(output),
        Output::Snapshot(snapshot) => {
            Effect::TellPage(message(&FromViewerWorker::Snapshot(snapshot)))
        }
        Output::Picture { topic, mime, bytes } => Effect::TellPage(
            js_sys::Array::of3(&topic.into(), &mime.into(), &js::message_of(&bytes)).into(),
        ),
        Output::Survey(news) => Effect::TellPage(message(&FromViewerWorker::Survey(news))),
        Output::File { kind, text } => {
            let (ending, mime) = (kind.ending().into(), kind.mime().into());
            Effect::TellPage(
                js_sys::Array::of4(&ending, &mime, &text.into(), &JsValue::TRUE).into(),
            )
        }
        Output::Keep(keeping) => {
            PROGRAM.with(|program| {
                let program = program.borrow();
                if let Some(keeper) = program.as_ref().and_then(|it| it.keeper.as_ref()) {
                    keeper.keep(keeping);
                }
            });
            return None;
        }
    })
}
