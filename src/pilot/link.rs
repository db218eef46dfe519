//! The state of the link, judged from heartbeats.

use std::time::Duration;

use super::beats::Beats;
use super::snapshot::{LinkState, Trouble};
use crate::rosbridge::session::Session;
use crate::units::{Moment, millis};

/// An open socket that echoes nothing for this long is no rosbridge.
const FIRST_ECHO_TIMEOUT: Duration = Duration::from_secs(3);
/// Not fresh for this long is lost.
const LOST_AFTER: Duration = Duration::from_secs(2);
/// Room that a start of a drive must leave under the link timeout.
const SLOW_MARGIN: Duration = Duration::from_millis(100);

/// What is known of both paths.
#[derive(Debug, Clone, Default)]
pub struct Link {
    /// Control: out and back on the same socket.
    pub control: Beats,
    /// Telemetry: out on the control socket, back on the telemetry socket.
    pub telemetry: Beats,
    /// Why there is no link.
    pub trouble: Option<Trouble>,
    opened_at: Option<Moment>,
    unfresh_since: Option<Moment>,
    is_late: bool,
    was_working: bool,
    seq: u64,
}

/// What follows from the judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing to do.
    Fine,
    /// It was fresh and no longer is.
    JustStalled,
    /// It is fresh again after this time.
    JustRecovered(Duration),
    /// Not fresh for 2 s, although echoes still come: worst round trip. The socket lives.
    JustTooLate(Duration),
    /// No echo for 2 s: the socket is dead.
    Dead,
    /// Open for long without any echo.
    NoEcho,
}

impl Link {
    /// Sequence numbers begin at `first_seq`, which must not repeat across reloads.
    #[must_use]
    pub fn new(first_seq: u64) -> Self {
        Self {
            seq: first_seq,
            ..Self::default()
        }
    }

    /// A socket opened.
    pub fn opened(&mut self, now: Moment) {
        self.opened_at = Some(now);
        self.unfresh_since = None;
        self.is_late = false;
        self.control.reset();
        self.telemetry.reset();
    }

    /// When the present socket opened.
    #[must_use]
    pub fn opened_at(&self) -> Option<Moment> {
        self.opened_at
    }

    /// The socket is gone.
    pub fn closed(&mut self, trouble: Option<Trouble>) {
        self.opened_at = None;
        self.unfresh_since = None;
        self.is_late = false;
        self.trouble = trouble;
        self.control.reset();
        self.telemetry.reset();
    }

    /// A heartbeat goes out; its number.
    pub fn beat(&mut self, now: Moment) -> u64 {
        self.seq += 1;
        self.control.sent(self.seq, now);
        self.telemetry.sent(self.seq, now);
        self.seq
    }

    /// A heartbeat of ours came back on the control socket. True when it is the first of this
    /// socket.
    pub fn echoed(&mut self, seq: u64, now: Moment) -> bool {
        let is_first = self.control.newest_echoed().is_none();
        if !self.control.echoed(seq, now) {
            return false;
        }
        if is_first {
            // It queued behind the socket's set-up and says nothing about the path.
            self.control.forget_round_trips();
            self.was_working = true;
            self.trouble = None;
        }
        is_first
    }

    /// The strict test of rule 2 and rule 11.
    #[must_use]
    pub fn is_fresh(&self, timeout: Duration, now: Moment) -> bool {
        self.control.is_fresh(timeout, now)
    }

    /// Judged not fresh.
    #[must_use]
    pub fn is_stalled(&self) -> bool {
        self.unfresh_since.is_some()
    }

    /// Worst round trip, when it is too long to start a drive.
    #[must_use]
    pub fn too_slow(&self, timeout: Duration, now: Moment) -> Option<Duration> {
        let (_, worst) = self.control.round_trip(now)?;
        (worst > timeout.saturating_sub(SLOW_MARGIN)).then_some(worst)
    }

    /// Worst round trip, when most are so long that no heartbeat sent every `period` could be echoed
    /// in time to keep the link fresh: an armed drive would only lose it.
    #[must_use]
    pub fn never_fresh(
        &self,
        timeout: Duration,
        period: Duration,
        now: Moment,
    ) -> Option<Duration> {
        let (median, worst) = self.control.round_trip(now)?;
        (median + period > timeout).then_some(worst)
    }

    /// Notes changes of freshness. While heartbeats go out seldom, an unanswered one counts;
    /// while they go out before every command, the age of the newest answered one.
    pub fn judge(&mut self, is_active: bool, timeout: Duration, now: Moment) -> Verdict {
        let Some(opened_at) = self.opened_at else {
            return Verdict::Fine;
        };
        if self.control.newest_echoed().is_none() {
            let waited = now.since(opened_at);
            return if waited >= FIRST_ECHO_TIMEOUT {
                Verdict::NoEcho
            } else {
                Verdict::Fine
            };
        }
        let fresh = if is_active {
            // Just after a change from seldom to often the newest echo may be old although
            // nothing is late.
            self.is_fresh(timeout, now) || self.control.is_answering(timeout - millis(50), now)
        } else {
            self.control.is_answering(timeout, now)
        };
        match (fresh, self.unfresh_since) {
            (true, None) => Verdict::Fine,
            (true, Some(since)) => {
                self.unfresh_since = None;
                self.is_late = false;
                Verdict::JustRecovered(now.since(since))
            }
            (false, None) => {
                self.unfresh_since = Some(now);
                Verdict::JustStalled
            }
            // A new socket would be no quicker than one that answers late.
            (false, Some(since)) if now.since(since) >= LOST_AFTER => {
                let was_late = std::mem::replace(&mut self.is_late, true);
                match self.control.round_trip(now) {
                    Some((_, worst)) if self.control.was_echoed_within(LOST_AFTER, now) => {
                        if was_late {
                            Verdict::Fine
                        } else {
                            Verdict::JustTooLate(worst)
                        }
                    }
                    _ => Verdict::Dead,
                }
            }
            (false, Some(_)) => Verdict::Fine,
        }
    }

    /// The word for it.
    #[must_use]
    pub fn state(&self, session: &Session, timeout: Duration, now: Moment) -> LinkState {
        if self.opened_at.is_some() {
            if self.control.newest_echoed().is_none() {
                return LinkState::Connecting;
            }
            return match self.unfresh_since {
                Some(_) if self.is_late => LinkState::Lost,
                Some(_) => LinkState::Stalled,
                None if self.too_slow(timeout, now).is_some() => LinkState::Slow,
                None => LinkState::Online,
            };
        }
        if session.is_connecting() {
            LinkState::Connecting
        } else if self.was_working && !session.is_idle() {
            LinkState::Lost
        } else {
            LinkState::Offline
        }
    }

    /// The operator closed it: it is offline, not lost.
    pub fn forget(&mut self) {
        self.closed(None);
        self.was_working = false;
    }
}
