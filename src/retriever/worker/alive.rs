//! One worker process, spoken to request by request.

use std::path::Path;
use std::time::Duration;

use super::super::external::{first_words, last_words};
use super::super::{Deadline, Description, QueryError};
use super::wire::{self, Problem, Read, Reply};
use crate::process::{Conversation, Heard, Launch, Secrets};
use crate::ranking::{ErrorClass, RawHit};

/// How long a worker may take to end by itself.
const FAREWELL: Duration = Duration::from_secs(2);

/// How many characters of what a worker calls itself, or its model, are kept.
const DESCRIBED: usize = 200;

/// How many characters of what a worker says went wrong are kept.
const WORDS: usize = 2_000;

/// A request that came to nothing.
pub(super) struct Refusal {
    pub(super) error: QueryError,
    /// What the worker says is not there, and how to get it.
    pub(super) missing: Option<(String, String)>,
}

impl From<QueryError> for Refusal {
    fn from(error: QueryError) -> Self {
        Self { error, missing: None }
    }
}

impl From<Refusal> for QueryError {
    fn from(refusal: Refusal) -> Self {
        let Refusal { error, missing } = refusal;
        match missing {
            Some((_, hint)) => Self { detail: format!("{}; {hint}", error.detail), ..error },
            None => error,
        }
    }
}

/// The first request came to nothing: whatever was started, it may be no worker at all.
fn unheard(refusal: Refusal) -> Refusal {
    let Refusal { error, missing } = refusal;
    if error.class == ErrorClass::Tool {
        return Refusal { error, missing };
    }
    let QueryError { class, detail, .. } = error;
    let error = QueryError::new(class, format!("{detail}; a reply to `hello` was expected"));
    let advice = "let it speak as docs/protocol.md says, or write `kind = \"command\"` for a program that is started for each query";
    Refusal { error: error.advising(Some(advice.to_owned())), missing }
}

/// A worker that has said hello. After any failure but `Tool` it must not be asked again: what it says next could
/// belong to the past.
pub(super) struct Alive {
    conversation: Conversation,
    secrets: Secrets,
    name: String,
    asked: u64,
}

impl Alive {
    /// Starts it and hears who it is.
    pub(super) fn start(
        launch: &Launch<'_>,
        longest_line: usize,
        deadline: Deadline,
    ) -> Result<(Self, Description), Refusal> {
        let conversation = Conversation::start(launch, longest_line)
            .map_err(|error| QueryError::new(ErrorClass::Died, error.to_string()))?;
        let name = launch.program.name().to_owned();
        let secrets = launch.environment.secrets().clone();
        let mut alive = Self { conversation, secrets, name, asked: 0 };
        let reply = alive.ask(wire::hello, deadline).map_err(unheard)?;
        let said = alive.checked(reply.hello())?;
        let shown = |text: &str| alive.secrets.head(text.as_bytes(), DESCRIBED);
        let said =
            Description { version: shown(&said.version), model: said.model.as_deref().map(shown), ..said };
        Ok((alive, said))
    }

    /// Lets it read the corpus; says what it has of it.
    pub(super) fn prepare(
        &mut self,
        tree: &Path,
        scratch: &Path,
        threads: usize,
        deadline: Deadline,
    ) -> Result<Read, QueryError> {
        let reply = self.ask(|id| wire::prepare(id, tree, scratch, threads), deadline)?;
        let Read { units, files } = self.checked(reply.read_by_prepare())?;
        let shown = |path: String| self.secrets.hide_text(&path);
        Ok(Read { units, files: files.map(|files| files.into_iter().map(shown).collect()) })
    }

    /// Asks one query.
    pub(super) fn query(
        &mut self,
        text: &str,
        fetch: usize,
        deadline: Deadline,
    ) -> Result<Vec<RawHit>, QueryError> {
        let reply = self.ask(|id| wire::query(id, text, fetch), deadline)?;
        self.checked(reply.hits(fetch))
    }

    /// Lets it end by itself for a moment, then ends what is left.
    pub(super) fn stop(mut self) {
        self.asked += 1;
        self.conversation.say(&wire::stop(self.asked));
        self.conversation.hang_up(Deadline::after(FAREWELL));
    }

    /// One request, one reply.
    fn ask(&mut self, request: impl FnOnce(u64) -> String, deadline: Deadline) -> Result<Reply, Refusal> {
        // Ids count up, so that a reply to what was not asked yet may have the id of what is asked now.
        let heard = match self.conversation.overhear() {
            Some(Heard::Line(line)) => return Err(self.unasked(&line).into()),
            Some(heard) => heard,
            None => {
                self.asked += 1;
                self.conversation.say(&request(self.asked));
                self.conversation.hear(deadline)
            }
        };
        match heard {
            Heard::Line(line) if self.conversation.was_early() => Err(self.unasked(&line).into()),
            Heard::Line(line) => {
                Reply::read(&line, self.asked).map_err(|problem| self.refused(problem, &line))
            }
            Heard::TooLong => {
                Err(self.failed(ErrorClass::Protocol, "gave a line longer than `max-output` allows").into())
            }
            Heard::Ended(end) => Err(self.failed(ErrorClass::Died, &end.to_string()).into()),
            Heard::Closed => Err(self.failed(ErrorClass::Died, "closed its output").into()),
            Heard::Nothing => Err(self.failed(ErrorClass::Timeout, "did not reply in time").into()),
        }
    }

    /// A line that was there before anything was asked that it could be a reply to.
    fn unasked(&mut self, line: &[u8]) -> QueryError {
        let words = first_words(&self.secrets, line);
        self.failed(ErrorClass::Protocol, &format!("said something that was not asked{words}"))
    }

    /// A reply that says no, or a line that is none, which is quoted.
    fn refused(&mut self, problem: Problem, line: &[u8]) -> Refusal {
        let words = match problem.class {
            ErrorClass::Protocol => first_words(&self.secrets, line),
            _ => String::new(),
        };
        let error = self.failed(problem.class, &format!("{}{words}", problem.detail));
        let shown = |text: &str| self.secrets.head(text.as_bytes(), WORDS);
        Refusal { error, missing: problem.missing.map(|(what, hint)| (shown(&what), shown(&hint))) }
    }

    fn checked<T>(&mut self, result: Result<T, Problem>) -> Result<T, QueryError> {
        result.map_err(|problem| self.failed(problem.class, &problem.detail))
    }

    /// The failure with the worker's name and last words; what it said is printable and holds no secret.
    fn failed(&mut self, class: ErrorClass, what: &str) -> QueryError {
        if class != ErrorClass::Tool {
            self.conversation.end();
        }
        let what = self.secrets.head(what.as_bytes(), WORDS);
        let words = last_words(&self.secrets, &self.conversation.last_words());
        QueryError::new(class, format!("the worker `{}` {what}{words}", self.name))
    }
}
