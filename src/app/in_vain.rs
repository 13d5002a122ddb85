//! Arguments of `run` that would do nothing, or harm.

use std::path::{Path, PathBuf};

use super::workspace::Workspace;
use crate::cli::RunArgs;
use crate::config::suggestion;
use crate::error::{Blame, Blamed};
use crate::files;

/// Arguments that would do nothing, or harm.
#[derive(Debug, thiserror::Error)]
pub(super) enum InVain {
    /// An approver without anything to approve.
    #[error("--by says who records, and nothing is recorded")]
    NothingRecorded,
    /// Whatever is in that folder is taken for a baseline or suite by the next run.
    #[error("--results {folder}: baselines or suites are in this folder, and results would be taken for them", folder = folder.display())]
    NotForResults {
        /// As given.
        folder: PathBuf,
    },
    /// A gate that compares with nothing would pass whatever happens.
    #[error("--baseline {file}: there is no such file", file = file.display())]
    NoBaseline {
        /// As given.
        file: PathBuf,
        /// A suggestion.
        near: Option<String>,
    },
}

impl Blamed for InVain {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NothingRecorded => "add --update-baseline, or leave --by out".to_owned(),
            Self::NotForResults { .. } => "name a folder of their own, such as --results out".to_owned(),
            Self::NoBaseline { near, .. } => {
                let near = near.as_ref().map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
                format!(
                    "{near}Correct the path; on a first run leave --baseline out, or record it there with \
                     --update-baseline --by NAME"
                )
            }
        })
    }
}

/// Refuses them before anything is measured.
pub(super) fn refuse_in_vain(args: &RunArgs, workspace: &Workspace) -> Result<(), InVain> {
    if args.by.by.is_some() && !args.update_baseline {
        return Err(InVain::NothingRecorded);
    }
    if let Some(folder) = args.results.as_ref().filter(|folder| workspace.keeps_files_in(folder)) {
        return Err(InVain::NotForResults { folder: folder.clone() });
    }
    match &args.baseline {
        Some(file) if !args.update_baseline && !files::is_there(&workspace.here.join(file)) => {
            Err(InVain::NoBaseline { file: file.clone(), near: near(file, workspace) })
        }
        _ => Ok(()),
    }
}

/// A baseline that is there and called nearly so.
fn near(file: &Path, workspace: &Workspace) -> Option<String> {
    // What cannot be listed gives no hint; whoever reads it says why.
    let approved = workspace.approved_pairs().unwrap_or_default();
    let names: Vec<String> =
        approved.iter().map(|(_, _, file)| workspace.name_of(file).to_string()).collect();
    suggestion(&file.to_string_lossy(), names.iter().map(String::as_str)).map(str::to_owned)
}
