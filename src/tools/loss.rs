//! What becomes of each field of McCtrl when something ends: as a table, for the screen to say before it
//! matters. `tests/losses.rs` holds the vehicle's log against it, field by field.

use super::field::ToolField;
use super::settings::SprayWhile;

/// What ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The finger leaves the pad.
    StickLifted,
    /// The field's own button, or a program's, is let go.
    ButtonReleased,
    /// The page is hidden, closed or hangs.
    PageGone,
    /// The link stalls or is lost.
    LinkGone,
    /// STOP.
    Stop,
    /// Nobody touches the screen for `presence_s`.
    NobodyThere,
    /// The connection comes back after a loss.
    Reconnected,
}

impl Ending {
    /// All of them, as the screen lists them.
    pub const ALL: [Self; 7] = [
        Self::StickLifted,
        Self::ButtonReleased,
        Self::PageGone,
        Self::LinkGone,
        Self::Stop,
        Self::NobodyThere,
        Self::Reconnected,
    ];
}

/// What the last message then says of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// As it was.
    Stays,
    /// 0: off, neutral, released.
    Off,
    /// The brake takes hold, once the vehicle stands or has rolled out for 1.5 s.
    BrakeOn,
    /// The least that is documented.
    Least,
    /// 0, but as it was while its own button is held.
    OffUnlessHeld,
    /// 0, but as it was while driving forward.
    OffUnlessForward,
    /// Nothing is sent until somebody switches the tools on; the screen shows what was last heard.
    NotSent,
}

/// The table. Water may also flow while driving forward, by profile.
#[must_use]
pub fn outcome(field: ToolField, ending: Ending, water: SprayWhile) -> Outcome {
    use ToolField::{
        Angle, AngleSpeed, Brake, BrushDeckPusher, Rpm, SuctionSqueeqeePusher, WaterSpray,
    };
    let is_held = matches!(
        field,
        Rpm | BrushDeckPusher | SuctionSqueeqeePusher | WaterSpray
    );
    match (ending, field) {
        (Ending::Reconnected, _) => Outcome::NotSent,
        (Ending::StickLifted, WaterSpray) if water == SprayWhile::DrivingForward => {
            Outcome::OffUnlessHeld
        }
        (Ending::ButtonReleased, WaterSpray) if water == SprayWhile::DrivingForward => {
            Outcome::OffUnlessForward
        }
        (Ending::StickLifted, _) => Outcome::Stays,
        (Ending::ButtonReleased, _) if is_held => Outcome::Off,
        (Ending::ButtonReleased, _) | (_, Angle) => Outcome::Stays,
        (_, Brake) => Outcome::BrakeOn,
        (_, AngleSpeed) => Outcome::Least,
        _ => Outcome::Off,
    }
}

/// The fields by what becomes of them, as far as they are `asked` for.
pub fn grouped(
    ending: Ending,
    water: SprayWhile,
    asked: impl Fn(ToolField) -> bool,
) -> Vec<(Outcome, Vec<ToolField>)> {
    let mut groups: Vec<(Outcome, Vec<ToolField>)> = Vec::new();
    for field in ToolField::ALL.into_iter().filter(|field| asked(*field)) {
        let becomes = outcome(field, ending, water);
        match groups.iter_mut().find(|(known, _)| *known == becomes) {
            Some((_, fields)) => fields.push(field),
            None => groups.push((becomes, vec![field])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_stands_once_under_what_becomes_of_it() {
        for ending in Ending::ALL {
            let groups = grouped(ending, SprayWhile::Held, |_| true);
            let mut fields: Vec<_> = groups
                .iter()
                .flat_map(|(_, fields)| fields.clone())
                .collect();
            for (becomes, fields) in &groups {
                assert!(
                    fields
                        .iter()
                        .all(|field| outcome(*field, ending, SprayWhile::Held) == *becomes)
                );
            }
            fields.sort();
            assert_eq!(fields, ToolField::ALL);
        }
        assert_eq!(grouped(Ending::Stop, SprayWhile::Held, |_| false), []);
    }
}
