//! What was approved: bundles found again, and baselines of a pull request that an approval covers.

use std::collections::BTreeMap;

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

/// What was found below a verdict.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub bundle: Bundle,
    /// What the verdict's figures were compared with, if it says so.
    pub base: Option<Sha>,
    /// As it stands there; none where there is no room for it.
    pub block: Option<String>,
}

/// What can be approved at the place of a verdict, as the verdict there says; none if it says nothing of it, or while a new
/// one is measured.
pub(super) async fn bundle_at(client: &Client, place: &Place) -> Result<Option<Found>, NoBundle> {
    let Some(newest) = place.newest(client).await?.filter(|newest| newest.done) else { return Ok(None) };
    // The last one is what can be approved now.
    let last = newest.text.as_deref().map(places_of).unwrap_or_default().pop();
    let (there, block) = last.map_or((None, None), |(there, block)| (Some(there), Some(block)));
    let bundle = bundle_in(client, place, there, newest.run).await?;
    Ok(bundle.map(|bundle| Found { bundle, base: newest.base, block }))
}

/// What a token stands for at the place of a verdict: what can be approved there, or was.
pub(super) async fn bundle_of(
    client: &Client,
    place: &Place,
    token: &ApprovalToken,
) -> Result<Option<Found>, NoBundle> {
    let Some(newest) = place.newest(client).await? else { return Ok(None) };
    let mut all: Vec<(Option<BundlePlace>, Option<String>)> = Vec::new();
    let there = newest.text.as_deref().map(places_of).unwrap_or_default();
    all.extend(there.into_iter().map(|(there, block)| (Some(there), Some(block))));
    if all.is_empty() {
        all.push((None, None));
    }
    for (there, block) in all.into_iter().rev() {
        match bundle_in(client, place, there, newest.run).await {
            Ok(Some(bundle)) if bundle.covered.token() == *token => {
                return Ok(Some(Found { bundle, base: newest.base, block }));
            }
            Ok(_) | Err(NoBundle::Unusable(_)) => {}
            Err(problem) => return Err(problem),
        }
    }
    Ok(None)
}

/// A bundle where a block says that it is; without one, where a status cannot say so.
async fn bundle_in(
    client: &Client,
    place: &Place,
    there: Option<BundlePlace>,
    run: u64,
) -> Result<Option<Bundle>, NoBundle> {
    let unusable = |problem: &dyn std::fmt::Display| NoBundle::Unusable(problem.to_string());
    let (run, token) = match there {
        Some(BundlePlace::Here(packed)) => {
            return packed.parse::<Bundle>().map(Some).map_err(|problem| unusable(&problem));
        }
        Some(BundlePlace::Uploaded { run, token }) => (run, Some(token)),
        // A check without candidates has none; a status has no room for a word about them.
        None if place.outlet == Outlet::Check => return Ok(None),
        None => (run, None),
    };
    let files = match artifact_files(client, &place.repository, run, ARTIFACT).await {
        Ok(files) => files,
        Err(ArtifactRefused::Github(problem)) => return Err(problem.into()),
        Err(problem) => return Err(unusable(&problem)),
    };
    let Some(bytes) = files.get(FILE) else { return Ok(None) };
    let bundle = Bundle::read(bytes).map_err(|problem| unusable(&problem))?;
    let is_meant = token.is_none_or(|token| token == bundle.covered.token());
    Ok(is_meant.then_some(bundle))
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
    let hinted = |comment: &&Comment| {
        let (_, rest) = comment.body.as_deref()?.split_once(&start)?;
        Sha::new(rest.split(' ').next()?)
    };
    let mut few = Vec::new();
    for head in comments.iter().rev().filter(|comment| us.wrote(comment)).filter_map(|one| hinted(&one)) {
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

/// The baselines at a commit, by pair: those that are there and can be read.
pub(super) async fn baselines_at(
    client: &Client,
    repository: &Repository,
    placed: &Placed,
    pairs: &[CoveredPair],
    at: &Sha,
) -> Result<BTreeMap<(String, String), Baseline>, Failure> {
    let mut found = BTreeMap::new();
    for pair in pairs {
        let path = placed.baseline(&pair.suite, &pair.retriever);
        if let Some(bytes) = file_at(client, repository, &path, at).await?
            && let Ok(baseline) = Baseline::read(&bytes)
        {
            found.insert((pair.suite.clone(), pair.retriever.clone()), baseline);
        }
    }
    Ok(found)
}

/// The pairs of a bundle as an answer shows them.
pub(super) fn rows(
    bundle: &Bundle,
    before: &BTreeMap<(String, String), Baseline>,
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
