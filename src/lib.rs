//! broomstick: a browser teleop and monitor for ROS 2 vehicles.
//!
//! Two sentences decide every doubt: *no motion outlives its operator*, and *nothing on the
//! screen claims more than is known*.

pub mod drive;
pub mod monitor;
pub mod msgs;
pub mod pilot;
pub mod profile;
pub mod reason;
pub mod ros;
pub mod rosbridge;
pub mod rtk;
pub mod screen;
pub mod shell;
pub mod tools;
#[cfg(all(target_arch = "wasm32", feature = "ui"))]
pub mod ui;
pub mod units;
pub mod vehicle;
pub mod words;
