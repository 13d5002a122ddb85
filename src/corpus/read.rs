//! Reading and hashing many files side by side, in an order that does not matter.
#![expect(clippy::disallowed_methods, reason = "edge: the corpus is read from disk")]

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::answers::is_answer_file;
use super::{CorpusError, LeftOut};
use crate::canon::Digest;
use crate::parallel::on_threads;

/// What a file turned out to be.
pub(super) enum Seen {
    /// Text to search.
    Text {
        /// Bytes.
        size: u64,
        /// SHA-256.
        hash: Digest,
    },
    /// Not for searching.
    LeftOut(LeftOut),
}

/// How far a NUL byte is looked for, as git and ripgrep do.
const HEAD: usize = 8 * 1024;

/// The bytes of one file.
pub(super) fn file(path: &Path) -> io::Result<Vec<u8>> {
    std::fs::read(path)
}

/// Looks at every file; the order of the answer is that of `paths`. The first unreadable path is the error.
pub(super) fn all(
    root: &Path,
    paths: Vec<String>,
    threads: usize,
) -> Result<Vec<(String, Seen)>, CorpusError> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut seen = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = paths.get(at) else { return seen };
            seen.push((at, look(root, path)));
        }
    };
    let mut looked: Vec<(usize, io::Result<Seen>)> =
        on_threads(threads.min(paths.len()), worker).into_iter().flatten().collect();
    looked.sort_unstable_by_key(|(at, _)| *at);
    paths
        .into_iter()
        .zip(looked)
        .map(|(path, (_, seen))| match seen {
            Ok(seen) => Ok((path, seen)),
            Err(source) => Err(CorpusError::Read { path, source }),
        })
        .collect()
}

fn look(root: &Path, path: &str) -> io::Result<Seen> {
    let bytes = file(&root.join(path))?;
    Ok(if memchr::memchr(0, &bytes[..bytes.len().min(HEAD)]).is_some() {
        Seen::LeftOut(LeftOut::Binary)
    } else if is_answer_file(path, &bytes) {
        Seen::LeftOut(LeftOut::AnswerFile)
    } else {
        Seen::Text { size: bytes.len() as u64, hash: Digest::of_bytes(&bytes) }
    })
}
