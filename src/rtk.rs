//! Position and heading: what may be believed of a fix, and for how long.

pub mod settings;
