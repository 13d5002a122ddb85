//! From a query to a ranking.

use super::boost::Evidence;
use super::index::Index;
use super::query::Query;
use super::score::Sought;

/// One ranked answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored<'a> {
    /// The entity's id, else the path.
    pub id: &'a str,
    /// The repository path.
    pub path: &'a str,
    /// The entity's kind, else `file`.
    pub kind: &'a str,
    /// The entity's title.
    pub summary: Option<&'a str>,
    /// Comparable within one ranking only.
    pub score: f64,
}

impl Index {
    /// The best `fetch` documents for `query`, best first; equal scores by path, then id.
    #[must_use]
    pub fn search(&self, query: &str, fetch: usize) -> Vec<Scored<'_>> {
        let query = Query::parse(query);
        let text = self.text_scores(&self.sought(&query));
        let evidence = Evidence::gather(self, &query, &text);
        let mut ranking = self.ranking(&evidence, &text);
        ranking.truncate(fetch);
        ranking.into_iter().map(|(document, score)| self.scored(document, score)).collect()
    }

    /// Every document that anything speaks for, by number, best first. Numbers follow path, then id.
    pub(super) fn ranking(&self, evidence: &Evidence<'_>, text: &[f64]) -> Vec<(usize, f64)> {
        let candidates =
            (0..self.documents.len()).filter(|&document| evidence.is_candidate(document, text[document]));
        let mut ranking: Vec<_> =
            candidates.map(|document| (document, evidence.score(document, text[document]))).collect();
        ranking.sort_unstable_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        ranking
    }

    /// The terms of the query's words that occur in the corpus.
    pub(super) fn sought(&self, query: &Query) -> Vec<Sought> {
        let known = |terms: &Vec<String>| terms.iter().filter_map(|term| self.terms.get(term)).collect();
        query.words.iter().map(|word| Sought { terms: known(&word.terms) }).collect()
    }

    fn scored(&self, document: usize, score: f64) -> Scored<'_> {
        let document = &self.documents[document];
        Scored {
            id: document.id(),
            path: &document.path,
            kind: document.kind.as_deref().unwrap_or("file"),
            summary: document.title.as_deref(),
            score,
        }
    }
}
