//! Settings kept between visits, and which source of a setting wins: the address before what is
//! stored, what is stored before the profile, the profile before the device.

use serde_json::{Value, json};

use crate::profile::ScreenProfile;
use crate::shell::location::{Parameters, Theme};
use crate::words::Lang;

/// The hand that drives; the other one has the tools and STOP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hand {
    /// The pad is on the left.
    #[default]
    Left,
    /// The pad is on the right.
    Right,
}

impl Hand {
    /// `left` or `right`.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// What this device remembers. Every item may be absent: what was never set here is left to the
/// profile.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Preferences {
    /// Language.
    pub lang: Option<Lang>,
    /// Theme.
    pub theme: Option<Theme>,
    /// Driving hand.
    pub hand: Option<Hand>,
    /// Address of the rosbridge.
    pub url: Option<String>,
    /// Name of this console for others.
    pub console_name: Option<String>,
    /// Two pads: one for the speed, one for the steering.
    pub two_pads: bool,
    /// [`super::keys::KeyMap::kept`].
    pub keys: Option<String>,
    /// [`super::gamepad::Setup::kept`], one line a gamepad.
    pub gamepads: Option<String>,
}

impl Preferences {
    /// As they were kept; what is not understood, as of another release, is as if never set.
    #[must_use]
    pub fn from_kept(kept: &Value) -> Self {
        let text = |key: &str| kept.get(key).and_then(Value::as_str);
        let owned = |key: &str| text(key).map(str::to_owned);
        Self {
            lang: text("lang").and_then(Lang::from_code),
            theme: text("theme").and_then(theme_from_code),
            hand: match text("hand") {
                Some("left") => Some(Hand::Left),
                Some("right") => Some(Hand::Right),
                _ => None,
            },
            url: owned("url"),
            console_name: owned("console_name"),
            two_pads: kept.get("two_pads") == Some(&Value::Bool(true)),
            keys: owned("keys"),
            gamepads: owned("gamepads"),
        }
    }

    /// For keeping.
    #[must_use]
    pub fn kept(&self) -> Value {
        json!({
            "lang": self.lang.map(Lang::code),
            "theme": self.theme.map(theme_code),
            "hand": self.hand.map(Hand::slug),
            "url": self.url,
            "console_name": self.console_name,
            "two_pads": self.two_pads,
            "keys": self.keys,
            "gamepads": self.gamepads,
        })
    }
}

/// What the device itself would like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Device {
    /// The browser's language.
    pub lang: Lang,
    /// The device is set to dark.
    pub is_dark: bool,
}

/// The screen as it is drawn first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    /// Language.
    pub lang: Lang,
    /// Theme.
    pub theme: Theme,
    /// Driving hand.
    pub hand: Hand,
}

/// The look, by the order of the sources.
#[must_use]
pub fn look(
    address: &Parameters,
    kept: &Preferences,
    profile: &ScreenProfile,
    device: Device,
) -> Look {
    let profile_lang = profile.lang.as_deref().and_then(Lang::from_code);
    let profile_theme = profile.theme.as_deref().and_then(theme_from_code);
    let device_theme = if device.is_dark {
        Theme::Dark
    } else {
        Theme::Sun
    };
    Look {
        lang: address
            .lang
            .or(kept.lang)
            .or(profile_lang)
            .unwrap_or(device.lang),
        theme: address
            .theme
            .or(kept.theme)
            .or(profile_theme)
            .unwrap_or(device_theme),
        hand: kept.hand.unwrap_or_default(),
    }
}

/// The addresses to try, by the order of the sources; `defaults` when none names one.
#[must_use]
pub fn addresses(
    address: &Parameters,
    kept: &Preferences,
    profile_url: Option<&str>,
    defaults: Vec<String>,
) -> Vec<String> {
    address
        .url
        .as_deref()
        .or(kept.url.as_deref())
        .or(profile_url)
        .map_or(defaults, |url| vec![url.to_owned()])
}

/// `sun` or `dark`.
#[must_use]
pub fn theme_code(theme: Theme) -> &'static str {
    match theme {
        Theme::Sun => "sun",
        Theme::Dark => "dark",
    }
}

fn theme_from_code(code: &str) -> Option<Theme> {
    match code {
        "sun" => Some(Theme::Sun),
        "dark" => Some(Theme::Dark),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile() -> ScreenProfile {
        ScreenProfile {
            lang: Some("zh".into()),
            theme: Some("dark".into()),
            console_name: None,
            ..ScreenProfile::default()
        }
    }

    #[test]
    fn what_is_kept_comes_back_and_what_is_not_understood_was_never_set() {
        let all = Preferences {
            lang: Some(Lang::Zh),
            theme: Some(Theme::Dark),
            hand: Some(Hand::Right),
            url: Some("ws://a".into()),
            console_name: Some("Tablet 3".into()),
            two_pads: true,
            keys: Some("KeyE KeyD KeyS KeyF".into()),
            gamepads: Some("a\nb".into()),
        };
        assert_eq!(Preferences::from_kept(&all.kept()), all);
        let none = Preferences::default();
        assert_eq!(Preferences::from_kept(&none.kept()), none);
        assert_eq!(
            Preferences::from_kept(&json!({"lang": 7, "hand": "both"})),
            none
        );
        assert_eq!(Preferences::from_kept(&Value::Null), none);
    }

    #[test]
    fn the_address_wins_over_what_is_stored_and_that_over_the_profile() {
        let device = Device::default();
        let mut address = Parameters::default();
        let mut kept = Preferences::default();
        assert_eq!(look(&address, &kept, &profile(), device).lang, Lang::Zh);
        assert_eq!(look(&address, &kept, &profile(), device).theme, Theme::Dark);
        kept.lang = Some(Lang::En);
        kept.theme = Some(Theme::Sun);
        assert_eq!(look(&address, &kept, &profile(), device).lang, Lang::En);
        assert_eq!(look(&address, &kept, &profile(), device).theme, Theme::Sun);
        address.lang = Some(Lang::Zh);
        address.theme = Some(Theme::Dark);
        assert_eq!(look(&address, &kept, &profile(), device).lang, Lang::Zh);
        assert_eq!(look(&address, &kept, &profile(), device).theme, Theme::Dark);
    }

    #[test]
    fn without_any_word_the_device_decides() {
        let device = Device {
            lang: Lang::Zh,
            is_dark: true,
        };
        let look = look(
            &Parameters::default(),
            &Preferences::default(),
            &ScreenProfile::default(),
            device,
        );
        assert_eq!(look.lang, Lang::Zh);
        assert_eq!(look.theme, Theme::Dark);
        assert_eq!(look.hand, Hand::Left);
    }

    #[test]
    fn the_first_source_that_names_an_address_is_the_only_one_tried() {
        let defaults = || {
            vec![
                "ws://host/rosbridge".to_owned(),
                "ws://host:9090".to_owned(),
            ]
        };
        let mut address = Parameters::default();
        let mut kept = Preferences::default();
        assert_eq!(addresses(&address, &kept, None, defaults()), defaults());
        let by_profile = addresses(&address, &kept, Some("ws://profile:1"), defaults());
        assert_eq!(by_profile, ["ws://profile:1"]);
        kept.url = Some("ws://kept:1".into());
        let by_storage = addresses(&address, &kept, Some("ws://profile:1"), defaults());
        assert_eq!(by_storage, ["ws://kept:1"]);
        address.url = Some("ws://address:1".into());
        let by_address = addresses(&address, &kept, Some("ws://profile:1"), defaults());
        assert_eq!(by_address, ["ws://address:1"]);
    }

    #[test]
    fn what_an_older_release_stored_is_still_read() {
        let kept = Preferences::from_kept(&json!({"lang": "zh"}));
        assert_eq!(kept.lang, Some(Lang::Zh));
        assert_eq!(kept.url, None);
        assert!(!kept.two_pads && kept.keys.is_none() && kept.gamepads.is_none());
    }
}
