//! Whatever a server sends, nothing panics and memory stays bounded.
//!
//! Frames of the recordings are damaged at random and read by everything that reads. A short run
//! comes with every test; `BROOMSTICK_LONG=600` runs for so many seconds, and `BROOMSTICK_SEED`
//! repeats a run.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use broomstick::monitor::{Input, Monitor, MonitorStart};
use broomstick::msgs::definition::Definitions;
use broomstick::rosbridge::session::{Session, SocketEvent, SocketId, SocketOutput};
use broomstick::rosbridge::{base64, cbor, cdr, decoders, frame, png};
use broomstick::units::{Moment, millis};
use broomstick::viewer::{self, Viewer, ViewerStart, Wish};
use fastrand::Rng;
use serde_json::{Value, json};

struct Corpus {
    texts: Vec<String>,
    binaries: Vec<Vec<u8>>,
    definitions: Vec<(String, String)>,
}

impl Corpus {
    fn recorded() -> Self {
        let mut corpus = Self {
            texts: Vec::new(),
            binaries: Vec::new(),
            definitions: Vec::new(),
        };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
        for entry in fs::read_dir(folder).unwrap() {
            let text = fs::read_to_string(entry.unwrap().path()).unwrap();
            for line in text.lines() {
                let line: Value = serde_json::from_str(line).unwrap();
                if line["dir"] != "server" {
                    continue;
                }
                match (line["data"].as_str(), line["data"]["base64"].as_str()) {
                    (Some(text), _) => corpus.take_text(text),
                    (_, Some(bytes)) => corpus.binaries.push(base64::decode(bytes).unwrap()),
                    _ => {}
                }
            }
        }
        corpus.texts.sort();
        corpus.binaries.sort();
        corpus
            .texts
            .push(r#"{"op":"png","data":"iVBORw0KGgoAAAANSUhEUgAAAAgAAAAJCAIAAACAMfp5AAAA4UlEQVR4nGOsVsr/ynB6A4NZqMOfL4J/du7cweDh7/f1C9NyiY2beC1CPN//YGbnevff+RvPv3X/mP/tZ7RSqH7h8yxo2801gt/5/jMxMbFxMvz7wfyH6afEbqED+9d5mfq95/z0/z/jr9///v9nZ2JhYvjD9IdHSPDAxi1u2o7GHzg/sf77zcT4g5GJjfUnAwMbK5e4wJHdB/n9tF213/K8+P6XgdHAwICBgYGRkZPxPwMD5+d3L13s/VmZfn9hcfH8dGy50CeGlzb2/rxMv79Yc+48tpz/lxCDSW0tFzYAAApOWAL+qa/PAAAAAElFTkSuQmCC"}"#.into());
        assert!(corpus.texts.len() > 100 && corpus.binaries.len() >= 25);
        corpus
    }

    fn take_text(&mut self, text: &str) {
        self.texts.push(text.to_owned());
        let frame: Value = serde_json::from_str(text).unwrap();
        let values = &frame["values"];
        let types = values["types"].as_array().into_iter().flatten();
        let texts = values["typedefs_full_text"]
            .as_array()
            .into_iter()
            .flatten();
        for (name, text) in types.zip(texts) {
            let own = |value: &Value| value.as_str().unwrap().to_owned();
            self.definitions.push((own(name), own(text)));
        }
    }
}

/// Bytes out of place: changed, lost, doubled, moved, or from another frame.
fn damaged(bytes: &[u8], other: &[u8], random: &mut Rng) -> Vec<u8> {
    const ODD: [&[u8]; 12] = [
        b"NaN",
        b"-Infinity",
        b"1e999",
        b"18446744073709551616",
        b"\\ud800",
        b"{\"op\":\"fragment\",\"id\":0,\"num\":0,\"total\":2.5,\"data\":\"",
        b"\xff\xff\xff\xff",
        b"\x9f\xbf\x5f\x7f",
        b"\xd8\x55\x48",
        b"null",
        b"[[[[[[[[",
        b"====\nMSG: a/B\n",
    ];
    let mut bytes = bytes.to_vec();
    for _ in 0..random.usize(..5) {
        let at = random.usize(..=bytes.len());
        let end = (at + random.usize(..40)).min(bytes.len());
        match random.u8(..7) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.u8(..8),
            1 => drop(bytes.drain(at..end)),
            2 => bytes.truncate(at),
            3 => {
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            4 => drop(bytes.splice(at..end, random.choice(ODD).unwrap().iter().copied())),
            5 => {
                let from = random.usize(..=other.len());
                let to = (from + random.usize(..200)).min(other.len());
                bytes.splice(at..at, other[from..to].iter().copied());
            }
            _ if at < bytes.len() => bytes[at] = random.u8(..),
            _ => {}
        }
    }
    bytes
}

fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

/// Everything that reads, with what it remembers between frames.
struct Readers {
    session: Session,
    socket: SocketId,
    monitor: Monitor,
    monitor_socket: Option<SocketId>,
    viewer: Viewer,
    viewer_socket: Option<SocketId>,
    definitions: Definitions,
    now: Moment,
}

impl Readers {
    fn new() -> Self {
        let now = Moment::START;
        let mut session = Session::new("ws://robot:9090", 1).with_decoders(decoders::ALL);
        session.connect(now);
        let Some(SocketOutput::Open { socket, .. }) = session.poll() else {
            panic!()
        };
        session.handle(socket, SocketEvent::Opened, now);
        Self {
            session,
            socket,
            monitor: Monitor::new(MonitorStart::default(), now),
            monitor_socket: None,
            viewer: viewer(now),
            viewer_socket: None,
            definitions: Definitions::default(),
            now,
        }
    }

    fn read_text(&mut self, text: &str) {
        let _ignored = frame::Response::decode(text);
        let _ignored = frame::topic_hint(text);
        let _ignored = png::decode(text);
        // An answer to a question that was asked, whatever it says.
        let text = match text.rfind("\"id\": \"") {
            Some(place) => format!("{}\"id\": \"call:{}\"}}", &text[..place], self.calls()),
            None => text.to_owned(),
        };
        self.hear(SocketEvent::Text(text));
    }

    fn read_binary(&mut self, bytes: &[u8]) {
        let _ignored = cbor::decode(bytes);
        for name in [
            "sweeper_msgs/Rtk",
            "sensor_msgs/NavSatFix",
            "rcl_interfaces/Log",
        ] {
            let _ignored = cdr::decode(&self.definitions, name, bytes);
            let _ignored = cdr::decode(&self.definitions, name, bytes.get(65..).unwrap_or(&[]));
        }
        let _ignored = png::decode(&base64::encode(bytes));
        self.hear(SocketEvent::Binary(bytes.to_vec()));
    }

    fn read_definition(&mut self, name: &str, text: &str) {
        let mut definitions = Definitions::default();
        if definitions.add_full_text(name, text).is_ok() {
            let name = broomstick::msgs::definition::short_name(name);
            let _ignored = definitions.full_text(&name);
            let _ignored = cdr::decode(&definitions, &name, &[0, 1, 0, 0, 1, 0, 0, 0, 2, 2, 2]);
            self.definitions = definitions;
        }
    }

    /// The number of the call that the monitor most likely waits for.
    fn calls(&mut self) -> u64 {
        self.session
            .call("/x", json!({}), millis(50), self.now)
            .map_or(0, |_| 1 + (self.now.as_millis() as u64) % 7)
    }

    fn hear(&mut self, event: SocketEvent) {
        self.session.handle(self.socket, event.clone(), self.now);
        self.session.tick(self.now);
        while self.session.poll().is_some() {}
        self.viewer_hears(event.clone());
        if let Some(socket) = self.monitor_socket {
            self.monitor.handle(Input::Socket(socket, event), self.now);
        }
        self.monitor.handle(Input::Tick, self.now);
        while let Some(output) = self.monitor.poll() {
            if let broomstick::monitor::Output::Socket(SocketOutput::Open { socket, .. }) = output {
                self.monitor_socket = Some(socket);
            }
        }
        if let Some(socket) = self.monitor_socket {
            let opened = Input::Socket(socket, SocketEvent::Opened);
            self.monitor.handle(opened, self.now);
        }
    }
}

/// It looks at everything that the recordings have.
fn viewer(now: Moment) -> Viewer {
    let mut viewer = Viewer::new(
        ViewerStart {
            url: "ws://robot:9090".into(),
            image_compression: "cbor-raw".into(),
            ..ViewerStart::default()
        },
        now,
    );
    for topic in [
        "/rtk_message",
        "/rtk_nan",
        "/rosout",
        "/camera/image/compressed",
        "/client_count",
    ] {
        let wish = Wish::Watch(topic.into());
        viewer.handle(viewer::Input::Wish(wish), now);
        let wish = Wish::Plot(topic.into(), "/lat".into());
        viewer.handle(viewer::Input::Wish(wish), now);
    }
    viewer
}

impl Readers {
    fn viewer_hears(&mut self, event: SocketEvent) {
        if let Some(socket) = self.viewer_socket {
            for event in [SocketEvent::Opened, event] {
                self.viewer
                    .handle(viewer::Input::Socket(socket, event), self.now);
            }
        }
        self.viewer.handle(viewer::Input::Tick, self.now);
        while let Some(output) = self.viewer.poll() {
            match output {
                viewer::Output::Socket(SocketOutput::Open { socket, .. }) => {
                    self.viewer_socket = Some(socket)
                }
                viewer::Output::Snapshot(snapshot) => {
                    for watched in &snapshot.watched {
                        assert!(watched.lines.len() <= 400);
                        assert!(watched.plots.iter().all(|plot| plot.points.len() <= 601));
                    }
                }
                _ => {}
            }
        }
    }
}

#[test]
fn whatever_a_server_sends_nothing_panics() {
    let seconds = std::env::var("BROOMSTICK_LONG").ok();
    let seconds = seconds.and_then(|text| text.parse().ok());
    let span = seconds.map_or(Duration::from_secs(2), Duration::from_secs);
    let seed = std::env::var("BROOMSTICK_SEED").ok();
    let seed = seed.and_then(|text| text.parse().ok()).unwrap_or(1);
    let corpus = Corpus::recorded();
    let mut random = Rng::with_seed(seed);
    let mut readers = Readers::new();
    let started = Instant::now();
    let mut frames = 0_u64;
    while started.elapsed() < span {
        for _ in 0..100 {
            frames += 1;
            readers.now = readers.now + millis(random.u64(..30));
            let other = random.choice(&corpus.texts).unwrap().as_bytes();
            match random.u8(..4) {
                0 | 1 => {
                    let text = random.choice(&corpus.texts).unwrap();
                    let text = text_of(damaged(text.as_bytes(), other, &mut random));
                    readers.read_text(&text);
                }
                2 => {
                    let bytes = random.choice(&corpus.binaries).unwrap();
                    let bytes = damaged(bytes, other, &mut random);
                    readers.read_binary(&bytes);
                }
                _ => {
                    let (name, text) = random.choice(&corpus.definitions).unwrap();
                    let name = text_of(damaged(name.as_bytes(), b"/", &mut random));
                    let text = text_of(damaged(text.as_bytes(), other, &mut random));
                    readers.read_definition(&name, &text);
                }
            }
        }
    }
    assert!(frames >= 100);
    println!(
        "{frames} damaged frames in {:?}, seed {seed}",
        started.elapsed()
    );
}
