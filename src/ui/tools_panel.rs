//! The tools: all twelve fields of McCtrl, a page at a time. Nothing here scrolls, because a
//! scroll would take the finger away from a hold button.

use std::rc::Rc;

use leptos::prelude::*;

use super::context::{Console, ToolsPage, console, profile};
use super::erased::tap;
use super::hold::Hold;
use super::programs::programs;
use crate::drive::settings::Via;
use crate::pilot::intent::Intent;
use crate::pilot::snapshot::{FieldNote, FieldView, ToolStatus, ToolsState};
use crate::screen::data_state::{DataState, attribute};
use crate::screen::holding::HoldKey;
use crate::screen::step::{Step, status_of, stepped};
use crate::tools::commissioning::Item;
use crate::tools::field::ToolField;
use crate::tools::intent::Wanted;
use crate::units::decimal;
use crate::words::{InWords, Label, Lang, number};

/// The panel.
#[component]
pub fn ToolsPanel() -> impl IntoView {
    let console = console();
    let is_absent = move || console.tools.with(|tools| tools.is_absent);
    view! {
        <section
            class="tools"
            data-unfolded=move || console.tools_unfolded.get().to_string()
        >
            <div class="tools-head">
                <ToolsSwitch/>
                {brake(console)}
            </div>
            <p class="tools-note" hidden=move || !is_absent()>
                {console.label(Label::NoMcCtrl)}
            </p>
            <Tabs/>
            {page(console, ToolsPage::Programs, programs(console))}
            {page(console, ToolsPage::Brushes, brushes(console))}
            {page(console, ToolsPage::Pushers, pushers(console))}
            {page(console, ToolsPage::Water, water(console))}
            {page(console, ToolsPage::More, more(console))}
        </section>
    }
}

#[component]
fn ToolsSwitch() -> impl IntoView {
    let console = console();
    let is_on = move || console.tools.with(|tools| tools.state == ToolsState::Armed);
    let reason = move || {
        console
            .tools
            .with(|tools| tools.reason.as_ref().map(|reason| reason.slug()))
            .unwrap_or_default()
    };
    view! {
        <div
            class="tools-switch"
            data-testid="tools"
            data-state=move || console.tools.with(|tools| tools.state.data_state())
            data-reason=move || reason()
        >
            <button
                type="button"
                class="switch"
                role="switch"
                data-testid="tools-arm"
                aria-checked=move || is_on().to_string()
                on:click=tap(move || console.intent(Intent::ArmTools(!untrack(is_on))))
            >
                <span class="switch-words">
                    <b>{console.label(Label::Tools)}</b>
                    <span class="switch-state">
                        {move || console.tools.with(|tools| tools.state.in_words(console.lang.get()).into_owned())}
                    </span>
                </span>
                <i class="switch-track"></i>
            </button>
        </div>
    }
}

#[component]
fn Tabs() -> impl IntoView {
    let console = console();
    let has_programs = move || console.with_programs(|profile| !profile.tools.programs.is_empty());
    let tab = move |page: ToolsPage, name: Label, testid: &'static str| {
        view! {
            <button
                type="button"
                class="tab"
                role="tab"
                data-testid=testid
                aria-selected=move || (console.tools_page.get() == page).to_string()
                on:click=tap(move || console.turn_tools_to(page))
            >
                {console.label(name)}
            </button>
        }
    };
    view! {
        <nav class="tabs" role="tablist">
            {move || has_programs().then(|| tab(ToolsPage::Programs, Label::Programs, "tools-page-programs"))}
            {tab(ToolsPage::Brushes, Label::Brushes, "tools-page-brushes")}
            {tab(ToolsPage::Pushers, Label::Pushers, "tools-page-pushers")}
            {tab(ToolsPage::Water, Label::Water, "tools-page-water")}
            {tab(ToolsPage::More, Label::More, "tools-page-more")}
        </nav>
    }
}

/// A page stays in the document while another is shown, so that integrators read every field.
fn page(console: Console, page: ToolsPage, rows: AnyView) -> AnyView {
    view! {
        <div
            class="tools-page"
            class:engineers=page == ToolsPage::More
            role="tabpanel"
            hidden=move || console.tools_page.get() != page
        >
            {rows}
        </div>
    }
    .into_any()
}

fn brushes(console: Console) -> AnyView {
    let direction = chosen(
        console,
        ToolField::RollBrushSuctionDirection,
        &[
            (1, Label::DirectionForward),
            (0, Label::DirectionStop),
            (2, Label::DirectionReverse),
        ],
        |wanted| wanted.roll_brush_suction_direction,
        |wanted, value| wanted.roll_brush_suction_direction = value,
    );
    view! {
        {row(console, ToolField::RollBrushSuctionDirection, Label::RollBrush, None, direction)}
        {percent_row(console, ToolField::RollBrushSuction, Label::Strength, |w| w.roll_brush_suction)}
        {percent_row(console, ToolField::SideBrush, Label::SideBrush, |w| w.side_brush)}
        {percent_row(console, ToolField::DustShake, Label::DustShaker, |w| w.dust_shake)}
    }
    .into_any()
}

fn pushers(console: Console) -> AnyView {
    let deck = (HoldKey::DeckRetract, HoldKey::DeckExtend);
    let squeegee = (HoldKey::SqueegeeRetract, HoldKey::SqueegeeExtend);
    view! {
        {pusher_row(console, ToolField::BrushDeckPusher, Label::BrushDeck, deck)}
        {pusher_row(console, ToolField::SuctionSqueeqeePusher, Label::Squeegee, squeegee)}
        <p class="tools-note">{console.label(Label::TimeoutNotVerified)}</p>
    }
    .into_any()
}

fn water(console: Console) -> AnyView {
    let field = ToolField::WaterSpray;
    let shown = move |lang: Lang| {
        let flow = value_of(console, field);
        let amount = console.wanted.with(|wanted| wanted.water_amount);
        if flow > 0.0 {
            [Label::Spray.text(lang), " ", &decimal(flow, 0), " %"].concat()
        } else if flow < 0.0 {
            [Label::Drain.text(lang), " ", &decimal(-flow, 0), " %"].concat()
        } else {
            format!("{} {amount} %", Label::WaterAmount.text(lang))
        }
    };
    let keys = view! {
        {step_keys(console, field, "−10", "+10", None)}
        <div class="keys two">
            {hold_key(console, field, "minus", HoldKey::Drain, Label::Drain)}
            {hold_key(console, field, "plus", HoldKey::Spray, Label::Spray)}
        </div>
    };
    row(
        console,
        field,
        Label::Water,
        Some(Box::new(shown)),
        keys.into_any(),
    )
}

fn more(console: Console) -> AnyView {
    let is_engineer = profile().tools.engineer;
    let is_driven = is_driven_by_stick();
    let keys = |keys: AnyView| if is_engineer { keys } else { ().into_any() };
    let drive_keys = |it: AnyView| if is_driven { ().into_any() } else { keys(it) };
    let gear = drive_keys(chosen(
        console,
        ToolField::Gear,
        &[
            (2, Label::GearReverse),
            (0, Label::Neutral),
            (1, Label::GearForward),
        ],
        |wanted| wanted.gear,
        |wanted, value| wanted.gear = value,
    ));
    let gear_shown = {
        move |lang: Lang| {
            let word = match value_of(console, ToolField::Gear) as i64 {
                1 => Label::GearForward,
                2 => Label::GearReverse,
                _ => Label::Neutral,
            };
            word.text(lang).to_owned()
        }
    };
    let rpm_keys = drive_keys(
        view! {
            <div class="keys three">
                {step_key(console, ToolField::Rpm, "less", Step::Less, "−")}
                {step_key(console, ToolField::Rpm, "more", Step::More, "+")}
                {hold_key(console, ToolField::Rpm, "plus", HoldKey::Run, Label::HoldToRun)}
            </div>
        }
        .into_any(),
    );
    let rpm_shown = {
        move |_: Lang| {
            let running = value_of(console, ToolField::Rpm);
            let wanted = console.wanted.with(|wanted| wanted.rpm);
            if running > 0.0 || is_driven {
                decimal(running, 0) + " rpm"
            } else {
                format!("{wanted} rpm")
            }
        }
    };
    let angle_keys = drive_keys(step_keys(
        console,
        ToolField::Angle,
        "−5°",
        "+5°",
        Some(Label::Straight),
    ));
    let angle_shown = move |lang: Lang| {
        let angle = if is_driven {
            value_of(console, ToolField::Angle)
                * console
                    .tools
                    .with(|tools| tools.commissioning.steering_sign)
        } else {
            console.wanted.with(|wanted| wanted.angle_deg)
        };
        let side = if angle < 0.0 {
            Label::Right
        } else {
            Label::Left
        };
        if angle.abs() < 0.05 {
            number::degrees(0.0)
        } else {
            format!("{} {}", number::degrees(angle.abs()), side.text(lang))
        }
    };
    let speed_keys = keys(step_keys(
        console,
        ToolField::AngleSpeed,
        "−100",
        "+100",
        None,
    ));
    let speed_shown = move |_: Lang| {
        console
            .wanted
            .with(|wanted| format!("{} rpm", wanted.angle_speed))
    };
    view! {
        <p class="tools-note" hidden=is_engineer>{console.label(Label::EngineersOnly)}</p>
        {row(console, ToolField::Gear, Label::Gear, Some(Box::new(gear_shown)), gear)}
        {row(console, ToolField::Rpm, Label::MotorSpeed, Some(Box::new(rpm_shown)), rpm_keys)}
        {row(console, ToolField::Angle, Label::SteeringAngle, Some(Box::new(angle_shown)), angle_keys)}
        {row(console, ToolField::AngleSpeed, Label::SteeringSpeed, Some(Box::new(speed_shown)), speed_keys)}
    }
    .into_any()
}

/// The brake is on no page: it decides whether the vehicle can drive at all.
fn brake(console: Console) -> AnyView {
    if is_driven_by_stick() {
        let shown = move |lang: Lang| {
            let word = if value_of(console, ToolField::Brake) > 0.0 {
                Label::BrakeOn
            } else {
                Label::BrakeReleased
            };
            word.text(lang).to_owned()
        };
        let nothing = ().into_any();
        return row(
            console,
            ToolField::Brake,
            Label::Brake,
            Some(Box::new(shown)),
            nothing,
        );
    }
    let keys = chosen(
        console,
        ToolField::Brake,
        &[(1, Label::BrakeOn), (0, Label::BrakeReleased)],
        |wanted| u8::from(wanted.brake),
        |wanted, value| wanted.brake = value == 1,
    );
    row(console, ToolField::Brake, Label::Brake, None, keys)
}

/// By McCtrl the stick has brake, gear, motor speed and wheels: they are read here, not set.
fn is_driven_by_stick() -> bool {
    profile().drive.via == Via::McCtrl
}

fn percent_row(
    console: Console,
    field: ToolField,
    name: Label,
    wish: fn(&Wanted) -> u8,
) -> AnyView {
    let shown = move |_: Lang| console.wanted.with(|wanted| format!("{} %", wish(wanted)));
    let keys = step_keys(console, field, "−10", "+10", Some(Label::Off));
    row(console, field, name, Some(Box::new(shown)), keys)
}

fn pusher_row(
    console: Console,
    field: ToolField,
    name: Label,
    (retract, extend): (HoldKey, HoldKey),
) -> AnyView {
    let shown = move |lang: Lang| {
        let duty = value_of(console, field);
        let word = if duty > 0.0 {
            Label::Extend
        } else if duty < 0.0 {
            Label::Retract
        } else {
            Label::Held
        };
        found_out(console, field, word).text(lang).to_owned()
    };
    let keys = view! {
        <div class="keys two">
            {hold_key(console, field, "minus", retract, Label::Retract)}
            {hold_key(console, field, "plus", extend, Label::Extend)}
        </div>
    };
    row(console, field, name, Some(Box::new(shown)), keys.into_any())
}

/// What a row shows as its value, in that language.
type Shown = Option<Box<dyn Fn(Lang) -> String + Send + Sync>>;

/// One field: its name, its value, how far it has got, its keys.
fn row(console: Console, field: ToolField, name: Label, shown: Shown, keys: AnyView) -> AnyView {
    let number_of = move |of: fn(&FieldView) -> f64| {
        let decimals = usize::from(field == ToolField::Angle);
        console.with_field(field, |view| attribute(view.map(of), decimals))
    };
    let status = move || {
        console.with_field(field, |view| {
            view.map_or(ToolStatus::Wanted, |view| {
                console.wanted.with(|wanted| status_of(wanted, view))
            })
        })
    };
    let note = move |is_unknown: bool| {
        let lang = console.lang.get();
        console.with_field(field, |view| {
            let note = view.and_then(|view| view.note.as_ref());
            note.filter(|note| is_unknown == (**note == FieldNote::Unknown))
                .map(|note| note.in_words(lang).into_owned())
        })
    };
    // What nobody has told is not wanted, either.
    let status_words =
        move || note(true).unwrap_or_else(|| status().in_words(console.lang.get()).into_owned());
    // A range without room: the vehicle has no such field.
    let is_lacking =
        move || console.with_field(field, |view| view.is_some_and(|view| view.min >= view.max));
    view! {
        <div
            class="tool"
            class:lacking=is_lacking
            data-testid=format!("tool-{}", field.wire_name())
            data-value=move || number_of(|view| view.value)
            data-min=move || number_of(|view| view.min)
            data-max=move || number_of(|view| view.max)
            data-status=move || status().data_state()
        >
            <div class="tool-head">
                <span class="tool-name">{console.label(name)}</span>
                // What nobody has told has no value, either.
                {shown.map(|shown| view! {
                    <output hidden=move || note(true).is_some()>{move || shown(console.lang.get())}</output>
                })}
                <span class="tool-status">
                    {move || status_words()}
                </span>
                <small class="tool-note">{move || note(false).unwrap_or_default()}</small>
            </div>
            {keys}
        </div>
    }
    .into_any()
}

/// What was last sent of a field, or would be.
fn value_of(console: Console, field: ToolField) -> f64 {
    console.with_field(field, |view| view.map_or(0.0, |view| view.value))
}

fn step_keys(
    console: Console,
    field: ToolField,
    less: &'static str,
    more: &'static str,
    off: Option<Label>,
) -> AnyView {
    let class = if off.is_some() {
        "keys three"
    } else {
        "keys two"
    };
    let off = off.map(|label| {
        view! {
            <button
                type="button"
                class="key"
                data-testid=format!("tool-{}-off", field.wire_name())
                on:click=tap(move || take_step(console, field, Step::Off))
            >
                {console.label(label)}
            </button>
        }
    });
    // Left is what is positive, so the key for it stands on the left.
    let keys = if field == ToolField::Angle {
        view! {
            {step_key(console, field, "more", Step::More, "◀ 5°")}
            {off}
            {step_key(console, field, "less", Step::Less, "5° ▶")}
        }
        .into_any()
    } else {
        view! {
            {off}
            {step_key(console, field, "less", Step::Less, less)}
            {step_key(console, field, "more", Step::More, more)}
        }
        .into_any()
    };
    view! { <div class=class>{keys}</div> }.into_any()
}

fn step_key(
    console: Console,
    field: ToolField,
    id: &'static str,
    step: Step,
    sign: &'static str,
) -> AnyView {
    view! {
        <button
            type="button"
            class="key"
            data-testid=format!("tool-{}-{id}", field.wire_name())
            on:click=tap(move || take_step(console, field, step))
        >
            {sign}
        </button>
    }
    .into_any()
}

fn take_step(console: Console, field: ToolField, step: Step) {
    let (documented_min, documented_max) = field.documented_range();
    let (min, max) = console.tools.with_untracked(|tools| {
        let mut fields = tools.fields.iter();
        fields
            .find(|view| view.field == field)
            .map_or((documented_min, documented_max), |view| {
                (view.min, view.max)
            })
    });
    console.want(|wanted| *wanted = stepped(*wanted, field, step, min, max));
}

fn hold_key(
    console: Console,
    field: ToolField,
    id: &'static str,
    key: HoldKey,
    name: Label,
) -> AnyView {
    view! {
        <Hold
            testid=format!("tool-{}-{id}", field.wire_name())
            on_change=Rc::new(move |is_held| console.hold(key, is_held))
        >
            {move || found_out(console, field, name).text(console.lang.get())}
        </Hold>
    }
    .into_any()
}

/// What a pusher does is said once it was found out on the vehicle.
fn found_out(console: Console, field: ToolField, word: Label) -> Label {
    let item = match field {
        ToolField::BrushDeckPusher => Item::BrushDeck,
        ToolField::SuctionSqueeqeePusher => Item::Squeegee,
        _ => return word,
    };
    let is_known = console
        .tools
        .with(|tools| tools.commissioning.in_force.of(item).is_some());
    match word {
        Label::Extend if is_known => Label::Lower,
        Label::Retract if is_known => Label::Raise,
        _ => word,
    }
}

/// One of a few values, each with a key.
fn chosen(
    console: Console,
    field: ToolField,
    choices: &[(u8, Label)],
    now: fn(&Wanted) -> u8,
    set: fn(&mut Wanted, u8),
) -> AnyView {
    let is_known = move || {
        let is_unknown = |view: &FieldView| view.note == Some(FieldNote::Unknown);
        console.with_field(field, |view| !view.is_some_and(is_unknown))
    };
    let keys = choices
        .iter()
        .map(|&(value, name)| {
            view! {
                <button
                    type="button"
                    class="key choice"
                    data-testid=format!("tool-{}-{value}", field.wire_name())
                    aria-pressed=move || (is_known() && console.wanted.with(|wanted| now(wanted) == value)).to_string()
                    on:click=tap(move || console.want(|wanted| set(wanted, value)))
                >
                    {console.label(name)}
                </button>
            }
        })
        .collect_view();
    view! { <div class="keys seg">{keys}</div> }.into_any()
}
