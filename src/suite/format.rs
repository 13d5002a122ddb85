//! The formats a suite can be read from and written to: one table, from which help and suggestions come.

use super::{Exported, Suite, SuiteError, beir, csv, open_eval, queries_truth, trec};
use crate::error::{Blame, Blamed};

/// One format.
#[derive(Debug)]
pub struct Format {
    /// As `--from` and `--to` take it.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// The files it is made of, for help.
    pub files: &'static [&'static str],
    /// Writes a suite in it.
    pub write: fn(&Suite) -> Result<Exported, SuiteError>,
}

/// Every format, in the order of help.
pub static FORMATS: &[Format] = &[
    Format {
        name: "open-eval",
        about: "Open Eval Format 2026-04, the native form",
        files: &["suite.json"],
        write: open_eval::write,
    },
    Format {
        name: "queries",
        about: "a list of query texts and a ground truth by text",
        files: &["queries.json", "groundtruth.json"],
        write: queries_truth::write,
    },
    Format {
        name: "trec",
        about: "TREC topics (<top> blocks or id TAB text) and qrels",
        files: &["topics.tsv", "qrels.txt"],
        write: trec::write,
    },
    Format {
        name: "beir",
        about: "BEIR's queries.jsonl and qrels/*.tsv",
        files: &["queries.jsonl", "qrels/test.tsv"],
        write: beir::write,
    },
    Format {
        name: "csv",
        about: "a table with a header: query, targets (separated by ; or |), and if wanted id, lang, kind, forbiddenTargets, \
                expectNoResult, critical; any other column is metadata",
        files: &["suite.csv"],
        write: csv::write,
    },
];

impl Format {
    /// The format of that name.
    pub fn by_name(name: &str) -> Result<&'static Self, UnknownFormat> {
        let found = FORMATS.iter().find(|format| format.name == name);
        found.ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

/// A format that is not in the table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no suite format `{name}`")]
pub struct UnknownFormat {
    /// As typed.
    pub name: String,
}

impl Blamed for UnknownFormat {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        let names: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
        Some(match nearest(&self.name, names.iter().copied()) {
            Some(name) => format!("did you mean `{name}`? There are {}", names.join(", ")),
            None => format!("there are {}", names.join(", ")),
        })
    }
}

/// The known word that a mistyped one most likely means.
pub(super) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let near = known.into_iter().map(|other| (strsim::jaro_winkler(&lower, &other.to_lowercase()), other));
    near.filter(|(likeness, _)| *likeness > 0.8).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_format_gets_a_suggestion() {
        let hint = |name| Format::by_name(name).expect_err("unknown").hint().expect("always one");
        assert!(hint("openeval").starts_with("did you mean `open-eval`?"));
        assert!(hint("TREC").starts_with("did you mean `trec`?"));
        assert_eq!(hint("parquet"), "there are open-eval, queries, trec, beir, csv");
    }
}
