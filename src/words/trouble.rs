//! Why there is no link, what failed while loading, what is wrong with the profile.
//!
//! A browser reports every failed connection alike, so the likely causes are named as likely.

use std::borrow::Cow;

use super::{InWords, Lang};
use crate::pilot::snapshot::Trouble;
use crate::profile::{Problem, ProfileProblem};
use crate::rosbridge::address::masked;

impl InWords for Trouble {
    /// One or two sentences: what is known, then the likely cause.
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        match self {
            Self::NeverOpened => Cow::Borrowed(lang.pick(
                "No connection could be opened. Likely: a wrong address, rosbridge not running, another network, or a firewall.",
                "无法建立连接。可能原因：地址错误、rosbridge 未运行、不在同一网络，或被防火墙拦截。",
            )),
            Self::ClosedAtOnce => Cow::Borrowed(lang.pick(
                "The connection opened and was closed at once. Likely: the server is not a rosbridge, or it is full.",
                "连接刚建立就被关闭。可能原因：该服务器不是 rosbridge，或已达连接上限。",
            )),
            Self::NoEcho { topic } => Cow::Owned(match lang {
                Lang::En => format!(
                    "Connected, but no heartbeat came back. Likely: not a rosbridge, or the server does not allow {topic}: add it to topics_glob."
                ),
                Lang::Zh => format!(
                    "已连接，但心跳没有返回。可能原因：该服务器不是 rosbridge，或未允许 {topic}：请将其加入 topics_glob。"
                ),
            }),
            Self::Refused { message } => Cow::Owned(match lang {
                Lang::En => format!(
                    "The browser refused the address: {message}. Likely: an https page cannot open ws://; use wss://, or open the page over http."
                ),
                Lang::Zh => format!(
                    "浏览器拒绝了该地址：{message}。可能原因：https 页面不能打开 ws://；请用 wss://，或以 http 打开页面。"
                ),
            }),
            Self::Closed => Cow::Borrowed(lang.pick(
                "The server closed the connection. Likely: rosbridge was restarted, or the vehicle was switched off.",
                "服务器关闭了连接。可能原因：rosbridge 重新启动，或车辆断电。",
            )),
        }
    }
}

impl InWords for ProfileProblem {
    /// The reason alone; the path stands beside it.
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Owned(match (&self.problem, lang) {
            (Problem::NotJson(error), Lang::En) => format!("not JSON: {error}"),
            (Problem::NotJson(error), Lang::Zh) => format!("不是 JSON：{error}"),
            (Problem::UnknownKey(None), Lang::En) => "unknown key".into(),
            (Problem::UnknownKey(None), Lang::Zh) => "未知的键".into(),
            (Problem::UnknownKey(Some(similar)), Lang::En) => {
                format!("unknown key (did you mean {similar}?)")
            }
            (Problem::UnknownKey(Some(similar)), Lang::Zh) => {
                format!("未知的键（是否应为 {similar}？）")
            }
            (Problem::WrongKind { expected }, Lang::En) => format!("expected {expected}"),
            (Problem::WrongKind { expected }, Lang::Zh) => {
                format!("应为{}", kind_in_chinese(expected))
            }
            (Problem::OutsideRange { value, range }, Lang::En) => {
                format!("{value} is outside {range}")
            }
            (Problem::OutsideRange { value, range }, Lang::Zh) => {
                format!("{value} 超出范围：{}", range_in_chinese(range))
            }
            (Problem::NotAChoice { value, choices }, Lang::En) => {
                format!("“{value}” is none of {}", choices.join(", "))
            }
            (Problem::NotAChoice { value, choices }, Lang::Zh) => {
                format!("“{value}”不在可选项中：{}", choices.join("、"))
            }
            (Problem::NotAWebSocketUrl(url), Lang::En) => {
                let url = masked(url);
                format!("“{url}” is not a ws:// or wss:// address")
            }
            (Problem::NotAWebSocketUrl(url), Lang::Zh) => {
                let url = masked(url);
                format!("“{url}”不是 ws:// 或 wss:// 地址")
            }
            (Problem::Missing, Lang::En) => "missing".into(),
            (Problem::Missing, Lang::Zh) => "缺失".into(),
            (Problem::Repeated, Lang::En) => "given more than once".into(),
            (Problem::Repeated, Lang::Zh) => "重复给出".into(),
        })
    }
}

fn kind_in_chinese(expected: &str) -> &str {
    match expected {
        "a number" => "数字",
        "text" => "文本",
        "an object" => "对象",
        "a list" => "列表",
        "1 to 40 visible characters" => "1 至 40 个可见字符",
        "a name as ROS has it" => "ROS 名称",
        "a type like geometry_msgs/msg/Twist" => "消息类型，如 geometry_msgs/msg/Twist",
        "another topic than that of cmd_vel" => "与 cmd_vel 不同的话题",
        "an address with {z}, {x} and {y}" => "含 {z}、{x}、{y} 的地址",
        "true or false" => "“真”或“假”（true / false）",
        "at least three [forward, left] pairs in metres" => "至少三个 [前, 左] 坐标对（米）",
        // A kind that is new in the reader is better shown in English than not at all.
        other => other,
    }
}

fn range_in_chinese(range: &str) -> String {
    range
        .replace("the whole numbers ", "整数 ")
        .replace("above ", "大于 ")
        .replace(" to ", " 至 ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;
    use crate::words::check;

    #[test]
    fn every_trouble_of_the_link_is_said_with_its_likely_cause() {
        for trouble in [
            Trouble::NeverOpened,
            Trouble::ClosedAtOnce,
            Trouble::NoEcho {
                topic: "/robot1/console/heartbeat".into(),
            },
            Trouble::Refused {
                message: "SecurityError: insecure".into(),
            },
            Trouble::Closed,
        ] {
            check::both_languages(
                &trouble,
                &["/robot1/console/heartbeat", "SecurityError: insecure"],
            );
            assert!(trouble.in_words(Lang::En).contains("Likely"), "{trouble:?}");
            assert!(trouble.in_words(Lang::Zh).contains("可能"), "{trouble:?}");
        }
    }

    #[test]
    fn every_problem_of_a_profile_is_said_in_both_languages() {
        let text = r#"{
            "vehicle": {"outline": 1, "kind": "boat"},
            "bridge": {"url": "http://x"},
            "drive": {"max_liner": 1, "max_linear": 0, "rate_hz": "fast", "deadman_ms": 1},
            "tools": {"engineer": 1},
            "map": {"sources": [{"name": 5}], "start": 4},
            "rtk": {"stale_after_s": 99},
            "screen": {"console_name": ""},
            "camera": {"topic": "a b", "topic": "a b"},
            "zzz": 1
        }"#;
        let problems = Profile::from_json(text).unwrap_err();
        assert!(problems.len() >= 14, "{problems:?}");
        let data = [
            "http://x",
            "boat",
            "max_linear",
            "sweeper",
            "multirotor",
            "true / false",
        ];
        for problem in &problems {
            check::both_languages(problem, &data);
        }
        let listed = Profile::from_json(r#"{"map": {"sources": 1}}"#).unwrap_err();
        check::both_languages(&listed[0], &[]);
        let broken = ProfileProblem::new("", Problem::NotJson("line 1".into()));
        check::both_languages(&broken, &["line 1"]);
    }
}
