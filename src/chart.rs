//! Map work that is not needed to drive: what a surveyor checks, keeps, measures and exports.
//!
//! Only the lazily loaded programs reach this module; nothing of it is in the first load. All of
//! it is sans-IO: time is a parameter, bytes go in and come out. Rules and formats are told in
//! `docs/map.md`.

pub mod coverage;
pub mod exchange;
pub mod fence;
pub mod gate;
pub mod geodesy;
pub mod navsat;
pub mod quality;
pub mod route;
pub mod site_plan;
pub mod speed_check;
pub mod store;
pub mod surveyor;
pub mod thinned;
