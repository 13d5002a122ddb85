//! What the path of a document contributes to the index.

use std::collections::HashMap;
use std::ops::Range;

use super::entity::Input;
use super::index::{Document, count};
use super::place::{Form, Purpose, file_stem, split_name, stands_for_folder, translation};
use super::postings::PathCount;
use super::terms::TermMaker;
use super::word::{parts, words};
use crate::retriever::lexicon::Lexicon;

/// Reads paths. What is known of a folder is kept for the next document, as documents come by path.
#[derive(Default)]
pub(super) struct PathReader {
    maker: TermMaker,
    folder: String,
    folder_terms: Vec<u32>,
    parent_words: Vec<u32>,
    name_terms: Vec<u32>,
    /// The terms of all names, each once, and the place of each in this list.
    name_words: Vec<u32>,
    name_numbers: HashMap<u32, u32>,
}

impl PathReader {
    /// The document of `input` with these chunks.
    pub(super) fn document(
        &mut self,
        input: &Input<'_>,
        chunks: Range<usize>,
        terms: &mut Lexicon,
    ) -> Document {
        let (folder, name) = split_name(input.path);
        if folder != self.folder {
            folder.clone_into(&mut self.folder);
            self.folder_terms = self.terms(folder, terms);
            let (_, parent) = split_name(folder);
            self.parent_words = self.words(parent, terms);
        }
        let stem = file_stem(name);
        self.name_terms = self.terms(stem, terms);
        let form = Form::of(input.path);
        let is_module = form == Form::Code && stands_for_folder(stem);
        Document {
            path: input.path.to_owned(),
            id: input.entity.map(|entity| entity.id.clone()),
            kind: input.entity.and_then(|entity| entity.kind.clone()),
            title: input.entity.and_then(|entity| entity.title.clone()),
            name_words: if is_module { self.parent_words.clone() } else { self.words(stem, terms) },
            folder_words: self.parent_words.clone(),
            folder_length: count(self.folder_terms.len()),
            name_length: count(self.name_terms.len()),
            purpose: Purpose::of(input.path),
            form,
            translation: translation(input.path),
            chunks,
        }
    }

    /// The distinct terms of the last document's path.
    pub(super) fn counts(&self) -> Vec<(u32, PathCount)> {
        let mut all: Vec<u32> = self.folder_terms.iter().chain(&self.name_terms).copied().collect();
        all.sort_unstable();
        all.dedup();
        let occurrences = |list: &[u32], term| list.iter().filter(|own| **own == term).count();
        let count = |list: &[u32], term| u8::try_from(occurrences(list, term)).unwrap_or(u8::MAX);
        let counts = |term| PathCount {
            folders: count(&self.folder_terms, term),
            name: count(&self.name_terms, term),
        };
        all.into_iter().map(|term| (term, counts(term))).collect()
    }

    /// The terms of all names; documents refer to them by their place in this list.
    pub(super) fn into_name_words(self) -> Vec<u32> {
        self.name_words
    }

    fn terms(&mut self, text: &str, terms: &mut Lexicon) -> Vec<u32> {
        let mut found = Vec::new();
        words(text, |word| self.maker.terms(word, |term| found.push(terms.intern(term))));
        found
    }

    /// The places of the words in a name, without whole identifiers.
    fn words(&mut self, name: &str, terms: &mut Lexicon) -> Vec<u32> {
        let mut stems = Vec::new();
        words(name, |word| {
            parts(word, |part| self.maker.terms(part, |term| stems.push(terms.intern(term))));
        });
        let mut found = Vec::new();
        for stem in stems {
            let number = *self.name_numbers.entry(stem).or_insert_with(|| {
                self.name_words.push(stem);
                count(self.name_words.len() - 1)
            });
            if !found.contains(&number) {
                found.push(number);
            }
        }
        found
    }
}
