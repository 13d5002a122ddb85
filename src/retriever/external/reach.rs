//! Which files a tool can find at all: most tools leave some out, and a target among those is lost before any ranking.

use std::collections::BTreeSet;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::OptionProblem;
use crate::corpus::Corpus;

/// Which files a tool is known to read.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Reads {
    /// These alone, if any are named.
    only: Option<GlobSet>,
    /// None of these.
    not: Option<GlobSet>,
}

impl Reads {
    /// Globs over paths of the corpus, as in `[corpus] exclude`.
    pub(in super::super) fn new(only: &[String], not: &[String]) -> Result<Self, OptionProblem> {
        Ok(Self { only: set("reads", only)?, not: set("skips", not)? })
    }

    /// The files of the corpus that it reads; none if nothing is known.
    pub(in super::super) fn reach(&self, corpus: &Corpus) -> Option<BTreeSet<String>> {
        if self.only.is_none() && self.not.is_none() {
            return None;
        }
        let reads = |path: &&String| {
            self.only.as_ref().is_none_or(|set| set.is_match(path))
                && !self.not.as_ref().is_some_and(|set| set.is_match(path))
        };
        Some(corpus.entries().iter().map(|entry| &entry.path).filter(reads).cloned().collect())
    }
}

fn set(key: &'static str, globs: &[String]) -> Result<Option<GlobSet>, OptionProblem> {
    if globs.is_empty() {
        return Ok(None);
    }
    let problem = |error: globset::Error| OptionProblem::new(key, error.to_string());
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(GlobBuilder::new(glob).literal_separator(true).build().map_err(problem)?);
    }
    set.build().map(Some).map_err(problem)
}

/// The files that a tool listed, one path a line, as paths of the corpus; a line that is none is left out.
pub(in super::super) fn listed(bytes: &[u8], tree: &Path) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(bytes);
    let relative = text.lines().map(|line| {
        let line = line.trim_end();
        let path = Path::new(line).strip_prefix(tree).unwrap_or(Path::new(line));
        path.strip_prefix(".").unwrap_or(path).to_string_lossy().replace('\\', "/")
    });
    relative.filter(|path| !path.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_is_read_as_paths_of_the_corpus() {
        let files = listed(b"/tree/src/a.rs\n./b.md\r\n\nc d.txt\n", Path::new("/tree"));
        assert_eq!(files, ["b.md", "c d.txt", "src/a.rs"].map(str::to_owned).into());
    }
}
