//! The pages of the documentation, and what tests ask of them.
#![expect(
    clippy::disallowed_methods,
    reason = "tests read the documentation, and rewrite it when told to bless"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::program::{Ran, program};

/// The repository.
pub(crate) fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The program in a folder of this repository, 100 columns wide.
pub(crate) fn rankhold(folder: &str, arguments: &[&str]) -> Ran {
    Ran::of(&program(&home().join(folder)).env("COLUMNS", "100").args(arguments).output().unwrap())
}

/// A page: its path in the repository and its text.
pub(crate) struct Page {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// Every file below a folder of the repository, by path, sorted.
pub(crate) fn files(folder: &str) -> Vec<String> {
    fn walk(folder: &Path, into: &mut Vec<PathBuf>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() { walk(&path, into) } else { into.push(path) }
        }
    }
    let mut found = Vec::new();
    walk(&home().join(folder), &mut found);
    let relative = |path: &PathBuf| path.strip_prefix(home()).unwrap().to_string_lossy().replace('\\', "/");
    let mut found: Vec<String> = found.iter().map(relative).collect();
    found.sort();
    found
}

/// Those that end in `.rs`, `.md` …
pub(crate) fn files_of(folder: &str, extension: &str) -> Vec<String> {
    let of = |path: &String| Path::new(path).extension().is_some_and(|is| is == extension);
    files(folder).into_iter().filter(of).collect()
}

pub(crate) fn page(path: &str) -> Page {
    let text = std::fs::read_to_string(home().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    Page { path: path.to_owned(), text }
}

/// Compares a page that is generated as a whole. `RANKHOLD_BLESS=1` writes it instead.
#[track_caller]
pub(crate) fn assert_page(path: &str, text: &str) {
    if std::env::var_os("RANKHOLD_BLESS").is_some() {
        std::fs::write(home().join(path), text).unwrap();
        return;
    }
    let there = std::fs::read_to_string(home().join(path)).unwrap_or_default();
    let differs = there.lines().zip(text.lines()).find(|(there, now)| there != now);
    assert!(there == text, "{path} is not what is generated (RANKHOLD_BLESS=1 rewrites it): {differs:#?}");
}

/// Every page that people read.
pub(crate) fn pages() -> Vec<Page> {
    let mut paths = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned(), "CHANGELOG.md".to_owned()];
    paths.extend(files_of("docs", "md"));
    paths.iter().map(|path| page(path)).collect()
}

impl Page {
    /// The text without fenced blocks and generated parts: what its author wrote.
    pub(crate) fn prose(&self) -> String {
        let mut fenced = false;
        let mut prose = String::new();
        for line in self.filled(&|_| String::new()).lines() {
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
            } else if !fenced {
                prose.push_str(line);
                prose.push('\n');
            }
        }
        prose
    }

    /// The fenced block that follows a marker.
    pub(crate) fn fence_after(&self, marker: &str) -> &str {
        let rest = self.text.split(marker).nth(1).unwrap_or_else(|| panic!("{}: no {marker}", self.path));
        let (_, rest) = rest.split_once("```").unwrap();
        let (_, rest) = rest.split_once('\n').unwrap();
        rest.split("```").next().unwrap().trim()
    }

    /// What its headings are called in a link.
    pub(crate) fn anchors(&self) -> BTreeSet<String> {
        let headings = self.prose();
        let headings = headings.lines().filter(|line| line.starts_with('#'));
        headings.map(|line| slug(line.trim_start_matches('#').trim())).collect()
    }

    /// Targets of its links.
    pub(crate) fn links(&self) -> Vec<String> {
        let prose = self.prose();
        prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()).map(str::to_owned).collect()
    }

    /// Texts of its code spans, in prose.
    pub(crate) fn spans(&self) -> Vec<String> {
        let prose = self.prose();
        prose.lines().flat_map(|line| line.split('`').skip(1).step_by(2).map(str::to_owned)).collect()
    }

    /// Fills each `<!-- generated: NAME -->` … `<!-- end -->` with what `make` gives for its name.
    pub(crate) fn filled(&self, make: &dyn Fn(&str) -> String) -> String {
        const START: &str = "<!-- generated: ";
        const END: &str = "<!-- end -->";
        let mut text = String::new();
        let mut rest = self.text.as_str();
        while let Some(at) = rest.find(START) {
            let (name, after) = rest[at + START.len()..].split_once(" -->").expect("the marker ends");
            let end = after.find(END).unwrap_or_else(|| panic!("{}: `{name}` has no end", self.path));
            text.push_str(&rest[..at + START.len()]);
            text.push_str(name);
            text.push_str(" -->");
            text.push_str(&make(name));
            text.push_str(END);
            rest = &after[end + END.len()..];
        }
        text + rest
    }

    /// Compares with the file, or writes it when told to bless.
    #[track_caller]
    pub(crate) fn assert_is(&self, wanted: &str) {
        if std::env::var_os("RANKHOLD_BLESS").is_some() {
            return std::fs::write(home().join(&self.path), wanted).unwrap();
        }
        let mut lines = self.text.lines().zip(wanted.lines()).enumerate();
        let differs = lines.find(|(_, (is, wanted))| is != wanted);
        let differs = differs.map(|(at, (is, wanted))| format!("line {}: `{is}`, wanted `{wanted}`", at + 1));
        assert!(
            self.text == wanted,
            "{}: a generated part is old (RANKHOLD_BLESS=1 rewrites it); {}",
            self.path,
            differs.unwrap_or_else(|| "they differ in length".to_owned())
        );
    }
}

/// As GitHub names a heading.
fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}
