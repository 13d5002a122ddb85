//! The corpus's text in memory, or on disk if it is too large.

use std::borrow::Cow;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::filter::Filter;
use super::pattern::{Needle, fold};
use crate::corpus::{Corpus, Entry};
use crate::parallel::on_threads;

/// A corpus of more bytes is read anew for each query.
const MOST_IN_MEMORY: u64 = 512 << 20;

/// Every file's text.
pub(super) struct Texts {
    folded: bool,
    loaded: Option<Vec<Loaded>>,
}

struct Loaded {
    bytes: Vec<u8>,
    filter: Option<Filter>,
}

/// One file's text.
pub(super) struct Text<'a> {
    bytes: Cow<'a, [u8]>,
    filter: Option<&'a Filter>,
}

impl Texts {
    /// Reads the corpus with so many threads; `folded` for literals.
    pub(super) fn load(corpus: &Corpus, folded: bool, threads: usize) -> io::Result<Self> {
        let size: u64 = corpus.entries().iter().map(|entry| entry.size).sum();
        Self::load_at_most(MOST_IN_MEMORY, size, corpus, folded, threads)
    }

    fn load_at_most(most: u64, size: u64, corpus: &Corpus, folded: bool, threads: usize) -> io::Result<Self> {
        if size > most {
            return Ok(Self { folded, loaded: None });
        }
        let load = |entry: &Entry| {
            let bytes = read(corpus, entry, folded)?;
            let filter = folded.then(|| Filter::of(&bytes));
            Ok(Loaded { bytes, filter })
        };
        Ok(Self { folded, loaded: Some(side_by_side(corpus.entries(), threads, load)?) })
    }

    /// The text of the file at that place of the corpus.
    pub(super) fn get(&self, corpus: &Corpus, at: usize) -> io::Result<Text<'_>> {
        if let Some(loaded) = &self.loaded {
            let file = &loaded[at];
            return Ok(Text { bytes: Cow::Borrowed(&file.bytes), filter: file.filter.as_ref() });
        }
        let bytes = read(corpus, &corpus.entries()[at], self.folded)?;
        Ok(Text { bytes: Cow::Owned(bytes), filter: None })
    }
}

#[cfg(test)]
impl<'a> Text<'a> {
    /// A text without a filter.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes: Cow::Borrowed(bytes), filter: None }
    }
}

impl Text<'_> {
    /// The needle stands in it.
    pub(super) fn holds(&self, needle: &Needle) -> bool {
        self.may_hold(needle) && needle.is_in(&self.bytes)
    }

    /// How often it does.
    pub(super) fn count(&self, needle: &Needle) -> u64 {
        if self.may_hold(needle) { needle.count_in(&self.bytes) } else { 0 }
    }

    fn may_hold(&self, needle: &Needle) -> bool {
        match (self.filter, needle) {
            (Some(filter), Needle::Literal(finder)) => filter.may_hold(finder.needle()),
            _ => true,
        }
    }
}

/// A file's text; nothing of a binary one, which has a NUL byte.
fn read(corpus: &Corpus, entry: &Entry, folded: bool) -> io::Result<Vec<u8>> {
    let bytes = corpus.read(entry)?;
    if memchr::memchr(0, &bytes).is_some() {
        return Ok(Vec::new());
    }
    Ok(if folded { fold(&bytes) } else { bytes })
}

/// Does the same to every item with so many threads; the order of the answers is that of the items.
fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    act: impl Fn(&T) -> io::Result<R> + Sync,
) -> io::Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        while let Some((at, item)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            items.get(at).map(|item| (at, item))
        } {
            done.push((at, act(item)));
        }
        done
    };
    let mut done: Vec<_> = on_threads(threads.min(items.len()), worker).into_iter().flatten().collect();
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
