//! Rotations and rigid transforms of either convention, and the frame of a camera's optics.
//!
//! The mirror between [`Ros`] and [`Ue`] turns a quaternion (x, y, z, w) into (−x, y, −z, w), as it
//! does the axial vector inside it. Like vectors, rotations carry their convention in their type.

use std::marker::PhantomData;

use super::conventions::{self, Ros, Ue, Vector};

/// What follows a camera's frame id to name the frame of its optics.
pub const OPTICAL_FRAME_SUFFIX: &str = "_optical";

/// A quaternion of the convention `F`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rotation<F> {
    /// Along the axis' x.
    pub x: f64,
    /// Along the axis' y.
    pub y: f64,
    /// Along the axis' z.
    pub z: f64,
    /// The real part.
    pub w: f64,
    convention: PhantomData<F>,
}

impl<F> Rotation<F> {
    /// No rotation.
    pub const IDENTITY: Self = Self::new(0.0, 0.0, 0.0, 1.0);

    /// The quaternion of these components, as they are.
    #[must_use]
    pub const fn new(x: f64, y: f64, z: f64, w: f64) -> Self {
        Self {
            x,
            y,
            z,
            w,
            convention: PhantomData,
        }
    }

    /// The same rotation as a quaternion of length 1; none when a component is not finite or the
    /// length is too near zero to tell a direction.
    #[must_use]
    pub fn normalized(&self) -> Option<Self> {
        let length = self.x.hypot(self.y).hypot(self.z).hypot(self.w);
        (length.is_finite() && length > 1e-8).then(|| {
            Self::new(
                self.x / length,
                self.y / length,
                self.z / length,
                self.w / length,
            )
        })
    }

    /// First `inner`, then this rotation.
    #[must_use]
    pub fn then_inner(&self, inner: &Self) -> Self {
        let (a, b) = (self, inner);
        Self::new(
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        )
    }

    /// The vector turned by this rotation, which has length 1.
    #[must_use]
    pub fn rotated(&self, v: &Vector<F>) -> Vector<F> {
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [
                a[1] * b[2] - a[2] * b[1],
                a[2] * b[0] - a[0] * b[2],
                a[0] * b[1] - a[1] * b[0],
            ]
        };
        let axis = [self.x, self.y, self.z];
        let once = cross(axis, [v.x, v.y, v.z]);
        let twice = cross(axis, once);
        Vector::new(
            v.x + 2.0 * (self.w * once[0] + twice[0]),
            v.y + 2.0 * (self.w * once[1] + twice[1]),
            v.z + 2.0 * (self.w * once[2] + twice[2]),
        )
    }
}

impl Rotation<Ros> {
    /// Yaw, then pitch (nose **down** positive), then roll (right side down positive); radians.
    #[must_use]
    pub fn from_euler(roll: f64, pitch: f64, yaw: f64) -> Self {
        let ((sr, cr), (sp, cp), (sy, cy)) = (
            (roll / 2.0).sin_cos(),
            (pitch / 2.0).sin_cos(),
            (yaw / 2.0).sin_cos(),
        );
        Self::new(
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
            cr * cp * cy + sr * sp * sy,
        )
    }

    /// Roll, pitch and yaw of [`Self::from_euler`].
    #[must_use]
    pub fn to_euler(&self) -> (f64, f64, f64) {
        let (x, y, z, w) = (self.x, self.y, self.z, self.w);
        let roll = (2.0 * (w * x + y * z)).atan2(1.0 - 2.0 * (x * x + y * y));
        let pitch = (2.0 * (w * y - z * x)).clamp(-1.0, 1.0).asin();
        let yaw = (2.0 * (w * z + x * y)).atan2(1.0 - 2.0 * (y * y + z * z));
        (roll, pitch, yaw)
    }
}

/// A rotation: (−x, y, −z, w), normalised; no rotation when it cannot be normalised.
#[must_use]
pub fn rotation_to_ue(rotation: Rotation<Ros>) -> Rotation<Ue> {
    let q = rotation.normalized().unwrap_or(Rotation::IDENTITY);
    Rotation::new(-q.x, q.y, -q.z, q.w)
}

/// A rotation: (−x, y, −z, w), normalised; no rotation when it cannot be normalised.
#[must_use]
pub fn rotation_to_ros(rotation: Rotation<Ue>) -> Rotation<Ros> {
    let q = rotation.normalized().unwrap_or(Rotation::IDENTITY);
    Rotation::new(-q.x, q.y, -q.z, q.w)
}

/// A placement: turned, then moved; metres in [`Ros`], centimetres in [`Ue`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transform<F> {
    /// How it is turned.
    pub rotation: Rotation<F>,
    /// Where it is.
    pub translation: Vector<F>,
    /// Growth along the axes, which a rigid transform has not: conversions drop it.
    pub scale: [f64; 3],
}

impl<F> Transform<F> {
    /// A rigid transform.
    #[must_use]
    pub const fn rigid(rotation: Rotation<F>, translation: Vector<F>) -> Self {
        Self {
            rotation,
            translation,
            scale: [1.0; 3],
        }
    }

    /// First `inner`, then this one; rigid.
    #[must_use]
    pub fn then_inner(&self, inner: &Self) -> Self {
        let moved = self.rotation.rotated(&inner.translation);
        let translation = Vector::new(
            self.translation.x + moved.x,
            self.translation.y + moved.y,
            self.translation.z + moved.z,
        );
        Self::rigid(self.rotation.then_inner(&inner.rotation), translation)
    }
}

/// A rigid transform: rotation mirrored, metres to centimetres, scale dropped.
#[must_use]
pub fn transform_to_ue(transform: Transform<Ros>) -> Transform<Ue> {
    Transform::rigid(
        rotation_to_ue(transform.rotation),
        conventions::position_to_ue(transform.translation),
    )
}

/// A rigid transform: rotation mirrored, centimetres to metres, scale dropped.
#[must_use]
pub fn transform_to_ros(transform: Transform<Ue>) -> Transform<Ros> {
    Transform::rigid(
        rotation_to_ros(transform.rotation),
        conventions::position_to_ros(transform.translation),
    )
}

/// The frame of a camera's optics (z forward, x right, y down) as seen from the camera's link.
#[must_use]
pub const fn camera_link_to_optical() -> Rotation<Ros> {
    Rotation::new(-0.5, 0.5, -0.5, 0.5)
}
