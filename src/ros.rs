//! ROS conventions: frames, names, time.

pub mod conventions;
pub mod names;
pub mod rotation;
pub mod time;
