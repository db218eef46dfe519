//! Words of the work on the map: what is drawn, swept, ahead, measured and taught; reached by the
//! later program alone.

use std::borrow::Cow;

use super::label::labels;
use super::number::{degrees, fixed, speed};
use super::{InWords, Lang};
use crate::chart::drawn::{Kind, Refusal};
use crate::chart::exchange::drawing::{Problem, Why};
use crate::chart::exchange::{Flaw, Place, TrackProblem};
use crate::chart::measure::Measured;
use crate::chart::told::Brush;
use crate::chart::work::{Counting, Warning, Watching};

labels! {
    /// One fixed word or sentence of the work on the map.
    WorkLabel:

    Work: "Work", "作业";
    Swept: "Swept area", "已清扫面积";
    ForgetSwept: "Forget the swept area", "清除已清扫记录";
    Draw: "Draw", "绘制";
    Measure: "Measure", "测量";
    Undo: "Undo", "撤销";
    Redo: "Redo", "重做";
    Finish: "Finish", "完成";
    Close: "Close", "关闭";
    AtTheVehicle: "At the vehicle", "取车辆位置";
    LastCornerBack: "Last one back", "撤回上一点";
    RemoveCorner: "Remove corner", "删除角点";
    Edit: "Edit", "编辑";
    Remove: "Remove", "删除";
    Name: "Name", "名称";
    Drawn: "Drawn things", "绘制内容";
    NothingDrawn: "Nothing is drawn yet.", "尚未绘制任何内容。";
    Export: "Export GeoJSON", "导出 GeoJSON";
    Import: "Import GeoJSON", "导入 GeoJSON";
    KeptHere: "Kept in this browser, for this vehicle.", "保存在此浏览器中，仅用于此车辆。";
    NotKept: "This browser does not keep it: export it before the page is closed.", "此浏览器无法保存：请在关闭页面前导出。";
    Aid: "Keep-outs and fences are an aid: they warn of what somebody drew, by the position as it is reported, and protect nobody.",
        "禁区和围栏仅为辅助：只按绘制内容和上报位置提醒，不能保护任何人。";
    SlowsDown: "They also lower the speed limit, as the profile asks.", "并按配置降低限速。";
    Route: "Teach a route", "示教路线";
    Record: "Record", "录制";
    StopRecording: "End recording", "结束录制";
    Recording: "recording", "录制中";
    NotRecording: "only fixed positions are taken", "仅记录固定解位置";
    Simplify: "Simplify", "简化";
    EditPoints: "Edit points", "编辑路点";
    RemoveRoute: "Forget the route", "清除路线";
    Service: "Correction service", "差分服务";
    ExportRoute: "Export GeoJSON", "导出 GeoJSON";
    ExportPath: "Export as nav_msgs/Path", "导出为 nav_msgs/Path";
    BrushIsThick: "Thick where the brush was published on.", "粗线表示刷盘已发布开启。";

    // what a tap does now
    TapToChoose: "Tap a shape to choose it.", "点按图形以选择。";
    TapCorners: "Tap the corners; the first one again closes it.", "依次点按角点；再点第一个角点闭合。";
    TapPlace: "Tap the place.", "点按位置。";
    TapToEdit: "Tap a corner, then where it belongs; tap a line to add one.", "先点角点，再点新位置；点线可加点。";
    TapToMeasure: "Tap the places to measure between.", "依次点按要测量的位置。";
}

impl InWords for Kind {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Zone => lang.pick("Zone", "作业区"),
            Self::KeepOut => lang.pick("Keep-out", "禁区"),
            Self::Fence => lang.pick("Fence", "围栏"),
            Self::Point => lang.pick("Point", "标记点"),
        })
    }
}

impl InWords for Brush {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Unknown => lang.pick("brush: nothing published", "刷盘：未发布"),
            Self::Off => lang.pick("brush: published off", "刷盘：已发布关闭"),
            Self::On => lang.pick("brush: published on", "刷盘：已发布开启"),
        })
    }
}

impl InWords for Counting {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::NoFix => lang.pick("does not grow: no live position", "不增加：没有实时位置"),
            Self::NotFixed => lang.pick(
                "does not grow: the position is not fixed (4)",
                "不增加：位置不是固定解（4）",
            ),
            Self::NoHeading => lang.pick(
                "does not grow: the heading is not good",
                "不增加：航向不可用",
            ),
            Self::BrushUnknown => lang.pick(
                "does not grow: nothing is published on McCtrl",
                "不增加：McCtrl 上没有发布",
            ),
            Self::BrushOff => lang.pick(
                "does not grow: the brush is published off",
                "不增加：刷盘已发布关闭",
            ),
            Self::Counts => lang.pick(
                "grows: fixed, and the brush is published on",
                "增加中：固定解，刷盘已发布开启",
            ),
        })
    }
}

impl InWords for Watching {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::NothingDrawn => lang.pick(
                "No keep-out or fence is drawn here.",
                "此处没有绘制禁区或围栏。",
            ),
            Self::NoGoodFix => lang.pick(
                "Keep-outs and fences are not watched: position or heading is not good.",
                "未监视禁区和围栏：位置或航向不可用。",
            ),
            Self::Watches => lang.pick("Keep-outs and fences are watched.", "正在监视禁区和围栏。"),
            Self::NotThisKind => lang.pick(
                "Keep-outs and fences are not watched for a vehicle that flies.",
                "不为飞行器监视禁区和围栏。",
            ),
        })
    }
}

impl InWords for Refusal {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::TooFewCorners => {
                lang.pick("It needs at least three corners.", "至少需要三个角点。")
            }
            Self::CrossesItself => lang.pick("Its line would cross itself.", "边线会自相交叉。"),
            Self::NoInside => lang.pick("It has no inside.", "没有内部面积。"),
            Self::OffTheEarth => lang.pick(
                "A latitude or longitude is outside its range.",
                "纬度或经度超出范围。",
            ),
            Self::TooManyCorners => lang.pick("It has too many corners.", "角点过多。"),
            Self::TooManyShapes => lang.pick("There are too many shapes.", "图形过多。"),
            Self::Gone => lang.pick("It is not there any more.", "该图形已不存在。"),
        })
    }
}

impl InWords for TrackProblem {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        if lang == Lang::En {
            return Cow::Owned(self.to_string());
        }
        let at = match self.at {
            Place::File => String::new(),
            Place::Line(line) => format!("第 {line} 行："),
            Place::Feature(feature) => format!("要素 {feature}："),
            Place::Point(feature, point) => format!("要素 {feature} 的第 {point} 点："),
        };
        let why = match &self.why {
            Flaw::NotJson(words) => format!("不是 JSON：{words}"),
            Flaw::NoFeatures => "不是 FeatureCollection：缺少 features".to_owned(),
            Flaw::NoTrack(geometry) if geometry.is_empty() => "没有几何图形".to_owned(),
            Flaw::NoTrack(geometry) => format!("{geometry} 不是轨迹"),
            Flaw::NoNumbers => "不是两个数字".to_owned(),
            Flaw::NoGpx => "没有 gpx 元素".to_owned(),
            Flaw::NotClosed => "标签未结束".to_owned(),
            Flaw::EndsEarly => "文件不完整".to_owned(),
            Flaw::Missing(name) => format!("缺少 {name}"),
            Flaw::Fields(found, wanted) => format!("有 {found} 个字段，应为 {wanted} 个"),
            Flaw::Unreadable(name, text) => format!("{name} 为“{text}”，无法读取"),
            Flaw::Outside(name, value, low, high) => {
                format!("{name} 为 {value}，超出 {low} 至 {high}")
            }
        };
        Cow::Owned(at + &why)
    }
}

impl InWords for Problem {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        let mut text = String::new();
        if self.feature > 0 {
            let number = self.feature.to_string();
            text += &[lang.pick("Feature ", "要素 "), &number].concat();
            if !self.name.is_empty() {
                text += &[lang.pick(" (“", "（“"), &self.name, lang.pick("”)", "”）")].concat();
            }
            text += lang.pick(": ", "：");
        }
        text += &match &self.why {
            Why::NotJson(words) => [
                lang.pick("The file is not JSON: ", "文件不是 JSON："),
                words,
            ]
            .concat(),
            Why::NoFeatures => lang
                .pick(
                    "The file is no GeoJSON: it has no features.",
                    "文件不是 GeoJSON：没有要素。",
                )
                .to_owned(),
            Why::Geometry(found) if found.is_empty() => lang
                .pick("it has no geometry.", "没有几何图形。")
                .to_owned(),
            Why::Geometry(found) => [
                found.as_str(),
                lang.pick(" is neither an area nor a point.", " 既不是区域也不是点。"),
            ]
            .concat(),
            Why::Kind(found) => [
                lang.pick("its kind is “", "类型为“"),
                found,
                lang.pick("”, which does not fit.", "”，不适用。"),
            ]
            .concat(),
            Why::Place(number) => [
                lang.pick("its place ", "第 "),
                &number.to_string(),
                lang.pick(" is no two numbers.", " 个坐标不是两个数字。"),
            ]
            .concat(),
            Why::Refused(refusal) => refusal.in_words(lang).into_owned(),
            Why::Holes => lang
                .pick("its holes are left out.", "其中的孔洞已忽略。")
                .to_owned(),
        };
        Cow::Owned(text)
    }
}

/// What is ahead, over the map. `limit`: m/s that the speed is limited to because of it.
#[must_use]
pub fn warning(
    kind: Kind,
    name: &str,
    warning: &Warning,
    limit: Option<f64>,
    lang: Lang,
) -> String {
    let mut text = kind.in_words(lang).into_owned();
    if !name.is_empty() {
        text += &[lang.pick(" “", "“"), name, lang.pick("”", "”")].concat();
    }
    if warning.distance > 0.0 {
        text += &[
            lang.pick(" ", "："),
            lang.pick("", "前方 "),
            &fixed(warning.distance, 1),
            lang.pick(" m ahead", " 米"),
        ]
        .concat();
    } else {
        text += lang.pick(": too near", "：过近");
    }
    if let Some(limit) = limit {
        text += &[lang.pick("; limit ", "；限速 "), &speed(limit)].concat();
    }
    text
}

/// `123.4 m²`.
#[must_use]
pub fn area(square_meters: f64) -> String {
    let decimals = if square_meters < 10_000.0 { 1 } else { 0 };
    [&fixed(square_meters, decimals), " m²"].concat()
}

/// `12.34 m`.
#[must_use]
pub fn length(meters: f64) -> String {
    let decimals = if meters < 1000.0 { 2 } else { 0 };
    [&fixed(meters, decimals), " m"].concat()
}

/// `45.3 %`; a zone without a square says so.
#[must_use]
pub fn percent(percent: Option<f64>) -> String {
    percent.map_or_else(|| "—".to_owned(), |percent| fixed(percent, 1) + " %")
}

/// What a line of places measures, in one line.
#[must_use]
pub fn measured(measured: &Measured, lang: Lang) -> String {
    let Some(leg) = measured.leg else {
        return WorkLabel::TapToMeasure.text(lang).to_owned();
    };
    let mut text = length(leg);
    if let Some(bearing) = measured.bearing {
        text += &[lang.pick(" at ", "，方位 "), &degrees(bearing)].concat();
    }
    // Of a single leg the sum is the same.
    if (measured.length - leg).abs() > 1e-9 {
        text += &[
            lang.pick("; together ", "；合计 "),
            &length(measured.length),
        ]
        .concat();
    }
    if let (Some(inside), Some(around)) = (measured.area, measured.around) {
        text += &[
            lang.pick("; closed ", "；闭合面积 "),
            &area(inside),
            lang.pick(", around ", "，周长 "),
            &length(around),
        ]
        .concat();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::check;

    #[test]
    fn every_word_of_the_work_is_there_in_both_languages() {
        for label in WorkLabel::ALL {
            check::both_languages(label, &[]);
        }
        for kind in Kind::ALL {
            check::both_languages(&kind, &[]);
        }
        for brush in [Brush::Unknown, Brush::Off, Brush::On] {
            check::both_languages(&brush, &[]);
        }
        for counting in [
            Counting::NoFix,
            Counting::NotFixed,
            Counting::NoHeading,
            Counting::BrushUnknown,
            Counting::BrushOff,
            Counting::Counts,
        ] {
            check::both_languages(&counting, &[]);
        }
        for watching in [
            Watching::NothingDrawn,
            Watching::NoGoodFix,
            Watching::Watches,
            Watching::NotThisKind,
        ] {
            check::both_languages(&watching, &[]);
        }
    }

    #[test]
    fn every_problem_of_a_track_is_told_in_both_languages() {
        let name = || "lat".to_owned();
        for (at, why) in [
            (Place::File, Flaw::NotJson("at line 2".into())),
            (Place::File, Flaw::NoFeatures),
            (Place::Feature(2), Flaw::NoTrack("Polygon".into())),
            (Place::Feature(2), Flaw::NoTrack(String::new())),
            (Place::Point(2, 3), Flaw::NoNumbers),
            (Place::Line(1), Flaw::NoGpx),
            (Place::Line(4), Flaw::NotClosed),
            (Place::Line(4), Flaw::EndsEarly),
            (Place::Line(4), Flaw::Missing(name())),
            (Place::Line(4), Flaw::Fields(3, 4)),
            (Place::Line(4), Flaw::Unreadable(name(), "north".into())),
            (Place::Line(4), Flaw::Outside(name(), 95.0, -90, 90)),
        ] {
            let problem = TrackProblem { at, why };
            let [english, chinese] = [Lang::En, Lang::Zh].map(|lang| problem.in_words(lang));
            assert!(english.is_ascii() || english.contains('“'), "{english}");
            assert!(!chinese.is_ascii(), "{chinese}");
        }
        let problem = TrackProblem {
            at: Place::Line(4),
            why: Flaw::Outside(name(), 95.0, -90, 90),
        };
        assert_eq!(
            problem.in_words(Lang::En),
            "line 4: lat is 95, outside -90 to 90"
        );
        assert_eq!(
            problem.in_words(Lang::Zh),
            "第 4 行：lat 为 95，超出 -90 至 90"
        );
    }

    #[test]
    fn every_problem_of_a_file_names_feature_and_reason() {
        let all = [
            Refusal::TooFewCorners,
            Refusal::CrossesItself,
            Refusal::NoInside,
            Refusal::OffTheEarth,
            Refusal::TooManyCorners,
            Refusal::TooManyShapes,
            Refusal::Gone,
        ];
        let others = [
            Why::NotJson("at line 2".into()),
            Why::NoFeatures,
            Why::Geometry("LineString".into()),
            Why::Geometry(String::new()),
            Why::Kind("field".into()),
            Why::Place(3),
            Why::Holes,
        ];
        for why in all.into_iter().map(Why::Refused).chain(others) {
            for (feature, name) in [(0, ""), (4, ""), (4, "Yard")] {
                let problem = Problem {
                    feature,
                    name: name.into(),
                    why: why.clone(),
                };
                check::both_languages(&problem, &["at line 2", "LineString", "field", "Yard"]);
            }
        }
        let problem = Problem {
            feature: 4,
            name: "Yard".into(),
            why: Why::Place(3),
        };
        assert_eq!(
            problem.in_words(Lang::En),
            "Feature 4 (“Yard”): its place 3 is no two numbers."
        );
    }

    #[test]
    fn a_warning_names_what_is_ahead_how_far_and_the_limit() {
        let near = Warning {
            id: 1,
            distance: 1.24,
        };
        let said = |lang| warning(Kind::KeepOut, "Stairs", &near, Some(0.3), lang);
        assert_eq!(
            said(Lang::En),
            "Keep-out “Stairs” 1.2 m ahead; limit 0.30 m/s"
        );
        assert_eq!(said(Lang::Zh), "禁区“Stairs”：前方 1.2 米；限速 0.30 m/s");
        let at_once = Warning {
            id: 1,
            distance: 0.0,
        };
        for lang in Lang::ALL {
            let text = warning(Kind::Fence, "", &at_once, None, lang);
            check::sentence(&text, lang, &[]);
        }
    }

    #[test]
    fn a_measure_says_leg_bearing_sum_and_area() {
        let yard = Measured {
            leg: Some(20.0),
            bearing: Some(270.04),
            length: 60.0,
            area: Some(400.0),
            around: Some(80.0),
        };
        assert_eq!(
            measured(&yard, Lang::En),
            "20.00 m at 270.0°; together 60.00 m; closed 400.0 m², around 80.00 m"
        );
        for lang in Lang::ALL {
            check::sentence(&measured(&Measured::default(), lang), lang, &[]);
            check::sentence(&measured(&yard, lang), lang, &[]);
        }
        assert_eq!(percent(None), "—");
        assert_eq!(percent(Some(45.31)), "45.3 %");
        assert_eq!(area(12_345.67), "12346 m²");
    }
}
