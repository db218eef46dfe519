//! The simulated vehicle against frames recorded from the real Humble server.
//!
//! The client's frames of each file are replayed at their times. What must agree: the messages
//! that reach the vehicle, the server's complaints word by word, and the answers of services.
#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test may panic, and some numbers are exact"
)]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use broomstick::units::Moment;
use broomstick::vehicle::log::{FrameOutcome, LogEntry};
use broomstick::vehicle::{ClientId, Options, RpmType, VelocityType};
use serde_json::{Value, json};
use support::{A, Bench};

/// Listens to `/rosout`, where the complaints show.
const OBSERVER: ClientId = ClientId(99);

#[derive(Debug, Default, PartialEq)]
struct Effects {
    /// Topic and message of what reached the vehicle.
    vehicle: Vec<(String, Value)>,
    /// The server's complaints, without the client's random name.
    complaints: Vec<String>,
    /// Service responses of each connection.
    responses: Vec<(String, Value)>,
    /// Topics of the samples that each connection got, neighbours merged.
    samples: BTreeMap<String, Vec<String>>,
}

struct Replay {
    options: Options,
    rename: Vec<(&'static str, &'static str)>,
    skip: Vec<&'static str>,
    /// What another client did shortly before the recording.
    before: Option<&'static str>,
}

impl Replay {
    fn plain() -> Self {
        Self {
            options: Options::default(),
            rename: vec![],
            skip: vec![],
            before: None,
        }
    }

    fn check(&self, file: &str) {
        let (recorded, simulated) = self.run(file);
        assert_eq!(
            simulated.vehicle, recorded.vehicle,
            "{file}: what reached the vehicle"
        );
        assert_eq!(
            simulated.complaints, recorded.complaints,
            "{file}: complaints"
        );
        for (ours, theirs) in simulated.responses.iter().zip(&recorded.responses) {
            assert_eq!(ours, theirs, "{file}: a response");
        }
        assert_eq!(
            simulated.responses.len(),
            recorded.responses.len(),
            "{file}: responses"
        );
        assert_eq!(simulated.samples, recorded.samples, "{file}: samples");
    }

    /// The effects of a file, as recorded and as simulated.
    fn run(&self, file: &str) -> (Effects, Effects) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/transcripts")
            .join(file);
        let mut text = fs::read_to_string(path).unwrap();
        for (from, to) in &self.rename {
            text = text.replace(from, to);
        }
        let mut recorded = Effects::default();
        // The recorded vehicle does not say how it stands with its commands.
        let mut bench = Bench::with(Options {
            has_command_state: false,
            ..self.options.clone()
        });
        bench.disconnect(A);
        bench.connect(OBSERVER);
        bench.send(OBSERVER, r#"{"op":"subscribe","topic":"/rosout"}"#);
        if let Some(frame) = self.before {
            bench.send(OBSERVER, frame);
        }
        let mut connections: BTreeMap<String, ClientId> = BTreeMap::new();
        let mut skipped: Vec<String> = Vec::new();
        for line in text.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let at = line["t"].as_f64().unwrap();
            if at >= 999.0 {
                continue;
            }
            let target = Moment::from_millis(1000.0 + at * 1000.0);
            bench.wait(target.since(bench.now));
            let name = line["conn"].as_str().unwrap_or_default().to_owned();
            let data = &line["data"];
            match line["dir"].as_str().unwrap() {
                "note" if data == "websocket open" => {
                    let next = ClientId(u32::try_from(connections.len()).unwrap() + 1);
                    let client = *connections.entry(name).or_insert(next);
                    bench.connect(client);
                }
                "client" => {
                    let frame = match data {
                        Value::String(frame) => frame.clone(),
                        binary => {
                            String::from_utf8(bytes(binary["hex"].as_str().unwrap())).unwrap()
                        }
                    };
                    if self.skip.iter().any(|part| frame.contains(part)) {
                        let id = serde_json::from_str::<Value>(&frame).unwrap()["id"].to_string();
                        skipped.push(id);
                        continue;
                    }
                    bench.send(connections[&name], &frame);
                }
                "vehicle" => recorded.vehicle.push((
                    data["topic"].as_str().unwrap().to_owned(),
                    masked(data["msg"].clone()),
                )),
                "log" if data["level"] == "ERROR" => {
                    recorded
                        .complaints
                        .push(anonymous(data["msg"].as_str().unwrap()));
                }
                "server" => {
                    let frame: Value = serde_json::from_str(data.as_str().unwrap()).unwrap();
                    if !skipped.contains(&frame["id"].to_string()) {
                        recorded.take_frame(&name, frame);
                    }
                }
                _ => {}
            }
        }
        let simulated = self.simulated(&bench, &connections);
        (recorded, simulated)
    }

    fn simulated(&self, bench: &Bench, connections: &BTreeMap<String, ClientId>) -> Effects {
        let mut effects = Effects::default();
        for line in &bench.log {
            if let LogEntry::Frame {
                topic,
                msg,
                outcome: FrameOutcome::Published,
                ..
            } = &line.entry
            {
                let topic = topic.clone().unwrap();
                let topic = if topic.starts_with('/') {
                    topic
                } else {
                    format!("/{topic}")
                };
                effects.vehicle.push((topic, masked(msg.clone().unwrap())));
            }
        }
        for message in bench.got_on(OBSERVER, "/rosout") {
            if message["level"] == 40 {
                effects
                    .complaints
                    .push(anonymous(message["msg"].as_str().unwrap()));
            }
        }
        let name_of: BTreeMap<ClientId, &String> = connections
            .iter()
            .map(|(name, client)| (*client, name))
            .collect();
        for (_, client, text) in &bench.frames {
            if let Some(name) = name_of.get(client) {
                effects.take_frame(name, serde_json::from_str(text).unwrap());
            }
        }
        effects
    }
}

impl Effects {
    fn take_frame(&mut self, connection: &str, frame: Value) {
        if frame["op"] == "publish" {
            let topics = self.samples.entry(connection.to_owned()).or_default();
            let topic = frame["topic"].as_str().unwrap().to_owned();
            if topics.last() != Some(&topic) {
                topics.push(topic);
            }
        } else {
            self.responses.push((connection.to_owned(), masked(frame)));
        }
    }
}

/// What two runs cannot agree on: the present time, addresses of Python objects, and numbers that
/// are not finite, which the recording has as texts.
fn masked(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let is_now = map
                .get("sec")
                .and_then(Value::as_i64)
                .is_some_and(|s| s > 1_750_000_000);
            if is_now {
                return json!("now");
            }
            map.into_iter()
                .map(|(key, value)| {
                    let odd = key == "nanosec" && value.as_i64().is_some_and(|n| n > 1_000);
                    (key, if odd { json!("now") } else { masked(value) })
                })
                .collect()
        }
        Value::Array(items) => items.into_iter().map(masked).collect(),
        Value::String(text) if ["nan", "inf", "-inf"].contains(&text.as_str()) => Value::Null,
        Value::String(text) if text.contains("object at 0x") => {
            let parts: Vec<&str> = text.split(" at 0x").collect();
            let kept: Vec<&str> = parts
                .iter()
                .enumerate()
                .map(|(i, part)| {
                    if i == 0 {
                        part
                    } else {
                        part.trim_start_matches(|c: char| c.is_ascii_hexdigit())
                    }
                })
                .collect();
            json!(kept.concat())
        }
        // serde_json reads the last digit of a float as it likes.
        Value::Number(number) if number.is_f64() => {
            json!(format!("{:.12e}", number.as_f64().unwrap()))
        }
        other => other,
    }
}

fn anonymous(complaint: &str) -> String {
    match complaint
        .strip_prefix("[Client ")
        .and_then(|rest| rest.split_once("] "))
    {
        Some((_, rest)) => rest.to_owned(),
        None => complaint.to_owned(),
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2)
        .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap())
        .collect()
}

#[test]
fn advertises_and_publishes_and_names_types_that_it_does_not_have() {
    Replay::plain().check("01_advertise_publish_twist.jsonl");
}

#[test]
fn takes_the_type_of_a_publish_without_advertise_from_the_graph() {
    Replay::plain().check("02_publish_without_advertise.jsonl");
}

#[test]
fn drops_a_message_for_one_null() {
    Replay::plain().check("04_null.jsonl");
}

#[test]
fn publishes_the_bare_tokens_nan_and_infinity() {
    Replay::plain().check("05_nan_bare_token.jsonl");
}

#[test]
fn drops_a_message_for_one_number_of_the_wrong_kind() {
    Replay::plain().check("06_float_into_int.jsonl");
}

#[test]
fn drops_a_message_for_one_number_out_of_range() {
    Replay::plain().check("07_rpm_3000_uint8.jsonl");
}

#[test]
fn takes_3000_rpm_where_the_definition_is_wider() {
    let wide = Replay {
        options: Options {
            rpm_type: RpmType::Uint16,
            ..Options::default()
        },
        rename: vec![
            ("auto_mc_ctrl_wide", "auto_mc_ctrl"),
            ("sweeper_msgs_wide", "sweeper_msgs"),
        ],
        // The narrow topic of the recording is not there.
        skip: vec!["\"conflict\"", "narrow topic"],
        before: None,
    };
    let (mut recorded, simulated) = wide.run("08_rpm_3000_uint16.jsonl");
    assert_eq!(simulated.vehicle, recorded.vehicle);
    recorded
        .complaints
        .retain(|c| !c.contains("conflict") && !c.contains("narrow topic"));
    assert_eq!(simulated.complaints, recorded.complaints);
}

#[test]
fn fills_missing_fields_with_zero_and_so_releases_the_brake() {
    Replay::plain().check("09_missing_fields.jsonl");
}

#[test]
fn stamps_headers_that_come_without_a_stamp() {
    Replay {
        options: Options {
            velocity_type: VelocityType::TwistStamped,
            ..Options::default()
        },
        rename: vec![("/cmd_vel_stamped", "/cmd_vel")],
        skip: vec![],
        before: None,
    }
    .check("10_twist_stamped.jsonl");
}

#[test]
fn subscribes_by_inference_and_by_type_and_rejects_numbers_that_are_not_integers() {
    Replay::plain().check("13_subscribe_rtk_plain.jsonl");
}

#[test]
fn unsubscribes_by_id_and_without_one() {
    Replay::plain().check("19_unsubscribe.jsonl");
}

#[test]
fn serves_several_clients_and_even_the_one_with_the_wrong_type() {
    Replay::plain().check("20_two_clients.jsonl");
}

#[test]
fn answers_with_time_version_and_what_is_wrong_with_the_arguments() {
    Replay::plain().check("23_rosapi_time_version.jsonl");
}

#[test]
fn says_at_once_that_a_service_is_absent() {
    Replay::plain().check("24_absent_service.jsonl");
}

#[test]
fn a_malformed_frame_may_poison_its_connection() {
    Replay::plain().check("25_malformed_json.jsonl");
}

#[test]
fn some_frames_kill_the_inbound_side_and_others_are_harmless() {
    for number in [0, 1, 2, 4, 6] {
        Replay::plain().check(&format!("26_odd_frame_{number}.jsonl"));
    }
}

#[test]
fn ignores_operations_that_it_does_not_know() {
    Replay::plain().check("27_unknown_op.jsonl");
}

#[test]
fn says_on_rosout_why_it_dropped_a_message() {
    let (recorded, simulated) = Replay::plain().run("34_rosout_shows_rejections.jsonl");
    assert_eq!(simulated.complaints, recorded.complaints);
    assert_eq!(simulated.complaints.len(), 3);
    assert_eq!(simulated.samples, recorded.samples);
}

#[test]
fn some_calls_are_the_end_of_rosapi_for_everyone_and_others_are_not() {
    for number in [0, 7] {
        Replay::plain().check(&format!("36_rosapi_bad_call_{number}.jsonl"));
    }
}

#[test]
fn describes_its_message_types_as_rosapi_does() {
    Replay {
        options: Options::default(),
        rename: vec![],
        // Types that this vehicle does not have.
        skip: vec![
            "sweeper_msgs_wide",
            "mavros_msgs",
            "sensor_msgs",
            "nav_msgs",
            "\"srd\"",
        ],
        before: None,
    }
    .check("23_rosapi_message_details.jsonl");
}

/// Topics that exist only on the recording's vehicle, or only on ours.
const NOT_COMMON: [&str; 9] = [
    "/auto_mc_ctrl_wide",
    "/camera/image/compressed",
    "/cmd_vel_stamped",
    "/connected_clients",
    "/gps/fix",
    "/mavros/setpoint_raw/attitude",
    "/parameter_events",
    "/rig/ctl",
    "/rtk_nan",
];

#[test]
fn lists_topics_types_and_nodes_as_rosapi_does() {
    let replay = Replay {
        options: Options::default(),
        rename: vec![],
        skip: vec![
            "node_details",
            "\"services\"",
            "services_for_type",
            "service_node",
            "_param",
            "sweeper_msgs_wide",
        ],
        before: Some(r#"{"op":"advertise","topic":"/cmd_vel","type":"geometry_msgs/msg/Twist"}"#),
    };
    let (recorded, simulated) = replay.run("22_rosapi_topics.jsonl");
    let common = |(connection, mut response): (String, Value)| {
        let topics = response["values"]["topics"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let keep: Vec<bool> = topics
            .iter()
            .map(|t| !NOT_COMMON.contains(&t.as_str().unwrap()))
            .collect();
        for key in ["topics", "types"] {
            if let Some(items) = response["values"][key].as_array_mut() {
                let mut kept = keep.iter();
                items.retain(|_| *kept.next().unwrap());
            }
        }
        (connection, response)
    };
    let ours: Vec<_> = simulated.responses.into_iter().map(common).collect();
    let theirs: Vec<_> = recorded.responses.into_iter().map(common).collect();
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(ours.len(), theirs.len());
}

#[test]
fn gives_definitions_whose_fields_and_constants_are_those_of_the_real_texts() {
    let (recorded, simulated) = Replay::plain().run("23_rosapi_raw_types.jsonl");
    let by_type = |effects: &Effects| -> BTreeMap<String, Vec<String>> {
        let values = &effects.responses[0].1["values"];
        let types = values["types"].as_array().unwrap();
        let texts = values["typedefs_full_text"].as_array().unwrap();
        types
            .iter()
            .zip(texts)
            .map(|(t, x)| (text(t), code_lines(&text(x))))
            .collect()
    };
    let theirs = by_type(&recorded);
    let ours = by_type(&simulated);
    assert_eq!(ours.len(), 5);
    for (name, lines) in ours {
        assert_eq!(lines, theirs[&name], "{name}");
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// The lines of a definition without comments, blank lines and runs of spaces.
fn code_lines(text: &str) -> Vec<String> {
    text.lines()
        .map(|line| {
            line.split('#')
                .next()
                .unwrap()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        })
        .filter(|line| !line.is_empty())
        .collect()
}
