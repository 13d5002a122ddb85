//! Which pairs a command is about.

use std::path::{Path, PathBuf};

use crate::config::RetrieverEntry;
use crate::error::{Blame, Blamed, Failure};

use super::workspace::{Chosen, Workspace};

/// One suite × one retriever.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    /// The suite.
    pub suite: Chosen,
    /// The retriever.
    pub retriever: RetrieverEntry,
    /// Where its baseline lies.
    pub baseline: PathBuf,
}

/// `--baseline` names one file, but there are several pairs.
#[derive(Debug, thiserror::Error)]
#[error("--baseline names one file, but {0} pairs of suite and retriever are chosen")]
pub(super) struct SeveralPairs(usize);

impl Blamed for SeveralPairs {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some("name one suite and one --retriever, or leave --baseline out".to_owned())
    }
}

/// Every pair of these suites: with the retrievers named, else with the configured ones.
pub(super) fn pairs(
    workspace: &Workspace,
    suites: &[Chosen],
    retrievers: &[String],
    baseline: Option<&Path>,
) -> Result<Vec<Pair>, Failure> {
    let mut pairs = Vec::new();
    for suite in suites {
        let names = if retrievers.is_empty() { &suite.entry.retrievers } else { retrievers };
        for name in names {
            pairs.push(Pair {
                baseline: workspace.baseline_path(&suite.entry.name, name),
                retriever: workspace.retriever(name),
                suite: suite.clone(),
            });
        }
    }
    if let Some(file) = baseline {
        let count = pairs.len();
        let [pair] = pairs.as_mut_slice() else { return Err(SeveralPairs(count).into()) };
        pair.baseline = workspace.here.join(file);
    }
    Ok(pairs)
}
