//! The stop check (rule 28) on virtual time: silence with a held finger, measured by RTK, and
//! zeros whatever comes of it.

mod rig;

use std::time::Duration;

use broomstick::drive::state::{DriveState, PressEnd};
use broomstick::pilot::event::Event;
use broomstick::pilot::intent::Intent;
use broomstick::pilot::snapshot::{Confirm, Motion, Reason, StopCheckStep};
use broomstick::pilot::stop_check::{StopCheck, StopCheckFailure};
use broomstick::profile::Profile;
use broomstick::units::Moment;
use broomstick::vehicle::{Options, RpmType};
use rig::{Arrival, Rig};

/// The cap on speed without a stop check, m/s.
const CAP: f64 = 0.3;

fn begin(rig: &mut Rig) {
    rig.intent(Intent::StopCheck(0.2));
    rig.run(50);
    let offered = rig.snapshot.confirm.map(|confirm| confirm.what);
    assert_eq!(offered, Some(Confirm::StopCheck), "{:?}", rig.events);
    rig.lease.confirm = true;
    rig.run(1100);
    rig.lease.confirm = false;
    assert_eq!(rig.snapshot.stop_check.step, StopCheckStep::Press);
}

/// Presses until the commands have ceased; when they did.
fn fall_silent(rig: &mut Rig) -> Moment {
    rig.press(0.9, 0.1);
    rig.run_until(5000, "silence", |rig| {
        rig.snapshot.stop_check.step == StopCheckStep::Watch
    });
    rig.now
}

fn end_of_run(rig: &mut Rig) {
    rig.run_until(3000, "the end of the run", |rig| {
        !matches!(
            rig.snapshot.stop_check.step,
            StopCheckStep::Watch | StopCheckStep::Drive
        )
    });
}

fn pass_first_run(rig: &mut Rig) {
    begin(rig);
    fall_silent(rig);
    end_of_run(rig);
    assert_eq!(rig.snapshot.drive.reason, Some(Reason::StopCheck));
    rig.lift();
    rig.run(2000);
    assert_eq!(rig.snapshot.drive.state, DriveState::Ready);
}

fn pass(rig: &mut Rig) -> StopCheck {
    pass_first_run(rig);
    assert!(rig.snapshot.stop_check.is_cut);
    fall_silent(rig);
    end_of_run(rig);
    rig.lift();
    rig.run(4000);
    let passed = rig.snapshot.stop_check.passed.clone();
    passed.unwrap_or_else(|| panic!("{:?}", rig.events))
}

fn failure(rig: &Rig) -> Option<StopCheckFailure> {
    rig.events.iter().rev().find_map(|event| match event {
        Event::StopCheckFailed(failure) => Some(*failure),
        _ => None,
    })
}

/// A vehicle that obeys its last command for ever.
fn without_a_timeout() -> Rig {
    let options = Options {
        cmd_timeout: Duration::ZERO,
        mc_timeout: None,
        rpm_type: RpmType::Uint16,
        seed: Options::default().seed + 1,
        ..Options::default()
    };
    let mut rig = Rig::online_with(Profile::default(), options);
    rig.arm();
    rig
}

#[test]
fn rule_28_both_runs_pass_on_a_vehicle_that_stops_by_itself_and_lift_the_cap() {
    let mut rig = Rig::ready();
    assert_eq!(rig.snapshot.drive.unverified_cap, Some(CAP));
    let passed = pass(&mut rig);
    // Timeout 0.5 s, then 0.2 m/s are braked away.
    for run in [passed.open, passed.cut] {
        assert!((0.5..1.4).contains(&run.seconds), "{passed:?}");
        assert!((0.05..0.4).contains(&run.meters), "{passed:?}");
    }
    let topic = if rig::by_mc_ctrl() {
        "/auto_mc_ctrl"
    } else {
        "/cmd_vel"
    };
    assert_eq!(passed.subject.topic, topic);
    assert_eq!(rig.snapshot.drive.unverified_cap, None);
    assert_eq!(rig.snapshot.drive.state, DriveState::Disarmed);
    rig.arm();
    rig.press(1.0, 0.0);
    rig.run(2500);
    assert!(rig.snapshot.drive.linear > CAP);
}

#[test]
fn rule_28_it_drives_straight_at_low_speed_whatever_the_stick_says_and_then_sends_nothing() {
    let mut rig = Rig::ready();
    begin(&mut rig);
    let began = rig.now;
    let silent = fall_silent(&mut rig);
    let driven = rig.arrivals_since(began);
    assert!(driven.iter().all(|a| a.linear <= 0.2 && a.angular == 0.0));
    // A motor turns at whole rpm.
    let reached = if rig::by_mc_ctrl() { 0.19 } else { 0.2 };
    assert!(driven.iter().any(|a| a.linear >= reached));
    rig.run(30);
    let since = rig.now;
    end_of_run(&mut rig);
    let watched = rig.now.since(silent);
    let before_the_end = |a: &Arrival| a.t < rig.now.as_millis() - 10.0;
    assert!(!rig.arrivals_since(since).iter().any(before_the_end));
    assert!(watched >= Duration::from_millis(500), "{watched:?}");
    assert!(watched <= Duration::from_millis(1510), "{watched:?}");
    rig.run(400);
    let after = rig.arrivals_since(since);
    assert!(
        after.len() >= 3 && after.iter().all(Arrival::is_zero),
        "{after:?}"
    );
}

#[test]
fn rule_28_lifting_the_finger_sends_zeros_and_the_run_is_done_again() {
    let mut rig = Rig::ready();
    begin(&mut rig);
    fall_silent(&mut rig);
    rig.run(200);
    let since = rig.now;
    rig.lift();
    rig.run(400);
    let after = rig.arrivals_since(since);
    assert!(
        after.len() >= 3 && after.iter().all(Arrival::is_zero),
        "{after:?}"
    );
    assert!(after[0].t - since.as_millis() < 20.0);
    assert_eq!(rig.snapshot.stop_check.step, StopCheckStep::Press);
    assert!(!rig.snapshot.stop_check.is_cut);
}

#[test]
fn rule_28_a_vehicle_without_a_timeout_fails_and_gets_its_zeros_after_1_5_s() {
    let mut rig = without_a_timeout();
    begin(&mut rig);
    let silent = fall_silent(&mut rig);
    rig.run(1400);
    assert!(rig.speed() > 0.15, "it goes on by itself");
    end_of_run(&mut rig);
    assert!(rig.now.since(silent) <= Duration::from_millis(1510));
    rig.run(3000);
    assert_eq!(failure(&rig), Some(StopCheckFailure::StillMoving));
    assert!(rig.speed() < 0.01, "the zeros stopped it");
    assert_eq!(rig.snapshot.stop_check.passed, None);
    assert_eq!(rig.snapshot.drive.unverified_cap, Some(CAP));
}

#[test]
fn rule_28_a_lift_while_the_socket_is_cut_sends_a_zero_on_the_other_socket_and_reconnects() {
    let mut rig = without_a_timeout();
    // Only the second run: the first would not pass.
    rig = {
        let mut checked = Rig::ready();
        pass_first_run(&mut checked);
        drop(rig);
        checked
    };
    fall_silent(&mut rig);
    rig.run(100);
    let since = rig.now;
    // A new control socket would be too late for the first zero: it must come over the other.
    rig.server_is_off = true;
    rig.lift();
    rig.run(100);
    rig.server_is_off = false;
    let first = rig.arrivals_since(since)[0];
    assert!(
        first.is_zero() && first.t - since.as_millis() < 20.0,
        "{first:?}"
    );
    rig.run_until(20_000, "zeros over a new socket", |rig| {
        rig.arrivals_since(since).len() >= 3
    });
    assert!(rig.arrivals_since(since).iter().all(Arrival::is_zero));
    assert_eq!(rig.snapshot.stop_check.step, StopCheckStep::Off);
    assert_eq!(failure(&rig), Some(StopCheckFailure::Interrupted));
}

#[test]
fn rule_28_stop_works_while_the_socket_is_cut() {
    let mut rig = Rig::ready();
    pass_first_run(&mut rig);
    fall_silent(&mut rig);
    let since = rig.now;
    rig.intent(Intent::Stop);
    rig.run(50);
    assert!(rig.arrivals_since(since)[0].is_zero());
    rig.run(5000);
    assert_eq!(rig.snapshot.drive.state, DriveState::Stopped);
    assert_eq!(rig.snapshot.motion, Motion::Standing);
    assert!(rig.arrivals_since(since).iter().all(Arrival::is_zero));
}

#[test]
fn rule_28_a_reload_while_the_socket_is_cut_is_made_up_for_with_zeros() {
    let mut rig = Rig::ready();
    pass_first_run(&mut rig);
    fall_silent(&mut rig);
    rig.run(100);
    let since = rig.now;
    rig.replace_pilot(|_| {});
    rig.lease.stick = None;
    rig.run(3000);
    let after = rig.arrivals_since(since);
    assert!(
        after.len() >= 3 && after.iter().all(Arrival::is_zero),
        "{after:?}"
    );
    assert_eq!(rig.snapshot.drive.state, DriveState::Disarmed);
    assert_eq!(rig.snapshot.stop_check.passed, None);
}

#[test]
fn rule_28_a_server_that_dies_while_the_socket_is_cut_gets_zeros_when_it_is_back() {
    let mut rig = Rig::ready();
    pass_first_run(&mut rig);
    fall_silent(&mut rig);
    rig.stop_server();
    rig.run(3000);
    let back = rig.now;
    rig.start_server();
    rig.run(8000);
    let after = rig.arrivals_since(back);
    assert!(
        after.len() >= 3 && after.iter().all(Arrival::is_zero),
        "{after:?}"
    );
    assert_eq!(rig.snapshot.stop_check.passed, None, "{:?}", rig.events);
}

#[test]
fn rule_28_whatever_ends_a_press_ends_the_run_with_zeros() {
    for why in [PressEnd::Blur, PressEnd::Hidden, PressEnd::Rotated] {
        for runs_before in [0, 1] {
            let mut rig = Rig::ready();
            if runs_before == 1 {
                pass_first_run(&mut rig);
            } else {
                begin(&mut rig);
            }
            fall_silent(&mut rig);
            let since = rig.now;
            rig.release(why);
            rig.run(3000);
            let after = rig.arrivals_since(since);
            assert!(
                after.len() >= 3 && after.iter().all(Arrival::is_zero),
                "{after:?}"
            );
            assert_eq!(rig.snapshot.stop_check.step, StopCheckStep::Off);
        }
    }
}

#[test]
fn rule_28_a_page_that_hangs_while_the_vehicle_is_watched_ends_the_run_with_zeros() {
    let mut rig = without_a_timeout();
    begin(&mut rig);
    fall_silent(&mut rig);
    let since = rig.now;
    rig.page_is_alive = false;
    rig.run(400);
    assert!(rig.arrivals_since(since).len() >= 2);
    assert!(rig.arrivals_since(since).iter().all(Arrival::is_zero));
}

#[test]
fn rule_28_it_does_not_begin_while_the_drive_is_off_or_the_vehicle_is_not_seen_standing() {
    let mut rig = Rig::online();
    rig.intent(Intent::StopCheck(0.2));
    rig.run(50);
    assert_eq!(rig.snapshot.confirm, None);
    assert!(matches!(
        rig.events.last(),
        Some(Event::StopCheckRefused(_))
    ));
    let mut rig = Rig::driving(0.5);
    rig.lift();
    rig.intent(Intent::StopCheck(0.2));
    rig.run(50);
    assert!(
        rig.events
            .contains(&Event::StopCheckRefused(Reason::NotStanding))
    );
}

#[test]
fn rule_28_what_is_offered_is_taken_back_when_it_is_asked_for_again() {
    let mut rig = Rig::ready();
    rig.intent(Intent::StopCheck(0.2));
    rig.run(50);
    assert!(rig.snapshot.confirm.is_some());
    rig.intent(Intent::StopCheck(0.0));
    rig.run(50);
    assert_eq!(rig.snapshot.confirm, None);
    begin(&mut rig);
    rig.intent(Intent::StopCheck(0.0));
    rig.run(50);
    assert_eq!(rig.snapshot.stop_check.step, StopCheckStep::Off);
    assert_eq!(rig.snapshot.drive.state, DriveState::Ready);
}

#[test]
fn rule_28_what_refused_or_ended_it_is_said_for_a_while() {
    let mut rig = Rig::online();
    rig.intent(Intent::StopCheck(0.2));
    rig.run(50);
    let refused = Event::StopCheckRefused(Reason::SwitchedOff);
    assert_eq!(rig.snapshot.refused, Some(refused));
    let mut rig = without_a_timeout();
    begin(&mut rig);
    fall_silent(&mut rig);
    end_of_run(&mut rig);
    let failed = Event::StopCheckFailed(StopCheckFailure::StillMoving);
    assert_eq!(rig.snapshot.refused, Some(failed));
    let failure = rig.snapshot.stop_check.failed;
    assert_eq!(failure, Some(StopCheckFailure::StillMoving));
}

#[test]
fn rule_28_the_first_check_is_at_low_speed_and_a_later_one_at_the_speed_that_is_asked_for() {
    let mut rig = Rig::ready();
    rig.intent(Intent::StopCheck(0.5));
    rig.intent(Intent::StopCheck(0.5));
    pass(&mut rig);
    rig.arm();
    rig.intent(Intent::StopCheck(0.4));
    rig.lease.confirm = true;
    rig.run(1200);
    rig.lease.confirm = false;
    fall_silent(&mut rig);
    assert!((rig.snapshot.drive.linear - 0.4).abs() < 1e-9);
}

#[test]
fn rule_8_a_check_of_another_vehicle_or_address_does_not_count() {
    let mut rig = Rig::ready();
    let passed = pass(&mut rig);
    for change in [
        |passed: &mut StopCheck| passed.subject.vehicle = "Sweeper 2".into(),
        |passed: &mut StopCheck| passed.subject.url = "ws://other:9090".into(),
        |passed: &mut StopCheck| passed.subject.topic = "/other/cmd_vel".into(),
        |passed: &mut StopCheck| passed.subject.version = "0.0.1".into(),
        |_: &mut StopCheck| (),
    ] {
        let mut other = passed.clone();
        change(&mut other);
        let counts = other == passed;
        rig.replace_pilot(|start| start.stop_checks = vec![other.clone()]);
        rig.run(1500);
        assert_eq!(rig.snapshot.drive.unverified_cap.is_none(), counts);
    }
}
