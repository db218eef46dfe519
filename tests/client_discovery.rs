//! What the monitor asks a vehicle, and what it makes of the answers, on virtual time.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use broomstick::monitor::snapshot::{MonitorSnapshot, Role};
use broomstick::monitor::{Input, Monitor, MonitorStart, Output};
use broomstick::pilot::event::Event;
use broomstick::pilot::intent::{Definitions, Fact, Found};
use broomstick::rosbridge::session::{SocketEvent, SocketId, SocketOutput};
use broomstick::units::{Moment, millis};
use serde_json::{Value, json};

const MC_TEXT: &str = "uint8 brake\nuint8 gear\nuint16 rpm # wide\nfloat32 angle\n\
    uint16 angle_speed\nuint8 roll_brush_suction_direction\nuint8 roll_brush_suction\n\
    int8 side_brush\nint8 dust_shake\nint8 brush_deck_pusher\nint8 suction_squeeqee_pusher\n\
    int8 water_spray";
const RTK_TEXT: &str =
    "float64 lat\nfloat64 lon\nfloat32 head\nfloat32 speed\nint32 p_quality\nint32 h_quality";
const TWIST_TEXT: &str = "Vector3 linear\nVector3 angular\n====\nMSG: geometry_msgs/Vector3\n\
    float64 x\nfloat64 y\nfloat64 z";

/// A monitor and a server that a test plays.
struct Scene {
    monitor: Monitor,
    socket: SocketId,
    now: Moment,
    /// Calls without an answer yet: service, arguments, id.
    calls: Vec<(String, Value, String)>,
    /// Everything else that was sent.
    sent: Vec<Value>,
    definitions: Definitions,
    snapshots: Vec<MonitorSnapshot>,
    fixes: usize,
    /// How far the vehicle's clock is ahead, as often as it was told, ms.
    clocks: Vec<f64>,
    events: Vec<Event>,
}

impl Scene {
    fn new() -> Self {
        let mut scene = Self::connect(MonitorStart::default());
        // Not ours here.
        scene
            .calls
            .retain(|(service, ..)| service != "/rosapi/get_time");
        scene
    }

    fn connect(start: MonitorStart) -> Self {
        let now = Moment::START;
        let mut scene = Self {
            monitor: Monitor::new(start, now),
            socket: SocketId(0),
            now,
            calls: Vec::new(),
            sent: Vec::new(),
            definitions: Definitions::default(),
            snapshots: Vec::new(),
            fixes: 0,
            clocks: Vec::new(),
            events: Vec::new(),
        };
        scene.drain();
        scene.hear(SocketEvent::Opened);
        scene
    }

    fn hear(&mut self, event: SocketEvent) {
        let input = Input::Socket(self.socket, event);
        self.monitor.handle(input, self.now);
        self.drain();
    }

    fn frame(&mut self, frame: &Value) {
        self.hear(SocketEvent::Text(frame.to_string()));
    }

    fn wait(&mut self, span: u64) {
        let end = self.now + millis(span);
        while self.now < end {
            self.now = self
                .monitor
                .next_wakeup()
                .min(end)
                .max(self.now + millis(1));
            self.monitor.handle(Input::Tick, self.now);
            self.drain();
            // Something is always heard: the own heartbeat.
            self.frame(&json!({"op": "publish", "topic": "/console/heartbeat", "msg": {}}));
        }
    }

    fn drain(&mut self) {
        while let Some(output) = self.monitor.poll() {
            match output {
                Output::Socket(SocketOutput::Open { socket, .. }) => self.socket = socket,
                Output::Socket(SocketOutput::Send { text, .. }) => {
                    let mut frame: Value = serde_json::from_str(&text).unwrap();
                    if frame["op"] == "call_service" {
                        let text = |key: &str| frame[key].as_str().unwrap().to_owned();
                        let (service, id) = (text("service"), text("id"));
                        self.calls.push((service, frame["args"].take(), id));
                    } else {
                        self.sent.push(frame);
                    }
                }
                Output::Fact(Fact::Definitions(told)) => self.definitions = told,
                Output::Fact(Fact::Fix(_)) => self.fixes += 1,
                Output::Fact(Fact::VehicleClock { ahead_ms }) => self.clocks.push(ahead_ms),
                Output::Fact(_) | Output::Socket(SocketOutput::Close { .. }) => {}
                Output::Snapshot(snapshot) => self.snapshots.push(*snapshot),
                Output::Event(event) => self.events.push(event),
            }
        }
    }

    /// The oldest open call, which must be of this service; gives its arguments.
    fn answer(&mut self, service: &str, answer: Result<Value, &str>) -> Value {
        let (asked, args, id) = self.calls.remove(0);
        assert_eq!(asked, format!("/rosapi/{service}"));
        let (values, result) = match answer {
            Ok(values) => (values, true),
            Err(words) => (json!(words), false),
        };
        self.frame(
            &json!({"op": "service_response", "id": id, "values": values, "result": result}),
        );
        args
    }

    fn raw_types(&mut self, topics: &[(&str, &str, &str)]) {
        let list =
            |pick: fn(&(&str, &str, &str)) -> Value| -> Value { topics.iter().map(pick).collect() };
        let values = json!({
            "topics": list(|t| json!(t.0)),
            "types": list(|t| json!(t.1)),
            "typedefs_full_text": list(|t| json!(t.2)),
        });
        self.answer("topics_and_raw_types", Ok(values));
    }

    fn last(&mut self) -> MonitorSnapshot {
        self.wait(200);
        self.snapshots.last().unwrap().clone()
    }

    fn sent_about(&self, topic: &str) -> Vec<String> {
        let about = self.sent.iter().filter(|frame| frame["topic"] == topic);
        about
            .map(|f| f["op"].as_str().unwrap().to_owned())
            .collect()
    }
}

const PLAIN: [(&str, &str, &str); 3] = [
    ("/cmd_vel", "geometry_msgs/msg/Twist", TWIST_TEXT),
    ("/auto_mc_ctrl", "wide_msgs/msg/McCtrl", MC_TEXT),
    ("/rtk_message", "wide_msgs/msg/Rtk", RTK_TEXT),
];

fn field<'a>(found: &'a Found, name: &str) -> &'a str {
    let Found::Type { fields, .. } = found else {
        panic!("{found:?}")
    };
    &fields.iter().find(|(field, _)| field == name).unwrap().1
}

#[test]
fn one_answer_of_raw_types_is_enough() {
    let mut scene = Scene::new();
    scene.raw_types(&PLAIN);
    assert_eq!(scene.calls, []);
    assert_eq!(field(&scene.definitions.mc_ctrl, "rpm"), "uint16");
    let asked = scene
        .sent
        .iter()
        .find(|f| f["topic"] == "/rtk_message")
        .unwrap();
    assert_eq!(asked["type"], "wide_msgs/msg/Rtk");
    assert_eq!(asked["queue_length"], 1);
    assert!(scene.last().conflicts.is_empty());
}

#[test]
fn without_raw_types_details_are_asked_for_types_that_were_just_listed_only() {
    let mut scene = Scene::new();
    scene.answer("topics_and_raw_types", Err("no such service"));
    scene.answer(
        "topics",
        Ok(json!({
            "topics": ["/auto_mc_ctrl", "/rtk_message", "/other", "/cmd_vel"],
            "types": ["wide_msgs/msg/McCtrl", "", "x/msg/Y", "geometry_msgs/msg/Twist"],
        })),
    );
    let args = scene.answer("message_details", Ok(json!({"typedefs": []})));
    assert_eq!(args, json!({"type": "geometry_msgs/msg/Twist"}));
    let args = scene.answer(
        "message_details",
        Ok(
            json!({"typedefs": [{"type": "wide_msgs/McCtrl", "fieldnames": ["_brake", "_rpm"],
            "fieldtypes": ["uint8", "float"], "fieldarraylen": [-1, -1]}]}),
        ),
    );
    assert_eq!(args, json!({"type": "wide_msgs/msg/McCtrl"}));
    // The empty type of the position is not asked about: it would break rosapi for everyone.
    assert_eq!(scene.calls, []);
    assert_eq!(field(&scene.definitions.mc_ctrl, "rpm"), "float32");
}

#[test]
fn without_any_list_the_three_topics_are_asked_one_by_one() {
    let mut scene = Scene::new();
    scene.answer("topics_and_raw_types", Err("no such service"));
    scene.answer("topics", Err("no such service"));
    let args = scene.answer("topic_type", Ok(json!({"type": "geometry_msgs/msg/Twist"})));
    assert_eq!(args, json!({"topic": "/cmd_vel"}));
    scene.answer("topic_type", Ok(json!({"type": ""})));
    scene.answer("topic_type", Err("no such service"));
    scene.answer("message_details", Err("broken"));
    assert_eq!(scene.definitions.mc_ctrl, Found::Absent);
    let twist = Found::Type {
        name: "geometry_msgs/msg/Twist".into(),
        fields: Vec::new(),
    };
    assert_eq!(scene.definitions.cmd_vel, twist);
}

#[test]
fn a_rosapi_that_hangs_costs_two_questions_and_what_was_told_stays_told() {
    let mut scene = Scene::new();
    scene.wait(3000);
    assert_eq!(scene.definitions, Definitions::default());
    scene.wait(3100);
    assert_eq!(scene.definitions.cmd_vel, Found::NoAnswer);
    assert_eq!(scene.calls.len(), 2, "{:?}", scene.calls);
    assert_eq!(scene.sent_about("/rtk_message"), ["subscribe"]);
}

#[test]
fn malformed_type_names_are_never_asked_about() {
    for name in ["", "Twist", "a//b", "a/b c", "a/b/c/d", "/a/b", "é/b"] {
        let mut scene = Scene::new();
        scene.raw_types(&[("/cmd_vel", name, "")]);
        assert_eq!(scene.calls, [], "{name:?}");
    }
}

#[test]
fn a_conflict_blocks_its_topic_only_and_is_shown_field_by_field() {
    let mut scene = Scene::new();
    let fix = "float64 latitude\nfloat64 longitude";
    let mut topics = PLAIN;
    topics[2] = ("/rtk_message", "sensor_msgs/msg/NavSatFix", fix);
    scene.raw_types(&topics);
    assert_eq!(scene.sent_about("/rtk_message"), Vec::<String>::new());
    let conflicts = scene.last().conflicts;
    assert_eq!(conflicts.len(), 1);
    assert_eq!(conflicts[0].role, Role::Rtk);
    assert_eq!(conflicts[0].found, "sensor_msgs/msg/NavSatFix");
    let latitude = conflicts[0].fields.iter().find(|d| d.name == "latitude");
    assert_eq!(latitude.unwrap().found.as_deref(), Some("float64"));
    let lat = conflicts[0].fields.iter().find(|d| d.name == "lat");
    assert_eq!(lat.unwrap().expected.as_deref(), Some("float64"));
    assert!(matches!(scene.definitions.mc_ctrl, Found::Type { .. }));
}

#[test]
fn vehicles_are_offered_by_namespace() {
    let mut scene = Scene::new();
    scene.raw_types(&[
        ("/robot2/cmd_vel", "geometry_msgs/msg/TwistStamped", ""),
        ("/robot1/cmd_vel", "geometry_msgs/msg/Twist", TWIST_TEXT),
        ("/robot1/auto_mc_ctrl", "x/msg/McCtrl", MC_TEXT),
    ]);
    let namespaces = scene.last().namespaces;
    let names: Vec<_> = namespaces.iter().map(|n| n.name.as_str()).collect();
    assert_eq!(names, ["robot1", "robot2"]);
    assert!(namespaces[0].has_mc_ctrl && !namespaces[1].has_mc_ctrl);
}

#[test]
fn the_vehicles_clock_is_that_of_half_the_round_trip_and_is_asked_for_again() {
    let mut scene = Scene::connect(MonitorStart {
        unix_ms_at_start: 1_700_000_000_000.0,
        ..MonitorStart::default()
    });
    let asks = |scene: &Scene| {
        scene
            .calls
            .iter()
            .filter(|c| c.0 == "/rosapi/get_time")
            .count()
    };
    let answer = |scene: &mut Scene, values: Value| {
        scene.calls.sort_by_key(|call| call.0 != "/rosapi/get_time");
        scene.answer("get_time", Ok(values));
    };
    assert_eq!(asks(&scene), 1);
    // Asked at 0, answered after 200 ms: the vehicle wrote its time at 100.
    scene.wait(200);
    let time = json!({"time": {"sec": 1_700_000_007, "nanosec": 600_000_000}});
    answer(&mut scene, time);
    assert!(
        (scene.clocks.last().unwrap() - 7500.0).abs() < 1.0,
        "{:?}",
        scene.clocks
    );

    scene.wait(61_000);
    assert_eq!(asks(&scene), 1);
    // What is no time changes nothing.
    answer(&mut scene, json!({"time": "noon"}));
    assert!(
        scene
            .clocks
            .iter()
            .all(|ahead| (ahead - 7500.0).abs() < 1.0),
        "{:?}",
        scene.clocks
    );
}

#[test]
fn a_silent_position_is_asked_for_again_only_when_somebody_publishes_it() {
    let mut scene = Scene::new();
    scene.raw_types(&PLAIN);
    scene.wait(4900);
    assert_eq!(scene.calls, []);
    scene.wait(200);
    let args = scene.answer("publishers", Ok(json!({"publishers": []})));
    assert_eq!(args, json!({"topic": "/rtk_message"}));
    assert_eq!(scene.sent_about("/rtk_message"), ["subscribe"]);
    scene.wait(5100);
    scene.answer("publishers", Ok(json!({"publishers": ["/gnss"]})));
    assert_eq!(
        scene.sent_about("/rtk_message"),
        ["subscribe", "unsubscribe", "subscribe"]
    );
}

#[test]
fn a_position_topic_at_1_khz_floods_neither_page_nor_pilot() {
    let mut scene = Scene::new();
    scene.raw_types(&PLAIN);
    scene.snapshots.clear();
    for turn in 0..1000 {
        let lat = 31.0 + f64::from(turn) * 1e-9;
        let msg = json!({"lat": lat, "lon": 121.0, "head": 1.0, "speed": 0.0, "p_quality": 4, "h_quality": 4});
        scene.frame(&json!({"op": "publish", "topic": "/rtk_message", "msg": msg}));
        scene.now = scene.now + millis(1);
    }
    assert!(scene.snapshots.len() <= 51, "{}", scene.snapshots.len());
    assert!((40..=51).contains(&scene.fixes), "{}", scene.fixes);
    let skipped = usize::try_from(scene.last().skipped).unwrap();
    assert_eq!(skipped + scene.fixes, 1000);
}

#[test]
fn the_same_trouble_is_said_once_and_names_topic_and_reason() {
    let mut scene = Scene::new();
    scene.raw_types(&PLAIN);
    for length in 1..=200 {
        let broken = format!(
            r#"{{"op": "publish", "topic": "/scan", "msg": {{"a": [{}"#,
            "1,".repeat(length)
        );
        scene.hear(SocketEvent::Text(broken));
        scene.hear(SocketEvent::Text(r#"{"op":"teleport"}"#.into()));
        scene.hear(SocketEvent::Binary(vec![0xff; length]));
        scene.frame(&json!({"op": "status", "level": "info", "msg": "hello"}));
    }
    let words: Vec<_> = scene
        .events
        .iter()
        .map(|event| match event {
            Event::BadFrame { detail } => detail.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(words.len(), 3, "{words:?}");
    assert!(words[0].starts_with("not JSON on /scan: "), "{words:?}");
    assert_eq!(scene.last().bad_frames, 600);
}
