//! The topics page's state machine, against a server that the test plays, on virtual time.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::float_cmp,
    reason = "a test may panic, and some numbers are exact"
)]

use broomstick::rosbridge::base64;
use broomstick::rosbridge::session::{SocketEvent, SocketId, SocketOutput};
use broomstick::units::{Moment, millis};
use broomstick::viewer::snapshot::{Access, LinkState, Shown, Summary, ViewerSnapshot, Watched};
use broomstick::viewer::{Input, MOST_WATCHED, Output, Viewer, ViewerStart, Wish};
use serde_json::{Value, json};

const TWIST: &str = "Vector3 linear\nVector3 angular\n====\nMSG: geometry_msgs/Vector3\n\
    float64 x\nfloat64 y\nfloat64 z";
const TOPICS: [(&str, &str, &str); 5] = [
    (
        "/camera",
        "sensor_msgs/msg/CompressedImage",
        "string format\nuint8[] data",
    ),
    ("/cmd_vel", "geometry_msgs/msg/Twist", TWIST),
    ("/fast", "std_msgs/msg/Float64", "float64 data # in V"),
    ("/odom", "nav_msgs/msg/Odometry", ""),
    ("/wheel", "geometry_msgs/msg/Twist", TWIST),
];

struct Scene {
    viewer: Viewer,
    socket: SocketId,
    now: Moment,
    calls: Vec<(String, Value, String)>,
    /// Every service that was called.
    asked: Vec<String>,
    /// Answers to `publishers`.
    publishers: usize,
    /// Everything else that was sent.
    sent: Vec<Value>,
    snapshots: Vec<ViewerSnapshot>,
    pictures: Vec<(String, &'static str, usize)>,
    opened: usize,
    /// Answers what is asked.
    answers: bool,
}

impl Scene {
    fn new() -> Self {
        Self::with(ViewerStart::default())
    }

    fn with(start: ViewerStart) -> Self {
        let now = Moment::START;
        let start = ViewerStart {
            url: "ws://robot:9090".into(),
            reserved: vec!["/cmd_vel".into(), "/auto_mc_ctrl".into()],
            ..start
        };
        let mut scene = Self {
            viewer: Viewer::new(start, now),
            socket: SocketId(0),
            now,
            calls: Vec::new(),
            asked: Vec::new(),
            publishers: 1,
            sent: Vec::new(),
            snapshots: Vec::new(),
            pictures: Vec::new(),
            opened: 0,
            answers: true,
        };
        scene.drain();
        scene.hear(SocketEvent::Opened);
        scene.wish(Wish::List(true));
        scene.wait(1000);
        scene
    }

    fn hear(&mut self, event: SocketEvent) {
        self.viewer
            .handle(Input::Socket(self.socket, event), self.now);
        self.drain();
    }

    fn publish(&mut self, topic: &str, msg: &Value) {
        let frame = format!(r#"{{"op": "publish", "topic": "{topic}", "msg": {msg}}}"#);
        self.hear(SocketEvent::Text(frame));
    }

    fn wish(&mut self, wish: Wish) {
        self.viewer.handle(Input::Wish(wish), self.now);
        self.drain();
    }

    fn watch(&mut self, topic: &str) {
        self.wish(Wish::Watch(topic.into()));
    }

    fn wait(&mut self, span: u64) {
        let end = self.now + millis(span);
        while self.now < end {
            let next = self.viewer.next_wakeup().min(end);
            self.now = next.max(self.now + millis(1));
            self.viewer.handle(Input::Tick, self.now);
            self.drain();
        }
    }

    fn drain(&mut self) {
        loop {
            while let Some(output) = self.viewer.poll() {
                match output {
                    Output::Socket(SocketOutput::Open { socket, .. }) => {
                        self.socket = socket;
                        self.opened += 1;
                    }
                    Output::Socket(SocketOutput::Send { text, .. }) => {
                        let mut frame: Value = serde_json::from_str(&text).unwrap();
                        if frame["op"] == "call_service" {
                            let text = |key: &str| frame[key].as_str().unwrap().to_owned();
                            let (service, id) = (text("service"), text("id"));
                            self.asked.push(service.clone());
                            self.calls.push((service, frame["args"].take(), id));
                        } else {
                            self.sent.push(frame);
                        }
                    }
                    Output::Snapshot(snapshot) => self.snapshots.push(*snapshot),
                    Output::Picture { topic, mime, bytes } => {
                        self.pictures.push((topic, mime, bytes.len()));
                    }
                    Output::Survey(_)
                    | Output::Keep(_)
                    | Output::File { .. }
                    | Output::Socket(SocketOutput::Close { .. }) => {}
                }
            }
            if !self.answers || self.calls.is_empty() {
                return;
            }
            let (service, _, id) = self.calls.remove(0);
            let list = |pick: fn(&(&str, &str, &str)) -> Value| -> Value {
                TOPICS.iter().map(pick).collect()
            };
            let (topics, types) = (list(|t| json!(t.0)), list(|t| json!(t.1)));
            let values = match service.rsplit('/').next().unwrap() {
                "topics_and_raw_types" => json!({"topics": topics, "types": types,
                    "typedefs_full_text": list(|t| json!(t.2))}),
                "topics" => json!({"topics": topics, "types": types}),
                "publishers" => json!({"publishers": vec!["/node"; self.publishers]}),
                "message_details" => json!({"typedefs": []}),
                other => panic!("{other}"),
            };
            let frame =
                json!({"op": "service_response", "id": id, "values": values, "result": true});
            self.viewer.handle(
                Input::Socket(self.socket, SocketEvent::Text(frame.to_string())),
                self.now,
            );
        }
    }

    fn last(&mut self) -> ViewerSnapshot {
        self.wait(250);
        self.snapshots.last().unwrap().clone()
    }

    fn watched(&mut self) -> Watched {
        self.last().watched.remove(0)
    }

    fn ops(&self, topic: &str) -> Vec<String> {
        let about = self.sent.iter().filter(|frame| frame["topic"] == topic);
        about
            .map(|f| f["op"].as_str().unwrap().to_owned())
            .collect()
    }
}

#[test]
fn the_list_has_names_types_and_publishers_and_the_filter_finds() {
    let mut scene = Scene::new();
    scene.wait(5000);
    let shown = scene.last();
    assert_eq!(shown.link, LinkState::Online);
    assert_eq!(shown.counts, (5, 5));
    assert_eq!(shown.topics[3].name, "/odom");
    assert_eq!(shown.topics[3].kind, "nav_msgs/msg/Odometry");
    assert!(
        shown.topics.iter().all(|t| t.publishers == Some(1)),
        "{:?}",
        shown.topics
    );
    scene.wish(Wish::Filter(" TWIST ".into()));
    let names: Vec<_> = scene.last().topics.into_iter().map(|t| t.name).collect();
    assert_eq!(names, ["/cmd_vel", "/wheel"]);
    assert!(
        scene.sent.is_empty(),
        "nothing is subscribed before a tap: {:?}",
        scene.sent
    );
}

#[test]
fn a_tap_subscribes_with_throttle_and_a_queue_of_one_and_a_second_lets_go() {
    let mut scene = Scene::new();
    scene.watch("/wheel");
    scene.watch("/wheel");
    assert_eq!(
        scene.sent,
        [
            json!({"op": "subscribe", "topic": "/wheel", "type": "geometry_msgs/msg/Twist",
                "throttle_rate": 100, "queue_length": 1})
        ]
    );
    let msg =
        json!({"linear": {"x": 0.5, "y": 0.0, "z": 0.0}, "angular": {"x": 0, "y": 0, "z": -0.25}});
    scene.publish("/wheel", &msg);
    let watched = scene.watched();
    let x = &watched.lines[1];
    assert_eq!((x.path.as_str(), x.unit.as_str()), ("/linear/x", "m/s"));
    assert_eq!(x.shown, Shown::Number("0.5".into()));
    assert!(
        matches!(watched.summary, Some(Summary::Twist { turn: Some(turn), .. }) if turn == -0.25)
    );
    scene.wish(Wish::Unwatch("/wheel".into()));
    assert_eq!(scene.ops("/wheel"), ["subscribe", "unsubscribe"]);
    assert!(scene.last().watched.is_empty());
}

#[test]
fn command_topics_are_not_subscribed_a_second_time_and_nothing_is_ever_published() {
    let mut scene = Scene::new();
    for topic in ["/cmd_vel", "cmd_vel", "/auto_mc_ctrl", "//auto_mc_ctrl"] {
        scene.watch(topic);
        scene.wish(Wish::Camera(Some(topic.into())));
    }
    let shown = scene.last();
    assert_eq!(shown.topics[1].access, Access::Reserved);
    assert!(shown.trouble.contains("auto_mc_ctrl"));
    assert!(scene.sent.is_empty(), "{:?}", scene.sent);
}

#[test]
fn a_rate_that_the_servers_throttle_may_have_cut_is_not_told_as_the_topics_own() {
    // A topic of 10.1 Hz arrives every second time where one message in 100 ms is let through.
    for (period, may_be_faster) in [(198, true), (110, true), (300, false)] {
        let mut scene = Scene::new();
        scene.watch("/fast");
        for turn in 0..6000 / period {
            scene.publish("/fast", &json!({"data": turn}));
            scene.wait(period);
        }
        let shown = scene.last();
        let row = shown.topics.iter().find(|t| t.name == "/fast").unwrap();
        let traffic = row.traffic.unwrap();
        assert_eq!(
            traffic.is_at_limit, may_be_faster,
            "{period} ms: {traffic:?}"
        );
    }
}

#[test]
fn of_a_topic_at_1_khz_the_newest_is_shown_and_the_rest_counted() {
    let mut scene = Scene::new();
    scene.watch("/fast");
    for turn in 0..5000 {
        scene.publish("/fast", &json!({"data": turn}));
        scene.now = scene.now + millis(1);
    }
    scene.wait(100);
    let shown = scene.snapshots.last().unwrap().clone();
    let row = shown.topics.iter().find(|t| t.name == "/fast").unwrap();
    let traffic = row.traffic.unwrap();
    assert_eq!(traffic.received, 5000);
    assert!(traffic.dropped > 4800, "{traffic:?}");
    assert!(
        (900.0..1100.0).contains(&traffic.rate_hz.unwrap()),
        "{traffic:?}"
    );
    assert!(traffic.is_at_limit);
    assert!(traffic.bytes_per_s.unwrap() > 40_000.0);
    let watched = scene.watched();
    assert_eq!(watched.lines[0].shown, Shown::Number("4999".into()));
    assert_eq!(watched.lines[0].unit, "V");
    assert!(scene.snapshots.len() < 50, "{}", scene.snapshots.len());
}

#[test]
fn a_number_is_plotted_over_the_last_minute_and_stands_in_a_pause() {
    let mut scene = Scene::new();
    scene.watch("/fast");
    scene.wish(Wish::Plot("/fast".into(), "/data".into()));
    assert_eq!(scene.sent.last().unwrap()["throttle_rate"], 50);
    for turn in 0..1800 {
        scene.publish("/fast", &json!({"data": turn}));
        scene.wait(50);
    }
    let plot = scene.watched().plots.remove(0);
    assert!(
        (590..=601).contains(&plot.points.len()),
        "{}",
        plot.points.len()
    );
    assert_eq!(plot.last, Some(1799.0));
    scene.wish(Wish::Pause(true));
    let plot = scene.watched().plots.remove(0);
    scene.publish("/fast", &json!({"data": 5}));
    scene.wait(1000);
    let paused = scene.watched();
    assert_eq!(paused.plots[0].last, Some(1799.0));
    assert_eq!(paused.plots[0].points.len(), plot.points.len());
    assert_eq!(paused.lines[0].shown, Shown::Number("1799".into()));
    assert!(
        paused.age_ms.unwrap() > 1000.0,
        "its age goes on: {:?}",
        paused.age_ms
    );
    let traffic = scene.last().topics[2].traffic.unwrap();
    assert_eq!(traffic.received, 1801);
    scene.wish(Wish::Pause(false));
    scene.publish("/fast", &json!({"data": null}));
    assert_eq!(scene.watched().plots[0].last, None);
    scene.wish(Wish::Unplot("/fast".into(), "/data".into()));
    assert_eq!(scene.sent.last().unwrap()["throttle_rate"], 100);
}

#[test]
fn a_picture_comes_apart_from_the_snapshot_and_gives_way_to_a_slow_link() {
    let mut scene = Scene::with(ViewerStart {
        image_compression: "cbor".into(),
        ..ViewerStart::default()
    });
    scene.wish(Wish::Camera(Some("/camera".into())));
    scene.watch("/wheel");
    let asked = scene.sent.iter().find(|f| f["topic"] == "/camera").unwrap();
    assert_eq!(asked["compression"], "cbor");
    let jpeg = [&[0xff, 0xd8, 0xff][..], &vec![7; 1_000_000]].concat();
    let msg = json!({"format": "jpeg", "data": base64::encode(&jpeg)});
    scene.publish("/camera", &msg);
    assert_eq!(
        scene.pictures,
        [("/camera".to_owned(), "image/jpeg", 1_000_003)]
    );
    let camera = scene.watched();
    assert!(!camera.is_open && !camera.is_yielding);
    assert_eq!(camera.lines[1].shown, Shown::Bytes(1_000_003));
    assert!(camera.age_ms.unwrap() < 300.0);
    assert!(matches!(
        camera.summary,
        Some(Summary::Image {
            bytes: 1_000_003,
            can_be_shown: true,
            ..
        })
    ));

    scene.wish(Wish::SlowLink(true));
    assert_eq!(scene.ops("/camera"), ["subscribe", "unsubscribe"]);
    assert_eq!(scene.sent.last().unwrap()["throttle_rate"], 1000);
    let shown = scene.last();
    assert!(shown.yields && shown.watched[0].is_yielding);
    // A good moment is not yet a good link.
    scene.wish(Wish::SlowLink(false));
    scene.wait(1000);
    scene.wish(Wish::SlowLink(true));
    scene.wait(5000);
    assert_eq!(scene.ops("/camera"), ["subscribe", "unsubscribe"]);
    scene.wish(Wish::SlowLink(false));
    scene.wait(3300);
    assert_eq!(
        scene.ops("/camera"),
        ["subscribe", "unsubscribe", "subscribe"]
    );
    scene.wish(Wish::Camera(None));
    assert_eq!(scene.ops("/camera").last().unwrap(), "unsubscribe");
}

#[test]
fn a_burst_of_pictures_leaves_the_newest_only() {
    let mut scene = Scene::new();
    scene.wish(Wish::Camera(Some("/camera".into())));
    for turn in 0..10 {
        let jpeg = [&[0xff, 0xd8, 0xff][..], &vec![0; turn]].concat();
        scene.publish(
            "/camera",
            &json!({"format": "jpeg", "data": base64::encode(&jpeg)}),
        );
    }
    scene.wait(150);
    let sizes: Vec<_> = scene.pictures.iter().map(|(.., size)| *size).collect();
    assert_eq!(sizes, [3, 12]);
}

#[test]
fn raw_bytes_are_read_by_the_definition_and_what_does_not_fit_is_said() {
    let mut scene = Scene::with(ViewerStart {
        image_compression: "cbor-raw".into(),
        ..ViewerStart::default()
    });
    scene.watch("/camera");
    // string "jpeg", uint8[] of four.
    let mut cdr = vec![0, 1, 0, 0, 5, 0, 0, 0];
    cdr.extend(b"jpeg\0");
    cdr.extend([0, 0, 0, 4, 0, 0, 0, 0xff, 0xd8, 0xff, 1]);
    let frame = |cdr: &[u8]| {
        let mut frame = vec![0xa3, 0x62];
        frame.extend(b"op\x67publish\x65topic\x67/camera\x63msg");
        frame.extend([0xa3, 0x64]);
        frame.extend(b"secs\x01\x65nsecs\x02\x65bytes");
        frame.extend([0x58, cdr.len() as u8]);
        frame.extend(cdr);
        SocketEvent::Binary(frame)
    };
    scene.hear(frame(&cdr));
    assert_eq!(scene.pictures, [("/camera".to_owned(), "image/jpeg", 4)]);
    scene.wait(200);
    scene.hear(frame(&cdr[..20]));
    let shown = scene.last();
    assert_eq!(shown.trouble, "/camera: the bytes end in field data");
    assert_eq!(shown.bad_frames, 1);
    assert_eq!(shown.topics[0].traffic.unwrap().received, 2);
}

#[test]
fn a_silent_topic_is_asked_for_again_only_when_somebody_publishes_it() {
    for (publishers, asked) in [(0, 1), (1, 3)] {
        let mut scene = Scene::new();
        scene.publishers = publishers;
        scene.watch("/odom");
        scene.wait(13_000);
        let ops = scene.ops("/odom");
        let subscribed = ops.iter().filter(|op| *op == "subscribe");
        assert_eq!(
            subscribed.count(),
            asked,
            "{publishers} publishers: {ops:?}"
        );
    }
}

#[test]
fn everything_that_is_looked_at_comes_again_after_a_reconnect() {
    let mut scene = Scene::new();
    scene.watch("/odom");
    scene.sent.clear();
    scene.hear(SocketEvent::Closed);
    scene.wait(1000);
    assert_eq!(scene.opened, 2);
    scene.hear(SocketEvent::Opened);
    assert_eq!(scene.ops("/odom"), ["subscribe"]);
}

#[test]
fn a_rosapi_that_hangs_costs_the_list_and_a_dead_socket_is_replaced() {
    let mut scene = Scene::new();
    scene.answers = false;
    scene.watch("/odom");
    for _ in 0..20 {
        scene.publish("/odom", &json!({"x": 1}));
        scene.wait(1000);
    }
    assert_eq!(scene.opened, 1, "messages come: the socket lives");
    assert_eq!(scene.watched().lines[0].name, "x");
    scene.wait(20_000);
    assert!(scene.opened > 1, "nothing at all comes: another socket");
}

#[test]
fn no_more_is_looked_at_than_memory_allows() {
    let mut scene = Scene::new();
    for number in 0..20 {
        scene.watch(&format!("/topic{number}"));
    }
    let shown = scene.last();
    assert_eq!(shown.watched.len(), MOST_WATCHED);
    assert_eq!(shown.trouble, "/topic19: too many topics are looked at");
}

#[test]
fn a_bad_frame_is_said_with_its_topic_and_costs_nothing_else() {
    let mut scene = Scene::new();
    scene.watch("/fast");
    scene.hear(SocketEvent::Text(
        r#"{"op": "publish", "topic": "/fast", "msg": {"data": "#.into(),
    ));
    let shown = scene.last();
    assert!(
        shown.trouble.starts_with("not JSON on /fast: "),
        "{}",
        shown.trouble
    );
    scene.publish("/fast", &json!({"data": 2.5}));
    assert_eq!(scene.watched().lines[0].shown, Shown::Number("2.5".into()));
}

#[test]
fn a_list_that_nobody_sees_is_not_sent_and_rosapi_is_left_alone_but_for_the_topics() {
    let mut scene = Scene::new();
    scene.wish(Wish::List(false));
    scene.wait(1000);
    scene.asked.clear();
    scene.wait(25_000);
    let asked = &scene.asked;
    assert!((2..=3).contains(&asked.len()), "{asked:?}");
    assert!(asked.iter().all(|service| *service == "/rosapi/topics"));
    let seen = scene.snapshots.last().unwrap();
    assert_eq!((seen.topics.len(), seen.counts.0), (0, 0));
}
