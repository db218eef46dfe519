//! The same for a multirotor that is flown by its velocity, in the air: the random interleavings.

#[path = "model.rs"]
mod model;
