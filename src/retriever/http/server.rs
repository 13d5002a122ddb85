//! A server that is ours: started on a free port, waited for, ended as a whole.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::super::external::{self, Tool};
use super::super::{Deadline, QueryError};
use crate::process::{Extra, Launch, Secrets, Service, free_port};
use crate::ranking::ErrorClass;

/// So many servers that ended in a row, and no further one is started.
const PATIENCE: u32 = 3;

/// How long it is left alone between two looks at whether it is ready.
const BETWEEN: Duration = Duration::from_millis(50);

/// How long the end of a server that gave no answer is waited for.
const LAST_BREATH: Duration = Duration::from_millis(500);

/// How many characters of its own words a message quotes.
const QUOTED: usize = 400;

/// Where it is started, and the one that runs.
pub(super) struct Host<'a> {
    tool: &'a Tool,
    extra: &'a Extra,
    tree: &'a Path,
    scratch: &'a Path,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: Option<Running>,
    /// In a row, without an answer between them.
    failures: u32,
}

struct Running {
    service: Service,
    port: u16,
    secrets: Secrets,
}

impl Running {
    /// The end of what it wrote, as the end of a message.
    fn last_words(&mut self) -> String {
        match self.secrets.tail(&self.service.last_words(), QUOTED) {
            words if words.is_empty() => "; it wrote nothing".to_owned(),
            words => format!("; its last words: `{words}`"),
        }
    }
}

/// Whether the server at that port can be asked; it must say so before the deadline.
pub(super) type IsReady<'a> = &'a dyn Fn(u16, Deadline) -> Result<(), String>;

impl<'a> Host<'a> {
    /// Starts nothing yet.
    pub(super) fn new(tool: &'a Tool, extra: &'a Extra, tree: &'a Path, scratch: &'a Path) -> Self {
        Self { tool, extra, tree, scratch, state: Mutex::default() }
    }

    /// The port of a server that runs: of a new one, if there is none any more.
    pub(super) fn ensure(&self, deadline: Deadline, is_ready: IsReady<'_>) -> Result<u16, QueryError> {
        let mut state = self.state();
        if let Some(running) = &mut state.running {
            if running.service.ended_within(Duration::ZERO).is_none() {
                return Ok(running.port);
            }
            state.running = None;
            state.failures += 1;
        }
        if state.failures >= PATIENCE {
            let what = format!("its server ended {PATIENCE} times in a row and is not started again");
            return Err(QueryError::new(ErrorClass::Died, what));
        }
        match self.start(deadline, is_ready) {
            Ok(running) => {
                let port = running.port;
                state.running = Some(running);
                Ok(port)
            }
            Err(error) => {
                state.failures += 1;
                Err(error)
            }
        }
    }

    /// Ends the server that runs, if one does: the next query starts another. That is no failure.
    pub(super) fn rest(&self) {
        self.state().running = None;
    }

    /// It has answered a query.
    pub(super) fn answered(&self) {
        self.state().failures = 0;
    }

    /// How the server ended, if it did: for a query that got no answer.
    pub(super) fn obituary(&self) -> Option<String> {
        let mut state = self.state();
        let running = state.running.as_mut()?;
        let end = running.service.ended_within(LAST_BREATH)?;
        Some(format!("; its server {end}{}", running.last_words()))
    }

    fn start(&self, deadline: Deadline, is_ready: IsReady<'_>) -> Result<Running, QueryError> {
        let died = |what: String| QueryError::new(ErrorClass::Died, what);
        let unusable = |unusable: external::Unusable| died(super::super::PrepareError::from(unusable).detail);
        let port = free_port().map_err(|error| died(format!("there is no free port: {error}")))?;
        let mut extra = self.extra.clone();
        extra.set.entry("PORT".to_owned()).or_insert_with(|| port.to_string());
        let environment =
            external::environment(&extra, self.tree, self.scratch, self.tool.repo()).map_err(unusable)?;
        let arguments = if self.tree == self.scratch {
            self.tool.bench_arguments(self.scratch)
        } else {
            self.tool.arguments(self.tree, self.scratch, None)
        };
        let arguments: Vec<String> =
            arguments.iter().map(|argument| argument.replace("{port}", &port.to_string())).collect();
        let launch = Launch {
            program: &self.tool.program().map_err(unusable)?,
            arguments: &arguments,
            folder: self.tree,
            environment: &environment,
        };
        let service = Service::start(&launch).map_err(|error| died(error.to_string()))?;
        let mut running = Running { service, port, secrets: environment.secrets().clone() };
        let mut why = "it was not asked".to_owned();
        loop {
            if let Some(end) = running.service.ended_within(Duration::ZERO) {
                let words = running.last_words();
                // A look starts it elsewhere, and names such a script by where it is.
                let misplaced = self.tool.misplaced(self.tree).filter(|_| self.tree != self.scratch);
                let why = misplaced.as_ref().map(ToString::to_string).unwrap_or_default();
                let advice = misplaced.map(|misplaced| misplaced.advice());
                return Err(died(format!("its server {end}{why}{words}")).advising(advice));
            }
            if deadline.passed() {
                running.service.end();
                let what = format!("its server was not ready in time ({why}){}", running.last_words());
                return Err(QueryError::new(ErrorClass::Timeout, what));
            }
            match is_ready(port, deadline) {
                Ok(()) => return Ok(running),
                Err(_) if deadline.passed() => {} // why it was not ready before says more
                Err(told) => why = told,
            }
            running.service.ended_within(BETWEEN.min(deadline.left()));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
