//! What is shown instead of the console when it cannot run.

use std::sync::Arc;

use leptos::prelude::*;

use super::context::console;
use super::erased::tap;
use super::settings::ScreenSwitches;
use crate::profile::ProfileProblem;
use crate::words::page::PageNote;
use crate::words::{InWords, Label};

/// Every problem of the profile, by path and reason. Nothing is connected.
#[component]
pub fn BadProfile(
    /// The file's name.
    file: String,
    /// The problems.
    problems: Arc<Vec<ProfileProblem>>,
) -> impl IntoView {
    let console = console();
    let items = move || {
        let lang = console.lang.get();
        problems
            .iter()
            .map(|problem| {
                let path = if problem.path.is_empty() {
                    Label::WholeFile.text(lang).to_owned()
                } else {
                    problem.path.clone()
                };
                view! {
                    <li>
                        <code>{path}</code>
                        <span>{problem.in_words(lang).into_owned()}</span>
                    </li>
                }
                .into_any()
            })
            .collect::<Vec<AnyView>>()
    };
    view! {
        <section class="failure" role="alert" data-testid="profile-problems">
            <h2>{console.label(Label::ProfileInvalid)} ": " {file}</h2>
            <p>{console.label(Label::ProfileInvalidMove)}</p>
            <ul>{move || items()}</ul>
            <Reload/>
            <ScreenSwitches/>
        </section>
    }
}

/// The profile that was asked for is not there, or the page's address is not understood. Nothing is
/// connected.
#[component]
pub fn NoProfile(
    /// What is known.
    note: PageNote,
) -> impl IntoView {
    let console = console();
    let heading = if matches!(note, PageNote::Parameter(_)) {
        Label::AddressInvalid
    } else {
        Label::ProfileInvalid
    };
    let cause = move || note.in_words(console.lang.get()).into_owned();
    view! {
        <section class="failure" role="alert" data-testid="profile-problems">
            <h2>{console.label(heading)}</h2>
            <p>{move || cause()}</p>
            <Reload/>
            <ScreenSwitches/>
        </section>
    }
}

/// A program file did not load: the console is drawn, but nothing can be driven with it.
#[component]
pub fn LoadFailure() -> impl IntoView {
    let console = console();
    let cause = move || {
        let lang = console.lang.get();
        console
            .load_trouble
            .with(|trouble| trouble.as_ref().map(|trouble| trouble.in_words(lang)))
            .unwrap_or_default()
            .into_owned()
    };
    view! {
        <section
            class="failure"
            role="alert"
            data-testid="load-failure"
            hidden=move || console.load_trouble.with(Option::is_none)
        >
            <h2>{console.label(Label::LoadFailed)}</h2>
            <p>{move || cause()}</p>
            <p>{console.label(Label::LoadFailedMove)}</p>
            <Reload/>
        </section>
    }
}

#[component]
fn Reload() -> impl IntoView {
    let console = console();
    let reload = || {
        if let Some(Err(error)) = web_sys::window().map(|window| window.location().reload()) {
            leptos::logging::warn!("the page does not reload: {error:?}");
        }
    };
    view! {
        <button type="button" class="key strong" data-testid="reload" on:click=tap(reload)>
            {console.label(Label::Reload)}
        </button>
    }
}
