//! The index: what is kept of a corpus.

use std::ops::Range;

use super::harvest::TextLengths;
use super::place::{Form, Purpose};
use super::postings::{PathCount, Postings, TextCount};
use super::settings::Settings;
use crate::retriever::lexicon::Lexicon;

/// A searchable corpus. Searching needs only a shared reference.
#[derive(Debug)]
pub struct Index {
    pub(super) terms: Lexicon,
    pub(super) names: Lexicon,
    pub(super) documents: Vec<Document>,
    /// The field lengths of each chunk.
    pub(super) chunks: Vec<TextLengths>,
    pub(super) text: Postings<TextCount>,
    pub(super) path: Postings<PathCount>,
    pub(super) definers: Postings<()>,
    /// The terms that occur in the names of files and folders; documents refer to them by their place in this list.
    pub(super) name_words: Vec<u32>,
    pub(super) means: Means,
    /// Read when searching, but for [`Settings::chunk_lines`].
    pub settings: Settings,
}

/// A file or an entity.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) path: String,
    pub(super) id: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) title: Option<String>,
    pub(super) name_words: Vec<u32>,
    pub(super) folder_words: Vec<u32>,
    pub(super) folder_length: u32,
    pub(super) name_length: u32,
    pub(super) purpose: Purpose,
    pub(super) form: Form,
    /// The language of a translated page, by its two-letter code.
    pub(super) translation: Option<&'static str>,
    pub(super) chunks: Range<usize>,
}

impl Document {
    pub(super) fn id(&self) -> &str {
        self.id.as_deref().unwrap_or(&self.path)
    }
}

/// Mean field lengths, in term occurrences: of a chunk's fields over chunks, of a path's over documents.
#[derive(Debug, Clone, Copy)]
pub(super) struct Means {
    pub(super) body: f64,
    pub(super) symbols: f64,
    pub(super) headings: f64,
    pub(super) folders: f64,
    pub(super) name: f64,
}

/// How large an index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stats {
    /// Files and entities.
    pub documents: usize,
    /// Chunks of these.
    pub chunks: usize,
    /// Distinct terms.
    pub terms: usize,
    /// Distinct names that are defined.
    pub names: usize,
}

impl Index {
    /// How large the index is.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Stats {
            documents: self.documents.len(),
            chunks: self.chunks.len(),
            terms: self.terms.len(),
            names: self.names.len(),
        }
    }
}

/// A number of things as the index stores it.
pub(super) fn count(number: usize) -> u32 {
    u32::try_from(number).expect("fewer than 2^32 of anything in an index")
}
