//! What is known, as chips: each with a word, a colour and a shape.

use std::sync::Mutex;

use leptos::prelude::*;

use super::context::{console, now_ms, profile};
use super::erased::tap;
use crate::monitor::snapshot::RtkState;
use crate::pilot::snapshot::Motion;
use crate::rosbridge::address::masked;
use crate::screen::data_state::{DataState, attribute};
use crate::words::state::{Grade, quality};
use crate::words::{InWords, Label, number};

/// How old what is seen may be without a word about it: a second telemetry cycle.
const NOTABLE_AGE_MS: f64 = 500.0;
/// Nobody reads a number that stands for less.
const LEGIBLE_MS: f64 = 240.0;

/// The chips.
#[component]
pub fn Chips() -> impl IntoView {
    view! {
        <div class="chips">
            <VehicleChip/>
            <LinkChip/>
            <PositionChips/>
            <SpeedChip/>
        </div>
    }
}

#[component]
fn VehicleChip() -> impl IntoView {
    let console = console();
    let profile = profile();
    let vehicle = &profile.vehicle;
    let address = move || {
        let address = console.address.get();
        if console.is_demo.get() {
            Label::DemoVehicle.text(console.lang.get()).to_owned()
        } else if address.is_empty() {
            Label::NoAddress.text(console.lang.get()).to_owned()
        } else {
            masked(&address)
        }
    };
    view! {
        <div
            class="chip chip-vehicle"
            class:demo=move || console.is_demo.get()
            data-testid="vehicle"
            data-name=vehicle.name.clone()
            data-kind=vehicle.kind.clone()
            data-namespace=profile.bridge.namespace.clone()
        >
            <b>{vehicle.name.clone()}</b>
            <small>{move || address()}</small>
        </div>
    }
}

#[component]
fn LinkChip() -> impl IntoView {
    let console = console();
    let link = console.link;
    let round_trip = move || {
        let lang = console.lang.get();
        link.with(|link| {
            let worst = link.worst_ms.map(|worst| {
                let worst = number::millis(worst, lang);
                [lang.pick(" · worst ", " · 最差 "), &worst].concat()
            });
            link.rtt_ms
                .map(|rtt| {
                    let rtt = number::fixed(rtt, 0);
                    let worst = worst.unwrap_or_default();
                    [lang.pick("reply ", "应答 "), &rtt, &worst].concat()
                })
                .unwrap_or_default()
        })
    };
    // What is seen is told to be old only when it is, so that it is noticed.
    let old = move || {
        let lang = console.lang.get();
        let age = link.with(|link| link.telemetry_age_ms);
        age.filter(|age| *age > NOTABLE_AGE_MS)
            .map(|age| {
                let age = number::seconds(age, lang);
                lang.pick(format!("seen {age} ago"), format!("画面为 {age}前"))
            })
            .unwrap_or_default()
    };
    view! {
        <div
            class="chip chip-link"
            data-testid="link"
            data-state=move || link.with(|link| link.state.data_state())
            data-rtt-ms=move || link.with(|link| attribute(link.rtt_ms, 0))
            data-worst-ms=move || link.with(|link| attribute(link.worst_ms, 0))
            data-telemetry-age-ms=move || link.with(|link| attribute(link.telemetry_age_ms, 0))
            data-grade=move || link.with(|link| Grade::of_link(link.state).slug())
        >
            <b>
                <i class="mark"></i>
                {move || link.with(|link| link.state.in_words(console.lang.get()).into_owned())}
            </b>
            <small>{move || round_trip()}</small>
            <small class="chip-old">{move || old()}</small>
        </div>
    }
}

/// A number that changes with each fix, no more often than it can be read: with each text that changes
/// the page is laid out anew.
fn legible(
    value: impl Fn() -> Option<f64> + Send + 'static,
) -> impl Fn() -> Option<f64> + Send + 'static {
    let shown = Mutex::new((0.0, None));
    move || {
        let (now, value) = (now_ms(), value());
        let mut shown = shown.lock().ok()?;
        if now - shown.0 >= LEGIBLE_MS || shown.1.is_some() != value.is_some() {
            *shown = (now, value);
        }
        shown.1
    }
}

/// Position and heading, in one element because they are one message.
#[component]
fn PositionChips() -> impl IntoView {
    let console = console();
    let rtk = console.rtk;
    let number_of = |value: Option<i64>| value.map(|value| value.to_string()).unwrap_or_default();
    // A solution that is not live any more is told by what it lacks, not by what it was.
    let solution = move |value: Option<i64>, state: RtkState| match state {
        RtkState::Live => quality(value, console.lang.get()),
        state => state.in_words(console.lang.get()),
    };
    let problem = move |state: RtkState| {
        rtk.with(|rtk| {
            let problem = rtk.problem.as_ref();
            problem
                .filter(|_| rtk.state == state)
                .map(|problem| format!(": {problem}"))
                .unwrap_or_default()
        })
    };
    // A solution without a heading that can be is worth nothing.
    let heading_state = move || {
        rtk.with(|rtk| match rtk.heading {
            None if rtk.state == RtkState::Live && rtk.h_quality.is_some() => RtkState::Invalid,
            _ => rtk.state,
        })
    };
    let age = move || {
        let lang = console.lang.get();
        rtk.with(|rtk| rtk.age_ms)
            .map(|age| format!(" · {}", number::seconds(age, lang)))
            .unwrap_or_default()
    };
    let heading = legible(move || rtk.with(|rtk| rtk.heading));
    let heading_small = move || {
        let head = Label::Heading.text(console.lang.get());
        match heading() {
            Some(heading) => format!("{head} {}", number::degrees(heading)),
            None => head.to_owned() + &problem(RtkState::Live),
        }
    };
    view! {
        <div
            class="chip-pair"
            data-testid="rtk"
            data-state=move || rtk.with(|rtk| rtk.state.data_state())
            data-lat=move || rtk.with(|rtk| attribute(rtk.position.map(|at| at.0), 8))
            data-lon=move || rtk.with(|rtk| attribute(rtk.position.map(|at| at.1), 8))
            data-heading=move || rtk.with(|rtk| attribute(rtk.heading, 2))
            data-p-quality=move || rtk.with(|rtk| number_of(rtk.p_quality))
            data-h-quality=move || rtk.with(|rtk| number_of(rtk.h_quality))
            data-age-ms=move || rtk.with(|rtk| attribute(rtk.age_ms, 0))
        >
            <div
                class="chip"
                data-grade=move || rtk.with(|rtk| Grade::of_quality(rtk.p_quality, rtk.state).slug())
            >
                <b>
                    <i class="mark"></i>
                    {move || rtk.with(|rtk| solution(rtk.p_quality, rtk.state).into_owned())}
                </b>
                <small>
                    {console.label(Label::Position)}
                    {move || problem(RtkState::Invalid)}
                    <span class="chip-age">{move || age()}</span>
                </small>
            </div>
            <div
                class="chip"
                data-grade=move || rtk.with(|rtk| Grade::of_quality(rtk.h_quality, heading_state()).slug())
            >
                <b>
                    <i class="mark"></i>
                    {move || rtk.with(|rtk| solution(rtk.h_quality, heading_state()).into_owned())}
                </b>
                <small>{move || heading_small()}</small>
            </div>
        </div>
    }
}

/// The speed as the vehicle's receiver reports it, which is what was seen and not what was sent.
#[component]
fn SpeedChip() -> impl IntoView {
    let console = console();
    let seen = legible(move || {
        let ground = console
            .rtk
            .with(|rtk| rtk.speed.filter(|_| rtk.state == RtkState::Live))?;
        Some(match console.motion.get() {
            // What flies is told to climb by its odometry.
            Motion::Moving { speed } if speed > ground.abs() => speed,
            _ => ground,
        })
    });
    let motion = move || match console.motion.get() {
        Motion::Unknown => Label::MotionUnknown,
        Motion::Standing => Label::Standing,
        Motion::Moving { .. } => Label::Moving,
    };
    let grade = move || match console.motion.get() {
        Motion::Unknown => Grade::Absent,
        Motion::Standing => Grade::Good,
        Motion::Moving { .. } => Grade::Fair,
    };
    view! {
        <div class="chip chip-speed" data-testid="seen-speed" data-grade=move || grade().slug()>
            <b>{move || seen().map_or_else(|| "– m/s".to_owned(), number::speed)}</b>
            <small>
                <i class="mark"></i>
                {move || motion().text(console.lang.get())}
                <span class="chip-source">{move || console.lang.get().pick(" (RTK)", "（RTK）")}</span>
            </small>
        </div>
    }
}

/// Opens the sheet with everything that is set.
#[component]
pub fn Menu() -> impl IntoView {
    let console = console();
    view! {
        <button
            type="button"
            class="key menu"
            data-testid="settings"
            aria-label=console.label(Label::Settings)
            aria-expanded=move || console.settings_open.get().to_string()
            on:click=tap(move || console.settings_open.update(|open| *open = !*open))
        >
            <i></i>
        </button>
    }
}
