//! A rosbridge client without I/O.

pub mod session;
