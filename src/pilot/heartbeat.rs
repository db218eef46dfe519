//! What the heartbeat says: who is there, who drives, who pressed STOP (rule 17).

use serde_json::{Value, json};

use crate::ros::names::shown_name;

/// The JSON inside the heartbeat's `std_msgs/String`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heartbeat {
    /// Unique to a page load.
    pub console: String,
    /// For people.
    pub name: String,
    /// Counts up.
    pub seq: u64,
    /// A finger drives there.
    pub driving: bool,
    /// The STOP that is latched there.
    pub stop: Option<StopMark>,
}

/// One press of STOP: who and which. It keeps its identity while others pass it on, so that a
/// console that has reset it does not latch it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopMark {
    /// The console on which it was pressed.
    pub by: String,
    /// Differs between presses, also across reloads.
    pub seq: u64,
}

impl Heartbeat {
    /// Reads the text of another console's heartbeat; `None` for anything else.
    #[must_use]
    pub fn parse(data: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(data).ok()?;
        let text = |value: &Value, key: &str| Some(value.get(key)?.as_str()?.to_owned());
        let stop = match value.get("stop") {
            None | Some(Value::Null) => None,
            Some(stop) => Some(StopMark {
                by: text(stop, "by")?,
                seq: stop.get("seq")?.as_u64()?,
            }),
        };
        Some(Self {
            console: text(&value, "console")?,
            name: shown_name(&text(&value, "name")?),
            seq: value.get("seq")?.as_u64()?,
            driving: value.get("driving")?.as_bool()?,
            stop,
        })
    }

    /// The text.
    #[must_use]
    pub fn encode(&self) -> String {
        let stop = self
            .stop
            .as_ref()
            .map(|stop| json!({"by": stop.by, "seq": stop.seq}));
        json!({
            "console": self.console,
            "name": self.name,
            "seq": self.seq,
            "driving": self.driving,
            "stop": stop,
        })
        .to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_heartbeat_is_none() {
        for data in [
            "",
            "null",
            "7",
            "{}",
            r#"{"console":"a","name":"b","seq":-1,"driving":true}"#,
        ] {
            assert_eq!(Heartbeat::parse(data), None, "{data}");
        }
    }

    #[test]
    fn the_name_of_another_console_is_cut_to_what_is_shown() {
        let name = ["Tablet\n\u{202e}3", &"x".repeat(500)].concat();
        let data = json!({"console": "a", "name": name, "seq": 1, "driving": false});
        let name = Heartbeat::parse(&data.to_string()).unwrap().name;
        assert!(name.starts_with("Tablet3x") && name.len() == 40, "{name}");
    }

    proptest! {
        #[test]
        fn a_heartbeat_survives_its_own_text(
            console in ".{0,20}", name in "\\PC{0,20}", seq in any::<u64>(), driving in any::<bool>(),
            stop in proptest::option::of((".{0,9}", any::<u64>()))
        ) {
            let stop = stop.map(|(by, seq)| StopMark { by, seq });
            let heartbeat = Heartbeat { console, name, seq, driving, stop };
            prop_assert_eq!(Heartbeat::parse(&heartbeat.encode()), Some(heartbeat));
        }
    }
}
