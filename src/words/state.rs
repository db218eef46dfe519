//! States, qualities, delivery, how far a wish has got.

use std::borrow::Cow;

use super::{InWords, Lang};
use crate::monitor::snapshot::RtkState;
use crate::pilot::snapshot::{
    Confirm, Delivery, DriveState, FieldNote, LinkState, Motion, ToolStatus, ToolsState,
};
use crate::words::number;

impl InWords for LinkState {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Offline => lang.pick("Offline", "离线"),
            Self::Connecting => lang.pick("Connecting", "连接中"),
            Self::Online => lang.pick("Online", "在线"),
            Self::Slow => lang.pick("Slow", "迟缓"),
            Self::Stalled => lang.pick("Stalled", "停滞"),
            Self::Lost => lang.pick("Lost", "断开"),
        })
    }
}

impl InWords for DriveState {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Disarmed => lang.pick("off", "未启用"),
            Self::Ready => lang.pick("ready", "就绪"),
            Self::Driving => lang.pick("driving", "行驶中"),
            Self::Blocked => lang.pick("blocked", "已拦停"),
            Self::Stopped => lang.pick("stopped", "已停车"),
        })
    }
}

impl InWords for ToolsState {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Disarmed => lang.pick("off", "未启用"),
            Self::Armed => lang.pick("armed", "已启用"),
            Self::Blocked => lang.pick("blocked", "已拦停"),
            Self::Stopped => lang.pick("stopped", "已停止"),
        })
    }
}

impl InWords for RtkState {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::None => lang.pick("No data", "无数据"),
            Self::Live => lang.pick("Live", "实时"),
            Self::Stale => lang.pick("Stale", "过期"),
            Self::Frozen => lang.pick("Frozen", "冻结"),
            Self::Invalid => lang.pick("Invalid", "无效"),
        })
    }
}

impl InWords for ToolStatus {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Wanted => lang.pick("wanted", "期望"),
            Self::Sent => lang.pick("sent", "已发送"),
            Self::Published => lang.pick("published", "已发布"),
        })
    }
}

impl InWords for Delivery {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::NotDelivered => lang.pick(
                "could not be delivered; will be sent when the link is back",
                "未能送达；链路恢复后发送",
            ),
            Self::Sent => lang.pick("sent, not yet published", "已发送，尚未发布"),
            Self::Published => lang.pick("published", "已发布"),
        })
    }
}

impl InWords for Motion {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Unknown => lang.pick("not known to stand", "未知是否静止"),
            Self::Standing => lang.pick("standing", "静止"),
            Self::Moving { .. } => lang.pick("moving", "移动"),
        })
    }
}

impl InWords for Confirm {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::DriveTypesUnverified => lang.pick(
                "Hold: drive with types not verified",
                "按住：在类型未验证的情况下行驶",
            ),
            Self::DriveNotStanding => lang.pick(
                "Hold: drive although not known to stand",
                "按住：在未知是否静止的情况下行驶",
            ),
            Self::ToolsTypesUnverified => lang.pick(
                "Hold: tools with types not verified",
                "按住：在类型未验证的情况下启用作业装置",
            ),
            Self::ToolsNotStanding => lang.pick(
                "Hold: tools although not known to stand",
                "按住：在未知是否静止的情况下启用作业装置",
            ),
            Self::TakeOver => lang.pick("Hold: take over", "按住：接管"),
            Self::StopCheck => lang.pick(
                "Stop check: hold when 5 m ahead are clear",
                "停车检测：前方 5 米无人无物时按住",
            ),
            Self::BrakeTurned => lang.pick(
                "Hold: the brake goes the other way round",
                "按住：电磁刹极性相反",
            ),
            Self::StartMotors => lang.pick("Hold to start motors", "按住：启动电机"),
            Self::StopMotors => lang.pick("Hold to stop motors", "按住：停止电机"),
        })
    }
}

impl InWords for FieldNote {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        match self {
            Self::WireTypeStopsAt {
                wire_type,
                end,
                speed,
            } => {
                let end = number::fixed(*end, 0);
                let up_to = lang.pick(": up to ", "：上限 ");
                let mut words = [wire_type, up_to, &end].concat();
                if let Some(speed) = speed {
                    words += " = ";
                    words += &number::speed(*speed);
                }
                Cow::Owned(words)
            }
            Self::ReverseDwell { seconds } => {
                let left = number::countdown(*seconds, lang);
                Cow::Owned(match lang {
                    Lang::En => format!("turns the other way in {left}"),
                    Lang::Zh => format!("{left}后反向转动"),
                })
            }
            Self::RunsOn { seconds } => {
                let left = number::countdown(*seconds, lang);
                Cow::Owned([lang.pick("runs on for ", "继续运行 "), &left].concat())
            }
            Self::Lacking => Cow::Borrowed(lang.pick("not on this vehicle", "此车没有")),
            Self::StrokeLimit => Cow::Borrowed(lang.pick(
                "stroke limit: lift and press again",
                "已达行程时限：请抬起后重按",
            )),
            Self::InNeutral => Cow::Borrowed(lang.pick("choose a gear first", "请先选择挡位")),
            Self::Refused(reason) => reason.in_words(lang),
            Self::Unknown => Cow::Borrowed(lang.pick("unknown", "未知")),
        }
    }
}

/// A solution of position or heading, 0–9; anything else as its number; `None` when the vehicle
/// did not send one.
#[must_use]
pub fn quality(solution: Option<i64>, lang: Lang) -> Cow<'static, str> {
    let Some(solution) = solution else {
        return RtkState::None.in_words(lang);
    };
    Cow::Borrowed(match solution {
        0 => lang.pick("Initialising", "初始化"),
        1 => lang.pick("Single", "单点"),
        2 => lang.pick("Code differential", "码差分"),
        3 => lang.pick("Invalid PPS", "无效PPS"),
        4 => lang.pick("Fixed", "固定解"),
        5 => lang.pick("Float", "浮点解"),
        6 => lang.pick("Estimating", "估算中"),
        7 => lang.pick("Manual", "人工输入"),
        8 => lang.pick("Simulation", "模拟"),
        9 => lang.pick("WAAS", "WAAS差分"),
        other => return Cow::Owned(other.to_string()),
    })
}

/// How far a quality may be trusted: decides colour and shape of its mark, never its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grade {
    /// Good for everything.
    Good,
    /// With a margin.
    Fair,
    /// For display only.
    Poor,
    /// Not there.
    Absent,
}

impl Grade {
    /// The value of `data-grade`, which the style sheets give a colour and a shape.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Fair => "fair",
            Self::Poor => "poor",
            Self::Absent => "absent",
        }
    }

    /// The grade of a solution while its messages are in that state.
    #[must_use]
    pub fn of_quality(solution: Option<i64>, state: RtkState) -> Self {
        match (state, solution) {
            (RtkState::None, _) | (_, None) => Self::Absent,
            (RtkState::Stale | RtkState::Frozen | RtkState::Invalid, _) => Self::Poor,
            (RtkState::Live, Some(4)) => Self::Good,
            (RtkState::Live, Some(5)) => Self::Fair,
            (RtkState::Live, Some(_)) => Self::Poor,
        }
    }

    /// The grade of a link.
    #[must_use]
    pub fn of_link(state: LinkState) -> Self {
        match state {
            LinkState::Online => Self::Good,
            LinkState::Slow | LinkState::Connecting => Self::Fair,
            LinkState::Stalled | LinkState::Lost => Self::Poor,
            LinkState::Offline => Self::Absent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pilot::snapshot::Reason;
    use crate::words::check;

    #[test]
    fn every_state_is_said_in_both_languages() {
        use LinkState as L;
        for state in [
            L::Offline,
            L::Connecting,
            L::Online,
            L::Slow,
            L::Stalled,
            L::Lost,
        ] {
            check::both_languages(&state, &[]);
        }
        use DriveState as D;
        for state in [D::Disarmed, D::Ready, D::Driving, D::Blocked, D::Stopped] {
            check::both_languages(&state, &[]);
        }
        use ToolsState as T;
        for state in [T::Disarmed, T::Armed, T::Blocked, T::Stopped] {
            check::both_languages(&state, &[]);
        }
        use RtkState as R;
        for state in [R::None, R::Live, R::Stale, R::Frozen, R::Invalid] {
            check::both_languages(&state, &[]);
        }
        for status in [ToolStatus::Wanted, ToolStatus::Sent, ToolStatus::Published] {
            check::both_languages(&status, &[]);
        }
        for delivery in [Delivery::NotDelivered, Delivery::Sent, Delivery::Published] {
            check::both_languages(&delivery, &[]);
        }
        for motion in [
            Motion::Unknown,
            Motion::Standing,
            Motion::Moving { speed: 0.4 },
        ] {
            check::both_languages(&motion, &[]);
        }
        for confirm in [
            Confirm::DriveTypesUnverified,
            Confirm::DriveNotStanding,
            Confirm::ToolsTypesUnverified,
            Confirm::ToolsNotStanding,
            Confirm::TakeOver,
            Confirm::StopCheck,
            Confirm::BrakeTurned,
            Confirm::StartMotors,
            Confirm::StopMotors,
        ] {
            check::both_languages(&confirm, &[]);
        }
    }

    #[test]
    fn every_note_beside_a_control_is_said() {
        let stops_at = FieldNote::WireTypeStopsAt {
            wire_type: "uint8".into(),
            end: 255.0,
            speed: Some(0.123),
        };
        check::both_languages(&stops_at, &["uint8"]);
        assert_eq!(stops_at.in_words(Lang::En), "uint8: up to 255 = 0.12 m/s");
        check::both_languages(&FieldNote::RunsOn { seconds: 1.4 }, &[]);
        check::both_languages(&FieldNote::Lacking, &[]);
        check::both_languages(&FieldNote::ReverseDwell { seconds: 1.4 }, &[]);
        check::both_languages(&FieldNote::StrokeLimit, &[]);
        check::both_languages(&FieldNote::Refused(Reason::NotStanding), &[]);
        check::both_languages(&FieldNote::InNeutral, &[]);
        check::both_languages(&FieldNote::Unknown, &[]);
    }

    #[test]
    fn every_quality_has_a_word_and_an_unknown_one_its_number() {
        for solution in 0..=9 {
            for lang in Lang::ALL {
                check::sentence(&quality(Some(solution), lang), lang, &[]);
            }
        }
        assert_eq!(quality(Some(4), Lang::Zh), "固定解");
        assert_eq!(quality(Some(17), Lang::En), "17");
        assert_eq!(quality(None, Lang::En), "No data");
    }

    #[test]
    fn only_a_live_fixed_solution_is_good() {
        assert_eq!(Grade::of_quality(Some(4), RtkState::Live), Grade::Good);
        assert_eq!(Grade::of_quality(Some(4), RtkState::Frozen), Grade::Poor);
        assert_eq!(Grade::of_quality(Some(5), RtkState::Live), Grade::Fair);
        assert_eq!(Grade::of_quality(Some(8), RtkState::Live), Grade::Poor);
        assert_eq!(Grade::of_quality(None, RtkState::Live), Grade::Absent);
    }
}
