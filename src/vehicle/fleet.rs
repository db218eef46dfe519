//! One bridge and the vehicles on it: one, or several under their own namespaces.

use std::collections::VecDeque;
use std::iter;

use super::bridge::{Bridge, BridgeOutput, Outcome, Switch};
use super::craft::{Craft, Item, Outbox};
use super::definition::{self, Definitions};
use super::driving::Driving;
use super::flying::Flying;
use super::graph::{Endpoint, Role};
use super::json::Json;
use super::levels::{Fault, LevelsMode};
use super::log::{FrameOutcome, LogEntry, LogLine};
use super::multirotor::Multirotor;
use super::receiver::VelocityReceiver;
use super::rtk_source::{RtkMode, RtkSource};
use super::{
    ClientId, Equip, LONGEST_PAUSE, Options, Output, PAUSED_LOOK, RpmType, STEP, VehicleKind,
    VehicleState, craft, sensors,
};
use crate::ros::names;
use crate::units::Moment;

/// The node of a vehicle that is alone on its bridge.
const VEHICLE_NODE: &str = "/vehicle";

/// The vehicles behind one bridge.
#[derive(Debug)]
pub struct Fleet {
    bridge: Bridge,
    first: Member,
    others: Vec<Member>,
    start: Moment,
    next_step: Moment,
    /// Since when the simulation stands still, and when that was last looked at.
    paused: Option<(Moment, Moment)>,
    is_logging: bool,
    equipment: Option<Box<dyn Equip>>,
    outputs: VecDeque<Output>,
}

#[derive(Debug)]
struct Member {
    /// The namespace without slashes at its ends, `/` for the root.
    name: String,
    node: String,
    vehicle: Vehicle,
}

impl Member {
    fn new(options: Options, is_alone: bool, now: Moment) -> Self {
        let prefix = names::namespace_prefix(&options.namespace);
        let name = match prefix.trim_matches('/') {
            "" => "/",
            name => name,
        };
        let before = if is_alone { "" } else { prefix.as_str() };
        Self {
            name: name.to_owned(),
            node: [before, VEHICLE_NODE].concat(),
            vehicle: Vehicle::new(options, now),
        }
    }

    fn switches(&self) -> Vec<Switch> {
        let switch = |name| Switch {
            name,
            node: self.node.clone(),
        };
        let names = self.vehicle.craft().switches();
        names.into_iter().map(switch).collect()
    }
}

#[derive(Debug)]
enum Vehicle {
    Driving(Box<Driving>),
    Flying(Box<Flying>),
}

impl Vehicle {
    fn new(options: Options, now: Moment) -> Self {
        match options.kind {
            VehicleKind::Sweeper => Self::Driving(Box::new(Driving::new(options, now))),
            VehicleKind::Multirotor => Self::Flying(Box::new(Flying::new(options, now))),
        }
    }

    fn craft(&self) -> &dyn Craft {
        match self {
            Self::Driving(vehicle) => &**vehicle,
            Self::Flying(vehicle) => &**vehicle,
        }
    }

    fn craft_mut(&mut self) -> &mut dyn Craft {
        match self {
            Self::Driving(vehicle) => &mut **vehicle,
            Self::Flying(vehicle) => &mut **vehicle,
        }
    }

    fn rtk(&mut self) -> &mut RtkSource {
        match self {
            Self::Driving(vehicle) => vehicle.rtk(),
            Self::Flying(vehicle) => vehicle.rtk(),
        }
    }
}

/// Life.
impl Fleet {
    /// One vehicle alone on its bridge, standing at its start; its log counts from `now`.
    #[must_use]
    pub fn new(options: Options, now: Moment) -> Self {
        Self::of(options, Vec::new(), now)
    }

    /// Several vehicles on one bridge, whose time and random numbers are the first one's. Each
    /// should have a namespace of its own: two on one topic both obey what comes there.
    #[must_use]
    pub fn of(first: Options, others: Vec<Options>, now: Moment) -> Self {
        let mut types = definitions(first.rpm_type);
        let is_multirotor = |options: &Options| options.kind == VehicleKind::Multirotor;
        if is_multirotor(&first) || others.iter().any(is_multirotor) {
            for definition in sensors::definitions() {
                types.insert(definition);
            }
        }
        let (epoch, seed) = (first.epoch_seconds, first.seed);
        let is_logging = first.is_logging;
        let is_alone = others.is_empty();
        let join = |options| Member::new(options, is_alone, now);
        let (first, others) = (join(first), others.into_iter().map(join).collect());
        let members = || iter::once(&first).chain(&others);
        let endpoints = members().flat_map(|m| m.vehicle.craft().endpoints(&m.node));
        let switches = members().flat_map(Member::switches);
        let nodes = members().map(|member| member.node.clone());
        let (nodes, endpoints) = (nodes.collect(), endpoints.collect());
        Self {
            bridge: Bridge::new(types, nodes, endpoints, switches.collect(), epoch, seed),
            first,
            others,
            start: now,
            next_step: now + STEP,
            paused: None,
            is_logging,
            equipment: None,
            outputs: VecDeque::new(),
        }
    }

    /// Gives the first vehicle more topics, and the bridge what packs binary frames. The vehicle
    /// inside the page has none of that: its program stays small.
    pub fn equip(&mut self, equipment: Box<dyn Equip>) {
        let end = |(topic, short_type): (String, String)| -> Endpoint {
            craft::endpoint(&self.first.node, &topic, &short_type, Role::Publisher)
        };
        let endpoints = equipment.topics().into_iter().map(end).collect();
        self.bridge
            .equip(endpoints, equipment.definitions(), equipment.packer());
        self.equipment = Some(equipment);
    }

    /// A client's socket opened.
    pub fn connect(&mut self, client: ClientId, now: Moment) {
        self.advance(now);
        self.log(now, None, LogEntry::Connect { client: client.0 });
        self.bridge.connect(client, now);
        self.drain_bridge(now);
    }

    /// A client's socket closed, however. No stop is published for it.
    pub fn disconnect(&mut self, client: ClientId, now: Moment) {
        self.advance(now);
        self.log(now, None, LogEntry::Disconnect { client: client.0 });
        self.bridge.disconnect(client, now);
        self.drain_bridge(now);
    }

    /// A text frame of a client.
    pub fn receive(&mut self, client: ClientId, text: &str, now: Moment) {
        self.advance(now);
        self.bridge.receive(client, text, now);
        self.drain_bridge(now);
    }

    /// Lets time pass up to `now`.
    pub fn advance(&mut self, now: Moment) {
        if let Some((since, _)) = self.paused {
            self.paused = Some((since, now));
            self.bridge.advance(now);
            self.drain_bridge(now);
            return;
        }
        if now.since(self.next_step) > LONGEST_PAUSE {
            self.next_step = self.next_step + now.since(self.next_step);
            for member in self.members_mut() {
                member.vehicle.craft_mut().skip_to(now);
            }
        }
        while self.next_step <= now {
            let at = self.next_step;
            self.each(at, |craft, out| craft.step(out));
            self.drain_bridge(at);
            self.next_step = at + STEP;
        }
        self.each(now, |craft, out| craft.settle(out));
        self.publish_equipment(now);
        self.bridge.advance(now);
        self.drain_bridge(now);
    }

    /// When [`Self::advance`] has something to say next.
    #[must_use]
    pub fn next_wakeup(&self) -> Moment {
        if let Some((_, seen)) = self.paused {
            let bridge = self.bridge.next_wakeup();
            return bridge.into_iter().fold(seen + PAUSED_LOOK, Moment::min);
        }
        let of = |member: &Member| member.vehicle.craft().next_wakeup();
        let others = self.others.iter().map(of);
        let inside = others.fold(of(&self.first), Moment::min);
        // What happens inside a vehicle happens at its steps.
        let steps = inside
            .since(self.next_step)
            .as_nanos()
            .div_ceil(STEP.as_nanos());
        let inside = self.next_step + STEP * u32::try_from(steps).unwrap_or(u32::MAX);
        let equipment = self.equipment.as_ref().and_then(|e| e.next_wakeup());
        self.bridge
            .next_wakeup()
            .into_iter()
            .chain(equipment)
            .fold(inside, Moment::min)
    }

    /// The next output.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }
}

/// What is true, and what can be made to go wrong.
impl Fleet {
    /// The truth about the first vehicle, as of the last step.
    #[must_use]
    pub fn state(&self) -> VehicleState {
        self.first.vehicle.craft().state()
    }

    /// The first vehicle's velocity component.
    #[must_use]
    pub fn receiver(&self) -> &VelocityReceiver {
        self.first.vehicle.craft().receiver()
    }

    /// The body of the multirotor of that name: its namespace without slashes at the ends, `/` for
    /// the root.
    #[must_use]
    pub fn multirotor(&self, name: &str) -> Option<&Multirotor> {
        let is_it = |member: &&Member| member.name == name;
        let mut members = iter::once(&self.first).chain(&self.others);
        match &members.find(is_it)?.vehicle {
            Vehicle::Flying(vehicle) => Some(vehicle.body()),
            Vehicle::Driving(_) => None,
        }
    }

    /// Makes the RTK receivers good or faulty.
    pub fn set_rtk_mode(&mut self, mode: RtkMode) {
        for member in self.members_mut() {
            member.vehicle.rtk().set_mode(mode);
        }
    }

    /// Sets the qualities of position and heading (4 is fixed).
    pub fn set_rtk_quality(&mut self, position: i32, heading: i32) {
        for member in self.members_mut() {
            member.vehicle.rtk().set_quality(position, heading);
        }
    }

    /// Makes the levels' topics good or faulty.
    pub fn set_levels_mode(&mut self, mode: LevelsMode) {
        for member in self.members_mut() {
            match &mut member.vehicle {
                Vehicle::Driving(vehicle) => vehicle.set_levels_mode(mode),
                Vehicle::Flying(vehicle) => vehicle.set_levels_mode(mode),
            }
        }
    }

    /// Fills tanks and battery to so much, 0 … 1; what is none stays as it is.
    pub fn fill(&mut self, clean: Option<f64>, dirty: Option<f64>, battery: Option<f64>) {
        for member in self.members_mut() {
            match &mut member.vehicle {
                Vehicle::Driving(vehicle) => vehicle.fill(clean, dirty, battery),
                Vehicle::Flying(vehicle) => vehicle.fill(battery),
            }
        }
    }

    /// Provokes a fault in every vehicle that has it; none: all is well again, tanks and batteries
    /// are as at the start.
    pub fn provoke(&mut self, fault: Option<Fault>) {
        for member in self.members_mut() {
            match &mut member.vehicle {
                Vehicle::Driving(vehicle) => vehicle.provoke(fault),
                Vehicle::Flying(vehicle) => vehicle.provoke(fault),
            }
        }
    }

    /// Sends a text as it is to every client: what a broken or hostile server might send.
    pub fn send_raw(&mut self, text: &str) {
        let clients: Vec<ClientId> = self.bridge.clients().collect();
        for client in clients {
            self.outputs.push_back(Output::Frame {
                client,
                text: text.to_owned(),
            });
        }
    }
}

/// Time.
impl Fleet {
    /// Lets each vehicle do something, one after the other, and does what it puts out.
    fn each(&mut self, now: Moment, mut act: impl FnMut(&mut dyn Craft, &mut Outbox)) {
        for place in 0..=self.others.len() {
            let mut out = self.outbox(now);
            let member = match place.checked_sub(1) {
                None => &mut self.first,
                Some(place) => match self.others.get_mut(place) {
                    Some(member) => member,
                    None => return,
                },
            };
            act(member.vehicle.craft_mut(), &mut out);
            let name = member.name.clone();
            while let Some(item) = out.next() {
                self.put_out(item, &name, now);
            }
        }
    }

    fn members_mut(&mut self) -> impl Iterator<Item = &mut Member> {
        iter::once(&mut self.first).chain(&mut self.others)
    }

    fn outbox(&self, now: Moment) -> Outbox {
        Outbox::new(now, self.bridge.ros_time(now), self.is_logging)
    }

    fn put_out(&mut self, item: Item, vehicle: &str, now: Moment) {
        match item {
            Item::Message(topic, message) => self.bridge.publish(&topic, &message, now),
            Item::Broken(topic, message) => {
                self.bridge.publish_with_bare_tokens(&topic, &message, now);
            }
            Item::Log(entry) => self.log(now, Some(vehicle), entry),
        }
    }

    /// The simulation stands still, or goes on where it was: no clock of a vehicle has run.
    fn pause(&mut self, is_paused: bool, now: Moment) {
        match (self.paused, is_paused) {
            (None, true) => self.paused = Some((now, now)),
            (Some((since, _)), false) => {
                let pause = now.since(since);
                self.paused = None;
                self.next_step = self.next_step + pause;
                for member in self.members_mut() {
                    member.vehicle.craft_mut().resume(pause);
                }
            }
            _ => return,
        }
        let event = if is_paused { "paused" } else { "resumed" };
        self.each(now, |_, out| out.event(event, None));
    }

    fn publish_equipment(&mut self, now: Moment) {
        let Some(mut equipment) = self.equipment.take() else {
            return;
        };
        let (state, time) = (self.state(), self.bridge.ros_time(now));
        for (topic, message) in equipment.due(&state, time, now) {
            self.bridge.publish(&topic, &message, now);
        }
        self.equipment = Some(equipment);
    }
}

/// Commands.
impl Fleet {
    fn drain_bridge(&mut self, now: Moment) {
        while let Some(output) = self.bridge.poll() {
            match output {
                BridgeOutput::Frame { client, text } => {
                    self.outputs.push_back(Output::Frame { client, text });
                }
                BridgeOutput::Binary { client, bytes } => {
                    self.outputs.push_back(Output::Binary { client, bytes });
                }
                BridgeOutput::Pause(is_paused) => self.pause(is_paused, now),
                BridgeOutput::Message { topic, message } => self.obey(&topic, &message, now),
                BridgeOutput::Switch { call, is_on } => {
                    let values = self.switch(&call.service, is_on, now);
                    self.bridge.answer(call, values, now);
                }
                BridgeOutput::Handled(handled) => {
                    let (outcome, reason) = match handled.outcome {
                        Outcome::Published => (FrameOutcome::Published, None),
                        Outcome::Done => (FrameOutcome::Done, None),
                        Outcome::Dropped(reason) => (FrameOutcome::Dropped, Some(reason)),
                    };
                    let msg = handled.message.as_ref().map(Json::to_serde);
                    let (client, op, topic) = (handled.client.0, handled.op, handled.name);
                    let entry = LogEntry::Frame {
                        client,
                        op,
                        topic,
                        msg,
                        outcome,
                        reason,
                    };
                    self.log(now, None, entry);
                }
            }
        }
    }

    fn obey(&mut self, topic: &str, message: &Json, now: Moment) {
        // While the simulation stands still, so does its clock.
        let now = self.paused.map_or(now, |(since, _)| since);
        self.each(now, |craft, out| craft.obey(topic, message, out));
    }

    /// What a `SetBool` answers.
    fn switch(&mut self, service: &str, is_on: bool, now: Moment) -> Json {
        let now = self.paused.map_or(now, |(since, _)| since);
        let mut answer = Ok(());
        self.each(now, |craft, out| {
            if let Some(done) = craft.switch(service, is_on, out) {
                answer = done;
            }
        });
        Json::object([
            ("success", Json::Bool(answer.is_ok())),
            ("message", answer.err().unwrap_or_default().into()),
        ])
    }

    fn log(&mut self, now: Moment, vehicle: Option<&str>, entry: LogEntry) {
        if self.is_logging {
            let t = now.since(self.start).as_secs_f64() * 1000.0;
            self.outputs.push_back(Output::Log(LogLine {
                t,
                vehicle: vehicle.map(str::to_owned),
                entry,
            }));
        }
    }
}

fn definitions(rpm_type: RpmType) -> Definitions {
    let name = match rpm_type {
        RpmType::Uint8 => "uint8",
        RpmType::Uint16 => "uint16",
        RpmType::Float32 => "float32",
    };
    definition::on_board(name).unwrap_or_default()
}
