//! What happened, newest first. Where there is little room only the newest lines are shown, but
//! never none.

use leptos::prelude::*;

use super::context::console;
use super::erased::tap;
use crate::screen::data_state::DataState;
use crate::words::{InWords, Label, number};

/// How many lines are drawn while the list is short.
const SHORT: usize = 4;
/// How many when all are asked for; more is for a file, not for a screen.
const LONG: usize = 80;

/// The list.
#[component]
pub fn Events() -> impl IntoView {
    let console = console();
    let is_long = RwSignal::new(false);
    let lines = move || {
        let lang = console.lang.get();
        let most = if is_long.get() { LONG } else { SHORT };
        console.log.with(|log| {
            let lines: Vec<AnyView> = log
                .newest_first()
                .take(most)
                .map(|line| {
                    let mut words = line.what.in_words(lang).into_owned();
                    if line.times > 1 {
                        words += &format!(" ×{}", line.times);
                    }
                    view! {
                        <li data-level=line.what.level().data_state()>
                            <time>{number::clock(line.at_ms)}</time>
                            <span>{words}</span>
                        </li>
                    }
                    .into_any()
                })
                .collect();
            lines
        })
    };
    let is_used = move || console.log.with(|log| log.newest_first().next().is_some());
    let toggle_word = move || {
        let word = if is_long.get() {
            Label::FewerEvents
        } else {
            Label::AllEvents
        };
        word.text(console.lang.get())
    };
    view! {
        <section class="events" data-testid="events" data-long=move || is_long.get().to_string()>
            <button
                type="button"
                class="events-head"
                data-testid="events-more"
                aria-expanded=move || is_long.get().to_string()
                on:click=tap(move || is_long.update(|long| *long = !*long))
            >
                <b>{console.label(Label::Events)}</b>
                <span>{move || toggle_word()}</span>
            </button>
            <ol>
                <li class="nothing" hidden=move || is_used()>{console.label(Label::NoEvents)}</li>
                {move || lines()}
            </ol>
        </section>
    }
}
