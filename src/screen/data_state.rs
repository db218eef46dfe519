//! States as integrators read them from the page: the values of `data-state` and `data-status`.

use crate::monitor::snapshot::RtkState;
use crate::pilot::event::Level;
use crate::pilot::snapshot::{Delivery, DriveState, LinkState, ToolStatus, ToolsState};
use crate::units::decimal;

/// Something with a stable name in the page's attributes.
pub trait DataState {
    /// The name.
    fn data_state(&self) -> &'static str;
}

impl DataState for LinkState {
    fn data_state(&self) -> &'static str {
        match self {
            Self::Offline => "offline",
            Self::Connecting => "connecting",
            Self::Online => "online",
            Self::Slow => "slow",
            Self::Stalled => "stalled",
            Self::Lost => "lost",
        }
    }
}

impl DataState for DriveState {
    fn data_state(&self) -> &'static str {
        match self {
            Self::Disarmed => "disarmed",
            Self::Ready => "ready",
            Self::Driving => "driving",
            Self::Blocked => "blocked",
            Self::Stopped => "stopped",
        }
    }
}

impl DataState for ToolsState {
    fn data_state(&self) -> &'static str {
        match self {
            Self::Disarmed => "disarmed",
            Self::Armed => "armed",
            Self::Blocked => "blocked",
            Self::Stopped => "stopped",
        }
    }
}

impl DataState for RtkState {
    fn data_state(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Live => "live",
            Self::Stale => "stale",
            Self::Frozen => "frozen",
            Self::Invalid => "invalid",
        }
    }
}

impl DataState for ToolStatus {
    fn data_state(&self) -> &'static str {
        match self {
            Self::Wanted => "wanted",
            Self::Sent => "sent",
            Self::Published => "published",
        }
    }
}

impl DataState for Delivery {
    fn data_state(&self) -> &'static str {
        match self {
            Self::NotDelivered => "not-delivered",
            Self::Sent => "sent",
            Self::Published => "published",
        }
    }
}

impl DataState for Level {
    fn data_state(&self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Bad => "bad",
        }
    }
}

/// A number for an attribute: short, without an exponent, empty when it is not known.
#[must_use]
pub fn attribute(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(String::new, |value| decimal(value, decimals))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contract names the same words as the JSON between page and pilot.
    fn is_its_json_name<T: DataState + serde::Serialize>(state: &T) {
        let name = serde_json::to_value(state).unwrap();
        assert_eq!(name.as_str(), Some(state.data_state()));
    }

    #[test]
    fn the_attributes_are_those_of_the_contract() {
        use LinkState as L;
        for state in [
            L::Offline,
            L::Connecting,
            L::Online,
            L::Slow,
            L::Stalled,
            L::Lost,
        ] {
            is_its_json_name(&state);
        }
        use DriveState as D;
        for state in [D::Disarmed, D::Ready, D::Driving, D::Blocked, D::Stopped] {
            is_its_json_name(&state);
        }
        use ToolsState as T;
        for state in [T::Disarmed, T::Armed, T::Blocked, T::Stopped] {
            is_its_json_name(&state);
        }
        use RtkState as R;
        for state in [R::None, R::Live, R::Stale, R::Frozen, R::Invalid] {
            is_its_json_name(&state);
        }
        for status in [ToolStatus::Wanted, ToolStatus::Sent, ToolStatus::Published] {
            is_its_json_name(&status);
        }
        for level in [Level::Info, Level::Warn, Level::Bad] {
            is_its_json_name(&level);
        }
    }

    #[test]
    fn an_unknown_number_is_empty_and_never_zero() {
        assert_eq!(attribute(None, 2), "");
        assert_eq!(attribute(Some(-0.001), 2), "0.00");
        assert_eq!(attribute(Some(31.5), 0), "32");
    }
}
