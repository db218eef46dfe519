//! Puts markup in the place of other markup that is much like it.

use wasm_bindgen::JsCast;
use web_sys::{Element, Node};

use crate::shell::svg;

/// Makes what is inside of an element what the markup says. Elements that are there already stay and
/// get its attributes and text: for each one that is put in the browser looks at the style of the
/// whole page.
pub(super) fn set_inside(place: &Element, markup: &str) {
    let Ok(fresh) = place.clone_node() else {
        return;
    };
    if let Some(fresh) = fresh.dyn_ref::<Element>() {
        fresh.set_inner_html(markup);
        patch(place, fresh);
    }
}

fn patch(old: &Node, new: &Node) {
    let (before, after) = (children(old), children(new));
    let names = |nodes: &[Node]| nodes.iter().map(Node::node_name).collect::<Vec<_>>();
    if names(&before) != names(&after) {
        old.set_text_content(None);
        for child in after {
            old.append_child(&child).ok();
        }
        return;
    }
    for (old, new) in before.iter().zip(&after) {
        match (old.dyn_ref::<Element>(), new.dyn_ref::<Element>()) {
            (Some(element), Some(told)) => {
                take_attributes(element, told);
                patch(old, new);
            }
            _ if old.node_value() != new.node_value() => {
                old.set_node_value(new.node_value().as_deref());
            }
            _ => {}
        }
    }
}

fn take_attributes(element: &Element, told: &Element) {
    let names = |of: &Element| {
        let names = of.get_attribute_names().to_vec();
        names.into_iter().filter_map(|name| name.as_string())
    };
    for name in names(element) {
        if !told.has_attribute(&name) {
            element.remove_attribute(&name).ok();
        }
    }
    for name in names(told) {
        let value = told.get_attribute(&name).unwrap_or_default();
        svg::set(element, &name, &value);
    }
}

fn children(of: &Node) -> Vec<Node> {
    let nodes = of.child_nodes();
    (0..nodes.length()).filter_map(|i| nodes.get(i)).collect()
}
