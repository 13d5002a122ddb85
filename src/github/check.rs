//! The verdict as a check run or a commit status: one outlet, never overwritten by an older verdict.

use super::endpoint::{ANNOTATIONS, CheckFields};
use super::{
    Annotation, CheckRun, CheckRuns, Client, GithubProblem, Pull, Repository, Sha, Stamp, Status, Written,
    endpoint,
};

/// How a verdict reads at the commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// The ranking holds.
    Success,
    /// Nothing to hold it against yet.
    Neutral,
    /// It does not hold, or nobody could tell.
    Failure,
}

impl Conclusion {
    /// As a check run writes it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Neutral => "neutral",
            Self::Failure => "failure",
        }
    }

    /// As a status writes it: there is no neutral.
    fn state(self) -> &'static str {
        match self {
            Self::Success | Self::Neutral => "success",
            Self::Failure => "failure",
        }
    }
}

/// Where a verdict is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlet {
    /// A check run.
    Check,
    /// A commit status.
    Status,
}

/// The place of a verdict: it is written there and nowhere else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Whose commit.
    pub repository: Repository,
    /// The commit.
    pub commit: Sha,
    /// `rankhold/verdict`, with the base where that is not the default branch.
    pub name: String,
    /// Check or status.
    pub outlet: Outlet,
    /// The pull request that it is about, if one is: its head and base must still be those.
    pub pull: Option<PullPlace>,
    /// Where the details are.
    pub details: Option<String>,
}

/// The pull request of a verdict, as it was when the verdict was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullPlace {
    /// Its number.
    pub number: u64,
    /// The branch it goes to.
    pub base: String,
}

/// What is to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// None while it is in progress.
    pub conclusion: Option<Conclusion>,
    /// In a line.
    pub title: String,
    /// Markdown.
    pub summary: String,
    /// Markdown below it.
    pub text: Option<String>,
    /// Remarks at lines, the most important first.
    pub annotations: Vec<Annotation>,
}

/// What became of a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It stands.
    Stands,
    /// A newer verdict stands there.
    Superseded {
        /// What that one says, if it is a finished check run.
        by: Option<String>,
    },
    /// The pull request has another head or base by now, or is closed: nothing was written.
    Moved,
}

/// The name of our check on a branch: a required check's name must never change.
pub fn check_name(base: &str, default: Option<&str>) -> String {
    if default.is_none_or(|default| default == base) {
        "rankhold/verdict".to_owned()
    } else {
        format!("rankhold/verdict ({base})")
    }
}

/// GitHub shows no more of a status's description (not documented, and longer ones are refused).
const DESCRIPTION: usize = 140;

impl Place {
    /// Writes what is shown, unless the pull request moved on or a newer verdict stands there.
    pub async fn write(
        &self,
        client: &Client,
        stamp: &Stamp,
        shown: &Shown,
    ) -> Result<Standing, GithubProblem> {
        if self.has_moved(client).await? {
            return Ok(Standing::Moved);
        }
        match self.outlet {
            Outlet::Check => self.write_check(client, stamp, shown).await,
            Outlet::Status => self.write_status(client, stamp, shown).await,
        }
    }

    /// Whether our verdict is the one that stands; where an older one slipped in between, ours is written again.
    pub async fn confirm(
        &self,
        client: &Client,
        stamp: &Stamp,
        shown: &Shown,
    ) -> Result<Standing, GithubProblem> {
        match self.outlet {
            Outlet::Check => {
                let runs = self.runs(client).await?;
                if let Some(newer) = self.newer(client, stamp, &runs).await? {
                    return Ok(newer);
                }
                let ours = |run: &CheckRun| stamp_of(run).as_ref() == Some(stamp);
                if runs.iter().all(ours) {
                    Ok(Standing::Stands)
                } else {
                    self.write(client, stamp, shown).await
                }
            }
            Outlet::Status => Ok(Standing::Stands),
        }
    }

    async fn has_moved(&self, client: &Client) -> Result<bool, GithubProblem> {
        let Some(place) = &self.pull else { return Ok(false) };
        let pull: Pull = client.json(&endpoint::pull(&self.repository, place.number)).await?;
        Ok(pull.head.sha != self.commit || pull.base.branch != place.base || pull.state != "open")
    }

    async fn runs(&self, client: &Client) -> Result<Vec<CheckRun>, GithubProblem> {
        let call = endpoint::check_runs(&self.repository, &self.commit, &self.name);
        let runs = client.all(&call, |page: CheckRuns| page.check_runs).await?;
        // Another app's run of that name carries no stamp of ours and cannot be written by us.
        Ok(runs.into_iter().filter(|run| run.name == self.name && stamp_of(run).is_some()).collect())
    }

    /// The standing if one of the runs is newer than ours.
    async fn newer(
        &self,
        client: &Client,
        stamp: &Stamp,
        runs: &[CheckRun],
    ) -> Result<Option<Standing>, GithubProblem> {
        for run in runs {
            let Some(theirs) = stamp_of(run) else { continue };
            if stamp.is_older_than(&theirs, client, &self.repository).await? {
                let done = run.status == "completed";
                let by = run.output.summary.clone().filter(|_| done);
                return Ok(Some(Standing::Superseded { by }));
            }
        }
        Ok(None)
    }

    async fn write_check(
        &self,
        client: &Client,
        stamp: &Stamp,
        shown: &Shown,
    ) -> Result<Standing, GithubProblem> {
        let runs = self.runs(client).await?;
        if let Some(newer) = self.newer(client, stamp, &runs).await? {
            return Ok(newer);
        }
        let ids =
            if runs.is_empty() { vec![(self.create(client, stamp, shown).await?, 0)] } else { Vec::new() };
        let there = runs.iter().map(|run| (run.id, run.output.annotations_count));
        for (id, annotated) in ids.into_iter().chain(there) {
            self.update(client, id, stamp, shown, annotated == 0).await?;
        }
        Ok(Standing::Stands)
    }

    /// A run of ours where there is none: without annotations, which come with the updates.
    async fn create(&self, client: &Client, stamp: &Stamp, shown: &Shown) -> Result<u64, GithubProblem> {
        let call = endpoint::create_check(
            &self.repository,
            &self.name,
            &self.commit,
            &self.fields(stamp, shown, &[]),
        );
        let look = async || {
            let runs = self.runs(client).await?;
            Ok(runs.into_iter().find(|run| stamp_of(run).as_ref() == Some(stamp)))
        };
        client.once::<CheckRun, _>(&call, look).await.map(|run| run.into_inner().id)
    }

    async fn update(
        &self,
        client: &Client,
        id: u64,
        stamp: &Stamp,
        shown: &Shown,
        annotate: bool,
    ) -> Result<(), GithubProblem> {
        let mut batches = shown.annotations.chunks(ANNOTATIONS).filter(|_| annotate);
        let first = batches.next().unwrap_or_default();
        client.done(&endpoint::update_check(&self.repository, id, &self.fields(stamp, shown, first))).await?;
        for batch in batches {
            client
                .done(&endpoint::update_check(&self.repository, id, &self.fields(stamp, shown, batch)))
                .await?;
        }
        Ok(())
    }

    fn fields(&self, stamp: &Stamp, shown: &Shown, annotations: &[Annotation]) -> CheckFields {
        CheckFields {
            conclusion: shown.conclusion.map(Conclusion::word),
            external_id: stamp.to_string(),
            details_url: self.details.clone(),
            title: shown.title.clone(),
            summary: shown.summary.clone(),
            text: shown.text.clone(),
            annotations: annotations.to_vec(),
        }
    }

    /// A status has no text: the line says what it says, and by which run.
    async fn write_status(
        &self,
        client: &Client,
        stamp: &Stamp,
        shown: &Shown,
    ) -> Result<Standing, GithubProblem> {
        let call = endpoint::statuses(&self.repository, &self.commit);
        let present = client.all(&call, |page: Vec<Status>| page).await?;
        let present = present.iter().find(|status| status.context.eq_ignore_ascii_case(&self.name));
        if present.and_then(run_of).is_some_and(|present| (stamp.run, stamp.attempt) < present) {
            return Ok(Standing::Superseded { by: None });
        }
        let tail = format!(" [run {}.{}]", stamp.run, stamp.attempt);
        let room = DESCRIPTION - tail.chars().count();
        let title: String = if shown.title.chars().count() > room {
            shown.title.chars().take(room - 1).chain(['…']).collect()
        } else {
            shown.title.clone()
        };
        let state = shown.conclusion.map_or("pending", Conclusion::state);
        let description = title + &tail;
        let create = endpoint::create_status(
            &self.repository,
            &self.commit,
            &self.name,
            state,
            &description,
            self.details.as_deref(),
        );
        let look = async || {
            let statuses = client.all(&call, |page: Vec<Status>| page).await?;
            let ours = |status: &Status| {
                status.context.eq_ignore_ascii_case(&self.name)
                    && status.state == state
                    && status.description.as_ref() == Some(&description)
            };
            Ok(statuses.into_iter().next().filter(ours))
        };
        client.once::<Status, _>(&create, look).await.map(Written::into_inner)?;
        Ok(Standing::Stands)
    }
}

fn stamp_of(run: &CheckRun) -> Option<Stamp> {
    Stamp::read(run.external_id.as_deref()?)
}

/// Run and attempt at the end of a status's description.
fn run_of(status: &Status) -> Option<(u64, u64)> {
    let (_, tail) = status.description.as_deref()?.rsplit_once(" [run ")?;
    let (run, attempt) = tail.strip_suffix(']')?.split_once('.')?;
    Some((run.parse().ok()?, attempt.parse().ok()?))
}
