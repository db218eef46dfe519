//! `std_msgs` and `builtin_interfaces`.

use serde::{Deserialize, Serialize};

use super::Message;

/// `builtin_interfaces/msg/Time`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Time {
    /// Whole seconds.
    pub sec: i32,
    /// 0 … 999 999 999.
    pub nanosec: u32,
}

/// `std_msgs/msg/Header`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Header {
    /// When the data was made, in the maker's clock.
    pub stamp: Time,
    /// The frame that the data is in.
    pub frame_id: String,
}

/// `std_msgs/msg/String`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StringMsg {
    /// The text.
    pub data: String,
}

impl Message for StringMsg {
    const TYPE: &'static str = "std_msgs/msg/String";
}
