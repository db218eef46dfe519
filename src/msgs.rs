//! The ROS messages that cross the wire, exactly as the wire has them.
//!
//! Raw numbers live here and nowhere else; every field says its unit, frame, sign and source.
//! The real rosbridge drops a whole message, silently, for one field of the wrong kind
//! (`5.0` for a `uint8`, `null` for a float) and fills a missing field with zero, which for
//! [`sweeper::McCtrl::brake`] means *released*. So what is serialised here always has every field, integers as
//! integers, and no number that is not finite.
//!
//! | file | what |
//! |---|---|
//! | [`geometry`], [`std_msgs`], [`sweeper`] | the messages that this crate sends and shows |
//! | [`schema`] | the one reader of definitions, a line at a time |
//! | [`definition`] | definitions whole, with nested types, defaults and units |
//! | [`form`] | a message written by hand, checked |
//! | [`difference`] | what is not as expected, field by field |
//! | [`mod@unit`] | units that comments state |
//!
//! A message as the wire has it, and the fields that a vehicle tells for it:
//!
//! ```
//! use broomstick::msgs::difference::differences;
//! use broomstick::msgs::schema::fields_of;
//! use broomstick::msgs::sweeper::{McCtrl, Rtk};
//!
//! let text = serde_json::to_string(&McCtrl::SAFE)?;
//! assert!(text.starts_with(r#"{"brake":1,"gear":0,"rpm":0,"angle":0.0,"angle_speed":120"#));
//!
//! // This vehicle calls its latitude something else.
//! let told = "float64 latitude\nfloat64 lon\nfloat32 head\nfloat32 speed\n\
//!             int32 p_quality\nint32 h_quality";
//! let told: Vec<_> = fields_of(told)
//!     .map(|(name, kind)| (name.to_owned(), kind.to_owned()))
//!     .collect();
//! let different: Vec<_> = differences(&Rtk::FIELDS, &told)
//!     .into_iter()
//!     .map(|d| d.name)
//!     .collect();
//! assert_eq!(different, ["lat", "latitude"]);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! # Errors
//!
//! Reading a definition fails with [`definition::DefinitionError`], which names the type and the
//! line; [`schema`] never fails, it says [`schema::Line::Unreadable`].

pub mod definition;
pub mod difference;
pub mod form;
pub mod geometry;
pub mod mavros;
pub mod schema;
pub mod std_msgs;
pub mod sweeper;
pub mod unit;

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
