//! Brushes, pushers, water and the rest of the sweeper's body: from what the operator wants to
//! complete, safe `McCtrl` messages (rules 15–25).
//!
//! | file | what |
//! |---|---|
//! | [`commissioning`] | polarities that were found out on the vehicle |
//! | [`field`] | the twelve fields, their documented ranges, what the wire type can hold |
//! | [`settings`] | the profile's numbers |
//! | [`intent`] | what the operator wants |
//! | [`loss`] | what becomes of each field when something ends |
//! | [`policy`] | intent + holds + time → a complete message |
//! | [`program`] | what moves in which order while a program's button is held |
//! | [`squeegee`] | whether it is out, by the strokes that were published |

pub mod commissioning;
pub mod field;
pub mod intent;
pub mod loss;
pub mod policy;
pub mod program;
pub mod settings;
pub mod squeegee;
pub mod state;
