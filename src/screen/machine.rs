//! What the drawing of the machine may show of its moving parts: what is published is told apart
//! from what is only wanted, and what nobody knows is not drawn as known.
//!
//! Published means that rosbridge echoed it, so nothing here says that a part obeys. Nothing
//! reports where deck and squeegee are: of them only the last push is shown.

use crate::pilot::snapshot::{LinkState, ToolStatus, ToolsState, ToolsView};
use crate::tools::field::ToolField;
use crate::tools::intent::Wanted;
use crate::viewer::levels::LevelsView;

/// A moving part, and its name for integrators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartName {
    /// Roll brush and suction, which are one field.
    RollBrush,
    /// Side brush.
    SideBrush,
    /// Dust shaker.
    DustShaker,
    /// Brush deck.
    Deck,
    /// Squeegee.
    Squeegee,
    /// Water.
    Water,
    /// Steered wheels.
    Steering,
}

impl PartName {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::RollBrush,
        Self::SideBrush,
        Self::DustShaker,
        Self::Deck,
        Self::Squeegee,
        Self::Water,
        Self::Steering,
    ];

    /// For the page's attributes.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::RollBrush => "roll_brush",
            Self::SideBrush => "side_brush",
            Self::DustShaker => "dust_shaker",
            Self::Deck => "deck",
            Self::Squeegee => "squeegee",
            Self::Water => "water",
            Self::Steering => "steering",
        }
    }
}

/// One part: percent, + forward, extend, spray; of the wheels degrees, + left.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Part {
    /// What was last echoed; none: not known.
    pub published: Option<f64>,
    /// What is wanted, where that is something else.
    pub wanted: Option<f64>,
    /// Of a pusher: which way it was last pushed while this console saw it, + extend.
    pub pushed: f64,
}

/// How a part is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawn {
    /// Nobody has told.
    Unknown,
    /// Something else is wanted than is published.
    Wanted,
    /// As published.
    Published,
}

impl Drawn {
    /// For the page's attributes.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Wanted => "wanted",
            Self::Published => "published",
        }
    }
}

impl Part {
    /// How it is drawn.
    #[must_use]
    pub fn drawn(&self) -> Drawn {
        match (self.published, self.wanted) {
            (Some(_), None) => Drawn::Published,
            // Nothing is wanted of it, and nobody knows what it does.
            (None, Some(wanted)) if is_zero(wanted) => Drawn::Unknown,
            (_, Some(_)) => Drawn::Wanted,
            (None, None) => Drawn::Unknown,
        }
    }

    /// The number that is drawn: what is published, else what is wanted.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.published.or(self.wanted).unwrap_or_default()
    }
}

/// All that the card shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Glance {
    /// The moving parts.
    pub machine: Machine,
    /// Battery, tanks, motor currents and faults.
    pub levels: LevelsView,
}

/// All parts, in the order of [`PartName::ALL`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Machine {
    /// The parts.
    pub parts: [Part; 7],
}

impl Machine {
    /// One part.
    #[must_use]
    pub fn part(&self, name: PartName) -> Part {
        self.parts[name as usize]
    }

    /// What is known now. `sign` is the wire's steering sign; `is_steered_by_cmd_vel` while the
    /// wheels follow another topic than McCtrl.
    #[must_use]
    pub fn next(
        &self,
        tools: &ToolsView,
        wanted: &Wanted,
        link: LinkState,
        sign: f64,
        is_steered_by_cmd_vel: bool,
    ) -> Self {
        // Echoes of a link that does not answer are old.
        let is_fresh = matches!(link, LinkState::Online | LinkState::Slow);
        let mut echoed = [None; 12];
        let mut sent = [None; 12];
        for view in &tools.fields {
            let place = view.field as usize;
            sent[place] = Some(view.value);
            echoed[place] =
                Some(view.value).filter(|_| is_fresh && view.status == ToolStatus::Published);
        }
        let direction = |value: f64| match value as i64 {
            1 => 1.0,
            2 => -1.0,
            _ => 0.0,
        };
        let way = echoed[ToolField::RollBrushSuctionDirection as usize].map(direction);
        let wished_way = direction(f64::from(wanted.roll_brush_suction_direction));
        // What is held has no wish of its own: what is sent is what is wanted.
        let wishes = [
            Some(wished_way * f64::from(wanted.roll_brush_suction)),
            Some(f64::from(wanted.side_brush)),
            Some(f64::from(wanted.dust_shake)),
        ];
        let mut next = Self::default();
        for (place, part) in next.parts.iter_mut().enumerate() {
            let (name, field) = (PartName::ALL[place], FIELDS[place]);
            let factor = match name {
                PartName::RollBrush => way,
                PartName::Steering if is_steered_by_cmd_vel => continue,
                PartName::Steering => Some(sign),
                _ => Some(1.0),
            };
            part.published = echoed[field as usize]
                .zip(factor)
                .map(|(value, factor)| value * factor);
            let wish = match wishes.get(place) {
                Some(wish) => *wish,
                None => sent[field as usize].zip(factor).map(|(v, f)| v * f),
            };
            part.wanted =
                wish.filter(|wish| !part.published.is_some_and(|value| is_zero(value - wish)));
            if matches!(name, PartName::Deck | PartName::Squeegee) {
                part.pushed = match part.published {
                    Some(duty) if !is_zero(duty) => duty.signum(),
                    // Switched off it may be moved by somebody else.
                    _ if is_fresh && tools.state != ToolsState::Disarmed => self.part(name).pushed,
                    _ => 0.0,
                };
            }
        }
        next
    }
}

/// What each part does is in this field, in the order of [`PartName::ALL`].
const FIELDS: [ToolField; 7] = [
    ToolField::RollBrushSuction,
    ToolField::SideBrush,
    ToolField::DustShake,
    ToolField::BrushDeckPusher,
    ToolField::SuctionSqueeqeePusher,
    ToolField::WaterSpray,
    ToolField::Angle,
];

/// The steering grid is 0.2°, duties are whole.
fn is_zero(value: f64) -> bool {
    value.abs() < 0.05
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "whole numbers come through as they are")]
mod tests {
    use super::*;
    use crate::pilot::snapshot::FieldView;

    fn view(field: ToolField, value: f64, status: ToolStatus) -> FieldView {
        let (min, max) = field.documented_range();
        FieldView {
            field,
            value,
            min,
            max,
            status,
            note: None,
        }
    }

    /// Everything published as it is, except for these.
    fn armed(values: &[(ToolField, f64)]) -> ToolsView {
        let fields = ToolField::ALL.map(|field| {
            let given = values.iter().find(|(of, _)| *of == field);
            view(field, given.map_or(0.0, |(_, v)| *v), ToolStatus::Published)
        });
        ToolsView {
            state: ToolsState::Armed,
            fields: fields.into(),
            ..ToolsView::default()
        }
    }

    fn drawn(tools: &ToolsView, wanted: &Wanted) -> Machine {
        Machine::default().next(tools, wanted, LinkState::Online, 1.0, false)
    }

    const SWEEPING: Wanted = Wanted {
        brake: false,
        roll_brush_suction_direction: 2,
        roll_brush_suction: 60,
        side_brush: 40,
        dust_shake: 0,
        water_amount: 30,
        angle_speed: 120,
        gear: 0,
        angle_deg: 0.0,
        rpm: 100,
    };

    fn sweeping() -> ToolsView {
        armed(&[
            (ToolField::RollBrushSuctionDirection, 2.0),
            (ToolField::RollBrushSuction, 60.0),
            (ToolField::SideBrush, 40.0),
        ])
    }

    #[test]
    fn what_is_published_turns_that_way_that_hard() {
        let machine = drawn(&sweeping(), &SWEEPING);
        let brush = machine.part(PartName::RollBrush);
        assert_eq!((brush.published, brush.wanted), (Some(-60.0), None));
        assert_eq!(brush.drawn(), Drawn::Published);
        assert_eq!(machine.part(PartName::SideBrush).value(), 40.0);
        assert_eq!(machine.part(PartName::DustShaker).drawn(), Drawn::Published);
    }

    #[test]
    fn a_wish_that_is_not_published_is_told_apart() {
        let wanted = Wanted {
            side_brush: 70,
            ..SWEEPING
        };
        let part = drawn(&sweeping(), &wanted).part(PartName::SideBrush);
        assert_eq!((part.published, part.wanted), (Some(40.0), Some(70.0)));
        assert_eq!((part.drawn(), part.value()), (Drawn::Wanted, 40.0));
    }

    #[test]
    fn what_was_sent_and_not_echoed_is_only_wanted() {
        let mut tools = sweeping();
        for view in &mut tools.fields {
            view.status = ToolStatus::Sent;
        }
        let machine = drawn(&tools, &SWEEPING);
        let brush = machine.part(PartName::RollBrush);
        assert_eq!((brush.published, brush.wanted), (None, Some(-60.0)));
        assert_eq!(brush.drawn(), Drawn::Wanted);
        assert_eq!(machine.part(PartName::Water).drawn(), Drawn::Unknown);
    }

    #[test]
    fn with_the_tools_off_nobody_knows_what_turns() {
        let mut tools = armed(&[]);
        tools.state = ToolsState::Disarmed;
        for view in &mut tools.fields {
            view.status = ToolStatus::Wanted;
        }
        let machine = drawn(&tools, &Wanted::default());
        for name in PartName::ALL {
            assert_eq!(machine.part(name).drawn(), Drawn::Unknown, "{name:?}");
        }
        assert_eq!(
            drawn(&ToolsView::default(), &Wanted::default())
                .part(PartName::Steering)
                .drawn(),
            Drawn::Unknown
        );
    }

    #[test]
    fn an_echo_from_before_the_link_stalled_is_not_drawn_as_known() {
        for link in [LinkState::Stalled, LinkState::Lost, LinkState::Offline] {
            let machine = Machine::default().next(&sweeping(), &SWEEPING, link, 1.0, false);
            for name in PartName::ALL {
                let part = machine.part(name);
                assert_eq!(part.published, None, "{link:?} {name:?}");
                assert_ne!(part.drawn(), Drawn::Published);
            }
        }
    }

    #[test]
    fn of_a_pusher_only_the_last_push_is_known_until_the_tools_are_off() {
        let still = armed(&[]);
        let out = armed(&[(ToolField::BrushDeckPusher, 80.0)]);
        let wanted = Wanted::default();
        let step = |before: &Machine, tools: &ToolsView, link| {
            before.next(tools, &wanted, link, 1.0, false)
        };
        let machine = step(&Machine::default(), &still, LinkState::Online);
        assert_eq!(machine.part(PartName::Deck).pushed, 0.0);
        let machine = step(&machine, &out, LinkState::Online);
        assert_eq!(machine.part(PartName::Deck).published, Some(80.0));
        let machine = step(&machine, &still, LinkState::Online);
        assert_eq!(machine.part(PartName::Deck).pushed, 1.0);
        assert_eq!(machine.part(PartName::Squeegee).pushed, 0.0);
        let lost = step(&machine, &still, LinkState::Lost);
        assert_eq!(lost.part(PartName::Deck).pushed, 0.0);
        let mut off = still.clone();
        off.state = ToolsState::Disarmed;
        let machine = step(&machine, &off, LinkState::Online);
        assert_eq!(machine.part(PartName::Deck).pushed, 0.0);
    }

    #[test]
    fn the_wheels_are_drawn_to_the_left_whatever_the_wires_sign_and_unknown_by_cmd_vel() {
        let tools = armed(&[(ToolField::Angle, -20.0)]);
        let wanted = Wanted::default();
        let turned = |sign, by_cmd_vel| {
            Machine::default()
                .next(&tools, &wanted, LinkState::Online, sign, by_cmd_vel)
                .part(PartName::Steering)
        };
        assert_eq!(turned(-1.0, false).published, Some(20.0));
        assert_eq!(turned(1.0, false).published, Some(-20.0));
        assert_eq!(turned(1.0, true).drawn(), Drawn::Unknown);
    }
}
