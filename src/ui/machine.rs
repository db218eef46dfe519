//! The machine at a glance: a drawing of its moving parts, and battery, tanks and faults where the
//! vehicle offers them. Nothing here can be pressed.

use leptos::prelude::*;

use super::context::{ToolsPage, console, profile};
use crate::drive::settings::SteeredAxle;
use crate::monitor::snapshot::GaugeView;
use crate::screen::data_state::attribute;
use crate::screen::drawing::{VIEW_BOX, picture};
use crate::words::machine::{grade_of, grade_of_faults, is_old};
use crate::words::{InWords, Label};

/// The card.
#[component]
pub fn MachineCard() -> impl IntoView {
    let console = console();
    let is_rear = profile().drive.steered_axle == SteeredAxle::Rear;
    let is_sweeper = profile().vehicle.kind == "sweeper";
    let has_drawing = move || is_sweeper && !console.tools.with(|tools| tools.is_absent);
    let has_levels = move || {
        console
            .levels
            .with(|levels| !levels.gauges.is_empty() || levels.faults.is_some())
    };
    let drawing = move || console.machine.with(|machine| picture(machine, is_rear));
    view! {
        <section
            class="machine"
            data-testid="machine"
            hidden=move || !has_drawing() && !has_levels()
        >
            <svg
                class="machine-drawing"
                viewBox=VIEW_BOX
                role="img"
                aria-label=console.label(Label::DrawingLegend)
                hidden=move || !has_drawing()
                inner_html=move || drawing()
            ></svg>
            <div class="levels">
                {move || levels()}
                <small class="legend" hidden=move || !has_drawing()>
                    {console.label(Label::DrawingLegend)}
                </small>
            </div>
        </section>
    }
}

fn levels() -> AnyView {
    let console = console();
    let lang = console.lang.get();
    // Currents are for engineers.
    let has_currents = console.tools_page.get() == ToolsPage::More;
    console.levels.with(|levels| {
        let shown = |view: &&GaugeView| has_currents || !view.gauge.is_current();
        let gauges = levels.gauges.iter().filter(shown).map(|view| {
            let slug = view.gauge.topic().replace('/', "-");
            let decimals = if view.gauge.is_current() { 1 } else { 3 };
            line(
                ["level-", &slug].concat(),
                grade_of(view).slug(),
                attribute(view.value, decimals),
                view.age_s,
                [&view.gauge.in_words(lang), " ", &view.in_words(lang)].concat(),
            )
        });
        let faults = levels.faults.as_ref().map(|faults| {
            line(
                "faults".to_owned(),
                grade_of_faults(faults).slug(),
                faults
                    .worst
                    .as_ref()
                    .map(|worst| worst.name.clone())
                    .unwrap_or_default(),
                faults.age_s,
                faults.in_words(lang).into_owned(),
            )
        });
        faults.into_iter().chain(gauges).collect_view().into_any()
    })
}

fn line(
    testid: String,
    grade: &'static str,
    value: String,
    age_s: Option<u32>,
    words: String,
) -> AnyView {
    view! {
        <span
            class="level"
            data-testid=testid
            data-grade=grade
            data-value=value
            data-age-s=attribute(age_s.map(f64::from), 0)
            data-old=is_old(age_s).to_string()
        >
            <i class="mark"></i>
            <span>{words}</span>
        </span>
    }
    .into_any()
}
