//! A program that is started once for each query and prints its hits.

mod judge;
mod options;
mod restore;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::json;

pub use options::CommandOptions;

use self::restore::Restore;
use super::external::groundwork::{self, Groundwork};
use super::external::models::{Cache, Model};
use super::external::reach::{Reads, listed};
use super::external::trial::{self, Wanted};
use super::external::{self, Asked, OptionProblem, Tool, Unusable, last_words, version};
use super::output::{Listener, Reader};
use super::template::{Placeholder, Template, check_floor};
use super::{
    Availability, Bench, Deadline, Description, PrepareError, Prepared, Query, QueryError, Retriever,
    Session, Sight, Site, StartUp,
};
use crate::corpus::Corpus;
use crate::process::{
    Bounds, End, Environment, Extra, Finished, Launch, Program, Secrets, StartError, run, run_heard,
};
use crate::ranking::{ErrorClass, RawHit};

/// Time for a tool to list its files.
const LISTING: Duration = Duration::from_mins(1);

/// How much is kept of an answer that is read as it comes, for messages.
const KEPT: usize = 4 << 10;

/// A command, as configured.
#[derive(Clone, Debug)]
pub struct Command {
    options: CommandOptions,
    reader: Reader,
    tool: Tool,
    groundwork: Groundwork,
    version: Option<Tool>,
    lists: Option<Tool>,
    model: Model,
    reads: Reads,
    /// What a query that was ended may have damaged.
    restore: Restore,
}

impl Command {
    /// Checks the settings; `repo` (absolute) is where `{repo}` points.
    pub fn new(options: CommandOptions, repo: &Path) -> Result<Self, OptionProblem> {
        let extra = Extra {
            set: options.env.clone(),
            pass: options.pass_env.clone(),
            pass_if_set: options.pass_env_if_set.clone(),
        };
        let values = &options.values;
        let tool = Tool::new(&options.argv, &Placeholder::ALL, extra, options.max_output, values, repo)?;
        if !tool.argv.holds(Placeholder::Query) && !tool.argv.holds(Placeholder::Word) {
            return Err(OptionProblem::new(
                "argv",
                "no argument holds `{query}`, so every query would be the same",
            ));
        }
        let other = |key, argv: &Option<Vec<String>>, allowed: &[Placeholder]| {
            let template = argv.as_ref().map(|argv| Template::new(argv, allowed, values)).transpose();
            let template = template.map_err(|problem| OptionProblem::new(key, problem.to_string()))?;
            Ok(template.map(|template| tool.with(template)))
        };
        let prepare = other("prepare", &options.prepare, &Placeholder::FOLDERS).transpose();
        let until = options.until.as_deref();
        let groundwork = Groundwork::new(&options.files, prepare, until, values, options.writes, repo)?;
        let version = other("version", &options.version, &[Placeholder::Repo])?;
        let lists = other("lists", &options.lists, &Placeholder::FOLDERS)?;
        if let Some(code) = options.empty_exits.iter().find(|code| options.ok_exits.contains(code)) {
            let message = format!("{code} is in `ok-exits` too; an exit code means one thing");
            return Err(OptionProblem::new("empty-exits", message));
        }
        check_floor(options.floor.as_ref(), values)
            .map_err(|problem| OptionProblem::new("floor", problem.to_string()))?;
        if options.parallel == 0 {
            return Err(OptionProblem::new("parallel", "at least one query must run"));
        }
        let model = Model::new(options.model.as_deref(), values)?;
        let reader = options.reader()?;
        let reads = Reads::new(&options.reads, &options.skips)?;
        let restore = Restore::new(&options.restore, options.writes)?;
        Ok(Self { options, reader, tool, groundwork, version, lists, model, reads, restore })
    }

    fn describe(&self, version: String) -> Result<Description, Unusable> {
        let options = &self.options;
        Ok(Description {
            version,
            program: Some(self.tool.identity()?),
            model: self.model.identity(self.tool.repo(), &self.cache())?,
            stand_in: options.stand_in,
            tried: false,
            unit: options.unit,
            ranked: options.ranked,
        })
    }

    /// Programs, version, model, and the trial if there is one.
    fn look(&self, bench: &Bench<'_>) -> Result<Description, Unusable> {
        let environment = self.environment(bench.scratch, bench.scratch)?;
        self.tool.program()?;
        self.groundwork.find()?;
        let version = match &self.version {
            Some(command) => version::ask(command, bench.scratch, &environment, bench.deadline)?,
            None => "unknown".to_owned(),
        };
        let description = self.describe(version)?;
        if self.options.trial {
            let programs: Vec<&Tool> =
                [Some(&self.tool), self.groundwork.tool()].into_iter().flatten().collect();
            trial::run(self, &programs, Wanted::TheFile, self.tool.repo(), bench)?;
        }
        Ok(Description { tried: self.options.trial, ..description })
    }

    fn cache(&self) -> Cache {
        let configured = self.options.model_cache.as_deref().filter(|cache| *cache != "auto");
        Cache::new(configured.map(Path::new))
    }

    /// What its programs see, with the hub's cache if they read it.
    fn environment(&self, tree: &Path, scratch: &Path) -> Result<Environment, Unusable> {
        let environment = self.tool.environment(tree, scratch)?;
        if self.options.model_cache.is_some() {
            self.cache().link(scratch).map_err(|error| Unusable::Broken {
                hint: None,
                detail: format!("the model cache cannot be linked into the scratch folder: {error}"),
            })?;
        }
        Ok(environment)
    }
}

impl Retriever for Command {
    fn probe(&self, bench: &Bench<'_>) -> Availability {
        match self.look(bench) {
            Ok(description) => Availability::Ready(description),
            Err(unusable) => external::advised(unusable, self.options.install.as_deref()).into(),
        }
    }

    fn configuration(&self) -> serde_json::Value {
        let options = &self.options;
        let prepare = options.prepare.as_ref().map(|argv| self.tool.configuration(argv));
        let mut configuration = json!({
            "run": self.tool.configuration(&options.argv),
            "prepare": prepare,
            "model": options.model,
            "unit": options.unit,
            "ranked": options.ranked,
            "ok-exits": options.ok_exits,
            "empty-exits": options.empty_exits,
        });
        for (key, value) in self.reader.configuration() {
            configuration[key] = value;
        }
        // What came later is named where it is used, so that older results keep their hash.
        let values = external::portable_values(&options.values);
        let files: Vec<_> = options.files.iter().map(|file| json!([file.path, file.text])).collect();
        for (key, value) in [
            ("values", (!values.is_empty()).then(|| json!(values))),
            ("files", (!files.is_empty()).then(|| json!(files))),
        ] {
            if let Some(value) = value {
                configuration[key] = value;
            }
        }
        configuration
    }

    fn sight(&self) -> Sight {
        if self.options.writes { Sight::PrivateCopy } else { Sight::Copy }
    }

    fn prepare<'a>(&'a self, site: &Site<'a>) -> Result<Box<dyn Prepared + 'a>, PrepareError> {
        let ready = self.ready(site.corpus, site.tree, site.scratch, site.deadline)?;
        self.groundwork.lay(&ready.place(), site.deadline)?;
        self.restore.keep(&self.tool, site.tree, site.scratch)?;
        Ok(Box::new(ready))
    }
}

impl Command {
    fn ready<'a>(
        &'a self,
        corpus: &'a Corpus,
        tree: &'a Path,
        scratch: &'a Path,
        deadline: Deadline,
    ) -> Result<Ready<'a>, Unusable> {
        let environment = self.environment(tree, scratch)?;
        Ok(Ready {
            command: self,
            program: self.tool.program()?,
            environment,
            corpus,
            tree,
            scratch,
            deadline,
        })
    }
}

/// The program found, its index built.
struct Ready<'a> {
    command: &'a Command,
    program: Program,
    environment: Environment,
    corpus: &'a Corpus,
    tree: &'a Path,
    scratch: &'a Path,
    /// That of the whole run.
    deadline: Deadline,
}

impl Ready<'_> {
    fn place(&self) -> groundwork::Place<'_> {
        groundwork::Place { tree: self.tree, scratch: self.scratch, environment: &self.environment }
    }

    fn asking(&self) -> Asking<'_> {
        Asking { command: self.command, program: &self.program, place: self.place() }
    }
}

impl Prepared for Ready<'_> {
    fn secrets(&self) -> Option<&Secrets> {
        Some(self.environment.secrets())
    }

    fn max_sessions(&self) -> usize {
        self.command.options.parallel
    }

    fn start_up(&self) -> StartUp {
        StartUp::EveryQuery
    }

    fn reach(&self) -> Result<Option<BTreeSet<String>>, String> {
        let Some(tool) = &self.command.lists else { return Ok(self.command.reads.reach(self.corpus)) };
        let program = tool.program().map_err(|unusable| PrepareError::from(unusable).detail)?;
        let launch = Launch {
            program: &program,
            arguments: &tool.arguments(self.tree, self.scratch, None),
            folder: self.tree,
            environment: &self.environment,
        };
        let bounds = Bounds {
            deadline: Deadline::after(LISTING).min(self.deadline),
            stdout: tool.max_output,
            stderr: tool.max_output,
        };
        let finished = run(&launch, bounds).map_err(|error| error.to_string())?;
        if finished.end == End::Code(0) {
            let corpus = self.corpus.entries().iter().map(|entry| entry.path.as_str()).collect();
            let files = listed(&finished.stdout, self.tree, &corpus);
            return files.map(Some).map_err(|what| format!("`{}` of `lists` {what}", program.name()));
        }
        let words = last_words(self.environment.secrets(), &finished.stderr);
        let limit =
            if finished.end == End::Timeout { " (a minute, or what is left of the run's)" } else { "" };
        Err(format!("`{}` of `lists` {}{limit}{words}", program.name(), finished.end))
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, PrepareError> {
        Ok(Box::new(self.asking()))
    }
}

/// What a query left behind.
struct Answered {
    finished: Finished,
    /// The answer, if it was read as it came.
    heard: Option<Listener>,
}

fn locked(shared: &Mutex<Option<Listener>>) -> MutexGuard<'_, Option<Listener>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn died(error: &StartError) -> QueryError {
    QueryError::new(ErrorClass::Died, error.to_string())
}

/// One program at its places.
struct Asking<'a> {
    command: &'a Command,
    program: &'a Program,
    place: groundwork::Place<'a>,
}

impl Asking<'_> {
    fn run(&self, asked: &Asked<'_>) -> Result<Answered, QueryError> {
        let (tool, place) = (&self.command.tool, &self.place);
        let launch = Launch {
            program: self.program,
            arguments: &tool.arguments(place.tree, place.scratch, Some(asked)),
            folder: place.tree,
            environment: place.environment,
        };
        let bounds = Bounds { deadline: asked.deadline, stdout: tool.max_output, stderr: tool.max_output };
        let Some(listener) = self.command.reader.listener() else {
            let finished = run(&launch, bounds).map_err(|error| died(&error))?;
            return Ok(Answered { finished, heard: None });
        };
        let shared = Arc::new(Mutex::new(Some(listener)));
        let ear = Arc::clone(&shared);
        let hear = move |piece: &[u8]| {
            if let Some(listener) = locked(&ear).as_mut() {
                listener.hear(piece);
            }
        };
        // The other stream is kept.
        let bounds = Bounds { stderr: bounds.stderr.min(external::bytes(None)), ..bounds };
        let finished = run_heard(&launch, bounds, KEPT, hear).map_err(|error| died(&error))?;
        Ok(Answered { finished, heard: locked(&shared).take() })
    }
}

impl Session for Asking<'_> {
    fn query(
        &mut self,
        query: &Query<'_>,
        fetch: usize,
        deadline: Deadline,
    ) -> Result<Vec<RawHit>, QueryError> {
        if query.text.contains('\0') {
            return Err(QueryError::new(
                ErrorClass::Tool,
                "the query holds a NUL character, which no argument can",
            ));
        }
        let asked = Asked { text: query.text, fetch, deadline };
        let answered = self.run(&asked)?;
        if !matches!(answered.finished.end, End::Code(_)) {
            let (tool, place) = (&self.command.tool, &self.place);
            self.command.restore.put_back(tool, place.tree, place.scratch).map_err(|error| {
                QueryError::new(ErrorClass::Died, format!("after it was ended, {}", error.detail))
            })?;
        }
        judge::judge(answered, self.command, self.place.environment.secrets(), &asked).map_err(|refused| {
            let misplaced = self.command.tool.misplaced(self.place.tree);
            refused.told(self.program.name(), misplaced)
        })
    }
}
