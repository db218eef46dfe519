//! The sheet over the map, and its rows.

use leptos::prelude::*;

use super::detail::detail;
use super::found::found;
use super::tryout::tryout;
use super::{View, words};
use crate::viewer::Wish;
use crate::viewer::snapshot::{Access, TopicRow};

/// The sheet; it lies where the settings do: neither over the pad nor over STOP.
pub(super) fn sheet(view: View) -> impl IntoView {
    Effect::new(move |_| {
        let is_open = view.is_open.get();
        if !is_open {
            // What was listed then may not be there when they are opened again.
            view.snapshot.update(|seen| seen.topics.clear());
        }
        view.link.with_value(|link| {
            if let Some(link) = link {
                link.open(is_open);
            }
        });
    });
    let names = Memo::new(move |_| {
        view.snapshot.with(|seen| {
            let names = seen.topics.iter().map(|row| row.name.clone());
            names.collect::<Vec<_>>()
        })
    });
    let is_paused = Memo::new(move |_| view.snapshot.with(|seen| seen.is_paused));
    let is_shown = move || view.is_open.get() && !view.is_covered.get();
    view! {
        <section
            class="sheet topics"
            data-testid="topics"
            data-settings="true"
            data-paused=move || is_paused.get().to_string()
            hidden=move || !is_shown()
        >
            <div class="sheet-head topics-head">
                <h2>{view.pick("Topics", "话题")}</h2>
                <button
                    type="button"
                    class="key small"
                    data-testid="topics-pause"
                    aria-pressed=move || is_paused.get().to_string()
                    on:click=move |_| view.wish(Wish::Pause(!is_paused.get_untracked()))
                >
                    {move || {
                        let lang = view.lang.get();
                        if is_paused.get() { lang.pick("Go on", "继续") } else { lang.pick("Pause", "暂停") }
                    }}
                </button>
                <button
                    type="button"
                    class="key small"
                    data-testid="topics-close"
                    on:click=move |_| view.is_open.set(false)
                >
                    {view.pick("Close", "关闭")}
                </button>
            </div>
            {found(view)}
            <label class="field">
                <span>{view.pick("Name or type contains", "名称或类型包含")}</span>
                <input
                    type="text"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    data-testid="topics-filter"
                    on:input=move |event| view.wish(Wish::Filter(event_target_value(&event)))
                />
            </label>
            <p class="topics-state" data-testid="topics-state">
                {move || {
                    let lang = view.lang.get();
                    view.snapshot.with(|seen| words::state(seen, lang))
                }}
            </p>
            <p
                class="problem"
                role="alert"
                data-testid="topics-trouble"
                hidden=move || view.trouble.with(Option::is_none)
            >
                {move || {
                    let lang = view.lang.get();
                    view.trouble.with(|trouble| trouble.as_ref().map(|trouble| words::trouble(trouble, lang)))
                }}
            </p>
            {move || has_tryout(view).then(|| tryout(view))}
            <ul class="topic-list">
                <For each=move || names.get() key=|name| name.clone() children=move |name| row(view, name)/>
            </ul>
        </section>
    }
}

/// By the profile, which is told with everything else.
fn has_tryout(view: View) -> bool {
    view.is_known.get()
        && view
            .host
            .with_value(|host| host.profile.screen.engineer_tools)
}

fn row(view: View, name: String) -> impl IntoView {
    let wanted = name.clone();
    let row = Memo::new(move |_| {
        view.snapshot
            .with(|seen| seen.topics.iter().find(|row| row.name == wanted).cloned())
    });
    let access = Memo::new(move |_| row.with(|row| row.as_ref().map(|row| row.access)));
    let tapped = name.clone();
    let looked_at = name.clone();
    let is_looked_at = Memo::new(move |_| {
        view.with_watched(&looked_at, |watched| watched.is_some_and(|it| it.is_open))
    });
    let tap = move |_| {
        let wish = if is_looked_at.get_untracked() {
            Wish::Unwatch(tapped.clone())
        } else {
            Wish::Watch(tapped.clone())
        };
        view.wish(wish);
    };
    let is_reserved = move || access.get() == Some(Access::Reserved);
    let shown = name.clone();
    view! {
        <li
            class="topic"
            data-testid="topic-row"
            data-topic=name.clone()
            data-access=move || if is_reserved() { "reserved" } else { "free" }
            data-publishers=move || of(row, |row| row.publishers.map(|count| count.to_string()))
            data-rate=move || of(row, |row| Some(format!("{:.1}", row.traffic?.rate_hz?)))
            data-age-ms=move || {
                let waited = view.since_seen();
                of(row, |row| Some(format!("{:.0}", row.traffic?.age_ms? + waited)))
            }
        >
            <button
                type="button"
                class="topic-key"
                aria-expanded=move || is_looked_at.get().to_string()
                aria-disabled=move || is_reserved().to_string()
                on:click=tap
            >
                <b>{name.clone()}</b>
                <span>{move || row.with(|row| row.as_ref().map(|row| row.kind.clone()))}</span>
                <span class="topic-traffic">
                    {move || {
                        let (lang, waited) = (view.lang.get(), view.since_seen());
                        row.with(|row| row.as_ref().map(|row| words::traffic(row, waited, lang)))
                    }}
                </span>
                {move || is_reserved().then(|| view! { <span class="topic-why">{view.pick(
                    "Cannot be opened here: the command link listens to it, and a second listener could starve it.",
                    "此处无法打开：指令链路正在接收该话题，第二个接收者可能使其收不到消息。",
                )}</span> })}
            </button>
            {move || is_looked_at.get().then(|| detail(view, shown.clone()))}
        </li>
    }
}

fn of(
    row: Memo<Option<TopicRow>>,
    look: impl FnOnce(&TopicRow) -> Option<String>,
) -> Option<String> {
    row.with(|row| row.as_ref().and_then(look))
}
