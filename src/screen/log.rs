//! The list of what happened, newest first.

use std::collections::VecDeque;

/// How many lines are kept: enough for a shift, little enough to draw.
pub const KEPT: usize = 200;

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line<T> {
    /// Counts up; names the line while others come before it.
    pub number: u64,
    /// Milliseconds since local midnight.
    pub at_ms: f64,
    /// How often the same happened in a row.
    pub times: u32,
    /// What.
    pub what: T,
}

/// The lines.
#[derive(Debug, Clone)]
pub struct Log<T> {
    lines: VecDeque<Line<T>>,
    count: u64,
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self {
            lines: VecDeque::new(),
            count: 0,
        }
    }
}

impl<T: PartialEq> Log<T> {
    /// It happened. The same thing again makes no new line: a server that sends a hundred bad
    /// frames must not push everything else out of the list.
    pub fn add(&mut self, what: T, at_ms: f64) {
        self.count += 1;
        if let Some(newest) = self.lines.front_mut()
            && newest.what == what
        {
            newest.times += 1;
            newest.at_ms = at_ms;
            newest.number = self.count;
            return;
        }
        self.lines.push_front(Line {
            number: self.count,
            at_ms,
            times: 1,
            what,
        });
        self.lines.truncate(KEPT);
    }

    /// Newest first.
    pub fn newest_first(&self) -> impl Iterator<Item = &Line<T>> {
        self.lines.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_comes_first_and_the_oldest_goes() {
        let mut log = Log::default();
        for i in 0..KEPT + 5 {
            log.add(i, 0.0);
        }
        let all: Vec<_> = log.newest_first().map(|line| line.what).collect();
        assert_eq!(all.len(), KEPT);
        assert_eq!(all[0], KEPT + 4);
        assert_eq!(all[KEPT - 1], 5);
    }

    #[test]
    fn the_same_thing_in_a_row_is_one_line_with_a_count_and_the_last_time() {
        let mut log = Log::default();
        log.add("a", 1.0);
        log.add("b", 2.0);
        log.add("b", 3.0);
        let newest = log.newest_first().next().cloned().unwrap();
        assert_eq!((newest.what, newest.times), ("b", 2));
        assert!((newest.at_ms - 3.0).abs() < 1e-9);
        assert_eq!(log.newest_first().count(), 2);
    }
}
