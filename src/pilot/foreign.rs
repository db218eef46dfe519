//! Others who command the same vehicle (rule 26).

use std::time::Duration;

use super::heartbeat::Heartbeat;
use crate::units::Moment;

/// Somebody who sends non-zeros counts as driving for this long after the last one.
const DRIVES_FOR: Duration = Duration::from_secs(1);
/// A console that has not been heard for this long is gone.
const CONSOLE_FORGOTTEN_AFTER: Duration = Duration::from_secs(5);
/// A switch that is set this long after another driver's last command is not disputed any more.
const CLAIM_LAPSES_AFTER: Duration = Duration::from_secs(10);

/// What was heard of others.
#[derive(Debug, Clone, Default)]
pub struct Foreign {
    drove_at: Option<Moment>,
    worked_at: Option<Moment>,
    /// Somebody else drove last, and this console has not taken over since.
    has_claim: bool,
    /// The console that did, where its heartbeat told.
    claimed_by: Option<String>,
    consoles: Vec<(Moment, Heartbeat)>,
}

impl Foreign {
    /// A non-zero velocity, or a McCtrl that drives, that was not ours.
    pub fn drove(&mut self, now: Moment) {
        self.drove_at = Some(now);
        self.has_claim = true;
        self.claimed_by = self.driving_console();
    }

    /// A McCtrl with any tool running that was not ours.
    pub fn worked(&mut self, now: Moment) {
        self.worked_at = Some(now);
    }

    /// A heartbeat of another console.
    pub fn heartbeat(&mut self, heartbeat: Heartbeat, now: Moment) {
        self.consoles.retain(|(at, known)| {
            known.console != heartbeat.console && now.since(*at) <= CONSOLE_FORGOTTEN_AFTER
        });
        self.consoles.push((now, heartbeat));
    }

    /// Somebody else drives.
    #[must_use]
    pub fn is_driving(&self, now: Moment) -> bool {
        self.drove_at.is_some_and(|at| now.since(at) <= DRIVES_FOR)
    }

    /// Somebody else drove last: this console may drive only after it has taken over.
    #[must_use]
    pub fn has_claim(&self) -> bool {
        self.has_claim
    }

    /// This console takes over, or nobody disputes it any more.
    pub fn end_claim(&mut self) {
        self.has_claim = false;
    }

    /// Ends a claim that is old.
    pub fn forget_old_claim(&mut self, now: Moment) {
        let is_old = |at| now.since(at) > CLAIM_LAPSES_AFTER;
        if self.drove_at.is_none_or(is_old) {
            self.end_claim();
        }
    }

    /// Somebody else runs tools.
    #[must_use]
    pub fn is_working(&self, now: Moment) -> bool {
        self.worked_at.is_some_and(|at| now.since(at) <= DRIVES_FOR)
    }

    /// The name of the console that drives or drove last, where its heartbeat told.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        let last = self.claimed_by.clone().filter(|_| self.has_claim);
        self.driving_console().or(last)
    }

    fn driving_console(&self) -> Option<String> {
        let driving = self
            .consoles
            .iter()
            .rev()
            .find(|(_, console)| console.driving);
        driving.map(|(_, console)| console.name.clone())
    }
}
