//! broomstick.
