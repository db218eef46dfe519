//! Why something is refused or was stopped, and the next move.

use std::borrow::Cow;

use super::{InWords, Lang};
use crate::pilot::snapshot::Reason;

/// What a reason is about: the next move differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// The drive was stopped while armed, or a press would be refused: it is still armed.
    ArmedDrive,
    /// The drive is off.
    DriveSwitch,
    /// The tools are off or blocked.
    Tools,
}

impl InWords for Reason {
    /// A clause without a full stop; it follows a colon.
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Offline => lang.pick("there is no connection", "没有连接"),
            Self::LinkSlow { worst_ms } => {
                return Cow::Owned(match lang {
                    Lang::En => format!("link too slow to drive: {worst_ms} ms"),
                    Lang::Zh => format!("链路太慢，不能行驶：{worst_ms} 毫秒"),
                });
            }
            Self::LinkStalled => lang.pick("the link stalled", "链路停滞"),
            Self::LinkLost => lang.pick("the link was lost", "链路断开"),
            Self::TypesUnknown => lang.pick(
                "the vehicle did not tell its message types",
                "车辆未告知消息类型",
            ),
            Self::TypeConflict { topic, found } => {
                return Cow::Owned(match lang {
                    Lang::En => format!("{topic} has the type {found}, which cannot be sent"),
                    Lang::Zh => format!("{topic} 的类型是 {found}，无法发送"),
                });
            }
            Self::ForeignDriver { name } => {
                let whose = lang.pick("another has the vehicle", "车辆由他方控制");
                return name.as_ref().map_or(Cow::Borrowed(whose), |name| {
                    Cow::Owned([whose, lang.pick(": ", "："), name].concat())
                });
            }
            Self::LiftFirst => lang.pick("a finger was already down", "手指此前已按下"),
            Self::OutsideHub => lang.pick(
                "the press began outside the inner circle",
                "按压起点不在内圈",
            ),
            Self::BrakeOn => lang.pick("the brake is on", "电磁刹已锁定"),
            Self::SqueegeeOut => {
                lang.pick("no reverse with the squeegee out", "吸扒伸出时不能倒车")
            }
            Self::ReversePause => lang.pick(
                "between forward and reverse the stick rests in the middle",
                "前进与后退之间摇杆须在中位停留",
            ),
            Self::Blur => lang.pick("the window lost the focus", "窗口失去焦点"),
            Self::Hidden => lang.pick("the page was hidden", "页面被隐藏"),
            Self::Rotated => lang.pick("the screen was rotated or resized", "屏幕旋转或尺寸改变"),
            Self::PadChanged => lang.pick("the pad was laid out anew", "操纵盘重新布局"),
            Self::SettingsChanged => lang.pick("a setting was changed", "设置已更改"),
            Self::Vigilance => {
                lang.pick("the finger did not move for too long", "手指太久没有移动")
            }
            Self::LeaseEnded => lang.pick("the page did not answer in time", "页面未及时响应"),
            Self::LateTimer => lang.pick("the tablet was too slow", "平板响应太慢"),
            Self::WorkerReplaced => {
                lang.pick("the control program was restarted", "控制程序已重新启动")
            }
            Self::DefinitionChanged => lang.pick(
                "the vehicle changed its message types",
                "车辆更改了消息类型",
            ),
            Self::StopElsewhere { name } => {
                return Cow::Owned(
                    [lang.pick("STOP is still held by ", "停车仍未解除："), name].concat(),
                );
            }
            Self::StopLatched => lang.pick("STOP was pressed", "已按停车"),
            Self::NotStanding => lang.pick(
                "the vehicle is not known to be standing",
                "未知车辆是否静止",
            ),
            Self::NobodyThere => lang.pick(
                "nobody touched the screen for too long",
                "太久没有人触摸屏幕",
            ),
            Self::StopCheck => lang.pick(
                "a run of the stop check is over",
                "停车检测的一次运行已结束",
            ),
            Self::SwitchedOff => lang.pick("it was switched off", "开关已关闭"),
            Self::DeviceLost => lang.pick("the gamepad was lost", "手柄已断开"),
            Self::MotorsOff => lang.pick("the motors are off", "电机未启动"),
        })
    }
}

impl Reason {
    /// What the operator does next, as a sentence; `None` when nothing is needed.
    #[must_use]
    pub fn next_move(&self, about: About, lang: Lang) -> Option<&'static str> {
        let again = match about {
            About::ArmedDrive => lang.pick(
                "Lift your finger and press again.",
                "请抬起手指后重新按住。",
            ),
            About::DriveSwitch => lang.pick("Switch Drive on again.", "请重新打开行驶开关。"),
            About::Tools => lang.pick("Switch Tools on again.", "请重新打开作业装置开关。"),
        };
        Some(match self {
            Self::SwitchedOff => return None,
            Self::Offline => lang.pick("Connect first.", "请先连接。"),
            Self::LinkSlow { .. } => {
                lang.pick("Wait until the link is faster.", "请等待链路变快。")
            }
            Self::LinkLost if about == About::DriveSwitch => lang.pick(
                "When it is back, switch Drive on again.",
                "恢复后请重新打开行驶开关。",
            ),
            Self::LinkLost if about == About::Tools => lang.pick(
                "When it is back, switch Tools on again.",
                "恢复后请重新打开作业装置开关。",
            ),
            Self::TypesUnknown => lang.pick(
                "Wait for rosapi on the vehicle, or hold the confirmation.",
                "请等待车辆上的 rosapi，或按住确认按钮。",
            ),
            Self::TypeConflict { .. } => lang.pick(
                "Settings, Topics shows its fields; name another topic in the profile.",
                "在设置的话题页可查看其字段；请在配置文件中指定其他话题。",
            ),
            Self::ForeignDriver { .. } => lang.pick(
                "When they have let go and it stands, hold Take over; or press STOP.",
                "对方松手且车辆静止后，按住接管；或按停车。",
            ),
            Self::OutsideHub => lang.pick(
                "Lift, and begin in the inner circle of the pad.",
                "请抬起手指，从操纵盘内圈开始按。",
            ),
            Self::BrakeOn => lang.pick("Release the brake first.", "请先解除电磁刹。"),
            Self::SqueegeeOut => lang.pick(
                "Retract it first, with the tools on.",
                "请先启用作业装置并收回吸扒。",
            ),
            Self::ReversePause => {
                lang.pick("Rest in the middle for a moment.", "请在中位稍作停留。")
            }
            Self::StopElsewhere { .. } => {
                lang.pick("Reset it there as well.", "请在该处也解除停车。")
            }
            Self::StopLatched => {
                lang.pick("Reset stop when all is clear.", "确认无碍后请解除停车。")
            }
            Self::MotorsOff => lang.pick("Hold Start motors first.", "请先按住启动电机。"),
            Self::NotStanding => lang.pick(
                "Wait until it stands, or hold the confirmation.",
                "请等待车辆静止，或按住确认按钮。",
            ),
            Self::LiftFirst
            | Self::LinkStalled
            | Self::LinkLost
            | Self::Blur
            | Self::Hidden
            | Self::Rotated
            | Self::PadChanged
            | Self::SettingsChanged
            | Self::Vigilance
            | Self::LeaseEnded
            | Self::LateTimer
            | Self::WorkerReplaced
            | Self::DefinitionChanged
            | Self::StopCheck
            | Self::NobodyThere
            | Self::DeviceLost => again,
        })
    }
}

/// Who else drives, as a clause.
#[must_use]
pub fn foreign(name: Option<&str>, lang: Lang) -> Cow<'static, str> {
    match (name, lang) {
        (Some(name), Lang::En) => Cow::Owned(format!("another console is driving: {name}")),
        (Some(name), Lang::Zh) => Cow::Owned(format!("另一控制端正在驾驶：{name}")),
        (None, Lang::En) => Cow::Borrowed("another client is driving"),
        (None, Lang::Zh) => Cow::Borrowed("另一客户端正在驾驶"),
    }
}

/// One of each, for the tests of everything that carries a reason.
#[cfg(test)]
pub(crate) fn one_of_each() -> Vec<Reason> {
    let all = vec![
        Reason::Offline,
        Reason::LinkSlow { worst_ms: 260 },
        Reason::LinkStalled,
        Reason::LinkLost,
        Reason::TypesUnknown,
        Reason::TypeConflict {
            topic: "/cmd_vel".into(),
            found: "foo/msg/Bar".into(),
        },
        Reason::ForeignDriver {
            name: Some("Tablet 3".into()),
        },
        Reason::ForeignDriver { name: None },
        Reason::LiftFirst,
        Reason::OutsideHub,
        Reason::BrakeOn,
        Reason::SqueegeeOut,
        Reason::ReversePause,
        Reason::Blur,
        Reason::Hidden,
        Reason::Rotated,
        Reason::PadChanged,
        Reason::SettingsChanged,
        Reason::Vigilance,
        Reason::LeaseEnded,
        Reason::LateTimer,
        Reason::WorkerReplaced,
        Reason::DefinitionChanged,
        Reason::StopLatched,
        Reason::StopElsewhere {
            name: "Tablet 3".into(),
        },
        Reason::NotStanding,
        Reason::StopCheck,
        Reason::NobodyThere,
        Reason::SwitchedOff,
        Reason::DeviceLost,
        Reason::MotorsOff,
    ];
    // A new reason does not compile here until it is added above as well.
    for reason in &all {
        match reason {
            Reason::Offline
            | Reason::LinkSlow { .. }
            | Reason::LinkStalled
            | Reason::LinkLost
            | Reason::TypesUnknown
            | Reason::TypeConflict { .. }
            | Reason::ForeignDriver { .. }
            | Reason::LiftFirst
            | Reason::OutsideHub
            | Reason::BrakeOn
            | Reason::SqueegeeOut
            | Reason::MotorsOff
            | Reason::ReversePause
            | Reason::Blur
            | Reason::Hidden
            | Reason::Rotated
            | Reason::PadChanged
            | Reason::SettingsChanged
            | Reason::Vigilance
            | Reason::LeaseEnded
            | Reason::LateTimer
            | Reason::WorkerReplaced
            | Reason::DefinitionChanged
            | Reason::StopLatched
            | Reason::StopElsewhere { .. }
            | Reason::NotStanding
            | Reason::StopCheck
            | Reason::NobodyThere
            | Reason::SwitchedOff
            | Reason::DeviceLost => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::check;

    const DATA: &[&str] = &["/cmd_vel", "foo/msg/Bar", "Tablet 3"];

    #[test]
    fn every_reason_is_said_in_both_languages() {
        for reason in one_of_each() {
            check::both_languages(&reason, DATA);
        }
    }

    #[test]
    fn every_reason_but_the_switch_has_a_next_move() {
        for reason in one_of_each() {
            for about in [About::ArmedDrive, About::DriveSwitch, About::Tools] {
                for lang in Lang::ALL {
                    match reason.next_move(about, lang) {
                        Some(text) => check::sentence(text, lang, &[]),
                        None => assert_eq!(reason, Reason::SwitchedOff),
                    }
                }
            }
        }
    }

    #[test]
    fn the_binding_words_are_kept() {
        let slow = Reason::LinkSlow { worst_ms: 260 };
        assert_eq!(slow.in_words(Lang::En), "link too slow to drive: 260 ms");
        assert_eq!(slow.in_words(Lang::Zh), "链路太慢，不能行驶：260 毫秒");
        assert_eq!(
            Reason::LinkStalled.next_move(About::ArmedDrive, Lang::Zh),
            Some("请抬起手指后重新按住。")
        );
        assert_eq!(
            foreign(Some("车队二号"), Lang::Zh),
            "另一控制端正在驾驶：车队二号"
        );
    }
}
