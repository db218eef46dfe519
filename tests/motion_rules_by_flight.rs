//! The motion rules once more, for a multirotor that is flown by its velocity: the same tests over
//! the other vehicle, in the air.

#[path = "motion_rules.rs"]
mod motion_rules;
