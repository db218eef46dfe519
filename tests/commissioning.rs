//! Commissioning on virtual time: what reaches the vehicle while a movement is held at standstill,
//! and what is sent differently from then on.

#![expect(
    clippy::expect_used,
    clippy::float_cmp,
    reason = "a test may panic, and numbers are sent as they are meant"
)]

mod rig;

use broomstick::drive::settings::Via;
use broomstick::drive::state::{DriveState, PressEnd};
use broomstick::msgs::sweeper::McCtrl;
use broomstick::pilot::intent::Intent;
use broomstick::pilot::snapshot::{Confirm, Reason, ToolsState};
use broomstick::profile::Profile;
use broomstick::tools::commissioning::{Commissioned, Item, Movement, Seen};
use broomstick::tools::field::ToolField;
use broomstick::units::{Moment, millis};
use broomstick::vehicle::{Options, RpmType};
use rig::Rig;

fn armed() -> Rig {
    let mut rig = Rig::online();
    rig.intent(Intent::ArmTools(true));
    rig.run(300);
    assert_eq!(rig.snapshot.tools.state, ToolsState::Armed);
    rig
}

fn hold(rig: &mut Rig, movement: Movement) {
    rig.lease.holds.check = movement.number();
    rig.send_lease();
}

fn release(rig: &mut Rig) {
    rig.lease.holds.check = 0;
    rig.send_lease();
    rig.run(250);
}

/// Holds a movement for a while, lets it go, and says what was seen.
fn find_out(rig: &mut Rig, item: Item, is_positive: bool) {
    hold(rig, Movement::Item(item, true));
    rig.run(300);
    release(rig);
    rig.intent(Intent::Seen(Seen::item(item, is_positive)));
    rig.run(100);
}

fn confirm(rig: &mut Rig) {
    rig.lease.confirm = true;
    rig.run(1100);
    rig.lease.confirm = false;
    rig.run(100);
}

fn found(rig: &Rig) -> Commissioned {
    rig.snapshot.tools.commissioning.found
}

fn newest(rig: &Rig) -> McCtrl {
    rig.mc_arrivals().last().expect("a McCtrl").1
}

/// What differs from a vehicle at rest with its brake on.
fn moved(message: &McCtrl) -> Vec<(ToolField, f64)> {
    ToolField::ALL
        .into_iter()
        .filter(|field| (message.value(*field) - McCtrl::SAFE.value(*field)).abs() > 1e-6)
        .map(|field| (field, message.value(field)))
        .collect()
}

#[test]
fn a_held_movement_moves_one_field_alone_and_ends_with_the_finger() {
    let expected = [
        (Item::BrushDeck, true, 100.0),
        (Item::BrushDeck, false, -100.0),
        (Item::Squeegee, true, 100.0),
        (Item::Squeegee, false, -100.0),
        (Item::Water, true, 30.0),
        (Item::Water, false, -30.0),
        (Item::Brake, false, 0.0),
    ];
    let mut rig = armed();
    for (item, is_plus, value) in expected {
        hold(&mut rig, Movement::Item(item, is_plus));
        rig.run(100);
        let since = rig.now;
        rig.run(1000);
        let messages = rig.mc_since(since);
        assert!(messages.len() >= 9, "{item:?}: {}", messages.len());
        assert!(
            messages.iter().all(|m| moved(m) == [(item.field(), value)]),
            "{item:?}: {messages:?}"
        );
        release(&mut rig);
        assert_eq!(moved(&newest(&rig)), [], "{item:?}");
    }
    assert_eq!(rig.dropped(), Vec::<String>::new());
}

#[test]
fn wheels_turn_while_held_and_stay_where_they_are_without() {
    let mut rig = armed();
    hold(&mut rig, Movement::Item(Item::Steering, true));
    rig.run(1500);
    assert_eq!(moved(&newest(&rig)), [(ToolField::Angle, 10.0)]);
    release(&mut rig);
    let since = rig.now;
    rig.run(2000);
    let left = rig.mc_since(since);
    assert!(left.iter().all(|m| moved(m) == [(ToolField::Angle, 10.0)]));
    hold(&mut rig, Movement::Middle);
    rig.run(300);
    assert_eq!(moved(&newest(&rig)), []);
}

#[test]
fn without_a_lease_or_with_stop_a_movement_ends() {
    type End = fn(&mut Rig);
    let ends: [(&str, End); 3] = [
        ("lease", |rig| rig.page_is_alive = false),
        ("blur", |rig| rig.release(PressEnd::Blur)),
        ("STOP", |rig| rig.intent(Intent::Stop)),
    ];
    for (what, end) in ends {
        let mut rig = armed();
        hold(&mut rig, Movement::Item(Item::BrushDeck, true));
        rig.run(500);
        assert_eq!(newest(&rig).brush_deck_pusher, 100);
        // The finger is still there for the browser; the page does not count it any more.
        rig.lease.holds.check = 0;
        end(&mut rig);
        let since = rig.now + millis(if what == "lease" { 420 } else { 120 });
        rig.run(2000);
        let after = rig.mc_since(since);
        assert!(!after.is_empty(), "{what}");
        assert!(
            after.iter().all(|m| moved(m).is_empty()),
            "{what}: {after:?}"
        );
    }
}

#[test]
fn a_pusher_that_is_held_for_ever_ends_with_the_time_of_a_stroke() {
    let mut rig = armed();
    hold(&mut rig, Movement::Item(Item::Squeegee, true));
    rig.run(9_500);
    assert_eq!(newest(&rig).suction_squeeqee_pusher, 100);
    rig.run(1_000);
    assert_eq!(moved(&newest(&rig)), []);
    assert_eq!(rig.snapshot.tools.commissioning.moves, 0);
    // Held again it moves again.
    release(&mut rig);
    hold(&mut rig, Movement::Item(Item::Squeegee, false));
    rig.run(300);
    assert_eq!(newest(&rig).suction_squeeqee_pusher, -100);
}

#[test]
fn nothing_moves_while_the_tools_are_off_and_it_says_why() {
    let mut rig = Rig::online();
    hold(&mut rig, Movement::Item(Item::BrushDeck, true));
    rig.run(500);
    assert_eq!(rig.mc_arrivals(), []);
    assert_eq!(
        rig.snapshot.tools.commissioning.refused,
        Some(Reason::SwitchedOff)
    );
}

#[test]
fn nothing_moves_while_the_vehicle_is_not_known_to_stand() {
    let mut rig = armed();
    rig.intent(Intent::Want(broomstick::tools::intent::Wanted {
        brake: false,
        ..rig.snapshot.tools.wanted
    }));
    rig.run(200);
    rig.arm();
    rig.press(0.8, 0.0);
    rig.run(1500);
    assert_eq!(rig.snapshot.drive.state, DriveState::Driving);
    let since = rig.now;
    hold(&mut rig, Movement::Item(Item::BrushDeck, true));
    rig.run(300);
    assert_eq!(rig.snapshot.drive.state, DriveState::Driving);
    assert!(rig.mc_since(since).iter().all(|m| m.brake == 0), "no brake");
    rig.lift();
    rig.run(300);
    assert!(rig.mc_since(since).iter().all(|m| m.brush_deck_pusher == 0));
    assert!(
        matches!(
            rig.snapshot.tools.commissioning.refused,
            Some(Reason::LiftFirst | Reason::NotStanding)
        ),
        "{:?}",
        rig.snapshot.tools.commissioning
    );
    // It stands by now, but the button was pressed before.
    rig.run(4000);
    assert!(rig.mc_since(since).iter().all(|m| m.brush_deck_pusher == 0));
    release(&mut rig);
    hold(&mut rig, Movement::Item(Item::BrushDeck, true));
    rig.run(300);
    assert_eq!(newest(&rig).brush_deck_pusher, 100);
}

#[test]
fn what_was_not_moved_is_not_found_out() {
    let mut rig = armed();
    rig.intent(Intent::Seen(Seen::item(Item::Water, false)));
    rig.run(100);
    assert_eq!(found(&rig), Commissioned::default());
}

#[test]
fn a_pusher_the_other_way_round_is_lowered_by_the_same_button_from_then_on() {
    let mut rig = armed();
    find_out(&mut rig, Item::BrushDeck, false);
    assert_eq!(found(&rig).of(Item::BrushDeck), Some(false));
    assert_eq!(found(&rig).of(Item::Squeegee), None);
    rig.lease.holds.brush_deck_pusher = 1;
    rig.run(500);
    assert_eq!(newest(&rig).brush_deck_pusher, -100);
    assert_eq!(
        rig.snapshot.tools.fields[ToolField::BrushDeckPusher as usize].value,
        100.0
    );
    // The check itself speaks to the wire.
    rig.lease.holds.brush_deck_pusher = 0;
    hold(&mut rig, Movement::Item(Item::BrushDeck, true));
    rig.run(300);
    assert_eq!(newest(&rig).brush_deck_pusher, 100);
}

#[test]
fn a_brake_that_holds_at_0_is_believed_only_by_a_held_confirmation_and_every_stop_uses_it() {
    let mut rig = armed();
    find_out(&mut rig, Item::Brake, false);
    let offered = rig.snapshot.confirm.map(|confirm| confirm.what);
    assert_eq!(offered, Some(Confirm::BrakeTurned));
    assert_eq!(found(&rig).of(Item::Brake), None);
    let since = rig.now;
    confirm(&mut rig);
    assert_eq!(found(&rig).of(Item::Brake), Some(false));
    rig.run(3000);
    assert_eq!(rig.snapshot.tools.state, ToolsState::Disarmed);
    let said = rig.mc_since(since);
    assert_eq!(said.last().map(|m| m.brake), Some(0), "it holds: {said:?}");

    // The first brake is the last one heard, in its new meaning.
    rig.intent(Intent::ArmTools(true));
    rig.run(300);
    assert!(rig.snapshot.tools.wanted.brake);
    assert_eq!(newest(&rig).brake, 0);
    let mut wanted = rig.snapshot.tools.wanted;
    wanted.brake = false;
    rig.intent(Intent::Want(wanted));
    rig.run(300);
    assert_eq!(newest(&rig).brake, 1, "released");
    rig.intent(Intent::Stop);
    rig.run(3000);
    assert_eq!(newest(&rig).brake, 0, "STOP holds");
    assert!(
        rig.snapshot.foreign.is_none() && rig.snapshot.unsettled.is_settled(),
        "our own echoes are known as ours"
    );
}

#[test]
fn a_pilot_that_takes_over_knows_what_was_found_out_about_this_vehicle() {
    let mut rig = armed();
    find_out(&mut rig, Item::Brake, false);
    confirm(&mut rig);
    let kept = found(&rig);
    rig.replace_pilot(|start| start.commissioned = kept);
    rig.run(3000);
    assert_eq!(found(&rig), kept);
    rig.intent(Intent::ArmTools(true));
    rig.run(300);
    assert_eq!(newest(&rig).brake, 0, "it holds");
}

/// A vehicle that is driven by McCtrl.
fn by_mc_ctrl(sign: f64) -> Rig {
    let mut profile = Profile::default();
    profile.drive.via = Via::McCtrl;
    profile.tools.steering_sign = sign;
    let options = Options {
        rpm_type: RpmType::Uint16,
        seed: Options::default().seed + 1,
        ..Options::default()
    };
    Rig::online_with(profile, options)
}

/// The angle on the wire for a push forward and to the left, or straight on.
fn angle(rig: &mut Rig, left: f64) -> f64 {
    rig.arm();
    rig.press(0.9, left);
    rig.run(2000);
    assert_eq!(rig.snapshot.drive.state, DriveState::Driving);
    let angle = f64::from(newest(rig).angle);
    rig.lift();
    rig.run(3000);
    rig.intent(Intent::ArmDrive(false));
    rig.run(3000);
    angle
}

#[test]
fn the_steerings_sign_and_middle_change_what_is_sent_and_win_over_the_profile() {
    for profiles in [1.0, -1.0] {
        let mut rig = by_mc_ctrl(profiles);
        let (before, straight) = (angle(&mut rig, 0.4), angle(&mut rig, 0.0));
        assert!(before * profiles > 5.0 && straight == 0.0, "{before}");
        rig.intent(Intent::ArmTools(true));
        rig.run(300);
        // The wheels went the other way than the profile says.
        find_out(&mut rig, Item::Steering, profiles < 0.0);
        assert_eq!(rig.snapshot.tools.commissioning.steering_sign, -profiles);
        rig.intent(Intent::Seen(Seen::middle(7)));
        rig.run(100);
        assert!((found(&rig).trim_deg() - 1.4).abs() < 1e-9);
        rig.intent(Intent::ArmTools(false));
        rig.run(3000);
        let (after, straight) = (angle(&mut rig, 0.4), angle(&mut rig, 0.0));
        assert!((straight - 1.4).abs() < 1e-6, "{straight}");
        assert!((after - 1.4 + before).abs() < 0.3, "{before} {after}");

        rig.intent(Intent::Seen(Seen::FORGET));
        rig.run(200);
        assert_eq!(found(&rig), Commissioned::default());
        assert_eq!(rig.snapshot.tools.commissioning.steering_sign, profiles);
    }
}

#[test]
fn the_middle_is_within_its_limit() {
    let mut rig = armed();
    for (asked, kept) in [(16, 3.2), (51, 10.0), (-128, -10.0)] {
        rig.intent(Intent::Seen(Seen::middle(asked)));
        rig.run(100);
        assert!((found(&rig).trim_deg() - kept).abs() < 1e-9);
    }
    let since = Moment::START;
    assert!(rig.mc_since(since).iter().all(|m| m.angle == 0.0));
}

#[test]
fn a_vehicle_that_rolls_when_its_brake_is_checked_is_braked_at_once() {
    let mut rig = armed();
    hold(&mut rig, Movement::Item(Item::Brake, false));
    rig.run(500);
    assert_eq!(newest(&rig).brake, 0);
    // Something moves it.
    rig.foreign_twist(0.4);
    let since = rig.now;
    rig.run_until(2000, "the brake", |rig| {
        rig.mc_since(since).iter().any(|m| m.brake == 1)
    });
    rig.run(1000);
    assert_eq!(newest(&rig).brake, 1, "although it is still held");
}

/// Of a site that has stated what it knows.
fn stated(tools: &str) -> Rig {
    let profile = Profile::from_json(&format!(r#"{{"tools": {tools}}}"#)).expect("a good profile");
    let mut rig = Rig::online_with(profile, Options::default());
    rig.intent(Intent::ArmTools(true));
    rig.run(300);
    rig
}

#[test]
fn what_the_profile_states_is_sent_from_the_first_message_on_and_every_stop_uses_it() {
    let mut rig = stated(r#"{"polarity": {"brake": -1, "brush_deck": -1, "water": 1}}"#);
    assert!(rig.snapshot.tools.wanted.brake);
    assert_eq!(newest(&rig).brake, 0, "0 holds");
    let view = rig.snapshot.tools.commissioning.clone();
    assert_eq!(view.found, Commissioned::default());
    assert_eq!(view.in_force.of(Item::Water), Some(true));
    rig.lease.holds.brush_deck_pusher = 1;
    rig.lease.holds.suction_squeeqee_pusher = 1;
    rig.run(500);
    let message = newest(&rig);
    assert_eq!(
        (message.brush_deck_pusher, message.suction_squeeqee_pusher),
        (-100, 100)
    );
    rig.intent(Intent::Stop);
    rig.run(3000);
    assert_eq!(newest(&rig).brake, 0, "STOP holds");
    assert!(rig.snapshot.foreign.is_none() && rig.snapshot.unsettled.is_settled());
}

#[test]
fn what_is_seen_on_the_vehicle_wins_over_the_profile_until_it_is_forgotten() {
    let mut rig =
        stated(r#"{"polarity": {"brake": -1, "squeegee": -1}, "steering_trim_deg": 1.4}"#);
    let in_force = |rig: &Rig| rig.snapshot.tools.commissioning.in_force;
    find_out(&mut rig, Item::Squeegee, true);
    assert_eq!(in_force(&rig).of(Item::Squeegee), Some(true));
    rig.intent(Intent::Seen(Seen::middle(0)));
    rig.run(100);
    assert_eq!(in_force(&rig).trim_steps(), 0, "straight at 0, as seen");
    // The brake, too, and by a held confirmation alone.
    find_out(&mut rig, Item::Brake, true);
    let offered = rig.snapshot.confirm.map(|confirm| confirm.what);
    assert_eq!(offered, Some(Confirm::BrakeTurned));
    assert_eq!(in_force(&rig).of(Item::Brake), Some(false));
    confirm(&mut rig);
    rig.run(3000);
    assert_eq!(in_force(&rig).of(Item::Brake), Some(true));
    assert_eq!(newest(&rig).brake, 1, "it holds");
    rig.intent(Intent::Seen(Seen::FORGET));
    rig.run(3000);
    assert_eq!(found(&rig), Commissioned::default());
    assert_eq!(in_force(&rig).of(Item::Brake), Some(false));
    assert_eq!(in_force(&rig).trim_steps(), 7);
    rig.intent(Intent::ArmTools(true));
    rig.run(300);
    // The last one heard, in its meaning of now.
    let mut wanted = rig.snapshot.tools.wanted;
    assert!(!wanted.brake);
    wanted.brake = true;
    rig.intent(Intent::Want(wanted));
    rig.run(300);
    assert_eq!(newest(&rig).brake, 0, "as the profile states");
}
