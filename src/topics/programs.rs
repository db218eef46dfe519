//! Programs, edited: names, steps, their order, targets and times. What is typed is checked by the
//! profile's own checks; only what passes them can be used.

use leptos::prelude::*;

use super::copy::copy_key;
use super::{View, words};
use crate::profile::Profile;
use crate::screen::draft::{Draft, ITEMS, Item, Kind};
use crate::shell::viewing::FromViewer;
use crate::tools::program::Program;
use crate::words::InWords;

/// What is edited.
#[derive(Clone, Copy)]
struct Editing {
    view: View,
    draft: RwSignal<Draft>,
    /// Counts changes of what fields there are: only then they are drawn anew, under no finger.
    shape: RwSignal<u32>,
    chosen: RwSignal<usize>,
    /// What the page was asked to use.
    asked: RwSignal<Option<Vec<Program>>>,
}

impl Editing {
    /// The profile, with the programs that the page was told to take.
    fn profile(self, taken: &str) -> Profile {
        let mut profile = self.view.host.with_value(|host| host.profile.clone());
        profile.take_programs(taken);
        profile
    }

    fn programs_in_force(self) -> Vec<Program> {
        let taken = self.view.settings.with(|now| now.programs.clone());
        self.profile(&taken).tools.programs
    }

    /// Begins with these.
    fn begin(self, programs: &[Program]) {
        self.draft.set(Draft::of(programs));
        self.chosen.set(0);
        self.shape.update(|count| *count += 1);
    }

    fn change(self, change: impl FnOnce(&mut Draft)) {
        self.draft.update(change);
        self.shape.update(|count| *count += 1);
    }

    /// Asks the page for them; for its own where nothing is different.
    fn ask(self, programs: Vec<Program>) {
        let is_own = programs == self.profile("").tools.programs;
        let text = if is_own {
            String::new()
        } else {
            self.draft.with_untracked(Draft::text)
        };
        self.asked.set(Some(programs));
        self.view.ask(&FromViewer::Programs(text));
    }

    fn state(self) -> State {
        self.draft.with(|draft| match draft.check() {
            Err(_) => State::Bad,
            Ok(programs) if programs == self.programs_in_force() => {
                let is_own = self.view.settings.with(|now| now.programs.is_empty());
                if is_own { State::Own } else { State::Differs }
            }
            Ok(programs) => {
                let was_asked = self.asked.with(|asked| asked.as_ref() == Some(&programs));
                if was_asked {
                    State::NotTaken
                } else {
                    State::Changed
                }
            }
        })
    }
}

/// How far the draft has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// The profile's are in use.
    Own,
    /// These are in use, and are not the profile's.
    Differs,
    /// Not in use yet.
    Changed,
    /// The page did not take them: something was held.
    NotTaken,
    /// With mistakes.
    Bad,
}

impl State {
    fn slug(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Differs => "differs",
            Self::Changed => "changed",
            Self::NotTaken => "not-taken",
            Self::Bad => "bad",
        }
    }
}

/// The part of the settings for programs.
pub(super) fn programs(view: View) -> AnyView {
    let editing = Editing {
        view,
        draft: RwSignal::default(),
        shape: RwSignal::new(0),
        chosen: RwSignal::new(0),
        asked: RwSignal::new(None),
    };
    // What is in force has changed: by what was asked here, or with the vehicle.
    Effect::new(move |before: Option<String>| {
        let taken = view.settings.with(|now| now.programs.clone());
        if before.as_ref() != Some(&taken) {
            editing.begin(&editing.profile(&taken).tools.programs);
        }
        taken
    });
    let state = move || editing.state();
    let use_them = move |_| {
        if let Ok(programs) = editing.draft.with_untracked(Draft::check) {
            editing.ask(programs);
        }
    };
    let reset = move |_| {
        let own = editing.profile("").tools.programs;
        editing.begin(&own);
        editing.ask(own);
    };
    view! {
        <details class="commissioning" data-testid="programs-edit">
            <summary class="key">{view.pick("Programs: what they do", "程序：编辑步骤")}</summary>
            <div class="unfolded">
            <p data-testid="programs-state" data-state=move || state().slug()>
                {move || words::programs_state(state(), view.lang.get())}
            </p>
            {choice(editing)}
            {move || {
                editing.shape.track();
                form(editing)
            }}
            {problems(editing)}
            <div class="keys two">
                <button
                    type="button"
                    class="key"
                    data-testid="programs-use"
                    prop:disabled=move || !matches!(state(), State::Changed | State::NotTaken)
                    on:click=use_them
                >
                    {view.pick("Use on this device", "在本机使用")}
                </button>
                <button
                    type="button"
                    class="key"
                    data-testid="programs-reset"
                    prop:disabled=move || state() == State::Own
                    on:click=reset
                >
                    {view.pick("Back to the profile's", "恢复配置文件的程序")}
                </button>
            </div>
            {copy_key(
                view,
                ["programs-copy", "programs-text"],
                ["Copy as profile", "复制为配置文件"],
                move || editing.draft.with_untracked(Draft::text),
            )}
            </div>
        </details>
    }
    .into_any()
}

/// Which one is edited, and a key for another.
fn choice(editing: Editing) -> impl IntoView {
    let view = editing.view;
    let keys = move || {
        let count = editing.draft.with(|draft| draft.0.len());
        let key = move |at: usize| {
            let name = move || {
                let lang = view.lang.get();
                editing.draft.with(|draft| {
                    let names = draft.0.get(at).map(|program| program.names.clone());
                    let [en, zh] = names.unwrap_or_default();
                    let name = lang.pick([&en, &zh], [&zh, &en]);
                    let name = name.into_iter().find(|name| !name.is_empty());
                    name.cloned().unwrap_or_else(|| (at + 1).to_string())
                })
            };
            view! {
                <button
                    type="button"
                    class="key choice"
                    data-testid=["edit-program-", &(at + 1).to_string()].concat()
                    aria-pressed=move || (editing.chosen.get() == at).to_string()
                    on:click=move |_| {
                        editing.chosen.set(at);
                        editing.shape.update(|count| *count += 1);
                    }
                >
                    {name}
                </button>
            }
        };
        (0..count).map(key).collect_view()
    };
    let add = move |_| {
        editing.change(Draft::add);
        editing
            .chosen
            .set(editing.draft.with_untracked(|draft| draft.0.len()) - 1);
    };
    view! {
        <div class="draft-programs">
            {keys}
            <button
                type="button"
                class="key"
                data-testid="program-add"
                prop:disabled=move || !editing.draft.with(Draft::has_room)
                on:click=add
            >
                {view.pick("+ Program", "＋ 程序")}
            </button>
        </div>
    }
}

/// The program that is edited.
fn form(editing: Editing) -> Option<AnyView> {
    let view = editing.view;
    let program = editing.chosen.get();
    let draft = editing
        .draft
        .with_untracked(|draft| draft.0.get(program).cloned())?;
    let name = move |which: usize, testid: &'static str, label: [&'static str; 2]| {
        view! {
            <label class="field">
                <span>{view.pick(label[0], label[1])}</span>
                <input
                    type="text"
                    autocomplete="off"
                    data-testid=testid
                    value=draft.names[which].clone()
                    on:input=move |event| editing.draft.update(|draft| {
                        if let Some(program) = draft.0.get_mut(program) {
                            program.names[which] = event_target_value(&event);
                        }
                    })
                />
            </label>
        }
        .into_any()
    };
    let names = [
        name(0, "program-name", ["Name", "名称（英文）"]),
        name(1, "program-name-zh", ["Name in Chinese", "名称（中文）"]),
    ];
    let last = draft.steps.len().saturating_sub(1);
    let steps: Vec<AnyView> = draft
        .steps
        .iter()
        .enumerate()
        .map(|(at, texts)| step(editing, [program, at, last], texts))
        .collect();
    let remove = move |_| {
        editing.chosen.set(program.saturating_sub(1));
        editing.change(|draft| {
            draft.0.remove(program);
        });
    };
    Some(
        view! {
            <div class="draft">
                {Vec::from(names)}
                {steps}
                <div class="keys two">
                    <button
                        type="button"
                        class="key"
                        data-testid="step-add"
                        on:click=move |_| editing.change(|draft| draft.add_step(program))
                    >
                        {view.pick("+ Step", "＋ 步骤")}
                    </button>
                    <button type="button" class="key" data-testid="program-remove" on:click=remove>
                        {view.pick("Remove program", "删除程序")}
                    </button>
                </div>
            </div>
        }
        .into_any(),
    )
}

fn step(editing: Editing, [program, at, last]: [usize; 3], texts: &[String]) -> AnyView {
    let view = editing.view;
    let items: Vec<AnyView> = ITEMS
        .iter()
        .zip(texts)
        .enumerate()
        .map(|(which, (item, text))| field(editing, [program, at, which], *item, text))
        .collect();
    let testid = ["step-", &(at + 1).to_string()].concat();
    let key = move |end: &'static str,
                    name: [&'static str; 2],
                    is_off: bool,
                    act: fn(&mut Draft, usize, usize)| {
        view! {
            <button
                type="button"
                class="key"
                data-testid=["step-", &(at + 1).to_string(), end].concat()
                aria-label=view.pick(name[0], name[1])
                prop:disabled=is_off
                on:click=move |_| editing.change(|draft| act(draft, program, at))
            >
                {match end {
                    "-up" => "▲",
                    "-down" => "▼",
                    _ => "✕",
                }}
            </button>
        }
        .into_any()
    };
    let keys = [
        key(
            "-up",
            ["Earlier", "提前"],
            at == 0,
            |draft, program, at| {
                draft.move_step(program, at, true);
            },
        ),
        key(
            "-down",
            ["Later", "推后"],
            at == last,
            |draft, program, at| {
                draft.move_step(program, at, false);
            },
        ),
        key(
            "-remove",
            ["Remove step", "删除步骤"],
            last == 0,
            |draft, program, at| {
                draft.remove_step(program, at);
            },
        ),
    ];
    view! {
        <fieldset class="step" data-testid=testid>
            <legend>{view.pick("Step ", "步骤 ")} {at + 1}</legend>
            <div class="step-items">{items}</div>
            <div class="keys three">{Vec::from(keys)}</div>
        </fieldset>
    }
    .into_any()
}

fn field(editing: Editing, place: [usize; 3], item: Item, text: &str) -> AnyView {
    let view = editing.view;
    let [program, at, which] = place;
    let set = move |typed: String| {
        editing
            .draft
            .update(|draft| draft.set(program, at, which, typed));
    };
    let testid = ["step-", &(at + 1).to_string(), "-", item.key].concat();
    let input = match item.kind {
        Kind::Number => view! {
            <input
                type="text"
                inputmode="decimal"
                autocomplete="off"
                data-testid=testid
                value=text.to_owned()
                placeholder="—"
                on:input=move |event| set(event_target_value(&event))
            />
        }
        .into_any(),
        Kind::Choice(choices) => {
            let chosen = text.to_owned();
            let option = move |word: &'static str| {
                let is_chosen = chosen == word;
                view! {
                    <option value=word selected=is_chosen>
                        {move || words::step_choice(item.key, word, view.lang.get())}
                    </option>
                }
            };
            let options: Vec<_> = choices.iter().copied().map(option).collect();
            view! {
                <select data-testid=testid on:change=move |event| set(event_target_value(&event))>
                    {options}
                </select>
            }
            .into_any()
        }
    };
    view! {
        <label>
            <span>{move || words::step_item(item.key, view.lang.get())}</span>
            {input}
        </label>
    }
    .into_any()
}

fn problems(editing: Editing) -> impl IntoView {
    let view = editing.view;
    move || {
        let problems = editing.draft.with(Draft::check).err()?;
        let lang = view.lang.get();
        let line = |problem: &crate::profile::ProfileProblem| {
            let colon = lang.pick(": ", "：");
            let place = words::problem_place(&problem.path, lang);
            view! { <li>{[place.as_str(), colon, &problem.in_words(lang)].concat()}</li> }
        };
        let lines = problems.iter().map(line).collect_view();
        Some(
            view! { <ul class="problem" role="alert" data-testid="programs-problems">{lines}</ul> },
        )
    }
}
