//! Which of several addresses is tried next, until one has answered. Pure.

use crate::pilot::snapshot::{DriveState, LinkState, Snapshot, ToolsState, Trouble};

/// The addresses in the order in which they are tried.
///
/// The first round gives each address one attempt, so that the right one is found soon; later
/// rounds stay longer with each and leave it to the pilot's own growing pauses. Once an address
/// has answered it is kept: a vehicle that is out of reach for a while has not moved elsewhere.
#[derive(Debug, Clone)]
pub struct Candidates {
    addresses: Vec<String>,
    switches: usize,
    has_answered: bool,
    /// Why the address before this one was left.
    left: Option<Trouble>,
}

/// Attempts given to one address at most before the next has its turn.
const MOST_ATTEMPTS: u32 = 3;

impl Candidates {
    /// Begins with the first.
    #[must_use]
    pub fn new(addresses: Vec<String>) -> Self {
        Self {
            addresses,
            switches: 0,
            has_answered: false,
            left: None,
        }
    }

    /// The address in use; empty when there is none at all.
    #[must_use]
    pub fn current(&self) -> &str {
        self.addresses
            .get(self.switches % self.addresses.len().max(1))
            .map_or("", String::as_str)
    }

    /// Looks at what the pilot shows; true when another address is to be tried now. Until that one has
    /// failed or answered, the trouble with the one before it goes on being shown: a sentence that
    /// comes and goes moves the keys below it.
    pub fn should_switch(&mut self, seen: &mut Snapshot) -> bool {
        if !matches!(seen.link.state, LinkState::Offline | LinkState::Connecting) {
            self.has_answered = true;
            self.left = None;
        }
        if seen.link.trouble.is_none() {
            seen.link.trouble.clone_from(&self.left);
            return false;
        }
        let count = self.addresses.len();
        if self.has_answered || count < 2 {
            return false;
        }
        let is_idle = seen.drive.state == DriveState::Disarmed
            && seen.tools.state == ToolsState::Disarmed
            && seen.stop.is_none();
        let never_opened = matches!(
            seen.link.trouble,
            Some(Trouble::NeverOpened | Trouble::Refused { .. })
        );
        let rounds = u32::try_from(self.switches / count).unwrap_or(u32::MAX);
        let attempts = rounds.saturating_add(1).min(MOST_ATTEMPTS);
        let should = is_idle && never_opened && seen.link.failed_attempts >= attempts;
        if should {
            self.switches += 1;
            self.left.clone_from(&seen.link.trouble);
        }
        should
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pilot::snapshot::{LinkView, StopView};

    fn two() -> Candidates {
        Candidates::new(vec!["ws://v/rosbridge".into(), "ws://v:9090".into()])
    }

    fn never_opened(failed_attempts: u32) -> Snapshot {
        Snapshot {
            link: LinkView {
                trouble: Some(Trouble::NeverOpened),
                failed_attempts,
                ..LinkView::default()
            },
            ..Snapshot::default()
        }
    }

    #[test]
    fn the_second_address_is_tried_after_the_first_failure() {
        let mut addresses = two();
        assert_eq!(addresses.current(), "ws://v/rosbridge");
        assert!(addresses.should_switch(&mut never_opened(1)));
        assert_eq!(addresses.current(), "ws://v:9090");
    }

    #[test]
    fn later_rounds_stay_longer_with_each_address() {
        let mut addresses = two();
        assert!(addresses.should_switch(&mut never_opened(1)));
        assert!(addresses.should_switch(&mut never_opened(1)));
        assert_eq!(addresses.current(), "ws://v/rosbridge");
        assert!(!addresses.should_switch(&mut never_opened(1)));
        assert!(addresses.should_switch(&mut never_opened(2)));
        assert!(addresses.should_switch(&mut never_opened(2)));
        for _ in 0..50 {
            assert!(addresses.should_switch(&mut never_opened(3)));
        }
    }

    #[test]
    fn an_address_that_answered_is_kept() {
        let mut addresses = two();
        let mut online = Snapshot::default();
        online.link.state = LinkState::Online;
        assert!(!addresses.should_switch(&mut online));
        assert!(!addresses.should_switch(&mut never_opened(9)));
    }

    #[test]
    fn an_address_that_opened_without_an_echo_is_kept_for_its_message() {
        let mut addresses = two();
        let mut seen = never_opened(9);
        seen.link.trouble = Some(Trouble::NoEcho {
            topic: "/console/heartbeat".into(),
        });
        assert!(!addresses.should_switch(&mut seen));
    }

    #[test]
    fn nothing_is_switched_while_something_is_armed_or_stopped() {
        let mut addresses = two();
        let mut armed = never_opened(9);
        armed.drive.state = DriveState::Ready;
        assert!(!addresses.should_switch(&mut armed));
        let mut stopped = never_opened(9);
        stopped.stop = Some(StopView::default());
        assert!(!addresses.should_switch(&mut stopped));
    }

    #[test]
    fn why_the_address_before_was_left_is_shown_until_the_next_one_has_failed_or_answered() {
        let mut addresses = two();
        assert!(addresses.should_switch(&mut never_opened(1)));
        let mut connecting = Snapshot::default();
        connecting.link.state = LinkState::Connecting;
        assert!(!addresses.should_switch(&mut connecting));
        assert_eq!(connecting.link.trouble, Some(Trouble::NeverOpened));
        let mut online = Snapshot::default();
        online.link.state = LinkState::Online;
        assert!(!addresses.should_switch(&mut online));
        assert_eq!(online.link.trouble, None);
        let mut offline = Snapshot::default();
        assert!(!addresses.should_switch(&mut offline));
        assert_eq!(offline.link.trouble, None);
    }

    #[test]
    fn a_single_address_and_none_are_never_switched() {
        let mut one = Candidates::new(vec!["ws://v:9090".into()]);
        assert!(!one.should_switch(&mut never_opened(9)));
        let mut none = Candidates::new(vec![]);
        assert!(!none.should_switch(&mut never_opened(9)));
        assert_eq!(none.current(), "");
    }
}
