//! Frames recorded from the real Humble server, replayed through codec and session.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use broomstick::monitor::{Input, Monitor, MonitorStart, Output};
use broomstick::msgs::definition::Definitions;
use broomstick::pilot::event::Event;
use broomstick::rosbridge::session::{
    CallError, Session, SessionEvent, SocketEvent, SocketId, SocketOutput,
};
use broomstick::rosbridge::{base64, cdr, decoders, frame};
use broomstick::units::{Moment, millis};
use serde_json::{Value, json};

/// One line of a transcript that the server sent.
struct Sent {
    at: Moment,
    connection: String,
    event: SocketEvent,
    /// The frame as the recorder read it.
    read: Option<Value>,
}

fn transcript(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/transcripts")
        .join(name);
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn every_transcript() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let names = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(names.len() >= 40, "{names:?}");
    names
}

/// What the server sent, without frames that the recorder shortened.
fn sent(name: &str) -> Vec<Sent> {
    let mut list = Vec::new();
    for line in transcript(name) {
        let data = &line["data"];
        if line["dir"] != "server" || data.get("text_len").is_some() {
            continue;
        }
        let (event, read) = match (data.as_str(), data["base64"].as_str()) {
            (Some(text), _) => (SocketEvent::Text(text.to_owned()), None),
            (None, Some(bytes)) => {
                let bytes = base64::decode(bytes).unwrap();
                if bytes.len() as u64 != data["len"].as_u64().unwrap() {
                    continue;
                }
                (SocketEvent::Binary(bytes), Some(as_we_read(&data["cbor"])))
            }
            _ => panic!("{name}: {data}"),
        };
        list.push(Sent {
            at: Moment::from_millis(line["t"].as_f64().unwrap() * 1000.0),
            connection: line["conn"].as_str().unwrap_or_default().to_owned(),
            event,
            read,
        });
    }
    list
}

/// The recorder writes bytes as hexadecimal digits and numbers that are not finite as words.
fn as_we_read(value: &Value) -> Value {
    match value {
        Value::String(text) if ["nan", "inf", "-inf"].contains(&text.as_str()) => Value::Null,
        Value::Array(items) => items.iter().map(as_we_read).collect(),
        Value::Object(map) => match (map.get("bytes_hex"), map.get("len")) {
            (Some(hex), Some(length)) => {
                let hex = hex.as_str().unwrap();
                let bytes: Vec<u8> = (0..hex.len() / 2)
                    .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap())
                    .collect();
                if bytes.len() as u64 == length.as_u64().unwrap() {
                    json!(base64::encode(&bytes))
                } else {
                    json!("shortened by the recorder")
                }
            }
            _ => map
                .iter()
                .map(|(key, value)| (key.clone(), as_we_read(value)))
                .collect(),
        },
        other => other.clone(),
    }
}

/// The last digit of a float read from text may differ from the one read from bytes.
fn rounded(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            json!(format!("{:.12e}", number.as_f64().unwrap()))
        }
        Value::Array(items) => items.iter().map(rounded).collect(),
        Value::Object(map) => map.iter().map(|(k, v)| (k.clone(), rounded(v))).collect(),
        other => other.clone(),
    }
}

fn open_session() -> (Session, SocketId) {
    let mut session = Session::new("ws://robot:9090", 1).with_decoders(decoders::ALL);
    session.connect(Moment::START);
    let Some(SocketOutput::Open { socket, .. }) = session.poll() else {
        panic!()
    };
    session.handle(socket, SocketEvent::Opened, Moment::START);
    (session, socket)
}

#[test]
fn every_frame_that_the_real_server_sent_is_read() {
    let (mut frames, mut messages) = (0, 0);
    for name in every_transcript() {
        let mut sessions: BTreeMap<String, (Session, SocketId)> = BTreeMap::new();
        for sent in sent(&name) {
            frames += 1;
            let (session, socket) = sessions.entry(sent.connection).or_insert_with(open_session);
            for event in session.handle(*socket, sent.event, sent.at) {
                match event {
                    SessionEvent::Message { topic, msg } => {
                        messages += 1;
                        if let Some(read) = &sent.read {
                            assert_eq!(read["topic"], topic, "{name}");
                            if !read.to_string().contains("shortened by the recorder") {
                                assert_eq!(rounded(&read["msg"]), rounded(&msg), "{name}");
                            }
                        }
                    }
                    // The recorder's own calls.
                    SessionEvent::OtherAnswer { .. } => {}
                    // The recorder called without an id and offered a service: no session does.
                    SessionEvent::BadFrame(words)
                        if words == "service_response without \"id\""
                            || words == "unknown op \"call_service\"" => {}
                    other => panic!("{name}: {other:?}"),
                }
            }
        }
    }
    assert!(frames > 400 && messages > 350, "{frames} {messages}");
}

#[test]
fn the_real_fragments_are_joined_whatever_their_order() {
    let pieces = sent("16_fragment_size.jsonl");
    let pieces: Vec<_> = pieces
        .into_iter()
        .filter(|sent| matches!(&sent.event, SocketEvent::Text(t) if t.contains("fragment\"")))
        .collect();
    let numbers = |backwards: bool| -> Vec<i64> {
        let (mut session, socket) = open_session();
        let mut numbers = Vec::new();
        // The publishes are three frames of four pieces each.
        for frame in pieces[..12].chunks(4) {
            let mut order: Vec<_> = frame.iter().collect();
            if backwards {
                order.reverse();
            }
            for piece in order {
                for event in session.handle(socket, piece.event.clone(), piece.at) {
                    let SessionEvent::Message { topic, msg } = event else {
                        panic!("{event:?}")
                    };
                    assert_eq!(topic, "/rtk_message");
                    numbers.push(msg["h_quality"].as_i64().unwrap());
                }
            }
        }
        numbers
    };
    assert_eq!(numbers(false), [1554, 1555, 1556]);
    assert_eq!(numbers(true), [1554, 1555, 1556]);
}

#[test]
fn a_lost_piece_costs_its_own_frame_only() {
    let (mut session, socket) = open_session();
    let mut events = Vec::new();
    for (place, sent) in sent("16_fragment_size.jsonl").into_iter().enumerate() {
        // A piece in the middle of the second message.
        if place != 5 {
            events.extend(session.handle(socket, sent.event, sent.at));
        }
    }
    let messages = events
        .iter()
        .filter(|event| matches!(event, SessionEvent::Message { .. }));
    assert_eq!(messages.count(), 2);
    let bad: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            SessionEvent::BadFrame(words) => Some(words.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(bad, ["fragments of /rtk_message given up: 3 of 4 came"]);
}

fn recorded_answers(name: &str) -> Vec<(Value, Value)> {
    let asked: BTreeMap<String, Value> = transcript(name)
        .iter()
        .filter(|line| line["dir"] == "client")
        .map(|line| serde_json::from_str::<Value>(line["data"].as_str().unwrap()).unwrap())
        .map(|frame| (frame["id"].to_string(), frame))
        .collect();
    sent(name)
        .into_iter()
        .filter_map(|sent| match sent.event {
            SocketEvent::Text(text) => match frame::Response::decode(&text).unwrap() {
                frame::Response::Service {
                    id,
                    result: Ok(values),
                } => Some((asked.get(&json!(id).to_string())?.clone(), values)),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

/// All types of the recording, by their texts.
fn definitions() -> Definitions {
    let (_, values) = recorded_answers("23_rosapi_raw_types.jsonl").remove(0);
    let mut definitions = Definitions::default();
    let types = values["types"].as_array().unwrap();
    for (name, text) in types
        .iter()
        .zip(values["typedefs_full_text"].as_array().unwrap())
    {
        let name = name.as_str().unwrap();
        definitions
            .add_full_text(name, text.as_str().unwrap())
            .unwrap();
    }
    definitions
}

#[test]
fn every_recorded_definition_is_read_with_its_nested_types_and_units() {
    let definitions = definitions();
    definitions.check().unwrap();
    let unit = |name: &str, field: &str| {
        let definition = definitions.get(name).unwrap();
        definition.field(field).unwrap().unit
    };
    assert_eq!(unit("sensor_msgs/NavSatFix", "latitude"), Some("°"));
    assert_eq!(unit("sensor_msgs/NavSatFix", "altitude"), Some("m"));
    assert_eq!(
        unit("sensor_msgs/NavSatFix", "position_covariance"),
        Some("m²")
    );
    assert_eq!(unit("geometry_msgs/Vector3", "x"), None);
}

#[test]
fn message_details_say_the_same_as_the_texts() {
    let by_text = definitions();
    let mut compared = 0;
    for (asked, values) in recorded_answers("23_rosapi_message_details.jsonl") {
        let mut by_details = Definitions::default();
        by_details.add_details(&values);
        for typedef in values["typedefs"].as_array().into_iter().flatten() {
            let name = typedef["type"].as_str().unwrap();
            let (Some(text), Some(details)) = (by_text.get(name), by_details.get(name)) else {
                continue;
            };
            let fields = |d: &broomstick::msgs::definition::Definition| -> Vec<_> {
                let fields = d.fields.iter();
                fields
                    .map(|f| (f.name.clone(), f.kind.clone(), f.arity))
                    .collect()
            };
            assert_eq!(fields(text), fields(details), "{name} for {asked}");
            compared += 1;
        }
    }
    assert!(compared >= 8, "{compared}");
}

#[test]
fn cdr_is_read_by_the_definition() {
    let definitions = definitions();
    let mut numbers = Vec::new();
    for sent in sent("15_compression_cbor-raw.jsonl") {
        let message = &sent.read.unwrap()["msg"];
        let bytes = base64::decode(message["bytes"].as_str().unwrap()).unwrap();
        let rtk = cdr::decode(&definitions, "sweeper_msgs/Rtk", &bytes).unwrap();
        let lat = rtk["lat"].as_f64().unwrap();
        assert!((31.2304..31.2306).contains(&lat), "{rtk}");
        assert_eq!(rtk["speed"].as_f64(), Some(f64::from(0.8_f32)));
        assert_eq!(rtk["p_quality"], 4);
        numbers.push(rtk["h_quality"].as_i64().unwrap());
    }
    assert_eq!(numbers, (1410..1421).collect::<Vec<_>>());
}

#[test]
fn a_service_that_hangs_times_out_while_messages_flow() {
    let (mut session, socket) = open_session();
    let mut events = Vec::new();
    let mut call = None;
    for sent in sent("24_service_hang.jsonl") {
        if sent.connection != "A" {
            continue;
        }
        if call.is_none() {
            call = session.call("/slow", Value::Null, millis(2000), sent.at);
        }
        let SocketEvent::Text(text) = sent.event else {
            panic!()
        };
        let text = text.replace("\"hang\"", "\"call:1\"");
        events.extend(session.tick(sent.at));
        events.extend(session.handle(socket, SocketEvent::Text(text), sent.at));
    }
    let answers: Vec<_> = events
        .iter()
        .filter(|event| matches!(event, SessionEvent::Answer { .. }))
        .collect();
    let timed_out = SessionEvent::Answer {
        call: call.unwrap(),
        result: Err(CallError::TimedOut),
    };
    assert_eq!(answers, [&timed_out]);
    assert_eq!(events.len(), 13, "{events:?}");
}

#[test]
fn what_the_log_says_of_the_topics_of_others_is_not_ours() {
    let now = Moment::START;
    let mut monitor = Monitor::new(MonitorStart::default(), now);
    let mut words = Vec::new();
    let mut socket = None;
    let mut drain = |monitor: &mut Monitor| {
        while let Some(output) = monitor.poll() {
            match output {
                Output::Socket(SocketOutput::Open { socket: opened, .. }) => socket = Some(opened),
                Output::Event(Event::Rejected { detail }) => words.push(detail),
                _ => {}
            }
        }
        socket.unwrap()
    };
    let socket = drain(&mut monitor);
    monitor.handle(Input::Socket(socket, SocketEvent::Opened), now);
    for topic in ["/a//b/console/heartbeat", "/cmd_vel2", "/cmd_vel"] {
        let msg = format!(
            "[Client 7] [id: x] publish: Cannot infer topic type for topic {topic} as it is not yet advertised"
        );
        let log = serde_json::json!({"op": "publish", "topic": "/rosout",
            "msg": {"level": 40, "name": "rosbridge_websocket", "msg": msg}});
        let event = SocketEvent::Text(log.to_string());
        monitor.handle(Input::Socket(socket, event), now);
        drain(&mut monitor);
    }
    assert_eq!(words.len(), 1, "{words:?}");
    assert!(words[0].contains("topic /cmd_vel as"), "{words:?}");
}

#[test]
fn the_log_gives_the_words_for_a_rejected_publish() {
    let now = Moment::START;
    let mut monitor = Monitor::new(MonitorStart::default(), now);
    let mut words = Vec::new();
    let mut socket = None;
    let mut drain = |monitor: &mut Monitor| {
        while let Some(output) = monitor.poll() {
            match output {
                Output::Socket(SocketOutput::Open { socket: opened, .. }) => socket = Some(opened),
                Output::Event(Event::Rejected { detail }) => words.push(detail),
                _ => {}
            }
        }
        socket.unwrap()
    };
    let socket = drain(&mut monitor);
    monitor.handle(Input::Socket(socket, SocketEvent::Opened), now);
    for sent in sent("34_rosout_shows_rejections.jsonl") {
        monitor.handle(Input::Socket(socket, sent.event), sent.at);
        drain(&mut monitor);
    }
    drain(&mut monitor);
    assert!(
        words.iter().any(|words| words.contains("rpm")),
        "{words:#?}"
    );
    assert!(
        words.iter().all(|words| !words.contains("[Client")),
        "{words:#?}"
    );
}
