//! A vehicle on virtual time, and what came out of it.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test file uses its part, and a test may panic"
)]

use std::time::Duration;

use broomstick::units::Moment;
use broomstick::vehicle::log::{FrameOutcome, LogEntry, LogLine};
use broomstick::vehicle::{ClientId, Fleet, Options, Output, VehicleState};
use serde_json::Value;

pub const A: ClientId = ClientId(1);
pub const B: ClientId = ClientId(2);

/// A vehicle, a clock that only the test moves, and everything that the vehicle put out.
pub struct Bench {
    pub vehicle: Fleet,
    pub now: Moment,
    pub frames: Vec<(Moment, ClientId, String)>,
    pub log: Vec<LogLine>,
    pub binaries: Vec<(Moment, ClientId, Vec<u8>)>,
}

impl Bench {
    /// The default vehicle with client [`A`] connected.
    pub fn new() -> Self {
        Self::with(Options::default())
    }

    /// This vehicle with client [`A`] connected.
    pub fn with(options: Options) -> Self {
        let now = Moment::START;
        let vehicle = Fleet::new(options, now);
        let mut bench = Self {
            vehicle,
            now,
            frames: Vec::new(),
            log: Vec::new(),
            binaries: Vec::new(),
        };
        bench.connect(A);
        bench
    }

    pub fn connect(&mut self, client: ClientId) {
        self.vehicle.connect(client, self.now);
        self.drain();
    }

    pub fn disconnect(&mut self, client: ClientId) {
        self.vehicle.disconnect(client, self.now);
        self.drain();
    }

    pub fn send(&mut self, client: ClientId, text: &str) {
        self.vehicle.receive(client, text, self.now);
        self.drain();
    }

    /// Publishes without advertising.
    pub fn publish(&mut self, topic: &str, msg: &str) {
        self.send(
            A,
            &format!(r#"{{"op":"publish","topic":"{topic}","msg":{msg}}}"#),
        );
    }

    pub fn twist(&mut self, linear: f64, angular: f64) {
        self.publish(
            "/cmd_vel",
            &format!(r#"{{"linear":{{"x":{linear:?}}},"angular":{{"z":{angular:?}}}}}"#),
        );
    }

    /// Lets time pass, waking the vehicle when it wants to.
    pub fn wait(&mut self, span: Duration) {
        let end = self.now + span;
        loop {
            let next = self.vehicle.next_wakeup().min(end);
            self.now = next.max(self.now);
            self.vehicle.advance(self.now);
            self.drain();
            if self.now >= end {
                return;
            }
        }
    }

    pub fn wait_ms(&mut self, millis: u64) {
        self.wait(Duration::from_millis(millis));
    }

    /// Drives at 20 Hz for so long.
    pub fn drive(&mut self, linear: f64, angular: f64, millis: u64) {
        for _ in 0..millis / 50 {
            self.twist(linear, angular);
            self.wait_ms(50);
        }
    }

    pub fn state(&self) -> VehicleState {
        self.vehicle.state()
    }

    /// The frames that a client got, parsed.
    pub fn got(&self, client: ClientId) -> Vec<Value> {
        self.frames
            .iter()
            .filter(|(_, to, _)| *to == client)
            .map(|(_, _, text)| serde_json::from_str(text).unwrap())
            .collect()
    }

    /// The messages of one topic that a client got.
    pub fn got_on(&self, client: ClientId, topic: &str) -> Vec<Value> {
        self.got(client)
            .into_iter()
            .filter(|f| f["op"] == "publish" && f["topic"] == topic)
            .map(|f| f["msg"].clone())
            .collect()
    }

    /// Calls a service and gives the whole response.
    pub fn call(&mut self, client: ClientId, service: &str, args: &str) -> Option<Value> {
        let before = self.frames.len();
        self.send(
            client,
            &format!(r#"{{"op":"call_service","service":"{service}","args":{args},"id":"c"}}"#),
        );
        self.frames[before..]
            .iter()
            .filter(|(_, to, _)| *to == client)
            .map(|(_, _, text)| serde_json::from_str::<Value>(text).unwrap())
            .find(|f| f["op"] == "service_response")
    }

    /// What became of the newest frame, and why.
    pub fn last_outcome(&self) -> (FrameOutcome, Option<String>) {
        self.log
            .iter()
            .rev()
            .find_map(|line| match &line.entry {
                LogEntry::Frame {
                    outcome, reason, ..
                } => Some((*outcome, reason.clone())),
                _ => None,
            })
            .unwrap()
    }

    /// When each event of that name happened, ms.
    pub fn events(&self, name: &str) -> Vec<f64> {
        self.log
            .iter()
            .filter(|line| matches!(&line.entry, LogEntry::Event { event, .. } if event == name))
            .map(|line| line.t)
            .collect()
    }

    fn drain(&mut self) {
        while let Some(output) = self.vehicle.poll() {
            match output {
                Output::Frame { client, text } => self.frames.push((self.now, client, text)),
                Output::Binary { client, bytes } => self.binaries.push((self.now, client, bytes)),
                Output::Log(line) => self.log.push(line),
            }
        }
    }
}
