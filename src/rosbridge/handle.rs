//! Subscriptions that end when nobody holds them any more.
//!
//! A topic is asked for once however many hold it: a second id of one connection would make the
//! server deliver samples twice. The wire gets the least throttle that any holder wants.
//!
//! ```
//! use broomstick::rosbridge::handle::Handles;
//! use broomstick::rosbridge::session::{Session, Subscription};
//!
//! let mut session = Session::new("ws://robot:9090", 7);
//! let mut handles = Handles::default();
//! let plot = handles.subscribe(Subscription::newest("/odom", ""), &mut session);
//! let tree = handles.subscribe(Subscription::newest("/odom", ""), &mut session);
//! drop(plot);
//! handles.sweep(&mut session);
//! assert!(session.is_subscribed("/odom"));
//! drop(tree);
//! handles.sweep(&mut session);
//! assert!(!session.is_subscribed("/odom"));
//! ```

use std::cell::RefCell;
use std::rc::Rc;

use super::session::{Session, Subscription};

/// A holder's share in a subscription; dropping it gives it up.
#[derive(Debug)]
pub struct Handle {
    id: u64,
    topic: String,
    dropped: Rc<RefCell<Vec<u64>>>,
}

impl Handle {
    /// What it holds.
    #[must_use]
    pub fn topic(&self) -> &str {
        &self.topic
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.dropped.borrow_mut().push(self.id);
    }
}

/// Who holds what.
#[derive(Debug, Default)]
pub struct Handles {
    next: u64,
    held: Vec<(u64, Subscription)>,
    dropped: Rc<RefCell<Vec<u64>>>,
}

impl Handles {
    /// Subscribes, or joins those who hold the topic already.
    pub fn subscribe(&mut self, wanted: Subscription, session: &mut Session) -> Handle {
        self.sweep(session);
        self.next += 1;
        let handle = Handle {
            id: self.next,
            topic: wanted.topic.clone(),
            dropped: Rc::clone(&self.dropped),
        };
        self.held.push((handle.id, wanted));
        self.ask(&handle.topic, session);
        handle
    }

    /// Unsubscribes what nobody holds any more. Call it whenever handles may have been dropped.
    pub fn sweep(&mut self, session: &mut Session) {
        let dropped = self.dropped.take();
        for id in dropped {
            let Some(place) = self.held.iter().position(|(held, _)| *held == id) else {
                continue;
            };
            let (_, gone) = self.held.remove(place);
            self.ask(&gone.topic, session);
        }
    }

    /// Asks for the topic the way its holders want it together.
    fn ask(&self, topic: &str, session: &mut Session) {
        let wanted = self.held.iter().map(|(_, wanted)| wanted);
        let shared = wanted
            .filter(|wanted| wanted.topic == topic)
            .cloned()
            .reduce(|a, b| Subscription {
                throttle_ms: a.throttle_ms.min(b.throttle_ms),
                queue_length: a.queue_length.min(b.queue_length),
                kind: a.kind.or(b.kind),
                ..b
            });
        match shared {
            Some(shared) => session.subscribe(shared),
            None => session.unsubscribe(topic),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rosbridge::session::{SocketEvent, SocketOutput};
    use crate::units::Moment;

    fn texts(session: &mut Session) -> Vec<String> {
        std::iter::from_fn(|| session.poll())
            .filter_map(|output| match output {
                SocketOutput::Send { text, .. } => Some(text),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn the_wire_sees_one_subscription_with_the_least_throttle() {
        let mut session = Session::new("ws://robot:9090", 1);
        session.connect(Moment::START);
        let Some(SocketOutput::Open { socket, .. }) = session.poll() else {
            panic!()
        };
        session.handle(socket, SocketEvent::Opened, Moment::START);
        let mut handles = Handles::default();
        let slow = Subscription {
            throttle_ms: 1000,
            ..Subscription::newest("/odom", "")
        };
        let fast = Subscription {
            throttle_ms: 50,
            ..slow.clone()
        };
        let slow = handles.subscribe(slow, &mut session);
        let fast = handles.subscribe(fast, &mut session);
        let sent = texts(&mut session);
        assert!(sent[0].contains(r#""throttle_rate":1000"#), "{sent:?}");
        assert!(sent[1].contains("unsubscribe"), "{sent:?}");
        assert!(sent[2].contains(r#""throttle_rate":50"#), "{sent:?}");
        assert_eq!(sent.len(), 3);
        drop(fast);
        handles.sweep(&mut session);
        assert!(texts(&mut session)[1].contains(r#""throttle_rate":1000"#));
        drop(slow);
        handles.sweep(&mut session);
        let sent = texts(&mut session);
        assert_eq!(sent, [r#"{"op":"unsubscribe","topic":"/odom"}"#]);
    }
}
