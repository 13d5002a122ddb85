//! The corpus as a folder of its own, for tools that search a folder: what is not in the corpus is not in sight.
#![expect(clippy::disallowed_methods, reason = "edge: the copy is written and read back")]

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, Permissions};
use std::io;
use std::path::Path;

use super::{Corpus, Entry};
use crate::canon::Digest;
use crate::process::{self, Deadline};

/// Who may write into a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nobody: the copy that tools share.
    ReadOnly,
    /// The one tool it is made for.
    Writable,
}

/// A copy that is no longer the corpus: what a tool did to it, each list sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
pub struct Changed {
    /// Files (or links) that were not there.
    pub new: Vec<String>,
    /// Files whose bytes differ or cannot be read any more.
    pub changed: Vec<String>,
    /// Files that are gone.
    pub removed: Vec<String>,
}

/// A copy that was not made.
#[derive(Debug, thiserror::Error)]
pub enum CopyProblem {
    /// A file cannot be read or written, or is no longer what it was.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// There was no time for all of it.
    #[error("the time ran out when {copied} of {of} files were copied")]
    Late {
        /// Files that were copied.
        copied: usize,
        /// Files of the corpus.
        of: usize,
    },
}

/// Copies every file of the corpus under `into`, which must be empty or absent. Nothing is linked, so that a tool
/// cannot reach the original; whether a file is executable is kept.
///
/// A file that has changed since the corpus was opened is an error: what is searched must be what was hashed.
pub fn materialise(
    corpus: &Corpus,
    into: &Path,
    access: Access,
    deadline: Deadline,
) -> Result<(), CopyProblem> {
    fs::create_dir_all(into)?;
    if fs::read_dir(into)?.next().is_some() {
        let problem = "the folder for the corpus copy is not empty";
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, problem).into());
    }
    for (copied, entry) in corpus.entries().iter().enumerate() {
        if deadline.passed() {
            return Err(CopyProblem::Late { copied, of: corpus.entries().len() });
        }
        copy(corpus, entry, into, access)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", entry.path)))?;
    }
    Ok(())
}

fn copy(corpus: &Corpus, entry: &Entry, into: &Path, access: Access) -> io::Result<()> {
    process::wait_if_interrupted(); // the folder is being removed
    let bytes = corpus.read(entry)?;
    if Digest::of_bytes(&bytes) != entry.hash {
        return Err(io::Error::other(
            "changed while it was measured; measure again when nothing writes into the tree",
        ));
    }
    let to = into.join(&entry.path);
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&to, bytes)?;
    let original = fs::metadata(corpus.root().join(&entry.path))?.permissions();
    fs::set_permissions(&to, permissions(&original, access))
}

#[cfg(unix)]
fn permissions(original: &Permissions, access: Access) -> Permissions {
    use std::os::unix::fs::PermissionsExt;
    let executable = original.mode() & 0o111 != 0;
    Permissions::from_mode(match (access, executable) {
        (Access::ReadOnly, false) => 0o444,
        (Access::ReadOnly, true) => 0o555,
        (Access::Writable, false) => 0o644,
        (Access::Writable, true) => 0o755,
    })
}

#[cfg(not(unix))]
fn permissions(original: &Permissions, access: Access) -> Permissions {
    let mut permissions = original.clone();
    permissions.set_readonly(access == Access::ReadOnly);
    permissions
}

/// Reads a copy again and says what is different. Empty folders do not count; what cannot be read has changed.
pub fn verify(corpus: &Corpus, copy: &Path) -> Result<(), Changed> {
    let mut gone: BTreeMap<&str, &Entry> =
        corpus.entries().iter().map(|entry| (entry.path.as_str(), entry)).collect();
    let mut found = Changed::default();
    if !fs::symlink_metadata(copy).is_ok_and(|copy| copy.is_dir()) {
        found.changed.push("the folder itself".to_owned());
    }
    let mut folders = vec![(copy.to_owned(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        // A folder that cannot be read hides what is in it: files of the corpus, which count as removed, or others.
        let Ok(items) = fs::read_dir(&folder) else {
            let holds = |path: &&str| path.starts_with(&prefix);
            if !gone.keys().any(holds) {
                found.new.push(prefix);
            }
            continue;
        };
        for item in items.flatten() {
            let path = format!("{prefix}{}", item.file_name().to_string_lossy());
            let kind = item.file_type();
            if kind.as_ref().is_ok_and(fs::FileType::is_dir) {
                folders.push((item.path(), format!("{path}/")));
                continue;
            }
            // A link in place of a file is a change, even to the same bytes.
            let is_file = kind.is_ok_and(|kind| kind.is_file());
            match gone.remove(path.as_str()) {
                None => found.new.push(path),
                Some(entry) => {
                    // Another size is another file; reading it could take all memory there is.
                    let is_as_large = || item.metadata().is_ok_and(|now| now.len() == entry.size);
                    let bytes = if is_file && is_as_large() { fs::read(item.path()).ok() } else { None };
                    if bytes.is_none_or(|bytes| Digest::of_bytes(&bytes) != entry.hash) {
                        found.changed.push(path);
                    }
                }
            }
        }
    }
    found.removed = gone.into_keys().map(str::to_owned).collect();
    found.new.sort();
    found.changed.sort();
    if found == Changed::default() { Ok(()) } else { Err(found) }
}

impl Changed {
    /// The same with every path as this says it: a tool gives its files whatever names it likes.
    #[must_use]
    pub fn map(self, path: impl Fn(String) -> String) -> Self {
        let all = |paths: Vec<String>| paths.into_iter().map(&path).collect();
        Self { new: all(self.new), changed: all(self.changed), removed: all(self.removed) }
    }
}

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the tool wrote into the corpus")?;
        for (what, paths) in [("new", &self.new), ("changed", &self.changed), ("removed", &self.removed)] {
            if let Some(first) = paths.first() {
                write!(f, "; {what}: {first}")?;
            }
            if paths.len() > 1 {
                write!(f, " and {} more", paths.len() - 1)?;
            }
        }
        Ok(())
    }
}
