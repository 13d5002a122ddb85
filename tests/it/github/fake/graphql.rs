//! The few GraphQL documents that are understood, told apart by the field they ask for. All answer 200; errors are in it.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rankhold::github::Sha;
use serde_json::{Value, json};

use super::answer::{Answer, Handled};
use super::graph::{Commit, Entry};
use super::token::{Access, Grant};
use super::world::{Comment, Pull, World};

/// Answers a document with its variables; an error if it is none of those that are understood.
pub(crate) fn answer(world: &mut World, grant: Option<&Grant>, body: &Value) -> Result<Handled, String> {
    let Some(grant) = grant else {
        return Ok(Err(Answer::refusal(401, "This endpoint requires you to be authenticated.")));
    };
    let document = body["query"].as_str().unwrap_or_default();
    let variables = &body["variables"];
    if document.contains("createCommitOnBranch") && world.old {
        let message = "Field 'createCommitOnBranch' doesn't exist on type 'Mutation'";
        return Ok(Ok(Answer::json(200, json!({ "errors": [{ "message": message }] }))));
    }
    if document.contains("createCommitOnBranch") {
        return Ok(Ok(Answer::json(200, commit(world, grant, &variables["input"]))));
    }
    if document.contains("lastEditedAt") {
        return Ok(Ok(Answer::json(200, last_edited(world, &variables["id"]))));
    }
    if document.contains("associatedPullRequests") {
        return Ok(Ok(Answer::json(200, merged(world, grant, &body["variables"]))));
    }
    if document.contains("viewer") {
        return Ok(Ok(Answer::json(200, json!({ "data": { "viewer": { "login": grant.login() } } }))));
    }
    Err(format!("a GraphQL document that the stand-in does not know: {document}"))
}

/// When a comment was last edited, by its `node_id`; null if never.
fn last_edited(world: &World, id: &Value) -> Value {
    let comments = world.repositories.values().flat_map(|repository| repository.comments.values());
    let found = comments.into_iter().find(|comment| *id == format!("IC_{}", comment.id));
    match found {
        Some(comment) => json!({ "data": { "node": { "lastEditedAt": comment.edited } } }),
        None => {
            error("node", "NOT_FOUND", &format!("Could not resolve to a node with the global id of '{id}'"))
        }
    }
}

/// The commits behind a commit, newest first, each with the pull requests that brought it.
fn merged(world: &World, grant: &Grant, variables: &Value) -> Value {
    let text = |name: &str| variables[name].as_str().unwrap_or_default();
    let number = |name: &str| usize::try_from(variables[name].as_u64().unwrap_or(0)).unwrap();
    let name = format!("{}/{}", text("owner"), text("name"));
    let Some(repository) = world.repositories.get(&name).filter(|_| grant.may_see(world, &name)) else {
        let message = format!("Could not resolve to a Repository with the name '{name}'.");
        return error("repository", "NOT_FOUND", &message);
    };
    let Some(start) = Sha::new(text("commit")).filter(|sha| world.graph.get(sha).is_some()) else {
        return json!({ "data": { "repository": { "object": null } } });
    };
    let all = world.graph.history(&start);
    let skipped: usize = text("after").parse().unwrap_or(0);
    let page: Vec<Sha> = all.iter().skip(skipped).take(number("commits")).cloned().collect();
    let end = skipped + page.len();
    let pulls_of = |commit: &Sha| -> Vec<Value> {
        let pulls = repository.pulls.values().filter(|pull| pull.brings(world, repository, commit));
        let spoken = |pull: &Pull| {
            let comments = world.comments(&name, pull.number);
            let nodes: Vec<_> =
                comments.iter().take(number("comments")).map(|one| said(world, one)).collect();
            json!({ "totalCount": comments.len(), "nodes": nodes })
        };
        pulls
            .take(number("pulls"))
            .map(|pull| {
                json!({
                    "number": pull.number,
                    "merged": pull.merged_as.is_some(),
                    "baseRefName": pull.base,
                    "baseRepository": { "nameWithOwner": name },
                    "mergeCommit": pull.merged_as.as_ref().map(|sha| json!({ "oid": sha })),
                    "comments": spoken(pull),
                })
            })
            .collect()
    };
    // Those of forks come along (intuit/auto#535, release-drafter#221).
    let of_forks = |commit: &Sha| -> Vec<Value> {
        let theirs = repository.brought_elsewhere.iter().filter(|(brought, _, _)| brought == commit);
        let theirs = theirs.map(|(_, number, body)| {
            json!({
                "number": number, "merged": true, "baseRefName": "main",
                "baseRepository": { "nameWithOwner": "mallory/garden" }, "mergeCommit": { "oid": commit },
                "comments": {
                    "totalCount": 1,
                    "nodes": [{ "body": body, "author": { "__typename": "Bot", "login": "github-actions" } }],
                },
            })
        });
        theirs.collect()
    };
    let of_commit = |sha: &Sha| {
        let total = repository.pulls.values().filter(|pull| pull.brings(world, repository, sha)).count();
        let nodes: Vec<_> = of_forks(sha).into_iter().chain(pulls_of(sha)).take(number("pulls")).collect();
        let total = total + of_forks(sha).len();
        let parents = &world.graph.get(sha).expect("it was passed").parents;
        let parents: Vec<_> =
            parents.iter().take(number("parents")).map(|sha| json!({ "oid": sha })).collect();
        let folder = world.graph.folder(sha, text("folder")).map(|oid| json!({ "oid": oid }));
        json!({
            "oid": sha, "parents": { "nodes": parents }, "file": folder,
            "associatedPullRequests": { "totalCount": total, "nodes": nodes },
        })
    };
    let nodes: Vec<_> = page.iter().map(of_commit).collect();
    let page_info = json!({ "endCursor": end.to_string(), "hasNextPage": end < all.len() });
    json!({ "data": { "repository": { "object": { "history": { "pageInfo": page_info, "nodes": nodes } } } } })
}

/// A comment with its author, of whom a bot has no suffix here.
fn said(world: &World, comment: &Comment) -> Value {
    let author =
        world.users.contains_key(&comment.author).then(|| match comment.author.strip_suffix("[bot]") {
            Some(slug) => json!({ "__typename": "Bot", "login": slug }),
            None => json!({ "__typename": "User", "login": comment.author }),
        });
    json!({ "body": comment.body, "author": author })
}

/// A commit on a branch whose tip is the expected one, and on no other.
fn commit(world: &mut World, grant: &Grant, input: &Value) -> Value {
    let field = "createCommitOnBranch";
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (name, branch) =
        (text(&input["branch"]["repositoryNameWithOwner"]), text(&input["branch"]["branchName"]));
    let may = match grant {
        Grant::App { repository, permissions, .. } => {
            *repository == name && permissions.get("contents") == Some(&Access::Write)
        }
        Grant::Person { login } => {
            world.repositories.get(&name).is_some_and(|there| there.roles.contains_key(login))
        }
    };
    if !may {
        return error(field, "FORBIDDEN", "Resource not accessible by integration");
    }
    let repository = world.repo(&name);
    let Some(tip) = repository.branches.get(&branch).cloned() else {
        return error(field, "NOT_FOUND", &format!("A ref named \"{branch}\" does not exist"));
    };
    let expected = text(&input["expectedHeadOid"]);
    if Sha::new(&expected).as_ref() != Some(&tip) {
        // GitHub's words (planetscale/ghcommit#153).
        let message =
            format!("Expected branch to point to \"{expected}\" but it did not.  Pull and try again.");
        return error(field, "STALE_DATA", &message);
    }
    if repository.protected.contains(&branch) {
        return error(field, "UNPROCESSABLE", "Changes must be made through a pull request.");
    }
    let mut tree = world.graph.tree(&tip).clone();
    for addition in input["fileChanges"]["additions"].as_array().into_iter().flatten() {
        let Ok(bytes) = BASE64_STANDARD.decode(text(&addition["contents"])) else {
            return error(field, "UNPROCESSABLE", "contents is no base64");
        };
        tree.insert(text(&addition["path"]), Entry::File(bytes));
    }
    for deletion in input["fileChanges"]["deletions"].as_array().into_iter().flatten() {
        tree.remove(&text(&deletion["path"]));
    }
    let message = text(&input["message"]["headline"]);
    let sha = world.graph.add(Commit { parents: vec![tip], tree, author: grant.login(), message });
    world.push(&name, &branch, &sha);
    json!({ "data": { "createCommitOnBranch": { "commit": { "oid": sha, "url": "https://github.invalid/commit" } } } })
}

fn error(field: &str, kind: &str, message: &str) -> Value {
    json!({ "data": { field: null }, "errors": [{ "type": kind, "path": [field], "message": message }] })
}
