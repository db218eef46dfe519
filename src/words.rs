//! The words on the screen, in both languages; pure, so that a test on the host can read them all.

use serde::{Deserialize, Serialize};

/// A language of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Chinese, simplified.
    Zh,
}
