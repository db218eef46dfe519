//! What only driving by McCtrl has (rule 19): brake, gears, wheels, and the tools beside it.

mod rig;

use broomstick::drive::state::DriveState;
use broomstick::msgs::sweeper::McCtrl;
use broomstick::pilot::intent::Intent;
use broomstick::pilot::snapshot::{Confirm, Motion, Reason, StopCheckStep, ToolStatus};
use broomstick::profile::Profile;
use broomstick::screen::step::status_of;
use broomstick::tools::field::ToolField;
use broomstick::vehicle::{Options, RpmType};
use rig::Rig;

/// Whole, and inside what the document and the vehicle allow; moving only with a released brake
/// and a gear.
fn assert_is_lawful(message: &McCtrl) {
    assert!(message.brake <= 1 && message.gear <= 2, "{message:?}");
    assert!((120..=1500).contains(&message.angle_speed), "{message:?}");
    assert!(message.angle.abs() <= 60.0, "{message:?}");
    let steps = f64::from(message.angle) / 0.2;
    assert!((steps - steps.round()).abs() < 1e-3, "{message:?}");
    if message.rpm != 0 {
        assert!(message.brake == 0 && message.gear != 0, "{message:?}");
    }
}

#[test]
fn rule_19_the_brake_is_released_only_while_the_stick_is_held() {
    let mut rig = Rig::ready();
    rig.run(1000);
    assert_eq!(rig.mc_arrivals(), [], "an armed drive alone sends nothing");
    let pressed = rig.now;
    rig.press(0.6, 0.0);
    rig.run(2000);
    let driven = rig.mc_since(pressed);
    assert!(driven.iter().all(|message| message.brake == 0));
    assert!(driven.iter().any(|message| message.rpm > 0));
    let gear = rig.snapshot.tools.fields[ToolField::Gear as usize].clone();
    assert_eq!((gear.value, gear.status), (1.0, ToolStatus::Published));
    assert_eq!(
        status_of(&rig.snapshot.tools.wanted, &gear),
        ToolStatus::Published
    );
    rig.run(20);
    let lifted = rig.now;
    rig.lift();
    rig.run(4000);
    let rest = rig.mc_since(lifted);
    assert!(rest.iter().all(|message| message.rpm == 0), "{rest:?}");
    // It rolls out in gear, then the brake takes hold, then the gear opens.
    let phases: Vec<_> = rest
        .iter()
        .map(|message| (message.brake, message.gear))
        .collect();
    let mut order = phases.clone();
    order.dedup();
    assert_eq!(order, [(0, 1), (1, 1), (1, 0)], "{phases:?}");
    rig.mc_since(pressed).iter().for_each(assert_is_lawful);
}

#[test]
fn rule_19_gears_change_at_rpm_0_and_standing() {
    let mut rig = Rig::driving(0.8);
    rig.move_stick(-0.8, 0.0);
    let since = rig.now;
    rig.run(150);
    assert!(rig.speed() > 0.05, "it still rolls");
    assert!(rig.mc_since(since).iter().all(|message| message.gear == 1));
    rig.move_stick(0.0, 0.0);
    rig.run(3000);
    assert_eq!(rig.snapshot.motion, Motion::Standing);
    rig.move_stick(-0.8, 0.0);
    rig.run(2000);
    let all = rig.mc_since(since);
    let shift = all.windows(2).find(|pair| pair[0].gear != pair[1].gear);
    let [before, after] = shift.expect("a change of gear") else {
        panic!()
    };
    assert_eq!((before.gear, before.rpm), (1, 0));
    assert_eq!((after.gear, after.rpm), (2, 0));
    assert!(rig.speed() < -0.05);
    all.iter().for_each(assert_is_lawful);
}

#[test]
fn rule_19_a_vehicle_that_is_not_known_to_stand_is_armed_by_a_held_confirmation_only() {
    let mut rig = Rig::driving(0.8);
    rig.lift();
    rig.intent(Intent::ArmDrive(false));
    rig.intent(Intent::ArmDrive(true));
    rig.run(50);
    assert_eq!(rig.snapshot.drive.state, DriveState::Disarmed);
    let offered = rig.snapshot.confirm.map(|confirm| confirm.what);
    assert_eq!(offered, Some(Confirm::DriveNotStanding));
}

#[test]
fn rule_23_lifting_the_stick_leaves_the_tools_on_and_the_brake_engaged() {
    let mut rig = Rig::online();
    rig.intent(Intent::ArmTools(true));
    rig.run(200);
    let mut wanted = rig.snapshot.tools.wanted;
    wanted.side_brush = 60;
    // Gear and brake belong to the stick: nobody else sets them.
    wanted.brake = false;
    wanted.gear = 2;
    rig.intent(Intent::Want(wanted));
    rig.run(300);
    assert_eq!(
        rig.mc_arrivals().last().map(|(_, m)| (m.brake, m.gear)),
        Some((1, 0))
    );
    rig.arm();
    let pressed = rig.now;
    rig.press(0.6, 0.3);
    rig.run(2000);
    let driven = rig.mc_since(pressed);
    assert!(
        driven.len() >= 38,
        "20 a second while it drives: {}",
        driven.len()
    );
    assert!(driven.iter().all(|message| message.side_brush == 60));
    rig.lift();
    rig.run(3000);
    let last = rig.mc_arrivals().last().map(|(_, message)| *message);
    assert_eq!(
        last.map(|m| (m.rpm, m.brake, m.gear, m.side_brush)),
        Some((0, 1, 0, 60))
    );
    rig.mc_since(pressed).iter().for_each(assert_is_lawful);
}

#[test]
fn the_wheels_follow_the_stick_and_stay_when_it_is_let_go() {
    let mut rig = Rig::driving(0.6);
    rig.move_stick(0.6, 0.5);
    rig.run(1500);
    let turned = rig
        .mc_arrivals()
        .last()
        .map_or(0.0, |(_, message)| message.angle);
    assert!(turned > 5.0, "{turned}");
    rig.lift();
    rig.run(3000);
    let rest = rig
        .mc_arrivals()
        .last()
        .map_or(0.0, |(_, message)| message.angle);
    assert!(
        (rest - turned).abs() < 1e-6,
        "no steering without a held press"
    );
}

#[test]
fn a_motor_speed_of_one_byte_limits_the_speed_and_is_never_wrapped() {
    let options = Options {
        seed: 2,
        rpm_type: RpmType::Uint8,
        ..Options::default()
    };
    let mut rig = Rig::online_with(Profile::default(), options);
    rig.arm();
    rig.press(1.0, 0.0);
    rig.run(3000);
    // 255 rpm behind 40 : 1 on a wheel of 0.2 m.
    assert!((rig.snapshot.drive.limit_linear - 0.1335).abs() < 1e-3);
    let fastest = rig.mc_arrivals().iter().map(|(_, m)| m.rpm).max();
    assert!(matches!(fastest, Some(254 | 255)), "{fastest:?}");
    assert_eq!(rig.dropped(), Vec::<String>::new());
}

#[test]
fn rule_28_the_stop_check_covers_the_mc_ctrl_timeout() {
    let mut rig = Rig::ready();
    rig.intent(Intent::StopCheck(0.2));
    rig.lease.confirm = true;
    rig.run(1200);
    rig.lease.confirm = false;
    for _ in 0..2 {
        rig.press(0.9, 0.0);
        rig.run_until(6000, "silence", |rig| {
            rig.snapshot.stop_check.step == StopCheckStep::Watch
        });
        rig.run_until(3000, "the end", |rig| {
            rig.snapshot.stop_check.step != StopCheckStep::Watch
        });
        rig.lift();
        rig.run(4000);
    }
    let passed = rig.snapshot.stop_check.passed.clone();
    assert!(passed.is_some(), "{:?}", rig.events);
    assert!(passed.is_some_and(|passed| passed.subject.topic == "/auto_mc_ctrl"));
    assert_ne!(rig.snapshot.drive.reason, Some(Reason::BrakeOn));
}
