//! The sheet over the map: the connection while there is none, everything else when asked for. What
//! is not needed to connect is drawn into it by the program that is loaded for it
//! ([`crate::topics`]).

use leptos::prelude::*;

use super::connection::Connection;
use super::context::console;
use super::erased::tap;
use crate::pilot::snapshot::LinkState;
use crate::screen::preferences::theme_code;
use crate::shell::location::Theme;
use crate::words::Label;

/// Connection and settings. The sheet covers neither the pad nor STOP.
#[component]
pub fn Sheet() -> impl IntoView {
    let console = console();
    let is_unconnected = move || {
        let is_down = console
            .link
            .with(|link| matches!(link.state, LinkState::Offline | LinkState::Connecting));
        is_down && !console.is_demo.get()
    };
    let is_broken = move || console.load_trouble.with(Option::is_some);
    let is_open = move || console.settings_open.get() || (is_unconnected() && !is_broken());
    view! {
        <section
            class="sheet"
            data-settings=move || console.settings_open.get().to_string()
            hidden=move || !is_open()
        >
            <div class="sheet-head">
                <h2>
                    {move || {
                        let label = if console.settings_open.get() {
                            Label::Settings
                        } else {
                            Label::Connection
                        };
                        label.text(console.lang.get())
                    }}
                </h2>
                <button
                    type="button"
                    class="key small"
                    data-testid="settings-close"
                    hidden=move || !console.settings_open.get()
                    on:click=tap(move || console.settings_open.set(false))
                >
                    {console.label(Label::Close)}
                </button>
            </div>
            <Connection/>
            <ScreenSwitches/>
            <div class="settings" hidden=move || !console.settings_open.get()>
                <button type="button" class="key" data-testid="topics-open" on:click=tap(move || console.open_topics())>
                    {console.label(Label::Topics)}
                </button>
                // Until the rest of the settings stands behind it.
                <p class="loading">{console.label(Label::Loading)}</p>
            </div>
        </section>
    }
}

/// Language and theme: on every sheet, and on a failure that stands in its place.
#[component]
pub fn ScreenSwitches() -> impl IntoView {
    let console = console();
    let other_theme = move || match console.theme.get() {
        Theme::Sun => Theme::Dark,
        Theme::Dark => Theme::Sun,
    };
    let theme_word = move || {
        let word = match console.theme.get() {
            Theme::Sun => Label::ThemeSun,
            Theme::Dark => Label::ThemeDark,
        };
        let lang = console.lang.get();
        let colon = lang.pick(": ", "：");
        format!("{}{colon}{}", Label::Theme.text(lang), word.text(lang))
    };
    view! {
        <div class="keys two screen-switches">
            <button
                type="button"
                class="key"
                data-testid="lang"
                data-value=move || console.lang.get().code()
                on:click=tap(move || console.set_lang(console.lang.get_untracked().other()))
            >
                "中文 / English"
            </button>
            <button
                type="button"
                class="key"
                data-testid="theme"
                data-value=move || theme_code(console.theme.get())
                on:click=tap(move || console.set_theme(untrack(other_theme)))
            >
                {move || theme_word()}
            </button>
        </div>
    }
}
