//! Programs: a button for each, which runs it while it is held, with how far it has come.

use std::rc::Rc;

use leptos::prelude::*;

use super::context::{Console, profile};
use super::erased::live;
use super::hold::Hold;
use crate::screen::holding::HoldKey;
use crate::tools::program::{Program, ProgramView};
use crate::units::decimal;
use crate::words::{Label, Lang, number};

/// All programs that are in force.
pub(super) fn programs(console: Console) -> AnyView {
    let keys = move || {
        console.with_programs(|profile| {
            let programs = profile.tools.programs.iter().zip(HoldKey::PROGRAMS);
            programs
                .enumerate()
                .map(|(place, (program, key))| program_key(console, place, program, key))
                .collect::<Vec<AnyView>>()
        })
    };
    let note = move || {
        let is_own = console.with_programs(|profile| profile.programs_taken().is_empty());
        let note = if is_own {
            Label::ProgramsNote
        } else {
            Label::ProgramsDiffer
        };
        note.text(console.lang.get())
    };
    view! {
        <p class="tools-note">{move || note()}</p>
        <div class="programs">{move || keys()}</div>
    }
    .into_any()
}

fn program_key(console: Console, place: usize, program: &Program, key: HoldKey) -> AnyView {
    let is_changed = profile().tools.programs.get(place) != Some(program);
    let names = [program.name.clone(), program.name_zh.clone()];
    let steps = program.steps.len();
    let seconds: f64 = program.steps.iter().map(|step| step.for_s).sum();
    let name = move |lang: Lang| {
        let [en, zh] = &names;
        if lang == Lang::Zh && !zh.is_empty() {
            zh.clone()
        } else {
            en.clone()
        }
    };
    let at = move || {
        console.tools.with(|tools| {
            tools
                .program
                .filter(|run| usize::from(run.program) == place)
        })
    };
    let progress = move || at().map_or(0.0, |run| run.progress);
    let words = move || words(at(), steps, (seconds, is_changed), console.lang.get());
    view! {
        <div
            class="program"
            data-testid=["program-", &(place + 1).to_string(), "-state"].concat()
            data-progress=move || decimal(progress(), 2)
            data-held=move || at().is_some_and(|run| run.is_held).to_string()
            style=("--share", live(move || decimal(progress() * 100.0, 1) + "%"))
        >
            <Hold
                testid=["program-", &(place + 1).to_string()].concat()
                on_change=Rc::new(move |is_held| console.hold(key, is_held))
            >
                <b>{move || name(console.lang.get())}</b>
                <small>{move || words()}</small>
            </Hold>
        </div>
    }
    .into_any()
}

fn words(
    at: Option<ProgramView>,
    steps: usize,
    (seconds, is_changed): (f64, bool),
    lang: Lang,
) -> String {
    let Some(run) = at else {
        let changed = lang.pick(" · changed", " · 已改");
        let changed = if is_changed { changed } else { "" };
        return number::countdown(seconds, lang) + changed;
    };
    let step = usize::from(run.step) + 1;
    if step > steps {
        return lang.pick("done", "已完成").to_owned();
    }
    let waits = if run.is_held {
        ""
    } else {
        lang.pick("waits: ", "等待：")
    };
    let [step, steps] = [step.to_string(), steps.to_string()];
    match lang {
        Lang::En => [waits, "step ", &step, " of ", &steps].concat(),
        Lang::Zh => [waits, "第 ", &step, "/", &steps, " 步"].concat(),
    }
}
