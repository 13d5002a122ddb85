//! The verdict: the first rule that applies wins, and every reason is a sentence.

use std::fmt;

use jiff::civil::Date;
use serde_json::json;

use super::compare::active;
use super::{Comparison, Decimal, Gated, Policy, SegmentRule};
use crate::artifact::{Baseline, CaseOutcome, CaseResult, Measurement, SuiteResult};
use crate::error::{Blame, Blamed};
use crate::exit::Exit;
use crate::metric::{Figure, Figures, State, by_name};
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
        }
    }
}

/// Why the verdict is what it is. `Display` is the sentence for the reader, without a full stop.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// A critical case is not found.
    Critical(CaseId),
    /// A figure is below its floor.
    BelowFloor {
        /// As people write it.
        metric: &'static str,
        /// The result's figure.
        figure: Figure,
        /// The floor.
        floor: Decimal,
    },
    /// Something of the measurement differs that makes figures incomparable.
    Differs {
        /// What.
        what: &'static str,
        /// The baseline's.
        before: String,
        /// The result's.
        after: String,
    },
    /// A rule needs per-case outcomes that a version 1 baseline does not have.
    NeedsCases(SegmentRule),
    /// The suite is another one than the approved.
    SuiteEdited {
        /// Cases that were edited.
        edited: usize,
        /// Cases that are new.
        added: usize,
        /// Cases that are gone.
        removed: usize,
    },
    /// The pair has a baseline and is no longer configured.
    PairGone,
    /// More cases were lost net than allowed.
    LostNet {
        /// The gated figure, with its segment if the rule is about one.
        what: String,
        /// Found before, not now.
        lost: u64,
        /// Found now, not before.
        won: u64,
        /// Comparable scored cases.
        of: u64,
        /// How many may be lost net.
        allowed: u64,
    },
    /// More cases were lost than `max-lost`.
    LostGross {
        /// The gated figure.
        what: String,
        /// Found before, not now.
        lost: u64,
        /// `max-lost`.
        allowed: u64,
    },
    /// No baseline yet.
    FirstRun {
        /// `require-baseline` makes that a failure.
        required: bool,
    },
    /// Nothing gated fell beyond what is allowed.
    Holds {
        /// Lost cases.
        lost: usize,
        /// Won cases.
        won: usize,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Critical(id) => write!(
                f,
                "critical case {id} is not among the first three; no approval lifts this, only a change of the suite does"
            ),
            Self::BelowFloor { metric, figure, floor } => match (figure.value, figure.count) {
                (None, _) => write!(f, "{metric} has a floor of {floor}, but no case asks for it"),
                (Some(value), Some(count)) => {
                    write!(f, "{metric} is {value:.3} ({count} of {}), below its floor of {floor}", figure.of)
                }
                (Some(value), None) => write!(f, "{metric} is {value:.3}, below its floor of {floor}"),
            },
            Self::Differs { what, before, after } => {
                write!(f, "{what}: the baseline has {before}, this run {after}")
            }
            Self::NeedsCases(rule) => write!(
                f,
                "the rule for {} = {} needs outcomes per case, which this version 1 baseline does not have",
                rule.key, rule.value
            ),
            Self::SuiteEdited { edited, added, removed } => {
                write!(f, "the suite changed: {edited} edited, {added} added, {removed} removed")
            }
            Self::PairGone => {
                f.write_str("there is an approved baseline, but the pair is no longer configured")
            }
            Self::LostNet { what, lost, won, of, allowed } => {
                write!(
                    f,
                    "{what}: {lost} lost, {won} won of {of} comparable cases; {allowed} may be lost net"
                )
            }
            Self::LostGross { what, lost, allowed } => {
                write!(f, "{what}: {lost} lost; max-lost allows {allowed}")
            }
            Self::FirstRun { required: false } => f.write_str("there is no approved baseline yet"),
            Self::FirstRun { required: true } => {
                f.write_str("there is no approved baseline yet, and require-baseline asks for one")
            }
            Self::Holds { lost: 0, won: 0 } => f.write_str("no case was lost"),
            Self::Holds { lost, won } => write!(f, "{lost} lost, {won} won, within what is allowed"),
        }
    }
}

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
    /// Recording this result would make a gate that cannot fail.
    NothingToLose,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RetrieverMoved { what, before, after } => write!(f, "{what}: {before} → {after}"),
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
            Self::NothingToLose => {
                f.write_str("no case is found, so a baseline of this result could never be lost: fix the suite or the retriever first")
            }
        }
    }
}

fn plural(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn list(items: &[impl ToString]) -> String {
    let shown: Vec<_> = items.iter().take(10).map(ToString::to_string).collect();
    let more = items.len().saturating_sub(shown.len());
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
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
    /// Whatever happens, the gate would pass.
    #[error("the gate cannot fail: {0}")]
    CannotFail(String),
    /// There is nothing to judge.
    #[error("could not be measured: {0}")]
    NotMeasured(String),
}

impl Blamed for Unjudgeable {
    fn blame(&self) -> Blame {
        match self {
            Self::OtherSuite { .. } | Self::CannotFail(_) => Blame::User,
            Self::NotMeasured(_) => Blame::Environment,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::OtherSuite { .. } => {
                    "compare with the baseline of this suite, or remove the old one and approve the new suite"
                }
                Self::CannotFail(_) => {
                    "lower the tolerance, or give the suite cases that the retriever finds"
                }
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

/// Judges a result against the baseline of its base, if there is one, by the base's policy, on a day (UTC).
pub fn judge(
    result: &SuiteResult,
    baseline: Option<&Baseline>,
    policy: &Policy,
    today: Date,
) -> Result<Judgement, Unjudgeable> {
    can_be_judged(result, baseline, policy, today)?;
    let figures = Figures::over(active(result, today).map(|case| &case.figures));
    let comparison = baseline.map(|baseline| Comparison::new(result, baseline, today));
    let rules: [&dyn Fn() -> (Verdict, Vec<Reason>); 5] = [
        &|| (Verdict::Regressed, absolute(result, &figures, policy, today)),
        &|| (Verdict::NoBaseline, first_run(baseline, policy)),
        &|| {
            (
                Verdict::NotComparable,
                baseline.map_or_else(Vec::new, |baseline| incomparable(result, baseline, policy)),
            )
        },
        &|| (Verdict::SuiteChanged, changed(result, baseline, comparison.as_ref())),
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
    policy: &Policy,
    today: Date,
) -> Result<(), Unjudgeable> {
    if let Some(baseline) = baseline.filter(|it| it.document_name != result.measurement.suite.document_name) {
        return Err(Unjudgeable::OtherSuite {
            before: baseline.document_name.clone(),
            after: result.measurement.suite.document_name.clone(),
        });
    }
    let cannot_fail = |why: String| Err(Unjudgeable::CannotFail(why));
    let scored: Vec<_> = active(result, today).filter(|case| !case.targets().is_empty()).collect();
    if scored.is_empty() {
        let why = if result.counts.scored == 0 {
            "the suite has no scored case"
        } else {
            "every scored case is quarantined"
        };
        return cannot_fail(why.into());
    }
    if let Some(baseline) = baseline {
        for gated in &policy.metrics {
            let Some(hits) = baseline.metrics.get(gated.key).and_then(|figure| figure.count) else {
                continue;
            };
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
        if !scored.iter().any(|case| case.segments.get(&rule.key) == Some(&rule.value)) {
            return cannot_fail(format!(
                "no scored case has {} = {}, which the gate has a rule for",
                rule.key, rule.value
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

/// What holds without a baseline: critical cases and floors.
fn absolute(result: &SuiteResult, figures: &Figures, policy: &Policy, today: Date) -> Vec<Reason> {
    let critical = active(result, today)
        .filter(|case| case.critical && !case.targets().is_empty() && case.state != State::Found)
        .map(|case| Reason::Critical(case.id.clone()));
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
    critical.chain(floors).collect()
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
fn incomparable(result: &SuiteResult, baseline: &Baseline, policy: &Policy) -> Vec<Reason> {
    let Some(before) = &baseline.measurement else {
        return policy.segments.iter().cloned().map(Reason::NeedsCases).collect();
    };
    let after = &result.measurement;
    let row = |what, before: &dyn fmt::Display, after: &dyn fmt::Display| {
        let (before, after) = (before.to_string(), after.to_string());
        (before != after).then_some(Reason::Differs { what, before, after })
    };
    [
        row("retriever", &before.retriever.name, &after.retriever.name),
        row("kind of the retriever", &before.retriever.kind, &after.retriever.kind),
        row("fetch (hits asked for)", &before.fetch, &after.fetch),
        row("limit (hits kept)", &before.limit, &after.limit),
        row("version of the metric definitions", &before.definitions, &after.definitions),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What makes it another question.
fn changed(
    result: &SuiteResult,
    baseline: Option<&Baseline>,
    comparison: Option<&Comparison>,
) -> Vec<Reason> {
    let (Some(baseline), Some(comparison)) = (baseline, comparison) else { return vec![] };
    let mut reasons = Vec::new();
    if baseline.suite_hash != result.measurement.suite.content_hash {
        let count = |link| comparison.linked(link).count();
        reasons.push(Reason::SuiteEdited {
            edited: count(super::Link::Edited),
            added: count(super::Link::Added),
            removed: count(super::Link::Removed),
        });
    }
    if let Some(before) = &baseline.measurement {
        let after = &result.measurement;
        reasons.extend(rule_changes(before, after));
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

/// What was lost beyond what is allowed.
fn lost(comparison: &Comparison, policy: &Policy) -> Vec<Reason> {
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
            let inside = |case: &CaseResult| case.segments.get(&rule.key) == Some(&rule.value);
            let flips = Flips::over(comparison, *gated, inside).unwrap_or_default();
            reasons.extend(
                flips.beyond(format!("{} for {} = {}", gated.name, rule.key, rule.value), rule.tolerance),
            );
        }
    }
    reasons
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

fn holds(comparison: Option<&Comparison>) -> Reason {
    let count = |change| comparison.map_or(0, |comparison| comparison.changed(change).count());
    Reason::Holds { lost: count(super::Change::Lost), won: count(super::Change::Won) }
}

fn notices(
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
