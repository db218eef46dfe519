//! Vehicles that show by their topics.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A prefix under which there is a topic that a vehicle has.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Namespace {
    /// Without slashes at its ends; empty for the root.
    pub name: String,
    /// A velocity command is there.
    pub has_cmd_vel: bool,
    /// McCtrl is there.
    pub has_mc_ctrl: bool,
    /// The position is there.
    pub has_rtk: bool,
    /// An attitude command is there: it flies.
    pub has_attitude: bool,
}

/// The namespaces in the parallel lists of a rosapi answer, in the order of their names. A topic
/// counts when its last word and the last word of its type are as they should be: the package of
/// McCtrl and Rtk is not documented.
#[must_use]
pub fn namespaces(topics: &[Value], types: Option<&Value>) -> Vec<Namespace> {
    let mut found: Vec<Namespace> = Vec::new();
    for (place, topic) in topics.iter().enumerate() {
        let kind = types.and_then(|types| types.get(place)?.as_str());
        let kind = kind.and_then(|kind| kind.rsplit('/').next());
        let Some((prefix, last)) = topic.as_str().and_then(|topic| topic.rsplit_once('/')) else {
            continue;
        };
        let seen = match (last, kind) {
            ("cmd_vel", Some("Twist" | "TwistStamped")) => 0,
            ("auto_mc_ctrl", Some("McCtrl")) => 1,
            ("rtk_message", Some("Rtk")) => 2,
            ("cmd_attitude", Some("AttitudeTarget")) => 3,
            _ => continue,
        };
        let name = prefix.trim_matches('/');
        let known = found.iter().position(|namespace| namespace.name == name);
        let at = known.unwrap_or_else(|| {
            found.push(Namespace {
                name: name.to_owned(),
                ..Namespace::default()
            });
            found.len() - 1
        });
        if let Some(namespace) = found.get_mut(at) {
            namespace.has_cmd_vel |= seen == 0;
            namespace.has_mc_ctrl |= seen == 1;
            namespace.has_rtk |= seen == 2;
            namespace.has_attitude |= seen == 3;
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_prefix_with_a_fitting_topic_is_a_vehicle() {
        let topics = [
            ("/robot2/cmd_vel", "geometry_msgs/msg/TwistStamped"),
            ("/cmd_vel", "std_msgs/msg/String"),
            ("/robot1/auto_mc_ctrl", "any_msgs/msg/McCtrl"),
            ("/robot1/cmd_vel", "geometry_msgs/Twist"),
            ("/site/robot3/rtk_message", "x/msg/Rtk"),
            ("cmd_vel", "geometry_msgs/msg/Twist"),
            ("/robot1/odom", "nav_msgs/msg/Odometry"),
            ("/uav1/cmd_attitude", "mavros_msgs/msg/AttitudeTarget"),
        ];
        let names: Vec<Value> = topics.iter().map(|(name, _)| json!(name)).collect();
        let types: Value = topics.iter().map(|(_, kind)| json!(kind)).collect();
        let found = namespaces(&names, Some(&types));
        let words: Vec<_> = found
            .iter()
            .map(|n| {
                let has = (n.has_cmd_vel, n.has_mc_ctrl, n.has_rtk, n.has_attitude);
                (n.name.as_str(), has)
            })
            .collect();
        assert_eq!(
            words,
            [
                ("robot1", (true, true, false, false)),
                ("robot2", (true, false, false, false)),
                ("site/robot3", (false, false, true, false)),
                ("uav1", (false, false, false, true)),
            ]
        );
        assert_eq!(namespaces(&names, None), []);
    }
}
