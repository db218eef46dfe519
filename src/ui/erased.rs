//! Handlers and values of one type each.
//!
//! Every type of closure that is given to an element is compiled with a copy of the machinery
//! behind it; on a page that a tablet fetches over a bad link that is paid for. The `view!`
//! macro does the same for closures that are written out in it, so those stay as they are.

use leptos::ev::{MouseEvent, PointerEvent};

/// For `on:click` and `on:contextmenu`.
pub(super) fn click(act: impl Fn(MouseEvent) + 'static) -> Box<dyn FnMut(MouseEvent)> {
    Box::new(act)
}

/// For `on:click` where only that it happened matters.
pub(super) fn tap(act: impl Fn() + 'static) -> Box<dyn FnMut(MouseEvent)> {
    Box::new(move |_| act())
}

/// For `on:pointer…`.
pub(super) fn touch(act: impl Fn(PointerEvent) + 'static) -> Box<dyn FnMut(PointerEvent)> {
    Box::new(act)
}

/// For `style=("--name", …)`.
pub(super) fn live(
    value: impl Fn() -> String + Send + 'static,
) -> Box<dyn FnMut() -> String + Send> {
    Box::new(value)
}
