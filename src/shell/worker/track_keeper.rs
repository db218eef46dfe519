//! Keeps a vehicle's track in the browser's database, chunk by chunk, so that it survives a
//! reload. What the browser refuses is told and costs nothing else.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{IdbDatabase, IdbFactory, IdbObjectStore, IdbRequest, IdbTransactionMode};

use super::super::js;
use crate::viewer::{Input, Keeping};

/// The one table of a vehicle's database: chunks by their ids.
const TABLE: &str = "chunks";

/// The way into the database of one vehicle.
pub(super) struct TrackKeeper {
    database: Rc<RefCell<Option<IdbDatabase>>>,
    tell: Rc<dyn Fn(Input)>,
}

impl TrackKeeper {
    /// Opens the vehicle's database and tells what is in it, or why there is none.
    pub(super) fn open(vehicle: &str, tell: impl Fn(Input) + 'static) -> Self {
        let tell: Rc<dyn Fn(Input)> = Rc::new(tell);
        let database = Rc::new(RefCell::new(None));
        let (place, told) = (Rc::clone(&database), Rc::clone(&tell));
        let name = ["broomstick track ", vehicle].concat();
        spawn_local(async move {
            let kept = match open(&name).await {
                Ok(database) => {
                    let kept = load(&database).await;
                    if kept.is_ok() {
                        *place.borrow_mut() = Some(database);
                    }
                    kept
                }
                Err(error) => Err(error),
            };
            told(Input::Kept(kept.map_err(|error| said(&error))));
        });
        Self { database, tell }
    }

    /// Saves or deletes a chunk.
    pub(super) fn keep(&self, keeping: Keeping) {
        let Some(database) = self.database.borrow().clone() else {
            return;
        };
        let tell = Rc::clone(&self.tell);
        spawn_local(async move {
            let done = async {
                let table = table(&database, IdbTransactionMode::Readwrite)?;
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
                tell(Input::NotKept(said(&error)));
            }
        });
    }
}

async fn open(name: &str) -> Result<IdbDatabase, JsValue> {
    let factory: IdbFactory = Reflect::get(&js_sys::global(), &"indexedDB".into())?
        .dyn_into()
        .map_err(|_| JsValue::from_str("this browser window has no database"))?;
    let asked = factory.open_with_u32(name, 1)?;
    let opening = asked.clone();
    let upgrade = Closure::once_into_js(move || {
        if let Ok(Ok(database)) = opening.result().map(JsCast::dyn_into::<IdbDatabase>)
            && let Err(error) = database.create_object_store(TABLE)
        {
            js::warn(&js::said(&error));
        }
    });
    asked.set_onupgradeneeded(Some(upgrade.unchecked_ref()));
    answer(&asked).await?.dyn_into()
}

async fn load(database: &IdbDatabase) -> Result<Vec<(u64, Vec<u8>)>, JsValue> {
    let table = table(database, IdbTransactionMode::Readonly)?;
    // Both in one transaction, so that they fit each other.
    let (keys, values) = (table.get_all_keys()?, table.get_all()?);
    let (keys, values) = (
        JsFuture::from(promise(&keys)),
        JsFuture::from(promise(&values)),
    );
    let (keys, values): (Array, Array) = (keys.await?.dyn_into()?, values.await?.dyn_into()?);
    let chunks = keys.iter().zip(values.iter()).filter_map(|(key, value)| {
        let bytes: Uint8Array = value.dyn_into().ok()?;
        Some((key.as_f64()? as u64, bytes.to_vec()))
    });
    Ok(chunks.collect())
}

fn table(database: &IdbDatabase, mode: IdbTransactionMode) -> Result<IdbObjectStore, JsValue> {
    database
        .transaction_with_str_and_mode(TABLE, mode)?
        .object_store(TABLE)
}

async fn answer(asked: &IdbRequest) -> Result<JsValue, JsValue> {
    JsFuture::from(promise(asked)).await
}

fn promise(asked: &IdbRequest) -> Promise {
    Promise::new(&mut |resolve, reject| {
        let (yes, no) = (asked.clone(), asked.clone());
        let done = Closure::once_into_js(move || {
            let result = yes.result().unwrap_or_default();
            resolve.call1(&JsValue::NULL, &result).ok();
        });
        let failed = Closure::once_into_js(move || {
            let error = no.error().ok().flatten().map(JsValue::from);
            reject
                .call1(&JsValue::NULL, &error.unwrap_or_default())
                .ok();
        });
        asked.set_onsuccess(Some(done.unchecked_ref()));
        asked.set_onerror(Some(failed.unchecked_ref()));
    })
}

/// A database's errors are no `Error` to JavaScript.
fn said(error: &JsValue) -> String {
    match error.dyn_ref::<web_sys::DomException>() {
        Some(error) => [error.name(), error.message()].join(": "),
        None => js::said(error),
    }
}
