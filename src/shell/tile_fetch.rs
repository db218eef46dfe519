//! Fetches tiles and pieces of files for the map; for the viewer only. Whoever asks says when to
//! give up.

use std::ops::Range;

use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, Headers, RequestInit, Response};

use super::js;

/// Why nothing came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchTrouble {
    /// No answer, in time or at all; or one that this page may not read.
    NoAnswer,
    /// The server answered with this number.
    Status(u16),
    /// The server sends whole files only.
    NoRanges,
}

/// Gives up a request.
#[derive(Debug, Clone)]
pub struct Abort(AbortController);

impl Abort {
    /// For one request.
    #[must_use]
    pub fn new() -> Option<Self> {
        AbortController::new().ok().map(Self)
    }

    /// Gives it up.
    pub fn abort(&self) {
        self.0.abort();
    }

    /// Was it given up?
    #[must_use]
    pub fn is_aborted(&self) -> bool {
        self.0.signal().aborted()
    }
}

/// Milliseconds of a clock that does not go back.
#[must_use]
pub fn now_ms() -> f64 {
    js::now_ms()
}

/// What is at that address, or that part of it; `None`: the server says that there is nothing.
///
/// # Errors
/// See [`FetchTrouble`].
pub async fn fetch(
    url: &str,
    range: Option<&Range<u64>>,
    abort: &Abort,
) -> Result<Option<Uint8Array>, FetchTrouble> {
    let no_answer = |_: JsValue| FetchTrouble::NoAnswer;
    let init = RequestInit::new();
    init.set_signal(Some(&abort.0.signal()));
    if let Some(range) = range {
        let headers = Headers::new().map_err(no_answer)?;
        let bytes = format!("bytes={}-{}", range.start, range.end.saturating_sub(1));
        headers.set("Range", &bytes).map_err(no_answer)?;
        init.set_headers(&headers);
    }
    let window = web_sys::window().ok_or(FetchTrouble::NoAnswer)?;
    let response = JsFuture::from(window.fetch_with_str_and_init(url, &init))
        .await
        .map_err(no_answer)?;
    let response: Response = response.unchecked_into();
    match (response.status(), range) {
        (204 | 404 | 410, None) => return Ok(None),
        (200, Some(_)) => {
            // Not a gigabyte for a tile.
            abort.abort();
            return Err(FetchTrouble::NoRanges);
        }
        (200, None) | (206, Some(_)) => {}
        (status, _) => {
            abort.abort();
            return Err(FetchTrouble::Status(status));
        }
    }
    let body = response.array_buffer().map_err(no_answer)?;
    let body: ArrayBuffer = JsFuture::from(body)
        .await
        .map_err(no_answer)?
        .unchecked_into();
    Ok(Some(Uint8Array::new(&body)))
}

/// Is the address of another server than the page's?
#[must_use]
pub fn is_elsewhere(url: &str) -> bool {
    let Some(location) = web_sys::window().map(|window| window.location()) else {
        return false;
    };
    let (Ok(base), Ok(own)) = (location.href(), location.origin()) else {
        return false;
    };
    web_sys::Url::new_with_base(url, &base).is_ok_and(|url| url.origin() != own)
}
