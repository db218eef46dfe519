//! A tile layer of the page that was taken over: its tiles come from what is kept, from an archive
//! or from the server.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::{Rc, Weak};

use js_sys::{Function, Reflect, Uint8Array};
use leaflet::{Event, Evented, EventedHandle, Layer, TileLayer};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::HtmlImageElement;

use super::Ground;
use super::on_map::{OwnLayer, coord_of, has_two_parameters, report};
use crate::chart::pmtiles::{Archive, FIRST_BYTES, Place, PmtilesError};
use crate::chart::tile_cache::key;
use crate::chart::tile_queue::{Outcome, PATIENCE_MS, Queue, REST_MS};
use crate::profile::{SourceKind, TileSource};
use crate::shell::tile_fetch::{Abort, FetchTrouble, fetch, is_elsewhere, now_ms};
use crate::shell::tile_store::TileStore;
use crate::shell::viewer_link::Picture;

type Coord = (u8, u32, u32);

/// What the sheet says of the chosen source.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Told {
    /// It does not answer, and is asked again now and then.
    pub(super) is_resting: bool,
    /// The newest trouble.
    pub(super) trouble: Option<Trouble>,
    /// Tiles that were drawn from this device.
    pub(super) from_device: u32,
    /// Tiles that came from the source.
    pub(super) from_source: u32,
    /// Its server lets nobody read its tiles, so that none is kept.
    pub(super) is_not_kept: bool,
}

/// Why a tile is not there.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Trouble {
    /// It did not come.
    Fetch(FetchTrouble),
    /// The archive cannot be read.
    Archive(PmtilesError),
    /// What came is no picture.
    NotAPicture,
}

/// The layer.
pub(super) struct Tiles {
    me: Weak<Self>,
    layer: TileLayer,
    source: TileSource,
    store: TileStore,
    ground: Ground,
    queue: RefCell<Queue<Coord>>,
    tiles: RefCell<BTreeMap<Coord, Tile>>,
    archive: RefCell<Opened>,
    is_opaque: Cell<bool>,
    has_ended: Cell<bool>,
    callbacks: RefCell<Option<Callbacks>>,
}

struct Callbacks {
    _create: Closure<dyn FnMut(JsValue, Function) -> JsValue>,
    _unloaded: EventedHandle<Event>,
}

/// A tile on the map.
struct Tile {
    image: HtmlImageElement,
    done: Function,
    url: String,
    abort: Option<Abort>,
    is_drawn: bool,
}

/// How far an archive is open.
enum Opened {
    No { not_before: f64 },
    Opening { since: f64, abort: Option<Abort> },
    Yes(Archive),
    Never,
}

impl Tiles {
    /// From now on it answers for that layer.
    pub(super) fn take_over(
        layer: TileLayer,
        source: TileSource,
        store: TileStore,
        ground: Ground,
    ) -> Rc<Self> {
        let tiles = Rc::new_cyclic(|me| Self {
            me: me.clone(),
            layer,
            source,
            store,
            ground,
            queue: RefCell::default(),
            tiles: RefCell::default(),
            archive: RefCell::new(Opened::No { not_before: 0.0 }),
            is_opaque: Cell::new(false),
            has_ended: Cell::new(false),
            callbacks: RefCell::new(None),
        });
        let weak = Rc::downgrade(&tiles);
        let create = Closure::<dyn FnMut(JsValue, Function) -> JsValue>::new(
            move |coords: JsValue, done: Function| {
                let image = HtmlImageElement::new();
                if let (Some(tiles), Ok(image)) = (weak.upgrade(), &image) {
                    tiles.create(&coords, done, image.clone());
                }
                image.map_or(JsValue::NULL, Into::into)
            },
        );
        has_two_parameters(create.as_ref());
        let weak = Rc::downgrade(&tiles);
        let as_layer: &Layer = &tiles.layer;
        let unloaded = Evented::on_leaflet_event(&as_layer, "tileunload", move |event: Event| {
            if let (Some(tiles), Ok(tile)) = (weak.upgrade(), Reflect::get(&event, &"tile".into()))
            {
                tiles.unloaded(&tile);
            }
        });
        let own: &OwnLayer = tiles.layer.unchecked_ref();
        own.set_create_tile(create.as_ref());
        tiles.callbacks.replace(Some(Callbacks {
            _create: create,
            _unloaded: unloaded,
        }));
        tiles.layer.redraw();
        tiles
    }

    pub(super) fn is_of(&self, layer: &TileLayer) -> bool {
        self.layer == *layer
    }

    /// The layer is gone.
    pub(super) fn end(&self) {
        self.has_ended.set(true);
        for tile in std::mem::take(&mut *self.tiles.borrow_mut()).into_values() {
            if let Some(abort) = tile.abort {
                abort.abort();
            }
        }
        if let Opened::Opening {
            abort: Some(abort), ..
        } = &*self.archive.borrow()
        {
            abort.abort();
        }
        self.callbacks.take();
    }

    /// Time has passed.
    pub(super) fn tick(&self) {
        let now = now_ms();
        let overdue = self.queue.borrow().overdue(now);
        for coord in overdue {
            if let Some(tile) = self.tiles.borrow().get(&coord) {
                self.give_up(tile);
            }
        }
        if let Opened::Opening {
            since,
            abort: Some(abort),
        } = &*self.archive.borrow()
            && now - since >= PATIENCE_MS
        {
            abort.abort();
        }
        self.pump();
    }

    fn create(&self, coords: &JsValue, done: Function, image: HtmlImageElement) {
        let coord = coord_of(coords);
        image.set_alt("");
        let own: &OwnLayer = self.layer.unchecked_ref();
        let url = match self.source.kind {
            SourceKind::Xyz => own.url_of(coords).unwrap_or_default(),
            _ => String::new(),
        };
        let tile = Tile {
            image,
            done,
            url,
            abort: None,
            is_drawn: false,
        };
        self.tiles.borrow_mut().insert(coord, tile);
        if let Some(me) = self.me.upgrade() {
            spawn_local(async move { me.begin(coord).await });
        }
    }

    fn unloaded(&self, element: &JsValue) {
        let mut tiles = self.tiles.borrow_mut();
        let coord = tiles
            .iter()
            .find(|(_, tile)| *AsRef::<JsValue>::as_ref(&tile.image) == *element)
            .map(|(coord, _)| *coord);
        if let Some(coord) = coord
            && let Some(tile) = tiles.remove(&coord)
            && self.queue.borrow_mut().drop_tile(&coord)
        {
            self.give_up(&tile);
        }
    }

    fn give_up(&self, tile: &Tile) {
        if let Some(abort) = &tile.abort {
            abort.abort();
        }
        if self.is_opaque.get() && !tile.is_drawn {
            // The browser's own request.
            tile.image.set_src("data:,");
        }
    }

    /// First what is kept, at once; then the source, when that is old or nothing.
    async fn begin(&self, coord: Coord) {
        let key = key(&self.source.url, coord);
        let kept = self.store.get(&key).await;
        let Some(image) = self.image(coord) else {
            return;
        };
        match kept {
            Some(bytes) => {
                if self.draw(coord, &image, &bytes).await {
                    self.tell(|told| told.from_device += 1);
                    if !self.store.is_fresh(&key) {
                        self.queue.borrow_mut().want_at_last(coord);
                    }
                } else {
                    self.store.forget(&key).await;
                    self.queue.borrow_mut().want(coord);
                }
            }
            None => self.queue.borrow_mut().want(coord),
        }
        self.pump();
    }

    /// Asks for what may be asked for now.
    fn pump(&self) {
        if self.has_ended.get() {
            return;
        }
        if self.source.kind == SourceKind::Pmtiles && !self.is_archive_open() {
            return;
        }
        let now = now_ms();
        loop {
            let next = self.queue.borrow_mut().start_next(now);
            let (Some(coord), Some(me)) = (next, self.me.upgrade()) else {
                break;
            };
            spawn_local(async move { me.request(coord).await });
        }
        let is_resting = self.queue.borrow().is_resting();
        if self.ground.told.with_untracked(|told| told.is_resting) != is_resting {
            self.tell(|told| told.is_resting = is_resting);
        }
    }

    async fn request(&self, coord: Coord) {
        let (image, url, abort) = {
            let mut tiles = self.tiles.borrow_mut();
            let (Some(tile), Some(abort)) = (tiles.get_mut(&coord), Abort::new()) else {
                drop(tiles);
                self.queue.borrow_mut().drop_tile(&coord);
                return;
            };
            tile.abort = Some(abort.clone());
            (tile.image.clone(), tile.url.clone(), abort)
        };
        let came = match self.source.kind {
            SourceKind::Pmtiles => self.look_up(coord, &abort).await,
            _ => self.ask_server(&url, &image, &abort).await,
        };
        // Another tile may have taken its place meanwhile, with a request of its own.
        if self.image(coord).as_ref() != Some(&image) {
            return;
        }
        let outcome = match &came {
            Err(Trouble::Fetch(_)) => Outcome::Failed,
            _ => Outcome::Answered,
        };
        self.queue.borrow_mut().ended(&coord, outcome, now_ms());
        match came {
            Ok(Came::Bytes(bytes)) => {
                if self.draw(coord, &image, &bytes).await {
                    self.tell(|told| {
                        told.trouble = None;
                        told.from_source += 1;
                    });
                    self.store.put(key(&self.source.url, coord), bytes).await;
                    self.ground.say_kept();
                } else {
                    self.missing(coord, Some(Trouble::NotAPicture));
                }
            }
            Ok(Came::Drawn) => {
                self.done(coord, None);
                self.tell(|told| {
                    told.trouble = None;
                    told.from_source += 1;
                    told.is_not_kept = true;
                });
            }
            Ok(Came::Nothing) => self.missing(coord, None),
            Err(trouble) => self.missing(coord, Some(trouble)),
        }
        self.pump();
    }

    async fn ask_server(
        &self,
        url: &str,
        image: &HtmlImageElement,
        abort: &Abort,
    ) -> Result<Came, Trouble> {
        if !self.is_opaque.get() {
            match fetch(url, None, abort).await {
                Ok(Some(bytes)) => return Ok(Came::Bytes(bytes)),
                Ok(None) => return Ok(Came::Nothing),
                Err(FetchTrouble::NoAnswer) if !abort.is_aborted() && is_elsewhere(url) => {}
                Err(trouble) => return Err(Trouble::Fetch(trouble)),
            }
        }
        // A server of others may forbid to read what it lets everybody see.
        image.set_src(url);
        let decoded = JsFuture::from(image.decode()).await;
        if decoded.is_err() {
            return Err(Trouble::Fetch(FetchTrouble::NoAnswer));
        }
        self.is_opaque.set(true);
        Ok(Came::Drawn)
    }

    async fn look_up(&self, coord: Coord, abort: &Abort) -> Result<Came, Trouble> {
        let (z, x, y) = coord;
        loop {
            let place = match &mut *self.archive.borrow_mut() {
                Opened::Yes(archive) => archive.find(z, x, y),
                _ => return Err(Trouble::Fetch(FetchTrouble::NoAnswer)),
            };
            match place.map_err(Trouble::Archive)? {
                Place::Nowhere => return Ok(Came::Nothing),
                Place::Leaf(range) => {
                    let bytes = self.part(&range, abort).await?.to_vec();
                    if let Opened::Yes(archive) = &mut *self.archive.borrow_mut() {
                        archive.take_leaf(range, &bytes).map_err(Trouble::Archive)?;
                    }
                }
                Place::Tile(range) => {
                    let bytes = self.part(&range, abort).await?.to_vec();
                    let Opened::Yes(archive) = &*self.archive.borrow() else {
                        return Err(Trouble::Fetch(FetchTrouble::NoAnswer));
                    };
                    let bytes = archive.unpacked(&range, bytes).map_err(Trouble::Archive)?;
                    return Ok(Came::Bytes(Uint8Array::from(bytes.as_slice())));
                }
            }
        }
    }

    async fn part(&self, range: &Range<u64>, abort: &Abort) -> Result<Uint8Array, Trouble> {
        fetch(&self.source.url, Some(range), abort)
            .await
            .map_err(Trouble::Fetch)?
            .ok_or(Trouble::Fetch(FetchTrouble::NoAnswer))
    }

    /// Is the archive open? If not, it is being opened, unless that has just failed.
    fn is_archive_open(&self) -> bool {
        let now = now_ms();
        let is_due = match &*self.archive.borrow() {
            Opened::Yes(_) => return true,
            Opened::Opening { .. } => return false,
            Opened::Never => false,
            Opened::No { not_before } => now >= *not_before,
        };
        if !is_due {
            self.refuse_waiting();
            return false;
        }
        if self.queue.borrow().count() == 0 {
            return false;
        }
        let abort = Abort::new();
        *self.archive.borrow_mut() = Opened::Opening {
            since: now,
            abort: abort.clone(),
        };
        if let (Some(me), Some(abort)) = (self.me.upgrade(), abort) {
            spawn_local(async move { me.open_archive(&abort).await });
        }
        false
    }

    async fn open_archive(&self, abort: &Abort) {
        let came = self.part(&(0..FIRST_BYTES), abort).await;
        let opened =
            came.and_then(|bytes| Archive::open(&bytes.to_vec()).map_err(Trouble::Archive));
        if self.has_ended.get() {
            return;
        }
        let (now, trouble) = match opened {
            Ok(archive) => {
                self.limit_zoom(&archive);
                (Opened::Yes(archive), None)
            }
            Err(Trouble::Archive(error)) => (Opened::Never, Some(Trouble::Archive(error))),
            Err(trouble) => (
                Opened::No {
                    not_before: now_ms() + REST_MS,
                },
                Some(trouble),
            ),
        };
        *self.archive.borrow_mut() = now;
        let is_resting = matches!(*self.archive.borrow(), Opened::No { .. });
        self.tell(|told| {
            told.trouble = trouble;
            told.is_resting = is_resting;
        });
        self.pump();
    }

    /// Beyond the archive's last zoom its tiles are stretched.
    fn limit_zoom(&self, archive: &Archive) {
        let (_, highest) = archive.zooms();
        if highest < self.source.max_zoom && highest > 0 {
            let own: &OwnLayer = self.layer.unchecked_ref();
            let options = own.layer_options();
            // The layer's options are a plain object.
            Reflect::set(&options, &"maxNativeZoom".into(), &highest.into()).ok();
            self.layer.redraw();
        }
    }

    fn refuse_waiting(&self) {
        let waiting: Vec<Coord> = self
            .tiles
            .borrow()
            .iter()
            .filter(|(_, tile)| !tile.is_drawn)
            .map(|(coord, _)| *coord)
            .collect();
        for coord in waiting {
            if self.queue.borrow_mut().note_refused(&coord) {
                self.done(coord, Some("no archive"));
            }
        }
    }

    /// Draws a picture; false when it is none.
    async fn draw(&self, coord: Coord, image: &HtmlImageElement, bytes: &Uint8Array) -> bool {
        let Some(picture) = Picture::of(bytes, "") else {
            return false;
        };
        image.set_src(picture.address());
        let is_drawn = JsFuture::from(image.decode()).await.is_ok();
        if is_drawn && self.image(coord).as_ref() == Some(image) {
            self.done(coord, None);
        }
        is_drawn
    }

    fn missing(&self, coord: Coord, trouble: Option<Trouble>) {
        if trouble.is_some() {
            self.tell(|told| told.trouble = trouble);
        }
        self.done(coord, Some("no tile"));
    }

    /// Leaflet is told; a tile that is drawn stays.
    fn done(&self, coord: Coord, error: Option<&str>) {
        let told = {
            let mut tiles = self.tiles.borrow_mut();
            let Some(tile) = tiles.get_mut(&coord) else {
                return;
            };
            if tile.is_drawn {
                return;
            }
            tile.is_drawn = error.is_none();
            (tile.done.clone(), tile.image.clone())
        };
        // Nothing is borrowed: it may take tiles off.
        report(&told.0, error, &told.1);
    }

    fn image(&self, coord: Coord) -> Option<HtmlImageElement> {
        let tiles = self.tiles.borrow();
        tiles.get(&coord).map(|tile| tile.image.clone())
    }

    fn tell(&self, change: impl FnOnce(&mut Told)) {
        if !self.has_ended.get() {
            self.ground.told.update(change);
        }
    }
}

/// What came of a request.
enum Came {
    Bytes(Uint8Array),
    /// The browser has drawn it itself.
    Drawn,
    Nothing,
}
