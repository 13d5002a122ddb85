//! The index as a [`Retriever`].

use std::io;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Explanation, Index, RANKING_VERSION, Scored, Settings, Source};
use crate::corpus::Corpus;
use crate::ranking::RawHit;
use crate::retriever::{
    self, Availability, Bench, Deadline, Description, Enters, Part, PrepareError, Prepared, Query,
    QueryError, Retriever, Session, Site, Unit,
};

/// The keys of a `[[retriever]]` of kind `bm25`: none. There is one configuration, measured over many suites.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Bm25Options {}

/// The embedded default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bm25;

impl Retriever for Bm25 {
    fn probe(&self, _: &Bench<'_>) -> Availability {
        Availability::Ready(Description {
            version: RANKING_VERSION.to_string(),
            model: None,
            program: None,
            stand_in: false,
            tried: true,
            unit: Unit::File,
            ranked: true,
        })
    }

    fn configuration(&self) -> serde_json::Value {
        json!({ "ranking": RANKING_VERSION })
    }

    fn prepare<'a>(&'a self, site: &Site<'a>) -> Result<Box<dyn Prepared + 'a>, PrepareError> {
        let index =
            Index::build(&Files(site.corpus), site.corpus.entities(), site.threads, Settings::default())
                .map_err(|error| PrepareError::new(error.to_string()))?;
        Ok(Box::new(Indexed { index, threads: site.threads }))
    }
}

/// The corpus, one file at a time.
struct Files<'a>(&'a Corpus);

impl Source for Files<'_> {
    fn len(&self) -> usize {
        self.0.entries().len()
    }

    fn path(&self, number: usize) -> &str {
        &self.0.entries()[number].path
    }

    fn read(&self, number: usize) -> io::Result<Vec<u8>> {
        self.0.read(&self.0.entries()[number])
    }
}

struct Indexed {
    index: Index,
    threads: usize,
}

impl Prepared for Indexed {
    fn units(&self) -> Option<u64> {
        Some(self.index.stats().documents as u64)
    }

    fn max_sessions(&self) -> usize {
        self.threads
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, PrepareError> {
        Ok(Box::new(Asking(&self.index)))
    }

    fn explain(&self, query: &str, name: &str) -> Option<retriever::Explanation> {
        self.index.explain(query, name).as_ref().map(parts)
    }
}

struct Asking<'a>(&'a Index);

impl Session for Asking<'_> {
    fn query(&mut self, query: &Query<'_>, fetch: usize, _: Deadline) -> Result<Vec<RawHit>, QueryError> {
        Ok(self.0.search(query.text, fetch).iter().map(raw).collect())
    }
}

fn raw(hit: &Scored<'_>) -> RawHit {
    RawHit {
        id: Some(hit.id.to_owned()),
        path: Some(hit.path.to_owned()),
        kind: Some(hit.kind.to_owned()),
        summary: hit.summary.map(str::to_owned),
        score: Some(hit.score),
    }
}

/// The parts in the order of computation: words, what is added, what multiplies.
fn parts(explanation: &Explanation) -> retriever::Explanation {
    let words = explanation.words.iter().map(|word| {
        let seen = &word.occurrences;
        let places = [
            ("path", seen.path),
            ("name", seen.name),
            ("symbols", seen.symbols),
            ("headings", seen.headings),
            ("text", seen.body),
        ];
        let places: Vec<_> = places
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(place, count)| format!("{place} {count}"))
            .collect();
        let places = if places.is_empty() { "nowhere".to_owned() } else { places.join(", ") };
        Part {
            label: format!("word {} ({places})", word.terms.join("/")),
            amount: word.score,
            enters: Enters::Added,
        }
    });
    let reason = |enters| {
        move |reason: &super::Reason| Part { label: reason.name.to_owned(), amount: reason.size, enters }
    };
    retriever::Explanation {
        rank: explanation.rank,
        score: Some(explanation.score),
        parts: words
            .chain(explanation.additions.iter().map(reason(Enters::Added)))
            .chain(explanation.factors.iter().map(reason(Enters::Factor)))
            .collect(),
    }
}
