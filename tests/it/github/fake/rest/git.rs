//! Git's objects, one by one.

use rankhold::github::Sha;
use serde_json::json;

use crate::github::fake::answer::{Answer, Handled};
use crate::github::fake::graph::{Commit, Entry, tree_name};
use crate::github::fake::visit::Visit;
use crate::github::fake::world::World;

fn named(text: Option<&str>) -> Option<Sha> {
    Sha::new(text?)
}

/// Another tree's files, with changes; an entry whose object is null goes.
pub(crate) fn create_tree(world: &mut World, visit: &Visit) -> Handled {
    let base = named(visit.body["base_tree"].as_str());
    let base = base.and_then(|name| world.graph.tree_named(&name).or_else(|| world.trees.get(&name)));
    let mut tree = base.ok_or_else(|| Answer::refusal(422, "base_tree is not a valid tree oid"))?.clone();
    for entry in visit.body["tree"].as_array().into_iter().flatten() {
        let path = entry["path"].as_str().unwrap_or_default().to_owned();
        match entry["content"].as_str() {
            Some(text) => drop(tree.insert(path, Entry::File(text.as_bytes().to_vec()))),
            None if entry.get("sha").is_some_and(serde_json::Value::is_null) => {
                tree.remove(&path).ok_or_else(|| Answer::refusal(422, "GitRPC::BadObjectState"))?;
            }
            None => return Err(Answer::refusal(422, "Must supply either content or sha")),
        }
    }
    let name = tree_name(&tree);
    world.trees.insert(name.clone(), tree);
    Ok(Answer::json(
        201,
        json!({ "sha": name, "url": "https://github.invalid/tree", "truncated": false, "tree": [] }),
    ))
}

pub(crate) fn create_commit(world: &mut World, visit: &Visit) -> Handled {
    let name = named(visit.body["tree"].as_str());
    let tree = name.as_ref().and_then(|name| world.trees.get(name).or_else(|| world.graph.tree_named(name)));
    let tree = tree.ok_or_else(|| Answer::refusal(422, "Tree SHA does not exist"))?.clone();
    let parents: Vec<Sha> = visit.body["parents"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|sha| named(sha.as_str()))
        .collect();
    if parents.iter().any(|parent| world.graph.get(parent).is_none()) {
        return Err(Answer::refusal(422, "Parent SHA does not exist or is not a commit object"));
    }
    let message = visit.text("message").unwrap_or_default();
    let sha = world.graph.add(Commit { parents, tree, author: visit.login(), message: message.clone() });
    let person =
        json!({ "name": visit.login(), "email": "nobody@github.invalid", "date": "2026-01-01T00:00:00Z" });
    let mut body = super::super::render::commit(world, &sha);
    body["message"] = json!(message);
    body["author"] = person.clone();
    body["committer"] = person;
    body["tree"] = json!({ "sha": name, "url": "https://github.invalid/tree" });
    Ok(Answer::json(201, body))
}

fn reference(branch: &str, at: &Sha) -> serde_json::Value {
    let url = "https://github.invalid/ref";
    json!({ "ref": format!("refs/heads/{branch}"), "node_id": "R", "url": url, "object": { "type": "commit", "sha": at, "url": url } })
}

pub(crate) fn create_reference(world: &mut World, visit: &Visit) -> Handled {
    let name = visit.text("ref").unwrap_or_default();
    let branch = name
        .strip_prefix("refs/heads/")
        .ok_or_else(|| Answer::refusal(422, "Reference name must start with 'refs/'"))?;
    let at = named(visit.body["sha"].as_str()).filter(|sha| world.graph.get(sha).is_some());
    let at = at.ok_or_else(|| Answer::refusal(422, "Object does not exist"))?;
    if visit.repo(world).branches.contains_key(branch) {
        return Err(Answer::refusal(422, "Reference already exists"));
    }
    world.push(&visit.repository, branch, &at);
    Ok(Answer::json(201, reference(branch, &at)))
}

/// Without `force` only to what has the present tip behind it.
pub(crate) fn update_reference(world: &mut World, visit: &Visit) -> Handled {
    let name = visit.parameter("ref");
    let branch = name.strip_prefix("heads/").unwrap_or(name);
    let there = visit.repo(world).branches.get(branch).cloned();
    let there = there.ok_or_else(|| Answer::refusal(422, "Reference does not exist"))?;
    let at = named(visit.body["sha"].as_str()).filter(|sha| world.graph.get(sha).is_some());
    let at = at.ok_or_else(|| Answer::refusal(422, "Object does not exist"))?;
    if visit.repo(world).protected.contains(branch) {
        return Err(Answer::refusal(422, "Changes must be made through a pull request."));
    }
    let forced = visit.body["force"].as_bool().unwrap_or(false);
    if !forced && !world.graph.ancestors(&at).contains(&there) {
        return Err(Answer::refusal(422, "Update is not a fast forward"));
    }
    world.push(&visit.repository, branch, &at);
    Ok(Answer::json(200, reference(branch, &at)))
}
