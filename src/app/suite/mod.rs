//! `rankhold suite lint|stats|list|import|export|add`.

mod add;
mod add_problem;
mod load;
mod render;

pub use add::{Adding, NewCase, add};
pub use add_problem::AddProblem;
pub use load::load;

use std::path::{Path, PathBuf};

use jiff::civil::Date;

use crate::cli::Shown;
use crate::error::{Blame, Blamed, Failure};
use crate::exit::Exit;
use crate::files::write_atomically;
use crate::report::Rendered;
use crate::suite::lint::{self, Severity, Tree};
use crate::suite::stats::Stats;
use crate::suite::{CaseKind, Exported, Format, Loaded, Note, open_eval};

/// What a command has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// For stdout, with a newline at the end unless it is empty.
    pub out: Rendered,
    /// A suite for stdout, which is to be a file of it.
    pub document: String,
    /// For stderr, a line each.
    pub notes: Vec<String>,
    /// For stderr too: likely mistakes.
    pub warnings: Vec<String>,
    /// How the process ends.
    pub exit: Exit,
}

impl Said {
    fn new(out: Rendered, notes: Vec<String>) -> Self {
        Self { out, document: String::new(), notes, warnings: Vec::new(), exit: Exit::Pass }
    }
}

/// Looks a suite over. `tree` is what the caller knows of the corpus, `history` why there are no rename hints.
pub fn lint(
    files: &[PathBuf],
    from: Option<&str>,
    tree: Option<&dyn Tree>,
    history: Option<&str>,
    today: Date,
    shown: Shown,
) -> Result<Said, Failure> {
    let loaded = load(files, from)?;
    let findings = lint::lint(&loaded.suite, &loaded.notes, tree, today);
    let out = match shown {
        Shown::Text => render::findings(&loaded.suite, &findings),
        Shown::Json => render::findings_json(&loaded.suite, &findings),
    };
    let has_errors = findings.iter().any(|finding| finding.severity == Severity::Error);
    let exit = if has_errors { Exit::Usage } else { Exit::Pass };
    // Only where something is gone does it matter that nobody can say where it went.
    let notes = history.filter(|_| has_errors).map(str::to_owned).into_iter().collect();
    Ok(Said { exit, ..Said::new(out, notes) })
}

/// Counts a suite, segmented by `keys`.
pub fn stats(
    files: &[PathBuf],
    from: Option<&str>,
    keys: &[String],
    today: Date,
    shown: Shown,
) -> Result<Said, Failure> {
    let loaded = load(files, from)?;
    let stats = Stats::of(&loaded.suite, keys, today);
    let out = match shown {
        Shown::Text => render::stats(&stats),
        Shown::Json => render::json(&stats),
    };
    Ok(Said::new(out, texts(&loaded.notes)))
}

/// Lists the cases of a suite: what is in the file, whatever a run would say.
pub fn list(files: &[PathBuf], from: Option<&str>, today: Date, shown: Shown) -> Result<Said, Failure> {
    let loaded = load(files, from)?;
    let out = match shown {
        Shown::Text => render::cases(&loaded.suite, today),
        Shown::Json => render::json(&open_eval::document(&loaded.suite)["cases"]),
    };
    Ok(Said::new(out, texts(&loaded.notes)))
}

/// Turns a suite of any format into the native form, on stdout or in `out`.
pub fn import(files: &[PathBuf], from: Option<&str>, out: Option<&Path>) -> Result<Said, Failure> {
    let loaded = load(files, from)?;
    let exported = open_eval::write(&loaded.suite)?;
    hand_over(&exported, with_counts(&loaded), out)
}

/// Turns a suite into the format `to`, on stdout or in `out`: a file, or a folder if the format has several files.
pub fn export(files: &[PathBuf], from: Option<&str>, to: &str, out: Option<&Path>) -> Result<Said, Failure> {
    let format = Format::by_name(to)?;
    let loaded = load(files, from)?;
    let exported = (format.write)(&loaded.suite).map_err(|error| error.labelled(load::label(files)))?;
    hand_over(&exported, with_counts(&loaded), out)
}

/// What the reader noted, and what it made of the file: a column that was not understood shows in the counts.
fn with_counts(loaded: &Loaded) -> Vec<String> {
    let count = |kind| loaded.suite.count(kind);
    let mut lines = texts(&loaded.notes);
    lines.push(format!(
        "{}: {} scored, {} negative, {} unscored",
        plural(loaded.suite.cases.len(), "case"),
        count(CaseKind::Scored),
        count(CaseKind::Negative),
        count(CaseKind::Unscored)
    ));
    lines
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn texts(notes: &[Note]) -> Vec<String> {
    notes.iter().map(ToString::to_string).collect()
}

/// One file goes to stdout or into `out`, several into the folder `out`.
fn hand_over(exported: &Exported, mut notes: Vec<String>, out: Option<&Path>) -> Result<Said, Failure> {
    notes.extend(texts(&exported.notes));
    match (exported.files.as_slice(), out) {
        ([(_, text)], None) => {
            return Ok(Said { document: text.clone(), ..Said::new(Rendered::default(), notes) });
        }
        ([(_, text)], Some(path)) => write_atomically(path, text.as_bytes())?,
        (files, Some(folder)) => {
            for (name, text) in files {
                write_atomically(&folder.join(name), text.as_bytes())?;
            }
        }
        (files, None) => {
            let names = files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>().join(" and ");
            return Err(SeveralFiles { names }.into());
        }
    }
    Ok(Said::new(Rendered::default(), notes))
}

/// A format of several files has no place on stdout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this format is made of {names}, which stdout cannot hold")]
struct SeveralFiles {
    names: String,
}

impl Blamed for SeveralFiles {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some("name a folder with --out".to_owned())
    }
}
