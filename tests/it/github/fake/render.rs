//! How the world looks in JSON: what our code may read and what tells things apart. The description fills in the rest.

use rankhold::github::Sha;
use serde_json::{Value, json};

use super::graph::tree_name;
use super::token::App;
use super::world::{Artifact, Check, Comment, Pull, Repository, Run, Status, World};

/// An account; null if there is none of that name any more.
pub(crate) fn user(world: &World, login: &str) -> Value {
    let (kind, home) = match login.strip_suffix("[bot]") {
        Some(slug) => ("Bot", page(&format!("apps/{slug}"))),
        None => ("User", page(login)),
    };
    let of = |id: &u64| json!({ "login": login, "id": id, "type": kind, "html_url": home });
    world.users.get(login).map_or(Value::Null, of)
}

pub(crate) fn repository(world: &World, repository: &Repository) -> Value {
    json!({
        "id": repository.id,
        "name": repository.name.split('/').nth(1),
        "full_name": repository.name,
        "owner": user(world, repository.owner()),
        "private": repository.private,
        "visibility": if repository.private { "private" } else { "public" },
        "fork": repository.fork_of.is_some(),
        "default_branch": repository.default_branch,
        "html_url": page(&repository.name),
    })
}

pub(crate) fn pull(world: &World, base: &Repository, pull: &Pull) -> Value {
    let (name, id) = &pull.head_repository;
    let head = world.repositories.get(name).filter(|repository| repository.id == *id);
    let owner = name.split('/').next().unwrap();
    let changed = world.graph.only(&pull.head_sha, &pull.base_sha).len();
    json!({
        "number": pull.number,
        "state": pull.state,
        "draft": pull.draft,
        "title": pull.title,
        "body": pull.body,
        "user": user(world, &pull.author),
        "author_association": "NONE",
        "html_url": page(&format!("{}/pull/{}", base.name, pull.number)),
        "head": {
            "label": format!("{owner}:{}", pull.head),
            "ref": pull.head,
            "sha": pull.head_sha,
            "user": user(world, owner),
            "repo": head.map(|head| repository(world, head)),
        },
        "base": {
            "label": format!("{}:{}", base.owner(), pull.base),
            "ref": pull.base,
            "sha": pull.base_sha,
            "user": user(world, base.owner()),
            "repo": repository(world, base),
        },
        "merged": pull.merged_as.is_some(),
        "merged_at": pull.merged_at,
        "merge_commit_sha": pull.merged_as,
        "commits": changed,
        "comments": base.comments.values().filter(|comment| comment.pull == pull.number).count(),
    })
}

pub(crate) fn comment(world: &World, repository: &Repository, comment: &Comment) -> Value {
    json!({
        "id": comment.id,
        "node_id": format!("IC_{}", comment.id),
        "body": comment.body,
        "user": user(world, &comment.author),
        "author_association": "NONE",
        "created_at": comment.created,
        "updated_at": comment.updated,
        "issue_url": format!("https://api.github.invalid/repos/{}/issues/{}", repository.name, comment.pull),
        "html_url": page(&format!("{}/pull/{}#issuecomment-{}", repository.name, comment.pull, comment.id)),
    })
}

pub(crate) fn app(app: &App) -> Value {
    json!({ "id": app.id, "slug": app.slug, "name": app.slug })
}

pub(crate) fn check(repository: &Repository, check: &Check) -> Value {
    json!({
        "id": check.id,
        "name": check.name,
        "head_sha": check.commit,
        "status": check.status,
        "conclusion": check.conclusion,
        "external_id": check.external_id,
        "details_url": check.details_url,
        "html_url": page(&format!("{}/runs/{}", repository.name, check.id)),
        "started_at": check.started,
        "completed_at": check.completed,
        "output": {
            "title": check.title,
            "summary": check.summary,
            "text": check.text,
            "annotations_count": check.annotations.len(),
        },
        "app": app(&check.app),
        // Empty for forks, as GitHub says; nobody may rely on it, so it is empty for all.
        "pull_requests": [],
    })
}

pub(crate) fn status(world: &World, status: &Status) -> Value {
    json!({
        "id": status.id,
        "state": status.state,
        "context": status.context,
        "description": status.description,
        "target_url": status.target,
        "creator": user(world, &status.creator),
        "created_at": status.created,
        "updated_at": status.created,
    })
}

pub(crate) fn commit(world: &World, sha: &Sha) -> Value {
    let commit = world.graph.get(sha).expect("the commit is there");
    let person =
        json!({ "name": commit.author, "email": "nobody@github.invalid", "date": "2026-01-01T00:00:00Z" });
    json!({
        "sha": sha,
        "parents": commit.parents.iter().map(|parent| json!({ "sha": parent })).collect::<Vec<_>>(),
        "commit": {
            "message": commit.message, "author": person, "committer": person,
            "tree": { "sha": tree_name(&commit.tree) },
        },
        "author": user(world, &commit.author),
        "committer": user(world, &commit.author),
    })
}

pub(crate) fn run(world: &World, base: &Repository, run: &Run) -> Value {
    let head = world.repositories.get(&run.head_repository);
    json!({
        "id": run.id,
        "run_attempt": run.attempt,
        "event": run.event,
        "path": run.workflow,
        "status": run.status,
        "conclusion": run.conclusion,
        "head_sha": run.head_sha,
        "head_branch": run.head_branch,
        "head_repository": head.map(|head| repository(world, head)),
        "repository": repository(world, base),
        "run_started_at": run.started,
        // Empty for forks, as GitHub does; nobody may rely on it, so it is empty for all.
        "pull_requests": [],
    })
}

pub(crate) fn artifact(artifact: &Artifact) -> Value {
    json!({
        "id": artifact.id,
        "name": artifact.name,
        "size_in_bytes": artifact.archive.len(),
        "expired": artifact.expired,
        "workflow_run": { "id": artifact.run },
    })
}

fn page(path: &str) -> String {
    format!("https://github.invalid/{path}")
}
