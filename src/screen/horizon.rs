//! How a multirotor lies in the air, as an artificial horizon, and its altitude. Sky and ground turn,
//! the vehicle stands still, as in every cockpit.

use super::data_state::attribute;
use crate::viewer::flight::FlightView;
use crate::words::Lang;
use crate::words::machine::{altitude, climb, no_attitude};

/// What was told longer ago is not how it lies now.
const OLD_MS: f64 = 1000.0;
/// Of the picture's units for a degree.
const PER_DEGREE: f64 = 1.6;

/// The elements; without news no horizon is drawn. Whether its motors run and it stands on the ground
/// says what no climb means.
#[must_use]
pub fn horizon(
    told: Option<FlightView>,
    motors: Option<bool>,
    landed: Option<bool>,
    lang: Lang,
) -> String {
    let told = told.filter(|view| view.age_ms <= OLD_MS);
    let Some(view) = told else {
        let words = [
            "<span class=\"level\" data-testid=\"altitude\" data-value=\"\">",
            no_attitude(lang),
            "</span>",
        ];
        return words.concat();
    };
    let number = |value: f64, places| attribute(Some(value), places);
    [
        "<svg class=\"horizon\" viewBox=\"-75 -75 150 150\" role=\"img\" data-testid=\"attitude\" data-roll=\"",
        &number(view.roll_deg, 1),
        "\" data-pitch=\"",
        &number(view.pitch_deg, 1),
        "\"><rect class=\"sky\" x=\"-75\" y=\"-75\" width=\"150\" height=\"150\"/><g transform=\"rotate(",
        &number(-view.roll_deg, 1),
        ") translate(0 ",
        &number(-view.pitch_deg * PER_DEGREE, 1),
        ")\"><rect class=\"ground\" x=\"-150\" y=\"0\" width=\"300\" height=\"250\"/>\
         <path class=\"scale\" d=\"M-150 0H150M-18-16H18M-28-32H28M-18 16H18M-28 32H28\"/></g>\
         <path class=\"wings\" d=\"M-48 0H-18L0 10L18 0H48\"/></svg>\
         <div class=\"levels\"><span class=\"level\" data-testid=\"altitude\" data-value=\"",
        &number(view.altitude, 2),
        "\">",
        &altitude(view.altitude, lang),
        "</span><span class=\"level\" data-testid=\"climb\" data-value=\"",
        &number(view.climb, 2),
        "\">",
        &climb(view.climb, motors, landed, lang),
        "</span></div>",
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(roll_deg: f64, pitch_deg: f64, age_ms: f64) -> String {
        let view = FlightView {
            roll_deg,
            pitch_deg,
            altitude: 3.25,
            climb: -0.5,
            age_ms,
        };
        horizon(Some(view), Some(true), Some(false), Lang::En)
    }

    #[test]
    fn the_horizon_turns_against_the_roll_and_rises_when_the_nose_goes_down() {
        let svg = drawn(10.0, 5.0, 0.0);
        assert!(svg.contains("rotate(-10.0) translate(0 -8.0)"), "{svg}");
        assert!(svg.contains("data-roll=\"10.0\" data-pitch=\"5.0\""));
        assert!(
            svg.contains("Altitude 3.3 m") || svg.contains("Altitude 3.2 m"),
            "{svg}"
        );
        assert!(svg.contains("0.50 m/s down"), "{svg}");
        assert!(!svg.contains("style"), "the policy refuses inline styles");
    }

    #[test]
    fn what_is_old_or_was_never_told_is_not_drawn() {
        for svg in [
            drawn(10.0, 5.0, 1500.0),
            horizon(None, None, None, Lang::En),
        ] {
            assert!(
                !svg.contains("<svg") && svg.contains("data-value=\"\""),
                "{svg}"
            );
        }
    }
}
