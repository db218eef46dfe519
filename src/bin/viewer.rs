//! The topics page and the camera beside the map; loaded when somebody asks for them. The same wasm
//! runs in the page and in the viewer's Worker.

fn main() {
    #[cfg(target_arch = "wasm32")]
    if broomstick::shell::is_page() {
        #[cfg(debug_assertions)]
        console_error_panic_hook::set_once();
        broomstick::topics::start();
    } else {
        broomstick::shell::worker::run_viewer();
    }
}
