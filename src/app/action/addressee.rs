//! Whom a verdict is for: told by the event and by GitHub, whatever was checked out.
//!
//! This comes before everything that the tree or an artifact can break, so that whoever waits for a verdict hears of its
//! failure too. A required check that nobody writes waits for ever, and nobody knows for what.

use super::subject::CheckoutProblem;
use super::{Step, finished};
use crate::error::Failure;
use crate::github::{
    Client, Event, MergeGroup, Outlet, Place, Pull, PullEvent, PullPlace, RemoteRepository, Sha, check_name,
    endpoint,
};

/// What waits for a verdict, and where.
pub(super) struct Addressee {
    /// What is judged.
    pub about: About,
    /// Where the verdict is shown; a run that nobody waits for has no place.
    pub place: Option<Place>,
    /// The token cannot be expected to write: the pull request of a fork or of Dependabot.
    pub read_only: bool,
}

/// What is judged.
pub(super) enum About {
    /// A pull request, as it is now.
    Pull(Box<Pull>),
    /// A group of the merge queue.
    Group(MergeGroup),
    /// The tip of a branch.
    Branch {
        /// Its name.
        name: String,
        /// Its tip.
        tip: Sha,
    },
    /// Whatever is checked out.
    Checkout {
        /// The branch it is taken for.
        branch: String,
    },
}

impl Addressee {
    /// Whom an event's verdict is for, or why there is nothing to judge.
    pub(super) async fn of(
        event: &Event,
        step: &Step<'_>,
        client: &Client,
    ) -> Result<Result<Self, String>, Failure> {
        let repository = &step.runner.repository;
        if event.repository().full_name != *repository {
            return Err(CheckoutProblem::Repository {
                found: event.repository().full_name.to_string(),
                wanted: repository.to_string(),
            }
            .into());
        }
        Ok(Ok(match event {
            // The tree of a `pull_request_target` is a stranger's: data, as every tree is beside a token.
            Event::Pull(event) | Event::PullTarget(event) => match present(event, step, client).await? {
                Ok(pull) => Self::of_pull(pull, &event.repository, step, client).await?,
                Err(why) => return Ok(Err(why)),
            },
            Event::Finished(event) => match finished::pull(event, step, client).await? {
                // This workflow is the base's own, and its token may write.
                Ok(pull) => {
                    Self { read_only: false, ..Self::of_pull(pull, &event.repository, step, client).await? }
                }
                Err(why) => return Ok(Err(why)),
            },
            Event::Queued(event) => {
                let group = &event.group;
                let place = step.place(client, &event.repository, group.branch(), &group.head_sha).await?;
                Self { about: About::Group(group.clone()), place: Some(place), read_only: false }
            }
            Event::Push(event) => {
                let place = step.place(client, &event.repository, event.branch(), &event.after).await?;
                let about = About::Branch { name: event.branch().to_owned(), tip: event.after.clone() };
                Self { about, place: Some(place), read_only: false }
            }
            Event::Said(_) => return Ok(Err("a comment has no verdict".to_owned())),
            Event::Manual(event) => {
                let branch = event.repository.default_branch.clone().unwrap_or_default();
                Self { about: About::Checkout { branch }, place: None, read_only: false }
            }
        }))
    }

    async fn of_pull(
        pull: Pull,
        remote: &RemoteRepository,
        step: &Step<'_>,
        client: &Client,
    ) -> Result<Self, Failure> {
        let place = step.place(client, remote, &pull.base.branch, &pull.head.sha).await?;
        let moved = PullPlace { number: pull.number, base: pull.base.branch.clone() };
        let read_only = pull.is_foreign() || step.runner.actor == "dependabot[bot]";
        let about = About::Pull(Box::new(pull));
        Ok(Self { about, place: Some(Place { pull: Some(moved), ..place }), read_only })
    }
}

/// The pull request as it is now, if the event is still about it: a re-run shows what was true then.
async fn present(
    event: &PullEvent,
    step: &Step<'_>,
    client: &Client,
) -> Result<Result<Pull, String>, Failure> {
    let pull: Pull = client.json(&endpoint::pull(&step.runner.repository, event.pull.number)).await?;
    if pull.state != "open" {
        return Ok(Err("the pull request is closed: its last verdict stays".to_owned()));
    }
    if pull.head.sha != event.pull.head.sha {
        return Ok(Err(format!(
            "the pull request moved on from {} to {}: the run for that gives the verdict",
            event.pull.head.sha.short(),
            pull.head.sha.short()
        )));
    }
    Ok(Ok(pull))
}

impl Step<'_> {
    /// Where the verdict on a commit is shown.
    async fn place(
        &self,
        client: &Client,
        remote: &RemoteRepository,
        branch: &str,
        commit: &Sha,
    ) -> Result<Place, Failure> {
        let repository = &self.runner.repository;
        let default = if let Some(name) = &remote.default_branch {
            Some(name.clone())
        } else {
            client.json::<RemoteRepository>(&endpoint::repository(repository)).await?.default_branch
        };
        Ok(Place {
            repository: repository.clone(),
            commit: commit.clone(),
            name: check_name(branch, default.as_deref()),
            outlet: self.inputs.publish.map_or(Outlet::Check, super::outlet),
            pull: None,
            details: Some(self.runner.run_url()),
        })
    }
}
