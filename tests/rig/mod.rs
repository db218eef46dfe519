//! Pilot, monitor and simulated vehicle around a link that can stall, on virtual time.
//!
//! What a test asserts about motion it reads from the vehicle's own log of what arrived when.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::expect_used,
    clippy::float_cmp,
    reason = "each test file uses its own part of the rig, a test may panic, and zero is zero"
)]

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use broomstick::drive::motor;
use broomstick::drive::settings::Via;
use broomstick::drive::state::{DriveState, PressEnd};
use broomstick::drive::stick::StickInput;
use broomstick::monitor::snapshot::MonitorSnapshot;
use broomstick::monitor::{self, Monitor, MonitorStart};
use broomstick::msgs::geometry::Twist;
use broomstick::msgs::sweeper::McCtrl;
use broomstick::pilot::event::Event;
use broomstick::pilot::intent::{Console, Found, Intent, Lease, Start, Unsettled};
use broomstick::pilot::snapshot::{LinkState, Snapshot};
use broomstick::pilot::wire::{mc_ctrl_message, read_mc_ctrl};
use broomstick::pilot::{self, Pilot};
use broomstick::profile::Profile;
use broomstick::rosbridge::session::{SocketEvent, SocketId, SocketOutput};
use broomstick::units::{Moment, millis};
use broomstick::vehicle::log::{FrameOutcome, LogEntry, LogLine};
use broomstick::vehicle::{self, ClientId, Fleet, Options, RpmType, VehicleKind, VelocityType};
use broomstick::viewer::snapshot::ViewerSnapshot;
use broomstick::viewer::{self, Viewer, ViewerStart};

/// The same rules over McCtrl (rule 19): `tests/motion_rules_by_mc_ctrl.rs`.
pub fn by_mc_ctrl() -> bool {
    module_path!().contains("by_mc_ctrl")
}

/// The same rules for what flies, by its velocity: `tests/motion_rules_by_flight.rs`.
pub fn by_flight() -> bool {
    module_path!().contains("by_flight")
}

const STEP: Duration = Duration::from_millis(1);
const LEASE_PERIOD: Duration = Duration::from_millis(50);
pub const URL: &str = "ws://vehicle:9090";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Control,
    Telemetry,
    Viewer,
}

type Wire = (Side, SocketId);

#[derive(Debug)]
enum Packet {
    Connect(Wire),
    ToServer(Wire, String),
    CloseByClient(Wire),
    ToClient(Wire, SocketEvent),
}

/// The world.
pub struct Rig {
    pub now: Moment,
    pub pilot: Pilot,
    pub monitor: Monitor,
    pub vehicle: Fleet,
    /// The page as it stands: what every lease carries.
    pub lease: Lease,
    /// False: the page hangs.
    pub page_is_alive: bool,
    /// One way.
    pub delay: Duration,
    /// Nothing reaches the server.
    pub hold_up: bool,
    /// Nothing reaches the client.
    pub hold_down: bool,
    /// What contains this does not reach the client.
    pub mute: Option<&'static str>,
    /// The server is off: no connection opens.
    pub server_is_off: bool,
    /// How many control sockets the pilot has asked for.
    pub opened: u32,
    pub snapshot: Snapshot,
    /// How many the pilot told.
    pub snapshots: usize,
    pub monitor_snapshot: MonitorSnapshot,
    /// Only where a test looks at what it shows.
    pub viewer: Option<Viewer>,
    pub viewer_snapshot: ViewerSnapshot,
    pub events: Vec<Event>,
    pub log: Vec<LogLine>,
    /// Every velocity as the pilot handed it to its socket.
    pub sent: Vec<Sent>,
    /// Of the newest lease that carried a finger and was not followed by a release.
    pressed_at: Option<Moment>,
    non_zeros_since_echo: u32,
    beats: VecDeque<(u64, u32)>,
    non_zeros: u32,
    next_lease: Moment,
    presses: u32,
    up: VecDeque<(Moment, Packet)>,
    down: VecDeque<(Moment, Packet)>,
    clients: BTreeMap<Wire, ClientId>,
    next_client: u32,
}

/// A command on the velocity topic, as it arrived.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrival {
    /// Milliseconds since the start.
    pub t: f64,
    pub linear: f64,
    pub angular: f64,
    pub left: f64,
    pub up: f64,
}

/// A velocity as it left the pilot, with what the world was like then.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sent {
    pub at: Moment,
    pub linear: f64,
    pub angular: f64,
    pub left: f64,
    pub up: f64,
    /// How long ago the page last said that a finger drives; `None`: it does not.
    pub pressed_for_lease: Option<Duration>,
    /// Non-zeros sent since the newest heartbeat that came back, this one included.
    pub unechoed: u32,
    /// STOP was latched on the screen.
    pub is_stopped: bool,
    /// The screen said that the motors are off.
    pub are_motors_off: bool,
}

impl Sent {
    pub fn is_zero(&self) -> bool {
        [self.linear, self.angular, self.left, self.up] == [0.0; 4]
    }
}

impl Arrival {
    pub fn is_zero(&self) -> bool {
        [self.linear, self.angular, self.left, self.up] == [0.0; 4]
    }
}

impl Rig {
    pub fn new() -> Self {
        Self::with(Profile::default(), Options::default(), Unsettled::default())
    }

    pub fn with(profile: Profile, options: Options, unsettled: Unsettled) -> Self {
        Self::at(profile, options, unsettled, by_flight())
    }

    /// A multirotor that stands on the ground with its motors off.
    pub fn on_the_ground(profile: Profile, options: Options, unsettled: Unsettled) -> Self {
        Self::at(profile, options, unsettled, false)
    }

    fn at(profile: Profile, options: Options, unsettled: Unsettled, in_the_air: bool) -> Self {
        // A test that says how the vehicle is gives it a seed of its own.
        let options = if by_mc_ctrl() && options.seed == Options::default().seed {
            Options {
                rpm_type: RpmType::Uint16,
                mc_timeout: Some(millis(500)),
                ..options
            }
        } else {
            options
        };
        let mut options = options;
        if by_flight() {
            options.kind = VehicleKind::Multirotor;
        }
        let kind = options.velocity_type;
        let mut vehicle = Fleet::new(options, Moment::START);
        let now = if in_the_air {
            take_off(&mut vehicle, kind)
        } else {
            Moment::START
        };
        Self {
            now,
            pilot: Pilot::new(start(profile.clone(), unsettled), now),
            monitor: Monitor::new(monitor_start(profile), now),
            vehicle,
            lease: Lease::default(),
            page_is_alive: true,
            delay: millis(5),
            hold_up: false,
            hold_down: false,
            mute: None,
            server_is_off: false,
            opened: 0,
            snapshot: Snapshot::default(),
            snapshots: 0,
            monitor_snapshot: MonitorSnapshot::default(),
            viewer: None,
            viewer_snapshot: ViewerSnapshot::default(),
            events: Vec::new(),
            log: Vec::new(),
            sent: Vec::new(),
            pressed_at: None,
            non_zeros_since_echo: 0,
            beats: VecDeque::new(),
            non_zeros: 0,
            next_lease: now,
            presses: 0,
            up: VecDeque::new(),
            down: VecDeque::new(),
            clients: BTreeMap::new(),
            next_client: 0,
        }
    }

    /// Connected, types known, standing seen.
    pub fn online() -> Self {
        Self::online_with(Profile::default(), Options::default())
    }

    pub fn online_with(profile: Profile, options: Options) -> Self {
        let mut rig = Self::with(profile, options, Unsettled::default());
        rig.run(1500);
        assert_eq!(
            rig.snapshot.link.state,
            LinkState::Online,
            "{:?}",
            rig.events
        );
        rig
    }

    /// The viewer looks as well.
    pub fn look(&mut self, namespace: &str) {
        let start = ViewerStart {
            url: URL.into(),
            namespace: namespace.into(),
            ..ViewerStart::default()
        };
        self.viewer = Some(Viewer::new(start, self.now));
        self.drain();
    }

    /// Armed.
    pub fn ready() -> Self {
        let mut rig = Self::online();
        rig.arm();
        rig
    }

    /// A finger drives, `forward` of full deflection.
    pub fn driving(forward: f64) -> Self {
        let mut rig = Self::ready();
        rig.press(forward, 0.0);
        rig.run(1000);
        assert_eq!(
            rig.snapshot.drive.state,
            DriveState::Driving,
            "{:?}",
            rig.snapshot.drive
        );
        rig
    }

    pub fn arm(&mut self) {
        self.intent(Intent::ArmDrive(true));
        self.run(100);
        assert_eq!(
            self.snapshot.drive.state,
            DriveState::Ready,
            "{:?}",
            self.events
        );
    }

    /// Armed tools, brake released as the operator would.
    pub fn arm_tools(&mut self) {
        self.intent(Intent::ArmTools(true));
        self.run(200);
        let mut wanted = self.snapshot.tools.wanted;
        wanted.brake = false;
        self.intent(Intent::Want(wanted));
        self.run(200);
    }

    pub fn intent(&mut self, intent: Intent) {
        let ends_a_press = matches!(
            intent,
            Intent::Release(_) | Intent::Stop | Intent::ArmDrive(false) | Intent::Disconnect
        );
        if ends_a_press {
            self.pressed_at = None;
        }
        self.pilot.handle(pilot::Input::Intent(intent), self.now);
        self.drain();
    }

    /// A new contact in the hub, moved to a deflection.
    pub fn press(&mut self, forward: f64, left: f64) {
        self.presses += 1;
        self.lease.stick = Some(StickInput {
            press: self.presses,
            start_radius: 0.0,
            forward,
            left,
            ..StickInput::default()
        });
        self.lease.pad_touched = true;
        self.lease.touches += 1;
        self.send_lease();
    }

    pub fn move_stick(&mut self, forward: f64, left: f64) {
        let stick = self.lease.stick.as_mut().expect("a press");
        (stick.forward, stick.left) = (forward, left);
    }

    /// The other pad of what flies.
    pub fn move_other(&mut self, up: f64, turn: f64) {
        if let Some(stick) = &mut self.lease.stick {
            (stick.up, stick.turn) = (up, turn);
        }
    }

    /// What the page does when the finger is lifted.
    pub fn lift(&mut self) {
        self.lease.stick = None;
        self.lease.pad_touched = false;
        self.intent(Intent::Release(PressEnd::Lifted));
        self.send_lease();
    }

    /// What the page does when a press ends without the finger being lifted.
    pub fn release(&mut self, why: PressEnd) {
        self.lease.stick = None;
        self.lease.holds = Default::default();
        self.intent(Intent::Release(why));
        self.send_lease();
    }

    pub fn send_lease(&mut self) {
        self.pressed_at = self.lease.stick.map(|_| self.now);
        let lease = Intent::Lease(self.lease);
        self.pilot.handle(pilot::Input::Intent(lease), self.now);
        self.drain();
        self.next_lease = self.now + LEASE_PERIOD;
    }

    /// Lets time pass.
    pub fn run(&mut self, span_ms: u64) {
        let end = self.now + millis(span_ms);
        while self.now < end {
            self.now = self.now + STEP;
            self.step();
        }
    }

    /// Lets time pass until something is true, at most for `limit_ms`.
    pub fn run_until(&mut self, limit_ms: u64, what: &str, mut holds: impl FnMut(&Self) -> bool) {
        for _ in 0..limit_ms {
            if holds(self) {
                return;
            }
            self.run(1);
        }
        panic!("not within {limit_ms} ms: {what}; {:?}", self.events);
    }

    /// The server closes all sockets and opens no more.
    pub fn stop_server(&mut self) {
        self.server_is_off = true;
        self.up.clear();
        let wires: Vec<Wire> = self.clients.keys().copied().collect();
        for wire in wires {
            let client = self.clients.remove(&wire).expect("a client");
            self.vehicle.disconnect(client, self.now);
            self.send_to_client(wire, SocketEvent::Closed);
        }
    }

    pub fn start_server(&mut self) {
        self.server_is_off = false;
    }

    /// Another client of the same rosbridge publishes.
    pub fn foreign(&mut self, topic: &str, message: &impl serde::Serialize) {
        let message = serde_json::to_value(message).expect("a message");
        self.foreign_says(&broomstick::rosbridge::frame::publish(topic, &message));
    }

    fn foreign_says(&mut self, text: &str) {
        let client = ClientId(9_999);
        if !self
            .log
            .iter()
            .any(|line| line.entry == LogEntry::Connect { client: client.0 })
        {
            self.vehicle.connect(client, self.now);
        }
        self.vehicle.receive(client, text, self.now);
        self.drain();
    }

    /// Another client calls the motors of a multirotor.
    pub fn foreign_motors(&mut self, is_on: bool) {
        self.foreign_says(&broomstick::rosbridge::frame::call(
            "/motors",
            &serde_json::json!({ "data": is_on }),
        ));
    }

    pub fn foreign_twist(&mut self, linear: f64) {
        if by_mc_ctrl() {
            let rpm = motor::rpm_of(linear, &Profile::default().drive);
            let message = McCtrl {
                brake: 0,
                gear: if linear < 0.0 { 2 } else { 1 },
                rpm: rpm as u16,
                ..McCtrl::SAFE
            };
            let wire = mc_ctrl_message(&message, &Found::NoAnswer);
            return self.foreign("/auto_mc_ctrl", &wire);
        }
        self.foreign("/cmd_vel", &Twist::planar(linear, 0.0));
    }

    /// A text frame from the server on the control socket.
    pub fn server_says(&mut self, text: &str) {
        let wires: Vec<Wire> = self.clients.keys().copied().collect();
        for wire in wires {
            self.send_to_client(wire, SocketEvent::Text(text.to_owned()));
        }
    }

    /// Replaces the pilot as the page does when its Worker died or the page was reloaded.
    pub fn replace_pilot(&mut self, mut change: impl FnMut(&mut Start)) {
        let mut begin = start(Profile::default(), self.snapshot.unsettled.clone());
        begin.replaces_another = true;
        begin.stopped = self.snapshot.stop.is_some();
        change(&mut begin);
        // Its sockets die with it.
        let wires: Vec<Wire> = self
            .clients
            .keys()
            .copied()
            .filter(|(side, _)| *side == Side::Control)
            .collect();
        for wire in wires {
            let client = self.clients.remove(&wire).expect("a client");
            self.vehicle.disconnect(client, self.now);
        }
        self.up
            .retain(|(_, packet)| !matches!(packet, Packet::ToServer((Side::Control, _), _)));
        self.down
            .retain(|(_, packet)| !matches!(packet, Packet::ToClient((Side::Control, _), _)));
        begin.unix_ms_at_start += self.now.as_millis();
        self.pilot = Pilot::new(begin, self.now);
        self.monitor.handle(monitor::Input::NewPilot, self.now);
        self.drain();
    }

    /// Every velocity that reached the vehicle from this console.
    pub fn arrivals(&self) -> Vec<Arrival> {
        if by_mc_ctrl() {
            return self.mc_arrivals().into_iter().map(driven).collect();
        }
        self.published("/cmd_vel")
            .into_iter()
            .map(|(t, msg)| {
                let msg = msg.get("twist").unwrap_or(&msg).clone();
                let twist: Twist = serde_json::from_value(msg).expect("a twist");
                Arrival {
                    t,
                    linear: twist.linear.x,
                    angular: twist.angular.z,
                    left: twist.linear.y,
                    up: twist.linear.z,
                }
            })
            .collect()
    }

    /// Those since a moment.
    pub fn arrivals_since(&self, since: Moment) -> Vec<Arrival> {
        self.arrivals()
            .into_iter()
            .filter(|a| a.t >= since.as_millis() - 0.01)
            .collect()
    }

    /// Every McCtrl that reached the vehicle from this console.
    pub fn mc_arrivals(&self) -> Vec<(f64, McCtrl)> {
        self.published("/auto_mc_ctrl")
            .into_iter()
            .map(|(t, msg)| (t, read_mc_ctrl(&msg).expect("a McCtrl")))
            .collect()
    }

    pub fn mc_since(&self, since: Moment) -> Vec<McCtrl> {
        let since = since.as_millis() - 0.01;
        self.mc_arrivals()
            .into_iter()
            .filter(|(t, _)| *t >= since)
            .map(|(_, m)| m)
            .collect()
    }

    /// Frames the vehicle's bridge dropped, with the reason.
    pub fn dropped(&self) -> Vec<String> {
        self.log
            .iter()
            .filter_map(|line| match &line.entry {
                LogEntry::Frame {
                    outcome: FrameOutcome::Dropped,
                    reason,
                    topic,
                    op,
                    ..
                } => Some(format!("{op:?} {topic:?}: {reason:?}")),
                _ => None,
            })
            .collect()
    }

    pub fn speed(&self) -> f64 {
        if let Some(body) = self.vehicle.multirotor("/") {
            let v = body.flight().velocity;
            return v.x.hypot(v.y);
        }
        self.vehicle.state().speed
    }

    fn published(&self, wanted: &str) -> Vec<(f64, serde_json::Value)> {
        self.log
            .iter()
            .filter_map(|line| match &line.entry {
                LogEntry::Frame {
                    client,
                    op: Some(op),
                    topic: Some(topic),
                    msg: Some(msg),
                    outcome: FrameOutcome::Published,
                    ..
                } if op == "publish" && topic == wanted && *client != 9_999 => {
                    Some((line.t, msg.clone()))
                }
                _ => None,
            })
            .collect()
    }

    fn step(&mut self) {
        if !self.hold_up {
            while self.up.front().is_some_and(|(due, _)| *due <= self.now) {
                let (_, packet) = self.up.pop_front().expect("a packet");
                self.at_server(packet);
            }
        }
        if self.now >= self.vehicle.next_wakeup() {
            self.vehicle.advance(self.now);
        }
        self.drain();
        if !self.hold_down {
            while self.down.front().is_some_and(|(due, _)| *due <= self.now) {
                let (_, packet) = self.down.pop_front().expect("a packet");
                self.at_client(packet);
            }
        }
        if self.page_is_alive && self.now >= self.next_lease {
            self.send_lease();
        }
        if self.now >= self.pilot.next_wakeup() {
            self.pilot.handle(pilot::Input::Tick, self.now);
        }
        if self.now >= self.monitor.next_wakeup() {
            self.monitor.handle(monitor::Input::Tick, self.now);
        }
        if let Some(viewer) = &mut self.viewer
            && self.now >= viewer.next_wakeup()
        {
            viewer.handle(viewer::Input::Tick, self.now);
        }
        self.drain();
    }

    fn at_server(&mut self, packet: Packet) {
        match packet {
            Packet::Connect(_) if self.server_is_off => {}
            Packet::Connect(wire) => {
                self.next_client += 1;
                let client = ClientId(self.next_client);
                self.clients.insert(wire, client);
                self.vehicle.connect(client, self.now);
                self.send_to_client(wire, SocketEvent::Opened);
            }
            Packet::ToServer(wire, text) => {
                if let Some(client) = self.clients.get(&wire) {
                    self.vehicle.receive(*client, &text, self.now);
                }
            }
            Packet::CloseByClient(wire) => {
                if let Some(client) = self.clients.remove(&wire) {
                    self.vehicle.disconnect(client, self.now);
                }
            }
            Packet::ToClient(..) => unreachable!("this way goes up"),
        }
    }

    fn at_client(&mut self, packet: Packet) {
        let Packet::ToClient((side, socket), event) = packet else {
            return;
        };
        if let (Some(muted), SocketEvent::Text(text)) = (self.mute, &event)
            && text.contains(muted)
        {
            return;
        }
        if let (Side::Control, SocketEvent::Text(text)) = (side, &event) {
            self.note_echo(text);
        }
        match side {
            Side::Control => self
                .pilot
                .handle(pilot::Input::Socket(socket, event), self.now),
            Side::Telemetry => self
                .monitor
                .handle(monitor::Input::Socket(socket, event), self.now),
            Side::Viewer => {
                if let Some(viewer) = &mut self.viewer {
                    viewer.handle(viewer::Input::Socket(socket, event), self.now);
                }
            }
        }
        self.drain();
    }

    fn send_to_client(&mut self, wire: Wire, event: SocketEvent) {
        self.down
            .push_back((self.now + self.delay, Packet::ToClient(wire, event)));
    }

    fn send_to_server(&mut self, packet: Packet) {
        self.up.push_back((self.now + self.delay, packet));
    }

    fn drain(&mut self) {
        loop {
            let mut is_quiet = true;
            while let Some(output) = self.pilot.poll() {
                is_quiet = false;
                self.on_pilot(output);
            }
            while let Some(output) = self.monitor.poll() {
                is_quiet = false;
                self.on_monitor(output);
            }
            while let Some(output) = self.viewer.as_mut().and_then(Viewer::poll) {
                is_quiet = false;
                self.on_viewer(output);
            }
            while let Some(output) = self.vehicle.poll() {
                match output {
                    // Nobody in the rig asks for binary frames.
                    vehicle::Output::Binary { .. } => {}
                    vehicle::Output::Log(line) => self.log.push(line),
                    vehicle::Output::Frame { client, text } => {
                        let wire = self.clients.iter().find(|(_, c)| **c == client);
                        if let Some((wire, _)) = wire {
                            self.send_to_client(*wire, SocketEvent::Text(text));
                        }
                    }
                }
            }
            if is_quiet {
                return;
            }
        }
    }

    fn on_pilot(&mut self, output: pilot::Output) {
        use pilot::Output;
        match output {
            Output::Socket(SocketOutput::Open { socket, .. }) => {
                self.opened += 1;
                self.send_to_server(Packet::Connect((Side::Control, socket)));
            }
            Output::Socket(SocketOutput::Close { socket }) => {
                self.send_to_server(Packet::CloseByClient((Side::Control, socket)));
            }
            Output::Socket(SocketOutput::Send { socket, text }) => {
                self.note_sent(&text);
                self.send_to_server(Packet::ToServer((Side::Control, socket), text));
            }
            Output::SendViaTelemetry { text } => {
                self.monitor.handle(monitor::Input::Forward(text), self.now);
            }
            Output::Commanded(speed) => {
                self.monitor
                    .handle(monitor::Input::Commanded(speed), self.now);
            }
            Output::Snapshot(snapshot) => {
                self.snapshot = *snapshot;
                self.snapshots += 1;
            }
            Output::Event(event) => self.events.push(event),
        }
    }

    fn note_sent(&mut self, text: &str) {
        let frame: serde_json::Value = serde_json::from_str(text).expect("valid JSON");
        if frame["op"] != "publish" {
            return;
        }
        if let Some(seq) = heartbeat_seq(&frame) {
            self.beats.push_back((seq, self.non_zeros));
        }
        if frame["topic"] != "/cmd_vel" {
            return;
        }
        let msg = &frame["msg"];
        let twist = msg.get("twist").unwrap_or(msg).clone();
        let twist: Twist = serde_json::from_value(twist).expect("a twist");
        let mut sent = Sent {
            at: self.now,
            linear: twist.linear.x,
            angular: twist.angular.z,
            left: twist.linear.y,
            up: twist.linear.z,
            pressed_for_lease: self.pressed_at.map(|at| self.now.since(at)),
            unechoed: 0,
            is_stopped: self.snapshot.stop.is_some(),
            are_motors_off: self.snapshot.drive.motors == Some(false),
        };
        if !sent.is_zero() {
            self.non_zeros += 1;
            self.non_zeros_since_echo += 1;
            sent.unechoed = self.non_zeros_since_echo;
        }
        self.sent.push(sent);
    }

    fn note_echo(&mut self, text: &str) {
        let Ok(frame) = serde_json::from_str(text) else {
            return;
        };
        let Some(seq) = heartbeat_seq(&frame) else {
            return;
        };
        while let Some((beat, non_zeros)) = self.beats.front().copied()
            && beat <= seq
        {
            self.beats.pop_front();
            self.non_zeros_since_echo = self.non_zeros - non_zeros;
        }
    }

    fn on_viewer(&mut self, output: viewer::Output) {
        use viewer::Output;
        match output {
            Output::Socket(SocketOutput::Open { socket, .. }) => {
                self.send_to_server(Packet::Connect((Side::Viewer, socket)));
            }
            Output::Socket(SocketOutput::Close { socket }) => {
                self.send_to_server(Packet::CloseByClient((Side::Viewer, socket)));
            }
            Output::Socket(SocketOutput::Send { socket, text }) => {
                self.send_to_server(Packet::ToServer((Side::Viewer, socket), text));
            }
            Output::Snapshot(snapshot) => self.viewer_snapshot = *snapshot,
            Output::Picture { .. }
            | Output::Survey(_)
            | Output::Work(_)
            | Output::Keep(_)
            | Output::File { .. } => {}
        }
    }

    fn on_monitor(&mut self, output: monitor::Output) {
        use monitor::Output;
        match output {
            Output::Socket(SocketOutput::Open { socket, .. }) => {
                self.send_to_server(Packet::Connect((Side::Telemetry, socket)));
            }
            Output::Socket(SocketOutput::Close { socket }) => {
                self.send_to_server(Packet::CloseByClient((Side::Telemetry, socket)));
            }
            Output::Socket(SocketOutput::Send { socket, text }) => {
                self.send_to_server(Packet::ToServer((Side::Telemetry, socket), text));
            }
            Output::Fact(fact) => self.pilot.handle(pilot::Input::Fact(fact), self.now),
            Output::Snapshot(snapshot) => self.monitor_snapshot = *snapshot,
            Output::Event(event) => self.events.push(event),
        }
    }
}

fn heartbeat_seq(frame: &serde_json::Value) -> Option<u64> {
    if frame["topic"] != "/console/heartbeat" {
        return None;
    }
    let beat: serde_json::Value = serde_json::from_str(frame["msg"]["data"].as_str()?).ok()?;
    (beat["console"] == "c1").then(|| beat["seq"].as_u64())?
}

/// What a McCtrl makes the vehicle do.
fn driven((t, message): (f64, McCtrl)) -> Arrival {
    let settings = Profile::default().drive;
    let speed = motor::speed_of(f64::from(message.rpm), &settings);
    let linear = match message.gear {
        1 => speed,
        2 => -speed,
        _ => 0.0,
    };
    let angle = f64::from(message.angle).to_radians();
    Arrival {
        t,
        linear,
        angular: linear * angle.tan() / settings.wheelbase.0,
        left: 0.0,
        up: 0.0,
    }
}

/// Starts the motors and hovers a few metres above the ground, before any console is there.
pub fn take_off(vehicle: &mut Fleet, kind: VelocityType) -> Moment {
    let client = ClientId(9_998);
    let mut now = Moment::START;
    vehicle.connect(client, now);
    let call = r#"{"op":"call_service","service":"/motors","args":{"data":true}}"#;
    vehicle.receive(client, call, now);
    for tick in 0..160_u32 {
        let mut twist = Twist::default();
        twist.linear.z = if tick < 60 { 1.0 } else { 0.0 };
        if tick < 65 {
            let mut message = serde_json::to_value(twist).expect("a message");
            if kind == VelocityType::TwistStamped {
                let header = serde_json::json!({"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""});
                message = serde_json::json!({"header": header, "twist": message});
            }
            let text = broomstick::rosbridge::frame::publish("/cmd_vel", &message);
            vehicle.receive(client, &text, now);
        }
        let end = now + millis(50);
        while now < end {
            now = vehicle.next_wakeup().clamp(now + STEP, end);
            vehicle.advance(now);
        }
        while vehicle.poll().is_some() {}
    }
    vehicle.disconnect(client, now);
    let body = vehicle.multirotor("/").expect("a multirotor");
    assert!(body.has_motors_on() && !body.is_landed());
    now
}

fn start(mut profile: Profile, unsettled: Unsettled) -> Start {
    if by_mc_ctrl() {
        profile.drive.via = Via::McCtrl;
    }
    if by_flight() {
        profile.take_kind("multirotor");
    }
    Start {
        profile,
        url: URL.into(),
        console: Console {
            id: "c1".into(),
            name: "Tablet 1".into(),
            former_ids: Vec::new(),
        },
        unsettled,
        unix_ms_at_start: 1_796_000_000_000.0,
        ..Start::default()
    }
}

fn monitor_start(mut profile: Profile) -> MonitorStart {
    if by_flight() {
        profile.take_kind("multirotor");
    }
    MonitorStart {
        profile,
        url: URL.into(),
        console: Console {
            id: "c1".into(),
            ..Console::default()
        },
        unix_ms_at_start: 1_796_000_000_000.0,
    }
}
