//! What is set on this device, inside the page's own sheet. What an operator chooses here is asked
//! of the page, which keeps it, ends what is held, and tells it back.

use leptos::prelude::*;

use super::View;
use super::commissioning::commissioning;
use super::losses::losses;
use super::programs::programs;
use crate::drive::settings::Steering;
use crate::pilot::stop_check::StopCheck;
use crate::screen::gamepad::{Calibration, GamepadView, Setup};
use crate::screen::keys::{KeyMap, STOP_KEY, Way};
use crate::screen::preferences::Hand;
use crate::shell::gamepad::GamepadWatch;
use crate::shell::input::Reading;
use crate::shell::keyboard::FirstKeys;
use crate::shell::protocol::build;
use crate::shell::viewing::FromViewer;
use crate::words::event::roll_out;
use crate::words::settings::SettingsLabel as Word;
use crate::words::{InWords, Label, Lang, number};

/// What the settings ask for at the moment.
#[derive(Clone, Copy)]
pub(super) struct Inputs {
    /// The next key is to mean this way.
    key_wanted: RwSignal<Option<Way>>,
    /// A gamepad is being calibrated.
    calibration: RwSignal<Option<Calibration>>,
    gamepad: RwSignal<GamepadView>,
    watch: StoredValue<Option<GamepadWatch>, LocalStorage>,
}

impl Inputs {
    pub(super) fn new() -> Self {
        Self {
            key_wanted: RwSignal::new(None),
            calibration: RwSignal::new(None),
            gamepad: RwSignal::default(),
            watch: StoredValue::new_local(None),
        }
    }
}

/// Everything that is set; empty until the page has told what is.
pub(super) fn settings(view: View) -> impl IntoView {
    StoredValue::new_local(FirstKeys::listen(move |code| typed(view, code)));
    Effect::new(move |_| {
        let is_open = view.is_covered.get();
        view.inputs.watch.set_value(None);
        stop_asking(view);
        if is_open {
            let watch = GamepadWatch::start(move |readings| look(view, readings));
            view.inputs.watch.set_value(Some(watch));
        }
    });
    move || view.is_known.get().then(|| body(view))
}

/// A key went down; true when it was asked for. STOP is always the page's.
fn typed(view: View, code: &str) -> bool {
    let Some(way) = view.inputs.key_wanted.get_untracked() else {
        // The settings are the page's to close.
        let is_close = code == "Escape" && !view.is_covered.get_untracked();
        return is_close && view.close();
    };
    if code == STOP_KEY {
        return false;
    }
    let mut keys = view
        .settings
        .with_untracked(|now| KeyMap::from_kept(&now.keys));
    if code == "Escape" {
        stop_asking(view);
    } else if keys.change(way, code) {
        stop_asking(view);
        view.ask(&FromViewer::Keys(keys.kept()));
    }
    true
}

fn stop_asking(view: View) {
    super::show(view.inputs.key_wanted, None);
    if view.inputs.calibration.with_untracked(Option::is_some) {
        view.inputs.calibration.set(None);
        view.ask(&FromViewer::Calibrates(false));
    }
}

fn look(view: View, readings: Option<Vec<Reading>>) {
    let Some(readings) = readings else {
        return;
    };
    let calibrated = view
        .inputs
        .calibration
        .try_update(|calibration| {
            let calibration = calibration.as_mut()?;
            let done = calibration.look(&readings);
            Some((done, calibration.step()))
        })
        .flatten();
    let seen = match calibrated {
        Some((Some((id, setup)), _)) => {
            stop_asking(view);
            view.ask(&FromViewer::Gamepad(setup.kept(&id)));
            return;
        }
        Some((None, step)) => GamepadView::Asks(step),
        None => readings
            .first()
            .map_or(GamepadView::Nowhere, |first| GamepadView::There {
                id: first.id.clone(),
                button: setup_of(view, &first.id).button,
            }),
    };
    super::show(view.inputs.gamepad, seen);
}

/// As calibrated, or as its kind usually is used by that hand.
fn setup_of(view: View, id: &str) -> Setup {
    view.settings.with_untracked(|now| {
        let hand = if now.is_right_hand {
            Hand::Right
        } else {
            Hand::Left
        };
        let flies = flies(view);
        Setup::from_kept(&now.gamepads, id).unwrap_or_else(|| Setup::of_hand(hand, flies))
    })
}

fn flies(view: View) -> bool {
    view.host
        .with_value(|host| host.profile.drive.steering == Steering::Flight)
}

fn body(view: View) -> AnyView {
    view! {
        <div class="settings">
            {stop_check(view)}
            {choices(view, Word::Hand, [
                ("hand-left", Word::HandLeft, FromViewer::Hand { is_right: false }),
                ("hand-right", Word::HandRight, FromViewer::Hand { is_right: true }),
            ])}
            {choices(view, Word::Pads, [
                ("pads-one", Word::OnePad, FromViewer::TwoPads(false)),
                ("pads-two", Word::TwoPads, FromViewer::TwoPads(true)),
            ])}
            <div class="field">
                <span>{word(view, Word::Keys)}</span>
                <div class="rows">{Vec::from(Way::ALL.map(|way| key(view, way)))}</div>
            </div>
            <div class="field">
                <span>{word(view, Word::Gamepad)}</span>
                {gamepad(view)}
            </div>
            {losses(view)}
            {programs(view)}
            {commissioning(view)}
            {remarks(view)}
        </div>
    }
    .into_any()
}

fn word(view: View, word: Word) -> impl Fn() -> &'static str + Copy + Send + 'static {
    move || word.text(view.lang.get())
}

/// Two to choose from.
fn choices(view: View, name: Word, both: [(&'static str, Word, FromViewer); 2]) -> impl IntoView {
    let choice = move |(testid, name, asked): (&'static str, Word, FromViewer)| {
        let wanted = asked.clone();
        let is_on = move || {
            view.settings.with(|now| match wanted {
                FromViewer::Hand { is_right } => now.is_right_hand == is_right,
                FromViewer::TwoPads(is_two) => now.has_two_pads == is_two,
                _ => false,
            })
        };
        view! {
            <button
                type="button"
                class="key choice"
                data-testid=testid
                aria-pressed=move || is_on().to_string()
                on:click=move |_| view.ask(&asked)
            >
                {word(view, name)}
            </button>
        }
    };
    view! {
        <div class="field">
            <span>{word(view, name)}</span>
            <div class="keys seg">{Vec::from(both.map(choice))}</div>
        </div>
    }
}

fn key(view: View, way: Way) -> impl IntoView + use<> {
    let words = move || {
        let lang = view.lang.get();
        let name = match way {
            Way::Forward => Label::Forward,
            Way::Back => Label::Reverse,
            Way::Left => Label::Left,
            Way::Right => Label::Right,
        };
        let keys = view.settings.with(|now| KeyMap::from_kept(&now.keys));
        let (own, (_, arrow)) = (keys.shown(way), way.arrow());
        if !flies(view) {
            return [name.text(lang), own, arrow].join(" ");
        }
        let other = match way {
            Way::Forward => Label::Up.text(lang),
            Way::Back => Label::Down.text(lang),
            Way::Left => Word::TurnLeft.text(lang),
            Way::Right => Word::TurnRight.text(lang),
        };
        [name.text(lang), arrow, "·", other, own].join(" ")
    };
    let is_wanted = move || view.inputs.key_wanted.get() == Some(way);
    let change = move || {
        let was_wanted = view.inputs.key_wanted.get_untracked() == Some(way);
        stop_asking(view);
        if !was_wanted {
            view.inputs.key_wanted.set(Some(way));
        }
    };
    let testid = ["key-", way.slug()].concat();
    view! {
        <div class="setting-row">
            <span data-testid=testid.clone()>{words}</span>
            <button type="button" class="key" data-testid=testid + "-change" on:click=move |_| change()>
                {move || {
                    let word = if is_wanted() { Word::PressAKey } else { Word::Change };
                    word.text(view.lang.get())
                }}
            </button>
        </div>
    }
}

fn gamepad(view: View) -> impl IntoView {
    let is_asked = move || view.inputs.calibration.with(Option::is_some);
    let change = move || {
        let was_asked = view.inputs.calibration.with_untracked(Option::is_some);
        stop_asking(view);
        if !was_asked {
            view.inputs.calibration.set(Some(Calibration::default()));
            view.ask(&FromViewer::Calibrates(true));
        }
    };
    let words = move || {
        let lang = view.lang.get();
        view.inputs
            .gamepad
            .with(|seen| seen.in_words(lang).into_owned())
    };
    view! {
        <div class="setting-row">
            <span data-testid="gamepad">{words}</span>
            <button type="button" class="key" data-testid="gamepad-change" on:click=move |_| change()>
                {move || {
                    let word = if is_asked() { Word::Cancel } else { Word::Calibrate };
                    word.text(view.lang.get())
                }}
            </button>
        </div>
    }
}

/// What is known of how the vehicle stops by itself, and the button to find it out.
fn stop_check(view: View) -> impl IntoView {
    let topic = view
        .host
        .with_value(|host| host.profile.bridge.cmd_vel_topic());
    let words = move || {
        let lang = view.lang.get();
        view.settings.with(|now| {
            let check = &now.stop_check;
            let trouble = check
                .refused
                .as_ref()
                .map(|reason| reason.in_words(lang))
                .or(check.failed.map(|failure| failure.in_words(lang)));
            let known = match &check.passed {
                Some(passed) => result(passed, lang),
                // What has failed was done.
                None if check.failed.is_some() => String::new(),
                None if now.counts_as_checked => {
                    let words = lang.pick(
                        "The simulated vehicle counts as checked.",
                        "模拟车辆视为已检测。",
                    );
                    words.to_owned()
                }
                None => Label::StopCheckNotDone.text(lang).to_owned(),
            };
            match trouble {
                Some(trouble) if known.is_empty() => trouble.into_owned(),
                Some(trouble) => [known.as_str(), lang.pick(". ", "。"), &trouble].concat(),
                None => known,
            }
        })
    };
    view! {
        <div class="field" data-testid="stop-check-result">
            <span>{word(view, Word::StopCheck)} " " {topic}</span>
            <small>{words}</small>
            <button
                type="button"
                class="key"
                data-testid="stop-check-begin"
                on:click=move |_| view.ask(&FromViewer::StopCheck)
            >
                {word(view, Word::StopCheckBegin)}
            </button>
        </div>
    }
}

fn result(passed: &StopCheck, lang: Lang) -> String {
    let date = js_sys::Date::new(&passed.unix_ms.into());
    let date = String::from(date.to_iso_string());
    [
        date.get(..10).unwrap_or_default(),
        lang.pick(", ", "，"),
        &number::speed(passed.speed),
        lang.pick(": ", "："),
        &roll_out(&passed.open, lang),
        lang.pick("; cut off: ", "；断开："),
        &roll_out(&passed.cut, lang),
    ]
    .concat()
}

/// What the operator should know and cannot set here.
fn remarks(view: View) -> impl IntoView {
    let topics = view.host.with_value(|host| {
        let bridge = &host.profile.bridge;
        let topics = [
            bridge.cmd_vel_topic(),
            bridge.mc_ctrl_topic(),
            bridge.rtk_topic(),
            bridge.heartbeat_topic(),
        ];
        topics.join(" · ")
    });
    let sign = move || {
        let (sign, is_found) = view.settings.with(|now| {
            let is_found = now.commissioning.found.steering_sign().is_some();
            (now.commissioning.steering_sign, is_found)
        });
        let word = match (sign < 0.0, is_found) {
            (false, false) => Word::SteeringSignPlus,
            (true, false) => Word::SteeringSignMinus,
            (false, true) => Word::SteeringSignLeft,
            (true, true) => Word::SteeringSignRight,
        };
        word.text(view.lang.get())
    };
    let lock = if can_keep_awake() {
        Word::WakeLockHeld
    } else {
        Word::WakeLockMissing
    };
    let remark = move |name: Word, text: Word| {
        view! {
            <dt>{word(view, name)}</dt>
            <dd>{word(view, text)}</dd>
        }
    };
    let label = move |label: Label| move || label.text(view.lang.get());
    view! {
        <dl class="remarks">
            {remark(Word::Limits, Word::LimitsSentence)}
            {remark(Word::ScreenLock, lock)}
            <dt>{word(view, Word::SteeringSign)}</dt>
            <dd data-testid="steering-sign">{sign}</dd>
            <dt>{label(Label::Tools)}</dt>
            <dd>{label(Label::TimeoutNotVerified)}</dd>
            <dt>{label(Label::Topics)}</dt>
            <dd>{topics}</dd>
            <dt>{word(view, Word::Version)}</dt>
            <dd>{build()}</dd>
        </dl>
    }
}

/// True when this browser can keep the screen on here.
fn can_keep_awake() -> bool {
    js_sys::Reflect::get(&window().navigator(), &"wakeLock".into()).is_ok_and(|it| it.is_object())
}
