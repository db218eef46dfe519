//! Keeps a vehicle's track in the browser's database, chunk by chunk, so that it survives a
//! reload. One window does it ([`keeper`]); another one that shows the same vehicle says so, and goes
//! on with it when the first is gone. What the browser refuses is told and costs nothing else.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{IdbDatabase, IdbObjectStore, IdbTransactionMode};

use super::super::database::{all, answer, open, table};
use super::super::js::{self, Interval};
use crate::chart::keeper::{self, Claim, HOLDS_MS, RENEWED_EVERY_MS};
use crate::viewer::{Input, Keeping};

/// The one table of a vehicle's database: chunks by their ids, and the claim.
const TABLE: &str = "chunks";
/// Where the claim is, as `[owner, until]`.
const CLAIM: &str = "keeper";

/// The way into the database of one vehicle.
pub(super) struct TrackKeeper {
    inner: Rc<Inner>,
    _renewal: Interval,
}

struct Inner {
    database: RefCell<Option<IdbDatabase>>,
    /// This window's number among those that show the vehicle.
    number: u32,
    opened_at: f64,
    /// Another window keeps the track, which was told.
    is_elsewhere: Cell<bool>,
    tell: Box<dyn Fn(Input)>,
}

impl TrackKeeper {
    /// Opens the vehicle's database and tells what is in it, or why there is none.
    pub(super) fn open(vehicle: &str, tell: impl Fn(Input) + 'static) -> Self {
        let inner = Rc::new(Inner {
            database: RefCell::new(None),
            number: (js_sys::Math::random() * f64::from(u32::MAX)) as u32,
            opened_at: js_sys::Date::now(),
            is_elsewhere: Cell::new(false),
            tell: Box::new(tell),
        });
        let name = ["broomstick track ", vehicle].concat();
        spawn_local({
            let inner = Rc::clone(&inner);
            async move {
                let kept = match open(&name, &[TABLE], "this browser window has no database").await
                {
                    Ok(database) => {
                        let kept = load(&database).await;
                        if kept.is_ok() {
                            *inner.database.borrow_mut() = Some(database);
                        }
                        kept
                    }
                    Err(error) => Err(error),
                };
                (inner.tell)(Input::Kept(kept.map_err(|error| said(&error))));
                inner.renew().await;
            }
        });
        let renewed = Rc::downgrade(&inner);
        let renewal = Interval::new(RENEWED_EVERY_MS, move || {
            if let Some(inner) = renewed.upgrade() {
                spawn_local(async move { inner.renew().await });
            }
        });
        Self {
            inner,
            _renewal: renewal,
        }
    }

    /// Saves or deletes a chunk.
    pub(super) fn keep(&self, keeping: Keeping) {
        let inner = Rc::clone(&self.inner);
        spawn_local(async move {
            let database = inner.database.borrow().clone();
            let Some(database) = database.filter(|_| !inner.is_elsewhere.get()) else {
                return;
            };
            let done = async {
                let Some(table) = inner.claimed(&database).await? else {
                    return Ok(JsValue::NULL);
                };
                let asked = match &keeping {
                    Keeping::Save(id, bytes) => {
                        let bytes = Uint8Array::from(bytes.as_slice());
                        table.put_with_key(&bytes, &(*id as f64).into())?
                    }
                    Keeping::Delete(id) => table.delete(&(*id as f64).into())?,
                };
                answer(&asked).await
            };
            if let Err(error) = done.await {
                (inner.tell)(Input::NotKept(said(&error)));
            }
        });
    }
}

impl Inner {
    /// Renews the claim, or asks for it. Where another window let go of it, this one goes on from
    /// what that kept.
    async fn renew(&self) {
        let Some(database) = self.database.borrow().clone() else {
            return;
        };
        // What the browser refuses is told when something is to be kept.
        let Ok(table) = self.claimed(&database).await else {
            return;
        };
        let is_elsewhere = table.is_none();
        if is_elsewhere == self.is_elsewhere.get() {
            return;
        }
        if !is_elsewhere {
            if let Ok(kept) = load(&database).await {
                self.is_elsewhere.set(false);
                (self.tell)(Input::Kept(Ok(kept)));
            }
        } else if js_sys::Date::now() - self.opened_at > HOLDS_MS {
            // Before, it may be the claim of the page that this one was reloaded from.
            self.is_elsewhere.set(true);
            (self.tell)(Input::KeptElsewhere);
        }
    }

    /// The table in a transaction in which the track is this window's to keep; `None`: it is another
    /// one's.
    async fn claimed(&self, database: &IdbDatabase) -> Result<Option<IdbObjectStore>, JsValue> {
        let table = table(database, TABLE, IdbTransactionMode::Readwrite)?;
        let kept = answer(&table.get(&CLAIM.into())?).await?;
        let number = |place| Array::from(&kept).get(place).as_f64();
        let kept = kept.is_object().then_some(()).and_then(|()| {
            Some(Claim {
                owner: number(0)? as u32,
                until: number(1)?,
            })
        });
        let claim = keeper::claim(kept, self.number, js_sys::Date::now());
        let Some(claim) = claim else {
            return Ok(None);
        };
        table.put_with_key(
            &Array::of2(&claim.owner.into(), &claim.until.into()),
            &CLAIM.into(),
        )?;
        Ok(Some(table))
    }
}

async fn load(database: &IdbDatabase) -> Result<Vec<(u64, Vec<u8>)>, JsValue> {
    let (keys, values) = all(database, TABLE).await?;
    let chunks = keys.iter().zip(values.iter()).filter_map(|(key, value)| {
        let bytes: Uint8Array = value.dyn_into().ok()?;
        Some((key.as_f64()? as u64, bytes.to_vec()))
    });
    Ok(chunks.collect())
}

/// A database's errors are no `Error` to JavaScript.
fn said(error: &JsValue) -> String {
    match error.dyn_ref::<web_sys::DomException>() {
        Some(error) => [error.name(), error.message()].join(": "),
        None => js::said(error),
    }
}
