//! The pull requests that brought a branch where it is, and the files of a folder on the way there.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::problem::asked;
use super::{Client, GithubProblem, Pull, Repository, Sha, endpoint};

/// Where to look.
#[derive(Clone, Copy)]
pub struct Walk<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The branch that they were merged into.
    pub branch: &'a str,
    /// The folder whose changes are of interest.
    pub folder: &'a str,
}

/// What lies behind a commit, as far as somebody looked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behind {
    from: Sha,
    /// The newest first.
    passed: Vec<Passed>,
    merged: BTreeMap<u64, Merged>,
    next: Next,
}

/// Where to go on looking.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Next {
    Start,
    After(String),
    /// There is no more, or it is too far.
    End,
}

/// A commit that was passed on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// Its name.
    pub commit: Sha,
    /// Its parents, the first first.
    pub parents: Vec<Sha>,
    /// The name of the folder's tree there: the same where the files are the same; none if there is no such folder.
    pub folder: Option<String>,
    /// It came with a pull request whose merge is another commit: the branch's tip was never here.
    pub is_inner: bool,
}

/// A merged pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// Its number.
    pub number: u64,
    /// The commit that merged it.
    pub commit: Sha,
    /// Somebody said a wanted word below it, or more was said there than came along.
    pub is_wanted: bool,
}

/// What was said below a pull request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Spoken {
    /// The words.
    pub body: String,
    /// Who said them; none if that account is gone.
    pub author: Option<Speaks>,
}

/// An account, as GraphQL names it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Speaks {
    /// `User`, `Bot` …
    #[serde(rename = "__typename")]
    pub kind: String,
    /// Its name; that of a bot without the suffix that it has elsewhere.
    pub login: String,
}

/// No walk is longer, in commits: what was approved waits for its file no longer than that.
const MOST_COMMITS: usize = 500;

impl Behind {
    /// Nothing yet.
    pub fn of(from: &Sha) -> Self {
        Self { from: from.clone(), passed: Vec::new(), merged: BTreeMap::new(), next: Next::Start }
    }

    /// The place in the mainline of the commit that brought a pull request's merge; none if nobody got that far.
    pub fn place_of(&self, number: u64) -> Option<usize> {
        self.places().get(&self.merged.get(&number)?.commit).copied()
    }

    /// A commit that was passed.
    pub fn passed(&self, commit: &Sha) -> Option<&Passed> {
        self.passed.iter().find(|passed| passed.commit == *commit)
    }

    /// The commits that the branch itself went through, the newest first: what a merge brought along is not among them.
    pub fn mainline(&self) -> Vec<&Passed> {
        let all: BTreeMap<&Sha, &Passed> =
            self.passed.iter().map(|passed| (&passed.commit, passed)).collect();
        let first = all.get(&self.from).copied();
        std::iter::successors(first, |passed| all.get(passed.parents.first()?).copied()).collect()
    }

    /// The wanted pull requests, the earliest first, each with the place in the mainline of the commit that brought it. One
    /// that was merged into another branch is none.
    pub fn wanted(&self) -> Vec<(usize, &Merged)> {
        let places = self.places();
        let depth = |commit: &Sha| self.passed.iter().position(|passed| passed.commit == *commit);
        let found = self.merged.values().filter(|merged| merged.is_wanted);
        let mut found: Vec<(usize, usize, &Merged)> = found
            .filter_map(|merged| Some((*places.get(&merged.commit)?, depth(&merged.commit)?, merged)))
            .collect();
        found.sort_by_key(|(place, depth, _)| std::cmp::Reverse((*place, *depth)));
        found.into_iter().map(|(place, _, merged)| (place, merged)).collect()
    }

    /// Each commit with the place in the mainline of the one that brought it.
    fn places(&self) -> BTreeMap<&Sha, usize> {
        let all: BTreeMap<&Sha, &Passed> =
            self.passed.iter().map(|passed| (&passed.commit, passed)).collect();
        let mut places = BTreeMap::new();
        for (place, passed) in self.mainline().into_iter().enumerate().rev() {
            let mut ahead = vec![passed];
            while let Some(passed) = ahead.pop() {
                if places.contains_key(&passed.commit) {
                    continue;
                }
                places.insert(&passed.commit, place);
                ahead.extend(passed.parents.iter().filter_map(|parent| all.get(parent).copied()));
            }
        }
        places
    }
}

impl Walk<'_> {
    /// Goes on by a page; false if there is none. `wanted` looks at what was said below a pull request.
    pub async fn further(
        &self,
        client: &Client,
        behind: &mut Behind,
        wanted: impl Fn(&Spoken) -> bool,
    ) -> Result<bool, GithubProblem> {
        let after = match &behind.next {
            Next::Start => None,
            Next::After(cursor) => Some(cursor.clone()),
            Next::End => return Ok(false),
        };
        let call = endpoint::merged(self.repository, &behind.from, self.folder, after.as_deref());
        let answer: Answer = match client.json(&call).await {
            // A server without GraphQL cannot say whether a comment was edited: nothing is approved there.
            Err(problem) if problem.is_not_found() && after.is_none() => {
                behind.next = Next::End;
                return Ok(false);
            }
            answer => answer?,
        };
        let history = answer.history(&call)?;
        for commit in history.nodes {
            let merged = match commit.pulls {
                Some(pulls) if pulls.nodes.len() as u64 >= pulls.total => {
                    let here = pulls.nodes.into_iter().filter(|pull| self.is_here(pull));
                    here.filter_map(|pull| pull.merged(&wanted)).collect()
                }
                // What did not come along is asked for, whatever was said below it.
                _ => self.merged_by(client, &commit.oid).await?,
            };
            behind.passed.push(Passed {
                is_inner: merged.iter().any(|merged| merged.commit != commit.oid),
                commit: commit.oid,
                parents: commit.parents.nodes.into_iter().map(|Oid { oid }| oid).collect(),
                folder: commit.folder.map(|folder| folder.oid),
            });
            for merged in merged {
                let known = behind.merged.entry(merged.number).or_insert_with(|| merged.clone());
                known.is_wanted |= merged.is_wanted;
            }
        }
        let more = history.page.cursor.filter(|_| history.page.more && behind.passed.len() < MOST_COMMITS);
        behind.next = more.map_or(Next::End, Next::After);
        Ok(true)
    }

    /// It was merged into this branch.
    fn is_here(&self, pull: &RemotePull) -> bool {
        // GitHub names those of forks and of the repository that this one is a fork of, too.
        let name = self.repository.to_string();
        let is_here = pull.repository.as_ref().is_some_and(|there| there.name.eq_ignore_ascii_case(&name));
        is_here && pull.merged && pull.branch == self.branch
    }

    /// The pull requests that were merged into this branch and brought a commit.
    async fn merged_by(&self, client: &Client, commit: &Sha) -> Result<Vec<Merged>, GithubProblem> {
        let call = endpoint::pulls_of(self.repository, commit);
        let pulls: Vec<Pull> = client.all(&call, |page: Vec<Pull>| page).await?;
        let is_here = |pull: &Pull| {
            let base = pull.base.repo.as_ref().map(|there| there.full_name.to_string().to_lowercase());
            base == Some(self.repository.to_string().to_lowercase()) && pull.base.branch == self.branch
        };
        let merged = |pull: Pull| {
            let commit = pull.merge_commit_sha.filter(|_| pull.merged_at.is_some())?;
            Some(Merged { number: pull.number, commit, is_wanted: true })
        };
        Ok(pulls.into_iter().filter(is_here).filter_map(merged).collect())
    }
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
    parents: Parents,
    #[serde(rename = "file")]
    folder: Option<Folder>,
    #[serde(rename = "associatedPullRequests")]
    pulls: Option<List<RemotePull>>,
}

#[derive(Deserialize)]
struct Parents {
    nodes: Vec<Oid>,
}

#[derive(Deserialize)]
struct Folder {
    oid: String,
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
    comments: List<Spoken>,
}

impl RemotePull {
    fn merged(self, wanted: impl Fn(&Spoken) -> bool) -> Option<Merged> {
        let said = &self.comments;
        let is_wanted = said.nodes.len() as u64 != said.total || said.nodes.iter().any(wanted);
        Some(Merged { number: self.number, commit: self.commit?.oid, is_wanted })
    }
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
