//! Any MCP server: a child that is spoken to over its stdin and stdout, or one that runs elsewhere over streamable HTTP.
//!
//! rmcp knows the protocol; the pipes, the limits and the end of a child are ours. A server that fails in any way but by
//! saying so is ended and started anew for the next query, so that a late answer can never be taken for a new one. After
//! three failures in a row it is not started again.

mod answer;
mod connection;
mod options;
mod pipe;
mod remote;
mod trouble;
mod watched;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rmcp::model::CallToolResult;
use serde_json::{Value, json};

pub use options::McpOptions;

use self::connection::{Connection, Failed};
use self::remote::Address;
use super::external::groundwork::{self, Groundwork};
use super::external::models::{Cache, Model};
use super::external::trial::{self, Wanted};
use super::external::{
    self, NOT_ASKED, OptionProblem, TIME, TIME_FOR_A_LOOK, Tool, Unusable, in_its_time, last_words, version,
};
use super::headers::Headers;
use super::output::Reader;
use super::places::{Places, certificates, variables};
use super::template::{Placeholder, Template, check_floor};
use super::text::{Document, OF_A_PLACE, OF_A_QUERY, Slot, Text};
use super::{
    Availability, Bench, Deadline, Description, PrepareError, Prepared, ProgramIdentity, Query, QueryError,
    Retriever, Session, Sight, Site, StartUp,
};
use crate::process::{Environment, Extra, Launch, Program, Secrets};
use crate::ranking::{ErrorClass, RawHit, Unit};
use crate::web;

/// So many failures in a row, and the remaining cases fail without a further start.
const PATIENCE: u32 = 3;

/// How many characters of what a server calls itself are kept.
const DESCRIBED: usize = 200;

/// How many characters of what a server said a message quotes.
const TOLD: usize = 2_000;

/// An MCP server, as configured.
#[derive(Debug)]
pub struct Mcp {
    options: McpOptions,
    server: Server,
    arguments: Document,
    reader: Reader,
    groundwork: Groundwork,
    version: Option<Tool>,
    model: Model,
    extra: Extra,
    repo: PathBuf,
}

/// What is known of a server without asking it.
#[derive(Clone, Debug, Default)]
struct Known {
    /// Its version, if a command prints it.
    version: Option<String>,
    model: Option<String>,
}

/// Where the server is.
#[derive(Debug)]
enum Server {
    Child(Tool),
    Elsewhere { url: Text, headers: Headers, certificates: Option<Vec<u8>> },
}

impl Mcp {
    /// Checks the settings; `repo` (absolute) is where `{repo}` points.
    pub fn new(options: McpOptions, repo: &Path) -> Result<Self, OptionProblem> {
        let extra = external::extra(&options.env, &options.pass_env);
        external::check_extra(&extra)?;
        let names = variables(&extra);
        let allowed = [Placeholder::Corpus, Placeholder::Repo, Placeholder::Scratch];
        let values = &options.values;
        let tool =
            |argv: &[String]| Tool::new(argv, &allowed, extra.clone(), options.max_output, values, repo);
        let server = match (&options.argv, &options.url) {
            (Some(argv), None) => {
                if !options.headers.is_empty() || options.ca_file.is_some() {
                    let key = if options.headers.is_empty() { "ca-file" } else { "headers" };
                    return Err(OptionProblem::new(key, "goes with `url` alone; take it out"));
                }
                Server::Child(tool(argv)?)
            }
            (None, Some(url)) => Server::Elsewhere {
                url: address(url, &names)?,
                headers: Headers::new(&options.headers, &names)?,
                certificates: certificates(options.ca_file.as_deref(), repo)?,
            },
            (Some(_), Some(_)) => {
                return Err(OptionProblem::new(
                    "url",
                    "is beside `argv`; one of them says where the server is",
                ));
            }
            (None, None) => {
                let what = "is missing, and so is `url`: nothing says where the server is";
                return Err(OptionProblem::new("argv", what));
            }
        };
        check_floor(options.floor.as_ref(), values)
            .map_err(|problem| OptionProblem::new("floor", problem.to_string()))?;
        let prepare = options.prepare.as_deref().map(tool);
        let until = options.until.as_deref();
        let groundwork = Groundwork::new(&options.files, prepare, until, values, options.writes, repo)?;
        let version = match (&options.version, &server) {
            (Some(_), Server::Elsewhere { .. }) => {
                return Err(OptionProblem::new("version", "goes with `argv` alone; take it out"));
            }
            (Some(argv), Server::Child(tool)) => {
                let template = Template::new(argv, &[Placeholder::Repo], values)
                    .map_err(|problem| OptionProblem::new("version", problem.to_string()))?;
                Some(tool.with(template))
            }
            (None, _) => None,
        };
        let model = Model::new(options.model.as_deref(), values)?;
        let arguments = Document::new(&Value::Object(options.arguments.clone()), OF_A_QUERY, &names)
            .map_err(|problem| OptionProblem::new("arguments", problem.to_string()))?;
        if arguments.holds(&Slot::Port) {
            return Err(OptionProblem::new("arguments", "`{port}` has no meaning here"));
        }
        if !arguments.holds(&Slot::Query) {
            let what = "no text in it holds `{query}`, so every query would be the same";
            return Err(OptionProblem::new("arguments", what));
        }
        if options.tool.is_empty() {
            return Err(OptionProblem::new("tool", "is empty; name the tool that searches"));
        }
        if options.parallel == Some(0) {
            return Err(OptionProblem::new("parallel", "at least one server must run"));
        }
        let reader = Reader::new(options.format, options.keys(), &options.empty_texts)
            .and_then(|reader| reader.in_order(options.rank_by, options.score_above))
            .map_err(|(key, message)| OptionProblem::new(key, message))?;
        let repo = repo.to_owned();
        Ok(Self { options, server, arguments, reader, groundwork, version, model, extra, repo })
    }

    fn environment(&self, tree: &Path, scratch: &Path) -> Result<Environment, Unusable> {
        external::environment(&self.extra, tree, scratch, &self.repo)
    }

    /// Its version and its model, as far as they are known without it.
    fn known(
        &self,
        scratch: &Path,
        environment: &Environment,
        deadline: Deadline,
    ) -> Result<Known, Unusable> {
        let ask = |command| version::ask(command, scratch, environment, deadline);
        let version = self.version.as_ref().map(ask).transpose()?;
        Ok(Known { version, model: self.model.identity(&self.repo, &Cache::new(None))? })
    }

    /// What it is; `said` is what it says of itself.
    fn describe(&self, known: Known, said: Option<String>) -> Description {
        Description {
            version: known.version.or(said).unwrap_or_else(|| NOT_ASKED.to_owned()),
            program: None,
            model: known.model,
            stand_in: self.options.stand_in,
            tried: false,
            unit: self.options.unit.unwrap_or(Unit::File),
            ranked: self.options.ranked.unwrap_or(true),
        }
    }

    /// Starts it and hears who it is; with a `prepare` it may have nothing to start on yet, so that only what would run is
    /// looked for.
    fn look(&self, bench: &Bench<'_>) -> Result<Description, Unusable> {
        let environment = self.environment(bench.scratch, bench.scratch)?;
        let program = self.identity()?;
        self.groundwork.find()?;
        let known = self.known(bench.scratch, &environment, bench.deadline)?;
        let places = self.places(bench.scratch, bench.scratch, &environment);
        if !self.groundwork.is_nothing() {
            if let Server::Elsewhere { headers, .. } = &self.server {
                headers.fill(&places)?;
            }
            return Ok(Description { program, ..self.describe(known, None) });
        }
        let way = self.way(&places, bench.scratch, Tool::bench_arguments)?;
        let connected = self.connect(&way, &environment, bench.deadline);
        let (connection, said) = connected.map_err(|error| {
            let QueryError { detail, advice, .. } = in_its_time(error, TIME_FOR_A_LOOK);
            Unusable::Broken { detail, hint: advice }
        })?;
        connection.stop();
        Ok(Description { program, ..self.describe(known, Some(said)) })
    }

    /// Which file would run, if the server is started here.
    fn identity(&self) -> Result<Option<ProgramIdentity>, Unusable> {
        match &self.server {
            Server::Child(tool) => tool.identity().map(Some),
            Server::Elsewhere { .. } => Ok(None),
        }
    }

    /// Asks it for a word; the version that it says then.
    fn try_out(&self, bench: &Bench<'_>) -> Result<Option<String>, Unusable> {
        let (child, wanted) = match &self.server {
            Server::Child(tool) => (Some(tool), Wanted::TheFile),
            Server::Elsewhere { .. } => (None, Wanted::AnyAnswer),
        };
        let programs: Vec<&Tool> = child.into_iter().chain(self.groundwork.tool()).collect();
        trial::run(self, &programs, wanted, &self.repo, bench)
    }

    fn places<'a>(&'a self, tree: &'a Path, scratch: &'a Path, environment: &'a Environment) -> Places<'a> {
        Places { tree, scratch, repo: &self.repo, environment, port: None }
    }

    /// How to get to the server from there.
    fn way<'a>(
        &self,
        places: &Places<'_>,
        folder: &'a Path,
        arguments: impl FnOnce(&Tool, &Path) -> Vec<String>,
    ) -> Result<Way<'a>, Unusable> {
        match &self.server {
            Server::Child(tool) => Ok(Way::Child {
                program: tool.program()?,
                arguments: arguments(tool, places.scratch),
                folder,
                longest: tool.max_output,
            }),
            Server::Elsewhere { url, headers, certificates } => {
                let url = places.fill(url);
                let mut client =
                    web::client(certificates.as_deref()).map_err(|problem| unusable(&problem))?;
                if is_loopback(&url) {
                    client = client.no_proxy();
                }
                let headers = headers.fill(places)?;
                Ok(Way::Elsewhere(Address {
                    url,
                    headers: headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
                    client: client.build().map_err(|error| unusable(&error))?,
                    longest: external::bytes(self.options.max_output),
                }))
            }
        }
    }

    /// A connection to a server that has the tool, and its name and version as it says them.
    fn connect(
        &self,
        way: &Way<'_>,
        environment: &Environment,
        deadline: Deadline,
    ) -> Result<(Connection, String), QueryError> {
        let opened = match way {
            Way::Child { program, arguments, folder, longest } => {
                let launch = Launch { program, arguments, folder, environment };
                Connection::to_child(&launch, *longest, deadline)
            }
            Way::Elsewhere(address) => Connection::to_address(address, deadline),
        };
        let tell = |failed: Failed| self.told(failed, environment.secrets());
        let mut connection = opened.map_err(tell)?;
        connection.has_tool(&self.options.tool, deadline).map_err(tell)?;
        let said = connection.greeting();
        let version = format!("{} {}", said.name, said.version);
        Ok((connection, environment.secrets().head(version.as_bytes(), DESCRIBED)))
    }

    /// The failure with the server's name and last words; what it said is printable and holds no secret.
    fn told(&self, failed: Failed, secrets: &Secrets) -> QueryError {
        let server = match &self.server {
            Server::Child(_) => {
                self.options.argv.as_ref().and_then(|argv| argv.first()).map_or("", String::as_str)
            }
            Server::Elsewhere { .. } => self.options.url.as_deref().unwrap_or_default(),
        };
        let what = secrets.head(failed.trouble.detail.as_bytes(), TOLD);
        let words = failed.stderr.map(|stderr| last_words(secrets, &stderr)).unwrap_or_default();
        QueryError::new(failed.trouble.class, format!("the MCP server `{server}` {what}{words}"))
            .advising(failed.trouble.advice)
    }
}

/// How to get to the server.
enum Way<'a> {
    Child { program: Program, arguments: Vec<String>, folder: &'a Path, longest: usize },
    Elsewhere(Address),
}

impl Retriever for Mcp {
    fn probe(&self, bench: &Bench<'_>) -> Availability {
        let tried = self.look(bench).and_then(|said| {
            if !self.options.trial {
                return Ok(said);
            }
            let version = self.try_out(bench)?.unwrap_or(said.version);
            Ok(Description { tried: true, version, ..said })
        });
        match tried {
            Ok(said) => Availability::Ready(said),
            Err(unusable) => external::advised(unusable, self.options.install.as_deref()).into(),
        }
    }

    fn configuration(&self) -> Value {
        let options = &self.options;
        let server = match &self.server {
            Server::Child(tool) => tool.configuration(options.argv.as_deref().unwrap_or_default()),
            Server::Elsewhere { url, headers, .. } => json!({
                "url": url.to_string(),
                "headers": headers.configuration(),
                "env": self.extra.set,
                "pass-env": self.extra.pass,
            }),
        };
        let prepare = options.prepare.as_ref().map(|argv| external::portable_argv(argv));
        json!({
            "server": server,
            "tool": options.tool,
            "arguments": options.arguments,
            "prepare": prepare,
            "files": options.files.iter().map(|file| json!([file.path, file.text])).collect::<Vec<_>>(),
            "values": external::portable_values(&options.values),
            "model": options.model,
            "unit": options.unit,
            "ranked": options.ranked,
            "answer": self.reader.configuration(),
        })
    }

    fn sight(&self) -> Sight {
        if self.options.writes { Sight::PrivateCopy } else { Sight::Copy }
    }

    fn prepare<'a>(&'a self, site: &Site<'a>) -> Result<Box<dyn Prepared + 'a>, PrepareError> {
        let environment = self.environment(site.tree, site.scratch)?;
        let place = groundwork::Place { tree: site.tree, scratch: site.scratch, environment: &environment };
        self.groundwork.lay(&place, site.deadline)?;
        let places = self.places(site.tree, site.scratch, &environment);
        let arguments = |tool: &Tool, scratch: &Path| tool.arguments(site.tree, scratch, None);
        let way = self.way(&places, site.tree, arguments)?;
        let known = self.known(site.scratch, &environment, site.deadline)?;
        // The first server is started here: that is timed as preparation, and a failure is told before any query.
        let (first, said) = self.connect(&way, &environment, site.deadline).map_err(|error| {
            let misplaced = match &self.server {
                Server::Child(tool) => tool.misplaced(site.tree),
                Server::Elsewhere { .. } => None,
            };
            external::unprepared(in_its_time(error, TIME), misplaced)
        })?;
        let (tree, scratch) = (site.tree, site.scratch);
        Ok(Box::new(Ready {
            mcp: self,
            way,
            environment,
            tree,
            scratch,
            description: self.describe(known, Some(said.clone())),
            said,
            first: Mutex::new(Some(first)),
        }))
    }
}

/// A server that has been found, and how to get another.
struct Ready<'a> {
    mcp: &'a Mcp,
    way: Way<'a>,
    environment: Environment,
    tree: &'a Path,
    scratch: &'a Path,
    /// Its name and version as it said them first.
    said: String,
    description: Description,
    first: Mutex<Option<Connection>>,
}

impl Prepared for Ready<'_> {
    fn secrets(&self) -> Option<&Secrets> {
        Some(self.environment.secrets())
    }

    fn description(&self) -> Option<Description> {
        Some(self.description.clone())
    }

    fn start_up(&self) -> StartUp {
        StartUp::EverySession
    }

    fn max_sessions(&self) -> usize {
        self.mcp.options.parallel.unwrap_or(1)
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, PrepareError> {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(Box::new(Conversing { ready: self, connection: first, failures: 0 }))
    }
}

impl Ready<'_> {
    /// Another one, which must be the same as the first.
    fn restart(&self, deadline: Deadline) -> Result<Connection, QueryError> {
        let (connection, said) = self.mcp.connect(&self.way, &self.environment, deadline)?;
        if said == self.said {
            return Ok(connection);
        }
        let what = "a restarted MCP server says that it is another version than before";
        Err(QueryError::new(ErrorClass::Protocol, what))
    }

    /// Calls the tool.
    fn call(
        &self,
        connection: &mut Connection,
        query: &str,
        fetch: usize,
        deadline: Deadline,
    ) -> Result<CallToolResult, QueryError> {
        let places = self.mcp.places(self.tree, self.scratch, &self.environment);
        let arguments = self.mcp.arguments.fill(fetch, &|slot| places.value(slot, Some((query, fetch))));
        let Value::Object(arguments) = arguments else { unreachable!("arguments are a table") };
        let called = connection.call(&self.mcp.options.tool, arguments, deadline);
        called.map_err(|failed| self.mcp.told(failed, self.environment.secrets()))
    }

    /// What it said: an answer to what was asked, good or bad.
    fn read(
        &self,
        connection: &Connection,
        result: &CallToolResult,
        asked: &str,
        fetch: usize,
    ) -> Result<Vec<RawHit>, QueryError> {
        let secrets = self.environment.secrets();
        let mut hits = answer::read(result, &self.mcp.reader, asked)
            .map_err(|trouble| self.mcp.told(connection.beside(trouble), secrets))?;
        hits.truncate(fetch); // the rest is still read: an answer with a bad hit is bad
        Ok(hits)
    }
}

impl Drop for Ready<'_> {
    fn drop(&mut self) {
        if let Some(first) = self.first.lock().unwrap_or_else(PoisonError::into_inner).take() {
            first.stop();
        }
    }
}

/// One connection after the other, asked in turn.
struct Conversing<'a> {
    ready: &'a Ready<'a>,
    connection: Option<Connection>,
    /// In a row, without an answer between them.
    failures: u32,
}

impl Session for Conversing<'_> {
    fn ready(&mut self, deadline: Deadline) -> Result<(), QueryError> {
        if self.connection.is_some() {
            return Ok(());
        }
        if self.failures >= PATIENCE {
            let what = format!("the MCP server failed {PATIENCE} times in a row and is not started again");
            return Err(QueryError::new(ErrorClass::Died, what));
        }
        match self.ready.restart(deadline) {
            Ok(connection) => {
                self.connection = Some(connection);
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
        let mut connection = self.connection.take().expect("it is ready");
        let called = self.ready.call(&mut connection, query.text, fetch, deadline);
        if called.as_ref().is_err_and(|error| error.class != ErrorClass::Tool) {
            self.failures += 1;
            return called.map(|_| Vec::new());
        }
        let answer = called.and_then(|result| self.ready.read(&connection, &result, query.text, fetch));
        self.failures = 0;
        self.connection = Some(connection);
        answer
    }
}

impl Drop for Conversing<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take().filter(|_| !std::thread::panicking()) {
            connection.stop();
        }
    }
}

/// An address that can be asked.
fn address(written: &str, variables: &[&str]) -> Result<Text, OptionProblem> {
    let problem = |what: String| OptionProblem::new("url", what);
    let text = Text::new(written, OF_A_PLACE, variables).and_then(Text::without_a_shell);
    let text = text.map_err(|told| problem(told.to_string()))?;
    if text.slots().any(|slot| *slot == Slot::Port) {
        return Err(problem("`{port}` has no meaning here".to_owned()));
    }
    let tried = reqwest::Url::parse(&text.fill(&|_| "x".to_owned()));
    match tried {
        Ok(url) if ["http", "https"].contains(&url.scheme()) && url.has_host() => Ok(text),
        _ => Err(problem(format!("`{written}` is no address; write it like https://host/mcp"))),
    }
}

/// It leads to this machine, where no proxy leads.
fn is_loopback(url: &str) -> bool {
    reqwest::Url::parse(url).is_ok_and(|url| web::is_loopback(&url))
}

fn unusable(problem: &dyn std::fmt::Display) -> Unusable {
    Unusable::broken(problem.to_string())
}
