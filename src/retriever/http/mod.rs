//! Any server that is asked over HTTP: one that runs elsewhere, or one that is started here.
//!
//! What a request holds are texts with slots; what an answer means is read as that of a command. A server elsewhere has
//! no view of the corpus that is measured: whether it searches the same files is its owner's business.

mod exchange;
mod options;
mod request;
mod server;

use std::net::{TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::Url;
use serde_json::{Value, json};

pub use options::{HttpOptions, Method, VersionOptions};

use self::exchange::{Client, Lost, Manner, Reply};
use self::request::{Address, Request, encoded, fixed};
use self::server::Host;
use super::external::groundwork::{self, Groundwork};
use super::external::trial::{self, Wanted};
use super::external::{self, NOT_ASKED, OptionProblem, Tool, Unusable, first_words};
use super::output::{Pointer, Reader};
use super::places::{Places, certificates, variables};

use super::template::{Placeholder, Values};
use super::text::Slot;
use super::{
    Availability, Bench, Deadline, Description, PrepareError, Prepared, Query, QueryError, Retriever,
    Session, Sight, Site, StartUp,
};
use crate::process::{Environment, Extra, Secrets};
use crate::ranking::{ErrorClass, RawHit, Unit};

/// How often a request is repeated if the configuration does not say.
const RETRIES: u32 = 2;

/// How long a server that has just been started may think about whether it is ready.
const READY: Duration = Duration::from_secs(5);

/// How many characters of a version are kept.
const DESCRIBED: usize = 100;

/// A server, as configured.
#[derive(Debug)]
pub struct Http {
    options: HttpOptions,
    request: Request,
    reader: Reader,
    start: Option<Tool>,
    ready: Option<Address>,
    version: Option<(Address, Option<Pointer>)>,
    groundwork: Groundwork,
    certificates: Option<Vec<u8>>,
    extra: Extra,
    repo: PathBuf,
}

impl Http {
    /// Checks the settings; `repo` (absolute) is where `{repo}` points.
    pub fn new(options: HttpOptions, repo: &Path) -> Result<Self, OptionProblem> {
        let extra = external::extra(&options.env, &options.pass_env);
        let request = Request::new(&options, &extra)?;
        let names = variables(&extra);
        let allowed = [Placeholder::Corpus, Placeholder::Repo, Placeholder::Scratch];
        let tool = |key: &'static str, argv: &Option<Vec<String>>| {
            let tool = argv.as_ref().map(|argv| {
                Tool::new(argv, &allowed, extra.clone(), options.max_output, &Values::new(), repo).map_err(
                    |problem| {
                        if problem.key == "argv" { OptionProblem { key, ..problem } } else { problem }
                    },
                )
            });
            tool.transpose()
        };
        let start = tool("start", &options.start)?;
        let prepare = tool("prepare", &options.prepare).transpose();
        let groundwork = Groundwork::new(&[], prepare, None, &Values::new(), options.writes, repo)?;
        let ready = options.ready.as_deref().map(|url| fixed("ready", url, &names)).transpose()?;
        let version = options.version.as_ref().map(|version| {
            let pointer = version.pointer.as_deref().map(Pointer::new).transpose();
            let pointer = pointer.map_err(|problem| OptionProblem::new("version", problem.to_string()))?;
            Ok((fixed("version", &version.url, &names)?, pointer))
        });
        let version = version.transpose()?;
        let urls = [("url", Some(&request.address)), ("ready", ready.as_ref())];
        let urls = urls.into_iter().chain([("version", version.as_ref().map(|(address, _)| address))]);
        for (key, address) in urls.filter_map(|(key, address)| Some((key, address?))) {
            let what = match (start.is_some(), address.holds(&Slot::Port)) {
                (true, false) => "holds no `{port}`, so another server than that in `start` would be asked",
                (false, true) => "holds `{port}`, which is that of a server in `start`; there is none",
                _ => continue,
            };
            return Err(OptionProblem::new(key, what));
        }
        if let Some(status) = options.empty_statuses.iter().find(|code| options.ok_statuses().contains(code))
        {
            let what = format!("{status} is in `ok-statuses` too; a status means one thing");
            return Err(OptionProblem::new("empty-statuses", what));
        }
        if options.ok_statuses().is_empty() {
            return Err(OptionProblem::new("ok-statuses", "is empty: no answer could be one"));
        }
        if options.parallel == Some(0) {
            return Err(OptionProblem::new("parallel", "at least one query must run"));
        }
        let reader = Reader::new(options.format, options.keys(), &options.empty_texts)
            .map_err(|(key, message)| OptionProblem::new(key, message))?;
        let certificates = certificates(options.ca_file.as_deref(), repo)?;
        let repo = repo.to_owned();
        Ok(Self { options, request, reader, start, ready, version, groundwork, certificates, extra, repo })
    }

    fn describe(&self, version: String) -> Description {
        Description {
            version,
            program: None,
            model: self.options.model.clone(),
            stand_in: self.options.stand_in,
            tried: false,
            unit: self.options.unit.unwrap_or(Unit::File),
            ranked: self.options.ranked.unwrap_or(true),
        }
    }

    /// What it sees and what no message may show: the values as they are, and as they stand in an address.
    fn environment(&self, tree: &Path, scratch: &Path) -> Result<(Environment, Secrets), Unusable> {
        let environment = external::environment(&self.extra, tree, scratch, &self.repo)?;
        let mut secrets = environment.secrets().clone();
        for (name, value) in environment.variables() {
            if self.extra.pass.iter().any(|passed| name == passed.as_str()) {
                let value = value.to_string_lossy();
                secrets.add(&encoded(&value));
                // As it stands in the name of a host.
                secrets.add(&value.to_ascii_lowercase());
            }
        }
        Ok((environment, secrets))
    }

    /// Somebody who can ask it.
    fn client(&self, places: &Places<'_>) -> Result<Client, Unusable> {
        let broken = |detail: String| Unusable::broken(detail);
        let url = self.request.address.fill(places, Some(("x", 1)));
        let url = url.ok_or_else(|| broken(format!("`{}` is no address", self.request.address)))?;
        Client::new(self.certificates.as_deref(), self.request.verb(), &url)
            .map_err(|problem| broken(problem.to_string()))
    }

    fn manner(&self, deadline: Deadline) -> Manner {
        Manner {
            deadline,
            retries: self.options.retries.unwrap_or(RETRIES),
            may_be_repeated: self.request.may_be_repeated(),
            longest: external::bytes(self.options.max_output),
        }
    }

    /// Asks an address that is the same for every query.
    fn look(
        &self,
        address: &Address,
        client: &Client,
        places: &Places<'_>,
        deadline: Deadline,
    ) -> Result<Reply, PrepareError> {
        let told = |what: &str| PrepareError::new(format!("`{address}` {what}"));
        let url = address.fill(places, None).ok_or_else(|| told("is no address"))?;
        // What goes with queries is meant for whoever answers them.
        let asked = self.request.address.fill(places, Some(("x", 1)));
        let headers = if asked.is_some_and(|asked| asked.origin() == url.origin()) {
            self.request.headers_at(places)?
        } else {
            http::HeaderMap::new()
        };
        client
            .look(url, headers, self.manner(deadline))
            .map_err(|lost| told(&lost.what).advising(lost.advice))
    }

    /// That address answers with a status of success.
    fn succeeds(
        &self,
        address: &Address,
        client: &Client,
        places: &Places<'_>,
        deadline: Deadline,
    ) -> Result<(), PrepareError> {
        match self.look(address, client, places, deadline)?.status {
            200..300 => Ok(()),
            status => Err(PrepareError::new(format!("`{address}` answered with status {status}"))),
        }
    }

    /// A server that has been started can be asked.
    fn is_ready(&self, client: &Client, places: &Places<'_>, deadline: Deadline) -> Result<(), String> {
        let deadline = deadline.min(Deadline::after(READY));
        if let Some(ready) = &self.ready {
            return self.succeeds(ready, client, places, deadline).map_err(|error| error.detail);
        }
        let url = self.request.address.fill(places, Some(("x", 1))).ok_or("no address")?;
        accepts(&url, deadline).map_err(|error| format!("its port {error}"))
    }

    /// What the server says its version is.
    fn ask_version(
        &self,
        client: &Client,
        places: &Places<'_>,
        secrets: &Secrets,
        deadline: Deadline,
    ) -> Result<String, PrepareError> {
        let Some((address, pointer)) = &self.version else { return Ok("unknown".to_owned()) };
        let told = |what: &str| PrepareError::new(format!("`{address}` {what}"));
        let reply = self.look(address, client, places, deadline)?;
        if !(200..300).contains(&reply.status) {
            return Err(told(&format!("answered with status {}", reply.status)));
        }
        let said = match pointer {
            None => String::from_utf8_lossy(&reply.body).lines().next().map(str::to_owned),
            Some(pointer) => {
                let answer: Option<Value> = serde_json::from_slice(&reply.body).ok();
                answer.as_ref().and_then(|answer| pointer.of(answer)).map(|found| match found {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                })
            }
        };
        match said.map(|said| said.trim().to_owned()).filter(|said| !said.is_empty()) {
            Some(said) => Ok(secrets.head(said.as_bytes(), DESCRIBED)),
            None => Err(told(&format!("says no version{}", first_words(secrets, &reply.body)))),
        }
    }

    /// Asks whether it is there; with a `prepare` a server that is ours may have nothing to start on yet, so that only
    /// what would run is looked for.
    fn examine(&self, bench: &Bench<'_>) -> Result<Description, Unusable> {
        let (environment, secrets) = self.environment(bench.scratch, bench.scratch)?;
        let broken = |error: PrepareError| Unusable::Broken {
            detail: secrets.hide_in_message(&error.detail),
            hint: error.advice,
        };
        let mut places = self.places(bench.scratch, bench.scratch, &environment);
        self.groundwork.find()?;
        self.start.iter().try_for_each(|tool| tool.program().map(drop))?;
        let host = match &self.start {
            Some(_) if !self.groundwork.is_nothing() => return Ok(self.describe(NOT_ASKED.to_owned())),
            Some(tool) => Some(Host::new(tool, &self.extra, bench.scratch, bench.scratch)),
            None => None,
        };
        if let Some(host) = &host {
            let port = self.ensure(host, places, bench.deadline).map_err(|error| Unusable::Broken {
                detail: secrets.hide_in_message(&error.detail),
                hint: error.advice,
            })?;
            places.port = Some(port);
        }
        let client = self.client(&places)?;
        self.request.headers_at(&places)?; // those that go with queries alone must be such as can be sent
        if host.is_none() && self.version.is_none() {
            self.is_there(&client, &places, bench.deadline).map_err(&broken)?;
        }
        let version = self.ask_version(&client, &places, &secrets, bench.deadline).map_err(&broken)?;
        Ok(self.describe(version))
    }

    /// A server elsewhere answers at all: at `ready` with a status of success, else at its root with any. What goes with
    /// queries alone is not sent there.
    fn is_there(&self, client: &Client, places: &Places<'_>, deadline: Deadline) -> Result<(), PrepareError> {
        if let Some(ready) = &self.ready {
            return self.succeeds(ready, client, places, deadline);
        }
        let told = |what: &str| PrepareError::new(format!("`{}` {what}", self.request.address));
        let url = self.request.address.fill(places, Some(("x", 1)));
        let root = url.and_then(|url| url.join("/").ok()).ok_or_else(|| told("is no address"))?;
        let root = client.look(root, http::HeaderMap::new(), self.manner(deadline));
        match root {
            // It is there, and has a long page.
            Ok(_) | Err(Lost { class: ErrorClass::OutputLimit, .. }) => Ok(()),
            Err(lost) => Err(told(&lost.what).advising(lost.advice)),
        }
    }

    /// Asks it for a word; the version that it says then.
    fn try_out(&self, bench: &Bench<'_>) -> Result<Option<String>, Unusable> {
        let wanted = if self.start.is_some() { Wanted::TheFile } else { Wanted::AnyAnswer };
        let programs: Vec<&Tool> = self.start.iter().chain(self.groundwork.tool()).collect();
        trial::run(self, &programs, wanted, &self.repo, bench)
    }

    fn places<'a>(&'a self, tree: &'a Path, scratch: &'a Path, environment: &'a Environment) -> Places<'a> {
        Places { tree, scratch, repo: &self.repo, environment, port: None }
    }

    /// The port of a server of ours that is ready.
    fn ensure(&self, host: &Host<'_>, places: Places<'_>, deadline: Deadline) -> Result<u16, QueryError> {
        let is_ready = |port: u16, deadline: Deadline| {
            let places = Places { port: Some(port), ..places };
            let client = self.client(&places).map_err(|problem| PrepareError::from(problem).detail)?;
            self.is_ready(&client, &places, deadline)
        };
        host.ensure(deadline, &is_ready)
    }
}

impl Retriever for Http {
    fn probe(&self, bench: &Bench<'_>) -> Availability {
        let tried = self.examine(bench).and_then(|said| {
            if !self.options.trial {
                return Ok(said);
            }
            let version = self.try_out(bench)?.unwrap_or(said.version);
            Ok(Description { tried: true, version, ..said })
        });
        match tried {
            Ok(said) => Availability::Ready(said),
            Err(unusable) => unusable.into(),
        }
    }

    fn configuration(&self) -> Value {
        let options = &self.options;
        let argv = |tool: &Option<Tool>, argv: &Option<Vec<String>>| {
            tool.as_ref().zip(argv.as_ref()).map(|(tool, argv)| tool.configuration(argv))
        };
        json!({
            "method": format!("{:?}", options.method),
            "url": options.url,
            "headers": self.request.headers.configuration(),
            "body": options.body,
            "env": self.extra.set,
            "pass-env": self.extra.pass,
            "start": argv(&self.start, &options.start),
            "prepare": options.prepare.as_ref().map(|argv| external::portable_argv(argv)),
            "model": options.model,
            "unit": options.unit,
            "ranked": options.ranked,
            "answer": self.reader.configuration(),
            "ok-statuses": options.ok_statuses(),
            "empty-statuses": options.empty_statuses,
        })
    }

    fn sight(&self) -> Sight {
        if self.options.writes { Sight::PrivateCopy } else { Sight::Copy }
    }

    fn prepare<'a>(&'a self, site: &Site<'a>) -> Result<Box<dyn Prepared + 'a>, PrepareError> {
        let (environment, secrets) = self.environment(site.tree, site.scratch)?;
        let broken =
            |error: PrepareError| PrepareError { detail: secrets.hide_in_message(&error.detail), ..error };
        let place = groundwork::Place { tree: site.tree, scratch: site.scratch, environment: &environment };
        self.groundwork.lay(&place, site.deadline)?;
        let host = self.start.as_ref().map(|tool| Host::new(tool, &self.extra, site.tree, site.scratch));
        let mut places = self.places(site.tree, site.scratch, &environment);
        if let Some(host) = &host {
            let port = self
                .ensure(host, places, site.deadline)
                .map_err(|error| broken(PrepareError::new(error.detail).advising(error.advice)))?;
            places.port = Some(port);
        }
        let client = self.client(&places)?;
        let version = self.ask_version(&client, &places, &secrets, site.deadline).map_err(broken)?;
        let said = self.describe(version);
        let (tree, scratch) = (site.tree, site.scratch);
        Ok(Box::new(Ready { http: self, environment, secrets, host, tree, scratch, said }))
    }
}

/// A server that can be asked.
struct Ready<'a> {
    http: &'a Http,
    environment: Environment,
    secrets: Secrets,
    host: Option<Host<'a>>,
    tree: &'a Path,
    scratch: &'a Path,
    said: Description,
}

impl Prepared for Ready<'_> {
    fn secrets(&self) -> Option<&Secrets> {
        Some(&self.secrets)
    }

    fn description(&self) -> Option<Description> {
        Some(self.said.clone())
    }

    fn start_up(&self) -> StartUp {
        if self.host.is_some() { StartUp::EverySession } else { StartUp::Never }
    }

    fn rest(&self) {
        self.host.iter().for_each(Host::rest);
    }

    fn max_sessions(&self) -> usize {
        self.http.options.parallel.unwrap_or(1)
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, PrepareError> {
        let client = self.http.client(&self.places(None))?;
        Ok(Box::new(Asking { ready: self, client, port: None }))
    }
}

impl Ready<'_> {
    fn places(&self, port: Option<u16>) -> Places<'_> {
        // What stands for a port before there is one is never asked.
        let port = port.or(self.host.as_ref().map(|_| 1));
        Places { port, ..self.http.places(self.tree, self.scratch, &self.environment) }
    }

    /// What an answer means.
    fn read(&self, reply: &Reply, asked: &str, fetch: usize) -> Result<Vec<RawHit>, (ErrorClass, String)> {
        let (options, secrets) = (&self.http.options, &self.secrets);
        let status = reply.status;
        if options.empty_statuses.contains(&status) {
            return Ok(Vec::new());
        }
        let words = first_words(secrets, &reply.body);
        if !options.ok_statuses().contains(&status) {
            let leads = reply
                .leads
                .as_ref()
                .map(|leads| format!(" and {}", secrets.head(leads.as_bytes(), DESCRIBED)));
            let leads = leads.unwrap_or_default();
            let what = format!(
                "answered with status {status}{leads}, which is in neither `ok-statuses` nor `empty-statuses`{words}"
            );
            return Err((ErrorClass::Tool, what));
        }
        let mut hits = self.http.reader.read(&reply.body, asked).map_err(|problem| {
            let told = secrets.hide_in_message(&problem.to_string());
            let what = match problem.class() {
                ErrorClass::Tool => format!("said no: {told}"),
                _ => format!("gave an answer that cannot be read: {told}{words}"),
            };
            (problem.class(), what)
        })?;
        hits.truncate(fetch);
        Ok(hits)
    }
}

struct Asking<'a> {
    ready: &'a Ready<'a>,
    client: Client,
    /// Of a server of ours, once it is known to run.
    port: Option<u16>,
}

impl Session for Asking<'_> {
    fn ready(&mut self, deadline: Deadline) -> Result<(), QueryError> {
        if let Some(host) = &self.ready.host {
            self.port = None;
            self.port = Some(self.ready.http.ensure(host, self.ready.places(None), deadline)?);
        }
        Ok(())
    }

    fn query(
        &mut self,
        query: &Query<'_>,
        fetch: usize,
        deadline: Deadline,
    ) -> Result<Vec<RawHit>, QueryError> {
        if self.ready.host.is_some() && self.port.is_none() {
            self.ready(deadline)?;
        }
        let (http, secrets) = (self.ready.http, &self.ready.secrets);
        let failed = |class: ErrorClass, what: &str| {
            let what = secrets.hide_in_message(what);
            QueryError::new(class, format!("`{}` {what}", http.request.address))
        };
        let filled = http.request.fill(&self.ready.places(self.port), query.text, fetch);
        let filled =
            filled.map_err(|problem| failed(ErrorClass::Tool, &PrepareError::from(problem).detail))?;
        let Some(filled) = filled else {
            return Err(failed(
                ErrorClass::Tool,
                "cannot be asked this: the query would lead to another place",
            ));
        };
        let reply = self.client.ask(&filled, http.manner(deadline)).map_err(|lost| {
            let ended = self.ready.host.as_ref().filter(|_| lost.class == ErrorClass::Died);
            let ended = ended.and_then(Host::obituary).unwrap_or_default();
            // Of one that was started here it is known why.
            let advice = lost.advice.filter(|_| ended.is_empty());
            failed(lost.class, &format!("{}{ended}", lost.what)).advising(advice)
        })?;
        if let Some(host) = &self.ready.host {
            host.answered();
        }
        self.ready.read(&reply, query.text, fetch).map_err(|(class, what)| failed(class, &what))
    }
}

/// Somebody accepts connections there.
fn accepts(url: &Url, deadline: Deadline) -> Result<(), String> {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let port = url.port_or_known_default().unwrap_or_default();
    let addresses = (host, port).to_socket_addrs().map_err(|error| error.to_string())?;
    let mut last = "has no address".to_owned();
    for address in addresses {
        let left = deadline.left();
        if left.is_zero() {
            break;
        }
        match TcpStream::connect_timeout(&address, left) {
            Ok(_) => return Ok(()),
            Err(error) => last = format!("cannot be reached: {error}"),
        }
    }
    Err(last)
}
