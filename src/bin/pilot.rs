//! The Workers.
fn main() {}
