//! Programs while they are edited: what stands in the fields as it was typed, and the profile that it
//! makes, which is checked like any other. Reached by the later program alone.

use serde_json::{Map, Value, json};

use crate::profile::written::{step, text};
use crate::profile::{Profile, ProfileProblem};
use crate::tools::program::{MOST_PROGRAMS, Program};

/// How an item of a step is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Typed.
    Number,
    /// One of these words; empty: left as it is.
    Choice(&'static [&'static str]),
}

/// An item of a step, by its key in the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// The key.
    pub key: &'static str,
    /// How it is chosen.
    pub kind: Kind,
}

const STROKES: Kind = Kind::Choice(&["", "extend", "retract"]);

/// All items of a step, in the order of the screen.
pub const ITEMS: [Item; 9] = [
    item("for_s", Kind::Number),
    item("brush_deck_pusher", STROKES),
    item("suction_squeeqee_pusher", STROKES),
    item("spray", Kind::Choice(&["", "true"])),
    item(
        "roll_brush_suction_direction",
        Kind::Choice(&["", "0", "1", "2"]),
    ),
    item("roll_brush_suction", Kind::Number),
    item("side_brush", Kind::Number),
    item("dust_shake", Kind::Number),
    item("water_amount", Kind::Number),
];

const fn item(key: &'static str, kind: Kind) -> Item {
    Item { key, kind }
}

/// One step: a text for each of [`ITEMS`]; empty: not set.
pub type StepDraft = [String; ITEMS.len()];

/// One program.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProgramDraft {
    /// Its name, and the Chinese one.
    pub names: [String; 2],
    /// Its steps.
    pub steps: Vec<StepDraft>,
}

/// All programs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Draft(pub Vec<ProgramDraft>);

impl Draft {
    /// To begin with.
    #[must_use]
    pub fn of(programs: &[Program]) -> Self {
        let program = |program: &Program| ProgramDraft {
            names: [program.name.clone(), program.name_zh.clone()],
            steps: program.steps.iter().map(|it| typed(&step(it))).collect(),
        };
        Self(programs.iter().map(program).collect())
    }

    /// The profile that it makes, as text.
    #[must_use]
    pub fn text(&self) -> String {
        let programs: Vec<Value> = self.0.iter().map(ProgramDraft::value).collect();
        text(&json!({"tools": {"programs": programs}}))
    }

    /// The programs, as the profile's own checks read them.
    ///
    /// # Errors
    /// Every mistake with its path.
    pub fn check(&self) -> Result<Vec<Program>, Vec<ProfileProblem>> {
        Profile::from_json(&self.text()).map(|profile| profile.tools.programs)
    }

    /// There is a button for another one.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.0.len() < MOST_PROGRAMS
    }

    /// Another program, after the others.
    pub fn add(&mut self) {
        self.0.push(ProgramDraft {
            names: Default::default(),
            steps: vec![second()],
        });
    }

    /// Moves a step before or after its neighbour, if it has one.
    pub fn move_step(&mut self, program: usize, at: usize, is_up: bool) {
        let other = if is_up {
            at.checked_sub(1)
        } else {
            Some(at + 1)
        };
        if let (Some(program), Some(other)) = (self.0.get_mut(program), other)
            && at.max(other) < program.steps.len()
        {
            program.steps.swap(at, other);
        }
    }

    /// Another step, after the others.
    pub fn add_step(&mut self, program: usize) {
        if let Some(program) = self.0.get_mut(program) {
            program.steps.push(second());
        }
    }

    /// Without this step.
    pub fn remove_step(&mut self, program: usize, at: usize) {
        if let Some(program) = self.0.get_mut(program)
            && at < program.steps.len()
        {
            program.steps.remove(at);
        }
    }

    /// What was typed, or chosen.
    pub fn set(&mut self, program: usize, at: usize, item: usize, typed: String) {
        let step = self.0.get_mut(program).and_then(|it| it.steps.get_mut(at));
        if let Some(text) = step.and_then(|step| step.get_mut(item)) {
            *text = typed;
        }
    }
}

impl ProgramDraft {
    fn value(&self) -> Value {
        let [name, name_zh] = self.names.each_ref().map(|name| name.trim());
        let mut items = Map::new();
        // Without a name it is missing, as in a profile.
        for (key, name) in [("name", name), ("name_zh", name_zh)] {
            if !name.is_empty() {
                items.insert(key.to_owned(), json!(name));
            }
        }
        let steps = self.steps.iter().map(|step| {
            let set = ITEMS.iter().zip(step);
            let set = set.filter(|(_, text)| !text.trim().is_empty());
            Value::Object(
                set.map(|(item, text)| (item.key.to_owned(), item.value(text.trim())))
                    .collect(),
            )
        });
        items.insert("steps".to_owned(), steps.collect());
        Value::Object(items)
    }
}

impl Item {
    /// What is no number stays what was typed, for the checks to complain of.
    fn value(self, typed: &str) -> Value {
        match serde_json::from_str::<Value>(typed) {
            Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
            _ => json!(typed),
        }
    }
}

/// A step of one second.
fn second() -> StepDraft {
    let mut step = StepDraft::default();
    step[0] = "1".into();
    step
}

fn typed(step: &Map<String, Value>) -> StepDraft {
    ITEMS.map(|item| match step.get(item.key) {
        Some(Value::String(word)) => word.clone(),
        Some(value) => {
            let text = value.to_string();
            text.strip_suffix(".0").unwrap_or(&text).to_owned()
        }
        None => String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::program::usual_programs;

    fn index(key: &str) -> usize {
        ITEMS.iter().position(|item| item.key == key).unwrap()
    }

    #[test]
    fn nothing_changed_gives_what_was_there() {
        let draft = Draft::of(&usual_programs());
        assert_eq!(draft.check(), Ok(usual_programs()));
        assert_eq!(draft.0[0].steps[1][..2], ["4", "extend"]);
    }

    #[test]
    fn what_is_changed_is_in_the_profile_that_it_makes() {
        let mut draft = Draft::of(&usual_programs());
        draft.set(0, 0, index("side_brush"), " 35 ".into());
        draft.set(0, 0, index("for_s"), "2.5".into());
        draft.set(0, 1, index("spray"), "true".into());
        draft.move_step(0, 1, true);
        draft.move_step(0, 0, true);
        draft.move_step(0, 1, false);
        draft.add_step(3);
        draft.remove_step(1, 0);
        draft.0[0].names = ["Yard ".into(), String::new()];
        let programs = draft.check().unwrap();
        let first = &programs[0];
        assert_eq!((first.name.as_str(), first.name_zh.as_str()), ("Yard", ""));
        assert!(first.steps[0].sprays && first.steps[0].brush_deck_pusher == 1);
        assert_eq!(first.steps[1].side_brush, Some(35));
        assert!((first.steps[1].for_s - 2.5).abs() < 1e-9);
        assert_eq!(programs[1].steps, usual_programs()[1].steps[1..]);
        assert_eq!(programs[3].steps.len(), usual_programs()[3].steps.len() + 1);
    }

    #[test]
    fn every_mistake_is_named_as_in_a_profile() {
        let mut draft = Draft::of(&usual_programs());
        for (item, typed) in [
            ("for_s", "0"),
            ("side_brush", "lots"),
            ("dust_shake", "101"),
        ] {
            draft.set(1, 2, index(item), typed.into());
        }
        draft.add();
        draft.remove_step(4, 0);
        let problems = draft.check().unwrap_err();
        let paths: Vec<_> = problems.iter().map(|it| it.path.as_str()).collect();
        for path in [
            "tools.programs[1].steps[2].for_s",
            "tools.programs[1].steps[2].side_brush",
            "tools.programs[1].steps[2].dust_shake",
            "tools.programs[4].name",
            "tools.programs[4].steps",
        ] {
            assert!(paths.contains(&path), "{path}: {paths:?}");
        }
        assert_eq!(paths.len(), 5, "{paths:?}");
    }

    #[test]
    fn there_are_never_more_programs_than_buttons() {
        let mut draft = Draft::default();
        while draft.has_room() {
            draft.add();
        }
        assert_eq!(draft.0.len(), MOST_PROGRAMS);
    }
}
