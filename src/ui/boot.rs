//! From the page's address to a running link: parameters, stored settings, profile, Workers.

use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::wasm_bindgen::{JsCast, JsValue};
use web_sys::{RequestCache, RequestInit, Response};

use super::app::App;
use super::context::{Console, Phase};
use super::session::{PREFERENCES, Plan, Session};
use super::{device, inputs, viewing};
use crate::profile::{Profile, ScreenProfile};
use crate::screen::preferences::{Device, Preferences, addresses, look, theme_code};
use crate::shell::lifecycle::Lifecycle;
use crate::shell::location::{ParameterProblem, Parameters, default_candidates};
use crate::shell::page::{Link, page_origin};
use crate::shell::storage::{self, Keep};
use crate::words::Lang;
use crate::words::page::PageNote;

/// The profile when the address names none.
const DEFAULT_PROFILE: &str = "config.json";

/// Draws the page and starts everything.
pub fn start() {
    leptos::mount::mount_to_body(|| {
        let query = web_sys::window()
            .and_then(|window| window.location().search().ok())
            .unwrap_or_default();
        let (parameters, problems) = Parameters::parse(&query, &page_origin());
        let kept = storage::get(Keep::OnThisDevice, PREFERENCES).unwrap_or_default();
        let kept = Preferences::from_kept(&kept);
        let first_look = look(&parameters, &kept, &ScreenProfile::default(), device());

        let session = Session::new();
        let console = Console::new(Rc::clone(&session) as Rc<_>, first_look, kept.clone());
        session.show_on(console);
        let mut refused = None;
        for problem in problems {
            if let ParameterProblem::Url(problem) = &problem {
                console.url_problem.set(Some(problem.clone()));
            } else if problem.is_grave() {
                refused = Some(PageNote::Parameter(problem.clone()));
            }
            console.note(PageNote::Parameter(problem));
        }
        dress_document(console);
        viewing::tell(console);
        listen(console, &session);

        let loading = Rc::clone(&session);
        spawn_local(async move {
            match Link::load().await {
                Ok(program) => loading.take_program(program),
                Err(trouble) => console.note(PageNote::Trouble(trouble)),
            }
        });
        if let Some(note) = refused {
            // Another vehicle, or other limits, than were asked for are worse than none.
            console.show_phase(Phase::NoProfile(note));
        } else {
            spawn_local(async move {
                if let Some(profile) = read_profile(console, &parameters).await {
                    begin(console, &session, profile, &parameters, &kept);
                }
            });
        }
        view! { <App console=console/> }
    });
}

fn begin(
    console: Console,
    session: &Session,
    mut profile: Profile,
    parameters: &Parameters,
    kept: &Preferences,
) {
    if let Some(namespace) = &parameters.namespace {
        profile.bridge.namespace.clone_from(namespace);
    }
    if let Some(kind) = parameters.kind {
        profile.take_kind(kind);
    }
    console.show_look(look(parameters, kept, &profile.screen, device()));
    let candidates = if console.url_problem.with_untracked(Option::is_some) {
        Vec::new()
    } else {
        addresses(
            parameters,
            kept,
            profile.bridge.url.as_deref(),
            default_candidates(&page_origin()),
        )
    };
    let name = kept
        .console_name
        .clone()
        .or_else(|| profile.screen.console_name.clone());
    let profile = Arc::new(profile);
    console.show_phase(Phase::Running(Arc::clone(&profile)));
    session.take_plan(Plan {
        profile,
        candidates,
        demo: parameters.demo.unwrap_or(false),
        identity: session.identity(name),
    });
}

/// The profile, or `None` when there is one that cannot be used: then that is what the page shows.
async fn read_profile(console: Console, parameters: &Parameters) -> Option<Profile> {
    let file = parameters.profile.as_deref().unwrap_or(DEFAULT_PROFILE);
    let unusable = |cause: String| {
        let note = PageNote::ProfileNotFetched {
            file: file.to_owned(),
            cause,
        };
        console.note(note.clone());
        console.show_phase(Phase::NoProfile(note));
        None
    };
    match fetch_text(file).await {
        Ok(Fetched::Text(text)) => match Profile::from_json(&text) {
            Ok(profile) => Some(profile),
            Err(problems) => {
                console.show_phase(Phase::BadProfile {
                    file: file.to_owned(),
                    problems: Arc::new(problems),
                });
                None
            }
        },
        // Without a profile the defaults are safe; but one that was asked for by name sets limits
        // that somebody relies on.
        Ok(Fetched::Missing) if parameters.profile.is_none() => {
            console.note(PageNote::NoProfile {
                file: file.to_owned(),
            });
            Some(Profile::default())
        }
        Ok(Fetched::Missing) => unusable("404".to_owned()),
        Err(error) => unusable(error),
    }
}

enum Fetched {
    Text(String),
    Missing,
}

async fn fetch_text(file: &str) -> Result<Fetched, String> {
    let window = web_sys::window().ok_or("no window")?;
    let options = RequestInit::new();
    // A profile that was changed on the vehicle counts from the next load on.
    options.set_cache(RequestCache::NoCache);
    let response: Response = JsFuture::from(window.fetch_with_str_and_init(file, &options))
        .await
        .map_err(said)?
        .unchecked_into();
    if response.status() == 404 {
        return Ok(Fetched::Missing);
    }
    if !response.ok() {
        return Err(format!("{} {}", response.status(), response.status_text()));
    }
    let text = JsFuture::from(response.text().map_err(said)?)
        .await
        .map_err(said)?;
    Ok(Fetched::Text(text.as_string().unwrap_or_default()))
}

/// The language and the theme belong to the whole document: glyphs and scroll bars follow them.
fn dress_document(console: Console) {
    Effect::new(move |_| {
        let root = document().document_element();
        if let Some(root) = root {
            let set = |name, value| {
                if let Err(error) = root.set_attribute(name, value) {
                    leptos::logging::warn!("{name} was not set: {error:?}");
                }
            };
            set("lang", console.lang.get().tag());
            set("data-theme", theme_code(console.theme.get()));
        }
    });
}

fn listen(console: Console, session: &Rc<Session>) {
    let inputs = inputs::listen(console);
    let hidden = Rc::clone(session);
    let lifecycle = Lifecycle::listen(
        move |end| inputs.ended(end),
        move || hidden.let_worker_send(),
    );
    StoredValue::new_local(lifecycle);
    // After the release above, which was registered first.
    let leaving = Rc::clone(session);
    window_event_listener_untyped("pagehide", move |_| leaving.leave());
    let coming = Rc::clone(session);
    window_event_listener_untyped("pageshow", move |_| coming.come_back());
    for comes_back in ["focus", "visibilitychange"] {
        window_event_listener_untyped(comes_back, |_| device::keep_awake_again());
    }
}

fn device() -> Device {
    let Some(window) = web_sys::window() else {
        return Device::default();
    };
    let lang = window
        .navigator()
        .language()
        .and_then(|tag| Lang::from_code(&tag))
        .unwrap_or_default();
    let is_dark = window
        .match_media("(prefers-color-scheme: dark)")
        .ok()
        .flatten()
        .is_some_and(|query| query.matches());
    Device { lang, is_dark }
}

fn said(error: JsValue) -> String {
    error
        .dyn_ref::<js_sys::Error>()
        .map_or_else(|| format!("{error:?}"), |error| error.message().into())
}
