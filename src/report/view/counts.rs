//! How many of what.

use serde::Serialize;

use crate::artifact::SuiteResult;
use crate::gate::{Comparison, Link};

/// Cases of a pair, counted. Null: the baseline does not know its cases.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CountsView {
    /// All cases of the suite.
    pub cases: u64,
    /// With targets.
    pub scored: u64,
    /// `expectNoResult`.
    pub negative: u64,
    /// Neither.
    pub unscored: u64,
    /// Scored cases that got a hit.
    pub answered: u64,
    /// Asked cases that the retriever failed.
    pub failed: u64,
    /// Hits whose path names nothing in the corpus.
    pub unknown_paths: u64,
    /// Comparable cases.
    pub comparable: Option<usize>,
    /// Comparable cases that were found and are not, or fell out of a gated figure.
    pub lost: Option<usize>,
    /// The reverse.
    pub won: Option<usize>,
    /// Comparable cases that are neither, and whose rank changed.
    pub moved: Option<usize>,
    /// Scored cases that are not found, lost ones apart.
    pub missed: usize,
    /// Same id, another question.
    pub edited: Option<usize>,
    /// New cases.
    pub added: Option<usize>,
    /// Cases that are gone.
    pub removed: Option<usize>,
    /// Same question under another id.
    pub renamed: Option<usize>,
    /// Left out by quarantine on either side.
    pub set_aside: Option<usize>,
}

impl CountsView {
    /// Of a result with its comparison, if there is one; lost, won, moved and missed are counted by the caller.
    pub(super) fn new(result: &SuiteResult, comparison: Option<&Comparison>) -> Self {
        let counts = &result.counts;
        let pairs = comparison.filter(|comparison| comparison.by_case);
        let linked = |link| pairs.map(|comparison| comparison.linked(link).count());
        Self {
            cases: counts.cases,
            scored: counts.scored,
            negative: counts.negative,
            unscored: counts.unscored,
            answered: counts.answered,
            failed: counts.failed,
            unknown_paths: counts.unknown_paths,
            comparable: pairs.map(|it| it.pairs.iter().filter(|pair| pair.sides().is_some()).count()),
            edited: linked(Link::Edited),
            added: linked(Link::Added),
            removed: linked(Link::Removed),
            renamed: linked(Link::Renamed),
            set_aside: pairs.map(|it| it.pairs.iter().filter(|pair| pair.set_aside).count()),
            ..Self::default()
        }
    }
}

/// Rows that had to go for want of room, by list. All zero in JSON, which has no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Omitted {
    /// Of `reasons`.
    pub reasons: usize,
    /// Of `notices`.
    pub notices: usize,
    /// Of `lost`.
    pub lost: usize,
    /// Of `lost`, rows that keep their id and ranks alone.
    pub lost_detail: usize,
    /// Of `won`.
    pub won: usize,
    /// Of `missed`.
    pub missed: usize,
    /// Of `edited`.
    pub edited: usize,
    /// Of `added`.
    pub added: usize,
    /// Of `removed`.
    pub removed: usize,
    /// Of `figures`.
    pub figures: usize,
    /// Of `segments`.
    pub segments: usize,
    /// Of `identity`.
    pub identity: usize,
}
