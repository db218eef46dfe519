//! The motion rules, one by one, on virtual time: pilot and monitor against the simulated
//! vehicle. Motion is judged by the vehicle's log of what arrived when.

mod rig;

use broomstick::drive::state::{DriveState, PressEnd};
use broomstick::monitor::snapshot::RtkState;
use broomstick::pilot::event::Event;
use broomstick::pilot::intent::{Intent, Unsettled};
use broomstick::pilot::snapshot::{Confirm, Delivery, LinkState, Motion, Reason, Trouble};
use broomstick::profile::Profile;
use broomstick::screen::gamepad::{Gamepads, Setup, Turn};
use broomstick::screen::preferences::Hand;
use broomstick::shell::input::Reading;
use broomstick::tools::state::ToolsState;
use broomstick::vehicle::{Options, RtkMode};
use rig::{Arrival, Rig};

/// What arrived after a stop: at most one command that was on its way already, then the rest.
fn after_a_stop(arrivals: Vec<Arrival>) -> Vec<Arrival> {
    let under_way = arrivals.iter().take_while(|a| !a.is_zero()).count();
    assert!(under_way <= 1, "{arrivals:?}");
    arrivals.into_iter().skip(under_way).collect()
}

/// Three zeros within 300 ms and nothing else.
fn assert_ends_with_zeros_then_silence(arrivals: &[Arrival]) {
    assert!(arrivals.len() >= 3, "{arrivals:?}");
    assert!(arrivals.iter().all(Arrival::is_zero), "{arrivals:?}");
    let (first, last) = (arrivals[0].t, arrivals[arrivals.len() - 1].t);
    assert!(arrivals[2].t - first <= 300.0, "{arrivals:?}");
    // By McCtrl the brake and neutral follow, when it stands or after 1.5 s.
    let silent_after = if rig::by_mc_ctrl() { 2200.0 } else { 400.0 };
    assert!(
        last - first <= silent_after,
        "silence follows: {arrivals:?}"
    );
}

#[test]
fn the_console_connects_and_learns_types_position_and_standing() {
    let rig = Rig::online();
    assert_eq!(rig.snapshot.motion, Motion::Standing);
    assert!(
        rig.snapshot
            .link
            .rtt_ms
            .is_some_and(|rtt| (9.0..25.0).contains(&rtt))
    );
    assert!(rig.events.iter().any(|event| matches!(
        event,
        Event::TypeFound { topic, name } if topic == "/cmd_vel" && name == "geometry_msgs/msg/Twist"
    )));
    assert_eq!(rig.dropped(), Vec::<String>::new());
}

#[test]
fn rule_1_nothing_is_published_on_a_command_topic_before_an_operators_act() {
    let mut rig = Rig::online();
    rig.release(PressEnd::Blur);
    rig.release(PressEnd::Hidden);
    rig.intent(Intent::ArmDrive(true));
    rig.run(2000);
    assert_eq!(rig.arrivals(), []);
    assert_eq!(rig.mc_arrivals(), []);
}

#[test]
fn rule_2_a_press_before_arming_does_not_drive_even_after_arming() {
    let mut rig = Rig::online();
    rig.press(0.5, 0.0);
    rig.run(200);
    rig.intent(Intent::ArmDrive(true));
    rig.run(500);
    assert_eq!(rig.arrivals(), []);
    rig.lift();
    rig.run(100);
    rig.press(0.5, 0.0);
    rig.run(200);
    assert_eq!(rig.snapshot.drive.state, DriveState::Driving);
}

#[test]
fn rule_2_a_link_that_could_never_be_fresh_refuses_the_switch_and_is_not_given_up() {
    for delay_ms in [130, 140, 149] {
        let mut rig = Rig::online();
        rig.delay = std::time::Duration::from_millis(delay_ms);
        rig.run(6000);
        rig.events.clear();
        rig.intent(Intent::ArmDrive(true));
        rig.run(6000);
        assert_eq!(rig.snapshot.drive.state, DriveState::Disarmed);
        assert!(
            matches!(
                rig.events[..],
                [Event::DriveRefused(Reason::LinkSlow {
                    worst_ms: 255..=330
                })]
            ),
            "{delay_ms} ms: {:?}",
            rig.events
        );
        assert_eq!(rig.snapshot.link.state, LinkState::Slow);
    }
}

#[test]
fn rule_2_a_link_that_answers_late_is_named_too_slow_and_keeps_its_socket() {
    for delay_ms in [200, 400, 800] {
        let mut rig = Rig::online();
        rig.delay = std::time::Duration::from_millis(delay_ms);
        rig.run(10_000);
        let sockets = rig.opened;
        assert_eq!(rig.snapshot.link.state, LinkState::Lost, "{delay_ms} ms");
        rig.events.clear();
        rig.intent(Intent::ArmDrive(true));
        rig.intent(Intent::ArmTools(true));
        rig.run(6000);
        let round_trip = 2 * delay_ms as u32;
        for refused in &rig.events {
            let (Event::DriveRefused(reason) | Event::ToolsRefused(reason)) = refused else {
                panic!("{delay_ms} ms: {refused:?}");
            };
            assert!(
                matches!(reason, Reason::LinkSlow { worst_ms } if (round_trip..round_trip + 80).contains(worst_ms)),
                "{delay_ms} ms: {reason:?}"
            );
        }
        assert_eq!(rig.events.len(), 2, "{delay_ms} ms: {:?}", rig.events);
        assert_eq!(rig.snapshot.refused.as_ref(), rig.events.last());
        rig.run(3000);
        assert_eq!(rig.snapshot.refused, None, "it is not spoken of for ever");
        assert_eq!(
            rig.opened, sockets,
            "{delay_ms} ms: a new socket is no quicker"
        );
        rig.delay = std::time::Duration::from_millis(5);
        rig.run(6000);
        assert_eq!(rig.snapshot.link.state, LinkState::Online);
        rig.arm();
    }
}

#[test]
fn rule_10_a_drive_whose_link_becomes_late_is_disarmed_for_its_slowness() {
    let mut rig = Rig::driving(0.6);
    rig.delay = std::time::Duration::from_millis(400);
    rig.run(4000);
    assert_eq!(rig.snapshot.drive.state, DriveState::Disarmed);
    assert!(
        matches!(rig.snapshot.drive.reason, Some(Reason::LinkSlow { .. })),
        "{:?}",
        rig.snapshot.drive.reason
    );
}

#[test]
fn rule_2_a_slow_link_refuses_the_start_and_names_the_round_trip() {
    let mut rig = Rig::ready();
    rig.delay = std::time::Duration::from_millis(110);
    rig.run(3000);
    assert_eq!(rig.snapshot.link.state, LinkState::Slow);
    rig.press(0.5, 0.0);
    rig.run(200);
    assert!(matches!(
        rig.snapshot.drive.reason,
        Some(Reason::LinkSlow {
            worst_ms: 205..=280
        })
    ));
    assert_eq!(rig.arrivals(), []);
}

#[test]
fn rule_2_types_that_are_not_told_need_a_held_confirmation() {
    let mut profile = Profile::default();
    profile.bridge.rosapi = "/nobody".into();
    let mut rig = Rig::with(profile, Options::default(), Unsettled::default());
    rig.run(3000);
    rig.intent(Intent::ArmDrive(true));
    rig.run(50);
    assert_eq!(rig.snapshot.drive.state, DriveState::Disarmed);
    let confirm = rig.snapshot.confirm.expect("a confirmation on offer");
    assert_eq!(confirm.what, Confirm::DriveTypesUnverified);
    rig.lease.confirm = true;
    rig.run(900);
    assert_eq!(
        rig.snapshot.drive.state,
        DriveState::Disarmed,
        "0.9 s are too short"
    );
    rig.run(200);
    assert_eq!(rig.snapshot.drive.state, DriveState::Ready);
    rig.press(0.5, 0.0);
    rig.run(500);
    assert!(rig.speed() > 0.0);
}

#[test]
fn rule_2_a_topic_of_another_type_cannot_be_driven() {
    let mut profile = Profile::default();
    profile.bridge.cmd_vel = Some("/rtk_message".into());
    if rig::by_mc_ctrl() {
        profile.bridge.mc_ctrl = Some("/rtk_message".into());
    }
    let mut rig = Rig::with(profile, Options::default(), Unsettled::default());
    rig.run(1500);
    rig.intent(Intent::ArmDrive(true));
    rig.run(50);
    assert!(
        rig.events.iter().any(|event| matches!(
            event,
            Event::DriveRefused(Reason::TypeConflict { found, .. })
                if found.starts_with("sweeper_msgs/msg/Rtk")
        )),
        "{:?}",
        rig.events
    );
}

#[test]
fn rule_3_a_still_finger_is_sent_twenty_times_a_second() {
    let mut rig = Rig::driving(0.6);
    let since = rig.now;
    rig.run(5000);
    let arrivals = rig.arrivals_since(since);
    assert!(
        (98..=102).contains(&arrivals.len()),
        "{} in 5 s",
        arrivals.len()
    );
    assert!(arrivals.iter().all(|a| a.linear > 0.0));
    assert!(rig.speed() > 0.1);
}

#[test]
fn rule_3_a_timer_that_comes_late_does_not_catch_up_and_a_long_gap_stops() {
    let mut rig = Rig::driving(0.6);
    let since = rig.now;
    // The Worker is not scheduled for 250 ms, although leases and echoes wait for it.
    rig.now = rig.now + std::time::Duration::from_millis(250);
    rig.run(300);
    let arrivals = after_a_stop(rig.arrivals_since(since));
    assert!(arrivals.iter().all(Arrival::is_zero), "{arrivals:?}");
    assert!(
        arrivals[1..]
            .windows(2)
            .all(|pair| pair[1].t - pair[0].t >= 20.0),
        "{arrivals:?}"
    );
    assert_eq!(rig.snapshot.drive.state, DriveState::Blocked);
}

#[test]
fn rule_4_no_command_exceeds_the_profile_or_the_slider() {
    let mut rig = Rig::driving(1.0);
    rig.run(2000);
    // An unverified vehicle is capped at 0.3 (rule 8).
    let fastest = rig.arrivals().iter().map(|a| a.linear).fold(0.0, f64::max);
    // A motor turns at whole rpm, and rather too slow than too fast.
    let step = if rig::by_mc_ctrl() { 1e-3 } else { 1e-9 };
    assert!(fastest <= 0.3 + 1e-9 && fastest > 0.3 - step, "{fastest}");
    rig.intent(Intent::SpeedLimit(20.0));
    rig.run(100);
    let since = rig.now;
    rig.run(500);
    assert!(
        rig.arrivals_since(since)
            .iter()
            .all(|a| a.linear <= 0.1 + 1e-9)
    );
}

#[test]
fn rule_7_a_bit_identical_contact_is_stopped_after_the_warning() {
    let mut rig = Rig::driving(0.5);
    rig.run(14_500);
    assert_eq!(rig.snapshot.drive.state, DriveState::Driving);
    assert!(rig.snapshot.drive.vigilance_stop_in_s.is_some());
    rig.run(5_000);
    assert_eq!(rig.snapshot.drive.reason, Some(Reason::Vigilance));
    assert!(rig.speed() < 0.05);
}

/// 60 looks a second at a gamepad whose enable button is held from the second look on.
fn hold_gamepad(rig: &mut Rig, span_ms: u64, y: impl Fn(u64) -> f64) {
    let mut gamepads = Gamepads::default();
    for look in 0..span_ms * 60 / 1000 {
        let reading = Reading {
            index: 0,
            id: "Pad".into(),
            axes: vec![0.0, if look < 2 { 0.0 } else { y(look) }],
            buttons: if look == 0 { 0 } else { 1 << 5 },
        };
        // Of what flies it is the other stick, which climbs.
        let setup = |_: &Reading| Setup::of_hand(Hand::Left, rig::by_flight());
        match gamepads.look(&[reading], setup) {
            Turn::Began([at, _]) => rig.press(at.forward, at.left),
            Turn::Held([at, other]) => {
                rig.move_stick(at.forward, at.left);
                rig.move_other(other.forward, other.left);
            }
            _ => {}
        }
        rig.run(1000 / 60);
    }
}

#[test]
fn rule_7_an_unchanged_gamepad_is_stopped_like_an_unchanged_finger() {
    let mut rig = Rig::ready();
    hold_gamepad(&mut rig, 17_000, |_| -0.5);
    assert_eq!(rig.snapshot.drive.state, DriveState::Driving);
    assert!(rig.snapshot.drive.vigilance_stop_in_s.is_some());
    let mut rig = Rig::ready();
    hold_gamepad(&mut rig, 22_000, |_| -0.5);
    assert_eq!(rig.snapshot.drive.reason, Some(Reason::Vigilance));
    assert!(rig.speed() < 0.05);
    // A thumb is never quite still.
    let mut rig = Rig::ready();
    hold_gamepad(&mut rig, 22_000, |look| -0.5 - (look % 7) as f64 * 1e-3);
    assert_eq!(rig.snapshot.drive.state, DriveState::Driving);
}

#[test]
fn rule_9_a_lifted_finger_sends_a_zero_at_once_then_silence() {
    let mut rig = Rig::driving(0.6);
    let since = rig.now;
    rig.lift();
    rig.run(2000);
    let zeros = after_a_stop(rig.arrivals_since(since));
    assert!(zeros[0].t - since.as_millis() <= 6.0, "{zeros:?}");
    assert_ends_with_zeros_then_silence(&zeros);
    assert_eq!(rig.snapshot.drive.state, DriveState::Ready);
    rig.run_until(2000, "standing seen", |rig| {
        rig.snapshot.motion == Motion::Standing
    });
}

#[test]
fn rules_9_and_10_every_end_of_a_press_stops_and_leaves_the_right_state() {
    for (why, state) in [
        (PressEnd::Lifted, DriveState::Ready),
        (PressEnd::Cancelled, DriveState::Ready),
        (PressEnd::Blur, DriveState::Blocked),
        (PressEnd::Rotated, DriveState::Blocked),
        (PressEnd::PadChanged, DriveState::Blocked),
        (PressEnd::SettingsChanged, DriveState::Blocked),
        (PressEnd::DeviceLost, DriveState::Blocked),
        (PressEnd::Hidden, DriveState::Disarmed),
    ] {
        let mut rig = Rig::driving(0.6);
        let since = rig.now;
        rig.release(why);
        rig.run(1000);
        assert_ends_with_zeros_then_silence(&after_a_stop(rig.arrivals_since(since)));
        assert_eq!(rig.snapshot.drive.state, state, "{why:?}");
        rig.lease.pad_touched = false;
        rig.run(100);
        let after = if state == DriveState::Disarmed {
            state
        } else {
            DriveState::Ready
        };
        assert_eq!(rig.snapshot.drive.state, after, "{why:?}");
    }
}

#[test]
fn rule_9_a_page_that_hangs_is_stopped_by_the_deadman() {
    let mut rig = Rig::driving(0.6);
    let since = rig.now;
    rig.page_is_alive = false;
    rig.run(2000);
    let first_zero = rig
        .arrivals_since(since)
        .into_iter()
        .find(Arrival::is_zero)
        .expect("a zero");
    let after = first_zero.t - since.as_millis();
    assert!((240.0..=360.0).contains(&after), "{after} ms");
    assert_eq!(rig.snapshot.drive.reason, Some(Reason::LeaseEnded));
    assert!(rig.speed() < 0.05);
}

#[test]
fn a_lease_that_was_long_on_its_way_is_worth_nothing() {
    let mut rig = Rig::driving(0.6);
    rig.lease.transit_ms = 400.0;
    rig.run(600);
    assert_eq!(rig.snapshot.drive.reason, Some(Reason::LeaseEnded));
}

#[test]
fn rule_11_a_stalled_link_is_overshot_by_at_most_the_link_timeouts_worth() {
    for hold_finger in [true, false] {
        let mut rig = Rig::driving(0.6);
        let since = rig.now;
        (rig.hold_up, rig.hold_down) = (true, true);
        rig.run(1000);
        if !hold_finger {
            rig.lift();
        }
        (rig.hold_up, rig.hold_down) = (false, false);
        rig.run(1000);
        let arrivals = rig.arrivals_since(since);
        let late = arrivals
            .iter()
            .filter(|a| !a.is_zero() && a.t >= since.as_millis() + 300.0);
        assert!(late.count() <= 6, "{arrivals:?}");
        assert!(arrivals.last().is_some_and(Arrival::is_zero));
        assert_ne!(rig.snapshot.drive.state, DriveState::Driving);
    }
}

#[test]
fn rule_10_after_a_stall_of_a_second_it_is_blocked_then_ready_again() {
    let mut rig = Rig::driving(0.6);
    (rig.hold_up, rig.hold_down) = (true, true);
    rig.run(1000);
    assert_eq!(rig.snapshot.link.state, LinkState::Stalled);
    assert_eq!(rig.snapshot.drive.reason, Some(Reason::LinkStalled));
    (rig.hold_up, rig.hold_down) = (false, false);
    rig.run(300);
    assert_eq!(
        rig.snapshot.drive.state,
        DriveState::Blocked,
        "the finger is still down"
    );
    rig.lift();
    rig.run(200);
    assert_eq!(rig.snapshot.drive.state, DriveState::Ready);
}

#[test]
fn rule_12_a_dead_socket_gets_zeros_before_it_is_closed_and_the_new_one_gets_them_too() {
    let mut rig = Rig::driving(0.6);
    let since = rig.now;
    (rig.hold_up, rig.hold_down) = (true, true);
    rig.run(3000);
    assert_eq!(rig.snapshot.drive.state, DriveState::Disarmed);
    (rig.hold_up, rig.hold_down) = (false, false);
    rig.run(2000);
    let arrivals = rig.arrivals_since(since);
    let first_zero = arrivals.iter().position(Arrival::is_zero).expect("zeros");
    assert!(first_zero <= 7, "{arrivals:?}");
    assert!(
        arrivals[first_zero..].iter().all(Arrival::is_zero),
        "{arrivals:?}"
    );
    assert!(rig.events.contains(&Event::MadeUpStop));
    assert_eq!(rig.snapshot.link.state, LinkState::Online);
    assert!(rig.snapshot.unsettled.is_settled());
}

#[test]
fn rule_13_a_server_that_dies_in_motion_gets_the_stop_when_it_is_back_and_nothing_else() {
    let mut rig = Rig::driving(0.6);
    rig.stop_server();
    rig.run(3000);
    assert_eq!(rig.snapshot.drive.state, DriveState::Disarmed);
    assert!(!rig.snapshot.unsettled.is_settled());
    let back = rig.now;
    rig.start_server();
    rig.run(8000);
    assert_eq!(rig.snapshot.link.state, LinkState::Online);
    let arrivals = rig.arrivals_since(back);
    assert!(
        arrivals.len() >= 3 && arrivals.iter().all(Arrival::is_zero),
        "{arrivals:?}"
    );
    let made_up_for = if rig::by_mc_ctrl() { 2200.0 } else { 1100.0 };
    assert!(arrivals[arrivals.len() - 1].t - arrivals[0].t <= made_up_for);
    assert!(rig.snapshot.unsettled.is_settled());
    // Nothing non-zero comes before arm and press.
    rig.lift();
    rig.run(1000);
    rig.arm();
    let pressed = rig.now;
    rig.press(0.5, 0.0);
    rig.run(500);
    assert!(
        rig.arrivals_since(back)
            .iter()
            .all(|a| a.is_zero() || a.t >= pressed.as_millis())
    );
    assert!(rig.speed() > 0.0);
}

#[test]
fn rule_27_after_a_quick_reconnect_our_own_last_command_is_no_other_driver() {
    let mut rig = Rig::driving(0.6);
    // Every echo has been heard.
    rig.run(30);
    rig.stop_server();
    rig.run(50);
    rig.start_server();
    // At once: ROS hands a command to late subscribers for a second.
    rig.intent(Intent::Connect);
    rig.run(4000);
    let foreign = |event: &Event| matches!(event, Event::ForeignDriving { .. });
    assert!(!rig.events.iter().any(foreign), "{:?}", rig.events);
    assert!(rig.snapshot.unsettled.is_settled());
    rig.lift();
    rig.arm();
    assert_eq!(rig.snapshot.drive.reason, None);
    // Another driver is still seen.
    rig.foreign_twist(0.3);
    rig.run(100);
    assert!(rig.events.iter().any(foreign));
}

#[test]
fn rule_13_the_loss_is_remembered_across_a_new_worker_or_a_reload() {
    let mut rig = Rig::driving(0.6);
    assert!(!rig.snapshot.unsettled.is_settled());
    let since = rig.now;
    rig.replace_pilot(|_| {});
    rig.run(1500);
    let arrivals = rig.arrivals_since(since);
    assert!(
        arrivals.len() >= 3 && arrivals.iter().all(Arrival::is_zero),
        "{arrivals:?}"
    );
    assert_eq!(rig.snapshot.drive.state, DriveState::Disarmed);
    assert!(rig.snapshot.unsettled.is_settled());
}

#[test]
fn rule_13_a_settled_pilot_sends_nothing_on_reconnect() {
    let mut rig = Rig::driving(0.6);
    rig.lift();
    rig.run(1500);
    assert!(rig.snapshot.unsettled.is_settled());
    rig.stop_server();
    rig.run(500);
    rig.start_server();
    let since = rig.now;
    rig.run(6000);
    assert_eq!(rig.snapshot.link.state, LinkState::Online);
    assert_eq!(rig.arrivals_since(since), []);
}

#[test]
fn rule_15_stop_works_in_every_state_and_latches() {
    for arm in [false, true] {
        for press in [false, true] {
            let mut rig = if arm { Rig::ready() } else { Rig::online() };
            if press {
                rig.press(0.5, 0.0);
                rig.run(500);
            }
            let since = rig.now;
            rig.intent(Intent::Stop);
            rig.run(600);
            assert_eq!(rig.snapshot.drive.state, DriveState::Stopped);
            let arrivals = rig.arrivals_since(since);
            let zeros: Vec<_> = arrivals.iter().filter(|a| a.is_zero()).collect();
            assert!(
                zeros.len() >= 3,
                "rule 16: even if never armed: {arrivals:?}"
            );
            rig.lift();
            rig.press(0.5, 0.0);
            rig.run(300);
            assert_eq!(rig.snapshot.drive.state, DriveState::Stopped);
            assert!(rig.speed() < 0.05);
        }
    }
}

#[test]
fn rule_16_stop_is_said_until_published_and_standing_then_silence() {
    let mut rig = Rig::driving(0.6);
    rig.intent(Intent::Stop);
    rig.run_until(1000, "published", |rig| {
        rig.events.contains(&Event::StopPublished)
    });
    rig.run_until(4000, "standing", |rig| {
        rig.events.contains(&Event::StopStanding)
    });
    rig.run(300);
    let since = rig.now;
    rig.run(2000);
    assert_eq!(rig.arrivals_since(since), []);
    let stop = rig.snapshot.stop.clone().expect("latched");
    assert_eq!(
        (stop.delivery, stop.is_opposed),
        (Delivery::Published, false)
    );
}

#[test]
fn rule_16_with_the_link_down_it_says_so_and_delivers_on_reconnect() {
    let mut rig = Rig::ready();
    rig.stop_server();
    rig.run(500);
    rig.intent(Intent::Stop);
    rig.run(200);
    assert_eq!(
        rig.snapshot.stop.clone().map(|s| s.delivery),
        Some(Delivery::NotDelivered)
    );
    let back = rig.now;
    rig.start_server();
    rig.run(8000);
    assert!(
        rig.arrivals_since(back)
            .iter()
            .filter(|a| a.is_zero())
            .count()
            >= 3
    );
    assert_eq!(
        rig.snapshot.stop.clone().map(|s| s.delivery),
        Some(Delivery::Published)
    );
}

#[test]
fn rule_16_it_goes_on_while_somebody_else_sends_non_zeros() {
    let mut rig = Rig::online();
    rig.intent(Intent::Stop);
    rig.run(3000);
    let since = rig.now;
    for _ in 0..20 {
        rig.foreign_twist(0.3);
        rig.run(100);
    }
    // Zeros at 20 Hz, safe McCtrl at 10 Hz.
    let least = if rig::by_mc_ctrl() { 15 } else { 30 };
    assert!(rig.arrivals_since(since).len() >= least);
    assert!(
        rig.snapshot
            .stop
            .as_ref()
            .is_some_and(|stop| stop.is_opposed)
    );
}

#[test]
fn rule_17_a_stop_of_another_console_latches_and_is_reset_by_itself() {
    let mut rig = Rig::driving(0.5);
    let heartbeat =
        r#"{"console":"c2","name":"Tablet 2","seq":1,"driving":false,"stop":{"by":"c2","seq":7}}"#;
    let message = serde_json::json!({ "data": heartbeat });
    rig.foreign("/console/heartbeat", &message);
    rig.run(300);
    assert_eq!(rig.snapshot.drive.state, DriveState::Stopped);
    assert_eq!(
        rig.snapshot.stop.as_ref().and_then(|s| s.by.clone()),
        Some("Tablet 2".into())
    );
    rig.lift();
    rig.run(3000);
    rig.intent(Intent::ResetStop);
    rig.foreign("/console/heartbeat", &message);
    rig.run(300);
    assert_eq!(
        rig.snapshot.stop, None,
        "the same STOP does not latch twice"
    );
    assert_eq!(rig.snapshot.drive.state, DriveState::Disarmed);
}

#[test]
fn rule_17_a_stop_that_another_console_still_holds_keeps_drive_and_tools_off_here() {
    let mut rig = Rig::driving(0.5);
    let says = |stop: &str| {
        let heartbeat = format!(
            r#"{{"console":"c2","name":"Tablet 2","seq":1,"driving":false,"stop":{stop}}}"#
        );
        serde_json::json!({ "data": heartbeat })
    };
    let holds = says(r#"{"by":"c2","seq":7}"#);
    rig.foreign("/console/heartbeat", &holds);
    rig.lift();
    rig.run(3000);
    let held = Some(Reason::StopElsewhere {
        name: "Tablet 2".into(),
    });
    rig.intent(Intent::ResetStop);
    rig.foreign("/console/heartbeat", &holds);
    rig.run(300);
    let since = rig.now;
    rig.intent(Intent::ArmDrive(true));
    rig.intent(Intent::ArmTools(true));
    rig.run(100);
    assert_eq!(rig.snapshot.drive.state, DriveState::Disarmed);
    assert_eq!(rig.snapshot.tools.state, ToolsState::Disarmed);
    assert_eq!(rig.snapshot.refused, held.clone().map(Event::ToolsRefused));
    // It is let go there.
    rig.foreign("/console/heartbeat", &says("null"));
    rig.run(100);
    rig.arm();
    rig.press(0.5, 0.0);
    rig.run(500);
    assert_eq!(rig.snapshot.drive.state, DriveState::Driving);
    assert!(!rig.arrivals_since(since).iter().all(Arrival::is_zero));
    // Its heartbeats had only been lost: whoever pressed it there counts on it.
    rig.foreign("/console/heartbeat", &holds);
    rig.run(20);
    let since = rig.now;
    rig.run(500);
    assert_eq!(rig.snapshot.drive.reason, held);
    assert!(rig.arrivals_since(since).iter().all(Arrival::is_zero));
}

#[test]
fn a_stop_whose_console_is_not_heard_any_more_holds_nobody_for_ever() {
    let mut rig = Rig::online();
    let heartbeat =
        r#"{"console":"c2","name":"Tablet 2","seq":1,"driving":false,"stop":{"by":"c2","seq":7}}"#;
    rig.foreign(
        "/console/heartbeat",
        &serde_json::json!({ "data": heartbeat }),
    );
    rig.run(500);
    rig.intent(Intent::ResetStop);
    rig.run(2000);
    rig.arm();
    assert_eq!(rig.snapshot.drive.state, DriveState::Ready);
}

#[test]
fn rule_17_resetting_moves_nothing_and_disarms() {
    let mut rig = Rig::driving(0.6);
    rig.intent(Intent::Stop);
    rig.run(3000);
    let since = rig.now;
    rig.intent(Intent::ResetStop);
    rig.run(1000);
    assert!(rig.arrivals_since(since).iter().all(Arrival::is_zero));
    assert_eq!(rig.snapshot.drive.state, DriveState::Disarmed);
}

#[test]
fn a_position_that_stays_while_the_vehicle_is_told_to_go_is_frozen_and_proves_no_stand() {
    let mut rig = Rig::ready();
    rig.run(1000);
    assert_eq!(rig.snapshot.motion, Motion::Standing);
    rig.vehicle.set_rtk_mode(RtkMode::Frozen);
    rig.press(0.5, 0.0);
    rig.run(1500);
    assert_eq!(rig.monitor_snapshot.rtk.state, RtkState::Frozen);
    assert_eq!(rig.snapshot.motion, Motion::Unknown);
    rig.intent(Intent::Stop);
    rig.run(5000);
    assert_eq!(rig.snapshot.motion, Motion::Unknown, "nobody saw it stand");
    assert_eq!(rig.monitor_snapshot.rtk.state, RtkState::Frozen);
}

#[test]
fn rule_26_a_foreign_driver_blocks_within_half_a_second_and_zeros_do_not() {
    let mut rig = Rig::driving(0.5);
    for _ in 0..5 {
        rig.foreign_twist(0.0);
        rig.run(50);
    }
    assert_eq!(rig.snapshot.drive.state, DriveState::Driving);
    rig.foreign_twist(0.25);
    rig.run(20);
    let since = rig.now;
    rig.run(480);
    assert!(matches!(
        rig.snapshot.drive.reason,
        Some(Reason::ForeignDriver { .. })
    ));
    assert!(rig.arrivals_since(since).iter().all(Arrival::is_zero));
}

/// Another client drove, let go, and the vehicle stands; the finger is lifted.
fn after_a_foreign_drive() -> Rig {
    let mut rig = Rig::driving(0.5);
    for _ in 0..10 {
        rig.foreign_twist(0.25);
        rig.run(50);
    }
    rig.lift();
    rig.run_until(5000, "standing", |rig| {
        rig.snapshot.motion == Motion::Standing
    });
    rig.run(1100);
    rig
}

#[test]
fn rule_26_when_the_other_has_let_go_and_it_stands_a_held_button_takes_over() {
    let mut rig = after_a_foreign_drive();
    assert_eq!(rig.snapshot.drive.state, DriveState::Blocked);
    let since = rig.now;
    rig.press(0.5, 0.0);
    rig.run(300);
    rig.lift();
    assert_eq!(rig.arrivals_since(since), [], "not without taking over");
    let offered = rig.snapshot.confirm.map(|confirm| confirm.what);
    assert_eq!(offered, Some(Confirm::TakeOver));
    rig.lease.confirm = true;
    rig.run(900);
    assert_eq!(rig.snapshot.drive.state, DriveState::Blocked);
    rig.run(200);
    rig.lease.confirm = false;
    assert_eq!(rig.snapshot.drive.state, DriveState::Ready);
    rig.press(0.5, 0.0);
    rig.run(500);
    assert!(rig.speed() > 0.0);
}

#[test]
fn rule_26_nothing_can_be_taken_over_while_the_other_drives_or_the_vehicle_moves() {
    let mut rig = Rig::driving(0.5);
    rig.foreign_twist(0.3);
    rig.lift();
    for _ in 0..60 {
        rig.foreign_twist(0.3);
        rig.run(50);
        assert_eq!(rig.snapshot.confirm, None);
    }
    rig.run_until(5000, "an offer", |rig| rig.snapshot.confirm.is_some());
    assert_eq!(rig.snapshot.motion, Motion::Standing);
    // The offer goes with its cause, however long the button has been held.
    rig.lease.confirm = true;
    rig.run(800);
    rig.foreign_twist(0.3);
    rig.run(400);
    assert_eq!(rig.snapshot.confirm, None);
    assert_eq!(rig.snapshot.drive.state, DriveState::Blocked);
}

#[test]
fn rule_26_a_button_that_was_held_before_it_was_offered_takes_nothing_over() {
    let mut rig = Rig::driving(0.5);
    rig.foreign_twist(0.25);
    rig.run(50);
    rig.lift();
    rig.lease.confirm = true;
    rig.run_until(8000, "an offer", |rig| rig.snapshot.confirm.is_some());
    rig.run(3000);
    assert_eq!(rig.snapshot.drive.state, DriveState::Blocked);
    rig.lease.confirm = false;
    rig.run(100);
    rig.lease.confirm = true;
    rig.run(1200);
    assert_eq!(rig.snapshot.drive.state, DriveState::Ready);
}

#[test]
fn rule_26_stop_takes_the_vehicle_from_the_other_where_standing_is_never_known() {
    let mut rig = after_a_foreign_drive();
    rig.intent(Intent::Stop);
    rig.run(500);
    rig.intent(Intent::ResetStop);
    rig.arm();
    rig.press(0.5, 0.0);
    rig.run(500);
    assert!(rig.speed() > 0.0);
}

#[test]
fn rule_26_a_drive_of_long_ago_is_no_claim_for_a_switch_that_was_off() {
    let mut rig = Rig::online();
    rig.foreign_twist(0.3);
    rig.run(2000);
    rig.arm();
    assert!(matches!(
        rig.snapshot.drive.reason,
        Some(Reason::ForeignDriver { .. })
    ));
    rig.intent(Intent::ArmDrive(false));
    rig.run(9000);
    rig.arm();
    assert_eq!(rig.snapshot.drive.reason, None);
}

#[test]
fn a_socket_that_is_no_rosbridge_is_said_so() {
    let mut rig = Rig::new();
    // It opens, and never echoes.
    rig.run(15);
    rig.hold_down = true;
    rig.run(4000);
    let no_echo = |trouble: &Trouble| matches!(trouble, Trouble::NoEcho { .. });
    assert!(
        rig.snapshot.link.trouble.as_ref().is_some_and(no_echo),
        "{:?}",
        rig.snapshot.link
    );
}

#[test]
fn a_malformed_frame_is_said_once_and_costs_nothing_else() {
    let mut rig = Rig::driving(0.5);
    for _ in 0..10 {
        rig.server_says("{nonsense");
        rig.run(50);
    }
    assert_eq!(rig.snapshot.drive.state, DriveState::Driving);
    assert!(
        rig.events
            .iter()
            .any(|event| matches!(event, Event::BadFrame { .. }))
    );
    let told = rig
        .events
        .iter()
        .filter(|e| matches!(e, Event::BadFrame { .. }))
        .count();
    assert!(told <= 2, "once on each socket, not {told} times");
}

#[test]
fn a_vehicle_of_twist_stamped_is_driven_with_stamps() {
    let options = Options {
        velocity_type: broomstick::vehicle::VelocityType::TwistStamped,
        ..Options::default()
    };
    let mut rig = Rig::online_with(Profile::default(), options);
    rig.arm();
    rig.press(0.6, 0.0);
    rig.run(1500);
    assert!(rig.speed() > 0.1, "{:?}", rig.dropped());
}

#[test]
fn the_page_is_told_at_once_what_changed_and_seldom_what_only_grew_older() {
    let mut rig = Rig::driving(0.5);
    rig.run(3000);
    let before = rig.snapshots;
    rig.run(1000);
    let told = rig.snapshots - before;
    // Ten for the ages, and as many for the speed that the vehicle is seen to have.
    assert!((10..=24).contains(&told), "{told} in a second");
    let before = rig.snapshots;
    rig.intent(Intent::Stop);
    assert!(rig.snapshots > before && rig.snapshot.stop.is_some());
}
