//! Pull requests.

use serde_json::json;

use crate::github::fake::answer::{Answer, Handled};
use crate::github::fake::render;
use crate::github::fake::visit::Visit;
use crate::github::fake::world::{Pull, Repository, World};

fn find<'a>(repository: &'a Repository, visit: &Visit) -> Result<&'a Pull, Answer> {
    repository.pulls.get(&visit.number("pull_number")).ok_or_else(Answer::not_found)
}

pub(crate) fn get(world: &mut World, visit: &Visit) -> Handled {
    let repository = visit.repo(world);
    Ok(Answer::json(200, render::pull(world, repository, find(repository, visit)?)))
}

/// Newest first. A filter `head` without an owner filters nothing.
pub(crate) fn list(world: &mut World, visit: &Visit) -> Handled {
    let repository = visit.repo(world);
    let state = visit.query.get("state").map_or("open", String::as_str);
    let head = visit.query.get("head").and_then(|head| head.split_once(':'));
    let base = visit.query.get("base");
    let wanted = |pull: &&Pull| {
        let owner = pull.head_repository.0.split('/').next();
        (state == "all" || pull.state == state)
            && head.is_none_or(|(of, branch)| owner == Some(of) && pull.head == branch)
            && base.is_none_or(|base| pull.base == *base)
    };
    let pulls = repository.pulls.values().rev().filter(wanted);
    visit.list(pulls.map(|pull| render::pull(world, repository, pull)).collect())
}

/// Against where head and base parted.
pub(crate) fn files(world: &mut World, visit: &Visit) -> Handled {
    let pull = find(visit.repo(world), visit)?;
    let Some(base) = world.graph.merge_base(&pull.base_sha, &pull.head_sha) else {
        return visit.list(Vec::new());
    };
    let changes = world.graph.changes(&base, &pull.head_sha).into_iter().map(|change| {
        let mut file = json!({ "filename": change.path, "status": change.status, "sha": pull.head_sha });
        if let Some(previous) = change.previous {
            file["previous_filename"] = json!(previous);
        }
        file
    });
    visit.list(changes.collect())
}

/// The pull requests that brought a commit, or want to. The base repository knows nothing of a fork's commit before it is
/// merged.
pub(crate) fn of_commit(world: &mut World, visit: &Visit) -> Handled {
    let repository = visit.repo(world);
    let name = visit.parameter("commit_sha");
    let commit = visit.commit(world, name).ok_or_else(|| Answer::no_commit(name))?;
    let brings = |pull: &&Pull| match &pull.merged_as {
        Some(merged) => *merged == commit || world.graph.only(merged, &pull.base_sha).contains(&commit),
        None => {
            pull.head_repository.0 == repository.name
                && world.graph.only(&pull.head_sha, &pull.base_sha).contains(&commit)
        }
    };
    let pulls = repository.pulls.values().filter(brings);
    visit.list(pulls.map(|pull| render::pull(world, repository, pull)).collect())
}
