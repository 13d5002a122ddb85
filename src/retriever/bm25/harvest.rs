//! Reading documents: text in, counts out. The text is dropped as soon as it is counted.

use std::ops::Range;

use super::index::count;
use super::outline::lines;
use super::postings::TextCount;
use super::recent::RecentWords;
use super::terms::TermMaker;
use super::word::words;
use crate::retriever::lexicon::Lexicon;

/// How many term occurrences each field of a chunk has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TextLengths {
    pub(super) body: u32,
    pub(super) symbols: u32,
    pub(super) headings: u32,
}

/// What one worker has read. Numbers of terms and names are its own; [`super::merge`] makes them common.
#[derive(Debug, Default)]
pub(super) struct Harvest {
    pub(super) terms: Lexicon,
    pub(super) names: Lexicon,
    /// The lengths of each chunk.
    pub(super) lengths: Vec<TextLengths>,
    /// Where the counts of each chunk end.
    pub(super) ends: Vec<u32>,
    /// The distinct terms of each chunk, in the order of their first appearance, and their counts.
    pub(super) chunk_terms: Vec<u32>,
    pub(super) chunk_counts: Vec<TextCount>,
    /// The distinct names that each document defines.
    pub(super) defined: Vec<u32>,
}

/// Where a document is in its worker's harvest.
#[derive(Debug, Clone, Default)]
pub(super) struct Portion {
    pub(super) chunks: Range<usize>,
    pub(super) defined: Range<usize>,
}

impl Harvest {
    /// The terms of a chunk and their counts.
    pub(super) fn counts(&self, chunk: usize) -> impl Iterator<Item = (u32, TextCount)> + Clone + '_ {
        let start = if chunk == 0 { 0 } else { self.ends[chunk - 1] as usize };
        let range = start..self.ends[chunk] as usize;
        self.chunk_terms[range.clone()].iter().copied().zip(self.chunk_counts[range].iter().copied())
    }
}

/// One thread's reader.
#[derive(Debug, Default)]
pub(super) struct Reader {
    harvest: Harvest,
    maker: TermMaker,
    /// Words as they are written, and the terms of each: a word is split, folded and stemmed once.
    words: Lexicon,
    word_ends: Vec<u32>,
    word_terms: Vec<u32>,
    recent: RecentWords,
    /// The counts of the chunk at hand, by term; all zero between chunks.
    tally: Vec<TextCount>,
    lengths: TextLengths,
    chunk_start: usize,
    /// The document that last defined each name.
    last_definer: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
enum TextField {
    Body,
    Symbols,
    Headings,
}

impl Reader {
    /// Reads a document; `title` counts as its first heading.
    pub(super) fn read(
        &mut self,
        path: &str,
        title: Option<&str>,
        text: &str,
        chunk_lines: usize,
    ) -> Portion {
        let chunks = self.harvest.lengths.len();
        let defined = self.harvest.defined.len();
        if let Some(title) = title {
            self.count(title, TextField::Headings);
        }
        for (number, line) in lines(path, text).enumerate() {
            if number > 0 && number % chunk_lines == 0 {
                self.finish_chunk();
            }
            self.count(line.text, TextField::Body);
            if let Some(name) = line.definition {
                self.count(name, TextField::Symbols);
                self.define(name, chunks);
            }
            if let Some(heading) = line.heading {
                self.count(heading, TextField::Headings);
            }
        }
        self.finish_chunk();
        Portion { chunks: chunks..self.harvest.lengths.len(), defined: defined..self.harvest.defined.len() }
    }

    /// What was read.
    pub(super) fn finish(self) -> Harvest {
        self.harvest
    }

    fn count(&mut self, text: &str, field: TextField) {
        words(text, |word| {
            let word = self.word(word) as usize;
            let start = if word == 0 { 0 } else { self.word_ends[word - 1] };
            for at in start..self.word_ends[word] {
                let term = self.word_terms[at as usize];
                let tally = &mut self.tally[term as usize];
                if *tally == TextCount::default() {
                    self.harvest.chunk_terms.push(term);
                }
                let (count, length) = match field {
                    TextField::Body => (&mut tally.body, &mut self.lengths.body),
                    TextField::Symbols => (&mut tally.symbols, &mut self.lengths.symbols),
                    TextField::Headings => (&mut tally.headings, &mut self.lengths.headings),
                };
                *count = count.saturating_add(1);
                *length = length.saturating_add(1);
            }
        });
    }

    /// The number of `word`, whose terms are made if it is new.
    fn word(&mut self, word: &str) -> u32 {
        let key = RecentWords::key(word);
        if let Some(id) = key.and_then(|key| self.recent.get(key)) {
            return id;
        }
        let id = self.words.intern(word);
        if let Some(key) = key {
            self.recent.put(key, id);
        }
        if id as usize == self.word_ends.len() {
            self.maker.terms(word, |term| {
                let term = self.harvest.terms.intern(term);
                if term as usize == self.tally.len() {
                    self.tally.push(TextCount::default());
                }
                self.word_terms.push(term);
            });
            self.word_ends.push(count(self.word_terms.len()));
        }
        id
    }

    fn finish_chunk(&mut self) {
        let harvest = &mut self.harvest;
        for &term in &harvest.chunk_terms[self.chunk_start..] {
            harvest.chunk_counts.push(std::mem::take(&mut self.tally[term as usize]));
        }
        self.chunk_start = harvest.chunk_terms.len();
        harvest.ends.push(count(self.chunk_start));
        harvest.lengths.push(std::mem::take(&mut self.lengths));
    }

    /// Notes that the document whose first chunk is `document` defines `name`, once.
    fn define(&mut self, name: &str, document: usize) {
        let name = self.harvest.names.intern(name);
        if name as usize == self.last_definer.len() {
            self.last_definer.push(usize::MAX);
        }
        let last = &mut self.last_definer[name as usize];
        if *last != document {
            *last = document;
            self.harvest.defined.push(name);
        }
    }
}
