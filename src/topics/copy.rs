//! A key that copies a text; where the browser lets nothing be copied, the text to select.

use leptos::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::HtmlTextAreaElement;

use super::View;

/// How the last copy went.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Copied {
    No,
    Yes,
    ByHand,
}

/// The key, and what it needs when it fails. `[en, zh]` stands on it.
pub(super) fn copy_key(
    view: View,
    [testid, area_testid]: [&'static str; 2],
    [en, zh]: [&'static str; 2],
    text: impl Fn() -> String + 'static,
) -> AnyView {
    let copied = RwSignal::new(Copied::No);
    let by_hand = NodeRef::<leptos::html::Textarea>::new();
    let copy = move |_| copy_text(text(), copied, by_hand);
    view! {
        <div class="topic-keys">
            <button type="button" class="key" data-testid=testid on:click=copy>
                {move || {
                    let lang = view.lang.get();
                    match copied.get() {
                        Copied::Yes => lang.pick("Copied", "已复制"),
                        _ => lang.pick(en, zh),
                    }
                }}
            </button>
        </div>
        <p hidden=move || copied.get() != Copied::ByHand>
            {view.pick(
                "The browser lets nothing be copied from a page without https. Select it here:",
                "浏览器不允许从非 https 页面复制。请在此选取：",
            )}
        </p>
        <textarea
            node_ref=by_hand
            class="topic-text"
            data-testid=area_testid
            readonly
            rows="8"
            hidden=move || copied.get() != Copied::ByHand
        ></textarea>
    }
    .into_any()
}

fn copy_text(text: String, copied: RwSignal<Copied>, by_hand: NodeRef<leptos::html::Textarea>) {
    let offer = move |text: String| {
        copied.set(Copied::ByHand);
        if let Some(area) = by_hand.get_untracked() {
            let area: &HtmlTextAreaElement = &area;
            area.set_value(&text);
            area.select();
        }
    };
    let clipboard = window().navigator().clipboard();
    // Only pages of a secure origin have one.
    if clipboard.is_undefined() {
        return offer(text);
    }
    spawn_local(async move {
        match JsFuture::from(clipboard.write_text(&text)).await {
            Ok(_) => copied.set(Copied::Yes),
            Err(_) => offer(text),
        }
    });
}
