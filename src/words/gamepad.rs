//! What the settings say about gamepads.

use std::borrow::Cow;

use super::{InWords, Lang};

/// What the settings say about gamepads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum GamepadView {
    /// This browser offers none here.
    #[default]
    NotOffered,
    /// None is there.
    Nowhere,
    /// One is there.
    There {
        /// Its name, as the browser makes it.
        id: String,
        /// The number of its enable button.
        button: u32,
    },
    /// A calibration asks for something.
    Asks(Step),
}

/// What a calibration asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Leave the stick alone and press the button that is to enable it.
    Center,
    /// Move the stick to all its ends, then press that button.
    Ends,
    /// The same again: not all ends were reached.
    EndsAgain,
}

impl InWords for GamepadView {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        let ends = lang.pick(
            "Move the stick to all its ends, then press that button again.",
            "请把摇杆推到各个方向的尽头，然后再按一次该键。",
        );
        Cow::Borrowed(match self {
            Self::NotOffered => lang.pick(
                "This browser offers gamepads over https only.",
                "此浏览器仅在 https 下支持手柄。",
            ),
            Self::Nowhere => lang.pick(
                "None seen: press a button on it.",
                "未发现手柄：请按一下手柄上的键。",
            ),
            Self::There { id, button } => {
                let button = match button {
                    4 => Cow::Borrowed(lang.pick("the left shoulder button", "左肩键")),
                    5 => Cow::Borrowed(lang.pick("the right shoulder button", "右肩键")),
                    n => Cow::Owned(lang.pick(format!("button {n}"), format!(" {n} 号键"))),
                };
                return Cow::Owned(match lang {
                    Lang::En => format!("{id}: drives while {button} is held"),
                    Lang::Zh => format!("{id}：按住{button}时行驶"),
                });
            }
            Self::Asks(Step::Center) => lang.pick(
                "Leave the stick alone and press the button that you will hold while driving.",
                "请松开摇杆，然后按下行驶时要按住的键。",
            ),
            Self::Asks(Step::Ends) => ends,
            Self::Asks(Step::EndsAgain) => {
                return Cow::Owned(
                    lang.pick("Not all ends were reached. ", "尚有方向未到尽头。")
                        .to_owned()
                        + ends,
                );
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::check;

    #[test]
    fn everything_about_gamepads_is_said() {
        use Step as S;
        let mut all = vec![GamepadView::NotOffered, GamepadView::Nowhere];
        all.extend([S::Center, S::Ends, S::EndsAgain].map(GamepadView::Asks));
        for button in [4, 5, 7] {
            let id = "Pad 2".to_owned();
            all.push(GamepadView::There { id, button });
        }
        for view in all {
            check::both_languages(&view, &["Pad 2"]);
        }
    }
}
