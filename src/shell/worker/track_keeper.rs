//! Keeps a vehicle's track in the browser's database, chunk by chunk, so that it survives a
//! reload. What the browser refuses is told and costs nothing else.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{IdbDatabase, IdbTransactionMode};

use super::super::database::{all, answer, open, table};
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
            let kept = match open(&name, &[TABLE], "this browser window has no database").await {
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
                let table = table(&database, TABLE, IdbTransactionMode::Readwrite)?;
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
