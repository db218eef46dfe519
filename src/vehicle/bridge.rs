//! The server side of rosbridge, as the Humble release has it, without sockets and clocks.
//!
//! Frames of clients go in, frames to clients and messages for the vehicle come out. What the
//! real server does silently is done silently here: a publish with one wrong field is dropped
//! whole, and the only sign of it is a line on `/rosout`.
//!
//! # Where it differs on purpose
//!
//! - Nothing takes time: no threads, no discovery, an echo leaves in the same call.
//! - CBOR and CDR need a [`Packer`]; without one (the vehicle inside the page) nothing is
//!   delivered to who asks for them. A frame is cut by `fragment_size` only, not by its being
//!   over 10 MB: nothing here is that large. The log line about a picture that cannot be sent
//!   does not contain the picture.
//! - Incoming `fragment`, services and actions of clients (`advertise_service`,
//!   `send_action_goal` …) are recognised and do nothing; the log says so.
//! - rosapi has the services that a client needs to discover the vehicle and those that are known
//!   to hang it; parameters do not exist.
//! - A client whose inbound side is dead leaves the graph when it disconnects; the real server
//!   keeps its ghost.
//! - After a malformed frame the real server searches ever longer leftovers; here a connection
//!   whose leftover exceeds [`LEFTOVER_LIMIT`] is deaf, which comes to the same.
//! - `/connected_clients` and `/parameter_events` do not exist, `/client_count` has one publisher.
//! - Files and lines in `/rosout` messages are not the real ones.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::iter;
use std::time::Duration;

use super::ClientId;
use super::convert;
use super::definition::{Arity, Definition, Definitions, Kind, names};
use super::graph::{Endpoint, Graph, Keep, ROSBRIDGE_NODE, Role, absolute, name_fault};
use super::json::Json;
use super::rosapi::{self, Answer, ServiceError, Surroundings};
use super::subscription::{Pace, Packing, Subscription};
use crate::msgs::std_msgs::Time;
use crate::ros::time;
use crate::units::Moment;

/// More unreadable text than this, and the connection hears nothing any more.
pub const LEFTOVER_LIMIT: usize = 256 * 1024;

/// How long a line of `/rosout` waits for late subscribers, and how many do.
const ROSOUT_LIFESPAN: Duration = Duration::from_secs(10);
const ROSOUT_KEEPS: usize = 1000;

const ROSOUT: &str = "/rosout";
const CLIENT_COUNT: &str = "/client_count";

const OPERATIONS: [&str; 16] = [
    "advertise",
    "unadvertise",
    "publish",
    "subscribe",
    "unsubscribe",
    "fragment",
    "advertise_service",
    "call_service",
    "service_response",
    "unadvertise_service",
    "advertise_action",
    "action_feedback",
    "action_result",
    "send_action_goal",
    "cancel_action_goal",
    "unadvertise_action",
];

/// What the bridge wants done, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum BridgeOutput {
    /// The simulation is to stand still, or to go on.
    Pause(bool),
    /// A text frame for a client.
    Frame {
        /// Whose.
        client: ClientId,
        /// The frame.
        text: String,
    },
    /// A binary frame for a client.
    Binary {
        /// Whose.
        client: ClientId,
        /// The frame.
        bytes: Vec<u8>,
    },
    /// A message of a client, complete and converted, on a topic that a vehicle subscribes.
    Message {
        /// The absolute name.
        topic: String,
        /// The message.
        message: Json,
    },
    /// What became of a frame, for the log.
    Handled(Handled),
    /// A vehicle's service is called; [`Bridge::answer`] sends what it answers.
    Switch {
        /// Who called what.
        call: Call,
        /// The `data` of the call.
        is_on: bool,
    },
}

/// A service of `std_srvs/srv/SetBool` that a vehicle offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    /// The absolute name.
    pub name: String,
    /// The node that offers it.
    pub node: String,
}

/// A call that waits for its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The absolute name.
    pub service: String,
    client: ClientId,
    /// The name as the client wrote it.
    written: String,
    id: Option<Json>,
}

/// What became of one operation of a client.
#[derive(Debug, Clone, PartialEq)]
pub struct Handled {
    /// Whose.
    pub client: ClientId,
    /// The operation, if the frame named one.
    pub op: Option<String>,
    /// The topic or service, as the client wrote it.
    pub name: Option<String>,
    /// The message as it was published, else as it was sent.
    pub message: Option<Json>,
    /// Done, or dropped and why.
    pub outcome: Outcome,
}

/// Packs samples into binary frames: definitions, packing, the short type, the topic, the message
/// and the time. An error is the exception that the server's log line mentions.
pub type Packer =
    fn(&Definitions, Packing, &str, &str, &Json, Time) -> Result<Vec<u8>, &'static str>;

/// Whether the server did what a client wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The message was published.
    Published,
    /// Another operation was done.
    Done,
    /// Nothing happened, for this reason; the client is not told.
    Dropped(String),
}

/// The server.
#[derive(Debug)]
pub struct Bridge {
    definitions: Definitions,
    graph: Graph,
    vehicle_nodes: Vec<String>,
    switches: Vec<Switch>,
    clients: BTreeMap<ClientId, Client>,
    is_rosapi_alive: bool,
    epoch_seconds: f64,
    random: fastrand::Rng,
    packer: Option<Packer>,
    outputs: VecDeque<BridgeOutput>,
}

/// Whether what a client sends is still worked on.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Inbound {
    Alive,
    /// The thread ended on a frame that it cannot stand.
    Dead,
    /// The thread waits for an answer that never comes.
    Waiting,
}

#[derive(Debug)]
struct Client {
    uuid: String,
    inbound: Inbound,
    leftover: String,
    last_leftover: String,
    /// Longer frames are cut; 0: none are.
    fragment_size: usize,
    subscriptions: BTreeMap<String, Subscription>,
    advertised: BTreeMap<String, BTreeSet<Option<String>>>,
}

/// How a search through unreadable text ended.
enum Found {
    Operation { message: Json, end: usize },
    WithoutOperation(Json),
    Nothing,
}

impl Bridge {
    /// A server beside vehicles with these types, nodes, ends of topics and services. At
    /// [`Moment::START`] of the caller's clock it is `epoch_seconds` of ROS time.
    #[must_use]
    pub fn new(
        definitions: Definitions,
        vehicle_nodes: Vec<String>,
        mut endpoints: Vec<Endpoint>,
        switches: Vec<Switch>,
        epoch_seconds: f64,
        seed: u64,
    ) -> Self {
        endpoints.push(Endpoint {
            topic: CLIENT_COUNT.to_owned(),
            short_type: names::INT32.to_owned(),
            role: Role::Publisher,
            node: ROSBRIDGE_NODE.to_owned(),
            keeps: 1,
            lifespan: None,
        });
        let vehicles = vehicle_nodes.iter().map(String::as_str);
        let nodes = iter::once(ROSBRIDGE_NODE).chain(vehicles);
        for node in nodes.chain(iter::once("/rosapi")) {
            endpoints.push(Endpoint {
                topic: ROSOUT.to_owned(),
                short_type: names::LOG.to_owned(),
                role: Role::Publisher,
                node: node.to_owned(),
                keeps: ROSOUT_KEEPS,
                lifespan: Some(ROSOUT_LIFESPAN),
            });
        }
        Self {
            definitions,
            graph: Graph::new(endpoints),
            vehicle_nodes,
            switches,
            clients: BTreeMap::new(),
            is_rosapi_alive: true,
            epoch_seconds,
            random: fastrand::Rng::with_seed(seed),
            packer: None,
            outputs: VecDeque::new(),
        }
    }

    /// A client's socket opened.
    pub fn connect(&mut self, client: ClientId, now: Moment) {
        let uuid = self.uuid();
        self.clients.insert(
            client,
            Client {
                uuid,
                inbound: Inbound::Alive,
                leftover: String::new(),
                last_leftover: String::new(),
                fragment_size: 0,
                subscriptions: BTreeMap::new(),
                advertised: BTreeMap::new(),
            },
        );
        let count = self.clients.len();
        self.rosout(
            Level::Info,
            &format!("Client connected. {count} clients total."),
            now,
        );
        self.publish_client_count(now);
    }

    /// A client's socket closed, however. Nothing is published for it: what it last said stands.
    pub fn disconnect(&mut self, client: ClientId, now: Moment) {
        if self.clients.remove(&client).is_none() {
            return;
        }
        self.graph.remove_client(client, now);
        let count = self.clients.len();
        self.rosout(
            Level::Info,
            &format!("Client disconnected. {count} clients total."),
            now,
        );
        self.publish_client_count(now);
    }

    /// A text frame of a client.
    pub fn receive(&mut self, client: ClientId, text: &str, now: Moment) {
        self.advance(now);
        let Some(state) = self.clients.get_mut(&client) else {
            return;
        };
        let deafness = match state.inbound {
            Inbound::Alive => None,
            Inbound::Dead => Some("the inbound side of this connection is dead"),
            Inbound::Waiting => Some("this connection waits for a service that never answers"),
        };
        if let Some(reason) = deafness {
            self.report_unread(client, text, reason);
            return;
        }
        state.leftover.push_str(text);
        self.read_leftover(client, text, now);
    }

    /// A message of the vehicle itself.
    pub fn publish(&mut self, topic: &str, message: &Json, now: Moment) {
        self.graph.keep(topic, message, now);
        self.deliver(topic, message, now);
    }

    /// A message of the vehicle itself with what is not finite as bare tokens, which is not JSON.
    /// Neither throttled nor queued: a fault has no manners.
    pub fn publish_with_bare_tokens(&mut self, topic: &str, message: &Json, now: Moment) {
        for (name, client) in self.graph.listeners(topic) {
            let text = publish_frame(&name, &message.to_text_with_bare_tokens());
            self.send(client, text, None, now);
        }
    }

    /// Gives the vehicle more ends of topics, more types, and what packs binary frames.
    pub fn equip(&mut self, endpoints: Vec<Endpoint>, more: Vec<Definition>, packer: Packer) {
        self.graph.add_endpoints(endpoints);
        for definition in more {
            self.definitions.insert(definition);
        }
        self.packer = Some(packer);
    }

    /// Whether anybody listens to a topic.
    #[must_use]
    pub fn is_listened_to(&self, topic: &str) -> bool {
        !self.graph.listeners(topic).is_empty()
    }

    /// Answers a [`BridgeOutput::Switch`] with the values of the response.
    pub fn answer(&mut self, call: Call, values: Json, now: Moment) {
        // Who is gone gets no answer.
        if self.clients.contains_key(&call.client) {
            self.respond(call.client, &call.written, (values, true), call.id, now);
        }
    }

    /// Lets time pass: throttled samples go out, publishers without clients go.
    pub fn advance(&mut self, now: Moment) {
        self.graph.advance(now);
        let mut samples = Vec::new();
        for (client, state) in &mut self.clients {
            for (name, subscription) in &mut state.subscriptions {
                for sample in subscription.due(now) {
                    samples.push((*client, name.clone(), sample));
                }
            }
        }
        for (client, name, sample) in samples {
            self.send_sample(client, &name, &sample, now);
        }
    }

    /// When [`Self::advance`] has something to do next.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<Moment> {
        self.clients
            .values()
            .flat_map(|client| client.subscriptions.values())
            .filter_map(Subscription::next_wakeup)
            .chain(self.graph.next_wakeup())
            .min()
    }

    /// The next output.
    pub fn poll(&mut self) -> Option<BridgeOutput> {
        self.outputs.pop_front()
    }

    /// The clients that are connected.
    pub fn clients(&self) -> impl Iterator<Item = ClientId> + '_ {
        self.clients.keys().copied()
    }

    /// ROS time at a moment.
    #[must_use]
    pub fn ros_time(&self, now: Moment) -> Time {
        time::from_seconds(self.epoch_seconds + now.as_millis() / 1000.0)
    }

    /// The types on board.
    #[must_use]
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }
}

/// Reading frames.
impl Bridge {
    /// The server joins what it cannot read with the next frame and searches the whole for an
    /// object with an `op`. An object *without* one stops the search and stays in the way: from
    /// then on every frame of this connection is lost.
    fn read_leftover(&mut self, client: ClientId, text: &str, now: Moment) {
        loop {
            let Some(state) = self.clients.get_mut(&client) else {
                return;
            };
            let message = match Json::parse(&state.leftover) {
                Ok(message) => {
                    state.leftover.clear();
                    message
                }
                Err(_) => match search(&state.leftover) {
                    Found::Operation { message, end } => {
                        state.leftover.drain(..end);
                        message
                    }
                    Found::WithoutOperation(message) => message,
                    Found::Nothing => {
                        if state.leftover.len() > LEFTOVER_LIMIT {
                            state.leftover.clear();
                            state.inbound = Inbound::Dead;
                        }
                        if !text.is_empty() {
                            self.report_unread(client, text, "not readable as JSON");
                        }
                        return;
                    }
                },
            };
            if !self.dispatch(client, &message, text, now) {
                return;
            }
            let Some(state) = self.clients.get_mut(&client) else {
                return;
            };
            let is_more = !state.leftover.trim().is_empty()
                && state.leftover != state.last_leftover
                && state.inbound == Inbound::Alive;
            if !is_more {
                return;
            }
            state.last_leftover = state.leftover.clone();
        }
    }

    /// Does what a message says. False when the server stops reading on, as it does after a
    /// message without a known operation.
    fn dispatch(&mut self, client: ClientId, message: &Json, frame: &str, now: Moment) -> bool {
        let operation = match message {
            Json::Null => {
                self.report_unread(client, frame, "null means nothing");
                return false;
            }
            Json::Bool(_) | Json::Int(_) | Json::Float(_) => {
                self.kill(client, frame);
                return false;
            }
            // The server asks whether "id" and "op" are *in* it, finds them, and looks them up.
            Json::Text(text) if text.contains("id") || text.contains("op") => {
                self.kill(client, frame);
                return false;
            }
            Json::List(items)
                if items
                    .iter()
                    .any(|i| matches!(i.as_text(), Some("id" | "op"))) =>
            {
                self.kill(client, frame);
                return false;
            }
            Json::Text(_) | Json::List(_) => None,
            Json::Object(_) => message.get("op"),
        };
        let id = message.get("id").map(Json::python_str);
        let Some(operation) = operation else {
            let complaint = if message.get("receiver").is_some() {
                format!(
                    "Received a rosbridge v1.0 message.  Please refer to rosbridge.org for the \
                     correct format of rosbridge v2.0 messages.  Original message was: {frame}"
                )
            } else {
                format!(
                    "Received a message without an op.  All messages require 'op' field with \
                     value one of: {}.  Original message was: {frame}",
                    operations()
                )
            };
            self.complain(client, id.as_deref(), &complaint, now);
            self.report(client, None, message, Outcome::Dropped(complaint));
            return false;
        };
        if matches!(operation, Json::List(_) | Json::Object(_)) {
            self.kill(client, frame);
            return false;
        }
        let name = operation.python_str();
        if !matches!(operation, Json::Text(_)) || !OPERATIONS.contains(&name.as_str()) {
            let complaint = format!(
                "Unknown operation: {name}.  Allowed operations: {}",
                operations()
            );
            self.complain(client, id.as_deref(), &complaint, now);
            self.report(client, Some(&name), message, Outcome::Dropped(complaint));
            return false;
        }
        // In whatever operation it stands, it counts for the whole connection.
        if let Some(size) = message.get("fragment_size").and_then(Json::as_int)
            && let Some(state) = self.clients.get_mut(&client)
        {
            state.fragment_size = usize::try_from(size).unwrap_or(0);
        }
        if message.get("png").is_some() && message.get("msg").is_none() {
            self.kill(client, frame);
            return false;
        }
        let done = match name.as_str() {
            "advertise" => self.advertise(client, message, now),
            "unadvertise" => self.unadvertise(client, message, now),
            "publish" => self.publish_for(client, message, now),
            "subscribe" => self.subscribe(client, message, now),
            "unsubscribe" => self.unsubscribe(client, message),
            "call_service" => self.call_service(client, message, now),
            _ => {
                let reason = format!("{name} is not simulated");
                self.report(client, Some(&name), message, Outcome::Dropped(reason));
                return true;
            }
        };
        match done {
            Ok(Done::Published(published)) => {
                self.outputs.push_back(BridgeOutput::Handled(Handled {
                    client,
                    op: Some(name),
                    name: message.get("topic").map(Json::python_str),
                    message: Some(published),
                    outcome: Outcome::Published,
                }));
            }
            Ok(Done::Other) => self.report(client, Some(&name), message, Outcome::Done),
            Err(reason) => {
                self.complain(client, id.as_deref(), &format!("{name}: {reason}"), now);
                self.report(client, Some(&name), message, Outcome::Dropped(reason));
            }
        }
        true
    }

    fn kill(&mut self, client: ClientId, frame: &str) {
        if let Some(state) = self.clients.get_mut(&client) {
            state.inbound = Inbound::Dead;
        }
        self.report_unread(
            client,
            frame,
            "this frame ended the inbound side of the connection",
        );
    }
}

enum Done {
    Published(Json),
    Other,
}

/// The operations. An error is the server's complaint, without the operation's name before it.
impl Bridge {
    fn advertise(&mut self, client: ClientId, message: &Json, now: Moment) -> Result<Done, String> {
        let name = required_text(message, "topic")?;
        let type_name = required_text(message, "type")?;
        let keep = Keep {
            count: message
                .get("queue_size")
                .and_then(Json::as_int)
                .and_then(|n| usize::try_from(n).ok())
                .unwrap_or(100),
            is_latched: message.get("latch") == Some(&Json::Bool(true)),
        };
        self.register_publisher(client, name, Some(type_name), keep, now)?;
        let id = message.get("id").map(Json::to_text);
        if let Some(state) = self.clients.get_mut(&client) {
            state
                .advertised
                .entry(name.to_owned())
                .or_default()
                .insert(id);
        }
        Ok(Done::Other)
    }

    fn unadvertise(
        &mut self,
        client: ClientId,
        message: &Json,
        now: Moment,
    ) -> Result<Done, String> {
        let name = required_text(message, "topic")?;
        let id = message.get("id").map(Json::to_text);
        let Some(state) = self.clients.get_mut(&client) else {
            return Ok(Done::Other);
        };
        let Some(ids) = state.advertised.get_mut(name) else {
            return Ok(Done::Other);
        };
        match id {
            None => ids.clear(),
            Some(_) => {
                ids.remove(&id);
            }
        }
        if ids.is_empty() {
            state.advertised.remove(name);
            self.graph.remove_publisher(name, client, now);
        }
        Ok(Done::Other)
    }

    fn publish_for(
        &mut self,
        client: ClientId,
        message: &Json,
        now: Moment,
    ) -> Result<Done, String> {
        let name = required_text(message, "topic")?;
        let keep = Keep {
            count: 100,
            is_latched: false,
        };
        let short_type = self.register_publisher(client, name, None, keep, now)?;
        let nothing = Json::Object(Vec::new());
        let sent = message.get("msg").unwrap_or(&nothing);
        let published = convert::message(&self.definitions, &short_type, sent, self.ros_time(now))
            .map_err(|error| error.to_string())?;
        let topic = absolute(name);
        self.graph.keep(name, &published, now);
        let mut vehicles = self.vehicle_nodes.iter();
        if vehicles.any(|node| self.graph.is_heard_by(node, &topic)) {
            let message = published.clone();
            self.outputs.push_back(BridgeOutput::Message {
                topic: topic.clone(),
                message,
            });
        }
        self.deliver(&topic, &published, now);
        Ok(Done::Published(published))
    }

    fn subscribe(&mut self, client: ClientId, message: &Json, now: Moment) -> Result<Done, String> {
        let name = required_text(message, "topic")?;
        let type_name = optional(message, "type", "str", |v| matches!(v, Json::Text(_)))?;
        let throttle = optional(message, "throttle_rate", "int", is_integer)?;
        optional(message, "fragment_size", "int", is_integer)?;
        let queue_length = optional(message, "queue_length", "int", is_integer)?;
        let packing = optional(message, "compression", "str", |v| {
            matches!(v, Json::Text(_))
        })?;
        let packing = Packing::named(packing.and_then(Json::as_text).unwrap_or_default());
        let number = |value: Option<&Json>| {
            value
                .and_then(Json::as_int)
                .and_then(|n| u32::try_from(n).ok())
                .unwrap_or(0)
        };
        let pace = Pace {
            throttle: Duration::from_millis(number(throttle).into()),
            queue_length: usize::try_from(number(queue_length)).unwrap_or(usize::MAX),
        };
        let id = message.get("id").map(Json::to_text);
        let type_name = type_name.and_then(Json::as_text);

        // On a topic that other clients subscribe already, the server adds the client first and
        // complains about a wrong type afterwards: the client gets the messages all the same.
        let established = self.graph.subscriber_type(name).map(str::to_owned);
        let (short_type, complaint) = match established {
            Some(established) => {
                let complaint = type_name.and_then(|type_name| match self.loaded_type(type_name) {
                    Ok(short) if short == established => None,
                    Ok(short) => Some(conflict(name, &short, &established)),
                    Err(complaint) => Some(complaint),
                });
                (established, complaint)
            }
            None => (self.type_of_topic(name, type_name)?, None),
        };
        let is_raw = packing == Packing::CborRaw;
        let is_first = self.graph.add_subscriber(name, &short_type, client, is_raw);
        let mut kept = self.graph.kept(&absolute(name), now);
        if !is_first {
            // The server joins a late client to the others with the first sample that it gets.
            kept.truncate(1);
        }
        if let Some(state) = self.clients.get_mut(&client) {
            let is_second_id = state.subscriptions.contains_key(name);
            let subscription = state.subscriptions.entry(name.to_owned()).or_default();
            subscription.add(id, pace, packing);
            if is_second_id && kept.is_empty() {
                subscription.double_next();
            }
            let samples: Vec<Json> = kept
                .iter()
                .flat_map(|sample| subscription.offer(sample, now))
                .collect();
            for sample in samples {
                self.send_sample(client, name, &sample, now);
            }
        }
        if let Some(complaint) = complaint {
            return Err(complaint);
        }
        let uuid = self.uuid_of(client);
        self.rosout(
            Level::Info,
            &format!("[Client {uuid}] Subscribed to {name}"),
            now,
        );
        Ok(Done::Other)
    }

    fn unsubscribe(&mut self, client: ClientId, message: &Json) -> Result<Done, String> {
        let name = required_text(message, "topic")?;
        let id = message.get("id").map(Json::to_text);
        let Some(state) = self.clients.get_mut(&client) else {
            return Ok(Done::Other);
        };
        let Some(subscription) = state.subscriptions.get_mut(name) else {
            return Ok(Done::Other);
        };
        subscription.remove(id.as_ref());
        if subscription.is_over() {
            state.subscriptions.remove(name);
            self.graph.remove_subscriber(name, client);
        }
        Ok(Done::Other)
    }

    fn call_service(
        &mut self,
        client: ClientId,
        message: &Json,
        now: Moment,
    ) -> Result<Done, String> {
        let written = required_text(message, "service")?;
        let (service, id_in_name) = match written.split_once('#') {
            Some((service, id)) => (service, Some(Json::from(id))),
            None => (written, None),
        };
        let id = message.get("id").cloned().or(id_in_name);
        let nothing = Json::Null;
        let arguments = message.get("args").unwrap_or(&nothing);
        let name = absolute(service);
        let answer = if let Some(fault) = name_fault(service) {
            Answer::Failed(ServiceError::BadName(fault))
        } else if !self.is_rosapi_alive && name.starts_with("/rosapi/") {
            Answer::NeverAgain
        } else {
            let around = Surroundings {
                graph: &self.graph,
                definitions: &self.definitions,
                now: self.ros_time(now),
                vehicle_nodes: &self.vehicle_nodes,
                switches: &self.switches,
            };
            rosapi::call(&around, &name, arguments)
        };
        if let (true, Answer::Values(_)) = (name == rosapi::SIM_PAUSE, &answer) {
            let is_paused = rosapi::is_set(arguments);
            self.outputs.push_back(BridgeOutput::Pause(is_paused));
        }
        let (values, result) = match answer {
            Answer::Values(values) => (values, true),
            Answer::Failed(error) => {
                let complaint = format!("call_service {}: {error}", error.exception());
                let id = id.as_ref().map(Json::python_str);
                self.complain(client, id.as_deref(), &complaint, now);
                (Json::Text(error.to_string()), false)
            }
            Answer::Switch(is_on) => {
                let call = Call {
                    service: name,
                    client,
                    written: written.to_owned(),
                    id,
                };
                self.outputs.push_back(BridgeOutput::Switch { call, is_on });
                return Ok(Done::Other);
            }
            Answer::NeverAgain => {
                self.is_rosapi_alive = false;
                if let Some(state) = self.clients.get_mut(&client) {
                    state.inbound = Inbound::Waiting;
                }
                return Ok(Done::Other);
            }
        };
        self.respond(client, written, (values, result), id, now);
        Ok(Done::Other)
    }

    fn respond(
        &mut self,
        client: ClientId,
        written: &str,
        (values, result): (Json, bool),
        id: Option<Json>,
        now: Moment,
    ) {
        let mut response = vec![
            ("op".to_owned(), Json::from("service_response")),
            ("service".to_owned(), Json::from(written)),
            ("values".to_owned(), values),
            ("result".to_owned(), Json::Bool(result)),
        ];
        if let Some(id) = id.clone() {
            response.push(("id".to_owned(), id));
        }
        let text = Json::Object(response).to_text();
        self.send(client, text, id, now);
    }
}

/// Types and topics.
impl Bridge {
    /// Makes the client a publisher of the topic and gives the short name of its type.
    fn register_publisher(
        &mut self,
        client: ClientId,
        name: &str,
        type_name: Option<&str>,
        keep: Keep,
        now: Moment,
    ) -> Result<String, String> {
        self.graph.advance(now);
        let short_type = match self.graph.publisher_type(name).map(str::to_owned) {
            Some(established) => {
                if let Some(type_name) = type_name {
                    let short = self.loaded_type(type_name)?;
                    if short != established {
                        return Err(conflict(name, &short, &established));
                    }
                }
                established
            }
            None => self.type_of_topic(name, type_name)?,
        };
        self.graph.add_publisher(name, &short_type, client, keep);
        Ok(short_type)
    }

    /// The type of a topic that rosbridge has no end of yet: the wanted one, unless the graph has
    /// another; without a wanted one, the graph's. A subscriber makes a topic known too.
    fn type_of_topic(&self, name: &str, wanted: Option<&str>) -> Result<String, String> {
        // Looked up as it is written: a name without its slash is unknown to the graph.
        let established = self.graph.topics().get(name).cloned();
        let short = match (wanted, &established) {
            (Some(wanted), _) => self.loaded_type(wanted)?,
            (None, Some(established)) => established.clone(),
            (None, None) => {
                return Err(format!(
                    "Cannot infer topic type for topic {name} as it is not yet advertised"
                ));
            }
        };
        if let Some(established) = established
            && established != short
        {
            return Err(conflict(name, &short, &established));
        }
        match name_fault(name) {
            Some(fault) => Err(fault),
            None => Ok(short),
        }
    }

    /// The short name of a type by any of its spellings, if the vehicle has it.
    fn loaded_type(&self, type_name: &str) -> Result<String, String> {
        let parts: Vec<&str> = type_name
            .split('/')
            .filter(|part| !part.is_empty())
            .collect();
        let (package, name) = match parts.as_slice() {
            [package, name] | [package, _, name] => (*package, *name),
            _ => return Err(format!("{type_name} is not a valid type string")),
        };
        let short = format!("{package}/{name}");
        if self.definitions.get(&short).is_some() {
            Ok(short)
        } else if self.definitions.has_package(package) {
            Err(format!(
                "Unable to import msg class {name} from package {package}. Caused by module \
                 '{package}.msg' has no attribute '{name}'"
            ))
        } else {
            Err(format!(
                "Unable to import {package}.msg from package {package}. Caused by: No module \
                 named '{package}'"
            ))
        }
    }

    fn deliver(&mut self, topic: &str, message: &Json, now: Moment) {
        for (name, client) in self.graph.listeners(topic) {
            let Some(state) = self.clients.get_mut(&client) else {
                continue;
            };
            let Some(subscription) = state.subscriptions.get_mut(&name) else {
                continue;
            };
            for sample in subscription.offer(message, now) {
                self.send_sample(client, &name, &sample, now);
            }
        }
    }

    /// Sends a sample the way its subscription wants it, or says why that does not go.
    fn send_sample(&mut self, client: ClientId, name: &str, sample: &Json, now: Moment) {
        let state = self.clients.get(&client);
        let subscription = state.and_then(|state| state.subscriptions.get(name));
        let packing = subscription.map(Subscription::packing).unwrap_or_default();
        if (packing == Packing::CborRaw) != self.graph.is_raw(name) {
            // The first client of a topic decides whether it is raw; the others starve.
            return;
        }
        let kind = self.graph.subscriber_type(name).unwrap_or_default();
        let complaint = match (packing, self.packer) {
            (Packing::Plain, _) => {
                let shown = shown(&self.definitions, kind, sample);
                let text = publish_frame(name, &shown.to_text_with_bare_tokens());
                self.send(client, text, None, now);
                return;
            }
            (Packing::Png, _) => {
                "Unable to serialize message: Object of type bytes is not JSON serializable"
                    .to_owned()
            }
            (Packing::Cbor | Packing::CborRaw, None) => "no packer on board".to_owned(),
            (Packing::Cbor | Packing::CborRaw, Some(packer)) => {
                let time = self.ros_time(now);
                let packed = packer(&self.definitions, packing, kind, name, sample, time);
                let size = state.map_or(0, |state| state.fragment_size);
                // The server tries to cut bytes as it cuts texts.
                let packed = match packed {
                    Ok(bytes) if size > 0 && bytes.len() > size => {
                        Err("'bytes' object has no attribute 'get'")
                    }
                    packed => packed,
                };
                match packed {
                    Ok(bytes) => {
                        let frame = BridgeOutput::Binary { client, bytes };
                        self.outputs.push_back(frame);
                        return;
                    }
                    Err(exception) => format!("Exception calling subscribe callback: {exception}"),
                }
            }
        };
        // A log line about a log line would never end.
        if absolute(name) != ROSOUT {
            self.rosout(Level::Error, &complaint, now);
        }
    }

    /// Sends a text frame, in pieces when the client wants that.
    fn send(&mut self, client: ClientId, text: String, id: Option<Json>, now: Moment) {
        let size = self.clients.get(&client).map_or(0, |c| c.fragment_size);
        if size == 0 || text.len() <= size {
            self.outputs.push_back(BridgeOutput::Frame { client, text });
            return;
        }
        let total = (text.len() - 1) as f64 / size as f64 + 1.0;
        // Every frame is plain ASCII.
        let pieces = text.as_bytes().chunks(size);
        let count = pieces.len();
        for (number, piece) in pieces.enumerate() {
            let data = String::from_utf8_lossy(piece).into_owned();
            let fragment = Json::object([
                ("op", "fragment".into()),
                ("id", id.clone().unwrap_or(Json::Int(0))),
                ("data", data.into()),
                ("num", Json::Int(number as i128)),
                ("total", Json::Float(total)),
            ]);
            let text = fragment.to_text();
            self.outputs.push_back(BridgeOutput::Frame { client, text });
        }
        if !text.contains(ROSOUT) {
            let uuid = self.uuid_of(client);
            let line = format!(
                "[Client {uuid}] sending {count} parts [fragment size: {size}; expected duration: ~0s]"
            );
            self.rosout(Level::Info, &line, now);
        }
    }

    fn publish_client_count(&mut self, now: Moment) {
        let count = i128::try_from(self.clients.len()).unwrap_or(i128::MAX);
        self.publish(
            CLIENT_COUNT,
            &Json::object([("data", Json::Int(count))]),
            now,
        );
    }
}

#[derive(Clone, Copy)]
enum Level {
    Info = 20,
    Error = 40,
}

/// What the server says, and to whom.
impl Bridge {
    fn complain(&mut self, client: ClientId, id: Option<&str>, complaint: &str, now: Moment) {
        let uuid = self.uuid_of(client);
        let line = match id {
            Some(id) => format!("[Client {uuid}] [id: {id}] {complaint}"),
            None => format!("[Client {uuid}] {complaint}"),
        };
        self.rosout(Level::Error, &line, now);
    }

    fn rosout(&mut self, level: Level, line: &str, now: Moment) {
        let message = Json::object([
            ("stamp", convert::time_json(self.ros_time(now))),
            ("level", Json::Int(level as i128)),
            ("name", "rosbridge_websocket".into()),
            ("msg", line.into()),
            ("file", "protocol.py".into()),
            ("function", "log".into()),
            ("line", Json::Int(0)),
        ]);
        self.publish(ROSOUT, &message, now);
    }

    fn report(&mut self, client: ClientId, op: Option<&str>, message: &Json, outcome: Outcome) {
        let name = message.get("topic").or_else(|| message.get("service"));
        self.outputs.push_back(BridgeOutput::Handled(Handled {
            client,
            op: op.map(str::to_owned),
            name: name.map(Json::python_str),
            message: message.get("msg").or_else(|| message.get("args")).cloned(),
            outcome,
        }));
    }

    fn report_unread(&mut self, client: ClientId, frame: &str, reason: &str) {
        let message = Json::parse(frame).unwrap_or(Json::Null);
        let op = message.get("op").map(Json::python_str);
        if matches!(message, Json::Object(_)) {
            self.report(
                client,
                op.as_deref(),
                &message,
                Outcome::Dropped(reason.to_owned()),
            );
        } else {
            let start: String = frame.chars().take(200).collect();
            self.outputs.push_back(BridgeOutput::Handled(Handled {
                client,
                op,
                name: None,
                message: Some(Json::Text(start)),
                outcome: Outcome::Dropped(reason.to_owned()),
            }));
        }
    }

    fn uuid_of(&self, client: ClientId) -> String {
        self.clients
            .get(&client)
            .map(|c| c.uuid.clone())
            .unwrap_or_default()
    }

    /// A version 4 UUID, as the server names its clients.
    fn uuid(&mut self) -> String {
        let bits = (self.random.u128(..) & !(0xf000 << 64) & !(0xc000 << 48))
            | (0x4000 << 64)
            | (0x8000 << 48);
        let hex = format!("{bits:032x}");
        let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
        [
            part(0, 8),
            part(8, 12),
            part(12, 16),
            part(16, 20),
            part(20, 32),
        ]
        .join("-")
    }
}

fn publish_frame(name: &str, message: &str) -> String {
    // Written piece by piece: the message need not be copied into an object first.
    format!(
        "{{\"op\": \"publish\", \"topic\": {}, \"msg\": {message}}}",
        Json::from(name).to_text(),
    )
}

/// A message as the server's JSON shows it: what is not finite is `null`, except for fixed-size
/// arrays, in which the server overlooks it.
fn shown(definitions: &Definitions, kind: &str, message: &Json) -> Json {
    let Json::Object(entries) = message else {
        return message.clone();
    };
    let definition = definitions.get(kind);
    let show = |(name, value): &(String, Json)| {
        let field = definition.and_then(|d| d.field(name));
        let inner = match field.map(|field| &field.kind) {
            Some(Kind::Message(name)) => name.as_str(),
            _ => "",
        };
        let one = |value: &Json| match value {
            Json::Float(number) if !number.is_finite() => Json::Null,
            other => shown(definitions, inner, other),
        };
        let is_fixed = field.is_some_and(|field| {
            matches!(field.arity, Arity::Fixed(_)) && !matches!(field.kind, Kind::Message(_))
        });
        let value = match value {
            _ if is_fixed => value.clone(),
            Json::List(items) => Json::List(items.iter().map(one).collect()),
            other => one(other),
        };
        (name.clone(), value)
    };
    Json::Object(entries.iter().map(show).collect())
}

fn search(text: &str) -> Found {
    for (start, _) in text.match_indices('{') {
        let Some(rest) = text.get(start..) else {
            continue;
        };
        let Ok((message, length)) = Json::parse_prefix(rest) else {
            continue;
        };
        return match message.get("op") {
            None | Some(Json::Null) => Found::WithoutOperation(message),
            Some(_) => Found::Operation {
                message,
                end: start + length,
            },
        };
    }
    Found::Nothing
}

fn conflict(name: &str, wanted: &str, established: &str) -> String {
    format!(
        "Tried to register topic {name} with type {} but it is already established with type {}",
        crate::msgs::normalized_type(wanted),
        crate::msgs::normalized_type(established)
    )
}

fn operations() -> String {
    let quoted: Vec<String> = OPERATIONS.iter().map(|name| format!("'{name}'")).collect();
    format!("[{}]", quoted.join(", "))
}

fn required_text<'a>(message: &'a Json, field: &str) -> Result<&'a str, String> {
    match message.get(field) {
        None => Err(format!("Expected a {field} field but none was found.")),
        Some(Json::Text(text)) => Ok(text),
        Some(other) => Err(wrong_field(field, "str", other)),
    }
}

fn optional<'a>(
    message: &'a Json,
    field: &str,
    python_type: &str,
    is_right: fn(&Json) -> bool,
) -> Result<Option<&'a Json>, String> {
    match message.get(field) {
        Some(value) if !is_right(value) => Err(wrong_field(field, python_type, value)),
        value => Ok(value),
    }
}

/// True is an integer to Python.
fn is_integer(value: &Json) -> bool {
    matches!(value, Json::Int(_) | Json::Bool(_))
}

fn wrong_field(field: &str, python_type: &str, value: &Json) -> String {
    format!(
        "Expected field {field} to be one of (<class '{python_type}'>,). Invalid value: {}",
        value.python_str()
    )
}
