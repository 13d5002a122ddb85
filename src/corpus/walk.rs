//! Which files of the tree may be searched.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::WalkBuilder;

use super::{CorpusError, CorpusRules, Hidden, LeftOut};
use crate::name::Name;

/// The files that the rules let in, byte-sorted by path.
pub(super) struct Walked {
    pub(super) paths: Vec<String>,
    pub(super) left_out: Vec<(String, LeftOut)>,
}

/// Walks the tree. Hidden files are in, `.git` is out, links are not followed.
pub(super) fn walk(root: &Path, rules: &CorpusRules, hidden: &Hidden) -> Result<Walked, CorpusError> {
    let include = globs("include", &rules.include)?;
    let exclude = globs("exclude", &rules.exclude)?;
    let mut walked = Walked { paths: Vec::new(), left_out: Vec::new() };
    let tree = WalkBuilder::new(root)
        .hidden(false)
        .parents(false)
        .git_global(false)
        .git_exclude(false)
        .require_git(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    for entry in tree {
        let entry = entry.map_err(CorpusError::Walk)?;
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let relative = entry.path().strip_prefix(root).expect("the walk stays below its root");
        let Some(path) = relative.to_str() else {
            walked.left_out.push((relative.to_string_lossy().into_owned(), LeftOut::UnreadablePath));
            continue;
        };
        let path = if std::path::MAIN_SEPARATOR == '/' { path.to_owned() } else { path.replace('\\', "/") };
        if !include.is_match(&path) || exclude.is_match(&path) || hidden.covers(&Name::new(&path)) {
            continue;
        }
        let size = entry.metadata().map_err(CorpusError::Walk)?.len();
        if size > rules.max_file_bytes {
            walked.left_out.push((path, LeftOut::TooLarge));
        } else {
            walked.paths.push(path);
        }
    }
    walked.paths.sort_unstable();
    Ok(walked)
}

fn globs(field: &'static str, patterns: &[String]) -> Result<GlobSet, CorpusError> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let malformed = |source| CorpusError::Glob { field, glob: pattern.clone(), source };
        set.add(GlobBuilder::new(pattern).literal_separator(true).build().map_err(malformed)?);
    }
    set.build().map_err(|source| CorpusError::Glob { field, glob: patterns.join(", "), source })
}
