//! What lies over the map while somebody works on it: what is ahead, what a tap means now, and the
//! keys for it. It stands where the page's messages do: neither over the pad nor over STOP.

use leptos::prelude::*;

use super::{Work, name};
use crate::chart::drawn::{Kind, Shape};
use crate::chart::geodesy::area_of;
use crate::chart::pencil::{Mode, Tap};
use crate::words::InWords;
use crate::words::work::{self as words, WorkLabel};

/// Of the vehicle's own place, which lands where it is: any will do.
const ANY_ZOOM: f64 = 20.0;

pub(super) fn bar(work: Work) -> impl IntoView {
    let text = move |label: WorkLabel| move || label.text(work.lang.get());
    let mode = Memo::new(move |_| work.desk(|desk| desk.pencil().mode()));
    let is_shown = move || work.is_tapping.get() && !work.is_covered.get() && !work.is_open.get();
    let has_undo = Memo::new(move |_| work.desk(|desk| desk.can_undo()));
    let can_finish = Memo::new(move |_| work.desk(|desk| desk.pencil().can_finish()));
    let has_corner = Memo::new(move |_| work.desk(|desk| desk.pencil().corner().is_some()));
    let chosen = Memo::new(move |_| work.desk(|desk| desk.chosen().map(|shape| shape.id)));
    let is_ring = move || matches!(mode.get(), Mode::Draw(kind) if kind.is_ring());
    let is_editing = move || matches!(mode.get(), Mode::Edit(_));
    let takes_places = move || {
        matches!(mode.get(), Mode::Draw(_) | Mode::Measure) || (is_editing() && has_corner.get())
    };
    let at_the_vehicle = move |_| {
        if let Some(place) = work.exact.get_untracked() {
            work.tapped(Tap {
                place,
                zoom: ANY_ZOOM,
                is_exact: true,
            });
        }
    };
    let finish = move |_| {
        let lang = work.lang.get_untracked();
        work.change(|desk| desk.finish(&|kind, number| name(kind, number, lang)));
    };
    view! {
        {warning(work)}
        <div
            class="work-bar"
            data-testid="work-bar"
            data-mode=move || mode_slug(mode.get())
            hidden=move || !is_shown()
        >
            <p class="work-hint" role="status" data-testid="work-hint">{move || hint(work)}</p>
            <div class="keys">
                <button
                    type="button"
                    class="key"
                    data-testid="work-vehicle"
                    hidden=move || !takes_places()
                    disabled=move || work.exact.with(Option::is_none)
                    on:click=at_the_vehicle
                >
                    {text(WorkLabel::AtTheVehicle)}
                </button>
                <button
                    type="button"
                    class="key"
                    data-testid="work-edit"
                    hidden=move || mode.get() != Mode::Choose || chosen.get().is_none()
                    on:click=move |_| {
                        if let Some(id) = chosen.get_untracked() {
                            work.take_up(Mode::Edit(crate::chart::pencil::Target::Shape(id)));
                        }
                    }
                >
                    {text(WorkLabel::Edit)}
                </button>
                <button
                    type="button"
                    class="key"
                    data-testid="work-remove-corner"
                    hidden=move || !is_editing()
                    disabled=move || !has_corner.get()
                    on:click=move |_| work.change(|desk| desk.remove_corner())
                >
                    {text(WorkLabel::RemoveCorner)}
                </button>
                <button
                    type="button"
                    class="key"
                    data-testid="work-undo"
                    disabled=move || !has_undo.get()
                    on:click=move |_| work.change(|desk| desk.undo())
                >
                    {text(WorkLabel::Undo)}
                </button>
                <button
                    type="button"
                    class="key strong"
                    data-testid="work-finish"
                    hidden=move || !is_ring()
                    disabled=move || !can_finish.get()
                    on:click=finish
                >
                    {text(WorkLabel::Finish)}
                </button>
                <button
                    type="button"
                    class="key"
                    data-testid="work-done"
                    on:click=move |_| work.stop_tapping()
                >
                    {text(WorkLabel::Close)}
                </button>
            </div>
        </div>
    }
}

/// What is ahead; said to be an aid wherever it is said.
fn warning(work: Work) -> impl IntoView {
    let said = Memo::new(move |_| {
        let (told, lang) = (work.told.get(), work.lang.get());
        let warning = told.warning?;
        let (kind, name) = work.desk(|desk| {
            let shape = desk.drawing().shape(warning.id);
            shape.map(|shape| (shape.kind, shape.name.clone()))
        })?;
        let limit = told.cap.filter(|_| work.limits_speed.get());
        let limit = limit.map(|cap| f64::from(cap) / 1000.0);
        Some(words::warning(kind, &name, &warning, limit, lang))
    });
    view! {
        <div
            class="banner work-warning"
            data-level="bad"
            role="alert"
            data-testid="work-warning"
            data-distance=move || {
                let warning = work.told.with(|told| told.warning);
                warning.map(|it| crate::units::decimal(it.distance, 2))
            }
            hidden=move || said.with(Option::is_none)
        >
            <b>{move || said.get()}</b>
            <small>{move || work.lang.get().pick("An aid, no protection", "仅为辅助，不能防护")}</small>
        </div>
    }
}

/// Why the last tap did nothing, else what was measured or chosen, else what a tap means.
fn hint(work: Work) -> String {
    let lang = work.lang.get();
    work.desk(|desk| {
        if let Some(refusal) = desk.refusal() {
            return refusal.in_words(lang).into_owned();
        }
        let label = match desk.pencil().mode() {
            Mode::Measure => return words::measured(&desk.measured(), lang),
            Mode::Choose => match desk.chosen() {
                Some(shape) => return told(work, shape),
                None => WorkLabel::TapToChoose,
            },
            Mode::Draw(Kind::Point) => WorkLabel::TapPlace,
            Mode::Draw(_) => WorkLabel::TapCorners,
            Mode::Edit(_) => WorkLabel::TapToEdit,
        };
        label.text(lang).to_owned()
    })
}

/// A shape in one line: name, square metres, percent.
pub(super) fn told(work: Work, shape: &Shape) -> String {
    let mut text = shape.name.clone();
    if shape.kind.is_ring() {
        text += &[" · ", &words::area(area_of(&shape.points))].concat();
    }
    if shape.kind == Kind::Zone {
        let percent = work.zones.with(|zones| zones.get(&shape.id).copied());
        text += &[" · ", &words::percent(percent.flatten())].concat();
    }
    text
}

fn mode_slug(mode: Mode) -> &'static str {
    match mode {
        Mode::Choose => "choose",
        Mode::Draw(kind) => kind.code(),
        Mode::Edit(_) => "edit",
        Mode::Measure => "measure",
    }
}
