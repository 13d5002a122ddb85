//! What was approved: bundles found again, and baselines of a pull request that an approval covers.

use std::collections::BTreeMap;

use super::approvals::PairName;
use super::rules::Placed;
use crate::approval::{Bundle, Place as BundlePlace, places_of};
use crate::artifact::{ApprovalToken, Baseline, CoveredPair};
use crate::error::Failure;
use crate::github::{
    ArtifactRefused, Client, Comment, Commit, GithubProblem, Outlet, Place, Repository, Sha, Us,
    artifact_files, endpoint, file_at, files_of,
};
use crate::report::ReplyPair;
use crate::report::view::figure_text;

/// The artifact of a run whose candidates had no room in the check's text, and the file in it.
pub(super) const ARTIFACT: &str = "rankhold-approval";
pub(super) const FILE: &str = "approval.json";

/// Why a bundle cannot be had.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoBundle {
    /// GitHub could not be asked.
    #[error(transparent)]
    Github(GithubProblem),
    /// It is gone, or was never one.
    #[error("{0}")]
    Unusable(String),
}

impl From<GithubProblem> for NoBundle {
    fn from(problem: GithubProblem) -> Self {
        match problem {
            // The commit was collected, or the token may not know of it.
            GithubProblem::NotFound { .. } | GithubProblem::Refused { .. } => {
                Self::Unusable(problem.to_string())
            }
            other => Self::Github(other),
        }
    }
}

/// The bundles that a verdict's text has, with the last one for what can be approved now.
#[derive(Debug)]
pub(super) struct Bundles {
    /// Those that approvals stand for.
    pub kept: Vec<Bundle>,
    /// What can be approved now, or why nobody can tell.
    pub current: Result<Option<Bundle>, String>,
}

/// The bundles at the place of a verdict.
pub(super) async fn bundles_at(client: &Client, place: &Place) -> Result<Bundles, NoBundle> {
    let Some(newest) = place.newest(client).await? else {
        return Ok(Bundles { kept: Vec::new(), current: Ok(None) });
    };
    let mut bundles = Vec::new();
    for one in places_of(newest.text.as_deref().unwrap_or_default()) {
        let bundle = match one {
            BundlePlace::Here(packed) => packed.parse::<Bundle>().map_err(|problem| problem.to_string()),
            BundlePlace::Uploaded { run, token } => {
                let bundle = usable(uploaded(client, place, run).await)?;
                let is_that = |bundle: &Bundle| bundle.covered.token() == token;
                bundle.and_then(|bundle| {
                    bundle.filter(is_that).ok_or_else(|| format!("run {run} left nothing of that token"))
                })
            }
        };
        bundles.push(bundle);
    }
    // A status has no room for a word about them: they are where the run that gave it left them.
    if place.outlet == Outlet::Status {
        bundles.extend(usable(uploaded(client, place, newest.run).await)?.transpose());
    }
    // Below a commit of ours stands what was approved before it: that can be approved at its own head alone.
    let current =
        bundles.pop_if(|last| last.as_ref().map_or(true, |last| last.covered.head == place.commit.as_str()));
    // One that cannot be had takes no other along.
    Ok(Bundles { current: current.transpose(), kept: bundles.into_iter().filter_map(Result::ok).collect() })
}

/// What cannot be used is a problem of that one; that GitHub could not be asked, of all.
fn usable<T>(had: Result<T, NoBundle>) -> Result<Result<T, String>, NoBundle> {
    match had {
        Ok(had) => Ok(Ok(had)),
        Err(NoBundle::Unusable(problem)) => Ok(Err(problem)),
        Err(problem @ NoBundle::Github(_)) => Err(problem),
    }
}

/// The bundle that a run uploaded.
async fn uploaded(client: &Client, place: &Place, run: u64) -> Result<Option<Bundle>, NoBundle> {
    let files = match artifact_files(client, &place.repository, run, ARTIFACT).await {
        Ok(files) => files,
        Err(ArtifactRefused::Github(problem)) => return Err(problem.into()),
        Err(problem) => return Err(NoBundle::Unusable(problem.to_string())),
    };
    let Some(bytes) = files.get(FILE) else { return Ok(None) };
    Bundle::read(bytes).map(Some).map_err(|problem| NoBundle::Unusable(problem.to_string()))
}

/// What our answer to an approval says for us to read, beside what it says to people: that it was carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::app) struct Answered {
    /// The comment that it answers.
    pub comment: u64,
    /// What was approved.
    pub token: ApprovalToken,
    /// The head at which its bundle was found. That is a hint: the token proves the bundle.
    pub head: Sha,
    /// What the account was called then, so that its files are the same whatever it is called later.
    pub login: Option<String>,
}

const HINT: &str = "<!-- rankhold-approved ";
const REPLY: &str = "<!-- rankhold:reply:";
const END: &str = " -->";

impl Answered {
    /// Its line. The comment's own is the one that makes the answer ours, below it.
    pub(super) fn line(bundle: &Bundle, login: &str) -> String {
        format!("{HINT}{} {} {login}{END}", bundle.covered.token(), bundle.covered.head)
    }

    /// Reads it where we write it, and nowhere else: our reports quote what strangers wrote.
    pub(super) fn read(body: &str) -> Option<Self> {
        let mut lines = body.lines().rev().filter(|line| !line.trim().is_empty());
        let comment = lines.next()?.strip_prefix(REPLY)?.strip_suffix(END)?.parse().ok()?;
        let mut words = lines.next()?.strip_prefix(HINT)?.strip_suffix(END)?.split(' ');
        let (token, head) = (words.next()?.parse().ok()?, Sha::new(words.next()?)?);
        Some(Self { comment, token, head, login: words.next().map(str::to_owned) })
    }

    /// Our answers among comments, the oldest first. Nobody else's: he could crowd ours out, or make a command count that
    /// was refused.
    pub(in crate::app) fn all(comments: &[Comment], us: &Us) -> Vec<Self> {
        let ours = comments.iter().filter(|comment| us.wrote(comment));
        ours.filter_map(|comment| Self::read(comment.body.as_deref()?)).collect()
    }
}

/// The heads that answers name for a token, the newest first and few.
pub(super) fn hinted_heads(answers: &[Answered], token: &ApprovalToken) -> Vec<Sha> {
    let mut few = Vec::new();
    for answered in answers.iter().rev().filter(|answered| answered.token == *token) {
        if few.len() < 5 && !few.contains(&answered.head) {
            few.push(answered.head.clone());
        }
    }
    few
}

/// The head before the one that is there, if that one is the commit that this comment's approval led to.
pub(super) async fn before_ours(
    client: &Client,
    repository: &Repository,
    head: &Sha,
    placed: &Placed,
    comment: u64,
) -> Result<Option<Sha>, Failure> {
    for path in files_of(client, repository, &placed.path(super::BASELINES), head).await? {
        let Some(bytes) = file_at(client, repository, &path, head).await? else { continue };
        let Ok(baseline) = Baseline::read(&bytes) else { continue };
        let Some(record) = baseline.approval.github.filter(|record| record.comment == comment) else {
            continue;
        };
        let commit: Commit = client.json(&endpoint::commit(repository, head)).await?;
        let [parent] = commit.parents.as_slice() else { return Ok(None) };
        return Ok((parent.sha.as_str() == record.covered.head).then(|| parent.sha.clone()));
    }
    Ok(None)
}

/// The pairs of a bundle as an answer shows them.
pub(super) fn rows(
    bundle: &Bundle,
    before: &BTreeMap<PairName, Baseline>,
    gated: crate::gate::Gated,
    fits: impl Fn(&CoveredPair) -> bool,
) -> Vec<ReplyPair> {
    let row = |pair: &CoveredPair| {
        let key = (pair.suite.clone(), pair.retriever.clone());
        let note = match pair.exit {
            _ if pair.is_removal() => "the pair is gone, and so is its baseline",
            _ if pair.candidate.is_none() => "there is no verdict",
            0 => "passes already",
            _ => "",
        };
        let after = bundle.candidate(&pair.suite, &pair.retriever);
        ReplyPair {
            suite: pair.suite.clone(),
            retriever: pair.retriever.clone(),
            before: before.get(&key).and_then(|baseline| figure_text(gated, &baseline.metrics)),
            after: after.and_then(|candidate| figure_text(gated, candidate.metrics())),
            note: note.to_owned(),
        }
    };
    bundle.covered.pairs.iter().filter(|pair| fits(pair)).map(row).collect()
}
