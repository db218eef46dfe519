//! What lies under everything on the map, for a site without internet: tiles of the vehicle, an
//! archive of tiles in one file, a site plan; each kept on this device when it was seen, and drawn
//! in its place whatever its datum.
//!
//! It is a part of the viewer's program. The page's own map asks for `z/x/y` tiles by itself; when
//! this is loaded it takes the page's tile layers over, whose `createTile` it answers from what is
//! kept, from the archive, or from the server with patience and no crowd
//! ([`crate::chart::tile_queue`]). The page hands its map over as `window.broomstickMap`; the
//! container's `data-datum` says in which datum it is, `data-source` which source is chosen.
//!
//! | file | what |
//! |---|---|
//! | `on_map.rs` | what is called of the map |
//! | `tiles.rs` | a tile layer of the page that was taken over |
//! | `plan.rs` | a site plan: its picture, its layer, its control points |
//! | `sheet.rs` | the sheet |
//! | `words.rs` | what is said |

mod on_map;
mod plan;
mod sheet;
mod tiles;
mod words;

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leaflet::{Event, Evented, EventedHandle, Map, TileLayer};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlElement;

use crate::lang::Lang;
use crate::profile::{SourceKind, TileSource};
use crate::shell::tile_fetch::now_ms;
use crate::shell::tile_store::TileStore;
use crate::shell::viewer_link::ViewerLink;
use crate::shell::viewing::{FromViewer, ViewerHost};
use on_map::{MapClick, OwnLayer, page_map};
use plan::{Plan, PlanView};
use tiles::{Tiles, Told};

/// How often the page is asked for the chosen source, while it has none on the map.
const ASK_AGAIN_MS: f64 = 10_000.0;

/// Everything that is drawn from.
#[derive(Clone, Copy)]
pub struct Ground {
    lang: RwSignal<Lang>,
    is_open: RwSignal<bool>,
    is_covered: RwSignal<bool>,
    /// Of tiles, in the profile's order; the place behind the last is the grid alone.
    sources: RwSignal<Vec<TileSource>>,
    /// Of plans.
    plans: RwSignal<Vec<TileSource>>,
    chosen: RwSignal<usize>,
    told: RwSignal<Told>,
    /// Tiles and bytes that are kept, and why something is not.
    kept: RwSignal<(usize, u64, Option<String>)>,
    plan: RwSignal<PlanView>,
    held: StoredValue<Rc<Held>, LocalStorage>,
}

#[derive(Default)]
struct Held {
    link: RefCell<Option<ViewerLink>>,
    store: RefCell<Option<TileStore>>,
    on_map: RefCell<Option<Rc<OnMap>>>,
    plan: RefCell<Option<Rc<Plan>>>,
}

/// What hangs on one map.
struct OnMap {
    map: Map,
    tiles: RefCell<Option<Rc<Tiles>>>,
    /// When the page was last asked for the chosen source again.
    asked_at: Cell<f64>,
    listeners: RefCell<Vec<EventedHandle<Event>>>,
    _key: Box<dyn Any>,
}

impl Ground {
    /// Nothing is known yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            lang: RwSignal::default(),
            is_open: RwSignal::new(false),
            is_covered: RwSignal::new(false),
            sources: RwSignal::default(),
            plans: RwSignal::default(),
            chosen: RwSignal::new(0),
            told: RwSignal::default(),
            kept: RwSignal::default(),
            plan: RwSignal::default(),
            held: StoredValue::new_local(Rc::default()),
        }
    }

    /// From now on it can ask for something.
    pub fn speak(self, link: ViewerLink) {
        self.held.get_value().link.replace(Some(link));
        spawn_local(async move {
            let store = TileStore::open().await;
            self.held.get_value().store.replace(Some(store));
            self.say_kept();
            plan::restore(self).await;
        });
    }

    /// The page tells.
    pub fn take_host(self, host: &ViewerHost) {
        show(self.lang, host.lang);
        show(self.is_covered, host.is_covered);
        let (plans, sources): (Vec<TileSource>, Vec<TileSource>) = host
            .profile
            .map
            .sources
            .iter()
            .cloned()
            .partition(|source| source.kind == SourceKind::Plan);
        show(self.plans, plans);
        if self.sources.with_untracked(|now| *now != sources) {
            self.sources.set(sources);
            // Another profile: its layers are taken over anew.
            self.held.get_value().on_map.replace(None);
        }
    }

    /// Is the sheet open?
    #[must_use]
    pub fn is_open(self) -> bool {
        self.is_open.get()
    }

    /// The sheet is closed.
    pub fn close(self) {
        show(self.is_open, false);
    }

    /// Time has passed.
    pub fn tick(self) {
        let held = self.held.get_value();
        // Until the kept tiles can be read the page's own layer does what it can.
        if held.store.borrow().is_none() {
            return;
        }
        let Some(map) = page_map() else {
            held.on_map.replace(None);
            return;
        };
        let is_known = held
            .on_map
            .borrow()
            .as_ref()
            .is_some_and(|on_map| on_map::is_same(&on_map.map, &map));
        if !is_known {
            held.on_map.replace(None);
            let on_map = OnMap::begin(map, self);
            held.on_map.replace(on_map);
            self.look_for_layers();
        }
        let on_map = held.on_map.borrow().clone();
        let Some(on_map) = on_map else {
            return;
        };
        show(self.chosen, on_map::chosen_source(&on_map.map));
        let tiles = on_map.tiles.borrow().clone();
        match tiles {
            Some(tiles) => tiles.tick(),
            None => self.ask_again(&on_map),
        }
        if let Some(plan) = held.plan.borrow().as_ref() {
            plan.follow(&on_map.map);
        }
    }

    /// The sheet.
    pub fn sheet(self) -> impl IntoView {
        sheet::sheet(self)
    }

    fn pick(self, en: &'static str, zh: &'static str) -> impl Fn() -> &'static str + Copy + Send {
        move || self.lang.get().pick(en, zh)
    }

    /// Asks the page for a source.
    fn choose(self, index: usize) {
        if let Some(link) = self.held.get_value().link.borrow().as_ref() {
            link.ask(&FromViewer::MapSource(index as u8));
        }
    }

    /// The layer that the page has on the map by now, if any, is taken over.
    fn look_for_layers(self) {
        let Some(on_map) = self.held.get_value().on_map.borrow().clone() else {
            return;
        };
        let found = Rc::new(RefCell::new(None));
        let place = Rc::clone(&found);
        on_map.map.each_layer(&move |layer| {
            if let Some(layer) = foreign_tiles(&layer) {
                place.replace(Some(layer));
            }
        });
        let layer = found.borrow_mut().take();
        if let Some(layer) = layer {
            self.take_over(&layer);
        }
    }

    /// The page gives up a source that does not answer; here there is more patience.
    fn ask_again(self, on_map: &OnMap) {
        let now = now_ms();
        let chosen = self.chosen.get_untracked();
        let is_due = now - on_map.asked_at.get() > ASK_AGAIN_MS;
        if is_due && chosen < self.sources.with_untracked(Vec::len) {
            on_map.asked_at.set(now);
            self.choose(chosen);
        }
    }

    /// The page has laid a layer onto the map.
    fn take_over(self, layer: &TileLayer) {
        let held = self.held.get_value();
        let (Some(on_map), Some(store)) =
            (held.on_map.borrow().clone(), held.store.borrow().clone())
        else {
            return;
        };
        let chosen = on_map::chosen_source(&on_map.map);
        let Some(source) = self.sources.with_untracked(|all| all.get(chosen).cloned()) else {
            return;
        };
        self.told.set(Told::default());
        let tiles = Tiles::take_over(layer.clone(), source, store, self);
        on_map.tiles.replace(Some(tiles));
    }

    /// The page has taken a layer off.
    fn let_go(self, layer: &TileLayer) {
        if let Some(on_map) = self.held.get_value().on_map.borrow().as_ref() {
            let is_ours = on_map
                .tiles
                .borrow()
                .as_ref()
                .is_some_and(|tiles| tiles.is_of(layer));
            if is_ours {
                let gone = on_map.tiles.replace(None);
                if let Some(tiles) = gone {
                    tiles.end();
                }
                self.told.set(Told::default());
            }
        }
    }

    /// The map was tapped.
    fn tapped(self, click: &MapClick) {
        let held = self.held.get_value();
        let plan = held.plan.borrow().clone();
        let map = held.on_map.borrow().as_ref().map(|it| it.map.clone());
        if let (Some(plan), Some(map)) = (plan, map) {
            plan.take_ground(on_map::wgs84_of_click(&map, click));
        }
    }

    fn say_kept(self) {
        if let Some(store) = self.held.get_value().store.borrow().as_ref() {
            let (tiles, bytes) = store.size();
            show(self.kept, (tiles, bytes, store.trouble()));
        }
    }

    fn forget_kept(self) {
        let store = self.held.get_value().store.borrow().clone();
        spawn_local(async move {
            if let Some(store) = store {
                store.clear().await;
            }
            self.say_kept();
        });
    }
}

impl Default for Ground {
    fn default() -> Self {
        Self::new()
    }
}

impl OnMap {
    fn begin(map: Map, ground: Ground) -> Option<Rc<Self>> {
        let controls = map.get_container().parent_element()?;
        let controls = controls.query_selector(".map-controls").ok()??;
        let key = leptos::mount::mount_to(controls.unchecked_into::<HtmlElement>(), move || {
            sheet::key(ground)
        });
        let on_map = Rc::new(Self {
            map,
            tiles: RefCell::new(None),
            asked_at: Cell::new(0.0),
            listeners: RefCell::new(Vec::new()),
            _key: Box::new(key),
        });
        let layer_of = |event: &Event| {
            let layer = js_sys::Reflect::get(event, &"layer".into()).ok()?;
            foreign_tiles(&layer.unchecked_into())
        };
        let added = Evented::on_leaflet_event(&&on_map.map, "layeradd", move |event: Event| {
            if let Some(layer) = layer_of(&event) {
                ground.take_over(&layer);
            }
        });
        let removed =
            Evented::on_leaflet_event(&&on_map.map, "layerremove", move |event: Event| {
                if let Some(layer) = layer_of(&event) {
                    ground.let_go(&layer);
                }
            });
        let clicked = Evented::on_leaflet_event(&&on_map.map, "click", move |event: Event| {
            ground.tapped(event.unchecked_ref());
        });
        on_map.listeners.replace(vec![added, removed, clicked]);
        Some(on_map)
    }
}

impl Drop for OnMap {
    fn drop(&mut self) {
        if let Some(tiles) = self.tiles.take() {
            tiles.end();
        }
    }
}

/// A tile layer that is not a plan of ours.
fn foreign_tiles(layer: &JsValue) -> Option<TileLayer> {
    let own: &OwnLayer = layer.unchecked_ref();
    let is_tiles = js_sys::Reflect::has(layer, &"getTileUrl".into()) == Ok(true);
    (is_tiles && !own.is_own()).then(|| layer.clone().unchecked_into())
}

/// Told only when it has changed.
fn show<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.with_untracked(|now| *now != value) {
        signal.set(value);
    }
}
