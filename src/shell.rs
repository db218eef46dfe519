//! The browser around the sans-IO core: Workers, sockets, timers, storage. Nothing here decides
//! whether the vehicle may move; it carries messages, measures time and notices silence.
//!
//! # Layout
//! - [`protocol`]: what page and Workers say to each other, as bytes.
//! - [`watchdog`]: when a Worker counts as dead, and how soon it is started again.
//! - [`clock`]: the Worker's clock, which notices that the machine slept, and the lease's transit.
//! - [`held`]: what the operator holds at this moment, for the lease.
//! - [`input`]: what keyboard and gamepads report.
//! - [`candidates`]: which of several addresses is tried next.
//! - [`location`]: the page's address and its parameters.
//! - [`trouble`]: what can go wrong in the page itself.
//! - [`viewing`]: what page, viewer and the viewer's Worker say to each other.
//! - `page`, `storage`, `lifecycle`, `keyboard`, `gamepad`, `svg`: the page's side of the browser.
//! - `worker`, `websocket`, `loopback`: the Workers' side.
//! - `viewer_link`: the viewer's side of the page; `tile_fetch`, `tile_store`: its way to tiles;
//!   `database`: the browser's, for what is kept of tiles and track.
//!
//! The modules named without a link exist in the browser only; the others are pure and are
//! tested on the host.

pub mod candidates;
pub mod clock;
pub mod held;
pub mod input;
pub mod location;
pub mod protocol;
pub mod trouble;
pub mod viewing;
pub mod watchdog;

#[cfg(all(target_arch = "wasm32", feature = "browser"))]
pub mod gamepad;
#[cfg(all(target_arch = "wasm32", feature = "browser"))]
mod js;
#[cfg(all(target_arch = "wasm32", feature = "browser"))]
pub mod keyboard;
#[cfg(all(target_arch = "wasm32", feature = "browser"))]
pub mod lifecycle;
#[cfg(all(target_arch = "wasm32", feature = "browser"))]
pub mod page;
#[cfg(all(target_arch = "wasm32", feature = "browser"))]
mod seat;
#[cfg(all(target_arch = "wasm32", feature = "browser"))]
pub mod storage;
#[cfg(all(target_arch = "wasm32", feature = "browser"))]
pub mod svg;

#[cfg(all(target_arch = "wasm32", feature = "worker"))]
mod database;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
mod few;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
mod loopback;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
mod port;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
pub mod tile_fetch;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
pub mod tile_store;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
pub mod viewer_link;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
mod websocket;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
pub mod worker;

/// True in the page, false in a Worker.
#[cfg(all(target_arch = "wasm32", feature = "browser"))]
#[must_use]
pub fn is_page() -> bool {
    web_sys::window().is_some()
}
