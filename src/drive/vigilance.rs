//! A contact that does not change at all may be a dropped tablet or a stuck screen (rule 7).

use std::time::Duration;

use super::stick::Deflection;
use crate::units::Moment;

/// How long after the warning an unchanged contact is stopped.
pub const GRACE: Duration = Duration::from_secs(5);

/// Watches one contact.
#[derive(Debug, Clone, Copy, Default)]
pub struct Vigilance {
    unchanged: Option<([Deflection; 2], Moment)>,
}

/// What to make of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Alertness {
    /// It changed recently.
    Alert,
    /// It will be stopped after this time unless it changes.
    Warn(Duration),
    /// Stop.
    Asleep,
}

impl Vigilance {
    /// The contact as it is now. Any change of any bit is a sign of life.
    pub fn observe(&mut self, deflections: [Deflection; 2], now: Moment) {
        match self.unchanged {
            Some((seen, _)) if seen == deflections => {}
            _ => self.unchanged = Some((deflections, now)),
        }
    }

    /// The contact ended.
    pub fn reset(&mut self) {
        self.unchanged = None;
    }

    /// What to make of it now.
    #[must_use]
    pub fn judge(&self, vigilance_s: f64, now: Moment) -> Alertness {
        let Some((_, since)) = self.unchanged else {
            return Alertness::Alert;
        };
        let unchanged_for = now.since(since);
        let warn_after = Duration::from_secs_f64(vigilance_s);
        let stop_after = warn_after + GRACE;
        if unchanged_for >= stop_after {
            Alertness::Asleep
        } else if unchanged_for >= warn_after {
            Alertness::Warn(stop_after - unchanged_for)
        } else {
            Alertness::Alert
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::millis;

    #[test]
    fn rule_7_an_unchanged_contact_warns_then_stops_and_a_jitter_revives_it() {
        let still = Deflection {
            forward: 0.5,
            left: 0.1,
        };
        let mut vigilance = Vigilance::default();
        let start = Moment::START;
        vigilance.observe([still; 2], start);
        vigilance.observe([still; 2], start + millis(14_999));
        assert_eq!(
            vigilance.judge(15.0, start + millis(14_999)),
            Alertness::Alert
        );
        assert_eq!(
            vigilance.judge(15.0, start + millis(16_000)),
            Alertness::Warn(millis(4_000))
        );
        assert_eq!(
            vigilance.judge(15.0, start + millis(20_000)),
            Alertness::Asleep
        );
        let moved = Deflection {
            left: 0.101,
            ..still
        };
        // Of either pad.
        vigilance.observe([still, moved], start + millis(20_001));
        assert_eq!(
            vigilance.judge(15.0, start + millis(20_002)),
            Alertness::Alert
        );
    }
}
