//! What is wrong with a workflow, and what cures it.

use std::fmt;

use super::{Edit, Example};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The gate does not work, or a stranger gets hold of a token.
    Error,
    /// It works until something ordinary happens.
    Warning,
    /// Worth knowing.
    Note,
}

/// One way of being wrong.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name, for programs and for talking about it.
    pub name: &'static str,
    /// How bad it is.
    pub level: Level,
    /// What is wrong, in general.
    pub about: &'static str,
    /// Why it matters, as a clause.
    pub why: &'static str,
}

/// What was found at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// The file, by its path in the repository.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The job, by its id.
    pub job: Option<String>,
    /// What is wrong here.
    pub message: String,
    /// What cures it.
    pub cure: Cure,
}

/// What cures a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cure {
    /// Lines in the place of others.
    Edit(Edit),
    /// Lines whose place is said in words: the file has no lines of its own for them, or only a person can fill them in.
    Lines {
        /// Where they go.
        place: String,
        /// The lines.
        lines: Vec<String>,
    },
    /// A documented workflow as that file.
    File {
        /// Its path in the repository.
        path: String,
        /// The workflow.
        example: Example,
        /// The default branch, in the place of the documented one.
        branch: Option<String>,
    },
    /// More than lines: a page says how.
    Page(String),
    /// Whatever was meant: only its author knows.
    Author(&'static str),
}

impl Level {
    /// As it is written everywhere.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl Cure {
    /// An edit where the file has lines for it, else the lines with their place in words.
    pub(super) fn of((edit, lines): (Option<Edit>, Vec<String>), place: impl Into<String>) -> Self {
        edit.map_or_else(|| Self::Lines { place: place.into(), lines }, Self::Edit)
    }

    /// A documented workflow as that file.
    pub(super) fn file(path: impl Into<String>, example: Example) -> Self {
        Self::File { path: path.into(), example, branch: None }
    }

    /// The lines to paste.
    pub fn lines(&self) -> Vec<String> {
        match self {
            Self::Edit(edit) => edit.lines.clone(),
            Self::Lines { lines, .. } => lines.clone(),
            Self::File { example, branch, .. } => {
                let branches: Vec<&str> = branch.as_deref().into_iter().collect();
                example.on_branches(&branches).lines().map(str::to_owned).collect()
            }
            Self::Page(_) | Self::Author(_) => Vec::new(),
        }
    }
}

impl fmt::Display for Cure {
    /// Where the lines go, or what else is to be done.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Edit(edit) => write!(f, "{edit}"),
            Self::Lines { place, .. } => f.write_str(place),
            Self::File { path, example, .. } => {
                write!(f, "make this the whole of {path} ({})", example.address())
            }
            Self::Page(page) => write!(f, "see {page}"),
            Self::Author(what) => f.write_str(what),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}[{}]: ", self.file, self.line, self.rule.level.word(), self.rule.name)?;
        if let Some(job) = &self.job {
            write!(f, "job `{job}`: ")?;
        }
        write!(f, "{}: {}", self.message, self.rule.why)
    }
}
