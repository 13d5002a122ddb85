//! Files and folders at a commit.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::github::fake::answer::{Answer, Handled};
use crate::github::fake::graph::{Entry, Tree};
use crate::github::fake::visit::Visit;
use crate::github::fake::world::World;

/// The largest file that comes as JSON.
const LARGEST: usize = 1 << 20;

/// The most entries of a folder. Further ones are left out without a word.
const ENTRIES: usize = 1000;

pub(crate) fn get(world: &mut World, visit: &Visit) -> Handled {
    let repository = visit.repo(world);
    let name = visit.query.get("ref").unwrap_or(&repository.default_branch);
    let no_commit = || Answer::refusal(404, &format!("No commit found for the ref {name}"));
    let commit = visit.commit(world, name).ok_or_else(no_commit)?;
    let tree = world.graph.tree(&commit);
    let path = visit.parameter("path").trim_matches('/');
    let mut entry = tree.get(path);
    // A link to a file of the repository is that file.
    if let Some(Entry::Symlink(target)) = entry {
        entry = tree.get(&beside(path, target)).or(entry);
    }
    match entry {
        Some(Entry::File(bytes)) if visit.raw => {
            Ok(Answer::bytes("application/vnd.github.raw+json", bytes.clone()))
        }
        Some(Entry::Symlink(target)) if visit.raw => {
            Ok(Answer::bytes("application/vnd.github.raw+json", target.clone().into_bytes()))
        }
        Some(Entry::File(bytes)) if bytes.len() > LARGEST => Err(too_large()),
        Some(entry) => Ok(Answer::json(200, whole(path, entry))),
        None => folder(tree, path),
    }
}

fn beside(path: &str, target: &str) -> String {
    let mut parts: Vec<_> = path.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn whole(path: &str, entry: &Entry) -> Value {
    let mut body = described(path, kind(entry), entry);
    match entry {
        Entry::File(bytes) => {
            body["encoding"] = json!("base64");
            body["content"] = json!(BASE64_STANDARD.encode(bytes));
            body["size"] = json!(bytes.len());
        }
        Entry::Symlink(target) => body["target"] = json!(target),
        Entry::Submodule(_) => body["submodule_git_url"] = json!("https://github.invalid/module.git"),
    }
    body
}

fn kind(entry: &Entry) -> &'static str {
    match entry {
        Entry::File(_) => "file",
        Entry::Symlink(_) => "symlink",
        Entry::Submodule(_) => "submodule",
    }
}

fn described(path: &str, kind: &str, entry: &Entry) -> Value {
    let name = path.rsplit('/').next();
    let links = json!({ "self": "https://github.invalid/", "git": null, "html": null });
    json!({ "type": kind, "name": name, "path": path, "sha": entry.object(), "_links": links })
}

/// Its files and folders; a submodule in a list is called a file (until API version 2026-03-10).
fn folder(tree: &Tree, path: &str) -> Handled {
    let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
    let mut entries = BTreeMap::new();
    for (path, entry) in tree.iter().filter(|(path, _)| path.starts_with(&prefix)) {
        let below = &path[prefix.len()..];
        let (name, kind) = match (below.split_once('/'), entry) {
            (Some((folder, _)), _) => (folder, "dir"),
            (None, Entry::Submodule(_)) => (below, "file"),
            (None, entry) => (below, kind(entry)),
        };
        entries.entry(name).or_insert_with(|| described(&format!("{prefix}{name}"), kind, entry));
    }
    if entries.is_empty() && !path.is_empty() {
        return Err(Answer::not_found());
    }
    Ok(Answer::json(200, entries.into_values().take(ENTRIES).collect()))
}

/// GitHub's words (JasonEtco/todo#43, octokit/core.js#414).
fn too_large() -> Answer {
    let message = "This API returns blobs up to 1 MB in size. The requested blob is too large to fetch via the API, \
                   but you can use the Git Data API to request blobs up to 100 MB in size.";
    Answer::refusal(403, message)
}
