//! Addresses, and what of them may be read over a shoulder.

/// The address without what may be a secret: passwords, the values of a query, and parts of the
/// path that look like a token keep only their beginning.
///
/// ```
/// use broomstick::rosbridge::address::masked;
///
/// assert_eq!(masked("ws://robot:9090"), "ws://robot:9090");
/// assert_eq!(masked("wss://gate/robot1/ws?token=s3cr3t"), "wss://gate/robot1/ws?token=…");
/// assert_eq!(masked("wss://gate/9f8e7d6c5b4a/ws"), "wss://gate/9f8…/ws");
/// ```
#[must_use]
pub fn masked(address: &str) -> String {
    let (scheme, rest) = match address.split_once("://") {
        Some((scheme, rest)) => ([scheme, "://"].concat(), rest),
        None => (String::new(), address),
    };
    let (rest, query) = match rest.split_once(['?', '#']) {
        Some((rest, query)) => (rest, Some(query)),
        None => (rest, None),
    };
    let mut parts = rest.split('/');
    let host = parts.next().unwrap_or_default();
    let mut out = scheme;
    match host.rsplit_once('@') {
        Some((_, host)) => {
            out.push_str("…@");
            out.push_str(host);
        }
        None => out.push_str(host),
    }
    for part in parts {
        out.push('/');
        push_masked(&mut out, part);
    }
    for (place, pair) in query.into_iter().flat_map(|q| q.split('&')).enumerate() {
        out.push(if place == 0 { '?' } else { '&' });
        match pair.split_once('=') {
            Some((key, _)) => {
                out.push_str(key);
                out.push_str("=…");
            }
            None => push_masked(&mut out, pair),
        }
    }
    out
}

/// A word of letters is a name; anything longer than a short name may be a token.
fn push_masked(out: &mut String, part: &str) {
    let is_word = part.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
    let most = if is_word { 20 } else { 8 };
    if part.len() < most {
        out.push_str(part);
    } else {
        out.extend(part.chars().take(3));
        out.push('…');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_an_operator_types_is_shown_and_what_opens_a_door_is_not() {
        for (address, shown) in [
            (
                "ws://10.0.0.7:9090/rosbridge",
                "ws://10.0.0.7:9090/rosbridge",
            ),
            ("ws://me:pass@host/x", "ws://…@host/x"),
            ("wss://h/?a=1&b=2", "wss://h/?a=…&b=…"),
            ("wss://h/?0123456789abcdef", "wss://h/?012…"),
            ("demo", "demo"),
            ("", ""),
        ] {
            assert_eq!(masked(address), shown);
        }
    }

    proptest! {
        #[test]
        fn a_long_token_never_shows_in_full(token in "[A-Za-z0-9_.-]{21,60}", place in 0..3) {
            let address = match place {
                0 => format!("wss://gate/{token}/ws"),
                1 => format!("wss://gate/ws?token={token}"),
                _ => format!("wss://u:{token}@gate/ws"),
            };
            prop_assert!(!masked(&address).contains(&token));
        }

        #[test]
        fn no_address_is_too_odd(address in any::<String>()) {
            let _shown = masked(&address);
        }
    }
}
