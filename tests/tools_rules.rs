//! The rules for the tools (18–25), on virtual time: what of McCtrl reaches the vehicle.

mod rig;

use broomstick::drive::state::{DriveState, PressEnd};
use broomstick::msgs::sweeper::McCtrl;
use broomstick::pilot::event::Event;
use broomstick::pilot::intent::Intent;
use broomstick::pilot::snapshot::{Confirm, FieldNote, FieldView, Reason, ToolStatus, ToolsState};
use broomstick::profile::Profile;
use broomstick::tools::field::ToolField;
use broomstick::tools::intent::Wanted;
use broomstick::units::Moment;
use broomstick::vehicle::{Options, RpmType};
use rig::Rig;

fn armed() -> Rig {
    let mut rig = Rig::online();
    rig.arm_tools();
    assert_eq!(
        rig.snapshot.tools.state,
        ToolsState::Armed,
        "{:?}",
        rig.events
    );
    rig
}

fn brake(rig: &Rig) -> Option<&FieldView> {
    let fields = &mut rig.snapshot.tools.fields.iter();
    fields.find(|view| view.field == ToolField::Brake)
}

fn want(rig: &mut Rig, change: impl Fn(&mut Wanted)) {
    let mut wanted = rig.snapshot.tools.wanted;
    change(&mut wanted);
    rig.intent(Intent::Want(wanted));
    rig.run(150);
}

/// At least three safe messages and then nothing for a second.
fn assert_safe_stop(rig: &mut Rig, since: Moment, brakes: bool) {
    rig.run(3500);
    let messages: Vec<McCtrl> = rig
        .mc_since(since)
        .into_iter()
        .skip_while(McCtrl::is_active)
        .collect();
    assert!(messages.len() >= 3, "{messages:?}");
    assert!(messages.iter().all(|m| !m.is_active()), "{messages:?}");
    assert!(
        messages
            .iter()
            .all(|m| (120..=1500).contains(&m.angle_speed)),
        "{messages:?}"
    );
    let last = messages[messages.len() - 1];
    assert_eq!(last.brake == 1, brakes, "{messages:?}");
    let quiet = rig.now;
    rig.run(1000);
    assert_eq!(rig.mc_since(quiet), []);
}

#[test]
fn armed_tools_send_complete_messages_ten_times_a_second() {
    let mut rig = armed();
    let since = rig.now;
    rig.run(3000);
    let count = rig.mc_since(since).len();
    assert!((29..=31).contains(&count), "{count} in 3 s");
    assert_eq!(rig.dropped(), Vec::<String>::new());
}

#[test]
fn the_side_brush_at_60_is_in_every_message_from_then_on_and_seen_to_be_published() {
    let mut rig = armed();
    want(&mut rig, |wanted| wanted.side_brush = 60);
    let since = rig.now;
    rig.run(2000);
    assert!(rig.mc_since(since).iter().all(|m| m.side_brush == 60));
    let view = &rig.snapshot.tools.fields[ToolField::SideBrush as usize];
    assert_eq!((view.value, view.status), (60.0, ToolStatus::Published));
    assert!(rig.vehicle.state().sweeper.side_brush > 0.3);
}

#[test]
fn rule_18_the_first_brake_is_the_last_one_heard_else_engaged() {
    let mut rig = Rig::online();
    rig.intent(Intent::ArmTools(true));
    rig.run(200);
    assert_eq!(rig.mc_arrivals()[0].1.brake, 1);
    let mut rig = Rig::online();
    rig.foreign(
        "/auto_mc_ctrl",
        &McCtrl {
            brake: 0,
            ..McCtrl::SAFE
        },
    );
    rig.run(100);
    rig.intent(Intent::ArmTools(true));
    rig.run(200);
    assert_eq!(rig.mc_arrivals()[0].1.brake, 0);
}

#[test]
fn rule_18_with_the_brake_on_the_drive_refuses_and_says_why() {
    let mut rig = Rig::online();
    rig.intent(Intent::ArmTools(true));
    rig.run(200);
    rig.arm();
    assert_eq!(
        rig.snapshot.drive.reason,
        Some(Reason::BrakeOn),
        "said before anyone tries"
    );
    rig.press(0.5, 0.0);
    rig.run(300);
    assert_eq!(rig.snapshot.drive.state, DriveState::Blocked);
    assert_eq!(rig.snapshot.drive.reason, Some(Reason::BrakeOn));
    assert_eq!(rig.arrivals(), []);
}

#[test]
fn rule_18_tools_are_armed_only_when_standing_or_by_a_held_confirmation() {
    let mut rig = Rig::driving(0.6);
    rig.intent(Intent::ArmTools(true));
    rig.run(100);
    assert_eq!(rig.snapshot.tools.state, ToolsState::Disarmed);
    assert_eq!(
        rig.snapshot.confirm.map(|c| c.what),
        Some(Confirm::ToolsNotStanding)
    );
    rig.lease.confirm = true;
    rig.run(1200);
    assert_eq!(rig.snapshot.tools.state, ToolsState::Armed);
    assert_eq!(rig.snapshot.confirm, None);
}

#[test]
fn engaging_the_brake_under_a_driving_finger_ends_the_drive() {
    let mut rig = armed();
    rig.arm();
    rig.press(0.6, 0.0);
    rig.run(1000);
    assert_eq!(rig.snapshot.drive.state, DriveState::Driving);
    want(&mut rig, |wanted| wanted.brake = true);
    rig.run(200);
    assert_eq!(rig.snapshot.drive.reason, Some(Reason::BrakeOn));
    assert!(rig.arrivals().last().is_some_and(|a| a.is_zero()));
}

#[test]
fn rule_21_a_held_pusher_moves_while_the_other_hand_drives_and_stops_when_released() {
    let mut rig = armed();
    rig.arm();
    rig.press(0.6, 0.0);
    rig.lease.holds.brush_deck_pusher = 1;
    rig.run(1000);
    assert_eq!(
        rig.mc_arrivals().last().map(|(_, m)| m.brush_deck_pusher),
        Some(100)
    );
    let lifted = rig.now;
    rig.lift();
    rig.run(300);
    let after = rig.mc_since(lifted);
    assert!(
        after.iter().all(|m| m.brush_deck_pusher == 100),
        "the other finger still holds"
    );
    let released = rig.now;
    rig.lease.holds.brush_deck_pusher = 0;
    rig.send_lease();
    rig.run(300);
    assert_eq!(
        rig.mc_since(released)[0].brush_deck_pusher,
        0,
        "at once, not a period later"
    );
}

#[test]
fn a_held_pusher_ends_with_the_lease_of_a_page_that_hangs() {
    let mut rig = armed();
    rig.lease.holds.suction_squeeqee_pusher = -1;
    rig.run(500);
    let since = rig.now;
    rig.page_is_alive = false;
    rig.run(600);
    let messages = rig.mc_since(since);
    let moving = messages
        .iter()
        .filter(|m| m.suction_squeeqee_pusher != 0)
        .count();
    assert!(moving <= 4, "300 ms of 10 Hz: {messages:?}");
    assert_eq!(messages.last().map(|m| m.suction_squeeqee_pusher), Some(0));
    rig.run(2000);
    assert_eq!(rig.snapshot.tools.reason, Some(Reason::LeaseEnded));
}

#[test]
fn rule_20_rpm_is_hold_to_run_and_drives_the_vehicle_by_mc_ctrl() {
    let mut rig = armed();
    want(&mut rig, |wanted| {
        wanted.gear = 1;
        wanted.rpm = 250;
    });
    rig.lease.holds.rpm = true;
    rig.run(1500);
    assert!(rig.speed() > 0.0, "{:?}", rig.mc_arrivals().last());
    rig.lease.holds.rpm = false;
    rig.send_lease();
    let since = rig.now + std::time::Duration::from_millis(20);
    rig.run(500);
    assert!(rig.mc_since(since).iter().all(|m| m.rpm == 0));
}

#[test]
fn rule_23_lifting_the_stick_leaves_the_tools_on() {
    let mut rig = armed();
    want(&mut rig, |wanted| wanted.side_brush = 60);
    rig.arm();
    rig.press(0.5, 0.0);
    rig.run(500);
    rig.lift();
    rig.run(2000);
    assert_eq!(
        rig.mc_arrivals().last().map(|(_, m)| m.side_brush),
        Some(60)
    );
}

#[test]
fn rule_23_a_hidden_page_stops_the_tools() {
    let mut rig = armed();
    want(&mut rig, |wanted| wanted.side_brush = 60);
    let since = rig.now;
    rig.release(PressEnd::Hidden);
    assert_safe_stop(&mut rig, since, true);
    assert_eq!(rig.snapshot.tools.state, ToolsState::Disarmed);
}

#[test]
fn rule_14_a_page_that_is_left_stops_motor_and_tools_in_the_same_turn() {
    // Wherever between two messages it happens: there may be no other turn.
    for phase in (0..100).step_by(7) {
        let mut rig = armed();
        want(&mut rig, |wanted| {
            wanted.side_brush = 60;
            wanted.brake = false;
            wanted.gear = 1;
            wanted.rpm = 120;
        });
        rig.lease.holds.rpm = true;
        rig.run(500 + phase);
        let last = *rig.mc_arrivals().last().map(|(_, m)| m).unwrap();
        assert_eq!((last.rpm, last.side_brush), (120, 60));
        let since = rig.now;
        rig.intent(Intent::Release(PressEnd::Hidden));
        // As long as the link takes.
        rig.run(6);
        let sent = rig.mc_since(since);
        let last = sent.last().expect("a message in the same turn");
        assert_eq!((last.rpm, last.side_brush), (0, 0), "{phase}");
    }
}

#[test]
fn rule_23_a_blur_ends_holds_but_not_brushes() {
    let mut rig = armed();
    want(&mut rig, |wanted| wanted.side_brush = 60);
    rig.lease.holds.brush_deck_pusher = 1;
    rig.run(300);
    rig.release(PressEnd::Blur);
    rig.run(500);
    let (_, last) = rig.mc_arrivals()[rig.mc_arrivals().len() - 1];
    assert_eq!((last.brush_deck_pusher, last.side_brush), (0, 60));
}

#[test]
fn rule_23_nobody_there_stops_the_tools_after_a_warning() {
    let mut rig = armed();
    want(&mut rig, |wanted| wanted.side_brush = 60);
    rig.run(52_000);
    assert!(
        rig.snapshot
            .tools
            .presence_stop_in_s
            .is_some_and(|s| s <= 10.0)
    );
    let since = rig.now;
    rig.run(9_000);
    assert_eq!(rig.snapshot.tools.reason, Some(Reason::NobodyThere));
    assert_safe_stop(&mut rig, since, true);
}

#[test]
fn rule_23_a_touch_keeps_the_tools_on() {
    let mut rig = armed();
    rig.run(55_000);
    rig.lease.touches += 1;
    rig.run(55_000);
    assert_eq!(rig.snapshot.tools.state, ToolsState::Armed);
}

#[test]
fn rule_23_a_stalled_link_stops_the_tools() {
    let mut rig = armed();
    want(&mut rig, |wanted| wanted.side_brush = 60);
    (rig.hold_up, rig.hold_down) = (true, true);
    rig.run(800);
    assert_eq!(rig.snapshot.tools.state, ToolsState::Blocked);
    (rig.hold_up, rig.hold_down) = (false, false);
    let since = rig.now;
    assert_safe_stop(&mut rig, since, true);
    assert!(rig.vehicle.state().sweeper.side_brush < 0.05);
}

#[test]
fn rule_13_tools_that_ran_when_the_server_died_get_the_safe_message_when_it_is_back() {
    let mut rig = armed();
    want(&mut rig, |wanted| wanted.side_brush = 60);
    rig.stop_server();
    rig.run(1000);
    assert!(rig.snapshot.unsettled.tools);
    rig.start_server();
    let back = rig.now;
    rig.run(9000);
    let messages = rig.mc_since(back);
    assert!(
        messages.len() >= 3 && messages.iter().all(|m| !m.is_active()),
        "{messages:?}"
    );
    assert!(rig.snapshot.unsettled.is_settled());
}

#[test]
fn rules_15_and_16_stop_ends_brushes_water_and_pushers_and_engages_the_brake() {
    let mut rig = armed();
    want(&mut rig, |wanted| {
        wanted.side_brush = 60;
        wanted.roll_brush_suction = 70;
        wanted.roll_brush_suction_direction = 1;
    });
    rig.lease.holds.water_spray = 1;
    rig.run(500);
    let since = rig.now;
    rig.intent(Intent::Stop);
    rig.run(30);
    assert!(
        rig.mc_since(since).iter().any(|m| !m.is_active()),
        "at once"
    );
    assert_safe_stop(&mut rig, since, true);
    assert_eq!(rig.snapshot.tools.state, ToolsState::Stopped);
    rig.intent(Intent::ResetStop);
    rig.run(500);
    assert_eq!(rig.snapshot.tools.state, ToolsState::Disarmed);
    assert_eq!(rig.vehicle.state().brake, 1);
}

#[test]
fn rule_16_a_console_that_never_armed_tools_leaves_mc_ctrl_alone_on_stop() {
    let mut rig = Rig::online();
    rig.intent(Intent::Stop);
    rig.run(2000);
    assert_eq!(rig.mc_arrivals(), []);
    // So nobody has told where the brake is, and nothing is claimed of it.
    assert_eq!(brake(&rig).unwrap().note, Some(FieldNote::Unknown));
}

#[test]
fn while_the_tools_are_off_the_brake_stands_as_it_was_heard_last() {
    let mut rig = Rig::online();
    for heard in [0, 1, 0] {
        rig.foreign(
            "/auto_mc_ctrl",
            &McCtrl {
                brake: heard,
                ..McCtrl::SAFE
            },
        );
        rig.run(200);
        let shown = brake(&rig).unwrap();
        assert!((shown.value - f64::from(heard)).abs() < 1e-9);
        assert_eq!(shown.status, ToolStatus::Published);
        assert_eq!(
            rig.snapshot.tools.wanted.brake,
            heard == 1,
            "the pressed key"
        );
    }
    // Our own safe message counts as well.
    rig.arm_tools();
    rig.intent(Intent::ArmTools(false));
    rig.run(4000);
    let shown = brake(&rig).unwrap();
    assert_eq!((shown.value, shown.status), (1.0, ToolStatus::Published));
    assert!(rig.snapshot.tools.wanted.brake);
}

#[test]
fn with_the_tools_off_a_key_does_nothing_and_it_is_said() {
    let refused = Some(Event::ToolsRefused(Reason::SwitchedOff));
    let mut rig = Rig::online();
    want(&mut rig, |wanted| wanted.side_brush = 10);
    assert_eq!(rig.snapshot.refused, refused);
    let mut rig = Rig::online();
    rig.lease.holds.brush_deck_pusher = 1;
    rig.run(300);
    assert_eq!(rig.snapshot.refused, refused);
    assert_eq!(rig.mc_arrivals(), []);
    rig.lease.holds.brush_deck_pusher = 0;
    rig.arm_tools();
    assert_eq!(rig.snapshot.refused, None);
}

#[test]
fn switching_the_tools_off_while_driving_leaves_the_brake_alone() {
    let mut rig = armed();
    rig.arm();
    rig.press(0.6, 0.0);
    rig.run(1000);
    let since = rig.now;
    rig.intent(Intent::ArmTools(false));
    assert_safe_stop(&mut rig, since, false);
    assert_eq!(rig.snapshot.drive.state, DriveState::Driving);
}

#[test]
fn a_foreign_publisher_of_mc_ctrl_is_seen_and_stops_our_tools() {
    let mut rig = armed();
    rig.foreign(
        "/auto_mc_ctrl",
        &McCtrl {
            side_brush: 33,
            ..McCtrl::SAFE
        },
    );
    rig.run(300);
    assert_eq!(rig.snapshot.tools.state, ToolsState::Blocked);
    assert!(matches!(
        rig.snapshot.tools.reason,
        Some(Reason::ForeignDriver { .. })
    ));
}

#[test]
fn a_wider_definition_lets_rpm_reach_its_documented_end() {
    for (rpm_type, expected) in [
        (RpmType::Uint8, 255),
        (RpmType::Uint16, 6000),
        (RpmType::Float32, 6000),
    ] {
        let options = Options {
            rpm_type,
            ..Options::default()
        };
        let mut rig = Rig::online_with(Profile::default(), options);
        rig.arm_tools();
        want(&mut rig, |wanted| {
            wanted.gear = 1;
            wanted.rpm = 6000;
        });
        let (_, max) = {
            let view = &rig.snapshot.tools.fields[ToolField::Rpm as usize];
            (view.min, view.max)
        };
        assert!((max - f64::from(expected)).abs() < 1e-9, "{max}");
        rig.lease.holds.rpm = true;
        rig.run(300);
        assert_eq!(
            rig.mc_arrivals().last().map(|(_, m)| m.rpm),
            Some(expected),
            "{rpm_type:?}"
        );
        assert_eq!(rig.dropped(), Vec::<String>::new(), "{rpm_type:?}");
    }
}

/// The usual program that extends the squeegee, starts the brush, extends the deck and sprays.
const SCRUB: u8 = 2;

#[test]
fn rule_24_a_program_runs_by_time_while_it_is_held_and_what_it_reached_stays() {
    let mut rig = armed();
    let since = rig.now;
    rig.lease.holds.program = SCRUB;
    rig.run(3900);
    assert!(
        rig.mc_since(since)
            .iter()
            .skip(1)
            .all(|m| m.suction_squeeqee_pusher == 100 && m.roll_brush_suction == 0)
    );
    rig.run(1000);
    let (_, during) = *rig.mc_arrivals().last().expect("messages");
    assert_eq!(
        (
            during.roll_brush_suction_direction,
            during.roll_brush_suction
        ),
        (1, 60)
    );
    assert_eq!(
        rig.snapshot.tools.wanted.roll_brush_suction, 60,
        "the screen follows"
    );
    let view = rig.snapshot.tools.program.expect("a program");
    assert!(
        view.is_held && (0.4..0.5).contains(&view.progress),
        "{view:?}"
    );
    rig.run(6500);
    let view = rig.snapshot.tools.program.expect("a program");
    assert_eq!((view.step, view.progress), (4, 1.0));
    rig.lease.holds.program = 0;
    rig.run(1000);
    let (_, after) = *rig.mc_arrivals().last().expect("messages");
    assert_eq!((after.roll_brush_suction, after.side_brush), (60, 40));
    assert_eq!(
        (
            after.brush_deck_pusher,
            after.suction_squeeqee_pusher,
            after.water_spray
        ),
        (0, 0, 0)
    );
}

#[test]
fn rule_24_releasing_a_program_stops_what_moves_within_one_message() {
    let mut rig = armed();
    rig.lease.holds.program = SCRUB;
    rig.run(1500);
    rig.lease.holds.program = 0;
    rig.send_lease();
    let since = rig.now + std::time::Duration::from_millis(20);
    rig.run(1000);
    assert!(
        rig.mc_since(since)
            .iter()
            .all(|m| m.suction_squeeqee_pusher == 0)
    );
}

#[test]
fn rules_15_and_24_stop_ends_a_program_and_the_next_one_begins_anew() {
    let mut rig = armed();
    rig.lease.holds.program = SCRUB;
    rig.run(6000);
    let since = rig.now;
    rig.intent(Intent::Stop);
    assert_safe_stop(&mut rig, since, true);
    assert_eq!(rig.snapshot.tools.program, None);
    let since = rig.now;
    rig.run(3000);
    assert!(
        rig.mc_since(since).iter().all(|m| !m.is_active()),
        "it is still held"
    );
}

#[test]
fn rule_24_a_program_ends_with_the_lease_of_a_page_that_hangs() {
    let mut rig = armed();
    rig.lease.holds.program = SCRUB;
    rig.run(500);
    let since = rig.now;
    rig.page_is_alive = false;
    rig.run(1000);
    let moving = rig
        .mc_since(since)
        .iter()
        .filter(|m| m.suction_squeeqee_pusher != 0)
        .count();
    assert!(moving <= 4, "{moving}");
}

#[test]
fn a_program_runs_while_the_other_hand_drives_and_lifting_one_does_not_stop_the_other() {
    let mut rig = armed();
    rig.arm();
    rig.press(0.5, 0.0);
    rig.run(600);
    rig.lease.holds.program = SCRUB;
    rig.run(1000);
    assert_eq!(rig.snapshot.drive.state, DriveState::Driving);
    rig.lift();
    rig.run(500);
    let (_, last) = *rig.mc_arrivals().last().expect("messages");
    assert_eq!(last.suction_squeeqee_pusher, 100);
    rig.press(0.5, 0.0);
    rig.run(500);
    rig.lease.holds.program = 0;
    rig.run(500);
    assert_eq!(rig.snapshot.drive.state, DriveState::Driving);
}

#[test]
fn rule_24_other_programs_are_run_from_then_on_and_what_was_held_of_the_old_ones_ends() {
    const OTHER: &str = r#"{"tools": {"programs": [{"name": "Rinse", "steps": [
        {"for_s": 2, "dust_shake": 70}, {"for_s": 4, "spray": true, "water_amount": 20}]}]}}"#;
    let mut rig = armed();
    rig.lease.holds.program = 1;
    rig.run(1500);
    let (_, before) = *rig.mc_arrivals().last().expect("messages");
    assert_eq!(before.brush_deck_pusher, 100, "sweeping");
    rig.lease.holds.program = 0;
    rig.intent(Intent::Programs(OTHER.into()));
    rig.run(300);
    assert_eq!(rig.snapshot.tools.program, None);
    let (_, after) = *rig.mc_arrivals().last().expect("messages");
    assert_eq!((after.brush_deck_pusher, after.dust_shake), (0, 0));
    rig.lease.holds.program = 1;
    rig.run(3000);
    let (_, other) = *rig.mc_arrivals().last().expect("messages");
    assert_eq!((other.dust_shake, other.water_spray), (70, 20));
    // What is no profile changes nothing, and the second program is gone with the old ones.
    rig.lease.holds.program = 2;
    rig.intent(Intent::Programs("{".into()));
    rig.run(500);
    let (_, last) = *rig.mc_arrivals().last().expect("messages");
    assert_eq!((last.dust_shake, last.water_spray), (70, 0));
    rig.lease.holds.program = 0;
    rig.intent(Intent::Programs(String::new()));
    rig.lease.holds.program = 1;
    rig.run(500);
    assert_eq!(rig.snapshot.tools.wanted.side_brush, 60, "sweeping again");
}

#[test]
fn a_vehicle_that_lacks_fields_gets_the_others_and_turns_its_roll_brush_without_a_direction() {
    let options = Options {
        lacking: vec![
            ToolField::RollBrushSuctionDirection,
            ToolField::DustShake,
            ToolField::WaterSpray,
        ],
        ..Options::default()
    };
    let mut rig = Rig::online_with(Profile::default(), options);
    rig.arm_tools();
    want(&mut rig, |wanted| {
        wanted.roll_brush_suction = 60;
        wanted.dust_shake = 40;
    });
    rig.lease.holds.water_spray = 1;
    rig.lease.holds.brush_deck_pusher = 1;
    rig.run(500);
    let (_, message) = *rig.mc_arrivals().last().expect("messages");
    assert_eq!(
        (message.roll_brush_suction, message.brush_deck_pusher),
        (60, 100)
    );
    assert_eq!((message.dust_shake, message.water_spray), (0, 0));
    assert_eq!(rig.dropped(), Vec::<String>::new());
    for view in &rig.snapshot.tools.fields {
        let is_lacking = view.note == Some(broomstick::tools::state::FieldNote::Lacking);
        assert_eq!(is_lacking, view.min >= view.max, "{view:?}");
    }
    assert!(rig.snapshot.foreign.is_none(), "our own echoes are known");
}
