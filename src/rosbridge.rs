//! A rosbridge client without I/O.
//!
//! | file | what |
//! |---|---|
//! | [`frame`] | the ops as enums, one per direction, and their JSON |
//! | [`session`] | one connection's life: connect, advertise, subscribe, call, lose, try again |
//! | [`backoff`] | how long to wait before the next attempt |
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

pub mod backoff;
pub mod frame;
pub mod session;
