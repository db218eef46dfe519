//! Runs a sans-IO machine (pilot, monitor or viewer) in its Worker: gives it messages, socket events and
//! time, and does what it wants done, in order.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::{Rc, Weak};

use wasm_bindgen::JsValue;
use web_sys::MessagePort;

use super::super::few::Few;
use super::super::loopback::{Line, Loopback};
use super::super::port::Port;
use super::super::protocol::{DEMO_URL, PeerMessage, decode, encode};
use super::super::websocket::BrowserSocket;
use super::alarm::Alarm;
use crate::rosbridge::session::{SocketEvent, SocketId, SocketOutput};
use crate::units::Moment;

/// What the driver needs of a machine.
pub(super) trait Machine: 'static {
    /// What it is told.
    type Input;

    /// See the machine's own method.
    fn handle(&mut self, input: Self::Input, now: Moment);
    /// The next thing to do.
    fn poll(&mut self) -> Option<Effect>;
    /// When it wants [`Self::tick`] at the latest.
    fn next_wakeup(&self) -> Moment;
    /// Time has passed.
    fn tick() -> Self::Input;
    /// A socket said something.
    fn socket(socket: SocketId, event: SocketEvent) -> Self::Input;
    /// The other Worker said something; `None` when it means nothing here.
    fn peer(message: PeerMessage) -> Option<Self::Input>;
    /// The other Worker is there, or was replaced; `None` when it means nothing here.
    fn new_peer() -> Option<Self::Input>;
}

/// What a machine wants done.
pub(super) enum Effect {
    Socket(SocketOutput),
    /// As `postMessage` takes it.
    TellPage(JsValue),
    TellPeer(PeerMessage),
}

/// A machine with its sockets and its timer.
pub(super) struct Driver<M: Machine> {
    me: Weak<Self>,
    machine: RefCell<M>,
    alarm: Alarm,
    inbox: RefCell<VecDeque<M::Input>>,
    is_busy: Cell<bool>,
    sockets: RefCell<Few<SocketId, Socket>>,
    loopback: Loopback,
    peer: RefCell<Option<Port>>,
}

enum Socket {
    Browser(BrowserSocket),
    Loop(Line),
}

impl<M: Machine> Driver<M> {
    /// Makes the machine at the beginning of its clock and lets it run.
    pub(super) fn start(make: impl FnOnce(Moment) -> M) -> Rc<Self> {
        let driver = Rc::new_cyclic(|me: &Weak<Self>| {
            let woken = me.clone();
            let alarm = Alarm::new(move || {
                if let Some(driver) = woken.upgrade() {
                    driver.wake();
                }
            });
            Self {
                me: me.clone(),
                machine: RefCell::new(make(alarm.now())),
                alarm,
                inbox: RefCell::default(),
                is_busy: Cell::new(false),
                sockets: RefCell::default(),
                loopback: Loopback::default(),
                peer: RefCell::new(None),
            }
        });
        driver.work();
        driver
    }

    /// Tells the machine something and does what it wants.
    pub(super) fn feed(&self, input: M::Input) {
        self.inbox.borrow_mut().push_back(input);
        self.work();
    }

    /// Takes over the channel to the other Worker and tells it what it must know.
    pub(super) fn meet_peer(&self, port: MessagePort) {
        let weak = self.me.clone();
        let port = Port::new(port, move |bytes| {
            let Some(driver) = weak.upgrade() else {
                return;
            };
            match decode::<PeerMessage>(bytes.as_deref()) {
                Ok(message) => {
                    if let Some(input) = M::peer(message) {
                        driver.feed(input);
                    }
                }
                Err(error) => super::bad_message(&error.to_string()),
            }
        });
        *self.peer.borrow_mut() = Some(port);
        if let Some(input) = M::new_peer() {
            self.feed(input);
        }
    }

    /// The way to the simulated vehicle.
    pub(super) fn loopback(&self) -> &Loopback {
        &self.loopback
    }

    fn wake(&self) {
        if self.alarm.now() >= self.machine.borrow().next_wakeup() {
            self.feed(M::tick());
        } else {
            self.set_alarm();
        }
    }

    /// Works the inbox off. What comes in while an output is being done waits its turn, so that
    /// the outputs of one input stay together.
    fn work(&self) {
        if self.is_busy.replace(true) {
            return;
        }
        loop {
            self.drain();
            let Some(input) = self.inbox.borrow_mut().pop_front() else {
                break;
            };
            let now = self.alarm.now();
            self.machine.borrow_mut().handle(input, now);
        }
        self.is_busy.set(false);
        self.set_alarm();
    }

    fn drain(&self) {
        loop {
            let Some(effect) = self.machine.borrow_mut().poll() else {
                return;
            };
            match effect {
                Effect::Socket(SocketOutput::Open { socket, url }) => self.open(socket, &url),
                Effect::Socket(SocketOutput::Close { socket }) => self.close(socket),
                Effect::Socket(SocketOutput::Send { socket, text }) => self.send(socket, text),
                Effect::TellPage(message) => super::post(&message),
                Effect::TellPeer(message) => self.tell_peer(&message),
            }
        }
    }

    fn set_alarm(&self) {
        self.alarm.set(self.machine.borrow().next_wakeup());
    }

    fn open(&self, id: SocketId, url: &str) {
        let weak = self.me.clone();
        let tell = move |event| {
            if let Some(driver) = weak.upgrade() {
                driver.socket_said(id, event);
            }
        };
        let opened = if url == DEMO_URL {
            self.loopback
                .open(tell)
                .map(Socket::Loop)
                .ok_or(SocketEvent::Closed)
        } else {
            BrowserSocket::open(url, tell)
                .map(Socket::Browser)
                .map_err(SocketEvent::Refused)
        };
        match opened {
            Ok(socket) => {
                self.sockets.borrow_mut().insert(id, socket);
            }
            Err(event) => self.inbox.borrow_mut().push_back(M::socket(id, event)),
        }
    }

    /// After this nothing more is told of the socket.
    fn close(&self, id: SocketId) {
        let socket = self.sockets.borrow_mut().remove(&id);
        drop(socket);
    }

    fn send(&self, id: SocketId, text: String) {
        match self.sockets.borrow().get(&id) {
            Some(Socket::Browser(socket)) => socket.send(text),
            Some(Socket::Loop(line)) => line.send(text),
            // Closed meanwhile; the machine is about to hear it.
            None => {}
        }
    }

    fn socket_said(&self, id: SocketId, event: SocketEvent) {
        if self.sockets.borrow().get(&id).is_none() {
            return;
        }
        if event == SocketEvent::Closed {
            self.close(id);
        }
        self.feed(M::socket(id, event));
    }

    fn tell_peer(&self, message: &PeerMessage) {
        if let Some(peer) = self.peer.borrow().as_ref() {
            peer.post(&encode(message));
        }
    }
}
