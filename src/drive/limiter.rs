//! From the velocity the stick asks for to the one that is sent: the growth ramp (rule 4) and the
//! pause between forward and reverse (rule 6).

use std::time::Duration;

use super::kinematics::{Limits, Velocity};
use super::settings::{DriveSettings, Steering};
use crate::units::Moment;

/// A vehicle that is told less still stands, m/s: a press a little below the middle is no reverse.
const SETS_OFF: f64 = 0.05;

/// Remembers what was sent last.
#[derive(Debug, Clone, Default)]
pub struct Limiter {
    last: Velocity,
    /// −1, 0 or +1: the direction of the last motion that was more than a press beside the middle.
    direction: f64,
    neutral_since: Option<Moment>,
}

/// The circumstances of one command.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asked {
    /// What the stick asks for, within the limits.
    pub velocity: Velocity,
    /// The stick rests in its dead zone.
    pub stick_is_neutral: bool,
    /// The vehicle is seen moving: its direction may not change.
    pub is_seen_moving: bool,
    /// Time since the command before.
    pub dt: Duration,
}

/// What may be sent now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limited {
    /// The command.
    pub velocity: Velocity,
    /// The stick asks for the other direction and has to rest at neutral first.
    pub waits_for_reversal: bool,
}

impl Limiter {
    /// The command for this tick. The direction may change after `reverse_pause_s` at neutral,
    /// and not while the vehicle is seen moving.
    pub fn next(
        &mut self,
        asked: Asked,
        settings: &DriveSettings,
        limits: &Limits,
        now: Moment,
    ) -> Limited {
        let Asked {
            velocity: asked,
            stick_is_neutral,
            is_seen_moving,
            dt,
        } = asked;
        // Judged before this tick's stick counts: the rest may end with this very deflection.
        let rested = self
            .neutral_since
            .is_some_and(|since| now.since(since).as_secs_f64() >= settings.reverse_pause_s);
        if rested && !is_seen_moving {
            self.direction = 0.0;
        }
        self.note_neutral(stick_is_neutral, now);
        let waits_for_reversal = asked.linear * self.direction < 0.0;
        let is_flying = settings.steering == Steering::Flight;
        let target = match waits_for_reversal {
            // Turn, climb and sideways are axes of their own.
            true if is_flying => Velocity {
                linear: 0.0,
                ..asked
            },
            true => Velocity::ZERO,
            false => asked,
        };

        let linear = ramp(self.last.linear, target.linear, settings.acceleration, dt);
        // A speed that is held back takes its share of the turn with it: the arc stays.
        let share = if target.linear.abs() > 0.0 {
            linear / target.linear
        } else {
            1.0
        };
        let turn = if is_flying { 1.0 } else { share };
        let angular = ramp(
            self.last.angular,
            target.angular * turn,
            settings.angular_acceleration,
            dt,
        );
        let left = ramp(
            self.last.left,
            target.left * share,
            settings.acceleration,
            dt,
        );
        let up = ramp(self.last.up, target.up, settings.acceleration, dt);
        // The limits may have sunk since the stick's velocity was worked out.
        let velocity = Velocity {
            linear: linear.clamp(-limits.reverse, limits.forward),
            angular: angular.clamp(-limits.angular, limits.angular),
            left: left.clamp(-limits.sideways, limits.sideways),
            up: up.clamp(-limits.sink, limits.climb),
        };
        if velocity.linear.abs() >= SETS_OFF {
            self.direction = velocity.linear.signum();
        }
        self.last = velocity;
        Limited {
            velocity,
            waits_for_reversal,
        }
    }

    /// The press ended: the next one starts from rest. The direction is remembered.
    pub fn stop(&mut self, now: Moment) {
        self.last = Velocity::ZERO;
        self.note_neutral(true, now);
    }

    fn note_neutral(&mut self, is_neutral: bool, now: Moment) {
        self.neutral_since = is_neutral.then(|| self.neutral_since.unwrap_or(now));
    }
}

/// Holds back growth only: slowing down is at once, and a change of sign passes zero.
fn ramp(last: f64, target: f64, rate: f64, dt: Duration) -> f64 {
    if last * target < 0.0 {
        return 0.0;
    }
    let ceiling = last.abs() + rate * dt.as_secs_f64();
    target.abs().min(ceiling).copysign(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::millis;
    use proptest::prelude::*;

    const TICK: Duration = Duration::from_millis(50);

    struct Rig {
        limiter: Limiter,
        settings: DriveSettings,
        now: Moment,
    }

    impl Rig {
        fn new() -> Self {
            Self {
                limiter: Limiter::default(),
                settings: DriveSettings::default(),
                now: Moment::START,
            }
        }

        fn tick(&mut self, linear: f64, angular: f64) -> Velocity {
            self.tick_seen(linear, angular, false).velocity
        }

        fn tick_seen(&mut self, linear: f64, angular: f64, moving: bool) -> Limited {
            self.now = self.now + TICK;
            let velocity = Velocity {
                linear,
                angular,
                ..Velocity::ZERO
            };
            let limits = Limits::new(&self.settings, 100.0, None);
            {
                let asked = Asked {
                    velocity,
                    stick_is_neutral: velocity.is_zero(),
                    is_seen_moving: moving,
                    dt: TICK,
                };
                self.limiter.next(asked, &self.settings, &limits, self.now)
            }
        }
    }

    #[test]
    fn rule_4_speed_grows_by_the_acceleration_and_falls_at_once() {
        let mut rig = Rig::new();
        for n in 1..=10 {
            let expected = 0.025 * f64::from(n);
            assert!((rig.tick(0.5, 0.0).linear - expected).abs() < 1e-9);
        }
        assert!((rig.tick(0.05, 0.0).linear - 0.05).abs() < 1e-9);
        assert!(rig.tick(0.0, 0.0).is_zero());
    }

    #[test]
    fn rule_4_a_speed_that_is_held_back_keeps_its_arc() {
        let mut rig = Rig::new();
        let v = rig.tick(0.5, 0.25);
        assert!((v.angular / v.linear - 0.5).abs() < 1e-9, "{v:?}");
    }

    #[test]
    fn rule_4_a_turn_to_the_other_side_passes_zero() {
        let mut rig = Rig::new();
        for _ in 0..20 {
            rig.tick(0.3, 0.3);
        }
        assert!(rig.tick(0.3, -0.3).angular.abs() < 1e-12);
        assert!(rig.tick(0.3, -0.3).angular < 0.0);
    }

    #[test]
    fn rule_6_reverse_needs_half_a_second_at_neutral() {
        let mut rig = Rig::new();
        for _ in 0..3 {
            rig.tick(0.5, 0.0);
        }
        let refused = rig.tick_seen(-0.3, 0.0, false);
        assert!(refused.velocity.is_zero() && refused.waits_for_reversal);
        for _ in 0..9 {
            rig.tick(0.0, 0.0);
        }
        assert!(rig.tick(-0.3, 0.0).is_zero(), "0.45 s are too short");
        for _ in 0..11 {
            rig.tick(0.0, 0.0);
        }
        assert!(rig.tick(-0.3, 0.0).linear < 0.0);
    }

    #[test]
    fn a_press_a_little_below_the_middle_does_not_hold_the_way_forward_back() {
        let mut rig = Rig::new();
        for _ in 0..10 {
            assert!(rig.tick(-0.02, 0.0).linear < 0.0);
        }
        rig.tick(0.5, 0.0);
        assert!(rig.tick(0.5, 0.0).linear > 0.0);
    }

    #[test]
    fn rule_6_reverse_waits_while_the_vehicle_is_seen_moving() {
        let mut rig = Rig::new();
        for _ in 0..3 {
            rig.tick(0.5, 0.0);
        }
        for _ in 0..30 {
            rig.tick_seen(0.0, 0.0, true);
        }
        assert!(rig.tick_seen(-0.3, 0.0, true).velocity.is_zero());
        for _ in 0..11 {
            rig.tick_seen(0.0, 0.0, false);
        }
        assert!(rig.tick_seen(-0.3, 0.0, false).velocity.linear < 0.0);
    }

    #[test]
    fn rule_6_a_lifted_finger_counts_as_neutral() {
        let mut rig = Rig::new();
        for _ in 0..3 {
            rig.tick(0.5, 0.0);
        }
        rig.limiter.stop(rig.now);
        rig.now = rig.now + millis(500);
        assert!(rig.tick(-0.3, 0.0).linear < 0.0);
    }

    #[test]
    fn rule_4_a_limit_that_sinks_under_a_held_finger_is_obeyed_at_once() {
        let mut rig = Rig::new();
        for _ in 0..40 {
            rig.tick(0.5, 0.0);
        }
        rig.settings.max_linear.0 = 0.2;
        assert!(rig.tick(0.5, 0.0).linear <= 0.2);
    }

    proptest! {
        #[test]
        fn rule_4_growth_never_exceeds_the_acceleration(
            asked in proptest::collection::vec((-1.0..=1.0_f64, -1.0..=1.0_f64), 1..60)
        ) {
            let mut rig = Rig::new();
            let mut last = Velocity::ZERO;
            for (linear, angular) in asked {
                let v = rig.tick(linear, angular);
                prop_assert!(v.linear.abs() - last.linear.abs() <= 0.5 * 0.05 + 1e-9);
                prop_assert!(v.angular.abs() - last.angular.abs() <= 1.5 * 0.05 + 1e-9);
                prop_assert!(v.linear * last.linear >= 0.0, "a change of sign passes zero");
                last = v;
            }
        }
    }
}
