//! What keyboard and gamepads report, as data.

/// What has the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Focus {
    /// Nothing that is typed in.
    #[default]
    Elsewhere,
    /// A text field: every key is text.
    Text,
    /// A slider: its keys move it.
    Slider,
}

/// A key going down or up.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Stroke<'a> {
    /// `KeyboardEvent.code`: the key's place, whatever is written on it.
    pub code: &'a str,
    /// The key has been down already.
    pub is_repeat: bool,
    /// Ctrl, Alt or Meta is down: a command for the browser.
    pub has_modifier: bool,
    /// What has the focus.
    pub focus: Focus,
}

/// What is heard of the keyboard.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Key<'a> {
    /// A key goes down.
    Down(Stroke<'a>),
    /// A key goes up.
    Up(Stroke<'a>),
    /// The window has the focus again.
    Focus,
}

/// A gamepad as the browser shows it at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// Its place in the browser's list.
    pub index: u32,
    /// Its name, as the browser makes it.
    pub id: String,
    /// Each −1…1; right and down are positive.
    pub axes: Vec<f64>,
    /// The buttons that are pressed, as bits by number.
    pub buttons: u32,
}
