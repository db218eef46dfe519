//! A drawn line as SVG paths: one for each class, of what is near what is looked at.

use std::collections::BTreeMap;

use crate::units::decimal;

/// Pixels. Points nearer than this to the last one are left out.
const LEAST_PX: f64 = 1.5;

/// A point of a line, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    /// Where it is drawn.
    pub at: (f64, f64),
    /// What its colour tells; `None` is unknown.
    pub class: Option<u8>,
    /// No line leads here.
    pub is_broken_before: bool,
}

/// The `d` of a path for each class. A piece has the class of its end; one with neither end near
/// what is looked at is left out.
pub fn strokes(
    points: impl Iterator<Item = Placed>,
    is_near: impl Fn((f64, f64)) -> bool,
) -> BTreeMap<Option<u8>, String> {
    let mut paths: BTreeMap<Option<u8>, String> = BTreeMap::new();
    let mut last: Option<((f64, f64), bool)> = None;
    // The class whose path ends at the last point.
    let mut at_end = None;
    for point in points {
        let is_inside = is_near(point.at);
        let Some((from, was_inside)) = last.filter(|_| !point.is_broken_before) else {
            last = Some((point.at, is_inside));
            at_end = None;
            continue;
        };
        let is_same = at_end == Some(point.class);
        if is_same && (point.at.0 - from.0).hypot(point.at.1 - from.1) < LEAST_PX {
            continue;
        }
        at_end = (is_inside || was_inside).then(|| {
            let path = paths.entry(point.class).or_default();
            if !is_same {
                push(path, 'M', from);
            }
            push(path, 'L', point.at);
            point.class
        });
        last = Some((point.at, is_inside));
    }
    paths
}

/// A command of a path with one point.
fn push(path: &mut String, command: char, (x, y): (f64, f64)) {
    path.push(command);
    path.push_str(&decimal(x, 1));
    path.push(' ');
    path.push_str(&decimal(y, 1));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[(f64, f64, u8)]) -> Vec<Placed> {
        let place = |&(x, y, class): &(f64, f64, u8)| Placed {
            at: (x, y),
            class: (class != 9).then_some(class),
            is_broken_before: false,
        };
        points.iter().map(place).collect()
    }

    fn everywhere(points: Vec<Placed>) -> BTreeMap<Option<u8>, String> {
        strokes(points.into_iter(), |_| true)
    }

    #[test]
    fn a_piece_has_the_class_of_its_end() {
        let paths = everywhere(line(&[
            (0.0, 0.0, 4),
            (10.0, 0.0, 4),
            (20.0, 0.0, 5),
            (30.0, 0.0, 4),
            (40.0, 5.0, 9),
        ]));
        assert_eq!(paths[&Some(4)], "M0.0 0.0L10.0 0.0M20.0 0.0L30.0 0.0");
        assert_eq!(paths[&Some(5)], "M10.0 0.0L20.0 0.0");
        assert_eq!(paths[&None], "M30.0 0.0L40.0 5.0");
    }

    #[test]
    fn a_break_stays_open() {
        let mut points = line(&[
            (0.0, 0.0, 4),
            (10.0, 0.0, 4),
            (20.0, 0.0, 4),
            (30.0, 0.0, 4),
        ]);
        points[2].is_broken_before = true;
        assert_eq!(
            everywhere(points)[&Some(4)],
            "M0.0 0.0L10.0 0.0M20.0 0.0L30.0 0.0"
        );
    }

    #[test]
    fn points_that_nobody_can_tell_apart_are_left_out_but_their_way_adds_up() {
        let creeping: Vec<_> = (0..11).map(|step| (f64::from(step), 0.0, 4)).collect();
        assert_eq!(
            everywhere(line(&creeping))[&Some(4)],
            "M0.0 0.0L1.0 0.0L3.0 0.0L5.0 0.0L7.0 0.0L9.0 0.0"
        );
    }

    #[test]
    fn what_is_far_away_is_left_out_and_what_leads_there_is_not() {
        let points = line(&[
            (-200.0, 0.0, 4),
            (-100.0, 0.0, 4),
            (50.0, 0.0, 4),
            (200.0, 0.0, 4),
            (300.0, 0.0, 4),
            (50.0, 9.0, 4),
        ]);
        let paths = strokes(points.into_iter(), |(x, _)| (0.0..=100.0).contains(&x));
        assert_eq!(
            paths[&Some(4)],
            "M-100.0 0.0L50.0 0.0L200.0 0.0M300.0 0.0L50.0 9.0"
        );
    }
}
