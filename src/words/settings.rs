//! Fixed words of the settings; reached by the later program alone.

use std::borrow::Cow;

use super::label::labels;
use super::{InWords, Lang};

labels! {
    /// One fixed word or sentence of the settings.
    SettingsLabel:

    StopCheck: "Stop check", "停车检测";
    StopCheckBegin: "Check how it stops", "检测如何停下";
    Hand: "Driving thumb", "驾驶拇指";
    HandLeft: "Left", "左手";
    HandRight: "Right", "右手";
    Pads: "Pads", "操纵盘";
    OnePad: "One", "一个";
    TwoPads: "Two: speed left, steering right", "两个：左速度，右转向";
    Keys: "Keyboard: hold to drive; the space bar is STOP", "键盘：按住行驶；空格键为停车";
    Change: "Change", "更改";
    TurnLeft: "turn left", "左转";
    TurnRight: "turn right", "右转";
    PressAKey: "Press a key", "请按键";
    Gamepad: "Gamepad", "手柄";
    Calibrate: "Calibrate", "校准";
    Cancel: "Cancel", "取消";
    ScreenLock: "Screen lock", "屏幕锁定";
    WakeLockHeld: "The screen is kept on while Drive is on.", "行驶启用期间屏幕保持常亮。";
    WakeLockMissing: "This browser cannot keep the screen on here: set the tablet's auto-lock to never while working.",
        "此浏览器在这里无法保持屏幕常亮：作业时请将平板的自动锁定设为“永不”。";
    Losses: "What becomes of the tools when …", "以下情况时作业装置的变化";
    SteeringSign: "Steering sign", "转向符号";
    SteeringSignPlus: "A positive angle is taken as left: check on the vehicle.", "正角度按向左处理：请在车辆上核对。";
    SteeringSignMinus: "A positive angle is taken as right: check on the vehicle.", "正角度按向右处理：请在车辆上核对。";
    SteeringSignLeft: "A positive angle is left, as seen on this vehicle.", "正角度为向左：已在车上确认。";
    SteeringSignRight: "A positive angle is right, as seen on this vehicle.", "正角度为向右：已在车上确认。";
    Limits: "Limits", "限制";
    LimitsSentence: "This page is not an emergency stop device. It sends zero speed by message; a message can be late or lost. “Published” means that rosbridge echoed it, not that the vehicle obeyed.",
        "本页面不是紧急停止装置。它通过消息发送零速度；消息可能延迟或丢失。“已发布”表示 rosbridge 已回传该消息，不表示车辆已执行。";
    Version: "Version", "版本";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::check;

    #[test]
    fn every_label_of_the_settings_is_there_in_both_languages() {
        for label in SettingsLabel::ALL {
            check::both_languages(label, &[]);
        }
    }
}
