//! broomstick: a browser teleop and monitor for ROS 2 vehicles.
//!
//! Two sentences decide every doubt: *no motion outlives its operator*, and *nothing on the
//! screen claims more than is known*.

pub mod msgs;
pub mod ros;
pub mod units;
pub mod vehicle;
