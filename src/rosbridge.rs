//! A rosbridge client without I/O.
//!
//! | file | what |
//! |---|---|
//! | [`frame`] | the ops as enums, one per direction, and their JSON |
//! | [`session`] | one connection's life: connect, advertise, subscribe, call, lose, try again |
//! | [`backoff`] | how long to wait before the next attempt |
//! | [`fragments`] | frames that a server cuts into pieces |
//! | [`handle`] | subscriptions that end when nobody holds them |
//! | [`address`] | what of an address may be shown |
//! | [`decoders`] | what reads more than JSON: [`cbor`], [`png`]; beside them [`cdr`], [`base64`] |
//!
//! A program that never mentions [`decoders`], [`cdr`] and [`handle`] does not carry them.
//!
//! It never queues a publish: what cannot be sent now is not sent. A command that waited in a
//! queue is an old command, and the vehicle would obey it.
//!
//! ```
//! use broomstick::rosbridge::session::{Session, SocketEvent, SocketOutput, Subscription};
//! use broomstick::units::Moment;
//!
//! let now = Moment::START;
//! let mut session = Session::new("ws://robot:9090", 7);
//! session.subscribe(Subscription::newest("/rtk_message", "sweeper_msgs/msg/Rtk"));
//! session.connect(now);
//! let Some(SocketOutput::Open { socket, .. }) = session.poll() else { panic!() };
//! session.handle(socket, SocketEvent::Opened, now);
//! let Some(SocketOutput::Send { text, .. }) = session.poll() else { panic!() };
//! assert!(text.contains(r#""op":"subscribe""#) && text.contains("/rtk_message"));
//! ```
//!
//! # Errors
//!
//! Nothing that a server sends ends a session: what cannot be used is an event with the reason
//! ([`frame::FrameError`], [`fragments::FragmentError`], [`cbor::CborError`],
//! [`png::PngError`]), and the topic where it is known. Calls end with [`session::CallError`].
//! Memory is bounded: by [`frame::LARGEST_FRAME`] for one frame, and by the same again for all
//! the pieces that wait for others.

pub mod address;
pub mod backoff;
pub mod base64;
pub mod cbor;
pub mod cdr;
pub mod decoders;
pub mod fragments;
pub mod frame;
pub mod handle;
pub mod png;
pub mod session;
