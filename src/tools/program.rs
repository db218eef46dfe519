//! Programs: what moves in which order and for how long, while a button is held (rule 24).
//!
//! Nothing reports a position, so a step ends by time. What a step set stays set; what it moves moves
//! only while the button is held. Let go, a program waits where it is and goes on from there; another
//! program, or the same one when it was done, begins at its first step.

use serde::{Deserialize, Serialize};

use super::intent::{Holds, Wanted};
use crate::units::Moment;

/// The most programs of a profile: each has a button.
pub const MOST_PROGRAMS: usize = 6;

/// A message that comes later than this after the one before counts for no more.
const LONGEST_TICK_S: f64 = 0.3;

/// A program of the profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// On its button.
    pub name: String,
    /// On its button in Chinese; the other one where it is empty.
    pub name_zh: String,
    /// In their order, at least one.
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Step {
    /// How long it takes, s.
    pub for_s: f64,
    /// +1 extends, −1 retracts, 0 leaves the brush deck where it is.
    pub brush_deck_pusher: i8,
    /// Likewise for the squeegee.
    pub suction_squeeqee_pusher: i8,
    /// Water flows during this step.
    pub sprays: bool,
    /// Set when the step begins: 0 stop, 1 forward, 2 reverse.
    pub roll_brush_suction_direction: Option<u8>,
    /// Set when the step begins, percent; so are the others.
    pub roll_brush_suction: Option<u8>,
    /// Percent.
    pub side_brush: Option<u8>,
    /// Percent.
    pub dust_shake: Option<u8>,
    /// Percent.
    pub water_amount: Option<u8>,
}

impl Step {
    fn set(&self, wanted: &mut Wanted) {
        let set = |to: &mut u8, from: Option<u8>| *to = from.unwrap_or(*to);
        set(
            &mut wanted.roll_brush_suction_direction,
            self.roll_brush_suction_direction,
        );
        set(&mut wanted.roll_brush_suction, self.roll_brush_suction);
        set(&mut wanted.side_brush, self.side_brush);
        set(&mut wanted.dust_shake, self.dust_shake);
        set(&mut wanted.water_amount, self.water_amount);
    }

    /// The step's moves, where no button asks for one.
    fn moves(&self, holds: Holds) -> Holds {
        let or = |held: i8, own: i8| if held == 0 { own } else { held };
        Holds {
            brush_deck_pusher: or(holds.brush_deck_pusher, self.brush_deck_pusher),
            suction_squeeqee_pusher: or(
                holds.suction_squeeqee_pusher,
                self.suction_squeeqee_pusher,
            ),
            water_spray: or(holds.water_spray, i8::from(self.sprays)),
            ..holds
        }
    }
}

/// The programs of a profile that names none.
#[must_use]
pub fn usual_programs() -> Vec<Program> {
    let program = |name: &str, name_zh: &str, steps: &[Step]| Program {
        name: name.to_owned(),
        name_zh: name_zh.to_owned(),
        steps: steps.to_vec(),
    };
    let brushes = |duty: u8, side: u8| Step {
        for_s: 1.0,
        roll_brush_suction_direction: Some(1),
        roll_brush_suction: Some(duty),
        side_brush: Some(side),
        ..Step::default()
    };
    let deck = |sign: i8| Step {
        for_s: 4.0,
        brush_deck_pusher: sign,
        ..Step::default()
    };
    let squeegee = |sign: i8| Step {
        for_s: 4.0,
        suction_squeeqee_pusher: sign,
        ..Step::default()
    };
    let off = Step {
        for_s: 1.0,
        roll_brush_suction_direction: Some(0),
        roll_brush_suction: Some(0),
        side_brush: Some(0),
        dust_shake: Some(0),
        ..Step::default()
    };
    // Brushes turn before they touch the floor, and are lifted before they stop.
    vec![
        program("Sweep", "清扫", &[brushes(60, 60), deck(1)]),
        program(
            "Scrub",
            "洗地",
            &[
                squeegee(1),
                brushes(60, 40),
                deck(1),
                Step {
                    for_s: 2.0,
                    sprays: true,
                    ..Step::default()
                },
            ],
        ),
        program("Dry", "吸干", &[deck(-1), squeegee(1), brushes(80, 0)]),
        program("Transport", "转场", &[deck(-1), squeegee(-1), off]),
    ]
}

/// Where a program is.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ProgramView {
    /// Which, counted from 0.
    pub program: u8,
    /// Its step, counted from 0; as many as there are when it is done.
    pub step: u8,
    /// How much of its time has passed, 0…1.
    pub progress: f64,
    /// Its button is held.
    pub is_held: bool,
}

/// The program under way.
#[derive(Debug, Clone, Copy, Default)]
pub struct Run {
    program: usize,
    step: usize,
    /// Of the present step, s.
    elapsed_s: f64,
    begun: bool,
    is_held: bool,
    at: Moment,
}

impl Run {
    /// Goes on by the time since the last call while the button of a program is held, sets what its
    /// steps set, and answers what moves now.
    pub fn advance(
        &mut self,
        programs: &[Program],
        holds: Holds,
        wanted: &mut Wanted,
        now: Moment,
    ) -> Holds {
        let was_held = std::mem::replace(&mut self.is_held, false);
        let held = usize::from(holds.program).checked_sub(1);
        let Some((which, program)) = held.and_then(|which| Some((which, programs.get(which)?)))
        else {
            return holds;
        };
        let is_done = self.step >= program.steps.len();
        let goes_on = self.begun && self.program == which && (was_held || !is_done);
        if !goes_on {
            *self = Self {
                program: which,
                begun: true,
                ..Self::default()
            };
            if let Some(first) = program.steps.first() {
                first.set(wanted);
            }
        } else if was_held {
            self.elapsed_s += now.since(self.at).as_secs_f64().min(LONGEST_TICK_S);
        }
        self.is_held = true;
        self.at = now;
        while let Some(step) = program.steps.get(self.step)
            && self.elapsed_s >= step.for_s
        {
            self.elapsed_s -= step.for_s;
            self.step += 1;
            if let Some(next) = program.steps.get(self.step) {
                next.set(wanted);
            }
        }
        match program.steps.get(self.step) {
            Some(step) => step.moves(holds),
            None => holds,
        }
    }

    /// For the screen; `None` before one was begun.
    #[must_use]
    pub fn view(&self, programs: &[Program]) -> Option<ProgramView> {
        let program = programs.get(self.program).filter(|_| self.begun)?;
        let time = |steps: &[Step]| steps.iter().map(|step| step.for_s).sum::<f64>();
        let done = program.steps.get(..self.step).unwrap_or(&program.steps);
        let is_done = done.len() == program.steps.len();
        let passed = time(done) + if is_done { 0.0 } else { self.elapsed_s };
        Some(ProgramView {
            program: self.program as u8,
            step: self.step as u8,
            progress: (passed / time(&program.steps).max(f64::MIN_POSITIVE)).min(1.0),
            is_held: self.is_held,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::millis;

    const SCRUB: u8 = 2;

    fn held(program: u8) -> Holds {
        Holds {
            program,
            ..Holds::default()
        }
    }

    /// Ten calls a second.
    fn run(run: &mut Run, holds: Holds, wanted: &mut Wanted, from_ms: u64, ms: u64) -> Holds {
        let mut moves = Holds::default();
        for at in (from_ms..from_ms + ms).step_by(100) {
            moves = run.advance(&usual_programs(), holds, wanted, Moment::START + millis(at));
        }
        moves
    }

    #[test]
    fn steps_follow_each_other_by_time_and_what_was_reached_stays() {
        let (mut it, mut wanted) = (Run::default(), Wanted::default());
        let moves = run(&mut it, held(SCRUB), &mut wanted, 0, 4000);
        assert_eq!(
            (moves.suction_squeeqee_pusher, moves.brush_deck_pusher),
            (1, 0)
        );
        assert_eq!(
            wanted.roll_brush_suction, 0,
            "the brush waits for the squeegee"
        );
        run(&mut it, held(SCRUB), &mut wanted, 4000, 1000);
        assert_eq!(
            (
                wanted.roll_brush_suction_direction,
                wanted.roll_brush_suction
            ),
            (1, 60)
        );
        let moves = run(&mut it, held(SCRUB), &mut wanted, 5000, 1000);
        assert_eq!(
            (moves.suction_squeeqee_pusher, moves.brush_deck_pusher),
            (0, 1)
        );
        let moves = run(&mut it, Holds::default(), &mut wanted, 6000, 5000);
        assert_eq!(moves, Holds::default());
        assert_eq!((wanted.roll_brush_suction, wanted.side_brush), (60, 40));
    }

    #[test]
    fn let_go_it_waits_where_it_is_and_goes_on_from_there() {
        let (mut it, mut wanted) = (Run::default(), Wanted::default());
        run(&mut it, held(SCRUB), &mut wanted, 0, 2100);
        let before = it.view(&usual_programs()).unwrap();
        run(&mut it, Holds::default(), &mut wanted, 2100, 60_000);
        let moves = run(&mut it, held(SCRUB), &mut wanted, 62_100, 100);
        assert_eq!(moves.suction_squeeqee_pusher, 1);
        let after = it.view(&usual_programs()).unwrap();
        assert!((after.progress - before.progress).abs() < 0.01);
    }

    #[test]
    fn another_program_or_one_that_was_done_begins_anew() {
        let (mut it, mut wanted) = (Run::default(), Wanted::default());
        run(&mut it, held(SCRUB), &mut wanted, 0, 12_000);
        assert_eq!(
            it.view(&usual_programs()).map(|view| view.progress),
            Some(1.0)
        );
        let moves = run(&mut it, held(SCRUB), &mut wanted, 12_000, 3000);
        assert_eq!(
            moves.suction_squeeqee_pusher, 0,
            "a held button does not begin again"
        );
        run(&mut it, Holds::default(), &mut wanted, 15_000, 200);
        let moves = run(&mut it, held(SCRUB), &mut wanted, 15_200, 100);
        assert_eq!(moves.suction_squeeqee_pusher, 1);
        let moves = run(&mut it, held(4), &mut wanted, 15_300, 100);
        assert_eq!(
            (moves.brush_deck_pusher, moves.suction_squeeqee_pusher),
            (-1, 0)
        );
    }

    #[test]
    fn a_pause_between_two_messages_is_not_run_through() {
        let (mut it, mut wanted) = (Run::default(), Wanted::default());
        let programs = usual_programs();
        it.advance(&programs, held(SCRUB), &mut wanted, Moment::START);
        it.advance(
            &programs,
            held(SCRUB),
            &mut wanted,
            Moment::START + millis(9000),
        );
        let view = it.view(&programs).unwrap();
        assert!(view.step == 0 && view.progress < 0.05, "{view:?}");
    }

    #[test]
    fn a_held_button_outranks_the_step_and_an_unknown_program_does_nothing() {
        let (mut it, mut wanted) = (Run::default(), Wanted::default());
        let both = Holds {
            suction_squeeqee_pusher: -1,
            ..held(SCRUB)
        };
        assert_eq!(
            run(&mut it, both, &mut wanted, 0, 100).suction_squeeqee_pusher,
            -1
        );
        let before = wanted;
        assert_eq!(run(&mut it, held(99), &mut wanted, 100, 5000), held(99));
        assert_eq!(wanted, before);
    }
}
