//! Tanks, battery, motor currents and faults: what the simulated vehicle says of them, and what
//! the telemetry side makes of that, on virtual time.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod rig;

use broomstick::pilot::intent::{Intent, Unsettled};
use broomstick::profile::Profile;
use broomstick::tools::intent::Wanted;
use broomstick::vehicle::Options;
use broomstick::vehicle::levels::{Fault, LevelsMode};
use broomstick::viewer::snapshot::{FaultLevel, FaultsView, Gauge, GaugeView};
use rig::Rig;

fn with_levels() -> Options {
    Options {
        has_levels: true,
        ..Options::default()
    }
}

fn online() -> Rig {
    let mut rig = Rig::online_with(Profile::default(), with_levels());
    rig.look("");
    rig.run(2500);
    rig
}

fn gauge(rig: &Rig, gauge: Gauge) -> GaugeView {
    let mut views = rig.viewer_snapshot.levels.gauges.iter();
    views.find(|view| view.gauge == gauge).unwrap().clone()
}

fn faults(rig: &Rig) -> FaultsView {
    rig.viewer_snapshot.levels.faults.clone().unwrap()
}

fn close(value: Option<f64>, to: f64) -> bool {
    value.is_some_and(|value| (value - to).abs() < 0.01)
}

#[test]
fn a_vehicle_that_offers_nothing_shows_nothing() {
    let mut rig = Rig::online();
    rig.look("");
    rig.run(3000);
    assert!(rig.viewer_snapshot.levels.gauges.is_empty());
    assert_eq!(rig.viewer_snapshot.levels.faults, None);
}

#[test]
fn what_the_vehicle_offers_is_shown_with_its_age() {
    let rig = online();
    assert_eq!(rig.viewer_snapshot.levels.gauges.len(), Gauge::ALL.len());
    assert!(close(gauge(&rig, Gauge::Battery).value, 0.85));
    assert!(close(gauge(&rig, Gauge::CleanWater).value, 0.9));
    assert!(close(gauge(&rig, Gauge::DirtyWater).value, 0.1));
    assert!(close(gauge(&rig, Gauge::RollBrushCurrent).value, 0.0));
    assert!(gauge(&rig, Gauge::Battery).age_s.unwrap() <= 1);
    let faults = faults(&rig);
    assert_eq!((faults.worst, faults.more), (None, 0));
    assert!(faults.age_s.unwrap() <= 1);
}

#[test]
fn in_a_namespace_they_are_under_it() {
    let mut profile = Profile::default();
    profile.bridge.namespace = "robot1".into();
    let options = Options {
        namespace: "robot1".into(),
        ..with_levels()
    };
    let mut rig = Rig::online_with(profile, options);
    rig.look("robot1");
    rig.run(2500);
    assert_eq!(rig.viewer_snapshot.levels.gauges.len(), Gauge::ALL.len());
    assert!(close(gauge(&rig, Gauge::Battery).value, 0.85));
}

#[test]
fn nan_is_unknown_and_never_zero() {
    let mut rig = online();
    rig.vehicle.set_levels_mode(LevelsMode::Nan);
    rig.run(2500);
    for view in &rig.viewer_snapshot.levels.gauges {
        assert_eq!(view.value, None, "{view:?}");
        assert!(view.age_s.unwrap() <= 1, "it was heard, though");
    }
}

#[test]
fn what_is_not_heard_any_more_ages() {
    let mut rig = online();
    rig.vehicle.set_levels_mode(LevelsMode::Silent);
    rig.run(12_000);
    let battery = gauge(&rig, Gauge::Battery);
    assert!(close(battery.value, 0.85));
    assert!((11..=13).contains(&battery.age_s.unwrap()), "{battery:?}");
    assert!((11..=13).contains(&faults(&rig).age_s.unwrap()));
}

#[test]
fn a_gauge_that_was_never_heard_has_neither_value_nor_age() {
    let mut rig = Rig::with(Profile::default(), with_levels(), Unsettled::default());
    rig.vehicle.set_levels_mode(LevelsMode::Silent);
    rig.look("");
    rig.run(4000);
    let battery = gauge(&rig, Gauge::Battery);
    assert_eq!((battery.value, battery.age_s), (None, None));
    assert_eq!(faults(&rig).age_s, None);
}

#[test]
fn faults_are_told_in_the_vehicles_words_the_worst_first_and_end_with_their_cause() {
    let mut rig = online();
    rig.vehicle.fill(Some(0.05), None, None);
    rig.run(2000);
    let worst = faults(&rig).worst.unwrap();
    assert_eq!(
        (worst.level, worst.name.as_str(), worst.message.as_str()),
        (FaultLevel::Warn, "Clean water tank", "low")
    );
    rig.vehicle.provoke(Some(Fault::BrushOverload));
    rig.run(3500);
    let now = faults(&rig);
    let worst = now.worst.unwrap();
    assert_eq!(
        (worst.level, worst.name.as_str(), worst.message.as_str()),
        (FaultLevel::Error, "Roll brush motor", "overload")
    );
    assert_eq!(now.more, 1);
    rig.vehicle.provoke(None);
    rig.run(2000);
    assert_eq!(faults(&rig).worst, None);
}

#[test]
fn each_fault_that_can_be_provoked_is_an_error_of_its_own_name() {
    for (fault, name) in [
        (Fault::CleanEmpty, "Clean water tank"),
        (Fault::DirtyFull, "Dirty water tank"),
        (Fault::BatteryLow, "Battery"),
        (Fault::BrushOverload, "Roll brush motor"),
    ] {
        let mut rig = online();
        rig.vehicle.provoke(Some(fault));
        rig.run(3500);
        let worst = faults(&rig).worst.unwrap();
        assert_eq!(
            (worst.level, worst.name.as_str()),
            (FaultLevel::Error, name)
        );
    }
}

#[test]
fn water_and_battery_run_down_while_it_sweeps_and_the_dirty_tank_fills() {
    let mut rig = online();
    let before = rig.vehicle.state().sweeper;
    rig.arm_tools();
    rig.intent(Intent::Want(Wanted {
        roll_brush_suction_direction: 1,
        roll_brush_suction: 100,
        side_brush: 50,
        water_amount: 100,
        ..Wanted::default()
    }));
    rig.lease.holds.water_spray = 1;
    for _ in 0..20 {
        // Somebody is there.
        rig.lease.touches += 1;
        rig.run(1000);
    }
    let state = rig.vehicle.state().sweeper;
    assert!(state.clean_tank < before.clean_tank - 0.005, "{state:?}");
    assert!(state.dirty_tank > before.dirty_tank + 0.003, "{state:?}");
    assert!(state.battery < before.battery);
    assert!(gauge(&rig, Gauge::CleanWater).value.unwrap() < 0.896);
    assert!(close(gauge(&rig, Gauge::RollBrushCurrent).value, 7.2));
    assert!(close(gauge(&rig, Gauge::SideBrushCurrent).value, 1.5));
    assert!(close(gauge(&rig, Gauge::SuctionCurrent).value, 9.0));
}
