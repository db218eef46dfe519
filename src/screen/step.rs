//! What the step buttons do to a wish, and how far a wish has got.

use crate::pilot::snapshot::{FieldView, ToolStatus};
use crate::tools::field::ToolField;
use crate::tools::intent::Wanted;

/// One key beside a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// To zero, or to the least the field can be.
    Off,
    /// One step down.
    Less,
    /// One step up.
    More,
}

/// What a field's keys would make of the wishes; fields that are not stepped stay as they are.
/// `min` and `max` are the ends the pilot would send.
#[must_use]
pub fn stepped(wanted: Wanted, field: ToolField, step: Step, min: f64, max: f64) -> Wanted {
    let mut wanted = wanted;
    match field {
        ToolField::RollBrushSuction => {
            wanted.roll_brush_suction = percent(wanted.roll_brush_suction, step, max);
        }
        ToolField::SideBrush => wanted.side_brush = percent(wanted.side_brush, step, max),
        ToolField::DustShake => wanted.dust_shake = percent(wanted.dust_shake, step, max),
        ToolField::WaterSpray => wanted.water_amount = percent(wanted.water_amount, step, max),
        ToolField::Rpm => {
            wanted.rpm = moved(f64::from(wanted.rpm), step, rpm_step(max), 0.0, max) as u16;
        }
        ToolField::AngleSpeed => {
            let now = f64::from(wanted.angle_speed);
            wanted.angle_speed = moved(now, step, 100.0, min.max(0.0), max) as u16;
        }
        ToolField::Angle => {
            // Left is positive on the screen, whatever the wire's sign is.
            wanted.angle_deg = moved(wanted.angle_deg, step, 5.0, min, max);
        }
        ToolField::Brake
        | ToolField::Gear
        | ToolField::RollBrushSuctionDirection
        | ToolField::BrushDeckPusher
        | ToolField::SuctionSqueeqeePusher => {}
    }
    wanted
}

/// The speed limit in percent one step further; whole tens, so that a slider's 47 becomes 50.
#[must_use]
pub fn stepped_limit(percent: f64, step: Step) -> f64 {
    moved(percent, step, 10.0, 10.0, 100.0)
}

/// What the operator wants of a field, in the wire's terms; `None` for what is held and for the
/// steering angle, whose sign on the wire is the profile's business.
#[must_use]
pub fn wish_of(wanted: &Wanted, field: ToolField) -> Option<f64> {
    Some(match field {
        ToolField::Brake => f64::from(u8::from(wanted.brake)),
        ToolField::Gear => f64::from(wanted.gear),
        ToolField::AngleSpeed => f64::from(wanted.angle_speed),
        ToolField::RollBrushSuctionDirection => f64::from(wanted.roll_brush_suction_direction),
        ToolField::RollBrushSuction => f64::from(wanted.roll_brush_suction),
        ToolField::SideBrush => f64::from(wanted.side_brush),
        ToolField::DustShake => f64::from(wanted.dust_shake),
        ToolField::Rpm
        | ToolField::Angle
        | ToolField::BrushDeckPusher
        | ToolField::SuctionSqueeqeePusher
        | ToolField::WaterSpray => return None,
    })
}

/// How far a wish has got: what was sent or published before the last tap says nothing about it.
#[must_use]
pub fn status_of(wanted: &Wanted, view: &FieldView) -> ToolStatus {
    match wish_of(wanted, view.field) {
        Some(wish) if (wish - view.value).abs() > 0.01 => ToolStatus::Wanted,
        _ => view.status,
    }
}

fn percent(now: u8, step: Step, max: f64) -> u8 {
    moved(f64::from(now), step, 10.0, 0.0, max.min(100.0)) as u8
}

/// A tenth of the range, rounded to something that can be read aloud.
fn rpm_step(max: f64) -> f64 {
    if max >= 1000.0 { 100.0 } else { 25.0 }
}

/// To the next multiple of `step` in that direction, within the ends.
fn moved(now: f64, step: Step, size: f64, min: f64, max: f64) -> f64 {
    // The ends of a range that the vehicle's types leave empty are not crossed.
    let max = max.max(min);
    let next = match step {
        Step::Off => 0.0,
        Step::Less => ((now / size).ceil() - 1.0) * size,
        Step::More => ((now / size).floor() + 1.0) * size,
    };
    next.clamp(min, max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side_brush(now: u8, step: Step) -> u8 {
        let wanted = Wanted {
            side_brush: now,
            ..Wanted::default()
        };
        stepped(wanted, ToolField::SideBrush, step, 0.0, 100.0).side_brush
    }

    #[test]
    fn six_steps_up_are_sixty_percent() {
        let mut now = 0;
        for _ in 0..6 {
            now = side_brush(now, Step::More);
        }
        assert_eq!(now, 60);
    }

    #[test]
    fn steps_end_at_the_ends() {
        assert_eq!(side_brush(0, Step::Less), 0);
        assert_eq!(side_brush(100, Step::More), 100);
        assert_eq!(side_brush(70, Step::Off), 0);
    }

    #[test]
    fn a_value_between_two_steps_goes_to_the_next_one() {
        assert_eq!(side_brush(47, Step::More), 50);
        assert_eq!(side_brush(47, Step::Less), 40);
    }

    #[test]
    fn a_narrow_wire_type_is_the_end() {
        let wanted = Wanted {
            rpm: 250,
            ..Wanted::default()
        };
        let up = stepped(wanted, ToolField::Rpm, Step::More, 0.0, 255.0);
        assert_eq!(up.rpm, 255);
        let wide = stepped(wanted, ToolField::Rpm, Step::More, 0.0, 6000.0);
        assert_eq!(wide.rpm, 300);
    }

    #[test]
    fn the_steering_speed_never_falls_below_its_range() {
        let wanted = Wanted::default();
        for step in [Step::Off, Step::Less] {
            let least = stepped(wanted, ToolField::AngleSpeed, step, 120.0, 1500.0);
            assert_eq!(least.angle_speed, 120);
        }
        let more = stepped(wanted, ToolField::AngleSpeed, Step::More, 120.0, 1500.0);
        assert_eq!(more.angle_speed, 200);
    }

    #[test]
    fn a_duty_chooses_no_direction() {
        let up = stepped(
            Wanted::default(),
            ToolField::RollBrushSuction,
            Step::More,
            0.0,
            100.0,
        );
        assert_eq!(up.roll_brush_suction, 10);
        assert_eq!(up.roll_brush_suction_direction, 0);
    }

    #[test]
    fn the_angle_goes_through_zero_and_stays_inside_its_margin() {
        let mut wanted = Wanted::default();
        for _ in 0..20 {
            wanted = stepped(wanted, ToolField::Angle, Step::More, -60.0, 60.0);
        }
        assert!((wanted.angle_deg - 60.0).abs() < 1e-9);
        let straight = stepped(wanted, ToolField::Angle, Step::Off, -60.0, 60.0);
        assert!(straight.angle_deg.abs() < 1e-9);
    }

    #[test]
    fn the_speed_limit_goes_in_tens_and_never_to_zero() {
        assert!((stepped_limit(47.0, Step::More) - 50.0).abs() < 1e-9);
        assert!((stepped_limit(10.0, Step::Less) - 10.0).abs() < 1e-9);
        assert!((stepped_limit(100.0, Step::More) - 100.0).abs() < 1e-9);
    }

    #[test]
    fn a_new_wish_is_not_published_because_the_old_one_was() {
        let view = FieldView {
            field: ToolField::SideBrush,
            value: 50.0,
            min: 0.0,
            max: 100.0,
            status: ToolStatus::Published,
            note: None,
        };
        let mut wanted = Wanted {
            side_brush: 50,
            ..Wanted::default()
        };
        assert_eq!(status_of(&wanted, &view), ToolStatus::Published);
        wanted.side_brush = 60;
        assert_eq!(status_of(&wanted, &view), ToolStatus::Wanted);
    }

    #[test]
    fn every_field_is_either_wished_or_held() {
        for field in ToolField::ALL {
            let is_held = matches!(
                field,
                ToolField::Rpm
                    | ToolField::Angle
                    | ToolField::BrushDeckPusher
                    | ToolField::SuctionSqueeqeePusher
                    | ToolField::WaterSpray
            );
            assert_eq!(wish_of(&Wanted::default(), field).is_none(), is_held);
        }
    }

    #[test]
    fn fields_that_are_held_or_chosen_are_not_stepped() {
        let wanted = Wanted::default();
        for field in [
            ToolField::Brake,
            ToolField::Gear,
            ToolField::BrushDeckPusher,
        ] {
            assert_eq!(stepped(wanted, field, Step::More, 0.0, 100.0), wanted);
        }
    }
}
