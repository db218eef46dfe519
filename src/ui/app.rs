//! Where things stand. The style sheet places them for each screen; STOP is outside of what can
//! be replaced by a failure, so that it is there in every state.

use leptos::prelude::*;

use super::banner::BannerLine;
use super::confirm::ConfirmButton;
use super::context::{Console, Phase, console, profile};
use super::drive::DriveColumn;
use super::erased::{click, touch};
use super::events::Events;
use super::failure::{BadProfile, LoadFailure, NoProfile};
use super::map::MapView;
use super::settings::Sheet;
use super::squeegee::SqueegeeKey;
use super::status::{Chips, Menu};
use super::stick::Sticks;
use super::stop::{ResetStop, Stop};
use super::tap::Taps;
use super::tools_panel::ToolsPanel;

/// The whole page.
#[component]
pub fn App(
    /// What everything is drawn from.
    console: Console,
) -> impl IntoView {
    provide_context(console);
    let taps = StoredValue::new_local(Taps::default());
    let flies = move || console.flies();
    view! {
        <div
            class="console"
            data-hand=move || console.hand.get().slug()
            data-two-pads=move || (console.two_pads.get() || flies()).to_string()
            data-flies=move || flies().to_string()
            on:pointerdown:capture=touch(move |event| {
                console.touched();
                console.touch(true);
                taps.with_value(|taps| taps.down(&event));
            })
            on:pointerup:capture=touch(move |event| {
                console.touch(false);
                taps.with_value(|taps| taps.up(&event));
            })
            on:pointercancel:capture=touch(move |event| {
                console.touch(false);
                taps.with_value(|taps| taps.cancelled(&event));
            })
            on:click:capture=click(move |event| taps.with_value(|taps| taps.clicked(&event)))
            on:contextmenu=click(|event| event.prevent_default())
        >
            {move || {
                matches!(console.phase.get(), Phase::Running(_)).then(|| view! { <Room/> }.into_any())
            }}
            <header class="status">
                {move || {
                    matches!(console.phase.get(), Phase::Running(_)).then(|| {
                        view! {
                            <Chips/>
                            <Menu/>
                        }
                        .into_any()
                    })
                }}
            </header>
            <div class="stack">
                <div class="messages">
                    <BannerLine/>
                    <div class="message-keys">
                        <ResetStop/>
                        <ConfirmButton/>
                        <SqueegeeKey/>
                    </div>
                </div>
                {move || match console.phase.get() {
                    Phase::Loading => ().into_any(),
                    Phase::Running(_) => {
                        view! {
                            <LoadFailure/>
                            <Sheet/>
                        }
                        .into_any()
                    }
                    Phase::NoProfile(note) => view! { <NoProfile note=note/> }.into_any(),
                    Phase::BadProfile { file, problems } => {
                        view! { <BadProfile file=file problems=problems/> }.into_any()
                    }
                }}
            </div>
            {move || {
                matches!(console.phase.get(), Phase::Running(_)).then(|| {
                    view! {
                        <section class="driving">
                            <Sticks/>
                            <DriveColumn/>
                        </section>
                        // The machine at a glance: the viewer draws it.
                        <section class="machine" data-testid="machine"></section>
                        {(!untrack(flies)).then(|| view! { <ToolsPanel/> }.into_any())}
                    }
                    .into_any()
                })
            }}
            <Events/>
            <Stop/>
        </div>
    }
}

/// The map, behind everything else.
#[component]
fn Room() -> impl IntoView {
    let console = console();
    let profile = profile();
    view! {
        <main class="room">
            <MapView
                rtk=console.rtk.signal()
                vehicle=profile.vehicle.clone()
                map=profile.map.clone()
                lang=console.lang.signal()
                chosen=console.map_source
            />
        </main>
    }
}
