//! Why a document has the rank it has.

use super::boost::{Evidence, Reason};
use super::index::Index;
use super::place::{Form, Purpose};
use super::query::Query;
use super::score::Sought;

/// The parts of one document's score for one query: `(text + additions) × factors`.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The document's id.
    pub id: String,
    /// Its repository path.
    pub path: String,
    /// What it was taken to be there for.
    pub purpose: Purpose,
    /// What it was taken to be made of.
    pub form: Form,
    /// Its rank from 1; none if nothing speaks for it.
    pub rank: Option<usize>,
    /// Its final score.
    pub score: f64,
    /// Its text score: the sum of its words' scores.
    pub text: f64,
    /// The words of the query, stop words left out.
    pub words: Vec<WordScore>,
    /// What names, definitions and paths add; reasons of size 0 are left out.
    pub additions: Vec<Reason>,
    /// What the sum is multiplied by; factors of 1 are left out.
    pub factors: Vec<Reason>,
}

/// What one word of the query adds to a text score.
#[derive(Debug, Clone, PartialEq)]
pub struct WordScore {
    /// The terms it is searched by, stemmed; they count as one.
    pub terms: Vec<String>,
    /// What it adds.
    pub score: f64,
    /// How often the document has it, by field.
    pub occurrences: Occurrences,
}

/// Occurrences of a word in a document, by field. More than 255 in one chunk are counted as 255.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Occurrences {
    /// In the folders of the path.
    pub path: u32,
    /// In the file name.
    pub name: u32,
    /// In names that the document defines.
    pub symbols: u32,
    /// In headings.
    pub headings: u32,
    /// In all text, the symbols and headings included.
    pub body: u32,
}

impl Index {
    /// Why the document with this id or path has its rank for `query`; none if there is no such document.
    #[must_use]
    pub fn explain(&self, query: &str, id_or_path: &str) -> Option<Explanation> {
        let number = self.number(id_or_path)?;
        let document = &self.documents[number];
        let query = Query::parse(query);
        let sought = self.sought(&query);
        let text = self.text_scores(&sought);
        let evidence = Evidence::gather(self, &query, &text);
        let rank = self.ranking(&evidence, &text).iter().position(|(found, _)| *found == number);
        let scores = self.word_scores(&sought, number);
        let words = query.words.iter().zip(&sought).zip(scores);
        Some(Explanation {
            id: document.id().to_owned(),
            path: document.path.clone(),
            purpose: document.purpose,
            form: document.form,
            rank: rank.map(|rank| rank + 1),
            score: if rank.is_some() { evidence.score(number, text[number]) } else { 0.0 },
            text: text[number],
            words: words
                .map(|((word, sought), score)| WordScore {
                    terms: word.terms.clone(),
                    score,
                    occurrences: self.occurrences(sought, number),
                })
                .collect(),
            additions: evidence
                .additions(number, text[number])
                .into_iter()
                .filter(|reason| reason.size > 0.0)
                .collect(),
            factors: evidence.factors(number).into_iter().filter(|reason| reason.size < 1.0).collect(),
        })
    }

    fn number(&self, id_or_path: &str) -> Option<usize> {
        let by_id = self.documents.iter().position(|document| document.id() == id_or_path);
        by_id.or_else(|| self.documents.iter().position(|document| document.path == id_or_path))
    }

    /// What each word adds to the text score of a document, its chunks ordered and weighted as the score does.
    fn word_scores(&self, sought: &[Sought], document: usize) -> Vec<f64> {
        let range = self.documents[document].chunks.clone();
        let mut chunks = vec![(0.0, vec![0.0; sought.len()]); range.len()];
        self.chunk_scores(sought, |word, chunk, score| {
            if range.contains(&chunk) {
                let (total, by_word) = &mut chunks[chunk - range.start];
                *total += score;
                by_word[word] += score;
            }
        });
        chunks.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let mut scores = vec![0.0; sought.len()];
        for ((_, by_word), share) in chunks.iter().zip(self.shares()) {
            for (score, part) in scores.iter_mut().zip(by_word) {
                *score += share * part;
            }
        }
        scores
    }

    fn occurrences(&self, word: &Sought, number: usize) -> Occurrences {
        let mut found = Occurrences::default();
        for &term in &word.terms {
            for (_, count) in self.path.of(term).filter(|(document, _)| *document as usize == number) {
                found.path += u32::from(count.folders);
                found.name += u32::from(count.name);
            }
            let chunks = &self.documents[number].chunks;
            for (_, count) in self.text.of(term).filter(|(chunk, _)| chunks.contains(&(*chunk as usize))) {
                found.symbols += u32::from(count.symbols);
                found.headings += u32::from(count.headings);
                found.body += u32::from(count.body);
            }
        }
        found
    }
}
