//! A gate against jumps that cannot lock the vehicle out.
//!
//! A position is let through when the vehicle can have driven there: [`MAX_SPEED`] · time since
//! the last one let through + [`MARGIN`]. What is beyond is held back, and the gate opens again
//! when either holds, so no wrong first position is believed for ever:
//!
//! - [`AGREEING`] held positions in a row lie within that reach of each other: the vehicle is
//!   there, and the former place was wrong or it was carried;
//! - nothing was let through for [`OPENS_AFTER`], whatever the positions say of each other.

use std::time::Duration;

use super::geo::distance_between_near;
use crate::units::Moment;

/// Held positions in a row that must agree before the gate opens.
pub const AGREEING: u32 = 5;
/// The longest that a stream of positions is held back.
pub const OPENS_AFTER: Duration = Duration::from_secs(3);

/// m/s that no vehicle exceeds.
pub const MAX_SPEED: f64 = 5.0;
/// Metres that a position may wander by itself (a change from float to fixed).
pub const MARGIN: f64 = 2.0;

/// What became of a position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Passage {
    /// Believed.
    Through,
    /// Believed after a jump of that many metres: the line is broken here.
    Relocated {
        /// Metres from the last believed position.
        distance: f64,
    },
    /// Not believed yet.
    Held {
        /// Metres from the last believed position.
        distance: f64,
    },
}

/// The gate. One that has seen nothing lets the first position through.
#[derive(Debug, Clone, Default)]
pub struct JumpGate {
    believed: Option<(Moment, (f64, f64))>,
    held: Option<Held>,
}

#[derive(Debug, Clone, Copy)]
struct Held {
    newest: (Moment, (f64, f64)),
    agreeing: u32,
}

impl JumpGate {
    /// A valid position `(lat, lon)` came.
    pub fn pass(&mut self, position: (f64, f64), now: Moment) -> Passage {
        let Some((since, believed)) = self.believed else {
            return self.believe(position, now, Passage::Through);
        };
        let distance = distance_between_near(believed, position);
        if distance <= reach(since, now) {
            return self.believe(position, now, Passage::Through);
        }
        let agreeing = match self.held {
            Some(held)
                if distance_between_near(held.newest.1, position) <= reach(held.newest.0, now) =>
            {
                held.agreeing + 1
            }
            _ => 1,
        };
        if agreeing >= AGREEING || now.since(since) >= OPENS_AFTER {
            return self.believe(position, now, Passage::Relocated { distance });
        }
        self.held = Some(Held {
            newest: (now, position),
            agreeing,
        });
        Passage::Held { distance }
    }

    fn believe(&mut self, position: (f64, f64), now: Moment, passage: Passage) -> Passage {
        self.believed = Some((now, position));
        self.held = None;
        passage
    }
}

fn reach(since: Moment, now: Moment) -> f64 {
    MAX_SPEED * now.since(since).as_secs_f64() + MARGIN
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::rtk::geo::LocalFrame;
    use crate::units::millis;

    fn at(ms: u64) -> Moment {
        Moment::START + millis(ms)
    }

    fn east(meters: f64) -> (f64, f64) {
        LocalFrame::around((31.2, 121.5)).lat_lon_from_east_north((meters, 0.0))
    }

    #[test]
    fn one_wild_position_is_held_and_the_next_good_one_passes() {
        let mut gate = JumpGate::default();
        assert_eq!(gate.pass(east(0.0), at(0)), Passage::Through);
        assert!(matches!(
            gate.pass(east(500.0), at(100)),
            Passage::Held { .. }
        ));
        assert_eq!(gate.pass(east(0.2), at(200)), Passage::Through);
    }

    #[test]
    fn a_wrong_first_position_locks_nobody_out() {
        let mut gate = JumpGate::default();
        gate.pass(east(90_000.0), at(0));
        let passages: Vec<Passage> = (1..=5_u32)
            .map(|step| gate.pass(east(0.1 * f64::from(step)), at(u64::from(step) * 100)))
            .collect();
        assert!(
            passages[..4]
                .iter()
                .all(|p| matches!(p, Passage::Held { .. }))
        );
        assert!(matches!(passages[4], Passage::Relocated { .. }));
        assert_eq!(gate.pass(east(0.6), at(600)), Passage::Through);
    }

    #[test]
    fn positions_that_never_agree_are_held_for_three_seconds_at_most() {
        let mut gate = JumpGate::default();
        gate.pass(east(0.0), at(0));
        for step in 1..30_u32 {
            let side = if step % 2 == 0 { 1.0 } else { -1.0 };
            let passage = gate.pass(east(side * 1000.0), at(u64::from(step) * 100));
            assert!(matches!(passage, Passage::Held { .. }));
        }
        assert!(matches!(
            gate.pass(east(1000.0), at(3000)),
            Passage::Relocated { .. }
        ));
    }

    proptest::proptest! {
        /// Whatever comes, no stretch of held positions is longer than the rule.
        #[test]
        fn it_never_locks_out(jumps in proptest::collection::vec(-5000.0..5000.0_f64, 1..200)) {
            let mut gate = JumpGate::default();
            let mut believed = 0;
            for (step, jump) in jumps.into_iter().enumerate() {
                let now = step as u64 * 100;
                if !matches!(gate.pass(east(jump), at(now)), Passage::Held { .. }) {
                    believed = now;
                }
                proptest::prop_assert!(now - believed < 3000);
            }
        }
    }
}
