//! The sheet: how good the position is and was, what may be wrong with it, the track, its files.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlInputElement};

use super::{Survey, is_bad, now_ms, words};
use crate::chart::surveyor::{FileKind, STRIP_NO_QUALITY, STRIP_NOTHING};
use crate::chart::thinned::ColourBy;
use crate::rtk::settings::SpeedUnit;
use crate::rtk::view::RtkState;
use crate::screen::data_state::{DataState, attribute};
use crate::viewer::SurveyWish;
use crate::words::state::Grade;
use crate::words::{InWords, number};

/// Cells of the strip, in pixels of its canvas.
const CELL: f64 = 5.0;
const STRIP_HEIGHT: f64 = 28.0;
/// "Forget the track" is asked twice, within so many milliseconds.
const SURE_MS: f64 = 5_000.0;
/// The largest file that is read.
const MOST_BYTES: f64 = 200e6;

/// The sheet; it lies where the settings do: neither over the pad nor over STOP.
pub(super) fn sheet(survey: Survey) -> impl IntoView {
    let is_shown = move || survey.is_open.get() && !survey.is_covered.get();
    Effect::new(move |_| {
        if survey.is_open.get() {
            survey.now.set(now_ms());
        }
    });
    view! {
        <section
            class="sheet survey survey-sheet"
            data-testid="survey"
            data-settings="true"
            hidden=move || !is_shown()
        >
            <div class="sheet-head topics-head">
                <h2>{survey.pick("Fix and track", "定位与轨迹")}</h2>
                <button
                    type="button"
                    class="key small"
                    data-testid="survey-close"
                    on:click=move |_| survey.close()
                >
                    {survey.pick("Close", "关闭")}
                </button>
            </div>
            // Nothing of it is worked out while nobody looks.
            {move || survey.is_open.get().then(|| body(survey))}
        </section>
    }
}

fn body(survey: Survey) -> AnyView {
    view! {
        {fix(survey)}
        {strip(survey)}
        {speed(survey)}
        {track(survey)}
        {files(survey)}
        {events(survey)}
    }
    .into_any()
}

/// Position and heading apart, each in words, colour and shape; and the numbers.
fn fix(survey: Survey) -> impl IntoView {
    let state = Memo::new(move |_| survey.newest.with(|it| it.view.state));
    let age = move || {
        let waited = (survey.now.get() - survey.told_at.get()).max(0.0);
        survey
            .newest
            .with(|it| it.view.age_ms.map(|age| age + waited))
    };
    let solution = move |is_heading: bool| {
        let lang = survey.lang.get();
        survey.newest.with(|it| {
            let quality = if is_heading {
                it.view.h_quality
            } else {
                it.view.p_quality
            };
            words::solution(quality, it.source, &it.view, is_heading, lang)
        })
    };
    let grade = move |is_heading: bool| {
        survey.newest.with(|it| {
            let quality = if is_heading {
                it.view.h_quality
            } else {
                it.view.p_quality
            };
            Grade::of_quality(quality, it.view.state).slug()
        })
    };
    let accuracy = move || {
        let lang = survey.lang.get();
        survey
            .newest
            .with(|it| words::accuracy(it.source, it.accuracy_95, lang))
    };
    let speed = move || {
        let (lang, unit) = (survey.lang.get(), survey.unit.get());
        survey.newest.with(|it| {
            let is_live = it.view.state == RtkState::Live;
            words::speed(it.view.speed.filter(|_| is_live), unit, lang)
        })
    };
    view! {
        <div
            class="survey-fix"
            data-testid="survey-fix"
            data-state=move || state.get().data_state()
            data-source=move || survey.newest.with(|it| words::source_slug(it.source))
            data-rate=move || survey.newest.with(|it| attribute(Some(it.view.rate_hz), 1))
            data-accuracy=move || survey.newest.with(|it| attribute(it.accuracy_95, 3))
            data-held=move || survey.newest.with(|it| it.is_held).to_string()
        >
            <div class="survey-solution" data-grade=move || grade(false)>
                <b><i class="mark"></i>{move || solution(false)}</b>
                <small>{survey.pick("Position", "位置")}</small>
            </div>
            <div class="survey-solution" data-grade=move || grade(true)>
                <b><i class="mark"></i>{move || solution(true)}</b>
                <small>
                    {move || {
                        let lang = survey.lang.get();
                        survey.newest.with(|it| words::heading(it.view.heading, lang))
                    }}
                </small>
            </div>
        </div>
        <p class="problem" role="status" hidden=move || survey.newest.with(|it| words::trouble(it.view.state, it.view.problem.as_deref(), it.is_held, survey.lang.get()).is_empty())>
            {move || {
                let lang = survey.lang.get();
                survey.newest.with(|it| words::trouble(it.view.state, it.view.problem.as_deref(), it.is_held, lang))
            }}
        </p>
        <dl class="survey-facts">
            <dt>{survey.pick("State", "状态")}</dt>
            <dd>{move || state.get().in_words(survey.lang.get()).into_owned()}</dd>
            <dt>{survey.pick("Rate · age", "频率 · 时延")}</dt>
            <dd>
                {move || {
                    let lang = survey.lang.get();
                    let rate = survey.newest.with(|it| it.view.rate_hz);
                    words::rate_and_age(rate, age(), lang)
                }}
            </dd>
            <dt>{survey.pick("Speed", "速度")}</dt>
            <dd>{move || speed()}</dd>
            <dt>{survey.pick("Accuracy (95 %)", "精度（95%）")}</dt>
            <dd data-testid="survey-accuracy-words">{move || accuracy()}</dd>
            <dt>{survey.pick("WGS84", "WGS84")}</dt>
            <dd class="survey-number">
                {move || survey.newest.with(|it| words::position(it.view.position))}
            </dd>
            <dt>{survey.pick("Source", "来源")}</dt>
            <dd>
                {move || {
                    let lang = survey.lang.get();
                    survey.newest.with(|it| words::source(it.source, lang))
                }}
            </dd>
        </dl>
        <div class="field">
            <span>{survey.pick("Show speeds in", "速度单位")}</span>
            <div class="keys seg">
                {Vec::from([
                    (SpeedUnit::MetersPerSecond, "unit-ms"),
                    (SpeedUnit::KilometersPerHour, "unit-kmh"),
                    (SpeedUnit::Knots, "unit-kn"),
                ].map(|(unit, testid)| view! {
                    <button
                        type="button"
                        class="key choice"
                        data-testid=testid
                        aria-pressed=move || (survey.unit.get() == unit).to_string()
                        on:click=move |_| survey.choose_unit(unit)
                    >
                        {move || words::unit(unit, survey.lang.get())}
                    </button>
                }))}
            </div>
        </div>
    }
}

/// The worst quality of each five seconds of the last ten minutes: colour and height.
fn strip(survey: Survey) -> impl IntoView {
    let canvas = NodeRef::<html::Canvas>::new();
    Effect::new(move |_| {
        if let Some(canvas) = canvas.get() {
            survey
                .glance
                .with(|glance| draw_strip(&canvas, &glance.strip));
        }
    });
    let summary = move || {
        let lang = survey.lang.get();
        survey
            .glance
            .with(|glance| words::strip(&glance.strip, lang))
    };
    view! {
        <div class="field" data-testid="survey-strip">
            <span>{survey.pick("Quality of the last 10 minutes, worst of each 5 s", "最近 10 分钟质量（每 5 秒取最差）")}</span>
            <canvas
                node_ref=canvas
                class="survey-strip"
                width="600"
                height="28"
                role="img"
                aria-label=move || summary()
            ></canvas>
            <small>{move || summary()}</small>
        </div>
    }
}

fn draw_strip(canvas: &HtmlCanvasElement, strip: &[u8]) {
    let Some(context) = canvas
        .get_context("2d")
        .ok()
        .flatten()
        .and_then(|context| context.dyn_into::<CanvasRenderingContext2d>().ok())
    else {
        return;
    };
    let style =
        web_sys::window().and_then(|window| window.get_computed_style(canvas).ok().flatten());
    let colour = |name: &str| {
        style
            .as_ref()
            .and_then(|style| style.get_property_value(name).ok())
            .map_or_else(|| "gray".to_owned(), |value| value.trim().to_owned())
    };
    let colours = ["--go", "--warn", "--bad", "--idle"].map(colour);
    context.clear_rect(0.0, 0.0, CELL * 120.0, STRIP_HEIGHT);
    for (place, quality) in strip.iter().enumerate() {
        let (colour, height) = match *quality {
            4 => (&colours[0], 1.0),
            5 => (&colours[1], 0.66),
            STRIP_NOTHING => (&colours[3], 0.06),
            STRIP_NO_QUALITY => (&colours[3], 0.33),
            _ => (&colours[2], 0.33),
        };
        context.set_fill_style_str(colour);
        let height = STRIP_HEIGHT * height;
        let x = place as f64 * CELL;
        context.fill_rect(x, STRIP_HEIGHT - height, CELL - 1.0, height);
    }
}

/// Does the unit of the reported speed fit the change of position?
fn speed(survey: Survey) -> impl IntoView {
    let verdict = Memo::new(move |_| survey.glance.with(|glance| glance.verdict));
    view! {
        <div
            class="field"
            data-testid="survey-speed"
            data-verdict=move || words::verdict_slug(verdict.get())
        >
            <span>{survey.pick("Unit of the reported speed", "上报速度的单位")}</span>
            <small class:problem=move || words::verdict_is_bad(verdict.get())>
                {move || words::verdict(verdict.get(), survey.reported_unit.get(), survey.lang.get())}
            </small>
        </div>
    }
}

fn track(survey: Survey) -> impl IntoView {
    let asked_at = RwSignal::new(f64::NEG_INFINITY);
    let is_sure = Memo::new(move |_| survey.now.get() - asked_at.get() < SURE_MS);
    let forget = move |_| {
        if is_sure.get_untracked() {
            asked_at.set(f64::NEG_INFINITY);
            survey.wish(SurveyWish::Clear);
        } else {
            survey.now.set(now_ms());
            asked_at.set(now_ms());
        }
    };
    let choice = move |by: ColourBy, testid: &'static str, en, zh| {
        view! {
            <button
                type="button"
                class="key choice"
                data-testid=testid
                aria-pressed=move || (survey.colour_by.get() == by).to_string()
                on:click=move |_| survey.choose_colour(by)
            >
                {survey.pick(en, zh)}
            </button>
        }
    };
    view! {
        <div
            class="field"
            data-testid="survey-stored"
            data-stored=move || survey.glance.with(|it| it.stored).to_string()
            data-kept=move || survey.glance.with(|it| {
                if it.is_kept_elsewhere { "elsewhere".to_owned() } else { it.is_kept.to_string() }
            })
            data-dropped=move || survey.glance.with(|it| it.dropped).to_string()
        >
            <span>{survey.pick("Track", "轨迹")}</span>
            <small>
                {move || {
                    let lang = survey.lang.get();
                    survey.glance.with(|glance| words::stored(glance, local_time, lang))
                }}
            </small>
        </div>
        <div class="field">
            <span>{survey.pick("Colour tells", "颜色表示")}</span>
            <div class="keys seg">
                {choice(ColourBy::Quality, "colour-quality", "Quality", "质量")}
                {choice(ColourBy::Speed, "colour-speed", "Speed", "速度")}
            </div>
            <small>{move || words::legend(survey.colour_by.get(), survey.lang.get())}</small>
        </div>
        <div class="field">
            <span>{survey.pick("Save the track as a file", "将轨迹保存为文件")}</span>
            <div class="keys">
                {Vec::from(FileKind::ALL.map(|kind| view! {
                    <button
                        type="button"
                        class="key"
                        data-testid=["export-", kind.ending()].concat()
                        on:click=move |_| survey.wish(SurveyWish::Export(kind))
                    >
                        {words::file_kind(kind)}
                    </button>
                }))}
            </div>
        </div>
        <button
            type="button"
            class="key survey-forget"
            data-testid="survey-forget"
            data-sure=move || is_sure.get().to_string()
            on:click=forget
        >
            {move || {
                let lang = survey.lang.get();
                if is_sure.get() {
                    lang.pick("Press again: the whole track is deleted", "再按一次：删除全部轨迹")
                } else {
                    lang.pick("Delete the track…", "删除轨迹…")
                }
            }}
        </button>
    }
}

/// What is read from a file lies on the map beside the track.
fn files(survey: Survey) -> impl IntoView {
    let trouble = RwSignal::new(String::new());
    let chosen = move |event: leptos::ev::Event| {
        let input: HtmlInputElement = event_target(&event);
        let Some(file) = input.files().and_then(|files| files.get(0)) else {
            return;
        };
        // So that the same file can be chosen again.
        input.set_value("");
        trouble.set(String::new());
        if file.size() > MOST_BYTES {
            let lang = survey.lang.get_untracked();
            let words = lang.pick(": larger than 200 MB", "：超过 200 MB");
            trouble.set([&file.name(), words].concat());
            return;
        }
        spawn_local(async move {
            let name = file.name();
            match JsFuture::from(file.text())
                .await
                .map(|text| text.as_string())
            {
                Ok(Some(text)) => survey.wish(SurveyWish::Import { name, text }),
                Ok(None) | Err(_) => {
                    let lang = survey.lang.get_untracked();
                    let words = lang.pick(": could not be read", "：无法读取");
                    trouble.set([&name, words].concat());
                }
            }
        });
    };
    view! {
        <label class="key ground-file">
            {survey.pick("Lay a file over the map (GeoJSON, GPX, CSV)", "在地图上叠加文件（GeoJSON、GPX、CSV）")}
            <input
                type="file"
                accept=".geojson,.json,.gpx,.csv,.txt"
                data-testid="survey-import"
                on:change=chosen
            />
        </label>
        <p class="problem" role="alert" hidden=move || trouble.with(String::is_empty)>
            {move || trouble.get()}
        </p>
        {move || survey.imported.get().map(|file| {
            let lang = survey.lang.get();
            view! {
                <div
                    class="field"
                    data-testid="survey-imported"
                    data-fixes=file.fixes.to_string()
                    data-problems=(file.problems.len() + file.more_problems).to_string()
                >
                    <small>{words::imported(&file, lang)}</small>
                    <ul class="survey-problems">
                        {file.problems.iter().map(|problem| view! { <li>{problem.in_words(lang).into_owned()}</li> }).collect::<Vec<_>>()}
                    </ul>
                    <button
                        type="button"
                        class="key"
                        data-testid="survey-unimport"
                        on:click=move |_| survey.forget_imported()
                    >
                        {survey.pick("Take it off the map", "从地图移除")}
                    </button>
                </div>
            }
        })}
    }
}

fn events(survey: Survey) -> impl IntoView {
    let lines = move || {
        let lang = survey.lang.get();
        survey.events.with(|events| {
            let lines = events.iter().rev().map(|event| {
                view! {
                    <li data-level=if is_bad(&event.what) { "warn" } else { "info" }>
                        <time>{local_time(event.unix_ms)}</time>
                        <span>{words::happening(&event.what, lang)}</span>
                    </li>
                }
            });
            lines.collect::<Vec<_>>()
        })
    };
    view! {
        <div class="field">
            <span>{survey.pick("What changed, newest first", "变化记录（新的在前）")}</span>
            <ol class="survey-events" data-testid="survey-events">{move || lines()}</ol>
        </div>
    }
}

/// `11:42:07` of this device's day.
fn local_time(unix_ms: u64) -> String {
    let date = js_sys::Date::new(&JsValue::from_f64(unix_ms as f64));
    let seconds = date.get_hours() * 3600 + date.get_minutes() * 60 + date.get_seconds();
    number::clock(f64::from(seconds) * 1000.0)
}
