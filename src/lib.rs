//! broomstick: a browser teleop and monitor for ROS 2 vehicles.
//!
//! Two sentences decide every doubt: *no motion outlives its operator*, and *nothing on the
//! screen claims more than is known*.
//!
//! The crate is a sans-IO core that reads no clock and opens no socket, a simulated vehicle of
//! the same kind, and a thin browser shell around them. Imports point only downwards in this list
//! (a test walks them):
//!
//! | module | what |
//! |---|---|
//! | `ui` | browser: draws snapshots, sends intents |
//! | `topics` | browser: the topics page and the camera, a program of their own |
//! | `survey` | browser: the track over the map and the engineers' sheet of the position; reached by `topics` alone |
//! | [`screen`] | what the screen works out without a browser: pad, steps, wishes |
//! | [`words`] | the words on the screen, in both languages |
//! | `shell` | browser: Workers, WebSockets, the loopback to the simulated vehicle |
//! | [`vehicle`] | the simulated vehicle: the server side of rosbridge, and physics |
//! | [`viewer`] | what engineers look at: every topic, newest message, plots, pictures |
//! | [`monitor`] | the telemetry side: position, definitions, what is told to the pilot |
//! | [`pilot`] | decides whether the vehicle may move |
//! | [`chart`] | map work that is not needed to drive: geodesy, the stored track, coverage, exports |
//! | [`profile`] | `config.json`, checked |
//! | [`drive`], [`tools`], [`rtk`], [`rosbridge`] | stick to velocity; wishes to McCtrl; fixes; the protocol |
//! | [`reason`], [`msgs`], [`ros`], [`lang`], [`units`] | why not; the messages; conventions; languages; quantities |

pub mod chart;
pub mod drive;
pub mod lang;
pub mod monitor;
pub mod msgs;
pub mod pilot;
pub mod profile;
pub mod reason;
pub mod ros;
pub mod rosbridge;
pub mod rtk;
pub mod screen;
pub mod shell;
#[cfg(all(target_arch = "wasm32", feature = "ui"))]
pub mod survey;
pub mod tools;
#[cfg(all(target_arch = "wasm32", feature = "ui"))]
pub mod topics;
#[cfg(all(target_arch = "wasm32", feature = "ui"))]
pub mod ui;
pub mod units;
pub mod vehicle;
pub mod viewer;
pub mod words;
