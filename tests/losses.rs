//! What becomes of every field when something ends (rule 23), and the interlocks: by the vehicle's
//! log. `tests/losses_by_mc_ctrl.rs` runs the same for a vehicle that is driven by McCtrl.
#![expect(clippy::expect_used, reason = "a test may panic")]

mod rig;

use broomstick::drive::state::PressEnd;
use broomstick::msgs::sweeper::McCtrl;
use broomstick::pilot::intent::Intent;
use broomstick::pilot::snapshot::{Reason, ToolsState};
use broomstick::profile::Profile;
use broomstick::tools::field::ToolField;
use broomstick::tools::intent::{Holds, Wanted};
use broomstick::tools::loss::{Ending, Outcome, outcome};
use broomstick::tools::settings::SprayWhile;
use broomstick::vehicle::Options;
use rig::{Rig, by_mc_ctrl};

fn armed() -> Rig {
    armed_with("{}")
}

fn armed_with(profile: &str) -> Rig {
    let profile = Profile::from_json(profile).expect("a good profile");
    let mut rig = Rig::online_with(profile, Options::default());
    rig.arm_tools();
    assert_eq!(
        rig.snapshot.tools.state,
        ToolsState::Armed,
        "{:?}",
        rig.events
    );
    rig
}

fn want(rig: &mut Rig, change: impl Fn(&mut Wanted)) {
    let mut wanted = rig.snapshot.tools.wanted;
    change(&mut wanted);
    rig.intent(Intent::Want(wanted));
    rig.run(150);
}

fn newest(rig: &Rig) -> McCtrl {
    rig.mc_arrivals().last().expect("messages").1
}

/// Everything that can be on at once is on: by `cmd_vel` the stick drives, on the engineers' page the
/// motor runs while its button is held; by McCtrl the stick has the motor.
fn all_on(motor: bool) -> Rig {
    let mut rig = armed();
    want(&mut rig, |wanted| {
        wanted.roll_brush_suction_direction = 1;
        wanted.roll_brush_suction = 60;
        wanted.side_brush = 50;
        wanted.dust_shake = 40;
        wanted.water_amount = 30;
        wanted.angle_speed = 600;
        wanted.gear = u8::from(motor);
        wanted.angle_deg = if motor { 12.0 } else { 0.0 };
        wanted.rpm = 200;
    });
    if !motor {
        rig.arm();
        rig.press(0.5, 0.3);
    }
    rig.lease.holds.brush_deck_pusher = 1;
    rig.lease.holds.suction_squeeqee_pusher = -1;
    rig.lease.holds.water_spray = 1;
    rig.lease.holds.rpm = motor;
    rig.run(500);
    rig
}

/// What the stick has by McCtrl: as long as it is pressed it drives, and afterwards the brake holds.
fn assert_the_stick_has_its_fields(before: &McCtrl, after: &McCtrl, ending: Ending) {
    assert_eq!((before.brake, before.gear), (0, 1), "{ending:?}");
    let now = (after.brake, after.gear, after.rpm > 0);
    if ending == Ending::ButtonReleased {
        assert_eq!(now, (0, 1, true), "{ending:?}");
    } else {
        assert_eq!(now, (1, 0, false), "{ending:?}");
        assert!((after.angle - before.angle).abs() < 1e-6, "{ending:?}");
    }
}

#[test]
fn rule_23_every_field_ends_as_the_table_says() {
    let ways = if by_mc_ctrl() {
        &[false][..]
    } else {
        &[false, true]
    };
    for motor in ways.iter().copied() {
        for ending in Ending::ALL {
            let mut rig = all_on(motor);
            let before = newest(&rig);
            assert!(ToolField::ALL.iter().all(|field| {
                let is_drive = matches!(field, ToolField::Gear | ToolField::Rpm | ToolField::Angle);
                let is_at_rest = is_drive && !motor && !by_mc_ctrl();
                *field == ToolField::Brake || is_at_rest || before.value(*field) != 0.0
            }));
            let released = broomstick::tools::intent::Holds::default();
            match ending {
                Ending::StickLifted => rig.lift(),
                Ending::ButtonReleased => rig.lease.holds = released,
                Ending::PageGone => rig.release(PressEnd::Hidden),
                Ending::LinkGone => (rig.hold_up, rig.hold_down) = (true, true),
                Ending::Stop => rig.intent(Intent::Stop),
                Ending::NobodyThere => {
                    rig.lift();
                    rig.lease.holds = released;
                    rig.run(61_000);
                }
                Ending::Reconnected => rig.stop_server(),
            }
            if matches!(ending, Ending::LinkGone | Ending::Reconnected) {
                rig.lift();
                rig.lease.holds = released;
            }
            rig.run(if ending == Ending::LinkGone {
                1200
            } else {
                800
            });
            (rig.hold_up, rig.hold_down) = (false, false);
            if ending == Ending::Reconnected {
                rig.start_server();
                rig.run(15_000);
                let quiet = rig.now;
                rig.run(3000);
                assert_eq!(rig.mc_since(quiet), [], "{ending:?}");
                assert_eq!(rig.snapshot.tools.state, ToolsState::Disarmed);
                continue;
            }
            rig.run(3500);
            let after = newest(&rig);
            if by_mc_ctrl() {
                assert_the_stick_has_its_fields(&before, &after, ending);
            }
            for field in ToolField::ALL {
                let is_the_sticks = matches!(
                    field,
                    ToolField::Brake | ToolField::Gear | ToolField::Rpm | ToolField::Angle
                );
                if by_mc_ctrl() && is_the_sticks {
                    continue;
                }
                let (was, is) = (before.value(field), after.value(field));
                let expected = match outcome(field, ending, SprayWhile::Held) {
                    Outcome::Stays => was,
                    Outcome::Off => 0.0,
                    Outcome::BrakeOn => 1.0,
                    Outcome::Least => field.documented_range().0,
                    Outcome::NotSent | Outcome::OffUnlessHeld | Outcome::OffUnlessForward => {
                        panic!("{ending:?} {field:?}")
                    }
                };
                assert!(
                    (is - expected).abs() < 1e-6,
                    "{ending:?} {field:?}: {was} became {is}"
                );
            }
        }
    }
}

/// By profile water also flows while driving forward: then it ends with the one that is left.
#[test]
fn rules_21_and_23_water_that_flows_while_driving_forward_ends_as_the_table_says() {
    let while_forward = r#"{"tools": {"spray_while": "driving_forward"}}"#;
    let field = ToolField::WaterSpray;
    for (ending, expected) in [
        (Ending::StickLifted, Outcome::OffUnlessHeld),
        (Ending::ButtonReleased, Outcome::OffUnlessForward),
        (Ending::PageGone, Outcome::Off),
        (Ending::LinkGone, Outcome::Off),
        (Ending::Stop, Outcome::Off),
    ] {
        assert_eq!(outcome(field, ending, SprayWhile::DrivingForward), expected);
        for is_held in [false, true] {
            let mut rig = armed_with(while_forward);
            rig.arm();
            rig.press(0.5, 0.0);
            rig.lease.holds.water_spray = i8::from(is_held);
            rig.run(600);
            assert_eq!(newest(&rig).water_spray, 30, "it flows while driving");
            match ending {
                Ending::StickLifted => rig.lift(),
                Ending::ButtonReleased => rig.lease.holds = Holds::default(),
                Ending::PageGone => rig.release(PressEnd::Hidden),
                Ending::LinkGone => (rig.hold_up, rig.hold_down) = (true, true),
                _ => rig.intent(Intent::Stop),
            }
            rig.run(1200);
            (rig.hold_up, rig.hold_down) = (false, false);
            rig.run(1500);
            let flows = match expected {
                Outcome::OffUnlessHeld => is_held,
                Outcome::OffUnlessForward => true,
                _ => false,
            };
            let water = newest(&rig).water_spray;
            assert_eq!(water == 30, flows, "{ending:?}, held {is_held}: {water}");
        }
    }
    // Backwards and at rest nothing flows without its button.
    let mut rig = armed_with(while_forward);
    rig.arm();
    rig.press(-0.8, 0.0);
    let since = rig.now;
    rig.run(1500);
    assert!(rig.snapshot.drive.linear < -0.1);
    assert!(rig.mc_since(since).iter().all(|m| m.water_spray == 0));
}

#[test]
fn reversing_is_refused_while_the_squeegee_is_out_and_forward_is_not() {
    let mut rig = armed();
    rig.lease.holds.suction_squeeqee_pusher = 1;
    rig.run(1000);
    rig.lease.holds.suction_squeeqee_pusher = 0;
    rig.arm();
    let since = rig.now;
    rig.press(-0.8, 0.0);
    rig.run(1000);
    assert!(rig.arrivals_since(since).iter().all(|a| a.is_zero()));
    assert_eq!(rig.snapshot.drive.reason, Some(Reason::SqueegeeOut));
    rig.lift();
    rig.run(1500);
    rig.press(0.6, 0.0);
    rig.run(800);
    assert!(rig.snapshot.drive.linear > 0.1);
    assert_eq!(rig.snapshot.drive.reason, None);
    rig.lift();
    rig.run(2500);
    rig.lease.holds.suction_squeeqee_pusher = -1;
    rig.run(1500);
    rig.lease.holds.suction_squeeqee_pusher = 0;
    rig.run(200);
    rig.press(-0.8, 0.0);
    rig.run(1500);
    assert!(rig.snapshot.drive.linear < -0.1, "{:?}", rig.snapshot.drive);
}

#[test]
fn a_squeegee_that_goes_out_under_a_reversing_finger_stops_it() {
    let mut rig = armed();
    rig.arm();
    rig.press(-0.8, 0.0);
    rig.run(1500);
    assert!(rig.snapshot.drive.linear < -0.1);
    rig.lease.holds.suction_squeeqee_pusher = 1;
    rig.run(400);
    assert!(rig.snapshot.drive.linear.abs() < 1e-9);
    assert_eq!(rig.snapshot.drive.reason, Some(Reason::SqueegeeOut));
}

#[test]
fn a_profile_without_the_interlock_reverses_with_the_squeegee_out() {
    let mut rig = armed_with(r#"{"tools": {"squeegee_interlock": false}}"#);
    rig.lease.holds.suction_squeeqee_pusher = 1;
    rig.run(1000);
    rig.lease.holds.suction_squeeqee_pusher = 0;
    rig.arm();
    rig.press(-0.8, 0.0);
    rig.run(1500);
    assert!(rig.snapshot.drive.linear < -0.1);
}

fn extend(rig: &mut Rig, ms: u64) {
    rig.lease.holds.suction_squeeqee_pusher = 1;
    rig.run(ms);
    rig.lease.holds.suction_squeeqee_pusher = 0;
    rig.run(200);
}

#[test]
fn retracting_is_offered_where_reverse_was_refused_until_it_is_in() {
    let mut rig = armed();
    extend(&mut rig, 1000);
    rig.arm();
    assert!(!rig.snapshot.tools.offers_squeegee, "nobody asked");
    rig.press(-0.8, 0.0);
    rig.run(300);
    assert!(rig.snapshot.tools.offers_squeegee);
    // With the same hand: the finger that was refused lifts first.
    rig.lift();
    rig.run(500);
    assert!(rig.snapshot.tools.offers_squeegee);
    rig.lease.holds.suction_squeeqee_pusher = -1;
    rig.run(1500);
    assert!(!rig.snapshot.tools.offers_squeegee, "it is in");
    rig.lease.holds.suction_squeeqee_pusher = 0;
    rig.run(200);
    rig.press(-0.8, 0.0);
    rig.run(1500);
    assert!(rig.snapshot.drive.linear < -0.1, "{:?}", rig.snapshot.drive);
}

#[test]
fn retracting_is_not_offered_to_who_drives_on_forward_or_has_stopped() {
    type End = fn(&mut Rig);
    let ends: [(&str, End); 3] = [
        ("forward", |rig| {
            rig.lift();
            rig.run(1500);
            rig.press(0.6, 0.0);
        }),
        ("STOP", |rig| rig.intent(Intent::Stop)),
        ("tools off", |rig| rig.intent(Intent::ArmTools(false))),
    ];
    for (what, end) in ends {
        let mut rig = armed();
        extend(&mut rig, 1000);
        rig.arm();
        rig.press(-0.8, 0.0);
        rig.run(300);
        assert!(rig.snapshot.tools.offers_squeegee, "{what}");
        end(&mut rig);
        rig.run(500);
        assert!(!rig.snapshot.tools.offers_squeegee, "{what}");
    }
}

#[test]
fn by_mc_ctrl_no_reverse_gear_is_engaged_while_the_squeegee_is_out() {
    let mut rig = armed();
    extend(&mut rig, 1000);
    rig.arm();
    let since = rig.now;
    rig.press(-0.8, 0.0);
    rig.run(2000);
    let messages = rig.mc_since(since);
    assert!(messages.len() > 10);
    assert!(
        messages.iter().all(|m| m.gear != 2 && m.rpm == 0),
        "{messages:?}"
    );
}

#[test]
fn with_the_brake_on_or_the_vehicle_rolling_interlocks_hold_by_either_way() {
    // Rules 18 and 19: by cmd_vel the operator has the brake, by McCtrl the stick has it.
    let mut rig = armed();
    want(&mut rig, |wanted| wanted.brake = true);
    rig.arm();
    rig.press(0.5, 0.0);
    rig.run(1000);
    if by_mc_ctrl() {
        assert_eq!(newest(&rig).brake, 0, "{:?}", rig.snapshot.drive);
        assert!(rig.speed() > 0.1);
        rig.lift();
        rig.run(3000);
        assert_eq!(newest(&rig).brake, 1);
    } else {
        assert_eq!(rig.snapshot.drive.reason, Some(Reason::BrakeOn));
        assert!(rig.speed().abs() < 0.01);
    }
}
