//! The map: the vehicle to scale on tiles or on a metric grid that is enough alone.
//!
//! Leaflet 1.9.4 is expected as the global `L`, loaded by a plain script before the page's
//! program; its style sheet comes before `style/map.css`. Without it a sentence stands in the
//! map's place and everything else goes on.
//!
//! # Layout
//!
//! | file | what |
//! |---|---|
//! | `board.rs` | the Leaflet map behind a few verbs: show, follow, zoom, source |
//! | `marker.rs` | the vehicle: outline, front, what is not known |
//! | `grid_lines.rs` | the metric grid |
//! | `tiles.rs` | a tile source, which may fail |
//! | `gestures.rs` | fingers on the map and fingers elsewhere |
//! | `text.rs` | the words |
//!
//! # For tests and integrators
//! `map` (the Leaflet container) and `vehicle-marker` carry `data-lat`, `data-lon` (WGS84,
//! degrees) and `data-heading` (degrees, absent when there is none); the marker also `data-live`
//! and `data-heading-good`, the map `data-center-lat`, `data-center-lon` (WGS84), `data-zoom` and
//! `data-source` (the chosen one, counted from 0).
//! `follow`, `zoom-in`, `zoom-out`, `map-source`, `map-scale`, `map-note` are the controls.
//!
//! The page may set `--map-inset-top`, `-right`, `-bottom`, `-left` (lengths) on an ancestor to
//! keep the map's controls clear of its own.

mod board;
mod gestures;
mod grid_lines;
mod marker;
mod text;
mod tiles;

use std::rc::Rc;

use js_sys::Function;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use self::board::{Board, BoardSignals};
use self::text::Word;
use crate::profile::{MapProfile, SourceKind, TileSource, VehicleProfile};
use crate::rtk::view::RtkView;
use crate::units::decimal;
use crate::words::Lang;

/// The map with its own controls; fills its parent.
#[component]
pub fn MapView(
    /// The position as far as it is known; a new value for every snapshot is welcome.
    #[prop(into)]
    rtk: Signal<RtkView>,
    /// Whose outline is drawn.
    vehicle: VehicleProfile,
    /// Tile sources and where to look first.
    map: MapProfile,
    /// The screen's language.
    #[prop(into)]
    lang: Signal<Lang>,
    /// The chosen source; the place after the last one is the grid alone.
    chosen: RwSignal<usize>,
) -> impl IntoView {
    let container = NodeRef::<html::Div>::new();
    let signals = BoardSignals {
        follow: RwSignal::new(true),
        scale: RwSignal::new((0.0, 0.0)),
        dead_source: RwSignal::new(None),
    };
    let board = StoredValue::new_local(None::<Rc<Board>>);
    let stage = RwSignal::new(Stage::Waiting);
    let sources = StoredValue::new(named(map.sources));
    let source = move || sources.with_value(|sources| sources.get(chosen.get()).cloned());

    // Asks something of the map, if there is one. What Leaflet throws ends the map and nothing
    // else; no value of the page is borrowed meanwhile.
    let ask = move |act: Box<dyn FnOnce(&Board)>| {
        if let Some(board) = board.try_get_value().flatten()
            && let Err(error) = shielded(move || act(&board))
        {
            leptos::logging::error!("the map failed: {error:?}");
            stage.set(Stage::Failed);
        }
    };
    let has_map = move || stage.get() == Stage::Ready;

    Effect::new(move |_| {
        let Some(element) = container.get() else {
            return;
        };
        let vehicle = vehicle.clone();
        let made = shielded(move || {
            board.set_value(Board::new(&element, &vehicle, map.start, signals).map(Rc::new));
        });
        let is_there = made.is_ok() && board.with_value(Option::is_some);
        stage.set(if is_there {
            Stage::Ready
        } else {
            Stage::Failed
        });
    });
    on_cleanup(move || {
        ask(Box::new(Board::take_down));
        board.set_value(None);
    });

    // Each of these only pushes outward, onto the map.
    Effect::new(move |_| {
        let (view, lang) = (rtk.get(), lang.get());
        if has_map() {
            ask(Box::new(move |board| board.show(&view, lang)));
        }
    });
    Effect::new(move |_| {
        let is_following = signals.follow.get();
        if has_map() {
            ask(Box::new(move |board| board.set_following(is_following)));
        }
    });
    Effect::new(move |_| {
        let source = source().filter(|source| bad_placeholder(source).is_none());
        let index = chosen.get();
        if has_map() {
            ask(Box::new(move |board| {
                board.set_source(source.as_ref(), index)
            }));
        }
    });

    let zoom_by = move |levels: f64| ask(Box::new(move |board| board.zoom_by(levels)));
    let word = move |word: Word| move || word.text(lang.get());
    let has_no_position = move || rtk.with(|view| view.position.is_none());
    let is_failed = move || stage.get() == Stage::Failed;
    let source_name = move || {
        source().map_or_else(
            || Word::GridOnly.text(lang.get()).to_owned(),
            |source| source.name,
        )
    };
    let note = move || {
        let lang = lang.get();
        let bad = source().and_then(|source| {
            bad_placeholder(&source).map(|name| text::bad_address(&source.name, &name, lang))
        });
        bad.or_else(|| {
            signals
                .dead_source
                .get()
                .map(|name| text::no_tiles(&name, lang))
        })
    };
    let attribution = move || {
        source()
            .map(|source| source.attribution)
            .unwrap_or_default()
    };

    view! {
        <section class="map-room" aria-label=word(Word::Map)>
            <div node_ref=container class="map" data-testid="map"></div>
            <Show when=is_failed>
                <p class="map-failed" role="status">{word(Word::MapFailed)}</p>
            </Show>
            <Show when=move || has_no_position() && !is_failed()>
                <p class="map-empty" role="status">{word(Word::NoPosition)}</p>
            </Show>
            <Show when=has_map>
                <div class="map-controls">
                    <button
                        type="button"
                        class="map-button map-follow"
                        role="switch"
                        data-testid="follow"
                        aria-checked=move || if signals.follow.get() { "true" } else { "false" }
                        on:click=move |_| signals.follow.update(|follow| *follow = !*follow)
                    >
                        {word(Word::Follow)}
                    </button>
                    <button
                        type="button"
                        class="map-button map-zoom"
                        data-testid="zoom-in"
                        aria-label=word(Word::ZoomIn)
                        on:click=move |_| zoom_by(1.0)
                    >
                        "+"
                    </button>
                    <button
                        type="button"
                        class="map-button map-zoom"
                        data-testid="zoom-out"
                        aria-label=word(Word::ZoomOut)
                        on:click=move |_| zoom_by(-1.0)
                    >
                        "−"
                    </button>
                    <Show when=move || { sources.with_value(Vec::len) > 1 }>
                        <button
                            type="button"
                            class="map-button map-source"
                            data-testid="map-source"
                            aria-label=move || {
                                format!("{}: {}", Word::Source.text(lang.get()), source_name())
                            }
                            on:click=move |_| {
                                let choices = sources.with_value(Vec::len) + 1;
                                chosen.update(|chosen| *chosen = (*chosen + 1) % choices);
                            }
                        >
                            {source_name}
                        </button>
                    </Show>
                </div>
                <div class="map-legend">
                    <Show when=move || note().is_some()>
                        <p class="map-note" role="status" data-testid="map-note">{note}</p>
                    </Show>
                    <p class="map-attribution">{attribution}</p>
                    <div class="map-scale" data-testid="map-scale">
                        <span class="map-north">
                            <span class="map-north-arrow" aria-hidden="true"></span>
                            {word(Word::North)}
                        </span>
                        <span class="map-length">
                            {move || text::length(signals.scale.get().0, lang.get())}
                            <span
                                class="map-bar"
                                style:width=move || decimal(signals.scale.get().1, 1) + "px"
                            ></span>
                        </span>
                    </div>
                </div>
            </Show>
        </section>
    }
}

/// How far the map has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Waiting,
    Ready,
    Failed,
}

/// Does something that may throw. A thrown exception passes through Rust without running a single
/// destructor, so it must not pass through anything that the page goes on using.
fn shielded(act: impl FnOnce() + 'static) -> Result<(), JsValue> {
    let act = Closure::once(act);
    let function: &Function = act.as_ref().unchecked_ref();
    function.call0(&JsValue::NULL).map(drop)
}

/// Every source with a name that an operator can tell from the others. A site plan is the
/// viewer's.
fn named(mut sources: Vec<TileSource>) -> Vec<TileSource> {
    sources.retain(|source| source.kind != SourceKind::Plan);
    for (index, source) in sources.iter_mut().enumerate() {
        if source.name.trim().is_empty() {
            source.name = format!("#{}", index + 1);
        }
    }
    sources
}

fn bad_placeholder(source: &TileSource) -> Option<String> {
    tiles::unknown_placeholder(&source.url).map(str::to_owned)
}
