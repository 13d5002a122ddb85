//! What a pull request is held against: the commit its figures are compared with, and the tip that makes the rules.

use super::{Branch, Client, Commit, Compare, Entry, GithubProblem, Pull, Repository, Sha, endpoint};
use crate::error::{Blame, Blamed};

/// The base of a measured tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// The branch that the tree wants to become part of.
    pub branch: String,
    /// The commit whose baselines the figures are compared with.
    pub measured: Sha,
    /// The branch's tip: policy, templates and owed pairs are read there.
    pub tip: Sha,
    /// How many commits the tip has that the measured base has not.
    pub behind: u64,
}

/// Why a base cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaseProblem {
    /// GitHub could not be asked.
    #[error(transparent)]
    Github(#[from] GithubProblem),
    /// The other side of the merge that was checked out is none of the branch's.
    #[error(
        "the tree checked out is a merge of the head with {other}, which is not on `{branch}`: nothing that was approved is there"
    )]
    OffBranch {
        /// That commit.
        other: Sha,
        /// The branch.
        branch: String,
    },
    /// What was checked out is something else.
    #[error(
        "the tree checked out is {checked_out}, which is neither the head of the pull request ({head}) nor a merge of it"
    )]
    OtherTree {
        /// What `.git/HEAD` says.
        checked_out: Sha,
        /// The pull request's head.
        head: Sha,
    },
}

impl Blamed for BaseProblem {
    fn blame(&self) -> Blame {
        match self {
            Self::Github(problem) => problem.blame(),
            Self::OtherTree { .. } | Self::OffBranch { .. } => Blame::User,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Github(problem) => problem.hint(),
            Self::OtherTree { .. } | Self::OffBranch { .. } => Some(
                "let actions/checkout take its default, or `ref: ${{ github.event.pull_request.head.sha }}`; if the pull \
                 request moved on meanwhile, its newer run gives the verdict"
                    .to_owned(),
            ),
        }
    }
}

impl Base {
    /// The base of a pull request whose tree was checked out: the first parent of the test merge if that is what was
    /// checked out, else the merge base. Never what the event says, which a re-run repeats unseen.
    pub async fn of_pull(
        client: &Client,
        repository: &Repository,
        pull: &Pull,
        checked_out: &Sha,
    ) -> Result<Self, BaseProblem> {
        let tip = tip(client, repository, &pull.base.branch).await?;
        if *checked_out == pull.head.sha {
            let compare: Compare = client.json(&endpoint::compare(repository, &tip, &pull.head.sha)).await?;
            let measured = compare.merge_base_commit.sha;
            return Self::at(client, repository, pull.base.branch.clone(), measured, tip).await;
        }
        let measured = {
            let commit: Commit = client.json(&endpoint::commit(repository, checked_out)).await?;
            match commit.parents.as_slice() {
                [first, second] if second.sha == pull.head.sha => first.sha.clone(),
                _ => {
                    let head = pull.head.sha.clone();
                    return Err(BaseProblem::OtherTree { checked_out: checked_out.clone(), head });
                }
            }
        };
        // A merge can be made with anything: only what the branch has says what was approved.
        let compare: Compare = client.json(&endpoint::compare(repository, &measured, &tip)).await?;
        if compare.behind_by > 0 {
            return Err(BaseProblem::OffBranch { other: measured, branch: pull.base.branch.clone() });
        }
        Ok(Self { branch: pull.base.branch.clone(), measured, tip, behind: compare.ahead_by })
    }

    /// The base of a commit that names it itself: a merge group's.
    pub async fn named(
        client: &Client,
        repository: &Repository,
        branch: &str,
        measured: Sha,
    ) -> Result<Self, BaseProblem> {
        let tip = tip(client, repository, branch).await?;
        Self::at(client, repository, branch.to_owned(), measured, tip).await
    }

    /// A commit of the branch itself is its own base: the file there is what was approved.
    pub fn itself(branch: String, commit: Sha) -> Self {
        Self { branch, tip: commit.clone(), measured: commit, behind: 0 }
    }

    async fn at(
        client: &Client,
        repository: &Repository,
        branch: String,
        measured: Sha,
        tip: Sha,
    ) -> Result<Self, BaseProblem> {
        let behind = if measured == tip {
            0
        } else {
            let compare: Compare = client.json(&endpoint::compare(repository, &measured, &tip)).await?;
            compare.ahead_by
        };
        Ok(Self { branch, measured, tip, behind })
    }
}

async fn tip(client: &Client, repository: &Repository, branch: &str) -> Result<Sha, GithubProblem> {
    let branch: Branch = client.json(&endpoint::branch(repository, branch)).await?;
    Ok(branch.commit.sha)
}

/// The most entries that GitHub lists of a folder, without a word about the rest.
const LISTED: usize = 1000;

/// Everything in a folder at a commit that is no folder itself, by path; none if there is no such folder. Links count: a
/// baseline that is one must not vanish.
pub async fn files_of(
    client: &Client,
    repository: &Repository,
    folder: &str,
    at: &Sha,
) -> Result<Vec<String>, GithubProblem> {
    let entries = entries_of(client, repository, folder, at).await?;
    Ok(entries.into_iter().map(|entry| entry.path).collect())
}

/// The same, each with the name of what lies there.
pub async fn entries_of(
    client: &Client,
    repository: &Repository,
    folder: &str,
    at: &Sha,
) -> Result<Vec<Entry>, GithubProblem> {
    match client.json::<Vec<Entry>>(&endpoint::folder(repository, folder, at)).await {
        Ok(entries) if entries.len() >= LISTED => Err(GithubProblem::Unreadable {
            asked: format!("GET {folder} at {at}"),
            message: format!("the folder has {LISTED} entries or more, and GitHub lists no more of them"),
        }),
        Ok(entries) => Ok(entries.into_iter().filter(|entry| entry.kind != "dir").collect()),
        Err(problem) if problem.is_not_found() => Ok(Vec::new()),
        Err(problem) => Err(problem),
    }
}

/// A file's bytes at a commit; none if it is not there.
pub async fn file_at(
    client: &Client,
    repository: &Repository,
    path: &str,
    at: &Sha,
) -> Result<Option<Vec<u8>>, GithubProblem> {
    client.bytes(&endpoint::file(repository, path, at)).await
}
