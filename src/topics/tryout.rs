//! Messages and service calls by hand, for engineers: by the profile alone. A form out of the type's
//! definition, one act at a time, and the answer as a tree.

use leptos::prelude::*;

use super::detail::line_view;
use super::{View, words};
use crate::msgs::form::FormField;
use crate::viewer::Wish;
use crate::viewer::tryout::{Step, Target, TryoutView};

const MOST_SUGGESTIONS: usize = 200;
const USUAL_TIMEOUT_S: f64 = 5.0;

#[derive(Clone, Copy)]
struct Tool {
    view: View,
    is_service: RwSignal<bool>,
    name: RwSignal<String>,
    kind: RwSignal<String>,
    timeout_s: RwSignal<String>,
    typed: RwSignal<Vec<(String, String)>>,
    seen: Memo<Option<TryoutView>>,
}

impl Tool {
    fn step(self) -> Step {
        self.seen
            .with(|seen| seen.as_ref().map(|seen| seen.step.clone()))
            .unwrap_or_default()
    }

    fn open(self) {
        let name = self.name.get_untracked();
        let target = if self.is_service.get_untracked() {
            Target::Service(name)
        } else {
            Target::Topic {
                name,
                kind: self.kind.get_untracked(),
            }
        };
        self.typed.set(Vec::new());
        self.view.wish(Wish::Tryout(Some(target)));
    }

    fn close(self) {
        self.typed.set(Vec::new());
        self.view.wish(Wish::Tryout(None));
    }

    fn send(self) {
        let timeout_s = self.timeout_s.get_untracked().trim().parse::<f64>();
        let timeout_s = timeout_s.unwrap_or(USUAL_TIMEOUT_S).clamp(0.1, 120.0);
        let typed = self.typed.get_untracked();
        self.view
            .wish(Wish::Send(typed, (timeout_s * 1000.0) as u32));
    }
}

pub(super) fn tryout(view: View) -> AnyView {
    let seen = Memo::new(move |_| view.snapshot.with(|seen| seen.tryout.as_deref().cloned()));
    let tool = Tool {
        view,
        is_service: RwSignal::new(false),
        name: RwSignal::default(),
        kind: RwSignal::default(),
        timeout_s: RwSignal::new(USUAL_TIMEOUT_S.to_string()),
        typed: RwSignal::default(),
        seen,
    };
    // What was advertised for it is withdrawn with the page.
    Effect::new(move |was_open: Option<bool>| {
        let is_open = view.is_open.get();
        if was_open == Some(true) && !is_open {
            tool.close();
        }
        is_open
    });
    let form = Memo::new(move |_| {
        seen.with(|seen| seen.as_ref().map(|seen| seen.form.clone()))
            .unwrap_or_default()
    });
    let turn = move |is_service: bool| {
        tool.is_service.set(is_service);
        tool.name.set(String::new());
        tool.close();
        if is_service {
            view.wish(Wish::Services);
        }
    };
    let choice = move |is_service: bool, testid: &'static str, name: [&'static str; 2]| {
        view! {
            <button
                type="button"
                class="key choice"
                data-testid=testid
                aria-pressed=move || (tool.is_service.get() == is_service).to_string()
                on:click=move |_| turn(is_service)
            >
                {view.pick(name[0], name[1])}
            </button>
        }
    };
    view! {
        <details class="tryout" data-testid="tryout">
            <summary class="key">{view.pick("By hand: publish, call a service", "手动：发布消息、调用服务")}</summary>
            <div class="unfolded">
            <p class="topics-state">{view.pick(
                "For engineers. One message or call for each tap; commands are refused. What a service does is the vehicle's affair.",
                "供工程师使用。每次点按只发送一次；拒绝指令话题。服务的效果由车辆决定。",
            )}</p>
            <div class="keys seg">
                {choice(false, "tryout-topic", ["Message", "消息"])}
                {choice(true, "tryout-service", ["Service", "服务"])}
            </div>
            {move || if tool.is_service.get() { service(tool) } else { topic(tool) }}
            <button
                type="button"
                class="key"
                data-testid="tryout-open"
                prop:disabled=move || tool.name.with(|name| name.trim().is_empty())
                on:click=move |_| tool.open()
            >
                {view.pick("Fill in", "填写")}
            </button>
            <p data-testid="tryout-state" data-state=move || words::tryout_slug(&tool.step())>
                {move || words::tryout_state(&tool.step(), view.lang.get())}
            </p>
            {move || {
                let form = form.get();
                tool.typed.set(Vec::new());
                (!form.is_empty()).then(|| fields(tool, &form))
            }}
            {move || {
                let Step::Answered(lines) = tool.step() else {
                    return None;
                };
                let lang = view.lang.get();
                let lines = lines.iter().map(|line| line_view(line, lang)).collect_view();
                Some(view! { <div class="topic-tree" data-testid="tryout-answer">{lines}</div> })
            }}
            </div>
        </details>
    }
    .into_any()
}

fn topic(tool: Tool) -> AnyView {
    let view = tool.view;
    let names = move || {
        view.snapshot.with(|seen| {
            let names = seen.topics.iter().take(MOST_SUGGESTIONS);
            names
                .map(|row| view! { <option value=row.name.clone()></option> })
                .collect_view()
        })
    };
    view! {
        <label class="field">
            <span>{view.pick("Topic", "话题")}</span>
            <input
                type="text"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                list="tryout-topics"
                data-testid="tryout-name"
                on:input=move |event| tool.name.set(event_target_value(&event))
            />
            <datalist id="tryout-topics">{names}</datalist>
        </label>
        <label class="field">
            <span>{view.pick("Type, for a topic that is not listed", "类型（未列出的话题需填写）")}</span>
            <input
                type="text"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                placeholder="std_msgs/msg/String"
                data-testid="tryout-kind"
                on:input=move |event| tool.kind.set(event_target_value(&event))
            />
        </label>
    }
    .into_any()
}

fn service(tool: Tool) -> AnyView {
    let view = tool.view;
    let services = Memo::new(move |_| {
        tool.seen
            .with(|seen| seen.as_ref().map(|seen| seen.services.clone()))
            .unwrap_or_default()
    });
    let options = move || {
        let option = |name: &String| view! { <option value=name.clone()>{name.clone()}</option> };
        services.with(|all| all.iter().map(option).collect_view())
    };
    view! {
        <label class="field">
            <span>{view.pick("Service", "服务")}</span>
            <select
                data-testid="tryout-name"
                on:change=move |event| tool.name.set(event_target_value(&event))
            >
                <option value="">"—"</option>
                {options}
            </select>
        </label>
        <label class="field">
            <span>{view.pick("Wait for the answer, s", "等待应答（秒）")}</span>
            <input
                type="text"
                inputmode="decimal"
                autocomplete="off"
                data-testid="tryout-timeout"
                value=tool.timeout_s.get_untracked()
                on:input=move |event| tool.timeout_s.set(event_target_value(&event))
            />
        </label>
    }
    .into_any()
}

fn fields(tool: Tool, form: &[FormField]) -> AnyView {
    let view = tool.view;
    let kind = tool
        .seen
        .with_untracked(|seen| seen.as_ref().map(|seen| seen.kind.clone()));
    let mistakes = move || {
        let lang = view.lang.get();
        tool.seen.with(|seen| {
            let mistakes = seen.iter().flat_map(|seen| &seen.mistakes);
            mistakes
                .map(|mistake| view! { <li>{words::mistake(mistake, lang)}</li> })
                .collect_view()
        })
    };
    let has_mistakes = move || {
        tool.seen
            .with(|seen| seen.as_ref().is_some_and(|seen| !seen.mistakes.is_empty()))
    };
    let is_waiting = move || tool.step() == Step::Waiting;
    let send = move || {
        let lang = view.lang.get();
        if tool.is_service.get() {
            lang.pick("Call", "调用")
        } else {
            lang.pick("Publish once", "发布一次")
        }
    };
    let lines: Vec<AnyView> = form.iter().map(|it| field(tool, it)).collect();
    view! {
        <div class="draft" data-testid="tryout-form">
            <b>{kind}</b>
            {lines}
            <ul class="problem" role="alert" data-testid="tryout-mistakes" hidden=move || !has_mistakes()>
                {mistakes}
            </ul>
            <button
                type="button"
                class="key"
                data-testid="tryout-send"
                prop:disabled=is_waiting
                on:click=move |_| tool.send()
            >
                {send}
            </button>
        </div>
    }
    .into_any()
}

fn field(tool: Tool, field: &FormField) -> AnyView {
    let depth = field.depth.min(12).to_string();
    if field.kind.is_empty() {
        return view! { <b class="line" data-depth=depth>{field.name.clone()}</b> }.into_any();
    }
    let path = field.path.clone();
    let set = move |text: String| {
        tool.typed.update(|typed| {
            typed.retain(|(of, _)| *of != path);
            typed.push((path.clone(), text));
        });
    };
    let what = [field.kind.as_str(), " ", &field.unit].concat();
    let testid = ["tryout", &field.path].concat();
    let input = if field.path.is_empty() {
        view! {
            <textarea
                rows="6"
                data-testid="tryout-json"
                prop:value=field.default.clone()
                on:input=move |event| set(event_target_value(&event))
            ></textarea>
        }
        .into_any()
    } else if field.kind == "bool" {
        let is_true = field.default == "true";
        view! {
            <select data-testid=testid on:change=move |event| set(event_target_value(&event))>
                <option value="false" selected=!is_true>"false"</option>
                <option value="true" selected=is_true>"true"</option>
            </select>
        }
        .into_any()
    } else {
        view! {
            <input
                type="text"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                data-testid=testid
                value=field.default.clone()
                on:input=move |event| set(event_target_value(&event))
            />
        }
        .into_any()
    };
    view! {
        <label class="line" data-depth=depth>
            <span class="line-name">{field.name.clone()} " " <small>{what}</small></span>
            {input}
        </label>
    }
    .into_any()
}
