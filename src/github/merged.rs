//! The pull requests that brought a branch where it is.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::problem::asked;
use super::{Client, Commit, GithubProblem, Pull, Repository, Sha, endpoint};

/// Where to look, and what for.
pub struct Walk<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The branch that they were merged into.
    pub branch: &'a str,
    /// The commit to start at.
    pub from: &'a Sha,
    /// Nothing behind the last of these is of interest, if all are met.
    pub until: &'a [Option<Sha>],
}

/// What lies behind a commit, as far as somebody looked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Behind {
    /// The commits, the newest first.
    pub commits: Vec<Sha>,
    /// The pull requests that were merged by one of these and that somebody said a wanted word below, the earliest first.
    pub merged: Vec<Merged>,
}

/// A merged pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// Its number.
    pub number: u64,
    /// The commit that merged it.
    pub commit: Sha,
}

/// No walk is longer, in commits: what was approved waits for its file no longer than that.
const MOST_COMMITS: usize = 500;

impl Behind {
    /// How far behind the start a commit lies; none if nobody got that far.
    pub fn depth(&self, commit: &Sha) -> Option<usize> {
        self.commits.iter().position(|there| there == commit)
    }
}

impl Walk<'_> {
    /// Walks. `wanted` looks at each comment's text; a pull request with more comments than come along is taken as well.
    pub async fn behind(
        &self,
        client: &Client,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Behind, GithubProblem> {
        let mut behind = Behind::default();
        let mut found: BTreeMap<u64, Sha> = BTreeMap::new();
        let mut after = None;
        while behind.commits.len() < MOST_COMMITS {
            let call = endpoint::merged(self.repository, self.from, after.as_deref());
            let answer: Answer = match client.json(&call).await {
                // A server without GraphQL cannot say whether a comment was edited: nothing is approved there.
                Err(problem) if problem.is_not_found() && behind.commits.is_empty() => return Ok(behind),
                answer => answer?,
            };
            let history = answer.history(&call)?;
            for commit in history.nodes {
                let sha = commit.oid;
                match commit.pulls {
                    Some(pulls) if pulls.nodes.len() as u64 >= pulls.total => {
                        let is_ours = |pull: &RemotePull| self.is_wanted(pull, &wanted);
                        for pull in pulls.nodes.into_iter().filter(is_ours) {
                            found.extend(pull.commit.map(|commit| (pull.number, commit.oid)));
                        }
                    }
                    // What did not come along is asked for, whatever was said below it.
                    _ => found.extend(self.merged_by(client, &sha).await?),
                }
                behind.commits.push(sha);
            }
            let all_met = self
                .until
                .iter()
                .all(|commit| commit.as_ref().is_some_and(|commit| behind.commits.contains(commit)));
            after = history.page.cursor.filter(|_| history.page.more && !all_met);
            if after.is_none() {
                break;
            }
        }
        // A pull request of a branch of the branch has commits here, and was not merged here.
        let merged = found.into_iter().map(|(number, commit)| Merged { number, commit });
        let mut merged: Vec<Merged> =
            merged.filter(|merged| behind.depth(&merged.commit).is_some()).collect();
        merged.sort_by_cached_key(|merged| std::cmp::Reverse(behind.depth(&merged.commit)));
        Ok(Behind { merged, ..behind })
    }

    /// It was merged into this branch, and somebody may have said what is wanted.
    fn is_wanted(&self, pull: &RemotePull, wanted: impl Fn(&str) -> bool) -> bool {
        let spoken = &pull.comments;
        let all_there = spoken.nodes.len() as u64 >= spoken.total;
        let said = spoken.nodes.iter().any(|comment| wanted(&comment.body));
        // GitHub names those of forks and of the repository that this one is a fork of, too.
        let name = self.repository.to_string();
        let is_here = pull.repository.as_ref().is_some_and(|there| there.name.eq_ignore_ascii_case(&name));
        is_here && pull.merged && pull.branch == self.branch && (said || !all_there)
    }

    /// The pull requests that were merged into this branch and brought a commit.
    async fn merged_by(&self, client: &Client, commit: &Sha) -> Result<Vec<(u64, Sha)>, GithubProblem> {
        let call = endpoint::pulls_of(self.repository, commit);
        let pulls: Vec<Pull> = client.all(&call, |page: Vec<Pull>| page).await?;
        let is_here = |pull: &Pull| {
            let base = pull.base.repo.as_ref().map(|there| there.full_name.to_string().to_lowercase());
            base == Some(self.repository.to_string().to_lowercase()) && pull.base.branch == self.branch
        };
        let merged =
            |pull: Pull| Some((pull.number, pull.merge_commit_sha.filter(|_| pull.merged_at.is_some())?));
        Ok(pulls.into_iter().filter(is_here).filter_map(merged).collect())
    }
}

/// The last commit that changed a file, as of another; none if it was never there.
pub async fn last_change(
    client: &Client,
    repository: &Repository,
    path: &str,
    at: &Sha,
) -> Result<Option<Sha>, GithubProblem> {
    let commits: Vec<Commit> = client.json(&endpoint::changes_of(repository, path, at)).await?;
    Ok(commits.into_iter().next().map(|commit| commit.sha))
}

/// GraphQL answers with 200 whatever happened; half an answer is none.
#[derive(Deserialize)]
struct Answer {
    data: Option<Data>,
    #[serde(default)]
    errors: Vec<super::commit::GraphError>,
}

#[derive(Deserialize)]
struct Data {
    repository: Option<Remote>,
}

#[derive(Deserialize)]
struct Remote {
    object: Option<Object>,
}

#[derive(Deserialize)]
struct Object {
    history: Option<History>,
}

#[derive(Deserialize)]
struct History {
    #[serde(rename = "pageInfo")]
    page: Page,
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Page {
    #[serde(rename = "endCursor")]
    cursor: Option<String>,
    #[serde(rename = "hasNextPage")]
    more: bool,
}

#[derive(Deserialize)]
struct Node {
    oid: Sha,
    #[serde(rename = "associatedPullRequests")]
    pulls: Option<List<RemotePull>>,
}

#[derive(Deserialize)]
struct List<T> {
    #[serde(rename = "totalCount")]
    total: u64,
    nodes: Vec<T>,
}

#[derive(Deserialize)]
struct RemotePull {
    number: u64,
    merged: bool,
    #[serde(rename = "baseRefName")]
    branch: String,
    #[serde(rename = "baseRepository")]
    repository: Option<There>,
    #[serde(rename = "mergeCommit")]
    commit: Option<Oid>,
    comments: Spoken,
}

#[derive(Deserialize)]
struct There {
    #[serde(rename = "nameWithOwner")]
    name: String,
}

#[derive(Deserialize)]
struct Oid {
    oid: Sha,
}

#[derive(Deserialize)]
struct Spoken {
    #[serde(rename = "totalCount")]
    total: u64,
    nodes: Vec<Said>,
}

#[derive(Deserialize)]
struct Said {
    body: String,
}

impl Answer {
    fn history(self, call: &super::Call) -> Result<History, GithubProblem> {
        if let Some(error) = self.errors.into_iter().next() {
            return Err(error.problem(call, "pull-requests: read"));
        }
        let object = self.data.and_then(|data| data.repository).and_then(|remote| remote.object);
        object.and_then(|object| object.history).ok_or_else(|| GithubProblem::Unreadable {
            asked: asked(call),
            message: "it does not know the commit".to_owned(),
        })
    }
}
