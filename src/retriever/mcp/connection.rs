//! One server that has shaken hands, asked call by call.
#![expect(deprecated, reason = "servers of today may still ask for roots, and are told no")]

use std::collections::BTreeSet;
use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ErrorData, Implementation,
    JsonObject, PaginatedRequestParams, ProtocolVersion,
};
use rmcp::service::{ClientInitializeError, RequestContext, RoleClient, RunningService, ServiceError};
use rmcp::transport::Transport;
use rmcp::{ClientCacheConfig, ClientHandler, ClientLifecycleMode, model, serve_client_with_lifecycle};
use tokio::runtime::Runtime;

use super::super::Deadline;
use super::pipe::{self, Child};
use super::remote::{self, Address};
use super::trouble::{Report, Trouble};
use super::watched::Watched;
use crate::config::did_you_mean;
use crate::error::quoted;
use crate::process::Launch;
use crate::ranking::ErrorClass;

/// How long a server may take to end by itself.
const FAREWELL: Duration = Duration::from_secs(2);

/// How many tools a message names.
const NAMED: usize = 20;

/// How many pages of a list of tools are read.
const PAGES: usize = 100;

/// How many names of tools are kept, for one that is meant may be among them.
const KEPT: usize = 1_000;

/// How many characters of a tool's name are kept.
const LONGEST_NAME: usize = 100;

/// What a server learns of us: nothing can be asked of us, nobody sits here.
struct Us;

impl ClientHandler for Us {
    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new("rankhold", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), us)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<model::ListRootsResult, ErrorData> {
        Err(ErrorData::method_not_found::<model::ListRootsRequestMethod>())
    }

    async fn create_elicitation(
        &self,
        _: model::ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<model::ElicitResult, ErrorData> {
        Err(ErrorData::method_not_found::<model::ElicitationCreateRequestMethod>())
    }
}

/// A server that is ready. After any trouble but a `Tool` that says no it must not be asked again: what it says next could
/// belong to the past. Dropped, a child is ended with everything it started.
pub(super) struct Connection {
    /// Before the runtime, which its tasks need.
    service: RunningService<RoleClient, Us>,
    runtime: Runtime,
    child: Option<Child>,
    report: Report,
}

/// What it says of itself.
pub(super) struct Greeting {
    pub(super) name: String,
    pub(super) version: String,
}

/// What went wrong, and the last of what a child wrote to stderr.
pub(super) struct Failed {
    pub(super) trouble: Trouble,
    pub(super) stderr: Option<Vec<u8>>,
}

impl Connection {
    /// Starts a child and shakes hands.
    pub(super) fn to_child(launch: &Launch<'_>, longest: usize, deadline: Deadline) -> Result<Self, Failed> {
        in_either_way(|way| {
            let report = Report::default();
            let unheard = |trouble| Failed { trouble, stderr: None };
            let runtime = runtime().map_err(unheard)?;
            let (pipe, child) = pipe::start(launch, longest, report.clone())
                .map_err(|error| unheard(Trouble::new(ErrorClass::Died, error.to_string())))?;
            match greet(&runtime, || pipe, way, &report, deadline) {
                Ok(service) => Ok(Self { service, runtime, child: Some(child), report }),
                Err(trouble) => Err(Failed { trouble, stderr: Some(last_words(&child)) }),
            }
        })
    }

    /// Begins a session with a server that runs elsewhere.
    pub(super) fn to_address(address: &Address, deadline: Deadline) -> Result<Self, Failed> {
        in_either_way(|way| {
            let report = Report::default();
            let unheard = |trouble| Failed { trouble, stderr: None };
            let runtime = runtime().map_err(unheard)?;
            let transport = || remote::connect(address, report.clone());
            let service = greet(&runtime, transport, way, &report, deadline).map_err(unheard)?;
            Ok(Self { service, runtime, child: None, report })
        })
    }

    /// Who it is.
    pub(super) fn greeting(&self) -> Greeting {
        let said = self.service.peer_info().and_then(|info| info.server_info.clone());
        let said = said.unwrap_or_else(|| Implementation::new("unnamed", "unknown"));
        Greeting { name: said.name, version: said.version }
    }

    /// That tool is there.
    pub(super) fn has_tool(&mut self, name: &str, deadline: Deadline) -> Result<(), Failed> {
        let listed = self.run(deadline, |service| look_for(service, name));
        let mut names = match listed.map_err(|trouble| self.failed(trouble))? {
            Listing::Has => return Ok(()),
            Listing::Lacks(names) => names,
            Listing::Endless(what) => return Err(self.failed(Trouble::new(ErrorClass::Protocol, what))),
        };
        names.sort_unstable();
        let near = did_you_mean(name, names.iter().map(String::as_str));
        let more = if names.len() > NAMED { ", …" } else { "" };
        names.truncate(NAMED);
        let there = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let what = format!("has no tool `{name}`{near} (it has: {there}{more})");
        Err(self.failed(Trouble::new(ErrorClass::Tool, what)))
    }

    /// Calls a tool.
    pub(super) fn call(
        &mut self,
        tool: &str,
        arguments: JsonObject,
        deadline: Deadline,
    ) -> Result<CallToolResult, Failed> {
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let called = self.run(deadline, |service| async move { service.peer().call_tool(request).await });
        called.map_err(|trouble| self.failed(trouble))
    }

    /// Lets it end by itself for a moment, then ends what is left.
    pub(super) fn stop(self) {
        let Self { service, runtime, child, report: _ } = self;
        let farewell = async {
            let _ = tokio::time::timeout(FAREWELL, service.cancel()).await;
        };
        runtime.block_on(farewell);
        drop(runtime);
        if let Some(child) = child {
            child.with(|child| child.hang_up(Deadline::after(FAREWELL)));
        }
    }

    /// The trouble with the child's last words; one that did more than say no is ended.
    fn failed(&self, trouble: Trouble) -> Failed {
        if let Some(child) = self.child.as_ref().filter(|_| trouble.class != ErrorClass::Tool) {
            return Failed { trouble, stderr: Some(last_words(child)) };
        }
        self.beside(trouble)
    }

    /// The trouble with what the child has written so far: the conversation goes on.
    pub(super) fn beside(&self, trouble: Trouble) -> Failed {
        let stderr = self.child.as_ref().map(|child| child.with(|child| child.last_words()));
        Failed { trouble, stderr }
    }

    fn run<'a, T, F>(
        &'a self,
        deadline: Deadline,
        act: impl FnOnce(&'a RunningService<RoleClient, Us>) -> F,
    ) -> Result<T, Trouble>
    where
        F: Future<Output = Result<T, ServiceError>> + 'a,
    {
        if self.child.is_none() {
            self.report.take(); // what went wrong beside a request that was answered is no longer of interest
        }
        if let Some(trouble) = self.report.distrusted() {
            return Err(trouble);
        }
        let answer = self.runtime.block_on(in_time(deadline, act(&self.service)));
        if let Some(trouble) = self.report.refuted() {
            return Err(trouble);
        }
        match answer {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(error)) => Err(told(&error, &self.report)),
            None => Err(too_late(&self.report)),
        }
    }
}

/// What a server's list of tools says of one.
enum Listing {
    Has,
    /// These are there.
    Lacks(Vec<String>),
    /// It is no list that ends.
    Endless(String),
}

/// Reads the list page by page, and keeps of it what a message names.
async fn look_for(service: &RunningService<RoleClient, Us>, name: &str) -> Result<Listing, ServiceError> {
    // A page may be as long as a message; rmcp would keep them all.
    service.peer().set_response_cache_config(ClientCacheConfig::disabled()).await;
    let mut names = Vec::new();
    // Of a cursor its hash is kept: it may be as long as a message.
    let (hasher, mut seen, mut cursor) = (RandomState::new(), BTreeSet::new(), None);
    for _ in 0..PAGES {
        let page = PaginatedRequestParams::default().with_cursor(cursor);
        let page = service.peer().list_tools(Some(page)).await?;
        if page.tools.iter().any(|tool| tool.name == name) {
            return Ok(Listing::Has);
        }
        let room = KEPT.saturating_sub(names.len());
        let there = page.tools.iter().take(room);
        names.extend(there.map(|tool| quoted(&tool.name, LONGEST_NAME)));
        cursor = page.next_cursor;
        match &cursor {
            None => return Ok(Listing::Lacks(names)),
            Some(next) if !seen.insert(hasher.hash_one(next)) => {
                let what = "names a page of its list of tools that it named before: the list does not end";
                return Ok(Listing::Endless(what.to_owned()));
            }
            Some(_) => {}
        }
    }
    Ok(Listing::Endless(format!("has more than {PAGES} pages of tools, and `{name}` is on none of them")))
}

/// Nothing comes after the deadline, however soon it would.
async fn in_time<T>(deadline: Deadline, act: impl Future<Output = T>) -> Option<T> {
    if deadline.passed() {
        return None;
    }
    tokio::time::timeout(deadline.left(), act).await.ok()
}

fn runtime() -> Result<Runtime, Trouble> {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.map_err(|error| Trouble::new(ErrorClass::Died, format!("cannot be asked: no runtime: {error}")))
}

/// Shakes hands as servers did up to 2025; one that says no to that may know the way of 2026 alone.
fn in_either_way<T>(open: impl Fn(ClientLifecycleMode) -> Result<T, Failed>) -> Result<T, Failed> {
    open(ClientLifecycleMode::Initialize).or_else(|refused| {
        if refused.trouble.class != ErrorClass::Tool {
            return Err(refused);
        }
        let preferred_versions = vec![ProtocolVersion::LATEST];
        open(ClientLifecycleMode::Discover { preferred_versions }).map_err(|_| refused)
    })
}

/// The handshake.
fn greet<T: Transport<RoleClient> + 'static>(
    runtime: &Runtime,
    transport: impl FnOnce() -> T,
    way: ClientLifecycleMode,
    report: &Report,
    deadline: Deadline,
) -> Result<RunningService<RoleClient, Us>, Trouble> {
    let greeted = runtime.block_on(in_time(deadline, async {
        serve_client_with_lifecycle(Us, Watched::new(transport(), report.clone()), way).await
    }));
    match greeted {
        Some(Ok(service)) => Ok(service),
        Some(Err(error)) => Err(report.take().unwrap_or_else(|| ungreeted(&error))),
        None => Err(too_late(report)),
    }
}

fn too_late(report: &Report) -> Trouble {
    report.take().unwrap_or_else(|| Trouble::new(ErrorClass::Timeout, "did not reply in time"))
}

fn ungreeted(error: &ClientInitializeError) -> Trouble {
    match error {
        ClientInitializeError::JsonRpcError(error) => {
            Trouble::new(ErrorClass::Tool, format!("refused the handshake: {}", error.message))
        }
        error => {
            let error = error.to_string();
            Trouble::new(ErrorClass::Protocol, format!("did not shake hands: {error}"))
        }
    }
}

/// What a call that failed means.
fn told(error: &ServiceError, report: &Report) -> Trouble {
    // Said in time and to the point; what else happened matters less.
    if let ServiceError::McpError(error) = error {
        let what = format!("said no: {} (code {})", error.message, error.code.0);
        return Trouble::new(ErrorClass::Tool, what);
    }
    report.take().unwrap_or_else(|| match error {
        ServiceError::TransportClosed => {
            Trouble::new(ErrorClass::Died, "ended the conversation before it answered")
        }
        ServiceError::UnexpectedResponse => {
            Trouble::new(ErrorClass::Protocol, "gave an answer that is no result of a tool")
        }
        error => Trouble::new(ErrorClass::Protocol, format!("gave no answer: {error}")),
    })
}

/// Ends the child and hears what it said last.
fn last_words(child: &Child) -> Vec<u8> {
    child.with(|child| {
        child.end();
        child.last_words()
    })
}
