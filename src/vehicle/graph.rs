//! The ROS graph around the bridge: who publishes and subscribes what, of which type.
//!
//! The vehicle's own endpoints are fixed. rosbridge adds one publisher for each topic that any of
//! its clients publishes, shared by them, and one subscriber likewise. A publisher outlives its
//! last client by [`UNREGISTER_AFTER`], and keeps what it published for [`LIFESPAN`] for those who
//! subscribe later.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use super::ClientId;
use super::json::Json;
use crate::units::Moment;

/// How long rosbridge keeps a publisher that no client uses any more.
pub const UNREGISTER_AFTER: Duration = Duration::from_secs(10);

/// How long a message of a rosbridge publisher without `latch` waits for late subscribers.
pub const LIFESPAN: Duration = Duration::from_secs(1);

/// The node that serves the clients.
pub const ROSBRIDGE_NODE: &str = "/rosbridge_websocket";

/// Which end of a topic a node has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It publishes.
    Publisher,
    /// It subscribes.
    Subscriber,
}

/// A fixed end of a topic, not made by a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The absolute name.
    pub topic: String,
    /// The short type name, `package/Name`.
    pub short_type: String,
    /// Which end.
    pub role: Role,
    /// The node.
    pub node: String,
    /// How many of its messages a publisher keeps for late subscribers.
    pub keeps: usize,
    /// How long it keeps them; none: for ever.
    pub lifespan: Option<Duration>,
}

/// rosbridge's publisher of one topic.
#[derive(Debug, Clone)]
struct SharedPublisher {
    short_type: String,
    clients: BTreeSet<ClientId>,
    /// When it goes, once no client is left.
    expires: Option<Moment>,
    keeps: usize,
    lifespan: Option<Duration>,
}

/// rosbridge's subscriber of one topic.
#[derive(Debug, Clone)]
struct SharedSubscriber {
    short_type: String,
    /// It takes messages as DDS has them: what its first client wanted.
    is_raw: bool,
    clients: BTreeSet<ClientId>,
}

/// The graph. Topics of clients are kept under the name that the client wrote: `cmd_vel` and
/// `/cmd_vel` are one topic to ROS and two to rosbridge.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    endpoints: Vec<Endpoint>,
    publishers: BTreeMap<String, SharedPublisher>,
    subscribers: BTreeMap<String, SharedSubscriber>,
    kept: BTreeMap<String, VecDeque<(Moment, Json)>>,
}

impl Graph {
    /// A graph of these fixed ends.
    #[must_use]
    pub fn new(endpoints: Vec<Endpoint>) -> Self {
        Self {
            endpoints,
            ..Self::default()
        }
    }

    /// Every topic and its short type, by name.
    #[must_use]
    pub fn topics(&self) -> BTreeMap<String, String> {
        let mut topics = BTreeMap::new();
        for (name, subscriber) in &self.subscribers {
            topics.insert(absolute(name), subscriber.short_type.clone());
        }
        for (name, publisher) in &self.publishers {
            topics.insert(absolute(name), publisher.short_type.clone());
        }
        for endpoint in &self.endpoints {
            topics.insert(endpoint.topic.clone(), endpoint.short_type.clone());
        }
        topics
    }

    /// The nodes at one end of a topic.
    #[must_use]
    pub fn nodes_at(&self, topic: &str, role: Role) -> Vec<String> {
        let mut nodes: Vec<String> = self
            .endpoints
            .iter()
            .filter(|e| e.topic == topic && e.role == role)
            .map(|e| e.node.clone())
            .collect();
        let has_clients = match role {
            Role::Publisher => self.publishers.keys().any(|name| absolute(name) == topic),
            Role::Subscriber => self.subscribers.keys().any(|name| absolute(name) == topic),
        };
        if has_clients && !nodes.iter().any(|node| node == ROSBRIDGE_NODE) {
            nodes.push(ROSBRIDGE_NODE.to_owned());
        }
        nodes
    }

    /// The topics of which a fixed node has one end.
    #[must_use]
    pub fn topics_of(&self, node: &str, role: Role) -> Vec<String> {
        let mut topics: Vec<String> = self
            .endpoints
            .iter()
            .filter(|e| e.node == node && e.role == role)
            .map(|e| e.topic.clone())
            .collect();
        topics.sort();
        topics
    }

    /// Whether a fixed node, the vehicle's, listens to a topic.
    #[must_use]
    pub fn is_heard_by(&self, node: &str, topic: &str) -> bool {
        self.endpoints
            .iter()
            .any(|e| e.node == node && e.topic == topic && e.role == Role::Subscriber)
    }

    /// The type of rosbridge's publisher of that name, if there is one.
    #[must_use]
    pub fn publisher_type(&self, name: &str) -> Option<&str> {
        self.publishers.get(name).map(|p| p.short_type.as_str())
    }

    /// The type of rosbridge's subscriber of that name, if there is one.
    #[must_use]
    pub fn subscriber_type(&self, name: &str) -> Option<&str> {
        self.subscribers.get(name).map(|s| s.short_type.as_str())
    }

    /// Whether rosbridge's subscriber of that name takes messages raw.
    #[must_use]
    pub fn is_raw(&self, name: &str) -> bool {
        self.subscribers.get(name).is_some_and(|s| s.is_raw)
    }

    /// Adds fixed ends.
    pub fn add_endpoints(&mut self, endpoints: Vec<Endpoint>) {
        self.endpoints.extend(endpoints);
    }

    /// Makes a client one of those who publish a topic. The settings of the first one stand.
    pub fn add_publisher(
        &mut self,
        name: &str,
        short_type: &str,
        client: ClientId,
        settings: Keep,
    ) {
        let publisher = self
            .publishers
            .entry(name.to_owned())
            .or_insert_with(|| SharedPublisher {
                short_type: short_type.to_owned(),
                clients: BTreeSet::new(),
                expires: None,
                keeps: settings.count,
                lifespan: if settings.is_latched {
                    None
                } else {
                    Some(LIFESPAN)
                },
            });
        publisher.clients.insert(client);
        publisher.expires = None;
    }

    /// The client publishes the topic no more; the publisher stays for [`UNREGISTER_AFTER`].
    pub fn remove_publisher(&mut self, name: &str, client: ClientId, now: Moment) {
        if let Some(publisher) = self.publishers.get_mut(name)
            && publisher.clients.remove(&client)
            && publisher.clients.is_empty()
        {
            publisher.expires = Some(now + UNREGISTER_AFTER);
        }
    }

    /// Makes a client one of those who subscribe a topic. True when it is the first one.
    /// The first one also decides whether the messages come raw.
    pub fn add_subscriber(
        &mut self,
        name: &str,
        short_type: &str,
        client: ClientId,
        is_raw: bool,
    ) -> bool {
        let is_new = !self.subscribers.contains_key(name);
        self.subscribers
            .entry(name.to_owned())
            .or_insert_with(|| SharedSubscriber {
                short_type: short_type.to_owned(),
                is_raw,
                clients: BTreeSet::new(),
            })
            .clients
            .insert(client);
        is_new
    }

    /// The client subscribes the topic no more; the last one takes the subscriber along.
    pub fn remove_subscriber(&mut self, name: &str, client: ClientId) {
        if let Some(subscriber) = self.subscribers.get_mut(name) {
            subscriber.clients.remove(&client);
            if subscriber.clients.is_empty() {
                self.subscribers.remove(name);
            }
        }
    }

    /// Takes a client out of everything.
    pub fn remove_client(&mut self, client: ClientId, now: Moment) {
        let published: Vec<String> = self.publishers.keys().cloned().collect();
        for name in published {
            self.remove_publisher(&name, client, now);
        }
        let subscribed: Vec<String> = self.subscribers.keys().cloned().collect();
        for name in subscribed {
            self.remove_subscriber(&name, client);
        }
    }

    /// Who gets a message of a topic: the clients, each with the name under which it subscribed.
    #[must_use]
    pub fn listeners(&self, topic: &str) -> Vec<(String, ClientId)> {
        self.subscribers
            .iter()
            .filter(|(name, _)| absolute(name) == topic)
            .flat_map(|(name, s)| s.clients.iter().map(|client| (name.clone(), *client)))
            .collect()
    }

    /// Remembers a message for late subscribers, as long as its publisher keeps it. `name` is the
    /// publisher's, fixed or a client's.
    pub fn keep(&mut self, name: &str, message: &Json, now: Moment) {
        let count = match self.publishers.get(name) {
            Some(publisher) => publisher.keeps,
            None => self
                .endpoints
                .iter()
                .find(|e| e.topic == name && e.role == Role::Publisher)
                .map_or(0, |e| e.keeps),
        };
        if count == 0 {
            return;
        }
        let kept = self.kept.entry(name.to_owned()).or_default();
        kept.push_back((now, message.clone()));
        while kept.len() > count {
            kept.pop_front();
        }
    }

    /// What a late subscriber of a topic still gets, oldest first.
    #[must_use]
    pub fn kept(&self, topic: &str, now: Moment) -> Vec<Json> {
        let mut found: Vec<(Moment, Json)> = self
            .kept
            .iter()
            .filter(|(name, _)| absolute(name) == topic)
            .flat_map(|(name, kept)| {
                let lifespan = self.lifespan(name);
                kept.iter()
                    .filter(move |(at, _)| lifespan.is_none_or(|span| now.since(*at) <= span))
                    .cloned()
            })
            .collect();
        found.sort_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, message)| message).collect()
    }

    /// Lets publishers go whose last client left long enough ago.
    pub fn advance(&mut self, now: Moment) {
        let over: Vec<String> = self
            .publishers
            .iter()
            .filter(|(_, p)| p.expires.is_some_and(|at| now >= at))
            .map(|(name, _)| name.clone())
            .collect();
        for name in over {
            self.publishers.remove(&name);
            self.kept.remove(&name);
        }
    }

    /// When [`Self::advance`] has something to do next.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<Moment> {
        self.publishers.values().filter_map(|p| p.expires).min()
    }

    fn lifespan(&self, name: &str) -> Option<Duration> {
        match self.publishers.get(name) {
            Some(publisher) => publisher.lifespan,
            None => self
                .endpoints
                .iter()
                .find(|e| e.topic == name && e.role == Role::Publisher)
                .and_then(|e| e.lifespan),
        }
    }
}

/// What a rosbridge publisher keeps for late subscribers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// How many messages: `queue_size`.
    pub count: usize,
    /// For ever instead of for [`LIFESPAN`].
    pub is_latched: bool,
}

/// The name with its leading slash: every node here lives in the root namespace.
#[must_use]
pub fn absolute(name: &str) -> String {
    if name.starts_with('/') {
        name.to_owned()
    } else {
        format!("/{name}")
    }
}

/// Why a topic or service name is not one, in the words of the ROS client library.
#[must_use]
pub fn name_fault(name: &str) -> Option<String> {
    let fault = if name.is_empty() {
        "must not be empty string"
    } else if name.ends_with('/') {
        "must not end with a forward slash"
    } else if name.contains("//") {
        "must not contain repeated '/'"
    } else if !name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '/' | '~' | '{' | '}'))
    {
        "must not contain characters other than alphanumerics, '_', '~', '{', or '}'"
    } else if name
        .split('/')
        .any(|token| token.starts_with(|c: char| c.is_ascii_digit()))
    {
        "must not have a token that starts with a number"
    } else {
        return None;
    };
    Some(format!(
        "topic name '{name}' is invalid: topic name {fault}"
    ))
}
