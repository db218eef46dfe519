//! A button that acts only while a finger is on it.

use std::rc::Rc;

use leptos::ev::PointerEvent;
use leptos::prelude::*;
use web_sys::Element;
use web_sys::wasm_bindgen::JsCast;

use super::context::console;
use super::erased::touch;

/// A contact that a button follows.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Contact {
    pointer: i32,
    /// [`super::context::Console::hold_releases`] at its beginning.
    releases: u32,
}

/// A hold button. `on_change` hears every beginning and every end: the finger lifted, the
/// browser taking the pointer away, the button going away.
#[component]
pub fn Hold(
    /// `data-testid`.
    #[prop(into)]
    testid: String,
    /// Further classes.
    #[prop(optional)]
    class: &'static str,
    /// Told true and false.
    on_change: Rc<dyn Fn(bool)>,
    /// What stands on it.
    children: Children,
) -> impl IntoView {
    let console = console();
    let contact = RwSignal::new(None::<Contact>);
    let is_held = move || {
        let releases = console.hold_releases();
        contact
            .get()
            .is_some_and(|contact| contact.releases == releases)
    };

    let begin = {
        let on_change = Rc::clone(&on_change);
        move |event: PointerEvent| {
            event.prevent_default();
            if event.button() > 0 || untrack(is_held) || !capture(&event) {
                return;
            }
            contact.set(Some(Contact {
                pointer: event.pointer_id(),
                releases: untrack(move || console.hold_releases()),
            }));
            on_change(true);
        }
    };
    let end = {
        let on_change = Rc::clone(&on_change);
        move |pointer: Option<i32>| {
            let is_meant = contact
                .get_untracked()
                .is_some_and(|contact| pointer.is_none_or(|pointer| contact.pointer == pointer));
            if is_meant {
                contact.set(None);
                on_change(false);
            }
        }
    };
    let (lifted, cancelled, lost) = (end.clone(), end.clone(), end.clone());
    let end = StoredValue::new_local(end);
    on_cleanup(move || {
        end.with_value(|end| end(None));
    });

    view! {
        <button
            type="button"
            class=format!("key hold {class}")
            data-testid=testid
            data-held=move || is_held().to_string()
            on:pointerdown=touch(begin)
            on:pointerup=touch(move |event| lifted(Some(event.pointer_id())))
            on:pointercancel=touch(move |event| cancelled(Some(event.pointer_id())))
            on:lostpointercapture=touch(move |event| lost(Some(event.pointer_id())))
        >
            {children()}
        </button>
    }
}

/// Keeps the pointer on the element that was pressed, wherever the finger slides. A browser that
/// does not follow the finger could not tell when it is lifted, so such a press does not count.
pub(super) fn capture(event: &PointerEvent) -> bool {
    event
        .current_target()
        .and_then(|target| target.dyn_into::<Element>().ok())
        .is_some_and(|element| element.set_pointer_capture(event.pointer_id()).is_ok())
}
