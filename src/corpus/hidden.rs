//! What a command keeps out of every retriever's sight, because it reads or writes it.

use std::collections::BTreeSet;

use crate::files::FileId;
use crate::name::Name;

/// Paths and files out of every retriever's sight: each configured suite, baseline, ground-truth and output path. A
/// folder hides what is below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    paths: BTreeSet<Name>,
    files: Vec<FileId>,
}

impl Hidden {
    /// Hides these repository-relative paths.
    pub fn new(paths: impl IntoIterator<Item = Name>) -> Self {
        Self { paths: paths.into_iter().filter(|path| !path.is_empty()).collect(), files: Vec::new() }
    }

    /// Hides these files too, whatever they are called.
    #[must_use]
    pub fn with_files(self, files: Vec<FileId>) -> Self {
        Self { files, ..self }
    }

    /// Hides one more path.
    pub(super) fn with(&self, path: Option<&str>) -> Self {
        let paths = self.paths.iter().cloned().chain(path.map(Name::new)).collect();
        Self { paths, files: self.files.clone() }
    }

    /// The path or a folder above it is hidden.
    pub(super) fn covers(&self, path: &Name) -> bool {
        self.paths.contains(path) || path.ancestors().any(|folder| self.paths.contains(folder))
    }

    /// The file is hidden, whatever it is called.
    pub(super) fn holds(&self, file: Option<FileId>) -> bool {
        file.is_some_and(|file| self.files.contains(&file))
    }
}

/// The `type` of a file of rankings that `replay` reads.
pub const RANKINGS: &str = "rankhold-rankings";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_hides_what_is_below_it_and_nothing_beside_it() {
        let hidden = Hidden::new([Name::new("baselines"), Name::new("suites/a.json")]);
        for path in ["baselines/x.json", "baselines/deep/x", "suites/a.json", "baselines"] {
            assert!(hidden.covers(&Name::new(path)), "{path}");
        }
        for path in ["baselines.md", "suites/b.json", "suites"] {
            assert!(!hidden.covers(&Name::new(path)), "{path}");
        }
    }
}
