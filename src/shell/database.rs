//! The browser's database as promises: the little that the viewer's programs need of it.

use js_sys::{Array, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{IdbDatabase, IdbFactory, IdbObjectStore, IdbRequest, IdbTransactionMode};

use super::js;

/// Opens a database that has these tables.
///
/// # Errors
/// What the browser said, or `missing` where it has no databases at all.
pub(super) async fn open(
    name: &str,
    tables: &'static [&'static str],
    missing: &str,
) -> Result<IdbDatabase, JsValue> {
    let factory: IdbFactory = Reflect::get(&js_sys::global(), &"indexedDB".into())?
        .dyn_into()
        .map_err(|_| JsValue::from_str(missing))?;
    let asked = factory.open_with_u32(name, 1)?;
    let opening = asked.clone();
    let upgrade = Closure::once_into_js(move || {
        let Ok(Ok(database)) = opening.result().map(JsCast::dyn_into::<IdbDatabase>) else {
            return;
        };
        for name in tables {
            if let Err(error) = database.create_object_store(name) {
                js::warn(&js::said(&error));
            }
        }
    });
    asked.set_onupgradeneeded(Some(upgrade.unchecked_ref()));
    answer(&asked).await?.dyn_into()
}

/// A table, in a transaction of its own.
///
/// # Errors
/// What the browser said.
pub(super) fn table(
    database: &IdbDatabase,
    name: &str,
    mode: IdbTransactionMode,
) -> Result<IdbObjectStore, JsValue> {
    database
        .transaction_with_str_and_mode(name, mode)?
        .object_store(name)
}

/// All keys and all values of a table, each in the place of its key.
///
/// # Errors
/// What the browser said.
pub(super) async fn all(database: &IdbDatabase, name: &str) -> Result<(Array, Array), JsValue> {
    let table = table(database, name, IdbTransactionMode::Readonly)?;
    // Both in one transaction, so that they fit each other.
    let (keys, values) = (promise(&table.get_all_keys()?), promise(&table.get_all()?));
    let (keys, values) = (JsFuture::from(keys), JsFuture::from(values));
    Ok((keys.await?.dyn_into()?, values.await?.dyn_into()?))
}

/// What a request ends with.
///
/// # Errors
/// What the browser said.
pub(super) async fn answer(asked: &IdbRequest) -> Result<JsValue, JsValue> {
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
            let error = no.error().ok().flatten();
            reject.call1(&JsValue::NULL, &error.into()).ok();
        });
        asked.set_onsuccess(Some(done.unchecked_ref()));
        asked.set_onerror(Some(failed.unchecked_ref()));
    })
}
