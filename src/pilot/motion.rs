//! Is the vehicle standing? Only when it is seen to: unknown is not standing.

use std::collections::VecDeque;
use std::time::Duration;

use super::intent::SeenFix;
use super::snapshot::Motion;
use crate::units::Moment;

/// Below this speed it stands, m/s.
pub const STANDING_SPEED: f64 = 0.05;
/// For at least this long.
const STANDING_FOR: Duration = Duration::from_millis(500);
/// Without a fix for this long nothing is known.
const FIX_MAX_AGE: Duration = Duration::from_millis(500);
/// A change of position faster than this contradicts a reported stand. It is above the noise of a
/// fixed solution over half a second, so that a good receiver does not contradict itself.
const CONTRADICTING_SPEED: f64 = 0.15;

/// The fixes of the last second.
#[derive(Debug, Clone, Default)]
pub struct MotionWatch {
    fixes: VecDeque<(Moment, SeenFix)>,
}

impl MotionWatch {
    /// A fix came.
    pub fn receive(&mut self, fix: SeenFix, now: Moment) {
        self.fixes.push_back((now, fix));
        while self
            .fixes
            .front()
            .is_some_and(|(at, _)| now.since(*at) > 2 * STANDING_FOR)
        {
            self.fixes.pop_front();
        }
    }

    /// When the newest valid position came, and where it was, metres east and north.
    #[must_use]
    pub fn newest_position(&self) -> Option<(Moment, (f64, f64))> {
        let (at, fix) = self.fixes.back()?;
        Some((*at, fix.position?))
    }

    /// What is seen, given whether the telemetry path is fresh.
    #[must_use]
    pub fn judge(&self, telemetry_is_fresh: bool, now: Moment) -> Motion {
        let Some((newest_at, newest)) = self.fixes.back() else {
            return Motion::Unknown;
        };
        if !telemetry_is_fresh || now.since(*newest_at) > FIX_MAX_AGE || !newest.is_good {
            return Motion::Unknown;
        }
        let Some(speed) = newest.speed.map(f64::abs).filter(|speed| speed.is_finite()) else {
            return Motion::Unknown;
        };
        if speed >= STANDING_SPEED {
            return Motion::Moving { speed };
        }
        if self.has_stood_long_enough(*newest_at) {
            Motion::Standing
        } else {
            Motion::Unknown
        }
    }

    fn has_stood_long_enough(&self, newest_at: Moment) -> bool {
        // From the newest backwards while each fix agrees.
        let standing: Vec<_> = self
            .fixes
            .iter()
            .rev()
            .take_while(|(_, fix)| {
                fix.is_good && fix.speed.is_some_and(|speed| speed.abs() < STANDING_SPEED)
            })
            .collect();
        let Some((oldest_at, oldest)) = standing.last() else {
            return false;
        };
        let span = newest_at.since(*oldest_at);
        if span < STANDING_FOR {
            return false;
        }
        let newest = standing.first().and_then(|(_, fix)| fix.position);
        let (Some(a), Some(b)) = (oldest.position, newest) else {
            return false;
        };
        let moved = (b.0 - a.0).hypot(b.1 - a.1);
        moved / span.as_secs_f64() < CONTRADICTING_SPEED
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::millis;

    fn fix(speed: f64, east: f64) -> SeenFix {
        SeenFix {
            speed: Some(speed),
            position: Some((east, 0.0)),
            is_good: true,
        }
    }

    fn watch(fixes: impl IntoIterator<Item = SeenFix>) -> (MotionWatch, Moment) {
        let mut watch = MotionWatch::default();
        let mut now = Moment::START;
        for fix in fixes {
            now = now + millis(100);
            watch.receive(fix, now);
        }
        (watch, now)
    }

    #[test]
    fn standing_takes_half_a_second_of_good_slow_fixes() {
        let (five, now) = watch((0..5).map(|_| fix(0.01, 0.0)));
        assert_eq!(five.judge(true, now), Motion::Unknown);
        let (six, now) = watch((0..6).map(|_| fix(0.01, 0.0)));
        assert_eq!(six.judge(true, now), Motion::Standing);
    }

    #[test]
    fn unknown_is_not_standing() {
        let (still, now) = watch((0..8).map(|_| fix(0.0, 0.0)));
        assert_eq!(still.judge(false, now), Motion::Unknown, "telemetry is old");
        assert_eq!(
            still.judge(true, now + millis(501)),
            Motion::Unknown,
            "the fix is old"
        );
        let (poor, now) = watch((0..8).map(|_| SeenFix {
            is_good: false,
            ..fix(0.0, 0.0)
        }));
        assert_eq!(poor.judge(true, now), Motion::Unknown);
        let (no_speed, now) = watch((0..8).map(|_| SeenFix {
            speed: None,
            ..fix(0.0, 0.0)
        }));
        assert_eq!(no_speed.judge(true, now), Motion::Unknown);
    }

    #[test]
    fn a_position_that_wanders_off_contradicts_a_reported_stand() {
        let (drifting, now) = watch((0..8).map(|n| fix(0.0, 0.03 * f64::from(n))));
        assert_eq!(drifting.judge(true, now), Motion::Unknown);
    }

    #[test]
    fn moving_is_said_at_once() {
        let (moving, now) = watch([fix(0.4, 0.0)]);
        assert_eq!(moving.judge(true, now), Motion::Moving { speed: 0.4 });
    }
}
