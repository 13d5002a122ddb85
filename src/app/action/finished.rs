//! Publishing what another workflow measured without a token: a fork's or Dependabot's pull request.
//!
//! The artifact is a stranger's word. Which pull request it is about is told by the event and the API, never by the
//! artifact; which tree was measured is proved by the API; what an embedded retriever gives is measured again.

use std::collections::BTreeMap;

use super::Step;
use super::bench::Handed;
use super::manifest::Manifest;
use super::subject::CheckoutProblem;
use crate::artifact::SuiteResult;
use crate::error::{Blame, Blamed, Failure, docs};
use crate::github::{
    ArtifactRefused, Client, Finished, Pull, Repository, Run, Sha, artifact_files, endpoint,
};

/// The artifact that the measuring workflow uploads.
pub(in crate::app) const ARTIFACT: &str = "rankhold";

/// Why nothing can be published.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unpublishable {
    /// The run is none that measures.
    #[error(
        "the run that ended was started by `{event}` in {path}, but results come from `pull_request` in {expected}"
    )]
    OtherRun {
        /// Its event.
        event: String,
        /// Its workflow's file.
        path: String,
        /// The file that is expected.
        expected: String,
    },
    /// A result in it is refused.
    #[error("`{name}` of the artifact: {problem}")]
    Result {
        /// The file.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl Blamed for Unpublishable {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::OtherRun { .. } => concat!(
                "name the measuring workflow's file in the input `workflow`, as in ",
                docs!("workflows/forks-publish.yml")
            )
            .to_owned(),
            Self::Result { .. } => "run the workflow that measures again".to_owned(),
        })
    }
}

/// The pull request that a run was about, or why there is nothing to publish.
pub(super) async fn pull(
    event: &Finished,
    step: &Step<'_>,
    client: &Client,
) -> Result<Result<Pull, String>, Failure> {
    let repository = &step.runner.repository;
    let run: Run = client.json(&endpoint::run(repository, event.run.id)).await?;
    // A workflow's path may carry the branch it was read from.
    let path = run.path.split('@').next().unwrap_or_default();
    let expected = &step.inputs.workflow;
    if run.event != "pull_request" || path != expected {
        return Err(Unpublishable::OtherRun {
            event: run.event.clone(),
            path: path.to_owned(),
            expected: expected.clone(),
        }
        .into());
    }
    pull_of(client, repository, &run).await
}

/// What the run left, if it was measured on the commit that is checked out.
pub(super) async fn handed(
    event: &Finished,
    step: &Step<'_>,
    client: &Client,
    checked_out: &Sha,
) -> Result<Handed, Failure> {
    let files = artifact_files(client, &step.runner.repository, event.run.id, ARTIFACT)
        .await
        .map_err(|problem: ArtifactRefused| problem)?;
    let manifest = Manifest::read(files.get(super::manifest::FILE))?;
    if manifest.commit != *checked_out {
        return Err(CheckoutProblem::Other {
            event: "workflow_run",
            found: checked_out.clone(),
            wanted: manifest.commit,
        }
        .into());
    }
    Ok(Handed { results: results(&files)?, by_stranger: true })
}

/// The one open pull request whose head the run was about: GitHub tells it of no fork's run.
async fn pull_of(
    client: &Client,
    repository: &Repository,
    run: &Run,
) -> Result<Result<Pull, String>, Failure> {
    let (Some(head), Some(branch)) = (&run.head_repository, &run.head_branch) else {
        return Ok(Err("the fork that the run was about is gone".to_owned()));
    };
    let call = endpoint::pulls_from(repository, &head.full_name.owner, branch);
    let open = client.all(&call, |page: Vec<Pull>| page).await?;
    let ours = |pull: &Pull| {
        pull.head.sha == run.head_sha && pull.head.repo.as_ref().is_some_and(|repo| repo.id == head.id)
    };
    let mut found: Vec<Pull> = open.into_iter().filter(ours).collect();
    Ok(match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(format!(
            "no open pull request has the head {} any more: a newer run gives its verdict",
            run.head_sha.short()
        )),
        several => Err(format!("{several} open pull requests have the head {}", run.head_sha.short())),
    })
}

fn results(files: &BTreeMap<String, Vec<u8>>) -> Result<Vec<SuiteResult>, Unpublishable> {
    let results = files.iter().filter(|(name, _)| name.ends_with(".result.json"));
    let read = |(name, bytes): (&String, &Vec<u8>)| {
        SuiteResult::read(bytes)
            .map_err(|problem| Unpublishable::Result { name: name.clone(), problem: problem.to_string() })
    };
    results.map(read).collect()
}
