//! What the reader should know beside the verdict.

use std::fmt;

use jiff::civil::Date;

use super::compare::active;
use super::{Change, Comparison, Policy};
use crate::artifact::{Baseline, CaseResult, Measurement, SuiteResult};
use crate::metric::State;
use crate::name::Name;
use crate::suite::CaseId;

/// What the reader should know beside the verdict.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// Version, model or configuration of the retriever moved: what the gate is there to judge.
    RetrieverMoved {
        /// What of it.
        what: &'static str,
        /// The baseline's.
        before: String,
        /// The result's.
        after: String,
    },
    /// The result is better than the baseline; so much could be lost again unseen.
    Headroom {
        /// Cases.
        cases: u64,
    },
    /// Cases whose place at the cut-off depends on how a tie is broken.
    TieAtCutoff(Vec<CaseId>),
    /// Cases left out by quarantine, with the last day.
    SetAside(Vec<(CaseId, Date)>),
    /// Cases that the retriever failed, within what is allowed.
    Failed(Vec<CaseId>),
    /// Hits on paths that are not in the corpus.
    UnknownPaths(u64),
    /// Cases that have neither targets nor `expectNoResult`.
    Unscored(u64),
    /// A version 1 baseline: retriever, corpus rules and cases are unknown.
    OldFormat,
    /// Cases whose targets are not in the corpus: no retriever could find them.
    TargetsGone(Vec<(CaseId, Name)>),
    /// A stranger measured it, with a retriever that is not ours.
    Claimed,
    /// The baseline is the pull request's own file, which the repository's policy trusts.
    TrustedFile,
    /// The baseline is not the base's but one that a comment of the pull request approved: by whom.
    ApprovedHere(String),
    /// The baseline is not the base's file but what was approved in a merged pull request, and has no file yet.
    Waits {
        /// By whom.
        by: String,
        /// The pull request.
        pull: u64,
    },
    /// Recording this result would make a gate that cannot fail.
    NothingToLose,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RetrieverMoved { what, before, after } => write!(f, "{what}: {before} → {after}"),
            Self::TrustedFile => f.write_str(
                "compared with the baseline file of this pull request: `mode = \"file\"` of the base trusts it as it is",
            ),
            Self::ApprovedHere(by) => {
                write!(f, "compared with the figures that {by} approved in this pull request")
            }
            Self::Waits { by, pull } => write!(
                f,
                "compared with the figures that {by} approved in pull request {pull}, whose file the branch has not yet"
            ),
            Self::Claimed => f.write_str(
                "these rankings were measured where the author of the pull request could have written anything: a claim, \
                 recomputed and not proved",
            ),
            Self::Headroom { cases: 1 } => {
                f.write_str("better than the baseline: one case could be lost again unseen until this is approved")
            }
            Self::Headroom { cases } => {
                write!(f, "better than the baseline: {cases} cases could be lost again unseen until this is approved")
            }
            Self::TieAtCutoff(ids) => {
                write!(f, "a tie across rank 3 and 4 decides {}: {}", plural(ids.len(), "case"), list(ids))
            }
            Self::SetAside(cases) => {
                let cases: Vec<_> = cases.iter().map(|(id, until)| format!("{id} (until {until})")).collect();
                write!(f, "set aside by quarantine: {}", list(&cases))
            }
            Self::Failed(ids) => {
                write!(f, "{} failed and count as missed: {}", plural(ids.len(), "case"), list(ids))
            }
            Self::UnknownPaths(1) => f.write_str("one hit names a path that is not in the corpus; it matches nothing"),
            Self::UnknownPaths(count) => {
                write!(f, "{count} hits name paths that are not in the corpus; they match nothing")
            }
            Self::Unscored(count) => {
                write!(f, "{} without targets and without expectNoResult: not scored", plural(*count, "case"))
            }
            Self::OldFormat => f.write_str(
                "the baseline has format version 1, which names neither retriever nor cases: only its figures are \
                 compared; approve anew to judge case by case",
            ),
            Self::TargetsGone(cases) => write!(
                f,
                "{} for targets that are not in the tree, so no retriever can find them ({})",
                if cases.len() == 1 { "1 case asks".to_owned() } else { format!("{} cases ask", cases.len()) },
                cases_and_targets(cases)
            ),
            Self::NothingToLose => {
                f.write_str("no case is found, so a baseline of this result could never be lost: fix the suite or the retriever first")
            }
        }
    }
}

pub(super) fn plural(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn list(items: &[impl ToString]) -> String {
    let shown: Vec<_> = items.iter().take(10).map(ToString::to_string).collect();
    let more = items.len().saturating_sub(shown.len());
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}

/// `hive: docs/bees.md, …`
pub(super) fn cases_and_targets(cases: &[(CaseId, Name)]) -> String {
    list(&cases.iter().map(|(id, target)| format!("{id}: {target}")).collect::<Vec<_>>())
}

/// The cases none of whose targets is in the corpus, with the first target of each.
pub(super) fn targets_gone<'a>(cases: impl Iterator<Item = &'a CaseResult>) -> Vec<(CaseId, Name)> {
    let gone = cases.filter(|case| case.asks_for_nothing());
    gone.map(|case| (case.id.clone(), case.targets()[0].clone())).collect()
}

/// Everything to know about this run beside its verdict.
pub(super) fn notices(
    result: &SuiteResult,
    baseline: Option<&Baseline>,
    comparison: Option<&Comparison>,
    policy: &Policy,
    today: Date,
) -> Vec<Notice> {
    let mut notices = Vec::new();
    match baseline.map(|baseline| baseline.measurement.as_ref()) {
        Some(None) => notices.push(Notice::OldFormat),
        Some(Some(before)) => notices.extend(moved(before, &result.measurement)),
        None => {}
    }
    if let Some(comparison) = comparison {
        let headroom = policy.metrics.iter().filter_map(|gated| {
            let delta = comparison.delta(gated.key)?;
            delta.after?.count?.checked_sub(delta.before?.count?)
        });
        if let Some(cases) = headroom.max().filter(|cases| *cases > 0) {
            notices.push(Notice::Headroom { cases });
        }
    }
    let ids = |keep: &dyn Fn(&CaseResult) -> bool| -> Vec<CaseId> {
        active(result, today).filter(|case| keep(case)).map(|case| case.id.clone()).collect()
    };
    let tied = ids(&tie_at_cutoff);
    if !tied.is_empty() {
        notices.push(Notice::TieAtCutoff(tied));
    }
    let set_aside: Vec<_> = result
        .cases
        .iter()
        .filter_map(|case| {
            Some((case.id.clone(), case.quarantined.as_ref().filter(|it| it.holds(today))?.until))
        })
        .collect();
    if !set_aside.is_empty() {
        notices.push(Notice::SetAside(set_aside));
    }
    let failed = ids(&|case| case.state == State::Failed);
    if !failed.is_empty() {
        notices.push(Notice::Failed(failed));
    }
    if result.counts.unknown_paths > 0 {
        notices.push(Notice::UnknownPaths(result.counts.unknown_paths));
    }
    let lost =
        |id: &CaseId| comparison.is_some_and(|it| it.changed(Change::Lost).any(|pair| pair.id() == id));
    let gone: Vec<_> = targets_gone(active(result, today)).into_iter().filter(|(id, _)| !lost(id)).collect();
    if !gone.is_empty() {
        notices.push(Notice::TargetsGone(gone));
    }
    if result.counts.unscored > 0 {
        notices.push(Notice::Unscored(result.counts.unscored));
    }
    if !active(result, today).any(|case| case.state == State::Found) {
        notices.push(Notice::NothingToLose);
    }
    notices
}

/// The first right hit shares its score with hits on the other side of rank 3.
fn tie_at_cutoff(case: &CaseResult) -> bool {
    let answer = case.answer();
    let hits = answer.hits();
    let tie = |rank: usize| hits.get(rank - 1).map(|hit| hit.tie);
    let across = tie(3).is_some() && tie(3) == tie(4);
    across && case.rank.is_some_and(|rank| tie(rank as usize) == tie(3))
}

fn moved(before: &Measurement, after: &Measurement) -> Vec<Notice> {
    let (old, new) = (&before.retriever, &after.retriever);
    let name = |model: &Option<String>| model.clone().unwrap_or_else(|| "none".into());
    let rows = [
        ("version of the retriever", old.version.clone(), new.version.clone()),
        ("model", name(&old.model), name(&new.model)),
        ("configuration of the retriever", old.config_hash.short(12), new.config_hash.short(12)),
    ];
    rows.into_iter()
        .filter(|(_, before, after)| before != after)
        .map(|(what, before, after)| Notice::RetrieverMoved { what, before, after })
        .collect()
}
