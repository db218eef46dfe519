//! The sheet over the map: the connection while there is none, everything else when asked for.

use leptos::prelude::*;

use super::connection::Connection;
use super::context::{Console, console, profile};
use super::device;
use super::erased::tap;
use super::stop_check::StopCheckSetting;
use crate::pilot::snapshot::LinkState;
use crate::screen::keys::Way;
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
            <ScreenSwitches/>
            <div class="settings" hidden=move || !console.settings_open.get()>
                <StopCheckSetting/>
                <button type="button" class="key" data-testid="topics-open" on:click=tap(move || console.open_topics())>
                    {console.label(Label::Topics)}
                </button>
                {hand_setting(console)}
                {pads_setting(console)}
                {keys_setting(console)}
                {gamepad_setting(console)}
                <Remarks/>
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

fn hand_setting(console: Console) -> AnyView {
    let hand = move |hand: Hand, name| {
        let is_on = move || console.hand.get() == hand;
        let choose = move || console.set_hand(hand);
        choice(
            console,
            ["hand-", hand.slug()].concat(),
            name,
            Box::new(is_on),
            Box::new(choose),
        )
    };
    field(
        console,
        Label::Hand,
        "keys seg",
        vec![
            hand(Hand::Left, Label::HandLeft),
            hand(Hand::Right, Label::HandRight),
        ],
    )
}

fn pads_setting(console: Console) -> AnyView {
    let pads = move |is_two: bool, testid: &str, name| {
        let is_on = move || console.two_pads.get() == is_two;
        let choose = move || console.set_two_pads(is_two);
        choice(
            console,
            testid.to_owned(),
            name,
            Box::new(is_on),
            Box::new(choose),
        )
    };
    field(
        console,
        Label::Pads,
        "keys seg",
        vec![
            pads(false, "pads-one", Label::OnePad),
            pads(true, "pads-two", Label::TwoPads),
        ],
    )
}

fn choice(
    console: Console,
    testid: String,
    name: Label,
    is_on: Box<dyn Fn() -> bool + Send>,
    choose: Box<dyn Fn()>,
) -> AnyView {
    view! {
        <button
            type="button"
            class="key choice"
            data-testid=testid
            aria-pressed=move || is_on().to_string()
            on:click=tap(choose)
        >
            {console.label(name)}
        </button>
    }
    .into_any()
}

fn keys_setting(console: Console) -> AnyView {
    let row = move |way: Way| {
        let name = match way {
            Way::Forward => Label::Forward,
            Way::Back => Label::Reverse,
            Way::Left => Label::Left,
            Way::Right => Label::Right,
        };
        let number = way as u32 + 1;
        let is_wanted = move || console.key_wanted.get() == number;
        setting_row(
            console,
            ["key-", way.slug()].concat(),
            Box::new(move || [name.text(console.lang.get()), &console.keys_shown(way)].join(" ")),
            Box::new(move || {
                if is_wanted() {
                    Label::PressAKey
                } else {
                    Label::Change
                }
            }),
            Box::new(move || {
                let wanted = if untrack(is_wanted) { 0 } else { number };
                console.key_wanted.set(wanted);
            }),
        )
    };
    let rows = Way::ALL.into_iter().map(row).collect();
    field(console, Label::Keys, "rows", rows)
}

fn gamepad_setting(console: Console) -> AnyView {
    let is_asked = console.calibrating;
    let row = setting_row(
        console,
        "gamepad".to_owned(),
        Box::new(move || console.gamepad_words()),
        Box::new(move || {
            if is_asked.get() {
                Label::Cancel
            } else {
                Label::Calibrate
            }
        }),
        Box::new(move || is_asked.update(|asked| *asked = !*asked)),
    );
    field(console, Label::Gamepad, "", vec![row])
}

fn field(console: Console, name: Label, class: &'static str, keys: Vec<AnyView>) -> AnyView {
    view! {
        <div class="field">
            <span>{console.label(name)}</span>
            <div class=class>{keys}</div>
        </div>
    }
    .into_any()
}

/// What is set, and a key beside it.
fn setting_row(
    console: Console,
    testid: String,
    words: Box<dyn Fn() -> String + Send>,
    key: Box<dyn Fn() -> Label + Send>,
    act: Box<dyn Fn()>,
) -> AnyView {
    view! {
        <div class="setting-row">
            <span data-testid=testid.clone()>{move || words()}</span>
            <button type="button" class="key" data-testid=testid + "-change" on:click=tap(act)>
                {move || key().text(console.lang.get())}
            </button>
        </div>
    }
    .into_any()
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
    let lock = if device::can_keep_awake() {
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
