//! Which files a tool can find at all: most tools leave some out, and a target among those is lost before any ranking.

use std::collections::BTreeSet;
use std::path::{Component, Path};

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

/// The files that a tool listed, one path a line, as paths of the corpus; what is wrong if it is no such list, as the end of
/// a sentence that begins with the tool. A file of the tool's own in the same folder is none of the corpus's, and harmless.
pub(in super::super) fn listed(
    bytes: &[u8],
    tree: &Path,
    corpus: &BTreeSet<&str>,
) -> Result<BTreeSet<String>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "printed what is not UTF-8".to_owned())?;
    let mut files = BTreeSet::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_end();
        let path = Path::new(line).strip_prefix(tree).unwrap_or(Path::new(line));
        let path = path.strip_prefix(".").unwrap_or(path);
        if !path.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(format!("printed a path outside the corpus in line {}", at + 1));
        }
        if !path.as_os_str().is_empty() {
            files.insert(path.to_string_lossy().replace('\\', "/"));
        }
    }
    // One that cannot read anything here may exit with 0 all the same.
    if !files.iter().any(|file| corpus.contains(file.as_str())) {
        return Err("printed no file of the corpus".to_owned());
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(bytes: &[u8]) -> Result<Vec<String>, String> {
        let corpus = ["b.md", "c d.txt", "src/a.rs"].into();
        listed(bytes, Path::new("/tree"), &corpus).map(|files| files.into_iter().collect())
    }

    #[test]
    fn a_listing_is_read_as_paths_of_the_corpus() {
        let files = list(b"/tree/src/a.rs\n./b.md\r\n\nc d.txt\n.index/own\n");
        assert_eq!(files.unwrap(), [".index/own", "b.md", "c d.txt", "src/a.rs"]);
    }

    #[test]
    fn what_is_no_list_of_files_says_nothing() {
        for (text, what) in [
            (&b"b.md\n/etc/passwd\n"[..], "printed a path outside the corpus in line 2"),
            (b"../../x\n", "printed a path outside the corpus in line 1"),
            (b"/tree/../x\n", "printed a path outside the corpus in line 1"),
            (b"b.md\n\xff\xfe\n", "printed what is not UTF-8"),
            (b"", "printed no file of the corpus"),
            (b"Listing files: done\n", "printed no file of the corpus"),
        ] {
            assert_eq!(list(text).unwrap_err(), what);
        }
    }
}
