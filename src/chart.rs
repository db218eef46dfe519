//! Map work that is not needed to drive: what a surveyor checks, keeps, measures and exports.
//!
//! Only the lazily loaded programs reach this module; nothing of it is in the first load. All of
//! it is sans-IO: time is a parameter, bytes go in and come out. Rules and formats are told in
//! `docs/map.md`.

pub mod coverage;
pub mod desk;
pub mod drawn;
pub mod exchange;
pub mod fence;
pub mod geodesy;
pub mod keeper;
pub mod measure;
pub mod navsat;
pub mod pencil;
pub mod plan_draft;
pub mod pmtiles;
pub mod quality;
pub mod route;
pub mod site_plan;
pub mod speed_check;
pub mod store;
pub mod strokes;
pub mod surveyor;
pub mod tap;
pub mod thinned;
pub mod tile_cache;
pub mod tile_queue;
pub mod told;
pub mod work;
