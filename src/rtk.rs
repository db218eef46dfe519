//! Position and heading: what may be believed of a fix, and for how long.
//!
//! WGS84 is the only datum inside; [`datum`] converts at the edge, where a map is drawn in
//! another one. Nothing here draws, connects or reads a clock.

pub mod datum;
pub mod fix;
pub mod gate;
pub mod geo;
pub mod grid;
pub mod outline;
pub mod settings;
pub mod view;
