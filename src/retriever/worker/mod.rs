//! A process that stays: JSON Lines on its stdin and stdout, one index, many queries (`docs/protocol.md`).
//!
//! A worker that fails in any way but by saying so is ended at once and started anew for the next query, so that a late
//! answer can never be taken for a new one. After three failures in a row it is not started again.

mod alive;
mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Deserialize;

use self::alive::Alive;
use self::wire::Read;
use super::external::trial::{self, Wanted};
use super::external::{OptionProblem, TIME, TIME_FOR_A_LOOK, Tool, Unusable, extra, in_its_time, unprepared};
use super::template::{Placeholder, Values};
use super::{
    Availability, Bench, Deadline, Description, PrepareError, Prepared, Query, QueryError, Retriever,
    Session, Sight, Site, StartUp,
};
use crate::config::ByteSize;
use crate::process::{Environment, Launch, Program, Secrets};
use crate::ranking::{ErrorClass, RawHit};

/// So many failures in a row, and the remaining cases fail without a further start.
const PATIENCE: u32 = 3;

/// The keys of a `[[retriever]]` of kind `worker`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct WorkerOptions {
    /// The program and its arguments, with optionally `{corpus}`, `{repo}`, `{scratch}`.
    pub argv: Vec<String>,
    /// Variables it sees, with their values.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Variables it sees with the value they have here; the values are secrets and never shown.
    #[serde(default)]
    pub pass_env: Vec<String>,
    /// The longest line it may print. Default 16MiB.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub max_output: Option<ByteSize>,
    /// How many workers may run side by side, each with an index of its own. Default 1.
    #[serde(default)]
    pub parallel: Option<usize>,
    /// Ask it for a word in a folder of one file before it is called ready. Default false.
    #[serde(default)]
    pub trial: bool,
    /// It writes into the folder it searches, and gets a copy of its own.
    #[serde(default)]
    pub writes: bool,
}

/// A worker, as configured.
#[derive(Clone, Debug)]
pub struct Worker {
    options: WorkerOptions,
    tool: Tool,
}

impl Worker {
    /// Checks the settings; `repo` (absolute) is where `{repo}` points.
    pub fn new(options: WorkerOptions, repo: &Path) -> Result<Self, OptionProblem> {
        let allowed = [Placeholder::Corpus, Placeholder::Repo, Placeholder::Scratch];
        let extra = extra(&options.env, &options.pass_env);
        let tool = Tool::new(&options.argv, &allowed, extra, options.max_output, &Values::new(), repo)?;
        if options.parallel == Some(0) {
            return Err(OptionProblem::new("parallel", "at least one worker must run"));
        }
        Ok(Self { options, tool })
    }

    fn greet(&self, bench: &Bench<'_>) -> Result<Description, Unusable> {
        let launch = Launch {
            program: &self.tool.program()?,
            arguments: &self.tool.bench_arguments(bench.scratch),
            folder: bench.scratch,
            environment: &self.tool.environment(bench.scratch, bench.scratch)?,
        };
        let greeted = Alive::start(&launch, self.tool.max_output, bench.deadline);
        let (alive, said) = greeted.map_err(|refusal| {
            if let Some((what, hint)) = refusal.missing {
                return Unusable::Missing { what, hint };
            }
            let QueryError { detail, advice, .. } = in_its_time(refusal.error, TIME_FOR_A_LOOK);
            Unusable::Broken { detail, hint: advice }
        })?;
        alive.stop();
        if self.options.trial {
            trial::run(self, &[&self.tool], Wanted::TheFile, self.tool.repo(), bench)?;
        }
        Ok(Description { tried: self.options.trial, program: Some(self.tool.identity()?), ..said })
    }
}

impl Retriever for Worker {
    fn probe(&self, bench: &Bench<'_>) -> Availability {
        match self.greet(bench) {
            Ok(said) => Availability::Ready(said),
            Err(unusable) => unusable.into(),
        }
    }

    fn configuration(&self) -> serde_json::Value {
        self.tool.configuration(&self.options.argv)
    }

    fn sight(&self) -> Sight {
        if self.options.writes { Sight::PrivateCopy } else { Sight::Copy }
    }

    fn prepare<'a>(&'a self, site: &Site<'a>) -> Result<Box<dyn Prepared + 'a>, PrepareError> {
        let stage = Stage {
            worker: self,
            program: self.tool.program()?,
            environment: self.tool.environment(site.tree, site.scratch)?,
            tree: site.tree,
            scratch: site.scratch,
            threads: site.threads,
        };
        // The first worker is started here: its preparation is timed as such, and a failure is told before any query.
        let started = stage.start(site.deadline).and_then(|(mut alive, said)| {
            let read = stage.prepare(&mut alive, site.deadline)?;
            Ok((alive, said, read))
        });
        let (first, said, read) =
            started.map_err(|error| unprepared(in_its_time(error, TIME), self.tool.misplaced(site.tree)))?;
        Ok(Box::new(Ready { stage, said, read, first: Mutex::new(Some(first)) }))
    }
}

/// Where a worker is started.
struct Stage<'a> {
    worker: &'a Worker,
    program: Program,
    environment: Environment,
    tree: &'a Path,
    scratch: &'a Path,
    threads: usize,
}

impl Stage<'_> {
    fn start(&self, deadline: Deadline) -> Result<(Alive, Description), QueryError> {
        let tool = &self.worker.tool;
        let launch = Launch {
            program: &self.program,
            arguments: &tool.arguments(self.tree, self.scratch, None),
            folder: self.tree,
            environment: &self.environment,
        };
        Ok(Alive::start(&launch, tool.max_output, deadline)?)
    }

    fn prepare(&self, alive: &mut Alive, deadline: Deadline) -> Result<Read, QueryError> {
        alive.prepare(self.tree, self.scratch, self.threads, deadline)
    }
}

/// A worker that has read the corpus, and how to get another.
struct Ready<'a> {
    stage: Stage<'a>,
    said: Description,
    read: Read,
    first: Mutex<Option<Alive>>,
}

impl Prepared for Ready<'_> {
    fn secrets(&self) -> Option<&Secrets> {
        Some(self.stage.environment.secrets())
    }

    fn description(&self) -> Option<Description> {
        Some(self.said.clone())
    }

    fn units(&self) -> Option<u64> {
        self.read.units
    }

    fn reach(&self) -> Result<Option<BTreeSet<String>>, String> {
        Ok(self.read.files.clone())
    }

    fn start_up(&self) -> StartUp {
        StartUp::EverySession
    }

    fn max_sessions(&self) -> usize {
        self.stage.worker.options.parallel.unwrap_or(1)
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, PrepareError> {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(Box::new(Conversing { ready: self, alive: first, failures: 0 }))
    }
}

impl Ready<'_> {
    /// Another worker, which must be the same as the first.
    fn restart(&self, deadline: Deadline) -> Result<Alive, QueryError> {
        let (mut alive, said) = self.stage.start(deadline)?;
        if said != self.said {
            let what = "a restarted worker says that it is another version, model or unit than before";
            return Err(QueryError::new(ErrorClass::Protocol, what));
        }
        self.stage.prepare(&mut alive, deadline)?;
        Ok(alive)
    }
}

impl Drop for Ready<'_> {
    fn drop(&mut self) {
        if let Some(first) = self.first.lock().unwrap_or_else(PoisonError::into_inner).take() {
            first.stop();
        }
    }
}

/// One worker after the other, asked in turn.
struct Conversing<'a> {
    ready: &'a Ready<'a>,
    alive: Option<Alive>,
    /// In a row, without an answer between them.
    failures: u32,
}

impl Session for Conversing<'_> {
    fn ready(&mut self, deadline: Deadline) -> Result<(), QueryError> {
        if self.alive.is_some() {
            return Ok(());
        }
        if self.failures >= PATIENCE {
            let what = format!("the worker failed {PATIENCE} times in a row and is not started again");
            return Err(QueryError::new(ErrorClass::Died, what));
        }
        match self.ready.restart(deadline) {
            Ok(alive) => {
                self.alive = Some(alive);
                Ok(())
            }
            Err(error) => {
                self.failures += 1;
                Err(error)
            }
        }
    }

    fn query(
        &mut self,
        query: &Query<'_>,
        fetch: usize,
        deadline: Deadline,
    ) -> Result<Vec<RawHit>, QueryError> {
        self.ready(deadline)?;
        let mut alive = self.alive.take().expect("it is ready");
        let answer = alive.query(query.text, fetch, deadline);
        match &answer {
            Err(error) if error.class != ErrorClass::Tool => self.failures += 1,
            _ => {
                self.failures = 0;
                self.alive = Some(alive);
            }
        }
        answer
    }
}

impl Drop for Conversing<'_> {
    fn drop(&mut self) {
        if let Some(alive) = self.alive.take().filter(|_| !std::thread::panicking()) {
            alive.stop();
        }
    }
}
