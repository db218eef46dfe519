//! The page's components, drawn and operated in a real browser: what a finger does, and what is
//! sent for it.
#![cfg(all(target_arch = "wasm32", feature = "ui"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use broomstick::pilot::intent::{Intent, StickInput};
use broomstick::pilot::snapshot::{
    Confirm, ConfirmView, Delivery, DriveState, FieldView, LinkState, PressEnd, Reason, Snapshot,
    StopView, ToolStatus, ToolsState,
};
use broomstick::profile::Profile;
use broomstick::screen::preferences::{Look, Preferences};
use broomstick::tools::field::ToolField;
use broomstick::tools::intent::{Holds, Wanted};
use broomstick::ui::app::App;
use broomstick::ui::context::{Console, Destination, Outlet, Phase, ToolsPage};
use broomstick::words::Lang;
use leptos::prelude::*;
use leptos::tachys::view::any_view::AnyViewState;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement, HtmlInputElement, PointerEvent, PointerEventInit};

wasm_bindgen_test_configure!(run_in_browser);

// ---- the pad

#[wasm_bindgen_test]
async fn a_press_in_the_hub_and_a_push_up_drive_forward() {
    let page = Page::ready().await;
    let pad = page.pad();
    pad.finger(1, "pointerdown", 0.0, 0.0);
    pad.finger(1, "pointermove", 0.0, 0.5);
    let sticks = page.sticks();
    assert_eq!(sticks.len(), 2, "{sticks:?}");
    assert!(sticks[0].unwrap().start_radius < 0.05);
    let pushed = sticks[1].unwrap();
    assert!((pushed.forward - 0.5).abs() < 0.02, "{pushed:?}");
    assert!(pushed.left.abs() < 0.02, "{pushed:?}");
    assert_eq!(pushed.press, sticks[0].unwrap().press);
}

#[wasm_bindgen_test]
async fn a_finger_beyond_the_edge_is_at_full_deflection() {
    let page = Page::ready().await;
    let pad = page.pad();
    pad.finger(1, "pointerdown", 0.0, 0.0);
    pad.finger(1, "pointermove", 0.0, 3.0);
    pad.finger(1, "pointermove", 3.0, 3.0);
    let sticks = page.sticks();
    assert!((sticks[1].unwrap().forward - 1.0).abs() < 1e-6);
    let corner = sticks[2].unwrap();
    assert!((corner.forward.hypot(corner.left) - 1.0).abs() < 1e-6);
    assert!(corner.left < 0.0, "right is negative: {corner:?}");
}

#[wasm_bindgen_test]
async fn every_way_of_ending_a_contact_ends_the_press() {
    for end in ["pointerup", "pointercancel", "lostpointercapture"] {
        let page = Page::ready().await;
        let pad = page.pad();
        pad.finger(1, "pointerdown", 0.0, 0.0);
        pad.finger(1, end, 0.0, 0.0);
        assert_eq!(page.sticks().last(), Some(&None), "{end}");
        pad.finger(1, "pointermove", 0.0, 0.5);
        assert_eq!(page.sticks().last(), Some(&None), "a move after {end}");
    }
}

#[wasm_bindgen_test]
async fn a_second_finger_on_the_pad_does_not_count() {
    let page = Page::ready().await;
    let pad = page.pad();
    pad.finger(1, "pointerdown", 0.0, 0.0);
    pad.finger(2, "pointerdown", 0.0, 0.9);
    pad.finger(2, "pointermove", 0.0, -0.9);
    pad.finger(2, "pointerup", 0.0, -0.9);
    assert_eq!(page.sticks().len(), 1, "{:?}", page.sticks());
    pad.finger(1, "pointermove", 0.0, 0.4);
    assert!(
        page.sticks().last().unwrap().is_some(),
        "the first still drives"
    );
}

#[wasm_bindgen_test]
async fn a_finger_that_the_browser_does_not_follow_does_not_drive() {
    let page = Page::ready().await;
    // A pointer that is not active is refused by the browser's own capture.
    page.pad()
        .finger_as_the_browser_has_it(77, "pointerdown", 0.0, 0.0);
    assert_eq!(page.sticks(), []);
}

#[wasm_bindgen_test]
async fn two_pads_push_with_both_thumbs_and_lifting_either_ends_the_press() {
    let page = Page::ready().await;
    page.console.set_two_pads(true);
    tick().await;
    let (speed, steering) = (page.pad(), page.sized("stick-2"));
    speed.finger(1, "pointerdown", 0.0, 0.0);
    assert_eq!(page.sticks(), [], "one thumb alone");
    assert_eq!(page.count(&Told::Rest), 1);
    steering.finger(2, "pointerdown", 0.0, 0.0);
    speed.finger(1, "pointermove", 0.4, 0.5);
    steering.finger(2, "pointermove", -0.3, 0.8);
    let pushed = page.sticks().last().unwrap().unwrap();
    assert!((pushed.forward - 0.5).abs() < 0.02, "{pushed:?}");
    assert!((pushed.left - 0.3).abs() < 0.02, "{pushed:?}");
    steering.finger(2, "pointerup", -0.3, 0.8);
    assert_eq!(page.told().last(), Some(&Told::Rest));
    speed.finger(1, "pointermove", 0.0, 0.6);
    steering.finger(3, "pointerdown", 0.0, 0.0);
    assert_eq!(
        page.told().last(),
        Some(&Told::Rest),
        "until both were lifted"
    );
    steering.finger(3, "pointerup", 0.0, 0.0);
    speed.finger(1, "pointerup", 0.0, 0.6);
    assert_eq!(page.sticks().last(), Some(&None));
}

#[wasm_bindgen_test]
async fn one_pad_instead_of_two_ends_what_thumbs_do() {
    let page = Page::ready().await;
    page.console.set_two_pads(true);
    tick().await;
    page.pad().finger(1, "pointerdown", 0.0, 0.0);
    page.sized("stick-2").finger(2, "pointerdown", 0.0, 0.0);
    page.console.set_two_pads(false);
    tick().await;
    assert_eq!(page.count(&Told::Release(PressEnd::SettingsChanged)), 2);
    assert_eq!(page.sticks().last(), Some(&None));
    assert!(page.look_for("stick-2").is_none());
}

#[wasm_bindgen_test]
async fn each_press_has_a_number_of_its_own() {
    let page = Page::ready().await;
    let pad = page.pad();
    for _ in 0..2 {
        pad.finger(1, "pointerdown", 0.0, 0.0);
        pad.finger(1, "pointerup", 0.0, 0.0);
    }
    let sticks = page.sticks();
    assert_ne!(sticks[0].unwrap().press, sticks[2].unwrap().press);
}

#[wasm_bindgen_test]
async fn a_pad_that_goes_away_under_the_finger_ends_the_press() {
    let page = Page::ready().await;
    page.pad().finger(1, "pointerdown", 0.0, 0.0);
    page.console.show_phase(Phase::Loading);
    tick().await;
    assert!(page.told().contains(&Told::Release(PressEnd::PadChanged)));
    assert_eq!(page.sticks().last(), Some(&None));
}

#[wasm_bindgen_test]
async fn a_pad_that_is_laid_out_anew_ends_the_press() {
    let page = Page::ready().await;
    let pad = page.pad();
    pad.finger(1, "pointerdown", 0.0, 0.0);
    let style = pad.0.unchecked_ref::<HtmlElement>().style();
    style.set_property("width", "120px").unwrap();
    pad.finger(1, "pointermove", 0.0, 0.5);
    assert!(page.told().contains(&Told::Release(PressEnd::PadChanged)));
}

#[wasm_bindgen_test]
async fn after_a_release_the_knob_rests_although_the_finger_is_still_there() {
    let page = Page::ready().await;
    let pad = page.pad();
    pad.finger(1, "pointerdown", 0.0, 0.0);
    tick().await;
    assert!(pad.0.class_list().contains("pressed"));
    page.console.release(PressEnd::Blur);
    tick().await;
    assert!(!pad.0.class_list().contains("pressed"));
    // The pilot must learn when it is lifted at last.
    pad.finger(1, "pointerup", 0.0, 0.0);
    assert_eq!(page.sticks().last(), Some(&None));
}

#[wasm_bindgen_test]
async fn lifting_the_finger_from_the_pad_leaves_held_tools_alone() {
    let page = Page::ready().await;
    page.console.turn_tools_to(ToolsPage::Pushers);
    tick().await;
    let extend = page.find("tool-brush_deck_pusher-plus");
    extend.finger(2, "pointerdown", 0.0, 0.0);
    let pad = page.pad();
    pad.finger(1, "pointerdown", 0.0, 0.0);
    pad.finger(1, "pointerup", 0.0, 0.0);
    assert_eq!(page.holds().last().unwrap().brush_deck_pusher, 1);
}

// ---- STOP

#[wasm_bindgen_test]
async fn stop_acts_on_the_press_with_other_fingers_down() {
    let page = Page::ready().await;
    page.pad().finger(1, "pointerdown", 0.0, 0.0);
    page.find("stop").finger(2, "pointerdown", 0.0, 0.0);
    assert_eq!(page.count(&Told::Stop), 1);
}

#[wasm_bindgen_test]
async fn stop_is_there_in_every_phase_and_never_disabled() {
    let page = Page::new().await;
    let problems = Profile::from_json(r#"{"drive": {"max_linear": 0}}"#).unwrap_err();
    for phase in [
        Phase::Loading,
        Phase::Running(Arc::default()),
        Phase::BadProfile {
            file: "config.json".into(),
            problems: Arc::new(problems),
        },
    ] {
        page.console.show_phase(phase.clone());
        tick().await;
        let stop = page.find("stop");
        assert!(!stop.0.has_attribute("disabled"), "{phase:?}");
        let before = page.count(&Told::Stop);
        stop.finger(1, "pointerdown", 0.0, 0.0);
        assert_eq!(page.count(&Told::Stop), before + 1, "{phase:?}");
    }
}

#[wasm_bindgen_test]
async fn a_stop_that_nobody_can_deliver_says_so() {
    let page = Page::ready().await;
    page.notes.borrow_mut().nobody_delivers = true;
    page.find("stop").finger(1, "pointerdown", 0.0, 0.0);
    tick().await;
    assert!(
        page.find("banner")
            .text()
            .contains("could not be delivered")
    );
    assert!(page.find("events").text().contains("not delivered"));
    assert_eq!(page.find("stop").attribute("data-latched"), "true");
}

#[wasm_bindgen_test]
async fn a_keyboard_click_stops_and_the_click_after_a_press_does_not_stop_again() {
    let page = Page::ready().await;
    let stop = page.find("stop");
    stop.0.unchecked_ref::<HtmlElement>().click();
    assert_eq!(page.count(&Told::Stop), 1);
}

#[wasm_bindgen_test]
async fn the_reset_is_shown_only_while_stopped_and_asks_for_it() {
    let page = Page::ready().await;
    assert!(page.find("stop-reset").0.has_attribute("hidden"));
    page.show(|now| {
        now.drive.state = DriveState::Stopped;
        now.stop = Some(StopView {
            by: None,
            delivery: Delivery::Published,
            is_opposed: false,
        });
    })
    .await;
    let reset = page.find("stop-reset");
    assert!(!reset.0.has_attribute("hidden"));
    reset.tap();
    assert!(page.told().contains(&Told::Intent(Intent::ResetStop)));
}

// ---- held buttons

#[wasm_bindgen_test]
async fn a_hold_button_acts_while_a_finger_is_on_it() {
    let page = Page::ready().await;
    page.console.turn_tools_to(ToolsPage::Water);
    tick().await;
    for end in ["pointerup", "pointercancel", "lostpointercapture"] {
        let spray = page.find("tool-water_spray-plus");
        spray.finger(1, "pointerdown", 0.0, 0.0);
        assert_eq!(page.holds().last().unwrap().water_spray, 1);
        spray.finger(9, end, 0.0, 0.0);
        assert_eq!(
            page.holds().last().unwrap().water_spray,
            1,
            "another finger's {end}"
        );
        spray.finger(1, end, 0.0, 0.0);
        assert_eq!(page.holds().last().unwrap().water_spray, 0, "{end}");
    }
}

#[wasm_bindgen_test]
async fn turning_the_page_lets_go_of_what_is_held_on_it() {
    let page = Page::ready().await;
    page.console.turn_tools_to(ToolsPage::Pushers);
    tick().await;
    let retract = page.find("tool-suction_squeeqee_pusher-minus");
    retract.finger(1, "pointerdown", 0.0, 0.0);
    assert_eq!(page.holds().last().unwrap().suction_squeeqee_pusher, -1);
    page.find("tools-page-water").tap();
    tick().await;
    assert!(page.holds().last().unwrap().is_empty());
    assert_eq!(retract.attribute("data-held"), "false");
}

#[wasm_bindgen_test]
async fn a_release_lets_go_of_every_button_until_it_is_pressed_anew() {
    let page = Page::ready().await;
    page.console.turn_tools_to(ToolsPage::More);
    tick().await;
    let run = page.find("tool-rpm-plus");
    run.finger(1, "pointerdown", 0.0, 0.0);
    assert!(page.holds().last().unwrap().rpm);
    page.console.release(PressEnd::Hidden);
    tick().await;
    assert_eq!(run.attribute("data-held"), "false");
    run.finger(1, "pointerup", 0.0, 0.0);
    run.finger(1, "pointerdown", 0.0, 0.0);
    tick().await;
    assert_eq!(run.attribute("data-held"), "true");
}

#[wasm_bindgen_test]
async fn the_confirmation_is_offered_held_and_taken_away() {
    let page = Page::ready().await;
    assert!(page.look_for("confirm").is_none());
    page.show(|now| {
        now.confirm = Some(ConfirmView {
            what: Confirm::ToolsNotStanding,
            progress: 0.0,
        });
    })
    .await;
    page.find("confirm").finger(1, "pointerdown", 0.0, 0.0);
    assert_eq!(page.told().last(), Some(&Told::Confirm(true)));
    page.show(|now| now.confirm = None).await;
    assert!(page.look_for("confirm").is_none());
    assert_eq!(
        page.told().last(),
        Some(&Told::Confirm(false)),
        "gone under the finger"
    );
}

// ---- tools, drive, words

#[wasm_bindgen_test]
async fn every_field_is_there_with_its_value_and_range() {
    let page = Page::ready().await;
    for field in ToolField::ALL {
        let tool = page.find(&format!("tool-{}", field.wire_name()));
        let (min, max) = field.documented_range();
        let is_near = |name: &str, end: f64| {
            let shown: f64 = tool.attribute(name).parse().unwrap();
            (shown - end).abs() < 1e-9
        };
        assert!(
            is_near("data-min", min) && is_near("data-max", max),
            "{field:?}"
        );
        assert!(!tool.attribute("data-value").is_empty(), "{field:?}");
    }
}

#[wasm_bindgen_test]
async fn six_quick_taps_want_sixty_percent() {
    let page = Page::ready().await;
    for _ in 0..6 {
        page.find("tool-side_brush-more").tap();
    }
    let wanted = page.wanted().last().copied().unwrap();
    assert_eq!(wanted.side_brush, 60);
    tick().await;
    assert!(page.find("tool-side_brush").text().contains("60 %"));
    assert_eq!(
        page.find("tool-side_brush").attribute("data-status"),
        "wanted"
    );
}

#[wasm_bindgen_test]
async fn what_was_echoed_is_published() {
    let page = Page::ready().await;
    page.find("tool-side_brush-more").tap();
    page.show(|now| {
        now.tools.wanted.side_brush = 10;
        let brush = now.tools.fields.iter_mut();
        for view in brush.filter(|view| view.field == ToolField::SideBrush) {
            view.value = 10.0;
            view.status = ToolStatus::Published;
        }
    })
    .await;
    let brush = page.find("tool-side_brush");
    assert_eq!(brush.attribute("data-status"), "published");
    assert_eq!(brush.attribute("data-value"), "10");
}

#[wasm_bindgen_test]
async fn the_switches_ask_and_show_what_the_pilot_says() {
    let page = Page::ready().await;
    assert_eq!(page.find("drive-arm").attribute("aria-checked"), "true");
    page.find("drive-arm").tap();
    assert!(page.told().contains(&Told::Intent(Intent::ArmDrive(false))));
    page.show(|now| {
        now.drive.state = DriveState::Disarmed;
        now.drive.reason = Some(Reason::Hidden);
    })
    .await;
    assert_eq!(page.find("drive-arm").attribute("aria-checked"), "false");
    assert_eq!(page.find("drive").attribute("data-state"), "disarmed");
    assert_eq!(page.find("drive").attribute("data-reason"), "hidden");
    page.find("tools-arm").tap();
    assert!(page.told().contains(&Told::Intent(Intent::ArmTools(false))));
}

#[wasm_bindgen_test]
async fn the_speed_limit_is_stepped_and_slid() {
    let page = Page::ready().await;
    page.find("speed-limit-less").tap();
    assert_eq!(
        page.told().last(),
        Some(&Told::Intent(Intent::SpeedLimit(90.0)))
    );
    let slider = page.find("speed-limit");
    let input = slider.0.unchecked_ref::<HtmlInputElement>();
    input.set_value("40");
    let event = web_sys::Event::new("input").unwrap();
    input.dispatch_event(&event).unwrap();
    assert_eq!(
        page.told().last(),
        Some(&Told::Intent(Intent::SpeedLimit(40.0)))
    );
}

#[wasm_bindgen_test]
async fn what_was_sent_is_shown_with_its_signs() {
    let page = Page::ready().await;
    page.show(|now| {
        now.drive.linear = -0.2;
        now.drive.angular = 0.1;
        now.drive.sent_age_ms = Some(10.0);
    })
    .await;
    let velocity = page.find("velocity");
    assert_eq!(velocity.attribute("data-linear"), "-0.200");
    assert_eq!(velocity.attribute("data-angular"), "0.100");
    assert!(velocity.text().contains("reverse"), "{}", velocity.text());
    assert!(!velocity.text().contains("ago"), "{}", velocity.text());
    page.show(|now| {
        now.drive.linear = 0.21;
        now.drive.sent_age_ms = Some(2500.0);
    })
    .await;
    let text = page.find("velocity").text();
    assert!(text.contains("sent 0.21 m/s forward"), "{text}");
    assert!(text.contains(" 2.5 s ago"), "{text}");
}

#[wasm_bindgen_test]
async fn the_banner_says_the_reason_and_the_next_move_in_the_language_of_the_screen() {
    let page = Page::ready().await;
    page.show(|now| {
        now.drive.state = DriveState::Blocked;
        now.drive.reason = Some(Reason::LinkStalled);
    })
    .await;
    assert_eq!(
        page.find("banner").text(),
        "Stopped: the link stalled. Lift your finger and press again."
    );
    page.console.set_lang(Lang::Zh);
    tick().await;
    assert_eq!(
        page.find("banner").text(),
        "已拦停：链路停滞。请抬起手指后重新按住。"
    );
    assert_eq!(page.find("stop").text(), "停车");
}

#[wasm_bindgen_test]
async fn a_changed_setting_ends_every_press_and_is_kept() {
    let page = Page::ready().await;
    page.find("theme").tap();
    let told = page.told();
    assert!(told.contains(&Told::Release(PressEnd::SettingsChanged)));
    assert!(
        told.iter()
            .any(|told| matches!(told, Told::Keep(kept) if kept.theme.is_some()))
    );
}

#[wasm_bindgen_test]
async fn an_address_that_cannot_be_opened_is_told_before_it_is_tried() {
    let page = Page::ready().await;
    page.show(|now| now.link.state = LinkState::Offline).await;
    let input = page.find("bridge-url");
    input
        .0
        .unchecked_ref::<HtmlInputElement>()
        .set_value("http://robot");
    page.find("connect").tap();
    tick().await;
    assert!(
        !page
            .told()
            .iter()
            .any(|told| matches!(told, Told::Connect(_)))
    );
    assert!(
        page.root
            .text_content()
            .unwrap()
            .contains("not a WebSocket address")
    );
    input
        .0
        .unchecked_ref::<HtmlInputElement>()
        .set_value("ws://robot:9090");
    page.find("connect").tap();
    let expected = Told::Connect(Destination::Address("ws://robot:9090".into()));
    assert!(page.told().contains(&expected));
    page.find("demo").tap();
    assert!(page.told().contains(&Told::Connect(Destination::Demo)));
}

#[wasm_bindgen_test]
async fn a_profile_with_problems_names_each_by_path_and_reason() {
    let page = Page::new().await;
    let text = r#"{"drive": {"max_liner": 1, "max_linear": 0}}"#;
    page.console.show_phase(Phase::BadProfile {
        file: "yard.json".into(),
        problems: Arc::new(Profile::from_json(text).unwrap_err()),
    });
    tick().await;
    let said = page.find("profile-problems").text();
    for part in [
        "yard.json",
        "drive.max_liner",
        "did you mean max_linear",
        "drive.max_linear",
        "above 0 to 3",
    ] {
        assert!(said.contains(part), "{part} is missing in {said}");
    }
}

#[wasm_bindgen_test]
async fn any_touch_is_told_for_the_presence_check() {
    let page = Page::ready().await;
    page.find("events").finger(1, "pointerdown", 0.0, 0.0);
    assert!(page.told().contains(&Told::Touched));
}

// ---- the page under test

/// What came out.
#[derive(Debug, Clone, PartialEq)]
enum Told {
    Intent(Intent),
    Stop,
    Stick(Option<StickInput>),
    Rest,
    Holds(Holds),
    Confirm(bool),
    Touched,
    Release(PressEnd),
    Connect(Destination),
    Keep(Preferences),
}

#[derive(Default)]
struct Notes {
    told: Vec<Told>,
    nobody_delivers: bool,
}

struct NoteTaker(Rc<RefCell<Notes>>);

impl NoteTaker {
    fn note(&self, told: Told) {
        self.0.borrow_mut().told.push(told);
    }
}

impl Outlet for NoteTaker {
    fn intent(&self, intent: Intent) {
        self.note(Told::Intent(intent));
    }
    fn stop(&self) -> bool {
        self.note(Told::Stop);
        !self.0.borrow().nobody_delivers
    }
    fn stick(&self, stick: Option<StickInput>) {
        self.note(Told::Stick(stick));
    }
    fn holds(&self, holds: Holds) {
        self.note(Told::Holds(holds));
    }
    fn confirm(&self, is_held: bool) {
        self.note(Told::Confirm(is_held));
    }
    fn rest(&self) {
        self.note(Told::Rest);
    }
    fn touched(&self) {
        self.note(Told::Touched);
    }
    fn release(&self, end: PressEnd) {
        self.note(Told::Release(end));
    }
    fn connect(&self, to: Destination) {
        self.note(Told::Connect(to));
    }
    fn keep(&self, preferences: &Preferences) {
        self.note(Told::Keep(preferences.clone()));
    }
}

/// A console in the document, taken away when the test ends.
struct Page {
    root: HtmlElement,
    console: Console,
    notes: Rc<RefCell<Notes>>,
    now: RefCell<Snapshot>,
    mounted: Option<Box<dyn std::any::Any>>,
}

impl Page {
    async fn new() -> Self {
        let root: HtmlElement = document().create_element("div").unwrap().unchecked_into();
        document().body().unwrap().append_child(&root).unwrap();
        let notes = Rc::new(RefCell::new(Notes::default()));
        let outlet = Rc::new(NoteTaker(Rc::clone(&notes)));
        let made = Rc::new(RefCell::new(None));
        let keep = Rc::clone(&made);
        let mounted = leptos::mount::mount_to(root.clone(), move || {
            let console = Console::new(outlet, Look::default(), Preferences::default());
            keep.replace(Some(console));
            view! { <App console=console/> }.into_any()
        });
        let console = made.borrow_mut().take().unwrap();
        tick().await;
        let mounted: UnmountHandle = mounted;
        Self {
            root,
            console,
            notes,
            now: RefCell::default(),
            mounted: Some(Box::new(mounted)),
        }
    }

    /// Connected, drive and tools armed.
    async fn ready() -> Self {
        let page = Self::new().await;
        page.console.show_phase(Phase::Running(Arc::default()));
        page.show(|now| {
            now.link.state = LinkState::Online;
            now.drive.state = DriveState::Ready;
            now.drive.limit_percent = 100.0;
            now.tools.state = ToolsState::Armed;
            now.tools.wanted = Wanted::default();
            now.tools.fields = ToolField::ALL
                .into_iter()
                .map(|field| {
                    let (min, max) = field.documented_range();
                    FieldView {
                        field,
                        value: 0.0,
                        min,
                        max,
                        status: ToolStatus::Published,
                        note: None,
                    }
                })
                .collect();
        })
        .await;
        page
    }

    async fn show(&self, change: impl FnOnce(&mut Snapshot)) {
        change(&mut self.now.borrow_mut());
        self.console.show_pilot(self.now.borrow().clone());
        tick().await;
    }

    fn look_for(&self, testid: &str) -> Option<Part> {
        self.root
            .query_selector(&format!("[data-testid=\"{testid}\"]"))
            .unwrap()
            .map(Part)
    }

    fn find(&self, testid: &str) -> Part {
        self.look_for(testid)
            .unwrap_or_else(|| panic!("{testid} is not in the page"))
    }

    fn pad(&self) -> Part {
        self.sized("stick")
    }

    fn sized(&self, testid: &str) -> Part {
        let pad = self.find(testid);
        // The tests run without the style sheet.
        let style = pad.0.unchecked_ref::<HtmlElement>().style();
        style.set_property("width", "200px").unwrap();
        style.set_property("height", "200px").unwrap();
        pad
    }

    fn told(&self) -> Vec<Told> {
        self.notes.borrow().told.clone()
    }

    fn count(&self, told: &Told) -> usize {
        self.told().iter().filter(|other| *other == told).count()
    }

    fn sticks(&self) -> Vec<Option<StickInput>> {
        let told = self.told().into_iter();
        told.filter_map(|told| match told {
            Told::Stick(stick) => Some(stick),
            _ => None,
        })
        .collect()
    }

    fn holds(&self) -> Vec<Holds> {
        let told = self.told().into_iter();
        told.filter_map(|told| match told {
            Told::Holds(holds) => Some(holds),
            _ => None,
        })
        .collect()
    }

    fn wanted(&self) -> Vec<Wanted> {
        let told = self.told().into_iter();
        told.filter_map(|told| match told {
            Told::Intent(Intent::Want(wanted)) => Some(wanted),
            _ => None,
        })
        .collect()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        drop(self.mounted.take());
        self.root.remove();
    }
}

type UnmountHandle = leptos::mount::UnmountHandle<AnyViewState>;

struct Part(Element);

impl Part {
    /// A finger at a point in pad units: (right, up) of the centre, in half widths.
    fn finger(&self, pointer: i32, kind: &str, right: f64, up: f64) {
        // A synthetic pointer cannot be captured; whether a real one is, is the browser's to do.
        let follow = js_sys::Function::new_no_args("");
        js_sys::Reflect::set(&self.0, &"setPointerCapture".into(), &follow).unwrap();
        self.finger_as_the_browser_has_it(pointer, kind, right, up);
    }

    fn finger_as_the_browser_has_it(&self, pointer: i32, kind: &str, right: f64, up: f64) {
        let place = self.0.get_bounding_client_rect();
        let half = place.width().min(place.height()) / 2.0;
        let x = place.left() + place.width() / 2.0 + right * half;
        let y = place.top() + place.height() / 2.0 - up * half;
        let init = PointerEventInit::new();
        init.set_pointer_id(pointer);
        init.set_pointer_type("touch");
        init.set_bubbles(true);
        init.set_cancelable(true);
        init.set_client_x(x as i32);
        init.set_client_y(y as i32);
        let event = PointerEvent::new_with_event_init_dict(kind, &init).unwrap();
        self.0.dispatch_event(&event).unwrap();
    }

    fn tap(&self) {
        self.0.unchecked_ref::<HtmlElement>().click();
    }

    fn text(&self) -> String {
        self.0.text_content().unwrap_or_default().trim().to_owned()
    }

    fn attribute(&self, name: &str) -> String {
        self.0.get_attribute(name).unwrap_or_default()
    }
}

/// Lets the page draw what has changed.
async fn tick() {
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        web_sys::window()
            .unwrap()
            .set_timeout_with_callback(&resolve)
            .unwrap();
    });
    wasm_bindgen_futures::JsFuture::from(promise)
        .await
        .map_or_else(|_: JsValue| (), |_| ());
}
