//! Pairing the cases of a result with those of a baseline.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::civil::Date;

use crate::artifact::{Baseline, CaseOutcome, CaseResult, SuiteResult, segment_key};
use crate::canon::Digest;
use crate::metric::{Direction, Figure, Figures, METRICS, Metric, State};
use crate::suite::{CaseId, Quarantine};

/// How two sides of a pair belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Same id, same digest: comparable.
    Same,
    /// Another id, same digest, unique on both sides: comparable.
    Renamed,
    /// Same id, another digest: the case was edited and is not comparable.
    Edited,
    /// In the baseline only.
    Removed,
    /// In the result only.
    Added,
}

/// What became of a comparable case. Found means: a target among the first three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Found before, not now.
    Lost,
    /// The reverse.
    Won,
    /// Neither.
    Kept,
}

/// One case on one side or both. Unmatched is a value, never filtered out.
#[derive(Clone, Debug, PartialEq)]
pub struct CasePair {
    /// The baseline's side.
    pub before: Option<CaseOutcome>,
    /// The result's side.
    pub after: Option<CaseResult>,
    /// How they belong together.
    pub link: Link,
    /// A quarantine of either side holds today: left out of deltas, floors and verdict.
    pub set_aside: bool,
}

impl CasePair {
    fn new(before: Option<&CaseOutcome>, after: Option<&CaseResult>, link: Link, today: Date) -> Self {
        let holds =
            |quarantine: Option<&Quarantine>| quarantine.is_some_and(|quarantine| quarantine.holds(today));
        Self {
            set_aside: holds(before.and_then(|case| case.quarantined.as_ref()))
                || holds(after.and_then(|case| case.quarantined.as_ref())),
            before: before.cloned(),
            after: after.cloned(),
            link,
        }
    }

    /// The id a reader knows it by: the new one where there is one.
    pub fn id(&self) -> &CaseId {
        let after = self.after.as_ref().map(|case| &case.id);
        after.or(self.before.as_ref().map(|case| &case.id)).expect("a pair has a side")
    }

    /// Both sides, if the pair counts in a comparison.
    pub fn sides(&self) -> Option<(&CaseOutcome, &CaseResult)> {
        let comparable = matches!(self.link, Link::Same | Link::Renamed) && !self.set_aside;
        self.before.as_ref().zip(self.after.as_ref()).filter(|_| comparable)
    }

    /// What became of it, if it is comparable.
    pub fn change(&self) -> Option<Change> {
        let (before, after) = self.sides()?;
        Some(match (before.state == State::Found, after.state == State::Found) {
            (true, false) => Change::Lost,
            (false, true) => Change::Won,
            _ => Change::Kept,
        })
    }
}

/// Which way a figure went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// Improved.
    Better,
    /// A warning: gated or not, it is said out loud.
    Worse,
    /// Equal.
    Same,
    /// One side does not know it.
    Unknown,
}

/// One figure on both sides, over the same cases.
#[derive(Clone, Debug, PartialEq)]
pub struct Delta {
    /// Metric key.
    pub key: &'static str,
    /// The baseline's.
    pub before: Option<Figure>,
    /// The result's.
    pub after: Option<Figure>,
    /// Which way it went.
    pub trend: Trend,
}

/// A result against a baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Every case of either side: the result's in its order, then the removed ones. Empty when the baseline does not
    /// know its cases (version 1).
    pub pairs: Vec<CasePair>,
    /// Every metric, over the comparable cases; over all of them on each side for version 1.
    pub deltas: Vec<Delta>,
    /// The same by segment: `byLang` → `pt` → deltas.
    pub segments: BTreeMap<String, BTreeMap<String, Vec<Delta>>>,
    /// The baseline knows its cases.
    pub by_case: bool,
}

impl Comparison {
    /// Compares on a day (UTC) that decides which quarantines hold.
    pub fn new(result: &SuiteResult, baseline: &Baseline, today: Date) -> Self {
        match &baseline.cases {
            Some(before) => Self::by_case(before, result, today),
            None => Self::by_figures(baseline, result, today),
        }
    }

    fn by_case(before: &[CaseOutcome], result: &SuiteResult, today: Date) -> Self {
        let pairs = pair_up(before, &result.cases, today);
        let over = |pairs: &[&CasePair]| {
            let sides: Vec<_> = pairs.iter().filter_map(|pair| pair.sides()).collect();
            let before = Figures::over(sides.iter().map(|(before, _)| &before.figures));
            let after = Figures::over(sides.iter().map(|(_, after)| &after.figures));
            deltas(&before, &after, 0.0)
        };
        let mut segments = BTreeMap::new();
        for key in &result.segment_keys {
            let mut by_value: BTreeMap<String, Vec<&CasePair>> = BTreeMap::new();
            for pair in &pairs {
                if let Some(value) = pair.sides().and_then(|(_, after)| after.segments.get(key)) {
                    by_value.entry(value.clone()).or_default().push(pair);
                }
            }
            segments.insert(
                segment_key(key),
                by_value.iter().map(|(value, pairs)| (value.clone(), over(pairs))).collect(),
            );
        }
        let all: Vec<_> = pairs.iter().collect();
        Self { deltas: over(&all), segments, pairs, by_case: true }
    }

    fn by_figures(baseline: &Baseline, result: &SuiteResult, today: Date) -> Self {
        let after = Figures::over(active(result, today).map(|case| &case.figures));
        // Version 1 rounded its means by another function; one unit in the last place is no change.
        let deltas = deltas(&baseline.metrics, &after, 1.000_001e-6);
        Self { pairs: Vec::new(), deltas, segments: BTreeMap::new(), by_case: false }
    }

    /// The comparable cases that became so, in order.
    pub fn changed(&self, change: Change) -> impl Iterator<Item = &CasePair> {
        self.pairs.iter().filter(move |pair| pair.change() == Some(change))
    }

    /// The pairs of that link, set aside or not.
    pub fn linked(&self, link: Link) -> impl Iterator<Item = &CasePair> {
        self.pairs.iter().filter(move |pair| pair.link == link)
    }

    /// The delta of one figure.
    pub fn delta(&self, key: &str) -> Option<&Delta> {
        self.deltas.iter().find(|delta| delta.key == key)
    }
}

/// The cases of a result that no quarantine sets aside on that day.
pub(super) fn active(result: &SuiteResult, today: Date) -> impl Iterator<Item = &CaseResult> {
    result
        .cases
        .iter()
        .filter(move |case| !case.quarantined.as_ref().is_some_and(|quarantine| quarantine.holds(today)))
}

/// Pairs by id, then the rest by a digest that is unique on both sides.
fn pair_up(before: &[CaseOutcome], after: &[CaseResult], today: Date) -> Vec<CasePair> {
    let by_id: HashMap<&CaseId, &CaseOutcome> = before.iter().map(|case| (&case.id, case)).collect();
    let ids_after: BTreeSet<&CaseId> = after.iter().map(|case| &case.id).collect();
    let removed: Vec<&CaseOutcome> = before.iter().filter(|case| !ids_after.contains(&case.id)).collect();
    let added: Vec<&CaseResult> = after.iter().filter(|case| !by_id.contains_key(&case.id)).collect();
    let count_of = |digests: Vec<&Digest>| {
        let mut counts: HashMap<Digest, usize> = HashMap::new();
        for digest in digests {
            *counts.entry(digest.clone()).or_default() += 1;
        }
        counts
    };
    let removed_counts = count_of(removed.iter().map(|case| &case.digest).collect());
    let added_counts = count_of(added.iter().map(|case| &case.digest).collect());
    let unique =
        |digest: &Digest| removed_counts.get(digest) == Some(&1) && added_counts.get(digest) == Some(&1);
    let renamed: HashMap<&Digest, &CaseOutcome> =
        removed.iter().filter(|case| unique(&case.digest)).map(|case| (&case.digest, *case)).collect();

    let mut pairs: Vec<CasePair> = after
        .iter()
        .map(|case| match (by_id.get(&case.id), renamed.get(&case.digest)) {
            (Some(old), _) if old.digest == case.digest => {
                CasePair::new(Some(old), Some(case), Link::Same, today)
            }
            (Some(old), _) => CasePair::new(Some(old), Some(case), Link::Edited, today),
            (None, Some(old)) => CasePair::new(Some(old), Some(case), Link::Renamed, today),
            (None, None) => CasePair::new(None, Some(case), Link::Added, today),
        })
        .collect();
    let gone = removed.into_iter().filter(|case| !renamed.contains_key(&case.digest));
    pairs.extend(gone.map(|case| CasePair::new(Some(case), None, Link::Removed, today)));
    pairs
}

/// Every metric on both sides. Means that differ by at most `slack` are equal; counts never have any.
fn deltas(before: &Figures, after: &Figures, slack: f64) -> Vec<Delta> {
    METRICS
        .iter()
        .map(|metric| {
            let (before, after) = (before.get(metric.key()).copied(), after.get(metric.key()).copied());
            Delta { key: metric.key(), trend: trend(*metric, before, after, slack), before, after }
        })
        .collect()
}

fn trend(metric: &dyn Metric, before: Option<Figure>, after: Option<Figure>, slack: f64) -> Trend {
    let (Some(before), Some(after)) = (before, after) else { return Trend::Unknown };
    let (Some(old), Some(new)) = (before.value, after.value) else { return Trend::Unknown };
    let rose = match (before.count, after.count) {
        // Over the same cases the counts decide.
        (Some(old), Some(new)) if before.of == after.of => new.cmp(&old),
        _ if (new - old).abs() <= slack => std::cmp::Ordering::Equal,
        _ => new.partial_cmp(&old).expect("figures are finite"),
    };
    match (rose, metric.direction()) {
        (std::cmp::Ordering::Equal, _) => Trend::Same,
        (std::cmp::Ordering::Greater, Direction::Higher) | (std::cmp::Ordering::Less, Direction::Lower) => {
            Trend::Better
        }
        _ => Trend::Worse,
    }
}
