//! The console's program. The same wasm runs in the page, in front of the operator, and in the
//! Workers that the page starts: they share most of their code, are always of one build, and a
//! Worker starts from the module that the page has compiled already.

fn main() {
    #[cfg(target_arch = "wasm32")]
    if broomstick::shell::is_page() {
        // The release build's panics say nothing (scripts/build.sh).
        #[cfg(debug_assertions)]
        console_error_panic_hook::set_once();
        broomstick::ui::start();
    } else {
        broomstick::shell::worker::run_console();
    }
    #[cfg(not(target_arch = "wasm32"))]
    {
        eprintln!("This program runs in a browser: build the page with scripts/build.sh.");
        std::process::exit(1);
    }
}
