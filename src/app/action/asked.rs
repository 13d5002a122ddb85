//! What was asked in this run, so that nothing is asked twice: a workflow's token has a thousand requests an hour, for all
//! runs of the repository.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::approvals::{Approval, PairName, Search};
use super::rules::{pairs_of, settings};
use super::waiting::{MOST_PULLS, TooMany};
use crate::artifact::Baseline;
use crate::error::Failure;
use crate::exit::Exit;
use crate::github::{Base, Behind, GithubProblem, Merged, Passed, Pull, Sha, endpoint, entries_of, file_at};

/// The names of what lies in a folder, by path.
type Folder = Rc<BTreeMap<String, String>>;

/// The approvals of a merged pull request.
type Approved = Rc<Vec<(PairName, Approval)>>;

/// The answers so far.
#[derive(Default)]
pub(super) struct Asked {
    /// What lies behind a commit.
    walks: RefCell<BTreeMap<Sha, Behind>>,
    /// The folder of baselines, by the name of its tree or of the commit.
    folders: RefCell<BTreeMap<String, Folder>>,
    /// Baselines by path and by the name of what lies there; none if that is no baseline.
    baselines: RefCell<BTreeMap<(String, String), Option<Baseline>>>,
    /// By the pull request's number.
    merged: RefCell<BTreeMap<u64, Approved>>,
    /// Accounts that may not approve.
    strangers: RefCell<BTreeSet<u64>>,
}

impl Asked {
    /// What is known to lie behind a commit.
    pub(super) fn behind(&self, commit: &Sha) -> Behind {
        self.walks.borrow().get(commit).cloned().unwrap_or_else(|| Behind::of(commit))
    }

    /// More of that is known now.
    pub(super) fn keep(&self, commit: &Sha, behind: Behind) {
        self.walks.borrow_mut().insert(commit.clone(), behind);
    }

    /// The account may not approve.
    pub(super) fn is_stranger(&self, account: u64) -> bool {
        self.strangers.borrow().contains(&account)
    }

    /// It was found out that it may not.
    pub(super) fn estrange(&self, account: u64) {
        self.strangers.borrow_mut().insert(account);
    }

    /// What lies in the folder of baselines at a commit, whose tree may be known from a walk.
    pub(super) async fn files(
        &self,
        search: &Search<'_>,
        at: &Sha,
        passed: Option<&Passed>,
    ) -> Result<Folder, GithubProblem> {
        let keys = [Some(at.as_str()), passed.and_then(|passed| passed.folder.as_deref())];
        let known = keys.iter().flatten().find_map(|key| self.folders.borrow().get(*key).cloned());
        let found = if let Some(known) = known {
            known
        } else if passed.is_some_and(|passed| passed.folder.is_none()) {
            Folder::default()
        } else {
            let path = search.placed.path(super::BASELINES);
            let entries = entries_of(search.client, search.repository, &path, at).await?;
            Rc::new(entries.into_iter().map(|entry| (entry.path, entry.sha)).collect())
        };
        for key in keys.into_iter().flatten() {
            self.folders.borrow_mut().insert(key.to_owned(), found.clone());
        }
        Ok(found)
    }
}

impl Search<'_> {
    /// The baseline of a pair that lies at a commit, if one is there that can be read.
    pub(super) async fn baseline(
        &self,
        pair: &PairName,
        at: &Sha,
    ) -> Result<Option<Baseline>, GithubProblem> {
        let path = self.placed.baseline(&pair.0, &pair.1);
        let Some(blob) = self.asked.files(self, at, None).await?.get(&path).cloned() else { return Ok(None) };
        let key = (path, blob);
        if let Some(known) = self.asked.baselines.borrow().get(&key) {
            return Ok(known.clone());
        }
        let bytes = file_at(self.client, self.repository, &key.0, at).await?;
        let baseline = bytes.and_then(|bytes| Baseline::read(&bytes).ok());
        self.asked.baselines.borrow_mut().insert(key, baseline.clone());
        Ok(baseline)
    }

    /// Those of several pairs.
    pub(super) async fn files(
        &self,
        at: &Sha,
        pairs: &[PairName],
    ) -> Result<BTreeMap<PairName, Baseline>, Failure> {
        let mut found = BTreeMap::new();
        for pair in pairs {
            found.extend(self.baseline(pair, at).await?.map(|baseline| (pair.clone(), baseline)));
        }
        Ok(found)
    }

    /// The pairs of which a measured base that was never the branch's tip has another file than the tip: nobody ever
    /// approved that one for the branch.
    pub(super) async fn aside(&self, base: &Base, pairs: &[PairName]) -> Result<Vec<PairName>, Failure> {
        if base.measured == base.tip {
            return Ok(Vec::new());
        }
        let there = self.asked.files(self, &base.measured, None).await?;
        let tip = self.asked.files(self, &base.tip, None).await?;
        let differs = |pair: &&PairName| {
            let path = self.placed.baseline(&pair.0, &pair.1);
            there.get(&path) != tip.get(&path)
        };
        let differing: Vec<PairName> = pairs.iter().filter(differs).cloned().collect();
        let fits = differing.is_empty() || self.was_tip(&base.measured).await?;
        Ok(if fits { Vec::new() } else { differing })
    }

    /// A pair was measured at a commit; one whose configuration cannot be read is taken to measure it.
    pub(super) async fn has_pair(&self, at: &Sha, pair: &PairName) -> Result<bool, Failure> {
        let (client, repository, placed) = (self.client, self.repository, self.placed);
        let settings = match settings(client, repository, placed, self.branch, at).await {
            Err(failure) if failure.exit() == Exit::Usage => return Ok(true),
            settings => settings?,
        };
        Ok(pairs_of(client, repository, placed, &settings, at).await?.contains(pair))
    }

    /// What a merged pull request approved while it was open.
    pub(super) async fn of_merged(&self, merged: &Merged) -> Result<Vec<(PairName, Approval)>, Failure> {
        let known = self.asked.merged.borrow().get(&merged.number).cloned();
        if let Some(known) = known {
            return Ok(known.to_vec());
        }
        if self.asked.merged.borrow().len() >= MOST_PULLS {
            return Err(TooMany { branch: self.branch.to_owned() }.into());
        }
        let pull: Pull = self.client.json(&endpoint::pull(self.repository, merged.number)).await?;
        let is_that = pull.merged_at.is_some()
            && pull.base.branch == self.branch
            && pull.merge_commit_sha.as_ref() == Some(&merged.commit);
        let approved = if is_that { self.of_pull(&pull).await?.into_pairs().collect() } else { Vec::new() };
        self.asked.merged.borrow_mut().insert(merged.number, Rc::new(approved.clone()));
        Ok(approved)
    }
}
