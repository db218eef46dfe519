//! Is the squeegee out? Nothing reports it: it is followed by the strokes that were published, ours
//! and those of others.

use crate::units::Moment;

/// A message says this much of the time until the next one.
const LONGEST_TICK_S: f64 = 0.3;
/// Strokes shorter than this do not count as out.
const OUT_FROM_S: f64 = 0.2;

/// What is known of it by the strokes that this console has heard of.
#[derive(Debug, Clone, Copy, Default)]
pub struct Squeegee {
    /// How long it was extended more than retracted; `None` before any stroke.
    out_s: Option<f64>,
    last: Option<(i8, Moment)>,
}

impl Squeegee {
    /// A McCtrl was published with this pusher value; a stroke is at most `stroke_s` long.
    pub fn heard(&mut self, pusher: i8, stroke_s: f64, now: Moment) {
        if let Some((sign, at)) = self.last
            && sign != 0
        {
            let time = now.since(at).as_secs_f64().min(LONGEST_TICK_S);
            // One that has been extended to its end is not out further for going on.
            let before = self.out_s.unwrap_or_default();
            self.out_s = Some((before + f64::from(sign) * time).clamp(0.0, stroke_s));
        }
        self.last = Some((pusher.signum(), now));
    }

    /// It was extended and not retracted for as long. Unknown is not known to be out.
    #[must_use]
    pub fn is_out(&self) -> bool {
        let begins = self.last.is_some_and(|(sign, _)| sign > 0);
        begins || self.out_s.is_some_and(|out| out >= OUT_FROM_S)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::millis;

    fn strokes(squeegee: &mut Squeegee, from_ms: u64, ms: u64, pusher: i8) {
        for at in (from_ms..from_ms + ms).step_by(100) {
            squeegee.heard(pusher, 10.0, Moment::START + millis(at));
        }
    }

    #[test]
    fn it_is_out_from_the_first_message_until_it_was_retracted_for_as_long() {
        let mut squeegee = Squeegee::default();
        assert!(!squeegee.is_out());
        strokes(&mut squeegee, 0, 100, 100);
        assert!(squeegee.is_out());
        strokes(&mut squeegee, 100, 3900, 100);
        strokes(&mut squeegee, 4000, 2000, 0);
        assert!(squeegee.is_out(), "it stays where it is");
        strokes(&mut squeegee, 6000, 3000, -100);
        assert!(squeegee.is_out(), "not as long");
        strokes(&mut squeegee, 9000, 1200, -100);
        assert!(!squeegee.is_out());
    }

    #[test]
    fn it_is_never_further_out_than_its_stroke() {
        let mut squeegee = Squeegee::default();
        strokes(&mut squeegee, 0, 60_000, 100);
        strokes(&mut squeegee, 60_000, 10_200, -100);
        assert!(!squeegee.is_out());
    }

    #[test]
    fn a_gap_between_messages_is_not_a_stroke() {
        let mut squeegee = Squeegee::default();
        strokes(&mut squeegee, 0, 1000, 100);
        squeegee.heard(-100, 10.0, Moment::START + millis(1000));
        squeegee.heard(0, 10.0, Moment::START + millis(20_000));
        assert!(squeegee.is_out());
    }
}
