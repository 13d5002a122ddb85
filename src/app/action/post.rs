//! The end of the job: whatever ended it, the check does not stay in progress.

use super::Github;
use super::inputs::Inputs;
use super::runner::Runner;
use super::subject::Subject;
use crate::app::console::Console;
use crate::error::Failure;
use crate::exit::Exit;
use crate::github::{Conclusion, Outlet, Patience, Place, PullPlace, Sha, Shown, Stamp, Standing};

/// What was announced and never completed, if anything was.
pub(super) struct Pending {
    place: Option<(Place, Stamp)>,
}

/// The name under which the runner keeps it.
const KEY: &str = "rankhold";

/// Remembers that the main phase ran: the command is the same at the end of the job, and must not judge twice.
pub(super) fn begin(runner: &Runner) -> Result<(), Failure> {
    Ok(runner.remember(KEY, "begun")?)
}

/// Remembers that a verdict is owed.
pub(super) fn remember(runner: &Runner, subject: &Subject) -> Result<(), Failure> {
    let Some(place) = &subject.place else { return Ok(()) };
    let outlet = match place.outlet {
        Outlet::Check => "check",
        Outlet::Status => "status",
    };
    let pull = place.pull.as_ref().map(|pull| pull.number.to_string()).unwrap_or_default();
    let base = place.pull.as_ref().map(|pull| pull.base.as_str()).unwrap_or_default();
    let fields = [outlet, place.commit.as_str(), &subject.stamp.to_string(), &place.name, &pull, base];
    Ok(runner.remember(KEY, &fields.join("\t"))?)
}

/// Forgets it: the verdict was told, or is not ours to tell.
pub(super) fn forget(runner: &Runner) -> Result<(), Failure> {
    Ok(runner.remember(KEY, "told")?)
}

impl Pending {
    /// What the main phase left; none if this is the main phase.
    pub(super) fn read(variable: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let text = variable(&format!("STATE_{KEY}"))?;
        let fields: Vec<&str> = text.split('\t').collect();
        let [outlet, commit, stamp, name, pull, base] = fields.as_slice() else {
            return Some(Self { place: None });
        };
        let place = || {
            let repository = variable("GITHUB_REPOSITORY")?.parse().ok()?;
            let place = Place {
                repository,
                commit: Sha::new(commit)?,
                name: (*name).to_owned(),
                outlet: if *outlet == "status" { Outlet::Status } else { Outlet::Check },
                pull: pull.parse().ok().map(|number| PullPlace { number, base: (*base).to_owned() }),
                details: None,
            };
            Some((place, Stamp::read(stamp)?))
        };
        Some(Self { place: place() })
    }
}

/// Completes what the main phase left in progress.
pub(super) fn complete(
    runner: &Runner,
    variable: &dyn Fn(&str) -> Option<String>,
    pending: Pending,
    console: &Console,
    patience: Patience,
) -> Result<Exit, Failure> {
    let Some((place, stamp)) = pending.place else { return Ok(Exit::Pass) };
    let inputs = Inputs::read(variable)?;
    let place = Place { details: Some(runner.run_url()), ..place };
    let github = Github::connect(runner, &inputs, &runner.workspace, patience)?;
    let shown = Shown {
        conclusion: Some(Conclusion::Failure),
        title: "There is no verdict: the run ended before it".to_owned(),
        summary: "The run was cancelled or broke off. Run it again.".to_owned(),
        text: None,
        annotations: Vec::new(),
    };
    let written = github.wait(async {
        // Whoever was stopped after the verdict, and before it could be noted down, owes none.
        if place.has(&github.client, &stamp).await? {
            return Ok(None);
        }
        place.write(&github.client, &stamp, &shown).await.map(Some)
    });
    match written {
        Ok(Some(Standing::Stands)) => console.note("the run ended before its verdict: the check says so"),
        Ok(Some(Standing::Moved | Standing::Superseded { .. }) | None) => {}
        // The main phase was stopped before it knew that it may not.
        Err(problem) if problem.is_forbidden() => {
            console.note("the run ended before its verdict, and this token may not say so");
        }
        Err(problem) => return Err(problem.into()),
    }
    Ok(Exit::Pass)
}
