//! One number over the last minute. It is drawn when a snapshot comes, five times a second.

use leptos::prelude::*;

use super::{View, words};
use crate::viewer::Wish;
use crate::viewer::snapshot::Point;

const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 120.0;
const SPAN_MS: f64 = 60_000.0;
/// What is silent for longer is no line.
const GAP_MS: f64 = 2_500.0;

pub(super) fn plot(view: View, topic: String, path: String) -> AnyView {
    let (of, at) = (topic.clone(), path.clone());
    let plot = Memo::new(move |_| {
        view.with_watched(&of, |watched| {
            let plots = &watched?.plots;
            plots.iter().find(|plot| plot.path == at).cloned()
        })
    });
    let at = path.clone();
    let close = move |_| view.wish(Wish::Unplot(topic.clone(), at.clone()));
    let points = move || plot.with(|plot| plot.as_ref().map_or(0, |plot| plot.points.len()));
    let last = move || plot.with(|plot| plot.as_ref()?.last.map(|last| last.to_string()));
    let range = move |place: usize| {
        plot.with(|plot| {
            let range = range(&plot.as_ref()?.points)?;
            let value = if place == 0 { range.0 } else { range.1 };
            Some(words::short(value, range.1 - range.0))
        })
    };
    view! {
        <figure
            class="plot"
            data-testid="topic-plot"
            data-path=path.clone()
            data-points=move || points().to_string()
            data-last=move || last()
        >
            <figcaption>
                <b>{path.clone()}</b>
                <span>{move || last()}</span>
                <button type="button" class="key small" data-testid="plot-close" on:click=close>
                    {view.pick("Close plot", "关闭曲线")}
                </button>
            </figcaption>
            <div class="plot-field">
                <svg viewBox="0 0 600 120" preserveAspectRatio="none" aria-hidden="true">
                    <path d=move || plot.with(|plot| plot.as_ref().map(|plot| drawn(&plot.points)))></path>
                </svg>
                <span class="plot-most">{move || range(1)}</span>
                <span class="plot-least">{move || range(0)}</span>
            </div>
            <div class="plot-time">
                <span>{view.pick("60 s ago", "60 秒前")}</span>
                <span>{view.pick("now", "现在")}</span>
            </div>
        </figure>
    }
    .into_any()
}

fn range(points: &[Point]) -> Option<(f64, f64)> {
    let first = points.first()?;
    let widen =
        |(least, most): (f64, f64), point: &Point| (least.min(point.min), most.max(point.max));
    Some(points.iter().fold((first.min, first.max), widen))
}

/// The points as a path: each goes through its least and its greatest value.
fn drawn(points: &[Point]) -> String {
    let mut path = String::new();
    let Some((least, most)) = range(points) else {
        return path;
    };
    let is_flat = most - least < f64::EPSILON * most.abs().max(1.0);
    let y = |value: f64| {
        if is_flat {
            HEIGHT / 2.0
        } else {
            4.0 + (HEIGHT - 8.0) * (1.0 - (value - least) / (most - least))
        }
    };
    let mut before = f64::INFINITY;
    for point in points {
        let x = WIDTH * (1.0 - (point.age_ms / SPAN_MS).clamp(0.0, 1.0));
        let pen = if before - point.age_ms > GAP_MS {
            'M'
        } else {
            'L'
        };
        before = point.age_ms;
        let (least, most) = (y(point.min), y(point.max));
        path.push_str(&format!("{pen}{x:.1} {least:.1}V{most:.1}"));
    }
    path
}
