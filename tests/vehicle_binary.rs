//! The native vehicle as its users start it: options, a real WebSocket, the log, the commands.
#![cfg(feature = "vehicle")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::float_cmp,
    reason = "a test may panic, and some numbers are exact"
)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

struct Running {
    child: Child,
    url: String,
    log: PathBuf,
}

impl Running {
    fn start(name: &str, options: &[&str]) -> Self {
        let log = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.jsonl"));
        let mut child = Command::new(env!("CARGO_BIN_EXE_vehicle"))
            .args(["--port", "0", "--log"])
            .arg(&log)
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let url = line
            .trim()
            .strip_prefix("listening on ")
            .unwrap()
            .to_owned();
        Self { child, url, log }
    }

    fn connect(&self, path: &str) -> WebSocket<MaybeTlsStream<TcpStream>> {
        let (socket, _) = tungstenite::connect(format!("{}{path}", self.url)).unwrap();
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream
                .set_read_timeout(Some(Duration::from_secs(5)))
                .unwrap();
            stream.set_nodelay(true).unwrap();
        }
        socket
    }

    fn command(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The lines of the log so far.
    fn log(&self) -> Vec<Value> {
        let text = fs::read_to_string(&self.log).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn send(socket: &mut WebSocket<MaybeTlsStream<TcpStream>>, text: &str) {
    socket.send(Message::text(text)).unwrap();
}

fn read_text(socket: &mut WebSocket<MaybeTlsStream<TcpStream>>) -> String {
    socket
        .read()
        .unwrap()
        .into_text()
        .unwrap()
        .as_str()
        .to_owned()
}

#[test]
fn drives_echoes_and_logs_over_a_real_socket_on_any_path() {
    let vehicle = Running::start("drives", &[]);
    let mut socket = vehicle.connect("/rosbridge");
    send(
        &mut socket,
        r#"{"op":"advertise","topic":"/cmd_vel","type":"geometry_msgs/msg/Twist"}"#,
    );
    send(&mut socket, r#"{"op":"subscribe","topic":"/cmd_vel"}"#);
    let mut slowest = Duration::ZERO;
    for _ in 0..20 {
        let sent = Instant::now();
        send(
            &mut socket,
            r#"{"op":"publish","topic":"/cmd_vel","msg":{"linear":{"x":0.5}}}"#,
        );
        assert!(read_text(&mut socket).contains("0.5"));
        slowest = slowest.max(sent.elapsed());
        std::thread::sleep(Duration::from_millis(25));
    }
    assert!(
        slowest < Duration::from_millis(200),
        "an echo took {slowest:?}"
    );
    socket.close(None).unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let log = vehicle.log();
    let frames = log
        .iter()
        .filter(|l| l["kind"] == "frame" && l["outcome"] == "published");
    assert_eq!(frames.count(), 20);
    assert!(
        log.iter()
            .any(|l| l["kind"] == "event" && l["event"] == "command_timeout")
    );
    assert!(log.iter().any(|l| l["kind"] == "disconnect"));
    let fastest = log
        .iter()
        .filter_map(|l| l["v"].as_f64())
        .fold(0.0, f64::max);
    assert!(fastest > 0.2, "{fastest} m/s");
    assert_eq!(log.iter().rev().find_map(|l| l["v"].as_f64()), Some(0.0));
}

#[test]
fn obeys_the_commands_on_standard_input() {
    let mut vehicle = Running::start("commands", &["--namespace", "robot1"]);
    let mut socket = vehicle.connect("");
    send(
        &mut socket,
        r#"{"op":"subscribe","topic":"/robot1/rtk_message"}"#,
    );
    assert!(read_text(&mut socket).contains("\"p_quality\": 4"));
    let mut wait_for = |vehicle: &mut Running, command: &str, part: &str| {
        vehicle.command(command);
        let seen = (0..20).any(|_| read_text(&mut socket).contains(part));
        assert!(seen, "{command}: no frame with {part}");
    };
    wait_for(&mut vehicle, "rtk null", "\"lat\": null");
    wait_for(&mut vehicle, "rtk nan", "\"lat\": NaN");
    wait_for(
        &mut vehicle,
        "rtk quality 1 0",
        "\"p_quality\": 1, \"h_quality\": 0",
    );
    wait_for(&mut vehicle, "rtk ok", "\"lat\": 31.");
    wait_for(&mut vehicle, "raw {not json", "{not json");
}

#[test]
fn closes_with_1009_what_is_too_big_and_serves_the_others_on() {
    let vehicle = Running::start("big", &[]);
    let mut other = vehicle.connect("");
    let mut socket = vehicle.connect("");
    let text = "x".repeat(10_000_001);
    // The server may hang up while we still write.
    let end = match socket.send(Message::text(text)) {
        Ok(()) => socket.read(),
        Err(error) => Err(error),
    };
    if let Ok(Message::Close(Some(frame))) = &end {
        assert_eq!(u16::from(frame.code), 1009);
    } else {
        assert!(end.is_err(), "{end:?}");
    }
    send(
        &mut other,
        r#"{"op":"call_service","service":"/rosapi/get_ros_version"}"#,
    );
    assert!(read_text(&mut other).contains("humble"));
}

#[test]
fn has_a_camera_and_a_fast_topic_when_asked_and_packs_frames_in_bytes() {
    let options = ["--sensors", "--camera", "20:30000", "--fast-topic"];
    let vehicle = Running::start("camera", &options);
    let mut camera = vehicle.connect("");
    send(
        &mut camera,
        r#"{"op":"subscribe","topic":"/camera/image/compressed","compression":"cbor"}"#,
    );
    let Message::Binary(bytes) = camera.read().unwrap() else {
        panic!("no binary frame")
    };
    let frame = broomstick::rosbridge::cbor::decode(&bytes).unwrap();
    let picture = broomstick::viewer::picture::of(&frame["msg"]).unwrap();
    assert_eq!((picture.mime, picture.bytes.len()), ("image/png", 30_000));

    let mut fast = vehicle.connect("");
    send(&mut fast, r#"{"op":"subscribe","topic":"/fast"}"#);
    read_text(&mut fast);
    let begin = Instant::now();
    for _ in 0..1000 {
        assert!(read_text(&mut fast).contains("/fast"));
    }
    let took = begin.elapsed().as_secs_f64();
    assert!((0.8..5.0).contains(&took), "1000 messages in {took} s");

    for wrong in ["0", "x", "6000:1", "1:99999999"] {
        let refused = Command::new(env!("CARGO_BIN_EXE_vehicle"))
            .args(["--camera", wrong])
            .output()
            .unwrap();
        assert!(!refused.status.success(), "{wrong}");
    }
}

#[test]
fn names_the_port_that_it_cannot_have_and_the_option_that_makes_no_sense() {
    let vehicle = Running::start("port", &[]);
    let port = vehicle.url.rsplit(':').next().unwrap().to_owned();
    let taken = Command::new(env!("CARGO_BIN_EXE_vehicle"))
        .args(["--port", &port])
        .output();
    let taken = taken.unwrap();
    assert!(!taken.status.success());
    assert!(String::from_utf8_lossy(&taken.stderr).contains(&port));
    let wrong = Command::new(env!("CARGO_BIN_EXE_vehicle"))
        .args(["--mc-timeout", "0"])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("off"));
}

#[test]
fn is_a_multirotor_when_asked_or_several_vehicles_that_the_log_names() {
    let alone = Running::start("uav", &["--kind", "multirotor"]);
    let mut socket = alone.connect("");
    send(
        &mut socket,
        r#"{"op":"call_service","service":"/motors","args":{"data":true}}"#,
    );
    assert!(read_text(&mut socket).contains(r#""success": true"#));

    let options = [
        "--vehicle",
        "uav1:multirotor",
        "--vehicle",
        "yard/s1:sweeper",
    ];
    let several = Running::start("fleet", &options);
    let mut socket = several.connect("");
    send(
        &mut socket,
        r#"{"op":"subscribe","topic":"/yard/s1/rtk_message"}"#,
    );
    assert!(read_text(&mut socket).contains("/yard/s1/rtk_message"));
    std::thread::sleep(Duration::from_millis(300));
    let log = several.log();
    let of = |kind: &str| {
        let line = log.iter().find(|line| line["kind"] == kind);
        line.unwrap().clone()
    };
    assert_eq!(of("flight")["vehicle"], "uav1");
    assert_eq!(of("state")["vehicle"], "yard/s1");
    let north = |line: &Value| line["lat"].as_f64().unwrap() * 111_000.0;
    let apart = north(&of("flight")) - north(&of("state"));
    assert!((apart - 4.0 * 0.866).abs() < 0.1, "{apart} m to the north");
}

#[test]
fn names_the_vehicle_that_makes_no_sense() {
    for (options, word) in [
        (&["--vehicle", "uav1"][..], "NS:KIND"),
        (&["--vehicle", "/:sweeper"], "namespace"),
        (&["--vehicle", "uav1:boat"], "boat"),
        (&["--kind", "boat"], "boat"),
        (
            &["--vehicle", "a:sweeper", "--vehicle", "/a/:multirotor"],
            "two vehicles",
        ),
    ] {
        let wrong = Command::new(env!("CARGO_BIN_EXE_vehicle"))
            .args(["--port", "0"])
            .args(options)
            .output()
            .unwrap();
        assert!(!wrong.status.success(), "{options:?}");
        let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
        assert!(said.contains(word), "{options:?}: {said}");
    }
}
