//! The held confirmation.

use std::rc::Rc;

use leptos::prelude::*;

use super::context::console;
use super::erased::live;
use super::hold::Hold;
use crate::pilot::snapshot::Confirm;
use crate::units::decimal;
use crate::words::InWords;

/// A hold button while a confirmation is on offer, filling while it is held.
#[component]
pub fn ConfirmButton() -> impl IntoView {
    let console = console();
    let progress = move || {
        let share = console.confirm_progress.get();
        decimal(share.clamp(0.0, 1.0) * 100.0, 0) + "%"
    };
    move || {
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
    }
}
