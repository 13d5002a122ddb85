//! The check run as an outlet.
//!
//! Each workflow run has one check run of its own on the commit, which no older run ever writes to: that is what a slow
//! writer cannot overwrite. All of them show the newest verdict. GitHub shows one of a name, the latest.

use super::{Conclusion, Look, Place, Shown, Standing, Told};
use crate::github::endpoint::{ANNOTATIONS, CheckFields};
use crate::github::{CheckRun, CheckRuns, Client, GithubProblem, Stamp, endpoint};

/// A check run of ours.
struct Slot {
    id: u64,
    /// The workflow run that made it.
    owner: u64,
    /// Whose verdict it shows.
    stamp: Stamp,
    annotations: u64,
    /// What it says, to be said again elsewhere.
    says: CheckFields,
}

impl Slot {
    /// A check run of that name that carries no stamp is none of ours.
    fn of(run: CheckRun) -> Option<Self> {
        let external_id = run.external_id?;
        let (stamp, owner) = external_id.split_once(OWNED)?;
        let done = run.status == "completed";
        let says = CheckFields {
            conclusion: done.then(|| Conclusion::read(run.conclusion.as_deref().unwrap_or_default()).word()),
            details_url: run.details_url,
            title: run.output.title.unwrap_or_default(),
            summary: run.output.summary.unwrap_or_default(),
            text: run.output.text,
            annotations: Vec::new(),
            external_id: String::new(),
        };
        Some(Self {
            id: run.id,
            owner: owner.parse().ok()?,
            stamp: Stamp::read(stamp)?,
            annotations: run.output.annotations_count,
            says,
        })
    }

    /// It shows what the other does.
    fn shows(&self, other: &Self) -> bool {
        self.stamp == other.stamp && self.says.conclusion == other.says.conclusion
    }

    /// What this one means to a run that finds it newer than its own.
    fn supersedes(&self) -> Standing {
        Standing::Superseded { by: self.says.conclusion.map(|_| self.says.summary.clone()) }
    }
}

/// Between the stamp of the verdict and the workflow run that owns the check run.
const OWNED: &str = " of ";

fn external_id(stamp: &Stamp, owner: u64) -> String {
    format!("{stamp}{OWNED}{owner}")
}

impl Place {
    /// Writes into the check run of this workflow run, unless a newer verdict stands there, which is given then.
    pub(super) async fn write_run(
        &self,
        client: &Client,
        stamp: &Stamp,
        shown: &Shown,
    ) -> Result<Option<Standing>, GithubProblem> {
        let slots = self.slots(client).await?;
        let newest = self.newest_of(client, &slots).await?;
        if let Some(newest) = newest
            && stamp.is_older_than(&newest.stamp, client, &self.repository).await?
        {
            return Ok(Some(newest.supersedes()));
        }
        // Where nobody knows whose the text there is, it is not taken over: approvals are found by it.
        let there = if client.app().await.is_some() { newest } else { None };
        let text = shown.text.clone().or_else(|| there?.says.text.clone());
        let fields = CheckFields {
            conclusion: shown.conclusion.map(Conclusion::word),
            external_id: external_id(stamp, stamp.run),
            details_url: self.details.clone(),
            title: shown.title.clone(),
            summary: shown.summary.clone(),
            text,
            annotations: Vec::new(),
        };
        let (id, annotated) = match slots.iter().find(|slot| slot.owner == stamp.run) {
            Some(slot) => (slot.id, slot.annotations > 0),
            None => (self.create(client, &fields).await?, false),
        };
        let is_new = slots.iter().all(|slot| slot.id != id);
        // Annotations are only ever added, so that a second verdict of this workflow run shows those of the first.
        let mut batches = shown.annotations.chunks(ANNOTATIONS).filter(|_| !annotated);
        let first = batches.next();
        // A new one says everything but the annotations already.
        let once = (first.is_some() || !is_new).then(|| first.unwrap_or_default());
        let mut sent = 0;
        for batch in once.into_iter().chain(batches) {
            let fields = CheckFields { annotations: batch.to_vec(), ..fields.clone() };
            sent += batch.len() as u64;
            self.update(client, id, &fields, sent).await?;
        }
        Ok(None)
    }

    /// Writes fields into a check run, which has that many annotations then. A request that adds some is no repetition of
    /// itself: one whose answer was lost is looked for first.
    async fn update(
        &self,
        client: &Client,
        id: u64,
        fields: &CheckFields,
        annotated: u64,
    ) -> Result<(), GithubProblem> {
        let call = endpoint::update_check(&self.repository, id, fields);
        if fields.annotations.is_empty() {
            return client.done(&call).await;
        }
        let look = async || {
            let call = endpoint::check_runs(&self.repository, &self.commit, &self.name);
            let runs = client.all(&call, |page: CheckRuns| page.check_runs).await?;
            Ok(runs.into_iter().find(|run| run.id == id && run.output.annotations_count >= annotated))
        };
        client.once::<CheckRun, _>(&call, look).await.map(drop)
    }

    /// The verdict of that stamp was told here.
    pub(super) async fn has_run_of(&self, client: &Client, stamp: &Stamp) -> Result<bool, GithubProblem> {
        let slots = self.slots(client).await?;
        Ok(slots.iter().any(|slot| slot.stamp == *stamp && slot.says.conclusion.is_some()))
    }

    /// Makes every check run of ours say the newest verdict.
    pub(super) async fn settle_runs(&self, client: &Client, stamp: &Stamp) -> Result<Look, GithubProblem> {
        let slots = self.slots(client).await?;
        let Some(newest) = self.newest_of(client, &slots).await? else {
            return Ok(Look { settled: true, standing: Standing::Stands });
        };
        let mut settled = true;
        for slot in slots.iter().filter(|slot| !slot.shows(newest)) {
            let external_id = external_id(&newest.stamp, slot.owner);
            let fields = CheckFields { external_id, ..newest.says.clone() };
            client.done(&endpoint::update_check(&self.repository, slot.id, &fields)).await?;
            settled = false;
        }
        let standing = if newest.stamp == *stamp { Standing::Stands } else { newest.supersedes() };
        Ok(Look { settled, standing })
    }

    /// What the newest verdict says. One that is in progress still has the text of the one before it.
    pub(super) async fn newest_run(&self, client: &Client) -> Result<Option<Told>, GithubProblem> {
        let slots = self.slots(client).await?;
        let newest = self.newest_of(client, &slots).await?;
        Ok(newest.map(|slot| Told {
            text: slot.says.text.clone(),
            run: slot.stamp.run,
            base: Some(slot.stamp.base.clone()),
        }))
    }

    async fn slots(&self, client: &Client) -> Result<Vec<Slot>, GithubProblem> {
        let call = endpoint::check_runs(&self.repository, &self.commit, &self.name);
        let runs = client.all(&call, |page: CheckRuns| page.check_runs).await?;
        let us = client.app().await;
        // A stamp can be copied; GitHub says whose a check run is.
        let is_ours = |run: &CheckRun| {
            let app = run.app.as_ref().and_then(|app| app.slug.as_ref());
            run.name == self.name && us.as_ref().zip(app).is_none_or(|(us, app)| us == app)
        };
        let slots = runs.into_iter().filter(is_ours).filter_map(Slot::of);
        // A commit that was held against itself, as the tip of a branch, says nothing of a pull request with that head.
        let is_apt = |slot: &Slot| self.pull.is_none() || slot.stamp.base != self.commit;
        Ok(slots.filter(is_apt).collect())
    }

    /// The one with the newest verdict; of those that show it, the one whose it is.
    async fn newest_of<'a>(
        &self,
        client: &Client,
        slots: &'a [Slot],
    ) -> Result<Option<&'a Slot>, GithubProblem> {
        let mut newest: Option<&Slot> = None;
        for slot in slots {
            let is_newer = match newest {
                None => true,
                Some(newest) if newest.stamp == slot.stamp => slot.owner == slot.stamp.run,
                Some(newest) => newest.stamp.is_older_than(&slot.stamp, client, &self.repository).await?,
            };
            if is_newer {
                newest = Some(slot);
            }
        }
        Ok(newest)
    }

    async fn create(&self, client: &Client, fields: &CheckFields) -> Result<u64, GithubProblem> {
        let call = endpoint::create_check(&self.repository, &self.name, &self.commit, fields);
        let look = async || {
            let call = endpoint::check_runs(&self.repository, &self.commit, &self.name);
            let runs = client.all(&call, |page: CheckRuns| page.check_runs).await?;
            Ok(runs.into_iter().find(|run| run.external_id.as_ref() == Some(&fields.external_id)))
        };
        client.once::<CheckRun, _>(&call, look).await.map(|run| run.into_inner().id)
    }
}
