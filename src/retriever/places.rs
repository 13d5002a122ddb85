//! What the slots of a text stand for, at one place and for one query.

use std::path::Path;

use super::external::OptionProblem;
use super::text::{Slot, Text};
use crate::process::{Environment, Extra};

/// Where a tool is asked.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    pub(super) tree: &'a Path,
    pub(super) scratch: &'a Path,
    pub(super) repo: &'a Path,
    pub(super) environment: &'a Environment,
    /// That of a server we started.
    pub(super) port: Option<u16>,
}

impl Places<'_> {
    /// What a slot stands for; `query` is its text and how many hits are asked for.
    pub(super) fn value(&self, slot: &Slot, query: Option<(&str, usize)>) -> String {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        match slot {
            Slot::Query => query.map_or_else(String::new, |(text, _)| text.to_owned()),
            Slot::Fetch => query.map_or_else(String::new, |(_, fetch)| fetch.to_string()),
            Slot::Corpus => path(self.tree),
            Slot::Repo => path(self.repo),
            Slot::Scratch => path(self.scratch),
            Slot::Port => self.port.map_or_else(String::new, |port| port.to_string()),
            Slot::Env(name) => {
                let variable = self.environment.variables().find(|(found, _)| *found == name.as_str());
                variable.map_or_else(String::new, |(_, value)| value.to_string_lossy().into_owned())
            }
        }
    }

    /// A text that is the same for every query.
    pub(super) fn fill(&self, text: &Text) -> String {
        text.fill(&|slot| self.value(slot, None))
    }
}

/// The names that `{env:…}` may hold.
pub(super) fn variables(extra: &Extra) -> Vec<&str> {
    extra.set.keys().chain(&extra.pass).map(String::as_str).collect()
}

/// A file of certificates of the repository, if one is named.
pub(super) fn certificates(ca_file: Option<&str>, repo: &Path) -> Result<Option<Vec<u8>>, OptionProblem> {
    /// More than all authorities of the world take.
    const LARGEST: u64 = 8 << 20;
    let Some(file) = ca_file else { return Ok(None) };
    let read = crate::files::read_in(repo, &repo.join(file), LARGEST);
    read.map(Some).map_err(|error| OptionProblem::new("ca-file", error.to_string()))
}
