//! The Workers' programs: the console's (control and telemetry), the simulated vehicle's, which is
//! loaded in demo mode only, and the viewer's, which is loaded when somebody wants to see topics.
//!
//! Each says [`FromWorker::Hello`] as soon as it listens; the page's [`ToWorker::Begin`] says what
//! it is to be. A panic is told to the page with the last breath, which replaces the Worker.

mod alarm;
mod driver;
mod roles;
mod stage;
mod track_keeper;
mod viewer;

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent, MessagePort};

use super::clock::Transit;
use super::js::{self, Listener};
use super::protocol::{FromWorker, PortUse, Role, ToWorker, build, decode, encode};
use crate::monitor::{self, Monitor};
use crate::pilot::event::Event;
use crate::pilot::{self, Pilot};
use driver::{Driver, Machine};
use stage::Stage;
pub use viewer::run_viewer;

/// The console's program: listens for the page and says hello.
pub fn run_console() {
    run(begin_console);
}

/// The simulated vehicle's program.
pub fn run_vehicle() {
    run(begin_vehicle);
}

/// What the page's first message makes of the Worker; `None` for a role of the other program.
type Begin = fn(Role) -> Option<Rc<dyn Running>>;

fn run(begin: Begin) {
    // The release build's panics say nothing; the page hears only that the Worker broke.
    #[cfg(debug_assertions)]
    std::panic::set_hook(Box::new(|panic| {
        console_error_panic_hook::hook(panic);
        tell_page(&FromWorker::Failed {
            detail: panic.to_string(),
        });
    }));
    let Some(scope) = scope() else {
        js::warn("this program runs in a Worker; the page starts it");
        return;
    };
    let listener = Listener::messages(&scope, move |event| heard(event, begin));
    PROGRAM.with(|program| {
        *program.borrow_mut() = Some(Program {
            role: None,
            _listener: listener,
        });
    });
    tell_page(&FromWorker::Hello {
        build: build().into(),
    });
}

/// Posts to the page.
fn tell_page(message: &FromWorker) {
    post(&js::message_of(&encode(message)));
}

fn post(message: &JsValue) {
    let Some(scope) = scope() else {
        return;
    };
    if let Err(error) = scope.post_message(message) {
        js::warn(&format!(
            "the page did not take a message: {}",
            js::said(&error)
        ));
    }
}

fn scope() -> Option<DedicatedWorkerGlobalScope> {
    js_sys::global().dyn_into().ok()
}

thread_local! {
    static PROGRAM: RefCell<Option<Program>> = const { RefCell::new(None) };
}

struct Program {
    role: Option<Rc<dyn Running>>,
    _listener: Listener,
}

/// What a Worker is, once it has begun. An object, so that each program carries only its own.
trait Running {
    /// False for a message that means nothing to it.
    fn hear(&self, message: ToWorker, port: Option<MessagePort>) -> bool;
}

fn heard(event: &MessageEvent, begin: Begin) {
    match decode::<ToWorker>(js::bytes_of(event).as_deref()) {
        Ok(ToWorker::Begin(role)) => {
            let running = begin(role);
            if running.is_none() {
                bad_message("this program has another role");
            }
            PROGRAM.with(|program| {
                if let Some(program) = program.borrow_mut().as_mut() {
                    program.role = running;
                }
            });
        }
        Ok(message) => {
            // Not borrowed while it works: what it does may come back here.
            let role = PROGRAM.with(|program| program.borrow().as_ref()?.role.clone());
            let port = event.ports().get(0).dyn_into::<MessagePort>().ok();
            if !role.is_some_and(|role| role.hear(message, port)) {
                bad_message("a message that means nothing to this Worker");
            }
        }
        Err(error) => bad_message(&error.to_string()),
    }
}

fn begin_console(role: Role) -> Option<Rc<dyn Running>> {
    match role {
        Role::Control(mut start) => {
            start.unix_ms_at_start = js_sys::Date::now();
            let driver = Driver::start(|now| Pilot::new(*start, now));
            Some(Rc::new(Control {
                driver,
                transit: RefCell::default(),
            }))
        }
        Role::Telemetry(mut start) => {
            start.unix_ms_at_start = js_sys::Date::now();
            Some(Driver::start(|now| Monitor::new(*start, now)))
        }
        Role::Vehicle(_) => None,
    }
}

fn begin_vehicle(role: Role) -> Option<Rc<dyn Running>> {
    match role {
        Role::Vehicle(start) => Some(Stage::start(*start)),
        Role::Control(_) | Role::Telemetry(_) => None,
    }
}

struct Control {
    driver: Rc<Driver<Pilot>>,
    transit: RefCell<Transit>,
}

impl Running for Control {
    fn hear(&self, message: ToWorker, port: Option<MessagePort>) -> bool {
        match message {
            ToWorker::Lease {
                posted_ms,
                mut lease,
            } => {
                lease.transit_ms = self.transit.borrow_mut().measure(posted_ms, js::epoch_ms());
                let lease = pilot::intent::Intent::Lease(lease);
                self.driver.feed(pilot::Input::Intent(lease));
                true
            }
            ToWorker::Intent(intent) => {
                self.driver.feed(pilot::Input::Intent(intent));
                true
            }
            other => self.driver.hear_of_others(&other, port),
        }
    }
}

impl Running for Driver<Monitor> {
    fn hear(&self, message: ToWorker, port: Option<MessagePort>) -> bool {
        match message {
            ToWorker::Connect => self.feed(monitor::Input::Connect),
            ToWorker::Disconnect => self.feed(monitor::Input::Disconnect),
            other => return self.hear_of_others(&other, port),
        }
        true
    }
}

impl Running for Stage {
    fn hear(&self, message: ToWorker, port: Option<MessagePort>) -> bool {
        let (ToWorker::Port(from), Some(port)) = (message, port) else {
            return false;
        };
        self.meet(from, port);
        true
    }
}

impl<M: Machine> Driver<M> {
    /// The other Worker, or the simulated vehicle, is there or gone.
    fn hear_of_others(&self, message: &ToWorker, port: Option<MessagePort>) -> bool {
        match (message, port) {
            (ToWorker::Port(PortUse::Peer), Some(port)) => self.meet_peer(port),
            (ToWorker::Port(PortUse::Vehicle), Some(port)) => self.loopback().connect(port),
            (ToWorker::VehicleGone, _) => self.loopback().vehicle_is_gone(),
            _ => return false,
        }
        true
    }
}

/// Nobody should ever send such a thing; when somebody does, it is on the screen.
fn bad_message(detail: &str) {
    tell_page(&FromWorker::Event(Event::BadIntent {
        detail: detail.to_owned(),
    }));
}
