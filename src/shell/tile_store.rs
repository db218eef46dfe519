//! Tiles and site plans in the browser's database, so that they are there without a network; for
//! the viewer only. A browser that keeps nothing says so and costs nothing else.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{IdbDatabase, IdbObjectStore, IdbTransactionMode};

use super::database::{all, answer, open, table};
use super::js;
use crate::chart::tile_cache::Ledger;

const NAME: &str = "broomstick tiles";
/// The tiles' bytes by their keys.
const TILES: &str = "tiles";
/// When each was fetched and how large it is, by the same keys.
const INDEX: &str = "index";
/// The plans' pictures by their names.
const PLANS: &str = "plans";

/// What is kept on this device.
#[derive(Clone)]
pub struct TileStore(Rc<Inner>);

struct Inner {
    database: Option<IdbDatabase>,
    ledger: RefCell<Ledger>,
    trouble: RefCell<Option<String>>,
}

impl TileStore {
    /// Opens the database and reads what is kept.
    pub async fn open() -> Self {
        let opened = match open(NAME, &[TILES, INDEX, PLANS], "no database").await {
            Ok(database) => ledger(&database).await.map(|ledger| (database, ledger)),
            Err(error) => Err(error),
        };
        let (database, ledger, trouble) = match opened {
            Ok((database, ledger)) => (Some(database), ledger, None),
            Err(error) => (None, Ledger::default(), Some(js::said(&error))),
        };
        Self(Rc::new(Inner {
            database,
            ledger: RefCell::new(ledger),
            trouble: RefCell::new(trouble),
        }))
    }

    /// A kept tile.
    pub async fn get(&self, key: &str) -> Option<Uint8Array> {
        self.0.ledger.borrow().fetched_at(key)?;
        let bytes = self.read(TILES, key).await;
        if bytes.is_none() {
            // Another page of this device has dropped it.
            self.0.ledger.borrow_mut().forget(key);
        }
        bytes
    }

    /// Is it kept, and young?
    #[must_use]
    pub fn is_fresh(&self, key: &str) -> bool {
        let now = js_sys::Date::now() as u64;
        self.0.ledger.borrow().is_fresh(key, now)
    }

    /// Keeps a tile; the oldest go for it.
    pub async fn put(&self, key: String, bytes: Uint8Array) {
        let now = js_sys::Date::now();
        let size = f64::from(bytes.length());
        let dropped = self
            .0
            .ledger
            .borrow_mut()
            .take(&key, size as u64, now as u64);
        let (Some(dropped), Some(database)) = (dropped, &self.0.database) else {
            return;
        };
        let written = async {
            let (tiles, index) = tiles_and_index(database)?;
            for gone in dropped {
                tiles.delete(&gone.as_str().into())?;
                index.delete(&gone.into())?;
            }
            let entry = Array::of2(&now.into(), &size.into());
            tiles.put_with_key(&bytes, &key.as_str().into())?;
            answer(&index.put_with_key(&entry, &key.as_str().into())?).await
        };
        if let Err(error) = written.await {
            self.0.ledger.borrow_mut().forget(&key);
            self.no_room(&error).await;
        }
    }

    /// Not to be shown again.
    pub async fn forget(&self, key: &str) {
        self.0.ledger.borrow_mut().forget(key);
        self.delete(vec![key.to_owned()]).await;
    }

    /// Forgets all tiles.
    pub async fn clear(&self) {
        *self.0.ledger.borrow_mut() = Ledger::default();
        if let Some(database) = &self.0.database
            && let Ok((tiles, index)) = tiles_and_index(database)
        {
            let cleared = tiles.clear().and_then(|_| index.clear());
            self.note(cleared.err());
        }
    }

    /// Tiles and bytes that are kept.
    #[must_use]
    pub fn size(&self) -> (usize, u64) {
        self.0.ledger.borrow().size()
    }

    /// Why something was not kept, in the browser's words.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.0.trouble.borrow().clone()
    }

    /// A kept plan's picture.
    pub async fn plan(&self, name: &str) -> Option<Uint8Array> {
        self.read(PLANS, name).await
    }

    /// Keeps a plan's picture.
    pub async fn keep_plan(&self, name: &str, bytes: &Uint8Array) {
        let Some(database) = &self.0.database else {
            return;
        };
        let written = async {
            let plans = table(database, PLANS, IdbTransactionMode::Readwrite)?;
            answer(&plans.put_with_key(bytes, &name.into())?).await
        };
        self.note(written.await.err());
    }

    async fn read(&self, name: &str, key: &str) -> Option<Uint8Array> {
        let database = self.0.database.as_ref()?;
        let table = table(database, name, IdbTransactionMode::Readonly).ok()?;
        let found = answer(&table.get(&key.into()).ok()?).await.ok()?;
        found.dyn_into().ok()
    }

    async fn no_room(&self, error: &JsValue) {
        self.note(Some(error.clone()));
        let dropped = self.0.ledger.borrow_mut().shrink();
        self.delete(dropped).await;
    }

    async fn delete(&self, keys: Vec<String>) {
        let Some(database) = &self.0.database else {
            return;
        };
        if let Ok((tiles, index)) = tiles_and_index(database) {
            for key in keys {
                let deleted = tiles
                    .delete(&key.as_str().into())
                    .and_then(|_| index.delete(&key.into()));
                self.note(deleted.err());
            }
        }
    }

    fn note(&self, error: Option<JsValue>) {
        if let Some(error) = error {
            *self.0.trouble.borrow_mut() = Some(js::said(&error));
        }
    }
}

async fn ledger(database: &IdbDatabase) -> Result<Ledger, JsValue> {
    let (keys, entries) = all(database, INDEX).await?;
    let mut ledger = Ledger::default();
    for (key, entry) in keys.iter().zip(entries.iter()) {
        let entry: Array = entry.dyn_into()?;
        if let (Some(key), Some(at), Some(bytes)) = (
            key.as_string(),
            entry.get(0).as_f64(),
            entry.get(1).as_f64(),
        ) {
            // What is too much by now goes with the next tile.
            ledger.take(&key, bytes as u64, at as u64);
        }
    }
    Ok(ledger)
}

/// Both, in one transaction.
fn tiles_and_index(database: &IdbDatabase) -> Result<(IdbObjectStore, IdbObjectStore), JsValue> {
    let names = Array::of2(&TILES.into(), &INDEX.into());
    let transaction =
        database.transaction_with_str_sequence_and_mode(&names, IdbTransactionMode::Readwrite)?;
    Ok((
        transaction.object_store(TILES)?,
        transaction.object_store(INDEX)?,
    ))
}
