//! What the vehicle says of its commands, as the console's viewer hears it, on virtual time.

#![expect(clippy::panic, reason = "a test may panic")]

mod rig;

use broomstick::profile::Profile;
use broomstick::vehicle::{ClientId, Options, VehicleKind};
use broomstick::viewer::snapshot::{Component, Summary};
use broomstick::viewer::{Input, Wish};
use rig::Rig;

/// Somebody else on the server.
const OTHER: ClientId = ClientId(900);

fn looking_at(options: Options) -> Rig {
    let mut profile = Profile::default();
    profile.bridge.namespace.clone_from(&options.namespace);
    let namespace = options.namespace.clone();
    let mut rig = Rig::online_with(profile, options);
    rig.vehicle.connect(OTHER, rig.now);
    rig.look(&namespace);
    rig.run(2500);
    rig
}

fn publish(rig: &mut Rig, topic: &str, message: &str) {
    let frame = format!(r#"{{"op":"publish","topic":"{topic}","msg":{message}}}"#);
    rig.vehicle.receive(OTHER, &frame, rig.now);
    rig.run(400);
}

/// State and reason of what takes velocities; none: nothing is known.
fn velocity(rig: &Rig) -> Option<(String, String)> {
    let mut all = rig.viewer_snapshot.commands.iter();
    let view = all.find(|view| view.component == Component::Velocity)?;
    let standing = view.standing.clone();
    Some((standing.state, standing.reason))
}

#[test]
fn the_receivers_state_is_live_in_the_console() {
    let mut rig = looking_at(Options {
        max_linear: 0.1,
        ..Options::default()
    });
    assert_eq!(velocity(&rig).unwrap().0, "idle");
    publish(&mut rig, "/cmd_vel", r#"{"linear":{"x":0.05}}"#);
    assert_eq!(velocity(&rig).unwrap().0, "active");
    publish(&mut rig, "/cmd_vel", r#"{"linear":{"x":0.5}}"#);
    assert_eq!(velocity(&rig).unwrap().0, "limited");
    rig.run(1000);
    assert_eq!(velocity(&rig).unwrap().0, "timed_out");
    publish(&mut rig, "/cmd_vel", r#"{"linear":{"x":NaN}}"#);
    let (state, reason) = velocity(&rig).unwrap();
    assert_eq!(state, "refused");
    assert!(reason.contains("linear.x"), "{reason}");
}

#[test]
fn who_looks_at_the_state_later_sees_it_in_words_with_its_age() {
    let mut rig = looking_at(Options::default());
    publish(&mut rig, "/cmd_vel", r#"{"linear":{"x":NaN}}"#);
    rig.run(3000);
    let wish = Input::Wish(Wish::Watch("/velocity_command/state".into()));
    rig.viewer.as_mut().unwrap().handle(wish, rig.now);
    rig.run(500);
    let watched = &rig.viewer_snapshot.watched[0];
    let Some(Summary::Command(standing)) = &watched.summary else {
        panic!("no words: {watched:?}")
    };
    assert_eq!(standing.state, "refused");
    assert!(watched.age_ms.unwrap() > 3000.0, "{:?}", watched.age_ms);
}

#[test]
fn a_vehicle_that_says_nothing_of_its_commands_shows_nothing() {
    let mut rig = looking_at(Options {
        has_command_state: false,
        ..Options::default()
    });
    publish(&mut rig, "/cmd_vel", r#"{"linear":{"x":0.05}}"#);
    assert_eq!(velocity(&rig), None);
}

#[test]
fn of_a_multirotor_both_components_are_heard_under_its_namespace() {
    let rig = looking_at(Options {
        namespace: "uav1".into(),
        kind: VehicleKind::Multirotor,
        ..Options::default()
    });
    let all = &rig.viewer_snapshot.commands;
    let components: Vec<Component> = all.iter().map(|view| view.component).collect();
    assert_eq!(components, Component::ALL);
}

#[test]
fn what_was_said_before_the_connection_broke_is_not_known_any_more() {
    let mut rig = looking_at(Options::default());
    assert!(velocity(&rig).is_some());
    rig.stop_server();
    rig.run(500);
    assert_eq!(velocity(&rig), None);
    rig.start_server();
    rig.run(12_000);
    assert_eq!(velocity(&rig).unwrap().0, "idle");
}
