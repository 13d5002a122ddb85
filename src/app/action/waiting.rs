//! What a branch approved and has no file of yet: approvals of merged pull requests that were not committed.
//!
//! Nothing here is remembered either. The commits behind a commit name the pull requests that brought them, and their
//! comments are looked at as those of an open one are. An approval waits as long as the file is the one it was given
//! against, or one that an approval before it leads to. A change of the file that is what an approval leads to ends the wait
//! of that one and of those before it; any other change ends the wait of all that were merged by then.

use std::collections::{BTreeMap, BTreeSet};

use super::approvals::{Approval, PairName, Search};
use super::approved::Answered;
use super::rules::Placed;
use crate::artifact::Baseline;
use crate::canon::Digest;
use crate::config::ApprovalMode;
use crate::error::{Blame, Blamed, Failure, docs};
use crate::github::endpoint::Changes;
use crate::github::{Author, Behind, Merged, Passed, Sha, Spoken, Us, Walk};

/// The approvals that wait at a commit, by pair.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting(BTreeMap<PairName, Approval>);

/// No run reads more merged pull requests: each costs some of a thousand requests an hour.
pub(super) const MOST_PULLS: usize = 50;

/// More was approved than a run reads.
#[derive(Debug, thiserror::Error)]
#[error(
    "more than {MOST_PULLS} merged pull requests were approved whose files `{branch}` has not: what is in force there could not be found out"
)]
pub(super) struct TooMany {
    pub branch: String,
}

impl Blamed for TooMany {
    fn blame(&self) -> Blame {
        Blame::Environment
    }

    fn hint(&self) -> Option<String> {
        Some(
            concat!(
                "approve the present figures on the command line (`rankhold approve --by NAME`) and merge that past this \
                 check; then let runs of the branch propose what is approved: ",
                docs!("approvals.md#after-the-merge")
            )
            .to_owned(),
        )
    }
}

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
        placed.changes(self.0.iter().map(|(pair, approval)| {
            (pair.clone(), approval.recorded(None).map(|recorded| recorded.text.clone()))
        }))
    }
}

/// An approval with the place in the mainline where it was merged.
struct Given<'a> {
    place: usize,
    merged: &'a Merged,
    approval: Approval,
}

impl Search<'_> {
    /// What waits at a commit of the branch, of these pairs and of all others that somebody approved.
    pub(super) async fn waiting(&self, at: &Sha, pairs: &[PairName]) -> Result<Waiting, Failure> {
        if self.approvers.mode == ApprovalMode::File {
            return Ok(Waiting::default());
        }
        let (behind, furthest) = self.behind(at, pairs).await?;
        let mut given: BTreeMap<PairName, Vec<Given<'_>>> = BTreeMap::new();
        for (place, merged) in behind.wanted().into_iter().filter(|(place, _)| *place <= furthest) {
            for (pair, approval) in self.of_merged(merged).await? {
                given.entry(pair).or_default().push(Given { place, merged, approval });
            }
        }
        let mut waits = BTreeMap::new();
        for (pair, given) in given {
            if let Some(approval) = self.last_of(&behind, at, &pair, given).await? {
                waits.insert(pair, approval);
            }
        }
        Ok(Waiting(waits))
    }

    /// The baselines that pairs have in effect at a commit: those that wait for their files, else the files.
    pub(super) async fn in_force(
        &self,
        at: &Sha,
        pairs: &[PairName],
    ) -> Result<BTreeMap<PairName, Baseline>, Failure> {
        let waiting = self.waiting(at, pairs).await?;
        let mut found = BTreeMap::new();
        for pair in pairs {
            let waits = waiting.of(&pair.0, &pair.1);
            let baseline = match waits.map(|approval| approval.recorded(None)) {
                Some(recorded) => recorded.map(|recorded| recorded.baseline.clone()),
                None => self.baseline(pair, at).await?,
            };
            found.extend(baseline.map(|baseline| (pair.clone(), baseline)));
        }
        Ok(found)
    }

    /// The commit was the branch's tip once, as far as one can look: what a merge brought along never was.
    pub(super) async fn was_tip(&self, commit: &Sha) -> Result<bool, Failure> {
        let mut behind = self.asked.behind(self.tip);
        let is_tip = |passed: &&Passed| passed.commit == *commit && !passed.is_inner;
        let is_there = |behind: &Behind| behind.mainline().iter().any(is_tip);
        let found = loop {
            if is_there(&behind) {
                break true;
            }
            if behind.passed(commit).is_some() || !self.further(&mut behind).await? {
                break false;
            }
        };
        self.asked.keep(self.tip, behind);
        Ok(found)
    }

    /// Goes back as far as something may wait, and tells how far in the mainline that is.
    async fn behind(&self, at: &Sha, pairs: &[PairName]) -> Result<(Behind, usize), Failure> {
        let mut behind = self.asked.behind(at);
        let furthest = loop {
            if let Some(furthest) = self.furthest(&behind, at, pairs).await? {
                break furthest;
            }
            if !self.further(&mut behind).await? {
                break usize::MAX;
            }
        };
        self.asked.keep(at, behind.clone());
        Ok((behind, furthest))
    }

    /// Another page.
    async fn further(&self, behind: &mut Behind) -> Result<bool, Failure> {
        let us = Us { login: self.client.viewer().await? };
        let folder = self.placed.path(super::BASELINES);
        let walk = Walk { repository: self.repository, branch: self.branch, folder: &folder };
        // Once it is merged, only what was carried out counts, and that our answer says.
        let wanted = |spoken: &Spoken| {
            let author = spoken.author.as_ref();
            let is_ours = author.is_some_and(|author| {
                us.are(&Author { id: 0, login: author.login.clone(), kind: author.kind.clone() })
            });
            is_ours && Answered::read(&spoken.body).is_some()
        };
        Ok(walk.further(self.client, behind, wanted).await?)
    }

    /// How far in the mainline something may wait: until every pair's file was changed, and the pull request merged that it
    /// says it was approved in. None if that is further than anybody looked.
    async fn furthest(
        &self,
        behind: &Behind,
        at: &Sha,
        pairs: &[PairName],
    ) -> Result<Option<usize>, Failure> {
        let mainline = behind.mainline();
        let Some((first, rest)) = mainline.split_first() else { return Ok(None) };
        let now = self.asked.files(self, at, Some(first)).await?;
        let mut furthest = 0;
        let mut left: Vec<String> = Vec::new();
        for pair in pairs {
            let path = self.placed.baseline(&pair.0, &pair.1);
            if !now.contains_key(&path) {
                return Ok(None);
            }
            let record = self.baseline(pair, at).await?.and_then(|baseline| baseline.approval.github);
            if let Some(record) = record.filter(|record| record.covered.base == self.branch) {
                let Some(place) = behind.place_of(record.covered.pull_request) else { return Ok(None) };
                furthest = furthest.max(place);
            }
            left.push(path);
        }
        let mut folder = &first.folder;
        for (place, passed) in rest.iter().enumerate().filter(|_| !pairs.is_empty()) {
            if left.is_empty() {
                break;
            }
            if passed.folder != *folder {
                folder = &passed.folder;
                let then = self.asked.files(self, &passed.commit, Some(*passed)).await?;
                left.retain(|path| then.get(path) == now.get(path));
                furthest = furthest.max(place);
            }
        }
        Ok(left.is_empty().then_some(furthest))
    }

    /// The last of the approvals of a pair that waits, the earliest first.
    async fn last_of(
        &self,
        behind: &Behind,
        at: &Sha,
        pair: &PairName,
        given: Vec<Given<'_>>,
    ) -> Result<Option<Approval>, Failure> {
        let mainline = behind.mainline();
        let steps: Vec<Step> = given.iter().map(|given| Step::of(&given.approval)).collect();
        let mut events = Vec::new();
        let first = given.first().map_or(0, |given| given.place);
        for (place, passed) in mainline.iter().enumerate().take(first + 1).rev() {
            for (step, given) in given.iter().enumerate().filter(|(_, given)| given.place == place) {
                if self.was_merged(behind, pair, given).await? {
                    events.push(Event::Approved(step));
                }
            }
            if let Some(before) = mainline.get(place + 1)
                && before.folder != passed.folder
            {
                let (before, after) = (self.state(pair, before).await?, self.state(pair, passed).await?);
                if before.blob != after.blob {
                    events.push(Event::Changed(before.digest, after.digest));
                }
            }
        }
        let mut alive = Vec::new();
        for step in waiting_of(&events, &steps) {
            // A pair that came and went within its pull request was never the branch's.
            let is_first = steps[step].from.is_none() && !given[step].approval.is_removal();
            if !is_first || self.has_pair(&given[step].merged.commit, pair).await? {
                alive.push(step);
            }
        }
        let file = self.baseline(pair, at).await?.map(|baseline| baseline.digest);
        let Some(last) = last_of(file.as_ref(), alive.iter().map(|step| (*step, &steps[*step]))) else {
            return Ok(None);
        };
        // There and back, it waits for nothing.
        let is_there = steps[last].to.contains(&file);
        Ok(given.into_iter().nth(last).map(|given| given.approval).filter(|_| !is_there))
    }

    /// What the pull request's head had of an approval its merge has too: who merges by hand can leave the file out.
    async fn was_merged(&self, behind: &Behind, pair: &PairName, given: &Given<'_>) -> Result<bool, Failure> {
        let Some(merge) = behind.passed(&given.merged.commit) else { return Ok(true) };
        let leads_to = given.approval.leads_to();
        for parent in merge.parents.iter().skip(1) {
            let parent = match behind.passed(parent) {
                Some(parent) if parent.folder == merge.folder => continue,
                Some(parent) => self.state(pair, parent).await?,
                None => self.state_at(pair, parent, None).await?,
            };
            let there = self.state(pair, merge).await?;
            if parent.blob != there.blob
                && leads_to.contains(&parent.digest)
                && !leads_to.contains(&there.digest)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn state(&self, pair: &PairName, passed: &Passed) -> Result<State, Failure> {
        self.state_at(pair, &passed.commit, Some(passed)).await
    }

    async fn state_at(&self, pair: &PairName, at: &Sha, passed: Option<&Passed>) -> Result<State, Failure> {
        let files = self.asked.files(self, at, passed).await?;
        let blob = files.get(&self.placed.baseline(&pair.0, &pair.1)).cloned();
        let digest = self.baseline(pair, at).await?.map(|baseline| baseline.digest);
        Ok(State { blob, digest })
    }
}

/// A pair's file at a commit.
struct State {
    /// The name of what lies there.
    blob: Option<String>,
    /// Which baseline it is; none if it cannot be read.
    digest: Option<Digest>,
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

/// What happened to a pair on the branch.
enum Event {
    /// One of the approvals was merged.
    Approved(usize),
    /// The file was one baseline and is another.
    Changed(Option<Digest>, Option<Digest>),
}

/// The approvals whose wait no change of the file ended, the earliest first.
fn waiting_of(events: &[Event], steps: &[Step]) -> Vec<usize> {
    let mut waiting: Vec<usize> = Vec::new();
    for event in events {
        match event {
            Event::Approved(step) => waiting.push(*step),
            Event::Changed(before, after) => {
                let resting = resting_on(before.as_ref(), waiting.iter().map(|step| (*step, &steps[*step])));
                // The first that leads there: those after it may lead on.
                let landed = resting.into_iter().find(|step| steps[*step].to.contains(after));
                match landed.and_then(|landed| waiting.iter().position(|step| *step == landed)) {
                    Some(at) => drop(waiting.drain(..=at)),
                    // Who changed it otherwise settled the matter, and may have taken it back on purpose.
                    None => waiting.clear(),
                }
            }
        }
    }
    waiting
}

/// The approvals that rest on a file or on one before them that does, in the order in which they were merged.
fn resting_on<'a>(file: Option<&'a Digest>, steps: impl Iterator<Item = (usize, &'a Step)>) -> Vec<usize> {
    let mut known: BTreeSet<Option<&Digest>> = BTreeSet::from([file]);
    let mut resting = Vec::new();
    for (at, step) in steps {
        if known.contains(&step.from.as_ref()) {
            known.extend(step.to.iter().map(Option::as_ref));
            resting.push(at);
        }
    }
    resting
}

fn last_of<'a>(file: Option<&'a Digest>, steps: impl Iterator<Item = (usize, &'a Step)>) -> Option<usize> {
    resting_on(file, steps).pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(name: char) -> Option<Digest> {
        (name != '-').then(|| Digest::of_bytes(name.to_string().as_bytes()))
    }

    /// `ab` is an approval of `b` against `a`, `a>b` a change of the file; `-` is no baseline.
    fn told(events: &str) -> (Vec<Event>, Vec<Step>) {
        let (mut all, mut steps) = (Vec::new(), Vec::new());
        for word in events.split_whitespace() {
            let mut names = word.chars().filter(|name| *name != '>').map(digest);
            let from = names.next().unwrap();
            if word.contains('>') {
                all.push(Event::Changed(from, names.next().unwrap()));
            } else {
                all.push(Event::Approved(steps.len()));
                steps.push(Step { from, to: names.collect() });
            }
        }
        (all, steps)
    }

    fn last(file: char, steps: &str) -> Option<usize> {
        let (_, steps) = told(steps);
        last_of(digest(file).as_ref(), steps.iter().enumerate())
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

    #[test]
    fn a_change_ends_the_wait_of_what_it_lands_and_any_other_that_of_all() {
        let waits = |events: &str| {
            let (events, steps) = told(events);
            waiting_of(&events, &steps).iter().map(usize::to_string).collect::<String>()
        };
        assert_eq!(waits("ab bc"), "01");
        assert_eq!(waits("ab a>b"), "");
        assert_eq!(waits("a>b ab"), "0", "what came before ends nothing that comes");
        assert_eq!(waits("ab bc a>b"), "1", "a proposal that is merged late");
        assert_eq!(waits("ab bc a>b b>c"), "");
        assert_eq!(waits("ab bc a>c"), "", "both at once");
        assert_eq!(waits("ab bc cd a>b b>c"), "2");
        assert_eq!(waits("ab a>b b>a"), "", "taken back");
        assert_eq!(waits("ab bc a>b b>a"), "", "and what rests on it");
        assert_eq!(waits("ab bc a>b b>a a>b"), "", "for good");
        assert_eq!(waits("ab a>x"), "", "something else");
        assert_eq!(waits("ab x>b"), "", "from something else");
        assert_eq!(waits("ab a>x xc"), "1");
        assert_eq!(waits("abd dc a>d"), "1", "the same figures, approved twice");
        assert_eq!(waits("-a a- ->a"), "1");
        assert_eq!(waits("a- -b a>-"), "1");
    }
}
