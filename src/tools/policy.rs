//! From what the operator wants to a complete McCtrl message (rules 18–24), as a pure function of
//! intent, held buttons and time.
//!
//! | field | value |
//! |---|---|
//! | every field | inside [`Ranges`]: documented range ∩ wire type ∩ profile; 0 where the vehicle has no such field |
//! | `brake` | as wanted |
//! | `gear`, `rpm`, `angle` | 0 while the stick drives by `cmd_vel`; else the engineers' page: gear as wanted, changed only at rpm 0; rpm only while its button is held, with a gear, the brake released and leave to move, and not backwards while the squeegee is out |
//! | `angle` | on the 0.2° grid, inside the profile's margin, with the sign and the middle that were found out on the vehicle, else the profile's |
//! | `angle_speed` | as wanted, 120–1500 |
//! | roll brush direction and duty | both 0 unless both are wanted; 0 for the dwell before it turns the other way; by profile they run on for a while after water flowed |
//! | side brush, dust shaker | as wanted |
//! | pushers | ± duty while held, at most one stroke's time |
//! | water | amount while held (or driving forward, by profile); negative while drain is held, at most one stroke's time |

use super::field::{ToolField, WireType};
use super::intent::{Holds, Wanted};
use super::settings::{SprayWhile, ToolsSettings};
use super::state::FieldNote;
use crate::msgs::sweeper::McCtrl;
use crate::units::Moment;

/// Steps of the steering angle, degrees.
const ANGLE_STEP: f64 = 0.2;

/// What each field may be sent as: documented range ∩ wire type ∩ profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranges {
    ranges: [(f64, f64); 12],
    notes: [Option<FieldNote>; 12],
}

impl Ranges {
    /// `wire_type` gives the discovered type of a field, where the vehicle told it.
    #[must_use]
    pub fn new(
        settings: &ToolsSettings,
        wire_type: impl Fn(ToolField) -> Option<(WireType, String)>,
    ) -> Self {
        let mut ranges = [(0.0, 0.0); 12];
        let mut notes = std::array::from_fn(|_| None);
        for (i, field) in ToolField::ALL.into_iter().enumerate() {
            let (mut low, mut high) = field.documented_range();
            if field == ToolField::Angle {
                (low, high) = (-settings.max_angle_deg, settings.max_angle_deg);
            }
            let (kind, name) = wire_type(field).unwrap_or_else(|| {
                let kind = field.documented_type();
                (kind, kind.ros_name().to_owned())
            });
            let (wire_low, wire_high) = kind.range();
            if high > wire_high || low < wire_low {
                notes[i] = Some(FieldNote::WireTypeStopsAt {
                    wire_type: name,
                    end: wire_high,
                    speed: None,
                });
            }
            ranges[i] = (low.max(wire_low), high.min(wire_high));
        }
        Self { ranges, notes }
    }

    /// Lowest and highest value.
    #[must_use]
    pub fn of(&self, field: ToolField) -> (f64, f64) {
        self.ranges[field as usize]
    }

    /// Why the range is narrower than documented.
    #[must_use]
    pub fn note(&self, field: ToolField) -> Option<&FieldNote> {
        self.notes[field as usize].as_ref()
    }

    /// The vehicle's definition has no such field: nothing else than 0 is asked of it. A roll brush
    /// without a duty cannot be turned, so its direction means nothing, either.
    pub fn take_away(&mut self, field: ToolField) {
        self.ranges[field as usize] = (0.0, 0.0);
        self.notes[field as usize] = Some(FieldNote::Lacking);
        if field == ToolField::RollBrushSuction {
            self.take_away(ToolField::RollBrushSuctionDirection);
        }
    }

    /// Nothing can be asked of it.
    #[must_use]
    pub fn is_lacking(&self, field: ToolField) -> bool {
        let (low, high) = self.of(field);
        low >= high
    }

    /// Says how fast the vehicle drives at the end of a motor's wire type.
    pub fn tell_speed(&mut self, speed_of: impl Fn(f64) -> f64) {
        if let Some(FieldNote::WireTypeStopsAt { end, speed, .. }) =
            &mut self.notes[ToolField::Rpm as usize]
        {
            *speed = Some(speed_of(*end));
        }
    }

    fn clamp(&self, field: ToolField, value: f64) -> f64 {
        let (low, high) = self.of(field);
        if value.is_finite() {
            value.clamp(low, high)
        } else {
            0.0_f64.clamp(low, high)
        }
    }
}

/// The circumstances of one message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Context {
    /// The stick drives by `cmd_vel` now.
    pub is_driving: bool,
    /// It drives forward.
    pub is_driving_forward: bool,
    /// Motion by McCtrl is allowed: the link is fresh, nobody else drives.
    pub may_move: bool,
    /// The vehicle is seen standing.
    pub is_standing: bool,
    /// It may not reverse: the squeegee is out.
    pub may_not_reverse: bool,
}

/// The policy's memory: dwell, strokes, the gear in force.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    brush_direction: u8,
    brush_stopped_at: Option<Moment>,
    /// Direction and duty as last wanted, for running on.
    brush_ran: (u8, u8),
    watered_at: Option<Moment>,
    strokes: [Stroke; 3],
    gear: u8,
    notes: Vec<(ToolField, FieldNote)>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Stroke {
    sign: i8,
    since: Moment,
}

impl Policy {
    /// The message for this moment.
    pub fn compose(
        &mut self,
        wanted: &Wanted,
        holds: &Holds,
        context: Context,
        settings: &ToolsSettings,
        ranges: &Ranges,
        now: Moment,
    ) -> McCtrl {
        self.notes.clear();
        let duty = |field, value: u8| ranges.clamp(field, f64::from(value));
        let brush = self.brush_wish(wanted, settings, ranges, now);
        let (direction, roll) = self.roll_brush(brush, settings, now);
        let deck = self.stroke(
            0,
            ToolField::BrushDeckPusher,
            holds.brush_deck_pusher,
            settings,
            now,
        );
        let squeegee = self.stroke(
            1,
            ToolField::SuctionSqueeqeePusher,
            holds.suction_squeeqee_pusher,
            settings,
            now,
        );
        let drain = self.stroke(
            2,
            ToolField::WaterSpray,
            holds.water_spray.min(0),
            settings,
            now,
        );
        let sprays = holds.water_spray > 0
            || (holds.water_spray == 0
                && settings.spray_while == SprayWhile::DrivingForward
                && context.is_driving_forward);
        if sprays && wanted.water_amount > 0 {
            self.watered_at = Some(now);
        }
        let water = if sprays { 1.0 } else { f64::from(drain) } * f64::from(wanted.water_amount);
        let (gear, rpm, angle) = self.direct_drive(wanted, holds, context, settings, ranges);
        let pusher = f64::from(settings.pusher_duty);
        let roll = duty(ToolField::RollBrushSuction, roll) as u8;
        let direction = if roll == 0 { 0 } else { direction };

        McCtrl {
            brake: duty(ToolField::Brake, wanted.brake.into()) as u8,
            gear,
            rpm,
            angle,
            angle_speed: ranges.clamp(ToolField::AngleSpeed, f64::from(wanted.angle_speed)) as u16,
            roll_brush_suction_direction: duty(ToolField::RollBrushSuctionDirection, direction)
                as u8,
            roll_brush_suction: roll,
            side_brush: duty(ToolField::SideBrush, wanted.side_brush) as i8,
            dust_shake: duty(ToolField::DustShake, wanted.dust_shake) as i8,
            brush_deck_pusher: ranges.clamp(ToolField::BrushDeckPusher, f64::from(deck) * pusher)
                as i8,
            suction_squeeqee_pusher: ranges.clamp(
                ToolField::SuctionSqueeqeePusher,
                f64::from(squeegee) * pusher,
            ) as i8,
            water_spray: ranges.clamp(ToolField::WaterSpray, water) as i8,
        }
    }

    /// Why a field of the last message is not what was wanted.
    #[must_use]
    pub fn note(&self, field: ToolField) -> Option<&FieldNote> {
        self.notes
            .iter()
            .find(|(noted, _)| *noted == field)
            .map(|(_, note)| note)
    }

    /// Direction and duty that are wanted, both 0 unless both are; after water the last ones run on
    /// for a while (rule 22). A vehicle that has no direction turns it by its duty alone.
    fn brush_wish(
        &mut self,
        wanted: &Wanted,
        settings: &ToolsSettings,
        ranges: &Ranges,
        now: Moment,
    ) -> (u8, u8) {
        let direction = if ranges.is_lacking(ToolField::RollBrushSuctionDirection) {
            1
        } else {
            wanted.roll_brush_suction_direction
        };
        let wish = (direction, wanted.roll_brush_suction);
        if matches!(wish.0, 1 | 2) && wish.1 > 0 {
            self.brush_ran = wish;
            return wish;
        }
        let left = self.watered_at.map_or(0.0, |at| {
            settings.suction_run_on_s - now.since(at).as_secs_f64()
        });
        if left > 0.0 && self.brush_ran.0 != 0 {
            let note = FieldNote::RunsOn { seconds: left };
            self.notes.push((ToolField::RollBrushSuction, note));
            return self.brush_ran;
        }
        self.brush_ran = (0, 0);
        (0, 0)
    }

    fn roll_brush(
        &mut self,
        (direction, duty): (u8, u8),
        settings: &ToolsSettings,
        now: Moment,
    ) -> (u8, u8) {
        let turns_over =
            direction != 0 && self.brush_direction != 0 && direction != self.brush_direction;
        if direction == 0 || turns_over {
            let stopped_at = *self.brush_stopped_at.get_or_insert(now);
            let rested = now.since(stopped_at).as_secs_f64();
            if rested >= settings.reverse_dwell_s {
                self.brush_direction = 0;
            } else if turns_over {
                let seconds = settings.reverse_dwell_s - rested;
                let note = FieldNote::ReverseDwell { seconds };
                self.notes
                    .push((ToolField::RollBrushSuctionDirection, note));
            }
        }
        if direction == 0 || (turns_over && self.brush_direction != 0) {
            return (0, 0);
        }
        self.brush_direction = direction;
        self.brush_stopped_at = None;
        (direction, duty)
    }

    /// −1, 0 or +1: a held stroke within its time.
    fn stroke(
        &mut self,
        which: usize,
        field: ToolField,
        held: i8,
        settings: &ToolsSettings,
        now: Moment,
    ) -> i8 {
        let sign = held.signum();
        let stroke = &mut self.strokes[which];
        if sign != stroke.sign {
            *stroke = Stroke { sign, since: now };
        }
        if sign != 0 && now.since(stroke.since).as_secs_f64() >= settings.stroke_s {
            self.notes.push((field, FieldNote::StrokeLimit));
            return 0;
        }
        sign
    }

    /// Gear, rpm and angle of the engineers' page.
    fn direct_drive(
        &mut self,
        wanted: &Wanted,
        holds: &Holds,
        context: Context,
        settings: &ToolsSettings,
        ranges: &Ranges,
    ) -> (u8, u16, f32) {
        use crate::reason::Reason;
        if context.is_driving || !settings.engineer {
            self.gear = 0;
            return (0, 0, 0.0);
        }
        let runs = holds.rpm && self.gear != 0 && !wanted.brake && context.may_move;
        if holds.rpm && wanted.brake {
            self.notes
                .push((ToolField::Rpm, FieldNote::Refused(Reason::BrakeOn)));
        }
        let is_held_back = context.may_not_reverse && self.gear == 2;
        if holds.rpm && is_held_back {
            self.notes
                .push((ToolField::Rpm, FieldNote::Refused(Reason::SqueegeeOut)));
        }
        let runs = runs && !is_held_back;
        let gear = if wanted.gear <= 2 { wanted.gear } else { 0 };
        let gear = ranges.clamp(ToolField::Gear, f64::from(gear)) as u8;
        if gear != self.gear {
            // Leaving for neutral is never refused; into a gear only at rpm 0, seen standing.
            if gear == 0 || (!runs && context.is_standing) {
                self.gear = gear;
            } else {
                self.notes
                    .push((ToolField::Gear, FieldNote::Refused(Reason::NotStanding)));
            }
        }
        if holds.rpm && self.gear == 0 {
            self.notes.push((ToolField::Rpm, FieldNote::InNeutral));
        }
        let runs = runs && self.gear != 0 && !(context.may_not_reverse && self.gear == 2);
        let rpm = if runs {
            ranges.clamp(ToolField::Rpm, f64::from(wanted.rpm))
        } else {
            0.0
        };
        let angle = wire_angle(wanted.angle_deg, settings, ranges.of(ToolField::Angle));
        (self.gear, rpm as u16, angle)
    }
}

/// A steering angle, degrees, as the wire has it: on the 0.2° grid, towards the middle, with the
/// vehicle's sign and from its middle, within the wire's range.
#[must_use]
pub fn wire_angle(angle_deg: f64, settings: &ToolsSettings, (low, high): (f64, f64)) -> f32 {
    let angle_deg = if angle_deg.is_finite() {
        angle_deg
    } else {
        0.0
    };
    let middle = (settings.steering_trim_deg / ANGLE_STEP).round();
    let steps = (angle_deg / ANGLE_STEP).trunc() * settings.steering_sign + middle;
    let steps = steps
        .max((low / ANGLE_STEP).ceil())
        .min((high / ANGLE_STEP).floor());
    // From whole steps, so that the wire has 0.6 and not 0.6000000000000001.
    (steps * 2.0 / 10.0) as f32
}

/// The message that stops everything (motion rules, "Safe McCtrl"): gear and angle as they were,
/// everything else 0; later brake 1, then gear 0.
#[derive(Debug, Clone, Copy)]
pub struct SafeStop {
    since: Moment,
    base: McCtrl,
    braked: u32,
    sent: u32,
}

/// How long the vehicle may roll out before the brake is applied although it is not seen standing.
const ROLL_OUT_S: f64 = 1.5;

impl SafeStop {
    /// Starting from the last message sent or heard.
    #[must_use]
    pub fn new(base: McCtrl, now: Moment) -> Self {
        Self {
            since: now,
            base,
            braked: 0,
            sent: 0,
        }
    }

    /// The next message; count it as sent.
    pub fn next(&mut self, is_standing: bool, now: Moment) -> McCtrl {
        let brakes = self.base.brake == 1
            || is_standing
            || now.since(self.since).as_secs_f64() >= ROLL_OUT_S
            || self.braked > 0;
        self.sent += 1;
        let mut message = McCtrl {
            brake: u8::from(brakes),
            gear: self.base.gear.min(2),
            angle: if self.base.angle.is_finite() {
                self.base.angle
            } else {
                0.0
            },
            ..McCtrl::SAFE
        };
        if brakes {
            // The brake takes hold for one message before the gear opens.
            if self.braked > 0 {
                message.gear = 0;
            }
            self.braked += 1;
        }
        message
    }

    /// Everything has been said often enough: three messages in all, three of them with the brake
    /// and the gear in neutral.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.sent >= 3 && self.braked >= 4
    }
}

impl McCtrl {
    /// The value of a field as a number.
    #[must_use]
    pub fn value(&self, field: ToolField) -> f64 {
        match field {
            ToolField::Brake => f64::from(self.brake),
            ToolField::Gear => f64::from(self.gear),
            ToolField::Rpm => f64::from(self.rpm),
            ToolField::Angle => f64::from(self.angle),
            ToolField::AngleSpeed => f64::from(self.angle_speed),
            ToolField::RollBrushSuctionDirection => f64::from(self.roll_brush_suction_direction),
            ToolField::RollBrushSuction => f64::from(self.roll_brush_suction),
            ToolField::SideBrush => f64::from(self.side_brush),
            ToolField::DustShake => f64::from(self.dust_shake),
            ToolField::BrushDeckPusher => f64::from(self.brush_deck_pusher),
            ToolField::SuctionSqueeqeePusher => f64::from(self.suction_squeeqee_pusher),
            ToolField::WaterSpray => f64::from(self.water_spray),
        }
    }

    /// Sets a field; whole numbers are rounded, because a wider definition may have floats there.
    /// `None`, and nothing is set, for what the field cannot hold.
    pub fn set(&mut self, field: ToolField, value: f64) -> Option<()> {
        fn whole<T: TryFrom<i64>>(value: f64) -> Option<T> {
            value
                .is_finite()
                .then(|| T::try_from(value.round() as i64).ok())?
        }
        match field {
            ToolField::Brake => self.brake = whole(value)?,
            ToolField::Gear => self.gear = whole(value)?,
            ToolField::Rpm => self.rpm = whole(value)?,
            ToolField::Angle => self.angle = value as f32,
            ToolField::AngleSpeed => self.angle_speed = whole(value)?,
            ToolField::RollBrushSuctionDirection => {
                self.roll_brush_suction_direction = whole(value)?;
            }
            ToolField::RollBrushSuction => self.roll_brush_suction = whole(value)?,
            ToolField::SideBrush => self.side_brush = whole(value)?,
            ToolField::DustShake => self.dust_shake = whole(value)?,
            ToolField::BrushDeckPusher => self.brush_deck_pusher = whole(value)?,
            ToolField::SuctionSqueeqeePusher => self.suction_squeeqee_pusher = whole(value)?,
            ToolField::WaterSpray => self.water_spray = whole(value)?,
        }
        Some(())
    }

    /// True when it moves the vehicle or any tool.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.rpm != 0 || self.runs_tools()
    }

    /// True when it runs a brush, a pusher, the shaker or water.
    #[must_use]
    pub fn runs_tools(&self) -> bool {
        self.roll_brush_suction != 0
            || self.side_brush != 0
            || self.dust_shake != 0
            || self.brush_deck_pusher != 0
            || self.suction_squeeqee_pusher != 0
            || self.water_spray != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reason::Reason;
    use crate::units::millis;
    use proptest::prelude::*;

    struct Rig {
        policy: Policy,
        settings: ToolsSettings,
        context: Context,
        wanted: Wanted,
        holds: Holds,
        wire: fn(ToolField) -> Option<(WireType, String)>,
        now: Moment,
    }

    impl Rig {
        fn new() -> Self {
            Self {
                policy: Policy::default(),
                settings: ToolsSettings::default(),
                context: Context {
                    is_driving: false,
                    is_driving_forward: false,
                    may_move: true,
                    is_standing: true,
                    may_not_reverse: false,
                },
                wanted: Wanted {
                    brake: false,
                    ..Wanted::default()
                },
                holds: Holds::default(),
                wire: |_| None,
                now: Moment::START,
            }
        }

        fn after(&mut self, span: u64) -> McCtrl {
            self.now = self.now + millis(span);
            let ranges = Ranges::new(&self.settings, self.wire);
            self.policy.compose(
                &self.wanted,
                &self.holds,
                self.context,
                &self.settings,
                &ranges,
                self.now,
            )
        }
    }

    #[test]
    fn rule_18_nothing_wanted_is_a_safe_message_with_the_brake_as_set() {
        let mut rig = Rig::new();
        assert_eq!(
            rig.after(0),
            McCtrl {
                brake: 0,
                ..McCtrl::SAFE
            }
        );
        rig.wanted.brake = true;
        assert_eq!(rig.after(100), McCtrl::SAFE);
    }

    #[test]
    fn rule_18_while_the_stick_drives_the_drive_fields_are_zero() {
        let mut rig = Rig::new();
        rig.wanted.gear = 1;
        rig.wanted.angle_deg = 20.0;
        rig.holds.rpm = true;
        rig.after(0);
        rig.context.is_driving = true;
        let message = rig.after(100);
        assert_eq!((message.gear, message.rpm), (0, 0));
        assert!(message.angle.abs() < f32::EPSILON);
    }

    #[test]
    fn rule_20_rpm_only_while_held_in_gear_and_with_the_brake_released() {
        let mut rig = Rig::new();
        rig.wanted.rpm = 200;
        rig.wanted.gear = 1;
        assert_eq!(rig.after(0).rpm, 0);
        rig.holds.rpm = true;
        assert_eq!(rig.after(100).rpm, 200);
        rig.wanted.gear = 0;
        assert_eq!(rig.after(100).rpm, 0);
        assert_eq!(rig.policy.note(ToolField::Rpm), Some(&FieldNote::InNeutral));
        rig.wanted.gear = 1;
        rig.after(100);
        assert_eq!(rig.after(100).rpm, 200);
        rig.wanted.brake = true;
        assert_eq!(rig.after(100).rpm, 0);
        assert_eq!(
            rig.policy.note(ToolField::Rpm),
            Some(&FieldNote::Refused(Reason::BrakeOn))
        );
        rig.wanted.brake = false;
        rig.context.may_move = false;
        assert_eq!(rig.after(100).rpm, 0);
        rig.context.may_move = true;
        rig.holds.rpm = false;
        assert_eq!(rig.after(100).rpm, 0);
    }

    #[test]
    fn rpm_stops_at_what_the_wire_type_holds_and_says_so() {
        let mut rig = Rig::new();
        rig.wanted.rpm = 6000;
        rig.wanted.gear = 1;
        rig.after(0);
        rig.holds.rpm = true;
        assert_eq!(rig.after(100).rpm, 255);
        let ranges = Ranges::new(&rig.settings, |_| None);
        let note = FieldNote::WireTypeStopsAt {
            wire_type: "uint8".into(),
            end: 255.0,
            speed: None,
        };
        assert_eq!(ranges.note(ToolField::Rpm), Some(&note));
        rig.wire =
            |field| (field == ToolField::Rpm).then(|| (WireType::Uint16, "uint16".to_owned()));
        assert_eq!(rig.after(100).rpm, 6000);
    }

    #[test]
    fn a_gear_is_changed_only_at_rpm_0_and_standing_but_neutral_is_never_refused() {
        let mut rig = Rig::new();
        rig.context.is_standing = false;
        rig.wanted.gear = 1;
        assert_eq!(rig.after(0).gear, 0);
        assert_eq!(
            rig.policy.note(ToolField::Gear),
            Some(&FieldNote::Refused(Reason::NotStanding))
        );
        rig.context.is_standing = true;
        assert_eq!(rig.after(100).gear, 1);
        rig.holds.rpm = true;
        rig.wanted.gear = 2;
        assert_eq!(
            rig.after(100).gear,
            1,
            "not while the motor is asked to turn"
        );
        rig.context.is_standing = false;
        rig.wanted.gear = 0;
        assert_eq!(rig.after(100).gear, 0);
    }

    #[test]
    fn rule_21_a_pusher_moves_only_while_held_and_no_longer_than_a_stroke() {
        let mut rig = Rig::new();
        rig.holds.brush_deck_pusher = 1;
        assert_eq!(rig.after(0).brush_deck_pusher, 100);
        assert_eq!(rig.after(9_999).brush_deck_pusher, 100);
        assert_eq!(rig.after(1).brush_deck_pusher, 0);
        assert_eq!(
            rig.policy.note(ToolField::BrushDeckPusher),
            Some(&FieldNote::StrokeLimit)
        );
        rig.holds.brush_deck_pusher = -1;
        assert_eq!(rig.after(1).brush_deck_pusher, -100);
        rig.holds.brush_deck_pusher = 0;
        assert_eq!(rig.after(1).brush_deck_pusher, 0);
    }

    #[test]
    fn rule_21_water_flows_while_held_or_by_profile_while_driving_forward() {
        let mut rig = Rig::new();
        rig.wanted.water_amount = 40;
        assert_eq!(rig.after(0).water_spray, 0);
        rig.holds.water_spray = 1;
        assert_eq!(rig.after(1).water_spray, 40);
        rig.holds.water_spray = -1;
        assert_eq!(rig.after(1).water_spray, -40);
        rig.holds.water_spray = 0;
        rig.context.is_driving_forward = true;
        assert_eq!(rig.after(1).water_spray, 0);
        rig.settings.spray_while = SprayWhile::DrivingForward;
        assert_eq!(rig.after(1).water_spray, 40);
    }

    #[test]
    fn rule_22_a_brush_turns_the_other_way_only_after_the_dwell() {
        let mut rig = Rig::new();
        rig.wanted.roll_brush_suction = 70;
        rig.wanted.roll_brush_suction_direction = 1;
        assert_eq!(rig.after(0).roll_brush_suction_direction, 1);
        rig.wanted.roll_brush_suction_direction = 2;
        let waiting = rig.after(100);
        assert_eq!(
            (
                waiting.roll_brush_suction_direction,
                waiting.roll_brush_suction
            ),
            (0, 0)
        );
        assert!(
            rig.policy
                .note(ToolField::RollBrushSuctionDirection)
                .is_some()
        );
        assert_eq!(rig.after(1_999).roll_brush_suction_direction, 0);
        assert_eq!(rig.after(1).roll_brush_suction_direction, 2);
    }

    #[test]
    fn rule_22_the_dwell_is_remembered_across_a_stop() {
        let mut rig = Rig::new();
        rig.wanted.roll_brush_suction = 70;
        rig.wanted.roll_brush_suction_direction = 1;
        rig.after(0);
        rig.wanted.roll_brush_suction = 0;
        rig.after(100);
        rig.wanted.roll_brush_suction = 70;
        rig.wanted.roll_brush_suction_direction = 2;
        assert_eq!(rig.after(500).roll_brush_suction_direction, 0);
        assert_eq!(rig.after(1_500).roll_brush_suction_direction, 2);
    }

    #[test]
    fn the_safe_stop_brakes_when_standing_then_opens_the_gear() {
        let base = McCtrl {
            brake: 0,
            gear: 1,
            rpm: 200,
            angle: 12.4,
            side_brush: 60,
            ..McCtrl::SAFE
        };
        let mut stop = SafeStop::new(base, Moment::START);
        let first = stop.next(false, Moment::START);
        assert_eq!(
            first,
            McCtrl {
                brake: 0,
                gear: 1,
                angle: 12.4,
                ..McCtrl::SAFE
            }
        );
        let braked = stop.next(true, Moment::START + millis(100));
        assert_eq!((braked.brake, braked.gear), (1, 1));
        let neutral = stop.next(true, Moment::START + millis(200));
        assert_eq!((neutral.brake, neutral.gear), (1, 0));
        assert!(!stop.is_done());
    }

    #[test]
    fn the_safe_stop_brakes_after_the_roll_out_although_nothing_is_seen() {
        let mut stop = SafeStop::new(
            McCtrl {
                brake: 0,
                ..McCtrl::SAFE
            },
            Moment::START,
        );
        assert_eq!(stop.next(false, Moment::START + millis(1_499)).brake, 0);
        assert_eq!(stop.next(false, Moment::START + millis(1_500)).brake, 1);
    }

    #[test]
    fn rule_22_the_suction_runs_on_after_water_for_as_long_as_the_profile_says() {
        let mut rig = Rig::new();
        rig.settings.suction_run_on_s = 5.0;
        rig.wanted.roll_brush_suction_direction = 1;
        rig.wanted.roll_brush_suction = 60;
        rig.after(100);
        rig.wanted.roll_brush_suction = 0;
        assert_eq!(
            rig.after(100).roll_brush_suction,
            0,
            "without water at once"
        );
        rig.wanted.roll_brush_suction = 60;
        rig.holds.water_spray = 1;
        rig.after(100);
        rig.holds.water_spray = 0;
        rig.wanted.roll_brush_suction = 0;
        let message = rig.after(100);
        assert_eq!(
            (
                message.roll_brush_suction_direction,
                message.roll_brush_suction
            ),
            (1, 60)
        );
        assert!(matches!(
            rig.policy.note(ToolField::RollBrushSuction),
            Some(FieldNote::RunsOn { seconds }) if (4.8..5.0).contains(seconds)
        ));
        assert_eq!(rig.after(5000).roll_brush_suction, 0);
        assert_eq!(rig.after(100).roll_brush_suction_direction, 0);
    }

    #[test]
    fn the_motor_does_not_turn_backwards_while_the_squeegee_is_out_and_says_why() {
        let mut rig = Rig::new();
        rig.wanted.gear = 2;
        rig.after(0);
        rig.holds.rpm = true;
        rig.context.may_not_reverse = true;
        assert_eq!(rig.after(100).rpm, 0);
        assert_eq!(
            rig.policy.note(ToolField::Rpm),
            Some(&FieldNote::Refused(Reason::SqueegeeOut))
        );
        rig.context.may_not_reverse = false;
        assert_eq!(rig.after(100).rpm, 100);
    }

    #[test]
    fn a_field_that_the_vehicle_lacks_is_asked_for_nothing_and_says_so() {
        let mut ranges = Ranges::new(&ToolsSettings::default(), |_| None);
        ranges.take_away(ToolField::SideBrush);
        assert_eq!(ranges.of(ToolField::SideBrush), (0.0, 0.0));
        assert_eq!(ranges.note(ToolField::SideBrush), Some(&FieldNote::Lacking));
        ranges.tell_speed(|rpm| rpm / 1000.0);
        assert!(matches!(
            ranges.note(ToolField::Rpm),
            Some(FieldNote::WireTypeStopsAt { speed: Some(speed), .. }) if (speed - 0.255).abs() < 1e-9
        ));
    }

    prop_compose! {
        fn any_wanted()(
            brake in any::<bool>(), direction in any::<u8>(), roll in any::<u8>(),
            side in any::<u8>(), dust in any::<u8>(), water in any::<u8>(),
            angle_speed in any::<u16>(), gear in any::<u8>(), angle in any::<f64>(),
            rpm in any::<u16>()
        ) -> Wanted {
            Wanted {
                brake, roll_brush_suction_direction: direction, roll_brush_suction: roll,
                side_brush: side, dust_shake: dust, water_amount: water, angle_speed, gear,
                angle_deg: angle, rpm,
            }
        }
    }

    prop_compose! {
        fn any_holds()(a in any::<i8>(), b in any::<i8>(), c in any::<i8>(), rpm in any::<bool>())
            -> Holds {
            Holds {
                brush_deck_pusher: a, suction_squeeqee_pusher: b, water_spray: c, rpm, program: 0,
                check: 0,
            }
        }
    }

    const WIRE_TYPES: [WireType; 10] = [
        WireType::Int8,
        WireType::Uint8,
        WireType::Int16,
        WireType::Uint16,
        WireType::Int32,
        WireType::Uint32,
        WireType::Int64,
        WireType::Uint64,
        WireType::Float32,
        WireType::Float64,
    ];

    proptest! {
        #[test]
        fn every_field_of_every_message_is_within_its_range(
            steps in proptest::collection::vec(
                (any_wanted(), any_holds(), 0..3_000_u64, any::<[bool; 5]>()), 1..30)
        ) {
            let mut rig = Rig::new();
            for (wanted, holds, span, [a, b, c, d, e]) in steps {
                rig.wanted = wanted;
                rig.holds = holds;
                rig.context = Context {
                    is_driving: a, is_driving_forward: a && b, may_move: c, is_standing: d,
                    may_not_reverse: e,
                };
                let message = rig.after(span);
                let ranges = Ranges::new(&rig.settings, |_| None);
                for field in ToolField::ALL {
                    let (low, high) = ranges.of(field);
                    let value = message.value(field);
                    prop_assert!(value >= low - 1e-4 && value <= high + 1e-4, "{field:?} {value}");
                }
                prop_assert!(message.gear != 3);
                let on_grid = f64::from(message.angle) / ANGLE_STEP;
                prop_assert!((on_grid - on_grid.round()).abs() < 1e-3);
                if message.roll_brush_suction == 0 {
                    prop_assert_eq!(message.roll_brush_suction_direction, 0);
                }
                if holds.brush_deck_pusher == 0 { prop_assert_eq!(message.brush_deck_pusher, 0); }
                if holds.water_spray >= 0 { prop_assert!(message.water_spray >= 0); }
                if holds.suction_squeeqee_pusher == 0 {
                    prop_assert_eq!(message.suction_squeeqee_pusher, 0);
                }
                if !holds.rpm || wanted.brake { prop_assert_eq!(message.rpm, 0); }
                if e && message.gear == 2 { prop_assert_eq!(message.rpm, 0); }
            }
        }

        #[test]
        fn whatever_types_a_vehicle_has_or_lacks_no_field_leaves_them(
            types in proptest::collection::vec(
                (proptest::sample::select(WIRE_TYPES.to_vec()), proptest::bool::weighted(0.15)), 12),
            turns_right in any::<bool>(),
            steps in proptest::collection::vec((any_wanted(), any_holds(), 0..3_000_u64), 1..20)
        ) {
            let mut rig = Rig::new();
            if turns_right { rig.settings.steering_sign = -1.0; }
            rig.settings.steering_trim_deg = if turns_right { 3.0 } else { -9.9 };
            let mut ranges = Ranges::new(&rig.settings, |field| {
                let (kind, _) = types[field as usize];
                Some((kind, kind.ros_name().to_owned()))
            });
            for field in ToolField::ALL {
                if types[field as usize].1 { ranges.take_away(field); }
            }
            for (wanted, holds, span) in steps {
                rig.now = rig.now + millis(span);
                let message = rig.policy.compose(
                    &wanted, &holds, rig.context, &rig.settings, &ranges, rig.now);
                for field in ToolField::ALL {
                    let value = message.value(field);
                    let (kind, lacks) = types[field as usize];
                    if lacks {
                        prop_assert!(value.abs() < 1e-12, "{field:?} is lacking: {value}");
                        continue;
                    }
                    let (low, high) = kind.range();
                    let (documented_low, documented_high) = field.documented_range();
                    prop_assert!(
                        value >= low.max(documented_low) && value <= high.min(documented_high),
                        "{field:?} as {kind:?}: {value}");
                }
                if message.roll_brush_suction == 0 {
                    prop_assert_eq!(message.roll_brush_suction_direction, 0);
                }
            }
        }

        #[test]
        fn rule_22_no_two_messages_within_the_dwell_turn_the_brush_both_ways(
            steps in proptest::collection::vec((0..3_u8, 0..3_u8, 1..40_u64, any::<bool>()), 1..60)
        ) {
            let mut rig = Rig::new();
            rig.settings.suction_run_on_s = 3.0;
            // Until when it was seen turning which way; it turns on until the next message.
            let mut turned: Option<(u8, Moment)> = None;
            for (direction, duty, hundreds, sprays) in steps {
                rig.wanted.roll_brush_suction_direction = direction;
                rig.wanted.roll_brush_suction = duty * 40;
                rig.holds.water_spray = i8::from(sprays);
                for _ in 0..hundreds {
                    let message = rig.after(100);
                    let turns = message.roll_brush_suction_direction;
                    if let Some((before, until)) = turned && turns != 0 && turns != before {
                        let rested = rig.now.since(until).as_secs_f64();
                        prop_assert!(
                            rested >= rig.settings.reverse_dwell_s,
                            "{before} became {turns} after {rested} s");
                    }
                    if turns != 0 { turned = Some((turns, rig.now)); }
                }
            }
        }
    }
}
