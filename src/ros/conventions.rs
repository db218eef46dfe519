//! REP-103 (x forward, y **left**, z up, counter-clockwise positive, metres) and UE (x forward,
//! y **right**, z up, clockwise positive, centimetres).
//!
//! Between the two lies a mirror: polar vectors flip y, axial vectors (rates of turn, torques)
//! flip x and z. A vector carries its frame in its type, so that one cannot pass for the other:
//!
//! ```compile_fail,E0308
//! use broomstick::ros::conventions::{Ros, Vector, linear_to_ros};
//!
//! // Already in ROS axes: it cannot be converted to them once more.
//! linear_to_ros(Vector::<Ros>::new(1.0, 2.0, 3.0));
//! ```

use std::marker::PhantomData;

/// The frames of REP-103.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ros {}

/// The frames of Unreal Engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ue {}

/// Three numbers along the axes of a frame of the convention `F`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vector<F> {
    /// Forward.
    pub x: f64,
    /// Left in [`Ros`], right in [`Ue`].
    pub y: f64,
    /// Up.
    pub z: f64,
    convention: PhantomData<F>,
}

impl<F> Vector<F> {
    /// No speed, no turn, no distance.
    pub const ZERO: Self = Self::new(0.0, 0.0, 0.0);

    /// The vector of these components.
    #[must_use]
    pub const fn new(x: f64, y: f64, z: f64) -> Self {
        Self {
            x,
            y,
            z,
            convention: PhantomData,
        }
    }

    /// True when no component is NaN or infinite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }

    /// The length. Large components do not overflow on the way.
    #[must_use]
    pub fn magnitude(&self) -> f64 {
        self.x.hypot(self.y).hypot(self.z)
    }

    /// The same direction, every component times `factor`.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self::new(self.x * factor, self.y * factor, self.z * factor)
    }

    /// The same direction, no longer than `limit`; 0 means no limit.
    #[must_use]
    pub fn limited(&self, limit: f64) -> Self {
        let magnitude = self.magnitude();
        if limit > 0.0 && magnitude > limit {
            // Divided first: the magnitude of huge components may itself be infinite.
            let scale = self.x.abs().max(self.y.abs()).max(self.z.abs());
            let unit = Self::new(self.x / scale, self.y / scale, self.z / scale);
            unit.scaled(limit / unit.magnitude())
        } else {
            Self::new(self.x, self.y, self.z)
        }
    }
}

/// A position: metres in ROS, centimetres in UE.
#[must_use]
pub fn position_to_ue(position: Vector<Ros>) -> Vector<Ue> {
    Vector::new(position.x * 100.0, -position.y * 100.0, position.z * 100.0)
}

/// A position: centimetres in UE, metres in ROS.
#[must_use]
pub fn position_to_ros(position: Vector<Ue>) -> Vector<Ros> {
    Vector::new(position.x / 100.0, -position.y / 100.0, position.z / 100.0)
}

/// A linear quantity in SI units, such as a velocity: y changes its sign, units stay.
#[must_use]
pub fn linear_to_ue(vector: Vector<Ros>) -> Vector<Ue> {
    Vector::new(vector.x, -vector.y, vector.z)
}

/// A linear quantity in SI units, such as a velocity: y changes its sign, units stay.
#[must_use]
pub fn linear_to_ros(vector: Vector<Ue>) -> Vector<Ros> {
    Vector::new(vector.x, -vector.y, vector.z)
}

/// A rate of turn (rad/s) or a torque: x and z change their signs.
#[must_use]
pub fn angular_to_ue(vector: Vector<Ros>) -> Vector<Ue> {
    Vector::new(-vector.x, vector.y, -vector.z)
}

/// A rate of turn (rad/s) or a torque: x and z change their signs.
#[must_use]
pub fn angular_to_ros(vector: Vector<Ue>) -> Vector<Ros> {
    Vector::new(-vector.x, vector.y, -vector.z)
}

/// An angle in the plane, a scan angle or a rate of turn: left is positive in [`Ros`], right in
/// [`Ue`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Yaw<F> {
    /// rad, or rad/s.
    pub radians: f64,
    convention: PhantomData<F>,
}

impl<F> Yaw<F> {
    /// The angle of so many radians.
    #[must_use]
    pub const fn new(radians: f64) -> Self {
        Self {
            radians,
            convention: PhantomData,
        }
    }
}

/// An angle in the plane or a rate of turn: the sign changes.
#[must_use]
pub fn yaw_to_ue(yaw: Yaw<Ros>) -> Yaw<Ue> {
    Yaw::new(-yaw.radians)
}

/// An angle in the plane or a rate of turn: the sign changes.
#[must_use]
pub fn yaw_to_ros(yaw: Yaw<Ue>) -> Yaw<Ros> {
    Yaw::new(-yaw.radians)
}

/// The compass heading (degrees, 0 north, clockwise, 0 ≤ h < 360) of an ENU yaw (radians, 0 east,
/// counter-clockwise).
#[must_use]
pub fn heading_from_yaw(yaw: f64) -> f64 {
    let heading = (90.0 - yaw.to_degrees()).rem_euclid(360.0);
    // A tiny negative angle rounds up to 360 itself.
    if heading >= 360.0 { 0.0 } else { heading }
}

/// The ENU yaw (radians, 0 east, counter-clockwise, −π < yaw ≤ π) of a compass heading (degrees).
#[must_use]
pub fn yaw_from_heading(heading: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    let yaw = (90.0 - heading).to_radians().rem_euclid(TAU);
    if yaw > PI { yaw - TAU } else { yaw }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_velocity_to_the_left_is_negative_y_in_ue() {
        assert_eq!(
            linear_to_ue(Vector::new(1.0, 2.0, 3.0)),
            Vector::new(1.0, -2.0, 3.0)
        );
        assert_eq!(
            linear_to_ros(Vector::new(1.0, -2.0, 3.0)),
            Vector::new(1.0, 2.0, 3.0)
        );
    }

    #[test]
    fn a_turn_to_the_left_is_negative_z_in_ue() {
        assert_eq!(
            angular_to_ue(Vector::new(1.0, 2.0, 3.0)),
            Vector::new(-1.0, 2.0, -3.0)
        );
        assert_eq!(
            angular_to_ros(Vector::new(-1.0, 2.0, -3.0)),
            Vector::new(1.0, 2.0, 3.0)
        );
    }

    #[test]
    fn positions_change_between_metres_and_centimetres() {
        assert_eq!(
            position_to_ue(Vector::new(1.0, 2.0, 3.0)),
            Vector::new(100.0, -200.0, 300.0)
        );
        assert_eq!(
            position_to_ros(Vector::new(100.0, -200.0, 300.0)),
            Vector::new(1.0, 2.0, 3.0)
        );
    }

    #[test]
    fn a_limit_shortens_and_keeps_the_direction_and_zero_is_no_limit() {
        let vector = Vector::<Ros>::new(3.0, 4.0, 0.0);
        let limited = vector.limited(1.0);
        assert!((limited.magnitude() - 1.0).abs() < 1e-12);
        assert!((limited.y / limited.x - 4.0 / 3.0).abs() < 1e-12);
        assert_eq!(vector.limited(0.0), vector);
        assert_eq!(vector.limited(6.0), vector);
    }

    #[test]
    fn a_limit_holds_for_components_whose_squares_overflow() {
        let limited = Vector::<Ros>::new(f64::MAX, f64::MAX, f64::MAX).limited(2.0);
        assert!((limited.magnitude() - 2.0).abs() < 1e-12);
    }

    #[test]
    fn heading_zero_is_north_and_runs_clockwise() {
        assert!(heading_from_yaw(std::f64::consts::FRAC_PI_2).abs() < 1e-9);
        assert!((heading_from_yaw(0.0) - 90.0).abs() < 1e-9);
        assert!((yaw_from_heading(180.0) + std::f64::consts::FRAC_PI_2).abs() < 1e-9);
        assert!(heading_from_yaw(std::f64::consts::FRAC_PI_2 + 1e-18) < 360.0);
    }
}
