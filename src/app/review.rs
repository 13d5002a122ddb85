//! Reviewing one pair: read its baseline, measure, write the result, judge.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use jiff::civil::Date;

use super::console::Console;
use super::failures::Failures;
use super::pairs::Pair;
use super::systems::SystemProblem;
use super::workspace::{Workspace, read_baseline, suite_of};
use crate::artifact::{Baseline, Candidate, CaseResult, SuiteResult, Timings};
use crate::corpus::Corpus;
use crate::error::{Blame, Blamed, Failure};
use crate::files;
use crate::gate::{Judgement, Policy, Unjudgeable, judge};
use crate::measure::{
    Explained, MeasureError, Measured, Plan, Round, Thorough, Thoroughness, Watch, explain, measure,
    measure_thoroughly,
};
use crate::progress::{Bar, Progress};
use crate::ranking::Answer;
use crate::report::{self, place};
use crate::retriever::Retriever;
use crate::suite::Suite;

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
    /// What it was compared with.
    pub baseline: Option<Baseline>,
    /// What the gate says.
    pub judgement: Judgement,
}

impl Reviewer<'_> {
    /// Reviews one pair. A damaged baseline is refused before anything is measured.
    pub(super) fn review(&self, pair: &Pair) -> Result<Reviewed, Failure> {
        let baseline = read_baseline(&pair.baseline, &self.workspace.root)?;
        self.review_against(pair, baseline)
    }

    /// Reviews one pair against a baseline that was read elsewhere.
    pub(super) fn review_against(
        &self,
        pair: &Pair,
        baseline: Option<Baseline>,
    ) -> Result<Reviewed, Failure> {
        let measured = self.measure(pair)?;
        if let Some(folder) = &self.results {
            write_result(&self.workspace.root, folder, pair, &measured.result, &measured.timings)?;
        }
        let judgement = self.judge(&measured, baseline.as_ref())?;
        Ok(Reviewed { result: measured.result, baseline, judgement })
    }

    /// Judges what was measured. That it could not be judged is told with what the queries met, since a report may be
    /// all that somebody sees of it.
    pub(super) fn judge(
        &self,
        measured: &Measured,
        baseline: Option<&Baseline>,
    ) -> Result<Judgement, Failure> {
        judge(&measured.result, baseline, self.policy, self.today).map_err(|error| {
            match (error, Failures::of(measured).cause()) {
                (Unjudgeable::NotMeasured(why), Some(cause)) => {
                    NotMeasured { why, cause, next: self.next_steps(measured) }.into()
                }
                (error, _) => error.into(),
            }
        })
    }

    /// What looks at the retriever and what asks one of the queries that failed again, from where this command was typed.
    fn next_steps(&self, measured: &Measured) -> String {
        let typed = |command: &[&str]| {
            report::command_line(&[self.workspace.place.clone(), report::words(command)].concat())
        };
        let doctor = typed(&["doctor"]).unwrap_or_else(|| "rankhold doctor".to_owned());
        let doctor = format!("`{doctor}` says whether the retriever can be used here");
        let about = &measured.result.measurement;
        let (suite, retriever) = (about.suite.name.as_str(), about.retriever.name.as_str());
        let is_configured = self.workspace.settings.suites.iter().any(|entry| entry.name == suite);
        let of_the_suite: &[&str] = if is_configured { &["--suite", suite] } else { &[] };
        let case = measured.failures.first().map(|(case, _)| case.0.as_str());
        let one_query = case.filter(|case| !case.starts_with('-')).and_then(|case| {
            typed(&[&["explain", case][..], of_the_suite, &["--retriever", retriever]].concat())
        });
        match one_query {
            Some(command) => format!("{doctor}; `{command}` asks one query"),
            None => doctor,
        }
    }

    /// Measures one pair.
    pub(super) fn measure(&self, pair: &Pair) -> Result<Measured, Failure> {
        let suite = suite_of(&pair.suite, self.workspace)?;
        let system = self.workspace.build(&pair.retriever)?;
        Ok(self.watched(pair, &self.plan(pair, &suite, &*system))?)
    }

    /// Measures one system for a table: one query after the other, every query several times, `top_k` hits kept.
    pub(super) fn measure_system(
        &self,
        pair: &Pair,
        suite: &Suite,
        top_k: usize,
        how: Thoroughness,
    ) -> Result<Result<Thorough, MeasureError>, SystemProblem> {
        let system = self.workspace.build(&pair.retriever)?;
        let plan = self.plan(pair, suite, &*system);
        let plan = Plan { limit: top_k, fetch: plan.fetch.max(top_k), sessions: 1, ..plan };
        let watching = Watching::new(self.console, pair);
        Ok(measure_thoroughly(&plan, how, &watching).inspect(|thorough| {
            watching.finish(&thorough.measured.timings);
            self.tell_failures(pair, &thorough.measured);
        }))
    }

    /// Measures one case and asks the retriever why.
    pub(super) fn explain(&self, pair: &Pair, suite: &Suite, case: &str) -> Result<Explained, Failure> {
        let system = self.workspace.build(&pair.retriever)?;
        let suite = Suite { cases: suite.case(case).cloned().into_iter().collect(), ..suite.clone() };
        Ok(explain(&self.plan(pair, &suite, &*system), &())?)
    }

    fn plan<'p>(&'p self, pair: &'p Pair, suite: &'p Suite, system: &'p dyn Retriever) -> Plan<'p> {
        let Workspace { settings, threads, .. } = self.workspace;
        Plan {
            entry: &pair.suite.entry,
            suite,
            retriever: &pair.retriever,
            system,
            corpus: self.corpus,
            repo: &self.workspace.root,
            temporary: &self.workspace.temporary,
            fetch: settings.fetch,
            limit: settings.limit,
            threads: *threads,
            sessions: *threads,
        }
    }

    /// Measures with progress, and says which queries failed.
    fn watched(&self, pair: &Pair, plan: &Plan<'_>) -> Result<Measured, MeasureError> {
        let watching = Watching::new(self.console, pair);
        let measured = measure(plan, &watching)?;
        watching.finish(&measured.timings);
        self.tell_failures(pair, &measured);
        Ok(measured)
    }

    fn tell_failures(&self, pair: &Pair, measured: &Measured) {
        let (suite, retriever) = (&pair.suite.entry.name, &pair.retriever.name);
        let failures = Failures::of(measured);
        for line in failures
            .lines()
            .into_iter()
            .chain(nowhere(&measured.result).or_else(|| in_words(&measured.result)))
        {
            self.console.warning(&format!("{suite} × {retriever}: {line}"));
        }
        for line in failures.untold() {
            self.console.detail(&format!("{suite} × {retriever}: {line}"));
        }
    }
}

/// Too many queries failed for a verdict.
#[derive(Debug, thiserror::Error)]
#[error("could not be measured: {why}; {cause}")]
struct NotMeasured {
    why: String,
    cause: String,
    next: String,
}

impl Blamed for NotMeasured {
    fn blame(&self) -> Blame {
        Blame::Environment
    }

    fn hint(&self) -> Option<String> {
        Some(self.next.clone())
    }
}

/// That every answer there is names no file of the corpus: most likely it names them from another folder.
fn nowhere(result: &SuiteResult) -> Option<String> {
    let answers: Vec<_> = result.cases.iter().map(CaseResult::answer).collect();
    let mut answers = answers.iter().map(Answer::hits).filter(|hits| !hits.is_empty()).peekable();
    let example = answers.peek()?.first()?.path.clone()?;
    let mut count = 0;
    for hits in answers {
        if hits.iter().any(|hit| !hit.unknown) {
            return None;
        }
        count += 1;
    }
    let answers =
        if count == 1 { "the only answer names".to_owned() } else { format!("all {count} answers name") };
    let advice = if is_sentence(example.as_str()) {
        "if that is how it says that it found nothing, name the text in `empty-texts`"
    } else {
        "is the path relative to the repository root?"
    };
    Some(format!(
        "{answers} no file in the tree, e.g. `{}`: {advice}",
        place::terminal(example.as_str(), 200)
    ))
}

/// That some answers are one line that reads like a sentence and names no file, among others that do.
fn in_words(result: &SuiteResult) -> Option<String> {
    let answers: Vec<_> = result.cases.iter().map(CaseResult::answer).collect();
    let said: Vec<_> = answers
        .iter()
        .filter_map(|answer| match answer.hits() {
            [hit] if hit.unknown => hit.path.clone().filter(|path| is_sentence(path.as_str())),
            _ => None,
        })
        .collect();
    let first = said.first()?;
    Some(format!(
        "{} {} `{}`, which is no file in the tree: if that is how it says that it found nothing, name the text in \
         `empty-texts`",
        said.len(),
        if said.len() == 1 { "answer is" } else { "answers are like" },
        place::terminal(first.as_str(), 200)
    ))
}

/// It has several words and no folder: hardly a path.
fn is_sentence(text: &str) -> bool {
    text.contains(' ') && !text.contains('/')
}

/// Writes `FOLDER/SUITE.RETRIEVER.{result,timings,candidate}.json`, each whole or not at all.
fn write_result(
    root: &Path,
    folder: &Path,
    pair: &Pair,
    result: &SuiteResult,
    timings: &Timings,
) -> Result<(), Failure> {
    let file =
        |what: &str| folder.join(format!("{}.{}.{what}.json", pair.suite.entry.name, pair.retriever.name));
    files::write_in(root, &file("result"), result.to_text().as_bytes())?;
    files::write_in(root, &file("timings"), timings.to_text().as_bytes())?;
    files::write_in(root, &file("candidate"), Candidate::of(result).to_text().as_bytes())?;
    Ok(())
}

/// One pair's progress, from the moment it is known how many queries there are.
struct Watching<'a> {
    progress: &'a Progress,
    name: String,
    bar: OnceLock<Bar>,
}

impl<'a> Watching<'a> {
    fn new(console: &'a Console, pair: &Pair) -> Self {
        let name = format!("{} × {}", pair.suite.entry.name, pair.retriever.name);
        Self { progress: console.progress(), name, bar: OnceLock::new() }
    }

    fn finish(self, timings: &Timings) {
        let asked = timings.queries_us.len();
        let queries = if asked == 1 { "query" } else { "queries" };
        let milliseconds = timings.wall_us / 1000;
        if let Some(bar) = self.bar.into_inner() {
            bar.finish(&format!(
                "{asked} {queries} in {}.{:02} s",
                milliseconds / 1000,
                milliseconds % 1000 / 10
            ));
        }
    }
}

impl Watch for Watching<'_> {
    fn prepared(&self, cases: usize) {
        self.bar.get_or_init(|| self.progress.pair(&self.name, cases as u64));
    }

    fn asked(&self) {
        if let Some(bar) = self.bar.get() {
            bar.inc();
        }
    }

    fn again(&self, round: Round, queries: usize) {
        if let Some(bar) = self.bar.get() {
            bar.again(&round.to_string(), queries as u64);
        }
    }
}
