//! The sheet over the map: the connection while there is none, everything else when asked for.

use leptos::prelude::*;

use super::connection::Connection;
use super::context::{console, profile};
use super::erased::tap;
use super::stop_check::StopCheckSetting;
use super::wake;
use crate::pilot::snapshot::LinkState;
use crate::screen::preferences::{Hand, theme_code};
use crate::shell::location::Theme;
use crate::shell::protocol::build;
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
            // A failure has them itself.
            <Show when=move || !is_broken()>
                <ScreenSwitches/>
            </Show>
            <div class="settings" hidden=move || !console.settings_open.get()>
                <StopCheckSetting/>
                <HandSetting/>
                <Remarks/>
            </div>
        </section>
    }
}

/// Language and theme: on every sheet and every failure, so that it can be read.
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

#[component]
fn HandSetting() -> impl IntoView {
    let console = console();
    let choice = move |hand: Hand, name: Label| {
        view! {
            <button
                type="button"
                class="key choice"
                data-testid=format!("hand-{}", hand.slug())
                aria-pressed=move || (console.hand.get() == hand).to_string()
                on:click=tap(move || console.set_hand(hand))
            >
                {console.label(name)}
            </button>
        }
    };
    view! {
        <div class="field">
            <span>{console.label(Label::Hand)}</span>
            <div class="keys seg">
                {choice(Hand::Left, Label::HandLeft)}
                {choice(Hand::Right, Label::HandRight)}
            </div>
        </div>
    }
}

/// What the operator should know and cannot set here.
#[component]
fn Remarks() -> impl IntoView {
    let console = console();
    let profile = profile();
    let sign = if profile.tools.steering_sign < 0.0 {
        Label::SteeringSignMinus
    } else {
        Label::SteeringSignPlus
    };
    let lock = if wake::can_keep_awake() {
        Label::WakeLockHeld
    } else {
        Label::WakeLockMissing
    };
    let topics = [
        profile.bridge.cmd_vel_topic(),
        profile.bridge.mc_ctrl_topic(),
        profile.bridge.rtk_topic(),
        profile.bridge.heartbeat_topic(),
    ]
    .join(" · ");
    let remark = move |name: Label, text: Label| {
        view! {
            <dt>{console.label(name)}</dt>
            <dd>{console.label(text)}</dd>
        }
    };
    view! {
        <dl class="remarks">
            {remark(Label::Limits, Label::LimitsSentence)}
            {remark(Label::ScreenLock, lock)}
            {remark(Label::SteeringSign, sign)}
            {remark(Label::Tools, Label::TimeoutNotVerified)}
            <dt>{console.label(Label::Topics)}</dt>
            <dd>{topics}</dd>
            <dt>{console.label(Label::Version)}</dt>
            <dd>{build()}</dd>
        </dl>
    }
}
