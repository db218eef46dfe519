//! What happened, one line each.

use std::borrow::Cow;

use super::{InWords, Lang, number, reason};
use crate::pilot::event::Event;
use crate::pilot::stop_check::{RollOut, StopCheck, StopCheckFailure};
use crate::rosbridge::address::masked;

impl InWords for Event {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        let because = |en: &str, zh: &str, reason: &crate::pilot::snapshot::Reason| {
            let words = reason.in_words(lang);
            match lang {
                Lang::En => format!("{en}: {words}"),
                Lang::Zh => format!("{zh}：{words}"),
            }
        };
        Cow::Owned(match self {
            Self::LinkUp { url } => match (lang, masked(url)) {
                (Lang::En, url) => format!("Connected: {url}"),
                (Lang::Zh, url) => format!("已连接：{url}"),
            },
            Self::LinkFailed { url, trouble } => {
                let (url, trouble) = (masked(url), trouble.in_words(lang));
                match lang {
                    Lang::En => format!("{url}: {trouble}"),
                    Lang::Zh => format!("{url}：{trouble}"),
                }
            }
            Self::LinkStalled => return Cow::Borrowed(lang.pick("Link stalled", "链路停滞")),
            Self::LinkRecovered { after_ms } => {
                let after = number::seconds(f64::from(*after_ms), lang);
                match lang {
                    Lang::En => format!("Link is back after {after}"),
                    Lang::Zh => format!("链路在 {after}后恢复"),
                }
            }
            Self::LinkLost => return Cow::Borrowed(lang.pick("Link lost", "链路断开")),
            Self::Disconnected => return Cow::Borrowed(lang.pick("Disconnected", "已断开连接")),
            Self::TypeFound { topic, name } => match lang {
                Lang::En => format!("The vehicle tells: {topic} is {name}"),
                Lang::Zh => format!("车辆告知：{topic} 的类型是 {name}"),
            },
            Self::TypeNotTold { topic, assumed } => match lang {
                Lang::En => format!(
                    "The vehicle did not tell the type of {topic}; {assumed} would be a guess"
                ),
                Lang::Zh => format!("车辆未告知 {topic} 的类型；{assumed} 只是猜测"),
            },
            Self::DriveArmed => return Cow::Borrowed(lang.pick("Drive on", "行驶已启用")),
            Self::DriveDisarmed(reason) => because("Drive off", "行驶已关闭", reason),
            Self::DriveStarted => return Cow::Borrowed(lang.pick("Driving", "开始行驶")),
            Self::DriveEnded => {
                return Cow::Borrowed(
                    lang.pick("Finger lifted, zero speed sent", "手指抬起，已发送零速度"),
                );
            }
            Self::DriveBlocked(reason) => because("Stopped", "已拦停", reason),
            Self::DriveRefused(reason) => because("Drive refused", "行驶被拒绝", reason),
            Self::ToolsArmed => return Cow::Borrowed(lang.pick("Tools on", "作业装置已启用")),
            Self::ToolsDisarmed(reason) => because("Tools off", "作业装置已关闭", reason),
            Self::ToolsRefused(reason) => because("Tools refused", "作业装置被拒绝", reason),
            Self::StopPressed => {
                return Cow::Borrowed(lang.pick("STOP pressed here", "本控制端按下停车"));
            }
            Self::StopByOther { name } => match lang {
                Lang::En => format!("STOP pressed by {name}"),
                Lang::Zh => format!("{name} 按下停车"),
            },
            Self::StopPublished => return Cow::Borrowed(lang.pick("STOP published", "停车已发布")),
            Self::StopStanding => {
                return Cow::Borrowed(
                    lang.pick("Seen standing after STOP (RTK)", "停车后已静止（RTK）"),
                );
            }
            Self::StopReset => return Cow::Borrowed(lang.pick("Stop reset", "停车已解除")),
            Self::ForeignDriving { name } => {
                let words = reason::foreign(name.as_deref(), lang);
                return Cow::Owned(capitalised(&words));
            }
            Self::ForeignGone => {
                return Cow::Borrowed(
                    lang.pick("Nobody else is driving any more", "其他控制端已停止驾驶"),
                );
            }
            Self::TookOver { name } => {
                let words = lang.pick("Taken over", "已接管");
                match name {
                    Some(name) => [words, lang.pick(" from ", "，此前："), name].concat(),
                    None => return Cow::Borrowed(words),
                }
            }
            Self::StopCheckRefused(crate::reason::Reason::SwitchedOff) => {
                return Cow::Borrowed(lang.pick(
                    "Stop check refused: Drive is off",
                    "停车检测被拒绝：行驶未启用",
                ));
            }
            Self::StopCheckRefused(reason) => {
                because("Stop check refused", "停车检测被拒绝", reason)
            }
            Self::StopCheckHalf(open) => {
                let open = roll_out(open, lang);
                match lang {
                    Lang::En => format!("Stop check, first run: stood {open}"),
                    Lang::Zh => format!("停车检测第一次：{open}"),
                }
            }
            Self::StopCheckPassed { open, cut } => {
                let (open, cut) = (roll_out(open, lang), roll_out(cut, lang));
                match lang {
                    Lang::En => format!("Stop check passed: stood {open}, cut off {cut}"),
                    Lang::Zh => format!("停车检测通过：{open}；断开时 {cut}"),
                }
            }
            Self::StopCheckFailed(failure) => {
                return failure.in_words(lang);
            }
            Self::MadeUpStop => {
                return Cow::Borrowed(lang.pick(
                    "The link had been lost in motion: zero speed sent on the new one",
                    "链路曾在行驶中断开：已在新连接上发送零速度",
                ));
            }
            Self::BadFrame { detail } => match lang {
                Lang::En => format!("A message could not be used: {detail}"),
                Lang::Zh => format!("一条消息无法使用：{detail}"),
            },
            Self::Rejected { detail } => match lang {
                Lang::En => format!("rosbridge rejected a message: {detail}"),
                Lang::Zh => format!("rosbridge 拒绝了一条消息：{detail}"),
            },
            Self::BadIntent { detail } => match lang {
                Lang::En => {
                    format!("The page and its control program do not match, reload: {detail}")
                }
                Lang::Zh => format!("页面与控制程序不匹配，请重新加载：{detail}"),
            },
            Self::MotorsAsked(true) => {
                return Cow::Borrowed(lang.pick("Motors asked to start", "已请求启动电机"));
            }
            Self::MotorsAsked(false) => {
                return Cow::Borrowed(lang.pick("Motors asked to stop", "已请求停止电机"));
            }
            Self::MotorsRefused(why) => {
                [lang.pick("The vehicle refuses: ", "车辆拒绝："), why].concat()
            }
            Self::WorkerReplaced { which, detail } => {
                let which = worker(which, lang);
                match lang {
                    Lang::En => format!("The {which} program was restarted: {detail}"),
                    Lang::Zh => format!("{which}程序已重新启动：{detail}"),
                }
            }
        })
    }
}

impl InWords for StopCheckFailure {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::StillMoving => lang.pick(
                "Stop check failed: the vehicle does not stop by itself in time",
                "停车检测未通过：车辆未能及时自行停下",
            ),
            Self::NotSeenMoving => lang.pick(
                "Stop check failed: the vehicle was not seen moving",
                "停车检测未通过：未见车辆移动",
            ),
            Self::PositionLost => lang.pick(
                "Stop check failed: the position was lost",
                "停车检测未通过：定位丢失",
            ),
            Self::Interrupted => lang.pick(
                "Stop check failed: it was interrupted",
                "停车检测未通过：检测中断",
            ),
        })
    }
}

/// `Vehicle stop check: passed, 0.9 s, 0.12 m`, by the worse of its two runs.
#[must_use]
pub fn stop_check_passed(it: &StopCheck, lang: Lang) -> String {
    let ms = it.open.seconds.max(it.cut.seconds) * 1000.0;
    let meters = number::fixed(it.open.meters.max(it.cut.meters), 2);
    let seconds = number::seconds(ms, lang);
    match lang {
        Lang::En => format!("Vehicle stop check: passed, {seconds}, {meters} m"),
        Lang::Zh => format!("车辆停车检测：通过，{seconds}，{meters} 米"),
    }
}

/// `after 0.9 s and 0.12 m` / `0.9 秒、0.12 米后停下`.
#[must_use]
pub fn roll_out(it: &RollOut, lang: Lang) -> String {
    let seconds = number::seconds(it.seconds * 1000.0, lang);
    let meters = number::fixed(it.meters, 2);
    match lang {
        Lang::En => format!("after {seconds} and {meters} m"),
        Lang::Zh => format!("{seconds}、{meters} 米后停下"),
    }
}

/// The name of one of the page's two Workers.
#[must_use]
pub fn worker(which: &str, lang: Lang) -> &'static str {
    match which {
        "telemetry" => lang.pick("telemetry", "遥测"),
        _ => lang.pick("control", "控制"),
    }
}

/// The text with a capital first letter, for clauses that become sentences.
#[must_use]
pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pilot::snapshot::{Reason, Trouble};
    use crate::words::check;

    const ROLL_OUT: RollOut = RollOut {
        seconds: 0.94,
        meters: 0.123,
    };

    fn one_of_each() -> Vec<Event> {
        let mut all = vec![
            Event::LinkUp {
                url: "ws://a".into(),
            },
            Event::LinkFailed {
                url: "ws://a".into(),
                trouble: Trouble::NeverOpened,
            },
            Event::LinkStalled,
            Event::LinkRecovered { after_ms: 1234 },
            Event::LinkLost,
            Event::Disconnected,
            Event::TypeFound {
                topic: "/cmd_vel".into(),
                name: "foo/msg/Bar".into(),
            },
            Event::TypeNotTold {
                topic: "/cmd_vel".into(),
                assumed: "foo/msg/Bar".into(),
            },
            Event::DriveArmed,
            Event::DriveStarted,
            Event::DriveEnded,
            Event::ToolsArmed,
            Event::StopPressed,
            Event::StopByOther {
                name: "Tablet 3".into(),
            },
            Event::StopPublished,
            Event::StopStanding,
            Event::StopReset,
            Event::ForeignDriving {
                name: Some("Tablet 3".into()),
            },
            Event::ForeignDriving { name: None },
            Event::ForeignGone,
            Event::TookOver {
                name: Some("Tablet 3".into()),
            },
            Event::TookOver { name: None },
            Event::StopCheckRefused(Reason::NotStanding),
            Event::StopCheckHalf(ROLL_OUT),
            Event::StopCheckPassed {
                open: ROLL_OUT,
                cut: ROLL_OUT,
            },
            Event::StopCheckFailed(StopCheckFailure::StillMoving),
            Event::StopCheckFailed(StopCheckFailure::NotSeenMoving),
            Event::StopCheckFailed(StopCheckFailure::PositionLost),
            Event::StopCheckFailed(StopCheckFailure::Interrupted),
            Event::MadeUpStop,
            Event::BadFrame {
                detail: "line 1".into(),
            },
            Event::Rejected {
                detail: "line 1".into(),
            },
            Event::BadIntent {
                detail: "line 1".into(),
            },
            Event::MotorsAsked(true),
            Event::MotorsAsked(false),
            Event::WorkerReplaced {
                which: "control".into(),
                detail: "line 1".into(),
            },
            Event::WorkerReplaced {
                which: "telemetry".into(),
                detail: "line 1".into(),
            },
        ];
        for reason in reason::one_of_each() {
            all.push(Event::DriveDisarmed(reason.clone()));
            all.push(Event::DriveBlocked(reason.clone()));
            all.push(Event::DriveRefused(reason.clone()));
            all.push(Event::ToolsDisarmed(reason.clone()));
            all.push(Event::ToolsRefused(reason));
        }
        all
    }

    #[test]
    fn every_event_is_said_in_both_languages() {
        for event in one_of_each() {
            check::both_languages(
                &event,
                &["ws://a", "/cmd_vel", "foo/msg/Bar", "Tablet 3", "line 1"],
            );
        }
    }

    #[test]
    fn a_passed_stop_check_is_as_good_as_its_worse_run() {
        let passed = StopCheck {
            subject: Default::default(),
            unix_ms: 0.0,
            speed: 0.2,
            open: ROLL_OUT,
            cut: RollOut {
                seconds: 0.6,
                meters: 0.2,
            },
        };
        assert_eq!(
            stop_check_passed(&passed, Lang::En),
            "Vehicle stop check: passed, 0.9 s, 0.20 m"
        );
        check::sentence(&stop_check_passed(&passed, Lang::Zh), Lang::Zh, &["m"]);
    }

    #[test]
    fn an_event_keeps_what_it_is_about() {
        let stop = Event::StopByOther {
            name: "车队二号".into(),
        };
        assert_eq!(stop.in_words(Lang::Zh), "车队二号 按下停车");
        let back = Event::LinkRecovered { after_ms: 1234 };
        assert_eq!(back.in_words(Lang::En), "Link is back after 1.2 s");
    }
}
