//! Which fingers on the map make a tap, and which move it.
//!
//! A tap is one finger alone on the map, that hardly moves and is soon lifted. Fingers elsewhere (a
//! thumb on the pad) do not count: somebody who drives may draw.

/// Pixels that a shaking finger may move.
const SHAKES_PX: f64 = 12.0;
/// Milliseconds after which it is no tap any more.
const SOON_MS: f64 = 800.0;

/// Follows the fingers on the map.
#[derive(Debug, Clone, Default)]
pub struct Taps {
    fingers: Vec<i32>,
    candidate: Option<(i32, (f64, f64), f64)>,
}

impl Taps {
    /// A finger, or a mouse, comes down on the map at a place in pixels.
    pub fn down(&mut self, pointer: i32, at: (f64, f64), now_ms: f64) {
        self.fingers.retain(|finger| *finger != pointer);
        self.candidate = self.fingers.is_empty().then_some((pointer, at, now_ms));
        self.fingers.push(pointer);
    }

    /// It moves.
    pub fn moved(&mut self, pointer: i32, at: (f64, f64)) {
        let has_moved = self.candidate.is_some_and(|(candidate, from, _)| {
            candidate == pointer && (at.0 - from.0).hypot(at.1 - from.1) > SHAKES_PX
        });
        if has_moved {
            self.candidate = None;
        }
    }

    /// It is lifted: where it tapped, if it did.
    pub fn up(&mut self, pointer: i32, at: (f64, f64), now_ms: f64) -> Option<(f64, f64)> {
        self.moved(pointer, at);
        self.gone(pointer);
        let (_, from, since) = self
            .candidate
            .take_if(|(candidate, _, _)| *candidate == pointer)?;
        (now_ms - since <= SOON_MS).then_some(from)
    }

    /// The browser took it away.
    pub fn cancelled(&mut self, pointer: i32) {
        self.gone(pointer);
        if self.candidate.is_some_and(|(it, _, _)| it == pointer) {
            self.candidate = None;
        }
    }

    fn gone(&mut self, pointer: i32) {
        self.fingers.retain(|finger| *finger != pointer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finger_that_shakes_a_little_taps_where_it_came_down() {
        let mut taps = Taps::default();
        taps.down(1, (100.0, 100.0), 0.0);
        taps.moved(1, (108.0, 104.0));
        assert_eq!(taps.up(1, (104.0, 100.0), 200.0), Some((100.0, 100.0)));
        assert_eq!(taps.up(1, (104.0, 100.0), 210.0), None);
    }

    #[test]
    fn a_pan_a_long_press_a_pinch_and_a_cancelled_finger_are_no_taps() {
        let mut taps = Taps::default();
        taps.down(1, (100.0, 100.0), 0.0);
        taps.moved(1, (120.0, 100.0));
        assert_eq!(taps.up(1, (100.0, 100.0), 200.0), None);
        taps.down(1, (100.0, 100.0), 0.0);
        assert_eq!(taps.up(1, (100.0, 100.0), 900.0), None);
        taps.down(1, (100.0, 100.0), 0.0);
        taps.down(2, (200.0, 100.0), 10.0);
        assert_eq!(taps.up(2, (200.0, 100.0), 100.0), None);
        assert_eq!(taps.up(1, (100.0, 100.0), 110.0), None);
        taps.down(3, (100.0, 100.0), 200.0);
        taps.cancelled(3);
        assert_eq!(taps.up(3, (100.0, 100.0), 210.0), None);
        taps.down(4, (100.0, 100.0), 300.0);
        assert!(
            taps.up(4, (100.0, 100.0), 310.0).is_some(),
            "the next one counts"
        );
    }
}
