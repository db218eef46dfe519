//! Parts of a profile as text for `config.json`; reached by the later program alone.

use serde_json::{Map, Value, json};

use crate::tools::commissioning::{Commissioned, Item};
use crate::tools::program::{Program, Step};

/// What was found out about a vehicle, for its profile.
#[must_use]
pub fn as_profile(found: Commissioned) -> String {
    let names = [
        ("brake", Item::Brake),
        ("brush_deck", Item::BrushDeck),
        ("squeegee", Item::Squeegee),
        ("water", Item::Water),
    ];
    let sign = |is_positive: bool| json!(if is_positive { 1 } else { -1 });
    let mut polarity = Map::new();
    for (name, item) in names {
        if let Some(is_positive) = found.of(item) {
            polarity.insert(name.to_owned(), sign(is_positive));
        }
    }
    let mut tools = Map::new();
    if !polarity.is_empty() {
        tools.insert("polarity".to_owned(), Value::Object(polarity));
    }
    if let Some(is_left) = found.of(Item::Steering) {
        tools.insert("steering_sign".to_owned(), sign(is_left));
    }
    if found.trim_steps() != 0 {
        tools.insert("steering_trim_deg".to_owned(), json!(found.trim_deg()));
    }
    text(&json!({ "tools": tools }))
}

/// Programs, as a profile that has nothing else.
#[must_use]
pub fn programs_as_profile(programs: &[Program]) -> String {
    let programs: Vec<Value> = programs.iter().map(program).collect();
    text(&json!({"tools": {"programs": programs}}))
}

/// A step as the profile has it.
#[must_use]
pub fn step(step: &Step) -> Map<String, Value> {
    let mut items = Map::new();
    items.insert("for_s".to_owned(), json!(step.for_s));
    let strokes = [
        ("brush_deck_pusher", step.brush_deck_pusher),
        ("suction_squeeqee_pusher", step.suction_squeeqee_pusher),
    ];
    for (name, sign) in strokes {
        if sign != 0 {
            let way = if sign > 0 { "extend" } else { "retract" };
            items.insert(name.to_owned(), json!(way));
        }
    }
    if step.sprays {
        items.insert("spray".to_owned(), json!(true));
    }
    let numbers = [
        (
            "roll_brush_suction_direction",
            step.roll_brush_suction_direction,
        ),
        ("roll_brush_suction", step.roll_brush_suction),
        ("side_brush", step.side_brush),
        ("dust_shake", step.dust_shake),
        ("water_amount", step.water_amount),
    ];
    for (name, number) in numbers {
        if let Some(number) = number {
            items.insert(name.to_owned(), json!(number));
        }
    }
    items
}

/// Indented, as people write it.
#[must_use]
pub fn text(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn program(program: &Program) -> Value {
    let mut items = Map::new();
    items.insert("name".to_owned(), json!(program.name));
    if !program.name_zh.is_empty() {
        items.insert("name_zh".to_owned(), json!(program.name_zh));
    }
    let steps: Vec<_> = program.steps.iter().map(step).collect();
    items.insert("steps".to_owned(), json!(steps));
    Value::Object(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;
    use crate::tools::program::usual_programs;
    use proptest::prelude::*;

    #[test]
    fn what_was_found_out_is_read_back_from_the_profile_that_states_it() {
        let mut found = Commissioned::default();
        assert_eq!(as_profile(found), "{\n  \"tools\": {}\n}");
        found.found(Item::Brake, false);
        found.found(Item::Water, true);
        found.trim(-7);
        let profile = Profile::from_json(&as_profile(found)).unwrap();
        assert_eq!(profile.tools.polarity, found);
        found.found(Item::Steering, false);
        let profile = Profile::from_json(&as_profile(found)).unwrap();
        assert!(profile.tools.steering_sign < 0.0);
    }

    #[test]
    fn the_usual_programs_are_read_back_as_they_are() {
        let programs = usual_programs();
        let profile = Profile::from_json(&programs_as_profile(&programs)).unwrap();
        assert_eq!(profile.tools.programs, programs);
    }

    fn any_step() -> impl Strategy<Value = Step> {
        let percent = || proptest::option::of(0..=100_u8);
        let rest = (percent(), percent(), percent(), percent());
        (
            (1..=600_u32, -1..=1_i8, -1..=1_i8, any::<bool>()),
            proptest::option::of(0..=2_u8),
            rest,
        )
            .prop_map(|((tenths, deck, squeegee, sprays), direction, rest)| Step {
                for_s: f64::from(tenths) / 10.0,
                brush_deck_pusher: deck,
                suction_squeeqee_pusher: squeegee,
                sprays,
                roll_brush_suction_direction: direction,
                roll_brush_suction: rest.0,
                side_brush: rest.1,
                dust_shake: rest.2,
                water_amount: rest.3,
            })
    }

    proptest! {
        #[test]
        fn any_programs_are_read_back_as_they_are(
            names in proptest::collection::vec(("\\PC{1,12}", "\\PC{0,8}"), 0..=6),
            steps in proptest::collection::vec(any_step(), 1..8),
        ) {
            let program = |(name, name_zh)| Program { name, name_zh, steps: steps.clone() };
            let programs: Vec<_> = names.into_iter().map(program).collect();
            let profile = Profile::from_json(&programs_as_profile(&programs)).unwrap();
            prop_assert_eq!(profile.tools.programs, programs);
        }
    }
}
