//! Suite × corpus × retriever → rankings and times. Owns threads and time-outs; applies the harness's rules to what a
//! retriever says.
#![expect(clippy::disallowed_methods, reason = "edge: measuring reads the clock")]

mod seen;
mod stage;
mod thorough;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::artifact::{Measurement, RetrieverIdentity, SuiteIdentity, SuiteResult, Timings};
use crate::canon::Digest;
use crate::config::{RetrieverEntry, SuiteEntry};
use crate::corpus::Corpus;
use crate::corpus::copy::{Changed, CopyProblem};
use crate::error::{Blame, Blamed};
use crate::metric::DEFINITIONS;
use crate::parallel::on_threads;
use crate::process::{ScratchFolder, wait_if_interrupted};
use crate::ranking::{Answer, ErrorClass, HitProblem, Ranking};
use crate::retriever::{
    Availability, Bench, Deadline, Description, Explanation, PrepareError, Prepared, Query, QueryError,
    Retriever, Session, Site,
};
use crate::suite::{Case, CaseId, Suite};

use seen::Seen;
use stage::{Stage, told};
pub use thorough::{Round, Thorough, Thoroughness, measure_thoroughly};

/// What to do when a folder for copies and scratch files cannot be made.
pub const TEMPORARY: &str = "check free space and permissions of the temporary folder (RUNNER_TEMP, TMPDIR)";

/// One pair to measure, and what with.
pub struct Plan<'a> {
    /// The suite's place in the configuration.
    pub entry: &'a SuiteEntry,
    /// Its cases.
    pub suite: &'a Suite,
    /// The retriever's place in the configuration.
    pub retriever: &'a RetrieverEntry,
    /// The retriever.
    pub system: &'a dyn Retriever,
    /// The files to search.
    pub corpus: &'a Corpus,
    /// The repository's root (absolute).
    pub repo: &'a Path,
    /// Where a folder for copies and scratch files may be made.
    pub temporary: &'a Path,
    /// Hits asked for.
    pub fetch: usize,
    /// Hits kept.
    pub limit: usize,
    /// Threads for preparing.
    pub threads: usize,
    /// Queries asked side by side, at most.
    pub sessions: usize,
}

/// Who watches a measurement. Called from several threads.
pub trait Watch: Sync {
    /// The index is ready; so many cases will be asked.
    fn prepared(&self, cases: usize);
    /// One more case was asked.
    fn asked(&self);
    /// All were asked, and so many queries follow for a table.
    fn again(&self, round: Round, queries: usize);
}

/// Nobody watches.
impl Watch for () {
    fn prepared(&self, _: usize) {}
    fn asked(&self) {}
    fn again(&self, _: Round, _: usize) {}
}

/// A measured pair.
#[derive(Debug)]
pub struct Measured {
    /// The comparable part.
    pub result: SuiteResult,
    /// How long it took.
    pub timings: Timings,
    /// The queries that got no answer, in the order of the suite.
    pub failures: Vec<(CaseId, QueryError)>,
}

/// A pair that could not be measured at all.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The tool is not installed.
    #[error("retriever `{name}` is missing: {what}")]
    Missing {
        /// The retriever.
        name: String,
        /// What is absent.
        what: String,
        /// How to get it.
        hint: String,
    },
    /// The tool is there and does not work.
    #[error("retriever `{name}` is broken: {detail}")]
    Broken {
        /// The retriever.
        name: String,
        /// What it did.
        detail: String,
        /// What to do, where that is known.
        hint: Option<String>,
    },
    /// It could not be made ready.
    #[error("retriever `{name}` could not be made ready")]
    Prepare {
        /// The retriever.
        name: String,
        /// What it said.
        source: PrepareError,
    },
    /// The copy of the corpus could not be made.
    #[error("no copy of the corpus could be made for retriever `{name}`")]
    Stage {
        /// The retriever.
        name: String,
        /// What stood in the way.
        source: CopyProblem,
    },
    /// The retriever wrote into what it searches.
    #[error("retriever `{name}` changed the corpus while it searched")]
    Changed {
        /// The retriever.
        name: String,
        /// Which files.
        source: Changed,
    },
    /// There is nothing to search.
    #[error("the corpus is empty: no file under the root passes the ignore files and the rules of [corpus]")]
    EmptyCorpus,
}

impl Blamed for MeasureError {
    fn blame(&self) -> Blame {
        Blame::Environment
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Prepare { source: PrepareError { advice: Some(advice), .. }, .. } => Some(advice.clone()),
            Self::Stage { source: CopyProblem::Late { .. }, .. } => Some(
                "give it more with `run-timeout`, or `--timeout` of `compare`; or leave large files that nobody \
                 searches for out with `exclude` in [corpus]"
                    .to_owned(),
            ),
            Self::Missing { hint, .. } | Self::Broken { hint: Some(hint), .. } => Some(hint.clone()),
            Self::Broken { .. } => {
                Some("`rankhold doctor` looks at it alone: mend it until that calls it ready".to_owned())
            }
            Self::Prepare { .. } => None, // the tool's own words are all that is known
            Self::Stage { .. } => Some(TEMPORARY.to_owned()),
            Self::Changed { .. } => Some(
                "its figures cannot be trusted; `writes = true` lets it write into a copy of its own"
                    .to_owned(),
            ),
            Self::EmptyCorpus => Some(
                "check --repo, or `working-directory` of the action, and include and exclude in rankhold.toml"
                    .to_owned(),
            ),
        }
    }
}

/// Measures one pair.
pub fn measure(plan: &Plan<'_>, watch: &dyn Watch) -> Result<Measured, MeasureError> {
    with_prepared(plan, |run| run.measure(plan, watch))
}

/// A measurement of a few cases, with the parts of the scores of what was found and what was expected.
#[derive(Debug)]
pub struct Explained {
    /// The comparable part.
    pub result: SuiteResult,
    /// The queries that got no answer.
    pub failures: Vec<(CaseId, QueryError)>,
    /// By path or id, as far as the retriever can tell.
    pub parts: BTreeMap<String, Explanation>,
    /// Targets that are neither in the corpus nor known to the retriever.
    pub absent: BTreeSet<String>,
}

/// Measures and explains the cases of the plan's suite.
pub fn explain(plan: &Plan<'_>, watch: &dyn Watch) -> Result<Explained, MeasureError> {
    with_prepared(plan, |run| {
        let Measured { result, failures, .. } = run.measure(plan, watch)?;
        let (mut parts, mut absent) = (BTreeMap::new(), BTreeSet::new());
        for case in &result.cases {
            let answer = case.answer();
            let hits = answer.hits().iter().map(|hit| hit.path.as_ref().unwrap_or(&hit.id));
            for name in hits.chain(case.targets()) {
                match run.prepared.explain(&case.input, name.as_str()) {
                    Some(explanation) => drop(parts.insert(name.to_string(), explanation)),
                    None if plan.corpus.knows(name) => {}
                    None => drop(absent.insert(name.to_string())),
                }
            }
        }
        Ok(Explained { result, failures, parts, absent })
    })
}

/// A retriever that is ready, and when it began.
struct Run<'a> {
    start: Instant,
    deadline: Deadline,
    stage: &'a Stage,
    probed: Description,
    prepared: &'a dyn Prepared,
    prepare_us: u64,
}

/// Probes, sets the stage, prepares, and hands over; whatever happens the stage is cleared afterwards.
fn with_prepared<T>(
    plan: &Plan<'_>,
    act: impl FnOnce(&Run<'_>) -> Result<T, MeasureError>,
) -> Result<T, MeasureError> {
    let name = || plan.retriever.name.clone();
    if plan.corpus.entries().is_empty() {
        return Err(MeasureError::EmptyCorpus);
    }
    let start = Instant::now();
    let deadline = Deadline::after(plan.retriever.run_timeout);
    let set = |error: std::io::Error| MeasureError::Stage { name: name(), source: error.into() };
    let folder = Stage::folder(plan.system.sight(), plan.temporary).map_err(set)?;
    let probed = match probe_in(plan.system, folder.as_ref(), plan.corpus.root(), deadline).map_err(set)? {
        Availability::Ready(description) => description,
        Availability::Missing { what, hint } => {
            return Err(MeasureError::Missing { name: name(), what, hint });
        }
        Availability::Broken { detail, hint } => {
            let told = |text: &str| told(plan, folder.as_ref().map(ScratchFolder::path), text);
            return Err(MeasureError::Broken {
                name: name(),
                detail: told(&detail),
                hint: hint.as_deref().map(told),
            });
        }
    };
    let stage = Stage::set(plan.system.sight(), plan.corpus, folder, deadline)
        .map_err(|source| MeasureError::Stage { name: name(), source })?;
    let site = Site {
        corpus: plan.corpus,
        tree: &stage.tree,
        scratch: &stage.scratch,
        repo: plan.repo,
        threads: plan.threads,
        deadline,
    };
    let prepared = plan.system.prepare(&site).map_err(|error| {
        let source = PrepareError { detail: stage.told(plan, &error.detail), ..error };
        MeasureError::Prepare { name: name(), source }
    })?;
    let prepare_us = micros(start.elapsed());
    act(&Run { start, deadline, stage: &stage, probed, prepared: &*prepared, prepare_us })
}

/// Looks at a retriever without asking it anything; a folder for scratch files is made under `temporary` and removed.
pub fn probe(system: &dyn Retriever, temporary: &Path, deadline: Deadline) -> std::io::Result<Availability> {
    let folder = Stage::folder(system.sight(), temporary)?;
    probe_in(system, folder.as_ref(), temporary, deadline)
}

fn probe_in(
    system: &dyn Retriever,
    folder: Option<&ScratchFolder>,
    otherwise: &Path,
    deadline: Deadline,
) -> std::io::Result<Availability> {
    let Some(folder) = folder else { return Ok(system.probe(&Bench::new(otherwise, deadline))) };
    let bench = folder.path().canonicalize()?.join("bench");
    std::fs::create_dir(&bench)?;
    Ok(system.probe(&Bench::new(&bench, deadline)))
}

impl Run<'_> {
    fn measure(&self, plan: &Plan<'_>, watch: &dyn Watch) -> Result<Measured, MeasureError> {
        let asked = asked(plan.suite);
        watch.prepared(asked.len());
        let replies = self.ask_all(plan, &asked, watch)?;
        self.check(plan)?;
        Ok(self.measured(plan, replies))
    }

    /// The corpus must be as it was.
    fn check(&self, plan: &Plan<'_>) -> Result<(), MeasureError> {
        wait_if_interrupted();
        let changed = |found: Changed| {
            let secrets = self.prepared.secrets();
            let hide = |path: String| secrets.map(|secrets| secrets.hide_text(&path)).unwrap_or(path);
            MeasureError::Changed { name: plan.retriever.name.clone(), source: found.map(hide) }
        };
        self.stage.check(plan.corpus).map_err(changed)
    }

    /// What sets the time that has run out, to be said after that it has.
    fn setting(&self) -> &'static str {
        if self.deadline.passed() {
            "; `run-timeout` is the time for all of it, and `--timeout` of `compare`"
        } else {
            "; `timeout` is the time for one query"
        }
    }

    fn description(&self) -> Description {
        match self.prepared.description() {
            // Which file runs is what the look found out.
            Some(said) => Description { program: self.probed.program.clone(), ..said },
            None => self.probed.clone(),
        }
    }

    /// What the replies to every asked case come to.
    fn measured(&self, plan: &Plan<'_>, replies: Vec<Reply>) -> Measured {
        let mut failures = Vec::new();
        let queries_us = replies.iter().map(|(_, took)| micros(*took)).collect();
        let mut answers = replies.into_iter().map(|(answer, _)| answer);
        let judged: Vec<(Case, Answer)> = plan
            .suite
            .cases
            .iter()
            .map(|case| {
                let answer = if case.qrels.is_asked() {
                    answers.next().expect("one reply per asked case")
                } else {
                    Ok(Ranking::default())
                };
                let failed = |error: QueryError| {
                    let class = error.class;
                    failures.push((case.id.clone(), error));
                    Answer::Failed(class)
                };
                (case.clone(), answer.map_or_else(failed, Answer::Completed))
            })
            .collect();
        let timings = Timings {
            suite: plan.entry.name.clone(),
            retriever: plan.retriever.name.clone(),
            prepare_us: self.prepare_us,
            units: self.prepared.units(),
            queries_us,
            wall_us: micros(self.start.elapsed()),
        };
        let result = SuiteResult::new(measurement(plan, self.description()), &plan.entry.segments, &judged)
            .with_absent_targets(|target| !plan.corpus.may_hold(target));
        Measured { result, timings, failures }
    }
}

/// The cases that have something to find, or nothing on purpose.
fn asked(suite: &Suite) -> Vec<&Case> {
    suite.cases.iter().filter(|case| case.qrels.is_asked()).collect()
}

type Reply = (Result<Ranking, QueryError>, Duration);

impl Run<'_> {
    /// Asks every case, as many side by side as the retriever and the plan allow. Replies come in the order of the cases.
    fn ask_all(
        &self,
        plan: &Plan<'_>,
        cases: &[&Case],
        watch: &dyn Watch,
    ) -> Result<Vec<Reply>, MeasureError> {
        self.try_all(plan, cases, watch)
            .map_err(|source| MeasureError::Prepare { name: plan.retriever.name.clone(), source })
    }

    fn try_all(
        &self,
        plan: &Plan<'_>,
        cases: &[&Case],
        watch: &dyn Watch,
    ) -> Result<Vec<Reply>, PrepareError> {
        let seen = Seen::new(plan, &self.stage.tree, self.prepared.secrets());
        let told = |error: QueryError| {
            let setting = if error.class == ErrorClass::Timeout { self.setting() } else { "" };
            QueryError { detail: self.stage.told(plan, &error.detail) + setting, ..error }
        };
        let next = AtomicUsize::new(0);
        let ask = |session: &mut dyn Session, case: &Case| {
            let ready = session.ready(self.deadline);
            let deadline = Deadline::after(plan.retriever.timeout).min(self.deadline);
            let start = Instant::now();
            let query = Query { id: &case.id.0, text: &case.input };
            let reply = if self.deadline.passed() {
                Err(QueryError::new(ErrorClass::Timeout, "the run's time had run out before this query"))
            } else {
                ready.and_then(|()| session.query(&query, plan.fetch, deadline))
            };
            let took = start.elapsed();
            watch.asked();
            let keep = |hits| Ranking::new(hits, &seen, plan.limit).map_err(|problem| refused(&problem));
            (reply.map_err(told).and_then(keep), took)
        };
        let worker = || -> Result<Vec<(usize, Reply)>, PrepareError> {
            let mut session = self.prepared.open()?;
            let mut replies = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(case) = cases.get(at) else { return Ok(replies) };
                replies.push((at, ask(&mut *session, case)));
            }
        };
        let sessions = plan.sessions.min(self.prepared.max_sessions()).min(cases.len()).max(1);
        let mut replies: Vec<(usize, Reply)> = if sessions == 1 {
            worker()?
        } else {
            let done: Result<Vec<_>, _> = on_threads(sessions, worker).into_iter().collect();
            done?.into_iter().flatten().collect()
        };
        replies.sort_unstable_by_key(|(at, _)| *at);
        Ok(replies.into_iter().map(|(_, reply)| reply).collect())
    }
}

/// A hit that breaks the harness's rules fails its case.
fn refused(problem: &HitProblem) -> QueryError {
    let class = match problem {
        HitProblem::Outside { .. } => ErrorClass::Outside,
        HitProblem::Nameless { .. } | HitProblem::Score { .. } => ErrorClass::Protocol,
    };
    QueryError::new(class, problem.to_string())
}

fn measurement(plan: &Plan<'_>, description: Description) -> Measurement {
    Measurement {
        suite: SuiteIdentity {
            name: plan.entry.name.clone(),
            document_name: plan.suite.name.clone(),
            content_hash: plan.suite.hash.clone(),
            case_count: plan.suite.cases.len() as u64,
        },
        match_mode: plan.entry.match_mode,
        corpus: plan.corpus.identity(),
        retriever: RetrieverIdentity {
            name: plan.retriever.name.clone(),
            kind: plan.retriever.kind.clone(),
            version: description.version,
            model: description.model,
            unit: description.unit,
            config_hash: Digest::of_json(&plan.system.configuration()),
        },
        fetch: plan.fetch as u64,
        limit: plan.limit as u64,
        definitions: DEFINITIONS,
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
