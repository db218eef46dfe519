//! The velocity component on board the simulated vehicle: what it publishes, and simulation time.
#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test may panic, and some numbers are exact"
)]

mod support;

use broomstick::vehicle::Options;
use serde_json::Value;
use support::{A, B, Bench};

const STATE: &str = "/robot1/velocity_command/state";

fn bench() -> Bench {
    let mut bench = Bench::with(Options {
        namespace: "robot1".into(),
        max_linear: 1.0,
        ..Options::default()
    });
    bench.send(A, &format!(r#"{{"op":"subscribe","topic":"{STATE}"}}"#));
    bench.wait_ms(50);
    bench
}

fn command(bench: &mut Bench, speed: &str) {
    bench.publish(
        "/robot1/cmd_vel",
        &format!(r#"{{"linear":{{"x":{speed}}}}}"#),
    );
}

fn pause(bench: &mut Bench, data: &str) {
    let args = format!(r#"{{"data":{data}}}"#);
    bench.send(
        A,
        &format!(r#"{{"op":"call_service","service":"/sim/pause","args":{args}}}"#),
    );
}

fn states(bench: &Bench) -> Vec<String> {
    bench
        .got_on(A, STATE)
        .iter()
        .map(|message| {
            let text = message["data"].as_str().unwrap();
            let words: Value = serde_json::from_str(text).unwrap();
            words["state"].as_str().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn its_state_is_published_when_it_changes() {
    let mut bench = bench();
    command(&mut bench, "0.5");
    command(&mut bench, "0.6");
    command(&mut bench, "3.0");
    bench.wait_ms(600);
    command(&mut bench, "NaN");
    assert_eq!(
        states(&bench),
        ["idle", "active", "limited", "timed_out", "refused"]
    );
}

#[test]
fn who_subscribes_later_hears_the_present_state() {
    let mut bench = bench();
    command(&mut bench, "0.5");
    bench.connect(B);
    bench.send(B, &format!(r#"{{"op":"subscribe","topic":"{STATE}"}}"#));
    bench.wait_ms(50);
    let heard = bench.got_on(B, STATE);
    assert!(heard[0]["data"].as_str().unwrap().contains("active"));
}

#[test]
fn pausing_the_simulation_pauses_the_timeout_and_the_vehicle() {
    let mut bench = bench();
    for _ in 0..20 {
        command(&mut bench, "0.5");
        bench.wait_ms(50);
    }
    pause(&mut bench, "true");
    let before = bench.state();
    assert!(before.speed > 0.3);
    bench.wait_ms(5000);
    assert_eq!(bench.state(), before);
    assert!(before.is_command_active);
    pause(&mut bench, "false");
    bench.wait_ms(400);
    assert!(bench.state().is_command_active, "450 ms of simulation time");
    bench.wait_ms(100);
    assert!(!bench.state().is_command_active);
}

#[test]
fn a_command_during_the_pause_is_in_force_for_its_whole_timeout_after_it() {
    let mut bench = bench();
    pause(&mut bench, "true");
    bench.wait_ms(1000);
    command(&mut bench, "0.5");
    bench.wait_ms(3000);
    pause(&mut bench, "false");
    bench.wait_ms(450);
    assert!(bench.state().is_command_active);
    let stamp = bench.vehicle.receiver().last_command().timestamp_seconds;
    assert!((stamp - 0.05).abs() < 0.011, "{stamp}");
    bench.wait_ms(100);
    assert!(!bench.state().is_command_active);
}

#[test]
fn a_pause_that_is_no_yes_or_no_changes_nothing() {
    let mut bench = bench();
    command(&mut bench, "0.5");
    pause(&mut bench, "3.5");
    bench.wait_ms(600);
    assert_eq!(states(&bench).last().unwrap(), "timed_out");
}
