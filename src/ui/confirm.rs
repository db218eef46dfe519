//! The held confirmation.

use std::rc::Rc;

use leptos::prelude::*;

use super::context::console;
use super::erased::{live, tap};
use super::hold::Hold;
use crate::pilot::intent::Intent;
use crate::pilot::snapshot::{Confirm, StopCheckStep};
use crate::units::decimal;
use crate::words::{InWords, Label};

/// A hold button while a confirmation is on offer, filling while it is held; and the way out of a
/// stop check.
#[component]
pub fn ConfirmButton() -> impl IntoView {
    let console = console();
    let progress = move || {
        let share = console.confirm_progress.get();
        decimal(share.clamp(0.0, 1.0) * 100.0, 0) + "%"
    };
    // Asking again for a stop check ends it.
    let is_check = move || {
        console.confirm.get() == Some(Confirm::StopCheck)
            || console.with_checks(|now, _| now.stop_check.step != StopCheckStep::Off)
    };
    let held = move || {
        console.confirm.get().map(|what| {
            let words = move || what.in_words(console.lang.get()).into_owned();
            let testid = match what {
                Confirm::TakeOver => "take-over",
                Confirm::StopCheck => "stop-check",
                _ => "confirm",
            };
            view! {
                <div class="confirm" style=("--progress", live(progress))>
                    <Hold testid=testid class="confirm-key" on_change=Rc::new(move |held| console.hold_confirm(held))>
                        {move || words()}
                    </Hold>
                </div>
            }
        })
    };
    view! {
        {held}
        <button
            type="button"
            class="key reset"
            data-testid="stop-check-cancel"
            hidden=move || !is_check()
            on:click=tap(move || console.intent(Intent::StopCheck(0.0)))
        >
            {console.label(Label::Cancel)}
        </button>
    }
}
