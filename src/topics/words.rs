//! What the topics page says; reached by the viewer alone.

use super::Trouble;
use super::programs::State;
use crate::lang::Lang;
use crate::monitor::snapshot::{Conflict, Role};
use crate::msgs::form::{Mistake, Why};
use crate::tools::commissioning::Item;
use crate::viewer::snapshot::{
    CommandView, Component, LinkState, Shown, Standing, Summary, TopicRow, ViewerSnapshot,
};
use crate::viewer::tryout::{Refusal, Step};
use crate::words::number::{fixed, seconds};

const NONE: &str = "—";

/// How many topics there are, and whether anything is heard.
pub(super) fn state(seen: &ViewerSnapshot, lang: Lang) -> String {
    let (matching, all) = seen.counts;
    let link = match seen.link {
        LinkState::Online => "",
        LinkState::Connecting => lang.pick("Connecting. ", "正在连接。"),
        _ => lang.pick("Not connected. ", "未连接。"),
    };
    let count = match lang {
        Lang::En => format!("{link}{matching} of {all} topics. Tap one to see its newest message."),
        Lang::Zh => format!("{link}共 {all} 个话题，显示 {matching} 个。点按可查看最新消息。"),
    };
    let yields = if seen.yields { yields(lang) } else { "" };
    let trouble = if seen.trouble.is_empty() {
        String::new()
    } else {
        [
            lang.pick(" Newest trouble: ", " 最近的问题："),
            &seen.trouble,
        ]
        .concat()
    };
    [&count, " ", yields, &trouble].concat()
}

/// What a vehicle has that shows by its topics: attitude, velocity, McCtrl, position.
pub(super) fn vehicle([attitude, cmd_vel, mc_ctrl, rtk]: [bool; 4], lang: Lang) -> String {
    let words = [
        (attitude, lang.pick("flies", "飞行")),
        (cmd_vel, lang.pick("drive", "行驶")),
        (mc_ctrl, lang.pick("tools", "作业装置")),
        (rtk, lang.pick("position", "定位")),
    ];
    let there: Vec<_> = words.iter().filter(|(is_there, _)| *is_there).collect();
    let names: Vec<_> = there.iter().map(|(_, word)| *word).collect();
    names.join(" · ")
}

/// A topic that is not used, and that all others are.
pub(super) fn conflict(conflict: &Conflict, lang: Lang) -> String {
    let Conflict {
        topic,
        expected,
        found,
        ..
    } = conflict;
    let what = match (conflict.role, lang) {
        (Role::CmdVel, Lang::En) => "The vehicle cannot be driven by it.",
        (Role::CmdVel, Lang::Zh) => "无法通过该话题行驶。",
        (Role::McCtrl, Lang::En) => "The tools cannot be switched on.",
        (Role::McCtrl, Lang::Zh) => "作业装置无法启用。",
        (Role::Rtk, Lang::En) => "The position is not shown.",
        (Role::Rtk, Lang::Zh) => "不显示定位。",
        (Role::Attitude, Lang::En) => "It cannot be flown by its attitude.",
        (Role::Attitude, Lang::Zh) => "无法通过姿态飞行。",
    };
    match lang {
        Lang::En => format!(
            "{topic} does not fit: expected {expected}, the vehicle has {found}. {what} All other topics are used."
        ),
        Lang::Zh => {
            format!("{topic} 不符：应为 {expected}，车辆为 {found}。{what}其他话题不受影响。")
        }
    }
}

/// The link is slow.
pub(super) fn yields(lang: Lang) -> &'static str {
    lang.pick(
        "The link is slow: images and other large topics wait for it.",
        "链路缓慢：图像等大数据话题暂停接收。",
    )
}

pub(super) fn trouble(trouble: &Trouble, lang: Lang) -> String {
    match trouble {
        Trouble::Died(cause) => [
            lang.pick(
                "The topics program stopped and is started again. Driving is not affected. ",
                "话题程序已停止，正在重新启动。不影响驾驶。",
            ),
            lang.pick("Cause: ", "原因："),
            cause,
        ]
        .concat(),
        Trouble::OtherBuild => lang
            .pick(
                "This page and its topics program are of two releases: reload the page.",
                "页面与话题程序版本不一致：请重新加载页面。",
            )
            .to_owned(),
    }
}

/// Rate, bandwidth, age, publishers; a line for what is not known.
pub(super) fn traffic(row: &TopicRow, waited_ms: f64, lang: Lang) -> String {
    let mut parts = Vec::new();
    if let Some(traffic) = &row.traffic {
        let rate = traffic.rate_hz.map_or(NONE.into(), |rate| {
            let at_least = if traffic.is_at_limit { "≥ " } else { "" };
            format!("{at_least}{} Hz", fixed(rate, 1))
        });
        let bytes = traffic.bytes_per_s.map_or(NONE.into(), |bytes| {
            if bytes < 100_000.0 {
                format!("{} kB/s", fixed(bytes / 1000.0, 1))
            } else {
                format!("{} MB/s", fixed(bytes / 1e6, 2))
            }
        });
        let age = traffic
            .age_ms
            .map_or(NONE.into(), |age| ago(age + waited_ms, lang));
        parts.extend([rate, bytes, age]);
    }
    parts.push(match (row.publishers, lang) {
        (None, Lang::En) => "publishers not told".into(),
        (None, Lang::Zh) => "发布者未知".into(),
        (Some(1), Lang::En) => "1 publisher".into(),
        (Some(count), Lang::En) => format!("{count} publishers"),
        (Some(count), Lang::Zh) => format!("{count} 个发布者"),
    });
    parts.join(" · ")
}

fn ago(ms: f64, lang: Lang) -> String {
    seconds(ms, lang) + lang.pick(" ago", "前")
}

/// What stands in a line of the tree.
pub(super) fn value(shown: &Shown, lang: Lang) -> String {
    match shown {
        Shown::Number(number) => number.clone(),
        Shown::Bool(value) => value.to_string(),
        Shown::Text { text, left_out: 0 } => format!("\"{text}\""),
        Shown::Text { text, left_out } => match lang {
            Lang::En => format!("\"{text}…\" and {left_out} more characters"),
            Lang::Zh => format!("\"{text}…\" 另有 {left_out} 个字符"),
        },
        Shown::Nothing => lang.pick("null (not finite)", "null（非有限数）").into(),
        Shown::Bytes(count) => match lang {
            Lang::En => format!("{count} bytes"),
            Lang::Zh => format!("{count} 字节"),
        },
        Shown::Message => String::new(),
        Shown::Array { count, left_out: 0 } => format!("[{count}]"),
        Shown::Array { count, left_out } => match lang {
            Lang::En => format!("[{count}], {left_out} not shown"),
            Lang::Zh => format!("[{count}]，未显示 {left_out} 个"),
        },
    }
}

/// A number to the digits that matter within a range.
pub(super) fn short(value: f64, range: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-3..1e7).contains(&size) {
        return format!("{value:.2e}");
    }
    let digits = if range > 0.0 {
        2.0 - range.log10()
    } else {
        3.0
    };
    fixed(value, digits.ceil().clamp(0.0, 9.0) as usize)
}

pub(super) fn camera(age: Option<f64>, is_old: bool, yields: bool, lang: Lang) -> String {
    let age = match age {
        None => lang.pick("no picture yet", "尚无图像").to_owned(),
        Some(age) if is_old => [lang.pick("old: ", "旧图像："), &ago(age, lang)].concat(),
        Some(age) => ago(age, lang),
    };
    if yields {
        let why = lang.pick("waits for the slow link · ", "链路缓慢，暂停 · ");
        return [why, &age].concat();
    }
    age
}

fn number(value: Option<f64>, decimals: usize, unit: &str) -> String {
    value.map_or(NONE.into(), |value| {
        [&fixed(value, decimals), unit].concat()
    })
}

/// How a component stands with its commands, in few words; its own where they are not documented.
pub(super) fn standing(standing: &Standing, lang: Lang) -> String {
    let Standing { state, reason } = standing;
    match state.as_str() {
        "idle" => lang.pick("no command yet", "尚无指令").to_owned(),
        "active" => lang.pick("followed", "执行中").to_owned(),
        "limited" => lang.pick("limited by the vehicle", "被车辆限幅").to_owned(),
        "timed_out" => lang.pick("timed out, stopped", "超时，已停止").to_owned(),
        "refused" => [lang.pick("refused: ", "被拒绝："), reason].concat(),
        other => other.to_owned(),
    }
}

/// The same for the line beside the map.
pub(super) fn command(view: &CommandView, lang: Lang) -> String {
    let what = match view.component {
        Component::Velocity => lang.pick("Velocity command", "速度指令"),
        Component::Attitude => lang.pick("Attitude command", "姿态指令"),
    };
    let between = lang.pick(": ", "：");
    [what, between, &standing(&view.standing, lang)].concat()
}

/// The short form, in lines.
pub(super) fn summary(summary: &Summary, lang: Lang) -> Vec<String> {
    let labelled = |en: &str, zh: &str, value: String| [lang.pick(en, zh), " ", &value].concat();
    match summary {
        Summary::Command(said) => vec![standing(said, lang)],
        Summary::NavSatFix {
            lat,
            lon,
            altitude,
            status,
            sigma,
        } => {
            let status = match status {
                Some(-1) => lang.pick("no fix", "无定位"),
                Some(0) => lang.pick("fix", "已定位"),
                Some(1) => lang.pick("satellite-augmented fix", "星基增强定位"),
                Some(2) => lang.pick("ground-augmented fix", "地基增强定位"),
                _ => NONE,
            };
            vec![
                [&number(*lat, 7, "°"), ", ", &number(*lon, 7, "°")].concat(),
                [
                    status,
                    " · ",
                    &labelled("altitude", "高度", number(*altitude, 2, " m")),
                    " · ± ",
                    &number(*sigma, 3, " m"),
                ]
                .concat(),
            ]
        }
        Summary::Twist {
            forward,
            left,
            turn,
        } => vec![
            [
                labelled("forward", "前进", number(*forward, 2, " m/s")),
                labelled("left", "左", number(*left, 2, " m/s")),
                labelled("turn", "转向", number(*turn, 2, " rad/s")),
            ]
            .join(" · "),
        ],
        Summary::Odometry {
            frame,
            x,
            y,
            yaw_deg,
            speed,
            turn,
        } => vec![
            [
                frame.as_str(),
                ": x ",
                &number(*x, 2, " m"),
                ", y ",
                &number(*y, 2, " m"),
                ", ",
                &number(*yaw_deg, 1, "°"),
            ]
            .concat(),
            [
                labelled("speed", "速度", number(*speed, 2, " m/s")),
                labelled("turn", "转向", number(*turn, 2, " rad/s")),
            ]
            .join(" · "),
        ],
        Summary::Battery {
            voltage,
            current,
            level,
            status,
        } => {
            let status = match status {
                Some(1) => lang.pick("charging", "充电中"),
                Some(2) => lang.pick("discharging", "放电中"),
                Some(3) => lang.pick("not charging", "未充电"),
                Some(4) => lang.pick("full", "已充满"),
                _ => NONE,
            };
            let level = number(level.map(|level| level * 100.0), 0, " %");
            vec![
                [
                    &level,
                    &number(*voltage, 2, " V"),
                    &number(*current, 2, " A"),
                    status,
                ]
                .join(" · "),
            ]
        }
        Summary::Diagnostics {
            counts: [fine, warnings, errors, stale],
            statuses,
            left_out,
        } => {
            let mut lines = vec![match lang {
                Lang::En => {
                    format!("{errors} errors, {warnings} warnings, {stale} stale, {fine} fine")
                }
                Lang::Zh => format!("错误 {errors}，警告 {warnings}，过期 {stale}，正常 {fine}"),
            }];
            lines.extend(statuses.iter().map(|status| {
                let level = match status.level {
                    0 => lang.pick("fine", "正常"),
                    1 => lang.pick("warning", "警告"),
                    2 => lang.pick("error", "错误"),
                    _ => lang.pick("stale", "过期"),
                };
                [level, ": ", &status.name, ": ", &status.message].concat()
            }));
            if *left_out > 0 {
                lines.push(match lang {
                    Lang::En => format!("and {left_out} more"),
                    Lang::Zh => format!("另有 {left_out} 项"),
                });
            }
            lines
        }
        Summary::Image {
            format,
            bytes,
            can_be_shown,
        } => {
            let size = [&fixed(*bytes as f64 / 1000.0, 1), " kB"].concat();
            let mut line = [format.as_str(), " · ", &size].concat();
            if !can_be_shown {
                line.push_str(
                    lang.pick(" · no picture that a browser can show", " · 浏览器无法显示"),
                );
            }
            vec![line]
        }
    }
}

/// In test ids.
pub(super) fn check_slug(item: Item) -> &'static str {
    match item {
        Item::Brake => "brake",
        Item::BrushDeck => "deck",
        Item::Squeegee => "squeegee",
        Item::Steering => "steering",
        Item::Water => "water",
    }
}

pub(super) fn check_name(item: Item, lang: Lang) -> &'static str {
    match item {
        Item::Brake => lang.pick("Brake", "电磁刹"),
        Item::BrushDeck => lang.pick("Brush deck", "刷盘推杆"),
        Item::Squeegee => lang.pick("Squeegee", "吸扒推杆"),
        Item::Steering => lang.pick("Steering", "转向"),
        Item::Water => lang.pick("Water", "喷水"),
    }
}

/// What is sent while it is held.
pub(super) fn check_movement(item: Item, is_plus: bool) -> &'static str {
    match (item, is_plus) {
        (Item::Brake, true) => "brake 1",
        (Item::Brake, false) => "brake 0",
        (Item::Steering, true) => "+10°",
        (Item::Steering, false) => "−10°",
        (_, true) => "+",
        (_, false) => "−",
    }
}

/// What may be seen of the first of the two.
pub(super) fn check_answer(item: Item, is_positive: bool, lang: Lang) -> &'static str {
    match (item, is_positive) {
        (Item::Brake, true) => lang.pick("1 holds", "1 为锁定"),
        (Item::Brake, false) => lang.pick("1 releases", "1 为解除"),
        (Item::BrushDeck | Item::Squeegee, true) => lang.pick("+ lowers", "+ 为降下"),
        (Item::BrushDeck | Item::Squeegee, false) => lang.pick("+ raises", "+ 为升起"),
        (Item::Steering, true) => lang.pick("+ is left", "+ 为向左"),
        (Item::Steering, false) => lang.pick("+ is right", "+ 为向右"),
        (Item::Water, true) => lang.pick("+ sprays", "+ 为喷水"),
        (Item::Water, false) => lang.pick("+ drains", "+ 为反向"),
    }
}

pub(super) fn check_result(item: Item, found: Option<bool>, is_stated: bool, lang: Lang) -> String {
    match (found, item) {
        (Some(found), _) => {
            let by = if is_stated {
                lang.pick("As the profile states: ", "按配置文件：")
            } else {
                lang.pick("Seen on this vehicle: ", "已在车上确认：")
            };
            [by, check_answer(item, found, lang)].concat()
        }
        (None, Item::Steering) => lang
            .pick("Not checked: as the profile has it", "未检查：按配置文件")
            .to_owned(),
        (None, _) => lang
            .pick("Not checked: as documented", "未检查：按文档")
            .to_owned(),
    }
}

pub(super) fn check_needs_tools(lang: Lang) -> &'static str {
    lang.pick(
        "Switch Tools on first, with the vehicle standing and nobody near it.",
        "请先在车辆静止、周围无人时启用作业装置。",
    )
}

pub(super) fn check_how(lang: Lang) -> &'static str {
    lang.pick(
        "Hold a button and watch the vehicle: it moves only while held. Then say what you saw.",
        "按住按钮并观察车辆：仅在按住时动作。然后选择所见结果。",
    )
}

/// How far an edited set of programs has got.
pub(super) fn programs_state(state: State, lang: Lang) -> &'static str {
    match state {
        State::Own => lang.pick(
            "In use: the profile's programs.",
            "使用中：配置文件的程序。",
        ),
        State::Differs => lang.pick(
            "In use on this device: not the profile's programs.",
            "本机使用中：与配置文件的程序不同。",
        ),
        State::Changed => lang.pick("Changed, and not in use yet.", "已修改，尚未使用。"),
        State::NotTaken => lang.pick(
            "Not taken: lift every finger and let go of all keys, then use them again.",
            "未采用：请抬起所有手指并松开按键，然后重试。",
        ),
        State::Bad => lang.pick(
            "Not usable yet; in use is what was there before.",
            "暂不可用；仍使用之前的程序。",
        ),
    }
}

/// What an item of a step is.
pub(super) fn step_item(key: &str, lang: Lang) -> &'static str {
    match key {
        "for_s" => lang.pick("Time, s", "时间（秒）"),
        "brush_deck_pusher" => lang.pick("Brush deck", "刷盘推杆"),
        "suction_squeeqee_pusher" => lang.pick("Squeegee", "吸扒推杆"),
        "spray" => lang.pick("Water", "喷水"),
        "roll_brush_suction_direction" => lang.pick("Roll brush turns", "滚刷方向"),
        "roll_brush_suction" => lang.pick("Roll brush, %", "滚刷强度（%）"),
        "side_brush" => lang.pick("Side brush, %", "边刷（%）"),
        "dust_shake" => lang.pick("Dust shaker, %", "抖尘（%）"),
        _ => lang.pick("Water amount, %", "喷水量（%）"),
    }
}

/// One of the words that such an item can be.
pub(super) fn step_choice(key: &str, word: &str, lang: Lang) -> &'static str {
    match (key, word) {
        (_, "extend") => lang.pick("extend", "伸出"),
        (_, "retract") => lang.pick("retract", "收回"),
        (_, "true") => lang.pick("flows", "喷水"),
        (_, "0") => lang.pick("stop", "停止"),
        (_, "1") => lang.pick("forward", "正转"),
        (_, "2") => lang.pick("reverse", "反转"),
        ("spray", _) => lang.pick("off", "关"),
        _ => lang.pick("as it is", "保持"),
    }
}

/// Where a mistake in the programs is: the path, with the step as the screen numbers it.
pub(super) fn problem_place(path: &str, lang: Lang) -> String {
    let number = |name: &str| {
        let rest = path.split_once(name)?.1;
        let digits = rest.split(']').next()?.parse::<usize>().ok()?;
        Some((digits + 1).to_string())
    };
    let Some(program) = number("programs[") else {
        return path.to_owned();
    };
    let mut place = [lang.pick("Program ", "程序 "), &program].concat();
    if let Some(step) = number("steps[") {
        place += lang.pick(", step ", "，步骤 ");
        place += &step;
    }
    let key = path.rsplit('.').next().unwrap_or_default();
    let item = match key {
        "name" => lang.pick("name", "名称"),
        "steps" => lang.pick("steps", "步骤"),
        key if key.ends_with(']') => return place,
        key => step_item(key, lang),
    };
    place += lang.pick(", ", "，");
    place += item;
    place
}

/// How far a message or call by hand has got.
pub(super) fn tryout_slug(step: &Step) -> &'static str {
    match step {
        Step::None => "none",
        Step::Refused(_) => "refused",
        Step::Asking => "asking",
        Step::Ready => "ready",
        Step::Sent(_) => "sent",
        Step::Waiting => "waiting",
        Step::Answered(_) => "answered",
        Step::Failed(_) => "failed",
    }
}

pub(super) fn tryout_state(step: &Step, lang: Lang) -> String {
    let words = match step {
        Step::None => "",
        Step::Refused(refusal) => return refused(refusal, lang),
        Step::Asking => lang.pick("Asking the vehicle for the form …", "正在向车辆询问格式…"),
        Step::Ready => lang.pick("Nothing sent yet.", "尚未发送。"),
        Step::Sent(1) => lang.pick(
            "Sent once. What the vehicle makes of it is not known here.",
            "已发送 1 次。车辆如何处理，此处不得而知。",
        ),
        Step::Sent(count) => {
            let count = count.to_string();
            return match lang {
                Lang::En => ["Sent ", &count, " times."].concat(),
                Lang::Zh => ["已发送 ", &count, " 次。"].concat(),
            };
        }
        Step::Waiting => lang.pick("Called: no answer yet …", "已调用，等待应答…"),
        Step::Answered(_) => lang.pick("Answered:", "应答："),
        Step::Failed(why) => return [lang.pick("Failed: ", "失败："), why].concat(),
    };
    words.to_owned()
}

fn refused(refusal: &Refusal, lang: Lang) -> String {
    let words = match refusal {
        Refusal::Off => lang.pick("Switched off by the profile.", "配置文件未启用。"),
        Refusal::BadName => lang.pick(
            "Not a name, or not a type such as std_msgs/msg/String.",
            "名称无效，或类型不是 std_msgs/msg/String 这样的形式。",
        ),
        Refusal::Command => lang.pick(
            "Refused: commands and heartbeats are sent by the console alone, under its rules.",
            "已拒绝：指令和心跳只由控制台按其规则发送。",
        ),
        Refusal::OtherType(kind) => {
            let before = lang.pick("Refused: the topic is of type ", "已拒绝：该话题的类型是 ");
            return [before, kind].concat();
        }
        Refusal::NotListed => lang.pick(
            "Refused: the server does not list it.",
            "已拒绝：服务器未列出该服务。",
        ),
        Refusal::Rosapi => lang.pick(
            "Refused: a wrong argument can end rosapi for everybody.",
            "已拒绝：错误的参数会使 rosapi 对所有人失效。",
        ),
        Refusal::Offline => lang.pick("Not connected.", "未连接。"),
    };
    words.to_owned()
}

/// What was typed wrong, and where.
pub(super) fn mistake(mistake: &Mistake, lang: Lang) -> String {
    let why = match &mistake.why {
        Why::NotANumber => lang.pick("a number is expected", "应为数字").to_owned(),
        Why::NotWhole => lang
            .pick("a whole number is expected", "应为整数")
            .to_owned(),
        Why::Outside { from, to } => {
            let [from, to] = [from.to_string(), to.to_string()];
            match lang {
                Lang::En => ["outside ", &from, " to ", &to].concat(),
                Lang::Zh => ["超出范围 ", &from, " 至 ", &to].concat(),
            }
        }
        Why::NotFinite => lang
            .pick(
                "not finite, or too large for the type",
                "非有限数，或超出该类型",
            )
            .to_owned(),
        Why::NotBool => lang
            .pick("true or false is expected", "应为 true 或 false")
            .to_owned(),
        Why::NotText => lang.pick("text is expected", "应为文本").to_owned(),
        Why::NotAList => lang
            .pick(
                "a list in JSON is expected: [1, 2]",
                "应为 JSON 列表：[1, 2]",
            )
            .to_owned(),
        Why::Count { wanted } => {
            let wanted = wanted.to_string();
            match lang {
                Lang::En => ["the type has ", &wanted, " elements"].concat(),
                Lang::Zh => ["该类型有 ", &wanted, " 个元素"].concat(),
            }
        }
        Why::NotAnObject => lang
            .pick("an object in JSON is expected: { }", "应为 JSON 对象：{ }")
            .to_owned(),
        Why::NoSuchField => lang.pick("no such field", "没有该字段").to_owned(),
        Why::TooDeep => lang.pick("nested too deeply", "嵌套过深").to_owned(),
    };
    let colon = lang.pick(": ", "：");
    [mistake.path.as_str(), colon, &why].concat()
}
