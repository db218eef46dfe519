//! The pad: one finger becomes a deflection, and every way of ending it is an end.

use leptos::ev::PointerEvent;
use leptos::html;
use leptos::prelude::*;
use web_sys::wasm_bindgen::JsCast;
use web_sys::wasm_bindgen::prelude::Closure;
use web_sys::{Element, ResizeObserver};

use super::context::{Console, console, profile};
use super::erased::{live, touch};
use super::hold::capture;
use crate::pilot::snapshot::{DriveState, PressEnd};
use crate::screen::data_state::DataState;
use crate::screen::pad::{HUB, PadPlace, Press, outline_points};
use crate::words::Label;

/// The contact, and how many releases there had been when it began: after a later one it does not
/// drive any more, but the finger is still there until it is lifted.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Contact {
    press: Press,
    releases: u32,
}

/// The pad.
#[component]
pub fn Stick() -> impl IntoView {
    let console = console();
    let pad = NodeRef::<html::Div>::new();
    let contact = RwSignal::new(None::<Contact>);
    let driving_contact = move || {
        let releases = console.releases();
        contact
            .get()
            .filter(|contact| contact.releases == releases)
            .map(|contact| contact.press.input())
    };

    let begin = move |event: PointerEvent| {
        event.prevent_default();
        let releases = untrack(move || console.releases());
        let is_taken = contact
            .get_untracked()
            .is_some_and(|contact| contact.releases == releases);
        // The second finger on the pad is not meant, nor a mouse's other buttons.
        if is_taken || event.button() > 0 {
            return;
        }
        let Some(place) = place_of(pad) else {
            return;
        };
        // Some devices never tell the end of a contact that was taken away: a new one ends it.
        if contact.get_untracked().is_some() {
            console.stick(None);
        }
        let number = console.next_press();
        let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
        let Some(press) = Press::begin(event.pointer_id(), number, place, x, y) else {
            return;
        };
        if !capture(&event) {
            return;
        }
        contact.set(Some(Contact { press, releases }));
        console.stick(Some(press.input()));
    };

    let moved = move |event: PointerEvent| {
        let Some(mut now) = contact
            .get_untracked()
            .filter(|contact| contact.press.is_of(event.pointer_id()))
        else {
            return;
        };
        end_if_laid_out_anew(console, pad, &now);
        now.press
            .move_to(f64::from(event.client_x()), f64::from(event.client_y()));
        contact.set(Some(now));
        console.stick(Some(now.press.input()));
    };

    let ended = move |event: PointerEvent| {
        let is_meant = contact
            .get_untracked()
            .is_some_and(|contact| contact.press.is_of(event.pointer_id()));
        if is_meant {
            contact.set(None);
            console.stick(None);
        }
    };

    watch_layout(console, pad, contact);
    on_cleanup(move || {
        // The signal may be gone when the whole page is.
        if contact.try_get_untracked().flatten().is_some() {
            console.release(PressEnd::PadChanged);
            console.stick(None);
        }
    });

    let state = move || console.drive.with(|drive| drive.state.data_state());
    let reverse = move || console.drive.with(|drive| drive.linear < 0.0);
    let hint = move || {
        console.drive.with(|drive| match drive.state {
            DriveState::Disarmed => Label::DriveIsOff,
            DriveState::Stopped => Label::Stop,
            DriveState::Blocked => Label::LiftFirst,
            _ if drive.linear < 0.0 => Label::Reverse,
            _ => Label::HoldToDrive,
        })
    };

    view! {
        <div
            node_ref=pad
            class="pad"
            class:pressed=move || driving_contact().is_some()
            class:reverse=move || reverse()
            data-testid="stick"
            data-state=move || state()
            role="application"
            aria-label=console.label(Label::HoldToDrive)
            on:pointerdown=touch(begin)
            on:pointermove=touch(moved)
            on:pointerup=touch(ended)
            on:pointercancel=touch(ended)
            on:lostpointercapture=touch(ended)
        >
            <PadFace/>
            <span class="pad-hint">{move || hint().text(console.lang.get())}</span>
            <span
                class="knob"
                style=("--forward", live(move || share(driving_contact().map(|stick| stick.forward))))
                style=("--left", live(move || share(driving_contact().map(|stick| stick.left))))
            ></span>
        </div>
    }
}

/// What is drawn under the knob: the hub, up as forward, and the vehicle's outline turned as on
/// the map, so that it can be seen which way "up" will send it.
#[component]
fn PadFace() -> impl IntoView {
    let console = console();
    let outline = outline_points(&profile().vehicle.outline, 27.0);
    let heading = move || {
        console
            .rtk
            .with(|rtk| rtk.heading.filter(|_| rtk.heading_is_good))
    };
    let turned = move || format!("rotate({:.1})", heading().unwrap_or_default());
    view! {
        <svg class="pad-face" viewBox="-100 -100 200 200" aria-hidden="true">
            <circle class="pad-hub" r=HUB * 100.0></circle>
            <path class="pad-forward" d="M 0 -92 L 13 -74 L -13 -74 Z"></path>
            <path class="pad-back" d="M 0 92 L 13 74 L -13 74 Z"></path>
            <g
                class="pad-vehicle"
                data-known=move || heading().is_some().to_string()
                transform=move || turned()
            >
                <polygon points=outline></polygon>
                <path class="pad-nose" d="M 0 -39 L 8 -28 L -8 -28 Z"></path>
            </g>
        </svg>
    }
}

/// A pad that is laid out anew under a finger would turn the same finger into another command.
/// The finger stays known until it is lifted; it only does not drive any more.
fn end_if_laid_out_anew(console: Console, pad: NodeRef<html::Div>, contact: &Contact) {
    let drives = contact.releases == untrack(move || console.releases());
    let has_moved = place_of(pad).is_none_or(|place| place.has_moved_from(&contact.press.place()));
    if drives && has_moved {
        console.release(PressEnd::PadChanged);
    }
}

fn watch_layout(console: Console, pad: NodeRef<html::Div>, contact: RwSignal<Option<Contact>>) {
    let watcher = StoredValue::new_local(None::<(ResizeObserver, Closure<dyn FnMut()>)>);
    pad.on_load(move |element| {
        let changed = Closure::<dyn FnMut()>::new(move || {
            if let Some(now) = contact.try_get_untracked().flatten() {
                end_if_laid_out_anew(console, pad, &now);
            }
        });
        // Without an observer the next move of the finger still finds it out.
        if let Ok(observer) = ResizeObserver::new(changed.as_ref().unchecked_ref()) {
            observer.observe(element.unchecked_ref::<Element>());
            watcher.set_value(Some((observer, changed)));
        }
    });
    on_cleanup(move || {
        let kept = watcher.try_update_value(Option::take).flatten();
        if let Some((observer, _)) = kept {
            observer.disconnect();
        }
    });
}

fn place_of(pad: NodeRef<html::Div>) -> Option<PadPlace> {
    let element = pad.try_get_untracked().flatten()?;
    let box_of = element
        .unchecked_ref::<Element>()
        .get_bounding_client_rect();
    Some(PadPlace::of_rectangle(
        box_of.left(),
        box_of.top(),
        box_of.width(),
        box_of.height(),
    ))
}

fn share(deflection: Option<f64>) -> String {
    format!("{:.3}", deflection.unwrap_or_default())
}
