//! What the sheet says.

use super::ImportedFile;
use crate::chart::quality::{Solution, rank};
use crate::chart::speed_check::SpeedVerdict;
use crate::chart::surveyor::{
    FileKind, Glance, Happening, STRIP_NO_QUALITY, STRIP_NOTHING, Source,
};
use crate::chart::thinned::ColourBy;
use crate::lang::Lang;
use crate::rtk::settings::SpeedUnit;
use crate::rtk::view::{RtkState, RtkView};
use crate::words::InWords;
use crate::words::number::{degrees, fixed, seconds};
use crate::words::state::quality;

const NONE: &str = "—";

/// A solution as far as it counts now.
pub(super) fn solution(
    solution: Option<i64>,
    source: Source,
    view: &RtkView,
    is_heading: bool,
    lang: Lang,
) -> String {
    match view.state {
        RtkState::Live if source == Source::NavSatFix => {
            let is_there = !is_heading || view.heading.is_some();
            if is_there {
                lang.pick("Quality unknown", "质量未知").to_owned()
            } else {
                RtkState::None.in_words(lang).into_owned()
            }
        }
        RtkState::Live => quality(solution, lang).into_owned(),
        state => state.in_words(lang).into_owned(),
    }
}

pub(super) fn heading(heading: Option<f64>, lang: Lang) -> String {
    let word = lang.pick("Heading", "航向");
    match heading {
        Some(heading) => [word, " ", &degrees(heading)].concat(),
        None => word.to_owned(),
    }
}

/// What is wrong with the newest message; empty when nothing is.
pub(super) fn trouble(state: RtkState, problem: Option<&str>, is_held: bool, lang: Lang) -> String {
    let what = match state {
        RtkState::Invalid if is_held => lang.pick(
            "The newest position is too far away to have been driven to",
            "最新位置距离过远，不可能驶达",
        ),
        RtkState::Invalid => lang.pick("The position cannot be used", "位置不可用"),
        RtkState::Live if problem.is_some() => {
            lang.pick("The heading cannot be used", "航向不可用")
        }
        RtkState::Frozen => lang.pick(
            "Position and heading stay the same to the last bit although the vehicle moves",
            "车辆在移动，但位置和航向的数值完全不变",
        ),
        _ => return String::new(),
    };
    match problem {
        Some(problem) => [what, lang.pick(": ", "："), problem].concat(),
        None => what.to_owned(),
    }
}

pub(super) fn rate_and_age(rate_hz: f64, age_ms: Option<f64>, lang: Lang) -> String {
    let age = age_ms.map_or_else(|| NONE.to_owned(), |age| seconds(age, lang));
    [&fixed(rate_hz, 1), " Hz · ", &age].concat()
}

pub(super) fn unit(unit: SpeedUnit, lang: Lang) -> &'static str {
    match unit {
        SpeedUnit::MetersPerSecond => "m/s",
        SpeedUnit::KilometersPerHour => "km/h",
        SpeedUnit::Knots => lang.pick("knots", "节"),
    }
}

pub(super) fn speed(speed: Option<f64>, shown: SpeedUnit, lang: Lang) -> String {
    let number = speed.map_or_else(
        || NONE.to_owned(),
        |speed| fixed(speed / shown.in_meters_per_second(), 2),
    );
    [&number, " ", unit(shown, lang)].concat()
}

pub(super) fn accuracy(source: Source, accuracy_95: Option<f64>, lang: Lang) -> String {
    match (source, accuracy_95) {
        (_, Some(meters)) => ["± ", &fixed(meters, 3), lang.pick(" m", " 米")].concat(),
        (Source::Rtk, None) => lang
            .pick("unknown (Rtk reports none)", "未知（Rtk 不提供）")
            .to_owned(),
        (Source::NavSatFix, None) => lang
            .pick("unknown (no covariance)", "未知（无协方差）")
            .to_owned(),
    }
}

pub(super) fn position(position: Option<(f64, f64)>) -> String {
    position.map_or_else(
        || NONE.to_owned(),
        |(lat, lon)| [fixed(lat, 8), fixed(lon, 8)].join(", "),
    )
}

pub(super) fn source(source: Source, lang: Lang) -> &'static str {
    match source {
        Source::Rtk => "Rtk",
        Source::NavSatFix => lang.pick(
            "NavSatFix: its status is not read as fixed or float",
            "NavSatFix：其状态不视为固定解或浮点解",
        ),
    }
}

pub(super) fn source_slug(source: Source) -> &'static str {
    match source {
        Source::Rtk => "rtk",
        Source::NavSatFix => "nav_sat_fix",
    }
}

/// The strip in shares.
pub(super) fn strip(strip: &[u8], lang: Lang) -> String {
    let heard: Vec<u8> = strip
        .iter()
        .copied()
        .filter(|cell| *cell != STRIP_NOTHING)
        .collect();
    if heard.is_empty() {
        return lang.pick("Nothing came yet", "尚无数据").to_owned();
    }
    let share = |test: &dyn Fn(u8) -> bool| {
        let count = heard.iter().filter(|cell| test(**cell)).count();
        fixed(100.0 * count as f64 / heard.len() as f64, 0) + "%"
    };
    let gaps = strip.len() - heard.len();
    let good = share(&|cell| cell == 4);
    let fair = share(&|cell| cell == 5);
    let none = share(&|cell| cell == STRIP_NO_QUALITY);
    let poor = share(&|cell| cell != STRIP_NO_QUALITY && rank(Some(i64::from(cell))) < 4);
    let gaps = seconds(gaps as f64 * 5000.0, lang);
    match lang {
        Lang::En => format!(
            "Fixed {good} (full height), float {fair} (two thirds), worse {poor} and unknown {none} (a third); {gaps} without messages"
        ),
        Lang::Zh => format!(
            "固定解 {good}（满格），浮点解 {fair}（三分之二），更差 {poor}、未知 {none}（三分之一）；无消息 {gaps}"
        ),
    }
}

pub(super) fn verdict_slug(verdict: SpeedVerdict) -> &'static str {
    match verdict {
        SpeedVerdict::Unknown => "unknown",
        SpeedVerdict::Fits => "fits",
        SpeedVerdict::LooksLike { .. } => "looks-like",
        SpeedVerdict::NoUnitFits { .. } => "no-unit",
    }
}

pub(super) fn verdict_is_bad(verdict: SpeedVerdict) -> bool {
    matches!(
        verdict,
        SpeedVerdict::LooksLike { .. } | SpeedVerdict::NoUnitFits { .. }
    )
}

pub(super) fn verdict(verdict: SpeedVerdict, profile: SpeedUnit, lang: Lang) -> String {
    let of_profile = unit(profile, lang);
    match (verdict, lang) {
        (SpeedVerdict::Unknown, Lang::En) => {
            format!(
                "{of_profile} by the profile; not compared yet: it takes some ten seconds of driving with a fixed or float position"
            )
        }
        (SpeedVerdict::Unknown, Lang::Zh) => {
            format!("配置为 {of_profile}；尚未比对：需在固定解或浮点解下行驶约十秒")
        }
        (SpeedVerdict::Fits, Lang::En) => {
            format!("{of_profile}, as the profile says: it fits the change of position")
        }
        (SpeedVerdict::Fits, Lang::Zh) => format!("{of_profile}，与配置一致：符合位置变化"),
        (SpeedVerdict::LooksLike { unit: found, ratio }, Lang::En) => format!(
            "Looks like {}: the reported number is {} times the change of position in m/s, and the profile says {of_profile}. Check rtk.speed_unit",
            unit(found, lang),
            fixed(ratio, 2)
        ),
        (SpeedVerdict::LooksLike { unit: found, ratio }, Lang::Zh) => format!(
            "疑似 {}：上报值为位置变化（m/s）的 {} 倍，而配置为 {of_profile}。请检查 rtk.speed_unit",
            unit(found, lang),
            fixed(ratio, 2)
        ),
        (SpeedVerdict::NoUnitFits { ratio }, Lang::En) => format!(
            "Fits no unit: the reported number is {} times the change of position in m/s (m/s 1, knots 1.94, km/h 3.6)",
            fixed(ratio, 2)
        ),
        (SpeedVerdict::NoUnitFits { ratio }, Lang::Zh) => format!(
            "不符合任何单位：上报值为位置变化（m/s）的 {} 倍（m/s 为 1，节为 1.94，km/h 为 3.6）",
            fixed(ratio, 2)
        ),
    }
}

/// How much is kept, since when, and whether it lasts.
pub(super) fn stored(glance: &Glance, clock: impl Fn(u64) -> String, lang: Lang) -> String {
    let megabytes = fixed(glance.bytes as f64 / 1e6, 1);
    let since = glance.since_unix_ms.map_or_else(|| NONE.to_owned(), clock);
    let count = glance.stored;
    let mut text = match lang {
        Lang::En => format!("{count} fixes since {since} ({megabytes} MB). "),
        Lang::Zh => format!("自 {since} 起 {count} 个定位点（{megabytes} MB）。"),
    };
    text += if glance.is_kept {
        lang.pick(
            "Kept in this browser through a reload; up to 360 000, then the oldest go.",
            "保存在本浏览器中，刷新后保留；最多 360 000 个，超出时删除最旧的。",
        )
    } else if glance.is_kept_elsewhere {
        lang.pick(
            "Another window of this browser keeps the track; this one shows it.",
            "轨迹由本浏览器的另一窗口保存；本窗口仅显示。",
        )
    } else {
        lang.pick(
            "Not kept by this browser: gone with the page.",
            "本浏览器未保存：关闭页面即丢失。",
        )
    };
    if glance.dropped > 0 {
        let dropped = glance.dropped;
        text += &match lang {
            Lang::En => format!(" {dropped} of the oldest had to go."),
            Lang::Zh => format!(" 已删除最旧的 {dropped} 个。"),
        };
    }
    text
}

pub(super) fn legend(by: ColourBy, lang: Lang) -> &'static str {
    match by {
        ColourBy::Quality => lang.pick(
            "Fixed: green, unbroken. Float: orange, dashed. Worse: red, dotted. No quality: grey.",
            "固定解：绿色实线。浮点解：橙色虚线。更差：红色点线。无质量：灰色。",
        ),
        ColourBy::Speed => lang.pick(
            "Blue is slow, green 1 m/s and more, red 3 m/s and more. Grey: not reported.",
            "蓝色为慢，绿色为 1 m/s 以上，红色为 3 m/s 以上。灰色：未上报。",
        ),
    }
}

pub(super) fn file_kind(kind: FileKind) -> &'static str {
    match kind {
        FileKind::GeoJson => "GeoJSON",
        FileKind::Gpx => "GPX",
        FileKind::Csv => "CSV",
    }
}

pub(super) fn imported(file: &ImportedFile, lang: Lang) -> String {
    let (name, fixes) = (&file.name, file.fixes);
    let problems = file.problems.len() + file.more_problems;
    match (problems, lang) {
        (0, Lang::En) => format!("{name}: {fixes} fixes, all read; blue dots on the map."),
        (0, Lang::Zh) => format!("{name}：{fixes} 个定位点，全部读取；地图上为蓝色点线。"),
        (_, Lang::En) => format!(
            "{name}: {fixes} fixes read, blue dots on the map; {problems} could not be read:"
        ),
        (_, Lang::Zh) => {
            format!("{name}：已读取 {fixes} 个定位点，地图上为蓝色点线；{problems} 处无法读取：")
        }
    }
}

pub(super) fn happening(what: &Happening, lang: Lang) -> String {
    let meters = |distance: f64| fixed(distance, 1);
    match what {
        Happening::Solution(which, from, to) => {
            let name = match which {
                Solution::Position => lang.pick("Position", "位置"),
                Solution::Heading => lang.pick("Heading", "航向"),
            };
            [
                name,
                lang.pick(": ", "："),
                &quality(*from, lang),
                " → ",
                &quality(*to, lang),
            ]
            .concat()
        }
        Happening::State(state) => [
            lang.pick("The fix is now: ", "定位状态："),
            &state.in_words(lang),
        ]
        .concat(),
        Happening::Held(distance) => match lang {
            Lang::En => format!("A jump of {} m is not believed yet", meters(*distance)),
            Lang::Zh => format!("跳变 {} 米，暂不采信", meters(*distance)),
        },
        Happening::Relocated(distance) => match lang {
            Lang::En => format!(
                "The vehicle is {} m elsewhere: the line is broken",
                meters(*distance)
            ),
            Lang::Zh => format!("车辆已在 {} 米之外：轨迹在此断开", meters(*distance)),
        },
        Happening::Speed(found) => {
            let word = lang.pick("Unit of the speed: ", "速度单位：");
            let found = match found {
                SpeedVerdict::Unknown => NONE.to_owned(),
                SpeedVerdict::Fits => lang.pick("fits", "相符").to_owned(),
                SpeedVerdict::LooksLike { unit: found, ratio } => [
                    lang.pick("looks like ", "疑似 "),
                    unit(*found, lang),
                    " (×",
                    &fixed(*ratio, 2),
                    ")",
                ]
                .concat(),
                SpeedVerdict::NoUnitFits { ratio } => [
                    lang.pick("none fits", "均不符"),
                    " (×",
                    &fixed(*ratio, 2),
                    ")",
                ]
                .concat(),
            };
            [word, &found].concat()
        }
        Happening::Dropped(_) => lang
            .pick(
                "The track is full: the oldest fixes go from now on",
                "轨迹已满：此后删除最旧的定位点",
            )
            .to_owned(),
        Happening::Damaged(problem) => [
            lang.pick(
                "A part of the kept track could not be read: ",
                "保存的部分轨迹无法读取：",
            ),
            problem,
        ]
        .concat(),
        Happening::NotKept(cause) => [
            lang.pick(
                "The browser does not keep the track: ",
                "浏览器未保存轨迹：",
            ),
            cause,
        ]
        .concat(),
        Happening::KeptElsewhere => lang
            .pick(
                "Another window of this browser keeps the track",
                "轨迹由本浏览器的另一窗口保存",
            )
            .to_owned(),
        Happening::Source(found) => [
            lang.pick("Positions come from: ", "位置来源："),
            source_name(*found),
        ]
        .concat(),
    }
}

fn source_name(source: Source) -> &'static str {
    match source {
        Source::Rtk => "Rtk",
        Source::NavSatFix => "NavSatFix",
    }
}
