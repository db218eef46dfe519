//! The picture beside the map, with its age.

use leptos::prelude::*;

use super::{View, words};

/// An older picture is not what the vehicle sees.
const OLD_MS: f64 = 2_000.0;

pub(super) fn camera(view: View) -> impl IntoView {
    let is_large = RwSignal::new(false);
    // The last age that was told, and when: it grows on when nobody tells any more.
    let told = RwSignal::new(None::<(f64, f64)>);
    let is_yielding = RwSignal::new(false);
    Effect::new(move |of: Option<Option<String>>| {
        let topic = view.camera.get();
        if of.is_some_and(|of| of != topic) {
            told.set(None);
        }
        if let Some(topic) = &topic {
            let seen = view.with_watched(topic, |watched| {
                watched.map(|watched| (watched.is_yielding, watched.age_ms))
            });
            if let Some((yields, age)) = seen {
                super::show(is_yielding, yields);
                if let Some(age) = age {
                    told.set(Some((age, view.seen_at.get_untracked())));
                }
            }
        }
        topic
    });
    let age = Memo::new(move |_| {
        let now = view.now.get();
        told.get().map(|(age, at)| (age + now - at).max(0.0))
    });
    let is_old = Memo::new(move |_| age.get().is_none_or(|age| age > OLD_MS));
    let address = Memo::new(move |_| {
        let topic = view.camera.get()?;
        view.pictures
            .with(|pictures| Some(pictures.get(&topic)?.address().to_owned()))
    });
    let camera = move |topic: String| {
        view! {
            <button
                type="button"
                class="camera"
                data-testid="camera"
                data-topic=topic
                data-age-ms=move || age.get().map(|age| format!("{age:.0}"))
                data-old=move || is_old.get().to_string()
                data-yielding=move || is_yielding.get().to_string()
                data-large=move || is_large.get().to_string()
                aria-label=view.pick("Camera: larger or smaller", "摄像头：放大或缩小")
                on:click=move |_| is_large.update(|is_large| *is_large = !*is_large)
            >
                {move || address.get().map(|address| view! { <img alt="" src=address/> })}
                <span>
                    {move || {
                        let lang = view.lang.get();
                        words::camera(age.get(), is_old.get(), is_yielding.get(), lang)
                    }}
                </span>
            </button>
        }
    };
    move || view.camera.get().map(camera)
}
