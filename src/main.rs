//! The page: the program that the browser runs in front of the operator.

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        console_error_panic_hook::set_once();
        broomstick::ui::start();
    }
    #[cfg(not(target_arch = "wasm32"))]
    {
        eprintln!("This program runs in a browser: build the page with scripts/build.sh.");
        std::process::exit(1);
    }
}
