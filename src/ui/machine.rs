//! The machine at a glance: a drawing of its moving parts, and battery, tanks and faults where the
//! vehicle offers them. Nothing here can be pressed.

use leptos::prelude::*;

use super::context::{ToolsPage, console, profile};
use crate::drive::settings::SteeredAxle;
use crate::screen::drawing::{Shown, card};

/// The card.
#[component]
pub fn MachineCard() -> impl IntoView {
    let console = console();
    let profile = profile();
    let is_sweeper = profile.vehicle.kind == "sweeper";
    let is_rear_steered = profile.drive.steered_axle == SteeredAxle::Rear;
    let inside = move || {
        let shown = Shown {
            has_drawing: is_sweeper && !console.tools.with(|tools| tools.is_absent),
            is_rear_steered,
            has_currents: console.tools_page.get() == ToolsPage::More,
        };
        let lang = console.lang.get();
        console.with_glance(|glance| card(glance, shown, lang))
    };
    view! { <section class="machine" data-testid="machine" inner_html=move || inside()></section> }
}
