//! The simulated vehicle packs, cuts and paces as the real server does; the viewer reads it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::float_cmp,
    reason = "a test may panic, and some numbers are exact"
)]

mod support;

use std::fs;
use std::path::Path;

use broomstick::msgs::std_msgs::Time;
use broomstick::rosbridge::session::{SocketEvent, SocketId, SocketOutput};
use broomstick::rosbridge::{base64, cbor, cdr};
use broomstick::units::{Moment, millis};
use broomstick::vehicle::Options;
use broomstick::vehicle::definition::{Definitions, on_board};
use broomstick::vehicle::equipment::{Camera, Equipment, EquipmentOptions};
use broomstick::vehicle::json::Json;
use broomstick::vehicle::pack::pack;
use broomstick::vehicle::subscription::Packing;
use broomstick::viewer::snapshot::{Summary, ViewerSnapshot, Watched};
use broomstick::viewer::{Input, Output, Viewer, ViewerStart, Wish};
use serde_json::{Value, json};
use support::{A, Bench};

fn transcript(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/transcripts")
        .join(name);
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn recorded(name: &str, direction: &str) -> Vec<Value> {
    let lines = transcript(name).into_iter();
    lines.filter(|line| line["dir"] == direction).collect()
}

fn equipped(options: EquipmentOptions) -> Bench {
    let mut bench = Bench::with(Options {
        has_levels: true,
        ..Options::default()
    });
    let equipment = Equipment::new(&options, bench.now);
    bench.vehicle.equip(Box::new(equipment));
    bench
}

const SENSORS: EquipmentOptions = EquipmentOptions {
    has_sensors: true,
    has_heading: true,
    camera: Some(Camera {
        hz: 5.0,
        bytes: 40_000,
    }),
    fast_hz: None,
};

#[test]
fn recorded_messages_are_packed_into_the_recorded_bytes() {
    let definitions = on_board("uint8", &[]).unwrap();
    let mut compared = 0;
    for line in recorded("15_compression_cbor.jsonl", "server") {
        let bytes = base64::decode(line["data"]["base64"].as_str().unwrap()).unwrap();
        let message = &line["data"]["cbor"]["msg"];
        // The recording's own order of keys is lost in serde_json; the definition has it.
        let message = Json::parse(&message.to_string()).unwrap();
        let packed = pack(
            &definitions,
            Packing::Cbor,
            "sweeper_msgs/Rtk",
            "/rtk_message",
            &message,
            Time::default(),
        );
        let (ours, theirs) = (packed.unwrap(), bytes);
        assert_eq!(ours.len(), theirs.len());
        // serde_json may have read the last digit of a float otherwise.
        let differing = ours.iter().zip(&theirs).filter(|(a, b)| a != b);
        assert!(differing.count() <= 3);
        compared += 1;
    }
    for line in recorded("15_compression_cbor-raw.jsonl", "server") {
        let theirs = base64::decode(line["data"]["base64"].as_str().unwrap()).unwrap();
        let frame = cbor::decode(&theirs).unwrap();
        let raw = base64::decode(frame["msg"]["bytes"].as_str().unwrap()).unwrap();
        let message = cdr::decode(&definitions, "sweeper_msgs/Rtk", &raw).unwrap();
        let message = Json::parse(&message.to_string()).unwrap();
        let part = |name: &str| frame["msg"][name].as_i64().unwrap();
        let time = Time {
            sec: i32::try_from(part("secs")).unwrap(),
            nanosec: u32::try_from(part("nsecs")).unwrap(),
        };
        let kind = "sweeper_msgs/Rtk";
        let packed = pack(
            &definitions,
            Packing::CborRaw,
            kind,
            "/rtk_message",
            &message,
            time,
        );
        assert_eq!(packed.unwrap(), theirs);
        compared += 1;
    }
    assert_eq!(compared, 22);
}

#[test]
fn a_small_fragment_size_cuts_everything_of_that_connection() {
    let mut bench = Bench::new();
    bench.send(
        A,
        r#"{"op":"subscribe","topic":"/rtk_message","fragment_size":60,"id":"sub"}"#,
    );
    bench.wait_ms(110);
    let pieces = bench.got(A);
    let count = pieces.len();
    assert_eq!(pieces[0]["total"].as_f64().unwrap().floor(), count as f64);
    for (number, piece) in pieces.iter().enumerate() {
        assert_eq!(piece["op"], "fragment");
        assert_eq!((&piece["id"], &piece["num"]), (&json!(0), &json!(number)));
    }
    let joined: String = pieces
        .iter()
        .map(|piece| piece["data"].as_str().unwrap())
        .collect();
    let whole: Value = serde_json::from_str(&joined).unwrap();
    assert_eq!(whole["topic"], "/rtk_message");

    // An answer is cut too, piece by piece as it was recorded.
    bench.send(
        A,
        r#"{"op":"unsubscribe","topic":"/rtk_message","id":"sub"}"#,
    );
    let before = bench.frames.len();
    let call = r#"{"op":"call_service","service":"/rosapi/topic_type","args":{"topic":"/cmd_vel"},"id":"svc"}"#;
    bench.send(A, call);
    let ours: Vec<String> = bench.frames[before..].iter().map(|f| f.2.clone()).collect();
    let theirs: Vec<String> = recorded("16_fragment_size.jsonl", "server")
        .iter()
        .filter_map(|line| line["data"].as_str())
        .filter(|frame| frame.contains("\"id\": \"svc\"") && frame.contains("fragment"))
        .map(str::to_owned)
        .collect();
    assert_eq!(ours, theirs);

    // Bytes cannot be cut, and any operation may change the size.
    bench.send(
        A,
        r#"{"op":"subscribe","topic":"/rtk_message","compression":"cbor"}"#,
    );
    bench.wait_ms(200);
    assert!(bench.binaries.is_empty());
    bench.send(
        A,
        r#"{"op":"unsubscribe","topic":"/x","fragment_size":100000}"#,
    );
    let before = bench.frames.len();
    bench.send(A, &call.replace("svc", "svc2"));
    assert_eq!(bench.frames.len(), before + 1);
}

/// Milliseconds between the samples that a client got.
fn gaps(times: &[f64]) -> Vec<f64> {
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn throttle_and_queue_pace_as_they_were_recorded() {
    for file in [
        "14_throttle_0_queue_1.jsonl",
        "14_throttle_50_queue_1.jsonl",
        "14_throttle_500_queue_0.jsonl",
        "14_throttle_500_queue_1.jsonl",
        "14_throttle_500_queue_3.jsonl",
        "14_throttle_queue_resubscribe.jsonl",
    ] {
        let mut bench = Bench::new();
        let mut theirs = Vec::new();
        let mut last = 0.0;
        for line in transcript(file) {
            let at = line["t"].as_f64().unwrap();
            if at >= 999.0 {
                continue;
            }
            last = at * 1000.0;
            let target = Moment::from_millis(last);
            bench.wait(target.since(bench.now));
            match line["dir"].as_str().unwrap() {
                "client" => bench.send(A, line["data"].as_str().unwrap()),
                "server" => theirs.push(last),
                _ => {}
            }
        }
        let ours: Vec<f64> = bench.frames.iter().map(|(at, ..)| at.as_millis()).collect();
        // Without a queue a sample that comes a hair too early is dropped, and the next one is
        // 100 ms away: the recording's samples were late and early by such hairs.
        let (more, later) = if file.contains("500_queue_0") {
            (2.0, 101.0)
        } else {
            (1.0, 15.0)
        };
        let (a, b) = (ours.len() as f64, theirs.len() as f64);
        assert!(
            (a - b).abs() <= more,
            "{file}: {a} samples of {b} in {last} ms"
        );
        // Phases differ, paces do not.
        let median = |mut gaps: Vec<f64>| {
            gaps.sort_by(f64::total_cmp);
            gaps[gaps.len() / 2]
        };
        let (a, b) = (median(gaps(&ours)), median(gaps(&theirs)));
        assert!((a - b).abs() < later, "{file}: every {a} ms instead of {b}");
    }
}

#[test]
fn a_picture_of_a_message_never_arrives_and_the_log_says_so() {
    let mut bench = equipped(SENSORS);
    bench.send(A, r#"{"op":"subscribe","topic":"/rosout"}"#);
    let ask = |topic: &str, how: &str| {
        format!(r#"{{"op":"subscribe","topic":"{topic}","compression":"{how}"}}"#)
    };
    bench.send(A, &ask("/rtk_message", "png"));
    bench.send(A, &ask("/gps/fix", "cbor"));
    bench.send(A, &ask("/battery_state", "zip"));
    bench.wait_ms(1500);
    assert!(bench.got_on(A, "/rtk_message").is_empty());
    assert!(bench.binaries.is_empty(), "fixed-size arrays have no CBOR");
    // A word that the server does not know means none.
    assert!(!bench.got_on(A, "/battery_state").is_empty());
    let said = |part: &str| {
        let log = bench.got_on(A, "/rosout");
        log.iter()
            .any(|line| line["level"] == 40 && line["msg"].as_str().unwrap().contains(part))
    };
    assert!(said("not JSON serializable"));
    assert!(said("'numpy.ndarray' object has no attribute"));
    // The recording says the same of both.
    for (file, part) in [
        ("15_compression_png.jsonl", "not JSON serializable"),
        (
            "15_compression_cbor_nan.jsonl",
            "'numpy.ndarray' object has no attribute 'get_fields_and_field_types'",
        ),
    ] {
        let log = recorded(file, "log");
        assert!(
            log.iter()
                .any(|line| line["data"]["msg"].as_str().unwrap().contains(part)),
            "{file}"
        );
    }
}

#[test]
fn raw_and_plain_clients_of_one_topic_starve_each_other() {
    let mut bench = equipped(SENSORS);
    bench.connect(support::B);
    let ask = r#"{"op":"subscribe","topic":"/odom","compression":"cbor-raw"}"#;
    bench.send(A, ask);
    bench.send(support::B, r#"{"op":"subscribe","topic":"/odom"}"#);
    bench.wait_ms(500);
    assert!(bench.binaries.len() > 5);
    assert!(bench.got_on(support::B, "/odom").is_empty());
}

#[test]
fn what_is_not_finite_is_null_but_for_fixed_arrays_which_have_the_bare_token() {
    let mut bench = equipped(SENSORS);
    bench.send(A, r#"{"op":"subscribe","topic":"/gps/fix"}"#);
    bench.wait_ms(300);
    let (.., text) = bench.frames.last().unwrap();
    assert!(text.contains(r#""altitude": null"#), "{text}");
    assert!(text.contains("0.0, 0.0, 0.0, NaN], "), "{text}");
    assert!(serde_json::from_str::<Value>(text).is_err());
}

#[test]
fn bytes_come_as_base64_or_as_a_list_and_leave_as_base64() {
    let mut bench = equipped(SENSORS);
    bench.send(
        A,
        r#"{"op":"subscribe","topic":"/p","type":"sensor_msgs/CompressedImage"}"#,
    );
    for data in [r#""AQID""#, "[1, 2, 3]"] {
        bench.publish("/p", &format!(r#"{{"data": {data}}}"#));
        assert_eq!(bench.got_on(A, "/p").pop().unwrap()["data"], "AQID");
    }
    let before = bench.got_on(A, "/p").len();
    for data in [r#""?""#, "[256]", "[1.0]", "7"] {
        bench.publish("/p", &format!(r#"{{"data": {data}}}"#));
    }
    assert_eq!(bench.got_on(A, "/p").len(), before);
}

/// A viewer connected to a simulated vehicle, on virtual time.
struct Screen {
    bench: Bench,
    viewer: Viewer,
    socket: SocketId,
    snapshot: ViewerSnapshot,
    pictures: Vec<Vec<u8>>,
    taken: (usize, usize),
}

impl Screen {
    fn new(options: EquipmentOptions, image_compression: &str) -> Self {
        let bench = equipped(options);
        let start = ViewerStart {
            url: "ws://vehicle:9090".into(),
            image_compression: image_compression.into(),
            reserved: vec!["/cmd_vel".into(), "/auto_mc_ctrl".into()],
            ..ViewerStart::default()
        };
        let viewer = Viewer::new(start, bench.now);
        let mut screen = Self {
            bench,
            viewer,
            socket: SocketId(0),
            snapshot: ViewerSnapshot::default(),
            pictures: Vec::new(),
            taken: (0, 0),
        };
        screen.exchange();
        screen.hear(SocketEvent::Opened);
        screen
    }

    fn hear(&mut self, event: SocketEvent) {
        let input = Input::Socket(self.socket, event);
        self.viewer.handle(input, self.bench.now);
        self.exchange();
    }

    fn wish(&mut self, wish: Wish) {
        self.viewer.handle(Input::Wish(wish), self.bench.now);
        self.exchange();
    }

    fn exchange(&mut self) {
        while let Some(output) = self.viewer.poll() {
            match output {
                Output::Socket(SocketOutput::Open { socket, .. }) => self.socket = socket,
                Output::Socket(SocketOutput::Send { text, .. }) => self.bench.send(A, &text),
                Output::Snapshot(snapshot) => self.snapshot = *snapshot,
                Output::Picture { bytes, .. } => self.pictures.push(bytes),
                Output::Socket(SocketOutput::Close { .. }) => panic!("closed"),
                Output::Survey(_) | Output::Work(_) | Output::Keep(_) | Output::File { .. } => {}
            }
        }
    }

    fn wait(&mut self, span: u64) {
        for _ in 0..span / 5 {
            self.bench.wait(millis(5));
            while let Some((.., text)) = self.bench.frames.get(self.taken.0).cloned() {
                self.taken.0 += 1;
                self.hear(SocketEvent::Text(text));
            }
            while let Some((.., bytes)) = self.bench.binaries.get(self.taken.1).cloned() {
                self.taken.1 += 1;
                self.hear(SocketEvent::Binary(bytes));
            }
            self.viewer.handle(Input::Tick, self.bench.now);
            self.exchange();
        }
    }

    fn watched(&self, topic: &str) -> &Watched {
        let mut watched = self.snapshot.watched.iter();
        watched.find(|w| w.topic == topic).unwrap()
    }
}

#[test]
fn the_viewer_shows_what_the_vehicle_has() {
    let mut screen = Screen::new(SENSORS, "");
    screen.wait(1000);
    screen.wish(Wish::List(true));
    for topic in ["/odom", "/gps/fix", "/battery_state", "/diagnostics"] {
        screen.wish(Wish::Watch(topic.into()));
    }
    screen.wish(Wish::Camera(Some("/camera/image/compressed".into())));
    screen.bench.drive(0.5, 0.0, 1000);
    screen.wait(9000);
    let state = screen.bench.state();
    let Some(Summary::Odometry { x, y, yaw_deg, .. }) = screen.watched("/odom").summary else {
        panic!()
    };
    assert!((x.unwrap() - state.x).abs() < 1e-6 && (y.unwrap() - state.y).abs() < 1e-6);
    assert!((yaw_deg.unwrap() - 30.0).abs() < 1.0);
    let fix = screen.watched("/gps/fix");
    let Some(Summary::NavSatFix {
        altitude, sigma, ..
    }) = fix.summary
    else {
        panic!()
    };
    assert_eq!((altitude, sigma), (None, Some(0.02)));
    let latitude = fix.lines.iter().find(|l| l.name == "latitude").unwrap();
    assert_eq!(latitude.unit, "°");
    assert!(matches!(
        screen.watched("/battery_state").summary,
        Some(Summary::Battery { level: Some(_), .. })
    ));
    assert!(matches!(
        screen.watched("/diagnostics").summary,
        Some(Summary::Diagnostics {
            counts: [5, 0, 0, 0],
            ..
        })
    ));
    assert!(screen.pictures.len() > 30, "{}", screen.pictures.len());
    assert_eq!(screen.pictures[0].len(), 40_000);
    let row = |name: &str| {
        let mut rows = screen.snapshot.topics.iter();
        rows.find(|row| row.name == name).unwrap()
    };
    assert_eq!(row("/odom").publishers, Some(1));
    let rate = row("/gps/fix").traffic.unwrap().rate_hz.unwrap();
    assert!((4.0..6.0).contains(&rate), "{rate}");
    assert_eq!(screen.snapshot.bad_frames, 0, "{}", screen.snapshot.trouble);
}

#[test]
fn pictures_come_the_same_however_they_are_packed() {
    let mut files = Vec::new();
    for how in ["", "cbor", "cbor-raw"] {
        let mut screen = Screen::new(SENSORS, how);
        screen.wait(1000);
        screen.wish(Wish::Camera(Some("/camera/image/compressed".into())));
        screen.wait(1000);
        assert_eq!(how.is_empty(), screen.bench.binaries.is_empty());
        assert_eq!(screen.snapshot.bad_frames, 0, "{}", screen.snapshot.trouble);
        files.push(screen.pictures.remove(0));
    }
    assert_eq!(files[0], files[1]);
    assert_eq!(files[0], files[2]);
}

#[test]
fn a_topic_at_1_khz_is_paced_by_the_server_and_read_at_the_pace_of_eyes() {
    let fast = EquipmentOptions {
        fast_hz: Some(1000.0),
        ..EquipmentOptions::default()
    };
    let mut screen = Screen::new(fast, "");
    screen.wait(1000);
    screen.wish(Wish::List(true));
    screen.wish(Wish::Watch("/fast".into()));
    screen.wish(Wish::Plot("/fast".into(), "/data".into()));
    let before = screen.bench.frames.len();
    screen.wait(10_000);
    let since = screen.bench.frames.iter().skip(before);
    let frames = since.filter(|(_, _, text)| text.contains("/fast")).count();
    assert!(frames < 250, "throttled at the server: {frames}");
    let mut rows = screen.snapshot.topics.iter();
    let traffic = rows.find(|t| t.name == "/fast").unwrap().traffic.unwrap();
    assert!(traffic.is_at_limit && (15.0..21.0).contains(&traffic.rate_hz.unwrap()));
    let points = screen.watched("/fast").plots[0].points.len();
    assert!((90..=101).contains(&points), "{points}");
}

#[test]
fn every_type_of_the_vehicle_is_read_by_the_text_that_it_tells() {
    let mut bench = equipped(SENSORS);
    let answer = bench.call(A, "/rosapi/topics_and_raw_types", "{}").unwrap();
    let list = |name: &str| answer["values"][name].as_array().unwrap().clone();
    let mut definitions = Definitions::default();
    for (kind, text) in list("types").iter().zip(list("typedefs_full_text")) {
        definitions
            .add_full_text(kind.as_str().unwrap(), text.as_str().unwrap())
            .unwrap();
    }
    definitions.check().unwrap();
    assert!(definitions.get("diagnostic_msgs/KeyValue").is_some());
}
