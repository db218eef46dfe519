//! The sheet of the map's ground: which source, how it is doing, what is kept, and the site plan.

use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::plan::{self, PlanView};
use super::{Ground, on_map, words};
use crate::shell::viewer_link::Picture;

/// How far a plan can be enlarged in the sheet.
const MOST_ZOOM: f64 = 8.0;

/// Opens the sheet, beside the map's own keys.
pub(super) fn key(ground: Ground) -> impl IntoView {
    view! {
        <button
            type="button"
            class="map-button ground"
            data-testid="ground-key"
            aria-expanded=move || ground.is_open.get().to_string()
            on:click=move |_| ground.is_open.update(|is_open| *is_open = !*is_open)
        >
            {ground.pick("Map", "地图")}
        </button>
    }
}

pub(super) fn sheet(ground: Ground) -> impl IntoView {
    let is_shown = move || ground.is_open.get() && !ground.is_covered.get();
    let is_placing = Memo::new(move |_| ground.plan.with(|plan| plan.is_placing));
    // The map is to be seen, and tapped.
    let is_map_wanted = Memo::new(move |_| {
        ground
            .plan
            .with(|plan| plan.is_placing && plan.draft.spot().is_some())
    });
    view! {
        <section
            class="sheet ground"
            data-testid="ground"
            data-settings=move || (!is_map_wanted.get()).to_string()
            hidden=move || !is_shown()
        >
            <div class="sheet-head">
                <h2>
                    {move || {
                        let lang = ground.lang.get();
                        if is_placing.get() {
                            lang.pick("Place the plan", "放置场地图")
                        } else {
                            lang.pick("Map", "地图")
                        }
                    }}
                </h2>
                <button
                    type="button"
                    class="key small"
                    data-testid="ground-close"
                    on:click=move |_| {
                        if is_placing.get_untracked() {
                            finish(ground);
                        } else {
                            ground.close();
                        }
                    }
                >
                    {move || {
                        let lang = ground.lang.get();
                        if is_placing.get() { lang.pick("Done", "完成") } else { lang.pick("Close", "关闭") }
                    }}
                </button>
            </div>
            {move || if is_placing.get() { placing(ground).into_any() } else { overview(ground).into_any() }}
        </section>
    }
}

fn overview(ground: Ground) -> impl IntoView {
    let has_tiles = move || {
        let chosen = ground.chosen.get();
        ground.sources.with(|sources| chosen < sources.len())
    };
    view! {
        <div class="field">
            <span>{ground.pick("Source", "来源")}</span>
            {move || sources(ground)}
            <small data-testid="ground-told" hidden=move || !has_tiles()>
                {move || {
                    let lang = ground.lang.get();
                    ground.told.with(|told| words::told(told, lang))
                }}
            </small>
            <div class="setting-row">
                <small data-testid="ground-kept">
                    {move || {
                        let lang = ground.lang.get();
                        ground.kept.with(|(tiles, bytes, trouble)| {
                            words::kept(*tiles, *bytes, trouble.as_deref(), lang)
                        })
                    }}
                </small>
                <button
                    type="button"
                    class="key small"
                    data-testid="ground-forget"
                    disabled=move || ground.kept.with(|kept| kept.0 == 0)
                    on:click=move |_| ground.forget_kept()
                >
                    {ground.pick("Forget", "清除")}
                </button>
            </div>
        </div>
        {plans(ground)}
    }
}

fn sources(ground: Ground) -> impl IntoView {
    let names: Vec<String> = ground.sources.with(|sources| {
        let named = (1..)
            .zip(sources)
            .map(|(number, source)| match source.name.trim() {
                "" => format!("#{number}"),
                name => name.to_owned(),
            });
        named.collect()
    });
    let last = names.len();
    let choice = move |index: usize, name: Option<String>| {
        view! {
            <button
                type="button"
                class="key choice"
                data-testid=format!("ground-source-{index}")
                aria-pressed=move || (ground.chosen.get() == index).to_string()
                on:click=move |_| ground.choose(index)
            >
                {move || {
                    name.clone().unwrap_or_else(|| {
                        ground.lang.get().pick("Grid alone", "仅网格").to_owned()
                    })
                }}
            </button>
        }
    };
    let choices: Vec<_> = names
        .into_iter()
        .enumerate()
        .map(|(index, name)| choice(index, Some(name)))
        .chain([choice(last, None)])
        .collect();
    view! { <div class="ground-choices">{choices}</div> }
}

fn plans(ground: Ground) -> impl IntoView {
    let offered = move || {
        let plans = ground.plans.get();
        plans
            .into_iter()
            .map(|source| {
                let name = if source.name.is_empty() {
                    source.url.clone()
                } else {
                    source.name.clone()
                };
                let testid = ["plan-", &name].concat();
                view! {
                    <button
                        type="button"
                        class="key"
                        data-testid=testid
                        on:click=move |_| plan::choose_source(ground, source.clone())
                    >
                        {name}
                    </button>
                }
            })
            .collect::<Vec<_>>()
    };
    let name = Memo::new(move |_| ground.plan.with(|plan| plan.name.clone()));
    view! {
        <div class="field">
            <span>{ground.pick("Site plan over it", "叠加场地图")}</span>
            <div class="ground-choices">
                {offered}
                <label class="key ground-file">
                    {ground.pick("A picture of this device…", "选择本机图片…")}
                    <input
                        type="file"
                        accept="image/*"
                        data-testid="plan-file"
                        on:change=move |event| chosen_file(ground, &event)
                    />
                </label>
            </div>
            <p
                class="problem"
                role="alert"
                data-testid="plan-trouble"
                hidden=move || ground.plan.with(|plan| plan.trouble.is_none())
            >
                {move || {
                    let lang = ground.lang.get();
                    ground.plan.with(|plan| plan.trouble.as_ref().map(|it| words::plan_problem(it, lang)))
                }}
            </p>
            {move || name.get().map(|name| shown(ground, name))}
        </div>
    }
}

/// The plan that is there.
fn shown(ground: Ground, name: String) -> impl IntoView {
    let is_shown = Memo::new(move |_| ground.plan.with(|plan| plan.is_shown));
    view! {
        <p class="ground-plan" data-testid="plan-name">{name}</p>
        <small data-testid="plan-judged">
            {move || {
                let lang = ground.lang.get();
                ground.plan.with(|plan| words::judgement(plan, lang))
            }}
        </small>
        {problems(ground)}
        <div class="keys">
            <button
                type="button"
                class="key choice"
                data-testid="plan-shown"
                aria-pressed=move || is_shown.get().to_string()
                on:click=move |_| {
                    ground.plan.update(|plan| plan.is_shown = !plan.is_shown);
                    plan::changed(ground);
                }
            >
                {ground.pick("Shown", "显示")}
            </button>
            <button
                type="button"
                class="key"
                data-testid="plan-place"
                on:click=move |_| {
                    ground.plan.update(|plan| plan.is_placing = true);
                    plan::changed(ground);
                }
            >
                {ground.pick("Place", "放置")}
            </button>
            <button
                type="button"
                class="key"
                data-testid="plan-remove"
                on:click=move |_| plan::remove(ground)
            >
                {ground.pick("Remove", "移除")}
            </button>
        </div>
    }
}

/// Of the file of control points beside it.
fn problems(ground: Ground) -> impl IntoView {
    move || {
        let problems = ground.plan.with(|plan| plan.problems.clone());
        let lines: Vec<_> = problems
            .into_iter()
            .map(|problem| view! { <li>{problem}</li> })
            .collect();
        (!lines.is_empty()).then(|| {
            view! {
                <p class="problem">{ground.pick("Not everything beside the plan could be read:", "场地图旁的文件有部分无法读取：")}</p>
                <ul class="problem" data-testid="plan-problems">{lines}</ul>
            }
        })
    }
}

fn chosen_file(ground: Ground, event: &web_sys::Event) {
    let input: web_sys::HtmlInputElement = event_target(event);
    let file = input.files().and_then(|files| files.get(0));
    // The same file can be chosen again.
    input.set_value("");
    if let Some(file) = file {
        plan::choose_file(ground, file);
    }
}

fn finish(ground: Ground) {
    ground.plan.update(|plan| {
        plan.is_placing = false;
        plan.draft.forget_spot();
    });
    plan::changed(ground);
}

/// A spot on the plan, then its place on the map, again and again.
fn placing(ground: Ground) -> impl IntoView {
    let zoom = RwSignal::new(1.0_f64);
    let is_waiting = Memo::new(move |_| ground.plan.with(|plan| plan.draft.spot().is_some()));
    let seen = |look: fn(&PlanView) -> String| Memo::new(move |_| ground.plan.with(look));
    let address = seen(|plan| plan.address.clone());
    let is_nowhere = RwSignal::new(false);
    let stands_there = move || {
        let held = ground.held.get_value();
        let map = held.on_map.borrow().as_ref().map(|it| it.map.clone());
        let place = map.as_ref().and_then(on_map::live_vehicle);
        is_nowhere.set(place.is_none());
        if let (Some(place), Some(plan)) = (place, held.plan.borrow().clone()) {
            plan.take_ground(place);
        }
    };
    view! {
        <p class="ground-step" role="status" data-testid="plan-step">
            {move || {
                let lang = ground.lang.get();
                ground.plan.with(|plan| words::step(plan, lang))
            }}
        </p>
        <div class="keys" hidden=move || !is_waiting.get()>
            <button type="button" class="key" data-testid="plan-vehicle" on:click=move |_| stands_there()>
                {ground.pick("The vehicle stands there", "车辆就在该处")}
            </button>
            <button
                type="button"
                class="key"
                data-testid="plan-back"
                on:click=move |_| ground.plan.update(|plan| plan.draft.forget_spot())
            >
                {ground.pick("Back to the plan", "返回图上")}
            </button>
        </div>
        <p class="problem" hidden=move || !is_nowhere.get()>
            {ground.pick("The vehicle's position is not live.", "车辆定位当前无效。")}
        </p>
        <div class="plan-view" hidden=move || is_waiting.get()>
            <div class="plan-scroll">
                <div
                    class="plan-paper"
                    data-testid="plan-paper"
                    style:width=move || paper_width(ground, zoom.get())
                    on:click=move |event| tapped(ground, &event)
                >
                    <img alt="" src=move || address.get() />
                    {move || dots(ground)}
                </div>
            </div>
            <div class="plan-zoom">
                <button
                    type="button"
                    class="key small"
                    data-testid="plan-larger"
                    aria-label=ground.pick("Larger", "放大")
                    on:click=move |_| zoom.update(|zoom| *zoom = (*zoom * 2.0).min(MOST_ZOOM))
                >
                    "+"
                </button>
                <button
                    type="button"
                    class="key small"
                    data-testid="plan-smaller"
                    aria-label=ground.pick("Smaller", "缩小")
                    on:click=move |_| zoom.update(|zoom| *zoom = (*zoom / 2.0).max(1.0))
                >
                    "−"
                </button>
            </div>
        </div>
        <small data-testid="plan-judged">
            {move || {
                let lang = ground.lang.get();
                ground.plan.with(|plan| words::judgement(plan, lang))
            }}
        </small>
        <div class="rows" hidden=move || is_waiting.get()>{move || points(ground)}</div>
        {move || file(ground)}
    }
}

/// The whole plan is seen at first.
fn paper_width(ground: Ground, zoom: f64) -> String {
    let (width, height) = ground.plan.with(|plan| plan.size);
    let aspect = width / height.max(1.0);
    format!("calc({zoom} * min(100%, {aspect:.4} * var(--plan-height)))")
}

/// Where on the picture the finger was, in its own pixels.
fn tapped(ground: Ground, event: &web_sys::MouseEvent) {
    let paper: web_sys::Element = match event.current_target() {
        Some(target) => target.unchecked_into(),
        None => return,
    };
    let room = paper.get_bounding_client_rect();
    let (x, y) = (
        f64::from(event.client_x()) - room.left(),
        f64::from(event.client_y()) - room.top(),
    );
    if room.width() > 0.0 && room.height() > 0.0 {
        ground.plan.update(|plan| {
            let (width, height) = plan.size;
            plan.draft
                .tap_plan((x / room.width() * width, y / room.height() * height));
        });
    }
}

fn dots(ground: Ground) -> impl IntoView {
    let (points, (width, height)) = ground.plan.with(|plan| {
        let points: Vec<_> = plan
            .draft
            .points()
            .iter()
            .map(|point| point.pixel)
            .collect();
        (points, plan.size)
    });
    (1..)
        .zip(points)
        .map(|(number, (x, y))| {
            view! {
                <span
                    class="plan-dot"
                    style:left=format!("{}%", x / width * 100.0)
                    style:top=format!("{}%", y / height * 100.0)
                >
                    {number.to_string()}
                </span>
            }
        })
        .collect::<Vec<_>>()
}

fn points(ground: Ground) -> impl IntoView {
    let lang = ground.lang.get();
    let (count, judged) = ground
        .plan
        .with(|plan| (plan.draft.points().len(), plan.judgement()));
    (0..count)
        .map(|index| {
            let residual = judged
                .as_ref()
                .filter(|judged| judged.is_checked)
                .and_then(|judged| judged.residuals.get(index).copied());
            view! {
                <div class="setting-row">
                    <span data-testid=format!("plan-point-{}", index + 1)>
                        {words::point(index + 1, residual, lang)}
                    </span>
                    <button
                        type="button"
                        class="key small"
                        on:click=move |_| {
                            ground.plan.update(|plan| plan.draft.remove(index));
                            plan::changed(ground);
                        }
                    >
                        {lang.pick("Remove", "移除")}
                    </button>
                </div>
            }
        })
        .collect::<Vec<_>>()
}

/// The points as a file, to lie beside the picture on the vehicle.
fn file(ground: Ground) -> impl IntoView + use<> {
    let (name, json) = ground.plan.with(|plan| {
        let is_placed = plan.judgement().is_some() && plan.draft.spot().is_none();
        let json = is_placed.then(|| plan.draft.to_json());
        (plan.name.clone().unwrap_or_default(), json)
    });
    let bytes = json.map(|json| js_sys::Uint8Array::from(json.as_bytes()));
    let file = bytes.and_then(|bytes| Picture::of(&bytes, "application/json"));
    file.map(|file| {
        let address = file.address().to_owned();
        // Given back when another one takes its place.
        let kept = StoredValue::new_local(file);
        on_cleanup(move || kept.dispose());
        view! {
            <a
                class="ground-save"
                data-testid="plan-save"
                href=address
                download=[&name, ".json"].concat()
            >
                {ground.pick("Save the points, to lie beside the picture", "保存控制点文件（与图片放在一起）")}
            </a>
        }
    })
}
