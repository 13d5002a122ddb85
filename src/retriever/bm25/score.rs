//! BM25F over chunks, and chunks summed to documents.
//!
//! S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.5: field
//! frequencies are normalised by field length, weighted and added, and only the sum is saturated.

use super::harvest::TextLengths;
use super::index::{Index, count};
use super::postings::{PathCount, TextCount};
use super::settings::Field;

/// The terms of one word of the query that the index knows.
pub(super) struct Sought {
    pub(super) terms: Vec<u32>,
}

/// Working memory of a search: a weighted frequency for each chunk, all zero between words, and the chunks that have one.
struct Scratch {
    frequencies: Vec<f64>,
    touched: Vec<usize>,
}

impl Index {
    /// The BM25F score of each document, by number.
    pub(super) fn text_scores(&self, sought: &[Sought]) -> Vec<f64> {
        let mut scores = vec![0.0; self.chunks.len()];
        self.chunk_scores(sought, |_, chunk, score| scores[chunk] += score);
        self.documents.iter().map(|document| self.collapse(&mut scores[document.chunks.clone()])).collect()
    }

    /// Calls `visit` with each word (by number), each chunk it occurs in and what it adds to the score of that chunk.
    pub(super) fn chunk_scores(&self, sought: &[Sought], mut visit: impl FnMut(usize, usize, f64)) {
        let mut scratch = Scratch { frequencies: vec![0.0; self.chunks.len()], touched: Vec::new() };
        for (number, word) in sought.iter().enumerate() {
            self.frequencies(word, &mut scratch);
            let idf = self.idf(scratch.touched.len());
            for chunk in scratch.touched.drain(..) {
                let frequency = std::mem::take(&mut scratch.frequencies[chunk]);
                visit(number, chunk, idf * frequency / (self.settings.k1 + frequency));
            }
        }
    }

    /// Adds up the weighted frequency of `word` in each chunk.
    fn frequencies(&self, word: &Sought, scratch: &mut Scratch) {
        let mut add = |chunk: usize, frequency: f64| {
            if frequency > 0.0 {
                if scratch.frequencies[chunk] == 0.0 {
                    scratch.touched.push(chunk);
                }
                scratch.frequencies[chunk] += frequency;
            }
        };
        for &term in &word.terms {
            for (document, count) in self.path.of(term) {
                let document = &self.documents[document as usize];
                let frequency = self.path_frequency(count, document.folder_length, document.name_length);
                for chunk in document.chunks.clone() {
                    add(chunk, frequency);
                }
            }
            for (chunk, count) in self.text.of(term) {
                let chunk = chunk as usize;
                add(chunk, self.text_frequency(count, self.chunks[chunk]));
            }
        }
    }

    fn path_frequency(&self, count: PathCount, folder_length: u32, name_length: u32) -> f64 {
        weigh(self.settings.path, count.folders, folder_length, self.means.folders)
            + weigh(self.settings.name, count.name, name_length, self.means.name)
    }

    fn text_frequency(&self, count: TextCount, lengths: TextLengths) -> f64 {
        weigh(self.settings.symbols, count.symbols, lengths.symbols, self.means.symbols)
            + weigh(self.settings.headings, count.headings, lengths.headings, self.means.headings)
            + weigh(self.settings.body, count.body, lengths.body, self.means.body)
    }

    /// How rare a word is that occurs in `chunks` chunks: `ln(1 + (N − n + ½) / (n + ½))`, never negative.
    fn idf(&self, chunks: usize) -> f64 {
        let all = f64::from(count(self.chunks.len()));
        let with = f64::from(count(chunks));
        libm::log(1.0 + (all - with + 0.5) / (with + 0.5))
    }

    /// How much a document's best chunk counts, its second best, and so on.
    pub(super) fn shares(&self) -> impl Iterator<Item = f64> + use<> {
        let decay = self.settings.chunk_decay;
        std::iter::successors(Some(1.0), move |share| Some(share * decay))
    }

    /// The sum of a document's chunks, best first, each counting less than the one before.
    fn collapse(&self, scores: &mut [f64]) -> f64 {
        scores.sort_unstable_by(|one, other| other.total_cmp(one));
        scores.iter().zip(self.shares()).fold(0.0, |sum, (score, share)| sum + share * score)
    }
}

fn weigh(field: Field, occurrences: u8, length: u32, mean: f64) -> f64 {
    if occurrences == 0 {
        return 0.0;
    }
    field.weight * f64::from(occurrences) / (1.0 - field.b + field.b * f64::from(length) / mean)
}
