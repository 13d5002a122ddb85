//! The verdict: the first rule that applies wins, and every reason is a sentence.

use std::fmt;

use jiff::civil::Date;
use serde_json::json;

use super::compare::active;
use super::flips::{all_may_be_lost, lost, lost_too};
use super::notice::{notices, plural};
use super::{CasePair, Change, Comparison, Gated, Link, Notice, Policy, Reason};
use crate::artifact::{Baseline, CaseOutcome, Measurement, SuiteResult};
use crate::error::{Blame, Blamed};
use crate::exit::Exit;
use crate::metric::{Figures, State, by_name};
use crate::suite::CaseId;

/// What the gate says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The ranking holds.
    Pass,
    /// It does not.
    Regressed,
    /// The question changed, and no approval covers it.
    SuiteChanged,
    /// There is nothing to compare with yet.
    NoBaseline,
    /// The baseline was measured in another way.
    NotComparable,
    /// Nothing was held against it: what was approved is not known where it was measured.
    Measured,
}

impl Verdict {
    /// The word artifacts and reports use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Regressed => "regressed",
            Self::SuiteChanged => "suite-changed",
            Self::NoBaseline => "no-baseline",
            Self::NotComparable => "not-comparable",
            Self::Measured => "measured",
        }
    }
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unjudgeable {
    /// The baseline belongs to another suite.
    #[error(
        "the baseline was approved for the suite document `{before}`, but this suite calls itself `{after}`"
    )]
    OtherSuite {
        /// The baseline's.
        before: String,
        /// The result's.
        after: String,
    },
    /// Both files name the same suite and hold different cases: one of them was not made by measuring.
    #[error("baseline and result name the same suite by its hash, but differ in case {case}: {what}")]
    NotThatSuite {
        /// The first case in which they differ.
        case: CaseId,
        /// In what.
        what: &'static str,
    },
    /// Whatever happens, the gate would pass.
    #[error("the gate cannot fail: {0}")]
    CannotFail(String),
    /// No case could be lost.
    #[error("the gate cannot fail: {why}")]
    NothingScored {
        /// What the suite lacks.
        why: &'static str,
        /// What to do about it.
        next: &'static str,
    },
    /// There is nothing to judge.
    #[error("could not be measured: {0}")]
    NotMeasured(String),
}

impl Blamed for Unjudgeable {
    fn blame(&self) -> Blame {
        match self {
            Self::OtherSuite { .. }
            | Self::NotThatSuite { .. }
            | Self::CannotFail(_)
            | Self::NothingScored { .. } => Blame::User,
            Self::NotMeasured(_) => Blame::Environment,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::OtherSuite { .. } => {
                    "compare with the baseline of this suite, or remove the old one and approve the new suite"
                }
                Self::NotThatSuite { .. } => {
                    "measure anew with `rankhold run`, and restore the baseline from version control"
                }
                Self::CannotFail(_) => {
                    "lower the tolerance, or give the suite cases that the retriever finds"
                }
                Self::NothingScored { next, .. } => next,
                Self::NotMeasured(_) => "run `rankhold doctor`; the log above says what each query met",
            }
            .to_owned(),
        )
    }
}

/// Verdict, reasons, and what it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// What the gate says.
    pub verdict: Verdict,
    /// Why; at least one.
    pub reasons: Vec<Reason>,
    /// What else the reader should know.
    pub notices: Vec<Notice>,
    /// The comparison, if there was something to compare with.
    pub comparison: Option<Comparison>,
    /// The result's figures without the cases that are set aside.
    pub figures: Figures,
    /// The day that decided about quarantines.
    pub today: Date,
    /// How the process ends for this pair.
    pub exit: Exit,
}

impl Judgement {
    /// Without a baseline, since nobody knows here whether there is one: that is not the same as none.
    #[must_use]
    pub fn with_baseline_unknown(mut self) -> Self {
        if self.verdict == Verdict::NoBaseline {
            (self.verdict, self.reasons, self.exit) =
                (Verdict::Measured, vec![Reason::BaselineUnknown], Exit::Pass);
        }
        self
    }

    /// Fails closed for a reason that lies outside the figures. A verdict that fails already keeps its own, with this one
    /// beside them.
    pub fn hold(&mut self, reason: Reason) {
        if self.exit == Exit::Pass {
            self.verdict = Verdict::SuiteChanged;
            self.exit = Exit::Held;
            self.reasons.clear();
        }
        self.reasons.push(reason);
    }
}

/// Judges a result against the baseline of its base, if there is one, by the base's policy, on a day (UTC).
pub fn judge(
    result: &SuiteResult,
    baseline: Option<&Baseline>,
    policy: &Policy,
    today: Date,
) -> Result<Judgement, Unjudgeable> {
    let comparison = baseline.map(|baseline| Comparison::new(result, baseline, today));
    can_be_judged(result, baseline, comparison.as_ref(), policy, today)?;
    let figures = Figures::over(active(result, today).map(|case| &case.figures));
    let rules: [&dyn Fn() -> (Verdict, Vec<Reason>); 5] = [
        &|| (Verdict::Regressed, absolute(result, &figures, policy, today)),
        &|| (Verdict::NoBaseline, first_run(baseline, policy)),
        &|| {
            (
                Verdict::NotComparable,
                baseline.map_or_else(Vec::new, |baseline| {
                    incomparable(result, baseline, comparison.as_ref(), policy)
                }),
            )
        },
        &|| (Verdict::SuiteChanged, changed(result, baseline, comparison.as_ref(), policy)),
        &|| {
            (
                Verdict::Regressed,
                comparison.as_ref().map_or_else(Vec::new, |comparison| lost(comparison, policy)),
            )
        },
    ];
    let (verdict, reasons) = rules
        .into_iter()
        .map(|rule| rule())
        .find(|(_, reasons)| !reasons.is_empty())
        .unwrap_or_else(|| (Verdict::Pass, vec![holds(comparison.as_ref())]));
    let exit = match verdict {
        Verdict::Pass => Exit::Pass,
        Verdict::NoBaseline if !policy.require_baseline => Exit::Pass,
        _ => Exit::Held,
    };
    let notices = notices(result, baseline, comparison.as_ref(), policy, today);
    Ok(Judgement { verdict, reasons, notices, comparison, figures, today, exit })
}

/// Whether there is anything to judge, and anything that could fail.
fn can_be_judged(
    result: &SuiteResult,
    baseline: Option<&Baseline>,
    comparison: Option<&Comparison>,
    policy: &Policy,
    today: Date,
) -> Result<(), Unjudgeable> {
    if let Some(baseline) = baseline.filter(|it| it.document_name != result.measurement.suite.document_name) {
        return Err(Unjudgeable::OtherSuite {
            before: baseline.document_name.clone(),
            after: result.measurement.suite.document_name.clone(),
        });
    }
    if let Some((baseline, comparison)) = baseline.zip(comparison) {
        same_suite(result, baseline, comparison)?;
    }
    let cannot_fail = |why: String| Err(Unjudgeable::CannotFail(why));
    let scored: Vec<_> = active(result, today).filter(|case| !case.targets().is_empty()).collect();
    if scored.is_empty() {
        return Err(if result.counts.scored == 0 {
            Unjudgeable::NothingScored {
                why: "the suite has no scored case",
                next: "give its cases targets: metadata.expectedTargets in the file, `rankhold suite add … --target PATH`, \
                       or the column `targets` of an imported table",
            }
        } else {
            Unjudgeable::NothingScored {
                why: "every scored case is quarantined",
                next: "take one out of quarantine, or add a case that is not",
            }
        });
    }
    if let Some(baseline) = baseline {
        for gated in &policy.metrics {
            let Some(hits) = hits_that_count(baseline, *gated, today) else { continue };
            let allowed = policy.tolerance.floor_of(scored.len() as u64);
            if allowed >= hits {
                return cannot_fail(format!(
                    "the baseline has {hits} {} hits, and a tolerance of {} lets {allowed} of {} be lost",
                    gated.name,
                    policy.tolerance,
                    scored.len()
                ));
            }
        }
    }
    for rule in &policy.segments {
        if !scored.iter().any(|case| rule.holds(case)) {
            return cannot_fail(format!(
                "no scored case has {} = {}, which the gate has a rule for",
                rule.key, rule.value
            ));
        }
        // Of another suite there is more to say than this.
        let same = baseline.is_some_and(|it| it.suite_hash == result.measurement.suite.content_hash);
        let Some(comparison) = comparison.filter(|_| same) else { continue };
        // One gated figure by which the segment can fail is enough.
        let vain: Option<Vec<_>> =
            policy.metrics.iter().map(|gated| all_may_be_lost(comparison, *gated, rule)).collect();
        if let Some((hits, allowed)) = vain.and_then(|of_each| of_each.first().copied()) {
            return cannot_fail(format!(
                "with {} = {} the baseline has {hits} hits, and a tolerance of {} lets {allowed} be lost",
                rule.key, rule.value, rule.tolerance
            ));
        }
    }
    let not_measured = |why: String| Err(Unjudgeable::NotMeasured(why));
    if result.measurement.corpus.file_count == 0 {
        return not_measured("the corpus is empty".into());
    }
    let failed = active(result, today).filter(|case| case.state == State::Failed).count() as u64;
    if failed > policy.max_failed {
        return not_measured(format!(
            "{} failed, max-failed allows {}",
            plural(failed, "case"),
            policy.max_failed
        ));
    }
    if !scored.iter().any(|case| case.hit_count() > 0) {
        return not_measured(
            "no scored case got a single hit; an index that is empty would look like this".into(),
        );
    }
    Ok(())
}

/// A suite's hash stands for its cases: where it is the same on both sides, so are they.
fn same_suite(result: &SuiteResult, baseline: &Baseline, comparison: &Comparison) -> Result<(), Unjudgeable> {
    if baseline.suite_hash != result.measurement.suite.content_hash {
        return Ok(());
    }
    let quarantines = |pair: &CasePair| {
        let before = pair.before.as_ref().map(|case| &case.quarantined);
        before == pair.after.as_ref().map(|case| &case.quarantined)
    };
    let differs = |pair: &CasePair| match pair.link {
        Link::Same if quarantines(pair) => None,
        Link::Same => Some("its quarantine"),
        Link::Edited => Some("what is asked"),
        Link::Renamed => Some("its id"),
        Link::Removed => Some("only the baseline has it"),
        Link::Added => Some("only the result has it"),
    };
    match comparison.pairs.iter().find_map(|pair| Some((pair.id(), differs(pair)?))) {
        Some((case, what)) => Err(Unjudgeable::NotThatSuite { case: case.clone(), what }),
        None => Ok(()),
    }
}

/// The baseline's hits that can be lost today: those of cases that no quarantine sets aside.
fn hits_that_count(baseline: &Baseline, gated: Gated, today: Date) -> Option<u64> {
    let Some(cases) = &baseline.cases else { return baseline.metrics.get(gated.key)?.count };
    let counts = |case: &&CaseOutcome| {
        let aside = case.quarantined.as_ref().is_some_and(|quarantine| quarantine.holds(today));
        !aside && case.rank.is_some_and(|rank| rank <= gated.k)
    };
    Some(cases.iter().filter(counts).count() as u64)
}

/// What holds without a baseline: critical cases and floors.
fn absolute(result: &SuiteResult, figures: &Figures, policy: &Policy, today: Date) -> Vec<Reason> {
    let critical = active(result, today)
        .filter(|case| case.critical && !case.targets().is_empty() && case.state != State::Found)
        .map(|case| Reason::Critical(case.id.clone()));
    critical.chain(floors_of(figures, policy)).collect()
}

/// The floors that these figures are below.
pub fn floors_of(figures: &Figures, policy: &Policy) -> Vec<Reason> {
    let floors = policy.floors.iter().filter_map(|(key, floor)| {
        let figure = *figures.get(key)?;
        let reached = match (figure.value, figure.count) {
            (None, _) => false,
            (Some(_), Some(count)) => floor.is_reached_by(count, figure.of),
            (Some(value), None) => floor.is_reached_by(millionths(value), 1_000_000),
        };
        (!reached).then(|| Reason::BelowFloor {
            metric: by_name(key).map_or("", |metric| metric.name()),
            figure,
            floor: *floor,
        })
    });
    floors.collect()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "figures are finite and not negative"
)]
fn millionths(value: f64) -> u64 {
    (value * 1e6).round() as u64
}

fn first_run(baseline: Option<&Baseline>, policy: &Policy) -> Vec<Reason> {
    if baseline.is_some() { vec![] } else { vec![Reason::FirstRun { required: policy.require_baseline }] }
}

/// What makes figures incomparable.
fn incomparable(
    result: &SuiteResult,
    baseline: &Baseline,
    comparison: Option<&Comparison>,
    policy: &Policy,
) -> Vec<Reason> {
    let unknown = policy.metrics.iter().filter(|gated| baseline.metrics.get(gated.key).is_none());
    let mut reasons: Vec<_> = unknown.map(|gated| Reason::NeedsFigure(gated.name)).collect();
    let Some(before) = &baseline.measurement else {
        reasons.extend(policy.segments.iter().cloned().map(Reason::NeedsCases));
        // Without cases, counts can only be compared over as many. (Of another suite the next rule says more.)
        let same = baseline.suite_hash == result.measurement.suite.content_hash;
        let comparison = comparison.filter(|_| same);
        let deltas = policy.metrics.iter().filter_map(|gated| comparison?.delta(gated.key));
        let sizes = deltas.filter_map(|delta| Some((delta.before?.of, delta.after?.of)));
        reasons.extend(sizes.filter(|(before, after)| before != after).take(1).map(|(before, after)| {
            Reason::Differs {
                what: "number of scored cases, which is all that a version 1 baseline knows of them",
                before: before.to_string(),
                after: after.to_string(),
            }
        }));
        return reasons;
    };
    let after = &result.measurement;
    let row = |what, before: &dyn fmt::Display, after: &dyn fmt::Display| {
        let (before, after) = (before.to_string(), after.to_string());
        (before != after).then_some(Reason::Differs { what, before, after })
    };
    let rows = [
        row("retriever", &before.retriever.name, &after.retriever.name),
        row("kind of the retriever", &before.retriever.kind, &after.retriever.kind),
        row("fetch (hits asked for)", &before.fetch, &after.fetch),
        row("limit (hits kept)", &before.limit, &after.limit),
        row("version of the metric definitions", &before.definitions, &after.definitions),
    ];
    reasons.extend(rows.into_iter().flatten());
    reasons
}

/// What makes it another question.
fn changed(
    result: &SuiteResult,
    baseline: Option<&Baseline>,
    comparison: Option<&Comparison>,
    policy: &Policy,
) -> Vec<Reason> {
    let (Some(baseline), Some(comparison)) = (baseline, comparison) else { return vec![] };
    let mut reasons = Vec::new();
    if baseline.suite_hash != result.measurement.suite.content_hash {
        let count = |link| comparison.linked(link).count();
        reasons.push(Reason::SuiteEdited {
            edited: count(Link::Edited),
            added: count(Link::Added),
            removed: count(Link::Removed),
        });
    }
    if let Some(before) = &baseline.measurement {
        let after = &result.measurement;
        reasons.extend(rule_changes(before, after));
    }
    if !reasons.is_empty() {
        reasons.extend(lost_too(comparison, policy));
    }
    reasons
}

fn rule_changes(before: &Measurement, after: &Measurement) -> Vec<Reason> {
    let (old, new) = (&before.corpus.rules, &after.corpus.rules);
    let rows = [
        ("match", json!(before.match_mode), json!(after.match_mode)),
        ("corpus include", json!(old.include), json!(new.include)),
        ("corpus exclude", json!(old.exclude), json!(new.exclude)),
        ("corpus max-file-bytes", json!(old.max_file_bytes), json!(new.max_file_bytes)),
        ("corpus entities", json!(old.entities), json!(new.entities)),
    ];
    rows.into_iter()
        .filter(|(_, before, after)| before != after)
        .map(|(what, before, after)| Reason::Differs {
            what,
            before: before.to_string(),
            after: after.to_string(),
        })
        .collect()
}

fn holds(comparison: Option<&Comparison>) -> Reason {
    if comparison.is_some_and(|comparison| !comparison.by_case) {
        return Reason::HoldsByCount;
    }
    let count = |change| comparison.map_or(0, |comparison| comparison.changed(change).count());
    Reason::Holds { lost: count(Change::Lost), won: count(Change::Won) }
}
