//! Every request we can make, one function each.

use serde_json::{Value, json};

use super::call::{Call, Verb};
use super::{Annotation, Repository, Sha, Status};

/// The most entries a page can have.
pub const PAGE: usize = 100;

/// The most annotations one request can have.
pub const ANNOTATIONS: usize = 50;

/// The line that a workflow's `permissions:` needs for a request, if it needs one beyond `metadata`.
pub(super) fn permission(call: &Call) -> Option<&'static str> {
    let writes = !matches!(call.verb, Verb::Get | Verb::Query);
    let rest = call.route.strip_prefix("/repos/{owner}/{repo}/")?;
    Some(match rest.split('/').collect::<Vec<_>>().as_slice() {
        ["issues" | "pulls", ..] if writes => "pull-requests: write",
        ["issues" | "pulls", ..] | ["commits", _, "pulls"] => "pull-requests: read",
        ["check-runs", ..] if writes => "checks: write",
        ["commits", _, "check-runs"] => "checks: read",
        ["statuses", ..] => "statuses: write",
        ["commits", _, "statuses" | "status"] => "statuses: read",
        ["actions", ..] => "actions: read",
        ["git", ..] if writes => "contents: write",
        _ => "contents: read",
    })
}

fn of(verb: Verb, route: &'static str, repository: &Repository, rest: &[&str]) -> Call {
    let mut parameters = vec![repository.owner.as_str(), repository.name.as_str()];
    parameters.extend(rest);
    Call::new(verb, route, &parameters)
}

/// The repository.
pub fn repository(repository: &Repository) -> Call {
    of(Verb::Get, "/repos/{owner}/{repo}", repository, &[])
}

/// One pull request.
pub fn pull(repository: &Repository, number: u64) -> Call {
    of(Verb::Get, "/repos/{owner}/{repo}/pulls/{pull_number}", repository, &[&number.to_string()])
}

/// The open pull requests from a branch, `owner:branch`.
pub fn pulls_from(repository: &Repository, owner: &str, branch: &str) -> Call {
    of(Verb::Get, "/repos/{owner}/{repo}/pulls", repository, &[])
        .with("state", "open")
        .with("head", format!("{owner}:{branch}"))
}

/// The open pull requests that go to a branch.
pub fn pulls_to(repository: &Repository, branch: &str) -> Call {
    of(Verb::Get, "/repos/{owner}/{repo}/pulls", repository, &[]).with("state", "open").with("base", branch)
}

/// The files that a pull request touches.
pub fn pull_files(repository: &Repository, number: u64) -> Call {
    of(Verb::Get, "/repos/{owner}/{repo}/pulls/{pull_number}/files", repository, &[&number.to_string()])
}

/// The comments of a pull request.
pub fn comments(repository: &Repository, number: u64) -> Call {
    of(Verb::Get, "/repos/{owner}/{repo}/issues/{issue_number}/comments", repository, &[&number.to_string()])
}

/// A new comment.
pub fn create_comment(repository: &Repository, number: u64, body: &str) -> Call {
    of(Verb::Post, "/repos/{owner}/{repo}/issues/{issue_number}/comments", repository, &[&number.to_string()])
        .body(json!({ "body": body }))
}

/// Another text for a comment.
pub fn update_comment(repository: &Repository, id: u64, body: &str) -> Call {
    of(Verb::Patch, "/repos/{owner}/{repo}/issues/comments/{comment_id}", repository, &[&id.to_string()])
        .body(json!({ "body": body }))
}

/// One comment less.
pub fn delete_comment(repository: &Repository, id: u64) -> Call {
    of(Verb::Delete, "/repos/{owner}/{repo}/issues/comments/{comment_id}", repository, &[&id.to_string()])
}

/// One comment of a pull request (or of an issue: GitHub numbers them together).
pub fn comment(repository: &Repository, id: u64) -> Call {
    of(Verb::Get, "/repos/{owner}/{repo}/issues/comments/{comment_id}", repository, &[&id.to_string()])
}

/// A reaction to a comment: `+1`, `-1`, `eyes` … The same twice is one.
pub fn react(repository: &Repository, comment: u64, content: &str) -> Call {
    let route = "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions";
    of(Verb::Post, route, repository, &[&comment.to_string()]).body(json!({ "content": content }))
}

/// What somebody may do in the repository.
pub fn permission_of(repository: &Repository, login: &str) -> Call {
    of(Verb::Get, "/repos/{owner}/{repo}/collaborators/{username}/permission", repository, &[login])
}

/// When a comment was last edited, by its `node_id`.
pub fn last_edited(node: &str) -> Call {
    let query = include_str!("graphql/last_edited.graphql");
    Call::new(Verb::Query, "/graphql", &[]).body(json!({ "query": query, "variables": { "id": node } }))
}

/// Files that a commit writes or removes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Written, by path, with their bytes.
    pub written: Vec<(String, Vec<u8>)>,
    /// Removed, by path.
    pub removed: Vec<String>,
}

/// A commit on a branch, if its tip is the expected one.
pub fn create_commit(
    repository: &Repository,
    branch: &str,
    expected: &Sha,
    headline: &str,
    changes: &Changes,
) -> Call {
    use base64::Engine as _;
    let encode = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
    let written =
        changes.written.iter().map(|(path, bytes)| json!({ "path": path, "contents": encode(bytes) }));
    let removed = changes.removed.iter().map(|path| json!({ "path": path }));
    let input = json!({
        "branch": { "repositoryNameWithOwner": repository.to_string(), "branchName": branch },
        "expectedHeadOid": expected,
        "message": { "headline": headline },
        "fileChanges": { "additions": written.collect::<Vec<_>>(), "deletions": removed.collect::<Vec<_>>() },
    });
    let query = include_str!("graphql/create_commit.graphql");
    Call::new(Verb::Post, "/graphql", &[]).body(json!({ "query": query, "variables": { "input": input } }))
}

/// A tree: another one's files, with changes. Only text can be written this way.
pub fn create_tree(repository: &Repository, on: &Sha, changes: &Changes) -> Call {
    let entry = |path: &str, field: &str, value: Value| json!({ "path": path, "mode": "100644", "type": "blob", field: value });
    let written = changes
        .written
        .iter()
        .map(|(path, bytes)| entry(path, "content", json!(String::from_utf8_lossy(bytes))));
    let removed = changes.removed.iter().map(|path| entry(path, "sha", Value::Null));
    let tree: Vec<Value> = written.chain(removed).collect();
    of(Verb::Post, "/repos/{owner}/{repo}/git/trees", repository, &[])
        .body(json!({ "base_tree": on, "tree": tree }))
}

/// A commit that no branch has yet.
pub fn create_loose_commit(repository: &Repository, tree: &Sha, parent: &Sha, message: &str) -> Call {
    of(Verb::Post, "/repos/{owner}/{repo}/git/commits", repository, &[])
        .body(json!({ "message": message, "tree": tree, "parents": [parent] }))
}

/// A new branch.
pub fn create_branch(repository: &Repository, branch: &str, at: &Sha) -> Call {
    of(Verb::Post, "/repos/{owner}/{repo}/git/refs", repository, &[])
        .body(json!({ "ref": format!("refs/heads/{branch}"), "sha": at }))
}

/// Another tip for a branch; without `force` only one that has the present one behind it.
pub fn move_branch(repository: &Repository, branch: &str, to: &Sha, force: bool) -> Call {
    let reference = format!("heads/{branch}");
    of(Verb::Patch, "/repos/{owner}/{repo}/git/refs/{ref}", repository, &[&reference])
        .body(json!({ "sha": to, "force": force }))
}

/// A new pull request from a branch of the repository.
pub fn create_pull(repository: &Repository, head: &str, base: &str, title: &str, body: &str) -> Call {
    of(Verb::Post, "/repos/{owner}/{repo}/pulls", repository, &[])
        .body(json!({ "head": head, "base": base, "title": title, "body": body }))
}

/// Another text for a pull request.
pub fn update_pull(repository: &Repository, number: u64, title: &str, body: &str) -> Call {
    of(Verb::Patch, "/repos/{owner}/{repo}/pulls/{pull_number}", repository, &[&number.to_string()])
        .body(json!({ "title": title, "body": body }))
}

/// A pull request that is not wanted any more.
pub fn close_pull(repository: &Repository, number: u64) -> Call {
    of(Verb::Patch, "/repos/{owner}/{repo}/pulls/{pull_number}", repository, &[&number.to_string()])
        .body(json!({ "state": "closed" }))
}

/// The check runs of a name on a commit, superseded ones included.
pub fn check_runs(repository: &Repository, commit: &Sha, name: &str) -> Call {
    of(Verb::Get, "/repos/{owner}/{repo}/commits/{ref}/check-runs", repository, &[commit.as_str()])
        .with("check_name", name)
        .with("filter", "all")
}

/// What a check run is to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckFields {
    /// How it ended; none while it goes on.
    pub conclusion: Option<&'static str>,
    /// What its maker says of itself.
    pub external_id: String,
    /// Where the details are.
    pub details_url: Option<String>,
    /// In a line.
    pub title: String,
    /// Markdown, at most 65,535 characters.
    pub summary: String,
    /// Markdown below it, likewise.
    pub text: Option<String>,
    /// At most [`ANNOTATIONS`].
    pub annotations: Vec<Annotation>,
}

impl CheckFields {
    fn body(&self) -> Value {
        let mut output = json!({ "title": self.title, "summary": self.summary });
        if let Some(text) = &self.text {
            output["text"] = json!(text);
        }
        if !self.annotations.is_empty() {
            output["annotations"] = json!(self.annotations);
        }
        let status = if self.conclusion.is_some() { "completed" } else { "in_progress" };
        let mut body = json!({ "status": status, "external_id": self.external_id, "output": output });
        if let Some(conclusion) = self.conclusion {
            body["conclusion"] = json!(conclusion);
        }
        if let Some(url) = &self.details_url {
            body["details_url"] = json!(url);
        }
        body
    }
}

/// A new check run.
pub fn create_check(repository: &Repository, name: &str, commit: &Sha, fields: &CheckFields) -> Call {
    let mut body = fields.body();
    body["name"] = json!(name);
    body["head_sha"] = json!(commit);
    of(Verb::Post, "/repos/{owner}/{repo}/check-runs", repository, &[]).body(body)
}

/// Other fields for a check run. Annotations are added to those it has.
pub fn update_check(repository: &Repository, id: u64, fields: &CheckFields) -> Call {
    of(Verb::Patch, "/repos/{owner}/{repo}/check-runs/{check_run_id}", repository, &[&id.to_string()])
        .body(fields.body())
}

/// A status of a commit; the latest of a context counts.
pub fn create_status(repository: &Repository, commit: &Sha, status: &Status) -> Call {
    let Status { context, state, description, target_url } = status;
    let mut body = json!({ "state": state, "context": context });
    if let Some(description) = description {
        body["description"] = json!(description);
    }
    if let Some(url) = target_url {
        body["target_url"] = json!(url);
    }
    of(Verb::Post, "/repos/{owner}/{repo}/statuses/{sha}", repository, &[commit.as_str()]).body(body)
}

/// The statuses of a commit, the newest first.
pub fn statuses(repository: &Repository, commit: &Sha) -> Call {
    of(Verb::Get, "/repos/{owner}/{repo}/commits/{ref}/statuses", repository, &[commit.as_str()])
}

/// A commit with its parents.
pub fn commit(repository: &Repository, commit: &Sha) -> Call {
    of(Verb::Get, "/repos/{owner}/{repo}/commits/{ref}", repository, &[commit.as_str()])
}

/// How two commits lie to each other.
pub fn compare(repository: &Repository, from: &Sha, to: &Sha) -> Call {
    let range = format!("{from}...{to}");
    of(Verb::Get, "/repos/{owner}/{repo}/compare/{basehead}", repository, &[&range])
        // The files are not needed; they come with the first page alone.
        .with("per_page", 1)
        .with("page", 2)
}

/// The commits that the second has and the first has not, at most 250, and the files that differ, at most 300.
pub fn commits_between(repository: &Repository, from: &Sha, to: &Sha) -> Call {
    let range = format!("{from}...{to}");
    of(Verb::Get, "/repos/{owner}/{repo}/compare/{basehead}", repository, &[&range])
}

/// The pull requests that brought a commit, or want to.
pub fn pulls_of(repository: &Repository, commit: &Sha) -> Call {
    of(Verb::Get, "/repos/{owner}/{repo}/commits/{commit_sha}/pulls", repository, &[commit.as_str()])
}

/// The commits behind a commit, the newest first, each with its parents, a folder's tree, the pull requests that brought it and
/// what was said below them.
pub fn merged(repository: &Repository, commit: &Sha, folder: &str, after: Option<&str>) -> Call {
    let variables = json!({
        "owner": repository.owner,
        "name": repository.name,
        "commit": commit,
        "after": after,
        "folder": folder,
        // GitHub counts what could come: with these numbers a page costs 4 of a thousand points an hour.
        "commits": 50,
        "parents": 10,
        "pulls": 5,
        "comments": 100,
    });
    let query = include_str!("graphql/merged.graphql");
    Call::new(Verb::Query, "/graphql", &[]).body(json!({ "query": query, "variables": variables }))
}

/// A branch with its tip.
pub fn branch(repository: &Repository, name: &str) -> Call {
    of(Verb::Get, "/repos/{owner}/{repo}/branches/{branch}", repository, &[name])
}

/// A file's bytes at a commit.
pub fn file(repository: &Repository, path: &str, at: &Sha) -> Call {
    of(Verb::Get, "/repos/{owner}/{repo}/contents/{path}", repository, &[path]).with("ref", at).raw()
}

/// A file's bytes on the default branch.
pub fn default_file(repository: &Repository, path: &str) -> Call {
    of(Verb::Get, "/repos/{owner}/{repo}/contents/{path}", repository, &[path]).raw()
}

/// A folder's entries at a commit, at most a thousand.
pub fn folder(repository: &Repository, path: &str, at: &Sha) -> Call {
    of(Verb::Get, "/repos/{owner}/{repo}/contents/{path}", repository, &[path]).with("ref", at)
}

/// A workflow run.
pub fn run(repository: &Repository, id: u64) -> Call {
    of(Verb::Get, "/repos/{owner}/{repo}/actions/runs/{run_id}", repository, &[&id.to_string()])
}

/// The artifacts of a workflow run.
pub fn run_artifacts(repository: &Repository, id: u64) -> Call {
    of(Verb::Get, "/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts", repository, &[&id.to_string()])
}

/// Whose token this is.
pub fn viewer() -> Call {
    Call::new(Verb::Query, "/graphql", &[]).body(json!({ "query": include_str!("graphql/viewer.graphql") }))
}

/// Where an artifact's archive is for a minute: the answer is a redirect, to be followed without the token.
pub fn artifact_archive(repository: &Repository, id: u64) -> Call {
    let id = id.to_string();
    let route = "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}";
    of(Verb::Get, route, repository, &[&id, "zip"])
}
