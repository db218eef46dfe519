//! The map's own words, in both languages.

use crate::rtk::view::RtkState;
use crate::units::decimal;
use crate::words::Lang;

/// A fixed word or sentence of the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Map,
    Follow,
    ZoomIn,
    ZoomOut,
    North,
    NoPosition,
    HeadingUnknown,
    GridOnly,
    Source,
    MapFailed,
}

impl Word {
    pub(super) fn text(self, lang: Lang) -> &'static str {
        match self {
            Self::Map => pick(lang, "Map", "地图"),
            Self::Follow => pick(lang, "Follow", "跟随"),
            Self::ZoomIn => pick(lang, "Zoom in", "放大"),
            Self::ZoomOut => pick(lang, "Zoom out", "缩小"),
            Self::North => pick(lang, "N", "北"),
            Self::NoPosition => pick(lang, "no position yet", "尚无定位"),
            Self::HeadingUnknown => pick(lang, "heading?", "定向？"),
            Self::GridOnly => pick(lang, "Grid", "网格"),
            Self::Source => pick(lang, "Map source", "地图来源"),
            Self::MapFailed => pick(
                lang,
                "No map: leaflet.js did not load or failed. The rest of the page goes on.",
                "无法显示地图：leaflet.js 未加载或出错。页面其余部分不受影响。",
            ),
        }
    }
}

/// The word beside a vehicle whose position is not live; empty for a live one.
pub(super) fn not_live(state: RtkState, lang: Lang) -> &'static str {
    match state {
        RtkState::Live => "",
        RtkState::None => pick(lang, "no data", "无数据"),
        RtkState::Stale => pick(lang, "stale", "过期"),
        RtkState::Frozen => pick(lang, "frozen", "冻结"),
        RtkState::Invalid => pick(lang, "invalid", "无效"),
    }
}

/// A round length of a scale bar: `5 m`, `2 km`, `20 cm`.
pub(super) fn length(meters: f64, lang: Lang) -> String {
    if meters >= 1000.0 {
        [&decimal(meters / 1000.0, 0), " ", pick(lang, "km", "公里")].concat()
    } else if meters >= 1.0 {
        [&decimal(meters, 0), " ", pick(lang, "m", "米")].concat()
    } else {
        [&decimal(meters * 100.0, 0), " ", pick(lang, "cm", "厘米")].concat()
    }
}

/// A tile source from which no tile came.
pub(super) fn no_tiles(source: &str, lang: Lang) -> String {
    match lang {
        Lang::En => format!("no tiles from {source}"),
        Lang::Zh => format!("{source}：无法加载瓦片"),
    }
}

/// A tile source whose address has a placeholder that nobody fills.
pub(super) fn bad_address(source: &str, placeholder: &str, lang: Lang) -> String {
    match lang {
        Lang::En => format!("{source}: the address has {{{placeholder}}}, which is unknown"),
        Lang::Zh => format!("{source}：地址中的 {{{placeholder}}} 无法识别"),
    }
}

fn pick<'a>(lang: Lang, en: &'a str, zh: &'a str) -> &'a str {
    match lang {
        Lang::En => en,
        Lang::Zh => zh,
    }
}
