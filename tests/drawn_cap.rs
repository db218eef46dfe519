//! What is drawn ahead may lower the speed limit, by profile, and nothing else: it never raises
//! it, never moves or pins down the vehicle, and holds back no zero and no STOP.

#![expect(clippy::expect_used, reason = "a test may panic")]

mod rig;

use broomstick::drive::state::DriveState;
use broomstick::pilot::intent::Intent;
use broomstick::profile::Profile;
use broomstick::vehicle::Options;
use proptest::prelude::*;
use rig::Rig;

const LIMITS: &str = r#"{"map": {"fence_limits_speed": true}}"#;

fn driving(profile: &str) -> Rig {
    let profile = Profile::from_json(profile).expect("a profile");
    let mut rig = Rig::online_with(profile, Options::default());
    rig.arm();
    rig.press(1.0, 0.0);
    rig.run(1500);
    assert_eq!(rig.snapshot.drive.state, DriveState::Driving);
    rig
}

fn fastest_since(rig: &Rig, from: broomstick::units::Moment) -> f64 {
    rig.arrivals_since(from)
        .iter()
        .map(|arrival| arrival.linear.abs())
        .fold(0.0, f64::max)
}

#[test]
fn a_drawn_cap_lowers_what_is_sent_under_a_held_finger_and_the_limit_that_is_shown() {
    let mut rig = driving(LIMITS);
    let before = rig.snapshot.drive.limit_linear;
    rig.lease.drawn_cap = Some(150);
    rig.run(100);
    let from = rig.now;
    rig.run(1000);
    assert!((fastest_since(&rig, from) - 0.15).abs() < 1e-6);
    assert!((rig.snapshot.drive.limit_linear - 0.15).abs() < 1e-6);
    rig.lease.drawn_cap = None;
    rig.run(1500);
    assert!((rig.snapshot.drive.limit_linear - before).abs() < 1e-9);
    assert!(fastest_since(&rig, from) > 0.25, "it grows again");
}

#[test]
fn without_the_profiles_word_nothing_is_lowered() {
    let mut rig = driving("{}");
    rig.lease.drawn_cap = Some(150);
    rig.run(100);
    let from = rig.now;
    rig.run(500);
    assert!((fastest_since(&rig, from) - 0.3).abs() < 1e-6);
}

#[test]
fn a_cap_of_nothing_still_lets_the_vehicle_creep_away() {
    let mut rig = driving(LIMITS);
    rig.lease.drawn_cap = Some(0);
    rig.run(100);
    let from = rig.now;
    rig.run(500);
    assert!((fastest_since(&rig, from) - 0.1).abs() < 1e-6);
}

#[test]
fn the_cap_expires_with_the_lease_that_brought_it() {
    let mut rig = driving(LIMITS);
    rig.lease.drawn_cap = Some(150);
    rig.run(200);
    assert!(rig.snapshot.drive.limit_linear < 0.2);
    rig.page_is_alive = false;
    rig.run(1000);
    assert!(
        (rig.snapshot.drive.limit_linear - 0.3).abs() < 1e-6,
        "{}",
        rig.snapshot.drive.limit_linear
    );
    assert_ne!(rig.snapshot.drive.state, DriveState::Driving);
}

#[test]
fn zeros_and_stop_pass_under_any_cap() {
    for cap in [0, 1, 150, u16::MAX] {
        let mut rig = driving(LIMITS);
        rig.lease.drawn_cap = Some(cap);
        rig.run(200);
        let lifted = rig.now;
        rig.lift();
        rig.run(400);
        let zeros = rig.arrivals_since(lifted);
        let zeros = zeros.iter().filter(|arrival| arrival.is_zero()).count();
        assert!(zeros >= 3, "{cap}: {zeros}");
        rig.press(1.0, 0.0);
        rig.run(500);
        let stopped = rig.now;
        rig.intent(Intent::Stop);
        rig.run(500);
        let after = rig.arrivals_since(stopped);
        assert!(
            after.iter().skip(1).all(|arrival| arrival.is_zero()),
            "{cap}: {after:?}"
        );
        assert_eq!(rig.snapshot.drive.state, DriveState::Stopped, "{cap}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The monotone rule: whatever the map says and however the stick moves, no command is faster
    /// than the same moment's without it, and a stick at rest sends none.
    #[test]
    fn whatever_is_drawn_only_ever_lowers(
        steps in proptest::collection::vec(
            (proptest::option::of(any::<u16>()), -1.0..=1.0_f64, -1.0..=1.0_f64, 50..400_u64),
            1..8,
        ),
    ) {
        let profile = Profile::from_json(LIMITS).expect("a profile");
        let mut free = Rig::online_with(profile.clone(), Options::default());
        let mut capped = Rig::online_with(profile, Options::default());
        for rig in [&mut free, &mut capped] {
            rig.arm();
            rig.press(0.0, 0.0);
        }
        for (cap, forward, left, span) in steps {
            capped.lease.drawn_cap = cap;
            for rig in [&mut free, &mut capped] {
                rig.move_stick(forward, left);
                rig.run(span);
            }
            prop_assert!(
                capped.snapshot.drive.limit_linear <= free.snapshot.drive.limit_linear + 1e-9
            );
            prop_assert!(capped.snapshot.drive.limit_linear >= 0.1 - 1e-9);
        }
        let cap_free = free.snapshot.drive.limit_linear;
        for arrival in capped.arrivals() {
            prop_assert!(arrival.linear.abs() <= cap_free + 1e-9, "{arrival:?}");
        }
    }
}
