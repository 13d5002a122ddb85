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
#[derive(Debug, Default)]
pub(super) struct Bundles {
    /// Those that approvals stand for.
    pub kept: Vec<Bundle>,
    /// What can be approved now.
    pub current: Option<Bundle>,
}

/// The bundles at the place of a verdict.
pub(super) async fn bundles_at(client: &Client, place: &Place) -> Result<Bundles, NoBundle> {
    let Some(newest) = place.newest(client).await? else { return Ok(Bundles::default()) };
    let mut bundles = bundles_in(client, place, newest.text.as_deref().unwrap_or_default()).await?;
    // A status has no room for a word about them: they are where the run that gave it left them.
    if place.outlet == Outlet::Status {
        bundles.extend(uploaded(client, place, newest.run).await?);
    }
    // Below a commit of ours stands what was approved before it: that can be approved at its own head alone.
    let current = bundles.pop_if(|last| last.covered.head == place.commit.as_str());
    Ok(Bundles { current, kept: bundles })
}

/// The bundles of a check's text.
async fn bundles_in(client: &Client, place: &Place, text: &str) -> Result<Vec<Bundle>, NoBundle> {
    let mut bundles = Vec::new();
    for place_of_one in places_of(text) {
        match place_of_one {
            BundlePlace::Here(packed) => {
                let bundle = packed.parse::<Bundle>();
                bundles.push(bundle.map_err(|problem| NoBundle::Unusable(problem.to_string()))?);
            }
            BundlePlace::Uploaded { run, token } => {
                let bundle = uploaded(client, place, run).await?;
                bundles.extend(bundle.filter(|bundle| bundle.covered.token() == token));
            }
        }
    }
    Ok(bundles)
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

/// The line in an answer that says at which head a token's bundle was found. It is a hint: the token proves the bundle.
pub(super) fn hint(bundle: &Bundle) -> String {
    format!("<!-- {HINT} {} {} -->", bundle.covered.token(), bundle.covered.head)
}

const HINT: &str = "rankhold-approved";

/// The heads that our answers name for a token, the newest first and few. Nobody else's: he could crowd ours out, or make
/// a command count that was refused.
pub(super) fn hinted_heads(comments: &[Comment], token: &ApprovalToken, us: &Us) -> Vec<Sha> {
    let start = format!("<!-- {HINT} {token} ");
    // Where we write it, and nowhere else: our reports quote what strangers wrote.
    let hinted = |comment: &Comment| {
        let mut lines = comment.body.as_deref()?.lines().rev().filter(|line| !line.trim().is_empty());
        lines.next().filter(|marker| marker.starts_with("<!-- rankhold:reply:"))?;
        Sha::new(lines.next()?.strip_prefix(&start)?.strip_suffix(" -->")?)
    };
    let mut few = Vec::new();
    for head in comments.iter().rev().filter(|comment| us.wrote(comment)).filter_map(hinted) {
        if few.len() < 5 && !few.contains(&head) {
            few.push(head);
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

/// The baseline files at a commit, by pair: those that are there and can be read.
pub(super) async fn files_at(
    client: &Client,
    repository: &Repository,
    placed: &Placed,
    pairs: &[PairName],
    at: &Sha,
) -> Result<BTreeMap<PairName, Baseline>, Failure> {
    let mut found = BTreeMap::new();
    for pair in pairs {
        let path = placed.baseline(&pair.0, &pair.1);
        if let Some(bytes) = file_at(client, repository, &path, at).await?
            && let Ok(baseline) = Baseline::read(&bytes)
        {
            found.insert(pair.clone(), baseline);
        }
    }
    Ok(found)
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
