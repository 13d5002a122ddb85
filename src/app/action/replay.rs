//! `rankhold replay EVENT.json --dry-run`: what the action would ask and write about an event, without a network.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::finished::ARTIFACT;
use super::inputs::Inputs;
use super::manifest::{self, Manifest};
use super::runner::Runner;
use super::{Github, Rehearsed, Step, review, subject};
use crate::app::console::Console;
use crate::app::workspace::{read_argument, repository_folder};
use crate::approval::{Command, Parsed, Refusal, parse};
use crate::cli::{Global, ReplayArgs, Shown};
use crate::config::did_you_mean;
use crate::error::{Blame, Blamed, Failure, docs};
use crate::exit::Exit;
use crate::files;
use crate::github::{Call, Event, Files, Rehearsal, Said, Sha, Supposed, archived_files};
use crate::report::{Rendered, Reply, place, reply};

/// What cannot be rehearsed.
#[derive(Debug, thiserror::Error)]
enum ReplayProblem {
    /// `--with` without a name or a value, or with a name that is no input's.
    #[error("--with {0}: {1}")]
    Input(String, String),
    /// What a run left is not in its payload.
    #[error("the run's results are not in the payload")]
    Artifact,
}

impl Blamed for ReplayProblem {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::Input(..) => concat!("write it as INPUT=VALUE; every input: ", docs!("action.md")),
                Self::Artifact => "pass the archive of its artifact `rankhold`: --artifact FILE.zip",
            }
            .to_owned(),
        )
    }
}

/// The command.
pub(in crate::app) fn replay(args: &ReplayArgs, global: &Global, console: &Console) -> Result<Exit, Failure> {
    super::inputs::refuse_flags(global, &["config"])?;
    // As everywhere, what is called `-` is what is piped in.
    let payload = if args.payload.as_os_str() == "-" { Path::new("/dev/stdin") } else { &args.payload };
    let bytes = read_argument(payload)?;
    let name = match &args.event {
        Some(name) => name.as_str(),
        None => Event::name_of(&bytes)?,
    };
    let event = Event::read(name, &bytes)?;
    match &event {
        Event::Said(said) if event.idle().is_none() => return comment(said, args.format, console),
        Event::Finished(_) if event.idle().is_none() && args.artifact.is_none() => {
            return Err(ReplayProblem::Artifact.into());
        }
        _ => {}
    }
    let variables = inputs(&args.inputs)?;
    let inputs = Inputs::read(&|name| {
        let given = variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        // A token that is sent nowhere, so that the path is that of a job which holds one.
        given.or_else(|| (name == "INPUT_TOKEN").then(|| "none".to_owned()))
    })?;
    let workspace = repository_folder(global)?;
    let repository = event.repository().full_name.clone();
    let artifact = args.artifact.as_deref().map(read_argument).transpose()?;
    let commit = commit_of(&event, artifact.as_deref(), &workspace)?;
    let runner = Runner::rehearsal(repository, name, payload, &workspace);
    let step =
        Step { runner, inputs, console, taken_for: Some(commit.clone()), rehearsed: RefCell::default() };
    if event.idle().is_none() {
        console.note(&format!(
            "dry run: nothing is sent; the tree here is taken for {}, its configuration and baselines for the base's",
            commit.short()
        ));
    }
    let (rehearsal, made) = Rehearsal::new(supposed(&event, &bytes, &commit, artifact, &workspace)?);
    let ended = review(&step, Ok(bytes), global, || Github::rehearse(rehearsal));
    print(&made.borrow(), step.rehearsed.take(), args.format, console);
    // The replay itself did what it was to do, whatever the verdict.
    let ended = ended?;
    if event.idle().is_none() {
        console.note(&format!("the step would end with exit code {}", ended.code()));
    }
    Ok(Exit::Pass)
}

/// What a comment asks for. Whether it is carried out depends on what no payload tells: the verdict of the pull request, and
/// what its author may do.
fn comment(said: &Said, format: Shown, console: &Console) -> Result<Exit, Failure> {
    let parsed = parse(said.comment.body.as_deref().unwrap_or_default());
    let login = said.comment.user.as_ref().map(|user| user.login.clone()).unwrap_or_default();
    let (command, detail, answer) = match parsed {
        Parsed::Command(Command::Approve(approve)) => {
            let reason =
                approve.reason.as_ref().map(|reason| format!(", because: {reason}")).unwrap_or_default();
            let suites = if approve.suites.is_empty() {
                "every suite of the report".to_owned()
            } else {
                format!("the suites {}", approve.suites.join(", "))
            };
            ("approve", format!("{} for {suites}{reason}", approve.token), None)
        }
        Parsed::Command(Command::Status) => ("status", "what can be approved now".to_owned(), None),
        Parsed::Command(Command::Help) => ("help", "the commands".to_owned(), Some(Reply::Help)),
        Parsed::Malformed(what) => {
            let refusal = Refusal::Malformed(what);
            let answer = Reply::Refused {
                to: login.clone(),
                what: refusal.to_string(),
                hint: refusal.hint().to_owned(),
                token: None,
            };
            ("malformed", refusal.to_string(), Some(answer))
        }
        Parsed::Nothing => unreachable!("an idle event was told before"),
    };
    let answer = answer.as_ref().map(reply).transpose()?;
    match format {
        Shown::Text => {
            let line =
                place::terminal(&format!("{command}: {detail} (#{}, {login})", said.issue.number), 1000);
            let answered =
                answer.iter().flat_map(|answer| answer.lines().map(|line| place::terminal(line, 1000)));
            console.report(&Rendered::lines(std::iter::once(line).chain(answered)));
        }
        Shown::Json => {
            let value = json!({ "command": command, "detail": detail, "answer": answer });
            console.report(&Rendered::json(&format!("{value:#}")));
        }
    }
    console.note(UNTOLD);
    Ok(Exit::Pass)
}

/// What is not known of a comment here.
const UNTOLD: &str = "dry run: the requests about a comment cannot be shown, since its payload tells neither the verdict of the \
                      pull request nor who may approve; docs/approvals.md says what each command does";

/// `INPUT=VALUE` as a runner's variables.
fn inputs(given: &[String]) -> Result<Vec<(String, String)>, ReplayProblem> {
    let read = |text: &String| {
        // A value is not repeated: it may be a secret that was given in error.
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let problem = |what: String| ReplayProblem::Input(name.to_owned(), what);
        if name == text {
            return Err(problem("there is no `=`".to_owned()));
        }
        let known = super::INPUTS.iter().map(|input| input.name);
        match known.clone().find(|known| *known == name) {
            Some("token" | "commit-token") if !value.is_empty() => {
                Err(problem("a rehearsal has no use for a secret".to_owned()))
            }
            Some(name) => Ok((format!("INPUT_{}", name.to_uppercase()), value.to_owned())),
            None => Err(problem(format!("there is no such input{}", did_you_mean(name, known)))),
        }
    };
    given.iter().map(read).collect()
}

/// The commit that the tree is taken for: the one that the event's workflow would have checked out.
fn commit_of(event: &Event, artifact: Option<&[u8]>, workspace: &Path) -> Result<Sha, Failure> {
    Ok(match event {
        Event::Pull(event) | Event::PullTarget(event) => event.pull.head.sha.clone(),
        Event::Finished(event) => match artifact {
            Some(archive) => {
                let files = archived_files(ARTIFACT, archive)?;
                Manifest::read(files.get(manifest::FILE))?.commit
            }
            None => event.run.head_sha.clone(),
        },
        Event::Queued(event) => event.group.head_sha.clone(),
        Event::Push(event) => event.after.clone(),
        Event::Manual(_) | Event::Said(_) => subject::head_of(workspace)?,
    })
}

fn supposed(
    event: &Event,
    payload: &[u8],
    commit: &Sha,
    artifact: Option<Vec<u8>>,
    workspace: &Path,
) -> Result<Supposed, Failure> {
    let read_only = matches!(event, Event::Pull(event) if event.pull.is_foreign());
    Ok(Supposed {
        payload: serde_json::from_slice(payload)
            .map_err(|error| crate::github::EventProblem::NotJson(error.to_string()))?,
        commit: commit.clone(),
        read_only,
        files: Box::new(Here(workspace.to_owned())),
        artifact,
    })
}

/// The files of this machine, in the place of the base's.
struct Here(PathBuf);

impl Files for Here {
    fn file(&self, path: &str) -> Option<Vec<u8>> {
        files::read_in_if_there(&self.0, &self.0.join(path), files::MAX_BYTES).ok().flatten()
    }

    fn folder(&self, path: &str) -> Option<Vec<String>> {
        let inside = files::folder_if_there(&self.0.join(path)).ok().filter(|files| !files.is_empty())?;
        let names = inside.iter().filter_map(|file| file.strip_prefix(&self.0).ok());
        Some(names.map(|name| name.to_string_lossy().replace('\\', "/")).collect())
    }
}

fn print(made: &[Call], rehearsed: Option<Rehearsed>, format: Shown, console: &Console) {
    match format {
        Shown::Text => {
            if let Some(text) = rehearsed.and_then(|rehearsed| rehearsed.text) {
                console.report(&text);
            }
            for call in made {
                let line = format!("{} {}", call.verb.word(), call.target());
                let body = call.body.as_ref().map(|body| format!("{body:#}")).unwrap_or_default();
                console.report(&Rendered::lines(std::iter::once(line.as_str()).chain(body.lines())));
            }
        }
        Shown::Json => {
            let request = |call: &Call| json!({ "method": call.verb.word(), "target": call.target(), "body": call.body });
            let requests: Value = made.iter().map(request).collect();
            let report = rehearsed.map(|rehearsed| rehearsed.markdown);
            console
                .report(&Rendered::json(&format!("{:#}", json!({ "report": report, "requests": requests }))));
        }
    }
}
