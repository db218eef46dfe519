//! The machine at a glance: a drawing of its moving parts, and battery, tanks and faults where the
//! vehicle offers them. Nothing here can be pressed.
//!
//! What a vehicle says in its own words is text, never part of the picture.

use leptos::prelude::*;

use super::context::{ToolsPage, console, profile};
use crate::drive::settings::SteeredAxle;
use crate::monitor::snapshot::FaultsView;
use crate::screen::drawing::{VIEW_BOX, gauges, picture};
use crate::words::machine::grade_of_faults;
use crate::words::{InWords, Label};

/// The card.
#[component]
pub fn MachineCard() -> impl IntoView {
    let console = console();
    let is_rear = profile().drive.steered_axle == SteeredAxle::Rear;
    let is_sweeper = profile().vehicle.kind == "sweeper";
    let has_drawing = move || is_sweeper && !console.tools.with(|tools| tools.is_absent);
    let drawing = move || {
        console
            .glance
            .with(|glance| picture(&glance.machine, is_rear))
    };
    let rows = move || {
        let has_currents = console.tools_page.get() == ToolsPage::More;
        let lang = console.lang.get();
        console
            .glance
            .with(|glance| gauges(&glance.levels, has_currents, lang))
    };
    let with_faults = move |look: fn(&FaultsView, crate::lang::Lang) -> String| {
        let lang = console.lang.get();
        console.glance.with(|glance| {
            let faults = glance.levels.faults.as_ref();
            faults.map(|faults| look(faults, lang)).unwrap_or_default()
        })
    };
    view! {
        <section class="machine" data-testid="machine">
            <svg
                class="machine-drawing"
                viewBox=VIEW_BOX
                role="img"
                hidden=move || !has_drawing()
                aria-label=console.label(Label::DrawingLegend)
                inner_html=move || drawing()
            ></svg>
            <div class="levels">
                <span
                    class="level"
                    data-testid="faults"
                    data-grade=move || with_faults(|faults, _| grade_of_faults(faults).slug().to_owned())
                >
                    <i class="mark"></i>
                    <span>{move || with_faults(|faults, lang| faults.in_words(lang).into_owned())}</span>
                </span>
                <div class="gauges" inner_html=move || rows()></div>
                <small class="legend">{console.label(Label::DrawingLegend)}</small>
            </div>
        </section>
    }
}
