//! What becomes of each tool when a finger, the page or the link goes: said before it matters.

use leptos::prelude::*;

use super::View;
use crate::tools::loss::Ending;
use crate::words::settings::SettingsLabel as Word;
use crate::words::{InWords, loss};

/// The table, folded.
pub(super) fn losses(view: View) -> AnyView {
    let (via, water) = view.host.with_value(|host| {
        let profile = &host.profile;
        (profile.drive.via, profile.tools.spray_while)
    });
    let line = move |ending: Ending| {
        view! {
            <dt>{move || ending.in_words(view.lang.get())}</dt>
            <dd>{move || loss::loss(ending, via, water, view.lang.get())}</dd>
        }
    };
    view! {
        <details class="losses" data-testid="losses">
            <summary class="key">{move || Word::Losses.text(view.lang.get())}</summary>
            <dl class="remarks">{Vec::from(Ending::ALL.map(line))}</dl>
            <p>{move || loss::of_the_stick(via, view.lang.get())}</p>
        </details>
    }
    .into_any()
}
