//! The same for a multirotor that is flown by its velocity, in the air: the stop check.

#[path = "stop_check.rs"]
mod stop_check;
