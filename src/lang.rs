//! The languages of the screen.

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

impl Lang {
    /// Both.
    pub const ALL: [Self; 2] = [Self::En, Self::Zh];

    /// `en` or `zh`, as the address, the profile and the storage have it.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }

    /// What the document's `lang` attribute needs, so that the browser picks Chinese glyphs.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh-CN",
        }
    }

    /// The language of `en`, `zh`, `zh-CN` …; `None` for any other.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        match code.split(['-', '_']).next() {
            Some("en") => Some(Self::En),
            Some("zh") => Some(Self::Zh),
            _ => None,
        }
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::En => Self::Zh,
            Self::Zh => Self::En,
        }
    }

    /// The one of two wordings that is in this language.
    pub(crate) fn pick<T>(self, en: T, zh: T) -> T {
        match self {
            Self::En => en,
            Self::Zh => zh,
        }
    }
}
