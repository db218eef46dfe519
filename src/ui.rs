//! The page: it draws snapshots and sends what the operator's fingers do.
//!
//! # What it does not do
//! It judges nothing: whether a press drives, what a stop does, which wish is followed comes from
//! the pilot. What can be worked out without a browser is in [`crate::screen`], every word in
//! [`crate::words`].
//!
//! # Layout
//! - [`start`], `boot`: address, settings, profile, then the link.
//! - [`context`]: the few signals that everything is drawn from, and the way out for fingers.
//! - [`session`]: the running link behind that way out.
//! - [`app`]: where things stand.
//! - [`stick`], [`stop`], [`hold`], [`confirm`], [`drive`], [`tools_panel`]: what is pressed.
//! - `inputs`: keyboard and gamepads; `device`: screen lock and vibration.
//! - `tap`: clicks for taps while another finger is down.
//! - [`map`]: the room.
//! - `viewing`: what the viewer is told, a program of its own ([`crate::topics`]).
//! - [`status`], [`banner`], [`events`]: what is told.
//! - [`settings`], [`connection`], [`failure`]: what is set, and what is shown instead when the
//!   console cannot run.

#![expect(
    clippy::redundant_closure,
    reason = "`view!` gives closures that are written out in it one type; a named one would be \
              compiled with a copy of the machinery behind it"
)]

pub mod app;
pub mod banner;
mod boot;
pub mod confirm;
pub mod connection;
pub mod context;
mod device;
pub mod drive;
mod erased;
pub mod events;
pub mod failure;
pub mod hold;
mod inputs;
pub mod map;
mod programs;
pub mod session;
pub mod settings;
pub mod squeegee;
pub mod status;
pub mod stick;
pub mod stop;
mod tap;
pub mod tools_panel;
mod viewing;

pub use boot::start;
