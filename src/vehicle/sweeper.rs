//! Brushes, pushers, tanks and battery: what McCtrl does besides driving.
//!
//! A brush takes 1.5 s from a stand to 100 %, a pusher 4 s for its stroke at 100 %. The clean
//! tank holds 60 l and sprays 2 l a minute at 100 %; the dirty tank holds as much, gets 80 % of
//! what is sprayed while the suction runs, and is drained by a negative spray at 10 l a minute.
//! The battery of 2 kWh gives 50 W always, 400 W to the brushes at 100 % and 600 W to the drive at
//! 1 m/s.

use serde::{Deserialize, Serialize};

use crate::msgs::sweeper::McCtrl;

/// Seconds from a stand to 100 %.
const SPIN_UP_SECONDS: f64 = 1.5;
/// Seconds for a whole stroke at 100 %.
const STROKE_SECONDS: f64 = 4.0;
/// Litres in a full tank.
const TANK_LITRES: f64 = 60.0;
/// Litres a second that 100 % sprays.
const SPRAY_LITRES: f64 = 2.0 / 60.0;
/// Litres a second that −100 % drains.
const DRAIN_LITRES: f64 = 10.0 / 60.0;
/// Of what is sprayed, what the suction brings back.
const RECOVERED: f64 = 0.8;
/// Joules in a full battery.
const BATTERY_JOULES: f64 = 2.0 * 3.6e6;

/// What the working parts do; the truth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SweeperState {
    /// Roll brush, −100 (reverse) … 100 %.
    pub roll_brush: f64,
    /// Suction, 0 … 100 %.
    pub suction: f64,
    /// Side brush, 0 … 100 %.
    pub side_brush: f64,
    /// Dust shaker, 0 … 100 %.
    pub dust_shake: f64,
    /// Brush deck pusher: 0 retracted … 1 extended.
    pub brush_deck: f64,
    /// Squeegee pusher: 0 retracted … 1 extended.
    pub squeegee: f64,
    /// Water: + sprays, − drains, −100 … 100 %; 0 when there is none left.
    pub water: f64,
    /// Clean tank, 0 empty … 1 full.
    pub clean_tank: f64,
    /// Dirty tank, 0 empty … 1 full.
    pub dirty_tank: f64,
    /// Battery, 0 empty … 1 full.
    pub battery: f64,
}

impl Default for SweeperState {
    fn default() -> Self {
        Self {
            roll_brush: 0.0,
            suction: 0.0,
            side_brush: 0.0,
            dust_shake: 0.0,
            brush_deck: 0.0,
            squeegee: 0.0,
            water: 0.0,
            clean_tank: 0.9,
            dirty_tank: 0.1,
            battery: 0.85,
        }
    }
}

/// The working parts.
#[derive(Debug, Clone, Default)]
pub struct Sweeper {
    state: SweeperState,
    command: Option<McCtrl>,
}

impl Sweeper {
    /// What the working parts do.
    #[must_use]
    pub fn state(&self) -> SweeperState {
        self.state
    }

    /// Does what the message says until the next one.
    pub fn set_command(&mut self, command: McCtrl) {
        self.command = Some(command);
    }

    /// Everything off: brushes run down, pushers stay where they are.
    pub fn switch_off(&mut self) {
        self.command = None;
    }

    /// Fills tanks and battery to so much, 0 … 1; what is none stays as it is.
    pub fn fill(&mut self, clean: Option<f64>, dirty: Option<f64>, battery: Option<f64>) {
        let state = &mut self.state;
        let goals = [
            (&mut state.clean_tank, clean),
            (&mut state.dirty_tank, dirty),
            (&mut state.battery, battery),
        ];
        for (level, goal) in goals {
            *level = goal.unwrap_or(*level).clamp(0.0, 1.0);
        }
    }

    /// Lets so many seconds pass while the vehicle moves at `speed` m/s.
    pub fn step(&mut self, seconds: f64, speed: f64) {
        let command = self.command.unwrap_or(McCtrl::SAFE);
        let state = &mut self.state;
        let direction = match command.roll_brush_suction_direction {
            1 => 1.0,
            2 => -1.0,
            _ => 0.0,
        };
        let duty = percent(f64::from(command.roll_brush_suction));
        let spin = 100.0 / SPIN_UP_SECONDS * seconds;
        state.roll_brush = approach(state.roll_brush, direction * duty, spin);
        let suction = if direction > 0.0 { duty } else { 0.0 };
        state.suction = approach(state.suction, suction, spin);
        state.side_brush = approach(
            state.side_brush,
            percent(f64::from(command.side_brush)),
            spin,
        );
        state.dust_shake = approach(
            state.dust_shake,
            percent(f64::from(command.dust_shake)),
            spin,
        );

        let stroke = seconds / STROKE_SECONDS / 100.0;
        let push = |position: f64, duty: i8| {
            (position + f64::from(duty).clamp(-100.0, 100.0) * stroke).clamp(0.0, 1.0)
        };
        state.brush_deck = push(state.brush_deck, command.brush_deck_pusher);
        state.squeegee = push(state.squeegee, command.suction_squeeqee_pusher);

        let water = f64::from(command.water_spray).clamp(-100.0, 100.0);
        if water > 0.0 {
            let wanted = water / 100.0 * SPRAY_LITRES * seconds / TANK_LITRES;
            let sprayed = wanted.min(state.clean_tank);
            state.clean_tank -= sprayed;
            if state.suction > 0.0 {
                state.dirty_tank = (state.dirty_tank + sprayed * RECOVERED).min(1.0);
            }
            state.water = if sprayed > 0.0 { water } else { 0.0 };
        } else {
            let drained = -water / 100.0 * DRAIN_LITRES * seconds / TANK_LITRES;
            state.dirty_tank = (state.dirty_tank - drained).max(0.0);
            state.water = if state.dirty_tank > 0.0 { water } else { 0.0 };
        }

        let brushes = (state.roll_brush.abs() + state.side_brush + state.dust_shake) / 300.0;
        let watts = 50.0 + 400.0 * brushes + 600.0 * speed.abs();
        state.battery = (state.battery - watts * seconds / BATTERY_JOULES).max(0.0);
    }
}

/// A duty outside 0–100 is as good as the nearer end.
fn percent(duty: f64) -> f64 {
    duty.clamp(0.0, 100.0)
}

fn approach(value: f64, goal: f64, step: f64) -> f64 {
    if (goal - value).abs() <= step {
        goal
    } else {
        value + step.copysign(goal - value)
    }
}
