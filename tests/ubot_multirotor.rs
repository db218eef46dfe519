//! The attitude command and the multirotor that flies by it.
#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test may panic, and some numbers are exact"
)]

use std::fs;
use std::path::Path;

use broomstick::ros::conventions::{Vector, Yaw};
use broomstick::ros::rotation::Rotation;
use broomstick::units::{Moment, millis};
use broomstick::vehicle::attitude::{
    AttitudeCommand, AttitudeError, AttitudeEvent, AttitudeReceiver, AttitudeTarget,
    IGNORE_ATTITUDE, IGNORE_PITCH_RATE, IGNORE_ROLL_RATE, IGNORE_THRUST, IGNORE_YAW_RATE, decode,
};
use broomstick::vehicle::json::Json;
use broomstick::vehicle::multirotor::{IN_THE_AIR, MOTORS_OFF, Multirotor};
use broomstick::vehicle::receiver::{VelocityCommand, VelocityTarget};
use proptest::prelude::*;

const RATES: u8 = IGNORE_ROLL_RATE | IGNORE_PITCH_RATE | IGNORE_YAW_RATE;

fn target(mask: u8, orientation: [f64; 4], yaw_rate: f64, thrust: f64) -> Json {
    let [x, y, z, w] = orientation;
    let number = |n: f64| Json::Float(n);
    Json::object([
        ("type_mask", Json::Int(mask.into())),
        (
            "orientation",
            Json::object([
                ("x", number(x)),
                ("y", number(y)),
                ("z", number(z)),
                ("w", number(w)),
            ]),
        ),
        (
            "body_rate",
            Json::object([
                ("x", number(0.0)),
                ("y", number(0.0)),
                ("z", number(yaw_rate)),
            ]),
        ),
        ("thrust", number(thrust)),
    ])
}

const LEVEL: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

fn at(ms: u64) -> Moment {
    Moment::START + millis(ms)
}

fn velocity(linear: [f64; 3], right: f64) -> VelocityCommand {
    VelocityCommand {
        linear: Vector::new(linear[0], linear[1], linear[2]),
        angular: Vector::new(0.0, 0.0, right),
        timestamp_seconds: 0.0,
        source: "ROS".into(),
    }
}

fn run(drone: &mut Multirotor, seconds: f64) {
    let mut left = seconds;
    while left > 0.0 {
        drone.step(0.01);
        left -= 0.01;
    }
}

/// At 5 m, standing still, looking east.
fn flying() -> Multirotor {
    let mut drone = Multirotor::new(0.0);
    drone.set_motors(true).unwrap();
    drone.command(&velocity([0.0, 0.0, 1.0], 0.0)).unwrap();
    run(&mut drone, 5.5);
    VelocityTarget::stop_motion(&mut drone);
    run(&mut drone, 4.0);
    drone
}

#[test]
fn the_defaults_are_those_documented() {
    let command = AttitudeCommand::default();
    assert_eq!(command.orientation, Rotation::IDENTITY);
    assert!(!command.use_yaw_rate && !command.use_thrust);
    assert_eq!(command.yaw_rate, Yaw::new(0.0));
    assert_eq!(
        (command.normalized_thrust, command.vertical_velocity),
        (0.0, 0.0)
    );
    assert_eq!(
        (command.timestamp_seconds, command.source.as_str()),
        (0.0, "None")
    );
}

#[test]
fn the_orientation_is_mirrored_and_the_thrust_taken() {
    let command = decode(&target(RATES, [0.6, 0.0, 0.0, 0.8], 9.0, 0.5), 2.5).unwrap();
    assert_eq!(command.orientation, Rotation::new(-0.6, 0.0, -0.0, 0.8));
    assert!(command.use_thrust && !command.use_yaw_rate);
    assert_eq!(
        (command.normalized_thrust, command.timestamp_seconds),
        (0.5, 2.5)
    );
    assert_eq!(command.source, "ROS");
}

#[test]
fn a_yaw_rate_to_the_left_is_negative_in_ue() {
    let mask = IGNORE_ROLL_RATE | IGNORE_PITCH_RATE | IGNORE_THRUST;
    let command = decode(&target(mask, LEVEL, 0.5, f64::NAN), 0.0).unwrap();
    assert!(command.use_yaw_rate && !command.use_thrust);
    assert_eq!(command.yaw_rate, Yaw::new(-0.5));
}

#[test]
fn what_cannot_be_flown_is_refused_with_a_reason() {
    let error = |message: &Json| decode(message, 0.0).unwrap_err();
    assert_eq!(
        error(&target(RATES, [0.0; 4], 0.0, 0.5)),
        AttitudeError::NoRotation
    );
    assert_eq!(
        error(&target(RATES, LEVEL, 0.0, 1.1)),
        AttitudeError::Thrust
    );
    assert_eq!(
        error(&target(RATES, LEVEL, 0.0, -0.1)),
        AttitudeError::Thrust
    );
    let infinite = [f64::INFINITY, 0.0, 0.0, 1.0];
    let field = "orientation.x".to_owned();
    assert_eq!(
        error(&target(RATES, infinite, 0.0, 0.5)),
        AttitudeError::NonFinite(field)
    );
    assert_eq!(
        error(&target(IGNORE_ATTITUDE, LEVEL, 0.0, 0.5)),
        AttitudeError::Rates
    );
    let field = "type_mask".to_owned();
    assert_eq!(error(&Json::Null), AttitudeError::Malformed(field));
}

#[test]
fn what_the_mask_ignores_may_be_anything() {
    let mask = RATES | IGNORE_THRUST | IGNORE_ATTITUDE;
    let command = decode(&target(mask, [f64::NAN; 4], f64::NAN, f64::NAN), 0.0).unwrap();
    assert_eq!(command.orientation, Rotation::IDENTITY);
    assert!(
        command.use_yaw_rate,
        "without an orientation the heading is kept"
    );
}

#[test]
fn a_command_times_out_once_and_a_bad_one_does_not_put_it_off() {
    let mut drone = flying();
    let mut receiver = AttitudeReceiver::new("/uav1/", millis(500));
    assert_eq!(receiver.topic(), "/uav1/cmd_attitude");
    let tilt = target(RATES | IGNORE_THRUST, [0.0, 0.1, 0.0, 1.0], 0.0, 0.0);
    receiver.receive(&tilt, at(0), Some(&mut drone));
    receiver.receive(&Json::Null, at(400), Some(&mut drone));
    assert!(!receiver.command_error().is_empty());
    receiver.advance(at(499), Some(&mut drone));
    assert!(receiver.is_command_active());
    receiver.advance(at(500), Some(&mut drone));
    receiver.advance(at(900), Some(&mut drone));
    let events: Vec<_> = std::iter::from_fn(|| receiver.poll()).collect();
    assert_eq!(events.len(), 3);
    assert_eq!(events[2], AttitudeEvent::Timeout);
    assert!(!receiver.is_command_active());
}

/// What the real server handed to the vehicle, missing fields filled in.
#[test]
fn every_attitude_that_the_real_server_let_through_is_read() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts/12_attitude_target.jsonl");
    let commands: Vec<_> = fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| Json::parse(line).unwrap())
        .filter(|line| line.get("dir").and_then(Json::as_text) == Some("vehicle"))
        .map(|line| decode(line.get("data").unwrap().get("msg").unwrap(), 0.0).unwrap())
        .collect();
    assert_eq!(commands.len(), 2);
    assert!(
        commands
            .iter()
            .all(|c| c.use_thrust && c.normalized_thrust == 0.5)
    );
    assert_eq!(
        [commands[0].use_yaw_rate, commands[1].use_yaw_rate],
        [false, true]
    );
}

#[test]
fn with_the_motors_off_it_refuses_and_stays_on_the_ground() {
    let mut drone = Multirotor::new(0.0);
    assert_eq!(
        drone.command(&velocity([1.0, 0.0, 1.0], 0.0)),
        Err(MOTORS_OFF.to_owned())
    );
    run(&mut drone, 2.0);
    assert!(drone.is_landed());
    assert_eq!(drone.flight().position, Vector::ZERO);
}

#[test]
fn starting_the_motors_does_not_lift_it() {
    let mut drone = Multirotor::new(0.0);
    drone.set_motors(true).unwrap();
    run(&mut drone, 3.0);
    assert!(drone.is_landed());
    drone.set_motors(false).unwrap();
}

#[test]
fn the_motors_never_stop_in_the_air() {
    let mut drone = flying();
    assert_eq!(drone.set_motors(false), Err(IN_THE_AIR));
    assert!(drone.has_motors_on());
}

#[test]
fn a_stop_holds_the_altitude_and_stands_in_place() {
    let mut drone = flying();
    let altitude = drone.flight().position.z;
    assert!((4.0..6.5).contains(&altitude), "{altitude}");
    drone.command(&velocity([3.0, 0.0, 0.0], 0.0)).unwrap();
    run(&mut drone, 4.0);
    VelocityTarget::stop_motion(&mut drone);
    run(&mut drone, 5.0);
    let flight = drone.flight();
    assert!(flight.velocity.magnitude() < 0.05, "{flight:?}");
    assert!((flight.position.z - altitude).abs() < 0.3, "{flight:?}");
}

#[test]
fn velocity_is_flown_in_the_heading_frame() {
    let mut drone = flying();
    // UE signs: to the right along y, which for a nose to the east is south.
    drone.command(&velocity([0.0, 1.0, 0.0], 0.0)).unwrap();
    run(&mut drone, 4.0);
    let v = drone.flight().velocity;
    assert!((v.y + 1.0).abs() < 0.1 && v.x.abs() < 0.05, "{v:?}");
    drone.command(&velocity([0.0, 0.0, 0.0], 0.5)).unwrap();
    run(&mut drone, 1.0);
    assert!(
        (drone.flight().yaw + 0.5).abs() < 0.05,
        "a turn to the right"
    );
}

#[test]
fn nose_down_flies_forward_and_the_altitude_is_held() {
    let mut drone = flying();
    let altitude = drone.flight().position.z;
    let mask = RATES | IGNORE_THRUST;
    let pitch = Rotation::from_euler(0.0, 0.15, 0.0);
    let message = target(mask, [pitch.x, pitch.y, pitch.z, pitch.w], 0.0, 0.0);
    drone
        .command_attitude(&decode(&message, 0.0).unwrap())
        .unwrap();
    run(&mut drone, 3.0);
    let flight = drone.flight();
    assert!(
        flight.velocity.x > 1.0 && flight.velocity.y.abs() < 0.05,
        "{flight:?}"
    );
    assert!((flight.position.z - altitude).abs() < 0.3, "{flight:?}");
}

#[test]
fn half_thrust_hovers_more_climbs_and_none_falls_to_the_ground() {
    let thrust = |share: f64| {
        let mut drone = flying();
        let before = drone.flight().position.z;
        let command = decode(&target(RATES, LEVEL, 0.0, share), 0.0).unwrap();
        drone.command_attitude(&command).unwrap();
        run(&mut drone, 2.0);
        drone.flight().position.z - before
    };
    assert!(thrust(0.5).abs() < 0.1);
    assert!(thrust(0.6) > 1.0);
    assert!(thrust(0.0) < -4.0);
}

proptest! {
    #[test]
    fn it_stays_above_the_ground_and_finite(
        commands in prop::collection::vec(
            (any::<bool>(), -5.0..5.0, -5.0..5.0, -5.0..5.0, 0.0..1.0), 1..12)
    ) {
        let mut drone = Multirotor::new(0.3);
        drone.set_motors(true).unwrap();
        for (by_velocity, a, b, c, share) in commands {
            if by_velocity {
                AttitudeTarget::stop_motion(&mut drone);
                drone.command(&velocity([a, b, c], a)).unwrap();
            } else {
                let message = target(RATES, [a, b, c, 1.0], 0.0, share);
                drone.command_attitude(&decode(&message, 0.0).unwrap()).unwrap();
            }
            for _ in 0..100 {
                drone.step(0.01);
                let flight = drone.flight();
                prop_assert!(flight.position.is_finite() && flight.position.z >= 0.0);
                prop_assert!(flight.roll.abs() < 0.62 && flight.pitch.abs() < 0.62);
            }
        }
    }
}
