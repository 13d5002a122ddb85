//! What can be approved of a pull request: fixed when its verdict is published, so that an approval measures nothing.

use jiff::civil::Date;

use super::bench::{Row, RowOutcome};
use super::rules::Rules;
use super::subject::Subject;
use super::{Job, Step};
use crate::approval::Bundle;
use crate::artifact::{Baseline, Candidate, Covered, CoveredPair, SuiteResult};
use crate::config::ApprovalMode;
use crate::error::Blamed as _;
use crate::exit::Exit;
use crate::gate::{Policy, judge};
use crate::github::{Client, GithubProblem, endpoint};
use crate::report::Commands;

/// The candidates of a pull request's pairs; none if there is nothing to approve, or no pull request.
fn bundle(rows: &[Row], subject: &Subject, policy: &Policy, today: Date) -> Option<Bundle> {
    let pull = subject.pull.as_ref()?;
    let repository = pull.base.repo.as_ref()?.id;
    let mut found: Vec<(CoveredPair, Option<Candidate>)> =
        rows.iter().filter_map(|row| covered(row, policy, today)).collect();
    found.sort_by(|(one, _), (other, _)| (&one.suite, &one.retriever).cmp(&(&other.suite, &other.retriever)));
    let (pairs, candidates): (Vec<_>, Vec<_>) = found.into_iter().unzip();
    let (base, head) = (pull.base.branch.clone(), pull.head.sha.to_string());
    let covered = Covered { repository, pull_request: pull.number, base, head, pairs };
    let is_approvable = covered.pairs.iter().any(CoveredPair::is_approvable);
    is_approvable.then(|| Bundle { covered, candidates: candidates.into_iter().flatten().collect() })
}

/// A pair that does not pass, or whose candidate is not its baseline.
fn covered(row: &Row, policy: &Policy, today: Date) -> Option<(CoveredPair, Option<Candidate>)> {
    let pair = |candidate: Option<&Candidate>, exit: Exit, approved: Exit| CoveredPair {
        suite: row.suite.clone(),
        retriever: row.retriever.clone(),
        supersedes: row.supersedes.clone(),
        candidate: candidate.map(Candidate::digest),
        exit: exit.code(),
        approved_exit: approved.code(),
    };
    match &row.outcome {
        RowOutcome::Judged(reviewed) => {
            let candidate = Candidate::of(&reviewed.result);
            let known = reviewed.baseline.as_ref().and_then(|baseline| baseline.candidate.as_ref());
            let exit = reviewed.judgement.exit;
            if exit == Exit::Pass && known == Some(&candidate.digest()) {
                return None;
            }
            let approved = once_approved(&candidate, &reviewed.result, policy, today);
            Some((pair(Some(&candidate), exit, approved), Some(candidate)))
        }
        RowOutcome::Unjudged(failure) => Some((pair(None, failure.exit(), failure.exit()), None)),
        RowOutcome::Gone(_) => Some((pair(None, Exit::Held, Exit::Pass), None)),
    }
}

/// How the pair would end if its candidate were its baseline.
fn once_approved(candidate: &Candidate, result: &SuiteResult, policy: &Policy, today: Date) -> Exit {
    let at = "1970-01-01T00:00:00Z".parse().expect("an instant");
    let text = candidate.clone().approve("nobody", &at, None);
    let Ok(baseline) = Baseline::read(text.as_bytes()) else { return Exit::Usage };
    match judge(result, Some(&baseline), policy, today) {
        Ok(judgement) => judgement.exit,
        Err(problem) => problem.blame().exit(),
    }
}

/// What can be approved, and how.
pub(super) struct Approvable {
    /// What, with its token.
    pub bundle: Bundle,
    /// Comments approve: the base says so, and the default branch has a workflow that reads them.
    pub by_comment: bool,
}

/// What can be approved of a pull request, if anything can.
pub(super) async fn approvable(
    job: &Job<'_>,
    client: &Client,
    subject: &Subject,
    rules: &Rules,
    rows: &[Row],
) -> Result<Option<Approvable>, GithubProblem> {
    let Some(bundle) = bundle(rows, subject, &rules.policy, job.today) else { return Ok(None) };
    let Step { runner, inputs, .. } = job.step;
    let by_comment = rules.approvers.mode != ApprovalMode::File
        && client.bytes(&endpoint::default_file(&runner.repository, &inputs.commands)).await?.is_some();
    Ok(Some(Approvable { bundle, by_comment }))
}

/// The command that approves a row, where comments are read.
pub(super) fn slash(bundle: &Bundle, commands: &Commands, suite: &str) -> Commands {
    let suites: std::collections::BTreeSet<_> =
        bundle.covered.pairs.iter().filter(|pair| pair.is_approvable()).map(|pair| &pair.suite).collect();
    let token = bundle.covered.token();
    let line = if suites.len() > 1 {
        format!("/rankhold approve {token} --suite {suite}")
    } else {
        format!("/rankhold approve {token}")
    };
    Commands { slash: Some(line), ..commands.clone() }
}
