//! Imports point only downwards, the core stays free of I/O, and the documents name tests that are there.

#![expect(clippy::expect_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

/// Lowest first; modules of one row do not know each other, except for those listed in
/// [`ALLOWED_BESIDE`].
const LAYERS: &[&[&str]] = &[
    &["units", "lang"],
    &["msgs", "reason"],
    &["ros"],
    &["rosbridge", "drive", "tools", "rtk"],
    &["profile", "chart"],
    &["pilot"],
    &["monitor"],
    &["viewer"],
    &["vehicle"],
    &["shell"],
    &["words"],
    &["screen"],
    &["survey", "ground"],
    &["ui", "topics"],
];

/// None so far; a line here needs its reason.
const ALLOWED_BESIDE: &[(&str, &str)] = &[];

/// What only a browser or an operating system has.
const NOT_IN_THE_CORE: &[&str] = &[
    "std::time::Instant",
    "SystemTime",
    "std::net",
    "std::thread",
    "web_sys",
    "js_sys",
    "gloo",
];

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|row| row.contains(&module))
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the crate") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// `src/pilot/link.rs` and `src/pilot.rs` both belong to `pilot`; programs belong to none.
fn module_of(path: &Path, root: &Path) -> Option<String> {
    let inside = path.strip_prefix(root).ok()?;
    let first = inside.components().next()?.as_os_str().to_str()?;
    let module = first.strip_suffix(".rs").unwrap_or(first);
    (!matches!(module, "lib" | "main" | "bin")).then(|| module.to_owned())
}

/// The modules that a line of code names by `crate::`, also inside braces.
fn named_modules(line: &str) -> Vec<String> {
    let code = line.split("//").next().unwrap_or_default();
    code.split("crate::")
        .skip(1)
        .flat_map(|rest| {
            let list = rest
                .strip_prefix('{')
                .map_or(rest, |inner| inner.split('}').next().unwrap_or_default());
            let is_list = rest.starts_with('{');
            let names: Vec<String> = list
                .split(',')
                .take(if is_list { usize::MAX } else { 1 })
                .map(|name| {
                    let word = |c: char| c.is_alphanumeric() || c == '_';
                    name.trim().chars().take_while(|c| word(*c)).collect()
                })
                .collect();
            names
        })
        .filter(|name| !name.is_empty())
        .collect()
}

fn each_source(mut check: impl FnMut(&Path, &str, &str)) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(
        files.len() > 30,
        "the walk found only {} files",
        files.len()
    );
    for path in files {
        if let Some(module) = module_of(&path, &root) {
            let text = fs::read_to_string(&path).expect("a source file");
            check(&path, &module, &text);
        }
    }
}

#[test]
fn imports_point_only_downwards() {
    let mut wrong = Vec::new();
    each_source(|path, module, text| {
        let own = layer(module).unwrap_or_else(|| panic!("{module} has no place in LAYERS"));
        for (number, line) in text.lines().enumerate() {
            for named in named_modules(line) {
                let Some(other) = layer(&named) else { continue };
                let is_allowed = named == module
                    || other < own
                    || ALLOWED_BESIDE.contains(&(module, named.as_str()));
                if !is_allowed {
                    wrong.push(format!(
                        "{}:{}: {}",
                        path.display(),
                        number + 1,
                        line.trim()
                    ));
                }
            }
        }
    });
    assert!(
        wrong.is_empty(),
        "upward or sideways imports:\n{}",
        wrong.join("\n")
    );
}

/// The page's first load has a hard limit: what only the topics page and the settings need stays out of what it
/// contains. (A Worker of the viewer's own lives in `shell`.)
#[test]
fn the_first_load_does_not_reach_what_only_the_topics_page_needs() {
    let heavy = [
        "crate::viewer",
        "rosbridge::cbor",
        "rosbridge::cdr",
        "rosbridge::png",
        "rosbridge::decoders",
        "rosbridge::base64",
        "rosbridge::handle",
        "msgs::definition",
        "msgs::unit",
        "words::settings",
        "words::work",
        "gamepad::Calibration",
        "FirstKeys",
        "crate::chart",
        "words::machine",
        "screen::drawing",
        "screen::machine",
        "screen::horizon",
    ];
    // The machine at a glance lies beside what is needed to drive, and is reached by the viewer alone.
    let at_a_glance = [
        "words/machine.rs",
        "screen/machine.rs",
        "screen/drawing.rs",
        "screen/horizon.rs",
    ];
    let mut wrong = Vec::new();
    each_source(|path, module, text| {
        if at_a_glance.iter().any(|name| path.ends_with(name)) {
            return;
        }
        if !matches!(
            module,
            "pilot" | "monitor" | "profile" | "drive" | "tools" | "rtk" | "words" | "screen" | "ui"
        ) {
            return;
        }
        if path.ends_with("words/work.rs") {
            // Its own name is on the list: nobody of these reaches it.
            return;
        }
        for (number, line) in text.lines().enumerate() {
            if heavy.iter().any(|name| line.contains(name)) {
                wrong.push(format!("{}:{}", path.display(), number + 1));
            }
        }
    });
    assert!(wrong.is_empty(), "too heavy:\n{}", wrong.join("\n"));
}

#[test]
fn the_core_reads_no_clock_and_opens_no_socket() {
    let mut wrong = Vec::new();
    each_source(|path, module, text| {
        if matches!(module, "shell" | "ui" | "topics" | "survey" | "ground") {
            return;
        }
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if NOT_IN_THE_CORE.iter().any(|word| code.contains(word)) {
                wrong.push(format!(
                    "{}:{}: {}",
                    path.display(),
                    number + 1,
                    line.trim()
                ));
            }
        }
    });
    assert!(wrong.is_empty(), "I/O in the core:\n{}", wrong.join("\n"));
}

#[test]
fn the_walk_sees_every_form_of_import() {
    assert_eq!(named_modules("use crate::pilot::Pilot;"), ["pilot"]);
    assert_eq!(
        named_modules("use crate::{drive, tools::field};"),
        ["drive", "tools"]
    );
    assert_eq!(
        named_modules("let x = crate::units::millis(3); // crate::ui"),
        ["units"]
    );
}

#[test]
fn the_tests_that_the_documents_name_are_there() {
    let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src", "tests"] {
        sources(&crate_root.join(folder), &mut files);
    }
    let read = |path: &Path| fs::read_to_string(path).expect("a file of the repository");
    let code: String = files.iter().map(|path| read(path)).collect();
    let pages = fs::read_dir(crate_root.join("docs")).expect("the documents");
    let mut found = 0;
    for page in pages.map(|page| page.expect("a document").path()) {
        if page.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let text = read(&page);
        // Code in a line stands between single backticks.
        for word in text
            .lines()
            .flat_map(|line| line.split('`').skip(1).step_by(2))
        {
            let name = word.rsplit("::").next().unwrap_or(word);
            let (begin, end) = match name.strip_suffix('…') {
                Some(begin) => (begin, ""),
                None => (name, "("),
            };
            let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            let is_sentence = end.is_empty() || begin.matches('_').count() >= 4;
            if begin.contains('_') && begin.chars().all(is_name) && is_sentence {
                let wanted = ["fn ", begin, end].concat();
                assert!(code.contains(&wanted), "{}: {name}", page.display());
                found += 1;
            }
        }
    }
    assert!(found > 60, "only {found} names of tests");
}
