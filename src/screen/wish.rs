//! Wishes that the pilot has not yet shown back.
//!
//! Two taps within one round between page and pilot must add up, so the second builds on the
//! first tap and not on a snapshot from before it. But what the pilot takes the operator to want
//! is what counts: after STOP it is zero, whatever was tapped last.

/// How long a wish may differ from what the pilot shows before the pilot is believed.
pub const PATIENCE_MS: f64 = 400.0;

/// A value that the operator sets here and the pilot shows back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wish<T> {
    shown: T,
    tapped: Option<(T, f64)>,
}

impl<T: Copy + PartialEq> Wish<T> {
    /// Before anything was tapped or shown.
    #[must_use]
    pub fn new(shown: T) -> Self {
        Self {
            shown,
            tapped: None,
        }
    }

    /// The value to draw and to build the next tap on.
    #[must_use]
    pub fn value(&self) -> T {
        self.tapped.map_or(self.shown, |(value, _)| value)
    }

    /// The operator tapped.
    pub fn tap(&mut self, value: T, now_ms: f64) {
        self.tapped = Some((value, now_ms));
    }

    /// The pilot shows what it takes for wanted.
    pub fn show(&mut self, shown: T, now_ms: f64) {
        self.shown = shown;
        let is_settled = self
            .tapped
            .is_some_and(|(value, at)| value == shown || now_ms - at >= PATIENCE_MS);
        if is_settled {
            self.tapped = None;
        }
    }

    /// Nothing that was tapped before counts any more (STOP, a new pilot).
    pub fn forget(&mut self) {
        self.tapped = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_taps_add_up_while_old_snapshots_still_come() {
        let mut wish = Wish::new(0);
        wish.tap(wish.value() + 10, 0.0);
        wish.show(0, 20.0);
        wish.tap(wish.value() + 10, 60.0);
        wish.show(10, 80.0);
        assert_eq!(wish.value(), 20);
        wish.show(20, 140.0);
        assert_eq!(wish.value(), 20);
    }

    #[test]
    fn what_the_pilot_does_not_take_over_is_given_up() {
        let mut wish = Wish::new(0);
        wish.tap(50, 0.0);
        wish.show(0, PATIENCE_MS - 1.0);
        assert_eq!(wish.value(), 50);
        wish.show(0, PATIENCE_MS);
        assert_eq!(wish.value(), 0);
    }

    #[test]
    fn after_the_pilot_has_agreed_its_changes_are_shown_at_once() {
        let mut wish = Wish::new(0);
        wish.tap(50, 0.0);
        wish.show(50, 30.0);
        wish.show(0, 40.0);
        assert_eq!(wish.value(), 0);
    }

    #[test]
    fn a_stop_takes_every_wish_with_it() {
        let mut wish = Wish::new(0);
        wish.tap(50, 0.0);
        wish.forget();
        assert_eq!(wish.value(), 0);
    }
}
