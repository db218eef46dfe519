//! The motion rules once more, for a vehicle that is driven by McCtrl (rule 19): the same tests
//! over the other way to drive.

#[path = "motion_rules.rs"]
mod motion_rules;
