//! What the screen works out for itself, without a browser: where on the pad a finger is, what a
//! step button makes of a wish, what is remembered between visits.
//!
//! | file | what |
//! |---|---|
//! | [`pad`] | page coordinates to stick units; which contacts count |
//! | [`keys`] | the keyboard as a stick, and STOP on it |
//! | [`gamepad`] | a gamepad as a stick: enable button, calibration |
//! | [`wish`] | wishes that the pilot has not yet shown back |
//! | [`step`] | what the step buttons do to a wish |
//! | [`holding`] | which hold buttons are down |
//! | [`machine`] | what the drawing of the machine may show |
//! | [`drawing`] | the drawing, as SVG |
//! | [`draft`] | programs while they are edited |
//! | [`log`] | the list of what happened |
//! | [`data_state`] | states as integrators read them from the page |
//! | [`preferences`] | settings kept between visits, and which source of a setting wins |

pub mod data_state;
pub mod draft;
pub mod drawing;
pub mod gamepad;
pub mod holding;
pub mod horizon;
pub mod keys;
pub mod log;
pub mod machine;
pub mod pad;
pub mod preferences;
pub mod step;
pub mod wish;
