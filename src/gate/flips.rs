//! Cases that moved across a cut-off, and whether more of them were lost than is allowed.

use super::notice::targets_gone;
use super::{CasePair, Change, Comparison, Decimal, Gated, Policy, Reason, SegmentRule};
use crate::artifact::{CaseOutcome, CaseResult};

/// What was lost beyond what is allowed.
pub(super) fn lost(comparison: &Comparison, policy: &Policy) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for gated in &policy.metrics {
        let Some(flips) = Flips::of(comparison, *gated) else {
            reasons.extend(lost_by_figures(comparison, *gated, policy));
            continue;
        };
        reasons.extend(flips.beyond(gated.name.to_owned(), policy.tolerance));
        if let Some(allowed) = policy.max_lost.filter(|allowed| flips.lost > *allowed) {
            reasons.push(Reason::LostGross { what: gated.name.to_owned(), lost: flips.lost, allowed });
        }
        for rule in &policy.segments {
            let flips = Flips::over(comparison, *gated, |case| rule.holds(case)).unwrap_or_default();
            reasons.extend(
                flips.beyond(format!("{} for {} = {}", gated.name, rule.key, rule.value), rule.tolerance),
            );
        }
    }
    let lost = comparison.changed(Change::Lost).filter_map(|pair| pair.after.as_ref());
    let gone = targets_gone(lost);
    if !reasons.is_empty() && !gone.is_empty() {
        reasons.push(Reason::TargetsGone(gone));
    }
    reasons
}

/// What the unchanged cases of a changed suite lost beyond what is allowed: first in plain words, since a reader is told
/// of the suite before.
pub(super) fn lost_too(comparison: &Comparison, policy: &Policy) -> Vec<Reason> {
    // Counts of two different suites say nothing about what was lost.
    let beyond = if comparison.by_case { lost(comparison, policy) } else { Vec::new() };
    let words = policy.metrics.iter().filter(|_| !beyond.is_empty()).filter_map(|gated| {
        let Flips { lost, of, .. } = Flips::of(comparison, *gated).filter(|flips| flips.lost > 0)?;
        let delta = comparison.delta(gated.key)?;
        let (before, after) = (delta.before?.count?, delta.after?.count?);
        Some(Reason::LostToo { cases: lost, what: gated.name, before, after, of })
    });
    let words: Vec<_> = words.collect();
    words.into_iter().chain(beyond).collect()
}

/// The hits that a segment could lose and the net loss it may have, where losing all of them would be allowed.
pub(super) fn all_may_be_lost(
    comparison: &Comparison,
    gated: Gated,
    rule: &SegmentRule,
) -> Option<(u64, u64)> {
    let cases = || comparison.pairs.iter().filter_map(CasePair::sides);
    let inside = || cases().filter(|(_, after)| !after.targets().is_empty() && rule.holds(after));
    let hits = inside().filter(|(before, _)| before.rank.is_some_and(|rank| rank <= gated.k)).count() as u64;
    let allowed = rule.tolerance.floor_of(inside().count() as u64);
    (comparison.by_case && allowed >= hits).then_some((hits, allowed))
}

/// Cases that moved across the cut-off of a gated figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flips {
    /// Within it before, not now.
    pub lost: u64,
    /// The reverse.
    pub won: u64,
    /// Comparable scored cases.
    pub of: u64,
}

impl Flips {
    /// Over all comparable scored cases; none if the baseline does not know its cases.
    pub fn of(comparison: &Comparison, gated: Gated) -> Option<Self> {
        Self::over(comparison, gated, |_| true)
    }

    /// Over the comparable scored cases that pass the filter; none if the baseline does not know its cases.
    fn over(comparison: &Comparison, gated: Gated, inside: impl Fn(&CaseResult) -> bool) -> Option<Self> {
        if !comparison.by_case {
            return None;
        }
        let hit = |rank: Option<u32>| rank.is_some_and(|rank| rank <= gated.k);
        let scored = |(_, after): &(&CaseOutcome, &CaseResult)| !after.targets().is_empty() && inside(after);
        let flips = comparison.pairs.iter().filter_map(|pair| pair.sides()).filter(scored).fold(
            Self::default(),
            |sum, (before, after)| {
                let (before, after) = (hit(before.rank), hit(after.rank));
                Self {
                    lost: sum.lost + u64::from(before && !after),
                    won: sum.won + u64::from(!before && after),
                    of: sum.of + 1,
                }
            },
        );
        Some(flips)
    }

    fn beyond(self, what: String, tolerance: Decimal) -> Option<Reason> {
        let allowed = tolerance.floor_of(self.of);
        let beyond = self.lost > self.won && self.lost - self.won > allowed;
        beyond.then_some(Reason::LostNet { what, lost: self.lost, won: self.won, of: self.of, allowed })
    }
}

/// For a baseline that knows only its counts: the net loss is their difference.
fn lost_by_figures(comparison: &Comparison, gated: Gated, policy: &Policy) -> Option<Reason> {
    let delta = comparison.delta(gated.key)?;
    let (before, after) = (delta.before?.count?, delta.after?.count?);
    let flips =
        Flips { lost: before.saturating_sub(after), won: after.saturating_sub(before), of: delta.after?.of };
    let gross = policy.max_lost.filter(|allowed| flips.lost > *allowed);
    let gross =
        gross.map(|allowed| Reason::LostGross { what: gated.name.to_owned(), lost: flips.lost, allowed });
    flips.beyond(gated.name.to_owned(), policy.tolerance).or(gross)
}
