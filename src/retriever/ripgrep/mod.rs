//! ripgrep's way of searching, built in: literal text, no index, no model.
//!
//! A query is looked for as a whole and word by word, without regard to case; with `regex = true` it is a regular
//! expression in ripgrep's syntax. Files rank by the evidence in them ([`evidence`]), so that the answer is the same on
//! every machine and with any number of threads, which `rg` itself does not promise: it prints in the order its threads
//! finish. Entity records are not searched.

mod evidence;
mod filter;
mod pattern;
mod texts;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) use self::pattern::words;

use self::evidence::Evidence;
use self::pattern::Pattern;
use self::texts::Texts;
use super::{
    Availability, Bench, Deadline, Description, Explanation, PrepareError, Prepared, Query, QueryError,
    Retriever, Session, Site, Unit,
};
use crate::corpus::Corpus;
use crate::name::Name;
use crate::ranking::{ErrorClass, RawHit};

/// Raised when rankings change.
const RANKING_VERSION: &str = "1";

/// The keys of a `[[retriever]]` of kind `ripgrep`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RipgrepOptions {
    /// The query is a regular expression. Case is ignored unless it says `(?-i)`.
    #[serde(default)]
    pub regex: bool,
}

/// The embedded ripgrep.
#[derive(Clone, Debug, Default)]
pub struct Ripgrep {
    options: RipgrepOptions,
}

impl Ripgrep {
    /// With these settings.
    pub fn new(options: RipgrepOptions) -> Self {
        Self { options }
    }

    fn describe() -> Description {
        Description {
            version: RANKING_VERSION.to_owned(),
            model: None,
            program: None,
            stand_in: false,
            tried: true,
            unit: Unit::File,
            ranked: true,
        }
    }
}

impl Retriever for Ripgrep {
    fn probe(&self, _: &Bench<'_>) -> Availability {
        Availability::Ready(Self::describe())
    }

    fn configuration(&self) -> serde_json::Value {
        json!({ "ranking": RANKING_VERSION, "regex": self.options.regex })
    }

    fn prepare<'a>(&'a self, site: &Site<'a>) -> Result<Box<dyn Prepared + 'a>, PrepareError> {
        let texts = Texts::load(site.corpus, !self.options.regex, site.threads)
            .map_err(|error| PrepareError::new(error.to_string()))?;
        let paths = site.corpus.entries().iter().map(|entry| pattern::fold(entry.path.as_bytes())).collect();
        Ok(Box::new(Searcher {
            regex: self.options.regex,
            corpus: site.corpus,
            texts,
            paths,
            threads: site.threads,
        }))
    }
}

/// The corpus, ready to be searched by many sessions.
struct Searcher<'a> {
    regex: bool,
    corpus: &'a Corpus,
    texts: Texts,
    /// Folded, in the corpus's order.
    paths: Vec<Vec<u8>>,
    threads: usize,
}

impl Prepared for Searcher<'_> {
    fn units(&self) -> Option<u64> {
        Some(self.paths.len() as u64)
    }

    fn max_sessions(&self) -> usize {
        self.threads.max(1)
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, PrepareError> {
        Ok(Box::new(Search(self)))
    }

    fn explain(&self, query: &str, name: &str) -> Option<Explanation> {
        let pattern = self.pattern(query).ok()?;
        let name = Name::new(name);
        let at = self.corpus.entries().iter().position(|entry| Name::new(&entry.path) == name)?;
        let ranked = self.rank(&pattern, usize::MAX, Deadline::after(std::time::Duration::MAX)).ok()?;
        let place = ranked.iter().position(|(file, _)| *file == at);
        let evidence = place.map_or_else(Evidence::default, |place| ranked[place].1);
        Some(Explanation { rank: place.map(|place| place + 1), score: None, parts: evidence.parts() })
    }
}

impl Searcher<'_> {
    fn pattern(&self, query: &str) -> Result<Pattern, QueryError> {
        Pattern::new(query, self.regex).map_err(|detail| QueryError::new(ErrorClass::Tool, detail))
    }

    /// The best `fetch` files (by their place in the corpus) with their evidence, best first.
    ///
    /// Whether a file has a word at all is found fast, how often it has it is not; so the counts, which only order files
    /// with the same words, are taken for those files alone that can be among the best.
    fn rank(
        &self,
        pattern: &Pattern,
        fetch: usize,
        deadline: Deadline,
    ) -> Result<Vec<(usize, Evidence)>, QueryError> {
        let mut found = Vec::new();
        for (at, path) in self.paths.iter().enumerate() {
            in_time(at, deadline)?;
            let text = self.texts.get(self.corpus, at).map_err(|error| self.unreadable(at, &error))?;
            let evidence = Evidence::presence(pattern, &text, path);
            if evidence.any() {
                found.push((at, evidence));
            }
        }
        found.sort_by(|(a, x), (b, y)| y.cmp(x).then(a.cmp(b)));
        if let Some((_, last)) = found.get(fetch.wrapping_sub(1)).copied() {
            found.retain(|(_, evidence)| *evidence >= last);
        }
        for (step, (at, evidence)) in found.iter_mut().enumerate() {
            in_time(step, deadline)?;
            let text = self.texts.get(self.corpus, *at).map_err(|error| self.unreadable(*at, &error))?;
            evidence.count(pattern, &text);
        }
        found.sort_by(|(a, x), (b, y)| y.cmp(x).then(a.cmp(b)));
        found.truncate(fetch);
        Ok(found)
    }

    fn unreadable(&self, at: usize, error: &std::io::Error) -> QueryError {
        let path = &self.corpus.entries()[at].path;
        QueryError::new(ErrorClass::Tool, format!("{path} cannot be read any more: {error}"))
    }
}

/// Looks at the clock now and then.
fn in_time(step: usize, deadline: Deadline) -> Result<(), QueryError> {
    if step.is_multiple_of(64) && deadline.passed() {
        return Err(QueryError::new(ErrorClass::Timeout, "the search took longer than its time"));
    }
    Ok(())
}

struct Search<'a>(&'a Searcher<'a>);

impl Session for Search<'_> {
    fn query(
        &mut self,
        query: &Query<'_>,
        fetch: usize,
        deadline: Deadline,
    ) -> Result<Vec<RawHit>, QueryError> {
        let ranked = self.0.rank(&self.0.pattern(query.text)?, fetch, deadline)?;
        let entries = self.0.corpus.entries();
        let hit = |(at, evidence): (usize, Evidence)| RawHit {
            score: Some(evidence.score()),
            ..RawHit::file(&entries[at].path)
        };
        Ok(ranked.into_iter().map(hit).collect())
    }
}
