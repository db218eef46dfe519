//! The page.

pub mod map;
