//! The retrievers a command may name: configured ones, and embedded ones without settings.

use std::io;
use std::time::Duration;

use super::workspace::Workspace;
use crate::config::{self, ConfigProblem, RetrieverEntry, Settings, did_you_mean, did_you_mean_name};
use crate::error::{Blame, Blamed, docs};
use crate::measure;
use crate::retriever::{self, Availability, BuildProblem, Deadline, Kind, RETRIEVERS, Retriever};

/// A retriever that cannot be used as it was named.
#[derive(Debug, thiserror::Error)]
pub(super) enum SystemProblem {
    /// Nobody knows it.
    #[error("there is no retriever `{name}`{near} ({configured} configured, and known are {built_in})")]
    Unknown {
        /// As named.
        name: String,
        /// The configured ones.
        configured: String,
        /// Those that need no entry.
        built_in: String,
        /// A suggestion.
        near: String,
    },
    /// A kind that says nothing by itself.
    #[error("`{0}` is a kind of retriever and no retriever: nothing says what it should run or read")]
    NeedsEntry(String),
    /// It cannot be built from its entry.
    #[error("{file}: {problem}")]
    Build {
        /// The configuration's file.
        file: String,
        /// What is wrong.
        problem: BuildProblem,
    },
}

impl Blamed for SystemProblem {
    fn blame(&self) -> Blame {
        match self {
            Self::Unknown { .. } | Self::NeedsEntry(_) => Blame::User,
            Self::Build { problem, .. } => problem.blame(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown { .. } => {
                Some("name one of these, or describe it in a [[retriever]] of rankhold.toml".to_owned())
            }
            Self::NeedsEntry(kind) => Some(format!(
                "describe yours in rankhold.toml: [[retriever]] name = \"…\", kind = \"{kind}\"; how: {}",
                docs!("protocol.md")
            )),
            Self::Build { problem, .. } => problem.hint(),
        }
    }
}

impl SystemProblem {
    /// What was typed or configured is wrong, as against a tool that is not there.
    pub(super) fn is_mistake(&self) -> bool {
        self.blame() == Blame::User
    }
}

impl Workspace {
    /// The retriever of that name: configured, or an embedded or known one without settings. A known tool has a minute
    /// for a query, since it may start its process, its runtime and its model for each.
    pub(super) fn retriever(&self, name: &str) -> RetrieverEntry {
        self.configured(name).cloned().unwrap_or_else(|| {
            let plain = RetrieverEntry::plain(name);
            match retriever::kind(name) {
                Some(kind) if !kind.embedded => RetrieverEntry { timeout: Duration::from_mins(1), ..plain },
                _ => plain,
            }
        })
    }

    fn configured(&self, name: &str) -> Option<&RetrieverEntry> {
        self.settings.retrievers.iter().find(|entry| entry.name == name)
    }

    /// Builds it. A name that nobody configured must be that of one that needs no settings.
    pub(super) fn build(&self, entry: &RetrieverEntry) -> Result<Box<dyn Retriever>, SystemProblem> {
        if self.configured(&entry.name).is_none() && entry.options.is_empty() {
            match retriever::kind(&entry.kind) {
                Some(kind) if !kind.needs_no_entry => {
                    return Err(SystemProblem::NeedsEntry(entry.kind.clone()));
                }
                None => return Err(self.unknown(&entry.name)),
                _ => {}
            }
        }
        retriever::build(entry, &self.root).map_err(|problem| {
            let file = self.config.as_ref().map(|path| self.name_of(path).to_string());
            SystemProblem::Build { file: file.unwrap_or_else(|| config::FILE.to_owned()), problem }
        })
    }

    /// Builds it and looks at it, for no longer than a run of it may take. The inner failure is this machine's.
    pub(super) fn probe(&self, entry: &RetrieverEntry) -> Result<io::Result<Availability>, SystemProblem> {
        let system = self.build(entry)?;
        Ok(measure::probe(&*system, &self.temporary, Deadline::after(entry.run_timeout)))
    }

    fn unknown(&self, name: &str) -> SystemProblem {
        let configured: Vec<&str> =
            self.settings.retrievers.iter().map(|entry| entry.name.as_str()).collect();
        let mut known: Vec<&str> = built_in().collect();
        known.extend(&configured);
        let near = did_you_mean_name(name, known);
        SystemProblem::Unknown {
            name: name.to_owned(),
            configured: match configured.as_slice() {
                [] => "none is".to_owned(),
                [one] => format!("{one} is"),
                several => format!("{} are", several.join(", ")),
            },
            built_in: built_in().collect::<Vec<_>>().join(", "),
            near,
        }
    }
}

fn built_in() -> impl Iterator<Item = &'static str> {
    RETRIEVERS.iter().filter(|kind| kind.needs_no_entry).map(|kind: &Kind| kind.name)
}

/// The first `[[retriever]]` whose kind is none: a mistake in the file, whatever is asked of it.
pub(super) fn unknown_kind(settings: &Settings) -> Option<ConfigProblem> {
    let known = |kind: &str| retriever::kind(kind).is_some();
    let entry = settings.retrievers.iter().find(|entry| !known(&entry.kind))?;
    let kinds = || RETRIEVERS.iter().map(|kind| kind.name);
    let all = kinds().collect::<Vec<_>>().join(", ");
    let message = if entry.kind == entry.name {
        format!("is missing, and `{}` is none; the kinds are {all}", entry.name)
    } else {
        let near = did_you_mean(&entry.kind, kinds());
        format!("`{}` is no kind of retriever{near} (the kinds are {all})", entry.kind)
    };
    Some(ConfigProblem::value(format!("[[retriever]] `{}`, kind", entry.name), message))
}
