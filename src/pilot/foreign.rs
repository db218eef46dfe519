//! Others who command the same vehicle (rule 26).

use std::time::Duration;

use super::heartbeat::Heartbeat;
use crate::units::Moment;

/// Somebody who sends non-zeros counts as driving for this long after the last one.
const DRIVES_FOR: Duration = Duration::from_secs(1);
/// A console that has not been heard for this long is gone.
const CONSOLE_FORGOTTEN_AFTER: Duration = Duration::from_secs(5);

/// What was heard of others.
#[derive(Debug, Clone, Default)]
pub struct Foreign {
    drove_at: Option<Moment>,
    worked_at: Option<Moment>,
    consoles: Vec<(Moment, Heartbeat)>,
}

impl Foreign {
    /// A non-zero velocity, or a McCtrl that drives, that was not ours.
    pub fn drove(&mut self, now: Moment) {
        self.drove_at = Some(now);
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

    /// Somebody else runs tools.
    #[must_use]
    pub fn is_working(&self, now: Moment) -> bool {
        self.worked_at.is_some_and(|at| now.since(at) <= DRIVES_FOR)
    }

    /// The name of the console that says it drives.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        let driving = self
            .consoles
            .iter()
            .rev()
            .find(|(_, console)| console.driving);
        driving.map(|(_, console)| console.name.clone())
    }
}
