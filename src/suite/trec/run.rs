//! A TREC run: `query Q0 document rank score tag`, one line per hit.

use std::collections::{BTreeMap, HashSet};

use super::super::error::Problems;
use super::super::source::{Source, Tally, plural};
use super::super::{Note, Suite, SuiteError, json};
use super::columns_wrong;
use crate::name::Name;

/// One hit of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunHit {
    /// The document, as the file writes it.
    pub document: String,
    /// Its score, finite.
    pub score: f64,
}

/// The ranked answers of a run, by query.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    hits: BTreeMap<String, Vec<RunHit>>,
    /// Ties, duplicates, ranks that contradict the scores.
    pub notes: Vec<Note>,
}

impl Run {
    /// The hits of a query, best first; none if the run does not have it.
    pub fn hits(&self, query: &str) -> &[RunHit] {
        self.hits.get(query).map_or(&[], Vec::as_slice)
    }

    /// The queries that the run answers and the suite does not ask, sorted: a sign of two files that do not belong
    /// together.
    pub fn unasked<'a>(&'a self, suite: &Suite) -> Vec<&'a str> {
        let asked: HashSet<_> = suite.cases.iter().map(|case| case.id.0.as_str()).collect();
        self.hits.keys().map(String::as_str).filter(|query| !asked.contains(query)).collect()
    }
}

#[derive(Clone, Copy)]
struct Line<'a> {
    doc: &'a str,
    rank: Option<i64>,
    score: f64,
}

/// Reads a run. The score decides the order; between equal scores the order of the file does. The tag may be missing.
pub fn run(source: Source<'_>) -> Result<Run, SuiteError> {
    let text = json::text(source.bytes).map_err(|error| error.within(source.name))?;
    let mut problems = Problems::default();
    let mut queries: BTreeMap<&str, Vec<Line<'_>>> = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let columns: Vec<_> = line.split_ascii_whitespace().collect();
        match columns.as_slice() {
            [] => {}
            [query, _, doc, rank, score] | [query, _, doc, rank, score, _] => match score.parse::<f64>() {
                Ok(number) if number.is_nan() => {
                    problems.push(source.line(at + 1), "the score is NaN, which has no place in an order");
                }
                Ok(score) => {
                    let line = Line { doc, rank: rank.parse().ok(), score };
                    queries.entry(query).or_default().push(line);
                }

                Err(_) => problems.push(source.line(at + 1), format!("the score {score:?} is not a number")),
            },
            other => {
                let form = "query Q0 document rank score tag";
                problems.push(source.line(at + 1), columns_wrong(6, form, other.len()));
            }
        }
    }
    problems.into_result()?;
    Ok(rank(source, queries))
}

fn rank(source: Source<'_>, queries: BTreeMap<&str, Vec<Line<'_>>>) -> Run {
    let (mut tied, mut contradicted, mut repeated) = (Tally::default(), Tally::default(), Tally::default());
    let mut hits = BTreeMap::new();
    for (query, mut lines) in queries {
        lines.sort_by(|a, b| b.score.partial_cmp(&a.score).expect("NaN was refused"));
        #[expect(clippy::float_cmp, reason = "a tie is exact equality")]
        if lines.windows(2).any(|pair| pair[0].score == pair[1].score) {
            tied.add(query);
        }
        if lines.windows(2).any(|pair| matches!((pair[0].rank, pair[1].rank), (Some(a), Some(b)) if a > b)) {
            contradicted.add(query);
        }
        let mut seen = HashSet::new();
        if lines.iter().any(|line| !seen.insert(Name::new(line.doc))) {
            repeated.add(query);
        }
        hits.insert(query.to_owned(), lines.into_iter().map(hit).collect());
    }
    let queries = |count| plural(count, "query", "queries");
    let mut notes = Vec::new();
    tied.tell(&mut notes, source.whole(), |n| {
        format!("equal scores in {}; the file's order decides", queries(n))
    });
    contradicted.tell(&mut notes, source.whole(), |n| {
        format!("rank and score disagree in {}; the score decides", queries(n))
    });
    repeated.tell(&mut notes, source.whole(), |n| {
        format!("a document twice in {}; its best place counts", queries(n))
    });
    Run { hits, notes }
}

/// Infinite scores keep their place in the order; only their ties matter from here on.
fn hit(line: Line<'_>) -> RunHit {
    RunHit { document: line.doc.to_owned(), score: line.score.clamp(f64::MIN, f64::MAX) }
}
