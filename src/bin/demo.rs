//! The simulated vehicle inside the page; loaded in demo mode only.

fn main() {
    #[cfg(target_arch = "wasm32")]
    broomstick::shell::worker::run_vehicle();
}
