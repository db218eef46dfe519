//! STOP. It is there in every state and never disabled.

use leptos::ev::{MouseEvent, PointerEvent};
use leptos::prelude::*;

use super::context::console;
use super::erased::{click, tap, touch};
use crate::screen::data_state::DataState;
use crate::words::Label;

/// The button and its sentence.
#[component]
pub fn Stop() -> impl IntoView {
    let console = console();
    // On the press and not on the click: a click comes when the finger is lifted, and not at all
    // when it slid.
    let pressed = move |event: PointerEvent| {
        event.prevent_default();
        console.stop();
    };
    // A keyboard or a reading aid makes a click without a press before it.
    let clicked = move |event: MouseEvent| {
        if event.detail() == 0 {
            console.stop();
        }
    };
    let delivery = move || {
        console
            .stop
            .with(|stop| stop.as_ref().map(|stop| stop.delivery.data_state()))
            .unwrap_or_default()
    };
    let sentence = move || {
        if console.flies() {
            Label::StopInTheAir
        } else {
            Label::StopSentence
        }
    };
    view! {
        <section class="stop-box">
            <button
                type="button"
                class="stop"
                data-testid="stop"
                data-latched=move || console.stop.with(Option::is_some).to_string()
                data-delivery=move || delivery()
                on:pointerdown=touch(pressed)
                on:click=click(clicked)
            >
                {console.label(Label::Stop)}
            </button>
            <p class="stop-sentence">{move || sentence().text(console.lang.get())}</p>
        </section>
    }
}

/// Resets STOP. It stands with the banner, far from the thumb that pressed STOP.
#[component]
pub fn ResetStop() -> impl IntoView {
    let console = console();
    view! {
        <button
            type="button"
            class="key reset"
            data-testid="stop-reset"
            hidden=move || console.stop.with(Option::is_none)
            on:click=tap(move || console.reset_stop())
        >
            {console.label(Label::ResetStop)}
        </button>
    }
}
