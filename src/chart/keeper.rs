//! Which of several windows keeps a vehicle's track: one claims it, renews the claim, and another
//! takes it over when it was not renewed for [`HOLDS_MS`].
//!
//! The claim lies beside what is kept and changes in one transaction with it, so that two windows
//! can never both believe that it is theirs. (A lock of the browser's would want https, which a
//! vehicle rarely has.)

/// A claim holds for so long. A window that the browser has put to sleep loses it.
pub const HOLDS_MS: f64 = 6_000.0;
/// It is renewed, or asked for, so often.
pub const RENEWED_EVERY_MS: i32 = 2_000;

/// As it is kept: a window's own number, and until when, Unix milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Claim {
    /// Of the window; no other has it.
    pub owner: u32,
    /// Unix milliseconds.
    pub until: f64,
}

/// The claim of this window in place of what was kept; `None`: another one holds.
#[must_use]
pub fn claim(kept: Option<Claim>, owner: u32, now: f64) -> Option<Claim> {
    // One that ends later than any claim can was made before the clock was set back.
    let holds = |it: &Claim| it.until > now && it.until <= now + HOLDS_MS;
    let is_free = kept.is_none_or(|it| it.owner == owner || !holds(&it));
    is_free.then_some(Claim {
        owner,
        until: now + HOLDS_MS,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_window_keeps_until_it_does_not_renew() {
        let (first, second) = (1, 2);
        let held = claim(None, first, 0.0);
        assert!(held.is_some());
        assert_eq!(claim(held, second, 5_999.0), None);
        let renewed = claim(held, first, 2_000.0);
        assert_eq!(claim(renewed, second, 7_999.0), None);
        let taken = claim(renewed, second, 8_000.0);
        assert_eq!(taken.map(|it| it.owner), Some(second));
        assert_eq!(claim(taken, first, 8_001.0), None, "the first one woke up");
    }

    #[test]
    fn a_clock_that_was_set_back_locks_nobody_out() {
        let held = claim(None, 1, 1e12);
        assert!(claim(held, 2, 1e12 - 3_600_000.0).is_some());
    }
}
