//! Names of topics and of their segments.

/// A legal segment of a ROS name: only `A–Z a–z 0–9 _` is kept, runs of `_` merge, a leading
/// digit gets `_` before it, and the result is never empty (`_` when nothing is left).
#[must_use]
pub fn sanitized(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '_')
    {
        if c == '_' && out.ends_with('_') {
            continue;
        }
        out.push(c);
    }
    if out.is_empty() {
        out.push('_');
    } else if out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, '_');
    }
    out
}

/// The namespace as a prefix of absolute names: `""` for the root, else `/a/b`. Slashes around
/// the namespace are ignored and each segment is sanitised.
#[must_use]
pub fn namespace_prefix(namespace: &str) -> String {
    namespace
        .split('/')
        .filter(|segment| !segment.trim().is_empty())
        .map(|segment| format!("/{}", sanitized(segment)))
        .collect()
}

/// The absolute name of a topic: `/<namespace>/<topic>`, unless an override is given, which
/// replaces the whole name; a missing leading slash is added to it.
#[must_use]
pub fn topic_name(namespace: &str, topic: &str, topic_override: &str) -> String {
    let replacement = topic_override.trim();
    if replacement.is_empty() {
        format!("{}/{topic}", namespace_prefix(namespace))
    } else if replacement.starts_with('/') {
        replacement.to_owned()
    } else {
        format!("/{replacement}")
    }
}

/// True for an absolute name of a topic that ROS accepts: segments of `A–Z a–z 0–9 _`, none empty,
/// none beginning with a digit, no `__`.
#[must_use]
pub fn is_topic_name(name: &str) -> bool {
    let is_segment = |segment: &str| {
        !segment.is_empty()
            && !segment.starts_with(|c: char| c.is_ascii_digit())
            && segment
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let has_segments = |rest: &str| rest.split('/').all(is_segment);
    !name.contains("__") && name.strip_prefix('/').is_some_and(has_segments)
}

/// True for the full name of a message type: `pkg/msg/Name`.
#[must_use]
pub fn is_type_name(name: &str) -> bool {
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let mut parts = name.split('/');
    parts.next().is_some_and(is_part)
        && parts.next() == Some("msg")
        && parts.next().is_some_and(is_part)
        && parts.next().is_none()
}

/// As much of somebody's name as is shown: in one line, without what would turn the words after
/// it round, and not so long that it pushes something else off the screen.
#[must_use]
pub fn shown_name(name: &str) -> String {
    let is_unseen = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
    };
    name.chars().filter(|c| !is_unseen(*c)).take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_has_a_package_and_a_name() {
        for (name, is_one) in [
            ("geometry_msgs/msg/Twist", true),
            ("Twist", false),
            ("geometry_msgs/Twist", false),
            ("geometry_msgs/srv/Twist", false),
            ("geometry_msgs/msg/Twist/x", false),
            ("geometry msgs/msg/Twist", false),
            ("/msg/Twist", false),
        ] {
            assert_eq!(is_type_name(name), is_one, "{name}");
        }
    }

    #[test]
    fn a_name_is_shown_in_one_line_the_way_it_reads_and_not_at_any_length() {
        assert_eq!(shown_name("清扫车 7"), "清扫车 7");
        assert_eq!(shown_name("a\nb\u{202e}c"), "abc");
        assert_eq!(shown_name(&"x".repeat(300)).len(), 40);
    }

    #[test]
    fn keeps_only_what_a_name_may_hold() {
        assert_eq!(sanitized("sweeper 1/left"), "sweeper1left");
        assert_eq!(sanitized("a__b___c"), "a_b_c");
        assert_eq!(sanitized("a_-_b"), "a_b");
        assert_eq!(sanitized("7up"), "_7up");
        assert_eq!(sanitized("清扫"), "_");
        assert_eq!(sanitized(""), "_");
    }

    #[test]
    fn slashes_around_the_namespace_are_ignored_and_only_slashes_mean_the_root() {
        assert_eq!(topic_name("/robot1/", "cmd_vel", ""), "/robot1/cmd_vel");
        assert_eq!(
            topic_name("site a/robot 1", "cmd_vel", ""),
            "/sitea/robot1/cmd_vel"
        );
        assert_eq!(topic_name("/", "cmd_vel", ""), "/cmd_vel");
        assert_eq!(topic_name("", "cmd_vel", ""), "/cmd_vel");
    }

    #[test]
    fn an_override_replaces_the_whole_name_and_gets_its_slash() {
        assert_eq!(topic_name("robot1", "cmd_vel", "drive"), "/drive");
        assert_eq!(topic_name("robot1", "cmd_vel", "/a/drive"), "/a/drive");
    }
}
