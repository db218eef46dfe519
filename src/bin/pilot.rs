//! The Workers' program; the page starts it as control and as telemetry Worker.

fn main() {
    #[cfg(target_arch = "wasm32")]
    broomstick::shell::worker::run_console();
}
