//! The words on the screen, in both languages; pure, so that a test on the host can read them all.
//!
//! | file | what |
//! |---|---|
//! | [`label`] | fixed words: names of controls, headings, hints |
//! | [`state`] | states, qualities, delivery, how far a wish has got |
//! | [`reason`] | why something is refused or was stopped, and the next move |
//! | [`trouble`] | why there is no link, what failed while loading, what is wrong with the profile |
//! | [`event`] | what happened |
//! | [`gamepad`] | gamepads and their calibration |
//! | [`banner`] | the one sentence over the map |
//! | [`page`] | what is wrong with the page itself: files, address, storage |
//! | [`settings`] | fixed words of the settings |
//! | [`machine`] | battery, tanks, motor currents, faults |
//! | [`loss`] | what becomes of the tools when something ends |
//! | [`number`] | numbers with their units |
//! | [`work`] | the work on the map: drawn, swept, ahead, measured, taught |
//!
//! What is *published* was echoed by rosbridge; no word here says that the vehicle obeyed.

use std::borrow::Cow;

pub mod banner;
pub mod event;
pub mod gamepad;
pub mod label;
pub mod loss;
pub mod machine;
pub mod number;
pub mod page;
pub mod reason;
pub mod settings;
pub mod state;
pub mod trouble;
pub mod work;

pub use label::Label;

pub use crate::lang::Lang;

/// Anything that the screen can say.
pub trait InWords {
    /// It in that language.
    fn in_words(&self, lang: Lang) -> Cow<'static, str>;
}

/// What the tests of all wordings share.
#[cfg(test)]
pub(crate) mod check {
    use super::{InWords, Lang};

    /// ASCII words that are names, units or signs in Chinese, too.
    const NAMES: &[&str] = &[
        "rosbridge",
        "rosapi",
        "RTK",
        "McCtrl",
        "PPS",
        "WAAS",
        "config",
        "json",
        "JSON",
        "ws",
        "wss",
        "http",
        "https",
        "rosout",
        "Wi",
        "Fi",
        "m",
        "s",
        "rad",
        "rpm",
        "Hz",
        "km",
        "url",
        "demo",
        "lang",
        "theme",
        "profile",
        "ns",
        "zh",
        "sun",
        "dark",
        "en",
        "topics_glob",
        "broomstick",
        "ROS",
        "GeoJSON",
        "nav_msgs",
        "Path",
    ];

    /// Holds a wording to the rules of both languages. `data` is what comes from outside (names,
    /// topics, the browser's own words) and may be in any language.
    pub(crate) fn both_languages(what: &impl InWords, data: &[&str]) {
        for lang in Lang::ALL {
            sentence(&what.in_words(lang), lang, data);
        }
    }

    /// The same for one text.
    pub(crate) fn sentence(text: &str, lang: Lang, data: &[&str]) {
        assert!(!text.trim().is_empty(), "nothing said in {lang:?}");
        let mut own = text.to_owned();
        for outside in data {
            own = own.replace(outside, " ");
        }
        // The red button on the vehicle is one, and is called so; this page says that it is none.
        let lower = own
            .replace("红色急停按钮", "")
            .replace("不是紧急停止装置", "")
            .to_lowercase();
        for claim in ["e-stop", "guarantee", "safe", "急停", "安全", "保证"] {
            assert!(!lower.contains(claim), "{text:?} claims {claim:?}");
        }
        let chinese = own.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
        match lang {
            Lang::En => assert!(!chinese, "Chinese in the English {text:?}"),
            Lang::Zh => {
                assert!(chinese, "no Chinese in {text:?}");
                let leaks: Vec<_> = own
                    .split(|c: char| !c.is_ascii_alphabetic() && c != '_')
                    .filter(|word| word.len() > word.matches('_').count() && !NAMES.contains(word))
                    .collect();
                assert!(
                    leaks.is_empty(),
                    "English {leaks:?} in the Chinese {text:?}"
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lang;

    #[test]
    fn a_language_is_known_by_its_code_and_by_the_browsers_tag() {
        assert_eq!(Lang::from_code("zh-CN"), Some(Lang::Zh));
        assert_eq!(Lang::from_code("en_GB"), Some(Lang::En));
        assert_eq!(Lang::from_code("de"), None);
        for lang in Lang::ALL {
            assert_eq!(Lang::from_code(lang.code()), Some(lang));
        }
    }
}
