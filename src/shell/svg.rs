//! Elements of SVG. What is drawn with them costs the page's thread only what it adds: a canvas is
//! copied as a whole with each frame of the page where there is no graphics card.

use wasm_bindgen::prelude::*;
use web_sys::{CssStyleDeclaration, Element, SvgElement};

use crate::units::decimal;

const SVG: &str = "http://www.w3.org/2000/svg";

/// A new one; `None` when the browser refuses to make it.
#[must_use]
pub fn element(name: &str, class: &str) -> Option<SvgElement> {
    let document = web_sys::window()?.document()?;
    let element = document.create_element_ns(Some(SVG), name).ok()?;
    element.set_attribute("class", class).ok()?;
    element.dyn_into().ok()
}

/// The same inside another.
pub fn child(parent: &Element, name: &str, class: &str) -> Option<SvgElement> {
    let element = element(name, class)?;
    parent.append_child(&element).ok()?;
    Some(element)
}

/// An attribute gets a value; its name is a literal, or the browser's own, and cannot be refused. What
/// it has already is left alone: the browser would draw it again all the same.
pub fn set(element: &Element, name: &str, value: &str) {
    if element.get_attribute(name).as_deref() != Some(value) {
        element.set_attribute(name, value).ok();
    }
}

/// Something that is not seen and as large as a part of the map. A layer that holds it does not grow
/// with what is drawn on it: the browser would lay out all of its layers anew each time.
///
/// It stands first in its parent, and is moved when it is there.
pub fn extent(parent: &Element, (left, top): (f64, f64), (width, height): (f64, f64)) {
    let there = parent.first_element_child();
    let rect = there
        .filter(|it| it.tag_name() == "rect")
        .or_else(|| child(parent, "rect", "").map(Into::into));
    let Some(rect) = rect else {
        return;
    };
    for (name, value) in [
        ("x", left),
        ("y", top),
        ("width", width),
        ("height", height),
    ] {
        set(&rect, name, &decimal(value, 0));
    }
    set(&rect, "fill-opacity", "0.002");
}

/// A style gets a value. One that the browser does not understand is ignored by it, not refused.
pub fn style(style: &CssStyleDeclaration, name: &str, value: &str) {
    style.set_property(name, value).ok();
}

/// A place in a pane of the map, as a style has it.
#[must_use]
pub fn translation((x, y): (f64, f64)) -> String {
    [
        "translate3d(",
        &decimal(x, 1),
        "px,",
        &decimal(y, 1),
        "px,0)",
    ]
    .concat()
}
