//! Beside the pad: the Drive switch, the speed limit, what was sent.

use leptos::ev::Event;
use leptos::prelude::*;
use web_sys::HtmlElement;
use web_sys::wasm_bindgen::JsCast;

use super::context::{console, profile};
use super::erased::{live, tap, touch};
use crate::pilot::intent::Intent;
use crate::pilot::snapshot::DriveState;
use crate::screen::data_state::{DataState, attribute};
use crate::screen::step::{Step, stepped_limit};
use crate::units::decimal;
use crate::words::event::stop_check_passed;
use crate::words::{InWords, Label, number};

/// How long ago the last velocity may have been sent without a word about it.
const NOTABLE_AGE_MS: f64 = 1000.0;

/// The column beside the pad.
#[component]
pub fn DriveColumn() -> impl IntoView {
    view! {
        <div class="drive-column">
            <DriveSwitch/>
            <SpeedLimit/>
            <Velocity/>
        </div>
    }
}

/// Arms the stick. It names the vehicle, so that nobody arms the wrong one.
#[component]
fn DriveSwitch() -> impl IntoView {
    let console = console();
    let name = profile().vehicle.name.clone();
    let is_on = move || console.drive.with(|drive| drive.state.is_armed());
    let state = move || console.drive.with(|drive| drive.state.data_state());
    let reason = move || {
        console
            .drive
            .with(|drive| drive.reason.as_ref().map(|reason| reason.slug()))
            .unwrap_or_default()
    };
    let words = move || {
        console
            .drive
            .with(|drive| drive.state.in_words(console.lang.get()).into_owned())
    };
    view! {
        <div class="drive" data-testid="drive" data-state=move || state() data-reason=move || reason()>
            <button
                type="button"
                class="switch"
                role="switch"
                data-testid="drive-arm"
                aria-checked=move || is_on().to_string()
                on:click=tap(move || console.intent(Intent::ArmDrive(!untrack(is_on))))
            >
                <span class="switch-words">
                    <b>{console.label(Label::Drive)} " " <span class="switch-state">{move || words()}</span></b>
                    <b>{name}</b>
                </span>
                <i class="switch-track"></i>
            </button>
        </div>
    }
}

/// Percent of the profile's limits: a slider to see it, steps to set it with gloves.
#[component]
fn SpeedLimit() -> impl IntoView {
    let console = console();
    let percent = console.limit_percent;
    let step = move |step| console.limit_speed(stepped_limit(percent.get_untracked(), step));
    let slid = move |event: Event| {
        if let Ok(value) = event_target_value(&event).parse::<u8>() {
            console.limit_speed(f64::from(value));
        }
    };
    let in_force = move || {
        console
            .drive
            .with(|drive| number::speed(drive.limit_linear))
    };
    let is_capped = move || console.drive.with(|drive| drive.unverified_cap.is_some());
    let stop_check = move || {
        let lang = console.lang.get();
        console.with_checks(
            |now, _| match (&now.stop_check.passed, now.stop_check.failed) {
                (Some(passed), _) => stop_check_passed(passed, lang),
                (None, Some(failure)) => failure.in_words(lang).into_owned(),
                (None, None) if is_capped() => Label::StopCheckNotDone.text(lang).to_owned(),
                (None, None) => String::new(),
            },
        )
    };
    view! {
        <div class="limit">
            <div class="limit-head">
                <span>{console.label(Label::SpeedLimit)}</span>
                <b>{move || in_force()}</b>
            </div>
            <div class="limit-keys">
                <button type="button" class="key" data-testid="speed-limit-less" on:click=tap(move || step(Step::Less))>
                    "−10%"
                </button>
                <button type="button" class="key" data-testid="speed-limit-more" on:click=tap(move || step(Step::More))>
                    "+10%"
                </button>
            </div>
            <input
                type="range"
                class="slider"
                data-testid="speed-limit"
                min="10"
                max="100"
                step="10"
                aria-label=console.label(Label::SpeedLimit)
                prop:value=move || decimal(percent.get(), 0)
                style=("--share", live(move || decimal((percent.get() - 10.0) / 0.9, 0) + "%"))
                on:input=slid
                // Keys belong to what was touched last: a slider would keep them from driving.
                on:pointerup=touch(|event| {
                    let slider = event.target().and_then(|it| it.dyn_into::<HtmlElement>().ok());
                    slider.map(|slider| slider.blur().ok());
                })
            />
            <small class="limit-note" class:passed=move || !is_capped()>{move || stop_check()}</small>
        </div>
    }
}

/// What was last sent: a wish of this console, not what the vehicle does.
#[component]
fn Velocity() -> impl IntoView {
    let console = console();
    let linear = move || console.drive.with(|drive| attribute(Some(drive.linear), 3));
    let angular = move || {
        console
            .drive
            .with(|drive| attribute(Some(drive.angular), 3))
    };
    let is_sent = move || console.drive.with(|drive| drive.sent_age_ms.is_some());
    let words = move || {
        let lang = console.lang.get();
        if !is_sent() {
            return Label::NothingSent.text(lang).to_owned();
        }
        console.drive.with(|drive| {
            let way = if drive.linear < 0.0 {
                Label::Reverse
            } else {
                Label::Forward
            };
            let side = if drive.angular < 0.0 {
                Label::Right
            } else {
                Label::Left
            };
            let mut words = format!(
                "{} {}",
                Label::Sent.text(lang),
                number::speed(drive.linear.abs())
            );
            if drive.linear.abs() >= 0.005 {
                words = format!("{words} {}", way.text(lang));
            }
            if drive.angular.abs() >= 0.005 {
                let turn = number::fixed(drive.angular.abs(), 2);
                let comma = lang.pick(", ", "，");
                words = format!("{words}{comma}{turn} rad/s {}", side.text(lang));
            }
            // What was the last for long says nothing about now.
            if let Some(age) = drive.sent_age_ms.filter(|age| *age >= NOTABLE_AGE_MS) {
                let age = number::seconds(age, lang);
                words += &lang.pick([" ", &age, " ago"].concat(), ["（", &age, "前）"].concat());
            }
            words
        })
    };
    // Only while driving: afterwards it would only count up.
    let published = move || {
        let lang = console.lang.get();
        console.drive.with(|drive| {
            if drive.state != DriveState::Driving {
                return String::new();
            }
            match drive.published_age_ms {
                None => Label::NotPublished.text(lang).to_owned(),
                Some(age) => {
                    let age = number::seconds(age, lang);
                    lang.pick(format!("published {age} ago"), format!("{age}前已发布"))
                }
            }
        })
    };
    let age = move || {
        console
            .drive
            .with(|drive| attribute(drive.published_age_ms, 0))
    };
    view! {
        <div
            class="velocity"
            class:reverse=move || console.drive.with(|drive| drive.linear < 0.0)
            data-testid="velocity"
            data-linear=move || linear()
            data-angular=move || angular()
            data-published-age-ms=move || age()
        >
            <span>{move || words()}</span>
            <span>{move || published()}</span>
        </div>
    }
}
