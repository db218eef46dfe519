//! The words for a drive's states and for the ends of a press.

use serde::{Deserialize, Serialize};

/// `data-state` of the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriveState {
    /// The switch is off.
    #[default]
    Disarmed,
    /// A press in the hub drives.
    Ready,
    /// A finger drives.
    Driving,
    /// Not until the finger is lifted and the cause is gone.
    Blocked,
    /// STOP is latched.
    Stopped,
}

impl DriveState {
    /// The switch is on.
    #[must_use]
    pub fn is_armed(self) -> bool {
        matches!(self, Self::Ready | Self::Driving | Self::Blocked)
    }
}

/// Why a press ended without a finger being lifted on purpose, or with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PressEnd {
    /// pointerup.
    Lifted,
    /// pointercancel, or the capture was lost.
    Cancelled,
    /// The pad was removed or laid out anew.
    PadChanged,
    /// The window lost the focus.
    Blur,
    /// The page is hidden, frozen, being left.
    Hidden,
    /// Rotated or resized.
    Rotated,
    /// A setting changed.
    SettingsChanged,
    /// The gamepad that was held went away.
    DeviceLost,
}
