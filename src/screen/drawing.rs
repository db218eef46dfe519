//! The machine from above, front up, as SVG, and the rows beside it: so many elements would
//! otherwise be made by code for each.
//!
//! All of it is made of numbers and of our own words; what a vehicle says of its faults is escaped
//! (and the content security policy runs nothing that stands in a page).

use super::data_state::attribute;
use super::machine::{Glance, Machine, PartName};
use crate::words::machine::{grade_of, grade_of_faults, is_old, legend};
use crate::words::state::Grade;
use crate::words::{InWords, Lang};

/// What is to be seen on the card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    /// The drawing: a sweeper that takes McCtrl.
    pub has_drawing: bool,
    /// The rear wheels turn.
    pub is_rear_steered: bool,
    /// Motor currents.
    pub has_currents: bool,
}

/// The card's elements; nothing when there is nothing to show.
#[must_use]
pub fn card(glance: &Glance, shown: Shown, lang: Lang) -> String {
    let mut rows = String::new();
    if let Some(faults) = &glance.levels.faults {
        rows += &row(
            "faults",
            grade_of_faults(faults),
            "",
            &faults.in_words(lang),
        );
    }
    for view in &glance.levels.gauges {
        if view.gauge.is_current() && !shown.has_currents {
            continue;
        }
        let attributes = [
            "\" data-value=\"",
            &attribute(view.value, 3),
            "\" data-age-s=\"",
            &attribute(view.age_s.map(f64::from), 0),
            "\" data-old=\"",
            if is_old(view.age_s) { "true" } else { "false" },
        ];
        rows += &row(
            &["level-", view.gauge.slug()].concat(),
            grade_of(view),
            &attributes.concat(),
            &[&view.gauge.in_words(lang), " ", &view.in_words(lang)].concat(),
        );
    }
    let legend = legend(lang);
    let (picture, legend) = if shown.has_drawing {
        let picture = picture(&glance.machine, shown.is_rear_steered);
        let svg = [
            "<svg viewBox=\"0 0 150 176\" role=\"img\" aria-label=\"",
            legend,
            "\">",
            &picture,
            "</svg>",
        ];
        let legend = ["<small class=\"legend\">", legend, "</small>"];
        (svg.concat(), legend.concat())
    } else {
        Default::default()
    };
    if picture.is_empty() && rows.is_empty() {
        return rows;
    }
    [&picture, "<div class=\"levels\">", &rows, &legend, "</div>"].concat()
}

/// Before all parts.
const BODY: &str = "<path class=\"nose\" d=\"M75 1l8 9h-16z\"/>\
    <path class=\"body\" d=\"M45 34Q45 13 75 13T105 34V142Q105 150 97 150H53Q45 150 45 142Z\"/>";

/// The shapes of each part, in the order of [`PartName::ALL`]; `$` is how hard, as a length or an
/// angle, `#` is how hard in percent. The style sheet fills what is published, shows an arrow only
/// where there is a way, and turns it round for the way back.
const SHAPES: [(&str, f64); 7] = [
    (
        "<rect class=\"shell\" x=\"46\" y=\"80\" width=\"58\" height=\"28\" rx=\"8\"/>\
         <rect class=\"force\" x=\"48\" y=\"82\" width=\"$\" height=\"24\" rx=\"6\"/>\
         <g transform=\"translate(126 94)\">\
         <path class=\"arrow force\" d=\"M0-13l11 13h-6v12h-10V0h-6z\"/></g>\
         <text x=\"75\" y=\"100\">#</text>",
        0.54,
    ),
    (
        "<circle class=\"shell\" cx=\"27\" cy=\"48\" r=\"20\"/>\
         <circle class=\"force\" cx=\"27\" cy=\"48\" r=\"$\"/>\
         <path class=\"arrow turn\" d=\"M27 22A26 26 0 0 1 51 38l5-6m-5 6l-8-3\"/>\
         <text x=\"27\" y=\"54\">#</text>",
        0.18,
    ),
    (
        "<path class=\"shake\" d=\"M50 134l4-7 6 10 6-10 6 10 4-7\"/>",
        1.0,
    ),
    (
        "<rect class=\"place\" x=\"38\" y=\"74\" width=\"74\" height=\"40\" rx=\"6\"/>\
         <g transform=\"translate(24 94) rotate(-90)\">\
         <path class=\"arrow force\" d=\"M0-13l11 13h-6v12h-10V0h-6z\"/></g>",
        1.0,
    ),
    (
        "<path class=\"place\" d=\"M36 158Q75 176 114 158\"/>\
         <g transform=\"translate(130 162) rotate(180)\">\
         <path class=\"arrow force\" d=\"M0-13l11 13h-6v12h-10V0h-6z\"/></g>",
        1.0,
    ),
    (
        "<path class=\"drop force\" d=\"M62 47l8 13a9 9 0 1 1-16 0z\"/>\
         <text x=\"87\" y=\"66\">#</text>",
        1.0,
    ),
    (
        "<rect class=\"wheel\" x=\"68\" y=\"17\" width=\"14\" height=\"27\" rx=\"4\" \
         transform=\"rotate($ 75 30)\"/>",
        // Left is positive; the picture turns to the right.
        -1.0,
    ),
];

/// The picture's elements.
fn picture(machine: &Machine, is_rear_steered: bool) -> String {
    let mut svg = String::from(BODY);
    // The wheels first: deck and brushes are over them.
    for name in PartName::ALL.iter().rev() {
        let part = machine.part(*name);
        let (shapes, scale) = SHAPES[*name as usize];
        let value = part.value();
        let is_steering = *name == PartName::Steering;
        let (force, percent) = if is_steering {
            (value, None)
        } else {
            (value.abs(), Some(value.abs()).filter(|force| *force > 0.0))
        };
        let way = if value.abs() > 0.0 {
            value
        } else {
            part.pushed
        };
        let words = [
            "<g class=\"part\" data-testid=\"machine-",
            name.slug(),
            "\" data-drawn=\"",
            part.drawn().slug(),
            "\" data-value=\"",
            &attribute(part.published, 0),
            "\" data-wanted=\"",
            &attribute(part.wanted, 0),
            "\" data-pushed=\"",
            &attribute(Some(part.pushed), 0),
            "\" data-way=\"",
            match way {
                way if way > 0.0 => "1",
                way if way < 0.0 => "-1",
                _ => "0",
            },
            if is_steering && is_rear_steered {
                "\" transform=\"translate(0 102)"
            } else {
                ""
            },
            "\">",
            &shapes
                .replace('$', &attribute(Some(force * scale), 0))
                .replace('#', &attribute(percent, 0)),
            "</g>",
        ];
        svg += &words.concat();
    }
    svg
}

fn row(testid: &str, grade: Grade, attributes: &str, words: &str) -> String {
    [
        "<span class=\"level\" data-testid=\"",
        testid,
        "\" data-grade=\"",
        grade.slug(),
        attributes,
        "\"><i class=\"mark\"></i><span>",
        &escaped(words),
        "</span></span>",
    ]
    .concat()
}

/// A vehicle's words as text between elements.
fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::super::machine::Part;
    use super::*;
    use crate::viewer::levels::{Fault, FaultsView, Gauge, GaugeView};

    fn with(name: PartName, part: Part) -> String {
        let mut machine = Machine::default();
        machine.parts[name as usize] = part;
        let svg = picture(&machine, false);
        let start = svg
            .find(&format!("data-testid=\"machine-{}\"", name.slug()))
            .unwrap();
        let rest = &svg[start..];
        let end = rest.find("<g class=\"part\"").unwrap_or(rest.len());
        rest[..end].to_owned()
    }

    fn published(value: f64) -> Part {
        Part {
            published: Some(value),
            ..Part::default()
        }
    }

    #[test]
    fn what_nobody_knows_has_neither_way_nor_number() {
        let svg = picture(&Machine::default(), false);
        assert_eq!(
            svg.matches("data-drawn=\"unknown\" data-value=\"\"")
                .count(),
            7
        );
        assert_eq!(svg.matches("data-way=\"0\"").count(), 7);
        assert_eq!(
            svg.matches("></text>").count(),
            svg.matches("<text").count()
        );
        assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
        assert!(!svg.contains("style"), "the policy refuses inline styles");
        assert!(!svg.contains(['$', '#']), "{svg}");
    }

    #[test]
    fn the_brush_is_filled_as_hard_as_it_turns_and_its_arrow_shows_which_way() {
        let forward = with(PartName::RollBrush, published(50.0));
        assert!(forward.contains("width=\"27\"") && forward.contains("data-way=\"1\""));
        assert!(forward.contains(">50</text>"));
        let back = with(PartName::RollBrush, published(-50.0));
        assert!(back.contains("data-way=\"-1\"") && back.contains(">50</text>"));
    }

    #[test]
    fn what_is_only_wanted_is_told_apart() {
        let wanted = Part {
            wanted: Some(50.0),
            ..Part::default()
        };
        let svg = with(PartName::SideBrush, wanted);
        assert!(svg.contains("data-drawn=\"wanted\" data-value=\"\" data-wanted=\"50\""));
    }

    #[test]
    fn where_the_deck_is_is_never_drawn_only_which_way_it_is_or_was_pushed() {
        let shape = |part: Part, way: &str| {
            let svg = with(PartName::Deck, part);
            assert!(svg.contains(&format!("data-way=\"{way}\"")), "{svg}");
            svg[svg.find("<rect").unwrap()..].to_owned()
        };
        let still = shape(published(0.0), "0");
        let out = shape(published(100.0), "1");
        let back = shape(published(-100.0), "-1");
        let past = Part {
            pushed: 1.0,
            ..published(0.0)
        };
        let was_out = shape(past, "1");
        assert!([out, back, was_out].iter().all(|other| *other == still));
    }

    const ALL_SHOWN: Shown = Shown {
        has_drawing: true,
        is_rear_steered: false,
        has_currents: true,
    };

    #[test]
    fn a_vehicle_that_offers_nothing_and_has_no_tools_has_no_card() {
        let shown = Shown {
            has_drawing: false,
            ..ALL_SHOWN
        };
        assert_eq!(card(&Glance::default(), shown, Lang::En), "");
        assert!(card(&Glance::default(), ALL_SHOWN, Lang::En).contains("<svg"));
    }

    #[test]
    fn what_a_vehicle_says_is_text_and_never_an_element() {
        let worst = Fault {
            name: "<img src=x onerror=alert(1)>".into(),
            message: "a & b </span><script>".into(),
            ..Fault::default()
        };
        let mut glance = Glance::default();
        glance.levels.faults = Some(FaultsView {
            worst: Some(worst),
            ..FaultsView::default()
        });
        let card = card(&glance, ALL_SHOWN, Lang::En);
        assert!(card.contains("&lt;img src=x onerror=alert(1)>: a &amp; b &lt;/span>&lt;script>"));
        assert!(!card.contains("<img") && !card.contains("<script"));
    }

    #[test]
    fn currents_are_shown_where_they_are_asked_for() {
        let view = |gauge| GaugeView {
            gauge,
            value: Some(0.5),
            age_s: Some(60),
        };
        let mut glance = Glance::default();
        glance.levels.gauges = vec![view(Gauge::Battery), view(Gauge::SuctionCurrent)];
        let all = card(&glance, ALL_SHOWN, Lang::En);
        assert!(all.contains("level-battery") && all.contains("level-suction"));
        assert!(all.contains(
            "data-grade=\"absent\" data-value=\"0.500\" data-age-s=\"60\" data-old=\"true\""
        ));
        let shown = Shown {
            has_currents: false,
            ..ALL_SHOWN
        };
        assert!(!card(&glance, shown, Lang::En).contains("level-suction"));
    }

    #[test]
    fn wheels_to_the_left_turn_to_the_left() {
        assert!(with(PartName::Steering, published(20.0)).contains("rotate(-20 75 30)"));
    }
}
