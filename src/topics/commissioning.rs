//! What the fields of McCtrl do on this vehicle, checked one by one: a movement while its button is
//! held, then what was seen.

use leptos::ev::PointerEvent;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::Element;

use super::copy::copy_key;
use super::{View, words};
use crate::profile::written::as_profile;
use crate::shell::viewing::FromViewer;
use crate::tools::commissioning::{Commissioned, Item, Movement, Seen};
use crate::words::InWords;

/// The part of the settings for whoever puts the vehicle into service.
pub(super) fn commissioning(view: View) -> impl IntoView {
    let state = move || {
        let lang = view.lang.get();
        view.settings.with(|now| {
            let refused = now.commissioning.refused.as_ref();
            match refused {
                Some(reason) => reason.in_words(lang).into_owned(),
                None if !now.has_tools => words::check_needs_tools(lang).to_owned(),
                None => words::check_how(lang).to_owned(),
            }
        })
    };
    let is_nothing_known = move || {
        view.settings
            .with(|now| now.commissioning.found == Commissioned::default())
    };
    view! {
        <details class="commissioning" data-testid="commissioning">
            <summary class="key">{view.pick("Commissioning: which way does it move?", "调试：实际动作方向")}</summary>
            <div class="unfolded">
            <p data-testid="commissioning-state">{state}</p>
            {Vec::from(Item::ALL.map(|item| check(view, item)))}
            {middle(view)}
            {copy_key(
                view,
                ["check-copy", "check-text"],
                ["Copy as profile", "复制为配置文件"],
                move || view.settings.with_untracked(|now| as_profile(now.commissioning.in_force)),
            )}
            <button
                type="button"
                class="key"
                data-testid="check-forget"
                prop:disabled=is_nothing_known
                on:click=move |_| view.ask(&FromViewer::Seen(Seen::FORGET))
            >
                {view.pick("Forget all of this vehicle", "清除此车辆的结果")}
            </button>
            </div>
        </details>
    }
}

/// One item: two movements to hold, two answers.
fn check(view: View, item: Item) -> impl IntoView + use<> {
    let slug = words::check_slug(item);
    let found = move || {
        view.settings
            .with(|now| now.commissioning.in_force.of(item))
    };
    let is_stated = move || {
        view.settings
            .with(|now| now.commissioning.found.of(item).is_none())
    };
    let was_moved = move || {
        view.settings
            .with(|now| now.commissioning.moved & 1 << item as u8 != 0)
    };
    let movement = move |is_plus: bool| {
        let name = Box::new(move || words::check_movement(item, is_plus));
        let end = if is_plus { "plus" } else { "minus" };
        hold(
            view,
            ["check-", slug, "-", end].concat(),
            Movement::Item(item, is_plus),
            name,
        )
    };
    let answer = move |is_positive: bool| {
        let end = if is_positive { "positive" } else { "negative" };
        view! {
            <button
                type="button"
                class="key choice"
                data-testid=["check-", slug, "-", end].concat()
                aria-pressed=move || (found() == Some(is_positive)).to_string()
                prop:disabled=move || !was_moved()
                on:click=move |_| view.ask(&FromViewer::Seen(Seen::item(item, is_positive)))
            >
                {move || words::check_answer(item, is_positive, view.lang.get())}
            </button>
        }
    };
    let data = move || match found() {
        None => "unknown",
        Some(true) => "positive",
        Some(false) => "negative",
    };
    view! {
        <div class="field check" data-testid=["check-", slug].concat() data-value=data>
            <span>{move || words::check_name(item, view.lang.get())}</span>
            <div class="keys two">{movement(true)}{movement(false)}</div>
            <div class="keys seg">{answer(true)}{answer(false)}</div>
            <small>{move || words::check_result(item, found(), is_stated(), view.lang.get())}</small>
        </div>
    }
}

/// The angle at which the wheels are straight.
fn middle(view: View) -> impl IntoView {
    let found = move || view.settings.with(|now| now.commissioning.in_force);
    let trim = move || found().trim_deg();
    let step = move |by: i8, testid: &'static str, name: &'static str| {
        view! {
            <button
                type="button"
                class="key"
                data-testid=testid
                on:click=move |_| {
                    let steps = untrack(found).trim_steps().saturating_add(by);
                    view.ask(&FromViewer::Seen(Seen::middle(steps)));
                }
            >
                {name}
            </button>
        }
    };
    view! {
        <div class="field check" data-testid="check-middle" data-value=move || crate::units::decimal(trim(), 1)>
            <span>{view.pick("Wheels straight at", "车轮回正角度")}</span>
            <output>{move || crate::words::number::degrees(trim())}</output>
            <div class="keys three">
                {step(-1, "check-middle-less", "−0.2°")}
                {hold(view, "check-middle-hold".to_owned(), Movement::Middle, Box::new(move || {
                    view.lang.get().pick("Hold: there", "按住：转到该处")
                }))}
                {step(1, "check-middle-more", "+0.2°")}
            </div>
        </div>
    }
}

/// A movement while a finger is on it.
fn hold(
    view: View,
    testid: String,
    movement: Movement,
    name: Box<dyn Fn() -> &'static str + Send>,
) -> impl IntoView {
    let number = movement.number();
    let pointer = RwSignal::new(None::<i32>);
    let moves = move || view.settings.with(|now| now.commissioning.moves == number);
    let begin = move |event: PointerEvent| {
        event.prevent_default();
        if event.button() <= 0 && pointer.get_untracked().is_none() && capture(&event) {
            pointer.set(Some(event.pointer_id()));
            view.ask(&FromViewer::Check(number));
        }
    };
    let end = move |event: PointerEvent| {
        if pointer.get_untracked() == Some(event.pointer_id()) {
            pointer.set(None);
            view.ask(&FromViewer::Check(0));
        }
    };
    view! {
        <button
            type="button"
            class="key hold"
            data-testid=testid
            data-held=move || moves().to_string()
            on:pointerdown=begin
            on:pointerup=end
            on:pointercancel=end
            on:lostpointercapture=end
        >
            {move || name()}
        </button>
    }
}

/// A browser that does not follow the finger could not tell when it is lifted.
fn capture(event: &PointerEvent) -> bool {
    event
        .current_target()
        .and_then(|target| target.dyn_into::<Element>().ok())
        .is_some_and(|element| element.set_pointer_capture(event.pointer_id()).is_ok())
}
