//! The verdict as a check run or a commit status: one outlet, in which an older verdict never outlives a newer one.
//!
//! GitHub has no way to write only if nobody else wrote. So each outlet keeps something that a slow writer cannot
//! overwrite, and whoever has written looks at it afterwards: who finds a newer verdict there makes the outlet say that
//! one. The last to write is the last to look, hence the newest verdict stays.

mod runs;
mod statuses;

use super::{Annotation, Client, GithubProblem, Pull, Repository, Sha, Stamp, endpoint};

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

    /// What a check run of ours says. GitHub's own words, for one that nobody completed, are no pass.
    fn read(word: &str) -> Self {
        match word {
            "success" => Self::Success,
            "neutral" => Self::Neutral,
            _ => Self::Failure,
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
    /// Markdown below it. None: what stands there stays, since approvals are found by it.
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
        /// What a comment says of that one in markdown, if it is finished.
        by: Option<String>,
    },
    /// The pull request has another head or base by now, or is closed: nothing was written.
    Moved,
}

/// What a verdict tells beside itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The markdown below the summary. A status has none.
    pub text: Option<String>,
    /// The workflow run that gave it.
    pub run: u64,
    /// The commit whose baselines it was compared with; a status does not say.
    pub base: Option<Sha>,
}

/// The name of our check on a branch: a required check's name must never change.
pub fn check_name(base: &str, default: Option<&str>) -> String {
    if default.is_none_or(|default| default == base) {
        "rankhold/verdict".to_owned()
    } else {
        format!("rankhold/verdict ({base})")
    }
}

/// More rounds than this of somebody else writing in between are no coincidence.
const ROUNDS: usize = 100;

/// An outlet after a look at it.
struct Look {
    /// It says the newest verdict in it; if not, it was told to.
    settled: bool,
    /// What that means for ours.
    standing: Standing,
}

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
        let newer = match self.outlet {
            Outlet::Check => self.write_run(client, stamp, shown).await?,
            Outlet::Status => self.write_status(client, stamp, shown).await?,
        };
        match newer {
            Some(newer) => Ok(newer),
            None => self.settle(client, stamp).await,
        }
    }

    /// The verdict of that stamp was told here: whatever became of whoever told it, none is owed any more.
    pub async fn has(&self, client: &Client, stamp: &Stamp) -> Result<bool, GithubProblem> {
        match self.outlet {
            Outlet::Check => self.has_run_of(client, stamp).await,
            Outlet::Status => self.has_status_of(client, stamp).await,
        }
    }

    /// Makes the outlet say the newest verdict in it, and tells whether that is ours.
    pub async fn settle(&self, client: &Client, stamp: &Stamp) -> Result<Standing, GithubProblem> {
        let mut rounds = 0;
        loop {
            let look = match self.outlet {
                Outlet::Check => self.settle_runs(client, stamp).await?,
                Outlet::Status => self.settle_statuses(client, stamp).await?,
            };
            rounds += 1;
            if look.settled || rounds == ROUNDS {
                return Ok(look.standing);
            }
        }
    }

    /// What the newest verdict there tells; none if there is none.
    pub async fn newest(&self, client: &Client) -> Result<Option<Told>, GithubProblem> {
        match self.outlet {
            Outlet::Check => self.newest_run(client).await,
            Outlet::Status => self.newest_status(client).await,
        }
    }

    async fn has_moved(&self, client: &Client) -> Result<bool, GithubProblem> {
        let Some(place) = &self.pull else { return Ok(false) };
        let pull: Pull = client.json(&endpoint::pull(&self.repository, place.number)).await?;
        Ok(pull.head.sha != self.commit || pull.base.branch != place.base || pull.state != "open")
    }
}
