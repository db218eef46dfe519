//! Every fix of a vehicle: what is believed, told, drawn and kept. Recorded and hostile streams, on
//! virtual time.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::float_cmp,
    reason = "a test may panic, and some numbers are exact"
)]

use broomstick::chart::exchange::{Place, csv, geojson, gpx};
use broomstick::chart::quality::Solution;
use broomstick::chart::speed_check::SpeedVerdict;
use broomstick::chart::store::{StoredFix, encode};
use broomstick::chart::surveyor::{
    FileKind, Glance, Happening, Keeping, Line, Message, STRIP_NOTHING, Source, SurveyNews,
    Surveyor,
};
use broomstick::chart::thinned::{ColourBy, DrawnPoint};
use broomstick::rosbridge::session::{SocketEvent, SocketId, SocketOutput};
use broomstick::rtk::geo::{LocalFrame, distance_between_near};
use broomstick::rtk::settings::{RtkSettings, SpeedUnit};
use broomstick::rtk::view::RtkState;
use broomstick::units::{Moment, millis};
use broomstick::viewer::{Input, Output, SurveyWish, Viewer, ViewerStart, Wish};
use proptest::prelude::*;
use serde_json::{Value, json};

const HERE: (f64, f64) = (31.23, 121.47);
const UNIX_MS: u64 = 1_780_000_000_000;

/// A surveyor, its clock, and everything that it told.
struct Scene {
    surveyor: Surveyor,
    now: Moment,
    drawn: Vec<DrawnPoint>,
    events: Vec<Happening>,
    newest: SurveyNews,
    glance: Glance,
    /// As a browser keeps it.
    disk: std::collections::BTreeMap<u64, Vec<u8>>,
}

impl Scene {
    fn new() -> Self {
        Self::with(RtkSettings::default(), Vec::new())
    }

    fn with(settings: RtkSettings, kept: Vec<(u64, Vec<u8>)>) -> Self {
        let mut scene = Self {
            surveyor: Surveyor::new(settings, UNIX_MS),
            now: Moment::START,
            drawn: Vec::new(),
            events: Vec::new(),
            newest: SurveyNews::default(),
            glance: Glance::default(),
            disk: kept.iter().cloned().collect(),
        };
        scene.surveyor.loaded(Ok(kept), scene.now);
        scene.listen();
        scene
    }

    fn listen(&mut self) {
        self.surveyor.tick(self.now);
        while let Some(keeping) = self.surveyor.keeping() {
            match keeping {
                Keeping::Save(id, bytes) => {
                    self.disk.insert(id, bytes);
                }
                Keeping::Delete(id) => {
                    self.disk.remove(&id);
                }
            }
        }
        let Some(news) = self.surveyor.news(self.now) else {
            return;
        };
        match &news.line {
            Line::More(points) => self.drawn.extend(points),
            Line::Anew(points) => self.drawn.clone_from(points),
        }
        self.events
            .extend(news.events.iter().map(|event| event.what.clone()));
        if let Some(glance) = &news.glance {
            self.glance = glance.clone();
        }
        self.newest = news;
    }

    fn wait(&mut self, ms: u64) {
        let end = self.now + millis(ms);
        while self.now < end {
            self.now = self
                .surveyor
                .next_wakeup()
                .max(self.now + millis(10))
                .min(end);
            self.listen();
        }
    }

    /// A message, and a tenth of a second.
    fn hear(&mut self, msg: &Value) {
        self.surveyor.receive(Message::Rtk(msg), self.now);
        self.listen();
        self.wait(100);
    }

    fn at(&mut self, east: f64, north: f64) {
        self.hear(&rtk(east, north, 90.0, 0.5, 4, 4));
    }

    /// North by half a metre a second.
    fn drive(&mut self, from: f64, seconds: u32) -> f64 {
        let mut north = from;
        for _ in 0..seconds * 10 {
            north += 0.05;
            self.at(0.0, north);
        }
        north
    }

    fn fixes(&self) -> Vec<StoredFix> {
        self.surveyor.store().fixes().collect()
    }
}

fn place(east: f64, north: f64) -> (f64, f64) {
    LocalFrame::around(HERE).lat_lon_from_east_north((east, north))
}

fn rtk(east: f64, north: f64, head: f64, speed: f64, p: i64, h: i64) -> Value {
    let (lat, lon) = place(east, north);
    json!({"lat": lat, "lon": lon, "head": head, "speed": speed, "p_quality": p, "h_quality": h})
}

/// The messages of a topic as a real rosbridge sent them.
fn recorded(file: &str, topic: &str) -> Vec<Value> {
    let path = format!("{}/tests/transcripts/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let frames = text.lines().filter_map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        let data = line["data"].as_str()?;
        let frame: Value = serde_json::from_str(data).ok()?;
        let is_it = line["dir"] == "server" && frame["op"] == "publish" && frame["topic"] == topic;
        is_it.then(|| frame["msg"].clone())
    });
    frames.collect()
}

#[test]
fn a_recorded_stream_is_live_and_every_fix_of_it_is_kept() {
    let mut scene = Scene::new();
    let messages = recorded("13_subscribe_rtk_plain.jsonl", "/rtk_message");
    assert!(messages.len() > 20, "{}", messages.len());
    for msg in &messages {
        scene.hear(msg);
        assert_eq!(scene.newest.view.state, RtkState::Live);
    }
    let fixes = scene.fixes();
    assert_eq!(fixes.len(), messages.len());
    for (fix, msg) in fixes.iter().zip(&messages) {
        let sent = (msg["lat"].as_f64().unwrap(), msg["lon"].as_f64().unwrap());
        assert!(distance_between_near(fix.position, sent) < 0.001);
        assert_eq!(fix.quality, Some(4));
        // The recorded heading quality counts up: none of the documented ones.
        assert_eq!(fix.heading, None);
    }
}

#[test]
fn a_recorded_stream_of_nulls_is_invalid_and_nothing_of_it_is_kept_or_drawn() {
    let mut scene = Scene::new();
    let messages = recorded("17_rtk_nan_inf.jsonl", "/rtk_nan");
    assert!(messages.len() > 5);
    for msg in &messages {
        scene.hear(msg);
        assert_eq!(scene.newest.view.state, RtkState::Invalid);
    }
    assert_eq!((scene.fixes().len(), scene.drawn.len()), (0, 0));
    assert!(scene.newest.view.problem.is_some());
}

#[test]
fn headings_are_told_as_they_came_across_north_however_often() {
    let mut scene = Scene::new();
    for heading in [0.0, 90.0, 180.0, 270.0] {
        scene.hear(&rtk(0.0, heading / 100.0, heading, 0.5, 4, 4));
        assert_eq!(scene.newest.view.heading, Some(heading));
        assert!(scene.newest.view.heading_is_good);
    }
    for turn in 0..500 {
        for heading in [359.0, 0.0, 359.9, 0.1] {
            let north = 3.0 + f64::from(turn) * 0.001 + heading / 1e6;
            scene.hear(&rtk(0.0, north, heading, 0.5, 4, 4));
            assert_eq!(scene.newest.view.heading, Some(heading));
        }
    }
    let read = scene.fixes();
    assert!(read[4..].iter().all(|fix| {
        let heading = fix.heading.unwrap();
        !(1.0..359.0).contains(&heading)
    }));
}

#[test]
fn every_change_of_solution_is_told_once_a_loss_included() {
    let mut scene = Scene::new();
    scene.at(0.0, 0.0);
    scene.at(0.0, 0.1);
    scene.hear(&rtk(0.0, 0.2, 90.0, 0.5, 5, 4));
    scene.hear(&rtk(0.0, 0.3, 90.0, 0.5, 5, 1));
    scene.wait(2000);
    let solutions: Vec<&Happening> = scene
        .events
        .iter()
        .filter(|what| matches!(what, Happening::Solution(..)))
        .collect();
    use Solution::{Heading, Position};
    assert_eq!(
        solutions,
        [
            &Happening::Solution(Position, None, Some(4)),
            &Happening::Solution(Heading, None, Some(4)),
            &Happening::Solution(Position, Some(4), Some(5)),
            &Happening::Solution(Heading, Some(4), Some(1)),
            &Happening::Solution(Position, Some(5), None),
            &Happening::Solution(Heading, Some(1), None),
        ]
    );
    assert_eq!(scene.newest.view.state, RtkState::Stale);
}

#[test]
fn a_jump_is_told_and_not_drawn_and_one_that_stays_breaks_the_line() {
    let mut scene = Scene::new();
    scene.at(0.0, 0.0);
    scene.at(0.0, 0.2);
    scene.at(400.0, 0.0);
    assert!(scene.newest.is_held);
    scene.at(0.0, 0.4);
    assert!(!scene.newest.is_held);
    assert_eq!(scene.fixes().len(), 3);
    for step in 0..6 {
        scene.at(300.0, 0.05 * f64::from(step));
    }
    let fixes = scene.fixes();
    assert_eq!(fixes.len(), 5, "it is believed after five that agree");
    assert!(fixes[3].is_broken_before);
    let held = scene
        .events
        .iter()
        .filter(|w| matches!(w, Happening::Held(_)));
    assert_eq!(held.count(), 2, "each jump is told once");
    assert!(
        scene
            .events
            .iter()
            .any(|w| matches!(w, Happening::Relocated(m) if (*m - 300.0).abs() < 1.0))
    );
}

#[test]
fn a_frozen_receiver_is_told_and_adds_nothing_to_the_track() {
    let mut scene = Scene::new();
    for _ in 0..30 {
        scene.at(0.0, 0.0);
    }
    assert_eq!(scene.newest.view.state, RtkState::Frozen);
    let count = scene.fixes().len();
    assert!(count <= 11, "{count}");
    scene.at(0.0, 0.1);
    assert_eq!(scene.newest.view.state, RtkState::Live);
    assert!(scene.fixes().last().unwrap().is_broken_before);
}

#[test]
fn a_receiver_that_says_standing_is_frozen_when_the_command_says_moving() {
    let mut scene = Scene::new();
    let standing = rtk(0.0, 0.0, 90.0, 0.0, 4, 4);
    for _ in 0..30 {
        scene.hear(&standing);
    }
    assert_eq!(scene.newest.view.state, RtkState::Live);
    scene.surveyor.commanded(true);
    for _ in 0..12 {
        scene.hear(&standing);
    }
    assert_eq!(scene.newest.view.state, RtkState::Frozen);
}

#[test]
fn the_line_is_broken_where_the_fix_was_lost() {
    let mut scene = Scene::new();
    scene.drive(0.0, 2);
    scene.hear(&json!({"lat": null, "lon": null, "p_quality": 0}));
    scene.drive(1.5, 2);
    scene.wait(3000);
    scene.drive(3.0, 2);
    let broken = scene.drawn.iter().filter(|point| point.is_broken_before);
    assert_eq!(broken.count(), 3);
}

#[test]
fn a_speed_in_kilometres_an_hour_is_said_when_the_profile_says_metres_a_second() {
    let mut scene = Scene::new();
    for step in 0..300_u32 {
        let north = f64::from(step) * 0.05;
        scene.hear(&rtk(0.0, north, 0.0, 1.8, 4, 4));
    }
    assert!(matches!(
        scene.glance.verdict,
        SpeedVerdict::LooksLike { unit: SpeedUnit::KilometersPerHour, ratio } if (ratio - 3.6).abs() < 0.1
    ));
    let told = scene
        .events
        .iter()
        .filter(|what| matches!(what, Happening::Speed(_)));
    assert_eq!(told.count(), 1, "it is told once");
}

#[test]
fn the_strip_has_two_minutes_of_float_where_they_were() {
    let mut scene = Scene::new();
    for step in 0..1200_u32 {
        let quality = if (300..600).contains(&step) { 5 } else { 4 };
        scene.hear(&rtk(0.0, f64::from(step) * 0.01, 0.0, 0.1, quality, 4));
    }
    let strip = &scene.glance.strip;
    assert_eq!(strip.len(), 120);
    assert!(strip[..95].iter().all(|cell| *cell == STRIP_NOTHING));
    let float = strip.iter().filter(|cell| **cell == 5).count();
    assert!((6..=7).contains(&float), "{strip:?}");
}

#[test]
fn the_track_survives_a_reload_broken_at_the_seam() {
    let mut scene = Scene::new();
    let north = scene.drive(0.0, 60);
    scene.wait(3000);
    let before = scene.fixes();
    let kept: Vec<(u64, Vec<u8>)> = scene.disk.clone().into_iter().collect();
    let mut again = Scene::with(RtkSettings::default(), kept);
    assert_eq!(again.fixes().len(), before.len());
    assert!(!again.drawn.is_empty(), "it is drawn at once");
    let drawn = again.drawn.len();
    again.drive(north, 5);
    assert!(again.drawn[drawn].is_broken_before);
    assert!(again.glance.is_kept);
}

#[test]
fn one_of_two_windows_keeps_the_track_and_the_other_goes_on_with_it_when_that_is_gone() {
    let (mut first, mut second) = (Scene::new(), Scene::new());
    second.surveyor.kept_elsewhere(second.now);
    let mut north = 0.0;
    for scene in [&mut first, &mut second] {
        north = scene.drive(0.0, 30);
    }
    assert!(second.disk.is_empty(), "the other window's to keep");
    assert!(second.events.contains(&Happening::KeptElsewhere));
    assert!(second.glance.is_kept_elsewhere && !second.glance.is_kept);
    let known = second.fixes().len();
    // The first one is gone; what it had not saved yet, the second one knows.
    let kept: Vec<(u64, Vec<u8>)> = first.disk.clone().into_iter().collect();
    second.disk = first.disk;
    second.surveyor.loaded(Ok(kept), second.now);
    second.drive(north, 10);
    assert!(second.glance.is_kept && !second.glance.is_kept_elsewhere);
    let fixes = second.fixes();
    assert_eq!(fixes.len(), known + 100, "none twice, none lost");
    assert!(
        fixes
            .windows(2)
            .all(|pair| pair[0].time_ms < pair[1].time_ms)
    );
    let again = Scene::with(RtkSettings::default(), second.disk.into_iter().collect());
    assert!(again.fixes().len() >= known + 80, "and it is kept");
}

#[test]
fn fixes_that_came_before_the_browser_told_what_it_keeps_are_not_lost() {
    let mut surveyor = Surveyor::new(RtkSettings::default(), UNIX_MS);
    for step in 0..10_u32 {
        let msg = rtk(0.0, f64::from(step) * 0.2, 0.0, 2.0, 4, 4);
        surveyor.receive(
            Message::Rtk(&msg),
            Moment::START + millis(u64::from(step) * 100),
        );
    }
    assert!(surveyor.store().is_empty());
    surveyor.loaded(
        Err("SecurityError: no".into()),
        Moment::START + millis(1000),
    );
    assert_eq!(surveyor.store().len(), 10);
    let news = surveyor.news(Moment::START + millis(1000)).unwrap();
    assert!(
        !news.glance.unwrap().is_kept,
        "and it is said that they go with the page"
    );
    assert!(
        news.events
            .iter()
            .any(|event| matches!(&event.what, Happening::NotKept(_)))
    );
}

#[test]
fn a_full_store_drops_the_oldest_and_says_so() {
    let standing = |time_ms: u64| StoredFix {
        time_ms,
        position: place(0.0, 0.0),
        heading: None,
        speed: Some(0.0),
        quality: Some(4),
        is_broken_before: false,
    };
    let chunk = |id: u64| {
        let fixes: Vec<StoredFix> = (0..1000)
            .map(|k| standing(id * 100_000 + k * 100))
            .collect();
        (id, encode(&fixes))
    };
    let mut scene = Scene::with(RtkSettings::default(), (1..=360).map(chunk).collect());
    assert_eq!(scene.glance.stored, 360_000);
    for step in 0..2010_u32 {
        scene.hear(&rtk(0.0, f64::from(step % 7) * 0.001, 0.0, 0.0, 4, 4));
    }
    scene.wait(3000);
    assert!(scene.glance.stored <= 360_000);
    assert!(scene.glance.dropped >= 2000);
    let told = scene
        .events
        .iter()
        .filter(|w| matches!(w, Happening::Dropped(_)));
    assert_eq!(told.count(), 1);
    let ids: Vec<u64> = scene
        .surveyor
        .store()
        .chunks()
        .map(|chunk| chunk.id)
        .collect();
    let on_disk: Vec<u64> = scene.disk.keys().copied().collect();
    assert_eq!(ids, on_disk, "the browser keeps what the store keeps");
}

#[test]
fn what_is_exported_is_read_again_in_every_format() {
    let mut scene = Scene::new();
    scene.drive(0.0, 5);
    scene.wait(2000);
    scene.drive(2.5, 5);
    let fixes = scene.fixes();
    for kind in FileKind::ALL {
        let text = scene.surveyor.export(kind);
        assert_eq!(FileKind::of_text(&text), kind);
        let read = match kind {
            FileKind::GeoJson => geojson::read(&text),
            FileKind::Gpx => gpx::read(&text),
            FileKind::Csv => csv::read(&text),
        };
        assert_eq!(read.problems, Vec::new());
        assert_eq!(read.fixes.len(), fixes.len());
        assert_eq!(
            read.fixes.iter().filter(|fix| fix.is_broken_before).count(),
            2
        );
    }
}

#[test]
fn a_bad_file_says_line_and_reason_and_the_rest_is_laid_over_the_map() {
    let mut scene = Scene::new();
    let mut lines: Vec<String> = {
        scene.drive(0.0, 5);
        let text = scene.surveyor.export(FileKind::Csv);
        text.lines().map(str::to_owned).collect()
    };
    let whole = lines.len() - 1;
    lines[3] = lines[3].replacen("31.", "931.", 1);
    lines[7] = "nothing".into();
    scene.surveyor.import("mine.csv", &lines.join("\n"));
    scene.wait(100);
    let imported = scene.newest.imported.clone().unwrap();
    assert_eq!(imported.name, "mine.csv");
    assert_eq!(imported.fixes, whole - 2);
    assert!(!imported.points.is_empty());
    assert_eq!(imported.problems.len(), 2, "{:?}", imported.problems);
    assert_eq!(imported.problems[0].at, Place::Line(4));
    assert_eq!(imported.problems[1].at, Place::Line(8));
}

#[test]
fn deleting_the_track_empties_the_browsers_storage_too() {
    let mut scene = Scene::new();
    let north = scene.drive(0.0, 200);
    scene.wait(3000);
    assert!(scene.disk.len() >= 2);
    scene.surveyor.clear();
    scene.wait(100);
    assert!(scene.disk.is_empty() && scene.drawn.is_empty());
    scene.drive(north, 3);
    assert!(scene.drawn[0].is_broken_before);
}

#[test]
fn the_colours_can_tell_the_speed_instead() {
    let mut scene = Scene::new();
    scene.drive(0.0, 3);
    assert!(scene.drawn.iter().all(|point| point.class == Some(4)));
    scene.surveyor.colour_by(ColourBy::Speed);
    scene.wait(100);
    assert!(scene.drawn.iter().all(|point| point.class == Some(2)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a receiver says, what is kept is a place on Earth, and what is drawn follows it.
    #[test]
    fn hostile_streams_are_survived(
        messages in proptest::collection::vec(
            (
                proptest::option::of(prop_oneof![Just(f64::MAX), -1e3..1e3_f64, 31.2..31.3_f64]),
                proptest::option::of(prop_oneof![Just(-0.0), -1e3..1e3_f64, 121.4..121.5_f64]),
                proptest::option::of(-720.0..720.0_f64),
                proptest::option::of(-1e9..1e9_f64),
                proptest::option::of(-3..12_i64),
                0..2500_u64,
            ),
            1..120,
        ),
    ) {
        let mut scene = Scene::new();
        for (lat, lon, head, speed, quality, pause) in messages {
            scene.hear(&json!({"lat": lat, "lon": lon, "head": head, "speed": speed,
                "p_quality": quality, "h_quality": quality}));
            scene.wait(pause);
            if let Some(position) = scene.newest.view.position {
                prop_assert!(position.0.abs() <= 90.0 && position.1.abs() <= 180.0);
            }
        }
        let fixes = scene.fixes();
        prop_assert!(scene.drawn.len() <= fixes.len());
        prop_assert!(fixes.iter().all(|fix| fix.position.0.abs() <= 90.0));
        // A number that no document knows is shown, and kept as unknown.
        prop_assert!(fixes.iter().all(|fix| !matches!(fix.quality, Some(0 | 3 | 7 | 8))));
    }
}

/// The viewer against a server that the test plays.
struct Bridge {
    viewer: Viewer,
    socket: SocketId,
    now: Moment,
    topics: Vec<(&'static str, &'static str)>,
    subscribed: Vec<String>,
    newest: SurveyNews,
    events: Vec<Happening>,
}

impl Bridge {
    fn new(topics: &[(&'static str, &'static str)]) -> Self {
        let start = ViewerStart {
            url: "ws://robot:9090".into(),
            unix_ms: UNIX_MS,
            ..ViewerStart::default()
        };
        let now = Moment::START;
        let mut bridge = Self {
            viewer: Viewer::new(start, now),
            socket: SocketId(0),
            now,
            topics: topics.to_vec(),
            subscribed: Vec::new(),
            newest: SurveyNews::default(),
            events: Vec::new(),
        };
        bridge.drain();
        bridge.feed(Input::Kept(Ok(Vec::new())));
        let socket = bridge.socket;
        bridge.feed(Input::Socket(socket, SocketEvent::Opened));
        bridge
    }

    fn feed(&mut self, input: Input) {
        self.viewer.handle(input, self.now);
        self.drain();
    }

    fn wait(&mut self, ms: u64) {
        let end = self.now + millis(ms);
        while self.now < end {
            self.now = self.viewer.next_wakeup().max(self.now + millis(5)).min(end);
            self.feed(Input::Tick);
        }
    }

    fn publish(&mut self, topic: &str, msg: &Value) {
        if self.subscribed.iter().any(|name| name == topic) {
            let frame = json!({"op": "publish", "topic": topic, "msg": msg}).to_string();
            self.feed(Input::Socket(self.socket, SocketEvent::Text(frame)));
        }
    }

    fn drain(&mut self) {
        let mut answers = Vec::new();
        while let Some(output) = self.viewer.poll() {
            match output {
                Output::Socket(SocketOutput::Open { socket, .. }) => self.socket = socket,
                Output::Socket(SocketOutput::Send { text, .. }) => {
                    let frame: Value = serde_json::from_str(&text).unwrap();
                    let topic = frame["topic"].as_str().unwrap_or_default().to_owned();
                    match frame["op"].as_str().unwrap() {
                        "subscribe" => self.subscribed.push(topic),
                        "unsubscribe" => self.subscribed.retain(|name| *name != topic),
                        "call_service" => answers.push(frame),
                        _ => {}
                    }
                }
                Output::Survey(news) => {
                    self.events
                        .extend(news.events.iter().map(|event| event.what.clone()));
                    self.newest = *news;
                }
                _ => {}
            }
        }
        for call in answers {
            let names: Vec<&str> = self.topics.iter().map(|topic| topic.0).collect();
            let kinds: Vec<&str> = self.topics.iter().map(|topic| topic.1).collect();
            let frame = json!({"op": "service_response", "id": call["id"], "result": true,
                "values": {"topics": names, "types": kinds, "publishers": ["/node"], "typedefs": []}});
            let event = SocketEvent::Text(frame.to_string());
            self.viewer
                .handle(Input::Socket(self.socket, event), self.now);
        }
    }
}

#[test]
fn every_message_of_the_topic_is_wanted_and_none_of_the_servers_queue() {
    let mut bridge = Bridge::new(&[("/rtk_message", "sweeper_msgs/msg/Rtk")]);
    bridge.wait(1000);
    assert_eq!(bridge.subscribed, ["/rtk_message"]);
    for step in 0..20_u32 {
        // Ten in a burst, as after a stall.
        bridge.publish(
            "/rtk_message",
            &rtk(0.0, f64::from(step) * 0.02, 0.0, 0.2, 4, 4),
        );
        if step % 10 == 9 {
            bridge.wait(1000);
        }
    }
    assert_eq!(bridge.newest.glance.as_ref().unwrap().stored, 20);
    bridge.feed(Input::Wish(Wish::Survey(SurveyWish::ColourBy(
        ColourBy::Speed,
    ))));
    bridge.wait(100);
    assert!(matches!(&bridge.newest.line, Line::Anew(points) if !points.is_empty()));
}

fn nav_sat_fix(east: f64, covariance: f64, kind: i64) -> Value {
    let (lat, lon) = place(east, 0.0);
    json!({"status": {"status": 2}, "latitude": lat, "longitude": lon,
        "position_covariance": [covariance, 0, 0, 0, covariance, 0, 0, 0, null],
        "position_covariance_type": kind})
}

/// A quaternion in ENU of a compass heading.
fn orientation(heading: f64) -> Value {
    let half = (90.0 - heading).to_radians() / 2.0;
    json!({"quaternion": {"x": 0.0, "y": 0.0, "z": half.sin(), "w": half.cos()}})
}

#[test]
fn a_vehicle_without_rtk_is_followed_by_nav_sat_fix_and_is_never_called_fixed() {
    let mut bridge = Bridge::new(&[
        ("/rtk_message", "sweeper_msgs/msg/Rtk"),
        ("/gps/fix", "sensor_msgs/msg/NavSatFix"),
        ("/gps/heading", "geometry_msgs/msg/QuaternionStamped"),
    ]);
    bridge.wait(4000);
    assert!(bridge.subscribed.contains(&"/gps/fix".to_owned()));
    for (step, heading) in [0.0, 90.0, 180.0, 270.0, 359.0].into_iter().enumerate() {
        bridge.publish("/gps/heading", &orientation(heading));
        bridge.publish("/gps/fix", &nav_sat_fix(step as f64 * 0.1, 0.0004, 2));
        bridge.wait(100);
        let view = &bridge.newest.view;
        assert_eq!(view.state, RtkState::Live);
        assert_eq!((view.p_quality, view.h_quality), (None, None));
        assert!((view.heading.unwrap() - heading).abs() < 1e-9, "{view:?}");
        let accuracy = bridge.newest.accuracy_95.unwrap();
        assert!((accuracy - 2.447_7 * 0.02).abs() < 1e-4, "{accuracy}");
    }
    bridge.publish("/gps/fix", &nav_sat_fix(0.6, 0.0004, 0));
    bridge.wait(100);
    assert_eq!(
        bridge.newest.accuracy_95, None,
        "an unknown covariance is unknown"
    );
    bridge.publish(
        "/gps/fix",
        &json!({"status": {"status": -1}, "latitude": 31.23, "longitude": 121.47}),
    );
    bridge.wait(100);
    assert_eq!(bridge.newest.view.state, RtkState::Invalid);
    assert!(
        bridge
            .newest
            .view
            .problem
            .as_ref()
            .unwrap()
            .contains("no fix")
    );
    assert_eq!(bridge.newest.source, Source::NavSatFix);
}

#[test]
fn a_heading_that_stops_is_unknown_after_a_second() {
    let mut bridge = Bridge::new(&[
        ("/gps/fix", "sensor_msgs/msg/NavSatFix"),
        ("/imu", "sensor_msgs/msg/Imu"),
    ]);
    bridge.wait(4000);
    let imu =
        json!({"orientation": orientation(45.0)["quaternion"], "orientation_covariance": [0.0]});
    bridge.publish("/imu", &imu);
    bridge.publish("/gps/fix", &nav_sat_fix(0.0, 0.0004, 2));
    bridge.wait(100);
    assert!(bridge.newest.view.heading_is_good);
    for step in 0..15_u32 {
        bridge.publish("/gps/fix", &nav_sat_fix(f64::from(step) * 0.1, 0.0004, 2));
        bridge.wait(100);
    }
    assert_eq!(bridge.newest.view.heading, None);
    assert!(!bridge.newest.view.heading_is_good);
}

#[test]
fn where_rtk_comes_a_satellite_fix_is_left_alone() {
    let mut bridge = Bridge::new(&[
        ("/rtk_message", "sweeper_msgs/msg/Rtk"),
        ("/gps/fix", "sensor_msgs/msg/NavSatFix"),
    ]);
    bridge.wait(500);
    for step in 0..60_u32 {
        bridge.publish(
            "/rtk_message",
            &rtk(0.0, f64::from(step) * 0.02, 0.0, 0.2, 4, 4),
        );
        bridge.wait(100);
    }
    assert_eq!(bridge.subscribed, ["/rtk_message"]);
    // A receiver that falls silent is stale; another one does not take its place unasked.
    bridge.wait(6000);
    assert_eq!(bridge.newest.view.state, RtkState::Stale);
    assert!(!bridge.subscribed.contains(&"/gps/fix".to_owned()));
}
