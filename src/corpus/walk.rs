//! Which files of the tree may be searched.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::{DirEntry, WalkBuilder};

use super::answers::UNFINISHED;
use super::prune::Pruned;
use super::{CorpusError, CorpusRules, Hidden, LeftOut};
use crate::files::{self, FileError, FileId};
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
    ignore_files_can_be_read(root, root)?;
    let refused = Arc::new(Mutex::new(None));
    let pruned = Pruned::new(rules, hidden);
    let tree = WalkBuilder::new(root)
        .hidden(false)
        .parents(false)
        .git_global(false)
        .git_exclude(false)
        .require_git(false)
        .follow_links(false)
        .filter_entry({
            let (root, refused) = (root.to_owned(), Arc::clone(&refused));
            move |entry| enters(entry, &root, &pruned, &refused)
        })
        .build();
    for entry in tree {
        let entry = entry.map_err(CorpusError::Walk)?;
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let relative = relative(&entry, root);
        let Some(path) = relative.to_str() else {
            walked.left_out.push((relative.to_string_lossy().into_owned(), LeftOut::UnreadablePath));
            continue;
        };
        let path = slashed(path);
        if !include.is_match(&path) || exclude.is_match(&path) || hidden.covers(&Name::new(&path)) {
            continue;
        }
        let metadata = entry.metadata().map_err(CorpusError::Walk)?;
        if hidden.holds(FileId::of(&metadata)) {
            continue;
        }
        let why = if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            Some(LeftOut::Unfinished)
        } else if path.contains('\\') {
            Some(LeftOut::Backslash)
        } else {
            (metadata.len() > rules.max_file_bytes).then_some(LeftOut::TooLarge)
        };
        match why {
            Some(why) => walked.left_out.push((path, why)),
            None => walked.paths.push(path),
        }
    }
    if let Some(error) = refused.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(CorpusError::File(error));
    }
    walked.paths.sort_unstable();
    walked.leave_out_second_names();
    Ok(walked)
}

impl Walked {
    /// Of files whose names differ only in their Unicode form one is kept: the composed one, which targets are, else the
    /// first. (Where a system stores decomposed names, there is no second.)
    fn leave_out_second_names(&mut self) {
        let composed = |path: &str| Name::new(path).as_str() == path;
        let mut taken: BTreeSet<Name> = self
            .paths
            .iter()
            .filter(|path| !path.is_ascii() && composed(path))
            .map(|path| Name::new(path))
            .collect();
        let seconds = self
            .paths
            .extract_if(.., |path| !path.is_ascii() && !composed(path) && !taken.insert(Name::new(path)));
        self.left_out.extend(seconds.map(|path| (path, LeftOut::SameName)));
    }
}

/// `.git` is out, and so is a folder that holds nothing of the corpus; one whose ignore files cannot be read is out too,
/// which ends the walk afterwards.
fn enters(entry: &DirEntry, root: &Path, pruned: &Pruned, refused: &Mutex<Option<FileError>>) -> bool {
    if entry.file_name() == ".git" {
        return false;
    }
    if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
        return true;
    }
    if relative(entry, root)
        .to_str()
        .is_some_and(|folder| !folder.is_empty() && pruned.covers(&slashed(folder)))
    {
        return false;
    }
    match ignore_files_can_be_read(root, entry.path()) {
        Ok(()) => true,
        Err(error) => {
            refused.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            false
        }
    }
}

fn relative<'a>(entry: &'a DirEntry, root: &Path) -> &'a Path {
    entry.path().strip_prefix(root).expect("the walk stays below its root")
}

/// With `/` between folders, as in every path of ours.
fn slashed(path: &str) -> String {
    if std::path::MAIN_SEPARATOR == '/' { path.to_owned() } else { path.replace('\\', "/") }
}

/// The walk opens these by itself when it enters a folder, and would read a pipe or a device without an end.
fn ignore_files_can_be_read(root: &Path, folder: &Path) -> Result<(), FileError> {
    let there = [".gitignore", ".ignore"].map(|name| folder.join(name));
    there.iter().filter(|path| files::is_there(path)).try_for_each(|path| files::check_in(root, path))
}

fn globs(field: &'static str, patterns: &[String]) -> Result<GlobSet, CorpusError> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let malformed = |source| CorpusError::Glob { field, glob: pattern.clone(), source };
        set.add(GlobBuilder::new(pattern).literal_separator(true).build().map_err(malformed)?);
    }
    set.build().map_err(|source| CorpusError::Glob { field, glob: patterns.join(", "), source })
}
