//! The sheet of the work: what is swept, what is drawn, its files, the taught route.

use leptos::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::HtmlInputElement;

use super::{Work, bar};
use crate::chart::drawn::Kind;
use crate::chart::exchange::drawing;
use crate::chart::geodesy::length_of;
use crate::chart::pencil::{Mode, Target};
use crate::survey::{download, now_ms};
use crate::words::InWords;
use crate::words::work::{self as words, WorkLabel};

/// What deletes much is asked twice, within so many milliseconds.
const SURE_MS: f64 = 5_000.0;
/// The largest file that is read.
const MOST_BYTES: f64 = 20e6;
/// Metres beside the line that simplifying may leave out.
const TOLERANCE: f64 = 0.05;
const FRAME: &str = "map";

/// The sheet; it lies where the settings do: neither over the pad nor over STOP.
pub(super) fn sheet(work: Work) -> impl IntoView {
    let is_shown = move || work.is_open.get() && !work.is_covered.get();
    view! {
        <section
            class="sheet survey survey-sheet work-sheet"
            data-testid="work"
            data-settings="true"
            hidden=move || !is_shown()
        >
            <div class="sheet-head topics-head">
                <h2>{text(work, WorkLabel::Work)}</h2>
                <button
                    type="button"
                    class="key small"
                    data-testid="work-close"
                    on:click=move |_| work.close()
                >
                    {text(work, WorkLabel::Close)}
                </button>
            </div>
            // Nothing of it is worked out while nobody looks.
            {move || work.is_open.get().then(|| body(work))}
        </section>
    }
}

fn body(work: Work) -> AnyView {
    view! {
        {swept(work)}
        {draw(work)}
        {shapes(work)}
        {files(work)}
        {route(work)}
    }
    .into_any()
}

fn text(work: Work, label: WorkLabel) -> impl Fn() -> &'static str + Copy + Send {
    move || label.text(work.lang.get())
}

fn swept(work: Work) -> impl IntoView {
    let told = Memo::new(move |_| work.told.get());
    view! {
        <div
            class="field"
            data-testid="work-swept"
            data-area=move || crate::units::decimal(work.area.get(), 2)
            data-brush=move || match told.get().brush {
                crate::chart::told::Brush::Unknown => "unknown",
                crate::chart::told::Brush::Off => "off",
                crate::chart::told::Brush::On => "on",
            }
        >
            <span>{text(work, WorkLabel::Swept)}</span>
            <b class="work-number">{move || words::area(work.area.get())}</b>
            <small>
                {move || {
                    let (lang, told) = (work.lang.get(), told.get());
                    [told.brush.in_words(lang), told.counting.in_words(lang)].join(" · ")
                }}
            </small>
            {forgetting(work, WorkLabel::ForgetSwept, "work-forget-swept", move || work.forget_swept())}
        </div>
    }
}

/// A key that is pressed twice.
fn forgetting(
    work: Work,
    label: WorkLabel,
    testid: &'static str,
    act: impl Fn() + Copy + 'static,
) -> impl IntoView {
    let asked_at = RwSignal::new(f64::NEG_INFINITY);
    let press = move |_| {
        if now_ms() - asked_at.get_untracked() < SURE_MS {
            asked_at.set(f64::NEG_INFINITY);
            act();
        } else {
            asked_at.set(now_ms());
        }
    };
    view! {
        <button
            type="button"
            class="key survey-forget"
            data-testid=testid
            data-sure=move || (asked_at.get() > 0.0).to_string()
            on:click=press
        >
            {move || {
                let lang = work.lang.get();
                if asked_at.get() > 0.0 {
                    lang.pick("Press again to delete", "再按一次删除").to_owned()
                } else {
                    [label.text(lang), "…"].concat()
                }
            }}
        </button>
    }
}

fn draw(work: Work) -> impl IntoView {
    view! {
        <div class="field">
            <span>{text(work, WorkLabel::Draw)}</span>
            <div class="keys work-keys">
                {Vec::from(Kind::ALL.map(|kind| view! {
                    <button
                        type="button"
                        class="key"
                        data-testid=["work-draw-", kind.code()].concat()
                        on:click=move |_| work.take_up(Mode::Draw(kind))
                    >
                        {move || kind.in_words(work.lang.get()).into_owned()}
                    </button>
                }))}
                <button
                    type="button"
                    class="key"
                    data-testid="work-measure"
                    on:click=move |_| work.take_up(Mode::Measure)
                >
                    {text(work, WorkLabel::Measure)}
                </button>
            </div>
            <small data-testid="work-watching">
                {move || {
                    let lang = work.lang.get();
                    let watching = work.told.with(|told| told.watching).in_words(lang);
                    let slows = if work.limits_speed.get() { WorkLabel::SlowsDown.text(lang) } else { "" };
                    [&watching, " ", WorkLabel::Aid.text(lang), " ", slows].concat()
                }}
            </small>
        </div>
    }
}

fn shapes(work: Work) -> impl IntoView {
    let rows = Memo::new(move |_| {
        work.desk(|desk| {
            let shapes = desk.drawing().shapes().iter();
            shapes
                .map(|shape| (shape.id, shape.kind))
                .collect::<Vec<_>>()
        })
    });
    let has_undo = Memo::new(move |_| work.desk(|desk| desk.drawing().can_undo()));
    let has_redo = Memo::new(move |_| work.desk(|desk| desk.drawing().can_redo()));
    view! {
        <div class="field" data-testid="work-drawn" data-count=move || rows.with(Vec::len).to_string()>
            <span>{text(work, WorkLabel::Drawn)}</span>
            <small hidden=move || rows.with(|rows| !rows.is_empty())>
                {text(work, WorkLabel::NothingDrawn)}
            </small>
            <ul class="topic-list">
                <For each=move || rows.get() key=|row| row.0 children=move |(id, kind)| row(work, id, kind)/>
            </ul>
            <div class="keys">
                <button
                    type="button"
                    class="key"
                    data-testid="work-sheet-undo"
                    disabled=move || !has_undo.get()
                    on:click=move |_| work.change(|desk| desk.undo())
                >
                    {text(work, WorkLabel::Undo)}
                </button>
                <button
                    type="button"
                    class="key"
                    data-testid="work-sheet-redo"
                    disabled=move || !has_redo.get()
                    on:click=move |_| work.change(|desk| desk.redo())
                >
                    {text(work, WorkLabel::Redo)}
                </button>
            </div>
        </div>
    }
}

fn row(work: Work, id: u32, kind: Kind) -> impl IntoView {
    let called = Memo::new(move |_| {
        work.desk(|desk| desk.drawing().shape(id).map(|shape| shape.name.clone()))
            .unwrap_or_default()
    });
    let numbers = move || {
        work.desk(|desk| {
            let shape = desk.drawing().shape(id)?;
            Some(bar::told(work, shape))
        })
        .unwrap_or_default()
    };
    view! {
        <li class="topic work-row" data-testid="work-row" data-kind=kind.code() data-percent=move || {
            let percent = work.zones.with(|zones| zones.get(&id).copied()).flatten();
            percent.map(|percent| crate::units::decimal(percent, 2))
        }>
            <p>
                <b>{move || kind.in_words(work.lang.get()).into_owned()}</b>
                " "
                {numbers}
            </p>
            <div class="work-row-keys">
                <input
                    type="text"
                    autocomplete="off"
                    maxlength="60"
                    aria-label=text(work, WorkLabel::Name)
                    data-testid="work-name"
                    prop:value=move || called.get()
                    on:change=move |event| {
                        let name = event_target_value(&event);
                        work.change(|desk| desk.rename(id, &name));
                    }
                />
                <button
                    type="button"
                    class="key"
                    data-testid="work-row-edit"
                    on:click=move |_| work.take_up(Mode::Edit(Target::Shape(id)))
                >
                    {text(work, WorkLabel::Edit)}
                </button>
                <button
                    type="button"
                    class="key"
                    data-testid="work-row-remove"
                    on:click=move |_| work.change(|desk| desk.remove(id))
                >
                    {text(work, WorkLabel::Remove)}
                </button>
            </div>
        </li>
    }
}

fn files(work: Work) -> impl IntoView {
    let trouble = RwSignal::new(String::new());
    let chosen = move |event: leptos::ev::Event| {
        let input: HtmlInputElement = event_target(&event);
        let Some(file) = input.files().and_then(|files| files.get(0)) else {
            return;
        };
        trouble.set(String::new());
        let refuse = move |name: &str, en: &'static str, zh: &'static str| {
            let words = work.lang.get_untracked().pick(en, zh);
            trouble.set([name, words].concat());
        };
        if file.size() > MOST_BYTES {
            refuse(&file.name(), ": larger than 20 MB", "：超过 20 MB");
        } else {
            spawn_local(async move {
                let text = JsFuture::from(file.text()).await.ok();
                match text.and_then(|text| text.as_string()) {
                    Some(text) => work.import(&text),
                    None => refuse(&file.name(), ": could not be read", "：无法读取"),
                }
            });
        }
        // So that the same file can be chosen again.
        input.set_value("");
    };
    let export = move |_| {
        let file = work.desk(|desk| drawing::write(desk.drawing().shapes()));
        download("drawn", "geojson", &file);
    };
    view! {
        <div class="field">
            <button type="button" class="key" data-testid="work-export" on:click=export>
                {text(work, WorkLabel::Export)}
            </button>
        </div>
        <label class="key ground-file">
            {text(work, WorkLabel::Import)}
            <input
                type="file"
                accept=".geojson,.json"
                data-testid="work-import"
                on:change=chosen
            />
        </label>
        <p class="problem" role="alert" hidden=move || trouble.with(String::is_empty)>
            {move || trouble.get()}
        </p>
        <ul class="survey-problems" data-testid="work-problems" role="alert">
            {move || {
                let lang = work.lang.get();
                let all = work.problems.get();
                all.iter().map(|it| view! { <li>{it.in_words(lang).into_owned()}</li> }).collect::<Vec<_>>()
            }}
        </ul>
        <p class:problem=move || !work.is_kept.get() class="work-kept">
            {move || {
                let label = if work.is_kept.get() { WorkLabel::KeptHere } else { WorkLabel::NotKept };
                label.text(work.lang.get())
            }}
        </p>
    }
}

fn route(work: Work) -> impl IntoView {
    let points = Memo::new(move |_| work.desk(|desk| desk.route().points.len()));
    let length = move || {
        work.desk(|desk| {
            let places: Vec<_> = desk.route().points.iter().map(|it| it.position).collect();
            length_of(&places)
        })
    };
    let has_route = move || points.get() >= 2;
    let service = Memo::new(move |_| {
        work.desk(|desk| desk.route().correction_service.clone())
            .unwrap_or_default()
    });
    let is_exact = Memo::new(move |_| work.exact.with(Option::is_some));
    view! {
        <div
            class="field"
            data-testid="work-route"
            data-points=move || points.get().to_string()
            data-recording=move || work.is_recording.get().to_string()
        >
            <span>{text(work, WorkLabel::Route)}</span>
            <small>
                {move || {
                    let lang = work.lang.get();
                    let mut words = vec![
                        [points.get().to_string().as_str(), lang.pick(" points", " 个点")].concat(),
                        words::length(length()),
                    ];
                    if work.is_recording.get() {
                        let label = if is_exact.get() { WorkLabel::Recording } else { WorkLabel::NotRecording };
                        words.push(label.text(lang).to_owned());
                    }
                    words.join(" · ")
                }}
            </small>
            <div class="keys work-keys">
                <button
                    type="button"
                    class="key"
                    data-testid="work-record"
                    aria-pressed=move || work.is_recording.get().to_string()
                    on:click=move |_| work.record(!work.is_recording.get_untracked())
                >
                    {move || {
                        let label = if work.is_recording.get() { WorkLabel::StopRecording } else { WorkLabel::Record };
                        label.text(work.lang.get())
                    }}
                </button>
                <button
                    type="button"
                    class="key"
                    data-testid="work-simplify"
                    disabled=move || !has_route() || work.is_recording.get()
                    on:click=move |_| work.change(|desk| desk.simplify(TOLERANCE))
                >
                    {move || [WorkLabel::Simplify.text(work.lang.get()), " 5 cm"].concat()}
                </button>
                <button
                    type="button"
                    class="key"
                    data-testid="work-edit-route"
                    disabled=move || !has_route() || work.is_recording.get()
                    on:click=move |_| work.take_up(Mode::Edit(Target::Route))
                >
                    {text(work, WorkLabel::EditPoints)}
                </button>
            </div>
            <label class="work-service">
                <span>{text(work, WorkLabel::Service)}</span>
                <input
                    type="text"
                    autocomplete="off"
                    maxlength="80"
                    data-testid="work-service"
                    prop:value=move || service.get()
                    on:change=move |event| {
                        let service = event_target_value(&event);
                        work.change(|desk| desk.set_service(&service));
                    }
                />
            </label>
            <div class="keys work-keys">
                <button
                    type="button"
                    class="key"
                    data-testid="work-export-route"
                    disabled=move || !has_route()
                    on:click=move |_| {
                        let file = work.desk(|desk| desk.route().to_geojson().to_string());
                        download("route", "geojson", &file);
                    }
                >
                    {text(work, WorkLabel::ExportRoute)}
                </button>
                <button
                    type="button"
                    class="key"
                    data-testid="work-export-path"
                    disabled=move || !has_route()
                    on:click=move |_| {
                        let file = work.desk(|desk| desk.route().to_path(FRAME).map(|path| path.to_string()));
                        if let Some(file) = file {
                            download("route-path", "json", &file);
                        }
                    }
                >
                    {text(work, WorkLabel::ExportPath)}
                </button>
            </div>
            <small>{text(work, WorkLabel::BrushIsThick)}</small>
            {forgetting(work, WorkLabel::RemoveRoute, "work-forget-route", move || work.change(|desk| desk.begin_route()))}
        </div>
    }
}
