//! How a definition that a vehicle tells differs from the one that this crate knows.

use serde::{Deserialize, Serialize};

use super::schema::msg_spelling;

/// One field that is not as expected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldDifference {
    /// The field.
    pub name: String,
    /// The type that is expected; `None`: no such field is.
    pub expected: Option<String>,
    /// The type that the vehicle tells; `None`: it has no such field.
    pub found: Option<String>,
}

/// The fields that differ, the expected ones first, in their orders. A number of another width is
/// no difference: what is sent follows the vehicle's definition.
///
/// ```
/// use broomstick::msgs::difference::differences;
///
/// let found = [("brake".to_owned(), "string".to_owned()), ("rpm".to_owned(), "uint16".to_owned())];
/// let found = differences(&[("brake", "uint8"), ("rpm", "uint8"), ("gear", "uint8")], &found);
/// let words: Vec<_> = found
///     .iter()
///     .map(|d| (d.name.as_str(), d.expected.as_deref(), d.found.as_deref()))
///     .collect();
/// assert_eq!(
///     words,
///     [("brake", Some("uint8"), Some("string")), ("gear", Some("uint8"), None)]
/// );
/// ```
#[must_use]
pub fn differences(expected: &[(&str, &str)], found: &[(String, String)]) -> Vec<FieldDifference> {
    let mut list = Vec::new();
    for (name, kind) in expected {
        let told = found.iter().find(|(told, _)| told == name);
        let told = told.map(|(_, kind)| kind.as_str());
        if told.is_none_or(|told| !fits(kind, told)) {
            list.push(FieldDifference {
                name: (*name).to_owned(),
                expected: Some((*kind).to_owned()),
                found: told.map(str::to_owned),
            });
        }
    }
    for (name, kind) in found {
        if !expected.iter().any(|(known, _)| known == name) {
            list.push(FieldDifference {
                name: name.clone(),
                expected: None,
                found: Some(kind.clone()),
            });
        }
    }
    list
}

/// Both numbers of any width, or the same type whether or not its package is written.
fn fits(expected: &str, found: &str) -> bool {
    let last = |name: &str| name.rsplit('/').next() == expected.rsplit('/').next();
    (is_number(expected) && is_number(found)) || last(msg_spelling(found))
}

/// Whether a type is one number, by any of its spellings.
#[must_use]
pub fn is_number(kind: &str) -> bool {
    matches!(msg_spelling(kind), "byte" | "char" | "float32" | "float64")
        || ["8", "16", "32", "64"].iter().any(|bits| {
            let kind = kind.strip_prefix('u').unwrap_or(kind);
            kind.strip_prefix("int") == Some(*bits)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_width_and_spelling_fit_each_other() {
        for kind in [
            "uint8", "int64", "uint32", "float", "float64", "double", "octet", "byte", "char",
        ] {
            assert!(is_number(kind), "{kind}");
        }
        for kind in ["uint13", "string", "uint8[]", "bool", "x/Y", "uuint8"] {
            assert!(!is_number(kind), "{kind}");
        }
    }

    #[test]
    fn nested_types_fit_with_and_without_their_package() {
        let found = [("linear".to_owned(), "geometry_msgs/msg/Vector3".to_owned())];
        assert_eq!(differences(&[("linear", "Vector3")], &found), []);
    }
}
