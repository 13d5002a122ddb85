//! A program that is started once for each query and prints its hits.

mod judge;
mod options;

use std::path::Path;

use serde_json::json;

pub use options::CommandOptions;

use super::external::{OptionProblem, Tool, Unusable, extra, last_words};
use super::output::Reader;
use super::template::{Placeholder, Template};
use super::{
    Availability, Bench, Deadline, Description, PrepareError, Prepared, Query, QueryError, Retriever,
    Session, Sight, Site,
};
use crate::process::{Bounds, End, Environment, Finished, Launch, Program, run};
use crate::ranking::{ErrorClass, RawHit};

/// A command, as configured.
#[derive(Clone, Debug)]
pub struct Command {
    options: CommandOptions,
    reader: Reader,
    tool: Tool,
    prepare: Option<Tool>,
    version: Option<Tool>,
}

impl Command {
    /// Checks the settings; `repo` (absolute) is where `{repo}` points.
    pub fn new(options: CommandOptions, repo: &Path) -> Result<Self, OptionProblem> {
        let extra = extra(&options.env, &options.pass_env);
        let tool = Tool::new(&options.argv, &Placeholder::ALL, extra, options.max_output, repo)?;
        if !tool.argv.holds(Placeholder::Query) {
            return Err(OptionProblem::new(
                "argv",
                "no argument holds `{query}`, so every query would be the same",
            ));
        }
        let other = |key, argv: &Option<Vec<String>>, allowed: &[Placeholder]| {
            let template = argv.as_ref().map(|argv| Template::new(argv, allowed)).transpose();
            let template = template.map_err(|problem| OptionProblem::new(key, problem.to_string()))?;
            Ok(template.map(|template| tool.with(template)))
        };
        let prepare = other(
            "prepare",
            &options.prepare,
            &[Placeholder::Corpus, Placeholder::Repo, Placeholder::Scratch],
        )?;
        let version = other("version", &options.version, &[Placeholder::Repo])?;
        if let Some(code) = options.empty_exits.iter().find(|code| options.ok_exits.contains(code)) {
            let message = format!("{code} is in `ok-exits` too; an exit code means one thing");
            return Err(OptionProblem::new("empty-exits", message));
        }
        if options.parallel == 0 {
            return Err(OptionProblem::new("parallel", "at least one query must run"));
        }
        let reader = options.reader()?;
        Ok(Self { options, reader, tool, prepare, version })
    }

    fn describe(&self, version: String) -> Description {
        let options = &self.options;
        Description { version, model: options.model.clone(), unit: options.unit, ranked: options.ranked }
    }

    fn ask_version(&self, bench: &Bench<'_>) -> Result<String, Unusable> {
        let broken = |error: &dyn std::fmt::Display| Unusable::Broken { detail: error.to_string() };
        let environment = self.tool.environment(bench.scratch)?;
        self.tool.program()?;
        if let Some(prepare) = &self.prepare {
            prepare.program()?;
        }
        let Some(version) = &self.version else { return Ok("unknown".to_owned()) };
        let launch = Launch {
            program: &version.program()?,
            arguments: &version.bench_arguments(bench.scratch),
            folder: bench.scratch,
            environment: &environment,
        };
        let bounds =
            Bounds { deadline: bench.deadline, stdout: version.max_output, stderr: version.max_output };
        let finished = run(&launch, bounds).map_err(|error| broken(&error))?;
        let secrets = environment.secrets();
        let text = [&finished.stdout, &finished.stderr].map(|bytes| secrets.hide(bytes)).concat();
        let text = String::from_utf8_lossy(&text);
        let first = text.lines().map(str::trim).find(|line| !line.is_empty());
        match (finished.end, first) {
            (End::Code(0), Some(first)) => Ok(secrets.head(first.as_bytes(), 100)),
            (End::Code(0), None) => Err(broken(&"its `version` command printed nothing")),
            (end, _) => Err(Unusable::Broken {
                detail: format!("its `version` command {end}{}", last_words(secrets, &finished.stderr)),
            }),
        }
    }
}

impl Retriever for Command {
    fn probe(&self, bench: &Bench<'_>) -> Availability {
        match self.ask_version(bench) {
            Ok(version) => Availability::Ready(self.describe(version)),
            Err(unusable) => unusable.into(),
        }
    }

    fn configuration(&self) -> serde_json::Value {
        let options = &self.options;
        let prepare = self.prepare.as_ref().zip(options.prepare.as_ref());
        let mut configuration = json!({
            "run": self.tool.configuration(&options.argv),
            "prepare": prepare.map(|(tool, argv)| tool.configuration(argv)),
            "model": options.model,
            "unit": options.unit,
            "ranked": options.ranked,
            "ok-exits": options.ok_exits,
            "empty-exits": options.empty_exits,
        });
        for (key, value) in self.reader.configuration() {
            configuration[key] = value;
        }
        configuration
    }

    fn sight(&self) -> Sight {
        if self.options.writes { Sight::PrivateCopy } else { Sight::Copy }
    }

    fn prepare<'a>(&'a self, site: &Site<'a>) -> Result<Box<dyn Prepared + 'a>, PrepareError> {
        let environment = self.tool.environment(site.scratch)?;
        let ready = Ready {
            command: self,
            program: self.tool.program()?,
            environment,
            tree: site.tree,
            scratch: site.scratch,
        };
        if let Some(tool) = &self.prepare {
            let running = Running { tool, program: tool.program()?, ..ready.running() };
            let finished =
                running.run(None, site.deadline).map_err(|error| PrepareError { detail: error.detail })?;
            if finished.end != End::Code(0) {
                let words = last_words(ready.environment.secrets(), &finished.stderr);
                let elsewhere = tool.misplaced(site.tree);
                return Err(PrepareError {
                    detail: format!("its `prepare` command {}{words}{elsewhere}", finished.end),
                });
            }
        }
        Ok(Box::new(ready))
    }
}

/// The program found, its index built.
struct Ready<'a> {
    command: &'a Command,
    program: Program,
    environment: Environment,
    tree: &'a Path,
    scratch: &'a Path,
}

impl Ready<'_> {
    fn running(&self) -> Running<'_> {
        Running {
            tool: &self.command.tool,
            program: self.program.clone(),
            environment: &self.environment,
            tree: self.tree,
            scratch: self.scratch,
        }
    }
}

impl Prepared for Ready<'_> {
    fn max_sessions(&self) -> usize {
        self.command.options.parallel
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, PrepareError> {
        Ok(Box::new(Asking { running: self.running(), command: self.command }))
    }
}

/// One program at its places.
struct Running<'a> {
    tool: &'a Tool,
    program: Program,
    environment: &'a Environment,
    tree: &'a Path,
    scratch: &'a Path,
}

impl Running<'_> {
    fn run(&self, query: Option<(&str, usize)>, deadline: Deadline) -> Result<Finished, QueryError> {
        let launch = Launch {
            program: &self.program,
            arguments: &self.tool.arguments(self.tree, self.scratch, query),
            folder: self.tree,
            environment: self.environment,
        };
        let bounds = Bounds { deadline, stdout: self.tool.max_output, stderr: self.tool.max_output };
        run(&launch, bounds).map_err(|error| QueryError::new(ErrorClass::Died, error.to_string()))
    }
}

struct Asking<'a> {
    running: Running<'a>,
    command: &'a Command,
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
        let finished = self.running.run(Some((query.text, fetch)), deadline)?;
        let running = &self.running;
        judge::judge(&finished, self.command, running.environment.secrets(), fetch).map_err(
            |(class, what)| {
                let elsewhere = running.tool.misplaced(running.tree);
                QueryError::new(class, format!("`{}` {what}{elsewhere}", running.program.name()))
            },
        )
    }
}
