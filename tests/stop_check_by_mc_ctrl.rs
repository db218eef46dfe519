//! The stop check once more, for a vehicle that is driven by McCtrl: the same tests over the other way
//! to drive.

#[path = "stop_check.rs"]
mod stop_check;
