//! `rankhold action`: from an event to a verdict where people look for it.
//!
//! Four phases, one after the other: ask GitHub whom the verdict is for, then what the tree is held against; measure and
//! judge; write what came out. What fails after the first is told whoever waits for the verdict.
//! What is measured beside a token runs no program of the tree.

mod addressee;
mod answer;
mod approvals;
mod approved;
mod asked;
mod bench;
mod candidates;
mod finished;
mod full;
mod inputs;
mod manifest;
mod post;
mod proposal;
mod publish;
mod replay;
mod rules;
mod runner;
mod subject;
mod touched;
mod waiting;

pub(super) use approved::Answered;
pub(super) use finished::ARTIFACT;
pub use full::{inputs_of_full, outputs_of_full};
pub(super) use inputs::refusal;
pub use inputs::{INPUTS, Input, OUTPUTS, OutputSlot};
pub(super) use replay::replay;
pub(super) use rules::{Placed, settings};

use std::cell::RefCell;
use std::future::Future;
use std::path::{Path, PathBuf};

use jiff::civil::Date;

use self::addressee::Addressee;
use self::approvals::{Approvals, PairName, Search};
use self::asked::Asked;
use self::bench::{Baselines, Bench, Handed, Row, given};
use self::candidates::approvable;
use self::inputs::Inputs;
use self::publish::{Announced, Beside, Publication};
use self::rules::Rules;
use self::runner::Runner;
use self::subject::Subject;
use self::waiting::Waiting;
use super::Day;
use super::console::Console;
use super::workspace::{BASELINES, Workspace};
use crate::approval::Bundle;
use crate::cli::{Global, TodayArgs};
use crate::config::Publish;
use crate::error::{Blame, Blamed, Failure};
use crate::exit::Exit;
use crate::files;
use crate::github::{Client, Connection, Event, Outlet, Patience, Place, Rehearsal, Sha, Token};
use crate::report::{Rendered, idle_summary};

/// One step of a workflow: who started it, how, and where it speaks.
struct Step<'a> {
    runner: Runner,
    inputs: Inputs,
    console: &'a Console,
    /// The commit that the tree is taken for, in a rehearsal.
    taken_for: Option<Sha>,
    /// What a rehearsal would report.
    rehearsed: RefCell<Option<Rehearsed>>,
}

/// A report that nobody reads.
struct Rehearsed {
    /// As the log would have it; none where the job came to nothing, which is told otherwise.
    text: Option<Rendered>,
    /// As check and comment would have it.
    markdown: String,
}

impl Step<'_> {
    /// The folder of the checkout that is the root of what is measured.
    fn root(&self) -> PathBuf {
        self.runner.workspace.join(&self.inputs.working_directory)
    }

    /// A token is at hand, so that no program of the tree may run.
    fn holds_token(&self) -> bool {
        self.inputs.token.is_some()
    }

    /// The commit that is checked out.
    fn checked_out(&self) -> Result<Sha, Failure> {
        match &self.taken_for {
            Some(commit) => Ok(commit.clone()),
            None => subject::head_of(&self.runner.workspace),
        }
    }
}

/// A step with the tree that it measures.
struct Job<'a> {
    step: &'a Step<'a>,
    workspace: Workspace,
    placed: &'a Placed,
    today: Date,
}

impl<'a> Job<'a> {
    fn open(step: &'a Step<'a>, placed: &'a Placed, global: &Global) -> Result<Self, Failure> {
        let config = step.inputs.config.clone().unwrap_or_else(|| crate::config::FILE.into());
        let workspace = Workspace::at(&step.root(), &config, step.inputs.config.is_some(), global)?;
        Ok(Self { step, workspace, placed, today: Day::of(TodayArgs { today: None }) })
    }
}

/// GitHub, and the thread that waits for it.
struct Github {
    runtime: tokio::runtime::Runtime,
    client: Client,
    /// Who commits, if that is not the workflow itself.
    committer: Option<Client>,
}

impl Github {
    fn connect(runner: &Runner, inputs: &Inputs, root: &Path, patience: Patience) -> Result<Self, Failure> {
        let runtime = runtime()?;
        let certificates = match &inputs.certificates {
            Some(path) => Some(files::read(&root.join(path), files::MAX_BYTES)?),
            None => None,
        };
        let client = |token: Option<&Token>| {
            let _inside = runtime.enter();
            let connection = Connection::open(&runner.api, token, certificates.as_deref(), patience.answer)?;
            Ok::<_, Failure>(Client::new(Box::new(connection), patience))
        };
        let committer = inputs.commit_token.as_ref().map(|token| client(Some(token))).transpose()?;
        let client = client(inputs.token.as_ref())?;
        Ok(Self { runtime, client, committer })
    }

    /// Nobody is asked.
    fn rehearse(rehearsal: Rehearsal) -> Result<Self, Failure> {
        let client = Client::new(Box::new(rehearsal), Patience::default());
        Ok(Self { runtime: runtime()?, client, committer: None })
    }

    fn wait<T>(&self, asked: impl Future<Output = T>) -> T {
        self.runtime.block_on(asked)
    }
}

pub(super) fn runtime() -> Result<tokio::runtime::Runtime, NoRuntime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(NoRuntime)
}

/// The system gives no event loop.
#[derive(Debug, thiserror::Error)]
#[error("GitHub cannot be asked: {0}")]
pub(super) struct NoRuntime(std::io::Error);

impl Blamed for NoRuntime {
    fn blame(&self) -> Blame {
        Blame::Environment
    }
}

/// The command.
pub(super) fn action(global: &Global, console: &Console, patience: Patience) -> Result<Exit, Failure> {
    #[expect(clippy::disallowed_methods, reason = "edge: the one command that reads what the runner says")]
    let variable = |name: &str| std::env::var(name).ok();
    let runner = Runner::read(&variable)?;
    if let Some(pending) = post::Pending::read(&variable) {
        return post::complete(&runner, &variable, pending, console, patience);
    }
    post::begin(&runner)?;
    let step = Step {
        runner,
        inputs: Inputs::read(&variable)?,
        console,
        taken_for: None,
        rehearsed: RefCell::default(),
    };
    inputs::refuse_flags(global, &["repo", "config"]).map_err(|problem| in_vain(&step, problem.into()))?;
    let payload = files::read(&step.runner.payload, files::MAX_BYTES).map_err(Failure::from);
    let connect = || Github::connect(&step.runner, &step.inputs, &step.root(), patience);
    review(&step, payload, global, connect)
}

/// From an event to a verdict.
fn review(
    step: &Step<'_>,
    payload: Result<Vec<u8>, Failure>,
    global: &Global,
    connect: impl FnOnce() -> Result<Github, Failure>,
) -> Result<Exit, Failure> {
    let runner = &step.runner;
    let event = payload.and_then(|payload| Ok(Event::read(&runner.event, &payload)?));
    let event = event.map_err(|failure| in_vain(step, failure))?;
    if let Some(why) = event.idle() {
        return idle(step, &why);
    }
    if let Event::Said(said) = &event {
        if !step.holds_token() {
            return Err(in_vain(step, Tokenless::Command.into()));
        }
        return answer::answer(step, &connect()?, said);
    }
    let errand = match Errand::of(step, event, connect) {
        Ok(Ok(errand)) => errand,
        Ok(Err(why)) => return idle(step, &why),
        Err(failure) => return Err(in_vain(step, failure)),
    };
    let job = Job::open(step, &errand.placed, global);
    match &errand.github {
        Some((github, to)) => {
            let found = job.and_then(|job| {
                let (subject, handed) = github.wait(subject_of(&errand.event, step, &github.client, to))?;
                Ok((job, subject, handed))
            });
            match found {
                Ok((job, subject, handed)) => give_verdict(&job, github, subject, handed),
                Err(failure) => Err(no_verdict(step, github, to, &errand.placed, failure)),
            }
        }
        None => job.and_then(|job| measure_only(&job)).map_err(|failure| in_vain(step, failure)),
    }
}

/// What a step is to do, as far as that is known without its tree.
struct Errand {
    event: Event,
    placed: Placed,
    /// Whom to ask and whom to tell, if there is a token for it.
    github: Option<(Github, Addressee)>,
}

impl Errand {
    /// Reads it, or says why there is nothing to do.
    fn of(
        step: &Step<'_>,
        event: Event,
        connect: impl FnOnce() -> Result<Github, Failure>,
    ) -> Result<Result<Self, String>, Failure> {
        let placed = Placed::of(&step.inputs, &step.runner.workspace)?;
        if !step.holds_token() {
            return Ok(Ok(Self { event, placed, github: None }));
        }
        let github = connect()?;
        let to = github.wait(Addressee::of(&event, step, &github.client))?;
        Ok(to.map(|to| Self { event, placed, github: Some((github, to)) }))
    }
}

/// Nothing to judge, said where people look.
fn idle(step: &Step<'_>, why: &str) -> Result<Exit, Failure> {
    step.console.note(why);
    step.runner.summarise(&idle_summary(why)?)?;
    Ok(Exit::Pass)
}

/// A failure before anybody could be told of it on GitHub: summary and outputs have it, and the step ends with it.
fn in_vain(step: &Step<'_>, failure: Failure) -> Failure {
    let told = Publication::failed(&failure, step).and_then(|publication| publication.tell(step));
    if let Err(problem) = told {
        step.console.failure(&problem);
    }
    failure
}

/// A failure between the event and the verdict: whoever waits for the verdict hears that there is none, and why.
fn no_verdict(
    step: &Step<'_>,
    github: &Github,
    to: &Addressee,
    placed: &Placed,
    failure: Failure,
) -> Failure {
    let told = Publication::failed(&failure, step).and_then(|publication| {
        publication.tell(step)?;
        github.wait(tell_addressee(&publication, step, &github.client, to, placed))
    });
    // What keeps us from saying it is no reason to end otherwise.
    if let Err(problem) = told {
        step.console.failure(&problem);
    }
    failure
}

async fn tell_addressee(
    publication: &Publication,
    step: &Step<'_>,
    client: &Client,
    to: &Addressee,
    placed: &Placed,
) -> Result<(), Failure> {
    let Some(place) = &to.place else { return Ok(()) };
    // As if the right commit was checked out: every verdict on it has this base or a later one, and replaces this one.
    let mut subject = Subject::of(to, &place.commit, &step.runner, client).await?;
    let rules = Rules::read(client, &step.runner.repository, &subject.base, placed, None).await.ok();
    subject.show(step.inputs.publish, rules.as_ref());
    let announced = subject.announce(step, client).await?;
    if let Announced::Silent(why) = announced {
        step.console.note(why);
        return Ok(());
    }
    publication.publish(step, client, &subject, &announced).await.map(drop)
}

/// What is judged against what, with what was measured elsewhere.
async fn subject_of(
    event: &Event,
    step: &Step<'_>,
    client: &Client,
    to: &Addressee,
) -> Result<(Subject, Option<Handed>), Failure> {
    let checked_out = step.checked_out()?;
    let handed = match event {
        Event::Finished(event) => Some(finished::handed(event, step, client, &checked_out).await?),
        _ => None,
    };
    // Of an artifact too this proves that the tree is the head or a merge of it.
    Ok((Subject::of(to, &checked_out, &step.runner, client).await?, handed))
}

/// What a job says that only measures, lest its report is taken for a verdict.
const ONLY_MEASURED: &str = "measured without a token: nothing is held against it here, and the job that is given the results has the verdict";

/// What needs a token, and has none.
#[derive(Debug, thiserror::Error)]
enum Tokenless {
    /// A comment.
    #[error("a command is answered on GitHub, and this job has no token")]
    Command,
    /// Results of other jobs.
    #[error("the input `result` hands results to the job that publishes, and this one has no token")]
    Results,
}

impl Blamed for Tokenless {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        let what = match self {
            Self::Command => "",
            Self::Results => ", or take `result` out: without a token the tree is measured for another job",
        };
        Some(format!("leave the input `token` to its default{what}"))
    }
}

/// Without a token there is nobody to ask what the tree is held against: results for another job.
fn measure_only(job: &Job<'_>) -> Result<Exit, Failure> {
    if !job.step.inputs.results.is_empty() {
        return Err(Tokenless::Results.into());
    }
    let rules = Rules::unknown();
    let baselines = Baselines::none(job.placed);
    let results = publish::folder(&job.step.runner);
    let approvals = Approvals::default();
    let bench =
        Bench { job, rules: &rules, baselines: &baselines, approvals: &approvals, handed: None, results };
    let mut rows = bench.rows()?;
    for row in &mut rows {
        row.forget_the_baseline();
    }
    let measured = Publication::of(job, &rules, &rows, None, &Beside::default())?;
    idle(job.step, ONLY_MEASURED)?;
    measured.tell(job.step)?;
    Ok(measured.measured_exit())
}

fn give_verdict(
    job: &Job<'_>,
    github: &Github,
    mut subject: Subject,
    handed: Option<Handed>,
) -> Result<Exit, Failure> {
    let step = job.step;
    let rules = github.wait(Rules::read(
        &github.client,
        &step.runner.repository,
        &subject.base,
        job.placed,
        step.inputs.tolerance,
    ));
    for doubt in rules.iter().flat_map(|rules| rules.approvers.doubtful_roles()) {
        step.console.warning(&doubt);
    }
    subject.show(step.inputs.publish, rules.as_ref().ok());
    let announced = github.wait(subject.announce(step, &github.client));
    let announced = announced.map_err(|failure| in_vain(step, failure))?;
    if let Announced::Silent(why) = announced {
        return idle(step, why);
    }
    let looser = rules.as_ref().ok().and_then(|rules| Some((rules.looser?, rules.policy.tolerance)));
    if let Some((given, gate)) = looser {
        step.console.note(&format!(
            "the input `tolerance` ({given}) is looser than the gate of the base branch ({gate}), which counts"
        ));
    }
    let judged = rules.and_then(|mut rules| {
        let Judged { rows, kept, waiting } = pairs_of(job, github, &subject, &mut rules, handed)?;
        let beside = Beside {
            touched: github.wait(touched::of(job, &github.client, &subject, &rows)),
            approvable: github.wait(approvable(job, &github.client, &subject, &rules, &rows))?,
            kept,
        };
        Ok((Publication::of(job, &rules, &rows, Some(&subject), &beside)?, rules, waiting))
    });
    let (publication, judged) = match judged {
        Ok((publication, rules, waiting)) => (publication, Ok((rules, waiting))),
        Err(failure) => (Publication::failed(&failure, step)?, Err(failure)),
    };
    let told = publication.tell(step);
    let published = github.wait(publication.publish(step, &github.client, &subject, &announced));
    // The files of the runner and GitHub are independent of each other: both are tried, then the first failure counts.
    told?;
    let carried = published?;
    let (rules, waiting) = judged?;
    github.wait(proposal::propose(job, github, &subject, &rules, &waiting, &publication))?;
    Ok(publication.exit(step.inputs.fail_step, carried))
}

/// By whose rules approvals count, and where the verdicts that they are about stand.
fn search_of<'a>(
    job: &'a Job<'_>,
    client: &'a Client,
    subject: &'a Subject,
    rules: &'a Rules,
    place: &'a Place,
    asked: &'a Asked,
) -> Search<'a> {
    Search {
        client,
        repository: &job.step.runner.repository,
        place,
        approvers: &rules.approvers,
        placed: job.placed,
        branch: &subject.base.branch,
        tip: &subject.base.tip,
        asked,
    }
}

fn outlet(publish: Publish) -> Outlet {
    match publish {
        Publish::Check => Outlet::Check,
        Publish::Status => Outlet::Status,
    }
}

/// The pairs with their verdicts, and the approvals that had a say in them.
struct Judged {
    rows: Vec<Row>,
    /// What approvals of the pull request stand for.
    kept: Vec<Bundle>,
    /// What was approved before and has no file yet.
    waiting: Waiting,
}

fn pairs_of(
    job: &Job<'_>,
    github: &Github,
    subject: &Subject,
    rules: &mut Rules,
    handed: Option<Handed>,
) -> Result<Judged, Failure> {
    let (step, client) = (job.step, &github.client);
    let mut wanted: Vec<PairName> =
        rules.owed.iter().map(|owed| (owed.suite.clone(), owed.retriever.clone())).collect();
    wanted.extend(job.pairs()?);
    wanted.extend(rules.measured.clone());
    wanted.sort();
    wanted.dedup();
    let place = subject.verdicts(step, rules);
    let asked = Asked::default();
    let (approvals, waiting, at_tip, aside) = github.wait(async {
        let search = search_of(job, client, subject, rules, &place, &asked);
        let pulls = match (&subject.pull, &subject.group) {
            (Some(pull), _) => vec![pull.clone()],
            (None, Some(group)) => search.pulls_of(group).await?,
            (None, None) => Vec::new(),
        };
        let approvals = search.approvals(&pulls).await?;
        let here = job.pairs()?;
        let waiting = search.waiting(&subject.base.measured, &wanted).await?.without_removals_of(&here);
        // What is owed the tip says, as for files: a base that is older must catch up.
        let at_tip = if subject.base.measured == subject.base.tip {
            waiting.clone()
        } else {
            search.waiting(&subject.base.tip, &wanted).await?.without_removals_of(&here)
        };
        let aside =
            if subject.pull.is_some() { search.aside(&subject.base, &wanted).await? } else { Vec::new() };
        Ok::<_, Failure>((approvals, waiting, at_tip, aside))
    })?;
    rules.wait_for(&at_tip);
    wanted.extend(at_tip.iter().chain(waiting.iter()).map(|(pair, _)| pair.clone()));
    let repository = &step.runner.repository;
    let baselines = github.wait(Baselines::read(
        client,
        repository,
        &subject.base,
        job.placed,
        &wanted,
        waiting,
        aside,
    ))?;
    let handed = match (handed, step.inputs.results.as_slice()) {
        (Some(handed), _) => Some(handed),
        (None, []) => None,
        (None, paths) => Some(Handed { results: given(paths, &job.workspace.root)?, by_stranger: false }),
    };
    let results = publish::folder(&step.runner);
    let rows = Bench { job, rules, baselines: &baselines, approvals: &approvals, handed, results }.rows()?;
    let kept = approvals.bundles().cloned().collect();
    Ok(Judged { rows, kept, waiting: baselines.into_waiting() })
}
