//! A commit by compare-and-swap: on a branch whose tip is the expected one, and on no other.

use serde::Deserialize;

use super::endpoint::Changes;
use super::problem::asked;
use super::{
    Branch, Call, Client, Commit, Compare, GithubProblem, Named, PullFile, Repository, Sha, endpoint, file_at,
};

/// What is to be committed where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCommit {
    /// The branch.
    pub branch: String,
    /// Its tip, on which the commit stands.
    pub expected: Sha,
    /// The message. Nothing that a person typed: it would act where the commit lands.
    pub headline: String,
    /// The files.
    pub changes: Changes,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Swap {
    /// It is the branch's tip.
    Committed(Sha),
    /// The branch has another tip by now: nothing was written.
    Moved,
}

/// Commits, once: where an answer was lost, the branch is looked at before another attempt.
pub async fn commit(
    client: &Client,
    repository: &Repository,
    new: &NewCommit,
) -> Result<Swap, GithubProblem> {
    let NewCommit { branch, expected, headline, changes } = new;
    let call = endpoint::create_commit(repository, branch, expected, headline, changes);
    let look = async || {
        let tip: Branch = client.json(&endpoint::branch(repository, branch)).await?;
        if tip.commit.sha == *expected {
            return Ok(None);
        }
        let commit: Commit = client.json(&endpoint::commit(repository, &tip.commit.sha)).await?;
        let is_ours = commit.parents.len() == 1
            && commit.parents[0].sha == *expected
            && commit.commit.as_ref().is_some_and(|inside| inside.message == *headline);
        // Somebody else was faster: another attempt would be refused, and says so. He may have been another run of ours
        // that approved the same, whose files name another comment.
        if !is_ours || !holds(client, repository, changes, &commit.sha).await? {
            return Ok(None);
        }
        Ok(Some(Answer::committed(commit.sha)))
    };
    let answer = match client.once::<Answer, _>(&call, look).await {
        Err(problem) if problem.is_not_found() => return by_hand(client, repository, new).await,
        answer => answer?.into_inner(),
    };
    if let Some(made) = answer.data.and_then(|data| data.created) {
        return Ok(Swap::Committed(made.commit.oid));
    }
    let error = answer.errors.into_iter().next().unwrap_or_default();
    match error.kind.as_deref() {
        Some("STALE_DATA") => Ok(Swap::Moved),
        // Older servers name no type.
        _ if error.message.contains("Expected branch to point to") => Ok(Swap::Moved),
        // And still older ones do not know how.
        _ if error.message.contains("doesn't exist on type 'Mutation'") => {
            by_hand(client, repository, new).await
        }
        _ => Err(error.problem(&call, "contents: write")),
    }
}

/// The same, object by object, where a server has no request for it: the branch only moves forward.
async fn by_hand(client: &Client, repository: &Repository, new: &NewCommit) -> Result<Swap, GithubProblem> {
    let NewCommit { branch, expected, headline, changes } = new;
    let tip: Branch = client.json(&endpoint::branch(repository, branch)).await?;
    if tip.commit.sha != *expected {
        return Ok(Swap::Moved);
    }
    let made = loose_commit(client, repository, expected, headline, changes).await?;
    // Moving forward is not the same as moving from there: the tip is looked at as late as can be.
    let tip: Branch = client.json(&endpoint::branch(repository, branch)).await?;
    if tip.commit.sha != *expected {
        return Ok(Swap::Moved);
    }
    match client.done(&endpoint::move_branch(repository, branch, &made, false)).await {
        Ok(()) => Ok(Swap::Committed(made)),
        Err(GithubProblem::Refused { status: 422, message, .. }) if message.contains("fast forward") => {
            // An attempt whose answer was lost may have moved it, and somebody may have gone on from there.
            let tip: Branch = client.json(&endpoint::branch(repository, branch)).await?;
            let since: Compare = client.json(&endpoint::compare(repository, &made, &tip.commit.sha)).await?;
            let is_there = matches!(since.status.as_str(), "ahead" | "identical");
            Ok(if is_there { Swap::Committed(made) } else { Swap::Moved })
        }
        Err(problem) => Err(problem),
    }
}

/// A commit that no branch has. Made twice it is there twice, and nobody sees the other.
pub async fn loose_commit(
    client: &Client,
    repository: &Repository,
    parent: &Sha,
    message: &str,
    changes: &Changes,
) -> Result<Sha, GithubProblem> {
    let call = endpoint::commit(repository, parent);
    let there: Commit = client.json(&call).await?;
    let tree = there.commit.and_then(|inside| inside.tree).ok_or_else(|| GithubProblem::Unreadable {
        asked: asked(&call),
        message: "the commit has no tree".to_owned(),
    })?;
    let again = async || Ok(None);
    let tree = client.once::<Named, _>(&endpoint::create_tree(repository, &tree.sha, changes), again).await?;
    let tree = tree.into_inner().sha;
    let call = endpoint::create_loose_commit(repository, &tree, parent, message);
    Ok(client.once::<Named, _>(&call, again).await?.into_inner().sha)
}

/// A commit has the files as they were to be written, and none of those that were to go.
pub async fn holds(
    client: &Client,
    repository: &Repository,
    changes: &Changes,
    at: &Sha,
) -> Result<bool, GithubProblem> {
    for (path, bytes) in &changes.written {
        if file_at(client, repository, path, at).await?.as_ref() != Some(bytes) {
            return Ok(false);
        }
    }
    for path in &changes.removed {
        if file_at(client, repository, path, at).await?.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A commit differs from its parent in those files alone, and has them as they were to be: whoever made it, it is what we
/// would have made.
pub async fn is_nothing_but(
    client: &Client,
    repository: &Repository,
    changes: &Changes,
    parent: &Sha,
    commit: &Sha,
) -> Result<bool, GithubProblem> {
    /// GitHub lists no more files, without a word about the rest.
    const LISTED: usize = 300;
    let compare: Compare = client.json(&endpoint::commits_between(repository, parent, commit)).await?;
    let meant = |file: &PullFile| {
        let is_written = changes.written.iter().any(|(path, _)| *path == file.filename);
        (is_written || changes.removed.contains(&file.filename)) && file.status != "renamed"
    };
    let only = compare.files.len() < LISTED && compare.files.iter().all(meant);
    Ok(only && holds(client, repository, changes, commit).await?)
}

/// GraphQL answers with 200 whatever happened.
#[derive(Deserialize)]
struct Answer {
    data: Option<Data>,
    #[serde(default)]
    errors: Vec<GraphError>,
}

#[derive(Deserialize)]
struct Data {
    #[serde(rename = "createCommitOnBranch")]
    created: Option<Created>,
}

#[derive(Deserialize)]
struct Created {
    commit: Oid,
}

#[derive(Deserialize)]
struct Oid {
    oid: Sha,
}

/// What went wrong, in GraphQL's way.
#[derive(Default, Deserialize)]
pub(super) struct GraphError {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: String,
}

impl GraphError {
    /// The same as of any other request.
    pub(super) fn problem(self, call: &Call, permission: &'static str) -> GithubProblem {
        let asked = asked(call);
        match self.kind.as_deref() {
            Some("FORBIDDEN") => {
                GithubProblem::Forbidden { asked, message: self.message, permission: Some(permission) }
            }
            _ => GithubProblem::Refused { asked, status: 200, message: self.message },
        }
    }
}

impl Answer {
    fn committed(oid: Sha) -> Self {
        Self { data: Some(Data { created: Some(Created { commit: Oid { oid } }) }), errors: Vec::new() }
    }
}
