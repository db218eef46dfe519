//! A WebSocket in the control or telemetry Worker, over gloo-net.
//!
//! Its promises: `Opened` when frames can really be sent; frames leave in the order in which they
//! are sent, synchronously, never queued here; one `Closed` or `Refused`, and nothing after it.
//! Dropping the handle closes the socket behind the frames already handed over; then nothing more
//! is told at all.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use futures_util::{Sink, Stream};
use gloo_net::websocket::futures::WebSocket;
use gloo_net::websocket::{Message, State, WebSocketError};
use wasm_bindgen_futures::spawn_local;

use super::js;
use crate::rosbridge::session::SocketEvent;

/// An open or opening socket.
///
/// The socket is not `split`: a split sink keeps a frame until it is flushed, and a frame that
/// waits is what a command must never do. It lies in a cell shared with the task that listens;
/// each borrows it only for the length of one call.
pub(super) struct BrowserSocket(Shared);

type Shared = Rc<RefCell<Option<WebSocket>>>;

impl BrowserSocket {
    /// Begins to open it.
    ///
    /// # Errors
    /// What the browser said when it would not even try.
    pub(super) fn open(url: &str, tell: impl Fn(SocketEvent) + 'static) -> Result<Self, String> {
        let socket = WebSocket::open(url).map_err(|error| error.message)?;
        let shared = Rc::new(RefCell::new(Some(socket)));
        spawn_local(listen(Rc::clone(&shared), tell));
        Ok(Self(shared))
    }

    /// Hands a frame to the browser at once.
    pub(super) fn send(&self, text: String) {
        let mut cell = self.0.borrow_mut();
        let Some(socket) = cell.as_mut() else {
            return;
        };
        // The owner sends between `Opened` and `Closed` only; the error is for finding a slip.
        if let Err(error) = Pin::new(socket).start_send(Message::Text(text)) {
            js::warn(&format!("a frame was not taken by the socket: {error}"));
        }
    }
}

impl Drop for BrowserSocket {
    fn drop(&mut self) {
        // Taken out first: closing runs the browser's listeners, and none may find it borrowed.
        let socket = self.0.borrow_mut().take();
        drop(socket);
    }
}

async fn listen(shared: Shared, tell: impl Fn(SocketEvent)) {
    let is_open = poll_fn(|context| {
        with_socket(&shared, |socket| {
            let Poll::Ready(_) = Pin::new(&mut *socket).poll_ready(context) else {
                return Poll::Pending;
            };
            // "Ready" only says that it is no longer connecting.
            Poll::Ready(Some(matches!(socket.state(), State::Open)))
        })
    })
    .await;
    match is_open {
        Some(true) => tell(SocketEvent::Opened),
        Some(false) => {}
        None => return,
    }
    loop {
        let next = poll_fn(|context: &mut Context<'_>| {
            with_socket(&shared, |socket| {
                Pin::new(socket).poll_next(context).map(Some)
            })
        })
        .await;
        match next {
            // The handle was dropped.
            None => return,
            Some(Some(Ok(Message::Text(text)))) => tell(SocketEvent::Text(text)),
            Some(Some(Ok(Message::Bytes(bytes)))) => tell(SocketEvent::Binary(bytes)),
            // An error is always followed by a close, which says as little.
            Some(Some(Err(WebSocketError::ConnectionError))) => {}
            Some(Some(Err(_)) | None) => {
                let closed = shared.borrow_mut().take();
                drop(closed);
                tell(SocketEvent::Closed);
                return;
            }
        }
    }
}

/// Ready with `None` once the handle was dropped.
fn with_socket<T>(
    shared: &Shared,
    poll: impl FnOnce(&mut WebSocket) -> Poll<Option<T>>,
) -> Poll<Option<T>> {
    match shared.borrow_mut().as_mut() {
        Some(socket) => poll(socket),
        None => Poll::Ready(None),
    }
}
