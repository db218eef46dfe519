//! The table of losses and the interlocks once more, for a vehicle that is driven by McCtrl (rule 19).

#[path = "losses.rs"]
mod losses;
