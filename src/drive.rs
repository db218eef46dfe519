//! From a finger to a velocity, and back to zero: the motion rules that need no link.
//!
//! | file | rule |
//! |---|---|
//! | [`stick`] | the pad: hub, dead zone, expo (rules 2 and 4) |
//! | [`kinematics`] | stick to (v, ω), differential or Ackermann (rule 5) |
//! | [`limiter`] | limits, arc-keeping scale, growth ramp, reversal pause (rules 4 and 6) |
//! | [`vigilance`] | a contact that no longer moves (rule 7) |
//! | [`machine`] | states: when a drive starts, what ends it, what follows (rules 1–10) |

pub mod kinematics;
pub mod limiter;
pub mod machine;
pub mod motor;
pub mod settings;
pub mod state;
pub mod stick;
pub mod vigilance;
