//! What a reader of a report types to go on: the words that work from the folder the command ran in, for exactly the
//! pair that is reported.

use std::path::{Path, PathBuf};

use super::console::Console;
use super::pairs::{Pair, pairs};
use super::workspace::{Chosen, Workspace};
use crate::artifact::Measurement;
use crate::config::{self, SuiteEntry};
use crate::name::Name;
use crate::report::{Commands, words};

/// The pairs that a plain `run` measures and a plain `approve` records.
pub(super) struct Planned<'a> {
    workspace: &'a Workspace,
    suites: Vec<Chosen>,
    pairs: Vec<Pair>,
}

impl<'a> Planned<'a> {
    /// Of this workspace; none where its suites cannot be read.
    pub(super) fn new(workspace: &'a Workspace) -> Self {
        let suites = workspace.choose(&[]).unwrap_or_default();
        let pairs = pairs(workspace, &suites, &[], None).unwrap_or_default();
        Self { workspace, suites, pairs }
    }

    /// A plain run measures it.
    pub(super) fn holds(&self, pair: &Pair) -> bool {
        self.pairs.iter().any(|planned| {
            planned.suite.file == pair.suite.file
                && planned.retriever.name == pair.retriever.name
                && planned.baseline == pair.baseline
        })
    }

    /// A baseline in the usual folder of a pair that a plain `run` does not measure makes that run fail from now on, which
    /// whoever records it should know.
    pub(super) fn tell_if_missing(&self, pair: &Pair, console: &Console) {
        let (suite, retriever) = (&pair.suite.entry.name, &pair.retriever.name);
        if self.holds(pair) || pair.baseline != self.workspace.baseline_path(suite, retriever) {
            return;
        }
        let file = self.workspace.name_of(&pair.baseline);
        let entry = if self.suites.iter().any(|known| known.entry.name == *suite) {
            format!("retrievers of suite `{suite}`: add \"{retriever}\"")
        } else {
            format!("[[suite]] path = \"{}\", retrievers = [\"{retriever}\"]", pair.suite.entry.path)
        };
        console.warning(&format!(
            "{file} is the baseline of a pair that a plain `rankhold run` does not measure, so that run fails from now \
             on: list the pair in {} ({entry}), or keep its baseline elsewhere (remove the file, and name another with \
             --baseline)",
            config::FILE
        ));
    }

    /// The commands of a pair that was measured, `baseline` as it was named on the command line.
    pub(super) fn commands(&self, pair: &Pair, baseline: Option<&Path>) -> Commands {
        let (suite, retriever) = (pair.suite.name(), pair.retriever.name.as_str());
        let run = self.typed(&["run", suite, "--retriever", retriever]);
        let of_this_file = match baseline.map(|file| file.display().to_string()) {
            Some(file) => words(&["--baseline", &file]),
            None => Vec::new(),
        };
        let approve = if self.holds(pair) && self.pairs.len() == 1 {
            self.typed(&["approve", "--by", "NAME"])
        } else {
            [run.clone(), of_this_file.clone(), words(&["--update-baseline", "--by", "NAME"])].concat()
        };
        // Where one suite is all there is, nobody needs to name it.
        let is_obvious = pair.suite.typed.is_none() && self.suites.len() == 1;
        let only = |words: Vec<String>| if is_obvious { Vec::new() } else { words };
        let is_default = pair.suite.entry.retrievers.first().is_some_and(|first| first == retriever);
        let by = if is_default { Vec::new() } else { words(&["--retriever", retriever]) };
        Commands {
            explain: [self.typed(&["explain", "CASE"]), only(words(&["--suite", suite])), by].concat(),
            lint: [self.typed(&["suite", "lint"]), only(words(&[suite]))].concat(),
            reproduce: [run, of_this_file].concat(),
            approve,
            baseline: Some(self.workspace.name_of(&pair.baseline).to_string()),
            slash: None,
        }
    }

    /// The commands of a pair that is known from its result's file alone.
    pub(super) fn commands_of_file(
        &self,
        measured: &Measurement,
        result: &Path,
        baseline: Option<&Path>,
    ) -> Commands {
        let (suite, retriever) = (&measured.suite.name, &measured.retriever.name);
        let usual = self.workspace.baseline_path(suite, retriever);
        let elsewhere = baseline.filter(|file| {
            let file = self.workspace.here.join(file);
            file.canonicalize().unwrap_or(file) != usual.canonicalize().unwrap_or_else(|_| usual.clone())
        });
        let known = self.suites.iter().find(|known| known.entry.name == *suite).map(|known| Pair {
            baseline: elsewhere.map_or_else(|| usual.clone(), |file| self.workspace.here.join(file)),
            ..self.pair(known, retriever)
        });
        let commands = known.map(|pair| self.commands(&pair, elsewhere)).unwrap_or_default();
        match elsewhere {
            Some(_) => commands,
            None => Commands {
                approve: self.typed(&["approve", &result.display().to_string(), "--by", "NAME"]),
                ..commands
            },
        }
    }

    /// The pair that a result's file says it is about; of a suite that is not known here nothing says where it lies.
    pub(super) fn pair_of_file(&self, measured: &Measurement) -> Pair {
        let (suite, retriever) = (&measured.suite.name, &measured.retriever.name);
        let known = self.suites.iter().find(|known| known.entry.name == *suite).cloned();
        let path = format!("…/{suite}.json");
        let unknown = || Chosen {
            entry: SuiteEntry::unconfigured(suite, &Name::new(&path)),
            file: PathBuf::new(),
            typed: Some(path.clone()),
        };
        self.pair(&known.unwrap_or_else(unknown), retriever)
    }

    fn pair(&self, suite: &Chosen, retriever: &str) -> Pair {
        Pair {
            suite: suite.clone(),
            retriever: self.workspace.retriever(retriever),
            baseline: self.workspace.baseline_path(&suite.entry.name, retriever),
        }
    }

    /// The words, with the flags of the whole command line that decide where it works.
    fn typed(&self, command: &[&str]) -> Vec<String> {
        [self.workspace.place.clone(), words(command)].concat()
    }
}
