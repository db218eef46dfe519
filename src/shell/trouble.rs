//! What can go wrong in the page itself, before any vehicle is asked.

/// Something that keeps the page from doing its work; the text is plain English, the page may put
/// it into other words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PageTrouble {
    /// A file of the program could not be fetched, compiled or started.
    #[error(
        "{file} could not be loaded ({cause}). Driving needs it: check that the whole page was \
         copied to the server, then reload"
    )]
    WorkerFailedToLoad {
        /// The file beside `index.html`.
        file: String,
        /// What is known of the cause.
        cause: String,
    },
    /// Two releases met, usually through a cache.
    #[error(
        "the page is of build {page}, its control program of build {worker}: reload without the \
         cache, or copy the whole page to the server again"
    )]
    BuildMismatch {
        /// [`crate::shell::protocol::build`] of the page.
        page: String,
        /// The same of the Worker.
        worker: String,
    },
    /// A Worker said something that the page cannot read.
    #[error("the {which} program said something unreadable: {detail}")]
    Unreadable {
        /// `control`, `telemetry` or `vehicle`.
        which: String,
        /// What the decoder said.
        detail: String,
    },
}
