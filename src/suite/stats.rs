//! What a suite is made of, and what it can show.

use std::collections::{BTreeMap, HashSet};

use jiff::civil::Date;
use serde::Serialize;

use super::{CaseKind, Suite};
use crate::stats::{Variant, cases_needed, detectable_drop};

/// Counts over a suite, and its statistical power.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// The suite's own name.
    pub name: String,
    /// Its content hash.
    pub hash: String,
    /// All cases.
    pub cases: usize,
    /// With targets.
    pub scored: usize,
    /// With `expectNoResult`.
    pub negative: usize,
    /// Neither.
    pub unscored: usize,
    /// Set aside on that day.
    pub quarantined: usize,
    /// Must stay in the top three.
    pub critical: usize,
    /// With grades.
    pub graded: usize,
    /// With forbidden targets.
    pub forbidding: usize,
    /// Targets per scored case.
    pub targets: Spread,
    /// Different names among all targets.
    pub distinct_targets: usize,
    /// Cases by value, per segment key; cases without the key stand under the empty text.
    pub segments: BTreeMap<String, BTreeMap<String, usize>>,
    /// What the scored cases that are not set aside can show.
    pub power: Power,
}

/// Smallest, middle and largest of a count; all 0 where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spread {
    /// The smallest.
    pub least: usize,
    /// The lower of the two in the middle, where there are two.
    pub median: usize,
    /// The largest.
    pub most: usize,
}

/// The smallest drop of a hit figure that shows with 80 % power in a one-sided test at 5 % (mid-p).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Power {
    /// The scored cases it is about.
    pub cases: usize,
    /// If no case is won by chance; none if even losing all would not be significant.
    pub drop_without_wins: Option<f64>,
    /// If 2 % of the cases are won by chance.
    pub drop_with_some_wins: Option<f64>,
    /// How many scored cases would show a drop of five points (2 % won by chance).
    pub cases_for_five_points: u64,
}

impl Stats {
    /// Counts a suite, segmented by `keys`, with the quarantine as it stands on `today`.
    pub fn of(suite: &Suite, keys: &[String], today: Date) -> Self {
        let count = |is: &dyn Fn(&super::Case) -> bool| suite.cases.iter().filter(|case| is(case)).count();
        let set_aside = |case: &super::Case| case.quarantined.as_ref().is_some_and(|held| held.holds(today));
        let scored = |case: &super::Case| case.qrels.kind() == CaseKind::Scored;
        let distinct: HashSet<_> = suite.cases.iter().flat_map(|case| case.qrels.targets()).collect();
        let by = |key: &String| {
            let mut counts = BTreeMap::new();
            for case in &suite.cases {
                *counts.entry(case.segment(key).unwrap_or_default().to_owned()).or_default() += 1;
            }
            (key.clone(), counts)
        };
        Self {
            name: suite.name.clone(),
            hash: suite.hash.to_string(),
            cases: suite.cases.len(),
            scored: suite.count(CaseKind::Scored),
            negative: suite.count(CaseKind::Negative),
            unscored: suite.count(CaseKind::Unscored),
            quarantined: count(&set_aside),
            critical: count(&|case| case.critical),
            graded: count(&|case| !case.qrels.grades().is_empty()),
            forbidding: count(&|case| !case.qrels.forbidden().is_empty()),
            targets: Spread::of(
                suite.cases.iter().filter(|case| scored(case)).map(|case| case.qrels.targets().len()),
            ),
            distinct_targets: distinct.len(),
            segments: keys.iter().map(by).collect(),
            power: Power::of(count(&|case| scored(case) && !set_aside(case))),
        }
    }
}

impl Spread {
    fn of(counts: impl Iterator<Item = usize>) -> Self {
        let mut counts: Vec<_> = counts.collect();
        counts.sort_unstable();
        let (Some(least), Some(most)) = (counts.first(), counts.last()) else { return Self::default() };
        Self { least: *least, median: counts[(counts.len() - 1) / 2], most: *most }
    }
}

impl Power {
    /// The power of that many scored cases.
    pub fn of(cases: usize) -> Self {
        let drop = |wins| detectable_drop(u64::try_from(cases).unwrap_or(u64::MAX), wins, Variant::MidP);
        Self {
            cases,
            drop_without_wins: drop(0.0),
            drop_with_some_wins: drop(0.02),
            cases_for_five_points: cases_needed(0.05, 0.02, Variant::MidP),
        }
    }
}
