//! The ROS messages that cross the wire, exactly as the wire has them.
//!
//! Raw numbers live here and nowhere else; every field says its unit, frame, sign and source.
//! The real rosbridge drops a whole message, silently, for one field of the wrong kind
//! (`5.0` for a `uint8`, `null` for a float) and fills a missing field with zero, which for
//! [`sweeper::McCtrl::brake`] means *released*. So what is serialised here always has every field, integers as
//! integers, and no number that is not finite.

pub mod geometry;
pub mod schema;
pub mod std_msgs;
pub mod sweeper;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A message of which the ROS type name is known.
pub trait Message: Serialize + DeserializeOwned {
    /// The ROS 2 name, `package/msg/Name`.
    const TYPE: &'static str;
}

/// `geometry_msgs/Twist` and `geometry_msgs/msg/Twist` name the same type: rosapi and rosbridge
/// use both spellings. This gives the long one; what is neither stays as it is.
#[must_use]
pub fn normalized_type(name: &str) -> String {
    match name.split('/').collect::<Vec<_>>().as_slice() {
        [package, message] if !package.is_empty() && !message.is_empty() => {
            format!("{package}/msg/{message}")
        }
        _ => name.to_owned(),
    }
}
