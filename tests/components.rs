//! The page's components, drawn and operated in a real browser.
#![cfg(all(target_arch = "wasm32", feature = "ui"))]

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn runs_where_there_is_a_document() {
    let document = web_sys::window().and_then(|window| window.document());
    assert!(document.is_some());
}
