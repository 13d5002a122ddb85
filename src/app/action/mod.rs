//! `rankhold action`: from an event to a verdict where people look for it.
//!
//! Three phases, one after the other: ask GitHub what the tree is held against, measure and judge, write what came out.
//! What is measured beside a token runs no program of the tree.

mod bench;
mod finished;
mod inputs;
mod manifest;
mod post;
mod publish;
mod rules;
mod runner;
mod subject;

pub(super) use finished::ARTIFACT;
pub use inputs::{INPUTS, Input, OUTPUTS, OutputSlot};

use std::future::Future;
use std::path::Path;

use jiff::civil::Date;

use self::bench::{Baselines, Bench, Handed, Row, given};
use self::inputs::Inputs;
use self::publish::{Announced, Publication};
use self::rules::{Placed, Rules};
use self::runner::Runner;
use self::subject::Subject;
use super::Day;
use super::console::Console;
use super::workspace::{BASELINES, Workspace};
use crate::cli::{Global, TodayArgs};
use crate::config::Publish;
use crate::error::{Blame, Blamed, Failure};
use crate::exit::Exit;
use crate::files;
use crate::github::{Client, Connection, Event, Outlet, Patience};

/// One step of a workflow.
struct Job<'a> {
    runner: Runner,
    inputs: Inputs,
    workspace: Workspace,
    placed: Placed,
    today: Date,
    console: &'a Console,
}

impl Job<'_> {
    /// A token is at hand, so that no program of the tree may run.
    fn holds_token(&self) -> bool {
        self.inputs.token.is_some()
    }
}

/// GitHub, and the thread that waits for it.
struct Github {
    runtime: tokio::runtime::Runtime,
    client: Client,
}

impl Github {
    fn connect(runner: &Runner, inputs: &Inputs, root: &Path) -> Result<Self, Failure> {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(NoRuntime)?;
        let certificates = match &inputs.certificates {
            Some(path) => Some(files::read(&root.join(path), files::MAX_BYTES)?),
            None => None,
        };
        let connection = {
            let _inside = runtime.enter();
            Connection::open(&runner.api, inputs.token.as_ref(), certificates.as_deref())?
        };
        Ok(Self { runtime, client: Client::new(Box::new(connection), Patience::default()) })
    }

    fn wait<T>(&self, asked: impl Future<Output = T>) -> T {
        self.runtime.block_on(asked)
    }
}

/// The system gives no event loop.
#[derive(Debug, thiserror::Error)]
#[error("GitHub cannot be asked: {0}")]
struct NoRuntime(std::io::Error);

impl Blamed for NoRuntime {
    fn blame(&self) -> Blame {
        Blame::Environment
    }
}

/// The command.
pub(super) fn action(global: &Global, console: &Console) -> Result<Exit, Failure> {
    #[expect(clippy::disallowed_methods, reason = "edge: the one command that reads what the runner says")]
    let variable = |name: &str| std::env::var(name).ok();
    let runner = Runner::read(&variable)?;
    if let Some(pending) = post::Pending::read(&variable) {
        return post::complete(&runner, &variable, pending, console);
    }
    post::begin(&runner)?;
    let inputs = Inputs::read(&variable)?;
    let event = Event::read(&runner.event, &files::read(&runner.payload, files::MAX_BYTES)?)?;
    if let Some(why) = event.idle() {
        return idle(&runner, console, &why);
    }
    let root = runner.workspace.join(&inputs.working_directory);
    let (workspace, placed) = open(global, &runner, &inputs, &root)?;
    let job = Job { today: Day::of(TodayArgs { today: None }), runner, inputs, workspace, placed, console };
    if !job.holds_token() {
        return measure_only(&job);
    }
    let github = Github::connect(&job.runner, &job.inputs, &root)?;
    let (subject, handed) = match github.wait(Subject::of(&event, &job, &github.client))? {
        Ok(found) => found,
        Err(why) => return idle(&job.runner, console, &why),
    };
    give_verdict(&job, &github, subject, handed)
}

/// Nothing to judge, said where people look.
fn idle(runner: &Runner, console: &Console, why: &str) -> Result<Exit, Failure> {
    console.note(why);
    runner.summarise(&format!("Rankhold: {}.", crate::report::place::text(why, 500)))?;
    Ok(Exit::Pass)
}

/// The root is the working directory and nothing above it: a tree cannot move its own root.
fn open(
    global: &Global,
    runner: &Runner,
    inputs: &Inputs,
    root: &Path,
) -> Result<(Workspace, Placed), Failure> {
    let inside = inputs.working_directory.to_string_lossy().replace('\\', "/");
    let inside = crate::name::Name::new(&inside);
    let root_name = if inside.as_str() == "." { String::new() } else { inside.as_str().to_owned() };
    let config = inputs.config.clone().unwrap_or_else(|| crate::config::FILE.into());
    let placed = Placed { root: root_name, config: String::new() };
    let placed = Placed {
        config: placed.path(&crate::name::Name::new(&config.to_string_lossy()).to_string()),
        ..placed
    };
    if inside.escapes() || crate::name::Name::new(&placed.config).escapes() {
        return Err(Outside { root: runner.workspace.display().to_string() }.into());
    }
    let workspace = Workspace::at(root, &config, inputs.config.is_some(), global)?;
    Ok((workspace, placed))
}

/// A path input that leaves the checkout.
#[derive(Debug, thiserror::Error)]
#[error("`working-directory` and `config` must lie inside the checkout ({root})")]
struct Outside {
    root: String,
}

impl Blamed for Outside {
    fn blame(&self) -> Blame {
        Blame::User
    }
}

/// What a job says that only measures, lest its report is taken for a verdict.
const ONLY_MEASURED: &str = "measured without a token: nothing is held against it here, and the job that is given the results has the verdict";

/// Without a token there is nobody to ask what the tree is held against: results for another job.
fn measure_only(job: &Job<'_>) -> Result<Exit, Failure> {
    let rules = Rules::unknown();
    let baselines = Baselines::none();
    let bench = Bench {
        job,
        rules: &rules,
        baselines: &baselines,
        handed: None,
        results: publish::folder(&job.runner),
    };
    let rows = bench.rows()?;
    let measured = Publication::of(job, &rules, &rows, None)?;
    idle(&job.runner, job.console, ONLY_MEASURED)?;
    measured.tell(job)?;
    Ok(measured.measured_exit())
}

fn give_verdict(
    job: &Job<'_>,
    github: &Github,
    mut subject: Subject,
    handed: Option<Handed>,
) -> Result<Exit, Failure> {
    let repository = &job.runner.repository;
    let rules = github.wait(Rules::read(
        &github.client,
        repository,
        &subject.base,
        &job.placed,
        job.inputs.tolerance,
    ));
    let publish = job.inputs.publish.or(rules.as_ref().ok().map(|rules| rules.report.publish));
    if let Some(place) = &mut subject.place {
        place.outlet = publish.map_or(Outlet::Check, outlet);
    }
    let announced = github.wait(subject.announce(job, &github.client))?;
    if let Announced::Silent(why) = announced {
        return idle(&job.runner, job.console, why);
    }
    let judged = rules.and_then(|rules| {
        let rows = pairs_of(job, github, &subject, &rules, handed)?;
        Publication::of(job, &rules, &rows, Some(&subject))
    });
    let (publication, failure) = match judged {
        Ok(publication) => (publication, None),
        Err(failure) => (Publication::failed(&failure), Some(failure)),
    };
    let told = publication.tell(job);
    let published = github.wait(publication.publish(job, &github.client, &subject, &announced));
    // The files of the runner and GitHub are independent of each other: both are tried, then the first failure counts.
    told?;
    let carried = published?;
    match failure {
        Some(failure) => Err(failure),
        None => Ok(publication.exit(job.inputs.fail_step, carried)),
    }
}

fn outlet(publish: Publish) -> Outlet {
    match publish {
        Publish::Check => Outlet::Check,
        Publish::Status => Outlet::Status,
    }
}

fn pairs_of(
    job: &Job<'_>,
    github: &Github,
    subject: &Subject,
    rules: &Rules,
    handed: Option<Handed>,
) -> Result<Vec<Row>, Failure> {
    let mut wanted: Vec<(String, String)> =
        rules.owed.iter().map(|owed| (owed.suite.clone(), owed.retriever.clone())).collect();
    wanted.extend(job.pairs()?);
    wanted.sort();
    wanted.dedup();
    let baselines = github.wait(Baselines::read(
        &github.client,
        &job.runner.repository,
        &subject.base,
        &job.placed,
        &wanted,
    ))?;
    let handed = match (handed, job.inputs.results.as_slice()) {
        (Some(handed), _) => Some(handed),
        (None, []) => None,
        (None, paths) => Some(Handed { results: given(paths, &job.workspace.root)?, by_stranger: false }),
    };
    Bench { job, rules, baselines: &baselines, handed, results: publish::folder(&job.runner) }.rows()
}
