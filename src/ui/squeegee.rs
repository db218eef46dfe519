//! Retracting the squeegee, where reverse is refused because it is out.

use std::rc::Rc;

use leptos::prelude::*;

use super::context::console;
use super::hold::Hold;
use crate::screen::holding::HoldKey;
use crate::words::Label;

/// A hold button beside the banner. It stays as long as a finger is on it: what is out a little
/// further than was published goes in all the way.
#[component]
pub fn SqueegeeKey() -> impl IntoView {
    let console = console();
    let is_held = RwSignal::new(false);
    let is_offered = move || console.tools.with(|tools| tools.offers_squeegee);
    view! {
        <div class="retract" hidden=move || !is_offered() && !is_held.get()>
            <Hold
                testid="retract-squeegee"
                class="reset"
                on_change=Rc::new(move |is_down| {
                    is_held.set(is_down);
                    console.hold(HoldKey::SqueegeeRetract, is_down);
                })
            >
                {console.label(Label::RetractSqueegee)}
            </Hold>
        </div>
    }
}
