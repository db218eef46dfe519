//! Whatever operator, page, link and server do, in whatever order: no motion outlives its
//! operator. Random interleavings on virtual time; the invariants are the product's promise.

mod rig;

use std::time::Duration;

use broomstick::drive::state::{DriveState, PressEnd};
use broomstick::pilot::event::Event;
use broomstick::pilot::intent::{Intent, Unsettled};
use broomstick::pilot::snapshot::LinkState;
use broomstick::profile::Profile;
use broomstick::vehicle::Options;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rig::Rig;

/// Sequences in a run; each is 10 to 40 acts over some seconds.
const SEQUENCES: u32 = 1000;

#[derive(Debug, Clone)]
enum Act {
    Arm(bool),
    Press(f64, f64),
    Move(f64, f64),
    /// Of the other pad of what flies.
    Other(f64, f64),
    Lift,
    Release(PressEnd),
    Stop,
    ResetStop,
    SpeedLimit(f64),
    HoldUp(bool),
    HoldDown(bool),
    Delay(u64),
    ServerOff,
    ServerOn,
    PageHangs(bool),
    Foreign(f64),
    Malformed,
    NewWorker,
    HoldConfirm(bool),
    /// As far as the silence, when it is allowed at all.
    StopCheck,
    /// Somebody else calls a multirotor's motors.
    Motors(bool),
}

fn act() -> impl Strategy<Value = Act> {
    let unit = -1.2..1.2_f64;
    prop_oneof![
        4 => any::<bool>().prop_map(Act::Arm),
        6 => (unit.clone(), unit.clone()).prop_map(|(f, l)| Act::Press(f, l)),
        4 => (unit.clone(), unit.clone()).prop_map(|(f, l)| Act::Move(f, l)),
        4 => (unit.clone(), unit).prop_map(|(u, t)| Act::Other(u, t)),
        3 => Just(Act::Lift),
        2 => prop_oneof![
            Just(PressEnd::Cancelled), Just(PressEnd::Blur), Just(PressEnd::Hidden),
            Just(PressEnd::Rotated), Just(PressEnd::PadChanged), Just(PressEnd::SettingsChanged), Just(PressEnd::DeviceLost),
        ].prop_map(Act::Release),
        1 => Just(Act::Stop),
        1 => Just(Act::ResetStop),
        1 => (0.0..200.0_f64).prop_map(Act::SpeedLimit),
        1 => any::<bool>().prop_map(Act::HoldUp),
        1 => any::<bool>().prop_map(Act::HoldDown),
        1 => (0..250_u64).prop_map(Act::Delay),
        1 => Just(Act::ServerOff),
        2 => Just(Act::ServerOn),
        1 => any::<bool>().prop_map(Act::PageHangs),
        1 => (-0.4..0.4_f64).prop_map(Act::Foreign),
        1 => Just(Act::Malformed),
        1 => Just(Act::NewWorker),
        1 => any::<bool>().prop_map(Act::HoldConfirm),
        1 => Just(Act::StopCheck),
        2 => any::<bool>().prop_map(Act::Motors),
    ]
}

fn perform(rig: &mut Rig, act: &Act) {
    match act {
        Act::Arm(on) => rig.intent(Intent::ArmDrive(*on)),
        Act::Press(forward, left) => rig.press(*forward, *left),
        Act::Move(forward, left) if rig.lease.stick.is_some() => rig.move_stick(*forward, *left),
        Act::Move(..) => {}
        Act::Other(up, turn) => rig.move_other(*up, *turn),
        Act::Lift => rig.lift(),
        Act::Release(why) => rig.release(*why),
        Act::Stop => rig.intent(Intent::Stop),
        Act::ResetStop => rig.intent(Intent::ResetStop),
        Act::SpeedLimit(percent) => rig.intent(Intent::SpeedLimit(*percent)),
        Act::HoldUp(hold) => rig.hold_up = *hold,
        Act::HoldDown(hold) => rig.hold_down = *hold,
        Act::Delay(delay) => rig.delay = Duration::from_millis(*delay),
        Act::ServerOff => rig.stop_server(),
        Act::ServerOn => rig.start_server(),
        Act::PageHangs(hangs) => rig.page_is_alive = !hangs,
        Act::Foreign(linear) => rig.foreign_twist(*linear),
        Act::Malformed => rig.server_says("{\"op\":\"publish\",\"topic\":"),
        Act::NewWorker => rig.replace_pilot(|_| {}),
        Act::HoldConfirm(held) => rig.lease.confirm = *held,
        Act::StopCheck => stop_check(rig),
        Act::Motors(on) if rig::by_flight() => rig.foreign_motors(*on),
        Act::Motors(_) => {}
    }
}

/// Of what flies every other one stands on the ground with its motors off.
fn begin(is_on_the_ground: bool) -> Rig {
    if !rig::by_flight() || !is_on_the_ground {
        return Rig::ready();
    }
    let mut rig = Rig::on_the_ground(Profile::default(), Options::default(), Unsettled::default());
    rig.run(1500);
    rig.arm();
    rig
}

/// Calls of the motors that this console sent.
fn motors_calls(rig: &Rig) -> usize {
    let is_asked = |event: &&Event| matches!(event, Event::MotorsAsked(_));
    rig.events.iter().filter(is_asked).count()
}

fn stop_check(rig: &mut Rig) {
    rig.lift();
    rig.intent(Intent::StopCheck(0.2));
    rig.lease.confirm = true;
    rig.run(1_100);
    rig.lease.confirm = false;
    rig.press(0.9, 0.0);
    rig.run(2_300);
}

fn calm_down(rig: &mut Rig) {
    (rig.hold_up, rig.hold_down) = (false, false);
    rig.delay = Duration::from_millis(5);
    rig.start_server();
    rig.page_is_alive = true;
    rig.lease.confirm = false;
    rig.lift();
    // The waits between attempts grow while the server is away.
    rig.run_until(20_000, "online again", |rig| {
        rig.snapshot.link.state == LinkState::Online
    });
    rig.run(9_000);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: SEQUENCES,
        rng_seed: RngSeed::Fixed(20_261_130),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_motion_outlives_its_operator(
        is_on_the_ground in any::<bool>(),
        acts in prop::collection::vec((act(), 0..250_u64), 10..40),
    ) {
        let mut rig = begin(is_on_the_ground);
        let mut held = 0;
        for (act, span) in &acts {
            perform(&mut rig, act);
            held += usize::from(matches!(act, Act::HoldConfirm(true) | Act::StopCheck));
            rig.run(*span);
            if let Some(body) = rig.vehicle.multirotor("/") {
                prop_assert!(body.is_landed() || body.has_motors_on(), "off in the air: {act:?}");
            }
            prop_assert!(motors_calls(&rig) <= held, "motors called without a held act: {act:?}");
        }
        let last_act = rig.now;
        calm_down(&mut rig);

        for sent in rig.sent.iter().filter(|sent| !sent.is_zero()) {
            prop_assert!(
                sent.pressed_for_lease.is_some_and(|age| age <= Duration::from_millis(300)),
                "a non-zero outside a press: {sent:?}"
            );
            prop_assert!(sent.at <= last_act, "a non-zero after the last act: {sent:?}");
            prop_assert!(!sent.is_stopped, "a non-zero under STOP: {sent:?}");
            prop_assert!(!sent.are_motors_off, "a non-zero to motors that are off: {sent:?}");
            // The cap of an unverified vehicle may have been lifted under way.
            prop_assert!(
                (-0.3..=if rig.snapshot.stop_check.passed.is_some() { 0.5 } else { 0.3 })
                    .contains(&sent.linear) && sent.angular.abs() <= 0.8,
                "beyond the limits: {sent:?}"
            );
            let (left, up) = if rig::by_flight() { (0.3, 0.3) } else { (0.0, 0.0) };
            prop_assert!(sent.left.abs() <= left, "beyond the limits: {sent:?}");
            let checked = rig.snapshot.stop_check.passed.is_some();
            let climb = if checked && rig::by_flight() { 0.5 } else { up };
            prop_assert!((-up..=climb).contains(&sent.up), "beyond the limits: {sent:?}");
            prop_assert!(sent.unechoed <= 6, "beyond the link budget: {sent:?}");
        }
        // Zeros after every press: the vehicle's last word from this console is a zero.
        let arrivals = rig.arrivals();
        if arrivals.iter().any(|arrival| !arrival.is_zero()) {
            prop_assert!(arrivals.last().is_some_and(rig::Arrival::is_zero), "{arrivals:?}");
        }
        if let Some(body) = rig.vehicle.multirotor("/") {
            prop_assert!(is_on_the_ground || body.has_motors_on(), "{:?}", body.flight());
            prop_assert!(body.flight().velocity.z.abs() < 0.01, "{:?}", body.flight());
        }
        let at_rest = if rig::by_flight() { 1e-3 } else { 1e-6 };
        prop_assert!(rig.speed().abs() < at_rest, "it still moves at {} m/s", rig.speed());
        // Silence when idle.
        prop_assert_eq!(rig.snapshot.link.state, LinkState::Online);
        prop_assert_ne!(rig.snapshot.drive.state, DriveState::Driving);
        let idle = rig.now;
        rig.run(1_000);
        prop_assert_eq!(rig.arrivals_since(idle), vec![]);
        prop_assert!(rig.snapshot.unsettled.is_settled());
    }
}
