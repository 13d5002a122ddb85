//! Commits, as far as GitHub's answers depend on them. Forks share one store, as they do there.

use std::collections::{BTreeMap, BTreeSet};

use rankhold::github::Sha;
use sha2::{Digest, Sha256};

/// The files of a commit by path.
pub(crate) type Tree = BTreeMap<String, Entry>;

/// What lies at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    File(Vec<u8>),
    /// Points to another path.
    Symlink(String),
    /// A commit of another repository.
    Submodule(Sha),
}

impl Entry {
    /// The object's name.
    pub(crate) fn object(&self) -> String {
        match self {
            Self::File(bytes) => object_name(&[b"blob", bytes]),
            Self::Symlink(target) => object_name(&[b"blob", target.as_bytes()]),
            Self::Submodule(commit) => commit.to_string(),
        }
    }
}

/// A commit.
#[derive(Clone, Debug)]
pub(crate) struct Commit {
    pub(crate) parents: Vec<Sha>,
    pub(crate) tree: Tree,
    pub(crate) author: String,
    pub(crate) message: String,
}

/// A file that differs between two commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) path: String,
    pub(crate) status: &'static str,
    pub(crate) previous: Option<String>,
}

/// All commits of all repositories.
#[derive(Clone, Default)]
pub(crate) struct Graph {
    commits: BTreeMap<Sha, Commit>,
    /// Parents before children.
    order: Vec<Sha>,
}

impl Graph {
    /// Adds a commit. Its name depends on all that was added before, so that no two are one by chance.
    pub(crate) fn add(&mut self, commit: Commit) -> Sha {
        let number = self.order.len().to_string();
        let sha = Sha::new(&object_name(&[b"commit", number.as_bytes(), commit.message.as_bytes()])).unwrap();
        self.commits.insert(sha.clone(), commit);
        self.order.push(sha.clone());
        sha
    }

    /// Somebody gives a commit another message; its name is kept for the test's sake.
    pub(crate) fn rename(&mut self, sha: &Sha, message: &str) {
        message.clone_into(&mut self.commits.get_mut(sha).expect("it is there").message);
    }

    pub(crate) fn get(&self, sha: &Sha) -> Option<&Commit> {
        self.commits.get(sha)
    }

    /// The files at a commit that is there.
    pub(crate) fn tree(&self, sha: &Sha) -> &Tree {
        &self.commits[sha].tree
    }

    /// The tree of that name, if a commit has it.
    pub(crate) fn tree_named(&self, name: &Sha) -> Option<&Tree> {
        self.commits.values().map(|commit| &commit.tree).find(|tree| tree_name(tree) == *name)
    }

    /// What can be reached, newest first.
    pub(crate) fn history(&self, tip: &Sha) -> Vec<Sha> {
        let reached = self.ancestors(tip);
        self.order.iter().rev().filter(|sha| reached.contains(sha)).cloned().collect()
    }

    /// The name of a folder's tree at a commit that is there.
    pub(crate) fn folder(&self, sha: &Sha, folder: &str) -> Option<Sha> {
        let inside = self.tree(sha).iter().filter_map(|(path, entry)| {
            Some((path.strip_prefix(folder)?.strip_prefix('/')?.to_owned(), entry.clone()))
        });
        let inside: Tree = inside.collect();
        (!inside.is_empty()).then(|| tree_name(&inside))
    }

    /// What can be reached, itself included.
    pub(crate) fn ancestors(&self, tip: &Sha) -> BTreeSet<Sha> {
        let (mut found, mut waiting) = (BTreeSet::new(), vec![tip.clone()]);
        while let Some(sha) = waiting.pop() {
            if found.insert(sha.clone()) {
                waiting.extend(self.commits[&sha].parents.iter().cloned());
            }
        }
        found
    }

    /// What `tip` has and `base` has not, oldest first.
    pub(crate) fn only(&self, tip: &Sha, base: &Sha) -> Vec<Sha> {
        let (with, without) = (self.ancestors(tip), self.ancestors(base));
        let only = self.order.iter().filter(|sha| with.contains(sha) && !without.contains(sha));
        only.cloned().collect()
    }

    /// Where two commits parted: the newest common ancestor that no other one has among its own.
    pub(crate) fn merge_base(&self, one: &Sha, other: &Sha) -> Option<Sha> {
        let other = self.ancestors(other);
        let common: BTreeSet<_> = self.ancestors(one).into_iter().filter(|sha| other.contains(sha)).collect();
        self.order.iter().rev().find(|sha| common.contains(sha)).cloned()
    }

    /// The files that differ; equal contents at another path are a renamed file.
    pub(crate) fn changes(&self, from: &Sha, to: &Sha) -> Vec<Change> {
        let (from, to) = (self.tree(from), self.tree(to));
        let mut removed: BTreeMap<_, _> = from.iter().filter(|(path, _)| !to.contains_key(*path)).collect();
        let mut changes = Vec::new();
        for (path, entry) in to {
            let status = match from.get(path) {
                Some(before) if before == entry => continue,
                Some(_) => "modified",
                None => "added",
            };
            let renamed = removed.iter().find(|(_, before)| status == "added" && **before == entry);
            let previous = renamed.map(|(path, _)| (*path).clone());
            if let Some(previous) = &previous {
                removed.remove(previous);
            }
            let status = if previous.is_some() { "renamed" } else { status };
            changes.push(Change { path: path.clone(), status, previous });
        }
        let gone =
            removed.keys().map(|path| Change { path: (*path).clone(), status: "removed", previous: None });
        changes.extend(gone);
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        changes
    }

    /// `ours` with what `theirs` changed since they parted.
    pub(crate) fn merged(&self, ours: &Sha, theirs: &Sha) -> Tree {
        let mut tree = self.tree(ours).clone();
        let base = self.merge_base(ours, theirs).map(|base| self.tree(&base).clone()).unwrap_or_default();
        let theirs = self.tree(theirs);
        for path in base.keys().chain(theirs.keys()) {
            match (base.get(path), theirs.get(path)) {
                (before, after) if before == after => {}
                (_, Some(after)) => drop(tree.insert(path.clone(), after.clone())),
                (_, None) => drop(tree.remove(path)),
            }
        }
        tree
    }
}

/// A tree's name.
pub(crate) fn tree_name(tree: &Tree) -> Sha {
    let objects: Vec<String> =
        tree.iter().map(|(path, entry)| format!("{path} {}", entry.object())).collect();
    Sha::new(&object_name(&[b"tree", objects.join("\n").as_bytes()])).unwrap()
}

/// Forty digits, as Git's names have.
pub(crate) fn object_name(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
    hash.finalize().iter().take(20).flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
