//! Battery, tanks, motor currents, faults, and the parts of the machine.

use std::borrow::Cow;

use super::state::Grade;
use super::{InWords, Label, Lang, number};
use crate::viewer::levels::OLD_AFTER_S;
use crate::viewer::levels::{FaultLevel, FaultsView, Gauge, GaugeView};

impl InWords for Gauge {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Battery => lang.pick("Battery", "电池"),
            Self::CleanWater => lang.pick("Clean", "清水"),
            Self::DirtyWater => lang.pick("Dirty", "污水"),
            Self::DriveCurrent => lang.pick("Drive", "行走"),
            Self::RollBrushCurrent => lang.pick("Roll", "滚刷"),
            Self::SideBrushCurrent => lang.pick("Side", "边刷"),
            Self::SuctionCurrent => lang.pick("Suction", "吸风"),
        })
    }
}

/// A gauge's value and, when it is old, its age: `85 %`, `85 % · 12 s`, `unknown`, `no data`.
impl InWords for GaugeView {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        let value = match (self.value, self.age_s) {
            (_, None) => return Cow::Borrowed(lang.pick("no data", "无数据")),
            (None, _) => lang.pick("unknown", "未知").to_owned(),
            (Some(value), _) if self.gauge.is_current() => number::fixed(value, 1) + " A",
            (Some(value), _) => number::fixed(value * 100.0, 0) + " %",
        };
        Cow::Owned(value + &old(self.age_s, lang))
    }
}

/// The worst fault in the vehicle's own words, or that none is told.
impl InWords for FaultsView {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        let Some(worst) = &self.worst else {
            let words = match self.age_s {
                None => lang.pick("Faults: no data", "故障：无数据"),
                Some(_) => lang.pick("No fault told", "未报告故障"),
            };
            return Cow::Owned(words.to_owned() + &old(self.age_s, lang));
        };
        let level = match worst.level {
            FaultLevel::Warn | FaultLevel::Error => "",
            FaultLevel::Silent => lang.pick(" (not heard)", "（无信号）"),
            FaultLevel::Unknown => lang.pick(" (unknown level)", "（级别未知）"),
        };
        let more = match self.more {
            0 => String::new(),
            more => [" +", &number::fixed(f64::from(more), 0)].concat(),
        };
        let colon = lang.pick(": ", "：");
        let parts = [
            worst.name.as_str(),
            colon,
            &worst.message,
            level,
            &more,
            &old(Some(worst.age_s), lang),
        ];
        Cow::Owned(parts.concat())
    }
}

/// Metres above the start.
#[must_use]
pub fn altitude(meters: f64, lang: Lang) -> String {
    [
        lang.pick("Altitude ", "高度 "),
        &number::fixed(meters, 1),
        " m",
    ]
    .concat()
}

/// How fast it climbs or sinks. It holds its altitude only where it is known to be in the air with its
/// motors on.
#[must_use]
pub fn climb(speed: f64, motors: Option<bool>, landed: Option<bool>, lang: Lang) -> String {
    let way = match speed {
        speed if speed >= 0.05 => lang.pick(" up", " 上升"),
        speed if speed <= -0.05 => lang.pick(" down", " 下降"),
        _ => {
            return match (motors, landed) {
                (Some(true), Some(false)) => lang.pick("holds altitude", "保持高度"),
                (_, Some(true)) => Label::Landed.text(lang),
                (Some(false), _) => Label::MotorsOff.text(lang),
                _ => lang.pick("not known to fly", "未知是否在飞行"),
            }
            .to_owned();
        }
    };
    number::speed(speed.abs()) + way
}

/// Nothing is told of how it lies.
#[must_use]
pub fn no_attitude(lang: Lang) -> &'static str {
    lang.pick("Attitude and altitude: no data", "姿态与高度：无数据")
}

/// Under the drawing.
#[must_use]
pub fn legend(lang: Lang) -> &'static str {
    lang.pick("Dashed: wanted or not known", "虚线：期望或未知")
}

/// How a gauge stands; an old value is no better than none.
#[must_use]
pub fn grade_of(view: &GaugeView) -> Grade {
    let (Some(value), false) = (view.value, is_old(view.age_s)) else {
        return Grade::Absent;
    };
    let (left, low, poor) = match view.gauge {
        Gauge::Battery => (value, 0.2, 0.1),
        Gauge::CleanWater => (value, 0.1, 0.01),
        Gauge::DirtyWater => (1.0 - value, 0.1, 0.02),
        _ => return Grade::Good,
    };
    if left < poor {
        Grade::Poor
    } else if left < low {
        Grade::Fair
    } else {
        Grade::Good
    }
}

/// How the faults stand.
#[must_use]
pub fn grade_of_faults(view: &FaultsView) -> Grade {
    match &view.worst {
        Some(fault) if fault.level >= FaultLevel::Silent => Grade::Poor,
        Some(_) => Grade::Fair,
        None if is_old(view.age_s) => Grade::Absent,
        None => Grade::Good,
    }
}

/// Whether it is so old that it is said.
#[must_use]
pub fn is_old(age_s: Option<u32>) -> bool {
    age_s.is_none_or(|age| age > OLD_AFTER_S)
}

fn old(age_s: Option<u32>, lang: Lang) -> String {
    match age_s {
        Some(age) if is_old(age_s) => [" · ", &number::countdown(f64::from(age), lang)].concat(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::levels::Fault;
    use crate::words::check;

    fn gauge(gauge: Gauge, value: Option<f64>, age_s: Option<u32>) -> GaugeView {
        GaugeView {
            gauge,
            value,
            age_s,
        }
    }

    #[test]
    fn everything_is_said_in_both_languages() {
        for gauge in Gauge::ALL {
            check::both_languages(&gauge, &[]);
        }
        let fault = |level| FaultsView {
            age_s: Some(40),
            worst: Some(Fault {
                level,
                name: "Pump".into(),
                message: "blocked".into(),
                age_s: 40,
            }),
            more: 2,
        };
        for level in [FaultLevel::Silent, FaultLevel::Unknown, FaultLevel::Warn] {
            check::both_languages(&fault(level), &["Pump", "blocked"]);
        }
        for age_s in [None, Some(0), Some(60)] {
            let view = FaultsView {
                age_s,
                ..FaultsView::default()
            };
            check::both_languages(&view, &[]);
        }
    }

    #[test]
    fn a_value_is_said_with_its_age_as_soon_as_it_is_old() {
        let said = |value, age_s| {
            let view = gauge(Gauge::Battery, value, age_s);
            view.in_words(Lang::En).into_owned()
        };
        assert_eq!(said(Some(0.854), Some(1)), "85 %");
        assert_eq!(said(Some(0.854), Some(12)), "85 % · 12 s");
        assert_eq!(said(None, Some(0)), "unknown");
        assert_eq!(said(None, Some(12)), "unknown · 12 s");
        assert_eq!(said(None, None), "no data");
    }

    #[test]
    fn it_holds_its_altitude_only_where_it_is_known_to_fly() {
        let said = |motors, landed| climb(0.01, motors, landed, Lang::En);
        assert_eq!(said(Some(true), Some(false)), "holds altitude");
        assert_eq!(said(Some(false), Some(true)), "on the ground");
        assert_eq!(said(Some(true), Some(true)), "on the ground");
        assert_eq!(said(Some(false), None), "motors off");
        for (motors, landed) in [(None, None), (Some(true), None), (None, Some(false))] {
            assert_eq!(said(motors, landed), "not known to fly");
        }
        assert_eq!(climb(-0.5, None, None, Lang::En), "0.50 m/s down");
        assert_eq!(climb(0.0, Some(false), Some(true), Lang::Zh), "在地面");
    }

    #[test]
    fn a_fault_is_said_in_the_vehicles_words_with_how_many_more() {
        let view = FaultsView {
            age_s: Some(0),
            worst: Some(Fault {
                level: FaultLevel::Error,
                name: "Roll brush motor".into(),
                message: "overload".into(),
                age_s: 0,
            }),
            more: 2,
        };
        assert_eq!(view.in_words(Lang::En), "Roll brush motor: overload +2");
        assert_eq!(grade_of_faults(&view), Grade::Poor);
    }

    #[test]
    fn what_is_old_or_unknown_is_never_good() {
        let grade = |value, age_s| grade_of(&gauge(Gauge::CleanWater, value, age_s));
        assert_eq!(grade(Some(0.9), Some(0)), Grade::Good);
        assert_eq!(grade(Some(0.05), Some(0)), Grade::Fair);
        assert_eq!(grade(Some(0.0), Some(0)), Grade::Poor);
        assert_eq!(grade(Some(0.9), Some(60)), Grade::Absent);
        assert_eq!(grade(None, Some(0)), Grade::Absent);
        assert_eq!(grade(None, None), Grade::Absent);
        assert_eq!(grade_of_faults(&FaultsView::default()), Grade::Absent);
        let full = grade_of(&gauge(Gauge::DirtyWater, Some(0.99), Some(0)));
        assert_eq!(full, Grade::Poor);
    }
}
