//! The pads: fingers become a deflection, and every way of ending it is an end.

use leptos::ev::PointerEvent;
use leptos::html;
use leptos::prelude::*;
use web_sys::wasm_bindgen::JsCast;
use web_sys::wasm_bindgen::prelude::Closure;
use web_sys::{Element, ResizeObserver};

use super::context::{Console, Source, console, profile};
use super::erased::{live, touch};
use super::hold::capture;
use crate::pilot::snapshot::{DriveState, PressEnd};
use crate::screen::data_state::DataState;
use crate::screen::pad::{Contact, HUB, PadPlace, Said, Thumbs, outline_points};
use crate::units::decimal;
use crate::words::Label;

/// The pad, or with two the one for the speed.
const FIRST: usize = 0;
/// The one for the steering.
const SECOND: usize = 1;

/// The fingers on the pads. Those that a release has ended do not push any more, but they are
/// still there until they are lifted.
type Fingers = StoredValue<Thumbs>;

/// One pad, or two.
#[component]
pub fn Sticks() -> impl IntoView {
    let console = console();
    move || {
        let is_two = console.two_pads.get();
        let fingers = StoredValue::new(Thumbs::on(is_two));
        on_cleanup(move || {
            // The value may be gone when the whole page is.
            if fingers
                .try_get_value()
                .is_some_and(|it| it != Thumbs::on(is_two))
            {
                console.release(PressEnd::PadChanged);
                console.let_go(Source::Pads);
            }
        });
        let mut pads = vec![pad(console, fingers, FIRST, is_two)];
        if is_two {
            pads.push(pad(console, fingers, SECOND, is_two));
        }
        pads
    }
}

fn pad(console: Console, fingers: Fingers, which: usize, is_two: bool) -> AnyView {
    let pad = NodeRef::<html::Div>::new();
    let begin = move |event: PointerEvent| {
        event.prevent_default();
        let mut thumbs = fingers.get_value();
        let is_pushed = thumbs.press().is_some_and(|press| !console.is_spent(press));
        let earlier = thumbs.contact(which);
        // The second finger on a pad is not meant, nor a mouse's other buttons.
        if (earlier.is_some() && is_pushed) || event.button() > 0 {
            return;
        }
        // Some devices never tell the end of a contact that was taken away: a new one ends it.
        if let Some(earlier) = earlier {
            heard(console, thumbs.up(earlier.pointer()));
        }
        let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
        let contact = place_of(pad)
            .and_then(|place| Contact::begin(event.pointer_id(), place, x, y))
            .filter(|_| capture(&event));
        let said = contact.map_or(Said::Nothing, |contact| {
            let number = console.begin_press(Source::Pads);
            thumbs.down(which, contact, number, |press| console.is_spent(press))
        });
        fingers.set_value(thumbs);
        heard(console, said);
    };
    let moved = move |event: PointerEvent| {
        end_if_laid_out_anew(console, pad, fingers, which);
        let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
        let mut thumbs = fingers.get_value();
        let said = thumbs.moved(event.pointer_id(), x, y);
        fingers.set_value(thumbs);
        heard(console, said);
    };
    let ended = move |event: PointerEvent| {
        let mut thumbs = fingers.get_value();
        let said = thumbs.up(event.pointer_id());
        fingers.set_value(thumbs);
        heard(console, said);
    };
    watch_layout(console, pad, fingers, which);

    let state = move || console.drive.with(|drive| drive.state.data_state());
    let reverse = move || console.drive.with(|drive| drive.linear < 0.0);
    let hint = move || {
        console.drive.with(|drive| match drive.state {
            DriveState::Disarmed => Label::DriveIsOff,
            DriveState::Stopped => Label::Stop,
            DriveState::Blocked => Label::LiftFirst,
            _ if drive.linear < 0.0 => Label::Reverse,
            _ if which == SECOND => Label::Steering,
            _ if is_two => Label::Speed,
            _ => Label::HoldToDrive,
        })
    };
    // Of two pads each shows its own axis.
    let share = move |axis: usize| {
        let pushed = if is_two && axis != which {
            0.0
        } else {
            console.pushed[axis].get()
        };
        decimal(pushed, 3)
    };
    view! {
        <div
            node_ref=pad
            class="pad"
            class:pressed=move || console.is_pushed.get()
            class:reverse=move || reverse()
            data-testid=if which == FIRST { "stick" } else { "stick-2" }
            data-state=move || state()
            role="application"
            aria-label=console.label(Label::HoldToDrive)
            on:pointerdown=touch(begin)
            on:pointermove=touch(moved)
            on:pointerup=touch(ended)
            on:pointercancel=touch(ended)
            on:lostpointercapture=touch(ended)
        >
            <PadFace turn=if which == SECOND { -90 } else { 0 }/>
            <span class="pad-hint">{move || hint().text(console.lang.get())}</span>
            <span
                class="knob"
                style=("--forward", live(move || share(FIRST)))
                style=("--left", live(move || share(SECOND)))
            ></span>
        </div>
    }
    .into_any()
}

fn heard(console: Console, said: Said) {
    match said {
        Said::Nothing => {}
        Said::Rests => console.rest(Source::Pads),
        Said::Pushes(input) => console.push(input),
        Said::Lifted => console.let_go(Source::Pads),
    }
}

/// What is drawn under the knob: the hub, and the vehicle's outline with its front up, because up
/// is forward whatever its heading.
#[component]
fn PadFace(
    /// Of the arrows, degrees.
    turn: i32,
) -> impl IntoView {
    let outline = outline_points(&profile().vehicle.outline, 27.0);
    view! {
        <svg class="pad-face" viewBox="-100 -100 200 200" aria-hidden="true">
            <circle class="pad-hub" r=decimal(HUB * 100.0, 0)></circle>
            <g transform=format!("rotate({turn})")>
                <path class="pad-forward" d="M 0 -92 L 13 -74 L -13 -74 Z"></path>
                <path class="pad-back" d="M 0 92 L 13 74 L -13 74 Z"></path>
            </g>
            <g class="pad-vehicle">
                <polygon points=outline></polygon>
                <path class="pad-nose" d="M 0 -39 L 8 -28 L -8 -28 Z"></path>
            </g>
        </svg>
    }
}

/// A pad that is laid out anew under a finger would turn the same finger into another command.
/// The finger stays known until it is lifted; it only does not drive any more.
fn end_if_laid_out_anew(console: Console, pad: NodeRef<html::Div>, fingers: Fingers, which: usize) {
    let Some(thumbs) = fingers.try_get_value() else {
        return;
    };
    let drives = thumbs.press().is_some_and(|press| !console.is_spent(press));
    let has_moved = thumbs.contact(which).is_some_and(|contact| {
        place_of(pad).is_none_or(|place| place.has_moved_from(&contact.place()))
    });
    if drives && has_moved {
        console.release(PressEnd::PadChanged);
    }
}

fn watch_layout(console: Console, pad: NodeRef<html::Div>, fingers: Fingers, which: usize) {
    let watcher = StoredValue::new_local(None::<(ResizeObserver, Closure<dyn FnMut()>)>);
    pad.on_load(move |element| {
        let changed = Closure::<dyn FnMut()>::new(move || {
            end_if_laid_out_anew(console, pad, fingers, which);
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
