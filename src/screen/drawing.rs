//! The machine from above, front up, as SVG, and the rows beside it: so many elements would
//! otherwise be made by code for each.
//!
//! All of it is made of numbers and of our own words; what a vehicle says of its faults is escaped
//! (and the content security policy runs nothing that stands in a page).

use super::data_state::attribute;
use super::machine::{Glance, Machine, Part, PartName};
use crate::words::machine::{grade_of, grade_of_faults, is_old};
use crate::words::state::Grade;
use crate::words::{InWords, Label, Lang};

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
    let legend = Label::DrawingLegend.text(lang);
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

const BODY: &str = "<path class=\"nose\" d=\"M75 1l8 9h-16z\"/>\
    <path class=\"body\" d=\"M45 34Q45 13 75 13T105 34V142Q105 150 97 150H53Q45 150 45 142Z\"/>";

/// The picture's elements.
fn picture(machine: &Machine, is_rear_steered: bool) -> String {
    let mut svg = String::from(BODY);
    // The wheels first: deck and brushes are over them.
    for name in PartName::ALL.iter().rev() {
        let part = machine.part(*name);
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
            "\">",
            &shapes(*name, &part, is_rear_steered),
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

fn shapes(name: PartName, part: &Part, is_rear_steered: bool) -> String {
    let value = part.value();
    let share = value.abs().min(100.0) / 100.0;
    // What is published is filled, what is only wanted is outlined.
    let force = if part.published.is_some() {
        "force"
    } else {
        "ghost"
    };
    let is_on = share > 0.0;
    let only_if = |is: bool, words: String| if is { words } else { String::new() };
    match name {
        PartName::RollBrush => [
            "<rect class=\"shell\" x=\"46\" y=\"80\" width=\"58\" height=\"28\" rx=\"8\"/>",
            &only_if(
                is_on,
                format!(
                    "<rect class=\"{force}\" x=\"48\" y=\"82\" width=\"{:.0}\" height=\"24\" \
                     rx=\"6\"/>{}",
                    54.0 * share,
                    arrow(126, 94, if value > 0.0 { 0 } else { 180 }, force)
                ),
            ),
            &number(75, 100, value),
        ]
        .concat(),
        PartName::SideBrush => [
            "<circle class=\"shell\" cx=\"27\" cy=\"48\" r=\"20\"/>",
            &only_if(
                is_on,
                format!(
                    "<circle class=\"{force}\" cx=\"27\" cy=\"48\" r=\"{:.0}\"/>\
                     <path class=\"turn\" d=\"M27 22A26 26 0 0 1 51 38l5-6m-5 6l-8-3\"/>",
                    18.0 * share.sqrt()
                ),
            ),
            &number(27, 54, value),
        ]
        .concat(),
        PartName::DustShaker => format!(
            "<path class=\"shell {}\" stroke-width=\"{:.0}\" d=\"M50 134l4-7 6 10 6-10 6 10 4-7\"/>",
            if is_on { force } else { "" },
            2.0 + 3.0 * share
        ),
        PartName::Deck => pusher(
            "<rect class=\"place\" x=\"38\" y=\"74\" width=\"74\" height=\"40\" rx=\"6\"/>",
            (24, 94, -90),
            part,
        ),
        PartName::Squeegee => pusher(
            "<path class=\"place\" d=\"M36 158Q75 176 114 158\"/>",
            (130, 162, 180),
            part,
        ),
        PartName::Water => {
            let turn = if value < 0.0 { 180 } else { 0 };
            let amount = if is_on { force } else { "" };
            [
                &format!(
                    "<path class=\"shell {amount}\" transform=\"rotate({turn} 62 60)\" \
                     d=\"M62 47l8 13a9 9 0 1 1-16 0z\"/>"
                ),
                number(87, 66, value).as_str(),
            ]
            .concat()
        }
        PartName::Steering => {
            let y = if is_rear_steered { 119 } else { 17 };
            format!(
                "<rect class=\"shell {}\" x=\"68\" y=\"{y}\" width=\"14\" height=\"27\" rx=\"4\" \
                 transform=\"rotate({:.0} 75 {})\"/>",
                if part.published.is_some() {
                    "wheel"
                } else {
                    ""
                },
                // Left is positive; the picture turns to the right.
                -value.clamp(-66.0, 66.0),
                y + 13
            )
        }
    }
}

/// Where it is nobody reports: the shape is the same whatever is known. Beside it the push, or the
/// last one. `turn` is the way that extends.
fn pusher(place: &str, (x, y, turn): (i32, i32, i32), part: &Part) -> String {
    let push = part.value();
    let (way, class) = if push.abs() > 0.0 {
        (
            push,
            if part.published.is_some() {
                "force"
            } else {
                "ghost"
            },
        )
    } else {
        (part.pushed, "past")
    };
    let arrow = if way.abs() > 0.0 {
        arrow(x, y, if way > 0.0 { turn } else { turn + 180 }, class)
    } else {
        String::new()
    };
    [place, &arrow].concat()
}

/// An arrow that points up until it is turned.
fn arrow(x: i32, y: i32, turn: i32, class: &str) -> String {
    format!(
        "<path class=\"arrow {class}\" transform=\"translate({x} {y}) rotate({turn})\" \
         d=\"M0-13l11 13h-6v12h-10V0h-6z\"/>"
    )
}

/// How hard, in percent.
fn number(x: i32, y: i32, value: f64) -> String {
    if value.abs() > 0.0 {
        format!("<text x=\"{x}\" y=\"{y}\">{:.0}</text>", value.abs())
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::snapshot::{Fault, FaultsView, Gauge, GaugeView};

    fn with(name: PartName, part: Part) -> String {
        let mut machine = Machine::default();
        machine.parts[name as usize] = part;
        let svg = picture(&machine, false);
        let start = svg
            .find(&format!("data-testid=\"machine-{}\"", name.slug()))
            .unwrap();
        let rest = &svg[start..];
        rest[..rest.find("</g>").unwrap()].to_owned()
    }

    fn published(value: f64) -> Part {
        Part {
            published: Some(value),
            ..Part::default()
        }
    }

    #[test]
    fn what_nobody_knows_has_neither_force_nor_arrow_nor_number() {
        let svg = picture(&Machine::default(), false);
        for word in ["force", "ghost", "arrow", "<text", "past", "wheel"] {
            assert!(!svg.contains(word), "{word}");
        }
        assert_eq!(svg.matches("data-drawn=\"unknown\"").count(), 7);
        assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
        assert!(!svg.contains("style"), "the policy refuses inline styles");
    }

    #[test]
    fn the_brush_is_filled_as_hard_as_it_turns_and_its_arrow_shows_which_way() {
        let forward = with(PartName::RollBrush, published(50.0));
        assert!(forward.contains("width=\"27\"") && forward.contains("rotate(0)"));
        assert!(forward.contains(">50</text>"));
        let back = with(PartName::RollBrush, published(-50.0));
        assert!(back.contains("rotate(180)") && back.contains(">50</text>"));
    }

    #[test]
    fn what_is_only_wanted_is_outlined() {
        let wanted = Part {
            wanted: Some(50.0),
            ..Part::default()
        };
        let svg = with(PartName::SideBrush, wanted);
        assert!(svg.contains("ghost") && !svg.contains("force"));
        assert!(svg.contains("data-value=\"\" data-wanted=\"50\""));
    }

    #[test]
    fn where_the_deck_is_is_never_drawn_only_which_way_it_is_or_was_pushed() {
        let shape = |part: Part| {
            let svg = with(PartName::Deck, part);
            let shape = svg.find("<rect").unwrap()..svg.find("/>").unwrap();
            (svg[shape].to_owned(), svg)
        };
        let (still, svg) = shape(published(0.0));
        assert!(!svg.contains("arrow"));
        let (out, svg) = shape(published(100.0));
        assert!(svg.contains("arrow force") && svg.contains("rotate(-90)"));
        let (back, svg) = shape(published(-100.0));
        assert!(svg.contains("arrow force") && svg.contains("rotate(90)"));
        let past = Part {
            pushed: 1.0,
            ..published(0.0)
        };
        let (was_out, svg) = shape(past);
        assert!(svg.contains("arrow past"));
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
