//! The newest message of a topic.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, MouseEvent};

use super::copy::copy_key;
use super::plot::plot;
use super::{View, words};
use crate::lang::Lang;
use crate::viewer::Wish;
use crate::viewer::snapshot::{Line, Shown, Watched};

pub(super) fn detail(view: View, topic: String) -> AnyView {
    let named = topic.clone();
    let watched = Memo::new(move |_| view.with_watched(&named, |watched| watched.map(strip_age)));
    let summary = move || {
        let lang = view.lang.get();
        watched.with(|watched| {
            let summary = watched.as_ref()?.summary.as_ref()?;
            let lines = words::summary(summary, lang);
            Some(
                lines
                    .into_iter()
                    .map(|line| view! { <p>{line}</p> })
                    .collect_view(),
            )
        })
    };
    let pictured = topic.clone();
    let picture = move || {
        let address = view.pictures.with(|pictures| {
            let picture = pictures.get(&pictured)?;
            Some(picture.address().to_owned())
        });
        address.map(|address| view! { <img class="topic-picture" alt="" src=address/> })
    };
    let paths = Memo::new(move |_| {
        watched.with(|watched| {
            let plots = watched.iter().flat_map(|watched| &watched.plots);
            plots.map(|plot| plot.path.clone()).collect::<Vec<_>>()
        })
    });
    let lines = move || {
        let lang = view.lang.get();
        watched.with(|watched| {
            let lines = watched.iter().flat_map(|watched| &watched.lines);
            lines.map(|line| line_view(line, lang)).collect_view()
        })
    };
    let is_empty = Memo::new(move |_| {
        watched.with(|watched| {
            watched
                .as_ref()
                .is_none_or(|watched| watched.lines.is_empty())
        })
    });
    let is_yielding = Memo::new(move |_| {
        watched.with(|watched| watched.as_ref().is_some_and(|watched| watched.is_yielding))
    });
    let tapped = topic.clone();
    let tap = move |event: MouseEvent| {
        let Some(path) = path_under(&event) else {
            return;
        };
        let topic = tapped.clone();
        view.wish(if paths.with_untracked(|paths| paths.contains(&path)) {
            Wish::Unplot(topic, path)
        } else {
            Wish::Plot(topic, path)
        });
    };
    let text =
        move || watched.with_untracked(|watched| watched.as_ref().map(text_of).unwrap_or_default());
    let plotted = topic.clone();
    view! {
        <div class="topic-detail">
            <div class="topic-summary">{summary}</div>
            {picture}
            <For
                each=move || paths.get()
                key=|path| path.clone()
                children=move |path| plot(view, plotted.clone(), path)
            />
            <p class="topics-state" hidden=move || !is_empty.get()>
                {move || {
                    let lang = view.lang.get();
                    if is_yielding.get() {
                        words::yields(lang)
                    } else {
                        lang.pick("No message yet.", "尚无消息。")
                    }
                }}
            </p>
            <div
                class="topic-tree"
                data-testid="topic-tree"
                data-topic=topic.clone()
                on:click=tap
            >
                {lines}
            </div>
            {copy_key(view, ["topics-copy", "topics-text"], ["Copy", "复制"], text)}
        </div>
    }
    .into_any()
}

/// Without its age, which would have it drawn anew when nothing came.
fn strip_age(watched: &Watched) -> Watched {
    Watched {
        age_ms: None,
        ..watched.clone()
    }
}

pub(super) fn line_view(line: &Line, lang: Lang) -> AnyView {
    let depth = line.depth.min(12).to_string();
    let value = words::value(&line.shown, lang);
    let unit = line.unit.clone();
    let content = view! {
        <span class="line-name">{line.name.clone()}</span>
        <span class="line-value">{value}</span>
        <span class="line-unit">{unit}</span>
    };
    let path = line.path.clone();
    if matches!(line.shown, Shown::Number(_)) {
        view! { <button type="button" class="line" data-depth=depth data-path=path>{content}</button> }
            .into_any()
    } else {
        view! { <div class="line" data-depth=depth data-path=path>{content}</div> }.into_any()
    }
}

/// The path of the number that was tapped.
fn path_under(event: &MouseEvent) -> Option<String> {
    let target: Element = event.target()?.dyn_into().ok()?;
    target
        .closest("button.line")
        .ok()??
        .get_attribute("data-path")
}

/// The tree as text, indented.
fn text_of(watched: &Watched) -> String {
    let mut text = [watched.topic.as_str(), " ", &watched.kind, "\n"].concat();
    for line in &watched.lines {
        text.push_str(&"  ".repeat(usize::from(line.depth) + 1));
        let value = words::value(&line.shown, Lang::En);
        for part in [&line.name, ": ", &value, " ", &line.unit] {
            text.push_str(part);
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}
