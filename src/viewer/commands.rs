//! How the vehicle's own components stand with its commands, where they say so (`docs/ubot.md`):
//! a JSON object `{"state", "reason"}` in a `std_msgs/msg/String`, told at every change.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::catalogue::Topic;
use crate::rosbridge::handle::{Handle, Handles};
use crate::rosbridge::session::{Session, Subscription};
use crate::units::Moment;

/// A state may change with every command; ten a second are enough to read.
const THROTTLE_MS: u32 = 100;
/// Letters of a state and of a reason.
const MOST_LETTERS: usize = 120;

/// What takes commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Component {
    /// `cmd_vel`.
    #[default]
    Velocity,
    /// `cmd_attitude`.
    Attitude,
}

impl Component {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Velocity, Self::Attitude];

    /// Its topic under the namespace.
    #[must_use]
    pub fn topic(self) -> &'static str {
        match self {
            Self::Velocity => "velocity_command/state",
            Self::Attitude => "attitude_command/state",
        }
    }

    /// For the page's attributes.
    #[must_use]
    pub fn slug(self) -> &'static str {
        self.topic().split('_').next().unwrap_or_default()
    }
}

/// What a component says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Standing {
    /// `idle`, `active`, `limited`, `timed_out`, `refused`, or what else it says.
    pub state: String,
    /// Why it refused; empty otherwise.
    pub reason: String,
}

/// How a component stands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CommandView {
    /// Which.
    pub component: Component,
    /// What it last said since the connection was made.
    pub standing: Standing,
}

/// Listens to those that there are.
#[derive(Debug, Default)]
pub(super) struct Commands {
    heard: [Heard; 2],
}

#[derive(Debug, Default)]
struct Heard {
    held: Option<(String, Handle)>,
    standing: Option<Standing>,
    /// The newest message, for who looks at the topic later: the server does not send it again.
    newest: Option<(Value, Moment)>,
}

impl Commands {
    /// Subscribes what there is under the namespace of `prefix` now, and no longer what is not.
    pub(super) fn follow(
        &mut self,
        prefix: &str,
        topics: &[Topic],
        handles: &mut Handles,
        session: &mut Session,
    ) {
        for (component, heard) in Component::ALL.iter().zip(&mut self.heard) {
            let Heard { held, standing, .. } = heard;
            let name = [prefix, "/", component.topic()].concat();
            let is_text = |topic: &Topic| topic.kind.rsplit('/').next() == Some("String");
            let is_there = topics.iter().any(|t| t.name == name && is_text(t));
            if is_there == held.is_some() {
                continue;
            }
            *standing = None;
            heard.newest = None;
            *held = is_there.then(|| {
                let wanted = Subscription {
                    throttle_ms: THROTTLE_MS,
                    ..Subscription::newest(&name, "std_msgs/msg/String")
                };
                let handle = handles.subscribe(wanted, session);
                (name, handle)
            });
        }
        handles.sweep(session);
    }

    /// Whether it listens to that topic.
    pub(super) fn wants(&self, topic: &str) -> bool {
        let held = self.heard.iter().filter_map(|heard| heard.held.as_ref());
        held.map(|(name, _)| name).any(|name| name == topic)
    }

    /// Takes a message, if it is one of these. What cannot be read is nothing that is known.
    pub(super) fn take(&mut self, topic: &str, msg: &Value, now: Moment) {
        for heard in &mut self.heard {
            if heard.held.as_ref().is_some_and(|(name, _)| name == topic) {
                heard.standing = msg.get("data").and_then(Value::as_str).and_then(read);
                heard.newest = Some((msg.clone(), now));
            }
        }
    }

    /// The newest message of a topic that it listens to, and when it was heard.
    pub(super) fn newest(&self, topic: &str) -> Option<(Value, Moment)> {
        let is_it = |heard: &&Heard| heard.held.as_ref().is_some_and(|(name, _)| name == topic);
        self.heard.iter().find(is_it)?.newest.clone()
    }

    /// The connection is gone: what was last said may not be so any more. Who says it keeps it for
    /// the next subscriber.
    pub(super) fn forget(&mut self) {
        for heard in &mut self.heard {
            heard.standing = None;
            heard.newest = None;
        }
    }

    /// What is known.
    pub(super) fn view(&self) -> Vec<CommandView> {
        let all = Component::ALL.iter().zip(&self.heard);
        all.filter_map(|(component, heard)| {
            Some(CommandView {
                component: *component,
                standing: heard.standing.clone()?,
            })
        })
        .collect()
    }
}

/// A component's words about itself; none when they are not in the documented form.
#[must_use]
pub fn read(data: &str) -> Option<Standing> {
    let words: Value = serde_json::from_str(data).ok()?;
    let text = |key: &str| {
        let text = words.get(key).and_then(Value::as_str)?;
        Some(text.chars().take(MOST_LETTERS).collect::<String>())
    };
    Some(Standing {
        state: text("state").filter(|state| !state.is_empty())?,
        reason: text("reason").unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(state: &str, reason: &str) -> Option<Standing> {
        Some(Standing {
            state: state.into(),
            reason: reason.into(),
        })
    }

    #[test]
    fn a_components_words_are_read_as_documented_and_nothing_else_is() {
        let refused = r#"{"state": "refused", "reason": "the motors are off"}"#;
        assert_eq!(read(refused), standing("refused", "the motors are off"));
        assert_eq!(read(r#"{"state": "limited"}"#), standing("limited", ""));
        for other in ["", "limited", "{}", r#"{"state": 3}"#, r#"{"state": ""}"#] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn long_words_are_cut() {
        let long = format!(r#"{{"state": "x", "reason": "{}"}}"#, "y".repeat(5000));
        assert_eq!(read(&long).unwrap().reason.len(), MOST_LETTERS);
    }

    #[test]
    fn a_component_has_a_short_name() {
        assert_eq!(
            Component::ALL.map(Component::slug),
            ["velocity", "attitude"]
        );
    }
}
