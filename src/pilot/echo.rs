//! Echoes of the command topics: the only proof that rosbridge published what we sent, and the
//! way to see that somebody else commands the same vehicle (rule 26).
//!
//! rosbridge's clients share one ROS node, so names do not help; an echo is compared by content
//! and order with what was sent here.

use std::collections::VecDeque;
use std::time::Duration;

use crate::units::Moment;

/// Echoes are waited for this long; a stalled link may hold them for many seconds.
const PATIENCE: Duration = Duration::from_secs(60);
const MAX_WAITING: usize = 2_400;

/// The echoes of one topic.
#[derive(Debug, Clone)]
pub struct Echoes<M> {
    waiting: VecDeque<(u64, M, Moment)>,
    sent: u64,
    /// One of ours has been heard on the present connection.
    has_heard_ours: bool,
}

impl<M> Default for Echoes<M> {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            sent: 0,
            has_heard_ours: false,
        }
    }
}

/// Whose a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Sent here: the number that [`Echoes::sent`] gave it.
    Ours(u64),
    /// Not sent here.
    Foreign,
}

impl<M: PartialEq> Echoes<M> {
    /// A message was handed to a socket; its number.
    pub fn sent(&mut self, message: M, now: Moment) -> u64 {
        while self.waiting.len() >= MAX_WAITING
            || self
                .waiting
                .front()
                .is_some_and(|(_, _, at)| now.since(*at) > PATIENCE)
        {
            self.waiting.pop_front();
        }
        self.sent += 1;
        self.waiting.push_back((self.sent, message, now));
        self.sent
    }

    /// A message came on the topic. Those sent before the one that it matches are taken for lost
    /// or left out by the server.
    pub fn heard(&mut self, message: &M) -> Whose {
        let Some(place) = self.waiting.iter().position(|(_, sent, _)| sent == message) else {
            return Whose::Foreign;
        };
        let Some((number, _, _)) = self.waiting.drain(..=place).next_back() else {
            return Whose::Foreign;
        };
        self.has_heard_ours = true;
        Whose::Ours(number)
    }

    /// A new connection begins: ROS hands it the topic's last message once more.
    pub fn connection_opened(&mut self) {
        self.has_heard_ours = false;
    }

    /// Ours has been heard since [`Self::connection_opened`]: what comes from now on is new.
    #[must_use]
    pub fn has_heard_ours(&self) -> bool {
        self.has_heard_ours
    }

    /// How many were sent.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.sent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_echoes_are_known_by_content_and_order() {
        let mut echoes = Echoes::default();
        for value in [1, 2, 3] {
            echoes.sent(value, Moment::START);
        }
        assert_eq!(echoes.heard(&1), Whose::Ours(1));
        assert_eq!(
            echoes.heard(&3),
            Whose::Ours(3),
            "2 was left out by the server"
        );
        assert_eq!(
            echoes.heard(&2),
            Whose::Foreign,
            "out of order is somebody else's"
        );
    }

    #[test]
    fn a_value_echoed_more_often_than_sent_is_somebody_elses() {
        let mut echoes = Echoes::default();
        echoes.sent(7, Moment::START);
        assert_eq!(echoes.heard(&7), Whose::Ours(1));
        assert_eq!(echoes.heard(&7), Whose::Foreign);
    }
}
