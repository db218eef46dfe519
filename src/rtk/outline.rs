//! The vehicle's outline as a drawing on the map: how large, where its front is.

/// A drawing is never shorter than this many pixels, so that it can be seen far out.
const MIN_LENGTH_PX: f64 = 36.0;

/// The drawing of a vehicle seen from above, in metres, **x right and y down** with the vehicle
/// facing up and its reference point at 0, 0: the axes of a screen.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// The body's corners.
    pub body: Vec<(f64, f64)>,
    /// The arrow ahead of the body that cannot be taken for anything but the front.
    pub arrow: [(f64, f64); 3],
    /// Radius around the reference point that holds the body whichever way it faces.
    pub body_radius: f64,
    /// Half the side of the square around the reference point that holds body and arrow.
    pub reach: f64,
    length: f64,
}

impl Drawing {
    /// From the profile's outline: metres, x forward and y left of the reference point.
    #[must_use]
    pub fn from_outline(outline: &[(f64, f64)]) -> Self {
        let range = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            })
        };
        let (rear, front) = range(&mut outline.iter().map(|corner| corner.0));
        let (right, left) = range(&mut outline.iter().map(|corner| corner.1));
        // Two corners or all on one line have no inside; a metre's square stands for them.
        if !(front - rear > 0.0 && left - right > 0.0) {
            return Self::from_outline(&[(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)]);
        }
        let size = (left - right).min(front - rear);
        let middle = -(left + right) / 2.0;
        let base = -(front + 0.12 * size);
        let arrow = [
            (middle, base - 0.5 * size),
            (middle + 0.34 * size, base),
            (middle - 0.34 * size, base),
        ];
        let body: Vec<(f64, f64)> = outline.iter().map(|&(x, y)| (-y, -x)).collect();
        let radius = |points: &[(f64, f64)]| {
            points
                .iter()
                .map(|point| point.0.hypot(point.1))
                .fold(0.0, f64::max)
        };
        let body_radius = radius(&body);
        Self {
            body_radius,
            reach: body_radius.max(radius(&arrow)) + 0.1 * size,
            body,
            arrow,
            length: front - rear,
        }
    }

    /// Pixels of the side of the whole drawing (twice [`Self::reach`]) on a map where a pixel
    /// covers that many metres: to scale, but never too small to be seen.
    #[must_use]
    pub fn side_px(&self, meters_per_pixel: f64) -> f64 {
        2.0 * self.reach / meters_per_pixel.min(self.length / MIN_LENGTH_PX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTLINE: [(f64, f64); 4] = [(1.2, 0.6), (-0.8, 0.6), (-0.8, -0.6), (1.2, -0.6)];

    #[test]
    fn forward_is_up_and_left_is_left() {
        let drawing = Drawing::from_outline(&OUTLINE);
        assert_eq!(drawing.body[0], (-0.6, -1.2));
        assert!(
            drawing.arrow.iter().all(|corner| corner.1 < -1.2),
            "ahead of the body"
        );
    }

    #[test]
    fn it_is_to_scale_close_in_and_visible_far_out() {
        let drawing = Drawing::from_outline(&OUTLINE);
        let side_per_length = 2.0 * drawing.reach / 2.0;
        assert!((drawing.side_px(0.02) - side_per_length * 100.0).abs() < 1e-9);
        assert!((drawing.side_px(50.0) - side_per_length * 36.0).abs() < 1e-9);
    }

    #[test]
    fn an_outline_without_an_inside_is_still_a_vehicle() {
        for outline in [&[][..], &[(1.0, 0.0), (2.0, 0.0)], &[(f64::NAN, 1.0)]] {
            let drawing = Drawing::from_outline(outline);
            assert!(drawing.reach.is_finite() && drawing.side_px(0.1) > 0.0);
        }
    }
}
