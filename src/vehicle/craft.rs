//! What a bridge needs of a vehicle on it, and what a vehicle puts out.

use std::collections::VecDeque;
use std::time::Duration;

use super::VehicleState;
use super::graph::{Endpoint, Role};
use super::json::Json;
use super::log::LogEntry;
use super::receiver::VelocityReceiver;
use crate::msgs::std_msgs::Time;
use crate::units::Moment;

/// A vehicle behind a bridge, without the bridge. Everything that it is asked happens at the time
/// of the [`Outbox`] that it is given.
pub(super) trait Craft: std::fmt::Debug {
    /// Its ends of topics, on its node.
    fn endpoints(&self, node: &str) -> Vec<Endpoint>;

    /// The services of `std_srvs/srv/SetBool` that it offers, by their absolute names.
    fn switches(&self) -> Vec<String> {
        Vec::new()
    }

    /// Lets one step of the physics pass.
    fn step(&mut self, out: &mut Outbox);

    /// Says what has changed since it last said it.
    fn settle(&mut self, out: &mut Outbox);

    /// A message on a topic that a vehicle of this bridge hears, which need not be this one.
    fn obey(&mut self, topic: &str, message: &Json, out: &mut Outbox);

    /// One of its [`Self::switches`] is set. None: it is not one of them.
    fn switch(
        &mut self,
        _service: &str,
        _is_on: bool,
        _out: &mut Outbox,
    ) -> Option<Result<(), &'static str>> {
        None
    }

    /// It was not simulated up to `now`: nothing is made up for.
    fn skip_to(&mut self, now: Moment);

    /// Its clocks have stood still for so long.
    fn resume(&mut self, pause: Duration);

    /// When it has something to do next.
    fn next_wakeup(&self) -> Moment;

    /// The truth about it.
    fn state(&self) -> VehicleState;

    /// Its velocity component.
    fn receiver(&self) -> &VelocityReceiver;
}

/// What a vehicle puts out, in order, and when it is.
#[derive(Debug)]
pub(super) struct Outbox {
    /// On the clock of the simulation.
    pub(super) now: Moment,
    /// The same in ROS time.
    pub(super) time: Time,
    /// Whether lines of the log are wanted.
    pub(super) is_logging: bool,
    items: VecDeque<Item>,
}

/// Something that a vehicle puts out.
#[derive(Debug)]
pub(super) enum Item {
    /// A message on one of its topics.
    Message(String, Json),
    /// The same with bare tokens for what is not finite: not JSON.
    Broken(String, Json),
    /// A line of the log.
    Log(LogEntry),
}

impl Outbox {
    pub(super) fn new(now: Moment, time: Time, is_logging: bool) -> Self {
        Self {
            now,
            time,
            is_logging,
            items: VecDeque::new(),
        }
    }

    pub(super) fn publish(&mut self, topic: &str, message: Json) {
        self.items
            .push_back(Item::Message(topic.to_owned(), message));
    }

    pub(super) fn publish_with_bare_tokens(&mut self, topic: &str, message: Json) {
        self.items
            .push_back(Item::Broken(topic.to_owned(), message));
    }

    pub(super) fn event(&mut self, event: &str, detail: Option<String>) {
        self.log(LogEntry::Event {
            event: event.to_owned(),
            detail,
        });
    }

    pub(super) fn log(&mut self, entry: LogEntry) {
        if self.is_logging {
            self.items.push_back(Item::Log(entry));
        }
    }

    pub(super) fn next(&mut self) -> Option<Item> {
        self.items.pop_front()
    }
}

/// Something that comes again and again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rhythm {
    period: Duration,
    next: Moment,
}

impl Rhythm {
    /// First at `next`.
    pub(super) fn new(next: Moment, period: Duration) -> Self {
        Self { period, next }
    }

    /// Whether it is time; then the next one is a period later.
    pub(super) fn is_due(&mut self, now: Moment) -> bool {
        let is_due = now >= self.next;
        if is_due {
            self.next = self.next + self.period;
        }
        is_due
    }

    /// When it is time next.
    pub(super) fn next(&self) -> Moment {
        self.next
    }

    /// Nothing is made up for.
    pub(super) fn skip_to(&mut self, now: Moment) {
        self.next = self.next.max(now);
    }

    /// The clock has stood still for so long.
    pub(super) fn resume(&mut self, pause: Duration) {
        self.next = self.next + pause;
    }
}

/// An end of a topic on a vehicle's node.
pub(super) fn endpoint(node: &str, topic: &str, short_type: &str, role: Role) -> Endpoint {
    Endpoint {
        topic: topic.to_owned(),
        short_type: short_type.to_owned(),
        role,
        node: node.to_owned(),
        keeps: 0,
        lifespan: None,
    }
}

/// An end that keeps its newest message for who subscribes later.
pub(super) fn keeping(end: Endpoint) -> Endpoint {
    Endpoint { keeps: 1, ..end }
}

/// A `std_msgs/String` that carries how it stands with a component's commands.
pub(super) fn state_message(state: &super::receiver::CommandState) -> Json {
    let words = Json::object([
        ("state", state.word().into()),
        ("reason", state.reason().into()),
    ]);
    Json::object([("data", Json::Text(words.to_text()))])
}
