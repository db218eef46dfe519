//! The conventions between ROS and Unreal, function by function as documented.
#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test may panic, and some numbers are exact"
)]

use broomstick::msgs::std_msgs::Time;
use broomstick::ros::conventions::{
    Ros, Ue, Vector, Yaw, angular_to_ros, angular_to_ue, linear_to_ros, linear_to_ue,
    position_to_ros, position_to_ue, yaw_to_ros, yaw_to_ue,
};
use broomstick::ros::rotation::{
    OPTICAL_FRAME_SUFFIX, Rotation, Transform, camera_link_to_optical, rotation_to_ros,
    rotation_to_ue, transform_to_ros, transform_to_ue,
};
use broomstick::ros::{names, time};
use proptest::prelude::*;

const HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;

fn is_near<F>(a: &Vector<F>, b: &Vector<F>, tolerance: f64) -> bool {
    (a.x - b.x).abs() <= tolerance
        && (a.y - b.y).abs() <= tolerance
        && (a.z - b.z).abs() <= tolerance
}

#[test]
fn the_optical_frame_looks_along_z_with_x_right_and_y_down() {
    let rotation = camera_link_to_optical();
    let seen = |x, y, z| rotation.rotated(&Vector::new(x, y, z));
    assert!(is_near(
        &seen(0.0, 0.0, 1.0),
        &Vector::new(1.0, 0.0, 0.0),
        1e-12
    ));
    assert!(is_near(
        &seen(1.0, 0.0, 0.0),
        &Vector::new(0.0, -1.0, 0.0),
        1e-12
    ));
    assert!(is_near(
        &seen(0.0, 1.0, 0.0),
        &Vector::new(0.0, 0.0, -1.0),
        1e-12
    ));
    assert_eq!(OPTICAL_FRAME_SUFFIX, "_optical");
}

#[test]
fn ros_time_to_seconds_counts_a_negative_nanosec_as_zero() {
    assert_eq!(time::seconds_of(3, 500_000_000), 3.5);
    assert_eq!(time::seconds_of(3, -1), 3.0);
    assert_eq!(time::seconds_of(0, 0), 0.0);
}

#[test]
fn seconds_to_ros_time_gives_zero_for_negative_and_non_finite_seconds() {
    assert_eq!(time::from_seconds(-0.5), Time::default());
    assert_eq!(time::from_seconds(f64::NAN), Time::default());
    let half = Time {
        sec: 1,
        nanosec: 500_000_000,
    };
    assert_eq!(time::from_seconds(1.5), half);
}

#[test]
fn positions_vectors_rates_and_yaws_have_the_documented_signs_and_units() {
    let ros = Vector::<Ros>::new(1.0, 2.0, 3.0);
    assert_eq!(position_to_ue(ros), Vector::new(100.0, -200.0, 300.0));
    assert_eq!(linear_to_ue(ros), Vector::new(1.0, -2.0, 3.0));
    assert_eq!(angular_to_ue(ros), Vector::new(-1.0, 2.0, -3.0));
    assert_eq!(yaw_to_ue(Yaw::new(0.5)), Yaw::new(-0.5));
    let ue = Vector::<Ue>::new(100.0, -200.0, 300.0);
    assert_eq!(position_to_ros(ue), Vector::new(1.0, 2.0, 3.0));
    assert_eq!(linear_to_ros(ue), Vector::new(100.0, 200.0, 300.0));
    assert_eq!(angular_to_ros(ue), Vector::new(-100.0, -200.0, -300.0));
    assert_eq!(yaw_to_ros(Yaw::new(-0.5)), Yaw::new(0.5));
}

#[test]
fn a_rotation_is_mirrored_and_normalised() {
    let left = Rotation::<Ros>::new(0.0, 0.0, 2.0, 2.0);
    let ue = rotation_to_ue(left);
    assert!((ue.z + HALF).abs() < 1e-12 && (ue.w - HALF).abs() < 1e-12);
    let back = rotation_to_ros(Rotation::new(3.0, 0.0, 0.0, 4.0));
    assert!((back.x + 0.6).abs() < 1e-12 && (back.w - 0.8).abs() < 1e-12);
    assert_eq!(
        rotation_to_ue(Rotation::new(0.0, 0.0, 0.0, 0.0)),
        Rotation::IDENTITY
    );
}

#[test]
fn a_transform_loses_its_scale() {
    let mut ue = Transform::rigid(Rotation::<Ue>::IDENTITY, Vector::new(100.0, 100.0, 0.0));
    ue.scale = [2.0, 3.0, 4.0];
    let ros = transform_to_ros(ue);
    assert_eq!(ros.translation, Vector::new(1.0, -1.0, 0.0));
    assert_eq!(ros.scale, [1.0; 3]);
}

#[test]
fn names_are_sanitised_as_documented() {
    assert_eq!(names::sanitized("Robot #1"), "Robot1");
    assert_eq!(names::sanitized("a___b"), "a_b");
    assert_eq!(names::sanitized("3d"), "_3d");
    assert_eq!(names::sanitized("机器人"), "_");
}

fn vector<F: std::fmt::Debug>() -> impl Strategy<Value = Vector<F>> {
    (-1e3..1e3, -1e3..1e3, -1e3..1e3).prop_map(|(x, y, z)| Vector::new(x, y, z))
}

fn rotation() -> impl Strategy<Value = Rotation<Ros>> {
    (-1.0..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0).prop_filter_map("no direction", |(x, y, z, w)| {
        Rotation::new(x, y, z, w).normalized()
    })
}

fn transform() -> impl Strategy<Value = Transform<Ros>> {
    (rotation(), vector()).prop_map(|(rotation, at)| Transform::rigid(rotation, at))
}

proptest! {
    #[test]
    fn mirroring_keeps_lengths_and_comes_back(v in vector::<Ros>()) {
        prop_assert_eq!(linear_to_ue(v).magnitude(), v.magnitude());
        prop_assert_eq!(angular_to_ue(v).magnitude(), v.magnitude());
        prop_assert_eq!(linear_to_ros(linear_to_ue(v)), v);
        prop_assert_eq!(angular_to_ros(angular_to_ue(v)), v);
        prop_assert!(is_near(&position_to_ros(position_to_ue(v)), &v, 1e-9));
    }

    #[test]
    fn turning_commutes_with_mirroring(q in rotation(), v in vector::<Ros>()) {
        let there = linear_to_ue(q.rotated(&v));
        prop_assert!(is_near(&rotation_to_ue(q).rotated(&linear_to_ue(v)), &there, 1e-8));
    }

    #[test]
    fn composing_commutes_with_converting(a in transform(), b in transform()) {
        let one = transform_to_ue(a.then_inner(&b));
        let other = transform_to_ue(a).then_inner(&transform_to_ue(b));
        prop_assert!(is_near(&one.translation, &other.translation, 1e-6));
        let probe = Vector::new(1.0, 2.0, 3.0);
        prop_assert!(is_near(&one.rotation.rotated(&probe), &other.rotation.rotated(&probe), 1e-9));
        let back = transform_to_ros(transform_to_ue(a));
        prop_assert!(is_near(&back.translation, &a.translation, 1e-9));
    }

    #[test]
    fn nanoseconds_stay_below_a_second(seconds in prop::num::f64::ANY) {
        let time = time::from_seconds(seconds);
        prop_assert!(time.nanosec <= 999_999_999 && time.sec >= 0);
    }

    #[test]
    fn a_time_comes_back(sec in 0..1_000_000, nanosec in 0..=999_999_999) {
        let there = time::from_seconds(time::seconds_of(sec, nanosec));
        prop_assert!((time::to_seconds(there) - time::seconds_of(sec, nanosec)).abs() < 1e-9);
    }

    #[test]
    fn a_sanitised_name_is_a_ros_name_and_stays(name in ".*") {
        let once = names::sanitized(&name);
        let topic = format!("/{once}");
        prop_assert!(names::is_topic_name(&topic));
        prop_assert_eq!(names::sanitized(&once), once);
    }

    #[test]
    fn angles_of_an_attitude_come_back(r in -1.4..1.4, p in -1.4..1.4, y in -3.0..3.0) {
        let (roll, pitch, yaw) = Rotation::from_euler(r, p, y).to_euler();
        prop_assert!((roll - r).abs() < 1e-9 && (pitch - p).abs() < 1e-9 && (yaw - y).abs() < 1e-9);
    }
}
