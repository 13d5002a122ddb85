//! What is wrong with the place a command works in, or with a name it was given.

use std::path::PathBuf;

use super::workspace::SUITES;
use crate::artifact::ArtifactProblem;
use crate::config::ConfigProblem;
use crate::error::{Blame, Blamed};
use crate::name::Name;

/// What is wrong with the place a command works in, or with a name it was given.
#[derive(Debug, thiserror::Error)]
pub(super) enum WorkspaceError {
    /// No such folder, or it cannot be entered.
    #[error("{path}: is no folder that can be read", path = path.display())]
    Root {
        /// As given.
        path: PathBuf,
        /// The system's word.
        source: std::io::Error,
    },
    /// The configuration is wrong.
    #[error("{path}: {problem}", path = path.display())]
    Config {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        problem: ConfigProblem,
    },
    /// Neither configured nor there.
    #[error("there is no suite `{name}`: neither a configured name nor a file{near}")]
    NoSuite {
        /// As given.
        name: String,
        /// A suggestion.
        near: String,
    },
    /// Nothing to measure.
    #[error("there is no suite: {config}, and {root}/{SUITES} holds no *.json", root = root.display())]
    NoSuites {
        /// The folder that was looked into.
        root: PathBuf,
        /// Which configuration lists none, or that there is no configuration.
        config: String,
    },
    /// The configuration lists a suite whose file is not there.
    #[error("{config}{line}: the suite `{name}` has the path `{path}`, and there is no such file", config = config.display())]
    NoSuiteFile {
        /// The configuration's file.
        config: PathBuf,
        /// Where in it, as a message says it.
        line: String,
        /// The suite.
        name: String,
        /// As written.
        path: Name,
        /// A suggestion.
        near: Option<String>,
    },
    /// A file is not UTF-8.
    #[error("{path}: is not UTF-8", path = path.display())]
    NotUtf8 {
        /// Which.
        path: PathBuf,
    },
    /// A baseline or result is refused.
    #[error("{path}: {problem}", path = path.display())]
    Artifact {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        problem: ArtifactProblem,
    },
}

impl Blamed for WorkspaceError {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Config { problem, .. } => problem.hint(),
            Self::Artifact { problem, .. } => problem.hint(),
            Self::NoSuites { root, .. } => Some(format!(
                "is this the repository you mean? --repo, or the action's `working-directory`, names another; `rankhold init` writes a starter suite into {}",
                root.display()
            )),
            Self::NoSuiteFile { near, .. } => Some(match near {
                Some(near) => format!("did you mean `{near}`? Paths in it start at its own folder"),
                None => "correct the path; it starts at the folder of the configuration".to_owned(),
            }),
            Self::NoSuite { .. } => {
                Some("name a suite of rankhold.toml, or the path of a suite file".to_owned())
            }
            Self::Root { .. } => Some("check --repo, or `working-directory` of the action".to_owned()),
            Self::NotUtf8 { .. } => Some("save it as UTF-8".to_owned()),
        }
    }
}
