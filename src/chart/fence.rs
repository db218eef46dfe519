//! A keep-out or a fence ahead, within the way that it takes to stop.
//!
//! **An aid, no protection**: it knows only the polygons that somebody drew and the fix as it is
//! reported, and it never moves or holds the vehicle by itself. It looks along the arc that is
//! commanded now, with the vehicle as a disc around its reference point.

/// A polygon in metres of the local frame `(east, north)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Area {
    /// Its corners; the last need not repeat the first.
    pub ring: Vec<(f64, f64)>,
    /// Inside or outside forbidden?
    pub kind: AreaKind,
}

/// What a polygon forbids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AreaKind {
    /// The vehicle must not get into it.
    KeepOut,
    /// The vehicle must not get out of it.
    Fence,
}

/// Where the vehicle is and what is commanded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    /// `(east, north)` in metres.
    pub position: (f64, f64),
    /// Degrees clockwise from north.
    pub heading: f64,
    /// m/s, + forward.
    pub linear: f64,
    /// rad/s, + left (REP-103).
    pub angular: f64,
}

/// What stopping takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stopping {
    /// Seconds from the decision until the vehicle begins to slow: operator, link, vehicle.
    pub reaction: f64,
    /// m/s².
    pub deceleration: f64,
    /// Metres that the vehicle reaches around its reference point, and what is to be left.
    pub clearance: f64,
}

impl Stopping {
    /// Metres until it stands: `v·t + v²/2a`.
    #[must_use]
    pub fn distance(&self, speed: f64) -> f64 {
        let speed = speed.abs();
        speed * self.reaction.max(0.0) + speed * speed / (2.0 * self.deceleration.max(0.01))
    }

    /// The speed from which it stands within `distance`: the inverse of [`Self::distance`].
    #[must_use]
    pub fn speed_within(&self, distance: f64) -> f64 {
        let (reaction, a) = (self.reaction.max(0.0), self.deceleration.max(0.01));
        let lead = a * reaction;
        (lead * lead + 2.0 * a * distance.max(0.0)).sqrt() - lead
    }
}

/// What is ahead.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ahead {
    /// Which of the polygons.
    pub area: usize,
    /// Metres along the commanded arc until the clearance is used up; 0 when it already is.
    pub distance: f64,
    /// m/s from which the vehicle would stop in time: what a profile may take as a lower limit.
    pub speed_limit: f64,
}

/// m/s below which nothing that is drawn lowers the speed.
pub const CREEP: f64 = 0.1;

/// Metres between the places that are looked at.
const STEP: f64 = 0.05;

/// The nearest polygon that the commanded arc meets within the stopping distance; `None` when
/// there is none, while standing, while turning in place, and for numbers that are none.
///
/// Where the vehicle already is too near, only a way that leads nearer is warned of, so that it
/// can be driven out.
#[must_use]
pub fn ahead(motion: &Motion, stopping: &Stopping, areas: &[Area]) -> Option<Ahead> {
    let Motion {
        position,
        heading,
        linear,
        angular,
    } = *motion;
    let all = [position.0, position.1, heading, linear, angular];
    if all.iter().any(|number| !number.is_finite()) || linear.abs() < 1e-3 {
        return None;
    }
    // What moves faster than 50 m is not looked at: no vehicle of this kind.
    let reach = stopping.distance(linear).min(50.0);
    let curvature = angular / linear.abs();
    let sign = linear.signum();
    let at = |along: f64| {
        let turned = curvature * along;
        let (forward, left) = if turned.abs() < 1e-6 {
            (along, 0.0)
        } else {
            (turned.sin() / curvature, (1.0 - turned.cos()) / curvature)
        };
        // Backwards the body turns the same way while the path goes the other.
        let (forward, left) = (sign * forward, sign * left);
        let (sine, cosine) = heading.to_radians().sin_cos();
        (
            position.0 + forward * sine - left * cosine,
            position.1 + forward * cosine + left * sine,
        )
    };
    let steps = (reach / STEP).ceil() as u32;
    areas
        .iter()
        .enumerate()
        .filter_map(|(area, polygon)| {
            let start = room(polygon, at(0.0))?;
            if start > reach + stopping.clearance {
                return None;
            }
            (0..=steps)
                .map(|step| (f64::from(step) * STEP).min(reach))
                .find(|&along| {
                    room(polygon, at(along)).is_some_and(|room| {
                        room < stopping.clearance
                            && (room < start - 1e-9 || start >= stopping.clearance)
                    })
                })
                .map(|along| Ahead {
                    area,
                    distance: if start < stopping.clearance {
                        0.0
                    } else {
                        along
                    },
                    speed_limit: stopping.speed_within(if start < stopping.clearance {
                        0.0
                    } else {
                        (along - STEP).max(0.0)
                    }),
                })
        })
        .min_by(|a, b| a.distance.total_cmp(&b.distance))
}

/// m/s that the way ahead allows: from the distance along the commanded arc to the nearest polygon,
/// as far as stopping from `fastest` takes. So it sinks steadily on the way there, and does not
/// jump back as soon as the vehicle slows. `None` where nothing is ahead.
///
/// It is never below [`CREEP`]: what is drawn, and the fix, may be wrong, and a vehicle that cannot
/// be moved away is no help.
#[must_use]
pub fn speed_ahead(
    motion: &Motion,
    stopping: &Stopping,
    areas: &[Area],
    fastest: f64,
) -> Option<f64> {
    if motion.linear.abs() < 1e-3 {
        return None;
    }
    // The same arc, looked along farther.
    let scale = fastest / motion.linear.abs();
    let farther = Motion {
        linear: motion.linear * scale,
        angular: motion.angular * scale,
        ..*motion
    };
    let ahead = ahead(&farther, stopping, areas)?;
    (ahead.speed_limit < fastest).then_some(ahead.speed_limit.max(CREEP))
}

/// Metres between a place and what is forbidden, negative inside of it; `None` for a polygon that
/// is none.
fn room(area: &Area, place: (f64, f64)) -> Option<f64> {
    let ring = &area.ring;
    if ring.len() < 3 || ring.iter().any(|p| !(p.0.is_finite() && p.1.is_finite())) {
        return None;
    }
    let mut nearest = f64::INFINITY;
    let mut is_inside = false;
    for (index, &a) in ring.iter().enumerate() {
        let b = ring[(index + 1) % ring.len()];
        nearest = nearest.min(distance_to_edge(place, a, b));
        if (a.1 <= place.1) != (b.1 <= place.1)
            && place.0 < a.0 + (place.1 - a.1) / (b.1 - a.1) * (b.0 - a.0)
        {
            is_inside = !is_inside;
        }
    }
    let is_forbidden = is_inside == (area.kind == AreaKind::KeepOut);
    Some(if is_forbidden { -nearest } else { nearest })
}

fn distance_to_edge(p: (f64, f64), a: (f64, f64), b: (f64, f64)) -> f64 {
    let edge = (b.0 - a.0, b.1 - a.1);
    let length = edge.0 * edge.0 + edge.1 * edge.1;
    let along = if length > 0.0 {
        (((p.0 - a.0) * edge.0 + (p.1 - a.1) * edge.1) / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (p.0 - a.0 - along * edge.0).hypot(p.1 - a.1 - along * edge.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STOPPING: Stopping = Stopping {
        reaction: 0.5,
        deceleration: 1.0,
        clearance: 0.5,
    };

    fn square(kind: AreaKind, (east, north): (f64, f64), half: f64) -> Area {
        Area {
            ring: [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
                .map(|(x, y)| (east + x * half, north + y * half))
                .to_vec(),
            kind,
        }
    }

    fn driving(heading: f64, linear: f64, angular: f64) -> Motion {
        Motion {
            position: (0.0, 0.0),
            heading,
            linear,
            angular,
        }
    }

    #[test]
    fn a_keep_out_ahead_is_found_at_every_heading_and_behind_it_is_not() {
        for (heading, place) in [
            (0.0, (0.0, 2.0)),
            (90.0, (2.0, 0.0)),
            (180.0, (0.0, -2.0)),
            (270.0, (-2.0, 0.0)),
        ] {
            let areas = [square(AreaKind::KeepOut, place, 0.5)];
            // Stops within 1.5·0.5 + 1.125 = 1.875 m; its edge is 1.5 m away, less 0.5.
            let found = ahead(&driving(heading, 1.5, 0.0), &STOPPING, &areas).unwrap();
            assert!((found.distance - 1.0).abs() <= 0.051, "{found:?}");
            assert!(found.speed_limit < 1.5);
            assert!(STOPPING.distance(found.speed_limit) <= 1.0 + 1e-9);
            let away = ahead(&driving(heading + 180.0, 1.5, 0.0), &STOPPING, &areas);
            assert_eq!(away, None);
            let back = ahead(&driving(heading + 180.0, -1.5, 0.0), &STOPPING, &areas);
            assert!(back.is_some(), "backwards it is ahead");
            assert_eq!(ahead(&driving(heading, 0.3, 0.0), &STOPPING, &areas), None);
        }
    }

    #[test]
    fn the_arc_is_followed_left_and_right() {
        // A quarter turn to the left with 1 m of radius ends at one metre west, one north.
        let west = [square(AreaKind::KeepOut, (-1.4, 1.2), 0.2)];
        let near = Stopping {
            clearance: 0.2,
            ..STOPPING
        };
        assert!(ahead(&driving(0.0, 1.5, 1.5), &near, &west).is_some());
        assert_eq!(ahead(&driving(0.0, 1.5, -1.5), &near, &west), None);
        assert_eq!(ahead(&driving(0.0, 1.5, 0.0), &near, &west), None);
    }

    #[test]
    fn a_fence_is_met_from_inside_and_the_way_out_of_trouble_is_free() {
        let fence = [square(AreaKind::Fence, (0.0, 0.0), 1.5)];
        assert!(ahead(&driving(0.0, 1.5, 0.0), &STOPPING, &fence).is_some());
        let mut motion = driving(0.0, 0.5, 0.0);
        motion.position = (0.0, 1.3);
        let found = ahead(&motion, &STOPPING, &fence).unwrap();
        assert!(found.distance.abs() < 1e-9 && found.speed_limit.abs() < 1e-9);
        motion.heading = 180.0;
        assert_eq!(ahead(&motion, &STOPPING, &fence), None);
    }

    #[test]
    fn the_allowed_speed_sinks_steadily_and_leaves_a_creep() {
        let wall = [square(AreaKind::KeepOut, (0.0, 20.0), 10.0)];
        let mut last = f64::INFINITY;
        let mut is_seen = false;
        for step in 0..96_u32 {
            let mut motion = driving(0.0, 0.5, 0.0);
            motion.position.1 = f64::from(step) * 0.1;
            let allowed = speed_ahead(&motion, &STOPPING, &wall, 1.5);
            is_seen |= allowed.is_some();
            assert_eq!(allowed.is_some(), is_seen, "it does not jump back");
            let allowed = allowed.unwrap_or(f64::INFINITY);
            assert!(allowed <= last + 1e-9 && allowed >= CREEP);
            last = allowed;
        }
        assert!((last - CREEP).abs() < 1e-9);
        let away = driving(180.0, 0.5, 0.0);
        assert_eq!(speed_ahead(&away, &STOPPING, &wall, 1.5), None);
        assert_eq!(
            speed_ahead(&driving(0.0, 0.0, 0.0), &STOPPING, &wall, 1.5),
            None
        );
    }

    mod properties {
        use super::*;
        use proptest::prelude::*;

        proptest! {
            /// The monotone rule: it asks for less than the fastest or for nothing at all, never
            /// for less than a creep, and more things drawn never allow more.
            #[test]
            fn what_is_drawn_only_ever_lowers(
                squares in proptest::collection::vec((-9.0..9.0_f64, -9.0..9.0_f64, 0.1..4.0_f64, any::<bool>()), 1..5),
                heading in 0.0..360.0_f64,
                linear in -1.5..1.5_f64,
                angular in -2.0..2.0_f64,
                fastest in 0.1..3.0_f64,
            ) {
                let areas: Vec<Area> = squares.iter().map(|&(east, north, half, is_fence)| {
                    let kind = if is_fence { AreaKind::Fence } else { AreaKind::KeepOut };
                    square(kind, (east, north), half)
                }).collect();
                let motion = driving(heading, linear, angular);
                let mut last = f64::INFINITY;
                for count in 1..=areas.len() {
                    let allowed = speed_ahead(&motion, &STOPPING, &areas[..count], fastest);
                    if let Some(allowed) = allowed {
                        prop_assert!(allowed >= CREEP && allowed <= fastest.max(CREEP));
                    }
                    let allowed = allowed.unwrap_or(f64::INFINITY);
                    prop_assert!(allowed <= last + 1e-9);
                    last = allowed;
                }
            }
        }
    }

    #[test]
    fn numbers_that_are_none_warn_of_nothing_and_never_panic() {
        let areas = [
            square(AreaKind::KeepOut, (f64::NAN, 0.0), 1.0),
            Area {
                ring: vec![],
                kind: AreaKind::Fence,
            },
        ];
        for linear in [f64::NAN, f64::INFINITY, 0.0, 1e300] {
            assert_eq!(ahead(&driving(0.0, linear, 0.0), &STOPPING, &areas), None);
        }
    }
}
