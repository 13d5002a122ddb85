//! Starter cases with real targets: what one file alone defines, is called or is titled.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::corpus::Corpus;
use crate::retriever::bm25::{Form, Outline, Purpose};
use crate::suite::open_eval;

/// At most so many cases of each kind: enough to see something, few enough to read.
const SYMBOLS: usize = 16;
const HEADINGS: usize = 12;
const PATHS: usize = 8;

/// A suite as text, and how many cases it has.
pub(super) struct Starter {
    pub(super) text: String,
    pub(super) cases: usize,
}

/// Names that one file alone has, with that file. A name that two files have is a question with two answers, and what
/// the author of the tree meant is not ours to guess.
#[derive(Default)]
struct Unique(BTreeMap<String, Option<String>>);

impl Unique {
    fn see(&mut self, name: String, path: &str) {
        self.0
            .entry(name)
            .and_modify(|owner| {
                if owner.as_deref() != Some(path) {
                    *owner = None;
                }
            })
            .or_insert_with(|| Some(path.to_owned()));
    }

    /// At most `count` of them, one per file, spread evenly over the files.
    fn spread(self, count: usize) -> Vec<(String, String)> {
        let mut by_file: BTreeMap<String, String> = BTreeMap::new();
        for (name, owner) in self.0 {
            if let Some(path) = owner {
                // Of several the longest says most.
                let best = by_file.entry(path).or_default();
                if name.len() > best.len() {
                    *best = name;
                }
            }
        }
        let files: Vec<_> = by_file.into_iter().collect();
        let step = files.len().div_ceil(count.max(1)).max(1);
        files.into_iter().step_by(step).map(|(path, name)| (name, path)).collect()
    }
}

/// The suite of a corpus; none if nothing in it is one file's alone.
pub(super) fn suite(corpus: &Corpus) -> Option<Starter> {
    let (mut symbols, mut headings, mut names) = (Unique::default(), Unique::default(), Unique::default());
    for entry in corpus.entries() {
        let path = entry.path.as_str();
        let (form, purpose) = (Form::of(path), Purpose::of(path));
        names.see(file_name(path).to_owned(), path);
        let Ok(bytes) = corpus.read(entry) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        // Rust keeps unit tests at the end of the file they test.
        let text = text.split("\n#[cfg(test)]").next().unwrap_or_default();
        let outline = Outline::of(path, text);
        for name in outline.definitions {
            symbols.see(name, if purpose == Purpose::Main { path } else { "" });
        }
        for heading in outline.headings.into_iter().filter(|_| form == Form::Prose) {
            headings.see(heading, path);
        }
    }
    symbols.0.retain(|name, owner| is_telling(name) && owner.as_deref() != Some(""));
    headings.0.retain(|text, _| is_question_like(text));
    names.0.retain(|_, owner| {
        owner.as_deref().is_some_and(|path| {
            matches!(Form::of(path), Form::Code | Form::Prose)
                && Purpose::of(path) == Purpose::Main
                && path.contains('/')
        })
    });
    let kinds = [
        ("symbol", symbols.spread(SYMBOLS)),
        ("heading", headings.spread(HEADINGS)),
        ("path", names.spread(PATHS)),
    ];
    let cases: Vec<Map<String, Value>> =
        kinds.into_iter().flat_map(|(kind, found)| cases(kind, found)).collect();
    if cases.is_empty() {
        return None;
    }
    let mut suite = open_eval::convert("starter", cases).expect("the cases are well-formed").suite;
    suite.description =
        Some("Written by `rankhold init`: names, headings and files that one file alone has.".to_owned());
    Some(Starter { cases: suite.cases.len(), text: open_eval::text(&suite) })
}

fn cases(kind: &'static str, found: Vec<(String, String)>) -> impl Iterator<Item = Map<String, Value>> {
    found.into_iter().enumerate().map(move |(at, (query, path))| {
        let case = json!({
            "id": format!("{kind}-{:02}", at + 1),
            "input": query,
            "metadata": { "expectedTargets": [path], "lang": "en", "kind": kind },
        });
        case.as_object().expect("just built").clone()
    })
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A name that people would search for: long enough, and more than one word.
fn is_telling(name: &str) -> bool {
    let words = name.contains('_') || name.chars().skip(1).any(char::is_uppercase);
    let words = words && !name.to_lowercase().starts_with("test");
    name.len() >= 6 && words && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// A heading of a few plain words.
fn is_question_like(text: &str) -> bool {
    let words = text.split_whitespace().count();
    (2..=8).contains(&words) && text.chars().all(|c| c.is_alphanumeric() || " -_',.?".contains(c))
}
