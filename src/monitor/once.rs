//! The same trouble, said once.

use std::time::Duration;

use crate::units::Moment;

/// Said again when it still goes on after this long.
const AGAIN_AFTER: Duration = Duration::from_secs(30);
const MOST: usize = 16;

/// What has been said lately. Numbers do not count: a frame that is broken at another byte, or
/// has another size, is the same trouble.
#[derive(Debug, Clone, Default)]
pub(super) struct Once {
    said: Vec<(String, Moment)>,
}

impl Once {
    /// Whether it should be said; from then on it has been.
    pub(super) fn is_new(&mut self, words: &str, now: Moment) -> bool {
        let kind: String = words.chars().filter(|c| !c.is_ascii_digit()).collect();
        self.said.retain(|(_, at)| now.since(*at) < AGAIN_AFTER);
        if self.said.iter().any(|(known, _)| *known == kind) {
            return false;
        }
        if self.said.len() >= MOST {
            self.said.remove(0);
        }
        self.said.push((kind, now));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::millis;

    #[test]
    fn two_troubles_that_alternate_are_said_once_each() {
        let mut once = Once::default();
        let mut said = 0;
        for turn in 0..100 {
            let now = Moment::START + millis(turn * 50);
            for words in [
                format!("not JSON at column {turn}"),
                "unknown op".to_owned(),
            ] {
                said += usize::from(once.is_new(&words, now));
            }
        }
        assert_eq!(said, 2);
        assert!(once.is_new("unknown op", Moment::START + AGAIN_AFTER + millis(50)));
    }
}
