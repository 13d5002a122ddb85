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
use crate::cli::{Global, ReplayArgs, Shown};
use crate::config::did_you_mean;
use crate::error::{Blame, Blamed, Failure, docs};
use crate::exit::Exit;
use crate::files;
use crate::github::{Call, Event, Files, Rehearsal, Sha, Supposed, archived_files};
use crate::report::Rendered;

/// What cannot be rehearsed.
#[derive(Debug, thiserror::Error)]
enum ReplayProblem {
    /// `--with` without a name or a value, or with a name that is no input's.
    #[error("--with {0}: {1}")]
    Input(String, String),
    /// A comment's payload tells nothing of its pull request.
    #[error(
        "a comment cannot be rehearsed: its payload does not tell the pull request, its verdict or who may approve"
    )]
    Comment,
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
                Self::Comment => {
                    concat!(
                        "what each command does: ",
                        docs!("approvals.md"),
                        "; and how it looks: ",
                        docs!("demo.md")
                    )
                }
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
        Event::Said(_) if event.idle().is_none() => return Err(ReplayProblem::Comment.into()),
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
