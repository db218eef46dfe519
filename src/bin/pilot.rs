//! The Workers' program; the page starts it as control, telemetry and, in demo mode, vehicle.

fn main() {
    #[cfg(target_arch = "wasm32")]
    broomstick::shell::worker::run();
}
