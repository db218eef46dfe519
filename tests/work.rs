//! The work on the map through the viewer's own socket: it hears the command topics as plainly as the
//! control socket does, publishes nothing, and counts only what was published.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use broomstick::chart::drawn::{Kind, Shape};
use broomstick::chart::told::Brush;
use broomstick::chart::work::{Counting, Watching, WorkNews, WorkWish};
use broomstick::profile::Profile;
use broomstick::rosbridge::session::{SocketEvent, SocketId, SocketOutput};
use broomstick::rtk::geo::LocalFrame;
use broomstick::units::{Moment, millis};
use broomstick::viewer::{Input, Output, Viewer, ViewerStart, Wish};
use serde_json::{Value, json};

const HERE: (f64, f64) = (31.2, 121.5);

struct Rig {
    viewer: Viewer,
    now: Moment,
    socket: Option<SocketId>,
    sent: Vec<Value>,
    news: Vec<WorkNews>,
}

impl Rig {
    fn new() -> Self {
        let profile = Profile::from_json(r#"{"vehicle": {"deck_width": 0.8}}"#).unwrap();
        let start = ViewerStart {
            url: "ws://v:9090".into(),
            rosapi: "/rosapi".into(),
            profile,
            ..ViewerStart::default()
        };
        let mut rig = Self {
            viewer: Viewer::new(start, Moment::START),
            now: Moment::START,
            socket: None,
            sent: Vec::new(),
            news: Vec::new(),
        };
        rig.drain();
        rig.wish(WorkWish::Drawn(Vec::new()));
        rig.socket(SocketEvent::Opened);
        rig.run(1000);
        rig
    }

    fn socket(&mut self, event: SocketEvent) {
        let socket = self.socket.unwrap();
        self.viewer.handle(Input::Socket(socket, event), self.now);
        self.drain();
    }

    fn hear(&mut self, topic: &str, msg: &Value) {
        let frame = json!({"op": "publish", "topic": topic, "msg": msg});
        self.socket(SocketEvent::Text(frame.to_string()));
    }

    fn wish(&mut self, wish: WorkWish) {
        self.viewer.handle(Input::Wish(Wish::Work(wish)), self.now);
        self.drain();
    }

    fn run(&mut self, span_ms: u64) {
        for _ in 0..span_ms / 10 {
            self.now = self.now + millis(10);
            self.viewer.handle(Input::Tick, self.now);
            self.drain();
        }
    }

    fn drain(&mut self) {
        let mut answers = Vec::new();
        while let Some(output) = self.viewer.poll() {
            match output {
                Output::Socket(SocketOutput::Open { socket, .. }) => self.socket = Some(socket),
                Output::Socket(SocketOutput::Send { text, .. }) => {
                    let frame: Value = serde_json::from_str(&text).unwrap();
                    if frame["op"] == "call_service" {
                        answers.push(answer(&frame));
                    }
                    self.sent.push(frame);
                }
                Output::Work(news) => self.news.push(*news),
                _ => {}
            }
        }
        for answer in answers {
            self.socket(SocketEvent::Text(answer.to_string()));
        }
    }

    fn last(&self) -> &WorkNews {
        self.news.last().unwrap()
    }

    /// Drives north for so many tenths of a second.
    fn drive(&mut self, tenths: u32, brush: u8) {
        for tenth in 0..tenths {
            let north = f64::from(tenth) * 0.05;
            let (lat, lon) = LocalFrame::around(HERE).lat_lon_from_east_north((0.0, north));
            self.hear(
                "/cmd_vel",
                &json!({"linear": {"x": 0.5}, "angular": {"z": 0.0}}),
            );
            self.hear(
                "/auto_mc_ctrl",
                &json!({"roll_brush_suction_direction": 1, "roll_brush_suction": brush}),
            );
            let fix = json!({"lat": lat, "lon": lon, "head": 0.0, "speed": 0.5, "p_quality": 4, "h_quality": 4});
            self.hear("/rtk_message", &fix);
            self.run(100);
        }
    }
}

fn answer(call: &Value) -> Value {
    let values = match call["service"].as_str().unwrap() {
        "/rosapi/topics_and_raw_types" => json!({
            "topics": ["/auto_mc_ctrl", "/cmd_vel", "/rtk_message"],
            "types": ["sweeper_msgs/msg/McCtrl", "geometry_msgs/msg/Twist", "sweeper_msgs/msg/Rtk"],
            "typedefs_full_text": ["", "", ""],
        }),
        "/rosapi/topics" => json!({
            "topics": ["/auto_mc_ctrl", "/cmd_vel", "/rtk_message"],
            "types": ["sweeper_msgs/msg/McCtrl", "geometry_msgs/msg/Twist", "sweeper_msgs/msg/Rtk"],
        }),
        _ => json!({}),
    };
    json!({"op": "service_response", "id": call["id"], "service": call["service"],
        "values": values, "result": true})
}

#[test]
fn the_command_topics_are_heard_as_plain_json_and_nothing_is_ever_published() {
    let mut rig = Rig::new();
    rig.drive(10, 50);
    for topic in ["/cmd_vel", "/auto_mc_ctrl"] {
        let asked: Vec<_> = rig
            .sent
            .iter()
            .filter(|frame| frame["op"] == "subscribe" && frame["topic"] == topic)
            .collect();
        assert_eq!(asked.len(), 1, "{topic}");
        assert!(
            matches!(asked[0]["compression"].as_str(), None | Some("none")),
            "another packing would starve the control socket"
        );
    }
    let ops = ["publish", "advertise"];
    assert!(
        rig.sent
            .iter()
            .all(|frame| !ops.contains(&frame["op"].as_str().unwrap()))
    );
}

#[test]
fn driving_with_the_brush_published_on_sweeps_and_with_it_off_does_not() {
    let mut rig = Rig::new();
    rig.drive(30, 0);
    assert_eq!(
        (rig.last().brush, rig.last().counting),
        (Brush::Off, Counting::BrushOff)
    );
    assert!(rig.news.iter().all(|news| news.swept.is_none()));
    let mut rig = Rig::new();
    rig.drive(41, 60);
    assert_eq!(rig.last().counting, Counting::Counts);
    let area = rig
        .news
        .iter()
        .filter_map(|news| news.swept.as_ref())
        .next_back()
        .unwrap()
        .area;
    assert!((area - 1.6).abs() < 0.1, "{area}");
}

#[test]
fn a_keep_out_ahead_is_warned_of_and_nothing_is_when_the_connection_is_gone() {
    let mut rig = Rig::new();
    let frame = LocalFrame::around(HERE);
    let ring = [(-2.0, 2.5), (2.0, 2.5), (2.0, 4.0), (-2.0, 4.0)];
    rig.wish(WorkWish::Drawn(vec![Shape {
        id: 5,
        kind: Kind::KeepOut,
        name: "Stairs".into(),
        points: ring.map(|at| frame.lat_lon_from_east_north(at)).to_vec(),
    }]));
    rig.drive(20, 0);
    let told = rig.last();
    assert_eq!(
        (told.watching, told.warning.map(|it| it.id)),
        (Watching::Watches, Some(5))
    );
    assert!(
        told.cap.is_some_and(|cap| (100..500).contains(&cap)),
        "{told:?}"
    );
    rig.socket(SocketEvent::Closed);
    rig.run(200);
    let told = rig.last();
    assert_eq!(
        (told.watching, told.warning, told.cap),
        (Watching::NoGoodFix, None, None)
    );
}
