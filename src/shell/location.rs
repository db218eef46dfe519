//! The page's address: its parameters, and the rosbridge addresses that follow from it. Pure.

use serde::{Deserialize, Serialize};

use crate::lang::Lang;
use crate::profile::KINDS;

/// A look of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// Light, for bright sun.
    #[default]
    Sun,
    /// For the night.
    Dark,
}

/// Where the page itself comes from, as `window.location` tells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageOrigin {
    /// The page came over https: the browser then refuses `ws://`.
    pub is_secure: bool,
    /// `host[:port]`; empty for a file.
    pub host: String,
    /// The host alone, IPv6 in brackets.
    pub hostname: String,
}

/// What the address asks for; `None` where it does not say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parameters {
    /// `demo=1`: the vehicle simulated inside the page.
    pub demo: Option<bool>,
    /// `url=ws://…`: a rosbridge.
    pub url: Option<String>,
    /// `profile=file.json`: another profile, beside the page.
    pub profile: Option<String>,
    /// `ns=robot1`: prefixes the default names.
    pub namespace: Option<String>,
    /// `kind=sweeper|multirotor`: what kind of vehicle it is, whatever the profile says.
    pub kind: Option<&'static str>,
    /// `lang=zh|en`.
    pub lang: Option<Lang>,
    /// `theme=sun|dark`.
    pub theme: Option<Theme>,
}

/// A parameter that cannot be followed; the others still are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParameterProblem {
    /// No such parameter.
    #[error(
        "the address has an unknown parameter \"{name}\"; known are demo, url, profile, ns, kind, lang, theme"
    )]
    Unknown {
        /// Its name.
        name: String,
    },
    /// The same parameter twice; the first one counts.
    #[error("the address has \"{name}\" twice; the first one counts")]
    Twice {
        /// Its name.
        name: String,
    },
    /// A value that the parameter does not take.
    #[error("{name}={value} in the address is not understood; write {allowed}")]
    WrongValue {
        /// The parameter.
        name: &'static str,
        /// What it was given.
        value: String,
        /// What it takes.
        allowed: &'static str,
    },
    /// The rosbridge address cannot be used.
    #[error("url in the address: {0}")]
    Url(#[from] UrlProblem),
}

/// A rosbridge address that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlProblem {
    /// It is not a WebSocket address.
    #[error("{url} is not a WebSocket address; write for example ws://192.168.1.10:9090")]
    NotWebSocket {
        /// What was given.
        url: String,
    },
    /// An https page asks for an unencrypted socket.
    #[error(
        "this page was loaded over https, and from such a page browsers refuse {url}: open the \
         page over http, or give the rosbridge a certificate and use wss://"
    )]
    MixedContent {
        /// What was given.
        url: String,
    },
}

impl Parameters {
    /// Reads the query of the page's address (with or without `?`).
    #[must_use]
    pub fn parse(query: &str, page: &PageOrigin) -> (Self, Vec<ParameterProblem>) {
        let mut found = Self::default();
        let mut problems = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        let pairs = query.strip_prefix('?').unwrap_or(query).split('&');
        for pair in pairs.filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (percent_decoded(name), percent_decoded(value));
            if seen.contains(&name) {
                problems.push(ParameterProblem::Twice { name });
                continue;
            }
            if let Err(problem) = found.take(&name, &value, page) {
                problems.push(problem);
            }
            seen.push(name);
        }
        (found, problems)
    }

    fn take(&mut self, name: &str, value: &str, page: &PageOrigin) -> Result<(), ParameterProblem> {
        let wrong = |name, allowed| ParameterProblem::WrongValue {
            name,
            value: value.to_owned(),
            allowed,
        };
        match name {
            "demo" => {
                self.demo = Some(match value {
                    "1" | "true" | "" => true,
                    "0" | "false" => false,
                    _ => return Err(wrong("demo", "demo=1")),
                });
            }
            "url" => {
                check_bridge_url(value, page)?;
                self.url = Some(value.trim().to_owned());
            }
            "profile" => {
                // A profile sets limits: one from somewhere else must not come in by a link.
                let is_beside_the_page = !value.is_empty()
                    && !value.contains([':', '\\'])
                    && !value.starts_with("//")
                    && !value.chars().any(|c| c.is_control() || c.is_whitespace());
                if !is_beside_the_page {
                    return Err(wrong(
                        "profile",
                        "the name of a file beside the page, for example profile=yard.json",
                    ));
                }
                self.profile = Some(value.to_owned());
            }
            "ns" => {
                let is_name = value
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '/');
                if !is_name {
                    return Err(wrong(
                        "ns",
                        "letters, digits, _ and /, for example ns=robot1",
                    ));
                }
                self.namespace = Some(value.to_owned());
            }
            "kind" => {
                let known = KINDS.iter().find(|kind| **kind == value);
                self.kind = match known {
                    Some(kind) => Some(kind),
                    None => return Err(wrong("kind", "kind=sweeper or kind=multirotor")),
                };
            }
            "lang" => {
                self.lang = Some(match value {
                    "zh" => Lang::Zh,
                    "en" => Lang::En,
                    _ => return Err(wrong("lang", "lang=zh or lang=en")),
                });
            }
            "theme" => {
                self.theme = Some(match value {
                    "sun" => Theme::Sun,
                    "dark" => Theme::Dark,
                    _ => return Err(wrong("theme", "theme=sun or theme=dark")),
                });
            }
            _ => {
                return Err(ParameterProblem::Unknown {
                    name: name.to_owned(),
                });
            }
        }
        Ok(())
    }
}

/// Looks whether this page could open this rosbridge address at all.
///
/// # Errors
/// When it is not a WebSocket address, or the browser would refuse it as mixed content.
pub fn check_bridge_url(url: &str, page: &PageOrigin) -> Result<(), UrlProblem> {
    let url = url.trim();
    let lower = url.to_ascii_lowercase();
    let not_websocket = || UrlProblem::NotWebSocket {
        url: url.to_owned(),
    };
    let (is_encrypted, rest) = if let Some(rest) = lower.strip_prefix("wss://") {
        (true, rest)
    } else if let Some(rest) = lower.strip_prefix("ws://") {
        (false, rest)
    } else {
        return Err(not_websocket());
    };
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    // Browsers refuse a fragment; spaces and control characters are always a slip.
    if authority.is_empty()
        || authority.starts_with(':')
        || rest.contains('#')
        || rest.chars().any(|c| c.is_whitespace() || c.is_control())
    {
        return Err(not_websocket());
    }
    if let Some((_, port)) = split_port(authority)
        && port.parse::<u16>().is_err()
    {
        return Err(not_websocket());
    }
    let host = split_port(authority).map_or(authority, |(host, _)| host);
    // What never leaves the machine is not refused. Some browsers let private addresses through
    // as well, with a warning that they will not for ever; that is nothing to rely on.
    let is_this_machine = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
    if page.is_secure && !is_encrypted && !is_this_machine {
        return Err(UrlProblem::MixedContent {
            url: url.to_owned(),
        });
    }
    Ok(())
}

/// The rosbridge addresses to try when nobody named one: the page's own host, first through its
/// web server, then at rosbridge's usual port. Empty for a page that came from a file.
#[must_use]
pub fn default_candidates(page: &PageOrigin) -> Vec<String> {
    if page.host.is_empty() {
        return Vec::new();
    }
    if page.is_secure {
        // The browser would refuse ws://, and rosbridge's own port speaks no wss:// by default.
        return vec![format!("wss://{}/rosbridge", page.host)];
    }
    vec![
        format!("ws://{}/rosbridge", page.host),
        format!("ws://{}:9090", page.hostname),
    ]
}

fn split_port(authority: &str) -> Option<(&str, &str)> {
    let after_brackets = authority.rfind(']').map_or(0, |end| end + 1);
    let colon = authority[after_brackets..].rfind(':')? + after_brackets;
    Some((&authority[..colon], &authority[colon + 1..]))
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let escaped = (first == b'%')
            .then(|| tail.get(..2))
            .flatten()
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .filter(|hex| hex.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match escaped {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(if first == b'+' { b' ' } else { first });
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn http() -> PageOrigin {
        PageOrigin {
            is_secure: false,
            host: "vehicle:8080".into(),
            hostname: "vehicle".into(),
        }
    }

    fn https() -> PageOrigin {
        PageOrigin {
            is_secure: true,
            ..http()
        }
    }

    fn problem(query: &str) -> String {
        let (_, problems) = Parameters::parse(query, &http());
        assert_eq!(problems.len(), 1, "{query}: {problems:?}");
        problems[0].to_string()
    }

    #[test]
    fn every_parameter_is_read() {
        let (found, problems) = Parameters::parse(
            "?demo=1&url=ws%3A%2F%2F10.0.0.1%3A9090&profile=yard.json&ns=robot1&lang=zh&theme=dark&kind=multirotor",
            &http(),
        );
        assert_eq!(problems, []);
        assert_eq!(
            found,
            Parameters {
                demo: Some(true),
                url: Some("ws://10.0.0.1:9090".into()),
                profile: Some("yard.json".into()),
                namespace: Some("robot1".into()),
                kind: Some("multirotor"),
                lang: Some(Lang::Zh),
                theme: Some(Theme::Dark),
            }
        );
    }

    #[test]
    fn an_address_without_parameters_asks_for_nothing() {
        for query in ["", "?", "&"] {
            assert_eq!(
                Parameters::parse(query, &http()),
                (Parameters::default(), vec![])
            );
        }
    }

    #[test]
    fn a_wrong_parameter_is_named_and_the_others_still_count() {
        let (found, problems) = Parameters::parse("?theme=blue&lang=en", &http());
        assert_eq!(found.lang, Some(Lang::En));
        assert_eq!(found.theme, None);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].to_string().contains("theme=blue"));
        assert!(problem("lang=fr").contains("lang=zh or lang=en"));
        assert!(problem("kind=boat").contains("kind=sweeper"));
        assert!(problem("demo=yes").contains("demo=1"));
        assert!(problem("dmeo=1").contains("\"dmeo\""));
        assert!(problem("lang=en&lang=zh").contains("twice"));
        assert!(problem("ns=robot%201").contains("ns=robot 1"));
    }

    #[test]
    fn a_bridge_address_that_is_no_web_socket_is_named() {
        for url in [
            "http://vehicle:9090",
            "vehicle:9090",
            "ws://",
            "ws://:9090",
            "ws:///rosbridge",
            "ws://vehicle:99999",
            "ws://vehicle:9090#x",
            "ws://my vehicle",
            "",
        ] {
            assert!(
                matches!(
                    check_bridge_url(url, &http()),
                    Err(UrlProblem::NotWebSocket { .. })
                ),
                "{url}"
            );
        }
        assert!(problem("url=http://v:9090").contains("http://v:9090"));
    }

    #[test]
    fn bridge_addresses_of_every_ordinary_form_are_accepted() {
        for url in [
            "ws://192.168.1.10:9090",
            "WS://Vehicle/rosbridge?robot=1",
            "wss://vehicle.example/rosbridge",
            "ws://[fe80::1]:9090",
            "ws://[::1]",
        ] {
            assert_eq!(check_bridge_url(url, &http()), Ok(()), "{url}");
        }
    }

    #[test]
    fn an_https_page_explains_why_ws_is_refused() {
        let error = check_bridge_url("ws://10.0.0.1:9090", &https()).unwrap_err();
        assert!(matches!(error, UrlProblem::MixedContent { .. }));
        assert!(error.to_string().contains("https"), "{error}");
        assert_eq!(check_bridge_url("wss://10.0.0.1:9090", &https()), Ok(()));
        assert_eq!(check_bridge_url("ws://127.0.0.1:9090", &https()), Ok(()));
        assert_eq!(check_bridge_url("ws://localhost:9090", &https()), Ok(()));
    }

    #[test]
    fn a_profile_comes_from_beside_the_page_only() {
        for profile in [
            "https://elsewhere/x.json",
            "//elsewhere/x.json",
            "",
            "\\\\x",
        ] {
            let query = format!("profile={profile}");
            assert!(problem(&query).contains("beside the page"), "{profile}");
        }
        let (found, _) = Parameters::parse("profile=profiles/yard.json", &http());
        assert_eq!(found.profile.as_deref(), Some("profiles/yard.json"));
    }

    #[test]
    fn the_default_addresses_are_the_pages_own_host() {
        assert_eq!(
            default_candidates(&http()),
            ["ws://vehicle:8080/rosbridge", "ws://vehicle:9090"]
        );
        assert_eq!(
            default_candidates(&https()),
            ["wss://vehicle:8080/rosbridge"]
        );
        assert!(default_candidates(&PageOrigin::default()).is_empty());
    }

    #[test]
    fn escapes_are_decoded_and_broken_ones_kept() {
        assert_eq!(percent_decoded("a%20b+c%E6%B8%85"), "a b c清");
        assert_eq!(percent_decoded("100%"), "100%");
        assert_eq!(percent_decoded("%zz%4"), "%zz%4");
        assert_eq!(percent_decoded("%+1"), "% 1");
    }

    proptest! {
        #[test]
        fn no_address_at_all_makes_it_fail(query in ".*") {
            let (found, _) = Parameters::parse(&query, &https());
            if let Some(url) = found.url {
                prop_assert!(check_bridge_url(&url, &https()).is_ok());
            }
        }

        #[test]
        fn no_bridge_address_makes_it_fail(url in "(wss?://)?[\\[\\]:a-z0-9/.]*") {
            let _ignored = check_bridge_url(&url, &https()).is_ok();
        }
    }
}
