//! What a verdict is about: which commit it is shown on, what the tree is held against, who may be told.

use std::path::Path;

use super::Step;
use super::addressee::{About, Addressee};
use super::rules::Rules;
use super::runner::Runner;
use crate::config::Publish;
use crate::error::{Blame, Blamed, Failure};
use crate::files;
use crate::github::{Base, Client, MergeGroup, Place, Pull, Sha, Stamp, check_name, endpoint};

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
    /// The merge group, if it is one.
    pub group: Option<MergeGroup>,
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
    /// What a commit is held against, if it is what waits for a verdict.
    pub(super) async fn of(
        to: &Addressee,
        commit: &Sha,
        runner: &Runner,
        client: &Client,
    ) -> Result<Self, Failure> {
        let repository = &runner.repository;
        let base = match &to.about {
            About::Pull(pull) => Base::of_pull(client, repository, pull, commit).await?,
            About::Group(group) => {
                same("merge_group", commit, &group.head_sha)?;
                Base::named(client, repository, group.branch(), group.base_sha.clone()).await?
            }
            About::Branch { name, tip } => {
                same("push", commit, tip)?;
                Base::itself(name.clone(), tip.clone())
            }
            About::Checkout { branch } => Base::itself(branch.clone(), commit.clone()),
        };
        let stamp = Stamp {
            base: base.measured.clone(),
            run: runner.run,
            attempt: runner.attempt,
            started: runner.started(client).await?,
        };
        let pull = match &to.about {
            About::Pull(pull) => Some((**pull).clone()),
            About::Group(_) | About::Branch { .. } | About::Checkout { .. } => None,
        };
        let group = match &to.about {
            About::Group(group) => Some(group.clone()),
            About::Pull(_) | About::Branch { .. } | About::Checkout { .. } => None,
        };
        Ok(Self { base, place: to.place.clone(), stamp, pull, group, read_only: to.read_only })
    }

    /// Where the verdicts on this branch's pull requests stand, and this one if it is shown at all.
    pub(super) fn verdicts(&self, step: &Step<'_>, rules: &Rules) -> Place {
        self.place.clone().unwrap_or_else(|| Place {
            repository: step.runner.repository.clone(),
            commit: self.base.measured.clone(),
            // What nobody waits for is the default branch's.
            name: check_name(&self.base.branch, Some(&self.base.branch)),
            outlet: super::outlet(step.inputs.publish.unwrap_or(rules.report.publish)),
            pull: None,
            details: Some(step.runner.run_url()),
        })
    }

    /// The verdict is shown where the workflow says, else where the base does.
    pub(super) fn show(&mut self, given: Option<Publish>, rules: Option<&Rules>) {
        let publish = given.or(rules.map(|rules| rules.report.publish));
        if let (Some(place), Some(publish)) = (&mut self.place, publish) {
            place.outlet = super::outlet(publish);
        }
    }
}

impl Runner {
    /// When this attempt began; unknown to a token that may not read runs.
    pub(super) async fn started(&self, client: &Client) -> Result<Option<jiff::Timestamp>, Failure> {
        let run: Result<crate::github::Run, _> =
            client.json(&endpoint::run(&self.repository, self.run)).await;
        match run {
            Ok(run) => Ok(run.run_started_at.filter(|_| run.run_attempt == Some(self.attempt))),
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
