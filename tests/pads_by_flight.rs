//! A multirotor: its pads, its motors, its attitude, in the air and on the ground, on virtual time.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod rig;

use broomstick::drive::settings::Via;
use broomstick::drive::state::{DriveState, PressEnd};
use broomstick::monitor::snapshot::RtkState;
use broomstick::msgs::geometry::Twist;
use broomstick::pilot::event::Event;
use broomstick::pilot::intent::{Intent, Unsettled};
use broomstick::pilot::snapshot::{Confirm, Motion, Reason};
use broomstick::profile::Profile;
use broomstick::units::millis;
use broomstick::vehicle::log::{FrameOutcome, LogEntry};
use broomstick::vehicle::multirotor::Flight;
use broomstick::vehicle::{Options, RtkMode};
use broomstick::words::Lang;
use broomstick::words::banner::banner;
use rig::Rig;
use serde_json::{Value, json};

fn flight(rig: &Rig) -> Flight {
    *rig.vehicle.multirotor("/").unwrap().flight()
}

fn has_motors_on(rig: &Rig) -> bool {
    rig.vehicle.multirotor("/").unwrap().has_motors_on()
}

fn offered(rig: &Rig) -> Option<Confirm> {
    rig.snapshot.confirm.map(|confirm| confirm.what)
}

fn hold_confirm(rig: &mut Rig) {
    rig.lease.confirm = true;
    rig.run(1200);
    rig.lease.confirm = false;
    rig.run(1200);
}

/// Calls of the motors' service by this console.
fn motors_calls(rig: &Rig) -> usize {
    let is_call = |line: &&broomstick::vehicle::log::LogLine| {
        matches!(&line.entry, LogEntry::Frame { op: Some(op), .. } if op == "call_service")
            && format!("{:?}", line.entry).contains("/motors\"")
    };
    rig.log.iter().filter(is_call).count()
}

fn published(rig: &Rig, wanted: &str) -> Vec<(f64, Value)> {
    let of = |line: &broomstick::vehicle::log::LogLine| match &line.entry {
        LogEntry::Frame {
            client,
            topic: Some(topic),
            msg: Some(msg),
            outcome: FrameOutcome::Published,
            ..
        } if topic == wanted && *client != 9_999 => Some((line.t, msg.clone())),
        _ => None,
    };
    rig.log.iter().filter_map(of).collect()
}

/// On the ground with its motors off.
fn on_the_ground() -> Rig {
    let mut rig = Rig::on_the_ground(Profile::default(), Options::default(), Unsettled::default());
    rig.run(3000);
    rig
}

/// Armed in the air, by attitude.
fn by_attitude() -> Rig {
    let mut profile = Profile::default();
    profile.take_kind("multirotor");
    profile.drive.via = Via::Attitude;
    let mut rig = Rig::online_with(profile, Options::default());
    rig.arm();
    rig
}

#[test]
fn the_left_pad_climbs_and_turns_and_the_right_one_flies_there() {
    let mut rig = Rig::ready();
    let before = flight(&rig);
    rig.press(0.0, 0.0);
    rig.move_other(1.0, 0.0);
    rig.run(3000);
    assert!(flight(&rig).position.z > before.position.z + 0.4);
    assert!(rig.speed() < 0.05, "climbing only");
    rig.move_other(0.0, 1.0);
    rig.run(1500);
    assert!(flight(&rig).yaw_rate > 0.5, "left is counter-clockwise");
    rig.move_other(0.0, 0.0);
    rig.move_stick(0.0, -1.0);
    rig.run(2500);
    let newest = rig.arrivals().pop().unwrap();
    assert_eq!((newest.linear, newest.up, newest.angular), (0.0, 0.0, 0.0));
    assert!((newest.left + 0.3).abs() < 1e-9, "{newest:?}");
    assert!(rig.speed() > 0.2);
}

#[test]
fn rule_9_a_lift_levels_and_holds_the_altitude_at_once() {
    let mut rig = Rig::ready();
    rig.press(1.0, 0.5);
    rig.move_other(1.0, 1.0);
    rig.run(2000);
    let lifted = rig.now;
    rig.lift();
    rig.run(3000);
    let after = rig.arrivals_since(lifted);
    assert!(
        after
            .iter()
            .skip_while(|a| !a.is_zero())
            .all(rig::Arrival::is_zero)
    );
    assert!(after.iter().filter(|a| a.is_zero()).count() >= 3);
    let held = flight(&rig).position.z;
    rig.run(3000);
    assert!((flight(&rig).position.z - held).abs() < 0.05);
    assert!(rig.speed() < 0.02 && flight(&rig).yaw_rate.abs() < 1e-6);
}

#[test]
fn rule_9_a_hung_page_and_rule_15_stop_leave_it_hanging_in_place_with_its_motors_on() {
    for act in [
        (|rig: &mut Rig| rig.page_is_alive = false) as fn(&mut Rig),
        |rig| rig.intent(Intent::Stop),
        |rig| rig.release(PressEnd::Hidden),
        |rig| rig.stop_server(),
    ] {
        let mut rig = Rig::ready();
        rig.press(1.0, 0.0);
        rig.move_other(-0.6, 0.5);
        rig.run(1500);
        act(&mut rig);
        rig.run(3000);
        let held = flight(&rig);
        rig.run(4000);
        let now = flight(&rig);
        assert!((now.position.z - held.position.z).abs() < 0.05 && now.position.z > 1.0);
        assert!(rig.speed() < 0.02, "{now:?}");
        assert!(has_motors_on(&rig));
        assert_eq!(motors_calls(&rig), 0);
    }
}

#[test]
fn arming_the_console_does_not_start_the_motors_which_is_a_held_act() {
    let mut rig = on_the_ground();
    assert_eq!(rig.snapshot.drive.motors, Some(false));
    assert_eq!(rig.snapshot.drive.landed, Some(true));
    assert_eq!(offered(&rig), None, "not before it is armed");
    rig.arm();
    rig.run(2000);
    assert!(!has_motors_on(&rig));
    assert_eq!(motors_calls(&rig), 0);
    // Until then it is not flown, and the reason is said.
    rig.press(0.5, 0.0);
    rig.run(200);
    assert_eq!(rig.snapshot.drive.reason, Some(Reason::MotorsOff));
    assert!(rig.arrivals().is_empty());
    rig.lift();
    rig.run(200);
    assert_eq!(offered(&rig), Some(Confirm::StartMotors));
    // Half a hold is none.
    rig.lease.confirm = true;
    rig.run(500);
    rig.lease.confirm = false;
    rig.run(500);
    assert!(!has_motors_on(&rig));
    hold_confirm(&mut rig);
    assert!(has_motors_on(&rig));
    assert_eq!(rig.snapshot.drive.state, DriveState::Ready);
    assert!(rig.arrivals().is_empty(), "nothing was commanded");
    rig.press(0.0, 0.0);
    rig.move_other(1.0, 0.0);
    rig.run(4000);
    assert!(flight(&rig).position.z > 0.5);
}

#[test]
fn the_motors_are_stopped_on_the_ground_only_and_what_is_not_known_is_in_the_air() {
    let mut rig = Rig::ready();
    rig.run(2000);
    assert_eq!(rig.snapshot.drive.landed, Some(false));
    assert_eq!(offered(&rig), None);
    hold_confirm(&mut rig);
    assert_eq!(motors_calls(&rig), 0);

    let mut rig = on_the_ground();
    rig.arm();
    rig.run(200);
    hold_confirm(&mut rig);
    assert_eq!(offered(&rig), Some(Confirm::StopMotors));
    // Held, but the link stalls before the hold is over: where it is is not known any more.
    rig.lease.confirm = true;
    rig.run(300);
    rig.hold_down = true;
    rig.run(3000);
    rig.hold_down = false;
    rig.lease.confirm = false;
    rig.run(1000);
    assert_eq!(motors_calls(&rig), 1, "the start alone");
    assert!(has_motors_on(&rig));
    rig.intent(Intent::ArmDrive(true));
    rig.run(2000);
    assert_eq!(offered(&rig), Some(Confirm::StopMotors));
    hold_confirm(&mut rig);
    assert!(!has_motors_on(&rig));
}

#[test]
fn a_refused_call_of_the_motors_is_said_in_the_vehicles_own_words() {
    let mut rig = on_the_ground();
    rig.arm();
    rig.run(200);
    assert_eq!(offered(&rig), Some(Confirm::StartMotors));
    rig.delay = millis(60);
    rig.lease.confirm = true;
    rig.run_until(3000, "the motors to be asked for", |rig| {
        rig.events.contains(&Event::MotorsAsked(true))
    });
    rig.lease.confirm = false;
    // While the call is on its way somebody else commands the vehicle, which refuses it for that.
    let mut up = Twist::default();
    up.linear.z = 1.0;
    rig.foreign("/cmd_vel", &up);
    rig.run(1500);
    assert!(!has_motors_on(&rig));
    let why = "a command is in force".to_owned();
    let refused = Event::MotorsRefused(why);
    assert!(rig.events.contains(&refused), "{:?}", rig.events);
    assert_eq!(rig.snapshot.refused, Some(refused));
    let said = banner(&rig.snapshot, Lang::En).unwrap();
    assert_eq!(said.text, "The vehicle refuses: a command is in force.");
    // A call that is done is not spoken of, and the next one ends what was said of the last.
    rig.delay = millis(5);
    rig.run(10_000);
    assert_eq!(rig.snapshot.refused, None);
    let service = |rig: &mut Rig, id: &str| {
        let answer = json!({"op": "service_response", "id": id, "result": true,
            "values": {"success": false, "message": "x".repeat(5000)}});
        rig.server_says(&answer.to_string());
        rig.run(100);
    };
    service(&mut rig, "/other");
    assert_eq!(rig.snapshot.refused, None, "another service");
    service(&mut rig, "/motors");
    let Some(Event::MotorsRefused(why)) = rig.snapshot.refused.clone() else {
        panic!("{:?}", rig.snapshot.refused);
    };
    assert_eq!(why.len(), 120);
}

#[test]
fn what_climbs_is_not_standing_and_without_odometry_nothing_is_known() {
    let mut rig = Rig::ready();
    rig.run(1500);
    assert_eq!(rig.snapshot.motion, Motion::Standing);
    for way in [1.0, -1.0] {
        rig.press(0.0, 0.0);
        rig.move_other(way, 0.0);
        rig.run(2000);
        assert!(rig.speed() < 0.05, "over ground it stands");
        let motion = rig.snapshot.motion;
        assert!(
            matches!(motion, Motion::Moving { speed } if speed > 0.2),
            "{motion:?}"
        );
        rig.lift();
        rig.run(3000);
        assert_eq!(rig.snapshot.motion, Motion::Standing);
    }
    rig.mute = Some("\"/odom\"");
    rig.run(1000);
    assert_eq!(rig.snapshot.motion, Motion::Unknown);
    assert_eq!(rig.monitor_snapshot.rtk.state, RtkState::Live);
}

#[test]
fn a_position_that_stands_while_it_is_told_to_go_sideways_is_frozen() {
    let mut rig = Rig::ready();
    rig.run(1000);
    rig.vehicle.set_rtk_mode(RtkMode::Frozen);
    rig.press(0.0, 0.0);
    rig.move_other(1.0, 0.0);
    rig.run(2500);
    assert_eq!(rig.monitor_snapshot.rtk.state, RtkState::Live, "a climb");
    rig.move_other(0.0, 0.0);
    rig.move_stick(0.0, 1.0);
    rig.run(2500);
    assert_eq!(rig.monitor_snapshot.rtk.state, RtkState::Frozen);
}

#[test]
fn by_attitude_the_pad_tilts_within_its_limit_and_the_climb_goes_beside_it() {
    let mut rig = by_attitude();
    let before = flight(&rig).position.z;
    rig.press(1.0, 0.0);
    rig.move_other(1.0, 0.0);
    rig.run(2000);
    // Until the stop check has passed 0.3 of 0.5 m/s, so 6 of 10 degrees.
    let pitch = flight(&rig).pitch.to_degrees();
    assert!((pitch - 6.0).abs() < 0.3, "{pitch}");
    let (_, newest) = published(&rig, "/cmd_attitude").pop().unwrap();
    assert_eq!(newest["type_mask"], 67);
    let (_, climb) = published(&rig, "/cmd_vel").pop().unwrap();
    assert_eq!(climb["linear"]["x"], json!(0.0));
    assert!((climb["linear"]["z"].as_f64().unwrap() - 0.3).abs() < 1e-9);
    assert!(flight(&rig).position.z > before + 0.2);
    assert_eq!(rig.dropped(), Vec::<String>::new());

    // Zero: level, the heading held, and a zero climb; then silence.
    let lifted = rig.now.as_millis();
    rig.lift();
    rig.run(4000);
    let after = |topic: &str| -> Vec<Value> {
        let all = published(&rig, topic).into_iter();
        all.filter(|(t, _)| *t > lifted + 30.0)
            .map(|(_, msg)| msg)
            .collect()
    };
    let level = after("/cmd_attitude");
    assert!((2..=4).contains(&level.len()), "{level:?}");
    assert!(level.iter().all(|msg| msg["orientation"]
        == json!({"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0})
        && msg["body_rate"]["z"] == json!(0.0)));
    assert!(
        after("/cmd_vel")
            .iter()
            .all(|msg| msg["linear"]["z"] == json!(0.0))
    );
    assert!(rig.speed() < 0.05 && flight(&rig).pitch.abs() < 0.02);
    assert!(rig.snapshot.unsettled.is_settled());
}

#[test]
fn by_attitude_stop_levels_holds_and_keeps_the_motors_on() {
    let mut rig = by_attitude();
    rig.press(1.0, 1.0);
    rig.move_other(-0.5, 0.0);
    rig.run(2000);
    rig.intent(Intent::Stop);
    rig.run(4000);
    let held = flight(&rig);
    assert!(rig.speed() < 0.05 && held.pitch.abs() < 0.02 && held.position.z > 1.0);
    rig.run(3000);
    assert!((flight(&rig).position.z - held.position.z).abs() < 0.05);
    assert!(has_motors_on(&rig));
    assert_eq!(
        rig.snapshot.stop.as_ref().map(|stop| stop.is_opposed),
        Some(false)
    );
}

#[test]
fn rule_26_somebody_who_flies_by_attitude_is_another_driver_for_a_console_by_velocity() {
    let mut rig = Rig::ready();
    rig.press(0.5, 0.0);
    rig.run(500);
    let half = 0.05_f64;
    let message = json!({
        "header": {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""}, "type_mask": 67,
        "orientation": {"x": 0.0, "y": half.sin(), "z": 0.0, "w": half.cos()},
        "body_rate": {"x": 0.0, "y": 0.0, "z": 0.0}, "thrust": 0.0,
    });
    rig.foreign("/cmd_attitude", &message);
    rig.run(500);
    assert_eq!(rig.snapshot.drive.state, DriveState::Blocked);
    assert!(matches!(
        rig.snapshot.drive.reason,
        Some(Reason::ForeignDriver { .. })
    ));
}
