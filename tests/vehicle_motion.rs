//! How the simulated vehicle moves, works and tells where it is.
#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test may panic, and some numbers are exact"
)]

mod support;

use std::f64::consts::FRAC_PI_2;
use std::time::Duration;

use broomstick::units::millis;
use broomstick::vehicle::chassis::ChassisParameters;
use broomstick::vehicle::{Options, RpmType, RtkMode, StartPose, Steering};
use serde_json::Value;
use support::{A, Bench};

fn facing_east() -> Options {
    let start = StartPose {
        heading_deg: 90.0,
        ..Options::default().start
    };
    Options {
        start,
        rpm_type: RpmType::Uint16,
        ..Options::default()
    }
}

#[test]
fn drives_forward_along_its_heading_without_a_gear() {
    let mut bench = Bench::with(facing_east());
    bench.drive(0.5, 0.0, 4000);
    let state = bench.state();
    assert!((state.speed - 0.5).abs() < 1e-9);
    assert!(state.x > 1.7 && state.x < 2.0, "{}", state.x);
    assert!(state.y.abs() < 1e-9);
    assert!(state.lon > Options::default().start.lon);
}

#[test]
fn gains_speed_no_faster_than_its_acceleration() {
    let mut bench = Bench::new();
    let mut before = 0.0;
    for _ in 0..20 {
        bench.drive(2.0, 0.0, 50);
        let speed = bench.state().speed;
        assert!(speed - before <= 1.0 * 0.05 + 1e-9, "{before} to {speed}");
        before = speed;
    }
    assert!(before > 0.9);
}

#[test]
fn goes_on_for_half_a_second_of_silence_and_then_stops() {
    let mut bench = Bench::new();
    bench.drive(0.5, 0.0, 2000);
    bench.wait_ms(440);
    assert!(
        (bench.state().speed - 0.5).abs() < 1e-9,
        "490 ms after the last command"
    );
    bench.wait_ms(30);
    assert!(bench.state().speed < 0.5, "520 ms after the last command");
    bench.wait_ms(340);
    assert_eq!(bench.state().speed, 0.0);
    assert_eq!(bench.events("command_timeout").len(), 1);
    assert_eq!(bench.events("standing").len(), 1);
}

#[test]
fn zeros_stop_it_at_once() {
    let mut bench = Bench::new();
    bench.drive(0.5, 0.0, 2000);
    bench.twist(0.0, 0.0);
    bench.wait_ms(350);
    assert_eq!(bench.state().speed, 0.0);
}

#[test]
fn brake_1_overrides_everything_and_holds() {
    let mut bench = Bench::new();
    bench.drive(0.5, 0.2, 2000);
    bench.publish(
        "/auto_mc_ctrl",
        r#"{"brake":1,"gear":1,"rpm":255,"angle_speed":120}"#,
    );
    bench.drive(0.5, 0.2, 250);
    assert_eq!(bench.state().speed, 0.0);
    let stood = bench.state();
    bench.drive(0.5, 0.2, 2000);
    assert_eq!((bench.state().x, bench.state().y), (stood.x, stood.y));
    bench.publish("/auto_mc_ctrl", r#"{"brake":0,"angle_speed":120}"#);
    bench.drive(0.5, 0.2, 1000);
    assert!(bench.state().speed > 0.4);
    assert_eq!(bench.events("brake").len(), 2);
}

#[test]
fn turns_on_the_circle_of_its_wheel_angle() {
    let mut bench = Bench::with(facing_east());
    // A radius of 2 m: ω = v / r.
    bench.drive(0.5, 0.25, 4000);
    let wheel = bench.state().steering_deg.to_radians();
    assert!((1.1 / wheel.tan() - 2.0).abs() < 1e-6);
    let (x, y) = (bench.state().x, bench.state().y);
    let yaw = (90.0 - bench.state().heading_deg).to_radians();
    let centre = (x - 2.0 * yaw.sin(), y + 2.0 * yaw.cos());
    for _ in 0..20 {
        bench.drive(0.5, 0.25, 500);
        let radius = (bench.state().x - centre.0).hypot(bench.state().y - centre.1);
        assert!((radius - 2.0).abs() < 1e-3, "{radius}");
    }
}

#[test]
fn positive_angular_z_turns_left_forward_and_in_reverse() {
    for linear in [0.5, -0.5] {
        let mut bench = Bench::new();
        bench.drive(linear, 0.2, 3000);
        assert!(bench.state().yaw_rate > 0.15);
        let turned = (bench.state().heading_deg - 60.0 + 540.0).rem_euclid(360.0) - 180.0;
        assert!(
            turned < -10.0,
            "the compass heading falls to the left: {turned}"
        );
    }
}

#[test]
fn cannot_turn_tighter_than_its_wheels_allow_nor_on_the_spot() {
    let mut bench = Bench::new();
    bench.drive(0.3, 3.0, 3000);
    let wheel = bench.state().steering_deg;
    assert!((wheel - 45.0).abs() < 1e-9, "{wheel}");
    let mut bench = Bench::new();
    bench.drive(0.0, 1.0, 2000);
    assert_eq!(bench.state().yaw_rate, 0.0);
    assert_eq!((bench.state().x, bench.state().y), (0.0, 0.0));
}

#[test]
fn a_differential_vehicle_turns_on_the_spot() {
    let chassis = ChassisParameters {
        steering: Steering::Differential,
        ..ChassisParameters::default()
    };
    let mut bench = Bench::with(Options {
        chassis,
        ..Options::default()
    });
    bench.drive(0.0, 0.5, 2000);
    assert!((bench.state().yaw_rate - 0.5).abs() < 1e-9);
    bench.wait_ms(1000);
    assert_eq!(bench.state().yaw_rate, 0.0);
}

#[test]
fn a_gear_and_rpm_drive_while_no_cmd_vel_is_in_force() {
    let mut bench = Bench::with(facing_east());
    bench.publish(
        "/auto_mc_ctrl",
        r#"{"gear":1,"rpm":1000,"angle_speed":120}"#,
    );
    bench.wait_ms(3000);
    let speed = 1000.0 / 40.0 * std::f64::consts::TAU / 60.0 * 0.2;
    assert!((bench.state().speed - speed).abs() < 1e-9);
    bench.drive(0.2, 0.0, 1000);
    assert!((bench.state().speed - 0.2).abs() < 1e-9, "cmd_vel wins");
    bench.wait_ms(2000);
    assert!(bench.state().speed > 0.5, "and McCtrl goes on after it");
    bench.publish("/auto_mc_ctrl", r#"{"gear":2,"rpm":500,"angle_speed":120}"#);
    bench.wait_ms(3000);
    assert!((bench.state().speed + speed / 2.0).abs() < 1e-9);
}

#[test]
fn rpm_in_neutral_or_the_reserved_gear_moves_nothing() {
    for gear in [0, 3] {
        let mut bench = Bench::new();
        bench.publish("/auto_mc_ctrl", &format!(r#"{{"gear":{gear},"rpm":255}}"#));
        bench.wait_ms(2000);
        assert_eq!(bench.state().speed, 0.0);
    }
}

#[test]
fn the_wheels_follow_the_angle_at_the_steering_speed() {
    let mut bench = Bench::new();
    bench.publish("/auto_mc_ctrl", r#"{"angle":30,"angle_speed":120}"#);
    bench.wait_ms(1000);
    assert!((bench.state().steering_deg - 7.2).abs() < 0.2);
    bench.publish("/auto_mc_ctrl", r#"{"angle":30,"angle_speed":1500}"#);
    bench.wait_ms(1000);
    assert!((bench.state().steering_deg - 30.0).abs() < 1e-6);
}

const TOOLS: &str = r#"{"angle_speed":500,"gear":1,"rpm":1000,"roll_brush_suction_direction":1,
    "roll_brush_suction":80,"side_brush":60,"dust_shake":40,"brush_deck_pusher":50,
    "suction_squeeqee_pusher":100,"water_spray":100}"#;

#[test]
fn without_a_timeout_mc_ctrl_is_obeyed_for_ever() {
    let mut bench = Bench::with(facing_east());
    bench.publish("/auto_mc_ctrl", TOOLS);
    bench.wait(Duration::from_secs(60));
    assert!(bench.state().speed > 0.5);
    assert_eq!(bench.state().sweeper.side_brush, 60.0);
    assert!(bench.events("mc_timeout").is_empty());
}

#[test]
fn with_a_timeout_rpm_and_tools_go_off_and_the_brake_stays() {
    let options = Options {
        mc_timeout: Some(millis(700)),
        ..facing_east()
    };
    let mut bench = Bench::with(options);
    for _ in 0..40 {
        bench.publish("/auto_mc_ctrl", TOOLS);
        bench.wait_ms(50);
    }
    assert!(bench.events("mc_timeout").is_empty());
    let deck = bench.state().sweeper.brush_deck;
    bench.wait_ms(600);
    assert!(bench.state().speed > 0.5);
    bench.wait_ms(2400);
    let state = bench.state();
    assert_eq!(bench.events("mc_timeout").len(), 1);
    assert_eq!(
        (state.speed, state.sweeper.side_brush, state.sweeper.water),
        (0.0, 0.0, 0.0)
    );
    assert_eq!(state.brake, 0);
    assert!(
        state.sweeper.brush_deck > deck && state.sweeper.brush_deck < 1.0,
        "pushers stopped"
    );
    bench.publish("/auto_mc_ctrl", TOOLS);
    bench.wait_ms(1000);
    assert!(bench.state().sweeper.side_brush > 0.0);
}

#[test]
fn brushes_take_their_time_and_pushers_end_at_their_stops() {
    let mut bench = Bench::with(facing_east());
    bench.publish("/auto_mc_ctrl", TOOLS);
    bench.wait_ms(300);
    let side = bench.state().sweeper.side_brush;
    assert!(side > 10.0 && side < 30.0, "{side}");
    bench.wait_ms(3700);
    let sweeper = bench.state().sweeper;
    assert_eq!(
        (sweeper.roll_brush, sweeper.suction, sweeper.side_brush),
        (80.0, 80.0, 60.0)
    );
    assert!(
        (sweeper.brush_deck - 0.5).abs() < 0.01,
        "half the duty, half the way in 4 s"
    );
    assert!((sweeper.squeegee - 1.0).abs() < 0.01);
    bench.wait_ms(8000);
    assert_eq!(bench.state().sweeper.squeegee, 1.0);
    bench.publish("/auto_mc_ctrl", r#"{"suction_squeeqee_pusher":-100}"#);
    bench.wait_ms(8000);
    assert_eq!(bench.state().sweeper.squeegee, 0.0);
}

#[test]
fn spraying_empties_the_clean_tank_and_draining_the_dirty_one() {
    let mut bench = Bench::with(facing_east());
    let before = bench.state().sweeper;
    bench.publish("/auto_mc_ctrl", TOOLS);
    bench.wait(Duration::from_secs(60));
    let after = bench.state().sweeper;
    // 2 l of 60 l.
    assert!((before.clean_tank - after.clean_tank - 2.0 / 60.0).abs() < 1e-3);
    assert!((after.dirty_tank - before.dirty_tank - 1.6 / 60.0).abs() < 1e-3);
    assert!(after.battery < before.battery);
    bench.publish("/auto_mc_ctrl", r#"{"water_spray":-100}"#);
    bench.wait(Duration::from_secs(60));
    assert_eq!(bench.state().sweeper.dirty_tank, 0.0);
    assert_eq!(bench.state().sweeper.water, 0.0);
}

fn fixes(bench: &mut Bench, seconds: u64) -> Vec<Value> {
    bench.send(A, r#"{"op":"subscribe","topic":"/rtk_message"}"#);
    let before = bench.got_on(A, "/rtk_message").len();
    bench.wait(Duration::from_secs(seconds));
    bench.got_on(A, "/rtk_message").split_off(before)
}

#[test]
fn a_standing_vehicle_gives_ten_fixes_a_second_that_are_close_and_never_the_same() {
    let mut bench = Bench::new();
    let fixes = fixes(&mut bench, 60);
    assert_eq!(fixes.len(), 600);
    let start = Options::default().start;
    for pair in fixes.windows(2) {
        assert_ne!(pair[0]["lat"], pair[1]["lat"]);
        assert_ne!(pair[0], pair[1]);
    }
    let mut squares = 0.0;
    for fix in &fixes {
        let north = (fix["lat"].as_f64().unwrap() - start.lat) * 111_000.0;
        let east = (fix["lon"].as_f64().unwrap() - start.lon) * 95_200.0;
        squares += north * north + east * east;
        assert!(north.hypot(east) < 0.03, "{north} {east}");
        assert!((fix["head"].as_f64().unwrap() - start.heading_deg).abs() < 0.6);
        let speed = fix["speed"].as_f64().unwrap();
        assert!((0.0..0.02).contains(&speed), "{speed}");
        assert_eq!(
            (fix["p_quality"].as_i64(), fix["h_quality"].as_i64()),
            (Some(4), Some(4))
        );
    }
    let deviation = (squares / 600.0).sqrt();
    assert!(deviation > 0.001 && deviation < 0.012, "{deviation} m");
}

#[test]
fn the_fix_follows_the_vehicle() {
    let mut bench = Bench::new();
    bench.send(A, r#"{"op":"subscribe","topic":"/rtk_message"}"#);
    bench.drive(1.0, 0.3, 20_000);
    let fix = bench.got_on(A, "/rtk_message").pop().unwrap();
    let state = bench.state();
    let off = (fix["lat"].as_f64().unwrap() - state.lat) * 111_000.0;
    assert!(off.abs() < 0.15, "{off} m");
    assert!((fix["speed"].as_f64().unwrap() - 1.0).abs() < 0.03);
    let head = fix["head"].as_f64().unwrap();
    let turned = (head - state.heading_deg + 540.0).rem_euclid(360.0) - 180.0;
    assert!(turned.abs() < 3.0, "{head} {}", state.heading_deg);
}

#[test]
fn numbers_of_the_fix_have_the_width_of_their_fields() {
    let mut bench = Bench::new();
    for fix in fixes(&mut bench, 2) {
        for field in ["head", "speed"] {
            let value = fix[field].as_f64().unwrap();
            #[expect(clippy::cast_possible_truncation, reason = "that is the question")]
            let narrow = f64::from(value as f32);
            assert!(
                (value - narrow).abs() <= value.abs() * 1e-15,
                "{field} {value}"
            );
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_noise_and_another_seed_another() {
    let run = |seed| {
        fixes(
            &mut Bench::with(Options {
                seed,
                ..Options::default()
            }),
            2,
        )
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5), run(6));
}

#[test]
fn how_often_the_vehicle_is_woken_changes_nothing() {
    let run = |nap: u64| {
        let mut bench = Bench::new();
        bench.drive(0.5, 0.2, 1000);
        for _ in 0..600 / nap {
            bench.now = bench.now + millis(nap);
            bench.vehicle.advance(bench.now);
        }
        bench.state()
    };
    assert_eq!(run(1), run(300));
}

#[test]
fn a_long_pause_is_skipped_and_the_command_in_force_is_over_after_it() {
    let mut bench = Bench::with(facing_east());
    bench.drive(0.5, 0.0, 2000);
    let x = bench.state().x;
    bench.now = bench.now + Duration::from_secs(3600);
    bench.vehicle.advance(bench.now);
    bench.wait_ms(1000);
    assert_eq!(bench.state().speed, 0.0);
    assert!(bench.state().x - x < 0.2);
}

#[test]
fn a_faulty_receiver_gives_null_nan_or_the_same_again() {
    let mut bench = Bench::new();
    fixes(&mut bench, 1);
    bench.vehicle.set_rtk_mode(RtkMode::Frozen);
    let frozen = fixes(&mut bench, 1);
    assert!(frozen.windows(2).all(|pair| pair[0] == pair[1]));
    bench.vehicle.set_rtk_mode(RtkMode::Null);
    let broken = fixes(&mut bench, 1);
    assert!(
        broken
            .iter()
            .all(|fix| fix["lat"].is_null() && fix["p_quality"] == 4)
    );
    bench.vehicle.set_rtk_mode(RtkMode::Ok);
    bench.vehicle.set_rtk_quality(5, 1);
    let poor = fixes(&mut bench, 1);
    assert!(
        poor.iter()
            .all(|fix| fix["p_quality"] == 5 && fix["h_quality"] == 1)
    );
    bench.vehicle.set_rtk_mode(RtkMode::Nan);
    bench.wait_ms(100);
    let (_, _, text) = bench.frames.last().unwrap();
    assert!(
        text.contains("\"lat\": NaN") && text.contains("\"head\": NaN"),
        "{text}"
    );
    bench.vehicle.set_rtk_mode(RtkMode::Silent);
    let count = bench.frames.len();
    bench.wait_ms(1000);
    assert_eq!(bench.frames.len(), count);
}

#[test]
fn a_nan_from_the_bridge_moves_nothing_and_is_an_error() {
    let mut bench = Bench::new();
    bench.publish("/cmd_vel", r#"{"linear":{"x":NaN}}"#);
    bench.publish("/cmd_vel", r#"{"angular":{"z":Infinity}}"#);
    bench.publish("/auto_mc_ctrl", r#"{"brake":1,"angle":NaN}"#);
    bench.wait_ms(500);
    let state = bench.state();
    assert!(!state.is_command_active);
    assert_eq!((state.speed, state.brake), (0.0, 0));
    assert_eq!(bench.events("command_error").len(), 2);
    assert_eq!(bench.events("mc_error").len(), 1);
}

#[test]
fn the_heading_runs_clockwise_from_north() {
    let mut bench = Bench::new();
    bench.wait_ms(10);
    assert!((bench.state().heading_deg - 60.0).abs() < 1e-9);
    bench.drive(0.5, -0.25, 2000);
    let heading = bench.state().heading_deg;
    assert!(
        heading > 70.0 && heading < 60.0 + (0.25_f64 * 2.0).to_degrees(),
        "{heading}"
    );
    assert!(FRAC_PI_2.to_degrees() > heading);
}
