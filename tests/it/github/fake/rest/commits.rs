//! Commits, branches, and how commits lie to each other.

use serde_json::{Value, json};

use crate::github::fake::answer::{Answer, Handled};
use crate::github::fake::graph::Change;
use crate::github::fake::render;
use crate::github::fake::visit::{Visit, linked};
use crate::github::fake::world::World;

pub(crate) fn get(world: &mut World, visit: &Visit) -> Handled {
    let name = visit.parameter("ref");
    let commit = visit.commit(world, name).ok_or_else(|| Answer::no_commit(name))?;
    let mut body = render::commit(world, &commit);
    if let Some(parent) = world.graph.get(&commit).and_then(|commit| commit.parents.first()) {
        body["files"] = files(&world.graph.changes(parent, &commit));
    }
    Ok(Answer::json(200, body))
}

/// Behind a branch or commit, the newest first.
pub(crate) fn list(world: &mut World, visit: &Visit) -> Handled {
    let repository = visit.repo(world);
    let name = visit.query.get("sha").unwrap_or(&repository.default_branch);
    let commit = visit.commit(world, name).ok_or_else(Answer::not_found)?;
    let found = world.graph.history(&commit);
    visit.list(found.iter().map(|sha| render::commit(world, sha)).collect())
}

pub(crate) fn branch(world: &mut World, visit: &Visit) -> Handled {
    let name = visit.parameter("branch");
    let repository = visit.repo(world);
    let tip = repository.branches.get(name).ok_or_else(|| Answer::refusal(404, "Branch not found"))?;
    let protected = repository.protected.contains(name);
    let body = json!({ "name": name, "commit": render::commit(world, tip), "protected": protected });
    Ok(Answer::json(200, body))
}

/// The second against where it parted from the first. Files come with the first page of commits alone.
pub(crate) fn compare(world: &mut World, visit: &Visit) -> Handled {
    let ends = visit.parameter("basehead").split_once("...").ok_or_else(Answer::not_found)?;
    let find = |name: &str| visit.commit(world, name).ok_or_else(Answer::not_found);
    let (base, head) = (find(ends.0)?, find(ends.1)?);
    let unrelated =
        || Answer::refusal(404, &format!("No common ancestor between {} and {}.", ends.0, ends.1));
    let parted = world.graph.merge_base(&base, &head).ok_or_else(unrelated)?;
    let (ahead, behind) = (world.graph.only(&head, &base), world.graph.only(&base, &head));
    let status = match (ahead.is_empty(), behind.is_empty()) {
        (true, true) => "identical",
        (false, true) => "ahead",
        (true, false) => "behind",
        (false, false) => "diverged",
    };
    let (commits, link) = visit.page(ahead.iter().map(|sha| render::commit(world, sha)).collect());
    let mut body = json!({
        "status": status,
        "ahead_by": ahead.len(),
        "behind_by": behind.len(),
        "total_commits": ahead.len(),
        "commits": commits,
        "base_commit": render::commit(world, &base),
        "merge_base_commit": render::commit(world, &parted),
    });
    if visit.query.get("page").is_none_or(|page| page == "1") {
        body["files"] = files(&world.graph.changes(&parted, &head));
    }
    Ok(linked(Answer::json(200, body), link))
}

fn files(changes: &[Change]) -> Value {
    changes
        .iter()
        .map(|change| json!({ "filename": change.path, "status": change.status, "sha": null }))
        .collect()
}
