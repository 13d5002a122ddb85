//! What a verdict is about: which commit it is shown on, what the tree is held against, who may be told.

use std::path::Path;

use super::bench::Handed;
use super::{Job, finished};
use crate::error::{Blame, Blamed, Failure};
use crate::files;
use crate::github::{
    Base, Client, Event, Outlet, Place, Pull, PullEvent, PullPlace, RemoteRepository, Sha, Stamp, check_name,
    endpoint,
};

/// A verdict's subject.
pub(super) struct Subject {
    /// What it is held against.
    pub base: Base,
    /// Where the verdict is shown; a run that nobody waits for has no place.
    pub place: Option<Place>,
    /// Which verdict this is.
    pub stamp: Stamp,
    /// The pull request, if there is one.
    pub pull: Option<Pull>,
    /// The token cannot be expected to write: the pull request of a fork or of Dependabot.
    pub read_only: bool,
}

/// A checkout that cannot be judged.
#[derive(Debug, thiserror::Error)]
pub(super) enum CheckoutProblem {
    /// No commit can be told.
    #[error("{path}: {what}", path = path.display())]
    Head {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The checkout is not what the event is about.
    #[error("the tree checked out is {found}, but `{event}` is about {wanted}")]
    Other {
        /// The event.
        event: &'static str,
        /// What was checked out.
        found: Sha,
        /// What it is about.
        wanted: Sha,
    },
    /// The event is another repository's.
    #[error("the event is of {found}, but the workflow runs in {wanted}")]
    Repository {
        /// The event's.
        found: String,
        /// The runner's.
        wanted: String,
    },
}

impl Blamed for CheckoutProblem {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Head { .. } | Self::Other { .. } => Some(
                "let a step with actions/checkout come before this one, with its default `ref`".to_owned(),
            ),
            Self::Repository { .. } => None,
        }
    }
}

impl Subject {
    /// The subject of an event, or why there is nothing to judge.
    pub(super) async fn of(
        event: &Event,
        job: &Job<'_>,
        client: &Client,
    ) -> Result<Result<(Self, Option<Handed>), String>, Failure> {
        let repository = &job.runner.repository;
        if event.repository().full_name != *repository {
            return Err(CheckoutProblem::Repository {
                found: event.repository().full_name.to_string(),
                wanted: repository.to_string(),
            }
            .into());
        }
        let checked_out = job.checked_out()?;
        let subject = match event {
            // The tree of a `pull_request_target` is a stranger's: data, as every tree is beside a token.
            Event::Pull(event) | Event::PullTarget(event) => {
                match Self::of_pull(event, job, client, &checked_out).await? {
                    Ok(subject) => subject,
                    Err(why) => return Ok(Err(why)),
                }
            }
            Event::Finished(event) => {
                let found = finished::subject(event, job, client, &checked_out).await?;
                return Ok(found.map(|(subject, handed)| (subject, Some(handed))));
            }
            Event::Queued(event) => {
                let group = &event.group;
                same("merge_group", &checked_out, &group.head_sha)?;
                let branch = group.base_ref.strip_prefix("refs/heads/").unwrap_or(&group.base_ref);
                let base = Base::named(client, repository, branch, group.base_sha.clone()).await?;
                let place =
                    job.place(client, &event.repository, branch, group.head_sha.clone(), None).await?;
                Self::new(job, client, base, Some(place)).await?
            }
            Event::Push(event) => {
                same("push", &checked_out, &event.after)?;
                let branch = event.reference.strip_prefix("refs/heads/").unwrap_or(&event.reference);
                let base = Base::itself(branch.to_owned(), event.after.clone());
                let place = job.place(client, &event.repository, branch, event.after.clone(), None).await?;
                Self::new(job, client, base, Some(place)).await?
            }
            Event::Manual(event) => {
                let branch = event.repository.default_branch.clone().unwrap_or_default();
                Self::new(job, client, Base::itself(branch, checked_out), None).await?
            }
        };
        Ok(Ok((subject, None)))
    }

    async fn of_pull(
        event: &PullEvent,
        job: &Job<'_>,
        client: &Client,
        checked_out: &Sha,
    ) -> Result<Result<Self, String>, Failure> {
        let repository = &job.runner.repository;
        // The event is what was true then: a re-run shows the same again.
        let pull: Pull = client.json(&endpoint::pull(repository, event.pull.number)).await?;
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
        let base = Base::of_pull(client, repository, &pull, checked_out).await?;
        let moved = PullPlace { number: pull.number, base: pull.base.branch.clone() };
        let place = job
            .place(client, &event.repository, &pull.base.branch, pull.head.sha.clone(), Some(moved))
            .await?;
        let read_only = pull.is_foreign() || job.runner.actor == "dependabot[bot]";
        let subject = Self::new(job, client, base, Some(place)).await?;
        Ok(Ok(Self { pull: Some(pull), read_only, ..subject }))
    }

    pub(super) async fn new(
        job: &Job<'_>,
        client: &Client,
        base: Base,
        place: Option<Place>,
    ) -> Result<Self, Failure> {
        let stamp = Stamp {
            base: base.measured.clone(),
            run: job.runner.run,
            attempt: job.runner.attempt,
            started: job.started(client).await?,
        };
        Ok(Self { base, place, stamp, pull: None, read_only: false })
    }
}

impl Job<'_> {
    /// Where the verdict on a commit is shown.
    pub(super) async fn place(
        &self,
        client: &Client,
        remote: &RemoteRepository,
        branch: &str,
        commit: Sha,
        pull: Option<PullPlace>,
    ) -> Result<Place, Failure> {
        let default = if let Some(name) = &remote.default_branch {
            Some(name.clone())
        } else {
            let asked = endpoint::repository(&self.runner.repository);
            client.json::<RemoteRepository>(&asked).await?.default_branch
        };
        Ok(Place {
            repository: self.runner.repository.clone(),
            commit,
            name: check_name(branch, default.as_deref()),
            outlet: Outlet::Check,
            pull,
            details: Some(self.runner.run_url()),
        })
    }

    /// When this attempt began; unknown to a token that may not read runs.
    async fn started(&self, client: &Client) -> Result<Option<jiff::Timestamp>, Failure> {
        let run: Result<crate::github::Run, _> =
            client.json(&endpoint::run(&self.runner.repository, self.runner.run)).await;
        match run {
            Ok(run) => Ok(run.run_started_at.filter(|_| run.run_attempt == Some(self.runner.attempt))),
            Err(problem) if problem.is_forbidden() || problem.is_not_found() => Ok(None),
            Err(problem) => Err(problem.into()),
        }
    }
}

fn same(event: &'static str, found: &Sha, wanted: &Sha) -> Result<(), CheckoutProblem> {
    if found == wanted {
        return Ok(());
    }
    Err(CheckoutProblem::Other { event, found: found.clone(), wanted: wanted.clone() })
}

/// The commit that is checked out, from `.git` as text.
pub(super) fn head_of(checkout: &Path) -> Result<Sha, Failure> {
    let git = checkout.join(".git");
    let head = git.join("HEAD");
    let problem = |what| CheckoutProblem::Head { path: head.clone(), what };
    let read = |path: &Path| -> Result<Option<String>, Failure> {
        let bytes = files::read_in_if_there(checkout, path, 1 << 20)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned()))
    };
    let text =
        read(&head)?.ok_or_else(|| problem("is not there, so that nobody knows which commit this is"))?;
    let Some(reference) = text.strip_prefix("ref: ") else {
        return Ok(Sha::new(&text).ok_or_else(|| problem("names no commit"))?);
    };
    let reference = crate::name::Name::new(reference.trim());
    if reference.escapes() || !reference.as_str().starts_with("refs/") {
        return Err(problem("names no branch").into());
    }
    if let Some(text) = read(&git.join(reference.as_str()))? {
        return Ok(Sha::new(&text).ok_or_else(|| problem("names a branch without a commit"))?);
    }
    let packed = read(&git.join("packed-refs"))?.unwrap_or_default();
    let found = packed.lines().find_map(|line| {
        let (sha, name) = line.split_once(' ')?;
        if name == reference.as_str() { Sha::new(sha) } else { None }
    });
    Ok(found.ok_or_else(|| problem("names a branch that is not there"))?)
}
