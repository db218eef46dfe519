//! Whatever a client sends, the vehicle neither panics nor exceeds itself.
#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test may panic, and some numbers are exact"
)]

mod support;

use broomstick::units::millis;
use broomstick::vehicle::json::Json;
use proptest::prelude::*;
use support::{A, Bench};

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i64>().prop_map(|n| Json::Int(n.into())),
        any::<f64>().prop_map(Json::Float),
        "[a-z/_#{}\"\\\\é]{0,8}".prop_map(Json::Text),
        Just(Json::from("/cmd_vel")),
        Just(Json::from("geometry_msgs/msg/Twist")),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::List),
            prop::collection::btree_map(any_key(), inner, 0..6)
                .prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

fn any_key() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(
            &[
                "op",
                "id",
                "topic",
                "type",
                "msg",
                "linear",
                "angular",
                "x",
                "z",
                "brake",
                "rpm",
                "service",
                "args",
                "throttle_rate",
                "queue_length",
                "header",
                "stamp",
                "sec",
            ][..]
        )
        .prop_map(str::to_owned),
        "[a-z]{0,4}",
    ]
}

/// An operation that the server knows, with whatever inside.
fn any_operation() -> impl Strategy<Value = String> {
    let op = prop::sample::select(
        &[
            "advertise",
            "unadvertise",
            "publish",
            "subscribe",
            "unsubscribe",
            "call_service",
        ][..],
    );
    let topic = prop::sample::select(
        &[
            "/cmd_vel",
            "cmd_vel",
            "/auto_mc_ctrl",
            "/rtk_message",
            "/rosout",
            "/other",
            "",
        ][..],
    );
    let kind = prop::sample::select(
        &[
            "geometry_msgs/Twist",
            "std_msgs/msg/String",
            "sweeper_msgs/msg/Rtk",
            "nope",
        ][..],
    );
    let service = prop::sample::select(
        &[
            "/rosapi/topics",
            "/rosapi/topic_type",
            "/rosapi/message_details",
            "/no",
            "",
        ][..],
    );
    (
        op,
        topic,
        kind,
        service,
        any_json(),
        any_json(),
        any::<bool>(),
    )
        .prop_map(|(op, topic, kind, service, msg, args, has_type)| {
            let mut entries = vec![
                ("op".to_owned(), Json::from(op)),
                ("topic".to_owned(), Json::from(topic)),
                ("service".to_owned(), Json::from(service)),
                ("msg".to_owned(), msg),
                ("args".to_owned(), args),
            ];
            if has_type {
                entries.push(("type".to_owned(), Json::from(kind)));
            }
            Json::Object(entries).to_text_with_bare_tokens()
        })
}

fn any_frame() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => any_operation(),
        2 => any_json().prop_map(|json| json.to_text_with_bare_tokens()),
        1 => any::<String>(),
        1 => prop::collection::vec(any::<u8>(), 0..64)
            .prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        // Frames cut anywhere.
        1 => (any_operation(), any::<prop::sample::Index>()).prop_map(|(text, index)| {
            let at = index.index(text.chars().count().max(1));
            text.chars().take(at).collect()
        }),
    ]
}

proptest! {
    // A failing case is printed; files beside the tests are no place to keep it.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_frame_panics_the_vehicle_and_every_frame_out_is_json(
        frames in prop::collection::vec(any_frame(), 1..12)
    ) {
        let mut bench = Bench::new();
        bench.send(A, r#"{"op":"subscribe","topic":"/cmd_vel"}"#);
        bench.send(A, r#"{"op":"subscribe","topic":"/rosout","queue_length":3}"#);
        for frame in &frames {
            bench.send(A, frame);
            bench.wait_ms(30);
        }
        for (_, _, text) in &bench.frames {
            prop_assert!(serde_json::from_str::<serde_json::Value>(text).is_ok(), "{}", text);
        }
        let state = bench.state();
        prop_assert!(state.x.is_finite() && state.speed.is_finite());
    }

    #[test]
    fn whatever_is_commanded_the_vehicle_keeps_its_limits_and_stops_in_silence(
        commands in prop::collection::vec((-1e3..1e3_f64, -1e3..1e3_f64), 1..20)
    ) {
        let mut bench = Bench::new();
        for (linear, angular) in commands {
            bench.twist(linear, angular);
            bench.wait(millis(100));
            let state = bench.state();
            prop_assert!((-1.5..=3.0).contains(&state.speed));
            prop_assert!(state.steering_deg.abs() <= 45.0 + 1e-9);
        }
        bench.wait_ms(500 + 2000);
        prop_assert!(bench.state().speed.abs() <= 0.0);
    }

    #[test]
    fn what_is_written_reads_back(json in any_json()) {
        let text = json.to_text();
        let read = Json::parse(&text).unwrap();
        prop_assert_eq!(read.to_text(), text);
    }
}
