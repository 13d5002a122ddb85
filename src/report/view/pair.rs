//! One pair: its verdict first, then the evidence.

use serde::Serialize;

use super::case::crossed;
use super::{
    ApprovalView, CaseView, CommandsView, CountsView, FigureView, GateView, IdentityView, Omitted,
    SegmentView, identity, segment, words,
};
use crate::artifact::{Baseline, CaseResult, SuiteResult};
use crate::exit::Exit;
use crate::gate::{Change, Comparison, Judgement, Link, Notice, Policy, Reason, Verdict};
use crate::metric::State;
use crate::report::commands::{Commands, line};
use crate::report::{Outcome, PairReport};

/// One suite with one retriever.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PairView {
    /// Suite name.
    pub suite: String,
    /// Retriever name.
    pub retriever: String,
    /// The verdict's word; null if there is none.
    pub verdict: Option<&'static str>,
    /// The verdict's word, `not-measured` or `unusable`.
    pub word: &'static str,
    /// How the process would end for this pair alone.
    pub exit: u8,
    /// Why the verdict is what it is.
    pub reasons: Vec<String>,
    /// What to do about it.
    pub advice: Option<String>,
    /// Why there is no verdict.
    pub problem: Option<ProblemView>,
    /// The figures the gate judges by.
    pub gate: Vec<GateView>,
    /// Cases, counted.
    pub counts: CountsView,
    /// Cases that were found and are not, or fell out of a gated figure.
    pub lost: Vec<CaseView>,
    /// The reverse.
    pub won: Vec<CaseView>,
    /// Every figure.
    pub figures: Vec<FigureView>,
    /// Figures by segment, changed ones first.
    pub segments: Vec<SegmentView>,
    /// What else to know.
    pub notices: Vec<String>,
    /// Small print: what the flips say about queries like these.
    pub evidence: Vec<String>,
    /// Scored cases that are not found, lost ones apart.
    pub missed: Vec<CaseView>,
    /// Cases whose question is another one than the approved.
    pub edited: Vec<CaseView>,
    /// Cases that the baseline does not have.
    pub added: Vec<CaseView>,
    /// Cases that only the baseline has.
    pub removed: Vec<CaseView>,
    /// What was measured with what.
    pub identity: Vec<IdentityView>,
    /// Who approved the baseline.
    pub approval: Option<ApprovalView>,
    /// What to type.
    pub commands: CommandsView,
    /// The day (UTC) that decided about quarantines.
    pub today: Option<String>,
    /// It has a section of its own; without it, for want of room, only a row in the table of pairs.
    pub section: bool,
    /// Rows left out for want of room.
    pub omitted: Omitted,
    /// What the headline should not pass over.
    #[serde(skip)]
    pub(in crate::report) situation: Situation,
}

/// What a verdict's word alone does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::report) enum Situation {
    /// Nothing.
    #[default]
    Plain,
    /// The suite changed, and cases that did not change were lost beyond what is allowed.
    LostToo,
    /// Every lost case asks only for what is gone from the tree.
    Stale,
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProblemView {
    /// What happened.
    pub message: String,
    /// The next step.
    pub hint: Option<String>,
}

impl PairView {
    pub(super) fn new(pair: &PairReport<'_>, policy: &Policy) -> Self {
        let mut view = Self::named(pair);
        match &pair.outcome {
            Outcome::Judged { result, baseline, judgement, .. } => {
                view.judged(result, *baseline, judgement, policy, &pair.commands);
            }
            Outcome::Unjudged { message, hint, .. } => {
                view.problem = Some(ProblemView { message: message.clone(), hint: hint.clone() });
            }
            Outcome::Gone { baseline } => {
                view.reasons = vec![Reason::PairGone.to_string()];
                view.advice = Some(words::gone(pair.commands.baseline.as_deref()));
                view.identity = identity::identity(None, Some(baseline));
                view.approval = Some(ApprovalView::new(baseline));
            }
        }
        if let Outcome::Judged { power: Some(power), .. } = &pair.outcome {
            view.evidence = words::evidence(power);
        }
        view
    }

    /// The cases of every list.
    pub(super) fn cases(&mut self) -> impl Iterator<Item = &mut CaseView> {
        let lists = [
            &mut self.lost,
            &mut self.won,
            &mut self.missed,
            &mut self.edited,
            &mut self.added,
            &mut self.removed,
        ];
        lists.into_iter().flatten()
    }

    /// What the table of pairs shows of it, and what is short.
    pub(in crate::report) fn without_section(&self) -> Self {
        Self {
            suite: self.suite.clone(),
            retriever: self.retriever.clone(),
            problem: self.problem.clone(),
            advice: self.advice.clone(),
            gate: self.gate.clone(),
            counts: self.counts.clone(),
            evidence: Vec::new(),
            approval: self.approval.clone(),
            commands: self.commands.clone(),
            today: self.today.clone(),
            section: false,
            omitted: Omitted::default(),
            reasons: Vec::new(),
            lost: Vec::new(),
            won: Vec::new(),
            figures: Vec::new(),
            segments: Vec::new(),
            notices: Vec::new(),
            missed: Vec::new(),
            edited: Vec::new(),
            added: Vec::new(),
            removed: Vec::new(),
            identity: Vec::new(),
            ..*self
        }
    }

    /// A view with names and verdict, and nothing else.
    fn named(pair: &PairReport<'_>) -> Self {
        let verdict = pair.verdict().map(Verdict::word);
        let exit = pair.exit();
        Self {
            suite: pair.suite.to_owned(),
            retriever: pair.retriever.to_owned(),
            verdict,
            word: verdict.unwrap_or(if exit == Exit::Usage { words::UNUSABLE } else { words::NOT_MEASURED }),
            exit: exit.code(),
            reasons: Vec::new(),
            advice: None,
            problem: None,
            gate: Vec::new(),
            counts: CountsView::default(),
            lost: Vec::new(),
            won: Vec::new(),
            figures: Vec::new(),
            segments: Vec::new(),
            notices: Vec::new(),
            evidence: Vec::new(),
            missed: Vec::new(),
            edited: Vec::new(),
            added: Vec::new(),
            removed: Vec::new(),
            identity: Vec::new(),
            approval: None,
            commands: CommandsView::new(&pair.commands, false, std::iter::empty()),
            today: None,
            section: true,
            omitted: Omitted::default(),
            situation: Situation::Plain,
        }
    }

    fn situation_of(&self, reasons: &[Reason]) -> Situation {
        let lost = |reason: &Reason| matches!(reason, Reason::LostNet { .. } | Reason::LostGross { .. });
        if !reasons.iter().any(lost) {
            Situation::Plain
        } else if !self.lost.is_empty() && self.lost.iter().all(CaseView::is_stale) {
            Situation::Stale
        } else if self.word == Verdict::SuiteChanged.word() {
            Situation::LostToo
        } else {
            Situation::Plain
        }
    }

    fn judged(
        &mut self,
        result: &SuiteResult,
        baseline: Option<&Baseline>,
        judgement: &Judgement,
        policy: &Policy,
        commands: &Commands,
    ) {
        let comparison = judgement.comparison.as_ref();
        let approvable = approvable(judgement);
        let active = active(result, judgement);
        self.reasons = judgement.reasons.iter().map(ToString::to_string).collect();
        self.notices = judgement.notices.iter().map(ToString::to_string).collect();
        self.figures = match comparison {
            Some(comparison) => FigureView::compared(&comparison.deltas, policy),
            None => FigureView::alone(&judgement.figures, policy),
        };
        let gate = |gated: &_| GateView::new(*gated, &self.figures, comparison, policy);
        self.gate = policy.metrics.iter().map(gate).collect();
        self.segments = segment::segments(result, comparison, &active, policy);
        self.counts = CountsView::new(result, comparison);
        self.missed = active
            .iter()
            .filter(|case| !case.targets().is_empty() && case.state != State::Found)
            .map(|case| CaseView::of_result(case))
            .collect();
        if let Some(comparison) = comparison.filter(|comparison| comparison.by_case) {
            self.compared(comparison, policy);
        }
        self.counts.missed = self.missed.len();
        self.identity = identity::identity(Some(result), baseline);
        self.approval = baseline.map(ApprovalView::new);
        self.situation = self.situation_of(&judgement.reasons);
        self.advice =
            words::advice(self.word, &judgement.reasons, approvable, self.situation).map(str::to_owned);
        let cases = || self.lost.iter().chain(&self.missed);
        // One that nothing could find has little to explain, and one that must be found most.
        let mut telling: Vec<&CaseView> = cases().collect();
        telling.sort_by_key(|case| (case.is_stale(), !case.critical));
        let ids = telling.iter().map(|case| case.id.as_str());
        let lint = line(&commands.lint).filter(|_| cases().any(|case| !case.gone.is_empty()));
        self.commands = CommandsView { lint, ..CommandsView::new(commands, approvable, ids) };
        self.today = Some(judgement.today.to_string());
    }

    /// The lists that only two sides give.
    fn compared(&mut self, comparison: &Comparison, policy: &Policy) {
        let crossing = |change: Change, out: bool| -> Vec<CaseView> {
            let views = comparison.pairs.iter().filter_map(|pair| {
                let at = crossed(pair, &policy.metrics, out);
                let counts = !at.is_empty() || pair.change() == Some(change);
                counts.then(|| CaseView::of_pair(pair, at))
            });
            views.collect()
        };
        self.lost = crossing(Change::Lost, true);
        self.won = crossing(Change::Won, false);
        let linked = |link| {
            comparison.linked(link).map(|pair| CaseView::of_pair(pair, Vec::new())).collect::<Vec<_>>()
        };
        (self.edited, self.added, self.removed) =
            (linked(Link::Edited), linked(Link::Added), linked(Link::Removed));
        let lost: std::collections::BTreeSet<_> = self.lost.iter().map(|case| case.id.clone()).collect();
        self.missed.retain(|case| !lost.contains(&case.id));
        let moved = comparison.pairs.iter().filter_map(|pair| pair.sides());
        let moved = moved.filter(|(before, after)| before.rank != after.rank).count();
        self.counts.lost = Some(self.lost.len());
        self.counts.won = Some(self.won.len());
        self.counts.moved = Some(moved.saturating_sub(self.lost.len() + self.won.len()));
    }

    /// Its place in a report: the urgent ends first, then the verdicts from bad to good; pairs of one kind keep their
    /// order.
    pub(super) fn rank(&self) -> usize {
        let order = [
            words::UNUSABLE,
            words::NOT_MEASURED,
            Verdict::Regressed.word(),
            Verdict::SuiteChanged.word(),
            Verdict::NotComparable.word(),
            Verdict::NoBaseline.word(),
            Verdict::Measured.word(),
            Verdict::Pass.word(),
        ];
        let held = self.exit == Exit::Held.code();
        let at = order.iter().position(|word| *word == self.word).unwrap_or(0);
        // A required baseline that is missing fails; a missing one that is not required does not.
        if self.verdict == Some(Verdict::NoBaseline.word()) && held { at - 1 } else { at }
    }
}

/// The cases that no quarantine sets aside on the day of the judgement.
fn active<'a>(result: &'a SuiteResult, judgement: &Judgement) -> Vec<&'a CaseResult> {
    let aside = |case: &&CaseResult| {
        case.quarantined.as_ref().is_some_and(|quarantine| quarantine.holds(judgement.today))
    };
    result.cases.iter().filter(|case| !aside(case)).collect()
}

/// An approval would change what the gate says, or what it would say later.
fn approvable(judgement: &Judgement) -> bool {
    let absolute = |reason: &Reason| {
        matches!(reason, Reason::Critical(_) | Reason::BelowFloor { .. } | Reason::PairGone)
    };
    let better = |notice: &Notice| matches!(notice, Notice::Headroom { .. });
    let lifts = match judgement.verdict {
        Verdict::Pass => judgement.notices.iter().any(better),
        _ => !judgement.reasons.iter().any(absolute),
    };
    lifts && !judgement.notices.contains(&Notice::NothingToLose)
}
