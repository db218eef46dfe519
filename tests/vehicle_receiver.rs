//! The velocity component, on virtual time and with a target of its own.
#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test may panic, and some numbers are exact"
)]

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use broomstick::ros::conventions::Vector;
use broomstick::units::{Moment, millis};
use broomstick::vehicle::json::Json;
use broomstick::vehicle::receiver::{
    CommandError, Owner, ReceiverEvent, ReceiverOptions, VelocityCommand, VelocityReceiver,
    VelocityTarget, VelocityType,
};

type Journal = Rc<RefCell<Vec<String>>>;

#[derive(Default)]
struct Target {
    journal: Journal,
    refusal: Option<String>,
}

impl VelocityTarget for Target {
    fn command(&mut self, command: &VelocityCommand) -> Result<(), String> {
        self.journal
            .borrow_mut()
            .push(format!("command {}", command.linear.x));
        self.refusal.clone().map_or(Ok(()), Err)
    }

    fn stop_motion(&mut self) {
        self.journal.borrow_mut().push("stop".to_owned());
    }
}

fn twist(linear: [f64; 3], angular: [f64; 3]) -> Json {
    let vector =
        |[x, y, z]: [f64; 3]| Json::object([("x", x.into()), ("y", y.into()), ("z", z.into())]);
    Json::object([("linear", vector(linear)), ("angular", vector(angular))])
}

fn forward(speed: f64) -> Json {
    twist([speed, 0.0, 0.0], [0.0; 3])
}

fn at(ms: u64) -> Moment {
    Moment::START + millis(ms)
}

fn events(receiver: &mut VelocityReceiver) -> Vec<ReceiverEvent> {
    std::iter::from_fn(|| receiver.poll()).collect()
}

fn errors(receiver: &mut VelocityReceiver) -> Vec<CommandError> {
    events(receiver)
        .into_iter()
        .filter_map(|event| match event {
            ReceiverEvent::CommandError(error) => Some(error),
            _ => None,
        })
        .collect()
}

#[test]
fn converts_to_ue_axes_and_says_when_and_from_where() {
    let mut receiver = VelocityReceiver::new(ReceiverOptions::default());
    receiver.receive(&twist([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]), at(1500), None);
    let command = receiver.last_command();
    assert_eq!(command.linear, Vector::new(1.0, -2.0, 3.0));
    assert_eq!(command.angular, Vector::new(-4.0, 5.0, -6.0));
    assert_eq!(command.source, "ROS");
    assert!((command.timestamp_seconds - 1.5).abs() < 1e-12);
}

#[test]
fn limits_each_vector_by_its_magnitude_and_keeps_the_direction() {
    let options = ReceiverOptions {
        max_linear: 1.0,
        max_angular: 0.5,
        ..ReceiverOptions::default()
    };
    let mut receiver = VelocityReceiver::new(options);
    receiver.receive(&twist([3.0, 4.0, 0.0], [0.0, 0.0, -2.0]), at(0), None);
    let command = receiver.last_command();
    assert!((command.linear.x - 0.6).abs() < 1e-12 && (command.linear.y + 0.8).abs() < 1e-12);
    assert!((command.angular.z - 0.5).abs() < 1e-12);
}

#[test]
fn a_limit_of_zero_is_no_limit() {
    let mut receiver = VelocityReceiver::new(ReceiverOptions::default());
    receiver.receive(&forward(1e6), at(0), None);
    assert!((receiver.last_command().linear.x - 1e6).abs() < 1e-6);
}

#[test]
fn stops_the_target_at_the_timeout_then_says_so_once() {
    let mut target = Target::default();
    let journal = Rc::clone(&target.journal);
    let mut receiver = VelocityReceiver::new(ReceiverOptions::default());
    receiver.receive(&forward(0.5), at(0), Some(&mut target));
    events(&mut receiver);
    receiver.advance(at(499), Some(&mut target));
    assert!(receiver.is_command_active());
    receiver.advance(at(500), Some(&mut target));
    assert_eq!(*journal.borrow(), ["command 0.5", "stop"]);
    assert_eq!(events(&mut receiver), [ReceiverEvent::CommandTimeout]);
    assert!(!receiver.is_command_active());
    receiver.advance(at(5000), Some(&mut target));
    assert!(events(&mut receiver).is_empty());
    assert_eq!(journal.borrow().len(), 2);
}

#[test]
fn every_valid_command_puts_the_timeout_off_and_an_invalid_one_does_not() {
    let mut receiver = VelocityReceiver::new(ReceiverOptions::default());
    receiver.receive(&forward(0.5), at(0), None);
    receiver.receive(&forward(0.5), at(400), None);
    receiver.receive(&forward(f64::NAN), at(800), None);
    receiver.advance(at(899), None);
    assert!(receiver.is_command_active());
    receiver.advance(at(900), None);
    assert!(!receiver.is_command_active());
}

#[test]
fn with_the_timeout_off_a_command_is_in_force_for_ever() {
    let options = ReceiverOptions {
        timeout: Duration::ZERO,
        ..ReceiverOptions::default()
    };
    let mut receiver = VelocityReceiver::new(options);
    assert!(!receiver.is_command_active());
    receiver.receive(&forward(0.5), at(0), None);
    receiver.advance(at(10_000_000), None);
    assert!(receiver.is_command_active());
    assert_eq!(receiver.next_wakeup(), None);
}

#[test]
fn refuses_what_is_not_finite_and_names_the_field() {
    let mut receiver = VelocityReceiver::new(ReceiverOptions::default());
    receiver.receive(&twist([0.0; 3], [0.0, 0.0, f64::INFINITY]), at(0), None);
    let field = "angular.z".to_owned();
    assert_eq!(errors(&mut receiver), [CommandError::NonFinite { field }]);
    assert!(receiver.command_error().contains("angular.z"));
    assert_eq!(*receiver.last_command(), VelocityCommand::none());
}

#[test]
fn refuses_what_is_malformed_and_names_the_field() {
    let mut receiver = VelocityReceiver::new(ReceiverOptions::default());
    receiver.receive(&Json::object([("linear", Json::Null)]), at(0), None);
    let field = "linear.x".to_owned();
    assert_eq!(errors(&mut receiver), [CommandError::Malformed { field }]);
}

#[test]
fn reads_the_stamped_type_when_that_is_the_topics() {
    let options = ReceiverOptions {
        velocity_type: VelocityType::TwistStamped,
        ..ReceiverOptions::default()
    };
    let mut receiver = VelocityReceiver::new(options);
    receiver.receive(&Json::object([("twist", forward(0.7))]), at(0), None);
    assert!((receiver.last_command().linear.x - 0.7).abs() < 1e-12);
    receiver.receive(&forward(0.7), at(0), None);
    let field = "twist.linear.x".to_owned();
    assert_eq!(errors(&mut receiver), [CommandError::Malformed { field }]);
}

#[test]
fn a_refusing_target_is_an_error_and_the_command_still_the_last_valid_one() {
    let mut target = Target {
        refusal: Some("no".into()),
        ..Target::default()
    };
    let mut receiver = VelocityReceiver::new(ReceiverOptions::default());
    receiver.receive(&forward(0.5), at(0), Some(&mut target));
    assert!((receiver.last_command().linear.x - 0.5).abs() < 1e-12);
    assert!(receiver.is_command_active());
    assert_eq!(
        errors(&mut receiver),
        [CommandError::Refused {
            reason: "no".into()
        }]
    );
}

#[test]
fn without_a_target_only_the_events_fire() {
    let mut receiver = VelocityReceiver::new(ReceiverOptions::default());
    receiver.receive(&forward(0.5), at(0), None);
    receiver.advance(at(500), None);
    let events = events(&mut receiver);
    assert!(matches!(
        events.as_slice(),
        [
            ReceiverEvent::VelocityCommand(_),
            ReceiverEvent::CommandTimeout
        ]
    ));
    assert_eq!(receiver.command_error(), "");
}

#[test]
fn stopped_it_hears_nothing_but_a_command_in_force_still_times_out() {
    let mut receiver = VelocityReceiver::new(ReceiverOptions::default());
    receiver.receive(&forward(0.5), at(0), None);
    receiver.stop();
    assert!(!receiver.is_receiver_ready());
    receiver.receive(&forward(0.9), at(100), None);
    assert!((receiver.last_command().linear.x - 0.5).abs() < 1e-12);
    events(&mut receiver);
    receiver.advance(at(500), None);
    assert_eq!(events(&mut receiver), [ReceiverEvent::CommandTimeout]);
}

#[test]
fn a_restart_forgets_the_error_and_lets_the_timeout_go_on() {
    let mut receiver = VelocityReceiver::new(ReceiverOptions::default());
    receiver.receive(&forward(0.5), at(0), None);
    receiver.receive(&forward(f64::NAN), at(100), None);
    assert!(!receiver.command_error().is_empty());
    assert!(receiver.restart());
    assert!(receiver.is_receiver_ready());
    assert_eq!(receiver.command_error(), "");
    assert_eq!(receiver.next_wakeup(), Some(at(500)));
}

#[test]
fn without_auto_start_it_waits_for_restart_and_knows_its_topic() {
    let options = ReceiverOptions {
        namespace: "/robot 1/".into(),
        is_auto_start: false,
        ..ReceiverOptions::default()
    };
    let mut receiver = VelocityReceiver::new(options);
    assert!(!receiver.is_receiver_ready());
    assert_eq!(receiver.resolved_command_topic(), "/robot1/cmd_vel");
    assert!(receiver.restart());
    assert!(receiver.is_receiver_ready());
}

/// An actor with components by name.
struct Actor {
    components: Vec<(&'static str, Target)>,
}

impl Owner for Actor {
    fn velocity_target(&mut self, component: Option<&str>) -> Option<&mut dyn VelocityTarget> {
        self.components
            .iter_mut()
            .find(|(name, _)| component.is_none_or(|wanted| wanted == *name))
            .map(|(_, target)| target as &mut dyn VelocityTarget)
    }

    fn velocity_target_name(&self, component: Option<&str>) -> Option<String> {
        self.components
            .iter()
            .find(|(name, _)| component.is_none_or(|wanted| wanted == *name))
            .map(|(name, _)| (*name).to_owned())
    }
}

#[test]
fn the_target_is_looked_up_on_the_owner_unless_it_is_chosen() {
    let (first, second) = (Target::default(), Target::default());
    let (one, two) = (Rc::clone(&first.journal), Rc::clone(&second.journal));
    let mut actor = Actor {
        components: vec![("wheels", first), ("rotors", second)],
    };
    let mut receiver = VelocityReceiver::new(ReceiverOptions::default());
    assert_eq!(receiver.command_target(&actor).as_deref(), Some("wheels"));
    receiver.receive_for(&forward(0.1), at(0), &mut actor);
    receiver.set_target(Some("rotors".into()));
    assert_eq!(receiver.command_target(&actor).as_deref(), Some("rotors"));
    receiver.receive_for(&forward(0.2), at(10), &mut actor);
    receiver.set_target(None);
    assert_eq!(receiver.command_target(&actor).as_deref(), Some("wheels"));
    receiver.advance_for(at(600), &mut actor);
    assert_eq!(*one.borrow(), ["command 0.1", "stop"]);
    assert_eq!(*two.borrow(), ["command 0.2"]);
}

#[test]
fn a_chosen_target_that_is_not_there_is_an_error_and_no_target_at_all_is_none() {
    let mut actor = Actor { components: vec![] };
    let mut receiver = VelocityReceiver::new(ReceiverOptions::default());
    receiver.receive_for(&forward(0.1), at(0), &mut actor);
    assert!(errors(&mut receiver).is_empty());
    receiver.set_target(Some("rotors".into()));
    receiver.receive_for(&forward(0.2), at(0), &mut actor);
    assert_eq!(receiver.command_target(&actor), None);
    assert_eq!(receiver.last_command().linear.x, 0.2);
    let name = "rotors".to_owned();
    assert_eq!(errors(&mut receiver), [CommandError::Unavailable { name }]);
}

#[test]
fn a_topic_that_cannot_be_subscribed_is_an_error_and_the_start_fails() {
    let mut receiver = VelocityReceiver::new(ReceiverOptions::default());
    receiver.options_mut().topic_override = "no such name".into();
    assert_eq!(receiver.resolved_command_topic(), "/cmd_vel");
    assert!(!receiver.restart());
    assert!(!receiver.is_receiver_ready());
    let topic = "/no such name".to_owned();
    assert_eq!(errors(&mut receiver), [CommandError::Subscribe { topic }]);
    receiver.options_mut().topic_override = "drive".into();
    assert!(receiver.restart());
    assert_eq!(receiver.resolved_command_topic(), "/drive");
    assert_eq!(receiver.command_error(), "");
}

#[test]
fn the_defaults_are_those_documented() {
    let options = ReceiverOptions::default();
    assert!(options.is_auto_start);
    assert_eq!(
        (options.namespace.as_str(), options.topic_override.as_str()),
        ("", "")
    );
    assert_eq!((options.max_angular, options.max_linear), (0.0, 0.0));
    assert_eq!(options.timeout, millis(500));
    assert_eq!(options.target, None);
}

#[test]
fn it_says_how_it_stands_with_the_commands() {
    let options = ReceiverOptions {
        max_linear: 1.0,
        ..ReceiverOptions::default()
    };
    let mut receiver = VelocityReceiver::new(options);
    assert_eq!(receiver.state().word(), "idle");
    receiver.receive(&forward(0.5), at(0), None);
    assert_eq!(receiver.state().word(), "active");
    receiver.receive(&forward(1.5), at(10), None);
    assert_eq!(receiver.state().word(), "limited");
    receiver.advance(at(510), None);
    assert_eq!(receiver.state().word(), "timed_out");
    let mut target = Target {
        refusal: Some("the brake is on".into()),
        ..Target::default()
    };
    receiver.receive(&forward(0.5), at(600), Some(&mut target));
    assert_eq!(receiver.state().word(), "refused");
    assert!(receiver.state().reason().contains("the brake is on"));
}
