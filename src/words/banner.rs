//! The one sentence over the map: the present reason, and the next move.

use std::borrow::Cow;

use super::event::capitalised;
use super::reason::{self, About};
use super::{InWords, Lang, number};
use crate::pilot::event::{Event, Level};
use crate::pilot::snapshot::{
    Delivery, DriveState, LinkState, Motion, Reason, Snapshot, StopCheckStep, ToolsState,
};

/// What the banner says now.
#[derive(Debug, Clone, PartialEq)]
pub struct Banner {
    /// How much it matters.
    pub level: Level,
    /// The sentences.
    pub text: String,
}

/// The most urgent thing to say; `None` when all is as wanted.
#[must_use]
pub fn banner(now: &Snapshot, lang: Lang) -> Option<Banner> {
    stop(now, lang)
        .or_else(|| foreign(now, lang))
        .or_else(|| countdown(now, lang))
        .or_else(|| stop_check(now, lang))
        .or_else(|| refused(now, lang))
        .or_else(|| drive(now, lang))
        .or_else(|| link(now, lang))
        .or_else(|| tools(now, lang))
}

/// What the banner says when STOP was pressed while no control program runs at all.
#[must_use]
pub fn stop_without_pilot(lang: Lang) -> Banner {
    Banner {
        level: Level::Bad,
        text: lang
            .pick(
                "STOP: could not be delivered, there is no connection. Use the red button on the vehicle.",
                "停车：未能送达，没有连接。请按车上的红色按钮。",
            )
            .to_owned(),
    }
}

fn stop(now: &Snapshot, lang: Lang) -> Option<Banner> {
    let stop = now.stop.as_ref()?;
    let who = match (&stop.by, lang) {
        (None, _) => Cow::Borrowed(lang.pick("STOP", "停车")),
        (Some(name), Lang::En) => Cow::Owned(format!("STOP by {name}")),
        (Some(name), Lang::Zh) => Cow::Owned(format!("{name} 停车")),
    };
    let delivery = stop.delivery.in_words(lang);
    let mut text = match lang {
        Lang::En => format!("{who}: {delivery}"),
        Lang::Zh => format!("{who}：{delivery}"),
    };
    // Whether it was sent and whether the vehicle stands are two different things.
    if stop.delivery != Delivery::NotDelivered {
        text += lang.pick("; vehicle ", "；车辆");
        text += &now.motion.in_words(lang);
    }
    text += lang.pick(". ", "。");
    if stop.is_opposed {
        text += lang.pick(
            "Somebody else still sends motion: use the red button on the vehicle.",
            "仍有其他方发送运动指令：请按车上的红色按钮。",
        );
    } else {
        text += Reason::StopLatched
            .next_move(About::DriveSwitch, lang)
            .unwrap_or_default();
    }
    let level = match (stop.is_opposed, stop.delivery, now.motion) {
        (false, Delivery::Published, Motion::Standing) => Level::Info,
        (false, Delivery::Published | Delivery::Sent, _) => Level::Warn,
        _ => Level::Bad,
    };
    Some(Banner { level, text })
}

fn foreign(now: &Snapshot, lang: Lang) -> Option<Banner> {
    let name = now.foreign.as_ref()?;
    let reason = Reason::ForeignDriver { name: name.clone() };
    Some(Banner {
        level: Level::Bad,
        text: joined(
            capitalised(&reason::foreign(name.as_deref(), lang)),
            reason.next_move(About::ArmedDrive, lang),
            lang,
        ),
    })
}

/// What the operator does in a stop check.
fn stop_check(now: &Snapshot, lang: Lang) -> Option<Banner> {
    let text = match (now.stop_check.step, now.stop_check.is_cut, now.drive.state) {
        (StopCheckStep::Off, ..) => return None,
        (StopCheckStep::Press, false, DriveState::Ready) => lang.pick(
            "Stop check 1 of 2: push the pad forward and keep holding. The vehicle drives on; then no commands are sent, and it must stop by itself. Lift your finger to stop it.",
            "停车检测 1/2：向前推操纵盘并保持。车辆直行，随后不再发送指令，车辆应自行停下。抬起手指即停车。",
        ),
        (StopCheckStep::Press, true, DriveState::Ready) => lang.pick(
            "Stop check 2 of 2: the same again; this time the connection is cut.",
            "停车检测 2/2：再做一次；这次会切断连接。",
        ),
        (StopCheckStep::Press, ..) => lang.pick(
            "Stop check: lift your finger.",
            "停车检测：请抬起手指。",
        ),
        (StopCheckStep::Drive, ..) => lang.pick(
            "Stop check: keep holding. Lift to stop.",
            "停车检测：请继续按住。抬起即停车。",
        ),
        (StopCheckStep::Watch, ..) => lang.pick(
            "Stop check: no commands are sent now. Lift to stop.",
            "停车检测：现在不发送指令。抬起即停车。",
        ),
    };
    Some(Banner {
        level: Level::Warn,
        text: text.to_owned(),
    })
}

/// What will stop by itself within seconds.
fn countdown(now: &Snapshot, lang: Lang) -> Option<Banner> {
    let text = if let Some(left) = now.drive.vigilance_stop_in_s {
        let left = number::countdown(left, lang);
        match lang {
            Lang::En => {
                format!("The drive stops in {left}: move the finger a little, or tap another key.")
            }
            Lang::Zh => format!("{left}后停止行驶：请稍微移动手指，或另按一键。"),
        }
    } else {
        let left = number::countdown(now.tools.presence_stop_in_s?, lang);
        match lang {
            Lang::En => format!("The tools stop in {left}: touch the screen."),
            Lang::Zh => format!("{left}后停止作业装置：请触摸屏幕。"),
        }
    };
    Some(Banner {
        level: Level::Warn,
        text,
    })
}

/// What was just asked for and does not come about.
fn refused(now: &Snapshot, lang: Lang) -> Option<Banner> {
    let event = now.refused.as_ref()?;
    let next = match event {
        Event::DriveRefused(reason) => reason.next_move(About::DriveSwitch, lang),
        Event::ToolsRefused(reason) => reason.next_move(About::Tools, lang),
        Event::StopCheckRefused(Reason::SwitchedOff) => {
            Some(lang.pick("Switch Drive on first.", "请先打开行驶开关。"))
        }
        Event::StopCheckRefused(reason) => reason.next_move(About::ArmedDrive, lang),
        // The finger that held it.
        Event::StopCheckFailed(_) if now.drive.state == DriveState::Blocked => {
            Some(lang.pick("Lift your finger.", "请抬起手指。"))
        }
        Event::StopCheckFailed(_) | Event::MotorsRefused(_) => None,
        _ => return None,
    };
    Some(Banner {
        level: Level::Warn,
        text: joined(event.in_words(lang).into_owned(), next, lang),
    })
}

fn drive(now: &Snapshot, lang: Lang) -> Option<Banner> {
    let reason = now.drive.reason.as_ref()?;
    let (before, about) = match now.drive.state {
        DriveState::Blocked => (lang.pick("Stopped", "已拦停"), About::ArmedDrive),
        DriveState::Ready => (lang.pick("Not driving", "不能行驶"), About::ArmedDrive),
        // The finger is down, and the vehicle stands.
        DriveState::Driving
            if matches!(
                reason,
                Reason::SqueegeeOut | Reason::ReversePause | Reason::NotStanding
            ) =>
        {
            (lang.pick("Not driving", "不能行驶"), About::ArmedDrive)
        }
        // A drive that is off for want of a link is said by the link's own sentence.
        DriveState::Disarmed if !matches!(reason, Reason::SwitchedOff | Reason::Offline) => {
            (lang.pick("Drive is off", "行驶已关闭"), About::DriveSwitch)
        }
        _ => return None,
    };
    let words = reason.in_words(lang);
    let text = match lang {
        Lang::En => format!("{before}: {words}"),
        Lang::Zh => format!("{before}：{words}"),
    };
    Some(Banner {
        level: Level::Warn,
        text: joined(text, reason.next_move(about, lang), lang),
    })
}

fn link(now: &Snapshot, lang: Lang) -> Option<Banner> {
    let (level, text) = match (now.link.state, now.link.worst_ms) {
        (LinkState::Online, _) => return None,
        // A lost link whose echoes are measured still answers, only too late.
        (LinkState::Slow | LinkState::Lost, Some(worst_ms)) => {
            let reason = Reason::LinkSlow {
                worst_ms: worst_ms as u32,
            };
            (
                Level::Warn,
                joined(
                    capitalised(&reason.in_words(lang)),
                    reason.next_move(About::ArmedDrive, lang),
                    lang,
                ),
            )
        }
        (LinkState::Slow | LinkState::Stalled, _) => (
            Level::Warn,
            lang.pick(
                "The link stalled: what is shown may be old.",
                "链路停滞：显示的内容可能已过时。",
            )
            .to_owned(),
        ),
        (LinkState::Lost, None) => (
            Level::Bad,
            lang.pick(
                "The link was lost; reconnecting by itself.",
                "链路断开；正在自动重连。",
            )
            .to_owned(),
        ),
        (LinkState::Offline | LinkState::Connecting, _) => {
            let trouble = now.link.trouble.as_ref()?.in_words(lang);
            let retry = now.link.retry_in_s.map(|s| {
                let s = number::countdown(s, lang);
                match lang {
                    Lang::En => format!(" Next attempt in {s}."),
                    Lang::Zh => format!("{s}后重试。"),
                }
            });
            // As long as the other, so that what stands below does not move at every attempt.
            let trying = || {
                let words = lang.pick(" Trying again now.", "正在重试。");
                (now.link.state == LinkState::Connecting).then(|| words.to_owned())
            };
            let retry = retry.or_else(trying).unwrap_or_default();
            (Level::Warn, trouble.into_owned() + &retry)
        }
    };
    Some(Banner { level, text })
}

fn tools(now: &Snapshot, lang: Lang) -> Option<Banner> {
    let reason = now.tools.reason.as_ref()?;
    let quiet = matches!(reason, Reason::SwitchedOff | Reason::Offline)
        || now.tools.is_absent
        || now.tools.state == ToolsState::Stopped;
    if quiet {
        return None;
    }
    let before = match now.tools.state {
        ToolsState::Armed => lang.pick("Tools", "作业装置"),
        ToolsState::Blocked => lang.pick("Tools stopped", "作业装置已停"),
        _ => lang.pick("Tools are off", "作业装置已关闭"),
    };
    let words = reason.in_words(lang);
    let text = match lang {
        Lang::En => format!("{before}: {words}"),
        Lang::Zh => format!("{before}：{words}"),
    };
    Some(Banner {
        level: Level::Warn,
        text: joined(text, reason.next_move(About::Tools, lang), lang),
    })
}

fn joined(clause: String, next_move: Option<&str>, lang: Lang) -> String {
    match (next_move, lang) {
        (Some(next), Lang::En) => format!("{clause}. {next}"),
        (Some(next), Lang::Zh) => format!("{clause}。{next}"),
        (None, Lang::En) => clause + ".",
        (None, Lang::Zh) => clause + "。",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pilot::snapshot::{StopView, Trouble};
    use crate::words::check;

    fn said(now: &Snapshot, lang: Lang) -> String {
        banner(now, lang).map(|b| b.text).unwrap_or_default()
    }

    fn online() -> Snapshot {
        let mut now = Snapshot::default();
        now.link.state = LinkState::Online;
        now
    }

    #[test]
    fn nothing_is_said_when_all_is_as_wanted() {
        assert_eq!(banner(&online(), Lang::En), None);
        let mut now = online();
        now.drive.reason = Some(Reason::SwitchedOff);
        assert_eq!(banner(&now, Lang::En), None);
    }

    #[test]
    fn an_automatic_stop_says_its_reason_and_the_next_move() {
        let mut now = online();
        now.drive.state = DriveState::Blocked;
        now.drive.reason = Some(Reason::LinkStalled);
        assert_eq!(
            said(&now, Lang::En),
            "Stopped: the link stalled. Lift your finger and press again."
        );
        assert_eq!(
            said(&now, Lang::Zh),
            "已拦停：链路停滞。请抬起手指后重新按住。"
        );
    }

    #[test]
    fn a_drive_that_went_off_by_itself_says_how_to_go_on() {
        let mut now = online();
        now.drive.reason = Some(Reason::Hidden);
        assert_eq!(
            said(&now, Lang::En),
            "Drive is off: the page was hidden. Switch Drive on again."
        );
    }

    #[test]
    fn a_refused_switch_says_why_and_what_to_do() {
        let mut now = online();
        now.refused = Some(Event::DriveRefused(Reason::LinkSlow { worst_ms: 812 }));
        assert_eq!(
            said(&now, Lang::En),
            "Drive refused: link too slow to drive: 812 ms. Wait until the link is faster."
        );
        now.refused = Some(Event::ToolsRefused(Reason::NotStanding));
        for lang in Lang::ALL {
            check::sentence(&said(&now, lang), lang, &[]);
        }
    }

    #[test]
    fn a_stop_check_that_was_refused_or_has_failed_says_why_and_what_to_do() {
        use crate::pilot::stop_check::StopCheckFailure as F;
        let mut now = online();
        now.refused = Some(Event::StopCheckRefused(Reason::SwitchedOff));
        assert_eq!(
            said(&now, Lang::En),
            "Stop check refused: Drive is off. Switch Drive on first."
        );
        now.drive.state = DriveState::Blocked;
        now.drive.reason = Some(Reason::StopCheck);
        now.refused = Some(Event::StopCheckFailed(F::StillMoving));
        assert_eq!(
            said(&now, Lang::En),
            "Stop check failed: the vehicle does not stop by itself in time. Lift your finger."
        );
        for event in [
            Event::StopCheckRefused(Reason::SwitchedOff),
            Event::StopCheckRefused(Reason::NotStanding),
            Event::StopCheckFailed(F::StillMoving),
            Event::StopCheckFailed(F::NotSeenMoving),
            Event::StopCheckFailed(F::PositionLost),
            Event::StopCheckFailed(F::Interrupted),
        ] {
            now.refused = Some(event);
            for lang in Lang::ALL {
                let said = said(&now, lang);
                check::sentence(&said, lang, &[]);
                assert!(said.contains(lang.pick("Stop check", "停车检测")), "{said}");
            }
        }
    }

    #[test]
    fn stop_outranks_everything_and_tells_sent_from_standing() {
        let mut now = online();
        now.foreign = Some(None);
        now.drive.state = DriveState::Stopped;
        now.drive.reason = Some(Reason::StopLatched);
        now.stop = Some(StopView {
            by: None,
            delivery: Delivery::Sent,
            is_opposed: false,
        });
        assert_eq!(
            said(&now, Lang::En),
            "STOP: sent, not yet published; vehicle not known to stand. Reset stop when all is clear."
        );
        now.stop = Some(StopView {
            by: Some("Tablet 3".into()),
            delivery: Delivery::Published,
            is_opposed: false,
        });
        now.motion = Motion::Standing;
        let calm = banner(&now, Lang::Zh).unwrap();
        assert_eq!(
            calm.text,
            "Tablet 3 停车：已发布；车辆静止。确认无碍后请解除停车。"
        );
        assert_eq!(calm.level, Level::Info);
    }

    #[test]
    fn a_stop_without_a_link_says_that_it_is_not_delivered() {
        let now = Snapshot {
            stop: Some(StopView::default()),
            ..Snapshot::default()
        };
        let said = banner(&now, Lang::En).unwrap();
        assert!(said.text.contains("could not be delivered; will be sent"));
        assert_eq!(said.level, Level::Bad);
        for lang in Lang::ALL {
            check::sentence(&stop_without_pilot(lang).text, lang, &[]);
        }
    }

    #[test]
    fn a_stop_that_somebody_works_against_points_to_the_red_button() {
        let mut now = online();
        now.stop = Some(StopView {
            is_opposed: true,
            delivery: Delivery::Published,
            by: None,
        });
        assert!(said(&now, Lang::En).contains("red button"));
    }

    #[test]
    fn every_banner_is_in_the_language_of_the_screen() {
        let data = ["Tablet 3", "/cmd_vel", "foo/msg/Bar"];
        for reason in reason::one_of_each() {
            for state in [DriveState::Blocked, DriveState::Ready, DriveState::Disarmed] {
                let mut now = online();
                now.drive.state = state;
                now.drive.reason = Some(reason.clone());
                for lang in Lang::ALL {
                    if let Some(banner) = banner(&now, lang) {
                        check::sentence(&banner.text, lang, &data);
                    }
                }
            }
            for state in [ToolsState::Armed, ToolsState::Blocked, ToolsState::Disarmed] {
                let mut now = online();
                now.tools.state = state;
                now.tools.reason = Some(reason.clone());
                for lang in Lang::ALL {
                    if let Some(banner) = banner(&now, lang) {
                        check::sentence(&banner.text, lang, &data);
                    }
                }
            }
        }
        for state in [
            LinkState::Slow,
            LinkState::Stalled,
            LinkState::Lost,
            LinkState::Offline,
        ] {
            let mut now = Snapshot::default();
            now.link.state = state;
            now.link.trouble = Some(Trouble::NeverOpened);
            now.link.retry_in_s = Some(2.4);
            for lang in Lang::ALL {
                check::sentence(&said(&now, lang), lang, &data);
            }
        }
    }

    #[test]
    fn each_step_of_a_stop_check_says_what_to_do() {
        for step in [
            StopCheckStep::Press,
            StopCheckStep::Drive,
            StopCheckStep::Watch,
        ] {
            for (is_cut, state) in [
                (false, DriveState::Ready),
                (true, DriveState::Ready),
                (true, DriveState::Blocked),
            ] {
                let mut now = online();
                now.stop_check.step = step;
                now.stop_check.is_cut = is_cut;
                now.drive.state = state;
                for lang in Lang::ALL {
                    check::sentence(&said(&now, lang), lang, &[]);
                }
            }
        }
    }

    #[test]
    fn what_stops_by_itself_is_counted_down() {
        let mut now = online();
        now.drive.vigilance_stop_in_s = Some(4.2);
        assert_eq!(
            said(&now, Lang::En),
            "The drive stops in 5 s: move the finger a little, or tap another key."
        );
        now.drive.vigilance_stop_in_s = None;
        now.tools.presence_stop_in_s = Some(9.0);
        for lang in Lang::ALL {
            check::sentence(&said(&now, lang), lang, &[]);
        }
    }
}
