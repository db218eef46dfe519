//! How the vehicle's components stand with its commands: a line each beside the map, where the
//! vehicle says so.

use leptos::prelude::*;

use super::{View, words};
use crate::viewer::snapshot::{CommandView, LinkState};

pub(super) fn command(view: View) -> impl IntoView {
    // What does not come any more is not known any more.
    let told = Memo::new(move |_| {
        let is_live = matches!(
            view.commands_link.get(),
            LinkState::Online | LinkState::Slow
        );
        view.snapshot.with(|seen| {
            let all = seen.commands.iter().filter(|said| is_news(said));
            let is_known = is_live && seen.link == LinkState::Online;
            all.filter(|_| is_known).cloned().collect::<Vec<_>>()
        })
    });
    let line = move |said: CommandView| {
        let data = (said.component.slug(), said.standing.clone());
        view! {
            <p
                data-testid="command-state"
                data-component=data.0
                data-state=data.1.state
                data-reason=data.1.reason
            >
                {move || words::command(&said, view.lang.get())}
            </p>
        }
    };
    view! {
        <div class="command" hidden=move || told.with(Vec::is_empty)>
            {move || told.get().into_iter().map(line).collect_view()}
        </div>
    }
}

/// Before the first command there is nothing to say.
fn is_news(said: &CommandView) -> bool {
    said.standing.state != "idle"
}
