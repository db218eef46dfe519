//! What was found out about the vehicle: others on the same server to choose from, and definitions
//! that do not fit, field by field.

use leptos::prelude::*;

use super::{View, words};
use crate::monitor::snapshot::{Conflict, FieldDifference, Namespace};

pub(super) fn found(view: View) -> impl IntoView {
    // One vehicle, and it is this one: there is nothing to choose.
    let is_a_choice = move || {
        view.namespaces.with(|all| {
            let here = view.namespace.get();
            all.iter().any(|other| other.name != here)
        })
    };
    let choices = move || {
        let here = view.namespace.get();
        view.namespaces.with(|all| {
            let choice = |namespace: &Namespace| choice(view, namespace, namespace.name == here);
            all.iter().map(choice).collect_view()
        })
    };
    let conflicts = move || {
        view.conflicts
            .with(|all| all.iter().map(|it| conflict(view, it)).collect_view())
    };
    view! {
        <div class="vehicles" data-testid="vehicles" hidden=move || !is_a_choice()>
            <h3>{view.pick("Vehicles on this server", "此服务器上的车辆")}</h3>
            <p class="topics-state">{view.pick(
                "Another vehicle is opened by loading the page anew: Drive and Tools are off then.",
                "切换车辆会重新加载页面：届时行驶与作业装置均关闭。",
            )}</p>
            {choices}
        </div>
        {conflicts}
    }
}

fn choice(view: View, namespace: &Namespace, is_here: bool) -> AnyView {
    let name = namespace.name.clone();
    let has = [
        namespace.has_attitude,
        namespace.has_cmd_vel,
        namespace.has_mc_ctrl,
        namespace.has_rtk,
    ];
    // Of a kind that its topics do not show it is what the profile says.
    let kind = match (namespace.has_attitude, namespace.has_mc_ctrl) {
        (true, _) => Some("multirotor"),
        (false, true) => Some("sweeper"),
        (false, false) => None,
    };
    let title = [
        if name.is_empty() { "/" } else { &name },
        if is_here {
            view.lang.get().pick(" (this one)", "（当前）")
        } else {
            ""
        },
    ]
    .concat();
    view! {
        <button
            type="button"
            class="topic-key"
            data-testid="vehicle-choice"
            data-namespace=name.clone()
            aria-pressed=is_here.to_string()
            disabled=is_here
            on:click=move |_| go_to(view, &name, kind)
        >
            <b>{title}</b>
            <span>{words::vehicle(has, view.lang.get())}</span>
        </button>
    }
    .into_any()
}

/// The same page for another vehicle. Everything else in the address stays; a page that is left in
/// motion stops its vehicle as always.
fn go_to(view: View, namespace: &str, kind: Option<&str>) {
    let location = window().location();
    let gone = location.href().and_then(|href| {
        let url = web_sys::Url::new(&href)?;
        let name = if namespace.is_empty() { "/" } else { namespace };
        url.search_params().set("ns", name);
        match kind {
            Some(kind) => url.search_params().set("kind", kind),
            None => url.search_params().delete("kind"),
        }
        location.set_href(&url.href())
    });
    if let Err(error) = gone {
        leptos::logging::warn!("the address cannot be changed: {error:?}");
        view.is_open.set(true);
    }
}

fn conflict(view: View, conflict: &Conflict) -> AnyView {
    let lang = view.lang.get();
    let row = |field: &FieldDifference| {
        let kind = |kind: &Option<String>| {
            let none = || lang.pick("no such field", "无此字段").to_owned();
            kind.clone().unwrap_or_else(none)
        };
        view! {
            <tr data-field=field.name.clone()>
                <th scope="row">{field.name.clone()}</th>
                <td>{kind(&field.expected)}</td>
                <td>{kind(&field.found)}</td>
            </tr>
        }
    };
    let fields = (!conflict.fields.is_empty()).then(|| {
        view! {
            <table>
                <thead>
                    <tr>
                        <th scope="col">{lang.pick("Field", "字段")}</th>
                        <th scope="col">{lang.pick("Expected", "应为")}</th>
                        <th scope="col">{lang.pick("The vehicle has", "车辆为")}</th>
                    </tr>
                </thead>
                <tbody>{conflict.fields.iter().map(row).collect_view()}</tbody>
            </table>
        }
    });
    view! {
        <div class="problem conflict" data-testid="conflict" data-topic=conflict.topic.clone()>
            <p>{words::conflict(conflict, lang)}</p>
            {fields}
        </div>
    }
    .into_any()
}
