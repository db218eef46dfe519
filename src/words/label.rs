//! Fixed words: names of controls, headings, hints.

use std::borrow::Cow;

use super::{InWords, Lang};

macro_rules! labels {
    ($(#[$doc:meta])* $set:ident: $($name:ident: $en:literal, $zh:literal;)*) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $set {
            $(#[doc = $en] $name,)*
        }

        impl $set {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// It in that language.
            #[must_use]
            pub fn text(self, lang: Lang) -> &'static str {
                match self {
                    $(Self::$name => lang.pick($en, $zh),)*
                }
            }
        }

        impl InWords for $set {
            fn in_words(&self, lang: Lang) -> Cow<'static, str> {
                Cow::Borrowed(self.text(lang))
            }
        }
    };
}

pub(super) use labels;

labels! {
    /// One fixed word or sentence of the screen.
    Label:

    // driving
    Drive: "Drive", "行驶";
    HoldToDrive: "Hold to drive", "按住行驶";
    LiftFirst: "Lift first", "请先抬起";
    Speed: "Speed", "速度";
    Steering: "Steering", "转向";
    DriveIsOff: "Drive is off", "行驶未启用";
    SpeedLimit: "Speed limit", "限速";
    StopCheckNotDone: "Vehicle stop check: not done", "车辆停车检测：未做";
    Sent: "sent", "已发送";
    NothingSent: "no velocity sent", "未发送速度";
    NotPublished: "not published yet", "尚未发布";
    Forward: "forward", "前进";
    Reverse: "reverse", "后退";

    // stopping
    Stop: "STOP", "停车";
    StopSentence: "Stops drive, brushes, pushers and water by message. In an emergency use the red button on the vehicle.",
        "通过消息停止行驶、刷盘、推杆和喷水；紧急情况请按车上的红色急停按钮。";
    ResetStop: "Reset stop", "解除停车";
    Cancel: "Cancel", "取消";

    // what is seen
    DemoVehicle: "Demo vehicle (simulated)", "模拟车辆";
    Position: "Position", "定位";
    Heading: "Heading", "定向";
    Standing: "Standing", "静止";
    Moving: "Moving", "移动";
    MotionUnknown: "Unknown", "未知";
    NoAddress: "no address", "无地址";
    Events: "What happened", "事件记录";
    NoEvents: "nothing yet", "暂无事件";
    AllEvents: "Show all", "展开";
    FewerEvents: "Show fewer", "收起";

    // tools
    Tools: "Tools", "作业装置";
    Programs: "Run", "程序";
    ProgramsNote: "Hold a program to run it. Let go and it waits; what it reached stays.",
        "按住运行程序；松手即暂停，已达到的状态保持不变。";
    Brushes: "Brushes", "刷盘";
    Pushers: "Pushers", "推杆";
    Water: "Water", "喷水";
    More: "More", "更多";
    RollBrush: "Roll brush & suction", "滚刷与吸风";
    Strength: "Strength", "强度";
    SideBrush: "Side brush", "边刷";
    DustShaker: "Dust shaker", "振尘";
    BrushDeck: "Brush deck", "刷盘推杆";
    Squeegee: "Squeegee", "吸扒推杆";
    Extend: "Extend", "伸出";
    Retract: "Retract", "收回";
    Lower: "Lower", "降下";
    Raise: "Raise", "升起";
    Held: "hold", "保持";
    Spray: "Spray", "喷水";
    Drain: "Drain", "反向";
    WaterAmount: "Amount", "水量";
    Brake: "Brake", "电磁刹";
    BrakeOn: "On", "锁定";
    BrakeReleased: "Released", "解除";
    Gear: "Gear", "挡位";
    Neutral: "Neutral", "空挡";
    GearForward: "Forward", "前进";
    GearReverse: "Reverse", "后退";
    MotorSpeed: "Motor speed", "电机转速";
    HoldToRun: "Hold to run", "按住运转";
    SteeringAngle: "Steering angle", "转向角";
    SteeringSpeed: "Steering speed", "转向角速度";
    Left: "left", "左";
    Right: "right", "右";
    Straight: "Straight", "回正";
    DirectionStop: "Stop", "停";
    DirectionForward: "Forward", "正转";
    DirectionReverse: "Reverse", "反转";
    Off: "Off", "关";
    TimeoutNotVerified: "Whether the vehicle stops its tools when messages cease: not verified",
        "消息中断后车辆是否停止作业装置：未验证";
    NoMcCtrl: "The vehicle has no McCtrl topic", "车辆没有 McCtrl 话题";
    EngineersOnly: "Shown only; the profile hides these controls", "仅显示；配置文件未开放这些控制";

    // connection and settings
    Settings: "Settings", "设置";
    Close: "Close", "关闭";
    Connection: "Connection", "连接";
    Address: "Address of the rosbridge", "rosbridge 地址";
    Connect: "Connect", "连接";
    Disconnect: "Disconnect", "断开连接";
    Demo: "Demo vehicle", "模拟车辆";
    Theme: "Theme", "主题";
    ThemeSun: "Sun", "日光";
    ThemeDark: "Dark", "深色";
    Topics: "Topics", "话题";

    // when something is wrong
    ProfileInvalid: "The profile cannot be used", "配置文件无法使用";
    ProfileInvalidMove: "Nothing is connected. Mend these items and reload the page.", "未建立连接。请修正以下各项后重新加载页面。";
    WholeFile: "whole file", "整个文件";
    LoadFailed: "A part of the page did not load", "页面的一部分未能加载";
    LoadFailedMove: "Nothing can be driven. Check the link to the vehicle and reload the page.", "无法驾驶。请检查与车辆的链路并重新加载页面。";
    Reload: "Reload", "重新加载";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::check;

    #[test]
    fn every_label_is_there_in_both_languages() {
        for label in Label::ALL {
            check::both_languages(label, &["ws://192.168.1.10:9090"]);
        }
    }

    #[test]
    fn the_binding_words_are_kept() {
        assert_eq!(Label::Stop.text(Lang::En), "STOP");
        assert_eq!(Label::Stop.text(Lang::Zh), "停车");
        assert_eq!(Label::ResetStop.text(Lang::Zh), "解除停车");
        assert_eq!(
            Label::StopSentence.text(Lang::Zh),
            "通过消息停止行驶、刷盘、推杆和喷水；紧急情况请按车上的红色急停按钮。"
        );
        assert_eq!(Label::DemoVehicle.text(Lang::Zh), "模拟车辆");
        assert_eq!(Label::RollBrush.text(Lang::Zh), "滚刷与吸风");
    }
}
