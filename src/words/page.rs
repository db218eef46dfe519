//! What is wrong with the page itself: its files, its address, its storage.

use std::borrow::Cow;

use super::event::worker;
use super::{InWords, Lang};
use crate::pilot::event::Level;
use crate::rosbridge::address::masked;
use crate::shell::location::{ParameterProblem, UrlProblem};
use crate::shell::trouble::PageTrouble;

/// Something that the page itself has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageNote {
    /// There is no profile beside the page.
    NoProfile {
        /// The file's name.
        file: String,
    },
    /// The profile could not be fetched.
    ProfileNotFetched {
        /// The file's name.
        file: String,
        /// What is known of the cause.
        cause: String,
    },
    /// A parameter of the address was not followed.
    Parameter(ParameterProblem),
    /// The page does not work as it should.
    Trouble(PageTrouble),
    /// The browser keeps no settings.
    NotKept {
        /// What the browser said.
        cause: String,
    },
    /// STOP was pressed while no control program ran.
    StopUndelivered,
}

impl PageNote {
    /// How much it matters.
    #[must_use]
    pub fn level(&self) -> Level {
        match self {
            Self::NoProfile { .. } => Level::Info,
            Self::Parameter(_) | Self::NotKept { .. } => Level::Warn,
            Self::ProfileNotFetched { .. } | Self::Trouble(_) | Self::StopUndelivered => Level::Bad,
        }
    }
}

impl InWords for PageNote {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Owned(match self {
            Self::NoProfile { file } => match lang {
                Lang::En => format!("No {file} beside the page: the default profile is used"),
                Lang::Zh => format!("页面旁没有 {file}：使用默认配置"),
            },
            Self::ProfileNotFetched { file, cause } => match lang {
                Lang::En => format!("{file} could not be fetched: {cause}"),
                Lang::Zh => format!("无法获取 {file}：{cause}"),
            },
            Self::Parameter(problem) => return problem.in_words(lang),
            Self::Trouble(trouble) => return trouble.in_words(lang),
            Self::NotKept { cause } => match lang {
                Lang::En => format!("This browser keeps no settings: {cause}"),
                Lang::Zh => format!("此浏览器无法保存设置：{cause}"),
            },
            Self::StopUndelivered => {
                return Cow::Borrowed(lang.pick(
                    "STOP pressed without a connection: not delivered",
                    "没有连接时按下停车：未送达",
                ));
            }
        })
    }
}

impl InWords for PageTrouble {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Owned(match (self, lang) {
            (Self::WorkerFailedToLoad { file, cause }, Lang::En) => format!(
                "{file} could not be loaded ({cause}). Likely: the page was not copied whole, or the link to the server broke."
            ),
            (Self::WorkerFailedToLoad { file, cause }, Lang::Zh) => format!(
                "无法加载 {file}（{cause}）。可能原因：页面文件未完整复制，或与服务器的链路中断。"
            ),
            (Self::BuildMismatch { page, worker }, Lang::En) => format!(
                "The page is of build {page}, its control program of build {worker}. Likely: an old file in the browser's cache; reload without the cache."
            ),
            (Self::BuildMismatch { page, worker }, Lang::Zh) => format!(
                "页面版本为 {page}，控制程序版本为 {worker}。可能原因：浏览器缓存了旧文件；请清除缓存后重新加载。"
            ),
            (Self::Unreadable { which, detail }, Lang::En) => format!(
                "The {} program said something unreadable: {detail}. Likely: files of two builds were mixed; copy the page whole again.",
                worker(which, lang)
            ),
            (Self::Unreadable { which, detail }, Lang::Zh) => format!(
                "{}程序发来无法读取的内容：{detail}。可能原因：混用了两个版本的文件；请重新完整复制页面。",
                worker(which, lang)
            ),
        })
    }
}

impl InWords for ParameterProblem {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Owned(match (self, lang) {
            (Self::Unknown { name }, Lang::En) => format!(
                "The page's address has an unknown parameter “{name}”; known are demo, url, profile, ns, kind, lang, theme."
            ),
            (Self::Unknown { name }, Lang::Zh) => format!(
                "页面地址中有未知参数“{name}”；可用的有 demo、url、profile、ns、kind、lang、theme。"
            ),
            (Self::Twice { name }, Lang::En) => {
                format!("The page's address has “{name}” twice; the first one counts.")
            }
            (Self::Twice { name }, Lang::Zh) => {
                format!("页面地址中“{name}”出现两次；以第一个为准。")
            }
            (Self::WrongValue { name, value, .. }, Lang::En) => format!(
                "{name}={value} in the page's address is not understood; {}.",
                allowed(name, lang)
            ),
            (Self::WrongValue { name, value, .. }, Lang::Zh) => {
                format!(
                    "页面地址中的 {name}={value} 无法识别；{}。",
                    allowed(name, lang)
                )
            }
            (Self::Url(problem), Lang::En) => {
                format!("url in the page's address: {}", problem.in_words(lang))
            }
            (Self::Url(problem), Lang::Zh) => {
                format!("页面地址中的 url：{}", problem.in_words(lang))
            }
        })
    }
}

impl InWords for UrlProblem {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        let (Self::NotWebSocket { url } | Self::MixedContent { url }) = self;
        let url = masked(url);
        Cow::Owned(match (self, lang) {
            (Self::NotWebSocket { .. }, Lang::En) => format!(
                "“{url}” is not a WebSocket address. It begins with ws:// or wss://, e.g. ws://192.168.1.10:9090"
            ),
            (Self::NotWebSocket { .. }, Lang::Zh) => format!(
                "“{url}”不是有效地址。地址须以 ws:// 或 wss:// 开头，例如 ws://192.168.1.10:9090"
            ),
            (Self::MixedContent { .. }, Lang::En) => format!(
                "This page came over https, so the browser refuses {url}. Open the page over http, or give rosbridge a certificate and use wss://"
            ),
            (Self::MixedContent { .. }, Lang::Zh) => format!(
                "本页面通过 https 打开，浏览器会拒绝 {url}。请以 http 打开页面，或为 rosbridge 配置证书并使用 wss://"
            ),
        })
    }
}

fn allowed(name: &str, lang: Lang) -> &'static str {
    match name {
        "demo" => lang.pick("write demo=1", "应写 demo=1"),
        "profile" => lang.pick(
            "write the name of a file beside the page, e.g. profile=yard.json",
            "应写页面旁的文件名，例如 profile=yard.json",
        ),
        "ns" => lang.pick(
            "write letters, digits, _ and /, e.g. ns=robot1",
            "只能用字母、数字、_ 和 /，例如 ns=robot1",
        ),
        "kind" => lang.pick(
            "write kind=sweeper or kind=multirotor",
            "应写 kind=sweeper 或 kind=multirotor",
        ),
        "lang" => lang.pick("write lang=zh or lang=en", "应写 lang=zh 或 lang=en"),
        "theme" => lang.pick(
            "write theme=sun or theme=dark",
            "应写 theme=sun 或 theme=dark",
        ),
        _ => lang.pick("see the README", "请参阅说明"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::location::{PageOrigin, Parameters};
    use crate::words::check;

    const DATA: &[&str] = &[
        "config.json",
        "404",
        "pilot.js",
        "0.1.0+a",
        "robot1",
        "kind",
        "boat",
        "sweeper",
        "multirotor",
        "yard.json",
        "ws://192.168.1.10:9090",
        "http://x",
        "purple",
        "banana",
        "maybe",
        "../x:y",
        "a b",
    ];

    #[test]
    fn every_note_of_the_page_is_said_in_both_languages() {
        let mut notes = vec![
            PageNote::NoProfile {
                file: "config.json".into(),
            },
            PageNote::ProfileNotFetched {
                file: "config.json".into(),
                cause: "404".into(),
            },
            PageNote::NotKept {
                cause: "404".into(),
            },
            PageNote::StopUndelivered,
            PageNote::Trouble(PageTrouble::WorkerFailedToLoad {
                file: "pilot.js".into(),
                cause: "404".into(),
            }),
            PageNote::Trouble(PageTrouble::BuildMismatch {
                page: "0.1.0+a".into(),
                worker: "0.1.0+a".into(),
            }),
            PageNote::Trouble(PageTrouble::Unreadable {
                which: "control".into(),
                detail: "404".into(),
            }),
            PageNote::Parameter(ParameterProblem::Url(UrlProblem::MixedContent {
                url: "ws://192.168.1.10:9090".into(),
            })),
        ];
        let query = "?demo=maybe&banana=1&lang=purple&theme=purple&url=http://x&profile=../x:y&ns=a b&lang=en&kind=boat";
        let (_, problems) = Parameters::parse(query, &PageOrigin::default());
        assert_eq!(problems.len(), 9, "{problems:?}");
        notes.extend(problems.into_iter().map(PageNote::Parameter));
        for note in notes {
            check::both_languages(&note, DATA);
        }
    }

    #[test]
    fn a_password_in_an_address_is_not_shown() {
        for lang in Lang::ALL {
            for problem in [
                UrlProblem::NotWebSocket {
                    url: "http://user:pass@host".into(),
                },
                UrlProblem::MixedContent {
                    url: "ws://user:pass@host".into(),
                },
            ] {
                let said = problem.in_words(lang);
                assert!(
                    said.contains("://…@host") && !said.contains("pass@"),
                    "{said}"
                );
            }
        }
    }

    #[test]
    fn a_wrong_parameter_is_named_with_what_it_takes() {
        let (_, problems) = Parameters::parse("lang=purple", &PageOrigin::default());
        assert_eq!(
            problems[0].in_words(Lang::En),
            "lang=purple in the page's address is not understood; write lang=zh or lang=en."
        );
    }
}
