//! The commit status as an outlet.
//!
//! Statuses are only ever added, and the latest of a name counts: the earlier ones are what a slow writer cannot overwrite.

use super::{Conclusion, Look, Place, Shown, Standing, Told};
use crate::github::{Client, GithubProblem, Stamp, Status, endpoint};

/// GitHub shows no more of a status's description (not documented, and longer ones are refused).
const DESCRIPTION: usize = 140;

impl Place {
    /// Adds a status, unless a newer verdict is there, which is given then. A status has no text: the line says what it
    /// says, and by which run.
    pub(super) async fn write_status(
        &self,
        client: &Client,
        stamp: &Stamp,
        shown: &Shown,
    ) -> Result<Option<Standing>, GithubProblem> {
        let present = self.statuses(client).await?;
        if let Some((newest, status)) = newest(&present)
            && (stamp.run, stamp.attempt) < newest
        {
            return Ok(Some(superseded(status)));
        }
        let tail = format!(" [run {}.{}]", stamp.run, stamp.attempt);
        let room = DESCRIPTION - tail.chars().count();
        let title: String = if shown.title.chars().count() > room {
            shown.title.chars().take(room - 1).chain(['…']).collect()
        } else {
            shown.title.clone()
        };
        let status = Status {
            context: self.name.clone(),
            state: shown.conclusion.map_or("pending", Conclusion::state).to_owned(),
            description: Some(title + &tail),
            target_url: self.details.clone(),
        };
        self.add(client, &status).await?;
        Ok(None)
    }

    /// Makes the latest status say the newest verdict.
    pub(super) async fn settle_statuses(
        &self,
        client: &Client,
        stamp: &Stamp,
    ) -> Result<Look, GithubProblem> {
        let present = self.statuses(client).await?;
        let Some((run, status)) = newest(&present) else {
            return Ok(Look { settled: true, standing: Standing::Stands });
        };
        let settled = present.first() == Some(status);
        if !settled {
            self.add(client, status).await?;
        }
        let is_ours = run == (stamp.run, stamp.attempt);
        Ok(Look { settled, standing: if is_ours { Standing::Stands } else { superseded(status) } })
    }

    /// The verdict of that stamp was told here.
    pub(super) async fn has_status_of(&self, client: &Client, stamp: &Stamp) -> Result<bool, GithubProblem> {
        let told =
            |status: &Status| run_of(status) == Some((stamp.run, stamp.attempt)) && status.state != "pending";
        Ok(self.statuses(client).await?.iter().any(told))
    }

    /// Whose the newest verdict is that is finished.
    pub(super) async fn newest_status(&self, client: &Client) -> Result<Option<Told>, GithubProblem> {
        let mut present = self.statuses(client).await?;
        present.retain(|status| status.state != "pending");
        Ok(newest(&present).map(|((run, _), _)| Told { text: None, run, base: None }))
    }

    /// Those of our name, the latest first.
    async fn statuses(&self, client: &Client) -> Result<Vec<Status>, GithubProblem> {
        let call = endpoint::statuses(&self.repository, &self.commit);
        let all = client.all(&call, |page: Vec<Status>| page).await?;
        Ok(all.into_iter().filter(|status| status.context.eq_ignore_ascii_case(&self.name)).collect())
    }

    async fn add(&self, client: &Client, status: &Status) -> Result<(), GithubProblem> {
        let call = endpoint::create_status(&self.repository, &self.commit, status);
        let look = async || {
            let latest = self.statuses(client).await?.into_iter().next();
            let says =
                |other: &Status| other.state == status.state && other.description == status.description;
            Ok(latest.filter(says))
        };
        client.once::<Status, _>(&call, look).await.map(drop)
    }
}

/// The newest verdict of ours among statuses, the latest first, with run and attempt.
fn newest(statuses: &[Status]) -> Option<((u64, u64), &Status)> {
    let ours = statuses.iter().filter_map(|status| Some((run_of(status)?, status)));
    ours.reduce(|newest, other| if other.0 > newest.0 { other } else { newest })
}

/// What a newer status means to us.
fn superseded(status: &Status) -> Standing {
    let is_done = status.state != "pending";
    // It holds no report, and whoever may write statuses may have written it: its words stay words.
    let words = status.description.as_deref().unwrap_or_default().replace('`', "'");
    let link = status
        .target_url
        .as_deref()
        .filter(|url| url.starts_with("https://") && !url.contains(['>', ' ', '\n']));
    let link = link.map(|url| format!(" Its report is in the summary of <{url}>.")).unwrap_or_default();
    let by = format!("## A newer run gave the verdict\n\n`` {} ``.{link}", words.trim());
    Standing::Superseded { by: is_done.then_some(by) }
}

/// Run and attempt at the end of a status's description.
fn run_of(status: &Status) -> Option<(u64, u64)> {
    let (_, tail) = status.description.as_deref()?.rsplit_once(" [run ")?;
    let (run, attempt) = tail.strip_suffix(']')?.split_once('.')?;
    Some((run.parse().ok()?, attempt.parse().ok()?))
}
