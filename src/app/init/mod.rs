//! `rankhold init`: a configuration, a starter suite and workflows for this repository.

mod starter;

use std::path::PathBuf;

use super::console::Console;
use super::doctor::{default_branch, judging};
use super::workspace::{Workspace, git_root};
use crate::cli::InitArgs;
use crate::config;
use crate::error::{Blame, Blamed, Failure, docs};
use crate::exit::Exit;
use crate::files;
use crate::name::Name;
use crate::workflow::{COMMAND, SAME_REPOSITORY};

const CONFIG: &str = include_str!("../../../templates/init/rankhold.toml");
const WORKFLOW_PATH: &str = ".github/workflows/rankhold.yml";
/// Where the action looks for it.
const COMMAND_PATH: &str = ".github/workflows/rankhold-command.yml";
const SUITE_PATH: &str = "suites/starter.json";

/// A repository that cannot be started with.
#[derive(Debug, thiserror::Error)]
enum InitError {
    /// Files are in the way.
    #[error("these are there already: {0}")]
    There(String),
    /// No target was found.
    #[error(
        "no case could be written: {0} files hold no definition, heading or file name that is theirs alone"
    )]
    Nothing(usize),
}

impl Blamed for InitError {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::There(_) => {
                    "move them away, or overwrite them with --force; suites are kept in any case"
                }
                Self::Nothing(_) => {
                    concat!("write a suite by hand, a query and the path of its answer: ", docs!("suites.md"))
                }
            }
            .to_owned(),
        )
    }
}

/// Writes the files, none of them if one is in the way or cannot be written. Suites that are there are configured instead
/// of a starter.
pub(super) fn init(args: &InitArgs, workspace: &Workspace, console: &Console) -> Result<Exit, Failure> {
    let there = workspace.suites()?;
    let mut written: Vec<(PathBuf, String)> = Vec::new();
    let mut config = CONFIG.to_owned();
    let mut cases = 0;
    // A suite that is there is somebody's work, the starter too once cases were added to it: none is ever overwritten.
    let fresh = there.is_empty();
    if fresh {
        let ours = [SUITE_PATH, WORKFLOW_PATH, COMMAND_PATH].map(|path| workspace.root.join(path));
        let corpus = workspace.corpus(&[], &ours.each_ref().map(PathBuf::as_path))?;
        let suite = starter::suite(&corpus).ok_or(InitError::Nothing(corpus.entries().len()))?;
        cases = suite.cases;
        written.push((SUITE_PATH.into(), suite.text));
        config.push_str(&entry("starter", SUITE_PATH));
    } else {
        for suite in &there {
            config.push_str(&entry(&suite.entry.name, workspace.name_of(&suite.file).as_str()));
        }
    }
    written.push((config::FILE.into(), config));
    // The set-up that the documentation recommends for a start: one text for both. Where nobody here knows which the default
    // branch is, it is one of two, and a push to any other branch is not judged.
    let repository = git_root(&workspace.root).unwrap_or_else(|| workspace.root.clone());
    let workflow = match default_branch(&repository) {
        Some(branch) => SAME_REPOSITORY.on_branches(&[branch]),
        None => SAME_REPOSITORY.on_branches(&["main", "master"]),
    };
    // Two that judge would write over each other's verdict.
    let other = judging(workspace).filter(|file| file != WORKFLOW_PATH);
    if other.is_none() {
        written.push((WORKFLOW_PATH.into(), workflow));
    }
    written.push((COMMAND_PATH.into(), COMMAND.text.to_owned()));

    let in_the_way: Vec<_> =
        written.iter().filter(|(path, _)| files::is_there(&workspace.root.join(path))).collect();
    if !in_the_way.is_empty() && !args.force {
        let names: Vec<_> = in_the_way.iter().map(|(path, _)| path.display().to_string()).collect();
        return Err(InitError::There(names.join(", ")).into());
    }
    let all: Vec<_> =
        written.iter().map(|(path, text)| (workspace.root.join(path), text.clone().into_bytes())).collect();
    files::write_all_in(&workspace.root, &all)?;
    for (path, _) in &written {
        console.line(&path.display().to_string());
    }
    for suite in &there {
        let path = workspace.name_of(&suite.file);
        console.note(&format!(
            "{path} is kept as it is, and configured; `init` writes a starter suite where there is no suite"
        ));
    }
    if fresh {
        console.note(&format!(
            "{cases} starter cases: names, files and headings that are there today. They show that the gate works; \
             replace them by what your users really ask."
        ));
    }
    if let Some(file) = other {
        console.note(&format!(
            "{WORKFLOW_PATH} is not written, since {} judges pull requests already; `rankhold doctor --workflow` says what it lacks",
            Name::new(&file)
        ));
    }
    if let Some(inside) =
        git_root(&workspace.root).as_deref().and_then(|root| workspace.root.strip_prefix(root).ok())
        && !inside.as_os_str().is_empty()
    {
        console.note(&format!(
            "GitHub reads .github/workflows of the repository's root alone: move both workflows there, and put \
             `working-directory: {}` under `with` of the step of rankhold.yml that uses rankhold",
            Name::new(&inside.to_string_lossy())
        ));
    }
    console.note("next: `rankhold run`, then `rankhold approve --by NAME` to record what is right");
    Ok(Exit::Pass)
}

fn entry(name: &str, path: &str) -> String {
    format!("[[suite]]\nname = \"{name}\"\npath = \"{path}\"\nretrievers = [\"bm25\"]\n")
}
