//! Where the files of an index come from.

use std::io;

/// Files to index, read one at a time so that the text of a corpus is never in memory at once.
pub trait Source: Sync {
    /// How many files there are.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The repository path of file `number`, with forward slashes.
    fn path(&self, number: usize) -> &str;
    /// The bytes of file `number`; they need not be UTF-8.
    fn read(&self, number: usize) -> io::Result<Vec<u8>>;
}

/// A file that could not be read, so that no index exists: a ranking over a part of the corpus would be a wrong one.
#[derive(Debug)]
pub struct BuildError {
    /// The repository path of the file.
    pub path: String,
    /// What the system said.
    pub source: io::Error,
}

impl std::fmt::Display for BuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot read {} to index it", self.path)
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}
