//! Settings: the stop check of this vehicle, begun and repeated from here.

use leptos::prelude::*;

use super::context::{console, profile};
use super::erased::tap;
use crate::pilot::intent::Intent;
use crate::pilot::stop_check::StopCheck;
use crate::words::event::roll_out;
use crate::words::{InWords, Label, Lang, number};

/// What is known of how the vehicle stops by itself, and the button to find it out.
#[component]
pub fn StopCheckSetting() -> impl IntoView {
    let console = console();
    let topic = profile().bridge.cmd_vel_topic();
    let words = move || {
        let lang = console.lang.get();
        console.stop_check.with(|check| {
            let trouble = check
                .refused
                .as_ref()
                .map(|reason| reason.in_words(lang))
                .or(check.failed.map(|failure| failure.in_words(lang)));
            let known = match &check.passed {
                Some(passed) => result(passed, lang),
                None => Label::StopCheckNotDone.text(lang).to_owned(),
            };
            match trouble {
                Some(trouble) => [known.as_str(), lang.pick(". ", "。"), &trouble].concat(),
                None => known,
            }
        })
    };
    // The first one is slow whatever is asked for; later ones are at the speed in force.
    let begin = move || {
        console.settings_open.set(false);
        let speed = console.drive.with_untracked(|drive| drive.limit_linear);
        console.intent(Intent::StopCheck(speed));
    };
    view! {
        <div class="field" data-testid="stop-check-result">
            <span>{console.label(Label::StopCheck)} " " {topic}</span>
            <small>{move || words()}</small>
            <button type="button" class="key" data-testid="stop-check-begin" on:click=tap(begin)>
                {console.label(Label::StopCheckBegin)}
            </button>
        </div>
    }
}

fn result(passed: &StopCheck, lang: Lang) -> String {
    let date = js_sys::Date::new(&passed.unix_ms.into());
    let date = String::from(date.to_iso_string());
    [
        date.get(..10).unwrap_or_default(),
        lang.pick(", ", "，"),
        &number::speed(passed.speed),
        lang.pick(": ", "："),
        &roll_out(&passed.open, lang),
        lang.pick("; cut off: ", "；断开："),
        &roll_out(&passed.cut, lang),
    ]
    .concat()
}
