//! Where things stand. The style sheet places them for each screen; STOP is outside of what can
//! be replaced by a failure, so that it is there in every state.

use leptos::prelude::*;

use super::banner::BannerLine;
use super::confirm::ConfirmButton;
use super::context::{Console, Phase, console};
use super::drive::DriveColumn;
use super::events::Events;
use super::failure::{BadProfile, LoadFailure, NoProfile};
use super::settings::Sheet;
use super::status::Status;
use super::stick::Stick;
use super::stop::{ResetStop, Stop};
use super::tools_panel::ToolsPanel;

/// The whole page.
#[component]
pub fn App(
    /// What everything is drawn from.
    console: Console,
) -> impl IntoView {
    provide_context(console);
    view! {
        <div
            class="console"
            data-hand=move || console.hand.get().slug()
            on:pointerdown:capture=move |_| console.touched()
            on:contextmenu=|event| event.prevent_default()
        >
            {move || match console.phase.get() {
                Phase::Loading => ().into_any(),
                Phase::Running(_) => view! { <Running/> }.into_any(),
                Phase::NoProfile(note) => view! { <NoProfile note=note/> }.into_any(),
                Phase::BadProfile { file, problems } => {
                    view! { <BadProfile file=file problems=problems/> }.into_any()
                }
            }}
            <div class="messages">
                <BannerLine/>
                <div class="message-keys">
                    <ResetStop/>
                    <ConfirmButton/>
                </div>
            </div>
            <Events/>
            <Stop/>
        </div>
    }
}

#[component]
fn Running() -> impl IntoView {
    view! {
        <Room/>
        <Status/>
        <Sheet/>
        <LoadFailure/>
        <section class="driving">
            <Stick/>
            <DriveColumn/>
        </section>
        <ToolsPanel/>
    }
}

/// The map, behind everything else.
#[component]
fn Room() -> impl IntoView {
    let console = console();
    let at = move || {
        console
            .rtk
            .with(|rtk| rtk.position.map(|(lat, lon)| format!("{lat:.6} {lon:.6}")))
    };
    view! { <main class="room">{at}</main> }
}
