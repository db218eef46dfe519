//! The simulated vehicle of the demo in its Worker, and its connections.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

use web_sys::MessagePort;

use super::super::js::{self, Interval};
use super::super::port::Port;
use super::super::protocol::{FromWorker, LoopMessage, PortUse, VehicleStart, decode, encode};
use super::alarm::Alarm;
use crate::units::Moment;
use crate::vehicle::{ClientId, Fleet, Options, Output, VehicleKind};

/// How often it says that it runs.
const ALIVE_MS: i32 = 200;

/// The vehicle and who is connected to it.
pub(super) struct Stage {
    me: Weak<Self>,
    alarm: Alarm,
    vehicle: RefCell<Fleet>,
    ports: RefCell<BTreeMap<u8, Port>>,
    clients: RefCell<Clients>,
    _alive: Interval,
}

#[derive(Default)]
struct Clients {
    last: u32,
    /// Which line of which port each client is.
    lines: BTreeMap<ClientId, (u8, u32)>,
}

impl Clients {
    fn of_line(&self, line: (u8, u32)) -> Option<ClientId> {
        self.lines
            .iter()
            .find(|(_, known)| **known == line)
            .map(|(client, _)| *client)
    }
}

impl Stage {
    /// Puts the vehicle where it starts.
    pub(super) fn start(start: VehicleStart) -> Rc<Self> {
        let stage = Rc::new_cyclic(|me: &Weak<Self>| {
            let woken = me.clone();
            let alarm = Alarm::new(move || {
                if let Some(stage) = woken.upgrade() {
                    stage.act(Fleet::advance);
                }
            });
            let now = alarm.now();
            Self {
                me: me.clone(),
                alarm,
                vehicle: RefCell::new(Fleet::new(options(&start), now)),
                ports: RefCell::default(),
                clients: RefCell::default(),
                _alive: Interval::new(ALIVE_MS, || super::tell_page(&FromWorker::Alive)),
            }
        });
        super::tell_page(&FromWorker::Alive);
        stage.act(Fleet::advance);
        stage
    }

    /// A console Worker's port; its predecessor's connections are lost with the Worker.
    pub(super) fn meet(&self, from: PortUse, port: MessagePort) {
        let number = from as u8;
        let mut lost = Vec::new();
        self.clients.borrow_mut().lines.retain(|client, (of, _)| {
            let is_lost = *of == number;
            if is_lost {
                lost.push(*client);
            }
            !is_lost
        });
        for client in lost {
            self.act(|vehicle, now| vehicle.disconnect(client, now));
        }
        let weak = self.me.clone();
        let port = Port::new(port, move |bytes| {
            if let Some(stage) = weak.upgrade() {
                stage.heard(number, bytes.as_deref());
            }
        });
        self.ports.borrow_mut().insert(number, port);
    }

    fn heard(&self, port: u8, bytes: Option<&[u8]>) {
        match decode::<LoopMessage>(bytes) {
            Ok(LoopMessage::Open(line)) => {
                let client = {
                    let mut clients = self.clients.borrow_mut();
                    clients.last += 1;
                    let client = ClientId(clients.last);
                    clients.lines.insert(client, (port, line));
                    client
                };
                self.post(port, &LoopMessage::Opened(line));
                self.act(|vehicle, now| vehicle.connect(client, now));
            }
            Ok(LoopMessage::Text(line, text)) => {
                let client = self.clients.borrow().of_line((port, line));
                if let Some(client) = client {
                    self.act(|vehicle, now| vehicle.receive(client, &text, now));
                }
            }
            Ok(LoopMessage::Close(line)) => {
                let client = self.clients.borrow().of_line((port, line));
                if let Some(client) = client {
                    self.clients.borrow_mut().lines.remove(&client);
                    self.act(|vehicle, now| vehicle.disconnect(client, now));
                }
            }
            Ok(LoopMessage::Opened(_) | LoopMessage::Closed(_)) => {}
            Err(error) => js::warn(&format!("to the simulated vehicle: {error}")),
        }
    }

    fn act(&self, what: impl FnOnce(&mut Fleet, Moment)) {
        let now = self.alarm.now();
        let mut vehicle = self.vehicle.borrow_mut();
        what(&mut vehicle, now);
        while let Some(output) = vehicle.poll() {
            if let Output::Frame { client, text } = output {
                let line = self.clients.borrow().lines.get(&client).copied();
                if let Some((port, line)) = line {
                    self.post(port, &LoopMessage::Text(line, text));
                }
            }
        }
        self.alarm.set(vehicle.next_wakeup());
    }

    fn post(&self, port: u8, message: &LoopMessage) {
        if let Some(port) = self.ports.borrow().get(&port) {
            port.post(&encode(message));
        }
    }
}

fn options(start: &VehicleStart) -> Options {
    let kind = match start.profile.vehicle.kind.as_str() {
        "multirotor" => VehicleKind::Multirotor,
        _ => VehicleKind::Sweeper,
    };
    Options {
        kind,
        namespace: start.profile.bridge.namespace.clone(),
        epoch_seconds: js_sys::Date::now() / 1000.0,
        has_levels: true,
        is_logging: false,
        ..Options::default()
    }
}
