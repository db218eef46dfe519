//! The one sentence over the map.

use leptos::prelude::*;

use super::context::console;
use crate::screen::data_state::DataState;

/// The present reason and the next move. It stays in the page when it is empty, because reading
/// aids announce only what changes in a region that they already know.
#[component]
pub fn BannerLine() -> impl IntoView {
    let console = console();
    let level = move || {
        console
            .banner
            .with(|banner| banner.as_ref().map(|banner| banner.level.data_state()))
            .unwrap_or_default()
    };
    let text = move || {
        console
            .banner
            .with(|banner| banner.as_ref().map(|banner| banner.text.clone()))
            .unwrap_or_default()
    };
    view! {
        <p class="banner" data-testid="banner" role="status" data-level=move || level()>
            {move || text()}
        </p>
    }
}
