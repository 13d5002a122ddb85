//! A stand-in for GitHub: it remembers, refuses what GitHub refuses, and speaks HTTP on a socket of this machine, so that
//! the client that users run is what the tests run.
//!
//! What it enforces is in facts that are tested in `rules.rs`. Every request is held against GitHub's description, and so
//! is every answer; a test in which one does not hold fails when the stand-in is dropped.
//!
//! ```ignore
//! let fake = Fake::start();
//! let (token, pull) = fake.with(|world| {
//!     let root = world.repository("o/r");
//!     let head = world.commit(&root, &[("docs/a.md", "text")]);
//!     world.push("o/r", "topic", &head);
//!     (world.workflow_token("o/r", PUBLISH), world.pull("o/r", "topic", "main"))
//! });
//! fake.before("GET /repos/{owner}/{repo}/pulls/{pull_number}", 2, |world| world.retarget("o/r", 1, "next"));
//! fake.fail("POST /repos/{owner}/{repo}/check-runs", 1, Fault::AnswerLost);
//! fake.block_on(async |fake| review(&fake.client(&token), pull).await);
//! assert_eq!(fake.with(|world| world.comments("o/r", pull).len()), 1);
//! ```

pub(crate) mod answer;
pub(crate) mod graph;
mod graphql;
mod render;
mod rest;
mod routes;
mod rules;
pub(crate) mod serve;
pub(crate) mod tls;
mod token;
mod visit;
pub(crate) mod world;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use rankhold::github::{Client, Connection, Patience, Token};
use serde_json::Value;

use super::faults::{Fault, Outcome};
use super::openapi::{Asked, description};
use answer::{Answer, Body, Handled};
use routes::ROUTES;
use serve::{Request, Server};
use token::Grant;
use visit::Visit;
use world::World;

/// What a workflow that publishes has.
pub(crate) const PUBLISH: &[&str] =
    &["checks: write", "statuses: write", "pull-requests: write", "contents: read", "actions: read"];

/// What the workflow of a pull request from a fork has.
pub(crate) const FORK: &[&str] =
    &["checks: read", "statuses: read", "pull-requests: read", "contents: read", "actions: read"];

/// What a workflow that commits an approval has.
pub(crate) const COMMAND: &[&str] =
    &["checks: write", "pull-requests: write", "contents: write", "actions: read"];

/// What a workflow that proposes baselines has.
pub(crate) const PROPOSE: &[&str] =
    &["checks: write", "pull-requests: write", "contents: write", "actions: read"];

/// Three attempts without a wait.
pub(crate) const IMPATIENT: Patience = Patience {
    first: Duration::ZERO,
    secondary: Duration::ZERO,
    longest: Duration::from_secs(1),
    total: Duration::from_secs(1),
    attempts: 3,
    answer: Duration::from_mins(1),
};

/// How long an answer is waited for where one is known not to come.
const SILENCE: Duration = Duration::from_millis(500);

/// The route of a download from the storage, for hooks and faults.
pub(crate) const STORAGE: &str = "GET storage";

/// That of a GraphQL query.
pub(crate) const GRAPHQL: &str = "POST /graphql";

/// The stand-in. Dropping it fails the test if a request or an answer broke GitHub's description.
pub(crate) struct Fake {
    inner: Arc<Mutex<Inner>>,
    api: Server,
    storage: Server,
    scheme: &'static str,
    prefix: &'static str,
}

/// A request that arrived.
#[derive(Clone, Debug)]
pub(crate) struct Logged {
    pub(crate) method: String,
    /// Path and query, as sent.
    pub(crate) target: String,
    /// `GET /repos/{owner}/{repo}`, or the target where nothing answers.
    pub(crate) route: String,
    /// The server that was meant.
    pub(crate) host: String,
    /// The `Authorization` header.
    pub(crate) authorization: Option<String>,
    /// Null if there was none.
    pub(crate) body: Value,
    /// Not set where nothing was sent back.
    pub(crate) status: Option<u16>,
}

type Action = Box<dyn FnOnce(&mut World) + Send>;

/// Something to be done at the n-th request of a route.
struct Planned<T> {
    route: String,
    /// How many are still to come, this one included.
    countdown: usize,
    what: T,
}

/// When a change of the world happens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    Before,
    After,
}

struct Inner {
    world: World,
    log: Vec<Logged>,
    changes: Vec<Planned<(When, Action)>>,
    faults: Vec<Planned<Fault>>,
    faults_at: BTreeMap<usize, Fault>,
    /// What goes wrong with every request of a route.
    outages: BTreeMap<String, Fault>,
    /// Some request will not be answered.
    silent: bool,
    violations: Vec<String>,
    /// The addresses that answers name.
    api: String,
    prefix: &'static str,
    storage: String,
}

impl Fake {
    /// As github.com, without TLS.
    pub(crate) fn start() -> Self {
        Self::with_prefix("", None)
    }

    /// As a private server, whose API lies below `/api/v3`.
    pub(crate) fn private_server() -> Self {
        Self::with_prefix("/api/v3", None)
    }

    /// As a private server with a certificate that only [`tls::authority`] vouches for.
    pub(crate) fn over_tls() -> Self {
        Self::with_prefix("/api/v3", Some(tls::acceptor()))
    }

    /// Another one that remembers the same so far, and was asked nothing yet.
    pub(crate) fn copy(&self) -> Self {
        let copy = Self::start();
        let world = self.with(|world| world.clone());
        copy.with(|there| *there = world);
        copy
    }

    fn with_prefix(prefix: &'static str, tls: Option<tokio_rustls::TlsAcceptor>) -> Self {
        let scheme = if tls.is_some() { "https" } else { "http" };
        let inner = Arc::new(Mutex::new(Inner {
            world: World::default(),
            log: Vec::new(),
            changes: Vec::new(),
            faults: Vec::new(),
            faults_at: BTreeMap::new(),
            outages: BTreeMap::new(),
            silent: false,
            violations: Vec::new(),
            api: String::new(),
            prefix,
            storage: String::new(),
        }));
        let (for_api, for_storage) = (inner.clone(), inner.clone());
        let api = Server::start(Arc::new(move |request| arrive(&for_api, &request, false)), tls.clone());
        let storage = Server::start(Arc::new(move |request| arrive(&for_storage, &request, true)), tls);
        lock(&inner).api = format!("{scheme}://{}{prefix}", api.address);
        lock(&inner).storage = format!("{scheme}://{}", storage.address);
        Self { inner, api, storage, scheme, prefix }
    }

    /// The address that a workflow would find in `GITHUB_API_URL`.
    pub(crate) fn address(&self) -> String {
        format!("{}://{}{}", self.scheme, self.api.address, self.prefix)
    }

    /// Host and port of the API, and of the place where archives lie.
    pub(crate) fn hosts(&self) -> (String, String) {
        (self.api.address.to_string(), self.storage.address.to_string())
    }

    /// The client that users run, impatient. Must be called within a runtime, as in [`Fake::block_on`].
    pub(crate) fn client(&self, token: &Token) -> Client {
        Client::new(Box::new(self.connection(Some(token))), self.patience())
    }

    /// Its patience: a short one alone would mend what a slow machine breaks.
    pub(crate) fn patience(&self) -> Patience {
        Patience { answer: if lock(&self.inner).silent { SILENCE } else { IMPATIENT.answer }, ..IMPATIENT }
    }

    /// The connection below it.
    pub(crate) fn connection(&self, token: Option<&Token>) -> Connection {
        let authority = (self.scheme == "https").then(tls::authority);
        Connection::open(&self.address(), token, authority.as_deref(), self.patience().answer).unwrap()
    }

    /// Runs something that asks.
    pub(crate) fn block_on<T>(&self, flow: impl AsyncFnOnce(&Self) -> T) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(flow(self))
    }

    /// Looks at the world, or changes it as people and other programs do.
    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut World) -> T) -> T {
        look(&mut lock(&self.inner).world)
    }

    /// Changes the world right before the n-th request of a route (from 1) is answered.
    pub(crate) fn before(&self, route: &str, nth: usize, change: impl FnOnce(&mut World) + Send + 'static) {
        self.plan(When::Before, route, nth, Box::new(change));
    }

    /// Changes the world right after the n-th request of a route (from 1) was carried out.
    pub(crate) fn after(&self, route: &str, nth: usize, change: impl FnOnce(&mut World) + Send + 'static) {
        self.plan(When::After, route, nth, Box::new(change));
    }

    fn plan(&self, when: When, route: &str, nth: usize, change: Action) {
        let planned = Planned { route: known(route), countdown: nth, what: (when, change) };
        lock(&self.inner).changes.push(planned);
    }

    /// Something goes wrong with the n-th request of a route (from 1).
    pub(crate) fn fail(&self, route: &str, nth: usize, fault: Fault) {
        let mut inner = lock(&self.inner);
        inner.silent |= fault == Fault::Silence;
        inner.faults.push(Planned { route: known(route), countdown: nth, what: fault });
    }

    /// Something goes wrong with every request of a route, until [`Fake::recover`].
    pub(crate) fn fail_always(&self, route: &str, fault: Fault) {
        let mut inner = lock(&self.inner);
        inner.silent |= fault == Fault::Silence;
        inner.outages.insert(known(route), fault);
    }

    /// Nothing goes wrong any more.
    pub(crate) fn recover(&self) {
        let mut inner = lock(&self.inner);
        inner.faults.clear();
        inner.faults_at.clear();
        inner.outages.clear();
        inner.silent = false;
    }

    /// Something goes wrong with a request by its position among all (from 0).
    pub(crate) fn fail_at(&self, position: usize, fault: Fault) {
        let mut inner = lock(&self.inner);
        inner.silent |= fault == Fault::Silence;
        inner.faults_at.insert(position, fault);
    }

    /// Every request so far.
    pub(crate) fn log(&self) -> Vec<Logged> {
        lock(&self.inner).log.clone()
    }

    /// The routes asked so far that are no reading, in order.
    pub(crate) fn writes(&self) -> Vec<String> {
        let log = self.log().into_iter().filter(|logged| logged.method != "GET");
        log.map(|logged| logged.route).collect()
    }

    /// What broke GitHub's description so far; the test does not fail for it any more.
    pub(crate) fn take_violations(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.inner).violations)
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        let violations = self.take_violations();
        if !std::thread::panicking() {
            assert!(violations.is_empty(), "against GitHub's description: {violations:#?}");
        }
    }
}

/// A panic in here (a hook that finds no branch, say) fails the test and not the client, which would see a broken network.
fn arrive(inner: &Mutex<Inner>, request: &Request, storage: bool) -> Outcome {
    let handle = || lock(inner).arrive(request, storage);
    catch_unwind(AssertUnwindSafe(handle)).unwrap_or_else(|_| {
        let place = format!("{} {}: a panic of the stand-in, shown above", request.method, request.path);
        lock(inner).violations.push(place);
        Outcome::Answer(Answer::refusal(500, "Server Error"))
    })
}

/// The state stays readable after a panic.
fn lock(inner: &Mutex<Inner>) -> MutexGuard<'_, Inner> {
    inner.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A route that is answered, so that a hook with a typing error does not wait for ever.
fn known(route: &str) -> String {
    let there = route == STORAGE
        || route == GRAPHQL
        || ROUTES.iter().any(|one| route == format!("{} {}", one.method, one.path));
    assert!(there, "nothing answers `{route}`");
    route.to_owned()
}

/// Takes out what is due at this request of the route.
fn due<T>(planned: &mut Vec<Planned<T>>, route: &str, pick: impl Fn(&T) -> bool) -> Vec<T> {
    let mut found = Vec::new();
    for one in std::mem::take(planned) {
        let hit = one.route == route && pick(&one.what);
        match one.countdown {
            1 if hit => found.push(one.what),
            left => planned.push(Planned { countdown: left - usize::from(hit), ..one }),
        }
    }
    found
}

impl Inner {
    fn arrive(&mut self, request: &Request, storage: bool) -> Outcome {
        let position = self.log.len();
        let route = if storage { STORAGE.to_owned() } else { self.route(request) };
        let header = |name: &str| request.headers.get(name).and_then(|value| value.to_str().ok());
        self.log.push(Logged {
            method: request.method.clone(),
            target: request
                .query
                .as_ref()
                .map_or(request.path.clone(), |query| format!("{}?{query}", request.path)),
            route: route.clone(),
            host: request.host.clone(),
            authorization: header("authorization").map(str::to_owned),
            body: serde_json::from_slice(&request.body).unwrap_or_default(),
            status: None,
        });
        let fault = self.faults_at.remove(&position);
        let fault = due(&mut self.faults, &route, |_| true).pop().or(fault);
        let fault = fault.or(self.outages.get(&route).copied());
        if let Some(fault) = fault.filter(|fault| !fault.is_after_the_deed()) {
            return self.noted(position, fault.instead_of(None));
        }
        for (_, change) in due(&mut self.changes, &route, |(when, _)| *when == When::Before) {
            change(&mut self.world);
        }
        let answer = if storage { self.stored(request) } else { self.answer(request) };
        for (_, change) in due(&mut self.changes, &route, |(when, _)| *when == When::After) {
            change(&mut self.world);
        }
        let outcome = match fault {
            Some(fault) => fault.instead_of(Some(answer)),
            None => Outcome::Answer(answer),
        };
        self.noted(position, outcome)
    }

    fn noted(&mut self, position: usize, outcome: Outcome) -> Outcome {
        self.log[position].status = match &outcome {
            Outcome::Answer(answer) | Outcome::Cut(answer) => Some(answer.status),
            Outcome::Closed | Outcome::Silent => None,
        };
        outcome
    }

    fn route(&self, request: &Request) -> String {
        let path = request.path.strip_prefix(self.prefix).unwrap_or(&request.path);
        let place = description().place(&request.method, path);
        let route = place.map_or_else(|| path.to_owned(), |place| place.route);
        format!("{} {route}", request.method)
    }

    /// Archives lie with somebody else, who knows nothing of GitHub's tokens.
    fn stored(&self, request: &Request) -> Answer {
        if request.headers.contains_key("authorization") {
            let words = b"<Error><Code>InvalidAuthenticationInfo</Code></Error>".to_vec();
            return Answer { status: 400, ..Answer::bytes("application/xml", words) };
        }
        let signature = request.query.as_deref().and_then(|query| query.strip_prefix("signature="));
        let Some(archive) = signature.and_then(|signature| self.world.signed(signature)) else {
            let words = b"<Error><Code>AuthenticationFailed</Code></Error>".to_vec();
            return Answer { status: 403, ..Answer::bytes("application/xml", words) };
        };
        Answer::bytes("application/zip", archive.clone())
    }

    fn answer(&mut self, request: &Request) -> Answer {
        let mut problems = Vec::new();
        let handled = self.handle(request, &mut problems);
        let answer = handled.unwrap_or_else(|refusal| refusal);
        for problem in problems {
            self.violations.push(format!("{} {}: {problem}", request.method, request.path));
        }
        answer
    }

    fn handle(&mut self, request: &Request, problems: &mut Vec<String>) -> Handled {
        problems.extend(headers(request));
        let grant = self.grant(request)?;
        let body = (!request.body.is_empty()).then(|| serde_json::from_slice::<Value>(&request.body));
        let body = body.transpose().map_err(|_| Answer::refusal(400, "Problems parsing JSON"))?;
        if request.path == self.graphql() {
            let body = body.unwrap_or_default();
            return graphql::answer(&mut self.world, grant.as_ref(), &body).unwrap_or_else(|problem| {
                problems.push(problem);
                Err(Answer::refusal(400, "A query attribute must be specified and must be a string."))
            });
        }
        let Some(path) = request.path.strip_prefix(self.prefix) else {
            problems.push(format!("the API lies below {}", self.prefix));
            return Err(Answer::not_found());
        };
        let Some(query) = pairs(request.query.as_deref().unwrap_or_default()) else {
            problems.push("the query is no UTF-8".to_owned());
            return Err(Answer::refusal(400, "Bad Request"));
        };
        let asked = Asked { method: &request.method, path, query: &query, body: body.as_ref() };
        problems.extend(description().request(&asked));
        let place = description().place(&request.method, path);
        let found = place.and_then(|place| {
            let route =
                ROUTES.iter().find(|route| route.method == request.method && route.path == place.route)?;
            Some((place, route))
        });
        let Some((place, route)) = found else {
            problems.push("the stand-in does not answer this".to_owned());
            return Err(Answer::not_found());
        };
        let ignored = query.iter().filter(|(name, _)| !route.query.contains(&name.as_str()));
        problems.extend(ignored.map(|(name, _)| format!("the stand-in does not heed ?{name}")));
        let part = |name: &str| place.parameters.get(name).cloned().unwrap_or_default();
        let visit = Visit {
            repository: format!("{}/{}", part("owner"), part("repo")),
            parameters: place.parameters.clone(),
            query: query.into_iter().collect(),
            body: body.unwrap_or_default(),
            raw: request.headers.get("accept").is_some_and(|kind| kind == "application/vnd.github.raw+json"),
            grant,
            address: self.api.clone(),
            path: path.to_owned(),
            storage: self.storage.clone(),
        };
        let handled = route.admit(&self.world, &visit.repository, visit.grant.as_ref());
        let handled = handled.and_then(|()| (route.handle)(&mut self.world, &visit));
        let mut answer = handled.unwrap_or_else(|refusal| refusal);
        let json = match &mut answer.body {
            // A file's bytes are nothing that the description knows.
            Body::Bytes(..) => return Ok(answer),
            Body::Empty => None,
            Body::Json(body) => {
                description().complete(route.method, route.path, answer.status, body);
                Some(&*body)
            }
        };
        let broken = description().answer(route.method, route.path, answer.status, json);
        problems.extend(broken.into_iter().map(|problem| format!("its answer {}: {problem}", answer.status)));
        Ok(answer)
    }

    /// Where GraphQL is spoken.
    fn graphql(&self) -> &'static str {
        if self.prefix.is_empty() { "/graphql" } else { "/api/graphql" }
    }

    fn grant(&self, request: &Request) -> Result<Option<Grant>, Answer> {
        let Some(header) = request.headers.get("authorization") else { return Ok(None) };
        let text = header.to_str().unwrap_or_default();
        let token = text.strip_prefix("Bearer ").or_else(|| text.strip_prefix("token "));
        let grant = token.and_then(|token| self.world.grants.get(token));
        grant.cloned().map(Some).ok_or_else(|| Answer::refusal(401, "Bad credentials"))
    }
}

/// What GitHub wants of the headers of each request.
fn headers(request: &Request) -> Vec<String> {
    let header = |name: &str| request.headers.get(name).and_then(|value| value.to_str().ok());
    let mut problems = Vec::new();
    if header("user-agent").is_none_or(str::is_empty) {
        problems.push("GitHub refuses requests without a user-agent".to_owned());
    }
    if header("x-github-api-version") != Some("2022-11-28") && !request.path.ends_with("/graphql") {
        problems.push("the version of the API is not said".to_owned());
    }
    if !request.body.is_empty()
        && !header("content-type").is_some_and(|kind| kind.starts_with("application/json"))
    {
        problems.push("the body is not said to be JSON".to_owned());
    }
    problems
}

/// A query as pairs, decoded.
fn pairs(query: &str) -> Option<Vec<(String, String)>> {
    let decode = |text: &str| percent_decode_str(text).decode_utf8().ok().map(String::from);
    let parts = query.split('&').filter(|part| !part.is_empty());
    let pairs = parts.map(|part| part.split_once('=').unwrap_or((part, "")));
    pairs.map(|(name, value)| Some((decode(name)?, decode(value)?))).collect()
}
