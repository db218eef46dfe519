//! Keeps the fingers on the map apart from the fingers on everything else.
//!
//! Leaflet 1.9 takes `touches` for its own, but that list holds every finger on the *page*: with
//! a thumb on the drive pad, one finger on the map is a pinch, and lifting the thumb ends a pan.
//! Here Leaflet is shown only the fingers that began on the map. Nobody else's events are
//! stopped or changed: an event of another element is shadowed only once it has reached the
//! document, where Leaflet listens.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Function, Object, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{Event, EventInit, EventTarget, HtmlElement, Node, TouchEvent};

const TOUCH_EVENTS: [&str; 4] = ["touchstart", "touchmove", "touchend", "touchcancel"];
const POINTER_EVENTS: [&str; 4] = ["pointerdown", "pointermove", "pointerup", "pointercancel"];

/// Watches over a map's container until it is dropped. Set it up before the map, so that its
/// listeners run before Leaflet's.
pub(super) struct TouchGuard {
    listeners: Vec<Listener>,
}

struct Listener {
    target: EventTarget,
    kind: &'static str,
    is_capture: bool,
    callback: Closure<dyn FnMut(Event)>,
}

impl TouchGuard {
    /// A guard for that container. `is_touch_native` is Leaflet's own choice between touch events
    /// and pointer events.
    pub(super) fn new(container: &HtmlElement, is_touch_native: bool) -> Self {
        let mut guard = Self {
            listeners: Vec::new(),
        };
        let Some(window) = web_sys::window() else {
            return guard;
        };
        let Some(document) = window.document() else {
            return guard;
        };
        if is_touch_native {
            guard.watch_touches(container, window.as_ref(), document.as_ref());
        } else {
            guard.watch_pointers(container, window.as_ref());
        }
        guard
    }

    fn watch_touches(&mut self, map: &HtmlElement, window: &EventTarget, document: &EventTarget) {
        for kind in TOUCH_EVENTS {
            let container = map.clone();
            self.listen(window, kind, true, move |event| {
                if let Some(event) = event.dyn_ref::<TouchEvent>()
                    && began_on(&container, event.target())
                {
                    show_only(event, &touches_of(&container, event));
                }
            });
            let container = map.clone();
            self.listen(document, kind, false, move |event| {
                if let Some(event) = event.dyn_ref::<TouchEvent>()
                    && !began_on(&container, event.target())
                {
                    let touches = touches_of(&container, event);
                    if touches.length() > 0 {
                        show_only(event, &touches);
                    }
                }
            });
        }
        // Whichever finger was lifted, Leaflet has ended its gesture by now; the fingers that are
        // still on the map begin one anew.
        for kind in ["touchend", "touchcancel"] {
            let container = map.clone();
            self.listen(window, kind, false, move |event| {
                if let Some(event) = event.dyn_ref::<TouchEvent>() {
                    let touches = touches_of(&container, event);
                    if touches.length() > 0 {
                        begin_anew(&container, &touches);
                    }
                }
            });
        }
    }

    /// Where there are no touch events Leaflet makes up `touches` from all pointers of the page:
    /// it assigns a list to the event and fills it. The event is given a property that takes the
    /// list and, whenever it is read, drops the foreign pointers from it.
    fn watch_pointers(&mut self, map: &HtmlElement, window: &EventTarget) {
        let list: Rc<RefCell<Array>> = Rc::new(RefCell::new(Array::new()));
        let set = {
            let list = Rc::clone(&list);
            Closure::<dyn FnMut(Array)>::new(move |assigned| *list.borrow_mut() = assigned)
        };
        let get = {
            let container = map.clone();
            Closure::<dyn FnMut() -> Array>::new(move || {
                let list = list.borrow().clone();
                let own = list.filter(&mut |pointer, _, _| {
                    let pointer: Result<Event, _> = pointer.dyn_into();
                    pointer.is_ok_and(|pointer| began_on(&container, pointer.target()))
                });
                // In place: Leaflet pushes onto the very list that it assigned.
                list.set_length(0);
                own.for_each(&mut |pointer, _, _| {
                    list.push(&pointer);
                });
                list
            })
        };
        let descriptor = Object::new();
        set_property(&descriptor, "configurable", &JsValue::TRUE);
        set_property(&descriptor, "get", get.as_ref());
        set_property(&descriptor, "set", set.as_ref());
        // The first listener owns the two closures that every event's property refers to.
        let mut owned = Some((get, set));
        for kind in POINTER_EVENTS {
            let descriptor = descriptor.clone();
            let kept = owned.take();
            self.listen(window, kind, true, move |event| {
                let _kept = &kept;
                Object::define_property(&event, &"touches".into(), &descriptor);
            });
        }
    }

    fn listen(
        &mut self,
        target: &EventTarget,
        kind: &'static str,
        is_capture: bool,
        callback: impl FnMut(Event) + 'static,
    ) {
        let callback = Closure::<dyn FnMut(Event)>::new(callback);
        let function: &Function = callback.as_ref().unchecked_ref();
        if target
            .add_event_listener_with_callback_and_bool(kind, function, is_capture)
            .is_ok()
        {
            self.listeners.push(Listener {
                target: target.clone(),
                kind,
                is_capture,
                callback,
            });
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let function: &Function = self.callback.as_ref().unchecked_ref();
        // It fails only where there is nothing to remove.
        self.target
            .remove_event_listener_with_callback_and_bool(self.kind, function, self.is_capture)
            .ok();
    }
}

/// A touch's target is the element it began on, wherever the finger is now.
fn began_on(container: &HtmlElement, target: Option<EventTarget>) -> bool {
    target
        .and_then(|target| target.dyn_into::<Node>().ok())
        .is_some_and(|node| container.contains(Some(&node)))
}

fn touches_of(container: &HtmlElement, event: &TouchEvent) -> Array {
    let touches = event.touches();
    (0..touches.length())
        .filter_map(|index| touches.get(index))
        .filter(|touch| began_on(container, touch.target()))
        .collect()
}

fn show_only(event: &Event, touches: &Array) {
    shadow(event, "touches", touches);
    // With a finger elsewhere the browser does not wait for what becomes of a touch, and complains
    // about every attempt to prevent it. Leaflet tries each time; a function that only answers
    // takes the place.
    if !event.cancelable()
        && let Ok(harmless) = Reflect::get(event, &"valueOf".into())
    {
        shadow(event, "preventDefault", &harmless);
    }
}

fn shadow(event: &Event, name: &str, value: &JsValue) {
    let descriptor = Object::new();
    set_property(&descriptor, "configurable", &JsValue::TRUE);
    set_property(&descriptor, "value", value);
    Object::define_property(event, &name.into(), &descriptor);
}

/// A `touchstart` that only the container hears.
fn begin_anew(container: &HtmlElement, touches: &Array) {
    let init = EventInit::new();
    init.set_cancelable(true);
    if let Ok(event) = Event::new_with_event_init_dict("touchstart", &init) {
        show_only(&event, touches);
        // It fails only for an event that is already on its way.
        container.dispatch_event(&event).ok();
    }
}

fn set_property(object: &Object, name: &str, value: &JsValue) {
    // A plain object takes every property.
    Reflect::set(object, &name.into(), value).ok();
}
