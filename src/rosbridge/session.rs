//! (being written)

/// Names one socket for its whole life; a new connection has a new one, so that what a dead one
/// still says cannot be taken for news.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SocketId(pub u32);

/// What a socket tells its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SocketEvent {
    /// It is open: frames may be sent.
    Opened,
    /// It is closed, whatever the reason: browsers do not say.
    Closed,
    /// A text frame came.
    Text(String),
    /// A binary frame came, of this many bytes.
    Binary(usize),
    /// The browser would not even try (`ws://` from an `https` page, a malformed address).
    Refused(String),
}
