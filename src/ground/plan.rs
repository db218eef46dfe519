//! A site plan: its picture, the layer that it is drawn in, and its control points.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{ArrayBuffer, Reflect, Uint8Array};
use leaflet::{
    DivIconOptions, Layer, Map, Marker, MarkerOptions, Point, TileLayer, TileLayerOptions,
};
use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlImageElement};

use super::Ground;
use super::on_map::{self, OwnLayer, coord_of, datum, wgs84_from_map};
use crate::chart::plan_draft::{Draft, Judgement};
use crate::chart::site_plan::Placement;
use crate::profile::{Datum, TileSource};
use crate::shell::storage::{self, Keep};
use crate::shell::tile_fetch::{Abort, FetchTrouble, fetch};
use crate::shell::viewer_link::Picture;

/// A larger picture is drawn from a reduced copy: it is held in memory while it is shown.
const LARGEST_SIDE: f64 = 4096.0;
/// A larger file is refused.
const LARGEST_FILE: f64 = 40e6;
/// How long a plan may take to come from the vehicle.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(15);
const MAX_ZOOM: f64 = 24.0;
const TILE: f64 = 256.0;
/// Over the tiles.
const LAYER: f64 = 5.0;
/// The plan that was shown last.
const LAST: &str = "plan";

/// What the sheet shows of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct PlanView {
    /// `None`: there is none.
    pub(super) name: Option<String>,
    /// Of its picture.
    pub(super) address: String,
    /// In pixels.
    pub(super) size: (f64, f64),
    pub(super) draft: Draft,
    pub(super) is_placing: bool,
    pub(super) is_shown: bool,
    pub(super) trouble: Option<PlanProblem>,
    /// Of the file of control points beside it.
    pub(super) problems: Vec<String>,
}

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PlanProblem {
    /// It did not come.
    Fetch(String, FetchTrouble),
    /// There is nothing at its address.
    NotThere(String),
    /// What is there is no picture.
    NotAPicture(String),
    /// Too large a file.
    TooLarge(String),
}

impl PlanView {
    /// How good the placement is, where there is one.
    pub(super) fn judgement(&self) -> Option<Judgement> {
        self.draft.judgement(self.size).ok()
    }
}

/// The plan.
pub(super) struct Plan {
    ground: Ground,
    id: String,
    _picture: Picture,
    image: Rc<Image>,
    lies: RefCell<Option<Lies>>,
    /// Grows with every change of what is drawn.
    revision: Cell<u32>,
}

/// Makes a tile, as long as it is kept.
type Create = Closure<dyn FnMut(JsValue) -> JsValue>;

/// Where it was last drawn, and as what.
struct Lies {
    map: Map,
    datum: Datum,
    revision: u32,
    layer: Option<(TileLayer, Create)>,
    points: Vec<Marker>,
}

struct Image {
    whole: HtmlImageElement,
    reduced: Option<HtmlCanvasElement>,
    size: (f64, f64),
}

#[wasm_bindgen]
extern "C" {
    /// `L.DivIcon`; the binding's own makes an `L.Icon`, which wants a picture's address.
    #[wasm_bindgen(js_namespace = L, js_name = DivIcon)]
    type ElementIcon;

    #[wasm_bindgen(constructor, js_namespace = L, js_class = "DivIcon")]
    fn new(options: &DivIconOptions) -> ElementIcon;
}

/// The plan that was shown last comes back.
pub(super) async fn restore(ground: Ground) {
    let Some(last) = storage::get(Keep::OnThisDevice, LAST) else {
        return;
    };
    let text = |name: &str| last.get(name).and_then(Value::as_str).map(str::to_owned);
    let (Some(id), Some(name)) = (text("id"), text("name")) else {
        return;
    };
    let store = ground.held.get_value().store.borrow().clone();
    if let Some(store) = store
        && let Some(bytes) = store.plan(&id).await
    {
        let is_shown = last.get("shown") != Some(&Value::Bool(false));
        take(ground, id, name, bytes, None).await;
        ground.plan.update(|plan| {
            plan.is_placing = false;
            plan.is_shown = is_shown;
        });
        changed(ground);
    }
}

/// The operator chose a picture of this device.
pub(super) fn choose_file(ground: Ground, file: web_sys::File) {
    spawn_local(async move {
        let name = file.name();
        if file.size() > LARGEST_FILE {
            return trouble(ground, PlanProblem::TooLarge(name));
        }
        let Ok(bytes) = JsFuture::from(file.array_buffer()).await else {
            return trouble(ground, PlanProblem::NotAPicture(name));
        };
        let bytes = Uint8Array::new(&bytes.unchecked_into::<ArrayBuffer>());
        take(ground, ["file ", &name].concat(), name, bytes, None).await;
    });
}

/// The operator chose a plan of the profile; without the vehicle the kept one serves.
pub(super) fn choose_source(ground: Ground, source: TileSource) {
    spawn_local(async move {
        let name = if source.name.is_empty() {
            source.url.clone()
        } else {
            source.name.clone()
        };
        let store = ground.held.get_value().store.borrow().clone();
        let (bytes, problem) = match get(&source.url).await {
            Ok(Some(bytes)) => (Some(bytes), PlanProblem::NotThere(name.clone())),
            Ok(None) => (None, PlanProblem::NotThere(name.clone())),
            Err(error) => (None, PlanProblem::Fetch(name.clone(), error)),
        };
        let bytes = match (bytes, store) {
            (None, Some(store)) => store.plan(&source.url).await,
            (bytes, _) => bytes,
        };
        let Some(bytes) = bytes else {
            return trouble(ground, problem);
        };
        // Where it lies may be told beside it.
        let beside = [&source.url, ".json"].concat();
        let beside = match get(&beside).await {
            Ok(Some(bytes)) => String::from_utf8(bytes.to_vec()).ok(),
            _ => None,
        };
        take(ground, source.url, name, bytes, beside).await;
    });
}

async fn get(url: &str) -> Result<Option<Uint8Array>, FetchTrouble> {
    let abort = Abort::new().ok_or(FetchTrouble::NoAnswer)?;
    let late = abort.clone();
    let timer = set_timeout_with_handle(move || late.abort(), PATIENCE).ok();
    let came = fetch(url, None, &abort).await;
    if let Some(timer) = timer {
        timer.clear();
    }
    came
}

async fn take(ground: Ground, id: String, name: String, bytes: Uint8Array, beside: Option<String>) {
    let Some(picture) = Picture::of(&bytes, "") else {
        return trouble(ground, PlanProblem::NotAPicture(name));
    };
    let Some(image) = Image::load(picture.address()).await else {
        return trouble(ground, PlanProblem::NotAPicture(name));
    };
    let store = ground.held.get_value().store.borrow().clone();
    if let Some(store) = store {
        store.keep_plan(&id, &bytes).await;
        ground.say_kept();
    }
    // What was placed on this device counts before what lies beside the picture.
    let kept = storage::get(Keep::OnThisDevice, &place_of(&id));
    let told = kept.as_ref().and_then(Value::as_str).or(beside.as_deref());
    let (draft, problems) = told.map(Draft::from_json).unwrap_or_default();
    let is_placing = draft.placement().is_err();
    remove(ground);
    ground.plan.set(PlanView {
        name: Some(name),
        address: picture.address().to_owned(),
        size: image.size,
        draft,
        is_placing,
        is_shown: true,
        trouble: None,
        problems,
    });
    let plan = Rc::new(Plan {
        ground,
        id,
        _picture: picture,
        image: Rc::new(image),
        lies: RefCell::new(None),
        revision: Cell::new(0),
    });
    ground.held.get_value().plan.replace(Some(plan));
    changed(ground);
}

fn trouble(ground: Ground, problem: PlanProblem) {
    ground.plan.update(|plan| plan.trouble = Some(problem));
}

/// The plan is taken off the map and off the sheet; its points stay kept.
pub(super) fn remove(ground: Ground) {
    let plan = ground.held.get_value().plan.replace(None);
    if let Some(plan) = plan {
        plan.take_off();
    }
    ground.plan.set(PlanView::default());
    if let Err(error) = storage::remove(Keep::OnThisDevice, LAST) {
        leptos::logging::warn!("{error}");
    }
}

/// Something of it changed: it is kept, and drawn anew.
pub(super) fn changed(ground: Ground) {
    let plan = ground.held.get_value().plan.borrow().clone();
    let Some(plan) = plan else {
        return;
    };
    let view = ground.plan.get_untracked();
    let last = json!({"id": plan.id, "name": view.name, "shown": view.is_shown});
    let kept = storage::set(Keep::OnThisDevice, LAST, &last).and_then(|()| {
        if view.draft.points().is_empty() {
            return Ok(());
        }
        let points = Value::String(view.draft.to_json());
        storage::set(Keep::OnThisDevice, &place_of(&plan.id), &points)
    });
    if let Err(error) = kept {
        leptos::logging::warn!("{error}");
    }
    plan.revision.set(plan.revision.get() + 1);
}

fn place_of(id: &str) -> String {
    ["plan.", id].concat()
}

impl Plan {
    /// A place on the map was tapped, WGS84.
    pub(super) fn take_ground(&self, place: (f64, f64)) {
        let is_wanted = self
            .ground
            .plan
            .with_untracked(|plan| plan.is_placing && plan.draft.spot().is_some());
        if is_wanted {
            self.ground.plan.update(|plan| {
                plan.draft.tap_ground(place);
            });
            changed(self.ground);
        }
    }

    /// It lies on that map, as it is to be drawn now.
    pub(super) fn follow(&self, map: &Map) {
        let (datum, revision) = (datum(map), self.revision.get());
        let is_so = self.lies.borrow().as_ref().is_some_and(|lies| {
            on_map::is_same(&lies.map, map) && lies.datum == datum && lies.revision == revision
        });
        if is_so {
            return;
        }
        self.take_off();
        let view = self.ground.plan.get_untracked();
        let placement = view.draft.placement().ok().filter(|_| view.is_shown);
        let points = if view.is_placing {
            view.draft.points().to_vec()
        } else {
            Vec::new()
        };
        let markers = (1..).zip(&points).filter_map(|(number, point)| {
            let at = on_map::on_map(point.ground, datum);
            point_marker(map, number, &at)
        });
        let lies = Lies {
            map: map.clone(),
            datum,
            revision,
            layer: placement.map(|placement| self.lay(map, placement, datum)),
            points: markers.collect(),
        };
        self.lies.replace(Some(lies));
    }

    fn take_off(&self) {
        if let Some(lies) = self.lies.take() {
            for marker in lies.points {
                marker.remove();
            }
            if let Some((layer, create)) = lies.layer {
                layer.remove();
                drop(create);
            }
        }
    }

    fn lay(&self, map: &Map, placement: Placement, datum: Datum) -> (TileLayer, Create) {
        let options = TileLayerOptions::new();
        options.set_max_zoom(MAX_ZOOM);
        options.set_z_index(LAYER);
        let layer = TileLayer::new_options("data:,", &options);
        let own: &OwnLayer = layer.unchecked_ref();
        own.set_own_mark(true);
        let image = Rc::clone(&self.image);
        let create = Create::new(move |coords: JsValue| {
            let transform = placement.on_tile(coord_of(&coords), wgs84_from_map(datum));
            image.tile(transform).map_or(JsValue::NULL, Into::into)
        });
        own.set_create_tile(create.as_ref());
        let as_layer: &Layer = &layer;
        as_layer.add_to(map);
        (layer, create)
    }
}

impl Image {
    async fn load(address: &str) -> Option<Self> {
        let whole = HtmlImageElement::new().ok()?;
        whole.set_src(address);
        JsFuture::from(whole.decode()).await.ok()?;
        let size = (
            f64::from(whole.natural_width()),
            f64::from(whole.natural_height()),
        );
        if size.0 < 1.0 || size.1 < 1.0 {
            return None;
        }
        let factor = LARGEST_SIDE / size.0.max(size.1);
        let reduced = if factor < 1.0 {
            let (width, height) = (size.0 * factor, size.1 * factor);
            let (canvas, context) = canvas(width, height)?;
            context
                .draw_image_with_html_image_element_and_dw_and_dh(&whole, 0.0, 0.0, width, height)
                .ok()?;
            Some(canvas)
        } else {
            None
        };
        Some(Self {
            whole,
            reduced,
            size,
        })
    }

    /// What of it lies on a tile.
    fn tile(&self, transform: Option<[f64; 6]>) -> Option<HtmlCanvasElement> {
        let (width, height) = self.size;
        let Some([a, b, c, d, e, f]) = transform.filter(|it| is_on_tile(*it, self.size)) else {
            return canvas(1.0, 1.0).map(|(canvas, _)| canvas);
        };
        let ratio = window().device_pixel_ratio();
        let (canvas, context) = canvas(TILE * ratio, TILE * ratio)?;
        context
            .set_transform(
                a * ratio,
                b * ratio,
                c * ratio,
                d * ratio,
                e * ratio,
                f * ratio,
            )
            .ok()?;
        let drawn = match &self.reduced {
            Some(reduced) => context.draw_image_with_html_canvas_element_and_dw_and_dh(
                reduced, 0.0, 0.0, width, height,
            ),
            None => context.draw_image_with_html_image_element_and_dw_and_dh(
                &self.whole,
                0.0,
                0.0,
                width,
                height,
            ),
        };
        drawn.ok().map(|()| canvas)
    }
}

fn is_on_tile([a, b, c, d, e, f]: [f64; 6], (width, height): (f64, f64)) -> bool {
    let corners = [(0.0, 0.0), (width, 0.0), (0.0, height), (width, height)]
        .map(|(x, y)| (a * x + c * y + e, b * x + d * y + f));
    let reaches = |of: fn((f64, f64)) -> f64| {
        let along = corners.map(of);
        let least = along.iter().copied().fold(f64::INFINITY, f64::min);
        let most = along.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        least < TILE && most > 0.0
    };
    reaches(|corner| corner.0) && reaches(|corner| corner.1)
}

fn canvas(width: f64, height: f64) -> Option<(HtmlCanvasElement, CanvasRenderingContext2d)> {
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    canvas.set_width(width.round() as u32);
    canvas.set_height(height.round() as u32);
    let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    Some((canvas, context))
}

fn point_marker(map: &Map, number: usize, at: &leaflet::LatLng) -> Option<Marker> {
    let content = document().create_element("span").ok()?;
    content.set_text_content(Some(&number.to_string()));
    let icon = DivIconOptions::new();
    icon.set_class_name("plan-point".into());
    icon.set_icon_size(Point::new(0.0, 0.0));
    // The binding knows text only; an element needs no HTML parser and passes every policy.
    Reflect::set(&icon, &"html".into(), &content).ok()?;
    let options = MarkerOptions::new();
    options.set_icon(ElementIcon::new(&icon).unchecked_into());
    options.set_interactive(false);
    options.set_keyboard(false);
    let marker = Marker::new_with_options(at, &options);
    marker.add_to(map);
    Some(marker)
}
