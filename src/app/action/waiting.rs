//! What a branch approved and has no file of yet: approvals of merged pull requests that were not committed.
//!
//! Nothing here is remembered either. The commits behind a commit name the pull requests that brought them, and their
//! comments are looked at as those of an open one are. An approval waits as long as the file is the one it was given
//! against, or one that an approval before it leads to; who lands the file in whatever way ends the wait.

use std::collections::{BTreeMap, BTreeSet};

use super::approvals::{Approval, PairName, Search};
use super::approved;
use super::rules::Placed;
use crate::approval::{Command, Parsed, parse};
use crate::artifact::Baseline;
use crate::canon::Digest;
use crate::config::ApprovalMode;
use crate::error::Failure;
use crate::github::endpoint::Changes;
use crate::github::{Pull, Sha, Walk, endpoint, last_change};

/// The approvals that wait at a commit, by pair.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting(BTreeMap<PairName, Approval>);

impl Waiting {
    /// What waits of a pair.
    pub(super) fn of(&self, suite: &str, retriever: &str) -> Option<&Approval> {
        self.0.get(&(suite.to_owned(), retriever.to_owned()))
    }

    /// All of it.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&PairName, &Approval)> {
        self.0.iter()
    }

    /// Without the removal of what is there again: nobody gave that up.
    pub(super) fn without_removals_of(mut self, pairs: &[PairName]) -> Self {
        self.0.retain(|pair, approval| !approval.is_removal() || !pairs.contains(pair));
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The files that it waits for.
    pub(super) fn changes(&self, placed: &Placed) -> Changes {
        let mut changes = Changes::default();
        for ((suite, retriever), approval) in &self.0 {
            let path = placed.baseline(suite, retriever);
            match approval.recorded(None) {
                Some(recorded) => changes.written.push((path, recorded.text.clone().into_bytes())),
                None => changes.removed.push(path),
            }
        }
        changes
    }
}

impl Search<'_> {
    /// What waits at a commit of the branch, of these pairs and of all others that somebody approved.
    pub(super) async fn waiting(&self, at: &Sha, pairs: &[PairName]) -> Result<Waiting, Failure> {
        if self.approvers.mode == ApprovalMode::File {
            return Ok(Waiting::default());
        }
        let (client, repository) = (self.client, self.repository);
        let mut changed: BTreeMap<PairName, Option<Sha>> = BTreeMap::new();
        for pair in pairs {
            changed.insert(pair.clone(), self.changed(pair, at).await?);
        }
        let until: Vec<Option<Sha>> = changed.values().cloned().collect();
        let walk = Walk { repository, branch: self.branch, from: at, until: &until };
        let approves = |text: &str| matches!(parse(text), Parsed::Command(Command::Approve(_)));
        let behind = walk.behind(client, approves).await?;
        let mut steps: BTreeMap<PairName, Vec<Approval>> = BTreeMap::new();
        let mut strangers = BTreeSet::new();
        for merged in &behind.merged {
            let pull: Pull = client.json(&endpoint::pull(repository, merged.number)).await?;
            let is_that = pull.merged_at.is_some()
                && pull.base.branch == self.branch
                && pull.merge_commit_sha.as_ref() == Some(&merged.commit);
            if !is_that {
                continue;
            }
            for (pair, approval) in self.of_pull(&pull, &mut strangers).await?.into_pairs() {
                if !changed.contains_key(&pair) {
                    changed.insert(pair.clone(), self.changed(&pair, at).await?);
                }
                // What came after it settled the matter, and may have been taken back on purpose.
                let settled = changed[&pair].as_ref().and_then(|commit| behind.depth(commit));
                let is_later = settled.is_none_or(|settled| behind.depth(&merged.commit) < Some(settled));
                if is_later {
                    steps.entry(pair).or_default().push(approval);
                }
            }
        }
        let names: Vec<PairName> = steps.keys().cloned().collect();
        let files = approved::files_at(client, repository, self.placed, &names, at).await?;
        let waits = steps.into_iter().filter_map(|(pair, steps)| {
            let file = files.get(&pair).map(|baseline| &baseline.digest);
            let links: Vec<Step> = steps.iter().map(Step::of).collect();
            let at = last_of(file, &links)?;
            // There and back, it waits for nothing.
            let is_there = links[at].to.contains(&file.cloned());
            Some((pair, steps.into_iter().nth(at).filter(|_| !is_there)?))
        });
        Ok(Waiting(waits.collect()))
    }

    /// The baselines that pairs have in effect at a commit: those that wait for their files, else the files.
    pub(super) async fn in_force(
        &self,
        at: &Sha,
        pairs: &[PairName],
    ) -> Result<BTreeMap<PairName, Baseline>, Failure> {
        let mut found = approved::files_at(self.client, self.repository, self.placed, pairs, at).await?;
        for (pair, approval) in self.waiting(at, pairs).await?.iter().filter(|(pair, _)| pairs.contains(pair))
        {
            match approval.recorded(None) {
                Some(recorded) => drop(found.insert(pair.clone(), recorded.baseline.clone())),
                None => drop(found.remove(pair)),
            }
        }
        Ok(found)
    }

    async fn changed(&self, pair: &PairName, at: &Sha) -> Result<Option<Sha>, Failure> {
        let path = self.placed.baseline(&pair.0, &pair.1);
        Ok(last_change(self.client, self.repository, &path, at).await?)
    }
}

/// What an approval of a pair is given against, and what it leads to; none is no baseline.
struct Step {
    from: Option<Digest>,
    to: Vec<Option<Digest>>,
}

impl Step {
    fn of(approval: &Approval) -> Self {
        Self { from: approval.supersedes().cloned(), to: approval.leads_to() }
    }
}

/// The last of the approvals of a pair, in the order in which they were merged, that rests on the file or on one before it
/// that does.
fn last_of(file: Option<&Digest>, steps: &[Step]) -> Option<usize> {
    let mut known: BTreeSet<Option<&Digest>> = BTreeSet::from([file]);
    let mut last = None;
    for (at, step) in steps.iter().enumerate() {
        if known.contains(&step.from.as_ref()) {
            known.extend(step.to.iter().map(Option::as_ref));
            last = Some(at);
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(name: char) -> Option<Digest> {
        (name != '-').then(|| Digest::of_bytes(name.to_string().as_bytes()))
    }

    /// `ab` is an approval of `b` against `a`; `-` is no baseline.
    fn last(file: char, steps: &str) -> Option<usize> {
        let step = |step: &str| {
            let mut names = step.chars();
            Step { from: digest(names.next().unwrap()), to: names.map(digest).collect() }
        };
        let steps: Vec<Step> = steps.split_whitespace().map(step).collect();
        last_of(digest(file).as_ref(), &steps)
    }

    #[test]
    fn an_approval_rests_on_the_file_or_on_one_that_does() {
        assert_eq!(last('a', ""), None);
        assert_eq!(last('a', "ab"), Some(0));
        assert_eq!(last('b', "ab"), None, "its file is there");
        assert_eq!(last('a', "ab bc"), Some(1));
        assert_eq!(last('a', "bc ab"), Some(1), "what it rests on was not approved yet");
        assert_eq!(last('b', "ab bc"), Some(1));
        assert_eq!(last('a', "xb bc"), None, "one that does not count any more takes the next with it");
        assert_eq!(last('a', "ab ac"), Some(1), "of two against the same file the later one");
        assert_eq!(last('a', "abd dc"), Some(1), "the same figures, approved twice");
        assert_eq!(last('-', "-a"), Some(0));
        assert_eq!(last('-', "-a a-"), Some(1));
        assert_eq!(last('a', "a- -b"), Some(1));
        assert_eq!(last('a', "a- ab"), Some(1));
        assert_eq!(last('a', "ab ba"), Some(1), "there and back");
    }
}
