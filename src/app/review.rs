//! Reviewing one pair: read its baseline, measure, write the result, judge.

use std::path::{Path, PathBuf};

use jiff::civil::Date;

use super::console::Console;
use super::pairs::Pair;
use super::workspace::{Workspace, read_baseline, suite_of};
use crate::artifact::{Baseline, Candidate, SuiteResult, Timings};
use crate::corpus::Corpus;
use crate::error::Failure;
use crate::files;
use crate::gate::{Judgement, Policy, judge};
use crate::measure::{Measured, Plan, Watch, measure};
use crate::retriever;

/// What reviewing needs beside the pair.
pub(super) struct Reviewer<'a> {
    /// Root, configuration, threads.
    pub workspace: &'a Workspace,
    /// The files to search.
    pub corpus: &'a Corpus,
    /// The gate's rules.
    pub policy: &'a Policy,
    /// The day that decides about quarantines.
    pub today: Date,
    /// Where results are written, if they are.
    pub results: Option<PathBuf>,
    /// Where to speak.
    pub console: &'a Console,
}

/// A pair that has a verdict.
pub(super) struct Reviewed {
    /// What was measured.
    pub result: SuiteResult,
    /// How long it took.
    pub timings: Timings,
    /// What it was compared with.
    pub baseline: Option<Baseline>,
    /// What the gate says.
    pub judgement: Judgement,
}

impl Reviewer<'_> {
    /// Reviews one pair. A damaged baseline is refused before anything is measured.
    pub(super) fn review(&self, pair: &Pair) -> Result<Reviewed, Failure> {
        let baseline = read_baseline(&pair.baseline)?;
        let Measured { result, timings, .. } = self.measure(pair)?;
        if let Some(folder) = &self.results {
            write_result(folder, pair, &result, &timings)?;
        }
        let judgement = judge(&result, baseline.as_ref(), self.policy, self.today)?;
        Ok(Reviewed { result, timings, baseline, judgement })
    }

    /// Measures one pair.
    pub(super) fn measure(&self, pair: &Pair) -> Result<Measured, Failure> {
        let suite = suite_of(&pair.suite, &self.workspace.root)?;
        let system = retriever::build(&pair.retriever, &self.workspace.root)?;
        let plan = Plan {
            entry: &pair.suite.entry,
            suite: &suite,
            retriever: &pair.retriever,
            system: &*system,
            corpus: self.corpus,
            repo: &self.workspace.root,
            temporary: &self.workspace.temporary,
            fetch: self.workspace.settings.fetch,
            limit: self.workspace.settings.limit,
            threads: self.workspace.threads,
        };
        let measured = measure(&plan, &Unwatched)?;
        for (case, error) in &measured.failures {
            self.console.warning(&format!(
                "{} × {}: case {case} failed: {error}",
                pair.suite.entry.name, pair.retriever.name
            ));
        }
        Ok(measured)
    }
}

/// Writes `FOLDER/SUITE.RETRIEVER.{result,timings,candidate}.json`, each whole or not at all.
fn write_result(folder: &Path, pair: &Pair, result: &SuiteResult, timings: &Timings) -> Result<(), Failure> {
    let file =
        |what: &str| folder.join(format!("{}.{}.{what}.json", pair.suite.entry.name, pair.retriever.name));
    files::write_atomically(&file("result"), result.to_text().as_bytes())?;
    files::write_atomically(&file("timings"), timings.to_text().as_bytes())?;
    files::write_atomically(&file("candidate"), Candidate::of(result).to_text().as_bytes())?;
    Ok(())
}

struct Unwatched;

impl Watch for Unwatched {
    fn prepared(&self, _: usize) {}
    fn asked(&self) {}
}
