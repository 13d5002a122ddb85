//! What is known of the repository besides its workflows.

use std::collections::{BTreeMap, BTreeSet};

use super::Local;
use crate::config::ApprovalMode;

/// A suite with a retriever that runs a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The suite's name.
    pub suite: String,
    /// The retriever's name.
    pub retriever: String,
}

/// What a folder's rankhold.toml says.
#[derive(Clone, Debug, Default)]
pub struct Configured {
    /// What is configured and runs a program.
    pub programs: Vec<Pair>,
    /// Every retriever that runs a program, whether a suite is measured with it or not.
    pub retrievers: Vec<String>,
    /// What a step may ask for.
    pub names: Names,
}

/// What a step may ask for by name.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The suites that are configured; none where whatever lies in a folder is one.
    pub suites: Vec<String>,
    /// Every retriever.
    pub retrievers: Vec<String>,
}

/// What the checks hold workflows against: the action's own tables, and what rankhold.toml says.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Names of the action's inputs.
    pub inputs: Vec<&'static str>,
    /// Names of those of the action that has the tools of the field.
    pub inputs_of_full: Vec<&'static str>,
    /// Events that the action acts on.
    pub events: Vec<&'static str>,
    /// The name of our check on the default branch.
    pub check: String,
    /// The file of the measuring workflow, where the input `workflow` names none.
    pub measures: &'static str,
    /// The file of the workflow that answers commands, where the input `commands` names none.
    pub commands: &'static str,
    /// What an approval by comment does.
    pub approval: ApprovalMode,
    /// The artifact that the measuring workflow hands on.
    pub artifact: &'static str,
    /// The verdict is a status and no check, unless a step says otherwise.
    pub is_status: bool,
    /// Comments are wanted, unless a step says otherwise.
    pub comments: bool,
    /// What other folders are configured with, of those that steps name as the root of what they measure.
    pub folders: BTreeMap<String, Configured>,
    /// Folders with a rankhold.toml, where the repository's root has neither that nor suites.
    pub configured: Vec<String>,
    /// The folder of the repository that rankhold.toml is about: empty for the repository itself.
    pub root: String,
    /// What is configured and runs a program.
    pub programs: Vec<Pair>,
    /// Every retriever that runs a program, whether a suite is measured with it or not.
    pub retrievers: Vec<String>,
    /// The default branch, if this checkout knows it.
    pub default_branch: Option<String>,
    /// Folders with workflows that GitHub does not read, as they lie below another folder than the repository's root.
    pub elsewhere: Vec<String>,
    /// What a step may ask for where the folder of this is measured.
    pub names: Names,
    /// Why the action refuses an input's value, if it does.
    pub refuses: Option<fn(&str, &str) -> Option<String>>,
    /// Folders and files that steps name and that are not in this checkout.
    pub absent: BTreeSet<String>,
    /// Folders of the repository that steps use as an action and that hold one of ours, as they are written there.
    pub local: BTreeMap<String, Local>,
    /// Those that are none of ours and name rankhold all the same.
    pub wrapped: BTreeSet<String>,
}

impl Facts {
    /// What a step may ask for in a folder; none if nothing is known of it.
    pub(super) fn names_of(&self, folder: &str) -> Option<&Names> {
        if folder == self.root { Some(&self.names) } else { Some(&self.folders.get(folder)?.names) }
    }

    /// The pairs and the retrievers of a folder that run programs; none if nothing is known of it.
    pub(super) fn programs_of(&self, folder: &str) -> Option<(&[Pair], &[String])> {
        if folder == self.root {
            return Some((&self.programs, &self.retrievers));
        }
        let of = self.folders.get(folder)?;
        Some((&of.programs, &of.retrievers))
    }
}
