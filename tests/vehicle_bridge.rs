//! What the simulated bridge does with frames, by the table of the real one.
#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test may panic, and some numbers are exact"
)]

mod support;

use broomstick::units::millis;
use broomstick::vehicle::log::{FrameOutcome, LogEntry};
use broomstick::vehicle::{ClientId, Options, RpmType, VelocityType};
use serde_json::json;
use support::{A, B, Bench};

fn mc_ctrl_outcome(field: &str) -> (FrameOutcome, Option<String>) {
    let mut bench = Bench::new();
    bench.publish("/auto_mc_ctrl", &format!("{{{field}}}"));
    bench.last_outcome()
}

#[track_caller]
fn dropped(field: &str, reason: &str) {
    assert_eq!(
        mc_ctrl_outcome(field),
        (FrameOutcome::Dropped, Some(reason.to_owned()))
    );
}

#[track_caller]
fn published(field: &str) {
    assert_eq!(mc_ctrl_outcome(field), (FrameOutcome::Published, None));
}

#[test]
fn integers_out_of_range_drop_the_message() {
    let unsigned = "The 'rpm' field must be an unsigned integer in [0, 255]";
    dropped(r#""rpm":3000"#, unsigned);
    dropped(r#""rpm":-1"#, unsigned);
    dropped(r#""rpm":123456789012345678901234567890"#, unsigned);
    dropped(
        r#""side_brush":200"#,
        "The 'side_brush' field must be an integer in [-128, 127]",
    );
    dropped(
        r#""angle_speed":65536"#,
        "The 'angle_speed' field must be an unsigned integer in [0, 65535]",
    );
}

#[test]
fn anything_but_an_integer_in_an_integer_field_drops_the_message() {
    for (value, kind) in [
        ("5.0", "float"),
        ("\"5\"", "str"),
        ("true", "bool"),
        ("null", "NoneType"),
        ("NaN", "float"),
        ("[5]", "list"),
        ("{}", "dict"),
    ] {
        dropped(
            &format!("\"rpm\":{value}"),
            &format!(
                "sweeper_msgs/McCtrl message requires a uint8 for field rpm, but got a \
                 <class '{kind}'>"
            ),
        );
    }
}

#[test]
fn a_float_field_takes_integers_and_what_is_not_finite_but_no_null() {
    published(r#""angle":1"#);
    published(r#""angle":NaN"#);
    published(r#""angle":-Infinity"#);
    published(r#""angle":1e400"#);
    dropped(
        r#""angle":null"#,
        "sweeper_msgs/McCtrl message requires a float for field angle, but got a \
         <class 'NoneType'>",
    );
    dropped(
        r#""angle":1e39"#,
        "The 'angle' field must be a float in [-3.402823466e+38, 3.402823466e+38]",
    );
}

#[test]
fn an_unknown_field_drops_the_message_and_nothing_of_it_is_obeyed() {
    let mut bench = Bench::new();
    bench.publish("/auto_mc_ctrl", r#"{"brake":1,"nonsense":1}"#);
    let reason = "Message type sweeper_msgs/McCtrl does not have a field nonsense".to_owned();
    assert_eq!(bench.last_outcome(), (FrameOutcome::Dropped, Some(reason)));
    assert_eq!(bench.state().brake, 0);
    assert_eq!(bench.state().last_mc_ctrl, None);
}

#[test]
fn missing_fields_are_zero_so_an_empty_message_releases_the_brake() {
    let mut bench = Bench::with(Options {
        initial_brake: 1,
        ..Options::default()
    });
    bench.publish("/auto_mc_ctrl", "{}");
    assert_eq!(bench.state().brake, 0);
}

#[test]
fn a_wider_definition_takes_3000_rpm() {
    for rpm_type in [RpmType::Uint16, RpmType::Float32] {
        let mut bench = Bench::with(Options {
            rpm_type,
            ..Options::default()
        });
        bench.publish("/auto_mc_ctrl", r#"{"rpm":3000}"#);
        assert_eq!(
            bench.state().last_mc_ctrl.map(|c| c.rpm),
            Some(3000),
            "{rpm_type:?}"
        );
    }
}

#[test]
fn success_and_failure_are_both_silent_for_the_client() {
    let mut bench = Bench::new();
    bench.send(
        A,
        r#"{"op":"advertise","topic":"/cmd_vel","type":"geometry_msgs/Twist"}"#,
    );
    bench.twist(0.1, 0.0);
    bench.publish("/cmd_vel", r#"{"linear":null}"#);
    bench.send(A, r#"{"op":"nonsense"}"#);
    assert!(bench.got(A).is_empty());
}

#[test]
fn a_type_is_inferred_from_a_topic_that_only_the_vehicle_subscribes() {
    let mut bench = Bench::new();
    bench.twist(0.2, 0.0);
    assert_eq!(bench.last_outcome(), (FrameOutcome::Published, None));
    bench.publish("/nobody_knows", "{}");
    let reason = "Cannot infer topic type for topic /nobody_knows as it is not yet advertised";
    assert_eq!(
        bench.last_outcome(),
        (FrameOutcome::Dropped, Some(reason.to_owned()))
    );
}

#[test]
fn a_topic_of_another_type_is_refused_and_later_publishes_follow_the_graph() {
    let mut bench = Bench::new();
    bench.send(
        A,
        r#"{"op":"advertise","topic":"/cmd_vel","type":"geometry_msgs/TwistStamped"}"#,
    );
    let (outcome, reason) = bench.last_outcome();
    assert_eq!(outcome, FrameOutcome::Dropped);
    assert!(
        reason
            .unwrap()
            .contains("already established with type geometry_msgs/msg/Twist")
    );
    bench.twist(0.2, 0.0);
    assert_eq!(bench.last_outcome(), (FrameOutcome::Published, None));
}

#[test]
fn the_sender_and_all_others_hear_the_complete_message() {
    let mut bench = Bench::new();
    bench.connect(B);
    for client in [A, B] {
        bench.send(client, r#"{"op":"subscribe","topic":"/cmd_vel"}"#);
    }
    bench.publish("/cmd_vel", r#"{"linear":{"x":1}}"#);
    let zero = json!({"x": 0.0, "y": 0.0, "z": 0.0});
    let whole = json!({"linear": {"x": 1.0, "y": 0.0, "z": 0.0}, "angular": zero});
    for client in [A, B] {
        assert_eq!(
            bench.got_on(client, "/cmd_vel"),
            std::slice::from_ref(&whole)
        );
    }
}

#[test]
fn a_heartbeat_topic_of_a_client_reaches_the_other_clients() {
    let mut bench = Bench::new();
    bench.connect(B);
    let topic = "/console/heartbeat";
    for client in [A, B] {
        bench.send(
            client,
            &format!(r#"{{"op":"advertise","topic":"{topic}","type":"std_msgs/msg/String"}}"#),
        );
        bench.send(
            client,
            &format!(r#"{{"op":"subscribe","topic":"{topic}"}}"#),
        );
    }
    bench.publish(topic, r#"{"data":"{\"seq\":1}"}"#);
    assert_eq!(bench.got_on(A, topic), [json!({"data": "{\"seq\":1}"})]);
    assert_eq!(bench.got_on(B, topic), [json!({"data": "{\"seq\":1}"})]);
}

#[test]
fn what_is_not_finite_goes_out_as_null() {
    let mut bench = Bench::new();
    bench.send(A, r#"{"op":"subscribe","topic":"/cmd_vel"}"#);
    bench.publish("/cmd_vel", r#"{"linear":{"x":NaN}}"#);
    assert_eq!(bench.got_on(A, "/cmd_vel")[0]["linear"]["x"], json!(null));
}

#[test]
fn who_subscribes_within_a_second_still_gets_what_was_published() {
    let mut bench = Bench::new();
    bench.connect(B);
    bench.twist(0.1, 0.0);
    bench.wait_ms(300);
    bench.twist(0.2, 0.0);
    bench.wait_ms(900);
    bench.send(B, r#"{"op":"subscribe","topic":"/cmd_vel"}"#);
    let speeds: Vec<_> = bench
        .got_on(B, "/cmd_vel")
        .iter()
        .map(|m| m["linear"]["x"].clone())
        .collect();
    assert_eq!(speeds, [json!(0.2)]);
}

#[test]
fn a_header_without_a_stamp_looks_fresh_and_no_header_looks_ancient() {
    let options = Options {
        velocity_type: VelocityType::TwistStamped,
        ..Options::default()
    };
    let mut bench = Bench::with(options);
    bench.wait_ms(2000);
    bench.send(A, r#"{"op":"subscribe","topic":"/cmd_vel"}"#);
    bench.publish("/cmd_vel", r#"{"header":{},"twist":{"linear":{"x":0.3}}}"#);
    bench.publish("/cmd_vel", r#"{"twist":{"linear":{"x":0.3}}}"#);
    let got = bench.got_on(A, "/cmd_vel");
    assert_eq!(
        got[0]["header"]["stamp"],
        json!({"sec": 1_767_225_602, "nanosec": 0})
    );
    assert_eq!(got[1]["header"]["stamp"], json!({"sec": 0, "nanosec": 0}));
    assert!(bench.state().is_command_active);
}

#[test]
fn numbers_of_a_subscribe_must_be_integers() {
    for field in [
        r#""throttle_rate":100.0"#,
        r#""queue_length":"1""#,
        r#""fragment_size":null"#,
    ] {
        let mut bench = Bench::new();
        bench.send(
            A,
            &format!(r#"{{"op":"subscribe","topic":"/rtk_message",{field}}}"#),
        );
        assert_eq!(bench.last_outcome().0, FrameOutcome::Dropped, "{field}");
        bench.wait_ms(500);
        assert!(bench.got(A).is_empty(), "{field}");
    }
}

#[test]
fn a_throttled_subscription_of_the_rtk_comes_at_its_rate() {
    let mut bench = Bench::new();
    bench.send(
        A,
        r#"{"op":"subscribe","topic":"/rtk_message","throttle_rate":500,"queue_length":1}"#,
    );
    bench.wait_ms(5000);
    let count = bench.got_on(A, "/rtk_message").len();
    assert!((10..=11).contains(&count), "{count}");
}

#[test]
fn a_malformed_frame_with_a_whole_object_inside_makes_the_connection_deaf() {
    let mut bench = Bench::new();
    bench.send(
        A,
        r#"{"op":"publish","topic":"/cmd_vel","msg":{"linear":{"x":0.5}"#,
    );
    bench.twist(0.0, 0.0);
    assert_eq!(bench.last_outcome().0, FrameOutcome::Dropped);
    assert!(!bench.state().is_command_active);
    bench.send(A, r#"{"op":"subscribe","topic":"/rtk_message"}"#);
    bench.wait_ms(1000);
    assert!(bench.got(A).is_empty());
    bench.connect(B);
    bench.send(B, r#"{"op":"publish","topic":"/cmd_vel","msg":{}}"#);
    assert!(bench.state().is_command_active);
}

#[test]
fn a_bare_number_ends_what_is_heard_but_not_what_is_sent() {
    let mut bench = Bench::new();
    bench.send(A, r#"{"op":"subscribe","topic":"/rtk_message"}"#);
    bench.send(A, "5");
    bench.twist(0.3, 0.0);
    assert!(!bench.state().is_command_active);
    bench.wait_ms(1000);
    assert_eq!(bench.got_on(A, "/rtk_message").len(), 10);
}

#[test]
fn a_lost_client_is_only_silent_and_no_stop_is_published() {
    let mut bench = Bench::new();
    bench.connect(B);
    bench.send(B, r#"{"op":"subscribe","topic":"/cmd_vel"}"#);
    bench.drive(0.5, 0.0, 1000);
    bench.disconnect(A);
    bench.wait_ms(300);
    assert!(bench.state().speed > 0.4);
    let got = bench.got_on(B, "/cmd_vel");
    assert!(got.iter().all(|m| m["linear"]["x"] == json!(0.5)));
}

#[test]
fn client_count_tells_its_last_value_and_each_change() {
    let mut bench = Bench::new();
    bench.send(
        A,
        r#"{"op":"subscribe","topic":"/client_count","type":"std_msgs/msg/Int32"}"#,
    );
    bench.connect(B);
    bench.disconnect(B);
    let counts: Vec<_> = bench
        .got_on(A, "/client_count")
        .iter()
        .map(|m| m["data"].clone())
        .collect();
    assert_eq!(counts, [json!(1), json!(2), json!(1)]);
}

#[test]
fn a_namespace_stands_before_every_topic_of_the_vehicle() {
    let mut bench = Bench::with(Options {
        namespace: "/site a/robot1/".into(),
        ..Options::default()
    });
    let topics = bench.call(A, "/rosapi/topics", "{}").unwrap()["values"]["topics"].clone();
    assert_eq!(
        topics,
        json!([
            "/client_count",
            "/rosout",
            "/sitea/robot1/auto_mc_ctrl",
            "/sitea/robot1/cmd_vel",
            "/sitea/robot1/rtk_message",
            "/sitea/robot1/velocity_command/state"
        ])
    );
    bench.publish("/sitea/robot1/cmd_vel", r#"{"linear":{"x":0.2}}"#);
    assert!(bench.state().is_command_active);
}

#[test]
fn the_vehicle_says_what_its_rpm_can_hold() {
    for (rpm_type, name) in [
        (RpmType::Uint8, "uint8"),
        (RpmType::Uint16, "uint16"),
        (RpmType::Float32, "float"),
    ] {
        let mut bench = Bench::with(Options {
            rpm_type,
            ..Options::default()
        });
        let args = r#"{"type":"sweeper_msgs/msg/McCtrl"}"#;
        let response = bench.call(A, "/rosapi/message_details", args).unwrap();
        let typedef = &response["values"]["typedefs"][0];
        assert_eq!(typedef["fieldnames"][2], "_rpm");
        assert_eq!(typedef["fieldtypes"][2], name);
    }
}

#[test]
fn an_unknown_type_has_no_typedefs_and_a_malformed_one_ends_rosapi() {
    let mut bench = Bench::new();
    bench.connect(B);
    let unknown = bench.call(A, "/rosapi/message_details", r#"{"type":"a_msgs/msg/B"}"#);
    assert_eq!(unknown.unwrap()["values"], json!({"typedefs": []}));
    assert_eq!(
        bench.call(A, "/rosapi/message_details", r#"{"type":""}"#),
        None
    );
    bench.twist(0.2, 0.0);
    assert!(
        !bench.state().is_command_active,
        "the caller's connection waits for ever"
    );
    bench.send(B, r#"{"op":"publish","topic":"/cmd_vel","msg":{}}"#);
    assert!(bench.state().is_command_active);
    assert_eq!(bench.call(B, "/rosapi/topics", "{}"), None);
}

#[test]
fn a_service_that_is_not_there_says_so() {
    let mut bench = Bench::new();
    let response = bench.call(A, "/no/such/service", "{}").unwrap();
    assert_eq!(response["result"], json!(false));
    assert_eq!(
        response["values"],
        json!("Service /no/such/service does not exist")
    );
}

#[test]
fn the_log_says_when_what_came_and_what_became_of_it() {
    let mut bench = Bench::new();
    bench.wait(millis(123));
    bench.twist(0.25, 0.0);
    let line = bench
        .log
        .iter()
        .rev()
        .find(|l| matches!(l.entry, LogEntry::Frame { .. }))
        .unwrap();
    let value: serde_json::Value = serde_json::from_str(&line.to_json()).unwrap();
    assert_eq!(value["t"], json!(123.0));
    assert_eq!(value["kind"], "frame");
    assert_eq!(value["client"], 1);
    assert_eq!(value["op"], "publish");
    assert_eq!(value["topic"], "/cmd_vel");
    assert_eq!(value["msg"]["linear"]["x"], json!(0.25));
    assert_eq!(value["outcome"], "published");
    assert_eq!(
        serde_json::from_str::<broomstick::vehicle::log::LogLine>(&line.to_json()).unwrap(),
        *line
    );
}

#[test]
fn a_raw_frame_goes_to_every_client_as_it_is() {
    let mut bench = Bench::new();
    bench.connect(ClientId(7));
    bench.vehicle.send_raw("{not json");
    bench.wait_ms(1);
    let raw: Vec<_> = bench
        .frames
        .iter()
        .filter(|(_, _, t)| t == "{not json")
        .collect();
    assert_eq!(raw.len(), 2);
}
