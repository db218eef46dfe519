//! Small typed values in the browser's storage. Never a panic: in a private window, with cookies
//! refused or a full disk, the page works on and can say that it will not remember.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use web_sys::Storage;

use super::js;

/// Names of our values begin with this; other pages of the same host have theirs.
const PREFIX: &str = "broomstick.";

/// Where a value is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// On this tablet, until it is cleared.
    OnThisDevice,
    /// In this tab, through reloads, until it is closed.
    InThisTab,
}

/// A value was not kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StorageTrouble {
    /// The browser offers no storage here.
    #[error("this browser window keeps nothing ({cause}); settings last until the page is closed")]
    Unavailable {
        /// What the browser said.
        cause: String,
    },
    /// The browser did not take this value.
    #[error("the browser did not keep \"{key}\" ({cause})")]
    NotKept {
        /// The value's name.
        key: String,
        /// What the browser said.
        cause: String,
    },
}

/// The JSON of this name; `None` when there is none, or none that can be read.
#[must_use]
pub fn get(keep: Keep, key: &str) -> Option<Value> {
    serde_json::from_str(&text(keep, key)?).ok()
}

/// The value of this name that [`set_packed`] kept, as bytes: that costs the page less code than
/// JSON. What another release kept in another form counts as not kept, where it can be told.
#[must_use]
pub fn get_packed<T: DeserializeOwned>(keep: Keep, key: &str) -> Option<T> {
    postcard::from_bytes(&bytes(keep, key)?).ok()
}

/// Not a part of every [`get_packed`], each of which is compiled for its type.
#[inline(never)]
fn bytes(keep: Keep, key: &str) -> Option<Vec<u8>> {
    let text = text(keep, key)?;
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    text.as_bytes()
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => Some((digit(high)? << 4 | digit(low)?) as u8),
            _ => None,
        })
        .collect()
}

/// Keeps JSON under this name.
///
/// # Errors
/// When the browser does not take it; everything else goes on as well without.
pub fn set(keep: Keep, key: &str, value: &Value) -> Result<(), StorageTrouble> {
    set_text(keep, key, &value.to_string())
}

/// Keeps a value as its bytes, in hexadecimal digits.
///
/// # Errors
/// As for [`set`].
pub fn set_packed<T: Serialize>(keep: Keep, key: &str, value: &T) -> Result<(), StorageTrouble> {
    set_bytes(keep, key, &postcard::to_allocvec(value).unwrap_or_default())
}

#[inline(never)]
fn set_bytes(keep: Keep, key: &str, bytes: &[u8]) -> Result<(), StorageTrouble> {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    let text: String = bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect();
    set_text(keep, key, &text)
}

/// Forgets the value of this name.
///
/// # Errors
/// When the browser offers no storage or refuses.
pub fn remove(keep: Keep, key: &str) -> Result<(), StorageTrouble> {
    storage(keep)?
        .remove_item(&format!("{PREFIX}{key}"))
        .map_err(|error| StorageTrouble::NotKept {
            key: key.to_owned(),
            cause: js::said(&error),
        })
}

fn text(keep: Keep, key: &str) -> Option<String> {
    storage(keep)
        .ok()?
        .get_item(&format!("{PREFIX}{key}"))
        .ok()?
}

fn set_text(keep: Keep, key: &str, text: &str) -> Result<(), StorageTrouble> {
    storage(keep)?
        .set_item(&format!("{PREFIX}{key}"), text)
        .map_err(|error| StorageTrouble::NotKept {
            key: key.to_owned(),
            cause: js::said(&error),
        })
}

fn storage(keep: Keep) -> Result<Storage, StorageTrouble> {
    let unavailable = |cause: String| StorageTrouble::Unavailable { cause };
    let window = web_sys::window().ok_or_else(|| unavailable("not in a page".into()))?;
    match keep {
        Keep::OnThisDevice => window.local_storage(),
        Keep::InThisTab => window.session_storage(),
    }
    .map_err(|error| unavailable(js::said(&error)))?
    .ok_or_else(|| unavailable("it is switched off".into()))
}
