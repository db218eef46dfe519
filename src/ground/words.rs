//! What is said of the map's ground.

use super::plan::{PlanProblem, PlanView};
use super::tiles::{Told, Trouble};
use crate::chart::pmtiles::PmtilesError;
use crate::chart::site_plan::PlanTrouble;
use crate::lang::Lang;
use crate::shell::tile_fetch::FetchTrouble;
use crate::words::number::fixed;

/// How the chosen source is doing.
pub(super) fn told(told: &Told, lang: Lang) -> String {
    let mut parts = Vec::new();
    if let Some(trouble) = &told.trouble {
        parts.push(trouble_words(trouble, lang));
    }
    if told.is_resting {
        parts.push(
            lang.pick(
                "It does not answer; it is asked again every 20 s.",
                "来源无响应，每 20 秒重试一次。",
            )
            .to_owned(),
        );
    }
    if told.is_not_kept {
        parts.push(
            lang.pick(
                "Its server does not allow keeping tiles: without it there are none.",
                "该服务器不允许保存瓦片：离线时无法显示。",
            )
            .to_owned(),
        );
    }
    let (device, source) = (told.from_device, told.from_source);
    if parts.is_empty() || device > 0 {
        parts.push(match lang {
            Lang::En => format!("Tiles drawn: {source} from the source, {device} kept here."),
            Lang::Zh => format!("已绘制瓦片：来自来源 {source}，来自本机 {device}。"),
        });
    }
    parts.join(lang.pick(" ", ""))
}

fn trouble_words(trouble: &Trouble, lang: Lang) -> String {
    match trouble {
        Trouble::Fetch(trouble) => fetch(trouble, lang),
        Trouble::NotAPicture => lang
            .pick("What came is no picture.", "收到的内容不是图片。")
            .to_owned(),
        Trouble::Archive(error) => archive(error, lang),
    }
}

fn fetch(trouble: &FetchTrouble, lang: Lang) -> String {
    match trouble {
        FetchTrouble::NoAnswer => lang.pick("No answer.", "无响应。").to_owned(),
        FetchTrouble::Status(404) => lang
            .pick(
                "Nothing at this address (HTTP 404).",
                "该地址没有内容（HTTP 404）。",
            )
            .to_owned(),
        FetchTrouble::Status(status) => match lang {
            Lang::En => format!("The server says HTTP {status}."),
            Lang::Zh => format!("服务器返回 HTTP {status}。"),
        },
        FetchTrouble::NoRanges => lang
            .pick(
                "The server sends whole files only; an archive needs byte ranges.",
                "服务器只发送整个文件；归档需要支持字节范围请求。",
            )
            .to_owned(),
    }
}

fn archive(error: &PmtilesError, lang: Lang) -> String {
    if lang == Lang::En {
        return ["The archive: ", &error.to_string(), "."].concat();
    }
    let said = match error {
        PmtilesError::CutOff { found, wanted } => {
            format!("文件不完整：应有 {wanted} 字节，仅有 {found} 字节")
        }
        PmtilesError::NotPmtiles => "不是 PMTiles 文件".to_owned(),
        PmtilesError::Version(version) => format!("不支持 PMTiles 第 {version} 版，仅支持第 3 版"),
        PmtilesError::Packing(name) => format!("压缩方式 {name} 不支持，仅支持不压缩和 gzip"),
        PmtilesError::NotPictures(what) => format!("瓦片是 {what}，不是图片"),
        PmtilesError::Damaged(what) => format!("文件损坏（{what}）"),
        PmtilesError::Entry { entry, reason } => {
            format!("文件损坏：目录第 {entry} 项（{reason}）")
        }
        PmtilesError::TooLarge { what, limit } => format!("{what} 超过 {limit} 字节，拒绝读取"),
    };
    ["归档：", &said, "。"].concat()
}

/// How much is kept.
pub(super) fn kept(tiles: usize, bytes: u64, trouble: Option<&str>, lang: Lang) -> String {
    let megabytes = fixed(bytes as f64 / 1e6, 1);
    let size = match lang {
        Lang::En => format!("Kept on this device: {tiles} tiles, {megabytes} MB."),
        Lang::Zh => format!("本机已保存：{tiles} 个瓦片，{megabytes} MB。"),
    };
    match trouble {
        None => size,
        Some(trouble) => [
            size.as_str(),
            lang.pick(" Not everything is kept: ", "部分未保存："),
            trouble,
        ]
        .concat(),
    }
}

/// Why there is no plan.
pub(super) fn plan_problem(problem: &PlanProblem, lang: Lang) -> String {
    let (name, what) = match problem {
        PlanProblem::Fetch(name, trouble) => (name, fetch(trouble, lang)),
        PlanProblem::NotThere(name) => (name, fetch(&FetchTrouble::Status(404), lang)),
        PlanProblem::NotAPicture(name) => (
            name,
            lang.pick(
                "No picture that this browser can show (PNG, JPEG, WebP, SVG).",
                "不是此浏览器可显示的图片（PNG、JPEG、WebP、SVG）。",
            )
            .to_owned(),
        ),
        PlanProblem::TooLarge(name) => (
            name,
            lang.pick("Larger than 40 MB.", "大于 40 MB。").to_owned(),
        ),
    };
    [name.as_str(), lang.pick(": ", "："), &what].concat()
}

/// What is to be done next while a plan is placed.
pub(super) fn step(plan: &PlanView, lang: Lang) -> String {
    let number = plan.draft.points().len() + 1;
    match (plan.draft.spot().is_some(), lang) {
        (true, Lang::En) => format!("Point {number}: tap the same place on the map."),
        (true, Lang::Zh) => format!("点 {number}：在地图上点按同一位置。"),
        (false, Lang::En) => format!("Point {number}: tap a corner or a mark on the plan."),
        (false, Lang::Zh) => format!("点 {number}：在图上点按一个角点或标志。"),
    }
}

/// How good the placement is, or what is missing.
pub(super) fn judgement(plan: &PlanView, lang: Lang) -> String {
    match plan.draft.judgement(plan.size) {
        Err(PlanTrouble::TooFew) => lang
            .pick("Two points are needed.", "至少需要两个点。")
            .to_owned(),
        Err(PlanTrouble::OnePlace) => lang
            .pick("The points are in one place.", "各点重合。")
            .to_owned(),
        Err(PlanTrouble::NotANumber) => lang
            .pick("A point is not a number.", "有一个点不是数字。")
            .to_owned(),
        Ok(judged) => {
            let scale = fixed(judged.meters_per_pixel * 100.0, 1);
            let worst = judged.residuals.iter().copied().fold(0.0, f64::max);
            let mut said = match lang {
                Lang::En => format!("{scale} cm a pixel. "),
                Lang::Zh => format!("每像素 {scale} 厘米。"),
            };
            if judged.is_checked {
                let worst = fixed(worst, 2);
                said.push_str(&match lang {
                    Lang::En => format!("Worst residual: {worst} m."),
                    Lang::Zh => format!("最大残差：{worst} 米。"),
                });
            } else {
                said.push_str(lang.pick(
                    "Two points fit always: a third one would prove it.",
                    "两点总能吻合：需要第三个点检验。",
                ));
            }
            if !judged.is_wide {
                said.push_str(lang.pick(
                    " The points lie close together: choose one farther away.",
                    "各点相距太近：请选择更远的点。",
                ));
            }
            said
        }
    }
}

/// A point of the list.
pub(super) fn point(number: usize, residual: Option<f64>, lang: Lang) -> String {
    let name = match lang {
        Lang::En => format!("Point {number}"),
        Lang::Zh => format!("点 {number}"),
    };
    match residual {
        None => name,
        Some(meters) => [
            name.as_str(),
            lang.pick(": ", "："),
            &fixed(meters, 2),
            lang.pick(" m off", " 米偏差"),
        ]
        .concat(),
    }
}
