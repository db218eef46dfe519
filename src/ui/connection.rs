//! Where to connect: an address, or the demo vehicle one tap away.

use leptos::html;
use leptos::prelude::*;

use super::context::{Destination, console};
use super::erased::tap;
use crate::pilot::intent::Intent;
use crate::pilot::snapshot::LinkState;
use crate::rosbridge::address::masked;
use crate::shell::location::{UrlProblem, check_bridge_url};
use crate::shell::page::page_origin;
use crate::words::{InWords, Label};

/// The address, and what can be done with it.
#[component]
pub fn Connection() -> impl IntoView {
    let console = console();
    let input = NodeRef::<html::Input>::new();
    let problem = RwSignal::new(None::<UrlProblem>);
    // What is being typed stays, although the address in use may change by itself meanwhile.
    let draft = RwSignal::new(None::<String>);
    let address = move || {
        if let Some(draft) = draft.get() {
            draft
        } else if console.is_demo.get() {
            String::new()
        } else {
            masked(&console.address.get())
        }
    };
    let connect = move || {
        let typed = input.get_untracked().map(|input| input.value());
        let mut typed = typed.unwrap_or_default().trim().to_owned();
        // What is shown of the address in use stands for all of it.
        let in_use = console.address.get_untracked();
        if typed == masked(&in_use) {
            typed = in_use;
        }
        if let Err(found) = check_bridge_url(&typed, &page_origin()) {
            problem.set(Some(found));
            return;
        }
        problem.set(None);
        draft.set(None);
        let is_same = !console.is_demo.get_untracked() && typed == console.address.get_untracked();
        if is_same {
            console.intent(Intent::Connect);
        } else {
            console.connect(Destination::Address(typed));
        }
        console.settings_open.set(false);
    };
    let demo = move || {
        problem.set(None);
        draft.set(None);
        console.connect(Destination::Demo);
        console.settings_open.set(false);
    };
    let trouble = move || {
        let lang = console.lang.get();
        let problem = problem.get().map(|problem| problem.in_words(lang));
        problem.unwrap_or_default().into_owned()
    };
    let is_down = move || console.link.with(|link| link.state == LinkState::Offline);
    view! {
        <form
            class="connection"
            on:submit=move |event| {
                event.prevent_default();
                connect();
            }
        >
            <label class="field">
                <span>{console.label(Label::Address)}</span>
                <input
                    node_ref=input
                    type="text"
                    inputmode="url"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    data-testid="bridge-url"
                    placeholder="ws://192.168.1.10:9090"
                    prop:value=move || address()
                    on:input=move |event| draft.set(Some(event_target_value(&event)))
                />
            </label>
            <p class="problem" role="alert" hidden=move || problem.with(Option::is_none)>{move || trouble()}</p>
            <div class="keys three">
                <button type="submit" class="key strong" data-testid="connect">
                    {console.label(Label::Connect)}
                </button>
                <button
                    type="button"
                    class="key"
                    data-testid="disconnect"
                    prop:disabled=move || is_down()
                    on:click=tap(move || console.intent(Intent::Disconnect))
                >
                    {console.label(Label::Disconnect)}
                </button>
                <button type="button" class="key" data-testid="demo" on:click=tap(demo)>
                    {console.label(Label::Demo)}
                </button>
            </div>
        </form>
    }
}
