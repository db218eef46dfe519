//! The multirotor on the bridge and several vehicles on one: what a client sees and can do.
//! Sections are those of `docs/ubot.md`.
#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test may panic, and some numbers are exact"
)]

mod support;

use broomstick::units::Moment;
use broomstick::vehicle::log::LogEntry;
use broomstick::vehicle::{Fleet, Options, VehicleKind};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{A, B, Bench};

/// Roll and pitch rates and the thrust mean nothing: what two pads send.
const PADS: u8 = 67;
const LEVEL: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

fn options(namespace: &str, kind: VehicleKind) -> Options {
    Options {
        namespace: namespace.into(),
        kind,
        has_levels: true,
        ..Options::default()
    }
}

fn uav() -> Bench {
    Bench::with(options("uav1", VehicleKind::Multirotor))
}

fn uav_and_sweeper() -> Bench {
    let others = vec![options("yard/s1", VehicleKind::Sweeper)];
    let first = options("uav1", VehicleKind::Multirotor);
    let mut bench = Bench::new();
    bench.vehicle = Fleet::of(first, others, Moment::START);
    bench.connect(A);
    bench
}

fn listen(bench: &mut Bench, topic: &str) {
    bench.send(A, &format!(r#"{{"op":"subscribe","topic":"{topic}"}}"#));
}

/// The answer of the motors: success and message.
fn motors(bench: &mut Bench, is_on: bool) -> (bool, String) {
    let args = format!(r#"{{"data":{is_on}}}"#);
    let answer = bench.call(A, "/uav1/motors", &args).unwrap();
    assert_eq!(answer["result"], true);
    let values = &answer["values"];
    let message = values["message"].as_str().unwrap().to_owned();
    (values["success"].as_bool().unwrap(), message)
}

fn velocity(bench: &mut Bench, linear: [f64; 3], turn: f64) {
    let [x, y, z] = linear;
    let message = json!({"linear": {"x": x, "y": y, "z": z}, "angular": {"z": turn}});
    bench.publish("/uav1/cmd_vel", &message.to_string());
}

fn attitude(bench: &mut Bench, mask: u8, [x, y, z, w]: [f64; 4], turn: f64, thrust: f64) {
    let message = json!({
        "type_mask": mask,
        "orientation": {"x": x, "y": y, "z": z, "w": w},
        "body_rate": {"z": turn},
        "thrust": thrust,
    });
    bench.publish("/uav1/cmd_attitude", &message.to_string());
}

/// So long at 20 Hz.
fn for_ms(bench: &mut Bench, span: u64, mut send: impl FnMut(&mut Bench)) {
    for _ in 0..span / 50 {
        send(bench);
        bench.wait_ms(50);
    }
}

/// Motors on, then 3 m up, holding.
fn take_off(bench: &mut Bench) {
    assert!(motors(bench, true).0);
    for_ms(bench, 3500, |bench| velocity(bench, [0.0, 0.0, 1.0], 0.0));
    bench.wait_ms(3000);
    assert!(height(bench) > 2.0);
}

fn height(bench: &Bench) -> f64 {
    let flight = bench.vehicle.multirotor("uav1").unwrap().flight();
    flight.position.z
}

fn speed(bench: &Bench) -> f64 {
    let flight = bench.vehicle.multirotor("uav1").unwrap().flight();
    flight.velocity.magnitude()
}

fn last(bench: &Bench, topic: &str) -> Value {
    bench.got_on(A, topic).last().unwrap().clone()
}

/// State and reason of a component.
fn told(bench: &Bench, component: &str) -> (String, String) {
    let message = last(bench, &format!("/uav1/{component}_command/state"));
    let words: Value = serde_json::from_str(message["data"].as_str().unwrap()).unwrap();
    let word = |key: &str| words[key].as_str().unwrap().to_owned();
    (word("state"), word("reason"))
}

/// Pitched so many radians, nose down positive.
fn pitched(angle: f64) -> [f64; 4] {
    [0.0, (angle / 2.0).sin(), 0.0, (angle / 2.0).cos()]
}

#[test]
fn every_topic_of_the_table_is_there_with_its_type() {
    let mut bench = uav();
    let answer = bench.call(A, "/rosapi/topics", "{}").unwrap();
    let list = |key: &str| answer["values"][key].as_array().unwrap().clone();
    let found: Vec<(Value, Value)> = list("topics").into_iter().zip(list("types")).collect();
    for (topic, kind) in [
        ("cmd_vel", "geometry_msgs/msg/Twist"),
        ("cmd_attitude", "mavros_msgs/msg/AttitudeTarget"),
        ("motors/state", "std_msgs/msg/Bool"),
        ("landed", "std_msgs/msg/Bool"),
        ("velocity_command/state", "std_msgs/msg/String"),
        ("attitude_command/state", "std_msgs/msg/String"),
        ("odom", "nav_msgs/msg/Odometry"),
        ("pose", "geometry_msgs/msg/PoseStamped"),
        ("rtk_message", "sweeper_msgs/msg/Rtk"),
        ("gps/fix", "sensor_msgs/msg/NavSatFix"),
        ("battery_state", "sensor_msgs/msg/BatteryState"),
    ] {
        let wanted = (json!(format!("/uav1/{topic}")), json!(kind));
        assert!(found.contains(&wanted), "{topic}");
    }
    assert!(!found.iter().any(|(name, _)| name == "/uav1/auto_mc_ctrl"));
}

#[test]
fn the_attitude_target_is_described_and_the_motors_are_listed() {
    let mut bench = uav();
    let args = r#"{"type":"mavros_msgs/msg/AttitudeTarget"}"#;
    let answer = bench.call(A, "/rosapi/message_details", args).unwrap();
    let first = &answer["values"]["typedefs"][0];
    assert_eq!(
        first["fieldnames"],
        json!([
            "_header",
            "_type_mask",
            "_orientation",
            "_body_rate",
            "_thrust"
        ])
    );
    let services = bench.call(A, "/rosapi/services", "{}").unwrap();
    let services = services["values"]["services"].as_array().unwrap().clone();
    assert!(services.contains(&json!("/uav1/motors")));
    let args = r#"{"service":"/uav1/motors"}"#;
    let kind = bench.call(A, "/rosapi/service_type", args).unwrap();
    assert_eq!(kind["values"]["type"], "std_srvs/srv/SetBool");
}

#[test]
fn starting_the_motors_is_a_separate_act_and_does_not_lift_it() {
    let mut bench = uav();
    listen(&mut bench, "/uav1/motors/state");
    listen(&mut bench, "/uav1/landed");
    listen(&mut bench, "/uav1/velocity_command/state");
    velocity(&mut bench, [0.0, 0.0, 1.0], 0.0);
    assert_eq!(
        told(&bench, "velocity"),
        (
            "refused".into(),
            "the target refused the command: the motors are off".into()
        )
    );
    bench.wait_ms(600);
    assert_eq!(last(&bench, "/uav1/motors/state"), json!({"data": false}));
    assert_eq!(motors(&mut bench, true), (true, String::new()));
    bench.wait_ms(3000);
    assert_eq!(height(&bench), 0.0);
    assert_eq!(last(&bench, "/uav1/motors/state"), json!({"data": true}));
    assert_eq!(last(&bench, "/uav1/landed"), json!({"data": true}));
}

#[test]
fn the_motors_do_not_start_under_a_command_that_is_in_force() {
    let mut bench = uav();
    velocity(&mut bench, [0.0, 0.0, 1.0], 0.0);
    let refusal = (false, "a command is in force".to_owned());
    assert_eq!(motors(&mut bench, true), refusal);
    bench.wait_ms(600);
    attitude(&mut bench, PADS, pitched(0.2), 0.0, 0.0);
    assert_eq!(motors(&mut bench, true), refusal);
    bench.wait_ms(600);
    velocity(&mut bench, [0.0; 3], 0.0);
    attitude(&mut bench, PADS, LEVEL, 0.0, 0.0);
    assert_eq!(motors(&mut bench, true), (true, String::new()));
}

#[test]
fn the_motors_are_not_stopped_in_the_air_but_on_the_ground() {
    let mut bench = uav();
    take_off(&mut bench);
    let refusal = (false, "the motors cannot be stopped in the air".to_owned());
    assert_eq!(motors(&mut bench, false), refusal);
    bench.wait_ms(1000);
    assert!(height(&bench) > 2.0);
    assert_eq!(bench.events("motors_refused").len(), 1);
    for_ms(&mut bench, 8000, |b| velocity(b, [0.0, 0.0, -1.0], 0.0));
    assert_eq!(motors(&mut bench, false), (true, String::new()));
    assert_eq!(bench.events("motors").len(), 2);
}

#[test]
fn a_zero_is_never_refused() {
    let mut bench = uav();
    listen(&mut bench, "/uav1/velocity_command/state");
    listen(&mut bench, "/uav1/attitude_command/state");
    velocity(&mut bench, [0.0; 3], 0.0);
    attitude(&mut bench, PADS, LEVEL, 0.0, 0.0);
    assert_eq!(told(&bench, "velocity").0, "active");
    assert_eq!(told(&bench, "attitude").0, "active");
}

#[test]
fn velocity_is_flown_in_the_heading_frame_and_a_lost_link_stops_in_place_and_holds() {
    let mut bench = uav();
    take_off(&mut bench);
    for_ms(&mut bench, 4000, |b| velocity(b, [1.0, 0.0, 0.0], 0.0));
    let truth = *bench.vehicle.multirotor("uav1").unwrap().flight();
    let ahead = truth.velocity.x * truth.yaw.cos() + truth.velocity.y * truth.yaw.sin();
    assert!((ahead - 1.0).abs() < 0.05, "{truth:?}");
    let before = height(&bench);
    bench.disconnect(A);
    bench.wait_ms(6000);
    assert_eq!(bench.events("command_timeout").len(), 2, "climb and flight");
    assert!(speed(&bench) < 0.05);
    assert!((height(&bench) - before).abs() < 0.3);
    assert!(bench.vehicle.multirotor("uav1").unwrap().has_motors_on());
}

#[test]
fn an_attitude_is_flown_with_the_climb_of_a_velocity_beside_it() {
    let mut bench = uav();
    take_off(&mut bench);
    let before = height(&bench);
    for_ms(&mut bench, 2000, |bench| {
        attitude(bench, PADS, pitched(0.15), 0.3, 0.0);
        velocity(bench, [0.0, 0.0, 0.5], 0.0);
    });
    let truth = *bench.vehicle.multirotor("uav1").unwrap().flight();
    assert!(truth.velocity.x.hypot(truth.velocity.y) > 1.0, "{truth:?}");
    assert!((truth.yaw_rate - 0.3).abs() < 1e-9);
    assert!((height(&bench) - before - 1.0).abs() < 0.3);
    // Without the velocity the climb ends, the attitude goes on.
    for_ms(&mut bench, 1500, |b| {
        attitude(b, PADS, pitched(0.15), 0.0, 0.0)
    });
    let held = height(&bench);
    for_ms(&mut bench, 1500, |b| {
        attitude(b, PADS, pitched(0.15), 0.0, 0.0)
    });
    assert!((height(&bench) - held).abs() < 0.1);
    // Without the attitude everything ends.
    bench.wait_ms(6000);
    assert_eq!(bench.events("attitude_timeout").len(), 1);
    assert!(speed(&bench) < 0.05);
}

#[test]
fn while_an_attitude_is_in_force_a_velocity_may_only_climb() {
    let mut bench = uav();
    take_off(&mut bench);
    listen(&mut bench, "/uav1/velocity_command/state");
    attitude(&mut bench, PADS, LEVEL, 0.0, 0.0);
    velocity(&mut bench, [1.0, 0.0, 0.5], 0.0);
    let reason = "the target refused the command: an attitude command is in force";
    assert_eq!(told(&bench, "velocity"), ("refused".into(), reason.into()));
    velocity(&mut bench, [0.0, 0.0, 0.5], 0.0);
    assert_eq!(told(&bench, "velocity").0, "active");
    attitude(&mut bench, 7, LEVEL, 0.0, 0.5);
    velocity(&mut bench, [0.0, 0.0, 0.5], 0.0);
    assert_eq!(told(&bench, "velocity"), ("refused".into(), reason.into()));
    velocity(&mut bench, [0.0; 3], 0.0);
    assert_eq!(told(&bench, "velocity").0, "active");
    bench.wait_ms(600);
    velocity(&mut bench, [1.0, 0.0, 0.0], 0.0);
    assert_eq!(told(&bench, "velocity").0, "active");
}

#[test]
fn a_tilt_beyond_35_degrees_is_flown_as_35_and_said_to_be_limited() {
    let mut bench = uav();
    take_off(&mut bench);
    listen(&mut bench, "/uav1/attitude_command/state");
    for_ms(&mut bench, 1500, |b| {
        attitude(b, PADS, pitched(1.0), 0.0, 0.0)
    });
    assert_eq!(told(&bench, "attitude").0, "limited");
    let pitch = bench.vehicle.multirotor("uav1").unwrap().flight().pitch;
    assert!((pitch.to_degrees() - 35.0).abs() < 0.5, "{pitch}");
    bench.wait_ms(600);
    assert_eq!(told(&bench, "attitude").0, "timed_out");
    attitude(&mut bench, PADS, [0.0; 4], 0.0, 0.0);
    let (state, reason) = told(&bench, "attitude");
    assert_eq!(state, "refused");
    assert!(reason.contains("no rotation"), "{reason}");
}

#[test]
fn odometry_pose_position_and_fix_say_where_it_is() {
    let mut bench = uav();
    take_off(&mut bench);
    for topic in ["odom", "pose", "rtk_message", "gps/fix", "battery_state"] {
        listen(&mut bench, &format!("/uav1/{topic}"));
    }
    let before = bench.now;
    for_ms(&mut bench, 2000, |b| velocity(b, [1.0, 0.0, 0.5], 0.0));
    assert_eq!(bench.now.since(before).as_secs(), 2);
    let count = |topic: &str| bench.got_on(A, &format!("/uav1/{topic}")).len();
    assert_eq!(
        ["odom", "pose", "rtk_message", "gps/fix", "battery_state"].map(count),
        [40, 40, 20, 10, 2]
    );
    let truth = bench.vehicle.multirotor("uav1").unwrap().flight();
    let odom = last(&bench, "/uav1/odom");
    let number = |value: &Value| value.as_f64().unwrap();
    let pose = &odom["pose"]["pose"];
    assert!((number(&pose["position"]["z"]) - truth.position.z).abs() < 0.1);
    assert_eq!(last(&bench, "/uav1/pose")["pose"], *pose);
    let twist = &odom["twist"]["twist"]["linear"];
    assert!((number(&twist["x"]) - 1.0).abs() < 0.2, "{twist}");
    assert!(number(&twist["y"]).abs() < 0.05, "{twist}");
    let rtk = last(&bench, "/uav1/rtk_message");
    assert!((number(&rtk["head"]) - 60.0).abs() < 1.0);
    assert!((number(&rtk["speed"]) - 1.0).abs() < 0.2);
    let fix = last(&bench, "/uav1/gps/fix");
    assert!((number(&fix["altitude"]) - truth.position.z).abs() < 0.2);
    assert!(number(&last(&bench, "/uav1/battery_state")["percentage"]) < 0.9);
}

#[test]
fn pausing_the_simulation_pauses_flight_and_timeouts() {
    let mut bench = uav();
    take_off(&mut bench);
    for_ms(&mut bench, 1000, |b| {
        attitude(b, PADS, pitched(0.2), 0.0, 0.0)
    });
    bench.call(A, "/sim/pause", r#"{"data":true}"#).unwrap();
    let before = *bench.vehicle.multirotor("uav1").unwrap().flight();
    bench.wait_ms(5000);
    assert_eq!(*bench.vehicle.multirotor("uav1").unwrap().flight(), before);
    bench.call(A, "/sim/pause", r#"{"data":false}"#).unwrap();
    bench.wait_ms(400);
    assert_eq!(bench.events("attitude_timeout").len(), 0);
    bench.wait_ms(150);
    assert_eq!(bench.events("attitude_timeout").len(), 1);
}

#[test]
fn several_vehicles_live_on_one_bridge_and_only_the_one_that_is_told_moves() {
    let mut bench = uav_and_sweeper();
    let sweeper = |bench: &Bench| -> (f64, f64) {
        let mut states = bench.log.iter().rev();
        states
            .find_map(|line| match (&line.entry, line.vehicle.as_deref()) {
                (LogEntry::State { x, y, .. }, Some("yard/s1")) => Some((*x, *y)),
                _ => None,
            })
            .unwrap()
    };
    take_off(&mut bench);
    assert_eq!(sweeper(&bench), (0.0, 0.0));
    let before = bench.vehicle.multirotor("uav1").unwrap().flight().position;
    for_ms(&mut bench, 3000, |bench| {
        bench.publish("/yard/s1/cmd_vel", r#"{"linear":{"x":0.5}}"#);
    });
    let (x, y) = sweeper(&bench);
    assert!(x.hypot(y) > 1.0);
    let after = bench.vehicle.multirotor("uav1").unwrap().flight().position;
    assert!((after.x - before.x).hypot(after.y - before.y) < 0.05);
    assert!(bench.vehicle.multirotor("yard/s1").is_none());
}

#[test]
fn each_vehicle_is_a_node_with_its_own_topics_and_services() {
    let mut bench = uav_and_sweeper();
    let nodes = bench.call(A, "/rosapi/nodes", "{}").unwrap();
    let nodes = nodes["values"]["nodes"].as_array().unwrap().clone();
    for node in ["/uav1/vehicle", "/yard/s1/vehicle"] {
        assert!(nodes.contains(&json!(node)));
    }
    let args = r#"{"node":"/uav1/vehicle"}"#;
    let details = bench.call(A, "/rosapi/node_details", args).unwrap();
    let details = &details["values"];
    assert_eq!(details["services"], json!(["/uav1/motors"]));
    assert_eq!(
        details["subscribing"],
        json!(["/uav1/cmd_attitude", "/uav1/cmd_vel"])
    );
}

#[test]
fn a_pause_is_for_all_vehicles_and_the_log_names_each() {
    let mut bench = uav_and_sweeper();
    bench.wait_ms(200);
    bench.call(A, "/sim/pause", r#"{"data":true}"#).unwrap();
    let names: Vec<&str> = bench
        .log
        .iter()
        .filter(|line| matches!(&line.entry, LogEntry::Event { event, .. } if event == "paused"))
        .map(|line| line.vehicle.as_deref().unwrap())
        .collect();
    assert_eq!(names, ["uav1", "yard/s1"]);
    let line = bench
        .log
        .iter()
        .find(|line| matches!(line.entry, LogEntry::Flight { .. }));
    let line: Value = serde_json::from_str(&line.unwrap().to_json()).unwrap();
    assert_eq!(line["kind"], "flight");
    assert_eq!(line["vehicle"], "uav1");
    assert_eq!(line["landed"], true);
}

#[test]
fn who_subscribes_later_hears_motors_and_ground() {
    let mut bench = uav();
    motors(&mut bench, true);
    bench.wait_ms(300);
    bench.connect(B);
    for topic in ["motors/state", "landed", "attitude_command/state"] {
        bench.send(
            B,
            &format!(r#"{{"op":"subscribe","topic":"/uav1/{topic}"}}"#),
        );
    }
    let first = |topic: &str| bench.got_on(B, topic).first().unwrap()["data"].clone();
    assert_eq!(first("/uav1/motors/state"), true);
    assert_eq!(first("/uav1/landed"), true);
    assert!(
        first("/uav1/attitude_command/state")
            .as_str()
            .unwrap()
            .contains("idle")
    );
}

#[test]
fn a_call_of_the_motors_that_is_no_yes_or_no_changes_nothing() {
    let mut bench = uav();
    let answer = bench.call(A, "/uav1/motors", r#"{"data":3.5}"#).unwrap();
    assert_eq!(answer["result"], false);
    assert!(!bench.vehicle.multirotor("uav1").unwrap().has_motors_on());
}

/// What a client may send: an attitude with a thrust or with none, or a velocity.
fn any_command() -> impl Strategy<Value = (u8, f64, f64, f64, f64)> {
    (0..3_u8, -1.0..1.0, -1.0..1.0, -2.0..2.0, 0.0..1.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// No motion outlives its operator.
    #[test]
    fn whatever_was_commanded_silence_ends_in_a_stand_at_an_altitude(
        commands in prop::collection::vec(any_command(), 1..12),
    ) {
        let mut bench = uav();
        take_off(&mut bench);
        for (kind, tilt, turn, speed, thrust) in commands {
            for_ms(&mut bench, 400, |bench| match kind {
                0 => attitude(bench, PADS, pitched(tilt), turn, 0.0),
                1 => attitude(bench, 3, pitched(tilt), turn, thrust),
                _ => velocity(bench, [speed, tilt, turn], turn),
            });
        }
        bench.disconnect(A);
        bench.wait_ms(500 + 12_000);
        let before = height(&bench);
        prop_assert!(speed(&bench) < 0.1, "{} m/s", speed(&bench));
        bench.wait_ms(2000);
        prop_assert!((height(&bench) - before).abs() < 0.05);
        prop_assert!(bench.vehicle.multirotor("uav1").unwrap().has_motors_on());
    }
}
