//! The Workers' program: one wasm, three roles.
//!
//! It says [`FromWorker::Hello`] as soon as it listens; the page's [`ToWorker::Begin`] says what
//! it is to be. A panic is told to the page with the last breath, which replaces the Worker.

mod alarm;
mod driver;
mod roles;
mod stage;

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
use driver::Driver;
use stage::Stage;

/// Listens for the page and says hello.
pub fn run() {
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
    let listener = Listener::messages(&scope, heard);
    PROGRAM.with(|program| {
        *program.borrow_mut() = Some(Program {
            role: Running::Nothing,
            _listener: listener,
        });
    });
    tell_page(&FromWorker::Hello {
        build: build().into(),
    });
}

/// Posts to the page.
fn tell_page(message: &FromWorker) {
    let Some(scope) = scope() else {
        return;
    };
    if let Err(error) = scope.post_message(&JsValue::from_str(&encode(message))) {
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
    role: Running,
    _listener: Listener,
}

/// What this Worker is.
#[derive(Clone)]
enum Running {
    Nothing,
    Control(Rc<Driver<Pilot>>, Rc<RefCell<Transit>>),
    Telemetry(Rc<Driver<Monitor>>),
    Vehicle(Rc<Stage>),
}

fn heard(event: &MessageEvent) {
    match decode::<ToWorker>(js::text_of(event).as_deref()) {
        Ok(ToWorker::Begin(role)) => {
            let running = begin(role);
            PROGRAM.with(|program| {
                if let Some(program) = program.borrow_mut().as_mut() {
                    program.role = running;
                }
            });
        }
        Ok(message) => {
            // Not borrowed while it works: what it does may come back here.
            let role = PROGRAM.with(|program| {
                program
                    .borrow()
                    .as_ref()
                    .map_or(Running::Nothing, |program| program.role.clone())
            });
            let port = event.ports().get(0).dyn_into::<MessagePort>().ok();
            role.hear(message, port);
        }
        Err(error) => bad_message(&error.to_string()),
    }
}

fn begin(role: Role) -> Running {
    match role {
        Role::Control(mut start) => {
            start.unix_ms_at_start = js_sys::Date::now();
            let driver = Driver::start(|now| Pilot::new(*start, now));
            Running::Control(driver, Rc::default())
        }
        Role::Telemetry(mut start) => {
            start.unix_ms_at_start = js_sys::Date::now();
            Running::Telemetry(Driver::start(|now| Monitor::new(*start, now)))
        }
        Role::Vehicle(start) => Running::Vehicle(Stage::start(*start)),
    }
}

impl Running {
    fn hear(&self, message: ToWorker, port: Option<MessagePort>) {
        match (self, message, port) {
            (
                Self::Control(driver, transit),
                ToWorker::Lease {
                    posted_ms,
                    mut lease,
                },
                _,
            ) => {
                lease.transit_ms = transit.borrow_mut().measure(posted_ms, js::epoch_ms());
                driver.feed(pilot::Input::Intent(pilot::intent::Intent::Lease(lease)));
            }
            (Self::Control(driver, _), ToWorker::Intent(intent), _) => {
                driver.feed(pilot::Input::Intent(intent));
            }
            (Self::Control(driver, _), ToWorker::Port(PortUse::Peer), Some(port)) => {
                driver.meet_peer(port);
            }
            (Self::Control(driver, _), ToWorker::Port(PortUse::Vehicle), Some(port)) => {
                driver.loopback().connect(port);
            }
            (Self::Control(driver, _), ToWorker::VehicleGone, _) => {
                driver.loopback().vehicle_is_gone();
            }
            (Self::Telemetry(driver), ToWorker::Connect, _) => {
                driver.feed(monitor::Input::Connect);
            }
            (Self::Telemetry(driver), ToWorker::Disconnect, _) => {
                driver.feed(monitor::Input::Disconnect);
            }
            (Self::Telemetry(driver), ToWorker::Port(PortUse::Peer), Some(port)) => {
                driver.meet_peer(port);
            }
            (Self::Telemetry(driver), ToWorker::Port(PortUse::Vehicle), Some(port)) => {
                driver.loopback().connect(port);
            }
            (Self::Telemetry(driver), ToWorker::VehicleGone, _) => {
                driver.loopback().vehicle_is_gone();
            }
            (Self::Vehicle(stage), ToWorker::Port(from), Some(port)) => stage.meet(from, port),
            (_, message, _) => bad_message(&format!(
                "a message that means nothing to this Worker: {}",
                encode(&message).chars().take(80).collect::<String>()
            )),
        }
    }
}

/// Nobody should ever send such a thing; when somebody does, it is on the screen.
fn bad_message(detail: &str) {
    tell_page(&FromWorker::Event(Event::BadIntent {
        detail: detail.to_owned(),
    }));
}
