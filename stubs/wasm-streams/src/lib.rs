//! As much of wasm-streams as Leptos' server functions name, without what it does.
//!
//! This page has no server functions. The real crate exports nine functions to JavaScript, which no
//! linker can drop, and which bring executors, promises and abortable futures with them: twelve
//! kilobytes of the first load.

use futures_util::stream::{self, Stream};
use js_sys::wasm_bindgen::JsValue;

/// A stream that nobody reads.
#[derive(Debug)]
pub struct ReadableStream(web_sys::ReadableStream);

impl ReadableStream {
    /// The browser's stream.
    #[must_use]
    pub fn from_raw(raw: web_sys::ReadableStream) -> Self {
        Self(raw)
    }

    /// Never called: only a server function sends a stream.
    ///
    /// # Panics
    /// Always.
    #[must_use]
    pub fn from_stream(_: impl Stream<Item = Result<JsValue, JsValue>> + 'static) -> Self {
        unimplemented!("this page has no server functions")
    }

    /// The browser's stream.
    #[must_use]
    pub fn into_raw(self) -> web_sys::ReadableStream {
        self.0
    }

    /// Never called, likewise: it ends at once.
    #[must_use]
    pub fn into_stream(self) -> impl Stream<Item = Result<JsValue, JsValue>> {
        stream::empty()
    }
}
